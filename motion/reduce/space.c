/* SPDX-License-Identifier: MIT
 *
 * Walks along all key times of two motions, with the poses of both at the ends of each interval.
 */
#include "motion/reduce/reduction.h"

#include <math.h>
#include <string.h>

#include "motion/base/arena.h"
#include "motion/base/fault.h"
#include "motion/model/pose.h"

enum {
    HALVINGS = 14 /* of an interval */
};

/* Rounding of a place, of the reach of its chain. */
static const double rounding = 1e-14;

/* ---- segments ------------------------------------------------------------------------------ */

/* A vector that changes linearly. */
typedef struct vector_line {
    double from[3], to[3], begin, seconds;
} vector_line;

/* A joint between two key times of its channels. */
typedef struct joint_segment {
    segment rotation;
    vector_line vectors[2]; /* translation, scale */
    size_t next[3];         /* the key that ends the segment, by channel */
    double slack;           /* as of `certified` */
} joint_segment;

static void set_vector(const certified *c, size_t next, vector_line *to) {
    const size_t last = c->timeline->key_count - 1;
    const bool is_inside = next > 0 && next <= last;
    const size_t from = is_inside ? next - 1 : next == 0 ? 0 : last;
    const bool moves = is_inside && c->channel->interpolation != PM_MOTION_STEP;
    to->begin = evaluate_key_time(c->timeline, from);
    to->seconds = moves ? evaluate_key_time(c->timeline, next) - to->begin : 0;
    for (uint32_t i = 0; i < 3; i++) {
        to->from[i] = evaluate_number(&c->channel->keys, 3, from, i);
        to->to[i] = moves ? evaluate_number(&c->channel->keys, 3, next, i) : to->from[i];
    }
}

static void set_part(joint_segment *s, const certified *c, int part) {
    if (part == 0)
        s->rotation = certified_segment(*c, s->next[0]);
    else
        set_vector(c, s->next[part], &s->vectors[part - 1]);
}

static void rest_vector(vector_line *to, const double value[3]) {
    *to = (vector_line){.seconds = 0};
    memcpy(to->from, value, sizeof to->from);
    memcpy(to->to, value, sizeof to->to);
}

static void begin_segment(joint_segment *s, const pm_motion_node *node, const certified of[3]) {
    *s = (joint_segment){
        .rotation = {SEGMENT_ARC, .arc = arc_between(node->rotation, node->rotation, 0, 0)},
        .slack = of[0].slack};
    rest_vector(&s->vectors[0], node->position);
    rest_vector(&s->vectors[1], node->scale);
    for (int part = 0; part < 3; part++)
        if (of[part].channel)
            set_part(s, &of[part], part);
}

static void vector_at(const vector_line *v, double time, double out[3]) {
    const double u = v->seconds > 0 ? (time - v->begin) / v->seconds : 0;
    for (int i = 0; i < 3; i++)
        out[i] = v->from[i] + u * (v->to[i] - v->from[i]);
}

/* ---- poses --------------------------------------------------------------------------------- */

static void place(const joint_segment *s, const placed *parent, double time, placed *to) {
    double q[4], translation[3], scale[3];
    segment_value(&s->rotation, time, q);
    vector_at(&s->vectors[0], time, translation);
    vector_at(&s->vectors[1], time, scale);
    pose_place(q, translation, scale, parent, to);
}

/* ---- accelerations ------------------------------------------------------------------------- */

/* Bounds of a joint in an interval. */
typedef struct joint_speed {
    double rate;   /* of all rotations and scales up to this joint, per second */
    double change; /* of the rates, per second squared */
    double growth; /* the product of the scales */
    double acceleration, reach;
    double rounding; /* radians of all rotations up to this joint */
    double slack;    /* likewise of `certified` */
    double drift;    /* how far these move this joint */
} joint_speed;

static double largest(const double v[3]) {
    return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
}

static joint_speed speed_of(const joint_segment *s, const joint_speed *parent, double begin,
                            double end) {
    const joint_speed root = {.growth = 1}, *above = parent ? parent : &root;
    const vector_line *t = &s->vectors[0], *scale = &s->vectors[1];
    const double moved[3] = {t->to[0] - t->from[0], t->to[1] - t->from[1], t->to[2] - t->from[2]};
    const double grown[3] = {scale->to[0] - scale->from[0], scale->to[1] - scale->from[1],
                             scale->to[2] - scale->from[2]};
    const double far = fmax(vector_length(t->from), vector_length(t->to));
    const double size = fmax(largest(scale->from), largest(scale->to));
    const turning turn = segment_turning(&s->rotation, begin, end);
    const double moving = t->seconds > 0 ? vector_length(moved) / t->seconds : 0;
    const double growing =
        scale->seconds > 0 && size > 0 ? largest(grown) / (scale->seconds * size) : 0;
    const double w = above->rate;
    const double pull = (w * w + above->change) * far + 2 * w * moving;
    return (joint_speed){.rate = w + 2 * turn.rate + growing,
                         .change = above->change + 2 * turn.change,
                         .growth = above->growth * size,
                         .acceleration = above->acceleration + above->growth * pull,
                         .reach = above->reach + above->growth * far,
                         .rounding = above->rounding + 2 * segment_rounding(&s->rotation),
                         .slack = above->slack + s->slack,
                         .drift = above->drift + above->slack * above->growth * far};
}

/* ---- the walk ------------------------------------------------------------------------------ */

typedef struct space_walk {
    const space_request *request;
    space_result *result;
    size_t counts[2]; /* of nodes */
    bool has_cubics;  /* whose speeds change within an interval */
    uint32_t *orders[2];
    joint_segment *segments[2];
    joint_speed *speeds[2];
    placed
        *poses[HALVINGS + 3][2]; /* of the ends of an interval, and of the middles of its parts */
    motion_arena arena;
} space_walk;

static const certified *channels_of(const space_walk *w, int side, size_t node) {
    return w->request->sides[side].channels[node];
}

static const pm_motion_node *node_of(const space_walk *w, int side, size_t node) {
    return &w->request->sides[side].content->nodes[node];
}

static void pose_at(const space_walk *w, double time, placed *const poses[2]) {
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < w->counts[side]; i++) {
            const size_t n = w->orders[side][i];
            const int32_t parent = node_of(w, side, n)->parent;
            place(&w->segments[side][n], parent >= 0 ? &poses[side][parent] : NULL, time,
                  &poses[side][n]);
        }
}

static const reach_points *points_of(const space_walk *w, int side, size_t pair) {
    static const reach_points none;
    return w->request->points[side] ? &w->request->points[side][pair] : &none;
}

/* The largest distance of a joint and its points. */
static double apart(const space_walk *w, placed *const poses[2], size_t pair) {
    const size_t *nodes = w->request->pairs[pair];
    return reach_apart(points_of(w, 0, pair), &poses[0][nodes[0]], points_of(w, 1, pair),
                       &poses[1][nodes[1]]);
}

/* How far the bound of an interval is above what was found at its ends. What is rounded counts twice: the
 * exact curve is that far from what is computed at the ends, and again between them. */
static double excess(const space_walk *w, size_t pair, double seconds) {
    double sum = 0, reach = 0, rounded = 0;
    for (int side = 0; side < 2; side++) {
        const joint_speed *s = &w->speeds[side][w->request->pairs[pair][side]];
        const double at = points_of(w, side, pair)->radius;
        const double far = s->reach + s->growth * at;
        sum += s->acceleration + s->growth * (s->rate * s->rate + s->change) * at;
        reach += far;
        rounded += 2 * s->rounding * far + s->drift + s->slack * s->growth * at;
    }
    const double bend = seconds > 0 ? sum * seconds * seconds / 8 : 0;
    /* Where a cubic may pass through 0 its rates are infinite, and NaN times a length of 0: then no
     * distance exceeds the reach of both sides. */
    return (isfinite(bend) ? bend : reach) + rounding * reach + rounded;
}

static void note(const space_walk *w, size_t pair, double found, double time) {
    if (found <= w->result->found)
        return;
    w->result->found = found;
    w->result->time = time;
    w->result->pair = pair;
}

/* Whether a pair needs no closer look in an interval; a limit that is exceeded is reported. */
static bool is_decided(const space_walk *w, size_t pair, double time, double found, double bound,
                       bool is_last) {
    const space_request *r = w->request;
    if (r->resolution > 0)
        return is_last || bound <= w->result->found + r->resolution;
    if (bound <= r->limit)
        return true;
    if (found <= r->limit && !is_last)
        return false;
    if (r->exceeds)
        r->exceeds(r->user, pair, time, bound);
    return true;
}

/* Whether all pairs are decided in an interval whose ends are known. */
static bool decide(const space_walk *w, double begin, double end, placed *const from[2],
                   placed *const to[2], bool is_last) {
    bool all = true;
    for (size_t p = 0; p < w->request->pair_count; p++) {
        const double at_begin = apart(w, from, p), at_end = apart(w, to, p);
        const double found = fmax(at_begin, at_end);
        const double bound = found + excess(w, p, end - begin);
        const double time = at_begin > at_end ? begin : end;
        note(w, p, found, time);
        if (is_decided(w, p, time, found + excess(w, p, 0), bound, is_last))
            w->result->bound = fmax(w->result->bound, bound);
        else
            all = false;
    }
    return all;
}

static void measure_speeds(const space_walk *w, double begin, double end) {
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < w->counts[side]; i++) {
            const size_t n = w->orders[side][i];
            const int32_t parent = node_of(w, side, n)->parent;
            w->speeds[side][n] = speed_of(
                &w->segments[side][n], parent >= 0 ? &w->speeds[side][parent] : NULL, begin, end);
        }
}

static void cover(const space_walk *w, double begin, double end, placed *const from[2],
                  placed *const to[2], int depth) {
    const double middle = (begin + end) / 2;
    const bool is_last = depth == HALVINGS || !(begin < middle && middle < end);
    if (depth == 0 || w->has_cubics)
        measure_speeds(w, begin, end);
    if (decide(w, begin, end, from, to, is_last) || is_last)
        return;
    placed *const *pose = w->poses[depth + 2];
    pose_at(w, middle, pose);
    cover(w, begin, middle, from, pose, depth + 1);
    cover(w, middle, end, pose, to, depth + 1);
}

/* The next key time of any channel after all that were passed; infinity at the end. */
static double next_time(const space_walk *w) {
    double time = (double)INFINITY;
    for (int side = 0; side < 2; side++)
        for (size_t n = 0; n < w->counts[side]; n++)
            for (int part = 0; part < 3; part++) {
                const certified *c = &channels_of(w, side, n)[part];
                const size_t next = w->segments[side][n].next[part];
                if (c->channel && next < c->timeline->key_count)
                    time = fmin(time, evaluate_key_time(c->timeline, next));
            }
    return time;
}

/* Goes past a key time. */
static void pass(const space_walk *w, double time) {
    for (int side = 0; side < 2; side++)
        for (size_t n = 0; n < w->counts[side]; n++)
            for (int part = 0; part < 3; part++) {
                const certified *c = &channels_of(w, side, n)[part];
                joint_segment *s = &w->segments[side][n];
                if (!c->channel || s->next[part] >= c->timeline->key_count ||
                    evaluate_key_time(c->timeline, s->next[part]) > time)
                    continue;
                s->next[part]++;
                set_part(s, c, part);
            }
}

static void walk_all(const space_walk *w) {
    double begin = next_time(w);
    if (!(begin < (double)INFINITY))
        return;
    pass(w, begin);
    double end = next_time(w);
    while (end < (double)INFINITY) {
        pose_at(w, begin, w->poses[0]);
        pose_at(w, end, w->poses[1]);
        cover(w, begin, end, w->poses[0], w->poses[1], 0);
        pass(w, end);
        begin = end;
        end = next_time(w);
    }
    measure_speeds(w, begin, begin);
    pose_at(w, begin, w->poses[0]);
    decide(w, begin, begin, w->poses[0], w->poses[0], true);
}

/* ---- all ----------------------------------------------------------------------------------- */

static bool allocate(space_walk *w) {
    bool good = true;
    for (int side = 0; side < 2; side++) {
        const pm_motion_content *content = w->request->sides[side].content;
        const size_t count = w->counts[side] = content->node_count;
        w->orders[side] = motion_allocate(&w->arena, count, sizeof *w->orders[side]);
        w->segments[side] = motion_allocate(&w->arena, count, sizeof *w->segments[side]);
        w->speeds[side] = motion_allocate(&w->arena, count, sizeof *w->speeds[side]);
        good = good && w->orders[side] && w->segments[side] && w->speeds[side] &&
               pose_order(content, w->orders[side]);
        for (size_t i = 0; i < HALVINGS + 3; i++) {
            w->poses[i][side] = motion_allocate(&w->arena, count, sizeof *w->poses[i][side]);
            good = good && w->poses[i][side];
        }
    }
    return good;
}

pm_status space_certify(const space_request *request, space_result *result, pm_error *error) {
    space_walk w = {.request = request, .result = result};
    *result = (space_result){.time = 0};
    const bool good = allocate(&w);
    for (int side = 0; good && side < 2; side++)
        for (size_t n = 0; n < w.counts[side]; n++) {
            begin_segment(&w.segments[side][n], node_of(&w, side, n), channels_of(&w, side, n));
            w.has_cubics |= w.segments[side][n].rotation.kind == SEGMENT_CUBIC;
        }
    if (good)
        walk_all(&w);
    motion_arena_release(&w.arena);
    return good ? PM_OK : motion_refuse_memory(error);
}
