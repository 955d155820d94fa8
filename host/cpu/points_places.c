/* SPDX-License-Identifier: MIT
 *
 * The places of stamps among keys, in integers, in loops that compilers vectorise. Compiled once for each instruction
 * set.
 */
#include "points.h"

#include <string.h>

/* Of a stamp at or after `from`, exact. */
static uint64_t since(int64_t from, int64_t stamp) {
    return (uint64_t)stamp - (uint64_t)from;
}

/* The segments of stamps, by bisection without branches on stamps, whose order no processor predicts, of all
 * stamps at once. Those outside get the first or the last one. */
static void find_segments(const int64_t *keys, size_t segments, const int64_t *stamps, size_t count,
                          int64_t *restrict low) {
    memset(low, 0, count * sizeof *low);
    for (size_t left = segments; left > 1;) {
        const int64_t half = (int64_t)(left / 2);
        for (size_t i = 0; i < count; i++)
            low[i] += half & -(int64_t)(keys[low[i] + half] <= stamps[i]); /* no branch */
        left -= (size_t)half;
    }
}

/* Of a whole number below 2^52. */
static inline double small_number(uint64_t n) {
#ifdef __AVX512DQ__
    return (double)(int64_t)n;
#else
    union {
        uint64_t bits;
        double number;
    } v = {.bits = n | 0x4330000000000000}; /* 2^52 + n */
    return v.number - 4503599627370496.0;
#endif
}

/* u in the segments of stamps, of fewer than 2^52 ns. Returns whether all are within. */
static bool find_fractions(const int64_t *keys, const int64_t *low, const int64_t *stamps,
                           size_t count, double *u) {
    uint64_t signs = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t begin = (uint64_t)keys[low[i]], length = (uint64_t)keys[low[i] + 1] - begin;
        const uint64_t after = (uint64_t)stamps[i] - begin;
        signs |= after | (length - 1 - after);
        u[i] = small_number(after) / small_number(length);
    }
    return signs >> 63 == 0;
}

/* The places of stamps, if all are within the keys and below the last one. Their segments are guessed first, which
 * keys at a rate allow. */
static bool locate_inside(const int64_t *keys, size_t segments, const int64_t *stamps, size_t count,
                          int64_t *restrict low, double *u) {
    const uint64_t first = (uint64_t)keys[0], length = (uint64_t)keys[segments] - first;
    const double rate = (double)segments / (double)length;
    uint64_t signs = length >> 52 ? ~(uint64_t)0 : 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t after = (uint64_t)stamps[i] - first;
        signs |= after | (length - 1 - after);
    }
    if (signs >> 63)
        return false;
    for (size_t i = 0; i < count; i++) { /* by integers of 32 bits, which all sets convert */
        const int32_t guess = (int32_t)(small_number((uint64_t)stamps[i] - first) * rate);
        low[i] = guess < (int32_t)segments ? guess : (int32_t)segments - 1;
    }
    if (find_fractions(keys, low, stamps, count, u))
        return true;
    find_segments(keys, segments, stamps, count, low);
    return find_fractions(keys, low, stamps, count, u);
}

/* u of a stamp at or behind a key and before the next one. It can round to 1. */
static double fraction_of(const int64_t *key, int64_t stamp) {
    return (double)since(key[0], stamp) / (double)since(key[0], key[1]);
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

/* Stamps of one segment are searched for in chunks; fewer than the least are located with others. */
enum { LEAST_RUN = 16, CHUNK = 64 };

/* u of stamps in a segment of fewer than 2^31 ns, as doubles, or in float32 where `singles`, which is a compile-time
 * constant. Returns whether all are within. A quotient that is not exact is at least 2^-32 of its last bit from a tie, so
 * the corrected product rounds as the quotient does. */
static inline __attribute__((always_inline)) bool find_u(const int64_t *stamps, size_t count,
                                                         int64_t begin, uint64_t length,
                                                         bool singles, double *restrict u,
                                                         float *restrict single) {
    const double whole = (double)length, inverse = 1 / whole;
    uint64_t signs = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t after = since(begin, stamps[i]);
        const double number = small_number(after);
#ifdef __FMA__
        const double near = number * inverse;
        const double own = __builtin_fma(__builtin_fma(-near, whole, number), inverse, near);
#else
        const double own = number / whole;
#endif
        signs |= after | (length - 1 - after);
        if (singles)
            single[i] = (float)own;
        else
            u[i] = own;
    }
    (void)inverse;
    return signs >> 63 == 0;
}

/* The first stamps of a block, which are in one segment. Returns how many; 0: too few. */
static size_t locate_run(const int64_t *keys, size_t segment, bool singles, pm_points_block *b,
                         pm_stamp_places *to) {
    const int64_t begin = keys[segment];
    const uint64_t length = since(begin, keys[segment + 1]);
    const int64_t *const stamps = b->stamps;
    const size_t count = b->count;
    if (length > INT32_MAX || since(begin, stamps[0]) >= length)
        return 0;
    size_t run = 0;
    for (bool within = true; within && run < count;) {
        const size_t ahead = count - run < CHUNK ? count - run : CHUNK;
        within = singles ? find_u(stamps + run, ahead, begin, length, true, NULL, b->u + run)
                         : find_u(stamps + run, ahead, begin, length, false, to->u + run, NULL);
        run += within ? ahead : 0;
    }
    while (run < count && since(begin, stamps[run]) < length)
        run++;
    if (run < count && run < LEAST_RUN)
        return 0;
    to->segments[0] = (pm_u32)segment;
    return run;
}

void PM_SET_NAME(pm_points_locate)(const pm_points_request *r, unsigned f, size_t *hint,
                                   pm_points_block *b) {
    const pm_trajectory *t = r->job.frames[f].trajectory;
    const bool singles = r->singles && !r->needs_pose && t->parts == 1;
    const bool one_track = b->one_track[f];
    pm_stamp_places *to = &b->places[f];
    const size_t *first = &t->firsts[t->clip->timeline_of[b->tracks[f][0]]];
    const int64_t *keys = t->stamps + first[0];
    const size_t segments = first[1] - first[0] - 1;
    to->all_inside = true;
    for (size_t k = *hint; one_track && k < segments && k < *hint + 2; k++) {
        const size_t run = since(keys[k], keys[k + 1]) <= r->rules.max_gap
                               ? locate_run(keys, k, singles, b, to)
                               : 0;
        to->in_one_segment = run > 0;
        if (run == 0)
            continue;
        *hint = k;
        b->count = run;
        return;
    }
    to->in_one_segment = false;
    memset(to->states, PM_STAMP_INSIDE, b->count);
    int64_t low[PM_POINTS_BLOCK];
    for (size_t i = 0, run; i < b->count; i += run) { /* neighbours of one track */
        first = &t->firsts[t->clip->timeline_of[pm_track_of(b, f, i)]];
        for (run = 1;
             i + run < b->count && (one_track || b->tracks[f][i + run] == b->tracks[f][i]);)
            run++;
        keys = t->stamps + first[0];
        const size_t count = first[1] - first[0];
        const bool inside = r->rules.max_gap == UINT64_MAX && count > 1 &&
                            locate_inside(keys, count - 1, b->stamps + i, run, low + i, to->u + i);
        for (size_t k = i; k < i + run && inside; k++)
            to->segments[k] = (pm_u32)low[k];
        if (inside)
            continue;
        to->all_inside = false;
        find_segments(keys, count - 1, b->stamps + i, run, low + i);
        for (size_t k = i; k < i + run; k++)
            locate_one(keys, count, &r->rules, b->stamps[k], (size_t)low[k], to, k);
    }
    *hint = (size_t)low[b->count - 1];
}
