/* SPDX-License-Identifier: MIT
 *
 * Resamples a motion in memory: a copy whose clips have the samples as keys.
 */
#include <float.h>

#include "motion/base/c_locale.h"
#include "motion/model/evaluate.h"
#include "motion/model/made.h"
#include "motion/model/mover.h"
#include "motion/resample/resample_check.h"
#include "motion/resample/sampler.h"

/* Keys of a resampled channel are linear, one per sample. */
static bool add_channel(motion_arena *arena, uint64_t count, pm_motion_channel *channel,
                        double **keys) {
    channel->interpolation = PM_MOTION_LINEAR;
    channel->timeline = 0;
    channel->in = channel->out = (pm_array){.data = NULL};
    *keys = count <= SIZE_MAX
                ? motion_allocate(arena, (size_t)count, channel->components * sizeof **keys)
                : NULL;
    channel->keys = (pm_array){.data = *keys, .type = PM_FLOAT64};
    return *keys != NULL;
}

/* Uniform from time 0, or listed: a rate alone cannot say where the first sample is. */
static bool make_timeline(motion_arena *arena, const motion_samples *samples, pm_timeline *to) {
    *to = (pm_timeline){.key_count = (size_t)samples->count, .rate = samples->rate};
    if (samples->begin.den != 0 && samples->begin.num == 0 && !samples->has_end)
        return true;
    double *times = motion_allocate(arena, to->key_count, sizeof *times);
    for (size_t k = 0; times && k < to->key_count; k++)
        times[k] = motion_sample_time(samples, k);
    to->rate = (pm_rational){0, 0};
    to->times = times;
    return times != NULL;
}

/* A channel that keeps its keys: those within a result that is moved. */
static void keep_channel(const motion_samples *samples, const pm_timeline *timeline,
                         pm_motion_channel *channel) {
    const size_t first = motion_keep_keys(samples, timeline).first;
    channel->keys = evaluate_rows_from(&channel->keys, channel->components, first);
    channel->timeline++;
}

static bool keep_timeline(motion_arena *arena, const motion_samples *samples,
                          const pm_timeline *from, pm_timeline *to) {
    const motion_kept_keys kept = motion_keep_keys(samples, from);
    *to = *from;
    if (!samples->is_moved)
        return true;
    double *times = motion_allocate(arena, kept.count, sizeof *times);
    for (size_t k = 0; times && k < kept.count; k++)
        times[k] = motion_kept_time(&kept, k);
    *to = (pm_timeline){.key_count = kept.count, .times = times};
    return times != NULL;
}

/* Samples that lie on keys are rows of the source. */
static bool add_rows(const motion_position positions[], uint64_t count, const pm_motion *from,
                     pm_motion *made, size_t clip) {
    bool good = true;
    for (uint64_t k = 0; good && k < count; k++)
        good =
            motion_add_rows(made, clip,
                            &(motion_run){.count = 1,
                                          .from = positions[k].own,
                                          .source = positions[k].own != MOTION_NO_KEY ? from : NULL,
                                          .clip = clip});
    return good;
}

static pm_status read_all(const motion_samples *samples, const pm_motion *motion, size_t clip,
                          motion_arena *scratch, double *const channels[], pm_motion *made,
                          pm_error *error) {
    const size_t count = (size_t)samples->count;
    motion_position *positions = motion_allocate(scratch, count, sizeof *positions);
    MOTION_TRY_MEMORY(positions, error);
    MOTION_TRY(samples->read(samples->user, 0, count, channels, positions, error));
    return !add_rows(positions, count, motion, made, clip) ? motion_refuse_memory(error) : PM_OK;
}

/* Samples of equal keys are these keys, though between them they were rounded. */
static void keep_still(const motion_samples *samples, const pm_motion_clip *from,
                       double *const keys[]) {
    for (size_t c = 0; c < from->channel_count; c++) {
        const pm_motion_channel *channel = &from->channels[c];
        if (!keys[c] || !channel->keys.data ||
            !motion_is_constant(channel, &from->timelines[channel->timeline]))
            continue;
        evaluate_key(channel, 0, keys[c]);
        for (size_t k = channel->components; k < (size_t)samples->count * channel->components; k++)
            keys[c][k] = keys[c][k - channel->components];
    }
}

/* Timeline 0 is that of the samples; those of channels that keep their keys follow. */
static pm_status make_clip(const motion_samples *samples, const pm_motion *motion, size_t clip,
                           motion_arena *scratch, pm_motion *made, pm_motion_clip *to,
                           pm_error *error) {
    const pm_motion_clip *from = &motion->content.clips[clip];
    motion_arena *arena = &made->arena;
    const size_t count = from->channel_count;
    pm_motion_channel *channels = motion_own_channels(arena, to);
    pm_timeline *timelines = motion_allocate(arena, from->timeline_count + 1, sizeof *timelines);
    double **keys = motion_allocate(scratch, count, sizeof *keys);
    bool good = channels && timelines && keys && make_timeline(arena, samples, &timelines[0]);
    for (size_t t = 0; good && t < from->timeline_count; t++)
        good = keep_timeline(arena, samples, &from->timelines[t], &timelines[t + 1]);
    bool keeps = false;
    for (size_t c = 0; good && c < count; c++) {
        keeps = keeps || !samples->resampled[c];
        if (samples->resampled[c])
            good = add_channel(arena, samples->count, &channels[c], &keys[c]);
        else
            keep_channel(samples, &from->timelines[channels[c].timeline], &channels[c]);
    }
    const bool is_uniform = samples->begin.den != 0 && !samples->has_end;
    *to = (pm_motion_clip){.name = from->name,
                           .timelines = timelines,
                           .timeline_count = keeps ? from->timeline_count + 1 : 1,
                           .channels = channels,
                           .channel_count = count,
                           .rate = is_uniform ? samples->rate : (pm_rational){0, 0},
                           .first_time = is_uniform ? samples->begin : (pm_rational){0, 0},
                           .rate_text = {"", 0}};
    MOTION_TRY(good ? read_all(samples, motion, clip, scratch, keys, made, error)
                    : motion_refuse_memory(error));
    keep_still(samples, from, keys);
    return PM_OK;
}

static pm_status resample_clip(const pm_motion *motion, size_t clip, pm_engine *engine,
                               const pm_motion_resample_options *options, pm_motion *made,
                               pm_motion_clip *to, pm_motion_resample_report *report,
                               pm_error *error) {
    SCOPED(sampler_release) sampler s;
    SCOPED(motion_arena_release) motion_arena scratch = {NULL};
    pm_status status = sampler_open(&s, motion, clip, engine, options, report, error);
    s.largest = DBL_MAX;   /* the format of a copy is not known yet */
    s.leaves_kept = false; /* the sign of a key that is kept is that of its sample */
    s.keeps_keys = true;
    if (status == PM_OK)
        status = sampler_select(&s, 0, s.clip->channel_count, error);
    if (status == PM_OK) {
        const motion_samples samples = sampler_samples(&s);
        report->samples += samples.count;
        status = make_clip(&samples, motion, clip, &scratch, made, to, error);
    }
    return status;
}

/* Whether a clip is resampled: it has channels, and is listed if there is a list. */
static bool is_chosen(const pm_motion *motion, const pm_motion_resample_options *options,
                      size_t clip) {
    bool is_listed = !options->clips;
    for (size_t i = 0; options->clips && i < options->clip_count; i++)
        is_listed = is_listed || options->clips[i] == clip;
    return is_listed && motion->content.clips[clip].channel_count > 0;
}

static pm_status resample_all(const pm_motion *motion, pm_engine *engine,
                              const pm_motion_resample_options *options, pm_motion **made,
                              pm_motion_resample_report *report, pm_error *error) {
    pm_motion_clip *clips = NULL;
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(motion, &clips);
    MOTION_TRY_MEMORY(to, error);
    for (size_t i = 0; i < motion->content.clip_count; i++)
        if (is_chosen(motion, options, i))
            MOTION_TRY(resample_clip(motion, i, engine, options, to, &clips[i], report, error));
        else
            MOTION_TRY_MEMORY(motion_keep_rows(to, i, motion, false), error);
    return made_end(&to, made, error);
}

pm_status pm_motion_resample_copy(const pm_motion *motion, pm_engine *engine,
                                  const pm_motion_resample_options *options, pm_motion **copy,
                                  pm_motion_resample_report *report, pm_error *error) {
    C_LOCALE_HERE;
    pm_motion_resample_report own;
    report = report ? report : &own;
    *report = (pm_motion_resample_report){.identical = true};
    MOTION_REQUIRE(error, motion, engine, options, copy);
    MOTION_TRY(resample_check_options(motion, options, error));
    MOTION_TRY(motion_check_keys(motion, error));
    return resample_all(motion, engine, options, copy, report, error);
}
