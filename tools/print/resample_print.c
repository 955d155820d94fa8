/* SPDX-License-Identifier: MIT
 *
 * Prints the report of a resampled file: one line, or one JSON object.
 */
#include "print.h"

#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "motion/time/rate.h"

#include <stdio.h>
#include <string.h>

enum { LOWPASS_TEXT = MOTION_PRINTABLE + 96 };

static double throughput(const task_report *report) {
    double bytes = (double)report->bytes_read + (double)report->bytes_written;
    return report->seconds > 0 ? bytes / report->seconds * 1e-6 : 0;
}

static const char *snap_text(const command_options *options, const task_report *report) {
    return options->set->batch.task.read.source_rate.den != 0 ? "as given"
           : !report->rate_is_snapped                         ? "as written"
                                                              : "snapped";
}

/* "30 Hz (frame time 0.0333333, snapped)", or that there is no rate. */
static void describe_source(const command_options *options, const task_report *report,
                            char text[192]) {
    char source[RATE_TEXT];
    if (report->source_rate.den == 0) {
        snprintf(text, 192, "%s with listed key times", report->format);
        return;
    }
    rate_describe(report->source_rate, source);
    if (!report->is_frame_time && report->frame_time[0] == '\0') {
        snprintf(text, 192, "%s", source);
        return;
    }
    snprintf(text, 192, "%s (%s %s, %s)", source, report->is_frame_time ? "frame time" : "rate",
             report->frame_time[0] != '\0' ? report->frame_time : "missing",
             snap_text(options, report));
}

/* "; root moves with 'Hips': 118.7 units, 90 degrees", or nothing. */
static void describe_root(const command_options *options, const task_report *report,
                          char text[256]) {
    text[0] = '\0';
    if (options->set->batch.task.extracts_root)
        snprintf(text, 256, "; root moves with '%s': %.4g units, %.4g degrees", report->root_joint,
                 report->root.distance, report->root.degrees);
}

/* ", low-pass at 27 Hz", or what a lower rate aliases; nothing below a hundredth of a degree. */
static void describe_lowpass(const task_report *report, char text[LOWPASS_TEXT]) {
    text[0] = '\0';
    if (report->cutoff > 0)
        snprintf(text, LOWPASS_TEXT, ", low-pass at %.6g Hz", report->cutoff);
    else if (report->aliasing >= 0.01)
        snprintf(text, LOWPASS_TEXT,
                 "; aliases %.2g degrees rms at '%s', which --lowpass auto removes",
                 report->aliasing, report->aliasing_joint);
}

static void json_lowpass(json_writer *json, const task_report *report) {
    if (report->cutoff > 0)
        json_write_number(json, "lowpass", report->cutoff);
    if (report->aliasing > 0) {
        json_write_number(json, "aliasing_degrees", report->aliasing);
        json_write_string(json, "aliasing_joint", report->aliasing_joint);
    }
}

static void json_root(const command_options *options, json_writer *json,
                      const task_report *report) {
    if (!options->set->batch.task.extracts_root)
        return;
    json_begin_object(json, "root");
    json_write_string(json, "joint", report->root_joint);
    json_write_bool(json, "is_added", report->root.is_added);
    json_write_string(json, "up", report->root.up == PM_MOTION_UP_Z ? "z" : "y");
    json_write_number(json, "distance", report->root.distance);
    json_write_number(json, "degrees", report->root.degrees);
    json_end_object(json);
}

/* What became of joints and gaps, of runs that edit. */
static void json_edited(json_writer *json, const task_report *report) {
    if (report->edited[0] != '\0')
        json_write_string(json, "edited", report->edited);
    if (report->jump_count > 0)
        jumps_write(json, "jumps", report->jumps, report->jump_count);
}

static void report_text(const command_options *options, const char *in, const char *out,
                        const task_report *report) {
    FILE *file = strcmp(out, "-") == 0 ? stderr : stdout;
    char source[192], target[RATE_TEXT], check[96] = "", root[256], lowpass[LOWPASS_TEXT];
    describe_lowpass(report, lowpass);
    describe_root(options, report, root);
    describe_source(options, report, source);
    rate_describe(report->rate, target);
    if (report->checked)
        snprintf(check, sizeof check, ", reference: %s, max difference %.3g rad",
                 report->identical ? "bit-identical" : "differs", report->max_error);
    printable_line(file,
                   "%s -> %s: %s -> %s, %llu -> %llu frames, %llu of them copied from the source, "
                   "%zu joints, %s%s, on %s, %.3f s, %.1f MB/s%s%s%s%s%s%s%s%s%s%s%s%s",
                   in, out, source, target, (unsigned long long)report->source_frames,
                   (unsigned long long)report->frames, (unsigned long long)report->kept_frames,
                   report->joint_count, report->method, report->cutoff > 0 ? lowpass : "",
                   report->device.name, report->seconds, throughput(report),
                   report->is_frame_time ? " of text" : "", check,
                   report->cutoff > 0 ? "" : lowpass,
                   report->other_arrays[0] != '\0' ? "; no layout names: " : "",
                   report->other_arrays, report->converted[0] != '\0' ? "; " : "",
                   report->converted, report->edited[0] != '\0' ? "; " : "", report->edited, root,
                   report->left_out[0] != '\0' ? "; left out: " : "", report->left_out);
}

static void report_json(const command_options *options, const char *in, const char *out,
                        const task_report *report) {
    json_writer json = {stdout, 0, false};
    json_begin_object(&json, NULL);
    json_write_string(&json, "in", in);
    json_write_string(&json, "out", out);
    json_write_string(&json, "format", report->format);
    json_write_rate(&json, "source_rate", report->source_rate);
    json_write_string(&json, "frame_time", report->frame_time);
    json_write_string(&json, "source_rate_is", snap_text(options, report));
    json_write_rate(&json, "rate", report->rate);
    json_write_integer(&json, "source_frames", report->source_frames);
    json_write_integer(&json, "frames", report->frames);
    json_write_integer(&json, "kept_frames", report->kept_frames);
    json_write_integer(&json, "joints", report->joint_count);
    json_write_string(&json, "method", report->method);
    json_write_string(&json, "device", report->device.name);
    json_write_string(&json, "left_out", report->left_out);
    json_write_string(&json, "converted", report->converted);
    json_write_string(&json, "other_arrays", report->other_arrays);
    json_edited(&json, report);
    json_lowpass(&json, report);
    json_root(options, &json, report);
    json_write_number(&json, "seconds", report->seconds);
    json_write_integer(&json, "bytes_read", report->bytes_read);
    json_write_integer(&json, "bytes_written", report->bytes_written);
    json_write_number(&json, "megabytes_per_second", throughput(report));
    if (report->checked) {
        json_write_bool(&json, "identical", report->identical);
        json_write_number(&json, "max_error", report->max_error);
    }
    json_end_object(&json);
}

static void report_conversion(const command_options *options, const char *in, const char *out,
                              const task_report *report) {
    if (options->json) {
        json_writer json = {stdout, 0, false};
        json_begin_object(&json, NULL);
        json_write_string(&json, "in", in);
        json_write_string(&json, "out", out);
        json_write_integer(&json, "nodes", report->node_count);
        json_write_integer(&json, "clips", report->clip_count);
        json_write_string(&json, "left_out", report->left_out);
        json_write_string(&json, "converted", report->converted);
        json_edited(&json, report);
        json_root(options, &json, report);
        json_end_object(&json);
    } else if (!cli_quiet) {
        char root[256];
        describe_root(options, report, root);
        printable_line(strcmp(out, "-") == 0 ? stderr : stdout,
                       "%s -> %s: %zu nodes, %zu clip%s%s%s%s%s%s%s%s", in, out, report->node_count,
                       report->clip_count, report->clip_count == 1 ? "" : "s",
                       report->converted[0] != '\0' ? "; " : "", report->converted,
                       report->edited[0] != '\0' ? "; " : "", report->edited, root,
                       report->left_out[0] != '\0' ? "; left out: " : "", report->left_out);
    }
}

void resample_print(const command_options *options, const char *in, const char *out,
                    const task_report *report) {
    if (options->set->batch.task.converts)
        report_conversion(options, in, out, report);
    else if (options->json)
        report_json(options, in, out, report);
    else if (!cli_quiet)
        report_text(options, in, out, report);
}
