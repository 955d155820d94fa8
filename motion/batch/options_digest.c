/* SPDX-License-Identifier: MIT
 *
 * Writes the options as text, a line each, in one form whatever their spelling on the command line.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/batch_file.h"

#include "motion/files/input.h"
#include "motion/model/model.h"
#include "motion/npz/npy_file.h"
#include "motion/open/formats.h"
#include "motion/time/rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file that its reader refuses unread, by its size or its first bytes, is not read here either. */
static digest digest_of_named(const char *path, const input_kind *kind, size_t max) {
    char reason[INPUT_REASON_SIZE] = "", *data = NULL;
    size_t size = 0;
    if (!path || !input_read_beside(path, kind, max, &data, &size, reason))
        return (digest){""};
    const digest found = digest_of(data, size);
    free(data);
    return found;
}

static digest digest_of_array(const char *path) {
    return digest_of_named(path, &npy_kind, SIZE_MAX);
}

static digest digest_of_text(const char *path) {
    return digest_of_named(path, NULL, INPUT_BESIDE_MAX);
}

/* Of a motion, or of a text. */
static digest digest_of_skeleton(const char *path) {
    const pm_motion_read_options any = {.format = PM_MOTION_ANY};
    const motion_format *format = NULL;
    digest found = {""};
    if (path && motion_find_named_format(&any, path, &format, NULL) == PM_OK)
        found = digest_of_named(path, motion_kind_of(&any, path), SIZE_MAX);
    return found.text[0] != '\0' ? found : digest_of_text(path);
}

void options_files_read(const pm_motion_batch_task *task, options_files *files) {
    *files = (options_files){.tangents = digest_of_array(task->curve.tangents_file),
                             .axis = digest_of_array(task->curve.axis_file),
                             .layout = digest_of_text(task->read.layout),
                             .skeleton = digest_of_skeleton(task->read.skeleton),
                             .rates = digest_of_text(task->read.rates_file),
                             .pairs = digest_of_text(task->mirror ? task->mirror->pairs : NULL)};
}

/* Numbers are written with 17 digits, which tell all doubles apart. */
static void write_numbers(FILE *text, const char *name, const double *numbers, size_t count) {
    fprintf(text, "%s", name);
    for (size_t i = 0; i < count; i++)
        fprintf(text, " %.17g", numbers[i]);
    fprintf(text, "\n");
}

static void write_rational(FILE *text, const char *name, pm_rational value) {
    fprintf(text, "%s %lld/%lld\n", name, (long long)value.num, (long long)value.den);
}

/* A name comes after its length, so that no name can look like another line. */
static void write_name(FILE *text, const char *name, const char *value) {
    fprintf(text, "%s %zu %s\n", name, value ? strlen(value) : 0, value ? value : "");
}

/* 60, 60.0 and 120/2 are one rate. */
static void write_rate(FILE *text, const char *rate) {
    pm_rational exact;
    if (!rate)
        write_name(text, "rate", NULL);
    else if (rate_parse(rate, &exact))
        write_rational(text, "rate", exact);
    else
        write_name(text, "rate", rate);
}

static void write_curve(FILE *text, const pm_motion_curve *curve, const options_files *files) {
    fprintf(text, "method %d %d\n", curve->method_given,
            !curve->method_given ? 0
            : curve->authored    ? -1
                                 : (int)curve->method);
    fprintf(text, "tangents %d %d %s\n", curve->tangents_given, (int)curve->tangents,
            files->tangents.text);
    write_numbers(text, "tcb", curve->tcb, 3);
    fprintf(text, "ends %d %d\n", curve->ends_given, (int)curve->ends);
    fprintf(text, "no-limit %d\n", curve->unlimited);
    write_numbers(text, "loop", &curve->loop_period, 1);
    fprintf(text, "axis %d %s\n", curve->axis_given, files->axis.text);
    write_numbers(text, "axis", curve->axis, 3);
    fprintf(text, "axis-frame %d %d\n", curve->axis_frame_given, (int)curve->axis_frame);
    fprintf(text, "windows %d %d\n", curve->swing_given, curve->twist_given);
    write_numbers(text, "swing", curve->swing, 2);
    write_numbers(text, "twist", curve->twist, 2);
}

/* The rate that a file of rates gives depends on the path of the input. */
static void write_reading(FILE *text, const pm_motion_read_options *read,
                          const options_files *files, const batch_item *item) {
    const bool is_given = item != NULL && item->source_rate.den != 0;
    fprintf(text, "format %d\n", (int)read->format);
    write_rational(text, "source-rate", is_given ? item->source_rate : read->source_rate);
    if (item && item->layout) {
        write_name(text, "layout", item->layout);
        fprintf(text, "layout %s\n", digest_of_text(item->layout).text);
    } else {
        write_name(text, "layout", read->layout);
        fprintf(text, "layout %s\n", files->layout.text);
    }
    write_name(text, "skeleton", read->skeleton);
    fprintf(text, "skeleton %s\nrates %s\n", files->skeleton.text, files->rates.text);
    write_name(text, "path", read->rates_file && item ? item->path : NULL);
    fprintf(text, "strict %d\nhold-nan %d\nadds-offset %d\nno-snap %d\n", read->strict,
            read->hold_nan, read->bvh_adds_offset, read->no_snap);
}

static void write_conversion(FILE *text, const pm_motion_batch_task *o) {
    enum { USUAL_DECIMALS = 6 };
    const unsigned decimals = o->decimals > 0 || o->converts ? o->decimals : USUAL_DECIMALS;
    fprintf(text, "decimals %u\neuler %d %d\nup %d\n", decimals, o->euler_given,
            o->euler_given ? (int)o->euler : 0, (int)o->turn);
    write_numbers(text, "scale", &(double){o->scale > 0 ? o->scale : 1}, 1);
}

static void write_root(FILE *text, const pm_motion_root_options *o) {
    write_name(text, "root-joint", o->joint);
    write_name(text, "root-node", o->root);
    write_name(text, "root-name", o->new_name);
    fprintf(text, "root %d %d %u %d %d\n", o->add, (int)o->up, o->axes, o->keep_position,
            o->keep_heading);
}

static void write_reduction(FILE *text, const pm_motion_reduce_options *o) {
    const double bounds[] = {o->angle, o->position, o->scale, o->distance, o->at};
    fprintf(text, "angle %d\ncurve %d\nsmooth %d\ncommon %d\n", o->has_angle, (int)o->curve,
            o->smooth, o->common);
    write_numbers(text, "bounds", bounds, sizeof bounds / sizeof bounds[0]);
}

static void write_names(FILE *text, const char *key, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        write_name(text, key, names[i]);
}

static void write_edit(FILE *text, const pm_motion_edit_options *o) {
    write_rational(text, "cut-begin", o->start_after_first_key);
    write_rational(text, "cut-end", o->end_after_first_key);
    fprintf(text, "edit %d %zu %d\n", o->cut_frames, o->repeat, o->continue_root);
    write_numbers(text, "blend", &o->blend, 1);
    write_names(text, "joint", o->joints, o->joint_count);
    write_names(text, "rename", o->renames, 2 * o->rename_count);
}

static void write_mirror(FILE *text, const pm_motion_mirror_options *o,
                         const options_files *files) {
    write_name(text, "pairs", o->pairs);
    fprintf(text, "mirror %d %s\n", (int)o->normal, files->pairs.text);
}

static void write_options(FILE *text, const pm_motion_batch_task *o, const options_files *files,
                          const batch_item *item) {
    fprintf(text, "posemill %s 1\nwriter %d\n",
            o->reduce     ? "reduce"
            : o->converts ? "convert"
                          : "resample",
            MOTION_WRITER_VERSION);
    if (o->reduce)
        write_reduction(text, o->reduce);
    if (o->fill) {
        fprintf(text, "fill %zu\n", o->fill->frozen);
        write_numbers(text, "longest", &o->fill->longest, 1);
    }
    if (o->edit)
        write_edit(text, o->edit);
    if (o->mirror)
        write_mirror(text, o->mirror, files);
    if (o->extracts_root)
        write_root(text, &o->root);
    write_rate(text, o->rate);
    fprintf(text, "to %d\n", (int)o->format);
    for (size_t i = 0; i < o->clip_count; i++)
        write_name(text, "clip", o->clips[i]);
    write_rational(text, "start", o->start_after_first_key);
    write_rational(text, "end", o->end_after_first_key);
    fprintf(text, "end-rule %d\ntrim-start %zu\nkeep-time %d\n", (int)o->end_rule, o->trim_start,
            o->keep_time);
    if (o->lowpass != 0) /* results without one keep the digest that they have */
        write_numbers(text, "lowpass", &o->lowpass, 1);
    write_conversion(text, o);
    write_curve(text, &o->curve, files);
    write_reading(text, &o->read, files, item);
}

digest options_digest(const pm_motion_batch_task *task, const options_files *files,
                      const batch_item *item) {
    char *data = NULL;
    size_t size = 0;
    digest result = {""};
    FILE *text = open_memstream(&data, &size);
    if (!text)
        return result;
    write_options(text, task, files, item);
    const bool failed = ferror(text) != 0;
    if (fclose(text) == 0 && !failed)
        result = digest_of(data, size);
    free(data);
    return result;
}
