/* SPDX-License-Identifier: MIT
 *
 * The number of uniform samples from the first key to the last.
 */
#pragma once

#include <posemill/posemill.h>

/* For key_count keys at key_rate: floor((key_count - 1) rate / key_rate) + 1, in integers. False if
 * the result does not fit in 63 bits. Rates must be above 0. */
bool eval_count_uniform(uint64_t key_count, pm_rational key_rate, pm_rational rate,
                        uint64_t *count);

/* For listed keys that span `seconds`: one more than the largest k with k / rate <= seconds, both
 * as doubles, so that a last key written as 0.3 matches the third sample at 10 Hz. False if the
 * result does not fit in 53 bits or seconds is not finite. */
bool eval_count_listed(double seconds, pm_rational rate, uint64_t *count);
