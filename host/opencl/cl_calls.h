/* SPDX-License-Identifier: MIT
 *
 * Every OpenCL call that the library makes, with what a function of the same name needs to stand
 * in for it: loader.c defines them, and the tests wrap them. A test compares this table with the
 * sources. The build of the tests reads the names from here and passes --wrap=NAME to the linker
 * for each, so a row begins with its kind, a parenthesis and the name:
 *   STATUS   returns a cl_int           ENQUEUE  likewise, and may give an event
 *   CREATE   returns a new object       MAP      returns a pointer
 *   RETAIN   and RELEASE count objects
 */
#ifndef POSEMILL_OPENCL_CL_CALLS_H
#define POSEMILL_OPENCL_CL_CALLS_H

/* clang-format off */
#define PM_CL_CALLS(STATUS, ENQUEUE, CREATE, MAP, RETAIN, RELEASE)                                 \
    STATUS(clGetPlatformIDs, (cl_uint n, cl_platform_id *ids, cl_uint *count), (n, ids, count))    \
    STATUS(clGetPlatformInfo, (cl_platform_id id, cl_platform_info what, size_t size, void *value, \
        size_t *used), (id, what, size, value, used))                                              \
    STATUS(clGetDeviceIDs, (cl_platform_id id, cl_device_type type, cl_uint n, cl_device_id *ids,  \
        cl_uint *count), (id, type, n, ids, count))                                                \
    STATUS(clGetDeviceInfo, (cl_device_id id, cl_device_info what, size_t size, void *value,       \
        size_t *used), (id, what, size, value, used))                                              \
    STATUS(clGetContextInfo, (cl_context c, cl_context_info what, size_t size, void *value,        \
        size_t *used), (c, what, size, value, used))                                               \
    STATUS(clGetCommandQueueInfo, (cl_command_queue q, cl_command_queue_info what, size_t size,    \
        void *value, size_t *used), (q, what, size, value, used))                                  \
    STATUS(clGetMemObjectInfo, (cl_mem m, cl_mem_info what, size_t size, void *value,              \
        size_t *used), (m, what, size, value, used))                                               \
    STATUS(clGetProgramInfo, (cl_program p, cl_program_info what, size_t size, void *value,        \
        size_t *used), (p, what, size, value, used))                                               \
    STATUS(clGetProgramBuildInfo, (cl_program p, cl_device_id d, cl_program_build_info what,       \
        size_t size, void *value, size_t *used), (p, d, what, size, value, used))                  \
    STATUS(clGetKernelWorkGroupInfo, (cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, \
        size_t size, void *value, size_t *used), (k, d, what, size, value, used))                  \
    STATUS(clGetEventInfo, (cl_event e, cl_event_info what, size_t size, void *value,              \
        size_t *used), (e, what, size, value, used))                                               \
    STATUS(clGetEventProfilingInfo, (cl_event e, cl_profiling_info what, size_t size, void *value, \
        size_t *used), (e, what, size, value, used))                                               \
    STATUS(clBuildProgram, (cl_program p, cl_uint n, const cl_device_id *devices,                  \
        const char *options, void (CL_CALLBACK *notify)(cl_program, void *), void *user),          \
        (p, n, devices, options, notify, user))                                                    \
    STATUS(clSetKernelArg, (cl_kernel k, cl_uint index, size_t size, const void *value),           \
        (k, index, size, value))                                                                   \
    STATUS(clSetEventCallback, (cl_event e, cl_int when,                                           \
        void (CL_CALLBACK *notify)(cl_event, cl_int, void *), void *user), (e, when, notify, user)) \
    STATUS(clSetMemObjectDestructorCallback, (cl_mem m,                                            \
        void (CL_CALLBACK *notify)(cl_mem, void *), void *user), (m, notify, user))                \
    STATUS(clFlush, (cl_command_queue q), (q))                                                     \
    STATUS(clFinish, (cl_command_queue q), (q))                                                    \
    STATUS(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))                      \
    ENQUEUE(clEnqueueNDRangeKernel, (cl_command_queue q, cl_kernel k, cl_uint dimensions,          \
        const size_t *offset, const size_t *global, const size_t *local, cl_uint n,                \
        const cl_event *wait, cl_event *event),                                                    \
        (q, k, dimensions, offset, global, local, n, wait, event))                                 \
    ENQUEUE(clEnqueueNativeKernel, (cl_command_queue q, void (CL_CALLBACK *function)(void *),      \
        void *arguments, size_t size, cl_uint count, const cl_mem *memories,                       \
        const void **places, cl_uint n, const cl_event *wait, cl_event *event),                    \
        (q, function, arguments, size, count, memories, places, n, wait, event))                   \
    ENQUEUE(clEnqueueReadBuffer, (cl_command_queue q, cl_mem m, cl_bool block, size_t offset,      \
        size_t size, void *data, cl_uint n, const cl_event *wait, cl_event *event),                \
        (q, m, block, offset, size, data, n, wait, event))                                         \
    ENQUEUE(clEnqueueWriteBuffer, (cl_command_queue q, cl_mem m, cl_bool block, size_t offset,     \
        size_t size, const void *data, cl_uint n, const cl_event *wait, cl_event *event),          \
        (q, m, block, offset, size, data, n, wait, event))                                         \
    ENQUEUE(clEnqueueCopyBuffer, (cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset,  \
        size_t to_offset, size_t size, cl_uint n, const cl_event *wait, cl_event *event),          \
        (q, from, to, from_offset, to_offset, size, n, wait, event))                               \
    ENQUEUE(clEnqueueCopyBufferRect, (cl_command_queue q, cl_mem from, cl_mem to,                  \
        const size_t *from_origin, const size_t *to_origin, const size_t *region,                  \
        size_t from_row, size_t from_slice, size_t to_row, size_t to_slice, cl_uint n,             \
        const cl_event *wait, cl_event *event),                                                    \
        (q, from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice, n,   \
        wait, event))                                                                              \
    ENQUEUE(clEnqueueFillBuffer, (cl_command_queue q, cl_mem m, const void *pattern, size_t width, \
        size_t offset, size_t size, cl_uint n, const cl_event *wait, cl_event *event),             \
        (q, m, pattern, width, offset, size, n, wait, event))                                      \
    ENQUEUE(clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem m, void *pointer, cl_uint n,      \
        const cl_event *wait, cl_event *event), (q, m, pointer, n, wait, event))                   \
    ENQUEUE(clEnqueueMarkerWithWaitList, (cl_command_queue q, cl_uint n, const cl_event *wait,     \
        cl_event *event), (q, n, wait, event))                                                     \
    ENQUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue q, cl_uint n, const cl_event *wait,    \
        cl_event *event), (q, n, wait, event))                                                     \
    MAP(clEnqueueMapBuffer, (cl_command_queue q, cl_mem m, cl_bool block, cl_map_flags flags,      \
        size_t offset, size_t size, cl_uint n, const cl_event *wait, cl_event *event,              \
        cl_int *status), (q, m, block, flags, offset, size, n, wait, event, status))               \
    CREATE(cl_context, clCreateContext, (const cl_context_properties *properties, cl_uint n,       \
        const cl_device_id *devices,                                                               \
        void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,        \
        cl_int *status), (properties, n, devices, notify, user, status))                           \
    CREATE(cl_command_queue, clCreateCommandQueue, (cl_context c, cl_device_id d,                  \
        cl_command_queue_properties properties, cl_int *status), (c, d, properties, status))       \
    CREATE(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags flags, size_t size, void *data,     \
        cl_int *status), (c, flags, size, data, status))                                           \
    CREATE(cl_mem, clCreateSubBuffer, (cl_mem m, cl_mem_flags flags, cl_buffer_create_type type,   \
        const void *info, cl_int *status), (m, flags, type, info, status))                         \
    CREATE(cl_program, clCreateProgramWithSource, (cl_context c, cl_uint n, const char **texts,    \
        const size_t *sizes, cl_int *status), (c, n, texts, sizes, status))                        \
    CREATE(cl_program, clCreateProgramWithBinary, (cl_context c, cl_uint n,                        \
        const cl_device_id *devices, const size_t *sizes, const unsigned char **binaries,          \
        cl_int *each, cl_int *status), (c, n, devices, sizes, binaries, each, status))             \
    CREATE(cl_kernel, clCreateKernel, (cl_program p, const char *name, cl_int *status),            \
        (p, name, status))                                                                         \
    CREATE(cl_event, clCreateUserEvent, (cl_context c, cl_int *status), (c, status))               \
    RETAIN(clRetainDevice, cl_device_id)                                                           \
    RETAIN(clRetainContext, cl_context)                                                            \
    RETAIN(clRetainCommandQueue, cl_command_queue)                                                 \
    RETAIN(clRetainMemObject, cl_mem)                                                              \
    RETAIN(clRetainProgram, cl_program)                                                            \
    RETAIN(clRetainKernel, cl_kernel)                                                              \
    RETAIN(clRetainEvent, cl_event)                                                                \
    RELEASE(clReleaseDevice, cl_device_id)                                                         \
    RELEASE(clReleaseContext, cl_context)                                                          \
    RELEASE(clReleaseCommandQueue, cl_command_queue)                                               \
    RELEASE(clReleaseMemObject, cl_mem)                                                            \
    RELEASE(clReleaseProgram, cl_program)                                                          \
    RELEASE(clReleaseKernel, cl_kernel)                                                            \
    RELEASE(clReleaseEvent, cl_event)
/* clang-format on */

#endif
