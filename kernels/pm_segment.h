/* SPDX-License-Identifier: MIT
 *
 * The data of a method's segment: the types shared by the clip's layout in memory, the
 * kernels that load it and the headers that turn it into a curve.
 *
 * A method `m` is a header that defines, for its segments,
 *   pm_m_coefficients, pm_m_constants  the number of planes it stores beside the keys
 *   pm_m_four_keys                 1: it stores nothing beside the keys, and reads those beside the
 *                                  segment (pm_key_before and so on)
 *   pm_m_passes                    1: the curve passes through its keys, bit for bit; 2: through
 *                                  its keys, normalised (pm_key_passed)
 *   pm_m_segment                   the state that all samples of a segment share
 *   pm_m_begin(data)               pm_segment_data -> pm_m_segment
 *   pm_m_basis_size                   the number of functions of u alone that its values need
 *   pm_m_basis(u, basis)         computes them, for u in [0, 1] (pm_basis.h)
 *   pm_m_at(segment, basis)        the value at the u of the basis
 *   pm_m_has_fast_path             1: pm_m_fast exists, a faster formula that is nearly always
 *                                  valid
 *   pm_m_fast(segment, basis, &failed)  the same bits as pm_m_at, except in the lanes that it
 *                                  sets in `failed`
 *   pm_m_motion(segment, u)        rotations only: the same formula with its derivatives by u,
 *                                  up to its length: without gains and renormalisation, and
 *                                  without a fast path, because its speed is not critical
 *   pm_m_slope(segment, u)         vectors only: the derivative by u
 * pm_at_ends returns the keys that are passed at u = 0 and u = 1. The bits of a lane never depend on
 * the neighbouring lanes.
 */
#ifndef PM_SEGMENT_H
#define PM_SEGMENT_H

#include "pm_basis.h"

#define PM_MAX_COEFFICIENTS 4
#define PM_MAX_CONSTANTS 2

typedef struct pm_segment_data {
    pm_quat key;                               /* of key i */
    pm_quat next;                              /* of key i + 1 */
    pm_quat coefficients[PM_MAX_COEFFICIENTS]; /* of segment i, computed when the clip is built */
    pm_quat constants[PM_MAX_CONSTANTS];       /* of the track, the same for all its segments */
} pm_segment_data;

/* Of curves with four keys: the keys i - 1 and i + 2, which take the place of coefficients, and the
 * segment's duration over that of the segment before it and behind it, in the place of a constant. At
 * an end of an open track there is no such key, and PM_END_... is in the place of the quotient. */
pm_fn pm_quat pm_key_before(const pm_segment_data *data) {
    return data->coefficients[0];
}

pm_fn pm_quat pm_key_after(const pm_segment_data *data) {
    return data->coefficients[1];
}

pm_fn real pm_spacing_before(const pm_segment_data *data) {
    return data->constants[0].x;
}

pm_fn real pm_spacing_after(const pm_segment_data *data) {
    return data->constants[0].y;
}

pm_fn void pm_set_spacing(pm_segment_data *data, real before, real after) {
    data->constants[0] = pm_quat_of(before, after, PM_REAL(0.0f), PM_REAL(0.0f));
}

/* The spacing of a segment in memory, where the constants of other curves are. */
#define PM_SPACING_FLOATS 2

/* Spacings at an end: minus the number of the rule for its velocity. */
#define PM_END_ZERO 0.0f
#define PM_END_CHORD (-1.0f)
#define PM_END_NATURAL (-2.0f)
#define PM_END_PARABOLA (-3.0f)

/* Whether u is 0 or 1 in some lane. */
pm_fn pm_u32 pm_any_on_key(real u) {
    return pm_any((u == PM_REAL(0.0f)) | (u == PM_REAL(1.0f))) ? 1 : 0;
}

/* The value at a key of a curve whose pm_m_passes is `passes`. Where keys may have other lengths
 * than 1, the key is normalised. The bits of a key remain if no more than rounding separates its
 * length from 1: such keys are stored normalised, and nearly all are. */
pm_fn pm_quat pm_key_passed(pm_quat key, int passes) {
    if (passes < 2)
        return key;
    real length2 = pm_quat_norm2(key);
    pm_mask is_other = (length2 <= PM_REAL(1.0f - 4e-7f)) | (length2 >= PM_REAL(1.0f + 4e-7f));
    if (!pm_any(is_other))
        return key;
    real scale = pm_exact_inverse(pm_exact_root(length2));
    return pm_quat_scaled(key, pm_select(is_other, scale, PM_REAL(1.0f)));
}

/* For curves that pass through their keys: the keys at u = 0 and u = 1. Few samples lie on a key,
 * and joints of one instance do so together: a test is predicted. */
pm_fn pm_quat pm_at_ends(const pm_segment_data *data, real u, pm_quat value, int passes) {
    pm_mask first = u == PM_REAL(0.0f), last = u == PM_REAL(1.0f);
    if (!pm_any_on_key(u))
        return value;
    pm_quat key = pm_quat_select(last, data->next, data->key);
    return pm_quat_select(first | last, pm_key_passed(key, passes), value);
}

/* The position of a sample: the segment, and the fraction u of it. PM_CURSOR_ODD_LAP is set in
 * `segment` on odd laps of a loop, where a track whose wrap is -1 has its sign flipped;
 * PM_CURSOR_AT_REST is set outside the keys of an open track, where nothing moves. */
typedef struct pm_cursor {
    pm_u32 segment;
    float u;
} pm_cursor;

/* The float32 below 1: the u of a sample so near the next key that its u would round to 1. A
 * sample before a key never takes the value of the key. */
#define PM_CURSOR_BELOW_ONE 0.999999940395355224609375f

/* The float32 nearest to fraction/2^32, or to (fraction + x)/2^32 with 0 < x < 1 if `is_more`;
 * truncated to a multiple of 2^-32 where float32 has smaller steps. An odd last bit represents
 * the truncated part, so that the 24 bits of a float32 are rounded once, as if all bits were
 * present. */
pm_fn float pm_cursor_fraction(pm_u32 fraction, pm_u32 is_more) {
    pm_u32 odd = fraction > 0 && is_more ? 1u : 0u;
    float u = (float)(fraction | odd) * 2.32830643653869628906e-10f;
    return u < PM_CURSOR_BELOW_ONE ? u : PM_CURSOR_BELOW_ONE;
}

#define PM_CURSOR_ODD_LAP 0x80000000u
#define PM_CURSOR_AT_REST 0x40000000u
#define PM_CURSOR_SEGMENT 0x3fffffffu

/* The location of a track's planes, in floats from the start of the keys. Key formats other than
 * float32 (pm_keys.h) use the same units, as if each key were four floats. */
typedef struct pm_track_layout {
    pm_u64 first;    /* plane 0 of its key 0 */
    pm_u32 row;      /* from a key to the next */
    pm_u32 plane;    /* from a plane to the next */
    pm_u32 timeline; /* which row of cursors the samples of a grid use for this track */
    pm_u32
        rates; /* index of the rate, 1/(duration in s), and of the spacing of its first segment */
    pm_u32 unused; /* keeps the size a multiple of 8 */
    float wrap;
} pm_track_layout;

#endif
