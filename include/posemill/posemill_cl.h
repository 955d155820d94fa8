/* SPDX-License-Identifier: MIT
 *
 * Posemill on a caller's own OpenCL objects: an engine on the caller's context, jobs on
 * the caller's queue, results in the caller's buffers. The conventions of posemill.h apply.
 */
#ifndef POSEMILL_CL_H
#define POSEMILL_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <posemill/posemill.h>
#include <posemill/posemill_crowd.h>
#include <posemill/posemill_points.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates an engine on an existing context and one of its devices; the engine retains both until it
 * is destroyed. desc->device is ignored. desc may be NULL. Blocks only while kernels are built.
 * PM_ERROR_ARGUMENT when the device does not belong to the context. */
PM_API pm_status pm_cl_engine_create(cl_context context, cl_device_id device,
                                     const pm_engine_desc *desc, pm_engine **engine,
                                     pm_error *error);

/* A device, which may be a sub-device, and the context to use it in. Several targets may have the
 * same context. */
typedef struct pm_cl_target {
    cl_context context;
    cl_device_id device;

    const void *next; /* must be NULL */
} pm_cl_target;

/* Creates an engine over `count` devices, at least 1 and all different; pm_engine_desc.device
 * describes such engines. With count 1 it equals pm_cl_engine_create. */
PM_API PM_EXPERIMENTAL pm_status pm_cl_engine_create_multi(const pm_cl_target *targets,
                                                           size_t count, const pm_engine_desc *desc,
                                                           pm_engine **engine, pm_error *error);

/* Context and device of the engine, with several devices those of the first; NULL on the reference
 * path. Borrowed: valid until the engine is destroyed, not retained for the caller. */
PM_API cl_context pm_cl_context(const pm_engine *engine);
PM_API cl_device_id pm_cl_device(const pm_engine *engine);

/* Output buffers of the engine's context, each with an offset in bytes: a multiple of 16 for
 * rotations, and of 4 for the others. In a buffer created with CL_MEM_USE_HOST_PTR, the host
 * address at the offset must be such a multiple too. NULL: no output. Layouts and element counts
 * are those of pm_sample_job, float32, with the strides of the job. The buffers remain the caller's. */
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

    const void *next; /* must be NULL */
} pm_cl_outputs;

/* Enqueues a job on `queue` and returns without waiting for its completion. The queue belongs to
 * the engine's context and device, or to one of several, which then computes the whole job;
 * in-order and out-of-order queues are both supported. The job's own output pointers must be NULL;
 * its times, tracks and subset are copied before the call returns. The job starts after the events of the
 * wait list. *done (done may be NULL) completes when all outputs are written; the caller releases
 * it. The queue is neither flushed nor finished. A clip on the reference path is refused with
 * PM_ERROR_ARGUMENT. The call blocks while programs that the job needs are built, with
 * build_in_background too. After a failure for any reason but the arguments, a part of the job may
 * already be enqueued and may still write the outputs: finish the queue before the clip is
 * destroyed. Where plain C computes the jobs of a CPU device (pm_engine_desc.programs_on_cpu), a job
 * is native kernels, which need no programs and use the host's threads; a clip that the device built
 * is read first, which blocks. Thread-safe. */
PM_API pm_status pm_cl_sample(const pm_clip *clip, const pm_sample_job *job,
                              const pm_cl_outputs *outputs, cl_command_queue queue,
                              cl_uint wait_count, const cl_event *wait_list, cl_event *done,
                              pm_error *error);

/* Likewise pm_filter_sample: a job without `tracks`, `subset`, velocities and accelerations. */
PM_API pm_status pm_cl_filter_sample(const pm_filter *filter, const pm_sample_job *job,
                                     const pm_cl_outputs *outputs, cl_command_queue queue,
                                     cl_uint wait_count, const cl_event *wait_list, cl_event *done,
                                     pm_error *error);

/* ---- crowds ------------------------------------------------------------------------ */

/* An output and its destination: the records of instance i begin at byte offset + i * stride of a
 * buffer of the engine's context. Offset and stride are multiples of 16, or of 8 for outputs of
 * float16, or of 4 for states of bodies; CPU devices write faster with multiples of 64. In a buffer
 * created with CL_MEM_USE_HOST_PTR, the host address at the offset must be such a multiple too. */
typedef struct pm_cl_crowd_target {
    pm_crowd_output output;
    uint32_t
        subset; /* PM_ALL_JOINTS; otherwise subsets[subset - 1] of the skeleton's description */
    cl_mem buffer;
    size_t offset;
    size_t stride; /* bytes, at least an instance's records. 0: exactly that */
    /* NULL, or another buffer that first receives a copy of `buffer`'s present contents, at the
     * same stride: the previous poses, for motion vectors. Two targets that are written
     * alternately make this copy unnecessary. */
    cl_mem previous;
    size_t previous_offset; /* a multiple of 4 */
    uint64_t flags;         /* of pm_target_flag */

    const void *next; /* must be NULL */
} pm_cl_crowd_target;

/* Data of a job: in host memory, copied before the call returns, or in a buffer of the engine's
 * context from a byte offset on. At most one of both is given; neither means that there are none. */
typedef struct pm_cl_input {
    const void *memory;
    cl_mem buffer;
    size_t offset; /* in the buffer; a multiple of 8 */
} pm_cl_input;

typedef struct pm_cl_crowd_job {
    /* In host memory, copied before the call returns; or NULL, with the instances in a buffer of
     * the engine's context instead, at an offset that is a multiple of 8 bytes. Exactly one of the
     * two must be given, or `poses`. */
    const pm_crowd_instance *instances;
    cl_mem instance_buffer;
    size_t instances_offset;
    size_t instance_count; /* below 2^32 - 64. 0: nothing to do */
    uint64_t frame;        /* frame number, for levels that are not updated every frame */
    const pm_cl_crowd_target *outputs;
    size_t output_count; /* 1 to PM_CROWD_MAX_TARGETS; each output of a subset at most once */

    /* As in pm_crowd_job: */
    pm_cl_input layers; /* (layer_count) pm_crowd_layer */
    size_t layer_count;
    pm_cl_input ranges;  /* (instance_count) pm_crowd_range */
    pm_cl_input poses;   /* (instance_count) local poses; the offset is a multiple of 16 */
    size_t pose_stride;  /* bytes, a multiple of 16, or in host memory of 4 */
    pm_cl_input indices; /* (index_count) uint32 */
    size_t index_count;  /* below 2^32 - 64 */
    /* The number of indices, as a uint32, that a kernel wrote; more than index_count are cut. None:
     * there are index_count of them. */
    pm_cl_input counted;
    bool packed;
    const pm_chain_use *chains; /* in host memory, copied before the call returns */
    size_t chain_count;
    pm_cl_input
        goals; /* (instance_count, chain_count) pm_chain_goal; the offset is a multiple of 16 */
    size_t goal_stride; /* bytes, a multiple of 16, or in host memory of 4 */
    pm_height_field ground;
    pm_cl_input heights; /* (rows, columns) float */
    /* (instance_count) states of transitions; the offset is a multiple of 16 */
    pm_cl_input transitions;
    size_t transition_stride; /* bytes, a multiple of 16, or in host memory of 4 */
    int64_t transition_time;
    /* (instance_count) states of planted feet, which the job writes: in a buffer alone; the offset is a multiple of 16 */
    pm_cl_input plants;
    size_t plant_stride;    /* bytes, a multiple of 16 */
    pm_cl_input placements; /* (instance_count) pm_placement; the offset is a multiple of 16 */
    pm_cl_input speeds;     /* (instance_count) float */

    const void *next; /* must be NULL */
} pm_cl_crowd_job;

/* Enqueues the posing of a crowd and returns without waiting for its completion. The queue belongs
 * to the engine's context and device; in-order and out-of-order queues are both supported. The job
 * starts after the events of the wait list. *done (done may be NULL) completes when all outputs are
 * written; the caller releases it. The queue is neither flushed nor finished.
 * After the first job with an output, later jobs with it create no OpenCL objects except events,
 * and with chains a buffer of local poses, unless they have more instances in host memory, or more such jobs are in flight, than ever
 * before; jobs that plain C computes, as with pm_cl_sample, create a buffer of 64 bytes each. The call blocks while programs that the job needs are built, with build_in_background
 * too. After a failure for any reason but the arguments, such as a command that cannot be enqueued,
 * a part of the job may already be enqueued and may still write the outputs: finish the queue
 * before the crowd is destroyed. Thread-safe. */
PM_API pm_status pm_cl_crowd_pose(pm_crowd *crowd, const pm_cl_crowd_job *job,
                                  cl_command_queue queue, cl_uint wait_count,
                                  const cl_event *wait_list, cl_event *done, pm_error *error);

/* A change of what instances show, as pm_crowd_transition has it. Of the jobs the same counts; their outputs, lists and
 * chains do not. */
typedef struct pm_cl_crowd_transition {
    const pm_cl_crowd_job *before[2], *after[2];
    int64_t step; /* ticks */
    int64_t time;
    float duration;      /* seconds */
    pm_cl_input indices; /* (index_count) uint32, each instance once; none: all instances */
    size_t index_count;  /* below 2^32 - 64 */
    pm_cl_input counted; /* as in pm_cl_crowd_job */
    /* (instance_count) states, which are written; may be what `before` reads. The offset and the stride are multiples
     * of 16; a stride of 0 is pm_crowd_transition_bytes */
    cl_mem states;
    size_t states_offset, stride;
    /* Memory for poses while the job runs, at an offset that is a multiple of 16: four times those of
     * PM_CROWD_LOCAL, of index_count instances or of all */
    cl_mem work;
    size_t work_offset;

    const void *next; /* must be NULL */
} pm_cl_crowd_transition;

/* As pm_crowd_begin_transitions, enqueued as pm_cl_crowd_pose is, with the same bits but for the rates of the root,
 * which are 0: root motion in transition is then that of the clips alone. Thread-safe. */
PM_API PM_EXPERIMENTAL pm_status pm_cl_crowd_begin_transitions(
    const pm_crowd *crowd, const pm_cl_crowd_transition *change, cl_command_queue queue,
    cl_uint wait_count, const cl_event *wait_list, cl_event *done, pm_error *error);

/* ---- points ------------------------------------------------------------------------ */

/* A field of records in a buffer of the engine's context, or part of one: the byte at which the first record's numbers
 * begin. They may be at any byte; in a buffer created with CL_MEM_USE_HOST_PTR, the host address is a multiple of 8. */
typedef struct pm_cl_field {
    cl_mem buffer; /* NULL: not in a buffer */
    size_t offset;
} pm_cl_field;

/* Fields of a pm_points_job by their names there, which are laid out by its types, strides, steps and bases. */
typedef struct pm_cl_points {
    pm_cl_field stamps, points;
    pm_cl_field tracks[PM_MAX_FRAMES]; /* of each frame */
    pm_cl_field moved, rotations, positions, velocities, angular_velocities, valid;

    const void *next; /* must be NULL */
} pm_cl_points;

/* As pm_move_points, enqueued as pm_cl_sample is, on a queue of the engine of the first frame's trajectory. `data` of
 * fields in buffers is NULL in the job; other inputs are in host memory, and are copied before the call returns. Outputs
 * are in buffers. Trajectories may be destroyed when the call returns. As a queue reports no failure, `outside` is not
 * PM_OUTSIDE_REFUSE, invalid_count is NULL, and a track that there is none of makes a point invalid.
 * Every job runs on queues of CPU devices whose jobs plain C computes (pm_engine_desc.programs_on_cpu). Kernels have
 * those of points, of any method, chain and type, without poses, velocities and extrapolation; on devices without double
 * those of points in float32 alone that move to float32 by one trajectory of slerp and linear positions or of screws,
 * without `inverse`. Queues of other devices refuse other jobs with PM_ERROR_ARGUMENT. */
PM_API PM_EXPERIMENTAL pm_status pm_cl_move_points(const pm_points_job *job,
                                                   const pm_cl_points *fields,
                                                   cl_command_queue queue, cl_uint wait_count,
                                                   const cl_event *wait_list, cl_event *done,
                                                   pm_error *error);

/* ---- keys in buffers --------------------------------------------------------------- */

/* Arrays of a pm_clip_desc by their names there, which are laid out by its types and strides. Offsets are multiples
 * of the size of a number, of codes 4; in a buffer created with CL_MEM_USE_HOST_PTR, so must the host address be. */
typedef struct pm_cl_keys {
    pm_cl_input rotations, positions, scales;
    pm_cl_input user_tangents;
    pm_cl_input tangents_in, tangents_out;
    pm_cl_input positions_in, positions_out;
    pm_cl_input scales_in, scales_out;

    const void *next; /* must be NULL */
} pm_cl_keys;

/* As pm_clip_create, with the same bits, of keys and tangents in buffers of the engine's context, in which rows of a
 * loop's closing key are included: `data` of these arrays is NULL in the description. Waits for the events of the
 * wait list and until the clip is built; then the buffers are no longer used. A device that builds clips
 * (pm_engine_desc.clip_building; of itself if it is no CPU device) checks and builds them, and the host reads some
 * numbers of each track. Where it does not, or may refuse a key, the host maps the buffers and does, which buffers
 * with CL_MEM_HOST_NO_ACCESS or CL_MEM_HOST_WRITE_ONLY fail. With several devices, buffers are of the first one's
 * context. PM_ERROR_ARGUMENT: the engine is the reference path, or a buffer is of another context, too small or
 * misaligned. Thread-safe. */
PM_API pm_status pm_cl_clip_create(pm_engine *engine, const pm_clip_desc *desc,
                                   const pm_cl_keys *keys, cl_uint wait_count,
                                   const cl_event *wait_list, pm_clip **clip, pm_error *error);

/* Likewise pm_filter_create. The host maps the keys. */
PM_API pm_status pm_cl_filter_create(pm_engine *engine, const pm_clip_desc *desc, double cutoff,
                                     const pm_cl_keys *keys, cl_uint wait_count,
                                     const cl_event *wait_list, pm_filter **filter,
                                     pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
