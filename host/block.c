/* SPDX-License-Identifier: MIT
 *
 * A block of tracks from a description to the planes of a clip: keys normalised, unrolled and
 * rounded, and the method's segments beside them. This is what a lane set consists of.
 */
#include "clip.h"
#include "segments.h"

static const pm_segment_builder builders[] = {[PM_BUILD_nothing] = NULL,
#define PM_BUILDER_ROW(name) [PM_BUILD_##name] = PM_LANE_NAME(pm_build_##name),
                                              PM_BUILDERS(PM_BUILDER_ROW)
#undef PM_BUILDER_ROW
};

static pm_lane_rows rows_in_lanes(const pm_clip_desc *desc, const pm_array *array,
                                  unsigned components, const pm_block *block) {
    pm_lane_rows rows = {.components = components, .adjacent = block->count == PM_DOUBLES};
    for (size_t i = 0; i < PM_DOUBLES; i++) {
        size_t track = block->track + (i < block->count ? i : block->count - 1);
        pm_rows_of_track one = pm_rows_of(desc, array, components, track, block->first_row);
        rows.data[i] = one.data;
        rows.type = one.type;
        rows.stride = one.stride;
    }
    return rows;
}

/* Keys normalised, each with the sign nearest the one before, and put into their rows. What
 * segments are made of is read from there: pm_stored_key. */
static void read_keys(const pm_track *track, const pm_lane_rows *given, bool unrolls) {
    dquat before = {0};
    for (size_t k = 0; k < track->key_count; k++) {
        dquat q = pm_given_row(given, k);
        if (track->components == 4)
            q = dquat_unit(q);
        if (unrolls)
            q = dquat_flipped(q, (dmask)(dquat_dot(before, q) < 0));
        before = q;
        pm_put(&track->stored, k, 0, q);
    }
}

/* The row behind the last key: a loop's key 0 as it follows, or a lone key again. */
static void put_last_row(const pm_track *track) {
    const float *first = track->stored.to;
    dquat key = track->stored.alone ? dquat_load_one(first) : dquat_load_floats(first);
    pm_put(&track->stored, track->segment_count, 0, dquat_scaled(key, track->wrap));
}

static void describe(const pm_clip_desc *desc, const pm_clip *clip, unsigned c,
                     const pm_block *block, pm_track *track) {
    const pm_channel *channel = &clip->channels[c];
    const pm_placed_timeline *timeline = &clip->timelines[clip->timeline_of[block->track]];
    const pm_track_rows *at = &channel->layout[block->track];
    unsigned n = channel->components;
    track->key_count = timeline->key_count;
    track->segment_count = timeline->segment_count;
    track->loop = timeline->loop;
    track->single = timeline->constant;
    track->components = n;
    track->wrap = dreal_of(1);
    track->times = timeline->times;
    track->stored = (pm_extras_out){channel->keys + at->first, at->row, at->plane, !clip->shared};
    track->desc = desc;
    for (size_t i = 0; i < PM_DOUBLES; i++)
        track->index[i] = block->track + (i < block->count ? i : block->count - 1);
    track->user_tangents = rows_in_lanes(desc, &desc->user_tangents, 3, block);
    track->tangents_in = rows_in_lanes(desc, pm_channel_tangents_in(desc, c), n, block);
    track->tangents_out = rows_in_lanes(desc, pm_channel_tangents_out(desc, c), n, block);
}

/* Keys of the channel's array, and a lone one as two. */
static void read_track(const pm_clip_desc *desc, const pm_clip *clip, unsigned c,
                       const pm_block *block, pm_track *track) {
    const pm_channel *channel = &clip->channels[c];
    pm_lane_rows given = rows_in_lanes(desc, pm_channel_array(desc, c), channel->components, block);
    bool unrolls = channel->components == 4 && !channel->recipe.keeps_signs;
    read_keys(track, &given, unrolls);
    if (track->loop && unrolls) {
        dquat last = pm_stored_key(track, track->key_count - 1);
        dmask turned = (dmask)(dquat_dot(last, pm_stored_key(track, 0)) < 0);
        track->wrap = dreal_select(turned, dreal_of(-1), dreal_of(1));
    }
    if (track->single) {
        track->key_count = 2;
        track->user_tangents.stride = 0;
    }
    if (track->loop || track->single)
        put_last_row(track);
}

static pm_block_built summary_of(const pm_findings *findings, const pm_block *block) {
    pm_block_built built = {.status = findings->no_memory ? PM_ERROR_MEMORY : PM_OK,
                            .failed = block->track,
                            .wide = dmask_any(findings->wide)};
    if (!findings->no_memory && dmask_any(findings->failed)) {
        built.status = PM_ERROR_KEY;
        while (!findings->failed[built.failed - block->track])
            built.failed++;
    }
    return built;
}

static pm_block_built build(const pm_clip_desc *desc, pm_clip *clip, unsigned c,
                            const pm_block *block) {
    pm_channel *channel = &clip->channels[c];
    pm_segment_builder builder = builders[channel->recipe.segments];
    pm_findings findings = {0};
    pm_track track;
    describe(desc, clip, c, block, &track);
    read_track(desc, clip, c, block, &track);
    for (size_t i = 0; i < block->count; i++)
        channel->layout[block->track + i].wrap = (float)track.wrap[i];
    pm_extras_out extras = track.stored;
    extras.to += extras.plane;
    if (builder)
        findings = builder(&track, &extras);
    return summary_of(&findings, block);
}

/* Squared norms for which no rounding matters to whether the norm is within 1e-3 of 1. */
static bool are_rotations(const void *data, pm_number type, size_t count) {
    const dmask all = ~(dmask){0};
    size_t size = 4 * (type == PM_FLOAT64 ? sizeof(double) : sizeof(float));
    const unsigned char *at = data;
    dmask good = all;
    bool rest = true;
    size_t k = 0;
    for (; k + PM_DOUBLES <= count; k += PM_DOUBLES, at += PM_DOUBLES * size) {
        dquat q = type == PM_FLOAT64 ? dquat_load_doubles(at) : dquat_load_floats(at);
        dreal norm2 = dquat_dot(q, q);
        good &= (dmask)(norm2 >= 0.9981) & (dmask)(norm2 <= 1.0019);
    }
    for (; k < count; k++, at += size) {
        pm_rows_of_track row = {at, type, 0};
        double norm2 = 0;
        for (size_t i = 0; i < 4; i++)
            norm2 += pm_number_at(&row, 0, i) * pm_number_at(&row, 0, i);
        rest = rest && norm2 >= 0.9981 && norm2 <= 1.0019;
    }
    return rest && !dmask_any(~good);
}

#define PM_TEXT_(name) #name
#define PM_TEXT(name) PM_TEXT_(name)

static bool is_supported(void) {
#if defined(__AVX512F__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#elif defined(__AVX__)
    return __builtin_cpu_supports("avx2");
#else
    return true;
#endif
}

const pm_lane_set PM_LANE_NAME(pm_lanes) = {PM_TEXT(PM_LANE_SET), PM_DOUBLES, is_supported, build,
                                            are_rotations};
