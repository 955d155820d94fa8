/* SPDX-License-Identifier: MIT
 *
 * Joints for files that have none: the names and parents of SMPL, SMPL-H and SMPL-X, or those of a file,
 * which are given to the rotations by their names, or in their order.
 */
#define _POSIX_C_SOURCE 200809L

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

/* ---- body models -------------------------------------------------------------------------- */

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

/* Joint `index` of a hand: three of each finger. */
static void finger(int side, size_t first, size_t index, char name[NAME], int *parent) {
    static const char *const fingers[] = {"index", "middle", "pinky", "ring", "thumb"};
    snprintf(name, NAME, "%s_%s%zu", side == 0 ? "left" : "right", fingers[index / 3],
             index % 3 + 1);
    *parent = index % 3 == 0 ? LEFT_WRIST + side : (int)(first + index) - 1;
}

static void model_joint(size_t joints, size_t index, char name[NAME], int *parent) {
    static const char *const face[FACE] = {"jaw", "left_eye", "right_eye"};
    const size_t hands = joints == SMPL_X ? BODY + FACE : BODY;
    if (index < BODY) {
        snprintf(name, NAME, "%s", body[index].name);
        *parent = body[index].parent;
    } else if (joints == SMPL) {
        snprintf(name, NAME, "%s_hand", index == BODY ? "left" : "right");
        *parent = LEFT_WRIST + (int)(index - BODY);
    } else if (index < hands) {
        snprintf(name, NAME, "%s", face[index - BODY]);
        *parent = HEAD;
    } else {
        const size_t at = index - hands;
        finger((int)(at / HAND), hands + at / HAND * HAND, at % HAND, name, parent);
    }
}

static bool is_model(size_t joints) {
    return joints == SMPL || joints == SMPL_H || joints == SMPL_X;
}

/* ---- what is being made ------------------------------------------------------------------- */

typedef struct joints {
    const motion_input *input;
    const char *path;
    motion_arena *arena;
    pm_motion_node *nodes;
    size_t count;
    size_t *of_rotation; /* the node of each rotation */
    size_t rotations;
    pm_error *error;
} joints;

static pm_status refuse(const joints *j, const char *why) {
    char shown[MOTION_PRINTABLE];
    return motion_refuse(j->error, "skeleton '%s' %s",
                         motion_printable(shown, j->path, strlen(j->path)), why);
}

static pm_status allocate_nodes(joints *j, size_t count) {
    j->nodes = motion_allocate(j->arena, count + 1, sizeof *j->nodes); /* and one above the root */
    j->count = count;
    return j->nodes ? PM_OK : motion_refuse_memory(j->error);
}

static bool set_node(joints *j, size_t index, const char *name, int parent) {
    char *copy = motion_copy_text(j->arena, name, strlen(name));
    j->nodes[index] = (pm_motion_node){.name = {copy, strlen(name)},
                                       .parent = parent,
                                       .rotation = {0, 0, 0, 1},
                                       .scale = {1, 1, 1}};
    return copy != NULL;
}

static pm_status make_model(joints *j, size_t count) {
    pm_status status = allocate_nodes(j, count);
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        char name[NAME];
        int parent;
        model_joint(count, i, name, &parent);
        if (!set_node(j, i, name, parent))
            status = motion_refuse_memory(j->error);
    }
    return status;
}

/* ---- from JSON ---------------------------------------------------------------------------- */

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
    if (!set_node(j, i, name ? name : made, (int)json_integer_value(parent)))
        return motion_refuse_memory(j->error);
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
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &found);
    free(text);
    const pm_status status = root ? make_from_json(j, root) : refuse(j, "is no JSON");
    json_decref(root);
    return status;
}

/* ---- from a motion ------------------------------------------------------------------------ */

static pm_status copy_nodes(joints *j, const pm_motion_content *content) {
    if (content->node_count == 0)
        return refuse(j, "has no joints itself");
    pm_status status = allocate_nodes(j, content->node_count);
    for (size_t n = 0; n < content->node_count && status == PM_OK; n++) {
        j->nodes[n] = content->nodes[n];
        j->nodes[n].name = motion_copy_name(j->arena, content->nodes[n].name);
        if (!j->nodes[n].name.text)
            status = motion_refuse_memory(j->error);
    }
    return status;
}

static pm_status read_motion(joints *j) {
    char reason[INPUT_REASON_SIZE] = "";
    const int file = input_open(j->path, INPUT_REGULAR, reason);
    if (file < 0)
        return refuse(j, reason);
    close(file);
    pm_motion *motion = NULL;
    pm_status status = j->input->open(j->path, &motion, j->error);
    if (status == PM_OK)
        status = copy_nodes(j, &motion->content);
    pm_motion_destroy(&motion);
    return status;
}

static pm_status read_joints(joints *j, bool *has_lengths) {
    if (!j->path)
        return make_model(j, j->rotations);
    const size_t size = strlen(j->path);
    *has_lengths = true;
    for (size_t i = 0; i < MODELS; i++)
        if (strcmp(models[i].name, j->path) == 0) {
            *has_lengths = false;
            return make_model(j, models[i].joints);
        }
    return size > 5 && strcmp(j->path + size - 5, ".json") == 0 ? read_json(j) : read_motion(j);
}

/* ---- rotations ---------------------------------------------------------------------------- */

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
        char name[NAME], wanted[NAME];
        int parent;
        model_joint(j->rotations, i, name, &parent);
        plain_name((pm_motion_name){name, strlen(name)}, wanted);
        all = find_named(j, wanted, &j->of_rotation[i]);
    }
    return all;
}

/* Joints of a model without its names are in its order if they have its parents. */
static bool has_parents_of_model(const joints *j) {
    bool same = true;
    for (size_t i = 0; i < j->count && same && is_model(j->rotations); i++) {
        char name[NAME];
        int parent;
        model_joint(j->rotations, i, name, &parent);
        same = j->nodes[i].parent == parent;
    }
    return same;
}

static pm_status match(joints *j) {
    char why[160];
    j->of_rotation = motion_allocate(j->arena, j->rotations, sizeof *j->of_rotation);
    if (!j->of_rotation)
        return motion_refuse_memory(j->error);
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

/* ---- channels ----------------------------------------------------------------------------- */

static size_t count_rotations(const npz_document *document) {
    size_t count = 0;
    for (size_t r = 0; r < document->row_count; r++)
        if (npz_is_rotation(document->rows[r].role))
            count += document->rows[r].channel_count;
    return count;
}

/* Body models move the mesh, root included: where the root has an offset, a node above it moves. */
static size_t place_root(joints *j) {
    const size_t root = j->of_rotation[0];
    const double *t = j->nodes[root].position;
    if (t[0] == 0 && t[1] == 0 && t[2] == 0)
        return root;
    j->nodes[j->count] = (pm_motion_node){.name = {"root", 4},
                                          .parent = j->nodes[root].parent,
                                          .rotation = {0, 0, 0, 1},
                                          .scale = {1, 1, 1}};
    j->nodes[root].parent = (int32_t)j->count;
    return j->count++;
}

static void attach(joints *j, const npz_document *document, pm_motion_channel *channels) {
    size_t rotation = 0;
    for (size_t r = 0; r < document->row_count; r++) {
        const npz_rows *rows = &document->rows[r];
        for (size_t i = 0; npz_is_rotation(rows->role) && i < rows->channel_count; i++)
            channels[rows->channel + i].node = (int32_t)j->of_rotation[rotation++];
    }
    for (size_t r = 0; r < document->row_count; r++) {
        const npz_rows *rows = &document->rows[r];
        if (rows->named && rows->role == NPZ_VECTOR && rows->channel_count == 1) {
            channels[rows->channel].node = (int32_t)place_root(j);
            return;
        }
    }
}

pm_status npz_add_joints(npz_document *document, const motion_input *input,
                         const npz_layout *layout, pm_motion *motion, pm_motion_channel *channels,
                         pm_error *error) {
    joints j = {.input = input,
                .path = input->options->skeleton,
                .arena = &motion->arena,
                .rotations = count_rotations(document),
                .error = error};
    bool has_lengths = true;
    char shown[MOTION_PRINTABLE];
    if (!j.path && (layout->frame != NPZ_PARENT || !is_model(j.rotations)))
        return PM_OK;
    if (layout->frame == NPZ_WORLD)
        return motion_refuse(error,
                             "layout %s has rotations in the world; a skeleton requires those "
                             "relative to the parent",
                             layout->name);
    pm_status status = read_joints(&j, &has_lengths);
    if (status == PM_OK)
        status = match(&j);
    if (status == PM_OK)
        status = check_rest(&j);
    if (status != PM_OK)
        return status;
    if (!has_lengths)
        motion_warn(&input->warnings,
                    "skeleton '%s' has names and parents, and no bones: all joints are at one "
                    "place; a file of joints with offsets gives lengths",
                    motion_printable(shown, j.path, strlen(j.path)));
    attach(&j, document, channels);
    motion->content.nodes = j.nodes;
    motion->content.node_count = j.count;
    motion->has_given_joints = true;
    return PM_OK;
}
