/* SPDX-License-Identifier: MIT
 *
 * Local poses of one instance on the host, a span of joints at a time, a joint per lane. Each
 * channel is sampled, blended, and set to the rest pose where nothing moves it. Also the matrices
 * relative to the joints' parents. Compiled once for each instruction set.
 *
 * Lane j of a vector whose first joint is `at` has joint at + PM_ITEM_OF(j), so that quaternions of
 * consecutive joints are transposed within parts.
 */
#include "float_lanes.h"

#include "pose_functions.h"

#include <string.h>

#include "kernels/pm_instance.h"
#include "kernels/pm_keys.h"
#include "kernels/pm_methods.h"

/* `count` joints of an instance, a multiple of PM_LANES, from `first` on. Joints beyond the
 * skeleton's last one are padding. */
typedef struct span {
    const pm_crowd_data *crowd;
    const pm_instance_state *state;
    size_t first, count;
} span;

/* The pm_moved of each group of a span's joints. */
static inline const pm_u8 *moved_of(const span *joints, unsigned c) {
    const size_t padded = joints->crowd->padded_joints;
    return joints->state->moved + (c * padded + joints->first) / PM_TRACK_GROUP;
}

/* The values of a channel of a span: x, y, z and w of its joints, those of each vector in the order of
 * its lanes. Only rotations have a w. */
typedef float (*channel_lanes)[PM_SPAN_JOINTS];

/* A read-only view of a channel: x, y, z and w of the joints, `stride` floats apart, in the order of
 * the lanes or of the joints. */
typedef struct channel_view {
    const float *first;
    size_t stride;
    bool in_lanes;
} channel_view;

/* Numbers of consecutive joints. */
static inline real load_joints(const float *from) {
    real numbers = pm_load_reals(from);
    return PM_IN_LANES(numbers);
}

static inline pm_quat load_view(channel_view p, size_t at, unsigned c) {
    pm_quat q;
    q.x = pm_load_reals(p.first + at);
    q.y = pm_load_reals(p.first + p.stride + at);
    q.z = pm_load_reals(p.first + 2 * p.stride + at);
    q.w = c == PM_ROTATIONS ? pm_load_reals(p.first + 3 * p.stride + at) : PM_REAL(0.0f);
    if (p.in_lanes)
        return q;
    return pm_quat_of(PM_IN_LANES(q.x), PM_IN_LANES(q.y), PM_IN_LANES(q.z), PM_IN_LANES(q.w));
}

static inline pm_quat load_lanes(channel_lanes from, size_t at, unsigned c) {
    return load_view((channel_view){from[0], PM_SPAN_JOINTS, true}, at, c);
}

static inline void store_lanes(channel_lanes to, size_t at, unsigned c, pm_quat q) {
    memcpy(to[0] + at, &q.x, sizeof q.x);
    memcpy(to[1] + at, &q.y, sizeof q.y);
    memcpy(to[2] + at, &q.z, sizeof q.z);
    if (c == PM_ROTATIONS)
        memcpy(to[3] + at, &q.w, sizeof q.w);
}

/* A channel of a span's joints to be sampled from an input. */
typedef struct request {
    const span *joints;
    const pm_located_input *input;
    const pm_channel *channel;
    const pm_clip_layout *clip;
    const pm_u8 *moved; /* pm_moved of each group of joints */
    const float *key;   /* of the first joint; set where `direct` */
    /* Of the segment, for curves with four keys, unless joints have timelines. */
    const float *spacing;
    size_t row, plane;
    unsigned c;
    float u;
    bool per_joint; /* the joints have timelines */
    bool direct;    /* the joints' keys are float32 and contiguous, and share u */
    bool coded;     /* likewise, but of 48 bits */
    bool inside;    /* the joints share u, which is neither 0 nor 1 */
} request;

static request request_of(const span *joints, const pm_located_input *input, unsigned c) {
    const pm_crowd_data *crowd = joints->crowd;
    const pm_channel *channel = &crowd->channels[c];
    const pm_clip_layout *clip = &crowd->clips[input->at.clip];
    size_t key = clip->first[c] + (size_t)input->cursor.segment * clip->row[c] + 4 * joints->first;
    request q = {.joints = joints,
                 .input = input,
                 .channel = channel,
                 .clip = clip,
                 .moved = moved_of(joints, c),
                 .row = clip->row[c],
                 .plane = clip->plane[c],
                 .c = c,
                 .u = input->cursor.u,
                 .per_joint = pm_is_per_joint(crowd, input->at.clip)};
    q.direct = !q.per_joint && channel->format == PM_KEYS_FLOAT32;
    q.coded = !q.per_joint && !q.direct;
    if (channel->constants)
        q.spacing = channel->constants + clip->constants +
                    PM_SPACING_FLOATS * (size_t)input->cursor.segment;
    if (q.direct)
        q.key = (const float *)channel->keys + key;
    q.inside = !q.per_joint && q.u != 0.0f && q.u != 1.0f;
    return q;
}

/* The position of the keys, for each lane. */
typedef struct key_addresses {
    pm_u64 key[PM_LANES], next[PM_LANES];
    size_t plane[PM_LANES];
    size_t spacing[PM_LANES]; /* the number of its first float */
    float u[PM_LANES];
} key_addresses;

static inline void set_address(key_addresses *at, size_t lane, const pm_track_layout *data,
                               pm_cursor cursor) {
    at->key[lane] = data->first + (size_t)cursor.segment * data->row;
    at->next[lane] = at->key[lane] + data->row;
    at->plane[lane] = data->plane;
    at->spacing[lane] = PM_SPACING_FLOATS * ((size_t)data->rates + cursor.segment);
    at->u[lane] = cursor.u;
}

/* Locates each joint on its own timeline. */
static void find_per_joint(const request *q, size_t first, key_addresses *at) {
    const pm_crowd_data *crowd = q->joints->crowd;
    size_t n = crowd->skeleton->joint_count;
    for (size_t i = 0; i < PM_LANES; i++) {
        size_t joint = first + PM_ITEM_OF(i);
        if (joint >= n)
            joint = n - 1;
        const pm_track_layout *data = &crowd->layout[q->clip->layout + q->c * n + joint];
        pm_cursor cursor = pm_crowd_locate(crowd->timelines[data->timeline], crowd->times,
                                           q->input->at.time, q->input->at.clamps);
        set_address(at, i, data, cursor);
    }
}

static pm_quat gather(const pm_channel *channel, const pm_u64 *at, size_t plane,
                      const size_t *planes) {
    const float *from[PM_LANES];
    if (channel->format != PM_KEYS_FLOAT32)
        return channel->format == PM_KEYS_LOG48 ? pm_gather_log48(channel->keys, at)
                                                : pm_gather_smallest48(channel->keys, at);
    for (size_t i = 0; i < PM_LANES; i++)
        from[i] = (const float *)channel->keys + at[i] + plane * planes[i];
    return pm_gather_quats(from);
}

/* The segments of the lanes, with the parameter u in each. */
typedef struct loaded_segment {
    pm_segment_data data;
    real u;
} loaded_segment;

/* The keys beside the segments, and their spacing. */
static void load_beside(const pm_channel *channel, const key_addresses *at, pm_segment_data *data) {
    pm_u64 before[PM_LANES], after[PM_LANES];
    float to_before[PM_LANES], to_after[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_u64 row = at->next[i] - at->key[i];
        before[i] = at->key[i] - row;
        after[i] = at->next[i] + row;
        to_before[i] = channel->constants[at->spacing[i]];
        to_after[i] = channel->constants[at->spacing[i] + 1];
    }
    data->coefficients[0] = gather(channel, before, 0, at->plane);
    data->coefficients[1] = gather(channel, after, 0, at->plane);
    pm_set_spacing(data, pm_reals_of(to_before), pm_reals_of(to_after));
}

static loaded_segment load_at(const pm_channel *channel, const key_addresses *at) {
    const pm_curve *curve = &pm_curves[channel->impl.curve];
    loaded_segment l;
    l.u = pm_reals_of(at->u);
    l.data.key = gather(channel, at->key, 0, at->plane);
    l.data.next = gather(channel, at->next, 0, at->plane);
    for (unsigned e = 0; e < curve->coefficients; e++)
        l.data.coefficients[e] = gather(channel, at->key, 1 + e, at->plane);
    if (curve->four_keys)
        load_beside(channel, at, &l.data);
    return l;
}

/* Loads keys that are neither `direct` nor `coded`. Not inlined, and the request is rebuilt here, so that the
 * callers can keep theirs in registers. */
static __attribute__((noinline)) loaded_segment
load_each(const span *joints, const pm_located_input *input, unsigned c, size_t first) {
    const request q = request_of(joints, input, c);
    key_addresses at;
    find_per_joint(&q, first, &at);
    return load_at(q.channel, &at);
}

/* Neighbouring numbers of a group of keys, the first `own` of them; the others are the first of the next group. */
static inline pm_mask load_numbers(const pm_s16 *group, const pm_s16 *next, int own) {
    pm_mask numbers = pm_load_numbers(group);
    if (own < PM_LANES)
        numbers = pm_bits_select(PM_NUMBERS < PM_BITS(own), numbers, pm_load_numbers(next - own));
    return PM_IN_LANES(numbers);
}

/* As pm_load_codes, but the index of the first is any: rows end within groups of keys. Where the numbers of a
 * group end, those of the next follow. There is a next one then: joints that are loaded beside the last of a
 * crowd lie in the first numbers of the group behind its keys. */
static inline pm_codes load_codes(const pm_s16 *keys, pm_u32 words, size_t at) {
    const pm_u32 lane = pm_key_in_group(at);
    const int own = (int)(PM_KEY_GROUP - lane);
    const pm_s16 *group = pm_key_group(keys, words, at), *next = group + words;
    pm_u32 signs = (pm_u16)group[words - 1];
    if (own < PM_LANES)
        signs |= (pm_u32)(pm_u16)next[words - 1] << PM_KEY_GROUP;
    return (pm_codes){
        load_numbers(group + lane, next, own),
        load_numbers(group + lane + PM_KEY_GROUP, next + PM_KEY_GROUP, own),
        load_numbers(group + lane + (size_t)2 * PM_KEY_GROUP, next + (size_t)2 * PM_KEY_GROUP, own),
        pm_signs_of(words == PM_LOG48_WORDS ? (int)(signs >> lane) : 0)};
}

static inline pm_quat load_code(const pm_channel *channel, size_t at) {
    return channel->format == PM_KEYS_LOG48
               ? pm_log48_quat(load_codes(channel->keys, PM_LOG48_WORDS, at))
               : pm_smallest48_quat(load_codes(channel->keys, PM_SMALLEST48_WORDS, at));
}

/* Only curves without coefficients and constants have keys of 48 bits. */
static inline loaded_segment load_coded(const request *q, size_t at, bool four_keys) {
    const size_t key = q->clip->first[q->c] + (size_t)q->input->cursor.segment * q->row +
                       4 * (q->joints->first + at);
    loaded_segment l;
    l.data.key = load_code(q->channel, key);
    l.data.next = load_code(q->channel, key + q->row);
    if (four_keys) {
        l.data.coefficients[0] = load_code(q->channel, key - q->row);
        l.data.coefficients[1] = load_code(q->channel, key + 2 * q->row);
        pm_set_spacing(&l.data, PM_REAL(q->spacing[0]), PM_REAL(q->spacing[1]));
    }
    l.u = PM_REAL(q->u);
    return l;
}

/* The last three are compile-time constants at each call. */
static inline loaded_segment load(const request *q, size_t at, unsigned coefficients,
                                  unsigned constants, bool four_keys) {
    loaded_segment l;
    if (q->direct) {
        const float *key = q->key + 4 * at;
        l.data.key = pm_load_items(key);
        l.data.next = pm_load_items(key + q->row);
        for (unsigned e = 0; e < coefficients; e++)
            l.data.coefficients[e] = pm_load_items(key + (1 + e) * q->plane);
        if (four_keys) {
            l.data.coefficients[0] = pm_load_items(key - q->row);
            l.data.coefficients[1] = pm_load_items(key + 2 * q->row);
            pm_set_spacing(&l.data, PM_REAL(q->spacing[0]), PM_REAL(q->spacing[1]));
        }
        l.u = PM_REAL(q->u);
    } else {
        l = load_each(q->joints, q->input, q->c, q->joints->first + at);
    }
    for (unsigned s = 0; s < constants; s++)
        l.data.constants[s] = pm_load_items(q->channel->constants + q->clip->constants +
                                            s * q->plane + 4 * (q->joints->first + at));
    return l;
}

/* Vectors of joints in a span. */
enum { PM_SPAN_VECTORS = PM_SPAN_JOINTS / PM_LANES };

/* The keys of a segment, for samples on a key. */
typedef struct segment_ends {
    pm_quat key, next;
} segment_ends;

static inline pm_quat at_ends(const segment_ends *ends, real u, pm_quat value, int passes) {
    const pm_segment_data data = {.key = ends->key, .next = ends->next};
    return pm_at_ends(&data, u, value, passes);
}

/* Prepares the segments of a span's joints. Compiled once more for keys of 48 bits, so that the loop
 * for float32 keeps its registers. */
#define PM_PREPARE(name, loaded)                                                                   \
    for (size_t at = 0; at < count; at += PM_LANES) {                                              \
        if (!q.moved[at / PM_TRACK_GROUP])                                                         \
            continue;                                                                              \
        loaded_segment l = loaded;                                                                 \
        segments[at / PM_LANES] = pm_##name##_begin(&l.data);                                      \
        us[at / PM_LANES] = l.u;                                                                   \
        if (pm_##name##_passes && !q.inside)                                                       \
            ends[at / PM_LANES] = (segment_ends){l.data.key, l.data.next};                         \
    }

/* All segments of a span are prepared before any is sampled: the steps of one vector of joints wait
 * for each other, those of another do not. */
#define PM_SAMPLE(name)                                                                            \
    PM_FLAT static void sample_##name(const span *joints, const pm_located_input *input,           \
                                      unsigned c, channel_lanes to) {                              \
        const request q = request_of(joints, input, c);                                            \
        const size_t count = q.joints->count;                                                      \
        pm_##name##_segment segments[PM_SPAN_VECTORS];                                             \
        real us[PM_SPAN_VECTORS];                                                                  \
        segment_ends ends[PM_SPAN_VECTORS];                                                        \
        real basis[pm_##name##_basis_size];                                                        \
        pm_##name##_basis(PM_REAL(q.u), basis);                                                    \
        if (pm_##name##_coefficients + pm_##name##_constants == 0 && q.coded)                      \
            PM_PREPARE(name, load_coded(&q, at, pm_##name##_four_keys))                            \
        else                                                                                       \
            PM_PREPARE(name, load(&q, at, pm_##name##_coefficients, pm_##name##_constants,         \
                                  pm_##name##_four_keys))                                          \
        for (size_t at = 0; at < count; at += PM_LANES) {                                          \
            const size_t v = at / PM_LANES;                                                        \
            if (!q.moved[at / PM_TRACK_GROUP])                                                     \
                continue;                                                                          \
            if (q.per_joint)                                                                       \
                pm_##name##_basis(us[v], basis);                                                   \
            pm_quat value = pm_##name##_at(&segments[v], basis);                                   \
            if (pm_##name##_passes && !q.inside)                                                   \
                value = at_ends(&ends[v], us[v], value, pm_##name##_passes);                       \
            store_lanes(to, at, q.c, value);                                                       \
        }                                                                                          \
    }
PM_CURVES(PM_SAMPLE)

#define PM_SAMPLE_ROW(name) [PM_CURVE_##name] = sample_##name,
static void (*const samplers[PM_CURVE_COUNT])(const span *, const pm_located_input *, unsigned,
                                              channel_lanes) = {PM_CURVES(PM_SAMPLE_ROW)};

static void sample(const span *joints, const pm_located_input *input, unsigned c,
                   channel_lanes to) {
    samplers[joints->crowd->channels[c].impl.curve](joints, input, c, to);
}

static real rest_field(const span *joints, size_t at, unsigned field) {
    const pm_crowd_data *crowd = joints->crowd;
    return load_joints(crowd->rest + field * crowd->padded_joints + joints->first + at);
}

static channel_view rest_view(const span *joints, unsigned c) {
    static const unsigned fields[PM_CHANNEL_COUNT] = {PM_REST_ROTATION, PM_REST_POSITION,
                                                      PM_REST_SCALE};
    const pm_crowd_data *crowd = joints->crowd;
    return (channel_view){crowd->rest + fields[c] * crowd->padded_joints + joints->first,
                          crowd->padded_joints, false};
}

static pm_quat rest_of(const span *joints, size_t at, unsigned c) {
    return load_view(rest_view(joints, c), at, c);
}

static pm_quat inverse_scale_of(const span *joints, size_t at) {
    return pm_quat_of(rest_field(joints, at, PM_REST_UNSCALE),
                      rest_field(joints, at, PM_REST_UNSCALE + 1),
                      rest_field(joints, at, PM_REST_UNSCALE + 2), PM_REAL(0.0f));
}

/* A channel of lanes after an input. */
static pm_quat applied(const span *joints, const pm_located_input *input, size_t at, unsigned c,
                       pm_quat value, channel_lanes samples) {
    const real weight = PM_REAL(input->at.weight) * load_joints(input->mask + joints->first + at);
    return pm_input_applied(c, input->at.op, PM_REAL((float)input->at.op), value,
                            load_lanes(samples, at, c), rest_of(joints, at, c),
                            inverse_scale_of(joints, at), weight);
}

/* Selects the lanes whose joint keeps its rest pose. */
static pm_mask rest_mask(const span *joints, size_t at) {
    const pm_instance_state *state = joints->state;
    float still[PM_LANES] = {0};
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t joint = joints->first + at + PM_ITEM_OF(i);
        if (joint >= joints->crowd->skeleton->joint_count)
            continue;
        const pm_u32 has = state->joints ? state->joints[joint] : 1;
        still[i] = pm_keeps_rest(has, (pm_u32)joint, state->in_place) ? 1.0f : 0.0f;
    }
    return pm_reals_of(still) != PM_REAL(0.0f);
}

/* The final value of lanes: at rest where nothing moves them. */
static pm_quat finished(const span *joints, size_t at, unsigned c, pm_quat value) {
    const pm_instance_state *state = joints->state;
    const pm_quat rest = rest_of(joints, at, c);
    const pm_mask moves = rest_field(joints, at, PM_REST_MOVES + c) != PM_REAL(0.0f);
    value = pm_quat_select(moves, value, rest);
    if (state->joints || state->in_place)
        value = pm_quat_select(rest_mask(joints, at), rest, value);
    return value;
}

/* The poses after layer n, of joints that a clip may move. */
PM_FLAT static void apply_layer(const span *joints, size_t n, unsigned c, unsigned seen,
                                pm_mean means[PM_SPAN_VECTORS], channel_lanes to) {
    const pm_located_input *input = &joints->state->inputs[n];
    const real op = PM_REAL((float)input->at.op);
    const pm_u8 *moved = moved_of(joints, c);
    _Alignas(PM_CACHE_LINE) float samples[4][PM_SPAN_JOINTS];
    sample(joints, input, c, samples);
    for (size_t at = 0; at < joints->count; at += PM_LANES) {
        if (moved[at / PM_TRACK_GROUP] == PM_MOVED_NOT)
            continue;
        const real weight =
            PM_REAL(input->at.weight) * load_joints(input->mask + joints->first + at);
        pm_mean *mean = &means[at / PM_LANES];
        if (input->at.op & ~seen & PM_OP_MEAN)
            *mean = pm_mean_begin();
        const pm_quat value = pm_layer_applied(c, input->at.op, op, load_lanes(to, at, c),
                                               load_lanes(samples, at, c), rest_of(joints, at, c),
                                               inverse_scale_of(joints, at), weight, seen, mean);
        store_lanes(to, at, c, value);
    }
}

/* The poses after all layers of an instance. */
PM_FLAT static void apply_layers(const span *joints, unsigned c, channel_lanes to) {
    const pm_instance_state *state = joints->state;
    const pm_u8 *moved = moved_of(joints, c);
    pm_mean means[PM_SPAN_VECTORS];
    unsigned seen = 0;
    for (size_t n = PM_INPUTS; n < state->input_count; n++) {
        apply_layer(joints, n, c, seen, means, to);
        seen |= state->inputs[n].at.op;
    }
    for (size_t at = 0; at < joints->count; at += PM_LANES)
        if (moved[at / PM_TRACK_GROUP] != PM_MOVED_NOT)
            store_lanes(
                to, at, c,
                finished(joints, at, c,
                         pm_layers_ended(c, load_lanes(to, at, c), seen, &means[at / PM_LANES])));
}

/* A channel of the given local poses. Padding joints get the rest pose. */
static void load_given(const span *joints, unsigned c, channel_lanes to) {
    for (size_t at = 0; at < joints->count; at += PM_LANES) {
        for (size_t i = 0; i < PM_LANES; i++) {
            const size_t joint = joints->first + at + PM_ITEM_OF(i);
            float row[4] = {0, 0, 0, c == PM_ROTATIONS ? 1.0f : 0.0f};
            if (joint < joints->crowd->skeleton->joint_count)
                memcpy(row, joints->state->given + (12 * joint + 4 * (size_t)c) * sizeof *row,
                       sizeof row);
            for (unsigned n = 0; n < (c == PM_ROTATIONS ? 4 : 3); n++)
                to[n][at + i] = row[n];
        }
    }
}

PM_FLAT static void pose_channel(const span *joints, unsigned c, channel_lanes to) {
    const pm_instance_state *state = joints->state;
    const pm_u8 *moved = moved_of(joints, c);
    const bool present = joints->crowd->channels[c].present;
    const bool layered = state->input_count > PM_INPUTS;
    bool plain = !state->joints && !state->in_place;
    _Alignas(PM_CACHE_LINE) float samples[PM_INPUTS][4][PM_SPAN_JOINTS];
    if (state->given) {
        load_given(joints, c, to);
        return;
    }
    for (unsigned n = 0; n < PM_INPUTS; n++) {
        const unsigned op = state->inputs[n].at.op;
        plain = plain && op == (n == 0 ? PM_OP_SET : PM_OP_NONE);
        if (present && op != PM_OP_NONE)
            sample(joints, &state->inputs[n], c, op == PM_OP_SET ? to : samples[n]);
    }
    for (size_t at = 0; at < joints->count; at += PM_LANES) {
        const pm_u8 kind = moved[at / PM_TRACK_GROUP];
        if (kind == PM_MOVED_WHOLE && plain)
            continue;
        pm_quat value = rest_of(joints, at, c);
        for (unsigned n = 0; n < PM_INPUTS && kind != PM_MOVED_NOT; n++)
            if (state->inputs[n].at.op == PM_OP_SET)
                value = load_lanes(to, at, c);
            else if (state->inputs[n].at.op != PM_OP_NONE)
                value = applied(joints, &state->inputs[n], at, c, value, samples[n]);
        const bool ends = kind != PM_MOVED_NOT && !layered;
        store_lanes(to, at, c, ends ? finished(joints, at, c, value) : value);
    }
    if (layered && present)
        apply_layers(joints, c, to);
}

void PM_SET_NAME(pm_local_poses)(const pm_crowd_data *crowd, const pm_instance_state *state,
                                 size_t first, size_t count, pm_pose_span *to) {
    const span joints = {crowd, state, first, count};
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        pose_channel(&joints, c, to->of[c]);
        for (size_t at = 0; at < count; at += PM_LANES) {
            pm_quat q = load_lanes(to->of[c], at, c);
            store_lanes(
                to->of[c], at, c,
                pm_quat_of(PM_IN_ORDER(q.x), PM_IN_ORDER(q.y), PM_IN_ORDER(q.z), PM_IN_ORDER(q.w)));
        }
    }
}

/* Poses a channel into `room`. A channel that no clip moves is read from the rest pose instead. */
static channel_view posed_view(const span *joints, unsigned c, pm_pose_span *room) {
    const pm_u8 *moved = moved_of(joints, c);
    size_t groups = joints->count / PM_TRACK_GROUP, still = 0;
    while (still < groups && moved[still] == PM_MOVED_NOT)
        still++;
    if (still == groups && !joints->state->given)
        return rest_view(joints, c);
    pose_channel(joints, c, room->of[c]);
    return (channel_view){room->of[c][0], PM_SPAN_JOINTS, true};
}

/* Whether a scale of some joint may not be 1. */
static bool is_scaled(const pm_crowd_data *crowd, const pm_instance_state *state) {
    return crowd->scaled || state->given;
}

/* The matrices of a span. `views` holds rotations, positions and, where any joint is scaled,
 * scales. */
PM_FLAT static void span_matrices(const span *joints, const channel_view *views,
                                  const pm_matrix_rows *to) {
    const channel_view rotations = views[PM_ROTATIONS], positions = views[PM_POSITIONS];
    const bool scaled = is_scaled(joints->crowd, joints->state);
    for (size_t at = 0; at < joints->count; at += PM_LANES) {
        const size_t j = joints->first + at;
        pm_matrix m = pm_matrix_of(load_view(rotations, at, PM_ROTATIONS),
                                   load_view(positions, at, PM_POSITIONS));
        if (scaled) /* multiplying by a scale of 1 changes no bits */
            m = pm_matrix_scaled(m, load_view(views[PM_SCALES], at, PM_SCALES));
        pm_store_items(to->x[j], m.x, PM_LANES, 0);
        pm_store_items(to->y[j], m.y, PM_LANES, 0);
        pm_store_items(to->z[j], m.z, PM_LANES, 0);
    }
}

void PM_SET_NAME(pm_local_matrices)(const pm_crowd_data *crowd, const pm_instance_state *state,
                                    const pm_matrix_rows *to) {
    pm_pose_span room;
    channel_view views[PM_CHANNEL_COUNT];
    for (size_t first = 0; first < crowd->padded_joints; first += PM_SPAN_JOINTS) {
        const span joints = {crowd, state, first, pm_span_joints(crowd, first)};
        for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
            if (c != PM_SCALES || is_scaled(crowd, state))
                views[c] = posed_view(&joints, c, &room);
        span_matrices(&joints, views, to);
    }
}
