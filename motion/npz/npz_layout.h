/* SPDX-License-Identifier: MIT
 *
 * The table of NPZ layouts: which members are rotations and how, which are vectors, scalars and
 * velocities, and which hold the rate. A row can also be written down as JSON:
 *
 *   {
 *     "name": "mine",
 *     "rotations": [{"member": "poses", "as": "axis-angle", "parts": ["root", "body"]},
 *                   {"member": "quat", "as": "quaternion-wxyz"}],
 *     "vectors": ["pos"],
 *     "scalars": ["joint_pos"],
 *     "velocities": [{"member": "joint_vel", "of": "joint_pos"},
 *                    {"member": "ang_vel", "of": "quat"}],
 *     "rates": ["fps"],
 *     "constants": ["betas", "names"]
 *   }
 *
 *   rotations   "as" is "axis-angle", "quaternion-xyzw" or "quaternion-wxyz"; "parts" are members
 *               with the columns of the member, side by side
 *   velocities  derivatives per second of a member "of" vectors or scalars; of a rotation its
 *               angular velocity, in the frame in which the rotation stands
 *   rates       frames per second; the two spellings of AMASS are always read too
 *   constants   carried over even if they happen to have as many rows as there are frames
 *   extends     the name of a layout whose members are read too, unless they are named anew
 *
 * Only "rotations" is required, unless another layout is extended. A file need not have all members, but one of the rotations. An
 * unknown key is refused.
 */
#pragma once

#include "motion/npz/zip.h"

typedef enum npz_role {
    NPZ_CONSTANT = 0,
    NPZ_RATE,
    NPZ_AXIS_ANGLE,
    NPZ_QUATERNION, /* in the order of the layout */
    NPZ_XYZW,
    NPZ_WXYZ,
    NPZ_PART, /* columns of an axis-angle member */
    NPZ_VECTOR,
    NPZ_SCALAR,
    NPZ_VELOCITY,
    NPZ_NEAREST /* of no layout: takes the nearest earlier frame */
} npz_role;

/* Whether the role is a rotation of its own; parts are columns of another. */
bool npz_is_rotation(npz_role role);

typedef struct npz_field {
    const char *member; /* without .npy */
    npz_role role;
    const char *of;    /* of parts and velocities */
    const char *names; /* of bodies, and of joints whose angles are scalars: the member with them */
} npz_field;

/* What rotations and vectors are relative to. */
typedef enum npz_frame {
    NPZ_UNKNOWN = 0,
    NPZ_WORLD,
    NPZ_PARENT /* the root's, which comes first, to the world */
} npz_frame;

typedef struct npz_layout {
    const char *name;
    const npz_field *fields;
    size_t count;
    npz_role order; /* of quaternions: NPZ_XYZW or NPZ_WXYZ */
    npz_frame frame;
    double unit_mm; /* of lengths, and the axis that points up. 0: it does not say */
    pm_motion_up up;
    int rate;         /* frames per second of files without a rate; 0: they are refused */
    const char *twin; /* the layout with quaternions in the other order. NULL: none */
    bool has_times;   /* files without a rate may have the times of their frames */
    bool is_given;    /* by the options: what it says is not doubted */
} npz_layout;

/* The row of the table; NULL if there is none. */
const npz_layout *npz_layout_named(const char *name);

/* How many members of the layout the archive has; 0 without a rotation. */
size_t npz_layout_score(const npz_layout *layout, const zip_archive *archive);

/* The row that has the most. */
pm_status npz_find_layout(const zip_archive *archive, npz_layout *layout, pm_error *error);

enum { NPZ_LAYOUT_LIST = 160 };

/* Writes the names of all rows: "amass, amass-x, ...". */
const char *npz_layout_names(char text[NPZ_LAYOUT_LIST]);

/* Whether the name of a member is this one and `.npy`. */
bool npz_is_named(const zip_member *member, const char *name);

/* The member of an archive whose name is that of the field and `.npy`. More than one is refused;
 * *index is SIZE_MAX if there is none. */
pm_status npz_find(const zip_archive *archive, const char *name, size_t *index, pm_error *error);

/* The layout of the options, or the one with the most members in the archive. */
pm_status npz_choose_layout(const motion_input *input, const zip_archive *archive,
                            motion_arena *arena, npz_layout *layout, pm_error *error);

/* Reads a layout from JSON. `path` is for messages. */
pm_status npz_parse_layout(const char *text, size_t size, const char *path, motion_arena *arena,
                           npz_layout *layout, pm_error *error);
