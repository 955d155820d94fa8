/* SPDX-License-Identifier: MIT
 *
 * Writes files of characters: one that the names of joints and the poses of a motion propose, and what a file that
 * was read says, with its parts as joints.
 */
#include "motion/character/character_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/composed.h"
#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "motion/character/parts.h"
#include "motion/model/names.h"
#include "motion/model/pose.h"
#include "motion/model/sides.h"
#include "motion/text/text.h"

#define NONE PM_NO_INDEX32

const char *const character_kind_names[] = {"two_bones", "aim", "pin", NULL};

/* ---- JSON ---------------------------------------------------------------------------------- */

typedef struct writer {
    const pm_motion_content *content;
    const uint32_t *nodes; /* of joints */
    motion_named *names;   /* of joints, sorted */
    size_t joint_count;
    const pm_motion_character *made;
    const character_parts *parts; /* of a proposal, as the following */
    const character *c;
    const pm_chain *chains;
    const char *const *chain_names;
    size_t chain_count;
} writer;

static bool is_text(pm_motion_name name) {
    size_t at = 0;
    while (at < name.size) {
        const size_t length = utf8_length(name.text + at, name.size - at);
        if (length == 0 || utf8_is_control(name.text + at, length))
            return false;
        at += length;
    }
    return name.size > 0;
}

/* Whether a name stands for one joint, and for no part. */
static bool is_clear(const writer *w, pm_motion_name name) {
    const size_t at = motion_find_place(w->names, w->joint_count, name);
    const char *word = NULL;
    if (!is_text(name) ||
        (at + 1 < w->joint_count && motion_compare_names(w->names[at + 1].name, name) == 0))
        return false;
    for (size_t i = 0; (word = character_part_word(i)) != NULL; i++)
        if (strcmp(word, name.text) == 0)
            return false;
    return true;
}

static void write_joint(const writer *w, json_writer *json, const char *key, uint32_t joint) {
    const uint32_t node = w->nodes[joint];
    const pm_motion_name name = w->content->nodes[node].name;
    if (is_clear(w, name))
        json_write_string(json, key, name.text);
    else
        json_write_integer(json, key, node);
}

/* An object in a line of its own. Returns the depth for its end. */
static int begin_line(json_writer *json) {
    json_begin_object(json, NULL);
    const int depth = json->depth - 1;
    json->depth = JSON_LINE;
    return depth;
}

static void end_line(json_writer *json, int depth) {
    json_end_object(json);
    json->depth = depth;
}

/* The shortest decimal that is read as this number. */
static double shortest(float number) {
    char text[TEXT_FLOAT_SIZE + 1];
    *text_write_float(text, number) = '\0';
    return strtod(text, NULL);
}

static void write_floats(json_writer *json, const char *key, const float *from, size_t count) {
    double numbers[8];
    for (size_t i = 0; i < count; i++)
        numbers[i] = shortest(from[i]);
    json_write_numbers(json, key, numbers, count);
}

static void write_chain(const writer *w, json_writer *json, const char *name, const pm_chain *chain,
                        uint32_t flags) {
    const int line = begin_line(json);
    json_write_string(json, "name", name);
    json_write_string(json, "kind", character_kind_names[chain->kind]);
    json_begin_array(json, "joints");
    for (size_t i = 0; i < chain->joint_count; i++)
        write_joint(w, json, NULL, chain->joints[i]);
    json_end_array(json);
    if (chain->axis[0] != 0 || chain->axis[1] != 0 || chain->axis[2] != 0)
        write_floats(json, "axis", chain->axis, 3);
    if (chain->kind == PM_CHAIN_AIM)
        write_floats(json, "forward", chain->forward, 3);
    if (chain->shares)
        write_floats(json, "shares", chain->shares, chain->joint_count);
    if (chain->limit > 0)
        json_write_number(json, "limit", shortest(chain->limit));
    if (flags & PM_CHAIN_POLE_DIRECTION)
        json_write_string(json, "pole", "direction");
    end_line(json, line);
}

/* ---- what a file says ---------------------------------------------------------------------- */

static void write_masks(const writer *w, json_writer *json) {
    const pm_skeleton_desc *desc = &w->made->skeleton;
    for (size_t k = 0; k < desc->mask_count; k++) {
        const int line = begin_line(json);
        json_write_string(json, "name", w->made->mask_names[k]);
        json_begin_array(json, "joints");
        for (uint32_t j = 0; j < w->joint_count; j++) {
            const float weight = desc->masks[k * w->joint_count + j];
            if (weight == 1)
                write_joint(w, json, NULL, j);
            if (!(weight > 0 && weight < 1))
                continue;
            json_begin_object(json, NULL);
            write_joint(w, json, "joint", j);
            json_write_number(json, "weight", shortest(weight));
            json_end_object(json);
        }
        json_end_array(json);
        end_line(json, line);
    }
}

static void write_subsets(const writer *w, json_writer *json) {
    const pm_skeleton_desc *desc = &w->made->skeleton;
    for (size_t k = 0; k < desc->subset_count; k++) {
        const int line = begin_line(json);
        json_write_string(json, "name", w->made->subset_names[k]);
        json_begin_array(json, "joints");
        for (size_t i = 0; i < desc->subsets[k].joint_count; i++)
            write_joint(w, json, NULL, desc->subsets[k].joints[i]);
        json_end_array(json);
        end_line(json, line);
    }
}

static void write_radii(const writer *w, json_writer *json) {
    const float *radii = w->made->skeleton.radii;
    for (uint32_t j = 0; radii && j < w->joint_count; j++) {
        const int line = begin_line(json);
        write_joint(w, json, "joint", j);
        json_write_number(json, "radius", shortest(radii[j]));
        end_line(json, line);
    }
}

static void write_parts(json_writer *json, const char *key, const writer *w,
                        void (*write)(const writer *, json_writer *)) {
    json_begin_array(json, key);
    write(w, json);
    json_end_array(json);
}

static void write_chains(const writer *w, json_writer *json) {
    for (size_t k = 0; k < w->chain_count; k++)
        write_chain(w, json, w->chain_names[k], &w->chains[k],
                    w->made ? w->made->chain_flags[k] : 0);
}

static bool write_all(FILE *file, const void *content) {
    json_writer json = {.file = file};
    json_begin_object(&json, NULL);
    write_parts(&json, "masks", content, write_masks);
    write_parts(&json, "subsets", content, write_subsets);
    write_parts(&json, "chains", content, write_chains);
    write_parts(&json, "radii", content, write_radii);
    json_end_object(&json);
    return true;
}

pm_status character_write(const pm_motion *motion, const pm_motion_character *made, char **text,
                          pm_error *error) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    size_t size = 0;
    writer w = {.content = &motion->content,
                .nodes = made->nodes,
                .joint_count = made->skeleton.joint_count,
                .made = made,
                .chains = made->skeleton.chains,
                .chain_names = made->chain_names,
                .chain_count = made->skeleton.chain_count};
    w.names = character_sort_names(w.content, w.nodes, w.joint_count, &arena);
    MOTION_TRY_MEMORY(w.names, error);
    *text = compose_text(write_all, &w, &size);
    return *text ? PM_OK : motion_refuse_memory(error);
}

/* ---- what names and poses propose ---------------------------------------------------------- */

enum { CLIPS = 16, TIMES = 32, NECK = 4 };

/* A limb bends where the sine of its bend is above that of 2 degrees, about one axis where the directions
 * of all poses agree so far. */
static const double least_bend = 0.0349, least_agreement = 0.7;

typedef struct proposal {
    character *c;
    const motion_warnings *to;
    similarity *world; /* the rest pose */
    pm_chain *chains;
    const char **names;
    size_t count;
} proposal;

/* What poses say about the axis of a limb, in the frame of its upper joint. */
typedef struct bends {
    double sum[3], total, most;
} bends;

/* The lower at a, the end at a + b. */
static void add_bend(bends *found, const similarity *lower, const double end[3]) {
    double b[3], normal[3];
    quat_rotate(lower->q, end, b);
    vector_cross(lower->p, b, normal);
    const double size = vector_length(lower->p) * vector_length(b);
    if (!(size > 0 && isfinite(size)))
        return;
    for (int i = 0; i < 3; i++)
        found->sum[i] += normal[i] / size;
    found->total += vector_length(normal) / size;
    found->most = fmax(found->most, vector_length(normal) / size);
}

static void add_clip(bends *found, const pm_motion_content *content, const pm_motion_clip *clip,
                     const node_channels *channels, uint32_t lower, uint32_t end) {
    double first = (double)INFINITY, last = -(double)INFINITY;
    for (size_t t = 0; t < clip->timeline_count; t++) {
        const pm_timeline *timeline = &clip->timelines[t];
        first = fmin(first, evaluate_key_time(timeline, 0));
        last = fmax(last, evaluate_key_time(timeline, timeline->key_count - 1));
    }
    for (int k = 0; k < TIMES && first <= last; k++) {
        const double time = first + (last - first) * k / (TIMES - 1);
        const similarity at = pose_local(&content->nodes[lower], &channels[lower], clip, time);
        const similarity below = pose_local(&content->nodes[end], &channels[end], clip, time);
        add_bend(found, &at, below.p);
    }
}

/* How the rest pose and the clips bend a joint, whose child is `end`. */
static pm_status find_bends(proposal *p, uint32_t lower, uint32_t end, bends *found,
                            pm_error *error) {
    const pm_motion_content *content = p->c->content;
    const similarity rest = evaluate_rest(&content->nodes[lower]);
    *found = (bends){{0, 0, 0}, 0, 0};
    add_bend(found, &rest, evaluate_rest(&content->nodes[end]).p);
    for (size_t i = 0; i < content->clip_count && i < CLIPS; i++) {
        SCOPED(motion_arena_release) motion_arena arena = {NULL};
        const pm_motion_clip *clip = &content->clips[i];
        const node_channels *channels = pose_find_channels(&arena, clip, content->node_count);
        MOTION_TRY_MEMORY(channels, error);
        if (!clip->fault)
            add_clip(found, content, clip, channels, lower, end);
    }
    return PM_OK;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether names differ in digits alone, as those of the parts into which rigs divide a bone. */
static bool has_same_stem(const pm_motion_content *content, uint32_t one, uint32_t other) {
    const pm_motion_name a = content->nodes[one].name, b = content->nodes[other].name;
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < a.size && is_digit(a.text[i]))
            i++;
        while (j < b.size && is_digit(b.text[j]))
            j++;
        if (i == a.size || j == b.size || a.text[i] != b.text[j])
            return i == a.size && j == b.size;
    }
}

/* The upper and the lower of a limb. Of the parts of the lower bone, that which bends most is the lower; of those
 * of the upper bone, the first is the upper. */
static pm_status find_bones(proposal *p, const character_limb *limb, uint32_t nodes[3],
                            bends *found, pm_error *error) {
    const pm_motion_content *content = p->c->content;
    const pm_motion_node *all = content->nodes;
    uint32_t lower = (uint32_t)all[limb->end].parent, below = lower;
    MOTION_TRY(find_bends(p, lower, limb->end, found, error));
    for (uint32_t n = (uint32_t)all[lower].parent;
         n != limb->branch && has_same_stem(content, n, below); n = (uint32_t)all[n].parent) {
        bends own;
        MOTION_TRY(find_bends(p, n, below, &own, error));
        below = n;
        if (vector_length(own.sum) > vector_length(found->sum)) {
            *found = own;
            lower = n;
        }
    }
    uint32_t upper = (uint32_t)all[lower].parent;
    while (upper != limb->branch && has_same_stem(content, (uint32_t)all[upper].parent, upper))
        upper = (uint32_t)all[upper].parent;
    nodes[0] = upper;
    nodes[1] = lower;
    nodes[2] = limb->end;
    return PM_OK;
}

/* "left leg", and of a second one "left leg 2". */
static const char *name_limb(proposal *p, const character_limb *limb) {
    char name[32];
    size_t same = 1;
    const int used = snprintf(name, sizeof name, "%s %s", limb->is_right ? "right" : "left",
                              limb->is_leg ? "leg" : "arm");
    for (size_t i = 0; i < p->count; i++)
        same += strncmp(p->names[i], name, (size_t)used) == 0;
    if (same > 1)
        snprintf(name + used, sizeof name - (size_t)used, " %zu", same);
    return motion_copy_text(&p->c->arena, name, strlen(name));
}

static pm_status add_chain(proposal *p, const char *name, const uint32_t *nodes, size_t count,
                           pm_chain chain, pm_error *error) {
    uint32_t *joints = motion_allocate(&p->c->arena, count, sizeof *joints);
    MOTION_TRY_MEMORY(joints && name, error);
    for (size_t i = 0; i < count; i++)
        joints[i] = p->c->joint_of[nodes[i]];
    chain.joints = joints;
    chain.joint_count = count;
    p->chains[p->count] = chain;
    p->names[p->count++] = name;
    return PM_OK;
}

static pm_status add_limb(proposal *p, const character_limb *limb, pm_error *error) {
    const char *name = name_limb(p, limb);
    pm_chain chain = {.kind = PM_CHAIN_TWO_BONES, .limit = 0.97f};
    uint32_t nodes[3];
    bends found;
    MOTION_TRY_MEMORY(name, error);
    MOTION_TRY(find_bones(p, limb, nodes, &found, error));
    const double length = vector_length(found.sum);
    for (int i = 0; i < 3; i++)
        chain.axis[i] = (float)(found.sum[i] / length);
    if (found.most >= least_bend && length >= least_agreement * found.total)
        return add_chain(p, name, nodes, 3, chain, error);
    motion_warn(p->to,
                "%s: '%s' bends about no one axis in the rest pose and the clips; a chain of it "
                "requires an axis",
                name, MOTION_SHOWN_JOINT(p->c->content->nodes[nodes[1]].name, nodes[1]));
    return PM_OK;
}

/* From the ends of right limbs to those of left ones, and up; then forward. False: they do not tell. */
static bool find_forward(const proposal *p, const character_parts *parts, double up[3],
                         double forward[3]) {
    const pm_motion_up axis = p->c->content->up;
    double left[3] = {0, 0, 0};
    for (size_t i = 0; i < parts->limb_count; i++) {
        const character_limb *limb = &parts->limbs[i];
        for (int k = 0; k < 3; k++)
            left[k] += (limb->is_right ? -1 : 1) * p->world[limb->end].p[k];
    }
    for (int k = 0; k < 3; k++)
        up[k] = k == (axis == PM_MOTION_UP_Z ? 2 : 1);
    vector_cross(left, up, forward);
    const double length = vector_length(forward);
    for (int k = 0; k < 3; k++)
        forward[k] /= length;
    return length > 0.5 * vector_length(left) && (axis == PM_MOTION_UP_Y || axis == PM_MOTION_UP_Z);
}

static pm_status add_gaze(proposal *p, const character_parts *parts, pm_error *error) {
    const pm_motion_node *nodes = p->c->content->nodes;
    pm_chain chain = {.kind = PM_CHAIN_AIM, .limit = 1};
    uint32_t neck[NECK];
    size_t first = NECK;
    double up[3], forward[3], own[4];
    if (parts->head == NONE)
        motion_warn(p->to, "no joint is the head by its name: no gaze is proposed");
    if (parts->head == NONE)
        return PM_OK;
    if (!find_forward(p, parts, up, forward)) {
        motion_warn(p->to, "limbs and the axis that points up do not tell where the head looks: "
                           "no gaze is proposed");
        return PM_OK;
    }
    for (uint32_t n = parts->head; first > 0 && n != parts->trunk; n = (uint32_t)nodes[n].parent) {
        neck[--first] = n;
        if (nodes[n].parent < 0)
            break;
    }
    const uint32_t above = (uint32_t)(nodes[neck[first]].parent);
    first = parts->trunk != NONE && above == parts->trunk ? first : NECK - 1;
    memcpy(own, p->world[parts->head].q, sizeof own);
    for (int i = 0; i < 3; i++)
        own[i] = -own[i];
    quat_rotate(own, up, up);
    quat_rotate(own, forward, forward);
    for (int i = 0; i < 3; i++) {
        chain.axis[i] = (float)up[i];
        chain.forward[i] = (float)forward[i];
    }
    return add_chain(p, "gaze", neck + first, NECK - first, chain, error);
}

/* Of the words that the character has the parts of; NULL after the last. */
static void write_words(const writer *w, json_writer *json, const char *const *words) {
    for (; *words; words++) {
        if (!character_mark_part(w->c, w->parts, *words, w->parts->marked))
            continue;
        const int line = begin_line(json);
        json_write_string(json, "name", *words);
        json_begin_array(json, "joints");
        json_begin_object(json, NULL);
        json_write_string(json, "part", *words);
        json_end_object(json);
        json_end_array(json);
        end_line(json, line);
    }
}

static void write_mask_words(const writer *w, json_writer *json) {
    write_words(w, json,
                (const char *const[]){"upper body", "left arm", "right arm", "head", NULL});
}

static void write_subset_words(const writer *w, json_writer *json) {
    write_words(w, json, (const char *const[]){"hands", "feet", "head", NULL});
}

static bool write_proposal(FILE *file, const void *content) {
    json_writer json = {.file = file};
    json_begin_object(&json, NULL);
    write_parts(&json, "masks", content, write_mask_words);
    write_parts(&json, "subsets", content, write_subset_words);
    write_parts(&json, "chains", content, write_chains);
    json_end_object(&json);
    return true;
}

static pm_status propose(proposal *p, char **text, pm_error *error) {
    character *c = p->c;
    character_parts parts;
    size_t size = 0;
    MOTION_TRY(character_find_parts(c, &parts, error));
    p->world = motion_allocate(&c->arena, c->content->node_count, sizeof *p->world);
    p->chains = motion_allocate(&c->arena, parts.limb_count + 1, sizeof *p->chains);
    p->names = motion_allocate(&c->arena, parts.limb_count + 1, sizeof *p->names);
    MOTION_TRY_MEMORY(p->world && p->chains && p->names, error);
    MOTION_TRY_MEMORY(sides_find_world(c->content, p->world), error);
    if (parts.limb_count == 0)
        motion_warn(p->to,
                    "no joints are hands or feet of both sides by their names, with an upper "
                    "and a lower joint above them: no limbs are proposed");
    for (size_t i = 0; i < parts.limb_count; i++)
        MOTION_TRY(add_limb(p, &parts.limbs[i], error));
    MOTION_TRY(add_gaze(p, &parts, error));
    writer w = {.content = c->content,
                .nodes = c->nodes,
                .joint_count = c->joint_count,
                .parts = &parts,
                .c = c,
                .chains = p->chains,
                .chain_names = p->names,
                .chain_count = p->count};
    w.names = character_sort_names(w.content, w.nodes, w.joint_count, &c->arena);
    MOTION_TRY_MEMORY(w.names, error);
    *text = compose_text(write_proposal, &w, &size);
    return *text ? PM_OK : motion_refuse_memory(error);
}

pm_status character_propose(const pm_motion *motion, const pm_motion_character *made,
                            const motion_warnings *to, char **text, pm_error *error) {
    character *c = (character *)(uintptr_t)made;
    proposal p = {.c = c, .to = to};
    c->content = &motion->content;
    const pm_status status = propose(&p, text, error);
    c->content = NULL; /* the motion may be destroyed */
    return status;
}
