/* SPDX-License-Identifier: MIT
 *
 * Errors of trajectories as they are usually stated: ATE of places, after the rigid motion or the similarity
 * of B that makes it least (Umeyama 1991, by the quaternion of Horn 1987), and RPE from pose to pose. B, the
 * estimate, is taken at its own stamps, and A, the reference, is interpolated there.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/compare/compare.h"
#include "motion/model/evaluate.h"

/* ---- the part in common ---------------------------------------------------------------------------- */

static bool are_trajectories(const comparison *c) {
    return c->a != c->b && c->a->motion->content.has_stamps && c->b->motion->content.has_stamps;
}

pm_status trajectories_align(comparison *c, char *text, size_t size, pm_error *error) {
    int64_t behind;
    text[0] = '\0';
    if (!are_trajectories(c))
        return PM_OK;
    const int64_t a = c->a->motion->content.epoch, b = c->b->motion->content.epoch;
    const bool fits = !__builtin_sub_overflow(b, a, &behind);
    const double seconds = (fits ? (double)behind / 1e9 : 0) + c->b->begin - c->a->begin;
    if (!fits || seconds > c->a->seconds || -seconds > c->b->seconds)
        return motion_refuse(error,
                             "has stamps from %lld ns on for %.9g s, and B from %lld ns on for "
                             "%.9g s: no time is in both",
                             (long long)a, c->a->seconds, (long long)b, c->b->seconds);
    if (seconds == 0)
        return PM_OK;
    subject_cut(seconds > 0 ? c->a : c->b, fabs(seconds), HUGE_VAL);
    snprintf(text, size, "begins %.9g s %s A; times count from the first stamp in both",
             fabs(seconds), seconds > 0 ? "after" : "before");
    return PM_OK;
}

/* ---- poses ----------------------------------------------------------------------------------------- */

typedef struct pose_list {
    double *places[2], *turns[2]; /* (count, 3) and (count, 4) of A and B */
    size_t count;
} pose_list;

/* The stamps of B in the part, in seconds after its beginning. NULL: memory is exhausted. */
static double *find_stamps(comparison *c, size_t *count) {
    const pm_motion_clip *clip = c->b->clip;
    const double end = c->start + c->seconds + SUBJECT_SAME_TIME;
    size_t all = 0;
    for (size_t t = 0; t < clip->timeline_count; t++)
        all += clip->timelines[t].key_count;
    double *times = motion_allocate(&c->arena, all, sizeof *times);
    if (!times)
        return NULL;
    all = *count = 0;
    for (size_t t = 0; t < clip->timeline_count; t++)
        all += evaluate_key_times(&clip->timelines[t], times + all);
    all = evaluate_unite_times(times, all);
    for (size_t k = 0; k < all; k++) {
        const double time = times[k] - c->b->begin;
        if (time >= c->start - SUBJECT_SAME_TIME && time <= end)
            times[(*count)++] = fmax(time, 0);
    }
    return times;
}

/* Poses of one of both at times. */
static pm_status take_poses(comparison *c, int side, const double *times, pose_list *list,
                            pm_error *error) {
    enum { BLOCK = 512 };
    subject *s = side == 0 ? c->a : c->b;
    const size_t joint = side == 0 ? c->pairs->pairs[0].a : c->pairs->pairs[0].b;
    subject_pose *poses = motion_allocate(&c->arena, s->joint_count, BLOCK * sizeof *poses);
    list->places[side] = motion_allocate(&c->arena, list->count, 3 * sizeof(double));
    list->turns[side] = motion_allocate(&c->arena, list->count, 4 * sizeof(double));
    MOTION_TRY_MEMORY(poses && list->places[side] && list->turns[side], error);
    for (size_t k = 0; k < list->count; k += BLOCK) {
        const size_t block = list->count - k < BLOCK ? list->count - k : BLOCK;
        MOTION_TRY(subject_evaluate(s, times + k, block, poses, error));
        for (size_t n = 0; n < block; n++) {
            const subject_pose *pose = &poses[n * s->joint_count + joint];
            memcpy(list->places[side] + 3 * (k + n), pose->place, sizeof pose->place);
            memcpy(list->turns[side] + 4 * (k + n), pose->rotation, sizeof pose->rotation);
        }
    }
    return PM_OK;
}

/* ---- ATE ------------------------------------------------------------------------------------------- */

/* Sums from the first place on: far from an origin they would lose digits. */
static void find_mean(const double *places, size_t count, double mean[3]) {
    for (size_t i = 0; i < 3; i++) {
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += places[3 * k + i] - places[i];
        mean[i] = places[i] + sum / (double)count;
    }
}

static double rms(double squares, size_t count) {
    return sqrt(squares / (double)count);
}

/* The eigenvector of the largest eigenvalue of a symmetric matrix whose entries are at most 3: what its
 * powers become, shifted so that no eigenvalue is below 0. */
static void find_eigenvector(double k[4][4], double q[4]) {
    enum { SQUARINGS = 50 };
    size_t longest = 0;
    for (int i = 0; i < 4; i++)
        k[i][i] += 12;
    for (int n = 0; n < SQUARINGS; n++) {
        double square[4][4] = {{0}}, trace = 0;
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 4; j++)
                square[i / 4][i % 4] += k[i / 4][j] * k[j][i % 4];
        for (int i = 0; i < 4; i++)
            trace += square[i][i];
        for (int i = 0; i < 16; i++)
            k[i / 4][i % 4] = square[i / 4][i % 4] / trace;
    }
    for (size_t i = 1; i < 4; i++)
        longest = k[i][i] > k[longest][longest] ? i : longest;
    memcpy(q, k[longest], 4 * sizeof *q);
    evaluate_normalise(q);
}

/* The rotation of B about its mean, and the scale, for which the places of A are nearest. */
static void find_similarity(const pose_list *list, const double mean[2][3], double q[4],
                            double *size) {
    double m[3][3] = {{0}}, spread_of_b = 0, largest = 0, both = 0;
    for (size_t k = 0; k < list->count; k++)
        for (size_t i = 0; i < 3; i++) {
            const double own = list->places[1][3 * k + i] - mean[1][i];
            for (size_t j = 0; j < 3; j++)
                m[i][j] += (list->places[0][3 * k + i] - mean[0][i]) *
                           (list->places[1][3 * k + j] - mean[1][j]);
            spread_of_b += own * own;
        }
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(m[i / 3][i % 3]));
    q[0] = q[1] = q[2] = 0;
    q[3] = *size = 1;
    if (largest == 0)
        return;
    for (int i = 0; i < 9; i++)
        m[i / 3][i % 3] /= largest;
    double k[4][4] = {
        {m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0], m[2][1] - m[1][2]},
        {m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1], m[0][2] - m[2][0]},
        {m[0][2] + m[2][0], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1], m[1][0] - m[0][1]},
        {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], m[0][0] + m[1][1] + m[2][2]}};
    find_eigenvector(k, q);
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {i == 0, i == 1, i == 2};
        double turned[3];
        quat_rotate(q, axis, turned);
        for (int j = 0; j < 3; j++)
            both += turned[j] * m[j][i];
    }
    *size = both * largest / spread_of_b;
}

static void find_absolute(const pose_list *list, pm_motion_trajectory_error *e) {
    double mean[2][3], q[4], squares[3] = {0};
    find_mean(list->places[0], list->count, mean[0]);
    find_mean(list->places[1], list->count, mean[1]);
    find_similarity(list, (const double(*)[3])mean, q, &e->scale);
    for (size_t k = 0; k < list->count; k++) {
        const double *a = list->places[0] + 3 * k, *b = list->places[1] + 3 * k;
        const double own[3] = {b[0] - mean[1][0], b[1] - mean[1][1], b[2] - mean[1][2]};
        double turned[3];
        quat_rotate(q, own, turned);
        for (int i = 0; i < 3; i++) {
            const double as_is = b[i] - a[i], at = a[i] - mean[0][i];
            squares[0] += as_is * as_is;
            squares[1] += (turned[i] - at) * (turned[i] - at);
            squares[2] += (e->scale * turned[i] - at) * (e->scale * turned[i] - at);
        }
    }
    e->ate = rms(squares[0], list->count);
    e->ate_rigid = rms(squares[1], list->count);
    e->ate_similar = rms(squares[2], list->count);
}

/* ---- RPE ------------------------------------------------------------------------------------------- */

/* The pose at j in the frame of the pose at i. */
static void find_step(const pose_list *list, int side, size_t i, size_t j, double turn[4],
                      double way[3]) {
    const double *p = list->places[side], *q = list->turns[side];
    const double back[4] = {-q[4 * i], -q[4 * i + 1], -q[4 * i + 2], q[4 * i + 3]};
    for (size_t n = 0; n < 3; n++)
        way[n] = p[3 * j + n] - p[3 * i + n];
    quat_multiply(back, q + 4 * j, turn);
    quat_rotate(back, way, way);
}

static void find_relative(const pose_list *list, uint64_t delta, pm_motion_trajectory_error *e) {
    double squares = 0, angles = 0, turns[2][4], ways[2][3];
    const size_t pairs = list->count > delta ? list->count - (size_t)delta : 0;
    for (size_t i = 0; i < pairs; i++) {
        for (int side = 0; side < 2; side++)
            find_step(list, side, i, i + (size_t)delta, turns[side], ways[side]);
        const double degrees = measure_angle(turns[0], turns[1]);
        const double way = measure_distance(ways[0], ways[1]);
        squares += way * way;
        angles += degrees * degrees;
    }
    e->rpe = pairs > 0 ? rms(squares, pairs) : (double)NAN;
    e->rpe_degrees = pairs > 0 ? rms(angles, pairs) : (double)NAN;
}

pm_status trajectories_compare(comparison *c, uint64_t rpe_delta, pm_motion_trajectory_error *e,
                               pm_error *error) {
    pose_list list = {.count = 0};
    if (!are_trajectories(c) || c->pairs->count != 1)
        return PM_OK;
    const double *times = find_stamps(c, &list.count);
    MOTION_TRY_MEMORY(times, error);
    MOTION_TRY(take_poses(c, 0, times, &list, error));
    MOTION_TRY(take_poses(c, 1, times, &list, error));
    if (list.count == 0)
        return PM_OK;
    e->poses = list.count;
    find_absolute(&list, e);
    find_relative(&list, rpe_delta, e);
    return PM_OK;
}
