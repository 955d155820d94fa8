/* SPDX-License-Identifier: MIT
 *
 * Versions of a crowd. A call holds the latest one while it runs, without a lock, and changes make a new one beside
 * it. The memory of a version is released once no call holds it.
 */
#ifndef PM_HOST_VERSIONS_H
#define PM_HOST_VERSIONS_H

#include <pthread.h>

#include "backend/backend.h"

/* Lives as long as its crowd, so that it can be counted before it is known to be the latest. */
typedef struct pm_crowd_version {
    pm_crowd_data *data;           /* owned; NULL: free for a new version */
    pm_device_crowd *on_device;    /* owned */
    struct pm_crowd_version *next; /* of the crowd */
    pm_holders holders;
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
    for (;;) {
        pm_crowd_version *version = atomic_load(&crowd->latest);
        atomic_size_t *calls = pm_holders_enter(&version->holders);
        if (atomic_load(&crowd->latest) == version)
            return (pm_held_crowd){version->data, version->on_device, calls};
        pm_holders_leave(calls);
    }
}

static inline void pm_crowd_let(const pm_held_crowd *held) {
    pm_holders_leave(held->calls);
}

/* Makes `data` the latest version of a crowd, which owns it then; on failure it is freed. Only where no other thread
 * changes the crowd. */
pm_status pm_crowd_publish(pm_crowd *crowd, pm_crowd_data *data, pm_error *error);

/* Frees all versions. No call holds one. */
void pm_crowd_clear(pm_crowd *crowd);

#endif
