/* SPDX-License-Identifier: MIT
 *
 * The state of a device that combines several devices.
 */
#ifndef PM_HOST_MULTI_DEVICE_H
#define PM_HOST_MULTI_DEVICE_H

#include "multi.h"

typedef struct pm_multi_device {
    pm_device device;
    size_t min_values; /* minimum values per piece; tests set it */
} pm_multi_device;

static inline pm_multi_device *pm_multi_device_of(pm_device *device) {
    return (pm_multi_device *)device;
}

#endif
