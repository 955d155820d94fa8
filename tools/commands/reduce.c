/* SPDX-License-Identifier: MIT
 *
 * posemill reduce: fewest keys under a bound that holds.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands.h"
#include "motion/base/printable.h"
#include "motion/base/seconds.h"
#include "motion/files/output_names.h"
#include "motion/model/model.h"
#include "motion/task/task_files.h"
#include "motion/task/task_reduce.h"
#include "options/page_options.h"
#include "resample_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reduce_options {
    resample_options files;
    pm_motion_reduce_options reduce;
} reduce_options;

/* ---- options ------------------------------------------------------------------------- */

static bool parse_angle(const char *text, void *target, char *reason) {
    pm_motion_reduce_options *o = &((reduce_options *)target)->reduce;
    o->has_angle = value_number(text, &o->angle, reason) && o->angle > 0 && o->angle <= 180;
    if (!o->has_angle)
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is no bound; expected degrees above 0, up to 180", text);
    return o->has_angle;
}

static bool parse_bound(const char *text, void *target, char *reason) {
    double bound = 0;
    if (!value_number(text, &bound, reason) || bound < 0) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is no bound; expected a number from 0 on",
                 text);
        return false;
    }
    *(double *)target = bound;
    return true;
}

static bool parse_curve(const char *text, void *target, char *reason) {
    static const char *const words[] = {"slerp", "cubicspline", "squad", "hermite", "spline"};
    size_t word = 0;
    return value_word(text, words, sizeof words / sizeof words[0], &word, reason) &&
           pm_method_find(words[word], target);
}

#define AT(field) offsetof(reduce_options, field)
static const option reduce_table[] = {
    {"--out", 'o', "OUT", "output file, .glb, .gltf or .npz; - is standard output", value_text,
     AT(files.out)},
    {"--out-dir", 0, "DIR", "output folder of a batch; results mirror the inputs", value_text,
     AT(files.batch.run.out_dir)},
    {"--to", 0, "FORMAT",
     "format of outputs without an extension, and of all outputs of a batch: gltf, glb, npz;\n"
     "default: glb",
     motion_option_format, AT(files.batch.run.task.format)},
    {"--clip", 0, "NAME", "a clip to reduce, by its name or number; may be repeated; default: all",
     motion_option_clip, AT(files.clips)},
    {"--json", 0, NULL,
     "print the report as JSON, with all joints; for a batch, its records, one per line", NULL,
     AT(files.json)},
};
static const option bound_table[] = {
    {"--angle", 0, "DEG",
     "the rotation of each joint differs at all times by at most DEG degrees; default 0.5",
     parse_angle, 0},
    {"--distance", 0, "LENGTH",
     "the position of each joint, and three points around it, are at all times within LENGTH of\n"
     "where the source has them, in model space; without --angle the only bound of rotations",
     parse_bound, AT(reduce.distance)},
    {"--at", 0, "LENGTH",
     "how far these points are from the joint, along its axes; default: 10 cm, which are 10\n"
     "units in BVH and 0.1 otherwise",
     parse_bound, AT(reduce.at)},
    {"--position", 0, "LENGTH",
     "positions relative to the parent differ by at most LENGTH, in the file's unit; default 0:\n"
     "keys are dropped only where nothing changes",
     parse_bound, AT(reduce.position)},
    {"--scale-error", 0, "RATIO",
     "scales and morph weights differ by at most this part of themselves; default 0, as for positions",
     parse_bound, AT(reduce.scale_error)},
    {"--curve", 0, "NAME",
     "curve of rotations: slerp, squad, hermite or spline through some of the source's keys, or\n"
     "cubicspline, with tangents that are fitted and about a third of the keys; default: slerp",
     parse_curve, AT(reduce.curve)},
    {"--smooth", 0, NULL, "with cubicspline: the velocity is continuous at keys, for editors", NULL,
     AT(reduce.smooth)},
    {"--common", 0, NULL, "all joints of a clip have keys at the same times", NULL,
     AT(reduce.common)},
};
#undef AT

static const command_help help = {
    .name = "reduce",
    .usage = "IN -o OUT.glb [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR [OPTIONS]",
    .summary = "Drops keys of a motion where its curve is kept within a bound: at every time, not\n"
               "only at keys.",
    .notes =
        "The reference is the curve of the file: slerp between the frames of BVH, NPZ and CSV.\n"
        "Each joint has as few keys as its bound allows. Channels with steps and cubic splines\n"
        "keep their keys. The report states the largest error that was found, and a bound that\n"
        "no time exceeds. Keys are single precision, and the bound is that of their curves.\n"
        "No format names squad, hermite and spline: resample with --method plays them.\n"
        "The output is glTF, or NPZ with one list of times: all its joints have keys at the same\n"
        "times, as by --common. BVH and CSV have a row for each frame, and are refused.\n"
        "With --out-dir a record of each file is kept, with its bounds, as by resample.",
    .example = "posemill reduce walk.bvh -o walk.glb --angle 0.5\n"
               "posemill reduce character.glb -o small.glb --angle 1 --position 0.001\n"
               "posemill reduce takes --out-dir small --distance 0.1 --resume",
    .takes_operands = true,
};

/* ---- report -------------------------------------------------------------------------- */

typedef struct reduced_file {
    const char *in, *out;
    uint64_t bytes_read, bytes_written;
    char left_out[256];
    double begun;
} reduced_file;

static const char *name_of(const pm_motion_content *content,
                           const pm_motion_reduction_numbers *numbers,
                           const pm_motion_error_bound *bound) {
    const pm_motion_reduced_channel *row = &numbers->channels[bound->channel];
    const pm_motion_channel *channel = &content->clips[row->clip].channels[row->channel];
    return channel->node >= 0 ? content->nodes[channel->node].name.text : channel->name.text;
}

static void print_bound(FILE *file, const pm_motion_content *content,
                        const pm_motion_reduction_numbers *numbers, const char *what,
                        const pm_motion_error_bound *bound) {
    if (isnan(bound->key_time) || bound->bound == 0)
        return;
    printable_line(file, "%s: at most %.6g, found %.6g: %.80s at %.6g s", what, bound->bound,
                   bound->found, name_of(content, numbers, bound), bound->key_time);
}

static void print_text(const reduced_file *f, pm_method curve, const pm_motion_content *content,
                       const pm_motion_reduction_numbers *n) {
    FILE *file = strcmp(f->out, "-") == 0 ? stderr : stdout;
    const double moving =
        n->moving_before > 0 ? 100.0 * (double)n->moving_after / (double)n->moving_before : 100.0;
    printable_line(file,
                   "%s -> %s: %llu -> %llu keys (%.1f %% of the rotations that move), "
                   "%llu -> %llu bytes of keys, %llu bytes written, %.3f s%s%s",
                   f->in, f->out, (unsigned long long)n->keys_before,
                   (unsigned long long)n->keys_after, moving, (unsigned long long)n->bytes_before,
                   (unsigned long long)n->bytes_after, (unsigned long long)f->bytes_written,
                   seconds_now() - f->begun, f->left_out[0] ? "; left out: " : "", f->left_out);
    if (curve != PM_METHOD_SLERP && curve != PM_METHOD_CUBICSPLINE)
        printable_line(
            file, "curve: %s through these keys, which the file does not say: resample --method %s",
            pm_method_get_info(curve)->name, pm_method_get_info(curve)->name);
    print_bound(file, content, n, "degrees", &n->angle);
    if (!isnan(n->distance.key_time))
        printable_line(file, "distance: at most %.6g, found %.6g: %.80s at %.6g s",
                       n->distance.bound, n->distance.found,
                       content->nodes[n->distance_node].name.text, n->distance.key_time);
    print_bound(file, content, n, "position", &n->position);
    print_bound(file, content, n, "scale", &n->scale);
}

/* ---- running ------------------------------------------------------------------------- */

static void note_left_out(void *user, const char *what) {
    reduced_file *f = user;
    const size_t used = strlen(f->left_out);
    snprintf(f->left_out + used, sizeof f->left_out - used, "%s%s", used > 0 ? ", " : "", what);
}

static void see_output(void *user, const void *data, size_t size) {
    (void)data;
    ((reduced_file *)user)->bytes_written += size;
}

static pm_motion_format format_of(const resample_options *files) {
    const pm_motion_format named =
        files->out ? pm_motion_find_format(files->out) : (pm_motion_format)PM_MOTION_ANY;
    return named != PM_MOTION_ANY ? named : files->batch.run.task.format;
}

static pm_status write_file(const reduce_options *o, const pm_motion *reduced, size_t clip,
                            reduced_file *f, pm_error *error) {
    const pm_motion_observer observer = {.see = see_output, .user = f};
    const pm_motion_convert_options options = {.format = format_of(&o->files),
                                               .strict = o->files.motion.read.strict,
                                               .left_out = note_left_out,
                                               .left_out_user = f,
                                               .observer = &observer,
                                               .clip = clip};
    return pm_motion_convert(reduced, &options, f->out, error);
}

static pm_status reduce(reduce_options *o, const pm_motion *motion, reduced_file *f,
                        pm_error *error) {
    size_t clips[TASK_CLIPS_MAX], count = 0;
    const clip_names *names = &o->files.clips;
    const pm_motion_batch_task task = {.clips = names->names, .clip_count = names->count};
    pm_motion *reduced = NULL;
    pm_motion_reduction *reduction = NULL;
    pm_status status = task_find_clips(motion, f->in, &task, clips, &count, error);
    if (status != PM_OK)
        return status;
    status = task_reduce(motion, &o->reduce, format_of(&o->files), clips,
                         names->count > 0 ? count : 0, &reduced, &reduction, error);
    if (status == PM_OK)
        status = write_file(o, reduced,
                            count > 0 ? clips[0] : motion_first_clip(pm_motion_get_content(motion)),
                            f, error);
    if (status == PM_OK && o->files.json)
        fputs(pm_motion_reduction_json(reduction), stdout);
    else if (status == PM_OK && !cli_quiet)
        print_text(f, o->reduce.curve, pm_motion_get_content(motion),
                   pm_motion_reduction_get_numbers(reduction));
    pm_motion_reduction_destroy(&reduction);
    pm_motion_destroy(&reduced);
    if (status == PM_OK || status == PM_ERROR_OUTPUT)
        return status;
    return motion_name_failure(status, f->in, error);
}

static cli_exit check_clash(const reduce_options *o, const char *in) {
    const named_file names[] = {{o->files.out, LOCATION_OUTPUT}, {in, LOCATION_INPUT}};
    const named_file *output = NULL, *other = NULL;
    return o->files.batch.run.overwrite || !names_clash(names, 2, &output, &other)
               ? CLI_DONE
               : cli_fail(CLI_CANNOT_WRITE, in,
                          "choose another name for the output, or replace it with --overwrite",
                          "would be overwritten by the result");
}

static cli_exit run(reduce_options *o, const char *in) {
    reduced_file f = {.in = in, .out = o->files.out, .begun = seconds_now()};
    pm_motion *motion = NULL;
    pm_error error = {.status = PM_OK};
    cli_exit code = check_clash(o, in);
    if (code == CLI_DONE)
        code = motion_options_open(&o->files.motion, in, &motion);
    if (code == CLI_DONE) {
        motion_options_warn(&o->files.motion, 1u << pm_motion_get_content(motion)->format);
        code = cli_done(reduce(o, motion, &f, &error), &error);
    }
    pm_motion_destroy(&motion);
    return code;
}

static cli_exit check(const reduce_options *o) {
    const resample_options *files = &o->files;
    const pm_motion_batch_task *task = &files->batch.run.task;
    pm_error error = {.status = PM_OK};
    if (task_check_reduce(format_of(files), o->reduce.curve, &error) != PM_OK)
        return cli_fail_error(files->out ? files->out : "--to", &error);
    if (files->out && task_check_output(task, false, files->out, &error) != PM_OK)
        return cli_done(error.status, &error);
    return batch_options_check(&help, &files->batch, !files->out);
}

int cmd_reduce(int argc, char **argv) {
    reduce_options options;
    cli_exit code = CLI_DONE;
    char *command = page_command_line(argc, argv);
    memset(&options, 0, sizeof options);
    pm_motion_batch_options *run_options = &options.files.batch.run;
    run_options->made_by = command ? command : "posemill reduce";
    const option_group groups[] = {
        {"Files", reduce_table, sizeof reduce_table / sizeof reduce_table[0], &options},
        {"Bounds", bound_table, sizeof bound_table / sizeof bound_table[0], &options},
        motion_options_group(&options.files.motion),
        batch_options_group(&options.files.batch),
        batch_report_options_group(&options.files.batch)};
    if (options_parse(&help, groups, sizeof groups / sizeof groups[0], &argc, argv, &code)) {
        pm_motion_batch_task *task = &run_options->task;
        task->reduce = &options.reduce;
        task->format = task->format != PM_MOTION_ANY ? task->format : PM_MOTION_GLB;
        code = resample_find_output(&help, &options.files, &argc, argv);
        if (code == CLI_DONE)
            code = check(&options);
        if (code == CLI_DONE)
            code = options.files.out ? run(&options, argv[0])
                                     : resample_run(&options.files, argv, (size_t)argc);
    }
    free(command);
    return (int)code;
}
