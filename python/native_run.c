/* SPDX-License-Identifier: MIT
 *
 * Takes a motion of the Python package through steps, in memory or into a file, as `posemill run` does.
 */
#include "native.h"

#include "motion/base/fault.h"
#include "motion/model/made.h"
#include "motion/task/task.h"
#include "motion/task/task_files.h"

#include <stdlib.h>
#include <string.h>

/* What a run consists of, but for the motion. */
typedef struct run {
    pm_motion_batch_task task;
    task_curve curve;
    task_engines engines;
    task_how how;
    task_input in;
    task_output out;
    task_report report;
    task_work work;
} run;

static void begin(run *r, const native_chain *chain, const pm_motion_batch_task *writing) {
    static const pm_engine_desc automatic = {.device = "auto"};
    *r = (run){.in.path = chain->name};
    if (writing)
        r->task = *writing;
    r->task.steps = chain->steps;
    r->task.step_count = chain->step_count;
    task_engines_begin(&r->engines, chain->engine, &automatic);
    r->engines.plain = chain->plain;
    r->engines.open = chain->open;
    r->how = (task_how){.task = &r->task,
                        .curve = &r->curve,
                        .engines = &r->engines,
                        .log = chain->log,
                        .log_user = chain->log_user,
                        .cancel = chain->cancel};
}

static void start(run *r, const native_chain *chain) {
    task_begin(&r->work, &r->how, &r->in, &r->out, &r->report);
    motion_retain(chain->motion);
    r->work.motion = (pm_motion *)(uintptr_t)chain->motion;
}

static void tell(const run *r, const pm_error *remark) {
    r->how.log(r->how.log_user, PM_LOG_WARNING, remark);
}

/* Says what was filled; each jump by its name. */
static void tell_filled(const run *r) {
    static const char *const words[2] = {"jump repaired", "jump stays"};
    const pm_motion_fill_report *filled = &r->report.filled;
    char text[256];
    pm_error remark;
    task_describe_gaps(filled, filled->frozen_gaps > 0, text, sizeof text);
    motion_describe(&remark, (motion_about){.hint = NULL}, "%s", text);
    if (filled->nan_gaps + filled->frozen_gaps > 0)
        tell(r, &remark);
    for (size_t i = 0; i < r->report.jump_count; i++) {
        jumps_describe(&r->report.jumps[i], 1, 1, words, text, sizeof text);
        motion_describe(&remark, (motion_about){.hint = NULL}, "%s", text);
        if (text[0] != '\0')
            tell(r, &remark);
    }
}

/* Says what is left out, and what was filled. */
static void tell_report(const run *r) {
    const task_report *report = &r->report;
    const char *name = r->out.path ? r->out.path : r->in.path; /* in memory there is no output */
    pm_error remark;
    if (report->end_cut > 0) {
        task_describe_end(r->work.rate, report->end_cut, &remark);
        tell(r, &remark);
    }
    if (strstr(report->converted, "(estimated)")) {
        motion_describe(&remark, (motion_about){.hint = NULL}, "converted: %s", report->converted);
        (void)motion_name_failure(PM_ERROR_FILE, name, &remark);
        tell(r, &remark);
    }
    if (report->left_out[0] != '\0') {
        motion_describe(&remark, (motion_about){.hint = NULL}, "left out: %s", report->left_out);
        (void)motion_name_failure(PM_ERROR_FILE, name, &remark);
        tell(r, &remark);
    }
    tell_filled(r);
}

/* The engines that it did not make are not its own. */
static void finish(run *r) {
    task_close(&r->work);
    free(r->report.jumps);
    task_curve_release(&r->curve);
    r->engines.plain = NULL;
    task_engines_end(&r->engines);
}

pm_status native_make(const native_chain *chain, pm_motion **made, pm_motion_reduction **reduction,
                      pm_error *error) {
    run r;
    begin(&r, chain, NULL);
    start(&r, chain);
    const pm_status status = task_make(&r.work, error);
    if (status == PM_OK) {
        tell_report(&r);
        *made = r.work.motion;
        *reduction = r.work.reduction;
        r.work.motion = NULL;
        r.work.reduction = NULL;
    }
    finish(&r);
    return status;
}

pm_status native_write(const native_chain *chain, const pm_motion_batch_task *writing,
                       const char *path, bool makes_folders, pm_error *error) {
    run r;
    begin(&r, chain, writing);
    r.how.makes_folders = makes_folders;
    r.out.path = path;
    start(&r, chain);
    pm_status status = task_check_output(&r.task, false, path, error);
    if (status == PM_OK)
        status = task_write(&r.work, error);
    if (status == PM_OK)
        tell_report(&r);
    finish(&r);
    return status;
}
