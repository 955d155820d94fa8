/* SPDX-License-Identifier: MIT
 *
 * Points that trajectories move, against the oracle of the curves and the definitions, in double: every method, the
 * screw, epoch stamps, ends, gaps, chains, layouts of records, and what is refused.
 */
#include <posemill/posemill_points.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "oracle/oracle.h"
#include "support/engines.h"
#include "support/motion.h"

TEST_GROUP(NULL, engines_close)

static const int64_t epoch = 1700000000123456789;

/* ---- trajectories ------------------------------------------------------------------------------- */

/* Keys, and the poses that the definition gives for them. */
typedef struct made {
    motion m;
    int64_t *stamps;
    double *seconds, *positions;
    double far[3];
    pm_timeline timeline;
    pm_clip_desc desc; /* for the oracle: positions relative to `far` */
    pm_trajectory *trajectory;
    oracle *truth;
    bool screw;
} made;

static double number(random_source *r, double low, double high) {
    return low + (high - low) * random_unit(r);
}

/* Irregular steps of 20 to 100 ms, or equal ones. */
static void make_stamps(made *t, bool uniform, random_source *r) {
    const size_t keys = t->m.keys;
    int64_t step = 0;
    t->stamps = test_array(keys, sizeof *t->stamps);
    t->seconds = test_array(keys, sizeof *t->seconds);
    for (size_t k = 0; k < keys; k++) {
        t->stamps[k] = k ? t->stamps[k - 1] + step : epoch + (int64_t)number(r, 0, 1e9);
        t->seconds[k] = (double)(t->stamps[k] - t->stamps[0]) * 1e-9;
        if (!uniform || k == 0)
            step = (int64_t)number(r, 2e7, 1e8);
    }
    t->timeline = (pm_timeline){.key_count = keys, .times = t->seconds};
    if (uniform)
        t->timeline = (pm_timeline){.key_count = keys, .rate = {1000000000, step}};
}

static pm_trajectory_desc describe(const made *t) {
    pm_trajectory_desc desc = {.motion = t->desc,
                               .key_count = t->m.keys,
                               .stamps = {.data = t->stamps},
                               .screw = t->screw};
    desc.motion.timelines = NULL;
    desc.motion.positions = (pm_array){.data = t->positions, .type = PM_FLOAT64};
    return desc;
}

/* `far`: how far from the origin of W positions are. */
static made make(size_t keys, size_t tracks, pm_method method, bool screw, double turn, double far,
                 uint64_t salt) {
    random_source r = random_salted(salt);
    made t = {.m = motion_make(keys, tracks, turn, salt), .screw = screw};
    make_stamps(&t, pm_method_get_info(method)->needs_uniform_keys || random_unit(&r) < 0.3, &r);
    t.positions = test_array(3 * keys * tracks, sizeof *t.positions);
    for (size_t c = 0; c < 3; c++)
        t.far[c] = far * number(&r, -1, 1);
    for (size_t n = 0; n < 3 * keys * tracks; n++) { /* a walk in steps below 1 m */
        const double before = n < 3 * tracks ? t.far[n % 3] : t.positions[n - 3 * tracks];
        t.positions[n] = before + 0.05 * (double)t.m.positions[n];
    }
    t.desc = motion_desc(&t.m, &t.timeline, method);
    t.desc.scales = t.desc.scales_in = t.desc.scales_out = (pm_array){.data = NULL};
    const pm_trajectory_desc desc = describe(&t);
    expect_success(
        pm_trajectory_create(engine_of_kind(ON_REFERENCE), &desc, &t.trajectory, new_error()));
    t.desc.positions = (pm_array){.data = t.positions, .type = PM_FLOAT64};
    t.truth = oracle_create_unrounded(&t.desc);
    return t;
}

static void unmake(made *t) {
    pm_trajectory_destroy(&t->trajectory);
    assert_null(t->trajectory);
    oracle_destroy(t->truth);
    motion_free(&t->m);
    free(t->stamps);
    free(t->seconds);
    free(t->positions);
}

typedef struct pose {
    quat q;
    vec3 p;
} pose;

static vec3 move(pose a, vec3 p) {
    return vec3_add(quat_rotate(a.q, p), a.p);
}

static pose compose(pose a, pose b) {
    return (pose){quat_multiply(a.q, b.q), move(a, b.p)};
}

static pose inverse(pose a) {
    const quat q = quat_conjugate(a.q);
    return (pose){q, vec3_scale(quat_rotate(q, a.p), -1)};
}

static vec3 cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* exp of a twist: the rotation vector w, and v. */
static pose exp_twist(vec3 w, vec3 v) {
    const double x = vec3_norm(w);
    const double a = x < 1e-4 ? 0.5 : (1 - cos(x)) / (x * x);
    const double b = x < 1e-2 ? 1.0 / 6 - x * x / 120 : (x - sin(x)) / (x * x * x);
    const vec3 once = cross(w, v), twice = cross(w, once);
    return (pose){quat_exp(vec3_scale(w, 0.5)),
                  vec3_add(v, vec3_add(vec3_scale(once, a), vec3_scale(twice, b)))};
}

/* Its inverse, by Newton's steps on v: exp is linear in it. */
static void log_pose(pose p, vec3 *w, vec3 *v) {
    if (p.q.w < 0)
        p.q = quat_scale(p.q, -1);
    *w = vec3_scale(quat_log(p.q), 2);
    double matrix[3][4];
    for (int c = 0; c < 3; c++) {
        const vec3 column = exp_twist(*w, (vec3){c == 0, c == 1, c == 2}).p;
        matrix[0][c] = column.x;
        matrix[1][c] = column.y;
        matrix[2][c] = column.z;
    }
    matrix[0][3] = p.p.x;
    matrix[1][3] = p.p.y;
    matrix[2][3] = p.p.z;
    double x[3];
    for (int c = 0; c < 3; c++) { /* Cramer's rule */
        double m[3][3], d[2];
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    m[i][j] = matrix[i][pass && j == c ? 3 : j];
            d[pass] = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                      m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                      m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        }
        x[c] = d[1] / d[0];
    }
    *v = vec3_of(x);
}

static size_t segment_of(const made *t, int64_t stamp) {
    size_t k = 0;
    while (k + 2 < t->m.keys && t->stamps[k + 1] <= stamp)
        k++;
    return k;
}

/* The pose within the keys; positions relative to `far`, so that the truth has more digits than results. */
static pose truth_at(const made *t, size_t track, int64_t stamp, oracle_cursor *cursor) {
    const size_t k = segment_of(t, stamp);
    const long double u =
        (long double)(stamp - t->stamps[k]) / (long double)(t->stamps[k + 1] - t->stamps[k]);
    *cursor = (oracle_cursor){.segment = k, .u = (double)u};
    pose p = {oracle_rotation(t->truth, track, *cursor), oracle_position(t->truth, track, *cursor)};
    const vec3 far = vec3_of(t->far);
    p.p = vec3_subtract(p.p, far);
    if (!t->screw)
        return p;
    oracle_cursor ends[] = {{.segment = k, .u = 0}, {.segment = k, .u = 1}};
    pose keys[2];
    for (int i = 0; i < 2; i++)
        keys[i] = (pose){oracle_rotation(t->truth, track, ends[i]),
                         vec3_subtract(oracle_position(t->truth, track, ends[i]), far)};
    vec3 w, v;
    log_pose(compose(inverse(keys[0]), keys[1]), &w, &v);
    return compose(keys[0], exp_twist(vec3_scale(w, (double)u), vec3_scale(v, (double)u)));
}

static int64_t random_stamp(const made *t, random_source *r) {
    const int64_t first = t->stamps[0], last = t->stamps[t->m.keys - 1];
    const size_t key = (size_t)number(r, 0, (double)t->m.keys);
    return random_unit(r) < 0.2 ? t->stamps[key < t->m.keys ? key : 0]
                                : first + (int64_t)(random_unit(r) * (double)(last - first));
}

/* ---- the curves -------------------------------------------------------------------------------------- */

typedef struct results {
    double q[4], p[3], x[3];
    float single[3];
    uint8_t valid;
} results;

enum { POINTS = 300 };

static void check_method(pm_method method, bool screw, double far, uint64_t salt) {
    random_source r = random_salted(salt + 1);
    made t = make(40, 3, method, screw, 0.6, far, salt);
    int64_t stamps[POINTS];
    double points[POINTS][3];
    uint8_t tracks[POINTS];
    results *out = test_array(POINTS, sizeof *out);
    memset(out, 0xff, POINTS * sizeof *out);
    size_t invalid = 7;
    for (size_t i = 0; i < POINTS; i++) {
        stamps[i] = random_stamp(&t, &r);
        tracks[i] = (uint8_t)number(&r, 0, 3);
        for (size_t c = 0; c < 3; c++)
            points[i][c] = number(&r, -100, 100);
    }
    pm_points_job job = {
        .count = POINTS,
        .stamps = {.data = stamps},
        .points = {.data = points, .type = PM_COORDINATE_FLOAT64},
        .frames = {{.trajectory = t.trajectory, .tracks = {.data = tracks, .bytes = 1}}},
        .frame_count = 1,
        .rotations = {out->q, PM_COORDINATE_FLOAT64, sizeof *out, 0},
        .positions = {out->p, PM_COORDINATE_FLOAT64, sizeof *out, 0},
        .moved = {out->x, PM_COORDINATE_FLOAT64, sizeof *out, 0},
        .valid = &out->valid,
        .valid_stride = sizeof *out,
        .invalid_count = &invalid};
    memcpy(job.origin, t.far, sizeof job.origin);
    expect_success(pm_move_points(&job, new_error()));
    assert_int_equal(invalid, 0);
    double worst = 0, worst_place = 0;
    for (size_t i = 0; i < POINTS; i++) {
        oracle_cursor cursor;
        const pose p = truth_at(&t, tracks[i], stamps[i], &cursor);
        const double scale = oracle_magnification(t.truth, tracks[i], cursor) *
                             oracle_condition(t.truth, tracks[i], cursor);
        const double angle = oracle_error(p.q, quat_normalise(quat_of(out[i].q))) / scale;
        const double place = vec3_norm(vec3_subtract(p.p, vec3_of(out[i].p)));
        const double reach = vec3_norm(vec3_of(points[i]));
        const double off = vec3_norm(vec3_subtract(move(p, vec3_of(points[i])), vec3_of(out[i].x)));
        worst = fmax(worst, angle);
        /* slerp and screws are of float64, with the digits of far keys */
        if (method == PM_METHOD_SLERP)
            assert_true(off < 1e-12 * reach + (far > 0 ? 4e-9 : 0) && angle * scale < 1e-12);
        else
            assert_true(off < 4e-7 * scale * reach + 2e-6);
        worst_place = fmax(worst_place, place);
        /* the point is that which the pose gives */
        const pose own = {quat_of(out[i].q), vec3_of(out[i].p)};
        assert_true(vec3_norm(vec3_subtract(move(own, vec3_of(points[i])), vec3_of(out[i].x))) <
                    1e-11);
        assert_int_equal(out[i].valid, 1);
    }
    /* a B-spline's coefficients are float32 relative to the first key, some metres away */
    if (!(worst <= 4e-7) || !(worst_place <= (method == PM_METHOD_BSPLINE ? 2e-6 : 1e-6)))
        fail_msg("%s%s: rotations %g rad, positions %g m", pm_method_get_info(method)->name,
                 screw ? " (screw)" : "", worst, worst_place);
    free(out);
    unmake(&t);
}

TEST(poses_of_every_method_are_those_of_the_oracle_near_and_far_from_the_origin) {
    for (size_t m = 0; m < pm_method_count(); m++)
        for (uint64_t far = 0; far < 2; far++)
            check_method((pm_method)m, false, far ? 6.4e6 : 0, 100 * m + far);
}

TEST(a_screw_is_the_geodesic_of_rigid_motions) {
    for (uint64_t salt = 0; salt < 5; salt++)
        check_method(PM_METHOD_SLERP, true, salt % 2 ? 6.4e6 : 0, 5000 + salt);
}

/* ---- ends and gaps ---------------------------------------------------------------------------------- */

/* A job of one stamp and one point, whose results are poses. */
typedef struct one {
    int64_t stamp;
    double point[3], q[4], p[3], v[3], w[3], x[3];
    uint8_t valid;
    size_t invalid;
    pm_points_job job;
} one;

static void one_of(one *o, const made *t) {
    *o = (one){.valid = 9, .invalid = 9};
    o->job = (pm_points_job){.count = 1,
                             .stamps = {.data = &o->stamp},
                             .points = {.data = o->point, .type = PM_COORDINATE_FLOAT64},
                             .frames = {{.trajectory = t->trajectory}},
                             .frame_count = 1,
                             .rotations = {o->q, PM_COORDINATE_FLOAT64, 0, 0},
                             .positions = {o->p, PM_COORDINATE_FLOAT64, 0, 0},
                             .velocities = {o->v, PM_COORDINATE_FLOAT64, 0, 0},
                             .angular_velocities = {o->w, PM_COORDINATE_FLOAT64, 0, 0},
                             .moved = {o->x, PM_COORDINATE_FLOAT64, 0, 0},
                             .velocity_frame = PM_AXIS_PARENT,
                             .valid = &o->valid,
                             .invalid_count = &o->invalid};
    memcpy(o->job.origin, t->far, sizeof o->job.origin);
}

static pose pose_of(const one *o) {
    return (pose){quat_of(o->q), vec3_of(o->p)};
}

static double distance(pose a, pose b) {
    return fmax(oracle_error(quat_normalise(a.q), quat_normalise(b.q)),
                vec3_norm(vec3_subtract(a.p, b.p)));
}

TEST(stamps_outside_the_keys_are_refused_clamped_or_invalid_as_asked_for) {
    made t = make(10, 1, PM_METHOD_SLERP, false, 0.5, 1e3, 1);
    one o;
    one_of(&o, &t);
    const int64_t last = t.stamps[9], before = t.stamps[0] - 1500000001;
    int64_t stamps[] = {t.stamps[0], last, last + 3, before};
    double moved[4][3];
    o.job.rotations = o.job.positions = o.job.velocities = o.job.angular_velocities =
        (pm_coordinates_out){.data = NULL};
    o.job.count = 4;
    o.job.stamps.data = stamps;
    o.job.points = (pm_coordinates){.data = NULL};
    o.job.moved = (pm_coordinates_out){.data = NULL};
    o.job.valid = NULL;
    o.job.positions = (pm_coordinates_out){moved, PM_COORDINATE_FLOAT64, 0, 0};
    expect_error(pm_move_points(&o.job, new_error()), PM_ERROR_TIME, "point 2,");
    assert_non_null(strstr(last_error()->message, "0.000000003 s behind the last key"));
    o.job.count = 1;
    o.job.stamps.data = &stamps[3];
    expect_error(pm_move_points(&o.job, new_error()), PM_ERROR_TIME, "point 0, ");
    assert_non_null(strstr(last_error()->message, "1.500000001 s before the first key"));
    o.job.count = 4;
    o.job.stamps.data = stamps;
    o.job.outside = PM_OUTSIDE_CLAMP;
    expect_success(pm_move_points(&o.job, new_error()));
    assert_int_equal(o.invalid, 0);
    assert_memory_equal(moved[1], moved[2], sizeof moved[1]);
    assert_memory_equal(moved[0], moved[3], sizeof moved[0]);
    o.job.outside = PM_OUTSIDE_INVALID;
    expect_success(pm_move_points(&o.job, new_error()));
    assert_int_equal(o.invalid, 2);
    for (size_t i = 0; i < 4; i++)
        for (size_t c = 0; c < 3; c++)
            assert_true(!isnan(moved[i][c]) == (i < 2));
    unmake(&t);
}

TEST(a_time_that_is_none_is_refused_or_invalid_and_never_clamped) {
    made t = make(5, 1, PM_METHOD_SLERP, false, 0.5, 0, 2);
    const double seconds[] = {(double)NAN, (double)INFINITY, 1e300};
    for (size_t i = 0; i < COUNT_OF(seconds); i++) {
        one o;
        one_of(&o, &t);
        o.job.stamps = (pm_stamps){.data = &seconds[i], .type = PM_STAMP_FLOAT64};
        expect_error(pm_move_points(&o.job, new_error()), PM_ERROR_TIME, "no time");
        o.job.outside = PM_OUTSIDE_CLAMP;
        expect_success(pm_move_points(&o.job, new_error()));
        assert_int_equal(o.valid, 0);
        assert_true(isnan(o.x[0]));
    }
    unmake(&t);
}

/* A screw goes on as itself: u runs beyond 0 and 1. */
TEST(extrapolation_is_the_constant_twist_of_the_curve_at_its_end_up_to_a_limit) {
    made t = make(6, 1, PM_METHOD_SLERP, true, 0.8, 6.4e6, 3);
    random_source r = random_salted(3);
    for (int i = 0; i < 50; i++) {
        one o;
        one_of(&o, &t);
        const bool ahead = i % 2;
        const size_t k = ahead ? 4 : 0;
        const int64_t length = t.stamps[k + 1] - t.stamps[k];
        const int64_t by = 1 + (int64_t)(number(&r, 0, 2) * (double)length);
        o.stamp = ahead ? t.stamps[5] + by : t.stamps[0] - by;
        o.job.outside = PM_OUTSIDE_EXTRAPOLATE;
        o.job.max_extrapolation = by;
        expect_success(pm_move_points(&o.job, new_error()));
        oracle_cursor cursor;
        const pose from = truth_at(&t, 0, t.stamps[k], &cursor),
                   to = truth_at(&t, 0, t.stamps[k + 1], &cursor);
        const double u = (double)(o.stamp - t.stamps[k]) / (double)length;
        vec3 w, v;
        log_pose(compose(inverse(from), to), &w, &v);
        const pose want = compose(from, exp_twist(vec3_scale(w, u), vec3_scale(v, u)));
        assert_true(distance(want, pose_of(&o)) < 2e-6);
        assert_int_equal(o.valid, 1);
        o.job.max_extrapolation = by - 1;
        if (by > 1)
            expect_success(pm_move_points(&o.job, new_error()));
        assert_int_equal(o.valid, by > 1 ? 0 : 1);
    }
    unmake(&t);
}

TEST(points_within_long_segments_are_invalid_and_at_their_keys_valid) {
    made t = make(4, 1, PM_METHOD_SLERP, false, 0.5, 0, 4);
    for (size_t k = 0; k < 3; k++) {
        const int64_t length = t.stamps[k + 1] - t.stamps[k];
        for (int longer = 0; longer < 2; longer++)
            for (int at = 0; at < 2; at++) {
                one o;
                one_of(&o, &t);
                o.stamp = t.stamps[k] + (at ? 1 : 0);
                o.job.max_gap = length - longer;
                expect_success(pm_move_points(&o.job, new_error()));
                assert_int_equal(o.valid, !(longer && at));
            }
    }
    unmake(&t);
}

/* ---- properties ---------------------------------------------------------------------------------------- */

static pm_fixed_pose random_fixed(random_source *r) {
    pm_fixed_pose p;
    random_quaternion(r, p.rotation);
    for (size_t c = 0; c < 3; c++)
        p.position[c] = number(r, -5, 5);
    return p;
}

static pose of_fixed(const pm_fixed_pose *p) {
    return (pose){quat_normalise(quat_of(p->rotation)), vec3_of(p->position)};
}

TEST(chains_with_constants_on_both_sides_are_products_and_their_inverses_undo_them) {
    static const pm_method methods[] = {PM_METHOD_SLERP, PM_METHOD_SQUAD, PM_METHOD_NLERP,
                                        PM_METHOD_CUBIC};
    random_source r = random_salted(6);
    for (uint64_t round = 0; round < 12; round++) {
        made t[4];
        const size_t frames = 1 + round % 4;
        for (size_t f = 0; f < frames; f++)
            t[f] = make(30, 1, methods[f], false, 0.5, f ? 0 : 6.4e6, 700 + 10 * round + f);
        /* the same times: stamps of others are moved to those of the first */
        one o;
        one_of(&o, &t[0]);
        o.job.before = random_fixed(&r);
        o.job.after = random_fixed(&r);
        o.job.outside = PM_OUTSIDE_CLAMP;
        o.stamp = random_stamp(&t[0], &r);
        const int64_t reference = random_stamp(&t[0], &r);
        pose chain = {{0, 0, 0, 1}, {0, 0, 0}}, at_reference = chain;
        for (size_t f = 0; f < frames; f++) {
            one own;
            o.job.frames[f].trajectory = t[f].trajectory;
            one_of(&own, &t[f]);
            own.job.outside = PM_OUTSIDE_CLAMP;
            own.stamp = o.stamp;
            o.job.frames[f].inverse = f > 0 && random_unit(&r) < 0.5;
            expect_success(pm_move_points(&own.job, new_error()));
            chain =
                compose(chain, o.job.frames[f].inverse ? inverse(pose_of(&own)) : pose_of(&own));
            own.stamp = reference;
            expect_success(pm_move_points(&own.job, new_error()));
            at_reference = compose(at_reference, o.job.frames[f].inverse ? inverse(pose_of(&own))
                                                                         : pose_of(&own));
        }
        o.job.frame_count = frames;
        for (size_t c = 0; c < 3; c++)
            o.point[c] = number(&r, -50, 50);
        for (int relative = 0; relative < 2; relative++) {
            o.job.to_reference = relative;
            o.job.reference = reference;
            pose want = compose(chain, of_fixed(&o.job.before));
            if (relative)
                want = compose(inverse(at_reference), want);
            want = compose(of_fixed(&o.job.after), want);
            expect_success(pm_move_points(&o.job, new_error()));
            assert_true(distance(want, pose_of(&o)) < 1e-8);
            assert_true(vec3_norm(vec3_subtract(move(want, vec3_of(o.point)), vec3_of(o.x))) <
                        2e-6);
            one back = o;
            back.job.stamps.data = &back.stamp;
            back.job.inverse = true;
            back.job.velocities = back.job.angular_velocities = (pm_coordinates_out){.data = NULL};
            back.job.points.data = o.x;
            back.job.moved.data = back.x; /* apart from the point */
            back.job.rotations.data = back.q;
            back.job.positions.data = back.p;
            back.job.valid = &back.valid;
            expect_success(pm_move_points(&back.job, new_error()));
            for (size_t c = 0; c < 3; c++)
                assert_true(fabs(back.x[c] - o.point[c]) < 16 * 1e-13);
            assert_true(distance(compose(pose_of(&back), pose_of(&o)),
                                 (pose){{0, 0, 0, 1}, {0, 0, 0}}) < 1e-8);
            o.job.directions = true; /* turned alone */
            expect_success(pm_move_points(&o.job, new_error()));
            assert_true(vec3_norm(vec3_subtract(quat_rotate(want.q, vec3_of(o.point)),
                                                vec3_of(o.x))) < 1e-6);
            o.job.directions = false;
        }
        for (size_t f = 0; f < frames; f++)
            unmake(&t[f]);
    }
}

TEST(a_static_scene_seen_by_any_motion_is_itself_when_moved_to_one_time) {
    made t = make(60, 1, PM_METHOD_SLERP, true, 0.3, 6.4e6, 8);
    random_source r = random_salted(8);
    enum { SEEN = 200 };
    float seen[SEEN][3];
    int64_t stamps[SEEN];
    vec3 scene[SEEN];
    const int64_t reference = random_stamp(&t, &r);
    oracle_cursor cursor;
    const pose at = truth_at(&t, 0, reference, &cursor);
    for (size_t i = 0; i < SEEN; i++) {
        stamps[i] = random_stamp(&t, &r);
        const vec3 world = {number(&r, -50, 50), number(&r, -50, 50), number(&r, -50, 50)};
        const vec3 from = move(inverse(truth_at(&t, 0, stamps[i], &cursor)), world);
        seen[i][0] = (float)from.x;
        seen[i][1] = (float)from.y;
        seen[i][2] = (float)from.z;
        scene[i] = move(inverse(at), world);
    }
    pm_points_job job = {.count = SEEN,
                         .stamps = {.data = stamps},
                         .points = {.data = seen},
                         .frames = {{.trajectory = t.trajectory}},
                         .frame_count = 1,
                         .to_reference = true,
                         .reference = reference,
                         .moved = {.data = seen}}; /* in place */
    expect_success(pm_move_points(&job, new_error()));
    for (size_t i = 0; i < SEEN; i++) {
        const vec3 got = {(double)seen[i][0], (double)seen[i][1], (double)seen[i][2]};
        assert_true(vec3_norm(vec3_subtract(got, scene[i])) < 100 * 1e-6);
    }
    unmake(&t);
}

/* ns to the nearest key. */
static int64_t room_at(const made *t, int64_t stamp) {
    int64_t room = INT64_MAX;
    for (size_t k = 0; k < t->m.keys; k++) {
        const int64_t away = stamp > t->stamps[k] ? stamp - t->stamps[k] : t->stamps[k] - stamp;
        room = away < room ? away : room;
    }
    return room;
}

TEST(velocities_are_the_derivatives_of_poses_in_both_frames) {
    static const pm_method methods[] = {PM_METHOD_SLERP, PM_METHOD_SQUAD, PM_METHOD_SPLINE,
                                        PM_METHOD_SLERP};
    random_source r = random_salted(9);
    for (uint64_t i = 0; i < 40; i++) {
        made outer = make(20, 1, methods[i % 4], i % 4 == 3, 0.3, 0, 900 + i);
        made inner = make(20, 1, methods[(i + 1) % 4], false, 0.3, 0, 950 + i);
        one o;
        one_of(&o, &outer);
        memset(o.job.origin, 0, sizeof o.job.origin);
        o.job.frames[1].trajectory = inner.trajectory;
        o.job.frames[0].inverse = random_unit(&r) < 0.5;
        o.job.frames[1].inverse = random_unit(&r) < 0.5;
        o.job.frame_count = 2;
        o.job.before = random_fixed(&r);
        o.job.outside = PM_OUTSIDE_CLAMP;
        int64_t h;
        do {
            o.stamp = outer.stamps[0] +
                      (int64_t)(random_unit(&r) * (double)(outer.stamps[19] - outer.stamps[0]));
            const int64_t room[] = {room_at(&outer, o.stamp), room_at(&inner, o.stamp)};
            h = (room[0] < room[1] ? room[0] : room[1]) / 20;
        } while (h < 10000);
        const int64_t middle = o.stamp;
        expect_success(pm_move_points(&o.job, new_error()));
        const vec3 v = vec3_of(o.v), w = vec3_of(o.w);
        const pose here = pose_of(&o);
        o.job.velocity_frame = PM_AXIS_BODY;
        expect_success(pm_move_points(&o.job, new_error()));
        const quat back = quat_conjugate(here.q);
        const double speed = vec3_norm(v) + 1, spin = vec3_norm(w) + 1;
        assert_true(vec3_norm(vec3_subtract(quat_rotate(back, v), vec3_of(o.v))) < 1e-9 * speed);
        assert_true(vec3_norm(vec3_subtract(quat_rotate(back, w), vec3_of(o.w))) < 1e-9 * spin);
        pose side[2];
        for (int n = 0; n < 2; n++) {
            o.stamp = middle + (n ? h : -h);
            expect_success(pm_move_points(&o.job, new_error()));
            side[n] = pose_of(&o);
        }
        const double rate = 1e9 / (2 * (double)h);
        const vec3 slope = vec3_scale(vec3_subtract(side[1].p, side[0].p), rate);
        quat turn = quat_multiply(side[1].q, quat_conjugate(side[0].q));
        turn = turn.w < 0 ? quat_scale(turn, -1) : turn;
        const vec3 turning = vec3_scale(quat_log(turn), 2 * rate);
        /* float32 curves divided by 20 us and more, and the third derivatives of the curves */
        assert_true(vec3_norm(vec3_subtract(slope, v)) < 5e-3 * speed);
        assert_true(vec3_norm(vec3_subtract(turning, w)) < 5e-3 * spin);
        unmake(&outer);
        unmake(&inner);
    }
}

TEST(an_inverse_frame_is_relative_to_the_origin_of_its_results) {
    made t = make(20, 1, PM_METHOD_SLERP, true, 0.3, 1000, 17);
    one forth, back;
    one_of(&forth, &t);
    memset(forth.job.origin, 0, sizeof forth.job.origin);
    random_source r = random_salted(17);
    for (int i = 0; i < 20; i++) {
        forth.stamp = random_stamp(&t, &r);
        for (size_t c = 0; c < 3; c++)
            forth.point[c] = number(&r, -50, 50);
        expect_success(pm_move_points(&forth.job, new_error()));
        one_of(&back, &t);
        back.stamp = forth.stamp;
        back.job.frames[0].inverse = true;
        memcpy(back.point, forth.x, sizeof back.point);
        for (size_t c = 0; c < 3; c++)
            back.job.origin[c] = 7 + (double)c;
        expect_success(pm_move_points(&back.job, new_error()));
        for (size_t c = 0; c < 3; c++)
            assert_true(fabs(back.x[c] + 7 + (double)c - forth.point[c]) < 1e-10);
        assert_true(oracle_error(inverse(pose_of(&forth)).q, pose_of(&back).q) < 1e-8);
    }
    unmake(&t);
}

TEST(poses_at_keys_are_the_keys) {
    made t = make(12, 1, PM_METHOD_SLERP, true, 1.2, 6.4e6, 10);
    for (size_t k = 0; k < 12; k++) {
        one o;
        one_of(&o, &t);
        o.stamp = t.stamps[k];
        expect_success(pm_move_points(&o.job, new_error()));
        for (size_t c = 0; c < 3; c++) /* two float32 from the first key hold the double */
            assert_true(fabs(o.p[c] - (t.positions[3 * k + c] - t.far[c])) < 2e-9);
        oracle_cursor cursor;
        assert_true(oracle_error(truth_at(&t, 0, o.stamp, &cursor).q, quat_of(o.q)) < 1.2e-7);
    }
    unmake(&t);
}

/* ---- layouts ---------------------------------------------------------------------------------------------- */

/* A record as sensors write them: nothing is aligned. */
#pragma pack(push, 1)
typedef struct record {
    uint8_t tag;
    float x, y, z;
    uint16_t ring;
    uint32_t microseconds;
    uint8_t track;
} record;
#pragma pack(pop)

TEST(fields_of_packed_records_are_read_and_written_in_place) {
    made t = make(20, 2, PM_METHOD_SLERP, false, 0.4, 100, 11);
    random_source r = random_salted(11);
    enum { RECORDS = 517 };
    record *records = test_array(RECORDS, sizeof *records),
           *copy = test_array(RECORDS, sizeof *copy);
    double(*want)[3] = test_array(RECORDS, sizeof *want);
    int64_t *stamps = test_array(RECORDS, sizeof *stamps);
    uint32_t *tracks = test_array(RECORDS, sizeof *tracks);
    int32_t(*integers)[3] = test_array(RECORDS, sizeof *integers);
    const int64_t span = (t.stamps[19] - t.stamps[0]) / 1000;
    for (size_t i = 0; i < RECORDS; i++) {
        records[i] = (record){.tag = (uint8_t)i,
                              .ring = (uint16_t)i,
                              .microseconds = (uint32_t)number(&r, 0, (double)span),
                              .track = random_unit(&r) < 0.5};
        for (size_t c = 0; c < 3; c++)
            integers[i][c] = (int32_t)number(&r, -100000, 100000);
        records[i].x = (float)(0.5 + 0.25 * (double)integers[i][0]);
        records[i].y = (float)(0.5 + 0.25 * (double)integers[i][1]);
        records[i].z = (float)(0.5 + 0.25 * (double)integers[i][2]);
        stamps[i] = t.stamps[0] + 1000 * (int64_t)records[i].microseconds;
        tracks[i] = records[i].track;
    }
    memcpy(copy, records, RECORDS * sizeof *records);
    pm_points_job job = {
        .count = RECORDS,
        .stamps = {.data = stamps},
        .points = {.data = integers,
                   .type = PM_COORDINATE_INT32,
                   .scale = {0.25, 0.25, 0.25},
                   .offset = {0.5, 0.5, 0.5}},
        .frames = {{.trajectory = t.trajectory, .tracks = {.data = tracks, .bytes = 4}}},
        .frame_count = 1,
        .to_reference = true,
        .reference = t.stamps[3] + 5,
        .moved = {.data = want, .type = PM_COORDINATE_FLOAT64}};
    expect_success(pm_move_points(&job, new_error()));
    const size_t stride = sizeof(record);
    job.stamps =
        (pm_stamps){&records->microseconds, PM_STAMP_UINT32, (ptrdiff_t)stride, t.stamps[0], 1000};
    job.points = (pm_coordinates){.data = &records->x, .stride = (ptrdiff_t)stride};
    job.frames[0].tracks = (pm_track_field){&records->track, 1, (ptrdiff_t)stride};
    job.moved = (pm_coordinates_out){.data = &records->x, .stride = (ptrdiff_t)stride};
    expect_success(pm_move_points(&job, new_error()));
    for (size_t i = 0; i < RECORDS; i++) {
        const vec3 got = {(double)records[i].x, (double)records[i].y, (double)records[i].z};
        assert_true(vec3_norm(vec3_subtract(got, vec3_of(want[i]))) <
                    6e-7 * vec3_norm(vec3_of(want[i])) + 2e-6);
        copy[i].x = records[i].x;
        copy[i].y = records[i].y;
        copy[i].z = records[i].z;
    }
    assert_memory_equal(copy, records, RECORDS * sizeof *records);
    /* the last record first, in columns, by seconds since the first key */
    double columns[3][8];
    float since[8], from[3][8];
    for (size_t i = 0; i < 8; i++) {
        since[i] = (float)records[i].microseconds * 1e-6f;
        for (size_t c = 0; c < 3; c++)
            from[c][i] = (float)integers[i][c] * 0.25f + 0.5f;
    }
    uint16_t two[8];
    for (size_t i = 0; i < 8; i++)
        two[i] = (uint16_t)tracks[i];
    job.count = 8;
    job.stamps =
        (pm_stamps){&since[7], PM_STAMP_FLOAT32, -(ptrdiff_t)sizeof *since, t.stamps[0], 0};
    job.points = (pm_coordinates){
        .data = &from[0][7], .stride = -(ptrdiff_t)sizeof(float), .step = sizeof *from};
    job.frames[0].tracks = (pm_track_field){&two[7], 2, -(ptrdiff_t)sizeof *two};
    job.moved = (pm_coordinates_out){&columns[0][7], PM_COORDINATE_FLOAT64,
                                     -(ptrdiff_t)sizeof(double), sizeof *columns};
    expect_success(pm_move_points(&job, new_error()));
    for (size_t i = 0; i < 8; i++) /* float32 seconds are 60 ns apart, and points 40 km away */
        for (size_t c = 0; c < 3; c++)
            assert_true(fabs(columns[c][i] - want[i][c]) < 0.1);
    free(records);
    free(copy);
    free(want);
    free(stamps);
    free(tracks);
    free(integers);
    unmake(&t);
}

static int by_first(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void check_bits(pm_method method, bool screw, uint64_t salt) {
    enum { MANY = 30000 };
    made t = make(200, 1, method, screw, 0.4, 100, salt);
    random_source r = random_salted(salt);
    int64_t *stamps = test_array(MANY, sizeof *stamps);
    float *points = test_array(MANY, 3 * sizeof *points), *moved[4];
    for (size_t i = 0; i < MANY; i++) {
        stamps[i] = random_stamp(&t, &r);
        for (size_t c = 0; c < 3; c++)
            points[3 * i + c] = (float)number(&r, -100, 100);
    }
    pm_points_job job = {.count = MANY,
                         .stamps = {.data = stamps},
                         .points = {.data = points},
                         .frames = {{.trajectory = t.trajectory}},
                         .frame_count = 1,
                         .host_threads = 1};
    for (size_t n = 0; n < 2; n++) {
        moved[n] = test_array(MANY, 3 * sizeof(float));
        job.moved.data = moved[n];
        job.host_threads = n ? 3 : 1;
        expect_success(pm_move_points(&job, new_error()));
    }
    expect_same_bits(moved[0], moved[1], 3 * MANY, 3);
    /* sorted, so that many neighbours are in one segment: stamps with the points' numbers */
    int64_t(*order)[2] = test_array(MANY, sizeof *order);
    float *sorted = test_array(MANY, 3 * sizeof *sorted);
    for (size_t i = 0; i < MANY; i++) {
        order[i][0] = stamps[i];
        order[i][1] = (int64_t)i;
    }
    qsort(order, MANY, sizeof *order, by_first);
    for (size_t i = 0; i < MANY; i++)
        memcpy(sorted + 3 * i, points + 3 * order[i][1], 12);
    int64_t *plain = test_array(MANY, sizeof *plain);
    float *own = test_array(MANY, 3 * sizeof *own);
    for (size_t i = 0; i < MANY; i++)
        plain[i] = order[i][0];
    for (size_t n = 0; n < 2; n++) { /* records apart, and read and written where they are */
        job.stamps =
            n ? (pm_stamps){.data = plain} : (pm_stamps){.data = order, .stride = sizeof *order};
        job.points.data = n ? own : sorted;
        job.moved.data = own;
        memcpy(own, sorted, MANY * 12);
        expect_success(pm_move_points(&job, new_error()));
        for (size_t i = 0; i < MANY; i++)
            memcpy(moved[1] + 3 * order[i][1], own + 3 * i, 12);
        expect_same_bits(moved[0], moved[1], 3 * MANY, 3);
    }
    free(order);
    free(plain);
    free(own);
    free(sorted);
    /* backwards */
    job.stamps = (pm_stamps){&stamps[MANY - 1], PM_STAMP_INT64, -8, 0, 0};
    job.points = (pm_coordinates){.data = points + 3 * (MANY - 1), .stride = -12};
    job.moved = (pm_coordinates_out){.data = moved[1] + 3 * (MANY - 1), .stride = -12};
    memset(moved[1], 0xff, MANY * 12);
    expect_success(pm_move_points(&job, new_error()));
    expect_same_bits(moved[0], moved[1], 3 * MANY, 3);
    const pm_points_end end = {.pose.rotation = {0, 0, 0, 1}};
    for (size_t set = 0; set < pm_instruction_set_count(); set++) {
        const pm_points_request request = {.job = job,
                                           .singles = method == PM_METHOD_SLERP,
                                           .before.rotation = {0, 0, 0, 1},
                                           .rules = {.max_gap = UINT64_MAX},
                                           .before_is_identity = true,
                                           .end_is_identity = true,
                                           .ends = &end,
                                           .threads = 1};
        if (!pm_instruction_set_is_supported(set))
            continue;
        memset(moved[1], 0xff, MANY * 12);
        expect_success(pm_cpu_move_points(set, &request, new_error()));
        expect_same_bits(moved[0], moved[1], 3 * MANY, 3);
    }
    for (size_t n = 0; n < 2; n++)
        free(moved[n]);
    free(stamps);
    free(points);
    unmake(&t);
}

TEST(results_have_the_same_bits_for_any_order_threads_and_instruction_set) {
    check_bits(PM_METHOD_CUBIC, false, 12);
    check_bits(PM_METHOD_SLERP, false, 18);
    check_bits(PM_METHOD_SLERP, true, 19);
}

/* Float32 points of slerps and screws are moved in float32, others in double. */
TEST(float32_points_are_within_a_few_units_of_the_truth_with_all_that_is_fixed) {
    random_source r = random_salted(20);
    for (uint64_t round = 0; round < 40; round++) {
        enum { SOME = 700 };
        /* up to half a turn from key to key */
        made t = make(12 + 400 * (round % 3 == 2), 2, PM_METHOD_SLERP, round % 2,
                      0.08 * (double)round, round % 5 ? 6.4e6 : 0, 2000 + round);
        int64_t *stamps = test_array(SOME, sizeof *stamps);
        float(*points)[4] = test_array(SOME, sizeof *points), (*moved)[3] = test_array(SOME, 12);
        uint16_t tracks[SOME];
        uint8_t valid[SOME];
        memset(valid, 7, sizeof valid);
        const bool by_track = round % 4 > 1;
        for (size_t i = 0; i < SOME; i++) {
            stamps[i] =
                round % 8 < 4
                    ? random_stamp(&t, &r)
                    : t.stamps[0] + (int64_t)((double)i / SOME *
                                              (double)(t.stamps[t.m.keys - 1] - t.stamps[0]));
            tracks[i] = (uint16_t)(by_track ? number(&r, 0, 2) : 1);
            for (size_t c = 0; c < 3; c++)
                points[i][c] = (float)number(&r, -100, 100);
        }
        points[300][1] = NAN;
        points[301][2] = INFINITY;
        pm_points_job job = {.count = SOME,
                             .stamps = {.data = stamps},
                             .points = {.data = points, .stride = sizeof *points},
                             .frames = {{.trajectory = t.trajectory, .track = by_track ? 0 : 1}},
                             .frame_count = 1,
                             .before = random_fixed(&r),
                             .after = random_fixed(&r),
                             .to_reference = round % 3 > 0,
                             .reference = random_stamp(&t, &r),
                             .directions = round % 7 == 6,
                             .moved = {.data = moved},
                             .valid = valid};
        if (by_track)
            job.frames[0].tracks = (pm_track_field){.data = tracks, .bytes = 2};
        memcpy(job.origin, t.far, sizeof job.origin);
        memset(moved, 0xff, SOME * sizeof *moved);
        expect_success(pm_move_points(&job, new_error()));
        for (size_t i = 0; i < SOME; i++) {
            oracle_cursor cursor;
            pose p = truth_at(&t, tracks[i], stamps[i], &cursor);
            if (job.to_reference)
                p = compose(inverse(truth_at(&t, tracks[i], job.reference, &cursor)), p);
            p = compose(of_fixed(&job.after), compose(p, of_fixed(&job.before)));
            const vec3 from = {(double)points[i][0], (double)points[i][1], (double)points[i][2]};
            const vec3 want = job.directions ? quat_rotate(p.q, from) : move(p, from);
            const vec3 got = {(double)moved[i][0], (double)moved[i][1], (double)moved[i][2]};
            const double reach = vec3_norm(from) + 5, off = vec3_norm(vec3_subtract(want, got));
            const bool odd = i == 300 || i == 301;
            assert_int_equal(valid[i], !odd);
            for (size_t c = 0; c < 3; c++)
                assert_true(isnan(moved[i][c]) == odd);
            if (!odd && !(off < 5e-7 * reach + 1.2e-7 * vec3_norm(want) + 4e-9))
                fail_msg("round %d, point %d: off by %g at %g", (int)round, (int)i, off, reach);
        }
        free(stamps);
        free(points);
        free(moved);
        unmake(&t);
    }
}

TEST(float32_points_outside_the_keys_are_where_those_in_double_are) {
    static const pm_outside rules[] = {PM_OUTSIDE_CLAMP, PM_OUTSIDE_EXTRAPOLATE,
                                       PM_OUTSIDE_INVALID};
    enum { SOME = 333 };
    random_source r = random_salted(21);
    for (uint64_t round = 0; round < 12; round++) {
        made t = make(9, 1, PM_METHOD_SLERP, round % 2, 0.3, 6.4e6, 2100 + round);
        const int64_t length = t.stamps[8] - t.stamps[0];
        int64_t stamps[SOME];
        double exact[SOME][3];
        float points[SOME][3], moved[SOME][3];
        uint8_t valid[2][SOME];
        for (size_t i = 0; i < SOME; i++) {
            stamps[i] = t.stamps[0] + (int64_t)(number(&r, -0.5, 1.5) * (double)length);
            for (size_t c = 0; c < 3; c++)
                exact[i][c] = (double)(points[i][c] = (float)number(&r, -50, 50));
        }
        pm_points_job job = {.count = SOME,
                             .stamps = {.data = stamps},
                             .points = {.data = points},
                             .frames = {{.trajectory = t.trajectory}},
                             .frame_count = 1,
                             .directions = round > 8,
                             .outside = rules[round % 3],
                             .max_extrapolation =
                                 rules[round % 3] == PM_OUTSIDE_EXTRAPOLATE ? length / 4 : 0,
                             .max_gap = round > 5 ? length / 7 : 0,
                             .moved = {.data = moved},
                             .valid = valid[0]};
        memcpy(job.origin, t.far, sizeof job.origin);
        memset(moved, 0xff, sizeof moved);
        expect_success(pm_move_points(&job, new_error()));
        job.points = (pm_coordinates){.data = exact, .type = PM_COORDINATE_FLOAT64};
        job.moved = (pm_coordinates_out){exact, PM_COORDINATE_FLOAT64, 0, 0};
        job.valid = valid[1];
        expect_success(pm_move_points(&job, new_error()));
        assert_memory_equal(valid[0], valid[1], SOME);
        for (size_t i = 0; i < SOME; i++)
            for (size_t c = 0; c < 3; c++)
                assert_true(valid[0][i] ? fabs((double)moved[i][c] - exact[i][c]) < 6e-5
                                        : isnan(moved[i][c]) && isnan(exact[i][c]));
        unmake(&t);
    }
}

/* Sorted in one segment, and in any order; apart and in place. */
TEST(points_that_are_not_finite_are_invalid_and_others_beside_them_are_not) {
    enum { SOME = 600 };
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    made t = make(5, 1, PM_METHOD_SLERP, false, 0.5, 0, 13);
    random_source r = random_salted(13);
    float points[SOME][3], moved[3][SOME][3];
    int64_t stamps[SOME];
    uint8_t valid[SOME];
    for (int round = 0; round < 6; round++) {
        const bool has_odd = round % 3 > 0, in_place = round % 3 == 2;
        float(*to)[3] = moved[round % 3];
        size_t invalid = 0;
        for (int64_t i = 0; i < SOME && !has_odd; i++) {
            stamps[i] =
                round ? random_stamp(&t, &r) : t.stamps[1] + i * (t.stamps[2] - t.stamps[1]) / SOME;
            for (size_t c = 0; c < 3; c++)
                points[i][c] = (float)number(&r, -100, 100);
        }
        for (size_t i = 0; i < SOME && has_odd; i += 3)
            points[i][i / 3 % 3] = odd[i / 9 % 3];
        memcpy(to, points, sizeof points);
        const pm_points_job job = {.count = SOME,
                                   .stamps = {.data = stamps},
                                   .points = {.data = in_place ? to : points},
                                   .frames = {{.trajectory = t.trajectory}},
                                   .frame_count = 1,
                                   .moved = {.data = to},
                                   .valid = valid,
                                   .invalid_count = &invalid};
        expect_success(pm_move_points(&job, new_error()));
        assert_int_equal(invalid, has_odd ? SOME / 3 : 0);
        for (size_t i = 0; i < SOME; i++) {
            const bool is_odd = has_odd && i % 3 == 0;
            assert_int_equal(valid[i], !is_odd);
            for (size_t c = 0; c < 3; c++)
                assert_true(is_odd ? isnan(to[i][c]) : to[i][c] == moved[0][i][c]);
        }
    }
    unmake(&t);
}

/* ---- what is refused ---------------------------------------------------------------------------------------- */

TEST(keys_whose_stamps_jump_back_or_repeat_are_refused_with_their_index) {
    made t = make(8, 1, PM_METHOD_SLERP, false, 0.5, 0, 14);
    pm_trajectory *none = NULL;
    const int64_t kept = t.stamps[5];
    const pm_trajectory_desc desc = describe(&t);
    for (int equal = 0; equal < 2; equal++) {
        t.stamps[5] = t.stamps[4] - !equal;
        expect_error(pm_trajectory_create(engine_of_kind(ON_REFERENCE), &desc, &none, new_error()),
                     PM_ERROR_TIME, equal ? "repeats" : "jumps back");
        expect_error_at(last_error(), PM_NO_INDEX, 5);
        assert_null(none);
    }
    t.stamps[5] = kept;
    unmake(&t);
}

/* A change of a job, and what is said of it. */
typedef struct refusal {
    void (*change)(one *o);
    const char *words;
} refusal;

#define CHANGE(name, ...)                                                                          \
    static void name(one *o) {                                                                     \
        __VA_ARGS__;                                                                               \
    }
CHANGE(no_stamps, o->job.stamps.data = NULL)
CHANGE(odd_stamps, o->job.stamps.type = (pm_stamp_type)9)
CHANGE(units_of_seconds, o->job.stamps.type = PM_STAMP_FLOAT64; o->job.stamps.unit = 5)
CHANGE(no_frames, o->job.frame_count = 0)
CHANGE(many_frames, o->job.frame_count = 5)
CHANGE(no_trajectory, o->job.frames[0].trajectory = NULL)
CHANGE(high_track, o->job.frames[0].track = 1)
CHANGE(odd_tracks, o->job.frames[0].tracks = (pm_track_field){&o->valid, 3, 0})
CHANGE(high_tracks, o->job.frames[0].tracks = (pm_track_field){&o->valid, 1, 0})
CHANGE(odd_points, o->job.points.type = (pm_coordinate_type)3)
CHANGE(integer_output, o->job.moved.type = PM_COORDINATE_INT32)
CHANGE(no_points, o->job.points.data = NULL)
CHANGE(inverse_rate, o->job.inverse = true)
CHANGE(odd_frame, o->job.velocity_frame = (pm_axis_frame)2)
CHANGE(odd_ends, o->job.outside = (pm_outside)4)
CHANGE(no_limit, o->job.outside = PM_OUTSIDE_EXTRAPOLATE)
CHANGE(limit, o->job.max_extrapolation = 1)
CHANGE(gap, o->job.max_gap = -1)
CHANGE(long_quaternion, o->job.before.rotation[0] = 2)
CHANGE(nowhere, o->job.after.position[1] = (double)NAN)
CHANGE(odd_origin, o->job.origin[2] = (double)INFINITY)

TEST(jobs_that_are_not_valid_are_refused) {
    static const refusal all[] = {{no_stamps, "stamps.data"},
                                  {odd_stamps, "stamps.type"},
                                  {units_of_seconds, "stamps.unit"},
                                  {no_frames, "frame_count is 0"},
                                  {many_frames, "frame_count is 5"},
                                  {no_trajectory, "trajectory is NULL"},
                                  {high_track, "track is 1, not below 1"},
                                  {odd_tracks, "bytes is 3"},
                                  {high_tracks, "the track of point 0"},
                                  {odd_points, "points.type"},
                                  {integer_output, "moved.type"},
                                  {no_points, "points are not given"},
                                  {inverse_rate, "inverse"},
                                  {odd_frame, "velocity_frame"},
                                  {odd_ends, "outside"},
                                  {no_limit, "max_extrapolation"},
                                  {limit, "max_extrapolation"},
                                  {gap, "max_gap"},
                                  {long_quaternion, "before.rotation has a norm"},
                                  {nowhere, "after.position"},
                                  {odd_origin, "origin"}};
    made t = make(5, 1, PM_METHOD_SLERP, false, 0.5, 0, 15);
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        one o;
        one_of(&o, &t);
        o.stamp = t.stamps[2];
        all[i].change(&o);
        expect_error(pm_move_points(&o.job, new_error()), PM_ERROR_ARGUMENT, all[i].words);
    }
    one o;
    one_of(&o, &t);
    o.stamp = t.stamps[2];
    expect_next_refused(pm_points_job, o.job, last_error(), pm_move_points(&o.job, new_error()));
    o.job.to_reference = true;
    o.job.reference = t.stamps[0] - 1;
    expect_error(pm_move_points(&o.job, new_error()), PM_ERROR_TIME, "reference");
    o.job.outside = PM_OUTSIDE_INVALID;
    expect_error(pm_move_points(&o.job, new_error()), PM_ERROR_TIME, "reference");
    expect_error(pm_move_points(NULL, new_error()), PM_ERROR_ARGUMENT, "job");
    unmake(&t);
}

TEST(descriptions_that_are_not_valid_are_refused) {
    made t = make(5, 1, PM_METHOD_SLERP, false, 0.5, 0, 16);
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    pm_trajectory *none = NULL;
    const pm_trajectory_desc good = describe(&t);
    pm_trajectory_desc desc = good;
    expect_next_refused(pm_trajectory_desc, desc, last_error(),
                        pm_trajectory_create(engine, &desc, &none, new_error()));
    desc.motion.timelines = &t.timeline;
    expect_error(pm_trajectory_create(engine, &desc, &none, new_error()), PM_ERROR_ARGUMENT,
                 "timelines");
    desc = good;
    desc.key_count = 0;
    expect_error(pm_trajectory_create(engine, &desc, &none, new_error()), PM_ERROR_ARGUMENT,
                 "keys is 0");
    desc = good;
    desc.motion.rotations.data = desc.motion.positions.data = NULL;
    expect_error(pm_trajectory_create(engine, &desc, &none, new_error()), PM_ERROR_ARGUMENT,
                 "neither");
    desc = good;
    desc.screw = true;
    desc.motion.method = PM_METHOD_SQUAD;
    expect_error(pm_trajectory_create(engine, &desc, &none, new_error()), PM_ERROR_ARGUMENT,
                 "screw");
    desc = good;
    t.positions[4] = (double)NAN;
    expect_error(pm_trajectory_create(engine, &desc, &none, new_error()), PM_ERROR_KEY, "position");
    assert_null(none);
    unmake(&t);
}

TEST(decimal_text_becomes_a_stamp_without_a_double) {
    static const struct {
        const char *text;
        int64_t stamp;
    } good[] = {{"1403636579.763555527", 1403636579763555527},
                {"0", 0},
                {"-1.5", -1500000000},
                {"+.000000001", 1},
                {"12.", 12000000000},
                {"0.0000000014", 1},
                {"0.0000000015", 2},
                {"-0.9999999999", -1000000000},
                {"9223372036.854775807", INT64_MAX},
                {"-9223372036.854775808", INT64_MIN}};
    static const char *const bad[] = {"",
                                      ".",
                                      "-",
                                      "1e9",
                                      " 1",
                                      "1 ",
                                      "1.2.3",
                                      "0x1",
                                      "nan",
                                      "9223372036.854775808",
                                      "99999999999",
                                      "-9223372036.854775809"};
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        int64_t stamp = 77;
        assert_true(pm_stamp_parse(good[i].text, &stamp));
        assert_true(stamp == good[i].stamp);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        int64_t stamp = 77;
        assert_false(pm_stamp_parse(bad[i], &stamp));
        assert_true(stamp == 77);
    }
    assert_false(pm_stamp_parse(NULL, &(int64_t){0}));
}
