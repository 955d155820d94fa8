/* SPDX-License-Identifier: MIT
 *
 * Samples of angular rates, and their scale. The same seed makes the same probe.
 */
#include "rates.h"

#include "motion.h"

#include <math.h>
#include <string.h>

#define IN_SEGMENT 12

/* Rotations in float32 have an error of 1e-7 rad at any angle, and a curve whose weights rise by 2
 * per segment moves by a few of those: this is the minimum rotation of a segment. */
#define MIN_TURN 0.25

static rate_scale scale_of(const oracle *o, size_t track, size_t segment) {
    const double length =
        oracle_key_time(o, track, segment + 1) - oracle_key_time(o, track, segment);
    const double velocity = fmax(oracle_reach(o, track, segment), MIN_TURN) / length;
    return (rate_scale){velocity, fmax(velocity / length, velocity * velocity)};
}

static void finish(const variant *v, probe *p) {
    variant_prepare(v, &p->set);
    p->desc = variant_describe(v, &p->set);
    p->o = oracle_create(&p->desc);
    p->count = 0;
    for (size_t n = 0; n < p->set.count; n++)
        for (size_t i = 0; oracle_key_count(p->o, n) > 1 && i < oracle_segment_count(p->o, n); i++)
            p->scales[n][i] = scale_of(p->o, n, i);
}

/* Whether float32 keys determine the curve. */
static bool is_reasonable(const variant *v, const test_track *t) {
    track_set one;
    set_create(1, false, &one);
    one.tracks[0] = *t;
    variant_prepare(v, &one);
    const pm_clip_desc desc = variant_describe(v, &one);
    const bool beyond = v->method == PM_METHOD_SPLINE && oracle_beyond_reason(&desc);
    set_destroy(&one);
    return !beyond;
}

void probe_tracks(const track_kind *c, const variant *v, probe *p) {
    random_source source = random_start();
    set_create(small_sizes() ? 1 : RATE_TRACKS, false, &p->set);
    for (size_t n = 0; n < p->set.count; n++) {
        test_track *t = &p->set.tracks[n];
        do {
            c->make(&source, n, t);
        } while (!is_reasonable(v, t));
        if (n > 0 && t->period > 0.0) { /* a clip has a single period */
            memcpy(t->times, p->set.tracks[0].times, sizeof t->times);
            t->period = p->set.tracks[0].period;
        }
    }
    finish(v, p);
}

void probe_adversarial(size_t index, const variant *v, probe *p) {
    set_create(1, false, &p->set);
    adversarial_track(index, &p->set.tracks[0]);
    finish(v, p);
}

void probe_free(probe *p) {
    oracle_destroy(p->o);
    set_destroy(&p->set);
}

void probe_add(probe *p, size_t track, double time) {
    assert_true(p->count < RATE_SAMPLES);
    p->tracks[p->count] = (uint32_t)track;
    p->times[p->count] = time;
    p->cursors[p->count++] = oracle_at_time(p->o, track, time);
}

static double u_of(random_source *source, size_t k) {
    static const double borders[] = {0.0, 0.5, 1e-7, 1.0 - 1e-7, 1.0 - 1e-12};
    return k < sizeof borders / sizeof *borders ? borders[k] : random_unit(source);
}

void probe_segments(probe *p) {
    random_source source = random_start();
    for (size_t n = 0; n < p->set.count; n++) {
        const bool constant = oracle_key_count(p->o, n) < 2;
        for (size_t i = 0; i < oracle_segment_count(p->o, n); i++) {
            const double from = oracle_key_time(p->o, n, i);
            const double to = constant ? from + 1.0 : oracle_key_time(p->o, n, i + 1);
            for (size_t k = 0; k < IN_SEGMENT; k++)
                probe_add(p, n, from + u_of(&source, k) * (to - from));
        }
    }
}

static void take(float *from, size_t count, void *to) {
    for (size_t k = 0; k < count; k++)
        assert_false(is_poison(from[k]));
    memcpy(to, from, count * sizeof *from);
    guarded_free(from);
}

void probe_sample(const probe *p, pm_engine *engine, pm_axis_frame frame, rates *out) {
    pm_clip *clip = clip_make(engine, &p->desc);
    const pm_sample_job job = {.sample_count = p->count,
                               .times = p->times,
                               .tracks = p->tracks,
                               .rotations = guarded_floats(4 * p->count),
                               .velocities = guarded_floats(3 * p->count),
                               .accelerations = guarded_floats(3 * p->count),
                               .velocity_frame = frame};
    sample_make(clip, &job);
    take(job.rotations, 4 * p->count, out->rotations);
    take(job.velocities, 3 * p->count, out->velocities);
    take(job.accelerations, 3 * p->count, out->accelerations);
    pm_clip_destroy(&clip);
}

vec3 rate_of(const float v[3]) {
    return (vec3){(double)v[0], (double)v[1], (double)v[2]};
}
