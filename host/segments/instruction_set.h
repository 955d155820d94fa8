/* SPDX-License-Identifier: MIT
 *
 * Segments are built by code that is compiled once for each of several instruction sets.
 * This is the door to it: which sets there are, and what each can do. All give the same
 * bits, and what a track gives does not depend on the tracks in the lanes beside it.
 */
#ifndef PM_HOST_INSTRUCTION_SET_H
#define PM_HOST_INSTRUCTION_SET_H

#include <stdbool.h>

#include <posemill/posemill_crowd.h>

/* The builders of segments, by the names of what they build. */
#define PM_BUILDERS(X)                                                                             \
    X(sterp)                                                                                       \
    X(squad)                                                                                       \
    X(circular)                                                                                    \
    X(phased)                                                                                      \
    X(hermite)                                                                                     \
    X(spline)                                                                                      \
    X(bspline)                                                                                     \
    X(cubicspline)                                                                                 \
    X(ncubic)                                                                                      \
    X(vector_cubic)                                                                                \
    X(vector_parabolas)                                                                            \
    X(vector_spline)                                                                               \
    X(vector_bspline)

typedef enum pm_builder {
    PM_BUILD_nothing, /* the curve needs its keys alone */
#define PM_BUILDER_ID(name) PM_BUILD_##name,
    PM_BUILDERS(PM_BUILDER_ID)
#undef PM_BUILDER_ID
} pm_builder;

/* Neighbouring tracks of one timeline. */
typedef struct pm_block {
    size_t track, count; /* at most PM_BLOCK_TRACKS */
    size_t first_row;    /* of the first track: see pm_segment_data_of */
} pm_block;

/* Rows of so many tracks are written from end to end: memory likes it better than if each
 * track, or each few in the lanes, made its own way through all rows. */
enum { PM_BLOCK_TRACKS = 64 };

typedef struct pm_block_built {
    pm_status status; /* PM_OK, PM_ERROR_MEMORY, or PM_ERROR_KEY when there is no such curve */
    size_t failed;    /* of PM_ERROR_KEY: the first such track */
} pm_block_built;

struct pm_instance_state;
struct pm_pose_span;
struct pm_matrix_rows;

typedef struct pm_instruction_set {
    const char *name;
    size_t lanes;
    /* Whether this machine has the instructions. */
    bool (*is_supported)(void);
    /* Fills the planes of a channel for a block of tracks. */
    pm_block_built (*build)(const pm_clip_desc *desc, pm_clip *clip, unsigned channel,
                            const pm_block *block);
    /* Of numbers one after another: whether so many quaternions are finite and well within 1e-3
     * of unit, a quick yes where no leaves it open; whether none is NaN or larger than most. */
    bool (*are_rotations)(const void *data, pm_number type, size_t count);
    bool (*are_within)(const void *data, pm_number type, size_t count, double max);
    /* Of crowds on the host: see crowd_set.h. */
    void (*local_poses)(const pm_crowd *crowd, const struct pm_instance_state *who, size_t first,
                        size_t count, struct pm_pose_span *to);
    void (*local_matrices)(const pm_crowd *crowd, const struct pm_instance_state *who,
                           const struct pm_matrix_rows *to);
    void (*model_matrices)(const pm_crowd *crowd, const struct pm_matrix_rows *from,
                           float (*models)[16]);
    void (*bound_records)(const pm_crowd *crowd, float (*models)[16], pm_crowd_output output,
                          unsigned char *records);
} pm_instruction_set;

/* Of the sets that this machine has, the narrowest that holds so many tracks, or the widest:
 * few tracks do not pay for lanes that they leave empty. */
const pm_instruction_set *pm_instruction_set_for(size_t tracks);

/* The sets by their order of lanes; NULL behind the last. */
const pm_instruction_set *pm_instruction_set_at(size_t index);

#endif
