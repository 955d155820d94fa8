/* SPDX-License-Identifier: MIT
 *
 * The functions of the Python package, a row each. A step takes the options of the step; others take topics
 * of the verb, and options by name.
 */
#include "functions.h"

#include <string.h>

#include "motion/options/nearest.h"
#include "motion/options/options.h"
#include "motion/steps/steps.h"

typedef struct function_row {
    const char *name, *verb, *step;
    const char *topics;  /* with blanks between; "-": options without a topic */
    const char *names;   /* also these */
    const char *without; /* not these */
} function_row;

/* Files of batches are arguments of their own, and reports are made by the command. */
#define OF_BATCH_ALONE                                                                             \
    "out-dir files-from match jobs resume verify overwrite records report report-pages"

static const function_row functions[] = {
    {.name = "load",
     .verb = "resample",
     .topics = "reading",
     .names = "fill fill-max",
     .without = "up unit"},
    {.name = "fill", .verb = "resample", .step = "fill"},
    {.name = "cut", .verb = "edit", .step = "cut"},
    {.name = "repeat", .verb = "edit", .step = "repeat"},
    {.name = "pick", .verb = "edit", .step = "pick"},
    {.name = "mirror", .verb = "mirror", .step = "mirror"},
    {.name = "lowpass", .verb = "resample", .step = "lowpass"},
    {.name = "resample", .verb = "resample", .step = "resample", .without = "check"},
    {.name = "reduce", .verb = "reduce", .step = "reduce"},
    {.name = "transform", .verb = "convert", .step = "transform"},
    {.name = "apply_scale", .verb = "convert", .step = "apply-scale", .without = "apply-scale"},
    {.name = "extract_root", .verb = "convert", .step = "root"},
    {.name = "save", .verb = "run", .topics = "writing", .names = "to clip up unit strict"},
    {.name = "convert",
     .verb = "convert",
     .topics = "reading writing root",
     .names = "rate to clip"},
    {.name = "join", .verb = "join", .names = "blend continue-root up"},
    {.name = "compare", .verb = "compare", .topics = "-", .names = "up unit"},
    {.name = "show",
     .verb = "view",
     .names = "rate start end trim-start up unit",
     .without = "out-dir"},
    {.name = "draw", .verb = "view", .topics = "-", .names = "up unit", .without = "rate out-dir"},
    {.name = "library",
     .verb = "resample",
     .topics = "reading",
     .names = "fill fill-max scale to-up",
     .without = "unit skeleton"},
    {.name = "batch",
     .verb = "resample",
     .topics = "- reading writing root curve device batch",
     .without = OF_BATCH_ALONE},
    {.name = "batch_reduce",
     .verb = "reduce",
     .topics = "- reading writing batch",
     .without = OF_BATCH_ALONE},
    {.name = "batch_steps",
     .verb = "run",
     .topics = "- reading writing device batch",
     .without = OF_BATCH_ALONE},
};

size_t native_function_count(void) {
    return sizeof functions / sizeof *functions;
}

const char *native_function_name(size_t function) {
    return functions[function].name;
}

const char *native_function_step(size_t function) {
    return functions[function].step;
}

const char *native_step_names(void) {
    return TASK_STEP_NAMES;
}

/* Whether a list with blanks between has a word. */
static bool lists(const char *list, const char *word) {
    const size_t size = strlen(word);
    for (const char *at = list; at && *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, word, size) == 0)
            return true;
        at += length;
    }
    return false;
}

bool native_function_takes(size_t function, size_t option) {
    const function_row *f = &functions[function];
    const pm_option_info *info = pm_option_get_info(option);
    if (!pm_option_is_of(option, f->verb) || lists(f->without, info->name))
        return false;
    return f->step
               ? task_step_takes(task_find_step(f->step), info->name)
               : lists(f->topics, info->topic ? info->topic : "-") || lists(f->names, info->name);
}

bool native_option_is_flag(size_t option) {
    return !pm_option_get_info(option)->argument;
}

unsigned native_option_formats(size_t option) {
    return option_rows[option].formats;
}

const char *native_function_nearest(size_t function, const char *name) {
    nearest meant = {.text = name, .size = strlen(name)};
    for (size_t i = 0; i < pm_option_count(); i++)
        if (native_function_takes(function, i))
            nearest_try(&meant, pm_option_get_info(i)->name);
    return meant.word;
}

pm_status native_function_set(size_t function, const char *texts, size_t count,
                              pm_motion_options **options, const pm_motion_option_values **values,
                              pm_error *error) {
    pm_status status = pm_motion_options_create(functions[function].verb, options, error);
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        const char *value = texts + strlen(texts) + 1;
        status = pm_motion_options_set(*options, texts, value, error);
        texts = value + strlen(value) + 1;
    }
    if (status == PM_OK)
        status = pm_motion_options_get(*options, values, error);
    if (status != PM_OK)
        pm_motion_options_destroy(options);
    return status;
}
