/* SPDX-License-Identifier: MIT
 *
 * One instance on the host, its joints in lanes: sampled, blended and, where matrices are
 * wanted, turned into those of the joints relative to their parents. Compiled once for each
 * instruction set.
 */
#if defined(__AVX512F__)
#define PM_LANES 16
#elif defined(__AVX__)
#define PM_LANES 8
#else
#define PM_LANES 4
#endif

#include <string.h>

#include "../kernels/pm_keys.h"
#include "../kernels/pm_methods.h"
#include "../kernels/pm_pose.h"
#include "clones.h"
#include "crowd_actor.h"
#include "crowd_set.h"

/* PM_LANES joints from `first` on; those beyond the last are padding. */
typedef struct joints {
    const pm_crowd *crowd;
    size_t first;
} joints;

/* ---- where keys are ------------------------------------------------------------------ */

/* Of each lane */
typedef struct spots {
    pm_u64 key[PM_LANES], next[PM_LANES];
    size_t plane[PM_LANES];
    float u[PM_LANES];
} spots;

static void find_apart(const joints *j, const pm_crowd_side *side, unsigned c, spots *at) {
    const pm_crowd *crowd = j->crowd;
    size_t n = crowd->skeleton->joint_count;
    for (size_t i = 0; i < PM_LANES; i++) {
        size_t joint = j->first + i < n ? j->first + i : n - 1;
        const pm_track_rows *rows =
            &crowd->layout[(c * crowd->clip_count + side->clip) * n + joint];
        pm_place place = pm_crowd_place(crowd->timelines[rows->timeline], crowd->times, side->time,
                                        side->clamps);
        at->key[i] = rows->first + (size_t)place.segment * rows->row;
        at->next[i] = at->key[i] + rows->row;
        at->plane[i] = rows->plane;
        at->u[i] = place.u;
    }
}

static pm_quat load_coded(const pm_channel *channel, const pm_u64 *at) {
    return channel->format == PM_KEYS_LOG48 ? pm_gather_log48(channel->keys, at)
                                            : pm_gather_smallest48(channel->keys, at);
}

static pm_quat gather(const pm_channel *channel, const pm_u64 *at, size_t plane,
                      const size_t *planes) {
    const float *from[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++)
        from[i] = (const float *)channel->keys + at[i] + plane * planes[i];
    return pm_gather_quats(from);
}

/* Each joint's keys, by its own timeline; its segments' parameter. Not for speed. */
pm_rare_fn void load_apart(const joints *j, const pm_crowd_side *side, unsigned c, pm_rows *rows,
                           real *u) {
    const pm_channel *channel = &j->crowd->channels[c];
    spots at;
    find_apart(j, side, c, &at);
    *u = pm_reals_of(at.u);
    if (channel->format != PM_KEYS_FLOAT32) {
        rows->key = load_coded(channel, at.key);
        rows->next = load_coded(channel, at.next);
        return;
    }
    rows->key = gather(channel, at.key, 0, at.plane);
    rows->next = gather(channel, at.next, 0, at.plane);
    for (unsigned e = 0; e < pm_curves[channel->recipe.curve].extras; e++)
        rows->extras[e] = gather(channel, at.key, 1 + e, at.plane);
}

/* Coded keys of joints that lie one behind another. */
pm_rare_fn void load_coded_together(const pm_channel *channel, size_t at, pm_quat *to) {
    pm_u64 each[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++)
        each[i] = at + 4 * i;
    *to = load_coded(channel, each);
}

/* ---- sampling ------------------------------------------------------------------------------ */

/* What lanes sample: a channel of their joints. */
typedef struct request {
    const joints *j;
    const pm_crowd_side *side;
    unsigned c;
} request;

/* Joints that lie one behind another. The numbers of planes are constants to the compiler. */
static inline real load_together(const request *q, pm_rows *rows, unsigned extras) {
    const pm_channel *channel = &q->j->crowd->channels[q->c];
    const pm_clip_place *clip = &q->j->crowd->clips[q->side->clip];
    size_t row = clip->row[q->c];
    size_t at = clip->first[q->c] + (size_t)q->side->place.segment * row + 4 * q->j->first;
    if (channel->format != PM_KEYS_FLOAT32) {
        load_coded_together(channel, at, &rows->key);
        load_coded_together(channel, at + row, &rows->next);
        return PM_REAL(q->side->place.u);
    }
    const float *keys = (const float *)channel->keys + at;
    rows->key = pm_load_quats(keys);
    rows->next = pm_load_quats(keys + row);
    for (unsigned e = 0; e < extras; e++)
        rows->extras[e] = pm_load_quats(keys + (1 + e) * (size_t)clip->plane);
    return PM_REAL(q->side->place.u);
}

static inline real load_rows(const request *q, pm_rows *rows, unsigned extras, unsigned statics) {
    const float *of_track = q->j->crowd->channels[q->c].statics;
    const pm_clip_place *clip = &q->j->crowd->clips[q->side->clip];
    real u;
    for (unsigned s = 0; s < statics; s++)
        rows->statics[s] =
            pm_load_quats(of_track + clip->statics + s * (size_t)clip->plane + 4 * q->j->first);
    if (!q->j->crowd->apart)
        return load_together(q, rows, extras);
    load_apart(q->j, q->side, q->c, rows, &u);
    return u;
}

#define PM_SAMPLE(name)                                                                            \
    PM_FLAT static void sample_##name(const request *q, pm_quat *to) {                             \
        pm_rows rows;                                                                              \
        real u = load_rows(q, &rows, pm_##name##_extras, pm_##name##_statics);                     \
        pm_##name##_segment segment = pm_##name##_begin(&rows);                                    \
        *to = pm_##name##_at(&segment, u);                                                         \
        if (pm_##name##_passes)                                                                    \
            *to = pm_at_ends(&rows, u, *to);                                                       \
    }
PM_CURVES(PM_SAMPLE)

#define PM_SAMPLE_ROW(name) [PM_CURVE_##name] = sample_##name,
static void (*const samplers[PM_CURVE_COUNT])(const request *,
                                              pm_quat *) = {PM_CURVES(PM_SAMPLE_ROW)};

static pm_quat sample(const joints *j, const pm_crowd_side *side, unsigned c) {
    const request q = {j, side, c};
    pm_quat value;
    samplers[j->crowd->channels[c].recipe.curve](&q, &value);
    if (c != PM_ROTATIONS)
        value.w = PM_REAL(0.0f);
    return value;
}

/* ---- poses ------------------------------------------------------------------------------ */

typedef struct pose {
    pm_quat of[PM_CHANNEL_COUNT];
} pose;

static real rest_field(const joints *j, unsigned field) {
    return pm_load_reals(j->crowd->rest + field * j->crowd->padded_joints + j->first);
}

static pm_quat rest_of(const joints *j, unsigned c) {
    static const unsigned fields[PM_CHANNEL_COUNT] = {PM_REST_ROTATION, PM_REST_POSITION,
                                                      PM_REST_SCALE};
    unsigned f = fields[c];
    return pm_quat_of(rest_field(j, f), rest_field(j, f + 1), rest_field(j, f + 2),
                      c == PM_ROTATIONS ? rest_field(j, f + 3) : PM_REAL(0.0f));
}

static pm_quat unscale_of(const joints *j) {
    return pm_quat_of(rest_field(j, PM_REST_UNSCALE), rest_field(j, PM_REST_UNSCALE + 1),
                      rest_field(j, PM_REST_UNSCALE + 2), PM_REAL(0.0f));
}

/* Which joints some clip moves in a channel. */
static pm_mask movers(const joints *j, unsigned c) {
    return rest_field(j, PM_REST_MOVES + c) != PM_REAL(0.0f);
}

static pm_quat blended(const joints *j, const pm_crowd_actor *who, unsigned c, pm_quat a, pm_quat b,
                       real weight) {
    if (!who->additive)
        return c == PM_ROTATIONS ? pm_rotations_mixed(a, b, weight)
                                 : pm_vectors_mixed(a, b, weight);
    return c == PM_ROTATIONS   ? pm_rotation_added(a, b, rest_of(j, c), weight)
           : c == PM_POSITIONS ? pm_position_added(a, b, rest_of(j, c), weight)
                               : pm_scale_added(a, b, unscale_of(j), weight);
}

/* Joints that the level lacks, and joint 0 in place. */
static pm_mask still_joints(const joints *j, const pm_crowd_actor *who) {
    float still[PM_LANES] = {0};
    for (size_t i = 0; who->joints && i < PM_LANES; i++)
        if (j->first + i < j->crowd->skeleton->joint_count)
            still[i] = who->joints[j->first + i] ? 0 : 1;
    if (who->in_place && j->first == 0)
        still[0] = 1;
    return pm_reals_of(still) != PM_REAL(0.0f);
}

static pm_quat channel_of(const joints *j, const pm_crowd_actor *who, unsigned c) {
    pm_quat rest = rest_of(j, c), value = rest;
    pm_mask moving = movers(j, c);
    if (!pm_any(moving))
        return rest;
    if (who->has_a)
        value = sample(j, &who->a, c);
    if (who->weight > 0) {
        real mask = pm_load_reals(who->mask + j->first);
        value = blended(j, who, c, value, sample(j, &who->b, c), PM_REAL(who->weight) * mask);
    }
    value = pm_quat_select(moving, value, rest);
    if (who->joints || who->in_place)
        value = pm_quat_select(still_joints(j, who), rest, value);
    return value;
}

void PM_LANE_NAME(pm_crowd_pose_joints)(const pm_crowd *crowd, const pm_crowd_actor *who,
                                        size_t first, pm_pose_block *to) {
    for (size_t at = 0; at < PM_POSE_JOINTS; at += PM_LANES) {
        joints j = {crowd, first + at};
        for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
            pm_store_quats(to->of[c][at], channel_of(&j, who, c), PM_LANES, 0);
    }
}

/* Rows one joint after another. */
static void put_matrices(pm_matrix m, float (*to)[16]) {
    float rows[4][PM_LANES][4];
    pm_store_quats(rows[0][0], m.x, PM_LANES, 0);
    pm_store_quats(rows[1][0], m.y, PM_LANES, 0);
    pm_store_quats(rows[2][0], m.z, PM_LANES, 0);
    memset(rows[3], 0, sizeof rows[3]); /* idle lanes: rubbish might be slow to compute with */
    for (size_t i = 0; i < PM_LANES; i++)
        for (size_t row = 0; row < 4; row++)
            memcpy(to[i] + 4 * row, rows[row][i], sizeof rows[row][i]);
}

PM_FLAT void PM_LANE_NAME(pm_crowd_place_joints)(const pm_crowd *crowd, const pm_crowd_actor *who,
                                                 size_t first, float (*to)[16]) {
    for (size_t at = 0; at < PM_POSE_JOINTS; at += PM_LANES) {
        joints j = {crowd, first + at};
        pm_matrix m =
            pm_matrix_of(channel_of(&j, who, PM_ROTATIONS), channel_of(&j, who, PM_POSITIONS));
        if (crowd->scaled) /* by 1 is as good as not */
            m = pm_matrix_scaled(m, channel_of(&j, who, PM_SCALES));
        put_matrices(m, to + at);
    }
}
