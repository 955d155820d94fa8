/* SPDX-License-Identifier: MIT
 *
 * The programs that are compiled as C for the host.
 */
#include "steps_on_host.h"

#include <string.h>

/* Rows STEP(function, file, curve, vector curve, components, format of keys, timelines per joint), from CMakeLists.txt. */
#define STEP(function, ...) extern step_on_host function;
#include "steps_on_host_table.h"
#undef STEP

typedef struct program {
    step_on_host *run;
    const char *file, *curve, *vector_curve; /* "": any */
    unsigned components;
    pm_key_format format;
    bool per_joint;
} program;

#define STEP(function, ...) {function, __VA_ARGS__},
static const program programs[] = {
#include "steps_on_host_table.h"
};

static bool fits(const char *wanted, const char *name) {
    return wanted[0] == '\0' || (name && strcmp(wanted, name) == 0);
}

step_on_host *step_on_host_of(const pm_variant *variant) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const program *p = &programs[i];
        if (fits(p->file, variant->file) && fits(p->curve, variant->curve) &&
            fits(p->vector_curve, variant->vector_curve) && p->components == variant->components &&
            p->format == variant->format && p->per_joint == variant->per_joint)
            return p->run;
    }
    return NULL;
}
