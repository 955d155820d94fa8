/* SPDX-License-Identifier: MIT
 *
 * The rate of a result.
 */
#include "resample_target.h"

#include "motion/model/model.h"
#include "motion/time/rate.h"

#include <stdio.h>

bool resample_option_rate(const char *text, void *target, char *reason) {
    pm_rational any = {1, 1}, rate;
    if (!rate_parse_target(text, any, &rate)) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is not a rate; expected 60, 29.97, 30000/1001, x2 or /4", text);
        return false;
    }
    *(const char **)target = text;
    return true;
}

static bool is_relative(const char *text) {
    return *text == 'x' || *text == 'X' || *text == '/';
}

cli_exit resample_find_rate(const char *text, const pm_motion_content *content, pm_rational *rate) {
    const pm_rational source = content->clip_count > 0
                                   ? content->clips[motion_first_clip(content)].rate
                                   : (pm_rational){0, 0};
    if (is_relative(text) && source.den == 0) {
        return cli_fail(CLI_USAGE, "--rate", "give frames per second, such as 30",
                        "'%s' is relative, and the file has no rate", text);
    }
    if (!rate_parse_target(text, source, rate)) {
        return cli_fail(CLI_USAGE, "--rate", "use a rate such as 60, 29.97, 30000/1001, x2 or /4",
                        "'%s' is not a rate, or has too many digits relative to the source rate",
                        text);
    }
    return CLI_DONE;
}

void resample_warn_of_end(const char *path, pm_rational rate, double seconds, bool is_batch) {
    char name[RATE_TEXT], text[RATE_TEXT + 192];
    if (seconds <= 0.0) {
        return;
    }
    rate_describe(rate, name);
    snprintf(text, sizeof text,
             "the last %.3g s are left out: no multiple of %s falls on the end; " RESAMPLE_END_HINT,
             seconds, name);
    if (is_batch) {
        cli_keep_warning(path, text);
    } else {
        cli_warn(path, "%s", text);
    }
}
