/* SPDX-License-Identifier: MIT
 *
 * How many steps a measurement needs, for the device and the reference path alike.
 */
#include "arithmetic.h"

size_t arithmetic_more_steps(size_t steps, double seconds) {
    const double margin = 1.25;
    if (seconds >= ARITHMETIC_SECONDS || steps >= ARITHMETIC_STEPS_MAX)
        return steps;
    const double factor = seconds > 0.0 ? margin * ARITHMETIC_SECONDS / seconds : 16.0;
    const double wanted = (double)steps * (factor < 16.0 ? factor : 16.0);
    return wanted < (double)ARITHMETIC_STEPS_MAX ? ((size_t)wanted + 3) / 4 * 4
                                                 : ARITHMETIC_STEPS_MAX;
}

cli_exit arithmetic_wrong(void) {
    return cli_fail(CLI_DEVICE_FAILED, "ceiling/arithmetic", NULL,
                    "multiply-adds gave a wrong result");
}
