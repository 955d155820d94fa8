/* SPDX-License-Identifier: MIT
 *
 * Allocations that fail when they are due.
 */
#define _XOPEN_SOURCE 700

#include "failing_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "wrapped.h"

static bool armed, sticky, fired;
static size_t countdown;
static long blocks;
static size_t requested;

long live_blocks(void) {
    return blocks;
}

size_t counted_bytes(void) {
    return requested;
}

/* Of a request, which counts some bytes more, so that many small ones count too. */
static bool is_due(size_t size) {
    requested += size + 64;
    if (!armed)
        return false;
    countdown -= countdown > 0;
    const bool due = countdown == 0 && (sticky || !fired);
    fired |= due;
    errno = due ? ENOMEM : errno;
    return due;
}

/* The linker's --wrap requires these names. */
#define WRAP(type, name, params, args, size)                                                       \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params {                                                                    \
        type block = is_due(size) ? NULL : __real_##name args;                                     \
        blocks += block != NULL;                                                                   \
        return block;                                                                              \
    }
WRAP(void *, malloc, (size_t size), (size), size)
WRAP(void *, calloc, (size_t count, size_t size), (count, size), (count * size))
WRAP(char *, strdup, (const char *text), (text), strlen(text))
WRAP(char *, strndup, (const char *text, size_t size), (text, size), size)

WRAPPED(void *, realloc, void *block, size_t size) {
    void *moved = is_due(size) ? NULL : __real_realloc(block, size);
    blocks += moved && !block;
    return moved;
}

WRAPPED(void, free, void *block) {
    blocks -= block != NULL;
    __real_free(block);
}

void fail_each_allocation(bool (*work)(void), size_t least, size_t spare) {
    const int messages = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    size_t tries = 2, ignored = 0;
    for (bool done = false; !done; tries++) {
        sticky = tries % 2 == 0;
        countdown = tries / 2;
        fired = false;
        dup2(nowhere, STDERR_FILENO);
        armed = true;
        const bool good = work();
        armed = false;
        dup2(messages, STDERR_FILENO);
        done = !fired;
        ignored += good && fired;
        if (done && !good)
            fail_msg("no success after %zu failures", tries);
    }
    assert_true(ignored <= spare);
    close(messages);
    close(nowhere);
    assert_true(tries / 2 > least);
}
