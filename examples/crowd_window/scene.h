/* SPDX-License-Identifier: MIT
 *
 * The crowd: whom it consists of, what each member shows, and where it stands.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SCENE_H
#define EXAMPLES_CROWD_WINDOW_SCENE_H

#include "crowd/agents.h"
#include "mesh.h"

enum { SCENE_MAX_COUNT = 100000 };

/* Where an instance stands, as the shaders read it. */
typedef struct place {
    float position[3], scale; /* metres; `scale` metres per unit of the mesh */
    float sine, cosine;       /* of the heading about y */
    float kind, unused;       /* of enum agent_kind, for its colour */
} place;

typedef struct scene {
    const pm_skeleton_desc *skeleton_desc; /* as `clips`, in `described` */
    const pm_clip_desc *clips;
    void *described;
    bool is_figure; /* of examples/crowd/body.h, which walks; members of a file stand in a square */
    uint32_t
        hips; /* a file's joint below a root that members in place leave alone; PM_NO_INDEX32 */
    size_t clip_count, joints, count;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    mesh mesh;
    double height, ground; /* of the first pose, in units of the mesh; its lowest joint */
    double scale, spacing; /* metres per unit, and between members in a square */
    agent *agents;
    pm_crowd_instance *before, *now;
    pm_root_motion *motions;
    place *places;
    bool levels;    /* of detail, by the distance from the camera */
    bool unblended; /* one clip for each member */
    uint64_t frame;
    double time; /* seconds */
} scene;

/* `file` is of any format that the motion library reads; NULL: the figure of examples/crowd. The engine
 * must outlive the scene. */
void scene_open(scene *s, const char *file, pm_method method, pm_engine *engine, size_t count);
void scene_close(scene *s);

/* Start again with another number of members. */
void scene_set_count(scene *s, size_t count);

/* Advances by `seconds`, which may be 0, to the next frame. The first one has no levels, so that all
 * records are written. */
void scene_step(scene *s, double seconds, const double eye[3]);

/* The job of all members, without outputs. */
pm_crowd_job scene_job(const scene *s);

/* Bytes of the palettes of all members. */
size_t scene_bytes(const scene *s);

/* The radius of the disc on which the crowd stands. */
double scene_radius(const scene *s);

#endif
