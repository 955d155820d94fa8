/* SPDX-License-Identifier: MIT
 *
 * Requests into host memory whose programs are not built yet: the reference path computes them while
 * the driver compiles. A request is computed as a whole by one of both, so that no result mixes bits.
 */
#include "engine.h"

#include "background.h"
#include "cpu/cpu.h"

/* More values take the reference path longer than a driver needs to compile: some tenths of a second
 * on two cores. */
enum { MOST_VALUES = 1 << 26 };

static pm_status fail_with(const pm_error *failure, pm_error *error) {
    if (error)
        *error = *failure;
    return failure->status;
}

/* One thread less than the host may use, because the compiler needs one. */
static size_t threads_beside_compiler(size_t threads) {
    return threads > 1 ? threads - 1 : 1;
}

/* While programs are being built, the reference path computes jobs that are not large. Otherwise the
 * device computes the job, which waits for programs. Results of programs that were finished since the
 * last job are compared first. A failed build is the failure of the first job that finds it. */
pm_status pm_sample_in_background(const pm_device_clip *clip, const pm_sample_request *request,
                                  size_t threads, pm_error *error) {
    pm_sample_request by_reference = *request;
    pm_status status = PM_OK;
    pm_error failure;
    pm_error_clear(&failure);
    const pm_readiness programs =
        pm_device_differs(clip->device) ? PM_READY : pm_samples_readiness(clip, request, &failure);
    by_reference.host_threads = threads_beside_compiler(threads);
    if (programs == PM_READY_LATER && request->sample_count <= MOST_VALUES / request->width)
        return pm_cpu_sample(&by_reference, error);
    if (programs == PM_READY_NEVER)
        return fail_with(&failure, error);
    if (programs == PM_READY_UNCHECKED)
        status = pm_compare_samples(clip, request, error);
    return status == PM_OK ? clip->device->backend->sample(clip, request, error) : status;
}

/* A whole job on either path, because instances that are not updated keep what is in memory. */
pm_status pm_pose_in_background(pm_device_crowd *crowd, const pm_pose_request *request,
                                pm_error *error) {
    pm_pose_request by_reference = *request;
    pm_status status = PM_OK;
    pm_error failure;
    pm_error_clear(&failure);
    const pm_readiness programs =
        pm_device_differs(crowd->device) ? PM_READY : pm_poses_readiness(crowd, request, &failure);
    by_reference.host_threads = threads_beside_compiler(request->host_threads);
    if (programs == PM_READY_LATER)
        return pm_cpu_pose(&by_reference, error);
    if (programs == PM_READY_NEVER)
        return fail_with(&failure, error);
    if (programs == PM_READY_UNCHECKED)
        status = pm_compare_poses(crowd, request, error);
    return status == PM_OK ? crowd->device->backend->pose(crowd, request, error) : status;
}
