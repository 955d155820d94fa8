/* SPDX-License-Identifier: MIT
 *
 * The programs of whole requests: requested from the builder, and their state. builder.c knows
 * single programs; the lists of a request's programs are in plan/.
 */
#include "device.h"
#include "base/counts.h"

typedef struct program_list {
    pm_opencl_device *cl;
    size_t count;
    pm_variant variants[PM_CL_MAX_VARIANTS];
} program_list;

static program_list of_samples(const pm_device_clip *clip, const pm_sample_request *request) {
    program_list list = {.cl = pm_opencl_of(clip->device)};
    const pm_sample_plan plan =
        pm_plan_samples(request, pm_outputs_in_memory(request), UINT64_MAX, &list.cl->plan);
    list.count = pm_plan_sample_variants(&plan, request, list.variants);
    return list;
}

static program_list of_poses(const pm_device_crowd *crowd, const pm_pose_request *request) {
    program_list list = {.cl = pm_opencl_of(crowd->device)};
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        if (request->targets[o].memory)
            list.variants[list.count++] =
                pm_plan_pose_variant(crowd->data, (pm_crowd_output)o, &list.cl->plan);
    return list;
}

pm_status pm_cl_prepare(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error) {
    const program_list list = of_samples(clip, request);
    return pm_cl_request(list.cl, list.variants, list.count, error);
}

pm_readiness pm_cl_readiness(const pm_device_clip *clip, const pm_sample_request *request,
                             pm_error *error) {
    const program_list list = of_samples(clip, request);
    return pm_cl_requested(list.cl, list.variants, list.count, error);
}

void pm_cl_mark_checked(const pm_device_clip *clip, const pm_sample_request *request) {
    const program_list list = of_samples(clip, request);
    pm_cl_request_checked(list.cl, list.variants, list.count);
}

pm_status pm_cl_prepare_poses(const pm_device_crowd *crowd, const pm_pose_request *request,
                              pm_error *error) {
    const program_list list = of_poses(crowd, request);
    return pm_cl_request(list.cl, list.variants, list.count, error);
}

pm_readiness pm_cl_poses_readiness(const pm_device_crowd *crowd, const pm_pose_request *request,
                                   pm_error *error) {
    const program_list list = of_poses(crowd, request);
    return pm_cl_requested(list.cl, list.variants, list.count, error);
}

void pm_cl_mark_poses_checked(const pm_device_crowd *crowd, const pm_pose_request *request) {
    const program_list list = of_poses(crowd, request);
    pm_cl_request_checked(list.cl, list.variants, list.count);
}
