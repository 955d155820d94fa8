/* SPDX-License-Identifier: MIT
 *
 * Units and axes that were estimated for files of a batch: one sentence for each skeleton, and a list of the files
 * whose estimates are others.
 */
#pragma once

#include "motion/task/task.h"

typedef struct batch_guess {
    const char *name; /* of the file. NULL: nothing was estimated */
    char *converted;
    uint64_t skeleton; /* equal of files with the same joints */
} batch_guess;

/* Keeps what a file was converted by; `name` must outlive it. Where memory is exhausted, nothing is said. */
void guess_note(batch_guess *guess, const task_report *report, const char *name);

/* Tells them, in the order of the files. */
void guesses_tell(const batch_guess *guesses, size_t count, const motion_warnings *to);

void guesses_release(batch_guess *guesses, size_t count);
