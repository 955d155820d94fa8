/* SPDX-License-Identifier: MIT
 *
 * Trajectories, and a request for points that they move.
 */
#ifndef PM_HOST_POINTS_REQUEST_H
#define PM_HOST_POINTS_REQUEST_H

#include <posemill/posemill_points.h>

#include "address.h"
#include "base/base.h"
#include "clip/clip.h"
#include "kernels/pm_point_arc.h"
#include "kernels/pm_point_pose.h"
#include "step.h"

enum { PM_ARC_NUMBERS = sizeof(pm_rigid_arc) / sizeof(double) };

/* Fills what leads from pose to pose, of one timeline; of the last key the twist that leads to it. Normalises the
 * rotations and gives each the nearer sign. Returns the largest angle2. */
double pm_rigid_arcs_connect(pm_rigid_arc *arcs, size_t count, const int64_t *stamps, bool screw);

/* A clip, whose scales are what float32 leaves of its positions. Owns its arrays. */
struct pm_trajectory {
    const pm_host *host;
    pm_engine *engine;     /* borrowed */
    size_t threads;        /* of the engine */
    atomic_size_t holders; /* with the owner */
    pm_clip_data *clip;
    int64_t *stamps;    /* of all keys, timeline after timeline */
    size_t *firsts;     /* (timeline_count + 1): the keys before each timeline */
    double origin[3];   /* that positions are relative to, but those of arcs */
    pm_rigid_arc *arcs; /* of all keys, track after track; NULL: the clip has the curves */
    size_t *first_arcs; /* (track_count) */
    bool screw;
    pm_u32
        parts; /* pm_point_arcs of each key, a power of 2: angle2 of none is above PM_LITTLE_TURN2 */
};

static inline size_t pm_trajectory_keys(const pm_trajectory *t, size_t track) {
    const size_t *firsts = &t->firsts[t->clip->timeline_of[track]];
    return firsts[1] - firsts[0];
}

/* What a time is read as that is not finite or does not fit. */
#define PM_NO_STAMP INT64_MAX

/* Of a number in a record. */
size_t pm_stamp_bytes(pm_stamp_type type);

/* Stamps `from` on where they are, if that is as pm_stamps_read would write them; else NULL. */
const int64_t *pm_stamps_in_place(const pm_stamps *stamps, size_t from);

/* Reads stamps `from` on. */
void pm_stamps_read(const pm_stamps *stamps, size_t from, size_t count, int64_t *to);

/* PM_OK unless fields of stamps are not valid; `elsewhere`: their data may be NULL. */
pm_status pm_stamps_check(const pm_stamps *stamps, bool elsewhere, const char *name,
                          pm_error *error);

typedef struct pm_stamp_rules {
    pm_outside outside;
    uint64_t max_extrapolation, max_gap; /* max_gap: UINT64_MAX: none */
} pm_stamp_rules;

/* The motion of a constant twist: angular velocity w, and `way`, the velocity times the seconds that it lasts. Writes
 * the turn x y z w, and the way of the frame's origin. */
void pm_twist_by(const double w[3], const double way[3], double seconds, double turn[4],
                 double moved[3]);

/* Turns a vector by the inverse of a unit quaternion. */
void pm_turn_back(const double q[4], double v[3]);

/* What a job reads and writes for each point. */
typedef enum pm_points_field {
    PM_POINTS_STAMPS,
    PM_POINTS_POINTS,
    PM_POINTS_TRACKS, /* of the first frame, and of others */
    PM_POINTS_MOVED = PM_POINTS_TRACKS + PM_MAX_FRAMES,
    PM_POINTS_ROTATIONS,
    PM_POINTS_POSITIONS,
    PM_POINTS_VELOCITIES,
    PM_POINTS_ANGULAR_VELOCITIES,
    PM_POINTS_VALID,
    PM_POINTS_FIELDS,
    PM_POINTS_OUTPUTS = PM_POINTS_FIELDS - PM_POINTS_MOVED
} pm_points_field;

/* A checked job. All pointers are borrowed. */
typedef struct pm_points_request {
    const pm_host *host;
    pm_points_job job;                    /* fields in host memory; of others their layout alone, */
    pm_address handles[PM_POINTS_FIELDS]; /* and here the address of record 0 */
    pm_stamp_rules rules;
    pm_dpose before;                          /* its rotation has a norm of 1 */
    bool before_is_identity, end_is_identity; /* the latter of the poses of `ends` */
    const pm_points_end *ends;
    size_t end_count; /* with by_track one for each track of frame 0, else 1 */
    bool by_track;
    bool needs_pose, needs_rate; /* outputs of poses, of velocities */
    bool singles;                /* points are moved in float32: a pm_point_arc does all */
    bool on_queue;     /* a track that there is none of makes a point invalid, and is no failure */
    const float *arcs; /* of singles: those of all keys; NULL: made for each point */
    size_t arc_count;
    atomic_size_t *invalid; /* to which points that are not valid are added; NULL: not counted */
    size_t threads;
} pm_points_request;

/* The numbers of a field in each record; bytes 0: the job has no such field. */
typedef struct pm_points_rows {
    const char *name;       /* in public headers */
    unsigned char *memory;  /* of record 0; NULL: not in host memory */
    ptrdiff_t stride, step; /* bytes */
    size_t bytes;           /* of a number */
    size_t numbers;
    pm_coordinate_type type; /* of coordinates */
} pm_points_rows;

pm_points_rows pm_points_rows_of(const pm_points_request *request, unsigned field);

/* The bytes of a record without gaps. */
static inline size_t pm_points_bytes(const pm_points_rows *rows) {
    return rows->bytes * rows->numbers;
}

static inline bool pm_points_are_packed(const pm_points_rows *rows) {
    return rows->stride == (ptrdiff_t)pm_points_bytes(rows) &&
           (rows->numbers == 1 || rows->step == (ptrdiff_t)rows->bytes);
}

/* Copies the first records without gaps to `packed`; or back, unless `pack`. */
void pm_points_copy(const pm_points_rows *rows, size_t count, bool pack, unsigned char *packed);

/* Makes a field one without gaps, at an address. */
void pm_points_place(pm_points_request *request, unsigned field, pm_address at);

/* The fields whose handles have turned into addresses of host memory are there. */
void pm_points_use_memory(pm_points_request *request);

/* Finds what follows from the fields of a request. */
void pm_points_resolve(pm_points_request *request);

/* A part of a request. */
pm_points_request pm_points_request_piece(const pm_points_request *request, const pm_piece *piece);

/* ---- on devices ------------------------------------------------------------------------------------------- */

/* Whether kernels compute a request: points alone, singles or with double, without extrapolation. The `arcs` of singles
 * are there then. */
bool pm_points_have_kernel(const pm_points_request *request, const pm_plan_device *device);

/* The pm_point_arc of part `number` of all keys, of a track, with what is fixed on both sides. Of directions it moves
 * nothing. */
void pm_points_make_arc(const pm_points_request *request, size_t number, size_t track,
                        float to[PM_POINT_ARC_FLOATS]);

/* The number of parts of the keys of all tracks. */
size_t pm_trajectory_arcs(const pm_trajectory *trajectory);

/* Those of all keys, which the caller releases. */
pm_status pm_points_make_arcs(const pm_points_request *request, float **arcs, pm_error *error);

/* The keys of the tracks of a frame. The caller releases it. NULL: no memory. */
pm_point_track *pm_points_make_tracks(const pm_points_request *request, unsigned frame);

/* The frame of a launch of a request: there is one for each. */
unsigned pm_points_frame_at(const pm_points_request *request, unsigned launch);

/* A launch for a request whose fields are in handles. Between two launches points are in double, 32 bytes for each. */
pm_step pm_plan_points(const pm_points_request *request, unsigned launch);

/* The most points of a launch, and of all launches of a chain. */
size_t pm_plan_launch_points(const pm_points_request *request, const pm_plan_device *device);

/* Makes a trajectory stay until it is let go, also where its owner destroys it before. pm_trajectory_let accepts NULL.
 * Thread-safe. */
void pm_trajectory_hold(const pm_trajectory *trajectory);
void pm_trajectory_let(const pm_trajectory *trajectory);

#endif
