/* SPDX-License-Identifier: MIT
 *
 * The door of this room: engines of one device or of several, and the backend that combines several. A clip is built
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

/* PM_OK where the fields of a description but `device` are valid. */
pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error);

/* The options of the devices of an engine. Several devices share its host threads. */
pm_device_options pm_engine_options(const pm_engine_desc *desc);

/* Creates an engine of devices, at least one. It owns them; on failure they are closed. Frees the
 * array. */
pm_status pm_engine_of_devices(const pm_engine_desc *desc, pm_device **devices, size_t count,
                               pm_engine **engine, pm_error *error);

/* The state of a device of several. */
typedef struct pm_multi_device {
    pm_device device;
    size_t min_values; /* minimum values per piece; tests set it */
} pm_multi_device;

static inline pm_multi_device *pm_multi_device_of(pm_device *device) {
    return (pm_multi_device *)device;
}

#endif
