/* SPDX-License-Identifier: MIT
 *
 * The programs that are compiled as C for the host.
 */
#include "steps_on_host.h"

/* Rows PROGRAM(name), from CMakeLists.txt. */
#define PROGRAM(name) extern const program_on_host name;
#include "steps_on_host_table.h"
#undef PROGRAM

#define PROGRAM(name) &name,
static const program_on_host *const programs[] = {
#include "steps_on_host_table.h"
};

step_on_host *step_on_host_of(const pm_variant *variant) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        pm_variant own = programs[i]->variant;
        if (!own.curve)
            own.curve = variant->curve;
        if (pm_same_variant(&own, variant))
            return programs[i]->run;
    }
    return NULL;
}
