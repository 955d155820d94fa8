/* SPDX-License-Identifier: MIT
 *
 * posemill compare: what a change did to a motion.
 */
#include "commands.h"
#include "files/open_clip.h"
#include "motion/compare/outcome.h"
#include "options/device_options.h"
#include "options/page_options.h"
#include "print/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_options {
    const char *output; /* the page; NULL: none */
    bool json;
    const char *clip;
    bool has_method; /* false: as authored */
    pm_motion_compare_options compare;
    motion_options motion;
    device_options device;
} compare_options;

/* ---- options ------------------------------------------------------------------------- */

static bool parse_tolerance(const char *text, void *target, char *reason) {
    pm_motion_compare_options *options = &((compare_options *)target)->compare;
    double given[2];
    options->has_tolerance = option_number_list(text, 2, given) && given[0] >= 0 && given[1] >= 0;
    if (options->has_tolerance) {
        options->tolerance_degrees = given[0];
        options->tolerance_mm = given[1];
    } else {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is no tolerance; expected degrees and millimetres, such as 0.1,1", text);
    }
    return options->has_tolerance;
}

static bool parse_method(const char *text, void *target, char *reason) {
    compare_options *options = target;
    options->has_method = strcmp(text, "authored") != 0;
    if (options->has_method && !pm_method_find(text, &options->compare.method)) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is unknown; expected authored, or a method of: posemill methods", text);
        return false;
    }
    if (options->has_method && options->compare.method == PM_METHOD_CUBICSPLINE) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'cubicspline' requires tangents; authored takes those of the file");
        return false;
    }
    return true;
}

#define AT(field) offsetof(compare_options, field)
static const option compare_table[] = {
    {"--output", 'o', "PAGE", "write a page that shows both, a file of HTML; - writes to stdout",
     value_text, AT(output)},
    {"--json", 0, NULL, "print everything as JSON", NULL, AT(json)},
    {"--tolerance", 0, "DEG,MM",
     "exit with 1 if an angle is above DEG degrees, or a distance above MM millimetres",
     parse_tolerance, 0},
    {"--certify", 0, NULL,
     "also state bounds of the angles and distances that no time exceeds, also between those that are compared;\n"
     "with --method slerp, squad, hermite or spline only rotations are interpolated by it, as by reduce",
     NULL, AT(compare.certify)},
    {"--contacts", 0, "JOINTS",
     "also state when these joints of A, names with commas between, or feet, those with foot, toe or ankle in\n"
     "their names, are in contact with the ground, and how fast they slide",
     value_text, AT(compare.contacts)},
    {"--clip", 0, "NAME", "the clip of both files, by its name or number; default: the first",
     value_text, AT(clip)},
    {"--map", 0, "FILE", "pairs of joints: on each line a name of A, a tab, and a name of B",
     value_text, AT(compare.map)},
    {"--rate", 'r', "HZ", "compare at this rate instead of the key times of both files",
     option_rational, AT(compare.rate)},
    {"--method", 0, "NAME",
     "interpolate A by this method; default: authored, by what the file says", parse_method, 0},
    {"--max-frames", 0, "N", "refuse to compare at more than N times; default 100000000",
     option_frames, AT(compare.max_times)},
};
#undef AT

static const command_help help = {
    .name = "compare",
    .usage = "A B [OPTIONS]",
    .summary = "Compares two motion files joint by joint: angles, distances in the world, and\n"
               "speeds, at the key times of both. Any formats; lengths are not converted.",
    .notes =
        "Joints are matched by name, else by order. Prints a line for each joint, the\n"
        "worst first, and one for the clip; differences far above all others are named apart.\n"
        "A file with many more key times than keys is compared at every n-th; the result says so.",
    .example = "posemill compare take.bvh take-resampled.bvh\n"
               "posemill compare take.bvh take-60.glb -o report.html\n"
               "posemill compare take.bvh take-60.glb --tolerance 0.1,1 --quiet",
    .takes_operands = true,
};

/* ---- running ------------------------------------------------------------------------- */

static cli_exit report(const compare_options *o, const pm_motion_comparison *found) {
    const bool is_stream = o->output != NULL && strcmp(o->output, "-") == 0;
    if (o->json)
        fputs(pm_motion_comparison_json(found), stdout);
    else if (!cli_quiet)
        compare_print(is_stream ? stderr : stdout, &found->outcome);
    return found->found.is_exceeded ? CLI_PARTIAL : CLI_DONE;
}

static cli_exit compare(const compare_options *o, const open_clip *a, const open_clip *b,
                        const char *command) {
    pm_motion_comparison *found = NULL;
    pm_error error = {.status = PM_OK};
    const pm_motion_page_options page = {.made_by = command};
    const pm_status status =
        !o->output ? pm_motion_compare(a->motion, b->motion, &o->compare, &found, &error)
                   : pm_motion_write_page(a->motion, b->motion, &o->compare, &page, o->output,
                                          &found, &error);
    if (!o->has_method && o->device.device)
        cli_warn("--device", "has no effect without --method");
    const cli_exit code = status == PM_OK ? report(o, found) : cli_fail_file(&error);
    pm_motion_comparison_destroy(&found);
    return code;
}

static cli_exit run(compare_options *o, char **argv, const char *command) {
    open_clip a = {.path = argv[0]}, b = {.path = argv[1]};
    cli_exit code = open_clip_of(&o->motion, argv[0], o->clip, &a);
    if (code == CLI_DONE)
        code = open_clip_beside(&o->motion, argv[1], o->clip, &a, &b);
    if (code == CLI_DONE)
        motion_options_warn(&o->motion, 1u << pm_motion_get_content(a.motion)->format |
                                            1u << pm_motion_get_content(b.motion)->format);
    if (code == CLI_DONE && o->has_method) /* nothing else runs on a device */
        code = device_options_engine(&o->device, &o->compare.engine);
    if (code == CLI_DONE) {
        o->compare.clip_a = a.clip;
        o->compare.clip_b = b.clip;
        o->compare.name_a = a.path;
        o->compare.name_b = b.path;
        o->compare.digest_a = open_clip_digest(&a);
        o->compare.digest_b = open_clip_digest(&b);
        o->compare.log = cli_log;
        o->compare.spelling = PM_SPELLING_COMMAND;
        code = compare(o, &a, &b, command);
    }
    close_clip(&b);
    close_clip(&a);
    pm_engine_destroy(&o->compare.engine);
    return code;
}

static cli_exit check(const compare_options *options, int operands, char **argv) {
    if (operands != 2)
        return options_usage(&help, "files", "%d given; expected A and B", operands);
    if (strcmp(argv[0], "-") == 0 && strcmp(argv[1], "-") == 0)
        return options_usage(&help, "files", "both are standard input");
    if (!options->output)
        return CLI_DONE;
    if (options->json && strcmp(options->output, "-") == 0)
        return options_usage(&help, "--json", "cannot be combined with a page on standard output");
    return page_check_name(&help, options->output, argv, 2);
}

int cmd_compare(int argc, char **argv) {
    compare_options options;
    cli_exit code = CLI_DONE;
    char *command = page_command_line(argc, argv);
    memset(&options, 0, sizeof options);
    const option_group groups[] = {
        {"Comparison", compare_table, sizeof compare_table / sizeof compare_table[0], &options},
        scene_options_group(&options.compare),
        motion_options_group(&options.motion),
        device_options_group(&options.device)};
    if (options_parse(&help, groups, 4, &argc, argv, &code)) {
        code = check(&options, argc, argv);
        if (code == CLI_DONE)
            code = run(&options, argv, command ? command : "posemill compare");
    }
    free(command);
    return (int)code;
}
