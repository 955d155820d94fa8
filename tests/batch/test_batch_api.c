/* SPDX-License-Identifier: MIT
 *
 * Batches by the public functions: what they give, and what they refuse. What is done with files is
 * checked by test_batch.py, through the command.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_motion.h>

#include "support/check.h"
#include "support/short_take.h"
#include "support/test_folder.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pm_engine *engine;
static pm_motion_batch_list *list;
static pm_error error;
static const pm_engine_desc plain = {.device = "none"};

static int put_takes(void **state) {
    const int failed = test_folder_enter(state);
    test_folder_put_text("in/a.bvh", short_take);
    test_folder_put_text("in/s/b.bvh", short_take);
    test_folder_put_text("in/bad.bvh", "HIERARCHY\nnonsense\n");
    const char *const paths[] = {"in"};
    const pm_motion_batch_sources sources = {.paths = paths, .path_count = 1};
    return failed == 0 && pm_engine_create(&plain, &engine, NULL) == PM_OK &&
                   pm_motion_batch_list_create(&sources, &list, NULL) == PM_OK
               ? 0
               : -1;
}

static int remove_takes(void **state) {
    pm_engine_destroy(&engine);
    pm_motion_batch_list_destroy(&list);
    pm_motion_batch_list_destroy(&list);
    return test_folder_leave(state);
}

TEST(a_list_is_read_from_its_text_and_from_its_file) {
    const char *text = pm_motion_batch_list_text(list);
    assert_non_null(strstr(text, "\"out\": \"s/b.bvh\""));
    assert_int_equal(pm_motion_batch_list_write(list, "list.jsonl", &error), PM_OK);
    const pm_motion_batch_sources sources[] = {{.list = text, .list_size = strlen(text)},
                                               {.files_from = "list.jsonl"}};
    for (size_t s = 0; s < 2; s++) {
        SCOPED(pm_motion_batch_list_destroy) pm_motion_batch_list *again = NULL;
        size_t count = 0;
        assert_int_equal(pm_motion_batch_list_create(&sources[s], &again, &error), PM_OK);
        const pm_motion_batch_item *items = pm_motion_batch_list_get_items(again, &count);
        assert_int_equal(count, 3);
        assert_string_equal(items[2].path, "in/s/b.bvh");
    }
}

typedef struct heard {
    size_t states[PM_MOTION_BATCH_CONFLICTING + 1], records;
    char failure[512];
} heard;

static void hear(void *user, const pm_motion_batch_file *file) {
    heard *h = user;
    h->states[file->state]++;
    h->records += file->record != NULL && strchr(file->record, '\n') != NULL;
    if (file->error) {
        assert_int_equal(file->error->status, PM_ERROR_FILE);
        snprintf(h->failure, sizeof h->failure, "%s", file->error->message);
    }
}

static pm_status merge(const char *records, bool may_be_missing, pm_motion_batch_merge **made) {
    const pm_motion_batch_merge_options options = {
        .records = &records, .record_count = 1, .may_be_missing = may_be_missing, .list = list};
    return pm_motion_batch_merge_create(&options, made, &error);
}

TEST(a_run_counts_and_a_merge_has_its_digest) {
    heard h = {.records = 0};
    pm_motion_batch_result result;
    pm_motion_batch_merge *made = NULL;
    const pm_motion_batch_options options = {
        .out_dir = "out", .task = {.rate = "x2"}, .jobs = 2, .ended = hear, .ended_user = &h};
    assert_int_equal(pm_motion_batch_run(list, engine, &options, &result, &error), PM_OK);
    assert_int_equal(result.files, 3);
    assert_int_equal(result.done, 2);
    assert_int_equal(result.failed, 1);
    assert_int_equal(h.states[PM_MOTION_BATCH_DONE], 2);
    assert_int_equal(h.records, 3);
    assert_non_null(strstr(h.failure, "in/bad.bvh: line 2"));
    assert_int_equal(access("out/s/b.bvh", F_OK), 0);
    assert_int_equal(merge("out", false, &made), PM_OK);
    const pm_motion_batch_merged *merged = pm_motion_batch_merge_get_merged(made);
    assert_string_equal(merged->digest, result.digest);
    assert_int_equal(merged->done, 2);
    assert_int_equal(merged->failed, 1);
    assert_int_equal(merged->frames, result.frames);
    assert_int_equal(merged->file_count, 3);
    assert_int_equal(merged->files[1].state, PM_MOTION_BATCH_FAILED);
    assert_string_equal(merged->files[1].failure, h.failure);
    assert_int_equal(merged->files[1].code, 4);
    assert_false(merged->is_complete);
    assert_non_null(strstr(pm_motion_batch_merge_json(made), merged->digest));
    pm_motion_batch_merge_destroy(&made);
    /* What is there is refused, and kept where that is asked for. */
    assert_int_equal(pm_motion_batch_check(list, &options, &error), PM_ERROR_OUTPUT);
    assert_non_null(strstr(error.message, "out/a.bvh: exists already"));
    const pm_motion_batch_options again = {
        .out_dir = "out", .task = {.rate = "x2"}, .resume = true, .verify = true};
    char digest[sizeof result.digest];
    memcpy(digest, result.digest, sizeof digest);
    assert_int_equal(pm_motion_batch_run(list, engine, &again, &result, &error), PM_OK);
    assert_int_equal(result.kept, 2);
    assert_string_equal(result.digest, digest);
}

static bool yes(void *user) {
    (void)user;
    return true;
}

TEST(a_stopped_run_begins_no_file) {
    pm_motion_batch_result result;
    SCOPED(pm_motion_batch_merge_destroy) pm_motion_batch_merge *made = NULL;
    const pm_motion_batch_options options = {
        .out_dir = "stopped", .task = {.rate = "x2"}, .is_stopped = yes};
    assert_int_equal(pm_motion_batch_run(list, engine, &options, &result, &error), PM_OK);
    assert_int_equal(result.done + result.failed + result.kept, 0);
    assert_int_equal(merge("none", false, &made), PM_ERROR_FILE);
    assert_int_equal(merge("none", true, &made), PM_OK);
    assert_int_equal(pm_motion_batch_merge_get_merged(made)->missing, 3);
}

TEST(shards_are_parts_of_a_batch_that_needs_no_engine_without_a_rate) {
    pm_motion_batch_result result;
    uint64_t files = 0;
    for (uint64_t i = 0; i < 2; i++) {
        const pm_motion_batch_options options = {.out_dir = "glb",
                                                 .task = {.format = PM_MOTION_BVH, .scale = 2},
                                                 .shard = i,
                                                 .shard_count = 2};
        assert_int_equal(pm_motion_batch_run(list, NULL, &options, &result, &error), PM_OK);
        files += result.files;
    }
    assert_int_equal(files, 3);
}

static void never_see(void *user, const void *data, size_t size) {
    (void)user, (void)data;
    fail_msg("saw %zu bytes", size);
}

/* The threads of a batch would call the observer of its task at once. */
TEST(a_report_names_who_made_it_and_observes_nothing) {
    const pm_motion_observer observer = {.see = never_see};
    pm_motion_batch_result result;
    const pm_motion_batch_options options = {
        .out_dir = "reported",
        .task = {.read = {.observer = &observer}, .rate = "x2"},
        .report = "report",
        .report_pages = 1,
        .made_by = "a test"};
    assert_int_equal(pm_motion_batch_run(list, engine, &options, &result, &error), PM_OK);
    assert_int_equal(access("report/index.html", F_OK), 0);
    assert_int_equal(access("report/pages/0001-a.bvh.html", F_OK), 0);
}

static void refuse(const pm_motion_batch_options *options, const char *word) {
    assert_int_equal(pm_motion_batch_run(list, engine, options, NULL, &error), PM_ERROR_ARGUMENT);
    if (!strstr(error.message, word))
        fail_msg("'%s' has no '%s'", error.message, word);
}

TEST(wrong_options_are_refused) {
    static const char *const clips[] = {"a", NULL};
    const pm_motion_batch_options wrong[] = {
        {.out_dir = NULL},
        {.out_dir = ""},
        {.out_dir = "o", .records = ""},
        {.out_dir = "o", .report = ""},
        {.out_dir = "o", .task = {.clips = clips, .clip_count = 2}},
        {.out_dir = "o", .task = {.rate = "fast"}},
        {.out_dir = "o", .task = {.curve = {.method = (pm_method)99}}},
        {.out_dir = "o", .task = {.curve = {.method = PM_METHOD_CUBICSPLINE}}},
        {.out_dir = "o", .task = {.curve = {.tangents = PM_TANGENTS_USER}}},
        {.out_dir = "o", .task = {.format = (pm_motion_format)99}},
        {.out_dir = "o", .task = {.clip_count = 1}},
        {.out_dir = "o", .task = {.scale = -1}},
        {.out_dir = "o", .shard = 2, .shard_count = 2},
        {.out_dir = "o", .report = "r", .shard_count = 2},
        {.out_dir = "o", .verify = true},
        {.out_dir = "o", .automatic = &plain}};
    static const char *const words[] = {"out_dir is NULL",
                                        "out_dir is empty",
                                        "records is empty",
                                        "report is empty",
                                        "clips[1] is NULL",
                                        "rate",
                                        "method",
                                        "tangents",
                                        "tangents_file",
                                        "format",
                                        "clip",
                                        "scale",
                                        "shard",
                                        "report",
                                        "verify",
                                        "automatic.device is not auto"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        refuse(&wrong[i], words[i]);
    const pm_motion_batch_options good = {.out_dir = "o", .task = {.rate = "30"}};
    assert_int_equal(pm_motion_batch_run(list, NULL, &good, NULL, &error), PM_ERROR_ARGUMENT);
    assert_string_equal(error.message, "engine is NULL");
    assert_int_equal(pm_motion_batch_run(NULL, engine, &good, NULL, &error), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_motion_batch_check(list, NULL, NULL), PM_ERROR_ARGUMENT);
    assert_int_not_equal(access("o", F_OK), 0);
}

#define EXPECT_TASK_NEXT_REFUSED(type, object)                                                     \
    expect_next_refused(type, object, &error,                                                      \
                        pm_motion_batch_run(list, engine, &options, NULL, &error))

TEST(structs_with_a_next_are_refused) {
    pm_motion_batch_list *none = NULL;
    pm_motion_batch_merge *made = NULL;
    pm_motion_batch_options options = {.out_dir = "o"};
    EXPECT_TASK_NEXT_REFUSED(pm_motion_batch_options, options);
    EXPECT_TASK_NEXT_REFUSED(pm_motion_batch_task, options.task);
    EXPECT_TASK_NEXT_REFUSED(pm_motion_curve, options.task.curve);
    EXPECT_TASK_NEXT_REFUSED(pm_motion_read_options, options.task.read);
    EXPECT_TASK_NEXT_REFUSED(pm_motion_root_options, options.task.root);
    const pm_motion_batch_task of_step = {.rate = NULL};
    pm_motion_step step = {.name = "mirror", .options = &of_step};
    options.task.steps = &step;
    options.task.step_count = 1;
    EXPECT_TASK_NEXT_REFUSED(pm_motion_step, step);
    pm_motion_batch_sources sources = {.list = "a.bvh\n", .list_size = 6};
    expect_next_refused(pm_motion_batch_sources, sources, &error,
                        pm_motion_batch_list_create(&sources, &none, &error));
    pm_motion_batch_merge_options merge = {.record_count = 0};
    expect_next_refused(pm_motion_batch_merge_options, merge, &error,
                        pm_motion_batch_merge_create(&merge, &made, &error));
    assert_true(!none && !made && access("o", F_OK) != 0);
}

TEST(wrong_sources_are_refused) {
    pm_motion_batch_list *none = NULL;
    pm_motion_batch_merge *made = NULL;
    static const char *const nothing[] = {NULL};
    const pm_motion_batch_sources wrong[] = {{.path_count = 1},
                                             {.paths = nothing, .path_count = 1}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(pm_motion_batch_list_create(&wrong[i], &none, &error), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_motion_batch_list_create(NULL, &none, &error), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_motion_batch_list_create(&(pm_motion_batch_sources){.files_from = "none"},
                                                 &none, &error),
                     PM_ERROR_FILE);
    assert_null(none);
    const pm_motion_batch_merge_options unknown[] = {{.record_count = 1},
                                                     {.records = nothing, .record_count = 1}};
    for (size_t i = 0; i < COUNT_OF(unknown); i++)
        assert_int_equal(pm_motion_batch_merge_create(&unknown[i], &made, &error),
                         PM_ERROR_ARGUMENT);
    assert_null(pm_motion_batch_merge_get_merged(NULL));
    assert_null(pm_motion_batch_merge_json(NULL));
    assert_null(pm_motion_batch_list_text(NULL));
}

TEST_GROUP(put_takes, remove_takes)
