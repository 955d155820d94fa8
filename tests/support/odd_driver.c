/* SPDX-License-Identifier: MIT
 *
 * Odd answers of a driver: the linker puts these functions between the library and OpenCL.
 */
#include "odd_driver.h"
#include "wrapped.h"

#include <pthread.h>
#include <string.h>

enum { MAX_ANSWERS = 24, MAX_BYTES = 512, MAX_KERNELS = 64, MAX_ARGUMENTS = 32 };

typedef struct answer {
    cl_device_info what;
    size_t size;
    unsigned char bytes[MAX_BYTES];
} answer;

static struct {
    answer answers[MAX_ANSWERS];
    size_t count;
    const char *refused_option;
    cl_int refusal;
    odd_counts counts;
    struct {
        cl_kernel kernel;
        size_t sizes[MAX_ARGUMENTS];
    } kernels[MAX_KERNELS];
    size_t kernel_at;
} odd;

/* The library calls from its builder too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static answer *find(cl_device_info what) {
    for (size_t i = 0; i < odd.count; i++)
        if (odd.answers[i].what == what)
            return &odd.answers[i];
    return NULL;
}

void odd_answer(cl_device_info what, const void *value, size_t size) {
    answer *a = find(what);
    if (!a)
        a = &odd.answers[odd.count++];
    a->what = what;
    a->size = size;
    memcpy(a->bytes, value, size);
}

void odd_number(cl_device_info what, size_t size, cl_ulong value) {
    odd_answer(what, &value, size); /* the machine stores the lowest byte first */
}

void odd_refuse_option(const char *text, cl_int code) {
    odd.refused_option = text;
    odd.refusal = code;
}

void odd_reset(void) {
    memset(&odd, 0, sizeof odd);
}

odd_counts odd_counted(void) {
    pthread_mutex_lock(&lock);
    const odd_counts counts = odd.counts;
    pthread_mutex_unlock(&lock);
    return counts;
}

/* The number in an answer, or a number that limits nothing. */
static cl_ulong limit_of(cl_device_info what) {
    const answer *a = find(what);
    cl_ulong value = 0;
    if (!a)
        return (cl_ulong)-1;
    memcpy(&value, a->bytes, a->size < sizeof value ? a->size : sizeof value);
    return value;
}

static cl_int refuse(cl_int code) {
    pthread_mutex_lock(&lock);
    odd.counts.refusals++;
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- queries ------------------------------------------------------------------------------- */

/* Answers a query as OpenCL does. */
static cl_int give(const answer *a, size_t size, void *value, size_t *used) {
    if (value && size < a->size)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, a->bytes, a->size);
    if (used)
        *used = a->size;
    return CL_SUCCESS;
}

WRAPPED(cl_int, clGetDeviceInfo, cl_device_id id, cl_device_info what, size_t size, void *value,
        size_t *used) {
    const answer *a = find(what);
    if (!a)
        return __real_clGetDeviceInfo(id, what, size, value, used);
    return give(a, size, value, used);
}

WRAPPED(cl_int, clGetKernelWorkGroupInfo, cl_kernel k, cl_device_id d,
        cl_kernel_work_group_info what, size_t size, void *value, size_t *used) {
    const answer *a = find((cl_device_info)what);
    if (!a && what == CL_KERNEL_WORK_GROUP_SIZE)
        a = find(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (!a)
        return __real_clGetKernelWorkGroupInfo(k, d, what, size, value, used);
    return give(a, size, value, used);
}

WRAPPED(cl_int, clFinish, cl_command_queue queue) {
    pthread_mutex_lock(&lock);
    odd.counts.finishes++;
    pthread_mutex_unlock(&lock);
    return __real_clFinish(queue);
}

/* ---- objects ------------------------------------------------------------------------------- */

WRAPPED(cl_command_queue, clCreateCommandQueue, cl_context c, cl_device_id d,
        cl_command_queue_properties properties, cl_int *status) {
    if (properties & ~limit_of(CL_DEVICE_QUEUE_PROPERTIES)) {
        *status = refuse(CL_INVALID_QUEUE_PROPERTIES);
        return NULL;
    }
    return __real_clCreateCommandQueue(c, d, properties, status);
}

WRAPPED(cl_mem, clCreateBuffer, cl_context c, cl_mem_flags flags, size_t size, void *data,
        cl_int *status) {
    if (size > limit_of(CL_DEVICE_MAX_MEM_ALLOC_SIZE)) {
        *status = refuse(CL_INVALID_BUFFER_SIZE);
        return NULL;
    }
    return __real_clCreateBuffer(c, flags, size, data, status);
}

/* ---- programs ------------------------------------------------------------------------------ */

WRAPPED(cl_int, clBuildProgram, cl_program program, cl_uint count, const cl_device_id *devices,
        const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    const bool rounds = strstr(options, "-cl-fp32-correctly-rounded-divide-sqrt") != NULL;
    pthread_mutex_lock(&lock);
    if (rounds)
        odd.counts.builds_with++;
    else
        odd.counts.builds_without++;
    pthread_mutex_unlock(&lock);
    if (odd.refused_option && strstr(options, odd.refused_option))
        return refuse(odd.refusal);
    return __real_clBuildProgram(program, count, devices, options, notify, user);
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* The bytes of all arguments of a kernel that were set so far. The caller holds the lock. */
static size_t count_argument(cl_kernel kernel, cl_uint index, size_t size) {
    size_t k = 0, all = 0;
    while (k < MAX_KERNELS && odd.kernels[k].kernel != kernel)
        k++;
    if (k == MAX_KERNELS || index == 0) { /* a new kernel may have the address of an old one */
        if (k == MAX_KERNELS)
            k = odd.kernel_at++ % MAX_KERNELS;
        memset(&odd.kernels[k], 0, sizeof odd.kernels[k]);
        odd.kernels[k].kernel = kernel;
    }
    odd.kernels[k].sizes[index] = size;
    for (size_t i = 0; i < MAX_ARGUMENTS; i++)
        all += odd.kernels[k].sizes[i];
    return all;
}

WRAPPED(cl_int, clSetKernelArg, cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    if (!value && size > limit_of(CL_DEVICE_LOCAL_MEM_SIZE))
        return refuse(CL_OUT_OF_RESOURCES);
    pthread_mutex_lock(&lock);
    const size_t all = value && index < MAX_ARGUMENTS ? count_argument(kernel, index, size) : 0;
    if (all > odd.counts.largest_arguments)
        odd.counts.largest_arguments = all;
    pthread_mutex_unlock(&lock);
    if (all > limit_of(CL_DEVICE_MAX_PARAMETER_SIZE))
        return refuse(CL_OUT_OF_RESOURCES);
    return __real_clSetKernelArg(kernel, index, size, value);
}

WRAPPED(cl_int, clEnqueueNDRangeKernel, cl_command_queue q, cl_kernel k, cl_uint dimensions,
        const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
        const cl_event *wait, cl_event *event) {
    size_t group = 1;
    for (cl_uint i = 0; local && i < dimensions; i++)
        group *= local[i];
    pthread_mutex_lock(&lock);
    odd.counts.launches++;
    if (group > odd.counts.largest_group)
        odd.counts.largest_group = group;
    pthread_mutex_unlock(&lock);
    if (group > limit_of(CL_DEVICE_MAX_WORK_GROUP_SIZE) ||
        group > limit_of((cl_device_info)CL_KERNEL_WORK_GROUP_SIZE))
        return refuse(CL_INVALID_WORK_GROUP_SIZE);
    if (local && local[0] > limit_of(CL_DEVICE_MAX_WORK_ITEM_SIZES))
        return refuse(CL_INVALID_WORK_ITEM_SIZE);
    return __real_clEnqueueNDRangeKernel(q, k, dimensions, offset, global, local, n, wait, event);
}
