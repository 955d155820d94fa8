/* SPDX-License-Identifier: MIT
 *
 * Stamps: read from records, parsed from text, and located among keys.
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

/* Stamp k without the base. */
static bool read_value(const pm_stamps *stamps, const unsigned char *at, int64_t *ns) {
    const uint64_t unit = stamps->unit ? stamps->unit : 1;
    union {
        int64_t i;
        uint64_t u;
        uint32_t w;
        double d;
        float f;
    } v = {0};
    memcpy(&v, at, stamp_sizes[stamps->type]);
    switch (stamps->type) {
    case PM_STAMP_FLOAT64:
        return ns_of(v.d, ns);
    case PM_STAMP_FLOAT32:
        return ns_of((double)v.f, ns);
    case PM_STAMP_INT64:
        return !__builtin_mul_overflow(v.i, (int64_t)unit, ns);
    case PM_STAMP_UINT32:
        return !__builtin_mul_overflow((uint64_t)v.w, unit, ns);
    default:
        return !__builtin_mul_overflow(v.u, unit, ns);
    }
}

const int64_t *pm_stamps_in_place(const pm_stamps *stamps, size_t from) {
    const bool is_plain = stamps->type == PM_STAMP_INT64 && stamps->unit <= 1 && !stamps->base &&
                          (stamps->stride == 0 || stamps->stride == (ptrdiff_t)sizeof(int64_t));
    const int64_t *first = stamps->data;
    return is_plain && (uintptr_t)first % _Alignof(int64_t) == 0 ? first + from : NULL;
}

void pm_stamps_read(const pm_stamps *stamps, size_t from, size_t count, int64_t *to) {
    const ptrdiff_t packed = (ptrdiff_t)stamp_sizes[stamps->type];
    const ptrdiff_t stride = stamps->stride ? stamps->stride : packed;
    const unsigned char *at = (const unsigned char *)stamps->data + (ptrdiff_t)from * stride;
    for (size_t k = 0; k < count; k++, at += stride)
        if (!read_value(stamps, at, &to[k]) || __builtin_add_overflow(to[k], stamps->base, &to[k]))
            to[k] = PM_NO_STAMP;
}

/* ---- places ---------------------------------------------------------------------------------------- */

/* Of a stamp at or after `from`, exact. */
static uint64_t since(int64_t from, int64_t stamp) {
    return (uint64_t)stamp - (uint64_t)from;
}

/* The segments of stamps, by bisection without branches on stamps, whose order no processor predicts, of all
 * stamps at once. Those outside get the first or the last one. */
PM_CLONES static void find_segments(const int64_t *keys, size_t segments, const int64_t *stamps,
                                    size_t count, int64_t *restrict low) {
    memset(low, 0, count * sizeof *low);
    for (size_t left = segments; left > 1;) {
        const int64_t half = (int64_t)(left / 2);
        for (size_t i = 0; i < count; i++)
            low[i] += half & -(int64_t)(keys[low[i] + half] <= stamps[i]); /* no branch */
        left -= (size_t)half;
    }
}

/* u of a stamp at or behind a key and before the next one. It can round to 1. */
static double fraction_of(const int64_t *key, int64_t stamp) {
    return (double)since(key[0], stamp) / (double)since(key[0], key[1]);
}

/* Of a whole number below 2^52, with what every instruction set has. */
static double small_number(uint64_t n) {
    union {
        uint64_t bits;
        double number;
    } v = {.bits = n | 0x4330000000000000}; /* 2^52 + n */
    return v.number - 4503599627370496.0;
}

/* The places of stamps whose segments are found, if all are within the keys and below the last one, without a rule for
 * gaps. */
PM_CLONES static bool locate_inside(const int64_t *keys, size_t segments, const int64_t *stamps,
                                    const int64_t *low, size_t count, pm_stamp_places *to,
                                    size_t from) {
    const int64_t first = keys[0], last = keys[segments];
    int outside = since(first, last) >> 52 != 0;
    for (size_t i = 0; i < count; i++)
        outside |= (stamps[i] < first) | (stamps[i] >= last);
    if (outside)
        return false;
    for (size_t i = 0; i < count; i++) {
        const uint64_t begin = (uint64_t)keys[low[i]], end = (uint64_t)keys[low[i] + 1];
        to->u[from + i] = small_number((uint64_t)stamps[i] - begin) / small_number(end - begin);
    }
    for (size_t i = 0; i < count; i++)
        to->segments[from + i] = (pm_u32)low[i];
    memset(to->states + from, PM_STAMP_INSIDE, count);
    return true;
}

static void set_outside(const pm_stamp_rules *rules, pm_u32 last, bool is_before, uint64_t by,
                        pm_stamp_places *to, size_t i) {
    to->segments[i] = is_before ? 0 : last;
    to->u[i] = is_before ? 0 : 1;
    to->states[i] = PM_STAMP_NOT_VALID;
    if (rules->outside == PM_OUTSIDE_REFUSE)
        to->states[i] = PM_STAMP_REFUSED;
    else if (rules->outside == PM_OUTSIDE_CLAMP)
        to->states[i] = PM_STAMP_CLAMPED;
    else if (rules->outside == PM_OUTSIDE_EXTRAPOLATE && by <= rules->max_extrapolation) {
        to->states[i] = PM_STAMP_AHEAD;
        to->ahead[i] = (is_before ? -1e-9 : 1e-9) * (double)by;
    }
}

/* The place of a stamp in segment k, if it is within the keys. A stamp that is no time has no place. */
static void locate_one(const int64_t *keys, size_t count, const pm_stamp_rules *rules,
                       int64_t stamp, size_t k, pm_stamp_places *to, size_t i) {
    const pm_u32 last = count > 1 ? (pm_u32)count - 2 : 0;
    const bool is_before = stamp < keys[0];
    to->segments[i] = last;
    to->u[i] = count > 1 ? 1 : 0;
    to->states[i] = PM_STAMP_INSIDE;
    if (stamp == PM_NO_STAMP) {
        to->states[i] = rules->outside == PM_OUTSIDE_REFUSE ? PM_STAMP_REFUSED : PM_STAMP_NOT_VALID;
    } else if (is_before || stamp > keys[count - 1]) {
        const uint64_t by = is_before ? since(stamp, keys[0]) : since(keys[count - 1], stamp);
        set_outside(rules, last, is_before || count == 1, by, to, i);
    } else if (stamp != keys[count - 1]) {
        to->segments[i] = (pm_u32)k;
        to->u[i] = fraction_of(keys + k, stamp);
        if (stamp != keys[k] && since(keys[k], keys[k + 1]) > rules->max_gap)
            to->states[i] = PM_STAMP_NOT_VALID;
    }
}

/* Fewer stamps of one segment are located with others. */
enum { LEAST_RUN = 16, CHUNK = 32 };

/* Likewise for the first stamps, which are in one segment. Returns how many; 0: too few. Compilers vectorise the first
 * loop. */
PM_CLONES static size_t locate_run(const int64_t *keys, size_t segment, const int64_t *stamps,
                                   size_t count, pm_stamp_places *to) {
    const int64_t begin = keys[segment], end = keys[segment + 1];
    if (since(begin, end) > INT32_MAX || stamps[0] < begin || stamps[0] >= end)
        return 0;
    size_t run = 0;
    for (int outside = 0; run < count; run += CHUNK) { /* those that are all inside */
        const size_t ahead = count - run < CHUNK ? count - run : CHUNK;
        for (size_t i = 0; i < ahead; i++)
            outside |= (stamps[run + i] < begin) | (stamps[run + i] >= end);
        if (outside)
            break;
    }
    run = run < count ? run : count;
    while (run < count && stamps[run] >= begin && stamps[run] < end)
        run++;
    if (run < count && run < LEAST_RUN)
        return 0;
    to->begin = begin;
    to->length = end - begin;
    to->segments[0] = (pm_u32)segment;
    return run;
}

size_t pm_trajectory_locate(const pm_trajectory *t, const pm_u32 *tracks, bool one_track,
                            const pm_stamp_rules *rules, const int64_t *stamps, size_t count,
                            size_t *hint, pm_stamp_places *to) {
    const size_t *first = &t->firsts[t->clip->timeline_of[tracks[0]]];
    const int64_t *keys = t->stamps + first[0];
    const size_t segments = first[1] - first[0] - 1;
    for (size_t k = *hint; one_track && k < segments && k < *hint + 2; k++) {
        const size_t run = since(keys[k], keys[k + 1]) <= rules->max_gap
                               ? locate_run(keys, k, stamps, count, to)
                               : 0;
        to->in_one_segment = run > 0;
        if (run == 0)
            continue;
        *hint = k;
        return run;
    }
    to->in_one_segment = false;
    int64_t low[PM_POINTS_BLOCK];
    for (size_t i = 0, run; i < count; i += run) { /* neighbours of one track */
        first = &t->firsts[t->clip->timeline_of[tracks[i]]];
        for (run = 1; i + run < count && (one_track || tracks[i + run] == tracks[i]);)
            run++;
        keys = t->stamps + first[0];
        find_segments(keys, first[1] - first[0] - 1, stamps + i, run, low + i);
        if (rules->max_gap == UINT64_MAX && first[1] - first[0] > 1 &&
            locate_inside(keys, first[1] - first[0] - 1, stamps + i, low + i, run, to, i))
            continue;
        for (size_t k = i; k < i + run; k++)
            locate_one(keys, first[1] - first[0], rules, stamps[k], (size_t)low[k], to, k);
    }
    *hint = (size_t)low[count - 1];
    return count;
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
