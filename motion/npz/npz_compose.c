/* SPDX-License-Identifier: MIT
 *
 * Writes the layout `plain` from a motion of any format: the skeleton, a rotation of every node and
 * the positions per frame, and the rate or the times. Each member is computed row by row, once for its checksum,
 * which stands before the data, and once for the file.
 */
#include "motion/npz/npz_compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"
#include "motion/npz/zip_fields.h"
#include "motion/time/rate.h"

/* How a node gets its numbers. NULL: the rest pose. */
typedef struct node_source {
    const pm_motion_channel *rotation, *position;
} node_source;

typedef struct composer {
    const pm_motion_content *content;
    const pm_motion_clip *clip;
    const motion_writing *options;
    motion_frames frames;
    node_source *sources;    /* of each node */
    size_t *order;           /* the node of each row: parents before their children */
    size_t *rows;            /* the row of each node */
    size_t name_length;      /* characters of the longest name */
    size_t root;             /* the single root, if positions are those of a root */
    bool all_positions;      /* positions are those of every node */
    size_t rotation_element; /* bytes of a number */
    size_t translation_element;
    const char *rate_type;
    bool has_rotations, has_scales, has_tails; /* in the rest pose */
} composer;

/* A member: an array whose rows are computed one at a time. */
typedef struct array {
    const char *member;
    const char *type;
    size_t rank, shape[3];
    void (*fill)(const composer *c, size_t row, char *out);
} array;

/* ---- what is left out ---------------------------------------------------------------------- */

/* Assigns channels to nodes; others are left out. */
static void find_sources(composer *c) {
    size_t scales = 0, numbers = 0, loose = 0, curves = 0;
    for (size_t i = 0; i < c->clip->channel_count; i++) {
        const pm_motion_channel *channel = &c->clip->channels[i];
        const bool is_constant = c->clip->timelines[channel->timeline].key_count < 2;
        if (motion_is_pose_channel(channel) && channel->path == PM_MOTION_ROTATION)
            c->sources[channel->node].rotation = channel;
        else if (motion_is_pose_channel(channel))
            c->sources[channel->node].position = channel;
        else if (channel->path == PM_MOTION_SCALE)
            scales++;
        else if (channel->path > PM_MOTION_SCALE)
            numbers++;
        else
            loose++;
        curves += motion_is_pose_channel(channel) && !is_constant &&
                  channel->interpolation != PM_MOTION_LINEAR;
    }
    motion_leave_out(c->options, scales, "channel of scales", "channels of scales");
    motion_leave_out(c->options, numbers, "channel of weights or scalars",
                     "channels of weights or scalars");
    motion_leave_out(c->options, loose, "channel of no node", "channels of no node");
    motion_leave_out(c->options, curves, "interpolation that is not linear",
                     "interpolations that are not linear");
    motion_leave_out(c->options, c->content->skin_count, "skin", "skins");
    motion_leave_out(c->options, c->content->clip_count - 1, "other clip", "other clips");
}

/* float32 if all keys of the path are; float64 without keys. */
static size_t find_element(const composer *c, pm_motion_path path) {
    size_t element = 0;
    for (size_t n = 0; n < c->content->node_count; n++) {
        const node_source *source = &c->sources[n];
        const pm_motion_channel *channel =
            path == PM_MOTION_ROTATION ? source->rotation : source->position;
        if (channel && channel->keys.type == PM_FLOAT32 && element == 0)
            element = sizeof(float);
        else if (channel && channel->keys.type != PM_FLOAT32)
            element = sizeof(double);
    }
    return element ? element : sizeof(double);
}

/* The positions of a single root suffice if no other node moves. */
static void find_positions(composer *c) {
    size_t roots = 0, movers = 0;
    for (size_t n = 0; n < c->content->node_count; n++) {
        const bool is_root = c->content->nodes[n].parent < 0;
        c->root = is_root && roots == 0 ? n : c->root;
        roots += is_root;
        movers += !is_root && c->sources[n].position;
    }
    c->all_positions = roots != 1 || movers > 0;
}

/* The type whose number is read back as exactly this rate. */
static void find_rate_type(composer *c) {
    char text[RATE_TEXT], what[RATE_TEXT + 24];
    const double value = rate_value(c->frames.rate), narrow = (double)(float)value;
    pm_rational wide_rate = {0, 0}, narrow_rate = {0, 0};
    c->rate_type = "<i8";
    if (c->frames.rate.num % c->frames.rate.den == 0)
        return;
    npz_recognise_rate(value, false, true, &wide_rate);
    npz_recognise_rate(narrow, true, true, &narrow_rate);
    const bool is_wide = wide_rate.num == c->frames.rate.num && wide_rate.den == c->frames.rate.den;
    const bool is_narrow =
        narrow_rate.num == c->frames.rate.num && narrow_rate.den == c->frames.rate.den;
    c->rate_type = is_wide || !is_narrow ? "<f8" : "<f4";
    if (is_wide || is_narrow || !c->options->left_out)
        return;
    rate_describe(c->frames.rate, text);
    snprintf(what, sizeof what, "the exact rate %s", text);
    c->options->left_out(c->options->user, what);
}

/* ---- order --------------------------------------------------------------------------------- */

/* That of the nodes where it can be: readers walk the list once, and expect parents first. */
static void find_order(composer *c) {
    const size_t count = c->content->node_count;
    size_t done = 0;
    for (size_t n = 0; n < count; n++)
        c->rows[n] = SIZE_MAX;
    for (size_t n = 0; n < count; n++) {
        size_t depth = 0;
        for (int32_t a = (int32_t)n; a >= 0 && c->rows[a] == SIZE_MAX;
             a = c->content->nodes[a].parent) {
            c->rows[a] = SIZE_MAX - 1; /* waits for its parents */
            depth++;
        }
        int32_t a = (int32_t)n;
        for (size_t i = depth; i-- > 0; a = c->content->nodes[a].parent) {
            c->rows[a] = done + i;
            c->order[done + i] = (size_t)a;
        }
        done += depth;
    }
}

/* ---- names --------------------------------------------------------------------------------- */

static bool is_continuation(const char *at, const char *end) {
    return at < end && ((unsigned char)*at & 0xc0) == 0x80;
}

/* Reads a character of UTF-8. A byte that is none is U+FFFD, and *is_odd is set. */
static uint32_t read_character(const char **at, const char *end, bool *is_odd) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const char *p = *at;
    const unsigned first = (unsigned char)*p++;
    const size_t more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? first : first & (0x3fu >> more);
    bool good = first < 0x80 || (first >= 0xc0 && first < 0xf8);
    for (size_t i = 0; i < more && good; i++) {
        good = is_continuation(p, end);
        if (good)
            code = code << 6 | ((unsigned char)*p++ & 0x3f);
    }
    good = good && code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    *is_odd = *is_odd || !good;
    *at = good ? p : *at + 1;
    return good ? code : 0xfffd;
}

/* Writes the characters, if `out` is not NULL. Returns how many there are. */
static size_t put_characters(pm_motion_name name, char *out, bool *is_odd) {
    const char *at = name.text, *end = name.text + name.size;
    size_t count = 0;
    for (; at < end; count++) {
        const uint32_t code = read_character(&at, end, is_odd);
        if (out)
            out = zip_put(out, code, 4);
    }
    return count;
}

/* All names of an array have the size of the longest one. */
static pm_status find_names(composer *c, pm_error *error) {
    enum { MOST_BYTES = 1 << 30 };
    size_t odd = 0;
    c->name_length = 1;
    for (size_t n = 0; n < c->content->node_count; n++) {
        bool is_odd = false;
        const size_t length = put_characters(c->content->nodes[n].name, NULL, &is_odd);
        c->name_length = length > c->name_length ? length : c->name_length;
        odd += is_odd;
    }
    if (c->name_length > MOST_BYTES / 4 / c->content->node_count)
        return motion_refuse(error,
                             "has a name of %zu characters and %zu nodes; expected names that fit "
                             "in an array of 1 GiB",
                             c->name_length, c->content->node_count);
    motion_leave_out(c->options, odd, "name that is not UTF-8", "names that are not UTF-8");
    return PM_OK;
}

static const pm_motion_node *node_at(const composer *c, size_t row) {
    return &c->content->nodes[c->order[row]];
}

static void fill_name(const composer *c, size_t row, char *out) {
    bool is_odd = false;
    memset(out, 0, 4 * c->name_length);
    put_characters(node_at(c, row)->name, out, &is_odd);
}

/* ---- rows of the skeleton ------------------------------------------------------------------ */

static void fill_parent(const composer *c, size_t row, char *out) {
    const int32_t parent = node_at(c, row)->parent;
    zip_put(out, parent < 0 ? UINT32_MAX : (uint32_t)c->rows[parent], 4);
}

static void fill_offset(const composer *c, size_t row, char *out) {
    npz_store_numbers(out, node_at(c, row)->position, sizeof(double), 3);
}

static void fill_rest_rotation(const composer *c, size_t row, char *out) {
    npz_store_numbers(out, node_at(c, row)->rotation, sizeof(double), 4);
}

static void fill_rest_scale(const composer *c, size_t row, char *out) {
    npz_store_numbers(out, node_at(c, row)->scale, sizeof(double), 3);
}

static void fill_tail(const composer *c, size_t row, char *out) {
    static const double none[3];
    const pm_motion_node *node = node_at(c, row);
    npz_store_numbers(out, node->has_tail ? node->tail : none, sizeof(double), 3);
}

static void fill_has_tail(const composer *c, size_t row, char *out) {
    *out = node_at(c, row)->has_tail ? 1 : 0;
}

static void find_rest(composer *c) {
    for (size_t n = 0; n < c->content->node_count; n++) {
        const pm_motion_node *node = &c->content->nodes[n];
        const double *q = node->rotation, *s = node->scale;
        c->has_rotations = c->has_rotations || q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 1;
        c->has_scales = c->has_scales || s[0] != 1 || s[1] != 1 || s[2] != 1;
        c->has_tails = c->has_tails || node->has_tail;
    }
}

/* ---- rows of frames ------------------------------------------------------------------------ */

/* Writes the numbers of a channel at a frame. Returns the position after them. */
static char *put_value(const composer *c, const pm_motion_channel *channel, size_t frame,
                       const double *rest, uint32_t components, size_t element, char *out) {
    double value[4];
    if (channel)
        evaluate_key(channel, motion_frame_key(&c->frames, c->clip, channel, frame), value);
    npz_store_numbers(out, channel ? value : rest, element, components);
    return out + components * element;
}

static void fill_rotations(const composer *c, size_t row, char *out) {
    for (size_t i = 0; i < c->content->node_count; i++)
        out = put_value(c, c->sources[c->order[i]].rotation, row, node_at(c, i)->rotation, 4,
                        c->rotation_element, out);
}

static void fill_positions(const composer *c, size_t row, char *out) {
    for (size_t i = 0; i < c->content->node_count; i++)
        if (c->all_positions || c->order[i] == c->root)
            out = put_value(c, c->sources[c->order[i]].position, row, node_at(c, i)->position, 3,
                            c->translation_element, out);
}

static void fill_time(const composer *c, size_t row, char *out) {
    const double time = evaluate_key_time(c->frames.timeline, row);
    npz_store_numbers(out, &time, sizeof time, 1);
}

static void fill_rate(const composer *c, size_t row, char *out) {
    const double value = rate_value(c->frames.rate);
    (void)row;
    if (c->rate_type[1] == 'i')
        zip_put(out, (uint64_t)(c->frames.rate.num / c->frames.rate.den), 8);
    else
        npz_store_numbers(out, &value, npy_element_size(c->rate_type), 1);
}

/* ---- members ------------------------------------------------------------------------------- */

/* Bytes that are computed or written at once. */
typedef struct pieces {
    char *bytes;
    size_t rows; /* in a piece */
    size_t row_size, row_count;
} pieces;

static pm_status make_pieces(const array *a, pieces *p, uint64_t *size, size_t header_size,
                             pm_error *error) {
    enum { PIECE = 1 << 16 };
    *p = (pieces){.row_size = npy_element_size(a->type), .row_count = a->rank ? a->shape[0] : 1};
    for (size_t i = 1; i < a->rank; i++) {
        if (a->shape[i] > SIZE_MAX / 4 / p->row_size)
            return motion_refuse_memory(error);
        p->row_size *= a->shape[i];
    }
    if (p->row_count > (SIZE_MAX / 2 - header_size) / p->row_size)
        return motion_refuse(error, "has %zu frames of %zu bytes; expected fewer", p->row_count,
                             p->row_size);
    *size = header_size + (uint64_t)p->row_count * p->row_size;
    p->rows = p->row_size < PIECE ? PIECE / p->row_size : 1;
    p->bytes = malloc(p->rows * p->row_size);
    return p->bytes ? PM_OK : motion_refuse_memory(error);
}

/* Computes the piece that begins at a row. */
static zip_bytes fill_piece(const composer *c, const array *a, const pieces *p, size_t first) {
    const size_t left = p->row_count - first, count = left < p->rows ? left : p->rows;
    for (size_t i = 0; i < count; i++)
        a->fill(c, first + i, p->bytes + i * p->row_size);
    return (zip_bytes){p->bytes, count * p->row_size};
}

static pm_status write_data(const composer *c, const array *a, const pieces *p, zip_bytes header,
                            uint64_t size, zip_writer *zip, pm_error *error) {
    enum { UNIX = 3 << 8 | 20, NEW_YEAR_1980 = 1 << 5 | 1, READABLE = 0100644 };
    char name[32];
    const int length = snprintf(name, sizeof name, "%s.npy", a->member);
    const zip_member member = {.name = {name, (size_t)length},
                               .made_by = UNIX,
                               .method = ZIP_STORED,
                               .date = NEW_YEAR_1980,
                               .external = (uint32_t)READABLE << 16};
    uint32_t crc = zip_checksum(header);
    for (size_t row = 0; row < p->row_count; row += p->rows)
        crc = zip_continue_checksum(crc, fill_piece(c, a, p, row));
    pm_status status = zip_begin_stored(zip, &member, crc, size, error);
    if (status == PM_OK)
        status = zip_write_piece(zip, header, error);
    for (size_t row = 0; row < p->row_count && status == PM_OK; row += p->rows)
        status = zip_write_piece(zip, fill_piece(c, a, p, row), error);
    return status;
}

static pm_status write_array(const composer *c, const array *a, zip_writer *zip, pm_error *error) {
    char text[NPY_WRITTEN_MAX];
    npy_header header = {.rank = a->rank};
    pieces p;
    uint64_t size = 0;
    snprintf(header.type, sizeof header.type, "%s", a->type);
    memcpy(header.shape, a->shape, a->rank * sizeof *a->shape);
    const size_t header_size = npy_write_any_header(&header, text);
    pm_status status = make_pieces(a, &p, &size, header_size, error);
    if (status == PM_OK)
        status = write_data(c, a, &p, (zip_bytes){text, header_size}, size, zip, error);
    free(p.bytes);
    return status;
}

static const char *float_type(size_t element) {
    return element == sizeof(float) ? "<f4" : "<f8";
}

static pm_status write_arrays(const composer *c, zip_writer *zip, pm_error *error) {
    const size_t n = c->content->node_count, f = c->frames.count;
    const size_t last = c->all_positions ? n : 3;
    char names[24];
    snprintf(names, sizeof names, "<U%zu", c->name_length);
    const struct {
        bool is_there;
        array array;
    } all[] = {
        {true, {"names", names, 1, {n}, fill_name}},
        {true, {"parents", "<i4", 1, {n}, fill_parent}},
        {true, {"offsets", "<f8", 2, {n, 3}, fill_offset}},
        {c->has_rotations, {"rest_rotations", "<f8", 2, {n, 4}, fill_rest_rotation}},
        {c->has_scales, {"rest_scales", "<f8", 2, {n, 3}, fill_rest_scale}},
        {c->has_tails, {"tails", "<f8", 2, {n, 3}, fill_tail}},
        {c->has_tails, {"has_tail", "|b1", 1, {n}, fill_has_tail}},
        {true, {"rotations", float_type(c->rotation_element), 3, {f, n, 4}, fill_rotations}},
        {true,
         {"positions",
          float_type(c->translation_element),
          c->all_positions ? 3 : 2,
          {f, last, 3},
          fill_positions}},
        {c->frames.rate.den != 0, {"rate", c->rate_type, 0, {0}, fill_rate}},
        {c->frames.rate.den == 0, {"times", "<f8", 1, {f}, fill_time}},
    };
    pm_status status = PM_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == PM_OK; i++)
        if (all[i].is_there)
            status = write_array(c, &all[i].array, zip, error);
    return status == PM_OK ? zip_write_end(zip, (zip_bytes){"", 0}, error) : status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static pm_status compose_with(composer *c, const motion_sink *sink, pm_error *error) {
    zip_writer zip = {.sink = sink};
    pm_status status = PM_ERROR_MEMORY;
    c->sources = calloc(c->content->node_count, sizeof *c->sources);
    c->order = calloc(c->content->node_count, sizeof *c->order);
    c->rows = calloc(c->content->node_count, sizeof *c->rows);
    if (!c->sources || !c->order || !c->rows) {
        motion_refuse_memory(error);
        goto cleanup;
    }
    find_order(c);
    find_sources(c);
    find_positions(c);
    find_rest(c);
    if (c->frames.rate.den != 0)
        find_rate_type(c);
    c->rotation_element = find_element(c, PM_MOTION_ROTATION);
    c->translation_element = find_element(c, PM_MOTION_POSITION);
    status = find_names(c, error);
    if (status == PM_OK)
        status = write_arrays(c, &zip, error);
cleanup:
    zip_writer_release(&zip);
    free(c->sources);
    free(c->order);
    free(c->rows);
    return status;
}

pm_status npz_compose(const pm_motion *motion, const motion_writing *options,
                      const motion_sink *sink, pm_error *error) {
    const pm_motion_content *content = &motion->content;
    pm_status status = motion_check_nodes(content, "NPZ", error);
    if (status != PM_OK)
        return status;
    if (options->clip >= content->clip_count)
        return motion_refuse(error, "has no clip; NPZ requires one");
    composer c = {.content = content, .clip = &content->clips[options->clip], .options = options};
    status = motion_find_frames(c.clip, "NPZ", motion->keeps_times, &c.frames, error);
    if (status == PM_OK && c.frames.count == 0)
        return motion_refuse(error, "has no rotations and no positions of nodes");
    return status == PM_OK ? compose_with(&c, sink, error) : status;
}
