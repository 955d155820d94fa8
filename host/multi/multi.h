/* SPDX-License-Identifier: MIT
 *
 * An engine over several devices inside the library: what it keeps beside its parts, which are
 * complete engines of one device each (pm_engine.parts).
 */
#ifndef PM_HOST_MULTI_H
#define PM_HOST_MULTI_H

#include <pthread.h>

#include "engine/engine.h"

typedef struct pm_multi {
    size_t min_values;    /* what a piece is worth calling a device for */
    pthread_mutex_t lock; /* guards what follows */
    double *rates;        /* values a second of each part in its last job; 0: not measured */
} pm_multi;

/* Makes room for `count` parts in an engine that has no device yet. */
pm_status pm_multi_begin(pm_engine *engine, size_t count, pm_error *error);

/* Adds one of them, which is the engine's to destroy from now on. */
void pm_multi_add(pm_engine *engine, pm_engine *part);

/* Fills the engine's info, once all parts are there. */
void pm_multi_describe(pm_engine *engine);

#endif
