/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for the program cache, for tests of the cache. There is one at a time.
 */
#ifndef POSEMILL_TESTS_CACHE_FOLDER_H
#define POSEMILL_TESTS_CACHE_FOLDER_H

#include <stdbool.h>

/* Makes a new folder, or fails the test. */
const char *cache_folder_make(void);

/* Removes the folder with its content; false when that fails. */
bool cache_folder_remove(void);

#endif
