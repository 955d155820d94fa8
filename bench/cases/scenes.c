/* SPDX-License-Identifier: MIT
 *
 * Keys, clips and jobs of the scenes.
 */
#include "scenes.h"

#include "runner/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double scenes_random(uint64_t *state) {
    return (double)(stats_random_bits(state) >> 11) * 0x1p-53;
}

void scenes_walk(float *keys, size_t key_count, size_t tracks, uint64_t *state) {
    const double step = 0.06;
    double q[4];
    for (size_t t = 0; t < tracks; t++) {
        memcpy(q, (double[4]){0.0, 0.0, 0.0, 1.0}, sizeof q);
        for (size_t i = 0; i < key_count; i++) {
            double norm2 = 0.0;
            for (int c = 0; c < 4; c++) {
                q[c] += step * (2.0 * scenes_random(state) - 1.0);
                norm2 += q[c] * q[c];
            }
            for (size_t c = 0; c < 4; c++) {
                q[c] /= sqrt(norm2);
                keys[(i * tracks + t) * 4 + c] = (float)q[c];
            }
        }
    }
}

static void make_times(scenes *s, uint64_t *state) {
    double seconds = (double)s->segments / SCENE_KEY_RATE;
    size_t values = 4 * s->segments * s->tracks;
    double sum = 0.0;
    for (size_t i = 0; i <= s->segments; i++) {
        s->key_times[i] = sum;
        sum += 0.2 + 1.6 * scenes_random(state);
    }
    double scale = seconds / s->key_times[s->segments];
    for (size_t i = 0; i <= s->segments; i++)
        s->key_times[i] *= scale;
    for (size_t k = 0; k < values; k++) {
        s->times[k] = seconds * scenes_random(state);
        s->track_of[k] = (uint32_t)(stats_random_bits(state) % s->tracks);
    }
}

cli_exit scenes_create(scenes *s, pm_engine *engine, size_t samples, size_t tracks,
                       bool has_times) {
    uint64_t state = 1; /* of keys and then times, so that these differ */
    *s = (scenes){.engine = engine, .tracks = tracks, .segments = samples / (4 * tracks)};
    if (s->segments > SIZE_MAX / 32 / (4 * tracks))
        return cli_fail(CLI_USAGE, "--samples", NULL, "too many for this machine");
    const size_t keys = s->segments + 1, values = 4 * s->segments * tracks;
    s->rotations = malloc(keys * tracks * 4 * sizeof(float));
    if (!s->rotations)
        return bench_out_of_memory();
    scenes_walk(s->rotations, keys, tracks, &state);
    if (!has_times)
        return CLI_DONE;
    s->key_times = malloc(keys * sizeof(double));
    s->times = malloc(values * sizeof(double));
    s->track_of = malloc(values * sizeof(uint32_t));
    if (!s->key_times || !s->times || !s->track_of)
        return bench_out_of_memory();
    make_times(s, &state);
    return CLI_DONE;
}

void scenes_destroy(scenes *s) {
    for (int m = 0; m < PM_METHOD_COUNT; m++)
        pm_clip_destroy(&s->uniform[m]);
    pm_clip_destroy(&s->special);
    free(s->rotations);
    free(s->key_times);
    free(s->times);
    free(s->track_of);
    memset(s, 0, sizeof *s);
}

/* ---- clips --------------------------------------------------------------------- */

pm_key_format scenes_key_format(bench_scene scene) {
    switch (scene) {
    case SCENE_UPSAMPLE_2_LOG48:
    case SCENE_DOWNSAMPLE_4_LOG48:
    case SCENE_TIMES_LOG48:
        return PM_KEYS_LOG48;
    case SCENE_TIMES_SMALLEST48:
        return PM_KEYS_SMALLEST48;
    default:
        return PM_KEYS_FLOAT32;
    }
}

pm_clip_desc scenes_describe(const scenes *s, bench_scene scene, pm_method method,
                             pm_timeline *timeline) {
    static const float axis[3] = {0.0f, 1.0f, 0.0f};
    bool loop = scene == SCENE_LOOP;
    *timeline = (pm_timeline){.key_count = loop ? s->segments : s->segments + 1};
    if (scene == SCENE_NONUNIFORM)
        timeline->times = s->key_times;
    else
        timeline->rate = (pm_rational){SCENE_KEY_RATE, 1};
    return (pm_clip_desc){
        .track_count = s->tracks,
        .timelines = timeline,
        .rotations = {s->rotations, PM_FLOAT32, 0},
        .tangents_in = {s->rotations, PM_FLOAT32, 0}, /* any numbers will do */
        .tangents_out = {s->rotations, PM_FLOAT32, 0},
        .method = method,
        .key_format = scenes_key_format(scene),
        .loop = loop ? (double)s->segments / SCENE_KEY_RATE : 0.0,
        .axes = {axis, PM_FLOAT32, 0},
    };
}

cli_exit scenes_clip(scenes *s, bench_scene scene, pm_method method, const pm_clip **clip) {
    const bool is_special = scene == SCENE_NONUNIFORM || scene == SCENE_LOOP ||
                            scenes_key_format(scene) != PM_KEYS_FLOAT32;
    pm_clip **kept = is_special ? &s->special : &s->uniform[method];
    pm_timeline timeline;
    const pm_clip_desc desc = scenes_describe(s, scene, method, &timeline);
    pm_error error = {0};
    if (is_special)
        pm_clip_destroy(kept);
    if (!*kept && pm_clip_create(s->engine, &desc, kept, &error) != PM_OK)
        return cli_fail_error("bench", &error);
    *clip = *kept;
    return CLI_DONE;
}

/* ---- jobs ---------------------------------------------------------------------- */

pm_sample_job scenes_job(const scenes *s, bench_scene scene, size_t *values) {
    pm_sample_job job = {.sample_count = 4 * s->segments, .rate = {4 * (int64_t)SCENE_KEY_RATE, 1}};
    switch (scene) {
    case SCENE_UPSAMPLE_2:
    case SCENE_UPSAMPLE_2_LOG48:
        job.sample_count = 2 * s->segments;
        job.rate.num = 2 * (int64_t)SCENE_KEY_RATE;
        break;
    case SCENE_DOWNSAMPLE_4:
    case SCENE_DOWNSAMPLE_4_LOG48:
        job.sample_count = s->segments / 4;
        job.rate = (pm_rational){SCENE_KEY_RATE, 4};
        break;
    case SCENE_LOOP: /* half of the samples are in the second period */
        job.first = 2 * s->segments;
        break;
    case SCENE_TIMES:
    case SCENE_TIMES_LOG48:
    case SCENE_TIMES_SMALLEST48:
        job.rate = (pm_rational){0, 0};
        job.times = s->times;
        break;
    case SCENE_SAMPLES:
        job.rate = (pm_rational){0, 0};
        job.times = s->times;
        job.tracks = s->track_of;
        job.sample_count *= s->tracks;
        break;
    case SCENE_UPSAMPLE_4:
    case SCENE_NONUNIFORM:
        break;
    }
    *values = job.tracks ? job.sample_count : job.sample_count * s->tracks;
    return job;
}
