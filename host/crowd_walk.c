/* SPDX-License-Identifier: MIT
 *
 * One instance on the host, down the hierarchy: joint by joint, the columns of a matrix in
 * lanes. Compiled once for each instruction set.
 */
#define PM_LANES 4

#include "../kernels/pm_memory.h"
#include "../kernels/pm_pose.h"
#include "crowd_set.h"

/* Rows of a matrix, a column a lane. */
typedef struct columns {
    real x, y, z;
} columns;

static columns load(const float *x, const float *y, const float *z) {
    return (columns){pm_load_reals(x), pm_load_reals(y), pm_load_reals(z)};
}

static void store(float *to, real row) {
    for (int i = 0; i < 4; i++)
        to[i] = row[i];
}

/* A row times a matrix: pm_row_product, its lanes at once. The last column gets the row's. */
static real row_times(const float *row, columns m) {
    real last = PM_REAL(-0.0f);
    pm_quat a = pm_quat_of(PM_REAL(row[0]), PM_REAL(row[1]), PM_REAL(row[2]), PM_REAL(0.0f));
    last[3] = row[3];
    return pm_row_at(a, m.x, m.y, m.z, last);
}

static columns times(const float *rows, columns m) {
    return (columns){row_times(rows, m), row_times(rows + 4, m), row_times(rows + 8, m)};
}

static void store_rows(float *to, columns m) {
    store(to, m.x);
    store(to + 4, m.y);
    store(to + 8, m.z);
}

/* Vectors that are not inlined are passed through memory. */
__attribute__((flatten)) void PM_LANE_NAME(pm_crowd_walk_joints)(const pm_crowd *crowd,
                                                                 float (*matrices)[12]) {
    const pm_skeleton *s = crowd->skeleton;
    for (size_t i = 0; i < s->joint_count; i++) {
        float *to = matrices[s->by_depth[i]];
        int32_t parent = s->parents[s->by_depth[i]];
        if (parent >= 0)
            store_rows(to, times(matrices[parent], load(to, to + 4, to + 8)));
    }
}

__attribute__((flatten)) void PM_LANE_NAME(pm_crowd_bind_joints)(const pm_crowd *crowd,
                                                                 float (*matrices)[12]) {
    for (size_t j = 0; j < crowd->skeleton->joint_count; j++) {
        const float *bind = crowd->joints[j].inverse_bind;
        store_rows(matrices[j], times(matrices[j], load(bind, bind + 4, bind + 8)));
    }
}
