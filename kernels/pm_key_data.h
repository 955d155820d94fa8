/* SPDX-License-Identifier: MIT
 *
 * The data of a segment, gathered from the keys of a channel, and the value of its curve: PM_METHOD for rotations,
 * PM_VECTOR_METHOD for positions and scales. One lane.
 */
#ifndef PM_KEY_DATA_H
#define PM_KEY_DATA_H

#include "pm_keys.h"
#include "pm_methods.h"

/* The curve of positions and scales. */
#ifndef PM_VECTOR_METHOD
#define PM_VECTOR_METHOD pm_vector_linear
#endif
#define PM_VECTOR_OF(what) PM_OF__(PM_VECTOR_METHOD, what)

/* The position of a segment among the keys of a channel, as in pm_track_layout. */
typedef struct pm_key_address {
    pm_u64 key;
    pm_u32 row, plane;
    float u;
    pm_u64 spacing; /* number of its first float among the constants, for curves with four keys */
} pm_key_address;

/* That of a track of a clip. */
pm_fn pm_key_address pm_track_address(pm_track_layout track, pm_u32 segment, float u) {
    pm_key_address at;
    at.key = track.first + (pm_u64)segment * track.row;
    at.row = track.row;
    at.plane = track.plane;
    at.u = u;
    at.spacing = PM_SPACING_FLOATS * (pm_u64)(track.rates + segment);
    return at;
}

/* `count` quaternions, `stride` numbers apart. No loop, because Intel's compiler keeps an array that
 * a loop fills in memory. */
pm_fn void pm_load_planes(pm_quat to[], pm_global const float *from, pm_u64 stride, int count) {
    if (count > 0)
        to[0] = pm_load_quats(from);
    if (count > 1)
        to[1] = pm_load_quats(from + stride);
    if (count > 2)
        to[2] = pm_load_quats(from + 2 * stride);
    if (count > 3)
        to[3] = pm_load_quats(from + 3 * stride);
}
#if PM_MAX_COEFFICIENTS > 4 || PM_MAX_CONSTANTS > 4
#error "pm_load_planes loads at most 4"
#endif

/* A segment of PM_METHOD. Constants of the track begin at number `own`, `plane` numbers apart. */
pm_fn pm_segment_data pm_key_data(pm_global const pm_stored_key *keys,
                                  pm_global const float *constants, pm_key_address at, pm_u64 own,
                                  pm_u64 plane) {
    pm_segment_data data;
    pm_u64 next = at.key + at.row;
    data.key = pm_gather_keys(keys, &at.key);
    data.next = pm_gather_keys(keys, &next);
#if PM_FOUR_KEYS
    pm_u64 before = at.key - at.row, after = next + at.row;
    data.coefficients[0] = pm_gather_keys(keys, &before);
    data.coefficients[1] = pm_gather_keys(keys, &after);
    pm_set_spacing(&data, constants[at.spacing], constants[at.spacing + 1]);
#endif
#if PM_COEFFICIENTS > 0
    pm_load_planes(data.coefficients, keys + at.key + at.plane, at.plane, PM_COEFFICIENTS);
#endif
#if PM_CONSTANTS > 0
    pm_load_planes(data.constants, constants + own, plane, PM_CONSTANTS);
#endif
    (void)constants;
    (void)own;
    (void)plane;
    return data;
}

/* A segment of PM_VECTOR_METHOD. */
pm_fn pm_segment_data pm_vector_key_data(pm_global const float *keys, pm_key_address at) {
    pm_segment_data data;
    keys += at.key;
    data.key = pm_load_quats(keys);
    data.next = pm_load_quats(keys + at.row);
    pm_load_planes(data.coefficients, keys + at.plane, at.plane, PM_VECTOR_OF(coefficients));
    return data;
}

/* The value of a curve of rotations at the basis of u; exactly the keys at u = 0 and u = 1 where it
 * passes through them. `on_key` is pm_any_on_key(u): all joints of an instance share it. */
pm_fn pm_quat pm_rotation_value(const pm_segment_data *data, real u, pm_u32 on_key,
                                const real *basis) {
    PM_OF(segment) segment = PM_OF(begin)(data);
    pm_quat value = PM_OF(at)(&segment, basis);
#if PM_PASSES
    if (on_key)
        value = pm_at_ends(data, u, value, PM_PASSES);
#endif
    return value;
}

/* The values of the curves of four numbers. */
pm_fn pm_quat pm_numbers_value(const pm_segment_data *data, real u, pm_u32 on_key) {
    PM_VECTOR_OF(segment) segment = PM_VECTOR_OF(begin)(data);
    real basis[PM_VECTOR_OF(basis_size)];
    PM_VECTOR_OF(basis)(u, basis);
    pm_quat value = PM_VECTOR_OF(at)(&segment, basis);
    if (PM_VECTOR_OF(passes) && on_key)
        value = pm_at_ends(data, u, value, PM_VECTOR_OF(passes));
    return value;
}

#endif
