/* SPDX-License-Identifier: MIT
 *
 * A device for tests: the reference, but kernels compiled as C for the host build clips and compute samples and crowds.
 * A program that links this file has it in place of an OpenCL device, and runs its tests on devices alone. Every memory
 * of a kernel has its exact size and, where a device leaves it so, no contents, so that sanitizers see what a
 * device would not. What no kernel is compiled for is computed by the reference.
 */
#include "engines.h"
#include "steps_on_host.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

/* MAX_WORK: small, so that jobs are cut into launches. BEFORE: bytes before what a kernel reads or writes, which are
 * not its own. */
enum { MAX_WORK = 1 << 12, SHARED_BYTES = 32768, BEFORE = 16, POISON = 0xA5 };

static const pm_backend *reference;
static atomic_size_t launches;

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

/* BEFORE bytes, and then room for some without contents. */
static unsigned char *make_after(memories *m, pm_memory memory, size_t bytes) {
    return (unsigned char *)memset(make(m, memory, BEFORE + bytes), POISON, BEFORE) + BEFORE;
}

/* Frees the bytes after BEFORE, which no kernel may write. */
static const unsigned char *after(const memories *m, pm_memory memory) {
    unsigned char untouched[BEFORE];
    memset(untouched, POISON, BEFORE);
    assert_memory_equal(m->of[memory], untouched, BEFORE);
    return (const unsigned char *)m->of[memory] + BEFORE;
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

static bool are_compiled(const pm_variant *variants, size_t count) {
    bool all = true;
    for (size_t i = 0; i < count; i++)
        all = all && step_on_host_of(&variants[i]);
    return all;
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

/* ---- samples -------------------------------------------------------------------------------- */

static void make_lowpass(memories *m, const pm_sample_request *piece) {
    pm_lowpass_table table;
    expect_success(pm_lowpass_tabulate(piece, &table, new_error()));
    copy(m, PM_MEMORY_LOWPASS_PLACES, table.places, piece->sample_count * sizeof *table.places);
    copy(m, PM_MEMORY_WEIGHTS, table.weights,
         table.rows * piece->lowpass->taps * sizeof *table.weights);
    pm_lowpass_table_release(&table);
}

static void make_cursors(const pm_device *device, memories *m, const pm_sample_plan *plan,
                         const pm_sample_request *piece) {
    pm_cursor *cursors =
        make(m, PM_MEMORY_CURSORS, piece->cursor_rows * piece->sample_count * sizeof *cursors);
    pm_step step;
    if (!pm_plan_locate(plan, piece, &step))
        pm_sample_cursors(piece, cursors);
    else
        assert_true(run(device, &step, m));
    copy(m, PM_MEMORY_TRACKS, piece->tracks, piece->sample_count * sizeof *piece->tracks);
}

/* A work-item of walk evaluates any number of samples, which may not affect the bits. */
static void choose_run(pm_step *step) {
    pm_step_numbers *n = &step->numbers;
    if (step->rows == 0)
        return;
    n->run = (pm_u32)(1 + launches * 9 % (n->sample_count + 1));
    step->rows = (n->sample_count + n->run - 1) / n->run;
}

static void put_output(const pm_device *device, memories *m, const pm_sample_plan *plan,
                       const pm_sample_request *piece, unsigned o) {
    const pm_channel *channel = &piece->clip->channels[pm_outputs[o].channel];
    const size_t bytes = pm_sample_output_bytes(piece, o);
    for (pm_memory i = PM_MEMORY_KEYS; i <= PM_MEMORY_RATES; i++) {
        const pm_source from = pm_clip_source(piece->clip, pm_outputs[o].channel, i);
        copy(m, i, from.data, from.bytes);
    }
    copy(m, PM_MEMORY_CONSTANTS, channel->constants, /* a device has a float more */
         channel->constant_floats * sizeof *channel->constants);
    make_after(m, PM_MEMORY_RESULTS, bytes);
    pm_step step = pm_plan_output(plan, piece, o);
    step.numbers.values_offset = BEFORE / sizeof(float);
    choose_run(&step);
    assert_true(run(device, &step, m));
    memcpy(piece->outputs[o], after(m, PM_MEMORY_RESULTS), bytes);
}

static void put_piece(const pm_device *device, const pm_sample_plan *plan,
                      const pm_sample_request *piece) {
    SCOPED(memories_free) memories m = {{NULL}};
    if (piece->lowpass)
        make_lowpass(&m, piece);
    else
        make_cursors(device, &m, plan, piece);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (piece->outputs[o])
            put_output(device, &m, plan, piece, o);
}

static pm_status sample(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error) {
    const pm_sample_plan plan = pm_plan_samples(request, UINT64_MAX, clip->device->plan);
    const size_t pieces = pm_piece_count(request->sample_count, plan.piece_samples);
    pm_variant variants[PM_SAMPLE_VARIANTS];
    if (!are_compiled(variants, pm_plan_sample_variants(&plan, request, variants)))
        return reference->sample(clip, request, error);
    for (size_t i = 0; i < pieces; i++) {
        const pm_piece at = pm_piece_at(request->sample_count, plan.piece_samples, i);
        const pm_sample_request piece = pm_sample_request_piece(request, &at);
        put_piece(clip->device, &plan, &piece);
    }
    return PM_OK;
}

/* ---- crowds --------------------------------------------------------------------------------- */

/* A request whose inputs are memory of kernels, as on a device: rows without gaps. The table of joints is that of all. */
static pm_pose_request copy_inputs(memories *m, const pm_pose_request *r, const pm_stages *stages,
                                   uint32_t set) {
    pm_pose_request copied = *r;
    for (unsigned i = 0; i < PM_MEMORY_COUNT; i++) {
        const pm_source from =
            pm_crowd_source(r->crowd, i == PM_MEMORY_JOINTS ? 0 : set, stages, (pm_memory)i);
        copy(m, (pm_memory)i, from.data, from.bytes);
    }
    for (pm_memory i = PM_MEMORY_INSTANCES; i <= PM_MEMORY_SPEEDS; i++) {
        pm_pose_rows rows = pm_pose_rows_of(r, i);
        pm_address *input = pm_pose_input(&copied, i);
        if (!input->memory)
            continue;
        if (i == PM_MEMORY_POSES && r->staged)
            rows.count = pm_pose_entries(r);
        pm_pose_copy_rows(&rows, input->memory, make_after(m, i, rows.count * rows.bytes));
        input->offset = BEFORE;
        if (pm_pose_stride(&copied, i))
            *pm_pose_stride(&copied, i) = rows.bytes;
    }
    return copied;
}

static pm_memory results_of(pm_crowd_output output) {
    return (pm_memory)(PM_MEMORY_RESULTS +
                       (pm_is_body_output(output) ? output - PM_CROWD_BODY_POS : 0));
}

static bool writes(const pm_pose_request *r, size_t target, size_t other) {
    return target == other ||
           pm_are_computed_together(r->targets[target].view, r->targets[other].view);
}

/* The targets that are computed together with one, in memory of their own: to it, and back. */
static void copy_targets(memories *m, pm_pose_request *r, size_t first) {
    for (size_t t = first; t < r->target_count; t++) {
        pm_pose_target *target = &r->targets[t];
        const size_t bytes = pm_pose_target_bytes(r, target);
        if (!writes(r, first, t))
            continue;
        memcpy(make_after(m, results_of(target->view.output), bytes), target->to.memory, bytes);
        target->to.offset = BEFORE;
    }
}

static void take_targets(const memories *m, const pm_pose_request *r, size_t first) {
    for (size_t t = first; t < r->target_count; t++) {
        const pm_pose_target *target = &r->targets[t];
        if (writes(r, first, t))
            memcpy(target->to.memory, after(m, results_of(target->view.output)),
                   pm_pose_target_bytes(r, target));
    }
}

/* Poses of the set of a target. */
static void pose_target(const pm_device *device, const pm_pose_request *r, size_t target) {
    SCOPED(memories_free) memories m = {{NULL}};
    enum { SETS = 8 };
    const uint32_t set = r->targets[target].view.set;
    const size_t entries = pm_pose_entries(r), most = pm_plan_launch_instances(r, device->plan);
    pm_stages stages[SETS] = {{.stages = NULL}};
    assert_true(set < SETS);
    expect_success(pm_stages_build(NULL, r->crowd->skeleton, set, pm_max_slots(device->plan),
                                   &stages[set], new_error()));
    pm_pose_request copied = copy_inputs(&m, r, &stages[set], set);
    copy_targets(&m, &copied, target);
    for (size_t i = 0; i < pm_piece_count(entries, most); i++) {
        const pm_piece at = pm_piece_at(entries, most, i);
        const pm_step step = pm_plan_poses(&copied, target, &at, stages);
        assert_true(run(device, &step, &m));
    }
    take_targets(&m, r, target);
    pm_stages_free(&stages[set]);
}

/* Chains change the local poses of all entries. */
static void reach(const pm_device *device, const pm_pose_request *r, pm_address local) {
    SCOPED(memories_free) memories m = {{NULL}};
    const size_t entries = pm_pose_entries(r), bytes = entries * pm_pose_local_bytes(r);
    const size_t most = pm_plan_launch_instances(r, device->plan);
    const pm_stages none = {.stages = NULL};
    const pm_pose_request copied = copy_inputs(&m, r, &none, 0);
    memcpy(make_after(&m, PM_MEMORY_RESULTS, bytes), local.memory, bytes);
    for (size_t i = 0; i < pm_piece_count(entries, most); i++)
        for (size_t chain = 0; chain < r->chains.count; chain++) {
            const pm_piece at = pm_piece_at(entries, most, i);
            const pm_step step = pm_plan_reach(&copied, chain, (pm_address){.offset = BEFORE}, &at);
            assert_true(run(device, &step, &m));
        }
    memcpy(local.memory, after(&m, PM_MEMORY_RESULTS), bytes);
}

static void pose_all(const pm_device *device, const pm_pose_request *r) {
    for (size_t t = 0; t < r->target_count; t++)
        if (!pm_pose_is_computed(r, t))
            pose_target(device, r, t);
}

static void pose_with_chains(const pm_device *device, const pm_pose_request *r) {
    const pm_address local = {.memory = malloc(pm_pose_entries(r) * pm_pose_local_bytes(r))};
    assert_non_null(local.memory);
    const pm_pose_request first = pm_pose_before_chains(r, local);
    const pm_pose_request last = pm_pose_after_chains(r, local);
    pose_all(device, &first);
    reach(device, r, local);
    pose_all(device, &last);
    free(local.memory);
}

static pm_status pose(pm_device_crowd *crowd, const pm_pose_request *request, pm_error *error) {
    pm_variant variants[PM_POSE_VARIANTS];
    if (!are_compiled(variants, pm_plan_pose_variants(request, variants)))
        return reference->pose(crowd, request, error);
    if (pm_pose_is_empty(request))
        return PM_OK;
    pm_pose_keep_previous(request, &(pm_piece){0, pm_pose_records(request)});
    if (request->chains.count)
        pose_with_chains(crowd->device, request);
    else
        pose_all(crowd->device, request);
    return PM_OK;
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
    cmocka_set_test_filter("*on the device");
}

__attribute__((destructor)) static void expect_launches(void) {
    if (reference && launches == 0) {
        fprintf(stderr, "kernels on the host: no kernel ran\n");
        _Exit(1);
    }
}
