/* SPDX-License-Identifier: MIT
 *
 * A failure ends this program. A program that goes on after one closes what it has opened instead, as
 * the other examples do.
 */
#ifndef EXAMPLES_CROWD_WINDOW_DIE_H
#define EXAMPLES_CROWD_WINDOW_DIE_H

#include <posemill/posemill.h>

enum { EXIT_FAILED = 1, EXIT_USAGE, EXIT_NO_DEVICE };

/* Prints the message and ends with the code. */
_Noreturn void die(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends with the message of a call that failed. */
void must(pm_status status, const pm_error *error);

/* Zeros for `count` elements; out of memory ends the program. */
void *zeros(size_t count, size_t size);

#endif
