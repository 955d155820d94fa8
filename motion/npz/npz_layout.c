/* SPDX-License-Identifier: MIT
 *
 * The layouts that are known, and how one is chosen: by its name, from a file, or because no other
 * layout names more of the archive's members.
 */
#include "motion/npz/npz_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/files/input.h"

/* ---- the table ------------------------------------------------------------------------- */

static const npz_field amass[] = {
    {"poses", NPZ_AXIS_ANGLE, NULL, NULL}, {"trans", NPZ_VECTOR, NULL, NULL},
    {"dmpls", NPZ_SCALAR, NULL, NULL},     {"mocap_framerate", NPZ_RATE, NULL, NULL},
    {"betas", NPZ_CONSTANT, NULL, NULL},   {"gender", NPZ_CONSTANT, NULL, NULL},
};

static const npz_field amass_x[] = {
    {"poses", NPZ_AXIS_ANGLE, NULL, NULL},
    {"root_orient", NPZ_PART, "poses", NULL},
    {"pose_body", NPZ_PART, "poses", NULL},
    {"pose_jaw", NPZ_PART, "poses", NULL},
    {"pose_eye", NPZ_PART, "poses", NULL},
    {"pose_hand", NPZ_PART, "poses", NULL},
    {"trans", NPZ_VECTOR, NULL, NULL},
    {"mocap_frame_rate", NPZ_RATE, NULL, NULL},
    {"betas", NPZ_CONSTANT, NULL, NULL},
    {"num_betas", NPZ_CONSTANT, NULL, NULL},
    {"gender", NPZ_CONSTANT, NULL, NULL},
    {"surface_model_type", NPZ_CONSTANT, NULL, NULL},
    {"mocap_time_length", NPZ_CONSTANT, NULL, NULL},
    {"latent_labels", NPZ_CONSTANT, NULL, NULL},
    {"markers_latent", NPZ_CONSTANT, NULL, NULL},
    {"markers_latent_vids", NPZ_CONSTANT, NULL, NULL},
};

static const npz_field inter_x[] = {
    {"root_orient", NPZ_AXIS_ANGLE, NULL, NULL}, {"pose_body", NPZ_AXIS_ANGLE, NULL, NULL},
    {"pose_lhand", NPZ_AXIS_ANGLE, NULL, NULL},  {"pose_rhand", NPZ_AXIS_ANGLE, NULL, NULL},
    {"trans", NPZ_VECTOR, NULL, NULL},           {"fps", NPZ_RATE, NULL, NULL},
    {"betas", NPZ_CONSTANT, NULL, NULL},         {"gender", NPZ_CONSTANT, NULL, NULL},
};

/* Isaac Lab 2 has quaternions w x y z, 3 has x y z w, under the same names. */
#define BEYONDMIMIC(order)                                                                         \
    {                                                                                              \
        {"body_quat_w", order, NULL, "body_names"},                                                \
            {"body_pos_w", NPZ_VECTOR, NULL, "body_names"},                                        \
            {"joint_pos", NPZ_SCALAR, NULL, "joint_names"}, {"object_quat_w", order, NULL, NULL},  \
            {"object_pos_w", NPZ_VECTOR, NULL, NULL},                                              \
            {"joint_vel", NPZ_VELOCITY, "joint_pos", NULL},                                        \
            {"body_lin_vel_w", NPZ_VELOCITY, "body_pos_w", NULL},                                  \
            {"body_ang_vel_w", NPZ_VELOCITY, "body_quat_w", NULL},                                 \
            {"object_lin_vel_w", NPZ_VELOCITY, "object_pos_w", NULL},                              \
            {"object_ang_vel_w", NPZ_VELOCITY, "object_quat_w", NULL},                             \
            {"fps", NPZ_RATE, NULL, NULL}, {"joint_names", NPZ_CONSTANT, NULL, NULL},              \
            {"body_names", NPZ_CONSTANT, NULL, NULL}, {                                            \
            "object_name", NPZ_CONSTANT, NULL, NULL                                                \
        }                                                                                          \
    }
static const npz_field beyondmimic[] = BEYONDMIMIC(NPZ_WXYZ);
static const npz_field beyondmimic_xyzw[] = BEYONDMIMIC(NPZ_XYZW);

#define ISAACLAB(order)                                                                            \
    {                                                                                              \
        {"body_rotations", order, NULL, "body_names"},                                             \
            {"body_positions", NPZ_VECTOR, NULL, "body_names"},                                    \
            {"dof_positions", NPZ_SCALAR, NULL, "dof_names"},                                      \
            {"dof_velocities", NPZ_VELOCITY, "dof_positions", NULL},                               \
            {"body_linear_velocities", NPZ_VELOCITY, "body_positions", NULL},                      \
            {"body_angular_velocities", NPZ_VELOCITY, "body_rotations", NULL},                     \
            {"fps", NPZ_RATE, NULL, NULL}, {"dof_names", NPZ_CONSTANT, NULL, NULL}, {              \
            "body_names", NPZ_CONSTANT, NULL, NULL                                                 \
        }                                                                                          \
    }
static const npz_field isaaclab[] = ISAACLAB(NPZ_WXYZ), isaaclab_xyzw[] = ISAACLAB(NPZ_XYZW);

static const npz_field plain[] = {
    {"rotations", NPZ_XYZW, NULL, NULL},
    {"quats", NPZ_XYZW, NULL, NULL},
    {"positions", NPZ_VECTOR, NULL, NULL},
    {"fps", NPZ_RATE, NULL, NULL},
    {"rate", NPZ_RATE, NULL, NULL},
    {"names", NPZ_CONSTANT, NULL, NULL},
    {"parents", NPZ_CONSTANT, NULL, NULL},
    {"offsets", NPZ_CONSTANT, NULL, NULL},
    {"rest_rotations", NPZ_CONSTANT, NULL, NULL},
    {"rest_scales", NPZ_CONSTANT, NULL, NULL},
    {"tails", NPZ_CONSTANT, NULL, NULL},
    {"has_tail", NPZ_CONSTANT, NULL, NULL},
};

#define ROW(name, fields, rate, frame, twin)                                                       \
    { name, fields, sizeof(fields) / sizeof *(fields), rate, frame, twin, false }
static const npz_layout layouts[] = {
    ROW("amass", amass, 0, NPZ_PARENT, NULL),
    ROW("amass-x", amass_x, 0, NPZ_PARENT, NULL),
    ROW("inter-x", inter_x, 120, NPZ_PARENT, NULL),
    ROW("beyondmimic", beyondmimic, 0, NPZ_WORLD, "beyondmimic-xyzw"),
    ROW("beyondmimic-xyzw", beyondmimic_xyzw, 0, NPZ_WORLD, "beyondmimic"),
    ROW("isaaclab", isaaclab, 0, NPZ_WORLD, "isaaclab-xyzw"),
    ROW("isaaclab-xyzw", isaaclab_xyzw, 0, NPZ_WORLD, "isaaclab"),
    ROW("plain", plain, 0, NPZ_UNKNOWN, NULL),
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

const npz_layout *npz_layout_named(const char *name) {
    for (size_t i = 0; i < LAYOUTS; i++)
        if (strcmp(layouts[i].name, name) == 0)
            return &layouts[i];
    return NULL;
}

/* ---- finding --------------------------------------------------------------------------- */

static bool has_name(const zip_member *member, const char *name) {
    const size_t length = strlen(name);
    return member->name.size == length + 4 && memcmp(member->name.data, name, length) == 0 &&
           memcmp(member->name.data + length, ".npy", 4) == 0;
}

pm_status npz_find(const zip_archive *archive, const char *name, size_t *index, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    *index = SIZE_MAX;
    for (size_t i = 0; i < archive->count; i++) {
        if (!has_name(&archive->members[i], name))
            continue;
        if (*index != SIZE_MAX)
            return motion_refuse(error, "member '%s.npy' is there twice; expected once",
                                 motion_printable(shown, name, strlen(name)));
        *index = i;
    }
    return PM_OK;
}

bool npz_is_rotation(npz_role role) {
    return role == NPZ_AXIS_ANGLE || role == NPZ_XYZW || role == NPZ_WXYZ;
}

size_t npz_layout_score(const npz_layout *layout, const zip_archive *archive) {
    size_t found = 0;
    bool rotation = false;
    for (size_t f = 0; f < layout->count; f++)
        for (size_t i = 0; i < archive->count; i++)
            if (has_name(&archive->members[i], layout->fields[f].member)) {
                rotation = rotation || npz_is_rotation(layout->fields[f].role) ||
                           layout->fields[f].role == NPZ_PART;
                found++;
                break;
            }
    return rotation ? found : 0;
}

const npz_layout *npz_layout_of(const zip_archive *archive) {
    const npz_layout *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < LAYOUTS; i++) {
        const size_t found = npz_layout_score(&layouts[i], archive);
        if (found > most) {
            most = found;
            best = &layouts[i];
        }
    }
    return best;
}
