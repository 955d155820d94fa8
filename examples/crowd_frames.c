/* SPDX-License-Identifier: MIT
 *
 * A frame loop that never waits for the device: poses are written alternately into two buffers,
 * kernels of this program read them there, and only events synchronise the queues. A small result
 * is read by the host at the end and compared with poses computed by plain C.
 *
 *     crowd_frames [-n AGENTS] [-f FRAMES] [-d DEVICE]
 *
 * Two in-order queues, frame n in buffer n % 2:
 *
 *     poses   pose n         pose n+1        pose n+2
 *     reads          moved n | bounds n   moved n+1 | bounds n+1
 *
 * `moved` computes motion vectors from the buffers of this frame and of the one before. pose n+1
 * overwrites the latter, so it starts after moved n. `bounds` reads only the buffer of its frame,
 * and runs concurrently with pose n+1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posemill/posemill_cl.h>
#include <posemill/posemill_crowd.h>

#include "crowd/body.h"

enum { POINTS = 2 * BODY_JOINTS, PALETTE_FLOATS = 12 * BODY_JOINTS };

/* Kernels of this program: one work-item per agent; a palette is rows of float4. */
static const char source[] =
    "float3 skinned(global const float4 *palette, float4 point) {\n"
    "    global const float4 *row = palette + 3 * (int)point.w;\n"
    "    float4 at = (float4)(point.xyz, 1.0f);\n"
    "    return (float3)(dot(row[0], at), dot(row[1], at), dot(row[2], at));\n"
    "}\n"
    "kernel void bounds(global const float4 *palettes, constant float4 *points, int count,\n"
    "                   int joints, global float4 *boxes) {\n"
    "    size_t agent = get_global_id(0);\n"
    "    float3 low = (float3)(INFINITY), high = (float3)(-INFINITY);\n"
    "    for (int i = 0; i < count; i++) {\n"
    "        float3 p = skinned(palettes + agent * 3 * joints, points[i]);\n"
    "        low = fmin(low, p);\n"
    "        high = fmax(high, p);\n"
    "    }\n"
    "    boxes[2 * agent] = (float4)(low, 0.0f);\n"
    "    boxes[2 * agent + 1] = (float4)(high, 0.0f);\n"
    "}\n"
    "kernel void moved(global const float4 *now, global const float4 *before,\n"
    "                  constant float4 *points, int count, int joints, global float *farthest) {\n"
    "    size_t agent = get_global_id(0);\n"
    "    float max_distance = 0.0f;\n"
    "    for (int i = 0; i < count; i++)\n"
    "        max_distance = fmax(max_distance,\n"
    "                            distance(skinned(now + agent * 3 * joints, points[i]),\n"
    "                                     skinned(before + agent * 3 * joints, points[i])));\n"
    "    farthest[agent] = max_distance;\n"
    "}\n";

typedef struct options {
    size_t agents, frames;
    const char *device;
    bool help;
} options;

/* Objects used by the loop, created before it starts. */
typedef struct loop {
    body body;
    size_t agents;
    float points[POINTS][4]; /* a mesh of two points per joint; w: index of the joint */
    pm_crowd_instance *instances;
    cl_command_queue poses, reads;
    cl_program program;
    cl_kernel bounds, moved;
    cl_mem palettes[2], points_there, boxes, farthest;
    cl_event posed[2], compared; /* last event of each kind; NULL: none yet */
} loop;

static bool good(cl_int status, const char *what) {
    if (status != CL_SUCCESS)
        fprintf(stderr, "crowd_frames: %s: OpenCL error %d\n", what, (int)status);
    return status == CL_SUCCESS;
}

static void forget(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

/* ---- before the loop ------------------------------------------------------------------ */

/* Two points near each joint of the rest pose, which is the pose of an instance without a clip. */
static bool make_points(loop *l, pm_error *error) {
    float rest[PALETTE_FLOATS];
    const pm_crowd_instance nothing = {.clip_a = UINT32_MAX};
    if (pm_crowd_pose_one(l->body.crowd, &nothing, PM_CROWD_MODEL, rest, error) != PM_OK)
        return false;
    for (int i = 0; i < POINTS; i++) {
        const float *m = rest + 12 * (i / 2);
        const float point[4] = {m[3] + (i % 2 ? 0.05f : -0.05f), m[7], m[11] + 0.03f,
                                (float)(i / 2)};
        memcpy(l->points[i], point, sizeof point);
    }
    return true;
}

static bool open_crowd(loop *l, const options *o, pm_error *error) {
    body_description d;
    body_describe(&d, PM_METHOD_SQUAD);
    l->agents = o->agents;
    return body_open(&l->body, &d, o->device, error) == PM_OK && make_points(l, error);
}

static cl_mem new_buffer(const loop *l, cl_mem_flags flags, size_t size, void *from,
                         cl_int *status) {
    return *status == CL_SUCCESS
               ? clCreateBuffer(pm_cl_context(l->body.engine), flags, size, from, status)
               : NULL;
}

static bool open_buffers(loop *l) {
    cl_int status = CL_SUCCESS;
    const size_t bytes = l->agents * PALETTE_FLOATS * sizeof(float);
    for (int i = 0; i < 2; i++)
        l->palettes[i] = new_buffer(l, CL_MEM_READ_WRITE, bytes, NULL, &status);
    l->instances = calloc(l->agents, sizeof *l->instances);
    if (!l->instances)
        status = CL_OUT_OF_HOST_MEMORY;
    l->points_there = new_buffer(l, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof l->points,
                                 l->points, &status);
    l->boxes = new_buffer(l, CL_MEM_READ_WRITE, l->agents * 8 * sizeof(float), NULL, &status);
    l->farthest = new_buffer(l, CL_MEM_READ_WRITE, l->agents * sizeof(float), NULL, &status);
    return good(status, "buffers");
}

static bool open_kernels(loop *l) {
    const char *text = source;
    cl_int status = CL_SUCCESS;
    l->program = clCreateProgramWithSource(pm_cl_context(l->body.engine), 1, &text, NULL, &status);
    if (status == CL_SUCCESS)
        status = clBuildProgram(l->program, 0, NULL, "", NULL, NULL);
    if (status == CL_SUCCESS)
        l->bounds = clCreateKernel(l->program, "bounds", &status);
    if (status == CL_SUCCESS)
        l->moved = clCreateKernel(l->program, "moved", &status);
    return good(status, "kernels");
}

static bool open_queues(loop *l) {
    cl_int status = CL_SUCCESS;
    cl_context context = pm_cl_context(l->body.engine);
    l->poses = clCreateCommandQueue(context, pm_cl_device(l->body.engine), 0, &status);
    if (status == CL_SUCCESS)
        l->reads = clCreateCommandQueue(context, pm_cl_device(l->body.engine), 0, &status);
    return good(status, "queues");
}

static void close_loop(loop *l) {
    for (int i = 0; i < 2; i++) {
        forget(&l->posed[i]);
        if (l->palettes[i])
            clReleaseMemObject(l->palettes[i]);
    }
    free(l->instances);
    forget(&l->compared);
    cl_mem others[3] = {l->points_there, l->boxes, l->farthest};
    for (int i = 0; i < 3; i++)
        if (others[i])
            clReleaseMemObject(others[i]);
    if (l->bounds)
        clReleaseKernel(l->bounds);
    if (l->moved)
        clReleaseKernel(l->moved);
    if (l->program)
        clReleaseProgram(l->program);
    if (l->poses)
        clReleaseCommandQueue(l->poses);
    if (l->reads)
        clReleaseCommandQueue(l->reads);
    body_close(&l->body);
}

/* ---- a frame --------------------------------------------------------------------------- */

/* 60 frames per second; in every fourth group of sixteen the agents fade from walking to
 * running. */
static pm_crowd_instance instance_at(size_t agent, size_t frame) {
    double cycles = 0.01 * (double)(agent % 97) + (double)frame / 60;
    pm_crowd_instance in = {.clip_a = BODY_WALK,
                            .clip_b = BODY_RUN,
                            .time_a = pm_crowd_ticks(cycles * body_seconds[BODY_WALK]),
                            .time_b = pm_crowd_ticks(cycles * body_seconds[BODY_RUN]),
                            .flags = PM_CROWD_IN_PLACE};
    if (agent / 16 % 4 == 0)
        in.weight = (float)(frame % 120) / 120.0f;
    return in;
}

static bool enqueue_pose(loop *l, size_t frame, pm_error *error) {
    const size_t now = frame % 2;
    const pm_cl_crowd_job job = {
        .instances = l->instances, /* the call copies the data */
        .instance_count = l->agents,
        .frame = frame,
        .outputs = &(pm_cl_crowd_target){.output = PM_CROWD_PALETTE, .buffer = l->palettes[now]},
        .output_count = 1};
    return pm_cl_crowd_pose(l->body.crowd, &job, l->poses, l->compared ? 1 : 0,
                            l->compared ? &l->compared : NULL, &l->posed[now], error) == PM_OK &&
           good(clFlush(l->poses), "flush"); /* the other queue waits for commands in this one */
}

/* How far the mesh of each agent moved since the frame before. */
static bool enqueue_moved(loop *l, size_t frame) {
    const cl_int count = POINTS, joints = BODY_JOINTS;
    cl_int status = clSetKernelArg(l->moved, 0, sizeof(cl_mem), &l->palettes[frame % 2]);
    status |= clSetKernelArg(l->moved, 1, sizeof(cl_mem), &l->palettes[(frame + 1) % 2]);
    status |= clSetKernelArg(l->moved, 2, sizeof(cl_mem), &l->points_there);
    status |= clSetKernelArg(l->moved, 3, sizeof count, &count);
    status |= clSetKernelArg(l->moved, 4, sizeof joints, &joints);
    status |= clSetKernelArg(l->moved, 5, sizeof(cl_mem), &l->farthest);
    forget(&l->compared);
    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(l->reads, l->moved, 1, NULL, &l->agents, NULL, 1,
                                        &l->posed[frame % 2], &l->compared);
    return good(status, "moved");
}

static bool enqueue_bounds(loop *l, size_t frame) {
    const cl_int count = POINTS, joints = BODY_JOINTS;
    cl_int status = clSetKernelArg(l->bounds, 0, sizeof(cl_mem), &l->palettes[frame % 2]);
    status |= clSetKernelArg(l->bounds, 1, sizeof(cl_mem), &l->points_there);
    status |= clSetKernelArg(l->bounds, 2, sizeof count, &count);
    status |= clSetKernelArg(l->bounds, 3, sizeof joints, &joints);
    status |= clSetKernelArg(l->bounds, 4, sizeof(cl_mem), &l->boxes);
    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(l->reads, l->bounds, 1, NULL, &l->agents, NULL, 1,
                                        &l->posed[frame % 2], NULL);
    if (status == CL_SUCCESS)
        status = clFlush(l->reads);
    return good(status, "bounds");
}

/* The host is at most two frames ahead, one per palette buffer. */
static bool run_frame(loop *l, size_t frame, pm_error *error) {
    const size_t now = frame % 2;
    if (l->posed[now] && !good(clWaitForEvents(1, &l->posed[now]), "wait"))
        return false;
    forget(&l->posed[now]);
    for (size_t agent = 0; agent < l->agents; agent++)
        l->instances[agent] = instance_at(agent, frame);
    return enqueue_pose(l, frame, error) && (frame == 0 || enqueue_moved(l, frame)) &&
           enqueue_bounds(l, frame);
}

/* ---- afterwards ------------------------------------------------------------------------- */

static void skin(const float *palette, const float point[4], float out[3]) {
    const float *row = palette + 12 * (int)point[3];
    for (int i = 0; i < 3; i++, row += 4)
        out[i] = row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + row[3];
}

/* The difference of the box and the motion of an agent between the device and poses on this
 * thread. */
static bool compare(const loop *l, size_t agent, size_t frame, const float box[8], float moved,
                    float *largest, pm_error *error) {
    float palette[2][PALETTE_FLOATS], low[3], high[3], max_distance = 0.0f;
    for (size_t back = 0; back < 2; back++) {
        const pm_crowd_instance in = instance_at(agent, frame - back);
        if (pm_crowd_pose_one(l->body.crowd, &in, PM_CROWD_PALETTE, palette[back], error) != PM_OK)
            return false;
    }
    for (int k = 0; k < POINTS; k++) {
        float now[3], before[3], square = 0.0f;
        skin(palette[0], l->points[k], now);
        skin(palette[1], l->points[k], before);
        for (int i = 0; i < 3; i++) {
            low[i] = k ? fminf(low[i], now[i]) : now[i];
            high[i] = k ? fmaxf(high[i], now[i]) : now[i];
            square += (now[i] - before[i]) * (now[i] - before[i]);
        }
        max_distance = fmaxf(max_distance, sqrtf(square));
    }
    *largest = fmaxf(*largest, fabsf(max_distance - moved));
    for (int i = 0; i < 3; i++)
        *largest = fmaxf(*largest, fmaxf(fabsf(box[i] - low[i]), fabsf(box[4 + i] - high[i])));
    return true;
}

/* Reads the results of the last frame, which is the only wait for the device, and checks them. */
static bool check(loop *l, size_t frame, pm_error *error) {
    const size_t box_bytes = l->agents * 8 * sizeof(float), moved_bytes = l->agents * sizeof(float);
    float *boxes = malloc(box_bytes), *moved = malloc(moved_bytes), largest = 0.0f;
    bool fine =
        boxes && moved &&
        good(clEnqueueReadBuffer(l->reads, l->boxes, CL_TRUE, 0, box_bytes, boxes, 0, NULL, NULL),
             "read") &&
        good(clEnqueueReadBuffer(l->reads, l->farthest, CL_TRUE, 0, moved_bytes, moved, 0, NULL,
                                 NULL),
             "read");
    for (size_t agent = 0; fine && agent < l->agents; agent++)
        fine = compare(l, agent, frame, boxes + 8 * agent, moved[agent], &largest, error);
    free(boxes);
    free(moved);
    if (!fine)
        return false;
    if (!(largest < 1e-5f)) { /* a few rounding errors of values in metres */
        fprintf(stderr, "crowd_frames: boxes or motion differ by %g m from poses in plain C\n",
                (double)largest);
        return false;
    }
    printf("%zu agents, %zu frames; boxes and motion are within %.1e m of poses in plain C\n",
           l->agents, frame + 1, (double)largest);
    return true;
}

/* ---- arguments ---------------------------------------------------------------------------- */

static const char usage[] = "usage: crowd_frames [-n AGENTS] [-f FRAMES] [-d DEVICE]\n";

static bool count_of(const char *text, long min, long max, size_t *value) {
    char *end = NULL;
    long number = strtol(text, &end, 10);
    *value = (size_t)number;
    return end != text && *end == '\0' && number >= min && number <= max;
}

static bool refuse(const char *name, const char *value, const char *why) {
    fprintf(stderr, "crowd_frames: %s%s%s: %s\n%s", name, value ? " " : "", value ? value : "", why,
            usage);
    return false;
}

/* On an invalid argument prints a message and returns false. */
static bool read_options(int argc, char **argv, options *o) {
    *o = (options){.agents = 1000, .frames = 120};
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
            return o->help = true;
        if (strlen(name) != 2 || name[0] != '-' || !strchr("nfd", name[1]))
            return refuse(name, NULL, "unknown option");
        if (!value)
            return refuse(name, NULL, "expected a value");
        if (name[1] == 'n' && !count_of(value, 1, 100000, &o->agents))
            return refuse(name, value, "expected a whole number from 1 to 100000");
        if (name[1] == 'f' && !count_of(value, 2, 100000, &o->frames))
            return refuse(name, value, "expected a whole number from 2 to 100000");
        if (name[1] == 'd')
            o->device = value;
    }
    return true;
}

int main(int argc, char **argv) {
    options o;
    loop l = {0};
    pm_error error = {0};
    if (!read_options(argc, argv, &o))
        return 2;
    if (o.help) {
        printf("%s\nPoses 2 or more frames (120) of 1 or more agents (1000) on an OpenCL device\n"
               "and measures them there.  Example: crowd_frames -n 500 -d cpu\n",
               usage);
        return 0;
    }
    bool fine = open_crowd(&l, &o, &error);
    if (fine && !pm_cl_context(l.body.engine)) {
        fprintf(stderr, "crowd_frames: no OpenCL device\n");
        close_loop(&l);
        return 3;
    }
    fine = fine && open_buffers(&l) && open_kernels(&l) && open_queues(&l);
    for (size_t frame = 0; fine && frame < o.frames; frame++)
        fine = run_frame(&l, frame, &error);
    fine = fine && check(&l, o.frames - 1, &error);
    if (l.poses &&
        l.reads) { /* also after an error: all work must end before the objects are released */
        clFinish(l.poses);
        clFinish(l.reads);
    }
    if (error.status != PM_OK)
        fprintf(stderr, "crowd_frames: %s\n", error.message);
    close_loop(&l);
    return fine ? 0 : 1;
}
