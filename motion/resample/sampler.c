/* SPDX-License-Identifier: MIT
 *
 * Evaluates the clips of the channels that a writer selects, in pieces of bounded memory.
 */
#include "motion/resample/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/base/os.h"
#include "motion/model/evaluate.h"
#include "motion/open/formats.h"
#include "motion/resample/sampler_clip.h"

enum { PIECE_BYTES = 8 << 20 };

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
        os_ask_for_huge_pages(group->samples, bytes);
        if (!group->samples || (s->options->check && !group->reference))
            return motion_refuse_memory(error);
    }
    s->times = s->uniform ? NULL : malloc(s->piece * sizeof *s->times);
    return s->uniform || s->times ? PM_OK : motion_refuse_memory(error);
}

static double rotation_error(const float *a, const float *b) {
    double sum = 0, difference = 0, dot = 0;
    for (int n = 0; n < 4; n++)
        dot += (double)a[n] * (double)b[n];
    for (int n = 0; n < 4; n++) {
        const double other = dot < 0 ? -(double)b[n] : (double)b[n];
        difference += ((double)a[n] - other) * ((double)a[n] - other);
        sum += ((double)a[n] + other) * ((double)a[n] + other);
    }
    return 4.0 * pm_same_atan2(sqrt(difference), sqrt(sum));
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
    pm_status status = sampler_run(s, group, &job, error);
    if (status != PM_OK || !group->reference)
        return status;
    job.on_reference = true;
    *(rotates ? &job.rotations : &job.positions) = group->reference;
    status = sampler_run(s, group, &job, error);
    if (status == PM_OK)
        compare(s, group, (size_t)job.sample_count);
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

/* Whether the caller has the values of a sample. */
static bool is_kept(const sampler *s, motion_position position) {
    return motion_exact_key(position) != MOTION_NO_KEY &&
           position.source == motion_form_of(s->motion);
}

static bool are_left(const sampler *s, const motion_position positions[], size_t count) {
    bool left = s->leaves_kept;
    for (size_t k = 0; left && k < count; k++)
        left = is_kept(s, positions[k]);
    return left;
}

/* The numbers of a key, with the sign of the sample where they are a rotation. */
static void keep_key(const pm_motion_channel *from, size_t key, double *sample) {
    double own[4] = {0, 0, 0, 0}, dot = 0;
    const bool rotates = from->path == PM_MOTION_ROTATION;
    if (rotates)
        evaluate_key(from, key, own);
    for (uint32_t i = 0; i < 4; i++)
        dot += rotates ? own[i] * sample[i] : 0;
    for (uint32_t i = 0; i < from->components; i++)
        sample[i] = rotates ? (dot < 0 ? -own[i] : own[i])
                            : evaluate_number(&from->keys, from->components, key, i);
}

/* Samples on keys are the keys, which have more digits, unless the caller takes them from its document. */
static void keep_keys(const sampler *s, size_t at, size_t count, double *const channels[],
                      const motion_position positions[]) {
    for (size_t k = at; k < at + count; k++) {
        if (positions[k].own == MOTION_NO_KEY || (!s->keeps_keys && is_kept(s, positions[k])))
            continue;
        for (size_t c = 0; c < s->clip->channel_count; c++)
            if (channels[c] && s->resampled[c])
                keep_key(&s->clip->channels[c], (size_t)positions[k].own,
                         channels[c] + k * s->clip->channels[c].components);
    }
}

/* Samples of the grid, or the extra one behind it. */
static pm_status read_piece(sampler *s, uint64_t first, size_t count, double *const channels[],
                            size_t at, pm_error *error) {
    const bool is_end = first >= s->grid.count;
    pm_sample_job job = {.sample_count = count};
    if (s->uniform || s->cutoff > 0) {
        job.rate = s->options->rate;
        job.start_after_first_key = is_end ? s->grid.end : s->grid.start;
        job.first = is_end ? 0 : first;
    } else {
        for (size_t k = 0; k < count; k++)
            s->times[k] = is_end ? s->last_time : sampler_time(s, first + k);
        job.times = s->times;
    }
    for (size_t g = 0; g < s->tracks.count; g++)
        MOTION_TRY(sample_group(s, &s->groups[g], job, error));
    give(s, count, channels, at);
    return PM_OK;
}

/* Samples of some channels count as a part of a sample. */
static void tell_progress(sampler *s, uint64_t first, size_t count) {
    if (first == 0 && s->has_first)
        s->done = 0;
    s->done += (uint64_t)s->selected * count;
    if (s->options->progress)
        s->options->progress(s->options->progress_user,
                             s->numbers > 0 ? s->done / s->numbers : s->next, s->count);
}

static pm_status read_samples(void *user, uint64_t first, size_t count, double *const channels[],
                              motion_position positions[], pm_error *error) {
    sampler *s = user;
    size_t done = 0;
    if (first != s->next)
        sampler_restart(s, first);
    sampler_advance(s, count, positions);
    while (done < count) {
        const uint64_t at = first + done;
        const size_t left = count - done, piece = left < s->piece ? left : s->piece;
        const uint64_t regular = at < s->grid.count ? s->grid.count - at : 0;
        const size_t now = regular == 0 ? 1 : regular < piece ? (size_t)regular : piece;
        if (!are_left(s, positions + done, now)) {
            MOTION_TRY(read_piece(s, at, now, channels, done, error));
            MOTION_TRY(sampler_check_numbers(s, at, done, now, channels, positions, error));
            keep_keys(s, done, now, channels, positions);
        }
        done += now;
    }
    tell_progress(s, first, count);
    return PM_OK;
}

static pm_method method_of(const pm_motion_resample_options *options) {
    return options->curve ? options->curve->method : PM_METHOD_SLERP;
}

static void release_groups(sampler *s) {
    for (size_t g = 0; g < TRACKS_MAX_GROUPS; g++) {
        sampler_release_curve(&s->groups[g]);
        MOTION_FREE(s->groups[g].samples, s->groups[g].reference);
        s->groups[g] = (sampler_group){.clip = NULL};
    }
    free(s->times);
    s->times = NULL;
    tracks_release(&s->tracks);
}

/* How many numbers a sample of some channels has. */
static size_t count_numbers(const sampler *s, size_t first, size_t count) {
    size_t numbers = 0;
    for (size_t c = first; c < first + count; c++)
        numbers += s->resampled[c] ? s->clip->channels[c].components : 0;
    return numbers;
}

pm_status sampler_select(void *user, size_t first, size_t count, pm_error *error) {
    sampler *s = user;
    release_groups(s);
    sampler_restart(s, 0);
    s->has_first = first == 0;
    s->selected = count_numbers(s, first, count);
    MOTION_TRY(tracks_divide(&s->tracks, s->clip, first, count, s->options->authored,
                             method_of(s->options), error));
    const bool samples = !s->leaves_kept || !sampler_keeps_all(s);
    for (size_t g = 0; g < s->tracks.count; g++) {
        s->groups[g].tracks = &s->tracks.groups[g];
        MOTION_TRY(!samples        ? sampler_check_curve(s, &s->groups[g], error)
                   : s->cutoff > 0 ? sampler_make_filter(s, &s->groups[g], error)
                                   : sampler_make_curve(s, &s->groups[g], error));
    }
    return allocate_samples(s, error);
}

/* Whether samples on keys are the keys: rotations and, by their class, numbers pass through them. */
static bool passes_through_keys(const pm_motion_resample_options *options) {
    return options->lowpass == 0 &&
           (options->authored || pm_method_get_info(method_of(options))->interpolating);
}

static uint32_t plain_threads_of(const pm_engine *engine) {
    pm_device_info info = {.type = PM_DEVICE_REFERENCE};
    if (engine)
        pm_engine_get_info(engine, &info);
    return info.type == PM_DEVICE_REFERENCE ? pm_engine_host_threads(engine) : 0;
}

pm_status sampler_open(sampler *s, const pm_motion *motion, size_t index, pm_engine *engine,
                       const pm_motion_resample_options *options, pm_motion_resample_report *report,
                       pm_error *error) {
    *s = (sampler){.motion = motion,
                   .clip = &motion->content.clips[index],
                   .engine = engine,
                   .plain_threads = options->check ? 0 : plain_threads_of(engine),
                   .options = options,
                   .report = report,
                   .leaves_kept = !options->check,
                   .largest = motion_largest_of(options->format ? motion_format_of(options->format)
                                                                : motion->format),
                   .interpolating = passes_through_keys(options)};
    const size_t channels = s->clip->channel_count;
    s->resampled = calloc(channels + 1, sizeof *s->resampled);
    MOTION_TRY_MEMORY(s->resampled, error);
    for (size_t c = 0; c < channels; c++)
        s->resampled[c] = tracks_are_made_of(&s->clip->channels[c]);
    s->numbers = count_numbers(s, 0, channels);
    MOTION_TRY(sampler_find_grid(s, error));
    return options->lowpass != 0 ? sampler_find_cutoff(s, error) : PM_OK;
}

/* Methods of two keys and circular hold still between equal keys. */
static bool keeps_equal_keys(const pm_motion_resample_options *options) {
    const pm_method_info *info = pm_method_get_info(method_of(options));
    return options->lowpass == 0 && !options->authored &&
           ((info->local && info->keys_used <= 2 && !info->takes_in_out) ||
            info->method == PM_METHOD_CIRCULAR);
}

/* Whether the row behind each is the next one of the file, too. */
static bool has_rows_in_order(const sampler *s) {
    const size_t clip = (size_t)(s->clip - s->motion->content.clips);
    const motion_origin *origin = s->motion->origins ? &s->motion->origins[clip] : NULL;
    return s->motion->document || (origin && origin->run_count == 1 && !origin->runs[0].changed &&
                                   !origin->runs[0].channels);
}

motion_samples sampler_samples(sampler *s) {
    return (motion_samples){.clip = (size_t)(s->clip - s->motion->content.clips),
                            .count = s->count,
                            .rate = s->options->rate,
                            .start = s->first_time,
                            .end = s->last_time,
                            .has_end = s->grid.extra,
                            .begin = s->begin,
                            .is_moved = s->is_moved,
                            .time = sampler_result_time,
                            .resampled = s->resampled,
                            .keeps_equal = has_rows_in_order(s) && keeps_equal_keys(s->options),
                            .select = sampler_select,
                            .read = read_samples,
                            .read_velocities = sampler_read_velocities,
                            .user = s};
}

void sampler_release(sampler *s) {
    release_groups(s);
    free(s->resampled);
    *s = (sampler){.motion = NULL};
}
