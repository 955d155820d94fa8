/* SPDX-License-Identifier: MIT
 *
 * The door of this room: a backend over several devices of other backends. A clip is built once and
 * uploaded to each; a request is cut into pieces that the devices take as they finish. Crowds are
 * of one device, so that there are none here.
 */
#ifndef PM_HOST_MULTI_H
#define PM_HOST_MULTI_H

#include "backend/backend.h"

/* A device over `count` devices, at least 2. They are its own from now on; on failure they remain
 * the caller's. */
pm_status pm_multi_device_open(pm_device *const *members, size_t count,
                               const pm_device_options *options, pm_device **device,
                               pm_error *error);

#endif
