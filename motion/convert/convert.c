/* SPDX-License-Identifier: MIT
 *
 * Writes motions in other formats than that of their file.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "motion/base/c_locale.h"
#include "motion/base/counts.h"
#include "motion/convert/adjust.h"
#include "motion/convert/rewrite.h"
#include "motion/convert/scales.h"
#include "motion/files/folders.h"
#include "motion/files/output.h"
#include "motion/model/compose.h"
#include "motion/model/model.h"
#include "motion/open/formats.h"

enum { DEFAULT_DECIMALS = 6 };

typedef struct conversion {
    const pm_motion *motion;
    const motion_format *format;
    const pm_motion_convert_options *options;
    const motion_sink *sink; /* of the output */
    bool as_read;            /* in the format of its file, unchanged */
    motion_adjustment by;
    const pm_motion *source; /* whose arrays are written with the numbers of `motion`. NULL: none */
    bool is_made;       /* `motion` was made of the source, and is not an adjusted copy of it */
    bool has_rest;      /* the document of `rest` is written with the keys of `motion` */
    bool is_trial;      /* finds out what is left out */
    char left_out[256]; /* by the trial */
} conversion;

static void note_left_out(void *user, const char *what) {
    conversion *c = user;
    const size_t used = strlen(c->left_out);
    if (!c->is_trial)
        c->options->left_out(c->options->left_out_user, what);
    else
        snprintf(c->left_out + used, sizeof c->left_out - used, "%s%s", used ? ", " : "", what);
}

static pm_status check_options(const pm_motion_convert_options *o, pm_error *error) {
    if ((unsigned)o->format >= PM_MOTION_FORMAT_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "format is %d, which is no pm_motion_format",
                           (int)o->format);
    if (o->euler_given && !pm_euler_order_name(o->euler))
        return motion_fail(error, PM_ERROR_ARGUMENT, "euler is %d, which is no pm_euler_order",
                           (int)o->euler);
    if (o->decimals > 9)
        return motion_fail(error, PM_ERROR_ARGUMENT, "decimals is %u, expected 0 to 9",
                           o->decimals);
    const pm_status reserved = MOTION_CHECK_RESERVED(pm_motion_convert_options, o, error);
    return reserved == PM_OK ? motion_check_observer(o->observer, error) : reserved;
}

/* Edited motions may have other joints and channels than their source. */
static pm_status check_rest(const pm_motion *motion, const pm_motion *rest, pm_error *error) {
    return motion->is_edited || (!rest || motion_has_shape_of(motion, rest))
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT,
                             "rest is not the motion that this one was made of");
}

/* Whether the document of the source can be written with rows of the motion. */
static bool has_rows_of(const pm_motion *motion, const pm_motion *rest,
                        const motion_format *format) {
    if (motion->document || !rest || !rest->document)
        return false;
    if (motion_fits_arrays(motion, rest, format))
        return true;
    return motion->row_count > 0 && !rest->has_given_joints && !format->keeps_more &&
           motion_writes_document(format, rest) && motion_has_shape_of(motion, rest);
}

static pm_status compose(conversion *c, const motion_sink *sink, pm_error *error) {
    const pm_motion_convert_options *o = c->options;
    const motion_writing writing = {.motion = c->motion,
                                    .euler = o->euler_given ? o->euler : PM_EULER_ZXY,
                                    .euler_given = o->euler_given,
                                    .decimals = o->decimals ? o->decimals : DEFAULT_DECIMALS,
                                    .decimals_given = o->decimals > 0,
                                    .clip = o->clip,
                                    .left_out = c->is_trial || o->left_out ? note_left_out : NULL,
                                    .user = c};
    for (size_t i = 0; writing.left_out && i < c->motion->content.carried_count; i++)
        note_left_out(c, c->motion->content.carried[i]);
    const pm_motion_content *content = &c->motion->content;
    if (!c->format->keeps_more && o->clip < content->clip_count && content->clips[o->clip].fault)
        return motion_check_clip(content, o->clip, error);
    return c->format->write(&writing, sink, error);
}

static pm_status discard(void *user, const void *data, size_t size, pm_error *error) {
    (void)user, (void)data, (void)size, (void)error;
    return PM_OK;
}

/* Refuses what would leave something out before any byte is written. */
static pm_status try_strictly(conversion *c, pm_error *error) {
    const motion_sink nowhere = {discard, NULL};
    c->is_trial = true;
    const pm_status status = compose(c, &nowhere, error);
    c->is_trial = false;
    if (status == PM_OK && c->left_out[0])
        return motion_refuse(error, "%s cannot hold %s", c->format->name, c->left_out);
    return status;
}

static pm_status write_to(conversion *c, const motion_sink *sink, pm_error *error) {
    const unsigned decimals = c->options->decimals ? c->options->decimals : DEFAULT_DECIMALS;
    const motion_writing writing = {.motion = c->motion,
                                    .document = c->has_rest ? c->options->rest : c->motion,
                                    .decimals = decimals};
    if (c->source)
        return motion_rewrite(c->source, c->motion, c->by, c->is_made, c->format, decimals, sink,
                              error);
    return c->has_rest || c->as_read ? c->format->write(&writing, sink, error)
                                     : compose(c, sink, error);
}

static pm_status write_observed(void *user, const void *data, size_t size, pm_error *error) {
    const conversion *c = user;
    motion_observe(c->options->observer, data, size);
    return c->sink->write(c->sink->user, data, size, error);
}

static pm_status write_file(conversion *c, const char *path, pm_error *error) {
    motion_output *output = NULL;
    pm_status status =
        c->as_read ? PM_OK
                   : motion_check_numbers(&c->motion->content, motion_largest_of(c->format), error);
    if (status == PM_OK && c->options->strict && !c->as_read && !c->source && !c->has_rest)
        status = try_strictly(c, error);
    if (status == PM_OK && c->options->make_folders)
        status = folders_make_for(path, error);
    if (status == PM_OK)
        status = c->options->must_be_new ? motion_output_open_new(path, &output, error)
                                         : motion_output_open(path, &output, error);
    if (status != PM_OK)
        return status;
    const motion_sink sink = motion_output_sink(output), observed = {write_observed, c};
    c->sink = &sink;
    status = write_to(c, &observed, error);
    c->sink = NULL;
    if (status == PM_OK)
        return motion_output_commit(&output, error);
    motion_output_abandon(&output);
    return status;
}

static pm_status find_format(const pm_motion_convert_options *options, const char *path,
                             const motion_format **format, pm_error *error) {
    char expected[MOTION_EXTENSIONS];
    *format = options->format != PM_MOTION_ANY ? motion_format_of(options->format)
                                               : motion_format_of_name(path);
    if (!*format)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "the name of the output has no known extension; expected %s",
                           motion_list_extensions(expected, true));
    return PM_OK;
}

/* Arrays of no skeleton, or a given one, are written as they are, with other numbers. */
static bool is_array_file(const pm_motion *motion) {
    return (motion->content.node_count == 0 || motion->has_given_joints) && motion->document &&
           motion->format->is_arrays;
}

static pm_status check_turn(const conversion *c, pm_error *error) {
    const pm_motion *m = c->source;
    if (c->by.turn == MOTION_TURN_NONE || m->turned || m->content.format != PM_MOTION_NPZ)
        return PM_OK;
    motion_report(
        error, PM_ERROR_FILE,
        "cannot be turned: layout %s does not say which rotations are relative to the world",
        m->content.layout);
    motion_cure_joints(error);
    return PM_ERROR_FILE;
}

/* A motion that kept the layout of a file of the format can hold what that file held, and so can the
 * file itself. */
static pm_status write_fitted(conversion *c, const char *path, pm_error *error) {
    const bool has_layout = c->motion->layout && c->motion->layout_format == c->format;
    const pm_motion *const given = c->motion;
    pm_motion *fitted = NULL;
    pm_status status =
        c->as_read || c->source || has_layout
            ? PM_OK
            : motion_fit_scales(given, c->options->clip, c->format->scales, &fitted, error);
    c->motion = fitted ? fitted : given;
    if (status == PM_OK)
        status = write_file(c, path, error);
    pm_motion_destroy(&fitted);
    c->motion = given;
    return status;
}

static pm_status convert(const pm_motion *motion, const pm_motion_convert_options *options,
                         const char *path, pm_error *error) {
    static const pm_motion_convert_options defaults;
    const motion_format *format = NULL;
    if (!motion || !path)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !motion ? "motion" : "path");
    options = options ? options : &defaults;
    pm_status status = check_options(options, error);
    if (status == PM_OK)
        status = motion_check_keys(motion, error);
    if (status == PM_OK)
        status = check_rest(motion, options->rest, error);
    if (status == PM_OK)
        status = find_format(options, path, &format, error);
    conversion c = {.motion = motion, .format = format, .options = options};
    if (status == PM_OK)
        status = motion_find_adjustment(options, motion->content.format, &c.by, error);
    if (status != PM_OK)
        return status;
    const bool is_moved = motion_is_adjusted(c.by);
    const bool is_own = motion_writes_document(format, motion);
    const bool is_edited =
        is_own && format->is_text && (options->euler_given || options->decimals > 0);
    c.has_rest = !is_moved && options->rest && !motion->document && format->writes_keys &&
                 motion_writes_document(format, options->rest) &&
                 motion_has_shape_of(motion, options->rest);
    if (c.has_rest)
        return write_file(&c, path, error);
    if (!options->euler_given && options->decimals == 0 &&
        has_rows_of(motion, options->rest, format) && (!is_moved || is_array_file(options->rest)))
        c.source = options->rest;
    c.is_made = c.source != NULL;
    if (c.source && !is_moved)
        return write_file(&c, path, error);
    if (!is_moved && !is_edited) {
        c.as_read = is_own && !motion->has_given_joints;
        if (c.as_read || format->title)
            return write_fitted(&c, path, error);
    }
    if (is_own && motion->format->keeps_more)
        return motion_refuse(error, "%s cannot be scaled or turned: its meshes would be left out",
                             motion->format->name);
    if (is_array_file(motion) && is_own)
        c.source = motion;
    if (c.source)
        status = check_turn(&c, error);
    if (status != PM_OK)
        return status;
    if (!c.source && !format->title)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s cannot be %s", format->name,
                           motion->content.format == format->id ? "scaled or turned"
                                                                : "written from other formats");
    pm_motion *adjusted = motion_adjusted(motion, c.by);
    if (!adjusted)
        return motion_refuse_memory(error);
    c.motion = adjusted;
    status = write_fitted(&c, path, error);
    pm_motion_destroy(&adjusted);
    return status;
}

pm_status pm_motion_convert(const pm_motion *motion, const pm_motion_convert_options *options,
                            const char *path, pm_error *error) {
    void *before = c_locale_begin();
    const pm_status status = convert(motion, options, path, error);
    c_locale_end(before);
    return status;
}
