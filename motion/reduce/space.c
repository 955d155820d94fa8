/* SPDX-License-Identifier: MIT
 *
 * Walks along all key times of two motions, with the poses of both at the ends of each interval.
 */
#include "motion/reduce/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/arena.h"
#include "motion/base/fault.h"
#include "motion/model/pose.h"

enum {
    HALVINGS = 14 /* of an interval */
};

static const double pi = 3.14159265358979324;

/* Rounding of a place, of the reach of its chain. */
static const double rounding = 1e-14;

/* ---- segments ------------------------------------------------------------------------------ */

/* A vector that changes linearly. */
typedef struct vector_line {
    double from[3], to[3], begin, seconds;
    double length, speed; /* the largest length; per second */
} vector_line;

/* A joint between two key times of its channels. */
typedef struct joint_segment {
    segment rotation;
    double spin[3];         /* of an arc: radians per second about the axes of the parent */
    vector_line vectors[2]; /* translation, scale */
    size_t next[3];         /* the key that ends the segment, by channel */
    double until[3];        /* its time; infinity after the last one */
    double slack;           /* as of certified_slack */
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
    const double moved[3] = {to->to[0] - to->from[0], to->to[1] - to->from[1],
                             to->to[2] - to->from[2]};
    to->length = larger(vector_length(to->from), vector_length(to->to));
    to->speed = to->seconds > 0 ? vector_length(moved) / to->seconds : 0;
}

/* 2 log(to conj(from)) per second. */
static void set_spin(joint_segment *s) {
    const arc *r = &s->rotation.arc;
    const double *a = r->from, *b = r->to;
    if (s->rotation.kind != SEGMENT_ARC)
        return;
    s->spin[0] = a[3] * b[0] - b[3] * a[0] - b[1] * a[2] + b[2] * a[1];
    s->spin[1] = a[3] * b[1] - b[3] * a[1] - b[2] * a[0] + b[0] * a[2];
    s->spin[2] = a[3] * b[2] - b[3] * a[2] - b[0] * a[1] + b[1] * a[0];
    const double sine = vector_length(s->spin);
    const double scale = sine > 0 && r->seconds > 0 ? 2 * r->angle / (sine * r->seconds) : 0;
    for (int i = 0; i < 3; i++)
        s->spin[i] *= scale;
}

static double time_of(const certified *c, size_t key) {
    return key < c->timeline->key_count ? evaluate_key_time(c->timeline, key) : (double)INFINITY;
}

static void set_part(joint_segment *s, const certified *c, int part) {
    s->until[part] = time_of(c, s->next[part]);
    if (part == 0) {
        s->rotation = certified_segment(*c, s->next[0]);
        s->slack = certified_slack(*c, s->next[0]);
        set_spin(s);
    } else {
        set_vector(c, s->next[part], &s->vectors[part - 1]);
    }
}

static void rest_vector(vector_line *to, const double value[3]) {
    *to = (vector_line){.length = vector_length(value)};
    memcpy(to->from, value, sizeof to->from);
    memcpy(to->to, value, sizeof to->to);
}

static void begin_segment(joint_segment *s, const pm_motion_node *node, const certified of[3]) {
    *s = (joint_segment){
        .rotation = {SEGMENT_ARC, .arc = arc_between(node->rotation, node->rotation, 0, 0)}};
    rest_vector(&s->vectors[0], node->position);
    rest_vector(&s->vectors[1], node->scale);
    for (int part = 0; part < 3; part++) {
        s->until[part] = (double)INFINITY;
        if (of[part].channel)
            set_part(s, &of[part], part);
    }
}

static void vector_at(const vector_line *v, double time, double out[3]) {
    const double u = v->seconds > 0 ? (time - v->begin) / v->seconds : 0;
    for (int i = 0; i < 3; i++)
        out[i] = v->from[i] + u * (v->to[i] - v->from[i]);
}

/* ---- poses --------------------------------------------------------------------------------- */

static void place(const joint_segment *s, const placed *parent, double time, placed *to,
                  space_local *local) {
    segment_value(&s->rotation, time, local->rotation);
    vector_at(&s->vectors[0], time, local->vectors[0]);
    vector_at(&s->vectors[1], time, local->vectors[1]);
    pose_place(local->rotation, local->vectors[0], local->vectors[1], parent, to);
}

/* ---- accelerations ------------------------------------------------------------------------- */

/* Bounds of a joint in an interval. */
typedef struct joint_speed {
    double rate;   /* of all rotations and scales up to this joint, per second */
    double change; /* of the rates, per second squared */
    turning own;   /* of this joint's rotation alone, as of quaternions */
    double growth; /* the product of the scales */
    double acceleration, reach;
    double rounding; /* radians of all rotations up to this joint */
    double slack;    /* likewise of `certified` */
    double drift;    /* how far these move this joint */
} joint_speed;

static double largest(const double v[3]) {
    return larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2])));
}

static joint_speed speed_of(const joint_segment *s, const joint_speed *parent, double begin,
                            double end) {
    const joint_speed root = {.growth = 1}, *above = parent ? parent : &root;
    const vector_line *t = &s->vectors[0], *scale = &s->vectors[1];
    const double grown[3] = {scale->to[0] - scale->from[0], scale->to[1] - scale->from[1],
                             scale->to[2] - scale->from[2]};
    const double far = t->length, moving = t->speed;
    const double size = larger(largest(scale->from), largest(scale->to));
    const turning turn = segment_turning(&s->rotation, begin, end);
    const double growing =
        scale->seconds > 0 && size > 0 ? largest(grown) / (scale->seconds * size) : 0;
    const double w = above->rate;
    const double pull = (w * w + above->change) * far + 2 * w * moving;
    return (joint_speed){.rate = w + 2 * turn.rate + growing,
                         .change = above->change + 2 * turn.change,
                         .own = turn,
                         .growth = above->growth * size,
                         .acceleration = above->acceleration + above->growth * pull,
                         .reach = above->reach + above->growth * far,
                         .rounding = above->rounding + 2 * segment_rounding(&s->rotation),
                         .slack = above->slack + s->slack,
                         .drift = above->drift + above->slack * above->growth * far};
}

/* Of two chains with the same nodes, at most: how far the rotations up to this joint are apart, as norms of the
 * differences of their matrices and of those' derivatives. */
typedef struct joint_gap {
    double turn, rate, change;
    double acceleration; /* of the difference of the places */
    bool is_known;       /* arcs, cubics, and scales that are constant */
} joint_gap;

static bool is_constant(const vector_line *a, const vector_line *b) {
    return a->speed == 0 && b->speed == 0 && memcmp(a->from, b->from, sizeof a->from) == 0;
}

static double lines_gap(const vector_line *a, const vector_line *b, double begin, double end) {
    double most = 0;
    if (is_constant(a, b))
        return 0;
    for (int i = 0; i < 2; i++) {
        double p[3], q[3];
        vector_at(a, i ? end : begin, p);
        vector_at(b, i ? end : begin, q);
        const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        most = larger(most, vector_length(d));
    }
    return most;
}

static double speeds_gap(const vector_line *a, const vector_line *b) {
    double d[3];
    if (is_constant(a, b))
        return 0;
    for (int i = 0; i < 3; i++)
        d[i] = (a->seconds > 0 ? (a->to[i] - a->from[i]) / a->seconds : 0) -
               (b->seconds > 0 ? (b->to[i] - b->from[i]) / b->seconds : 0);
    return vector_length(d);
}

static double scales_gap(const double a[3], const double b[3]) {
    const double size = larger(largest(a), largest(b));
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return size > 0 ? largest(d) / size : 0;
}

/* Whether the spin of a segment is known, which it then has at a time. */
static bool spin_at(const joint_segment *s, double time, double spin[3]) {
    if (s->rotation.kind == SEGMENT_ARC)
        memcpy(spin, s->spin, sizeof s->spin);
    else if (s->rotation.kind == SEGMENT_CUBIC)
        cubic_spin(&s->rotation.cubic, time, spin);
    return s->rotation.kind != SEGMENT_CURVE;
}

/* The largest speed of a segment whose spin at the middle is known. */
static double rate_of(const joint_segment *s, const joint_speed *speed, const double spin[3]) {
    return s->rotation.kind == SEGMENT_ARC ? vector_length(spin) : 2 * speed->own.rate;
}

/* Of one joint on both sides, whose speeds are `speeds`; from the larger speed and growth of both sides above. With A
 * and B the rotations of a joint, times scales of up to 1, w their largest speed, c how fast both spins change, s the
 * difference of the spins and e that of A and B: A' - B' is at most s + w e, and A'' - B'' at most (a + b) s + w^2 e +
 * c. A chain P of products has P'' of at most the squared sum of its speeds and the sum of its changes; what differences
 * add up to follows by the rule of products. `turned`: radians between A and B at the ends, which grow by s per
 * second. */
static joint_gap gap_of(const joint_segment *const sides[2], const joint_speed *const speeds[2],
                        const joint_gap *above, const joint_speed *speed, double turned,
                        double begin, double end) {
    const joint_segment *a = sides[0], *b = sides[1];
    const vector_line *scales[2] = {&a->vectors[1], &b->vectors[1]};
    const double middle = begin + (end - begin) / 2, half = (end - begin) / 2;
    double spins[2][3];
    if (!above->is_known || !spin_at(a, middle, spins[0]) || !spin_at(b, middle, spins[1]) ||
        scales[0]->speed > 0 || scales[1]->speed > 0)
        return (joint_gap){.is_known = false};
    const double d[3] = {spins[0][0] - spins[1][0], spins[0][1] - spins[1][1],
                         spins[0][2] - spins[1][2]};
    const double a_rate = rate_of(a, speeds[0], spins[0]), b_rate = rate_of(b, speeds[1], spins[1]);
    const double c = 2 * (speeds[0]->own.change + speeds[1]->own.change);
    const double w = a_rate > b_rate ? a_rate : b_rate, all = speed->rate;
    const double s = vector_length(d) + c * half + 1e-13 * w;
    const double e = turned + s * half + scales_gap(scales[0]->from, scales[1]->from);
    const double first = s + w * e, second = (a_rate + b_rate) * s + w * w * e + c;
    const double bent = all * all + speed->change;
    const vector_line *of_a = &a->vectors[0], *of_b = &b->vectors[0];
    const double far = larger(of_a->length, of_b->length),
                 moving = larger(of_a->speed, of_b->speed);
    const double bend = above->change * far + bent * lines_gap(of_a, of_b, begin, end) +
                        2 * above->rate * moving + 2 * all * speeds_gap(of_a, of_b);
    return (joint_gap){.turn = above->turn + e,
                       .rate = above->rate + above->turn * w + all * e + first,
                       .change = above->change + above->turn * (w * w + c) +
                                 2 * (above->rate * w + all * first) + bent * e + second,
                       .acceleration = above->acceleration + speed->growth * bend,
                       .is_known = true};
}

/* ---- the walk ------------------------------------------------------------------------------ */

struct space_walk {
    const space_request *request;
    space_result *result;
    size_t counts[2];   /* of nodes */
    bool has_cubics[2]; /* whose speeds change within an interval */
    bool has_steps;     /* then poses before and after a key differ */
    uint32_t *orders[2];
    joint_segment *segments[2];
    joint_speed *speeds[2];
    joint_gap *gaps; /* of each node. NULL: the sides have others */
    space_pose
        poses[HALVINGS + 3]; /* of the ends of an interval, and of the middles of its parts */
    motion_arena arena;
};

static const certified *channels_of(const space_walk *w, int side, size_t node) {
    return w->request->sides[side].channels[node];
}

static const pm_motion_node *node_of(const space_walk *w, int side, size_t node) {
    return &w->request->sides[side].content->nodes[node];
}

static const reach_points *points_of(const space_walk *w, int side, size_t pair) {
    static const reach_points none;
    return w->request->points[side] ? &w->request->points[side][pair] : &none;
}

static void pose_at(const space_walk *w, double time, const space_pose *to) {
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < w->counts[side]; i++) {
            const size_t n = w->orders[side][i];
            const int32_t parent = node_of(w, side, n)->parent;
            place(&w->segments[side][n], parent >= 0 ? &to->of[side][parent] : NULL, time,
                  &to->of[side][n], &to->local[side][n]);
        }
    for (size_t i = 0; w->gaps && i < w->counts[0]; i++) {
        const size_t n = w->orders[0][i];
        const double *a = to->local[0][n].rotation, *b = to->local[1][n].rotation;
        const double chord = arc_chord_at_most(a, b, arc_sign(a, b));
        to->turned[n] = chord < 1 ? 2.1 * chord : pi; /* 4 asin(chord / 2) */
    }
    for (size_t p = 0; p < w->request->pair_count; p++) {
        const size_t *nodes = w->request->pairs[p];
        to->apart[p] = reach_apart(points_of(w, 0, p), &to->of[0][nodes[0]], points_of(w, 1, p),
                                   &to->of[1][nodes[1]]);
    }
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
    const joint_gap *gap = w->gaps ? &w->gaps[w->request->pairs[pair][0]] : NULL;
    if (gap && gap->is_known) {
        const size_t node = w->request->pairs[pair][0];
        const double growth = larger(w->speeds[0][node].growth, w->speeds[1][node].growth);
        const double close =
            gap->acceleration + growth * gap->change * points_of(w, 0, pair)->radius;
        sum = close < sum ? close : sum;
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
static bool decide(const space_walk *w, double begin, double end, const space_pose *from,
                   const space_pose *to, bool is_last) {
    bool all = true;
    for (size_t p = 0; p < w->request->pair_count; p++) {
        const double at_begin = from->apart[p], at_end = to->apart[p];
        const double found = at_begin > at_end ? at_begin : at_end;
        const double bound = found + excess(w, p, end - begin);
        const double time = at_begin > at_end ? begin : end;
        note(w, p, found, time);
        if (is_decided(w, p, time, found + excess(w, p, 0), bound, is_last))
            w->result->bound = larger(w->result->bound, bound);
        else
            all = false;
    }
    return all;
}

static void measure_gaps(const space_walk *w, double begin, double end, const space_pose *from,
                         const space_pose *to) {
    const joint_gap root = {.is_known = true};
    const joint_speed still = {.growth = 1};
    for (size_t i = 0; w->gaps && i < w->counts[0]; i++) {
        const size_t n = w->orders[0][i];
        const int32_t parent = node_of(w, 0, n)->parent;
        joint_speed above = still;
        if (parent >= 0) {
            const joint_speed *a = &w->speeds[0][parent], *b = &w->speeds[1][parent];
            above.rate = larger(a->rate, b->rate);
            above.change = larger(a->change, b->change);
            above.growth = larger(a->growth, b->growth);
        }
        const joint_segment *const sides[2] = {&w->segments[0][n], &w->segments[1][n]};
        const joint_speed *const speeds[2] = {&w->speeds[0][n], &w->speeds[1][n]};
        w->gaps[n] = gap_of(sides, speeds, parent >= 0 ? &w->gaps[parent] : &root, &above,
                            larger(from->turned[n], to->turned[n]), begin, end);
    }
}

static void measure_speeds(const space_walk *w, int side, double begin, double end) {
    for (size_t i = 0; i < w->counts[side]; i++) {
        const size_t n = w->orders[side][i];
        const int32_t parent = node_of(w, side, n)->parent;
        w->speeds[side][n] = speed_of(&w->segments[side][n],
                                      parent >= 0 ? &w->speeds[side][parent] : NULL, begin, end);
    }
}

static void cover(const space_walk *w, double begin, double end, const space_pose *from,
                  const space_pose *to, int depth) {
    const double middle = (begin + end) / 2;
    const bool is_last = depth == HALVINGS || !(begin < middle && middle < end);
    for (int side = 0; side < 2; side++)
        if (depth == 0 || w->has_cubics[side])
            measure_speeds(w, side, begin, end);
    if (depth == 0 || w->has_cubics[0] || w->has_cubics[1])
        measure_gaps(w, begin, end, from, to);
    if (decide(w, begin, end, from, to, is_last) || is_last)
        return;
    const space_pose *between = &w->poses[depth + 2];
    pose_at(w, middle, between);
    cover(w, begin, middle, from, between, depth + 1);
    cover(w, middle, end, between, to, depth + 1);
}

/* The next key time of any channel after all that were passed; infinity at the end. */
static double next_time(const space_walk *w) {
    double time = (double)INFINITY;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < w->counts[side]; i++) {
            const joint_segment *s = &w->segments[side][w->orders[side][i]];
            for (int part = 0; part < 3; part++)
                time = s->until[part] < time ? s->until[part] : time;
        }
    return time;
}

/* Goes to a time, mostly past a key. */
static void go(const space_walk *w, double time) {
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < w->counts[side]; i++) {
            const size_t n = w->orders[side][i];
            joint_segment *s = &w->segments[side][n];
            for (int part = 0; part < 3; part++) {
                const certified *c = &channels_of(w, side, n)[part];
                const size_t from = s->next[part];
                if (!c->channel)
                    continue;
                while (time_of(c, s->next[part]) <= time)
                    s->next[part]++;
                while (s->next[part] > 0 && time_of(c, s->next[part] - 1) > time)
                    s->next[part]--;
                if (s->next[part] != from)
                    set_part(s, c, part);
            }
        }
}

static void walk_between(const space_walk *w, double begin, double last) {
    const space_pose *from = &w->poses[0], *to = &w->poses[1];
    double end = fmin(next_time(w), last);
    pose_at(w, begin, from);
    while (begin < last && end < (double)INFINITY &&
           !(w->request->is_brief && w->result->bound > w->request->limit) &&
           !reduce_is_cancelled(w->request->cancel)) {
        pose_at(w, end, to);
        cover(w, begin, end, from, to, 0);
        go(w, end);
        const space_pose *passed = from;
        from = to;
        to = passed;
        begin = end;
        if (w->has_steps)
            pose_at(w, begin, from);
        end = fmin(next_time(w), last);
    }
    if (last < (double)INFINITY)
        return;
    for (int side = 0; side < 2; side++)
        measure_speeds(w, side, begin, begin);
    measure_gaps(w, begin, begin, from, from);
    decide(w, begin, begin, from, from, true);
}

static void walk_all(const space_walk *w) {
    const double begin = next_time(w);
    if (!(begin < (double)INFINITY))
        return;
    go(w, begin);
    walk_between(w, begin, (double)INFINITY);
}

static void walk_spans(const space_walk *w) {
    const space_request *r = w->request;
    for (size_t i = 0; i < r->span_count; i++) {
        go(w, r->spans[i][0]);
        walk_between(w, r->spans[i][0], r->spans[i][1]);
    }
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
            w->poses[i].of[side] = motion_allocate(&w->arena, count, sizeof *w->poses[i].of[0]);
            w->poses[i].local[side] =
                motion_allocate(&w->arena, count, sizeof *w->poses[i].local[0]);
            good = good && w->poses[i].of[side] && w->poses[i].local[side];
        }
    }
    for (size_t i = 0; i < HALVINGS + 3; i++) {
        w->poses[i].apart = motion_allocate(&w->arena, w->request->pair_count, sizeof(double));
        w->poses[i].turned = motion_allocate(&w->arena, w->counts[0], sizeof(double));
        good = good && w->poses[i].apart && w->poses[i].turned;
    }
    if (w->request->sides[0].content == w->request->sides[1].content &&
        w->request->points[0] == w->request->points[1]) {
        w->gaps = motion_allocate(&w->arena, w->counts[0], sizeof *w->gaps);
        good = good && w->gaps;
    }
    return good;
}

static bool begin_walk(space_walk *w) {
    const bool good = allocate(w);
    for (int side = 0; good && side < 2; side++)
        for (size_t n = 0; n < w->counts[side]; n++) {
            const certified *of = channels_of(w, side, n);
            begin_segment(&w->segments[side][n], node_of(w, side, n), of);
            for (int part = 0; part < 3; part++)
                w->has_steps |=
                    of[part].channel && of[part].channel->interpolation == PM_MOTION_STEP;
            w->has_cubics[side] |= w->segments[side][n].rotation.kind == SEGMENT_CUBIC;
        }
    return good;
}

pm_status space_certify(const space_request *request, space_result *result, pm_error *error) {
    space_walk w = {.request = request, .result = result};
    *result = (space_result){.time = 0};
    const bool good = begin_walk(&w);
    if (good && request->spans)
        walk_spans(&w);
    else if (good)
        walk_all(&w);
    motion_arena_release(&w.arena);
    return good ? PM_OK : motion_refuse_memory(error);
}

pm_status space_begin(const space_request *request, space_walk **walk, pm_error *error) {
    *walk = calloc(1, sizeof **walk);
    MOTION_TRY_MEMORY(*walk, error);
    (*walk)->request = request;
    MOTION_TRY_MEMORY(begin_walk(*walk), error);
    return PM_OK;
}

const space_pose *space_pose_at(space_walk *walk, double time) {
    go(walk, time);
    pose_at(walk, time, &walk->poses[0]);
    return &walk->poses[0];
}

void space_end(space_walk *walk) {
    if (walk)
        motion_arena_release(&walk->arena);
    free(walk);
}
