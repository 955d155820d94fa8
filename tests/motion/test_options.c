/* SPDX-License-Identifier: MIT
 *
 * The table of options, through the public functions: every row is set, refused, misspelt, and asked of verbs
 * that do not have it.
 */
#include <posemill/posemill_motion.h>

#include <stdio.h>
#include <string.h>

#include "support/option_samples.h"
#include "support/scoped.h"
#include "support/test.h"

#define SCOPED_OPTIONS SCOPED(pm_motion_options_destroy) pm_motion_options *

static const char *const verbs[] = {"devices", "eval",      "resample", "convert", "edit",
                                    "join",    "mirror",    "reduce",   "compare", "view",
                                    "info",    "character", "list"};

static pm_motion_options *make(const char *verb) {
    pm_motion_options *options = NULL;
    pm_error error = {.status = PM_OK};
    assert_int_equal(pm_motion_options_create(verb, &options, &error), PM_OK);
    assert_non_null(options);
    return options;
}

/* Sets it, for the message of a failure. */
static pm_status set(pm_motion_options *options, const char *name, const char *value,
                     pm_error *error) {
    *error = (pm_error){.status = PM_OK};
    return pm_motion_options_set(options, name, value, error);
}

static void set_well(pm_motion_options *options, const char *name, const char *value) {
    pm_error error;
    if (set(options, name, value, &error) != PM_OK) {
        print_error("%s=%s: %s\n", name, value, error.message);
        fail();
    }
}

static const pm_motion_option_values *get(pm_motion_options *options) {
    const pm_motion_option_values *values = NULL;
    pm_error error = {.status = PM_OK};
    if (pm_motion_options_get(options, &values, &error) != PM_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return values;
}

/* The first verb that takes an option; NULL: only `any`. */
static const char *verb_of(size_t option) {
    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        if (pm_option_is_of(option, verbs[i]))
            return verbs[i];
    return NULL;
}

static void expect_refused(pm_motion_options *options, const char *name, const char *value,
                           const char *says) {
    pm_error error;
    char text[PM_ERROR_TEXT_SIZE];
    const pm_status status = set(options, name, value, &error);
    pm_error_text(&error, PM_SPELLING_COMMAND, text, sizeof text);
    if (status != PM_ERROR_ARGUMENT || !strstr(text, says)) {
        print_error("%s='%s': '%s' is not in: %s\n", name, value, says, text);
        fail();
    }
}

TEST(rows_say_what_they_are) {
    assert_true(pm_option_count() > 70);
    assert_null(pm_option_get_info(pm_option_count()));
    assert_null(pm_option_get_word(pm_option_count(), 0));
    assert_false(pm_option_is_of(pm_option_count(), "resample"));
    for (size_t i = 0; i < pm_option_count(); i++) {
        const pm_option_info *info = pm_option_get_info(i);
        assert_true(strlen(info->name) >= 2 && strlen(info->help) > 8 && info->since[0] != '\0');
        assert_true(info->name[strspn(info->name, "abcdefghijklmnopqrstuvwxyz-")] == '\0');
        assert_non_null(verb_of(i));
        assert_false(pm_option_is_of(i, "nonsense"));
        assert_false(pm_option_is_of(i, NULL));
        assert_true(info->type != PM_OPTION_FLAG || !info->argument);
        assert_true(info->type != PM_OPTION_WORD || pm_option_get_word(i, 0));
    }
}

/* Of a verb, a name is one row. */
TEST(names_are_unique_within_a_verb) {
    for (size_t i = 0; i < pm_option_count(); i++)
        for (size_t j = 0; j < i; j++)
            for (size_t v = 0; v < COUNT_OF(verbs); v++)
                assert_false(pm_option_is_of(i, verbs[v]) && pm_option_is_of(j, verbs[v]) &&
                             strcmp(pm_option_get_info(i)->name, pm_option_get_info(j)->name) == 0);
}

TEST(helps_name_options_of_their_verbs) {
    for (size_t i = 0; i < pm_option_count(); i++) {
        SCOPED_OPTIONS options = make(verb_of(i));
        for (const char *at = pm_option_get_info(i)->help; (at = strchr(at, '{')) != NULL; at++) {
            char name[64];
            pm_error error;
            const int size = (int)strcspn(at + 1, "}");
            snprintf(name, sizeof name, "%.*s", size, at + 1);
            (void)set(options, name, "", &error);
            if (strstr(error.message, "is no option"))
                print_error("%s: %s\n", pm_option_get_info(i)->name, name);
            assert_null(strstr(error.message, "is no option"));
        }
    }
}

TEST(every_option_takes_a_value_with_either_spelling) {
    for (size_t i = 0; i < pm_option_count(); i++) {
        SCOPED_OPTIONS options = make(verb_of(i));
        const pm_option_info *info = pm_option_get_info(i);
        char value[OPTION_SAMPLE], name[64];
        snprintf(name, sizeof name, "%s", info->name);
        for (char *c = name; *c; c++)
            *c = *c == '-' ? '_' : *c;
        set_well(options, info->name, option_sample(i, value));
        set_well(options, name, value);
    }
}

TEST(every_word_is_taken_and_others_are_refused) {
    for (size_t i = 0; i < pm_option_count(); i++) {
        SCOPED_OPTIONS options = make(verb_of(i));
        const pm_option_info *info = pm_option_get_info(i);
        const char *word = NULL;
        for (size_t k = 0; (word = pm_option_get_word(i, k)) != NULL; k++)
            set_well(options, info->name, word);
        if (info->type == PM_OPTION_WORD) {
            expect_refused(options, info->name, "waltz", "'waltz' is unknown");
            expect_refused(options, info->name, "waltz", pm_option_get_word(i, 0));
        }
    }
}

TEST(flags_are_true_or_false) {
    for (size_t i = 0; i < pm_option_count(); i++) {
        SCOPED_OPTIONS options = make(verb_of(i));
        const pm_option_info *info = pm_option_get_info(i);
        if (info->type != PM_OPTION_FLAG)
            continue;
        set_well(options, info->name, "false");
        (void)get(options); /* what it requires is not required */
        expect_refused(options, info->name, "no", "expected true or false");
        expect_refused(options, info->name, "True", "expected true or false");
    }
}

TEST(numbers_out_of_range_are_refused) {
    for (size_t i = 0; i < pm_option_count(); i++) {
        SCOPED_OPTIONS options = make(verb_of(i));
        const pm_option_info *info = pm_option_get_info(i);
        char below[32], above[32];
        if (info->type != PM_OPTION_NUMBER && info->type != PM_OPTION_INTEGER)
            continue;
        snprintf(below, sizeof below, "%.17g", info->is_above ? info->least : info->least - 1);
        snprintf(above, sizeof above, "%.17g", info->most + 1);
        const char *const wrong[] = {below, "", "x", "1x", "nan", "inf", "1e999", "- 1"};
        for (size_t k = 0; k < COUNT_OF(wrong); k++)
            expect_refused(options, info->name, wrong[k], "expected");
        if (info->most > info->least && info->most < 1e15)
            expect_refused(options, info->name, above, "expected");
    }
}

TEST(empty_values_are_refused) {
    for (size_t i = 0; i < pm_option_count(); i++) {
        SCOPED_OPTIONS options = make(verb_of(i));
        expect_refused(options, pm_option_get_info(i)->name, "", pm_option_get_info(i)->name);
    }
}

/* Two letters have changed places. */
TEST(misspelt_names_are_refused_with_the_nearest) {
    for (size_t i = 0; i < pm_option_count(); i++) {
        SCOPED_OPTIONS options = make(verb_of(i));
        char name[64];
        snprintf(name, sizeof name, "%s", pm_option_get_info(i)->name);
        const size_t at = strlen(name) / 2;
        if (strlen(name) < 4 || name[at] == name[at - 1])
            continue;
        const char letter = name[at];
        name[at] = name[at - 1];
        name[at - 1] = letter;
        expect_refused(options, name, "1", pm_option_get_info(i)->name);
        expect_refused(options, name, "1", "did you mean");
    }
}

TEST(verbs_refuse_options_that_they_do_not_have) {
    for (size_t i = 0; i < pm_option_count(); i++)
        for (size_t v = 0; v < COUNT_OF(verbs); v++) {
            SCOPED_OPTIONS options = make(verbs[v]);
            char value[OPTION_SAMPLE];
            pm_error error;
            bool has = false;
            for (size_t k = 0; k < pm_option_count(); k++)
                has =
                    has || (pm_option_is_of(k, verbs[v]) &&
                            strcmp(pm_option_get_info(k)->name, pm_option_get_info(i)->name) == 0);
            if (!has)
                assert_int_equal(
                    set(options, pm_option_get_info(i)->name, option_sample(i, value), &error),
                    PM_ERROR_ARGUMENT);
        }
}

/* Values that look like options are values. */
TEST(names_may_contain_words_of_options) {
    static const char *const names[] = {"--rate", "rate", "source-rate=60", "--up y", "keep", "-o"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        SCOPED_OPTIONS edit = make("edit");
        SCOPED_OPTIONS resample = make("resample");
        char both[64];
        snprintf(both, sizeof both, "Hips,%s", names[i]);
        set_well(edit, "joints", both);
        set_well(edit, "clip", names[i]);
        assert_string_equal(get(edit)->edit->joints[1], names[i]);
        assert_string_equal(get(edit)->task->clips[0], names[i]);
        set_well(resample, "layout", names[i]);
        set_well(resample, "extract_root", names[i]);
        assert_string_equal(get(resample)->read->layout, names[i]);
        assert_string_equal(get(resample)->task->root.joint, names[i]);
    }
    SCOPED_OPTIONS edit = make("edit");
    set_well(edit, "rename", "--up=--to-up=z");
    set_well(edit, "rename", "rate=keep");
    assert_int_equal(get(edit)->edit->rename_count, 2);
    assert_string_equal(get(edit)->edit->renames[0], "--up");
    assert_string_equal(get(edit)->edit->renames[1], "--to-up=z");
    assert_string_equal(get(edit)->edit->renames[3], "keep");
}

TEST(names_of_the_contract_mean_the_same) {
    SCOPED_OPTIONS resample = make("resample");
    set_well(resample, "src-rate", "25");
    set_well(resample, "no_snap", "true");
    set_well(resample, "method", "squad");
    set_well(resample, "no-limit", "true");
    const pm_motion_option_values *values = get(resample);
    assert_true(values->read->source_rate.num == 25 && values->read->literal_rate);
    assert_true(values->task->curve.unlimited);
}

TEST(options_require_and_exclude_others) {
    static const struct {
        const char *verb, *name, *value, *other, *other_value, *says;
    } cases[] = {
        {"resample", "fill-max", "1", "fill", "nan", "requires fill"},
        {"resample", "keep-time", "true", "trim-start", "2", "requires start or trim_start"},
        {"convert", "root-axes", "xz", "extract-root", "auto", "requires extract_root"},
        {"reduce", "jobs", "2", "out-dir", "d", "requires out_dir"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_OPTIONS options = make(cases[i].verb);
        const pm_motion_option_values *values = NULL;
        pm_error error = {.status = PM_OK};
        set_well(options, cases[i].name, cases[i].value);
        assert_int_equal(pm_motion_options_get(options, &values, &error), PM_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, cases[i].says));
        assert_null(values);
        set_well(options, cases[i].other, cases[i].other_value);
        (void)get(options);
    }
    SCOPED_OPTIONS both = make("resample");
    const pm_motion_option_values *values = NULL;
    pm_error error = {.status = PM_OK};
    set_well(both, "out-dir", "d");
    set_well(both, "resume", "true");
    set_well(both, "overwrite", "true");
    assert_int_equal(pm_motion_options_get(both, &values, &error), PM_ERROR_ARGUMENT);
    assert_string_equal(error.option, "overwrite");
    assert_non_null(strstr(error.message, "cannot be combined with resume"));
}

TEST(structs_are_those_of_the_verb) {
    SCOPED_OPTIONS reduce = make("reduce");
    SCOPED_OPTIONS mirror = make("mirror");
    SCOPED_OPTIONS compare = make("compare");
    set_well(reduce, "scale-error", "0.25");
    assert_ptr_equal(get(reduce)->task->reduce, get(reduce)->reduce);
    assert_true(get(reduce)->reduce->scale_error == 0.25);
    assert_int_equal(get(reduce)->task->format, PM_MOTION_GLB);
    set_well(mirror, "source_rate", "29.97");
    set_well(mirror, "to-unit", "in");
    set_well(mirror, "up", "z");
    assert_ptr_equal(get(mirror)->task->mirror, get(mirror)->mirror);
    assert_null(get(mirror)->task->edit);
    assert_true(get(mirror)->task->converts);
    assert_int_equal(get(mirror)->read->source_rate.num, 2997);
    assert_int_equal(get(mirror)->read->source_rate.den, 100);
    assert_true(get(mirror)->task->to_unit_mm == 25.4);
    assert_int_equal(get(mirror)->task->up, PM_MOTION_UP_Z);
    set_well(compare, "unit", "cm");
    set_well(compare, "start", "1/2");
    set_well(compare, "tolerance", "0.5,2");
    assert_true(get(compare)->compare->unit_mm == 10);
    assert_int_equal(get(compare)->compare->start_after_first_key.den, 2);
    assert_true(get(compare)->compare->has_tolerance && get(compare)->compare->tolerance_mm == 2);
}

TEST(null_and_unknown_verbs_are_refused) {
    pm_motion_options *options = NULL;
    const pm_motion_option_values *values = NULL;
    pm_error error = {.status = PM_OK};
    assert_int_equal(pm_motion_options_create("waltz", &options, &error), PM_ERROR_ARGUMENT);
    assert_null(options);
    assert_int_equal(pm_motion_options_create("view", NULL, &error), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_motion_options_set(NULL, "rate", "1", &error), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_motion_options_get(NULL, &values, &error), PM_ERROR_ARGUMENT);
    SCOPED_OPTIONS any = make(NULL);
    assert_int_equal(pm_motion_options_set(any, NULL, "1", NULL), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_motion_options_set(any, "rate", NULL, NULL), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_motion_options_get(any, NULL, NULL), PM_ERROR_ARGUMENT);
    set_well(any, "rate", "x2");
    set_well(any, "angle", "2");
    assert_string_equal(get(any)->task->rate, "x2");
    pm_motion_options_destroy(NULL);
    pm_motion_options_destroy(&options);
}
