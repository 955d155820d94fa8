/* SPDX-License-Identifier: MIT
 *
 * The crowd and its simulation: what each member shows, and where it stands.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SCENE_H
#define EXAMPLES_CROWD_WINDOW_SCENE_H

#include "layers.h"
#include "model.h"

enum { SCENE_MAX_COUNT = 100000, SCENE_PLANES = 6, SCENE_TARGETS = 2 };

/* The ground of a sloped scene is at y = SCENE_STEEPNESS * z. */
#define SCENE_STEEPNESS (-0.12)

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
    bool swords, sloped; /* of the figure: swords in hands, feet on a slope */
    bool culls;          /* whether members out of view are left out */
    float planes[SCENE_PLANES][4]; /* of the view: inward normals and distances, in metres */
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

/* Of the ground along z. */
double scene_steepness(const scene *s);

/* How the ground rises for a metre to a member's left, and for a metre forward. */
void scene_slope(const place *p, float slope[2]);

/* The view of a matrix from the world to clip space, as camera_matrix gives it. */
void scene_look(scene *s, const float view[16]);

/* The job of all members, without outputs. */
pm_crowd_job scene_job(const scene *s);

/* Poses a job of the scene into memory: palettes, and the matrices of the hands that hold swords. */
pm_status scene_pose(const scene *s, pm_crowd_job job, void *records, pm_error *error);

/* The targets of a frame: palettes, and hands where there are swords. */
size_t scene_target_count(const scene *s);

/* Bytes of the palettes and of the hands of all members. The hands are after the palettes. */
size_t scene_palette_bytes(const scene *s);
size_t scene_hands_offset(const scene *s);

/* Frames until an instance of the level that is updated most rarely has been updated. */
uint32_t scene_slowest_level(const scene *s);

/* The radius of the disc on which the crowd stands. */
double scene_radius(const scene *s);

#endif
