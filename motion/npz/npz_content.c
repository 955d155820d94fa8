/* SPDX-License-Identifier: MIT
 *
 * The clip of an NPZ file: keys are pointed to where the arrays allow it, and converted otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz.h"
#include "motion/npz/npz_rotations.h"
#include "motion/time/key_rate.h"

/* What is being made. */
typedef struct making {
    npz_document *document;
    const motion_input *input;
    pm_motion *motion;
    pm_motion_channel *channels;
    size_t count;
    bool layout_is_given;
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

/* Adds one channel for each group of `group` numbers in the rows of `keys`, which may be NULL. */
static pm_status add_channels(making *m, npz_rows *rows, pm_motion_path path, size_t group,
                              const char *keys, size_t element, size_t stride) {
    const zip_member *member = &m->document->archive.members[rows->member];
    rows->channel = m->count;
    for (size_t i = 0; i < rows->channel_count; i++) {
        pm_motion_channel *c = &m->channels[m->count++];
        *c = (pm_motion_channel){.node = -1,
                                 .path = path,
                                 .components = (uint32_t)group,
                                 .keys = {.data = keys ? keys + i * group * element : NULL,
                                          .type = element == 8 ? PM_FLOAT64 : PM_FLOAT32,
                                          .stride = stride}};
        if (!make_name(m, member,
                       rows->header.rank > 2 || path == PM_MOTION_ROTATION ? (ptrdiff_t)i : -1,
                       &c->name))
            return motion_refuse_memory(m->error);
    }
    return PM_OK;
}

static bool is_aligned(const npz_rows *rows) {
    return (uintptr_t)rows->data % rows->element == 0;
}

/* The rows where they are, or a copy at an address that their type can be read at. */
static pm_status align(making *m, const npz_rows *rows, const char **keys) {
    const size_t bytes = m->document->frames * rows->width * rows->element;
    *keys = rows->data;
    if (is_aligned(rows))
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

/* Refuses a quaternion of length 0, and a member of which most are far from unit, unless its layout was
 * chosen. */
static pm_status check_quaternions(const making *m, const npz_rows *rows, npz_lengths *found) {
    const size_t joints = rows->channel_count, count = m->document->frames * joints;
    const zip_member *member = &m->document->archive.members[rows->member];
    char shown[MOTION_PRINTABLE];
    const size_t zero = npz_check_quaternions(rows->data, rows->element, count, found);
    if (zero < count)
        return npz_refuse(m->error, member,
                          "has a quaternion of length 0 at frame %zu, joint %zu; expected unit "
                          "quaternions",
                          zero / joints, zero % joints);
    if (found->far > count / 2 && !m->layout_is_given) {
        (void)npz_refuse(m->error, member,
                         "is no quaternions: at frame %zu, joint %zu the length is %.4g; expected "
                         "unit quaternions",
                         found->first_far / joints, found->first_far % joints, found->length);
        motion_cure(m->error, "layout", "NAME", "normalises them; so does FILE.json with a layout");
        return PM_ERROR_FILE;
    }
    if (found->odd > 0)
        motion_warn(&m->input->warnings,
                    "member '%s' has %zu quaternions that are not unit within 1e-3; they are "
                    "normalised",
                    npz_shown(shown, member), found->odd);
    return PM_OK;
}

/* Whether the rows are in memory of their own, which no other rows use. */
static bool owns_memory(const making *m, const npz_rows *rows) {
    const char *owned = m->document->owned[rows->member];
    size_t users = 0;
    for (size_t i = 0; i < m->document->row_count; i++)
        users += m->document->rows[i].member == rows->member;
    return owned && rows->data == owned + rows->header.data_at && users == 1;
}

/* The quaternions take over the member's memory: beside it they would more than double the peak. */
static pm_status convert_in_place(making *m, npz_rows *rows, const char **keys) {
    enum { ALIGNMENT = 16 };
    const size_t count = m->document->frames * rows->channel_count, size = 4 * rows->element;
    const size_t at = (rows->header.data_at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char **owned = &m->document->owned[rows->member];
    char *grown = count <= (SIZE_MAX - at) / size ? realloc(*owned, at + count * size) : NULL;
    if (!grown)
        return motion_refuse_memory(m->error);
    *owned = NULL;
    rows->converted = grown;
    rows->data = grown + rows->header.data_at;
    npz_convert_in_place(rows, count, grown + at);
    rows->data = NULL;
    *keys = grown + at;
    return PM_OK;
}

/* Gives the rows as quaternions of their own type. */
static pm_status convert(making *m, npz_rows *rows, const char **keys) {
    const size_t count = m->document->frames * rows->channel_count, size = 4 * rows->element;
    if (owns_memory(m, rows))
        return convert_in_place(m, rows, keys);
    char *made = motion_allocate(&m->motion->arena, count, size);
    if (!made)
        return motion_refuse_memory(m->error);
    npz_convert_rows(rows, 0, rows->channel_count, 0, m->document->frames,
                     (npz_keys){made, rows->element, rows->channel_count * size});
    *keys = made;
    return PM_OK;
}

/* Used where they are, or converted: now, or when they are resampled. */
static pm_status add_rotations(making *m, npz_rows *rows) {
    const char *keys = NULL;
    npz_lengths found = {.odd = 0};
    pm_status status =
        rows->role == NPZ_AXIS_ANGLE || !rows->data ? PM_OK : check_quaternions(m, rows, &found);
    if (!rows->data)
        keys = NULL;
    else if (rows->role == NPZ_XYZW && found.odd == 0 && is_aligned(rows))
        keys = rows->data;
    else if (m->input->options->resample_only)
        m->motion->resample_only = true;
    else if (status == PM_OK)
        status = convert(m, rows, &keys);
    return status == PM_OK ? add_channels(m, rows, PM_MOTION_ROTATION, 4, keys, rows->element,
                                          rows->channel_count * 4 * rows->element)
                           : status;
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

/* ---- times -------------------------------------------------------------------------------------- */

/* Times of their own may be at a rate, as those of glTF. */
static pm_status make_times(const making *m, pm_rational rate, pm_timeline *timeline,
                            pm_motion_clip *clip) {
    const size_t count = m->document->frames;
    *timeline = (pm_timeline){.key_count = count, .rate = rate};
    clip->rate = rate;
    clip->first_time = (pm_rational){0, 1};
    if (!m->document->has_times)
        return PM_OK;
    const pm_status status =
        npz_read_times(m->document, &m->motion->arena, &timeline->times, m->error);
    if (status != PM_OK)
        return status;
    const pm_rational found = key_rate(timeline->times, count);
    const pm_rational start =
        found.den != 0 ? key_grid_start(timeline->times[0], found) : (pm_rational){0, 0};
    clip->rate = start.den != 0 ? found : (pm_rational){0, 0};
    clip->first_time = start;
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
            status = add_vectors(m, rows, PM_MOTION_POSITION, 3);
        else if (rows->role == NPZ_SCALAR)
            status = add_vectors(m, rows, PM_MOTION_SCALAR, rows->width);
    }
    return status;
}

/* Of rotations that are relative to their parents, the first of each member that begins with the root is
 * relative to the world. */
static pm_status find_turned(const making *m, const npz_layout *layout) {
    bool *turned = motion_allocate(&m->motion->arena, m->count, sizeof *turned);
    if (!turned)
        return motion_refuse_memory(m->error);
    for (size_t c = 0; c < m->count; c++)
        turned[c] = layout->frame == NPZ_WORLD || m->channels[c].path != PM_MOTION_ROTATION;
    for (size_t r = 0; r < m->document->row_count; r++) {
        const npz_rows *rows = &m->document->rows[r];
        char shown[MOTION_PRINTABLE];
        const char *name = npz_shown(shown, &m->document->archive.members[rows->member]);
        if (npz_is_rotation(rows->role) &&
            (strcmp(name, "poses") == 0 || strcmp(name, "root_orient") == 0))
            turned[rows->channel] = true;
    }
    m->motion->turned = layout->frame == NPZ_UNKNOWN ? NULL : turned;
    return PM_OK;
}

pm_status npz_make_content(npz_document *document, const motion_input *input,
                           const npz_layout *layout, npz_clip_rate rate, pm_motion *motion,
                           pm_error *error) {
    motion_arena *arena = &motion->arena;
    const size_t count = count_channels(document);
    pm_motion_clip *clip = motion_allocate(arena, 1, sizeof *clip);
    pm_timeline *timeline = motion_allocate(arena, 1, sizeof *timeline);
    making m = {.document = document,
                .input = input,
                .motion = motion,
                .channels = motion_allocate(arena, count, sizeof *m.channels),
                .layout_is_given = layout->is_given,
                .error = error};
    char *name = motion_copy_text(arena, layout->name, strlen(layout->name));
    char text[NPZ_DECIMAL_TEXT] = "";
    const bool is_snapped = rate.source && npz_describe_rate(rate.source, text);
    char *rate_text = motion_copy_text(arena, text, strlen(text));
    if (!clip || !timeline || !m.channels || !name || !rate_text)
        return motion_refuse_memory(error);
    pm_status status = make_channels(&m);
    if (status == PM_OK && strcmp(layout->name, "plain") == 0)
        status = npz_make_nodes(document, motion, m.channels, error);
    if (status == PM_OK && (input->options->skeleton || input->options->body_model) &&
        motion->content.node_count == 0)
        status = npz_add_joints(document, input, layout, motion, m.channels, error);
    if (status == PM_OK)
        status = npz_read_subjects(document, motion, m.channels, error);
    if (status == PM_OK)
        status = find_turned(&m, layout);
    if (status == PM_OK)
        status = list_others(&m);
    if (status == PM_OK)
        status = make_times(&m, rate.rate, timeline, clip);
    motion->headers_only = document->unread > 0;
    motion->keeps_times = document->has_times;
    if (document->unread > 0)
        motion_note(&motion->notes, "the numbers of %zu large array%s were not looked at",
                    document->unread, document->unread == 1 ? "" : "s");
    motion_carry(motion,
                 document->archive.count - document->row_count - document->rate_count -
                     document->node_member_count - document->has_times,
                 "other member", "other members");
    clip->name = (pm_motion_name){"", 0};
    clip->timelines = timeline;
    clip->timeline_count = 1;
    clip->channels = m.channels;
    clip->channel_count = m.count;
    clip->rate_text = (pm_motion_name){rate_text, strlen(rate_text)};
    clip->rate_is_snapped = is_snapped;
    motion->content.format = PM_MOTION_NPZ;
    motion->content.layout = name;
    motion->content.clips = clip;
    motion->content.clip_count = 1;
    return status;
}
