/* SPDX-License-Identifier: MIT
 *
 * Failure injection: one call of the library again and again, with its first fault, its second,
 * ... until it meets none. Each time: the right status or a right result, nothing left alive, and
 * whatever there is still works. LeakSanitizer sees what is not counted.
 */
#ifndef POSEMILL_TESTS_INJECTION_H
#define POSEMILL_TESTS_INJECTION_H

#include <posemill/posemill.h>

#include "faults.h"

/* What a file of tests has made so far. It defines this, and the three functions, for itself. */
typedef struct stage stage;

/* Makes the outputs; what the stage held of another run is forgotten. */
void stage_open(stage *s);
/* Poisons the outputs. */
void stage_poison(stage *s);
/* Sees that whatever the fault broke was broken for that one call only, and lets go of all. */
void stage_close(stage *s);

typedef struct scenario {
    const char *name;
    /* Makes what the call needs; nothing fails yet. */
    void (*prepare)(stage *s);
    /* The one call that meets the fault. */
    pm_status (*run)(stage *s, pm_error *error);
    /* The results of a run that did well, and what one that failed must not leave; or NULL. */
    void (*expect_done)(const stage *s);
    void (*expect_undone)(const stage *s);
    /* After fault n comes fault n + 1 + n / growth; 0: each in turn. */
    size_t growth;
} scenario;

/* Every fault in turn, of which `least` must have become errors. In small sizes, and where a
 * scenario says so, in growing steps: then five must, or `least` if that is less. */
void inject_all(const scenario *which, stage *s, fault_kind kind, bool sticky, size_t min);

#endif
