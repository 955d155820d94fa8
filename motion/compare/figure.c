/* SPDX-License-Identifier: MIT
 *
 * A figure stands along an axis if its head is above its first joint there or, without a head, if it
 * reaches further there. The lowest joint tells standing from lying: it stays on the ground along the
 * axis that points up.
 */
#include "motion/compare/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_JOINTS = 5, POSES = 32 };

/* Of a pose: how far joints reach, the lowest place, and the direction to the head, of length 1. */
typedef struct pose_measures {
    double extent[3], low[3], head[3];
} pose_measures;

typedef struct measuring {
    subject *s;
    uint32_t *joints; /* that turn */
    size_t count;
    size_t head; /* among them; `count`: none */
    pose_measures poses[POSES];
    size_t pose_count;
} measuring;

/* ---- joints -------------------------------------------------------------------------------- */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* "Head" and "mixamorig:Head", not "HeadTop_End". */
static bool is_head(pm_motion_name name) {
    static const char word[] = "head";
    const size_t size = sizeof word - 1;
    for (size_t i = 0; i < size && name.size >= size; i++)
        if (lower(name.text[name.size - size + i]) != word[i])
            return false;
    return name.size >= size;
}

static void find_joints(measuring *m) {
    for (size_t j = 0; j < m->s->joint_count; j++)
        if (m->s->channels[j].of[PM_MOTION_ROTATION])
            m->joints[m->count++] = (uint32_t)j;
    m->head = m->count;
    for (size_t i = m->count; i > 0; i--)
        m->head = is_head(subject_name(m->s, m->joints[i - 1])) ? i - 1 : m->head;
}

/* ---- poses --------------------------------------------------------------------------------- */

static bool measure_pose(const measuring *m, const subject_pose *poses, pose_measures *found) {
    const double *root = poses[m->joints[0]].place;
    double length = 0;
    for (size_t i = 0; i < 3; i++) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (size_t j = 0; j < m->count; j++) {
            low = fmin(low, poses[m->joints[j]].place[i]);
            high = fmax(high, poses[m->joints[j]].place[i]);
        }
        found->extent[i] = high - low;
        found->low[i] = low;
        found->head[i] = m->head < m->count ? poses[m->joints[m->head]].place[i] - root[i] : 0;
        length += found->head[i] * found->head[i];
    }
    for (size_t i = 0; i < 3 && length > 0; i++)
        found->head[i] /= sqrt(length);
    return isfinite(found->extent[0] + found->extent[1] + found->extent[2] + length);
}

/* Poses at even distances, of no more than the keys. */
static pm_status measure_poses(measuring *m, subject_pose *poses, pm_error *error) {
    const size_t count = m->s->keys < POSES ? m->s->keys : POSES;
    pm_status status = PM_OK;
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        const double time = count > 1 ? m->s->seconds * (double)i / (double)(count - 1) : 0;
        status = subject_evaluate(m->s, &time, 1, poses, error);
        if (status == PM_OK && measure_pose(m, poses, &m->poses[m->pose_count]))
            m->pose_count++;
    }
    return status;
}

/* ---- the figure ---------------------------------------------------------------------------- */

static int compare_numbers(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The number that a part of them do not exceed, of the field at `offset` of each pose. */
static double quantile(const measuring *m, size_t offset, double part) {
    double sorted[POSES];
    for (size_t i = 0; i < m->pose_count; i++)
        memcpy(&sorted[i], (const char *)&m->poses[i] + offset, sizeof sorted[i]);
    qsort(sorted, m->pose_count, sizeof *sorted, compare_numbers);
    return sorted[(size_t)(part * (double)(m->pose_count - 1) + 0.5)];
}

static double extent_of(const measuring *m, size_t axis, double part) {
    return quantile(m, offsetof(pose_measures, extent) + axis * sizeof(double), part);
}

/* How much the lowest joint moves along an axis. */
static double unrest_of(const measuring *m, size_t axis) {
    const size_t offset = offsetof(pose_measures, low) + axis * sizeof(double);
    return quantile(m, offset, 0.75) - quantile(m, offset, 0.25);
}

static void choose_up(const measuring *m, figure *f) {
    const size_t given = (size_t)m->s->up, other = given == 1 ? 2 : 1;
    const size_t head = offsetof(pose_measures, head) + other * sizeof(double);
    const bool stands = m->head < m->count ? quantile(m, head, 0.5) > 0.7
                                           : f->extent[other] > 1.5 * f->extent[given];
    const bool lies = unrest_of(m, given) < 0.5 * unrest_of(m, other);
    f->up = (int)(stands && !lies ? other : given);
    f->is_doubtful = stands && lies && f->extent[other] > 2.5 * f->extent[given];
}

static void describe(const measuring *m, figure *f) {
    for (size_t i = 0; i < 3; i++)
        f->extent[i] = extent_of(m, i, 0.5);
    f->is_known = f->extent[0] + f->extent[1] + f->extent[2] > 0;
    choose_up(m, f);
    f->height = extent_of(m, (size_t)f->up, 1);
}

pm_status figure_measure(subject *s, figure *f, pm_error *error) {
    measuring m = {.s = s, .joints = motion_allocate(&s->arena, s->joint_count, sizeof *m.joints)};
    subject_pose *poses = motion_allocate(&s->arena, s->joint_count, sizeof *poses);
    *f = (figure){.up = s->up};
    if (!m.joints || !poses)
        return motion_refuse_memory(error);
    find_joints(&m);
    if (!s->has_places || m.count < LEAST_JOINTS)
        return PM_OK;
    const pm_status status = measure_poses(&m, poses, error);
    if (status == PM_OK && m.pose_count > 0)
        describe(&m, f);
    return status;
}
