/* SPDX-License-Identifier: MIT
 *
 * The grid of a clip's samples. With a rate it is exact, in whole numbers. Without one, key times
 * are float32 in all formats, and so are the times of samples: a sample whose float32 time is that of
 * a key lies on the key.
 */
#include "motion/resample/sampler_grid.h"

#include <math.h>

#include "motion/model/evaluate.h"

static const uint64_t default_max_samples = 100000000;

static bool is_given(pm_rational r) {
    return r.den != 0;
}

/* The channels' own interpolations do not loop. */
static double loop_of(const pm_motion_resample_options *options) {
    return options->curve && !options->authored ? options->curve->loop_period : 0;
}

static pm_status check_count(const sampler *s, pm_error *error) {
    const uint64_t max = s->options->max_samples ? s->options->max_samples : default_max_samples;
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
    if (error)
        error->hint = "check --rate and --src-rate; --max-frames raises the limit";
    return PM_ERROR_FILE;
}

/* ---- clips with a rate --------------------------------------------------------------------- */

static pm_status find_uniform(sampler *s, pm_error *error) {
    const pm_motion_resample_options *o = s->options;
    const size_t keys = s->clip->timelines[0].key_count;
    if (o->trim_start >= keys)
        return motion_refuse(error, "--trim-start %zu removes all %zu frames", o->trim_start, keys);
    const resample_span span = {
        .source_rate = s->clip->rate,
        .rate = o->rate,
        .frame_count = keys - o->trim_start,
        .start = o->start,
        .end = o->end,
        .end_rule = o->end_rule == PM_MOTION_END_INCLUDE ? RESAMPLE_END_INCLUDE : RESAMPLE_END_FIT,
        .loop_period = loop_of(o),
    };
    const char *reason = resample_grid_make(&span, &s->grid);
    if (reason)
        return motion_refuse(error, "%s", reason);
    s->count = s->grid.count + s->grid.extra;
    s->first_time = rate_value(s->grid.start);
    s->last_time = rate_value(s->grid.end);
    return check_count(s, error);
}

/* Positions count from the first key that is not trimmed; writers count all keys. */
static motion_position position_of(const sampler *s, resample_position at) {
    const uint64_t keys = s->clip->timelines[0].key_count - s->options->trim_start;
    if (at.frame >= keys)
        return (motion_position){.key = MOTION_NO_KEY};
    return (motion_position){.key = s->options->trim_start + at.frame,
                             .exact = at.remainder == 0 && s->interpolating};
}

static void advance_uniform(sampler *s, size_t count, motion_position positions[]) {
    for (size_t k = 0; k < count; k++) {
        const bool at_end = s->grid.extra && s->next + k == s->grid.count;
        if (at_end)
            s->position = resample_position_end(&s->grid, s->clip->rate);
        positions[k] = position_of(s, s->position);
        if (!at_end)
            resample_position_step(&s->grid, &s->position);
        s->report->kept += positions[k].exact && s->before == 0;
    }
}

bool sampler_keeps_all(const sampler *s) {
    const resample_grid *g = &s->grid;
    if (!s->uniform || !s->interpolating || loop_of(s->options) != 0)
        return false;
    const bool ends_between = g->extra && resample_position_end(g, s->clip->rate).remainder != 0;
    return g->first % g->unit == 0 && g->step % g->unit == 0 && !ends_between;
}

/* ---- clips with listed times --------------------------------------------------------------- */

static double as_float32(double seconds) {
    return (double)(float)seconds;
}

static void find_range(sampler *s) {
    s->first_time = (double)INFINITY;
    s->last_time = -(double)INFINITY;
    for (size_t c = 0; c < s->clip->channel_count; c++) {
        const pm_timeline *t = &s->clip->timelines[s->clip->channels[c].timeline];
        s->first_time = fmin(s->first_time, evaluate_key_time(t, 0));
        s->last_time = fmax(s->last_time, evaluate_key_time(t, t->key_count - 1));
    }
}

static double unrounded_time(const sampler *s, uint64_t sample) {
    return s->first_time +
           (double)sample * (double)s->options->rate.den / (double)s->options->rate.num;
}

double sampler_time(const sampler *s, uint64_t sample) {
    if (s->grid.extra && sample == s->grid.count)
        return s->last_time;
    return as_float32(unrounded_time(s, sample));
}

static void find_longest(sampler *s) {
    s->longest = &s->clip->timelines[0];
    for (size_t t = 1; t < s->clip->timeline_count; t++)
        if (s->clip->timelines[t].key_count > s->longest->key_count)
            s->longest = &s->clip->timelines[t];
}

/* Counts a sample that lies on a key of the longest timeline. */
static void count_kept(sampler *s, double time) {
    const size_t keys = s->longest->key_count;
    while (s->passed < keys && as_float32(evaluate_key_time(s->longest, s->passed)) < time)
        s->passed++;
    s->report->kept += s->before == 0 && s->interpolating && s->passed < keys &&
                       as_float32(evaluate_key_time(s->longest, s->passed)) == time;
}

static void advance_listed(sampler *s, size_t count, motion_position positions[]) {
    for (size_t k = 0; k < count; k++) {
        count_kept(s, sampler_time(s, s->next + k));
        positions[k] = (motion_position){.key = MOTION_NO_KEY};
    }
}

/* A sample belongs to the range if its float32 time does. */
static uint64_t count_times(const sampler *s, double end) {
    const double samples = (end - s->first_time) * rate_value(s->options->rate);
    if (!(samples < 0x1p62))
        return RESAMPLE_GRID_OVERFLOW;
    uint64_t count = s->first_time < end ? (uint64_t)samples + 2 : 1;
    while (count > 1 && as_float32(unrounded_time(s, count - 1)) > end)
        count--;
    return count;
}

/* Whether neighbouring samples have different float32 times. */
static bool are_distinct(const sampler *s) {
    const double largest = fmax(fabs(s->first_time), fabs(s->last_time));
    return s->first_time >= s->last_time || 1.0 / rate_value(s->options->rate) > 0x1p-23 * largest;
}

/* An open loop ends at its period, where the first sample repeats. */
static bool is_open_loop(double period, double duration) {
    return period - duration > 1e-9 * period;
}

/* Moves the ends of the range to those of the options, in float32 like key times. */
static pm_status cut_range(sampler *s, double loop, pm_error *error) {
    const pm_motion_resample_options *o = s->options;
    const double origin = s->first_time;
    const double end = as_float32(origin + (is_given(o->end) ? rate_value(o->end) : loop));
    if (is_given(o->start))
        s->first_time = origin + rate_value(o->start);
    if (is_given(o->end) && loop == 0 && end > s->last_time)
        return motion_refuse(error, "--end is after the last key");
    if (is_given(o->end) || loop > 0)
        s->last_time = end;
    if (as_float32(s->first_time) > s->last_time)
        return motion_refuse(error, "--start is after %s",
                             is_given(o->end) ? "--end"
                             : loop > 0       ? "the end of the loop"
                                              : "the last key");
    return PM_OK;
}

static pm_status find_listed(sampler *s, pm_error *error) {
    const pm_motion_resample_options *o = s->options;
    find_range(s);
    find_longest(s);
    if (s->clip->channel_count == 0)
        return motion_refuse(error, "a clip has no channels; there is nothing to resample");
    const bool repeats = is_open_loop(loop_of(o), s->last_time - s->first_time);
    const pm_status status = cut_range(s, loop_of(o), error);
    if (status != PM_OK)
        return status;
    if (!are_distinct(s))
        return motion_refuse(error, "samples at this rate are closer than float32 key times; "
                                    "expected a lower --rate");
    if (o->trim_start > 0)
        return motion_refuse(error, "--trim-start is for files with uniform keys");
    const bool before_end = repeats && !is_given(o->end);
    s->grid.count =
        count_times(s, before_end ? nextafter(s->last_time, -(double)INFINITY) : s->last_time);
    s->grid.extra = o->end_rule == PM_MOTION_END_INCLUDE && !before_end &&
                    s->grid.count < RESAMPLE_GRID_OVERFLOW &&
                    as_float32(unrounded_time(s, s->grid.count - 1)) < s->last_time;
    s->count = s->grid.count + s->grid.extra;
    return check_count(s, error);
}

/* ---- both ---------------------------------------------------------------------------------- */

pm_status sampler_find_grid(sampler *s, pm_error *error) {
    s->uniform = s->clip->timeline_count == 1 && !s->clip->timelines[0].times;
    return s->uniform ? find_uniform(s, error) : find_listed(s, error);
}

void sampler_restart(sampler *s) {
    if (s->uniform)
        s->position = resample_position_first(&s->grid);
    s->next = 0;
    s->passed = 0;
}

void sampler_advance(sampler *s, size_t count, motion_position positions[]) {
    if (s->uniform)
        advance_uniform(s, count, positions);
    else
        advance_listed(s, count, positions);
    s->next += count;
}
