/* SPDX-License-Identifier: MIT
 *
 * The simplest adapter of the workload: slerp and nlerp in C on one thread, a sample after another, and
 * crowds by matrix products. To be copied by authors of other libraries; bench/harness/workload_adapter.h.
 */
#include "workload_adapter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int prepare(const workload_task *task, workload_prepared *prepared) {
    if (strcmp(task->method, "squad") == 0 || strcmp(task->group, "file") == 0)
        return 0;
    snprintf(prepared->device, sizeof prepared->device, "CPU, one thread");
    return 1;
}

/* The segment of a time between uniform keys, and u in it. */
static size_t locate(const workload_task *task, double time, double *u) {
    const double at = time * task->key_rate;
    size_t segment = at > 0 ? (size_t)at : 0;
    if (segment > task->key_count - 2)
        segment = task->key_count - 2;
    *u = at - (double)segment;
    return segment;
}

static void sample(const workload_task *task, size_t segment, size_t track, double u, double q[4]) {
    const float *a = task->keys + 4 * (segment * task->track_count + track);
    const float *b = a + 4 * task->track_count;
    double weight_a = 1 - u, weight_b = u, length = 0;
    if (strcmp(task->method, "slerp") == 0) {
        double apart = 0, along = 0;
        for (int k = 0; k < 4; k++) {
            const double minus = (double)b[k] - (double)a[k], plus = (double)b[k] + (double)a[k];
            apart += minus * minus;
            along += plus * plus;
        }
        const double angle = 2 * atan2(sqrt(apart), sqrt(along));
        if (angle > 1e-6) { /* below, a line is exact */
            weight_a = sin((1 - u) * angle);
            weight_b = sin(u * angle);
        }
    }
    for (int k = 0; k < 4; k++) {
        q[k] = weight_a * (double)a[k] + weight_b * (double)b[k];
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(length);
}

static void matrix_of(const double q[4], double m[3][3]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

/* The matrix of a joint in model space, from its parent's. */
static void pose_joint(const workload_task *task, size_t joint, double local[3][3],
                       float *records) {
    const float *rest = task->rest + 3 * joint;
    float *out = records + 12 * joint;
    const float *above = task->parents[joint] < 0 ? NULL : records + 12 * task->parents[joint];
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            double sum = above && column == 3 ? (double)above[4 * row + 3] : 0;
            for (int k = 0; k < 3; k++) {
                const double left = above ? (double)above[4 * row + k] : row == k;
                sum += left * (column < 3 ? local[k][column] : (double)rest[k]);
            }
            out[4 * row + column] = (float)sum;
        }
    }
}

static bool run(const workload_task *task, void *state, float *results) {
    const size_t width = task->pair_tracks ? 1 : task->track_count;
    const bool crowd = strcmp(task->group, "crowd") == 0;
    (void)state;
    for (size_t i = 0; i < task->time_count; i++) {
        double u, q[4], local[3][3];
        const size_t segment = locate(task, task->times[i], &u);
        for (size_t track = 0; track < width; track++) {
            sample(task, segment, task->pair_tracks ? (size_t)task->pair_tracks[i] : track, u, q);
            if (crowd) {
                matrix_of(q, local);
                pose_joint(task, track, local, results + 12 * width * i);
            } else {
                for (int k = 0; k < 4; k++)
                    results[4 * (width * i + track) + (size_t)k] = (float)q[k];
            }
        }
    }
    return true;
}

static void finish(void *state) {
    (void)state;
}

const workload_adapter workload_library = {.name = "plain C",
                                           .version = "1",
                                           .compiler = "that of the harness, -O2",
                                           .prepare = prepare,
                                           .run = run,
                                           .finish = finish};
