/* SPDX-License-Identifier: MIT
 *
 * The state of an OpenCL device, and the functions that the files of this room share.
 */
#ifndef PM_HOST_OPENCL_DEVICE_H
#define PM_HOST_OPENCL_DEVICE_H

#include <pthread.h>

#include "opencl.h"
#include "quirks.h"

/* A program: its source file, the curve that it evaluates, and its compile-time parameters. The
 * strings have static storage. */
typedef struct pm_variant {
    const char *file;  /* "walk", "gather", "gather_sorted", "restore", "velocity", "acceleration",
                          "locate", "crowd" or "crowd_workgroup"; also the kernel's name */
    const char *curve; /* PM_METHOD; "locate", "restore": any */
    unsigned components;
    unsigned lanes;
    pm_key_format format;     /* PM_KEYS */
    const char *vector_curve; /* crowds: PM_VECTOR_METHOD; else NULL */
    pm_crowd_output output;   /* crowds: PM_OUTPUT */
    bool per_joint;           /* "crowd_workgroup": PM_PER_JOINT */
} pm_variant;

typedef struct pm_built {
    pm_variant variant;
    cl_program program; /* NULL: being built */
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
    pm_launch_config config;
    uint32_t register_lanes; /* of the device, or those that the caller asks for */
    pm_quirks quirks;
    bool shares_memory;    /* a buffer can be the host's memory itself */
    bool takes_sub_groups; /* pm_cl_takes_sub_groups */
    bool claims_rounding;  /* reports CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT */
    uint64_t piece_bytes;
    uint64_t shared_bytes;       /* of local memory per work-group */
    size_t launch_work;          /* of one launch, in rotations: see pm_cl_launch_limit */
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

static inline uint32_t pm_cl_lanes(pm_opencl_device *cl) {
    return cl->device.info.lanes;
}

/* At most a register, and 1 only if pm_cl_lanes is. Wider vectors make walks along segments faster,
 * crowds and gathers slower. */
static inline uint32_t pm_cl_narrow_lanes(pm_opencl_device *cl) {
    uint32_t lanes = pm_cl_lanes(cl);
    return lanes < cl->register_lanes ? lanes : cl->register_lanes;
}

static inline pm_logger pm_cl_logger(pm_opencl_device *cl) {
    return cl->device.options.logger;
}

/* The buffers of a clip; those of missing channels are NULL. */
typedef struct pm_opencl_clip {
    pm_device_clip clip;
    struct {
        cl_mem keys, constants, layout;
    } channels[PM_CHANNEL_COUNT];
    cl_mem wraps;
    cl_mem rates;
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

/* Large memory that a device keeps for later jobs, at most PM_MAX_KEPT_SCRATCH bytes. All functions
 * are thread-safe. For devices that share the host's memory. */
typedef struct pm_cl_block pm_cl_block;
#define PM_MAX_KEPT_SCRATCH ((size_t)256 << 20)

/* NULL: no memory. Closing accepts NULL; blocks that are lent may be given back later. */
pm_cl_scratch *pm_cl_scratch_open(void);
void pm_cl_scratch_close(pm_cl_scratch *pool);

/* Frees the memory that is kept. */
void pm_cl_scratch_trim(pm_cl_scratch *pool);

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

/* Enqueues a copy of rows from buffer to buffer. The caller releases *copied. */
pm_status pm_cl_copy_rows(const pm_cl_rows *from, const pm_cl_rows *to, size_t row_bytes,
                          size_t row_count, const pm_cl_wait *wait, cl_event *copied,
                          pm_error *error);

/* Releases a buffer; accepts NULL. */
void pm_cl_release(cl_mem buffer);

/* Floats in a register of a CPU device, 16 at most; 1 for other devices. */
uint32_t pm_cl_register_lanes(cl_device_id device, const pm_device_info *info);

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

/* Maximum work-items per group. Neighbouring work-items compute neighbouring values. */
enum { PM_GROUP_ITEMS = 64 };

/* A kernel with the parameters for its launches. */
typedef struct pm_made_kernel {
    cl_kernel kernel;
    uint32_t lanes;   /* of its program; the engine's lanes may change later */
    size_t max_group; /* work-items per group that the device allows: a power of 2, at most
                         PM_GROUP_ITEMS */
} pm_made_kernel;

/* Creates a kernel of a variant's program. The program is built on first use and kept. The caller
 * releases made->kernel. Thread-safe. */
pm_status pm_cl_kernel(pm_opencl_device *cl, const pm_variant *variant, pm_made_kernel *made,
                       pm_error *error);

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

bool pm_cl_same_variant(const pm_variant *a, const pm_variant *b);

/* The maximum number of programs of a request: two per output, and `locate`. */
enum { PM_CL_REQUEST_VARIANTS = 2 * PM_OUTPUT_COUNT + 1 };

/* Lists the programs that a request needs; returns their number. */
size_t pm_cl_request_variants(const pm_opencl_clip *clip, const pm_sample_request *request,
                              pm_variant variants[PM_CL_REQUEST_VARIANTS]);

/* The program of a crowd's output. */
pm_variant pm_cl_crowd_variant(const pm_device_crowd *crowd, pm_crowd_output output);

/* The maximum number of programs of any request. */
enum {
    PM_CL_MAX_VARIANTS = (int)PM_CL_REQUEST_VARIANTS > (int)PM_CROWD_OUTPUT_COUNT
                             ? (int)PM_CL_REQUEST_VARIANTS
                             : (int)PM_CROWD_OUTPUT_COUNT
};

/* The number of programs that the device has built or loaded so far. Thread-safe. */
size_t pm_cl_program_count(const pm_device *device);

#define PM_CL_ROUNDING_OPTION "-cl-fp32-correctly-rounded-divide-sqrt"

/* Whether the driver takes this option. A device that does not claim correct rounding is asked by
 * building a small program, once per device and driver where there is a cache folder.
 * Thread-safe. */
bool pm_cl_takes_rounding_option(pm_opencl_device *cl);

/* Whether that is known without building anything, and without waiting. Thread-safe. */
bool pm_cl_knows_rounding_option(pm_opencl_device *cl);

/* The size of sub-groups that kernels require where the device takes it. */
enum { PM_CL_SUB_GROUP = 16 };

/* Whether kernels can require sub-groups of PM_CL_SUB_GROUP work-items. */
bool pm_cl_takes_sub_groups(cl_device_id device, pm_device_type type);

/* Whether a program is first built with that size, and not with the compiler's choice. The other
 * one is tried if the first spills registers. */
bool pm_cl_prefers_sub_groups(const pm_variant *variant);

/* The private memory that a kernel of a built program takes, per work-item and per hardware thread
 * together: comparable between builds of one program. 0 if the driver does not say. */
uint64_t pm_cl_spilled_bytes(cl_program program, const char *kernel_name, cl_device_id device);

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

/* Load and store the launch configuration that pm_engine_tune selected for this device and driver;
 * false when there is none, or when it was not stored. */
bool pm_cl_cache_load_launch_config(pm_opencl_device *cl, pm_launch_config *config);
bool pm_cl_cache_store_launch_config(pm_opencl_device *cl, const pm_launch_config *config);

/* Refuses lanes above 1 on devices that are no CPUs: vectors take registers that a GPU needs for
 * other work-items, and some GPU compilers crash on them. */
pm_status pm_cl_check_lanes(uint32_t lanes, const pm_device_info *info, pm_error *error);

/* The launch configuration for a device without measurements. */
pm_launch_config pm_cl_default_launch_config(const pm_device_info *info);
/* Whether a device of this kind can be launched with a configuration: one that was read from disk. */
bool pm_cl_is_launch_config(const pm_launch_config *config, const pm_device_info *info);
void pm_cl_set_launch_config(pm_opencl_device *cl, const pm_launch_config *config);

/* The sorted pairs of a piece on the device (pm_sorted_pairs). */
typedef struct pm_cl_pairs {
    cl_mem pairs, tracks, places, groups; /* tracks: NULL unless the curve has constants */
    size_t group_count;
    size_t block_room; /* of the order */
} pm_cl_pairs;

/* Whether a device computes sorted pairs: its caches are those of the host. */
bool pm_cl_sorts(const pm_opencl_device *cl);

/* Sorts the pairs of a piece into memory of the device. *pairs must be zero; release it with
 * pm_cl_pairs_release, also after a failure. */
pm_status pm_cl_sort_pairs(pm_opencl_device *cl, unsigned output, const pm_sample_request *piece,
                           pm_cl_pairs *pairs, pm_error *error);
void pm_cl_pairs_release(pm_cl_pairs *pairs);

/* Memory for the values of the sorted pairs of pieces of up to `count` samples, for the outputs
 * whose bits are set. */
pm_status pm_cl_sorted_values(pm_opencl_device *cl, const pm_sample_request *request,
                              unsigned outputs, size_t count, cl_mem *values, pm_error *error);

/* Whether the samples of an output are located before its launch, and their cursors put on the
 * device. Kernels that walk in lanes locate uniform samples themselves. */
bool pm_cl_takes_cursors(const pm_opencl_clip *clip, const pm_sample_request *request,
                         unsigned output);

/* One launch: an output for a piece. */
typedef struct pm_launch {
    const pm_opencl_clip *clip;
    const pm_output *output;
    size_t sample_count;
    bool pairs;
    bool parent;        /* derivatives in the parent's frame */
    pm_uniform_map map; /* scale 0: the samples are not uniform */
    cl_mem cursors;     /* NULL where the output takes none */
    cl_mem tracks;      /* for pairs; else NULL */
    /* NULL, or the sorted pairs, in place of cursors and tracks, and memory for their values, which
     * belongs to the launch until it is complete. */
    const pm_cl_pairs *sorted;
    cl_mem sorted_values;
    cl_mem values;
    uint64_t values_offset; /* in floats */
} pm_launch;

pm_status pm_cl_launch(const pm_launch *launch, const pm_cl_wait *wait, cl_event *done,
                       pm_error *error);

/* Enqueues computing `count` cursors on the device from a uniform map. */
pm_status pm_cl_launch_locate(pm_opencl_device *cl, const pm_uniform_map *map, size_t count,
                              cl_mem cursors, cl_command_queue queue, cl_event *done,
                              pm_error *error);

/* The work of a value of an output, and of a joint of an instance, in rotations: rounded up from the
 * sizes of the kernels. */
enum { PM_WORK_OF_VALUE = 1, PM_WORK_OF_MOTION = 8, PM_WORK_OF_JOINT = 4 };

/* The work of a launch on devices that are no CPUs: 0.17 s at 1e8 rotations per second, which is
 * assumed for a slow GPU and costly curves. Drivers end launches of seconds, and a display waits for
 * each. */
enum { PM_MAX_GPU_WORK = 1 << 24 };

/* The maximum number of elements in one launch, at least 1; `work` is that of one element. */
size_t pm_cl_launch_limit(const pm_opencl_device *cl, size_t work);

/* The maximum number of samples per piece, at least 1: for the kernels' 32-bit indices, for `bytes`
 * bytes of results per output, and for launches that do not take too long. */
size_t pm_cl_piece_samples(const pm_opencl_device *cl, const pm_sample_request *request,
                           uint64_t bytes, bool moves);

/* Results of at least this size are stored past the caches, which could not hold them until they
 * are read. */
#define PM_MIN_STREAM_BYTES ((size_t)4 << 20)

/* The shared memory of crowd_workgroup, in bytes per instance of a group. */
size_t pm_cl_shared_bytes(size_t slots);

/* The maximum number of slots for which a work-group can pose one instance. */
size_t pm_cl_max_slots(const pm_opencl_device *cl);

/* What determines the number of instances that a work-group poses together. */
typedef struct pm_group_needs {
    size_t items; /* work-items per group */
    size_t joints, stages, instances;
    size_t bytes; /* pm_cl_shared_bytes */
} pm_group_needs;

size_t pm_cl_instances_per_group(const pm_opencl_device *cl, const pm_group_needs *needs);

/* The functions of the backend: see pm_backend. */
pm_status pm_cl_tune(pm_device *device, pm_launch_measurement *measurements, size_t capacity,
                     size_t *count, size_t *best, pm_error *error);
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
