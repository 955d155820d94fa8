/* SPDX-License-Identifier: MIT
 *
 * A folder of its own for a test, which is the working folder meanwhile, and files in it.
 */
#ifndef POSEMILL_TESTS_TEST_FOLDER_H
#define POSEMILL_TESTS_TEST_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum { TEST_FOLDER_PATH = 256 };

/* Makes a new folder where the system has temporary files; removes a folder with its content. */
bool test_folder_make(char path[TEST_FOLDER_PATH]);
bool test_folder_remove(const char *path);

/* Setup and teardown of a test, or of a group: creates and enters a folder; leaves and removes it. */
int test_folder_enter(void **state);
int test_folder_leave(void **state);

/* Writes a file, and the folders that it needs. */
void test_folder_put(const char *path, const void *data, size_t size);
void test_folder_put_text(const char *path, const char *text);
/* The bytes of a file, with a NUL after them, in memory that the caller frees. `size` may be NULL. */
char *test_folder_read(const char *path, size_t *size);
/* Fails unless two files have the same bytes. */
void test_folder_expect_same(const char *a, const char *b);
/* What a command prints, which must succeed. The caller frees it. */
#define test_folder_output(command) test_folder_output_of(command, POSEMILL_SOURCE_DIR)
char *test_folder_output_of(const char *command, const char *sources);
/* Skip the test where users cannot make them. */
void test_folder_link(const char *target, const char *path);
void test_folder_pipe(const char *path);
/* The number of entries of a folder, hidden ones too. */
size_t test_folder_count(const char *path);

#endif
