/* SPDX-License-Identifier: MIT
 *
 * Resamples or converts one motion file. commands/resample.c and commands/convert.c are the
 * commands.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_H
#define POSEMILL_TOOLS_RESAMPLE_H

#include "commands/cli.h"
#include "motion/files/observer.h"
#include "motion/time/rate.h"
#include "options/conversion_options.h"
#include "options/curve_options.h"
#include "options/device_options.h"
#include "options/motion_options.h"
#include <posemill/posemill_motion.h>

typedef struct resample_options {
    const char *out, *out_dir;
    pm_motion_format to; /* of outputs without an extension. 0: the format of the input */
    clip_names clips;
    const char *rate; /* as given; may be relative to the source rate. NULL: converts the keys */
    bool converts;    /* the verb is convert: numbers of the source are rewritten on demand */
    pm_rational start, end;
    pm_motion_end_rule end_rule;
    bool end_rule_given;
    size_t trim_start;
    bool keep_time;      /* a cut does not begin at 0 */
    uint64_t max_frames; /* maximum number of frames of a result; below 2^63 */
    bool check;          /* also evaluate on the reference path and compare */
    bool json;
    bool is_batch; /* no progress of each file */
    conversion_options conversion;
    motion_options motion;
    curve_options curve;
    device_options device;
} resample_options;

typedef struct resample_report {
    pm_rational source_rate, rate;
    bool rate_is_snapped;
    char frame_time[40]; /* as written in the source: BVH's frame time, else a rate */
    bool is_frame_time;
    size_t joint_count, track_count, node_count, clip_count;
    uint64_t source_frames, frames;
    uint64_t kept_frames;        /* source frames written unchanged */
    const char *format, *method; /* of the input; as in reports */
    char left_out[256];          /* what the format of the output cannot hold */
    char other_arrays[256];      /* resampled though no layout names them */
    uint64_t bytes_read, bytes_written;
    double seconds;
    double end_cut;          /* seconds that are left out at the end, unasked */
    bool checked, identical; /* of --check: whether all bits match */
    double max_error;        /* of --check: radians between device and reference */
} resample_report;

typedef struct resample_input {
    const char *path; /* "-" is standard input; of a member of an archive its name */
    char *data;       /* malloc'ed bytes of such a member, which are taken; else NULL */
    size_t size;
    pm_rational source_rate;         /* instead of that of the options, unless 0/0 */
    const char *layout;              /* likewise, unless NULL */
    const motion_observer *observer; /* sees the bytes; may be NULL */
    /* Called once the file is open, before memory is taken for the output, whose frames are `ratio`
     * times those of the file. NULL: not called */
    void (*opened)(void *user, double ratio);
    void *opened_user;
} resample_input;

typedef struct resample_output {
    const char *path; /* "-" is standard output */
    bool must_be_new; /* a file that exists is refused */
    const motion_observer *observer;
} resample_output;

/* Reads a motion and writes it resampled, or converted. `engine` may be NULL without a rate. On
 * failure prints, returns the code, and leaves no output
 * behind. The folder of --out-dir is created before the first output is opened. Thread-safe for
 * options of each thread's own. */
cli_exit resample_file(resample_options *options, pm_engine *engine, const resample_input *in,
                       const resample_output *out, resample_report *report);

/* Prints the report in the requested form. With the output on standard output the text report goes
 * to stderr. */
void resample_report_print(const resample_options *options, const char *in, const char *out,
                           const resample_report *report, const char *device);

#endif
