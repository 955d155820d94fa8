/* SPDX-License-Identifier: MIT
 *
 * What formats share that write a file from a motion of any format.
 */
#pragma once

#include "motion/model/model.h"

/* Reports what the format cannot hold, "2 skins", unless count is 0. */
void motion_leave_out(const motion_writing *options, size_t count, const char *one,
                      const char *many);

/* Reports skins, unless they say nothing beside the rest pose. */
pm_status motion_leave_out_skins(const motion_writing *options, pm_error *error);

/* Refuses a motion without nodes; `what` requires them. */
pm_status motion_check_nodes(const pm_motion_content *content, const char *what, pm_error *error);

/* Whether a channel is a rotation or a translation of a node. */
bool motion_is_pose_channel(const pm_motion_channel *channel);

/* Refuses numbers of the rest pose and of the keys that are not finite, or larger than `largest`. */
pm_status motion_check_numbers(const pm_motion_content *content, double largest, pm_error *error);

/* The frames of a clip for formats with one rate. */
typedef struct motion_frames {
    pm_rational rate;            /* 0/0: the times are those of the timeline */
    size_t count;                /* 0: no rotation and no translation of a node has keys */
    const pm_timeline *timeline; /* that has them */
} motion_frames;

/* Finds the frames that the rotations and translations of the nodes have in common. A channel with
 * one key is constant, and one with steps has a value at any time. Refuses keys that are not at one
 * rate, nor at the same times if the format `has_times`; the message names the format. */
pm_status motion_find_frames(const pm_motion_clip *clip, const char *format, bool has_times,
                             motion_frames *frames, pm_error *error);

/* The key of a channel that holds at a frame. */
size_t motion_frame_key(const motion_frames *frames, const pm_motion_clip *clip,
                        const pm_motion_channel *channel, size_t frame);
