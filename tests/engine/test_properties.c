/* SPDX-License-Identifier: MIT
 *
 * The properties of every method on the reference path and on every device, within the tolerance of
 * float32. The oracle's tests check the curves themselves for the same properties.
 */
#include "base/counts.h"
#include "support/property_rules.h"
#include "support/test.h"

#include <stdio.h>

/* Measures the property on every implementation and prints the largest violation. */
static void hold(property_rule rule) {
    const implementation *implementations = NULL;
    size_t count = 0;
    assert_true(implementation_list(&implementations, &count));
    for (size_t k = 0; k < count; k++)
        printf("# %s: worst %.2g\n", implementations[k].name,
               property_hold(rule, &implementations[k]));
}

TEST(every_method_but_bspline_passes_through_its_keys) {
    hold(RULE_KEYS);
}

TEST(every_method_keeps_unit_norm) {
    hold(RULE_NORM);
}

TEST(rotating_the_parent_rotates_the_curve) {
    hold(RULE_LEFT);
}

TEST(rotating_the_body_rotates_the_curve) {
    hold(RULE_RIGHT);
}

TEST(scaling_time_scales_the_curve) {
    hold(RULE_TIME);
}

TEST(signs_of_keys_do_not_matter_except_in_gltf) {
    hold(RULE_SIGNS);
}

TEST(reversed_keys_give_the_reversed_curve) {
    hold(RULE_REVERSAL);
}

TEST(keys_of_constant_velocity_give_constant_velocity) {
    hold(RULE_STEADY);
}

TEST(equal_keys_are_constant_in_methods_that_promise_it) {
    hold(RULE_STILL);
}

TEST(slerp_and_sterp_have_constant_speed_within_a_segment) {
    hold(RULE_EVEN_SPEED);
}

TEST(smooth_methods_have_continuous_velocity) {
    hold(RULE_VELOCITY);
}

TEST(loops_repeat_with_the_sign_of_their_wrap) {
    hold(RULE_PERIOD);
}

TEST(moving_a_key_changes_four_segments_at_most) {
    hold(RULE_LOCALITY);
}

/* Tests over variants would pass over a method without a row. */
TEST(every_method_has_a_variant_of_its_name) {
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++) {
        const variant *v = variant_named(pm_method_describe(m)->name);
        assert_true(v && v->method == m);
    }
}

TEST_GROUP(NULL, implementation_release)
