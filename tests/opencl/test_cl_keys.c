/* SPDX-License-Identifier: MIT
 *
 * Clips and low-passes of keys in a caller's buffers: bits of those from host memory, by the device and by the
 * host; the same refusals of keys; refusals of buffers.
 */
#include "base/counts.h"
#include "engine/engine.h"
#include "support/cl_caller.h"
#include "support/cl_objects.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 130, TRACKS = 9, SAMPLES = 300 };

static pm_engine *by_device;

FIXTURE(open_all) {
    const pm_engine_desc desc = {.clip_building = PM_CLIPS_BY_DEVICE};
    if (!caller_open())
        return 1;
    expect_success(
        pm_cl_engine_create(caller.context, caller.device, &desc, &by_device, new_error()));
    return 0;
}

static int close_all(void **state) {
    pm_engine_destroy(&by_device);
    caller_close();
    return engines_close(state);
}

/* A description without data, and its data in buffers. */
typedef struct given {
    pm_clip_desc desc;
    pm_cl_keys keys;
} given;

static size_t bytes_of(const pm_clip_desc *desc, const pm_array *array, size_t components) {
    const size_t row =
        desc->track_count * components * (array->type == PM_FLOAT64 ? sizeof(double) : 4);
    size_t keys = desc->timelines[0].key_count;
    if (desc->timeline_count < 2)
        return (keys - 1) * (array->stride ? array->stride : row) + row;
    keys = 0;
    for (size_t t = 0; t < desc->track_count; t++)
        keys += desc->timelines[desc->timeline_of[t]].key_count;
    return keys * row / desc->track_count;
}

static void move(const pm_clip_desc *desc, const pm_array *from, size_t components, pm_array *array,
                 pm_cl_input *to) {
    if (!from->data)
        return;
    array->data = NULL;
    to->buffer = caller_keep_buffer(
        buffer_of(caller.context, CALLER_OFFSET, bytes_of(desc, from, components), from->data));
    to->offset = CALLER_OFFSET;
}

static given in_buffers(const pm_clip_desc *desc) {
    given g = {.desc = *desc};
#define MOVE(name, components) move(desc, &desc->name, components, &g.desc.name, &g.keys.name)
    MOVE(rotations, 4);
    MOVE(positions, 3);
    MOVE(scales, 3);
    MOVE(user_tangents, 3);
    MOVE(tangents_in, 4);
    MOVE(tangents_out, 4);
    MOVE(positions_in, 3);
    MOVE(positions_out, 3);
    MOVE(scales_in, 3);
    MOVE(scales_out, 3);
    return g;
}

static pm_status create(pm_engine *engine, const given *g, pm_clip **clip, pm_error *error) {
    return pm_cl_clip_create(engine, &g->desc, &g->keys, 0, NULL, clip, error);
}

/* ---- bits ---------------------------------------------------------------------------------- */

static void expect_same_samples(const pm_clip *clip, const pm_clip *wanted) {
    const size_t samples = small_sizes() ? 20 : SAMPLES, values = samples * TRACKS;
    SCOPED(free_at) float *out = test_array(values * 20, sizeof *out);
    float *const other = out + values * 10;
    for (int i = 0; i < 2; i++) {
        float *to = i ? other : out;
        const pm_sample_job job = {.sample_count = samples,
                                   .rate = {7, 1},
                                   .rotations = to,
                                   .positions = to + 4 * values,
                                   .scales = to + 7 * values};
        sample_make(i ? wanted : clip, &job);
    }
    expect_same_bits(out, other, values * 10, 10);
}

static bool is_built_on_device(const pm_clip *clip) {
    pm_clip_info info;
    pm_clip_get_info(clip, &info);
    return info.built_on_device;
}

static void check(const pm_clip_desc *desc) {
    const given g = in_buffers(desc);
    for (int i = 0; i < 2; i++) {
        pm_engine *engine = i ? by_device : caller.engine;
        SCOPED(pm_clip_destroy) pm_clip *clip = NULL, *wanted = clip_make(engine, desc);
        expect_success(create(engine, &g, &clip, new_error()));
        const bool by_itself = engine->device->info.type != PM_DEVICE_CPU;
        assert_int_equal(is_built_on_device(clip),
                         (i || by_itself) && engine->device->builds_clips);
        expect_same_samples(clip, wanted);
    }
}

/* The last key is the first one. */
static void close_loop(motion *m) {
    float *const arrays[] = {m->rotations, m->positions, m->scales};
    for (int c = 0; c < 3; c++) {
        const size_t row = m->tracks * (c ? 3 : 4);
        memcpy(arrays[c] + (m->keys - 1) * row, arrays[c], row * sizeof(float));
    }
}

static double *with_stride(const motion *m, size_t stride) {
    const size_t row = 4 * m->tracks;
    double *rows = test_array(m->keys * stride, sizeof *rows);
    for (size_t k = 0; k < m->keys; k++)
        for (size_t i = 0; i < row; i++)
            rows[k * stride + i] = (double)m->rotations[k * row + i];
    return rows;
}

CALLER_TEST(clips_of_buffers_have_the_bits_of_host_memory_by_every_method) {
    const size_t keys = small_sizes() ? 12 : KEYS, methods = pm_method_count();
    for (size_t method = 0; method < methods; method++)
        for (size_t kind = 0; kind < 3; kind++) {
            if (small_sizes() && kind != method % 3)
                continue;
            SCOPED(motion_free) motion m = motion_make(keys, TRACKS, 1, 0xC1 + method);
            const pm_timeline timeline = {.key_count = keys, .rate = {3, 1}};
            const size_t stride = 4 * TRACKS + 3;
            SCOPED(free_at) double *doubles = with_stride(&m, stride);
            pm_clip_desc desc = motion_desc(&m, &timeline, (pm_method)method);
            if (kind == 1) {
                close_loop(&m);
                desc.loop = (double)(keys - 1) / 3;
            }
            if (kind == 2)
                desc.rotations = (pm_array){doubles, PM_FLOAT64, stride * sizeof(double)};
            check(&desc);
        }
}

CALLER_TEST(clips_of_several_timelines_and_user_tangents_are_made_of_buffers) {
    const pm_timeline timelines[] = {{.key_count = 5, .rate = {3, 1}},
                                     {.key_count = small_sizes() ? 9 : 77, .rate = {5, 1}}};
    uint32_t timeline_of[TRACKS];
    SCOPED(motion_free) motion m = motion_make(77, TRACKS, 1, 0xC2);
    float tangents[77 * TRACKS * 3];
    for (size_t t = 0; t < TRACKS; t++)
        timeline_of[t] = t % 3 == 0;
    for (size_t i = 0; i < COUNT_OF(tangents); i++)
        tangents[i] = (float)sin((double)i);
    pm_clip_desc desc = motion_desc(&m, timelines, PM_METHOD_HERMITE);
    desc.timeline_count = 2;
    desc.timeline_of = timeline_of;
    desc.tangents = PM_TANGENTS_USER;
    desc.user_tangents.data = tangents;
    check(&desc);
}

CALLER_TEST(memory_stands_beside_buffers) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xC3);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {3, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    given g = in_buffers(&desc);
    g.keys.positions = (pm_cl_input){.memory = m.positions};
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL, *wanted = clip_make(by_device, &desc);
    expect_success(create(by_device, &g, &clip, new_error()));
    expect_same_samples(clip, wanted);
}

CALLER_TEST(low_passes_of_buffers_have_the_bits_of_host_memory) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xC4);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    const given g = in_buffers(&desc);
    float out[2][SAMPLES * TRACKS * 4];
    SCOPED(pm_filter_destroy) pm_filter *filter = NULL, *wanted = NULL;
    expect_success(
        pm_cl_filter_create(caller.engine, &g.desc, 5, &g.keys, 0, NULL, &filter, new_error()));
    expect_success(pm_filter_create(caller.engine, &desc, 5, &wanted, new_error()));
    for (int i = 0; i < 2; i++) {
        const pm_sample_job job = {.sample_count = SAMPLES, .rate = {71, 1}, .rotations = out[i]};
        expect_success(pm_filter_sample(i ? wanted : filter, &job, new_error()));
    }
    expect_same_bits(out[0], out[1], SAMPLES * TRACKS * 4, 4);
    pm_filter *none = NULL;
    expect_error(
        pm_cl_filter_create(caller.engine, &g.desc, 50, &g.keys, 0, NULL, &none, new_error()),
        PM_ERROR_ARGUMENT, "cut-off");
}

CALLER_TEST(low_passes_are_sampled_on_a_queue) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xCB);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    float rotations[SAMPLES * TRACKS * 4], positions[SAMPLES * TRACKS * 3];
    pm_filter *filter = NULL;
    expect_success(pm_filter_create(caller.engine, &desc, 5, &filter, new_error()));
    pm_sample_job job = {.sample_count = SAMPLES, .rate = {71, 1}, .rotations = rotations};
    const pm_cl_outputs outputs = {.rotations = caller_buffer(sizeof rotations),
                                   .rotations_offset = CALLER_OFFSET,
                                   .positions = caller_buffer(sizeof positions),
                                   .positions_offset = CALLER_OFFSET};
    cl_event done = NULL;
#define SAMPLE(outputs)                                                                            \
    pm_cl_filter_sample(filter, &job, outputs, caller.in_order, 0, NULL, &done, new_error())
    expect_error(SAMPLE(&outputs), PM_ERROR_ARGUMENT, "use pm_filter_sample");
    job.positions = positions;
    expect_success(pm_filter_sample(filter, &job, new_error()));
    job.rotations = job.positions = NULL;
    pm_cl_outputs wrong = outputs;
    wrong.velocities = outputs.positions;
    expect_error(SAMPLE(&wrong), PM_ERROR_ARGUMENT, "velocities");
    wrong = outputs;
    wrong.rotations_offset += 16 + CALLER_TAIL;
    expect_error(SAMPLE(&wrong), PM_ERROR_ARGUMENT, "rotations: the buffer has");
    assert_null(done);
    expect_success(SAMPLE(&outputs));
    pm_filter_destroy(&filter); /* the job does not depend on it */
    caller_keep_event(done);
    caller_expect(outputs.rotations, rotations, SAMPLES * TRACKS * 4, 4, done);
    caller_expect(outputs.positions, positions, SAMPLES * TRACKS * 3, 3, done);
}

/* ---- keys that are refused ----------------------------------------------------------------- */

/* Both refuse alike, or neither does. */
static bool both_accept(const pm_clip_desc *desc) {
    pm_error errors[2] = {poisoned_error(), poisoned_error()};
    const given g = in_buffers(desc);
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL, *wanted = NULL;
    const pm_status status = pm_clip_create(by_device, desc, &wanted, &errors[0]);
    assert_int_equal(create(by_device, &g, &clip, &errors[1]), status);
    assert_string_equal(errors[0].message, errors[1].message);
    assert_int_equal(errors[0].track, errors[1].track);
    assert_int_equal(errors[0].key, errors[1].key);
    assert_int_equal(!clip, !wanted);
    if (clip)
        expect_same_samples(clip, wanted);
    return clip != NULL;
}

/* The number at key 70 of track 4 of an array. */
static void try_number(const pm_clip_desc *desc, const void *array, size_t components, double value,
                       bool is_good) {
    float *at = (float *)(uintptr_t)array + (70 * TRACKS + 4) * components + 1, kept = *at;
    *at = (float)value;
    assert_int_equal(both_accept(desc), is_good);
    *at = kept;
}

CALLER_TEST(keys_that_host_memory_is_refused_for_are_refused) {
    const double bad[] = {(double)NAN, HUGE_VAL, -2e37};
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xC5);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {3, 1}};
    const pm_clip_desc squad = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    const pm_clip_desc cubic = motion_desc(&m, &timeline, PM_METHOD_CUBICSPLINE);
    assert_true(both_accept(&squad) && both_accept(&cubic));
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        try_number(&squad, m.rotations, 4, bad[i], false);
        try_number(&squad, m.positions, 3, bad[i], false);
        try_number(&squad, m.scales, 3, bad[i], false);
        try_number(&cubic, m.rotations, 4, bad[i], false);
        try_number(&cubic, cubic.tangents_in.data, 4, bad[i], false);
        try_number(&cubic, cubic.positions_out.data, 3, bad[i], false);
    }
    try_number(&squad, m.positions, 3, 0.9e37, true);
    try_number(&cubic, cubic.scales_in.data, 3, 0.9e15, true);
    try_number(&cubic, cubic.scales_in.data, 3, 1.1e15, false);
    try_number(&squad, m.rotations, 4, 1.5, false);
}

/* Around the limit, where the device doubts what the host accepts. */
CALLER_TEST(norms_have_the_same_limits) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xC6);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {3, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    static const double norms[] = {1.00099, 1.0009999999, 1.0010001, 0.99901, 0.9990000001, 0.9989};
    static const bool good[] = {true, true, false, true, true, false};
    double *rows = with_stride(&m, 4 * TRACKS), *q = rows + 4 * (70 * TRACKS + 4);
    pm_clip_desc doubles = desc;
    doubles.rotations = (pm_array){rows, PM_FLOAT64, 0};
    for (size_t i = 0; i < COUNT_OF(norms); i++) {
        for (int c = 0; c < 4; c++)
            q[c] = c == 2 ? norms[i] : 0;
        assert_int_equal(both_accept(&doubles), good[i]);
    }
    free(rows);
}

CALLER_TEST(loops_that_do_not_close_are_refused) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xC7);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {3, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    desc.loop = (KEYS - 1) / 3.0;
    assert_false(both_accept(&desc));
    close_loop(&m);
    assert_true(both_accept(&desc));
    m.positions[3 * ((KEYS - 1) * TRACKS + 2)] += 1e-4F;
    assert_true(both_accept(&desc));
    m.positions[3 * ((KEYS - 1) * TRACKS + 2)] += 1;
    assert_false(both_accept(&desc));
}

/* ---- arguments and buffers ----------------------------------------------------------------- */

static void refuse(const given *g, const char *words) {
    pm_clip *clip = NULL;
    pm_filter *filter = NULL;
    expect_error(create(by_device, g, &clip, new_error()), PM_ERROR_ARGUMENT, words);
    expect_error(
        pm_cl_filter_create(caller.engine, &g->desc, 5, &g->keys, 0, NULL, &filter, new_error()),
        PM_ERROR_ARGUMENT, words);
    assert_true(!clip && !filter);
}

CALLER_TEST(arguments_and_buffers_that_cannot_be_used_are_refused) {
    cl_int status = CL_SUCCESS;
    cl_context other = clCreateContext(NULL, 1, &caller.device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xC8);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    const given good = in_buffers(&desc);
    pm_clip *clip = NULL;
    given g = good;
    g.keys.positions.offset += 2;
    refuse(&g, "positions: its offset");
    g.keys.positions.offset += 2;
    refuse(&g, "positions: the buffer has");
    g = good;
    g.desc.rotations.type = PM_FLOAT64;
    refuse(&g, "rotations: the buffer has");
    g = good;
    g.keys.scales.buffer =
        caller_keep_buffer(buffer_of(other, CALLER_OFFSET, 12 * KEYS * TRACKS, NULL));
    refuse(&g, "scales: the buffer belongs to another context");
    g = good;
    g.keys.rotations.memory = m.rotations;
    refuse(&g, "rotations: both");
    g = good;
    g.desc.rotations.data = m.rotations;
    refuse(&g, "rotations: the description has data");
    g = good;
    g.desc.rotations.stride = SIZE_MAX - 3;
    expect_error(create(by_device, &g, &clip, new_error()), PM_ERROR_SIZE, "do not fit");
    g = good;
    expect_next_refused(pm_cl_keys, g.keys, last_error(),
                        create(by_device, &g, &clip, new_error()));
    g = (given){.desc = good.desc};
    refuse(&g, "all NULL");
    clReleaseContext(other);
}

CALLER_TEST(the_reference_path_is_refused) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xC9);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    const given g = in_buffers(&desc);
    pm_clip *clip = NULL;
    expect_error(create(engine_of_kind(ON_REFERENCE), &g, &clip, new_error()), PM_ERROR_ARGUMENT,
                 "reference path");
    assert_null(clip);
}

CALLER_TEST(the_wait_list_is_waited_for) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0xCA);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    const given g = in_buffers(&desc);
    pm_clip *clip = NULL;
    cl_event gate = gate_make();
    assert_int_equal(clSetUserEventStatus(gate, -1), CL_SUCCESS);
    expect_error(pm_cl_clip_create(by_device, &g.desc, &g.keys, 1, &gate, &clip, new_error()),
                 PM_ERROR_DEVICE, "clWaitForEvents");
    assert_null(clip);
    gate = gate_make();
    gate_open(gate);
    expect_success(pm_cl_clip_create(by_device, &g.desc, &g.keys, 1, &gate, &clip, new_error()));
    pm_clip_destroy(&clip);
}

TEST_GROUP_ON_DEVICE(open_all, close_all)
