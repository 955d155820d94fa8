/* SPDX-License-Identifier: MIT
 *
 * OpenCL's error codes as statuses of the library.
 */
#include "device.h"

pm_status pm_cl_status(cl_int cl_status) {
    switch (cl_status) {
    case CL_OUT_OF_HOST_MEMORY:
        return PM_ERROR_MEMORY;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
        return PM_ERROR_DEVICE_MEMORY;
    default:
        return PM_ERROR_DEVICE;
    }
}
