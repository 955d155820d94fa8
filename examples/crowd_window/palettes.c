/* SPDX-License-Identifier: MIT
 *
 * One buffer: OpenGL orders a copy after the commands that read the buffer, and OpenCL waits for
 * OpenGL when it acquires it. A record that a level of detail does not update keeps its contents.
 * The OpenGL context is EGL's, also in the window: each platform of OpenCL is asked for its device.
 */
#include "show.h"

#include <epoxy/egl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posemill/posemill_cl.h>

#include <CL/cl_gl.h>

/* ---- shared with OpenCL ------------------------------------------------------------------------- */

typedef struct sharing {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffer;
    bool waits; /* cl_khr_gl_event: acquiring waits for OpenGL's commands */
} sharing;

enum { PLATFORMS_MAX = 16, DEVICES_MAX = 64 };

/* No other name of an extension continues those that are asked for. */
static bool has_extension(cl_device_id device, const char *name) {
    size_t size = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS)
        return false;
    char *all = zeros(size + 1, 1);
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, all, NULL);
    const bool found = strstr(all, name) != NULL;
    free(all);
    return found;
}

/* Whether a device of the platform shares buffers. Otherwise the loader's functions call what the driver
 * lacks. */
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
    clGetGLContextInfoKHR_fn ask =
        NULL; /* C has no cast from an object's address to a function's */
    void *address = clGetExtensionFunctionAddressForPlatform(platform, "clGetGLContextInfoKHR");
    memcpy(&ask, &address, sizeof address);
    if (!shares(platform) || !ask ||
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

/* NULL where no driver can share the buffers of the context that is current. */
static sharing *sharing_open(void) {
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

static void check(cl_int code, const char *call) {
    if (code != CL_SUCCESS)
        die(EXIT_FAILED, "%s: OpenCL error %d", call, (int)code);
}

/* Returns when OpenGL may use the buffer. */
static void sharing_pose(sharing *s, const scene *shown) {
    const pm_crowd_job from = scene_job(shown);
    const pm_cl_crowd_target target = {.output = PM_CROWD_PALETTE, .buffer = s->buffer};
    const pm_cl_crowd_job job = {.instances = from.instances,
                                 .instance_count = from.instance_count,
                                 .frame = from.frame,
                                 .outputs = &target,
                                 .output_count = 1,
                                 .chains = from.chains,
                                 .chain_count = from.chain_count,
                                 .goals = {.memory = from.goals},
                                 .ground = from.ground,
                                 .heights = {.memory = from.heights},
                                 .transitions = {.memory = from.transitions},
                                 .transition_time = from.transition_time,
                                 .placements = {.memory = from.placements}};
    pm_error error = {0};
    if (!s->waits)
        glFinish();
    check(clEnqueueAcquireGLObjects(s->queue, 1, &s->buffer, 0, NULL, NULL),
          "clEnqueueAcquireGLObjects");
    must(pm_cl_crowd_pose(shown->crowd, &job, s->queue, 0, NULL, NULL, &error), &error);
    check(clEnqueueReleaseGLObjects(s->queue, 1, &s->buffer, 0, NULL, NULL),
          "clEnqueueReleaseGLObjects");
    check(clFinish(s->queue), "clFinish");
}

/* ---- palettes ----------------------------------------------------------------------------------- */

void palettes_open(palettes *p, const char *device) {
    pm_error error = {0};
    *p = (palettes){.sharing = device ? NULL : sharing_open()};
    must(p->sharing ? pm_cl_engine_create(p->sharing->context, p->sharing->device, NULL, &p->engine,
                                          &error)
                    : pm_engine_create(&(pm_engine_desc){.device = device}, &p->engine, &error),
         &error);
}

static void drop_buffer(palettes *p) {
    if (p->sharing && p->sharing->buffer)
        clReleaseMemObject(p->sharing->buffer);
    glDeleteBuffers(1, &p->buffer);
    free(p->host);
}

/* OpenCL's objects that share OpenGL's go before them. The crowd of the scene has been destroyed. */
void palettes_close(palettes *p) {
    drop_buffer(p);
    pm_engine_destroy(&p->engine);
    if (p->sharing) {
        clReleaseCommandQueue(p->sharing->queue);
        clReleaseContext(p->sharing->context);
    }
    free(p->sharing);
    *p = (palettes){0};
}

size_t palettes_most_bytes(void) {
    GLint64 most = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    return most > 0 ? (size_t)most : 0;
}

static void make_buffer(palettes *p, size_t bytes) {
    if (bytes > palettes_most_bytes())
        die(EXIT_FAILED, "palettes have %zu bytes; OpenGL allows %zu", bytes,
            palettes_most_bytes());
    drop_buffer(p);
    p->bytes = bytes;
    glGenBuffers(1, &p->buffer);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
    gl_check("the buffer of palettes");
    if (p->sharing) {
        cl_int code = CL_SUCCESS;
        glFinish(); /* the store exists before OpenCL looks at it */
        p->sharing->buffer =
            clCreateFromGLBuffer(p->sharing->context, CL_MEM_READ_WRITE, p->buffer, &code);
        check(code, "clCreateFromGLBuffer");
    } else {
        p->host = zeros(bytes, 1);
    }
}

static void pose_into(const scene *s, void *records, bool on_reference) {
    const pm_crowd_target target = {.output = PM_CROWD_PALETTE, .memory = records};
    pm_crowd_job job = scene_job(s);
    pm_error error = {0};
    job.outputs = &target;
    job.output_count = 1;
    job.on_reference = on_reference;
    must(pm_crowd_pose(s->crowd, &job, &error), &error);
}

void palettes_pose(palettes *p, const scene *s) {
    if (p->bytes != scene_bytes(s))
        make_buffer(p, scene_bytes(s));
    if (p->sharing) {
        sharing_pose(p->sharing, s);
        return;
    }
    pose_into(s, p->host, false);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffer);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)p->bytes, p->host);
}

palettes_difference palettes_compare(const palettes *p, const scene *s) {
    const size_t numbers = p->bytes / sizeof(float);
    float *plain = zeros(numbers, sizeof *plain), *drawn = zeros(numbers, sizeof *drawn);
    palettes_difference d = {.bits = 32 * (uint64_t)numbers};
    pose_into(s, plain, true);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffer);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)p->bytes, drawn);
    for (size_t i = 0; i < numbers; i++) {
        uint32_t a, b;
        memcpy(&a, plain + i, sizeof a);
        memcpy(&b, drawn + i, sizeof b);
        for (a ^= b; a; a &= a - 1)
            d.differ++;
        const double error = fabs((double)plain[i] - (double)drawn[i]);
        d.largest = fmax(d.largest, i % 4 == 3 ? error / s->height : error);
        if (isnan(error))
            d.largest = HUGE_VAL;
    }
    free(plain);
    free(drawn);
    return d;
}
