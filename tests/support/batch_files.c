/* SPDX-License-Identifier: MIT
 *
 * Searches, and what they must find.
 */
#include "batch_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void batch_find(const pm_motion_batch_sources *sources, pm_status status, const char *word,
                batch_items *items) {
    pm_error error = {.status = PM_OK};
    batch_items_release(items);
    const pm_status got = batch_items_find(sources, items, &error);
    if (got != status || (status != PM_OK && !strstr(error.message, word)))
        fail_msg("status %d instead of %d, with '%s' instead of '%s'", got, status, error.message,
                 word);
}

void batch_find_operand(const char *operand, const char *match, batch_items *items) {
    const pm_motion_batch_sources sources = {.paths = &operand, .path_count = 1, .match = match};
    batch_find(&sources, PM_OK, "", items);
}

void batch_find_list(const char *text, pm_status status, const char *word, batch_items *items) {
    test_folder_put_text("list.txt", text);
    const pm_motion_batch_sources sources = {.files_from = "list.txt"};
    batch_find(&sources, status, word, items);
}

void batch_expect_names(const batch_items *items, const char *const *names, size_t count) {
    for (size_t i = 0; i < items->count && i < count; i++) {
        const batch_item *item = &items->items[i];
        const bool has_fault = names[i][0] == '!';
        if (strcmp(item->name, names[i] + has_fault) != 0 || (item->fault != NULL) != has_fault)
            fail_msg("item %zu is '%s' (%s), expected '%s'", i, item->name,
                     item->fault ? item->fault : "no fault", names[i]);
    }
    assert_int_equal(items->count, count);
}

const batch_item *batch_item_named(const batch_items *items, const char *name) {
    for (size_t i = 0; i < items->count; i++)
        if (strcmp(items->items[i].name, name) == 0)
            return &items->items[i];
    fail_msg("there is no item '%s'", name);
    return NULL;
}
