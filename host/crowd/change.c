/* SPDX-License-Identifier: MIT
 *
 * Versions of a crowd: a new one has the clips of the one before but those that are removed, and those that are
 * added. Small tables are copied. Large ones are shared, and hold the new clips behind the others (tables.c), so that
 * jobs that run with an earlier version read what they always have.
 */
#include <string.h>

#include "base/base.h"
#include "layout.h"

/* ---- the numbers of clips ------------------------------------------------------------------ */

/* Whether nothing may show a clip of that number any more. */
static bool is_free(const pm_crowd_data *before, size_t id) {
    return id >= before->clip_count ||
           (!before->clips[id].exists &&
            before->removals - before->rows[id].removal >= PM_CROWD_REUSE_AFTER);
}

/* The least numbers that are free. Returns how many rows there are then. */
static size_t find_ids(const pm_crowd_data *before, uint32_t *ids, size_t count) {
    size_t at = 0;
    for (size_t n = 0; n < count; n++) {
        while (before && !is_free(before, at))
            at++;
        ids[n] = (uint32_t)at++;
    }
    return before && before->clip_count > at ? before->clip_count : at;
}

static pm_status remove_clips(pm_crowd_data *crowd, const pm_crowd_edit *edit, pm_error *error) {
    for (size_t n = 0; n < edit->removed_count; n++) {
        const uint32_t id = edit->removed[n];
        if (!pm_crowd_has_clip(crowd, id))
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "ids[%zu] is %u: there is no such clip, or it is listed twice", n, id);
        crowd->clips[id].exists = 0;
        crowd->rows[id] = (pm_clip_row){.removal = ++crowd->removals};
    }
    return PM_OK;
}

/* Kernels read clip 0 for inputs without effect: rows of clips that do not exist are those of one that does. */
static pm_status fill_gaps(pm_crowd_data *crowd, pm_error *error) {
    size_t first = 0;
    while (first < crowd->clip_count && !crowd->clips[first].exists)
        first++;
    if (first == crowd->clip_count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "no clip would be left, expected at least 1");
    for (size_t i = 0; i < crowd->clip_count; i++)
        if (!crowd->clips[i].exists) {
            crowd->clips[i] = crowd->clips[first];
            crowd->clips[i].exists = 0;
            crowd->rows[i].per_joint = crowd->rows[first].per_joint;
        }
    return PM_OK;
}

/* ---- versions ------------------------------------------------------------------------------ */

static pm_status copy_rows(pm_crowd_change *change, size_t count, pm_error *error) {
    const pm_crowd_data *before = change->before;
    pm_crowd_data *crowd = change->crowd;
    crowd->clip_count = count;
    crowd->clips = pm_allocate_zeroed(crowd->host, count, sizeof *crowd->clips);
    crowd->rows = pm_allocate_zeroed(crowd->host, count, sizeof *crowd->rows);
    if (!crowd->clips || !crowd->rows)
        return pm_fail_memory(error);
    if (before) {
        memcpy(crowd->clips, before->clips, before->clip_count * sizeof *crowd->clips);
        memcpy(crowd->rows, before->rows, before->clip_count * sizeof *crowd->rows);
    }
    const pm_status status = remove_clips(crowd, change->edit, error);
    for (size_t n = 0; n < change->edit->clip_count; n++)
        crowd->clips[change->ids[n]].exists = 1;
    return status;
}

/* A version without tables and joints. */
static pm_crowd_data *begin(const pm_host *host, const pm_skeleton *skeleton,
                            const pm_crowd_data *before) {
    pm_crowd_data *made = pm_allocate_zeroed(host, 1, sizeof *made);
    if (!made)
        return NULL;
    made->host = host;
    made->within = pm_host_within(host);
    made->skeleton = skeleton;
    made->instruction_set = pm_instruction_set_widest();
    made->padded_joints =
        (skeleton->joint_count + PM_TRACK_GROUP - 1) / PM_TRACK_GROUP * PM_TRACK_GROUP;
    if (!before)
        return made;
    made->instruction_set = before->instruction_set;
    made->per_joint = before->per_joint;
    made->removals = before->removals;
    made->kind = before->kind;
    memcpy(made->channels, before->channels, sizeof made->channels);
    return made;
}

static pm_status make(pm_crowd_change *change, size_t threads, pm_error *error) {
    const size_t count = find_ids(change->before, change->ids, change->edit->clip_count);
    if (count >= UINT32_MAX)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the number of clips is %zu, expected 1 to %u",
                       count, UINT32_MAX - 1);
    pm_status status = copy_rows(change, count, error);
    if (status == PM_OK)
        status = pm_crowd_build_clips(change, threads, error);
    return status == PM_OK ? fill_gaps(change->crowd, error) : status;
}

static pm_status change_crowd(const pm_host *host, const pm_skeleton *skeleton,
                              const pm_crowd_data *before, const pm_crowd_edit *edit,
                              size_t threads, pm_crowd_data **crowd, uint32_t *ids,
                              pm_error *error) {
    pm_crowd_change change = {
        .before = before, .edit = edit, .crowd = begin(host, skeleton, before)};
    pm_new_timelines_begin(host, &change.timelines, before);
    change.ids = pm_allocate_zeroed(host, edit->clip_count + 1, sizeof *change.ids);
    const bool has_memory = change.crowd && change.ids;
    const pm_status status = has_memory ? make(&change, threads, error) : pm_fail_memory(error);
    if (status == PM_OK && ids)
        memcpy(ids, change.ids, edit->clip_count * sizeof *ids);
    pm_new_timelines_free(&change.timelines);
    pm_release(change.ids);
    if (status == PM_OK)
        *crowd = change.crowd;
    else
        pm_crowd_data_free(&change.crowd);
    return status;
}

pm_status pm_crowd_data_change(const pm_crowd_data *before, const pm_crowd_edit *edit,
                               size_t threads, pm_crowd_data **crowd, uint32_t *ids,
                               pm_error *error) {
    return change_crowd(before->host, before->skeleton, before, edit, threads, crowd, ids, error);
}

pm_status pm_crowd_data_build(const pm_host *host, const pm_crowd_desc *desc, size_t threads,
                              pm_crowd_data **crowd, pm_error *error) {
    if (!desc->skeleton || !desc->clips)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       desc->skeleton ? "clips" : "skeleton");
    if (desc->clip_count == 0 || desc->clip_count >= UINT32_MAX)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the number of clips is %zu, expected 1 to %u",
                       desc->clip_count, UINT32_MAX - 1);
    const pm_crowd_edit edit = {.clips = desc->clips,
                                .markers = desc->markers,
                                .clip_count = desc->clip_count,
                                .spare_clips = desc->spare_clips};
    const pm_status status = PM_CHECK_NEXT(pm_crowd_desc, desc, error);
    return status == PM_OK
               ? change_crowd(host, desc->skeleton, NULL, &edit, threads, crowd, NULL, error)
               : status;
}

void pm_crowd_data_hold(const pm_crowd_data *crowd) {
    atomic_fetch_add(&((pm_crowd_data *)(uintptr_t)crowd)->holders, 1);
    atomic_fetch_add(&((pm_skeleton *)(uintptr_t)crowd->skeleton)->holders, 1);
}

void pm_crowd_data_free(pm_crowd_data **handle) {
    pm_crowd_data *crowd = *handle;
    *handle = NULL;
    if (!crowd || atomic_fetch_sub(&crowd->holders, 1) > 0)
        return;
    pm_tables_free(crowd);
    for (size_t i = 0; crowd->sets && i < crowd->skeleton->set_count; i++) {
        if (i > 0)
            pm_release(crowd->sets[i].joints);
        pm_release(crowd->sets[i].moved);
    }
    pm_release(crowd->sets);
    pm_release(crowd->joints);
    pm_release(crowd->rest);
    pm_release(crowd->binds);
    pm_release(crowd->clips);
    pm_release(crowd->rows);
    pm_release(crowd);
}

void pm_crowd_data_let(const pm_crowd_data *crowd) {
    pm_crowd_data *own = (pm_crowd_data *)(uintptr_t)crowd;
    pm_skeleton *skeleton = crowd ? (pm_skeleton *)(uintptr_t)crowd->skeleton : NULL;
    pm_crowd_data_free(&own);
    pm_skeleton_destroy(&skeleton);
}

pm_crowd_size pm_crowd_size_of(const pm_crowd_data *crowd, size_t set, uint64_t frame, size_t first,
                               size_t count) {
    pm_crowd_size size = {.frame = frame,
                          .first = first,
                          .instances = (pm_u32)count,
                          .entries = (pm_u32)count,
                          .posed = (pm_u32)crowd->skeleton->sets[set].count,
                          .joints = (pm_u32)crowd->skeleton->joint_count,
                          .clips = (pm_u32)crowd->clip_count,
                          .levels = (pm_u32)crowd->skeleton->level_count,
                          .masks = (pm_u32)crowd->skeleton->mask_count,
                          .per_joint = crowd->per_joint};
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        size.channels |= (pm_u32)crowd->channels[c].present << c;
    for (pm_u32 l = 0; l < size.levels; l++)
        size.levelled |=
            crowd->skeleton->levels[l].update_every > 1 || !crowd->skeleton->levels[l].whole;
    return size;
}
