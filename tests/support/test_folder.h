/* SPDX-License-Identifier: MIT
 *
 * A folder of its own for a test, which is the working folder meanwhile, and files in it.
 */
#ifndef POSEMILL_TESTS_TEST_FOLDER_H
#define POSEMILL_TESTS_TEST_FOLDER_H

#include <stddef.h>

/* Setup and teardown of a test, or of a group: creates and enters a folder; leaves and removes it. */
int test_folder_enter(void **state);
int test_folder_leave(void **state);

/* Writes a file, and the folders that it needs. */
void test_folder_put(const char *path, const void *data, size_t size);
void test_folder_put_text(const char *path, const char *text);
void test_folder_link(const char *target, const char *path);

#endif
