/* SPDX-License-Identifier: MIT
 *
 * Writes motions in other formats than that of their file.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "motion/convert/adjust.h"
#include "motion/files/folders.h"
#include "motion/files/output.h"
#include "motion/model/model.h"

enum { DEFAULT_DECIMALS = 6 };

typedef struct conversion {
    const pm_motion *motion;
    const motion_format *format;
    const pm_motion_convert_options *options;
    const motion_observer *observer;
    const motion_sink *sink; /* of the output */
    bool as_read;            /* in the format of its file, unchanged */
    bool is_trial;           /* finds out what is left out */
    char left_out[256];      /* by the trial */
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
    if (o->euler_given && (unsigned)o->euler >= PM_EULER_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "euler is %d, which is no pm_euler_order",
                           (int)o->euler);
    if ((unsigned)o->turn >= PM_MOTION_TURN_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "turn is %d, which is no pm_motion_turn",
                           (int)o->turn);
    if (!isfinite(o->scale) || o->scale < 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "scale is %g, expected a number above 0",
                           o->scale);
    if (o->decimals > 9)
        return motion_fail(error, PM_ERROR_ARGUMENT, "decimals is %u, expected 0 to 9",
                           o->decimals);
    return PM_OK;
}

static pm_status compose(conversion *c, const motion_sink *sink, pm_error *error) {
    const pm_motion_convert_options *o = c->options;
    const motion_compose_options options = {
        .euler = o->euler_given ? o->euler : PM_EULER_ZXY,
        .decimals = o->decimals ? o->decimals : DEFAULT_DECIMALS,
        .clip = o->clip,
        .left_out = c->is_trial || o->left_out ? note_left_out : NULL,
        .user = c};
    for (size_t i = 0; options.left_out && i < c->motion->content.carried_count; i++)
        note_left_out(c, c->motion->content.carried[i]);
    return c->format->compose(c->motion, &options, sink, error);
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
    const motion_write_options options = {.decimals = c->options->decimals ? c->options->decimals
                                                                           : DEFAULT_DECIMALS};
    return c->as_read ? c->format->write(c->motion, NULL, 0, &options, sink, error)
                      : compose(c, sink, error);
}

static pm_status write_observed(void *user, const void *data, size_t size, pm_error *error) {
    const conversion *c = user;
    motion_observe(c->observer, data, size);
    return c->sink->write(c->sink->user, data, size, error);
}

static pm_status write_file(conversion *c, const char *path, pm_error *error) {
    motion_output *output = NULL;
    pm_status status = c->options->strict && !c->as_read ? try_strictly(c, error) : PM_OK;
    if (status == PM_OK && c->options->make_folders)
        status = folders_make_for(path, error);
    if (status == PM_OK)
        status = motion_output_open(path, &output, error);
    if (status != PM_OK)
        return status;
    const motion_sink sink = motion_output_sink(output), observed = {write_observed, c};
    c->sink = &sink;
    status = write_to(c, &observed, error);
    if (status == PM_OK)
        return motion_output_commit(&output, error);
    motion_output_abandon(&output);
    return status;
}

static pm_status find_format(const pm_motion_convert_options *options, const char *path,
                             const motion_format **format, pm_error *error) {
    *format = options->format != PM_MOTION_ANY ? motion_format_of(options->format)
                                               : motion_format_of_name(path);
    if (!*format)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "the name of the output has no known extension; expected %s",
                           "bvh, gltf, glb, npz or csv");
    return PM_OK;
}

pm_status pm_motion_convert(const pm_motion *motion, const pm_motion_convert_options *options,
                            const char *path, pm_error *error) {
    return motion_convert_observed(motion, options, path, NULL, error);
}

pm_status motion_convert_observed(const pm_motion *motion, const pm_motion_convert_options *options,
                                  const char *path, const motion_observer *observer,
                                  pm_error *error) {
    static const pm_motion_convert_options defaults;
    const motion_format *format = NULL;
    if (!motion || !path)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !motion ? "motion" : "path");
    options = options ? options : &defaults;
    pm_status status = check_options(options, error);
    if (status == PM_OK)
        status = motion_check_keys(motion, error);
    if (status == PM_OK)
        status = find_format(options, path, &format, error);
    if (status != PM_OK)
        return status;
    conversion c = {.motion = motion, .format = format, .options = options, .observer = observer};
    const double scale = options->scale > 0 ? options->scale : 1;
    if (scale == 1 && options->turn == PM_MOTION_TURN_NONE) {
        c.as_read = motion_writes_document(format, motion);
        if (c.as_read || format->compose)
            return write_file(&c, path, error);
    }
    if (motion_writes_document(format, motion) && motion->format->keeps_more)
        return motion_refuse(error, "%s cannot be scaled or turned: its meshes would be left out",
                             motion->format->name);
    if (!c.as_read && !format->compose)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s cannot be written from other formats",
                           format->name);
    pm_motion *adjusted = motion_adjusted(motion, scale, options->turn);
    if (!adjusted)
        return motion_refuse_memory(error);
    c.motion = adjusted;
    status = write_file(&c, path, error);
    pm_motion_destroy(&adjusted);
    return status;
}
