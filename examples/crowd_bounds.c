/* SPDX-License-Identifier: MIT
 *
 * Parts of a pose: the right hand of each instance, for what it holds, and a box about each
 * instance, for culling. No other joint is written, or computed for the hands.
 *
 *     crowd_bounds [DEVICE]
 */
#include <math.h>
#include <stdio.h>

#include "crowd/body.h"

enum { COUNT = 500, HAND = 1 };

typedef struct box {
    float low[4], high[4];
} box;

static const float radius = 0.12f; /* of the sphere about each joint: how far skin is from bone */

static void describe(body_description *d, pm_subset *hand, float radii[BODY_JOINTS]) {
    static const uint32_t joints[] = {BODY_RIGHT_HAND};
    *hand = (pm_subset){.joints = joints, .joint_count = 1};
    for (int joint = 0; joint < BODY_JOINTS; joint++)
        radii[joint] = radius;
    body_describe(d, PM_METHOD_SLERP);
    d->skeleton.subsets = hand;
    d->skeleton.subset_count = 1;
    d->skeleton.radii = radii;
}

static pm_status pose(pm_crowd *crowd, const pm_crowd_instance *instances, float (*hands)[12],
                      box *boxes, pm_error *error) {
    const pm_crowd_target targets[] = {
        {.output = PM_CROWD_MODEL, .subset = HAND, .memory = hands},
        {.output = PM_CROWD_BOUNDS, .memory = boxes},
    };
    const pm_crowd_job job = {
        .instances = instances, .instance_count = COUNT, .outputs = targets, .output_count = 2};
    return pm_crowd_pose(crowd, &job, error);
}

/* Whether a hand and a box are those of all joints of an instance. */
static bool agrees(float all[BODY_JOINTS][12], uint32_t slot, const float hand[12],
                   const box *bounds) {
    bool good = true;
    for (int i = 0; i < 12; i++)
        good = good && fabsf(hand[i] - all[slot][i]) < 1e-5f;
    for (int i = 0; i < 3; i++) {
        float low = INFINITY, high = -INFINITY;
        for (int joint = 0; joint < BODY_JOINTS; joint++) {
            low = fminf(low, all[joint][4 * i + 3] - radius);
            high = fmaxf(high, all[joint][4 * i + 3] + radius);
        }
        good = good && fabsf(bounds->low[i] - low) < 1e-5f && fabsf(bounds->high[i] - high) < 1e-5f;
    }
    return good;
}

static pm_status check(const body *b, const pm_crowd_instance *instances, float (*hands)[12],
                       const box *boxes, bool *good, pm_error *error) {
    const uint32_t slot = pm_skeleton_slots(b->skeleton)[BODY_RIGHT_HAND];
    pm_status status = PM_OK;
    *good = true;
    for (int i = 0; status == PM_OK && i < COUNT; i++) {
        float all[BODY_JOINTS][12];
        status = pm_crowd_pose_one(
            b->crowd, &(pm_crowd_one){.instance = &instances[i], .output = PM_CROWD_MODEL}, all,
            error);
        *good = *good && status == PM_OK && agrees(all, slot, hands[i], &boxes[i]);
    }
    return status;
}

int main(int argc, char **argv) {
    static pm_crowd_instance instances[COUNT];
    static float hands[COUNT][12];
    static box boxes[COUNT];
    float radii[BODY_JOINTS];
    body_description d;
    pm_subset hand;
    body b;
    pm_error error;
    bool good = false;
    describe(&d, &hand, radii);
    for (int i = 0; i < COUNT; i++)
        instances[i] = (pm_crowd_instance){.clip_a = i % 2 ? BODY_RUN : BODY_WALK,
                                           .time_a = pm_crowd_ticks(0.037 * i),
                                           .flags = PM_CROWD_IN_PLACE};
    pm_status status = body_open(&b, &d, argc > 1 ? argv[1] : NULL, &error);
    if (status == PM_OK)
        status = pose(b.crowd, instances, hands, boxes, &error);
    if (status == PM_OK)
        status = check(&b, instances, hands, boxes, &good, &error);
    body_close(&b);
    if (status != PM_OK) {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "crowd_bounds: %s\n", text);
        return 1;
    }
    printf("%d instances: %zu bytes of hands, %zu of boxes; all joints would be %zu\n", COUNT,
           sizeof hands, sizeof boxes, COUNT * sizeof(float[BODY_JOINTS][12]));
    printf("the first hand is at %.2f %.2f %.2f; the box ends at %.2f %.2f %.2f\n",
           (double)hands[0][3], (double)hands[0][7], (double)hands[0][11], (double)boxes[0].high[0],
           (double)boxes[0].high[1], (double)boxes[0].high[2]);
    printf("hands and boxes are %sthose of poses of all joints in plain C\n", good ? "" : "not ");
    return good ? 0 : 1;
}
