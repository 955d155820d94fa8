/* SPDX-License-Identifier: MIT
 *
 * Memory with a note before it of where it is from.
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "os.h"
#include "status.h"

enum { ALIGNMENT = _Alignof(max_align_t), LINE = 64 };

/* Ends where the memory begins. */
typedef struct origin {
    void (*release)(void *user, void *whole, size_t size, size_t alignment);
    void *user;
    size_t size, alignment; /* of the whole */
} origin;

_Static_assert(sizeof(origin) % ALIGNMENT == 0 && sizeof(origin) <= LINE, "memory stays aligned");

static size_t room_before(size_t alignment) {
    return alignment > sizeof(origin) ? alignment : sizeof(origin);
}

void *pm_allocate_whole(const pm_host *host, size_t alignment, size_t size) {
    if (host && host->allocate)
        return host->allocate(host->user, size, alignment);
    return alignment > ALIGNMENT ? pm_os_allocate(alignment, size) : malloc(size);
}

void pm_release_whole(const pm_host *host, size_t alignment, size_t size, void *whole) {
    if (host->release)
        host->release(host->user, whole, size, alignment);
    else if (alignment > ALIGNMENT)
        pm_os_free(whole);
    else
        free(whole);
}

static void *note_origin(const pm_host *host, size_t alignment, size_t size, char *whole) {
    if (!whole)
        return NULL;
    char *memory = whole + room_before(alignment);
    *((origin *)(void *)memory - 1) =
        (origin){host ? host->release : NULL, host ? host->user : NULL, size, alignment};
    return memory;
}

static void *allocate(const pm_host *host, size_t alignment, size_t size) {
    if (__builtin_add_overflow(size, room_before(alignment), &size))
        return NULL;
    return note_origin(host, alignment, size, pm_allocate_whole(host, alignment, size));
}

pm_status pm_host_check(const pm_host *host, pm_error *error) {
    if (!host->allocate == !host->release)
        return PM_OK;
    return pm_fail(error, PM_ERROR_ARGUMENT, "host.%s is NULL, and host.%s is not",
                   host->allocate ? "release" : "allocate", host->allocate ? "allocate" : "release");
}

pm_host pm_host_within(const pm_host *host) {
    pm_host within = host ? *host : (pm_host){0};
    within.progress = NULL;
    return within;
}

void *pm_allocate(const pm_host *host, size_t size) {
    return allocate(host, ALIGNMENT, size);
}

void *pm_allocate_lines(const pm_host *host, size_t size) {
    return allocate(host, LINE, size);
}

/* The C library has memory that is zero already. */
void *pm_allocate_zeroed(const pm_host *host, size_t count, size_t size) {
    if (__builtin_mul_overflow(size, count, &size))
        return NULL;
    if (host && host->allocate) {
        void *memory = pm_allocate(host, size);
        return memory ? memset(memory, 0, size) : NULL;
    }
    if (__builtin_add_overflow(size, sizeof(origin), &size))
        return NULL;
    return note_origin(NULL, ALIGNMENT, size, calloc(1, size));
}

void *pm_reallocate(const pm_host *host, void *memory, size_t size) {
    void *larger = pm_allocate(host, size);
    if (larger && memory) {
        const origin *from = (origin *)memory - 1;
        const size_t before = from->size - room_before(from->alignment);
        memcpy(larger, memory, before < size ? before : size);
        pm_release(memory);
    }
    return larger;
}

char *pm_copy_text(const pm_host *host, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = pm_allocate(host, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void pm_release(void *memory) {
    if (!memory)
        return;
    const origin from = *((origin *)memory - 1);
    pm_release_whole(&(pm_host){.user = from.user, .release = from.release}, from.alignment,
                     from.size, (char *)memory - room_before(from.alignment));
}
