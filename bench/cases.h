/* SPDX-License-Identifier: MIT
 *
 * Which cases there are: one table of groups, and the methods that the library lists, so
 * that a new method needs no edit here. Measures nothing.
 */
#ifndef POSEMILL_BENCH_CASES_H
#define POSEMILL_BENCH_CASES_H

#include <posemill/posemill.h>

typedef enum bench_kind {
    BENCH_FILL,
    BENCH_STORES, /* a fill by way of the caches */
    BENCH_COPY,
    BENCH_BASELINE,
    BENCH_OBVIOUS,
    BENCH_JOB,        /* results left in device memory */
    BENCH_SIZE,       /* likewise, of so many samples */
    BENCH_END_TO_END, /* results in host memory */
    BENCH_CLIP,       /* no results: a clip is made; samples are segments */
    BENCH_COLD,
    BENCH_WARM
} bench_kind;

/* The keys of a job and the times it samples. */
typedef enum bench_scene {
    SCENE_UPSAMPLE_4,
    SCENE_UPSAMPLE_2,
    SCENE_DOWNSAMPLE_4,
    SCENE_TIMES,
    SCENE_SAMPLES,
    SCENE_NONUNIFORM,
    SCENE_LOOP,
    /* likewise, with keys of 48 bits */
    SCENE_UPSAMPLE_2_LOG48,
    SCENE_DOWNSAMPLE_4_LOG48,
    SCENE_TIMES_LOG48,
    SCENE_TIMES_SMALLEST48
} bench_scene;

typedef enum bench_clock {
    CLOCK_KERNEL, /* the device's, from the first kernel's start to the last one's end */
    CLOCK_WALL
} bench_clock;

typedef struct bench_group {
    const char *name;
    const char *what; /* NULL: one case a method, or one a method and size */
    bench_kind kind;
    bench_scene scene;
    bench_clock clock;
    bool needs_opencl;
    bool (*has)(pm_method method); /* NULL: every method */
} bench_group;

typedef struct bench_case {
    char name[48];
    const bench_group *group;
    pm_method method; /* when group->what is NULL, or the case is about one */
    size_t samples;   /* of BENCH_SIZE. 0: as many as the scene has */
} bench_case;

/* Sizes grow by 8 from a pose of 64 tracks, which 64 bits end after twenty. */
enum { BENCH_SIZES_MAX = 21, BENCH_CASES_MAX = 24 * PM_METHOD_COUNT + 2 * BENCH_SIZES_MAX };

/* Writes the cases whose names match the glob (NULL: all) and returns how many. `largest`, in
 * samples, is the last of the sizes, and a power of two. */
size_t bench_cases(const char *glob, bool opencl, size_t largest,
                   bench_case cases[BENCH_CASES_MAX]);

#endif
