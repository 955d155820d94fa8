/* SPDX-License-Identifier: MIT
 *
 * Measures the table of rates in host/plan/sides.c: what plain C and a CPU device take for the same jobs, in
 * nanoseconds of processor time for each element, so that other work on the machine hardly counts.
 *
 *     ninja -C build/release posemill_sides && build/release/bin/posemill_sides walks slerp
 */
#define _POSIX_C_SOURCE 200809L

#include "oracle/random_tracks.h"

#include <posemill/posemill_crowd.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS = 256, JOINTS = 64, CLIPS = 8, BODIES = 24, ROUNDS = 7 };

typedef struct setup {
    pm_engine *engine;
    pm_timeline timeline;
    pm_clip_desc desc;
    size_t tracks;
    float *keys, *out;
    random_source random;
} setup;

/* A kind of job: `run` does one, and returns its elements. */
typedef struct kind {
    const char *name;
    size_t tracks;
    double (*run)(setup *s, bool on_reference);
} kind;

static void must(pm_status status, const pm_error *error) {
    if (status == PM_OK)
        return;
    char text[PM_ERROR_TEXT_SIZE];
    pm_error_text(error, PM_SPELLING_FIELD, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

/* Keys some degrees apart. */
static void fill(setup *s) {
    s->keys = calloc(KEYS * s->tracks, 4 * sizeof *s->keys);
    s->out = calloc((size_t)1 << 23, sizeof *s->out);
    for (size_t n = 0; s->keys && s->out && n < KEYS * s->tracks; n++) {
        double q[4] = {0, 0, 0, 1}, square = 0;
        for (size_t i = 0; i < 4; i++) {
            q[i] = (n < s->tracks ? q[i] : (double)s->keys[4 * (n - s->tracks) + i]) +
                   0.1 * (random_unit(&s->random) - 0.5);
            square += q[i] * q[i];
        }
        for (size_t i = 0; i < 4; i++)
            s->keys[4 * n + i] = (float)(q[i] / sqrt(square));
    }
}

static double sample(setup *s, pm_sample_job job, bool on_reference) {
    static pm_clip *clip;
    pm_error error;
    if (!clip)
        must(pm_clip_create(s->engine, &s->desc, &clip, &error), &error);
    job.on_reference = on_reference;
    must(pm_sample(clip, &job, &error), &error);
    return (double)job.sample_count * (job.tracks ? 1 : (double)s->tracks);
}

static double run_walks(setup *s, bool on_reference) {
    const size_t count = (1 << 18) / s->tracks;
    const pm_sample_job job = {
        .sample_count = count, .rate = {(int64_t)count * 30 / KEYS, 1}, .rotations = s->out};
    return sample(s, job, on_reference);
}

static double run_motion(setup *s, bool on_reference) {
    const pm_sample_job job = {
        .sample_count = (1 << 17) / s->tracks, .rate = {120, 1}, .velocities = s->out};
    return sample(s, job, on_reference);
}

static double run_pairs(setup *s, bool on_reference) {
    enum { PAIRS = 1 << 17 };
    static double times[PAIRS];
    static uint32_t tracks[PAIRS];
    for (size_t i = 0; i < PAIRS && tracks[PAIRS - 1] == 0; i++) {
        times[i] = random_unit(&s->random) * (KEYS - 1) / 30;
        tracks[i] =
            (uint32_t)(random_unit(&s->random) * (double)(s->tracks - 1)) + (i + 1 == PAIRS);
    }
    const pm_sample_job job = {
        .sample_count = PAIRS, .times = times, .tracks = tracks, .rotations = s->out};
    return sample(s, job, on_reference);
}

static double run_lowpass(setup *s, bool on_reference) {
    static pm_filter *filter;
    pm_error error;
    if (!filter)
        must(pm_filter_create(s->engine, &s->desc, 7.5, &filter, &error), &error);
    const pm_sample_job job = {
        .sample_count = 2048, .rate = {60, 1}, .rotations = s->out, .on_reference = on_reference};
    must(pm_filter_sample(filter, &job, &error), &error);
    return 40 * 2048.0 * (double)s->tracks; /* weights */
}

static pm_crowd *make_crowd(setup *s) {
    static int32_t parents[JOINTS];
    static float positions[JOINTS][3];
    pm_clip_desc clips[CLIPS];
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    pm_error error;
    for (size_t j = 0; j < s->tracks; j++) {
        parents[j] = (int32_t)j - (j % 4 == 0 && j > 0 ? 4 : 1);
        positions[j][1] = 0.1f;
    }
    for (size_t c = 0; c < CLIPS; c++)
        clips[c] = s->desc;
    const pm_skeleton_desc skeleton_desc = {
        .joint_count = s->tracks, .parents = parents, .positions = {.data = positions}};
    must(pm_skeleton_create(&skeleton_desc, &skeleton, &error), &error);
    const pm_crowd_desc desc = {.skeleton = skeleton, .clips = clips, .clip_count = CLIPS};
    must(pm_crowd_create(s->engine, &desc, &crowd, &error), &error);
    return crowd;
}

/* Returns the joints, once for all outputs. */
static double pose(setup *s, size_t count, bool states, bool on_reference) {
    enum { MOST = 4096 };
    static const pm_crowd_output of_bodies[] = {PM_CROWD_BODY_POS, PM_CROWD_BODY_ROT,
                                                PM_CROWD_BODY_VEL, PM_CROWD_BODY_ANG_VEL};
    static pm_crowd_instance instances[MOST];
    static pm_crowd *crowd;
    pm_crowd_target targets[4];
    pm_error error;
    size_t at = 0, outputs = states ? 4 : 1;
    if (!crowd) {
        crowd = make_crowd(s);
        for (size_t i = 0; i < MOST; i++)
            instances[i] = (pm_crowd_instance){
                .clip_a = (uint32_t)(i % CLIPS),
                .time_a = pm_crowd_ticks(random_unit(&s->random) * (KEYS - 1) / 30)};
    }
    for (size_t t = 0; t < outputs; t++) {
        const pm_crowd_output output = states ? of_bodies[t] : PM_CROWD_PALETTE;
        targets[t] = (pm_crowd_target){.output = output, .memory = s->out + at};
        at += count * s->tracks * pm_crowd_record_bytes(output) / sizeof(float);
    }
    const pm_crowd_job job = {.instances = instances,
                              .instance_count = count,
                              .outputs = targets,
                              .output_count = outputs,
                              .on_reference = on_reference};
    must(pm_crowd_pose(crowd, &job, &error), &error);
    return (double)(count * s->tracks);
}

static double run_poses(setup *s, bool on_reference) {
    return pose(s, 2000, false, on_reference);
}

static double run_states(setup *s, bool on_reference) {
    return pose(s, 4096, true, on_reference);
}

/* What a job takes but for its elements. */
static double run_start(setup *s, bool on_reference) {
    for (int i = 0; i < 100; i++)
        pose(s, 1, false, on_reference);
    return 100;
}

static const kind kinds[] = {{"walks", 64, run_walks},       {"few", 3, run_walks},
                             {"pairs", 64, run_pairs},       {"motion", 64, run_motion},
                             {"lowpass", 64, run_lowpass},   {"poses", JOINTS, run_poses},
                             {"states", BODIES, run_states}, {"start", 8, run_start}};

/* The least of some rounds, in which both sides take turns. */
static void measure(const kind *k, setup *s) {
    double least[2] = {1e9, 1e9};
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const bool on_reference = round % 2 == 0;
        const clock_t begin = clock();
        const double elements = k->run(s, on_reference);
        least[on_reference] =
            fmin(least[on_reference],
                 (double)(clock() - begin) / (double)CLOCKS_PER_SEC / elements * 1e9);
    }
    printf("%s %s {%.3g, %.3g} %.2f\n", k->name, pm_method_get_info(s->desc.method)->name, least[1],
           least[0], least[0] / least[1]);
}

static void measure_kind(const kind *k, pm_method method) {
    static const float axis[] = {0, 1, 0};
    const pm_engine_desc options = {.device = "cpu"};
    pm_error error;
    setup s = {.tracks = k->tracks, .random = random_start()};
    fill(&s);
    s.timeline = (pm_timeline){.key_count = KEYS, .rate = {30, 1}};
    s.desc = (pm_clip_desc){.track_count = k->tracks,
                            .timelines = &s.timeline,
                            .rotations = {.data = s.keys},
                            .axes = {.data = axis},
                            .method = method};
    must(pm_engine_create(&options, &s.engine, &error), &error);
    measure(k, &s);
}

int main(int argc, char **argv) {
    pm_method method;
    if (argc != 3 || !pm_method_find(argv[2], &method)) {
        fprintf(stderr, "usage: posemill_sides KIND METHOD\n");
        return 2;
    }
    setenv("POSEMILL_LAUNCH", "plain_c=0", 1);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].name, argv[1]) == 0)
            measure_kind(&kinds[k], method);
    return 0;
}
