/* SPDX-License-Identifier: MIT
 *
 * Key times in ticks, as pm_crowd_place of kernels/pm_crowd.h reads them.
 */
#include <math.h>

#include "crowd.h"
#include "status.h"

static const double most_seconds = 0x1p30;

int64_t pm_crowd_ticks(double seconds) {
    double ticks = rint(seconds * PM_TICKS_PER_SECOND);
    if (isnan(ticks))
        return 0;
    if (ticks >= 0x1p63)
        return INT64_MAX;
    return ticks < -0x1p63 ? INT64_MIN : (int64_t)ticks;
}

/* Segments a tick as a 64-bit fraction: rate 2^(64 - shift), and the shift the least there is. */
static void set_rate(pm_crowd_timeline *row, pm_rational rate) {
    pm_u128 num = (pm_u128)rate.num, den = (pm_u128)rate.den;
    while (num >= den << row->shift)
        row->shift++;
    row->rate = (pm_u64)((num << (64 - row->shift)) / den);
    pm_u128 slack = num / den + 1;
    row->slack = slack < UINT32_MAX ? (pm_u32)slack : UINT32_MAX;
}

/* Of `segments` uniform ones, to the nearest tick. */
static pm_u64 uniform_period(size_t segments, pm_rational rate) {
    pm_u128 num = (pm_u128)rate.num;
    return (pm_u64)((((pm_u128)segments * (pm_u128)rate.den << 33) / num + 1) >> 1);
}

/* Since the timeline's first key; nearest to those since `first`, which is where its lag counts
 * from. Loops are as long as their period, wherever they begin. */
static pm_u64 ticks_to(const pm_placed_timeline *timeline, size_t border, double first) {
    if (timeline->loop)
        return (pm_u64)pm_crowd_ticks(timeline->times[border] - timeline->first);
    return (pm_u64)(pm_crowd_ticks(timeline->times[border] - first) -
                    pm_crowd_ticks(timeline->first - first));
}

pm_status pm_crowd_add_timeline(pm_crowd *crowd, const pm_placed_timeline *timeline, double first,
                                pm_error *error) {
    pm_crowd_timeline *row = &crowd->timelines[crowd->timeline_count];
    double seconds =
        timeline->times[timeline->segment_count] - (timeline->loop ? timeline->first : first);
    if (!(seconds <= most_seconds))
        return pm_fail(error, PM_ERROR_TIME, "lasts longer than 2^30 s");
    if (timeline->segment_count > PM_PLACE_SEGMENT || crowd->time_count > UINT32_MAX)
        return pm_fail(error, PM_ERROR_SIZE, "has too many keys");
    *row = (pm_crowd_timeline){.lag = (pm_u64)pm_crowd_ticks(timeline->first - first),
                               .segments = (pm_u32)timeline->segment_count,
                               .times = (pm_u32)crowd->time_count};
    if (timeline->uniform && !timeline->constant) {
        set_rate(row, timeline->rate);
        row->period = uniform_period(timeline->segment_count, timeline->rate);
        if (row->lag && !timeline->loop)
            row->period = ticks_to(timeline, timeline->segment_count, first);
    } else {
        for (size_t i = 0; i <= timeline->segment_count; i++)
            crowd->times[crowd->time_count++] = ticks_to(timeline, i, first);
        row->period = crowd->times[crowd->time_count - 1];
    }
    row->period = row->period ? row->period : 1;
    crowd->timeline_count++;
    return PM_OK;
}
