/* SPDX-License-Identifier: MIT
 *
 * Random crowds for tests: a skeleton, clips of every kind, instances, and the errors of what a
 * crowd gives against the oracle of crowds. The same seed gives the same scene everywhere.
 */
#ifndef POSEMILL_TESTS_CROWD_SCENE_H
#define POSEMILL_TESTS_CROWD_SCENE_H

#include "check.h"
#include "oracle/crowd_oracle.h"
#include "variants.h"

#define SCENE_CLIPS_MAX 4
#define SCENE_LEVELS 3
#define SCENE_MASKS 2

typedef enum scene_shape { SCENE_TREE = 0, SCENE_CHAIN, SCENE_FOREST } scene_shape;

/* Uniform keys; listed ones that begin after 0; a timeline a joint, all of one length; or of any,
 * from any time on, of a single key too; or such ones that begin up to 40 periods of a loop after
 * one another, a third of them uniform. */
typedef enum scene_times {
    SCENE_UNIFORM = 0,
    SCENE_LISTED,
    SCENE_PER_JOINT,
    SCENE_PER_JOINT_UNEVEN,
    SCENE_LAGGING
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
    pm_key_format key_format; /* of uniform keys */
    bool looped;
    bool without_positions;
    bool scales;      /* of clips */
    bool rest_scales; /* of the rest pose, some of them negative */
    bool windows;     /* of sterp, of each joint in each clip */
} scene_options;

typedef struct scene {
    scene_options options;
    size_t joints, clip_count;
    int32_t *parents;
    float *rotations, *positions, *scales, *binds, *masks;
    uint8_t *animated;
    pm_level levels[SCENE_LEVELS]; /* all joints, most of them, few of them */
    pm_skeleton_desc skeleton_desc;
    track_set sets[SCENE_CLIPS_MAX];
    pm_timeline uniform[SCENE_CLIPS_MAX];
    double periods[SCENE_CLIPS_MAX]; /* of SCENE_LAGGING */
    pm_clip_desc clips[SCENE_CLIPS_MAX];
    pm_clip_desc stored[SCENE_CLIPS_MAX]; /* with keys as the format stores them */
    float *keys[SCENE_CLIPS_MAX];
    pm_windows *windows[SCENE_CLIPS_MAX];
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    const uint32_t *order;
    crowd_oracle *oracle;
} scene;

/* Fails the test when the library refuses any of it; free with scene_free. */
void scene_make(pm_engine *engine, const scene_options *options, scene *s);
void scene_free(scene *s);

/* For tests that change descriptions: lets the library's objects and the oracle go, and makes
 * them anew. */
void scene_undo(scene *s);
void scene_finish(pm_engine *engine, scene *s);

/* pm_crowd_create that fails the test, of a skeleton made first; the caller destroys both. */
pm_crowd *crowd_make(pm_engine *engine, const pm_skeleton_desc *skeleton_desc,
                     const pm_clip_desc *clips, size_t clip_count, pm_skeleton **skeleton);

/* One that pm_crowd_check_instances accepts: any clips, times of some rounds to either side or of
 * days, weights of 0, of 1 and between, masks, levels and flags. */
pm_crowd_instance scene_instance(random_source *source, const scene *s);

/* One of any 32 bytes, most of whose fields name nothing. */
pm_crowd_instance scene_bad_instance(random_source *source, const scene *s);

size_t scene_floats(const scene *s, pm_crowd_output output, size_t count);

/* Guarded records of all instances, all of them written and nothing beside them. */
float *scene_pose(const scene *s, pm_crowd_output output, const pm_crowd_instance *instances,
                  size_t count, bool on_reference);

/* The largest errors of matrices against the oracle: of the linear part, relative to how much it
 * stretches, and of the translation, relative to the length of the chain. */
typedef struct scene_error {
    double linear, shift;
} scene_error;

/* Of records that are matrices; of dual quaternions, of the matrices that they mean. */
scene_error scene_worst(const scene *s, pm_crowd_output output, const float *records,
                        const pm_crowd_instance *instances, size_t count);

/* Fails above 2e-6; prints what it found. */
void scene_expect(const scene *s, pm_crowd_output output, const float *records,
                  const pm_crowd_instance *instances, size_t count, const char *what);

/* A number that 16 bits are. */
double half_value(uint16_t bits);

#endif
