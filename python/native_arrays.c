/* SPDX-License-Identifier: MIT
 *
 * Conversions of whole arrays for the Python package. Rows are independent, so blocks of them are
 * distributed over threads.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <posemill/posemill.h>
#include <posemill/posemill_crowd.h>

#include "host/base/clones.h"
#include "host/base/parallel.h"
#include "motion/npz/npz_axis_angle.h"
#include "motion/npz/npz_numbers.h"
#include "native.h"

#define PI 3.14159265358979323846
#define TWO_PI 6.283185307179586476925

/* Rows that one thread takes at a time. One thread converts the rows of a few blocks before another
 * has started. */
enum { BLOCK = 4096, SERIAL = 4 * BLOCK };

typedef struct conversion conversion;

struct conversion {
    void (*block)(conversion *c, size_t from, size_t count);
    const void *from;
    void *to;
    size_t count;
    int order;
    atomic_size_t refused; /* the smallest index of a row that has no result */
};

static void convert_blocks(void *context, pm_items *items) {
    conversion *c = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(c->count, BLOCK, item);
        c->block(c, piece.from, piece.count);
    }
}

static void convert(conversion *c) {
    if (c->count <= SERIAL)
        c->block(c, 0, c->count);
    else
        pm_run_parallel(NULL, pm_processors(), pm_piece_count(c->count, BLOCK), convert_blocks, c);
}

/* ---- ticks ------------------------------------------------------------------------------- */

static void tick_block(conversion *c, size_t from, size_t count) {
    const double *seconds = (const double *)c->from + from;
    int64_t *ticks = (int64_t *)c->to + from;
    for (size_t i = 0; i < count; i++)
        ticks[i] = pm_crowd_ticks(seconds[i]);
}

void array_ticks(const double *seconds, int64_t *ticks, size_t count) {
    conversion c = {.block = tick_block, .from = seconds, .to = ticks, .count = count};
    convert(&c);
}

void array_motions(const pm_library *library, const uint32_t *ids, double *seconds, double *weights,
                   size_t count) {
    for (size_t i = 0; i < count; i++) {
        pm_library_motion_info info = {0};
        pm_library_get_motion(library, ids[i], &info);
        seconds[i] = info.seconds;
        weights[i] = info.motion.weight;
    }
}

pm_status array_synced_times(const pm_crowd *crowd, size_t clip, size_t other, const int64_t *times,
                             int64_t *synced, size_t count, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = pm_crowd_synced_time(crowd, clip, times[i], other, &synced[i], error);
    return status;
}

/* ---- quaternions ------------------------------------------------------------------------- */

/* Quaternions that are normalised together: compilers vectorise the loops over them. */
enum { GROUP = 64 };

/* 1/sqrt(1 + e) by its power series: where |e| is at most SHORT, the first term left out is below 1e-20.
 * The library's quaternions are that near to length 1. */
#define SHORT 1e-5

static double inverse_root(double square) {
    const double e = square - 1.0;
    return 1.0 - e * (0.5 - e * (0.375 - e * 0.3125));
}

/* At most GROUP rows. */
PM_CLONES static void normalize_group(const float *from, double *to, size_t count) {
    double scale[GROUP], low = 1.0, high = 1.0;
    for (size_t i = 0; i < count; i++) {
        const double x = (double)from[4 * i], y = (double)from[4 * i + 1];
        const double z = (double)from[4 * i + 2], w = (double)from[4 * i + 3];
        scale[i] = x * x + y * y + z * z + w * w;
    }
    for (size_t i = 0; i < count; i++) {
        low = scale[i] < low ? scale[i] : low;
        high = scale[i] > high ? scale[i] : high;
    }
    if (low >= 1.0 - SHORT && high <= 1.0 + SHORT)
        for (size_t i = 0; i < count; i++)
            scale[i] = inverse_root(scale[i]);
    else
        for (size_t i = 0; i < count; i++)
            scale[i] = scale[i] > 0.0 ? 1.0 / sqrt(scale[i]) : 0.0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 4; k++)
            to[4 * i + k] = scale[i] * (double)from[4 * i + k];
}

static void normalize_block(conversion *c, size_t from, size_t count) {
    const float *rows = (const float *)c->from + 4 * from;
    double *to = (double *)c->to + 4 * from;
    for (size_t i = 0; i < count; i += GROUP)
        normalize_group(rows + 4 * i, to + 4 * i, count - i < GROUP ? count - i : GROUP);
}

void array_normalized(const float *from, double *to, size_t count) {
    conversion c = {.block = normalize_block, .from = from, .to = to, .count = count};
    convert(&c);
}

/* ---- rotation vectors ---------------------------------------------------------------------- */

PM_CLONES static void from_short_rotvec(const double *vectors, double *quaternions, size_t count) {
    npz_from_short_axis_angle(vectors, quaternions, count);
}

static void from_rotvec_block(conversion *c, size_t from, size_t count) {
    const double *vectors = (const double *)c->from + 3 * from;
    double *quaternions = (double *)c->to + 4 * from;
    from_short_rotvec(vectors, quaternions, count);
    npz_from_long_axis_angle(vectors, quaternions, count);
}

void array_from_rotvec(const double *vectors, double *quaternions, size_t count) {
    conversion c = {.block = from_rotvec_block, .from = vectors, .to = quaternions, .count = count};
    convert(&c);
}

static void to_rotvec_block(conversion *c, size_t from, size_t count) {
    static const double zero[3] = {0.0, 0.0, 0.0};
    const double *q = (const double *)c->from + 4 * from;
    double *v = (double *)c->to + 3 * from;
    for (size_t i = 0; i < count; i++)
        npz_to_axis_angle(q + 4 * i, zero, v + 3 * i);
}

void array_to_rotvec(const double *quaternions, double *vectors, size_t count) {
    conversion c = {.block = to_rotvec_block, .from = quaternions, .to = vectors, .count = count};
    convert(&c);
}

/* ---- Euler angles ------------------------------------------------------------------------------ */

static void from_euler_block(conversion *c, size_t from, size_t count) {
    const double *angles = (const double *)c->from + 3 * from;
    double *q = (double *)c->to + 4 * from;
    for (size_t i = 0; i < count; i++)
        pm_quat_from_euler((pm_euler_order)c->order, angles + 3 * i, q + 4 * i);
}

void array_from_euler(int order, const double *angles, double *quaternions, size_t count) {
    conversion c = {.block = from_euler_block,
                    .from = angles,
                    .to = quaternions,
                    .count = count,
                    .order = order};
    convert(&c);
}

static double wrapped(double angle) {
    return angle - TWO_PI * rint(angle / TWO_PI);
}

/* Of the two sets of angles of a rotation, the one whose middle angle is in the common range. The
 * library returns the one nearest to zero. */
static void take_common_branch(bool proper, double angles[3]) {
    const double middle = angles[1];
    if (proper ? middle >= 0.0 : fabs(middle) <= 0.5 * PI)
        return;
    angles[0] = wrapped(angles[0] + PI);
    angles[1] = proper ? -middle : wrapped(PI - middle);
    angles[2] = wrapped(angles[2] + PI);
}

static void to_euler_block(conversion *c, size_t from, size_t count) {
    const double *q = (const double *)c->from + 4 * from;
    double *angles = (double *)c->to + 3 * from;
    for (size_t i = 0; i < count; i++) {
        pm_euler_from_quat((pm_euler_order)c->order, q + 4 * i, NULL, angles + 3 * i);
        take_common_branch(c->order >= PM_EULER_XYX, angles + 3 * i);
    }
}

void array_to_euler(int order, const double *quaternions, double *angles, size_t count) {
    conversion c = {
        .block = to_euler_block, .from = quaternions, .to = angles, .count = count, .order = order};
    convert(&c);
}

/* ---- matrices ------------------------------------------------------------------------------------ */

static void to_matrix_block(conversion *c, size_t from, size_t count) {
    const double *q = (const double *)c->from + 4 * from;
    double *m = (double *)c->to + 9 * from;
    for (size_t i = 0; i < count; i++)
        pm_matrix_from_quat(q + 4 * i, m + 9 * i);
}

void array_to_matrix(const double *quaternions, double *matrices, size_t count) {
    conversion c = {.block = to_matrix_block, .from = quaternions, .to = matrices, .count = count};
    convert(&c);
}

static void refuse(conversion *c, size_t index) {
    size_t smallest = atomic_load(&c->refused);
    while (index < smallest && !atomic_compare_exchange_weak(&c->refused, &smallest, index)) {
    }
}

static void from_matrix_block(conversion *c, size_t from, size_t count) {
    const double *m = (const double *)c->from + 9 * from;
    double *q = (double *)c->to + 4 * from;
    for (size_t i = 0; i < count; i++)
        if (!pm_quat_from_matrix(m + 9 * i, q + 4 * i))
            refuse(c, from + i);
}

size_t array_from_matrix(const double *matrices, double *quaternions, size_t count) {
    conversion c = {.block = from_matrix_block,
                    .from = matrices,
                    .to = quaternions,
                    .count = count,
                    .refused = count};
    convert(&c);
    return c.refused;
}
