/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits, one by one: their maximum error, their signs and groups, and the clips that may
 * not have them. Clips with such keys are sampled in test_key_clips.c.
 */
#include "support/motion.h"

#include <math.h>
#include <string.h>

#include "base/counts.h"
#include "kernels/pm_key_codes.h"
#include "segments/key_format.h"
#include "segments/key_store.h"
#include "segments/lane_memory.h"
#include "support/test.h"

static const pm_key_format formats[] = {PM_KEYS_LOG48, PM_KEYS_SMALLEST48};
enum { FORMATS = 2 };

/* The bounds in posemill.h. */
static double bound_of(pm_key_format format) {
    return format == PM_KEYS_LOG48 ? 7.6e-5 : 8.7e-5;
}

/* ---- one key ---- */

static double norm_of(const double q[4]) {
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

/* The angle between the rotations of two quaternions of any signs. */
static double angle_between(const double a[4], pm_quat b) {
    double difference[4], sum[4];
    const double other[4] = {(double)b.x, (double)b.y, (double)b.z, (double)b.w};
    for (int i = 0; i < 4; i++) {
        difference[i] = a[i] - other[i];
        sum[i] = a[i] + other[i];
    }
    return 4 *
           atan2(fmin(norm_of(difference), norm_of(sum)), fmax(norm_of(difference), norm_of(sum)));
}

static void store(pm_key_format format, int16_t *keys, size_t at, const double q[4],
                  double before[4]) {
    dquat lanes = {0};
    for (size_t i = 0; i < PM_DOUBLES; i++) /* the last lane has the key, and others have another */
        dquat_set_lane(&lanes, i, 0.6, 0, -0.8, 0);
    dquat_set_lane(&lanes, PM_DOUBLES - 1, q[0], q[1], q[2], q[3]);
    const dcodes codes = dcodes_of(format, lanes);
    pm_key_store(format, keys, at, pm_code_in_lane(&codes, PM_DOUBLES - 1), before);
}

static pm_quat stored(pm_key_format format, const double q[4]) {
    int16_t group[49];
    double before[4] = {0};
    memset(group, 0xA5, sizeof group);
    store(format, group, 0, q, before);
    return pm_key_load(format, group, 0);
}

/* Checks that a key is within its bound, has unit norm except for rounding, and keeps its sign. */
static void expect_near(pm_key_format format, const double q[4]) {
    const double length = norm_of(q);
    const double unit[4] = {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
    const pm_quat k = stored(format, unit);
    const double decoded[4] = {(double)k.x, (double)k.y, (double)k.z, (double)k.w};
    const double angle = angle_between(unit, k);
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += unit[i] * decoded[i];
    if (!(angle <= bound_of(format)) || !(fabs(norm_of(decoded) - 1) <= 2e-7) || !(dot > 0))
        fail_msg("format %d: %.17g %.17g %.17g %.17g is off by %.9g, of norm %.9g, dot %.9g",
                 (int)format, unit[0], unit[1], unit[2], unit[3], angle, norm_of(decoded), dot);
}

TEST(random_keys_are_within_the_bound) {
    random_source source = random_salted(1);
    for (size_t f = 0; f < FORMATS; f++)
        for (size_t n = 0; n < 300000; n++) {
            double q[4];
            random_quaternion(&source, q);
            expect_near(formats[f], q);
        }
}

/* Rotations near the identity, half turns about axes and diagonals, equal components and quarter
 * turns, at every distance from 1 down to the resolution of double. */
TEST(keys_near_the_borders_of_the_encoding_are_within_the_bound) {
    random_source source = random_salted(2);
    for (size_t f = 0; f < FORMATS; f++)
        for (unsigned corner = 1; corner < 81; corner++)
            for (unsigned n = 0; n < 2000; n++) {
                const double off = exp(random_between(&source, -40, 0));
                double q[4];
                unsigned digits = corner;
                for (int i = 0; i < 4; i++, digits /= 3)
                    q[i] = (double)(digits % 3) - 1 + off * random_normal(&source);
                if (norm_of(q) > 0.1)
                    expect_near(formats[f], q);
            }
}

TEST(exact_and_tiny_components_are_within_the_bound) {
    static const double values[] = {0,     -0.0,   1,     -1,   5e-324, -1e-310,
                                    1e-45, -1e-38, 1e-20, 1e-5, -1e-5};
    enum { VALUES = COUNT_OF(values) };
    for (size_t f = 0; f < FORMATS; f++)
        for (size_t n = 0; n < (size_t)VALUES * VALUES * VALUES * VALUES; n++) {
            const double q[4] = {values[n % VALUES], values[n / VALUES % VALUES],
                                 values[n / VALUES / VALUES % VALUES],
                                 values[n / VALUES / VALUES / VALUES]};
            if (norm_of(q) > 0.5)
                expect_near(formats[f], q);
        }
}

/* Some keys reach the bound: in the middle of a cell of codes near the identity of log48, and near
 * equal components of smallest48. */
TEST(the_bound_is_nearly_reached) {
    const double step = sqrt(2.0) / 32767;
    double worst[PM_KEYS_COUNT] = {0};
    random_source source = random_salted(3);
    for (unsigned n = 0; n < 20000; n++) {
        double q[4] = {0, 0, 0, 1}, equal[4];
        for (int i = 0; i < 3; i++)
            q[i] = (floor(random_between(&source, -50, 50)) + 0.5) * step;
        q[3] = sqrt(1 - q[0] * q[0] - q[1] * q[1] - q[2] * q[2]);
        for (int i = 0; i < 4; i++)
            equal[i] = 0.5 + 0.01 * random_normal(&source);
        const double length = norm_of(equal);
        for (int i = 0; i < 4; i++)
            equal[i] /= length;
        worst[PM_KEYS_LOG48] =
            fmax(worst[PM_KEYS_LOG48], angle_between(q, stored(PM_KEYS_LOG48, q)));
        worst[PM_KEYS_SMALLEST48] = fmax(worst[PM_KEYS_SMALLEST48],
                                         angle_between(equal, stored(PM_KEYS_SMALLEST48, equal)));
    }
    assert_true(worst[PM_KEYS_LOG48] > 0.97 * bound_of(PM_KEYS_LOG48));
    assert_true(worst[PM_KEYS_SMALLEST48] > 0.97 * bound_of(PM_KEYS_SMALLEST48));
}

TEST(the_identity_is_exact) {
    const double identity[4] = {0, 0, 0, 1};
    for (size_t f = 0; f < FORMATS; f++) {
        const pm_quat k = stored(formats[f], identity);
        assert_true(k.x == 0 && k.y == 0 && k.z == 0 && k.w == 1);
    }
}

/* ---- groups ---- */

TEST(a_key_has_the_sign_nearest_the_previous_one) {
    random_source source = random_salted(6);
    for (size_t f = 0; f < FORMATS; f++)
        for (unsigned n = 0; n < 10000; n++) {
            int16_t group[49] = {0};
            double q[4], before[4], given[4];
            random_quaternion(&source, q);
            random_quaternion(&source, before);
            memcpy(given, before, sizeof given);
            store(formats[f], group, 4 * (n % 16), q, before);
            const pm_quat k = pm_key_load(formats[f], group, 4 * (n % 16));
            assert_true(before[0] == (double)k.x && before[3] == (double)k.w);
            assert_true(given[0] * before[0] + given[1] * before[1] + given[2] * before[2] +
                            given[3] * before[3] >=
                        0);
        }
}

TEST(a_repeated_key_is_the_same_or_its_negative_to_the_bit) {
    random_source source = random_salted(7);
    for (size_t f = 0; f < FORMATS; f++)
        for (unsigned n = 0; n < 10000; n++) {
            int16_t keys[98];
            double q[4], before[4] = {0};
            memset(keys, 0xA5, sizeof keys);
            random_quaternion(&source, q);
            q[3] = n % 3 ? q[3] : 0;
            const size_t from = random_bits(&source) % 16, to = 16 + random_bits(&source) % 16;
            store(formats[f], keys, 4 * from, q, before);
            pm_key_repeat(formats[f], keys, 4 * from, 4 * to, n % 2);
            const pm_quat a = pm_key_load(formats[f], keys, 4 * from);
            const pm_quat b = pm_key_load(formats[f], keys, 4 * to);
            const float sign = n % 2 ? -1.0f : 1.0f;
            assert_true(b.x == sign * a.x && b.y == sign * a.y && b.z == sign * a.z &&
                        b.w == sign * a.w);
        }
}

/* ---- sizes and refusals ---- */

TEST(sizes_that_do_not_fit_are_reported) {
    size_t bytes = 0;
    assert_true(pm_key_bytes(PM_KEYS_LOG48, 64, &bytes));
    assert_int_equal(bytes, 98);
    assert_true(pm_key_bytes(PM_KEYS_LOG48, SIZE_MAX / 64 * 64, &bytes) ==
                (SIZE_MAX / 64 <= SIZE_MAX / 98));
    assert_false(pm_key_bytes(PM_KEYS_FLOAT32, SIZE_MAX / 2, &bytes));
}

TEST(methods_that_store_more_than_keys_are_refused) {
    static const double axis[3] = {0, 1, 0};
    random_source source = random_salted(16);
    SCOPED(set_destroy) track_set set;
    set_random(&source, 3, 6, 0, 3, false, true, &set);
    for (int method = 0; method < PM_METHOD_COUNT; method++)
        for (int format = 0; format < PM_KEYS_COUNT; format++) {
            pm_clip_desc desc = set_describe(&set);
            set_give_tangents(&set, &desc);
            desc.axes = (pm_array){.data = axis, .type = PM_FLOAT64};
            desc.axis_count = 1;
            desc.method = (pm_method)method;
            desc.key_format = (pm_key_format)format;
            const pm_status status = pm_clip_check(&desc, new_error());
            if (format == PM_KEYS_FLOAT32 ||
                pm_method_get_info(desc.method)->floats_per_segment == 4)
                expect_success(status);
            else
                expect_error(status, PM_ERROR_ARGUMENT, "key_format");
        }
}
