/* SPDX-License-Identifier: MIT
 *
 * The table of crowds and their creation from a seed: a spine with limbs, clips of one to four
 * seconds of slerp, and instances at random times in the clips.
 */
#include "crowd_scenes.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a learner asks for in a step, on the device and in plain C. */
#define STATE(way_, name_, size, count, difference)                                                \
    {                                                                                              \
        .name = "state/" name_, .way = (way_), .agents = (size), .joints = 24, .clips = (count),   \
        .states = true, .brief = (count) > 1000, difference                                        \
    }
#define STATES_OF(way, name, size)                                                                 \
    STATE(way, name "-1k", size, 1000, .keys = PM_KEYS_FLOAT32),                                   \
        STATE(way, name "-1k-log48", size, 1000, .keys = PM_KEYS_LOG48),                           \
        STATE(way, name "-100k", size, 100000, .keys = PM_KEYS_FLOAT32),                           \
        STATE(way, name "-100k-log48", size, 100000, .keys = PM_KEYS_LOG48)
#define STATES(prefix, way)                                                                        \
    STATES_OF(way, prefix "4096x24", 4096), STATES_OF(way, prefix "8192x24", 8192),                \
        STATE(way, prefix "4096x24-1k-squad", 4096, 1000, .method = PM_METHOD_SQUAD)

const crowd_scene crowd_scenes[] = {
    {.name = "baseline/model", .output = PM_CROWD_MODEL, .way = CROWD_BASELINE},
    {.name = "baseline/palette", .way = CROWD_BASELINE},
    {.name = "baseline/crossfade", .blend = BLEND_CROSSFADE, .way = CROWD_BASELINE},
    {.name = "crowd/model", .output = PM_CROWD_MODEL, .is_compared = true},
    {.name = "crowd/palette", .is_compared = true},
    {.name = "crowd/crossfade", .blend = BLEND_CROSSFADE, .is_compared = true},
    {.name = "crowd/chains", .goals = GOALS_LIMBS},
    {.name = "crowd/ground", .goals = GOALS_GROUND},
    {.name = "crowd/transitions", .changes = true},
    /* Each scene changes one or two values of crowd/palette. Sizes are named agents x joints. */
    {.name = "crowds/1x64-8-clips", .agents = 1},
    {.name = "crowds/500x64-8-clips", .agents = 500},
    {.name = "crowds/500x64-8-clips-waited", .agents = 500, .waits = true},
    {.name = "crowds/1000x64-8-clips", .agents = 1000},
    {.name = "crowds/100000x64-8-clips", .agents = 100000},
    {.name = "crowds/1000x64-1-clip", .agents = 1000, .clips = 1},
    {.name = "crowds/1000x64-64-clips", .agents = 1000, .clips = 64},
    {.name = "crowds/10000x64-1-clip", .agents = 10000, .clips = 1},
    {.name = "crowds/10000x64-64-clips", .agents = 10000, .clips = 64},
    {.name = "crowds/1000x11-8-clips", .agents = 1000, .joints = 11},
    {.name = "crowds/10000x11-8-clips", .agents = 10000, .joints = 11},
    {.name = "crowds/100000x11-8-clips", .agents = 100000, .joints = 11},
    {.name = "crowds/1x300-8-clips", .agents = 1, .joints = 300},
    {.name = "crowds/1000x300-8-clips", .agents = 1000, .joints = 300},
    {.name = "crowds/10000x300-8-clips", .agents = 10000, .joints = 300},
    {.name = "crowds/alike", .phases = PHASES_ALIKE},
    {.name = "crowds/sorted", .phases = PHASES_SORTED},
    {.name = "crowds/crossfade-sorted", .phases = PHASES_SORTED, .blend = BLEND_CROSSFADE},
    {.name = "crowds/additive", .blend = BLEND_ADDITIVE},
    {.name = "crowds/half", .output = PM_CROWD_PALETTE_HALF},
    {.name = "crowds/dual", .output = PM_CROWD_DUAL},
    {.name = "crowds/local", .output = PM_CROWD_LOCAL},
    {.name = "crowds/half-crossfade", .output = PM_CROWD_PALETTE_HALF, .blend = BLEND_CROSSFADE},
    {.name = "crowds/dual-crossfade", .output = PM_CROWD_DUAL, .blend = BLEND_CROSSFADE},
    {.name = "crowds/every-2nd-frame", .detail = DETAIL_EVERY_2ND},
    {.name = "crowds/levels", .detail = DETAIL_THIRDS},
    {.name = "crowds/log48", .keys = PM_KEYS_LOG48},
    {.name = "crowds/smallest48", .keys = PM_KEYS_SMALLEST48},
    {.name = "crowds/crossfade-log48", .blend = BLEND_CROSSFADE, .keys = PM_KEYS_LOG48},
    /* Each ends as a crossfade's poses do, by layers in place of clip B. */
    {.name = "layers/1", .layers = 1},
    {.name = "layers/2", .layers = 2},
    {.name = "layers/4", .layers = 4},
    {.name = "layers/8", .layers = 8},
    {.name = "subset/hand", .hand = true},
    {.name = "bounds/all", .output = PM_CROWD_BOUNDS},
    {.name = "list/half", .list = true},
    {.name = "poses/palette", .given = true},
    STATES("", CROWD_DEVICE),
    {.name = "crowds/reference", .way = CROWD_HOST},
    {.name = "crowds/reference-log48", .keys = PM_KEYS_LOG48, .way = CROWD_HOST},
    {.name = "crowds/reference-smallest48", .keys = PM_KEYS_SMALLEST48, .way = CROWD_HOST},
    STATES("host-", CROWD_HOST),
    STATES("call-", CROWD_CALL),
    {.name = "crowds/one-64", .agents = 1, .way = CROWD_ONE},
    {.name = "crowds/one-64-played", .agents = 1, .plays = true, .way = CROWD_ONE},
    {.name = "crowds/one-300", .agents = 1, .joints = 300, .way = CROWD_ONE},
    {.name = "crowds/one-300-log48",
     .agents = 1,
     .joints = 300,
     .keys = PM_KEYS_LOG48,
     .way = CROWD_ONE},
};
const size_t crowd_scene_count = sizeof crowd_scenes / sizeof *crowd_scenes;

bool crowd_output_is_half(pm_crowd_output output) {
    return output == PM_CROWD_PALETTE_HALF;
}

static size_t joints_of(const crowd_scene *scene) {
    return scene->joints > 0 ? scene->joints : CROWD_JOINTS;
}

static size_t records_of(const crowd_scene *scene) {
    return scene->hand || scene->output == PM_CROWD_BOUNDS ? 1 : joints_of(scene);
}

/* The outputs of a scene's jobs, for the records of as many joints. Returns the bytes of one's. */
static size_t make_targets(const crowd_scene *scene, size_t records, crowd_setup *setup) {
    static const pm_crowd_output states[] = {PM_CROWD_BODY_POS, PM_CROWD_BODY_ROT,
                                             PM_CROWD_BODY_VEL, PM_CROWD_BODY_ANG_VEL};
    size_t bytes = 0;
    setup->target_count = scene->states ? sizeof states / sizeof *states : 1;
    for (size_t t = 0; t < setup->target_count; t++) {
        const pm_crowd_output output = scene->states ? states[t] : scene->output;
        setup->targets[t] = (device_target){output, scene->hand ? 1 : 0, records * bytes};
        bytes += pm_crowd_record_bytes(output);
    }
    return bytes;
}

size_t crowd_scene_agents(const crowd_scene *scene, size_t bytes) {
    crowd_setup setup;
    const size_t room = bytes / (records_of(scene) * make_targets(scene, 0, &setup));
    if (scene->agents > 0)
        return scene->agents <= room ? scene->agents : 0;
    return room < CROWD_AGENTS ? room : CROWD_AGENTS;
}

/* ---- the skeleton -------------------------------------------------------------- */

/* Limbs start at the first joints: the spine, and the limb after it. */
enum { LIMB = 6, TRUNK = 2 * LIMB, LEVELS = CROWD_LEVELS };

/* `animated`: the joints of the coarsest level. */
static void make_joints(crowd_setup *setup, uint8_t *animated, uint64_t *state) {
    const double reach = 0.1;
    for (size_t j = 0; j < setup->joints; j++) {
        size_t trunk = j < TRUNK ? j : TRUNK;
        size_t hung = (size_t)((double)trunk * scenes_random(state));
        setup->parents[j] = (int32_t)(j % LIMB == 0 ? hung : j - 1);
        animated[j] = j % LIMB < LIMB / 2;
        for (size_t c = 0; c < 3; c++)
            setup->positions[3 * j + c] = (float)(reach * (2.0 * scenes_random(state) - 1.0));
    }
    setup->parents[0] = -1;
}

/* Below the first joint of a limb are an upper, a lower and an end; the gaze is the spine's. */
static const uint32_t gaze[] = {3, 4, 5}, legs[2][3] = {{13, 14, 15}, {19, 20, 21}},
                      arms[2][3] = {{25, 26, 27}, {31, 32, 33}}, stand[] = {0, 15, 21};
enum { GAZE, STAND, LEFT_LEG, RIGHT_LEG, LEFT_ARM, RIGHT_ARM, CHAINS };
#define TWO_BONES(of)                                                                              \
    { .kind = PM_CHAIN_TWO_BONES, .joints = (of), .joint_count = 3 }
static const pm_chain chains[CHAINS] = {
    [GAZE] = {.kind = PM_CHAIN_AIM,
              .joints = gaze,
              .joint_count = 3,
              .axis = {0, 1, 0},
              .forward = {0, 0, 1}},
    [STAND] = {.kind = PM_CHAIN_STAND, .joints = stand, .joint_count = 3, .axis = {0, 1, 0}},
    [LEFT_LEG] = TWO_BONES(legs[0]),
    [RIGHT_LEG] = TWO_BONES(legs[1]),
    [LEFT_ARM] = TWO_BONES(arms[0]),
    [RIGHT_ARM] = TWO_BONES(arms[1])};

/* Limbs of 0.8 m that are bent by 7 degrees, in place of random ones. */
static void lengthen_limbs(crowd_setup *setup) {
    static const float places[2][3] = {{0, -0.4f, 0}, {0, -0.4f, 0.05f}};
    for (size_t k = LEFT_LEG; k < CHAINS; k++)
        for (size_t n = 0; n < 2; n++)
            memcpy(setup->positions + 3 * (size_t)chains[k].joints[n + 1], places[n],
                   sizeof places[n]);
}

static void count_moving(const pm_level levels[LEVELS], crowd_setup *setup) {
    for (size_t l = 0; l < LEVELS; l++) {
        const uint8_t *animated = levels[l].joints;
        setup->moving[l] = 0;
        for (size_t j = 0; j < setup->joints; j++)
            setup->moving[l] += animated == NULL || animated[j] != 0;
    }
}

static cli_exit make_skeleton(const crowd_scene *scene, uint64_t *state, crowd_setup *setup) {
    uint8_t *animated = motion_allocate(&setup->arena, setup->joints, 1);
    pm_level levels[LEVELS] = {
        {.update_every = 1}, {.update_every = 2}, {.joints = animated, .update_every = 4}};
    setup->parents = motion_allocate(&setup->arena, setup->joints, sizeof *setup->parents);
    setup->positions = motion_allocate(&setup->arena, setup->joints, 3 * sizeof(float));
    if (!animated || !setup->parents || !setup->positions)
        return bench_out_of_memory();
    make_joints(setup, animated, state);
    count_moving(levels, setup);
    const uint32_t last = (uint32_t)setup->joints - 1;
    const pm_subset hand = {.joints = &last, .joint_count = 1};
    const bool has_levels = scene->detail != DETAIL_ALL;
    const bool has_chains = scene->goals != GOALS_NONE;
    if (has_chains)
        lengthen_limbs(setup);
    const pm_skeleton_desc desc = {.joint_count = setup->joints,
                                   .parents = setup->parents,
                                   .positions = {setup->positions, PM_FLOAT32, 0},
                                   .levels = has_levels ? levels : NULL,
                                   .level_count = has_levels ? LEVELS : 0,
                                   .subsets = scene->hand ? &hand : NULL,
                                   .subset_count = scene->hand,
                                   .chains = has_chains ? chains : NULL,
                                   .chain_count = has_chains ? CHAINS : 0};
    pm_error error = {0};
    return pm_skeleton_create(&desc, &setup->skeleton, &error) == PM_OK
               ? CLI_DONE
               : cli_fail_error("bench", &error);
}

/* ---- clips --------------------------------------------------------------------- */

static bool make_clip(const crowd_scene *scene, crowd_setup *setup, size_t number,
                      uint64_t *state) {
    static const int rates[] = {30, 24, 60, 25};
    const size_t rate = (size_t)rates[number % (sizeof rates / sizeof *rates)];
    const double shortest = scene->brief ? 0.1 : 1.0, more = scene->brief ? 0.1 : 3.0;
    const size_t segments = (size_t)((double)rate * (shortest + more * scenes_random(state)));
    crowd_clip *clip = &setup->clips[number];
    clip->rate = rate;
    clip->key_count = segments + 1;
    clip->keys =
        motion_allocate(&setup->arena, segments + 1, setup->joints * 4 * sizeof *clip->keys);
    if (clip->keys)
        scenes_walk(clip->keys, segments + 1, setup->joints, state);
    return clip->keys != NULL;
}

static cli_exit make_crowd(const crowd_scene *scene, pm_engine *engine, size_t clip_count,
                           uint64_t *state, crowd_setup *setup) {
    pm_clip_desc *descs = motion_allocate(&setup->arena, clip_count, sizeof *descs);
    pm_timeline *timelines = motion_allocate(&setup->arena, clip_count, sizeof *timelines);
    setup->clips = motion_allocate(&setup->arena, clip_count, sizeof *setup->clips);
    setup->clip_count = clip_count;
    bool complete = setup->clips != NULL && descs != NULL && timelines != NULL;
    for (size_t i = 0; i < clip_count && complete; i++) {
        const crowd_clip *clip = &setup->clips[i];
        complete = make_clip(scene, setup, i, state);
        setup->key_count += clip->key_count;
        timelines[i] =
            (pm_timeline){.key_count = clip->key_count, .rate = {(int64_t)clip->rate, 1}};
        descs[i] = (pm_clip_desc){.track_count = setup->joints,
                                  .timelines = &timelines[i],
                                  .rotations = {clip->keys, PM_FLOAT32, 0},
                                  .method = scene->method,
                                  .key_format = scene->keys};
    }
    if (!complete)
        return bench_out_of_memory();
    pm_error error = {0};
    const pm_crowd_desc desc = {
        .skeleton = setup->skeleton, .clips = descs, .clip_count = clip_count};
    return pm_crowd_create(engine, &desc, &setup->crowd, &error) == PM_OK
               ? CLI_DONE
               : cli_fail_error("bench", &error);
}

/* ---- instances ----------------------------------------------------------------- */

/* Chooses a clip and a time in it. */
static void choose(const crowd_setup *setup, size_t clip_count, uint64_t *state, uint32_t *clip,
                   int64_t *time) {
    *clip = (uint32_t)((double)clip_count * scenes_random(state));
    *time = (int64_t)((double)pm_crowd_clip_ticks(setup->crowd, *clip) * scenes_random(state));
}

static uint8_t level_of(const crowd_scene *scene, size_t i, size_t agents) {
    switch (scene->detail) {
    case DETAIL_EVERY_2ND:
        return 1;
    case DETAIL_THIRDS:
        return (uint8_t)(i * LEVELS / agents);
    case DETAIL_ALL:
        break;
    }
    return 0;
}

static int by_clip_and_time(const void *a, const void *b) {
    const pm_crowd_instance *left = a;
    const pm_crowd_instance *right = b;
    if (left->clip_a != right->clip_a)
        return left->clip_a < right->clip_a ? -1 : 1;
    return (left->time_a > right->time_a) - (left->time_a < right->time_a);
}

static cli_exit make_instances(const crowd_scene *scene, size_t clip_count, uint64_t *state,
                               crowd_setup *setup) {
    setup->instances = motion_allocate(&setup->arena, setup->agents, sizeof *setup->instances);
    if (!setup->instances)
        return bench_out_of_memory();
    for (size_t i = 0; i < setup->agents; i++) {
        pm_crowd_instance *instance = &setup->instances[i];
        choose(setup, clip_count, state, &instance->clip_a, &instance->time_a);
        if (scene->blend != BLEND_NONE) {
            choose(setup, clip_count, state, &instance->clip_b, &instance->time_b);
            instance->weight = (float)(0.05 + 0.9 * scenes_random(state));
        }
        if (scene->phases == PHASES_ALIKE)
            *instance = setup->instances[0];
        instance->level = level_of(scene, i, setup->agents);
        instance->flags = scene->blend == BLEND_ADDITIVE ? PM_CROWD_ADDITIVE : 0;
    }
    if (scene->phases == PHASES_SORTED)
        qsort(setup->instances, setup->agents, sizeof *setup->instances, by_clip_and_time);
    return CLI_DONE;
}

/* Layers of which each is a clip B of its own. */
static cli_exit make_layers(size_t clip_count, size_t each, uint64_t *state, crowd_setup *setup) {
    const size_t count = setup->agents * each;
    setup->layers = motion_allocate(&setup->arena, count, sizeof *setup->layers);
    setup->ranges = motion_allocate(&setup->arena, setup->agents, sizeof *setup->ranges);
    if (!setup->layers || !setup->ranges)
        return bench_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        pm_crowd_layer *layer = &setup->layers[i];
        choose(setup, clip_count, state, &layer->clip, &layer->time);
        layer->weight = (float)(0.05 + 0.9 * scenes_random(state));
    }
    for (size_t i = 0; i < setup->agents; i++)
        setup->ranges[i] = (pm_crowd_range){(uint32_t)(i * each), (uint32_t)each};
    setup->job.layers = setup->layers;
    setup->job.layer_count = count;
    setup->job.ranges = setup->ranges;
    return CLI_DONE;
}

static cli_exit make_list(crowd_setup *setup) {
    setup->indices = motion_allocate(&setup->arena, setup->agents, sizeof *setup->indices);
    if (!setup->indices)
        return bench_out_of_memory();
    for (size_t i = 0; i < setup->agents; i += 2)
        setup->indices[setup->job.index_count++] = (uint32_t)i;
    setup->job.indices = setup->indices;
    return CLI_DONE;
}

static cli_exit pose_on_reference(const crowd_setup *setup, pm_crowd_output output, void *memory) {
    pm_crowd_job job = setup->job;
    pm_error error = {0};
    job.outputs = &(pm_crowd_target){.output = output, .memory = memory};
    job.output_count = 1;
    job.on_reference = true;
    return pm_crowd_pose(setup->crowd, &job, &error) == PM_OK ? CLI_DONE
                                                              : cli_fail_error("bench", &error);
}

static cli_exit make_poses(crowd_setup *setup) {
    setup->poses =
        motion_allocate(&setup->arena, setup->agents, setup->joints * 12 * sizeof *setup->poses);
    const cli_exit code = setup->poses ? pose_on_reference(setup, PM_CROWD_LOCAL, setup->poses)
                                       : bench_out_of_memory();
    setup->job.instances = NULL;
    setup->job.poses = setup->poses;
    return code;
}

/* The chains of a job. Goals of limbs are chosen after those before them, which move limbs. */
static const pm_chain_use uses_of[][5] = {
    [GOALS_LIMBS] = {{GAZE, 0}, {LEFT_LEG, 0}, {RIGHT_LEG, 0}, {LEFT_ARM, 0}, {RIGHT_ARM, 0}},
    [GOALS_GROUND] = {{GAZE, 0}, {STAND, PM_CHAIN_IN_WORLD}, {LEFT_ARM, 0}, {RIGHT_ARM, 0}}};

static void random_point(uint64_t *state, float point[3]) {
    for (size_t c = 0; c < 3; c++)
        point[c] = (float)(2.0 * scenes_random(state) - 1.0);
}

/* In any direction from the upper, whose matrix is given, at 0.3 to 0.95 of a limb's length. */
static void reach(const float upper[12], uint64_t *state, pm_chain_goal *goal) {
    float way[3];
    random_point(state, way);
    const float distance = 0.24f + 0.52f * (float)scenes_random(state);
    const float length = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    for (size_t c = 0; c < 3; c++)
        goal->position[c] = upper[4 * c + 3] + distance / length * way[c];
    goal->weight = 1.0f;
}

/* The places of instances on a square of 64 by 64 cells of half a metre, and its heights of up to 0.2 m. */
static cli_exit make_ground(uint64_t *state, crowd_setup *setup) {
    enum { NODES = 65 };
    const float half = 16.0f;
    float *heights = motion_allocate(&setup->arena, (size_t)NODES * NODES, sizeof *heights);
    pm_placement *places = motion_allocate(&setup->arena, setup->agents, sizeof *places);
    if (!heights || !places)
        return bench_out_of_memory();
    for (size_t i = 0; i < (size_t)NODES * NODES; i++)
        heights[i] = (float)(0.2 * scenes_random(state));
    for (size_t i = 0; i < setup->agents; i++) {
        random_point(state, places[i].position);
        places[i].position[0] *= half;
        places[i].position[1] = 0.0f;
        places[i].position[2] *= half;
        places[i].rotation[3] = 1.0f;
    }
    setup->job.ground = (pm_height_field){{-half, -half}, 0.5f, NODES, NODES};
    setup->job.heights = heights;
    setup->job.placements = places;
    return CLI_DONE;
}

static cli_exit make_goals(const crowd_scene *scene, uint64_t *state, crowd_setup *setup) {
    const bool stands = scene->goals == GOALS_GROUND;
    const pm_stand_goal standing = {.weight = 1.0f, .tilt = 1.0f, .lowest = NAN, .highest = NAN};
    const size_t count = stands ? 4 : 5, before = stands ? 2 : 1;
    float *models = motion_allocate(&setup->arena, setup->agents, setup->joints * 48);
    pm_chain_goal *goals = motion_allocate(&setup->arena, setup->agents, count * sizeof *goals);
    if (!models || !goals || (stands && make_ground(state, setup) != CLI_DONE))
        return bench_out_of_memory();
    for (size_t i = 0; i < setup->agents; i++) {
        random_point(state, goals[i * count].position);
        goals[i * count].weight = 1.0f;
        if (stands)
            memcpy(&goals[i * count + 1], &standing, sizeof standing);
    }
    setup->job.chains = uses_of[scene->goals];
    setup->job.goals = goals;
    setup->job.goal_stride = count * sizeof *goals;
    setup->job.chain_count = before;
    const cli_exit code = pose_on_reference(setup, PM_CROWD_MODEL, models);
    setup->job.chain_count = count;
    for (size_t i = 0; i < setup->agents && code == CLI_DONE; i++) {
        for (size_t k = before; k < count; k++) {
            const uint32_t upper = chains[setup->job.chains[k].chain].joints[0];
            const size_t slot = pm_skeleton_slots(setup->skeleton)[upper];
            reach(models + 12 * (i * setup->joints + slot), state, &goals[i * count + k]);
        }
    }
    return code;
}

/* What is posed is half a second after its change, which takes a second, from another clip. */
static cli_exit make_changes(size_t clip_count, uint64_t *state, crowd_setup *setup) {
    const int64_t step = pm_crowd_ticks(1.0 / 60.0), since = pm_crowd_ticks(0.5);
    const size_t n = setup->agents, stride = pm_crowd_transition_bytes(setup->crowd);
    pm_crowd_instance *shown = motion_allocate(&setup->arena, n, 4 * sizeof *shown);
    void *states = motion_allocate(&setup->arena, n, stride);
    if (!shown || !states)
        return bench_out_of_memory();
    for (size_t i = 0; i < n; i++) {
        pm_crowd_instance change[2] = {setup->instances[i], setup->instances[i]};
        choose(setup, clip_count, state, &change[0].clip_a, &change[0].time_a);
        change[1].time_a -= since;
        for (size_t k = 0; k < 4; k++) {
            shown[k * n + i] = change[k / 2];
            shown[k * n + i].time_a -= k % 2 == 0 ? step : 0;
        }
    }
    pm_crowd_job jobs[4];
    for (size_t k = 0; k < 4; k++) {
        jobs[k] = setup->job;
        jobs[k].instances = shown + k * n;
    }
    pm_error error = {0};
    const pm_crowd_transition change = {.before = {&jobs[0], &jobs[1]},
                                        .after = {&jobs[2], &jobs[3]},
                                        .step = step,
                                        .duration = 1.0f,
                                        .states = states,
                                        .stride = stride};
    setup->job.transitions = states;
    setup->job.transition_stride = stride;
    setup->job.transition_time = since;
    return pm_crowd_begin_transitions(setup->crowd, &change, &error) == PM_OK
               ? CLI_DONE
               : cli_fail_error("bench", &error);
}

static cli_exit make_job(const crowd_scene *scene, size_t clip_count, uint64_t *state,
                         crowd_setup *setup) {
    cli_exit code = make_instances(scene, clip_count, state, setup);
    setup->job.instances = setup->instances;
    setup->job.instance_count = setup->agents;
    if (code == CLI_DONE && scene->layers > 0)
        code = make_layers(clip_count, scene->layers, state, setup);
    if (code == CLI_DONE && scene->goals != GOALS_NONE)
        code = make_goals(scene, state, setup);
    if (code == CLI_DONE && scene->changes)
        code = make_changes(clip_count, state, setup);
    if (code == CLI_DONE && scene->list)
        code = make_list(setup);
    return code == CLI_DONE && scene->given ? make_poses(setup) : code;
}

bool crowd_updated(const crowd_setup *setup, size_t i) {
    static const size_t every[LEVELS] = {1, 2, 4};
    if (setup->job.indices && i % 2 != 0)
        return false;
    return i / 16 % every[setup->instances[i].level] == 0;
}

/* The last joint with its ancestors, or all joints. */
static size_t posed_of(const crowd_scene *scene, const crowd_setup *setup) {
    size_t count = 0;
    for (int32_t j = (int32_t)setup->joints - 1; scene->hand && j >= 0; j = setup->parents[j])
        count++;
    return scene->hand ? count : setup->joints;
}

/* ---- all of it ----------------------------------------------------------------- */

cli_exit crowd_scene_make(const crowd_scene *scene, pm_engine *engine, size_t agents,
                          crowd_setup *setup) {
    const size_t clip_count = scene->clips > 0 ? scene->clips : CROWD_CLIPS;
    uint64_t state = 1;
    setup->agents = agents;
    setup->joints = joints_of(scene);
    setup->records = records_of(scene);
    setup->record_bytes = make_targets(scene, agents * setup->records, setup);
    cli_exit code = make_skeleton(scene, &state, setup);
    if (code == CLI_DONE)
        setup->posed = posed_of(scene, setup);
    if (code == CLI_DONE)
        code = make_crowd(scene, engine, clip_count, &state, setup);
    if (code == CLI_DONE)
        code = make_job(scene, clip_count, &state, setup);
    return code;
}

void crowd_setup_destroy(crowd_setup *setup) {
    pm_crowd_destroy(&setup->crowd);
    pm_skeleton_destroy(&setup->skeleton);
    motion_arena_release(&setup->arena);
    memset(setup, 0, sizeof *setup);
}
