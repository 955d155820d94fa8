/* SPDX-License-Identifier: MIT
 *
 * Random crowds for tests: a skeleton, clips of every kind, instances, and the errors of a crowd's
 * results against the crowd oracle. The same seed gives the same scene on every machine.
 */
#ifndef POSEMILL_TESTS_CROWD_SCENE_H
#define POSEMILL_TESTS_CROWD_SCENE_H

#include "check.h"
#include "oracle/crowd_oracle.h"
#include "variants.h"

#define SCENE_CLIPS_MAX 4
#define SCENE_LEVELS 3
#define SCENE_MASKS 2
#define SCENE_SUBSETS 2
#define SCENE_CHAINS 4

typedef enum scene_shape { SCENE_TREE = 0, SCENE_CHAIN, SCENE_FOREST } scene_shape;

/* Uniform keys; listed keys that start after 0; one timeline per joint, all of one length; one
 * timeline per joint of any start and length, some with a single key; or per-joint timelines that
 * start up to 40 loop periods after one another, a third of them uniform. */
typedef enum scene_times {
    SCENE_UNIFORM = 0,
    SCENE_LISTED,
    SCENE_PER_JOINT,
    SCENE_PER_JOINT_UNEVEN,
    SCENE_STAGGERED
} scene_times;

typedef enum scene_binds { SCENE_BIND_AT_REST = 0, SCENE_BIND_RIGID, SCENE_BIND_ANY } scene_binds;

typedef struct scene_options {
    uint64_t salt;
    size_t joints; /* 0: 11 */
    size_t clips;  /* 0: 3 */
    scene_shape shape;
    scene_times times;
    scene_binds binds;
    const variant *curve; /* NULL: slerp */
    pm_vector_method vector_method;
    pm_key_format key_format; /* for uniform keys */
    bool looped;
    bool without_positions;
    bool root_positions; /* clips have the positions of joint 0 alone */
    bool scales;         /* of clips */
    bool rest_scales;    /* of the rest pose, some of them negative */
    bool windows;        /* of sterp, for each joint in each clip */
} scene_options;

typedef struct scene {
    scene_options options;
    size_t joints, clip_count;
    int32_t *parents;
    float *rotations, *positions, *scales, *binds, *masks, *radii;
    uint8_t *animated;
    pm_level levels[SCENE_LEVELS]; /* all joints, most joints, few joints */
    uint32_t *listed;
    pm_subset subsets[SCENE_SUBSETS]; /* one joint; half of the joints in a random order */
    uint32_t last;
    uint32_t limb[4],
        stand[2]; /* the first joints that are one below another; the first and last of them */
    /* Of the last joint: a pin, and an aim of it alone. Where there is a limb: its two bones, and that it stands. */
    pm_chain chains[SCENE_CHAINS];
    pm_skeleton_desc skeleton_desc;
    track_set sets[SCENE_CLIPS_MAX];
    pm_timeline uniform[SCENE_CLIPS_MAX];
    double periods[SCENE_CLIPS_MAX]; /* for SCENE_STAGGERED */
    pm_clip_desc clips[SCENE_CLIPS_MAX];
    pm_clip_desc stored[SCENE_CLIPS_MAX]; /* with keys as the key format stores them */
    float *keys[SCENE_CLIPS_MAX];
    pm_windows *windows[SCENE_CLIPS_MAX];
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    const uint32_t *order;
    crowd_oracle *oracle;
} scene;

/* Fails the test when the library refuses a description. Freed with scene_free. */
void scene_make(pm_engine *engine, const scene_options *options, scene *s);
void scene_free(scene *s);

/* For tests that change descriptions: destroys the library's objects and the oracle, and makes them
 * again. */
void scene_undo(scene *s);
void scene_finish(pm_engine *engine, scene *s);

/* Gives the clips the positions of one joint alone, the root of a scene that is not finished. The
 * descriptions that the oracle reads have those of all joints, which rest: the keys have the rest pose,
 * and the tangents are 0. */
void scene_root_alone(scene *s, size_t root);

/* pm_crowd_create that fails the test on an error, with a skeleton made first. The caller destroys
 * both. */
pm_crowd *crowd_make(pm_engine *engine, const pm_skeleton_desc *skeleton_desc,
                     const pm_clip_desc *clips, size_t clip_count, pm_skeleton **skeleton);

/* An instance that pm_crowd_check_instances accepts: any clips; times within a few laps or days
 * away; weights of 0, of 1 and between; any masks, levels and flags. */
pm_crowd_instance scene_instance(random_source *source, const scene *s);

/* As many of them, from a source of their own. */
void scene_instances(const scene *s, uint64_t salt, size_t count, pm_crowd_instance *instances);

/* As many instances as the widest vector of a kernel. */
enum { SCENE_VECTOR = 16 };

/* Likewise, but SCENE_VECTOR neighbours, by `index`, have the same of blending, additive blending,
 * masks, levels and staying in place: kernels have paths of their own where no instance of a vector
 * has one of them. The first neighbours have none. */
pm_crowd_instance scene_alike_instance(random_source *source, const scene *s, size_t index);

/* An instance of random bytes, most of whose fields are out of range. */
pm_crowd_instance scene_bad_instance(random_source *source, const scene *s);

size_t scene_floats(const scene *s, pm_crowd_output output, size_t count);

/* Guarded records of all instances. Fails unless all of them were written and nothing else. */
float *scene_pose(const scene *s, pm_crowd_output output, const pm_crowd_instance *instances,
                  size_t count, bool on_reference);

/* The largest errors of matrices against the oracle: of the linear part, relative to its stretch,
 * and of the translation, relative to the length of the chain. */
typedef struct scene_error {
    double linear, shift;
} scene_error;

/* For matrices and bounds; dual quaternions are converted to matrices first. The records are those of
 * one instance, whose poses are given. */
scene_error scene_worst_of(const scene *s, pm_crowd_output output, const float *records,
                           const joint_pose *poses);
scene_error scene_worst(const scene *s, pm_crowd_output output, const float *records,
                        const pm_crowd_instance *instances, size_t count);

/* Fails above 2e-6; prints the errors. */
void scene_expect(const scene *s, pm_crowd_output output, const float *records,
                  const pm_crowd_instance *instances, size_t count, const char *what);

/* The value of a half float. */
double half_value(uint16_t bits);

#endif
