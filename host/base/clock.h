/* SPDX-License-Identifier: MIT
 *
 * A clock for measuring how long something took.
 */
#ifndef PM_HOST_CLOCK_H
#define PM_HOST_CLOCK_H

/* Seconds since any moment; never goes back. */
double pm_seconds_now(void);

#endif
