/* SPDX-License-Identifier: MIT
 *
 * Feet on uneven ground: a chain that stands moves the pelvis along up and bends legs, so that feet are as high above
 * the ground as they are above level ground (docs/crowds.md, "Ground"). Up is y or z of the space of goals, the
 * model or the world. As in pm_reach.h nothing is NaN that was not.
 */
#ifndef PM_GROUND_H
#define PM_GROUND_H

#include "pm_plant.h"
#include "pm_reach.h"

/* 0: feet are not planted. Devices plant them by a program of their own, because the code takes many registers. */
#if defined PM_OPENCL && !PM_TRANSITIONS
#define PM_PLANTED 0
#else
#define PM_PLANTED 1
#endif

/* What chains of PM_LANES instances stand on, beside what they read and write. */
typedef struct pm_standing {
    pm_reaching reaching;
    pm_global const float *heights;
    pm_height_grid grid;
    pm_planting planting; /* with PM_REACH_PLANTS */
} pm_standing;

/* A goal of such a chain (pm_stand_goal), and the instance's place. Rotation and origin are those of the model in the
 * space of goals. */
typedef struct pm_stance {
    pm_quat point, normal;
    real weight, tilt, lowest, highest;
    pm_mask on_plane;
    pm_quat rotation, origin;
    pm_u32 up_is_z, plants;
    pm_plant_rules rules; /* where it plants feet */
} pm_stance;

/* Below a foot. */
typedef struct pm_footing {
    real rise;      /* of the ground above level ground */
    pm_quat off;    /* how far a planted foot is from there, in the space of goals */
    pm_quat normal; /* in the model, of any length */
    pm_mask has, slopes;
} pm_footing;

/* The height of the ground, and its slopes along both level axes: metres up for a metre. */
typedef struct pm_terrain {
    real height, slopes[2];
} pm_terrain;

pm_fn real pm_between(real a, real b, real part) {
    return a + (b - a) * part;
}

/* A coordinate in nodes, within those that there are; 0 for NaN. `count` is at most 2^24. */
pm_fn real pm_in_nodes(real at, float origin, float per_cell, pm_u32 count) {
    real nodes = (at - PM_REAL(origin)) * PM_REAL(per_cell), last = PM_REAL((float)(count - 1));
    return pm_select(nodes > PM_REAL(0.0f), pm_least_of(last, nodes), PM_REAL(0.0f));
}

/* The nodes about a place: those of its cell, row by row, and the next ones of each row and column. */
#define PM_CELL_NODES 12

/* Row by row: 2, 4, 4 and 2 heights. Beyond the nodes, they are those of the nearest ones. */
pm_fn void pm_cell_nodes(pm_global const float *heights, const pm_height_grid *g, pm_u32 i,
                         pm_u32 j, pm_u32 lane, float to[PM_CELL_NODES][PM_LANES]) {
    pm_u32 before = i > 0 ? i - 1 : 0, next = i + 1 < g->columns ? i + 1 : i;
    pm_u32 after = next + 1 < g->columns ? next + 1 : next;
    pm_u32 row_before = j > 0 ? j - 1 : 0, row_next = j + 1 < g->rows ? j + 1 : j;
    pm_u32 row_after = row_next + 1 < g->rows ? row_next + 1 : row_next;
    pm_global const float *r0 = heights + (pm_u64)row_before * g->columns;
    pm_global const float *r1 = heights + (pm_u64)j * g->columns;
    pm_global const float *r2 = heights + (pm_u64)row_next * g->columns;
    pm_global const float *r3 = heights + (pm_u64)row_after * g->columns;
    to[0][lane] = r0[i];
    to[1][lane] = r0[next];
    to[2][lane] = r1[before];
    to[3][lane] = r1[i];
    to[4][lane] = r1[next];
    to[5][lane] = r1[after];
    to[6][lane] = r2[before];
    to[7][lane] = r2[i];
    to[8][lane] = r2[next];
    to[9][lane] = r2[after];
    to[10][lane] = r3[i];
    to[11][lane] = r3[next];
}

/* Heights are bilinear. So are slopes between those of the nodes, which are central differences: those of the heights
 * themselves would jump from cell to cell. */
pm_fn pm_terrain pm_terrain_at(pm_global const float *heights, const pm_height_grid *g, real x,
                               real y) {
    pm_terrain at;
    float nodes[PM_CELL_NODES][PM_LANES], columns[PM_LANES], rows[PM_LANES];
    real u = pm_in_nodes(x, g->origin[0], g->per_cell, g->columns);
    real v = pm_in_nodes(y, g->origin[1], g->per_cell, g->rows);
    real i = pm_floor(u), j = pm_floor(v), s = u - i, t = v - j;
    pm_set_reals(columns, i);
    pm_set_reals(rows, j);
    for (pm_u32 lane = 0; lane < PM_LANES; lane++)
        pm_cell_nodes(heights, g, (pm_u32)columns[lane], (pm_u32)rows[lane], lane, nodes);
    real a = pm_reals_of(nodes[3]), b = pm_reals_of(nodes[4]);
    real c = pm_reals_of(nodes[7]), d = pm_reals_of(nodes[8]);
    real half_ = PM_REAL(0.5f * g->per_cell);
    at.height = pm_between(pm_between(a, b, s), pm_between(c, d, s), t);
    at.slopes[0] =
        half_ * pm_between(pm_between(b - pm_reals_of(nodes[2]), pm_reals_of(nodes[5]) - a, s),
                           pm_between(d - pm_reals_of(nodes[6]), pm_reals_of(nodes[9]) - c, s), t);
    at.slopes[1] =
        half_ * pm_between(pm_between(c - pm_reals_of(nodes[0]), d - pm_reals_of(nodes[1]), s),
                           pm_between(pm_reals_of(nodes[10]) - a, pm_reals_of(nodes[11]) - b, s),
                           t);
    return at;
}

/* 0 in place of what a device may round to 0. */
pm_fn real pm_stored_real(real a) {
    real least = PM_REAL(PM_LEAST_WEIGHT), zero = PM_REAL(0.0f);
    return pm_select((a > -least) & (a < least), zero, a);
}

/* A vector with these parts along x, up and the other level axis. */
pm_fn pm_quat pm_level_vector(const pm_stance *st, real x, real up, real other) {
    return st->up_is_z ? pm_quat_of(x, other, up, PM_REAL(0.0f))
                       : pm_quat_of(x, up, other, PM_REAL(0.0f));
}

pm_fn real pm_up_part(const pm_stance *st, pm_quat v) {
    return st->up_is_z ? v.z : v.y;
}

pm_fn real pm_other_part(const pm_stance *st, pm_quat v) {
    return st->up_is_z ? v.y : v.z;
}

pm_fn pm_quat pm_into_model(const pm_stance *st, pm_quat v) {
    return pm_vector_turned(pm_quat_conjugate(st->rotation), v);
}

pm_fn pm_stance pm_stance_of(const pm_standing *s, pm_global const pm_chain_row *c, pm_u32 n,
                             pm_u32 flags) {
    pm_stance st;
    const pm_reaching *r = &s->reaching;
    pm_global const float *from = r->goals + PM_GOAL_FLOATS * (pm_u64)n;
    real zero = PM_REAL(0.0f);
    st.point = pm_gather_quats_at(from, r->goal_at);
    pm_quat normal = pm_gather_quats_at(from + 4, r->goal_at);
    pm_quat more = pm_gather_quats_at(from + 8, r->goal_at);
    st.weight = pm_weight_of(st.point.w);
    st.tilt = pm_weight_of(normal.w);
    st.lowest = more.x;
    st.highest = more.y;
    st.plants = PM_PLANTED ? flags & PM_REACH_PLANTS : 0;
    pm_set_reals(st.rules.release, more.z);
    pm_set_reals(st.rules.stray, more.w);
    st.point.w = normal.w = zero;
    st.normal = pm_unit_or(normal, pm_quat_of(zero, zero, zero, zero));
    st.on_plane = pm_dot3(st.normal, st.normal) > PM_REAL(0.5f);
    st.up_is_z = c->axis[2] != 0.0f;
    st.rotation = pm_quat_of(zero, zero, zero, PM_REAL(1.0f));
    st.origin = pm_quat_of(zero, zero, zero, zero);
    if (flags & PM_REACH_IN_WORLD) {
        st.rotation = pm_gather_quats_at(r->placements, r->placement_at);
        st.origin = pm_gather_quats_at(r->placements + 4, r->placement_at);
        st.origin.w = zero;
    }
    return st;
}

/* The ground below foot k of a chain, and whether that is planted. Level ground is at the height of the model's origin. */
pm_fn pm_footing pm_footing_of(const pm_standing *s, const pm_stance *st,
                               pm_global const pm_chain_row *c, pm_u32 k, pm_quat place) {
    pm_footing f;
    real least = PM_REAL(0.1f);
    pm_quat p = pm_quat_sum(st->origin, pm_vector_turned(st->rotation, place));
    real x = p.x, other = pm_other_part(st, p), upright = pm_up_part(st, st->normal);
    real per_up = pm_exact_inverse(pm_select(upright >= least, upright, PM_REAL(1.0f)));
    real slope_x = pm_stored_real(-st->normal.x * per_up);
    real slope_other = pm_stored_real(-pm_other_part(st, st->normal) * per_up);
    real height = pm_fma(
        slope_x, x - st->point.x,
        pm_fma(slope_other, other - pm_other_part(st, st->point), pm_up_part(st, st->point)));
    if (s->grid.columns) {
        pm_terrain t = pm_terrain_at(s->heights, &s->grid, x, other);
        height = pm_select(st->on_plane, height, t.height);
        slope_x = pm_select(st->on_plane, slope_x, pm_stored_real(t.slopes[0]));
        slope_other = pm_select(st->on_plane, slope_other, pm_stored_real(t.slopes[1]));
        upright = pm_select(st->on_plane, upright, PM_REAL(1.0f));
    }
    f.rise = pm_stored_real(height - pm_up_part(st, st->origin));
    f.has = (upright >= least) & (st->weight > PM_REAL(0.0f)) & (f.rise > PM_REAL(-0x1p40f)) &
            (f.rise < PM_REAL(0x1p40f));
    f.slopes = (slope_x < PM_REAL(0.0f)) | (slope_x > PM_REAL(0.0f)) |
               (slope_other < PM_REAL(0.0f)) | (slope_other > PM_REAL(0.0f));
    f.normal = pm_into_model(st, pm_level_vector(st, -slope_x, PM_REAL(1.0f), -slope_other));
    real zero = PM_REAL(0.0f);
    f.off = pm_quat_of(zero, zero, zero, zero);
    if (st->plants) {
        pm_global const pm_chain_row *foot = s->reaching.chains + c->places[k];
        pm_u32 joint = s->reaching.paths[foot->path + foot->length - 1];
        p = pm_quat_sum(p, pm_level_vector(st, zero, st->weight * f.rise, zero));
        f.off = pm_plant_step(&s->planting, c->plants - 1 + k, joint, c->contacts + 2 * (pm_u64)k,
                              &st->rules, p, f.has);
    }
    return f;
}

/* How far the pelvis moves along up: as far as the foot that goes lowest, within the limits. */
pm_fn real pm_pelvis_shift(const pm_standing *s, const pm_stance *st,
                           pm_global const pm_chain_row *c) {
    const pm_reaching *r = &s->reaching;
    real zero = PM_REAL(0.0f), far = PM_REAL(0x1p40f), least = PM_REAL(0x1p100f);
    PM_NO_UNROLL
    for (pm_u32 k = 0; k < c->count; k++) {
        pm_global const pm_chain_row *foot = r->chains + c->places[k];
        pm_space end =
            pm_space_along(r, r->paths + foot->path, 0, foot->length, pm_space_of_model());
        pm_footing f = pm_footing_of(s, st, c, k, pm_space_origin(end));
        least = pm_select(f.has, pm_least_of(least, f.rise + pm_up_part(st, f.off)), least);
    }
    real shift = pm_least_of(pm_most_of(least, st->lowest), st->highest);
    pm_mask moves = (least < far) & (shift > -far) & (shift < far);
    return pm_stored_real(pm_select(moves, st->weight * shift, zero));
}

/* Moves a joint, the last of a path, by a vector of the model. */
pm_fn void pm_pelvis_move(const pm_reaching *r, pm_global const pm_chain_row *c, pm_quat way,
                          pm_mask moves) {
    pm_global const pm_u32 *path = r->paths + c->path;
    pm_u32 last = c->length - 1;
    PM_NO_UNROLL
    for (pm_u32 i = 0; i < last; i++)
        way = pm_vector_within(pm_reach_pose(r, path[i]), way);
    pm_quat before = pm_reach_pose(r, path[last]).position, after = pm_quat_sum(before, way);
    moves = moves & (pm_dot3(after, after) < PM_REAL(0x1p80f));
    pm_reach_put(r, path[last], 1, pm_quat_select(moves, after, before));
}

/* Chain number `chain` stands by goal number `goal` of each instance. Legs bend before the pelvis moves, because both
 * do not depend on each other: the goals of feet move with it. */
pm_fn void pm_stand_chain(const pm_standing *s, pm_u32 chain, pm_u32 flags, pm_u32 goal) {
    const pm_reaching *r = &s->reaching;
    pm_global const pm_chain_row *c = r->chains + chain;
    pm_stance st = pm_stance_of(s, c, goal, flags);
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    if (!pm_any(st.weight > zero) && !st.plants) /* feet are to leave the ground */
        return;
    real shift = pm_pelvis_shift(s, &st, c);
    pm_quat up = pm_into_model(&st, pm_level_vector(&st, zero, one, zero));
    PM_NO_UNROLL
    for (pm_u32 k = 0; k < c->count; k++) {
        pm_global const pm_chain_row *foot = r->chains + c->places[k];
        pm_space end =
            pm_space_along(r, r->paths + foot->path, 0, foot->length, pm_space_of_model());
        pm_footing f = pm_footing_of(s, &st, c, k, pm_space_origin(end));
        real raise = pm_stored_real(st.weight * f.rise - shift);
        pm_quat off = pm_quat_scaled(pm_into_model(&st, f.off), st.weight);
        pm_mask moves = (raise < zero) | (raise > zero) | (f.slopes & (st.tilt > zero)) |
                        (pm_dot3(off, off) > zero);
        pm_quat normal = pm_unit_or(f.normal, up);
        pm_quat tilt =
            pm_turn_part(pm_short_turn(pm_turn_between(up, normal, up)), st.weight * st.tilt);
        pm_goal g;
        g.position = pm_quat_of(zero, zero, zero, zero);
        g.pole = pm_quat_plus(off, raise, up);
        g.rotation =
            pm_unit_or(pm_quat_product(tilt, end.rotation), pm_quat_of(zero, zero, zero, zero));
        moves = moves & f.has & (pm_dot3(g.pole, g.pole) < PM_REAL(0x1p80f));
        g.weight = pm_select(moves, one, zero);
        g.rotation_weight = pm_select(moves & pm_is_turn(g.rotation), one, zero);
        g.pole_weight = zero;
        if (pm_any(moves))
            pm_reach_two_bones(r, foot, &g, PM_REACH_DIRECTION, 1);
    }
    pm_mask moves = (shift < zero) | (shift > zero);
    if (pm_any(moves))
        pm_pelvis_move(r, c, pm_quat_scaled(up, shift), moves);
}

#endif
