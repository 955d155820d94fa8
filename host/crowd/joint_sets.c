/* SPDX-License-Identifier: MIT
 *
 * The sets of joints that targets pose: all joints, and each subset with its ancestors.
 */
#include "skeleton.h"

#include "base/base.h"

static pm_status refuse(size_t subset, const char *what, pm_error *error) {
    return pm_fail(error, PM_ERROR_ARGUMENT, "subsets[%zu]: %s", subset, what);
}

/* Notes the record of each joint of a subset, by the joint's number in skeleton order. */
static pm_status note_records(const pm_skeleton *s, const pm_subset *subset, size_t index,
                              uint32_t *records, pm_error *error) {
    if (!subset->joints || subset->joint_count == 0)
        return refuse(index, "no joints", error);
    for (size_t r = 0; r < subset->joint_count; r++) {
        if (subset->joints[r] >= s->joint_count)
            return pm_fail_joint(error, PM_ERROR_ARGUMENT, subset->joints[r],
                                 "subsets[%zu]: there is no such joint", index);
        uint32_t *record = &records[s->slots[subset->joints[r]]];
        if (*record != PM_NO_RECORD)
            return pm_fail_joint(error, PM_ERROR_ARGUMENT, subset->joints[r],
                                 "subsets[%zu]: the joint is listed twice", index);
        *record = (uint32_t)r;
    }
    return PM_OK;
}

/* Fills a set with the joints that have records, and their ancestors. */
static pm_status fill_set(const pm_skeleton *s, const uint32_t *records, pm_joint_set *set,
                          pm_error *error) {
    const size_t n = s->joint_count;
    pm_u8 *needed = pm_allocate_zeroed(s->host, n, 1);
    set->joints = pm_allocate_zeroed(s->host, n, sizeof *set->joints);
    set->by_depth = pm_allocate_zeroed(s->host, n, sizeof *set->by_depth);
    if (!needed || !set->joints || !set->by_depth) {
        pm_release(needed);
        return pm_fail_memory(error);
    }
    for (size_t i = n; i-- > 0;) { /* children before their parents */
        const pm_joint_step step = s->by_depth[i];
        needed[step.joint] |= records[step.joint] != PM_NO_RECORD;
        if (needed[step.joint] && step.parent >= 0)
            needed[step.parent] = 1;
    }
    size_t depths = 0;
    for (size_t i = 0; i < n; i++)
        if (needed[s->by_depth[i].joint])
            set->by_depth[depths++] = s->by_depth[i];
    for (size_t k = 0; k < n; k++) {
        if (needed[k])
            set->joints[set->count++] = (pm_posed_joint){(uint32_t)k, records[k]};
        set->record_count += records[k] != PM_NO_RECORD;
    }
    pm_release(needed);
    return PM_OK;
}

static pm_status build_set(const pm_skeleton *s, const pm_skeleton_desc *desc, size_t index,
                           uint32_t *records, pm_error *error) {
    for (size_t k = 0; k < s->joint_count; k++)
        records[k] = index == 0 ? (uint32_t)k : PM_NO_RECORD;
    const pm_status status =
        index == 0 ? PM_OK : note_records(s, &desc->subsets[index - 1], index - 1, records, error);
    return status == PM_OK ? fill_set(s, records, &s->sets[index], error) : status;
}

pm_status pm_joint_sets_build(pm_skeleton *s, const pm_skeleton_desc *desc, pm_error *error) {
    uint32_t *records = pm_allocate_zeroed(s->host, s->joint_count, sizeof *records);
    s->sets = pm_allocate_zeroed(s->host, desc->subset_count + 1, sizeof *s->sets);
    s->set_count = s->sets ? desc->subset_count + 1 : 0;
    pm_status status = records && s->sets ? PM_OK : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < s->set_count; i++)
        status = build_set(s, desc, i, records, error);
    pm_release(records);
    return status;
}

void pm_joint_sets_free(pm_skeleton *s) {
    for (size_t i = 0; i < s->set_count; i++) {
        pm_release(s->sets[i].joints);
        pm_release(s->sets[i].by_depth);
    }
    pm_release(s->sets);
    s->sets = NULL;
    s->set_count = 0;
}
