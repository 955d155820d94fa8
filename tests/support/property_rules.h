/* SPDX-License-Identifier: MIT
 *
 * The curves for which each property holds, and the tolerance: for the oracle in double and for
 * implementations in float32. The measures are in properties.h.
 */
#ifndef POSEMILL_TESTS_PROPERTY_RULES_H
#define POSEMILL_TESTS_PROPERTY_RULES_H

#include "properties.h"
#include "test.h"

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

#endif
