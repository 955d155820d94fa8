/* SPDX-License-Identifier: MIT
 *
 * The table of options about batches.
 */
#include "batch_options.h"

#include <stdio.h>
#include <string.h>

/* "512M": bytes, with K, M, G or T for powers of 1024. */
static bool parse_memory(const char *text, void *target, char *reason) {
    static const char units[] = "KMGT";
    const size_t length = strlen(text);
    const char *unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    char number[24] = "";
    uint64_t count = 0;
    const size_t digits = unit ? length - 1 : length;

    if (digits < sizeof number)
        memcpy(number, text, digits);
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

    if (!value_size(text, &count, reason) || count < 1 || count > MAX_JOBS) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected a number from 1 to %d",
                 text, MAX_JOBS);
        return false;
    }
    *(size_t *)target = count;
    return true;
}

static bool parse_pages(const char *text, void *target, char *reason) {
    enum { MAX_PAGES = 10000 };
    batch_options *batch = target;

    batch->has_report_pages = true;
    if (!value_size(text, &batch->run.report_pages, reason) ||
        batch->run.report_pages > MAX_PAGES) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected a number from 0 to %d",
                 text, MAX_PAGES);
        return false;
    }
    return true;
}

#define AT(field) offsetof(batch_options, field)
static const option batch_table[] = {
    {"--files-from", 0, "LIST",
     "take inputs from a list with a path or a JSON object per line, or from a tar\n"
     "archive; - is standard input",
     value_text, AT(files_from)},
    {"--match", 0, "GLOB", "pick files in folders by name; default: all motion formats",
     value_text, AT(match)},
    {"--jobs", 0, "N", "files at a time; default: one per processor", parse_jobs, AT(run.jobs)},
    {"--memory", 0, "BYTES", "limit of memory, such as 4G; default: a quarter of the machine's",
     parse_memory, AT(run.memory)},
    {"--shard", 0, "I/N",
     "do only part I, from 0, of N equal parts; auto: by the variables of Slurm,\n"
     "Open MPI or PMI",
     value_text, AT(shard)},
    {"--resume", 0, NULL, "keep outputs that the records prove correct", NULL, AT(run.resume)},
    {"--verify", 0, NULL, "with --resume, also read the outputs and compare their digests", NULL,
     AT(run.verify)},
    {"--overwrite", 0, NULL,
     "replace outputs that exist; without --out-dir: let the result replace its source", NULL,
     AT(run.overwrite)},
    {"--records", 0, "FILE", "where to append records; default: DIR/.posemill/records-I.jsonl",
     value_text, AT(run.records)},
};

static const option report_table[] = {
    {"--report", 0, "DIR",
     "compare all outputs with their sources: an index.html that sorts them by error,\n"
     "and pages of the worst",
     value_text, AT(run.report)},
    {"--report-pages", 0, "N", "how many of the worst get a page; default 10; 0: only the index",
     parse_pages, 0},
};
#undef AT

option_group batch_options_group(batch_options *options) {
    return (option_group){"Batches, with --out-dir", batch_table,
                          sizeof batch_table / sizeof batch_table[0], options};
}

option_group batch_report_options_group(batch_options *options) {
    enum { USUAL_PAGES = 10 };
    options->run.report_pages = USUAL_PAGES;
    return (option_group){NULL, report_table, sizeof report_table / sizeof report_table[0],
                          options};
}

/* ---- conflicts -------------------------------------------------------------------------- */

/* The first option that only batches have. NULL: none is given. */
static const char *find_batch_option(const batch_options *batch) {
    const struct {
        bool given;
        const char *name;
    } all[] = {{batch->files_from != NULL, "--files-from"},
               {batch->match != NULL, "--match"},
               {batch->run.jobs != 0, "--jobs"},
               {batch->run.memory != 0, "--memory"},
               {batch->shard != NULL, "--shard"},
               {batch->run.resume, "--resume"},
               {batch->run.verify, "--verify"},
               {batch->has_report_pages, "--report-pages"},
               {batch->run.records != NULL, "--records"}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].given)
            return all[i].name;
    return NULL;
}

cli_exit batch_options_check(const command_help *help, const batch_options *options,
                             bool is_batch) {
    const char *name = is_batch ? NULL : find_batch_option(options);

    if (!is_batch && options->run.report)
        return cli_fail(CLI_USAGE, "--report", "of one file use: posemill compare IN OUT -o PAGE",
                        "requires --out-dir");
    if (name)
        return options_usage(help, name, "requires --out-dir");
    if (options->run.verify && !options->run.resume)
        return options_usage(help, "--verify", "requires --resume");
    if (options->has_report_pages && !options->run.report)
        return options_usage(help, "--report-pages", "requires --report");
    if (options->run.resume && options->run.overwrite)
        return options_usage(help, "--overwrite",
                             "cannot be combined with --resume, which replaces "
                             "what the records do not prove correct");
    return CLI_DONE;
}
