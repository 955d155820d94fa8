/* SPDX-License-Identifier: MIT
 *
 * Synchronised times: where another clip is between the same two sync marks, by the same fraction
 * of the way. The marks whose ids both clips have are two sequences without end. They are matched
 * one to one, beginning with the least rotation of each. The rule is symmetric, so that the map
 * from one clip to the other and the map back are inverse.
 */
#include <stdlib.h>
#include <string.h>

#include "markers.h"

/* ---- marks in common ---------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_sync_mark(const pm_crowd_marker *marker) {
    return marker->id >= PM_CROWD_FIRST_SYNC_ID;
}

/* Writes the sync marks of `course` whose ids `other` has to `kept`; returns their number. `ids`
 * has room for those of `other`. */
static size_t keep_common(const pm_course *course, const pm_course *other, uint32_t *ids,
                          pm_crowd_marker *kept) {
    size_t id_count = 0, kept_count = 0;
    for (size_t i = 0; i < other->count; i++)
        if (is_sync_mark(&other->markers[i]))
            ids[id_count++] = other->markers[i].id;
    qsort(ids, id_count, sizeof *ids, compare_ids);
    for (size_t i = 0; i < course->count; i++)
        if (is_sync_mark(&course->markers[i]) &&
            bsearch(&course->markers[i].id, ids, id_count, sizeof *ids, compare_ids))
            kept[kept_count++] = course->markers[i];
    return kept_count;
}

/* ---- matching ----------------------------------------------------------------------------- */

static uint32_t id_at(const pm_course *course, size_t i) {
    return course->markers[i % course->count].id;
}

/* Where the least rotation of the ids begins: the first such place. */
static size_t least_rotation(const pm_course *course) {
    size_t i = 0, j = 1, equal = 0;
    while (i < course->count && j < course->count && equal < course->count) {
        const uint32_t a = id_at(course, i + equal), b = id_at(course, j + equal);
        if (a == b) {
            equal++;
            continue;
        }
        *(a > b ? &i : &j) += equal + 1;
        j += i == j;
        equal = 0;
    }
    return i < j ? i : j;
}

/* Whether the ids of both courses are the same without end. Two sequences are, if they are for as
 * long as both their periods together. */
static bool are_alike(const pm_course *a, size_t from_a, const pm_course *b, size_t from_b) {
    for (size_t i = 0; i < a->count + b->count; i++)
        if (id_at(a, from_a + i) != id_at(b, from_b + i))
            return false;
    return true;
}

/* The time between two marks of `to` that is the same fraction of the way, to the nearest tick.
 * Spans are at most 2^62. */
static pm_i128 between(const pm_course *from, pm_i128 mark, int64_t time, const pm_course *to,
                       pm_i128 match) {
    const pm_i128 begin = pm_course_time(from, pm_course_at(from, mark));
    const pm_i128 span = pm_course_time(from, pm_course_at(from, mark + 1)) - begin;
    const pm_i128 to_begin = pm_course_time(to, pm_course_at(to, match));
    const pm_i128 to_span = pm_course_time(to, pm_course_at(to, match + 1)) - to_begin;
    return to_begin + ((time - begin) * to_span + span / 2) / span;
}

/* The courses have marks in common, and nothing else. */
static pm_status map(const pm_course *from, const pm_course *to, int64_t time, int64_t *synced,
                     pm_error *error) {
    const size_t first = least_rotation(from), match = least_rotation(to);
    if (!are_alike(from, first, to, match))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the sync marks of the two clips come in different orders");
    const pm_i128 mark = pm_course_behind(from, time) - 1;
    const pm_i128 found = between(from, mark, time, to, mark + (pm_i128)match - (pm_i128)first);
    if (found < INT64_MIN || found > INT64_MAX)
        return pm_fail(error, PM_ERROR_TIME, "the time in the other clip does not fit int64_t");
    *synced = (int64_t)found;
    return PM_OK;
}

/* ---- the call ----------------------------------------------------------------------------- */

static pm_status check_clip(const pm_crowd_data *crowd, const char *name, size_t clip,
                            pm_error *error) {
    if (clip >= crowd->clip_count)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s is %zu, expected a number below that of clips, %zu", name, clip,
                       crowd->clip_count);
    if (!pm_crowd_has_clip(crowd, clip))
        return pm_fail(error, PM_ERROR_ARGUMENT, "clips[%zu] was removed", clip);
    if (crowd->rows[clip].ticks == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "clips[%zu] has no duration", clip);
    return PM_OK;
}

pm_status pm_synced_time_find(const pm_crowd_data *crowd, size_t clip, int64_t time, size_t other,
                              int64_t *synced, pm_error *error) {
    pm_status status = check_clip(crowd, "clip", clip, error);
    if (status == PM_OK)
        status = check_clip(crowd, "other", other, error);
    if (status != PM_OK)
        return status;
    pm_course from = pm_course_of(crowd, clip, false), to = pm_course_of(crowd, other, false);
    const size_t room = from.count + to.count; /* below 2^33 */
    pm_crowd_marker *kept = pm_allocate(crowd->host, room * (sizeof *kept + sizeof(uint32_t)) + 1);
    if (!kept)
        return pm_fail_memory(error);
    uint32_t *ids = (uint32_t *)(void *)(kept + room);
    pm_course kept_from = from, kept_to = to;
    kept_from.markers = kept;
    kept_to.markers = kept + from.count;
    kept_from.count = keep_common(&from, &to, ids, kept);
    kept_to.count = keep_common(&to, &from, ids, kept + from.count);
    if (kept_from.count)
        status = map(&kept_from, &kept_to, time, synced, error);
    else
        status = pm_fail(error, PM_ERROR_ARGUMENT,
                         "clips[%zu] and clips[%zu] have no sync mark in common", clip, other);
    pm_release(kept);
    return status;
}
