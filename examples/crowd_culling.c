/* SPDX-License-Identifier: MIT
 *
 * Culling on the device: a kernel writes a list of the instances in view and its
 * length, and a job poses those on the list. The host never learns how many there are.
 *
 *     crowd_culling [DEVICE]
 */
#include <math.h>
#include <stdio.h>

#include "crowd/body.h"
#include "crowd/queue.h"

enum { COUNT = 1000, PLANES = 3 };

/* A work-item for each instance. A sphere is its middle x y z and its radius; a plane is its inward
 * normal and its distance. `count` begins with 0. */
static const char cull_source[] =
    "kernel void cull(global const float4 *spheres, constant float4 *planes, int plane_count,\n"
    "                 volatile global uint *count, global uint *list) {\n"
    "    const uint i = get_global_id(0);\n"
    "    const float4 sphere = spheres[i];\n"
    "    for (int p = 0; p < plane_count; p++)\n"
    "        if (dot(planes[p].xyz, sphere.xyz) + planes[p].w < -sphere.w)\n"
    "            return;\n"
    "    list[atomic_inc(count)] = i;\n"
    "}\n";

/* In front of an eye at the origin that looks along z: between two planes, and up to 20 m away. */
static const float planes[PLANES][4] = {
    {0.866f, 0, 0.5f, 0}, {-0.866f, 0, 0.5f, 0}, {0, 0, -1, 20}};

static bool is_in_view(const float p[4]) {
    const float(*n)[4] = planes;
    bool inside = true;
    for (int i = 0; i < PLANES; i++)
        inside &= n[i][0] * p[0] + n[i][1] * p[1] + n[i][2] * p[2] + n[i][3] >= -p[3];
    return inside;
}

/* A square of 32 instances a side, which all walk. */
static void place(float places[COUNT][4], pm_crowd_instance instances[COUNT]) {
    for (int i = 0; i < COUNT; i++) {
        const int column = i % 32, row = i / 32;
        places[i][0] = 1.37f * (float)column - 21;
        places[i][2] = 1.37f * (float)row - 21;
        places[i][3] = 2; /* the radius, from the ground */
        instances[i] = (pm_crowd_instance){
            .clip_a = BODY_WALK, .time_a = pm_crowd_ticks(0.037 * i), .flags = PM_CROWD_IN_PLACE};
    }
}

/* A frame. Nothing waits, and nothing is read back. */
static pm_status enqueue(pm_crowd *crowd, queue *q, cl_mem places, cl_mem instances,
                         cl_mem palettes, pm_error *error) {
    cl_mem view = queue_buffer(q, sizeof planes, planes);
    cl_mem count = queue_buffer(q, sizeof(cl_uint), NULL); /* each frame begins with 0 */
    cl_mem list = queue_buffer(q, COUNT * sizeof(cl_uint), NULL);
    const cl_int plane_count = PLANES;
    queue_argument(q, 0, sizeof(cl_mem), &places);
    queue_argument(q, 1, sizeof(cl_mem), &view);
    queue_argument(q, 2, sizeof plane_count, &plane_count);
    queue_argument(q, 3, sizeof(cl_mem), &count);
    queue_argument(q, 4, sizeof(cl_mem), &list);
    queue_run(q, COUNT);
    if (q->status != CL_SUCCESS)
        return PM_OK;
    const pm_cl_crowd_target target = {.output = PM_CROWD_PALETTE, .buffer = palettes};
    const pm_cl_crowd_job job = {.instance_buffer = instances,
                                 .instance_count = COUNT,
                                 .indices = {.buffer = list},
                                 .index_count = COUNT, /* the most that there can be */
                                 .counted = {.buffer = count},
                                 .outputs = &target,
                                 .output_count = 1};
    return pm_cl_crowd_pose(crowd, &job, q->commands, 0, NULL, NULL, error);
}

/* Palettes of instances in view are those of plain C, the others are zero as they were. */
static bool check(const pm_crowd *crowd, float places[COUNT][4], const pm_crowd_instance *instances,
                  float palettes[COUNT][BODY_JOINTS * 12]) {
    int seen = 0;
    bool same = true;
    for (int i = 0; i < COUNT; i++) {
        float wanted[BODY_JOINTS * 12] = {0};
        if (is_in_view(places[i])) {
            seen++;
            if (pm_crowd_pose_one(
                    crowd, &(pm_crowd_one){.instance = &instances[i], .output = PM_CROWD_PALETTE},
                    wanted, NULL) != PM_OK)
                return false;
        }
        for (int k = 0; k < BODY_JOINTS * 12; k++)
            same = same && fabsf(wanted[k] - palettes[i][k]) < 1e-5f;
    }
    printf("%d of %d instances are in view\n", seen, COUNT);
    printf("their palettes are %sthose of plain C, and no other was written\n", same ? "" : "not ");
    return seen > 0 && seen < COUNT && same;
}

int main(int argc, char **argv) {
    static float places[COUNT][4], palettes[COUNT][BODY_JOINTS * 12];
    static pm_crowd_instance instances[COUNT];
    body_description d;
    body b;
    queue q = {0};
    pm_error error;
    place(places, instances);
    body_describe(&d, PM_METHOD_SLERP);
    pm_status status = body_open(&b, &d, argc > 1 ? argv[1] : NULL, &error);
    if (status == PM_OK && queue_open(&q, b.engine, cull_source, "cull") == CL_SUCCESS) {
        cl_mem there = queue_buffer(&q, sizeof palettes, NULL);
        status = enqueue(b.crowd, &q, queue_buffer(&q, sizeof places, places),
                         queue_buffer(&q, sizeof instances, instances), there, &error);
        queue_read(&q, there, sizeof palettes, palettes);
    }
    const bool good = queue_report(&q, "crowd_culling", status, &error) &&
                      check(b.crowd, places, instances, palettes);
    queue_close(&q);
    body_close(&b);
    return good ? 0 : 1;
}
