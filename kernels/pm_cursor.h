/* SPDX-License-Identifier: MIT
 *
 * Cursors of uniform samples of uniform keys, exact in 64-bit integers (docs/methods.md, "What all methods share"): sample k lies at key position (k step + start)/scale. A sample anywhere takes three
 * divisions; consecutive samples are located by additions, 16 at a time.
 */
#ifndef PM_CURSOR_H
#define PM_CURSOR_H

#include "pm_segment.h"

/* scale < 2^32 and (k step + start) < 2^63 for every k that is sampled. */
typedef struct pm_uniform_map {
    pm_u64 step;
    pm_u64 start;
    pm_u64 scale;
    pm_u32 segment_count;
    pm_u32 loop; /* 1: segments repeat; 0: positions past the last key stay at it */
} pm_uniform_map;

/* A key position, or the distance between two, in units of 2^-32 segments and `rest`/scale of a
 * unit. Laps of a loop are left out; odd_lap is 1 if their number is odd. All positions of an open
 * timeline that are a segment or more past the last key have the same units. */
typedef struct pm_place {
    pm_u64 units;
    pm_u32 rest; /* below scale */
    pm_u32 odd_lap;
} pm_place;

pm_fn pm_u64 pm_units_of(pm_u64 segments) {
    return segments << 32;
}

/* The place of position/scale, for a position below 2^63. */
pm_fn pm_place pm_place_of(pm_uniform_map map, pm_u64 position) {
    pm_place place;
    pm_u64 segment = position / map.scale;
    pm_u64 remainder = (position - segment * map.scale) << 32;
    pm_u64 fraction = remainder / map.scale;
    pm_u64 lap = segment / map.segment_count;
    place.rest = (pm_u32)(remainder - fraction * map.scale);
    place.odd_lap = map.loop ? (pm_u32)lap & 1 : 0;
    if (map.loop)
        segment -= lap * map.segment_count;
    place.units = segment > map.segment_count ? pm_units_of((pm_u64)map.segment_count + 1)
                                              : pm_units_of(segment) + fraction;
    return place;
}

/* The sum of two places, exact. */
pm_fn pm_place pm_place_sum(pm_uniform_map map, pm_place a, pm_place b) {
    pm_place sum;
    pm_u64 rest = (pm_u64)a.rest + b.rest;
    pm_u32 carry = rest >= map.scale;
    sum.rest = (pm_u32)(carry ? rest - map.scale : rest);
    sum.units = a.units + b.units + carry; /* at most 2^31 segments */
    sum.odd_lap = a.odd_lap ^ b.odd_lap;
    if (map.loop) {
        pm_u32 wraps = sum.units >= pm_units_of(map.segment_count);
        sum.units -= wraps ? pm_units_of(map.segment_count) : 0;
        sum.odd_lap ^= wraps;
    } else if (sum.units > pm_units_of((pm_u64)map.segment_count + 1)) {
        sum.units = pm_units_of((pm_u64)map.segment_count + 1);
    }
    return sum;
}

pm_fn pm_cursor pm_cursor_of(pm_uniform_map map, pm_place place) {
    pm_cursor cursor;
    pm_u32 segment = (pm_u32)(place.units >> 32);
    cursor.segment = segment | (place.odd_lap ? PM_CURSOR_ODD_LAP : 0);
    cursor.u = pm_cursor_fraction((pm_u32)place.units, place.rest != 0);
    if (segment >= map.segment_count) { /* at the last key of an open timeline, or past it */
        pm_u32 is_past = place.units > pm_units_of(map.segment_count);
        cursor.segment = (map.segment_count - 1) | (is_past ? PM_CURSOR_AT_REST : 0);
        cursor.u = 1.0f;
    }
    return cursor;
}

pm_fn pm_cursor pm_locate_uniform(pm_uniform_map map, pm_u64 k) {
    return pm_cursor_of(map, pm_place_of(map, k * map.step + map.start));
}

/* The places of consecutive samples, in arrays that compilers turn into vectors, and the distance
 * from each to the one that many samples later. */
#define PM_STRIDE 16
/* Samples that a walk in lanes locates at a time: a multiple of PM_STRIDE. */
#define PM_WALK_BLOCK 64
typedef struct pm_places {
    pm_u64 units[PM_STRIDE];
    pm_u32 rest[PM_STRIDE], odd_lap[PM_STRIDE];
    pm_place stride;
} pm_places;

pm_fn pm_place pm_place_at(const pm_places *places, pm_u32 i) {
    pm_place place;
    place.units = places->units[i];
    place.rest = places->rest[i];
    place.odd_lap = places->odd_lap[i];
    return place;
}

pm_fn void pm_set_place(pm_places *places, pm_u32 i, pm_place place) {
    places->units[i] = place.units;
    places->rest[i] = place.rest;
    places->odd_lap[i] = place.odd_lap;
}

/* Samples k to k + PM_STRIDE. */
pm_fn void pm_places_from(pm_uniform_map map, pm_u64 k, pm_places *places) {
    pm_place place = pm_place_of(map, k * map.step + map.start);
    pm_place step = pm_place_of(map, map.step);
    PM_NO_UNROLL
    for (pm_u32 i = 0; i < PM_STRIDE; i++) {
        pm_set_place(places, i, place);
        place = pm_place_sum(map, place, step);
    }
    PM_NO_UNROLL
    for (pm_u32 samples = 1; samples < PM_STRIDE; samples *= 2)
        step = pm_place_sum(map, step, step);
    places->stride = step;
}

/* Writes the cursors of PM_STRIDE samples, and moves on to the next. */
pm_fn void pm_places_next(pm_uniform_map map, pm_places *places, pm_cursor *cursors) {
    for (pm_u32 i = 0; i < PM_STRIDE; i++) {
        pm_place place = pm_place_at(places, i);
        cursors[i] = pm_cursor_of(map, place);
        pm_set_place(places, i, pm_place_sum(map, place, places->stride));
    }
}

#endif
