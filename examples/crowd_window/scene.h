/* SPDX-License-Identifier: MIT
 *
 * The crowd and its simulation: what each member shows, and where it stands.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SCENE_H
#define EXAMPLES_CROWD_WINDOW_SCENE_H

#include "layers.h"
#include "model.h"

enum { SCENE_MAX_COUNT = 100000 };

/* Where an instance stands, as the shaders read it. */
typedef struct place {
    float position[3], scale; /* metres; `scale` metres per unit of the mesh */
    float sine, cosine;       /* of the heading about y */
    float kind, unused;       /* of enum agent_kind, for its colour */
} place;

typedef struct scene {
    model *model;
    pm_engine *engine;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    mesh mesh;             /* the model's, with joints in skeleton order */
    double height, ground; /* of the resting figure, in units of its mesh */
    double scale;          /* metres per unit */
    double spacing;        /* metres between members in a square */
    size_t joints, count;
    agent *agents;
    pm_crowd_instance *before, *now;
    pm_root_motion *motions;
    place *places;
    pm_method method;
    bool blends, levels; /* whether members blend clips, and have levels by their distance */
    layers layers;       /* of the figure of examples/crowd; all off with a file */
    uint64_t frame;
    double time; /* seconds */
} scene;

/* The engine must outlive the scene, the model too. */
pm_status scene_open(scene *s, model *m, pm_engine *engine, size_t count, pm_error *error);
void scene_close(scene *s);

/* Start again with another number of members, or other clips. */
pm_status scene_set_count(scene *s, size_t count, pm_error *error);
pm_status scene_set_method(scene *s, pm_method method, pm_error *error);

/* Advances by `seconds`, which may be 0, to the next frame. Levels depend on the distance to
 * `eye`. */
pm_status scene_step(scene *s, double seconds, const double eye[3], pm_error *error);

/* The job of all members, without outputs. */
pm_crowd_job scene_job(const scene *s);

/* Poses all members into memory. */
pm_status scene_pose(scene *s, void *palettes, bool on_reference, pm_error *error);

/* Bytes of the palettes of all members. */
size_t scene_palette_bytes(const scene *s);

/* Frames until an instance of the level that is updated most rarely has been updated. */
uint32_t scene_slowest_level(const scene *s);

/* The radius of the disc on which the crowd stands. */
double scene_radius(const scene *s);

#endif
