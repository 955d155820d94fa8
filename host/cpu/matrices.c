/* SPDX-License-Identifier: MIT
 *
 * The hierarchy of one instance on the host, joint by joint. A vector has as many rows of a matrix
 * as fit into one of the instruction set. Compiled once for each instruction set.
 */
#include "float_lanes.h"

#include "pose_functions.h"

#include <math.h>
#include <string.h>

#include "kernels/pm_memory.h"
#include "kernels/pm_pose.h"

/* Pointers to the three rows of a matrix. */
typedef struct rows {
    const float *x, *y, *z;
} rows;

/* The rows of a matrix, as many in a vector as fit; those beyond the third are unused. */
enum { VECTORS = PM_LANES == 4 ? 3 : 16 / PM_LANES };

typedef struct matrix {
    real vectors[VECTORS];
} matrix;

/* Lane numbers for a shuffle that broadcasts number n of each row within the row, and for one that takes
 * the last number of each row from its second vector. */
#define PM_NUMBER_0(i) ((i) / 4 * 4)
#define PM_NUMBER_1(i) ((i) / 4 * 4 + 1)
#define PM_NUMBER_2(i) ((i) / 4 * 4 + 2)
#define PM_LAST_NUMBER(i) ((i) % 4 == 3 ? PM_LANES + (i) : (i))

/* The last number of each row, and -0 for the others: adding -0 changes no bits. With 16 lanes an
 * intrinsic, because compilers copy a vector first. */
static inline real last_numbers(real a) {
    const real nothing = PM_REAL(-0.0f);
#if PM_LANES == 16
    return (real)_mm512_mask_blend_ps(0x8888, (__m512)nothing, (__m512)a);
#else
    return PM_SHUFFLE(nothing, a, PM_LAST_NUMBER);
#endif
}

/* A row in place of each row of a vector. Intrinsics, because compilers copy through memory. */
static inline real spread(const float *row) {
#if PM_LANES == 16
    return (real)_mm512_broadcast_f32x4(_mm_loadu_ps(row));
#elif PM_LANES == 8
    return (real)_mm256_broadcast_ps((const __m128 *)(const void *)row);
#else
    return pm_load_reals(row);
#endif
}

/* Stores the first `count` numbers, which is known when this is compiled. */
static inline void put_numbers(void *to, real a, size_t count) {
#if PM_LANES == 16
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << count) - 1), (__m512)a);
#else
    memcpy(to, &a, count * sizeof(float));
#endif
}

/* pm_row_product of all rows in the lanes. The last column adds the row's own last number. */
static inline real rows_product(real a, real x, real y, real z) {
    pm_quat row = pm_quat_of(PM_SHUFFLE(a, a, PM_NUMBER_0), PM_SHUFFLE(a, a, PM_NUMBER_1),
                             PM_SHUFFLE(a, a, PM_NUMBER_2), a);
    return pm_row_at(row, x, y, z, last_numbers(a));
}

static inline matrix product(matrix a, const rows *b) {
    const real x = spread(b->x), y = spread(b->y), z = spread(b->z);
    for (size_t v = 0; v < VECTORS; v++)
        a.vectors[v] = rows_product(a.vectors[v], x, y, z);
    return a;
}

/* Vector by vector, here and below, because GCC copies whole structs through the stack. */
static inline matrix load_matrix(const float *from) {
    matrix m;
    for (size_t v = 0; v < VECTORS; v++)
        m.vectors[v] = pm_load_reals(from + v * PM_LANES);
    return m;
}

static inline matrix load_rows(const rows *from) {
    float m[16] = {0};
    memcpy(m, from->x, 4 * sizeof(float));
    memcpy(m + 4, from->y, 4 * sizeof(float));
    memcpy(m + 8, from->z, 4 * sizeof(float));
    return load_matrix(m);
}

/* The numbers of vector v that belong to the three rows. */
static inline size_t numbers_of(size_t v) {
    const size_t rest = 12 - v * PM_LANES;
    return rest < PM_LANES ? rest : PM_LANES;
}

static inline void put_model(float *to, matrix m) {
    for (size_t v = 0; v < VECTORS; v++)
        pm_set_reals(to + v * PM_LANES, m.vectors[v]);
}

static inline void put_record(unsigned char *to, matrix m) {
    for (size_t v = 0; v < VECTORS; v++)
        put_numbers(to + v * sizeof(real), m.vectors[v], numbers_of(v));
}

/* As float16 */
static inline void put_halves(unsigned char *to, matrix m) {
    uint16_t halves[VECTORS * PM_LANES];
    for (size_t v = 0; v < VECTORS; v++) {
        const pm_mask bits = pm_half_bits(m.vectors[v]);
        for (size_t i = 0; i < PM_LANES; i++)
            halves[v * PM_LANES + i] = (uint16_t)bits[i];
    }
    memcpy(to, halves, 12 * sizeof *halves);
}

/* Bytes of a record of twelve numbers. */
enum { RECORD = 12 * sizeof(float), HALF_RECORD = 12 * sizeof(uint16_t) };

/* What the matrices of an instance are computed from and written to. Passed by value, so that
 * compilers keep the pointers in registers while floats are stored. */
typedef struct posing {
    const pm_joint_step *by_depth;
    const float *x, *y, *z; /* rows relative to the parent: (joints, 4) each */
    const float *binds;     /* (joints, 12) */
    float *models;          /* (joints, PM_MODEL_FLOATS), relative to the model */
    unsigned char *records;
} posing;

static inline rows local_rows(posing p, size_t joint) {
    return (rows){p.x + 4 * joint, p.y + 4 * joint, p.z + 4 * joint};
}

static inline void place(posing p, pm_joint_step step) {
    const rows local = local_rows(p, step.joint);
    const size_t parent = (uint32_t)step.parent; /* not negative */
    const matrix m = product(load_matrix(p.models + parent * PM_MODEL_FLOATS), &local);
    put_model(p.models + (size_t)step.joint * PM_MODEL_FLOATS, m);
}

/* Returns the number of roots. */
static inline size_t place_roots(posing p, size_t count) {
    size_t i = 0;
    for (; i < count && p.by_depth[i].parent < 0; i++) {
        const rows local = local_rows(p, p.by_depth[i].joint);
        put_model(p.models + (size_t)p.by_depth[i].joint * PM_MODEL_FLOATS, load_rows(&local));
    }
    return i;
}

/* `bound` and `halves` are compile-time constants, here and in place_and_put, so that each combination
 * gets its own loops. */
static inline void put(posing p, size_t joint, size_t record, bool bound, bool halves) {
    const float *bind = p.binds + 12 * joint;
    const rows at = {bind, bind + 4, bind + 8};
    const matrix model = load_matrix(p.models + joint * PM_MODEL_FLOATS);
    const matrix m = bound ? product(model, &at) : model;
    if (halves)
        put_halves(p.records + record * HALF_RECORD, m);
    else
        put_record(p.records + record * RECORD, m);
}

/* A joint waits until its parent is placed. Where few joints have the same depth, the records of joints
 * that were placed BEHIND joints before fill the wait. Larger skeletons hardly wait, and their records
 * are written faster in the order of memory, as are all records with narrower vectors. */
enum { WAITING_JOINTS = PM_LANES == 16 ? 64 : 0, BEHIND = 8 };

static inline void put_own(posing p, size_t joint, bool bound, bool halves) {
    put(p, joint, joint, bound, halves);
}

static inline void place_and_put_all(posing p, size_t count, bool bound, bool halves) {
    size_t placed = place_roots(p, count), done = 0;
    while (placed < count && (count > WAITING_JOINTS || placed < BEHIND))
        place(p, p.by_depth[placed++]);
    while (placed < count) {
        place(p, p.by_depth[placed++]);
        put_own(p, p.by_depth[done++].joint, bound, halves);
    }
    if (count > WAITING_JOINTS)
        while (done < count)
            put_own(p, done++, bound, halves);
    while (done < count)
        put_own(p, p.by_depth[done++].joint, bound, halves);
}

static inline void place_all(posing p, size_t count) {
    for (size_t placed = place_roots(p, count); placed < count; placed++)
        place(p, p.by_depth[placed]);
}

/* `set` is 0 for all joints, whose records are in skeleton order. */
static inline void place_and_put(posing p, const pm_joint_set *set, bool is_subset, bool bound,
                                 bool halves) {
    if (!is_subset) {
        place_and_put_all(p, set->count, bound, halves);
        return;
    }
    place_all(p, set->count);
    for (size_t n = 0; n < set->count; n++)
        if (set->joints[n].record != PM_NO_RECORD)
            put(p, set->joints[n].joint, set->joints[n].record, bound, halves);
}

/* As pm_row_extent. */
static float extent_of(const float row[4], float radius) {
    const float length2 = pm_fused(row[0], row[0], pm_fused(row[1], row[1], row[2] * row[2]));
    const float most = length2 > 0x1p100f ? 0x1p100f : length2;
    return radius == 0.0f ? 0.0f : radius * sqrtf(length2 < 0x1p-100f ? 0x1p-100f : most);
}

/* The box of PM_CROWD_BOUNDS, by the formulas of pm_joint_record.h. */
static void put_bounds(posing p, const pm_joint_set *set, const pm_joint *joints) {
    float box[8] = {INFINITY, INFINITY, INFINITY, 0, -INFINITY, -INFINITY, -INFINITY, 0};
    for (size_t n = 0; n < set->count; n++) {
        const size_t joint = set->joints[n].joint;
        const float *model = p.models + joint * PM_MODEL_FLOATS;
        for (size_t i = 0; i < 3 && set->joints[n].record != PM_NO_RECORD; i++) {
            const float r = extent_of(model + 4 * i, joints[joint].radius);
            const float low = (model[4 * i + 3] - r) + 0.0f, high = (model[4 * i + 3] + r) + 0.0f;
            box[i] = low < box[i] ? low : box[i];
            box[4 + i] = high > box[4 + i] ? high : box[4 + i];
        }
    }
    memcpy(p.records, box, sizeof box);
}

PM_FLAT void PM_SET_NAME(pm_matrix_records)(const pm_crowd_data *crowd, const pm_matrix_rows *from,
                                            float (*models)[PM_MODEL_FLOATS], pm_view view,
                                            unsigned char *records) {
    const pm_crowd_output_row *output = &pm_crowd_outputs[view.output];
    const pm_joint_set *set = &crowd->skeleton->sets[view.set];
    const posing p = {set->by_depth, *from->x, *from->y, *from->z, crowd->binds, *models, records};
    const bool is_subset = view.set > 0;
    if (output->whole) {
        place_all(p, set->count);
        put_bounds(p, set, crowd->joints);
    } else if (output->bound && output->bits == 32) {
        place_and_put(p, set, is_subset, true, false);
    } else if (output->bound) {
        place_and_put(p, set, is_subset, true, true);
    } else if (output->bits == 32) {
        place_and_put(p, set, is_subset, false, false);
    } else {
        place_and_put(p, set, is_subset, false, true);
    }
}
