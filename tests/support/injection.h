/* SPDX-License-Identifier: MIT
 *
 * Failure injection: calls one function of the library repeatedly, with a fault at its first call,
 * at its second, and so on until no fault occurs. Each time, the status or the result must be
 * right, nothing may leak, and existing objects must still work. LeakSanitizer detects leaks that
 * are not counted.
 */
#ifndef POSEMILL_TESTS_INJECTION_H
#define POSEMILL_TESTS_INJECTION_H

#include <posemill/posemill.h>

#include "faults.h"

/* The objects that a test file has made so far. Each file defines this type and the three
 * functions. */
typedef struct stage stage;

/* Makes the outputs; clears the state of a previous run. */
void stage_open(stage *s);
/* Fills the outputs with a pattern. */
void stage_poison(stage *s);
/* Checks that the fault broke that one call only, and releases all objects. */
void stage_close(stage *s);

typedef struct scenario {
    const char *name;
    /* Makes the input of the call; no fault occurs yet. */
    void (*prepare)(stage *s);
    /* The call in which the fault occurs. */
    pm_status (*run)(stage *s, pm_error *error);
    /* The expected results of a successful run, which a failed run must not leave; or NULL. */
    void (*expect_done)(const stage *s);
    void (*expect_undone)(const stage *s);
    /* Fault n is followed by fault n + 1 + n / growth; 0: every fault. */
    size_t growth;
} scenario;

/* Every fault in order if long sweeps are requested, of which at least `min` must have become errors.
 * Otherwise, or if the scenario requests it, in growing steps: at least five, or `min` if that is
 * less. */
void inject_all(const scenario *which, stage *s, fault_kind kind, bool sticky, size_t min);

#endif
