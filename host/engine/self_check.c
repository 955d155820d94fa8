/* SPDX-License-Identifier: MIT
 *
 * The self-check: compares the device with the reference path bit for bit, path by path. A path is
 * what a job of some size or with some output takes: kernels, and how their inputs are prepared.
 */
#include "check_material.h"

#include <math.h>
#include <string.h>

enum { TRACKS = PM_CHECK_TRACKS, KEYS = PM_CHECK_KEYS, SAMPLES = 96, PAIRS = 800 };

/* Of the clip that low-passes are checked with, whose keys are all those of the others. */
enum { LONG_TRACKS = 3, LONG_KEYS = KEYS * TRACKS / LONG_TRACKS };

typedef struct check_data {
    pm_check *check;
    double sample_times[PAIRS];
    uint32_t tracks[PAIRS];
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

static void fill(pm_check_keys *keys) {
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
    for (size_t i = 0; i < (size_t)PM_CHECK_ROWS * 3; i++)
        keys->scales[i] = (float)pm_check_random(&state, 0.5, 1.5);
}

static void fill_pairs(check_data *m) {
    uint32_t state = 20240301;
    for (size_t k = 0; k < PAIRS; k++) {
        m->sample_times[k] = pm_check_random(&state, -1, KEYS + 1);
        m->tracks[k] = (uint32_t)pm_check_random(&state, 0, TRACKS);
    }
}

/* ---- comparing ---- */

/* Weights of the low-pass, at a fifth of the keys' rate. */
static const double cutoff = 0.2;

pm_status pm_check_job(pm_check *check, const pm_job *job, uint32_t path, pm_error *error) {
    bool same = true;
    const pm_status status = pm_job_compare(job, 0, true, &same, error);
    check->different |= same ? 0 : path;
    return status;
}

/* Compares an output of a job, whose memory is that of the comparison. */
static pm_status compare(const pm_device_clip *clip, check_data *m, const pm_sample_job *job,
                         unsigned output, uint32_t path, const pm_lowpass *lowpass,
                         pm_error *error) {
    float taken;
    pm_sample_request request = pm_sample_request_of(clip->data, job, 1);
    request.outputs[output] = &taken;
    request.lowpass = lowpass;
    const pm_job resolved = pm_job_of_samples(clip, &request, 1);
    return pm_check_job(m->check, &resolved, path, error);
}

/* The jobs that a clip is checked with: at a rate, and in pairs. */
typedef struct check_jobs {
    pm_sample_job grid, pairs;
    bool filters; /* the grid leaves enough keys for a low-pass */
} check_jobs;

/* Compares the outputs of a path. All jobs of a path use the same programs. */
static pm_status compare_path(const pm_device_clip *clip, check_data *m, uint32_t path,
                              const check_jobs *jobs, pm_error *error) {
    static const struct {
        uint32_t path;
        unsigned output;
    } rows[] = {{PM_CHECK_VALUES, PM_OUT_ROTATIONS},
                {PM_CHECK_VALUES, PM_OUT_POSITIONS},
                {PM_CHECK_VALUES, PM_OUT_SCALES},
                {PM_CHECK_VELOCITIES, PM_OUT_VELOCITIES},
                {PM_CHECK_ACCELERATIONS, PM_OUT_ACCELERATIONS}};
    const pm_u32 taps = pm_lowpass_taps(cutoff);
    const pm_lowpass lowpass = {cutoff, taps, taps / 2, clip->data};
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < sizeof rows / sizeof *rows; i++) {
        const unsigned output = rows[i].output;
        if (rows[i].path != path || !clip->data->channels[pm_outputs[output].channel].present)
            continue;
        if (clip->data->track_count == TRACKS)
            status = compare(clip, m, &jobs->pairs, output, path, NULL, error);
        if (status == PM_OK)
            status = compare(clip, m, &jobs->grid, output, path, NULL, error);
        if (status == PM_OK && path == PM_CHECK_VALUES && jobs->filters)
            status = compare(clip, m, &jobs->grid, output, path, &lowpass, error);
    }
    return status;
}

/* Derivatives are compared in both frames. */
static pm_status check_clip(const pm_device_clip *clip, check_data *m, uint32_t paths,
                            check_jobs jobs, pm_error *error) {
    pm_status status = PM_OK;
    for (uint32_t path = 1; status == PM_OK && path < PM_CHECK_CROWDS; path <<= 1) {
        const bool moves = path == PM_CHECK_VELOCITIES || path == PM_CHECK_ACCELERATIONS;
        jobs.grid.velocity_frame = PM_AXIS_BODY;
        if (paths & path)
            status = compare_path(clip, m, path, &jobs, error);
        jobs.grid.velocity_frame = PM_AXIS_PARENT;
        if (status == PM_OK && paths & path && moves)
            status = compare_path(clip, m, path, &jobs, error);
    }
    return status;
}

static pm_status check_desc(pm_device *device, const pm_clip_desc *desc, check_data *m,
                            uint32_t paths, const check_jobs *jobs, pm_error *error) {
    const pm_clip_limits limits = {.host = &device->options.host, .threads = 1};
    const check_jobs few = {
        .grid = {.sample_count = SAMPLES, .rate = {7, 1}},
        .pairs = {.sample_count = PAIRS, .times = m->sample_times, .tracks = m->tracks}};
    pm_clip_data *data = NULL;
    pm_device_clip *clip = NULL;
    pm_status status = pm_clip_data_build(desc, &limits, &data, error);
    if (status == PM_OK)
        status = device->backend->upload_clip(device, data, &clip, error);
    if (status == PM_OK)
        status = check_clip(clip, m, paths, jobs ? *jobs : few, error);
    if (clip)
        device->backend->release_clip(clip);
    pm_clip_data_free(&data);
    return status;
}

static pm_status check_method(pm_device *device, check_data *m, pm_clip_desc desc, uint32_t paths,
                              pm_error *error) {
    const float axis[3] = {0.3f, -0.5f, 0.8f};
    pm_timeline uniform = {.key_count = KEYS, .rate = {1, 1}};
    pm_timeline listed = {.key_count = KEYS, .times = m->check->keys.times};
    desc.track_count = desc.track_count ? desc.track_count : TRACKS;
    desc.rotations.data = m->check->keys.rotations;
    desc.positions.data = m->check->keys.positions;
    desc.axes.data = axis;
    /* cubicspline accepts any numbers as tangents: the keys are used */
    desc.tangents_in = desc.tangents_out = desc.rotations;
    desc.positions_in = desc.positions_out = desc.positions;
    const int layouts = desc.method == PM_METHOD_BSPLINE ? 1 : 2; /* bspline: uniform keys only */
    pm_status status = PM_OK;
    for (int looped = 0; status == PM_OK && looped < layouts; looped++) {
        desc.timelines = looped ? &listed : &uniform;
        desc.loop = looped ? KEYS + 0.5 : 0;
        status = check_desc(device, &desc, m, paths, NULL, error);
    }
    return status;
}

/* ---- what takes other paths than the tracks and times of check_method ---- */

/* Few tracks, which take narrow vectors or no walk, and tracks with timelines of their own. Scales
 * are computed as positions are. */
static pm_status check_shapes(pm_device *device, check_data *m, uint32_t paths, pm_error *error) {
    const pm_timeline each[] = {{.key_count = KEYS, .rate = {1, 1}},
                                {.key_count = KEYS, .times = m->check->keys.times}};
    uint32_t timeline_of[TRACKS];
    pm_status status = PM_OK;
    static const size_t few[] = {20, 3};
    for (size_t i = 0; status == PM_OK && i < sizeof few / sizeof *few; i++)
        status = check_method(device, m, (pm_clip_desc){.track_count = few[i]}, paths, error);
    for (size_t t = 0; t < TRACKS; t++)
        timeline_of[t] = t % 3 == 0;
    const pm_clip_desc desc = {.track_count = TRACKS,
                               .timelines = each,
                               .timeline_count = 2,
                               .timeline_of = timeline_of,
                               .rotations.data = m->check->keys.rotations,
                               .scales.data = m->check->keys.scales};
    return status == PM_OK ? check_desc(device, &desc, m, paths, NULL, error) : status;
}

/* Low-passes: of samples with enough keys on both sides. */
static pm_status check_long(pm_device *device, check_data *m, pm_error *error) {
    const pm_timeline timeline = {.key_count = LONG_KEYS, .rate = {1, 1}};
    const pm_clip_desc desc = {.track_count = LONG_TRACKS,
                               .timelines = &timeline,
                               .rotations.data = m->check->keys.rotations,
                               .positions.data = m->check->keys.positions};
    const check_jobs jobs = {.grid = {.sample_count = SAMPLES, .rate = {3, 2}}, .filters = true};
    return check_desc(device, &desc, m, m->check->paths, &jobs, error);
}

/* ---- all of a device ---- */

/* The paths of samples: slerp takes all of them, other methods and key formats that of values. */
static pm_status check_samples(pm_device *device, check_data *m, pm_error *error) {
    const uint32_t paths = m->check->paths, of_others = paths & PM_CHECK_VALUES;
    pm_status status = PM_OK;
    for (unsigned i = 0; status == PM_OK && i < PM_METHOD_COUNT; i++)
        status = check_method(device, m, (pm_clip_desc){.method = (pm_method)i},
                              i == PM_METHOD_SLERP ? paths : of_others, error);
    if (status == PM_OK)
        status =
            check_method(device, m, (pm_clip_desc){.method = PM_METHOD_SQUAD, .unlimited = true},
                         of_others, error);
    for (unsigned f = PM_KEYS_FLOAT32 + 1; status == PM_OK && f < PM_KEYS_COUNT; f++)
        status = check_method(device, m, (pm_clip_desc){.key_format = (pm_key_format)f}, of_others,
                              error);
    if (status == PM_OK)
        status = check_shapes(device, m, paths, error);
    return status == PM_OK ? check_long(device, m, error) : status;
}

pm_status pm_samples_self_check(pm_device *device, pm_check *check, pm_error *error) {
    check_data *m = pm_allocate_zeroed(&device->options.host, 1, sizeof *m);
    if (!m)
        return pm_fail_memory(error);
    m->check = check;
    fill_pairs(m);
    const pm_status status = check_samples(device, m, error);
    pm_release(m);
    return status;
}

static pm_status check_member(pm_device *device, pm_check *check, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t k = 0; status == PM_OK && k < PM_JOB_KIND_COUNT; k++)
        if (check->paths & pm_job_kinds[k]->checked_paths)
            status = pm_job_kinds[k]->self_check(device, check, error);
    return status;
}

/* Checks the devices one after another, because jobs this small are computed by the first alone. */
pm_status pm_engine_check_paths(pm_engine *engine, uint32_t paths, uint32_t *different,
                                pm_error *error) {
    pm_error_clear(error);
    if (!engine || !different)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", engine ? "different" : "engine");
    if (paths == 0 || paths > PM_CHECK_ALL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "paths is %u, expected bits of pm_check_path",
                       (unsigned)paths);
    pm_status status = pm_device_check(engine->device, error);
    if (status != PM_OK)
        return status;
    pm_check *check = pm_allocate_zeroed(&engine->host, 1, sizeof *check);
    if (!check)
        return pm_fail_memory(error);
    fill(&check->keys);
    check->paths = paths;
    for (size_t i = 0; status == PM_OK && i < engine->device->member_count; i++)
        status = check_member(engine->device->members[i], check, error);
    if (status == PM_OK)
        *different = check->different;
    pm_release(check);
    return status;
}

pm_status pm_engine_self_check(pm_engine *engine, pm_bit_match *match, pm_error *error) {
    uint32_t different = 0;
    pm_error_clear(error);
    if (!engine || !match)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", engine ? "match" : "engine");
    const pm_status status = pm_engine_check_paths(engine, PM_CHECK_ALL, &different, error);
    if (status == PM_OK)
        *match = different ? PM_BIT_MATCH_DIFFERENT : PM_BIT_MATCH_EXACT;
    return status;
}
