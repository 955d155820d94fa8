/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for the program cache.
 */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "cache_folder.h"
#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

const char *cache_folder_make(void) {
    strcpy(folder, "/tmp/posemill-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

bool cache_folder_remove(void) {
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0;
}
