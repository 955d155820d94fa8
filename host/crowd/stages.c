/* SPDX-License-Identifier: MIT
 *
 * Builds stages by depth: a joint's parent belongs to the stage before. The transforms of even
 * and of odd depths have slots of their own, so that a stage overwrites only those of its
 * grandparents.
 */
#include "stages.h"

#include "base/base.h"

/* Joints per stage. Larger levels are split, which keeps task numbers within the range of
 * pm_crowd_stage.reciprocal for every number of instances per group. */
enum { MAX_STAGE_JOINTS = 1024 };

/* Work space: for each joint its depth, the number of its children, and its slot. */
typedef struct joint_state {
    uint32_t depth, children, slot, record;
} joint_state;

static void count_children(const pm_joint_set *s, joint_state *state) {
    for (size_t i = 0; i < s->count; i++) {
        const pm_joint_step *step = &s->by_depth[i];
        state[s->joints[i].joint].record = s->joints[i].record;
        if (step->parent < 0)
            continue;
        state[step->joint].depth = state[step->parent].depth + 1;
        state[step->parent].children++;
    }
}

/* Numbers the joints with children, depth by depth; returns the number of slots. */
static size_t assign_slots(const pm_joint_set *s, joint_state *state) {
    size_t used[2] = {0, 0}, next = 0;
    for (size_t i = 0; i < s->count; i++) {
        joint_state *joint = &state[s->by_depth[i].joint];
        if (i > 0 && joint->depth != state[s->by_depth[i - 1].joint].depth)
            next = 0;
        if (joint->children == 0)
            continue;
        joint->slot = (uint32_t)next++;
        if (used[joint->depth % 2] < next)
            used[joint->depth % 2] = next;
    }
    for (size_t i = 0; i < s->count; i++) {
        joint_state *joint = &state[s->by_depth[i].joint];
        joint->slot += joint->depth % 2 ? (uint32_t)used[0] : 0;
    }
    return used[0] + used[1] ? used[0] + used[1] : 1;
}

/* Appends a joint to the last stage, or to a new one. */
static void append(pm_stages *stages, size_t index, pm_stage_joint joint, bool begins_stage) {
    if (begins_stage || stages->stages[stages->stage_count - 1].count == MAX_STAGE_JOINTS)
        stages->stages[stages->stage_count++] = (pm_crowd_stage){.first = (pm_u32)index};
    stages->stages[stages->stage_count - 1].count++;
    stages->joints[index] = joint;
}

static void add_by_depth(const pm_joint_set *s, const joint_state *state, pm_stages *stages) {
    for (size_t i = 0; i < s->count; i++) {
        const pm_joint_step *step = &s->by_depth[i];
        const joint_state *own = &state[step->joint];
        const pm_stage_joint joint = {.joint = step->joint,
                                      .parent =
                                          step->parent < 0 ? PM_NO_SLOT : state[step->parent].slot,
                                      .slot = own->children ? own->slot : PM_NO_SLOT,
                                      .record = own->record};
        append(stages, i, joint, i == 0 || own->depth != state[s->by_depth[i - 1].joint].depth);
    }
}

static void add_one_by_one(const pm_skeleton *skeleton, const pm_joint_set *s, pm_stages *stages) {
    for (size_t k = 0; k < s->count; k++) {
        const pm_joint *joint = &skeleton->joints[s->joints[k].joint];
        const pm_stage_joint added = {s->joints[k].joint, joint->parent, joint->slot,
                                      s->joints[k].record};
        append(stages, k, added, true);
    }
    stages->slots = PM_SLOTS;
}

pm_status pm_stages_build(const pm_host *host, const pm_skeleton *skeleton, size_t set,
                          size_t max_slots, pm_stages *stages, pm_error *error) {
    const pm_joint_set *s = &skeleton->sets[set];
    joint_state *state = pm_allocate_zeroed(host, skeleton->joint_count, sizeof *state);
    *stages = (pm_stages){
        .stages = pm_allocate_zeroed(host, s->count, sizeof *stages->stages),
        .joints = pm_allocate_zeroed(host, s->count, sizeof *stages->joints),
    };
    if (!state || !stages->stages || !stages->joints) {
        pm_release(state);
        return pm_fail_memory(error);
    }
    count_children(s, state);
    stages->slots = assign_slots(s, state);
    if (stages->slots <= max_slots)
        add_by_depth(s, state, stages);
    else
        add_one_by_one(skeleton, s, stages);
    for (size_t n = 0; n < stages->stage_count; n++)
        stages->stages[n].reciprocal = UINT32_MAX / stages->stages[n].count;
    pm_release(state);
    return PM_OK;
}

void pm_stages_free(pm_stages *stages) {
    pm_release(stages->stages);
    pm_release(stages->joints);
    *stages = (pm_stages){0};
}
