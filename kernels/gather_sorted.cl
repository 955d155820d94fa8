/* SPDX-License-Identifier: MIT
 *
 * Values of (track, time) pairs that the host has sorted by the place of their keys, so that keys
 * stay in a core's cache while they are used. restore.cl puts the values into the order of the job.
 */
#include "pm_keys.h"
#include "pm_methods.h"

#define PM_PAIRS_AHEAD 256 /* pairs themselves are prefetched so much before they are needed */

/* PM_LANES neighbours, and their numbers. */
typedef struct pm_sorted_lanes {
    pm_u64 key[PM_LANES]; /* plane 0 of the segment's first key, in floats as in pm_track_layout */
    real u;
    real sign; /* of the value: 1 or -1 */
} pm_sorted_lanes;

#define PM_ODD(j) (2 * (j) + 1)

/* u of PM_LANES neighbours. Whole vectors are loaded: a vector of single stores would wait for each. */
pm_fn real pm_load_positions(pm_global const pm_sorted_pair *pairs) {
#if PM_LANES == 1
    return pairs->u;
#else
    pm_global const float *words = (pm_global const float *)pairs;
    real low = pm_load_reals(words), high = pm_load_reals(words + PM_LANES);
    return PM_SHUFFLE(low, high, PM_ODD);
#endif
}

pm_fn pm_sorted_lanes pm_load_pairs(pm_global const pm_sorted_pair *pairs) {
    pm_sorted_lanes lanes;
    for (int i = 0; i < PM_LANES; i++)
        lanes.key[i] = 4 * (pm_u64)pairs[PM_ITEM_OF(i)].key;
    real u = PM_IN_LANES(pm_load_positions(pairs));
    pm_mask negative = pm_bits_of(u) < PM_BITS(0);
    lanes.u = pm_select(negative, -u, u);
    lanes.sign = pm_select(negative, PM_REAL(-1.0f), PM_REAL(1.0f));
    return lanes;
}

/* The keys of the next pairs are prefetched while the current ones are computed: caches of the
 * second level hold them, and a work-item has too many instructions to overlap with the next. */
pm_fn void pm_prefetch_pairs(pm_global const pm_stored_key *keys,
                             pm_global const pm_sorted_pair *pairs, pm_u32 row, pm_u32 plane) {
    for (int i = 0; i < PM_LANES; i++) {
        pm_u64 at = 4 * (pm_u64)pairs[i].key;
        pm_prefetch_key(keys, at);
        pm_prefetch_key(keys, at + row);
#if PM_COEFFICIENTS > 0
        for (pm_u32 p = 1; p <= PM_COEFFICIENTS; p++)
            pm_prefetch_key(keys, at + p * plane);
#endif
#if PM_FOUR_KEYS
        pm_prefetch_key(keys, at - row);
        pm_prefetch_key(keys, at + 2 * (pm_u64)row);
#endif
    }
}

#if PM_CONSTANTS > 0
pm_fn pm_quat pm_gather_constant(pm_global const float *constants, pm_global const pm_u32 *track) {
    pm_global const float *from[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        from[i] = constants + 4 * (pm_u64)track[PM_ITEM_OF(i)];
    return pm_gather_quats(from);
}
#endif

#if PM_FOUR_KEYS
/* The key `rows` keys behind the segment's first, before it where negative. */
pm_fn pm_quat pm_gather_row(pm_global const pm_stored_key *keys, const pm_sorted_lanes *lanes,
                            pm_u32 row, pm_s64 rows) {
    pm_u64 at[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        at[i] = lanes->key[i] + (pm_u64)(rows * (pm_s64)row);
    return pm_gather_keys(keys, at);
}

/* The spacing at one place of each segment's. */
pm_fn real pm_gather_spacing(pm_global const float *spacings, pm_global const pm_u32 *segments) {
    float numbers[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        numbers[i] = spacings[PM_SPACING_FLOATS * (pm_u64)segments[PM_ITEM_OF(i)]];
    return pm_reals_of(numbers);
}
#endif

/* Work size: the lanes of all groups, a vector each. Group g is the PM_PAIR_GROUP pairs from
 * groups[g] on; their values are written in the same places of `values`. `row` and `plane` are
 * those of all tracks (pm_track_layout). `tracks` is read for curves with constants alone; for curves
 * with four keys it has the numbers of the segments among the spacings. */
pm_kernel void gather_sorted(pm_global const pm_stored_key *restrict keys,
                             pm_global const float *restrict constants,
                             pm_global const pm_sorted_pair *restrict pairs,
                             pm_global const pm_u32 *restrict tracks,
                             pm_global const pm_u32 *restrict groups,
                             pm_global float *restrict values, pm_u32 row, pm_u32 plane,
                             pm_u32 constant_floats, pm_u32 value_count, pm_u32 streams) {
    pm_u32 at = pm_global_id(0) * PM_LANES;
    if (at >= value_count)
        return;
    pm_u32 first = groups[at / PM_PAIR_GROUP] + at % PM_PAIR_GROUP;
    pm_u32 ahead = at + PM_LANES < value_count ? at + PM_LANES : at;
    pm_sorted_lanes lanes = pm_load_pairs(pairs + first);
    pm_prefetch_pairs(keys, pairs + groups[ahead / PM_PAIR_GROUP] + ahead % PM_PAIR_GROUP, row,
                      plane);
    pm_u32 far = at + PM_PAIRS_AHEAD < value_count ? at + PM_PAIRS_AHEAD : at;
    pm_prefetch(pairs + groups[far / PM_PAIR_GROUP], PM_PAIR_GROUP * 8);
    pm_u64 next[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        next[i] = lanes.key[i] + row;
    pm_segment_data data;
    data.key = pm_gather_keys(keys, lanes.key);
    data.next = pm_gather_keys(keys, next);
#if PM_FOUR_KEYS
    data.coefficients[0] = pm_gather_row(keys, &lanes, row, -1);
    data.coefficients[1] = pm_gather_row(keys, &lanes, row, 2);
    pm_set_spacing(&data, pm_gather_spacing(constants, tracks + first),
                   pm_gather_spacing(constants + 1, tracks + first));
#endif
#if PM_COEFFICIENTS > 0
    data.coefficients[0] = pm_gather_quats_at(keys + plane, lanes.key);
#endif
#if PM_COEFFICIENTS > 1
    data.coefficients[1] = pm_gather_quats_at(keys + 2 * plane, lanes.key);
#endif
#if PM_COEFFICIENTS > 2
    data.coefficients[2] = pm_gather_quats_at(keys + 3 * plane, lanes.key);
#endif
#if PM_COEFFICIENTS > 3
    data.coefficients[3] = pm_gather_quats_at(keys + 4 * plane, lanes.key);
#endif
#if PM_CONSTANTS > 0
    data.constants[0] = pm_gather_constant(constants, tracks + first);
#endif
#if PM_CONSTANTS > 1
    data.constants[1] = pm_gather_constant(constants + constant_floats, tracks + first);
#endif
    PM_OF(segment) segment = PM_OF(begin)(&data);
    real basis[PM_BASIS_SIZE];
    PM_OF(basis)(lanes.u, basis);
    pm_quat value = PM_OF(at)(&segment, basis);
#if PM_PASSES
    value = pm_at_ends(&data, lanes.u, value, PM_PASSES);
#endif
#if PM_COMPONENTS == 4
    value = pm_quat_scaled(value, lanes.sign);
#endif
    pm_store_values(values + (pm_u64)first * PM_COMPONENTS, value, PM_LANES, streams);
}
