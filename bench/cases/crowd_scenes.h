/* SPDX-License-Identifier: MIT
 *
 * The crowds of the bench: a table of scenes, and the skeleton, clips and instances of a scene. A
 * scene is the same on every machine.
 */
#ifndef POSEMILL_BENCH_CROWD_SCENES_H
#define POSEMILL_BENCH_CROWD_SCENES_H

#include "cases.h"
#include "motion/base/arena.h"

/* What poses the crowd. */
typedef enum crowd_way {
    CROWD_DEVICE,   /* results left in device memory; samples are joints */
    CROWD_HOST,     /* the reference path, into host memory */
    CROWD_CALL,     /* the side that the library chooses, likewise */
    CROWD_ONE,      /* likewise, one instance on one thread */
    CROWD_BASELINE, /* the baseline, into host memory */
} crowd_way;

/* How clips and times are assigned to instances. */
typedef enum crowd_phases {
    PHASES_RANDOM,
    PHASES_SORTED, /* the same ones, sorted by clip and then by time */
    PHASES_ALIKE   /* all instances in one clip at one time */
} crowd_phases;

/* The use of a second clip. */
typedef enum crowd_blend { BLEND_NONE, BLEND_CROSSFADE, BLEND_ADDITIVE } crowd_blend;

/* Levels of detail: which joints are animated, and how often. */
typedef enum crowd_detail {
    DETAIL_ALL,       /* all joints, every frame */
    DETAIL_EVERY_2ND, /* all joints, every second frame */
    DETAIL_THIRDS /* all joints in every frame; in every second one; half of them in every fourth */
} crowd_detail;

/* Inverse kinematics of every instance: a gaze, and arms and legs with random goals within their reach; or
 * legs that stand on a height field. */
typedef enum crowd_goals { GOALS_NONE, GOALS_LIMBS, GOALS_GROUND } crowd_goals;

typedef struct crowd_scene {
    const char *name; /* of the case */
    crowd_way way;
    bool is_compared; /* with the baseline */
    size_t agents;    /* 0: CROWD_AGENTS, or as many as fit */
    size_t joints;    /* 0: CROWD_JOINTS */
    size_t clips;     /* 0: CROWD_CLIPS */
    pm_crowd_output output;
    pm_method method;
    crowd_phases phases;
    crowd_blend blend;
    crowd_detail detail;
    pm_key_format keys;
    crowd_goals goals;
    size_t layers; /* of each instance, OVER: at the clips and times of a crossfade's B */
    bool hand;     /* the records of one joint at the end of a limb, by a subset */
    bool list;     /* every second instance, by a list */
    bool given;    /* local poses in place of instances */
    bool changes;  /* every instance is in transition from another clip */
    bool states;   /* in place of `output`: positions, rotations and both velocities of bodies */
    bool brief;    /* clips of a few keys, of which there are many */
    bool waits;    /* whether each frame is waited for before the next is queued */
    bool plays;    /* whether each call is 1/60 s after the one before; on the host alone */
} crowd_scene;

/* Whether its numbers are float16. */
bool crowd_output_is_half(pm_crowd_output output);

enum {
    CROWD_LEVELS = 3,
    CROWD_AGENTS = 10000,
    CROWD_JOINTS = 64,
    CROWD_CLIPS = 8,
    CROWD_TARGETS = 4
};

extern const crowd_scene crowd_scenes[];
extern const size_t crowd_scene_count;

/* The number of instances if the results may use the given number of bytes; 0: the scene does not
 * fit. */
size_t crowd_scene_agents(const crowd_scene *scene, size_t bytes);

/* A clip of uniform keys. */
typedef struct crowd_clip {
    float *keys; /* (key_count, joints, 4) */
    size_t key_count;
    size_t rate; /* keys per second */
} crowd_clip;

typedef struct crowd_setup {
    motion_arena arena; /* of all arrays */
    int32_t *parents;
    float *positions;  /* (joints, 3), metres: the rest pose, which has no rotations */
    crowd_clip *clips; /* clip_count of them */
    size_t clip_count;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    pm_crowd_instance *instances;
    pm_crowd_layer *layers;
    pm_crowd_range *ranges;
    uint32_t *indices;
    float *poses;     /* (agents, joints, 12) */
    pm_crowd_job job; /* of all these, without targets */
    size_t agents;
    size_t joints;
    /* Outputs of a job, one array after another */
    device_target targets[CROWD_TARGETS];
    size_t target_count;
    size_t record_bytes;         /* size of a joint's records together */
    size_t records;              /* of an instance */
    size_t posed;                /* joints that are posed for them */
    size_t key_count;            /* of a joint in all clips together */
    size_t moving[CROWD_LEVELS]; /* animated joints of a level of detail */
} crowd_setup;

/* `setup` must be zeroed. Destroy it in either case. */
cli_exit crowd_scene_make(const crowd_scene *scene, pm_engine *engine, size_t agents,
                          crowd_setup *setup);
void crowd_setup_destroy(crowd_setup *setup);

/* Whether instance i is updated in frame 0. */
bool crowd_updated(const crowd_setup *setup, size_t i);

#endif
