/* SPDX-License-Identifier: MIT
 *
 * The table of drivers with quirks, and workarounds.
 */
#include "quirks.h"

#include <string.h>

static const struct {
    const char *platform; /* part of the platform's name */
    pm_quirks quirks;
} drivers[] = {
    {"rusticl", {.one_lane = true, .fma_forgets_zero = true, .slow_compiler = true}},
    {"Oclgrind", {.one_lane = true, .no_optimiser = true, .no_forced_inlining = true}},
};

pm_quirks pm_cl_quirks(const pm_device_info *info) {
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (strstr(info->platform, drivers[i].platform))
            return drivers[i].quirks;
    return (pm_quirks){.one_lane = false};
}

size_t pm_cl_group_size(size_t items, size_t max) {
    size_t group = 8;
    while (group < max && group < items)
        group *= 2;
    return group < max ? group : max;
}

static size_t index_of(cl_device_id device, const cl_device_id *devices, size_t count) {
    size_t i = 0;
    while (i < count && devices[i] != device)
        i++;
    return i;
}

cl_int pm_cl_find_listed(cl_device_id device, const cl_device_id *devices, size_t count,
                         size_t *index) {
    *index = count;
    while (device && (*index = index_of(device, devices, count)) == count) {
        cl_device_id parent = NULL;
        cl_int code =
            clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id), &parent, NULL);
        if (code != CL_SUCCESS)
            return code;
        device = parent;
    }
    return CL_SUCCESS;
}

size_t pm_cl_find_binary(const size_t *sizes, size_t count, size_t device) {
    if (device < count && sizes[device] > 0)
        return device;
    size_t filled = count, others = 0;
    for (size_t i = 0; i < count; i++)
        if (sizes[i] > 0) {
            others += filled < count;
            filled = i;
        }
    return others ? count : filled;
}
