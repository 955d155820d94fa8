/* SPDX-License-Identifier: MIT
 *
 * The table of options about how a motion is written.
 */
#include "conversion_options.h"

#include "host/base/counts.h"
#include "motion/text/text.h"

#include <stdio.h>
#include <string.h>

static bool parse_euler(const char *text, void *target, char *reason) {
    const char *orders[PM_EULER_COUNT];
    pm_motion_batch_task *task = target;
    size_t order = 0;
    for (int i = 0; i < PM_EULER_COUNT; i++)
        orders[i] = pm_euler_order_name((pm_euler_order)i);
    task->euler_given = value_word(text, orders, PM_EULER_COUNT, &order, reason);
    task->euler = (pm_euler_order)order;
    return task->euler_given;
}

static bool parse_scale(const char *text, void *target, char *reason) {
    double scale = 0;
    if (!value_number(text, &scale, reason) || scale <= 0) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is no scale; expected a number above 0",
                 text);
        return false;
    }
    *(double *)target = scale;
    return true;
}

static bool parse_root_up(const char *text, void *target, char *reason);
static bool parse_up(const char *text, void *target, char *reason) {
    return parse_root_up(text, target, reason);
}

static bool parse_decimals(const char *text, void *target, char *reason) {
    size_t decimals = 0;
    if (!value_size(text, &decimals, reason) || decimals < 1 || decimals > TEXT_DECIMALS_MAX) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected a number from 1 to %d",
                 text, TEXT_DECIMALS_MAX);
        return false;
    }
    *(unsigned *)target = (unsigned)decimals;
    return true;
}

static bool parse_joint(const char *text, void *target, char *reason) {
    pm_motion_batch_task *task = target;
    task->extracts_root = true;
    return strcmp(text, "auto") == 0 || value_text(text, &task->root.joint, reason);
}

static bool parse_root_node(const char *text, void *target, char *reason) {
    pm_motion_root_options *root = target;
    root->add = strcmp(text, "new") == 0;
    return root->add || value_text(text, &root->root, reason);
}

/* "xz": each letter once. */
static bool parse_axes(const char *text, void *target, char *reason) {
    unsigned axes = 0;
    bool good = *text != '\0';
    for (const char *c = text; *c; c++) {
        const unsigned axis = *c >= 'x' && *c <= 'z' ? 1u << (*c - 'x') : 0;
        good = good && axis != 0 && (axes & axis) == 0;
        axes |= axis;
    }
    if (!good) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected axes such as xz", text);
        return false;
    }
    *(unsigned *)target = axes;
    return true;
}

static bool parse_root_up(const char *text, void *target, char *reason) {
    static const char *const words[] = {"y", "z"};
    size_t word = 0;
    if (!value_word(text, words, sizeof words / sizeof words[0], &word, reason))
        return false;
    *(pm_motion_up *)target = (pm_motion_up)(PM_MOTION_UP_Y + (int)word);
    return true;
}

#define AT(field) offsetof(pm_motion_batch_task, field)
static const option conversion_table[] = {
    {"--scale", 0, "FACTOR", "multiply all lengths, such as 0.01 for centimetres to metres",
     parse_scale, AT(scale)},
    {"--up", 0, "AXIS", "the axis that points up: y or z", parse_up, AT(up)},
    {"--to-up", 0, "AXIS", "turn the world so that this axis points up", parse_up, AT(to_up)},
    {"--euler", 0, "ORDER",
     "BVH: order of the rotation channels; default: that of each joint of a BVH file,\n"
     "else ZXY",
     parse_euler, 0},
    {"--decimals", 0, "N",
     "BVH: decimals of computed numbers; default 6. convert writes all numbers of the\n"
     "rows with them",
     parse_decimals, AT(decimals)},
    {"--extract-root", 0, "JOINT",
     "make the root move as this joint does, usually the hips: its heading and its place\n"
     "on the ground; auto: the first joint that moves",
     parse_joint, 0},
    {"--root-node", 0, "NODE",
     "the node above the joint that moves; new: one that is added. Default: the highest,\n"
     "or a new one where that is turned at rest",
     parse_root_node, AT(root)},
    {"--root-axes", 0, "AXES", "axes of the place, such as xz or z; default: the horizontal ones",
     parse_axes, AT(root.axes)},
    {"--root-up", 0, "AXIS", "y or z, which points up; default: found from format and figure",
     parse_root_up, AT(root.up)},
    {"--keep-heading", 0, NULL, "leave turns about the axis that points up in the joint", NULL,
     AT(root.keep_heading)},
    {"--keep-position", 0, NULL, "leave the place in the joint", NULL, AT(root.keep_position)},
};
#undef AT

option_group conversion_options_group(pm_motion_batch_task *task) {
    return (option_group){"Conversion", conversion_table,
                          sizeof conversion_table / sizeof conversion_table[0], task};
}

cli_exit conversion_options_check(const command_help *help, const pm_motion_batch_task *task) {
    const pm_motion_root_options *root = &task->root;
    const char *name = root->root || root->add ? "--root-node"
                       : root->axes            ? "--root-axes"
                       : root->up              ? "--root-up"
                       : root->keep_heading    ? "--keep-heading"
                       : root->keep_position   ? "--keep-position"
                                               : NULL;
    if (name && !task->extracts_root)
        return options_usage(help, name, "requires --extract-root");
    if (root->keep_position && root->axes)
        return options_usage(help, "--root-axes", "cannot be combined with --keep-position");
    if (root->keep_position && root->keep_heading)
        return options_usage(help, "--keep-position",
                             "with --keep-heading leaves nothing for --extract-root");
    return CLI_DONE;
}
