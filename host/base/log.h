/* SPDX-License-Identifier: MIT
 *
 * Messages to the callback that an engine was given.
 */
#ifndef PM_HOST_LOG_H
#define PM_HOST_LOG_H

#include <posemill/posemill.h>

typedef struct pm_logger {
    pm_log_function log; /* NULL: silence */
    void *user;
} pm_logger;

/* Delivers a message of any length on the calling thread. The callback may call the library, so the
 * caller holds no lock. */
void pm_log(pm_logger logger, pm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
