/* SPDX-License-Identifier: MIT
 *
 * Samples that each have their own track and position, in lanes: what sample_lanes.c defines for each
 * instruction set.
 */
#ifndef PM_HOST_SAMPLE_LANES_H
#define PM_HOST_SAMPLE_LANES_H

#include "cpu.h"

/* Computes an output of a request for pairs, for derivatives or for values: of rows of all tracks at its
 * cursors, if it has no pairs. `streams`: past the caches. Thread-safe. */
typedef void (*pm_sample_lanes_function)(const pm_sample_request *request, unsigned output,
                                         const pm_cursor *cursors, bool streams);

#endif
