/* SPDX-License-Identifier: MIT
 *
 * Derivatives of a clip's channels at its samples. Where a curve has a corner, as slerp has at keys,
 * the derivative is the mean of both sides, which central differences tend to. Linear numbers are
 * differentiated exactly, in double; others by central differences of the engine's samples, a small
 * part of the distance of keys apart.
 */
#include <math.h>
#include <stdlib.h>

#include "host/base/elementary.h"
#include "motion/model/evaluate.h"
#include "motion/resample/sampler.h"
#include "motion/resample/sampler_clip.h"
#include "motion/time/rate.h"

/* How far apart, as parts of the distance between keys: where both sides are exact, as near as float32
 * positions in a segment allow; else far above what float32 samples resolve, and far below what a
 * smooth curve does. */
static const double near = 1e-5, wide = 1.0 / 64;

typedef struct differences {
    const sampler *s;
    uint64_t first;  /* sample */
    size_t count;    /* of samples */
    double distance; /* of keys, seconds */
    double *times;   /* (2 * count): before and after each sample, relative to the kept keys */
    float *values;   /* (2 * count, track_count, 3) */
} differences;

/* Key times without those that are trimmed, as the engine has them. */
static double relative_time(const sampler *s, uint64_t sample) {
    if (!s->uniform)
        return sampler_time(s, sample);
    if (s->grid.extra && sample == s->grid.count)
        return rate_value(s->grid.end);
    return rate_value(s->grid.start) +
           (double)sample * (double)s->options->rate.den / (double)s->options->rate.num;
}

/* The smallest distance between keys that a sample can lie between. */
static double key_distance(const sampler *s) {
    double least = (double)INFINITY;
    for (size_t t = 0; t < s->clip->timeline_count; t++) {
        const pm_timeline *timeline = &s->clip->timelines[t];
        for (size_t k = 1; timeline->times && k < timeline->key_count; k++)
            least = fmin(least, timeline->times[k] - timeline->times[k - 1]);
        if (!timeline->times)
            least = fmin(least, (double)timeline->rate.den / (double)timeline->rate.num);
    }
    return isfinite(least) ? least : 1;
}

static double last_time(const sampler *s) {
    const pm_timeline *timeline = &s->clip->timelines[0];
    return evaluate_key_time(timeline,
                             timeline->key_count - 1 - (s->uniform ? s->options->trim_start : 0));
}

/* Outside of the keys nothing moves: there, a difference is that of the inner side. */
static void find_times(const differences *d, double step) {
    const double begin = d->s->uniform ? 0 : d->s->first_time, end = last_time(d->s);
    for (size_t k = 0; k < d->count; k++) {
        const double time = relative_time(d->s, d->first + k);
        d->times[2 * k] = fmax(time - step * d->distance, begin);
        d->times[2 * k + 1] = time + step * d->distance;
        if (d->s->uniform)
            d->times[2 * k + 1] = fmin(d->times[2 * k + 1], end);
    }
}

/* Velocities end before the last key: there, both sides are before it. */
static void find_turning_times(const differences *d) {
    const double end = last_time(d->s);
    find_times(d, near);
    for (size_t k = 0; k < d->count; k++)
        if (d->times[2 * k + 1] >= end)
            d->times[2 * k + 1] = d->times[2 * k];
}

static void give_velocities(const differences *d, const sampler_group *group,
                            double *const velocities[]) {
    const size_t width = 3 * group->tracks->track_count;
    for (size_t t = 0; t < group->tracks->track_count; t++) {
        double *to = velocities[group->tracks->numbers[t].channel];
        for (size_t k = 0; to && k < d->count; k++)
            for (size_t i = 0; i < 3; i++) {
                const float *sides = d->values + 2 * k * width + 3 * t + i;
                to[3 * k + i] = 0.5 * ((double)sides[0] + (double)sides[width]);
            }
    }
}

static pm_status differentiate_rotations(differences *d, const sampler_group *group,
                                         double *const velocities[], pm_error *error) {
    const pm_sample_job job = {.sample_count = 2 * d->count,
                               .times = d->times,
                               .velocities = d->values,
                               .velocity_frame = PM_AXIS_PARENT};
    find_turning_times(d);
    MOTION_TRY(sampler_run(d->s, group, &job, error));
    give_velocities(d, group, velocities);
    return PM_OK;
}

static bool is_linear(const sampler_group *group) {
    return group->tracks->vector_method == PM_VECTOR_LINEAR;
}

/* A clip of one key does not move. */
static double slope(const differences *d, size_t sample, double difference) {
    const double seconds = d->times[2 * sample + 1] - d->times[2 * sample];
    return seconds > 0 ? difference / seconds : 0;
}

/* Exactly: the segments of both sides of a sample are straight. */
static void differentiate_linear(const differences *d, const track_number *number, double *to) {
    const pm_motion_channel *channel = &d->s->clip->channels[number->channel];
    const pm_timeline *timeline = &d->s->clip->timelines[channel->timeline];
    const size_t trim = d->s->uniform ? d->s->options->trim_start : 0;
    const double shift = trim ? evaluate_key_time(timeline, trim) : 0;
    double value[2];
    for (size_t k = 0; k < d->count; k++) {
        for (size_t side = 0; side < 2; side++)
            value[side] = evaluate_linear(channel, timeline, d->times[2 * k + side] + shift,
                                          number->component);
        to[k * channel->components] = slope(d, k, value[1] - value[0]);
    }
}

static void differentiate_sampled(const differences *d, const sampler_group *group, size_t n,
                                  size_t components, double *to) {
    const size_t width = 3 * group->tracks->track_count;
    for (size_t k = 0; k < d->count; k++) {
        const float *sides = d->values + 2 * k * width + n;
        to[k * components] = slope(d, k, (double)sides[width] - (double)sides[0]);
    }
}

static pm_status differentiate_numbers(differences *d, const sampler_group *group,
                                       double *const velocities[], pm_error *error) {
    const bool linear = is_linear(group);
    const pm_sample_job job = {
        .sample_count = 2 * d->count, .times = d->times, .positions = d->values};
    find_times(d, linear ? near : wide);
    MOTION_TRY(linear ? PM_OK : sampler_run(d->s, group, &job, error));
    for (size_t n = 0; n < 3 * group->tracks->track_count; n++) {
        const track_number *number = &group->tracks->numbers[n];
        if (number->channel == TRACKS_NO_CHANNEL || !velocities[number->channel])
            continue;
        const size_t components = d->s->clip->channels[number->channel].components;
        double *to = velocities[number->channel] + number->component;
        if (linear)
            differentiate_linear(d, number, to);
        else
            differentiate_sampled(d, group, n, components, to);
    }
    return PM_OK;
}

/* The turn from a to b, in the parent's frame: a rotation vector. */
static void find_turn(const float a[4], const float b[4], double turn[3]) {
    double v[3] = {0, 0, 0}, w = 0;
    for (int i = 0; i < 4; i++)
        w += (double)b[i] * (double)a[i];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = (double)b[i] * (double)a[3] - (double)b[3] * (double)a[i] -
               ((double)b[j] * (double)a[k] - (double)b[k] * (double)a[j]);
    }
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        turn[i] =
            length > 0 ? 2 * pm_same_atan2(length, fabs(w)) / length * (w < 0 ? -v[i] : v[i]) : 0;
}

static void give_turns(const differences *d, const sampler_group *group,
                       double *const velocities[]) {
    const size_t width = 4 * group->tracks->track_count;
    for (size_t t = 0; t < group->tracks->track_count; t++) {
        double *to = velocities[group->tracks->numbers[t].channel];
        for (size_t k = 0; to && k < d->count; k++) {
            const float *sides = d->values + 2 * k * width + 4 * t;
            double turn[3];
            find_turn(sides, sides + width, turn);
            for (size_t i = 0; i < 3; i++)
                to[3 * k + i] = slope(d, k, turn[i]);
        }
    }
}

/* By central differences: a low-pass has no corners. Its times begin at the first key. */
static pm_status differentiate_filtered(differences *d, const sampler_group *group,
                                        double *const velocities[], pm_error *error) {
    const bool rotates = group->tracks->rotates;
    pm_sample_job job = {.sample_count = 2 * d->count, .times = d->times};
    *(rotates ? &job.rotations : &job.positions) = d->values;
    find_times(d, wide);
    for (size_t k = 0; !d->s->uniform && k < 2 * d->count; k++)
        d->times[k] -= rate_value(d->s->origin);
    MOTION_TRY(sampler_run(d->s, group, &job, error));
    if (rotates)
        give_turns(d, group, velocities);
    for (size_t n = 0; !rotates && n < 3 * group->tracks->track_count; n++) {
        const track_number *number = &group->tracks->numbers[n];
        if (number->channel != TRACKS_NO_CHANNEL && velocities[number->channel])
            differentiate_sampled(d, group, n, d->s->clip->channels[number->channel].components,
                                  velocities[number->channel] + number->component);
    }
    return PM_OK;
}

static bool is_wanted(const sampler_group *group, double *const velocities[]) {
    const size_t numbers = group->tracks->track_count * (group->tracks->rotates ? 1 : 3);
    for (size_t n = 0; n < numbers; n++) {
        const size_t channel = group->tracks->numbers[n].channel;
        if (channel != TRACKS_NO_CHANNEL && velocities[channel])
            return true;
    }
    return false;
}

static pm_status differentiate(differences *d, sampler_group *group, double *const velocities[],
                               pm_error *error) {
    if (!is_wanted(group, velocities))
        return PM_OK;
    const bool samples = group->tracks->rotates || !is_linear(group);
    if (samples && !group->clip &&
        !group->filter) { /* of samples that all lie on keys, nothing else needs it */
        const pm_status status = sampler_make_clip(d->s, group, error);
        if (status != PM_OK)
            return status;
    }
    d->values = malloc((8 * d->count * group->tracks->track_count + 1) * sizeof *d->values);
    MOTION_TRY_MEMORY(d->values, error);
    const pm_status status = group->filter ? differentiate_filtered(d, group, velocities, error)
                             : group->tracks->rotates
                                 ? differentiate_rotations(d, group, velocities, error)
                                 : differentiate_numbers(d, group, velocities, error);
    free(d->values);
    return status;
}

pm_status sampler_read_velocities(void *user, uint64_t first, size_t count,
                                  double *const velocities[], pm_error *error) {
    sampler *s = user;
    differences d = {.s = s, .first = first, .count = count, .distance = key_distance(s)};
    d.times = malloc((2 * count + 1) * sizeof *d.times);
    MOTION_TRY_MEMORY(d.times, error);
    pm_status status = PM_OK;
    for (size_t g = 0; g < s->tracks.count && status == PM_OK; g++)
        status = differentiate(&d, &s->groups[g], velocities, error);
    free(d.times);
    return status;
}
