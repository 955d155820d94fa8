/* SPDX-License-Identifier: MIT
 *
 * For which curves each property must be true, and how nearly: of the oracle in double, and of
 * whatever computes in float32. The measures themselves are properties.h's.
 */
#ifndef POSEMILL_TESTS_PROPERTY_RULES_H
#define POSEMILL_TESTS_PROPERTY_RULES_H

#include "properties.h"

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
    RULE_LOCALITY
} property_rule;

/* Measures a property on every variant: fails the test where it should hold and does not, and,
 * of an exact subject, where it should visibly not hold and does. The worst where it holds. */
double property_hold(property_rule rule, const subject *s);

#endif
