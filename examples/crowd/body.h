/* SPDX-License-Identifier: MIT
 *
 * A stick figure and its clips: a skeleton of 22 joints that walks, runs, steps to its left, waves
 * and breathes. In metres; y is up, the figure faces z, its left is x.
 */
#ifndef EXAMPLES_CROWD_BODY_H
#define EXAMPLES_CROWD_BODY_H

#include <posemill/posemill_crowd.h>

enum body_joint {
    BODY_ROOT, /* on the ground; carries the root motion of the clips */
    BODY_HIPS,
    BODY_SPINE,
    BODY_CHEST,
    BODY_NECK,
    BODY_HEAD,
    BODY_LEFT_COLLAR,
    BODY_LEFT_ARM,
    BODY_LEFT_FOREARM,
    BODY_LEFT_HAND,
    BODY_RIGHT_COLLAR,
    BODY_RIGHT_ARM,
    BODY_RIGHT_FOREARM,
    BODY_RIGHT_HAND,
    BODY_LEFT_THIGH,
    BODY_LEFT_SHIN,
    BODY_LEFT_FOOT,
    BODY_LEFT_TOE,
    BODY_RIGHT_THIGH,
    BODY_RIGHT_SHIN,
    BODY_RIGHT_FOOT,
    BODY_RIGHT_TOE,
    BODY_JOINTS
};

/* Walk and run begin as the left foot touches the ground, and the strafe as the right one does.
 * Breathing is to be added to other clips. */
enum body_clip { BODY_WALK, BODY_RUN, BODY_STRAFE, BODY_WAVE, BODY_BREATHE, BODY_CLIPS };

/* Markers of the clips that walk: where a foot touches the ground. */
enum { BODY_LEFT_STEP = PM_CROWD_FIRST_SYNC_ID, BODY_RIGHT_STEP };

/* pm_crowd_instance.mask: the joints used for waving. */
enum { BODY_RIGHT_ARM_ONLY = 1 };

/* pm_crowd_instance.level, from near to far. */
enum {
    BODY_ALL_JOINTS,
    BODY_WITHOUT_ENDS, /* hands and toes keep their rest pose */
    BODY_EVERY_OTHER,  /* likewise, and updated in every second frame */
    BODY_LEVELS
};

/* Chains: legs, and those that goals move: feet on the ground, and a head that looks. */
enum body_chain { BODY_LEFT_LEG, BODY_RIGHT_LEG, BODY_STANDS, BODY_LOOKS, BODY_CHAINS };

/* Twelve keys per cycle, and the first one again. */
enum { BODY_KEYS = 13 };

/* Duration of a cycle of each clip. */
extern const double body_seconds[BODY_CLIPS];

typedef struct body_keys {
    double rotations[BODY_KEYS][BODY_JOINTS][4];
    double positions[BODY_KEYS][BODY_JOINTS][3];
} body_keys;

/* What pm_skeleton_create and pm_crowd_create take. The descriptions point into the structure,
 * which must not be moved. */
typedef struct body_description {
    pm_skeleton_desc skeleton;
    pm_clip_desc clips[BODY_CLIPS];
    pm_crowd_markers markers[BODY_CLIPS];
    pm_crowd_marker steps[BODY_CLIPS][2];
    float mask[BODY_JOINTS];
    uint8_t animated[BODY_JOINTS]; /* joints of the levels below the finest */
    pm_level levels[BODY_LEVELS];
    pm_chain chains[BODY_CHAINS];
    body_keys keys[BODY_CLIPS];
} body_description;

/* Any method that requires keys only, such as PM_METHOD_SQUAD. */
void body_describe(body_description *d, pm_method method);

typedef struct body {
    pm_engine *engine;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
} body;

/* The crowd of a description on a device; NULL: of the library's choice. After a failure too it is
 * to be closed. */
pm_status body_open(body *b, const body_description *d, const char *device, pm_error *error);
void body_close(body *b);

/* Whether a call was successful; otherwise prints why not. */
bool body_succeeded(const char *program, pm_status status, const pm_error *error);

#endif
