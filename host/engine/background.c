/* SPDX-License-Identifier: MIT
 *
 * Requests into host memory whose programs are not built yet: the reference path computes them while
 * the driver compiles. A request is computed as a whole by one of both, so that no result mixes bits.
 * The first results of new programs are compared with those of the reference path, in memory of its
 * own. The self-check compares with material of its own instead, and all programs.
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"

/* Some milliseconds of work at most. */
enum { COMPARED_VALUES = 1 << 14, COMPARED_INSTANCES = 64 };

/* Whether a comparison has found a difference on any member of the device. */
static bool device_differs(const pm_device *device) {
    bool differs = false;
    for (size_t i = 0; i < device->member_count; i++)
        differs = differs || atomic_load(&device->members[i]->differs) != 0;
    return differs;
}

static void note_difference(pm_device *device) {
    if (atomic_exchange(&device->differs, 1) == 0)
        pm_log(device->options.logger, PM_LOG_WARNING,
               "%s: results differ in bits from those that the reference path computed while "
               "programs were built; later jobs wait for their programs",
               device->info.name);
}

/* Memory for the same results twice, with the same contents. Free *first with free(). */
static pm_status make_memory(size_t bytes, unsigned char **first, unsigned char **second,
                             pm_error *error) {
    *first = calloc(2, bytes);
    if (!*first)
        return pm_fail_memory(error);
    *second = *first + bytes;
    return PM_OK;
}

/* ---- samples ---- */

static pm_status compare_output(const pm_device_clip *clip, const pm_sample_request *piece,
                                unsigned output, pm_error *error) {
    const size_t bytes = pm_sample_output_bytes(piece, output);
    pm_sample_request by_device = *piece, by_reference = *piece;
    unsigned char *first = NULL, *second = NULL;
    memset(by_device.outputs, 0, sizeof by_device.outputs);
    memset(by_reference.outputs, 0, sizeof by_reference.outputs);
    pm_status status = make_memory(bytes, &first, &second, error);
    by_reference.outputs[output] = (float *)(void *)first;
    by_device.outputs[output] = (float *)(void *)second;
    if (status == PM_OK)
        status = pm_cpu_sample_by_track(&by_reference, error);
    for (size_t i = 0; status == PM_OK && i < clip->device->member_count; i++) {
        const pm_device_clip *member = clip->members[i];
        status = member->device->backend->sample(member, &by_device, error);
        if (status == PM_OK && memcmp(first, second, bytes) != 0)
            note_difference(member->device);
    }
    free(first);
    return status;
}

/* Computes the first samples of a request on each device and on the reference path, compares the
 * bits, and marks the programs as checked. A difference is logged once for each device. */
static pm_status compare_samples(const pm_device_clip *clip, const pm_sample_request *request,
                                 pm_error *error) {
    const size_t samples = COMPARED_VALUES / request->width + 1;
    const pm_piece first = pm_piece_at(request->sample_count, samples, 0);
    pm_sample_request piece = *request;
    pm_status status = PM_OK;
    piece.sample_count = first.count;
    piece.host_threads = 1;
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (request->outputs[o])
            status = compare_output(clip, &piece, o, error);
    if (status == PM_OK)
        pm_samples_checked(clip, request);
    return status;
}

/* ---- poses ---- */

/* Instances that are not updated in this frame keep the same contents in both. */
static pm_status compare_poses_of(pm_device_crowd *crowd, const pm_pose_request *piece,
                                  const pm_pose_target *target, pm_error *error) {
    const size_t stride = target->bytes, bytes = pm_pose_records(piece) * stride;
    pm_pose_request by_device = *piece, by_reference = *piece;
    unsigned char *first = NULL, *second = NULL;
    pm_status status = make_memory(bytes, &first, &second, error);
    by_device.target_count = by_reference.target_count = 1;
    by_device.targets[0] = (pm_pose_target){
        .view = target->view, .flags = target->flags, .stride = stride, .bytes = stride};
    by_reference.targets[0] = by_device.targets[0];
    by_reference.targets[0].to.memory = first;
    by_device.targets[0].to.memory = second;
    if (status == PM_OK)
        status = pm_cpu_pose(&by_reference, error);
    if (status == PM_OK)
        status = crowd->device->backend->pose(crowd, &by_device, error);
    if (status == PM_OK && memcmp(first, second, bytes) != 0)
        note_difference(crowd->device);
    free(first);
    return status;
}

/* A piece that begins with the record of the first entry that is computed. count 0: none is. */
static pm_piece first_computed(const pm_pose_request *request) {
    const size_t entries = pm_pose_entries(request), end = pm_pose_records(request);
    const uint32_t *indices = request->indices.memory;
    for (size_t e = 0; e < entries; e++) {
        const size_t index = indices ? indices[e] : e;
        const size_t from = request->packed ? e : index;
        if (pm_pose_computes(request, index))
            return (pm_piece){from,
                              end - from < COMPARED_INSTANCES ? end - from : COMPARED_INSTANCES};
    }
    return (pm_piece){0, 0};
}

/* Jobs that compute nothing leave their programs unchecked. */
static pm_status compare_poses(pm_device_crowd *crowd, const pm_pose_request *request,
                               pm_error *error) {
    const pm_piece at = first_computed(request);
    if (at.count == 0)
        return PM_OK;
    uint32_t *indices = malloc((request->index_count + 1) * sizeof *indices);
    if (!indices)
        return pm_fail_memory(error);
    pm_pose_request piece = pm_pose_request_piece(request, &at, indices);
    pm_status status = PM_OK;
    piece.host_threads = 1;
    for (size_t i = 0; status == PM_OK && i < request->target_count; i++)
        status = compare_poses_of(crowd, &piece, &request->targets[i], error);
    if (status == PM_OK)
        pm_poses_checked(crowd, request);
    free(indices);
    return status;
}

/* ---- jobs ---- */

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
        device_differs(clip->device) ? PM_READY : pm_samples_readiness(clip, request, &failure);
    by_reference.host_threads = threads_beside_compiler(threads);
    if (programs == PM_READY_LATER && request->sample_count <= MOST_VALUES / request->width)
        return pm_cpu_sample(&by_reference, error);
    if (programs == PM_READY_NEVER)
        return fail_with(&failure, error);
    if (programs == PM_READY_UNCHECKED)
        status = compare_samples(clip, request, error);
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
        device_differs(crowd->device) ? PM_READY : pm_poses_readiness(crowd, request, &failure);
    by_reference.host_threads = threads_beside_compiler(request->host_threads);
    if (programs == PM_READY_LATER)
        return pm_cpu_pose(&by_reference, error);
    if (programs == PM_READY_NEVER)
        return fail_with(&failure, error);
    if (programs == PM_READY_UNCHECKED)
        status = compare_poses(crowd, request, error);
    return status == PM_OK ? crowd->device->backend->pose(crowd, request, error) : status;
}
