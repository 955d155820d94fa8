/* SPDX-License-Identifier: MIT
 *
 * Random skeletons and clips of crowds.
 */
#include "crowd_scene.h"
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- skeletons --------------------------------------------------------------------- */

static void make_parents(random_source *source, scene *s) {
    for (size_t joint = 0; joint < s->joints; joint++) {
        const int32_t last = (int32_t)joint - 1;
        const int32_t any = joint ? (int32_t)(random_bits(source) % joint) : -1;
        const bool root = s->options.shape == SCENE_FOREST && random_bits(source) % 3 == 0;
        /* The parent of every other joint is the joint before it, which gives trees with some
         * depth. */
        const bool chained = s->options.shape == SCENE_CHAIN || random_bits(source) % 2 == 0;
        s->parents[joint] = joint == 0 || root ? -1 : chained ? last : any;
    }
}

static void turn_to_matrix(const double q[4], float rows[12]) {
    double m[9];
    pm_matrix_from_quat(q, m);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            rows[4 * i + j] = (float)m[3 * i + j];
}

static void make_bind(random_source *source, scene_binds kind, float rows[12]) {
    double q[4];
    random_quaternion(source, q);
    turn_to_matrix(q, rows);
    for (size_t i = 0; i < 12; i++) {
        if (kind == SCENE_BIND_ANY && i % 4 != 3)
            rows[i] += (float)random_between(source, -0.3, 0.3);
        if (i % 4 == 3)
            rows[i] = (float)random_between(source, -2, 2);
    }
}

static void make_rest(random_source *source, scene *s, size_t joint) {
    double q[4], direction[3];
    random_quaternion(source, q);
    random_direction(source, direction);
    const double length = random_between(source, 0.2, 1.0);
    for (size_t c = 0; c < 4; c++)
        s->rotations[4 * joint + c] = (float)q[c];
    for (size_t c = 0; c < 3; c++) {
        const double scale = random_between(source, 0.8, 1.25);
        const bool mirrored = random_bits(source) % 8 == 0;
        s->positions[3 * joint + c] = (float)(direction[c] * length);
        s->scales[3 * joint + c] = s->options.rest_scales ? (float)(mirrored ? -scale : scale) : 1;
    }
    make_bind(source, s->options.binds, s->binds + 12 * joint);
}

/* Level 1 leaves out a third of the joints, level 2 nearly all. */
static void make_levels(random_source *source, scene *s) {
    for (size_t level = 0; level < SCENE_LEVELS; level++) {
        uint8_t *animated = s->animated + level * s->joints;
        for (size_t joint = 0; joint < s->joints; joint++) {
            const uint64_t dice = random_bits(source) % 6;
            animated[joint] = level == 1 ? dice > 1 : dice == 0;
        }
        s->levels[level] = (pm_level){.joints = level ? animated : NULL};
    }
    for (size_t i = 0; i < SCENE_MASKS * s->joints; i++) {
        const uint64_t dice = random_bits(source) % 4;
        s->masks[i] = dice == 0 ? 0 : dice == 1 ? 1 : (float)random_unit(source);
    }
}

/* From numbers of their own, so that scenes do not depend on them. */
static void make_subsets(scene *s) {
    random_source source = random_salted(s->options.salt + 0x5AD);
    for (size_t joint = 0; joint < s->joints; joint++) {
        s->radii[joint] = random_bits(&source) % 3 ? (float)random_unit(&source) : 0;
        s->listed[joint] = (uint32_t)joint;
    }
    for (size_t joint = s->joints - 1; joint > 0; joint--) {
        const size_t other = random_bits(&source) % (joint + 1);
        const uint32_t moved = s->listed[joint];
        s->listed[joint] = s->listed[other];
        s->listed[other] = moved;
    }
    s->subsets[0] = (pm_subset){.joints = s->listed + s->joints - 1, .joint_count = 1};
    s->subsets[1] = (pm_subset){.joints = s->listed, .joint_count = (s->joints + 1) / 2};
}

static const uint32_t contacts[] = {1, 2}; /* clips have no such markers */

/* False: no joint has so many above it. */
static bool find_limb(scene *s) {
    for (size_t joint = 0; joint < s->joints; joint++) {
        int32_t at = (int32_t)joint;
        size_t left = COUNT_OF(s->limb);
        for (; at >= 0 && left > 0; at = s->parents[at])
            s->limb[--left] = (uint32_t)at;
        if (left == 0)
            return true;
    }
    return false;
}

static void make_skeleton(random_source *source, scene *s) {
    s->parents = test_array(s->joints, sizeof *s->parents);
    s->rotations = test_array(s->joints * 4, sizeof(float));
    s->positions = test_array(s->joints * 3, sizeof(float));
    s->scales = test_array(s->joints * 3, sizeof(float));
    s->binds = test_array(s->joints * 12, sizeof(float));
    s->masks = test_array(s->joints * SCENE_MASKS, sizeof(float));
    s->radii = test_array(s->joints, sizeof(float));
    s->listed = test_array(s->joints, sizeof *s->listed);
    make_subsets(s);
    s->animated = test_array(s->joints * SCENE_LEVELS, 1);
    make_parents(source, s);
    for (size_t joint = 0; joint < s->joints; joint++)
        make_rest(source, s, joint);
    make_levels(source, s);
    s->last = (uint32_t)s->joints - 1;
    s->chains[0] = (pm_chain){.kind = PM_CHAIN_PIN, .joints = &s->last, .joint_count = 1};
    s->chains[1] = (pm_chain){.kind = PM_CHAIN_AIM,
                              .joints = &s->last,
                              .joint_count = 1,
                              .axis = {0, 1, 0},
                              .forward = {0, 0, 1}};
    const bool has_limb = find_limb(s);
    memcpy(s->stand, (uint32_t[]){s->limb[0], s->limb[3]}, sizeof s->stand);
    s->chains[2] = (pm_chain){
        .kind = PM_CHAIN_TWO_BONES, .joints = s->limb + 1, .joint_count = 3, .axis = {1, 0, 0}};
    s->chains[3] = (pm_chain){.kind = PM_CHAIN_STAND,
                              .joints = s->stand,
                              .joint_count = 2,
                              .axis = {0, 1, 0},
                              .contacts = contacts};
    s->skeleton_desc = (pm_skeleton_desc){
        .joint_count = s->joints,
        .parents = s->parents,
        .rotations = {.data = s->rotations, .type = PM_FLOAT32},
        .positions = {.data = s->positions, .type = PM_FLOAT32},
        .scales = {.data = s->scales, .type = PM_FLOAT32},
        .levels = s->levels,
        .level_count = SCENE_LEVELS,
        .masks = s->masks,
        .subsets = s->subsets,
        .subset_count = SCENE_SUBSETS,
        .radii = s->radii,
        .mask_count = SCENE_MASKS,
        .chains = s->chains,
        .chain_count = has_limb ? SCENE_CHAINS : 2,
    };
    if (s->options.binds != SCENE_BIND_AT_REST)
        s->skeleton_desc.inverse_binds = (pm_array){.data = s->binds, .type = PM_FLOAT32};
}

/* ---- clips --------------------------------------------------------------------------- */

static const pm_rational rates[SCENE_CLIPS_MAX] = {{30, 1}, {24000, 1001}, {5, 2}, {60, 1}};

/* Positions around those of the rest pose. */
static void locate_keys(random_source *source, const scene *s, size_t joint, test_track *t) {
    for (size_t key = 0; key < t->key_count; key++) {
        for (size_t c = 0; c < 3; c++) {
            const double rest = (double)s->positions[3 * joint + c];
            t->positions[key][c] = rest + random_between(source, -0.2, 0.2);
        }
    }
}

/* Uniform times as the library defines them; listed times from 0.375 s on; per-joint times to
 * exactly 2.075 s. */
static void locate_common_times(const scene *s, size_t clip, test_track *t) {
    const scene_times kind = s->options.times;
    const double num = (double)rates[clip].num, den = (double)rates[clip].den;
    const double end = t->times[t->key_count - 1];
    for (size_t key = 0; key < t->key_count; key++) {
        const double listed =
            kind == SCENE_PER_JOINT ? t->times[key] * 1.7 / end : t->times[key] * den / num;
        t->times[key] = kind == SCENE_UNIFORM ? (double)key * den / num : listed + 0.375;
    }
    if (kind == SCENE_PER_JOINT)
        t->times[t->key_count - 1] = 2.075;
}

static bool is_apart(const scene *s) {
    return s->options.times == SCENE_PER_JOINT_UNEVEN || s->options.times == SCENE_STAGGERED;
}

/* For SCENE_STAGGERED: joints whose timeline is a rate, from time 0 on. */
static const pm_rational staggered_rate = {5, 1};
enum { STAGGERED_UNIFORM_KEYS = 11 };

static bool is_uniform(const scene *s, size_t joint) {
    return s->options.times == SCENE_STAGGERED && joint % 3 == 1;
}

/* Before or after time 0, by a fraction of a period, by whole periods, or by both. */
static double staggered_start(random_source *source, double period) {
    switch (random_bits(source) % 4) {
    case 0:
        return period * (double)(random_bits(source) % 41) - 20 * period;
    case 1:
        return random_between(source, -1, 1) * period;
    default:
        return random_between(source, -20, 20) * period;
    }
}

/* Each timeline has its own start and lasts less than 2 s. */
static void locate_times(random_source *source, const scene *s, size_t clip, size_t joint,
                         test_track *t) {
    if (!is_apart(s)) {
        locate_common_times(s, clip, t);
        return;
    }
    const double first = s->options.times == SCENE_STAGGERED
                             ? staggered_start(source, s->periods[clip])
                             : 0.375 + 0.3 * (double)((7 * joint + clip) % 5);
    for (size_t key = 0; key < t->key_count; key++)
        t->times[key] = first + 0.2 * t->times[key];
}

/* Loops of odd clips end with a copy of their first key; those of even clips have a closing segment
 * that is as long as a uniform segment. */
static void close_loop(const scene *s, size_t clip, test_track *t) {
    const size_t last = t->key_count - 1;
    const double num = (double)rates[clip].num, den = (double)rates[clip].den;
    if (!s->options.looped)
        return;
    t->period = t->times[last] - t->times[0];
    if (is_apart(s)) {
        t->period = s->options.times == SCENE_PER_JOINT_UNEVEN ? 3 : s->periods[clip];
    } else if (clip % 2) {
        memcpy(t->keys[last], t->keys[0], sizeof t->keys[0]);
        memcpy(t->positions[last], t->positions[0], sizeof t->positions[0]);
    } else {
        t->period = s->options.times == SCENE_UNIFORM ? (double)t->key_count * den / num
                                                      : t->period + den / num;
    }
}

static void make_track(random_source *source, scene *s, size_t clip, size_t joint) {
    const scene_options *o = &s->options;
    const bool uneven = o->times != SCENE_UNIFORM && o->curve->method != PM_METHOD_BSPLINE;
    test_track *t = &s->sets[clip].tracks[joint];
    const size_t keys = is_uniform(s, joint)          ? STAGGERED_UNIFORM_KEYS
                        : o->times == SCENE_PER_JOINT ? 3 + (clip + joint) % 6
                        : is_apart(s)                 ? 1 + (clip + joint) % 6
                                                      : 4 + 2 * clip;
    random_track(source, keys, 0.1, 1.0, uneven, t);
    locate_times(source, s, clip, joint, t);
    if (o->times == SCENE_LISTED)
        memcpy(t->times, s->sets[clip].tracks[0].times, sizeof t->times);
    locate_keys(source, s, joint, t);
    close_loop(s, clip, t);
}

/* The row of a joint's first key in the arrays of a set, and the rows from key to key. */
static size_t first_row_of(const scene *s, size_t n, size_t joint, size_t *step) {
    const track_set *set = &s->sets[n];
    size_t row = joint;
    *step = s->joints;
    if (set->common_timeline)
        return row;
    *step = 1;
    row = 0;
    for (size_t j = 0; j < joint; j++)
        row += set->tracks[j].key_count;
    return row;
}

/* Keys of 48 bits, encoded and decoded one by one: the oracle's curves pass through these. */
static void read_stored_keys(pm_engine *engine, scene *s, size_t n) {
    pm_clip_desc *desc = &s->stored[n];
    const size_t most = TRACK_KEYS_MAX * s->joints;
    if (s->options.key_format == PM_KEYS_FLOAT32)
        return;
    pm_clip *clip = clip_make(engine, &s->clips[n]);
    SCOPED(free_at) uint32_t *tracks = test_array(most, sizeof *tracks);
    SCOPED(free_at) double *times = test_array(most, sizeof *times);
    size_t rows = 0;
    for (size_t joint = 0; joint < s->joints; joint++) {
        size_t step, row = first_row_of(s, n, joint, &step);
        const pm_timeline *line =
            &desc->timelines[desc->timeline_of ? desc->timeline_of[joint] : 0];
        for (size_t k = 0; k < line->key_count; k++, row += step, rows++) {
            tracks[row] = (uint32_t)joint;
            times[row] = line->times ? line->times[k]
                                     : (double)k * (double)line->rate.den / (double)line->rate.num;
        }
    }
    s->keys[n] = test_array(rows * 4, sizeof(float));
    sample_make(clip, &(pm_sample_job){.sample_count = rows,
                                       .tracks = tracks,
                                       .times = times,
                                       .rotations = s->keys[n],
                                       .on_reference = true});
    pm_clip_destroy(&clip);
    desc->rotations = (pm_array){.data = s->keys[n], .type = PM_FLOAT32};
    desc->key_format = PM_KEYS_FLOAT32;
}

static void give_windows(random_source *source, scene *s, size_t n, pm_clip_desc *desc) {
    s->windows[n] = test_array(s->joints, sizeof(pm_windows));
    for (size_t joint = 0; joint < s->joints; joint++)
        s->windows[n][joint] =
            (pm_windows){random_between(source, 0, 0.4), random_between(source, 0.5, 1),
                         random_between(source, 0, 0.4), random_between(source, 0.5, 1)};
    desc->windows = s->windows[n];
    desc->window_count = s->joints;
}

static void make_clip(pm_engine *engine, random_source *source, scene *s, size_t n) {
    const scene_options *o = &s->options;
    track_set *set = &s->sets[n];
    set_create(s->joints, o->times < SCENE_PER_JOINT, set);
    if (o->times == SCENE_STAGGERED) { /* of even clips as long as their uniform keys */
        s->periods[n] = n % 2 ? random_between(source, 2.1, 3.5)
                              : STAGGERED_UNIFORM_KEYS / (double)staggered_rate.num;
    }
    for (size_t joint = 0; joint < s->joints; joint++)
        make_track(source, s, n, joint);
    pm_clip_desc desc = variant_describe(o->curve, set);
    for (size_t joint = 0; joint < s->joints; joint++)
        if (is_uniform(s, joint))
            set->timelines[joint] =
                (pm_timeline){.key_count = STAGGERED_UNIFORM_KEYS, .rate = staggered_rate};
    for (size_t row = 0; row < s->joints * TRACK_KEYS_MAX; row++)
        for (size_t c = 0; c < 3; c++)
            set->scales[3 * row + c] = 1.0 + 0.15 * set->rotations[4 * row + c];
    if (o->times == SCENE_UNIFORM) {
        s->uniform[n] = (pm_timeline){.key_count = set->tracks[0].key_count, .rate = rates[n]};
        desc.timelines = &s->uniform[n];
    }
    if (o->windows)
        give_windows(source, s, n, &desc);
    desc.vector_method = o->vector_method;
    desc.key_format = o->key_format;
    const pm_array none = {0};
    desc.positions = o->without_positions ? none : desc.positions;
    desc.scales = o->scales ? desc.scales : none;
    s->clips[n] = s->stored[n] = desc;
    read_stored_keys(engine, s, n);
}

static void rest_keys(scene *s, size_t n, size_t joint) {
    static const double nothing[3];
    track_set *set = &s->sets[n];
    size_t step;
    size_t row = first_row_of(s, n, joint, &step);
    for (size_t key = 0; key < set->tracks[joint].key_count; key++, row += step) {
        for (size_t c = 0; c < 3; c++)
            set->positions[3 * row + c] = (double)s->positions[3 * joint + c];
        memcpy(set->positions_in + 3 * row, nothing, sizeof nothing);
        memcpy(set->positions_out + 3 * row, nothing, sizeof nothing);
    }
}

/* The rows of one joint in an array of vectors of all. */
static pm_array alone(const scene *s, size_t n, size_t root, const pm_array *all) {
    size_t step;
    const size_t row = first_row_of(s, n, root, &step);
    if (!all->data)
        return *all;
    return (pm_array){.data = (const double *)all->data + 3 * row,
                      .type = PM_FLOAT64,
                      .stride = step > 1 ? 3 * step * sizeof(double) : 0};
}

void scene_root_alone(scene *s, size_t root) {
    for (size_t n = 0; n < s->clip_count; n++) {
        const pm_clip_desc *all = &s->stored[n];
        pm_clip_desc *clip = &s->clips[n];
        for (size_t joint = 0; joint < s->joints; joint++)
            if (joint != root)
                rest_keys(s, n, joint);
        clip->root_positions = true;
        clip->positions = alone(s, n, root, &all->positions);
        clip->positions_in = alone(s, n, root, &all->positions_in);
        clip->positions_out = alone(s, n, root, &all->positions_out);
    }
}

/* ---- scenes ---------------------------------------------------------------------------- */

void scene_make(pm_engine *engine, const scene_options *options, scene *s) {
    random_source source = random_salted(options->salt);
    *s = (scene){.options = *options,
                 .joints = options->joints ? options->joints : 11,
                 .clip_count = options->clips ? options->clips : 3};
    if (!s->options.curve)
        s->options.curve = variant_named("slerp");
    make_skeleton(&source, s);
    for (size_t n = 0; n < s->clip_count; n++)
        make_clip(engine, &source, s, n);
    if (options->root_positions)
        scene_root_alone(s, 0);
    scene_finish(engine, s);
}

pm_crowd *crowd_make(pm_engine *engine, const pm_skeleton_desc *skeleton_desc,
                     const pm_clip_desc *clips, size_t clip_count, pm_skeleton **skeleton) {
    pm_error error = poisoned_error();
    pm_crowd *crowd = NULL;
    expect_ok(pm_skeleton_create(skeleton_desc, skeleton, &error), &error);
    const pm_crowd_desc desc = {.skeleton = *skeleton, .clips = clips, .clip_count = clip_count};
    expect_ok(pm_crowd_create(engine, &desc, &crowd, &error), &error);
    assert_non_null(crowd);
    return crowd;
}

void scene_finish(pm_engine *engine, scene *s) {
    s->crowd = crowd_make(engine, &s->skeleton_desc, s->clips, s->clip_count, &s->skeleton);
    s->order = pm_skeleton_order(s->skeleton);
    s->oracle = crowd_oracle_create(&s->skeleton_desc, s->stored, s->clip_count, s->order[0]);
}

void scene_undo(scene *s) {
    pm_crowd_destroy(&s->crowd);
    pm_skeleton_destroy(&s->skeleton);
    crowd_oracle_destroy(s->oracle);
    s->oracle = NULL;
}

void scene_free(scene *s) {
    scene_undo(s);
    for (size_t n = 0; n < s->clip_count; n++) {
        set_destroy(&s->sets[n]);
        free(s->keys[n]);
        free(s->windows[n]);
    }
    free(s->parents);
    free(s->rotations);
    free(s->positions);
    free(s->scales);
    free(s->binds);
    free(s->masks);
    free(s->radii);
    free(s->listed);
    free(s->animated);
    *s = (scene){0};
}
