/* SPDX-License-Identifier: MIT
 *
 * The table of options about how a motion is written.
 */
#include "conversion_options.h"

#include "host/base/counts.h"
#include "motion/text/text.h"

#include <stdio.h>

static bool parse_euler(const char *text, void *target, char *reason) {
    static const char *const orders[PM_EULER_COUNT] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX",
                                                       "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"};
    pm_motion_batch_task *task = target;
    size_t order = 0;
    task->euler_given = option_word(text, orders, PM_EULER_COUNT, &order, reason);
    task->euler = (pm_euler_order)order;
    return task->euler_given;
}

static bool parse_scale(const char *text, void *target, char *reason) {
    double scale = 0;
    if (!option_number(text, &scale, reason) || scale <= 0) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is no scale; expected a number above 0",
                 text);
        return false;
    }
    *(double *)target = scale;
    return true;
}

static bool parse_up(const char *text, void *target, char *reason) {
    static const char *const words[] = {"z-to-y", "y-to-z"};
    size_t word = 0;
    if (!option_word(text, words, sizeof words / sizeof words[0], &word, reason))
        return false;
    *(pm_motion_turn *)target = (pm_motion_turn)(PM_MOTION_TURN_Z_TO_Y + (int)word);
    return true;
}

static bool parse_decimals(const char *text, void *target, char *reason) {
    size_t decimals = 0;
    if (!option_size(text, &decimals, reason) || decimals < 1 || decimals > TEXT_DECIMALS_MAX) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected a number from 1 to %d",
                 text, TEXT_DECIMALS_MAX);
        return false;
    }
    *(unsigned *)target = (unsigned)decimals;
    return true;
}

#define AT(field) offsetof(pm_motion_batch_task, field)
static const option conversion_table[] = {
    {"--scale", 0, "FACTOR", "multiply all lengths, such as 0.01 for centimetres to metres",
     parse_scale, AT(scale)},
    {"--up", 0, "TURN", "z-to-y or y-to-z: turn the world so that the other axis is up", parse_up,
     AT(turn)},
    {"--euler", 0, "ORDER",
     "BVH: order of the rotation channels; default: that of each joint of a BVH file,\n"
     "else ZXY",
     parse_euler, 0},
    {"--decimals", 0, "N",
     "BVH: decimals of computed numbers; default 6. convert writes all numbers of the\n"
     "rows with them",
     parse_decimals, AT(decimals)},
};
#undef AT

option_group conversion_options_group(pm_motion_batch_task *task) {
    return (option_group){"Conversion", conversion_table,
                          sizeof conversion_table / sizeof conversion_table[0], task};
}
