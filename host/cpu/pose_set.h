/* SPDX-License-Identifier: MIT
 *
 * The part of posing on the host that is compiled once for each instruction set.
 */
#ifndef PM_HOST_CROWD_SET_H
#define PM_HOST_CROWD_SET_H

#include "instance_state.h"

/* The name that something has in this instruction set's copy: PM_INSTRUCTION_SET is defined by the
 * build. */
#ifndef PM_SET_NAME
#define PM_SET_JOIN_(name, set) name##_##set
#define PM_SET_JOIN(name, set) PM_SET_JOIN_(name, set)
#define PM_SET_NAME(name) PM_SET_JOIN(name, PM_INSTRUCTION_SET)
#endif

/* Local poses of joints from `first` on; `count` is a multiple of PM_TRACK_GROUP and at most
 * PM_SPAN_JOINTS. */
void PM_SET_NAME(pm_local_poses)(const pm_crowd *crowd, const pm_instance_state *state,
                                 size_t first, size_t count, pm_pose_span *to);
/* Of all joints, as matrices relative to the parent. */
void PM_SET_NAME(pm_local_matrices)(const pm_crowd *crowd, const pm_instance_state *state,
                                    const pm_matrix_rows *to);
/* From there to matrices relative to the model. */
void PM_SET_NAME(pm_model_matrices)(const pm_crowd *crowd, const pm_matrix_rows *from,
                                    float (*models)[PM_MODEL_FLOATS]);
/* And from there to the records of an output of matrices. */
void PM_SET_NAME(pm_bound_records)(const pm_crowd *crowd, float (*models)[PM_MODEL_FLOATS],
                                   pm_crowd_output output, unsigned char *records);

#endif
