/* SPDX-License-Identifier: MIT
 *
 * Log messages to the callback of an engine's description.
 */
#ifndef PM_HOST_LOG_H
#define PM_HOST_LOG_H

#include <stdarg.h>

#include <posemill/posemill.h>

typedef struct pm_logger {
    pm_log_function log; /* NULL: no log */
    void *user;          /* passed to `log` */
    pm_host host;        /* for memory of long messages */
} pm_logger;

/* Delivers a message of any length on the calling thread. Thread-safe. The callback may call the
 * library, so the caller must not hold a lock. */
void pm_log(pm_logger logger, pm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* vsnprintf in the C locale, whatever that of the process: 0.5, never 0,5. */
int pm_format(char *text, size_t size, const char *format, va_list arguments);

#endif
