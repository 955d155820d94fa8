/* SPDX-License-Identifier: MIT
 *
 * Joints for files that have none: the names and parents of SMPL, SMPL-H and SMPL-X, or those of a file,
 * which are given to the rotations by their names, or in their order.
 */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/files/input.h"
#include "motion/model/made.h"
#include "motion/npz/npz.h"

enum { SMPL = 24, SMPL_H = 52, SMPL_X = 55, BODY = 22, HAND = 15, FACE = 3, NAME = 32 };

/* The joints that all three models have; SMPL has hands beside them, the others fingers. */
static const struct {
    const char *name;
    int parent;
} body[BODY] = {
    {"pelvis", -1},        {"left_hip", 0},        {"right_hip", 0},    {"spine1", 0},
    {"left_knee", 1},      {"right_knee", 2},      {"spine2", 3},       {"left_ankle", 4},
    {"right_ankle", 5},    {"spine3", 6},          {"left_foot", 7},    {"right_foot", 8},
    {"neck", 9},           {"left_collar", 9},     {"right_collar", 9}, {"head", 12},
    {"left_shoulder", 13}, {"right_shoulder", 14}, {"left_elbow", 16},  {"right_elbow", 17},
    {"left_wrist", 18},    {"right_wrist", 19}};
enum { HEAD = 15, LEFT_WRIST = 20 };

static const struct {
    const char *name;
    size_t joints;
} models[] = {{"smpl", SMPL}, {"smplh", SMPL_H}, {"smplx", SMPL_X}};
enum { MODELS = sizeof models / sizeof *models };

typedef struct model_joint {
    char name[NAME];
    int parent;
} model_joint;

/* Joint `index` of a model with so many joints; of a hand three of each finger. */
static model_joint joint_of(size_t joints, size_t index) {
    static const char *const face[FACE] = {"jaw", "left_eye", "right_eye"};
    static const char *const fingers[] = {"index", "middle", "pinky", "ring", "thumb"};
    const size_t hands = joints == SMPL_X ? BODY + FACE : BODY;
    model_joint m = {.parent = HEAD};
    if (index < BODY) {
        snprintf(m.name, NAME, "%s", body[index].name);
        m.parent = body[index].parent;
    } else if (joints == SMPL) {
        snprintf(m.name, NAME, "%s_hand", index == BODY ? "left" : "right");
        m.parent = LEFT_WRIST + (int)(index - BODY);
    } else if (index < hands) {
        snprintf(m.name, NAME, "%s", face[index - BODY]);
    } else {
        const size_t side = (index - hands) / HAND, at = (index - hands) % HAND;
        snprintf(m.name, NAME, "%s_%s%zu", side == 0 ? "left" : "right", fingers[at / 3],
                 at % 3 + 1);
        m.parent = (int)(at % 3 == 0 ? LEFT_WRIST + side : index - 1);
    }
    return m;
}

static bool is_model(size_t joints) {
    return joints == SMPL || joints == SMPL_H || joints == SMPL_X;
}

typedef struct joints {
    const npz_reading *r;
    const char *path;
    pm_motion_node *nodes;
    size_t count;
    size_t *of_rotation; /* the node of each rotation */
    size_t rotations;
    bool has_lengths;
} joints;

static pm_status refuse(const joints *j, const char *why) {
    return motion_refuse(j->r->error, "skeleton '%s' %s", MOTION_SHOWN(j->path, strlen(j->path)),
                         why);
}

static pm_status allocate_nodes(joints *j, size_t count) {
    j->nodes =
        motion_allocate(j->r->arena, count + 1, sizeof *j->nodes); /* and one above the root */
    j->count = count;
    return j->nodes ? PM_OK : motion_refuse_memory(j->r->error);
}

static pm_motion_node new_node(const char *name, size_t size, int parent) {
    return (pm_motion_node){
        .name = {name, size}, .parent = parent, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
}

static bool set_node(joints *j, size_t index, const char *name, int parent) {
    char *copy = motion_copy_text(j->r->arena, name, strlen(name));
    j->nodes[index] = new_node(copy, strlen(name), parent);
    return copy != NULL;
}

static pm_status make_model(joints *j, size_t count) {
    MOTION_TRY(allocate_nodes(j, count));
    for (size_t i = 0; i < count; i++) {
        const model_joint m = joint_of(count, i);
        MOTION_TRY_MEMORY(set_node(j, i, m.name, m.parent), j->r->error);
    }
    return PM_OK;
}

static pm_status read_joint(joints *j, json_t *root, size_t i) {
    const json_t *parent = json_array_get(json_object_get(root, "parents"), i);
    const char *name = json_string_value(json_array_get(json_object_get(root, "names"), i));
    const json_t *offset = json_array_get(json_object_get(root, "offsets"), i);
    char made[NAME];
    snprintf(made, sizeof made, "joint%zu", i);
    if (!json_is_integer(parent) || json_integer_value(parent) < -1 ||
        json_integer_value(parent) >= (json_int_t)i)
        return refuse(j,
                      "has a parent that is no joint before its child; expected -1 for the root");
    MOTION_TRY_MEMORY(set_node(j, i, name ? name : made, (int)json_integer_value(parent)),
                      j->r->error);
    for (size_t k = 0; offset && k < 3; k++) {
        const json_t *number = json_array_get(offset, k);
        if (!json_is_number(number) || json_array_size(offset) != 3)
            return refuse(j, "has an offset that is not three numbers");
        j->nodes[i].position[k] = json_number_value(number);
    }
    return PM_OK;
}

static pm_status make_from_json(joints *j, json_t *root) {
    enum { MOST = 65536 };
    const size_t count = json_array_size(json_object_get(root, "parents"));
    const json_t *names = json_object_get(root, "names"),
                 *offsets = json_object_get(root, "offsets");
    if (count == 0 || count > MOST || (names && json_array_size(names) != count) ||
        (offsets && json_array_size(offsets) != count))
        return refuse(j, "has no lists of one length; expected \"parents\", and \"names\" and "
                         "\"offsets\" where there are any");
    pm_status status = allocate_nodes(j, count);
    j->has_lengths = offsets != NULL;
    for (size_t i = 0; i < count && status == PM_OK; i++)
        status = read_joint(j, root, i);
    return status;
}

static pm_status read_json(joints *j) {
    char reason[INPUT_REASON_SIZE] = "", *text = NULL;
    size_t size = 0;
    if (!input_read_beside(j->path, NULL, INPUT_BESIDE_MAX, &text, &size, reason))
        return refuse(j, reason);
    json_error_t found;
    json_auto_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &found);
    free(text);
    return root ? make_from_json(j, root) : refuse(j, "is no JSON");
}

static pm_status copy_nodes(joints *j, const pm_motion_content *content) {
    if (content->node_count == 0)
        return refuse(j, "has no joints itself");
    MOTION_TRY(allocate_nodes(j, content->node_count));
    for (size_t n = 0; n < content->node_count; n++) {
        j->nodes[n] = content->nodes[n];
        j->nodes[n].name = motion_copy_name(j->r->arena, content->nodes[n].name);
        MOTION_TRY_MEMORY(j->nodes[n].name.text, j->r->error);
    }
    return PM_OK;
}

static pm_status read_motion(joints *j) {
    char reason[INPUT_REASON_SIZE] = "";
    const int file = input_open(j->path, INPUT_REGULAR, reason);
    if (file < 0)
        return refuse(j, reason);
    close(file);
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    MOTION_TRY(j->r->input->open(j->path, &motion, j->r->error));
    return copy_nodes(j, &motion->content);
}

static pm_status read_joints(joints *j) {
    if (!j->path)
        return make_model(j, j->rotations);
    const size_t size = strlen(j->path);
    for (size_t i = 0; i < MODELS; i++)
        if (strcmp(models[i].name, j->path) == 0)
            return make_model(j, models[i].joints);
    j->has_lengths = true;
    return size > 5 && strcmp(j->path + size - 5, ".json") == 0 ? read_json(j) : read_motion(j);
}

/* "L_Hip", "left_hip" and "LeftHip" are one name. */
static void plain_name(pm_motion_name name, char out[NAME]) {
    char text[2 * NAME];
    size_t used = 0, put = 0;
    for (size_t i = 0; i < name.size && used + 1 < sizeof text; i++)
        if (isalnum((unsigned char)name.text[i]))
            text[used++] = (char)tolower((unsigned char)name.text[i]);
    text[used] = '\0';
    for (size_t i = 0; i < used && put + 1 < NAME;) {
        const size_t skip = strncmp(text + i, "left", 4) == 0    ? 4
                            : strncmp(text + i, "right", 5) == 0 ? 5
                                                                 : 1;
        out[put++] = text[i];
        i += skip;
    }
    out[put] = '\0';
    char *end = strstr(out, "smplhf"); /* of the eyes of SMPL-X */
    if (end)
        *end = '\0';
}

static bool find_named(const joints *j, const char *wanted, size_t *node) {
    char name[NAME];
    for (*node = 0; *node < j->count; ++*node) {
        plain_name(j->nodes[*node].name, name);
        if (strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

/* Whether the joints have the names of the model with as many as there are rotations. */
static bool match_names(joints *j) {
    bool all = is_model(j->rotations);
    for (size_t i = 0; i < j->rotations && all; i++) {
        const model_joint m = joint_of(j->rotations, i);
        char wanted[NAME];
        plain_name((pm_motion_name){m.name, strlen(m.name)}, wanted);
        all = find_named(j, wanted, &j->of_rotation[i]);
    }
    return all;
}

/* Joints of a model without its names are in its order if they have its parents. */
static bool has_parents_of_model(const joints *j) {
    bool same = true;
    for (size_t i = 0; i < j->count && same && is_model(j->rotations); i++)
        same = j->nodes[i].parent == joint_of(j->rotations, i).parent;
    return same;
}

static pm_status match(joints *j) {
    char why[160];
    j->of_rotation = motion_allocate(j->r->arena, j->rotations, sizeof *j->of_rotation);
    MOTION_TRY_MEMORY(j->of_rotation, j->r->error);
    if (match_names(j))
        return PM_OK;
    if (j->count != j->rotations) {
        snprintf(why, sizeof why, "has %zu joints; expected %zu, the number of rotations%s",
                 j->count, j->rotations,
                 j->rotations == SMPL     ? ", as smpl has"
                 : j->rotations == SMPL_H ? ", as smplh has"
                 : j->rotations == SMPL_X ? ", as smplx has"
                                          : "");
        return refuse(j, why);
    }
    if (!has_parents_of_model(j))
        return refuse(j, "has neither the names nor the parents of the model with as many joints");
    for (size_t i = 0; i < j->rotations; i++)
        j->of_rotation[i] = i;
    return PM_OK;
}

static pm_status check_rest(const joints *j) {
    for (size_t i = 0; i < j->rotations; i++) {
        const double *q = j->nodes[j->of_rotation[i]].rotation;
        if (!(fabs(q[3]) > 1 - 1e-9))
            return refuse(j, "has rotations in its rest pose; expected joints that have none");
    }
    return PM_OK;
}

/* Body models move the mesh, root included: where the root has an offset, a node above it moves. */
static size_t place_root(joints *j) {
    const size_t root = j->of_rotation[0];
    const double *t = j->nodes[root].position;
    if (t[0] == 0 && t[1] == 0 && t[2] == 0)
        return root;
    j->nodes[j->count] = new_node("root", 4, j->nodes[root].parent);
    j->nodes[root].parent = (int32_t)j->count;
    return j->count++;
}

static void attach(joints *j) {
    const npz_document *d = j->r->document;
    bool is_placed = false;
    for (size_t c = 0, rotation = 0; c < j->r->channel_count; c++)
        if (j->r->channels[c].path == PM_MOTION_ROTATION)
            j->r->channels[c].node = (int32_t)j->of_rotation[rotation++];
    for (size_t r = 0; r < d->row_count && !is_placed; r++) {
        const npz_rows *rows = &d->rows[r];
        is_placed = rows->named && rows->role == NPZ_VECTOR && rows->channel_count == 1;
        if (is_placed)
            j->r->channels[rows->channel].node = (int32_t)place_root(j);
    }
}

pm_status npz_add_joints(npz_reading *r) {
    joints j = {.r = r, .path = r->input->options->skeleton};
    for (size_t c = 0; c < r->channel_count; c++)
        j.rotations += r->channels[c].path == PM_MOTION_ROTATION;
    if (!j.path && (r->layout.frame != NPZ_PARENT || !is_model(j.rotations)))
        return PM_OK;
    if (r->layout.frame == NPZ_WORLD)
        return motion_refuse(r->error,
                             "layout %s has rotations in the world; a skeleton requires those "
                             "relative to the parent",
                             r->layout.name);
    MOTION_TRY(read_joints(&j));
    MOTION_TRY(match(&j));
    MOTION_TRY(check_rest(&j));
    if (!j.has_lengths && j.path)
        motion_warn(&r->input->warnings,
                    "skeleton '%s' has names and parents, and no bones: all joints are at one "
                    "place; a file of joints with offsets gives lengths",
                    MOTION_SHOWN(j.path, strlen(j.path)));
    attach(&j);
    r->motion->content.nodes = j.nodes;
    r->motion->content.node_count = j.count;
    r->motion->has_given_joints = true;
    r->motion->has_no_lengths = !j.has_lengths;
    if (!j.has_lengths || !j.path) /* SMPL faces z, with its left along x */
        r->motion->across = PM_MOTION_AXIS_X;
    return PM_OK;
}
