/* SPDX-License-Identifier: MIT
 *
 * Builds the planes of a channel for a block of tracks: keys, normalised, unrolled and rounded, and
 * the method's segment coefficients. Compiled once for each instruction set.
 */
#include "builder.h"

static const pm_segment_builder *const builders[] = {[PM_BUILD_nothing] = NULL,
#define PM_BUILDER_ROW(name) [PM_BUILD_##name] = &PM_SET_NAME(pm_build_##name),
                                                     PM_BUILDERS(PM_BUILDER_ROW)
#undef PM_BUILDER_ROW
};

/* Tracks in lanes, one track per lane. */
typedef struct lanes {
    pm_track track;
    const pm_block *block;
    size_t count;        /* lanes in use; the others repeat the last track */
    pm_lane_views given; /* the description's keys */
    dquat before;        /* the previous key; of 48 bits: as decoded */
    pm_findings findings;
} lanes;

/* A block of tracks, distributed over lanes. */
typedef struct build {
    const pm_block *block;
    size_t count;
    lanes all[PM_BLOCK_TRACKS / PM_DOUBLES];
} build;

static pm_lane_views views_in_lanes(const pm_block *block, const pm_array *array,
                                    unsigned components, const pm_track *track) {
    pm_lane_views views = {.components = components};
    for (size_t i = 0; i < PM_DOUBLES; i++) {
        pm_array_view one =
            pm_track_view(block->desc, array, components, track->index[i], block->first_row);
        views.data[i] = one.data;
        views.type = one.type;
        views.stride = one.stride;
    }
    views.adjacent = true;
    for (size_t i = 1; i < PM_DOUBLES; i++)
        views.adjacent = views.adjacent && track->index[i] == track->index[0] + i;
    return views;
}

static bool is_coded(const lanes *l) {
    return l->block->format != PM_KEYS_FLOAT32;
}

/* Describes the tracks at places [at, at + count) of the block. */
static void describe(const pm_block *block, size_t at, size_t count, lanes *to) {
    const pm_clip_desc *desc = block->desc;
    const pm_track_layout *layout = &block->layout[pm_track_at(block->order, block->place + at)];
    const size_t room = block->room - at;
    const unsigned c = block->channel, n = pm_channel_components(c);
    *to = (lanes){.block = block,
                  .count = count,
                  .track = {.key_count = block->key_count,
                            .segment_count = block->segment_count,
                            .loop = block->loop,
                            .single = block->single,
                            .components = n,
                            .wrap = dreal_of(1),
                            .times = block->times,
                            .stored = {NULL, layout->row, layout->plane,
                                       room < PM_DOUBLES ? room : PM_DOUBLES},
                            .desc = desc}};
    pm_track *track = &to->track;
    if (!is_coded(to))
        track->stored.to = (float *)block->keys + layout->first;
    for (size_t i = 0; i < PM_DOUBLES; i++)
        track->index[i] =
            pm_track_at(block->order, block->place + at + (i < count ? i : count - 1));
    to->given = views_in_lanes(block, pm_channel_array(desc, c), n, track);
    track->user_tangents = views_in_lanes(block, &desc->user_tangents, 3, track);
    track->tangents_in = views_in_lanes(block, pm_channel_tangents_in(desc, c), n, track);
    track->tangents_out = views_in_lanes(block, pm_channel_tangents_out(desc, c), n, track);
}

/* Keys of 48 bits are processed lane by lane. */
static size_t coded_at(const lanes *l, size_t lane, size_t key) {
    const pm_track_layout *at = &l->block->layout[l->track.index[lane]];
    return at->first + key * at->row;
}

static void put_coded(lanes *l, size_t key, dquat q) {
    for (size_t i = 0; i < l->count; i++) {
        dquat *b = &l->before;
        double before[4] = {b->x[i], b->y[i], b->z[i], b->w[i]};
        pm_key_store(l->block->format, l->block->keys, coded_at(l, i, key),
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
        pm_quat one = pm_key_load(l->block->format, l->block->keys, coded_at(l, i, key));
        q.x[i] = (double)one.x;
        q.y[i] = (double)one.y;
        q.z[i] = (double)one.z;
        q.w[i] = (double)one.w;
    }
    return q;
}

/* A quaternion whose length is not 1 only by rounding, normalised; others as they are. */
static dquat unit_if_near(dquat q) {
    const dreal off = dreal_abs(dquat_norm(q) - 1);
    return dquat_select((dmask)(off <= dreal_of(0x1p-23)), dquat_unit(q), q);
}

/* Reads a window of keys from `first` on, normalises them, chooses the sign nearest the previous
 * key, and stores them. Segment builders read the stored keys: pm_stored_key. */
static void read_window(lanes *l, size_t first, bool unrolls) {
    const pm_track *track = &l->track;
    for (size_t k = first; k < first + PM_WINDOW && k < track->key_count; k++) {
        dquat q = pm_given_row(&l->given, k);
        if (track->components == 4)
            q = l->block->keeps_keys ? unit_if_near(q) : dquat_unit(q);
        if (unrolls)
            q = dquat_flipped(q, (dmask)(dquat_dot(l->before, q) < 0));
        if (is_coded(l)) {
            put_coded(l, k, q);
            continue;
        }
        l->before = q;
        pm_put(&track->stored, k, 0, q);
    }
}

/* Stores the row after the last key: for a loop, key 0 with the sign that continues the last key;
 * for a single key, the key again. */
static void put_last_row(const lanes *l) {
    const pm_track *track = &l->track;
    for (size_t i = 0; is_coded(l) && i < l->count; i++)
        pm_key_repeat(l->block->format, l->block->keys, coded_at(l, i, 0), l->block->keys,
                      coded_at(l, i, track->segment_count), track->wrap[i] < 0);
    if (is_coded(l))
        return;
    dquat key = pm_get(&track->stored, 0);
    pm_put(&track->stored, track->segment_count, 0, dquat_scaled(key, track->wrap));
}

static dquat stored_key(const lanes *l, size_t key) {
    return is_coded(l) ? coded_key(l, key) : pm_stored_key(&l->track, key);
}

/* Finishes the keys of a track: the sign of its laps and its last row. A single key becomes two. */
static void finish_keys(lanes *l, bool unrolls) {
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
    bool unrolls = b->block->channel == PM_ROTATIONS && !b->block->keeps_keys;
    for (size_t k = 0; k < b->all[0].track.key_count; k += PM_WINDOW)
        for (size_t i = 0; i < b->count; i++)
            read_window(&b->all[i], k, unrolls);
    for (size_t i = 0; i < b->count; i++) {
        const pm_track *track = &b->all[i].track;
        finish_keys(&b->all[i], unrolls);
        for (size_t n = 0; n < b->all[i].count; n++)
            b->block->layout[track->index[n]].wrap = (float)track->wrap[n];
    }
}

static pm_coefficients_out coefficients_of(const pm_track *track) {
    pm_coefficients_out coefficients = track->stored;
    coefficients.to += coefficients.plane;
    return coefficients;
}

static void build_segments(build *b) {
    const pm_segment_builder *builder = builders[b->block->builder];
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

static pm_block_result summary_of(const build *b) {
    pm_block_result built = {.status = PM_OK};
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

static pm_block_result build_block(const pm_block *block) {
    build b = {.block = block};
    for (size_t at = 0; at < block->count; at += PM_DOUBLES) {
        size_t rest = block->count - at;
        describe(block, at, rest < PM_DOUBLES ? rest : PM_DOUBLES, &b.all[b.count++]);
    }
    read_keys(&b);
    build_segments(&b);
    return summary_of(&b);
}

extern const pm_segment_functions PM_SET_NAME(pm_segment_functions);
/* Checks of all numbers in memory order; clip/check_keys.c finds which one is invalid, and why.
 *
 * The bounds are so narrow that rounding cannot change whether the norm is within 1e-3 of 1. */
static dmask is_rotation(dquat q) {
    dreal norm2 = dquat_dot(q, q);
    return (dmask)(norm2 >= 0.9981) & (dmask)(norm2 <= 1.0019);
}

static bool are_rotations(const void *data, pm_number type, size_t count) {
    size_t size = 4 * pm_number_size(type);
    const unsigned char *at = data;
    dmask good = ~(dmask){0};
    size_t k = 0;
    for (; k + PM_DOUBLES <= count; k += PM_DOUBLES, at += PM_DOUBLES * size)
        good &= is_rotation(type == PM_FLOAT64 ? dquat_load_doubles(at) : dquat_load_floats(at));
    for (; k < count; k++, at += size) {
        pm_array_view row = {at, type, 0};
        dreal x = dreal_of(pm_number_at(&row, 0, 0)), y = dreal_of(pm_number_at(&row, 0, 1));
        dreal z = dreal_of(pm_number_at(&row, 0, 2)), w = dreal_of(pm_number_at(&row, 0, 3));
        good &= is_rotation((dquat){x, y, z, w});
    }
    return !dmask_any(~good);
}

static bool are_within(const void *data, pm_number type, size_t count, double max) {
    size_t size = pm_number_size(type);
    const unsigned char *at = data;
    dmask good = ~(dmask){0};
    size_t k = 0;
    for (; k + PM_DOUBLES <= count; k += PM_DOUBLES, at += PM_DOUBLES * size) {
        dreal value = type == PM_FLOAT64 ? load_doubles(at) : load_floats(at);
        good &= (dmask)(dreal_abs(value) <= max);
    }
    for (; k < count; k++, at += size) {
        pm_array_view row = {at, type, 0};
        good &= (dmask)(dreal_abs(dreal_of(pm_number_at(&row, 0, 0))) <= max);
    }
    return !dmask_any(~good);
}

const pm_segment_functions PM_SET_NAME(pm_segment_functions) = {
    .lanes = PM_DOUBLES,
    .build = build_block,
    .are_rotations = are_rotations,
    .are_within = are_within,
};
