/* SPDX-License-Identifier: MIT
 *
 * The self-check of points that trajectories move: slerps, and screws with large turns, with every type of stamps; and
 * chains of an inverse screw and a curve, with points in double.
 */
#include "check_material.h"

#include <math.h>
#include <string.h>

enum { TRACKS = 3, KEYS = 5 * PM_CHECK_KEYS, POINTS = 300, STEP = 100000000 };

typedef struct check_data {
    int64_t keys[KEYS];
    float rotations[KEYS][TRACKS][4], positions[KEYS][TRACKS][3], points[POINTS][4];
    union {
        int64_t ns[POINTS];
        uint32_t units[POINTS];
        double seconds[POINTS];
        float few_seconds[POINTS];
    } stamps;
    uint16_t tracks[POINTS];
} check_data;

/* `spread`: of the rotations. */
static void fill(check_data *m, double spread) {
    uint32_t state = 20261201;
    for (size_t k = 0; k < KEYS; k++) {
        m->keys[k] =
            (int64_t)k * STEP + (int64_t)pm_check_random(&state, 0, k % 7 ? STEP / 2 : STEP / 30);
        for (size_t t = 0; t < TRACKS; t++) {
            float *q = m->rotations[k][t], norm2 = 0;
            for (size_t c = 0; c < 4; c++) {
                q[c] = c == 3 ? 1 : (float)pm_check_random(&state, -spread, spread);
                norm2 += q[c] * q[c];
            }
            for (size_t c = 0; c < 4; c++)
                q[c] /= sqrtf(norm2);
            for (size_t c = 0; c < 3; c++)
                m->positions[k][t][c] = (float)pm_check_random(&state, -9, 9);
        }
    }
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t c = 0; c < 3; c++)
            m->points[i][c] = (float)pm_check_random(&state, -100, 100);
        m->tracks[i] = (uint16_t)pm_check_random(&state, 0, TRACKS);
    }
    m->points[7][1] = NAN;
    m->points[8][2] = INFINITY;
}

/* Stamps from half a step before the first key to half a step behind the last one. */
static pm_stamps stamps_of(check_data *m, pm_stamp_type type) {
    const bool seconds = type >= PM_STAMP_FLOAT64;
    uint32_t state = 20261202;
    for (size_t i = 0; i < POINTS; i++) {
        const double ns = pm_check_random(&state, -0.5 * STEP, (KEYS + 0.5) * STEP) + STEP;
        if (type == PM_STAMP_FLOAT64)
            m->stamps.seconds[i] = ns * 1e-9;
        else if (type == PM_STAMP_FLOAT32)
            m->stamps.few_seconds[i] = (float)(ns * 1e-9);
        else if (type == PM_STAMP_UINT32)
            m->stamps.units[i] = (uint32_t)(ns / 17);
        else
            m->stamps.ns[i] = (int64_t)(ns / 17);
    }
    return (pm_stamps){.data = &m->stamps, .type = type, .base = -STEP, .unit = seconds ? 0 : 17};
}

/* A job that plain C computes, or kernels of the device have. */
static pm_status check_points(pm_device *device, pm_check *check, const pm_points_job *job,
                              pm_error *error) {
    const pm_plan_device *plan = device->plan;
    pm_points_request request;
    pm_points_made made;
    pm_status status = pm_points_request_of(job, NULL, &request, &made, error);
    if (status == PM_OK && (!plan || plan->plain_c || pm_points_have_kernel(&request, plan))) {
        const pm_job resolved = pm_job_of_points(device, &request);
        status = pm_check_job(check, &resolved, PM_CHECK_POINTS, error);
    }
    pm_points_made_free(&made);
    return status;
}

/* With a `curve`, a chain of that and the inverse of `t`. */
static pm_status check_trajectory(pm_device *device, pm_check *check, check_data *m,
                                  const pm_trajectory *t, const pm_trajectory *curve,
                                  pm_error *error) {
    pm_status status = PM_OK;
    for (unsigned i = 0; status == PM_OK && i <= PM_STAMP_FLOAT32; i++) {
        double taken[3]; /* or less */
        uint8_t valid;
        const pm_moving_frame frame = {.trajectory = t,
                                       .tracks = {m->tracks, sizeof *m->tracks, 0}};
        pm_points_job job = {.count = POINTS,
                             .stamps = stamps_of(m, (pm_stamp_type)i),
                             .points = {.data = m->points, .stride = sizeof *m->points},
                             .frames = {frame},
                             .frame_count = 1,
                             .before = {.position = {1, 2, 3}},
                             .to_reference = !curve,
                             .reference = m->keys[KEYS / 2], /* in no gap */
                             .outside = i % 2 ? PM_OUTSIDE_CLAMP : PM_OUTSIDE_INVALID,
                             .max_gap = i == PM_STAMP_UINT32 ? STEP : 0,
                             .moved = {.data = taken}, /* its memory is that of the comparison */
                             .valid = &valid};
        if (curve) {
            job.frames[0].trajectory = curve;
            job.frames[1] =
                (pm_moving_frame){.trajectory = t, .track = i % TRACKS, .inverse = true};
            job.frame_count = 2;
            job.inverse = i % 2;
            job.moved.type = i % 2 ? PM_COORDINATE_FLOAT32 : PM_COORDINATE_FLOAT64;
        }
        status = check_points(device, check, &job, error);
    }
    return status;
}

pm_status pm_points_self_check(pm_device *device, pm_check *check, pm_error *error) {
    pm_engine engine = {.device = device, .host = device->options.host, .host_threads = 1};
    check_data *m = pm_allocate_zeroed(&engine.host, 1, sizeof *m);
    pm_trajectory *curve = NULL, *t = NULL;
    pm_status status = m ? PM_OK : pm_fail_memory(error);
    for (int screw = 0; status == PM_OK && screw < 2; screw++) {
        fill(m, screw ? 0.5 : 0.05);
        pm_trajectory_desc desc = {.motion = {.track_count = TRACKS,
                                              .rotations.data = m->rotations,
                                              .positions.data = m->positions},
                                   .key_count = KEYS,
                                   .stamps.data = m->keys,
                                   .screw = screw};
        status = pm_trajectory_create(&engine, &desc, &t, error);
        if (status == PM_OK)
            status = check_trajectory(device, check, m, t, NULL, error);
        desc.screw = false;
        desc.motion.method = PM_METHOD_SQUAD;
        if (status == PM_OK && screw)
            status = pm_trajectory_create(&engine, &desc, &curve, error);
        if (curve)
            status = check_trajectory(device, check, m, t, curve, error);
        pm_trajectory_destroy(&t);
    }
    pm_trajectory_destroy(&curve);
    pm_release(m);
    return status;
}
