/* SPDX-License-Identifier: MIT
 *
 * What a method's segment is made from: the shapes shared by the clip's layout in
 * memory, the kernels that load it and the headers that turn it into a curve.
 *
 * A method `m` is a header that defines, for its segments,
 *   pm_m_coefficients, pm_m_constants     how many planes it stores beside the keys
 *   pm_m_passes                   1: passes through its keys, to the bit
 *   pm_m_segment                  what all samples of a segment share
 *   pm_m_begin(rows)              pm_segment_data -> pm_m_segment
 *   pm_m_at(segment, u)           the value at u in [0, 1]
 *   pm_m_tries                    1: most of the time a faster formula will do, which is
 *   pm_m_try(segment, u, &failed) the same bits but for lanes that are set in `failed`
 *   pm_m_motion(segment, u)       of rotations: the same formula with its derivatives by u,
 *                                 but for its length: without gains and renormalisation,
 *                                 and in one form, for speed is no object
 * The keys' own bits at 0 and 1 are pm_at_ends's business. A lane's bits never depend on
 * its neighbours.
 */
#ifndef PM_SEGMENT_H
#define PM_SEGMENT_H

#include "pm_quat.h"

#define PM_MAX_COEFFICIENTS 4
#define PM_MAX_CONSTANTS 2

typedef struct pm_segment_data {
    pm_quat key;                               /* of key i */
    pm_quat next;                              /* of key i + 1 */
    pm_quat coefficients[PM_MAX_COEFFICIENTS]; /* of segment i, made when the clip is built */
    pm_quat constants[PM_MAX_CONSTANTS];       /* of the track, the same for all its segments */
} pm_segment_data;

/* A curve passes through its keys to the bit: at u 0 and 1 the keys themselves count. */
pm_fn pm_quat pm_at_ends(const pm_segment_data *data, real u, pm_quat value) {
    value = pm_quat_select(u == PM_REAL(0.0f), data->key, value);
    return pm_quat_select(u == PM_REAL(1.0f), data->next, value);
}

/* Where a sample lies: the segment, and how far into it. One bit of `segment` is set on
 * odd laps of a loop, where a track of wrap -1 shows its other sign; one outside the keys
 * of an open track, where nothing moves. */
typedef struct pm_cursor {
    pm_u32 segment;
    float u;
} pm_cursor;

/* The float32 below 1: u of what is so near the next key that it would round to it. A sample
 * before a key is never the key. */
#define PM_CURSOR_BELOW_ONE 0.999999940395355224609375f

/* `fraction` of 2^32, or more than that by less than 1: the nearest float32, but cut to 2^-32 where
 * float32 would show less. An odd last bit stands for what was cut off: the 24 bits of a float32
 * are then rounded as if all were there, not twice. */
pm_fn float pm_cursor_fraction(pm_u32 fraction, pm_u32 is_more) {
    pm_u32 odd = fraction > 0 && is_more ? 1u : 0u;
    float u = (float)(fraction | odd) * 2.32830643653869628906e-10f;
    return u < PM_CURSOR_BELOW_ONE ? u : PM_CURSOR_BELOW_ONE;
}

#define PM_CURSOR_ODD_LAP 0x80000000u
#define PM_CURSOR_AT_REST 0x40000000u
#define PM_CURSOR_SEGMENT 0x3fffffffu

/* Where a track's planes lie, in floats from the start of the keys; in other formats than
 * float32 (pm_keys.h) likewise, as if each key were four numbers. */
typedef struct pm_track_layout {
    pm_u64 first;    /* plane 0 of its key 0 */
    pm_u32 row;      /* from a key to the next */
    pm_u32 plane;    /* from a plane to the next */
    pm_u32 timeline; /* which row of places its samples of a grid are in */
    pm_u32 rates;    /* where the rates of its segments start, one over their seconds */
    pm_u32 unused;   /* keeps the size a multiple of 8 */
    float wrap;
} pm_track_layout;

#endif
