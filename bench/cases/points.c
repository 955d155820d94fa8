/* SPDX-License-Identifier: MIT
 *
 * Cases that move points at times of their own, from host memory to host memory, each beside the simple loop on as many
 * threads. Their trajectories turn by 0.05 rad from key to key. The error is the largest distance from points that are
 * moved in double, over that of the farthest point, as an angle.
 */
#include <posemill/posemill_points.h>

#include "baseline.h"
#include "check.h"
#include "files/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum points_way { WAY_JOB, WAY_SIMPLE, WAY_FRESH } points_way;

typedef struct points_row {
    const char *name;
    points_way way;
    size_t points, keys; /* as many points at most */
    bool unsorted, screw, in_double;
} points_row;

enum { SCAN = 131072, SCAN_KEYS = 21, LARGE = 1310720, LARGE_KEYS = 2001, STEP = 5000000 };
static const int64_t epoch = 1700000000123456789;
static const double turn = 0.05;

static const points_row rows[] = {
    {.name = "simple/points", .way = WAY_SIMPLE, .points = SCAN, .keys = SCAN_KEYS},
    {.name = "simple/points-large", .way = WAY_SIMPLE, .points = LARGE, .keys = LARGE_KEYS},
    {.name = "points/sorted", .points = SCAN, .keys = SCAN_KEYS},
    {.name = "points/screw", .points = SCAN, .keys = SCAN_KEYS, .screw = true},
    {.name = "points/double", .points = SCAN, .keys = SCAN_KEYS, .in_double = true},
    {.name = "points/unsorted", .points = SCAN, .keys = SCAN_KEYS, .unsorted = true},
    {.name = "points/large", .points = LARGE, .keys = LARGE_KEYS},
    {.name = "points/fresh-scan", .way = WAY_FRESH, .points = SCAN, .keys = SCAN_KEYS},
};

typedef struct points_work {
    bench_run *run;
    const points_row *row;
    size_t count;
    int64_t *keys, *stamps;
    double *rotations, *positions;
    double *exact[2]; /* points in double, and moved ones */
    float *points, *moved;
    baseline_segment *segments;
    pm_trajectory *trajectory;
    pm_points_job job;
} points_work;

/* ---- what is measured ---------------------------------------------------------- */

static pm_status make_trajectory(const points_work *w, pm_trajectory **made, pm_error *error) {
    const pm_trajectory_desc desc = {
        .motion = {.track_count = 1,
                   .method = PM_METHOD_SLERP,
                   .rotations = {.data = w->rotations, .type = PM_FLOAT64},
                   .positions = {.data = w->positions, .type = PM_FLOAT64}},
        .key_count = w->row->keys,
        .stamps = {.data = w->keys},
        .screw = w->row->screw};
    return pm_trajectory_create(w->run->device.engine, &desc, made, error);
}

static cli_exit job_once(void *context, double *seconds) {
    const points_work *w = context;
    pm_error error = {0};
    pm_trajectory *fresh = NULL;
    pm_points_job job = w->job;
    const double begun = progress_clock();
    pm_status status = w->row->way == WAY_FRESH ? make_trajectory(w, &fresh, &error) : PM_OK;
    if (fresh)
        job.frames[0].trajectory = fresh;
    if (status == PM_OK)
        status = pm_move_points(&job, &error);
    pm_trajectory_destroy(&fresh);
    *seconds = progress_clock() - begun;
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

/* The first stamp that is not below one. */
static size_t first_of(const points_work *w, int64_t stamp) {
    size_t low = 0;
    for (size_t left = w->count; left > 0;) {
        const size_t half = left / 2;
        const bool below = w->stamps[low + half] < stamp;
        low = below ? low + half + 1 : low;
        left = below ? left - half - 1 : half;
    }
    return low;
}

static void move_segments(const void *context, size_t begin, size_t end) {
    const points_work *w = context;
    baseline_points *const loop = loops_of_processor().points;
    size_t at = first_of(w, w->keys[begin]);
    for (size_t k = begin; k < end; k++) {
        const size_t next = first_of(w, w->keys[k + 1]);
        loop(&w->segments[k], w->stamps + at, w->points + 3 * at, w->moved + 3 * at, next - at);
        at = next;
    }
}

static cli_exit simple_once(void *context, double *seconds) {
    const points_work *w = context;
    *seconds = parallel_run(w->run->pool, move_segments, w, w->row->keys - 1, 1);
    return CLI_DONE;
}

/* ---- what is moved -------------------------------------------------------------- */

static bool reserve(points_work *w) {
    const size_t keys = w->row->keys, n = w->count;
    w->keys = malloc(keys * sizeof *w->keys);
    w->rotations = malloc(keys * 4 * sizeof *w->rotations);
    w->positions = malloc(keys * 3 * sizeof *w->positions);
    w->segments = calloc(keys, sizeof *w->segments);
    w->stamps = baseline_memory(n * sizeof *w->stamps);
    w->points = baseline_memory(3 * n * sizeof *w->points);
    w->moved = baseline_memory(3 * n * sizeof *w->moved);
    for (size_t i = 0; i < 2; i++)
        w->exact[i] = baseline_memory(3 * n * sizeof **w->exact);
    return w->keys && w->rotations && w->positions && w->segments && w->stamps && w->points &&
           w->moved && w->exact[0] && w->exact[1];
}

static void set_segment(points_work *w, size_t k) {
    const double *q = w->rotations + 4 * k, *p = w->positions + 3 * k;
    const double m[] = {1 - 2 * (q[1] * q[1] + q[2] * q[2]),
                        -2 * q[2] * q[3],
                        2 * q[1] * q[3],
                        2 * q[2] * q[3],
                        1 - 2 * q[2] * q[2],
                        2 * q[1] * q[2],
                        -2 * q[1] * q[3],
                        2 * q[1] * q[2],
                        1 - 2 * q[1] * q[1]};
    baseline_segment *s = &w->segments[k];
    for (size_t c = 0; c < 9; c++)
        s->turn[c] = (float)m[c];
    s->rotation[1] = (float)(0.6 * turn);
    s->rotation[2] = (float)(0.8 * turn);
    s->angle2 = (float)(turn * turn);
    s->begin = w->keys[k];
    s->inverse = 1.0f / STEP;
    for (size_t c = 0; c < 3; c++) {
        s->position[c] = (float)p[c];
        s->way[c] = (float)(p[3 + c] - p[c]);
    }
}

static void fill(points_work *w) {
    const size_t keys = w->row->keys;
    uint64_t state = 1;
    for (size_t k = 0; k < keys; k++) { /* about the axis 0 .6 .8 */
        const double half = turn * (double)k / 2;
        const double q[] = {0, 0.6 * sin(half), 0.8 * sin(half), cos(half)};
        const double p[] = {0.1 * (double)(k % 200), 0.01 * (double)(k % 100), 0};
        w->keys[k] = epoch + STEP * (int64_t)k;
        memcpy(w->rotations + 4 * k, q, sizeof q);
        memcpy(w->positions + 3 * k, p, sizeof p);
    }
    for (size_t k = 0; k + 1 < keys; k++)
        set_segment(w, k);
    for (size_t i = 0; i < w->count; i++) {
        const double part = w->row->unsorted ? scenes_random(&state) : (double)i / (double)w->count;
        w->stamps[i] = epoch + (int64_t)(part * STEP * (double)(keys - 1));
        for (size_t c = 0; c < 3; c++) {
            w->points[3 * i + c] = (float)(100 * scenes_random(&state) - 50);
            w->exact[0][3 * i + c] = (double)w->points[3 * i + c];
        }
    }
}

static cli_exit open_points(points_work *w) {
    pm_error error = {0};
    if (!reserve(w))
        return bench_out_of_memory();
    fill(w);
    if (make_trajectory(w, &w->trajectory, &error) != PM_OK)
        return cli_fail_error("bench", &error);
    w->job = (pm_points_job){.count = w->count,
                             .stamps = {.data = w->stamps},
                             .points = {.data = w->points},
                             .frames = {{.trajectory = w->trajectory}},
                             .frame_count = 1,
                             .moved = {.data = w->moved}};
    if (w->row->in_double) {
        w->job.points = (pm_coordinates){.data = w->exact[0], .type = PM_COORDINATE_FLOAT64};
        w->job.moved = (pm_coordinates_out){.data = w->exact[1], .type = PM_COORDINATE_FLOAT64};
    }
    return CLI_DONE;
}

static void close_points(points_work *w) {
    void *const all[] = {w->keys,   w->rotations, w->positions, w->segments, w->stamps,
                         w->points, w->moved,     w->exact[0],  w->exact[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pm_trajectory_destroy(&w->trajectory);
}

/* ---- cases --------------------------------------------------------------------- */

/* What is in `moved`, beside points that the job moves in double. */
static cli_exit check_points(const points_work *w, bench_result *result) {
    pm_points_job job = w->job;
    pm_error error = {0};
    double worst = 0, reach = 0;
    if (w->row->in_double)
        return CLI_DONE;
    job.points = (pm_coordinates){.data = w->exact[0], .type = PM_COORDINATE_FLOAT64};
    job.moved = (pm_coordinates_out){.data = w->exact[1], .type = PM_COORDINATE_FLOAT64};
    if (pm_move_points(&job, &error) != PM_OK)
        return cli_fail_error("bench", &error);
    for (size_t i = 0; i < 3 * w->count; i++) {
        const double off = fabs(w->exact[1][i] - (double)w->moved[i]);
        worst = off <= worst ? worst : isnan(off) ? (double)INFINITY : off;
        reach = fmax(reach, fabs(w->exact[1][i]));
    }
    result->max_error_rad = worst / reach;
    return CLI_DONE;
}

static cli_exit run_points(bench_run *run, const bench_case *which, bench_result *result) {
    const points_row *row = which->row;
    points_work w = {.run = run, .row = row};
    w.count = row->points < run->samples ? row->points : run->samples;
    const uint64_t bytes = row->in_double ? 24 : 12;
    const bench_work once = row->way == WAY_SIMPLE ? simple_once : job_once;
    double seconds;
    cli_exit code = open_points(&w);
    result->samples = w.count;
    result->bytes_per_sample = bytes;
    result->has_bytes = true;
    result->bytes_read = w.count * (bytes + sizeof(int64_t));
    result->bytes_written = w.count * bytes;
    result->error_bound = row->in_double ? (double)NAN : 1e-6;
    if (row->way == WAY_SIMPLE)
        result->baseline_ratio = 1.0;
    if (code == CLI_DONE) {
        memset(w.moved, 0xff, 3 * w.count * sizeof *w.moved);
        code = once(&w, &seconds);
    }
    if (code == CLI_DONE)
        code = check_points(&w, result);
    if (code == CLI_DONE) {
        bench_plan plan = bench_plan_of(run, once, &w);
        if (row->way != WAY_SIMPLE && !row->unsorted)
            bench_plan_compare(&plan, ROLE_BASELINE, simple_once, &w, 1.0);
        code = bench_repeat(&plan, result);
    }
    close_points(&w);
    return code;
}

case_table points_table(void) {
    return (case_table){run_points, BENCH_ROWS(rows), NULL};
}
