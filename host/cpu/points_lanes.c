/* SPDX-License-Identifier: MIT
 *
 * Points that trajectories move. The curves are sampled in lanes of points, positions from the nearest key before, so
 * that float32 rounds the way from the key alone; all else is in double, in loops that compilers vectorise. Compiled
 * once for each instruction set.
 */
#include "lanes.h"

#include "kernels/pm_methods.h"
#include "kernels/pm_motion.h"
#include "kernels/pm_screw.h"
#include "points.h"

extern const pm_points_function PM_SET_NAME(pm_points);

/* Poses of a frame, or of one that does not move, and their velocities. */
typedef struct poses {
    pm_point_numbers q[4], t[3], v[3], w[3];
} poses;

/* ---- vectors and rotations ---------------------------------------------------------------------------- */

/* Turns vectors by quaternions of any length. `sign` is -1 for the inverse. */
static inline void turn(pm_point_numbers *q, double sign, size_t count, pm_point_numbers *v) {
    for (size_t i = 0; i < count; i++) {
        const double x = sign * q[0][i], y = sign * q[1][i], z = sign * q[2][i], w = q[3][i];
        const double twice = 2 / (x * x + y * y + z * z + w * w);
        const double a = y * v[2][i] - z * v[1][i], b = z * v[0][i] - x * v[2][i],
                     c = x * v[1][i] - y * v[0][i];
        v[0][i] += twice * (w * a + y * c - z * b);
        v[1][i] += twice * (w * b + z * a - x * c);
        v[2][i] += twice * (w * c + x * b - y * a);
    }
}

/* q = a q, or conj(a) q */
static inline void turn_quaternions(pm_point_numbers *a, double sign, size_t count,
                                    pm_point_numbers *q) {
    for (size_t i = 0; i < count; i++) {
        const double x = sign * a[0][i], y = sign * a[1][i], z = sign * a[2][i], w = a[3][i];
        const double qx = q[0][i], qy = q[1][i], qz = q[2][i], qw = q[3][i];
        q[0][i] = w * qx + x * qw + y * qz - z * qy;
        q[1][i] = w * qy + y * qw + z * qx - x * qz;
        q[2][i] = w * qz + z * qw + x * qy - y * qx;
        q[3][i] = w * qw - x * qx - y * qy - z * qz;
    }
}

static inline void add(pm_point_numbers *t, double sign, size_t count, pm_point_numbers *v) {
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < count; i++)
            v[c][i] += sign * t[c][i];
}

static inline void move(poses *by, bool inverse, bool turns_only, size_t count,
                        pm_point_numbers *v) {
    if (inverse && !turns_only)
        add(by->t, -1, count, v);
    turn(by->q, inverse ? -1 : 1, count, v);
    if (!inverse && !turns_only)
        add(by->t, 1, count, v);
}

/* v = t.v + t.w x (R p) + R v, w = t.w + R w; before p is moved. */
static inline void add_velocities(poses *by, size_t count, pm_points_block *b) {
    pm_point_numbers arm[3];
    memcpy(arm, b->p, sizeof arm);
    turn(by->q, 1, count, arm);
    turn(by->q, 1, count, b->v);
    turn(by->q, 1, count, b->w);
    for (size_t c = 0; c < 3; c++) {
        const size_t d = (c + 1) % 3, e = (c + 2) % 3;
        for (size_t i = 0; i < count; i++) {
            b->v[c][i] += by->v[c][i] + by->w[d][i] * arm[e][i] - by->w[e][i] * arm[d][i];
            b->w[c][i] += by->w[c][i];
        }
    }
}

static void apply(const pm_points_request *r, poses *by, bool moves, pm_points_block *b) {
    const bool inverse = r->job->inverse;
    if (r->job->points.data)
        move(by, inverse, r->job->directions, b->count, b->x);
    if (!r->needs_pose)
        return;
    if (moves)
        add_velocities(by, b->count, b);
    move(by, inverse, false, b->count, b->p);
    turn_quaternions(by->q, inverse ? -1 : 1, b->count, b->q);
}

/* ---- poses of frames ----------------------------------------------------------------------------------- */

static const double no_turn[4] = {0, 0, 0, 1};

static void spread(const double *from, size_t components, pm_point_numbers *to) {
    for (size_t c = 0; c < components; c++)
        for (size_t i = 0; i < PM_POINTS_BLOCK; i++)
            to[c][i] = from[c];
}

static const pm_track_layout *layout_of(const pm_channel *channel, size_t track) {
    return &channel->layout[track];
}

/* Places of the points in lanes from `first` on. Lanes behind the last point repeat it. */
static inline void set_side(const pm_trajectory *t, const pm_points_block *b, unsigned f,
                            size_t first, pm_lane_side *to) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const pm_channel *channel = &t->clip->channels[c];
        for (size_t i = 0; i < PM_LANES && channel->present; i++) {
            const size_t k = first + i < b->count ? first + i : b->count - 1;
            const pm_track_layout *at = layout_of(channel, b->tracks[f][k]);
            const size_t segment = b->places[f].segments[k];
            to->key[c][i] = at->first + segment * at->row;
            to->next[c][i] = to->key[c][i] + at->row;
            to->plane[c][i] = at->plane;
            to->spacing[i] = PM_SPACING_FLOATS * (at->rates + segment);
            to->rates[i] = t->clip->rates[at->rates + segment];
        }
    }
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t k = first + i < b->count ? first + i : b->count - 1;
        to->constants[i] = 4 * (size_t)b->tracks[f][k];
        to->constant_plane[i] = 4 * t->clip->padded_tracks;
    }
}

static inline void set_u(const pm_points_block *b, unsigned f, size_t first, pm_lane_side *to) {
    const float *u = &b->places[f].u[first];
    for (size_t i = 0; i < PM_LANES; i++)
        to->u[i] = u[first + i < b->count ? i : b->count - 1 - first];
}

static inline void put(pm_quat q, size_t components, size_t first, pm_point_numbers *to) {
    const real of[] = {q.x, q.y, q.z, q.w};
    for (size_t c = 0; c < components; c++)
        for (size_t i = 0; i < PM_LANES; i++)
            to[c][first + i] = (double)((const float *)&of[c])[i];
}

/* Adds the keys that positions are relative to: for the lanes, or for all points of a block in one segment. */
static inline void add_bases(const pm_channel *channel, unsigned c, const pm_lane_side *side,
                             size_t first, pm_point_numbers *to) {
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t at = side->u[i] < 1 ? side->key[c][i] : side->next[c][i];
        const float *key = (const float *)channel->keys + at;
        for (size_t n = 0; n < 3; n++)
            to[n][first + i] += (double)key[n];
    }
}

static inline void add_base(const pm_channel *channel, unsigned c, const pm_lane_side *side,
                            pm_point_numbers *to) {
    const float *key = (const float *)channel->keys + side->key[c][0];
    for (size_t n = 0; n < 3; n++)
        for (size_t i = 0; i < PM_POINTS_BLOCK; i++)
            to[n][i] += (double)key[n];
}

static inline void add_value(pm_quat value, size_t first, pm_point_numbers *to) {
    pm_point_numbers own[3];
    put(value, 3, 0, own);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < PM_LANES; i++)
            to[c][first + i] += own[c][i];
}

/* Position and velocity by the screw from key to key. */
static inline void sample_screw(const pm_trajectory *t, const pm_lane_side *side, pm_quat *value,
                                pm_quat *rate) {
    const float *turns = t->clip->channels[PM_ROTATIONS].keys;
    const pm_quat a = pm_gather_quats_at(turns, side->key[PM_ROTATIONS]);
    const pm_quat b = pm_gather_quats_at(turns, side->next[PM_ROTATIONS]);
    pm_quat way = pm_quat_scaled(a, PM_REAL(0.0f));
    for (unsigned c = PM_POSITIONS; c <= PM_SCALES; c++) {
        const pm_channel *channel = &t->clip->channels[c];
        if (!channel->present)
            continue;
        const pm_quat from = pm_gather_quats_at(channel->keys, side->key[c]);
        way = pm_quat_sum(
            way, pm_quat_difference(pm_gather_quats_at(channel->keys, side->next[c]), from));
    }
    const real u = pm_reals_of(side->u);
    const pm_screw screw = pm_screw_of(a, b, way);
    *value = pm_screw_at(&screw, u);
    if (rate)
        *rate = pm_rate_of(pm_screw_slope(&screw, *value), pm_reals_of(side->rates));
    value->x = pm_select(u == PM_REAL(1.0f), PM_REAL(0.0f), value->x);
    value->y = pm_select(u == PM_REAL(1.0f), PM_REAL(0.0f), value->y);
    value->z = pm_select(u == PM_REAL(1.0f), PM_REAL(0.0f), value->z);
}

static inline void sample_positions(const pm_trajectory *t, const pm_lane_side *side, size_t first,
                                    bool in_one_segment, bool moves, poses *to) {
    pm_quat value, rate;
    for (unsigned c = PM_POSITIONS; c <= PM_SCALES; c++) {
        const pm_channel *channel = &t->clip->channels[c];
        if (!channel->present)
            continue;
        if (!in_one_segment)
            add_bases(channel, c, side, first, to->t);
        else if (first == 0)
            add_base(channel, c, side, to->t);
        if (t->screw)
            continue;
        PM_SET_NAME(pm_lanes_sample_track)(channel, c, side, true, &value, moves ? &rate : NULL);
        add_value(value, first, to->t);
        if (moves)
            add_value(rate, first, to->v);
    }
    if (!t->screw)
        return;
    sample_screw(t, side, &value, moves ? &rate : NULL);
    add_value(value, first, to->t);
    if (moves)
        add_value(rate, first, to->v);
}

/* Goes on by the twist at an end. */
static void go_on(poses *f, size_t i, double seconds) {
    const double w[3] = {f->w[0][i], f->w[1][i], f->w[2][i]};
    double v[3] = {f->v[0][i] * seconds, f->v[1][i] * seconds, f->v[2][i] * seconds};
    double turn_by[4], way[3];
    pm_twist_by(w, v, seconds, turn_by, way);
    pm_point_numbers by[4];
    for (size_t c = 0; c < 4; c++)
        by[c][0] = turn_by[c];
    pm_point_numbers q[4];
    for (size_t c = 0; c < 4; c++)
        q[c][0] = f->q[c][i];
    turn_quaternions(by, 1, 1, q);
    for (size_t c = 0; c < 4; c++)
        f->q[c][i] = q[c][0];
    for (size_t c = 0; c < 3; c++) {
        const size_t d = (c + 1) % 3, e = (c + 2) % 3;
        f->t[c][i] += way[c];
        f->v[c][i] += w[d] * way[e] - w[e] * way[d];
    }
}

static void end_moves(const pm_trajectory *t, const pm_points_block *b, unsigned f, poses *to) {
    for (size_t i = 0; i < b->count; i++) {
        const bool rests = b->places[f].states[i] == PM_STAMP_CLAMPED ||
                           t->clip->timelines[t->clip->timeline_of[b->tracks[f][i]]].constant;
        for (size_t c = 0; c < 3 && rests; c++)
            to->v[c][i] = to->w[c][i] = 0;
        if (b->places[f].states[i] == PM_STAMP_AHEAD)
            go_on(to, i, b->places[f].ahead[i]);
    }
}

/* Poses of frame f, relative to a place that is subtracted from their positions. */
static void sample(const pm_points_request *r, const pm_points_block *b, unsigned f,
                   const double shift[3], poses *to) {
    const pm_trajectory *t = r->job->frames[f].trajectory;
    const bool has_turns = t->clip->channels[PM_ROTATIONS].present;
    bool moves = r->needs_rate;
    for (size_t i = 0; i < b->count && !b->places[f].in_one_segment; i++)
        moves |= b->places[f].states[i] == PM_STAMP_AHEAD;
    const double from[] = {t->origin[0] - shift[0], t->origin[1] - shift[1],
                           t->origin[2] - shift[2]};
    spread(from, 3, to->t);
    if (!has_turns)
        spread(no_turn, 4, to->q);
    if (moves)
        memset(to->v, 0, sizeof to->v);
    if (moves)
        memset(to->w, 0, sizeof to->w);
    pm_lane_side side;
    for (size_t k = 0; k < b->count; k += PM_LANES) {
        pm_quat value, rate;
        if (k == 0 || !b->places[f].in_one_segment)
            set_side(t, b, f, k, &side);
        set_u(b, f, k, &side);
        sample_positions(t, &side, k, b->places[f].in_one_segment, moves, to);
        if (!has_turns)
            continue;
        PM_SET_NAME(pm_lanes_sample_track)
        (&t->clip->channels[PM_ROTATIONS], PM_ROTATIONS, &side, false, &value,
         moves ? &rate : NULL);
        put(value, 4, k, to->q);
        if (moves)
            put(rate, 3, k, to->w);
    }
    if (!moves)
        return;
    turn(to->q, 1, b->count, to->w);
    end_moves(t, b, f, to);
}

/* The poses of W in the frame: t = -R^T t, v = -R^T (v - w x t), w = -R^T w. */
static void invert(size_t count, poses *f) {
    for (size_t c = 0; c < 3; c++) {
        const size_t d = (c + 1) % 3, e = (c + 2) % 3;
        for (size_t i = 0; i < count; i++)
            f->v[c][i] += f->t[d][i] * f->w[e][i] - f->t[e][i] * f->w[d][i];
    }
    turn(f->q, -1, count, f->t);
    turn(f->q, -1, count, f->v);
    turn(f->q, -1, count, f->w);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < count; i++) {
            f->t[c][i] = -f->t[c][i];
            f->v[c][i] = -f->v[c][i];
            f->w[c][i] = -f->w[c][i];
            f->q[c][i] = -f->q[c][i];
        }
}

/* ---- blocks --------------------------------------------------------------------------------------------- */

static void apply_fixed(const pm_points_request *r, const pm_fixed_pose *rigid,
                        pm_points_block *b) {
    poses by;
    spread(rigid->rotation, 4, by.q);
    spread(rigid->position, 3, by.t);
    apply(r, &by, false, b);
}

static void apply_end(const pm_points_request *r, pm_points_block *b) {
    poses by;
    if (!r->by_track && r->ends->is_identity)
        return;
    for (size_t i = 0; i < PM_POINTS_BLOCK; i++) {
        const pm_points_end *end = &r->ends[r->by_track && i < b->count ? b->tracks[0][i] : 0];
        for (size_t c = 0; c < 4; c++)
            by.q[c][i] = end->pose.rotation[c];
        for (size_t c = 0; c < 3; c++)
            by.t[c][i] = end->pose.position[c];
    }
    apply(r, &by, false, b);
    if (!r->needs_rate || r->job->velocity_frame != PM_AXIS_BODY)
        return;
    turn(by.q, 1, b->count, b->v); /* into the axes that poses turn to */
    turn(by.q, 1, b->count, b->w);
}

static void apply_frame(const pm_points_request *r, unsigned f, pm_points_block *b) {
    static const double nothing[3] = {0, 0, 0};
    const bool inverse = r->job->frames[f].inverse, apart = r->by_track || inverse;
    poses by;
    sample(r, b, f, f > 0 || apart ? nothing : r->ends->shift, &by);
    if (inverse)
        invert(b->count, &by);
    for (size_t i = 0; i < b->count && f == 0 && apart; i++)
        for (size_t c = 0; c < 3; c++)
            by.t[c][i] -= r->ends[r->by_track ? b->tracks[0][i] : 0].shift[c];
    apply(r, &by, r->needs_rate, b);
}

static void run(const pm_points_request *r, pm_points_block *b) {
    const unsigned frames = (unsigned)r->job->frame_count;
    if (r->needs_pose) {
        spread(no_turn, 4, b->q);
        memset(b->p, 0, sizeof b->p);
        memset(b->v, 0, sizeof b->v);
        memset(b->w, 0, sizeof b->w);
    }
    if (r->job->inverse)
        apply_end(r, b);
    else if (!r->before_is_identity)
        apply_fixed(r, &r->before, b);
    for (unsigned f = 0; f < frames; f++)
        apply_frame(r, r->job->inverse ? f : frames - 1 - f, b);
    if (!r->job->inverse)
        apply_end(r, b);
    else if (!r->before_is_identity)
        apply_fixed(r, &r->before, b);
}

const pm_points_function PM_SET_NAME(pm_points) = run;
