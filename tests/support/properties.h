/* SPDX-License-Identifier: MIT
 *
 * Properties that a curve has in any implementation, within a tolerance: for the oracle in double and for
 * implementations in float32. Nothing is compared with the oracle.
 */
#ifndef POSEMILL_TESTS_PROPERTIES_H
#define POSEMILL_TESTS_PROPERTIES_H

#include "implementation.h"
#include "test.h"
#include "variants.h"

typedef enum property_rule {
    RULE_KEYS,
    RULE_NORM,
    RULE_LEFT,
    RULE_RIGHT,
    RULE_TIME,
    RULE_SIGNS,
    RULE_REVERSAL,
    RULE_STEADY,
    RULE_STILL,
    RULE_EVEN_SPEED,
    RULE_VELOCITY,
    RULE_PERIOD,
    RULE_LOCALITY,
    RULE_COUNT
} property_rule;

/* Measures a property for every variant. Fails the test where the property should hold and does not
 * and, for an exact implementation, where it should visibly not hold and does. Returns the largest
 * error where it holds. */
double property_hold(property_rule rule, const implementation *s);

/* Adds a test for each rule, whose state is the property_rule. */
void property_add_tests(CMUnitTestFunction hold);

/* The jump of the velocity at keys in rad/s. */
double property_velocity(const implementation *s, const variant *v);

/* The error of r(q) p = r(q p) where the axis of sterp turns and should not, or should and does not. */
double property_wrong_axis(const implementation *s, const variant *v);

#endif
