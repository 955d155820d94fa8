/* SPDX-License-Identifier: MIT
 *
 * Writes motions in other formats than that of their file.
 */
#include <stdio.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/convert/adjust.h"
#include "motion/convert/convert.h"
#include "motion/convert/scales.h"
#include "motion/files/folders.h"
#include "motion/files/output.h"
#include "motion/model/key_samples.h"
#include "motion/model/made.h"
#include "motion/model/names.h"
#include "motion/open/formats.h"

enum { DEFAULT_DECIMALS = 6 };

typedef struct conversion {
    const pm_motion *motion;
    const pm_motion *document; /* that is written again. NULL: the file is made anew */
    const motion_format *format;
    const pm_motion_convert_options *options;
    const convert_samples *samples; /* NULL: the keys of the motion */
    const motion_sink *sink;        /* of the output */
    motion_adjustment by;
    bool moves_velocities; /* those of the document are scaled and turned */
    bool is_trial;         /* finds out what is left out */
    char left_out[256];    /* by the trial */
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
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_convert_options, o, error));
    return motion_check_observer(o->observer, error);
}

/* ---- whose document ------------------------------------------------------------------------ */

static bool has_same_channels(const pm_motion_clip *a, const pm_motion_clip *b) {
    bool same = a->channel_count == b->channel_count;
    for (size_t c = 0; same && c < a->channel_count; c++)
        same = a->channels[c].node == b->channels[c].node &&
               a->channels[c].path == b->channels[c].path &&
               a->channels[c].components == b->channels[c].components;
    return same;
}

/* Whether a motion has the clips, channels and nodes of its form. */
static bool has_shape_of(const pm_motion_content *a, const pm_motion_content *b) {
    bool fits = a->clip_count == b->clip_count && a->node_count == b->node_count;
    for (size_t i = 0; fits && i < a->clip_count; i++)
        fits = has_same_channels(&a->clips[i], &b->clips[i]);
    for (size_t n = 0; fits && n < a->node_count; n++)
        fits = a->nodes[n].parent == b->nodes[n].parent &&
               motion_compare_names(a->nodes[n].name, b->nodes[n].name) == 0;
    return fits;
}

/* Arrays of no skeleton, or a given one, are written as they are, with other numbers. */
static bool is_array_file(const pm_motion *form) {
    return (form->content.node_count == 0 || form->has_given_joints) && form->format->is_arrays;
}

/* Whether the rows of a clip are all those of the form, in their order. */
static bool has_all_rows(const pm_motion *motion, const pm_motion *form) {
    const uint64_t rows = motion_count_rows(&form->content.clips[0]);
    const motion_run *run = motion_find_run(motion, 0, 0);
    bool all = motion_count_rows(&motion->content.clips[0]) == rows;
    for (; all && run && run->first + run->count < rows;
         run = motion_find_run(motion, 0, run->first + run->count))
        all = run->source == form && run->from == run->first;
    return all && run && run->source == form && run->from == run->first;
}

/* Members that are taken from the nearest frame need to know which it is. */
static bool finds_nearest(const pm_motion *motion, const pm_motion *form) {
    const motion_origin *origin = &motion->origins[0];
    uint64_t known = 0;
    bool is_needed = false;
    for (size_t i = 0; i < form->content.other_array_count; i++)
        is_needed = is_needed || form->content.other_arrays[i].nearest;
    for (size_t i = 0; i < origin->run_count; i++)
        known += origin->runs[i].source == form ||
                         (form->format->shares_rows &&
                          form->format->shares_rows(form, origin->runs[i].source))
                     ? origin->runs[i].count
                     : 0;
    return !is_needed || known == origin->row_count;
}

/* Whether the keys of a motion that is made are rows of its form, or others in their places. */
static bool has_rows(const pm_motion *motion, const pm_motion *form) {
    const pm_motion_clip *clip = motion->content.clips;
    bool fits = motion->content.clip_count == 1 && clip->channel_count > 0;
    for (size_t c = 0; fits && c < clip->channel_count; c++)
        fits = clip->channels[c].timeline == 0;
    if (!fits || clip->timelines[0].times || clip->rate.den == 0)
        return fits && !clip->timelines[0].times == !form->content.clips[0].timelines[0].times &&
               has_all_rows(motion, form);
    return form->format->is_arrays ? finds_nearest(motion, form) : motion->origins[0].run_count > 0;
}

const pm_motion *convert_find_document(const pm_motion *motion, const motion_format *format,
                                       const pm_motion_convert_options *options,
                                       motion_adjustment by, const convert_samples *samples) {
    const pm_motion *form = motion_form_of(motion);
    const bool moves = motion_is_adjusted(by), is_read = motion == form;
    if (!form || !motion_writes_document(format, form) ||
        !has_shape_of(&motion->content, &form->content))
        return NULL;
    if ((motion->is_scaled || motion->is_turned) && !is_array_file(form))
        return NULL; /* it has another rest pose */
    if (format->keeps_more)
        return moves || (samples && !is_read) ? NULL : form;
    if (format->is_text &&
        (options->euler_given || (options->decimals > 0 && (!samples || samples->rewrites))))
        return NULL;
    if (moves)
        return !samples && is_array_file(form) && (is_read || has_rows(motion, form)) ? form : NULL;
    if (samples)
        return form;
    return is_read ? (form->has_given_joints ? NULL : form) : has_rows(motion, form) ? form : NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

static unsigned decimals_of(const pm_motion_convert_options *o) {
    return o->decimals ? o->decimals : DEFAULT_DECIMALS;
}

static pm_status compose(conversion *c, const motion_sink *sink, pm_error *error) {
    const pm_motion_convert_options *o = c->options;
    const motion_writing writing = {.motion = c->motion,
                                    .euler = o->euler_given ? o->euler : PM_EULER_ZXY,
                                    .euler_given = o->euler_given,
                                    .decimals = decimals_of(o),
                                    .decimals_given = o->decimals > 0,
                                    .clip = o->clip,
                                    .drops_rest = o->drop_rest,
                                    .unit_mm = c->by.result_unit_mm,
                                    .up = c->by.result_up,
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

static void move_velocity(const void *user, size_t channel, double *velocity) {
    const conversion *c = user;
    motion_adjust_velocity(c->document, channel, c->by, velocity);
}

/* Rows of a document with the keys of a motion. */
static pm_status write_keys(conversion *c, motion_writing *writing, const motion_sink *sink,
                            pm_error *error) {
    const pm_motion_clip *clip = &c->motion->content.clips[0];
    const pm_timeline *timeline = clip->timelines;
    const motion_frames frames = {.rate = timeline->times ? (pm_rational){0, 0} : clip->rate,
                                  .count = timeline->key_count,
                                  .timeline = timeline};
    SCOPED(key_samples_close) key_samples keys;
    pm_status status = key_samples_open(&keys, c->motion, 0, &frames, error);
    keys.move_velocity = c->moves_velocities ? move_velocity : NULL;
    keys.user = c;
    const motion_samples samples = key_samples_of(&keys);
    writing->samples = &samples;
    writing->sample_count = 1;
    if (status == PM_OK)
        status = c->format->write(writing, sink, error);
    return status;
}

static pm_status write_to(conversion *c, const motion_sink *sink, pm_error *error) {
    motion_writing writing = {.motion = c->motion,
                              .document = c->document,
                              .decimals = decimals_of(c->options),
                              .drops_rest = c->options->drop_rest};
    if (!c->document)
        return compose(c, sink, error);
    if (c->motion != c->document && !c->samples && !c->format->writes_keys)
        return write_keys(c, &writing, sink, error);
    if (c->samples) {
        writing.samples = c->samples->samples;
        writing.sample_count = c->samples->count;
    }
    return c->format->write(&writing, sink, error);
}

static pm_status write_observed(void *user, const void *data, size_t size, pm_error *error) {
    const conversion *c = user;
    motion_observe(c->options->observer, data, size);
    return c->sink->write(c->sink->user, data, size, error);
}

static pm_status count_bytes(void *user, const void *data, size_t size, pm_error *error) {
    (void)data, (void)error;
    *(uint64_t *)user += size;
    return PM_OK;
}

/* A motion with fewer keys may take more bytes, if those of its document were packed. */
static pm_status choose_smaller(conversion *c, pm_error *error) {
    const pm_motion *const made = c->motion;
    uint64_t sizes[2] = {0, 0};
    if (!made->must_be_smaller || !c->document || c->samples ||
        c->document->format->id != c->format->id)
        return PM_OK;
    for (int i = 0; i < 2; i++) {
        const motion_sink counter = {count_bytes, &sizes[i]};
        c->motion = i ? c->document : made;
        MOTION_TRY(write_to(c, &counter, error));
    }
    if (sizes[0] <= sizes[1])
        c->motion = made;
    else
        motion_warn_about(
            &(motion_warnings){.log = c->options->log, .user = c->options->log_user},
            (motion_about){.hint = made->packing.compresses ? NULL : "compress its keys, too"},
            "keeps its keys: with those that are needed it would have %llu bytes, and has %llu",
            (unsigned long long)sizes[0], (unsigned long long)sizes[1]);
    return PM_OK;
}

static pm_status write_file(conversion *c, const char *path, pm_error *error) {
    motion_output *output = NULL;
    MOTION_TRY(choose_smaller(c, error));
    MOTION_TRY(
        c->motion == c->document || c->samples
            ? PM_OK
            : motion_check_numbers(&c->motion->content, motion_largest_of(c->format), error));
    if (c->options->strict && !c->document)
        MOTION_TRY(try_strictly(c, error));
    if (c->options->make_folders)
        MOTION_TRY(folders_make_for(path, error));
    MOTION_TRY(c->options->must_be_new ? motion_output_open_new(path, &output, error)
                                       : motion_output_open(path, &output, error));
    const motion_sink sink = motion_output_sink(output), observed = {write_observed, c};
    c->sink = &sink;
    pm_status status = write_to(c, &observed, error);
    c->sink = NULL;
    if (status == PM_OK)
        return motion_output_commit(&output, error);
    motion_output_abandon(&output);
    return status;
}

pm_status convert_find_format(const pm_motion_convert_options *options, const char *path,
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

pm_status convert_check_turn(const pm_motion *motion, const pm_motion *m, motion_turn turn,
                             pm_error *error) {
    const bool is_turned = turn != MOTION_TURN_NONE || motion->is_turned;
    if (is_turned && m->is_body_model && !motion_knows_pelvis(motion)) {
        motion_report(
            error, PM_ERROR_FILE,
            "cannot be turned: a body turns about the rest place of its pelvis, which the "
            "file does not have");
        motion_cure(error, "skeleton", NULL, "gives it: a file of joints with offsets");
        return PM_ERROR_FILE;
    }
    if (!is_turned || m->turned || m->content.format != PM_MOTION_NPZ)
        return PM_OK;
    motion_report(
        error, PM_ERROR_FILE,
        "cannot be turned: layout %s does not say which rotations are relative to the world",
        m->content.layout);
    motion_cure_joints(error);
    return PM_ERROR_FILE;
}

/* A motion with the form of a text file can hold what that file held, and so can the file itself. */
static pm_status write_fitted(conversion *c, const char *path, pm_error *error) {
    const pm_motion *const given = c->motion, *form = motion_form_of(given);
    const bool has_form =
        c->document || (form && c->format->is_text && motion_writes_document(c->format, form));
    pm_motion *fitted = NULL;
    pm_status status =
        has_form ? PM_OK
                 : motion_fit_scales(given, c->options->clip, c->format->scales, &fitted, error);
    c->motion = fitted ? fitted : given;
    if (status == PM_OK)
        status = write_file(c, path, error);
    pm_motion_destroy(&fitted);
    c->motion = given;
    return status;
}

/* Whether meshes would not fit what is scaled or turned, now or by a step. */
static bool loses_meshes(const conversion *c) {
    const motion_format *from = motion_format_of(c->motion->content.format);
    const bool was_moved = c->motion->is_scaled || c->motion->is_turned;
    return c->format->keeps_more &&
           (was_moved ? from && strcmp(from->document, c->format->document) == 0
                      : motion_is_adjusted(c->by) && motion_writes_document(c->format, c->motion));
}

/* Scaled and turned. */
static pm_status write_moved(conversion *c, const char *path, pm_error *error) {
    SCOPED(pm_motion_destroy) pm_motion *adjusted = motion_adjusted(c->motion, c->by);
    MOTION_TRY_MEMORY(adjusted, error);
    c->moves_velocities = c->motion == c->document;
    c->motion = adjusted;
    return write_fitted(c, path, error);
}

static pm_status convert(const pm_motion *motion, const pm_motion_convert_options *options,
                         const char *path, pm_error *error) {
    static const pm_motion_convert_options defaults;
    MOTION_REQUIRE(error, motion, path);
    options = options ? options : &defaults;
    conversion c = {.motion = motion, .options = options};
    MOTION_TRY(check_options(options, error));
    MOTION_TRY(motion_check_keys(motion, error));
    MOTION_TRY(convert_find_format(options, path, &c.format, error));
    MOTION_TRY(motion_find_adjustment(options, motion, motion_format_of(motion->content.format),
                                      c.format, &c.by, error));
    motion_tell_adjustment(options, motion, motion_format_of(motion->content.format), c.format,
                           c.by);
    c.document = convert_find_document(motion, c.format, options, c.by, NULL);
    if (!c.document && !c.format->title)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s cannot be %s", c.format->name,
                           motion->content.format == c.format->id ? "scaled or turned"
                                                                  : "written from other formats");
    if (loses_meshes(&c))
        return motion_refuse(error, "%s cannot be scaled or turned: its meshes would be left out",
                             c.format->name);
    if (c.document)
        MOTION_TRY(convert_check_turn(motion, c.document, c.by.turn, error));
    return motion_is_adjusted(c.by) ? write_moved(&c, path, error) : write_fitted(&c, path, error);
}

pm_status convert_write_samples(const pm_motion *motion, const pm_motion *document,
                                const motion_format *format,
                                const pm_motion_convert_options *options,
                                const convert_samples *samples, const char *path, pm_error *error) {
    conversion c = {.motion = motion,
                    .document = document,
                    .format = format,
                    .options = options,
                    .samples = samples};
    return write_file(&c, path, error);
}

pm_status pm_motion_convert(const pm_motion *motion, const pm_motion_convert_options *options,
                            const char *path, pm_error *error) {
    C_LOCALE_HERE;
    return convert(motion, options, path, error);
}
