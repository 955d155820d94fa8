/* SPDX-License-Identifier: MIT
 *
 * A motion library in memory: the files that its motions are from, its crowd, and which motions there are.
 */
#pragma once

#include <pthread.h>

#include "host/base/holders.h"
#include "motion/library/array_file.h"
#include "motion/model/model.h"

#include <posemill/posemill_library.h>

/* A mapped file, shared by the motions that are from it. */
typedef struct library_part {
    atomic_size_t users;
    array_file file; /* its arena has what `content` does not find in the mapped file */
    pm_library_content content;
} library_part;

/* A motion of a library, which does not change. */
typedef struct library_entry {
    library_part *part; /* a user of it */
    pm_library_motion motion;
    uint32_t clip;
    int64_t ticks; /* the clip's length */
    /* The first root at the start and at the end, in model space; not without an engine */
    float places[2][3], turns[2][4];
} library_entry;

/* The motions at one time. A call holds one while it runs. */
typedef struct library_state {
    size_t count;            /* ids are below it */
    library_entry **entries; /* by id; NULL: there is none */
    double *weights;         /* by id */
    pm_holders holders;
} library_state;

struct pm_library {
    library_part *part; /* whose form, joints and orders the library has */
    pm_engine *engine;  /* NULL: none; then so are skeleton and crowd */
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    pthread_mutex_t changing;
    /* The latest, and the one that the next change makes */
    library_state states[2];
    _Atomic(library_state *) latest;
    /* Clips of removed motions that the crowd still has, because removing them failed */
    uint32_t *stale;
    size_t stale_count, stale_room;
};

/* A state that a call holds. */
typedef struct library_held {
    const library_state *state;
    atomic_size_t *calls;
} library_held;

library_held library_hold(const pm_library *library);
static inline void library_let(const library_held *held) {
    pm_holders_leave(held->calls);
}

/* The motion of an id; NULL: there is none. */
static inline const library_entry *library_find(const library_state *state, uint32_t id) {
    return id < state->count ? state->entries[id] : NULL;
}

/* From the first key to the last, or of a loop its period. */
double library_seconds(const pm_library_motion *motion);

/* Of no part's users. */
void library_close_part(library_part *part);

/* A library of all motions of a part, which it uses from then on. `ids` may be NULL. */
pm_status library_make(library_part *part, pm_engine *engine, const uint32_t *ids,
                       pm_library **library, pm_error *error);

/* Builds the skeleton. */
pm_status library_make_skeleton(const pm_library_content *content, pm_skeleton **skeleton,
                                pm_error *error);

/* Subsets of the crowd behind those of pm_library_subset. */
enum { LIBRARY_FIRST_ROOT = PM_LIBRARY_BALLS + 1 };

/* What rows of keys of a library are. */
typedef struct library_form {
    const pm_library_content *content; /* joints and key format */
    bool coded;
    size_t position_count; /* 1 or that of joints */
} library_form;

library_form library_form_of(const pm_library_content *content);

/* Refuses content whose motions cannot be those of a library of that form. */
pm_status library_check_joins(const library_form *form, const pm_library_content *from,
                              pm_error *error);

/* Rows of keys: where they are, or copies in the arena that are of the form. Rotations are of all joints, or of
 * the first root. */
pm_status library_find_rotations(const library_form *form, const pm_library_content *from,
                                 size_t first, size_t count, motion_arena *arena,
                                 const void **found, pm_error *error);
pm_status library_find_positions(const library_form *form, const pm_library_content *from,
                                 size_t first, size_t count, motion_arena *arena,
                                 const float **found, pm_error *error);

/* Rows of a part among those of a file. */
typedef struct library_span {
    const pm_library_content *from;
    size_t first, count; /* rows of `from` */
    size_t at;           /* rows before */
} library_span;

/* Refuses options that do not fit the content. */
pm_status library_check_writing(const pm_library_content *content,
                                const pm_library_write_options *options, pm_error *error);

/* Writes content, whose rows are those of the spans, one after another. Arrays of rows that the content has are
 * written as they are. */
pm_status library_write(const pm_library_content *c, const library_span *spans, size_t span_count,
                        const pm_library_write_options *options, const char *path, pm_error *error);

#define LIBRARY_FORMAT "posemill motion library"
enum { LIBRARY_VERSION = 1 };

/* Frames at or before a time and after it, and the fraction between. */
typedef struct library_frames {
    uint64_t before, after;
    double u;
} library_frames;

/* Of a motion of `ticks`. Within a tick of a frame, as for poses, a time is that of the frame. Loops whose last frame
 * does not repeat the first have a segment more, of any length. */
library_frames library_find_frames(const pm_library_motion *motion, int64_t ticks, int64_t time,
                                   bool is_clamped);

/* Refuses content that no file has: counts, indices, ranges of rows, names. */
pm_status library_check(const pm_library_content *content, pm_error *error);

/* Refuses content that lacks an array of its skeleton. */
pm_status library_check_given(const pm_library_content *content, pm_error *error);

/* Refuses counts, parents, hinges and bodies of a skeleton that none has; its arrays are there. */
pm_status library_check_skeleton(const pm_library_content *content, pm_error *error);

/* Refuses what is no skeleton of a robot. */
pm_status library_check_robot(const pm_library_content *robot, pm_error *error);

/* Finds the content in the file, and checks it. */
pm_status library_read(library_part *part, pm_error *error);

/* The words of a file for a key format; NULL: there is none. */
const char *library_key_word(pm_key_format format);

/* The first joint without a parent; joint_count: there is none. */
size_t library_root(const pm_library_content *content);

/* Whether that joint is one of a robot's coordinates. */
bool library_root_is_free(const pm_library_content *content);

/* The first coordinate that is a ball; coordinate_count: there is none. */
size_t library_ball(const pm_library_content *content);

/* Encodes rows of rotations of all joints, whose first is `first` in messages. */
pm_status library_encode(const pm_library_content *content, const float *rotations, size_t first,
                         size_t rows, void *codes, pm_error *error);

/* The bytes of an extra's number; 0: it is no type of extras. */
size_t library_extra_size(const char *type);

/* The arrays of a file. Zero-initialise. */
typedef struct library_arrays {
    motion_arena arena;
    file_array *list;
    size_t count;
    size_t rotations, positions, angles, extras; /* indices; extras: of the first */
    double *steps;                               /* of angles in int16, for the caller to fill */
} library_arrays;

/* Lists the arrays of content. With `pieces`, those with a row per frame are written later in so many
 * pieces; 0: they have their data, where the content has. */
pm_status library_list(const pm_library_content *content, const pm_library_write_options *options,
                       size_t pieces, library_arrays *arrays, pm_error *error);

/* Names of joints and bodies in a file, and those of a robot: names decide which is which. */

/* Names of one kind. */
typedef struct robot_names {
    const pm_motion_name *names;
    size_t count;
} robot_names;

/* places[i] receives the place in the file of name i of the robot; PM_NO_INDEX32: the file lacks it.
 * Names are equal byte by byte; or all of them without regard to case and to words such as `joint` at
 * their ends, which a note says, unless `notes` is NULL. Names that only count are in the order of the
 * robot, and so are all where one side has no names. Refused with both lists: a name of the file that the
 * robot lacks, one that is there twice and, with `all`, one of the robot that the file lacks. `kind`:
 * "joint" or "body", for messages. */
pm_status robot_match_names(const char *kind, robot_names file, robot_names robot, bool all,
                            uint32_t *places, motion_notes *notes, pm_error *error);

/* Whether there are names. */
bool robot_has_names(robot_names names);

enum { ROBOT_POSITION, ROBOT_ROTATION, ROBOT_ANGLES, ROBOT_CHANNELS };

/* A clip of a file of robots, and where its parts are. */
typedef struct robot_match {
    const pm_library_content *robot;
    const pm_motion_clip *from;
    const pm_motion_channel *channels[ROBOT_CHANNELS]; /* of the root, and of the joints */
    uint32_t *order;                                   /* the column of each hinge */
    size_t frames;
    motion_notes *notes;
    motion_arena *arena;
} robot_match;

/* Finds the three channels. `bodies` and `places` are then those of the positions. */
pm_status robot_match_clip(robot_match *m, const pm_motion_channel **bodies, pm_motion_name *names,
                           uint32_t *places, pm_error *error);

/* Finds the root among the bodies of a path: by its name, else it is the first. With names, `places` are
 * those of all joints of the robot. */
pm_status robot_find_root(robot_match *m, pm_motion_path path, const pm_motion_channel **bodies,
                          pm_motion_name *names, uint32_t *places, const pm_motion_channel **root,
                          pm_error *error);

/* The bodies that a path has, which the file may name. Returns how many. */
size_t robot_list_bodies(const pm_motion_clip *clip, pm_motion_path path,
                         const pm_motion_channel **bodies, pm_motion_name *names);

/* Whether the places of bodies in a file of a robot are those that its angles give. */

/* Compares at five frames of a clip of pm_library_match_robot. bodies[places[j]] are the positions of joint
 * j; where no joint has a place and there are as many bodies as the robot has, they are in its order.
 * Refuses a distance above a centimetre by the name of the body. */
pm_status robot_check_places(const pm_library_content *robot, const pm_motion_clip *clip,
                             const pm_motion_channel *const *bodies, size_t count,
                             const uint32_t *places, pm_error *error);

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
