/* SPDX-License-Identifier: MIT
 *
 * Checks the files that a case wrote, and what it made of a file that it opened.
 */
#include "files.h"

#include "motion/model/evaluate.h"

#include <math.h>

pm_motion_resample_options file_options(const pm_motion *source, pm_rational ratio) {
    const pm_rational rate = pm_motion_get_content(source)->clips[0].rate;
    return (pm_motion_resample_options){
        .rate = {rate.num * ratio.num, rate.den * ratio.den},
    };
}

/* The angle of two rotations; of others the largest difference of a number, relative to numbers above 1. */
static double difference(const pm_motion_channel *a, const pm_motion_channel *b, size_t key) {
    double x[4], y[4], same = 0.0, opposite = 0.0, largest = 0.0;
    evaluate_key(a, key, x);
    evaluate_key(b, key, y);
    for (uint32_t i = 0; i < a->components; i++) {
        same = hypot(same, x[i] - y[i]);
        opposite = hypot(opposite, x[i] + y[i]);
        largest = fmax(largest, fabs(x[i] - y[i]) / fmax(1.0, fabs(y[i])));
    }
    if (!isfinite(same))
        return (double)INFINITY;
    return a->path == PM_MOTION_ROTATION ? 4.0 * atan2(fmin(same, opposite), fmax(same, opposite))
                                         : largest;
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

/* Whether keys a, a + step_a ... of one clip have the numbers of keys 0, step_b ... of the other. */
static bool has_keys(const pm_motion_clip *a, size_t step_a, const pm_motion_clip *b, size_t step_b,
                     size_t count) {
    for (size_t c = 0; c < a->channel_count; c++) {
        const pm_motion_channel *x = &a->channels[c], *y = &b->channels[c];
        for (size_t k = 0; k < count; k++)
            for (uint32_t i = 0; i < x->components; i++)
                if (evaluate_number(&x->keys, x->components, k * step_a, i) !=
                    evaluate_number(&y->keys, y->components, k * step_b, i))
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

static void compare(const pm_motion *motions[3], pm_rational ratio,
                    const pm_motion_resample_report *report, bench_result *result) {
    const pm_motion_clip *clips[3];
    bool sound = true;
    for (int i = 0; i < 3; i++) {
        const pm_motion_content *content = pm_motion_get_content(motions[i]);
        clips[i] = content->clips;
        sound = sound && content->clip_count == 1;
    }
    const size_t num = (size_t)ratio.num, den = (size_t)ratio.den;
    const size_t last = clips[0]->timelines[0].key_count - 1;
    const size_t frames = last * num / den + 1, kept = last / den + 1;
    sound = sound && report->samples == frames && report->kept == kept &&
            has_frames(clips[0], last + 1);
    for (int i = 1; i < 3; i++)
        sound = sound && alike(clips[i], clips[0]) && has_frames(clips[i], frames);
    if (!report->identical)
        result->bits = BITS_DIFFER;
    result->max_error_rad =
        fmax(result->max_error_rad,
             sound && has_keys(clips[1], num, clips[0], den, kept)
                 ? fmax(report->max_error, largest_difference(clips[1], clips[2], frames))
                 : (double)INFINITY);
}

cli_exit file_check_resampled(file_resampled *file, bench_result *result) {
    pm_motion *source = NULL, *output = NULL, *samples = NULL;
    pm_motion_resample_report report;
    pm_error error = {0};
    pm_status status = pm_motion_open(file->input, NULL, &source, &error);
    if (status == PM_OK)
        status = pm_motion_open(file->output, NULL, &output, &error);
    if (status == PM_OK) {
        pm_motion_resample_options options = file_options(source, file->ratio);
        options.check = true;
        status = pm_motion_resample_copy(source, file->engine, &options, &samples, &report, &error);
    }
    if (result->bits == BITS_UNCHECKED) {
        result->bits = BITS_SAME;
        result->max_error_rad = 0.0;
    }
    file->frames = status == PM_OK ? (size_t)report.samples : 0;
    if (status == PM_OK)
        compare((const pm_motion *[]){source, output, samples}, file->ratio, &report, result);
    pm_motion_destroy(&source);
    pm_motion_destroy(&output);
    pm_motion_destroy(&samples);
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

/* Times are stored as float32. */
static bool has_times(const pm_motion_clip *clip, const pm_motion_clip *wanted) {
    const double most = 1e-6;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_timeline *a = &clip->timelines[clip->channels[c].timeline];
        const pm_timeline *b = &wanted->timelines[wanted->channels[c].timeline];
        for (size_t k = 0; k < b->key_count; k++)
            if (!(fabs(evaluate_key_time(a, k) - evaluate_key_time(b, k)) <= most))
                return false;
    }
    return true;
}

void file_check_same(const pm_motion *motion, const pm_motion *wanted, bench_result *result) {
    const pm_motion_content *a = pm_motion_get_content(motion), *b = pm_motion_get_content(wanted);
    bool same = a->clip_count == b->clip_count && a->node_count == b->node_count;
    for (size_t i = 0; same && i < b->clip_count; i++) {
        const size_t frames = b->clips[i].timelines[0].key_count;
        same = alike(&a->clips[i], &b->clips[i]) && has_frames(&a->clips[i], frames) &&
               has_times(&a->clips[i], &b->clips[i]) &&
               has_keys(&a->clips[i], 1, &b->clips[i], 1, frames);
    }
    result->max_error_rad = same ? 0.0 : (double)INFINITY;
    result->bits = same ? BITS_SAME : BITS_DIFFER;
}
