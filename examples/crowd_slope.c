/* SPDX-License-Identifier: MIT
 *
 * Poses from outside: a job writes local poses, a kernel bends the legs so that the feet stand on a
 * slope, and a second job makes matrices of the changed poses. All stays on the device.
 *
 *     crowd_slope [DEVICE]
 */
#include <math.h>
#include <stdio.h>

#include "crowd/body.h"
#include "crowd/queue.h"

enum { COUNT = 48, FEET = 1, CHAIN = 8 };

static const int legs[CHAIN] = {BODY_ROOT,      BODY_HIPS,        BODY_LEFT_THIGH, BODY_LEFT_SHIN,
                                BODY_LEFT_FOOT, BODY_RIGHT_THIGH, BODY_RIGHT_SHIN, BODY_RIGHT_FOOT};

static const float steepness = 0.25f; /* metres up for a metre: 14 degrees */

/* Inverse kinematics by the law of cosines, for knees that are hinges about x, and bones along -y. A
 * work-item for each instance. `poses` are records of PM_CROWD_LOCAL, `joints` of them; `chain`
 * has root, hips, and thigh, shin and foot of each leg. Where the instance stands, the ground is at
 * y = slope.x * x + slope.y * z. The root has no rotation. Each ankle gets as high above the slope as
 * it was above level ground, and the foot turns with the slope. The hips go down where a leg is too
 * short. */
static const char two_bones[] =
    "typedef struct joint { float4 rotation, position, scale; } joint;\n"
    "float4 times(float4 a, float4 b) {\n"
    "    return (float4)(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz),\n"
    "                    a.w * b.w - dot(a.xyz, b.xyz));\n"
    "}\n"
    "float4 inverse(float4 q) { return (float4)(-q.xyz, q.w); }\n"
    "float3 turned(float4 q, float3 v) {\n"
    "    return v + 2 * cross(q.xyz, cross(q.xyz, v) + q.w * v);\n"
    "}\n"
    "float4 about_x(float angle) { return (float4)(sin(angle / 2), 0, 0, cos(angle / 2)); }\n"
    "float4 from_to(float3 a, float3 b) { /* the shortest turn */\n"
    "    a = normalize(a), b = normalize(b);\n"
    "    return normalize((float4)(cross(a, b), 1 + dot(a, b)));\n"
    "}\n"
    "kernel void stand(global joint *poses, int joints, constant int *chain,\n"
    "                  global const float2 *slopes) {\n"
    "    const float2 slope = slopes[get_global_id(0)];\n"
    "    const float4 tilt = from_to((float3)(0, 1, 0), (float3)(-slope.x, 1, -slope.y));\n"
    "    global joint *pose = poses + get_global_id(0) * joints;\n"
    "    global joint *root = pose + chain[0], *hips = pose + chain[1];\n"
    "    float4 thighs[2], feet[2]; /* rotations in model space */\n"
    "    float3 tops[2], goals[2];\n"
    "    float lower = 0;\n"
    "    const float3 middle = root->position.xyz + hips->position.xyz;\n"
    "    for (int leg = 0; leg < 2; leg++) {\n"
    "        global joint *thigh = pose + chain[2 + 3 * leg], *shin = pose + chain[3 + 3 * leg],\n"
    "                     *foot = pose + chain[4 + 3 * leg];\n"
    "        tops[leg] = middle + turned(hips->rotation, thigh->position.xyz);\n"
    "        thighs[leg] = times(hips->rotation, thigh->rotation);\n"
    "        const float4 low = times(thighs[leg], shin->rotation);\n"
    "        feet[leg] = times(tilt, times(low, foot->rotation));\n"
    "        goals[leg] = tops[leg] + turned(thighs[leg], shin->position.xyz) +\n"
    "                     turned(low, foot->position.xyz);\n"
    "        goals[leg].y += dot(slope, goals[leg].xz);\n"
    "        const float3 way = goals[leg] - tops[leg];\n"
    "        const float length = 0.999f * (-shin->position.y - foot->position.y);\n"
    "        const float2 flat = way.xz;\n"
    "        const float reach = sqrt(fmax(0.0f, length * length - dot(flat, flat)));\n"
    "        lower = fmax(lower, -way.y - reach);\n"
    "    }\n"
    "    hips->position.y -= lower;\n"
    "    for (int leg = 0; leg < 2; leg++) {\n"
    "        global joint *thigh = pose + chain[2 + 3 * leg], *shin = pose + chain[3 + 3 * leg],\n"
    "                     *foot = pose + chain[4 + 3 * leg];\n"
    "        const float3 way = goals[leg] - tops[leg] + (float3)(0, lower, 0);\n"
    "        const float a = -shin->position.y, b = -foot->position.y;\n"
    "        const float bend = acos(clamp((dot(way, way) - a * a - b * b) / (2 * a * b),\n"
    "                                      -1.0f, 1.0f));\n"
    "        shin->rotation = about_x(bend);\n"
    "        const float3 ankle =\n"
    "            shin->position.xyz + turned(shin->rotation, foot->position.xyz);\n"
    "        const float4 new_thigh =\n"
    "            times(from_to(turned(thighs[leg], ankle), way), thighs[leg]);\n"
    "        thigh->rotation = normalize(times(inverse(hips->rotation), new_thigh));\n"
    "        const float4 new_shin = times(new_thigh, shin->rotation);\n"
    "        foot->rotation = normalize(times(inverse(new_shin), feet[leg]));\n"
    "    }\n"
    "}\n";

/* The moments of a walk. Each instance faces another way on the slope: a slope is metres up for a
 * metre to its left, and for a metre forward. */
static void place(pm_crowd_instance instances[COUNT], float slopes[COUNT][2]) {
    for (int i = 0; i < COUNT; i++) {
        slopes[i][0] = -steepness * sinf(0.7f * (float)i);
        slopes[i][1] = steepness * cosf(0.7f * (float)i);
        instances[i] = (pm_crowd_instance){.clip_a = BODY_WALK,
                                           .time_a = pm_crowd_ticks(1.1 * i / COUNT),
                                           .flags = PM_CROWD_IN_PLACE};
    }
}

/* Three commands of an in-order queue; the local poses are both output and input. */
static pm_status enqueue(const body *b, queue *q, const pm_crowd_instance *instances, cl_mem slopes,
                         cl_mem feet, pm_error *error) {
    const cl_int joints = BODY_JOINTS;
    cl_int chain[CHAIN];
    for (int i = 0; i < CHAIN; i++)
        chain[i] = (cl_int)pm_skeleton_slots(b->skeleton)[legs[i]];
    cl_mem links = queue_buffer(q, sizeof chain, chain);
    cl_mem locals = queue_buffer(q, COUNT * sizeof(float[BODY_JOINTS][12]), NULL);
    if (q->status != CL_SUCCESS)
        return PM_OK;
    const pm_cl_crowd_target local = {.output = PM_CROWD_LOCAL, .buffer = locals};
    const pm_cl_crowd_job animate = {
        .instances = instances, .instance_count = COUNT, .outputs = &local, .output_count = 1};
    const pm_status status =
        pm_cl_crowd_pose(b->crowd, &animate, q->commands, 0, NULL, NULL, error);
    if (status != PM_OK)
        return status;
    queue_argument(q, 0, sizeof(cl_mem), &locals);
    queue_argument(q, 1, sizeof joints, &joints);
    queue_argument(q, 2, sizeof(cl_mem), &links);
    queue_argument(q, 3, sizeof(cl_mem), &slopes);
    queue_run(q, COUNT);
    const pm_cl_crowd_target model = {.output = PM_CROWD_MODEL, .subset = FEET, .buffer = feet};
    const pm_cl_crowd_job finish = {
        .poses = {.buffer = locals}, .instance_count = COUNT, .outputs = &model, .output_count = 1};
    return pm_cl_crowd_pose(b->crowd, &finish, q->commands, 0, NULL, NULL, error);
}

/* Compares the ankles with those of the walk on level ground: as far ahead, and as high above the
 * ground. */
static bool check(const body *b, const pm_crowd_instance *instances, float slopes[COUNT][2],
                  float feet[COUNT][2][12]) {
    const uint32_t *slots = pm_skeleton_slots(b->skeleton);
    double worst = 0, unchanged = 0;
    bool stands = true;
    for (int i = 0; i < COUNT; i++)
        for (int side = 0; side < 2; side++) {
            float level[BODY_JOINTS][12];
            if (pm_crowd_pose_one(
                    b->crowd, &(pm_crowd_one){.instance = &instances[i], .output = PM_CROWD_MODEL},
                    level, NULL) != PM_OK)
                return false;
            const float *flat = level[slots[side ? BODY_RIGHT_FOOT : BODY_LEFT_FOOT]];
            const float *up = feet[i][side];
            const double rise = (double)(slopes[i][0] * flat[3] + slopes[i][1] * flat[11]);
            const double off = hypot((double)up[7] - ((double)flat[7] + rise),
                                     hypot((double)(up[3] - flat[3]), (double)(up[11] - flat[11])));
            worst = fmax(worst, off);
            stands = stands && off < 1e-4;
            unchanged = fmax(unchanged, fabs(rise));
        }
    printf("without the kernel, feet would be up to %.0f mm in the slope or above it\n",
           1e3 * unchanged);
    printf("with it, ankles are within %.3f mm of where they should be\n", 1e3 * worst);
    return unchanged > 0.05 && stands;
}

int main(int argc, char **argv) {
    static const uint32_t joints[] = {BODY_LEFT_FOOT, BODY_RIGHT_FOOT};
    static pm_crowd_instance instances[COUNT];
    static float slopes[COUNT][2], feet[COUNT][2][12];
    const pm_subset subset = {.joints = joints, .joint_count = 2};
    body_description d;
    body b;
    queue q = {0};
    pm_error error;
    place(instances, slopes);
    body_describe(&d, PM_METHOD_SLERP);
    d.skeleton.subsets = &subset;
    d.skeleton.subset_count = 1;
    pm_status status = body_open(&b, &d, argc > 1 ? argv[1] : NULL, &error);
    if (status == PM_OK && queue_open(&q, b.engine, two_bones, "stand") == CL_SUCCESS) {
        cl_mem there = queue_buffer(&q, sizeof feet, NULL);
        status = enqueue(&b, &q, instances, queue_buffer(&q, sizeof slopes, slopes), there, &error);
        queue_read(&q, there, sizeof feet, feet);
    }
    const bool good =
        queue_report(&q, "crowd_slope", status, &error) && check(&b, instances, slopes, feet);
    queue_close(&q);
    body_close(&b);
    return good ? 0 : 1;
}
