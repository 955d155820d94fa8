/* SPDX-License-Identifier: MIT
 *
 * Writes the records of joints to memory, where the instances' records are a stride apart. Each
 * lane is an instance. Words are buffered until there are whole cache lines for each instance,
 * because a line that is written past the caches in parts is written several times. They are
 * transposed before they are stored.
 */
#ifndef PM_RECORDS_H
#define PM_RECORDS_H

#ifndef PM_LANES
#define PM_LANES 4
#endif

#include "pm_lanes_out.h" /* not in a branch alone: the library expands each header once */

#if PM_LANES == 16
#include "pm_records_wide.h"
#else
#include "pm_records_narrow.h"
#endif

#endif
