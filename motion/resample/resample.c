/* SPDX-License-Identifier: MIT
 *
 * Resamples a motion into a file: a sampler for each clip, and the format's own writer.
 */
#include <math.h>
#include <stdlib.h>

#include "motion/base/c_locale.h"
#include "motion/base/counts.h"
#include "motion/convert/convert.h"
#include "motion/model/model.h"
#include "motion/open/formats.h"
#include "motion/resample/resample_check.h"
#include "motion/resample/sampler.h"

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
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_resample_options, o, error));
    MOTION_TRY(motion_check_observer(o->observer, error));
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

/* What is written, and how. */
typedef struct resampling {
    const pm_motion *motion, *document;
    const motion_format *format;
    const pm_motion_convert_options *writing;
    const char *path;
} resampling;

/* Opens a sampler for each clip that is resampled; *count of them are to be released. */
static pm_status open_all(sampler *samplers, motion_samples *samples, size_t *count,
                          const resampling *r, pm_engine *engine,
                          const pm_motion_resample_options *o, pm_motion_resample_report *report,
                          pm_error *error) {
    const size_t listed = o->clips ? o->clip_count : r->motion->content.clip_count;
    for (size_t k = 0; k < listed; k++) {
        const size_t clip = o->clips ? o->clips[k] : k;
        if (r->motion->content.clips[clip].channel_count == 0)
            continue;
        const size_t i = (*count)++;
        MOTION_TRY(sampler_open(&samplers[i], r->motion, clip, engine, o, report, error));
        samplers[i].largest = motion_largest_of(r->format);
        if (!r->format->selects)
            MOTION_TRY(sampler_select(&samplers[i], 0, samplers[i].clip->channel_count, error));
        samples[i] = sampler_samples(&samplers[i]);
        report->samples += samples[i].count;
    }
    return PM_OK;
}

/* In pieces, into the document. */
static pm_status write_pieces(const resampling *r, pm_engine *engine,
                              const pm_motion_resample_options *o,
                              pm_motion_resample_report *report, pm_error *error) {
    size_t count = o->clips ? o->clip_count : r->motion->content.clip_count;
    FREED sampler *samplers = calloc(count + 1, sizeof *samplers);
    FREED motion_samples *samples = calloc(count + 1, sizeof *samples);
    pm_status status = samplers && samples ? PM_OK : motion_refuse_memory(error);
    count = 0;
    if (status == PM_OK)
        status = open_all(samplers, samples, &count, r, engine, o, report, error);
    if (status == PM_OK)
        status = convert_write_samples(r->motion, r->document, r->format, r->writing,
                                       &(convert_samples){.samples = samples, .count = count},
                                       r->path, error);
    for (size_t i = 0; i < count; i++)
        sampler_release(&samplers[i]);
    return status;
}

/* As a whole: a file that is made anew has scales and frames that are known only then. */
static pm_status write_copy(const resampling *r, pm_engine *engine,
                            const pm_motion_resample_options *o, pm_motion_resample_report *report,
                            pm_error *error) {
    SCOPED(pm_motion_destroy) pm_motion *copy = NULL;
    MOTION_TRY(motion_check_writable(r->motion, r->format->id, error));
    MOTION_TRY(pm_motion_resample_copy(r->motion, engine, o, &copy, report, error));
    return pm_motion_convert(copy, r->writing, r->path, error);
}

pm_status resample_write(const pm_motion *motion, pm_engine *engine,
                         const pm_motion_resample_options *options,
                         const pm_motion_convert_options *writing, bool rewrites, const char *path,
                         pm_motion_resample_report *report, pm_error *error) {
    resampling r = {.motion = motion, .writing = writing, .path = path};
    motion_adjustment by;
    r.format = motion->format;
    if (writing->format != PM_MOTION_ANY || !motion->document)
        MOTION_TRY(convert_find_format(writing, path, &r.format, error));
    MOTION_TRY(resample_check_options(motion, options, error));
    MOTION_TRY(motion_find_adjustment(writing, motion, motion_format_of(motion->content.format),
                                      r.format, &by, error));
    r.document = convert_find_document(motion, r.format, writing, by,
                                       &(convert_samples){.rewrites = rewrites});
    if (r.document)
        MOTION_TRY(convert_check_turn(motion, r.document, by.turn, error));
    return r.document ? write_pieces(&r, engine, options, report, error)
                      : write_copy(&r, engine, options, report, error);
}

typedef struct counted_output {
    pm_motion_resample_report *report;
    const pm_motion_observer *observer;
} counted_output;

static void see_output(void *user, const void *data, size_t size) {
    const counted_output *counted = user;
    counted->report->bytes_written += size;
    motion_observe(counted->observer, data, size);
}

pm_status pm_motion_resample(const pm_motion *motion, pm_engine *engine,
                             const pm_motion_resample_options *options, const char *path,
                             pm_motion_resample_report *report, pm_error *error) {
    C_LOCALE_HERE;
    pm_motion_resample_report own;
    report = report ? report : &own;
    *report = (pm_motion_resample_report){.identical = true};
    MOTION_REQUIRE(error, motion, engine, options, path);
    if ((unsigned)options->format >= PM_MOTION_FORMAT_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "format is %d, which is no pm_motion_format",
                           (int)options->format);
    size_t clip = motion_first_clip(&motion->content);
    if (options->clips && options->clip_count > 0)
        clip = options->clips[0];
    counted_output counted = {.report = report, .observer = options->observer};
    const pm_motion_observer observer = {.see = see_output, .user = &counted};
    const pm_motion_convert_options writing = {.format = options->format,
                                               .clip = clip,
                                               .make_folders = options->make_folders,
                                               .must_be_new = options->must_be_new,
                                               .decimals = options->decimals,
                                               .observer = &observer};
    return resample_write(motion, engine, options, &writing, false, path, report, error);
}
