/* SPDX-License-Identifier: MIT
 *
 * Shards: that shares are whole, balanced and the same for every process, and which shard a process is
 * by its option or its environment.
 */
#define _POSIX_C_SOURCE 200809L

#include "options/shard_option.h"
#include "oracle/random_tracks.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 300, SHARDS_MAX = 40 };

static char names[ITEMS_MAX][32];
static batch_item files[ITEMS_MAX];

/* Sizes from none to a gigabyte, many of them equal. */
static batch_items draw_items(random_source *source, size_t count) {
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%zu.bvh", i);
        files[i] = (batch_item){.name = names[i],
                                .bytes = (random_bits(source) % 4) << (random_bits(source) % 30)};
    }
    return (batch_items){.items = files, .count = count};
}

/* The share of each item, by its number in the name; fails unless each has exactly one. */
static void divide(const batch_items *items, uint64_t shards, uint64_t *share_of) {
    int owners[ITEMS_MAX] = {0};
    for (uint64_t s = 0; s < shards; s++) {
        bool mine[ITEMS_MAX];
        memset(mine, 0x5a, sizeof mine);
        assert_true(shard_divide(items, (batch_shard){s, shards}, mine));
        for (size_t i = 0; i < items->count; i++) {
            const size_t number = (size_t)atoi(items->items[i].name);
            owners[number] += mine[i];
            share_of[number] = mine[i] ? s : share_of[number];
        }
    }
    for (size_t i = 0; i < items->count; i++)
        assert_int_equal(owners[i], 1);
}

static void expect_balance(const batch_items *items, uint64_t shards, const uint64_t *share_of) {
    uint64_t loads[SHARDS_MAX] = {0}, largest = 0, most = 0, least = UINT64_MAX;
    for (size_t i = 0; i < items->count; i++) {
        loads[share_of[i]] += items->items[i].bytes + 1;
        largest = items->items[i].bytes + 1 > largest ? items->items[i].bytes + 1 : largest;
    }
    for (uint64_t s = 0; s < shards; s++) {
        most = loads[s] > most ? loads[s] : most;
        least = loads[s] < least ? loads[s] : least;
    }
    assert_true(most - least <= largest);
}

TEST(every_item_is_in_one_share_and_shares_are_balanced) {
    random_source source = random_start();
    for (int round = 0; round < 60; round++) {
        const batch_items items = draw_items(&source, random_bits(&source) % ITEMS_MAX);
        const uint64_t shards = 1 + random_bits(&source) % SHARDS_MAX;
        uint64_t share_of[ITEMS_MAX] = {0};
        divide(&items, shards, share_of);
        expect_balance(&items, shards, share_of);
    }
}

TEST(empty_files_are_spread) {
    uint64_t share_of[ITEMS_MAX] = {0};
    for (size_t i = 0; i < 12; i++) {
        snprintf(names[i], sizeof names[i], "%zu.bvh", i);
        files[i] = (batch_item){.name = names[i]};
    }
    const batch_items items = {.items = files, .count = 12};
    divide(&items, 4, share_of);
    for (size_t i = 0; i < 12; i++) {
        int same = 0;
        for (size_t j = 0; j < 12; j++)
            same += share_of[i] == share_of[j];
        assert_int_equal(same, 3);
    }
}

TEST(more_shares_than_files_and_sizes_beyond_sums_are_harmless) {
    bool mine[3];
    for (size_t i = 0; i < 3; i++) {
        snprintf(names[i], sizeof names[i], "%zu.bvh", i);
        files[i] = (batch_item){.name = names[i], .bytes = UINT64_MAX};
    }
    const batch_items items = {.items = files, .count = 3};
    assert_true(shard_divide(&items, (batch_shard){1, 1000000000}, mine));
    assert_true(!mine[0] && mine[1] && !mine[2]);
    assert_true(shard_divide(&items, (batch_shard){999999999, 1000000000}, mine));
    assert_true(!mine[0] && !mine[1] && !mine[2]);
    assert_true(shard_divide(&items, (batch_shard){0, 1}, mine));
    assert_true(mine[0] && mine[1] && mine[2]);
}

static const char *const variables[] = {"POSEMILL_SHARD",
                                        "SLURM_ARRAY_TASK_ID",
                                        "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_STEP",
                                        "SLURM_ARRAY_TASK_COUNT",
                                        "SLURM_PROCID",
                                        "SLURM_NTASKS",
                                        "OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "PMI_RANK",
                                        "PMI_SIZE"};
enum { VARIABLES = COUNT_OF(variables) };

/* Sets the variables to words: one for each, in order; "_" leaves one unset. */
static void set_environment(const char *words) {
    char word[32];
    for (size_t i = 0; i < VARIABLES; i++) {
        int used = 0;
        memcpy(word, "_", 2);
        if (sscanf(words, "%31s%n", word, &used) == 1)
            words += used;
        if (strcmp(word, "_") == 0)
            unsetenv(variables[i]);
        else
            setenv(variables[i], strcmp(word, "''") == 0 ? "" : word, 1);
    }
}

FIXTURE(clear_environment) {
    set_environment("");
    return 0;
}

static void expect_shard(const char *text, uint64_t index, uint64_t count, const char *from) {
    batch_shard shard = {77, 77};
    const char *source = NULL;
    assert_int_equal(shard_find(text, &shard, &source, NULL), PM_OK);
    assert_int_equal(shard.index, index);
    assert_int_equal(shard.count, count);
    assert_non_null(strstr(source, from));
}

static void expect_refused(const char *text, const char *word) {
    pm_error error;
    batch_shard shard;
    const char *source = NULL;
    assert_int_equal(shard_find(text, &shard, &source, &error), PM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, word));
}

TEST(options_are_read_strictly) {
    static const char *const bad[] = {"",
                                      "1",
                                      "1/",
                                      "/2",
                                      "2/2",
                                      "3/2",
                                      "0/0",
                                      "-1/2",
                                      "+1/2",
                                      " 1/2",
                                      "1/2 ",
                                      "0x1/2",
                                      "1/2/3",
                                      "1 /2",
                                      "Auto",
                                      "a/b",
                                      "1.0/2",
                                      "0/1000000001",
                                      "0/99999999999999999999"};
    expect_shard(NULL, 0, 1, "all");
    expect_shard("0/1", 0, 1, "--shard");
    expect_shard("99/100", 99, 100, "--shard");
    expect_shard("999999999/1000000000", 999999999, 1000000000, "--shard");
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        expect_refused(bad[i], "--shard");
}

typedef struct environment_case {
    const char *words; /* in the order of the variables */
    uint64_t index, count;
    const char *from;
} environment_case;

TEST(environments_are_read_in_their_order) {
    static const environment_case cases[] = {
        {"", 0, 1, "none"},
        {"'' '' _ _ _ _ _ '' ''", 0, 1, "none"},
        {"3/8 5 1 2 7 1 4 2 9 0 2", 3, 8, "POSEMILL_SHARD"},
        {"_ 7 3 2 4", 2, 4, "SLURM_ARRAY_TASK_ID"},
        {"_ 3 3 1 1 0", 0, 1, "SLURM_ARRAY_TASK_ID"}, /* a plain array task */
        {"_ 9 3 2 4 1 5", 16, 20, "SLURM_NTASKS"},
        {"_ _ _ _ _ 2 5", 2, 5, "SLURM_PROCID"},
        {"_ _ _ _ _ 2 5 2 5", 2, 5, "SLURM_PROCID"},
        {"_ _ _ _ _ 2 5 0 1", 2, 5, "SLURM_PROCID"},
        {"_ _ _ _ _ _ 5", 0, 1, "none"}, /* a shell of salloc */
        {"_ _ _ _ _ 0", 0, 1, "none"},
        {"_ _ _ _ _ 0 _ 2 6", 2, 6, "OMPI"},
        {"_ _ _ _ _ _ _ 2 6 1 4", 2, 6, "OMPI"},
        {"_ _ _ _ _ _ _ _ _ 1 4", 1, 4, "PMI_RANK"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        set_environment(cases[i].words);
        expect_shard("auto", cases[i].index, cases[i].count, cases[i].from);
    }
}

TEST(environments_that_would_lose_files_are_refused) {
    static const struct {
        const char *words, *word;
    } cases[] = {
        {"8/8", "POSEMILL_SHARD"},
        {"auto", "POSEMILL_SHARD"},
        {"_ 7", "SLURM_ARRAY_TASK_MIN"},
        {"_ 7 3", "SLURM_ARRAY_TASK_STEP"},
        {"_ 7 3 2", "SLURM_ARRAY_TASK_COUNT"},
        {"_ 17 1 1 3", "not evenly spaced"}, /* --array=1,5,17 */
        {"_ 8 3 2 4", "not evenly spaced"},
        {"_ 2 3 1 4", "not evenly spaced"},
        {"_ 3 3 0 4", "not evenly spaced"},
        {"_ x 3 1 4", "whole number"},
        {"_ 3 3 1 0", "not evenly spaced"},
        {"_ _ _ _ _ 5 5", "less than"},
        {"_ _ _ _ _ 1 5x", "whole number"},
        {"_ _ _ _ _ 0 4 3 16", "Slurm says task 0/4"}, /* mpirun in one task */
        {"_ 3 3 1 2 _ _ 1 4", "Slurm says task 0/1"},
        {"_ _ _ _ _ _ _ 4 4", "less than"},
        {"_ _ _ _ _ _ _ _ _ -1 4", "whole number"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        set_environment(cases[i].words);
        expect_refused("auto", cases[i].word);
    }
}

TEST_EACH(clear_environment, clear_environment)
