/* SPDX-License-Identifier: MIT
 *
 * The state of a device's programs, and the functions that the files of this room share.
 */
#ifndef PM_HOST_PROGRAMS_STATE_H
#define PM_HOST_PROGRAMS_STATE_H

#include <pthread.h>

#include "programs.h"

typedef struct pm_built {
    pm_variant variant;
    void *program;        /* NULL: being built */
    pm_made_kernel *idle; /* kernels that no thread uses */
    struct pm_built *next;
} pm_built;

/* A program requested from the builder. The request is kept until a job has read its failure, or has
 * compared the device's results with those of the reference path. */
typedef struct pm_program_request {
    pm_variant variant;
    enum { PM_PROGRAM_OPEN, PM_PROGRAM_BUILT, PM_PROGRAM_FAILED } state;
    pm_error error; /* for PM_PROGRAM_FAILED */
    struct pm_program_request *next;
} pm_program_request;

struct pm_programs {
    pm_programs_desc desc;
    char *kernel_folder;     /* NULL: the embedded sources */
    pm_cache_folder *folder; /* NULL: none */
    pthread_mutex_t lock;    /* guards the fields below; not held during callbacks and builds */
    pthread_cond_t program_finished; /* a program was built, or its build failed */
    pm_built *built;
    pthread_cond_t requested; /* the builder has a request, or must end */
    pm_program_request *requests;
    pthread_t builder;
    bool has_builder;
    bool closing;
    bool refuses_rounding; /* programs build only without the option for rounding */
};

/* Loads a program from the disk cache unless it is in memory. *ready: it is in memory afterwards. */
pm_status pm_programs_load(pm_programs *programs, const pm_variant *variant, bool *ready,
                           pm_error *error);

void pm_kernels_release(pm_programs *programs, pm_built *program);

/* Waits until all requested programs are built, and ends the builder. */
void pm_builder_close(pm_programs *programs);

/* The source of a kernel file, with its includes expanded. `folder` NULL: the embedded ones. Free
 * with pm_release. */
pm_status pm_kernel_text(const pm_host *host, const char *folder, const char *file, char **source,
                         pm_error *error);

/* Load and store programs in the disk cache by their source and options. A miss gives NULL and is no
 * error. A problem with the folder is kept for pm_cache_log_problem. Store: false when they were not stored. */
void *pm_cache_load(pm_programs *programs, const char *source, const char *options, size_t *size);
bool pm_cache_store(pm_programs *programs, const char *source, const char *options,
                    const void *bytes, size_t size);

/* Logs the first problem with the folder, once. The caller must not hold a lock. */
void pm_cache_log_problem(pm_programs *programs);

/* The folder of the cache: files by name, their permissions, and the limit of their total size. cache.c
 * defines the contents of a file. */

/* Number of hexadecimal digits in a file's name. */
enum { PM_CACHE_NAME = 32 };

/* Adds a reference. Accepts NULL; not thread-safe. */
pm_cache_folder *pm_cache_folder_share(pm_cache_folder *folder);

/* The functions below are thread-safe, and safe between processes. */

/* The bytes of a file, for pm_release, which is marked as used; NULL when it does not exist or another user could
 * have written it. */
void *pm_cache_folder_read(pm_cache_folder *folder, const char *name, size_t *size);

/* Stores a file made of two parts, replacing any file of that name, and removes the least recently
 * used files while the total exceeds the limit. Returns whether the file was stored. */
bool pm_cache_folder_write(pm_cache_folder *folder, const char *name, const void *head,
                           size_t head_size, const void *body, size_t body_size);

/* Copies the first problem with the folder, once; false when there is no unreported problem. */
bool pm_cache_folder_problem(pm_cache_folder *folder, pm_log_level *level, char *text, size_t size);

#endif
