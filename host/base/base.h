/* SPDX-License-Identifier: MIT
 *
 * The door of this room: utilities that are independent of curves. Errors, log messages, threads,
 * exact fractions, instruction sets, the rounding of stored numbers, drivers after a fork, the operating system.
 */
#ifndef PM_HOST_BASE_H
#define PM_HOST_BASE_H

#include "clones.h"
#include "counts.h"
#include "drivers.h"
#include "elementary.h"
#include "holders.h"
#include "instruction_set.h"
#include "large.h"
#include "log.h"
#include "memory.h"
#include "os.h"
#include "parallel.h"
#include "rational.h"
#include "status.h"
#include "stored.h"

#endif
