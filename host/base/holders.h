/* SPDX-License-Identifier: MIT
 *
 * Versions of something that changes: a call holds the latest version while it runs, without a lock. A version's
 * counts outlive what it has, so that they can be written before the version is known to be the latest.
 */
#ifndef PM_HOST_HOLDERS_H
#define PM_HOST_HOLDERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls are counted in several places, because threads that write one place wait for each other longer than
 * posing a small instance takes. */
enum { PM_HOLDER_COUNTS = 16, PM_HOLDERS_APART = 64 /* bytes of a cache line */ };
typedef struct pm_holders {
    struct {
        atomic_size_t calls;
        char apart[PM_HOLDERS_APART - sizeof(atomic_size_t)];
    } at[PM_HOLDER_COUNTS];
} pm_holders;

/* Counts a call, which ends with pm_holders_leave. A version is held if it is still the latest one then. */
static inline atomic_size_t *pm_holders_enter(pm_holders *holders) {
    const char here = 0; /* threads have stacks apart */
    const size_t place = ((uintptr_t)&here >> 16) * 2654435769u >> 20;
    atomic_size_t *calls = &holders->at[place % PM_HOLDER_COUNTS].calls;
    atomic_fetch_add(calls, 1);
    return calls;
}

static inline void pm_holders_leave(atomic_size_t *calls) {
    atomic_fetch_sub(calls, 1);
}

static inline bool pm_holders_any(pm_holders *holders) {
    bool any = false;
    for (unsigned i = 0; i < PM_HOLDER_COUNTS; i++)
        any = any || atomic_load(&holders->at[i].calls) != 0;
    return any;
}

#endif
