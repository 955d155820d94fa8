/* SPDX-License-Identifier: MIT
 *
 * Outputs between guards, to detect values that a job must write and does not, and writes outside.
 */
#include "outputs.h"

#include "motion.h"

#include <string.h>

static const size_t components[OUTPUTS_MAX] = {4, 3, 3, 3, 3};

outputs outputs_make(size_t rows, unsigned set) {
    outputs o = {.rows = rows};
    for (size_t i = 0; i < OUTPUTS_MAX; i++)
        o.values[i] = set >> i & 1U ? guarded_floats(rows * components[i]) : NULL;
    return o;
}

void outputs_free(outputs *o) {
    for (size_t i = 0; i < OUTPUTS_MAX; i++)
        guarded_free(o->values[i]);
    *o = (outputs){0};
}

outputs outputs_from(const outputs *all, size_t first, size_t rows) {
    outputs some = {.rows = rows};
    for (size_t i = 0; i < OUTPUTS_MAX; i++)
        some.values[i] = all->values[i] ? all->values[i] + first * components[i] : NULL;
    return some;
}

size_t outputs_rows(const pm_clip *clip, const pm_sample_job *job) {
    pm_clip_info info;
    pm_clip_get_info(clip, &info);
    const size_t tracks = job->subset ? job->subset_count : info.track_count;
    return job->sample_count * (job->tracks ? 1 : tracks);
}

pm_sample_job outputs_job(pm_sample_job job, const outputs *o) {
    job.rotations = o->rotations;
    job.positions = o->positions;
    job.scales = o->scales;
    job.velocities = o->velocities;
    job.accelerations = o->accelerations;
    return job;
}

outputs sampled_as(const pm_clip *clip, pm_sample_job job, unsigned set) {
    outputs o = outputs_make(outputs_rows(clip, &job), set);
    job = outputs_job(job, &o);
    sample_make(clip, &job);
    for (size_t i = 0; i < OUTPUTS_MAX; i++)
        for (size_t k = 0; o.values[i] && k < o.rows * components[i]; k++)
            assert_false(is_poison(o.values[i][k]));
    return o;
}

outputs sampled(const pm_clip *clip, pm_sample_job job) {
    return sampled_as(clip, job, OF_CHANNELS);
}

outputs sampled_on_reference(const pm_clip *clip, pm_sample_job job, unsigned set) {
    job.on_reference = true;
    return sampled_as(clip, job, set);
}

bool are_same_outputs(const outputs *a, const outputs *b) {
    bool same = a->rows == b->rows;
    for (size_t i = 0; same && i < OUTPUTS_MAX; i++)
        same = !a->values[i] ||
               memcmp(a->values[i], b->values[i], a->rows * components[i] * sizeof(float)) == 0;
    return same;
}

void expect_same_outputs(const outputs *a, const outputs *b) {
    assert_int_equal(a->rows, b->rows);
    for (size_t i = 0; i < OUTPUTS_MAX; i++)
        if (a->values[i])
            expect_same_bits(a->values[i], b->values[i], a->rows * components[i], components[i]);
}

void expect_reference_bits(const pm_clip *clip, pm_sample_job job, unsigned set) {
    SCOPED(outputs_free) outputs expected = sampled_on_reference(clip, job, set);
    SCOPED(outputs_free) outputs values = sampled_as(clip, job, set);
    expect_same_outputs(&values, &expected);
}
