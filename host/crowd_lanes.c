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

#include "../kernels/pm_keys.h"
#include "../kernels/pm_methods.h"
#include "../kernels/pm_pose.h"
#include "crowd_actor.h"
#include "crowd_set.h"

/* PM_LANES joints from `first` on; those beyond the last are padding. */
typedef struct joints {
    const pm_crowd *crowd;
    size_t first;
} joints;

#define PM_SAMPLE(name)                                                                            \
    static void sample_##name(const pm_rows *rows, real u, pm_quat *to) {                          \
        pm_##name##_segment segment = pm_##name##_begin(rows);                                     \
        *to = pm_##name##_at(&segment, u);                                                         \
        if (pm_##name##_passes)                                                                    \
            *to = pm_at_ends(rows, u, *to);                                                        \
    }
PM_CURVES(PM_SAMPLE)

#define PM_SAMPLE_ROW(name) [PM_CURVE_##name] = sample_##name,
static void (*const samplers[PM_CURVE_COUNT])(const pm_rows *, real,
                                              pm_quat *) = {PM_CURVES(PM_SAMPLE_ROW)};

/* ---- where keys are ------------------------------------------------------------------ */

/* Of each lane */
typedef struct spots {
    pm_u64 key[PM_LANES], next[PM_LANES];
    size_t plane[PM_LANES];
    float u[PM_LANES];
} spots;

static void find_together(const joints *j, const pm_crowd_side *side, unsigned c, spots *at) {
    const pm_clip_place *clip = &j->crowd->clips[side->clip];
    for (size_t i = 0; i < PM_LANES; i++) {
        at->key[i] =
            clip->first[c] + (size_t)side->place.segment * clip->row[c] + 4 * (j->first + i);
        at->next[i] = at->key[i] + clip->row[c];
        at->plane[i] = clip->plane;
        at->u[i] = side->place.u;
    }
}

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

static pm_quat load_plane(const joints *j, const float *keys, const spots *at, size_t plane) {
    const float *from[PM_LANES];
    if (!j->crowd->apart)
        return pm_load_quats(keys + at->key[0] + plane * at->plane[0]);
    for (size_t i = 0; i < PM_LANES; i++)
        from[i] = keys + at->key[i] + plane * at->plane[i];
    return pm_gather_quats(from);
}

static pm_quat load_next(const joints *j, const float *keys, const spots *at) {
    const float *from[PM_LANES];
    if (!j->crowd->apart)
        return pm_load_quats(keys + at->next[0]);
    for (size_t i = 0; i < PM_LANES; i++)
        from[i] = keys + at->next[i];
    return pm_gather_quats(from);
}

static pm_quat load_coded(const pm_channel *channel, const pm_u64 *at) {
    return channel->format == PM_KEYS_LOG48 ? pm_gather_log48(channel->keys, at)
                                            : pm_gather_smallest48(channel->keys, at);
}

static void load_rows(const joints *j, const pm_channel *channel, const spots *at, pm_rows *rows) {
    const pm_curve *curve = &pm_curves[channel->recipe.curve];
    if (channel->format != PM_KEYS_FLOAT32) {
        rows->key = load_coded(channel, at->key);
        rows->next = load_coded(channel, at->next);
        return;
    }
    rows->key = load_plane(j, channel->keys, at, 0);
    rows->next = load_next(j, channel->keys, at);
    for (unsigned e = 0; e < curve->extras; e++)
        rows->extras[e] = load_plane(j, channel->keys, at, 1 + e);
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

static pm_quat sample(const joints *j, const pm_crowd_side *side, unsigned c) {
    const pm_channel *channel = &j->crowd->channels[c];
    const pm_clip_place *clip = &j->crowd->clips[side->clip];
    pm_rows rows;
    pm_quat value;
    spots at;
    if (j->crowd->apart)
        find_apart(j, side, c, &at);
    else
        find_together(j, side, c, &at);
    load_rows(j, channel, &at, &rows);
    for (unsigned s = 0; s < pm_curves[channel->recipe.curve].statics; s++)
        rows.statics[s] = pm_load_quats(channel->statics + clip->statics + s * (size_t)clip->plane +
                                        4 * j->first);
    samplers[channel->recipe.curve](&rows, pm_reals_of(at.u), &value);
    if (c != PM_ROTATIONS)
        value.w = PM_REAL(0.0f);
    return value;
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

static void put(pm_pose_block *to, size_t at, pm_quat x, pm_quat y, pm_quat z) {
    pm_store_quats(to->rows[0][at], x, PM_LANES, 0);
    pm_store_quats(to->rows[1][at], y, PM_LANES, 0);
    pm_store_quats(to->rows[2][at], z, PM_LANES, 0);
}

void PM_LANE_NAME(pm_crowd_pose_joints)(const pm_crowd *crowd, const pm_crowd_actor *who,
                                        size_t first, bool matrices, pm_pose_block *to) {
    for (size_t at = 0; at < PM_POSE_JOINTS; at += PM_LANES) {
        joints j = {crowd, first + at};
        pm_quat rotation = channel_of(&j, who, PM_ROTATIONS);
        pm_quat position = channel_of(&j, who, PM_POSITIONS);
        pm_quat scale = channel_of(&j, who, PM_SCALES);
        if (!matrices) {
            put(to, at, rotation, position, scale);
            continue;
        }
        pm_matrix m = pm_matrix_of(rotation, position);
        if (crowd->scaled)
            m = pm_matrix_scaled(m, scale); /* by 1 is as good as not */
        put(to, at, m.x, m.y, m.z);
    }
}
