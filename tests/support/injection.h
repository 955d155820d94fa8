/* SPDX-License-Identifier: MIT
 *
 * Failure injection: calls one function of the library repeatedly, with a fault at another of its
 * calls each time. The status or the result must be right, nothing may leak, and existing objects
 * must still work. LeakSanitizer detects leaks that are not counted.
 */
#ifndef POSEMILL_TESTS_INJECTION_H
#define POSEMILL_TESTS_INJECTION_H

#include <posemill/posemill.h>

#include "engines.h"
#include "faults.h"

/* The objects that a test file has made so far. Each file defines this type and the functions below
 * it. */
typedef struct stage stage;

/* Makes the outputs; clears the state of a previous run. */
void stage_open(stage *s);
/* Fills the outputs with a pattern. */
void stage_poison(stage *s);
/* Checks that the fault broke that one call only, and releases all objects. */
void stage_close(stage *s);

typedef struct scenario {
    const char *name;
    /* Makes the input of the call, or NULL; no fault occurs yet. */
    void (*prepare)(stage *s);
    /* The call in which the fault occurs. */
    pm_status (*run)(stage *s, pm_error *error);
    /* The expected results of a successful run, which a failed run must not leave; or NULL. */
    void (*expect_done)(const stage *s);
    void (*expect_undone)(const stage *s);
    /* The nth fault is followed by that of number n + 1 + n / growth; 0: every fault. */
    size_t growth;
    bool is_concurrent; /* the calls that are made depend on other threads */
    /* Skips the test where its devices are missing. NULL: engine_for. */
    void (*require)(void **state);
} scenario;

/* A row of a table of tests. */
typedef struct injection {
    const scenario *which;
    fault_kind kind;
    bool sticky; /* all that follows the nth fails too */
    size_t min;  /* faults that must become errors */
    bool builds; /* calls that only builds make fail too, and not only those of a filled cache */
    bool is_on_both; /* on the reference path too, and not only on the device */
} injection;

/* Each test file defines it: inject_all with a stage for the row. */
void inject(const injection *row, void **state);

/* The calls in one run without a fault are found first. At each place, a chain of callers, the
 * first, second, fourth, eighth call and so on fails: all of these if long sweeps are requested, of
 * which at least `min` must have become errors. Otherwise, or if the scenario requests it, growing
 * steps of them: at least three, or `min` if that is less. Building takes most of the time:
 * `building`, or NULL, has no cache, and is tried only at the places that `s`, whose cache is
 * filled, does not reach. */
void inject_all(const injection *row, stage *s, stage *building);

/* Adds a test for each row, and a second one for a row on both, at most 200 in all, and one that the linker
 * wraps the calls. */
void inject_rows(const injection *rows, size_t row_count);

#endif
