/* SPDX-License-Identifier: MIT
 *
 * Operands of resample and convert, and the run of one file; batch_run.c runs many.
 */
#include "resample_run.h"

#include "files/progress.h"
#include "motion/base/os.h"
#include "motion/files/output_names.h"
#include "motion/steps/steps.h"
#include "motion/task/task_files.h"
#include "print/print.h"

#include <stdlib.h>
#include <string.h>

/* A second operand is an output, unless it looks like a second input of a batch. */
static cli_exit take_operand(command_options *options, int *argc, char **argv) {
    const pm_motion_batch_options *run = &options->set->batch;
    os_info info;
    if (*argc != 2)
        return options_usage(options, "-o", "missing; expected -o OUT or --out-dir DIR");
    if (strcmp(argv[1], "-") != 0 && os_look(argv[1], &info) && !run->task.converts &&
        !run->overwrite)
        return options_usage(options, "-o",
                             "missing, and '%s' exists; expected -o OUT or --out-dir DIR", argv[1]);
    options->out = argv[1];
    *argc = 1;
    return CLI_DONE;
}

cli_exit resample_find_output(command_options *options, int *argc, char **argv) {
    const pm_motion_batch_options *run = &options->set->batch;
    pm_error error;
    if (*argc == 0 && !options->set->sources.files_from)
        return options_usage(options, "input", "missing; expected a motion file");
    if (!options->out && !run->out_dir)
        CLI_TRY(take_operand(options, argc, argv));
    if (options->out && *argc > 1)
        return options_usage(options, "-o", "accepts one input, found %d; use --out-dir", *argc);
    if (options->json && options->out && strcmp(options->out, "-") == 0)
        return options_usage(options, "--json",
                             "cannot be combined with an output on standard output");
    return run->out_dir && run->task.format != PM_MOTION_ANY
               ? cli_done(task_check_format(&run->task, run->task.format, &error), &error)
               : CLI_DONE;
}

/* A result may replace its source only where that is asked for, and never a file that an option names. */
static cli_exit check_clash(const command_options *options, const char *in) {
    const pm_motion_options *set = options->set;
    const named_file *output = NULL, *other = NULL;
    for (size_t i = 0; i <= option_row_count; i++) {
        const bool is_source = i == option_row_count;
        const char *read = !is_source             ? options_input(options->set, i)
                           : set->batch.overwrite ? NULL
                                                  : in;
        const named_file names[] = {{options->out, LOCATION_OUTPUT},
                                    {read ? read : "", LOCATION_INPUT}};
        if (read && names_clash(names, 2, &output, &other))
            return cli_fail(
                CLI_CANNOT_WRITE, read,
                is_source ? "choose another name for the output, or replace it with --overwrite"
                          : "choose another name for the output",
                "would be overwritten by the result");
    }
    return CLI_DONE;
}

/* Once the format of the input is known. */
static void warn_of_options(const command_options *options, pm_motion_format found) {
    const pm_motion_batch_task *task = &options->set->batch.task;
    const pm_motion_format named = pm_motion_find_format(options->out);
    const device_options *device = &options->device;
    motion_options_warn(options, 1u << found);
    if (options_is_given(options->set, "to") && named != PM_MOTION_ANY && task->format != named)
        cli_warn("--to", "has no effect; the name of the output says %s",
                 pm_motion_format_name(named));
    if (!task_computes(task) && (device->device || device->reference))
        cli_warn(device->device ? "--device" : "--reference", "has no effect without --rate");
}

static bool reduces(const command_options *options) {
    return options->set->verbs == OF(REDUCE);
}

typedef struct shown_progress {
    const char *what;
    progress bar;
    bool is_shown;
} shown_progress;

static void show(void *user, uint64_t done, uint64_t total) {
    shown_progress *shown = user;
    if (!shown->is_shown) {
        progress_begin(&shown->bar, shown->what, total);
        shown->is_shown = true;
    }
    progress_advance(&shown->bar, done - shown->bar.done);
}

static pm_status work_on(const command_options *options, task_engines *engines, const char *in,
                         task_report *report, pm_error *error) {
    shown_progress shown = {.what = reduces(options) ? "reduce" : "resample"};
    SCOPED(task_curve_release) task_curve curve = {.is_warned = false};
    const task_how how = {.task = &options->set->batch.task,
                          .curve = &curve,
                          .engines = engines,
                          .finds_aliasing = options->json || !cli_quiet,
                          .log = cli_log,
                          .progress = show,
                          .progress_user = &shown};
    const task_input input = {.path = in};
    const task_output output = {.path = options->out};
    SCOPED(task_close) task_work work;
    pm_status status = task_open(&work, &how, &input, &output, report, error);
    if (status == PM_OK) {
        warn_of_options(options, pm_motion_get_content(work.motion)->format);
        status = task_write(&work, error);
    }
    if (status == PM_OK && reduces(options))
        reduce_print(options, &work);
    if (status == PM_OK && report->end_cut > 0) {
        pm_error warning;
        task_describe_end(report->rate, report->end_cut, &warning);
        motion_tell(&(motion_warnings){.log = cli_log, .name = work.path}, PM_LOG_WARNING,
                    &warning);
    }
    if (shown.is_shown)
        progress_end(&shown.bar);
    return status;
}

static cli_exit write_one(const command_options *options, pm_engine *engine, const char *in) {
    const pm_engine_desc automatic = device_options_desc(&options->device);
    task_engines engines;
    task_report report = {.jumps = NULL};
    pm_error error = {.status = PM_OK};
    task_engines_begin(&engines, engine, &automatic);
    const cli_exit code = cli_done(work_on(options, &engines, in, &report, &error), &error);
    if (code == CLI_DONE && !reduces(options))
        resample_print(options, in, options->out, &report);
    task_engines_end(&engines);
    free(report.jumps);
    return code;
}

static cli_exit run_one(const command_options *options, const char *in) {
    const pm_motion_batch_task *task = &options->set->batch.task;
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    pm_error error = {.status = PM_OK};
    CLI_TRY(cli_done(task_check_input(task, in, &error), &error));
    CLI_TRY(cli_done(task_check_output(task, false, options->out, &error), &error));
    CLI_TRY(check_clash(options, in));
    if (task_computes(task) && !device_options_automatic(&options->device))
        CLI_TRY(device_options_engine(&options->device, &engine));
    return write_one(options, engine, in);
}

cli_exit resample_run(command_options *options, char **inputs, size_t count) {
    if (options->out)
        return run_one(options, inputs[0]);
#if POSEMILL_BATCH
    return batch_resample(options, inputs, count);
#else
    (void)count;
    return cli_no_batches();
#endif
}
