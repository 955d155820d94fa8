/* SPDX-License-Identifier: MIT
 *
 * Reduced motions against the tests' own evaluation of channels, in double and from the definition. It
 * shares no formula with the certificate.
 */
#include <posemill/posemill_motion.h>

#include "motion/base/arena.h"
#include "motion/model/model.h"
#include "motion/reduce/channel.h"
#include "motion/reduce/reduction.h"
#include "oracle/oracle.h"
#include "oracle/random_tracks.h"
#include "support/motion.h"
#include "support/motion_kinematics.h"
#include "support/motion_truth.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES (180 / 3.14159265358979323846)

/* ---- the evaluator ------------------------------------------------------------------------- */

static void value_at(const pm_motion_clip *clip, size_t index, double time,
                     double value[TRUTH_NUMBERS]) {
    const pm_motion_channel *channel = &clip->channels[index];
    const pm_timeline *timeline = &clip->timelines[channel->timeline];
    truth_at(channel, timeline, truth_find(timeline, time), value);
}

static double distance(const double *a, const double *b, uint32_t components) {
    double sum = 0;
    for (uint32_t i = 0; i < components; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static double ratio(const double *a, const double *b, uint32_t components) {
    double largest = 0;
    for (uint32_t i = 0; i < components; i++)
        if (a[i] != b[i])
            largest = fmax(largest, fabs(a[i] - b[i]) / fabs(a[i]));
    return largest;
}

/* ---- made motions -------------------------------------------------------------------------- */

enum { CHANNELS_MAX = 104 };

typedef struct made {
    pm_motion motion;
    pm_motion_node nodes[CHANNELS_MAX];
    pm_motion_clip clip;
    pm_timeline timeline;
    pm_motion_channel channels[CHANNELS_MAX];
    double *times, *keys[CHANNELS_MAX];
} made;

static void make(made *m, size_t channels, size_t keys) {
    memset(m, 0, sizeof *m);
    m->times = calloc(keys, sizeof *m->times);
    m->timeline = (pm_timeline){.key_count = keys, .times = m->times};
    for (size_t c = 0; c < channels; c++) {
        m->keys[c] = calloc(keys, 4 * sizeof *m->keys[c]);
        m->nodes[c] = (pm_motion_node){.name = {"joint", 5},
                                       .parent = (int32_t)c - 1,
                                       .rotation = {0, 0, 0, 1},
                                       .scale = {1, 1, 1}};
        m->channels[c] = (pm_motion_channel){.node = (int32_t)c,
                                             .components = 4,
                                             .keys = {.data = m->keys[c], .type = PM_FLOAT64},
                                             .name = {"", 0}};
    }
    m->clip = (pm_motion_clip){.name = {"clip", 4},
                               .timelines = &m->timeline,
                               .timeline_count = 1,
                               .channels = m->channels,
                               .channel_count = channels,
                               .rate_text = {"", 0}};
    m->motion.content = (pm_motion_content){.format = PM_MOTION_GLB,
                                            .layout = "",
                                            .nodes = m->nodes,
                                            .node_count = channels,
                                            .clips = &m->clip,
                                            .clip_count = 1};
}

static void discard(made *m) {
    free(m->times);
    for (size_t c = 0; c < CHANNELS_MAX; c++)
        free(m->keys[c]);
}

/* A turn about a random axis. */
static quat draw_turn(random_source *random, double angle) {
    double axis[3];
    random_direction(random, axis);
    return quat_exp(vec3_scale(vec3_of(axis), angle / 2));
}

/* Times at a rate, or at random. */
static void draw_times(random_source *random, made *m, bool in_float32) {
    const bool is_uniform = random_unit(random) < 0.5;
    double time = random_unit(random) < 0.5 ? 0 : random_between(random, 0, in_float32 ? 1000 : 1);
    for (size_t k = 0; k < m->timeline.key_count; k++) {
        m->times[k] = in_float32 ? (double)(float)time : time;
        time += is_uniform ? 1.0 / 60 : random_between(random, 0.01, 0.1);
    }
}

static void store(double key[4], quat q, double sign, bool in_float32) {
    const double numbers[4] = {sign * q.x, sign * q.y, sign * q.z, sign * q.w};
    for (int i = 0; i < 4; i++)
        key[i] = in_float32 ? (double)(float)numbers[i] : numbers[i];
}

/* A turn that changes its speed, with pauses, jumps, half turns (as near as leaves the way round to
 * no rounding) and signs that change. */
static void draw_rotations(random_source *random, made *m, size_t channel, bool in_float32) {
    quat speed = {0, 0, 0, 1}, q = draw_turn(random, random_between(random, 0, 3));
    for (size_t k = 0; k < m->timeline.key_count; k++) {
        const double sign = random_unit(random) < 0.1 ? -1 : 1, what = random_unit(random);
        store(m->keys[channel] + 4 * k, q, sign, in_float32);
        speed = quat_multiply(speed, draw_turn(random, random_between(random, 0, 0.03)));
        if (what < 0.03)
            speed = draw_turn(random, random_between(random, 0, 0.2));
        const double jump = what > 0.99 ? 3.141592653 : random_between(random, 0, 3);
        if (what < 0.7)
            q = quat_multiply(q, speed);
        else if (what > 0.98)
            q = quat_multiply(q, draw_turn(random, jump));
    }
}

/* A turn without jumps, with pauses and signs that change: its curves through all keys are near it. */
static void draw_smooth(random_source *random, made *m, size_t channel, double most) {
    quat speed = {0, 0, 0, 1}, q = draw_turn(random, random_between(random, 0, 3));
    bool is_paused = false;
    for (size_t k = 0; k < m->timeline.key_count; k++) {
        store(m->keys[channel] + 4 * k, q, random_unit(random) < 0.1 ? -1 : 1, channel % 2 == 0);
        is_paused = random_unit(random) < 0.05 ? !is_paused : is_paused;
        speed = is_paused ? quat_power(speed, 0.7)
                          : quat_multiply(quat_power(speed, 0.95), draw_turn(random, most));
        q = is_paused && vec3_norm(quat_log(speed)) < most ? q : quat_multiply(q, speed);
    }
}

static void draw_numbers(random_source *random, made *m, size_t channel, pm_motion_path path) {
    double value[3] = {1, 1, 1}, speed[3] = {0, 0, 0};
    m->channels[channel].path = path;
    m->channels[channel].components = 3;
    for (size_t k = 0; k < m->timeline.key_count; k++)
        for (size_t i = 0; i < 3; i++) {
            speed[i] = random_unit(random) < 0.2 ? random_between(random, -0.02, 0.02) : speed[i];
            value[i] = fmax(value[i] + speed[i], 0.1);
            m->keys[channel][3 * k + i] = value[i];
        }
}

static void draw_smooth_motion(random_source *random, made *m, bool in_float32) {
    make(m, 6, 2 + (size_t)random_between(random, 0, 400));
    draw_times(random, m, in_float32);
    for (size_t c = 0; c < 4; c++)
        draw_smooth(random, m, c, random_between(random, 0.002, 0.02));
    draw_numbers(random, m, 4, PM_MOTION_POSITION);
    draw_numbers(random, m, 5, PM_MOTION_SCALE);
}

/* Jumps at times that do not fit float32 are off by up to 0.05 degrees. */
static void draw_motion(random_source *random, made *m, bool in_float32) {
    make(m, 6, 2 + (size_t)random_between(random, 0, 400));
    draw_times(random, m, in_float32);
    for (size_t c = 0; c < 4; c++)
        draw_rotations(random, m, c, c % 2 == 0);
    draw_numbers(random, m, 4, PM_MOTION_POSITION);
    draw_numbers(random, m, 5, PM_MOTION_SCALE);
}

/* ---- bounds -------------------------------------------------------------------------------- */

typedef struct reduced {
    pm_motion *motion;
    pm_motion_reduction *reduction;
    const pm_motion_clip *clip;
    const pm_motion_reduction_numbers *numbers;
    oracle *curves[CHANNELS_MAX]; /* of rotations that are to be played by a method */
} reduced;

static bool is_subset(pm_method method) {
    return method == PM_METHOD_SQUAD || method == PM_METHOD_HERMITE || method == PM_METHOD_SPLINE;
}

/* The curve of a method through keys, from its definition. */
static oracle *curve_through(const pm_motion_channel *channel, const pm_timeline *timeline,
                             pm_method method) {
    const pm_clip_desc desc = {
        .track_count = 1, .timelines = timeline, .rotations = channel->keys, .method = method};
    return oracle_create(&desc);
}

static pm_status try_reduce(const made *m, const pm_motion_reduce_options *options, reduced *r,
                            pm_error *error) {
    memset(r, 0, sizeof *r);
    const pm_status status =
        pm_motion_reduce(&m->motion, options, &r->motion, &r->reduction, error);
    if (status != PM_OK)
        return status;
    r->clip = &pm_motion_get_content(r->motion)->clips[0];
    r->numbers = pm_motion_reduction_get_numbers(r->reduction);
    for (size_t c = 0; options && is_subset(options->curve) && c < r->clip->channel_count; c++) {
        const pm_motion_channel *channel = &r->clip->channels[c];
        if (channel->path == PM_MOTION_ROTATION && r->numbers->channels[c].is_reduced &&
            !channel->always_linear)
            r->curves[c] =
                curve_through(channel, &r->clip->timelines[channel->timeline], options->curve);
    }
    return status;
}

static reduced reduce(const made *m, const pm_motion_reduce_options *options) {
    reduced r;
    expect_success(try_reduce(m, options, &r, new_error()));
    return r;
}

static void release(reduced *r) {
    for (size_t c = 0; c < CHANNELS_MAX; c++)
        if (r->curves[c])
            oracle_destroy(r->curves[c]);
    pm_motion_destroy(&r->motion);
    pm_motion_reduction_destroy(&r->reduction);
}

static void curve_at(const oracle *curve, double time, double value[TRUTH_NUMBERS]) {
    const quat q = oracle_rotation(curve, 0, oracle_at_exact_time(curve, 0, time));
    const double numbers[4] = {q.x, q.y, q.z, q.w};
    memcpy(value, numbers, sizeof numbers);
}

static void result_at(const reduced *r, size_t channel, double time, double value[TRUTH_NUMBERS]) {
    if (r->curves[channel])
        curve_at(r->curves[channel], time, value);
    else
        value_at(r->clip, channel, time, value);
}

static double error_at(const made *m, const reduced *r, size_t channel, double time) {
    double p[TRUTH_NUMBERS] = {0}, q[TRUTH_NUMBERS] = {0};
    const pm_motion_path path = m->channels[channel].path;
    value_at(&m->clip, channel, time, p);
    result_at(r, channel, time, q);
    return path == PM_MOTION_ROTATION ? truth_angle(p, q) * DEGREES
           : path == PM_MOTION_SCALE  ? ratio(p, q, 3)
                                      : distance(p, q, m->channels[channel].components);
}

/* What is found of a method's curve is what single precision computes. */
static const double computed_degrees = 2e-4;

/* Rounding of this evaluator: of degrees, and of numbers near 1. */
static double slack_of(pm_motion_path path) {
    return path == PM_MOTION_ROTATION ? 1e-12 : 1e-14;
}

static void expect_bound(const made *m, const reduced *r, random_source *random, size_t times) {
    const double last = m->times[m->timeline.key_count - 1], begin = m->times[0];
    for (size_t c = 0; c < m->clip.channel_count; c++) {
        const pm_motion_error_bound *error = &r->numbers->channels[c].error;
        const double slack = slack_of(m->channels[c].path);
        assert_true(error->found <= error->bound + slack);
        const double there = error_at(m, r, c, error->key_time);
        assert_true(fabs(there - error->found) <=
                    1e-9 * there + (r->curves[c] ? computed_degrees : 20 * slack));
        for (size_t i = 0; i < times; i++) {
            const double time = random_between(random, begin, last);
            const double found = error_at(m, r, c, time);
            if (found > error->bound + slack)
                fail_msg("channel %zu at %.17g: %.17g is above %.17g", c, time, found,
                         error->bound);
        }
    }
}

static void expect_limit(const reduced *r, const pm_motion_reduce_options *o) {
    for (size_t c = 0; c < r->numbers->channel_count; c++) {
        const pm_motion_path path = r->clip->channels[c].path;
        const double limit = path == PM_MOTION_ROTATION   ? o->angle
                             : path == PM_MOTION_POSITION ? o->position
                                                          : o->scale_error;
        assert_true(r->numbers->channels[c].error.bound <= limit * (1 + 1e-12));
    }
}

static size_t motions(void) {
    return small_sizes() ? 20 : 100;
}

/* 10^6 times of 100 motions, each with its six channels. */
TEST(no_time_exceeds_the_bound) {
    random_source random = random_salted(1);
    size_t cubics = 0;
    for (size_t i = 0; i < motions(); i++) {
        SCOPED(discard) made m;
        draw_motion(&random, &m, i % 2 == 0);
        const pm_motion_reduce_options options = {
            .has_angle = true,
            .angle = exp(random_between(&random, i % 2 == 0 ? -5 : -1, 2)),
            .position = exp(random_between(&random, -8, -2)),
            .scale_error = exp(random_between(&random, -8, -2)),
            .curve = i % 3 == 2 ? PM_METHOD_CUBICSPLINE : PM_METHOD_SLERP,
            .smooth = i % 6 == 5,
            .common = i % 4 == 3 && i % 3 < 2};
        SCOPED(release) reduced r = reduce(&m, &options);
        expect_limit(&r, &options);
        expect_bound(&m, &r, &random, 10000 / 6 + 1);
        for (size_t c = 0; c < m.clip.channel_count; c++)
            cubics += r.clip->channels[c].interpolation == PM_MOTION_CUBICSPLINE;
    }
    assert_true(cubics > (small_sizes() ? 3 : 30));
}

static const pm_method subset_methods[] = {PM_METHOD_SQUAD, PM_METHOD_HERMITE, PM_METHOD_SPLINE};

/* What keeps slerp is right to if the curve through all keys does leave the bound, but for what certificates add.
 * Returns how many channels do. */
static size_t expect_far(const made *m, const reduced *r, pm_method method, double degrees) {
    enum { TIMES = 20 };
    size_t count = 0;
    for (size_t c = 0; c < m->clip.channel_count; c++) {
        const char *const note = r->numbers->channels[c].note;
        double most = 0;
        if (!note)
            continue;
        assert_non_null(strstr(note, "keeps slerp"));
        assert_true(r->clip->channels[c].always_linear);
        count++;
        oracle *curve = curve_through(&m->channels[c], &m->timeline, method);
        for (size_t i = 0; i < TIMES * m->timeline.key_count; i++) {
            double p[TRUTH_NUMBERS] = {0}, q[TRUTH_NUMBERS] = {0};
            const size_t key = i / TIMES < m->timeline.key_count - 1 ? i / TIMES : 0;
            const double time =
                m->times[key] + (double)(i % TIMES) / TIMES * (m->times[key + 1] - m->times[key]);
            value_at(&m->clip, c, time, p);
            curve_at(curve, time, q);
            most = fmax(most, truth_angle(p, q) * DEGREES);
        }
        oracle_destroy(curve);
        if (most < 0.95 * degrees - computed_degrees)
            fail_msg("%s is %g degrees from the source with all keys; for %g it keeps slerp",
                     pm_method_get_info(method)->name, most, degrees);
    }
    return count;
}

TEST(no_time_exceeds_the_bound_of_a_curve_through_fewer_keys) {
    random_source random = random_salted(20);
    size_t before = 0, after = 0, kept = 0;
    for (size_t i = 0; i < motions(); i++) {
        SCOPED(discard) made m;
        if (i % 10 < 9)
            draw_smooth_motion(&random, &m, i % 2 == 0);
        else
            draw_motion(&random, &m, true);
        const pm_motion_reduce_options options = {
            .has_angle = true,
            .angle = exp(random_between(&random, -1, 2)),
            .position = exp(random_between(&random, -8, -2)),
            .scale_error = exp(random_between(&random, -8, -2)),
            .curve = subset_methods[i % COUNT_OF(subset_methods)],
            .common = i % 4 == 3};
        SCOPED(release) reduced r = reduce(&m, &options);
        expect_limit(&r, &options);
        expect_bound(&m, &r, &random, 10000 / 6 + 1);
        before += r.numbers->moving_before;
        after += r.numbers->moving_after;
        kept += expect_far(&m, &r, options.curve, options.angle);
    }
    assert_in_range(kept, 2, 3 * motions());
    assert_true(after < before / 2);
}

/* ---- model space --------------------------------------------------------------------------- */

/* The largest of four points of a joint: its own place, and `at` along each of its axes in model space. Scales of
 * the figures are the same at all times. */
static double clips_apart(const made *m, const pm_motion_clip *b, size_t joint, double at,
                          double time) {
    const pm_motion_content *content = &m->motion.content;
    const kinematics_matrix p = kinematics_model(content, &m->clip, (int32_t)joint, time);
    const kinematics_matrix q = kinematics_model(content, b, (int32_t)joint, time);
    double largest = 0;
    for (int axis = 0; axis < 4; axis++) {
        double from[3], to[3];
        const double along[3] = {p.m[0][axis], p.m[1][axis], p.m[2][axis]}, none[3] = {0};
        const double part = axis < 3 ? at / distance(along, none, 3) : 0;
        for (int r = 0; r < 3; r++) {
            from[r] = p.m[r][3] + part * p.m[r][axis];
            to[r] = q.m[r][3] + part * q.m[r][axis];
        }
        largest = fmax(largest, distance(from, to, 3));
    }
    return largest;
}

/* Keys of all channels at one time, which are those of curves where there are any. */
static double distance_at(const made *m, const reduced *r, size_t joint, double at, double time) {
    static pm_motion_channel channels[CHANNELS_MAX];
    static double values[CHANNELS_MAX][TRUTH_NUMBERS];
    const pm_timeline timeline = {.key_count = 1, .times = &time};
    pm_motion_clip posed = *r->clip;
    posed.timelines = &timeline;
    posed.channels = channels;
    for (size_t c = 0; c < posed.channel_count; c++) {
        result_at(r, c, time, values[c]);
        channels[c] = r->clip->channels[c];
        channels[c].timeline = 0;
        channels[c].interpolation = PM_MOTION_LINEAR;
        channels[c].keys = (pm_array){.data = values[c], .type = PM_FLOAT64};
    }
    return clips_apart(m, &posed, joint, at, time);
}

/* A hierarchy with bones of about 1, whose parents are drawn, and whose root moves. */
static void draw_figure(random_source *random, made *m, size_t joints) {
    make(m, joints + 1, 50 + (size_t)random_between(random, 0, 100));
    draw_times(random, m, true);
    for (size_t n = 0; n < joints; n++) {
        draw_rotations(random, m, n, n % 2 == 0);
        m->nodes[n].parent = n == 0 ? -1 : (int32_t)random_between(random, 0, (double)n);
        for (int i = 0; i < 3; i++)
            m->nodes[n].position[i] = random_between(random, -1, 1);
    }
    draw_numbers(random, m, joints, PM_MOTION_POSITION);
    m->channels[joints].node = 0;
    m->motion.content.node_count = joints;
}

static void expect_distance(const made *m, const pm_motion_reduce_options *options,
                            random_source *random, size_t times) {
    SCOPED(release) reduced r = reduce(m, options);
    const pm_motion_error_bound *error = &r.numbers->distance;
    assert_true(error->found <= error->bound && error->bound <= options->distance);
    const bool jumps = m->channels[0].interpolation == PM_MOTION_STEP ||
                       m->channels[1].interpolation == PM_MOTION_STEP;
    if (!jumps) /* else it may be just before a key */
        assert_true(
            fabs(distance_at(m, &r, r.numbers->distance_node, options->at, error->key_time) -
                 error->found) <= (is_subset(options->curve) ? 1e-4 : 1e-9));
    for (size_t i = 0; i < times; i++) {
        const size_t joint =
            (size_t)random_between(random, 0, (double)m->motion.content.node_count);
        const double time =
            random_between(random, m->times[0], m->times[m->timeline.key_count - 1]);
        const double found = distance_at(m, &r, joint, options->at, time);
        if (found > error->bound + 1e-12)
            fail_msg("joint %zu at %.17g: %.17g is above %.17g", joint, time, found, error->bound);
    }
    /* a hundred joints rarely let go of a key together */
    assert_true(options->common || r.numbers->keys_after < r.numbers->keys_before);
}

static const size_t figure_joints[] = {1, 2, 5, 20, 100};

static size_t figures(void) {
    return COUNT_OF(figure_joints) - small_sizes();
}

TEST(no_time_exceeds_the_distance) {
    static const pm_motion_reduce_options kinds[] = {
        {.curve = PM_METHOD_SLERP},
        {.curve = PM_METHOD_SLERP, .has_angle = true, .angle = 2},
        {.curve = PM_METHOD_SLERP, .common = true},
        {.curve = PM_METHOD_CUBICSPLINE},
        {.curve = PM_METHOD_CUBICSPLINE, .has_angle = true, .angle = 2, .smooth = true}};
    random_source random = random_salted(7);
    for (size_t i = 0; i < COUNT_OF(kinds) * figures(); i++) {
        SCOPED(discard) made m;
        draw_figure(&random, &m, figure_joints[i / COUNT_OF(kinds)]);
        if (m.motion.content.node_count > 2) /* jumps above what turns */
            m.channels[random_unit(&random) < 0.5].interpolation = PM_MOTION_STEP;
        pm_motion_reduce_options options = kinds[i % COUNT_OF(kinds)];
        options.distance = exp(random_between(&random, -1.5, 0.5));
        options.at = random_between(&random, 0, 1);
        options.position = 0.05;
        expect_distance(&m, &options, &random, 5000);
    }
}

static void draw_smooth_figure(random_source *random, made *m, size_t joints) {
    draw_figure(random, m, joints);
    for (size_t n = 0; n < joints; n++)
        draw_smooth(random, m, n, 0.004);
}

TEST(no_time_exceeds_the_distance_of_curves_through_fewer_keys) {
    random_source random = random_salted(21);
    for (size_t i = 0; i < figures() * COUNT_OF(subset_methods); i++) {
        SCOPED(discard) made m;
        draw_smooth_figure(&random, &m, figure_joints[i / COUNT_OF(subset_methods)]);
        const pm_motion_reduce_options options = {.curve =
                                                      subset_methods[i % COUNT_OF(subset_methods)],
                                                  .has_angle = i % 2 == 0,
                                                  .angle = 4,
                                                  .distance = exp(random_between(&random, 0, 1)),
                                                  .at = random_between(&random, 0, 1),
                                                  .position = 0.05};
        expect_distance(&m, &options, &random, 3000);
    }
}

/* A leg that jumps is beyond each distance of a smooth curve. */
TEST(a_clip_whose_curves_leave_the_distance_keeps_slerp) {
    random_source random = random_salted(22);
    SCOPED(discard) made m;
    draw_smooth_figure(&random, &m, 3);
    for (size_t k = m.timeline.key_count / 2; k < m.timeline.key_count; k++)
        store(m.keys[1] + 4 * k, (quat){1, 0, 0, 0}, 1, true);
    m.nodes[2].parent = 1;
    m.nodes[2].position[1] = 2;
    for (size_t i = 0; i < COUNT_OF(subset_methods); i++) {
        const pm_motion_reduce_options options = {
            .curve = subset_methods[i], .distance = 0.01, .at = 0.1};
        SCOPED(release) reduced r = reduce(&m, &options);
        expect_distance(&m, &options, &random, 3000);
        for (size_t c = 0; c < 3; c++)
            assert_non_null(
                strstr(r.numbers->channels[c].note, pm_method_get_info(subset_methods[i])->name));
    }
}

enum { WILD_KEYS = 4, WILD_JOINTS = 4 };

/* Cubics that swing far between few keys. */
typedef struct wild {
    double times[WILD_KEYS], numbers[WILD_JOINTS][3][WILD_KEYS][4]; /* tangents, values, tangents */
    pm_timeline timeline;
    pm_motion_channel channels[WILD_JOINTS];
    pm_motion_clip clip;
    certified parts[WILD_JOINTS][3];
} wild;

static void draw_wild(random_source *random, const made *m, wild *w) {
    const double first = m->times[0], last = m->times[m->timeline.key_count - 1];
    memset(w, 0, sizeof *w);
    for (size_t k = 0; k < WILD_KEYS; k++)
        w->times[k] = first + (last - first) * (double)k / (WILD_KEYS - 1);
    w->timeline = (pm_timeline){.key_count = WILD_KEYS, .times = w->times};
    for (size_t n = 0; n < WILD_JOINTS; n++) {
        for (size_t k = 0; k < WILD_KEYS; k++) {
            store(w->numbers[n][1][k], draw_turn(random, 2), 1, false);
            for (int i = 0; i < 8; i++)
                w->numbers[n][i < 4 ? 0 : 2][k][i % 4] = random_between(random, -2, 2);
        }
        w->channels[n] = (pm_motion_channel){.node = (int32_t)n,
                                             .components = 4,
                                             .interpolation = PM_MOTION_CUBICSPLINE,
                                             .in = {.data = w->numbers[n][0], .type = PM_FLOAT64},
                                             .keys = {.data = w->numbers[n][1], .type = PM_FLOAT64},
                                             .out = {.data = w->numbers[n][2], .type = PM_FLOAT64}};
        w->parts[n][0] = (certified){&w->channels[n], &w->timeline, NULL, 0, NULL};
    }
    w->clip = (pm_motion_clip){.timelines = &w->timeline,
                               .timeline_count = 1,
                               .channels = w->channels,
                               .channel_count = WILD_JOINTS};
}

/* Each joint of the rest pose against the same joint of the cubics. */
static space_result certified_of(made *m, wild *w, double at, double resolution) {
    static certified still_parts[WILD_JOINTS][3];
    size_t pairs[WILD_JOINTS][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
    reach_points points[WILD_JOINTS];
    for (size_t n = 0; n < WILD_JOINTS; n++)
        points[n] =
            (reach_points){.at = {{at, 0, 0}, {0, at, 0}, {0, 0, at}}, .count = 3, .radius = at};
    const space_request request = {
        .sides = {{&m->motion.content, still_parts}, {&m->motion.content, w->parts}},
        .pairs = pairs,
        .pair_count = WILD_JOINTS,
        .points = {points, points},
        .resolution = resolution};
    space_result bound;
    m->clip.channel_count = 0; /* the rest pose */
    expect_success(space_certify(&request, &bound, new_error()));
    return bound;
}

/* The bound must neither be below what is reached, nor far above it. */
TEST(distances_of_cubics_are_bounded_between_their_keys) {
    enum { TIMES = 4000 };
    random_source random = random_salted(18);
    for (size_t round = 0; round < 20; round++) {
        const double at = 0.3, resolution = 0.01;
        SCOPED(discard) made m;
        wild w;
        double most = 0;
        draw_figure(&random, &m, WILD_JOINTS);
        draw_wild(&random, &m, &w);
        const space_result bound = certified_of(&m, &w, at, resolution);
        for (size_t i = 0; i < TIMES; i++) {
            const double time = random_between(&random, w.times[0], w.times[WILD_KEYS - 1]);
            for (size_t n = 0; n < WILD_JOINTS; n++)
                most = fmax(most, clips_apart(&m, &w.clip, n, at, time));
        }
        if (!(most <= bound.bound + 1e-12 && bound.bound <= bound.found + resolution + 1e-9 &&
              bound.found <= bound.bound))
            fail_msg("round %zu: %.17g is reached, %.17g was found, %.17g is the bound", round,
                     most, bound.found, bound.bound);
    }
}

/* The cubic passes so near to 0 that it turns over in an instant, which no halving meets. */
TEST(distances_of_a_cubic_that_passes_by_0_are_bounded) {
    random_source random = random_salted(19);
    SCOPED(discard) made m;
    wild w;
    draw_figure(&random, &m, WILD_JOINTS);
    draw_wild(&random, &m, &w);
    memset(w.numbers, 0, sizeof w.numbers);
    for (size_t n = 0; n < WILD_JOINTS; n++)
        for (size_t k = 0; k < WILD_KEYS; k++) /* 1 and -2 change their weights at a third */
            w.numbers[n][1][k][3] = n == 0 && k % 2 ? -2 : 1;
    w.numbers[0][1][1][0] = 1e-12;
    double low = 0, high = 1; /* where 3 u^2 - 2 u^3 is 1/3 */
    for (int i = 0; i < 100; i++) {
        const double u = (low + high) / 2;
        *(u * u * (3 - 2 * u) < 1.0 / 3 ? &low : &high) = u;
    }
    const double time = w.times[0] + low * (w.times[1] - w.times[0]);
    double most = 0;
    const space_result bound = certified_of(&m, &w, 0, 1e-6);
    for (size_t n = 0; n < WILD_JOINTS; n++)
        most = fmax(most, clips_apart(&m, &w.clip, n, 0, time));
    assert_true(most > 0.1);
    if (!(most <= bound.bound))
        fail_msg("%.17g is reached, %.17g is the bound", most, bound.bound);
}

/* A second reduction keeps the cubics of the first one: a distance bounds both. */
TEST(a_distance_may_be_of_cubics_that_remain) {
    random_source random = random_salted(17);
    SCOPED(discard) made m;
    draw_figure(&random, &m, 5);
    SCOPED(release)
    reduced cubics = reduce(&m, &(pm_motion_reduce_options){
                                    .curve = PM_METHOD_CUBICSPLINE, .has_angle = true, .angle = 1});
    SCOPED(pm_motion_destroy) pm_motion *again = NULL;
    SCOPED(pm_motion_reduction_destroy) pm_motion_reduction *report = NULL;
    const pm_motion_reduce_options options = {.distance = 0.1, .at = 0.1};
    expect_success(pm_motion_reduce(cubics.motion, &options, &again, &report, new_error()));
    const pm_motion_error_bound *error = &pm_motion_reduction_get_numbers(report)->distance;
    assert_true(error->bound <= 0.1);
    for (size_t c = 0; c < 5; c++)
        assert_int_equal(pm_motion_get_content(again)->clips[0].channels[c].interpolation,
                         PM_MOTION_CUBICSPLINE);
}

TEST(a_distance_shares_the_error_of_a_chain) {
    random_source random = random_salted(8);
    SCOPED(discard) made m;
    draw_figure(&random, &m, 20);
    SCOPED(release)
    reduced wide = reduce(&m, &(pm_motion_reduce_options){.distance = 0.2, .at = 0.1});
    SCOPED(release)
    reduced narrow = reduce(&m, &(pm_motion_reduce_options){.distance = 0.02, .at = 0.1});
    assert_true(wide.numbers->keys_after < narrow.numbers->keys_after);
}

/* A scale of 0.01 at the root, of the rest pose or of all keys of a channel, above offsets of 100. */
static void scale_figure(made *m, size_t joints, bool by_channel) {
    const size_t last = m->clip.channel_count;
    for (size_t n = 1; n < joints; n++)
        for (int i = 0; i < 3; i++)
            m->nodes[n].position[i] *= 100;
    for (int i = 0; i < 3; i++)
        m->nodes[0].scale[i] = by_channel ? 1 : 0.01;
    if (!by_channel)
        return;
    m->keys[last] = calloc(m->timeline.key_count, 3 * sizeof *m->keys[last]);
    for (size_t k = 0; k < 3 * m->timeline.key_count; k++)
        m->keys[last][k] = 0.01;
    m->channels[last] = (pm_motion_channel){.path = PM_MOTION_SCALE,
                                            .components = 3,
                                            .keys = {.data = m->keys[last], .type = PM_FLOAT64},
                                            .name = {"", 0}};
    m->clip.channel_count++;
}

static size_t rotation_keys(const reduced *r, size_t joints) {
    size_t sum = 0;
    for (size_t c = 0; c < joints; c++)
        sum += r->clip->timelines[r->clip->channels[c].timeline].key_count;
    return sum;
}

/* Whether one key less, of all channels with the same times, keeps the distance at all keys of the source. */
static bool is_spare(const made *m, const reduced *r, size_t timeline, size_t key, double far) {
    pm_motion_channel channels[CHANNELS_MAX];
    pm_timeline timelines[2 * CHANNELS_MAX];
    pm_motion_clip clip = *r->clip;
    double times[160], keys[CHANNELS_MAX][4 * 160];
    const pm_timeline *from = &clip.timelines[timeline];
    memcpy(channels, clip.channels, clip.channel_count * sizeof *channels);
    memcpy(timelines, clip.timelines, clip.timeline_count * sizeof *timelines);
    for (size_t k = 0; k + 1 < from->key_count; k++) {
        const size_t of = k + (k >= key);
        times[k] = from->times[of];
        for (size_t c = 0; c < clip.channel_count; c++) {
            const size_t n = clip.channels[c].components;
            if (clip.channels[c].timeline == timeline)
                memcpy(keys[c] + n * k, (const double *)clip.channels[c].keys.data + n * of,
                       n * sizeof *keys[c]);
        }
    }
    timelines[clip.timeline_count] =
        (pm_timeline){.key_count = from->key_count - 1, .times = times};
    for (size_t c = 0; c < clip.channel_count; c++)
        if (clip.channels[c].timeline == timeline) {
            channels[c].keys = (pm_array){.data = keys[c], .type = PM_FLOAT64};
            channels[c].timeline = (uint32_t)clip.timeline_count;
        }
    clip.timelines = timelines;
    clip.channels = channels;
    for (size_t k = 0; k < m->timeline.key_count; k++)
        for (size_t n = 0; n < m->motion.content.node_count; n++)
            if (clips_apart(m, &clip, n, 1, m->times[k]) > far)
                return false;
    return true;
}

/* Each key that is left was needed when it was tried last: few are spare once all others are tried. */
TEST(no_key_is_left_that_the_distance_can_spare) {
    enum { JOINTS = 8 };
    random_source random = random_salted(66);
    for (int way = 0; way < 4; way++) {
        size_t spare = 0, all = 0;
        for (int i = 0; i < 4; i++) {
            SCOPED(discard) made m;
            draw_figure(&random, &m, JOINTS);
            SCOPED(release)
            reduced r = reduce(&m, &(pm_motion_reduce_options){.distance = 0.2,
                                                               .at = 1,
                                                               .common = way == 1,
                                                               .quantize = way == 2,
                                                               .compress = way == 3});
            for (size_t t = 0; t < r.clip->timeline_count; t++)
                for (size_t k = 1; k + 1 < r.clip->timelines[t].key_count; k++, all++)
                    spare += is_spare(&m, &r, t, k, 0.2);
        }
        assert_true(all > 100);
        if (spare * 50 > all)
            fail_msg("way %d: %zu of %zu keys are spare", way, spare, all);
    }
}

typedef struct told {
    size_t calls;
    uint64_t done, total;
} told;

static void tell(void *user, uint64_t done, uint64_t total) {
    told *t = user;
    assert_true(done > t->done && done <= total);
    *t = (told){t->calls + 1, done, total};
}

TEST(progress_of_a_distance_rises_to_its_end) {
    random_source random = random_salted(67);
    SCOPED(discard) made m;
    told t = {0};
    draw_figure(&random, &m, 60);
    SCOPED(release)
    reduced r = reduce(&m, &(pm_motion_reduce_options){
                               .distance = 0.2, .at = 0.1, .progress = tell, .progress_user = &t});
    assert_true(t.calls > 1 && t.total == m.clip.channel_count && t.done == t.total);
}

/* The points of joints are at a distance in model space, whatever the scales above them. */
TEST(a_distance_is_shared_in_model_space) {
    enum { JOINTS = 20 };
    size_t keys[3];
    for (int n = 0; n < 3; n++) {
        random_source random = random_salted(9);
        SCOPED(discard) made m;
        draw_figure(&random, &m, JOINTS);
        if (n > 0)
            scale_figure(&m, JOINTS, n == 2);
        SCOPED(release)
        reduced r = reduce(&m, &(pm_motion_reduce_options){.distance = 0.1, .at = 0.1});
        assert_true(r.numbers->distance.bound <= 0.1);
        keys[n] = rotation_keys(&r, JOINTS);
    }
    assert_int_equal(keys[1], keys[0]);
    assert_int_equal(keys[2], keys[0]);
}

/* Below a scale of 0.01, positions 100 times as large are the same. */
TEST(a_bound_of_positions_is_one_of_model_space) {
    enum { JOINTS = 2 };
    size_t keys[2];
    double found[2];
    for (int n = 0; n < 2; n++) {
        random_source random = random_salted(20);
        SCOPED(discard) made m;
        draw_figure(&random, &m, JOINTS);
        m.channels[JOINTS].node = 1;
        for (size_t k = 0; n > 0 && k < 3 * m.timeline.key_count; k++)
            m.keys[JOINTS][k] *= 128;
        for (int i = 0; i < 3; i++)
            m.nodes[0].scale[i] = n > 0 ? 1.0 / 128 : 1;
        SCOPED(release) reduced r = reduce(&m, &(pm_motion_reduce_options){.position = 0.1});
        assert_true(r.numbers->position.bound <= 0.1 && r.numbers->position.found > 0.01);
        keys[n] = r.clip->timelines[r.clip->channels[JOINTS].timeline].key_count;
        found[n] = r.numbers->position.found;
    }
    assert_int_equal(keys[1], keys[0]);
    assert_true(fabs(found[1] - found[0]) < 1e-6);
}

/* ---- keys ---------------------------------------------------------------------------------- */

TEST(keys_are_those_of_the_source_in_float32) {
    random_source random = random_salted(2);
    SCOPED(discard) made m;
    draw_motion(&random, &m, false);
    SCOPED(release) reduced r = reduce(&m, NULL);
    for (size_t c = 0; c < m.clip.channel_count; c++) {
        const pm_motion_channel *channel = &r.clip->channels[c];
        const pm_timeline *timeline = &r.clip->timelines[channel->timeline];
        const double *keys = channel->keys.data;
        size_t at = 0;
        for (size_t k = 0; k < timeline->key_count; k++, at++) {
            while ((double)(float)m.times[at] != timeline->times[k])
                at++;
            assert_true(at < m.timeline.key_count);
            for (uint32_t i = 0; i < channel->components; i++)
                assert_true(fabs(keys[k * channel->components + i] -
                                 m.keys[c][at * channel->components + i]) < 3e-6);
        }
        assert_int_equal(at, m.timeline.key_count);
        assert_int_equal(timeline->key_count, r.numbers->channels[c].keys_after);
    }
}

/* Whether keys may be dropped, by samples at and between them. */
static bool may_drop(const made *m, size_t channel, size_t from, size_t to, double degrees) {
    enum { SAMPLES = 16 };
    const quat a = quat_of(m->keys[channel] + 4 * from), b = quat_of(m->keys[channel] + 4 * to);
    const quat near = quat_dot(a, b) < 0 ? quat_scale(b, -1) : b;
    for (size_t i = 0; i < SAMPLES * (to - from); i++) {
        const size_t key = from + i / SAMPLES;
        const double part = (double)(i % SAMPLES) / SAMPLES;
        const double time = m->times[key] + part * (m->times[key + 1] - m->times[key]);
        const double u = (time - m->times[from]) / (m->times[to] - m->times[from]);
        double p[TRUTH_NUMBERS] = {0};
        value_at(&m->clip, channel, time, p);
        if (oracle_error(quat_of(p), quat_slerp(quat_normalise(a), quat_normalise(near), u)) *
                DEGREES >
            degrees)
            return false;
    }
    return true;
}

/* The fewest keys by all pairs of keys. */
static size_t fewest(const made *m, size_t channel, double degrees) {
    size_t keys[64] = {1};
    for (size_t to = 1; to < m->timeline.key_count; to++) {
        keys[to] = keys[to - 1] + 1;
        for (size_t from = 0; from + 1 < to; from++)
            if (keys[from] + 1 < keys[to] && may_drop(m, channel, from, to, degrees))
                keys[to] = keys[from] + 1;
    }
    return keys[m->timeline.key_count - 1];
}

TEST(each_rotation_has_the_fewest_keys) {
    random_source random = random_salted(3);
    for (int i = 0; i < 20; i++) {
        SCOPED(discard) made m;
        make(&m, 1, 40);
        for (size_t k = 0; k < 40; k++)
            m.times[k] = (double)k / 32;
        draw_rotations(&random, &m, 0, true);
        const pm_motion_reduce_options options = {.has_angle = true,
                                                  .angle = random_between(&random, 0.5, 20)};
        SCOPED(release) reduced r = reduce(&m, &options);
        assert_int_equal(r.numbers->keys_after, fewest(&m, 0, options.angle));
    }
}

/* A turn of constant speed and a pause: 3 keys. */
TEST(what_turns_at_constant_speed_has_its_ends) {
    SCOPED(discard) made m;
    make(&m, 1, 5000);
    for (size_t k = 0; k < 5000; k++) {
        const double angle = 1.5 * fmin((double)k / 2500, 1) / 2;
        m.times[k] = (double)k / 128;
        m.keys[0][4 * k] = sin(angle);
        m.keys[0][4 * k + 3] = cos(angle);
    }
    const pm_motion_reduce_options options = {.has_angle = true, .angle = 0.01};
    SCOPED(release) reduced r = reduce(&m, &options);
    assert_in_range(r.numbers->keys_after, 3, 5);
}

/* ---- cubics -------------------------------------------------------------------------------- */

static size_t keys_with(const made *m, pm_method curve, double degrees) {
    const pm_motion_reduce_options options = {.has_angle = true, .angle = degrees, .curve = curve};
    SCOPED(release) reduced r = reduce(m, &options);
    const size_t keys = r.numbers->keys_after;
    assert_true(r.numbers->angle.bound <= degrees * (1 + 1e-12));
    assert_int_equal(r.clip->channels[0].interpolation,
                     curve == PM_METHOD_CUBICSPLINE ? PM_MOTION_CUBICSPLINE : PM_MOTION_LINEAR);
    return keys;
}

/* A swing about an axis that turns, of one joint. */
static void make_swing(made *m) {
    make(m, 1, 600);
    for (size_t k = 0; k < 600; k++) {
        const double t = (double)k / 120, half = 0.4 * sin(3 * t) + 0.1 * sin(11 * t);
        m->times[k] = t;
        m->keys[0][4 * k] = sin(half) * cos(t);
        m->keys[0][4 * k + 1] = sin(half) * sin(t);
        m->keys[0][4 * k + 3] = cos(half);
    }
}

/* Lines follow a swing in many pieces, cubics in few. */
TEST(cubics_have_a_third_of_the_keys_of_what_swings) {
    SCOPED(discard) made m;
    make_swing(&m);
    for (double degrees = 0.05; degrees < 2; degrees *= 3) {
        const size_t lines = keys_with(&m, PM_METHOD_SLERP, degrees);
        assert_true(3 * keys_with(&m, PM_METHOD_CUBICSPLINE, degrees) <= lines);
    }
}

/* A swing is smooth; where it is turned round at once there is a corner, and there alone. */
TEST(smooth_cubics_have_one_velocity_at_a_key) {
    SCOPED(discard) made m;
    make(&m, 2, 600);
    for (size_t k = 0; k < 600; k++) {
        const double t = (double)k / 120, half[] = {0.4 * sin(3 * t), 0.4 * asin(sin(3 * t))};
        m.times[k] = t;
        for (size_t c = 0; c < 2; c++) {
            m.keys[c][4 * k + c] = sin(half[c]);
            m.keys[c][4 * k + 3] = cos(half[c]);
        }
    }
    const pm_motion_reduce_options options = {
        .has_angle = true, .angle = 0.1, .curve = PM_METHOD_CUBICSPLINE, .smooth = true};
    SCOPED(release) reduced r = reduce(&m, &options);
    for (size_t c = 0; c < 2; c++) {
        const double *in = r.clip->channels[c].in.data, *out = r.clip->channels[c].out.data;
        const size_t keys = r.numbers->channels[c].keys_after;
        size_t corners = 0;
        for (size_t k = 1; k + 1 < keys; k++)
            corners += memcmp(in + 4 * k, out + 4 * k, 4 * sizeof *in) != 0;
        assert_int_equal(r.clip->channels[c].interpolation, PM_MOTION_CUBICSPLINE);
        assert_int_equal(corners, r.numbers->channels[c].corners);
    }
    assert_int_equal(r.numbers->channels[0].corners, 0);
    assert_in_range(r.numbers->channels[1].corners, 4, 10);
    assert_true(keys_with(&m, PM_METHOD_CUBICSPLINE, 0.1) <= r.numbers->keys_after);
    assert_true(r.numbers->channels[0].keys_after < 60);
}

/* No cubic follows a half turn between two keys within a hundredth of a degree. */
TEST(steps_that_no_cubic_follows_keep_lines) {
    SCOPED(discard) made m;
    make(&m, 1, 3);
    for (size_t k = 0; k < 3; k++) {
        m.times[k] = (double)k;
        m.keys[0][4 * k] = k == 1 ? sin(1.5) : 0;
        m.keys[0][4 * k + 3] = k == 1 ? cos(1.5) : 1;
    }
    const pm_motion_reduce_options options = {
        .has_angle = true, .angle = 0.01, .curve = PM_METHOD_CUBICSPLINE};
    SCOPED(release) reduced r = reduce(&m, &options);
    assert_int_equal(r.clip->channels[0].interpolation, PM_MOTION_LINEAR);
    assert_int_equal(r.numbers->keys_after, 3);
}

TEST(cubics_of_degenerate_keys) {
    SCOPED(discard) made m;
    make(&m, 3, 500);
    for (size_t k = 0; k < 500; k++) {
        m.times[k] = 3 + (double)k / 30;
        m.keys[0][4 * k + 3] = k % 3 == 0 ? -1 : 1; /* equal, of both signs */
        m.keys[1][4 * k] = sin((double)k / 60);     /* a constant speed */
        m.keys[1][4 * k + 3] = cos((double)k / 60);
        m.keys[2][4 * k + (k < 250 ? 3 : 0)] = 1; /* one jump of half a turn */
    }
    const pm_motion_reduce_options options = {
        .has_angle = true, .angle = 0.1, .curve = PM_METHOD_CUBICSPLINE};
    SCOPED(release) reduced r = reduce(&m, &options);
    random_source random = random_salted(11);
    expect_limit(&r, &options);
    expect_bound(&m, &r, &random, 1000);
    assert_int_equal(r.numbers->channels[0].keys_after, 2);
    assert_in_range(r.numbers->channels[1].keys_after, 5, 14);
}

/* One key, two keys, equal ones of both signs, a constant speed, and steps. */
TEST(curves_of_degenerate_keys) {
    for (size_t i = 0; i < COUNT_OF(subset_methods) * 3; i++) {
        const size_t counts[] = {1, 2, 500}, keys = counts[i / COUNT_OF(subset_methods)];
        random_source random = random_salted(23);
        SCOPED(discard) made m;
        make(&m, 3, keys);
        m.channels[2].interpolation = PM_MOTION_STEP;
        for (size_t k = 0; k < keys; k++) {
            m.times[k] = 3 + (double)k / 30;
            m.keys[0][4 * k + 3] = k % 3 == 0 ? -1 : 1;
            m.keys[1][4 * k] = sin((double)k / 60);
            m.keys[1][4 * k + 3] = cos((double)k / 60);
            m.keys[2][4 * k + (k % 2 ? 3 : 0)] = 1;
        }
        const pm_motion_reduce_options options = {
            .has_angle = true, .angle = 0.1, .curve = subset_methods[i % COUNT_OF(subset_methods)]};
        SCOPED(release) reduced r = reduce(&m, &options);
        expect_limit(&r, &options);
        expect_bound(&m, &r, &random, keys > 1 ? 1000 : 1);
        for (size_t c = 0; c < 3; c++)
            assert_int_equal(r.clip->channels[c].interpolation, m.channels[c].interpolation);
        assert_int_equal(r.numbers->channels[0].keys_after, keys < 2 ? keys : 2);
        assert_in_range(r.numbers->channels[1].keys_after, keys < 2 ? keys : 2, 12);
        assert_int_equal(r.numbers->channels[2].keys_after, keys);
    }
}

/* A half turn between two keys is followed within no small bound, and within each large one. */
TEST(half_turns_of_curves_keep_slerp_or_are_within_the_bound) {
    random_source random = random_salted(24);
    for (size_t i = 0; i < COUNT_OF(subset_methods) * 2; i++) {
        const double angle = i < COUNT_OF(subset_methods) ? 1 : 179;
        SCOPED(discard) made m;
        make(&m, 1, 60);
        for (size_t k = 0; k < 60; k++) {
            m.times[k] = (double)k / 64;
            m.keys[0][4 * k + (k < 30 ? 3 : 0)] = 1;
        }
        const pm_motion_reduce_options options = {.has_angle = true,
                                                  .angle = angle,
                                                  .curve =
                                                      subset_methods[i % COUNT_OF(subset_methods)]};
        SCOPED(release) reduced r = reduce(&m, &options);
        expect_limit(&r, &options);
        expect_bound(&m, &r, &random, 10000);
        assert_int_equal(expect_far(&m, &r, options.curve, angle), angle < 90);
    }
}

/* A swing takes fewer keys of a smooth curve than of lines. */
TEST(smooth_curves_have_fewer_keys_of_what_swings) {
    SCOPED(discard) made m;
    make_swing(&m);
    for (size_t i = 0; i < COUNT_OF(subset_methods); i++)
        assert_true(2 * keys_with(&m, subset_methods[i], 0.02) <
                    keys_with(&m, PM_METHOD_SLERP, 0.02));
}

/* ---- degenerate motions -------------------------------------------------------------------- */

static void still(made *m, size_t channels, size_t keys) {
    make(m, channels, keys);
    for (size_t k = 0; k < keys; k++) {
        m->times[k] = (double)k;
        for (size_t c = 0; c < channels; c++)
            m->keys[c][4 * k + 3] = 1;
    }
}

/* Two channels, of which the second may be of weights or of steps. One has the end of the clip. */
TEST(what_does_not_move_has_one_key) {
    static const struct {
        size_t keys;
        pm_motion_path path;
        pm_motion_interpolation interpolation;
        size_t after[2];
    } rows[] = {{1, PM_MOTION_ROTATION, PM_MOTION_LINEAR, {1, 1}},
                {1000, PM_MOTION_WEIGHTS, PM_MOTION_LINEAR, {2, 1}},
                {100, PM_MOTION_ROTATION, PM_MOTION_STEP, {1, 100}}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SCOPED(discard) made m;
        still(&m, 2, rows[i].keys);
        m.channels[1].path = rows[i].path;
        m.channels[1].interpolation = rows[i].interpolation;
        SCOPED(release) reduced r = reduce(&m, NULL);
        for (size_t c = 0; c < 2; c++)
            assert_int_equal(r.numbers->channels[c].keys_after, rows[i].after[c]);
        assert_int_equal(r.clip->channels[1].interpolation, rows[i].interpolation);
        assert_true(rows[i].interpolation != PM_MOTION_STEP || !r.numbers->channels[1].is_reduced);
        assert_true(r.numbers->angle.bound < 1e-9 && !r.numbers->channels[0].moves);
    }
}

/* Which way is shorter is decided by the last bit. */
TEST(half_turns_keep_their_direction) {
    random_source random = random_salted(5);
    SCOPED(discard) made m;
    still(&m, 1, 50);
    for (size_t k = 0; k < 50; k++) {
        const double angle =
            3.14159265358979323846 * (double)(k % 2) + 1e-9 * random_between(&random, -1, 1);
        store(m.keys[0] + 4 * k, draw_turn(&random, angle), 1, false);
    }
    SCOPED(release) reduced r = reduce(&m, NULL);
    expect_bound(&m, &r, &random, 10000);
}

TEST(weights_are_dropped_only_between_equal_ones) {
    SCOPED(discard) made m;
    still(&m, 1, 6);
    const double weights[6] = {0, 1, 1, 1, 2, 3};
    m.channels[0].path = PM_MOTION_WEIGHTS;
    m.channels[0].components = 1;
    memcpy(m.keys[0], weights, sizeof weights);
    const pm_motion_reduce_options options = {.has_scale_error = true};
    SCOPED(release) reduced r = reduce(&m, &options);
    assert_int_equal(r.numbers->keys_after, 5);
}

/* Weights of several targets: that of each differs by at most the part, and not at all where it is 0. */
TEST(weights_differ_by_the_part_of_scales) {
    random_source random = random_salted(31);
    SCOPED(discard) made m;
    still(&m, 1, 300);
    m.channels[0].path = PM_MOTION_WEIGHTS;
    m.channels[0].components = 3;
    for (size_t k = 0; k < 300; k++) {
        const double x = (double)k / 40, part = 0.01 * random_between(&random, -1, 1);
        m.keys[0][3 * k] = (double)(float)((1.5 + sin(x)) * (1 + part));
        m.keys[0][3 * k + 1] = (double)(float)sin(x / 3); /* changes its sign */
        m.keys[0][3 * k + 2] = k < 100 ? 0 : 1;
    }
    const pm_motion_reduce_options options = {.has_angle = true, .angle = 1, .scale_error = 0.05};
    SCOPED(release) reduced r = reduce(&m, &options);
    assert_in_range(r.numbers->keys_after, 10, 150);
    assert_true(r.numbers->scale.bound > 0.01 && r.numbers->scale.bound <= 0.05);
    for (size_t i = 0; i < 20000; i++) {
        double a[TRUTH_NUMBERS], b[TRUTH_NUMBERS];
        const double time = random_between(&random, -1, 300);
        value_at(&m.clip, 0, time, a);
        value_at(r.clip, 0, time, b);
        for (int n = 0; n < 3; n++)
            assert_true(fabs(b[n] - a[n]) <= r.numbers->scale.bound * fabs(a[n]) * (1 + 1e-9));
    }
}

/* ---- defaults ------------------------------------------------------------------------------ */

static void draw_noise(random_source *random, made *m, size_t channel, pm_motion_path path,
                       double from, double most) {
    m->channels[channel].path = path;
    m->channels[channel].components = 3;
    for (size_t k = 0; k < 3 * m->timeline.key_count; k++)
        m->keys[channel][k] = (double)(float)(from + random_between(random, -most, most) / sqrt(3));
}

static void expect_keys(const made *m, const pm_motion_reduce_options *options, size_t channel,
                        size_t keys) {
    SCOPED(release) reduced r = reduce(m, options);
    assert_int_equal(r.numbers->channels[channel].keys_after, keys);
}

/* What exporters leave of scales, and of positions in float32: here 1e-5 of a figure of 2 is 2e-5, and 2^-22
 * of 1000 is 2.4e-4. */
TEST(noise_of_positions_and_scales_is_one_key) {
    enum { KEYS = 400 };
    random_source random = random_salted(41);
    static const pm_motion_reduce_options none = {.has_position = true, .has_scale_error = true};
    const struct {
        pm_motion_path path;
        double from, most;
        size_t keys;
    } rows[] = {{PM_MOTION_SCALE, 1, 7.7e-7, 1},       {PM_MOTION_SCALE, 1, 1e-4, 0},
                {PM_MOTION_POSITION, 0.5, 9e-6, 1},    {PM_MOTION_POSITION, 0.5, 1e-3, 0},
                {PM_MOTION_POSITION, 1000, 6.1e-5, 1}, {PM_MOTION_POSITION, 1000, 1e-2, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SCOPED(discard) made m;
        make(&m, 2, KEYS);
        draw_times(&random, &m, true);
        draw_rotations(&random, &m, 0, true);
        draw_noise(&random, &m, 1, rows[i].path, rows[i].from, rows[i].most);
        m.nodes[1].position[1] = 2;
        if (rows[i].keys > 0)
            expect_keys(&m, NULL, 1, rows[i].keys);
        SCOPED(release) reduced r = reduce(&m, NULL);
        assert_true(rows[i].keys > 0 || r.numbers->channels[1].keys_after > KEYS / 10);
        if (rows[i].from <= 1) /* which this evaluator's rounding is for */
            expect_bound(&m, &r, &random, 1000);
        SCOPED(release) reduced all = reduce(&m, &none);
        assert_true(all.numbers->channels[1].keys_after > KEYS / 2);
    }
}

/* The report says what was taken. */
TEST(defaults_are_reported) {
    random_source random = random_salted(42);
    SCOPED(discard) made m;
    draw_motion(&random, &m, true);
    m.nodes[1].position[0] = 3;
    m.nodes[2].position[2] = -1;
    SCOPED(release) reduced r = reduce(&m, NULL);
    const char *json = pm_motion_reduction_json(r.reduction);
    assert_non_null(strstr(json, "\"scale\": 1e-05"));
    double position = 0;
    const char *at = strstr(json, "\"position\": ");
    assert_true(at && sscanf(at, "\"position\": %lf", &position) == 1);
    double largest = 0;
    for (size_t k = 0; k < 3 * m.timeline.key_count; k++)
        largest = fmax(largest, fabs(m.keys[4][k]));
    const double expected = fmax(1e-5 * 3, largest / (1 << 22));
    assert_true(fabs(position - expected) <= 1e-9 * expected);
}

/* Late times lose in float32 what positions move meanwhile. */
TEST(defaults_refuse_nothing) {
    random_source random = random_salted(43);
    SCOPED(discard) made m;
    make(&m, 2, 300);
    for (size_t k = 0; k < 300; k++)
        m.times[k] = 50000 + (double)k / 60;
    draw_rotations(&random, &m, 0, true);
    draw_numbers(&random, &m, 1, PM_MOTION_POSITION);
    for (size_t k = 0; k < 900; k++)
        m.keys[1][k] *= 100;
    pm_motion_reduce_options options = {.has_angle = true, .angle = 180};
    SCOPED(release) reduced r = reduce(&m, &options);
    assert_true(r.numbers->position.bound > 1e-3);
    options.position = 1e-5;
    reduced refused;
    expect_error(try_reduce(&m, &options, &refused, new_error()), PM_ERROR_ARGUMENT, "float32");
}

/* Positions of a chain, also below a scale of 1000, with a distance below what the defaults add up to. */
TEST(defaults_leave_room_for_a_distance) {
    enum { JOINTS = 20 };
    random_source random = random_salted(44);
    for (size_t i = 0; i < 6; i++) {
        SCOPED(discard) made m;
        draw_figure(&random, &m, JOINTS);
        const pm_motion_reduce_options options = {.distance = i % 2 == 0 ? 1e-3 : 1, .at = 0.1};
        if (i % 2 == 0) {
            expect_distance(&m, &options, &random, 1000);
            continue;
        }
        for (int n = 0; n < 3; n++)
            m.nodes[0].scale[n] = 1000;
        m.channels[JOINTS].node = 1;
        SCOPED(release) reduced r = reduce(&m, &options);
        assert_true(r.numbers->distance.bound <= options.distance);
    }
}

/* A clip keeps its ends when only what holds still reaches them. */
TEST(what_holds_still_keeps_the_end_of_the_clip) {
    random_source random = random_salted(45);
    SCOPED(discard) made m;
    make(&m, 3, 50);
    draw_times(&random, &m, true);
    draw_rotations(&random, &m, 0, true);
    draw_noise(&random, &m, 1, PM_MOTION_SCALE, 1, 0);
    draw_noise(&random, &m, 2, PM_MOTION_SCALE, 2, 0);
    pm_timeline timelines[2] = {m.timeline, m.timeline};
    timelines[1].key_count = 30;
    m.clip.timelines = timelines;
    m.clip.timeline_count = 2;
    m.channels[0].timeline = 1;
    SCOPED(release) reduced r = reduce(&m, NULL);
    const pm_motion_clip *clip = r.clip;
    assert_int_equal(r.numbers->channels[1].keys_after, 2);
    assert_int_equal(r.numbers->channels[2].keys_after, 1);
    assert_true(truth_time(&clip->timelines[clip->channels[1].timeline], 1) == m.times[49]);
    expect_bound(&m, &r, &random, 100);
}

TEST(a_motion_without_channels_remains) {
    SCOPED(discard) made m;
    still(&m, 1, 3);
    m.clip.channel_count = 0;
    SCOPED(release) reduced r = reduce(&m, NULL);
    assert_int_equal(r.numbers->keys_after, 0);
    assert_true(isnan(r.numbers->angle.key_time));
}

TEST(clips_that_are_not_chosen_remain) {
    SCOPED(discard) made m;
    still(&m, 1, 100);
    const size_t none[1] = {0};
    const pm_motion_reduce_options options = {.clips = none, .clip_count = 0};
    SCOPED(release) reduced r = reduce(&m, &options);
    assert_int_equal(r.numbers->keys_after, 100);
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void expect_refused(const made *m, pm_motion_reduce_options options, pm_status expected,
                           const char *word) {
    pm_motion *made_of = NULL;
    pm_motion_reduction *reduction = NULL;
    expect_error(pm_motion_reduce(&m->motion, &options, &made_of, &reduction, new_error()),
                 expected, word);
    assert_null(made_of);
    assert_null(reduction);
}

static void cancel_all(void *user, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    *(uint32_t *)user = 1;
}

/* Before it begins, and once its first channels are done. */
TEST(a_call_that_is_cancelled_makes_nothing) {
    static const pm_method curves[] = {PM_METHOD_SLERP, PM_METHOD_CUBICSPLINE, PM_METHOD_SQUAD};
    random_source random = random_salted(70);
    SCOPED(discard) made m;
    draw_figure(&random, &m, 8);
    for (size_t i = 0; i < 8 * COUNT_OF(curves); i++) {
        uint32_t cancel = i % 2;
        const pm_method curve = curves[i / 8];
        const pm_motion_reduce_options options = {.distance = i & 2 ? 0.2 : 0,
                                                  .at = 1,
                                                  .curve = curve,
                                                  .compress = i & 4,
                                                  .progress = cancel_all,
                                                  .progress_user = &cancel,
                                                  .cancel = &cancel};
        expect_refused(&m, options, PM_ERROR_CANCELLED, "cancelled");
    }
}

TEST(options_are_checked) {
    SCOPED(discard) made m;
    const size_t second[1] = {1};
    still(&m, 2, 9);
    const struct {
        pm_motion_reduce_options options;
        const char *word;
    } cases[] = {{{.has_angle = true, .angle = 0}, "angle"},
                 {{.has_angle = true, .angle = -1}, "angle"},
                 {{.has_angle = true, .angle = (double)NAN}, "angle"},
                 {{.has_angle = true, .angle = 181}, "angle"},
                 {{.position = -1}, "position"},
                 {{.position = (double)INFINITY}, "position"},
                 {{.scale_error = -1}, "scale_error"},
                 {{.scale_error = (double)NAN}, "scale_error"},
                 {{.distance = -1}, "distance"},
                 {{.distance = (double)INFINITY}, "distance"},
                 {{.at = (double)NAN}, "at"},
                 {{.curve = PM_METHOD_NLERP}, "curve"},
                 {{.curve = (pm_method)999}, "curve"},
                 {{.curve = PM_METHOD_CUBICSPLINE, .common = true}, "common"},
                 {{.smooth = true}, "smooth"},
                 {{.clips = second, .clip_count = 1}, "clips[0]"},
                 {{.clip_count = 1}, "clips"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_refused(&m, cases[i].options, PM_ERROR_ARGUMENT, cases[i].word);
    pm_motion_reduce_options options = {.threads = 1};
    pm_motion *fewer = NULL;
    expect_next_refused(pm_motion_reduce_options, options, last_error(),
                        pm_motion_reduce(&m.motion, &options, &fewer, NULL, new_error()));
    assert_null(fewer);
}

TEST(a_distance_keeps_clips_that_it_does_not_bound_and_requires_nodes) {
    SCOPED(discard) made m;
    still(&m, 2, 9);
    m.channels[1].path = PM_MOTION_POSITION;
    m.channels[1].components = 3;
    m.channels[1].interpolation = PM_MOTION_CUBICSPLINE;
    m.channels[1].in = m.channels[1].out = m.channels[1].keys;
    SCOPED(release) reduced r = reduce(&m, &(pm_motion_reduce_options){.distance = 1});
    assert_non_null(strstr(r.numbers->channels[1].note, "cubic spline"));
    assert_true(!r.numbers->channels[0].note && !r.numbers->channels[0].is_reduced);
    assert_int_equal(r.numbers->keys_after, r.numbers->keys_before);
    m.channels[1].interpolation = PM_MOTION_LINEAR;
    m.motion.content.node_count = 0;
    expect_refused(&m, (pm_motion_reduce_options){.distance = 1}, PM_ERROR_FILE, "no nodes");
}

TEST(a_bound_below_float32_is_refused) {
    random_source random = random_salted(6);
    SCOPED(discard) made m;
    make(&m, 1, 50);
    for (size_t k = 0; k < 50; k++)
        m.times[k] = (double)k / 60;
    draw_rotations(&random, &m, 0, false);
    expect_refused(&m, (pm_motion_reduce_options){.has_angle = true, .angle = 1e-7},
                   PM_ERROR_ARGUMENT, "float32");
}

TEST(times_that_meet_in_float32_are_refused) {
    SCOPED(discard) made m;
    still(&m, 1, 3);
    for (size_t k = 0; k < 3; k++) {
        m.times[k] = 1e6 + 1e-4 * (double)k;
        m.keys[0][4 * k] = (double)k;
    }
    expect_refused(&m, (pm_motion_reduce_options){.has_angle = false}, PM_ERROR_FILE, "float32");
}

/* ---- keys that are added --------------------------------------------------------------------- */

/* Channels of which each has times of its own, some of them one key. */
TEST(common_keys_are_at_times_of_all_channels) {
    random_source random = random_salted(30);
    size_t before = 0, after = 0;
    for (size_t i = 0; i < (small_sizes() ? 8 : 40); i++) {
        SCOPED(discard) made m;
        pm_timeline timelines[6];
        double times[6][64];
        make(&m, 6, 64);
        draw_times(&random, &m, i % 2 == 0);
        for (size_t c = 0; c < 6; c++) {
            size_t count = 0;
            for (size_t k = 0; k < 64; k++)
                if (k == 0 || k == 63 || random_unit(&random) < 0.5)
                    times[c][count++] = m.times[k];
            timelines[c] = (pm_timeline){c == 3 ? 1 : count, .times = times[c]};
            m.channels[c].timeline = (uint32_t)c;
            if (c < 4)
                draw_smooth(&random, &m, c, 0.01);
        }
        draw_numbers(&random, &m, 4, PM_MOTION_POSITION);
        draw_numbers(&random, &m, 5, PM_MOTION_SCALE);
        m.clip.timelines = timelines;
        m.clip.timeline_count = 6;
        const pm_motion_reduce_options options = {.has_angle = true,
                                                  .angle = exp(random_between(&random, 0, 3)),
                                                  .position = 0.5,
                                                  .scale_error = 0.5,
                                                  .common = true,
                                                  .curve = i % 4 == 3 ? PM_METHOD_SQUAD
                                                                      : PM_METHOD_SLERP};
        SCOPED(release) reduced r = reduce(&m, &options);
        expect_limit(&r, &options);
        expect_bound(&m, &r, &random, 1000);
        const pm_timeline *common = &r.clip->timelines[r.clip->channels[0].timeline];
        for (size_t c = 0; c < 6; c++) {
            const pm_timeline *own = &r.clip->timelines[r.clip->channels[c].timeline];
            /* One has a single key, and so may numbers that are held. */
            assert_true(own->key_count == (c == 3 ? 1 : common->key_count) ||
                        (c > 3 && own->key_count == 1));
            for (size_t k = 0; k < own->key_count; k++)
                assert_true(own->times[k] == common->times[k]);
            assert_int_equal(r.numbers->channels[c].keys_before, timelines[c].key_count);
        }
        before += timelines[0].key_count;
        after += common->key_count;
    }
    assert_true(after < before);
}

/* A loop of `keys` keys and one more, which is the first one: joints swing, and the root also goes on by `travel`. */
static void draw_loop(random_source *random, made *m, size_t joints, size_t keys, double travel) {
    make(m, joints + 1, keys + 1);
    for (size_t k = 0; k <= keys; k++)
        m->times[k] = (double)k / 32;
    for (size_t c = 0; c < joints; c++) {
        const quat rest = draw_turn(random, random_between(random, 0, 3));
        double axis[3], phase[3], size[3];
        random_direction(random, axis);
        for (int i = 0; i < 3; i++) {
            phase[i] = random_between(random, 0, 6.28);
            size[i] = random_between(random, 0.05, 0.4) / (i + 1);
        }
        for (size_t k = 0; k <= keys; k++) {
            double angle = 0;
            for (int i = 0; i < 3; i++)
                angle +=
                    size[i] *
                    sin(6.283185307179586 * (i + 1) * (double)(k % keys) / (double)keys + phase[i]);
            store(m->keys[c] + 4 * k,
                  quat_multiply(rest, quat_exp(vec3_scale(vec3_of(axis), angle))),
                  random_unit(random) < 0.1 ? -1 : 1, true);
        }
    }
    m->channels[joints].path = PM_MOTION_POSITION;
    m->channels[joints].components = 3;
    m->channels[joints].node = 0;
    m->motion.content.node_count = joints;
    for (size_t k = 0; k <= keys; k++) {
        m->keys[joints][3 * k] = travel * (double)k / (double)keys;
        m->keys[joints][3 * k + 1] =
            0.1 * sin(6.283185307179586 * (double)(k % keys) / (double)keys);
    }
    for (size_t n = 0; n < joints; n++)
        m->nodes[n].position[1] = 1;
}

/* The first and the last number of a channel, which are those of one rotation or place. */
static bool ends_as_it_begins(const reduced *r, size_t c) {
    const pm_motion_channel *channel = &r->clip->channels[c];
    const pm_timeline *timeline = &r->clip->timelines[channel->timeline];
    double first[TRUTH_NUMBERS] = {0}, last[TRUTH_NUMBERS] = {0}, minus = 0, plus = 0;
    value_at(r->clip, c, timeline->times[0], first);
    value_at(r->clip, c, timeline->times[timeline->key_count - 1], last);
    for (uint32_t i = 0; i < channel->components; i++) {
        minus = fmax(minus, fabs(first[i] - last[i]));
        plus = fmax(plus, fabs(first[i] + last[i]));
    }
    return fmin(minus, channel->components == 4 ? plus : minus) == 0;
}

/* Of a smooth curve. */
static double velocity_step(const reduced *r, size_t c) {
    const pm_motion_channel *channel = &r->clip->channels[c];
    const size_t last = r->clip->timelines[channel->timeline].key_count - 1;
    const double *in = channel->in.data, *out = channel->out.data, *keys = channel->keys.data;
    double minus = 0, sign = 0;
    for (size_t i = 0; i < 4; i++)
        sign += keys[i] * keys[4 * last + i];
    for (size_t i = 0; i < 4; i++)
        minus = fmax(minus, fabs(out[i] - (sign < 0 ? -1 : 1) * in[4 * last + i]));
    return minus;
}

/* Judged against the whole loop, also where its last key is not in the source. */
TEST(no_time_of_a_loop_exceeds_the_bound) {
    static const pm_motion_reduce_options kinds[] = {
        {.curve = PM_METHOD_SLERP},
        {.common = true},
        {.quantize = true},
        {.compress = true},
        {.distance = 0.05, .at = 0.3},
        {.curve = PM_METHOD_CUBICSPLINE},
        {.curve = PM_METHOD_CUBICSPLINE, .smooth = true},
        {.curve = PM_METHOD_CUBICSPLINE, .smooth = true, .distance = 0.05, .at = 0.3}};
    random_source random = random_salted(31);
    size_t smooth = 0, all = 0;
    for (size_t i = 0; i < COUNT_OF(kinds) * (small_sizes() ? 4 : 12); i++) {
        SCOPED(discard) made m;
        const bool is_open = i / COUNT_OF(kinds) % 2, travels = i / COUNT_OF(kinds) / 2 % 2;
        draw_loop(&random, &m, 4, 40 + (size_t)random_between(&random, 0, 60), travels ? 3 : 0);
        m.timeline.key_count -= is_open;
        m.clip.rate = (pm_rational){32, 1};
        pm_motion_reduce_options options = kinds[i % COUNT_OF(kinds)];
        options.has_angle = true;
        options.angle = 0.5;
        options.loop = true;
        SCOPED(release) reduced r = reduce(&m, &options);
        assert_int_equal(r.numbers->loops_closed, !is_open);
        assert_int_equal(r.numbers->loops_extended, is_open);
        m.timeline.key_count +=
            is_open; /* the loop with its last key, which the result is compared with */
        for (size_t c = 0; c < 4; c++) {
            assert_true(r.numbers->channels[c].error.bound <= 0.5);
            assert_true(ends_as_it_begins(&r, c));
            const pm_timeline *own = &r.clip->timelines[r.clip->channels[c].timeline];
            assert_true(own->times[own->key_count - 1] == m.times[m.timeline.key_count - 1]);
            for (size_t n = 0; n < 2000; n++) {
                const double time = random_between(&random, 0, m.times[m.timeline.key_count - 1]);
                assert_true(error_at(&m, &r, c, time) <=
                            r.numbers->channels[c].error.bound + 1e-12);
            }
            const bool is_smooth = options.smooth && r.numbers->channels[c].corners == 0;
            all += options.smooth;
            smooth += is_smooth;
            assert_true(!is_smooth || velocity_step(&r, c) < 1e-6);
        }
        const char *const note = r.numbers->channels[4].note;
        assert_true(travels ? strstr(note, "travels") != NULL : !note && ends_as_it_begins(&r, 4));
    }
    assert_true(smooth > all / 2);
}

TEST(what_is_no_loop_is_named) {
    random_source random = random_salted(32);
    SCOPED(discard) made m;
    draw_loop(&random, &m, 4, 60, 0);
    m.timeline.key_count = 30;
    m.clip.rate = (pm_rational){32, 1};
    for (int i = 0; i < 2; i++) {
        SCOPED(release) reduced r = reduce(&m, &(pm_motion_reduce_options){.loop = true});
        size_t named = 0;
        for (size_t c = 0; c < 5; c++)
            named += r.numbers->channels[c].note != NULL;
        assert_int_equal(named, 1);
        assert_int_equal(r.numbers->loops_not, 1);
        expect_bound(&m, &r, &random, 1000);
        m.timeline.key_count =
            60; /* a loop without its last key, and no rate that says when that is */
        m.clip.rate = (pm_rational){0, 0};
    }
    expect_refused(&m, (pm_motion_reduce_options){.loop = true, .curve = PM_METHOD_SQUAD},
                   PM_ERROR_ARGUMENT, "loop");
}

/* ---- additions ------------------------------------------------------------------------------- */

static const double *channel_value(const pm_motion_clip *clip, int32_t node, pm_motion_path path,
                                   double time, double value[TRUTH_NUMBERS]) {
    for (size_t c = 0; clip && c < clip->channel_count; c++)
        if (clip->channels[c].node == node && clip->channels[c].path == path) {
            value_at(clip, c, time, value);
            return value;
        }
    return NULL;
}

/* Base and addition at a time, as the rest pose of nodes. */
static void add_pose(const made *m, const pm_motion_clip *base, const pm_motion_clip *added,
                     double time, pm_motion_node *nodes) {
    for (size_t n = 0; n < m->motion.content.node_count; n++) {
        double v[TRUTH_NUMBERS] = {0};
        nodes[n] = m->nodes[n];
        if (channel_value(base, (int32_t)n, PM_MOTION_POSITION, time, v))
            memcpy(nodes[n].position, v, sizeof nodes[n].position);
        if (channel_value(added, (int32_t)n, PM_MOTION_POSITION, time, v))
            for (int i = 0; i < 3; i++)
                nodes[n].position[i] += v[i];
        if (channel_value(base, (int32_t)n, PM_MOTION_ROTATION, time, v))
            memcpy(nodes[n].rotation, v, sizeof nodes[n].rotation);
        if (channel_value(added, (int32_t)n, PM_MOTION_ROTATION, time, v)) {
            const double *q = nodes[n].rotation;
            const quat sum =
                quat_multiply((quat){q[0], q[1], q[2], q[3]}, (quat){v[0], v[1], v[2], v[3]});
            store(nodes[n].rotation, sum, 1, false);
        }
    }
}

static double additions_apart(const made *m, const pm_motion_clip *base, const reduced *r,
                              size_t clip, size_t joint, double at, double time) {
    static pm_motion_node nodes[2][CHANNELS_MAX];
    const pm_motion_clip *added[2] = {&m->motion.content.clips[clip],
                                      &pm_motion_get_content(r->motion)->clips[clip]};
    const pm_motion_clip none = {.channel_count = 0};
    kinematics_matrix p[2];
    for (int i = 0; i < 2; i++) {
        pm_motion_content posed = m->motion.content;
        posed.nodes = nodes[i];
        add_pose(m, base, added[i], time, nodes[i]);
        p[i] = kinematics_model(&posed, &none, (int32_t)joint, time);
    }
    double largest = 0;
    for (int axis = 0; axis < 4; axis++) {
        double points[2][3];
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++)
                points[i][k] = p[i].m[k][3] + (axis < 3 ? at * p[i].m[k][axis] : 0);
        largest = fmax(largest, distance(points[0], points[1], 3));
    }
    return largest;
}

/* On the rest pose, and on a clip that moves far: there an addition reaches elsewhere than by itself. */
TEST(no_time_of_an_addition_exceeds_the_distance_on_its_base) {
    static const char *const bases[] = {"rest", "base"};
    random_source random = random_salted(33);
    size_t before = 0, after = 0;
    for (size_t i = 0; i < (small_sizes() ? 6 : 24); i++) {
        SCOPED(discard) made m;
        SCOPED(discard) made base;
        draw_loop(&random, &base, 5, 50, 2);
        draw_loop(&random, &m, 5, 80, 0.3);
        for (size_t n = 0; n < 5; n++)
            store(m.nodes[n].rotation, draw_turn(&random, random_between(&random, 0, 3)), 1, false);
        base.clip.name = (pm_motion_name){"base", 4};
        const pm_motion_clip clips[2] = {base.clip, m.clip};
        const size_t chosen = 1;
        m.motion.content.clips = clips;
        m.motion.content.clip_count = 2;
        const pm_motion_reduce_options options = {.distance = exp(random_between(&random, -4, -2)),
                                                  .at = 0.3,
                                                  .position = 0.002,
                                                  .curve = i % 4 > 1 ? PM_METHOD_CUBICSPLINE
                                                                     : PM_METHOD_SLERP,
                                                  .compress = i % 8 == 4,
                                                  .additive = bases[i % 2],
                                                  .clips = &chosen,
                                                  .clip_count = 1};
        SCOPED(release) reduced r = reduce(&m, &options);
        const pm_motion_error_bound *error = &r.numbers->distance;
        const pm_motion_clip *on = i % 2 ? &clips[0] : NULL;
        assert_true(error->bound <= options.distance);
        assert_true(
            fabs(additions_apart(&m, on, &r, 1, r.numbers->distance_node, 0.3, error->key_time) -
                 error->found) < (options.compress ? 1e-3 : 1e-9));
        for (size_t k = 0; k < 3000; k++) {
            const size_t joint = (size_t)random_between(&random, 0, 5);
            const double time = random_between(&random, 0, 80.0 / 32);
            assert_true(additions_apart(&m, on, &r, 1, joint, 0.3, time) <= error->bound + 1e-12);
        }
        before += r.numbers->channels[5 + 1].keys_before;
        after += r.numbers->channels[5 + 1].keys_after;
    }
    assert_true(after < before);
}

TEST(a_base_is_a_clip_of_the_file) {
    SCOPED(discard) made m;
    still(&m, 2, 9);
    expect_refused(&m, (pm_motion_reduce_options){.additive = "clip"}, PM_ERROR_ARGUMENT,
                   "distance");
    expect_refused(&m, (pm_motion_reduce_options){.additive = "clap", .distance = 1},
                   PM_ERROR_ARGUMENT, "clap");
    m.clip.name = (pm_motion_name){"rest", 4};
    expect_refused(&m, (pm_motion_reduce_options){.additive = "rest", .distance = 1},
                   PM_ERROR_ARGUMENT, "rest pose");
}

/* ---- arrays -------------------------------------------------------------------------------- */

static void expect_same_keys(random_source *random, pm_method curve, double angle) {
    enum { KEYS = 200, TRACKS = 3 };
    SCOPED(discard) made m;
    double keys[KEYS * TRACKS * 4], bounds[TRACKS];
    bool kept[KEYS * TRACKS];
    make(&m, TRACKS, KEYS);
    draw_times(random, &m, true);
    for (size_t t = 0; t < TRACKS; t++) {
        draw_rotations(random, &m, t, true);
        if (curve != PM_METHOD_SLERP)
            draw_smooth(random, &m, t, 0.01);
        for (size_t k = 0; k < KEYS; k++)
            memcpy(keys + 4 * (k * TRACKS + t), m.keys[t] + 4 * k, 4 * sizeof *keys);
    }
    SCOPED(release)
    reduced r =
        reduce(&m, &(pm_motion_reduce_options){.has_angle = true, .angle = angle, .curve = curve});
    const pm_array array = {.data = keys, .type = PM_FLOAT64};
    assert_int_equal(pm_motion_reduce_rotations(&m.timeline, &array, TRACKS, angle, curve, 0, kept,
                                                bounds, NULL),
                     PM_OK);
    for (size_t t = 0; t < TRACKS; t++) {
        size_t count = 0;
        for (size_t k = 0; k < KEYS; k++)
            count += kept[k * TRACKS + t];
        assert_int_equal(count, r.numbers->channels[t].keys_after);
        assert_true(fabs(bounds[t] - r.numbers->channels[t].error.bound) < 1e-9);
        assert_true(kept[t] && kept[COUNT_OF(kept) - TRACKS + t]);
    }
}

TEST(arrays_keep_the_keys_that_motions_do) {
    random_source random = random_salted(9);
    expect_same_keys(&random, PM_METHOD_SLERP, 1);
    for (size_t i = 0; i < COUNT_OF(subset_methods); i++)
        expect_same_keys(&random, subset_methods[i], 3);
}

TEST(arrays_are_checked) {
    double times[3] = {0, 1, 2}, keys[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    bool kept[3];
    const pm_timeline timeline = {.key_count = 3, .times = times};
    const pm_array array = {.data = keys, .type = PM_FLOAT64};
    const struct {
        size_t tracks;
        double angle;
        pm_method method;
        bool *kept;
        double last_time, number; /* of the second key */
        pm_status status;
    } cases[] = {{1, 0, PM_METHOD_SLERP, kept, 2, 1, PM_ERROR_ARGUMENT},
                 {1, -1, PM_METHOD_SLERP, kept, 2, 1, PM_ERROR_ARGUMENT},
                 {1, 181, PM_METHOD_SLERP, kept, 2, 1, PM_ERROR_ARGUMENT},
                 {1, (double)NAN, PM_METHOD_SLERP, kept, 2, 1, PM_ERROR_ARGUMENT},
                 {0, 1, PM_METHOD_SLERP, kept, 2, 1, PM_ERROR_ARGUMENT},
                 {1, 1, PM_METHOD_SLERP, NULL, 2, 1, PM_ERROR_ARGUMENT},
                 {1, 1, PM_METHOD_CUBICSPLINE, kept, 2, 1, PM_ERROR_ARGUMENT},
                 {1, 1, (pm_method)999, kept, 2, 1, PM_ERROR_ARGUMENT},
                 {1, 1, PM_METHOD_SLERP, kept, 1, 1, PM_ERROR_TIME},
                 {1, 1, PM_METHOD_SLERP, kept, 2, (double)NAN, PM_ERROR_KEY},
                 {1, 1, PM_METHOD_SLERP, kept, 2, 0, PM_ERROR_KEY},
                 {1, 1, PM_METHOD_SLERP, kept, 2, 1, PM_OK}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        times[2] = cases[i].last_time;
        keys[7] = cases[i].number;
        const pm_status status =
            pm_motion_reduce_rotations(&timeline, &array, cases[i].tracks, cases[i].angle,
                                       cases[i].method, 1, cases[i].kept, NULL, NULL);
        if (status != cases[i].status)
            fail_msg("case %zu: status %d, expected %d", i, status, cases[i].status);
    }
}

/* ---- the search ---------------------------------------------------------------------------- */

static bool holds_in_tens(void *user, size_t from, size_t to) {
    ++*(size_t *)user;
    return to == from + 1 || (from / 10 == to / 10 || (to % 10 == 0 && to / 10 == from / 10 + 1));
}

TEST(the_path_is_the_shortest_and_its_tests_grow_with_the_keys) {
    for (size_t count = 2; count <= 100001; count = 10 * count + 1) {
        size_t tests = 0, *keys = NULL, found = 0;
        const path_problem problem = {count, holds_in_tens, &tests, NULL};
        assert_int_equal(path_find(&problem, &keys, &found), PATH_FOUND);
        assert_int_equal(found, (count - 2) / 10 + 2);
        assert_int_equal(keys[found - 1], count - 1);
        assert_true(tests <= 500 * count);
        free(keys);
    }
}

static bool holds_all(void *user, size_t from, size_t to) {
    *(size_t *)user += to - from;
    return true;
}

TEST(what_does_not_move_takes_linear_time) {
    for (size_t count = 10000; count <= 10000000; count *= 10) {
        size_t work = 0, *keys = NULL, found = 0;
        const path_problem problem = {count, holds_all, &work, NULL};
        assert_int_equal(path_find(&problem, &keys, &found), PATH_FOUND);
        assert_int_equal(found, 2);
        assert_true(work <= 600 * count);
        free(keys);
    }
}

static bool holds_never(void *user, size_t from, size_t to) {
    (void)user, (void)from, (void)to;
    return false;
}

TEST(keys_that_cannot_be_reached_are_named) {
    size_t *keys = NULL, found = 0;
    const path_problem problem = {10, holds_never, NULL, NULL};
    assert_int_equal(path_find(&problem, &keys, &found), PATH_NONE);
    assert_int_equal(found, 1);
    assert_null(keys);
}
