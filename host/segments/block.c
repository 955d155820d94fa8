/* SPDX-License-Identifier: MIT
 *
 * Builds the planes of a channel for a block of tracks: keys, normalised, unrolled and rounded, and
 * the method's segment coefficients; of all segments, or in a stream of windows of them. Compiled once
 * for each instruction set.
 */
#include "builder.h"
#include "key_store.h"

#include <string.h>

/* NULL: the curve has no coefficients. */
static const pm_segment_builder *builder_of(const pm_block *block) {
    return block->builder == PM_BUILD_nothing ? NULL : &pm_segment_builders[block->builder];
}

/* A block of tracks, distributed over lanes. */
typedef struct build {
    const pm_block *block;
    size_t count;
    pm_track tracks[PM_BLOCK_TRACKS / PM_DOUBLES];
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

static bool is_coded(const pm_track *track) {
    return track->block->format != PM_KEYS_FLOAT32;
}

static size_t at_most_lanes(size_t count) {
    return count < PM_DOUBLES ? count : PM_DOUBLES;
}

/* The unit axes of the tracks, in the frame that the description gives. */
static dvec3 axes_of(const pm_track *track) {
    const pm_array *axes = &track->desc->axes;
    const size_t size = pm_number_size(axes->type);
    const pm_array_view rows = {axes->data, axes->type, axes->stride ? axes->stride : 3 * size};
    dvec3 axis;
    for (int i = 0; i < PM_DOUBLES; i++) {
        const size_t row = track->desc->axis_count > 1 ? track->index[i] : 0;
        axis.x[i] = pm_number_at(&rows, row, 0);
        axis.y[i] = pm_number_at(&rows, row, 1);
        axis.z[i] = pm_number_at(&rows, row, 2);
    }
    return pm_unit_axis(axis);
}

/* Describes the tracks from place `at` of the block on. */
static void describe(const pm_block *block, size_t at, pm_window *window, pm_track *track) {
    const pm_clip_desc *desc = block->desc;
    const unsigned c = block->channel, n = pm_channel_components(c);
    *track = (pm_track){.block = block,
                        .count = at_most_lanes(block->count - at),
                        .key_count = block->key_count,
                        .segment_count = block->segment_count,
                        .loop = block->loop,
                        .single = block->single,
                        .components = n,
                        .wrap = dreal_of(1),
                        .times = block->times,
                        .desc = desc,
                        .planes = block->planes ? block->planes + pm_place_floats(n) * at : NULL,
                        .row = block->row,
                        .plane = block->plane,
                        .room = at_most_lanes(block->room - at),
                        .window = window};
    for (size_t i = 0; i < PM_DOUBLES; i++)
        track->index[i] = pm_track_at(block->order, block->place + at +
                                                        (i < track->count ? i : track->count - 1));
    track->given = views_in_lanes(block, pm_channel_array(desc, c, PM_ARRAY_KEYS), n, track);
    track->user_tangents = views_in_lanes(block, &desc->user_tangents, 3, track);
    track->tangents_in = views_in_lanes(block, pm_channel_array(desc, c, PM_ARRAY_IN), n, track);
    track->tangents_out = views_in_lanes(block, pm_channel_array(desc, c, PM_ARRAY_OUT), n, track);
    if (block->builder == PM_BUILD_sterp)
        track->axis = axes_of(track);
}

/* Keys of 48 bits are encoded in lanes, and stored and decoded lane by lane. */
static size_t coded_at(const pm_track *track, size_t lane, size_t key) {
    const pm_track_layout *at = &track->block->layout[track->index[lane]];
    return at->first + key * at->row;
}

/* Codes of a window of keys, lane by lane. */
typedef struct codes_in_window {
    pm_coded_key of[PM_DOUBLES][PM_WINDOW];
} codes_in_window;

/* Key `at` of the window. */
static void encode_key(const pm_track *track, dquat q, size_t at, codes_in_window *codes) {
    const dcodes found = dcodes_of(track->block->format, q);
    for (size_t i = 0; i < track->count; i++)
        codes->of[i][at] = pm_code_in_lane(&found, i);
}

static void take_codes(const pm_track *track, size_t key, size_t at, codes_in_window *codes) {
    const pm_key_format format = track->block->format;
    const pm_clip_desc *desc = track->desc;
    const size_t tight = pm_keys_row_bytes(format, desc->track_count);
    const size_t stride = desc->rotations.stride ? desc->rotations.stride : tight;
    const char *row = (const char *)desc->rotations.data + key * stride;
    for (size_t i = 0; i < track->count; i++)
        codes->of[i][at] = pm_coded_get(format, row, desc->track_count, track->index[i]);
}

/* Stores `count` keys of a window; decoded keys decide the signs. */
static void put_codes(pm_track *track, size_t first, size_t count, const codes_in_window *codes) {
    const pm_block *block = track->block;
    dquat *b = &track->before;
    for (size_t i = 0; i < track->count; i++) {
        double before[4] = {b->x[i], b->y[i], b->z[i], b->w[i]};
        for (size_t k = 0; k < count; k++)
            pm_key_store(block->format, block->keys, coded_at(track, i, first + k), codes->of[i][k],
                         before);
        dquat_set_lane(b, i, before[0], before[1], before[2], before[3]);
    }
}

static dquat coded_key(const pm_track *track, size_t key) {
    const pm_block *block = track->block;
    dquat q = {0};
    for (size_t i = 0; i < track->count; i++) {
        pm_quat one = pm_key_load(block->format, block->keys, coded_at(track, i, key));
        dquat_set_lane(&q, i, (double)one.x, (double)one.y, (double)one.z, (double)one.w);
    }
    return q;
}

/* Key `key` of the description, normalised, with the sign nearest the previous key. */
static dquat read_key(const pm_track *track, size_t key, bool unrolls) {
    dquat q = pm_given_row(&track->given, key);
    if (track->components == 4)
        q = pm_normalised(q, track->block->keeps_keys);
    return unrolls ? dquat_flipped(q, pm_is_turned(track->before, q)) : q;
}

static void read_coded(pm_track *track, size_t first, size_t end) {
    const bool is_given = pm_is_coded(track->desc);
    codes_in_window codes;
    for (size_t k = first; k < end; k++)
        if (is_given)
            take_codes(track, k, k - first, &codes);
        else
            encode_key(track, read_key(track, k, false), k - first, &codes);
    put_codes(track, first, end - first, &codes);
}

/* Reads a window of keys from `first` on, and stores them. */
static void read_window(pm_track *track, size_t first, bool unrolls) {
    const size_t rest = track->key_count - first;
    const size_t end = first + (rest < PM_WINDOW ? rest : PM_WINDOW);
    if (is_coded(track)) {
        read_coded(track, first, end);
        return;
    }
    for (size_t k = first; k < end; k++) {
        track->before = read_key(track, k, unrolls);
        pm_put_plane(track, (ptrdiff_t)k, 0, track->before);
    }
}

/* Stores key `from` in row `to`, with the sign of the other lap. */
static void put_in_other_lap(const pm_track *track, size_t from, ptrdiff_t to, dquat key) {
    const pm_block *block = track->block;
    for (size_t i = 0; is_coded(track) && i < track->count; i++) {
        const size_t first = coded_at(track, i, 0), row = block->layout[track->index[i]].row;
        pm_key_repeat(block->format, block->keys, coded_at(track, i, from),
                      first + (size_t)to * row, track->wrap[i] < 0);
    }
    if (!is_coded(track))
        pm_put_plane(track, to, 0, dquat_scaled(key, track->wrap));
}

/* Stores the row after the last key: for a loop, key 0 with the sign that continues the last key;
 * for a single key, the key again. */
static void put_last_row(const pm_track *track) {
    put_in_other_lap(track, 0, (ptrdiff_t)track->segment_count, track->head[0]);
}

/* The keys that continue a loop before its first row and behind its last. */
static void put_rows_beside(const pm_track *track) {
    put_in_other_lap(track, track->key_count - 1, -1, track->tail);
    put_in_other_lap(track, 1, (ptrdiff_t)track->segment_count + 1, track->head[1]);
}

static dquat stored_key(const pm_track *track, size_t key) {
    return is_coded(track) ? coded_key(track, key)
                           : pm_normalised_key(track, pm_get(track, (ptrdiff_t)key));
}

/* Finishes the keys of a track: the sign of its laps and its last row. A single key becomes two. */
static void finish_keys(pm_track *track, bool unrolls) {
    if (!is_coded(track)) {
        track->head[0] = pm_get(track, 0);
        track->head[1] = pm_get(track, track->single ? 0 : 1);
        track->tail = pm_get(track, (ptrdiff_t)track->key_count - 1);
    }
    if (track->loop && unrolls)
        track->wrap = pm_wrap_of(stored_key(track, 0), stored_key(track, track->key_count - 1));
    if (track->single) {
        track->key_count = 2;
        track->user_tangents.stride = 0;
    }
    if (track->loop || track->single)
        put_last_row(track);
    if (track->loop && !track->single && track->block->four_keys)
        put_rows_beside(track);
}

static bool unrolls_keys(const pm_block *block) {
    return block->channel == PM_ROTATIONS && !block->keeps_keys;
}

/* Zeros the places behind the last track that no lane writes, in a window of rows. */
static void clear_padding(const build *b, size_t first) {
    const pm_block *block = b->block;
    const size_t written = b->count * PM_DOUBLES;
    if (!block->is_last || !block->planes || written >= block->room)
        return;
    for (size_t k = first; k < first + PM_WINDOW && k < b->tracks[0].key_count; k++)
        for (size_t plane = 0; plane < block->row; plane += block->plane)
            memset(block->planes + k * block->row + plane + 4 * written, 0,
                   (block->room - written) * 4 * sizeof(float));
}

static void read_keys(build *b) {
    const bool unrolls = unrolls_keys(b->block);
    for (size_t k = 0; k < b->tracks[0].key_count; k += PM_WINDOW) {
        for (size_t i = 0; i < b->count; i++)
            read_window(&b->tracks[i], k, unrolls);
        clear_padding(b, k);
    }
    for (size_t i = 0; i < b->count; i++) {
        pm_track *track = &b->tracks[i];
        finish_keys(track, unrolls);
        for (size_t n = 0; b->block->layout && n < track->count; n++)
            b->block->layout[track->index[n]].wrap = (float)track->wrap[n];
    }
}

/* Prepares all tracks; false: one of them has no memory. */
static bool prepare(build *b, const pm_segment_builder *builder) {
    bool ready = true;
    for (size_t i = 0; builder->prepare && i < b->count; i++) {
        builder->prepare(&b->tracks[i]);
        ready = ready && !b->tracks[i].no_memory;
    }
    return ready;
}

static void build_segments(build *b) {
    const pm_segment_builder *builder = builder_of(b->block);
    if (!builder)
        return;
    const bool ready = prepare(b, builder);
    for (size_t k = 0; ready && k < b->tracks[0].segment_count; k += PM_WINDOW)
        for (size_t i = 0; i < b->count; i++) {
            pm_track_look(&b->tracks[i], (ptrdiff_t)k, PM_WINDOW, builder->needs);
            builder->window(&b->tracks[i]);
        }
    for (size_t i = 0; i < b->count; i++)
        pm_release(b->tracks[i].rates);
}

static pm_block_result summary_of(const build *b) {
    pm_block_result built = {.status = PM_OK};
    for (size_t i = 0; i < b->count; i++) {
        const pm_track *track = &b->tracks[i];
        for (size_t n = 0; n < track->count && built.status == PM_OK; n++) {
            if (track->no_memory || track->failed[n])
                built.status = track->no_memory ? PM_ERROR_MEMORY : PM_ERROR_KEY;
            built.failed = track->index[n];
        }
    }
    return built;
}

static void describe_all(build *b, pm_window *window) {
    window->rules = pm_build_rules_of(b->block->desc);
    for (size_t at = 0; at < b->block->count; at += PM_DOUBLES)
        describe(b->block, at, window, &b->tracks[b->count++]);
}

static pm_block_result build_block(const pm_block *block) {
    pm_window window;
    build b = {.block = block};
    describe_all(&b, &window);
    read_keys(&b);
    build_segments(&b);
    return summary_of(&b);
}

/* A block that is built a window at a time. */
typedef struct stream {
    pm_block block;
    build build;
    pm_window window;
    size_t rows;   /* of the planes */
    size_t read;   /* keys that are read; those from row 0 on are stored */
    size_t ranges; /* the range behind the last one whose rates are found */
    bool needs_all;
} stream;

/* What rounding to float32 leaves of a key. */
static dquat rounded(dquat q) {
    return (dquat){dreal_rounded(pm_kept(q.x)), dreal_rounded(pm_kept(q.y)),
                   dreal_rounded(pm_kept(q.z)), dreal_rounded(pm_kept(q.w))};
}

/* Reads all keys of a loop for those that continue its ends, and the sign of its laps. */
static void look_around(pm_track *track, bool unrolls) {
    for (size_t k = 0; k < track->key_count; k++) {
        track->before = read_key(track, k, unrolls);
        if (k < 2)
            track->head[k] = rounded(track->before);
    }
    track->tail = rounded(track->before);
    track->before = (dquat){0};
    if (unrolls)
        track->wrap = pm_wrap_of(pm_normalised_key(track, track->head[0]),
                                 pm_normalised_key(track, track->tail));
}

/* A window, with a key before it and two after it; or two ranges and the keys around them. */
static size_t stream_rows(const pm_block *block) {
    const pm_segment_builder *builder = builder_of(block);
    if (!builder || !builder->prepare)
        return PM_WINDOW + 3;
    const bool ranged =
        builder->prepare_range && !block->loop && block->key_count > PM_LEAST_RANGED;
    return ranged ? 2 * PM_RANGE + 2 * PM_HALO + 4 : 0;
}

/* Allocates the rates of two ranges where the builder finds them first. */
static void allocate_rates(pm_track *track, const pm_segment_builder *builder) {
    if (!builder || !builder->prepare_range)
        return;
    track->rates_mask = 2 * PM_RANGE - 1;
    track->rates =
        pm_allocate_lines(track->block->host, (size_t)2 * PM_RANGE * sizeof *track->rates);
    track->no_memory = !track->rates;
}

static void begin_stream(const pm_block *block, void *memory, float *wraps) {
    stream *s = memory;
    *s = (stream){.block = *block, .rows = stream_rows(block)};
    s->build.block = &s->block;
    describe_all(&s->build, &s->window);
    for (size_t i = 0; i < s->build.count; i++) {
        pm_track *track = &s->build.tracks[i];
        allocate_rates(track, builder_of(block));
        if (track->loop)
            look_around(track, unrolls_keys(block));
        for (size_t n = 0; n < track->count; n++)
            wraps[i * PM_DOUBLES + n] = (float)track->wrap[n];
    }
}

/* Forgets what was read: the next window begins before what is stored. */
static void rewind_stream(stream *s) {
    s->read = s->ranges = 0;
    for (size_t i = 0; i < s->build.count; i++)
        s->build.tracks[i].before = (dquat){0};
}

/* Moves the rows of a track so that they begin with row `base`, and reads keys up to `end`. */
static void move_rows(pm_track *track, ptrdiff_t base, size_t read, size_t end, bool unrolls) {
    const ptrdiff_t before = track->base;
    for (ptrdiff_t k = base < 0 ? 0 : base; base != before && k < (ptrdiff_t)read; k++) {
        track->base = before;
        const dquat kept = pm_get(track, k);
        track->base = base;
        pm_put_plane(track, k, 0, kept);
    }
    track->base = base;
    for (size_t k = read; k < end; k++) {
        track->before = read_key(track, k, unrolls);
        if ((ptrdiff_t)k >= base)
            pm_put_plane(track, (ptrdiff_t)k, 0, track->before);
    }
}

/* Of a window: its ranges without rates, and the keys that it requires. */
typedef struct need {
    size_t first_range, end_range;
    ptrdiff_t base;
    size_t end;
} need;

static need need_of(const stream *s, size_t first, size_t count, bool has_ranges) {
    const size_t keys = s->build.tracks[0].key_count;
    need n = {.base = (ptrdiff_t)first - 1, .end = first + count + 2};
    if (has_ranges) {
        const size_t own = first / PM_RANGE;
        n.first_range = s->ranges > own ? s->ranges : own;
        n.end_range = (first + count) / PM_RANGE + 1;
    }
    if (has_ranges) { /* the keys before the next range stay, too */
        const size_t next = n.first_range < n.end_range ? n.first_range : s->ranges;
        const ptrdiff_t before = (ptrdiff_t)(next * PM_RANGE) - PM_HALO - 1;
        n.base = before < n.base ? before : n.base;
    }
    if (n.first_range < n.end_range)
        n.end = n.end_range * PM_RANGE + PM_HALO + 2;
    n.base = n.base < -1 ? -1 : n.base;
    n.end = n.end < keys ? n.end : keys;
    return n;
}

static void read_rows(stream *s, const need *n) {
    const pm_track *any = &s->build.tracks[0];
    /* not moved while the keys have room */
    const bool fits = n->base >= any->base &&
                      n->end <= (size_t)(any->base + (ptrdiff_t)s->rows - 1) && s->read > 0;
    const ptrdiff_t base = fits ? any->base : n->base;
    for (size_t i = 0; i < s->build.count; i++)
        move_rows(&s->build.tracks[i], base, s->read, n->end, unrolls_keys(&s->block));
    s->read = s->read > n->end ? s->read : n->end;
}

static void find_rates(stream *s, const pm_segment_builder *builder, const need *n) {
    const size_t keys = s->build.tracks[0].key_count;
    for (size_t r = n->first_range; r < n->end_range && r * PM_RANGE < keys; r++)
        for (size_t i = 0; i < s->build.count; i++) {
            const size_t from = r * PM_RANGE, end = keys - from < PM_RANGE ? keys : from + PM_RANGE;
            s->needs_all |= dmask_any(builder->prepare_range(&s->build.tracks[i], from, end));
        }
    s->ranges = n->end_range > s->ranges ? n->end_range : s->ranges;
}

static pm_block_result build_window(void *memory, size_t first, size_t count, bool with_segments) {
    stream *s = memory;
    const pm_segment_builder *builder = builder_of(&s->block);
    const bool has_ranges = builder && builder->prepare_range;
    pm_block_result built = summary_of(&s->build);
    if (built.status != PM_OK)
        return built;
    need n = need_of(s, first, count, has_ranges);
    if (n.base < s->build.tracks[0].base || s->ranges > first / PM_RANGE + 2) {
        rewind_stream(s);
        n = need_of(s, first, count, has_ranges);
    }
    read_rows(s, &n);
    if (has_ranges)
        find_rates(s, builder, &n);
    for (size_t i = 0; i < s->build.count; i++) {
        pm_track *track = &s->build.tracks[i];
        if (track->loop && first + count == track->segment_count)
            put_last_row(track);
        if (!builder || !with_segments || track->no_memory)
            continue;
        pm_track_look(track, (ptrdiff_t)first, count, builder->needs);
        builder->window(track);
    }
    built = summary_of(&s->build);
    built.needs_all = s->needs_all;
    built.row = (size_t)((ptrdiff_t)first - s->build.tracks[0].base);
    return built;
}

static void end_stream(void *memory) {
    stream *s = memory;
    for (size_t i = 0; i < s->build.count; i++)
        pm_release(s->build.tracks[i].rates);
}

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
        good &= is_rotation(dquat_load(at, type));
    for (; k < count; k++, at += size) {
        pm_array_view row = {at, type, 0};
        dreal x = dreal_of(pm_number_at(&row, 0, 0)), y = dreal_of(pm_number_at(&row, 0, 1));
        dreal z = dreal_of(pm_number_at(&row, 0, 2)), w = dreal_of(pm_number_at(&row, 0, 3));
        good &= is_rotation((dquat){x, y, z, w});
    }
    return !dmask_any(~good);
}

static void encode(pm_key_format format, const float *from, size_t rows, size_t tracks, void *to) {
    const size_t row = pm_keys_row_bytes(format, tracks);
    char *at = to;
    memset(at, 0, rows * row);
    for (size_t k = 0; k < rows; k++, at += row)
        for (size_t t = 0, lanes = 0; t < tracks; t += lanes, from += 4 * lanes) {
            lanes = at_most_lanes(tracks - t);
            const dcodes codes =
                dcodes_of(format, pm_normalised(dquat_load_some(from, lanes), false));
            for (size_t i = 0; i < lanes; i++) {
                const pm_coded_key key = pm_code_in_lane(&codes, i);
                pm_coded_put(format, at, tracks, t + i, &key);
            }
        }
}

static bool are_within(const void *data, pm_number type, size_t count, double max) {
    size_t size = pm_number_size(type);
    const unsigned char *at = data;
    dmask good = ~(dmask){0};
    size_t k = 0;
    for (; k + PM_DOUBLES <= count; k += PM_DOUBLES, at += PM_DOUBLES * size)
        good &= (dmask)(dreal_abs(dreal_load(at, type)) <= max);
    for (; k < count; k++, at += size) {
        pm_array_view row = {at, type, 0};
        good &= (dmask)(dreal_abs(dreal_of(pm_number_at(&row, 0, 0))) <= max);
    }
    return !dmask_any(~good);
}

extern const pm_segment_functions PM_SET_NAME(pm_segment_functions);
const pm_segment_functions PM_SET_NAME(pm_segment_functions) = {
    .lanes = PM_DOUBLES,
    .build = build_block,
    .stream_bytes = sizeof(stream),
    .stream_rows = stream_rows,
    .begin_stream = begin_stream,
    .build_window = build_window,
    .end_stream = end_stream,
    .encode = encode,
    .are_rotations = are_rotations,
    .are_within = are_within,
};
