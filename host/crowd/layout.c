/* SPDX-License-Identifier: MIT
 *
 * Merges the clips of a crowd into one set of tables: planes in skeleton order, timelines in ticks,
 * and which joints any clip moves.
 */
#include "layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kernels/pm_memory.h"

pm_status pm_crowd_name_clip(size_t clip, pm_status status, pm_error *error) {
    char message[sizeof error->message];
    if (error) {
        snprintf(message, sizeof message, "clips[%zu]: %.200s", clip, error->message);
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

/* Floats per plane of all joints. */
static size_t plane_of(const pm_crowd_data *crowd) {
    return 4 * crowd->padded_joints;
}

/* Floats per row, which is the planes of one key and of the segment behind it. */
static size_t row_of(const pm_crowd_data *crowd, const pm_channel *channel) {
    return plane_of(crowd) * pm_curve_planes(channel->impl.curve);
}

static unsigned constant_planes_of(const pm_channel *channel) {
    return pm_curves[channel->impl.curve].constants;
}

/* Size of a clip's keys in the crowd, in floats as pm_track_layout counts. The rows of a common
 * timeline get the crowd's row length. */
static size_t numbers_of(const pm_crowd_data *crowd, const pm_clip_data *clip,
                         const pm_channel *channel) {
    const pm_track_layout *last = &channel->layout[clip->track_count - 1];
    size_t rows = clip->timelines[clip->timeline_of[clip->track_count - 1]].segment_count + 1;
    size_t end = last->first + rows * last->row;
    if (clip->common_timeline)
        end = rows * row_of(crowd, channel);
    return (end + PM_CLIP_ALIGNMENT - 1) / PM_CLIP_ALIGNMENT * PM_CLIP_ALIGNMENT;
}

/* ---- planes ------------------------------------------------------------------------ */

static void copy_key(const pm_channel *from, size_t at, const pm_channel *to, size_t to_at) {
    if (to->format == PM_KEYS_FLOAT32)
        memcpy((float *)to->keys + to_at, (const float *)from->keys + at, 4 * sizeof(float));
    else
        pm_key_repeat(to->format, from->keys, at, to->keys, to_at, false);
}

/* Copies the planes of a common timeline, with the joints in skeleton order. */
static void copy_common(const pm_crowd_data *crowd, const pm_clip_data *clip, unsigned c,
                        size_t first) {
    const pm_channel *from = &clip->channels[c], *to = &crowd->channels[c];
    size_t planes = (clip->timelines[0].segment_count + 1) * pm_curve_planes(from->impl.curve);
    for (size_t p = 0; p < planes; p++)
        for (size_t j = 0; j < crowd->skeleton->joint_count; j++)
            copy_key(from, 4 * (p * clip->padded_tracks + crowd->skeleton->order[j]), to,
                     first + p * plane_of(crowd) + 4 * j);
}

/* Copies the keys of per-track timelines as they are; the layout finds each track's rows. */
static void copy_per_joint(const pm_crowd_data *crowd, const pm_clip_data *clip, unsigned c,
                           size_t first) {
    const pm_channel *from = &clip->channels[c], *to = &crowd->channels[c];
    size_t before = 0;
    pm_key_bytes(to->format, first, &before); /* cannot overflow: the keys are allocated */
    memcpy((char *)to->keys + before, from->keys, from->key_bytes);
}

static void copy_constants(const pm_crowd_data *crowd, const pm_clip_data *clip, unsigned c,
                           size_t i) {
    const pm_channel *from = &clip->channels[c], *to = &crowd->channels[c];
    size_t planes = constant_planes_of(from);
    for (size_t s = 0; s < planes; s++)
        for (size_t j = 0; j < crowd->skeleton->joint_count; j++)
            memcpy(to->constants + (i * planes + s) * plane_of(crowd) + 4 * j,
                   from->constants + 4 * (s * clip->padded_tracks + crowd->skeleton->order[j]),
                   4 * sizeof(float));
}

/* Fills the layout. Clips with a common timeline have entries too, because all lanes of a kernel
 * find their keys the same way. */
static void copy_layout(const pm_crowd_data *crowd, const pm_clip_data *clip, unsigned c,
                        size_t i) {
    const pm_clip_layout *cursor = &crowd->clips[i];
    const pm_channel *from = &clip->channels[c];
    size_t n = crowd->skeleton->joint_count;
    for (size_t j = 0; crowd->per_joint && j < n; j++) {
        pm_track_layout *row = &crowd->layout[(c * crowd->clip_count + i) * n + j];
        *row = from->layout[crowd->skeleton->order[j]];
        row->first = cursor->first[c] + (clip->common_timeline ? 4 * j : row->first);
        if (clip->common_timeline) {
            row->row = (pm_u32)row_of(crowd, from);
            row->plane = (pm_u32)plane_of(crowd);
        }
        row->timeline += cursor->timeline;
    }
}

static void copy_clip(pm_crowd_data *crowd, const pm_clip_data *clip, size_t i) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        if (!crowd->channels[c].present)
            continue;
        if (clip->common_timeline)
            copy_common(crowd, clip, c, crowd->clips[i].first[c]);
        else
            copy_per_joint(crowd, clip, c, crowd->clips[i].first[c]);
        copy_constants(crowd, clip, c, i);
        copy_layout(crowd, clip, c, i);
    }
}

/* ---- allocation --------------------------------------------------------------------- */

/* Zeroed memory on a cache-line boundary: loading a vector that straddles two lines takes twice as
 * long. */
static void *allocate_lines(size_t size) {
    if (size > SIZE_MAX - PM_CACHE_LINE)
        return NULL;
    size_t whole = (size + PM_CACHE_LINE - 1) / PM_CACHE_LINE * PM_CACHE_LINE;
    void *lines = aligned_alloc(PM_CACHE_LINE, whole);
    if (lines)
        memset(lines, 0, whole);
    return lines;
}

static pm_status make_channel(pm_crowd_data *crowd, pm_clip_data *const *clips, unsigned c,
                              pm_error *error) {
    pm_channel *channel = &crowd->channels[c];
    const pm_channel *like = &clips[0]->channels[c];
    size_t numbers = 0;
    *channel = (pm_channel){.present = like->present,
                            .impl = like->impl,
                            .components = like->components,
                            .format = like->format};
    if (!channel->present)
        return PM_OK;
    for (size_t i = 0; i < crowd->clip_count; i++) {
        crowd->clips[i].first[c] = numbers;
        crowd->clips[i].row[c] = (pm_u32)row_of(crowd, like);
        if (__builtin_add_overflow(numbers, numbers_of(crowd, clips[i], &clips[i]->channels[c]),
                                   &numbers))
            return pm_fail(error, PM_ERROR_SIZE, "the size of all clips does not fit size_t");
    }
    if (!pm_key_bytes(channel->format, numbers, &channel->key_bytes))
        return pm_fail(error, PM_ERROR_SIZE, "the size of all clips in bytes does not fit size_t");
    channel->constant_floats = crowd->clip_count * constant_planes_of(like) * plane_of(crowd);
    channel->keys = allocate_lines(channel->key_bytes);
    channel->constants =
        allocate_lines((channel->constant_floats + 1) * sizeof(float)); /* never 0 bytes */
    return channel->keys && channel->constants ? PM_OK : pm_fail_memory(error);
}

static pm_status allocate_tables(pm_crowd_data *crowd, pm_clip_data *const *clips,
                                 pm_error *error) {
    size_t timelines = 0, times = 0, n = crowd->skeleton->joint_count;
    for (size_t i = 0; i < crowd->clip_count; i++) {
        crowd->per_joint = crowd->per_joint || !clips[i]->common_timeline;
        timelines += clips[i]->timeline_count;
        for (size_t k = 0; k < clips[i]->timeline_count; k++)
            times += clips[i]->timelines[k].segment_count + 1;
    }
    crowd->clips = calloc(crowd->clip_count + 1, sizeof *crowd->clips); /* never 0 bytes */
    crowd->clip_ticks = calloc(crowd->clip_count + 1, sizeof *crowd->clip_ticks);
    crowd->timelines = calloc(timelines + 1, sizeof *crowd->timelines);
    crowd->times = calloc(times + 1, sizeof *crowd->times);
    crowd->joints = calloc(n, sizeof *crowd->joints);
    crowd->rest = allocate_lines(PM_REST_FIELDS * crowd->padded_joints * sizeof *crowd->rest);
    crowd->binds = calloc(12 * crowd->padded_joints, sizeof *crowd->binds);
    crowd->moved = calloc(PM_CHANNEL_COUNT * crowd->padded_joints / PM_TRACK_GROUP, 1);
    crowd->layout_rows = (crowd->per_joint ? PM_CHANNEL_COUNT * crowd->clip_count * n : 0) + 1;
    crowd->layout = calloc(crowd->layout_rows, sizeof *crowd->layout);
    if (!crowd->clips || !crowd->clip_ticks || !crowd->timelines || !crowd->times ||
        !crowd->joints || !crowd->rest || !crowd->binds || !crowd->moved || !crowd->layout)
        return pm_fail_memory(error);
    memcpy(crowd->joints, crowd->skeleton->joints, n * sizeof *crowd->joints);
    return PM_OK;
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

static void find_animated(pm_crowd_data *crowd, const pm_clip_data *clip) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        for (size_t j = 0; crowd->channels[c].present && j < crowd->skeleton->joint_count; j++) {
            pm_joint *joint = &crowd->joints[j];
            if (joint->animated & 1u << c || is_still(crowd, clip, c, j))
                continue;
            joint->animated |= 1u << c;
            joint->scaled |= c == PM_SCALES;
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

static void classify_groups(pm_crowd_data *crowd) {
    const size_t groups = crowd->padded_joints / PM_TRACK_GROUP;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        for (size_t g = 0; g < groups; g++)
            crowd->moved[c * groups + g] = (pm_u8)moved(crowd, g, c);
}

/* ---- the crowd ---------------------------------------------------------------------------- */

/* The time of the first key of any joint, in seconds. */
static double first_of(const pm_clip_data *clip) {
    double first = pm_clip_timeline_of(clip, 0)->first;
    for (size_t t = 1; t < clip->track_count; t++)
        first = fmin(first, pm_clip_timeline_of(clip, t)->first);
    return first;
}

/* The duration of an open clip in ticks: from its first key to the last key of any joint. */
static pm_u64 end_of(const pm_clip_data *clip, const pm_crowd_timeline *rows) {
    pm_u64 end = 0;
    for (size_t t = 0; t < clip->track_count; t++) {
        const pm_crowd_timeline *row = &rows[clip->timeline_of[t]];
        pm_u64 own = row->lag + (pm_clip_timeline_of(clip, t)->constant ? 0 : row->period);
        end = own > end ? own : end;
    }
    return end;
}

/* Appends all timelines of a clip, including those that no joint uses. */
static pm_status add_clip_timelines(pm_crowd_data *crowd, const pm_clip_data *clip, size_t i,
                                    pm_error *error) {
    pm_crowd_timeline *rows = &crowd->timelines[crowd->timeline_count];
    const double first = first_of(clip);
    const pm_u64 loop = pm_crowd_loop_ticks(clip);
    crowd->clips[i].plane = (pm_u32)plane_of(crowd);
    crowd->clips[i].timeline = (pm_u32)crowd->timeline_count;
    for (size_t k = 0; k < clip->timeline_count; k++) {
        const pm_clip_timeline *line = &clip->timelines[k];
        pm_status status =
            pm_crowd_add_timeline(crowd, line, fmin(first, line->first), loop, error);
        if (status != PM_OK)
            return status;
    }
    const pm_u64 cycle = loop ? loop : end_of(clip, rows);
    for (size_t k = 0; k < clip->timeline_count; k++) {
        rows[k].cycle = cycle ? cycle : 1;
        rows[k].reciprocal = PM_RECIPROCAL(rows[k].cycle);
    }
    crowd->clip_ticks[i] = (int64_t)cycle;
    return PM_OK;
}

pm_status pm_crowd_lay_out(pm_crowd_data *crowd, pm_clip_data *const *clips, pm_error *error) {
    pm_status status = allocate_tables(crowd, clips, error);
    for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++)
        status = make_channel(crowd, clips, c, error);
    for (size_t i = 0; status == PM_OK && i < crowd->clip_count; i++) {
        status = add_clip_timelines(crowd, clips[i], i, error);
        if (status != PM_OK)
            return pm_crowd_name_clip(i, status, error);
        crowd->clips[i].constants =
            (pm_u32)(i * constant_planes_of(&crowd->channels[PM_ROTATIONS]) * plane_of(crowd));
        copy_clip(crowd, clips[i], i);
        find_animated(crowd, clips[i]);
    }
    if (status == PM_OK) {
        fill_rest(crowd);
        classify_groups(crowd);
    }
    return status;
}
