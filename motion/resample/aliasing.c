/* SPDX-License-Identifier: MIT
 *
 * What a lower rate would turn into slower motion: the rotations of a clip against the same through a
 * low-pass at half the new rate.
 */
#include <math.h>
#include <stdlib.h>

#include "host/base/elementary.h"
#include "motion/model/evaluate.h"
#include "motion/resample/sampler.h"
#include "motion/resample/sampler_clip.h"
#include "motion/time/rate.h"

/* Of each group of tracks, at most: frames, and rotations that are compared. A tremor shows in half a minute, and
 * the search takes less time than the resampling. */
enum { MAX_FRAMES = 4096, MAX_ROTATIONS = 1 << 14 };

typedef struct search {
    sampler *s;
    pm_engine *engine;
    size_t clip;
    double cutoff; /* Hz */
    pm_motion_aliasing *found;
} search;

static void read_key(const pm_clip_desc *desc, size_t key, size_t track, double q[4]) {
    const pm_array *keys = &desc->rotations;
    const size_t size = keys->type == PM_FLOAT32 ? sizeof(float) : sizeof(double);
    const size_t stride = keys->stride ? keys->stride : 4 * desc->track_count * size;
    const pm_array one = {.data = (const char *)keys->data + key * stride + 4 * track * size,
                          .type = keys->type};
    for (uint32_t i = 0; i < 4; i++)
        q[i] = evaluate_number(&one, 4, 0, i);
}

static double degrees_between(const double a[4], const float b[4]) {
    const double pi = 3.14159265358979323846;
    double dot = 0, norm = 0, squares = 0;
    for (int i = 0; i < 4; i++) {
        dot += a[i] * (double)b[i];
        norm += a[i] * a[i];
    }
    for (int i = 0; i < 4; i++) {
        const double across = a[i] / sqrt(norm) - (dot < 0 ? -(double)b[i] : (double)b[i]);
        squares += across * across;
    }
    return 4 * pm_same_asin(fmin(1, 0.5 * sqrt(squares))) * 180 / pi;
}

/* The worst track of a group. */
static void find_worst(const search *a, const track_group *group, const pm_clip_desc *desc,
                       const float *filtered, size_t step, size_t samples) {
    for (size_t t = 0; t < desc->track_count; t++) {
        double squares = 0;
        for (size_t k = 0; k < samples; k++) {
            double key[4];
            read_key(desc, k * step, t, key);
            const double degrees = degrees_between(key, filtered + 4 * (k * desc->track_count + t));
            squares += degrees * degrees;
        }
        const double rms = sqrt(squares / (double)samples);
        if (rms > a->found->degrees) {
            a->found->degrees = rms;
            a->found->clip = a->clip;
            a->found->channel = group->numbers[t].channel;
        }
    }
}

static pm_status compare(const search *a, const track_group *group, const pm_clip_desc *desc,
                         pm_error *error) {
    const size_t keys = desc->timelines[0].key_count, tracks = desc->track_count;
    const size_t step = keys * tracks / MAX_ROTATIONS + 1, samples = (keys - 1) / step + 1;
    pm_rational rate;
    SCOPED(pm_filter_destroy) pm_filter *filter = NULL;
    if (!rate_divide(a->s->source.rate, (pm_rational){(int64_t)step, 1}, &rate))
        return PM_OK;
    pm_status status = pm_filter_create(a->engine, desc, a->cutoff, &filter, error);
    FREED float *filtered = malloc(samples * tracks * 4 * sizeof *filtered);
    const pm_sample_job job = {.sample_count = samples, .rate = rate, .rotations = filtered};
    if (status == PM_OK)
        status = filtered ? pm_filter_sample(filter, &job, error) : motion_refuse_memory(error);
    if (status == PM_OK)
        find_worst(a, group, desc, filtered, step, samples);
    return status;
}

/* Groups of one timeline, each of whose keys is a frame. */
static pm_status search_group(const search *a, track_group *tracks, pm_error *error) {
    const size_t frames = (size_t)a->s->frames;
    const track_range range = {.trim = frames > MAX_FRAMES ? (frames - MAX_FRAMES) / 2 : 0,
                               .most = MAX_FRAMES};
    sampler_group group = {.tracks = tracks};
    SCOPED(tracks_keys_release) track_keys keys;
    FREED double *axes = NULL;
    pm_clip_desc desc;
    MOTION_TRY(sampler_describe(a->s, &group, range, &desc, &keys, &axes, error));
    if (!desc.timeline_of) {
        const pm_timeline uniform = {.key_count = desc.timelines[0].key_count,
                                     .rate = a->s->source.rate};
        const pm_clip_desc by_rate = {
            .track_count = desc.track_count, .timelines = &uniform, .rotations = desc.rotations};
        MOTION_TRY(compare(a, tracks, &by_rate, error));
    }
    return PM_OK;
}

static pm_status search_clip(const pm_motion *motion, size_t clip, search *a,
                             const pm_motion_resample_options *options, pm_error *error) {
    pm_motion_resample_report report = {.samples = 0};
    SCOPED(tracks_release) track_groups groups = {.count = 0};
    SCOPED(sampler_release) sampler s;
    pm_status status = sampler_open(&s, motion, clip, a->engine, options, &report, error);
    a->s = &s;
    a->clip = clip;
    const double source = status == PM_OK && s.frames > 1 ? rate_value(s.source.rate) : 0;
    if (status == PM_OK && a->cutoff < 0.5 * source && a->cutoff > source / 800)
        status =
            tracks_divide(&groups, s.clip, 0, s.clip->channel_count, true, PM_METHOD_SLERP, error);
    for (size_t g = 0; status == PM_OK && g < groups.count; g++)
        if (groups.groups[g].rotates && groups.groups[g].method == PM_METHOD_SLERP)
            status = search_group(a, &groups.groups[g], error);
    return status;
}

pm_status pm_motion_find_aliasing(const pm_motion *motion, pm_rational rate,
                                  pm_motion_aliasing *aliasing, pm_error *error) {
    if (!motion || !aliasing || rate.num <= 0 || rate.den <= 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s",
                           !motion     ? "motion is NULL"
                           : !aliasing ? "aliasing is NULL"
                                       : "rate is not above 0");
    const pm_motion_resample_options options = {.rate = rate, .authored = true};
    *aliasing = (pm_motion_aliasing){.degrees = 0};
    search a = {.cutoff = 0.5 * rate_value(rate), .found = aliasing};
    const pm_engine_desc plain = {.device = "none"};
    pm_status status = motion_check_keys(motion, error);
    if (status == PM_OK)
        status = pm_engine_create(&plain, &a.engine, error);
    for (size_t i = 0; status == PM_OK && i < motion->content.clip_count; i++)
        if (motion->content.clips[i].channel_count > 0)
            status = search_clip(motion, i, &a, &options, error);
    pm_engine_destroy(&a.engine);
    return status;
}
