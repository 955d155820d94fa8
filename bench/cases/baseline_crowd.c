/* SPDX-License-Identifier: MIT
 *
 * What the baseline of crowds prepares before it is timed: joints and keys in skeleton order, signs
 * of keys, inverse bind matrices, and slots of matrices. The timed loops are in baseline_walk.c.
 */
#include "baseline.h"
#include "loops.h"

#include <stdlib.h>
#include <string.h>

/* Groups of instances that a thread takes at once. */
enum { RANGE = 4 };

struct baseline_crowd {
    parallel_pool *pool;
    baseline_walk *walk;
    size_t groups;
    baseline_joint *joints;
    baseline_clip *clips;
    size_t clip_count;
    baseline_scene scene;
};

/* ---- joints -------------------------------------------------------------------- */

/* The position in skeleton order of each joint of the description, and of the last child. */
typedef struct places {
    size_t *place;
    size_t *last_child; /* by place; its own place: no child */
} places;

static size_t parent_of(const crowd_setup *setup, const places *at, size_t joint) {
    return at->place[setup->parents[joint]];
}

static void find_places(const crowd_setup *setup, const uint32_t *order, places *at) {
    for (size_t k = 0; k < setup->joints; k++) {
        at->place[order[k]] = k;
        at->last_child[k] = k;
    }
    for (size_t k = 0; k < setup->joints; k++)
        if (setup->parents[order[k]] >= 0)
            at->last_child[parent_of(setup, at, order[k])] = k;
}

/* The rest pose has no rotations, so its inverse is a translation. The loops multiply by the whole
 * matrix, as for a mesh that was bound in another pose. */
static void make_bind(const float *before, baseline_joint *joint) {
    for (size_t c = 0; c < 3; c++) {
        joint->bind[5 * c] = 1.0f;
        joint->bind[4 * c + 3] = (before ? before[4 * c + 3] : 0.0f) - joint->position[c];
    }
}

/* The least free slot, or BASELINE_SLOTS. */
static int32_t take_slot(bool used[BASELINE_SLOTS]) {
    int32_t slot = 0;
    while (slot < BASELINE_SLOTS && used[slot])
        slot++;
    if (slot < BASELINE_SLOTS)
        used[slot] = true;
    return slot;
}

/* False if there are too few slots. */
static bool make_joints(const crowd_setup *setup, const uint32_t *order, const places *at,
                        baseline_joint *joints) {
    bool used[BASELINE_SLOTS] = {false};
    for (size_t k = 0; k < setup->joints; k++) {
        baseline_joint *joint = &joints[k];
        const bool is_root = setup->parents[order[k]] < 0;
        const size_t parent = is_root ? 0 : parent_of(setup, at, order[k]);
        memcpy(joint->position, setup->positions + 3 * (size_t)order[k], sizeof joint->position);
        make_bind(is_root ? NULL : joints[parent].bind, joint);
        joint->parent = is_root ? BASELINE_NO_SLOT : joints[parent].slot;
        if (!is_root && at->last_child[parent] == k)
            used[joint->parent] = false;
        joint->slot = at->last_child[k] > k ? take_slot(used) : BASELINE_NO_SLOT;
        if (joint->slot == BASELINE_SLOTS)
            return false;
    }
    return true;
}

static bool prepare_joints(const crowd_setup *setup, baseline_joint *joints) {
    const uint32_t *order = pm_skeleton_order(setup->skeleton);
    places at = {malloc(setup->joints * sizeof(size_t)), malloc(setup->joints * sizeof(size_t))};
    bool complete = at.place != NULL && at.last_child != NULL;
    if (complete) {
        find_places(setup, order, &at);
        complete = make_joints(setup, order, &at, joints);
    }
    free(at.place);
    free(at.last_child);
    return complete;
}

/* ---- clips --------------------------------------------------------------------- */

/* The key with the sign nearer to the one before. */
static void copy_signed(const float *q, const float *before, float *to) {
    const bool turn =
        before != NULL &&
        q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3] < 0.0f;
    for (int c = 0; c < 4; c++)
        to[c] = turn ? -q[c] : q[c];
}

static bool prepare_clip(const crowd_setup *setup, const crowd_clip *from, baseline_clip *to) {
    const uint32_t *order = pm_skeleton_order(setup->skeleton);
    const size_t row = 4 * setup->joints;
    to->segments = from->key_count - 1;
    to->rate = from->rate;
    /* cannot overflow: the keys are in memory */
    to->keys = baseline_memory(from->key_count * row * sizeof(float));
    for (size_t i = 0; i < from->key_count && to->keys; i++) {
        for (size_t k = 0; k < setup->joints; k++) {
            float *key = to->keys + i * row + 4 * k;
            copy_signed(from->keys + i * row + 4 * (size_t)order[k], i > 0 ? key - row : NULL, key);
        }
    }
    return to->keys != NULL;
}

/* ---- all of it ----------------------------------------------------------------- */

static bool prepare(baseline_crowd *crowd, const crowd_setup *setup) {
    crowd->joints = calloc(setup->joints, sizeof *crowd->joints);
    crowd->clips = calloc(setup->clip_count, sizeof *crowd->clips);
    crowd->clip_count = crowd->clips ? setup->clip_count : 0;
    /* cannot overflow: the device has an output of as many */
    float *out = baseline_memory(setup->agents * setup->joints * setup->record_bytes);
    crowd->scene = (baseline_scene){crowd->joints,    setup->joints, crowd->clips,
                                    setup->instances, setup->agents, out};
    bool complete = crowd->joints != NULL && crowd->clips != NULL && out != NULL;
    for (size_t i = 0; i < setup->clip_count && complete; i++)
        complete = prepare_clip(setup, &setup->clips[i], &crowd->clips[i]);
    return complete && prepare_joints(setup, crowd->joints);
}

baseline_crowd *baseline_crowd_create(parallel_pool *pool, const crowd_scene *scene,
                                      const crowd_setup *setup) {
    const baseline_walks *walks = loops_of_processor().crowds;
    baseline_crowd *crowd = calloc(1, sizeof *crowd);
    if (!crowd)
        return NULL;
    crowd->pool = pool;
    crowd->groups = (setup->agents + walks->lanes - 1) / walks->lanes;
    crowd->walk = scene->output == PM_CROWD_MODEL   ? walks->model
                  : scene->blend == BLEND_CROSSFADE ? walks->crossfade
                                                    : walks->palette;
    if (!prepare(crowd, setup))
        baseline_crowd_destroy(&crowd);
    return crowd;
}

void baseline_crowd_destroy(baseline_crowd **crowd) {
    baseline_crowd *gone = *crowd;
    if (!gone)
        return;
    for (size_t i = 0; i < gone->clip_count; i++)
        free(gone->clips[i].keys);
    free(gone->clips);
    free(gone->joints);
    free(gone->scene.out);
    free(gone);
    *crowd = NULL;
}

double baseline_crowd_run(const baseline_crowd *crowd) {
    return parallel_run(crowd->pool, crowd->walk, &crowd->scene, crowd->groups, RANGE);
}

float *baseline_crowd_records(const baseline_crowd *crowd) {
    return crowd->scene.out;
}
