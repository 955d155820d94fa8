/* SPDX-License-Identifier: MIT
 *
 * The items that are found in a folder of a test.
 */
#ifndef POSEMILL_TESTS_BATCH_FILES_H
#define POSEMILL_TESTS_BATCH_FILES_H

#include "motion/items/items.h"
#include "test_folder.h"

/* Releases the items, finds others, and compares the status. On failure the message must contain `word`. */
void batch_find(const pm_motion_batch_sources *sources, pm_status status, const char *word,
                batch_items *items);

/* batch_find of one operand, or of the list list.txt with this text. */
void batch_find_operand(const char *operand, const char *match, batch_items *items);
void batch_find_list(const char *text, pm_status status, const char *word, batch_items *items);

/* Fails unless the items have exactly these names. Those with a fault begin with "!". */
void batch_expect_names(const batch_items *items, const char *const *names, size_t count);
#define BATCH_EXPECT(items, ...)                                                                   \
    batch_expect_names((items), (const char *const[]){__VA_ARGS__},                                \
                       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* The item of a name; fails the test if there is none. */
const batch_item *batch_item_named(const batch_items *items, const char *name);

#endif
