/* SPDX-License-Identifier: MIT
 *
 * Declarations shared by the files of the crowd oracle: the skeleton in double, and the parts of an
 * instance's pose. Tests include crowd_oracle.h.
 */
#ifndef POSEMILL_TESTS_CROWD_ORACLE_PRIVATE_H
#define POSEMILL_TESTS_CROWD_ORACLE_PRIVATE_H

#include "crowd_oracle.h"
#include "oracle.h"

struct crowd_oracle {
    const pm_skeleton_desc *skeleton;
    const pm_clip_desc *clips;
    size_t clip_count, joint_count, root;
    joint_pose *rest;
    matrix *binds[2]; /* without and with scales */
    oracle **curves;  /* one per clip */
    int64_t *ticks;
    double *first; /* time of each clip's first key, in seconds */
};

void *crowd_allocate(size_t count, size_t size);

/* One number of a row of a skeleton's array as the library stores it: a float32 value in a
 * double. */
double crowd_number(const pm_array *array, size_t row, size_t width, size_t column);

/* The given inverse bind matrices, or those of the rest pose. The caller frees the array. */
matrix *crowd_binds(const crowd_oracle *o, bool scaled);

/* joint_count joints in an order with parents before children. The caller frees the array. */
size_t *crowd_walk(const pm_skeleton_desc *skeleton);

/* The pose of a joint in a clip, at a time in ticks since the clip's start; the rest pose where the
 * clip does not exist. */
joint_pose crowd_sample(const crowd_oracle *o, size_t clip, size_t joint, int64_t since);

/* The weight of clip B at a joint of the instance; 0 where B does not exist. */
double crowd_weight(const crowd_oracle *o, const pm_crowd_instance *instance, size_t joint);

/* Wraps a time to [0, period) and writes the number of periods to *rounds. period is not 0. */
int64_t crowd_wrap(int64_t period, int64_t time, int64_t *rounds);
int64_t crowd_clamp(int64_t period, int64_t time);

quat crowd_mix(quat a, quat b, double weight);
vec3 crowd_mix_vectors(vec3 a, vec3 b, double weight);

#endif
