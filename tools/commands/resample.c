/* SPDX-License-Identifier: MIT
 *
 * posemill resample: converts motion files to another frame rate. Options and their conflicts;
 * resample/resample.c resamples one file, batch/batch.c many.
 */
#define _POSIX_C_SOURCE 200809L

#include "resample/resample.h"
#include "batch/batch.h"
#include "commands.h"
#include "motion/time/rate.h"
#include "report/page.h"
#include "resample/resample_files.h"
#include "resample/resample_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------ */

static bool parse_seconds(const char *text, void *target, char *reason) {
    if (!rate_parse_seconds(text, target)) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is not a time; expected 0 or more seconds",
                 text);
        return false;
    }
    return true;
}

static bool parse_end_rule(const char *text, void *target, char *reason) {
    pm_motion_end_rule *rule = target;

    if (strcmp(text, "fit") != 0 && strcmp(text, "include") != 0) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is unknown; expected one of: fit include",
                 text);
        return false;
    }
    *rule = strcmp(text, "fit") == 0 ? PM_MOTION_END_FIT : PM_MOTION_END_INCLUDE;
    return true;
}

/* "512M": bytes, with K, M, G or T for powers of 1024. */
static bool parse_memory(const char *text, void *target, char *reason) {
    static const char units[] = "KMGT";
    const size_t length = strlen(text);
    const char *unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
    const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    char number[24] = "";
    uint64_t count = 0;
    const size_t digits = unit != NULL ? length - 1 : length;

    if (digits < sizeof number) {
        memcpy(number, text, digits);
    }
    if (!option_u64(number, &count, reason) || count == 0 || count > (UINT64_MAX >> shift)) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is invalid; expected bytes, such as 512M or 4G", text);
        return false;
    }
    *(uint64_t *)target = count << shift;
    return true;
}

static bool parse_jobs(const char *text, void *target, char *reason) {
    enum { MAX_JOBS = 1024 };
    size_t count = 0;

    if (!option_size(text, &count, reason) || count < 1 || count > MAX_JOBS) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected a number from 1 to %d",
                 text, MAX_JOBS);
        return false;
    }
    *(size_t *)target = count;
    return true;
}

#define AT(field) offsetof(resample_options, field)
static const option resample_table[] = {
    {"--rate", 'r', "HZ", "target rate: 60, 29.97, 30000/1001, or relative to the source: x2, /4",
     resample_option_rate, AT(rate)},
    {"--out", 'o', "OUT", "output file; - is standard output", option_text, AT(out)},
    {"--out-dir", 0, "DIR", "output folder of a batch; results mirror the inputs", option_text,
     AT(out_dir)},
    {"--to", 0, "FORMAT",
     "format of outputs without an extension, and of all outputs of a batch: bvh, gltf,\n"
     "glb, npz, csv",
     motion_option_format, AT(to)},
    {"--clip", 0, "NAME",
     "a clip to resample, by its name or number; may be repeated; default: all", motion_option_clip,
     AT(clips)},
    {"--start", 0, "S", "time of the first sample, in seconds", parse_seconds, AT(start)},
    {"--end", 0, "S", "time of the last sample at the latest, in seconds", parse_seconds, AT(end)},
    {"--end-rule", 0, "RULE",
     "fit (default): the last sample is the last multiple that fits;\n"
     "include: adds a sample at the end itself",
     parse_end_rule, AT(end_rule)},
    {"--max-frames", 0, "N", "maximum number of frames in a result; default 100000000",
     option_frames, AT(max_frames)},
    {"--trim-start", 0, "N", "drop the first N frames, such as a T-pose", option_size,
     AT(trim_start)},
    {"--decimals", 0, "N", "decimals of computed numbers; default 6", resample_option_decimals,
     AT(decimals)},
    {"--check", 0, NULL, "also evaluate on the reference path and report the difference", NULL,
     AT(check)},
    {"--json", 0, NULL, "print the report as JSON; of a batch its records, one a line", NULL,
     AT(json)},
};
#undef AT

static bool parse_pages(const char *text, void *target, char *reason) {
    enum { MAX_PAGES = 10000 };
    batch_options *batch = target;

    batch->has_report_pages = true;
    if (!option_size(text, &batch->report_pages, reason) || batch->report_pages > MAX_PAGES) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected a number from 0 to %d",
                 text, MAX_PAGES);
        return false;
    }
    return true;
}

#define AT(field) offsetof(batch_options, field)
static const option batch_table[] = {
    {"--files-from", 0, "LIST",
     "take inputs from a list, one a line as a path or a JSON object, or from a tar\n"
     "archive; - is standard input",
     option_text, AT(files_from)},
    {"--match", 0, "GLOB", "pick files in folders by name; default: all motion formats",
     option_text, AT(match)},
    {"--jobs", 0, "N", "files at a time; default: one per processor", parse_jobs, AT(jobs)},
    {"--memory", 0, "BYTES", "limit of memory, such as 4G; default: a quarter of the machine's",
     parse_memory, AT(memory)},
    {"--shard", 0, "I/N",
     "do only part I, from 0, of N equal parts; auto: by the variables of Slurm,\n"
     "Open MPI or PMI",
     option_text, AT(shard)},
    {"--resume", 0, NULL, "keep outputs that the records prove right", NULL, AT(resume)},
    {"--verify", 0, NULL, "with --resume, also read the outputs and compare their digests", NULL,
     AT(verify)},
    {"--overwrite", 0, NULL, "replace outputs that exist", NULL, AT(overwrite)},
    {"--records", 0, "FILE", "where to append records; default: DIR/.posemill/records-I.jsonl",
     option_text, AT(records)},
    {"--report", 0, "DIR",
     "compare all outputs with their sources: an index.html that sorts them by error,\n"
     "and pages of the worst",
     option_text, AT(report)},
    {"--report-pages", 0, "N", "how many of the worst get a page; default 10; 0: only the index",
     parse_pages, 0},
};
#undef AT

static const command_help help = {
    .name = "resample",
    .usage = "IN -o OUT --rate HZ [--method NAME] [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR --rate HZ [OPTIONS]",
    .summary = "Converts motion files to another frame rate. Rotations are interpolated as\n"
               "rotations. Samples at the time of a source frame keep the values of that frame.",
    .notes =
        "Reads and writes BVH, glTF, GLB, NPZ and CSV, by the extensions of the names; - is\n"
        "standard input or output. Where the formats differ, the result is converted. The\n"
        "default method is slerp, for glTF `authored`: each channel by its own interpolation.\n"
        "sterp turns about the bones unless --axis is given.\n"
        "With --out-dir, folders are searched through, and outputs have the names and folders of\n"
        "the inputs, with the extension of --to if it is given. A record of each file is kept;\n"
        "--resume does what is left or has changed. The results are the same for any number of\n"
        "jobs, shards and runs.",
    .example = "posemill resample walk.bvh -o walk120.bvh --rate 120 --method squad\n"
               "posemill resample takes --out-dir half --rate /2 --resume",
    .takes_operands = true,
};

/* The first option that only batches have. NULL: none is given. */
static const char *find_batch_option(const batch_options *batch) {
    const struct {
        bool given;
        const char *name;
    } all[] = {{batch->files_from != NULL, "--files-from"},
               {batch->match != NULL, "--match"},
               {batch->jobs != 0, "--jobs"},
               {batch->memory != 0, "--memory"},
               {batch->shard != NULL, "--shard"},
               {batch->resume, "--resume"},
               {batch->verify, "--verify"},
               {batch->overwrite, "--overwrite"},
               {batch->has_report_pages, "--report-pages"},
               {batch->records != NULL, "--records"}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].given) {
            return all[i].name;
        }
    }
    return NULL;
}

static cli_exit check_batch_options(const resample_options *options, const batch_options *batch) {
    const char *name = options->out != NULL ? find_batch_option(batch) : NULL;

    if (options->out != NULL && batch->report != NULL) {
        return cli_fail(CLI_USAGE, "--report", "of one file use: posemill compare IN OUT -o PAGE",
                        "requires --out-dir");
    }
    if (name != NULL) {
        return options_usage(&help, name, "requires --out-dir");
    }
    if (batch->verify && !batch->resume) {
        return options_usage(&help, "--verify", "requires --resume");
    }
    if (batch->has_report_pages && batch->report == NULL) {
        return options_usage(&help, "--report-pages", "requires --report");
    }
    if (batch->resume && batch->overwrite) {
        return options_usage(&help, "--overwrite",
                             "cannot be combined with --resume, which replaces "
                             "what the records do not prove right");
    }
    return CLI_DONE;
}

static cli_exit check_options(const resample_options *options, const batch_options *batch,
                              int inputs) {
    if (inputs == 0 && batch->files_from == NULL) {
        return options_usage(&help, "input", "missing; expected a motion file");
    }
    if (options->rate == NULL) {
        return options_usage(&help, "--rate", "required option is missing");
    }
    if ((options->out == NULL) == (options->out_dir == NULL)) {
        return options_usage(&help, "-o", "%s",
                             options->out == NULL ? "missing; expected -o OUT or --out-dir DIR"
                                                  : "cannot be combined with --out-dir");
    }
    if (options->out != NULL && inputs > 1) {
        return options_usage(&help, "-o", "accepts one input, found %d; use --out-dir", inputs);
    }
    if (options->json && options->out != NULL && strcmp(options->out, "-") == 0) {
        return options_usage(&help, "--json",
                             "cannot be combined with an output on standard output");
    }
    if (!options->curve.authored && pm_method_describe(options->curve.method)->takes_in_out) {
        return cli_fail(
            CLI_USAGE, "--method cubicspline",
            "use hermite, squad or spline, which compute tangents from the keys",
            "requires tangents, and BVH files have none; --method authored takes those of glTF");
    }
    return check_batch_options(options, batch);
}

/* ---- one file ----------------------------------------------------------------------- */

static cli_exit one_file(resample_options *options, pm_engine *engine, const char *in,
                         const char *out) {
    resample_report report;
    pm_device_info device;
    const resample_input input = {.path = in};
    const resample_output output = {.path = out};
    cli_exit code = resample_file(options, engine, &input, &output, &report);

    if (code != CLI_DONE) {
        return code;
    }
    pm_engine_info(engine, &device);
    resample_report_print(options, in, out, &report, device.name);
    return CLI_DONE;
}

static cli_exit run_one(resample_options *options, const char *in) {
    pm_engine *engine = NULL;
    cli_exit code = resample_check_input(options, in);

    if (code == CLI_DONE) {
        code = resample_check_output(options, in, options->out);
    }
    if (code == CLI_DONE) {
        code = device_options_engine(&options->device, &engine);
    }
    if (code == CLI_DONE) {
        code = one_file(options, engine, in, options->out);
    }
    pm_engine_destroy(&engine);
    return code;
}

static cli_exit run_batch(const resample_options *options, const batch_options *batch,
                          char **operands, size_t count) {
#if POSEMILL_BATCH
    return batch_resample(options, batch, operands, count);
#else
    (void)options, (void)batch, (void)operands, (void)count;
    return cli_fail(CLI_USAGE, "--out-dir", "configure with -DPOSEMILL_BATCH=ON",
                    "this posemill was built without batches");
#endif
}

int cmd_resample(int argc, char **argv) {
    resample_options options;
    batch_options batch;
    cli_exit code = CLI_DONE;
    option_group groups[5];
    char *command = page_command_line(argc, argv);

    memset(&options, 0, sizeof options);
    memset(&batch, 0, sizeof batch);
    batch.report_pages = 10;
    batch.command = command != NULL ? command : "posemill resample";
    options.decimals = 6;
    options.max_frames = OPTION_MAX_FRAMES;
    options.device.in_background = true;
    options.curve.takes_authored = true;
    groups[0] = (option_group){"Rates and files", resample_table,
                               sizeof resample_table / sizeof resample_table[0], &options};
    groups[1] = motion_options_group(&options.motion);
    groups[2] = curve_options_group(&options.curve);
    groups[3] = (option_group){"Batches, with --out-dir", batch_table,
                               sizeof batch_table / sizeof batch_table[0], &batch};
    groups[4] = device_options_group(&options.device);
    if (options_parse(&help, groups, 5, &argc, argv, &code)) {
        code = check_options(&options, &batch, argc);
        if (code == CLI_DONE) {
            code = options.out != NULL ? run_one(&options, argv[0])
                                       : run_batch(&options, &batch, argv, (size_t)argc);
        }
    }
    free(command);
    curve_options_release(&options.curve);
    return (int)code;
}
