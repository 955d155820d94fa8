/* SPDX-License-Identifier: MIT
 *
 * The rate of a result.
 */
#include "motion/task/task_rate.h"

#include "motion/model/model.h"
#include "motion/time/rate.h"

static bool is_relative(const char *text) {
    return *text == 'x' || *text == 'X' || *text == '/';
}

pm_status task_find_rate(const char *text, const pm_motion_content *content, pm_rational *rate,
                         pm_error *error) {
    const pm_rational source = content->clip_count > 0
                                   ? content->clips[motion_first_clip(content)].rate
                                   : (pm_rational){0, 0};
    if (is_relative(text) && source.den == 0)
        return motion_fail_option(
            error, PM_ERROR_ARGUMENT, "rate",
            "'%s' is relative, and the file has no rate; expected frames per second, such as 30",
            text);
    if (rate_parse_target(text, source, rate))
        return PM_OK;
    motion_fail_option(error, PM_ERROR_ARGUMENT, "rate",
                       "'%s' is not a rate, or has too many digits relative to the source rate",
                       text);
    motion_hint(error, "use a rate such as 60, 29.97, 30000/1001, x2 or /4");
    return PM_ERROR_ARGUMENT;
}

const motion_about task_about_end = {.cure = "end-rule",
                                     .cure_value = "include",
                                     .hint = "adds a sample there; fit omits this warning"};

void task_describe_end(pm_rational rate, double seconds, pm_error *warning) {
    char name[RATE_TEXT];
    rate_describe(rate, name);
    motion_describe(warning, task_about_end,
                    "the last %.3g s are left out: no multiple of %s falls on the end", seconds,
                    name);
}
