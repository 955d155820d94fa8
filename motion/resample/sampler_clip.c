/* SPDX-License-Identifier: MIT
 *
 * Creates the curve of a group of tracks. Failures about a track or a key are reported with the node and
 * the key of the file.
 */
#include "motion/resample/sampler_clip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/resample/sampler.h"

enum { CHANNEL_TEXT = 256 };

/* Writes "joint 3 (Spine)" or "joint_pos". */
static void describe_channel(const sampler *s, size_t channel, char text[CHANNEL_TEXT]) {
    const pm_motion_channel *c = &s->clip->channels[channel];
    char shown[MOTION_PRINTABLE];
    if (c->node < 0) {
        snprintf(text, CHANNEL_TEXT, "%s", motion_printable(shown, c->name.text, c->name.size));
        return;
    }
    const pm_motion_name name = s->motion->content.nodes[c->node].name;
    snprintf(text, CHANNEL_TEXT, "joint %d (%s)", (int)c->node,
             motion_printable(shown, name.text, name.size));
}

pm_status sampler_name_failure(const sampler *s, const track_group *group, pm_error *error) {
    char text[CHANNEL_TEXT + 32];
    if (!error || error->track == PM_NO_INDEX || error->track >= group->track_count)
        return error ? error->status : PM_ERROR_FILE;
    const size_t numbers = group->rotates ? 1 : 3;
    describe_channel(s, group->numbers[numbers * error->track].channel, text);
    if (error->key != PM_NO_INDEX)
        snprintf(text + strlen(text), 32, ", frame %zu", error->key + s->options->trim_start);
    return motion_name_failure(error->status, text, error);
}

/* Those on keys that the writer has are the source's. */
static size_t find_too_large(const sampler *s, size_t channel, const double *values, size_t count,
                             const motion_position positions[]) {
    const size_t components = s->clip->channels[channel].components;
    bool all_fit = true;
    for (size_t i = 0; i < count * components; i++)
        all_fit &= fabs(values[i]) <= s->largest;
    for (size_t k = 0; !all_fit && k < count; k++)
        for (size_t i = 0; motion_exact_key(positions[k]) == MOTION_NO_KEY && i < components; i++)
            if (!(fabs(values[k * components + i]) <= s->largest))
                return k;
    return count;
}

static double time_of_sample(const sampler *s, uint64_t sample) {
    if (sample >= s->grid.count)
        return s->last_time;
    return s->uniform ? s->first_time + (double)sample * (double)s->options->rate.den /
                                            (double)s->options->rate.num
                      : sampler_time(s, sample);
}

pm_status sampler_check_numbers(const sampler *s, uint64_t first, size_t at, size_t count,
                                double *const channels[], const motion_position positions[],
                                pm_error *error) {
    for (size_t c = 0; c < s->clip->channel_count; c++) {
        if (!channels[c] || !s->resampled[c])
            continue;
        const size_t components = s->clip->channels[c].components;
        const size_t k = find_too_large(s, c, channels[c] + at * components, count, positions + at);
        char text[CHANNEL_TEXT];
        if (k == count)
            continue;
        describe_channel(s, c, text);
        return motion_refuse(error, "%s becomes a number at %.6g s that the output cannot hold",
                             text, time_of_sample(s, first + k));
    }
    return PM_OK;
}

/* The parameters of the method for rotations; vectors have the ends and the loop in common. */
static pm_clip_desc description_of(const sampler *s, const track_group *group) {
    pm_clip_desc desc = {.method = group->method, .vector_method = group->vector_method};
    if (s->options->authored || !s->options->curve)
        return desc;
    if (group->rotates) {
        const pm_array none = {.data = NULL};
        desc = *s->options->curve;
        desc.positions = desc.scales = desc.user_tangents = none;
        desc.tangents_in = desc.tangents_out = none;
    } else {
        desc.method = PM_METHOD_SLERP;
        desc.ends = s->options->curve->ends;
        desc.loop = s->options->curve->loop;
    }
    return desc;
}

/* Of the clip's rotations, the number of the group's first one; *count: all. */
static size_t find_first_rotation(const sampler *s, const track_group *group, size_t *count) {
    size_t first = 0;
    *count = 0;
    for (size_t c = 0; c < s->clip->channel_count; c++) {
        if (s->clip->channels[c].path != PM_MOTION_ROTATION || !s->resampled[c])
            continue;
        if (c == group->numbers[0].channel)
            first = *count;
        ++*count;
    }
    return first;
}

/* Axes and windows of each track: those of the group, where it is a part of the rotations. */
static pm_status cut_rows(const sampler *s, const track_group *group, pm_clip_desc *desc,
                          pm_error *error) {
    size_t count;
    if (!group->rotates || desc->method != PM_METHOD_STERP)
        return PM_OK;
    const size_t first = find_first_rotation(s, group, &count);
    if (desc->axes.data && desc->axis_count > 1) {
        const size_t tight = 3 * (desc->axes.type == PM_FLOAT32 ? sizeof(float) : sizeof(double));
        if (desc->axis_count != count)
            return motion_fail(error, PM_ERROR_ARGUMENT,
                               "axis_count %zu is neither 1 nor track_count", desc->axis_count);
        desc->axes.data =
            (const char *)desc->axes.data + first * (desc->axes.stride ? desc->axes.stride : tight);
        desc->axis_count = group->track_count;
    }
    if (desc->windows && desc->window_count > 1) {
        if (desc->window_count != count)
            return motion_fail(error, PM_ERROR_ARGUMENT,
                               "window_count %zu is neither 1 nor track_count", desc->window_count);
        desc->windows += first;
        desc->window_count = group->track_count;
    }
    return PM_OK;
}

/* Without axes, sterp twists about the bones. */
static pm_status add_axes(const sampler *s, const track_group *group, pm_clip_desc *desc,
                          double **axes, pm_error *error) {
    if (!group->rotates || desc->method != PM_METHOD_STERP || desc->axes.data)
        return PM_OK;
    *axes = tracks_bone_axes(group, s->clip, &s->motion->content);
    MOTION_TRY_MEMORY(*axes, error);
    desc->axes = (pm_array){.data = *axes, .type = PM_FLOAT64};
    desc->axis_count = group->track_count;
    desc->axis_frame = PM_AXIS_BODY;
    return PM_OK;
}

pm_status sampler_describe(const sampler *s, const sampler_group *group, track_range range,
                           pm_clip_desc *desc, track_keys *keys, double **axes, pm_error *error) {
    *desc = description_of(s, group->tracks);
    MOTION_TRY(tracks_describe(group->tracks, s->motion, s->clip, range, desc, keys, error));
    MOTION_TRY(cut_rows(s, group->tracks, desc, error));
    return add_axes(s, group->tracks, desc, axes, error);
}

static pm_status make_clip(const sampler *s, const sampler_group *group, size_t most,
                           pm_clip **clip, pm_error *error) {
    SCOPED(tracks_keys_release) track_keys keys;
    FREED double *axes = NULL;
    pm_clip_desc desc;
    const track_range range = {.trim = s->options->trim_start, .most = most};
    pm_status status = sampler_describe(s, group, range, &desc, &keys, &axes, error);
    if (status == PM_OK) {
        status = pm_clip_create(s->engine, &desc, clip, error);
        if (status != PM_OK)
            status = sampler_name_failure(s, group->tracks, error);
    }
    return status;
}

static pm_status make_resampler(const sampler *s, sampler_group *group, pm_error *error) {
    pm_clip_desc desc;
    const track_range range = {.trim = s->options->trim_start, .most = SIZE_MAX};
    MOTION_TRY(sampler_describe(s, group, range, &desc, &group->keys, &group->axes, error));
    pm_status status = pm_resampler_create(&desc, &group->resampler, error);
    return status == PM_OK ? PM_OK : sampler_name_failure(s, group->tracks, error);
}

pm_status sampler_make_curve(const sampler *s, sampler_group *group, pm_error *error) {
    return s->plain_threads > 0 ? make_resampler(s, group, error)
                                : sampler_make_clip(s, group, error);
}

pm_status sampler_make_clip(const sampler *s, sampler_group *group, pm_error *error) {
    sampler_release_curve(group);
    return make_clip(s, group, SIZE_MAX, &group->clip, error);
}

pm_status sampler_run(const sampler *s, const sampler_group *group, const pm_sample_job *job,
                      pm_error *error) {
    if (group->filter)
        return pm_filter_sample(group->filter, job, error);
    if (!group->resampler)
        return pm_sample(group->clip, job, error);
    pm_sample_job threaded = *job;
    threaded.host_threads = s->plain_threads;
    const pm_status status = pm_resampler_sample(group->resampler, &threaded, error);
    return status == PM_OK ? PM_OK : sampler_name_failure(s, group->tracks, error);
}

void sampler_release_curve(sampler_group *group) {
    pm_clip_destroy(&group->clip);
    pm_resampler_destroy(&group->resampler);
    pm_filter_destroy(&group->filter);
    tracks_keys_release(&group->keys);
    free(group->axes);
    group->axes = NULL;
}

pm_status sampler_check_curve(const sampler *s, const sampler_group *group, pm_error *error) {
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
    return make_clip(s, group, 1, &clip, error);
}
