/* SPDX-License-Identifier: MIT
 *
 * The programs of whole requests, on each member of a device. programs/ knows single programs; the
 * lists of a request's programs are in plan/.
 */
#include "backend.h"

enum {
    MAX_VARIANTS = (int)PM_SAMPLE_VARIANTS > (int)PM_CROWD_MAX_TARGETS ? (int)PM_SAMPLE_VARIANTS
                                                                       : (int)PM_CROWD_MAX_TARGETS
};

typedef struct program_list {
    pm_programs *programs; /* NULL: the device has none */
    size_t count;
    pm_variant variants[MAX_VARIANTS];
} program_list;

static program_list of_samples(const pm_device *device, const pm_sample_request *request) {
    program_list list = {.programs = device->programs};
    if (list.programs) {
        const pm_sample_plan plan =
            pm_plan_samples(request, pm_outputs_in_memory(request), UINT64_MAX, device->plan);
        list.count = pm_plan_sample_variants(&plan, request, list.variants);
    }
    return list;
}

static program_list of_poses(const pm_device_crowd *crowd, const pm_pose_request *request) {
    program_list list = {.programs = crowd->device->programs};
    for (size_t i = 0; list.programs && i < request->target_count; i++)
        list.variants[list.count++] =
            pm_plan_pose_variant(request, i, crowd->device->plan);
    return list;
}

static pm_readiness readiness(const program_list *list, pm_error *error) {
    return list->programs
               ? pm_programs_readiness(list->programs, list->variants, list->count, error)
               : PM_READY;
}

static void mark_checked(const program_list *list) {
    if (list->programs)
        pm_programs_checked(list->programs, list->variants, list->count);
}

pm_readiness pm_samples_readiness(const pm_device_clip *clip, const pm_sample_request *request,
                                  pm_error *error) {
    pm_readiness worst = PM_READY;
    for (size_t i = 0; worst != PM_READY_NEVER && i < clip->device->member_count; i++) {
        const program_list list = of_samples(clip->device->members[i], request);
        const pm_readiness one = readiness(&list, error);
        worst = one > worst ? one : worst;
    }
    return worst;
}

void pm_samples_checked(const pm_device_clip *clip, const pm_sample_request *request) {
    for (size_t i = 0; i < clip->device->member_count; i++) {
        const program_list list = of_samples(clip->device->members[i], request);
        mark_checked(&list);
    }
}

pm_readiness pm_poses_readiness(const pm_device_crowd *crowd, const pm_pose_request *request,
                                pm_error *error) {
    const program_list list = of_poses(crowd, request);
    return readiness(&list, error);
}

void pm_poses_checked(const pm_device_crowd *crowd, const pm_pose_request *request) {
    const program_list list = of_poses(crowd, request);
    mark_checked(&list);
}
