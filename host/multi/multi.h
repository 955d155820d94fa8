/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the backend that combines several devices. A clip is built once and uploaded to each. Work
 * is cut into pieces, which the devices take one after another; what they compute it does not know. A crowd belongs
 * to one device, so this backend has no crowds.
 */
#ifndef PM_HOST_MULTI_H
#define PM_HOST_MULTI_H

#include "backend/backend.h"

/* Opens a device that combines `count` devices, at least 2. It owns the members and closes them; on
 * failure they remain the caller's. The array is copied. Close the device with its backend's
 * close. */
pm_status pm_multi_device_open(pm_device *const *members, size_t count,
                               const pm_device_options *options, pm_device **device,
                               pm_error *error);

/* Work that is cut into pieces of its elements. */
typedef struct pm_multi_work {
    const pm_host *host;    /* of the call */
    size_t elements, width; /* at least 1; values of an element */
    /* Computes a piece on a member of the device. Thread-safe. */
    pm_status (*compute)(const void *context, size_t member, const pm_piece *piece,
                         pm_error *error);
    const void *context;
} pm_multi_work;

/* Computes all pieces. The failure is that of the first piece that failed. Each member uses the host threads of its
 * options, unless a job sets a number. Thread-safe. */
pm_status pm_multi_run(pm_device *device, const pm_multi_work *work, pm_error *error);

/* The state of a device of several. */
typedef struct pm_multi_device {
    pm_device device;
    size_t min_values; /* minimum values per piece; tests set it */
} pm_multi_device;

static inline pm_multi_device *pm_multi_device_of(pm_device *device) {
    return (pm_multi_device *)device;
}

#endif
