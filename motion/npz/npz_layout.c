/* SPDX-License-Identifier: MIT
 *
 * The layouts that are known, and the one of which an archive has the most members.
 */
#include "motion/npz/npz_layout.h"

#include <stdio.h>
#include <string.h>

#define FIELD(member, role)                                                                        \
    { member, NPZ_##role, NULL, NULL }

static const npz_field amass[] = {FIELD("poses", AXIS_ANGLE), FIELD("trans", VECTOR),
                                  FIELD("dmpls", SCALAR),     FIELD("mocap_framerate", RATE),
                                  FIELD("betas", CONSTANT),   FIELD("gender", CONSTANT)};

static const npz_field amass_x[] = {FIELD("poses", AXIS_ANGLE),
                                    {"root_orient", NPZ_PART, "poses", NULL},
                                    {"pose_body", NPZ_PART, "poses", NULL},
                                    {"pose_jaw", NPZ_PART, "poses", NULL},
                                    {"pose_eye", NPZ_PART, "poses", NULL},
                                    {"pose_hand", NPZ_PART, "poses", NULL},
                                    FIELD("trans", VECTOR),
                                    FIELD("mocap_frame_rate", RATE),
                                    FIELD("betas", CONSTANT),
                                    FIELD("num_betas", CONSTANT),
                                    FIELD("gender", CONSTANT),
                                    FIELD("surface_model_type", CONSTANT),
                                    FIELD("mocap_time_length", CONSTANT),
                                    FIELD("latent_labels", CONSTANT),
                                    FIELD("markers_latent", CONSTANT),
                                    FIELD("markers_latent_vids", CONSTANT)};

static const npz_field inter_x[] = {
    FIELD("root_orient", AXIS_ANGLE), FIELD("pose_body", AXIS_ANGLE),
    FIELD("pose_lhand", AXIS_ANGLE),  FIELD("pose_rhand", AXIS_ANGLE),
    FIELD("trans", VECTOR),           FIELD("fps", RATE),
    FIELD("betas", CONSTANT),         FIELD("gender", CONSTANT)};

static const npz_field beyondmimic[] = {{"body_quat_w", NPZ_QUATERNION, NULL, "body_names"},
                                        {"body_pos_w", NPZ_VECTOR, NULL, "body_names"},
                                        {"joint_pos", NPZ_SCALAR, NULL, "joint_names"},
                                        FIELD("object_quat_w", QUATERNION),
                                        FIELD("object_pos_w", VECTOR),
                                        {"joint_vel", NPZ_VELOCITY, "joint_pos", NULL},
                                        {"body_lin_vel_w", NPZ_VELOCITY, "body_pos_w", NULL},
                                        {"body_ang_vel_w", NPZ_VELOCITY, "body_quat_w", NULL},
                                        {"object_lin_vel_w", NPZ_VELOCITY, "object_pos_w", NULL},
                                        {"object_ang_vel_w", NPZ_VELOCITY, "object_quat_w", NULL},
                                        FIELD("fps", RATE),
                                        FIELD("joint_names", CONSTANT),
                                        FIELD("body_names", CONSTANT),
                                        FIELD("object_name", CONSTANT)};

static const npz_field isaaclab[] = {
    {"body_rotations", NPZ_QUATERNION, NULL, "body_names"},
    {"body_positions", NPZ_VECTOR, NULL, "body_names"},
    {"dof_positions", NPZ_SCALAR, NULL, "dof_names"},
    {"dof_velocities", NPZ_VELOCITY, "dof_positions", NULL},
    {"body_linear_velocities", NPZ_VELOCITY, "body_positions", NULL},
    {"body_angular_velocities", NPZ_VELOCITY, "body_rotations", NULL},
    FIELD("fps", RATE),
    FIELD("dof_names", CONSTANT),
    FIELD("body_names", CONSTANT)};

static const npz_field plain[] = {FIELD("rotations", QUATERNION),
                                  FIELD("quats", QUATERNION),
                                  FIELD("positions", VECTOR),
                                  FIELD("fps", RATE),
                                  FIELD("rate", RATE),
                                  FIELD("names", CONSTANT),
                                  FIELD("parents", CONSTANT),
                                  FIELD("offsets", CONSTANT),
                                  FIELD("rest_rotations", CONSTANT),
                                  FIELD("rest_scales", CONSTANT),
                                  FIELD("tails", CONSTANT),
                                  FIELD("has_tail", CONSTANT)};

#define FIELDS(of) .fields = (of), .count = sizeof(of) / sizeof *(of)
#define METRES_Z .unit_mm = 1000, .up = PM_MOTION_UP_Z
/* Isaac Lab 2 has quaternions w x y z, 3 has x y z w, under the same names. */
static const npz_layout layouts[] = {
    {.name = "amass", FIELDS(amass), .frame = NPZ_PARENT, METRES_Z},
    {.name = "amass-x", FIELDS(amass_x), .frame = NPZ_PARENT, METRES_Z},
    {.name = "inter-x", FIELDS(inter_x), .frame = NPZ_PARENT, .rate = 120, .unit_mm = 1000},
    {.name = "beyondmimic",
     FIELDS(beyondmimic),
     NPZ_WXYZ,
     NPZ_WORLD,
     METRES_Z,
     .twin = "beyondmimic-xyzw"},
    {.name = "beyondmimic-xyzw",
     FIELDS(beyondmimic),
     NPZ_XYZW,
     NPZ_WORLD,
     METRES_Z,
     .twin = "beyondmimic"},
    {.name = "isaaclab", FIELDS(isaaclab), NPZ_WXYZ, NPZ_WORLD, METRES_Z, .twin = "isaaclab-xyzw"},
    {.name = "isaaclab-xyzw", FIELDS(isaaclab), NPZ_XYZW, NPZ_WORLD, METRES_Z, .twin = "isaaclab"},
    {.name = "plain", FIELDS(plain), NPZ_XYZW, .has_times = true},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

const char *npz_layout_names(char text[NPZ_LAYOUT_LIST]) {
    size_t used = 0;
    for (size_t i = 0; i < LAYOUTS && used < NPZ_LAYOUT_LIST; i++)
        used += (size_t)snprintf(text + used, NPZ_LAYOUT_LIST - used, "%s%s", i ? ", " : "",
                                 layouts[i].name);
    return text;
}

const npz_layout *npz_layout_named(const char *name) {
    for (size_t i = 0; i < LAYOUTS; i++)
        if (strcmp(layouts[i].name, name) == 0)
            return &layouts[i];
    return NULL;
}

bool npz_is_named(const zip_member *member, const char *name) {
    const size_t length = strlen(name);
    return member->name.size == length + 4 && memcmp(member->name.data, name, length) == 0 &&
           memcmp(member->name.data + length, ".npy", 4) == 0;
}

pm_status npz_find(const zip_archive *archive, const char *name, size_t *index, pm_error *error) {
    *index = SIZE_MAX;
    for (size_t i = 0; i < archive->count; i++) {
        if (!npz_is_named(&archive->members[i], name))
            continue;
        if (*index != SIZE_MAX)
            return motion_refuse(error, "member '%s.npy' is there twice; expected once",
                                 MOTION_SHOWN(name, strlen(name)));
        *index = i;
    }
    return PM_OK;
}

bool npz_is_rotation(npz_role role) {
    return role >= NPZ_AXIS_ANGLE && role <= NPZ_WXYZ;
}

size_t npz_layout_score(const npz_layout *layout, const zip_archive *archive) {
    size_t found = 0;
    bool rotation = false;
    for (size_t f = 0; f < layout->count; f++)
        for (size_t i = 0; i < archive->count; i++)
            if (npz_is_named(&archive->members[i], layout->fields[f].member)) {
                rotation = rotation || npz_is_rotation(layout->fields[f].role) ||
                           layout->fields[f].role == NPZ_PART;
                found++;
                break;
            }
    return rotation ? found : 0;
}

pm_status npz_find_layout(const zip_archive *archive, npz_layout *layout, pm_error *error) {
    size_t most = 0;
    for (size_t i = 0; i < LAYOUTS; i++) {
        const size_t found = npz_layout_score(&layouts[i], archive);
        if (found > most)
            *layout = layouts[i];
        most = found > most ? found : most;
    }
    return most > 0
               ? PM_OK
               : motion_refuse(error, "no member holds rotations; expected poses, body_quat_w, "
                                      "body_rotations, pose_body, rotations or quats, or a layout");
}
