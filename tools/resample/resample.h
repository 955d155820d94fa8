/* SPDX-License-Identifier: MIT
 *
 * Resampling one motion file: text in, clips, samples, text out. The command around it,
 * with batches and the report, is cmd_resample.c.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_H
#define POSEMILL_TOOLS_RESAMPLE_H

#include "formats/bvh.h"
#include "options/curve_options.h"
#include "options/device_options.h"
#include "resample_grid.h"

typedef struct resample_options {
    const char *out, *out_dir;
    const char *format; /* NULL: by the extension */
    const char *rate;   /* as given: it may be relative to the source's */
    pm_rational start, end;
    resample_end_rule end_rule;
    size_t trim_start;
    uint64_t max_frames; /* a result of more is refused; below 2^63 */
    bool check;          /* evaluate on the reference too and compare */
    /* --bvh-position add: positions are offsets from OFFSET instead of replacing it. That
     * shifts all of a joint's keys and samples alike and commutes with every vector method,
     * so that from BVH to BVH both schools give the same numbers. */
    bool position_add;
    size_t decimals;
    bool json;
    bvh_options bvh;
    curve_options curve;
    device_options device;
} resample_options;

typedef struct resample_report {
    pm_rational source_rate, rate;
    rate_snap rate_how;
    char frame_time[40]; /* as written in the source */
    size_t joint_count, track_count;
    uint64_t source_frames, frames;
    uint64_t kept_frames; /* frames of the source, written as they were */
    uint64_t bytes_read, bytes_written;
    double seconds;
    bool checked, identical; /* --check: bit for bit */
    double max_error;        /* radians between device and reference */
} resample_report;

/* Reads `in`, writes `out`; "-" is standard input or output. On failure prints and returns
 * the code, and leaves no output behind. The folder of --out-dir is made when there is something
 * to write. */
cli_exit resample_file(resample_options *options, pm_engine *engine, const char *in,
                       const char *out, resample_report *report);

/* Prints the report as was asked for; of an output on standard output, to stderr. */
void resample_report_print(const resample_options *options, const char *in, const char *out,
                           const resample_report *report, const char *device);

#endif
