/* SPDX-License-Identifier: MIT
 *
 * Numbers of arrays: loaded and stored through memcpy, because members of an archive lie at any
 * address.
 */
#include "motion/npz/npz_numbers.h"

#include "host/base/elementary.h"
#include "motion/npz/npz_axis_angle.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

bool npz_is_float(const char *type) {
    return strcmp(type, "<f4") == 0 || strcmp(type, "<f8") == 0;
}

bool npz_is_integer(const char *type, size_t *size, bool *is_signed) {
    *size = npy_element_size(type);
    *is_signed = type[1] == 'i';
    return (type[0] == '<' || type[0] == '|') && (type[1] == 'i' || type[1] == 'u') &&
           (*size == 1 || *size == 2 || *size == 4 || *size == 8);
}

double npz_load_integer(const char *at, size_t size, bool is_signed) {
    uint64_t value = 0;
    if (size < 1 || size > sizeof value)
        return 0.0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | (unsigned char)at[i];
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return is_signed && (value & sign) ? -(double)((~value & (sign - 1)) + 1) : (double)value;
}

void npz_load_numbers(double *out, const char *at, size_t element, size_t count) {
    if (element == sizeof(double)) {
        memcpy(out, at, count * sizeof *out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, at + i * sizeof value, sizeof value);
        out[i] = (double)value;
    }
}

void npz_store_numbers(char *out, const double *values, size_t element, size_t count) {
    if (element == sizeof(double)) {
        memcpy(out, values, count * sizeof *values);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const float value = (float)values[i];
        memcpy(out + i * sizeof value, &value, sizeof value);
    }
}

/* An exponent of all ones. Blocks are searched without a branch per number. */
static bool has_not_finite(const char *at, size_t element, size_t count) {
    bool found = false;
    for (size_t i = 0; i < count && element == sizeof(uint64_t); i++) {
        uint64_t bits;
        memcpy(&bits, at + i * sizeof bits, sizeof bits);
        found |= (bits & 0x7ff0000000000000u) == 0x7ff0000000000000u;
    }
    for (size_t i = 0; i < count && element == sizeof(uint32_t); i++) {
        uint32_t bits;
        memcpy(&bits, at + i * sizeof bits, sizeof bits);
        found |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    return found;
}

size_t npz_find_not_finite(const char *at, size_t element, size_t count) {
    enum { BLOCK = 1024 };
    for (size_t i = 0; i < count; i += BLOCK) {
        const size_t size = count - i < BLOCK ? count - i : BLOCK;
        if (!has_not_finite(at + i * element, element, size))
            continue;
        for (size_t k = i; k < i + size; k++)
            if (has_not_finite(at + k * element, element, 1))
                return k;
    }
    return count;
}

/* Visits elements in C order; `place` is the same element's index in Fortran order. */
typedef struct walk {
    const npy_header *header;
    size_t index[NPY_MAX_RANK], step[NPY_MAX_RANK];
    size_t place;
} walk;

static void walk_begin(walk *w, const npy_header *header) {
    *w = (walk){.header = header};
    for (size_t i = 0, step = 1; i < header->rank; i++) {
        w->step[i] = step;
        step *= header->shape[i];
    }
}

static void walk_next(walk *w) {
    for (size_t i = w->header->rank; i-- > 0;) {
        w->place += w->step[i];
        if (++w->index[i] < w->header->shape[i])
            return;
        w->place -= w->step[i] * w->index[i];
        w->index[i] = 0;
    }
}

void npz_reorder(char *out, const char *in, const npy_header *header, size_t element,
                 bool to_fortran) {
    size_t count = 1;
    walk w;
    for (size_t i = 0; i < header->rank; i++)
        count *= header->shape[i];
    walk_begin(&w, header);
    for (size_t i = 0; i < count; i++, walk_next(&w))
        memcpy(out + (to_fortran ? w.place : i) * element,
               in + (to_fortran ? i : w.place) * element, element);
}

#define TWO_PI 6.283185307179586476925

/* Scales to avoid an overflow of the square, so that any finite vector gives a rotation. */
static void from_long_vector(const double v[3], double q[4]) {
    const double size = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    const double x = v[0] / size, y = v[1] / size, z = v[2] / size;
    const double length = sqrt(x * x + y * y + z * z), half = 0.5 * fmin(length * size, 1e300);
    const double s = pm_same_sin(half) / length;
    q[0] = x * s;
    q[1] = y * s;
    q[2] = z * s;
    q[3] = pm_same_cos(half);
}

void npz_from_long_axis_angle(const double *vectors, double *quaternions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double *v = vectors + 3 * i;
        if (!(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= TWO_PI * TWO_PI))
            from_long_vector(v, quaternions + 4 * i);
    }
}

void npz_from_axis_angle(const double *vectors, double *quaternions, size_t count) {
    npz_from_short_axis_angle(vectors, quaternions, count);
    npz_from_long_axis_angle(vectors, quaternions, count);
}

/* Vectors of one rotation differ by whole turns along its axis. */
void npz_to_axis_angle(const double quaternion[4], const double near[3], double vector[3]) {
    const double x = quaternion[0], y = quaternion[1], z = quaternion[2], w = quaternion[3];
    const double s = sqrt(x * x + y * y + z * z);
    const double long_near = sqrt(near[0] * near[0] + near[1] * near[1] + near[2] * near[2]);
    if (s < 1e-6 * fabs(w)) { /* the axis is rounding; full turns are along the axis of `near` */
        const double turns = floor(long_near / TWO_PI + 0.5) * TWO_PI;
        const double along = turns > 0.0 ? turns / long_near : 0.0;
        vector[0] = along * near[0] + 2.0 * x / w;
        vector[1] = along * near[1] + 2.0 * y / w;
        vector[2] = along * near[2] + 2.0 * z / w;
        return;
    }
    const double angle = 2.0 * pm_same_atan2(s, w);
    const double along = (near[0] * x + near[1] * y + near[2] * z) / s;
    const double scale = (angle + floor((along - angle) / TWO_PI + 0.5) * TWO_PI) / s;
    vector[0] = scale * x;
    vector[1] = scale * y;
    vector[2] = scale * z;
}
