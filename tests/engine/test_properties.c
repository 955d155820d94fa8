/* SPDX-License-Identifier: MIT
 *
 * The properties of every method on the reference path and on every device, within the tolerance of
 * float32. The oracle's tests check the curves themselves for the same properties.
 */
#include "base/counts.h"
#include "support/property_rules.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
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

static void every_method_but_bspline_passes_through_its_keys(void **state) {
    (void)state;
    hold(RULE_KEYS);
}

static void every_method_keeps_unit_norm(void **state) {
    (void)state;
    hold(RULE_NORM);
}

static void rotating_the_parent_rotates_the_curve(void **state) {
    (void)state;
    hold(RULE_LEFT);
}

static void rotating_the_body_rotates_the_curve(void **state) {
    (void)state;
    hold(RULE_RIGHT);
}

static void scaling_time_scales_the_curve(void **state) {
    (void)state;
    hold(RULE_TIME);
}

static void signs_of_keys_do_not_matter_except_in_gltf(void **state) {
    (void)state;
    hold(RULE_SIGNS);
}

static void reversed_keys_give_the_reversed_curve(void **state) {
    (void)state;
    hold(RULE_REVERSAL);
}

static void keys_of_constant_velocity_give_constant_velocity(void **state) {
    (void)state;
    hold(RULE_STEADY);
}

static void equal_keys_are_constant_in_methods_that_promise_it(void **state) {
    (void)state;
    hold(RULE_STILL);
}

static void slerp_and_sterp_have_constant_speed_within_a_segment(void **state) {
    (void)state;
    hold(RULE_EVEN_SPEED);
}

static void smooth_methods_have_continuous_velocity(void **state) {
    (void)state;
    hold(RULE_VELOCITY);
}

static void loops_repeat_with_the_sign_of_their_wrap(void **state) {
    (void)state;
    hold(RULE_PERIOD);
}

static void moving_a_key_changes_four_segments_at_most(void **state) {
    (void)state;
    hold(RULE_LOCALITY);
}

/* Tests over variants would pass over a method without a row. */
static void every_method_has_a_variant_of_its_name(void **state) {
    (void)state;
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++) {
        const variant *v = variant_named(pm_method_describe(m)->name);
        assert_true(v && v->method == m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_has_a_variant_of_its_name),
        cmocka_unit_test(every_method_but_bspline_passes_through_its_keys),
        cmocka_unit_test(every_method_keeps_unit_norm),
        cmocka_unit_test(rotating_the_parent_rotates_the_curve),
        cmocka_unit_test(rotating_the_body_rotates_the_curve),
        cmocka_unit_test(scaling_time_scales_the_curve),
        cmocka_unit_test(signs_of_keys_do_not_matter_except_in_gltf),
        cmocka_unit_test(reversed_keys_give_the_reversed_curve),
        cmocka_unit_test(keys_of_constant_velocity_give_constant_velocity),
        cmocka_unit_test(equal_keys_are_constant_in_methods_that_promise_it),
        cmocka_unit_test(slerp_and_sterp_have_constant_speed_within_a_segment),
        cmocka_unit_test(smooth_methods_have_continuous_velocity),
        cmocka_unit_test(loops_repeat_with_the_sign_of_their_wrap),
        cmocka_unit_test(moving_a_key_changes_four_segments_at_most),
    };
    const int failed = cmocka_run_group_tests_name("properties", tests, NULL, NULL);
    implementation_release();
    return failed;
}
