/* SPDX-License-Identifier: MIT
 *
 * The motion that is sampled: 64 tracks of smooth random keys at 30 Hz, the clips made of
 * them and the jobs that sample them. The same seed gives the same motion everywhere.
 */
#ifndef POSEMILL_BENCH_SCENES_H
#define POSEMILL_BENCH_SCENES_H

#include "cases.h"
#include "commands/cli.h"

enum { SCENE_TRACKS = 64, SCENE_KEY_RATE = 30, SCENE_MIN_SAMPLES = 2048 };

typedef struct scenes {
    pm_engine *engine;
    size_t segments;                   /* keys but the last */
    float *rotations;                  /* (segments + 1, SCENE_TRACKS, 4) */
    double *key_times;                 /* of SCENE_NONUNIFORM, uneven, over the same seconds */
    double *times;                     /* 4 segments SCENE_TRACKS random ones */
    uint32_t *track_of;                /* likewise; all three NULL where there are but keys */
    pm_clip *uniform[PM_METHOD_COUNT]; /* made when first asked for */
} scenes;

/* The next of a stream of random numbers, in [0, 1). */
double scenes_random(uint64_t *state);

/* Keys of (key_count, tracks, 4): each a random step of about a tenth of a radian from the one
 * before, as bones do. */
void scenes_walk(float *keys, size_t key_count, size_t tracks, uint64_t *state);

/* For outputs of about `samples` samples when upsampling by 4. */
cli_exit scenes_create(scenes *s, pm_engine *engine, size_t samples);
/* Likewise without random times and tracks: for scenes of uniform keys and samples alone. */
cli_exit scenes_create_uniform(scenes *s, pm_engine *engine, size_t samples);
void scenes_destroy(scenes *s);

/* A clip for the scene; *owned says that the caller must destroy it. */
cli_exit scenes_clip(scenes *s, bench_scene scene, pm_method method, pm_clip **clip, bool *owned);

/* The scene's job, without outputs, and how many values it gives. */
pm_sample_job scenes_job(const scenes *s, bench_scene scene, size_t *values);

/* The description that a scene's clip is made from; `timeline` receives what it points to. */
pm_clip_desc scenes_describe(const scenes *s, bench_scene scene, pm_method method,
                             pm_timeline *timeline);

#endif
