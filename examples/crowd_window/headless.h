/* SPDX-License-Identifier: MIT
 *
 * The crowd without a display.
 */
#ifndef EXAMPLES_CROWD_WINDOW_HEADLESS_H
#define EXAMPLES_CROWD_WINDOW_HEADLESS_H

#include "options.h"

/* Draws, prints figures per second and the comparison with plain C, and writes the picture. */
pm_status headless_run(const options *o, pm_error *error);

#endif
