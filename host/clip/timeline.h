/* SPDX-License-Identifier: MIT
 *
 * Key times, and the sample positions (cursors) on them: exact, in double or in integers, never
 * in float seconds.
 */
#ifndef PM_HOST_TIMELINE_H
#define PM_HOST_TIMELINE_H

#include "base/base.h"

typedef struct pm_clip_timeline {
    size_t key_count;     /* without a loop's closing key */
    size_t segment_count; /* at least 1 */
    bool constant;        /* one key: every cursor is segment 0, u 0, at rest */
    bool loop;
    bool uniform; /* all segments last den/num of rate, the closing one too */
    bool closes;  /* the last key given repeats the first and was dropped */
    pm_rational rate;
    double first;
    double period; /* of a loop */
    double *times; /* owned: segment_count + 1 borders of segments */
    /* Owned; NULL when uniform. For listed times, the span is divided into segment_count stretches
     * of equal length. Entry i is the last border in a stretch before stretch i, or 0; a further
     * entry follows the last stretch. */
    pm_u32 *index;
    pm_u32 crowding; /* the largest difference between two entries of the index */
    double stretches_per_second;
    /* The number of its first segment among those of the clip, as of their rates and spacings. */
    pm_u32 rates;
} pm_clip_timeline;

/* Checks a timeline's numbers, without its loop. */
pm_status pm_timeline_check(const pm_timeline *timeline, size_t index, pm_error *error);

/* Time of key i of a checked timeline. */
double pm_timeline_time(const pm_timeline *timeline, size_t i);

/* Checks the period against the keys; *closes as in pm_clip_timeline. */
pm_status pm_timeline_check_loop(const pm_timeline *timeline, double period, bool *closes,
                                 pm_error *error);

/* From a checked timeline and period (0: open). Free with pm_timeline_free. */
pm_status pm_timeline_build(const pm_host *host, const pm_timeline *timeline, double period,
                            pm_clip_timeline *out, pm_error *error);
void pm_timeline_free(pm_clip_timeline *timeline);

/* The cursor of a time, which must not be NaN, and must be finite in a loop. *hint is the segment
 * to try first. */
pm_cursor pm_timeline_locate(const pm_clip_timeline *timeline, double time, size_t *hint);

/* The same for many times. Neighbouring times in one segment are fastest. */
void pm_timeline_locate_times(const pm_clip_timeline *timeline, const double *times, size_t count,
                              pm_cursor *cursors);

/* The cursor of sample k of a uniform sampling map, on uniform keys. */
pm_cursor pm_timeline_locate_exact(const pm_clip_timeline *timeline, const pm_exact_uniform_map *c,
                                   uint64_t k);

#endif
