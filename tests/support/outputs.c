/* SPDX-License-Identifier: MIT
 *
 * Outputs between guards, to detect values that a job must write and does not, and writes outside.
 */
#include "outputs.h"

#include "motion.h"

outputs outputs_make(size_t rows) {
    return (outputs){rows, guarded_floats(rows * 4), guarded_floats(rows * 3),
                     guarded_floats(rows * 3)};
}

void outputs_free(outputs *o) {
    guarded_free(o->rotations);
    guarded_free(o->positions);
    guarded_free(o->scales);
    *o = (outputs){0};
}

outputs sampled(const pm_clip *clip, pm_sample_job job, size_t rows) {
    outputs o = outputs_make(rows);
    job.rotations = o.rotations;
    job.positions = o.positions;
    job.scales = o.scales;
    sample_make(clip, &job);
    for (size_t i = 0; i < rows * 4; i++)
        assert_false(is_poison(o.rotations[i]));
    for (size_t i = 0; i < rows * 3; i++)
        assert_false(is_poison(o.positions[i]) || is_poison(o.scales[i]));
    return o;
}

void expect_same_outputs(const outputs *a, const outputs *b) {
    assert_int_equal(a->rows, b->rows);
    expect_same_bits(a->rotations, b->rotations, a->rows * 4, 4);
    expect_same_bits(a->positions, b->positions, a->rows * 3, 3);
    expect_same_bits(a->scales, b->scales, a->rows * 3, 3);
}
