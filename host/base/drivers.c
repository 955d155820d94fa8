/* SPDX-License-Identifier: MIT
 *
 * Notes the first use of OpenCL, and forks after it.
 */
#include "drivers.h"

#include <stdatomic.h>

#include "os.h"
#include "status.h"

enum { UNUSED, USED, LOST };
static atomic_int drivers = UNUSED;
static int not_watched; /* an errno value */

static void after_fork(void) {
    int used = USED;
    atomic_compare_exchange_strong(&drivers, &used, LOST);
}

static void watch_forks(void) {
    not_watched = pm_os_watch_forks(after_fork);
}

bool pm_drivers_are_lost(void) {
    return atomic_load_explicit(&drivers, memory_order_relaxed) == LOST;
}

pm_status pm_drivers_check(pm_error *error) {
    if (!pm_drivers_are_lost())
        return PM_OK;
    const pm_status status = pm_fail(
        error, PM_ERROR_DEVICE,
        "devices cannot be used after a fork: this process was forked after OpenCL was used");
    if (error)
        error->hint =
            "make the engine and what is on it in a process that is started anew (in Python "
            "by the method spawn or forkserver), or use the device none: plain C, the same "
            "bits";
    return status;
}

pm_status pm_drivers_use(pm_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int unused = UNUSED;
    if (pm_drivers_are_lost())
        return pm_drivers_check(error);
    pthread_once(&once, watch_forks);
    if (not_watched)
        return pm_fail_memory(error);
    atomic_compare_exchange_strong(&drivers, &unused, USED);
    return PM_OK;
}
