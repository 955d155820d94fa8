/* SPDX-License-Identifier: MIT
 *
 * The self-check of crowds on the device and on the reference path: slerp with every output, and
 * palettes of a curve with segment coefficients and of 48-bit keys. Few programs, because some
 * drivers take seconds to build each.
 */
#include "check_material.h"
#include "engine.h"

#include <math.h>
#include <string.h>

enum {
    JOINTS = PM_CHECK_TRACKS,
    KEYS = PM_CHECK_KEYS,
    INSTANCES = 75, /* the last group is not full */
    LEVELS = 2,
    MASKS = 2,
    CLIPS = 2
};

typedef struct check_data {
    pm_check *check;
    const pm_check_keys *keys;
    int32_t parents[JOINTS];
    float inverse_binds[JOINTS * 12];
    float masks[MASKS * JOINTS];
    uint8_t half_of_joints[JOINTS];
    uint32_t timeline_of[JOINTS];
    double other_times[KEYS];
    pm_crowd_instance instances[INSTANCES];
} check_data;

/* ---- random crowds ---------------------------------------------------------------------- */

static uint32_t random_below(uint32_t *state, uint32_t end) {
    return (uint32_t)pm_check_random(state, 0, end);
}

/* Random clips, weights, masks and levels, including invalid ones. The first two groups, which a
 * vector of lanes processes at once, have a valid clip_a and no masks, levels or flags: the first
 * group does not blend, the second only crossfades. */
static pm_crowd_instance random_instance(uint32_t *state, size_t i) {
    double reach = random_below(state, 4) ? 40 : 1e6; /* seconds */
    pm_crowd_instance n = {.time_a = pm_crowd_ticks(pm_check_random(state, -reach, reach)),
                           .time_b = pm_crowd_ticks(pm_check_random(state, -reach, reach)),
                           .clip_a = random_below(state, CLIPS + 1),
                           .clip_b = random_below(state, CLIPS + 1),
                           .weight = (float)pm_check_random(state, -0.5, 1.5),
                           .mask = (uint16_t)random_below(state, MASKS + 2),
                           .level = (uint8_t)random_below(state, LEVELS + 1),
                           .flags = (uint8_t)random_below(state, 16)};
    if (i % 13 == 0)
        n.weight = NAN;
    if (i < 2 * (size_t)PM_INSTANCE_GROUP) {
        n.clip_a %= CLIPS;
        n.mask = n.level = n.flags = 0;
        n.weight = i < PM_INSTANCE_GROUP ? 0 : n.weight;
    }
    return n;
}

static void fill(check_data *m, const pm_check_keys *keys) {
    /* a quarter turn, so that the matrix is exactly rigid */
    static const float bind[12] = {0, -1, 0, 3, 1, 0, 0, -5, 0, 0, 1, 7};
    uint32_t state = 20260203;
    m->keys = keys;
    for (size_t j = 0; j < JOINTS; j++) {
        m->parents[j] = j ? (int32_t)random_below(&state, (uint32_t)j) : -1;
        memcpy(m->inverse_binds + 12 * j, bind, sizeof bind);
        m->half_of_joints[j] = j % 2 == 0;
        m->timeline_of[j] = j % 3 == 0;
    }
    for (size_t i = 0; i < (size_t)MASKS * JOINTS; i++)
        m->masks[i] = (float)pm_check_random(&state, 0, 1);
    for (size_t k = 0; k < KEYS; k++) {
        bool inner = k > 0 && k + 1 < KEYS;
        m->other_times[k] = inner ? (keys->times[k] + keys->times[k + 1]) / 2 : keys->times[k];
    }
    for (size_t i = 0; i < INSTANCES; i++)
        m->instances[i] = random_instance(&state, i);
}

static pm_status make_skeleton(const pm_host *host, const check_data *m, pm_skeleton **skeleton,
                               pm_error *error) {
    const pm_level levels[LEVELS] = {{.joints = NULL}, {.joints = m->half_of_joints}};
    const pm_skeleton_desc desc = {.host = *host,
                                   .joint_count = JOINTS,
                                   .parents = m->parents,
                                   .rotations = {.data = m->keys->rotations},
                                   .positions = {.data = m->keys->positions},
                                   .scales = {.data = m->keys->scales},
                                   .inverse_binds = {.data = m->inverse_binds},
                                   .levels = levels,
                                   .level_count = LEVELS,
                                   .masks = m->masks,
                                   .mask_count = MASKS};
    return pm_skeleton_create(&desc, skeleton, error);
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* The memory of outputs is that of the comparison. */
static pm_status compare(pm_device_crowd *crowd, const check_data *m, unsigned outputs,
                         pm_error *error) {
    pm_crowd_target targets[PM_CROWD_OUTPUT_COUNT] = {{0}};
    pm_pose_request request;
    const pm_crowd_job job = {.instances = m->instances,
                              .instance_count = INSTANCES,
                              .outputs = targets,
                              .output_count = outputs};
    for (unsigned o = 0; o < outputs; o++)
        targets[o] = (pm_crowd_target){.output = (pm_crowd_output)o, .memory = targets};
    const pm_status status = pm_pose_request_of(crowd->data, &job, 1, &request, error);
    const pm_job resolved = pm_job_of_poses(crowd, &request);
    return status == PM_OK ? pm_check_job(m->check, &resolved, PM_CHECK_CROWDS, error) : status;
}

static pm_status check_outputs(pm_device *device, const pm_crowd_desc *desc, unsigned outputs,
                               const check_data *m, pm_error *error) {
    pm_crowd_data *data = NULL;
    pm_device_crowd *crowd = NULL;
    pm_status status = pm_crowd_data_build(&device->options.host, desc, 1, &data, error);
    if (status == PM_OK)
        status = device->backend->upload_crowd(device, data, NULL, &crowd, error);
    if (status == PM_OK)
        status = compare(crowd, m, outputs, error);
    if (crowd)
        device->backend->release_crowd(crowd);
    pm_crowd_data_free(&data);
    return status;
}

/* Checks the first `outputs` outputs, with clips of one timeline or of `several`. */
static pm_status check_clips(pm_device *device, const pm_skeleton *skeleton, const check_data *m,
                             pm_clip_desc like, bool several, unsigned outputs, pm_error *error) {
    static const float axis[3] = {0.3f, -0.5f, 0.8f};
    const pm_timeline uniform = {.key_count = KEYS, .rate = {1, 1}};
    const pm_timeline listed[] = {{.key_count = KEYS, .times = m->keys->times},
                                  {.key_count = KEYS, .times = m->other_times}};
    like.track_count = JOINTS;
    like.rotations.data = m->keys->rotations;
    like.positions.data = m->keys->positions;
    like.scales.data = m->keys->scales;
    like.axes.data = axis;
    /* cubicspline accepts any numbers as tangents: the keys are used */
    like.tangents_in = like.tangents_out = like.rotations;
    like.positions_in = like.positions_out = like.positions;
    like.scales_in = like.scales_out = like.scales;
    pm_clip_desc clips[CLIPS] = {like, like};
    clips[0].timelines = &uniform;
    clips[1].timelines = listed;
    clips[1].loop = several ? 0 : KEYS + 0.5;
    clips[1].timeline_count = several ? 2 : 1;
    clips[1].timeline_of = several ? m->timeline_of : NULL;
    const pm_crowd_desc desc = {.skeleton = skeleton, .clips = clips, .clip_count = CLIPS};
    return check_outputs(device, &desc, outputs, m, error);
}

static pm_status check_kinds(pm_device *device, const pm_skeleton *skeleton, const check_data *m,
                             pm_error *error) {
    static const struct {
        pm_clip_desc like;
        bool several;
        unsigned outputs;
    } kinds[] = {{{.method = PM_METHOD_SLERP}, false, PM_CROWD_OUTPUT_COUNT},
                 {{.method = PM_METHOD_SLERP}, true, PM_CROWD_OUTPUT_COUNT},
                 {{.method = PM_METHOD_SQUAD}, false, 1},
                 {{.method = PM_METHOD_SLERP, .key_format = PM_KEYS_LOG48}, false, 1}};
    pm_status status = PM_OK;
    const bool slow = device->slow_compiler; /* then only palettes of slerp are checked */
    for (size_t k = 0; status == PM_OK && k < (slow ? 2 : sizeof kinds / sizeof *kinds); k++)
        status = check_clips(device, skeleton, m, kinds[k].like, kinds[k].several,
                             slow ? 1 : kinds[k].outputs, error);
    return status;
}

pm_status pm_crowd_self_check(pm_device *device, pm_check *check, pm_error *error) {
    pm_skeleton *skeleton = NULL;
    check_data *m = pm_allocate_zeroed(&device->options.host, 1, sizeof *m);
    if (!m)
        return pm_fail_memory(error);
    m->check = check;
    fill(m, &check->keys);
    pm_status status = make_skeleton(&device->options.host, m, &skeleton, error);
    if (status == PM_OK)
        status = check_kinds(device, skeleton, m, error);
    pm_skeleton_destroy(&skeleton);
    pm_release(m);
    return status;
}
