/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of crowds on the reference path. The first bytes of an input choose a skeleton, clips and a job; the
 * others are instances, layers, ranges and lists of any bytes. A description is refused with a reason, or every
 * record of a job is finite and has the bits of that of its instance alone.
 */
#include <math.h>
#include <posemill/posemill_crowd.h>
#include <string.h>

#include "fuzz.h"
#include "host/base/counts.h"
#include "scratch.h"

enum { JOINTS = 20, CLIPS = 3, KEYS = 7, SUBSETS = 2, LEVELS = 3, MASKS = 2, HINGES = 3 };
enum { INSTANCES = 40, LAYERS = 20, TARGETS = 6, POISON = 0xA5 };

typedef struct keys {
    float rotations[JOINTS * KEYS * 4], positions[JOINTS * KEYS * 3], scales[JOINTS * KEYS * 3];
    float tangents[JOINTS * KEYS * 4], angles[HINGES * KEYS];
    double times[JOINTS][KEYS];
    pm_timeline timelines[JOINTS];
    uint32_t timeline_of[JOINTS];
    pm_scalars scalars;
    pm_crowd_marker markers[3];
} keys;

typedef struct subject {
    fuzz_input *input;
    int32_t parents[JOINTS];
    float rest[JOINTS * 4], positions[JOINTS * 3], scales[JOINTS * 3], binds[JOINTS * 12];
    float masks[MASKS * JOINTS], radii[JOINTS], points[JOINTS * 3];
    uint8_t animated[LEVELS][JOINTS];
    uint32_t listed[SUBSETS][JOINTS];
    pm_level levels[LEVELS];
    pm_subset subsets[SUBSETS];
    pm_hinge hinges[HINGES];
    pm_skeleton_desc skeleton_desc;
    keys keys[CLIPS];
    pm_clip_desc clips[CLIPS];
    pm_crowd_markers markers[CLIPS];
    size_t clip_count;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
} subject;

static size_t up_to(fuzz_input *input, size_t most) {
    return fuzz_byte(input) % (most + 1);
}

/* In [-2, 2), with many whole numbers and halves. */
static float number(fuzz_input *input) {
    return (float)(int8_t)fuzz_byte(input) / 64.0f;
}

static void numbers(fuzz_input *input, float *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = number(input);
}

static void rotations(fuzz_input *input, float *to, size_t count) {
    for (size_t i = 0; i < count; i++, to += 4) {
        numbers(input, to, 4);
        const float norm = sqrtf(to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + to[3] * to[3]);
        to[3] = norm > 0 ? to[3] : 1;
        for (int c = 0; c < 4 && norm > 0; c++)
            to[c] /= norm;
    }
}

/* Any bytes; 0 after the end of the input. */
static void bytes(fuzz_input *input, void *to, size_t size) {
    const size_t taken = size < input->left ? size : input->left;
    memset(to, 0, size);
    memcpy(to, input->at, taken);
    input->at += taken;
    input->left -= taken;
}

/* ---- descriptions --------------------------------------------------------------------------- */

static void choose_sets(subject *s, size_t n) {
    pm_skeleton_desc *d = &s->skeleton_desc;
    fuzz_input *input = s->input;
    d->level_count = up_to(input, LEVELS);
    d->levels = d->level_count ? s->levels : NULL;
    for (size_t l = 0; l < d->level_count; l++) {
        for (size_t j = 0; j < n; j++)
            s->animated[l][j] = l == 0 || fuzz_byte(input) % 4 > 0;
        s->levels[l] = (pm_level){.joints = l % 2 ? s->animated[l] : NULL,
                                  .update_every = (uint32_t)up_to(input, 3)};
    }
    d->mask_count = up_to(input, MASKS);
    d->masks = d->mask_count ? s->masks : NULL;
    for (size_t i = 0; i < d->mask_count * n; i++)
        s->masks[i] = (float)fuzz_byte(input) / 255;
    d->subset_count = up_to(input, SUBSETS);
    d->subsets = d->subset_count ? s->subsets : NULL;
    for (size_t i = 0; i < d->subset_count; i++) {
        s->subsets[i] = (pm_subset){.joints = s->listed[i], .joint_count = 1 + up_to(input, n - 1)};
        const size_t first = fuzz_byte(input);
        for (size_t j = 0; j < s->subsets[i].joint_count; j++)
            s->listed[i][j] = (uint32_t)((first + j) % n);
    }
}

static void choose_hinges(subject *s, size_t n) {
    pm_skeleton_desc *d = &s->skeleton_desc;
    d->hinge_count = up_to(s->input, HINGES);
    d->hinges = d->hinge_count ? s->hinges : NULL;
    for (size_t i = 0; i < d->hinge_count; i++)
        s->hinges[i] =
            (pm_hinge){(uint32_t)((1 + i) % n), {i == 0, i == 1, i == 2}, number(s->input)};
}

static void choose_skeleton(subject *s) {
    fuzz_input *input = s->input;
    const size_t n = 1 + up_to(input, JOINTS - 1);
    const uint8_t has = fuzz_byte(input);
    pm_skeleton_desc *d = &s->skeleton_desc;
    *d = (pm_skeleton_desc){.joint_count = n, .parents = s->parents};
    for (size_t j = 0; j < n; j++)
        s->parents[j] = (int32_t)up_to(input, j) - 1;
    if (has & 1)
        d->rotations.data = s->rest;
    if (has & 2)
        d->positions.data = s->positions;
    if (has & 4)
        d->scales.data = s->scales;
    if (has & 8)
        d->inverse_binds.data = s->binds;
    if (has & 16)
        d->radii = s->radii;
    if (has & 32)
        d->points.data = s->points;
    rotations(input, s->rest, n);
    numbers(input, s->positions, n * 3);
    for (size_t i = 0; i < n * 3; i++)
        s->scales[i] = 0.125f + (float)fuzz_byte(input) / 64;
    numbers(input, s->binds, n * 12);
    numbers(input, s->points, n * 3);
    for (size_t j = 0; j < n; j++)
        s->radii[j] = (float)fuzz_byte(input);
    choose_sets(s, n);
    if ((has & 192) == 192)
        choose_hinges(s, n);
}

/* A timeline of uniform or of listed keys. */
static pm_timeline timeline(fuzz_input *input, double *times, bool listed) {
    pm_timeline line = {.key_count = 1 + up_to(input, KEYS - 1)};
    double time = (double)number(input);
    for (size_t k = 0; k < line.key_count; k++) {
        times[k] = time;
        time += (1 + (double)up_to(input, 255)) / 100;
    }
    if (listed)
        line.times = times;
    else
        line.rate = (pm_rational){1 + fuzz_byte(input), 1 + fuzz_byte(input) % 3};
    return line;
}

/* All clips have the method and the channels that `has` and `kind` say. */
static void choose_clip(subject *s, size_t c, const pm_clip_desc *kind, uint8_t has) {
    fuzz_input *input = s->input;
    keys *k = &s->keys[c];
    pm_clip_desc *d = &s->clips[c];
    const size_t n = s->skeleton_desc.joint_count, lines = has & 1 ? n : 1;
    *d = *kind;
    d->timelines = k->timelines;
    d->timeline_count = lines;
    d->timeline_of = k->timeline_of;
    for (size_t i = 0; i < n; i++)
        k->timeline_of[i] = (uint32_t)(i % lines);
    for (size_t i = 0; i < lines; i++)
        k->timelines[i] = timeline(input, k->times[i], has & 2);
    rotations(input, k->rotations, n * KEYS);
    numbers(input, k->positions, n * KEYS * 3);
    numbers(input, k->scales, n * KEYS * 3);
    numbers(input, k->tangents, n * KEYS * 4);
    numbers(input, k->angles, HINGES * KEYS);
    d->rotations.data = k->rotations;
    d->tangents_in.data = d->tangents_out.data = k->tangents;
    if (has & 4)
        d->positions.data = d->positions_in.data = d->positions_out.data = k->positions;
    if (has & 8)
        d->scales.data = d->scales_in.data = d->scales_out.data = k->scales;
    d->root_positions = has & 16;
    d->axes.data = s->points;
    d->user_tangents.data = k->tangents;
    if (has & 32)
        d->loop = (double)(1 + fuzz_byte(input)) / 30;
    if (s->skeleton_desc.hinges) {
        d->root_positions = true;
        k->scalars = (pm_scalars){.keys.data = k->angles, .count = s->skeleton_desc.hinge_count};
        d->scalars = &k->scalars;
    }
}

static void choose_markers(subject *s, size_t c) {
    pm_crowd_marker *to = s->keys[c].markers;
    int64_t tick = 0;
    for (size_t i = 0; i < 3; i++) {
        tick += (int64_t)fuzz_byte(s->input) << 25;
        to[i] = (pm_crowd_marker){.tick = tick, .id = (uint32_t)fuzz_byte(s->input) << 9};
    }
    s->markers[c] = (pm_crowd_markers){.markers = to, .count = up_to(s->input, 3)};
}

static size_t choose_clips(subject *s) {
    fuzz_input *input = s->input;
    const size_t count = 1 + up_to(input, CLIPS - 1);
    const uint8_t has = fuzz_byte(input), odd = fuzz_byte(input);
    const pm_clip_desc kind = {.track_count = s->skeleton_desc.joint_count,
                               .method = (pm_method)(fuzz_byte(input) % PM_METHOD_COUNT),
                               .vector_method = (pm_vector_method)(odd & 1 ? odd >> 5 : 0),
                               .key_format = (pm_key_format)(odd & 2 ? odd >> 3 & 3 : 0),
                               .tangents = (pm_tangents)(odd & 4 ? odd >> 5 : 0),
                               .ends = (pm_ends)(odd >> 3 & 3)};
    for (size_t c = 0; c < count; c++) {
        choose_clip(s, c, &kind, has);
        choose_markers(s, c);
    }
    return count;
}

static bool make(subject *s, pm_engine *engine) {
    pm_error error = {0};
    choose_skeleton(s);
    const size_t count = choose_clips(s);
    pm_status status = pm_skeleton_create(&s->skeleton_desc, &s->skeleton, &error);
    require((status == PM_OK) == (s->skeleton != NULL));
    if (status == PM_OK) {
        const pm_crowd_desc desc = {
            .skeleton = s->skeleton, .clips = s->clips, .clip_count = count, .markers = s->markers};
        status = pm_crowd_create(engine, &desc, &s->crowd, &error);
        require((status == PM_OK) == (s->crowd != NULL));
    }
    require(status == PM_OK || error.message[0] != '\0');
    s->clip_count = count;
    return status == PM_OK;
}

/* Adds some of the clips again, and removes any. */
static void change(subject *s) {
    uint32_t ids[CLIPS];
    pm_error error = {0};
    for (uint8_t rounds = fuzz_byte(s->input) & 3; rounds > 0; rounds--) {
        const size_t first = up_to(s->input, s->clip_count - 1), added = s->clip_count - first;
        require(pm_crowd_add_clips(s->crowd, s->clips + first, s->markers + first, added, ids,
                                   &error) == PM_OK);
        const size_t removed = up_to(s->input, CLIPS);
        for (size_t i = 0; i < removed; i++)
            ids[i] = (uint32_t)up_to(s->input, CLIPS * 4);
        const pm_status status = pm_crowd_remove_clips(s->crowd, ids, removed, &error);
        require(status == PM_OK || error.message[0] != '\0');
    }
}

/* ---- jobs ----------------------------------------------------------------------------------- */

typedef struct job_memory {
    pm_crowd_instance instances[INSTANCES], after[INSTANCES];
    pm_crowd_layer layers[LAYERS];
    pm_crowd_range ranges[INSTANCES];
    uint32_t indices[INSTANCES];
    float poses[INSTANCES * JOINTS * 12];
    pm_crowd_target targets[TARGETS];
    size_t widths[TARGETS]; /* bytes of an instance's records */
    pm_crowd_job job;
} job_memory;

static void choose_instances(fuzz_input *input, job_memory *m) {
    bytes(input, m->instances, m->job.instance_count * sizeof *m->instances);
    for (size_t i = 0; i < m->job.instance_count; i++) {
        m->instances[i].clip_a %= CLIPS + 1;
        m->instances[i].clip_b %= CLIPS + 1;
        m->after[i] = m->instances[i];
        m->after[i].time_a = (int64_t)((uint64_t)m->after[i].time_a + ((uint64_t)i << 30));
    }
}

static void choose_layers(fuzz_input *input, job_memory *m) {
    m->job.layer_count = up_to(input, LAYERS);
    bytes(input, m->layers, m->job.layer_count * sizeof *m->layers);
    for (size_t i = 0; i < m->job.layer_count; i++) {
        m->layers[i].clip %= CLIPS + 1;
        m->layers[i].op %= 4;
    }
    for (size_t i = 0; i < m->job.instance_count; i++)
        m->ranges[i] = (pm_crowd_range){(uint32_t)up_to(input, LAYERS), (uint32_t)up_to(input, 9)};
    m->job.layers = m->layers;
    m->job.ranges = m->ranges;
}

static void choose_poses(fuzz_input *input, const subject *s, job_memory *m) {
    float *to = m->poses;
    for (size_t i = 0; i < m->job.instance_count * s->skeleton_desc.joint_count; i++, to += 12) {
        rotations(input, to, 1);
        numbers(input, to + 4, 8);
        to[7] = to[11] = 0;
    }
    m->job.instances = NULL;
    m->job.poses = m->poses;
}

static size_t record_count(const subject *s, const pm_crowd_target *target) {
    const size_t joints = target->subset && target->subset <= s->skeleton_desc.subset_count
                              ? s->subsets[target->subset - 1].joint_count
                              : s->skeleton_desc.joint_count;
    return target->output == PM_CROWD_BOUNDS ? 1 : joints;
}

static void choose_targets(fuzz_input *input, const subject *s, job_memory *m) {
    m->job.output_count = 1 + up_to(input, TARGETS - 1);
    m->job.outputs = m->targets;
    for (size_t i = 0; i < m->job.output_count; i++) {
        pm_crowd_target *t = &m->targets[i];
        *t =
            (pm_crowd_target){.output = (pm_crowd_output)(fuzz_byte(input) % PM_CROWD_OUTPUT_COUNT),
                              .subset = (uint32_t)up_to(input, SUBSETS)};
        m->widths[i] = record_count(s, t) * pm_crowd_record_bytes(t->output);
        t->stride = m->widths[i] + 4 * up_to(input, 3);
        t->memory = malloc(INSTANCES * t->stride);
        require(t->memory != NULL);
        memset(t->memory, POISON, INSTANCES * t->stride);
    }
}

static void choose_job(fuzz_input *input, const subject *s, job_memory *m) {
    const uint8_t has = fuzz_byte(input);
    m->job = (pm_crowd_job){.instances = m->instances,
                            .instance_count = 1 + up_to(input, INSTANCES - 1),
                            .frame = fuzz_byte(input),
                            .host_threads = 1};
    choose_targets(input, s, m);
    choose_instances(input, m);
    if (has & 1)
        choose_layers(input, m);
    else if (has & 2)
        choose_poses(input, s, m);
    if (has & 4) {
        m->job.indices = m->indices;
        m->job.index_count = up_to(input, INSTANCES);
        m->job.packed = has & 8;
        for (size_t i = 0; i < m->job.index_count; i++)
            m->indices[i] = (uint32_t)up_to(input, INSTANCES + 3);
    }
}

/* ---- results -------------------------------------------------------------------------------- */

static bool is_poison(const unsigned char *record, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (record[i] != POISON)
            return false;
    return true;
}

/* Half floats are compared with the bits of one instance alone. */
static void expect_finite(const pm_crowd_target *target, const unsigned char *record, size_t size) {
    for (size_t i = 0; target->output != PM_CROWD_PALETTE_HALF && i < size; i += sizeof(float)) {
        float value;
        memcpy(&value, record + i, sizeof value);
        require(isfinite(value));
    }
}

/* Records that are not updated keep what was there. */
static void expect_record(const subject *s, const job_memory *m, size_t target, size_t instance,
                          size_t record) {
    static unsigned char one[JOINTS * 48];
    const pm_crowd_target *t = &m->targets[target];
    const unsigned char *got = (const unsigned char *)t->memory + record * t->stride;
    const size_t size = m->widths[target], joints = s->skeleton_desc.joint_count;
    pm_crowd_one from = {.output = t->output, .subset = t->subset};
    pm_error error;
    require(is_poison(got + size, t->stride - size));
    if (instance >= m->job.instance_count || is_poison(got, size))
        return;
    expect_finite(t, got, size);
    if (m->job.poses) {
        from.pose = m->poses + instance * joints * 12;
    } else {
        from.instance = &m->instances[instance];
        const size_t first = m->ranges[instance].first, end = first + m->ranges[instance].count;
        if (m->job.layers && first < m->job.layer_count) {
            from.layers = m->layers + first;
            from.layer_count = (end < m->job.layer_count ? end : m->job.layer_count) - first;
        }
    }
    require(pm_crowd_pose_one(s->crowd, &from, one, &error) == PM_OK);
    require(memcmp(one, got, size) == 0);
}

static void expect_records(const subject *s, const job_memory *m) {
    const bool packed = m->job.packed && m->job.indices;
    for (size_t t = 0; t < m->job.output_count; t++)
        for (size_t r = 0; r < (packed ? m->job.index_count : m->job.instance_count); r++)
            expect_record(s, m, t, packed ? m->indices[r] : r, r);
}

/* Root motion, events and times of any instances. */
static void expect_motion(const subject *s, const job_memory *m) {
    static pm_root_motion motions[INSTANCES];
    static pm_crowd_event events[64];
    size_t count = 0;
    int64_t time = 0;
    pm_error error;
    const size_t n = m->job.instance_count;
    require(pm_crowd_root_motion(s->crowd, m->instances, m->after, n, motions, &error) == PM_OK);
    (void)pm_crowd_events(s->crowd, m->instances, m->after, n, events, 64, &count, &error);
    (void)pm_crowd_synced_time(s->crowd, m->instances[0].clip_a, m->instances[0].time_a,
                               m->instances[0].clip_b, &time, &error);
    (void)pm_crowd_check_instances(s->crowd, m->instances, n, &error);
    (void)pm_crowd_check_layers(s->crowd, m->layers, m->job.layer_count, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static pm_engine *engine;
    static subject s;
    static job_memory m;
    fuzz_input input = {data, size};
    pm_error error = {0};
    if (!engine)
        require(pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error) == PM_OK);
    s.input = &input;
    if (make(&s, engine)) {
        change(&s);
        choose_job(&input, &s, &m);
        const pm_status status = pm_crowd_pose(s.crowd, &m.job, &error);
        require(status == PM_OK || error.message[0] != '\0');
        if (status == PM_OK)
            expect_records(&s, &m);
        expect_motion(&s, &m);
        for (size_t t = 0; t < m.job.output_count; t++)
            free(m.targets[t].memory);
    }
    pm_crowd_destroy(&s.crowd);
    pm_skeleton_destroy(&s.skeleton);
    return 0;
}
