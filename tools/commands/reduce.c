/* SPDX-License-Identifier: MIT
 *
 * posemill reduce: fewest keys under a bound that holds.
 */
#include "commands.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/model/names.h"
#include "motion/steps/steps.h"
#include "motion/task/task_files.h"
#include "resample_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_bound(FILE *file, const pm_motion_content *content,
                        const pm_motion_reduction_numbers *numbers, const char *what,
                        const pm_motion_error_bound *bound) {
    if (isnan(bound->key_time) || bound->bound == 0)
        return;
    const pm_motion_reduced_channel *row = &numbers->channels[bound->channel];
    const pm_motion_channel *channel = &content->clips[row->clip].channels[row->channel];
    const pm_motion_name name =
        channel->node >= 0 ? content->nodes[channel->node].name : channel->name;
    printable_line(file, "%s: at most %.6g, found %.6g: %.80s at %.6g s", what, bound->bound,
                   bound->found, MOTION_SHOWN_JOINT(name, channel->node), bound->key_time);
}

static void print_distance(FILE *file, const pm_motion_content *content,
                           const pm_motion_reduction_numbers *n) {
    char place[32] = "mesh";
    if (n->at != PM_MOTION_AT_MESH)
        snprintf(place, sizeof place, n->at < 0 ? "joints" : "%.6g", n->at);
    if (n->unread_mesh)
        printable_line(file, "the mesh cannot be read: %s", n->unread_mesh);
    printable_line(
        file, "distance: at most %.6g, found %.6g: %.80s at %.6g s; --at %s", n->distance.bound,
        n->distance.found,
        MOTION_SHOWN_JOINT(content->nodes[n->distance_node].name, (int64_t)n->distance_node),
        n->distance.key_time, place);
}

static void print_text(const task_work *w, pm_method curve, const pm_motion_reduction_numbers *n) {
    FILE *file = strcmp(w->out->path, "-") == 0 ? stderr : stdout;
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    const task_report *report = w->report;
    const double moving =
        n->moving_before > 0 ? 100.0 * (double)n->moving_after / (double)n->moving_before : 100.0;
    printable_line(file,
                   "%s -> %s: %llu -> %llu keys (%.1f %% of the rotations that move), "
                   "%llu -> %llu bytes of keys, %llu bytes written, %.3f s%s%s%s%s",
                   w->in->path, w->out->path, (unsigned long long)n->keys_before,
                   (unsigned long long)n->keys_after, moving, (unsigned long long)n->bytes_before,
                   (unsigned long long)n->bytes_after, (unsigned long long)report->bytes_written,
                   os_seconds() - w->begun, report->converted[0] ? "; " : "", report->converted,
                   report->left_out[0] ? "; left out: " : "", report->left_out);
    if (curve != PM_METHOD_SLERP && curve != PM_METHOD_CUBICSPLINE)
        printable_line(
            file, "curve: %s through these keys, which the file does not say: resample --method %s",
            pm_method_get_info(curve)->name, pm_method_get_info(curve)->name);
    if (n->loops_closed + n->loops_extended + n->loops_not > 0)
        printable_line(file,
                       "loops: %zu with equal ends, %zu with a key that closes them, %zu are none",
                       n->loops_closed, n->loops_extended, n->loops_not);
    print_bound(file, content, n, "degrees", &n->angle);
    if (!isnan(n->distance.key_time))
        print_distance(file, content, n);
    print_bound(file, content, n, "position", &n->position);
    print_bound(file, content, n, "scale", &n->scale);
}

void reduce_print(const command_options *o, const task_work *w) {
    if (o->json)
        fputs(pm_motion_reduction_json(w->reduction), stdout);
    else if (!cli_quiet)
        print_text(w, o->set->reduce.curve, pm_motion_reduction_get_numbers(w->reduction));
}

static pm_motion_format format_of(const command_options *o) {
    const pm_motion_format named =
        o->out ? pm_motion_find_format(o->out) : (pm_motion_format)PM_MOTION_ANY;
    return named != PM_MOTION_ANY ? named : o->set->batch.task.format;
}

static cli_exit check(const command_options *o) {
    pm_error error = {.status = PM_OK};
    if (task_check_reduce(format_of(o), &o->set->reduce, &error) != PM_OK)
        return cli_fail_error(o->out ? o->out : "--to", &error);
    return o->out ? cli_done(task_check_output(&o->set->batch.task, false, o->out, &error), &error)
                  : CLI_DONE;
}

static cli_exit run(command_options *o, int count, char **operands) {
    CLI_TRY(resample_find_output(o, &count, operands));
    CLI_TRY(check(o));
    return resample_run(o, operands, (size_t)count);
}

const command command_reduce = {
    .verb = VERB_REDUCE,
    .brief = "drop keys where the curve stays within a bound",
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
        "times, as by --common. So is a trajectory, whose rows keep their text. BVH and CSV of\n"
        "robots have a row for each frame, and are refused.\n"
        "With --out-dir a record of each file is kept, with its bounds, as by resample.",
    .example = "posemill reduce walk.bvh -o walk.glb --angle 0.5\n"
               "posemill reduce character.glb -o small.glb --angle 1 --position 0.001\n"
               "posemill reduce takes --out-dir small --distance 0.1 --resume",
    .takes_operands = true,
    .run = run,
};
