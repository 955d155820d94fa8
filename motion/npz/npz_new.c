/* SPDX-License-Identifier: MIT
 *
 * Writes a file of layout `plain` from a motion of any format: the skeleton, a rotation of every node
 * and the positions per frame, and the rate or the times.
 */
#include <stdio.h>
#include <string.h>

#include "motion/base/printable.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/order.h"
#include "motion/npz/npz_numbers.h"
#include "motion/npz/npz_write.h"
#include "motion/npz/zip_fields.h"
#include "motion/time/rate.h"

/* The paths of a node that have a row per frame. */
enum { ROTATION = PM_MOTION_ROTATION, POSITION = PM_MOTION_POSITION, PATHS };

typedef struct maker {
    const pm_motion_content *content;
    const pm_motion_clip *clip;
    const motion_writing *writing;
    motion_frames frames;
    const pm_motion_channel **sources[PATHS]; /* of each node. NULL: the rest pose */
    uint32_t *order, *place;                  /* of nodes: readers expect parents first */
    size_t name_length;                       /* characters of the longest name */
    uint32_t root;                            /* whose position is written, */
    bool all_positions;                       /* or those of all nodes */
    char rate_type[4];
    motion_arena arena;
    zip_writer zip;
    pm_error *error;
} maker;

/* Assigns channels to nodes; others are left out. */
static pm_status find_sources(maker *m) {
    size_t scales = 0, numbers = 0, loose = 0, curves = 0;
    for (size_t i = 0; i < m->clip->channel_count; i++) {
        const pm_motion_channel *channel = &m->clip->channels[i];
        const bool is_constant = m->clip->timelines[channel->timeline].key_count < 2;
        if (motion_is_pose_channel(channel))
            m->sources[channel->path][channel->node] = channel;
        else if (channel->path == PM_MOTION_SCALE)
            scales++;
        else if (channel->path > PM_MOTION_SCALE)
            numbers++;
        else
            loose++;
        curves += motion_is_pose_channel(channel) && !is_constant &&
                  channel->interpolation != PM_MOTION_LINEAR;
    }
    motion_leave_out(m->writing, scales, "channel of scales", "channels of scales");
    motion_leave_out(m->writing, numbers, "channel of weights or scalars",
                     "channels of weights or scalars");
    motion_leave_out(m->writing, loose, "channel of no node", "channels of no node");
    motion_leave_out(m->writing, curves, "interpolation that is not linear",
                     "interpolations that are not linear");
    const pm_status status = motion_leave_out_skins(m->writing, m->error);
    motion_leave_out(m->writing, m->content->clip_count - 1, "other clip", "other clips");
    return status;
}

/* The positions of a single root suffice if no other node moves. */
static void find_positions(maker *m) {
    size_t roots = 0, movers = 0;
    for (uint32_t n = 0; n < m->content->node_count; n++) {
        const bool is_root = m->content->nodes[n].parent < 0;
        m->root = is_root && roots == 0 ? n : m->root;
        roots += is_root;
        movers += !is_root && m->sources[POSITION][n];
    }
    m->all_positions = roots != 1 || movers > 0;
}

/* The type whose number is read back as exactly this rate. */
static void find_rate_type(maker *m) {
    char text[RATE_TEXT], what[RATE_TEXT + 24];
    const pm_rational rate = m->frames.rate;
    const double value = rate_value(rate), narrow = (double)(float)value;
    pm_rational wide_rate = {0, 0}, narrow_rate = {0, 0};
    const bool is_whole = rate.num % rate.den == 0;
    if (!is_whole) {
        npz_recognise_rate(value, false, true, &wide_rate);
        npz_recognise_rate(narrow, true, true, &narrow_rate);
    }
    const bool is_wide = wide_rate.num == rate.num && wide_rate.den == rate.den;
    const bool is_narrow = narrow_rate.num == rate.num && narrow_rate.den == rate.den;
    memcpy(m->rate_type, is_whole ? "<i8" : is_wide || !is_narrow ? "<f8" : "<f4", 4);
    if (is_whole || is_wide || is_narrow || !m->writing->left_out)
        return;
    rate_describe(rate, text);
    snprintf(what, sizeof what, "the exact rate %s", text);
    m->writing->left_out(m->writing->user, what);
}

/* Writes the characters, if `out` is not NULL; bytes that are none are U+FFFD, and *is_odd is set. Returns
 * how many there are. */
static size_t put_characters(pm_motion_name name, char *out, bool *is_odd) {
    size_t count = 0;
    for (size_t at = 0; at < name.size; count++) {
        const size_t length = utf8_length(name.text + at, name.size - at);
        if (out)
            out = zip_put(out, length ? utf8_code(name.text + at, length) : 0xfffd, 4);
        *is_odd = *is_odd || length == 0;
        at += length ? length : 1;
    }
    return count;
}

/* All names of an array have the size of the longest one. */
static pm_status find_names(maker *m) {
    enum { MOST_BYTES = 1 << 30 };
    size_t odd = 0;
    m->name_length = 1;
    for (size_t n = 0; n < m->content->node_count; n++) {
        bool is_odd = false;
        const size_t length = put_characters(m->content->nodes[n].name, NULL, &is_odd);
        m->name_length = length > m->name_length ? length : m->name_length;
        odd += is_odd;
    }
    if (m->name_length > MOST_BYTES / 4 / m->content->node_count)
        return motion_refuse(m->error,
                             "has a name of %zu characters and %zu nodes; expected names that fit "
                             "in an array of 1 GiB",
                             m->name_length, m->content->node_count);
    motion_leave_out(m->writing, odd, "name that is not UTF-8", "names that are not UTF-8");
    return PM_OK;
}

static zip_member new_member(const char *name) {
    enum { READABLE = 0100644 };
    return zip_new_member((zip_bytes){name, strlen(name)}, (uint32_t)READABLE << 16);
}

/* An array with `width` elements in a row; 0: it has one axis. */
typedef struct array {
    const char *name, *type;
    size_t rank, width;
    const void *data;
} array;

static pm_status write_array(maker *m, const array *a, size_t rows) {
    char text[NPY_WRITTEN_MAX];
    npy_header h = {.rank = a->rank, .shape = {rows, a->width}};
    const zip_member member = new_member(a->name);
    snprintf(h.type, sizeof h.type, "%s", a->type);
    const zip_bytes header = {text, npy_write_any_header(&h, text)};
    zip_bytes data = {a->data, 0};
    MOTION_TRY_MEMORY(a->data && npy_bytes(&h, &data.size), m->error);
    const uint32_t crc = zip_continue_checksum(zip_checksum(header), data);
    MOTION_TRY(zip_begin_stored(&m->zip, &member, crc, header.size + data.size, m->error));
    MOTION_TRY(zip_write_piece(&m->zip, header, m->error));
    return zip_write_piece(&m->zip, data, m->error);
}

static pm_status write_skeleton(maker *m) {
    const size_t n = m->content->node_count, name = 4 * m->name_length;
    char type[24], *names = motion_allocate(&m->arena, n, name);
    int32_t *parents = motion_allocate(&m->arena, n, sizeof *parents);
    double *numbers = motion_allocate(&m->arena, n, 13 * sizeof *numbers);
    bool has_rotations = false, has_scales = false, has_tails = false;
    char *flags = motion_allocate(&m->arena, n, 1);
    MOTION_TRY_MEMORY(names && parents && numbers && flags, m->error);
    double *offsets = numbers, *rotations = numbers + 3 * n, *scales = numbers + 7 * n,
           *tails = numbers + 10 * n;
    for (size_t i = 0; i < n; i++) {
        const pm_motion_node *node = &m->content->nodes[m->order[i]];
        const double *q = node->rotation, *s = node->scale;
        bool is_odd = false;
        put_characters(node->name, names + i * name, &is_odd);
        parents[i] = node->parent < 0 ? -1 : (int32_t)m->place[node->parent];
        memcpy(offsets + 3 * i, node->position, sizeof node->position);
        memcpy(rotations + 4 * i, q, sizeof node->rotation);
        memcpy(scales + 3 * i, s, sizeof node->scale);
        if (node->has_tail)
            memcpy(tails + 3 * i, node->tail, sizeof node->tail);
        flags[i] = node->has_tail;
        has_rotations = has_rotations || q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 1;
        has_scales = has_scales || s[0] != 1 || s[1] != 1 || s[2] != 1;
        has_tails = has_tails || node->has_tail;
    }
    snprintf(type, sizeof type, "<U%zu", m->name_length);
    const struct {
        bool is_there;
        array array;
    } arrays[] = {{true, {"names.npy", type, 1, 0, names}},
                  {true, {"parents.npy", "<i4", 1, 0, parents}},
                  {true, {"offsets.npy", "<f8", 2, 3, offsets}},
                  {has_rotations, {"rest_rotations.npy", "<f8", 2, 4, rotations}},
                  {has_scales, {"rest_scales.npy", "<f8", 2, 3, scales}},
                  {has_tails, {"tails.npy", "<f8", 2, 3, tails}},
                  {has_tails, {"has_tail.npy", "|b1", 1, 0, flags}}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (arrays[i].is_there)
            MOTION_TRY(write_array(m, &arrays[i].array, n));
    return PM_OK;
}

static pm_status write_rate(maker *m) {
    const pm_rational rate = m->frames.rate;
    const double value = rate_value(rate);
    char bytes[sizeof value];
    if (m->rate_type[1] == 'i')
        zip_put(bytes, (uint64_t)(rate.num / rate.den), sizeof bytes);
    else
        npz_store_numbers(bytes, &value, npy_element_size(m->rate_type), 1);
    return write_array(m, &(array){"rate.npy", m->rate_type, 0, 0, bytes}, 0);
}

static pm_status write_times(maker *m) {
    double *times = motion_allocate(&m->arena, m->frames.count, sizeof *times);
    if (times)
        (void)evaluate_key_times(m->frames.timeline, times);
    return write_array(m, &(array){"times.npy", "<f8", 1, 0, times}, m->frames.count);
}

/* A member with a row per frame: the numbers of nodes side by side. */
typedef struct rows_of {
    const maker *m;
    pm_motion_path path;
    const uint32_t *nodes;
    size_t count;
} rows_of;

static pm_status read_frames(void *user, uint64_t first, size_t count, double *const channels[],
                             motion_position positions[], pm_error *error) {
    const rows_of *r = user;
    const maker *m = r->m;
    const size_t width = r->path == PM_MOTION_ROTATION ? 4 : 3;
    (void)error;
    for (size_t k = 0; k < count; k++)
        positions[k] = (motion_position){.key = MOTION_NO_KEY};
    for (size_t i = 0; i < r->count; i++) {
        const pm_motion_channel *from = m->sources[r->path][r->nodes[i]];
        const double *rest = evaluate_rest_value(&m->content->nodes[r->nodes[i]], r->path);
        for (size_t k = 0; k < count; k++)
            if (from)
                evaluate_key(from, motion_frame_key(&m->frames, m->clip, from, (size_t)first + k),
                             channels[i] + k * width);
            else
                memcpy(channels[i] + k * width, rest, width * sizeof *rest);
    }
    return PM_OK;
}

/* float32 if all keys of the path are; float64 without keys. */
static size_t find_element(const maker *m, pm_motion_path path) {
    bool narrow = false, wide = false;
    for (size_t n = 0; n < m->content->node_count; n++) {
        const pm_motion_channel *channel = m->sources[path][n];
        narrow = narrow || (channel && channel->keys.type == PM_FLOAT32);
        wide = wide || (channel && channel->keys.type != PM_FLOAT32);
    }
    return narrow && !wide ? sizeof(float) : sizeof(double);
}

static pm_status write_rows(maker *m, const char *name, pm_motion_path path, bool all) {
    const size_t count = all ? m->content->node_count : 1, frames = m->frames.count;
    const uint32_t width = path == PM_MOTION_ROTATION ? 4 : 3;
    rows_of user = {m, path, all ? m->order : &m->root, count};
    pm_motion_channel *channels = motion_allocate(&m->arena, count, sizeof *channels);
    MOTION_TRY_MEMORY(channels, m->error);
    for (size_t i = 0; i < count; i++)
        channels[i].components = width;
    pm_timeline timeline = {.key_count = frames};
    const pm_motion_clip clip = {
        .timelines = &timeline, .timeline_count = 1, .channels = channels, .channel_count = count};
    npz_rows rows = {.role = path == PM_MOTION_ROTATION ? NPZ_XYZW : NPZ_VECTOR,
                     .header = {.rank = all ? 3 : 2, .shape = {frames, all ? count : 3, width}},
                     .element = find_element(m, path),
                     .width = count * width,
                     .channel_count = count};
    memcpy(rows.header.type, rows.element == sizeof(float) ? "<f4" : "<f8", 4);
    zip_member member = new_member(name);
    const npz_document document = {
        .archive = {&member, 1, {"", 0}}, .rows = &rows, .row_count = 1, .frames = frames};
    const motion_samples samples = {
        .count = frames, .rate = m->frames.rate, .read = read_frames, .user = &user};
    if (rows.width > (SIZE_MAX / 2 - NPY_WRITTEN_MAX) / rows.element / frames)
        return motion_refuse(m->error, "has %zu frames of %zu bytes; expected fewer", frames,
                             rows.width * rows.element);
    npz_writer w = {.document = &document,
                    .clip = &clip,
                    .samples = &samples,
                    .zip = m->zip,
                    .error = m->error};
    const pm_status status = npz_stream_rows(&w);
    m->zip = w.zip;
    return status;
}

static pm_status prepare(maker *m) {
    const size_t count = m->content->node_count;
    for (size_t i = 0; i < PATHS; i++) {
        m->sources[i] = motion_allocate(&m->arena, count, sizeof *m->sources[i]);
        MOTION_TRY_MEMORY(m->sources[i], m->error);
    }
    m->order = motion_allocate(&m->arena, count, sizeof *m->order);
    m->place = motion_allocate(&m->arena, count, sizeof *m->place);
    MOTION_TRY_MEMORY(m->order && m->place, m->error);
    (void)motion_order_nodes(m->content->nodes, count, m->order, m->place);
    MOTION_TRY(find_sources(m));
    find_positions(m);
    if (m->frames.rate.den != 0)
        find_rate_type(m);
    return find_names(m);
}

static pm_status write_members(maker *m) {
    MOTION_TRY(write_skeleton(m));
    MOTION_TRY(write_rows(m, "rotations.npy", PM_MOTION_ROTATION, true));
    MOTION_TRY(write_rows(m, "positions.npy", PM_MOTION_POSITION, m->all_positions));
    MOTION_TRY(m->frames.rate.den != 0 ? write_rate(m) : write_times(m));
    return zip_write_end(&m->zip, (zip_bytes){"", 0}, m->error);
}

pm_status npz_write_new(const motion_writing *writing, const motion_sink *sink, pm_error *error) {
    const pm_motion_content *content = &writing->motion->content;
    MOTION_TRY(motion_check_nodes(content, "NPZ", error));
    if (writing->clip >= content->clip_count)
        return motion_refuse(error, "has no clip; NPZ requires one");
    maker m = {.content = content,
               .clip = &content->clips[writing->clip],
               .writing = writing,
               .zip = {.sink = sink},
               .error = error};
    pm_status status = motion_find_frames(m.clip, "NPZ", true, &m.frames, error);
    if (status == PM_OK && m.frames.count == 0)
        return motion_refuse(error, "has no rotations and no positions of nodes");
    if (status == PM_OK)
        status = prepare(&m);
    if (status == PM_OK)
        status = write_members(&m);
    zip_writer_release(&m.zip);
    motion_arena_release(&m.arena);
    return status;
}
