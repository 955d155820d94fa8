/* SPDX-License-Identifier: MIT
 *
 * An instance on the host, and the part of posing it that is compiled once for each instruction
 * set.
 */
#ifndef PM_HOST_POSE_FUNCTIONS_H
#define PM_HOST_POSE_FUNCTIONS_H

#include "crowd/crowd.h"
#include "kernels/pm_memory.h"

/* A clip at a time. */
typedef struct pm_blend_input {
    pm_input at;
    pm_cursor cursor; /* of all joints, unless timelines are per joint */
} pm_blend_input;

typedef struct pm_instance_state {
    pm_blend_input a, b; /* a where has_a is set, b where the weight is not 0 */
    bool has_a;          /* without, A is the rest pose */
    bool additive, in_place;
    float weight;
    const float *mask;   /* of all joints */
    const pm_u8 *joints; /* those of its level; NULL: all */
} pm_instance_state;

/* Joints that are posed at once: a multiple of PM_TRACK_GROUP. */
enum { PM_SPAN_JOINTS = 128 };

/* Their rotations, positions and scales: x, y, z and w of all of them. Only rotations have a w. */
typedef struct pm_pose_span {
    _Alignas(PM_CACHE_LINE) float of[PM_CHANNEL_COUNT][4][PM_SPAN_JOINTS];
} pm_pose_span;

/* How many of them there are from a multiple of PM_SPAN_JOINTS on, padding too. */
static inline size_t pm_span_joints(const pm_crowd_data *crowd, size_t first) {
    size_t left = crowd->padded_joints - first;
    return left < PM_SPAN_JOINTS ? left : PM_SPAN_JOINTS;
}

/* The rows of all joints' matrices, with those of the padding. */
typedef struct pm_matrix_rows {
    float (*x)[4], (*y)[4], (*z)[4];
} pm_matrix_rows;

/* A joint's matrix relative to the model: 12 floats, and others up to a cache line. */
enum { PM_MODEL_FLOATS = 16 };

typedef struct pm_pose_functions {
    /* Local poses of joints from `first` on; `count` is a multiple of PM_TRACK_GROUP and at most
     * PM_SPAN_JOINTS. */
    void (*local_poses)(const pm_crowd_data *crowd, const pm_instance_state *state, size_t first,
                        size_t count, pm_pose_span *to);
    /* The poses of all joints, as matrices relative to the parent. */
    void (*local_matrices)(const pm_crowd_data *crowd, const pm_instance_state *state,
                           const pm_matrix_rows *to);
    /* From there to matrices relative to the model. */
    void (*model_matrices)(const pm_crowd_data *crowd, const pm_matrix_rows *from,
                           float (*models)[PM_MODEL_FLOATS]);
    /* And from there to the records of an output of matrices. */
    void (*matrix_records)(const pm_crowd_data *crowd, float (*models)[PM_MODEL_FLOATS],
                           const pm_crowd_output_row *output, unsigned char *records);
} pm_pose_functions;

/* What pose_joints.c and matrices.c have for an instruction set. */
#define PM_DECLARE_POSES(set)                                                                      \
    void pm_local_poses_##set(const pm_crowd_data *, const pm_instance_state *, size_t, size_t,    \
                              pm_pose_span *);                                                     \
    void pm_local_matrices_##set(const pm_crowd_data *, const pm_instance_state *,                 \
                                 const pm_matrix_rows *);                                          \
    void pm_model_matrices_##set(const pm_crowd_data *, const pm_matrix_rows *,                    \
                                 float(*)[PM_MODEL_FLOATS]);                                       \
    void pm_matrix_records_##set(const pm_crowd_data *, float(*)[PM_MODEL_FLOATS],                 \
                                 const pm_crowd_output_row *, unsigned char *);
PM_INSTRUCTION_SETS(PM_DECLARE_POSES)

#endif
