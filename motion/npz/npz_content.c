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

/* ---- members that are no channels --------------------------------------------------------------- */

static pm_status list_others(const making *m) {
    pm_motion_other_array *others =
        motion_allocate(&m->motion->arena, m->document->row_count, sizeof *others);
    size_t count = 0;
    if (!others)
        return motion_refuse_memory(m->error);
    for (size_t i = 0; i < m->document->row_count; i++) {
        const npz_rows *rows = &m->document->rows[i];
        pm_motion_other_array *other = &others[count];
        if (rows->named)
            continue;
        other->nearest = rows->role == NPZ_NEAREST;
        if (!make_name(m, &m->document->archive.members[rows->member], -1, &other->name))
            return motion_refuse_memory(m->error);
        count++;
    }
    m->motion->content.other_arrays = others;
    m->motion->content.other_array_count = count;
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
                           const npz_layout *layout, npz_clip_rate rate, pm_motion *motion,
                           pm_error *error) {
    motion_arena *arena = &motion->arena;
    const size_t count = count_channels(document);
    pm_motion_clip *clip = motion_allocate(arena, 1, sizeof *clip);
    pm_timeline *timeline = motion_allocate(arena, 1, sizeof *timeline);
    making m = {document, input, motion, motion_allocate(arena, count, sizeof *m.channels),
                0,        error};
    char *name = motion_copy_text(arena, layout->name, strlen(layout->name));
    char text[NPZ_DECIMAL_TEXT] = "";
    const bool is_snapped = rate.source && npz_describe_rate(rate.source, text);
    char *rate_text = motion_copy_text(arena, text, strlen(text));
    if (!clip || !timeline || !m.channels || !name || !rate_text)
        return motion_refuse_memory(error);
    pm_status status = make_channels(&m);
    if (status == PM_OK && strcmp(layout->name, "plain") == 0)
        status = npz_make_nodes(document, motion, m.channels, error);
    if (status == PM_OK)
        status = list_others(&m);
    motion_carry(motion,
                 document->archive.count - document->row_count - document->rate_count -
                     document->node_member_count,
                 "other member", "other members");
    *timeline = (pm_timeline){.key_count = document->frames, .rate = rate.rate};
    *clip = (pm_motion_clip){.name = {"", 0},
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = m.channels,
                             .channel_count = m.count,
                             .rate = rate.rate,
                             .rate_text = {rate_text, strlen(rate_text)},
                             .rate_is_snapped = is_snapped};
    motion->content.format = PM_MOTION_NPZ;
    motion->content.layout = name;
    motion->content.clips = clip;
    motion->content.clip_count = 1;
    return status;
}
