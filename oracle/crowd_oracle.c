/* SPDX-License-Identifier: MIT
 *
 * Poses of the crowd oracle: the rest pose of the skeleton, times in ticks, clips sampled by the
 * curve oracle, and the blend of two clips.
 */
#include "crowd_oracle_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *crowd_allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "crowd oracle: out of memory\n");
        abort();
    }
    return memory;
}

/* ---- the rest pose ----------------------------------------------------------------- */

double crowd_number(const pm_array *array, size_t row, size_t width, size_t column) {
    const size_t size = array->type == PM_FLOAT64 ? sizeof(double) : sizeof(float);
    const char *at =
        (const char *)array->data + row * (array->stride ? array->stride : width * size);
    return array->type == PM_FLOAT64 ? (double)(float)((const double *)(const void *)at)[column]
                                     : (double)((const float *)(const void *)at)[column];
}

static vec3 vector_or(const pm_array *array, size_t joint, double otherwise) {
    if (!array->data)
        return (vec3){otherwise, otherwise, otherwise};
    return (vec3){crowd_number(array, joint, 3, 0), crowd_number(array, joint, 3, 1),
                  crowd_number(array, joint, 3, 2)};
}

static joint_pose rest_pose(const pm_skeleton_desc *s, size_t joint) {
    joint_pose pose = {
        {0, 0, 0, 1}, vector_or(&s->positions, joint, 0.0), vector_or(&s->scales, joint, 1.0)};
    if (s->rotations.data) {
        const quat q = {
            crowd_number(&s->rotations, joint, 4, 0), crowd_number(&s->rotations, joint, 4, 1),
            crowd_number(&s->rotations, joint, 4, 2), crowd_number(&s->rotations, joint, 4, 3)};
        pose.rotation = quat_normalise(q);
    }
    return pose;
}

size_t *crowd_walk(const pm_skeleton_desc *skeleton) {
    const size_t count = skeleton->joint_count;
    size_t *walk = crowd_allocate(count, sizeof *walk), placed = 0;
    bool *done = crowd_allocate(count, sizeof *done);
    size_t *path = crowd_allocate(count, sizeof *path);
    for (size_t joint = 0; joint < count; joint++) {
        size_t depth = 0;
        for (int64_t up = (int64_t)joint; up >= 0 && !done[up]; up = skeleton->parents[up]) {
            done[up] = true;
            path[depth++] = (size_t)up;
        }
        while (depth > 0)
            walk[placed++] = path[--depth];
    }
    free(done);
    free(path);
    return walk;
}

/* ---- times ------------------------------------------------------------------------- */

int64_t crowd_wrap(int64_t period, int64_t time, int64_t *rounds) {
    int64_t since = time % period;
    *rounds = time / period;
    if (since < 0) {
        since += period;
        *rounds -= 1;
    }
    return since;
}

int64_t crowd_clamp(int64_t period, int64_t time) {
    return time < 0 ? 0 : time > period ? period : time;
}

/* From the first key of any joint to the last key of any joint. */
static void measure_clip(crowd_oracle *o, size_t clip) {
    const oracle *curves = o->curves[clip];
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (size_t joint = 0; joint < o->joint_count; joint++) {
        first = fmin(first, oracle_key_time(curves, joint, 0));
        last = fmax(last, oracle_key_time(curves, joint, oracle_key_count(curves, joint) - 1));
    }
    const double period = o->clips[clip].loop;
    o->first[clip] = first;
    o->ticks[clip] = llrint((period > 0.0 ? period : last - first) * PM_TICKS_PER_SECOND);
}

int64_t crowd_oracle_ticks(const crowd_oracle *o, size_t clip) {
    return o->ticks[clip];
}

/* ---- poses ------------------------------------------------------------------------- */

/* A time within one tick of a key is on that key. */
static oracle_cursor cursor_of_ticks(const oracle *curves, size_t joint, double time) {
    const double tick = 1.0 / PM_TICKS_PER_SECOND;
    oracle_cursor cursor = oracle_at_exact_time(curves, joint, time);
    if (oracle_key_count(curves, joint) > 1) {
        const double begin = oracle_key_time(curves, joint, cursor.segment);
        const double length = oracle_key_time(curves, joint, cursor.segment + 1) - begin;
        if (cursor.u * length <= tick)
            cursor.u = 0.0;
        else if ((1.0 - cursor.u) * length <= tick)
            cursor.u = 1.0;
    }
    return cursor;
}

joint_pose crowd_sample(const crowd_oracle *o, size_t clip, size_t joint, int64_t since) {
    joint_pose pose = o->rest[joint];
    if (clip >= o->clip_count)
        return pose;
    const oracle *curves = o->curves[clip];
    const double time = o->first[clip] + (double)since / PM_TICKS_PER_SECOND;
    const oracle_cursor cursor = cursor_of_ticks(curves, joint, time);
    pose.rotation = quat_normalise(oracle_rotation(curves, joint, cursor));
    if (o->clips[clip].positions.data && (!o->clips[clip].root_positions || joint == o->root))
        pose.position = oracle_position(curves, joint, cursor);
    if (o->clips[clip].scales.data)
        pose.scale = oracle_scale(curves, joint, cursor);
    return pose;
}

static joint_pose sample_at(const crowd_oracle *o, uint32_t clip, size_t joint, int64_t time,
                            bool clamps) {
    int64_t rounds, since = 0;
    if (clip < o->clip_count && o->ticks[clip] > 0) {
        since =
            clamps ? crowd_clamp(o->ticks[clip], time) : crowd_wrap(o->ticks[clip], time, &rounds);
    }
    return crowd_sample(o, clip, joint, since);
}

/* A weight clamped to [0, 1], times a mask's at a joint. */
static double masked(const crowd_oracle *o, double weight, size_t mask, size_t joint) {
    const pm_skeleton_desc *s = o->skeleton;
    if (isnan(weight) || weight <= 0.0)
        return 0.0;
    weight = weight > 1.0 ? 1.0 : weight;
    if (mask >= 1 && mask <= s->mask_count)
        weight *= (double)s->masks[(mask - 1) * o->joint_count + joint];
    return weight;
}

double crowd_weight(const crowd_oracle *o, const pm_crowd_instance *instance, size_t joint) {
    return instance->clip_b < o->clip_count
               ? masked(o, (double)instance->weight, instance->mask, joint)
               : 0.0;
}

/* The normalised linear mix of a and b, or of a and -b where -b is nearer. */
quat crowd_mix(quat a, quat b, double weight) {
    const double sign = quat_dot(a, b) < 0.0 ? -1.0 : 1.0;
    return quat_normalise(quat_add(quat_scale(a, 1.0 - weight), quat_scale(b, sign * weight)));
}

vec3 crowd_mix_vectors(vec3 a, vec3 b, double weight) {
    return vec3_add(vec3_scale(a, 1.0 - weight), vec3_scale(b, weight));
}

static joint_pose crossfaded(joint_pose a, joint_pose b, double weight) {
    return (joint_pose){crowd_mix(a.rotation, b.rotation, weight),
                        crowd_mix_vectors(a.position, b.position, weight),
                        crowd_mix_vectors(a.scale, b.scale, weight)};
}

/* An additional factor: 1 where b has no weight, b / rest where b has full weight. */
static double stretched(double a, double b, double rest, double weight) {
    return a * ((1.0 - weight) + weight * (b / rest));
}

static joint_pose added(joint_pose a, joint_pose b, joint_pose rest, double weight) {
    const quat one = {0, 0, 0, 1};
    const quat change = quat_multiply(quat_conjugate(rest.rotation), b.rotation);
    const vec3 shift = vec3_subtract(b.position, rest.position);
    return (joint_pose){quat_multiply(a.rotation, crowd_mix(one, change, weight)),
                        vec3_add(a.position, vec3_scale(shift, weight)),
                        {stretched(a.scale.x, b.scale.x, rest.scale.x, weight),
                         stretched(a.scale.y, b.scale.y, rest.scale.y, weight),
                         stretched(a.scale.z, b.scale.z, rest.scale.z, weight)}};
}

static bool is_animated(const crowd_oracle *o, const pm_crowd_instance *instance, size_t joint) {
    const pm_skeleton_desc *s = o->skeleton;
    if ((instance->flags & PM_CROWD_IN_PLACE) && joint == o->root)
        return false;
    if (!s->levels)
        return true;
    const size_t last = s->level_count - 1;
    const pm_level *level = &s->levels[instance->level < last ? instance->level : last];
    return !level->joints || level->joints[joint] != 0;
}

static joint_pose pose_of(const crowd_oracle *o, const pm_crowd_instance *n, size_t joint) {
    const joint_pose a =
        sample_at(o, n->clip_a, joint, n->time_a, (n->flags & PM_CROWD_CLAMP_A) != 0);
    const double weight = crowd_weight(o, n, joint);
    if (weight == 0.0)
        return a;
    const joint_pose b =
        sample_at(o, n->clip_b, joint, n->time_b, (n->flags & PM_CROWD_CLAMP_B) != 0);
    return n->flags & PM_CROWD_ADDITIVE ? added(a, b, o->rest[joint], weight)
                                        : crossfaded(a, b, weight);
}

/* ---- layers ------------------------------------------------------------------------ */

static bool has_effect(const crowd_oracle *o, const pm_crowd_layer *layer) {
    return layer->clip < o->clip_count && layer->op <= PM_LAYER_MEAN && layer->weight > 0.0f;
}

static joint_pose layer_sample(const crowd_oracle *o, const pm_crowd_layer *layer, size_t joint) {
    return sample_at(o, layer->clip, joint, layer->time, (layer->flags & PM_LAYER_CLAMP) != 0);
}

/* A group of means so far. */
typedef struct mean {
    quat first, rotation; /* sums, as the vectors are */
    vec3 position, scale;
    double weight;
} mean;

static void add_to_mean(mean *m, joint_pose sample, double weight) {
    if (weight == 0.0)
        return;
    m->first = m->weight > 0.0 ? m->first : sample.rotation;
    const double sign = quat_dot(m->first, sample.rotation) < 0.0 ? -1.0 : 1.0;
    m->rotation = quat_add(m->rotation, quat_scale(sample.rotation, sign * weight));
    m->position = vec3_add(m->position, vec3_scale(sample.position, weight));
    m->scale = vec3_add(m->scale, vec3_scale(sample.scale, weight));
    m->weight += weight;
}

static joint_pose with_mean(joint_pose pose, mean *m) {
    if (m->weight > 0.0) {
        const joint_pose value = {quat_normalise(m->rotation),
                                  vec3_scale(m->position, 1.0 / m->weight),
                                  vec3_scale(m->scale, 1.0 / m->weight)};
        pose = crossfaded(pose, value, fmin(m->weight, 1.0));
    }
    *m = (mean){.weight = 0.0};
    return pose;
}

static joint_pose with_layers(const crowd_oracle *o, joint_pose pose, const pm_crowd_layer *layers,
                              size_t count, size_t joint) {
    mean m = {.weight = 0.0};
    for (size_t i = 0; i < count && i < PM_CROWD_MAX_LAYERS; i++) {
        const pm_crowd_layer *layer = &layers[i];
        if (!has_effect(o, layer))
            continue;
        const joint_pose sample = layer_sample(o, layer, joint);
        const double weight = masked(o, (double)layer->weight, layer->mask, joint);
        if (layer->op == PM_LAYER_MEAN) {
            add_to_mean(&m, sample, weight);
            continue;
        }
        pose = with_mean(pose, &m);
        if (weight > 0.0)
            pose = layer->op == PM_LAYER_ADD ? added(pose, sample, o->rest[joint], weight)
                                             : crossfaded(pose, sample, weight);
    }
    return with_mean(pose, &m);
}

void crowd_oracle_layered_pose(const crowd_oracle *o, const pm_crowd_instance *instance,
                               const pm_crowd_layer *layers, size_t layer_count,
                               joint_pose *poses) {
    for (size_t joint = 0; joint < o->joint_count; joint++)
        poses[joint] = is_animated(o, instance, joint)
                           ? with_layers(o, pose_of(o, instance, joint), layers, layer_count, joint)
                           : o->rest[joint];
}

void crowd_oracle_pose(const crowd_oracle *o, const pm_crowd_instance *instance,
                       joint_pose *poses) {
    crowd_oracle_layered_pose(o, instance, NULL, 0, poses);
}

/* ---- create and destroy ------------------------------------------------------------ */

crowd_oracle *crowd_oracle_create(const pm_skeleton_desc *skeleton, const pm_clip_desc *clips,
                                  size_t clip_count, size_t root) {
    crowd_oracle *o = crowd_allocate(1, sizeof *o);
    *o = (crowd_oracle){.skeleton = skeleton,
                        .clips = clips,
                        .clip_count = clip_count,
                        .joint_count = skeleton->joint_count,
                        .root = root};
    o->rest = crowd_allocate(o->joint_count, sizeof *o->rest);
    for (size_t joint = 0; joint < o->joint_count; joint++)
        o->rest[joint] = rest_pose(skeleton, joint);
    o->binds[0] = crowd_binds(o, false);
    o->binds[1] = crowd_binds(o, true);
    o->curves = crowd_allocate(clip_count, sizeof(oracle *));
    o->ticks = crowd_allocate(clip_count, sizeof *o->ticks);
    o->first = crowd_allocate(clip_count, sizeof *o->first);
    for (size_t clip = 0; clip < clip_count; clip++) {
        o->curves[clip] = oracle_create(&clips[clip]);
        measure_clip(o, clip);
    }
    return o;
}

void crowd_oracle_destroy(crowd_oracle *o) {
    for (size_t clip = 0; o && clip < o->clip_count; clip++)
        oracle_destroy(o->curves[clip]);
    if (o) {
        free(o->rest);
        free(o->binds[0]);
        free(o->binds[1]);
        free(o->curves);
        free(o->ticks);
        free(o->first);
    }
    free(o);
}

/* x >= 0; x, x' and x'' are 0 at t1. */
static double quintic(double x, double r, double duration, double t) {
    const double t1 = r < 0 ? fmin(duration, -5 * x / r) : duration;
    if (t >= t1)
        return 0;
    const double a0 = fmax(0, (-8 * r * t1 - 20 * x) / (t1 * t1));
    const double t2 = t1 * t1, t3 = t2 * t1, t4 = t3 * t1, t5 = t4 * t1;
    const double a = -(a0 * t2 + 6 * r * t1 + 12 * x) / (2 * t5);
    const double b = (3 * a0 * t2 + 16 * r * t1 + 30 * x) / (2 * t4);
    const double c = -(3 * a0 * t2 + 12 * r * t1 + 20 * x) / (2 * t3);
    return ((((a * t + b) * t + c) * t + a0 / 2) * t + r) * t + x;
}

double oracle_decay(double x, double rate, double duration, double t) {
    const double sign = x < 0 || (x == 0 && rate < 0) ? -1 : 1;
    return t >= duration ? 0 : sign * quintic(sign * x, sign * rate, duration, t);
}
