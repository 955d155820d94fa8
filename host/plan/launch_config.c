/* SPDX-License-Identifier: MIT
 *
 * How kernels are laid out on a device: defaults, and the variable POSEMILL_LAUNCH, which replaces
 * them for measurements.
 */
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_RUN = 256, MIN_MAX_RUN = 16, MAX_MAX_RUN = 65536 };

#define UNSET UINT32_MAX

/* Settings of the variable. */
typedef struct launch_settings {
    uint32_t lanes, all_tracks, max_run, plain_c;
} launch_settings;

/* Whether the value is one of the setting's. Sets it. */
static bool set(launch_settings *settings, const char *name, uint32_t value) {
    if (strcmp(name, "lanes") == 0) {
        settings->lanes = value;
        return value == 1 || value == 4 || value == 8 || value == 16;
    }
    if (strcmp(name, "all_tracks") == 0) {
        settings->all_tracks = value;
        return value <= 1;
    }
    if (strcmp(name, "plain_c") == 0) {
        settings->plain_c = value;
        return value <= 1;
    }
    settings->max_run = value;
    return strcmp(name, "max_run") == 0 && value >= MIN_MAX_RUN && value <= MAX_MAX_RUN;
}

/* Reads a list such as "lanes=8,max_run=64". The last of equal settings counts. */
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
                   "POSEMILL_LAUNCH is \"%.100s\", expected a list such as "
                   "lanes=8,all_tracks=1,max_run=256: lanes 1, 4, 8 or 16, all_tracks 0 or 1, "
                   "max_run %d to %d, plain_c 0 or 1",
                   text, MIN_MAX_RUN, MAX_MAX_RUN);
}

/* Vectors take registers that a GPU needs for other work-items, and some GPU compilers crash on
 * them. */
static pm_status check_lanes(const char *name, uint32_t lanes, const pm_device_info *info,
                             pm_error *error) {
    if (lanes <= 1 || info->type == PM_DEVICE_CPU)
        return PM_OK;
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "%s is %u, expected 1 for \"%.100s\": lanes above 1 are for CPU devices", name,
                   lanes, info->name);
}

/* With vectors, a work-item computes all tracks, so that its stores are contiguous. With single
 * lanes, the stores of neighbouring work-items are contiguous. */
pm_status pm_choose_launch_config(uint32_t lanes, const pm_device_info *info, pm_plan_device *plan,
                                  pm_error *error) {
    launch_settings given = {UNSET, UNSET, UNSET, 1};
    pm_status status = check_lanes("lanes", lanes, info, error);
    if (status == PM_OK)
        status = read_variable(&given, error);
    if (status == PM_OK && given.lanes != UNSET)
        status = check_lanes("lanes of POSEMILL_LAUNCH", given.lanes, info, error);
    plan->lanes = lanes ? lanes : given.lanes != UNSET ? given.lanes : info->lanes;
    plan->all_tracks = given.all_tracks != UNSET ? given.all_tracks : plan->lanes > 1;
    plan->plain_c = given.plain_c;
    plan->max_run = given.max_run != UNSET ? given.max_run : DEFAULT_RUN;
    return status;
}
