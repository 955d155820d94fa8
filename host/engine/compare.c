/* SPDX-License-Identifier: MIT
 *
 * Compares the first results of new programs with those of the reference path, in memory of its
 * own. The self-check compares with material of its own instead, and all programs.
 */
#include "background.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"

/* Some milliseconds of work at most. */
enum { COMPARED_VALUES = 1 << 14, COMPARED_INSTANCES = 64 };

bool pm_device_differs(const pm_device *device) {
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
        status = pm_cpu_sample(&by_reference, error);
    for (size_t i = 0; status == PM_OK && i < clip->device->member_count; i++) {
        const pm_device_clip *member = clip->members[i];
        status = member->device->backend->sample(member, &by_device, error);
        if (status == PM_OK && memcmp(first, second, bytes) != 0)
            note_difference(member->device);
    }
    free(first);
    return status;
}

pm_status pm_compare_samples(const pm_device_clip *clip, const pm_sample_request *request,
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
                                  unsigned output, pm_error *error) {
    const size_t stride = piece->targets[output].bytes, bytes = piece->instance_count * stride;
    pm_pose_request by_device = *piece, by_reference = *piece;
    unsigned char *first = NULL, *second = NULL;
    memset(by_device.targets, 0, sizeof by_device.targets);
    memset(by_reference.targets, 0, sizeof by_reference.targets);
    pm_status status = make_memory(bytes, &first, &second, error);
    by_reference.targets[output] = (pm_pose_target){first, NULL, stride, stride};
    by_device.targets[output] = (pm_pose_target){second, NULL, stride, stride};
    if (status == PM_OK)
        status = pm_cpu_pose(&by_reference, error);
    if (status == PM_OK)
        status = crowd->device->backend->pose(crowd, &by_device, error);
    if (status == PM_OK && memcmp(first, second, bytes) != 0)
        note_difference(crowd->device);
    free(first);
    return status;
}

pm_status pm_compare_poses(pm_device_crowd *crowd, const pm_pose_request *request,
                           pm_error *error) {
    const pm_piece first = pm_piece_at(request->instance_count, COMPARED_INSTANCES, 0);
    pm_pose_request piece = *request;
    pm_status status = PM_OK;
    piece.instance_count = first.count;
    piece.host_threads = 1;
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++)
        if (request->targets[o].memory)
            status = compare_poses_of(crowd, &piece, o, error);
    if (status == PM_OK)
        pm_poses_checked(crowd, request);
    return status;
}
