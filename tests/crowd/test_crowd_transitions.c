/* SPDX-License-Identifier: MIT
 *
 * Transitions of crowds: what is shown against the formula of docs/crowds.md in double precision, from states as they
 * are stored; pose and velocity at the change against the crowd oracle; and the same bits on every reader for any bytes.
 */
#include "base/counts.h"
#include "engine/engine.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 37, HEAD = 64, ROW = 16, LAYERS = 60 };
static const double PI = 3.14159265358979323846;
static const double ticks = PM_TICKS_PER_SECOND;

/* ---- states, as the header of transitions lays them out ---------------------------------------- */

static size_t rows_of(const scene *s) {
    const size_t positions = s->options.without_positions ? 0
                             : s->options.root_positions  ? 1
                                                          : s->joints;
    return s->joints * (s->options.scales ? 2 : 1) + positions;
}

static size_t row_of(const scene *s, unsigned channel, size_t slot) {
    return slot + (channel == 0   ? 0
                   : channel == 2 ? s->joints
                                  : s->joints * (s->options.scales ? 2 : 1));
}

typedef struct offset {
    double at[3], rate[3];
} offset;

static offset offset_in(const unsigned char *row, bool turns) {
    uint32_t words[4];
    int16_t numbers[3];
    offset o;
    memcpy(words, row, sizeof words);
    numbers[0] = (int16_t)(words[3] & 0xffff);
    numbers[1] = (int16_t)(words[3] >> 16);
    numbers[2] = (int16_t)((words[2] & 0xff) << 8 | (words[1] & 0xff));
    for (size_t i = 0; i < 3; i++) {
        const uint32_t bits = words[i] & 0xffffff00u;
        float rate;
        memcpy(&rate, &bits, sizeof rate);
        o.rate[i] = (double)rate;
        o.at[i] = turns ? numbers[i] * PI / 32767 : ldexp(numbers[i], (int)(words[0] & 0x7f) - 79);
    }
    return o;
}

/* Offsets of up to `far` and rates, of both signs and along one another or not. Each fourth is 0. */
static void random_row(random_source *source, unsigned char *row, double reach, double speed) {
    const double way = random_between(source, -1, 1), small = random_bits(source) % 4 ? 1 : 0;
    uint32_t words[4], codes[3];
    for (size_t i = 0; i < 3; i++) {
        const double at = small * random_between(source, -1, 1);
        const float rate = (float)(speed * (way * at + random_between(source, -0.3, 0.3)));
        codes[i] = (uint32_t)(int32_t)lround(32767 * reach * at) & 0xffff;
        memcpy(&words[i], &rate, sizeof rate);
        words[i] &= 0xffffff00u;
    }
    words[0] |= (uint32_t)(random_bits(source) % 3) + 62;
    words[1] |= codes[2] & 0xff;
    words[2] |= codes[2] >> 8;
    words[3] = codes[0] | codes[1] << 16;
    memcpy(row, words, sizeof words);
}

static void put_head(unsigned char *state, int64_t time, float duration) {
    memset(state, 0, HEAD);
    memcpy(state, &time, sizeof time);
    memcpy(state + 8, &duration, sizeof duration);
}

/* ---- the oracle -------------------------------------------------------------------------------- */

static vec3 vec3_from(const double v[3]) {
    return (vec3){v[0], v[1], v[2]};
}

static quat turned(quat q, const offset *o, double duration, double t) {
    const vec3 x0 = vec3_from(o->at), v0 = vec3_from(o->rate);
    const double x = vec3_norm(x0), s = t / duration;
    const vec3 axis = x > 0 ? vec3_scale(x0, 1 / x) : (vec3){0, 0, 0};
    const double r = vec3_dot(v0, axis);
    const vec3 across = vec3_subtract(v0, vec3_scale(axis, r));
    const vec3 rest = vec3_add(vec3_scale(axis, x > 0 ? oracle_decay(x, r, duration, t) : 0),
                               vec3_scale(across, t * pow(1 - s, 3) * (1 + 3 * s)));
    return t >= duration ? q : quat_multiply(q, quat_exp(vec3_scale(rest, 0.5)));
}

static double moved(double value, double x, double rate, double duration, double t) {
    return value + oracle_decay(x, rate, duration, t);
}

/* A pose in transition, from that without one. Joints are in skeleton order. */
static void oracle_shown(const scene *s, const unsigned char *state, double duration, double t,
                         joint_pose *pose, size_t slot) {
    const offset turn = offset_in(state + HEAD + ROW * row_of(s, 0, slot), true);
    pose->rotation = turned(pose->rotation, &turn, duration, t);
    if (!s->options.root_positions || slot == 0) {
        const offset o = offset_in(state + HEAD + ROW * row_of(s, 1, slot), false);
        pose->position.x = moved(pose->position.x, o.at[0], o.rate[0], duration, t);
        pose->position.y = moved(pose->position.y, o.at[1], o.rate[1], duration, t);
        pose->position.z = moved(pose->position.z, o.at[2], o.rate[2], duration, t);
    }
    if (s->options.scales) {
        const offset o = offset_in(state + HEAD + ROW * row_of(s, 2, slot), false);
        pose->scale.x = moved(pose->scale.x, o.at[0], o.rate[0], duration, t);
        pose->scale.y = moved(pose->scale.y, o.at[1], o.rate[1], duration, t);
        pose->scale.z = moved(pose->scale.z, o.at[2], o.rate[2], duration, t);
    }
}

static joint_pose pose_in(const float *record) {
    const float *r = record;
    return (joint_pose){
        quat_normalise((quat){(double)r[0], (double)r[1], (double)r[2], (double)r[3]}),
        {(double)r[4], (double)r[5], (double)r[6]},
        {(double)r[8], (double)r[9], (double)r[10]}};
}

/* ---- jobs -------------------------------------------------------------------------------------- */

static size_t floats_of(const scene *s, pm_crowd_output output, uint32_t subset) {
    const size_t joints = subset ? s->subsets[subset - 1].joint_count : s->joints;
    return (output == PM_CROWD_BOUNDS ? 1 : joints) * pm_crowd_record_bytes(output) / sizeof(float);
}

static float *posed(const scene *s, pm_crowd_job job, pm_crowd_output output, uint32_t subset) {
    float *records = guarded_floats(COUNT * floats_of(s, output, subset));
    job.instance_count = COUNT;
    job.outputs = &(pm_crowd_target){.output = output, .subset = subset, .memory = records};
    job.output_count = 1;
    expect_success(pm_crowd_pose(s->crowd, &job, new_error()));
    return records;
}

/* On a device, once they are those of the reference with every instruction set and of one instance after another. */
static float *posed_alike(const scene *s, pm_crowd_job job, pm_crowd_output output,
                          uint32_t subset) {
    const size_t floats = floats_of(s, output, subset);
    const size_t widest = s->crowd->latest->data->instruction_set;
    float *records = posed(s, job, output, subset);
    job.on_reference = true;
    for (size_t k = 0; k <= widest; k++) {
        s->crowd->latest->data->instruction_set = k;
        SCOPED(guarded_free_at) float *reference = posed(s, job, output, subset);
        expect_same_bits(records, reference, COUNT * floats, floats);
    }
    for (size_t i = 0; i < COUNT && !job.indices && !is_poison(records[i * floats]); i++) {
        const size_t first = job.ranges && job.ranges[i].first < LAYERS ? job.ranges[i].first : 0;
        const size_t left = LAYERS - first, count = job.ranges ? job.ranges[i].count : 0;
        SCOPED(guarded_free_at) float *one = guarded_floats(floats);
        const pm_crowd_one from = {.instance = &job.instances[i],
                                   .layers = job.layers ? job.layers + first : NULL,
                                   .layer_count = count < left ? count : left,
                                   .transition =
                                       (const char *)job.transitions + i * job.transition_stride,
                                   .transition_time = job.transition_time,
                                   .output = output,
                                   .subset = subset};
        expect_success(pm_crowd_pose_one(s->crowd, &from, one, new_error()));
        expect_same_bits(one, records + i * floats, floats, floats);
    }
    return records;
}

/* Instances with layers. */
typedef struct cast {
    pm_crowd_instance instances[COUNT];
    pm_crowd_layer layers[LAYERS];
    pm_crowd_range ranges[COUNT];
} cast;

static void make_cast(random_source *source, const scene *s, cast *c) {
    for (size_t i = 0; i < LAYERS; i++) {
        const pm_crowd_instance n = scene_instance(source, s);
        c->layers[i] = (pm_crowd_layer){.time = n.time_b,
                                        .clip = n.clip_b,
                                        .weight = n.weight,
                                        .mask = n.mask,
                                        .op = (uint8_t)(i % 3)};
    }
    for (size_t i = 0; i < COUNT; i++) {
        c->instances[i] = scene_instance(source, s);
        c->ranges[i] = (pm_crowd_range){(uint32_t)(random_bits(source) % LAYERS), i % 4};
    }
}

static pm_crowd_job job_of(const cast *c, bool layered) {
    pm_crowd_job job = {.instances = c->instances, .instance_count = COUNT};
    if (layered) {
        job.layers = c->layers;
        job.layer_count = LAYERS;
        job.ranges = c->ranges;
    }
    return job;
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void expect_shown(void **state, const scene_options *options, bool layered) {
    SCOPED(scene_free) scene s;
    static cast c;
    random_source source = random_salted(options->salt);
    scene_make(engine_for(state), options, &s);
    make_cast(&source, &s, &c);
    for (size_t i = 0; i < COUNT; i++) {
        c.instances[i].level = 0;
        c.instances[i].flags &= (uint8_t)~PM_CROWD_IN_PLACE;
    }
    const size_t bytes = pm_crowd_transition_bytes(s.crowd);
    assert_int_equal(bytes, (HEAD + ROW * rows_of(&s) + 63) / 64 * 64);
    const size_t stride = bytes + 4 * (random_bits(&source) % 5);
    SCOPED(free_at) unsigned char *states = test_array(COUNT, stride);
    pm_crowd_job job = job_of(&c, layered);
    SCOPED(guarded_free_at) float *plain = posed(&s, job, PM_CROWD_LOCAL, 0);
    double turn = 0, shift = 0;
    for (size_t round = 0; round < 12; round++) {
        const float duration = (float)random_between(&source, 0.1, 1.5);
        const int64_t begin = (int64_t)random_bits(&source) >> 8;
        const int64_t passed =
            round == 0 ? 0 : (int64_t)(ticks * 1.1 * (double)duration * (double)round / 12);
        for (size_t i = 0; i < COUNT; i++) {
            put_head(states + i * stride, begin, duration);
            for (size_t r = 0; r < rows_of(&s); r++)
                random_row(&source, states + i * stride + HEAD + r * ROW, r < s.joints ? 0.55 : 0.9,
                           12);
        }
        job.transitions = states;
        job.transition_stride = stride;
        job.transition_time = begin + passed;
        SCOPED(guarded_free_at) float *shown = posed_alike(&s, job, PM_CROWD_LOCAL, 0);
        for (size_t i = 0; i < COUNT * s.joints; i++) {
            joint_pose wanted = pose_in(plain + 12 * i);
            const joint_pose given = pose_in(shown + 12 * i);
            oracle_shown(&s, states + i / s.joints * stride, (double)duration,
                         (double)passed / ticks, &wanted, i % s.joints);
            turn = fmax(turn, oracle_error(given.rotation, wanted.rotation));
            shift = fmax(shift, vec3_norm(vec3_subtract(given.position, wanted.position)) /
                                    (1 + vec3_norm(wanted.position)));
            shift = fmax(shift, vec3_norm(vec3_subtract(given.scale, wanted.scale)) /
                                    (1 + vec3_norm(wanted.scale)));
        }
        if ((double)passed / ticks >= (double)duration)
            expect_same_bits(shown, plain, COUNT * s.joints * 12, 12);
    }
    printf("# shown: %.3g rad, %.3g\n", turn, shift);
    assert_true(turn < 2e-6 && shift < 2e-6);
}

TEST_ON_BOTH(what_is_shown_is_the_formula_of_the_state) {
    expect_shown(state, &(scene_options){.salt = 0xD10, .scales = true}, false);
    expect_shown(state, &(scene_options){.salt = 0xD11, .times = SCENE_PER_JOINT}, true);
    expect_shown(state, &(scene_options){.salt = 0xD12, .root_positions = true}, false);
}

/* Poses of the oracle at a time of one clip. */
static void oracle_at(const scene *s, const pm_crowd_instance *instance, double seconds,
                      joint_pose *poses) {
    pm_crowd_instance later = *instance;
    later.time_a += (int64_t)(seconds * ticks);
    crowd_oracle_pose(s->oracle, &later, poses);
}

/* The angular velocity in the joint's axes. */
static vec3 rate_of(quat from, quat to, double seconds) {
    const quat turn = quat_multiply(quat_conjugate(from), to);
    return vec3_scale(quat_log(turn.w < 0 ? quat_scale(turn, -1) : turn), 2 / seconds);
}

/* Joints whose angular velocity is constant in a step before the change and a moment after it are judged: those of
 * slerp within a segment. The change's step is long, its moment short. */
TEST_ON_REFERENCE(pose_and_velocity_go_on_at_the_change) {
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xD20);
    scene_make(engine_for(state), &(scene_options){.salt = 0xD20}, &s);
    const size_t bytes = pm_crowd_transition_bytes(s.crowd);
    SCOPED(free_at) unsigned char *states = test_array(COUNT, bytes);
    SCOPED(free_at) joint_pose *p = test_array(4 * s.joints, sizeof *p);
    SCOPED(free_at) joint_pose *q = test_array(4 * s.joints, sizeof *q);
    const double step = 0x1p-6, moment = 0x1p-20, times[4] = {-step, moment - step, -moment, 0};
    const double later[4] = {-step, moment - step, 0, moment};
    double jump = 0, change = 0;
    size_t judged = 0;
    for (size_t round = 0; round < 20; round++) {
        static pm_crowd_instance instances[4][COUNT];
        pm_crowd_job jobs[4];
        for (size_t n = 0; n < 4; n++) {
            for (size_t i = 0; i < COUNT; i++) {
                if (n % 2 == 0)
                    instances[n + 1][i] =
                        (pm_crowd_instance){.time_a = (int64_t)(random_unit(&source) * 20 * ticks),
                                            .clip_a = (uint32_t)(n / 2)};
                instances[n][i] = instances[n / 2 * 2 + 1][i];
                instances[n][i].time_a -= n % 2 ? 0 : (int64_t)(step * ticks);
            }
            jobs[n] = (pm_crowd_job){.instances = instances[n], .instance_count = COUNT};
        }
        const pm_crowd_transition begin = {.before = {&jobs[0], &jobs[1]},
                                           .after = {&jobs[2], &jobs[3]},
                                           .step = (int64_t)(step * ticks),
                                           .time = 12345,
                                           .duration = 0.5f,
                                           .states = states};
        expect_success(pm_crowd_begin_transitions(s.crowd, &begin, new_error()));
        for (size_t i = 0; i < COUNT; i++) {
            for (size_t n = 0; n < 4; n++) {
                oracle_at(&s, &instances[1][i], times[n], p + n * s.joints);
                oracle_at(&s, &instances[3][i], later[n], q + n * s.joints);
            }
            for (size_t slot = 0; slot < s.joints; slot++) {
                const size_t j = s.order[slot];
                const joint_pose *old = p + j, *now = q + j;
                const size_t n = s.joints;
                const vec3 speed = rate_of(old[2 * n].rotation, old[3 * n].rotation, moment);
                const vec3 before = rate_of(old[0].rotation, old[n].rotation, moment);
                const vec3 after = rate_of(now[2 * n].rotation, now[3 * n].rotation, moment);
                const vec3 early = rate_of(now[0].rotation, now[n].rotation, moment);
                joint_pose at = now[2 * n], next = now[3 * n];
                oracle_shown(&s, states + i * bytes, 0.5, 0, &at, slot);
                oracle_shown(&s, states + i * bytes, 0.5, moment, &next, slot);
                jump = fmax(jump, oracle_error(at.rotation, old[3 * n].rotation));
                jump = fmax(jump, vec3_norm(vec3_subtract(at.position, old[3 * n].position)) /
                                      (1 + vec3_norm(at.position)));
                if (vec3_norm(vec3_subtract(speed, before)) > 1e-4 * vec3_norm(speed) ||
                    vec3_norm(vec3_subtract(after, early)) > 1e-4 * vec3_norm(after))
                    continue;
                const vec3 shown = rate_of(at.rotation, next.rotation, moment);
                change = fmax(change, vec3_norm(vec3_subtract(shown, speed)) /
                                          (vec3_norm(speed) + vec3_norm(after)));
                judged++;
            }
        }
    }
    printf("# %zu judged: a jump of %.3g, of velocities %.3g\n", judged, jump, change);
    assert_true(judged > 1000 && jump < 1e-4 && change < 1e-3);
}

/* With crossfades, layers and levels: what is shown at the change, by the library. The next change comes while the
 * first transition runs, in the same states, by a list. */
TEST_ON_BOTH(a_transition_begins_from_what_is_shown) {
    SCOPED(scene_free) scene s;
    static cast casts[3][2];
    random_source source = random_salted(0xD30);
    scene_make(engine_for(state), &(scene_options){.salt = 0xD30, .scales = true}, &s);
    const size_t bytes = pm_crowd_transition_bytes(s.crowd), floats = 12 * s.joints;
    SCOPED(free_at) unsigned char *states = test_array(COUNT, bytes);
    pm_crowd_job jobs[3][2];
    const int64_t step = pm_crowd_ticks(1.0 / 60), again = pm_crowd_ticks(0.2);
    double jump = 0, change = 0, speed = 0;
    for (size_t n = 0; n < 3; n++) {
        make_cast(&source, &s, &casts[n][1]);
        for (size_t i = 0; i < COUNT; i++) {
            casts[n][1].instances[i].level = 0; /* of other levels fewer joints are in transition */
            casts[n][1].instances[i].flags &= (uint8_t)~PM_CROWD_IN_PLACE;
        }
        casts[n][0] = casts[n][1];
        for (size_t i = 0; i < COUNT; i++) {
            casts[n][0].instances[i].time_a -= step;
            casts[n][0].instances[i].time_b -= step;
        }
        for (size_t i = 0; i < LAYERS; i++)
            casts[n][0].layers[i].time -= step;
        jobs[n][0] = job_of(&casts[n][0], true);
        jobs[n][1] = job_of(&casts[n][1], true);
    }
    uint32_t list[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        list[i] = (uint32_t)(i % 3 ? i : i + 1000);
    for (size_t n = 0; n < 2; n++) {
        pm_crowd_transition begin = {.before = {&jobs[n][0], &jobs[n][1]},
                                     .after = {&jobs[n + 1][0], &jobs[n + 1][1]},
                                     .step = step,
                                     .time = again * (int64_t)n,
                                     .duration = 0.6f,
                                     .states = states};
        if (n == 1) {
            begin.indices = list;
            begin.index_count = COUNT;
            for (size_t k = 0; k < 2; k++) {
                jobs[1][k].transitions = states;
                jobs[1][k].transition_time = again - (k ? 0 : step);
            }
        }
        SCOPED(guarded_free_at) float *before = posed(&s, jobs[n][1], PM_CROWD_LOCAL, 0);
        SCOPED(guarded_free_at) float *earlier = posed(&s, jobs[n][0], PM_CROWD_LOCAL, 0);
        SCOPED(free_at) unsigned char *kept = test_array(COUNT, bytes);
        memcpy(kept, states, COUNT * bytes);
        expect_success(pm_crowd_begin_transitions(s.crowd, &begin, new_error()));
        pm_crowd_job shown = jobs[n + 1][1];
        shown.transitions = states;
        shown.transition_stride = bytes;
        shown.transition_time = begin.time;
        SCOPED(guarded_free_at) float *after = posed_alike(&s, shown, PM_CROWD_LOCAL, 0);
        for (size_t i = 0; i < COUNT; i++) {
            if (n == 1 && i % 3 == 0) {
                assert_memory_equal(kept + i * bytes, states + i * bytes, bytes);
                continue;
            }
            for (size_t k = 0; k < s.joints; k++) {
                const joint_pose a = pose_in(before + i * floats + 12 * k),
                                 b = pose_in(after + i * floats + 12 * k),
                                 e = pose_in(earlier + i * floats + 12 * k);
                jump = fmax(jump, oracle_error(a.rotation, b.rotation));
                speed = fmax(speed, oracle_error(a.rotation, e.rotation));
                change = fmax(change, vec3_norm(vec3_subtract(a.position, b.position)) /
                                          (1 + vec3_norm(a.position)));
                change = fmax(change, vec3_norm(vec3_subtract(a.scale, b.scale)) /
                                          (1 + vec3_norm(a.scale)));
            }
        }
    }
    printf("# jumps of %.3g rad and %.3g, steps of up to %.3g rad\n", jump, change, speed);
    assert_true(jump < 1e-4 && change < 1e-4 && speed > 1e-2);
}

static const pm_crowd_output outputs[] = {PM_CROWD_PALETTE, PM_CROWD_PALETTE_HALF, PM_CROWD_DUAL,
                                          PM_CROWD_MODEL,   PM_CROWD_LOCAL,        PM_CROWD_BOUNDS};

static void any_bytes(random_source *source, void *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)to)[i] = (unsigned char)random_bits(source);
}

/* States of any bytes, some of them with a head that shows them; levels, layers, instances in place. */
TEST_ON_BOTH(any_states_give_finite_poses_with_the_same_bits_on_all_readers) {
    SCOPED(scene_free) scene s;
    static cast c;
    random_source source = random_salted(0xD40);
    scene_make(
        engine_for(state),
        &(scene_options){.salt = 0xD40, .joints = 6, .scales = true, .binds = SCENE_BIND_RIGID},
        &s);
    make_cast(&source, &s, &c);
    const size_t bytes = pm_crowd_transition_bytes(s.crowd);
    SCOPED(free_at) unsigned char *states = test_array(COUNT, bytes);
    static const float durations[] = {1, NAN, -1, INFINITY, 1e-30f, 65536, 1e-3f, 0.5f};
    for (size_t round = 0; round < (has_few_programs(state) ? 2 : 24); round++) {
        const pm_crowd_output output =
            has_few_programs(state) ? PM_CROWD_BOUNDS : outputs[round % COUNT_OF(outputs)];
        any_bytes(&source, states, COUNT * bytes);
        for (size_t i = 0; i < COUNT; i++)
            if (i % 8)
                put_head(states + i * bytes, (int64_t)(random_unit(&source) * ticks),
                         durations[i % COUNT_OF(durations)]);
        pm_crowd_job job = job_of(&c, round % 3 == 2 && !has_few_programs(state));
        job.transitions = states;
        job.transition_stride = bytes;
        job.transition_time = (int64_t)ticks / 2;
        job.frame = round % 2 ? 0 : 16 * round;
        const uint32_t subset = (uint32_t)(round / COUNT_OF(outputs)) % (SCENE_SUBSETS + 1);
        SCOPED(guarded_free_at) float *records = posed_alike(&s, job, output, subset);
        for (size_t i = 0; i < COUNT * floats_of(&s, output, subset); i++)
            assert_true(output == PM_CROWD_PALETTE_HALF || is_poison(records[i]) ||
                        isfinite(records[i]));
        /* without effect, all are as they were */
        for (size_t i = 0; i < COUNT; i++)
            put_head(states + i * bytes, job.transition_time + 1, 1);
        SCOPED(guarded_free_at) float *none = posed_alike(&s, job, output, subset);
        job.transitions = NULL;
        SCOPED(guarded_free_at) float *plain = posed(&s, job, output, subset);
        expect_same_bits(none, plain, COUNT * floats_of(&s, output, subset), 1);
    }
}

TEST_ON_REFERENCE(changes_that_do_not_fit_are_refused) {
    SCOPED(scene_free) scene s;
    static cast c;
    random_source source = random_salted(0xD50);
    scene_make(engine_for(state), &(scene_options){.salt = 0xD50}, &s);
    make_cast(&source, &s, &c);
    const size_t bytes = pm_crowd_transition_bytes(s.crowd);
    SCOPED(free_at) unsigned char *states = test_array(COUNT, bytes);
    pm_crowd_job job = job_of(&c, false), other = job;
    const pm_crowd_transition good = {.before = {&job, &job},
                                      .after = {&job, &job},
                                      .step = 1 << 20,
                                      .duration = 1,
                                      .states = states};
    pm_crowd_transition bad = good;
    expect_success(pm_crowd_begin_transitions(s.crowd, &bad, new_error()));
    expect_next_refused(pm_crowd_transition, bad, last_error(),
                        pm_crowd_begin_transitions(s.crowd, &bad, new_error()));
#define REFUSED(change, words)                                                                     \
    do {                                                                                           \
        bad = good;                                                                                \
        change;                                                                                    \
        expect_error(pm_crowd_begin_transitions(s.crowd, &bad, new_error()), PM_ERROR_ARGUMENT,    \
                     words);                                                                       \
    } while (0)
    REFUSED(bad.before[0] = NULL, "two jobs");
    REFUSED(bad.step = 0, "step");
    REFUSED(bad.duration = NAN, "duration");
    REFUSED(bad.states = NULL, "states");
    REFUSED(bad.stride = bytes - 4, "stride");
    REFUSED(bad.stride = bytes + 2, "stride");
    REFUSED(bad.index_count = 1, "indices");
    REFUSED((other.transitions = states, bad.after[1] = &other), "after");
    REFUSED((other = job, other.instance_count = 3, bad.after[0] = &other), "numbers of instances");
    job.transitions = states;
    job.transition_stride = bytes - 4;
    float records[8];
    job.outputs = &(pm_crowd_target){.output = PM_CROWD_BOUNDS, .memory = records};
    job.output_count = 1;
    expect_error(pm_crowd_pose(s.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "transitions");
    job.transition_stride = 0;
    job.outputs = &(pm_crowd_target){.output = PM_CROWD_BODY_POS, .memory = records};
    expect_error(pm_crowd_pose(s.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "transitions");
    job.instances = NULL;
    job.poses = records;
    expect_error(pm_crowd_pose(s.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "transitions");
}

/* The velocities of a motion in double, relative to the root, as the means of both ends. */
static void velocities_of(motion3 m, double seconds, vec3 *turn, vec3 *way) {
    const quat q = m.rotation.w < 0 ? quat_scale(m.rotation, -1) : m.rotation;
    *turn = vec3_scale(quat_log(q), 2 / seconds);
    *way =
        vec3_scale(vec3_add(m.position, quat_rotate(quat_conjugate(q), m.position)), 0.5 / seconds);
}

static motion3 root_offset(vec3 turn, vec3 way, double duration, double t) {
    const double s = t / duration, rise = t < duration ? t * pow(1 - s, 3) * (1 + 3 * s) : 0;
    return (motion3){quat_exp(vec3_scale(turn, rise / 2)), vec3_scale(way, rise)};
}

static motion3 shown_root(const scene *s, const pm_crowd_instance *from,
                          const pm_crowd_instance *to, const unsigned char *state, size_t i,
                          const int64_t *times) {
    pm_root_motion m[COUNT];
    expect_success(pm_crowd_root_motion_in_transition(s->crowd, from, to, COUNT, state, 0, times, m,
                                                      new_error()));
    const float *q = m[i].rotation, *p = m[i].position;
    return (motion3){{(double)q[0], (double)q[1], (double)q[2], (double)q[3]},
                     {(double)p[0], (double)p[1], (double)p[2]}};
}

/* Also where a transition runs at the change. Motions of one transition, of any length, come to that of the clip. */
TEST_ON_REFERENCE(root_motion_goes_on_at_the_change_and_comes_to_the_path_of_the_clip) {
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xD40);
    scene_make(engine_for(state), &(scene_options){.salt = 0xD40}, &s);
    SCOPED(free_at) unsigned char *states = test_array(COUNT, pm_crowd_transition_bytes(s.crowd));
    const int64_t step = pm_crowd_ticks(0x1p-7), start = 98765;
    const double duration = 0.5;
    static pm_crowd_instance at[4][COUNT], on[2][COUNT];
    double worst = 0;
    for (size_t change = 0; change < 3; change++) {
        const int64_t time = start + (int64_t)change * pm_crowd_ticks(0.2);
        pm_crowd_job jobs[4];
        for (size_t n = 0; n < 4; n++) {
            for (size_t i = 0; i < COUNT; i++)
                at[n][i] = n % 2 ? at[n - 1][i]
                                 : (pm_crowd_instance){
                                       .clip_a = (uint32_t)(random_bits(&source) % s.clip_count),
                                       .time_a = (int64_t)(random_unit(&source) * 4 * ticks)};
            for (size_t i = 0; i < COUNT && n % 2; i++)
                at[n][i].time_a += step;
            jobs[n] = (pm_crowd_job){.instances = at[n],
                                     .instance_count = COUNT,
                                     .transitions = n < 2 && change ? states : NULL,
                                     .transition_time = time - (n % 2 ? 0 : step)};
        }
        motion3 old[COUNT];
        const int64_t before[2] = {time - step, time};
        for (size_t i = 0; i < COUNT; i++)
            old[i] = change ? shown_root(&s, at[0], at[1], states, i, before)
                            : crowd_oracle_root_motion(s.oracle, &at[0][i], &at[1][i]);
        const pm_crowd_transition begin = {.before = {&jobs[0], &jobs[1]},
                                           .after = {&jobs[2], &jobs[3]},
                                           .step = step,
                                           .time = time,
                                           .duration = (float)duration,
                                           .states = states};
        expect_success(pm_crowd_begin_transitions(s.crowd, &begin, new_error()));
        for (size_t round = 0; round < 6; round++) {
            double t[2] = {round ? random_between(&source, 0, 0.6) : 0,
                           round > 1 ? random_between(&source, 0, 0.6) : 0x1p-10};
            const int64_t times[2] = {time + pm_crowd_ticks(t[0]), time + pm_crowd_ticks(t[1])};
            for (size_t i = 0; i < COUNT; i++)
                for (size_t n = 0; n < 2; n++) {
                    on[n][i] = at[3][i];
                    on[n][i].time_a += pm_crowd_ticks(t[n]);
                }
            for (size_t i = 0; i < COUNT; i++) {
                vec3 turn, way, new_turn, new_way;
                velocities_of(old[i], 0x1p-7, &turn, &way);
                velocities_of(crowd_oracle_root_motion(s.oracle, &at[2][i], &at[3][i]), 0x1p-7,
                              &new_turn, &new_way);
                turn = vec3_subtract(turn, new_turn);
                way = vec3_subtract(way, new_way);
                const motion3 own = crowd_oracle_root_motion(s.oracle, &on[0][i], &on[1][i]);
                const motion3 wanted = motion3_product(
                    motion3_product(motion3_inverse(root_offset(turn, way, duration, t[0])), own),
                    root_offset(turn, way, duration, t[1]));
                const motion3 shown = shown_root(&s, on[0], on[1], states, i, times);
                worst = fmax(worst, oracle_error(shown.rotation, wanted.rotation));
                worst = fmax(worst, vec3_norm(vec3_subtract(shown.position, wanted.position)) /
                                        (1 + vec3_norm(wanted.position)));
            }
        }
    }
    printf("# root motion: %.3g\n", worst);
    assert_true(worst < 2e-5); /* rates are of float32 poses, 2^-7 s apart */
    const int64_t any[2] = {0, pm_crowd_ticks(0.25)};
    for (size_t i = 0; i < COUNT * pm_crowd_transition_bytes(s.crowd); i++)
        states[i] = (unsigned char)random_bits(&source);
    for (size_t i = 0; i < COUNT; i++) {
        put_head(states + i * pm_crowd_transition_bytes(s.crowd), 0, 1);
        memset(states + i * pm_crowd_transition_bytes(s.crowd) + 16 + 4 * (i % 6),
               i % 2 ? 0xff : 0x7f, 4);
        const motion3 shown = shown_root(&s, at[2], at[3], states, i, any);
        assert_true(isfinite(vec3_norm(shown.position)) && isfinite(shown.rotation.w));
    }
    expect_error(pm_crowd_root_motion_in_transition(s.crowd, at[2], at[3], COUNT, NULL, 0, any,
                                                    NULL, new_error()),
                 PM_ERROR_ARGUMENT, "states");
}

TEST_GROUP(NULL, engines_close)
