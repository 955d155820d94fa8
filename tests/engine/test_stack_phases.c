/* SPDX-License-Identifier: MIT
 *
 * The bits of everything, by each instruction set, wherever a frame begins: callers align the stack to 16 bytes,
 * and vectors of 32 and 64 bytes lie in it. GCC does not align them on Windows, where a move that requires it
 * fails at some of the four phases. Wine, as systems do, starts threads at one of them.
 */
#include "support/digests.h"
#include "support/engines.h"
#include "support/wrapped.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/counts.h"
#include "base/instruction_set.h"
#include "base/os.h"

static const char stored[] = POSEMILL_SOURCE_DIR "/tests/vectors/digests.txt";

static size_t instruction_set, phase;

WRAPPED(size_t, pm_instruction_set_widest, void) {
    return instruction_set;
}

WRAPPED(bool, pm_instruction_set_is_supported, size_t index) {
    return index <= instruction_set && __real_pm_instruction_set_is_supported(index);
}

typedef struct call {
    void *(*work)(void *context);
    void *context;
} call;

/* On a stack that is lower by the phase, to what it was modulo 64. */
static __attribute__((noinline)) void *call_lower(const call *c) {
    volatile char *room = __builtin_alloca(64 + phase - (uintptr_t)__builtin_frame_address(0) % 64);
    room[0] = 0;
    void *result = c->work(c->context);
    room[0] = 1; /* the call is no jump, which would give the room back */
    return result;
}

static void *begin_thread(void *context) {
    call *c = context;
    void *result = call_lower(c);
    free(c);
    return result;
}

WRAPPED(bool, pm_os_start_thread, pthread_t *thread, void *(*serve)(void *argument),
        void *argument) {
    call *c = malloc(sizeof *c);
    if (!c)
        return false;
    *c = (call){serve, argument};
    const bool started = __real_pm_os_start_thread(thread, begin_thread, c);
    if (!started)
        free(c);
    return started;
}

enum { CROWDS = PM_METHOD_COUNT, LOWPASS, ITEMS };

typedef struct comparison {
    pm_engine *engine;
    const digest_input *input;
    atomic_size_t compared, wrong;
} comparison;

static void compare_items(void *context, pm_items *items) {
    comparison *c = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        digests d = {0};
        if (item == CROWDS)
            digests_of_crowds(&d, c->engine, c->input);
        else if (item == LOWPASS)
            digests_of_lowpass(&d, c->engine, c->input);
        else
            digests_of_method_once(&d, c->engine, c->input, (pm_method)item);
        atomic_fetch_add(&c->compared, d.count);
        atomic_fetch_add(&c->wrong, digests_wrong(&d, stored));
        digests_free(&d);
    }
}

/* The calling thread and threads of the pool, all at the phase. */
static void *compare_all(void *context) {
    pm_threads_keep();
    pm_run_parallel(NULL, 3, ITEMS, compare_items, context);
    pm_threads_release();
    return NULL;
}

TEST_ON_REFERENCE(each_phase_of_the_stack_gives_the_stored_digests_with_each_instruction_set) {
    digest_input *input = digest_input_make();
    for (size_t set = 0; set < pm_instruction_set_count(); set++)
        for (phase = 0; __real_pm_instruction_set_is_supported(set) && phase < 64; phase += 16) {
            comparison c = {.engine = engine_for(state), .input = input};
            instruction_set = set;
            call_lower(&(call){compare_all, &c});
            if (c.compared < ITEMS || c.wrong > 0)
                fail_msg("%s, phase %zu: %zu of %zu digests differ", pm_instruction_set_name(set),
                         phase, (size_t)c.wrong, (size_t)c.compared);
        }
    free(input);
}
