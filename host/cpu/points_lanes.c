/* SPDX-License-Identifier: MIT
 *
 * Points that trajectories move, in double, in loops that compilers vectorise. Curves other than arcs are sampled in
 * lanes of float32, positions from the nearest key before, so that float32 rounds the way from the key alone. Compiled
 * once for each instruction set.
 */
#include "lanes.h"

#include "kernels/pm_methods.h"
#include "kernels/pm_motion.h"
#include "points.h"

extern const pm_points_functions PM_SET_NAME(pm_points);

/* Poses of a frame, or of one that does not move, and their velocities. */
typedef struct poses {
    pm_point_numbers q[4], t[3], v[3], w[3];
} poses;

/* ---- vectors and rotations ---------------------------------------------------------------------------- */

static inline pm_dvector vector_at(pm_point_numbers *v, size_t i) {
    return pm_dvector_of(v[0][i], v[1][i], v[2][i]);
}

static inline pm_dquat quaternion_at(pm_point_numbers *q, size_t i) {
    return pm_dquat_of(q[0][i], q[1][i], q[2][i], q[3][i]);
}

static inline void set_vector(pm_dvector from, size_t i, pm_point_numbers *to) {
    to[0][i] = from.x;
    to[1][i] = from.y;
    to[2][i] = from.z;
}

static inline void set_quaternion(pm_dquat from, size_t i, pm_point_numbers *to) {
    set_vector(pm_dvector_of(from.x, from.y, from.z), i, to);
    to[3][i] = from.w;
}

/* Turns vectors by quaternions of any length. `sign` is -1 for the inverse. */
static inline void turn(pm_point_numbers *q, double sign, size_t count, pm_point_numbers *v) {
    for (size_t i = 0; i < count; i++)
        set_vector(pm_dquat_turned(quaternion_at(q, i), sign, vector_at(v, i)), i, v);
}

static inline void turn_by_one(const double q[4], double sign, size_t count, pm_point_numbers *v) {
    for (size_t i = 0; i < count; i++)
        set_vector(pm_dquat_turned(pm_dquat_of(q[0], q[1], q[2], q[3]), sign, vector_at(v, i)), i,
                   v);
}

/* q = a q, or conj(a) q */
static inline void turn_quaternions(pm_point_numbers *a, double sign, size_t count,
                                    pm_point_numbers *q) {
    for (size_t i = 0; i < count; i++) {
        const pm_dquat by = pm_dquat_of(sign * a[0][i], sign * a[1][i], sign * a[2][i], a[3][i]);
        set_quaternion(pm_dquat_product(by, quaternion_at(q, i)), i, q);
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

static void apply_to_poses(const pm_points_request *r, poses *by, bool moves, pm_points_block *b) {
    const bool inverse = r->job.inverse;
    if (!r->needs_pose)
        return;
    if (moves)
        add_velocities(by, b->count, b);
    move(by, inverse, false, b->count, b->p);
    turn_quaternions(by->q, inverse ? -1 : 1, b->count, b->q);
}

static void apply(const pm_points_request *r, poses *by, bool moves, pm_points_block *b) {
    if (r->job.points.data)
        move(by, r->job.inverse, r->job.directions, b->count, b->x);
    apply_to_poses(r, by, moves, b);
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
            const pm_track_layout *at = layout_of(channel, pm_track_of(b, f, k));
            const size_t segment = b->places[f].segments[b->places[f].in_one_segment ? 0 : k];
            to->key[c][i] = at->first + segment * at->row;
            to->next[c][i] = to->key[c][i] + at->row;
            to->plane[c][i] = at->plane;
            to->spacing[i] = PM_SPACING_FLOATS * (at->rates + segment);
            to->rates[i] = t->clip->rates[at->rates + segment];
        }
    }
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t k = first + i < b->count ? first + i : b->count - 1;
        to->constants[i] = 4 * (size_t)pm_track_of(b, f, k);
        to->constant_plane[i] = 4 * t->clip->padded_tracks;
    }
}

static inline void set_u(const pm_points_block *b, unsigned f, size_t first, pm_lane_side *to) {
    const double *u = &b->places[f].u[first];
    for (size_t i = 0; i < PM_LANES; i++) {
        const double own = u[first + i < b->count ? i : b->count - 1 - first];
        const float rounded = (float)own;
        to->u[i] = own < 1 && !(rounded < 1) ? PM_CURSOR_BELOW_ONE : rounded;
    }
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
        PM_SET_NAME(pm_lanes_sample_track)(channel, c, side, true, &value, moves ? &rate : NULL);
        add_value(value, first, to->t);
        if (moves)
            add_value(rate, first, to->v);
    }
}

/* ---- arcs ----------------------------------------------------------------------------------------------- */

/* Numbers of pm_rigid_arc: those of one for all points, or of one for each. `u` is from there. */
typedef struct arcs {
    bool is_one;
    double one[PM_ARC_NUMBERS];
    pm_point_numbers each[PM_ARC_NUMBERS], u;
} arcs;

#define ARC(member) (offsetof(pm_rigid_arc, member) / sizeof(double))

/* The arcs of frame f; places are relative to a shift. */
static void find_arcs(const pm_trajectory *t, const pm_points_block *b, unsigned f,
                      const double shift[3], arcs *to) {
    const pm_stamp_places *at = &b->places[f];
    to->is_one = at->in_one_segment;
    if (to->is_one) {
        memcpy(to->one, &t->arcs[t->first_arcs[pm_track_of(b, f, 0)] + at->segments[0]],
               sizeof to->one);
        for (size_t c = 0; c < 3; c++)
            to->one[ARC(t) + c] -= shift[c];
        memcpy(to->u, at->u, b->count * sizeof *to->u);
        return;
    }
    int64_t keys[PM_POINTS_BLOCK];
    const double *numbers = (const double *)t->arcs;
    for (size_t i = 0; i < b->count; i++) {
        const bool at_end = at->u[i] >= 1;
        keys[i] = (int64_t)(t->first_arcs[pm_track_of(b, f, i)] + at->segments[i] + at_end) *
                  PM_ARC_NUMBERS;
        to->u[i] = at_end ? 0 : at->u[i];
    }
    for (size_t n = 0; n < PM_ARC_NUMBERS; n++)
        for (size_t i = 0; i < b->count; i++)
            to->each[n][i] = numbers[keys[i] + (int64_t)n];
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < b->count; i++)
            to->each[ARC(t) + c][i] -= shift[c];
}

/* Without the places: for directions. */
static void leave_turns(arcs *a) {
    static const size_t others[] = {ARC(t),       ARC(t) + 1,   ARC(t) + 2, ARC(way),
                                    ARC(way) + 1, ARC(way) + 2, ARC(along)};
    for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
        a->one[others[n]] = 0;
        memset(a->each[others[n]], 0, sizeof *a->each);
    }
}

/* The arc of point i. */
static inline __attribute__((always_inline)) pm_rigid_arc arc_at(const arcs *a, bool is_one,
                                                                 size_t i) {
#define OF(member) (is_one ? a->one[ARC(member)] : a->each[ARC(member)][i])
    return (pm_rigid_arc){.q = {OF(q[0]), OF(q[1]), OF(q[2]), OF(q[3])},
                          .t = {OF(t[0]), OF(t[1]), OF(t[2])},
                          .v = {OF(v[0]), OF(v[1]), OF(v[2])},
                          .way = {OF(way[0]), OF(way[1]), OF(way[2])},
                          .along = OF(along),
                          .angle2 = OF(angle2),
                          .rate = OF(rate)};
}

/* Moves points along their arcs. All but the last three are compile-time constants. */
static inline __attribute__((always_inline)) void
move_along(const arcs *a, bool is_one, bool screw, int terms, size_t count, double *restrict px,
           double *restrict py, double *restrict pz) {
    for (size_t i = 0; i < count; i++) {
        const pm_rigid_arc arc = arc_at(a, is_one, i);
        const pm_dvector p =
            pm_arc_moved(&arc, screw, terms, a->u[i], pm_dvector_of(px[i], py[i], pz[i]));
        px[i] = p.x;
        py[i] = p.y;
        pz[i] = p.z;
    }
}

PM_FLAT static void move_by_arcs(const pm_trajectory *t, const arcs *a, size_t count,
                                 pm_point_numbers *x) {
#define MOVE(is_one, screw, terms) move_along(a, is_one, screw, terms, count, x[0], x[1], x[2])
#define MOVE_BY(is_one, screw)                                                                     \
    (t->parts == 1 ? MOVE(is_one, screw, PM_FEW_TERMS) : MOVE(is_one, screw, PM_ALL_TERMS))
    if (a->is_one)
        t->screw ? MOVE_BY(true, true) : MOVE_BY(true, false);
    else
        t->screw ? MOVE_BY(false, true) : MOVE_BY(false, false);
}

/* The rotations of arcs. `is_one` is a compile-time constant. */
static inline __attribute__((always_inline)) void turn_along(const arcs *a, bool is_one,
                                                             size_t count, double *restrict x,
                                                             double *restrict y, double *restrict z,
                                                             double *restrict w) {
    for (size_t i = 0; i < count; i++) {
        const pm_rigid_arc arc = arc_at(a, is_one, i);
        const pm_dquat q = pm_arc_rotation(&arc, a->u[i]);
        x[i] = q.x;
        y[i] = q.y;
        z[i] = q.z;
        w[i] = q.w;
    }
}

/* Poses, and velocities where `moves`. */
PM_FLAT static void sample_arcs(const pm_trajectory *t, const arcs *a, size_t count, bool moves,
                                poses *to) {
    memset(to->t, 0, sizeof to->t);
    move_by_arcs(t, a, count, to->t);
    if (a->is_one)
        turn_along(a, true, count, to->q[0], to->q[1], to->q[2], to->q[3]);
    else
        turn_along(a, false, count, to->q[0], to->q[1], to->q[2], to->q[3]);
    for (size_t i = 0; i < count && moves; i++) {
        const pm_rigid_arc arc = arc_at(a, a->is_one, i);
        for (size_t c = 0; c < 3; c++) {
            const size_t d = (c + 1) % 3, e = (c + 2) % 3;
            const double carried =
                arc.v[d] * (to->t[e][i] - arc.t[e]) - arc.v[e] * (to->t[d][i] - arc.t[d]);
            to->w[c][i] = arc.rate * arc.v[c];
            to->v[c][i] = arc.rate * (arc.way[c] + (t->screw ? carried : 0));
        }
    }
}

/* ---- ends ----------------------------------------------------------------------------------------------- */

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
    const pm_stamp_places *at = &b->places[f];
    for (size_t i = 0; i < b->count; i++) {
        const pm_stamp_state state = at->all_inside ? PM_STAMP_INSIDE : at->states[i];
        const bool rests = state == PM_STAMP_CLAMPED ||
                           t->clip->timelines[t->clip->timeline_of[pm_track_of(b, f, i)]].constant;
        for (size_t c = 0; c < 3 && rests; c++)
            to->v[c][i] = to->w[c][i] = 0;
        if (state == PM_STAMP_AHEAD)
            go_on(to, i, at->ahead[i]);
    }
}

/* Whether a point of the block is extrapolated. */
static bool goes_on(const pm_points_block *b, unsigned f) {
    bool any = false;
    for (size_t i = 0; i < b->count && !b->places[f].all_inside; i++)
        any |= b->places[f].states[i] == PM_STAMP_AHEAD;
    return any;
}

/* Poses of frame f, relative to a place that is subtracted from their positions. */
static void sample(const pm_points_request *r, const pm_points_block *b, unsigned f,
                   const double shift[3], poses *to) {
    const pm_trajectory *t = r->job.frames[f].trajectory;
    const bool has_turns = t->clip->channels[PM_ROTATIONS].present;
    const bool moves = r->needs_rate || goes_on(b, f);
    if (t->arcs) {
        arcs of;
        find_arcs(t, b, f, shift, &of);
        sample_arcs(t, &of, b->count, moves, to);
        if (moves)
            end_moves(t, b, f, to);
        return;
    }
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

/* A pose that does not move. */
static void apply_fixed(const pm_points_request *r, const pm_dpose *rigid, pm_points_block *b) {
    const double sign = r->job.inverse ? -1 : 1;
    poses by;
    spread(rigid->position, 3, by.t);
    if (r->job.points.data) {
        if (r->job.inverse && !r->job.directions)
            add(by.t, -1, b->count, b->x);
        turn_by_one(rigid->rotation, sign, b->count, b->x);
        if (!r->job.inverse && !r->job.directions)
            add(by.t, 1, b->count, b->x);
    }
    if (!r->needs_pose)
        return;
    spread(rigid->rotation, 4, by.q);
    apply_to_poses(r, &by, false, b);
}

/* Velocities are turned where they are to be in the axes that poses turn to. */
static void apply_end(const pm_points_request *r, pm_points_block *b) {
    const bool turns = r->needs_rate && r->job.velocity_frame == PM_AXIS_BODY;
    poses by;
    if (!r->by_track && r->end_is_identity)
        return;
    if (!r->by_track) {
        apply_fixed(r, &r->ends->pose, b);
        if (turns)
            turn_by_one(r->ends->pose.rotation, 1, b->count, b->v);
        if (turns)
            turn_by_one(r->ends->pose.rotation, 1, b->count, b->w);
        return;
    }
    for (size_t i = 0; i < b->count; i++) {
        const pm_points_end *end = &r->ends[pm_track_of(b, 0, i)];
        for (size_t c = 0; c < 4; c++)
            by.q[c][i] = end->pose.rotation[c];
        for (size_t c = 0; c < 3; c++)
            by.t[c][i] = end->pose.position[c];
    }
    apply(r, &by, false, b);
    if (!turns)
        return;
    turn(by.q, 1, b->count, b->v);
    turn(by.q, 1, b->count, b->w);
}

/* Points by arcs, of which those behind an end are moved by their poses. */
static void apply_arcs(const pm_points_request *r, unsigned f, const double shift[3],
                       pm_points_block *b) {
    const pm_trajectory *t = r->job.frames[f].trajectory;
    const bool any_ahead = goes_on(b, f), moves = r->needs_rate || any_ahead;
    pm_point_numbers ahead[3];
    poses by;
    arcs of;
    find_arcs(t, b, f, shift, &of);
    if (r->needs_pose || any_ahead)
        sample_arcs(t, &of, b->count, moves, &by);
    if (moves)
        end_moves(t, b, f, &by);
    if (r->job.points.data) {
        if (any_ahead) {
            memcpy(ahead, b->x, sizeof ahead);
            move(&by, false, r->job.directions, b->count, ahead);
        }
        if (r->job.directions)
            leave_turns(&of);
        move_by_arcs(t, &of, b->count, b->x);
        for (size_t i = 0; i < b->count && any_ahead; i++)
            for (size_t c = 0; c < 3 && b->places[f].states[i] == PM_STAMP_AHEAD; c++)
                b->x[c][i] = ahead[c][i];
    }
    apply_to_poses(r, &by, r->needs_rate, b);
}

static void apply_frame(const pm_points_request *r, unsigned f, pm_points_block *b) {
    static const double nothing[3] = {0, 0, 0};
    const pm_moving_frame *frame = &r->job.frames[f];
    const bool apart = r->by_track || frame->inverse;
    const double *shift = f > 0 || apart ? nothing : r->ends->shift;
    if (frame->trajectory->arcs && !frame->inverse && !r->job.inverse && !r->by_track) {
        apply_arcs(r, f, shift, b);
        return;
    }
    poses by;
    sample(r, b, f, shift, &by);
    if (frame->inverse)
        invert(b->count, &by);
    for (size_t i = 0; i < b->count && f == 0 && apart; i++)
        for (size_t c = 0; c < 3; c++)
            by.t[c][i] -= r->ends[r->by_track ? pm_track_of(b, 0, i) : 0].shift[c];
    apply(r, &by, r->needs_rate, b);
}

/* ---- singles -------------------------------------------------------------------------------------------- */

static inline pm_point_arc arc_of_all(const float *from) {
    pm_quat of[PM_POINT_ARC_FLOATS / 4];
    for (size_t n = 0; n < PM_POINT_ARC_FLOATS / 4; n++)
        of[n] = pm_spread(from + 4 * n);
    return (pm_point_arc){{of[0], of[1], of[2]}, of[3], of[4], of[5]};
}

static inline pm_point_arc arc_of_each(const float *from, const pm_u64 *at) {
    pm_quat of[PM_POINT_ARC_FLOATS / 4];
    PM_UNROLL
    for (size_t n = 0; n < PM_POINT_ARC_FLOATS / 4; n++)
        of[n] = pm_gather_quats_at(from + 4 * n, at);
    return (pm_point_arc){{of[0], of[1], of[2]}, of[3], of[4], of[5]};
}

/* Points without gaps, as many as there are lanes, are three vectors. Place j of vector n has coordinate
 * (n PM_LANES + j) % 3. So place j of all is taken from one by j % 3, which is a blend, and then each is permuted: in an
 * AVX2 register half the operations of shuffles of two vectors. */
#define PM_IF_SECOND(j) ((j) % 3 == 1 ? PM_LANES + (j) : (j))
#define PM_IF_THIRD(j) ((j) % 3 == 2 ? PM_LANES + (j) : (j))
#define PM_BY_THIRDS(a, b, c) PM_SHUFFLE(PM_SHUFFLE(a, b, PM_IF_SECOND), c, PM_IF_THIRD)
#define PM_COORDINATE(n, j) (((n)*PM_LANES + (j)) % 3)
#define PM_VECTOR_OF(c, j) (((c) + 3 - (j) % 3) * PM_LANES % 3)
#define PM_PLACE(c, i) ((3 * (i) + (c)) % PM_LANES)
#define PM_PLACE_X(i) PM_PLACE(0, i)
#define PM_PLACE_Y(i) PM_PLACE(1, i)
#define PM_PLACE_Z(i) PM_PLACE(2, i)
#define PM_POINT_AT(c, j) ((PM_VECTOR_OF(c, j) * PM_LANES + (j) - (c)) / 3)
#define PM_POINT_X(j) PM_POINT_AT(0, j)
#define PM_POINT_Y(j) PM_POINT_AT(1, j)
#define PM_POINT_Z(j) PM_POINT_AT(2, j)

static inline pm_quat load_packed(const float *from) {
    real v[3], of[3];
    for (size_t n = 0; n < 3; n++) /* each apart: GCC copies all by a slow instruction */
        memcpy(&v[n], from + n * PM_LANES, sizeof v[n]);
    for (size_t c = 0; c < 3; c++)
        of[c] = PM_BY_THIRDS(v[PM_VECTOR_OF(c, 0)], v[PM_VECTOR_OF(c, 1)], v[PM_VECTOR_OF(c, 2)]);
    return pm_quat_of(PM_SHUFFLE(of[0], of[0], PM_PLACE_X), PM_SHUFFLE(of[1], of[1], PM_PLACE_Y),
                      PM_SHUFFLE(of[2], of[2], PM_PLACE_Z), PM_REAL(0.0f));
}

static inline void store_packed(pm_quat p, float *to) {
    const real of[3] = {PM_SHUFFLE(p.x, p.x, PM_POINT_X), PM_SHUFFLE(p.y, p.y, PM_POINT_Y),
                        PM_SHUFFLE(p.z, p.z, PM_POINT_Z)};
    for (size_t n = 0; n < 3; n++) {
        const real v =
            PM_BY_THIRDS(of[PM_COORDINATE(n, 0)], of[PM_COORDINATE(n, 1)], of[PM_COORDINATE(n, 2)]);
        memcpy(to + n * PM_LANES, &v, sizeof v);
    }
}

/* Whether some lane is not finite. */
#if PM_LANES == 16
#define pm_any_odd(a) (_mm512_fpclass_ps_mask((__m512)(a), 0x99) != 0)
#else
#define pm_any_odd(a) pm_any((a)*0 != PM_REAL(0.0f))
#endif

/* Moves as many points as there are lanes. Sets *odd if some result is not finite, as is each x of a point that is
 * not. */
static inline __attribute__((always_inline)) void move_lanes(const pm_point_arc *arc, bool screw,
                                                             const float *us, const float *from,
                                                             float *to, bool *odd) {
    const pm_quat p = load_packed(from);
    real u;
    memcpy(&u, us, sizeof u);
    pm_quat moved = pm_point_along(*arc, screw, u, p);
    if (pm_any_odd(moved.x)) {
        moved = pm_point_unless_odd(moved, p);
        *odd = true;
    }
    store_packed(moved, to);
}

/* Lanes behind the last point compute what nobody reads. `is_one` and `screw` are compile-time constants. */
static inline __attribute__((always_inline)) void move_singles(pm_points_block *b, bool is_one,
                                                               bool screw) {
    pm_point_arc arc = arc_of_all(b->arcs + b->arcs_at[0]);
    const float *const from = b->from;
    float *const to = b->to;
    const size_t left = b->count % PM_LANES, whole = b->count - left;
    b->odd = false;
    for (size_t k = 0; k < whole; k += PM_LANES) {
        if (!is_one)
            arc = arc_of_each(b->arcs, b->arcs_at + k);
        move_lanes(&arc, screw, b->u + k, from + 3 * k, to + 3 * k, &b->odd);
    }
    if (left) {
        float rest[3 * PM_LANES] = {0};
        memcpy(rest, from + 3 * whole, 3 * left * sizeof *rest);
        if (!is_one)
            arc = arc_of_each(b->arcs, b->arcs_at + whole);
        move_lanes(&arc, screw, b->u + whole, rest, rest, &b->odd);
        memcpy(to + 3 * whole, rest, 3 * left * sizeof *rest);
    }
}

static void run_singles(const pm_points_request *r, pm_points_block *b) {
    const bool screw = r->job.frames[0].trajectory->screw;
    const pm_stamp_places *at = &b->places[0];
    for (size_t i = 0; i < b->count && at->in_one_segment && r->needs_pose; i++)
        b->u[i] = (float)at->u[i];
    if (at->in_one_segment)
        screw ? move_singles(b, true, true) : move_singles(b, true, false);
    else
        screw ? move_singles(b, false, true) : move_singles(b, false, false);
    for (size_t i = 0; i < b->count && b->in_double && !at->all_inside; i++)
        for (size_t c = 0; c < 3 && at->states[i] == PM_STAMP_AHEAD; c++)
            b->to[3 * i + c] = (float)b->x[c][i];
}

static void run(const pm_points_request *r, pm_points_block *b) {
    const unsigned frames = (unsigned)r->job.frame_count;
    if (r->singles && !b->in_double) {
        run_singles(r, b);
        return;
    }
    if (r->needs_pose) {
        spread(no_turn, 4, b->q);
        memset(b->p, 0, sizeof b->p);
        memset(b->v, 0, sizeof b->v);
        memset(b->w, 0, sizeof b->w);
    }
    if (r->job.inverse)
        apply_end(r, b);
    else if (!r->before_is_identity)
        apply_fixed(r, &r->before, b);
    for (unsigned f = 0; f < frames; f++)
        apply_frame(r, r->job.inverse ? f : frames - 1 - f, b);
    if (!r->job.inverse)
        apply_end(r, b);
    else if (!r->before_is_identity)
        apply_fixed(r, &r->before, b);
    if (r->singles)
        run_singles(r, b);
}

const pm_points_functions PM_SET_NAME(pm_points) = {PM_SET_NAME(pm_points_locate), run};
