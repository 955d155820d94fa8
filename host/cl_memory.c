/* SPDX-License-Identifier: MIT
 *
 * Buffers on the device, made and released. What is in them is their owners' affair.
 */
#include "cl.h"

pm_status pm_cl_buffer(const pm_engine *engine, cl_mem_flags flags, const void *data, size_t size,
                       cl_mem *buffer, pm_error *error) {
    cl_int code;
    if (data && !(flags & CL_MEM_USE_HOST_PTR))
        flags |= CL_MEM_COPY_HOST_PTR; /* which only reads it */
    *buffer = clCreateBuffer(engine->cl->context, flags, size, (void *)(uintptr_t)data, &code);
    if (code == CL_SUCCESS)
        return PM_OK;
    *buffer = NULL;
    return pm_cl_fail(error, code, "clCreateBuffer");
}

void pm_cl_release(cl_mem buffer) {
    if (buffer)
        clReleaseMemObject(buffer);
}
