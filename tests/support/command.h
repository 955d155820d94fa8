/* SPDX-License-Identifier: MIT
 *
 * Runs the command like a user, for tests that check exit codes, messages and output files.
 */
#ifndef POSEMILL_TESTS_COMMAND_H
#define POSEMILL_TESTS_COMMAND_H

#include <stddef.h>

#include <posemill/posemill.h>

extern char command_folder[];
extern char output[131072];     /* stdout of the last run */
extern char error_output[8192]; /* stderr of the last run */

/* Setup and teardown of a test group: creates and enters a folder; $posemill is the command. */
int command_enter_folder(void **state);
int command_leave_folder(void **state);
/* Teardown of each test: empties the folder. */
int command_empty_folder(void **state);

/* Runs a shell line in the folder and returns its exit code. */
int run(const char *line);
void expect(int code, const char *line);

void expect_word(const char *text, const char *word);

/* Expects a failure with the exit code, and one line with these words that begins with "posemill: "
 * and is followed by at most one line with a hint. */
void expect_failure(int code, const char *line, const char *word);

/* Expects no other files in the folder, hidden ones included. */
void expect_nothing_but(const char *const *names, size_t count);

/* Writes an array as a .npy file. */
void command_put_array(const char *name, pm_number type, size_t rank, const size_t *shape,
                       const void *data);

#endif
