/* SPDX-License-Identifier: MIT
 *
 * The engines that files are resampled on: the caller's, or plain C for some files and the device for
 * others.
 */
#pragma once

#include <pthread.h>

#include "motion/model/model.h"

/* Begin it, end it; other fields are private. */
typedef struct task_engines {
    pm_engine *given;
    const pm_engine_desc *automatic;
    pm_engine *(*open)(void); /* gives the device, which it keeps. NULL: it is made */
    pthread_mutex_t lock;     /* of both: */
    pm_engine *plain, *device;
} task_engines;

/* All files on `given`, which is borrowed; NULL: an engine is chosen for each file, and made on first use
 * as `automatic` says, whose device is "auto". Both NULL: nothing is resampled. */
void task_engines_begin(task_engines *e, pm_engine *given, const pm_engine_desc *automatic);

/* The engine of a file; it is valid until the end. The log receives PM_LOG_INFO about the choice, and
 * PM_LOG_WARNING where a device was to be opened and there is none. Thread-safe. */
pm_status task_engines_choose(task_engines *e, const pm_motion *motion,
                              const pm_motion_resample_options *options, const char *path,
                              pm_motion_log_function log, void *log_user, pm_engine **engine,
                              pm_error *error);

void task_engines_end(task_engines *e);
