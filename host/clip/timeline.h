/* SPDX-License-Identifier: MIT
 *
 * Key times, and finding the place of a sample among them: exactly, in double or in
 * integers, never in float seconds.
 */
#ifndef PM_HOST_TIMELINE_H
#define PM_HOST_TIMELINE_H

#include "base/base.h"

typedef struct pm_clip_timeline {
    size_t given_keys;    /* as described */
    size_t key_count;     /* without a loop's closing key */
    size_t segment_count; /* at least 1 */
    bool constant;        /* one key: every place is (0, 0) */
    bool loop;
    bool uniform; /* all segments last den/num of rate, the closing one too */
    bool closes;  /* the last key given repeats the first and was dropped */
    pm_rational rate;
    double first;
    double period; /* of a loop */
    double *times; /* segment_count + 1 borders of segments; owned */
    /* Of listed times, segment_count stretches of equal length: for each and for what follows
     * the last, the last border in a stretch before it, or 0. Owned; NULL when uniform. */
    pm_u32 *index;
    double stretches_per_second;
    pm_u32 rates; /* where its segments' rates start among those of its clip */
} pm_clip_timeline;

/* Checks a timeline's numbers, without its loop. */
pm_status pm_timeline_check(const pm_timeline *timeline, size_t index, pm_error *error);

/* Time of key i of a checked timeline. */
double pm_timeline_time(const pm_timeline *timeline, size_t i);

/* Checks the period against the keys; *closes as in pm_clip_timeline. */
pm_status pm_timeline_check_loop(const pm_timeline *timeline, double period, bool *closes,
                                 pm_error *error);

/* From a checked timeline and period (0: open). Free with pm_timeline_free. */
pm_status pm_timeline_build(const pm_timeline *timeline, double period, pm_clip_timeline *out,
                            pm_error *error);
void pm_timeline_free(pm_clip_timeline *timeline);

/* Place of a time, finite in a loop and not NaN. *hint is a segment to try first. */
pm_cursor pm_timeline_locate(const pm_clip_timeline *timeline, double time, size_t *hint);

/* Place of sample k of a cadence on uniform keys. */
pm_cursor pm_timeline_locate_exact(const pm_clip_timeline *timeline, const pm_exact_uniform_map *c,
                                   uint64_t k);

#endif
