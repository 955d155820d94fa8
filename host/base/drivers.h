/* SPDX-License-Identifier: MIT
 *
 * Whether this process may call drivers of OpenCL. Drivers do not survive a fork: their threads are
 * not copied, and their locks may be held for ever. A process that was forked after the library had
 * called one therefore calls none.
 */
#ifndef PM_HOST_DRIVERS_H
#define PM_HOST_DRIVERS_H

#include <posemill/posemill.h>

/* Must succeed before the first call of a driver. PM_ERROR_DEVICE with a hint where drivers are lost.
 * Thread-safe. */
pm_status pm_drivers_use(pm_error *error);

/* Whether the process was forked after the library had called a driver. */
bool pm_drivers_are_lost(void);

/* PM_ERROR_DEVICE with a hint where drivers are lost. */
pm_status pm_drivers_check(pm_error *error);

#endif
