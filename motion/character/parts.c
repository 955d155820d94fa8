/* SPDX-License-Identifier: MIT
 *
 * Finds limbs by pairs of left and right whose names are those of hands or feet. Handles of rigs that hang on a
 * joint of their own have no two joints above them, and are no limbs.
 */
#include "motion/character/parts.h"

#include <string.h>

#include "motion/model/sides.h"

#define NONE PM_NO_INDEX32

motion_named *character_sort_names(const pm_motion_content *content, const uint32_t *nodes,
                                   size_t joint_count, motion_arena *arena) {
    motion_named *names = motion_allocate(arena, joint_count, sizeof *names);
    for (size_t j = 0; names && j < joint_count; j++)
        names[j] = (motion_named){content->nodes[nodes[j]].name, nodes[j]};
    if (names)
        motion_sort_named(names, joint_count);
    return names;
}

/* ---- limbs --------------------------------------------------------------------------------- */

typedef struct finder {
    character *c;
    uint32_t *partners;
    uint8_t *above; /* scratch: nodes above one of a pair */
    character_limb *limbs;
    size_t count;
} finder;

static int32_t parent_of(const character *c, uint32_t node) {
    return c->content->nodes[node].parent;
}

static bool is_joint(const character *c, uint32_t node) {
    return c->joint_of[node] != UINT32_MAX;
}

static bool is_part_of(const character *c, uint32_t node, sides_role role) {
    return sides_has_role(c->content->nodes[node].name, role);
}

/* The nearest joint that both hang on; below 0: none. */
static int32_t find_trunk(const finder *f, uint32_t node, uint32_t partner) {
    int32_t found = parent_of(f->c, partner);
    for (int32_t n = (int32_t)node; n >= 0; n = parent_of(f->c, (uint32_t)n))
        f->above[n] = 1;
    while (found >= 0 && !f->above[found])
        found = parent_of(f->c, (uint32_t)found);
    for (int32_t n = (int32_t)node; n >= 0; n = parent_of(f->c, (uint32_t)n))
        f->above[n] = 0;
    return found == (int32_t)node ? -1 : found;
}

static void add_limb(finder *f, uint32_t node, sides_role role) {
    const character *c = f->c;
    const uint32_t partner = f->partners[node];
    const int32_t trunk = find_trunk(f, node, partner);
    character_limb limb = {.trunk = (uint32_t)trunk, .end = NONE, .is_leg = role == SIDES_FOOT};
    size_t depth = 0;
    if (trunk < 0)
        return;
    for (uint32_t n = node; n != limb.trunk; n = (uint32_t)parent_of(c, n), depth++) {
        limb.branch = n;
        if (is_part_of(c, n, role)) {
            limb.end = n;
            depth = 0;
        }
    }
    for (size_t i = 0; i < f->count; i++)
        if (f->limbs[i].end == limb.end)
            return;
    if (depth < 3)
        return;
    limb.other = f->partners[limb.end];
    limb.is_right = limb.other == limb.end || !sides_is_left(c->content->nodes[limb.end].name,
                                                             c->content->nodes[limb.other].name);
    if (limb.other != limb.end)
        f->limbs[f->count++] = limb;
}

static void find_limbs(finder *f) {
    for (uint32_t n = 0; n < f->c->content->node_count; n++)
        if (f->partners[n] != n && is_joint(f->c, n) && is_joint(f->c, f->partners[n]))
            for (int role = SIDES_FOOT; role <= SIDES_HAND; role++)
                if (is_part_of(f->c, n, (sides_role)role))
                    add_limb(f, n, (sides_role)role);
}

/* ---- head and trunk ------------------------------------------------------------------------ */

static uint32_t find_head(const character *c, const uint32_t *partners) {
    uint32_t head = NONE;
    for (size_t k = 0; k < c->joint_count; k++) {
        const uint32_t n = c->made.slot_nodes[k]; /* parents first */
        bool is_below = false;
        if (partners[n] != n || !is_part_of(c, n, SIDES_HEAD))
            continue;
        for (int32_t at = parent_of(c, n); head != NONE && at >= 0; at = parent_of(c, (uint32_t)at))
            is_below |= at == (int32_t)head;
        if (head != NONE && !is_below)
            return NONE;
        head = is_below ? head : n;
    }
    return head;
}

/* The joint on which all limbs of a kind hang. */
static uint32_t trunk_of(const finder *f, bool is_leg) {
    uint32_t trunk = NONE;
    for (size_t i = 0; i < f->count; i++) {
        if (f->limbs[i].is_leg != is_leg)
            continue;
        if (trunk != NONE && trunk != f->limbs[i].trunk)
            return NONE;
        trunk = f->limbs[i].trunk;
    }
    return trunk;
}

static uint32_t find_upper(const character *c, uint32_t arms, uint32_t legs) {
    uint32_t below = NONE;
    if (arms == NONE || legs == NONE)
        return NONE;
    for (int32_t n = (int32_t)arms; n >= 0; n = parent_of(c, (uint32_t)n)) {
        if (n == (int32_t)legs)
            return below;
        below = (uint32_t)n;
    }
    return NONE;
}

pm_status character_find_parts(character *c, character_parts *parts, pm_error *error) {
    const size_t nodes = c->content->node_count;
    finder f = {.c = c,
                .partners = motion_allocate(&c->arena, nodes, sizeof *f.partners),
                .above = motion_allocate(&c->arena, nodes, 1),
                .limbs = motion_allocate(&c->arena, nodes, sizeof *f.limbs)};
    bool *alone = motion_allocate(&c->arena, nodes, sizeof *alone);
    bool *below = motion_allocate(&c->arena, nodes, sizeof *below);
    bool *marked = motion_allocate(&c->arena, nodes, sizeof *marked);
    MOTION_TRY_MEMORY(f.partners && f.above && f.limbs && alone && below && marked, error);
    MOTION_TRY_MEMORY(sides_pair(c->content, f.partners, alone), error);
    find_limbs(&f);
    *parts = (character_parts){.limbs = f.limbs,
                               .limb_count = f.count,
                               .head = find_head(c, f.partners),
                               .trunk = trunk_of(&f, false),
                               .below = below,
                               .marked = marked};
    parts->upper = find_upper(c, parts->trunk, trunk_of(&f, true));
    return PM_OK;
}

/* ---- words --------------------------------------------------------------------------------- */

enum { LEFT = 1, RIGHT = 2, WHOLE = 4, ENDS = 8, LEGS = 16 };

/* What a word of limbs means: sides, and whole limbs or what begins with their ends. */
static const struct {
    const char *word;
    unsigned limbs; /* 0: none, but one of those by name */
} words[] = {{"all", 0},
             {"upper body", 0},
             {"lower body", 0},
             {"head", 0},
             {"arms", LEFT | RIGHT | WHOLE},
             {"left arm", LEFT | WHOLE},
             {"right arm", RIGHT | WHOLE},
             {"hands", LEFT | RIGHT | ENDS},
             {"left hand", LEFT | ENDS},
             {"right hand", RIGHT | ENDS},
             {"legs", LEGS | LEFT | RIGHT | WHOLE},
             {"left leg", LEGS | LEFT | WHOLE},
             {"right leg", LEGS | RIGHT | WHOLE},
             {"feet", LEGS | LEFT | RIGHT | ENDS},
             {"left foot", LEGS | LEFT | ENDS},
             {"right foot", LEGS | RIGHT | ENDS}};
enum { WORDS = sizeof words / sizeof *words };

const char *character_part_word(size_t index) {
    return index < WORDS ? words[index].word : NULL;
}

/* Marks the joints that are at or below a node, or those that are not. */
static void mark(const character *c, const character_parts *parts, uint32_t node, bool is_below,
                 bool *joints) {
    for (size_t k = 0; k < c->joint_count; k++) {
        const uint32_t n = c->made.slot_nodes[k]; /* parents first */
        const int32_t parent = parent_of(c, n);
        parts->below[n] = n == node || (parent >= 0 && parts->below[parent]);
        joints[c->joint_of[n]] |= parts->below[n] == is_below;
    }
}

void character_mark_below(const character *c, const character_parts *parts, uint32_t node,
                          bool *joints) {
    mark(c, parts, node, true, joints);
}

static bool mark_limbs(const character *c, const character_parts *parts, unsigned which,
                       bool *joints) {
    bool found = false;
    for (size_t i = 0; i < parts->limb_count; i++) {
        const character_limb *limb = &parts->limbs[i];
        if (limb->is_leg != ((which & LEGS) != 0) || !(which & (limb->is_right ? RIGHT : LEFT)))
            continue;
        character_mark_below(c, parts, which & WHOLE ? limb->branch : limb->end, joints);
        found = true;
    }
    return found;
}

bool character_mark_part(const character *c, const character_parts *parts, const char *word,
                         bool *joints) {
    size_t i = 0;
    while (i < WORDS && strcmp(words[i].word, word) != 0)
        i++;
    if (i == WORDS)
        return false;
    if (words[i].limbs != 0)
        return mark_limbs(c, parts, words[i].limbs, joints);
    const bool is_all = strcmp(word, "all") == 0, is_lower = strcmp(word, "lower body") == 0;
    const uint32_t node = strcmp(word, "head") == 0 ? parts->head : parts->upper;
    if (!is_all && node == NONE)
        return false;
    mark(c, parts, is_all ? NONE : node, !is_all && !is_lower, joints);
    return true;
}
