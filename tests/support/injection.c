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
enum { SHORT_GROWTH = 4, SHORTEST_GROWTH = 1, SMALL_GROWTH = 2, SMALL_MIN = 5 };

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

/* One run with one fault. Returns whether the fault occurred, and checks its effects. */
static bool run_with_fault(const scenario *which, stage *s, fault_kind kind, size_t nth,
                           bool sticky, size_t *failures) {
    const long blocks = faults_live_blocks(), objects = faults_live_objects();
    const int code = kind == FAULT_BUFFER ? CL_MEM_OBJECT_ALLOCATION_FAILURE : UNKNOWN_CODE;
    pm_error error = poisoned_error();
    stage_open(s);
    which->prepare(s);
    stage_poison(s);
    faults_arm(kind, nth, code, sticky);
    const pm_status status = which->run(s, &error);
    const char *call = faults_disarm();
    if (!call)
        expect_ok(status, &error);
    if (status != PM_OK)
        expect_failure(which, status, &error, call, kind, nth);
    void (*expect)(const stage *) = status == PM_OK ? which->expect_done : which->expect_undone;
    if (expect)
        expect(s);
    *failures += status != PM_OK;
    stage_close(s);
    if (faults_live_blocks() != blocks || faults_live_objects() != objects)
        fail_msg("%s, fault %zu (%s): %ld blocks and %ld OpenCL objects not released", which->name,
                 nth, call ? call : "none", faults_live_blocks() - blocks,
                 faults_live_objects() - objects);
    return call != NULL;
}

static size_t growth_of(const scenario *which) {
    if (small_sizes())
        return SMALL_GROWTH;
    if (long_sweeps())
        return which->growth;
    return which->growth ? SHORTEST_GROWTH : SHORT_GROWTH;
}

void inject_all(const injection *row, stage *s) {
    const scenario *which = row->which;
    const size_t growth = growth_of(which);
    size_t failures = 0, nth = 1;
    while (run_with_fault(which, s, row->kind, nth, row->sticky, &failures)) {
        nth += 1 + (growth ? nth / growth : 0);
        assert_true(nth < MAX_FAULTS);
    }
    print_message("%s: %zu faults, %zu became errors\n", which->name, nth - 1, failures);
    assert_true(failures >= (growth && row->min > SMALL_MIN ? SMALL_MIN : row->min));
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

void inject_rows(const injection *rows, size_t row_count) {
    static row_test tests[ROWS_MAX];
    if (2 * row_count > ROWS_MAX)
        abort();
    for (size_t i = 0; i < 2 * row_count; i++) {
        const bool is_on_device = i % 2 != 0;
        row_test *t = &tests[i];
        *t = (row_test){is_on_device ? &on_device : &on_reference, &rows[i / 2], ""};
        name_row(t);
        if (is_on_device || t->row->is_on_both)
            test_add(t->name, run_row, NULL, NULL, t);
    }
}
