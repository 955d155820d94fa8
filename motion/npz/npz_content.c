/* SPDX-License-Identifier: MIT
 *
 * The clip of an NPZ file: keys are pointed to where the arrays allow it, and converted otherwise.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"

/* What is being made. */
typedef struct making {
    npz_document *document;
    const motion_input *input;
    pm_motion *motion;
    pm_motion_channel *channels;
    size_t count;
    pm_error *error;
} making;

/* ---- names and channels ------------------------------------------------------------------ */

/* `poses[3]`, or the member's name alone for -1. */
static bool make_name(const making *m, const zip_member *member, ptrdiff_t index,
                      pm_motion_name *name) {
    enum { INDEX = 24 };
    const size_t size = member->name.size - 4;
    char *text = motion_allocate(&m->motion->arena, size + INDEX, 1);
    if (!text)
        return false;
    memcpy(text, member->name.data, size);
    const int added = index >= 0 ? snprintf(text + size, INDEX, "[%td]", index) : 0;
    *name = (pm_motion_name){text, size + (size_t)added};
    return true;
}

/* Adds one channel for each group of `group` numbers in the rows of `keys`. */
static pm_status add_channels(making *m, npz_rows *rows, pm_motion_path path, size_t group,
                              const char *keys, size_t element, size_t stride) {
    const zip_member *member = &m->document->archive.members[rows->member];
    rows->channel = m->count;
    for (size_t i = 0; i < rows->channel_count; i++) {
        pm_motion_channel *c = &m->channels[m->count++];
        *c = (pm_motion_channel){.node = -1,
                                 .path = path,
                                 .components = (uint32_t)group,
                                 .keys = {.data = keys + i * group * element,
                                          .type = element == 8 ? PM_FLOAT64 : PM_FLOAT32,
                                          .stride = stride}};
        if (!make_name(m, member,
                       rows->header.rank > 2 || path == PM_MOTION_ROTATION ? (ptrdiff_t)i : -1,
                       &c->name))
            return motion_refuse_memory(m->error);
    }
    return PM_OK;
}

/* The rows where they are, or a copy at an address that their type can be read at. */
static pm_status align(making *m, const npz_rows *rows, const char **keys) {
    const size_t bytes = m->document->frames * rows->width * rows->element;
    *keys = rows->data;
    if ((uintptr_t)rows->data % rows->element == 0)
        return PM_OK;
    char *copy = motion_allocate(&m->motion->arena, bytes, 1);
    if (!copy)
        return motion_refuse_memory(m->error);
    memcpy(copy, rows->data, bytes);
    *keys = copy;
    return PM_OK;
}

static pm_status add_vectors(making *m, npz_rows *rows, pm_motion_path path, size_t group) {
    const char *keys;
    const pm_status status = align(m, rows, &keys);
    return status == PM_OK ? add_channels(m, rows, path, group, keys, rows->element,
                                          rows->width * rows->element)
                           : status;
}

/* ---- rotations ---------------------------------------------------------------------------- */

enum { BLOCK = 256 }; /* rotations that are converted at once */

/* The square of the length of a unit quaternion within 1e-3. */
static bool is_unit(double square) {
    return fabs(square - 1.0) <= 2e-3;
}

static pm_status convert_axis_angle(making *m, const npz_rows *rows, char *out) {
    double vectors[3 * BLOCK], quaternions[4 * BLOCK];
    const size_t count = m->document->frames * rows->channel_count;
    for (size_t i = 0; i < count; i += BLOCK) {
        const size_t size = count - i < BLOCK ? count - i : BLOCK;
        npz_load_numbers(vectors, rows->data + 3 * i * rows->element, rows->element, 3 * size);
        npz_from_axis_angle(vectors, quaternions, size);
        npz_store_numbers(out + 4 * i * rows->element, quaternions, rows->element, 4 * size);
    }
    return PM_OK;
}

/* Turns w x y z into x y z w, and scales to unit length. Returns the index of a quaternion of
 * length 0, or `count`; *odd counts those that are not unit within 1e-3. */
static size_t convert_block(double *q, size_t count, bool w_first, size_t *odd) {
    for (size_t i = 0; i < count; i++, q += 4) {
        const double w = w_first ? q[0] : q[3];
        const double x = w_first ? q[1] : q[0], y = w_first ? q[2] : q[1],
                     z = w_first ? q[3] : q[2];
        const double most = fmax(fmax(fabs(x), fabs(y)), fmax(fabs(z), fabs(w)));
        double scale = 1.0, length = 1.0;
        if (most == 0.0)
            return i;
        if (!is_unit(x * x + y * y + z * z + w * w)) {
            const double a = x / most, b = y / most, c = z / most, d = w / most;
            scale = most; /* divided by first, so that no square overflows */
            length = sqrt(a * a + b * b + c * c + d * d);
            ++*odd;
        }
        q[0] = x / scale / length;
        q[1] = y / scale / length;
        q[2] = z / scale / length;
        q[3] = w / scale / length;
    }
    return count;
}

static pm_status convert_quaternions(making *m, const npz_rows *rows, char *out) {
    double block[4 * BLOCK];
    const size_t joints = rows->channel_count, count = m->document->frames * joints;
    const zip_member *member = &m->document->archive.members[rows->member];
    size_t odd = 0;
    char shown[MOTION_PRINTABLE];
    for (size_t i = 0; i < count; i += BLOCK) {
        const size_t size = count - i < BLOCK ? count - i : BLOCK;
        npz_load_numbers(block, rows->data + 4 * i * rows->element, rows->element, 4 * size);
        const size_t zero = convert_block(block, size, rows->role == NPZ_WXYZ, &odd);
        if (zero < size)
            return npz_refuse(m->error, member,
                              "has a quaternion of length 0 at frame %zu, joint %zu; expected unit "
                              "quaternions",
                              (i + zero) / joints, (i + zero) % joints);
        npz_store_numbers(out + 4 * i * rows->element, block, rows->element, 4 * size);
    }
    if (odd > 0)
        motion_warn(&m->input->warnings,
                    "member '%s' has %zu quaternions that are not unit within 1e-3; they are "
                    "normalised",
                    npz_shown(shown, member), odd);
    return PM_OK;
}

/* Whether all keys can be used where they are. */
static bool are_usable(const making *m, const npz_rows *rows) {
    const size_t count = m->document->frames * rows->channel_count;
    if (rows->role != NPZ_XYZW || (uintptr_t)rows->data % rows->element != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        double q[4];
        npz_load_numbers(q, rows->data + 4 * i * rows->element, rows->element, 4);
        if (!is_unit(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]))
            return false;
    }
    return true;
}

static pm_status add_rotations(making *m, npz_rows *rows) {
    const char *keys = rows->data;
    const size_t count = m->document->frames * rows->channel_count, size = 4 * rows->element;
    if (!are_usable(m, rows)) {
        char *out = motion_allocate(&m->motion->arena, count, size);
        if (!out)
            return motion_refuse_memory(m->error);
        const pm_status status = rows->role == NPZ_AXIS_ANGLE ? convert_axis_angle(m, rows, out)
                                                              : convert_quaternions(m, rows, out);
        if (status != PM_OK)
            return status;
        keys = out;
    }
    return add_channels(m, rows, PM_MOTION_ROTATION, 4, keys, rows->element,
                        rows->channel_count * size);
}

/* ---- the skeleton of `plain` --------------------------------------------------------------- */

/* Loads `names`, `parents` or `offsets`. *bytes.data is NULL if the file has none. */
static pm_status load_optional(making *m, const char *name, npy_header *header, zip_bytes *bytes,
                               size_t *member) {
    *bytes = (zip_bytes){NULL, 0};
    const pm_status status = npz_find(&m->document->archive, name, member, m->error);
    if (status != PM_OK || *member == SIZE_MAX)
        return status;
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

static pm_status read_parents(making *m, size_t member, const npy_header *header, zip_bytes bytes,
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

static pm_status read_offsets(making *m, pm_motion_node *nodes, size_t count) {
    npy_header h;
    zip_bytes bytes;
    size_t member;
    const pm_status status = load_optional(m, "offsets", &h, &bytes, &member);
    if (status != PM_OK || !bytes.data)
        return status;
    const zip_member *zip = &m->document->archive.members[member];
    const size_t element = npy_element_size(h.type);
    if (!npz_is_float(h.type) || h.rank != 2 || h.shape[0] != count || h.shape[1] != 3)
        return npz_refuse(m->error, zip,
                          "does not fit; expected shape (%zu, 3) of float32 or float64", count);
    const char *data = bytes.data + h.data_at;
    const size_t odd = npz_find_not_finite(data, element, 3 * count);
    if (odd < 3 * count)
        return npz_refuse(m->error, zip, "is not finite at index %zu", odd);
    for (size_t i = 0; i < 3 * count; i++) {
        const size_t at = h.fortran_order ? i / 3 + i % 3 * count : i;
        npz_load_numbers(&nodes[i / 3].translation[i % 3], data + at * element, element, 1);
    }
    return PM_OK;
}

/* Writes a code point as UTF-8; those that are none as U+FFFD. Returns the bytes written. */
static size_t put_utf8(char *out, uint32_t c) {
    c = c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* A string of NumPy is filled up with zeros. */
static pm_status read_name(making *m, const char *at, size_t size, bool unicode,
                           pm_motion_name *name) {
    while (size > 0 && at[size - 1] == '\0')
        size--;
    size = unicode ? (size + 3) / 4 * 4 : size;
    char *text = motion_allocate(&m->motion->arena, size + 1, 1);
    if (!text)
        return motion_refuse_memory(m->error);
    size_t used = 0;
    for (size_t i = 0; i < size && unicode; i += 4) {
        const unsigned char *b = (const unsigned char *)at + i;
        used += put_utf8(text + used,
                         b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
    }
    if (!unicode) {
        memcpy(text, at, size);
        used = size;
    }
    *name = (pm_motion_name){text, used};
    return PM_OK;
}

static pm_status read_names(making *m, pm_motion_node *nodes, size_t count) {
    npy_header h;
    zip_bytes bytes;
    size_t member;
    pm_status status = load_optional(m, "names", &h, &bytes, &member);
    if (status != PM_OK || !bytes.data)
        return status;
    const bool unicode = h.type[1] == 'U';
    if (h.type[0] == '>' || (!unicode && h.type[1] != 'S') || h.rank != 1 || h.shape[0] != count)
        return npz_refuse(m->error, &m->document->archive.members[member],
                          "does not fit; expected %zu strings, one per joint", count);
    const size_t element = npy_element_size(h.type);
    for (size_t i = 0; i < count && status == PM_OK; i++)
        status =
            read_name(m, bytes.data + h.data_at + i * element, element, unicode, &nodes[i].name);
    return status;
}

/* Rotations and positions of joints move the nodes; one position moves the first root. */
static void attach_channels(making *m, const pm_motion_node *nodes, size_t count) {
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

static pm_status make_nodes(making *m) {
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
        status = read_offsets(m, nodes, count);
    if (status == PM_OK)
        status = read_names(m, nodes, count);
    if (status != PM_OK)
        return status;
    attach_channels(m, nodes, count);
    m->motion->content.nodes = nodes;
    m->motion->content.node_count = count;
    return PM_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static size_t count_channels(const npz_document *document) {
    size_t count = 0;
    for (size_t i = 0; i < document->row_count; i++) {
        const npz_role role = document->rows[i].role;
        if (npz_is_rotation(role) || role == NPZ_VECTOR || role == NPZ_SCALAR)
            count += document->rows[i].channel_count;
    }
    return count;
}

static pm_status make_channels(making *m) {
    pm_status status = PM_OK;
    for (size_t i = 0; i < m->document->row_count && status == PM_OK; i++) {
        npz_rows *rows = &m->document->rows[i];
        if (npz_is_rotation(rows->role))
            status = add_rotations(m, rows);
        else if (rows->role == NPZ_VECTOR)
            status = add_vectors(m, rows, PM_MOTION_TRANSLATION, 3);
        else if (rows->role == NPZ_SCALAR)
            status = add_vectors(m, rows, PM_MOTION_SCALAR, rows->width);
    }
    return status;
}

pm_status npz_make_content(npz_document *document, const motion_input *input,
                           const npz_layout *layout, pm_rational rate, pm_motion *motion,
                           pm_error *error) {
    motion_arena *arena = &motion->arena;
    const size_t count = count_channels(document);
    pm_motion_clip *clip = motion_allocate(arena, 1, sizeof *clip);
    pm_timeline *timeline = motion_allocate(arena, 1, sizeof *timeline);
    making m = {document, input, motion, motion_allocate(arena, count, sizeof *m.channels),
                0,        error};
    char *name = motion_copy_text(arena, layout->name, strlen(layout->name));
    if (!clip || !timeline || !m.channels || !name)
        return motion_refuse_memory(error);
    pm_status status = make_channels(&m);
    if (status == PM_OK && strcmp(layout->name, "plain") == 0)
        status = make_nodes(&m);
    *timeline = (pm_timeline){.key_count = document->frames, .rate = rate};
    *clip = (pm_motion_clip){.name = {"", 0},
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = m.channels,
                             .channel_count = m.count,
                             .rate = rate};
    motion->content.format = PM_MOTION_NPZ;
    motion->content.layout = name;
    motion->content.clips = clip;
    motion->content.clip_count = 1;
    return status;
}
