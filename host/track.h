/* SPDX-License-Identifier: MIT
 *
 * One track as segment builders see it: keys as they are stored, in double, with a
 * loop's keys continued over both ends.
 */
#ifndef PM_HOST_TRACK_H
#define PM_HOST_TRACK_H

#include <posemill/posemill.h>

#include "dquat.h"

/* Rows of a pm_array that belong to one track. data NULL: not given. */
typedef struct pm_rows_of_track {
    const unsigned char *data;
    pm_number type;
    size_t stride; /* bytes from key to key */
} pm_rows_of_track;

double pm_number_at(const pm_rows_of_track *rows, size_t row, size_t component);

typedef struct pm_track {
    size_t key_count; /* at least 2: a single key is there twice */
    size_t segment_count;
    bool loop;
    double wrap;         /* of a loop: the sign with which key 0 follows the last key */
    const dquat *keys;   /* unit and unrolled, float32 but for their norm; or vectors, w 0 */
    const double *times; /* segment_count + 1 borders of segments */
    dvec3 *logs;         /* of the steps from key to key, once they were found */
    const pm_clip_desc *desc;
    size_t index;
    bool single; /* one key, there twice */
    unsigned components;
    pm_rows_of_track user_tangents;
    pm_rows_of_track tangents_in, tangents_out; /* of cubicspline */
} pm_track;

/* Key i; in a loop any i, else 0 <= i < key_count. */
dquat pm_track_key(const pm_track *track, ptrdiff_t i);

/* Length of segment i in seconds; in a loop any i. */
double pm_track_length(const pm_track *track, ptrdiff_t i);

/* Whether there is a segment i; in a loop always. */
bool pm_track_has(const pm_track *track, ptrdiff_t i);

/* Whether keys i and i + 1 are the same, bit for bit. */
bool pm_track_repeats(const pm_track *track, ptrdiff_t i);

/* Fills track->logs, which has room for one a key: for builders that ask for them. */
void pm_track_find_logs(const pm_track *track);

/* log(q_i^-1 q_{i+1}); only after pm_track_find_logs. */
dvec3 pm_track_log(const pm_track *track, ptrdiff_t i);

/* Rounds to float32 the way keys and extras are stored: magnitudes below 2^-60 become
 * +0, because devices differ in what they do with products of tinier numbers. */
float pm_stored(double value);

#endif
