/* SPDX-License-Identifier: MIT
 *
 * How much stack a function takes: measured on a thread whose stack is painted, and guarded below.
 */
#ifndef POSEMILL_TESTS_STACK_H
#define POSEMILL_TESTS_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this build has the frames of a release: sanitizers and builds without optimisation have larger ones. */
bool stack_is_that_of_a_release(void);

/* The bytes that a call takes, of all that it calls. Fails the test where a thread cannot be made. */
size_t stack_taken(void (*work)(void *context), void *context);

#endif
