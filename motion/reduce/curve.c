/* SPDX-License-Identifier: MIT
 *
 * Clips of one track on the reference path, and the motion of their segments.
 */
#include "host/base/elementary.h"
#include "motion/reduce/segment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/model/evaluate.h"

/* What velocities and accelerations in single precision are off by, of the lengths that they are made of:
 * a hundred roundings. */
static const double noise_part = 1e-5, noise_least = 1e-6;

/* Errors of values (docs/accuracy.md), doubled: of the quaternion, for each half turn that a segment moves by,
 * and from the position within the segment, for each radian. */
static const double value_rounding = 5e-7, place_rounding = 1.2e-7;

static const double half_pi = 1.5707963267948966, pi = 3.141592653589793;

/* ---- vectors and quaternions --------------------------------------------------------------- */

typedef struct vec {
    double x, y, z;
} vec;

/* a v + b w */
static vec sum(double a, vec v, double b, vec w) {
    return (vec){a * v.x + b * w.x, a * v.y + b * w.y, a * v.z + b * w.z};
}

static double length(vec v) {
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static double difference(vec v, vec w) {
    return length(sum(1, v, -1, w));
}

/* conj(a) b */
static void step(const double a[4], const double b[4], double out[4]) {
    out[0] = a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
    out[1] = a[3] * b[1] - a[1] * b[3] - a[2] * b[0] + a[0] * b[2];
    out[2] = a[3] * b[2] - a[2] * b[3] - a[0] * b[1] + a[1] * b[0];
    out[3] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* The half-angle vector of a unit quaternion, 0 to pi long. */
static vec log_of(const double q[4]) {
    const double sine = length((vec){q[0], q[1], q[2]});
    const double scale = sine > 0 ? pm_same_atan2(sine, q[3]) / sine : 1;
    return (vec){scale * q[0], scale * q[1], scale * q[2]};
}

static void exp_of(vec v, double q[4]) {
    const double angle = length(v), scale = angle > 0 ? pm_same_sin(angle) / angle : 1;
    const double out[4] = {scale * v.x, scale * v.y, scale * v.z, pm_same_cos(angle)};
    memcpy(q, out, sizeof out);
}

/* ---- how segments move, per segment and not per second -------------------------------------- */

/* A segment's key: the logarithm of the step to the next one, the half-angle velocities at both, and the
 * half-angle acceleration at the first. */
typedef struct key_motion {
    vec log, leaving, arriving, acceleration;
} key_motion;

/* What the curvature of the sphere adds to the acceleration of exp(v), of |v'|^2. */
static double curvature(double angle) {
    return fmin(0.64, angle * 2 / 3);
}

static turning exp_turning(double angle, double rate, double change) {
    return (turning){rate, change + curvature(angle) * rate * rate};
}

/* v = p u + q u^2 + r u^3; each derivative lies within the hull of its control points. */
static turning hermite_turning(const key_motion *k) {
    const vec p = k->leaving, q = sum(0.5, k->acceleration, 0, p);
    const vec r = sum(1, sum(1, k->log, -1, p), -1, q), third = sum(2.0 / 3, p, 1.0 / 3, q);
    const double noise = 10 * noise_part * (length(p) + length(q) + length(r)) + noise_least;
    const double angle = fmax(length(k->log), fmax(length(p) / 3, length(third)));
    const double rate =
        fmax(fmax(length(p), length(sum(1, p, 1, q))), length(sum(1, sum(1, p, 2, q), 3, r)));
    const double change = fmax(2 * length(q), length(sum(2, q, 6, r)));
    return exp_turning(angle + noise, rate + noise, change + 10 * noise);
}

/* The largest distance between the arcs of a segment, with `a` and `b` their lengths: at most a right angle,
 * which the limiter ensures. */
static double arcs_apart(double ends, double a, double b) {
    const double chord = 2 * pm_same_sin(fmin(ends, half_pi) / 2);
    const double most = (chord + fabs(b * b - a * a) / 8) / (1 - a * a / 8);
    return most < 1.4 ? fmin(2 * pm_same_asin(most / 2), half_pi) : half_pi;
}

static turning squad_turning(const key_motion *k) {
    const vec from = sum(0.5, k->leaving, -0.5, k->log), to = sum(0.5, k->log, -0.5, k->arriving);
    double e[4], f[4], l[4], inner[4];
    exp_of(from, e);
    exp_of(to, f);
    exp_of(k->log, l);
    step(e, l, inner); /* conj(e) exp(L) f, which is conj(conj(exp(L)) e) f */
    const double before[4] = {-inner[0], -inner[1], -inner[2], inner[3]};
    step(before, f, inner);
    const vec along = log_of(inner);
    const double a = length(k->log), b = length(along);
    const double noise = noise_part * (a + length(k->leaving) + length(k->arriving)) + noise_least;
    const double apart = arcs_apart(fmax(length(from), length(to)) + noise, a, b + 2 * noise);
    const double stretch = apart > 0 ? apart / pm_same_sin(apart) : 1; /* of the logarithm */
    /* Near half a turn the direction of the arc is one of rounding. */
    const double turned = b < 3 ? difference(along, k->log) : a + b;
    const double drift = turned + 3 * noise + 2 * pm_same_sin(apart) * a;
    const double rate = stretch * drift; /* of D */
    const double change = stretch * (2 * a * drift + curvature(apart) * rate * rate);
    const turning blend =
        exp_turning(apart / 2, 2 * apart + rate / 2, 4 * apart + 4 * rate + change / 2);
    return (turning){a + blend.rate, 2 * a * blend.rate + blend.change};
}

static curve_part part_of(pm_method method, const key_motion *k, double seconds) {
    const turning t = method == PM_METHOD_SLERP   ? (turning){length(k->log) + noise_least, 0}
                      : method == PM_METHOD_SQUAD ? squad_turning(k)
                                                  : hermite_turning(k);
    return (curve_part){.most = {t.rate / seconds, t.change / (seconds * seconds)},
                        .rounding =
                            value_rounding * fmax(1, 2 * t.rate / pi) + place_rounding * t.rate};
}

bool method_curve_knows(pm_method method) {
    return method == PM_METHOD_SQUAD || method == PM_METHOD_HERMITE || method == PM_METHOD_SPLINE;
}

/* ---- clips --------------------------------------------------------------------------------- */

/* Of full angles in single precision. */
static vec half(const float v[3], double scale) {
    return (vec){scale / 2 * (double)v[0], scale / 2 * (double)v[1], scale / 2 * (double)v[2]};
}

static void measure(const method_curve *c, pm_method method, const double *times,
                    const double (*keys)[4], size_t count, const float (*velocities)[3],
                    const float (*accelerations)[3]) {
    for (size_t k = 0; k + 1 < count; k++) {
        const double h = times[k + 1] - times[k];
        double next[4];
        step(keys[k], keys[k + 1], next);
        for (int i = 0; next[3] < 0 && i < 4; i++)
            next[i] = -next[i];
        const key_motion motion = {.log = log_of(next),
                                   .leaving = half(velocities[k], h),
                                   .arriving = half(velocities[k + 1], h),
                                   .acceleration = half(accelerations[k], h * h)};
        c->parts[k] = part_of(method, &motion, h);
    }
}

static pm_status measure_all(const method_curve *c, pm_method method, const double *times,
                             const double (*keys)[4], size_t count, pm_error *error) {
    FREED float(*velocities)[3] = malloc(count * sizeof *velocities);
    FREED float(*accelerations)[3] = velocities ? malloc(count * sizeof *accelerations) : NULL;
    const pm_sample_job job = {.sample_count = count,
                               .times = times,
                               .velocities = (float *)velocities,
                               .accelerations = (float *)accelerations,
                               .host_threads = 1};
    MOTION_TRY(accelerations ? pm_sample(c->clip, &job, error) : motion_refuse_memory(error));
    measure(c, method, times, keys, count, (const float(*)[3])velocities,
            (const float(*)[3])accelerations);
    return PM_OK;
}

pm_status method_curve_make(method_curve *c, pm_method method, const double *times,
                            const double (*keys)[4], size_t count, pm_error *error) {
    const pm_engine_desc reference = {.device = "none", .host_threads = 1, .cache_folder = ""};
    const pm_timeline timeline = {.key_count = count, .times = times};
    const pm_clip_desc desc = {.track_count = 1,
                               .timelines = &timeline,
                               .rotations = {.data = keys, .type = PM_FLOAT64},
                               .method = method};
    *c = (method_curve){.parts = malloc(count * sizeof *c->parts)};
    pm_status status =
        c->parts ? pm_engine_create(&reference, &c->engine, error) : motion_refuse_memory(error);
    if (status == PM_OK)
        status = pm_clip_create(c->engine, &desc, &c->clip, error);
    if (status == PM_OK)
        status = measure_all(c, method, times, keys, count, error);
    if (status != PM_OK)
        method_curve_release(c);
    return status;
}

void method_curve_release(method_curve *c) {
    pm_clip_destroy(&c->clip);
    pm_engine_destroy(&c->engine);
    free(c->parts);
    *c = (method_curve){.clip = NULL};
}

pm_status method_curve_sample(const method_curve *c, const double *times, size_t count,
                              float (*values)[4], pm_error *error) {
    const pm_sample_job job = {
        .sample_count = count, .times = times, .rotations = (float *)values, .host_threads = 1};
    return pm_sample(c->clip, &job, error);
}

void method_curve_unit(const float value[4], double q[4]) {
    for (int i = 0; i < 4; i++)
        q[i] = (double)value[i];
    evaluate_normalise(q);
}
