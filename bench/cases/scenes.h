/* SPDX-License-Identifier: MIT
 *
 * The measured motion: tracks of smooth random keys at 30 Hz, the clips made from them and the jobs that
 * sample them. A seed gives the same motion on every machine.
 */
#ifndef POSEMILL_BENCH_SCENES_H
#define POSEMILL_BENCH_SCENES_H

#include "cases.h"

enum { SCENE_TRACKS = 64, SCENE_KEY_RATE = 30, SCENE_MIN_SAMPLES = 2048 };

typedef struct scenes {
    pm_engine *engine;
    size_t tracks;
    size_t segments;    /* number of keys minus one */
    float *rotations;   /* (segments + 1, tracks, 4) */
    double *key_times;  /* for SCENE_NONUNIFORM: uneven, over the same duration */
    double *times;      /* 4 * segments * tracks random times */
    uint32_t *track_of; /* random tracks, as many; all three are NULL for scenes with keys only */
    pm_clip *uniform[PM_METHOD_COUNT]; /* created on first use */
    pm_clip *special;                  /* the last one of another kind */
} scenes;

/* The next random number of a stream, in [0, 1). */
double scenes_random(uint64_t *state);

/* Keys (key_count, tracks, 4): each is a random step of about a tenth of a radian from the one
 * before, similar to bones. */
void scenes_walk(float *keys, size_t key_count, size_t tracks, uint64_t *state);

/* Creates scenes of `tracks` tracks, at least 1, whose upsampling by 4 gives about `samples` samples.
 * Without times only scenes of uniform keys and samples. Destroy them also after a failure. */
cli_exit scenes_create(scenes *s, pm_engine *engine, size_t samples, size_t tracks, bool has_times);
void scenes_destroy(scenes *s);

/* A clip for the scene, at least until the next call. */
cli_exit scenes_clip(scenes *s, bench_scene scene, pm_method method, const pm_clip **clip);

/* The job of the scene, without outputs, and its number of results. */
pm_sample_job scenes_job(const scenes *s, bench_scene scene, size_t *values);

/* The format of the keys of the scene's clips. */
pm_key_format scenes_key_format(bench_scene scene);

/* The clip description of a scene; `timeline` receives the data it points to. */
pm_clip_desc scenes_describe(const scenes *s, bench_scene scene, pm_method method,
                             pm_timeline *timeline);

#endif
