/* SPDX-License-Identifier: MIT
 *
 * The grid of a clip's samples. With a rate it is exact, in whole numbers. Without one, key times are
 * float32, and may have lost what exporters lose: the time of the first is taken as the simplest
 * fraction that is rounded to it, and a sample that is as good as at the last key lies on it.
 */
#include "motion/resample/sampler.h"

#include <math.h>

#include "motion/model/evaluate.h"
#include "motion/model/made.h"
#include "motion/time/key_rate.h"

static bool is_given(pm_rational r) {
    return r.den != 0;
}

/* The channels' own interpolations do not loop. */
static double loop_of(const pm_motion_resample_options *options) {
    return options->curve && !options->authored ? options->curve->loop : 0;
}

static pm_status check_count(const sampler *s, pm_error *error) {
    const uint64_t max = s->options->max_samples ? s->options->max_samples : RESAMPLE_MAX_SAMPLES;
    char source[RATE_TEXT], target[RATE_TEXT];
    if (s->count <= max)
        return PM_OK;
    rate_describe(s->options->rate, target);
    const char *more = s->grid.count == RESAMPLE_GRID_OVERFLOW ? "at least " : "";
    if (!s->uniform) {
        motion_refuse(error, "%g seconds would become %s%llu samples at %s; the limit is %llu",
                      s->last_time - s->first_time, more, (unsigned long long)s->count, target,
                      (unsigned long long)max);
    } else {
        rate_describe(s->clip->rate, source);
        motion_refuse(error, "%zu frames at %s would become %s%llu frames at %s; the limit is %llu",
                      s->clip->timelines[0].key_count - s->options->trim_start, source, more,
                      (unsigned long long)s->count, target, (unsigned long long)max);
    }
    motion_cure(error, "max-frames", NULL, "raises the limit; check the rates first");
    return PM_ERROR_FILE;
}

static pm_status refuse_cut(const char *option, pm_rational given, const char *limit,
                            double seconds, pm_error *error) {
    return motion_fail_option(error, PM_ERROR_FILE, option,
                              "is after %s (%.9g s; %s is %.9g s after the first key)", limit,
                              rate_value(given), limit, seconds);
}

static pm_status refuse_start(const sampler *s, double last, pm_error *error) {
    const pm_motion_resample_options *o = s->options;
    const double loop = loop_of(o);
    if (is_given(o->end_after_first_key))
        return refuse_cut("start", o->start_after_first_key, "the end of the cut",
                          rate_value(o->end_after_first_key), error);
    return loop > 0
               ? refuse_cut("start", o->start_after_first_key, "the end of the loop", loop, error)
               : refuse_cut("start", o->start_after_first_key, "the last key", last, error);
}

static const pm_timeline *timeline_of(const sampler *s, size_t channel) {
    return &s->clip->timelines[s->clip->channels[channel].timeline];
}

static void find_range(sampler *s) {
    s->first_key = (double)INFINITY;
    s->last_time = -(double)INFINITY;
    for (size_t c = 0; c < s->clip->channel_count; c++) {
        const pm_timeline *t = timeline_of(s, c);
        s->first_key = fmin(s->first_key, evaluate_key_time(t, 0));
        s->last_time = fmax(s->last_time, evaluate_key_time(t, t->key_count - 1));
    }
}

static void find_longest(sampler *s) {
    s->longest = &s->clip->timelines[0];
    for (size_t t = 1; t < s->clip->timeline_count; t++)
        if (s->clip->timelines[t].key_count > s->longest->key_count)
            s->longest = &s->clip->timelines[t];
}

/* The rate that differs from the samples' by a whole factor, and is nearest to the mean of the keys. */
static bool find_related(const sampler *s, const double *times, size_t count, pm_rational *rate) {
    const double factor =
        rate_value(s->options->rate) * (times[count - 1] - times[0]) / (double)(count - 1);
    const double whole = round(fmax(factor, 1 / factor));
    const pm_rational by = {whole < 0x1p31 ? (int64_t)whole : 0, 1};
    return by.num > 0 && (factor < 1 ? rate_multiply(s->options->rate, by, rate)
                                     : rate_divide(s->options->rate, by, rate));
}

/* Late times are so coarse that keys have many rates. Where one of them is that of the samples, or a
 * whole multiple or part of it, samples are meant to lie on keys. */
static key_grid find_source(const sampler *s) {
    const key_grid authored = {s->clip->rate, s->clip->first_time};
    const double *times = s->uniform ? NULL : s->longest->times;
    pm_rational rate;
    if (!times || s->longest->key_count < 3 || s->motion->content.has_stamps ||
        !find_related(s, times, s->longest->key_count, &rate) ||
        (rate.num == authored.rate.num && rate.den == authored.rate.den) ||
        !key_rate_fits(times, s->longest->key_count, rate))
        return authored;
    return (key_grid){rate, key_grid_start(s->first_key, rate)};
}

/* Frames from the first key to the last. 0: some keys are at other times. */
static uint64_t count_frames(const sampler *s) {
    const key_grid grid = s->source;
    uint64_t frames = 0;
    if (s->uniform)
        return s->clip->timelines[0].key_count;
    if (grid.rate.den == 0 || grid.start.den == 0)
        return 0;
    for (size_t c = 0; c < s->clip->channel_count; c++) {
        const pm_timeline *t = timeline_of(s, c);
        const int64_t first = key_grid_frame(&grid, evaluate_key_time(t, 0));
        const int64_t last = key_grid_frame(&grid, evaluate_key_time(t, t->key_count - 1));
        if (first < 0 || last - first != (int64_t)(t->key_count - 1))
            return 0;
        frames = (uint64_t)last >= frames ? (uint64_t)last + 1 : frames;
    }
    return frames;
}

/* Keys are dropped by their number, which must be that of a frame. */
static pm_status check_trim(const sampler *s, pm_error *error) {
    const size_t trim = s->options->trim_start;
    if (trim >= s->frames)
        return motion_fail_option(error, PM_ERROR_FILE, "trim-start", "%zu removes all %llu frames",
                                  trim, (unsigned long long)s->frames);
    for (size_t c = 0; trim > 0 && c < s->clip->channel_count; c++) {
        const pm_timeline *t = timeline_of(s, c);
        if (t->key_count > 1 && evaluate_key_time(t, 0) > evaluate_key_time(s->longest, 0))
            return motion_fail_option(error, PM_ERROR_FILE, "trim-start",
                                      "is for channels that begin together");
    }
    return PM_OK;
}

static resample_span span_of(const sampler *s) {
    const pm_motion_resample_options *o = s->options;
    return (resample_span){
        .source_rate = s->source.rate,
        .rate = o->rate,
        .frame_count = s->frames - o->trim_start,
        .start = o->start_after_first_key,
        .end = o->end_after_first_key,
        .end_rule = o->end_rule == PM_MOTION_END_INCLUDE ? RESAMPLE_END_INCLUDE : RESAMPLE_END_FIT,
        .loop = loop_of(o),
    };
}

/* *fits: the numbers are small enough for an exact grid. */
static pm_status find_frames(sampler *s, bool *fits, pm_error *error) {
    const pm_motion_resample_options *o = s->options;
    const pm_rational trim = {(int64_t)o->trim_start, 1};
    MOTION_TRY(check_trim(s, error));
    const resample_span span = span_of(s);
    const resample_grid_fault fault = resample_grid_make(&span, &s->grid);
    const double last = (double)(span.frame_count - 1) / rate_value(span.source_rate);
    *fits = fault != RESAMPLE_GRID_TOO_FINE && rate_divide(trim, s->source.rate, &s->origin) &&
            (s->uniform || rate_add(s->source.start, s->origin, &s->origin));
    if (!*fits || fault == RESAMPLE_GRID_OK)
        return PM_OK;
    return fault == RESAMPLE_GRID_END
               ? refuse_cut("end", o->end_after_first_key, "the last key", last, error)
               : refuse_start(s, last, error);
}

static pm_status find_uniform(sampler *s, pm_error *error) {
    bool fits = true;
    const pm_status status = find_frames(s, &fits, error);
    if (status == PM_OK && !fits)
        return motion_refuse(error, "the rates and times have too many digits for an exact grid");
    s->first_time = rate_value(s->grid.start);
    s->last_time = rate_value(s->grid.end);
    return status;
}

static size_t clip_index(const sampler *s) {
    return (size_t)(s->clip - s->motion->content.clips);
}

/* Positions count from the first key that is not trimmed; writers count all keys. */
static motion_position position_of(const sampler *s, resample_position at) {
    const uint64_t keys = s->clip->timelines[0].key_count - s->options->trim_start;
    if (at.frame >= keys)
        return (motion_position){.key = MOTION_NO_KEY, .own = MOTION_NO_KEY};
    const uint64_t key = s->options->trim_start + at.frame;
    const bool is_on_key = at.remainder == 0 && s->interpolating;
    motion_position position = motion_find_row(s->motion, clip_index(s), key);
    position.exact = position.exact && is_on_key;
    position.own = is_on_key ? key : MOTION_NO_KEY;
    return position;
}

static void advance_uniform(sampler *s, size_t count, motion_position positions[]) {
    for (size_t k = 0; k < count; k++) {
        const bool at_end = s->grid.extra && s->next + k == s->grid.count;
        if (at_end)
            s->position = resample_position_end(&s->grid, s->clip->rate);
        positions[k] = position_of(s, s->position);
        if (!at_end)
            resample_position_step(&s->grid, &s->position);
        s->report->kept +=
            positions[k].own != MOTION_NO_KEY && !positions[k].changed && s->has_first;
    }
}

bool sampler_keeps_all(const sampler *s) {
    const resample_grid *g = &s->grid;
    if (!s->uniform || !s->interpolating || !motion_is_untouched(s->motion, clip_index(s)) ||
        loop_of(s->options) != 0)
        return false;
    const bool ends_between = g->extra && resample_position_end(g, s->clip->rate).remainder != 0;
    return g->first % g->unit == 0 && g->step % g->unit == 0 && !ends_between;
}

/* Times of keys are float32, but for stamps. */
static double as_key_time(const sampler *s, double seconds) {
    return s->motion->content.has_stamps ? seconds : (double)(float)seconds;
}

static double step_of(const sampler *s) {
    return (double)s->options->rate.den / (double)s->options->rate.num;
}

/* What the time of a key may have lost, but not so much that another sample could be meant. */
static double lost_at(const sampler *s, double time) {
    const double loss = s->motion->content.has_stamps ? 0.5e-9 : key_time_loss(time);
    return fmin(loss, 0.25 * step_of(s));
}

static void find_drift(sampler *s) {
    const key_grid grid = s->source;
    if (s->frames == 0)
        return;
    s->longest_frame = key_grid_frame(&grid, evaluate_key_time(s->longest, 0));
    for (size_t k = 0; k < s->longest->key_count; k++) {
        const double time = evaluate_key_time(s->longest, k);
        const double exact = rate_value(grid.start) + (double)((uint64_t)s->longest_frame + k) *
                                                          (double)grid.rate.den /
                                                          (double)grid.rate.num;
        s->has_drifted |= fabs(time - exact) > key_time_loss(time);
    }
}

/* Where a sample lies among the frames of the longest timeline; false: outside of them. */
static bool find_frame(const sampler *s, uint64_t sample, size_t *key, double *part) {
    __extension__ typedef unsigned __int128 wide;
    const wide at = (wide)s->grid.step * sample + s->grid.first;
    const wide frame = at / s->grid.unit + s->options->trim_start;
    const wide first = s->longest_frame > 0 ? (uint64_t)s->longest_frame : 0;
    *part = (double)(uint64_t)(at % s->grid.unit) / (double)s->grid.unit;
    *key = frame >= first ? (size_t)(frame - first) : 0;
    return frame >= first && frame - first < s->longest->key_count - (*part > 0 ? 1 : 0);
}

/* The time of a sample that lies on a key, and of any between keys that have drifted, from the keys;
 * that of others as it is. */
static double framed_time(const sampler *s, uint64_t sample, double exact) {
    size_t key;
    double part;
    if (!find_frame(s, sample, &key, &part) || (part > 0 && !s->has_drifted))
        return as_key_time(s, exact);
    const double time = evaluate_key_time(s->longest, key);
    return part > 0 ? as_key_time(s, time + part * (evaluate_key_time(s->longest, key + 1) - time))
                    : time;
}

/* The key of the longest timeline that is nearest to a time. */
static size_t nearest_key(const sampler *s, double time) {
    const size_t before = evaluate_key_before(s->longest, time);
    return before + 1 < s->longest->key_count && evaluate_key_time(s->longest, before + 1) - time <
                                                     time - evaluate_key_time(s->longest, before)
               ? before + 1
               : before;
}

/* A sample that lies on a key has the time of the key, whatever that has lost. */
double sampler_time(const sampler *s, uint64_t sample) {
    const double exact = s->first_time + (double)sample * (double)s->options->rate.den /
                                             (double)s->options->rate.num;
    if ((s->grid.extra && sample == s->grid.count) ||
        fabs(exact - s->last_time) <= lost_at(s, s->last_time))
        return s->last_time;
    double time = as_key_time(s, exact);
    if (s->frames > 0) {
        time = framed_time(s, sample, exact);
    } else {
        const double key = evaluate_key_time(s->longest, nearest_key(s, exact));
        time = fabs(key - exact) <= lost_at(s, key) ? key : time;
    }
    return fmin(fmax(time, s->first_key), s->last_time);
}

/* Counts a sample that lies on a key of the longest timeline. */
static void count_kept(sampler *s, double time) {
    const size_t keys = s->longest->key_count;
    while (s->passed < keys && as_key_time(s, evaluate_key_time(s->longest, s->passed)) < time)
        s->passed++;
    s->report->kept += s->has_first && s->interpolating && s->passed < keys &&
                       !motion_find_row(s->motion, clip_index(s), s->passed).changed &&
                       as_key_time(s, evaluate_key_time(s->longest, s->passed)) == time;
}

/* Of a trajectory, the key that a sample lies on. */
static uint64_t stamped_key(const sampler *s, double time) {
    const bool has_rows = s->motion->content.has_stamps && s->clip->timeline_count == 1;
    const size_t key = has_rows && s->interpolating ? nearest_key(s, time) : 0;
    return has_rows && s->interpolating && evaluate_key_time(s->longest, key) == time
               ? key
               : MOTION_NO_KEY;
}

static void advance_listed(sampler *s, size_t count, motion_position positions[]) {
    for (size_t k = 0; k < count; k++) {
        const double time = sampler_time(s, s->next + k);
        count_kept(s, time);
        positions[k] = (motion_position){.key = MOTION_NO_KEY, .own = stamped_key(s, time)};
    }
}

/* Samples up to the end, or before it. */
static uint64_t count_times(const sampler *s, bool before_end) {
    const double lost = lost_at(s, s->last_time);
    const double end = s->last_time + (before_end ? -lost : lost);
    const double samples = (end - s->first_time) * rate_value(s->options->rate);
    if (!(samples < 0x1p62))
        return RESAMPLE_GRID_OVERFLOW;
    return samples > 0 ? (uint64_t)samples + 1 : 1;
}

/* Whether neighbouring samples have different float32 times. */
static bool are_distinct(const sampler *s) {
    const double largest = fmax(fabs(s->first_time), fabs(s->last_time));
    const double step = s->motion->content.has_stamps ? 1e-9 : 0x1p-23 * largest;
    return s->first_time >= s->last_time || 1.0 / rate_value(s->options->rate) > step;
}

/* Times that are too large or too small for a fraction are taken as they are. */
static double origin_of(const sampler *s) {
    return is_given(s->origin) ? rate_value(s->origin) : s->first_key;
}

/* Moves the ends of the samples to those of the options. An end that is as good as at the last key is
 * there. */
static void cut_range(sampler *s) {
    const pm_motion_resample_options *o = s->options;
    const double loop = loop_of(o), origin = origin_of(s);
    const double end = as_key_time(
        s, origin + (is_given(o->end_after_first_key) ? rate_value(o->end_after_first_key) : loop));
    s->first_time =
        origin + (is_given(o->start_after_first_key) ? rate_value(o->start_after_first_key) : 0);
    if (loop > 0 ||
        (is_given(o->end_after_first_key) && end < s->last_time - lost_at(s, s->last_time)))
        s->last_time = end;
}

static pm_status find_times(sampler *s, pm_error *error) {
    const pm_motion_resample_options *o = s->options;
    s->origin = key_grid_start(s->first_key, o->rate);
    const double last = s->last_time - origin_of(s), loop = loop_of(o);
    /* An open loop ends at its period, where the first sample repeats. */
    const bool before_end = loop - last > 1e-9 * loop && !is_given(o->end_after_first_key);
    const double lost = lost_at(s, s->last_time);
    if (o->trim_start > 0)
        return motion_fail_option(error, PM_ERROR_FILE, "trim-start",
                                  "is for files with uniform keys");
    if (is_given(o->end_after_first_key) && loop == 0 &&
        rate_value(o->end_after_first_key) > last + lost)
        return refuse_cut("end", o->end_after_first_key, "the last key", last, error);
    cut_range(s);
    if (s->first_time > s->last_time + lost)
        return refuse_start(s, last, error);
    s->grid = (resample_grid){.count = count_times(s, before_end)};
    s->grid.extra = o->end_rule == PM_MOTION_END_INCLUDE && !before_end &&
                    s->grid.count < RESAMPLE_GRID_OVERFLOW &&
                    s->first_time + (double)(s->grid.count - 1) * step_of(s) < s->last_time - lost;
    return PM_OK;
}

static pm_status find_listed(sampler *s, pm_error *error) {
    find_drift(s);
    bool fits = s->frames > 0;
    pm_status status = fits ? find_frames(s, &fits, error) : PM_OK;
    if (fits) {
        cut_range(s);
        s->first_time = rate_value(s->origin) + rate_value(s->grid.start);
    } else if (status == PM_OK) {
        s->frames = 0;
        status = find_times(s, error);
    }
    if (status == PM_OK && !are_distinct(s))
        return motion_fail_option(error, PM_ERROR_FILE, "rate",
                                  "gives samples closer than float32 key times; expected a lower "
                                  "one");
    return status;
}

/* A cut begins at 0, unless its times are kept. */
static void find_begin(sampler *s) {
    const pm_motion_resample_options *o = s->options;
    const pm_rational zero = {0, 1};
    const bool is_cut = is_given(o->start_after_first_key) || o->trim_start > 0;
    const bool keeps = o->keep_time || s->motion->content.has_stamps;
    s->is_moved = is_cut && !keeps && (s->first_time != 0 || o->trim_start > 0);
    s->begin = zero;
    if (is_cut ? !keeps : s->uniform)
        return;
    if (!is_given(s->origin) ||
        !rate_add(s->origin, is_given(o->start_after_first_key) ? o->start_after_first_key : zero,
                  &s->begin))
        s->begin = (pm_rational){0, 0};
}

/* The user did not ask for less where the end was not given. What the last key has lost is no end. */
static void report_cut(const sampler *s) {
    const pm_motion_resample_options *o = s->options;
    const double step = step_of(s);
    const double cut = s->last_time - s->first_time - (double)(s->grid.count - 1) * step;
    if (o->end_rule == PM_MOTION_END_FIT && !is_given(o->end_after_first_key) && loop_of(o) == 0 &&
        cut > fmax(0.01 * step, s->uniform ? 0 : lost_at(s, s->last_time)))
        s->report->end_cut = fmax(s->report->end_cut, cut);
}

pm_status sampler_find_grid(sampler *s, pm_error *error) {
    const pm_motion_clip *clip = s->clip;
    s->uniform = clip->timeline_count == 1 && !clip->timelines[0].times;
    find_range(s);
    find_longest(s);
    s->source = find_source(s);
    s->frames = count_frames(s);
    MOTION_TRY(s->uniform ? find_uniform(s, error) : find_listed(s, error));
    s->count = s->grid.count + s->grid.extra;
    find_begin(s);
    report_cut(s);
    return check_count(s, error);
}

double sampler_result_time(void *user, uint64_t sample) {
    const sampler *s = user;
    const double begin = is_given(s->begin) ? rate_value(s->begin) : s->first_time;
    if (!s->uniform && !s->is_moved)
        return sampler_time(s, sample);
    if (s->grid.extra && sample == s->grid.count)
        return begin + (s->last_time - s->first_time);
    return begin + (double)sample * (double)s->options->rate.den / (double)s->options->rate.num;
}

void sampler_restart(sampler *s, uint64_t sample) {
    if (s->uniform)
        s->position = resample_position_at(&s->grid, sample);
    s->next = sample;
    s->passed = 0;
}

void sampler_advance(sampler *s, size_t count, motion_position positions[]) {
    if (s->uniform)
        advance_uniform(s, count, positions);
    else
        advance_listed(s, count, positions);
    s->next += count;
}
