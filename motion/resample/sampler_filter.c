/* SPDX-License-Identifier: MIT
 *
 * Low-passes take keys at a rate, on one timeline. Where a clip lists times, or cubics have keys of any
 * length, the curves of the group are sampled at the rate of its frames first.
 */

#include <math.h>
#include <stdlib.h>

#include "motion/resample/sampler_clip.h"
#include "motion/time/rate.h"

/* Of the smaller rate: the stop band then begins at 0.54 of it, and the pass band ends at 0.36. */
static const double automatic = 0.45;

pm_status sampler_find_cutoff(sampler *s, pm_error *error) {
    const pm_motion_resample_options *o = s->options;
    if (!o->authored && o->curve && o->curve->loop > 0)
        return motion_fail_option(error, PM_ERROR_FILE, "lowpass",
                                  "cannot be combined with a loop");
    if (s->frames == 0) {
        motion_refuse(error, "has keys at no rate, which a low-pass requires");
        motion_hint(error,
                    "resample it first without a low-pass, at the rate that it was made for");
        return PM_ERROR_FILE;
    }
    const double source = rate_value(s->source.rate), rate = rate_value(o->rate);
    s->cutoff = o->lowpass == PM_MOTION_LOWPASS_AUTO ? automatic * fmin(source, rate) : o->lowpass;
    s->report->cutoff = s->report->cutoff > 0 ? fmin(s->report->cutoff, s->cutoff) : s->cutoff;
    return PM_OK;
}

static pm_status create(const sampler *s, sampler_group *group, const pm_clip_desc *keys,
                        pm_error *error) {
    const pm_clip_desc uniform = {.track_count = keys->track_count,
                                  .timelines = keys->timelines,
                                  .rotations = keys->rotations,
                                  .positions = keys->positions};
    const pm_status status =
        pm_filter_create(s->engine, &uniform, s->cutoff, &group->filter, error);
    return status == PM_OK ? PM_OK : sampler_name_failure(s, group->tracks, error);
}

/* Frames that are not trimmed, from their own first key on. */
static pm_status sample_frames(const sampler *s, const sampler_group *group,
                               const pm_clip_desc *desc, size_t frames, float *to,
                               pm_error *error) {
    const double first = s->uniform ? 0 : rate_value(s->origin);
    FREED double *times = malloc(frames * sizeof *times);
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
    MOTION_TRY_MEMORY(times, error);
    for (size_t k = 0; k < frames; k++)
        times[k] = first + (double)k * (double)s->source.rate.den / (double)s->source.rate.num;
    const pm_sample_job job = {.sample_count = frames,
                               .times = times,
                               .rotations = group->tracks->rotates ? to : NULL,
                               .positions = group->tracks->rotates ? NULL : to};
    pm_status status = pm_clip_create(s->engine, desc, &clip, error);
    if (status != PM_OK)
        status = sampler_name_failure(s, group->tracks, error);
    else
        status = pm_sample(clip, &job, error);
    return status;
}

static pm_status create_from_frames(const sampler *s, sampler_group *group,
                                    const pm_clip_desc *desc, pm_error *error) {
    const size_t width = (group->tracks->rotates ? 4 : 3) * desc->track_count;
    const uint64_t frames = s->frames - s->options->trim_start;
    if (frames > SIZE_MAX / sizeof(float) / width)
        return motion_refuse_memory(error);
    FREED float *keys = malloc((size_t)frames * width * sizeof *keys);
    MOTION_TRY_MEMORY(keys, error);
    MOTION_TRY(sample_frames(s, group, desc, (size_t)frames, keys, error));
    const pm_timeline timeline = {.key_count = (size_t)frames, .rate = s->source.rate};
    const pm_array array = {.data = keys, .type = PM_FLOAT32}, none = {.data = NULL};
    const pm_clip_desc uniform = {.track_count = desc->track_count,
                                  .timelines = &timeline,
                                  .rotations = group->tracks->rotates ? array : none,
                                  .positions = group->tracks->rotates ? none : array};
    return create(s, group, &uniform, error);
}

pm_status sampler_make_filter(const sampler *s, sampler_group *group, pm_error *error) {
    const track_range range = {.trim = s->options->trim_start, .most = SIZE_MAX};
    SCOPED(tracks_keys_release) track_keys keys;
    FREED double *axes = NULL;
    pm_clip_desc desc;
    MOTION_TRY(sampler_describe(s, group, range, &desc, &keys, &axes, error));
    const bool is_cubic = group->tracks->rotates && group->tracks->method == PM_METHOD_CUBICSPLINE;
    return s->uniform && !is_cubic ? create(s, group, &desc, error)
                                   : create_from_frames(s, group, &desc, error);
}
