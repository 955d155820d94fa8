/* SPDX-License-Identifier: MIT
 *
 * Motion libraries: archives of clips of one skeleton, from which states of thousands of bodies are
 * sampled at (motion, time) pairs. The file is a stored NPZ whose members begin at multiples of 64
 * bytes: numpy.load reads it, and it is mapped here. The conventions of posemill.h and
 * posemill_motion.h apply; docs/learning.md is the guide. Requires a build with POSEMILL_NPZ.
 *
 *   row          the keys of all joints at one frame; the rows of all motions are in common arrays
 *   body         a joint of the results, in an order of the library's
 *   dof          a hinge of the results
 */
#ifndef POSEMILL_LIBRARY_H
#define POSEMILL_LIBRARY_H

#include <posemill/posemill_motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pm_library_motion {
    pm_motion_name name; /* names differ */
    /* Its rows, at least one. Motions may share rows, but all together have at most 4 times as many frames
     * as there are rows, or 2^20 frames times joints: each has memory of its own */
    uint64_t first, frames;
    pm_rational rate; /* frames per second */
    double weight;    /* of random choices: from 0 on, not all 0 */
    double loop;      /* seconds, as in pm_clip_desc; 0: open */

    const void *next; /* must be NULL */
} pm_library_motion;

enum { PM_LIBRARY_MAX_RANK = 32 };

/* A column of numbers beside the keys, such as contacts and phases. Floats are interpolated
 * linearly; integers and booleans are those of the nearest frame that is not later. */
typedef struct pm_library_extra {
    pm_motion_name name;               /* printable UTF-8 without slashes, at most 200 characters */
    char type[8];                      /* as NumPy has it: <f4, |b1, |i1, |u1, <i2 to <u8 */
    size_t rank;                       /* at least 1 */
    size_t shape[PM_LIBRARY_MAX_RANK]; /* shape[0] is the number of rows */
    const void *data;

    const void *next; /* must be NULL */
} pm_library_extra;

/* What a file holds. Arrays are packed. */
typedef struct pm_library_content {
    size_t joint_count;
    const pm_motion_name *joint_names;
    const int32_t *parents;
    const double *rotations; /* (joint_count, 4): the rest pose, as in pm_skeleton_desc */
    const double *positions; /* (joint_count, 3) */
    /* (joint_count, 3): centres of mass in the joints' frames. NaN: that of a joint is not known, and its
     * velocity is refused. NULL: none */
    const float *points;

    const double *axes;       /* (joint_count, 3) of hinges; all 0: a ball joint. NULL: no hinges */
    const double *references; /* (joint_count): angles of the rest pose. NULL with axes NULL */
    const uint32_t *hinges;   /* hinge_count joints with an axis, in the order of angles */
    const pm_motion_name *hinge_names;
    size_t hinge_count;
    /* (hinge_count): joints without limits, whose angles in files may be wrapped. Used by
     * pm_library_match_robot, and not stored. NULL: none */
    const bool *continuous;

    const uint32_t *bodies; /* joints: the bodies of results, each at most once */
    size_t body_count;      /* at least 1 */
    const uint32_t *dofs;   /* indices of `hinges`: the dofs of results, each at most once */
    size_t dof_count;

    const pm_library_motion *motions;
    size_t motion_count; /* at least 1 */
    pm_method method;
    pm_key_format key_format; /* of crowds, and of key_codes */

    uint64_t row_count;
    const float *root_rotations; /* with hinges, without balls: (row_count, 4), of the first root */
    /* Else (row_count, joint_count, 4); those of hinges have no effect. NULL: key_codes */
    const float *key_rotations;
    /* (row_count, position_count, 3): of the first root alone, or of all joints. NULL: all are those
     * of the rest pose. With hinges at most 1. */
    const float *key_positions;
    size_t position_count;
    const float *angles; /* with hinges: (row_count, hinge_count) in rad */

    const pm_library_extra *extras;
    size_t extra_count;

    /* In place of key_rotations: rows of pm_keys_encode, in key_format. They are written so. */
    const void *key_codes;

    /* Of robots: the joints of MuJoCo's qpos, in its order: all hinges in their order, balls, which
     * have no axis, and the first root if it moves freely. With coordinate_count 0 these are the first
     * root, unless it is a hinge, and the hinges. */
    const uint32_t *coordinates;
    const pm_motion_name *coordinate_names; /* of joints, and of the root's body */
    size_t coordinate_count;

    const void *next; /* must be NULL */
} pm_library_content;

typedef struct pm_library_write_options {
    /* true: angles are stored as int16 in steps, which are of each hinge its largest angle / 32767 */
    bool short_angles;
    size_t threads; /* 0: as many as there are processors */
    /* true: rotations are stored in key_format, which has 48 bits, so that opening the file encodes
     * nothing. Without hinges. */
    bool coded_keys;

    const void *next; /* must be NULL */
} pm_library_write_options;

/* Writes a file, which appears when it is complete. `options` may be NULL. Blocks. Thread-safe. */
PM_API pm_status pm_library_write(const pm_library_content *content,
                                  const pm_library_write_options *options, const char *path,
                                  pm_error *error);

typedef struct pm_library_build_options {
    pm_motion_read_options reading; /* its log and observer are called on all threads */
    pm_method method;
    pm_key_format key_format;
    double scale;      /* factor of all lengths, such as 0.01. 0: 1 */
    int quarter_turns; /* of the world about x: 1 makes y-up files z-up, -1 the reverse */
    size_t threads;    /* 0: as many as there are processors */
    /* Called on the calling thread. NULL: not called */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *progress_user;
    bool coded_keys; /* as in pm_library_write_options */
    /* The skeleton of a robot, which files of robots do not have: the fields up to dof_count, with
     * hinges, and coordinates, without balls. Clips are matched by pm_library_match_robot. A joint turns
     * about one axis through its own origin: further hinges of a body, and those whose anchor is
     * elsewhere, are joints that are no bodies. NULL: files have joints. */
    const pm_library_content *robot;
    /* Frames per second to which clips are resampled, each by its own interpolation where its format has
     * some, otherwise by slerp and lines. What the files' own rate is says reading.source_rate. 0/0: clips
     * are not resampled, and have a rate */
    pm_rational rate;
    /* Gaps of each file are filled, as by pm_motion_fill, with a warning; `reading` must have keep_nan.
     * NULL: they are not */
    const pm_motion_fill_options *fill;

    const void *next; /* must be NULL */
} pm_library_build_options;

/* The motion of a robot that a file of robots has, in memory: each clip has a channel of no node with the
 * positions of the first root, one with its rotations, and one with the angles of `hinges` in their order. Lengths
 * are metres and angles radians, whatever the file says that it has: BONES-SEED's CSV has centimetres and degrees.
 *
 * Names decide where both sides have them. Columns of joints whose names are in another order are brought
 * into that of the robot; other names are refused with both lists. The root is the body with its name; in
 * arrays of bodies without names, the first. Where the file has positions of bodies, they are compared with
 * those that the angles give at five frames: a distance above 0.01 is refused with the body's name.
 *
 * Angles of `continuous` joints that begin a turn anew go on; notes of the motion say so, and name other
 * joints that step by more than half a turn. `robot`: as in pm_library_build_options. Destroy the motion with
 * pm_motion_destroy; the other one may be destroyed before. Thread-safe. */
PM_API pm_status pm_library_match_robot(const pm_motion *motion, const pm_library_content *robot,
                                        pm_motion **matched, pm_error *error);

/* Swaps left and right of a motion of a robot, as pm_motion_mirror does of a motion with nodes: the angles of
 * hinges of both sides change places, and are negated where the mirror image of an axis, which is that of a
 * turn, points against the axis of the other side; those of hinges in the middle likewise. The root, and
 * bodies that the file has, are mirrored across the plane. Pairs are found by the names of hinges and bodies,
 * or by `options->pairs`; they and `options->normal` are as there, with nodes that are joints of `robot`.
 * Other numbers of the file stay, which notes of the result say.
 *
 * Refused with PM_ERROR_FILE, beside what pm_library_match_robot and pm_motion_mirror refuse: names of hinges
 * and of bodies that pair differently, axes that are no mirror images, and a body in the file without its
 * partner. The result has the columns of the file: pm_motion_convert writes it. Twice is the identity to the
 * bit where the angles of the rest pose are mirror images and all rest rotations are, up to half turns.
 * `options` and `report` may be NULL. Thread-safe. */
PM_API pm_status pm_library_mirror_robot(const pm_motion *motion, const pm_library_content *robot,
                                         const pm_motion_mirror_options *options,
                                         pm_motion **mirrored, pm_motion_mirror_report *report,
                                         pm_error *error);

/* Writes the clips of motion files, each of them a motion, to a library's file. A thread holds
 * one motion at a time, so memory does not grow with the number of files, which are read twice.
 * All files have joints with the names and the parents of the first one's, in any order, or are
 * those of a robot; clips have a rate, or are resampled to one. Names of motions are those of the
 * files, with the clip's where a file has several; names that are taken are numbered. Where only the
 * first root moves, positions are those of it alone. `options` may be NULL. Blocks. Thread-safe. */
PM_API pm_status pm_library_build(const char *const *paths, size_t path_count,
                                  const pm_library_build_options *options, const char *output,
                                  pm_error *error);

/* An open library. Its motions have ids from 0 on, which are never used again for other motions. Motions may
 * be added and removed while other threads sample. Thread-safe. */
typedef struct pm_library pm_library;

typedef struct pm_library_open_options {
    size_t threads; /* that compare digests. 0: as many as there are processors */
    /* Methods and orders in place of those of the file. NULL: those of the file. Codes of another
     * key_format become float32. */
    const pm_method *method;
    const pm_key_format *key_format;
    const uint32_t *bodies;
    size_t body_count;
    const uint32_t *dofs;
    size_t dof_count;
    /* (motions of the file): the id of each, ascending. NULL: 0, 1, 2 and so on */
    const uint32_t *ids;

    const void *next; /* must be NULL */
} pm_library_open_options;

/* Maps a file, which must not change while the library exists; renaming another one into its place
 * does not change it. Every size, offset and digest is checked. A file that is damaged is refused,
 * and the message names the member. With an engine the clips are uploaded for pm_library_sample;
 * NULL: the library has its content alone. `options` may be NULL. Blocks. */
PM_API pm_status pm_library_open(pm_engine *engine, const char *path,
                                 const pm_library_open_options *options, pm_library **library,
                                 pm_error *error);

/* Makes a library of motions of another one, which is not changed, in the order of `ids`. Their ids are 0, 1,
 * 2 and so on. Rows of files are shared. `engine`: as in pm_library_open. PM_ERROR_ARGUMENT: an id is of no
 * motion, or listed twice. Blocks. Thread-safe. */
PM_API pm_status pm_library_select(pm_engine *engine, const pm_library *library,
                                   const uint32_t *ids, size_t count, pm_library **selected,
                                   pm_error *error);

/* Clears the handle; takes NULL. No call may be in progress with the library. */
PM_API void pm_library_destroy(pm_library **library);

/* What the file holds from which the library was opened, or the one that it was selected from, in its mapped
 * memory; valid until the library is destroyed. Changes of the library do not change it. NULL for NULL. */
PM_API const pm_library_content *pm_library_get_content(const pm_library *library);

/* The crowd of the library, whose clips are the motions; NULL without an engine. The number of a motion's clip
 * is pm_library_motion_info.clip. It is the id, unless pm_library_open_options.ids were given or a motion has been
 * removed. */
PM_API pm_crowd *pm_library_get_crowd(const pm_library *library);

/* The ids of all motions, ascending. Returns how many there are, and writes at most `room`. */
PM_API size_t pm_library_list(const pm_library *library, uint32_t *ids, size_t room);

typedef struct pm_library_motion_info {
    /* The name is valid until the motion is removed. `first` is a row of the file that the motion is from. */
    pm_library_motion motion;
    uint32_t clip;  /* of the crowd */
    double seconds; /* from the first key to the last, or of a loop its period */

    const void *next; /* NULL */
} pm_library_motion_info;

/* False: there is no such motion, and `info` stays as it is. */
PM_API bool pm_library_get_motion(const pm_library *library, uint32_t id,
                                  pm_library_motion_info *info);

/* Motions that leave a library, and motions of another one that join it, in one step. */
typedef struct pm_library_edit {
    const uint32_t *removed; /* ids, each once */
    size_t removed_count;
    /* Another open library, with or without an engine: joints with the same names, parents and rest pose in
     * the same order, the same hinges and extras. Rows become those of the library: float32, or codes of its
     * key format. Where it stores positions of the root alone, motions that move other joints are refused.
     * `from` may be destroyed afterwards: files are shared. NULL: none are added */
    const pm_library *from;
    const uint32_t *motions; /* ids of `from`, each once */
    size_t motion_count;

    const void *next; /* must be NULL */
} pm_library_edit;

/* Changes a library while other threads sample: a call shows the motions before the change or those after it.
 * ids[i] receives the id of motion i that was added, the next one that no motion has had; `ids` may be NULL.
 * Names of motions differ, so a motion is replaced by a change that removes it and adds another one. At least
 * one motion is left.
 *
 * Blocks for as long as building the added clips takes, and until calls that show removed motions have ended.
 * On failure the library is as it was. Thread-safe. */
PM_API pm_status pm_library_change(pm_library *library, const pm_library_edit *edit, uint32_t *ids,
                                   pm_error *error);

/* Sets weights of motions, from 0 on. Blocks. Thread-safe. */
PM_API pm_status pm_library_set_weights(pm_library *library, const uint32_t *ids,
                                        const double *weights, size_t count, pm_error *error);

/* The motions that process `rank` of `world` learns from, ascending: `count` receives how many they are, and `ids`
 * at most `room` of them. The longest motions are dealt first, each to the process with the least seconds so far,
 * so that the sums of two processes differ by no more than the longest motion. Thread-safe. */
PM_API pm_status pm_library_shard(const pm_library *library, size_t rank, size_t world,
                                  uint32_t *ids, size_t room, size_t *count, pm_error *error);

/* Writes the motions of a library in the order of their ids, without rows that no motion has. The file appears
 * when it is complete. Rotations that are codes are written so. `options` may be NULL. Blocks, as changes of the
 * library do until it is written. Thread-safe. */
PM_API pm_status pm_library_save(const pm_library *library, const pm_library_write_options *options,
                                 const char *path, pm_error *error);

/* Adds all motions of a library behind those of a file, which keeps the form of its rotations and angles. A new
 * file is written beside it and takes its place when it is complete and flushed: after a crash there is one of the
 * two, whole. Libraries that have mapped the old file keep it. Refuses what pm_library_change refuses. If two
 * processes append at the same time, the motions of one may be lost. Blocks. Thread-safe. */
PM_API pm_status pm_library_append(const char *path, const pm_library *library, pm_error *error);

/* The subsets of the crowd, for targets. */
typedef enum pm_library_subset {
    PM_LIBRARY_JOINTS = 0, /* all joints, in skeleton order */
    PM_LIBRARY_BODIES,
    PM_LIBRARY_ROOT, /* of robots the first root if it moves freely, else the first body */
    PM_LIBRARY_DOFS, /* PM_CROWD_ANGLE and PM_CROWD_ANGLE_RATE */
    PM_LIBRARY_BALLS /* of robots: coordinates that are balls, without the root */
} pm_library_subset;

/* A column of extras and its destination. Those of motions that do not exist are 0. */
typedef struct pm_library_extra_target {
    size_t extra; /* index */
    void *memory; /* packed rows of the column's type, one for each instance */
} pm_library_extra_target;

/* What a time before the first key or past the end shows. */
typedef enum pm_library_wrap {
    PM_LIBRARY_CLAMP = 0, /* the pose at that end */
    PM_LIBRARY_WRAP,      /* times are modulo the length of the motion */
    /* The same, and the way goes on: lap k of a motion is moved by M^k. M is the motion of the first root from
     * the start to the end, without what is not on the ground: a turn about the vertical, and a shift. Height and
     * tilt are those of the clip. Lap k has the times from k to k + 1 lengths, without the latter. Of a motion
     * with a loop whose last key leads back to the first, M is the identity. */
    PM_LIBRARY_CONTINUE
} pm_library_wrap;

typedef struct pm_library_job {
    /* The motion of each pair. One that does not exist shows the rest pose without velocities. */
    const uint32_t *motions;
    size_t count;
    const double *times;  /* (count) seconds from the first key; NaN is 0. NULL: `steps` */
    const int64_t *steps; /* (count) times steps / rate, exactly. */
    pm_rational rate;     /* of steps */
    /* (offset_count) seconds that are added to each time: instance i * offset_count + k is pair i at
     * offset k. NULL: one instance for each pair */
    const double *offsets;
    size_t offset_count;
    pm_library_wrap wrap;
    /* With PM_LIBRARY_CONTINUE: PM_MOTION_UP_Y or PM_MOTION_UP_Z. PM_MOTION_UP_FOUND: z for skeletons with hinges,
     * others are refused */
    pm_motion_up up;
    const pm_placement *placements; /* (count), of pairs; as in pm_crowd_job */
    const float *speeds;            /* (count) */
    const pm_crowd_target *outputs; /* of instances; `subset` is a pm_library_subset */
    size_t output_count;
    const pm_library_extra_target *extras;
    size_t extra_count;
    bool on_reference; /* as in pm_crowd_job */
    /* true: PM_ERROR_ARGUMENT where a motion does not exist */
    bool refuse_missing;

    const void *next; /* must be NULL */
} pm_library_job;

/* Samples states into host memory. Blocks. Thread-safe. */
PM_API pm_status pm_library_sample(const pm_library *library, const pm_library_job *job,
                                   pm_error *error);

/* Draws of (motion, time) pairs that follow a rule. Each motion has bins of equal time, and a bin a chance;
 * within a bin, times are uniform. */
typedef struct pm_curriculum pm_curriculum;

typedef enum pm_curriculum_rule {
    /* A motion's chance is proportional to its weight, whatever its length. */
    PM_CURRICULUM_WEIGHTS = 0,
    /* That of mjlab 1.6 (MotionCommand, tasks/tracking), which is BeyondMimic's: c is an exponential average of
     * the failures of each bin, c = average * failures + (1 - average) * c at each report. A bin's chance is
     * proportional to its motion's weight times
     *     sum over i < kernel_size of lambda^i * x(b + i) / sum of lambda^i,   x = c + ratio / (number of all bins),
     * where bins past the last one of a motion count as that one. */
    PM_CURRICULUM_MJLAB,
    /* That of PHC (MotionLibBase.update_sampling_prob; "soft" in its evaluation): a motion's chance is proportional
     * to its weight times its share of the failures of the last report, which is that of an evaluation, but at
     * least to floor / (number of motions). Without failures it is the weight's. */
    PM_CURRICULUM_PHC
} pm_curriculum_rule;

typedef struct pm_curriculum_desc {
    pm_curriculum_rule rule;
    /* Seconds, above 0: a motion has the fewest bins that are no longer. At most 2^31 in all */
    double bin_seconds;
    /* Seconds before the end of each motion in which no time is drawn, such as the longest offset. Motions
     * that are shorter have the time 0 alone. */
    double window;
    uint64_t seed;
    /* Of PM_CURRICULUM_MJLAB. 0: 0.001, 0.1, 0.8 and 1, which are mjlab's */
    double average, ratio, lambda;
    size_t kernel_size;
    double floor; /* of PM_CURRICULUM_PHC, up to 1. 0: 0.1 */

    const void *next; /* must be NULL */
} pm_curriculum_desc;

/* Keeps no pointer to the library. */
PM_API pm_status pm_curriculum_create(const pm_library *library, const pm_curriculum_desc *desc,
                                      pm_curriculum **curriculum, pm_error *error);

/* Clears the handle; takes NULL. */
PM_API void pm_curriculum_destroy(pm_curriculum **curriculum);

/* Takes motions and weights of the library as they are now. Motions that stay keep their failures, and excluded
 * ones stay excluded. Blocks. Thread-safe, as all of a curriculum. */
PM_API pm_status pm_curriculum_follow(pm_curriculum *curriculum, const pm_library *library,
                                      pm_error *error);

/* The motions that are not drawn, in place of those before. PM_ERROR_ARGUMENT: there is no such motion. */
PM_API pm_status pm_curriculum_exclude(pm_curriculum *curriculum, const uint32_t *motions,
                                       size_t count, pm_error *error);

/* Draws `count` pairs, with replacement. `of` (count): motions that are given, in which times alone are drawn, by
 * the chances of their bins; uniformly where these are 0, so of excluded motions, too. NULL: motions are
 * drawn. `motions` may be NULL with `of`. PM_ERROR_ARGUMENT: all chances are 0, or a motion does not exist. */
PM_API pm_status pm_curriculum_draw(pm_curriculum *curriculum, const uint32_t *of, size_t count,
                                    uint32_t *motions, double *times, pm_error *error);

/* What became of episodes that ended at times of motions. Counts the failures, and changes chances by the rule.
 * Motions that the curriculum does not have, because they were removed, are passed over. */
PM_API pm_status pm_curriculum_report(pm_curriculum *curriculum, const uint32_t *motions,
                                      const double *times, const bool *failed, size_t count,
                                      pm_error *error);

/* What a curriculum goes on from. Arrays that are not NULL are read or written. */
typedef struct pm_curriculum_state {
    /* Of PCG64 (XSL-RR 128/64), as NumPy has it: state and increment, each its upper half and its lower. A motion
     * takes a draw, then a time; a draw is the upper 53 bits of a number. */
    uint64_t generator[4];
    size_t motion_count, bin_count;
    uint32_t *motions; /* (motion_count) ids, ascending */
    uint32_t *bins;    /* (motion_count) how many they have */
    bool *excluded;    /* (motion_count) */
    double *
        failures; /* (bin_count): c, or the failures of the last report; by motions, in the order of time */
    double *chances; /* (bin_count), whose sum is 1, or 0 where none can be drawn. Not read */

    const void *next; /* must be NULL */
} pm_curriculum_state;

/* Fills the generator, the counts, and the arrays that are not NULL, which have room for the counts in `state`.
 * PM_ERROR_SIZE where that is too little: then the arrays stay as they are. */
PM_API pm_status pm_curriculum_get_state(pm_curriculum *curriculum, pm_curriculum_state *state,
                                         pm_error *error);

/* Goes on from a state with the same motions and bins, with which all arrays but `chances` are required;
 * others are refused with PM_ERROR_ARGUMENT, and nothing changes. */
PM_API pm_status pm_curriculum_set_state(pm_curriculum *curriculum,
                                         const pm_curriculum_state *state, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
