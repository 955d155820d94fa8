/* SPDX-License-Identifier: MIT
 *
 * Conversion of Euler angles and matrices to and from quaternions, in all twelve orders, away from,
 * near and at gimbal lock and half turns. No device is required.
 */
#include "base/counts.h"
#include "oracle/random_tracks.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define RANDOM_CASES 2000
#define POISON ((double)NAN)

static const char *const order_names[PM_EULER_COUNT] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                                        "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

#define FOR_ORDERS_AND_CASES                                                                       \
    for (int order = 0; order < PM_EULER_COUNT; order++)                                           \
        for (int n = 0; n < RANDOM_CASES; n++)

static bool is_proper(int order) {
    return order_names[order][0] == order_names[order][2];
}

static void multiply(const double a[4], const double b[4], double out[4]) {
    const double product[4] = {
        a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    };
    memcpy(out, product, sizeof product);
}

/* The angle between the rotations of two quaternions of any norm. */
static double angle_between(const double a[4], const double b[4]) {
    double na = 0.0, nb = 0.0, minus = 0.0, plus = 0.0;
    for (int n = 0; n < 4; n++) {
        na = hypot(na, a[n]);
        nb = hypot(nb, b[n]);
    }
    for (int n = 0; n < 4; n++) {
        minus = hypot(minus, a[n] / na - b[n] / nb);
        plus = hypot(plus, a[n] / na + b[n] / nb);
    }
    return 4.0 * atan2(fmin(minus, plus), fmax(minus, plus));
}

/* Textbook formula: one quaternion per axis, multiplied from left to right. */
static void expected_quaternion(int order, const double angles[3], double q[4]) {
    double product[4] = {0, 0, 0, 1};
    for (int n = 0; n < 3; n++) {
        double turn[4] = {0, 0, 0, cos(0.5 * angles[n])};
        turn[order_names[order][n] - 'x'] = sin(0.5 * angles[n]);
        multiply(product, turn, product);
    }
    memcpy(q, product, sizeof product);
}

static void random_angles(random_source *source, double reach, double angles[3]) {
    for (int n = 0; n < 3; n++)
        angles[n] = random_between(source, -reach, reach);
}

TEST(names_of_orders_are_found_and_say_the_axes) {
    assert_int_equal(pm_euler_order_count(), PM_EULER_COUNT);
    for (int i = 0; i < PM_EULER_COUNT; i++) {
        const pm_euler_order order = (pm_euler_order)i;
        const char *name = pm_euler_order_name(order);
        pm_euler_order found = PM_EULER_COUNT;
        assert_true(pm_euler_order_find(name, &found) && found == order);
        for (int n = 0; n < 3; n++) {
            double angles[3] = {0}, q[4];
            angles[n] = 1;
            pm_quat_from_euler(order, angles, q);
            assert_true(q[name[n] - 'X'] > 0.4);
        }
    }
}

TEST(angles_of_a_quaternion_give_the_same_rotation) {
    random_source source = random_start();
    FOR_ORDERS_AND_CASES {
        double q[4], near[3], angles[3] = {POISON, POISON, POISON}, back[4];
        random_quaternion(&source, q);
        random_angles(&source, 20.0, near);
        pm_euler_from_quat((pm_euler_order)order, q, n % 2 ? near : NULL, angles);
        expected_quaternion(order, angles, back);
        assert_true(angle_between(q, back) < 2e-14);
    }
}

TEST(with_near_the_original_angles_are_returned) {
    random_source source = random_start();
    FOR_ORDERS_AND_CASES {
        double angles[3], near[3], q[4], back[3] = {POISON, POISON, POISON};
        random_angles(&source, 30.0, angles);
        const double lock = is_proper(order) ? sin(angles[1]) : cos(angles[1]);
        if (fabs(lock) < 0.01)
            continue; /* the original angles are lost at gimbal lock, and near decides */
        for (int c = 0; c < 3; c++)
            near[c] = angles[c] + random_between(&source, -0.004, 0.004);
        pm_quat_from_euler((pm_euler_order)order, angles, q);
        pm_euler_from_quat((pm_euler_order)order, q, near, back);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(back[c] - angles[c]) < 1e-11);
    }
}

TEST(at_gimbal_lock_the_first_angle_keeps_the_value_of_near) {
    random_source source = random_start();
    FOR_ORDERS_AND_CASES {
        double angles[3], near[3], q[4], back[3] = {POISON, POISON, POISON}, again[4];
        random_angles(&source, 3.0, angles);
        angles[1] = (is_proper(order) ? PI : 0.5 * PI) * (n % 2 ? 1.0 : -1.0);
        if (is_proper(order) && n % 4 > 1)
            angles[1] = 0.0;
        random_angles(&source, 9.0, near);
        pm_quat_from_euler((pm_euler_order)order, angles, q);
        pm_euler_from_quat((pm_euler_order)order, q, near, back);
        assert_true(back[0] == near[0]);
        assert_true(fabs(back[2] - near[2]) <= PI + 1e-12);
        expected_quaternion(order, back, again);
        assert_true(angle_between(q, again) < 1e-14);
    }
}

TEST(near_gimbal_lock_the_rotation_is_kept) {
    random_source source = random_start();
    FOR_ORDERS_AND_CASES {
        double angles[3], q[4], back[3] = {POISON, POISON, POISON}, again[4];
        random_angles(&source, 3.0, angles);
        const double away = pow(10.0, random_between(&source, -18.0, -3.0));
        angles[1] = (is_proper(order) ? 0.0 : 0.5 * PI) + away;
        pm_quat_from_euler((pm_euler_order)order, angles, q);
        pm_euler_from_quat((pm_euler_order)order, q, NULL, back);
        expected_quaternion(order, back, again);
        /* Within the tolerance of gimbal lock the middle angle is snapped. */
        assert_true(angle_between(q, again) < (away < 2.1e-7 ? 2.1e-7 : 1e-14));
    }
}

TEST(float32_noise_at_gimbal_lock_does_not_change_the_first_angle) {
    random_source source = random_start();
    for (int n = 0; n < RANDOM_CASES; n++) {
        double angles[3], q[4], back[3] = {POISON, POISON, POISON};
        random_angles(&source, 3.0, angles);
        angles[1] = 0.5 * PI;
        pm_quat_from_euler(PM_EULER_ZYX, angles, q);
        for (int c = 0; c < 4; c++)
            q[c] = (double)(float)q[c];
        pm_euler_from_quat(PM_EULER_ZYX, q, angles, back);
        assert_true(back[0] == angles[0]);
    }
}

TEST(any_norm_and_sign_of_a_quaternion_give_the_same_angles) {
    static const double scales[] = {-1.0, 3.0, 1e-160, -1e200, 0x1p-1040};
    random_source source = random_start();
    for (int order = 0; order < PM_EULER_COUNT; order++) {
        for (size_t s = 0; s < COUNT_OF(scales); s++) {
            double q[4], scaled[4], angles[3], expected[3];
            random_quaternion(&source, q);
            for (int c = 0; c < 4; c++)
                scaled[c] = q[c] * scales[s];
            pm_euler_from_quat((pm_euler_order)order, q, NULL, expected);
            pm_euler_from_quat((pm_euler_order)order, scaled, NULL, angles);
            for (int c = 0; c < 3; c++)
                assert_true(fabs(angles[c] - expected[c]) < 1e-6);
        }
    }
}

TEST(matrices_of_half_turns_give_back_their_quaternions) {
    random_source source = random_start();
    for (int n = 0; n < RANDOM_CASES; n++) {
        double q[4] = {0}, m[9], back[4] = {POISON, POISON, POISON, POISON};
        random_direction(&source, q);
        if (n < 3) {
            memset(q, 0, sizeof q);
            q[n] = 1.0;
        }
        q[3] = n % 2 ? 0.0 : 1e-9 * random_unit(&source);
        pm_matrix_from_quat(q, m);
        assert_true(pm_quat_from_matrix(m, back));
        assert_true(back[3] >= 0.0);
        assert_true(angle_between(q, back) < 4e-15);
    }
}

static double trace_with(const double q[4], const double m[9]) {
    double r[9], trace = 0.0;
    pm_matrix_from_quat(q, r);
    for (int c = 0; c < 9; c++)
        trace += r[c] * m[c];
    return trace;
}

TEST(a_sheared_matrix_gives_the_nearest_rotation) {
    random_source source = random_start();
    for (int n = 0; n < 200; n++) {
        double q[4], m[9], back[4] = {POISON, POISON, POISON, POISON};
        random_quaternion(&source, q);
        pm_matrix_from_quat(q, m);
        for (int c = 0; c < 9; c++)
            m[c] += 0.15 * random_normal(&source);
        if (!pm_quat_from_matrix(m, back))
            continue;
        const double best = trace_with(back, m);
        for (int k = 0; k < 200; k++) {
            double other[4];
            random_quaternion(&source, other);
            const double mix = pow(10.0, random_between(&source, -4.0, 1.0));
            double norm = 0.0;
            for (int c = 0; c < 4; c++) {
                other[c] = back[c] + mix * other[c];
                norm = hypot(norm, other[c]);
            }
            for (int c = 0; c < 4; c++)
                other[c] /= norm;
            assert_true(trace_with(other, m) <= best + 1e-13);
        }
    }
}

TEST(the_scale_of_a_matrix_does_not_matter) {
    static const double scales[] = {1e-150, 1e-3, 7.0, 1e300};
    random_source source = random_start();
    for (size_t s = 0; s < COUNT_OF(scales); s++) {
        double q[4], m[9], back[4] = {POISON, POISON, POISON, POISON};
        random_quaternion(&source, q);
        pm_matrix_from_quat(q, m);
        for (int c = 0; c < 9; c++)
            m[c] *= scales[s];
        assert_true(pm_quat_from_matrix(m, back));
        assert_true(angle_between(q, back) < 4e-15);
    }
}

TEST(matrices_that_are_no_rotations_are_refused_and_write_nothing) {
    static const double bad[][9] = {
        {0, 0, 0, 0, 0, 0, 0, 0, 0},        {-1, 0, 0, 0, 1, 0, 0, 0, 1},
        {1, 0, 0, 1, 0, 0, 0, 0, 1},        {POISON, 0, 0, 0, 1, 0, 0, 0, 1},
        {1, 0, 0, 0, HUGE_VAL, 0, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, -HUGE_VAL, 1},
    };
    for (size_t n = 0; n < COUNT_OF(bad); n++) {
        double q[4] = {5, 5, 5, 5};
        assert_false(pm_quat_from_matrix(bad[n], q));
        for (int c = 0; c < 4; c++)
            assert_true(q[c] == 5.0);
    }
}
