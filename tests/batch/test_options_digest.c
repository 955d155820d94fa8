/* SPDX-License-Identifier: MIT
 *
 * Digests of the options of a batch: every row of the table changes the digest if it can change a byte, and
 * values that mean the same have the same digest.
 */
#include "motion/batch/batch_file.h"

#include <stdio.h>
#include <string.h>

#include "support/option_samples.h"
#include "support/scoped.h"
#include "support/test.h"
#include "support/test_folder.h"

#define SCOPED_OPTIONS SCOPED(pm_motion_options_destroy) pm_motion_options *

TEST_GROUP(test_folder_enter, test_folder_leave)

static const char *const verbs[] = {"resample", "convert", "edit", "mirror", "reduce"};

static void set(pm_motion_options *options, const char *name, const char *value) {
    pm_error error = {.status = PM_OK};
    if (pm_motion_options_set(options, name, value, &error) != PM_OK) {
        print_error("%s\n", error.message);
        fail();
    }
}

static digest digest_of_options(pm_motion_options *options) {
    const pm_motion_option_values *values = NULL;
    pm_error error = {.status = PM_OK};
    options_files files;
    if (pm_motion_options_get(options, &values, &error) != PM_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    options_files_read(values->task, &files);
    return options_digest(values->task, &files, NULL);
}

/* For a verb, with what other options require, and with an option or without it. */
static digest digest_with(const char *verb, const char *name, const char *value) {
    pm_motion_options *options = NULL;
    assert_int_equal(pm_motion_options_create(verb, &options, NULL), PM_OK);
    const bool has_root = strcmp(verb, "reduce") != 0, fills = strcmp(verb, "resample") == 0;
    if (has_root)
        set(options, "extract-root", "Hips");
    else
        set(options, "distance", "0.25");
    if (fills)
        set(options, "fill", "nan");
    if (fills && name && strcmp(name, "keep-time") == 0)
        set(options, "start", "1");
    if (name)
        set(options, name, value);
    const digest found = digest_of_options(options);
    pm_motion_options_destroy(&options);
    return found;
}

TEST(every_option_that_can_change_a_byte_is_in_the_digest) {
    size_t count = 0;
    test_folder_put("file.txt", "a 1\n", 4); /* of options whose file counts, and not its name */
    for (size_t v = 0; v < COUNT_OF(verbs); v++) {
        const digest without = digest_with(verbs[v], NULL, NULL);
        for (size_t i = 0; i < pm_option_count(); i++) {
            const option_row *row = &option_rows[i];
            char value[OPTION_SAMPLE];
            if (!pm_option_is_of(i, verbs[v]) || row->of >= OPTIONS_JOIN)
                continue;
            const digest with = digest_with(verbs[v], row->info.name, option_sample(i, value));
            if (digest_equal(&with, &without) != row->leaves_bytes) {
                print_error("%s --%s %s\n", verbs[v], row->info.name, value);
                fail();
            }
            count++;
        }
    }
    assert_true(count > 100);
}

TEST(values_that_mean_the_same_have_one_digest) {
    static const char *const same[][3] = {{"rate", "60", "60.0"},
                                          {"rate", "60", "120/2"},
                                          {"source-rate", "29.97", "2997/100"},
                                          {"scale", "0.5", ".50"},
                                          {"start", "0.5", "1/2"},
                                          {"unit", "cm", "10"},
                                          {"to-unit", "m", "1000"},
                                          {"swing", "0,0.5", "0.0,.5"},
                                          {"format", "bvh", "BVH"}};
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        const digest a = digest_with("resample", same[i][0], same[i][1]);
        const digest b = digest_with("resample", same[i][0], same[i][2]);
        if (!digest_equal(&a, &b)) {
            print_error("--%s %s, %s\n", same[i][0], same[i][1], same[i][2]);
            fail();
        }
    }
}

TEST(defaults_that_are_given_have_the_digest_of_none) {
    static const char *const usual[][3] = {
        {"resample", "scale", "1"},      {"resample", "decimals", "6"},
        {"resample", "end-rule", "fit"}, {"edit", "repeat", "1"},
        {"resample", "fill-max", "0.5"}, {"resample", "bvh-position", "replace"}};
    for (size_t i = 0; i < COUNT_OF(usual); i++) {
        const digest with = digest_with(usual[i][0], usual[i][1], usual[i][2]);
        const digest without = digest_with(usual[i][0], NULL, NULL);
        if (!digest_equal(&with, &without)) {
            print_error("%s --%s %s\n", usual[i][0], usual[i][1], usual[i][2]);
            fail();
        }
    }
    /* convert writes all numbers with the decimals that are given */
    const digest six = digest_with("convert", "decimals", "6");
    const digest none = digest_with("convert", NULL, NULL);
    assert_false(digest_equal(&six, &none));
}

TEST(values_that_differ_have_digests_that_differ) {
    static const char *const differ[][4] = {{"resample", "rate", "60", "x2"},
                                            {"resample", "start", "1", "0"},
                                            {"resample", "tangents", "mean", "hold"},
                                            {"resample", "tangents", "tcb:0,0,1", "tcb:0,1,0"},
                                            {"edit", "cut", "1:2", "1f:2f"},
                                            {"edit", "cut", "1:", ":1"},
                                            {"edit", "joints", "a,b", "a b"},
                                            {"edit", "joints", "ab,c", "a,bc"},
                                            {"edit", "rename", "a=bc", "ab=c"},
                                            {"resample", "root-axes", "x", "xz"},
                                            {"resample", "lowpass", "auto", "1"},
                                            {"resample", "method", "slerp", "authored"},
                                            {"mirror", "layout", "a 1 b", "a"},
                                            {"resample", "clip", "1", "0"}};
    for (size_t i = 0; i < COUNT_OF(differ); i++) {
        const digest a = digest_with(differ[i][0], differ[i][1], differ[i][2]);
        const digest b = digest_with(differ[i][0], differ[i][1], differ[i][3]);
        if (digest_equal(&a, &b)) {
            print_error("%s --%s %s, %s\n", differ[i][0], differ[i][1], differ[i][2], differ[i][3]);
            fail();
        }
    }
}

/* What a user of the functions alone can set. */
TEST(roots_with_an_axis_of_their_own_are_in_the_digest) {
    options_files files = {.of = {{""}}};
    pm_motion_batch_task task = {.extracts_root = true};
    const digest found = options_digest(&task, &files, NULL);
    task.root.up = PM_MOTION_UP_Z;
    const digest z = options_digest(&task, &files, NULL);
    task.root.up = PM_MOTION_UP_Y;
    const digest y = options_digest(&task, &files, NULL);
    assert_false(digest_equal(&found, &z));
    assert_false(digest_equal(&y, &z));
}
