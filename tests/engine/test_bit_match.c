/* SPDX-License-Identifier: MIT
 *
 * The self-check on each device. It builds every program, which takes minutes where compilers are slow.
 */
#include <posemill/posemill.h>

#include "support/check.h"
#include "support/engines.h"

TEST_ON_BOTH(the_self_check_finds_the_bits_of_the_reference) {
    pm_bit_match identity = PM_BIT_MATCH_UNKNOWN;
    expect_success(pm_engine_self_check(engine_for(state), &identity, new_error()));
    assert_int_equal(identity, PM_BIT_MATCH_EXACT);
}

TEST_GROUP(NULL, engines_close)
