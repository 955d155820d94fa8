/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for the program cache.
 */
#include "cache_folder.h"

#include "test.h"
#include "test_folder.h"

static char folder[TEST_FOLDER_PATH];

const char *cache_folder_make(void) {
    assert_true(test_folder_make(folder));
    return folder;
}

bool cache_folder_remove(void) {
    return test_folder_remove(folder);
}
