/* SPDX-License-Identifier: MIT
 *
 * The self-check: compares the device with the reference path bit for bit. It covers every method,
 * both kernels (walk and gather), slerp with every key format, and crowds.
 */
#include "check_material.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "engine.h"

enum { TRACKS = PM_CHECK_TRACKS, KEYS = PM_CHECK_KEYS, SAMPLES = 96, PAIRS = 800 };

typedef struct check_data {
    pm_check_keys keys;
    double sample_times[PAIRS];
    uint32_t tracks[PAIRS];
    float on_device[PAIRS > SAMPLES *TRACKS ? PAIRS * 4 : SAMPLES *TRACKS * 4];
    float on_host[PAIRS > SAMPLES *TRACKS ? PAIRS * 4 : SAMPLES *TRACKS * 4];
} check_data;

static void random_rotation(uint32_t *state, float *to) {
    double q[4], norm2 = 0;
    do {
        norm2 = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = pm_check_random(state, -1, 1);
            norm2 += q[i] * q[i];
        }
    } while (norm2 > 1 || norm2 < 0.01);
    for (int i = 0; i < 4; i++)
        to[i] = (float)(q[i] / sqrt(norm2));
}

static void fill(check_data *m) {
    pm_check_keys *keys = &m->keys;
    uint32_t state = 20240229;
    for (size_t i = 0; i < (size_t)KEYS * TRACKS; i++) {
        random_rotation(&state, keys->rotations + 4 * i);
        if (i >= TRACKS && i % 7 == 0) /* some keys repeat the previous one */
            memcpy(keys->rotations + 4 * i, keys->rotations + 4 * (i - TRACKS), 4 * sizeof(float));
        if (i % 11 == 0) /* some have zeros, whose sign could get lost */
            memcpy(keys->rotations + 4 * i, (float[4]){0, i % 2 ? 0.6f : 0, 0, i % 2 ? 0.8f : 1},
                   4 * sizeof(float));
        for (size_t k = 0; k < 3; k++)
            keys->positions[3 * i + k] = (float)pm_check_random(&state, -100, 100);
    }
    for (size_t k = 0; k < KEYS; k++)
        keys->times[k] = (double)k + pm_check_random(&state, 0, 0.9);
    for (size_t k = 0; k < PAIRS; k++) {
        m->sample_times[k] = pm_check_random(&state, -1, KEYS + 1);
        m->tracks[k] = (uint32_t)pm_check_random(&state, 0, TRACKS);
    }
    for (size_t i = 0; i < (size_t)PM_CHECK_ROWS * 3; i++)
        keys->scales[i] = (float)pm_check_random(&state, 0.5, 1.5);
}

/* Clears *same unless a job's output has the same bits on the device and on the reference path. */
static pm_status compare(const pm_device_clip *clip, check_data *m, const pm_sample_job *job,
                         unsigned output, bool *same, pm_error *error) {
    pm_sample_request request = pm_sample_request_of(clip->data, job, 1);
    memset(m->on_device, 0xaa, sizeof m->on_device);
    memset(m->on_host, 0x55, sizeof m->on_host);
    request.outputs[output] = m->on_device;
    pm_status status = clip->device->backend->sample(clip, &request, error);
    request.outputs[output] = m->on_host;
    if (status == PM_OK)
        status = pm_cpu_sample(&request, error);
    if (status == PM_OK)
        *same = *same &&
                memcmp(m->on_device, m->on_host, pm_sample_output_bytes(&request, output)) == 0;
    return status;
}

/* Checks values only: derivatives use the same arithmetic, and would double the number of
 * programs. */
static pm_status check_clip(const pm_device_clip *clip, check_data *m, bool *same,
                            pm_error *error) {
    static const unsigned outputs[] = {PM_OUT_ROTATIONS, PM_OUT_POSITIONS};
    const pm_sample_job grid = {.sample_count = SAMPLES, .rate = {7, 1}};
    const pm_sample_job pairs = {
        .sample_count = PAIRS, .times = m->sample_times, .tracks = m->tracks};
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < sizeof outputs / sizeof *outputs; i++) {
        status = compare(clip, m, &pairs, outputs[i], same, error);
        if (status == PM_OK)
            status = compare(clip, m, &grid, outputs[i], same, error);
    }
    return status;
}

static pm_status check_desc(pm_device *device, const pm_clip_desc *desc, check_data *m, bool *same,
                            pm_error *error) {
    const pm_clip_limits limits = {.threads = 1};
    pm_clip_data *data = NULL;
    pm_device_clip *clip = NULL;
    pm_status status = pm_clip_data_build(desc, &limits, &data, error);
    if (status == PM_OK)
        status = device->backend->upload_clip(device, data, &clip, error);
    if (status == PM_OK)
        status = check_clip(clip, m, same, error);
    if (clip)
        device->backend->release_clip(clip);
    pm_clip_data_free(&data);
    return status;
}

static pm_status check_method(pm_device *device, check_data *m, pm_clip_desc desc, bool *same,
                              pm_error *error) {
    const float axis[3] = {0.3f, -0.5f, 0.8f};
    pm_timeline uniform = {.key_count = KEYS, .rate = {1, 1}};
    pm_timeline listed = {.key_count = KEYS, .times = m->keys.times};
    desc.track_count = TRACKS;
    desc.rotations.data = m->keys.rotations;
    desc.positions.data = m->keys.positions;
    desc.axes.data = axis;
    /* cubicspline accepts any numbers as tangents: the keys are used */
    desc.rotations_in = desc.rotations_out = desc.rotations;
    desc.positions_in = desc.positions_out = desc.positions;
    const int layouts = desc.method == PM_METHOD_BSPLINE ? 1 : 2; /* bspline: uniform keys only */
    pm_status status = PM_OK;
    for (int looped = 0; status == PM_OK && looped < layouts; looped++) {
        desc.timelines = looped ? &listed : &uniform;
        desc.loop_period = looped ? KEYS + 0.5 : 0;
        status = check_desc(device, &desc, m, same, error);
    }
    return status;
}

static pm_status check_member(pm_device *device, check_data *m, bool *same, pm_error *error) {
    pm_status status = PM_OK;
    for (unsigned i = 0; status == PM_OK && i < PM_METHOD_COUNT; i++)
        status = check_method(device, m, (pm_clip_desc){.method = (pm_method)i}, same, error);
    if (status == PM_OK)
        status = check_method(
            device, m, (pm_clip_desc){.method = PM_METHOD_SQUAD, .unlimited = true}, same, error);
    for (unsigned f = PM_KEYS_FLOAT32 + 1; status == PM_OK && f < PM_KEYS_COUNT; f++)
        status =
            check_method(device, m, (pm_clip_desc){.key_format = (pm_key_format)f}, same, error);
    return status == PM_OK ? pm_crowd_self_check(device, &m->keys, same, error) : status;
}

/* Checks the devices one after another, because the scheduler would give jobs this small to one. */
pm_status pm_engine_self_check(pm_engine *engine, pm_bit_match *match, pm_error *error) {
    pm_error_clear(error);
    if (!engine || !match)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", engine ? "match" : "engine");
    check_data *m = calloc(1, sizeof *m);
    if (!m)
        return pm_fail_memory(error);
    bool same = true;
    pm_status status = PM_OK;
    fill(m);
    for (size_t i = 0; status == PM_OK && i < engine->device->member_count; i++)
        status = check_member(engine->device->members[i], m, &same, error);
    free(m);
    if (status == PM_OK)
        *match = same ? PM_BIT_MATCH_EXACT : PM_BIT_MATCH_DIFFERENT;
    return status;
}
