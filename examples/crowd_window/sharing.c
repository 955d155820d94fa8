/* SPDX-License-Identifier: MIT
 *
 * The OpenGL context is EGL's, also in the window. Each platform is asked for the device that draws.
 */
#include "show.h"

#include <epoxy/egl.h>
#include <stdlib.h>
#include <string.h>

#include <posemill/posemill_cl.h>

#include <CL/cl_gl.h>

typedef cl_int(CL_API_CALL *context_info_function)(const cl_context_properties *,
                                                   cl_gl_context_info, size_t, void *, size_t *);
typedef cl_mem(CL_API_CALL *from_buffer_function)(cl_context, cl_mem_flags, cl_GLuint, cl_int *);
typedef cl_int(CL_API_CALL *objects_function)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
                                              const cl_event *, cl_event *);

struct sharing {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffer;
    from_buffer_function from_buffer;
    objects_function acquire, release;
    bool waits; /* cl_khr_gl_event: acquiring waits for OpenGL's commands */
};

enum { PLATFORMS_MAX = 16, DEVICES_MAX = 64 };

/* Extensions are separated by spaces. */
static bool has_extension(cl_device_id device, const char *name) {
    size_t size = 0;
    bool found = false;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS)
        return false;
    char *all = calloc(size + 1, 1);
    if (all && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, all, NULL) == CL_SUCCESS)
        for (const char *at = all; !found && (at = strstr(at, name)); at += strlen(name))
            found = (at == all || at[-1] == ' ') && strchr(" ", at[strlen(name)]);
    free(all);
    return found;
}

/* Stores an extension's function in `function`, a pointer to one: C has no cast from an object's
 * address. */
static bool load(cl_platform_id platform, const char *name, void *function) {
    void *address = clGetExtensionFunctionAddressForPlatform(platform, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* Whether a device of the platform shares buffers. Otherwise the loader may still have the functions, which
 * call what the driver lacks. */
static bool shares(cl_platform_id platform) {
    cl_device_id devices[DEVICES_MAX];
    cl_uint count = 0;
    bool found = false;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_MAX, devices, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < DEVICES_MAX; i++)
        found = found || has_extension(devices[i], "cl_khr_gl_sharing");
    return found;
}

/* On the platform's device that draws the current context, if there is one. */
static bool open_on(sharing *s, cl_platform_id platform) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform,
                                                CL_GL_CONTEXT_KHR,
                                                (cl_context_properties)eglGetCurrentContext(),
                                                CL_EGL_DISPLAY_KHR,
                                                (cl_context_properties)eglGetCurrentDisplay(),
                                                0};
    size_t size = 0;
    cl_int status = CL_SUCCESS;
    context_info_function ask;
    if (!shares(platform) || !load(platform, "clGetGLContextInfoKHR", &ask) ||
        !load(platform, "clCreateFromGLBuffer", &s->from_buffer) ||
        !load(platform, "clEnqueueAcquireGLObjects", &s->acquire) ||
        !load(platform, "clEnqueueReleaseGLObjects", &s->release) ||
        ask(properties, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof(cl_device_id), &s->device,
            &size) != CL_SUCCESS ||
        size < sizeof(cl_device_id) || !has_extension(s->device, "cl_khr_gl_sharing"))
        return false;
    s->waits = has_extension(s->device, "cl_khr_gl_event");
    s->context = clCreateContext(properties, 1, &s->device, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        return false;
    s->queue = clCreateCommandQueue(s->context, s->device, 0, &status);
    if (status != CL_SUCCESS)
        clReleaseContext(s->context);
    return status == CL_SUCCESS;
}

sharing *sharing_open(void) {
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count = 0;
    sharing *s = zeros(1, sizeof *s);
    if (clGetPlatformIDs(PLATFORMS_MAX, platforms, &count) == CL_SUCCESS)
        for (cl_uint i = 0; i < count && i < PLATFORMS_MAX; i++)
            if (open_on(s, platforms[i]))
                return s;
    free(s);
    return NULL;
}

void sharing_close(sharing **s) {
    if (*s) {
        sharing_drop(*s);
        clReleaseCommandQueue((*s)->queue);
        clReleaseContext((*s)->context);
    }
    free(*s);
    *s = NULL;
}

pm_engine *sharing_engine(sharing *s) {
    pm_engine *engine = NULL;
    pm_error error = {0};
    must(pm_cl_engine_create(s->context, s->device, NULL, &engine, &error), &error);
    return engine;
}

static void check(cl_int code, const char *call) {
    if (code != CL_SUCCESS)
        die(EXIT_FAILED, "%s: OpenCL error %d", call, (int)code);
}

void sharing_drop(sharing *s) {
    if (s->buffer)
        clReleaseMemObject(s->buffer);
    s->buffer = NULL;
}

void sharing_take(sharing *s, unsigned name) {
    cl_int code = CL_SUCCESS;
    sharing_drop(s);
    glFinish(); /* the store exists before OpenCL looks at it */
    s->buffer = s->from_buffer(s->context, CL_MEM_READ_WRITE, name, &code);
    check(code, "clCreateFromGLBuffer");
}

void sharing_pose(sharing *s, const scene *shown) {
    const pm_crowd_job from = scene_job(shown);
    const pm_cl_crowd_target target = {.output = PM_CROWD_PALETTE, .buffer = s->buffer};
    const pm_cl_crowd_job job = {.instances = from.instances,
                                 .instance_count = from.instance_count,
                                 .frame = from.frame,
                                 .outputs = &target,
                                 .output_count = 1};
    pm_error error = {0};
    if (!s->waits)
        glFinish();
    check(s->acquire(s->queue, 1, &s->buffer, 0, NULL, NULL), "clEnqueueAcquireGLObjects");
    must(pm_cl_crowd_pose(shown->crowd, &job, s->queue, 0, NULL, NULL, &error), &error);
    check(s->release(s->queue, 1, &s->buffer, 0, NULL, NULL), "clEnqueueReleaseGLObjects");
    check(clFinish(s->queue), "clFinish");
}
