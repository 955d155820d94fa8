/* SPDX-License-Identifier: MIT
 *
 * The state of an OpenCL device, and the functions that the files of this room share.
 */
#ifndef PM_HOST_OPENCL_DEVICE_H
#define PM_HOST_OPENCL_DEVICE_H

#include <pthread.h>

#include "opencl.h"
#include "quirks.h"
#include "base/counts.h"

/* A kernel of a program. One thread at a time may set its arguments. */
typedef struct pm_made_kernel {
    cl_kernel kernel;
    size_t max_group; /* work-items per group that the device allows: a power of 2, at most
                         PM_GROUP_ITEMS */
    struct pm_built *program;
    struct pm_made_kernel *next;
} pm_made_kernel;

typedef struct pm_built {
    pm_variant variant;
    cl_program program;   /* NULL: being built */
    pm_made_kernel *idle; /* kernels that no thread uses */
    struct pm_built *next;
} pm_built;

/* A program requested from the device's builder. The request is kept until a job has read its
 * failure, or has compared the device's results with those of the reference path. */
typedef struct pm_program_request {
    pm_variant variant;
    enum { PM_PROGRAM_OPEN, PM_PROGRAM_BUILT, PM_PROGRAM_FAILED } state;
    pm_error error; /* for PM_PROGRAM_FAILED */
    struct pm_program_request *next;
} pm_program_request;

typedef struct pm_cl_scratch pm_cl_scratch;

typedef struct pm_opencl_device {
    pm_device device;
    cl_context context;
    cl_device_id id;
    cl_command_queue compute;
    cl_command_queue transfers;
    pm_plan_device plan;
    pm_quirks quirks;
    bool claims_rounding; /* reports CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT */
    uint64_t piece_bytes;
    size_t max_items;            /* work-items per group, in the first dimension */
    struct pm_cl_folder *folder; /* of built programs; NULL: none */
    char *kernel_folder;         /* NULL: the embedded sources */
    char *cache_identity;        /* device, driver and platform, for the cache's key */
    pm_cl_scratch *scratch;
    pthread_mutex_t lock; /* guards the fields below; not held during callbacks and builds */
    pthread_cond_t program_finished; /* a program was built, or its build failed */
    pm_built *built;
    pthread_cond_t requested; /* the builder has a request, or must end */
    pm_program_request *requests;
    pthread_t builder;
    bool has_builder;
    bool closing;
    pthread_mutex_t rounding_lock; /* guards the next field; held during the trial build */
    enum { PM_ROUNDING_UNTRIED, PM_ROUNDING_TAKEN, PM_ROUNDING_REFUSED } rounding;
} pm_opencl_device;

static inline pm_opencl_device *pm_opencl_of(const pm_device *device) {
    return (pm_opencl_device *)(uintptr_t)device;
}

/* Whether a buffer can be the host's memory itself. */
static inline bool pm_cl_shares_memory(const pm_opencl_device *cl) {
    return cl->plan.sorts_pairs;
}

static inline pm_logger pm_cl_logger(pm_opencl_device *cl) {
    return cl->device.options.logger;
}

/* Keys, constants and layout, from PM_MEMORY_KEYS on. */
enum { PM_CHANNEL_MEMORIES = 3 };

/* The buffers of a clip; those of missing channels are NULL. */
typedef struct pm_opencl_clip {
    pm_device_clip clip;
    cl_mem channels[PM_CHANNEL_COUNT][PM_CHANNEL_MEMORIES];
    cl_mem wraps, rates;
} pm_opencl_clip;

static inline pm_opencl_clip *pm_opencl_clip_of(const pm_device_clip *clip) {
    return (pm_opencl_clip *)(uintptr_t)clip;
}

/* The status for an OpenCL error; never PM_OK. CL_OUT_OF_RESOURCES is PM_ERROR_DEVICE, because
 * smaller pieces do not help; pm_cl_buffer, where they do, returns PM_ERROR_DEVICE_MEMORY for
 * it. */
pm_status pm_cl_status(cl_int cl_status);

static inline pm_status pm_cl_fail_as(pm_error *error, pm_status status, cl_int cl_status,
                                      const char *what) {
    pm_report_cl(error, status, cl_status, what);
    return status;
}

/* Reports a failed call. Inline, so that analysers see that the result is not PM_OK. */
static inline pm_status pm_cl_fail(pm_error *error, cl_int cl_status, const char *what) {
    pm_status status = pm_cl_status(cl_status);
    return pm_cl_fail_as(error, status == PM_OK ? PM_ERROR_DEVICE : status, cl_status, what);
}

/* Creates a buffer of `size` bytes: a copy of `data`, or with CL_MEM_USE_HOST_PTR that memory
 * itself. The contents are undefined when `data` is NULL. *buffer is NULL on failure. Release it
 * with pm_cl_release. */
pm_status pm_cl_buffer(pm_opencl_device *cl, cl_mem_flags flags, const void *data, size_t size,
                       cl_mem *buffer, pm_error *error);

/* Creates a buffer with the contents of a clip's or a crowd's memory. `of` is for messages. */
pm_status pm_cl_upload(pm_opencl_device *cl, const char *of, const pm_source *from, cl_mem *buffer,
                       pm_error *error);

/* Large memory that a device keeps for later jobs, at most PM_MAX_KEPT_SCRATCH bytes. All functions
 * are thread-safe. For devices that share the host's memory. */
typedef struct pm_cl_block pm_cl_block;
#define PM_MAX_KEPT_SCRATCH ((size_t)256 << 20)

/* NULL: no memory. Closing accepts NULL; blocks that are lent may be given back later. */
pm_cl_scratch *pm_cl_scratch_open(void);
void pm_cl_scratch_close(pm_cl_scratch *pool);

/* Lends a block of at least `size` bytes, of undefined contents and aligned as pm_large_allocate
 * aligns. NULL: no memory. */
pm_cl_block *pm_cl_block_take(pm_cl_scratch *pool, size_t size);

/* NULL for NULL. */
void *pm_cl_block_memory(const pm_cl_block *block);

/* Nothing may use the block any more. Accepts NULL. */
void pm_cl_block_give(pm_cl_block *block);

/* A buffer of the first `size` bytes of a block. The block is given back when the driver deletes the
 * buffer, or here on failure. NULL fails as no memory. */
pm_status pm_cl_block_buffer(pm_opencl_device *cl, pm_cl_block *block, size_t size, cl_mem *buffer,
                             pm_error *error);

/* Checks that a caller's buffer belongs to the engine's context and holds `bytes` bytes from
 * `offset` on. The offset must be a multiple of the alignment, and so must its address in a buffer
 * with CL_MEM_USE_HOST_PTR. `name` is for messages. */
pm_status pm_cl_check_buffer(pm_opencl_device *cl, const char *name, cl_mem buffer, size_t offset,
                             size_t alignment, size_t bytes, pm_error *error);

/* Unmaps a buffer, and waits until it is unmapped: for this command, and not for those that other
 * jobs put on the queue later. */
pm_status pm_cl_unmap(cl_command_queue queue, cl_mem buffer, void *mapped, pm_error *error);

/* Releases a buffer; accepts NULL. */
void pm_cl_release(cl_mem buffer);

/* Releases an event, if there is one, and makes it NULL. */
void pm_cl_release_event(cl_event *event);

/* Floats in a register of a CPU device, 16 at most; 1 for other devices. */
uint32_t pm_cl_register_lanes(cl_device_id device, const pm_device_info *info);

/* A text that a device, or its platform, answers, of any length. NULL: no answer, or no memory. Free
 * with free(). */
char *pm_cl_device_text(cl_device_id device, cl_device_info what);
char *pm_cl_platform_text(cl_device_id device, cl_platform_info what);

/* Fills an info except for its indices. */
pm_status pm_cl_describe(cl_device_id device, pm_device_info *info, pm_error *error);

/* A device that was selected for an engine. */
typedef struct pm_chosen {
    pm_cl_target target; /* context NULL: the engine creates one */
    pm_device_info info;
} pm_chosen;

/* Selects devices for an engine. Devices that are left out are logged. *count is 0 when "auto"
 * finds no device. Free *chosen with free(). */
pm_status pm_cl_choose(pm_logger logger, const char *selector, pm_chosen **chosen, size_t *count,
                       pm_error *error);

/* Lends a kernel of a variant's program, which is built on first use and kept. Give it back after its
 * launch. Both functions are thread-safe. */
pm_status pm_cl_kernel_take(pm_opencl_device *cl, const pm_variant *variant, pm_made_kernel **made,
                            pm_error *error);
void pm_cl_kernel_give(pm_opencl_device *cl, pm_made_kernel *made);

/* Releases a kernel that was taken, in place of giving it back. */
void pm_cl_kernel_release(pm_made_kernel *made);

void pm_cl_kernels_release(pm_built *program);

/* The entry of a variant, or NULL. The caller holds the device's lock. */
pm_built *pm_cl_find_built(pm_opencl_device *cl, const pm_variant *variant);

/* Releases the programs, and the kernels that were given back. */
void pm_cl_programs_close(pm_opencl_device *cl);

/* Launches a step with memory for the names that it uses. *done (done may be NULL) is for the caller
 * to release. */
pm_status pm_cl_run_step(pm_opencl_device *cl, pm_step *step,
                         const cl_mem memories[PM_MEMORY_COUNT], const pm_cl_wait *wait,
                         cl_event *done, pm_error *error);

/* A variant's program, built on first use and owned by the device. Thread-safe. */
pm_status pm_cl_program(pm_opencl_device *cl, const pm_variant *variant, cl_program *program,
                        pm_error *error);

/* Loads a program from the disk cache unless it is in memory. *ready: it is in memory afterwards.
 * Thread-safe. */
pm_status pm_cl_program_load(pm_opencl_device *cl, const pm_variant *variant, bool *ready,
                             pm_error *error);

/* Requests those programs from the device's builder thread that are neither in memory nor on disk.
 * Never waits for the compiler. This function and the next two are thread-safe. */
pm_status pm_cl_request(pm_opencl_device *cl, const pm_variant *variants, size_t count,
                        pm_error *error);

/* The worst state of the programs. A failure is reported once, with its error. */
pm_readiness pm_cl_requested(pm_opencl_device *cl, const pm_variant *variants, size_t count,
                             pm_error *error);

/* Removes the requests of programs that are built: their results have been compared. */
void pm_cl_request_checked(pm_opencl_device *cl, const pm_variant *variants, size_t count);

/* Waits until all requested programs are built, and ends the builder. */
void pm_cl_builder_close(pm_opencl_device *cl);

/* The maximum number of programs of any request. */
enum {
    PM_CL_MAX_VARIANTS = (int)PM_SAMPLE_VARIANTS > (int)PM_CROWD_OUTPUT_COUNT
                             ? (int)PM_SAMPLE_VARIANTS
                             : (int)PM_CROWD_OUTPUT_COUNT
};

#define PM_CL_ROUNDING_OPTION "-cl-fp32-correctly-rounded-divide-sqrt"

/* Whether the driver takes this option. A device that does not claim correct rounding is asked by
 * building a small program, once per device and driver where there is a cache folder.
 * Thread-safe. */
bool pm_cl_takes_rounding_option(pm_opencl_device *cl);

/* Whether that is known without building anything, and without waiting. Thread-safe. */
bool pm_cl_knows_rounding_option(pm_opencl_device *cl);

/* The source of a kernel file, with its includes expanded. Free with free(). Thread-safe. */
pm_status pm_cl_source(pm_opencl_device *cl, const char *file, char **source, pm_error *error);

/* Load and store a program in the disk cache. A miss gives NULL and is no error. A problem with the
 * folder is kept for pm_cl_cache_log_problem. All functions of the cache are thread-safe. */
cl_program pm_cl_cache_load(pm_opencl_device *cl, const char *source, const char *options);
void pm_cl_cache_store(pm_opencl_device *cl, const char *source, const char *options,
                       cl_program program);

/* Load and store a few bytes that were measured for this device and driver. `what` names them, with
 * a version. Load: false when there are none of this size. Store: false when they were not stored. */
bool pm_cl_cache_load_bytes(pm_opencl_device *cl, const char *what, void *bytes, size_t size);
bool pm_cl_cache_store_bytes(pm_opencl_device *cl, const char *what, const void *bytes,
                             size_t size);

/* Logs the first problem with the folder, once. The caller must not hold a lock. */
void pm_cl_cache_log_problem(pm_opencl_device *cl);

/* Chooses `lanes`, `all_tracks` and `max_run`: what the variable POSEMILL_LAUNCH sets, else the
 * defaults. Results do not depend on them. `lanes` is the caller's choice, which precedes the
 * variable; 0: none. The fields are written on failure too. */
pm_status pm_cl_choose_launch_config(uint32_t lanes, const pm_device_info *info,
                                     pm_plan_device *plan, pm_error *error);

/* The sorted pairs of a piece on the device (pm_sorted_pairs). */
typedef struct pm_cl_pairs {
    cl_mem pairs, tracks, places, groups; /* tracks: NULL unless the curve has constants */
    size_t group_count;
} pm_cl_pairs;

/* Sorts the pairs of a piece into memory of the device. *pairs must be zero; release it with
 * pm_cl_pairs_release, also after a failure. */
pm_status pm_cl_sort_pairs(pm_opencl_device *cl, unsigned output, const pm_sample_request *piece,
                           pm_cl_pairs *pairs, pm_error *error);
void pm_cl_pairs_release(pm_cl_pairs *pairs);

/* Memory for the values of sorted pairs. */
pm_status pm_cl_pair_values(pm_opencl_device *cl, size_t bytes, cl_mem *values, pm_error *error);

/* The functions of the backend: see pm_backend. */
pm_status pm_cl_clip_upload(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                            pm_error *error);
void pm_cl_clip_release(pm_device_clip *clip);
/* Computes in pieces as large as the device's memory allows. */
pm_status pm_cl_sample_to_host(const pm_device_clip *clip, const pm_sample_request *request,
                               pm_error *error);
pm_status pm_cl_prepare(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error);
pm_readiness pm_cl_readiness(const pm_device_clip *clip, const pm_sample_request *request,
                             pm_error *error);
void pm_cl_mark_checked(const pm_device_clip *clip, const pm_sample_request *request);
pm_status pm_cl_prepare_poses(const pm_device_crowd *crowd, const pm_pose_request *request,
                              pm_error *error);
pm_readiness pm_cl_poses_readiness(const pm_device_crowd *crowd, const pm_pose_request *request,
                                   pm_error *error);
void pm_cl_mark_poses_checked(const pm_device_crowd *crowd, const pm_pose_request *request);
pm_status pm_cl_crowd_upload(pm_device *device, const pm_crowd_data *data, pm_device_crowd **crowd,
                             pm_error *error);
void pm_cl_crowd_release(pm_device_crowd *crowd);
pm_status pm_cl_crowd_pose_to_host(pm_device_crowd *crowd, const pm_pose_request *request,
                                   pm_error *error);

#endif
