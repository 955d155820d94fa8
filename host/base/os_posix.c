/* SPDX-License-Identifier: MIT
 *
 * What POSIX systems have in common.
 */
#define _DEFAULT_SOURCE /* madvise */

#include "os.h"

#include <dlfcn.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

void pm_os_yield(void) {
    sched_yield();
}

bool pm_os_start_thread(pthread_t *thread, void *(*serve)(void *argument), void *argument) {
    static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const bool good = pthread_create(thread, NULL, serve, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

int pm_os_watch_forks(void (*in_child)(void)) {
    return pthread_atfork(NULL, NULL, in_child);
}

void pm_os_get_mode(fenv_t *mode) {
    fegetenv(mode);
}

void pm_os_set_mode(const fenv_t *mode) {
    fesetenv(mode);
}

/* Huge pages are only advice: small ones do as well. */
void *pm_os_allocate(size_t alignment, size_t size) {
    if (size >= HUGE_PAGE && alignment < HUGE_PAGE)
        alignment = HUGE_PAGE;
    if (size > SIZE_MAX - alignment)
        return NULL;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
#ifdef MADV_HUGEPAGE
    if (memory && size >= HUGE_PAGE)
        madvise(memory, size, MADV_HUGEPAGE);
#endif
    return memory;
}

void pm_os_free(void *memory) {
    free(memory);
}

/* ---- libraries --------------------------------------------------------------------------------- */

void *pm_os_open_opencl(void) {
#ifdef __APPLE__
    static const char *const names[] = {"/System/Library/Frameworks/OpenCL.framework/OpenCL"};
#else
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so"};
#endif
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool pm_os_opencl_is_wine(void) {
    return false;
}

void *pm_os_symbol(void *library, const char *name) {
    return dlsym(library, name);
}

void pm_os_close_library(void *library) {
    dlclose(library);
}

/* ---- text -------------------------------------------------------------------------------------- */

/* The C locale is a constant of the C library, which takes no memory and is not freed. */
void *pm_os_c_locale_begin(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void pm_os_c_locale_end(void *before) {
    uselocale(before);
}
