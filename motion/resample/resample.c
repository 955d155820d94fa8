/* SPDX-License-Identifier: MIT
 *
 * Resamples a motion into a file: a sampler for each clip, and the format's own writer.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/counts.h"
#include "motion/files/folders.h"
#include "motion/files/output.h"
#include "motion/model/model.h"
#include "motion/open/formats.h"
#include "motion/resample/resample_check.h"
#include "motion/resample/sampler.h"

enum { DEFAULT_DECIMALS = 6 };

/* ---- checks -------------------------------------------------------------------------------- */

static bool is_time(pm_rational r) {
    return (r.num == 0 && r.den == 0) || (r.num >= 0 && r.den > 0);
}

/* The index in the list of a clip that is listed before; or the size of the list. */
static size_t find_repeated(const pm_motion_resample_options *o) {
    for (size_t i = 1; i < o->clip_count; i++)
        for (size_t before = 0; before < i; before++)
            if (o->clips[before] == o->clips[i])
                return i;
    return o->clip_count;
}

static pm_status check_clips(const pm_motion *motion, const pm_motion_resample_options *o,
                             pm_error *error) {
    for (size_t i = 0; o->clips && i < o->clip_count; i++)
        if (o->clips[i] >= motion->content.clip_count)
            return motion_fail(error, PM_ERROR_ARGUMENT, "clips[%zu] is %zu; the motion has %zu", i,
                               o->clips[i], motion->content.clip_count);
    const size_t repeated = o->clips ? find_repeated(o) : o->clip_count;
    if (o->clips && repeated < o->clip_count)
        return motion_fail(error, PM_ERROR_ARGUMENT, "clips[%zu] is %zu, which is listed before",
                           repeated, o->clips[repeated]);
    if (motion->content.clip_count == 0)
        return motion_refuse(error, "has no clips; there is nothing to resample");
    pm_status status = PM_OK;
    for (size_t i = 0; o->clips && status == PM_OK && i < o->clip_count; i++)
        status = motion_check_clip(&motion->content, o->clips[i], error);
    return o->clips
               ? status
               : motion_check_clip(&motion->content, motion_first_clip(&motion->content), error);
}

pm_status resample_check_options(const pm_motion *motion, const pm_motion_resample_options *o,
                                 pm_error *error) {
    if (motion->headers_only)
        return motion_check_keys(motion, error);
    if (o->rate.num <= 0 || o->rate.den <= 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "rate is not above 0");
    if (!is_time(o->start_after_first_key) || !is_time(o->end_after_first_key))
        return motion_fail(error, PM_ERROR_ARGUMENT, "start and end must be 0 or more");
    if ((unsigned)o->end_rule >= PM_MOTION_END_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "end_rule is %d, which is no rule",
                           (int)o->end_rule);
    pm_status reserved = MOTION_CHECK_RESERVED(pm_motion_resample_options, o, error);
    if (reserved == PM_OK)
        reserved = motion_check_observer(o->observer, error);
    if (reserved != PM_OK)
        return reserved;
    if (!o->authored && o->curve && !pm_method_get_info(o->curve->method))
        return motion_fail(error, PM_ERROR_ARGUMENT, "curve.method is %d, which is no method",
                           (int)o->curve->method);
    if (o->lowpass != PM_MOTION_LOWPASS_AUTO && !(o->lowpass >= 0 && isfinite(o->lowpass)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "lowpass is %g Hz, expected above 0, or PM_MOTION_LOWPASS_AUTO",
                           o->lowpass);
    if (o->decimals > 9)
        return motion_fail(error, PM_ERROR_ARGUMENT, "decimals is %u, expected 0 to 9",
                           o->decimals);
    return check_clips(motion, o, error);
}

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct counting_sink {
    motion_sink inner;
    const pm_motion_observer *observer;
    uint64_t bytes;
} counting_sink;

static pm_status write_counted(void *user, const void *data, size_t size, pm_error *error) {
    counting_sink *sink = user;
    sink->bytes += size;
    motion_observe(sink->observer, data, size);
    return sink->inner.write(sink->inner.user, data, size, error);
}

static const motion_format *format_of(const pm_motion *motion,
                                      const pm_motion_resample_options *o) {
    return o->format ? motion_format_of(o->format) : motion->format;
}

static pm_status write_all(const pm_motion *motion, const motion_samples *samples, size_t count,
                           const pm_motion_resample_options *o, const char *path, uint64_t *bytes,
                           pm_error *error) {
    motion_output *output = NULL;
    const motion_writing writing = {.motion = motion,
                                    .document = motion,
                                    .samples = samples,
                                    .sample_count = count,
                                    .decimals = o->decimals ? o->decimals : DEFAULT_DECIMALS};
    pm_status status = o->make_folders ? folders_make_for(path, error) : PM_OK;
    if (status == PM_OK)
        status = o->must_be_new ? motion_output_open_new(path, &output, error)
                                : motion_output_open(path, &output, error);
    if (status != PM_OK)
        return status;
    counting_sink counting = {.inner = motion_output_sink(output), .observer = o->observer};
    const motion_sink sink = {write_counted, &counting};
    status = format_of(motion, o)->write(&writing, &sink, error);
    *bytes = counting.bytes;
    if (status == PM_OK)
        return motion_output_commit(&output, error);
    motion_output_abandon(&output);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Opens a sampler for each clip that is resampled; *count of them are to be released. */
static pm_status open_all(sampler *samplers, motion_samples *samples, size_t *count,
                          const pm_motion *motion, pm_engine *engine,
                          const pm_motion_resample_options *o, pm_motion_resample_report *report,
                          pm_error *error) {
    pm_status status = PM_OK;
    const size_t listed = o->clips ? o->clip_count : motion->content.clip_count;
    for (size_t k = 0; k < listed && status == PM_OK; k++) {
        const size_t clip = o->clips ? o->clips[k] : k;
        if (motion->content.clips[clip].channel_count == 0)
            continue;
        const size_t i = (*count)++;
        status = sampler_open(&samplers[i], motion, clip, engine, o, report, error);
        if (status == PM_OK && !format_of(motion, o)->selects)
            status = sampler_select(&samplers[i], 0, samplers[i].clip->channel_count, error);
        samples[i] = sampler_samples(&samplers[i]);
        report->samples += samples[i].count;
    }
    return status;
}

static pm_status run(sampler *samplers, motion_samples *samples, const pm_motion *motion,
                     const pm_motion *source, pm_engine *engine,
                     const pm_motion_resample_options *options, const char *path,
                     pm_motion_resample_report *report, pm_error *error) {
    size_t count = 0;
    pm_status status = open_all(samplers, samples, &count, motion, engine, options, report, error);
    if (status == PM_OK)
        status = write_all(source, samples, count, options, path, &report->bytes_written, error);
    for (size_t i = 0; i < count; i++)
        sampler_release(&samplers[i]);
    return status;
}

static pm_status check_format(const pm_motion *motion, const pm_motion_resample_options *o,
                              pm_error *error) {
    if ((unsigned)o->format >= PM_MOTION_FORMAT_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "format is %d, which is no pm_motion_format",
                           (int)o->format);
    if (!motion->document ||
        (o->format && !motion_writes_document(motion_format_of(o->format), motion)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "motion is of another format; pm_motion_convert writes it");
    return PM_OK;
}

static pm_status resample(const pm_motion *motion, const pm_motion *source, pm_engine *engine,
                          const pm_motion_resample_options *options, const char *path,
                          pm_motion_resample_report *report, pm_error *error) {
    pm_motion_resample_report own;
    report = report ? report : &own;
    *report = (pm_motion_resample_report){.identical = true};
    if (!motion || !engine || !options || !path)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !motion    ? "motion"
                           : !engine  ? "engine"
                           : !options ? "options"
                                      : "path");
    pm_status status = check_format(source, options, error);
    if (status != PM_OK)
        return status;
    status = resample_check_options(motion, options, error);
    if (status != PM_OK)
        return status;
    const size_t count = options->clips ? options->clip_count : motion->content.clip_count;
    sampler *samplers = calloc(count + 1, sizeof *samplers);
    motion_samples *samples = calloc(count + 1, sizeof *samples);
    if (samplers && samples)
        status = run(samplers, samples, motion, source, engine, options, path, report, error);
    else
        status = motion_refuse_memory(error);
    free(samplers);
    free(samples);
    return status;
}

pm_status resample_into(const pm_motion *motion, const pm_motion *source, pm_engine *engine,
                        const pm_motion_resample_options *options, const char *path,
                        pm_motion_resample_report *report, pm_error *error) {
    void *before = c_locale_begin();
    const pm_status status = resample(motion, source, engine, options, path, report, error);
    c_locale_end(before);
    return status;
}

pm_status pm_motion_resample(const pm_motion *motion, pm_engine *engine,
                             const pm_motion_resample_options *options, const char *path,
                             pm_motion_resample_report *report, pm_error *error) {
    return resample_into(motion, motion, engine, options, path, report, error);
}
