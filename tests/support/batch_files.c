/* SPDX-License-Identifier: MIT
 *
 * Searches, and what they must find.
 */
#include "batch_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void batch_find(const batch_sources *sources, cli_exit code, const char *word, batch_items *items) {
    cli_messages messages = {.failure = NULL};
    cli_keep_messages(&messages);
    const cli_exit got = batch_items_find(sources, items);
    cli_keep_messages(NULL);
    if (got != code || (code != CLI_DONE &&
                        (messages.failure == NULL || strstr(messages.failure, word) == NULL))) {
        fail_msg("code %d instead of %d, with '%s' instead of '%s'", got, code,
                 messages.failure != NULL ? messages.failure : "", word);
    }
    cli_messages_release(&messages);
}

void batch_find_operand(const char *operand, const char *match, batch_items *items) {
    char copy[256], *operands[] = {copy};
    snprintf(copy, sizeof copy, "%s", operand);
    const batch_sources sources = {.operands = operands, .operand_count = 1, .match = match};
    batch_find(&sources, CLI_DONE, "", items);
}

void batch_find_list(const char *text, cli_exit code, const char *word, batch_items *items) {
    test_folder_put_text("list.txt", text);
    const batch_sources sources = {.files_from = "list.txt"};
    batch_find(&sources, code, word, items);
}

void batch_expect_names(const batch_items *items, const char *const *names, size_t count) {
    for (size_t i = 0; i < items->count && i < count; i++) {
        const batch_item *item = &items->items[i];
        const bool has_fault = names[i][0] == '!';
        if (strcmp(item->name, names[i] + has_fault) != 0 || (item->fault != NULL) != has_fault) {
            fail_msg("item %zu is '%s' (%s), expected '%s'", i, item->name,
                     item->fault != NULL ? item->fault : "no fault", names[i]);
        }
    }
    assert_int_equal(items->count, count);
}

const batch_item *batch_item_named(const batch_items *items, const char *name) {
    for (size_t i = 0; i < items->count; i++) {
        if (strcmp(items->items[i].name, name) == 0) {
            return &items->items[i];
        }
    }
    fail_msg("there is no item '%s'", name);
    return NULL;
}
