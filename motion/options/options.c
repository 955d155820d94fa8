/* SPDX-License-Identifier: MIT
 *
 * Structs that are filled by names and texts: finding the row of a name, setting it, and what rows require of
 * each other.
 */
#include "motion/options/options.h"

#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/fault.h"
#include "motion/options/nearest.h"

static const char *const verb_names[VERB_COUNT] = {
    [VERB_DEVICES] = "devices",     [VERB_EVAL] = "eval",     [VERB_RESAMPLE] = "resample",
    [VERB_CONVERT] = "convert",     [VERB_EDIT] = "edit",     [VERB_JOIN] = "join",
    [VERB_MIRROR] = "mirror",       [VERB_REDUCE] = "reduce", [VERB_RUN] = "run",
    [VERB_COMPARE] = "compare",     [VERB_VIEW] = "view",     [VERB_INFO] = "info",
    [VERB_CHARACTER] = "character", [VERB_LIST] = "list",     [VERB_MERGE] = "merge",
    [VERB_METHODS] = "methods",     [VERB_VERIFY] = "verify", [VERB_BENCH] = "bench"};

const char *option_verb_name(option_verb verb) {
    return (unsigned)verb < VERB_COUNT ? verb_names[verb] : NULL;
}

/* The bit of a verb; 0: there is none of this name. */
static uint64_t verb_of(const char *name) {
    for (size_t i = 0; name && i < VERB_COUNT; i++)
        if (strcmp(name, verb_names[i]) == 0)
            return UINT64_C(1) << i;
    return 0;
}

size_t pm_option_count(void) {
    return option_row_count;
}

const pm_option_info *pm_option_get_info(size_t option) {
    return option < option_row_count ? &option_rows[option].info : NULL;
}

const char *pm_option_get_word(size_t option, size_t index) {
    return option < option_row_count ? option_word_at(&option_rows[option], index) : NULL;
}

bool pm_option_is_of(size_t option, const char *verb) {
    return option < option_row_count && (option_rows[option].verbs & verb_of(verb)) != 0;
}

const option_row *options_row(const pm_motion_options *o, size_t index) {
    if (index < option_row_count)
        return &option_rows[index];
    index -= option_row_count;
    return index < o->front_count ? &o->front_rows[index] : NULL;
}

/* - and _ are the same. */
static bool is_named(const char *own, const char *name, size_t size) {
    if (!own || strlen(own) != size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (own[i] != (name[i] == '_' ? '-' : name[i]))
            return false;
    return true;
}

static const option_row *find(const pm_motion_options *o, const char *name, size_t size,
                              char letter) {
    const option_row *row = NULL;
    for (size_t i = 0; (row = options_row(o, i)) != NULL; i++)
        if ((row->verbs & o->verbs) != 0 &&
            (letter != 0
                 ? row->letter == letter
                 : is_named(row->info.name, name, size) || is_named(row->other_name, name, size)))
            return row;
    return NULL;
}

const option_row *options_find(const pm_motion_options *o, const char *name, size_t size) {
    return find(o, name, size, 0);
}

const option_row *options_find_letter(const pm_motion_options *o, char letter) {
    return find(o, NULL, 0, letter);
}

const char *options_find_nearest(const pm_motion_options *o, const char *name, size_t size) {
    nearest meant = {.text = name, .size = size};
    const option_row *row = NULL;
    for (size_t i = 0; (row = options_row(o, i)) != NULL; i++)
        if ((row->verbs & o->verbs) != 0)
            nearest_try(&meant, row->info.name);
    return meant.word;
}

void option_spell(const char *text, const char *mark, char *spelled, size_t size) {
    size_t used = 0;
    for (; *text != '\0' && used + 1 < size; text++)
        if (*text == '{')
            used += (size_t)snprintf(spelled + used, size - used, "%s", mark);
        else if (*text != '}')
            spelled[used++] = *text;
    spelled[used < size ? used : size - 1] = '\0';
}

static void *place_of(pm_motion_options *o, option_struct of) {
    void *const places[OPTION_STRUCTS] = {[OPTIONS_READ] = &o->batch.task.read,
                                          [OPTIONS_TASK] = &o->batch.task,
                                          [OPTIONS_CURVE] = &o->batch.task.curve,
                                          [OPTIONS_ROOT] = &o->batch.task.root,
                                          [OPTIONS_FILL] = &o->fill,
                                          [OPTIONS_EDIT] = &o->edit,
                                          [OPTIONS_MIRROR] = &o->mirror,
                                          [OPTIONS_REDUCE] = &o->reduce,
                                          [OPTIONS_JOIN] = &o->join,
                                          [OPTIONS_COMPARE] = &o->compare,
                                          [OPTIONS_PICTURE] = &o->picture,
                                          [OPTIONS_BATCH] = &o->batch,
                                          [OPTIONS_SOURCES] = &o->sources,
                                          [OPTIONS_DEVICE] = &o->device,
                                          [OPTIONS_FRONT] = o->front};
    return places[of];
}

void options_of_task(const pm_motion_batch_task *task, const void *places[OPTION_STRUCTS]) {
    memset(places, 0, OPTION_STRUCTS * sizeof *places);
    places[OPTIONS_READ] = &task->read;
    places[OPTIONS_TASK] = task;
    places[OPTIONS_CURVE] = &task->curve;
    places[OPTIONS_ROOT] = task->extracts_root ? &task->root : NULL;
    places[OPTIONS_FILL] = task->fill;
    places[OPTIONS_EDIT] = task->edit;
    places[OPTIONS_MIRROR] = task->mirror;
    places[OPTIONS_REDUCE] = task->reduce;
}

/* The index of a row among all. */
static size_t index_of(const pm_motion_options *o, const option_row *row) {
    size_t i = 0;
    while (options_row(o, i) != row)
        i++;
    return i;
}

bool options_set_row(pm_motion_options *o, const option_row *row, const char *value,
                     char reason[OPTION_REASON]) {
    const option_target to = {row, place_of(o, row->of), &o->arena};
    const bool good = row->type->parse(&to, value, reason);
    o->given[index_of(o, row)] = good && (row->type != &option_flag || strcmp(value, "false") != 0);
    return good;
}

const char *options_input(pm_motion_options *o, size_t index) {
    const option_row *row = options_row(o, index);
    return row && row->type->path && o->given[index] ? row->type->path(row, place_of(o, row->of))
                                                     : NULL;
}

/* A name of `size` bytes. */
static bool is_given(const pm_motion_options *o, const char *name, size_t size) {
    const option_row *row = NULL;
    for (size_t i = 0; (row = options_row(o, i)) != NULL; i++)
        if (o->given[i] && is_named(row->info.name, name, size))
            return true;
    return false;
}

bool options_is_given(const pm_motion_options *o, const char *name) {
    return is_given(o, name, strlen(name));
}

/* The first of the names, with blanks between, that was set; NULL: none. */
static const char *find_given(const pm_motion_options *o, const char *names, size_t *size) {
    for (const char *at = names; *at != '\0'; at += *size + strspn(at + *size, " ")) {
        *size = strcspn(at, " ");
        if (is_given(o, at, *size))
            return at;
    }
    return NULL;
}

/* Structs of the verb, and what several structs have in common. */
static void connect(pm_motion_options *o) {
    pm_motion_batch_task *task = &o->batch.task;
    const bool edits = (o->verbs & OF(EDIT)) != 0, mirrors = (o->verbs & OF(MIRROR)) != 0;
    const bool is_one = (o->verbs & (o->verbs - 1)) == 0;
    const bool runs = (o->verbs & OF(RUN)) != 0;
    task->converts = is_one && (edits || mirrors || runs || (o->verbs & OF(CONVERT)) != 0);
    task->edit = is_one && edits ? &o->edit : NULL;
    task->mirror = is_one && mirrors ? &o->mirror : NULL;
    task->reduce = is_one && (o->verbs & OF(REDUCE)) != 0 ? &o->reduce : NULL;
    task->fill = options_is_given(o, "fill") ? &o->fill : NULL;
    task->read.keep_nan = task->fill != NULL;
    if (task->converts)
        task->curve.authored = task->curve.method_given = true;
    if (task->reduce && task->format == PM_MOTION_ANY)
        task->format = PM_MOTION_GLB;
    task->read.up = task->root.up = o->join.up = o->compare.up = task->up;
    task->read.unit_mm = o->compare.unit_mm = task->unit_mm;
    o->compare.method = task->curve.method;
    o->compare.start_after_first_key = task->start_after_first_key;
    o->compare.end_after_first_key = task->end_after_first_key;
    o->compare.trim_start = task->trim_start;
    o->compare.max_times = task->max_samples;
}

bool options_settle(pm_motion_options *o, option_conflict *found) {
    connect(o);
    for (size_t i = 0; (found->row = options_row(o, i)) != NULL; i++) {
        const char *required = found->row->requires, *excluded = found->row->excludes;
        if (!o->given[i])
            continue;
        found->is_lacking = required && !find_given(o, required, &found->size);
        found->names = found->is_lacking ? required
                       : excluded        ? find_given(o, excluded, &found->size)
                                         : NULL;
        if (found->is_lacking)
            found->size = strlen(required);
        if (found->names)
            return false;
    }
    return true;
}

pm_status pm_motion_options_create(const char *verb, pm_motion_options **options, pm_error *error) {
    enum { USUAL_PAGES = 10 };
    const uint64_t verbs = verb ? verb_of(verb) : ~UINT64_C(0);
    if (!options)
        return motion_fail(error, PM_ERROR_ARGUMENT, "options is NULL");
    *options = NULL;
    if (verbs == 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "'%.40s' is no verb of the command", verb);
    *options = calloc(1, sizeof **options);
    MOTION_TRY_MEMORY(*options, error);
    (*options)->verbs = verbs;
    (*options)->batch.report_pages = USUAL_PAGES;
    return PM_OK;
}

void pm_motion_options_destroy(pm_motion_options **options) {
    if (!options || !*options)
        return;
    motion_arena_release(&(*options)->arena);
    free(*options);
    *options = NULL;
}

pm_status pm_motion_options_set(pm_motion_options *o, const char *name, const char *value,
                                pm_error *error) {
    char reason[OPTION_REASON] = "value is invalid";
    if (!o || !name || !value)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !o      ? "options"
                           : !name ? "name"
                                   : "value");
    const option_row *row = options_find(o, name, strlen(name));
    void *before = c_locale_begin();
    const bool good = row && options_set_row(o, row, value, reason);
    c_locale_end(before);
    if (good)
        return PM_OK;
    if (row)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, row->info.name, "%s", reason);
    const char *meant = options_find_nearest(o, name, strlen(name));
    return motion_fail(error, PM_ERROR_ARGUMENT, "'%.40s' is no option%s%s%s", name,
                       meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

/* "requires start or trim_start". */
static pm_status refuse_conflict(const option_conflict *found, pm_error *error) {
    char names[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < found->size && used + 8 < sizeof names; i++) {
        const char c = found->names[i];
        if (c == ' ')
            used += (size_t)snprintf(names + used, sizeof names - used, " or ");
        else
            names[used++] = c == '-' ? '_' : c;
    }
    const char *what = found->is_lacking ? "requires" : "cannot be combined with";
    return motion_fail_option(error, PM_ERROR_ARGUMENT, found->row->info.name, "%s %s", what,
                              names);
}

pm_status pm_motion_options_get(pm_motion_options *o, const pm_motion_option_values **values,
                                pm_error *error) {
    option_conflict found;
    if (!o || !values)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !o ? "options" : "values");
    if (!options_settle(o, &found))
        return refuse_conflict(&found, error);
    o->values = (pm_motion_option_values){.batch = &o->batch,
                                          .task = &o->batch.task,
                                          .read = &o->batch.task.read,
                                          .sources = &o->sources,
                                          .reduce = &o->reduce,
                                          .fill = &o->fill,
                                          .edit = &o->edit,
                                          .mirror = &o->mirror,
                                          .join = &o->join,
                                          .compare = &o->compare,
                                          .picture = &o->picture,
                                          .device = o->device.device,
                                          .reference = o->device.reference};
    *values = &o->values;
    return PM_OK;
}
