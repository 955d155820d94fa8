/* SPDX-License-Identifier: MIT
 *
 * The door of this room: a backend that combines several devices of other backends. A clip is built
 * once and uploaded to each device. A request is cut into pieces, which the devices take one after
 * another. A crowd belongs to one device, so this backend has no crowds.
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

/* The state of such a device. */
typedef struct pm_multi_device {
    pm_device device;
    size_t min_values; /* minimum values per piece; tests set it */
} pm_multi_device;

static inline pm_multi_device *pm_multi_device_of(pm_device *device) {
    return (pm_multi_device *)device;
}

#endif
