/* SPDX-License-Identifier: MIT
 *
 * Jumps of rotations and positions: steps between keys that no motion around them explains, and which of
 * them come back. What `info` counts and `--fill=jumps` repairs.
 */
#pragma once

#include "motion/base/json.h"
#include "motion/model/model.h"

/* The longest gap that is filled, in seconds, unless options say otherwise. */
#define MOTION_LONGEST_GAP 0.5

/* What a rotation jumps by at least, unless options say otherwise: a person does not turn a joint by more
 * between two frames. */
#define MOTION_JUMP_DEGREES 30.0

/* Zero-initialise. */
typedef struct jump_list {
    pm_motion_jump *of; /* malloc'ed */
    size_t count, room;
} jump_list;

/* The angle between two keys of a rotation in degrees, or the distance between two positions. */
double jumps_size(const pm_motion_channel *channel, size_t from, size_t to);

/* Appends the jumps of a channel, by the options' `longest` and `jump_degrees`. False: memory is
 * exhausted. */
bool jumps_of_channel(jump_list *list, const pm_motion_clip *clip, size_t clip_index,
                      size_t channel, const pm_motion_fill_options *options);

/* Those of all channels of a clip. */
bool jumps_of_clip(jump_list *list, const pm_motion_clip *clip, size_t clip_index,
                   const pm_motion_fill_options *options);

/* A jump for people, whose motion may be gone. */
typedef struct jump_shown {
    pm_motion_jump jump;
    char joint[MOTION_PRINTABLE];
    bool turns; /* its size is in degrees */
} jump_shown;

/* Appends jumps to a malloc'ed array of *count. False: memory is exhausted. */
bool jumps_show(jump_shown **shown, size_t *count, const pm_motion_content *content,
                const pm_motion_jump *jumps, size_t jump_count);

/* "21 come back: 'LeftHand' by 177 degrees at key 1247 (10.4 s), 2 keys; ... and 18 more; 12 stay: ...": at most
 * `most` of each kind that is not MOTION_JUMP_START. "" if there are none. */
void jumps_describe(const jump_shown *shown, size_t count, size_t most, const char *const words[2],
                    char *text, size_t size);

/* Writes an array `key` of all. */
void jumps_write(json_writer *json, const char *key, const jump_shown *shown, size_t count);
