/* SPDX-License-Identifier: MIT
 *
 * Arguments from a clip or a crowd, in the order of the kernels' parameters.
 */
#include "launches.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "crowd/stages.h"

enum {
    GROUP = 64,         /* work-items per group */
    GROUP_BYTES = 8192, /* shared memory per group of crowds: as in host/plan/pose_plan.c */
    MAX_SLOTS = 24,     /* some skeletons have more, and are posed joint by joint */
    RUN = 16,           /* samples per work-item of walk */
    OFFSET = 4,         /* floats before the values that no kernel may write */
    POISON_BYTE = 0xA5  /* four of them are a number that no formula returns */
};

static unsigned groups_of(size_t items, size_t each) {
    return (unsigned)((items + each - 1) / each);
}

/* Names have dashes and small letters. */
static void name_program(char *name, size_t size, const char *kernel, const char *rest,
                         pm_key_format format) {
    static const char *const formats[PM_KEYS_COUNT] = {
        [PM_KEYS_FLOAT32] = "", [PM_KEYS_LOG48] = "/log48", [PM_KEYS_SMALLEST48] = "/smallest48"};
    snprintf(name, size, "%s/%s%s", kernel, rest, formats[format]);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? '-' : (char)tolower((unsigned char)*at);
}

void cuda_sampler_name(cuda_kernel kernel, const pm_channel *channel, char *name, size_t size) {
    static const char *const kernels[] = {[CUDA_WALK] = "walk",
                                          [CUDA_GATHER] = "gather",
                                          [CUDA_VELOCITY] = "velocity",
                                          [CUDA_ACCELERATION] = "acceleration"};
    name_program(name, size, kernels[kernel], pm_curves[channel->impl.curve].name, channel->format);
}

void cuda_crowd_name(const pm_crowd_data *crowd, pm_crowd_output output, char *name, size_t size) {
#define OUTPUT_NAME(output, number, form, numbers, bits, bound) [PM_CROWD_##output] = #output,
    static const char *const outputs[] = {PM_CROWD_OUTPUTS(OUTPUT_NAME)};
#undef OUTPUT_NAME
    char kernel[32];
    const pm_channel *rotations = &crowd->channels[PM_ROTATIONS];
    snprintf(kernel, sizeof kernel, "crowd/%s", outputs[output]);
    name_program(name, size, kernel, pm_curves[rotations->impl.curve].name, rotations->format);
    if (crowd->per_joint)
        snprintf(name + strlen(name), size - strlen(name), "/per-joint");
}

/* One launch of a kernel of samples. Results have OFFSET floats before the values. */
typedef struct sample_call {
    cuda_programs *programs;
    const cuda_program *program;
    const pm_sample_request *request;
    const pm_cursor *cursors;
    const pm_output *output;
    float *results;
    size_t result_bytes;
} sample_call;

static size_t cursor_bytes(const sample_call *c) {
    return c->request->cursor_rows * c->request->sample_count * sizeof *c->cursors;
}

static bool run_walk(const sample_call *c) {
    const pm_clip_data *clip = c->request->clip;
    const pm_channel *channel = &clip->channels[c->output->channel];
    const pm_u64 values_offset = OFFSET;
    const pm_u32 plane_floats = channel->layout[0].plane;
    const pm_u32 track_count = (pm_u32)clip->track_count;
    const pm_u32 sample_count = (pm_u32)c->request->sample_count;
    const pm_u32 span = 1, run = RUN, streams = 0;
    const cuda_argument arguments[] = {
        CUDA_BUFFER("keys", channel->keys, channel->key_bytes),
        CUDA_BUFFER("constants", channel->constants,
                    (channel->constant_floats + 1) * sizeof(float)),
        CUDA_BUFFER("wraps", clip->wraps, clip->padded_tracks * sizeof *clip->wraps),
        CUDA_BUFFER("cursors", c->cursors, cursor_bytes(c)),
        CUDA_RESULTS("values", c->results, c->result_bytes),
        CUDA_NUMBER(values_offset),
        CUDA_NUMBER(plane_floats),
        CUDA_NUMBER(track_count),
        CUDA_NUMBER(sample_count),
        CUDA_NUMBER(span),
        CUDA_NUMBER(run),
        CUDA_NUMBER(streams)};
    return cuda_run(c->programs, c->program, arguments, sizeof arguments / sizeof *arguments,
                    groups_of(track_count, GROUP), groups_of(sample_count, RUN), GROUP);
}

/* gather, velocity or acceleration. */
static bool run_gather(const sample_call *c) {
    const pm_clip_data *clip = c->request->clip;
    const pm_channel *channel = &clip->channels[c->output->channel];
    const size_t count = c->request->sample_count * c->request->width;
    const pm_u64 values_offset = OFFSET;
    const pm_u32 constant_floats = (pm_u32)(4 * clip->padded_tracks);
    const pm_u32 track_count = (pm_u32)clip->track_count;
    const pm_u32 sample_count = (pm_u32)c->request->sample_count;
    const pm_u32 value_count = (pm_u32)count;
    const pm_u32 pairs = c->request->tracks != NULL;
    const pm_u32 parent = c->request->parent_frame, streams = 0;
    const cuda_argument arguments[] = {
        CUDA_BUFFER("keys", channel->keys, channel->key_bytes),
        CUDA_BUFFER("constants", channel->constants,
                    (channel->constant_floats + 1) * sizeof(float)),
        CUDA_BUFFER("layout", channel->layout, clip->track_count * sizeof *channel->layout),
        CUDA_BUFFER("cursors", c->cursors, cursor_bytes(c)),
        CUDA_BUFFER("tracks", c->request->tracks, count * sizeof *c->request->tracks),
        CUDA_RESULTS("values", c->results, c->result_bytes),
        CUDA_NUMBER(values_offset),
        CUDA_NUMBER(constant_floats),
        CUDA_NUMBER(track_count),
        CUDA_NUMBER(sample_count),
        CUDA_NUMBER(value_count),
        CUDA_NUMBER(pairs),
        CUDA_BUFFER("rates", clip->rates, clip->rate_count * sizeof *clip->rates),
        CUDA_NUMBER(parent),
        CUDA_NUMBER(streams)};
    return cuda_run(c->programs, c->program, arguments, sizeof arguments / sizeof *arguments,
                    groups_of(count, GROUP), 1, GROUP);
}

/* Memory of `bytes` bytes that hold POISON_BYTE; NULL after a message. */
static void *poisoned(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory)
        memset(memory, POISON_BYTE, bytes);
    else
        cuda_say("out of memory");
    return memory;
}

static bool is_poisoned(const cuda_program *program, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != POISON_BYTE) {
            cuda_say("%s wrote before its values", program->name);
            return false;
        }
    return true;
}

bool cuda_sample(cuda_programs *programs, const cuda_program *program, cuda_kernel kernel,
                 const pm_sample_request *request, const pm_cursor *cursors,
                 const pm_output *output, float *values) {
    const size_t bytes =
        request->sample_count * request->width * output->components * sizeof *values;
    const sample_call call = {.programs = programs,
                              .program = program,
                              .request = request,
                              .cursors = cursors,
                              .output = output,
                              .results = poisoned(OFFSET * sizeof *values + bytes),
                              .result_bytes = OFFSET * sizeof *values + bytes};
    if (!call.results)
        return false;
    const bool done =
        (kernel == CUDA_WALK ? run_walk(&call) : run_gather(&call)) &&
        is_poisoned(program, (const unsigned char *)call.results, OFFSET * sizeof *values);
    if (done)
        memcpy(values, call.results + OFFSET, bytes);
    free(call.results);
    return done;
}

/* ---- crowds -------------------------------------------------------------------------- */

static cuda_argument keys_of(const pm_crowd_data *crowd, const char *name, unsigned channel) {
    return (cuda_argument)CUDA_BUFFER(name, crowd->channels[channel].keys,
                                      crowd->channels[channel].key_bytes);
}

/* The instances that a work-group poses together: as many as occupy its items in an average stage. */
static pm_u32 instances_per_group(const pm_skeleton *s, const pm_stages *stages) {
    const size_t by_width = (GROUP * stages->stage_count + s->joint_count - 1) / s->joint_count;
    const size_t by_memory =
        GROUP_BYTES / (sizeof(pm_shared_instance) + stages->slots * PM_SLOT_FLOATS * sizeof(float));
    const size_t least = by_width < by_memory ? by_width : by_memory;
    return least ? (pm_u32)least : 1;
}

/* Records have `offset` bytes before them. */
static bool run_crowd(cuda_programs *programs, const cuda_program *program,
                      const cuda_pose_job *job, const pm_stages *stages, unsigned char *records) {
    static const pm_key_time no_times[1] = {{0, 0}};
    const pm_crowd_data *crowd = job->crowd;
    const pm_skeleton *s = crowd->skeleton;
    const size_t n = s->joint_count, count = job->instance_count;
    const pm_channel *rotations = &crowd->channels[PM_ROTATIONS];
    const pm_u64 instances_offset = 0, records_offset = job->offset;
    const pm_u64 stride = pm_crowd_stride(s, job->output, 0);
    const pm_u32 per_group = instances_per_group(s, stages), slots = (pm_u32)stages->slots;
    pm_crowd_size size = pm_crowd_size_of(crowd, 0, 0, count);
    size.stages = (pm_u32)stages->stage_count;
    const cuda_argument arguments[] = {
        CUDA_BUFFER("instances", job->instances, count * sizeof *job->instances),
        CUDA_NUMBER(instances_offset),
        CUDA_BUFFER("joints", crowd->joints, n * sizeof *crowd->joints),
        CUDA_BUFFER("clips", crowd->clips, crowd->clip_count * sizeof *crowd->clips),
        CUDA_BUFFER("timelines", crowd->timelines,
                    crowd->timeline_count * sizeof *crowd->timelines),
        CUDA_BUFFER("times", crowd->time_count ? crowd->times : no_times,
                    (crowd->time_count ? crowd->time_count : 1) * sizeof *crowd->times),
        CUDA_BUFFER("levels", s->levels, s->level_count * sizeof *s->levels),
        CUDA_BUFFER("level_joints", s->level_joints, s->level_count * n),
        CUDA_BUFFER("masks", s->masks, (s->mask_count + 1) * n * sizeof *s->masks),
        CUDA_BUFFER("layout", crowd->layout, crowd->layout_rows * sizeof *crowd->layout),
        keys_of(crowd, "rotations", PM_ROTATIONS),
        CUDA_BUFFER("constants", rotations->constants,
                    (rotations->constant_floats + 1) * sizeof(float)),
        keys_of(crowd, "positions", PM_POSITIONS),
        keys_of(crowd, "scales", PM_SCALES),
        CUDA_BUFFER("stages", stages->stages, stages->stage_count * sizeof *stages->stages),
        CUDA_BUFFER("stage_joints", stages->joints, n * sizeof *stages->joints),
        CUDA_RESULTS("records", records, job->offset + count * stride),
        CUDA_NUMBER(records_offset),
        CUDA_NUMBER(stride),
        CUDA_NUMBER(size),
        CUDA_NUMBER(per_group),
        CUDA_NUMBER(slots),
        CUDA_SHARED("shared", per_group * sizeof(pm_shared_instance)),
        CUDA_SHARED("transforms", per_group * stages->slots * PM_SLOT_FLOATS * sizeof(float))};
    return cuda_run(programs, program, arguments, sizeof arguments / sizeof *arguments,
                    groups_of(count, per_group), 1, GROUP);
}

bool cuda_pose(cuda_programs *programs, const cuda_program *program, const cuda_pose_job *job,
               void *records) {
    const size_t bytes =
        job->instance_count * pm_crowd_stride(job->crowd->skeleton, job->output, 0);
    pm_error error = {0};
    pm_stages stages;
    if (pm_stages_build(job->crowd->skeleton, MAX_SLOTS, &stages, &error) != PM_OK)
        cuda_say("%s: %s", program->name, error.message);
    unsigned char *memory = stages.stages ? poisoned(job->offset + bytes) : NULL;
    const bool done = memory && run_crowd(programs, program, job, &stages, memory) &&
                      is_poisoned(program, memory, job->offset);
    if (done)
        memcpy(records, memory + job->offset, bytes);
    free(memory);
    pm_stages_free(&stages);
    return done;
}
