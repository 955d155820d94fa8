/* SPDX-License-Identifier: MIT
 *
 * The float32 position in a segment is the one nearest the exact one, of random uniform samples on
 * random uniform keys: as the kernel computes it and as the host does in wider integers.
 */
#include "support/motion.h"

#include <math.h>
#include <string.h>

#include "rational.h"
#include "timeline.h"

enum { CASES = 200000, SEGMENTS = 1000 };

/* What is below 2^-32 is on the key, and a position before a key stays below 1. */
static float nearest(uint64_t rest, uint64_t scale) {
    const long double exact = (long double)rest / (long double)scale;
    const float u = (float)exact;
    return exact < 0x1p-32L ? 0.0f : u < 1.0f ? u : 0x1.fffffep-1f;
}

/* Positions are cut to 2^-32 of a segment: above 2^-7 two bits and more than float32 shows. */
static void expect_near(float u, float wanted, const char *what, uint64_t rest, uint64_t scale) {
    const double off = fabs((double)u - (double)wanted);
    if (wanted >= 0x1p-7f ? off != 0.0 : off > 0x1p-31)
        fail_msg("%s: %llu/%llu is at %.9g, not %.9g", what, (unsigned long long)rest,
                 (unsigned long long)scale, (double)u, (double)wanted);
}

static void positions_in_a_segment_are_the_nearest_float32(void **state) {
    (void)state;
    const pm_timeline uniform = {.key_count = SEGMENTS + 1, .rate = {1, 1}};
    pm_placed_timeline timeline;
    random_source source = random_salted(31);
    assert_int_equal(pm_timeline_build(&uniform, 0, &timeline, NULL), PM_OK);
    for (size_t n = 0; n < CASES; n++) {
        const uint64_t scale =
            1 + random_bits(&source) % ((UINT64_C(1) << (1 + random_bits(&source) % 32)) - 1);
        const uint64_t segment = random_bits(&source) % SEGMENTS;
        const uint64_t rest = random_bits(&source) % scale;
        const pm_cadence narrow = {
            .start = segment * scale + rest, .scale = scale, .segment_count = SEGMENTS};
        const pm_exact_cadence wide = {.start = (pm_i128)narrow.start, .scale = scale};
        const pm_place kernel = pm_place_uniform(narrow, 0);
        const pm_place host = pm_timeline_place_exact(&timeline, &wide, 0);
        assert_int_equal(kernel.segment, segment);
        expect_near(kernel.u, nearest(rest, scale), "kernel", rest, scale);
        assert_memory_equal(&kernel, &host, sizeof host);
    }
    pm_timeline_free(&timeline);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_in_a_segment_are_the_nearest_float32),
    };
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
