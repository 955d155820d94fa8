/* SPDX-License-Identifier: MIT
 *
 * Versions of a crowd. A call holds the latest one while it runs, without a lock, and changes make a new one beside
 * it. The memory of a version is released once no call holds it.
 */
#ifndef PM_HOST_VERSIONS_H
#define PM_HOST_VERSIONS_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend.h"
#include "kernels/pm_memory.h"

/* Calls are counted in several places, because threads that write one place wait for each other longer than
 * posing a small instance takes. */
enum { PM_HOLDER_COUNTS = 16 };
typedef struct pm_holder_count {
    atomic_size_t calls;
    char apart[PM_CACHE_LINE - sizeof(atomic_size_t)];
} pm_holder_count;

/* Lives as long as its crowd, so that it can be counted before it is known to be the latest. */
typedef struct pm_crowd_version {
    pm_crowd_data *data;           /* owned; NULL: free for a new version */
    pm_device_crowd *on_device;    /* owned */
    struct pm_crowd_version *next; /* of the crowd */
    pm_holder_count holders[PM_HOLDER_COUNTS];
} pm_crowd_version;

struct pm_crowd {
    pm_engine *engine; /* borrowed */
    _Atomic(pm_crowd_version *) latest;
    pm_crowd_version *versions; /* owned */
    pthread_mutex_t changing;   /* guards `versions`, and what of them is no call's */
};

/* A version that a call holds. */
typedef struct pm_held_crowd {
    pm_crowd_data *data;
    pm_device_crowd *on_device;
    atomic_size_t *calls;
} pm_held_crowd;

/* Holds the latest version. Thread-safe; let it go with pm_crowd_let. */
static inline pm_held_crowd pm_crowd_hold(const pm_crowd *crowd) {
    const char here = 0; /* threads have stacks apart */
    const size_t place = ((uintptr_t)&here >> 16) * 2654435769u >> 20;
    for (;;) {
        pm_crowd_version *version = atomic_load(&crowd->latest);
        atomic_size_t *calls = &version->holders[place % PM_HOLDER_COUNTS].calls;
        atomic_fetch_add(calls, 1);
        if (atomic_load(&crowd->latest) == version)
            return (pm_held_crowd){version->data, version->on_device, calls};
        atomic_fetch_sub(calls, 1);
    }
}

static inline void pm_crowd_let(const pm_held_crowd *held) {
    atomic_fetch_sub(held->calls, 1);
}

/* Makes `data` the latest version of a crowd, which owns it then; on failure it is freed. Only where no other thread
 * changes the crowd. */
pm_status pm_crowd_publish(pm_crowd *crowd, pm_crowd_data *data, pm_error *error);

/* Frees all versions. No call holds one. */
void pm_crowd_clear(pm_crowd *crowd);

#endif
