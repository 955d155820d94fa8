/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the programs of a device. They are built from the kernel sources on first
 * use, kept in memory and in a folder on disk, and built by a thread on request. This room makes no
 * call of any API but through the functions of a pm_program_driver.
 */
#ifndef PM_HOST_PROGRAMS_H
#define PM_HOST_PROGRAMS_H

#include "plan/plan.h"

typedef struct pm_programs pm_programs;

/* What a driver does for programs. `device` is the driver's own; programs and kernels are the
 * driver's objects, and never NULL. All functions are thread-safe. */
typedef struct pm_program_driver {
    /* Compiles a source. PM_ERROR_BUILD: the compiler refused it; *log may receive its log, for the
     * caller to pm_release. */
    pm_status (*build)(void *device, const char *source, const char *options, void **program,
                       char **log, pm_error *error);
    /* The binary of a program, for the caller to pm_release. NULL: there is none. */
    void *(*binary)(void *device, void *program, size_t *size);
    /* Makes a program of a binary that was built with the same options. NULL: it cannot. */
    void *(*load)(void *device, const void *binary, size_t size, const char *options);
    void (*release)(void *program);
    /* *max_group: the most work-items per group, for this kernel. */
    pm_status (*make_kernel)(void *device, void *program, const char *name, void **kernel,
                             size_t *max_group, pm_error *error);
    void (*release_kernel)(void *kernel);
} pm_program_driver;

typedef struct pm_programs_desc {
    const pm_program_driver *driver;
    void *device;
    const pm_device_info *info; /* borrowed */
    pm_logger logger;
    const pm_host *host;       /* borrowed */
    char *identity;            /* device and driver, for the cache's key. Owned. NULL: no memory */
    const char *kernel_folder; /* copied. NULL: the embedded sources */
    char options[96];          /* of all programs */
    const char
        *rounding; /* for correctly rounded division and square root, after a space. Static */
    bool claims_rounding; /* the driver takes that option; false: it may */
} pm_programs_desc;

/* The folder of built programs on disk. */
typedef struct pm_cache_folder pm_cache_folder;

/* Creates the object for the folder that a description names. *folder is NULL when the cache is
 * disabled. No file is opened yet. The caller owns one reference. */
pm_status pm_cache_folder_open(const pm_engine_desc *desc, pm_cache_folder **folder,
                               pm_error *error);

/* Releases a reference. Accepts NULL; not thread-safe. */
void pm_cache_folder_close(pm_cache_folder *folder);

/* Opens the programs of a device, which share the folder with those of others, so that a problem
 * with it is logged once. The identity is owned by the programs, and freed on failure. */
pm_status pm_programs_open(const pm_programs_desc *desc, pm_cache_folder *folder,
                           pm_programs **programs, pm_error *error);

/* Waits until all requested programs are built. Accepts NULL. */
void pm_programs_close(pm_programs *programs);

/* Builds a variant's program unless it is built. This function and all below are thread-safe. */
pm_status pm_programs_build(pm_programs *programs, const pm_variant *variant, pm_error *error);

/* A kernel of a program. One thread at a time may set its arguments. */
typedef struct pm_made_kernel {
    void *kernel;
    size_t max_group; /* work-items per group: a power of 2, at most PM_GROUP_ITEMS */
    struct pm_built *program;
    struct pm_made_kernel *next;
} pm_made_kernel;

/* Lends a kernel of a variant's program, which is built on first use. After its launch it is given
 * back, or released. */
pm_status pm_kernel_take(pm_programs *programs, const pm_variant *variant, pm_made_kernel **made,
                         pm_error *error);
void pm_kernel_give(pm_programs *programs, pm_made_kernel *made);
void pm_kernel_release(pm_programs *programs, pm_made_kernel *made);

/* The state of programs, from best to worst. */
typedef enum pm_readiness {
    PM_READY,
    PM_READY_UNCHECKED, /* all built; no result of the new ones has been compared yet */
    PM_READY_LATER,     /* a program is being built */
    PM_READY_NEVER      /* a build failed */
} pm_readiness;

/* The worst state of programs. Requests those that are neither in memory nor on disk from the
 * builder thread, and never waits for the compiler. A failure is reported once, with its error. */
pm_readiness pm_programs_readiness(pm_programs *programs, const pm_variant *variants, size_t count,
                                   pm_error *error);

/* Turns PM_READY_UNCHECKED into PM_READY: the results of the programs have been compared. */
void pm_programs_checked(pm_programs *programs, const pm_variant *variants, size_t count);

#endif
