/* SPDX-License-Identifier: MIT
 *
 * The crowds that are posed: a table of scenes, and the skeleton, clips and instances of one. The
 * same scene is the same crowd everywhere.
 */
#ifndef POSEMILL_BENCH_CROWD_SCENES_H
#define POSEMILL_BENCH_CROWD_SCENES_H

#include "cases.h"
#include "commands/cli.h"

#include <posemill/posemill_crowd.h>

/* Clips and times of the instances. */
typedef enum crowd_phases {
    PHASES_RANDOM,
    PHASES_SORTED, /* the same ones, by clip and then by time */
    PHASES_ALIKE   /* all are in one clip at one time */
} crowd_phases;

/* What a second clip is for. */
typedef enum crowd_blend { BLEND_NONE, BLEND_CROSSFADE, BLEND_ADDITIVE } crowd_blend;

/* Levels of detail: whose joints are animated, and how often. */
typedef enum crowd_detail {
    DETAIL_ALL,       /* all joints, every frame */
    DETAIL_EVERY_2ND, /* all joints, every second frame */
    DETAIL_THIRDS     /* a third of the crowd all joints in every frame; a third in every second;
                         a third half of the joints, in every fourth */
} crowd_detail;

struct crowd_scene {
    const char *what;
    size_t agents; /* 0: CROWD_AGENTS, or as many as there is room for */
    size_t joints; /* 0: CROWD_JOINTS */
    size_t clips;  /* 0: CROWD_CLIPS */
    pm_crowd_output output;
    crowd_phases phases;
    crowd_blend blend;
    crowd_detail detail;
    bool waits; /* for each frame before the next is queued */
};

/* Whether its numbers are float16. */
bool crowd_output_is_half(pm_crowd_output output);

enum { CROWD_AGENTS = 10000, CROWD_JOINTS = 64, CROWD_CLIPS = 8 };

/* The rows of a group of crowds; none of another. */
const crowd_scene *crowd_scenes_of(bench_scene scene, size_t *count);

/* How many instances the scene has when its results may take so many bytes; 0: it has no room. */
size_t crowd_scene_agents(const crowd_scene *scene, size_t bytes);

typedef struct crowd_made {
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    pm_crowd_instance *instances;
    size_t agents;
    size_t joints;
    size_t record_bytes; /* of a joint */
    pm_crowd_output output;
    bool waits;
} crowd_made;

/* Made with `made` zero; to be destroyed whether that succeeds or not. */
cli_exit crowd_scene_make(const crowd_scene *scene, pm_engine *engine, size_t agents,
                          crowd_made *made);
void crowd_made_destroy(crowd_made *made);

/* Whether instance i is updated in frame 0. */
bool crowd_updated(const crowd_made *made, size_t i);

#endif
