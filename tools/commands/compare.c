/* SPDX-License-Identifier: MIT
 *
 * posemill compare: what a change did to a motion.
 */
#include "compare/compare.h"
#include "commands.h"
#include "compare/open.h"
#include "compare/outcome.h"
#include "compare/scene.h"
#include "options/device_options.h"
#include "options/motion_options.h"
#include "options/options.h"
#include "report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_options {
    const char *output; /* the page; NULL: none */
    bool json;
    bool has_tolerance;
    double tolerance[2]; /* degrees, millimetres */
    scene_options scene;
    const char *clip;
    const char *map;
    pm_rational rate;
    bool has_method; /* false: as authored */
    pm_method method;
    uint64_t max_times;
    motion_options motion;
    device_options device;
} compare_options;

/* ---- options ------------------------------------------------------------------------- */

static bool parse_tolerance(const char *text, void *target, char *reason) {
    compare_options *options = target;
    options->has_tolerance = option_number_list(text, 2, options->tolerance) &&
                             options->tolerance[0] >= 0 && options->tolerance[1] >= 0;
    if (!options->has_tolerance) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is no tolerance; expected degrees and millimetres, such as 0.1,1", text);
    }
    return options->has_tolerance;
}

static bool parse_method(const char *text, void *target, char *reason) {
    compare_options *options = target;
    options->has_method = strcmp(text, "authored") != 0;
    if (options->has_method && !pm_method_find(text, &options->method)) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is unknown; expected authored, or a method of: posemill methods", text);
        return false;
    }
    if (options->has_method && options->method == PM_METHOD_CUBICSPLINE) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'cubicspline' requires tangents; authored takes those of the file");
        return false;
    }
    return true;
}

#define AT(field) offsetof(compare_options, field)
static const option compare_table[] = {
    {"--output", 'o', "PAGE", "write a page that shows both, a file of HTML; - writes to stdout",
     option_text, AT(output)},
    {"--json", 0, NULL, "print everything as JSON", NULL, AT(json)},
    {"--tolerance", 0, "DEG,MM",
     "exit with 1 if an angle is above DEG degrees, or a distance above MM millimetres",
     parse_tolerance, 0},
    {"--clip", 0, "NAME", "the clip of both files, by its name or number; default: the first",
     option_text, AT(clip)},
    {"--map", 0, "FILE", "pairs of joints: on each line a name of A, a tab, and a name of B",
     option_text, AT(map)},
    {"--rate", 'r', "HZ", "compare at this rate instead of the key times of both files",
     option_rational, AT(rate)},
    {"--method", 0, "NAME",
     "interpolate A by this method; default: authored, by what the file says", parse_method, 0},
    {"--max-frames", 0, "N", "refuse to compare at more than N times; default 100000000",
     option_frames, AT(max_times)},
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
        "A file with many more key times than keys is compared at every n-th, and that is said.",
    .example = "posemill compare take.bvh take-resampled.bvh\n"
               "posemill compare take.bvh take-60.glb -o report.html\n"
               "posemill compare take.bvh take-60.glb --tolerance 0.1,1 --quiet",
    .takes_operands = true,
};

/* ---- running ------------------------------------------------------------------------- */

typedef struct work {
    const compare_options *options;
    open_clip a, b;
    joint_pairs pairs;
    comparison comparison;
    page_frames frames;
    scene_hints hints;
    const char *command; /* the command line */
    pm_engine *engine;
    pm_device_info device;
} work;

/* The device is that of --method; nothing else runs on one. */
static cli_exit use_method(work *w) {
    const compare_options *o = w->options;
    pm_error error = {.status = PM_OK};
    if (!o->has_method) {
        if (o->device.device != NULL) {
            cli_warn("--device", "has no effect without --method");
        }
        return CLI_DONE;
    }
    const cli_exit code = device_options_engine(&o->device, &w->engine);
    if (code != CLI_DONE) {
        return code;
    }
    pm_engine_get_info(w->engine, &w->device, sizeof(pm_device_info));
    return subject_use_method(&w->a.subject, w->engine, o->method, &error) == PM_OK
               ? CLI_DONE
               : cli_fail_error(w->a.path, &error);
}

static cli_exit compute(work *w) {
    pm_error error = {.status = PM_OK};
    comparison *c = &w->comparison;
    if (w->options->output != NULL) {
        return page_compute(c, &w->frames, w->options->max_times, w->a.path);
    }
    pm_status status = compare_prepare(c, w->options->max_times, &error);
    if (status == PM_OK) {
        status = compare_run(c, NULL, &error);
    }
    return status == PM_OK ? CLI_DONE : cli_fail_error(w->a.path, &error);
}

static outcome outcome_of(const work *w) {
    const compare_options *o = w->options;
    return (outcome){.comparison = &w->comparison,
                     .a = {w->a.path, w->a.digest[0] != '\0' ? w->a.digest : NULL},
                     .b = {w->b.path, w->b.digest[0] != '\0' ? w->b.digest : NULL},
                     .method = o->has_method ? pm_method_describe(o->method)->name : "authored",
                     .device = o->has_method ? w->device.name : NULL,
                     .hints = &w->hints,
                     .unit_mm = w->a.subject.unit_mm,
                     .has_tolerance = o->has_tolerance,
                     .tolerance_degrees = o->tolerance[0],
                     .tolerance_mm = o->tolerance[1]};
}

static cli_exit report(const work *w) {
    const outcome o = outcome_of(w);
    const char *path = w->options->output;
    if (path != NULL) {
        const page p = {.outcome = &o, .frames = &w->frames, .command = w->command};
        const cli_exit code = page_write(path, &p);
        if (code != CLI_DONE) {
            return code;
        }
    }
    if (w->options->json) {
        outcome_print_json(stdout, &o);
    } else if (!cli_quiet) {
        outcome_print(path != NULL && strcmp(path, "-") == 0 ? stderr : stdout, &o);
    }
    return outcome_exceeds(&o) ? CLI_PARTIAL : CLI_DONE;
}

static cli_exit run(work *w, char **argv) {
    const compare_options *o = w->options;
    cli_exit code = open_clip_of(&o->motion, argv[0], o->clip, &w->a);
    if (code == CLI_DONE) {
        code = open_clip_beside(&o->motion, argv[1], o->clip, &w->a, &w->b);
    }
    if (code == CLI_DONE) {
        motion_options_warn(&o->motion, 1u << pm_motion_get_content(w->a.motion)->format |
                                            1u << pm_motion_get_content(w->b.motion)->format);
        w->comparison = (comparison){
            .a = &w->a.subject, .b = &w->b.subject, .pairs = &w->pairs, .times = {.rate = o->rate}};
        code = scene_apply(&o->scene, &w->comparison, w->a.path, w->b.path, &w->hints);
        scene_warn(&w->hints);
    }
    if (code == CLI_DONE) {
        code = joints_match(&w->a.subject, &w->b.subject, o->map, &w->pairs);
    }
    if (code == CLI_DONE) {
        code = use_method(w);
    }
    if (code == CLI_DONE) {
        code = compute(w);
    }
    if (code == CLI_DONE) {
        code = report(w);
    }
    page_frames_release(&w->frames);
    compare_release(&w->comparison);
    joints_release(&w->pairs);
    close_clip(&w->b);
    close_clip(&w->a);
    pm_engine_destroy(&w->engine);
    return code;
}

static cli_exit check(const compare_options *options, int operands, char **argv) {
    if (operands != 2) {
        return options_usage(&help, "files", "%d given; expected A and B", operands);
    }
    if (strcmp(argv[0], "-") == 0 && strcmp(argv[1], "-") == 0) {
        return options_usage(&help, "files", "both are standard input");
    }
    if (options->output == NULL) {
        return CLI_DONE;
    }
    if (options->json && strcmp(options->output, "-") == 0) {
        return options_usage(&help, "--json", "cannot be combined with a page on standard output");
    }
    return page_check_name(&help, options->output, argv, 2);
}

int cmd_compare(int argc, char **argv) {
    compare_options options;
    cli_exit code = CLI_DONE;
    char *command = page_command_line(argc, argv);
    memset(&options, 0, sizeof options);
    options.max_times = OPTION_MAX_FRAMES;
    const option_group groups[] = {
        {"Comparison", compare_table, sizeof compare_table / sizeof compare_table[0], &options},
        scene_options_group(&options.scene),
        motion_options_group(&options.motion),
        device_options_group(&options.device)};
    if (options_parse(&help, groups, 4, &argc, argv, &code)) {
        code = check(&options, argc, argv);
        if (code == CLI_DONE) {
            work w = {.options = &options,
                      .command = command != NULL ? command : "posemill compare"};
            code = run(&w, argv);
        }
    }
    free(command);
    return (int)code;
}
