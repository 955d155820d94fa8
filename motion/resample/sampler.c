/* SPDX-License-Identifier: MIT
 *
 * Creates a clip of the engine for each group of tracks, and evaluates them in pieces of bounded
 * memory. Failures about a track or a key are reported with the node and the key of the file.
 */
#include "motion/resample/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/resample/sampler_grid.h"

enum { PIECE_BYTES = 8 << 20, CHANNEL_TEXT = 256 };

/* ---- failures ------------------------------------------------------------------------------ */

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

/* Replaces the engine's track and key by those of the file. */
static pm_status name_failure(const sampler *s, const track_group *group, pm_error *error) {
    char text[CHANNEL_TEXT], message[sizeof error->message];
    if (!error || error->track == PM_NO_INDEX || error->track >= group->track_count)
        return error ? error->status : PM_ERROR_FILE;
    const size_t numbers = group->rotates ? 1 : 3;
    describe_channel(s, group->numbers[numbers * error->track].channel, text);
    snprintf(message, sizeof message, "%s", error->message);
    if (error->key == PM_NO_INDEX)
        snprintf(error->message, sizeof error->message, "%s: %.240s", text, message);
    else
        snprintf(error->message, sizeof error->message, "%s, frame %zu: %.240s", text,
                 error->key + s->options->trim_start, message);
    return error->status;
}

/* ---- clips --------------------------------------------------------------------------------- */

/* The parameters of the method for rotations; vectors have the ends and the loop in common. */
static pm_clip_desc description_of(const sampler *s, const track_group *group) {
    pm_clip_desc desc = {.method = group->method, .vector_method = group->vector_method};
    if (s->options->authored || !s->options->curve)
        return desc;
    if (group->rotates) {
        const pm_array none = {.data = NULL};
        desc = *s->options->curve;
        desc.positions = desc.scales = desc.user_tangents = none;
        desc.rotations_in = desc.rotations_out = none;
    } else {
        desc.method = PM_METHOD_SLERP;
        desc.ends = s->options->curve->ends;
        desc.loop_period = s->options->curve->loop_period;
    }
    return desc;
}

/* Without axes, sterp twists about the bones. */
static pm_status add_axes(const sampler *s, const track_group *group, pm_clip_desc *desc,
                          double **axes, pm_error *error) {
    if (!group->rotates || desc->method != PM_METHOD_STERP || desc->axes.data)
        return PM_OK;
    *axes = tracks_bone_axes(group, s->clip, &s->motion->content);
    if (!*axes)
        return motion_refuse_memory(error);
    desc->axes = (pm_array){.data = *axes, .type = PM_FLOAT64};
    desc->axis_count = group->track_count;
    desc->axis_frame = PM_AXIS_BODY;
    return PM_OK;
}

static pm_status make_clip(sampler *s, sampler_group *group, pm_engine *engine, pm_error *error) {
    track_keys keys;
    double *axes = NULL;
    pm_clip_desc desc = description_of(s, group->tracks);
    const size_t trim = s->uniform ? s->options->trim_start : 0;
    pm_status status = tracks_describe(group->tracks, s->clip, trim, &desc, &keys, error);
    if (status == PM_OK)
        status = add_axes(s, group->tracks, &desc, &axes, error);
    if (status == PM_OK) {
        status = pm_clip_create(engine, &desc, &group->clip, error);
        if (status != PM_OK)
            status = name_failure(s, group->tracks, error);
    }
    free(axes);
    tracks_keys_release(&keys);
    return status;
}

/* ---- memory -------------------------------------------------------------------------------- */

static size_t width_of(const sampler_group *group) {
    return group->tracks->track_count * (group->tracks->rotates ? 4 : 3);
}

static pm_status allocate_samples(sampler *s, pm_error *error) {
    size_t numbers = 1;
    for (size_t g = 0; g < s->tracks.count; g++)
        numbers += width_of(&s->groups[g]);
    s->piece = PIECE_BYTES / sizeof(float) / numbers + 1;
    if (s->count < s->piece)
        s->piece = (size_t)s->count;
    for (size_t g = 0; g < s->tracks.count; g++) {
        sampler_group *group = &s->groups[g];
        /* At most PIECE_BYTES and one sample, whose numbers fitted in memory as keys. */
        const size_t bytes = width_of(group) * s->piece * sizeof(float);
        group->samples = malloc(bytes);
        group->reference = s->options->check ? malloc(bytes) : NULL;
        if (!group->samples || (s->options->check && !group->reference))
            return motion_refuse_memory(error);
    }
    s->times = s->uniform ? NULL : malloc(s->piece * sizeof *s->times);
    return s->uniform || s->times ? PM_OK : motion_refuse_memory(error);
}

/* ---- sampling ------------------------------------------------------------------------------ */

static double rotation_error(const float *a, const float *b) {
    double sum = 0, difference = 0, dot = 0;
    for (int n = 0; n < 4; n++)
        dot += (double)a[n] * (double)b[n];
    for (int n = 0; n < 4; n++) {
        const double other = dot < 0 ? -(double)b[n] : (double)b[n];
        difference += ((double)a[n] - other) * ((double)a[n] - other);
        sum += ((double)a[n] + other) * ((double)a[n] + other);
    }
    return 4.0 * atan2(sqrt(difference), sqrt(sum));
}

static void compare(const sampler *s, const sampler_group *group, size_t count) {
    const size_t numbers = width_of(group) * count;
    s->report->identical &= memcmp(group->samples, group->reference, numbers * sizeof(float)) == 0;
    for (size_t i = 0; group->tracks->rotates && i < numbers; i += 4) {
        const double error = rotation_error(group->reference + i, group->samples + i);
        s->report->max_error = fmax(s->report->max_error, error);
    }
}

static pm_status sample_group(const sampler *s, sampler_group *group, pm_sample_job job,
                              pm_error *error) {
    const bool rotates = group->tracks->rotates;
    *(rotates ? &job.rotations : &job.positions) = group->samples;
    pm_status status = pm_sample(group->clip, &job, error);
    if (status != PM_OK || !group->reference)
        return status;
    job.on_reference = true;
    *(rotates ? &job.rotations : &job.positions) = group->reference;
    status = pm_sample(group->clip, &job, error);
    if (status == PM_OK)
        compare(s, group, (size_t)job.sample_count);
    return status;
}

static pm_status sample_groups(sampler *s, pm_sample_job job, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t g = 0; g < s->tracks.count && status == PM_OK; g++)
        status = sample_group(s, &s->groups[g], job, error);
    return status;
}

/* Gives the samples from `at` on of a group to the channels. */
static void give_rotations(const sampler_group *group, size_t count, double *const channels[],
                           size_t at) {
    const size_t width = width_of(group);
    for (size_t t = 0; t < group->tracks->track_count; t++) {
        double *to = channels[group->tracks->numbers[t].channel];
        for (size_t k = 0; to && k < count; k++)
            for (size_t i = 0; i < 4; i++)
                to[4 * (at + k) + i] = (double)group->samples[k * width + 4 * t + i];
    }
}

static void give_numbers(const sampler *s, const sampler_group *group, size_t count,
                         double *const channels[], size_t at) {
    const size_t width = width_of(group);
    for (size_t n = 0; n < width; n++) {
        const track_number *number = &group->tracks->numbers[n];
        if (number->channel == TRACKS_NO_CHANNEL || !channels[number->channel])
            continue;
        const size_t components = s->clip->channels[number->channel].components;
        double *to = channels[number->channel] + at * components + number->component;
        for (size_t k = 0; k < count; k++)
            to[k * components] = (double)group->samples[k * width + n] + number->base;
    }
}

static void give(const sampler *s, size_t count, double *const channels[], size_t at) {
    for (size_t g = 0; g < s->tracks.count; g++) {
        const sampler_group *group = &s->groups[g];
        if (group->tracks->rotates)
            give_rotations(group, count, channels, at);
        else
            give_numbers(s, group, count, channels, at);
    }
}

/* Samples of the grid, without the extra one. */
static pm_status read_regular(sampler *s, uint64_t first, size_t count, double *const channels[],
                              size_t at, pm_error *error) {
    pm_sample_job job = {.sample_count = count};
    if (s->uniform) {
        job.rate = s->options->rate;
        job.start = s->grid.start;
        job.first = first;
    } else {
        for (size_t k = 0; k < count; k++)
            s->times[k] = sampler_time(s, first + k);
        job.times = s->times;
    }
    const pm_status status = sample_groups(s, job, error);
    if (status == PM_OK)
        give(s, count, channels, at);
    return status;
}

static pm_status read_end(sampler *s, double *const channels[], size_t at, pm_error *error) {
    pm_sample_job job = {.sample_count = 1};
    if (s->uniform) {
        job.rate = s->options->rate;
        job.start = s->grid.end;
    } else {
        s->times[0] = s->last_time;
        job.times = s->times;
    }
    const pm_status status = sample_groups(s, job, error);
    if (status == PM_OK)
        give(s, 1, channels, at);
    return status;
}

static pm_status read_samples(void *user, uint64_t first, size_t count, double *const channels[],
                              motion_position positions[], pm_error *error) {
    sampler *s = user;
    pm_status status = PM_OK;
    size_t done = 0;
    while (done < count && status == PM_OK) {
        const uint64_t at = first + done;
        const size_t left = count - done, piece = left < s->piece ? left : s->piece;
        const uint64_t regular = at < s->grid.count ? s->grid.count - at : 0;
        const size_t now = regular == 0 ? 1 : regular < piece ? (size_t)regular : piece;
        status = regular == 0 ? read_end(s, channels, done, error)
                              : read_regular(s, at, now, channels, done, error);
        done += now;
    }
    if (status == PM_OK)
        sampler_advance(s, count, positions);
    if (status == PM_OK && s->options->progress)
        s->options->progress(s->options->progress_user, s->next, s->count);
    return status;
}

/* ---- opening ------------------------------------------------------------------------------- */

static pm_method method_of(const pm_motion_resample_options *options) {
    return options->curve ? options->curve->method : PM_METHOD_SLERP;
}

/* Whether samples on keys are the keys: rotations and, by their class, numbers pass through them. */
static bool passes_through_keys(const pm_motion_resample_options *options) {
    return options->authored || pm_method_describe(method_of(options))->interpolating;
}

pm_status sampler_open(sampler *s, const pm_motion *motion, size_t index, pm_engine *engine,
                       const pm_motion_resample_options *options, pm_motion_resample_report *report,
                       pm_error *error) {
    *s = (sampler){.motion = motion,
                   .clip = &motion->content.clips[index],
                   .options = options,
                   .report = report,
                   .interpolating = passes_through_keys(options)};
    pm_status status = sampler_find_grid(s, error);
    if (status == PM_OK)
        status = tracks_divide(&s->tracks, s->clip, options->authored, method_of(options), error);
    for (size_t g = 0; g < s->tracks.count && status == PM_OK; g++) {
        s->groups[g].tracks = &s->tracks.groups[g];
        status = make_clip(s, &s->groups[g], engine, error);
    }
    return status == PM_OK ? allocate_samples(s, error) : status;
}

/* Methods of two keys and circular hold still between equal keys. */
static bool keeps_equal_keys(const pm_motion_resample_options *options) {
    const pm_method_info *info = pm_method_describe(method_of(options));
    return !options->authored && ((info->local && info->keys_used <= 2 && !info->takes_in_out) ||
                                  info->method == PM_METHOD_CIRCULAR);
}

motion_samples sampler_samples(sampler *s) {
    return (motion_samples){.clip = (size_t)(s->clip - s->motion->content.clips),
                            .count = s->count,
                            .rate = s->options->rate,
                            .start = s->first_time,
                            .end = s->last_time,
                            .has_end = s->grid.extra,
                            .resampled = s->tracks.resampled,
                            .keeps_equal = keeps_equal_keys(s->options),
                            .read = read_samples,
                            .read_velocities = sampler_read_velocities,
                            .user = s};
}

void sampler_release(sampler *s) {
    for (size_t g = 0; g < TRACKS_MAX_GROUPS; g++) {
        pm_clip_destroy(&s->groups[g].clip);
        free(s->groups[g].samples);
        free(s->groups[g].reference);
    }
    free(s->times);
    tracks_release(&s->tracks);
    *s = (sampler){.motion = NULL};
}
