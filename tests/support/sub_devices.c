/* SPDX-License-Identifier: MIT
 *
 * Sub-devices, and contexts for them.
 */
#include "sub_devices.h"

#include "check.h"

/* Rusticl of Mesa 22.3 crashes when sub-devices are requested although it reports that it supports
 * none. */
static bool divide(cl_device_id device, sub_devices *s) {
    cl_uint max = 0, made = 0;
    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    return clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof max, &max, NULL) ==
               CL_SUCCESS &&
           max >= SUB_DEVICES &&
           clCreateSubDevices(device, counts, SUB_DEVICES, s->devices, &made) == CL_SUCCESS &&
           made == SUB_DEVICES;
}

static cl_context context_of(const cl_device_id *devices, cl_uint count) {
    cl_int status = CL_SUCCESS;
    cl_context context = clCreateContext(NULL, count, devices, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    return context;
}

bool sub_devices_open(const pm_engine *engine, sub_devices *s) {
    pm_device_info info;
    pm_engine_get_info(engine, &info);
    *s = (sub_devices){0};
    if (!divide(pm_cl_device(engine), s)) {
        print_message("not tested: %s (%s) has no sub-devices\n", info.name, info.platform);
        return false;
    }
    s->shared = context_of(s->devices, SUB_DEVICES);
    for (size_t i = 0; i < SUB_DEVICES; i++)
        s->targets[i] =
            (pm_cl_target){.context = context_of(&s->devices[i], 1), .device = s->devices[i]};
    return true;
}

void sub_devices_close(sub_devices *s) {
    if (!s->shared)
        return;
    for (size_t i = 0; i < SUB_DEVICES; i++) {
        clReleaseContext(s->targets[i].context);
        clReleaseDevice(s->devices[i]);
    }
    clReleaseContext(s->shared);
    *s = (sub_devices){0};
}
