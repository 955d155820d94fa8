/* SPDX-License-Identifier: MIT
 *
 * The crowd oracle: poses, matrices and root motion of an instance in double precision, written
 * from the text of the public header and from textbook formulas. Curves are those of oracle.h;
 * their sample positions are computed here from ticks. Joints are in the order of the description
 * throughout.
 */
#ifndef POSEMILL_TESTS_CROWD_ORACLE_H
#define POSEMILL_TESTS_CROWD_ORACLE_H

#include "oracle_quat.h"
#include "posemill/posemill_crowd.h"

typedef struct crowd_oracle crowd_oracle;

/* A joint relative to its parent. */
typedef struct joint_pose {
    quat rotation;
    vec3 position, scale;
} joint_pose;

typedef struct matrix {
    double at[3][4];
} matrix;

/* A rotation followed by a translation. */
typedef struct motion3 {
    quat rotation;
    vec3 position;
} motion3;

/* The sizes that errors of a matrix are relative to: an upper bound of its stretch, and the length
 * of the chain of offsets that leads to the joint, stretched likewise. */
typedef struct joint_size {
    double stretch, reach;
} joint_size;

/* The descriptions must be accepted by pm_skeleton_create and pm_crowd_create and must outlive the
 * oracle. `root` is the joint that instances in place keep at rest. Never returns NULL: out of
 * memory ends the test program. */
crowd_oracle *crowd_oracle_create(const pm_skeleton_desc *skeleton, const pm_clip_desc *clips,
                                  size_t clip_count, size_t root);
void crowd_oracle_destroy(crowd_oracle *o);

/* The time from a clip's first key to its last, or the period of a loop. */
int64_t crowd_oracle_ticks(const crowd_oracle *o, size_t clip);

/* Each of these functions fills joint_count elements. */
void crowd_oracle_pose(const crowd_oracle *o, const pm_crowd_instance *instance, joint_pose *poses);
void crowd_oracle_layered_pose(const crowd_oracle *o, const pm_crowd_instance *instance,
                               const pm_crowd_layer *layers, size_t layer_count, joint_pose *poses);

/* Without `scaled`, the matrices are rigid motions, as dual quaternions are. */
void crowd_oracle_models(const crowd_oracle *o, const joint_pose *poses, bool scaled,
                         matrix *models);
void crowd_oracle_palette(const crowd_oracle *o, const joint_pose *poses, bool scaled,
                          matrix *palette);
void crowd_oracle_model_sizes(const crowd_oracle *o, const joint_pose *poses, bool scaled,
                              joint_size *sizes);
void crowd_oracle_palette_sizes(const crowd_oracle *o, const joint_pose *poses, bool scaled,
                                joint_size *sizes);

motion3 crowd_oracle_root_motion(const crowd_oracle *o, const pm_crowd_instance *before,
                                 const pm_crowd_instance *after);

/* What remains of a number x in a transition, `t` seconds after its begin with the rate x'(0). */
double oracle_decay(double x, double rate, double duration, double t);

/* b is applied first, then a. */
motion3 motion3_product(motion3 a, motion3 b);
motion3 motion3_inverse(motion3 a);

#endif
