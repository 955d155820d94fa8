/* SPDX-License-Identifier: MIT
 *
 * Sampling for the reference path: a table of curves, each a function of a segment's rows.
 */
#include "crowd_sample.h"

#include "key_format.h"

#define PM_SAMPLE(name)                                                                            \
    static pm_quat sample_##name(const pm_rows *rows, float u) {                                   \
        pm_##name##_segment segment = pm_##name##_begin(rows);                                     \
        pm_quat value = pm_##name##_at(&segment, u);                                               \
        return pm_##name##_passes ? pm_at_ends(rows, u, value) : value;                            \
    }
PM_CURVES(PM_SAMPLE)

#define PM_SAMPLE_ROW(name) [PM_CURVE_##name] = sample_##name,
static pm_quat (*const samplers[PM_CURVE_COUNT])(const pm_rows *,
                                                 float) = {PM_CURVES(PM_SAMPLE_ROW)};

pm_crowd_side pm_crowd_side_of(const pm_crowd *crowd, size_t clip, int64_t time, bool clamps) {
    pm_crowd_side side = {.clip = clip, .time = time, .clamps = clamps};
    if (!crowd->apart)
        side.place = pm_crowd_place(crowd->timelines[crowd->clips[clip].timeline], crowd->times,
                                    time, clamps);
    return side;
}

float pm_crowd_weight(const pm_crowd *crowd, const pm_crowd_instance *instance) {
    float weight = instance->weight > 0 ? instance->weight : 0; /* NaN is not */
    return instance->clip_b >= crowd->clip_count ? 0 : weight < 1 ? weight : 1;
}

float pm_crowd_weight_at(const pm_crowd *crowd, const pm_crowd_instance *instance, size_t j) {
    const pm_skeleton *s = crowd->skeleton;
    size_t mask = instance->mask <= s->mask_count ? instance->mask : 0;
    return pm_crowd_weight(crowd, instance) * s->masks[mask * s->joint_count + j];
}

/* Where a joint's segment is. */
typedef struct spot {
    size_t key, row, plane;
    float u;
} spot;

static spot spot_of(const pm_crowd *crowd, const pm_crowd_side *side, unsigned c, size_t j) {
    const pm_clip_place *clip = &crowd->clips[side->clip];
    if (!crowd->apart)
        return (spot){clip->first[c] + (size_t)side->place.segment * clip->row[c] + 4 * j,
                      clip->row[c], clip->plane, side->place.u};
    const pm_track_rows *rows =
        &crowd->layout[(c * crowd->clip_count + side->clip) * crowd->skeleton->joint_count + j];
    pm_place place =
        pm_crowd_place(crowd->timelines[rows->timeline], crowd->times, side->time, side->clamps);
    return (spot){rows->first + (size_t)place.segment * rows->row, rows->row, rows->plane, place.u};
}

static pm_quat load(const float *from) {
    return pm_quat_of(from[0], from[1], from[2], from[3]);
}

static pm_quat load_key(const pm_channel *channel, size_t at) {
    return channel->format == PM_KEYS_FLOAT32 ? load((const float *)channel->keys + at)
                                              : pm_key_load(channel->format, channel->keys, at);
}

static pm_quat sample(const pm_crowd *crowd, const pm_crowd_side *side, unsigned c, size_t j) {
    const pm_channel *channel = &crowd->channels[c];
    const pm_curve *curve = &pm_curves[channel->recipe.curve];
    const pm_clip_place *clip = &crowd->clips[side->clip];
    const float *floats = channel->keys;
    spot at = spot_of(crowd, side, c, j);
    pm_rows rows;
    rows.key = load_key(channel, at.key);
    rows.next = load_key(channel, at.key + at.row);
    for (unsigned e = 0; e < curve->extras; e++)
        rows.extras[e] = load(floats + at.key + (1 + e) * at.plane);
    for (unsigned s = 0; s < curve->statics; s++)
        rows.statics[s] = load(channel->statics + clip->statics + s * (size_t)clip->plane + 4 * j);
    return samplers[channel->recipe.curve](&rows, at.u);
}

pm_local pm_crowd_sample(const pm_crowd *crowd, const pm_crowd_side *side, size_t j,
                         pm_local rest) {
    pm_u32 animated = crowd->joints[j].animated;
    pm_local pose = rest;
    if (animated >> PM_ROTATIONS & 1)
        pose.rotation = sample(crowd, side, PM_ROTATIONS, j);
    if (animated >> PM_POSITIONS & 1)
        pose.position = sample(crowd, side, PM_POSITIONS, j);
    if (animated >> PM_SCALES & 1)
        pose.scale = sample(crowd, side, PM_SCALES, j);
    pose.position.w = pose.scale.w = 0;
    return pose;
}
