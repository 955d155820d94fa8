/* SPDX-License-Identifier: MIT
 *
 * Stamps: read from records, and parsed from text.
 */
#include "points_request.h"

#include <string.h>

/* ---- text ------------------------------------------------------------------------------------------ */

enum { NS_DIGITS = 9 };
#define NS_OF_SECOND 1000000000

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* *value = 10 *value + digit; false where it does not fit. Below 0, so that the minimum fits. */
static bool append(int64_t *value, int digit) {
    return !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_sub_overflow(*value, digit, value);
}

bool pm_stamp_parse(const char *text, int64_t *stamp) {
    int64_t value = 0;
    int behind = 0;
    bool any = false, has_point = false, rounds_up = false;
    if (!text || !stamp)
        return false;
    const char *c = text + (*text == '-' || *text == '+');
    for (; is_digit(*c) || (*c == '.' && !has_point); c++) {
        has_point |= *c == '.';
        if (*c == '.')
            continue;
        any = true;
        if (behind < NS_DIGITS && !append(&value, *c - '0'))
            return false;
        rounds_up |= behind == NS_DIGITS && *c >= '5';
        behind += has_point;
    }
    for (; behind < NS_DIGITS; behind++)
        if (!append(&value, 0))
            return false;
    if (!any || *c || (rounds_up && __builtin_sub_overflow(value, 1, &value)))
        return false;
    if (*text != '-' && __builtin_sub_overflow(0, value, &value))
        return false;
    *stamp = value;
    return true;
}

/* ---- records --------------------------------------------------------------------------------------- */

static const size_t stamp_sizes[] = {[PM_STAMP_INT64] = 8,
                                     [PM_STAMP_UINT64] = 8,
                                     [PM_STAMP_UINT32] = 4,
                                     [PM_STAMP_FLOAT64] = 8,
                                     [PM_STAMP_FLOAT32] = 4};

size_t pm_stamp_bytes(pm_stamp_type type) {
    return stamp_sizes[type];
}

pm_status pm_stamps_check(const pm_stamps *stamps, bool elsewhere, const char *name,
                          pm_error *error) {
    if (!stamps->data && !elsewhere)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s.data is NULL", name);
    if ((unsigned)stamps->type > PM_STAMP_FLOAT32)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s.type is no pm_stamp_type", name);
    if (stamps->type >= PM_STAMP_FLOAT64 && stamps->unit)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s.unit is given, but its numbers are seconds",
                       name);
    return PM_OK;
}

/* 2^63, which int64 does not have. */
static const double beyond = 9223372036854775808.0;

/* The ns of seconds; false where they do not fit. */
static bool ns_of(double seconds, int64_t *ns) {
    const double all = rint(seconds * NS_OF_SECOND);
    const bool fits = all >= -beyond && all < beyond;
    *ns = fits ? (int64_t)all : 0;
    return fits;
}

const int64_t *pm_stamps_in_place(const pm_stamps *stamps, size_t from) {
    const bool is_plain = stamps->type == PM_STAMP_INT64 && stamps->unit <= 1 && !stamps->base &&
                          (stamps->stride == 0 || stamps->stride == (ptrdiff_t)sizeof(int64_t));
    const int64_t *first = stamps->data;
    return is_plain && (uintptr_t)first % _Alignof(int64_t) == 0 ? first + from : NULL;
}

/* A loop for each type, because copies of sizes that a compiler does not know are calls. */
#define READ_STAMPS(type, fits)                                                                    \
    for (size_t k = 0; k < count; k++, at += stride) {                                             \
        type v;                                                                                    \
        int64_t ns;                                                                                \
        memcpy(&v, at, sizeof v);                                                                  \
        to[k] = (fits) && !__builtin_add_overflow(ns, base, &ns) ? ns : PM_NO_STAMP;               \
    }

void pm_stamps_read(const pm_stamps *stamps, size_t from, size_t count, int64_t *restrict to) {
    const ptrdiff_t packed = (ptrdiff_t)stamp_sizes[stamps->type];
    const ptrdiff_t stride = stamps->stride ? stamps->stride : packed;
    const unsigned char *at = (const unsigned char *)stamps->data + (ptrdiff_t)from * stride;
    const uint64_t unit = stamps->unit ? stamps->unit : 1;
    const int64_t base = stamps->base;
    switch (stamps->type) {
    case PM_STAMP_INT64:
        READ_STAMPS(int64_t, !__builtin_mul_overflow(v, (int64_t)unit, &ns))
        break;
    case PM_STAMP_UINT64:
        READ_STAMPS(uint64_t, !__builtin_mul_overflow(v, unit, &ns))
        break;
    case PM_STAMP_UINT32:
        READ_STAMPS(uint32_t, !__builtin_mul_overflow((uint64_t)v, unit, &ns))
        break;
    case PM_STAMP_FLOAT64:
        READ_STAMPS(double, ns_of(v, &ns))
        break;
    case PM_STAMP_FLOAT32:
        READ_STAMPS(float, ns_of((double)v, &ns))
        break;
    }
}

/* ---- trajectories ---------------------------------------------------------------------------------- */

bool pm_trajectory_span(const pm_trajectory *trajectory, size_t track, int64_t *first,
                        int64_t *last) {
    if (!trajectory || !first || !last || track >= trajectory->clip->track_count)
        return false;
    const size_t *firsts = &trajectory->firsts[trajectory->clip->timeline_of[track]];
    *first = trajectory->stamps[firsts[0]];
    *last = trajectory->stamps[firsts[1] - 1];
    return true;
}
