/* SPDX-License-Identifier: MIT
 *
 * How a batch of the Python package ends: without taking Python's lock on the threads of the library.
 */
#include "native.h"

#include "motion/base/os.h"
#include "motion/batch/schedule.h"

#include <stdatomic.h>

/* How often runs were stopped. A run ends when there is a stop after its beginning. */
static atomic_uintptr_t stops;

static bool is_stopped(void *before) {
    return (uintptr_t)before != atomic_load(&stops);
}

void native_let_stop(pm_motion_batch_options *options) {
    options->is_stopped = is_stopped;
    options->is_stopped_user = (void *)atomic_load(&stops); // NOLINT(performance-no-int-to-ptr)
    os_keep_memory();
}

void native_stop(void) {
    atomic_fetch_add(&stops, 1);
}
