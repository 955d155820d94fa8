/* SPDX-License-Identifier: MIT
 *
 * Part of wheels for manylinux_2_28 alone (POSEMILL_OLDER_GLIBC): functions of which the C library of the
 * build machine has versions that glibc 2.28 lacks. The linker's --wrap sends calls here, and these call the
 * versions that glibc has had from the beginning. CMakeLists.txt lists the same names. What the functions
 * compute does not change: in the C libraries that have both versions, they differ in how errors are told.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#define FIRST_CLOCK "GLIBC_2.3.3"
enum { STAT_VERSION = 1 };
#else
#define FIRST "GLIBC_2.17"
#define FIRST_CLOCK FIRST
enum { STAT_VERSION = 0 };
#endif

/* A function under its name and under __wrap_NAME, which calls the version VERSION of the former. */
#define WRAP(type, name, version, params, args)                                                    \
    type first_##name params;                                                                      \
    __asm__(".symver first_" #name ", " #name "@" version);                                        \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params {                                                                    \
        return first_##name args;                                                                  \
    }

WRAP(double, log, FIRST, (double x), (x))
WRAP(double, pow, FIRST, (double x, double y), (x, y))
WRAP(double, hypot, FIRST, (double x, double y), (x, y))
WRAP(void *, dlopen, FIRST, (const char *name, int flags), (name, flags))
WRAP(void *, dlsym, FIRST, (void *library, const char *name), (library, name))
WRAP(int, dlclose, FIRST, (void *library), (library))
WRAP(int, pthread_sigmask, FIRST, (int how, const sigset_t *set, sigset_t *old), (how, set, old))
WRAP(int, pthread_once, FIRST, (pthread_once_t * once, void (*run)(void)), (once, run))
WRAP(int, pthread_create, FIRST,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data),
     (thread, attributes, run, data))
WRAP(int, pthread_join, FIRST, (pthread_t thread, void **result), (thread, result))
WRAP(int, pthread_mutex_trylock, FIRST, (pthread_mutex_t * mutex), (mutex))
WRAP(int, pthread_condattr_setclock, FIRST_CLOCK, (pthread_condattr_t * to, clockid_t clock),
     (to, clock))

/* Calls of these were inline functions of headers. */
int __xstat(int version, const char *path, struct stat *to);
int __lxstat(int version, const char *path, struct stat *to);
int __fxstat(int version, int file, struct stat *to);
int __fxstatat(int version, int folder, const char *path, struct stat *to, int flags);
int __wrap_stat(const char *path, struct stat *to);
int __wrap_lstat(const char *path, struct stat *to);
int __wrap_fstat(int file, struct stat *to);
int __wrap_fstatat(int folder, const char *path, struct stat *to, int flags);

int __wrap_stat(const char *path, struct stat *to) {
    return __xstat(STAT_VERSION, path, to);
}

int __wrap_lstat(const char *path, struct stat *to) {
    return __lxstat(STAT_VERSION, path, to);
}

int __wrap_fstat(int file, struct stat *to) {
    return __fxstat(STAT_VERSION, file, to);
}

int __wrap_fstatat(int folder, const char *path, struct stat *to, int flags) {
    return __fxstatat(STAT_VERSION, folder, path, to, flags);
}
