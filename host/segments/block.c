/* SPDX-License-Identifier: MIT
 *
 * A block of tracks from a description to the planes of a clip: keys normalised, unrolled and
 * rounded, and the method's segments beside them. This is what a lane set consists of.
 */
#include "clip/clip.h"
#include "cpu/pose_set.h"
#include "key_check.h"
#include "key_format.h"
#include "segments.h"

static const pm_segment_builder *const builders[] = {[PM_BUILD_nothing] = NULL,
#define PM_BUILDER_ROW(name) [PM_BUILD_##name] = &PM_SET_NAME(pm_build_##name),
                                                     PM_BUILDERS(PM_BUILDER_ROW)
#undef PM_BUILDER_ROW
};

/* The tracks that share lanes. */
typedef struct lanes {
    pm_track track;
    const pm_channel *channel;
    size_t count; /* of lanes in use; those beyond repeat the last one */
    pm_lane_views given;
    dquat before; /* the last key that was read; of 48 bits: as it decodes */
    pm_findings findings;
} lanes;

/* A block of tracks, spread over lanes. */
typedef struct build {
    const pm_clip_desc *desc;
    pm_channel *channel;
    size_t count;
    lanes all[PM_BLOCK_TRACKS / PM_DOUBLES];
} build;

static pm_lane_views rows_in_lanes(const pm_clip_desc *desc, const pm_array *array,
                                   unsigned components, const pm_track *track, size_t first_row) {
    pm_lane_views rows = {.components = components};
    for (size_t i = 0; i < PM_DOUBLES; i++) {
        pm_array_view one = pm_segment_data_of(desc, array, components, track->index[i], first_row);
        rows.data[i] = one.data;
        rows.type = one.type;
        rows.stride = one.stride;
    }
    rows.adjacent = track->index[PM_DOUBLES - 1] - track->index[0] == PM_DOUBLES - 1;
    return rows;
}

static bool is_coded(const pm_channel *channel) {
    return channel->format != PM_KEYS_FLOAT32;
}

/* How many lanes a plane has room for, from a track on: padding too, where there is enough. */
static size_t lanes_of(const pm_clip *clip, size_t track) {
    size_t room = clip->common_timeline ? clip->padded_tracks - track : 1;
    return room < PM_DOUBLES ? room : PM_DOUBLES;
}

static void describe(const pm_clip_desc *desc, const pm_clip *clip, unsigned c,
                     const pm_block *block, lanes *to) {
    const pm_channel *channel = &clip->channels[c];
    const pm_clip_timeline *timeline = &clip->timelines[clip->timeline_of[block->track]];
    const pm_track_layout *at = &channel->layout[block->track];
    unsigned n = channel->components;
    float *floats = is_coded(channel) ? NULL : (float *)channel->keys + at->first;
    *to = (lanes){.channel = channel,
                  .count = block->count,
                  .track = {.key_count = timeline->key_count,
                            .segment_count = timeline->segment_count,
                            .loop = timeline->loop,
                            .single = timeline->constant,
                            .components = n,
                            .wrap = dreal_of(1),
                            .times = timeline->times,
                            .stored = {floats, at->row, at->plane, lanes_of(clip, block->track)},
                            .desc = desc}};
    pm_track *track = &to->track;
    for (size_t i = 0; i < PM_DOUBLES; i++)
        track->index[i] = block->track + (i < block->count ? i : block->count - 1);
    const pm_array *in = pm_channel_tangents_in(desc, c), *out = pm_channel_tangents_out(desc, c);
    to->given = rows_in_lanes(desc, pm_channel_array(desc, c), n, track, block->first_row);
    track->user_tangents = rows_in_lanes(desc, &desc->user_tangents, 3, track, block->first_row);
    track->tangents_in = rows_in_lanes(desc, in, n, track, block->first_row);
    track->tangents_out = rows_in_lanes(desc, out, n, track, block->first_row);
}

/* ---- keys of 48 bits, which lanes go about one by one ---- */

static size_t coded_at(const lanes *l, size_t lane, size_t key) {
    const pm_track_layout *at = &l->channel->layout[l->track.index[lane]];
    return at->first + key * at->row;
}

static void put_coded(lanes *l, size_t key, dquat q) {
    for (size_t i = 0; i < l->count; i++) {
        dquat *b = &l->before;
        double before[4] = {b->x[i], b->y[i], b->z[i], b->w[i]};
        pm_key_store(l->channel->format, l->channel->keys, coded_at(l, i, key),
                     (double[4]){q.x[i], q.y[i], q.z[i], q.w[i]}, before);
        b->x[i] = before[0];
        b->y[i] = before[1];
        b->z[i] = before[2];
        b->w[i] = before[3];
    }
}

static dquat coded_key(const lanes *l, size_t key) {
    dquat q = {0};
    for (size_t i = 0; i < l->count; i++) {
        pm_quat one = pm_key_load(l->channel->format, l->channel->keys, coded_at(l, i, key));
        q.x[i] = (double)one.x;
        q.y[i] = (double)one.y;
        q.z[i] = (double)one.z;
        q.w[i] = (double)one.w;
    }
    return q;
}

/* ---- keys of either format ---- */

/* Keys from `first` on, a window of them: normalised, each with the sign nearest the one
 * before, and put into their rows. What segments are made of is read from there:
 * pm_stored_key. */
static void read_window(lanes *l, size_t first, bool unrolls) {
    const pm_track *track = &l->track;
    for (size_t k = first; k < first + PM_WINDOW && k < track->key_count; k++) {
        dquat q = pm_given_row(&l->given, k);
        if (track->components == 4)
            q = dquat_unit(q);
        if (unrolls)
            q = dquat_flipped(q, (dmask)(dquat_dot(l->before, q) < 0));
        if (is_coded(l->channel)) {
            put_coded(l, k, q);
            continue;
        }
        l->before = q;
        pm_put(&track->stored, k, 0, q);
    }
}

/* The row behind the last key: a loop's key 0 as it follows, or a lone key again. */
static void put_last_row(const lanes *l) {
    const pm_track *track = &l->track;
    for (size_t i = 0; is_coded(l->channel) && i < l->count; i++)
        pm_key_repeat(l->channel->format, l->channel->keys, coded_at(l, i, 0), l->channel->keys,
                      coded_at(l, i, track->segment_count), track->wrap[i] < 0);
    if (is_coded(l->channel))
        return;
    dquat key = pm_get(&track->stored, 0);
    pm_put(&track->stored, track->segment_count, 0, dquat_scaled(key, track->wrap));
}

static dquat stored_key(const lanes *l, size_t key) {
    return is_coded(l->channel) ? coded_key(l, key) : pm_stored_key(&l->track, key);
}

/* What follows from all keys of a track; a lone one becomes two. */
static void close_track(lanes *l, bool unrolls) {
    pm_track *track = &l->track;
    if (track->loop && unrolls) {
        dquat last = stored_key(l, track->key_count - 1);
        dmask turned = (dmask)(dquat_dot(last, stored_key(l, 0)) < 0);
        track->wrap = dreal_select(turned, dreal_of(-1), dreal_of(1));
    }
    if (track->single) {
        track->key_count = 2;
        track->user_tangents.stride = 0;
    }
    if (track->loop || track->single)
        put_last_row(l);
}

static void read_keys(build *b) {
    bool unrolls = b->channel->components == 4 && !b->channel->impl.keeps_signs;
    for (size_t k = 0; k < b->all[0].track.key_count; k += PM_WINDOW)
        for (size_t i = 0; i < b->count; i++)
            read_window(&b->all[i], k, unrolls);
    for (size_t i = 0; i < b->count; i++) {
        const pm_track *track = &b->all[i].track;
        close_track(&b->all[i], unrolls);
        for (size_t n = 0; n < b->all[i].count; n++)
            b->channel->layout[track->index[n]].wrap = (float)track->wrap[n];
    }
}

static pm_coefficients_out coefficients_of(const pm_track *track) {
    pm_coefficients_out coefficients = track->stored;
    coefficients.to += coefficients.plane;
    return coefficients;
}

static void build_segments(build *b) {
    const pm_segment_builder *builder = builders[b->channel->impl.segments];
    pm_window window;
    if (!builder)
        return;
    for (size_t i = 0; i < b->count; i++) {
        b->all[i].track.window = &window;
        pm_coefficients_out out = coefficients_of(&b->all[i].track);
        if (builder->whole)
            builder->whole(&b->all[i].track, &out, &b->all[i].findings);
    }
    for (size_t k = 0; builder->window && k < b->all[0].track.segment_count; k += PM_WINDOW)
        for (size_t i = 0; i < b->count; i++) {
            pm_coefficients_out out = coefficients_of(&b->all[i].track);
            pm_track_look(&b->all[i].track, (ptrdiff_t)k, builder->needs_logs);
            builder->window(&b->all[i].track, &out, &b->all[i].findings);
        }
    for (size_t i = 0; i < b->count; i++)
        b->all[i].track.window = NULL;
}

static pm_block_built summary_of(const build *b) {
    pm_block_built built = {.status = PM_OK};
    for (size_t i = 0; i < b->count; i++) {
        const pm_findings *f = &b->all[i].findings;
        for (size_t n = 0; n < b->all[i].count && built.status == PM_OK; n++) {
            if (f->no_memory || f->failed[n])
                built.status = f->no_memory ? PM_ERROR_MEMORY : PM_ERROR_KEY;
            built.failed = b->all[i].track.index[n];
        }
    }
    return built;
}

static pm_block_built build_block(const pm_clip_desc *desc, pm_clip *clip, unsigned c,
                                  const pm_block *block) {
    build b = {.desc = desc, .channel = &clip->channels[c]};
    for (size_t at = 0; at < block->count; at += PM_DOUBLES) {
        size_t rest = block->count - at;
        pm_block part = {block->track + at, rest < PM_DOUBLES ? rest : PM_DOUBLES,
                         block->first_row};
        describe(desc, clip, c, &part, &b.all[b.count++]);
    }
    read_keys(&b);
    build_segments(&b);
    return summary_of(&b);
}

#define PM_TEXT_(name) #name
#define PM_TEXT(name) PM_TEXT_(name)

static bool is_supported(void) {
#if defined(__AVX512F__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
#elif defined(__AVX__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

const pm_instruction_set PM_SET_NAME(pm_set) = {PM_TEXT(PM_INSTRUCTION_SET),
                                                PM_DOUBLES,
                                                is_supported,
                                                build_block,
                                                are_rotations,
                                                are_within,
                                                PM_SET_NAME(pm_local_poses),
                                                PM_SET_NAME(pm_local_matrices),
                                                PM_SET_NAME(pm_model_matrices),
                                                PM_SET_NAME(pm_bound_records)};
