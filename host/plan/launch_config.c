/* SPDX-License-Identifier: MIT
 *
 * Who computes the jobs of a CPU device, and how long its work-items walk: defaults, and the variable POSEMILL_LAUNCH,
 * which replaces them for tests and measurements.
 */
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_RUN = 256, MIN_MAX_RUN = 16, MAX_MAX_RUN = 65536 };

/* Settings of the variable. */
typedef struct launch_settings {
    uint32_t max_run, plain_c;
} launch_settings;

/* Whether the value is one of the setting's. Sets it. */
static bool set(launch_settings *settings, const char *name, uint32_t value) {
    if (strcmp(name, "plain_c") == 0) {
        settings->plain_c = value;
        return value <= 1;
    }
    settings->max_run = value;
    return strcmp(name, "max_run") == 0 && value >= MIN_MAX_RUN && value <= MAX_MAX_RUN;
}

/* Reads a list such as "plain_c=0,max_run=64". The last of equal settings counts. */
static bool parse(const char *text, launch_settings *settings) {
    for (;; text++) {
        char name[16], digits[8];
        int length = 0;
        if (sscanf(text, "%15[a-z_]=%5[0-9]%n", name, digits, &length) != 2 ||
            !set(settings, name, (uint32_t)strtoul(digits, NULL, 10)))
            return false;
        text += length;
        if (*text != ',')
            return *text == '\0';
    }
}

static pm_status read_variable(launch_settings *settings, pm_error *error) {
    const char *text = getenv("POSEMILL_LAUNCH");
    if (!text || !*text || parse(text, settings))
        return PM_OK;
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "POSEMILL_LAUNCH is \"%.100s\", expected a list such as plain_c=0,max_run=256: "
                   "plain_c 0 or 1, max_run %d to %d",
                   text, MIN_MAX_RUN, MAX_MAX_RUN);
}

pm_status pm_choose_launch_config(bool programs_on_cpu, pm_plan_device *plan, pm_error *error) {
    launch_settings given = {DEFAULT_RUN, 1};
    const pm_status status = read_variable(&given, error);
    plan->plain_c = plan->on_host && !programs_on_cpu && given.plain_c;
    plan->max_run = given.max_run;
    return status;
}
