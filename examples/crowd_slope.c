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
#include "crowd/two_bones.h"

enum { COUNT = 48, FEET = 1 };

static const float steepness = 0.25f; /* metres up for a metre: 14 degrees */

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
    cl_kernel stand = queue_kernel(q, two_bones, "stand");
    cl_int chain[BODY_LEG_JOINTS];
    body_leg_slots(b->skeleton, chain);
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
    queue_argument(q, stand, 0, sizeof(cl_mem), &locals);
    queue_argument(q, stand, 1, sizeof joints, &joints);
    queue_argument(q, stand, 2, sizeof(cl_mem), &links);
    queue_argument(q, stand, 3, sizeof(cl_mem), &slopes);
    queue_run(q, stand, COUNT);
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
            if (pm_crowd_pose_one(b->crowd, &instances[i], PM_CROWD_MODEL, level, NULL) != PM_OK)
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
    if (status == PM_OK && queue_open(&q, b.engine) == CL_SUCCESS) {
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
