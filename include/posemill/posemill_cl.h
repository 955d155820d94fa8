/* SPDX-License-Identifier: MIT
 *
 * Posemill on a caller's own OpenCL objects: an engine on the caller's context,
 * jobs on the caller's queue, results left in the caller's buffers. Everything
 * else is in posemill.h, whose conventions hold here too.
 */
#ifndef POSEMILL_CL_H
#define POSEMILL_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <posemill/posemill.h>
#include <posemill/posemill_crowd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An engine on an existing context and one of its devices; both are retained as long as it lives.
 * desc->device is not looked at. desc may be NULL. Blocks only while kernels build. */
PM_API pm_status pm_cl_engine_create(cl_context context, cl_device_id device,
                                     const pm_engine_desc *desc, pm_engine **engine,
                                     pm_error *error);

/* A device, which may be a sub-device, and the context to use it in: one of its own or one
 * that it shares. */
typedef struct pm_cl_target {
    cl_context context;
    cl_device_id device;
} pm_cl_target;

/* An engine over `count` devices, at least 1, no two of them the same; see
 * pm_engine_desc.device for what that is. Otherwise as pm_cl_engine_create, which is this
 * for one. */
PM_API pm_status pm_cl_engine_create_multi(const pm_cl_target *targets, size_t count,
                                           const pm_engine_desc *desc, pm_engine **engine,
                                           pm_error *error);

/* What the engine runs on, of several devices the first; NULL on the reference path.
 * Borrowed: valid as long as the engine, not retained for the caller. */
PM_API cl_context pm_cl_context(const pm_engine *engine);
PM_API cl_device_id pm_cl_device(const pm_engine *engine);

/* Where results go: buffers of the engine's context, each with an offset in bytes
 * (a multiple of 16 for rotations, of 4 for the others; in a buffer made with
 * CL_MEM_USE_HOST_PTR, the address there is one too). NULL: not wanted. Layouts
 * and element counts as in pm_sample_job, tightly packed float32. */
typedef struct pm_cl_outputs {
    cl_mem rotations;
    size_t rotations_offset;
    cl_mem positions;
    size_t positions_offset;
    cl_mem scales;
    size_t scales_offset;
    cl_mem velocities;
    size_t velocities_offset;
    cl_mem accelerations;
    size_t accelerations_offset;
} pm_cl_outputs;

/* Enqueues a job on `queue` (of the engine's context and device, or one of them, which
 * does the whole job; in order or not) and returns without waiting for it. The job's own output pointers must be NULL;
 * its times and tracks are copied before the call returns. Starts after the events
 * of the wait list; *done, when asked for, is complete when all outputs are written
 * and is the caller's to release. The queue is neither flushed nor finished. A
 * clip on the reference path is refused with PM_ERROR_ARGUMENT. When it fails for
 * another reason than its arguments, the queue may have a part of the job, which may
 * write the outputs: finish the queue before the clip is destroyed. Thread-safe. */
PM_API pm_status pm_cl_sample(const pm_clip *clip, const pm_sample_job *job,
                              const pm_cl_outputs *outputs, cl_command_queue queue,
                              cl_uint wait_count, const cl_event *wait_list, cl_event *done,
                              pm_error *error);

/* ---- crowds ------------------------------------------------------------------------ */

/* Where an output goes: instance i's records begin offset + i stride bytes into a buffer of the
 * engine's context. Offset and stride are multiples of 16, of halves of 8; on CPU devices
 * multiples of 64 are written faster. In a buffer made with CL_MEM_USE_HOST_PTR, the address at an
 * offset is such a multiple too. */
typedef struct pm_cl_crowd_target {
    cl_mem buffer; /* NULL: not wanted */
    size_t offset;
    size_t stride; /* at least joint_count records. 0: just those */
    /* NULL, or another buffer where what `buffer` held is copied first, at the same stride: the
     * poses before these, for motion vectors. Whoever has two targets to write by turns
     * need not copy. */
    cl_mem previous;
    size_t previous_offset; /* a multiple of 4 */
} pm_cl_crowd_target;

typedef struct pm_cl_crowd_job {
    /* In host memory, copied before the call returns; or, where that is NULL, in a buffer of the
     * engine's context, from a multiple of 8 bytes on. */
    const pm_crowd_instance *instances;
    cl_mem instance_buffer;
    size_t instances_offset;
    size_t instance_count; /* below 2^32 - 64. 0: nothing to do */
    uint64_t frame;        /* counts frames, for levels that are not updated in each */
    pm_cl_crowd_target outputs[PM_CROWD_OUTPUT_COUNT];
} pm_cl_crowd_job;

/* Enqueues the posing of a crowd, as pm_cl_sample does with samples: on a queue of the engine's
 * context and device, in order or not, after the events of the wait list; *done, when asked for,
 * is complete when all outputs are written, and is the caller's to release. The queue is neither
 * flushed nor finished. Once an output has been asked for, asking for it again makes no
 * OpenCL object but events, unless there are more instances in host memory, or more of their jobs
 * on the way, than ever before, or pm_engine_tune has changed the engine's lanes since.
 * When it fails for another reason than its arguments, as when a command cannot be enqueued, the
 * queue may have a part of the job, which may write the outputs: finish the queue before the crowd
 * is destroyed. Thread-safe. */
PM_API pm_status pm_cl_crowd_pose(pm_crowd *crowd, const pm_cl_crowd_job *job,
                                  cl_command_queue queue, cl_uint wait_count,
                                  const cl_event *wait_list, cl_event *done, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
