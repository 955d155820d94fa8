/* SPDX-License-Identifier: MIT
 *
 * Layers: a blend space of three clips by their mean, breathing that is added, and an arm over all.
 *
 *     crowd_layers [DEVICE]
 *
 * The corners of the blend space are what a walk, a run and a strafe move in a cycle. Any step in
 * the triangle between them is a mean of the three, whose weights are its barycentric coordinates.
 */
#include <math.h>
#include <stdio.h>

#include "crowd/body.h"

enum { MOVES = 3, BREATH = MOVES, WAVE, LAYERS, STAGES = 3 };
static const uint32_t moves[MOVES] = {BODY_WALK, BODY_RUN, BODY_STRAFE};

/* How far each move takes the root in a cycle: to the left, and forward. */
static pm_status measure_strides(const pm_crowd *crowd, double strides[MOVES][2], pm_error *error) {
    pm_crowd_instance before[MOVES] = {{0}}, after[MOVES] = {{0}};
    pm_root_motion motions[MOVES];
    for (int i = 0; i < MOVES; i++) {
        before[i].clip_a = after[i].clip_a = moves[i];
        after[i].time_a = pm_crowd_clip_ticks(crowd, moves[i]);
    }
    const pm_status status = pm_crowd_root_motion(crowd, before, after, MOVES, motions, error);
    for (int i = 0; status == PM_OK && i < MOVES; i++) {
        strides[i][0] = (double)motions[i].position[0];
        strides[i][1] = (double)motions[i].position[2];
    }
    return status;
}

static double area(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* All moves are where the walk is at `time`, between the steps of the same feet. */
static pm_status make_layers(const pm_crowd *crowd, const double step[2], int64_t time,
                             pm_crowd_layer layers[LAYERS], pm_error *error) {
    double strides[MOVES][2];
    pm_status status = measure_strides(crowd, strides, error);
    for (int i = 0; status == PM_OK && i < MOVES; i++) {
        const double *next = strides[(i + 1) % MOVES], *last = strides[(i + 2) % MOVES];
        const double weight = area(step, next, last) / area(strides[i], next, last);
        layers[i] =
            (pm_crowd_layer){.clip = moves[i], .weight = (float)weight, .op = PM_LAYER_MEAN};
        status = pm_crowd_synced_time(crowd, BODY_WALK, time, moves[i], &layers[i].time, error);
        printf("%.2f of clip %u, which moves %.2f m left and %.2f m forward in a cycle\n", weight,
               (unsigned)moves[i], strides[i][0], strides[i][1]);
    }
    const int64_t inhaled = pm_crowd_clip_ticks(crowd, BODY_BREATHE) / 2;
    layers[BREATH] =
        (pm_crowd_layer){.clip = BODY_BREATHE, .time = inhaled, .weight = 0.8f, .op = PM_LAYER_ADD};
    layers[WAVE] = (pm_crowd_layer){
        .clip = BODY_WAVE, .weight = 1, .mask = BODY_RIGHT_ARM_ONLY, .op = PM_LAYER_OVER};
    return status == PM_OK ? pm_crowd_check_layers(crowd, layers, LAYERS, error) : status;
}

/* Three instances, each with one more of the layers, on the rest pose: they have no clip A. */
static pm_status pose(pm_crowd *crowd, const pm_crowd_layer layers[LAYERS],
                      float matrices[STAGES][BODY_JOINTS][12], pm_error *error) {
    pm_crowd_instance instances[STAGES];
    pm_crowd_range ranges[STAGES];
    for (uint32_t i = 0; i < STAGES; i++) {
        instances[i] = (pm_crowd_instance){.clip_a = UINT32_MAX, .flags = PM_CROWD_IN_PLACE};
        ranges[i] = (pm_crowd_range){.first = 0, .count = MOVES + i};
    }
    const pm_crowd_job job = {.instances = instances,
                              .instance_count = STAGES,
                              .layers = layers,
                              .layer_count = LAYERS,
                              .ranges = ranges,
                              .outputs =
                                  &(pm_crowd_target){.output = PM_CROWD_MODEL, .memory = matrices},
                              .output_count = 1};
    return pm_crowd_pose(crowd, &job, error);
}

static double moved(const float a[12], const float b[12]) {
    return hypot(hypot((double)(a[3] - b[3]), (double)(a[7] - b[7])), (double)(a[11] - b[11]));
}

/* Only what a layer is for may move. */
static bool report(const uint32_t *slots, float matrices[STAGES][BODY_JOINTS][12]) {
    const uint32_t shown[] = {slots[BODY_HEAD], slots[BODY_RIGHT_HAND], slots[BODY_RIGHT_FOOT]};
    const float swings = matrices[0][slots[BODY_LEFT_FOOT]][7], stands = matrices[0][shown[2]][7];
    double by[2][3];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            by[i][k] = moved(matrices[i][shown[k]], matrices[i + 1][shown[k]]);
    printf("the left foot swings in all clips, the right one stands: %.3f and %.3f m high\n",
           (double)swings, (double)stands);
    printf("breathing moves head, hand, foot by %.3f %.3f %.3f m\n", by[0][0], by[0][1], by[0][2]);
    printf("waving moves head, hand, foot by %.3f %.3f %.3f m\n", by[1][0], by[1][1], by[1][2]);
    const bool breathes = by[0][0] > 0.005 && by[0][2] < 1e-6;
    const bool waves = by[1][0] < 1e-6 && by[1][1] > 0.5 && by[1][2] < 1e-6;
    return stands < 0.09f && swings > 0.13f && breathes && waves;
}

int main(int argc, char **argv) {
    static const double step[2] = {0.15, 1.4}; /* metres a cycle: to the left, and forward */
    const int64_t time = pm_crowd_ticks(0.8 * body_seconds[BODY_WALK]);
    float matrices[STAGES][BODY_JOINTS][12];
    pm_crowd_layer layers[LAYERS];
    body_description d;
    body b;
    pm_error error;
    body_describe(&d, PM_METHOD_SLERP);
    pm_status status = body_open(&b, &d, argc > 1 ? argv[1] : NULL, &error);
    if (status == PM_OK)
        status = make_layers(b.crowd, step, time, layers, &error);
    if (status == PM_OK)
        status = pose(b.crowd, layers, matrices, &error);
    const bool good = body_succeeded("crowd_layers", status, &error) &&
                      report(pm_skeleton_slots(b.skeleton), matrices);
    body_close(&b);
    return good ? 0 : 1;
}
