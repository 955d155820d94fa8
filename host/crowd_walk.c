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

void PM_LANE_NAME(pm_crowd_walk_joints)(const pm_crowd *crowd, size_t first, size_t count,
                                        const pm_pose_block *local, bool binds,
                                        float slots[PM_SLOTS][12], float *to) {
    for (size_t k = 0; k < count; k++, to += 12) {
        const pm_joint *joint = &crowd->joints[first + k];
        const float *bind = joint->inverse_bind;
        float own[12];
        float *placed = joint->slot != PM_NO_SLOT ? own : to;
        columns m = load(local->rows[0][k], local->rows[1][k], local->rows[2][k]);
        if (joint->parent != PM_NO_SLOT)
            m = times(slots[joint->parent], m);
        store_rows(placed, m);
        if (joint->slot != PM_NO_SLOT)
            store_rows(slots[joint->slot], m);
        if (binds)
            m = times(placed, load(bind, bind + 4, bind + 8));
        store_rows(to, m);
    }
}
