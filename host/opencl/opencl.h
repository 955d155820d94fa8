/* SPDX-License-Identifier: MIT
 *
 * The OpenCL half of the library: what its files share. Nothing outside cl_*.c
 * includes this.
 */
#ifndef PM_HOST_CL_H
#define PM_HOST_CL_H

#include <pthread.h>

#include <posemill/posemill_cl.h>

#include "backend/request.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "engine/engine.h"

/* Which program: the file, the curve it evaluates, and the shape. Also the cache's key. */
typedef struct pm_variant {
    const char *file;  /* "walk", "gather", "motion", "locate" or "crowd": and of the kernel */
    const char *curve; /* PM_METHOD; of `place` any */
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
typedef struct pm_request {
    pm_variant variant;
    enum { PM_REQUEST_OPEN, PM_REQUEST_BUILT, PM_REQUEST_FAILED } state;
    pm_error error; /* of one that failed */
    struct pm_request *next;
} pm_request;

typedef struct pm_cl_engine {
    cl_context context;
    cl_device_id device;
    cl_command_queue compute;
    cl_command_queue transfers;
    pm_launch_config config;
    bool shares_memory;    /* a buffer can be the host's memory itself */
    bool rounds_correctly; /* accepts -cl-fp32-correctly-rounded-divide-sqrt */
    uint64_t piece_bytes;
    struct pm_cl_folder *folder; /* of built programs; NULL: none */
    char *kernel_folder;         /* NULL: the sources built in */
    char *identity;              /* device, driver and platform, for the cache's key */
    pthread_mutex_t lock;        /* guards what follows; nobody calls out with it held */
    pthread_cond_t settled;      /* a program was built, or could not be */
    pm_built *built;
    pthread_cond_t requested; /* there is work for the builder, or it is to end */
    pm_request *requests;
    pthread_t builder;
    bool has_builder;
    bool closing;
} pm_cl_engine;

/* Buffers of a clip, one set a channel that is present. */
typedef struct pm_cl_clip {
    struct {
        cl_mem keys, constants, layout;
    } channels[PM_CHANNEL_COUNT];
    cl_mem wraps;
    cl_mem rates;
} pm_cl_clip;

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
pm_status pm_cl_buffer(const pm_engine *engine, cl_mem_flags flags, const void *data, size_t size,
                       cl_mem *buffer, pm_error *error);

/* Whether a caller's buffer is of the engine's context and holds `bytes` from an offset on, which
 * is a multiple of the alignment, as is its address in a buffer made of host memory. Messages name
 * it. */
pm_status pm_cl_check_buffer(const pm_engine *engine, const char *name, cl_mem buffer,
                             size_t offset, size_t alignment, size_t bytes, pm_error *error);

/* Which of the engine's devices a caller's queue is of; one of none of them is refused. */
pm_status pm_cl_part_of_queue(const pm_engine *engine, cl_command_queue queue, size_t *part,
                              pm_error *error);

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
pm_status pm_cl_choose(const pm_engine *engine, const char *wanted, pm_chosen **chosen,
                       size_t *count, pm_error *error);

/* What pm_cl_backend does. */
void pm_cl_close(pm_engine *engine);
pm_status pm_cl_tune(pm_engine *engine, pm_launch_measurement *measurements, size_t capacity,
                     size_t *count, size_t *best, pm_error *error);
pm_status pm_cl_clip_upload(pm_clip *clip, pm_error *error);
void pm_cl_clip_release(pm_clip *clip);
/* In pieces of its own, as large as the device's memory allows. */
pm_status pm_cl_sample_to_host(const pm_clip *clip, const pm_sample_job *job, pm_error *error);

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
pm_status pm_cl_kernel(const pm_engine *engine, const pm_variant *variant, pm_made_kernel *made,
                       pm_error *error);

/* The program alone. Thread-safe. */
pm_status pm_cl_program(const pm_engine *engine, const pm_variant *variant, cl_program *program,
                        pm_error *error);

/* Whether a program is ready, or is now, from the disk. Thread-safe. */
pm_status pm_cl_program_load(const pm_engine *engine, const pm_variant *variant, bool *ready,
                             pm_error *error);

/* What became of programs that were requested. */
typedef enum pm_programs {
    PM_PROGRAMS_READY,
    PM_PROGRAMS_UNCHECKED, /* ready, but the reference computed in place of one so far */
    PM_PROGRAMS_BUILDING,
    PM_PROGRAMS_FAILED
} pm_programs;

/* Asks the engine's builder, a thread of its own, for those programs that neither are ready nor on
 * the disk. All of these are thread-safe. */
pm_status pm_cl_request(const pm_engine *engine, const pm_variant *variants, size_t count,
                        pm_error *error);

/* The worst that is true of any of them. A failure is told once, with its error. */
pm_programs pm_cl_requested(const pm_engine *engine, const pm_variant *variants, size_t count,
                            pm_error *error);

/* Forgets those that are ready: what they compute was compared. */
void pm_cl_request_checked(const pm_engine *engine, const pm_variant *variants, size_t count);

/* Waits until all that was requested is built. */
void pm_cl_builder_close(const pm_engine *engine);

bool pm_cl_same_variant(const pm_variant *a, const pm_variant *b);

/* The programs that a job needs on a device; returns how many. */
enum { PM_CL_JOB_VARIANTS = PM_OUTPUT_COUNT + 1 };
size_t pm_cl_job_variants(const pm_clip *clip, const pm_sample_job *job,
                          pm_variant variants[PM_CL_JOB_VARIANTS]);

/* Source of a kernel file with its includes, as one text. Free with free(). */
pm_status pm_cl_source(const pm_engine *engine, const char *file, char **source, pm_error *error);

/* A program from the disk cache, or NULL: a miss is never an error. What is wrong with the folder
 * is kept for pm_cl_cache_tell. */
cl_program pm_cl_cache_load(const pm_cl_engine *cl, const char *source, const char *options);
void pm_cl_cache_store(const pm_cl_engine *cl, const char *source, const char *options,
                       cl_program program);

/* Logs what is wrong with the folder, once. With nothing locked. */
void pm_cl_cache_tell(const pm_engine *engine);

/* The shape that pm_engine_tune chose for this device and driver; false when there is none. */
bool pm_cl_cache_load_launch_config(const pm_cl_engine *cl, pm_launch_config *config);
bool pm_cl_cache_store_launch_config(const pm_cl_engine *cl, const pm_launch_config *config);

/* Whether the driver compiles kernels of more than a lane: the compiler of Mesa 22.3's rusticl
 * takes minutes for a vector, and Oclgrind 21.10 dies of one. */
bool pm_cl_builds_vectors(const pm_device_info *info);

/* What a device gets that nobody measured. */
pm_launch_config pm_cl_default_launch_config(const pm_device_info *info);
bool pm_cl_is_launch_config(const pm_launch_config *config);
void pm_cl_set_launch_config(pm_engine *engine, const pm_launch_config *config);

/* One launch of a curve over a piece whose places are on the device. */
typedef struct pm_launch {
    const pm_clip *clip;
    const pm_output *output;
    size_t sample_count;
    bool pairs;
    bool parent; /* derivatives in the parent's frame */
    cl_mem cursors;
    cl_mem tracks; /* of pairs, else NULL */
    cl_mem values;
    uint64_t values_offset; /* in floats */
} pm_launch;

pm_status pm_cl_launch(const pm_launch *launch, cl_command_queue queue, cl_uint wait_count,
                       const cl_event *wait_list, cl_event *done, pm_error *error);

/* An event for all of a list, which a count of 0 makes empty, whatever its address; of an empty
 * one, for what the queue was given so far. */
pm_status pm_cl_marker(cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *done,
                       pm_error *error);

/* A crowd's tables on the device, and what posing it keeps from one frame to the next. */
typedef struct pm_cl_crowd pm_cl_crowd;

/* What pm_cl_backend does with crowds. */
pm_status pm_cl_crowd_upload(pm_crowd *crowd, pm_error *error);
void pm_cl_crowd_release(pm_crowd *crowd);
pm_status pm_cl_crowd_pose_to_host(pm_crowd *crowd, const pm_crowd_job *job, pm_error *error);

/* A part of a job of pm_cl_crowd_pose that was checked: its instance 0 is instance `first`. */
pm_status pm_cl_crowd_enqueue(pm_crowd *crowd, const pm_cl_crowd_job *job, size_t first,
                              cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                              cl_event *done, pm_error *error);

/* Fills `places` on the device by arithmetic. */
pm_status pm_cl_launch_locate(const pm_engine *engine, const pm_uniform_map *uniform_map,
                              uint64_t first, size_t count, cl_mem cursors, cl_command_queue queue,
                              cl_event *done, pm_error *error);

/* The most samples a piece may have for kernels' 32-bit indices and `bytes` of results. */
size_t pm_cl_piece_samples(const pm_clip *clip, const pm_sample_job *job, uint64_t bytes);

/* Rows of places a piece has: one, or one a timeline. */
size_t pm_cl_cursor_rows(const pm_clip *clip, const pm_sample_job *job);

#endif
