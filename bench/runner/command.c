/* SPDX-License-Identifier: MIT
 *
 * posemill bench: the options, and the order in which the cases run. The cases are implemented in
 * cases/ and device/start.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands/commands.h"

#include "files/progress.h"
#include "options/device_options.h"
#include "record.h"

#include <stdio.h>
#include <string.h>

/* ---- running ------------------------------------------------------------------- */

typedef struct bench_state {
    const command_options *options;
    bool table; /* whether to print the table */
    bool opencl;
    bench_case cases[BENCH_CASES_MAX];
    size_t case_count;
    bench_result results[BENCH_CASES_MAX]; /* first those of cold, first and warm cases */
    bench_record record;
    progress bar;
} bench_state;

static void show_row(bench_state *state, const bench_result *result) {
    if (state->table) {
        progress_end(&state->bar);
        record_print_row(result);
        state->bar.percent = -1; /* redrawn below the row */
    }
}

/* These cases run before the engine is created, because their processes must not inherit a
 * driver. */
static cli_exit run_starts(bench_state *state) {
    size_t *count = &state->record.count;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < state->case_count && state->opencl && code == CLI_DONE; i++) {
        if (state->cases[i].start != START_NONE) {
            code = start_measure(&state->options->device, &state->cases[i], state->options->quick,
                                 &state->opencl, &state->results[*count]);
            *count += 1;
            progress_advance(&state->bar, 1);
        }
    }
    *count = state->opencl ? *count : 0;
    return code;
}

static cli_exit run_cases(bench_state *state, bench_run *run) {
    size_t *count = &state->record.count;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < *count; i++)
        show_row(state, &state->results[i]);
    for (size_t i = 0; i < state->case_count && code == CLI_DONE; i++) {
        const bench_case *which = &state->cases[i];
        bench_result *result = &state->results[*count];
        if (which->start != START_NONE)
            continue;
        *result = bench_result_of(which->name);
        code = which->run(run, which, result);
        if (code == CLI_DONE) {
            *count += 1;
            progress_advance(&state->bar, 1);
            show_row(state, result);
        }
    }
    progress_end(&state->bar);
    return code;
}

static cli_exit report(const bench_state *state, cli_output **output) {
    if (state->table) {
        record_print_footing(&state->record);
        record_print_summary(stdout, &state->record);
    }
    for (size_t i = 0; i < state->record.count; i++)
        if (bench_is_wrong(&state->results[i]))
            return cli_fail(CLI_DEVICE_FAILED, state->results[i].name, "see: posemill verify",
                            "results differ from the reference path");
    if (!*output)
        return CLI_DONE;
    cli_exit code = record_write(&state->record, *output);
    return code == CLI_DONE ? cli_output_commit(output) : code;
}

/* The reference path uses one thread, so it gets a sixteenth of the work. */
static size_t sample_count(const command_options *options, bool opencl, bool quick) {
    if (options->samples != 0)
        return options->samples;
    size_t samples = opencl ? (size_t)1 << 24 : (size_t)1 << 20;
    return quick ? samples / 8 : samples;
}

/* The number of instances of a crowd is the same in a quick run. */
static bench_limits limits_of(const command_options *options, bool opencl,
                              const pm_device_info *info) {
    const size_t crowd_samples = sample_count(options, opencl, false);
    return (bench_limits){.quick = options->quick,
                          .crowd_bytes = 16 * samples_largest(crowd_samples, info)};
}

static cli_exit no_case(const command_options *options) {
    const char *glob = options->cases;
    return options_usage(options, "--case", "no case of this device matches '%s'", glob);
}

static cli_exit run_on(bench_state *state, pm_engine *engine, cli_output **output) {
    bench_run run;
    const command_options *options = state->options;
    pm_engine_get_info(engine, &state->record.device);
    state->opencl = state->record.device.type != PM_DEVICE_REFERENCE;
    const size_t samples = sample_count(options, state->opencl, options->quick);
    const bench_limits limits = limits_of(options, state->opencl, &state->record.device);
    state->case_count = bench_cases(options->cases, state->opencl, &limits, state->cases);
    if (state->case_count == 0)
        return no_case(options);
    cli_exit code = bench_run_open(&run, &options->device, engine, samples, &limits);
    if (code != CLI_DONE)
        return code;
    state->record.quick = options->quick;
    state->record.glob = options->cases;
    state->record.segments = run.scenes.segments;
    state->record.samples = run.samples;
    state->record.event_times = run.device.event_times;
    state->record.threads = parallel_threads();
    state->record.results = state->results;
    if (state->table) {
        progress_end(&state->bar);
        record_print_heading(&state->record);
    }
    code = run_cases(state, &run);
    bench_run_close(&run);
    record_end(&state->record);
    return code == CLI_DONE ? report(state, output) : code;
}

static cli_exit run_all(bench_state *state) {
    const command_options *options = state->options;
    pm_engine *engine = NULL;
    cli_output *output = NULL;
    cli_exit code = CLI_DONE;
    if (options->to_json)
        code = cli_output_open(options->to_json, &output);
    progress_begin(&state->bar, "bench", state->case_count);
    if (code == CLI_DONE)
        code = run_starts(state);
    progress_end(&state->bar);
    if (code == CLI_DONE)
        code = device_options_engine(&options->device, &engine);
    if (code == CLI_DONE)
        code = run_on(state, engine, &output);
    pm_engine_destroy(&engine);
    cli_output_abandon(&output);
    return code;
}

static cli_exit run(command_options *options, int count, char **operands) {
    static bench_state state;
    (void)count, (void)operands;
    memset(&state, 0, sizeof state);
    state.options = options;
    const cli_exit code = device_options_one(&options->device);
    if (code != CLI_DONE)
        return code;
    state.opencl = POSEMILL_OPENCL && strcmp(device_options_choice(&options->device), "none") != 0;
    /* Checked before a device is opened: its memory can reduce the number of crowds. */
    const pm_device_info any = {.type = PM_DEVICE_REFERENCE};
    const bench_limits limits = limits_of(options, state.opencl, &any);
    state.case_count = bench_cases(options->cases, state.opencl, &limits, state.cases);
    if (state.case_count == 0)
        return no_case(options);
    record_begin(&state.record);
    state.table = !cli_quiet && (options->to_json == NULL || strcmp(options->to_json, "-") != 0);
    return run_all(&state);
}

const command command_bench = {
    .verb = VERB_BENCH,
    .brief = "measure the throughput of a device and its write ceiling",
    .usage = "[--case GLOB,...] [--json FILE] [OPTIONS]",
    .summary =
        "Measures a device, its write ceiling and plain C on all cores in the same run, and\n"
        "checks the results of every case against the CPU reference path.",
    .notes =
        "Cases are group/what:\n"
        "  ceiling       write-only fill, and copy, of the same size; arithmetic: chains of fused\n"
        "                multiply-adds, whose samples are operations, two for each; palette-fill:\n"
        "                a fill of the size of the palettes of crowd\n"
        "  baseline      C for one purpose on all cores: upsampling by 4, and crowd\n"
        "  obvious       one work-item per sample, built-in acos and sin\n"
        "  upsample-4, upsample-2, downsample-4\n"
        "                uniform keys to uniform samples, left in device memory\n"
        "  nonuniform    upsampling by 4 of random key times\n"
        "  loop          upsampling by 4 of a closed clip, half of it in the second period\n"
        "  times         every sample of all tracks at a random time\n"
        "  samples       random (track, time) pairs\n"
        "  crowd         10000 instances of 64 joints at random times in 8 clips, posed in\n"
        "                device memory: model, palette, crossfade of two clips; a sample is a joint.\n"
        "                Palettes after more, without a baseline and bound, in a quick run only if\n"
        "                --case selects them: chains (four limbs and a gaze), ground (two arms and a\n"
        "                gaze, legs that stand on a height field), transitions (of all instances)\n"
        "  crowds, layers, subset, bounds, list, poses, state\n"
        "                variants of crowd. In a quick run only if --case selects them\n"
        "  clip          keys in host memory to a clip on the device; a sample is a segment\n"
        "  oneshot-4, -2, -down-4\n"
        "                from keys in host memory to samples in host memory, upsampled by 4 and\n"
        "                by 2 and downsampled by 4, by pm_resample\n"
        "  end-to-end    upsampling by 4 into host memory\n"
        "  layout        likewise, at other addresses and of fewer tracks\n"
        "  points        points that a trajectory moves, each at its own time; their baseline\n"
        "                is simple, a loop in C for sorted ones\n"
        "  cold          the first result of a process with no cache: engine, clip and a job\n"
        "                of 30720 samples\n"
        "  first         as cold, with programs built in the background\n"
        "  warm          as cold, with filled caches\n\n"
        "Kernel time, by the events of the device, is measured for ceiling, obvious, upsample,\n"
        "downsample, loop, crowds and state; wall-clock time for others, and for all if the\n"
        "event times are implausible, as the heading says.\n"
        "After warming up, a case runs at least 30 times on a GPU and 10 on a CPU (10 and 3\n"
        "with --quick; cold and first once). A repetition measures the case, its ceilings and its\n"
        "baseline in random order. Rates are those of the median; shares and ratios are medians\n"
        "of those of the repetitions. The record has more: docs/performance.md.\n\n"
        "MB/s      bytes of results per second; of points, bytes read and written\n"
        "ceiling   samples/s divided by those of a write-only fill of the same size\n"
        "baseline  samples/s divided by those of the baseline of the same method or crowd\n"
        "bound     the work that takes longest at the rates of the device: writing the results\n"
        "          (fill), reading keys and writing results (copy), or the operations as\n"
        "          multiply-adds (arithmetic). It is followed by its part of the time of the\n"
        "          case; bench/compare prints the 95 % interval\n"
        "max, bits largest angle to the reference path (crowds: largest difference of a\n"
        "          number), and whether the bits match it, at 64 positions of the results,\n"
        "          which were poisoned before",
    .example = "posemill bench --quick\n"
               "posemill bench --case 'upsample-4/*' --json upsample.json",
    .run = run,
};
