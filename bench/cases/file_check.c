/* SPDX-License-Identifier: MIT
 *
 * Checks the results of cases that measure files.
 */
#include "file_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t element_size(const pm_array *array) {
    return array->type == PM_FLOAT64 ? sizeof(double) : sizeof(float);
}

static const char *key_of(const pm_motion_channel *channel, size_t key) {
    const size_t packed = channel->components * element_size(&channel->keys);
    const size_t stride = channel->keys.stride != 0 ? channel->keys.stride : packed;
    return (const char *)channel->keys.data + key * stride;
}

static double number_of(const pm_motion_channel *channel, const char *key, size_t i) {
    double wide;
    float narrow;
    if (channel->keys.type == PM_FLOAT64) {
        memcpy(&wide, key + i * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, key + i * sizeof narrow, sizeof narrow);
    return (double)narrow;
}

static double difference(const pm_motion_channel *a, const pm_motion_channel *b, size_t key) {
    const char *left = key_of(a, key), *right = key_of(b, key);
    double same = 0.0, opposite = 0.0, largest = 0.0;
    for (size_t i = 0; i < a->components; i++) {
        const double x = number_of(a, left, i), y = number_of(b, right, i);
        same += (x - y) * (x - y);
        opposite += (x + y) * (x + y);
        largest = fmax(largest, fabs(x - y) / fmax(1.0, fabs(y)));
    }
    if (!isfinite(same))
        return (double)INFINITY;
    return a->path == PM_MOTION_ROTATION
               ? 4.0 * atan2(sqrt(fmin(same, opposite)), sqrt(fmax(same, opposite)))
               : largest;
}

/* ---- resampled files ----------------------------------------------------------- */

pm_motion_resample_options file_options(const pm_motion *source, pm_rational ratio) {
    const pm_rational rate = pm_motion_get_content(source)->clips[0].rate;
    return (pm_motion_resample_options){
        .rate = {rate.num * ratio.num, rate.den * ratio.den},
    };
}

static bool alike(const pm_motion_clip *a, const pm_motion_clip *b) {
    bool same = a->channel_count == b->channel_count;
    for (size_t c = 0; same && c < a->channel_count; c++)
        same = a->channels[c].node == b->channels[c].node &&
               a->channels[c].path == b->channels[c].path &&
               a->channels[c].components == b->channels[c].components &&
               a->channels[c].keys.type == b->channels[c].keys.type;
    return same;
}

/* Whether every channel has this number of keys. */
static bool has_frames(const pm_motion_clip *clip, size_t frames) {
    bool same = clip->channel_count > 0;
    for (size_t c = 0; c < clip->channel_count; c++)
        same = same && clip->timelines[clip->channels[c].timeline].key_count == frames;
    return same;
}

/* The bits of the keys that fall on frames of the source. */
static bool keeps_source(const pm_motion_clip *output, const pm_motion_clip *source, size_t frames,
                         pm_rational ratio) {
    const size_t num = (size_t)ratio.num, den = (size_t)ratio.den;
    for (size_t c = 0; c < output->channel_count; c++) {
        const pm_motion_channel *channel = &output->channels[c];
        const size_t size = channel->components * element_size(&channel->keys);
        for (size_t k = 0; k < frames; k += num)
            if (memcmp(key_of(channel, k), key_of(&source->channels[c], k / num * den), size) != 0)
                return false;
    }
    return true;
}

static double largest_difference(const pm_motion_clip *a, const pm_motion_clip *b, size_t frames) {
    double largest = 0.0;
    for (size_t c = 0; c < a->channel_count; c++)
        for (size_t k = 0; k < frames; k++)
            largest = fmax(largest, difference(&a->channels[c], &b->channels[c], k));
    return largest;
}

static void compare(const file_resampled *file, const pm_motion *motions[3],
                    const pm_motion_resample_report *report, bench_result *result) {
    const size_t num = (size_t)file->ratio.num, den = (size_t)file->ratio.den;
    const size_t last = file->source->frames - 1;
    const size_t frames = last * num / den + 1, kept = last / den + 1;
    const pm_motion_content *contents[3];
    bool sound = file->report.samples == frames && file->report.kept == kept;
    for (int i = 0; i < 3; i++) {
        contents[i] = pm_motion_get_content(motions[i]);
        sound = sound && contents[i]->clip_count == 1 &&
                alike(&contents[i]->clips[0], &contents[0]->clips[0]) &&
                has_frames(&contents[i]->clips[0], i == 0 ? last + 1 : frames);
    }
    result->bits = report->identical ? BITS_SAME : BITS_DIFFER;
    result->max_error_rad = (double)INFINITY;
    if (sound && keeps_source(contents[1]->clips, contents[0]->clips, frames, file->ratio))
        result->max_error_rad = fmax(
            report->max_error, largest_difference(contents[1]->clips, contents[2]->clips, frames));
}

cli_exit file_check_resampled(const file_resampled *file, bench_result *result) {
    pm_motion *source = NULL, *output = NULL, *samples = NULL;
    pm_motion_resample_report report;
    pm_error error = {0};
    pm_status status = pm_motion_open(file->source->path, NULL, &source, &error);
    if (status == PM_OK)
        status = pm_motion_open(file->source->output, NULL, &output, &error);
    if (status == PM_OK) {
        pm_motion_resample_options options = file_options(source, file->ratio);
        options.check = true;
        status = pm_motion_resample_copy(source, file->engine, &options, &samples, &report, &error);
    }
    if (status == PM_OK) {
        const pm_motion *motions[3] = {source, output, samples};
        compare(file, motions, &report, result);
    }
    pm_motion_destroy(&source);
    pm_motion_destroy(&output);
    pm_motion_destroy(&samples);
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

/* ---- GLB ----------------------------------------------------------------------- */

static bool has_times(const pm_timeline *timeline, const float *times) {
    bool same = timeline->key_count == GLB_KEYS;
    for (size_t k = 0; same && k < GLB_KEYS; k++)
        same = timeline->times[k] == (double)times[k];
    return same;
}

static bool has_keys(const pm_motion_channel *channel, const float *keys) {
    bool same = channel->keys.type == PM_FLOAT32;
    for (size_t k = 0; same && k < GLB_KEYS; k++)
        same = memcmp(key_of(channel, k), keys + k * channel->components,
                      channel->components * sizeof *keys) == 0;
    return same;
}

/* The order of the numbers is that of the channels. */
static bool has_numbers(const pm_motion_content *content, bool own_times, const float *numbers) {
    const size_t of_clip = GLB_CHANNELS / GLB_CLIPS;
    const float *times = numbers, *at = numbers;
    bool same = content->clip_count == GLB_CLIPS && content->node_count == GLB_JOINTS;
    for (size_t i = 0; same && i < GLB_CHANNELS; i++) {
        const pm_motion_clip *clip = &content->clips[i / of_clip];
        const pm_motion_channel *channel = &clip->channels[i % of_clip];
        if (own_times || i % of_clip == 0) {
            times = at;
            at += GLB_KEYS;
        }
        same = clip->channel_count == of_clip && channel->node == (int32_t)(i % of_clip / 2) &&
               channel->path == (i % 2 == 0 ? PM_MOTION_POSITION : PM_MOTION_ROTATION) &&
               has_times(&clip->timelines[channel->timeline], times) && has_keys(channel, at);
        at += (size_t)GLB_KEYS * channel->components;
    }
    return same;
}

cli_exit file_check_glb(const pm_motion *motion, bool own_times, bench_result *result) {
    size_t count;
    float *numbers = file_glb_numbers(own_times, &count);
    if (!numbers)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    const bool same = has_numbers(pm_motion_get_content(motion), own_times, numbers);
    result->max_error_rad = same ? 0.0 : (double)INFINITY;
    result->bits = same ? BITS_SAME : BITS_DIFFER;
    free(numbers);
    return CLI_DONE;
}
