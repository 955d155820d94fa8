/* SPDX-License-Identifier: MIT
 *
 * Rotation vectors at another rate. Rows of the result do not depend on each other, so threads take
 * blocks of them. A thread holds two frames of the source as quaternions, in one array per component,
 * so that compilers vectorise the loops over columns, and only the source and the result go through
 * memory.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/clones.h"
#include <posemill/posemill.h>

#include "host/base/parallel.h"
#include "kernels/pm_methods.h"
#include "motion/npz/npz_axis_angle.h"
#include "motion/npz/npz_numbers.h"
#include "native.h"

#define TWO_PI 6.283185307179586476925

/* One thread computes the first SERIAL results before another has started. */
enum { SERIAL = 1 << 14, BLOCK = 1 << 12 };

/* The quaternions of all columns of a row. */
typedef struct planes {
    float *x, *y, *z, *w;
} planes;

/* A frame of the source. */
typedef struct frame {
    size_t index; /* SIZE_MAX: none */
    double *vectors;
    planes keys;
} frame;

/* The memory of one thread. */
typedef struct workspace {
    double *memory;
    frame frames[2]; /* those of an even and of an odd index */
    planes samples;
    double *row;
} workspace;

typedef struct resampling {
    const native_rotvecs *r;
    size_t block; /* rows */
    atomic_size_t done;
    atomic_bool is_not_finite;
} resampling;

/* ---- from rotation vectors ------------------------------------------------------------------- */

/* Returns whether a vector is longer than a full turn or is not a number; its key is undefined. */
PM_CLONES static bool from_short_vectors(const double *restrict vectors, planes to,
                                         size_t columns) {
    float *restrict x = to.x, *restrict y = to.y, *restrict z = to.z, *restrict w = to.w;
    int64_t has_long = 0;
    for (size_t i = 0; i < columns; i++) {
        const double *v = vectors + 3 * i;
        const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const npz_half_turn half = npz_half_turn_of_square(square);
        x[i] = (float)(v[0] * half.scale);
        y[i] = (float)(v[1] * half.scale);
        z[i] = (float)(v[2] * half.scale);
        w[i] = (float)half.w;
        has_long |= !(square <= TWO_PI * TWO_PI);
    }
    return has_long != 0;
}

static void from_long_vectors(const double *vectors, planes to, size_t columns) {
    for (size_t i = 0; i < columns; i++) {
        double q[4];
        npz_from_axis_angle(vectors + 3 * i, q, 1);
        to.x[i] = (float)q[0];
        to.y[i] = (float)q[1];
        to.z[i] = (float)q[2];
        to.w[i] = (float)q[3];
    }
}

static const char *source_row(const native_rotvecs *r, size_t index) {
    return (const char *)r->source + index * 3 * r->columns * r->source_size;
}

static bool is_finite_row(const native_rotvecs *r, size_t index) {
    return npz_find_not_finite(source_row(r, index), r->source_size, 3 * r->columns) ==
           3 * r->columns;
}

/* Returns false if a number is not finite. Curves have refused such numbers before they give samples. */
static bool load_frame(const native_rotvecs *r, size_t index, frame *to) {
    if (to->index == index)
        return true;
    npz_load_numbers(to->vectors, source_row(r, index), r->source_size, 3 * r->columns);
    to->index = index;
    if (r->samples || !from_short_vectors(to->vectors, to->keys, r->columns))
        return true;
    from_long_vectors(to->vectors, to->keys, r->columns);
    return is_finite_row(r, index);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Methods of two keys. The sign of a key is that which is nearer to the other, as in a clip. */
#define SAMPLE_ROW(name)                                                                           \
    PM_CLONES static void sample_##name(planes a, planes b, float u, planes to, size_t columns) {  \
        float *restrict x = to.x, *restrict y = to.y, *restrict z = to.z, *restrict w = to.w;      \
        float basis[pm_##name##_basis_size];                                                       \
        pm_##name##_basis(u, basis);                                                               \
        for (size_t i = 0; i < columns; i++) {                                                     \
            pm_segment_data data;                                                                  \
            data.key = pm_quat_of(a.x[i], a.y[i], a.z[i], a.w[i]);                                 \
            data.next = pm_quat_of(b.x[i], b.y[i], b.z[i], b.w[i]);                                \
            const float sign = pm_quat_dot(data.key, data.next) < 0.0f ? -1.0f : 1.0f;             \
            data.next = pm_quat_scaled(data.next, sign);                                           \
            const pm_##name##_segment segment = pm_##name##_begin(&data);                          \
            const pm_quat q = pm_##name##_at(&segment, basis);                                     \
            x[i] = q.x;                                                                            \
            y[i] = q.y;                                                                            \
            z[i] = q.z;                                                                            \
            w[i] = q.w;                                                                            \
        }                                                                                          \
    }
SAMPLE_ROW(slerp)
SAMPLE_ROW(nlerp)

typedef void (*sample_function)(planes, planes, float, planes, size_t);

static sample_function sample_of(int method) {
    switch (method) {
    case PM_METHOD_SLERP:
        return sample_slerp;
    case PM_METHOD_NLERP:
        return sample_nlerp;
    default:
        return NULL;
    }
}

bool native_samples_rotvecs(int method) {
    return sample_of(method) != NULL;
}

static void split_samples(const float *from, planes to, size_t columns) {
    for (size_t i = 0; i < columns; i++) {
        to.x[i] = from[4 * i];
        to.y[i] = from[4 * i + 1];
        to.z[i] = from[4 * i + 2];
        to.w[i] = from[4 * i + 3];
    }
}

/* ---- to rotation vectors --------------------------------------------------------------------- */

/* atan(t)/t from u = t^2, by its power series: t is at most tan(pi/8), where the first term left out
 * is below 1e-11. Samples are float32. Summed in pairs, which are independent of one another. */
static inline double atan_of_square(double u) {
    const double v = u * u, w = v * v;
    const double a = 1.0 - u * (1.0 / 3.0) + v * (1.0 / 5.0 - u * (1.0 / 7.0));
    const double b = 1.0 / 9.0 - u * (1.0 / 11.0) + v * (1.0 / 13.0 - u * (1.0 / 15.0));
    const double c = 1.0 / 17.0 - u * (1.0 / 19.0) + v * (1.0 / 21.0 - u * (1.0 / 23.0));
    return a + w * (b + w * (c + w * (1.0 / 25.0)));
}

/* The nearest integer, for numbers below 2^51: the sum has no bits for a fraction. */
static inline double nearest_integer(double x) {
    const double large = 6755399441055744.0; /* 1.5 * 2^52 */
    return (x + large) - large;
}

/* Of vector parts below this length, rounding decides about the axis. */
#define SHORT 1e-6

/* The rotation is by the angle 2 atan2(s, w), with s the length of the vector part. With w >= 0, a
 * quarter of that has a tangent t up to tan(pi/8), by the formula of the half angle twice; a negative w
 * stands for a full turn less. The length of a sample differs from 1 by rounding, so that its root is a
 * series; both quotients come from one. Returns whether a vector part is short; its result is
 * undefined. */
PM_CLONES static bool to_vectors(planes from, const double *restrict near, double *restrict to,
                                 size_t columns) {
    int64_t has_short = 0;
    for (size_t i = 0; i < columns; i++) {
        const double x = (double)from.x[i], y = (double)from.y[i];
        const double z = (double)from.z[i], w = (double)from.w[i];
        const double square = x * x + y * y + z * z, e = square + w * w - 1.0;
        const double norm = 1.0 + e * (0.5 - 0.125 * e);
        const double s = sqrt(square), sum = norm + fabs(w); /* s / sum: tan(angle / 4) */
        const double under = sum + sqrt(2.0 * norm * sum);   /* s / under = t */
        const double quotient = 1.0 / (s * under);
        const double t = square * quotient, inverse = under * quotient;
        const double positive = 8.0 * t * atan_of_square(t * t);
        const double is_negative = w < 0.0 ? 1.0 : 0.0; /* a branch would prevent vectors */
        const double angle = positive + is_negative * (TWO_PI - 2.0 * positive);
        const double dot = near[3 * i] * x + near[3 * i + 1] * y + near[3 * i + 2] * z;
        const double turns = nearest_integer((dot * inverse - angle) * (1.0 / TWO_PI));
        const double scale = (angle + turns * TWO_PI) * inverse;
        to[3 * i] = scale * x;
        to[3 * i + 1] = scale * y;
        to[3 * i + 2] = scale * z;
        has_short |= !(square >= SHORT * SHORT);
    }
    return has_short != 0;
}

static void to_vectors_of_short(planes from, const double *near, double *to, size_t columns) {
    for (size_t i = 0; i < columns; i++) {
        const double q[4] = {(double)from.x[i], (double)from.y[i], (double)from.z[i],
                             (double)from.w[i]};
        if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] >= SHORT * SHORT))
            npz_to_axis_angle(q, near + 3 * i, to + 3 * i);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Returns false if a number of the source is not finite. */
static bool compute_row(const native_rotvecs *r, size_t row, workspace *w) {
    const size_t index = (size_t)r->frames[row];
    frame *before = &w->frames[index % 2], *after = &w->frames[(index + 1) % 2];
    if (!load_frame(r, index, before))
        return false;
    if (r->samples) {
        split_samples(r->samples + 4 * row * r->columns, w->samples, r->columns);
    } else {
        if (!load_frame(r, index + 1, after))
            return false;
        sample_of(r->method)(before->keys, after->keys, r->fractions[row], w->samples, r->columns);
    }
    if (to_vectors(w->samples, before->vectors, w->row, r->columns))
        to_vectors_of_short(w->samples, before->vectors, w->row, r->columns);
    return true;
}

/* Checks the frames between two rows, which may be many. */
static bool are_finite(const native_rotvecs *r, size_t from, size_t to) {
    bool good = true;
    for (size_t i = from; i < to && good; i++)
        good = is_finite_row(r, i);
    return good;
}

static bool resample_row(const native_rotvecs *r, size_t row, workspace *w) {
    const size_t count = 3 * r->columns, index = (size_t)r->frames[row];
    char *to = (char *)r->vectors + row * count * r->result_size;
    const size_t next = row + 1 < r->rows ? (size_t)r->frames[row + 1] : r->frame_count;
    if (!are_finite(r, index + 1, next))
        return false;
    if (r->fractions[row] > 0.0f || !r->keeps_frames) {
        if (!compute_row(r, row, w))
            return false;
        npz_store_numbers(to, w->row, r->result_size, count);
        return true;
    }
    if (!is_finite_row(r, index))
        return false;
    if (r->source_size == r->result_size) {
        memcpy(to, source_row(r, index), count * r->result_size);
        return true;
    }
    npz_load_numbers(w->row, source_row(r, index), r->source_size, count);
    npz_store_numbers(to, w->row, r->result_size, count);
    return true;
}

static planes planes_at(float *from, size_t columns) {
    return (planes){from, from + columns, from + 2 * columns, from + 3 * columns};
}

/* Vectors of both frames and of a row, then the quaternions of these three. */
static bool open_workspace(workspace *w, size_t columns) {
    const size_t vectors = 3 * columns, quaternions = 4 * columns;
    w->memory = malloc(3 * (vectors * sizeof(double) + quaternions * sizeof(float)));
    if (!w->memory)
        return false;
    float *keys = (float *)(w->memory + 3 * vectors);
    for (size_t i = 0; i < 2; i++)
        w->frames[i] =
            (frame){SIZE_MAX, w->memory + i * vectors, planes_at(keys + i * quaternions, columns)};
    w->row = w->memory + 2 * vectors;
    w->samples = planes_at(keys + 2 * quaternions, columns);
    return true;
}

/* A thread that gets no memory takes no blocks. */
static void resample_blocks(void *context, pm_items *items) {
    resampling *s = context;
    workspace w;
    size_t item;
    if (!open_workspace(&w, s->r->columns))
        return;
    while (!atomic_load(&s->is_not_finite) && pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(s->r->rows, s->block, item);
        bool good = true;
        for (size_t i = 0; i < piece.count && good; i++)
            good = resample_row(s->r, piece.from + i, &w);
        if (!good)
            atomic_store(&s->is_not_finite, true);
        atomic_fetch_add(&s->done, 1);
    }
    free(w.memory);
}

pm_status native_resample_rotvecs(const native_rotvecs *r, bool *is_finite) {
    resampling s = {.r = r, .block = BLOCK / r->columns + 1};
    const size_t blocks = pm_piece_count(r->rows, s.block);
    const size_t threads = r->rows <= SERIAL / r->columns ? 1 : pm_processors();
    pm_run_parallel(NULL, threads, blocks, resample_blocks, &s);
    *is_finite = !s.is_not_finite;
    return s.is_not_finite || s.done == blocks ? PM_OK : PM_ERROR_MEMORY;
}
