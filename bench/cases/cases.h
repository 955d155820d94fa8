/* SPDX-License-Identifier: MIT
 *
 * The cases: one table of groups and the methods that the library lists, so that a new method
 * requires no change here. Measures nothing.
 */
#ifndef POSEMILL_BENCH_CASES_H
#define POSEMILL_BENCH_CASES_H

#include <posemill/posemill.h>

#include "host/base/counts.h"

typedef enum bench_kind {
    BENCH_FILL,
    BENCH_STORES, /* a fill that stores through the caches */
    BENCH_COPY,
    BENCH_ARITHMETIC, /* fused multiply-adds; samples are operations */
    BENCH_BASELINE,
    BENCH_SIMPLE, /* the baseline's job, by loops that are left to the compiler to vectorise */
    BENCH_OBVIOUS,
    BENCH_JOB,            /* results left in device memory */
    BENCH_SIZE,           /* results left in device memory, for a given number of samples */
    BENCH_END_TO_END,     /* results in host memory */
    BENCH_LAYOUT,         /* likewise, of other numbers of tracks and at other addresses */
    BENCH_PALETTE_FILL,   /* a fill of as many bytes as the palettes of group crowd */
    BENCH_CROWD,          /* instances posed, results left in device memory; samples are joints */
    BENCH_CROWD_HOST,     /* by the reference path, into host memory */
    BENCH_CROWD_BASELINE, /* by the baseline, into host memory */
    BENCH_CROWD_ONE,      /* by the reference path, one instance on one thread */
    BENCH_FILE,           /* motion files, through the motion library or in other ways */
    BENCH_BATCH,          /* folders of motion files, through the command or in other ways */
    BENCH_CLIP,           /* creates a clip, no results; samples are segments */
    BENCH_CLIP_DEVICE,    /* likewise, built by the device */
    BENCH_LOWPASS,        /* samples through a low-pass, into host memory */
    BENCH_ONESHOT,        /* creates a clip and samples it once, into host memory */
    BENCH_ONESHOT_DEVICE, /* likewise, results left in device memory */
    BENCH_COLD,
    BENCH_FIRST, /* cold, with programs built in the background */
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
    /* the same scenes with keys of 48 bits */
    SCENE_UPSAMPLE_2_LOG48,
    SCENE_DOWNSAMPLE_4_LOG48,
    SCENE_TIMES_LOG48,
    SCENE_TIMES_SMALLEST48,
    /* the scenes of crowd_scenes.h */
    SCENE_CROWD,
    SCENE_CROWDS,
    SCENE_CROWD_REFERENCE,
    SCENE_CROWD_ONE,
    SCENE_LAYERS,
    SCENE_SUBSET,
    SCENE_BOUNDS,
    SCENE_LIST,
    SCENE_POSES,
    SCENE_STATE,
    SCENE_STATE_REFERENCE,
    SCENE_STATE_CALL, /* on the side that the library chooses */
    /* the scenes of files.h */
    SCENE_FILES,
    /* the scenes of batches.h */
    SCENE_BATCHES
} bench_scene;

typedef enum bench_clock {
    CLOCK_KERNEL, /* device events, from the start of the first kernel to the end of the last */
    CLOCK_WALL
} bench_clock;

typedef struct bench_group {
    const char *name;
    const char *what; /* NULL: one case per method, per method and size, per crowd, file or batch */
    bench_kind kind;
    bench_scene scene;
    bench_clock clock;
    bool needs_opencl;
    bool (*has)(pm_method method); /* NULL: every method */
} bench_group;

typedef struct crowd_scene crowd_scene;
typedef struct file_scene file_scene;
typedef struct batch_scene batch_scene;

typedef struct bench_case {
    char name[48];
    const bench_group *group;
    pm_method method;         /* if group->what is NULL or the case has a method */
    size_t samples;           /* for BENCH_SIZE. 0: as many as the scene has */
    const crowd_scene *crowd; /* NULL: not a crowd case */
    size_t agents;            /* instances of the crowd */
    size_t tracks, offset;    /* for BENCH_LAYOUT. offset: bytes behind the begin of a cache line */
    const file_scene *file;   /* NULL: not a case of files */
    const batch_scene *batch; /* NULL: not a case of batches */
} bench_case;

typedef struct bench_limits {
    bool quick;          /* variants of crowd only if their names are requested */
    size_t largest;      /* largest size in samples: a power of two */
    size_t crowd_bytes;  /* maximum size of the results of a crowd */
    size_t file_samples; /* rotations in a file, approximately */
    size_t batch_files;  /* files of a batch */
} bench_limits;

/* Sizes grow by a factor of 8 from a pose of 64 tracks; after twenty steps they exceed 64 bits. */
enum {
    BENCH_SIZES_MAX = 21,
    BENCH_CROWDS_MAX = 80,
    BENCH_FILES_MAX = 16,
    BENCH_BATCHES_MAX = 8,
    BENCH_CASES_MAX = 48 * PM_METHOD_COUNT + 2 * BENCH_SIZES_MAX + BENCH_CROWDS_MAX +
                      BENCH_FILES_MAX + BENCH_BATCHES_MAX
};

/* Writes the cases whose names match one of the globs, with commas between them (NULL: all). Returns
 * their number. */
size_t bench_cases(const char *glob, bool opencl, const bench_limits *limits,
                   bench_case cases[BENCH_CASES_MAX]);

#endif
