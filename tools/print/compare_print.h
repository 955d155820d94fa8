/* SPDX-License-Identifier: MIT
 *
 * A comparison in the terminal.
 */
#ifndef POSEMILL_TOOLS_COMPARE_PRINT_H
#define POSEMILL_TOOLS_COMPARE_PRINT_H

#include "motion/compare/outcome.h"

/* Lines: a joint each, the worst first, then the clip. */
void compare_print(FILE *file, const outcome *o);

#endif
