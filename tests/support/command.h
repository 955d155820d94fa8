/* SPDX-License-Identifier: MIT
 *
 * The command as a user meets it, for tests that judge it by exit codes, messages and the files
 * that it leaves.
 */
#ifndef POSEMILL_TESTS_COMMAND_H
#define POSEMILL_TESTS_COMMAND_H

#include <stddef.h>

extern char command_folder[];
extern char output[65536];   /* stdout of the last run */
extern char complaint[8192]; /* stderr of the last run */

/* Of a group of tests: a folder, entered; $posemill is the command. */
int command_enter_folder(void **state);
int command_leave_folder(void **state);
/* After each test. */
int command_empty_folder(void **state);

/* Runs a shell line in the folder and returns its exit code. */
int run(const char *line);
void expect(int code, const char *line);

void expect_word(const char *text, const char *word);

/* A failure: the code, one line with these words that begins "posemill: ", and at most one
 * line of cure. */
void expect_failure(int code, const char *line, const char *word);

/* What is in the folder, hidden files too. */
void expect_nothing_but(const char *const *names, size_t count);

#endif
