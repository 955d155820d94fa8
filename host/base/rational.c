/* SPDX-License-Identifier: MIT
 *
 * Exact fractions, and the exact map from uniform samples to uniform keys.
 */
#include "rational.h"

bool pm_rational_given(pm_rational r) {
    return r.num != 0 || r.den != 0;
}

bool pm_rational_positive(pm_rational r) {
    return r.num > 0 && r.den > 0;
}

double pm_rational_value(pm_rational r) {
    return (double)r.num / (double)r.den;
}

static pm_u128 magnitude(pm_i128 a) {
    return a < 0 ? -(pm_u128)a : (pm_u128)a;
}

static pm_u128 common_divisor(pm_u128 a, pm_u128 b) {
    while (b) {
        pm_u128 rest = a % b;
        a = b;
        b = rest;
    }
    return a ? a : 1;
}

/* Moves the start to sample `first`, whose position is (first step + start)/scale. */
static bool advance(pm_exact_uniform_map *map, uint64_t first) {
    pm_i128 offset;
    return !__builtin_mul_overflow(map->step, (pm_u128)first, &offset) &&
           !__builtin_add_overflow(map->start, offset, &map->start);
}

static pm_rational reduced(pm_rational r) {
    int64_t g = (int64_t)common_divisor(magnitude(r.num), (pm_u128)r.den);
    return (pm_rational){r.num / g, r.den / g};
}

bool pm_uniform_map_of(pm_rational key_rate, pm_rational rate, pm_rational start, uint64_t first,
                       size_t count, pm_exact_uniform_map *uniform_map) {
    pm_rational k = reduced(key_rate);
    pm_rational r = reduced(rate);
    pm_rational s = start.den ? reduced(start) : (pm_rational){0, 1};
    /* position = k.num/k.den (s.num/s.den + sample r.den/r.num), with the common denominator
     * k.den r.num s.den */
    pm_u128 key_to_rate = (pm_u128)k.den * (pm_u128)r.num;
    pm_u128 from = (pm_u128)k.num * (pm_u128)r.num;
    if (__builtin_mul_overflow((pm_u128)k.num * (pm_u128)r.den, (pm_u128)s.den,
                               &uniform_map->step) ||
        __builtin_mul_overflow(key_to_rate, (pm_u128)s.den, &uniform_map->scale) ||
        __builtin_mul_overflow(from, magnitude(s.num), &from) || from >> 127)
        return false;
    pm_u128 g = common_divisor(common_divisor(uniform_map->step, uniform_map->scale), from);
    uniform_map->step /= g;
    uniform_map->scale /= g;
    uniform_map->start = s.num < 0 ? -(pm_i128)(from / g) : (pm_i128)(from / g);
    if (uniform_map->scale >> 95 || !advance(uniform_map, first))
        return false;
    pm_exact_uniform_map last = *uniform_map;
    return advance(&last, count);
}

bool pm_uniform_map_narrow(const pm_exact_uniform_map *exact, size_t count,
                           pm_uniform_map *narrow) {
    pm_exact_uniform_map last = *exact;
    if (exact->start < 0 || exact->scale >> 32 || !advance(&last, count) || last.start >> 63)
        return false;
    narrow->step = (pm_u64)exact->step;
    narrow->start = (pm_u64)exact->start;
    narrow->scale = (pm_u64)exact->scale;
    return true;
}
