/* SPDX-License-Identifier: MIT
 *
 * Measures stacks.
 */
#define _GNU_SOURCE

#include "stack.h"

#include "test.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* Frames are smaller than the guard, so that none of them skips it. */
enum { STACK = 1 << 20, GUARD = 1 << 20, PAINT = 0xA5 };

typedef struct call {
    void (*work)(void *context);
    void *context;
} call;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define WITH_SANITIZER 1
#endif
#endif

bool stack_is_that_of_a_release(void) {
#if defined(WITH_SANITIZER) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||    \
    !defined(__OPTIMIZE__)
    return false;
#else
    return true;
#endif
}

static void *run(void *context) {
    const call *c = context;
    if (c->work)
        c->work(c->context);
    return NULL;
}

/* With what the thread itself takes. */
static size_t taken_by(call c) {
    pthread_attr_t attributes;
    pthread_t thread;
    unsigned char *all = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    assert_true(all != MAP_FAILED);
    assert_int_equal(mprotect(all, GUARD, PROT_NONE), 0);
    memset(all + GUARD, PAINT, STACK);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, all + GUARD, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, &c), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    size_t unused = 0;
    while (unused < STACK && all[GUARD + unused] == PAINT)
        unused++;
    assert_int_equal(munmap(all, GUARD + STACK), 0);
    return STACK - unused;
}

size_t stack_taken(void (*work)(void *context), void *context) {
    const size_t own = taken_by((call){NULL, NULL});
    const size_t both = taken_by((call){work, context});
    return both > own ? both - own : 0;
}
