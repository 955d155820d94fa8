/* SPDX-License-Identifier: MIT
 *
 * The hierarchy of one instance on the host, joint by joint. A matrix is one vector of 16 lanes
 * where the instruction set has them, else a vector per row. Compiled once for each instruction
 * set.
 */
#if defined(__AVX512F__)
#define PM_LANES 16
#else
#define PM_LANES 4
#endif

#include "pose_functions.h"

#include <string.h>

#include "kernels/pm_memory.h"
#include "kernels/pm_pose.h"

/* ---- matrices ------------------------------------------------------------------------- */

/* Pointers to the three rows of a matrix. */
typedef struct rows {
    const float *x, *y, *z;
} rows;

/* Lane numbers for a shuffle that broadcasts number n of each row within the row. */
#define PM_NUMBER_0(i) ((i) / 4 * 4)
#define PM_NUMBER_1(i) ((i) / 4 * 4 + 1)
#define PM_NUMBER_2(i) ((i) / 4 * 4 + 2)

/* pm_row_product of all rows in the lanes. The last column adds the row's own last number. */
static inline real rows_product(real a, real x, real y, real z) {
    pm_mask last = {0, 0, 0, -1};
    for (int i = 4; i < PM_LANES; i++)
        last[i] = last[i % 4];
    pm_quat row = pm_quat_of(PM_SHUFFLE(a, a, PM_NUMBER_0), PM_SHUFFLE(a, a, PM_NUMBER_1),
                             PM_SHUFFLE(a, a, PM_NUMBER_2), a);
    return pm_row_at(row, x, y, z, pm_select(last, a, PM_REAL(-0.0f)));
}

/* Stores the first `count` numbers as float16. */
static inline void put_narrowed(unsigned char *to, real a, size_t count) {
    pm_mask bits = pm_half_bits(a);
    uint16_t halves[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++)
        halves[i] = (uint16_t)bits[i];
    memcpy(to, halves, count * sizeof *halves);
}

#if PM_LANES == 16

/* Three rows one after another; the fourth is unused. */
typedef real matrix;

static inline matrix load_matrix(const float *from) {
    return pm_load_reals(from);
}

static inline matrix load_rows(const rows *from) {
    float m[16] = {0};
    memcpy(m, from->x, 4 * sizeof(float));
    memcpy(m + 4, from->y, 4 * sizeof(float));
    memcpy(m + 8, from->z, 4 * sizeof(float));
    return pm_load_reals(m);
}

/* Broadcasts a row to all four rows. An intrinsic, because compilers copy through memory. */
static inline real spread(const float *row) {
    return (real)_mm512_broadcast_f32x4(_mm_loadu_ps(row));
}

static inline matrix product(matrix a, const rows *b) {
    return rows_product(a, spread(b->x), spread(b->y), spread(b->z));
}

static inline void put_record(unsigned char *to, matrix m) {
    _mm512_mask_storeu_ps(to, 0xfff, (__m512)m);
}

static inline void put_halves(unsigned char *to, matrix m) {
    put_narrowed(to, m, 12);
}

#else

typedef struct matrix {
    real row[3];
} matrix;

static inline matrix load_rows(const rows *from) {
    return (matrix){{pm_load_reals(from->x), pm_load_reals(from->y), pm_load_reals(from->z)}};
}

static inline matrix load_matrix(const float *from) {
    const rows at = {from, from + 4, from + 8};
    return load_rows(&at);
}

static inline matrix product(matrix a, const rows *at) {
    const matrix b = load_rows(at);
    for (int r = 0; r < 3; r++)
        a.row[r] = rows_product(a.row[r], b.row[0], b.row[1], b.row[2]);
    return a;
}

static inline void put_record(unsigned char *to, matrix m) {
    memcpy(to, &m, sizeof m);
}

static inline void put_halves(unsigned char *to, matrix m) {
    for (size_t r = 0; r < 3; r++)
        put_narrowed(to + 4 * r * sizeof(uint16_t), m.row[r], 4);
}

#endif

/* ---- joints ----------------------------------------------------------------------------- */

/* Bytes of a record of twelve numbers. */
enum { RECORD = 12 * sizeof(float), HALF_RECORD = 12 * sizeof(uint16_t) };

void PM_SET_NAME(pm_model_matrices)(const pm_crowd_data *crowd, const pm_matrix_rows *from,
                                    float (*models)[PM_MODEL_FLOATS]) {
    float(*const x)[4] = from->x, (*const y)[4] = from->y, (*const z)[4] = from->z;
    const size_t n = crowd->skeleton->joint_count;
    const pm_step *by_depth = crowd->skeleton->by_depth;
    for (size_t i = 0; i < n; i++) {
        const size_t j = by_depth[i].joint;
        const int32_t parent = by_depth[i].parent;
        const rows local = {x[j], y[j], z[j]};
        const matrix m =
            parent < 0 ? load_rows(&local) : product(load_matrix(models[parent]), &local);
        memcpy(models[j], &m, sizeof m);
    }
}

/* `bound` and `halves` are compile-time constants, so that each combination gets its own loop. */
static inline void put_records(const pm_crowd_data *crowd, float (*models)[PM_MODEL_FLOATS],
                               unsigned char *records, bool bound, bool halves) {
    const size_t n = crowd->skeleton->joint_count;
    const float *bind = crowd->binds;
    for (size_t j = 0; j < n; j++, bind += 12) {
        const rows at = {bind, bind + 4, bind + 8};
        const matrix model = load_matrix(models[j]);
        const matrix m = bound ? product(model, &at) : model;
        if (halves)
            put_halves(records + j * HALF_RECORD, m);
        else
            put_record(records + j * RECORD, m);
    }
}

void PM_SET_NAME(pm_matrix_records)(const pm_crowd_data *crowd, float (*models)[PM_MODEL_FLOATS],
                                    const pm_crowd_output_row *output, unsigned char *records) {
    if (output->bound && output->bits == 32)
        put_records(crowd, models, records, true, false);
    else if (output->bound)
        put_records(crowd, models, records, true, true);
    else if (output->bits == 32)
        put_records(crowd, models, records, false, false);
    else
        put_records(crowd, models, records, false, true);
}
