/* SPDX-License-Identifier: MIT
 *
 * Low-passes: the definition in double, what it promises about amplitudes, turns, ends and time, and what is
 * refused. Keys, sizes, cut-offs and rates are random.
 */
#include "support/engines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/lowpass_oracle.h"
#include "support/motion.h"

TEST_GROUP(NULL, engines_close)

static const double pi = 3.14159265358979323846;

/* ---- keys ---------------------------------------------------------------------------------- */

typedef struct clip_keys {
    size_t keys, tracks;
    pm_timeline timeline;
    double *rotations, *positions; /* (keys, tracks, 4) and 3 */
    pm_clip_desc desc;
} clip_keys;

static clip_keys motion_of(size_t keys, size_t tracks, pm_rational rate) {
    clip_keys m = {.keys = keys, .tracks = tracks, .timeline = {.key_count = keys, .rate = rate}};
    m.rotations = test_array(keys * tracks, 4 * sizeof *m.rotations);
    m.positions = test_array(keys * tracks, 3 * sizeof *m.positions);
    return m;
}

static pm_clip_desc desc_of(const clip_keys *m) {
    return (pm_clip_desc){.track_count = m->tracks,
                          .timelines = &m->timeline,
                          .rotations = {.data = m->rotations, .type = PM_FLOAT64},
                          .positions = {.data = m->positions, .type = PM_FLOAT64}};
}

static void free_motion(clip_keys *m) {
    free(m->rotations);
    free(m->positions);
}

static void put(double *to, quat q) {
    const double all[] = {q.x, q.y, q.z, q.w};
    memcpy(to, all, sizeof all);
}

static double *rotation_of(const clip_keys *m, size_t key, size_t track) {
    return m->rotations + 4 * (key * m->tracks + track);
}

static quat random_turn(random_source *source, double angle) {
    double v[3];
    random_direction(source, v);
    return quat_exp(vec3_scale(vec3_of(v), angle));
}

/* Random walks, with steps up to `step` rad and tremor up to a tenth of that. */
static clip_keys random_motion(random_source *source, size_t keys, size_t tracks, double step) {
    clip_keys m = motion_of(keys, tracks, (pm_rational){120, 1});
    for (size_t t = 0; t < tracks; t++) {
        quat q = random_turn(source, 3);
        vec3 p = {0, 0, 0}, turn = {0, 0, 0};
        for (size_t k = 0; k < keys; k++) {
            const vec3 push = quat_log(random_turn(source, step));
            turn = vec3_add(vec3_scale(turn, 0.8), vec3_scale(push, 0.2));
            q = quat_normalise(quat_multiply(q, quat_exp(turn)));
            p = vec3_add(p, vec3_scale(turn, 10));
            put(rotation_of(&m, k, t), quat_multiply(q, random_turn(source, 0.1 * step)));
            memcpy(m.positions + 3 * (k * tracks + t), &p, sizeof p);
        }
    }
    return m;
}

typedef struct results {
    float *rotations, *positions;
    size_t count, tracks;
} results;

/* Samples on guarded memory that is full of NaN. */
static results filter(pm_engine *engine, const clip_keys *m, double cutoff, pm_sample_job job) {
    const pm_clip_desc desc = desc_of(m);
    const results r = {guarded_floats(4 * job.sample_count * m->tracks),
                       guarded_floats(3 * job.sample_count * m->tracks), job.sample_count,
                       m->tracks};
    SCOPED(pm_filter_destroy) pm_filter *made = NULL;
    job.rotations = r.rotations;
    job.positions = r.positions;
    expect_success(pm_filter_create(engine, &desc, cutoff, &made, new_error()));
    expect_success(pm_filter_sample(made, &job, new_error()));
    expect_guards(r.rotations, 4 * r.count * r.tracks);
    expect_guards(r.positions, 3 * r.count * r.tracks);
    return r;
}

static void free_results(results *r) {
    guarded_free(r->rotations);
    guarded_free(r->positions);
}

static quat result_at(const results *r, size_t sample, size_t track) {
    const float *q = r->rotations + 4 * (sample * r->tracks + track);
    return (quat){(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
}

static pm_sample_job every_frame(const clip_keys *m) {
    return (pm_sample_job){.sample_count = m->keys, .rate = m->timeline.rate};
}

/* ---- the definition ------------------------------------------------------------------------ */

static double largest; /* rad, of all samples that were compared */

static void expect_definition(const clip_keys *m, const results *r, double cutoff, double step) {
    SCOPED(free_at) quat *keys = test_array(m->keys, sizeof *keys);
    SCOPED(free_at) double *numbers = test_array(m->keys, sizeof *numbers);
    const lowpass_track rotations = {.rotations = keys, .count = m->keys};
    const lowpass_track positions = {.numbers = numbers, .count = m->keys};
    for (size_t t = 0; t < m->tracks; t++) {
        for (size_t k = 0; k < m->keys; k++) {
            const quat q = quat_normalise(quat_of(rotation_of(m, k, t)));
            keys[k] = k > 0 && quat_dot(q, keys[k - 1]) < 0 ? quat_scale(q, -1) : q;
            numbers[k] = m->positions[3 * (k * m->tracks + t) + 1];
        }
        for (size_t s = t % 3; s < r->count; s += 1 + r->count / 24) {
            const double at = (double)s * step;
            const double number = (double)r->positions[3 * (s * m->tracks + t) + 1];
            const double wanted = lowpass_oracle_number(&positions, cutoff, at);
            const quat q = lowpass_oracle_rotation(&rotations, cutoff, at);
            largest = fmax(largest, oracle_error(result_at(r, s, t), q));
            assert_true(largest < 5e-7);
            assert_true(fabs(number - wanted) <= 1e-6 * (1 + fabs(wanted)));
        }
    }
}

TEST_ON_BOTH(samples_are_those_of_the_definition) {
    static const size_t lengths[] = {2, 3, 9, 40, 300};
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(71);
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        SCOPED(free_motion)
        clip_keys m = random_motion(&source, lengths[i], 1 + random_size(&source, 0, 19), 0.15);
        const pm_rational rate = {(int64_t)(20 + random_size(&source, 0, 300)), 1};
        const double cutoff = random_between(&source, 8, 60);
        const size_t count = 1 + (lengths[i] - 1) * (size_t)rate.num / 120;
        SCOPED(free_results)
        results r =
            filter(engine, &m, cutoff, (pm_sample_job){.sample_count = count, .rate = rate});
        expect_definition(&m, &r, cutoff / 120, 120.0 / (double)rate.num);
    }
    print_message("# largest error %.2g rad\n", largest);
}

TEST_ON_DEVICE(a_device_gives_the_bits_of_plain_C) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(72);
    for (size_t i = 0; i < 4; i++) {
        SCOPED(free_motion)
        clip_keys m = random_motion(&source, 2 + random_size(&source, 0, 200),
                                    1 + random_size(&source, 0, 40), i == 3 ? 3 : 0.5);
        double times[300];
        for (size_t k = 0; k < COUNT_OF(times); k++)
            times[k] = random_between(&source, -0.1, 0.1 + (double)m.keys / 120);
        pm_sample_job job = {.sample_count = COUNT_OF(times), .times = times};
        const double cutoff = random_between(&source, 4, 60);
        SCOPED(free_results) results device = filter(engine, &m, cutoff, job);
        job.on_reference = true;
        SCOPED(free_results) results plain = filter(engine, &m, cutoff, job);
        expect_same_bits(device.rotations, plain.rotations, 4 * job.sample_count * m.tracks,
                         4 * m.tracks);
        expect_same_bits(device.positions, plain.positions, 3 * job.sample_count * m.tracks,
                         3 * m.tracks);
    }
}

/* ---- sines --------------------------------------------------------------------------------- */

enum { SINES = 59, SECONDS = 2 };

/* Track f - 1 turns by a sine of f Hz, about x, and about y too a quarter of a period later. */
static clip_keys sines(double amplitude, bool both) {
    clip_keys m = motion_of(SECONDS * 120 + 1, SINES, (pm_rational){120, 1});
    for (size_t k = 0; k < m.keys; k++)
        for (size_t f = 1; f <= SINES; f++) {
            const double phase = 2 * pi * (double)f * (double)k / 120 + (double)f;
            const vec3 half = {0.5 * amplitude * sin(phase),
                               both ? 0.5 * amplitude * cos(phase) : 0, 0};
            const double position[3] = {100 + sin(phase), 0, 0};
            put(rotation_of(&m, k, f - 1), quat_exp(half));
            memcpy(m.positions + 3 * (k * SINES + f - 1), position, sizeof position);
        }
    return m;
}

/* What remains of the sine within the middle second: all of it in the pass band, nothing in the stop band. */
static void expect_sine(const results *r, size_t s, size_t f, double time, double cutoff,
                        double amplitude, bool both) {
    const double phase = 2 * pi * (double)f * time + (double)f;
    const double gain = (double)f <= 0.8 * cutoff ? 1 : 0;
    const vec3 half = quat_log(result_at(r, s, f - 1));
    const double rounding = 3e-7 / amplitude;
    const double position = (double)r->positions[3 * (s * SINES + f - 1)];
    if ((double)f > 0.8 * cutoff && (double)f < 1.2 * cutoff)
        return;
    assert_true(fabs(2 * half.x / amplitude - gain * sin(phase)) <= 1e-3 + rounding);
    if (both)
        assert_true(fabs(2 * half.y / amplitude - gain * cos(phase)) <= 1e-3 + rounding);
    assert_true(fabs(position - 100 - gain * sin(phase)) <= 1e-3 + 1e-5);
}

TEST_ON_BOTH(sines_stay_below_the_cut_off_and_vanish_above_it) {
    static const int64_t rates[] = {100, 60, 50, 30, 25};
    pm_engine *engine = engine_for(state);
    for (size_t both = 0; both < 2; both++) {
        const double amplitude = both ? 0.01 : 0.3;
        SCOPED(free_motion) clip_keys m = sines(amplitude, both);
        for (size_t i = 0; i < COUNT_OF(rates); i++) {
            const double rate = (double)rates[i], cutoff = 0.45 * rate;
            const pm_sample_job job = {.sample_count = SECONDS * (size_t)rates[i] + 1,
                                       .rate = {rates[i], 1}};
            SCOPED(free_results) results r = filter(engine, &m, cutoff, job);
            for (size_t s = 0; s < r.count; s++)
                for (size_t f = 1; f <= SINES && fabs((double)s / rate - 1) < 0.5; f++)
                    expect_sine(&r, s, f, (double)s / rate, cutoff, amplitude, both);
        }
    }
}

/* ---- turns, time and ends ------------------------------------------------------------------ */

TEST_ON_REFERENCE(turning_all_keys_on_either_side_turns_the_samples) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(73);
    SCOPED(free_motion) clip_keys m = random_motion(&source, 150, 5, 0.3);
    const quat left = random_turn(&source, 3), right = random_turn(&source, 3);
    SCOPED(free_results) results before = filter(engine, &m, 11, every_frame(&m));
    for (size_t i = 0; i < m.keys * m.tracks; i++)
        put(m.rotations + 4 * i,
            quat_multiply(left, quat_multiply(quat_of(m.rotations + 4 * i), right)));
    SCOPED(free_results) results after = filter(engine, &m, 11, every_frame(&m));
    for (size_t k = 0; k < m.keys; k++)
        for (size_t t = 0; t < m.tracks; t++) {
            const quat turned = quat_multiply(left, quat_multiply(result_at(&before, k, t), right));
            assert_true(oracle_error(turned, result_at(&after, k, t)) < 1e-6);
        }
}

TEST_ON_REFERENCE(a_mirrored_time_gives_mirrored_samples) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(74);
    SCOPED(free_motion)
    clip_keys m = random_motion(&source, 121, 3, 0.3),
              mirrored = motion_of(121, 3, m.timeline.rate);
    for (size_t k = 0; k < m.keys; k++) {
        memcpy(rotation_of(&mirrored, m.keys - 1 - k, 0), rotation_of(&m, k, 0),
               12 * sizeof(double));
        memcpy(mirrored.positions + 9 * (m.keys - 1 - k), m.positions + 9 * k, 9 * sizeof(double));
    }
    const pm_sample_job job = {.sample_count = 51, .rate = {50, 1}};
    SCOPED(free_results)
    results r = filter(engine, &m, 20, job), other = filter(engine, &mirrored, 20, job);
    for (size_t s = 0; s < r.count; s++)
        for (size_t t = 0; t < 3; t++)
            assert_true(oracle_error(result_at(&r, s, t), result_at(&other, r.count - 1 - s, t)) <
                        1e-6);
}

/* Also where the keys that count are up to nearly a full turn away on each side. */
TEST_ON_BOTH(constant_velocity_remains) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(75);
    SCOPED(free_motion) clip_keys m = motion_of(160, 6, (pm_rational){120, 1});
    const double cutoff = 20, reach = 5 * 120 / cutoff;
    for (size_t t = 0; t < m.tracks; t++) {
        const quat first = random_turn(&source, 3);
        const double step = 0.95 * pi * (double)t / 5 / reach; /* of half angles */
        for (size_t k = 0; k < m.keys; k++) {
            const vec3 turn = {0, 0.6 * step * (double)k, 0.8 * step * (double)k};
            put(rotation_of(&m, k, t), quat_multiply(first, quat_exp(turn)));
            for (size_t i = 0; i < 3; i++)
                m.positions[3 * (k * m.tracks + t) + i] = (double)(i * k) - 7;
        }
    }
    const pm_sample_job job = {.sample_count = 100, .rate = {77, 1}};
    SCOPED(free_results) results r = filter(engine, &m, cutoff, job);
    for (size_t s = 0; s < r.count; s++)
        for (size_t t = 0; t < m.tracks; t++) {
            const double at = (double)s * 120 / 77;
            const size_t k = (size_t)at;
            const quat wanted = quat_slerp(quat_of(rotation_of(&m, k, t)),
                                           quat_of(rotation_of(&m, k + 1, t)), at - (double)k);
            assert_true(oracle_error(wanted, result_at(&r, s, t)) < 2e-6);
            assert_true(fabs((double)r.positions[3 * (s * m.tracks + t) + 2] - (2 * at - 7)) <
                        1e-4);
        }
}

TEST_ON_REFERENCE(the_ends_hold_and_samples_outside_are_the_ends) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(76);
    SCOPED(free_motion) clip_keys m = random_motion(&source, 90, 4, 0.4);
    const double times[] = {-1, 0, 89.0 / 120, 2, -HUGE_VAL, HUGE_VAL};
    SCOPED(free_results)
    results r = filter(engine, &m, 6, (pm_sample_job){.sample_count = 6, .times = times});
    for (size_t s = 0; s < 6; s++)
        for (size_t t = 0; t < m.tracks; t++) {
            const size_t key = times[s] > 0 ? m.keys - 1 : 0;
            assert_true(oracle_error(quat_of(rotation_of(&m, key, t)), result_at(&r, s, t)) < 1e-6);
        }
}

TEST_ON_REFERENCE(one_key_holds_and_two_keys_are_a_slerp) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(77);
    for (size_t keys = 1; keys <= 2; keys++) {
        SCOPED(free_motion) clip_keys m = random_motion(&source, keys, 3, 0.2);
        const pm_sample_job job = {.sample_count = 5, .rate = {480, 1}};
        SCOPED(free_results) results r = filter(engine, &m, 30, job);
        for (size_t s = 0; s < 5; s++)
            for (size_t t = 0; t < 3; t++) {
                const quat a = quat_of(rotation_of(&m, 0, t)),
                           b = quat_of(rotation_of(&m, keys - 1, t));
                const quat wanted = keys == 1 ? a : quat_slerp(a, b, (double)s / 4);
                assert_true(oracle_error(wanted, result_at(&r, s, t)) < 1e-6);
            }
    }
}

TEST_ON_REFERENCE(signs_of_keys_make_no_difference) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(78);
    SCOPED(free_motion) clip_keys m = random_motion(&source, 80, 3, 0.5);
    SCOPED(free_results) results before = filter(engine, &m, 9, every_frame(&m));
    for (size_t i = m.tracks; i < m.keys * m.tracks; i++) /* the first key decides the sign */
        for (size_t c = 0, flip = random_size(&source, 0, 1); c < 4; c++)
            m.rotations[4 * i + c] *= flip ? -1 : 1;
    SCOPED(free_results) results after = filter(engine, &m, 9, every_frame(&m));
    expect_same_bits(before.rotations, after.rotations, 4 * m.keys * m.tracks, 4);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void expect_no_filter(pm_engine *engine, const pm_clip_desc *desc, double cutoff,
                             const char *words) {
    pm_filter *made = NULL;
    expect_error(pm_filter_create(engine, desc, cutoff, &made, new_error()), PM_ERROR_ARGUMENT,
                 words);
    assert_null(made);
}

TEST_ON_REFERENCE(cut_offs_without_a_meaning_are_refused) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(79);
    SCOPED(free_motion) clip_keys m = random_motion(&source, 5, 1, 0.1);
    const pm_clip_desc desc = desc_of(&m);
    expect_no_filter(engine, &desc, (double)NAN, "cut-off is nan");
    expect_no_filter(engine, &desc, 0, "expected above 0");
    expect_no_filter(engine, &desc, -6, "expected above 0");
    expect_no_filter(engine, &desc, 60.001, "half the rate of the keys, 60 Hz");
    expect_no_filter(engine, &desc, HUGE_VAL, "half the rate");
    expect_no_filter(engine, &desc, 0.1, "expected at least 0.146484 Hz");
    SCOPED(free_results)
    results r = filter(engine, &m, 60, every_frame(&m)),
            low = filter(engine, &m, 0.1465, every_frame(&m));
}

TEST_ON_REFERENCE(keys_that_are_not_uniform_and_jobs_that_are_not_values_are_refused) {
    pm_engine *engine = engine_for(state);
    random_source source = random_salted(80);
    SCOPED(free_motion) clip_keys m = random_motion(&source, 3, 1, 0.1);
    const double times[] = {0, 1, 3};
    const pm_timeline listed = {.key_count = 3, .times = times};
    const pm_clip_desc desc = desc_of(&m);
    pm_clip_desc squad = desc, of_times = desc, loop = desc, coded = desc;
    squad.method = PM_METHOD_SQUAD;
    expect_no_filter(engine, &squad, 6, "method is not slerp");
    of_times.timelines = &listed;
    expect_no_filter(engine, &of_times, 6, "listed times");
    loop.loop = 3.0 / 120;
    expect_no_filter(engine, &loop, 6, "loop");
    coded.key_format = PM_KEYS_LOG48;
    expect_no_filter(engine, &coded, 6, "float32");
    pm_filter *made = NULL;
    float out[4];
    const uint32_t track = 0;
    expect_success(pm_filter_create(engine, &desc, 6, &made, new_error()));
    pm_sample_job job = {.sample_count = 1, .times = times, .velocities = out};
    expect_error(pm_filter_sample(made, &job, new_error()), PM_ERROR_ARGUMENT, "velocities");
    job.velocities = NULL;
    job.scales = out;
    expect_error(pm_filter_sample(made, &job, new_error()), PM_ERROR_ARGUMENT, "has no scales");
    job = (pm_sample_job){.sample_count = 1, .times = times, .tracks = &track, .rotations = out};
    expect_error(pm_filter_sample(made, &job, new_error()), PM_ERROR_ARGUMENT, "pairs");
    job.tracks = NULL;
    expect_next_refused(pm_sample_job, job, last_error(),
                        pm_filter_sample(made, &job, new_error()));
    pm_filter_destroy(&made);
    assert_null(made);
}
