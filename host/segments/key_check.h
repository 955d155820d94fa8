/* SPDX-License-Identifier: MIT
 *
 * Checks of all numbers of a description in memory order. They find only whether a number is
 * invalid; clip/check_keys.c finds which one, and why.
 */
#ifndef PM_HOST_KEY_CHECK_H
#define PM_HOST_KEY_CHECK_H

#include "lane_memory.h"

/* The bounds are so narrow that rounding cannot change whether the norm is within 1e-3 of 1. */
static inline dmask is_rotation(dquat q) {
    dreal norm2 = dquat_dot(q, q);
    return (dmask)(norm2 >= 0.9981) & (dmask)(norm2 <= 1.0019);
}

static inline bool are_rotations(const void *data, pm_number type, size_t count) {
    size_t size = 4 * pm_number_size(type);
    const unsigned char *at = data;
    dmask good = ~(dmask){0};
    size_t k = 0;
    for (; k + PM_DOUBLES <= count; k += PM_DOUBLES, at += PM_DOUBLES * size)
        good &= is_rotation(type == PM_FLOAT64 ? dquat_load_doubles(at) : dquat_load_floats(at));
    for (; k < count; k++, at += size) {
        pm_array_view row = {at, type, 0};
        dreal x = dreal_of(pm_number_at(&row, 0, 0)), y = dreal_of(pm_number_at(&row, 0, 1));
        dreal z = dreal_of(pm_number_at(&row, 0, 2)), w = dreal_of(pm_number_at(&row, 0, 3));
        good &= is_rotation((dquat){x, y, z, w});
    }
    return !dmask_any(~good);
}

static inline bool are_within(const void *data, pm_number type, size_t count, double max) {
    size_t size = pm_number_size(type);
    const unsigned char *at = data;
    dmask good = ~(dmask){0};
    size_t k = 0;
    for (; k + PM_DOUBLES <= count; k += PM_DOUBLES, at += PM_DOUBLES * size) {
        dreal value = type == PM_FLOAT64 ? load_doubles(at) : load_floats(at);
        good &= (dmask)(dreal_abs(value) <= max);
    }
    for (; k < count; k++, at += size) {
        pm_array_view row = {at, type, 0};
        good &= (dmask)(dreal_abs(dreal_of(pm_number_at(&row, 0, 0))) <= max);
    }
    return !dmask_any(~good);
}

#endif
