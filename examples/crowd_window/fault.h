/* SPDX-License-Identifier: MIT
 *
 * Failures of this program, in the form of the library's: a status and a message.
 */
#ifndef EXAMPLES_CROWD_WINDOW_FAULT_H
#define EXAMPLES_CROWD_WINDOW_FAULT_H

#include <posemill/posemill.h>

/* Fills `error` and returns `status`. */
pm_status fault(pm_error *error, pm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

pm_status fault_memory(pm_error *error);

#endif
