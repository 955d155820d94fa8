/* SPDX-License-Identifier: MIT
 *
 * The skeleton of the layout `plain`: parents, which must form a forest, and where the file has them
 * names, rest poses and end sites; and the names of bodies and joints that the numbers of robots are of.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "motion/base/printable.h"
#include "motion/model/angles.h"
#include "motion/model/order.h"
#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"
#include "motion/npz/zip_fields.h"

/* Whether an array has `count` texts. */
static bool has_texts(const npy_header *header, size_t count) {
    return header->type[0] != '>' && (header->type[1] == 'U' || header->type[1] == 'S') &&
           header->rank == 1 && header->shape[0] == count;
}

/* Texts of an array as UTF-8, for structs that begin with a name and lie `stride` bytes apart. A string of
 * NumPy is filled up with zeros. False: memory is exhausted. */
static bool read_texts(const npy_header *header, zip_bytes bytes, motion_arena *arena,
                       pm_motion_name *names, size_t stride) {
    const bool unicode = header->type[1] == 'U';
    const size_t whole = npy_element_size(header->type);
    for (size_t i = 0; i < header->shape[0]; i++) {
        const char *at = bytes.data + header->data_at + i * whole;
        size_t size = whole, used = 0;
        while (size > 0 && at[size - 1] == '\0')
            size--;
        size = unicode ? (size + 3) / 4 * 4 : size;
        char *text = motion_allocate(arena, size + 1, 1);
        if (!text)
            return false;
        for (size_t k = 0; k < size && unicode; k += 4)
            used += utf8_write(text + used, zip_get32(at + k));
        if (!unicode) {
            memcpy(text, at, size);
            used = size;
        }
        *(pm_motion_name *)(void *)((char *)names + i * stride) = (pm_motion_name){text, used};
    }
    return true;
}

/* What is being made. */
typedef struct skeleton {
    npz_reading *r;
    pm_motion_node *nodes;
    size_t count;
} skeleton;

/* Loads a member of the skeleton. *bytes.data is NULL if the file has none. */
static pm_status load_optional(const skeleton *s, const char *name, npy_header *header,
                               zip_bytes *bytes, const zip_member **member) {
    size_t found;
    const pm_status status = npz_load_named(s->r, name, &found, header, bytes);
    const bool is_there = found != SIZE_MAX;
    *member = is_there ? &s->r->members[found] : NULL;
    s->r->document->node_member_count += is_there;
    return status;
}

static pm_status read_parents(skeleton *s) {
    npz_reading *r = s->r;
    npy_header h;
    zip_bytes bytes;
    const zip_member *member;
    size_t size, count = s->count;
    bool is_signed;
    const pm_status status = load_optional(s, "parents", &h, &bytes, &member);
    if (status != PM_OK || !bytes.data || count == 0) {
        s->count = 0;
        return status;
    }
    s->nodes = motion_allocate(r->arena, count, sizeof *s->nodes);
    uint32_t *order = motion_allocate(r->arena, 2 * count, sizeof *order);
    MOTION_TRY_MEMORY(s->nodes && order, r->error);
    if (!npz_is_integer(h.type, &size, &is_signed) || !is_signed || h.rank != 1 ||
        h.shape[0] != count)
        return npz_refuse(r->error, member, "does not fit; expected %zu integers, one per joint",
                          count);
    for (size_t i = 0; i < count; i++) {
        const double parent = npz_load_integer(bytes.data + h.data_at + i * size, size, true);
        if (parent < -1.0 || parent >= (double)count)
            return npz_refuse(r->error, member, "has parent %.0f at joint %zu; expected -1 to %zu",
                              parent, i, count - 1);
        s->nodes[i] = (pm_motion_node){.parent = (int32_t)parent,
                                       .name = {"", 0},
                                       .rotation = {0, 0, 0, 1},
                                       .scale = {1, 1, 1}};
    }
    return motion_order_nodes(s->nodes, count, order, order + count)
               ? PM_OK
               : npz_refuse(r->error, member, "has a circle; expected a tree");
}

/* Reads (nodes, width) numbers, if the file has them, into the field of the nodes that lies `field`
 * bytes from their beginning. */
static pm_status read_vectors(const skeleton *s, const char *name, size_t width, size_t field,
                              bool *found) {
    const size_t count = s->count;
    npy_header h;
    zip_bytes bytes;
    const zip_member *member;
    const pm_status status = load_optional(s, name, &h, &bytes, &member);
    *found = status == PM_OK && bytes.data;
    if (!*found)
        return status;
    const size_t element = npy_element_size(h.type);
    if (!npz_is_float(h.type) || h.rank != 2 || h.shape[0] != count || h.shape[1] != width)
        return npz_refuse(s->r->error, member,
                          "does not fit; expected shape (%zu, %zu) of float32 or float64", count,
                          width);
    const char *data = bytes.data + h.data_at;
    const size_t odd = npz_find_not_finite(data, element, width * count);
    if (odd < width * count)
        return npz_refuse(s->r->error, member, "is not finite at index %zu", odd);
    for (size_t i = 0; i < width * count; i++) {
        const size_t at = h.fortran_order ? i / width + i % width * count : i;
        double *to = (double *)(void *)((char *)&s->nodes[i / width] + field);
        npz_load_numbers(&to[i % width], data + at * element, element, 1);
    }
    return PM_OK;
}

static pm_status check_rest_rotations(const skeleton *s) {
    for (size_t i = 0; i < s->count; i++) {
        const double *q = s->nodes[i].rotation;
        if (fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) > 2e-3)
            return motion_refuse(s->r->error,
                                 "member 'rest_rotations' has a quaternion at joint %zu that is "
                                 "not unit; expected unit quaternions",
                                 i);
    }
    return PM_OK;
}

/* End sites: `has_tail` says which rows of `tails` are. */
static pm_status read_tails(const skeleton *s) {
    npy_header h;
    zip_bytes bytes;
    const zip_member *member;
    bool found;
    pm_status status = load_optional(s, "has_tail", &h, &bytes, &member);
    if (status != PM_OK || !bytes.data)
        return status;
    if (strcmp(h.type, "|b1") != 0 || h.rank != 1 || h.shape[0] != s->count)
        return npz_refuse(s->r->error, member, "does not fit; expected %zu booleans, one per joint",
                          s->count);
    for (size_t i = 0; i < s->count; i++)
        s->nodes[i].has_tail = bytes.data[h.data_at + i] != 0;
    status = read_vectors(s, "tails", 3, offsetof(pm_motion_node, tail), &found);
    if (status == PM_OK && !found)
        return npz_refuse(s->r->error, member, "has no member 'tails' beside it; expected both");
    return status;
}

static pm_status read_rest(const skeleton *s) {
    bool found;
    MOTION_TRY(read_vectors(s, "offsets", 3, offsetof(pm_motion_node, position), &found));
    MOTION_TRY(read_vectors(s, "rest_rotations", 4, offsetof(pm_motion_node, rotation), &found));
    MOTION_TRY(check_rest_rotations(s));
    MOTION_TRY(read_vectors(s, "rest_scales", 3, offsetof(pm_motion_node, scale), &found));
    return read_tails(s);
}

static pm_status read_names(const skeleton *s) {
    npy_header h;
    zip_bytes bytes;
    const zip_member *member;
    const pm_status status = load_optional(s, "names", &h, &bytes, &member);
    if (status != PM_OK || !bytes.data)
        return status;
    if (!has_texts(&h, s->count))
        return npz_refuse(s->r->error, member, "does not fit; expected %zu strings, one per joint",
                          s->count);
    return read_texts(&h, bytes, s->r->arena, &s->nodes->name, sizeof *s->nodes)
               ? PM_OK
               : motion_refuse_memory(s->r->error);
}

/* Rotations and positions of joints move the nodes; one position moves the first root. */
static pm_status attach_channels(const skeleton *s) {
    const npz_document *d = s->r->document;
    size_t root = 0;
    while (root < s->count && s->nodes[root].parent >= 0)
        root++;
    for (size_t r = 0; r < d->row_count; r++) {
        const npz_rows *rows = &d->rows[r];
        pm_motion_channel *channels = s->r->channels + rows->channel;
        const bool moves = rows->named && (npz_is_rotation(rows->role) || rows->role == NPZ_VECTOR);
        const bool is_root = moves && rows->role == NPZ_VECTOR && rows->header.rank == 2;
        if (moves && !is_root && rows->channel_count != s->count)
            return npz_refuse(s->r->error, &s->r->members[rows->member],
                              "is of %zu joints; the file has %zu parents", rows->channel_count,
                              s->count);
        for (size_t i = 0; moves && !is_root && i < s->count; i++)
            channels[i].node = (int32_t)i;
        if (is_root)
            channels->node = (int32_t)root;
    }
    return PM_OK;
}

pm_status npz_make_nodes(npz_reading *r) {
    const npz_rows *first = r->document->rows, *end = first + r->document->row_count;
    while (first < end && !npz_is_rotation(first->role))
        first++;
    skeleton s = {.r = r, .count = first < end ? first->channel_count : 0};
    MOTION_TRY(read_parents(&s));
    if (s.count == 0)
        return PM_OK;
    MOTION_TRY(read_rest(&s));
    MOTION_TRY(read_names(&s));
    MOTION_TRY(attach_channels(&s));
    r->motion->content.nodes = s.nodes;
    r->motion->content.node_count = s.count;
    return PM_OK;
}

/* Names that do not fit keep a library of robots from reading the file, and nobody else. */
static pm_status note_odd(npz_reading *r, size_t member, size_t count) {
    char shown[MOTION_PRINTABLE], text[MOTION_PRINTABLE + 96];
    snprintf(text, sizeof text, "member '%s' has no %zu texts, one for each column",
             npz_shown(shown, &r->members[member]), count);
    r->motion->odd_names = motion_copy_text(r->arena, text, strlen(text));
    return r->motion->odd_names ? PM_OK : motion_refuse_memory(r->error);
}

static pm_status name_rows(npz_reading *r, const npz_rows *rows) {
    const bool is_scalar = rows->role == NPZ_SCALAR;
    const size_t count = is_scalar ? rows->width : rows->channel_count;
    pm_motion_channel *channels = r->channels + rows->channel;
    npz_reading quiet = *r;
    size_t member;
    npy_header header;
    zip_bytes bytes = {NULL, 0};
    pm_status status = npz_find(&r->document->archive, rows->names, &member, r->error);
    if (status != PM_OK || member == SIZE_MAX)
        return status;
    quiet.error = NULL;
    status = npz_load(&quiet, member, &header, &bytes);
    if (status == PM_ERROR_MEMORY)
        return motion_refuse_memory(r->error);
    if (status != PM_OK || !bytes.data || !has_texts(&header, count))
        return note_odd(r, member, count);
    pm_motion_name *names = motion_allocate(r->arena, count, sizeof *names);
    MOTION_TRY_MEMORY(names && read_texts(&header, bytes, r->arena, names, sizeof *names),
                      r->error);
    for (size_t i = 0; i < (is_scalar ? 1 : count); i++)
        channels[i].subjects = &names[i];
    return PM_OK;
}

pm_status npz_read_subjects(npz_reading *r) {
    for (size_t i = 0; i < r->document->row_count; i++) {
        const npz_rows *rows = &r->document->rows[i];
        if (!rows->names)
            continue;
        if (rows->role == NPZ_SCALAR)
            r->channels[rows->channel].full_turn = RADIANS_A_TURN;
        MOTION_TRY(name_rows(r, rows));
    }
    return PM_OK;
}
