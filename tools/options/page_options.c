/* SPDX-License-Identifier: MIT
 *
 * Options about the part, the axis that points up and the unit; the names of pages.
 */
#define _POSIX_C_SOURCE 200809L

#include "page_options.h"

#include "motion/files/output_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- options ------------------------------------------------------------------------------- */

static bool parse_unit(const char *text, void *target, char *reason) {
    double unit = 0;
    if (!value_number(text, &unit, reason) || unit <= 0) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is no unit; expected millimetres per unit of the file", text);
        return false;
    }
    *(double *)target = unit;
    return true;
}

/* z-to-y and y-to-z are the words of `convert`: of a file in which z is up, and y. */
static bool parse_up(const char *text, void *target, char *reason) {
    const bool y = strcmp(text, "y") == 0 || strcmp(text, "y-to-z") == 0;
    const bool z = strcmp(text, "z") == 0 || strcmp(text, "z-to-y") == 0;
    if (!y && !z) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is unknown; expected y or z", text);
        return false;
    }
    *(pm_motion_up *)target = z ? PM_MOTION_UP_Z : PM_MOTION_UP_Y;
    return true;
}

option_group scene_options_group(pm_motion_compare_options *options) {
#define AT(field) offsetof(pm_motion_compare_options, field)
    static const option table[] = {
        {"--start", 0, "S", "begin S seconds after the first key", value_time,
         AT(start_after_first_key)},
        {"--end", 0, "S", "end S seconds after the first key", value_time,
         AT(end_after_first_key)},
        {"--trim-start", 0, "N", "leave out the first N keys, such as a T-pose", value_size,
         AT(trim_start)},
        {"--up", 0, "AXIS", "the axis that points up: y or z; default: what the figure says",
         parse_up, AT(up)},
        {"--unit", 0, "MM", "millimetres per unit of length; default: BVH 10, else 1000",
         parse_unit, AT(unit_mm)},
    };
#undef AT
    return (option_group){"Part, axis and unit", table, sizeof table / sizeof table[0], options};
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A name without an extension may be anything's, such as /dev/stdout. */
static bool is_page_name(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot == NULL || dot == name || strcasecmp(dot, ".html") == 0 ||
           strcasecmp(dot, ".htm") == 0;
}

cli_exit page_check_name(const command_help *help, const char *path, char **inputs, size_t count) {
    return is_page_name(path)
               ? page_check_inputs(path, inputs, count)
               : options_usage(help, path,
                               "a page is a file of HTML; expected a name that ends in "
                               ".html, or - for standard output; view also draws .svg and .gif");
}

cli_exit page_check_inputs(const char *path, char **inputs, size_t count) {
    const named_file *output = NULL, *other = NULL;
    for (size_t i = 0; i < count; i++) {
        const named_file names[] = {{path, LOCATION_OUTPUT}, {inputs[i], LOCATION_INPUT}};
        if (names_clash(names, 2, &output, &other))
            return cli_fail(CLI_CANNOT_WRITE, inputs[i], "choose another name for the page",
                            "would be overwritten by the page");
    }
    return CLI_DONE;
}

char *page_command_line(int argc, char **argv) {
    size_t size = sizeof "posemill";
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *line = malloc(size), *at = line;
    if (line) {
        at = stpcpy(at, "posemill");
        for (int i = 0; i < argc; i++)
            at = stpcpy(stpcpy(at, " "), argv[i]);
    }
    return line;
}
