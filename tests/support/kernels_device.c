/* SPDX-License-Identifier: MIT
 *
 * A device for tests: the reference, but kernels compiled as C for the host build clips, and compute low-passes and
 * states of bodies. A program that links this file has it in place of an OpenCL device. Every memory of a
 * kernel has its exact size and, where a device leaves it so, no contents, so that sanitizers see what a
 * device would not. What no kernel is compiled for is computed by the reference.
 */
#include "engines.h"
#include "steps_on_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

/* Small, so that jobs are cut into launches. */
enum { MAX_WORK = 1 << 12, SHARED_BYTES = 32768 };

static const pm_backend *reference;
static size_t launches;

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct memories {
    void *of[PM_MEMORY_COUNT];
} memories;

static void memories_free(memories *m) {
    for (size_t i = 0; i < PM_MEMORY_COUNT; i++)
        free(m->of[i]);
}

static void *make(memories *m, pm_memory memory, size_t bytes) {
    free(m->of[memory]);
    m->of[memory] = malloc(bytes);
    assert_non_null(m->of[memory]);
    return m->of[memory];
}

/* Where there are no data, memory without a byte, so that a kernel that reads them is detected. */
static void copy(memories *m, pm_memory memory, const void *data, size_t bytes) {
    void *to = make(m, memory, data ? bytes : 0);
    if (data && bytes)
        memcpy(to, data, bytes);
}

/* False: the program is not compiled. */
static bool run(const pm_device *device, const pm_step *step, const memories *m) {
    step_on_host *program = step_on_host_of(&step->variant);
    pm_step fitted = *step;
    if (program) {
        const pm_work_size size = pm_step_fit(&fitted, device->plan, PM_GROUP_ITEMS);
        if (step->grouping == PM_GROUPS_SHARED)
            fitted.items = size.items[0] / size.group[0];
        program(&fitted, m->of);
        launches++;
    }
    return program != NULL;
}

/* ---- building clips ------------------------------------------------------------------------- */

static void copy_given(memories *m, const pm_clip_desc *desc, const pm_build_plan *plan) {
    static const pm_memory of[] = {PM_MEMORY_GIVEN_KEYS, PM_MEMORY_TANGENTS_IN,
                                   PM_MEMORY_TANGENTS_OUT};
    for (unsigned a = 0; a < COUNT_OF(of); a++) {
        const pm_source from = pm_build_source(desc, plan->clip, plan->channel, a);
        copy(m, of[a], from.data, from.bytes);
    }
    const size_t rows = desc->axis_count > 1 ? desc->axis_count : 1;
    if (desc->axes.data && plan->clip->channels[plan->channel].impl.segments == PM_BUILD_sterp)
        copy(m, PM_MEMORY_AXES, desc->axes.data,
             ((rows - 1) * (size_t)plan->job.axes.stride + 3) * pm_number_size(desc->axes.type));
}

static void make_build_memories(const pm_device *device, memories *m, const pm_clip_desc *desc,
                                const pm_build_plan *plan) {
    static const pm_memory own[] = {PM_MEMORY_SIGNS, PM_MEMORY_TANGENTS_IN, PM_MEMORY_SOLVER};
    const pm_clip_data *clip = plan->clip;
    const size_t bytes = clip->channels[plan->channel].key_bytes, word = sizeof(pm_u32);
    const pm_u32 none = 0;
    copy_given(m, desc, plan);
    copy(m, PM_MEMORY_BUILD_TRACKS, plan->tracks, clip->track_count * sizeof *plan->tracks);
    copy(m, PM_MEMORY_BORDERS, plan->times, plan->time_count * sizeof *plan->times);
    copy(m, PM_MEMORY_WRAPS, clip->wraps, clip->padded_tracks * sizeof *clip->wraps);
    copy(m, PM_MEMORY_FAILURE, &none, sizeof none);
    for (size_t i = 0; i < COUNT_OF(own); i++) {
        const size_t room = pm_build_memory(plan, device->plan, own[i]);
        if (room > 0)
            make(m, own[i], room);
    }
    memset(make(m, PM_MEMORY_KEYS, (bytes + word - 1) / word * word), 0, bytes);
}

/* Moves what kernels have built into the clip. */
static void take_channel(pm_device *device, const memories *m, pm_clip_data *data, unsigned c) {
    pm_channel *channel = &data->channels[c];
    channel->memory = pm_pool_take(device->pool, channel->key_bytes);
    channel->keys = pm_pool_memory(channel->memory);
    assert_non_null(channel->keys);
    memcpy(channel->keys, m->of[PM_MEMORY_KEYS], channel->key_bytes);
    if (c == PM_ROTATIONS)
        memcpy(data->wraps, m->of[PM_MEMORY_WRAPS], data->track_count * sizeof *data->wraps);
    for (size_t t = 0; c == PM_ROTATIONS && t < data->track_count; t++)
        channel->layout[t].wrap = data->wraps[t];
}

/* False: the host must build the clip. */
static bool build_channel(pm_device *device, const pm_clip_desc *desc, pm_clip_data *data,
                          unsigned c) {
    SCOPED(memories_free) memories m = {{NULL}};
    SCOPED(pm_build_plan_free) pm_build_plan plan;
    pm_build_position at = {0};
    pm_step step;
    pm_u32 failed = 0;
    bool has_programs = true;
    expect_success(pm_build_plan_make(desc, data, c, &plan, new_error()));
    make_build_memories(device, &m, desc, &plan);
    while (has_programs && pm_plan_build_step(&plan, device->plan, &at, &step))
        has_programs = run(device, &step, &m);
    memcpy(&failed, m.of[PM_MEMORY_FAILURE], sizeof failed);
    if (has_programs && !failed)
        take_channel(device, &m, data, c);
    return has_programs && !failed;
}

static pm_status build_clip(pm_device *device, const pm_clip_desc *desc, const void *buffers,
                            pm_clip_data *data, pm_device_clip **clip, pm_error *error) {
    bool builds = true;
    assert_null(buffers);
    for (unsigned c = 0; builds && c < PM_CHANNEL_COUNT; c++)
        if (data->channels[c].present)
            builds = build_channel(device, desc, data, c);
    return builds ? reference->upload_clip(device, data, clip, error) : PM_OK;
}

/* ---- low-passes ----------------------------------------------------------------------------- */

static bool lowpass_piece(const pm_device *device, const pm_sample_plan *plan,
                          const pm_sample_request *piece, unsigned o) {
    const pm_source keys = pm_clip_source(piece->clip, pm_outputs[o].channel, PM_MEMORY_KEYS);
    const size_t bytes = pm_sample_output_bytes(piece, o);
    SCOPED(memories_free) memories m = {{NULL}};
    pm_lowpass_table table;
    expect_success(pm_lowpass_tabulate(piece, &table, new_error()));
    copy(&m, PM_MEMORY_KEYS, keys.data, keys.bytes);
    copy(&m, PM_MEMORY_LOWPASS_PLACES, table.places, piece->sample_count * sizeof *table.places);
    copy(&m, PM_MEMORY_WEIGHTS, table.weights,
         table.rows * piece->lowpass->taps * sizeof *table.weights);
    pm_lowpass_table_release(&table);
    make(&m, PM_MEMORY_RESULTS, bytes);
    const pm_step step = pm_plan_output(plan, piece, o);
    const bool ran = run(device, &step, &m);
    if (ran)
        memcpy(piece->outputs[o], m.of[PM_MEMORY_RESULTS], bytes);
    return ran;
}

static pm_status sample(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error) {
    const pm_sample_plan plan = pm_plan_samples(request, UINT64_MAX, clip->device->plan);
    const size_t pieces = pm_piece_count(request->sample_count, plan.piece_samples);
    bool ran = request->lowpass != NULL;
    for (size_t i = 0; ran && i < pieces; i++) {
        const pm_piece at = pm_piece_at(request->sample_count, plan.piece_samples, i);
        const pm_sample_request piece = pm_sample_request_piece(request, &at);
        for (unsigned o = 0; ran && o < PM_OUTPUT_COUNT; o++)
            if (piece.outputs[o])
                ran = lowpass_piece(clip->device, &plan, &piece, o);
    }
    return ran ? PM_OK : reference->sample(clip, request, error);
}

/* ---- states of bodies ----------------------------------------------------------------------- */

/* The table of joints is that of all. */
static void copy_inputs(memories *m, const pm_pose_request *r, const pm_stages *stages,
                        uint32_t set) {
    for (unsigned i = 0; i < PM_MEMORY_COUNT; i++) {
        const pm_source from =
            pm_crowd_source(r->crowd, i == PM_MEMORY_JOINTS ? 0 : set, stages, (pm_memory)i);
        copy(m, (pm_memory)i, from.data, from.bytes);
    }
    for (pm_memory i = PM_MEMORY_INSTANCES; i <= PM_MEMORY_SPEEDS; i++) {
        const pm_pose_rows rows = pm_pose_rows_of(r, i);
        copy(m, i, r->inputs[i - PM_MEMORY_INSTANCES].memory, rows.count * rows.bytes);
    }
}

static unsigned char *results_of(const memories *m, const pm_pose_target *target) {
    return m->of[PM_MEMORY_RESULTS + target->view.output - PM_CROWD_BODY_POS];
}

/* The targets that are computed together with one, in memory of their own. */
static void copy_targets(memories *m, const pm_pose_request *r, size_t first) {
    for (size_t t = first; t < r->target_count; t++) {
        const pm_pose_target *target = &r->targets[t];
        if (pm_are_computed_together(target->view, r->targets[first].view))
            copy(m, (pm_memory)(PM_MEMORY_RESULTS + target->view.output - PM_CROWD_BODY_POS),
                 target->to.memory, pm_pose_target_bytes(r, target));
    }
}

static void take_targets(const memories *m, const pm_pose_request *r, size_t first) {
    for (size_t t = first; t < r->target_count; t++) {
        const pm_pose_target *target = &r->targets[t];
        if (pm_are_computed_together(target->view, r->targets[first].view))
            memcpy(target->to.memory, results_of(m, target), pm_pose_target_bytes(r, target));
    }
}

/* States of bodies alone, of the set of a target. */
static bool pose_bodies(const pm_device *device, const pm_pose_request *r, size_t target) {
    SCOPED(memories_free) memories m = {{NULL}};
    enum { SETS = 8 };
    const uint32_t set = r->targets[target].view.set;
    const size_t entries = pm_pose_entries(r), most = pm_plan_launch_instances(r, device->plan);
    pm_stages stages[SETS] = {{.stages = NULL}};
    bool ran = true;
    assert_true(set < SETS);
    expect_success(pm_stages_build(NULL, r->crowd->skeleton, set, pm_max_slots(device->plan),
                                   &stages[set], new_error()));
    copy_inputs(&m, r, &stages[set], set);
    copy_targets(&m, r, target);
    for (size_t i = 0; ran && i < pm_piece_count(entries, most); i++) {
        const pm_piece at = pm_piece_at(entries, most, i);
        const pm_step step = pm_plan_poses(r, target, &at, stages);
        ran = run(device, &step, &m);
    }
    if (ran)
        take_targets(&m, r, target);
    pm_stages_free(&stages[set]);
    return ran;
}

static pm_status pose(pm_device_crowd *crowd, const pm_pose_request *request, pm_error *error) {
    bool bodies = true;
    for (size_t t = 0; t < request->target_count; t++)
        bodies = bodies && pm_is_body_output(request->targets[t].view.output);
    if (bodies)
        pm_pose_keep_previous(request, &(pm_piece){0, pm_pose_records(request)});
    for (size_t t = 0; bodies && t < request->target_count; t++)
        if (!pm_pose_is_computed(request, t))
            bodies = pose_bodies(crowd->device, request, t);
    return bodies ? PM_OK : reference->pose(crowd, request, error);
}

/* ---- the device ----------------------------------------------------------------------------- */

static void close_device(pm_device *device) {
    free((void *)(uintptr_t)device->plan);
    reference->close(device);
}

static const pm_plan_device *make_plan(void) {
    pm_plan_device *plan = test_array(1, sizeof *plan);
    *plan =
        (pm_plan_device){.compute_units = 1, .max_work = MAX_WORK, .shared_bytes = SHARED_BYTES};
    return plan;
}

static pm_status open_kernels(const pm_engine_desc *options, pm_engine **engine, pm_error *error) {
    static pm_backend backend;
    pm_engine_desc desc = *options;
    desc.device = "none";
    const pm_status status = pm_engine_create(&desc, engine, error);
    if (status != PM_OK)
        return status;
    pm_device *device = (*engine)->device;
    if (!reference) {
        reference = device->backend;
        backend = *reference;
        backend.close = close_device;
        backend.build_clip = build_clip;
        backend.sample = sample;
        backend.pose = pose;
    }
    device->backend = &backend;
    device->plan = make_plan();
    device->builds_clips = true;
    device->info.type = PM_DEVICE_CPU;
    snprintf(device->info.name, sizeof device->info.name, "kernels on the host");
    return PM_OK;
}

__attribute__((constructor)) static void use_kernels(void) {
    open_own_device = open_kernels;
}

__attribute__((destructor)) static void expect_launches(void) {
    if (reference && launches == 0) {
        fprintf(stderr, "kernels on the host: no kernel ran\n");
        _Exit(1);
    }
}
