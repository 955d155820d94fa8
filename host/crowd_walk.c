/* SPDX-License-Identifier: MIT
 *
 * One instance on the host, down the hierarchy: matrix by matrix, all numbers of one in lanes.
 * Compiled once for each instruction set.
 */
#define PM_LANES 16

#include <string.h>

#include "../kernels/pm_memory.h"
#include "../kernels/pm_pose.h"
#include "crowd_set.h"

/* Lanes hold rows one after another. Number n of each lane's row, and row n in place of each. */
#define PM_NUMBER(i, n) ((i) / 4 * 4 + (n))
#define PM_NUMBER_0(i) PM_NUMBER(i, 0)
#define PM_NUMBER_1(i) PM_NUMBER(i, 1)
#define PM_NUMBER_2(i) PM_NUMBER(i, 2)
#define PM_ROW_0(i) ((i) % 4)
#define PM_ROW_1(i) ((i) % 4 + 4)
#define PM_ROW_2(i) ((i) % 4 + 8)

/* pm_row_product of all rows at once: first b, then a. The last column gets a's own last. */
static inline real product(real a, real b) {
    static const pm_mask last = {0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1};
    pm_quat row = pm_quat_of(PM_SHUFFLE(a, a, PM_NUMBER_0), PM_SHUFFLE(a, a, PM_NUMBER_1),
                             PM_SHUFFLE(a, a, PM_NUMBER_2), a);
    return pm_row_at(row, PM_SHUFFLE(b, b, PM_ROW_0), PM_SHUFFLE(b, b, PM_ROW_1),
                     PM_SHUFFLE(b, b, PM_ROW_2), pm_select(last, a, PM_REAL(-0.0f)));
}

void PM_LANE_NAME(pm_crowd_walk_joints)(const pm_crowd *crowd, float (*matrices)[16]) {
    const pm_skeleton *s = crowd->skeleton;
    for (size_t i = 0; i < s->joint_count; i++) {
        float *to = matrices[s->by_depth[i]];
        int32_t parent = s->parents[s->by_depth[i]];
        if (parent < 0)
            continue;
        real m = product(pm_load_reals(matrices[parent]), pm_load_reals(to));
        memcpy(to, &m, sizeof m);
    }
}

void PM_LANE_NAME(pm_crowd_bind_joints)(const pm_crowd *crowd, float (*matrices)[16],
                                        unsigned char *to, size_t stride) {
    for (size_t j = 0; j < crowd->skeleton->joint_count; j++, to += stride) {
        const float *bind = crowd->joints[j].inverse_bind; /* and 4 numbers behind it */
        real m = product(pm_load_reals(matrices[j]), pm_load_reals(bind));
        memcpy(to, &m, 12 * sizeof(float));
    }
}
