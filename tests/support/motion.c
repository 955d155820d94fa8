/* SPDX-License-Identifier: MIT
 *
 * Random walks over rotations, and double-precision slerp in textbook form.
 */
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

random_source random_salted(uint64_t salt) {
    random_source source = random_start();
    source.state += salt * 0x9E3779B97F4A7C15u;
    return source;
}

static void multiply(const double a[4], const double b[4], double out[4]) {
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static double length(const double *v, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Rotates q by `low` to `high` radians about a random axis. */
static void step_randomly(random_source *source, double low, double high, double q[4]) {
    double axis[3], norm;
    do {
        for (int c = 0; c < 3; c++)
            axis[c] = random_between(source, -1, 1);
        norm = length(axis, 3);
    } while (norm < 0.1 || norm > 1);
    const double half = 0.5 * random_between(source, low, high);
    double step[4] = {0, 0, 0, cos(half)}, next[4];
    for (int c = 0; c < 3; c++)
        step[c] = axis[c] / norm * sin(half);
    multiply(q, step, next);
    const double scale = 1 / length(next, 4);
    for (int c = 0; c < 4; c++)
        q[c] = next[c] * scale;
}

static const size_t widths[3] = {4, 3, 3};

static motion motion_allocate(size_t keys, size_t tracks) {
    motion m = {.keys = keys, .tracks = tracks};
    m.rotations = test_array(keys * tracks * 4, sizeof(float));
    m.positions = test_array(keys * tracks * 3, sizeof(float));
    m.scales = test_array(keys * tracks * 3, sizeof(float));
    for (size_t i = 0; i < 3; i++) {
        m.tangents_in[i] = test_array(keys * tracks * widths[i], sizeof(float));
        m.tangents_out[i] = test_array(keys * tracks * widths[i], sizeof(float));
    }
    return m;
}

/* Drawn from a separate source, so that keys do not depend on them. */
static void draw_tangents(motion *m, uint64_t salt) {
    static const double largest[3] = {0.5, 5, 0.5};
    random_source source = random_salted(salt + 0x7A0000);
    for (size_t i = 0; i < 3; i++)
        for (size_t c = 0; c < m->keys * m->tracks * widths[i]; c++) {
            m->tangents_in[i][c] = (float)random_between(&source, -largest[i], largest[i]);
            m->tangents_out[i][c] = (float)random_between(&source, -largest[i], largest[i]);
        }
}

motion motion_make(size_t keys, size_t tracks, double turn, uint64_t salt) {
    random_source source = random_salted(salt);
    motion m = motion_allocate(keys, tracks);
    draw_tangents(&m, salt);
    for (size_t track = 0; track < tracks; track++) {
        double q[4] = {0, 0, 0, 1};
        step_randomly(&source, 0, 3.1, q);
        for (size_t key = 0; key < keys; key++) {
            const size_t row = key * tracks + track;
            for (size_t c = 0; c < 4; c++)
                m.rotations[row * 4 + c] = (float)q[c];
            for (size_t c = 0; c < 3; c++) {
                m.positions[row * 3 + c] = (float)random_between(&source, -10, 10);
                m.scales[row * 3 + c] = (float)random_between(&source, 0.5, 2);
            }
            step_randomly(&source, 0.2 * turn, turn, q);
        }
    }
    return m;
}

void motion_free(motion *m) {
    free(m->rotations);
    free(m->positions);
    free(m->scales);
    for (size_t i = 0; i < 3; i++) {
        free(m->tangents_in[i]);
        free(m->tangents_out[i]);
    }
    *m = (motion){0};
}

/* Copies rows of `from` with a stride to `to`, starting at row `row`. */
static void copy_rows(const motion *from, size_t first, size_t stride, size_t count, motion *to,
                      size_t row) {
    const float *sources[9] = {from->rotations, from->positions, from->scales};
    float *targets[9] = {to->rotations, to->positions, to->scales};
    for (size_t i = 0; i < 3; i++) {
        sources[3 + i] = from->tangents_in[i];
        targets[3 + i] = to->tangents_in[i];
        sources[6 + i] = from->tangents_out[i];
        targets[6 + i] = to->tangents_out[i];
    }
    for (size_t i = 0; i < 9; i++) {
        const size_t width = widths[i % 3];
        for (size_t k = 0; k < count; k++)
            memcpy(targets[i] + (row + k) * width, sources[i] + (first + k * stride) * width,
                   width * sizeof(float));
    }
}

motion motion_slice(const motion *m, size_t track, size_t keys) {
    motion one = motion_allocate(keys, 1);
    copy_rows(m, track, m->tracks, keys, &one, 0);
    return one;
}

motion motion_pack(const motion *parts, size_t count) {
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += parts[i].keys;
    motion all = motion_allocate(rows, 1);
    rows = 0;
    for (size_t i = 0; i < count; i++) {
        copy_rows(&parts[i], 0, 1, parts[i].keys, &all, rows);
        rows += parts[i].keys;
    }
    return all;
}

pm_clip_desc motion_desc(const motion *m, const pm_timeline *timeline, pm_method method) {
    static const double axis[3] = {0, 1, 0};
    pm_clip_desc desc = {
        .track_count = m->tracks,
        .timelines = timeline,
        .rotations = {.data = m->rotations, .type = PM_FLOAT32},
        .positions = {.data = m->positions, .type = PM_FLOAT32},
        .scales = {.data = m->scales, .type = PM_FLOAT32},
        .method = method,
        .axes = {.data = axis, .type = PM_FLOAT64},
    };
    if (pm_method_get_info(method)->takes_in_out) {
        desc.tangents_in.data = m->tangents_in[0];
        desc.positions_in.data = m->tangents_in[1];
        desc.scales_in.data = m->tangents_in[2];
        desc.tangents_out.data = m->tangents_out[0];
        desc.positions_out.data = m->tangents_out[1];
        desc.scales_out.data = m->tangents_out[2];
    }
    return desc;
}

pm_clip *clip_make(pm_engine *engine, const pm_clip_desc *desc) {
    pm_error error = poisoned_error();
    pm_clip *clip = NULL;
    expect_ok(pm_clip_create(engine, desc, &clip, &error), &error);
    assert_non_null(clip);
    return clip;
}

void sample_make(const pm_clip *clip, const pm_sample_job *job) {
    pm_error error = poisoned_error();
    expect_ok(pm_sample(clip, job, &error), &error);
}

void stored_key(const motion *m, size_t key, size_t track, float out[4]) {
    const float *q = m->rotations + (key * m->tracks + track) * 4;
    const double wide[4] = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
    const double norm = length(wide, 4);
    for (int c = 0; c < 4; c++)
        out[c] = (float)(wide[c] / norm);
}

void slerp_double(const float a[4], const float b[4], double u, double out[4]) {
    double dot = 0, sum = 0, difference = 0;
    for (int c = 0; c < 4; c++)
        dot += (double)a[c] * (double)b[c];
    const double sign = dot < 0 ? -1 : 1;
    for (int c = 0; c < 4; c++) {
        const double p = (double)a[c], q = sign * (double)b[c];
        sum += (p + q) * (p + q);
        difference += (q - p) * (q - p);
    }
    const double angle = 2 * atan2(sqrt(difference), sqrt(sum));
    const double s = sin(angle);
    const double wa = s > 0 ? sin((1 - u) * angle) / s : 1 - u;
    const double wb = s > 0 ? sin(u * angle) / s : u;
    for (int c = 0; c < 4; c++)
        out[c] = wa * (double)a[c] + wb * sign * (double)b[c];
}

double rotation_error(const float a[4], const double b[4]) {
    double wide[4], plus[4], minus[4];
    for (int c = 0; c < 4; c++)
        wide[c] = (double)a[c];
    const double norm_a = length(wide, 4), norm_b = length(b, 4);
    for (int c = 0; c < 4; c++) {
        plus[c] = wide[c] / norm_a + b[c] / norm_b;
        minus[c] = wide[c] / norm_a - b[c] / norm_b;
    }
    double near = length(minus, 4), far = length(plus, 4);
    return near < far ? 4 * atan2(near, far) : 4 * atan2(far, near);
}
