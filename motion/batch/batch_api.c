/* SPDX-License-Identifier: MIT
 *
 * The public functions that run batches, and their checks.
 */
#include <math.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/fault.h"
#include "motion/batch/batch.h"
#include "motion/reduce/reduction.h"
#include "motion/steps/steps.h"
#include "motion/task/task_clips.h"
#include "motion/task/task_files.h"
#include "motion/time/rate.h"

static pm_status check_curve(const pm_motion_curve *curve, pm_error *error) {
    const pm_method_info *method = pm_method_get_info(curve->method);
    if (!method)
        return motion_fail(error, PM_ERROR_ARGUMENT, "method is %d, which is no method",
                           (int)curve->method);
    if (!curve->authored && method->takes_in_out)
        return motion_fail(error, PM_ERROR_ARGUMENT, "method: %s requires tangents", method->name);
    if (curve->tangents == PM_TANGENTS_USER && !curve->tangents_file)
        return motion_fail(error, PM_ERROR_ARGUMENT, "tangents_file is NULL");
    return MOTION_CHECK_NEXT(pm_motion_curve, curve, error);
}

/* Curves of other options would not be those that are bounded. */
static pm_status check_reduction(const pm_motion_batch_task *task, pm_error *error) {
    const char *other = task->rate                                 ? "rate"
                        : task_moves(task)                         ? "scale and turn"
                        : task->start_after_first_key.num != 0     ? "start"
                        : task->end_after_first_key.num != 0       ? "end"
                        : task->trim_start > 0                     ? "trim_start"
                        : task->extracts_root                      ? "extracts_root"
                        : task->fill || task->edit || task->mirror ? "fill, edit and mirror"
                                                                   : NULL;
    if (other)
        return motion_fail(error, PM_ERROR_ARGUMENT, "reduce cannot be combined with %s", other);
    MOTION_TRY(task_check_reduce(task->format, task->reduce, error));
    return reduction_check_options(task->reduce, error);
}

static pm_status check_step(const pm_motion_step *step, pm_error *error) {
    if (!step->name || !task_find_step(step->name) || !step->options)
        return motion_fail(error, PM_ERROR_ARGUMENT, "steps: '%.40s' is %s",
                           step->name ? step->name : "NULL",
                           step->options ? "no step" : "without options");
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_step, step, error));
    return check_curve(&step->options->curve, error);
}

static pm_status check_task(const pm_motion_batch_task *task, pm_error *error) {
    pm_rational unused;
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_batch_task, task, error));
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_read_options, &task->read, error));
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_root_options, &task->root, error));
    MOTION_TRY(check_curve(&task->curve, error));
    if ((unsigned)task->format >= PM_MOTION_FORMAT_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "format is %d, which is no format",
                           (int)task->format);
    if (task->clip_count > TASK_CLIPS_MAX)
        return motion_fail(error, PM_ERROR_ARGUMENT, "clip_count is %zu, expected at most %d",
                           task->clip_count, (int)TASK_CLIPS_MAX);
    if (task->rate && !rate_parse_target(task->rate, (pm_rational){1, 1}, &unused))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "rate: '%.80s' is not a rate; expected 60, 29.97, 30000/1001, x2 or /4",
                           task->rate);
    if (!isfinite(task->scale) || task->scale < 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "scale is %g, expected a number above 0",
                           task->scale);
    for (size_t i = 0; i < task->step_count; i++)
        MOTION_TRY(check_step(&task->steps[i], error));
    MOTION_TRY(motion_check_texts("clips", task->clips, task->clip_count, error));
    return task->reduce ? check_reduction(task, error) : PM_OK;
}

static bool is_empty(const char *path) {
    return path && path[0] == '\0';
}

static pm_status check(const pm_motion_batch_list *list, const pm_motion_batch_options *o,
                       pm_error *error) {
    if (!list || !o)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !list ? "list" : "options");
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_batch_options, o, error));
    MOTION_TRY(check_task(&o->task, error));
    if (!o->out_dir)
        return motion_fail(error, PM_ERROR_ARGUMENT, "out_dir is NULL");
    if (is_empty(o->out_dir) || is_empty(o->records) || is_empty(o->report))
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is empty",
                           is_empty(o->out_dir)   ? "out_dir"
                           : is_empty(o->records) ? "records"
                                                  : "report");
    if (o->shard >= o->shard_count && (o->shard > 0 || o->shard_count > 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "shard is not below shard_count");
    if (o->report && o->shard_count > 1)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "report is of the whole batch, not of a shard");
    if (o->automatic && o->automatic->device && strcmp(o->automatic->device, "auto") != 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "automatic.device is not auto");
    if (o->verify && !o->resume)
        return motion_fail(error, PM_ERROR_ARGUMENT, "verify requires resume");
    return PM_OK;
}

pm_status pm_motion_batch_check(const pm_motion_batch_list *list,
                                const pm_motion_batch_options *options, pm_error *error) {
    SCOPED(batch_plan_release) batch_plan plan = {.count = 0};
    MOTION_TRY(check(list, options, error));
    return batch_plan_of(list, options, &plan, error);
}

static pm_status run(const pm_motion_batch_list *list, pm_engine *engine,
                     const pm_motion_batch_options *options, pm_motion_batch_result *result,
                     pm_error *error) {
    const report_summary *summary = NULL;
    SCOPED(batch_end) batch *b = NULL;
    MOTION_TRY(batch_begin(list, options, &b, error));
    MOTION_TRY(batch_run(b, engine, result, error));
    return batch_write_report(b, &summary, error);
}

pm_status pm_motion_batch_run(const pm_motion_batch_list *list, pm_engine *engine,
                              const pm_motion_batch_options *options,
                              pm_motion_batch_result *result, pm_error *error) {
    pm_motion_batch_result ignored;
    pm_error unread = {.status = PM_OK};
    result = result ? result : &ignored;
    *result = (pm_motion_batch_result){.files = 0};
    MOTION_TRY(check(list, options, error));
    if (task_computes(&options->task) && !engine && !options->automatic)
        return motion_fail(error, PM_ERROR_ARGUMENT, "engine is NULL");
    C_LOCALE_HERE;
    return run(list, engine, options, result, error ? error : &unread);
}
