/* SPDX-License-Identifier: MIT
 *
 * The rate of a result.
 */
#include "motion/task/task_rate.h"

#include <stdio.h>

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
        return motion_fail_at(error, PM_ERROR_ARGUMENT, "--rate",
                              "give frames per second, such as 30",
                              "'%s' is relative, and the file has no rate", text);
    if (!rate_parse_target(text, source, rate))
        return motion_fail_at(
            error, PM_ERROR_ARGUMENT, "--rate",
            "use a rate such as 60, 29.97, 30000/1001, x2 or /4",
            "'%s' is not a rate, or has too many digits relative to the source rate", text);
    return PM_OK;
}

void task_describe_end(pm_rational rate, double seconds, char text[TASK_END_TEXT]) {
    char name[RATE_TEXT];
    rate_describe(rate, name);
    snprintf(text, TASK_END_TEXT,
             "the last %.3g s are left out: no multiple of %s falls on the end; " TASK_END_HINT,
             seconds, name);
}
