/* SPDX-License-Identifier: MIT
 *
 * Records of instances in lanes on the host: whole vectors of an instance's words, from rows that have a word of
 * each lane. Compiled once for each instruction set.
 */
#include "lanes.h"

/* Of PM_LANES rows, which have a number of each lane, the numbers of each lane. */
static inline void transpose(const real *rows, real lanes[PM_LANES]) {
    real of[PM_NEIGHBOURS][4]; /* part p of of[n][k]: numbers 4 n to 4 n + 3 of lane 4 p + k */
    for (size_t n = 0; n < PM_NEIGHBOURS; n++) {
        const pm_quat_block block = pm_transposed(
            pm_rows_of(rows[4 * n], rows[4 * n + 1], rows[4 * n + 2], rows[4 * n + 3]));
        of[n][0] = block.r0;
        of[n][1] = block.r1;
        of[n][2] = block.r2;
        of[n][3] = block.r3;
    }
    for (size_t k = 0; k < 4; k++) {
#if PM_LANES == 16
        const pm_quat_block parts =
            pm_parts_transposed(pm_rows_of(of[0][k], of[1][k], of[2][k], of[3][k]));
        lanes[k] = parts.r0;
        lanes[4 + k] = parts.r1;
        lanes[8 + k] = parts.r2;
        lanes[12 + k] = parts.r3;
#elif PM_LANES == 8
        lanes[k] = PM_SHUFFLE(of[0][k], of[1][k], PM_LOWER);
        lanes[4 + k] = PM_SHUFFLE(of[0][k], of[1][k], PM_UPPER);
#else
        lanes[k] = of[0][k];
#endif
    }
}

/* Fewer words than lanes. */
static void store_few(const real *rows, size_t words, unsigned char *const to[PM_LANES],
                      size_t count) {
    float of[PM_LANES][PM_LANES];
    memcpy(of, rows, words * sizeof *of);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < words; n++)
            memcpy(to[i] + n * sizeof(float), &of[n][i], sizeof(float));
}

/* Whole lines at a time. The last vector overlaps the one before it. */
PM_FLAT static void store_rows(const real *rows, size_t words, unsigned char *const to[PM_LANES],
                               size_t count) {
    for (size_t n = 0; n < words; n += PM_LANES) {
        const size_t at = n + PM_LANES <= words ? n : words - PM_LANES;
        real lanes[PM_LANES];
        transpose(rows + at, lanes);
        for (size_t i = 0; i < count; i++)
            memcpy(to[i] + at * sizeof(float), &lanes[i], sizeof *lanes);
    }
}

void PM_SET_NAME(pm_lanes_store)(const pm_lane_batch *batch, size_t first,
                                 const pm_pose_target *target, const real *rows) {
    const size_t words = target->bytes / sizeof(float);
    const size_t left = batch->count - first, count = left < PM_LANES ? left : PM_LANES;
    unsigned char *to[PM_LANES];
    for (size_t i = 0; i < count; i++)
        to[i] = target->memory + batch->record[first + i] * target->stride;
    if (words < PM_LANES)
        store_few(rows, words, to, count);
    else
        store_rows(rows, words, to, count);
}
