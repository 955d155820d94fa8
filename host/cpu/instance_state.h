/* SPDX-License-Identifier: MIT
 *
 * An instance on the reference path: what is left of it once its bad numbers are put right.
 */
#ifndef PM_HOST_INSTANCE_STATE_H
#define PM_HOST_INSTANCE_STATE_H

#include "crowd/crowd.h"
#include "kernels/pm_memory.h"

/* A clip at a time. */
typedef struct pm_blend_input {
    size_t clip;
    int64_t time;
    bool clamps;
    pm_cursor cursor; /* of all joints, unless the crowd is apart */
} pm_blend_input;

typedef struct pm_instance_state {
    pm_blend_input a, b; /* b counts where weight is not 0 */
    bool has_a;          /* without, A is the rest pose */
    bool additive, in_place;
    float weight;
    const float *mask;   /* of all joints */
    const pm_u8 *joints; /* those of its level; NULL: all */
} pm_instance_state;

/* Both fill what they are given in place: a copy made of fields that were just stored has to wait
 * for them. */
void pm_blend_input_resolve(const pm_crowd *crowd, size_t clip, int64_t time, bool clamps,
                            pm_blend_input *input);
void pm_instance_resolve(const pm_crowd *crowd, const pm_crowd_instance *instance,
                         pm_instance_state *state);

/* Joints that are posed at once: a multiple of PM_TRACK_GROUP. */
enum { PM_SPAN_JOINTS = 128 };

/* Their rotations, positions and scales: x, y, z and w of all of them. Only rotations have a w. */
typedef struct pm_pose_span {
    _Alignas(PM_CACHE_LINE) float of[PM_CHANNEL_COUNT][4][PM_SPAN_JOINTS];
} pm_pose_span;

/* How many of them there are from a multiple of PM_SPAN_JOINTS on, padding too. */
static inline size_t pm_span_joints(const pm_crowd *crowd, size_t first) {
    size_t left = crowd->padded_joints - first;
    return left < PM_SPAN_JOINTS ? left : PM_SPAN_JOINTS;
}

/* An output of an instance, by one of the sets there are. PM_ERROR_MEMORY is all that may fail. */
pm_status pm_crowd_pose_with(const struct pm_instruction_set *set, const pm_crowd *crowd,
                             const pm_crowd_instance *instance, pm_crowd_output output,
                             unsigned char *records, pm_error *error);

/* The rows of all joints' matrices, padding's too. */
typedef struct pm_matrix_rows {
    float (*x)[4], (*y)[4], (*z)[4];
} pm_matrix_rows;

/* A joint's matrix relative to the model: 12 floats, and others up to a cache line. */
enum { PM_MODEL_FLOATS = 16 };

#endif
