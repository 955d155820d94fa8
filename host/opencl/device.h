/* SPDX-License-Identifier: MIT
 *
 * An OpenCL device inside this room, and what the room's files share.
 */
#ifndef PM_HOST_OPENCL_DEVICE_H
#define PM_HOST_OPENCL_DEVICE_H

#include <pthread.h>

#include "opencl.h"
#include "quirks.h"

/* Which program: the file, the curve it evaluates, and the shape. Also the cache's key. */
typedef struct pm_variant {
    const char *file;  /* "walk", "gather", "motion", "locate" or "crowd": and of the kernel */
    const char *curve; /* PM_METHOD; of `locate` any */
    unsigned components;
    unsigned lanes;
    pm_key_format format;     /* PM_KEYS */
    const char *vector_curve; /* PM_VECTOR_METHOD of `crowd`; else NULL */
    pm_crowd_output output;   /* PM_OUTPUT of `crowd` */
} pm_variant;

typedef struct pm_built {
    pm_variant variant;
    cl_program program; /* NULL: being built */
    struct pm_built *next;
} pm_built;

/* A program that a job left to the engine's builder. It stays until a job has seen what became of
 * it: that it failed, or that the device gives the bits that the reference gave meanwhile. */
typedef struct pm_program_request {
    pm_variant variant;
    enum { PM_PROGRAM_OPEN, PM_PROGRAM_BUILT, PM_PROGRAM_FAILED } state;
    pm_error error; /* of one that failed */
    struct pm_program_request *next;
} pm_program_request;

typedef struct pm_opencl_device {
    pm_device device;
    cl_context context;
    cl_device_id id;
    cl_command_queue compute;
    cl_command_queue transfers;
    pm_launch_config config;
    pm_quirks quirks;
    bool shares_memory;    /* a buffer can be the host's memory itself */
    bool rounds_correctly; /* accepts -cl-fp32-correctly-rounded-divide-sqrt */
    uint64_t piece_bytes;
    struct pm_cl_folder *folder;     /* of built programs; NULL: none */
    char *kernel_folder;             /* NULL: the sources built in */
    char *cache_identity;            /* device, driver and platform, for the cache's key */
    pthread_mutex_t lock;            /* guards what follows; nobody calls out with it held */
    pthread_cond_t program_finished; /* a program was built, or could not be */
    pm_built *built;
    pthread_cond_t requested; /* there is work for the builder, or it is to end */
    pm_program_request *requests;
    pthread_t builder;
    bool has_builder;
    bool closing;
} pm_opencl_device;

static inline pm_opencl_device *pm_opencl_of(const pm_device *device) {
    return (pm_opencl_device *)(uintptr_t)device;
}

static inline uint32_t pm_cl_lanes(pm_opencl_device *cl) {
    return cl->device.info.lanes;
}

static inline pm_logger pm_cl_logger(pm_opencl_device *cl) {
    return cl->device.options.logger;
}

/* Buffers of a clip, one set a channel that is present. */
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

/* The status that an OpenCL error amounts to; never PM_OK. CL_OUT_OF_RESOURCES is a failure of the
 * device, which smaller pieces do not mend, unless it is a buffer that cannot be made: pm_cl_buffer
 * makes it PM_ERROR_DEVICE_MEMORY. */
pm_status pm_cl_status(cl_int cl_status);

static inline pm_status pm_cl_fail_as(pm_error *error, pm_status status, cl_int cl_status,
                                      const char *what) {
    pm_report_cl(error, status, cl_status, what);
    return status;
}

/* Reports a failed call. That the status is an error is said here where analysers see it. */
static inline pm_status pm_cl_fail(pm_error *error, cl_int cl_status, const char *what) {
    pm_status status = pm_cl_status(cl_status);
    return pm_cl_fail_as(error, status == PM_OK ? PM_ERROR_DEVICE : status, cl_status, what);
}

/* A buffer of `size` bytes: a copy of `data`, or with CL_MEM_USE_HOST_PTR that memory itself,
 * or what memory held when that is NULL. *buffer is NULL when this fails. */
pm_status pm_cl_buffer(pm_opencl_device *cl, cl_mem_flags flags, const void *data, size_t size,
                       cl_mem *buffer, pm_error *error);

/* Whether a caller's buffer is of the engine's context and holds `bytes` from an offset on, which
 * is a multiple of the alignment, as is its address in a buffer made of host memory. Messages name
 * it. */
pm_status pm_cl_check_buffer(pm_opencl_device *cl, const char *name, cl_mem buffer, size_t offset,
                             size_t alignment, size_t bytes, pm_error *error);

/* Takes NULL. */
void pm_cl_release(cl_mem buffer);

/* Fills an info but for its indices and lanes. */
pm_status pm_cl_describe(cl_device_id device, pm_device_info *info, pm_error *error);

/* A device that an engine is to run on. */
typedef struct pm_chosen {
    pm_cl_target target; /* its context is NULL where the engine is to make one */
    pm_device_info info;
} pm_chosen;

/* Chooses devices for an engine, whose log says which were left out; *count is 0 when "auto" finds
 * none. Free *chosen with free(). */
pm_status pm_cl_choose(pm_logger logger, const char *selector, pm_chosen **chosen, size_t *count,
                       pm_error *error);

/* The most work-items that a group is given; neighbours take neighbouring values. */
enum { PM_GROUP_ITEMS = 64 };

/* A kernel with what its launches go by: the lanes that it was made for, which need not be the
 * engine's for ever, and a power of two of work-items that the device can give a group of it, at
 * most PM_GROUP_ITEMS. */
typedef struct pm_made_kernel {
    cl_kernel kernel;
    uint32_t lanes;
    size_t max_group;
} pm_made_kernel;

/* A kernel, to be released, of a variant's program, which is built on first use and kept.
 * Thread-safe. */
pm_status pm_cl_kernel(pm_opencl_device *cl, const pm_variant *variant, pm_made_kernel *made,
                       pm_error *error);

/* The program alone. Thread-safe. */
pm_status pm_cl_program(pm_opencl_device *cl, const pm_variant *variant, cl_program *program,
                        pm_error *error);

/* Whether a program is ready, or is now, from the disk. Thread-safe. */
pm_status pm_cl_program_load(pm_opencl_device *cl, const pm_variant *variant, bool *ready,
                             pm_error *error);

/* Asks the device's builder, a thread of its own, for those programs that neither are ready nor on
 * the disk. All of these are thread-safe. */
pm_status pm_cl_request(pm_opencl_device *cl, const pm_variant *variants, size_t count,
                        pm_error *error);

/* The worst that is true of any of them. A failure is told once, with its error. */
pm_readiness pm_cl_requested(pm_opencl_device *cl, const pm_variant *variants, size_t count,
                             pm_error *error);

/* Forgets those that are ready: what they compute was compared. */
void pm_cl_request_checked(pm_opencl_device *cl, const pm_variant *variants, size_t count);

/* Waits until all that was requested is built. */
void pm_cl_builder_close(pm_opencl_device *cl);

bool pm_cl_same_variant(const pm_variant *a, const pm_variant *b);

/* The programs that a request needs on a device; returns how many. */
enum { PM_CL_REQUEST_VARIANTS = PM_OUTPUT_COUNT + 1 };
size_t pm_cl_request_variants(const pm_opencl_clip *clip, const pm_sample_request *request,
                              pm_variant variants[PM_CL_REQUEST_VARIANTS]);

/* How many programs the device has built so far. */
size_t pm_cl_program_count(const pm_device *device);

/* Source of a kernel file with its includes, as one text. Free with free(). */
pm_status pm_cl_source(pm_opencl_device *cl, const char *file, char **source, pm_error *error);

/* A program from the disk cache, or NULL: a miss is never an error. What is wrong with the folder
 * is kept for pm_cl_cache_log_problem. */
cl_program pm_cl_cache_load(pm_opencl_device *cl, const char *source, const char *options);
void pm_cl_cache_store(pm_opencl_device *cl, const char *source, const char *options,
                       cl_program program);

/* Logs what is wrong with the folder, once. With nothing locked. */
void pm_cl_cache_log_problem(pm_opencl_device *cl);

/* The shape that pm_engine_tune chose for this device and driver; false when there is none. */
bool pm_cl_cache_load_launch_config(pm_opencl_device *cl, pm_launch_config *config);
bool pm_cl_cache_store_launch_config(pm_opencl_device *cl, const pm_launch_config *config);

/* What a device gets that nobody measured. */
pm_launch_config pm_cl_default_launch_config(const pm_device_info *info);
bool pm_cl_is_launch_config(const pm_launch_config *config);
void pm_cl_set_launch_config(pm_opencl_device *cl, const pm_launch_config *config);

/* One launch of a curve over a piece whose cursors are on the device. */
typedef struct pm_launch {
    const pm_opencl_clip *clip;
    const pm_output *output;
    size_t sample_count;
    bool pairs;
    bool parent; /* derivatives in the parent's frame */
    cl_mem cursors;
    cl_mem tracks; /* of pairs, else NULL */
    cl_mem values;
    uint64_t values_offset; /* in floats */
} pm_launch;

pm_status pm_cl_launch(const pm_launch *launch, const pm_cl_wait *wait, cl_event *done,
                       pm_error *error);

/* Fills `cursors` on the device by arithmetic. */
pm_status pm_cl_launch_locate(pm_opencl_device *cl, const pm_uniform_map *map, size_t count,
                              cl_mem cursors, cl_command_queue queue, cl_event *done,
                              pm_error *error);

/* The most samples that a piece may have for kernels' 32-bit indices and `bytes` of results. */
size_t pm_cl_piece_samples(const pm_sample_request *request, uint64_t bytes);

/* Bytes of results that no cache holds until they are read again. */
#define PM_MIN_STREAM_BYTES ((size_t)4 << 20)

/* What the backend does. */
pm_status pm_cl_tune(pm_device *device, pm_launch_measurement *measurements, size_t capacity,
                     size_t *count, size_t *best, pm_error *error);
pm_status pm_cl_clip_upload(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                            pm_error *error);
void pm_cl_clip_release(pm_device_clip *clip);
/* In pieces of its own, as large as the device's memory allows. */
pm_status pm_cl_sample_to_host(const pm_device_clip *clip, const pm_sample_request *request,
                               pm_error *error);
pm_status pm_cl_crowd_upload(pm_device *device, const pm_crowd_data *data, pm_device_crowd **crowd,
                             pm_error *error);
void pm_cl_crowd_release(pm_device_crowd *crowd);
pm_status pm_cl_crowd_pose_to_host(pm_device_crowd *crowd, const pm_pose_request *request,
                                   pm_error *error);

#endif
