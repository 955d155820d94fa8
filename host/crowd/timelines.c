/* SPDX-License-Identifier: MIT
 *
 * Converts key times to ticks, in the form that pm_crowd_locate of kernels/pm_crowd.h reads.
 */
#include "layout.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

static const double max_seconds = 0x1p30;

int64_t pm_crowd_ticks(double seconds) {
    double ticks = rint(seconds * PM_TICKS_PER_SECOND);
    if (isnan(ticks))
        return 0;
    if (ticks >= 0x1p63)
        return INT64_MAX;
    return ticks < -0x1p63 ? INT64_MIN : (int64_t)ticks;
}

/* Stores the number of segments per tick as a 64-bit fraction: rate * 2^(64 - shift), with the
 * minimum shift. */
static void set_rate(pm_crowd_timeline *row, pm_rational rate) {
    pm_u128 num = (pm_u128)rate.num, den = (pm_u128)rate.den;
    while (num >= den << row->shift)
        row->shift++;
    row->rate = (pm_u64)((num << (64 - row->shift)) / den);
    pm_u128 slack = num / den + 1;
    row->slack = slack < UINT32_MAX ? (pm_u32)slack : UINT32_MAX;
}

/* The duration of `segments` uniform segments, rounded to the nearest tick. */
static pm_u64 uniform_period(size_t segments, pm_rational rate) {
    pm_u128 num = (pm_u128)rate.num;
    return (pm_u64)((((pm_u128)segments * (pm_u128)rate.den << 33) / num + 1) >> 1);
}

/* The period of a looped clip in ticks, at least 1, common to all its joints. Where some joint has
 * uniform keys, the period follows from their rate, which is exact. 0 for an open clip. */
static pm_u64 loop_ticks(const pm_clip_data *clip) {
    const double period = clip->timelines[0].period; /* equal for all timelines */
    pm_u64 ticks = (pm_u64)pm_crowd_ticks(period);
    if (period == 0)
        return 0;
    for (size_t t = 0; t < clip->track_count; t++) {
        const pm_clip_timeline *line = &clip->timelines[clip->timeline_of[t]];
        if (line->loop && line->uniform) {
            ticks = uniform_period(line->segment_count, line->rate);
            break;
        }
    }
    return ticks ? ticks : 1;
}

/* Ticks from the timeline's first key to a segment border. For an open timeline, both times are
 * rounded relative to `first`, the origin of its lag. A loop does not depend on its origin. */
static pm_u64 ticks_to(const pm_clip_timeline *timeline, size_t border, double first) {
    if (timeline->loop)
        return (pm_u64)pm_crowd_ticks(timeline->times[border] - timeline->first);
    return (pm_u64)(pm_crowd_ticks(timeline->times[border] - first) -
                    pm_crowd_ticks(timeline->first - first));
}

/* Ticks from the clip's first key, at `first`, to the timeline's first key. For a loop, whole
 * periods are subtracted, before rounding to ticks. */
static pm_u64 lag_of(const pm_clip_timeline *timeline, double first, pm_u64 loop) {
    const double lag = timeline->first - first;
    if (timeline->loop)
        return (pm_u64)pm_crowd_ticks(fmod(lag, timeline->period)) % loop;
    return (pm_u64)pm_crowd_ticks(lag);
}

/* Sets the reciprocals of the segments' lengths, as pm_crowd_locate_listed halves them. */
static void set_reciprocals(pm_key_time *times, size_t segments) {
    for (size_t i = 0; i < segments; i++) {
        pm_u64 length = times[i + 1].ticks - times[i].ticks;
        while (length > UINT32_MAX)
            length >>= 1;
        times[i].reciprocal = length ? PM_RECIPROCAL(length) : 0;
    }
}

/* Rows of listed keys, with their buckets at most. */
static size_t rows_of_listed(size_t segments) {
    return segments + 1 + segments / 2 + 1;
}

/* Makes the buckets behind a timeline's key times, at most two of each segment, and returns their rows. */
static size_t add_buckets(pm_key_time *times, pm_crowd_timeline *row) {
    pm_key_time *rows = times + row->segments + 1;
    const pm_u64 end = times[row->segments].ticks ? times[row->segments].ticks : 1;
    while (end >> row->shift >= (pm_u64)2 * row->segments)
        row->shift++;
    const size_t buckets = (size_t)(end >> row->shift) + 1;
    const size_t count = (buckets + 1) * sizeof(pm_u32) / sizeof *rows + 1;
    pm_u32 *first = memset(rows, 0, count * sizeof *rows), segment = 0;
    for (size_t b = 0; b < buckets; b++) {
        while (segment + 1 < row->segments && times[segment + 1].ticks <= (pm_u64)b << row->shift)
            segment++;
        first[b] = segment;
    }
    first[buckets] = row->segments - 1;
    return count;
}

/* Appends listed key times: one more than there are segments. They have space. */
static void add_times(pm_new_timelines *all, const pm_clip_timeline *timeline, double first,
                      pm_u64 loop, pm_crowd_timeline *row) {
    pm_key_time *times = all->times + all->time_count;
    for (size_t i = 0; i <= row->segments; i++)
        times[i] = (pm_key_time){.ticks = ticks_to(timeline, i, first)};
    if (timeline->loop)
        times[row->segments].ticks = loop;
    set_reciprocals(times, row->segments);
    row->period = times[row->segments].ticks;
    all->time_count += row->segments + 1 + add_buckets(times, row);
}

/* The array with room for `wanted` elements. NULL: no memory, and the array stays. */
static void *grown(const pm_host *host, void *array, size_t *room, size_t wanted, size_t element) {
    if (wanted <= *room)
        return array;
    wanted += wanted / 2;
    void *larger =
        wanted <= SIZE_MAX / element ? pm_reallocate(host, array, wanted * element) : NULL;
    *room = larger ? wanted : *room;
    return larger;
}

/* Room for a timeline and its key times behind those that there are. */
static bool make_room(pm_new_timelines *all, size_t times) {
    pm_crowd_timeline *timelines =
        grown(all->host, all->timelines, &all->room, all->count + 1, sizeof *timelines);
    if (!timelines)
        return false;
    all->timelines = timelines;
    pm_timeline_rate *rates =
        grown(all->host, all->rates, &all->rate_room, all->count + 1, sizeof *rates);
    if (!rates)
        return false;
    all->rates = rates;
    pm_key_time *more =
        grown(all->host, all->times, &all->time_room, all->time_count + times, sizeof *more);
    if (!more)
        return false;
    all->times = more;
    return true;
}

/* `first` is the time of the clip's first key or earlier, in seconds. */
static pm_status add_timeline(pm_new_timelines *all, const pm_clip_timeline *timeline, double first,
                              pm_u64 loop, pm_error *error) {
    const size_t times = pm_used_before(all->before, PM_TABLE_TIMES) + all->time_count;
    double seconds = loop ? timeline->period : timeline->times[timeline->segment_count] - first;
    if (!(seconds <= max_seconds))
        return pm_fail(error, PM_ERROR_TIME, "the clip is %g s long, expected at most 2^30 s",
                       seconds);
    if (timeline->segment_count > PM_CURSOR_SEGMENT || times > UINT32_MAX)
        return pm_fail(error, PM_ERROR_SIZE, "the crowd's clips have too many keys");
    if (!make_room(all, rows_of_listed(timeline->segment_count)))
        return pm_fail_memory(error);
    pm_crowd_timeline *row = &all->timelines[all->count];
    *row = (pm_crowd_timeline){.lag = lag_of(timeline, first, loop),
                               .segments = (pm_u32)timeline->segment_count};
    if (timeline->uniform && !timeline->constant) {
        set_rate(row, timeline->rate);
        row->period = uniform_period(timeline->segment_count, timeline->rate);
        if (row->lag)
            row->period = ticks_to(timeline, timeline->segment_count, first);
    } else {
        row->times = (pm_u32)times;
        add_times(all, timeline, first, loop, row);
    }
    row->period = timeline->loop ? loop : row->period ? row->period : 1;
    all->rates[all->count++] = (pm_timeline_rate){
        row->rate ? (float)((double)timeline->rate.num / (double)timeline->rate.den) : 0,
        timeline->loop};
    return PM_OK;
}

/* The time of the first key of any joint, in seconds. */
static double first_of(const pm_clip_data *clip) {
    double first = pm_clip_timeline_of(clip, 0)->first;
    for (size_t t = 1; t < clip->track_count; t++)
        first = fmin(first, pm_clip_timeline_of(clip, t)->first);
    return first;
}

/* The duration of an open clip in ticks: from its first key to the last key of any joint. */
static pm_u64 end_of(const pm_clip_data *clip, const pm_crowd_timeline *rows) {
    pm_u64 end = 0;
    for (size_t t = 0; t < clip->track_count; t++) {
        const pm_crowd_timeline *row = &rows[clip->timeline_of[t]];
        pm_u64 own = row->lag + (pm_clip_timeline_of(clip, t)->constant ? 0 : row->period);
        end = own > end ? own : end;
    }
    return end;
}

/* Whether a timeline that there is equals the last one. */
static bool equals_last(const pm_new_timelines *all, size_t number) {
    const size_t last = all->count - 1, begin = pm_used_before(all->before, PM_TABLE_TIMELINES);
    const pm_crowd_timeline *timeline =
        number < begin ? &all->before->timelines[number] : &all->timelines[number - begin];
    const pm_timeline_rate *rate =
        number < begin ? &all->before->rates[number] : &all->rates[number - begin];
    return memcmp(timeline, &all->timelines[last], sizeof *timeline) == 0 &&
           memcmp(rate, &all->rates[last], sizeof *rate) == 0;
}

/* The last timeline is dropped if a clip of as many uniform segments has the same. Archives have far more clips
 * than lengths: their timelines then stay in the caches. */
static void share_last(pm_new_timelines *all, pm_clip_row *row) {
    pm_u32 *alike = &all->alike[all->timelines[all->count - 1].segments % PM_ALIKE];
    if (*alike && equals_last(all, *alike - 1))
        all->count--;
    else
        *alike = (pm_u32)row->begin[PM_TABLE_TIMELINES] + 1;
    row->begin[PM_TABLE_TIMELINES] = *alike - 1;
}

void pm_new_timelines_begin(const pm_host *host, pm_new_timelines *all,
                            const pm_crowd_data *before) {
    *all = (pm_new_timelines){.host = host, .before = before};
    for (size_t i = 0; before && i < before->clip_count; i++) {
        const pm_clip_row *row = &before->rows[i];
        const size_t number = row->begin[PM_TABLE_TIMELINES];
        if (row->count[PM_TABLE_TIMELINES] == 1 && before->timelines[number].rate)
            all->alike[before->timelines[number].segments % PM_ALIKE] = (pm_u32)number + 1;
    }
}

void pm_new_timelines_free(pm_new_timelines *all) {
    pm_release(all->timelines);
    pm_release(all->rates);
    pm_release(all->times);
}

pm_status pm_crowd_add_timelines(pm_new_timelines *all, const pm_clip_data *clip, pm_clip_row *row,
                                 pm_error *error) {
    const size_t begin = all->count, times = all->time_count;
    const double first = first_of(clip);
    const pm_u64 loop = loop_ticks(clip);
    row->begin[PM_TABLE_TIMELINES] = pm_used_before(all->before, PM_TABLE_TIMELINES) + begin;
    row->begin[PM_TABLE_TIMES] = pm_used_before(all->before, PM_TABLE_TIMES) + times;
    for (size_t k = 0; k < clip->timeline_count; k++) {
        const pm_clip_timeline *line = &clip->timelines[k];
        pm_status status = add_timeline(all, line, fmin(first, line->first), loop, error);
        if (status != PM_OK)
            return status;
    }
    pm_crowd_timeline *rows = &all->timelines[begin];
    const pm_u64 cycle = loop ? loop : end_of(clip, rows);
    for (size_t k = 0; k < clip->timeline_count; k++) {
        rows[k].cycle = cycle ? cycle : 1;
        rows[k].reciprocal = PM_RECIPROCAL(rows[k].cycle);
    }
    row->ticks = (int64_t)cycle;
    row->count[PM_TABLE_TIMELINES] = row->count[PM_TABLE_RATES] = clip->timeline_count;
    row->count[PM_TABLE_TIMES] = all->time_count - times;
    if (clip->timeline_count == 1 && rows[0].rate)
        share_last(all, row);
    return PM_OK;
}
