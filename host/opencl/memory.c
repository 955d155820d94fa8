/* SPDX-License-Identifier: MIT
 *
 * Buffers on the device: creates, checks and releases them. OpenCL's error codes as statuses.
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

pm_status pm_cl_buffer(pm_opencl_device *cl, cl_mem_flags flags, const void *data, size_t size,
                       cl_mem *buffer, pm_error *error) {
    cl_int code;
    *buffer = NULL;
    pm_status status =
        pm_check_allocation(cl->device.info.max_allocation_bytes, "buffer", size, error);
    if (status != PM_OK)
        return status;
    if (data && !(flags & CL_MEM_USE_HOST_PTR))
        flags |= CL_MEM_COPY_HOST_PTR; /* reads `data` only, so that the cast below is safe */
    *buffer = clCreateBuffer(cl->context, flags, size, (void *)(uintptr_t)data, &code);
    if (code == CL_SUCCESS)
        return PM_OK;
    *buffer = NULL;
    if (code == CL_OUT_OF_RESOURCES)
        return pm_cl_fail_as(error, PM_ERROR_DEVICE_MEMORY, code, "clCreateBuffer");
    return pm_cl_fail(error, code, "clCreateBuffer");
}

pm_status pm_cl_upload(pm_opencl_device *cl, const char *of, const pm_source *from, cl_mem *buffer,
                       pm_error *error) {
    const size_t size = from->room ? from->room : from->bytes;
    pm_status status = pm_check_allocation(cl->device.info.max_allocation_bytes, of, size, error);
    if (status != PM_OK)
        return status;
    if (size == from->bytes)
        return pm_cl_buffer(cl, CL_MEM_READ_ONLY, from->data, size, buffer, error);
    status = pm_cl_buffer(cl, CL_MEM_READ_ONLY, NULL, size, buffer, error);
    if (status == PM_OK)
        status = pm_cl_upload_from(cl, from, 0, *buffer, error);
    if (status != PM_OK) {
        pm_cl_release(*buffer);
        *buffer = NULL;
    }
    return status;
}

/* Waits for a command, and releases its event. */
static pm_status wait_for(cl_event command, pm_error *error) {
    const cl_int code = clWaitForEvents(1, &command);
    clReleaseEvent(command);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clWaitForEvents");
}

/* A write that blocks may return before it is done: then the memory can be used again, also where waiting fails, but
 * other queues do not see the data yet, as with Intel's runtime. */
pm_status pm_cl_upload_from(pm_opencl_device *cl, const pm_source *from, size_t begin,
                            cl_mem buffer, pm_error *error) {
    const size_t bytes = from->bytes - begin;
    if (bytes == 0)
        return PM_OK;
    cl_event written = NULL;
    const cl_int code = clEnqueueWriteBuffer(cl->transfers, buffer, CL_TRUE, begin, bytes,
                                             (const char *)from->data + begin, 0, NULL, &written);
    return code == CL_SUCCESS ? wait_for(written, error)
                              : pm_cl_fail(error, code, "clEnqueueWriteBuffer");
}

/* The host address of `offset` in a buffer with CL_MEM_USE_HOST_PTR, into which kernels may store
 * directly; else `offset` itself. */
static cl_int address_of(cl_mem buffer, size_t offset, uintptr_t *address) {
    cl_mem_flags flags = 0;
    void *memory = NULL;
    cl_int code = clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (code == CL_SUCCESS && flags & CL_MEM_USE_HOST_PTR)
        code = clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof memory, &memory, NULL);
    *address = (uintptr_t)memory + offset;
    return code;
}

pm_status pm_cl_check_address(const pm_device *device, const char *name, const pm_address *at,
                              size_t alignment, size_t bytes, pm_error *error) {
    cl_mem buffer = at->handle;
    const size_t offset = at->offset;
    size_t size = 0;
    cl_context context = NULL;
    uintptr_t address = 0;
    pm_status status = pm_check_multiple(name, "offset", offset, alignment, error);
    if (status != PM_OK)
        return status;
    cl_int code = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = address_of(buffer, offset, &address);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetMemObjectInfo");
    if (context != pm_opencl_of(device)->context)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: the buffer belongs to another context", name);
    if (offset > size || size - offset < bytes)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: the buffer has %zu bytes, expected %zu from its offset %zu on", name,
                       size, bytes, offset);
    return pm_check_multiple(name, "address in host memory", address, alignment, error);
}

void pm_cl_release(cl_mem buffer) {
    if (buffer)
        clReleaseMemObject(buffer);
}

void pm_cl_release_event(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

void pm_cl_let_event(void **event) {
    cl_event own = *event;
    pm_cl_release_event(&own);
    *event = NULL;
}

pm_status pm_cl_unmap(cl_command_queue queue, cl_mem buffer, void *mapped, pm_error *error) {
    cl_event unmapped = NULL;
    const cl_int code = clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, &unmapped);
    return code == CL_SUCCESS ? wait_for(unmapped, error)
                              : pm_cl_fail(error, code, "clEnqueueUnmapMemObject");
}
