/* SPDX-License-Identifier: MIT
 *
 * Key times and sample positions (docs/methods.md, "What all methods share").
 */
#include "timeline.h"

#include "base/base.h"

/* Relative. A loop whose period is within this tolerance of the keys' span closes on the last key:
 * seconds typed in decimal, or summed, are rarely exact. */
static const double closing_tolerance = 1e-9;

/* The range of segment lengths, in seconds, in which rates, and squares of rates times other
 * lengths, stay in the range of double. */
static const double shortest = 1e-70;
static const double longest = 1e70;

/* Segment numbers share a word with two flag bits of a cursor. */
static const size_t max_segments = PM_CURSOR_SEGMENT - 1;

double pm_timeline_time(const pm_timeline *timeline, size_t i) {
    if (timeline->times)
        return timeline->times[i];
    return (double)i * (double)timeline->rate.den / (double)timeline->rate.num;
}

static bool is_length(double seconds) {
    return seconds >= shortest && seconds <= longest;
}

pm_status pm_timeline_check(const pm_timeline *timeline, size_t index, pm_error *error) {
    bool has_rate = pm_rational_given(timeline->rate);
    if (timeline->key_count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "timeline %zu: the number of keys is 0", index);
    if (timeline->key_count > max_segments)
        return pm_fail(error, PM_ERROR_SIZE,
                       "timeline %zu: the number of keys, %zu, is above 2^30 - 2", index,
                       timeline->key_count);
    if (has_rate && timeline->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "timeline %zu: both rate and times are given",
                       index);
    if (!has_rate && !timeline->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "timeline %zu: neither rate nor times is given",
                       index);
    if (has_rate && !pm_rational_positive(timeline->rate))
        return pm_fail(error, PM_ERROR_TIME, "timeline %zu: rate is not positive", index);
    for (size_t i = 0; timeline->times && i < timeline->key_count; i++) {
        double t = timeline->times[i];
        if (!isfinite(t))
            return pm_fail_at(error, PM_ERROR_TIME, PM_NO_INDEX, i,
                              "timeline %zu: key time is not finite", index);
        if (i > 0 && !(t > timeline->times[i - 1]))
            return pm_fail_at(error, PM_ERROR_TIME, PM_NO_INDEX, i,
                              "timeline %zu: key times do not strictly increase", index);
        if (i > 0 && !is_length(t - timeline->times[i - 1]))
            return pm_fail_at(error, PM_ERROR_TIME, PM_NO_INDEX, i,
                              "timeline %zu: key times are not 1e-70 to 1e70 s apart", index);
    }
    return PM_OK;
}

pm_status pm_timeline_check_loop(const pm_timeline *timeline, double period, bool *closes,
                                 pm_error *error) {
    *closes = false;
    if (period == 0)
        return PM_OK;
    double span =
        pm_timeline_time(timeline, timeline->key_count - 1) - pm_timeline_time(timeline, 0);
    if (!isfinite(period) || period < 0)
        return pm_fail_field(error, PM_ERROR_TIME, "loop", "is not a positive number");
    if (timeline->key_count > 1 && fabs(period - span) <= closing_tolerance * span)
        *closes = true;
    else if (period < span)
        return pm_fail_field(error, PM_ERROR_TIME, "loop",
                             "is %.9g s, shorter than the keys' span of %.9g s", period, span);
    else if (!is_length(period - span))
        return pm_fail_field(error, PM_ERROR_TIME, "loop",
                             "leaves a closing segment of %.9g s, not 1e-70 to 1e70 s",
                             period - span);
    return PM_OK;
}

static bool loop_is_uniform(const pm_timeline *timeline, double period, size_t keys) {
    double in_keys = period * pm_rational_value(timeline->rate);
    return !timeline->times && fabs(in_keys - (double)keys) <= closing_tolerance * (double)keys;
}

/* The stretch of the index that contains a time within the borders. It does not decrease with
 * time. */
static size_t stretch_of(const pm_clip_timeline *timeline, double time) {
    size_t stretch = (size_t)((time - timeline->first) * timeline->stretches_per_second);
    return stretch < timeline->segment_count ? stretch : timeline->segment_count - 1;
}

static bool make_index(const pm_host *host, pm_clip_timeline *timeline) {
    size_t count = timeline->segment_count;
    const double *times = timeline->times;
    timeline->index = pm_allocate_zeroed(host, count + 1, sizeof *timeline->index);
    if (!timeline->index)
        return false;
    timeline->stretches_per_second = (double)count / (times[count] - times[0]);
    if (!isfinite(timeline->stretches_per_second))
        timeline->stretches_per_second = 0; /* a single stretch */
    for (size_t i = 0; i < count; i++)
        timeline->index[stretch_of(timeline, times[i]) + 1] = (pm_u32)i;
    for (size_t i = 1; i <= count; i++)
        if (timeline->index[i] < timeline->index[i - 1])
            timeline->index[i] = timeline->index[i - 1];
    for (size_t i = 0; i < count; i++)
        if (timeline->index[i + 1] - timeline->index[i] > timeline->crowding)
            timeline->crowding = timeline->index[i + 1] - timeline->index[i];
    return true;
}

pm_status pm_timeline_build(const pm_host *host, const pm_timeline *timeline, double period,
                            pm_clip_timeline *out, pm_error *error) {
    *out = (pm_clip_timeline){.rate = timeline->rate};
    pm_status status = pm_timeline_check_loop(timeline, period, &out->closes, error);
    if (status != PM_OK)
        return status;
    size_t keys = timeline->key_count - out->closes;
    out->key_count = keys;
    out->constant = keys == 1;
    out->loop = period > 0 && keys > 1;
    out->segment_count = out->loop ? keys : keys > 1 ? keys - 1 : 1;
    out->first = pm_timeline_time(timeline, 0);
    out->period = period;
    out->uniform = out->loop ? loop_is_uniform(timeline, period, keys) : !timeline->times;
    out->times = pm_allocate_zeroed(host, out->segment_count + 1, sizeof *out->times);
    if (!out->times)
        return pm_fail_memory(error);
    for (size_t i = 0; i < keys; i++)
        out->times[i] = pm_timeline_time(timeline, i);
    if (out->loop)
        out->times[keys] = out->first + period;
    else if (out->constant)
        out->times[1] = out->first + 1;
    return out->uniform || make_index(host, out) ? PM_OK : pm_fail_memory(error);
}

void pm_timeline_free(pm_clip_timeline *timeline) {
    pm_release(timeline->times);
    pm_release(timeline->index);
    timeline->times = NULL;
    timeline->index = NULL;
}

/* A time as a sum: `rest` is the rounding error of the double, a fraction of its last place. */
typedef struct exact_time {
    double time, rest;
} exact_time;

static exact_time sum_of(double a, double b) {
    double sum = a + b, grown = sum - a;
    return (exact_time){sum, (a - (sum - grown)) + (b - grown)};
}

static exact_time plus(exact_time t, double more) {
    exact_time sum = sum_of(t.time, more);
    return sum_of(sum.time, sum.rest + t.rest);
}

static bool is_before(exact_time t, double border) {
    return t.time < border || (t.time == border && t.rest < 0);
}

static pm_cursor on_lap(size_t segment, float u, bool odd) {
    pm_cursor cursor = {(pm_u32)segment, u};
    if (odd)
        cursor.segment |= PM_CURSOR_ODD_LAP;
    return cursor;
}

/* The cursor within a segment: at or after its key, and before the next key. */
static pm_cursor cursor_of(size_t segment, double u, bool odd) {
    /* below 2^-32 the difference from the key is negligible, and products could underflow */
    float rounded = u < 0x1p-32 ? 0.0f : (float)u;
    return on_lap(segment, rounded < 1.0f ? rounded : PM_CURSOR_BELOW_ONE, odd);
}

static pm_cursor cursor_at_end(const pm_clip_timeline *timeline) {
    return on_lap(timeline->segment_count - 1, 1.0f, false);
}

static pm_cursor at_rest(pm_cursor cursor) {
    cursor.segment |= PM_CURSOR_AT_REST;
    return cursor;
}

/* The segment of a time within the borders: the hinted one, the next one, or, by binary search,
 * one of those that overlap the time's stretch of the index. */
static size_t find_segment(const pm_clip_timeline *timeline, double time, size_t hint) {
    const double *times = timeline->times;
    for (size_t i = hint; i < timeline->segment_count && i < hint + 2; i++)
        if (times[i] <= time && time < times[i + 1])
            return i;
    size_t stretch = stretch_of(timeline, time);
    size_t low = timeline->index[stretch], high = (size_t)timeline->index[stretch + 1] + 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* For uniform keys: at most one step from the segment that the rate gives. */
static size_t find_uniform_segment(const pm_clip_timeline *timeline, double time, double position) {
    const double *times = timeline->times;
    size_t last = timeline->segment_count - 1;
    size_t i = position < (double)last ? (size_t)position : last;
    while (i > 0 && time < times[i])
        i--;
    while (i < last && time >= times[i + 1])
        i++;
    return i;
}

static pm_cursor locate_uniform(const pm_clip_timeline *timeline, exact_time t, bool odd) {
    double position =
        (t.time - timeline->first) * (double)timeline->rate.num / (double)timeline->rate.den;
    size_t i = find_uniform_segment(timeline, t.time, position);
    if (i > 0 && is_before(t, timeline->times[i]))
        return cursor_of(i - 1, 1, odd);
    return cursor_of(i, t.time == timeline->times[i] ? 0 : position - (double)i, odd);
}

static pm_cursor locate_listed(const pm_clip_timeline *timeline, exact_time t, bool odd,
                               size_t *hint) {
    const double *times = timeline->times;
    size_t i = find_segment(timeline, t.time, *hint);
    *hint = i;
    if (i > 0 && is_before(t, times[i]))
        return cursor_of(i - 1, 1, odd);
    return cursor_of(i, (t.time - times[i]) / (times[i + 1] - times[i]), odd);
}

/* Maps a time in a loop to the first lap: at or after the first key and before the period's end,
 * for any rounding in between. */
static exact_time in_lap(const pm_clip_timeline *timeline, double time, bool *odd) {
    const double period = timeline->period;
    exact_time all = sum_of(time, -timeline->first);
    /* fmod is exact; far from 0 the rounding error, too, can be many laps */
    double main = fmod(all.time, period), rest = fmod(all.rest, period);
    double laps = rint((all.time - main) / period) + rint((all.rest - rest) / period);
    exact_time since = sum_of(main, rest);
    for (; is_before(since, 0); laps -= 1)
        since = plus(since, period);
    for (; !is_before(since, period); laps += 1)
        since = plus(since, -period);
    *odd = fmod(laps, 2) != 0;
    return plus(since, timeline->first);
}

/* For open tracks, which are at rest outside the keys. */
static bool locate_outside(const pm_clip_timeline *timeline, double time, pm_cursor *cursor) {
    const double first = timeline->times[0], last = timeline->times[timeline->segment_count];
    if (time >= first && time < last)
        return false;
    *cursor = time < first ? cursor_of(0, 0, false) : cursor_at_end(timeline);
    if (time != last)
        *cursor = at_rest(*cursor);
    return true;
}

pm_cursor pm_timeline_locate(const pm_clip_timeline *timeline, double time, size_t *hint) {
    exact_time t = {time, 0};
    bool odd = false;
    pm_cursor cursor;
    if (timeline->constant)
        return at_rest(cursor_of(0, 0, false));
    if (timeline->loop)
        t = in_lap(timeline, time, &odd);
    else if (locate_outside(timeline, time, &cursor))
        return cursor;
    return timeline->uniform ? locate_uniform(timeline, t, odd)
                             : locate_listed(timeline, t, odd, hint);
}

/* How many times from the first on are at or after `begin` and before `end`. */
static size_t count_within(const double *times, size_t count, double begin, double end) {
    size_t k = 0;
    while (k < count && begin <= times[k] && times[k] < end)
        k++;
    return k;
}

/* Times in one segment of listed keys, by the rule of locate_listed. Compilers vectorise the loop. */
PM_CLONES static void locate_run(pm_cursor *cursors, const double *times, size_t count,
                                 size_t segment, const double *keys) {
    const double begin = keys[segment], length = keys[segment + 1] - begin;
    for (size_t k = 0; k < count; k++)
        cursors[k] = cursor_of(segment, (times[k] - begin) / length, false);
}

/* Times of open, uniform keys by the rule of locate_uniform, without branches and key times, so that
 * compilers vectorise the loop. False, with cursors that are not valid, when a time is outside the
 * keys, or so near a key that only the key's own time tells the segment: positions and key times are
 * each rounded three times at most, far less than `margin`. With a margin of 2^-24, u is neither 0 nor rounded to 1. */
PM_CLONES static bool locate_uniform_block(const pm_clip_timeline *timeline, const double *times,
                                           size_t count, pm_cursor *cursors) {
    const double first = timeline->first, end = (double)timeline->segment_count;
    const double num = (double)timeline->rate.num, den = (double)timeline->rate.den;
    const double margin = fmax((end + 1) * 0x1p-48, 0x1p-24);
    int uncertain = 0;
    for (size_t k = 0; k < count; k++) {
        double position = (times[k] - first) * num / den;
        double inside = position > 0 ? position : 0; /* also where the time is NaN */
        inside = inside < end ? inside : end;
        int32_t segment = (int32_t)inside; /* below 2^30 */
        double u = inside - segment;
        uncertain |= (u < margin) | (u > 1 - margin) | (inside != position);
        cursors[k].segment = (pm_u32)segment;
        cursors[k].u = (float)u;
    }
    return !uncertain;
}

static void locate_uniform_times(const pm_clip_timeline *timeline, const double *times,
                                 size_t count, pm_cursor *cursors) {
    enum { BLOCK = 64 }; /* few enough that one uncertain time delays few others */
    size_t hint = 0;
    for (size_t from = 0; from < count; from += BLOCK) {
        const size_t left = count - from, size = left < BLOCK ? left : BLOCK;
        if (locate_uniform_block(timeline, times + from, size, cursors + from))
            continue;
        for (size_t k = from; k < from + size; k++)
            cursors[k] = pm_timeline_locate(timeline, times[k], &hint);
    }
}

/* Times that are located together where they do not come in runs. */
enum { LISTED_BLOCK = 16 };

/* Times in any segments of listed keys, by the rule of locate_listed. Branches would depend on the times,
 * which a processor cannot predict, so that the search takes as many steps in every stretch. Returns false
 * where a time is outside the keys. */
PM_CLONES static bool locate_listed_block(const pm_clip_timeline *timeline, const double *times,
                                          size_t count, pm_cursor *cursors) {
    const double *keys = timeline->times;
    const double first = keys[0], last = keys[timeline->segment_count];
    pm_u32 segments[LISTED_BLOCK];
    double u[LISTED_BLOCK];
    bool inside = true;
    for (size_t k = 0; k < count; k++)
        inside &= (times[k] >= first) & (times[k] < last);
    if (!inside)
        return false;
    for (size_t k = 0; k < count; k++) {
        pm_u32 i = timeline->index[stretch_of(timeline, times[k])];
        for (pm_u32 step = 0; step < timeline->crowding; step++)
            i += keys[i + 1] <= times[k];
        segments[k] = i;
        u[k] = (times[k] - keys[i]) / (keys[i + 1] - keys[i]);
    }
    for (size_t k = 0; k < count; k++)
        cursors[k] = cursor_of(segments[k], u[k], false);
    return true;
}

/* Locates the next times and returns their number, at least 1 of `count`. */
static size_t locate_next(const pm_clip_timeline *timeline, const double *times, size_t count,
                          pm_cursor *cursors, size_t *hint) {
    enum { MAX_CROWDING = 8 }; /* more steps take longer than a search with branches */
    const size_t block = count < LISTED_BLOCK ? count : LISTED_BLOCK;
    const bool has_block = !timeline->uniform && !timeline->loop && !timeline->constant &&
                           timeline->crowding <= MAX_CROWDING;
    if (has_block && locate_listed_block(timeline, times, block, cursors)) {
        *hint = cursors[block - 1].segment;
        return block;
    }
    cursors[0] = pm_timeline_locate(timeline, times[0], hint);
    return 1;
}

void pm_timeline_locate_times(const pm_clip_timeline *timeline, const double *times, size_t count,
                              pm_cursor *cursors) {
    enum { LEAST_RUN = 4 };
    if (timeline->uniform && !timeline->loop && !timeline->constant) {
        locate_uniform_times(timeline, times, count, cursors);
        return;
    }
    const bool has_runs = !timeline->constant && !timeline->loop && !timeline->uniform;
    const double *keys = timeline->times;
    size_t hint = 0, run = 1;
    for (size_t k = 0; k < count; k += run) {
        run = has_runs ? count_within(times + k, count - k, keys[hint], keys[hint + 1]) : 0;
        if (run >= LEAST_RUN)
            locate_run(cursors + k, times + k, run, hint, keys);
        else
            run = locate_next(timeline, times + k, count - k, cursors + k, &hint);
    }
}

/* The rule of pm_locate_uniform, in wider integers and with positions below 0. */
pm_cursor pm_timeline_locate_exact(const pm_clip_timeline *timeline, const pm_exact_uniform_map *c,
                                   uint64_t k) {
    pm_i128 position = c->start + (pm_i128)(c->step * k);
    pm_i128 scale = (pm_i128)c->scale;
    pm_i128 segments = (pm_i128)timeline->segment_count;
    if (timeline->constant)
        return at_rest(cursor_of(0, 0, false));
    pm_i128 segment = position / scale - (position % scale < 0);
    pm_i128 lap = segment / segments - (segment % segments < 0);
    pm_u128 rest = (pm_u128)(position - segment * scale);
    if (!timeline->loop && lap < 0)
        return at_rest(cursor_of(0, 0, false));
    if (!timeline->loop && lap > 0) {
        pm_cursor end = cursor_at_end(timeline);
        return segment > segments || rest > 0 ? at_rest(end) : end;
    }
    pm_cursor cursor;
    cursor.segment = (pm_u32)(segment - lap * segments);
    cursor.segment |= lap % 2 != 0 ? PM_CURSOR_ODD_LAP : 0;
    pm_u128 fraction = (rest << 32) / c->scale;
    cursor.u = pm_cursor_fraction((pm_u32)fraction, fraction * c->scale != rest << 32);
    return cursor;
}
