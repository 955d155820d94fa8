/* SPDX-License-Identifier: MIT
 *
 * A motion file as a part of a library: its joints in the order of the library's, and rows of its
 * clips.
 */
#pragma once

#include <posemill/posemill_library.h>

#include "motion/base/arena.h"

/* Zero-initialise. Close it also on failure. */
typedef struct library_source {
    const pm_library_build_options *options;
    pm_motion *motion;
    bool is_open; /* the file could be read: errors from here on lack its name */
    const pm_motion_content *content;
    const pm_motion_character *character; /* NULL: of a robot */
    size_t joint_count;
    uint32_t *order; /* the file's joint for each joint of the library */
    motion_arena arena;
} library_source;

pm_status library_open_source(const char *path, const pm_library_build_options *options,
                              library_source *source, pm_error *error);
void library_close_source(library_source *source);

/* Fills the skeleton of a library, all of whose joints are bodies; the memory is the arena's. */
pm_status library_take_skeleton(const library_source *source, motion_arena *arena,
                                pm_library_content *content, pm_error *error);

/* Finds the order of joints. Names decide, and parents must agree. */
pm_status library_match_joints(library_source *source, const pm_library_content *content,
                               pm_error *error);

/* Tells frames, rate and loop of a clip. Refuses one whose keys do not have one rate. */
pm_status library_describe_clip(const library_source *source, size_t clip,
                                pm_library_motion *motion, pm_error *error);

/* The numbers of a robot's clip, (frames, components). */
void library_fill_robot(const library_source *source, size_t clip, pm_motion_path path,
                        float *rows);

/* The rows of another clip: rotations (frames, joints, 4), or positions (frames, position_count, 3). */
void library_fill_rotations(const library_source *source, size_t clip, float *rows);
void library_fill_positions(const library_source *source, const pm_library_content *content,
                            size_t clip, float *rows);

/* Whether a joint other than the root leaves its place in the rest pose. */
bool library_moves_others(const library_source *source, const pm_library_content *content,
                          size_t clip);
