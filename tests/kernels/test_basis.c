/* SPDX-License-Identifier: MIT
 *
 * The polynomials of kernels/pm_basis.h against the geometry that they stand for, in double. Bounds
 * are the error of the fit and half a unit of the last place for each rounding on the way, weighted
 * by the size of its term.
 */
#include "support/check.h"
#include "support/motion.h"

#include <math.h>

#include "kernels/pm_basis.h"

enum { DRAWS = 200000 };

/* Squared angles up to (pi/2)^2, small ones too. */
static float draw_angle2(random_source *source) {
    const double quarter2 = 2.4674011;
    const double u = random_unit(source);
    return (float)(quarter2 * (random_unit(source) < 0.5 ? u : pow(u, 8)));
}

/* In [0, 1], near both ends too. */
static float draw_u(random_source *source) {
    const double near = pow(random_unit(source), 6);
    const double draw = random_unit(source);
    return (float)(draw < 0.5 ? random_unit(source) : draw < 0.75 ? near : 1 - near);
}

static float parameter_of(float h, float x) {
    float terms[PM_CHORD_TERMS];
    pm_chord_terms(h, terms);
    return pm_chord_parameter(terms, x);
}

/* Of unit vectors (1, 0) and (cos theta, sin theta), the point at r of the chord lies at h theta. */
TEST(the_point_of_the_chord_has_the_direction_of_a_slerp) {
    random_source source = random_salted(0xBA51);
    double largest = 0;
    for (int i = 0; i < DRAWS; i++) {
        const float h = draw_u(&source);
        const float x = 2 * draw_u(&source);
        const double theta = 2 * asin(sqrt((double)x) / 2);
        const double r = (double)parameter_of(h, x);
        const double angle = atan2(r * sin(theta), 1 - r + r * cos(theta));
        largest = fmax(largest, fabs(angle - (double)h * theta));
    }
    print_message("largest angle %.3g rad\n", largest);
    assert_true(largest < 1.1e-7);
}

TEST(the_point_of_the_chord_is_exact_at_both_ends_and_in_the_middle) {
    random_source source = random_salted(0xBA52);
    for (int i = 0; i < 1000; i++) {
        const float x = 2 * draw_u(&source), h = draw_u(&source);
        assert_true(parameter_of(0.0f, x) == 0.0f);
        assert_true(parameter_of(0.5f, x) == 0.5f);
        assert_true(parameter_of(1.0f, x) == 1.0f);
        assert_true(parameter_of(h, 0.0f) == h);
    }
}

TEST(sines_and_cosines_of_multiples_of_an_angle) {
    random_source source = random_salted(0xBA53);
    double sine = 0, cosine = 0;
    for (int i = 0; i < DRAWS; i++) {
        const float t = 2 * draw_u(&source) - 1, x2 = draw_angle2(&source);
        const double x = sqrt((double)x2), tx = (double)t * x;
        float terms[PM_SINE_TERMS];
        pm_sine_terms(t, terms);
        const double sinc = x > 0 ? sin(tx) / x : (double)t;
        sine = fmax(sine, fabs((double)pm_quartic_of(terms, x2, x2 * x2) - sinc));
        pm_cosine_terms(t, terms);
        cosine = fmax(cosine, fabs((double)pm_cosine_of(terms, x2, x2 * x2) - cos(tx)));
    }
    print_message("largest errors %.3g and %.3g\n", sine, cosine);
    assert_true(sine < 1.6e-7);
    assert_true(cosine < 2e-7);
}

/* Relative, because circles with little curvature multiply it by a large radius. With t = 2 u - 1,
 * cos(t x) - cos(x) is 2 sin(u x) sin((1 - u) x). */
TEST(differences_of_cosines_lose_no_digits) {
    random_source source = random_salted(0xBA54);
    double largest = 0;
    for (int i = 0; i < DRAWS; i++) {
        const float u = draw_u(&source), x2 = draw_angle2(&source);
        const double x = sqrt((double)x2);
        float terms[PM_COSINE_TERMS];
        pm_cosine_difference_terms(u, terms);
        const double expected = 2 * sin((double)u * x) * sin((1 - (double)u) * x);
        const double found = (double)x2 * (double)pm_quartic_of(terms, x2, x2 * x2);
        if (expected > 1e-30)
            largest = fmax(largest, fabs(found / expected - 1));
    }
    print_message("largest relative error %.3g\n", largest);
    assert_true(largest < 7e-7);
}
