/* SPDX-License-Identifier: MIT
 *
 * What the files of the crowd oracle share: the skeleton in double, and an instance's poses
 * apart. Tests include crowd_oracle.h.
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
    matrix *binds[2]; /* of rigid walks, and of scaled ones */
    oracle **curves;  /* one a clip */
    int64_t *ticks;
    double *first; /* key of a clip, in seconds */
};

void *crowd_allocate(size_t count, size_t size);

/* A number of a row of a skeleton's array, as stored: float32, held in a double. */
double crowd_number(const pm_array *array, size_t row, size_t width, size_t column);

/* Inverse bind matrices as given, or those of the rest pose; the caller frees. */
matrix *crowd_binds(const crowd_oracle *o, bool scaled);

/* Joints to pose, parents before children: joint_count of them; the caller frees. */
size_t *crowd_walk(const pm_skeleton_desc *skeleton);

/* A joint of a clip, at a tick of the clip; at rest where there is no such clip. */
joint_pose crowd_sample(const crowd_oracle *o, size_t clip, size_t joint, int64_t since);

/* The share of B that a joint of the instance gets; 0 where B does not count. */
double crowd_weight(const crowd_oracle *o, const pm_crowd_instance *instance, size_t joint);

/* A time that goes round in [0, period), and in *rounds how often it went; period not 0. */
int64_t crowd_wrap(int64_t period, int64_t time, int64_t *rounds);
int64_t crowd_clamp(int64_t period, int64_t time);

quat crowd_mix(quat a, quat b, double weight);
vec3 crowd_mix_vectors(vec3 a, vec3 b, double weight);

#endif
