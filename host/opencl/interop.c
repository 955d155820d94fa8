/* SPDX-License-Identifier: MIT
 *
 * The functions of posemill_cl.h: engines on a caller's contexts, jobs on a caller's queues.
 */
#include "device.h"

#include <string.h>

/* ---- engines ---- */

pm_status pm_cl_engine_create_multi(const pm_cl_target *targets, size_t count,
                                    const pm_engine_desc *desc, pm_engine **engine,
                                    pm_error *error) {
    const pm_engine_desc defaults = {0};
    const pm_cl_targets given = {targets, count};
    pm_error_clear(error);
    if (!targets || !engine)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", targets ? "engine" : "targets");
    if (count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "count is 0, expected at least one target");
    return pm_engine_open(desc ? desc : &defaults, pm_cl_open, &given, engine, error);
}

pm_status pm_cl_engine_create(cl_context context, cl_device_id device, const pm_engine_desc *desc,
                              pm_engine **engine, pm_error *error) {
    const pm_cl_target target = {context, device};
    if (!context || !device)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", context ? "device" : "context");
    return pm_cl_engine_create_multi(&target, 1, desc, engine, error);
}

/* Whether an engine runs on OpenCL. Several devices all have the same backend. */
static bool is_on_opencl(const pm_engine *engine) {
    return pm_cl_is_device(engine->device->members[0]);
}

cl_context pm_cl_context(const pm_engine *engine) {
    return engine && is_on_opencl(engine) ? pm_opencl_of(engine->device->members[0])->context
                                          : NULL;
}

cl_device_id pm_cl_device(const pm_engine *engine) {
    return engine && is_on_opencl(engine) ? pm_opencl_of(engine->device->members[0])->id : NULL;
}

/* ---- samples ---- */

/* Finds the member of a device that a caller's queue belongs to. */
static pm_status member_of_queue(const pm_device *device, cl_command_queue queue, size_t *member,
                                 pm_error *error) {
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetCommandQueueInfo");
    for (size_t i = 0; i < device->member_count; i++) {
        const pm_opencl_device *cl = pm_opencl_of(device->members[i]);
        if (context == cl->context && id == cl->id) {
            *member = i;
            return PM_OK;
        }
    }
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "queue belongs to another context or device than the engine's");
}

/* The positions of an output's buffer and offset in pm_cl_outputs. */
#define PM_FIELDS(name)                                                                            \
    { offsetof(pm_cl_outputs, name), offsetof(pm_cl_outputs, name##_offset) }
static const struct {
    size_t buffer, offset;
} fields[PM_OUTPUT_COUNT] = {[PM_OUT_ROTATIONS] = PM_FIELDS(rotations),
                             [PM_OUT_POSITIONS] = PM_FIELDS(positions),
                             [PM_OUT_SCALES] = PM_FIELDS(scales),
                             [PM_OUT_VELOCITIES] = PM_FIELDS(velocities),
                             [PM_OUT_ACCELERATIONS] = PM_FIELDS(accelerations)};

static pm_cl_sample_outputs outputs_of(const pm_cl_outputs *outputs) {
    pm_cl_sample_outputs resolved;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const char *bytes = (const char *)outputs;
        memcpy(&resolved.of[o].buffer, bytes + fields[o].buffer, sizeof resolved.of[o].buffer);
        memcpy(&resolved.of[o].offset, bytes + fields[o].offset, sizeof resolved.of[o].offset);
    }
    return resolved;
}

static pm_status check_samples(const pm_device_clip *clip, const pm_sample_job *job,
                               const pm_sample_request *request,
                               const pm_cl_sample_outputs *outputs, pm_error *error) {
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (request->outputs[o])
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "the job has outputs in host memory: use pm_sample");
    if (job->on_reference)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "on_reference is set: the reference path cannot write to buffers");
    const pm_status status = pm_sample_check_times(clip->data, job, request->host_threads, error);
    return status == PM_OK ? pm_cl_check_outputs(clip, request, outputs, error) : status;
}

pm_status pm_cl_sample(const pm_clip *clip, const pm_sample_job *job, const pm_cl_outputs *outputs,
                       cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                       cl_event *done, pm_error *error) {
    pm_error_clear(error);
    if (!clip || !job || !outputs || !queue || (wait_count && !wait_list))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !clip      ? "clip"
                       : !job     ? "job"
                       : !outputs ? "outputs"
                       : !queue   ? "queue"
                                  : "wait_list");
    if (!is_on_opencl(clip->engine))
        return pm_fail(error, PM_ERROR_ARGUMENT, "the clip's engine is the reference path");
    size_t member = 0;
    pm_status status = pm_device_check(clip->engine->device, error);
    if (status == PM_OK)
        status = member_of_queue(clip->engine->device, queue, &member, error);
    if (status != PM_OK)
        return status;
    const pm_device_clip *on_member = clip->on_device->members[member];
    const pm_sample_request request = pm_engine_sample_request(clip, job);
    const pm_cl_sample_outputs resolved = outputs_of(outputs);
    const pm_cl_wait wait = {queue, wait_list, wait_count};
    status = check_samples(on_member, job, &request, &resolved, error);
    return status == PM_OK
               ? pm_cl_enqueue_samples(on_member, &request, &resolved, &wait, done, error)
               : status;
}

/* ---- crowds ---- */

pm_status pm_cl_crowd_pose(pm_crowd *crowd, const pm_cl_crowd_job *job, cl_command_queue queue,
                           cl_uint wait_count, const cl_event *wait_list, cl_event *done,
                           pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !job || !queue || (wait_count && !wait_list))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd   ? "crowd"
                       : !job   ? "job"
                       : !queue ? "queue"
                                : "wait_list");
    if (!is_on_opencl(crowd->engine))
        return pm_fail(error, PM_ERROR_ARGUMENT, "the crowd's engine is the reference path");
    const pm_cl_wait wait = {queue, wait_list, wait_count};
    size_t member = 0; /* always 0: a crowd is on one device */
    pm_status status = pm_device_check(crowd->engine->device, error);
    if (status == PM_OK)
        status = member_of_queue(crowd->engine->device, queue, &member, error);
    if (status == PM_OK && job->instance_count == 0) /* complete when the commands before it are */
        return done ? pm_cl_marker(&wait, done, error) : PM_OK;
    if (status == PM_OK)
        status = pm_cl_check_poses(crowd->on_device, job, error);
    return status == PM_OK ? pm_cl_enqueue_poses(crowd->on_device, job, 0, &wait, done, error)
                           : status;
}
