/* SPDX-License-Identifier: MIT
 *
 * Building clips on a device that has double: keys as they are given, and planes. The formulas are those
 * of the host, in one lane, and so are the bits.
 */
#ifndef PM_BUILD_H
#define PM_BUILD_H

#include "pm_key_codes.h"
#include "pm_window.h"

#ifndef PM_COMPONENTS
#define PM_COMPONENTS 4
#endif

#if PM_DOUBLES == 1

/* The track of the work-item, and its chunk, range or segment. False: the launch has no such item, or the track
 * no keys. */
pm_fn bool pm_item_of(const pm_build_job *job, pm_global const pm_build_track *tracks, pm_u32 *row,
                      pm_build_track *track, pm_u32 *index) {
    const pm_u32 item = job->skipped + pm_global_id(0), piece = item / job->track_count;
    if (pm_global_id(0) >= job->count)
        return false;
    *index = item - piece * job->track_count;
    *row = job->first + piece;
    *track = tracks[*index];
    return track->row != 0;
}

/* A number of an array. Subnormal floats are converted in integers, because devices may make them 0. */
pm_fn double pm_given_number(pm_global const pm_u32 *numbers, pm_build_array array, pm_u64 at) {
    if (array.doubles)
        return ((pm_global const double *)numbers)[at];
    const pm_u32 bits = numbers[at];
    if ((bits & 0x7f800000u) != 0)
        return (double)as_float(bits);
    const double magnitude = (double)(bits & 0x7fffffu) * 0x1p-149;
    return bits >> 31 ? -magnitude : magnitude;
}

/* The row of a key in an array of so many components, with 0 for missing ones. */
pm_fn dquat pm_given_key(pm_global const pm_u32 *numbers, pm_build_array array,
                         const pm_build_track *track, pm_u32 components, pm_u64 key) {
    const pm_u64 at = track->item * components + key * array.stride;
    dquat q;
    q.x = pm_given_number(numbers, array, at);
    q.y = pm_given_number(numbers, array, at + 1);
    q.z = pm_given_number(numbers, array, at + 2);
    q.w = components == 4 ? pm_given_number(numbers, array, at + 3) : 0.0;
    return q;
}

/* A key of unit length where it has to have it, with the sign that it was given. */
pm_fn dquat pm_own_key(pm_global const pm_u32 *numbers, const pm_build_job *job,
                       const pm_build_track *track, pm_u64 key) {
    const dquat q = pm_given_key(numbers, job->keys, track, PM_COMPONENTS, key);
#if PM_COMPONENTS == 4
    return pm_normalised(q, job->keeps_length != 0);
#else
    return q;
#endif
}

/* The first number of a row, which may be -1, and of a plane in it. */
pm_fn pm_u64 pm_built_row(const pm_build_track *track, pm_s64 row, pm_u32 plane) {
    return (pm_u64)((pm_s64)track->planes + row * (pm_s64)track->row) +
           plane * (pm_u64)track->plane;
}

pm_fn void pm_store_plane(pm_global float *planes, pm_u64 at, dquat q) {
    planes[at] = (float)pm_kept(q.x);
    planes[at + 1] = (float)pm_kept(q.y);
    planes[at + 2] = (float)pm_kept(q.z);
    planes[at + 3] = (float)pm_kept(q.w);
}

/* What is stored of keys: themselves, or codes. pm_codes_of(q) are those nearest to q, with its sign, and pm_key_of
 * is the key that they are. */
#if PM_KEYS == 0

typedef dquat pm_built_key;

pm_fn dquat pm_codes_of(dquat q) {
    return q;
}

pm_fn dquat pm_key_of(dquat q) {
    return q;
}

pm_fn dquat pm_codes_flipped(dquat q, dmask mask) {
    return dquat_flipped(q, mask);
}

pm_fn void pm_store_key(pm_global float *planes, pm_u64 at, dquat q) {
    pm_store_plane(planes, at, q);
}

pm_fn dquat pm_stored_row(pm_global const float *planes, const pm_build_track *track, pm_s64 row) {
    const pm_u64 at = pm_built_row(track, row, 0);
    dquat q;
    q.x = planes[at];
    q.y = planes[at + 1];
    q.z = planes[at + 2];
    q.w = planes[at + 3];
    return q;
}

#else

#ifdef __ENDIAN_LITTLE__
#define PM_IS_UPPER_HALF(word) (((word)&1) != 0)
#else
#define PM_IS_UPPER_HALF(word) (((word)&1) == 0)
#endif

typedef pm_codes pm_built_key;

pm_fn pm_codes pm_codes_flipped(pm_codes k, dmask mask) {
    if (PM_KEYS == 1)
        k.sign ^= mask & (int)0x80000000u;
    else
        k.c ^= mask & 1;
    return k;
}

pm_fn pm_codes pm_codes_of(dquat q) {
    const dcodes codes = dcodes_of(PM_KEYS, q);
    pm_codes k;
    k.a = (int)codes.number[0];
    k.b = (int)codes.number[1];
    k.c = (int)codes.number[2];
    k.sign = 0;
    return pm_codes_flipped(k, codes.turned);
}

pm_fn dquat pm_key_of(pm_codes k) {
    const pm_quat q = pm_codes_quat(k);
    dquat key;
    key.x = q.x;
    key.y = q.y;
    key.z = q.z;
    key.w = q.w;
    return key;
}

/* Into zeros. The word of signs has those of 16 keys, which other work-items store. */
pm_fn void pm_store_key(pm_global pm_s16 *keys, pm_u64 at, pm_codes k) {
    const pm_u32 in_group = pm_key_in_group(at);
    const pm_u64 group = (at >> 2) / PM_KEY_GROUP * PM_KEY_WORDS, word = group + 3 * PM_KEY_GROUP;
    keys[group + in_group] = (pm_s16)k.a;
    keys[group + in_group + PM_KEY_GROUP] = (pm_s16)k.b;
    keys[group + in_group + 2 * PM_KEY_GROUP] = (pm_s16)k.c;
    if (PM_KEYS == 1 && k.sign < 0)
        atomic_or((volatile pm_global pm_u32 *)keys + word / 2,
                  1u << (in_group + (PM_IS_UPPER_HALF(word) ? 16 : 0)));
}

pm_fn pm_codes pm_stored_row(pm_global const pm_s16 *keys, const pm_build_track *track,
                             pm_s64 row) {
    return pm_load_codes(keys, PM_KEY_WORDS, pm_built_row(track, row, 0));
}

#endif

/* What is stored of a key, but for the sign. */
pm_fn pm_built_key pm_own_codes(pm_global const pm_u32 *numbers, const pm_build_job *job,
                                const pm_build_track *track, pm_u64 key) {
    return pm_codes_of(pm_own_key(numbers, job, track, key));
}

/* A stored key as segments are built from it. */
pm_fn dquat pm_key_again(pm_global const pm_stored_key *planes, const pm_build_job *job,
                         const pm_build_track *track, pm_s64 row) {
    const dquat q = pm_key_of(pm_stored_row(planes, track, row));
#if PM_COMPONENTS == 4 && PM_KEYS == 0
    return pm_normalised_again(q, job->keeps_length != 0);
#else
    return q;
#endif
}

pm_fn bool pm_is_single(const pm_build_track *track) {
    return track->key_count == 1;
}

/* Key i of a track. In a loop, i may continue past either end, with the sign of that lap. */
pm_fn dquat pm_key_at(pm_global const pm_stored_key *planes, const pm_build_job *job,
                      const pm_build_track *track, double wrap, pm_s64 i) {
    const pm_s64 count = pm_is_single(track) ? 2 : (pm_s64)track->key_count;
    if (!track->loop || (i >= 0 && i < count))
        return pm_key_again(planes, job, track, i);
    const pm_s64 row = i < 0 ? (pm_s64)track->key_count - 1 : i - count;
    return dquat_scaled(pm_key_again(planes, job, track, row), wrap);
}

/* A window of the one segment `i`, with PM_NEEDS_LOGS if asked for. */
pm_fn void pm_look(pm_window *w, pm_global const pm_stored_key *planes,
                   pm_global const double *times, const pm_build_job *job,
                   const pm_build_track *track, double wrap, pm_s64 i, pm_u32 needs) {
    w->rules = job->rules;
    w->segment_count = (ptrdiff_t)track->segment_count;
    w->loop = track->loop != 0;
    w->single = pm_is_single(track);
    w->first = (ptrdiff_t)i;
    w->end = w->first + 1;
    for (int k = 0; k < 4; k++)
        if ((k > 0 || pm_window_has(w, i - 1)) && (k < 3 || pm_window_has(w, i + 1)))
            w->keys[k] = pm_key_at(planes, job, track, wrap, i - 1 + k);
    for (int k = 0; k < 3; k++) {
        if (!pm_window_has(w, i - 1 + k))
            continue;
        const pm_u64 at = (pm_u64)(i - 1 + k + w->segment_count) % (pm_u64)w->segment_count;
        w->lengths[k] = times[track->times + at + 1] - times[track->times + at];
        if (needs & PM_NEEDS_LOGS)
            w->logs[k] = pm_step_log(w->keys[k], w->keys[k + 1]);
    }
}

#endif
#endif
