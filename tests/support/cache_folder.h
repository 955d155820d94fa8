/* SPDX-License-Identifier: MIT
 *
 * A folder to keep built programs in, for tests that care: one at a time.
 */
#ifndef POSEMILL_TESTS_CACHE_FOLDER_H
#define POSEMILL_TESTS_CACHE_FOLDER_H

#include <stdbool.h>

/* A new one under /tmp; NULL when that fails. */
const char *cache_folder_make(void);

/* With all that is in it; false when that fails. */
bool cache_folder_remove(void);

#endif
