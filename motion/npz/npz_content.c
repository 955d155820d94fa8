/* SPDX-License-Identifier: MIT
 *
 * The clip of an NPZ file: keys are pointed to where the arrays allow it, and converted otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/meaning.h"
#include "motion/npz/npz.h"
#include "motion/time/key_rate.h"

/* `poses[3]`, or the member's name alone for -1. */
static bool make_name(const npz_reading *r, size_t of, ptrdiff_t index, pm_motion_name *name) {
    enum { INDEX = 24 };
    const zip_member *member = &r->members[of];
    const size_t size = member->name.size - 4;
    char *text = motion_allocate(r->arena, size + INDEX, 1);
    if (!text)
        return false;
    memcpy(text, member->name.data, size);
    const int added = index >= 0 ? snprintf(text + size, INDEX, "[%td]", index) : 0;
    *name = (pm_motion_name){text, size + (size_t)added};
    return true;
}

/* Adds one channel for each group of `group` numbers in the rows of `keys`, which may be NULL. */
static pm_status add_channels(npz_reading *r, npz_rows *rows, pm_motion_path path, size_t group,
                              const char *keys) {
    const bool is_list = rows->header.rank > 2 || path == PM_MOTION_ROTATION;
    rows->channel = r->channel_count;
    for (size_t i = 0; i < rows->channel_count; i++) {
        pm_motion_channel *c = &r->channels[r->channel_count++];
        *c = (pm_motion_channel){.node = -1,
                                 .path = path,
                                 .components = (uint32_t)group,
                                 .keys = {.data = keys ? keys + i * group * rows->element : NULL,
                                          .type = rows->element == 8 ? PM_FLOAT64 : PM_FLOAT32,
                                          .stride = rows->channel_count * group * rows->element}};
        MOTION_TRY_MEMORY(make_name(r, rows->member, is_list ? (ptrdiff_t)i : -1, &c->name),
                          r->error);
    }
    return PM_OK;
}

static bool is_aligned(const npz_rows *rows) {
    return (uintptr_t)rows->data % rows->element == 0;
}

/* The rows where they are, or a copy at an address that their type can be read at. */
static pm_status add_vectors(npz_reading *r, npz_rows *rows, pm_motion_path path, size_t group) {
    const size_t bytes = r->document->frames * rows->width * rows->element;
    char *copy = is_aligned(rows) ? NULL : motion_allocate(r->arena, bytes, 1);
    if (copy)
        memcpy(copy, rows->data, bytes);
    else if (!is_aligned(rows))
        return motion_refuse_memory(r->error);
    return add_channels(r, rows, path, group, copy ? copy : rows->data);
}

/* Refuses a quaternion of length 0, and a member of which most are far from unit, unless its layout was
 * chosen. */
static pm_status check_quaternions(const npz_reading *r, const npz_rows *rows, npz_lengths *found) {
    const size_t joints = rows->channel_count, count = r->document->frames * joints;
    const zip_member *member = &r->members[rows->member];
    const size_t zero = npz_check_quaternions(rows->data, rows->element, count, found);
    if (zero < count)
        return npz_refuse(r->error, member,
                          "has a quaternion of length 0 at frame %zu, joint %zu; expected unit "
                          "quaternions",
                          zero / joints, zero % joints);
    if (found->far > count / 2 && !r->layout.is_given) {
        (void)npz_refuse(r->error, member,
                         "is no quaternions: at frame %zu, joint %zu the length is %.4g; expected "
                         "unit quaternions",
                         found->first_far / joints, found->first_far % joints, found->length);
        motion_cure(r->error, "layout", "NAME", "normalises them; so does FILE.json with a layout");
        return PM_ERROR_FILE;
    }
    if (found->odd > 0)
        npz_warn(r, rows->member,
                 "has %zu quaternions that are not unit within 1e-3; they are normalised",
                 found->odd);
    return PM_OK;
}

/* Whether the rows are in memory of their own, which no other rows use. */
static bool owns_memory(const npz_document *d, const npz_rows *rows) {
    const char *owned = d->owned[rows->member];
    size_t users = 0;
    for (size_t i = 0; i < d->row_count; i++)
        users += d->rows[i].member == rows->member;
    return owned && rows->data == owned + rows->header.data_at && users == 1;
}

/* The quaternions take over the member's memory: beside it they would more than double the peak. */
static pm_status convert_in_place(npz_reading *r, npz_rows *rows, const char **keys) {
    enum { ALIGNMENT = 16 };
    const size_t count = r->document->frames * rows->channel_count, size = 4 * rows->element;
    const size_t at = (rows->header.data_at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char **owned = &r->document->owned[rows->member];
    char *grown = count <= (SIZE_MAX - at) / size ? realloc(*owned, at + count * size) : NULL;
    MOTION_TRY_MEMORY(grown, r->error);
    *owned = NULL;
    rows->converted = grown;
    rows->data = grown + rows->header.data_at;
    npz_convert_in_place(rows, count, grown + at);
    rows->data = NULL;
    *keys = grown + at;
    return PM_OK;
}

/* Gives the rows as quaternions of their own type. */
static pm_status convert(npz_reading *r, npz_rows *rows, const char **keys) {
    const size_t frames = r->document->frames, size = rows->channel_count * 4 * rows->element;
    if (owns_memory(r->document, rows))
        return convert_in_place(r, rows, keys);
    char *made = motion_allocate(r->arena, frames, size);
    MOTION_TRY_MEMORY(made, r->error);
    npz_convert_rows(rows, 0, rows->channel_count, 0, frames,
                     (npz_keys){made, rows->element, size});
    *keys = made;
    return PM_OK;
}

/* Used where they are, or converted: now, or when they are resampled. */
static pm_status add_rotations(npz_reading *r, npz_rows *rows) {
    const char *keys = NULL;
    npz_lengths found = {.odd = 0};
    pm_status status =
        rows->role == NPZ_AXIS_ANGLE || !rows->data ? PM_OK : check_quaternions(r, rows, &found);
    if (rows->data && rows->role == NPZ_XYZW && found.odd == 0 && is_aligned(rows))
        keys = rows->data;
    else if (rows->data && r->input->options->resample_only)
        r->motion->resample_only = true;
    else if (rows->data && status == PM_OK)
        status = convert(r, rows, &keys);
    return status == PM_OK ? add_channels(r, rows, PM_MOTION_ROTATION, 4, keys) : status;
}

static pm_status list_others(const npz_reading *r) {
    const npz_document *d = r->document;
    pm_motion_content *content = &r->motion->content;
    pm_motion_other_array *others = motion_allocate(r->arena, d->row_count, sizeof *others);
    MOTION_TRY_MEMORY(others, r->error);
    content->other_arrays = others;
    for (size_t i = 0; i < d->row_count; i++) {
        const npz_rows *rows = &d->rows[i];
        if (rows->named)
            continue;
        pm_motion_other_array *other = &others[content->other_array_count++];
        other->nearest = rows->role == NPZ_NEAREST;
        MOTION_TRY_MEMORY(make_name(r, rows->member, -1, &other->name), r->error);
    }
    return PM_OK;
}

/* Times of their own may be at a rate, as those of glTF. */
static pm_status make_times(npz_reading *r, pm_timeline *timeline, pm_motion_clip *clip) {
    const size_t count = r->document->frames;
    *timeline = (pm_timeline){.key_count = count, .rate = r->rate};
    clip->rate = r->rate;
    clip->first_time = (pm_rational){0, 1};
    if (!r->document->has_times)
        return npz_compare_times(r);
    MOTION_TRY(npz_read_times(r, &timeline->times));
    const pm_rational found = key_rate(timeline->times, count);
    const pm_rational start =
        found.den != 0 ? key_grid_start(timeline->times[0], found) : (pm_rational){0, 0};
    clip->rate = start.den != 0 ? found : (pm_rational){0, 0};
    clip->first_time = start;
    return PM_OK;
}

static size_t count_channels(const npz_document *document) {
    size_t count = 0;
    for (size_t i = 0; i < document->row_count; i++) {
        const npz_role role = document->rows[i].role;
        if (npz_is_rotation(role) || role == NPZ_VECTOR || role == NPZ_SCALAR)
            count += document->rows[i].channel_count;
    }
    return count;
}

static pm_status make_channels(npz_reading *r) {
    pm_status status = PM_OK;
    for (size_t i = 0; i < r->document->row_count && status == PM_OK; i++) {
        npz_rows *rows = &r->document->rows[i];
        if (npz_is_rotation(rows->role))
            status = add_rotations(r, rows);
        else if (rows->role == NPZ_VECTOR)
            status = add_vectors(r, rows, PM_MOTION_POSITION, 3);
        else if (rows->role == NPZ_SCALAR)
            status = add_vectors(r, rows, PM_MOTION_SCALAR, rows->width);
    }
    return status;
}

/* Of rotations that are relative to their parents, the first of each member that begins with the root is
 * relative to the world. */
static pm_status find_turned(const npz_reading *r) {
    const npz_frame frame = r->layout.frame;
    bool *turned = motion_allocate(r->arena, r->channel_count, sizeof *turned);
    MOTION_TRY_MEMORY(turned, r->error);
    for (size_t c = 0; c < r->channel_count; c++)
        turned[c] = frame == NPZ_WORLD || r->channels[c].path != PM_MOTION_ROTATION;
    for (size_t i = 0; i < r->document->row_count; i++) {
        const npz_rows *rows = &r->document->rows[i];
        const zip_member *member = &r->members[rows->member];
        if (npz_is_rotation(rows->role) &&
            (npz_is_named(member, "poses") || npz_is_named(member, "root_orient")))
            turned[rows->channel] = true;
    }
    r->motion->turned = frame == NPZ_UNKNOWN ? NULL : turned;
    return PM_OK;
}

/* What is known of the motion besides its clip. */
static void describe(const npz_reading *r) {
    const npz_document *d = r->document;
    pm_motion *motion = r->motion;
    motion->headers_only = d->unread > 0;
    if (d->unread > 0)
        motion_note(&motion->notes, "the numbers of %zu large array%s were not looked at",
                    d->unread, d->unread == 1 ? "" : "s");
    motion_carry(motion,
                 d->archive.count - d->row_count - d->rate_count - d->node_member_count -
                     d->has_times,
                 "other member", "other members");
    motion->content.format = PM_MOTION_NPZ;
    motion->content.clip_count = 1;
    motion->is_body_model = r->layout.frame == NPZ_PARENT;
    motion_state_meaning(&motion->content, r->layout.unit_mm, r->layout.up);
}

pm_status npz_make_content(npz_reading *r) {
    pm_motion_content *content = &r->motion->content;
    const pm_motion_read_options *options = r->input->options;
    pm_motion_clip *clip = motion_allocate(r->arena, 1, sizeof *clip);
    pm_timeline *timeline = motion_allocate(r->arena, 1, sizeof *timeline);
    char text[NPZ_DECIMAL_TEXT] = "";
    const bool is_snapped = r->rate_source && npz_describe_rate(r->rate_source, text);
    char *rate_text = motion_copy_text(r->arena, text, strlen(text));
    r->channels = motion_allocate(r->arena, count_channels(r->document), sizeof *r->channels);
    content->layout = motion_copy_text(r->arena, r->layout.name, strlen(r->layout.name));
    content->clips = clip;
    MOTION_TRY_MEMORY(clip && timeline && r->channels && content->layout && rate_text, r->error);
    MOTION_TRY(make_channels(r));
    if (strcmp(r->layout.name, "plain") == 0)
        MOTION_TRY(npz_make_nodes(r));
    if ((options->skeleton || options->body_model) && content->node_count == 0)
        MOTION_TRY(npz_add_joints(r));
    MOTION_TRY(npz_read_subjects(r));
    MOTION_TRY(find_turned(r));
    MOTION_TRY(list_others(r));
    MOTION_TRY(make_times(r, timeline, clip));
    describe(r);
    clip->name = (pm_motion_name){"", 0};
    clip->timelines = timeline;
    clip->timeline_count = 1;
    clip->channels = r->channels;
    clip->channel_count = r->channel_count;
    clip->rate_text = (pm_motion_name){rate_text, strlen(rate_text)};
    clip->rate_is_snapped = is_snapped;
    return PM_OK;
}
