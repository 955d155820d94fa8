/* SPDX-License-Identifier: MIT
 *
 * A folder with files for tests of batches, and the items that are found there.
 */
#ifndef POSEMILL_TESTS_BATCH_FILES_H
#define POSEMILL_TESTS_BATCH_FILES_H

#include "batch/items.h"

/* Setup and teardown of a test: creates and enters a folder; leaves and removes it. */
int batch_folder_enter(void **state);
int batch_folder_leave(void **state);

/* Writes a file, and the folders that it needs. */
void batch_put(const char *path, const void *data, size_t size);
void batch_put_text(const char *path, const char *text);
void batch_link(const char *target, const char *path);

/* Finds the items and compares the code. On failure the message must contain `word`. */
void batch_find(const batch_sources *sources, cli_exit code, const char *word, batch_items *items);

/* batch_find of one operand, or of the list list.txt with this text. */
void batch_find_operand(const char *operand, const char *match, batch_items *items);
void batch_find_list(const char *text, cli_exit code, const char *word, batch_items *items);

/* Fails unless the items have exactly these names. Those with a fault begin with "!". */
void batch_expect_names(const batch_items *items, const char *const *names, size_t count);
#define BATCH_EXPECT(items, ...)                                                                   \
    batch_expect_names((items), (const char *const[]){__VA_ARGS__},                                \
                       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* The item of a name; fails the test if there is none. */
const batch_item *batch_item_named(const batch_items *items, const char *name);

#endif
