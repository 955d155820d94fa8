/* SPDX-License-Identifier: MIT
 *
 * Keys of a crowd's joints on the host, an instance per lane: located, and sampled by the kernels' curves for
 * some joints at a time. Compiled once for each instruction set. The bits of a lane do not depend on those
 * beside it.
 */
#include "lanes.h"

#include "kernels/pm_keys.h"
#include "kernels/pm_methods.h"
#include "kernels/pm_motion.h"

/* ---- locating keys --------------------------------------------------------------------------- */

/* The layout of a joint in a clip; NULL where timelines are common. */
static const pm_track_layout *layout_of(const pm_crowd_data *crowd, unsigned c, size_t clip,
                                        size_t joint) {
    const size_t joints = crowd->skeleton->joint_count;
    return crowd->per_joint ? &crowd->layout[(c * crowd->clip_count + clip) * joints + joint]
                            : NULL;
}

static void set_side(const pm_crowd_data *crowd, size_t clip, size_t joint, pm_cursor cursor,
                     size_t lane, pm_lane_side *to) {
    const pm_clip_layout *all = &crowd->clips[clip];
    size_t spacing = all->constants;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const pm_track_layout *own = layout_of(crowd, c, clip, joint);
        const size_t row = own ? own->row : all->row[c];
        if (!crowd->channels[c].present)
            continue;
        to->key[c][lane] = (own ? own->first : all->first[c]) + cursor.segment * row;
        to->next[c][lane] = to->key[c][lane] + row;
        to->plane[c][lane] = own ? own->plane : all->plane[c];
        spacing = own ? PM_SPACING_FLOATS * (size_t)own->rates : spacing;
    }
    to->u[lane] = cursor.u;
    to->constants[lane] = all->constants;
    to->constant_plane[lane] = all->plane[PM_ROTATIONS];
    to->spacing[lane] = spacing + PM_SPACING_FLOATS * (size_t)cursor.segment;
}

void PM_SET_NAME(pm_lanes_locate)(const pm_crowd_data *crowd, const pm_lane_times *times,
                                  size_t joint, bool moves, pm_lane_places *to) {
    unsigned present = 0; /* a joint's timeline is that of any channel that clips have */
    while (!crowd->channels[present].present)
        present++;
    to->side_count = 1;
    to->on_key = false;
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t clip = times->clip[i];
        const pm_track_layout *own = layout_of(crowd, present, clip, joint);
        const pm_u32 timeline = own ? own->timeline : crowd->clips[clip].timeline;
        const pm_crowd_timeline *t = &crowd->timelines[timeline];
        pm_sides at;
        if (moves)
            at = pm_crowd_sides(*t, crowd->rates[timeline], crowd->times, times->time[i],
                                times->clamps[i]);
        else
            at.cursor[0] = pm_crowd_locate(*t, crowd->times, times->time[i], times->clamps[i]);
        to->side_count = moves && at.rate[1] != 0.0f ? 2 : to->side_count;
        to->on_key = to->on_key || at.cursor[0].u == 0.0f || at.cursor[0].u == 1.0f;
        for (unsigned s = 0; s < (moves ? 2 : 1); s++) {
            set_side(crowd, clip, joint, at.cursor[s], i, &to->sides[s]);
            to->sides[s].rates[i] = moves ? at.rate[s] * times->speed[i] : 0.0f;
        }
    }
}

/* ---- sampling -------------------------------------------------------------------------------- */

/* A block of joints, and a channel of it that is to be sampled on a side of the lanes' times. */
typedef struct request {
    const pm_channel *channel;
    const pm_lane_side *side;
    const pm_joint *joints;
    size_t count;
    unsigned c;
    bool first_side, on_key, moves, per_joint;
} request;

/* Not inlined into each curve: decoding is long. */
static __attribute__((noinline)) pm_quat gather_codes(const pm_channel *channel,
                                                      const pm_u64 at[PM_LANES], size_t ahead) {
    pm_u64 moved[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++)
        moved[i] = at[i] + ahead;
    return channel->format == PM_KEYS_LOG48 ? pm_gather_log48(channel->keys, moved)
                                            : pm_gather_smallest48(channel->keys, moved);
}

/* Keys `ahead` numbers behind those that are located; only curves of keys alone have some of 48 bits. */
static inline pm_quat gather(const request *q, const pm_u64 at[PM_LANES], size_t ahead,
                             bool has_planes) {
    if (!has_planes && q->channel->format != PM_KEYS_FLOAT32)
        return gather_codes(q->channel, at, ahead);
    return pm_gather_quats_at((const float *)q->channel->keys + ahead, at);
}

static inline void gather_beside(const request *q, size_t ahead, pm_segment_data *data) {
    const pm_lane_side *side = q->side;
    const float *spacing = q->channel->constants;
    pm_u64 before[PM_LANES], after[PM_LANES];
    float to_before[PM_LANES], to_after[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_u64 row = side->next[q->c][i] - side->key[q->c][i];
        before[i] = side->key[q->c][i] - row;
        after[i] = side->next[q->c][i] + row;
        to_before[i] = spacing[side->spacing[i]];
        to_after[i] = spacing[side->spacing[i] + 1];
    }
    data->coefficients[0] = gather(q, before, ahead, false);
    data->coefficients[1] = gather(q, after, ahead, false);
    pm_set_spacing(data, pm_reals_of(to_before), pm_reals_of(to_after));
}

/* The last three are compile-time constants at each call. */
static inline pm_segment_data load(const request *q, const pm_joint *joint, unsigned coefficients,
                                   unsigned constants, bool four_keys) {
    const pm_lane_side *side = q->side;
    const size_t ahead = q->per_joint ? 0 : 4 * (size_t)joint->number;
    const bool has_planes = coefficients + constants > 0;
    pm_segment_data data;
    pm_u64 at[PM_LANES];
    data.key = gather(q, side->key[q->c], ahead, has_planes);
    data.next = gather(q, side->next[q->c], ahead, has_planes);
    for (unsigned e = 0; e < coefficients; e++) {
        for (size_t i = 0; i < PM_LANES; i++)
            at[i] = side->key[q->c][i] + (1 + e) * side->plane[q->c][i];
        data.coefficients[e] = gather(q, at, ahead, true);
    }
    for (unsigned s = 0; s < constants; s++) {
        for (size_t i = 0; i < PM_LANES; i++)
            at[i] = side->constants[i] + s * side->constant_plane[i] + 4 * (size_t)joint->number;
        data.constants[s] = pm_gather_quats_at(q->channel->constants, at);
    }
    if (four_keys)
        gather_beside(q, ahead, &data);
    return data;
}

#define PM_SAMPLE(name, derivative)                                                                \
    PM_FLAT static void sample_##name(const request *q, pm_quat *values, pm_quat *rates) {         \
        const real u = pm_reals_of(q->side->u), rate = pm_reals_of(q->side->rates);                \
        real basis[pm_##name##_basis_size];                                                        \
        pm_##name##_basis(u, basis);                                                               \
        for (size_t k = 0; k < q->count; k++) {                                                    \
            if (!(q->joints[k].animated >> q->c & 1))                                              \
                continue;                                                                          \
            const pm_segment_data data = load(q, &q->joints[k], pm_##name##_coefficients,          \
                                              pm_##name##_constants, pm_##name##_four_keys);       \
            const pm_##name##_segment segment = pm_##name##_begin(&data);                          \
            if (q->first_side) {                                                                   \
                values[k] = pm_##name##_at(&segment, basis);                                       \
                if (pm_##name##_passes && q->on_key)                                               \
                    values[k] = pm_at_ends(&data, u, values[k], pm_##name##_passes);               \
                if (q->c != PM_ROTATIONS)                                                          \
                    values[k].w = PM_REAL(0.0f);                                                   \
            }                                                                                      \
            if (q->moves) {                                                                        \
                const pm_quat d = derivative;                                                      \
                rates[k] = q->first_side ? d : pm_quat_sum(rates[k], d);                           \
            }                                                                                      \
        }                                                                                          \
    }
#define PM_SAMPLE_ROTATION(name) PM_SAMPLE(name, pm_##name##_spin(&segment, u, rate))
#define PM_SAMPLE_VECTOR(name) PM_SAMPLE(name, pm_rate_of(pm_##name##_slope(&segment, u), rate))
PM_ROTATION_CURVES(PM_SAMPLE_ROTATION)
PM_VECTOR_CURVES(PM_SAMPLE_VECTOR)

#define PM_SAMPLE_ROW(name) [PM_CURVE_##name] = sample_##name,
static void (*const samplers[PM_CURVE_COUNT])(const request *, pm_quat *,
                                              pm_quat *) = {PM_CURVES(PM_SAMPLE_ROW)};

void PM_SET_NAME(pm_lanes_sample)(const pm_crowd_data *crowd, const pm_lane_places *at,
                                  const pm_joint *joints, size_t count, unsigned channels,
                                  pm_lane_values *values, pm_lane_values *rates) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        for (unsigned s = 0; channels >> c & 1 && s < (rates ? at->side_count : 1); s++) {
            const request q = {.channel = &crowd->channels[c],
                               .side = &at->sides[s],
                               .joints = joints,
                               .count = count,
                               .c = c,
                               .first_side = s == 0,
                               .on_key = at->on_key,
                               .moves = rates != NULL,
                               .per_joint = crowd->per_joint};
            samplers[q.channel->impl.curve](&q, values->of[c], rates ? rates->of[c] : NULL);
        }
}
