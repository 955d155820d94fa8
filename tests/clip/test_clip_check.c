/* SPDX-License-Identifier: MIT
 *
 * Every invalid count, pointer, layout, key, time and option of pm_clip_desc is refused by its own check,
 * with pm_clip_check and with pm_clip_create, and the nearest valid value is accepted.
 */
#include "base/counts.h"
#include "support/engines.h"

#include <math.h>
#include <string.h>

enum { KEYS = 4, TRACKS = 2 };

/* A valid description with all its arrays. */
typedef struct valid_clip {
    double rotations[KEYS][TRACKS][4];
    float positions[KEYS][TRACKS][3];
    float scales[KEYS][TRACKS][3];
    double tangents[KEYS][TRACKS][3];
    double axes[TRACKS][3];
    pm_windows windows[TRACKS];
    double times[KEYS];
    pm_timeline timelines[2];
    uint32_t timeline_of[TRACKS];
    pm_clip_desc desc;
} valid_clip;

#define expect_accepted() check_accepted(__FILE__, __LINE__)
#define expect_refused(status, words)                                                              \
    check_refused((status), (words), PM_NO_INDEX, PM_NO_INDEX, __FILE__, __LINE__)
#define expect_refused_at(status, words, track, key)                                               \
    check_refused((status), (words), (track), (key), __FILE__, __LINE__)

#define CLIP_TEST(test) TEST_WITH(test, make_valid_clip, NULL, NULL)

/* Made again before each test. */
static valid_clip s;

static void set_rotation(size_t key, size_t track, double angle, double norm) {
    double *q = s.rotations[key][track];
    q[0] = 0;
    q[1] = norm * sin(angle / 2);
    q[2] = 0;
    q[3] = norm * cos(angle / 2);
}

FIXTURE(make_valid_clip) {
    memset(&s, 0, sizeof s);
    for (size_t key = 0; key < KEYS; key++) {
        s.times[key] = 0.5 * (double)key;
        for (size_t track = 0; track < TRACKS; track++) {
            set_rotation(key, track, 0.3 * (double)key, 1);
            for (size_t c = 0; c < 3; c++) {
                s.positions[key][track][c] = (float)(key + c);
                s.scales[key][track][c] = 1;
            }
        }
    }
    for (size_t track = 0; track < TRACKS; track++) {
        s.axes[track][1] = 2;
        s.windows[track] = (pm_windows){0, 0.5, 0.5, 1};
    }
    s.timelines[0] = s.timelines[1] = (pm_timeline){.key_count = KEYS, .rate = {30, 1}};
    s.desc = (pm_clip_desc){
        .track_count = TRACKS,
        .timelines = s.timelines,
        .rotations = {.data = s.rotations, .type = PM_FLOAT64},
        .positions = {.data = s.positions, .type = PM_FLOAT32},
        .scales = {.data = s.scales, .type = PM_FLOAT32},
    };
    return 0;
}

static void check_accepted(const char *file, int line) {
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
    check_ok(pm_clip_check(&s.desc, new_error()), last_error(), file, line);
    check_ok(pm_clip_create(engine_of_kind(ON_REFERENCE), &s.desc, &clip, new_error()),
             last_error(), file, line);
    assert_non_null(clip);
}

/* pm_clip_check and pm_clip_create must refuse in the same way and leave the handle unchanged. */
static void check_refused(pm_status status, const char *words, size_t track, size_t key,
                          const char *file, int line) {
    pm_error error = poisoned_error();
    check_refusal(pm_clip_check(&s.desc, &error), &error, status, words, file, line);
    check_error_at(&error, track, key, file, line);
    pm_clip *const untouched = (pm_clip *)&s;
    pm_clip *clip = untouched;
    error = poisoned_error();
    check_refusal(pm_clip_create(engine_of_kind(ON_REFERENCE), &s.desc, &clip, &error), &error,
                  status, words, file, line);
    check_error_at(&error, track, key, file, line);
    assert_ptr_equal(clip, untouched);
    assert_int_equal(pm_clip_check(&s.desc, NULL), status);
}

static void use_listed_times(void) {
    s.timelines[0] = (pm_timeline){.key_count = KEYS, .times = s.times};
}

static void use_timeline_per_track(void) {
    s.timeline_of[1] = 1;
    s.desc.timeline_count = 2;
    s.desc.timeline_of = s.timeline_of;
}

/* ---- counts, pointers, layout ---- */

CLIP_TEST(a_valid_description_is_accepted) {
    expect_accepted();
    use_listed_times();
    expect_accepted();
    use_timeline_per_track();
    s.timelines[1].key_count = KEYS;
    expect_accepted();
}

CLIP_TEST(a_clip_without_tracks_timelines_keys_or_arrays_is_refused) {
    s.desc.track_count = 0;
    expect_refused(PM_ERROR_ARGUMENT, "number of tracks");
    s.desc.track_count = TRACKS;
    s.desc.timelines = NULL;
    expect_refused(PM_ERROR_ARGUMENT, "timeline");
    s.desc.timelines = s.timelines;
    s.timelines[0].key_count = 0;
    expect_refused(PM_ERROR_ARGUMENT, "number of keys");
    s.timelines[0].key_count = 1;
    expect_accepted();
    s.desc.rotations.data = s.desc.positions.data = s.desc.scales.data = NULL;
    expect_refused(PM_ERROR_ARGUMENT, "rotations|array");
    s.desc.scales.data = s.scales;
    expect_accepted();
}

CLIP_TEST(a_stride_smaller_than_a_row_is_refused) {
    s.desc.rotations.stride = sizeof s.rotations[0] - sizeof(double);
    expect_refused(PM_ERROR_ARGUMENT, "stride");
    s.desc.rotations.stride = sizeof s.rotations[0];
    expect_accepted();
    s.desc.positions.stride = sizeof s.positions[0] - sizeof(float);
    expect_refused(PM_ERROR_ARGUMENT, "stride");
    s.desc.positions.stride = sizeof s.positions[0];
    expect_accepted();
    s.desc.rotations.stride = (SIZE_MAX / 2) & ~(size_t)7;
    expect_refused(PM_ERROR_SIZE, "stride|bytes|large");
}

CLIP_TEST(strides_with_several_timelines_and_other_timelines_are_refused) {
    use_timeline_per_track();
    s.desc.rotations.stride = sizeof s.rotations[0];
    expect_refused(PM_ERROR_ARGUMENT, "stride");
    s.desc.rotations.stride = 0;
    expect_accepted();
    s.timeline_of[1] = 2;
    expect_refused_at(PM_ERROR_ARGUMENT, "timeline_of", 1, PM_NO_INDEX);
}

CLIP_TEST(counts_whose_bytes_overflow_are_refused_before_a_key_is_read) {
    static const size_t tracks_and_keys[][2] = {
        {SIZE_MAX / 8, KEYS}, {TRACKS, SIZE_MAX / 8}, {(size_t)1 << 33, (size_t)1 << 31}};
    for (size_t n = 0; n < COUNT_OF(tracks_and_keys); n++) {
        s.desc.track_count = tracks_and_keys[n][0];
        s.timelines[0].key_count = tracks_and_keys[n][1];
        expect_refused(PM_ERROR_SIZE, "track|key|count|bytes|large");
    }
    use_timeline_per_track(); /* whose keys add up too high */
    s.desc.track_count = TRACKS;
    s.timelines[0].key_count = SIZE_MAX / 32;
    s.timelines[1].key_count = SIZE_MAX / 32;
    expect_refused(PM_ERROR_SIZE, "track|key|count|bytes|large");
}

/* ---- keys ---- */

static void expect_not_finite_refused(double *number, pm_status status, const char *words,
                                      size_t track, size_t key) {
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const double kept = *number;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        *number = bad[i];
        expect_refused_at(status, words, track, key);
    }
    *number = kept;
}

CLIP_TEST(rotation_keys_that_are_not_finite_are_refused) {
    for (size_t c = 0; c < 4; c++)
        expect_not_finite_refused(&s.rotations[3][0][c], PM_ERROR_KEY, "finite|nan", 0, 3);
}

CLIP_TEST(a_norm_is_refused_beyond_a_thousandth_from_one) {
    const double refused[] = {1.002, 1.0011, 0.9989, 0.998, 0.5, 2, 0};
    const double accepted[] = {1.0009, 0.9991, 1};
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        set_rotation(1, 1, 0.3, refused[i]);
        expect_refused_at(PM_ERROR_KEY, refused[i] > 0 ? "norm" : "zero|norm", 1, 1);
    }
    for (size_t i = 0; i < COUNT_OF(accepted); i++) {
        set_rotation(1, 1, 0.3, accepted[i]);
        expect_accepted();
    }
}

CLIP_TEST(float32_keys_are_checked_as_float64_ones_are) {
    float keys[KEYS][TRACKS][4];
    for (size_t i = 0; i < KEYS * TRACKS * 4; i++)
        (&keys[0][0][0])[i] = (float)(&s.rotations[0][0][0])[i];
    s.desc.rotations = (pm_array){.data = keys, .type = PM_FLOAT32};
    expect_accepted();
    keys[3][1][3] += 0.5f;
    expect_refused_at(PM_ERROR_KEY, "norm", 1, 3);
    keys[2][0][0] = NAN;
    expect_refused_at(PM_ERROR_KEY, "finite|nan", 0, 2);
}

CLIP_TEST(a_key_is_reported_with_its_track_and_number_where_every_track_has_its_own_timeline) {
    use_timeline_per_track();
    s.timelines[1].key_count = 3;
    /* Tracks are stored one after another: row KEYS + 2 is track 1's last key. */
    memset(&s.rotations[0][0][0] + 4 * (KEYS + 2), 0, 4 * sizeof(double));
    expect_refused_at(PM_ERROR_KEY, "zero|norm", 1, 2);
}

CLIP_TEST(positions_and_scales_that_are_not_finite_in_float32_are_refused) {
    double positions[KEYS][TRACKS][3] = {{{0}}};
    s.positions[1][1][2] = NAN;
    expect_refused_at(PM_ERROR_KEY, "position", 1, 1);
    s.positions[1][1][2] = 1e30f;
    expect_accepted();
    s.scales[2][0][0] = -INFINITY;
    expect_refused_at(PM_ERROR_KEY, "scale", 0, 2);
    s.scales[2][0][0] = 1;
    s.desc.positions = (pm_array){.data = positions, .type = PM_FLOAT64};
    expect_accepted();
    positions[2][1][0] = 1e39;
    expect_refused_at(PM_ERROR_KEY, "position", 1, 2);
}

/* ---- times and rates ---- */

CLIP_TEST(a_timeline_has_either_a_rate_or_times) {
    s.timelines[0].times = s.times;
    expect_refused(PM_ERROR_ARGUMENT, "rate");
    s.timelines[0] = (pm_timeline){.key_count = KEYS};
    expect_refused(PM_ERROR_ARGUMENT, "rate");
}

CLIP_TEST(key_rates_that_are_not_positive_fractions_are_refused) {
    const pm_rational bad[] = {{0, 1}, {-30, 1}, {30, 0}, {30, -1}, {-30, -1}, {INT64_MIN, 1}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        s.timelines[0].rate = bad[i];
        expect_refused(PM_ERROR_TIME, "rate");
    }
    s.timelines[0].rate = (pm_rational){1, 1000};
    expect_accepted();
}

CLIP_TEST(key_times_that_are_not_finite_are_refused) {
    use_listed_times();
    for (size_t key = 0; key < KEYS; key++)
        expect_not_finite_refused(&s.times[key], PM_ERROR_TIME, "time", PM_NO_INDEX, key);
}

CLIP_TEST(key_times_must_strictly_increase) {
    use_listed_times();
    s.times[2] = s.times[1];
    expect_refused_at(PM_ERROR_TIME, "increas", PM_NO_INDEX, 2);
    s.times[2] = s.times[1] - 1e-9;
    expect_refused_at(PM_ERROR_TIME, "increas", PM_NO_INDEX, 2);
    s.times[2] = s.times[1] + 1e-9;
    expect_accepted();
}

CLIP_TEST(times_of_the_second_timeline_are_checked_too) {
    use_timeline_per_track();
    s.timelines[1] = (pm_timeline){.key_count = KEYS, .times = s.times};
    expect_accepted();
    s.times[3] = s.times[2];
    expect_error(pm_clip_check(&s.desc, new_error()), PM_ERROR_TIME, "increas");
    assert_int_equal(last_error()->key, 3);
}

/* ---- loops ---- */

CLIP_TEST(a_loop_period_that_is_too_short_or_not_finite_is_refused) {
    use_listed_times(); /* from 0 to 1.5 s */
    const double bad[] = {(double)NAN, (double)INFINITY, -1, -1.5, 1.0, 1.4999999};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        s.desc.loop = bad[i];
        expect_refused(PM_ERROR_TIME, ".loop");
    }
    s.desc.loop = 2;
    expect_accepted();
}

/* Makes the last key differ from the first by a rotation of `angle` radians. */
static void close_loop(double angle) {
    use_listed_times();
    s.desc.loop = 1.5;
    for (size_t track = 0; track < TRACKS; track++) {
        set_rotation(KEYS - 1, track, 0, 1);
        memcpy(s.positions[KEYS - 1][track], s.positions[0][track], sizeof s.positions[0][0]);
    }
    set_rotation(KEYS - 1, 1, angle, 1);
}

CLIP_TEST(a_closing_key_must_equal_the_first) {
    close_loop(0.0011);
    expect_refused_at(PM_ERROR_TIME, "clos|first|last|loop", 1, KEYS - 1);
    close_loop(0.0009);
    expect_accepted();
    for (size_t c = 0; c < 4; c++)
        s.rotations[KEYS - 1][1][c] *= -1;
    expect_accepted();
}

CLIP_TEST(a_closing_position_must_equal_the_first) {
    close_loop(0);
    float largest = 0;
    for (size_t i = 0; i < KEYS * TRACKS * 3; i++)
        largest = fmaxf(largest, (&s.positions[0][0][0])[i]);
    s.positions[KEYS - 1][0][1] = s.positions[0][0][1] + 0.0009f * largest;
    expect_accepted();
    s.positions[KEYS - 1][0][1] = s.positions[0][0][1] + 0.01f * largest;
    expect_refused_at(PM_ERROR_TIME, "position", 0, KEYS - 1);
}

/* ---- options ---- */

static void expect_in_unit_range(double *field, const char *name) {
    const double bad[] = {-1.001, 1.001, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        *field = bad[i];
        expect_refused(PM_ERROR_ARGUMENT, name);
    }
    *field = 1;
    expect_accepted();
    *field = -1;
    expect_accepted();
    *field = 0;
}

CLIP_TEST(tension_continuity_and_bias_are_between_minus_one_and_one) {
    s.desc.method = PM_METHOD_SQUAD;
    s.desc.tangents = PM_TANGENTS_TCB;
    expect_in_unit_range(&s.desc.tension, "tension");
    expect_in_unit_range(&s.desc.continuity, "continuity");
    expect_in_unit_range(&s.desc.bias, "bias");
}

CLIP_TEST(user_tangents_must_be_given_and_finite) {
    s.desc.method = PM_METHOD_SQUAD;
    s.desc.tangents = PM_TANGENTS_USER;
    expect_refused(PM_ERROR_ARGUMENT, ".tangents: those of the user");
    s.desc.user_tangents = (pm_array){.data = s.tangents, .type = PM_FLOAT64};
    expect_accepted();
    s.tangents[2][1][0] = (double)NAN;
    expect_refused_at(PM_ERROR_KEY, "tangent", 1, 2);
    s.tangents[2][1][0] = 0;
    s.desc.user_tangents.stride = sizeof s.tangents[0] - sizeof(double);
    expect_refused(PM_ERROR_ARGUMENT, "stride");
}

/* ---- sterp ---- */

static void use_sterp(void) {
    s.desc.method = PM_METHOD_STERP;
    s.desc.axes = (pm_array){.data = s.axes, .type = PM_FLOAT64};
}

CLIP_TEST(sterp_has_an_axis_or_one_for_each_track) {
    use_sterp();
    s.desc.axes.data = NULL;
    expect_refused(PM_ERROR_ARGUMENT, ".axis");
    s.desc.axes.data = s.axes;
    expect_accepted();
    s.desc.axis_count = TRACKS + 1;
    expect_refused(PM_ERROR_ARGUMENT, "number of axes");
    s.desc.axis_count = TRACKS;
    expect_accepted();
    expect_not_finite_refused(&s.axes[1][1], PM_ERROR_KEY, "axis|axes", 1, PM_NO_INDEX);
    s.axes[1][1] = 0;
    expect_refused_at(PM_ERROR_KEY, "axis|axes", 1, PM_NO_INDEX);
}

CLIP_TEST(windows_are_within_the_segment_and_end_after_they_start) {
    use_sterp();
    s.desc.windows = s.windows;
    const double nan = (double)NAN;
    const pm_windows bad[] = {
        {0.5, 0.5, 0, 1}, {0.6, 0.5, 0, 1}, {-0.1, 1, 0, 1}, {0, 1.1, 0, 1},
        {nan, 1, 0, 1},   {0, 1, 0.5, 0.5}, {0, 1, 1, 0},    {0, 1, -0.1, 1},
        {0, 1, 0, 1.1},   {0, 1, 0, nan},   {0, 0, 0, 1},
    };
    expect_accepted();
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        s.windows[0] = bad[i];
        expect_error(pm_clip_check(&s.desc, new_error()), PM_ERROR_ARGUMENT, "window");
    }
    s.windows[0] = (pm_windows){0};
    expect_accepted();
}

CLIP_TEST(windows_are_given_once_or_once_per_track) {
    use_sterp();
    s.desc.windows = s.windows;
    s.desc.window_count = TRACKS + 1;
    expect_refused(PM_ERROR_ARGUMENT, "number of windows");
    s.desc.window_count = TRACKS;
    expect_accepted();
    s.windows[1].swing_end = -1;
    expect_refused_at(PM_ERROR_ARGUMENT, "window", 1, PM_NO_INDEX);
}

TEST_GROUP(NULL, engines_close)
