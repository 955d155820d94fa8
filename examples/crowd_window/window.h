/* SPDX-License-Identifier: MIT
 *
 * The crowd in a window.
 */
#ifndef EXAMPLES_CROWD_WINDOW_WINDOW_H
#define EXAMPLES_CROWD_WINDOW_WINDOW_H

#include "options.h"

/* Returns when the window is closed. */
pm_status window_run(const options *o, pm_error *error);

#endif
