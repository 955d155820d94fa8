/* SPDX-License-Identifier: MIT
 *
 * Keys of a crowd's joints on the host, an instance per lane: located, and sampled by the kernels' curves for
 * some joints at a time; and keys of clips, a sample per lane (sample_lanes.c). Compiled once for each instruction set. The bits of a lane do not depend on those
 * beside it.
 */
#include "lanes.h"

#include "kernels/pm_keys.h"
#include "kernels/pm_methods.h"
#include "kernels/pm_motion.h"

/* ---- locating keys --------------------------------------------------------------------------- */

/* The layout of a joint in a clip. */
static inline const pm_track_layout *layout_of(const pm_crowd_data *crowd, unsigned c, size_t clip,
                                               size_t joint) {
    return &crowd->layout[crowd->clips[clip].layout + c * crowd->skeleton->joint_count + joint];
}

static inline void set_side(const pm_crowd_data *crowd, size_t clip, size_t joint, bool per_joint,
                            pm_cursor cursor, size_t lane, pm_lane_side *to) {
    const pm_clip_layout *all = &crowd->clips[clip];
    size_t spacing = all->constants;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        if (!crowd->channels[c].present)
            continue;
        const pm_track_layout *own = per_joint ? layout_of(crowd, c, clip, joint) : NULL;
        const size_t row = own ? own->row : all->row[c];
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

/* A joint's timeline is that of its rotations, which all clips have. Fields are filled one by one: copying
 * those that were just stored would stall on the stores. */
static inline void find_sides(const pm_crowd_data *crowd, const pm_lane_times *times, size_t lane,
                              size_t joint, bool per_joint, bool moves, pm_sides *to) {
    const size_t clip = times->clip[lane];
    const pm_u32 number = per_joint ? layout_of(crowd, PM_ROTATIONS, clip, joint)->timeline
                                    : crowd->clips[clip].timeline;
    const pm_crowd_timeline *timeline = &crowd->timelines[number];
    const pm_u64 within = times->within[lane];
    if (moves) {
        *to = pm_crowd_sides(*timeline, crowd->rates[number], crowd->times, within);
        return;
    }
    const pm_cursor cursor = pm_crowd_cursor_of(
        pm_crowd_place_at(*timeline, crowd->times, pm_crowd_timeline_ticks(*timeline, within)));
    to->cursor[0].segment = cursor.segment;
    to->cursor[0].u = cursor.u;
    to->rate[1] = 0;
}

/* `moves` is a compile-time constant, here and above. */
static inline void locate(const pm_crowd_data *crowd, const pm_lane_times *times, size_t joint,
                          bool moves, pm_lane_places *to) {
    pm_sides at[PM_LANES];
    to->side_count = 1;
    for (size_t i = 0; i < PM_LANES; i++) {
        find_sides(crowd, times, i, joint, to->per_joint, moves, &at[i]);
        to->side_count = at[i].rate[1] != 0.0f ? 2 : to->side_count;
    }
    for (unsigned s = 0; s < to->side_count; s++)
        for (size_t i = 0; i < PM_LANES; i++) {
            set_side(crowd, times->clip[i], joint, to->per_joint, at[i].cursor[s], i,
                     &to->sides[s]);
            if (moves)
                to->sides[s].rates[i] = at[i].rate[s] * times->speed[i];
        }
    to->on_key = pm_any_on_key(pm_reals_of(to->sides[0].u));
}

void PM_SET_NAME(pm_lanes_locate)(const pm_crowd_data *crowd, const pm_lane_times *times,
                                  size_t joint, bool moves, pm_lane_places *to) {
    if (moves)
        locate(crowd, times, joint, true, to);
    else
        locate(crowd, times, joint, false, to);
}

/* ---- prefetching keys ------------------------------------------------------------------------ */

/* The byte where number `at` of a channel lies; of keys of 48 bits, where its group begins. */
static inline size_t byte_of(const pm_channel *channel, pm_u64 at) {
    if (channel->format == PM_KEYS_FLOAT32)
        return at * sizeof(float);
    return at / 4 / PM_KEY_GROUP * sizeof(pm_s16) *
           (channel->format == PM_KEYS_LOG48 ? PM_LOG48_WORDS : PM_SMALLEST48_WORDS);
}

void PM_SET_NAME(pm_lanes_prefetch)(const pm_crowd_data *crowd, const pm_lane_places *at,
                                    unsigned channels, size_t lane) {
    const pm_lane_side *side = &at->sides[0];
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const pm_channel *channel = &crowd->channels[c];
        if (!channel->present || !(channels >> c & 1))
            continue;
        const pm_u64 key = side->key[c][lane], next = side->next[c][lane];
        const pm_u64 beside = pm_rows_before(channel) * (next - key);
        const pm_u64 last = next + beside + side->plane[c][lane] - 1;
        const char *first = (const char *)channel->keys + byte_of(channel, key - beside);
        size_t size = byte_of(channel, last) + 1 - byte_of(channel, key - beside);
        if (channel->format != PM_KEYS_FLOAT32) /* to the end of its group */
            size += sizeof(pm_s16) * PM_LOG48_WORDS;
        for (size_t byte = 0; byte < size - 1; byte += PM_CACHE_LINE)
            __builtin_prefetch(first + byte);
        __builtin_prefetch(first + size - 1);
    }
}

/* ---- sampling -------------------------------------------------------------------------------- */

/* A block of joints, or of quads of numbers, and a channel of it that is to be sampled on a side of the lanes'
 * times. */
typedef struct request {
    const pm_channel *channel;
    const pm_lane_side *side;
    const pm_joint *joints; /* NULL: of quads, or of a clip's samples */
    size_t first, count;    /* `first` of quads */
    unsigned c;
    bool first_side, on_key, moves, per_joint;
    bool relative; /* vectors, from the key `next` where u is 1, else from `key` */
} request;

/* Keys of 48 bits at the lanes' places, `ahead` numbers further on. Not inlined into each curve: decoding is
 * long. */
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

/* PM_GROUP numbers of 16 bits for each lane, as they are in memory. */
typedef int64_t number_rows __attribute__((vector_size(8 * PM_LANES)));

/* Number k of each row. */
static inline pm_mask numbers_at(number_rows rows, int k) {
    const int place = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? k : PM_GROUP - 1 - k;
    return __builtin_convertvector(rows << (48 - 16 * place) >> 48, pm_mask);
}

/* The keys of 48 bits of PM_GROUP neighbouring joints. Where rows end within groups of keys, `go_on`, the numbers of
 * the next group replace what was copied from behind those of a group; what they overwrite is that of later lanes. The
 * last two are compile-time constants. */
static inline void gather_codes_of(const request *q, const pm_u64 at[PM_LANES],
                                   pm_quat to[PM_LANE_BLOCK], bool log48, bool go_on) {
    const pm_u32 words = log48 ? PM_LOG48_WORDS : PM_SMALLEST48_WORDS;
    _Alignas(PM_CACHE_LINE) pm_s16 numbers[3][PM_GROUP * PM_LANES + 2 * PM_KEY_GROUP];
    number_rows rows[3];
    int signs[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_u64 key = at[i] + 4 * (size_t)q->joints->number;
        const pm_s16 *group = pm_key_group(q->channel->keys, words, key), *next = group + words;
        const pm_u32 first = pm_key_in_group(key);
        for (size_t n = 0; n < 3; n++) {
            pm_s16 *own = numbers[n] + PM_GROUP * i;
            memcpy(own, group + first + n * PM_KEY_GROUP, PM_GROUP * sizeof *own);
            if (go_on)
                memcpy(own + PM_KEY_GROUP - first, next + n * PM_KEY_GROUP, PM_GROUP * sizeof *own);
        }
        const pm_u32 behind = log48 && go_on ? (pm_u32)(pm_u16)next[words - 1] << 16 : 0;
        signs[i] = log48 ? (int)((behind | (pm_u16)group[words - 1]) >> first) : 0;
    }
    for (size_t n = 0; n < 3; n++)
        memcpy(&rows[n], numbers[n], sizeof rows[n]);
    for (int k = 0; k < PM_LANE_BLOCK; k++) {
        const pm_codes codes = {numbers_at(rows[0], k), numbers_at(rows[1], k),
                                numbers_at(rows[2], k), pm_numbers_of(signs) << (31 - k)};
        to[k] = log48 ? pm_log48_quat(codes) : pm_smallest48_quat(codes);
    }
}

static __attribute__((noinline)) void gather_code_block(const request *q, const pm_u64 at[PM_LANES],
                                                        pm_quat to[PM_LANE_BLOCK]) {
    const bool log48 = q->channel->format == PM_KEYS_LOG48;
    const bool go_on = q->channel->places % PM_GROUP != 0;
    if (log48 && go_on)
        gather_codes_of(q, at, to, true, true);
    else if (log48)
        gather_codes_of(q, at, to, true, false);
    else if (go_on)
        gather_codes_of(q, at, to, false, true);
    else
        gather_codes_of(q, at, to, false, false);
}

/* The keys of a block of joints: those of their segments, the next, and those beside both. */
typedef struct block_keys {
    pm_quat key[PM_LANE_BLOCK], next[PM_LANE_BLOCK];
    pm_quat before[PM_LANE_BLOCK], after[PM_LANE_BLOCK];
} block_keys;

static bool are_neighbours(const request *q) {
    if (q->per_joint)
        return false;
    const pm_u32 first = q->joints->number, last = q->joints[q->count - 1].number;
    return first % PM_GROUP == 0 && last - first < PM_LANE_BLOCK && last - first + 1 == q->count;
}

/* The places of the keys beside the lanes' segments. */
static inline void find_beside(const request *q, pm_u64 before[PM_LANES], pm_u64 after[PM_LANES]) {
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_u64 row = q->side->next[q->c][i] - q->side->key[q->c][i];
        before[i] = q->side->key[q->c][i] - row;
        after[i] = q->side->next[q->c][i] + row;
    }
}

/* Keys of 48 bits of all joints at once, where they are neighbours. False: they are not. */
static inline bool decode_block(const request *q, bool four_keys, block_keys *to) {
    pm_u64 before[PM_LANES], after[PM_LANES];
    if (q->channel->format == PM_KEYS_FLOAT32 || !are_neighbours(q))
        return false;
    gather_code_block(q, q->side->key[q->c], to->key);
    gather_code_block(q, q->side->next[q->c], to->next);
    if (four_keys) {
        find_beside(q, before, after);
        gather_code_block(q, before, to->before);
        gather_code_block(q, after, to->after);
    }
    return true;
}

static inline void load_spacing(const request *q, pm_segment_data *data) {
    const float *spacing = q->channel->constants;
    float to_before[PM_LANES], to_after[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++) {
        to_before[i] = spacing[q->side->spacing[i]];
        to_after[i] = spacing[q->side->spacing[i] + 1];
    }
    pm_set_spacing(data, pm_reals_of(to_before), pm_reals_of(to_after));
}

/* Element k of the block. The last three are compile-time constants at each call. */
static inline pm_segment_data load(const request *q, size_t k, unsigned coefficients,
                                   unsigned constants, bool four_keys) {
    const pm_lane_side *side = q->side;
    const size_t place = q->joints ? q->joints[k].number : q->first + k;
    const size_t ahead = q->per_joint ? 0 : 4 * place;
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
            at[i] = side->constants[i] + s * side->constant_plane[i] + 4 * place;
        data.constants[s] = pm_gather_quats_at(q->channel->constants, at);
    }
    if (four_keys) {
        pm_u64 before[PM_LANES], after[PM_LANES];
        find_beside(q, before, after);
        data.coefficients[0] = gather(q, before, ahead, false);
        data.coefficients[1] = gather(q, after, ahead, false);
        load_spacing(q, &data);
    }
    return data;
}

/* Joint k of a block whose keys are decoded. */
static inline pm_segment_data load_decoded(const request *q, const block_keys *keys, size_t k,
                                           bool four_keys) {
    pm_segment_data data = {.key = keys->key[k], .next = keys->next[k]};
    if (four_keys) {
        data.coefficients[0] = keys->before[k];
        data.coefficients[1] = keys->after[k];
        load_spacing(q, &data);
    }
    return data;
}

/* ---- spins of squad and cubic in stages ------------------------------------------------------
 *
 * pm_squad_motion is a chain of operations that is longer than a processor looks ahead. Here each stage is computed for
 * all joints of a block before the next stage, so that their chains overlap: the same operations, and the same bits.
 * Spins need no second derivatives: stages do not store them, and nothing that is used depends on them. */

static inline void put_jet(pm_jet *to, pm_jet from) {
    to->v = from.v;
    to->d = from.d;
}

static inline void put_quat_jet(pm_quat_jet *to, pm_quat_jet from) {
    to->v = from.v;
    to->d = from.d;
}

/* The slerps of a block of joints. */
typedef struct slerp_jets {
    pm_jet chord2[PM_LANE_BLOCK], angle2[PM_LANE_BLOCK];
    pm_slerp_weights weights[PM_LANE_BLOCK];
} slerp_jets;

/* Not inlined: each loop needs all registers. */
PM_FLAT static __attribute__((noinline)) void find_weights(slerp_jets *of, size_t count,
                                                           const pm_jet *weight) {
    const pm_jet b = *weight, a = pm_jet_complement(b);
    for (size_t k = 0; k < count; k++)
        put_jet(&of->angle2[k], pm_chord_angle2_jet(of->chord2[k]));
    for (size_t k = 0; k < count; k++)
        put_jet(&of->weights[k].a, pm_slerp_weight_jet(a, of->angle2[k]));
    for (size_t k = 0; k < count; k++)
        put_jet(&of->weights[k].b, pm_slerp_weight_jet(b, of->angle2[k]));
}

PM_FLAT static __attribute__((noinline)) void find_squad_spins(const pm_squad_segment *s,
                                                               size_t count, const real *at,
                                                               const real *rate,
                                                               pm_quat spins[PM_LANE_BLOCK]) {
    const real u = *at;
    pm_quat_jet inner[PM_LANE_BLOCK], outer[PM_LANE_BLOCK];
    slerp_jets of;
    pm_jet weight = pm_jet_u(u);
    for (size_t k = 0; k < count; k++)
        of.chord2[k] = pm_chord2_of_keys(s[k].keys.a, s[k].keys.b);
    find_weights(&of, count, &weight);
    for (size_t k = 0; k < count; k++)
        put_quat_jet(&outer[k], pm_squad_outer_jet(&s[k], of.weights[k]));
    for (size_t k = 0; k < count; k++)
        put_quat_jet(&inner[k], pm_squad_inner_jet(&s[k], u));
    for (size_t k = 0; k < count; k++)
        put_jet(&of.chord2[k], pm_quat_jet_norm2(pm_quat_jet_difference(inner[k], outer[k])));
    weight = pm_squad_weight_jet(u);
    find_weights(&of, count, &weight);
    for (size_t k = 0; k < count; k++)
        put_quat_jet(&inner[k], pm_quat_jet_mixed(of.weights[k], outer[k], inner[k]));
    for (size_t k = 0; k < count; k++)
        spins[k] = pm_angular_velocity(inner[k], *rate, 0);
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* Whether a curve's spins are found in stages: those of squad and cubic, whose segments are alike. */
#define PM_HAS_STAGES(name)                                                                        \
    _Generic((pm_##name##_segment *)0, pm_squad_segment * : true, default : false)

#define PM_SAMPLE(name, is_vector, derivative)                                                     \
    PM_FLAT static void sample_##name(const request *q, pm_quat *values, pm_quat *rates) {         \
        const real u = pm_reals_of(q->side->u);                                                    \
        const real rate = q->moves ? pm_reals_of(q->side->rates) : PM_REAL(0.0f);                  \
        const bool in_stages = PM_HAS_STAGES(name) && q->moves;                                    \
        real basis[pm_##name##_basis_size];                                                        \
        block_keys keys;                                                                           \
        const bool decoded = pm_##name##_coefficients + pm_##name##_constants == 0 &&              \
                             decode_block(q, pm_##name##_four_keys, &keys);                        \
        pm_##name##_segment segments[PM_LANE_BLOCK];                                               \
        pm_quat spins[PM_LANE_BLOCK];                                                              \
        size_t sampled[PM_LANE_BLOCK], count = 0;                                                  \
        pm_##name##_basis(u, basis);                                                               \
        for (size_t k = 0; k < q->count; k++) {                                                    \
            if (q->joints && !(q->joints[k].animated >> q->c & 1))                                 \
                continue;                                                                          \
            pm_segment_data data = decoded ? load_decoded(q, &keys, k, pm_##name##_four_keys)      \
                                           : load(q, k, pm_##name##_coefficients,                  \
                                                  pm_##name##_constants, pm_##name##_four_keys);   \
            if ((is_vector) && q->relative)                                                        \
                (void)pm_vector_relative(&data, u, pm_##name##_coefficients);                      \
            const pm_##name##_segment segment = pm_##name##_begin(&data);                          \
            if (q->first_side) {                                                                   \
                values[k] = pm_##name##_at(&segment, basis);                                       \
                if (pm_##name##_passes && q->on_key)                                               \
                    values[k] = pm_at_ends(&data, u, values[k], pm_##name##_passes);               \
                if (q->c != PM_ROTATIONS && q->joints)                                             \
                    values[k].w = PM_REAL(0.0f);                                                   \
            }                                                                                      \
            if (in_stages) {                                                                       \
                segments[count] = segment;                                                         \
                sampled[count++] = k;                                                              \
            } else if (q->moves) {                                                                 \
                const pm_quat d = derivative;                                                      \
                rates[k] = q->first_side ? d : pm_quat_sum(rates[k], d);                           \
            }                                                                                      \
        }                                                                                          \
        if (in_stages)                                                                             \
            find_squad_spins((const void *)segments, count, &u, &rate, spins);                     \
        for (size_t i = 0; in_stages && i < count; i++) {                                          \
            pm_quat *to = &rates[sampled[i]];                                                      \
            *to = q->first_side ? spins[i] : pm_quat_sum(*to, spins[i]);                           \
        }                                                                                          \
    }
#define PM_SAMPLE_ROTATION(name) PM_SAMPLE(name, false, pm_##name##_spin(&segment, u, rate))
#define PM_SAMPLE_VECTOR(name)                                                                     \
    PM_SAMPLE(name, true, pm_rates_of(pm_##name##_slope(&segment, u), rate))
PM_ROTATION_CURVES(PM_SAMPLE_ROTATION)
PM_VECTOR_CURVES(PM_SAMPLE_VECTOR)

#define PM_SAMPLE_ROW(name) [PM_CURVE_##name] = sample_##name,
static void (*const samplers[PM_CURVE_COUNT])(const request *, pm_quat *,
                                              pm_quat *) = {PM_CURVES(PM_SAMPLE_ROW)};

/* The request of a channel, with its block. */
static void sample(const pm_crowd_data *crowd, const pm_lane_places *at, request q,
                   pm_lane_values *values, pm_lane_values *rates) {
    q.channel = &crowd->channels[q.c];
    q.on_key = at->on_key;
    q.moves = rates != NULL;
    q.per_joint = at->per_joint;
    for (unsigned s = 0; s < (rates ? at->side_count : 1); s++) {
        q.side = &at->sides[s];
        q.first_side = s == 0;
        samplers[q.channel->impl.curve](&q, values->of[q.c], rates ? rates->of[q.c] : NULL);
    }
}

void PM_SET_NAME(pm_lanes_sample)(const pm_crowd_data *crowd, const pm_lane_places *at,
                                  const pm_joint *joints, size_t count, unsigned channels,
                                  pm_lane_values *values, pm_lane_values *rates) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        if (channels >> c & 1)
            sample(crowd, at, (request){.joints = joints, .count = count, .c = c}, values, rates);
}

void PM_SET_NAME(pm_lanes_sample_numbers)(const pm_crowd_data *crowd, const pm_lane_places *at,
                                          size_t first, pm_lane_values *values,
                                          pm_lane_values *rates) {
    sample(crowd, at, (request){.first = first, .count = PM_LANE_BLOCK, .c = PM_POSITIONS}, values,
           rates);
}

/* ---- samples of clips ------------------------------------------------------------------------ */

#define PM_MOVE(name)                                                                              \
    PM_FLAT static void move_##name(const request *q, unsigned order, bool parent,                 \
                                    pm_quat *value) {                                              \
        const real u = pm_reals_of(q->side->u), rate = pm_reals_of(q->side->rates);                \
        const pm_segment_data data =                                                               \
            load(q, 0, pm_##name##_coefficients, pm_##name##_constants, pm_##name##_four_keys);    \
        const pm_##name##_segment segment = pm_##name##_begin(&data);                              \
        if (order == 1)                                                                            \
            *value = pm_angular_velocity(pm_##name##_motion(&segment, u), rate, parent);           \
        else                                                                                       \
            *value = pm_angular_acceleration(pm_##name##_motion(&segment, u), rate, parent);       \
    }
PM_ROTATION_CURVES(PM_MOVE)

#define PM_MOVE_ROW(name) [PM_CURVE_##name] = move_##name,
static void (*const movers[PM_CURVE_COUNT])(const request *, unsigned, bool,
                                            pm_quat *) = {PM_ROTATION_CURVES(PM_MOVE_ROW)};

void PM_SET_NAME(pm_lanes_sample_clip)(const pm_channel *channel, const pm_lane_side *at,
                                       const pm_output *output, bool parent, pm_quat *value) {
    const request q = {.channel = channel,
                       .side = at,
                       .count = 1,
                       .c = output->channel,
                       .first_side = true,
                       .on_key = true,
                       .per_joint = true};
    if (output->order == 0)
        samplers[channel->impl.curve](&q, value, NULL);
    else
        movers[channel->impl.curve](&q, output->order, parent, value);
}

void PM_SET_NAME(pm_lanes_sample_track)(const pm_channel *channel, unsigned c,
                                        const pm_lane_side *at, bool relative, pm_quat *value,
                                        pm_quat *rate) {
    const request q = {.channel = channel,
                       .side = at,
                       .count = 1,
                       .c = c,
                       .first_side = true,
                       .on_key = true,
                       .moves = rate != NULL,
                       .per_joint = true,
                       .relative = relative};
    samplers[channel->impl.curve](&q, value, rate);
}
