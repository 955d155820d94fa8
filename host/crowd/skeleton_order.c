/* SPDX-License-Identifier: MIT
 *
 * The order in which joints are traversed, and the slots that hold the matrices of parents for
 * their children. In depth-first order, with the child that needs the most slots last, n joints
 * need at most log2(n) + 1 slots: a parent's slot is free once its last child has begun.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "skeleton.h"

/* The joints of the description, by their index there. */
typedef struct tree {
    size_t count;
    const int32_t *parents;
    uint32_t *first; /* the children of joint j are child[first[j]] up to child[first[j + 1]]; */
    uint32_t *child; /* those of joint `count` are the roots */
    uint32_t *order; /* parents first; also used as work space */
    uint32_t *need;  /* slots that a joint and its descendants need; also used for counts */
} tree;

static uint32_t parent_or_none(const tree *t, uint32_t joint) {
    int32_t parent = t->parents[joint];
    return parent < 0 ? (uint32_t)t->count : (uint32_t)parent;
}

static bool allocate(tree *t, const pm_host *host) {
    t->first = pm_allocate_zeroed(host, t->count + 2, sizeof *t->first);
    t->child = pm_allocate_zeroed(host, t->count, sizeof *t->child);
    t->need = pm_allocate_zeroed(host, t->count, sizeof *t->need);
    return t->first && t->child && t->need;
}

/* Children keep the description's order. */
static void find_children(tree *t) {
    for (uint32_t j = 0; j < t->count; j++)
        t->first[parent_or_none(t, j) + 1]++;
    for (size_t j = 0; j <= t->count; j++)
        t->first[j + 1] += t->first[j];
    uint32_t roots = 0;
    for (uint32_t j = 0; j < t->count; j++) {
        uint32_t parent = parent_or_none(t, j);
        uint32_t *placed = parent == t->count ? &roots : &t->need[parent];
        t->child[t->first[parent] + (*placed)++] = j;
    }
}

/* Orders joints level by level from the roots; returns the number of joints that a root reaches. */
static size_t order_by_depth(tree *t) {
    size_t count = 0, next = 0;
    uint32_t joint = (uint32_t)t->count;
    for (;;) {
        for (uint32_t i = t->first[joint]; i < t->first[joint + 1]; i++)
            t->order[count++] = t->child[i];
        if (next == count)
            return count;
        joint = t->order[next++];
    }
}

/* The ancestors of a joint that no root reaches end in a cycle: after t->count steps upwards the
 * joint is in it. */
static uint32_t find_cycle(tree *t, size_t reached) {
    uint32_t joint = 0;
    memset(t->need, 0, t->count * sizeof *t->need);
    for (size_t k = 0; k < reached; k++)
        t->need[t->order[k]] = 1;
    while (t->need[joint])
        joint++;
    for (size_t step = 0; step < t->count; step++)
        joint = (uint32_t)t->parents[joint];
    return joint;
}

/* Moves the child that needs the most slots to the end, where the parent's slot is free for it.
 * Returns the number of slots that the joint needs. */
static uint32_t put_largest_last(tree *t, uint32_t joint) {
    uint32_t *from = t->child + t->first[joint], *end = t->child + t->first[joint + 1];
    uint32_t *largest = from, need = 1;
    if (from == end)
        return 0;
    for (uint32_t *c = from; c < end; c++)
        if (t->need[*c] >= t->need[*largest])
            largest = c;
    uint32_t last = *largest;
    memmove(largest, largest + 1, (size_t)(end - largest - 1) * sizeof *largest);
    end[-1] = last;
    for (uint32_t *c = from; c < end - 1; c++)
        need = t->need[*c] + 1 > need ? t->need[*c] + 1 : need;
    return t->need[last] > need ? t->need[last] : need;
}

static void order_depth_first(tree *t) {
    uint32_t *stack = t->need; /* reused once all needs are known */
    size_t waiting = 0, count = 0;
    for (size_t i = t->count; i-- > 0;)
        t->need[t->order[i]] = put_largest_last(t, t->order[i]);
    for (uint32_t i = t->first[t->count + 1]; i-- > t->first[t->count];)
        stack[waiting++] = t->child[i];
    while (waiting) {
        uint32_t joint = stack[--waiting];
        t->order[count++] = joint;
        for (uint32_t i = t->first[joint + 1]; i-- > t->first[joint];)
            stack[waiting++] = t->child[i];
    }
}

/* The lowest free slot, or PM_SLOTS if none is free. */
static uint32_t free_slot(const uint32_t *taken) {
    uint32_t slot = 0;
    while (slot < PM_SLOTS && taken[slot])
        slot++;
    return slot;
}

/* Assigns slots to the joints in t->order; false if there are too few, or if a child precedes its
 * parent. t->need counts the children of a joint that are still to come. */
static bool assign_slots(const tree *t, pm_joint *joints, uint32_t *slot_of) {
    uint32_t taken[PM_SLOTS] = {0};
    for (size_t j = 0; j < t->count; j++) {
        t->need[j] = t->first[j + 1] - t->first[j];
        slot_of[j] = PM_NO_SLOT;
    }
    for (size_t k = 0; k < t->count; k++) {
        uint32_t joint = t->order[k], parent = parent_or_none(t, joint);
        joints[k].parent = joints[k].slot = PM_NO_SLOT;
        if (parent < t->count) {
            if (slot_of[parent] == PM_NO_SLOT)
                return false;
            joints[k].parent = slot_of[parent];
            taken[slot_of[parent]] = --t->need[parent] > 0;
        }
        if (t->need[joint] == 0)
            continue;
        uint32_t slot = free_slot(taken);
        if (slot == PM_SLOTS)
            return false;
        taken[slot] = 1;
        slot_of[joint] = joints[k].slot = slot;
    }
    return true;
}

static pm_status sort(tree *t, pm_joint *joints, uint32_t *slot_of, pm_error *error) {
    find_children(t);
    size_t reached = order_by_depth(t);
    if (reached < t->count)
        return pm_fail_joint(error, PM_ERROR_ARGUMENT, find_cycle(t, reached),
                             "parents: the joint is its own ancestor");
    for (uint32_t j = 0; j < t->count; j++)
        t->order[j] = j;
    if (assign_slots(t, joints, slot_of))
        return PM_OK;
    order_by_depth(t);
    order_depth_first(t);
    return assign_slots(t, joints, slot_of)
               ? PM_OK
               : pm_fail(error, PM_ERROR_SIZE, "the hierarchy needs more than %d slots", PM_SLOTS);
}

/* Sorts the joints, with their parents, by depth: neighbours in this order do not depend on one
 * another. t->order is the skeleton's order; t->need, t->child and t->first are reused. */
static void order_levels(const tree *t, pm_skeleton *skeleton) {
    uint32_t *index_of = t->need, *depth = t->child, *begin = t->first;
    for (uint32_t k = 0; k < t->count; k++)
        index_of[t->order[k]] = k;
    memset(begin, 0, (t->count + 2) * sizeof *begin);
    for (size_t k = 0; k < t->count; k++) {
        int32_t parent = t->parents[t->order[k]];
        depth[k] = parent < 0 ? 0 : depth[index_of[parent]] + 1;
        begin[depth[k] + 1]++;
    }
    for (size_t d = 0; d < t->count; d++)
        begin[d + 1] += begin[d];
    for (uint32_t k = 0; k < t->count; k++) {
        int32_t parent = t->parents[t->order[k]];
        skeleton->by_depth[begin[depth[k]]++] =
            (pm_joint_step){k, parent < 0 ? -1 : (int32_t)index_of[parent]};
    }
}

pm_status pm_skeleton_sort(pm_skeleton *skeleton, const int32_t *parents, pm_error *error) {
    tree t = {.count = skeleton->joint_count, .parents = parents, .order = skeleton->order};
    uint32_t *slot_of = pm_allocate_zeroed(skeleton->host, t.count, sizeof *slot_of);
    pm_status status = allocate(&t, skeleton->host) && slot_of
                           ? sort(&t, skeleton->joints, slot_of, error)
                           : pm_fail_memory(error);
    if (status == PM_OK)
        order_levels(&t, skeleton);
    pm_release(slot_of);
    pm_release(t.first);
    pm_release(t.child);
    pm_release(t.need);
    return status;
}
