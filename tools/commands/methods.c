/* SPDX-License-Identifier: MIT
 *
 * posemill methods: the table of methods, generated from the descriptions in the library.
 */
#include "commands.h"
#include "host/base/counts.h"
#include "motion/base/json.h"

#include <stdio.h>

static const char *vector_method_name(pm_vector_method method) {
    static const char *const names[PM_VECTOR_COUNT] = {
        "auto",         "step",   "linear",  "catmull-rom", "parabolas-c2",
        "parabolas-c3", "spline", "bspline", "cubicspline"};
    return (unsigned)method < PM_VECTOR_COUNT ? names[method] : "";
}

static void print_json(void) {
    json_writer json = {stdout, 0, false};
    json_begin_object(&json, NULL);
    json_begin_array(&json, "methods");
    for (int i = 0; i < PM_METHOD_COUNT; i++) {
        const pm_method_info *info = pm_method_get_info((pm_method)i);
        json_begin_object(&json, NULL);
        json_write_string(&json, "name", info->name);
        json_write_string(&json, "title", info->title);
        json_write_string(&json, "class", info->continuity);
        json_write_bool(&json, "local", info->local);
        json_write_bool(&json, "symmetric", info->symmetric);
        json_write_bool(&json, "interpolating", info->interpolating);
        json_write_integer(&json, "keys_used", info->keys_used);
        json_write_integer(&json, "floats_per_segment", info->floats_per_segment);
        json_write_number(&json, "max_error_rad", info->max_error);
        json_write_number(&json, "rms_error_rad", info->rms_error);
        json_write_string(&json, "vectors", vector_method_name(info->vector_method));
        json_write_string(&json, "advice", info->advice);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

static void print_table(void) {
    printf("%-11s %-5s %-7s %-10s %4s %6s %10s  %s\n", "method", "class", "reach", "symmetric",
           "keys", "floats", "error, rad", "when to use it");
    for (int i = 0; i < PM_METHOD_COUNT; i++) {
        const pm_method_info *info = pm_method_get_info((pm_method)i);
        char keys[16] = "all";
        if (info->keys_used > 0)
            snprintf(keys, sizeof keys, "%u", info->keys_used);
        printf("%-11s %-5s %-7s %-10s %4s %6u %10.1e  %s\n", info->name, info->continuity,
               info->local ? "local" : "global", info->symmetric ? "yes" : "no", keys,
               info->floats_per_segment, info->max_error, info->advice);
    }
}

static cli_exit run(command_options *o, int count, char **operands) {
    (void)count, (void)operands;
    if (o->json)
        print_json();
    else
        print_table();
    return CLI_DONE;
}

const command command_methods = {
    .verb = VERB_METHODS,
    .brief = "list the interpolation methods and when to use each",
    .usage = "[--json]",
    .summary =
        "Lists the interpolation methods: continuity, keys used, error, and when to use each.",
    .example = "posemill methods",
    .run = run,
};
