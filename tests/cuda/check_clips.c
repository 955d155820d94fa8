/* SPDX-License-Identifier: MIT
 *
 * Clips of every method and option: each output, computed by each kernel that can.
 */
#include "checks.h"
#include "launches.h"
#include "support/variants.h"

#include <stdlib.h>

#include "base/counts.h"
#include "engine/engine.h"

enum { TRACKS = 37, KEYS = 9 };

typedef struct sampling {
    check *check;
    const pm_clip *clip;
    const char *what; /* the variant's name */
    pm_sample_job job;
    size_t count; /* values */
    const pm_cursor *cursors;
} sampling;

static void check_output(const sampling *s, cuda_kernel kernel, const pm_sample_request *request,
                         const pm_output *output, const float *wanted) {
    char name[64];
    const size_t count = s->count * output->components;
    cuda_sampler_name(kernel, &s->clip->data->channels[output->channel], name, sizeof name);
    cuda_program *program = cuda_program_of(&s->check->programs, name);
    float *got = calloc(count, sizeof *got);
    if (program && got &&
        cuda_sample(&s->check->programs, program, kernel, request, s->cursors, output, got))
        check_compare(program, s->what, got, wanted, count);
    else
        s->check->failed = true;
    free(got);
}

/* Each output by each kernel that computes it. */
static void check_kernels(const sampling *s, const pm_sample_job *reference) {
    const pm_sample_request request = pm_sample_request_of(s->clip->data, &s->job, 1);
    const float *const wanted[PM_OUTPUT_COUNT] = {reference->rotations, reference->positions,
                                                  reference->scales, reference->velocities,
                                                  reference->accelerations};
    static const cuda_kernel kernels[] = {CUDA_GATHER, CUDA_VELOCITY, CUDA_ACCELERATION};
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const pm_output *output = &pm_outputs[o];
        if (s->clip->data->common_timeline && !s->job.tracks && output->order == 0)
            check_output(s, CUDA_WALK, &request, output, wanted[o]);
        check_output(s, kernels[output->order], &request, output, wanted[o]);
    }
}

/* The job's outputs in one array of 16 floats for each value. */
static void set_outputs(pm_sample_job *job, float *values, size_t count) {
    job->rotations = values;
    job->positions = values + 4 * count;
    job->scales = values + 7 * count;
    job->velocities = values + 10 * count;
    job->accelerations = values + 13 * count;
}

static void check_job(check *c, const pm_clip *clip, const char *what, pm_sample_job job) {
    pm_error error = {0};
    sampling s = {.check = c, .clip = clip, .what = what, .job = job};
    s.count = job.sample_count * (job.tracks ? 1 : clip->data->track_count);
    const pm_sample_request request = pm_sample_request_of(clip->data, &job, 1);
    float *values = calloc(s.count * 16, sizeof *values);
    pm_cursor *cursors = calloc(request.cursor_rows * request.sample_count, sizeof *cursors);
    set_outputs(&job, values, s.count);
    s.cursors = cursors;
    if (!values || !cursors) {
        cuda_say("out of memory");
        c->failed = true;
    } else if (pm_sample(clip, &job, &error) != PM_OK) {
        cuda_say("the reference path: %s: %s", what, error.message);
        c->failed = true;
    } else {
        pm_sample_cursors(&request, cursors);
        check_kernels(&s, &job);
    }
    free(values);
    free(cursors);
}

/* Samples before, among and after the keys: of every track, then as pairs, whose derivatives are in
 * the parent's frame. */
static void check_clip(check *c, const pm_clip_desc *desc, const char *what,
                       random_source *source) {
    pm_error error = {0};
    pm_clip *clip = NULL;
    double *times = calloc(c->samples, sizeof *times);
    uint32_t *tracks = calloc(c->samples, sizeof *tracks);
    if (!times || !tracks || pm_clip_create(c->engine, desc, &clip, &error) != PM_OK) {
        cuda_say("%s: %s", what, times && tracks ? error.message : "out of memory");
        c->failed = true;
    } else {
        const pm_sample_job job = {.sample_count = c->samples, .times = times};
        random_times(source, c->samples, -3, 12, times);
        for (size_t i = 0; i < c->samples; i++)
            tracks[i] = (uint32_t)(random_bits(source) % TRACKS);
        check_job(c, clip, what, job);
        check_job(c, clip, what,
                  (pm_sample_job){.sample_count = c->samples,
                                  .times = times,
                                  .tracks = tracks,
                                  .velocity_frame = PM_AXIS_PARENT});
    }
    pm_clip_destroy(&clip);
    free(times);
    free(tracks);
}

/* Open clips of uneven key times, and loops of uniform keys, whose odd laps change signs. */
static void check_variant(check *c, const variant *v, bool common_timeline, bool looped,
                          pm_key_format format, random_source *source) {
    const pm_timeline uniform = {.key_count = KEYS, .rate = {3, 1}};
    track_set set;
    set_random(source, TRACKS, KEYS, looped ? 0.5 : 0, 3.1, !looped, common_timeline, &set);
    variant_prepare(v, &set);
    pm_clip_desc desc = variant_describe(v, &set);
    desc.key_format = format;
    if (looped) {
        for (size_t t = 0; t < desc.timeline_count; t++)
            set.timelines[t] = uniform;
        desc.loop_period = 3;
    }
    check_clip(c, &desc, v->name, source);
    set_destroy(&set);
}

static bool stores_keys_alone(const variant *v) {
    return pm_curves[pm_rotation_impl(&(pm_clip_desc){.method = v->method}).curve].coefficients ==
           0;
}

void check_clips(check *c) {
    random_source source = random_start();
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        for (int looped = 0; looped < 2; looped++)
            for (int common = 0; common < 2; common++)
                check_variant(c, v, common, looped, PM_KEYS_FLOAT32, &source);
        for (pm_key_format f = PM_KEYS_LOG48; stores_keys_alone(v) && f < PM_KEYS_COUNT; f++)
            check_variant(c, v, true, false, f, &source);
    }
}
