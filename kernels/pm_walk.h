/* SPDX-License-Identifier: MIT
 *
 * Samples of all tracks on a common timeline: the functions of one curve, that of PM_METHOD, in PM_LANES
 * neighbouring tracks. A segment is loaded only when the run of samples enters it. The host includes
 * this file once for each curve, with another PM_METHOD: it has no guard, and its names begin with the
 * curve's.
 */
#include "pm_cursor.h"
#include "pm_keys.h"
#include "pm_methods.h"
#include "pm_rows.h"

/* How results go past the caches, and how those of sample k of a segment do, from the first track on or
 * beside earlier ones; and how many floats lie from sample to sample. */
#undef pm_walk_streams
#undef pm_walk_row
#undef pm_walk_row_of
#undef pm_walk_row_floats
#undef pm_walk_store_items
#undef pm_walk_store_vector_items
#if PM_LANES > 1
#define pm_walk_streams pm_rows *
#define pm_walk_row pm_row
#define pm_walk_row_of pm_row_of
#define pm_walk_row_floats(rows, track_count) ((rows)->floats)
#define pm_walk_store_items pm_store_row_items
#define pm_walk_store_vector_items pm_store_row_vector_items
#else
#define pm_walk_streams pm_u32
#define pm_walk_row pm_u32
#define pm_walk_row_of(streams, k, count, is_first) (streams)
#define pm_walk_row_floats(streams, track_count) ((pm_u64)(track_count)*PM_COMPONENTS)
#define pm_walk_store_items pm_store_items
#define pm_walk_store_vector_items pm_store_vector_items
#endif

#undef pm_walk_constants
#define pm_walk_load PM_OF(walk_load)
#define pm_walk_prefetch PM_OF(walk_prefetch)
#define pm_walk_fallback PM_OF(walk_fallback)
#define pm_walk_bases PM_OF(walk_bases)
#define pm_walk_begin PM_OF(walk_begin)
#define pm_walk_locate PM_OF(walk_locate)
#define pm_walk_find_bases PM_OF(walk_find_bases)
#define pm_walk_basis PM_OF(walk_basis)
#define pm_walk_segment_end PM_OF(walk_segment_end)
#define pm_walk_store PM_OF(walk_store)
#define pm_walk_samples PM_OF(walk_samples)
#define pm_walk_run PM_OF(walk_run)

/* A row of planes has less than 2^32 floats (pm_track_layout), and so has a product with plane_floats.
 * NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result) */

/* Of a track, or of a segment with four keys. */
#if PM_FOUR_KEYS
#define pm_walk_constants(constants, track, segment)                                               \
    ((constants) + PM_SPACING_FLOATS * (pm_u64)(segment))
#else
#define pm_walk_constants(constants, track, segment) ((constants) + 4 * (track))
#endif

/* Loads all data of a segment. Plane p of key i is at offset (i planes + p) plane_floats, where
 * planes is 1 + PM_COEFFICIENTS; `at` is the offset of plane 0 of the segment's first key. `constants` is
 * at pm_walk_constants. With four keys a row precedes that of key 0. */
pm_fn void pm_walk_load(pm_segment_data *data, pm_global const pm_stored_key *keys, pm_u64 at,
                        pm_global const float *constants, pm_u32 plane_floats) {
    data->key = pm_load_keys(keys, at);
    data->next = pm_load_keys(keys, at + (1 + PM_COEFFICIENTS) * plane_floats);
#if PM_FOUR_KEYS
    data->coefficients[0] = pm_load_keys(keys, at - plane_floats);
    data->coefficients[1] = pm_load_keys(keys, at + 2 * plane_floats);
    pm_set_spacing(data, PM_REAL(constants[0]), PM_REAL(constants[1]));
#endif
#if PM_COEFFICIENTS > 0
    data->coefficients[0] = pm_load_items(keys + at + plane_floats);
#endif
#if PM_COEFFICIENTS > 1
    data->coefficients[1] = pm_load_items(keys + at + 2 * plane_floats);
#endif
#if PM_COEFFICIENTS > 2
    data->coefficients[2] = pm_load_items(keys + at + 3 * plane_floats);
#endif
#if PM_COEFFICIENTS > 3
    data->coefficients[3] = pm_load_items(keys + at + 4 * plane_floats);
#endif
#if PM_CONSTANTS > 0
    data->constants[0] = pm_load_items(constants);
#endif
#if PM_CONSTANTS > 1
    data->constants[1] = pm_load_items(constants + plane_floats);
#endif
    (void)constants;
}

/* The next segment is prefetched while the current one is sampled: hardware prefetchers detect
 * too late that a few hundred bytes, one key apart or anywhere, will be needed. */
#define PM_PLANES_AHEAD                                                                            \
    (2 + PM_COEFFICIENTS + PM_FOUR_KEYS) /* the next segment's, and its second key */

/* Prefetches the planes of a segment from `plane` up to `end` and returns the first plane that
 * remains. Each sample prefetches one, because all at once are more cache lines than a core can have
 * outstanding. */
pm_fn pm_u32 pm_walk_prefetch(pm_global const pm_stored_key *keys, pm_u64 at, pm_u32 plane_floats,
                              pm_u32 plane, pm_u32 end) {
    for (; plane < end && plane < PM_PLANES_AHEAD; plane++)
        pm_prefetch_keys(keys, at + plane * plane_floats);
    return plane;
}

#if PM_HAS_FAST_PATH && PM_LANES > 1
/* Computes a sample whose fast path failed in some lane. The segment is loaded again, so that the
 * common path keeps no state for the fallback. */
pm_rare_fn pm_quat pm_walk_fallback(pm_global const pm_stored_key *keys, pm_u64 at,
                                    pm_global const float *constants, pm_u32 plane_floats,
                                    float u) {
    pm_segment_data data;
    real basis[PM_BASIS_SIZE];
    pm_walk_load(&data, keys, at, constants, plane_floats);
    PM_OF(segment) curve = PM_OF(begin)(&data);
    PM_OF(basis)(PM_REAL(u), basis);
    return PM_OF(at)(&curve, basis);
}
#endif

#if PM_LANES > 1
/* The cursors of a block of samples, and that of the sample after it, are in private memory. Those of
 * uniform samples are computed there: no other kernel has to write them first. */
#define pm_walk_memory

/* The bases of a block of samples, which all tracks share: function m of sample k at of[m][k]. */
typedef struct pm_walk_bases {
    float of[PM_BASIS_SIZE][PM_WALK_BLOCK];
} pm_walk_bases;

/* Functions of their own, so that their vectors take no registers from the samples. */
pm_rare_fn void pm_walk_begin(pm_uniform_map map, pm_u32 sample, pm_places *places) {
    pm_places_from(map, sample, places);
}

pm_rare_fn void pm_walk_locate(pm_uniform_map map, pm_places *places, pm_cursor *cursors) {
    PM_NO_UNROLL
    for (pm_u32 k = 0; k < PM_WALK_BLOCK; k += PM_STRIDE)
        pm_places_next(map, places, cursors + k);
    cursors[PM_WALK_BLOCK] = pm_cursor_of(map, pm_place_at(places, 0));
}

/* Samples in the lanes. Those past the last repeat it. */
pm_rare_fn void pm_walk_find_bases(const pm_cursor *cursors, pm_u32 count, pm_walk_bases *bases) {
    PM_NO_UNROLL
    for (pm_u32 k = 0; k < count; k += PM_LANES) {
        float u[PM_LANES];
        real basis[PM_BASIS_SIZE];
        for (pm_u32 i = 0; i < PM_LANES; i++)
            u[i] = cursors[k + i < count ? k + i : count - 1].u;
        PM_OF(basis)(pm_reals_of(u), basis);
        PM_UNROLL
        for (int m = 0; m < PM_BASIS_SIZE; m++)
            pm_set_reals(bases->of[m] + k, basis[m]);
    }
}

pm_fn void pm_walk_basis(const pm_walk_bases *bases, pm_u32 sample, float u, real *basis) {
    (void)u;
    PM_UNROLL
    for (int m = 0; m < PM_BASIS_SIZE; m++)
        basis[m] = PM_REAL(bases->of[m][sample]);
}
#else
#define pm_walk_memory pm_global

/* Computed for each sample, because a table would have to come from memory: there is none. */
typedef struct pm_walk_bases pm_walk_bases;

pm_fn void pm_walk_basis(const pm_walk_bases *bases, pm_u32 sample, float u, real *basis) {
    (void)bases;
    (void)sample;
    PM_OF(basis)(u, basis);
}
#endif

/* The first sample after `sample` that lies in another segment, or `end`. */
pm_fn pm_u32 pm_walk_segment_end(pm_walk_memory const pm_cursor *cursors, pm_u32 sample,
                                 pm_u32 end) {
    pm_u32 segment = cursors[sample].segment;
    while (++sample < end && cursors[sample].segment == segment)
        ;
    return sample;
}

/* On odd laps of a loop a track whose wrap is -1 has its sign flipped. */
pm_fn void pm_walk_store(pm_global float *to, pm_quat value, pm_global const float *wraps,
                         pm_u32 odd_lap, pm_u32 count, pm_walk_row row) {
#if PM_COMPONENTS == 4
    if (odd_lap)
        value = pm_quat_scaled(value, PM_IN_LANES(pm_load_reals(wraps)));
    pm_walk_store_items(to, value, count, row);
#else
    (void)wraps;
    (void)odd_lap;
    pm_walk_store_vector_items(to, value, count, row);
#endif
}

/* Computes `count` samples of the tracks from `first` to `last`. All groups of tracks compute the
 * samples of a segment before the next segment begins, so that values written at about the same time
 * are neighbours in memory. There are cursor_count cursors: `count`, or one more, whose segment is
 * prefetched. */
pm_fn void pm_walk_samples(pm_global const pm_stored_key *restrict keys,
                           pm_global const float *restrict constants,
                           pm_global const float *restrict wraps,
                           pm_walk_memory const pm_cursor *restrict cursors,
                           const pm_walk_bases *bases, pm_u32 count, pm_u32 cursor_count,
                           pm_global float *restrict values, pm_u32 plane_floats,
                           pm_u32 track_count, pm_u32 first, pm_u32 last, pm_walk_streams streams) {
    pm_u64 key_stride = (1 + PM_COEFFICIENTS) * (pm_u64)plane_floats;
    pm_u64 sample_floats = pm_walk_row_floats(streams, track_count);
    pm_u32 sample = 0;
    while (sample < count) {
        pm_u32 end = pm_walk_segment_end(cursors, sample, count);
        pm_u32 segment = cursors[sample].segment & PM_CURSOR_SEGMENT;
        pm_u32 odd_lap = cursors[sample].segment & PM_CURSOR_ODD_LAP;
        pm_u32 ahead = cursors[end < cursor_count ? end : sample].segment & PM_CURSOR_SEGMENT;
        for (pm_u32 track = first; track < last; track += PM_LANES) {
            pm_u64 at = 4 * (pm_u64)track + (segment + PM_FOUR_KEYS) * key_stride;
            pm_global float *out = values + sample * sample_floats + track * PM_COMPONENTS;
            pm_segment_data data;
            pm_u64 next_at = 4 * (pm_u64)track + (ahead + PM_FOUR_KEYS) * key_stride;
            /* plane 0 of the segment that follows is loaded as this one's second key */
            pm_u32 plane = ahead == segment + 1;
#if PM_PASSES
            if (end == sample + 1 && cursors[sample].u == 0.0f) { /* only the key is needed */
                pm_walk_prefetch(keys, next_at, plane_floats, 0, 1);
                pm_walk_store(out, pm_key_passed(pm_load_keys(keys, at), PM_PASSES), wraps + track,
                              odd_lap, track_count - track,
                              pm_walk_row_of(streams, 0, 1, track == first));
                continue;
            }
#endif
            pm_walk_load(&data, keys, at, pm_walk_constants(constants, track, segment),
                         plane_floats);
            PM_OF(segment) curve = PM_OF(begin)(&data);
            for (pm_u32 k = sample; k < end; k++, out += sample_floats) {
                float u = cursors[k].u;
                plane = pm_walk_prefetch(keys, next_at, plane_floats, plane, plane + 1);
                pm_quat value;
#if PM_PASSES /* u is the same in all lanes, so a branch is free */
                if (u == 0.0f) {
                    value = pm_key_passed(data.key, PM_PASSES);
                } else if (u == 1.0f) {
                    value = pm_key_passed(data.next, PM_PASSES);
                } else
#endif
                {
                    real basis[PM_BASIS_SIZE];
                    pm_walk_basis(bases, k, u, basis);
#if PM_HAS_FAST_PATH && PM_LANES > 1
                    pm_mask failed;
                    value = PM_OF(fast)(&curve, basis, &failed);
                    if (pm_any(failed))
                        value =
                            pm_walk_fallback(keys, at, pm_walk_constants(constants, track, segment),
                                             plane_floats, u);
#else
                    value = PM_OF(at)(&curve, basis);
#endif
                }
                pm_walk_store(out, value, wraps + track, odd_lap, track_count - track,
                              pm_walk_row_of(streams, k - sample, end - sample, track == first));
            }
            pm_walk_prefetch(keys, next_at, plane_floats, plane, PM_PLANES_AHEAD);
        }
        sample = end;
    }
}

/* Computes the samples from `sample` to `end` of the tracks from `first` to `last`. `to` gets the
 * values of the first of them; `cursors` has the cursor of sample 0. With lanes, samples are located by
 * the map where its scale is not 0, and the cursors are not read. */
pm_fn void pm_walk_run(pm_global const pm_stored_key *restrict keys,
                       pm_global const float *restrict constants,
                       pm_global const float *restrict wraps,
                       pm_global const pm_cursor *restrict cursors, pm_global float *restrict to,
                       pm_u32 plane_floats, pm_u32 track_count, pm_u32 first, pm_u32 last,
                       pm_u32 sample, pm_u32 end, pm_walk_streams streams
#if PM_LANES > 1
                       ,
                       pm_uniform_map map
#endif
) {
#if PM_LANES > 1
    pm_u64 sample_floats = pm_walk_row_floats(streams, track_count);
    pm_cursor block[PM_WALK_BLOCK + 1];
    pm_walk_bases bases;
    pm_places places;
    if (map.scale > 0)
        pm_walk_begin(map, sample, &places);
    for (; sample < end; sample += PM_WALK_BLOCK, to += PM_WALK_BLOCK * sample_floats) {
        pm_u32 rest = end - sample;
        pm_u32 count = rest < PM_WALK_BLOCK ? rest : PM_WALK_BLOCK;
        pm_u32 cursor_count = rest < PM_WALK_BLOCK + 1 ? rest : PM_WALK_BLOCK + 1;
        if (map.scale > 0)
            pm_walk_locate(map, &places, block);
        else
            for (pm_u32 k = 0; k < cursor_count; k++)
                block[k] = cursors[sample + k];
        pm_walk_find_bases(block, count, &bases);
        pm_walk_samples(keys, constants, wraps, block, &bases, count, cursor_count, to,
                        plane_floats, track_count, first, last, streams);
    }
#else
    pm_walk_samples(keys, constants, wraps, cursors + sample, 0, end - sample, end - sample, to,
                    plane_floats, track_count, first, last, streams);
#endif
}

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
