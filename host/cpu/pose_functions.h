/* SPDX-License-Identifier: MIT
 *
 * The state of an instance on the host, and the functions for posing it that are compiled once for
 * each instruction set.
 */
#ifndef PM_HOST_POSE_FUNCTIONS_H
#define PM_HOST_POSE_FUNCTIONS_H

#include "crowd/crowd.h"
#include "kernels/pm_memory.h"

/* An input of a pose, located. */
typedef struct pm_located_input {
    pm_input at;
    pm_cursor cursor;  /* of all joints; not set where timelines are per joint */
    const float *mask; /* (joint_count), borrowed */
} pm_located_input;

/* What is posed: an instance with its layers, or given local poses. All pointers are borrowed. */
typedef struct pm_instance_state {
    pm_located_input inputs[PM_INPUTS + PM_MAX_LAYERS]; /* of A and B, those without effect only
                                                           have an op; then the layers */
    size_t input_count;                                 /* at least PM_INPUTS */
    bool in_place;
    const pm_u8 *joints;        /* (joint_count): 1 for joints of its level; NULL: all */
    const pm_u8 *moved;         /* of the set: see pm_posed_set */
    const unsigned char *given; /* the records of PM_CROWD_LOCAL; NULL: the inputs give the pose */
} pm_instance_state;

/* Joints per span: a multiple of PM_TRACK_GROUP. */
enum { PM_SPAN_JOINTS = 128 };

/* Rotations, positions and scales of a span: x, y, z and w of all joints. Only rotations have a
 * w. */
typedef struct pm_pose_span {
    _Alignas(PM_CACHE_LINE) float of[PM_CHANNEL_COUNT][4][PM_SPAN_JOINTS];
} pm_pose_span;

/* Number of joints in the span that begins with `first`, padding included. */
static inline size_t pm_span_joints(const pm_crowd_data *crowd, size_t first) {
    size_t left = crowd->padded_joints - first;
    return left < PM_SPAN_JOINTS ? left : PM_SPAN_JOINTS;
}

/* The matrices of all joints by row: (padded_joints, 4) each. */
typedef struct pm_matrix_rows {
    float (*x)[4], (*y)[4], (*z)[4];
} pm_matrix_rows;

/* Floats per matrix relative to the model: 12, and padding up to a cache line. */
enum { PM_MODEL_FLOATS = 16 };

/* All functions are thread-safe; they write to the memory that the caller passes only. */
typedef struct pm_pose_functions {
    /* Local poses of the joints from `first` on; `count` is a multiple of PM_TRACK_GROUP, at most
     * PM_SPAN_JOINTS. */
    void (*local_poses)(const pm_crowd_data *crowd, const pm_instance_state *state, size_t first,
                        size_t count, pm_pose_span *to);
    /* The poses of all joints as matrices relative to the parent. */
    void (*local_matrices)(const pm_crowd_data *crowd, const pm_instance_state *state,
                           const pm_matrix_rows *to);
    /* The records of a view of matrices or bounds, and matrices relative to the model, from those
     * relative to the parent. */
    void (*matrix_records)(const pm_crowd_data *crowd, const pm_matrix_rows *from,
                           float (*models)[PM_MODEL_FLOATS], pm_view view, unsigned char *records);
} pm_pose_functions;

/* Declares the functions of pose_joints.c and matrices.c for an instruction set. */
#define PM_DECLARE_POSES(set)                                                                      \
    void pm_local_poses_##set(const pm_crowd_data *, const pm_instance_state *, size_t, size_t,    \
                              pm_pose_span *);                                                     \
    void pm_local_matrices_##set(const pm_crowd_data *, const pm_instance_state *,                 \
                                 const pm_matrix_rows *);                                          \
    void pm_matrix_records_##set(const pm_crowd_data *, const pm_matrix_rows *,                    \
                                 float(*)[PM_MODEL_FLOATS], pm_view, unsigned char *);
PM_INSTRUCTION_SETS(PM_DECLARE_POSES)

#endif
