/* SPDX-License-Identifier: MIT
 *
 * The rate and the number of decimals of a result.
 */
#include "resample_target.h"

#include "motion/text/text.h"
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

bool resample_option_decimals(const char *text, void *target, char *reason) {
    size_t decimals = 0;
    if (!option_size(text, &decimals, reason) || decimals < 1 || decimals > TEXT_DECIMALS_MAX) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected a number from 1 to %d",
                 text, TEXT_DECIMALS_MAX);
        return false;
    }
    *(size_t *)target = decimals;
    return true;
}

static bool is_relative(const char *text) {
    return *text == 'x' || *text == 'X' || *text == '/';
}

cli_exit resample_find_rate(const char *text, const pm_motion_content *content, pm_rational *rate) {
    const pm_rational source =
        content->clip_count > 0 ? content->clips[0].rate : (pm_rational){0, 0};
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
