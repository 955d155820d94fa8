/* SPDX-License-Identifier: MIT
 *
 * Sub-groups of Intel's GPUs: the work-items that a hardware thread computes at a time. Its compiler
 * chooses 8, 16 or 32, and takes a size that a kernel requires. The choice of Debian 12's compiler
 * is not always the best: see docs/gpu-compilers.md.
 */
#include "device.h"

#include <stdlib.h>
#include <string.h>

/* From cl_intel_required_subgroup_size; older headers do not define them. */
#ifndef CL_DEVICE_SUB_GROUP_SIZES_INTEL
#define CL_DEVICE_SUB_GROUP_SIZES_INTEL 0x4108
#endif
#ifndef CL_KERNEL_SPILL_MEM_SIZE_INTEL
#define CL_KERNEL_SPILL_MEM_SIZE_INTEL 0x4109
#endif

static bool takes_sizes(cl_device_id device) {
    static const char name[] = "cl_intel_required_subgroup_size";
    size_t size = 0;
    bool found = false;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS || size == 0)
        return false;
    char *text = calloc(size + 1, 1);
    if (text && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, NULL) == CL_SUCCESS)
        for (const char *at = text; !found && (at = strstr(at, name)); at += strlen(name))
            found = (at == text || at[-1] == ' ') && strchr(" ", at[strlen(name)]);
    free(text);
    return found;
}

/* CPUs are left out: their compilers take lanes of a vector for sub-groups. */
bool pm_cl_takes_sub_groups(cl_device_id device, pm_device_type type) {
    size_t sizes[16] = {0};
    if (type == PM_DEVICE_CPU || !takes_sizes(device) ||
        clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, NULL) !=
            CL_SUCCESS)
        return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] == PM_CL_SUB_GROUP)
            return true;
    return false;
}

bool pm_cl_prefers_sub_groups(const pm_variant *variant) {
    return variant->vector_curve != NULL;
}

static uint64_t number_of(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what) {
    cl_ulong bytes = 0;
    return clGetKernelWorkGroupInfo(kernel, device, what, sizeof bytes, &bytes, NULL) == CL_SUCCESS
               ? bytes
               : 0;
}

uint64_t pm_cl_spilled_bytes(cl_program program, const char *kernel_name, cl_device_id device) {
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, kernel_name, &code);
    if (code != CL_SUCCESS)
        return 0;
    const uint64_t bytes = number_of(kernel, device, CL_KERNEL_SPILL_MEM_SIZE_INTEL) +
                           number_of(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE);
    clReleaseKernel(kernel);
    return bytes;
}
