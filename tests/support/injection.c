/* SPDX-License-Identifier: MIT
 *
 * The loop of failure injection.
 */
#include "injection.h"
#include "check.h"

#include <posemill/posemill_cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FAULTS = 5000 };
/* No driver returns this code, so a cl_status with it can only come from here. */
enum { UNKNOWN_CODE = -9999 };
enum { ROWS_MAX = 200 };
enum { SHORT_GROWTH = 4, SHORTEST_GROWTH = 1, SMALL_GROWTH = 2, SMALL_MIN = 3 };

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* The statuses that a failure of this call may lead to. */
static bool is_right_status(pm_status status, const char *call, fault_kind kind) {
    static const char *const finding[] = {"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs",
                                          "clGetDeviceInfo"};
    static const char *const building[] = {"clBuildProgram", "clCreateProgramWithSource"};
    if (kind == FAULT_ALLOCATION)
        return status == PM_ERROR_MEMORY;
    if (kind == FAULT_BUFFER)
        return status == PM_ERROR_DEVICE_MEMORY;
    if (status == PM_ERROR_NO_PLATFORM || status == PM_ERROR_NO_DEVICE)
        return is_one_of(call, finding, sizeof finding / sizeof finding[0]);
    if (status == PM_ERROR_BUILD)
        return is_one_of(call, building, sizeof building / sizeof building[0]);
    return status == PM_ERROR_DEVICE;
}

static void expect_failure(const scenario *which, pm_status status, const pm_error *error,
                           const char *call, fault_kind kind, size_t nth) {
    if (!is_right_status(status, call, kind))
        fail_msg("%s, fault %zu: %s failed and became \"%s\": %.255s", which->name, nth, call,
                 pm_status_name(status), error->message);
    assert_int_equal(error->status, status);
    assert_true(error->message[0] != '\0');
    if (status == PM_ERROR_DEVICE && error->cl_status != UNKNOWN_CODE)
        fail_msg("%s, fault %zu: %s gave %d, the error says %d", which->name, nth, call,
                 UNKNOWN_CODE, error->cl_status);
}

/* One run with a fault at the nth call, or with none if nth is 0, when the places of the calls are
 * noted. Checks its effects. Returns whether it became an error. */
static bool run_with_fault(const injection *row, stage *s, size_t nth) {
    const scenario *which = row->which;
    const long blocks = faults_live_blocks(), objects = faults_live_objects();
    const int code = row->kind == FAULT_BUFFER ? CL_MEM_OBJECT_ALLOCATION_FAILURE : UNKNOWN_CODE;
    pm_error error = poisoned_error();
    stage_open(s);
    if (which->prepare)
        which->prepare(s);
    stage_poison(s);
    if (nth)
        faults_arm(row->kind, nth, code, row->sticky);
    else
        faults_note_places(row->kind);
    const pm_status status = which->run(s, &error);
    const char *call = faults_disarm();
    if (nth && !call && !which->is_concurrent)
        fail_msg("%s: fault %zu did not occur", which->name, nth);
    if (!call)
        expect_ok(status, &error);
    if (status != PM_OK)
        expect_failure(which, status, &error, call, row->kind, nth);
    void (*expect)(const stage *) = status == PM_OK ? which->expect_done : which->expect_undone;
    if (expect)
        expect(s);
    stage_close(s);
    if (faults_live_blocks() != blocks || faults_live_objects() != objects)
        fail_msg("%s, fault %zu (%s): %ld blocks and %ld OpenCL objects not released", which->name,
                 nth, call ? call : "none", faults_live_blocks() - blocks,
                 faults_live_objects() - objects);
    return status != PM_OK;
}

/* The places of a run that have been tried. */
typedef struct known_places {
    uint64_t *items;
    size_t count;
} known_places;

static size_t count_place(const uint64_t *places, size_t count, uint64_t place) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += places[i] == place;
    return found;
}

/* Writes the calls that fail, counted from 1, and returns their number: at each place that is not
 * known, the first, second, fourth, eighth call and so on. The first has a state of its own, and
 * the others meet what earlier ones have left. */
static size_t choose_calls(const known_places *known, size_t *calls) {
    const uint64_t *places = NULL;
    const size_t count = faults_places(&places);
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t nth = count_place(places, i + 1, places[i]);
        const bool is_power_of_two = (nth & (nth - 1)) == 0;
        if (is_power_of_two && !count_place(known->items, known->count, places[i])) {
            assert_true(chosen < MAX_FAULTS);
            calls[chosen++] = i + 1;
        }
    }
    return chosen;
}

static known_places keep_places(void) {
    const uint64_t *places = NULL;
    known_places kept = {.count = faults_places(&places)};
    kept.items = test_array(kept.count + 1, sizeof *kept.items);
    memcpy(kept.items, places, kept.count * sizeof *places);
    return kept;
}

static size_t growth_of(const scenario *which) {
    if (small_sizes())
        return SMALL_GROWTH;
    if (long_sweeps())
        return which->growth;
    return which->growth ? SHORTEST_GROWTH : SHORT_GROWTH;
}

/* Returns the number of failures that became errors. */
static size_t inject_unknown(const injection *row, stage *s, const known_places *known) {
    static size_t calls[MAX_FAULTS];
    const size_t growth = growth_of(row->which);
    assert_false(run_with_fault(row, s, 0));
    const size_t count = choose_calls(known, calls);
    size_t failures = 0, faults = 0;
    for (size_t nth = 1; nth <= count; nth += 1 + (growth ? nth / growth : 0), faults++)
        failures += run_with_fault(row, s, calls[nth - 1]);
    print_message("%s: %zu faults, %zu became errors\n", row->which->name, faults, failures);
    return failures;
}

void inject_all(const injection *row, stage *s, stage *building) {
    const bool is_reduced = growth_of(row->which) != 0;
    known_places known = {0};
    assert_false(run_with_fault(row, s, 0)); /* fills caches, after which calls repeat */
    size_t failures = inject_unknown(row, s, &known);
    if (building) {
        assert_false(run_with_fault(row, s, 0)); /* notes the places of the filled cache again */
        known = keep_places();
        failures += inject_unknown(row, building, &known);
        free(known.items);
    }
    assert_true(failures >= (is_reduced && row->min > SMALL_MIN ? SMALL_MIN : row->min));
}

/* ---- tables of tests --------------------------------------------------------------------------- */

typedef struct row_test {
    void *where; /* the state that engine_for reads */
    const injection *row;
    char name[128];
} row_test;

static void run_row(void **state) {
    row_test *t = *state;
    if (t->row->which->require)
        t->row->which->require(&t->where);
    else
        engine_for(&t->where);
    inject(t->row, &t->where);
}

static void name_row(row_test *t) {
    static const char *const kinds[] = {
        [FAULT_CL] = "call", [FAULT_BUFFER] = "buffer", [FAULT_ALLOCATION] = "allocation"};
    snprintf(t->name, sizeof t->name, "%s %s failing in %s%s on the %s",
             t->row->sticky ? "every later" : "a", kinds[t->row->kind], t->row->which->name,
             t->row->builds ? " with builds" : "", t->where == &on_device ? "device" : "reference");
}

static void the_linker_wraps_the_calls(void **state) {
    (void)state;
    assert_true(faults_are_linked());
}

void inject_rows(const injection *rows, size_t row_count) {
    static row_test tests[ROWS_MAX];
    if (2 * row_count > ROWS_MAX)
        abort();
    test_add("the_linker_wraps_the_calls", the_linker_wraps_the_calls, NULL, NULL, NULL);
    for (size_t i = 0; i < 2 * row_count; i++) {
        const bool is_on_device = i % 2 != 0;
        row_test *t = &tests[i];
        *t = (row_test){is_on_device ? &on_device : &on_reference, &rows[i / 2], ""};
        name_row(t);
        if (is_on_device || t->row->is_on_both)
            test_add(t->name, run_row, NULL, NULL, t);
    }
}
