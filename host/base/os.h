/* SPDX-License-Identifier: MIT
 *
 * The door to the operating system: what the library asks of it, with one implementation for each
 * system (os_posix.c with os_linux.c or os_other.c, and os_windows.c). Threads and locks are those of
 * <pthread.h>, which MinGW-w64 has too. No other file of the library may name a system.
 */
#ifndef PM_HOST_OS_H
#define PM_HOST_OS_H

#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

#include "memory.h"

/* ---- processors -------------------------------------------------------------------------------- */

/* The processors that the calling thread may run on, at least 1. */
size_t pm_os_processors(void);

/* The processors that the quotas of this process allow, at least 1; SIZE_MAX without a limit. */
size_t pm_os_quota(void);

/* The processor that the calling thread runs on; -1 if that is not known. */
int pm_os_current_processor(void);

/* Moves the calling thread to another of the processors that it may use, which stay the same. Without
 * effect if there is no other, or the system does not offer it. */
void pm_os_leave_processor(int processor);

/* Lets another thread that waits for this processor run. */
void pm_os_yield(void);

/* ---- threads ----------------------------------------------------------------------------------- */

/* Starts a thread that takes no signals but those that its own faults cause. */
bool pm_os_start_thread(pthread_t *thread, void *(*serve)(void *argument), void *argument);

/* Has a function called in each child process that is forked from now on. Returns 0, or an errno value.
 * Systems without forks call none. */
int pm_os_watch_forks(void (*in_child)(void));

/* The floating-point mode of the calling thread: rounding, and whether subnormal numbers are 0. */
void pm_os_get_mode(fenv_t *mode);
void pm_os_set_mode(const fenv_t *mode);

/* ---- memory ------------------------------------------------------------------------------------ */

/* `size` bytes, undefined; the alignment is a power of two of at least sizeof(void *). In huge pages where the
 * system has them and the size is that of some. NULL: no memory. */
void *pm_os_allocate(size_t alignment, size_t size);

/* Frees what pm_os_allocate gave. Accepts NULL. */
void pm_os_free(void *memory);

/* ---- folders of files that only this user can have written --------------------------------------- */

enum { PM_OS_WHY = 160 };

typedef enum pm_os_found {
    PM_OS_GOOD = 0,
    PM_OS_MISSING,
    PM_OS_SUSPECT, /* another user can have written it, or it is of another kind; `why` says which */
    PM_OS_FAILED   /* `why` is the system's reason */
} pm_os_found;

/* The folder in which this user's files that can be made anew belong, below it one of a name: memory of
 * the host. NULL: the system says none, or memory is exhausted, which is *no_memory. */
char *pm_os_cache_folder(const pm_host *host, const char *name, bool *no_memory);

typedef struct pm_os_folder pm_os_folder;

/* Opens a folder; its path may be no symbolic link. `make`: it and those above it are made where they are missing.
 * `why` receives texts where the result is not good. */
pm_os_found pm_os_folder_open(const pm_host *host, const char *path, bool make,
                              pm_os_folder **folder, char why[PM_OS_WHY]);
void pm_os_folder_close(pm_os_folder *folder); /* accepts NULL */

/* The bytes of a file, at most `limit` of them, in memory of the folder's host; the file counts as used now. Larger ones, and others
 * than regular files, count as missing. */
pm_os_found pm_os_folder_read(pm_os_folder *folder, const char *name, size_t limit, void **bytes,
                              size_t *size, char why[PM_OS_WHY]);

/* Writes a file of two parts under the name with "." and six hexadecimal digits behind it, and renames it.
 * PM_OS_GOOD or PM_OS_FAILED. */
pm_os_found pm_os_folder_write(pm_os_folder *folder, const char *name, const void *head,
                               size_t head_size, const void *body, size_t body_size,
                               char why[PM_OS_WHY]);
void pm_os_folder_remove(pm_os_folder *folder, const char *name);

/* Tells of each regular file. `used` orders them by the time of
 * their last use, `age` counts the seconds since. */
typedef void (*pm_os_file)(void *user, const char *name, uint64_t size, int64_t used, int64_t age);
void pm_os_folder_list(pm_os_folder *folder, pm_os_file each, void *user);

/* Whether files can be made in a folder, which is made where it is missing, with those above it. */
bool pm_os_can_write(const char *path);

/* ---- libraries --------------------------------------------------------------------------------- */

/* Opens the loader of OpenCL that the system has. NULL: none. */
void *pm_os_open_opencl(void);
/* Whether that is Wine's, which says of no buffer that the driver has deleted it. */
bool pm_os_opencl_is_wine(void);
void *pm_os_symbol(void *library, const char *name); /* NULL: it has none of the name */
void pm_os_close_library(void *library);

/* ---- text -------------------------------------------------------------------------------------- */

/* Begins the C locale for the calling thread; returns what the second function takes. */
void *pm_os_c_locale_begin(void);
void pm_os_c_locale_end(void *before);

#endif
