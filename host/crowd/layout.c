/* SPDX-License-Identifier: MIT
 *
 * The tables of a crowd: where the planes of each clip are, with the joints in skeleton order, and which
 * joints any clip moves.
 */
#include "layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "kernels/pm_memory.h"

pm_status pm_crowd_name_clip(size_t clip, pm_status status, pm_error *error) {
    pm_prefix_failure(error, "clips[%zu]: ", clip);
    return status;
}

/* Floats per plane of a channel's joints. */
static size_t plane_of(const pm_channel *channel) {
    return 4 * channel->places;
}

/* Floats per row, which is the planes of one key and of the segment behind it. */
static size_t row_of(const pm_channel *channel) {
    return plane_of(channel) * pm_curve_planes(channel->impl.curve);
}

size_t pm_crowd_alignment(const pm_channel *channel) {
    const size_t line = PM_CACHE_LINE / sizeof(float), group = pm_key_alignment(channel->format);
    return group > line ? group : line;
}

/* ---- allocation --------------------------------------------------------------------- */

/* Zeroed memory on a cache-line boundary: loading a vector that straddles two lines takes twice as
 * long. */
static void *allocate_lines(const pm_crowd_data *crowd, size_t size) {
    void *lines = pm_allocate_lines(crowd->host, size);
    return lines ? memset(lines, 0, size) : NULL;
}

static pm_status allocate_sets(pm_crowd_data *crowd, pm_error *error) {
    const pm_skeleton *s = crowd->skeleton;
    for (size_t i = 0; i < s->set_count; i++) {
        pm_posed_set *set = &crowd->sets[i];
        set->joints = i == 0
                          ? crowd->joints
                          : pm_allocate_zeroed(crowd->host, s->sets[i].count, sizeof *set->joints);
        set->moved = pm_allocate_zeroed(
            crowd->host, PM_CHANNEL_COUNT * crowd->padded_joints / PM_TRACK_GROUP, 1);
        if (!set->joints || !set->moved)
            return pm_fail_memory(error);
    }
    return PM_OK;
}

/* A joint that some clip has moved counts as animated from then on. */
static pm_status allocate_joints(pm_crowd_data *crowd, const pm_crowd_data *before,
                                 pm_error *error) {
    const size_t n = crowd->skeleton->joint_count;
    crowd->joints = pm_allocate_zeroed(crowd->host, n, sizeof *crowd->joints);
    crowd->rest =
        allocate_lines(crowd, PM_REST_FIELDS * crowd->padded_joints * sizeof *crowd->rest);
    crowd->binds = pm_allocate_zeroed(crowd->host, 12 * crowd->padded_joints, sizeof *crowd->binds);
    crowd->sets = pm_allocate_zeroed(crowd->host, crowd->skeleton->set_count, sizeof *crowd->sets);
    if (!crowd->joints || !crowd->rest || !crowd->binds || !crowd->sets)
        return pm_fail_memory(error);
    memcpy(crowd->joints, before ? before->joints : crowd->skeleton->joints,
           n * sizeof *crowd->joints);
    return allocate_sets(crowd, error);
}

pm_status pm_crowd_allocate(pm_crowd_change *change, pm_error *error) {
    const pm_status status = allocate_joints(change->crowd, change->before, error);
    return status == PM_OK ? pm_tables_place(change, error) : status;
}

/* ---- clips --------------------------------------------------------------------------------- */

/* What all clips have in common is that of the first. */
static void describe_channel(pm_channel *channel, const pm_channel *from) {
    *channel = (pm_channel){.present = from->present,
                            .of_root = from->of_root,
                            .places = from->places,
                            .scalars = from->scalars,
                            .impl = from->impl,
                            .components = from->components,
                            .format = from->format};
}

static pm_status measure_channel(pm_crowd_change *change, const pm_channel *from, size_t i,
                                 unsigned c, pm_error *error) {
    pm_channel *channel = &change->crowd->channels[c];
    pm_clip_layout *clip = &change->crowd->clips[i];
    const size_t rest = pm_crowd_alignment(from) - 1;
    size_t numbers = from->key_numbers;
    if (!change->before && i == 0)
        describe_channel(channel, from);
    clip->row[c] = from->present ? (pm_u32)row_of(from) : 0;
    clip->plane[c] = from->present ? (pm_u32)plane_of(from) : 0;
    if (__builtin_add_overflow(numbers, rest, &numbers))
        return pm_fail(error, PM_ERROR_SIZE, "the size of all clips does not fit size_t");
    change->crowd->rows[i].count[PM_TABLE_KEYS + c] = numbers & ~rest;
    return PM_OK;
}

pm_status pm_crowd_measure_clip(pm_crowd_change *change, const pm_clip_data *clip, size_t n,
                                pm_error *error) {
    pm_crowd_data *crowd = change->crowd;
    const size_t i = change->ids[n];
    pm_clip_row *row = &crowd->rows[i];
    pm_status status = pm_crowd_add_timelines(&change->timelines, clip, row, error);
    row->per_joint = !clip->common_timeline;
    crowd->per_joint = crowd->per_joint || row->per_joint;
    for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++)
        status = measure_channel(change, &clip->channels[c], i, c, error);
    row->count[PM_TABLE_CONSTANTS] = clip->channels[PM_ROTATIONS].constant_floats;
    return status;
}

void pm_crowd_place_clip(const pm_crowd_data *crowd, pm_clip_data *clip, size_t i) {
    const pm_clip_row *row = &crowd->rows[i];
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const pm_channel *channel = &crowd->channels[c];
        if (!channel->present)
            continue;
        /* Padding is zero. The thread that builds a clip makes its pages. */
        memset(pm_table_at(crowd, PM_TABLE_KEYS + c, row->begin[PM_TABLE_KEYS + c]), 0,
               pm_table_bytes(crowd, PM_TABLE_KEYS + c, row->count[PM_TABLE_KEYS + c]));
        pm_clip_data_place(clip, c, channel->keys, row->begin[PM_TABLE_KEYS + c],
                           c == PM_ROTATIONS ? channel->constants + row->begin[PM_TABLE_CONSTANTS]
                                             : NULL);
    }
}

/* Clips with a common timeline have entries too, because all lanes of a kernel find their keys the
 * same way. */
static void copy_layout(const pm_crowd_data *crowd, const pm_clip_data *clip, unsigned c,
                        size_t i) {
    const size_t n = crowd->skeleton->joint_count;
    for (size_t j = 0; crowd->per_joint && j < n; j++) {
        pm_track_layout *row = &crowd->layout[crowd->clips[i].layout + c * n + j];
        *row = clip->channels[c].layout[crowd->skeleton->order[j]];
        row->timeline += crowd->clips[i].timeline;
        /* Of curves with four keys, a joint finds its spacings by the row of any channel. */
        row->rates += crowd->clips[i].constants / PM_SPACING_FLOATS;
    }
}

/* ---- animated joints ------------------------------------------------------------------- */

static const float *rest_of(const pm_joint *joint, unsigned c) {
    return c == PM_ROTATIONS ? joint->rotation : c == PM_POSITIONS ? joint->position : joint->scale;
}

static bool equals(const float *a, const float *b, unsigned components) {
    for (unsigned i = 0; i < components; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Whether a clip keeps a channel of a joint at rest: all keys equal the rest pose, and all segment
 * coefficients are zero. Keys of 48 bits count as animated. */
static bool is_still(const pm_crowd_data *crowd, const pm_clip_data *clip, unsigned c, size_t j) {
    static const float nothing[4] = {0};
    const pm_channel *from = &clip->channels[c];
    uint32_t track = crowd->skeleton->order[j];
    const pm_track_layout *at = &from->layout[track];
    size_t rows = clip->timelines[clip->timeline_of[track]].segment_count + 1;
    const float *key = (const float *)from->keys + at->first;
    if (from->format != PM_KEYS_FLOAT32)
        return false;
    for (size_t r = 0; r < rows; r++, key += at->row) {
        if (!equals(key, rest_of(&crowd->joints[j], c), from->components))
            return false;
        for (unsigned p = 1; r + 1 < rows && p < pm_curve_planes(from->impl.curve); p++)
            if (!equals(key + p * (size_t)at->plane, nothing, from->components))
                return false;
    }
    return true;
}

/* Several threads add clips: a joint is animated if any of them finds it so. */
static void find_animated(pm_crowd_data *crowd, const pm_clip_data *clip, unsigned c) {
    const size_t count = clip->channels[c].of_root ? 1 : crowd->skeleton->joint_count;
    for (size_t j = 0; j < count; j++) {
        pm_u32 *animated = &crowd->joints[j].animated;
        if (!(__atomic_load_n(animated, __ATOMIC_RELAXED) & 1u << c) &&
            !is_still(crowd, clip, c, j))
            __atomic_fetch_or(animated, 1u << c, __ATOMIC_RELAXED);
    }
}

void pm_crowd_add_clip(pm_crowd_data *crowd, const pm_clip_data *clip, size_t i) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        if (!crowd->channels[c].present)
            continue;
        copy_layout(crowd, clip, c, i);
        find_animated(crowd, clip, c);
    }
}

/* Padding joints get the identity. */
static void fill_rest(pm_crowd_data *crowd) {
    size_t n = crowd->padded_joints;
    for (size_t j = 0; j < n; j++) {
        static const pm_joint nothing = {
            .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}, .unscale = {1, 1, 1}};
        const pm_joint *joint = j < crowd->skeleton->joint_count ? &crowd->joints[j] : &nothing;
        float *to = crowd->rest + j;
        for (size_t i = 0; i < 4; i++)
            to[(PM_REST_ROTATION + i) * n] = joint->rotation[i];
        for (size_t i = 0; i < 3; i++) {
            to[(PM_REST_POSITION + i) * n] = joint->position[i];
            to[(PM_REST_SCALE + i) * n] = joint->scale[i];
            to[(PM_REST_UNSCALE + i) * n] = joint->unscale[i];
            to[(PM_REST_MOVES + i) * n] = (float)(joint->animated >> i & 1);
        }
        memcpy(crowd->binds + 12 * j, joint->inverse_bind, sizeof joint->inverse_bind);
        crowd->scaled = crowd->scaled || joint->scaled;
    }
}

static pm_moved moved(const pm_crowd_data *crowd, size_t group, unsigned c) {
    size_t first = group * PM_TRACK_GROUP, count = crowd->skeleton->joint_count - first;
    size_t moving = 0;
    count = count < PM_TRACK_GROUP ? count : PM_TRACK_GROUP;
    for (size_t j = first; j < first + count; j++)
        moving += crowd->joints[j].animated >> c & 1;
    return moving == 0 ? PM_MOVED_NOT : moving < count ? PM_MOVED_PARTLY : PM_MOVED_WHOLE;
}

static void fill_set(pm_crowd_data *crowd, size_t i) {
    const pm_joint_set *from = &crowd->skeleton->sets[i];
    const size_t groups = crowd->padded_joints / PM_TRACK_GROUP;
    pm_posed_set *set = &crowd->sets[i];
    for (size_t n = 0; n < from->count; n++) {
        const size_t joint = from->joints[n].joint, group = joint / PM_TRACK_GROUP;
        set->joints[n] = crowd->joints[joint];
        set->joints[n].record = from->joints[n].record;
        for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
            set->moved[c * groups + group] = (pm_u8)moved(crowd, group, c);
    }
}

void pm_crowd_finish(pm_crowd_data *crowd) {
    for (size_t j = 0; j < crowd->skeleton->joint_count; j++)
        crowd->joints[j].scaled |= crowd->joints[j].animated >> PM_SCALES & 1;
    fill_rest(crowd);
    for (size_t i = 0; i < crowd->skeleton->set_count; i++)
        fill_set(crowd, i);
}
