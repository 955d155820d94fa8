/* SPDX-License-Identifier: MIT
 *
 * Prints the report of a resampled file: one line, or one JSON object.
 */
#include "formats/json.h"
#include "motion/base/printable.h"
#include "resample.h"

#include <stdio.h>
#include <string.h>

static double throughput(const resample_report *report) {
    double bytes = (double)report->bytes_read + (double)report->bytes_written;
    return report->seconds > 0 ? bytes / report->seconds * 1e-6 : 0;
}

static const char *snap_text(const resample_options *options, const resample_report *report) {
    return options->read.source_rate.den != 0 ? "as given"
           : !report->rate_is_snapped         ? "as written"
                                              : "snapped";
}

static void report_text(const resample_options *options, const char *in, const char *out,
                        const resample_report *report, const char *device) {
    FILE *file = strcmp(out, "-") == 0 ? stderr : stdout;
    char source[RATE_TEXT], target[RATE_TEXT], check[96] = "";

    rate_describe(report->source_rate, source);
    rate_describe(report->rate, target);
    if (report->checked) {
        snprintf(check, sizeof check, ", reference: %s, max difference %.3g rad",
                 report->identical ? "bit-identical" : "differs", report->max_error);
    }
    printable_line(file,
                   "%s -> %s: %s (frame time %s, %s) -> %s, %llu -> %llu frames, %llu of them "
                   "copied from the source, %zu joints, %s, on %s, %.3f s, %.1f MB/s of text%s",
                   in, out, source, report->frame_time[0] != '\0' ? report->frame_time : "missing",
                   snap_text(options, report), target, (unsigned long long)report->source_frames,
                   (unsigned long long)report->frames, (unsigned long long)report->kept_frames,
                   report->joint_count, pm_method_describe(options->curve.method)->name, device,
                   report->seconds, throughput(report), check);
}

static void report_json(const resample_options *options, const char *in, const char *out,
                        const resample_report *report, const char *device) {
    json_writer json = {stdout, 0, false};
    char source[RATE_TEXT], target[RATE_TEXT];

    snprintf(source, sizeof source, "%lld/%lld", (long long)report->source_rate.num,
             (long long)report->source_rate.den);
    snprintf(target, sizeof target, "%lld/%lld", (long long)report->rate.num,
             (long long)report->rate.den);
    json_begin_object(&json, NULL);
    json_string(&json, "in", in);
    json_string(&json, "out", out);
    json_string(&json, "source_rate", source);
    json_string(&json, "frame_time", report->frame_time);
    json_string(&json, "source_rate_is", snap_text(options, report));
    json_string(&json, "rate", target);
    json_integer(&json, "source_frames", report->source_frames);
    json_integer(&json, "frames", report->frames);
    json_integer(&json, "kept_frames", report->kept_frames);
    json_integer(&json, "joints", report->joint_count);
    json_string(&json, "method", pm_method_describe(options->curve.method)->name);
    json_string(&json, "device", device);
    json_number(&json, "seconds", report->seconds);
    json_integer(&json, "bytes_read", report->bytes_read);
    json_integer(&json, "bytes_written", report->bytes_written);
    json_number(&json, "megabytes_per_second", throughput(report));
    if (report->checked) {
        json_bool(&json, "identical", report->identical);
        json_number(&json, "max_error", report->max_error);
    }
    json_end_object(&json);
}

void resample_report_print(const resample_options *options, const char *in, const char *out,
                           const resample_report *report, const char *device) {
    if (options->json) {
        report_json(options, in, out, report, device);
    } else if (!cli_quiet) {
        report_text(options, in, out, report, device);
    }
}
