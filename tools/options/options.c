/* SPDX-License-Identifier: MIT
 *
 * The option parser of every verb.
 */
#include "options.h"
#include "help.h"
#include "motion/steps/steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *verb_of(const command_options *o) {
    option_verb verb = 0;
    while ((o->set->verbs >> verb & 1) == 0)
        verb++;
    return option_verb_name(verb);
}

cli_exit options_usage(const command_options *o, const char *what, const char *reason, ...) {
    char text[1024], hint[128];
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    snprintf(hint, sizeof hint, "see: posemill %s --help", verb_of(o));
    return cli_fail(CLI_USAGE, what, hint, "%s", text);
}

static cli_exit refuse_row(const command_options *o, const option_row *row, const char *reason) {
    char name[64];
    snprintf(name, sizeof name, "--%s", row->info.name);
    return options_usage(o, name, "%s", reason);
}

/* The options that a word is for: of the verb, or of the step before it. */
static pm_motion_options *set_of(const command_options *o) {
    return o->step_count > 0 ? o->step_sets[o->step_count - 1] : o->set;
}

static bool is_taken(const command_options *o, const option_row *row) {
    return o->step_count == 0 || row->of == OPTIONS_FRONT ||
           task_step_takes(task_find_step(o->steps[o->step_count - 1].name), row->info.name);
}

static cli_exit refuse_unknown(const command_options *o, const char *word, size_t length) {
    char hint[128];
    const size_t dashes = strspn(word, "-");
    const char *meant = options_find_nearest(set_of(o), word + dashes, length - dashes);
    if (o->step_count > 0)
        return options_usage(o, word, "is no option of the step %s, which takes: %s",
                             o->steps[o->step_count - 1].name,
                             task_find_step(o->steps[o->step_count - 1].name)->options);
    if (!meant)
        return options_usage(o, word, "unknown option");
    snprintf(hint, sizeof hint, "did you mean --%s? see: posemill %s --help", meant, verb_of(o));
    return cli_fail(CLI_USAGE, word, hint, "unknown option");
}

static cli_exit store(command_options *o, const option_row *row, const char *text) {
    char reason[OPTION_REASON] = "value is invalid";
    return options_set_row(set_of(o), row, text, reason) ? CLI_DONE : refuse_row(o, row, reason);
}

/* Handles the option argv[*at] and moves *at to its last argument. */
static cli_exit parse_option(command_options *o, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    const bool is_long = word[1] == '-';
    const char *value = is_long ? strchr(word, '=') : (word[2] != '\0' ? word + 2 : NULL);
    const size_t length = is_long && value ? (size_t)(value - word) : strlen(word);
    const option_row *row = is_long ? options_find(set_of(o), word + 2, length - 2)
                                    : options_find_letter(set_of(o), word[1]);
    /* Names of the command have no _. */
    if (!row || !is_taken(o, row) || (is_long && memchr(word, '_', length)))
        return refuse_unknown(o, word, length);
    if (is_long && value)
        value++;
    if (row->type == &option_flag && value) {
        char name[64];
        snprintf(name, sizeof name, "--%s", row->info.name);
        return options_usage(o, word, "%s takes no value", name);
    }
    if (!row->info.argument)
        return store(o, row, value ? value : "true");
    if (!value && *at + 1 >= argc) {
        char reason[64];
        snprintf(reason, sizeof reason, "value is missing; expected %.32s", row->info.argument);
        return refuse_row(o, row, reason);
    }
    return store(o, row, value ? value : argv[++*at]);
}

static cli_exit add_step(command_options *o, const task_step *step) {
    pm_error error = {.status = PM_OK};
    pm_motion_step *steps = realloc(o->steps, (o->step_count + 1) * sizeof *steps);
    o->steps = steps ? steps : o->steps;
    pm_motion_options **sets = realloc(o->step_sets, (o->step_count + 1) * sizeof(*sets));
    o->step_sets = sets ? sets : o->step_sets;
    if (!steps || !sets)
        return cli_fail(CLI_BAD_INPUT, "run", CLI_MEMORY_HINT, "memory is exhausted");
    CLI_TRY(cli_done(pm_motion_options_create(step->verb, &sets[o->step_count], &error), &error));
    pm_motion_options *set = sets[o->step_count];
    set->front_rows = command_rows;
    set->front_count = command_row_count;
    set->front = o;
    steps[o->step_count++] = (pm_motion_step){.name = step->name, .options = &set->batch.task};
    return CLI_DONE;
}

static cli_exit parse_words(const command *verb, command_options *o, int *argc, char **argv) {
    int operands = 0;
    bool options_over = false;
    cli_exit code = CLI_DONE;
    for (int at = 1; at < *argc && code == CLI_DONE && o->help == 0; at++) {
        const bool is_option = !options_over && argv[at][0] == '-' && argv[at][1] != '\0';
        if (is_option && strcmp(argv[at], "--") == 0)
            options_over = true;
        else if (is_option)
            code = parse_option(o, *argc, argv, &at);
        else if (verb->takes_steps && !options_over && task_find_step(argv[at]))
            code = add_step(o, task_find_step(argv[at]));
        else if (!verb->takes_operands)
            code = options_usage(o, argv[at], "unexpected argument");
        else
            argv[operands++] = argv[at];
    }
    *argc = operands;
    return code;
}

/* "--start or --trim-start": names with blanks between. */
static void spell(const char *names, size_t size, char *text, size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t at = 0, length; at < size && used < room;
         at += length + (names[at + length] == ' ')) {
        length = strcspn(names + at, " ");
        length = length < size - at ? length : size - at;
        used += (size_t)snprintf(text + used, room - used, "%s--%.*s", at > 0 ? " or " : "",
                                 (int)length, names + at);
    }
}

/* What options require of each other. */
static cli_exit settle(const command_options *o, pm_motion_options *set) {
    option_conflict found;
    char names[128], reason[OPTION_REASON];
    if (options_settle(set, &found))
        return CLI_DONE;
    spell(found.names, found.size, names, sizeof names);
    snprintf(reason, sizeof reason, "%s %s",
             found.is_lacking ? "requires" : "cannot be combined with", names);
    char cure[128], name[64];
    if (!found.row->cure)
        return refuse_row(o, found.row, reason);
    option_spell(found.row->cure, "--", cure, sizeof cure);
    snprintf(name, sizeof name, "--%s", found.row->info.name);
    return cli_fail(CLI_USAGE, name, cure, "%s", reason);
}

/* The words of a command line. NULL: memory is exhausted. */
static char *join_words(int argc, char **argv) {
    size_t size = sizeof "posemill";
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *line = malloc(size);
    size_t at = line ? (size_t)snprintf(line, size, "posemill") : 0;
    for (int i = 0; line && i < argc; i++)
        at += (size_t)snprintf(line + at, size - at, " %s", argv[i]);
    return line;
}

int command_main(const command *verb, int argc, char **argv) {
    command_options o;
    pm_error error = {.status = PM_OK};
    memset(&o, 0, sizeof o);
    cli_exit code =
        cli_done(pm_motion_options_create(option_verb_name(verb->verb), &o.set, &error), &error);
    o.line = join_words(argc, argv);
    if (code == CLI_DONE && !o.line)
        code = cli_fail(CLI_BAD_INPUT, option_verb_name(verb->verb), CLI_MEMORY_HINT,
                        "memory is exhausted");
    if (code == CLI_DONE) {
        o.set->front_rows = command_rows;
        o.set->front_count = command_row_count;
        o.set->front = &o;
        o.set->batch.made_by = o.line;
        code = parse_words(verb, &o, &argc, argv);
    }
    if (o.quiet)
        cli_quiet = true;
    if (o.verbose)
        cli_verbose = true;
    if (code == CLI_DONE && o.help > 0) {
        help_print((help_style)(o.help - 1), verb);
    } else if (code == CLI_DONE) {
        o.device.device = o.set->device.device;
        o.device.reference = o.set->device.reference;
        code = settle(&o, o.set);
        for (size_t i = 0; code == CLI_DONE && i < o.step_count; i++)
            code = settle(&o, o.step_sets[i]);
        o.set->batch.task.steps = o.steps;
        o.set->batch.task.step_count = o.step_count;
        if (code == CLI_DONE)
            code = verb->run(&o, argc, argv);
    }
    for (size_t i = 0; i < o.step_count; i++)
        pm_motion_options_destroy(&o.step_sets[i]);
    pm_motion_options_destroy(&o.set);
    MOTION_FREE(o.step_sets, o.steps, o.line);
    return (int)code;
}
