/* SPDX-License-Identifier: MIT
 *
 * The skeleton of the layout `plain`: parents, which must form a forest, and where the file has them
 * names, rest poses and end sites.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"

/* What is being made, and from what. */
typedef struct skeleton {
    npz_document *document;
    pm_motion *motion;
    pm_motion_channel *channels;
    pm_error *error;
} skeleton;

/* Loads a member of the skeleton. *bytes.data is NULL if the file has none. */
static pm_status load_optional(skeleton *m, const char *name, npy_header *header, zip_bytes *bytes,
                               size_t *member) {
    *bytes = (zip_bytes){NULL, 0};
    const pm_status status = npz_find(&m->document->archive, name, member, m->error);
    if (status != PM_OK || *member == SIZE_MAX)
        return status;
    m->document->node_member_count++;
    return npz_load(m->document, *member, header, bytes, m->error);
}

/* A forest: following parents ends. Nodes that are known to end are marked. */
static bool is_forest(const pm_motion_node *nodes, size_t count, unsigned char *mark) {
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        while (mark[at] == 0) {
            mark[at] = 1;
            if (nodes[at].parent < 0)
                break;
            at = (size_t)nodes[at].parent;
            if (mark[at] == 1)
                return false;
        }
        for (at = i; mark[at] == 1; at = (size_t)nodes[at].parent) {
            mark[at] = 2;
            if (nodes[at].parent < 0)
                break;
        }
    }
    return true;
}

static pm_status read_parents(skeleton *m, size_t member, const npy_header *header, zip_bytes bytes,
                              pm_motion_node *nodes, size_t count) {
    const zip_member *zip = &m->document->archive.members[member];
    size_t size;
    bool is_signed;
    if (!npz_is_integer(header->type, &size, &is_signed) || !is_signed || header->rank != 1 ||
        header->shape[0] != count)
        return npz_refuse(m->error, zip, "does not fit; expected %zu integers, one per joint",
                          count);
    for (size_t i = 0; i < count; i++) {
        const double parent = npz_load_integer(bytes.data + header->data_at + i * size, size, true);
        if (parent < -1.0 || parent >= (double)count)
            return npz_refuse(m->error, zip, "has parent %.0f at joint %zu; expected -1 to %zu",
                              parent, i, count - 1);
        nodes[i] = (pm_motion_node){.parent = (int32_t)parent,
                                    .name = {"", 0},
                                    .rotation = {0, 0, 0, 1},
                                    .scale = {1, 1, 1}};
    }
    unsigned char *mark = calloc(count + 1, 1);
    if (!mark)
        return motion_refuse_memory(m->error);
    const bool good = is_forest(nodes, count, mark);
    free(mark);
    return good ? PM_OK : npz_refuse(m->error, zip, "has a circle; expected a tree");
}

/* Reads (nodes, width) numbers, if the file has them, into the field of the nodes that lies `field`
 * bytes from their beginning. */
static pm_status read_vectors(skeleton *m, const char *name, size_t width, size_t field,
                              pm_motion_node *nodes, size_t count, bool *found) {
    npy_header h;
    zip_bytes bytes;
    size_t member;
    const pm_status status = load_optional(m, name, &h, &bytes, &member);
    *found = status == PM_OK && bytes.data;
    if (!*found)
        return status;
    const zip_member *zip = &m->document->archive.members[member];
    const size_t element = npy_element_size(h.type);
    if (!npz_is_float(h.type) || h.rank != 2 || h.shape[0] != count || h.shape[1] != width)
        return npz_refuse(m->error, zip,
                          "does not fit; expected shape (%zu, %zu) of float32 or float64", count,
                          width);
    const char *data = bytes.data + h.data_at;
    const size_t odd = npz_find_not_finite(data, element, width * count);
    if (odd < width * count)
        return npz_refuse(m->error, zip, "is not finite at index %zu", odd);
    for (size_t i = 0; i < width * count; i++) {
        const size_t at = h.fortran_order ? i / width + i % width * count : i;
        double *to = (double *)(void *)((char *)&nodes[i / width] + field);
        npz_load_numbers(&to[i % width], data + at * element, element, 1);
    }
    return PM_OK;
}

static pm_status check_rest_rotations(skeleton *m, const pm_motion_node *nodes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double *q = nodes[i].rotation;
        if (fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) > 2e-3)
            return motion_refuse(m->error,
                                 "member 'rest_rotations' has a quaternion at joint %zu that is "
                                 "not unit; expected unit quaternions",
                                 i);
    }
    return PM_OK;
}

/* End sites: `has_tail` says which rows of `tails` are. */
static pm_status read_tails(skeleton *m, pm_motion_node *nodes, size_t count) {
    npy_header h;
    zip_bytes bytes;
    size_t member;
    bool found;
    pm_status status = load_optional(m, "has_tail", &h, &bytes, &member);
    if (status != PM_OK || !bytes.data)
        return status;
    const zip_member *zip = &m->document->archive.members[member];
    if (strcmp(h.type, "|b1") != 0 || h.rank != 1 || h.shape[0] != count)
        return npz_refuse(m->error, zip, "does not fit; expected %zu booleans, one per joint",
                          count);
    for (size_t i = 0; i < count; i++)
        nodes[i].has_tail = bytes.data[h.data_at + i] != 0;
    status = read_vectors(m, "tails", 3, offsetof(pm_motion_node, tail), nodes, count, &found);
    if (status == PM_OK && !found)
        return npz_refuse(m->error, zip, "has no member 'tails' beside it; expected both");
    return status;
}

static pm_status read_rest(skeleton *m, pm_motion_node *nodes, size_t count) {
    bool found;
    pm_status status =
        read_vectors(m, "offsets", 3, offsetof(pm_motion_node, position), nodes, count, &found);
    if (status == PM_OK)
        status = read_vectors(m, "rest_rotations", 4, offsetof(pm_motion_node, rotation), nodes,
                              count, &found);
    if (status == PM_OK)
        status = check_rest_rotations(m, nodes, count);
    if (status == PM_OK)
        status = read_vectors(m, "rest_scales", 3, offsetof(pm_motion_node, scale), nodes, count,
                              &found);
    return status == PM_OK ? read_tails(m, nodes, count) : status;
}

static pm_status read_names(skeleton *m, pm_motion_node *nodes, size_t count) {
    npy_header h;
    zip_bytes bytes;
    size_t member;
    pm_status status = load_optional(m, "names", &h, &bytes, &member);
    if (status != PM_OK || !bytes.data)
        return status;
    if (!npz_has_texts(&h, count))
        return npz_refuse(m->error, &m->document->archive.members[member],
                          "does not fit; expected %zu strings, one per joint", count);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        npz_read_text(&h, bytes, i, &m->motion->arena, &nodes[i].name);
        good = nodes[i].name.text != NULL;
    }
    return good ? PM_OK : motion_refuse_memory(m->error);
}

/* Rotations and positions of joints move the nodes; one position moves the first root. */
static void attach_channels(skeleton *m, const pm_motion_node *nodes, size_t count) {
    size_t root = 0;
    while (root < count && nodes[root].parent >= 0)
        root++;
    for (size_t r = 0; r < m->document->row_count; r++) {
        const npz_rows *rows = &m->document->rows[r];
        const bool moves = rows->named && (npz_is_rotation(rows->role) || rows->role == NPZ_VECTOR);
        for (size_t i = 0; moves && rows->channel_count == count && i < count; i++)
            m->channels[rows->channel + i].node = (int32_t)i;
        if (rows->named && rows->role == NPZ_VECTOR && rows->header.rank == 2)
            m->channels[rows->channel].node = (int32_t)root;
    }
}

static const npz_rows *find_first_rotation(const npz_document *document) {
    for (size_t r = 0; r < document->row_count; r++)
        if (npz_is_rotation(document->rows[r].role))
            return &document->rows[r];
    return NULL;
}

static pm_status make_nodes(skeleton *m) {
    npy_header h;
    zip_bytes bytes;
    size_t member;
    const npz_rows *first = find_first_rotation(m->document);
    pm_status status = load_optional(m, "parents", &h, &bytes, &member);
    if (status != PM_OK || !bytes.data || !first)
        return status;
    const size_t count = first->channel_count;
    pm_motion_node *nodes = motion_allocate(&m->motion->arena, count, sizeof *nodes);
    if (!nodes)
        return motion_refuse_memory(m->error);
    status = read_parents(m, member, &h, bytes, nodes, count);
    if (status == PM_OK)
        status = read_rest(m, nodes, count);
    if (status == PM_OK)
        status = read_names(m, nodes, count);
    if (status != PM_OK)
        return status;
    attach_channels(m, nodes, count);
    m->motion->content.nodes = nodes;
    m->motion->content.node_count = count;
    return PM_OK;
}

pm_status npz_make_nodes(npz_document *document, pm_motion *motion, pm_motion_channel *channels,
                         pm_error *error) {
    skeleton s = {document, motion, channels, error};
    return make_nodes(&s);
}
