/* SPDX-License-Identifier: MIT
 *
 * The markers of a crowd's clips: checked, and found by time. Rounds are counted by
 * division, so that no work depends on how many of them lie between two times.
 */
#include "markers.h"

#include <inttypes.h>

#include "layout.h"

/* ---- the description ---------------------------------------------------------------------- */

static pm_status check_marker(const pm_crowd_markers *own, size_t i, int64_t duration,
                              pm_error *error) {
    const pm_crowd_marker *marker = &own->markers[i];
    if (marker->tick < 0 || marker->tick > duration)
        return pm_fail(error, PM_ERROR_TIME,
                       "markers[%zu] is at tick %" PRId64 ", %.9g s, expected 0 to %" PRId64
                       ", the end of the clip",
                       i, marker->tick, (double)marker->tick / PM_TICKS_PER_SECOND, duration);
    if (i > 0 && marker->tick < own->markers[i - 1].tick)
        return pm_fail(error, PM_ERROR_TIME,
                       "markers[%zu] is at tick %" PRId64 ", before markers[%zu] at tick %" PRId64,
                       i, marker->tick, i - 1, own->markers[i - 1].tick);
    if (marker->reserved)
        return pm_fail(error, PM_ERROR_ARGUMENT, "markers[%zu].reserved is not 0", i);
    return PM_OK;
}

static pm_status check_clip(const pm_crowd_markers *own, int64_t duration, pm_error *error) {
    pm_status status = PM_CHECK_NEXT(pm_crowd_markers, own, error);
    if (status == PM_OK && own->count && !own->markers)
        status = pm_fail(error, PM_ERROR_ARGUMENT, "markers is NULL");
    if (status == PM_OK && own->count > UINT32_MAX)
        status = pm_fail(error, PM_ERROR_SIZE, "the number of markers is %zu, expected at most %u",
                         own->count, UINT32_MAX);
    for (size_t i = 0; status == PM_OK && i < own->count; i++)
        status = check_marker(own, i, duration, error);
    return status;
}

pm_status pm_crowd_check_markers(pm_crowd_change *change, pm_error *error) {
    const pm_crowd_markers *markers = change->edit->markers;
    for (size_t n = 0; markers && n < change->edit->clip_count; n++) {
        pm_clip_row *row = &change->crowd->rows[change->ids[n]];
        const pm_status status = check_clip(&markers[n], row->ticks, error);
        if (status != PM_OK)
            return pm_crowd_name_clip(n, status, error);
        row->count[PM_TABLE_MARKERS] = markers[n].count;
    }
    return PM_OK;
}

/* ---- courses ------------------------------------------------------------------------------ */

pm_course pm_course_of(const pm_crowd_data *crowd, size_t clip, bool clamps) {
    const pm_u64 cycle = (pm_u64)crowd->rows[clip].ticks;
    pm_course course = {.cycle = cycle, .is_once = clamps || cycle == 0};
    if (crowd->markers) {
        course.markers = crowd->markers + crowd->rows[clip].begin[PM_TABLE_MARKERS];
        course.count = crowd->rows[clip].count[PM_TABLE_MARKERS];
    }
    return course;
}

/* The number of markers of a round at ticks below `tick`. The steps depend on the count alone, so
 * that processors predict them. */
static size_t markers_below(const pm_course *course, pm_u64 tick) {
    size_t from = 0, left = course->count;
    while (left > 1) {
        const size_t half = left / 2;
        from += (pm_u64)course->markers[from + half - 1].tick < tick ? half : 0;
        left -= half;
    }
    return from + (left && (pm_u64)course->markers[from].tick < tick);
}

/* A time as a round and a tick in it, below the length of a round. A course of one round has the
 * ticks behind its end too. */
typedef struct split_time {
    pm_i128 round;
    pm_u64 tick;
    bool is_before; /* a course of one round: before it begins */
} split_time;

static split_time split(const pm_course *course, int64_t time) {
    if (course->is_once)
        return (split_time){0, time < 0 ? 0 : (pm_u64)time, time < 0};
    if (time >= 0)
        return (split_time){.round = (pm_u64)time / course->cycle,
                            .tick = (pm_u64)time % course->cycle};
    const pm_u64 back = (pm_u64)(-1 - time);
    return (split_time){.round = -1 - (pm_i128)(back / course->cycle),
                        .tick = course->cycle - 1 - back % course->cycle};
}

pm_i128 pm_course_behind(const pm_course *course, int64_t time) {
    const split_time at = split(course, time);
    if (at.is_before)
        return 0;
    return at.round * (pm_i128)course->count + (pm_i128)markers_below(course, at.tick + 1);
}

/* Markers at the end of a round are at the time at which the next one begins. */
pm_i128 pm_course_from(const pm_course *course, int64_t time) {
    const split_time at = split(course, time);
    if (at.is_before)
        return 0;
    size_t below = markers_below(course, at.tick), ends = 0;
    if (!course->is_once && at.tick == 0)
        ends = course->count - markers_below(course, course->cycle);
    return at.round * (pm_i128)course->count + (pm_i128)below - (pm_i128)ends;
}

pm_course_place pm_course_at(const pm_course *course, pm_i128 number) {
    const pm_i128 count = (pm_i128)course->count;
    const pm_i128 round = number >= 0 ? number / count : -1 - (-1 - number) / count;
    return (pm_course_place){round, (size_t)(number - round * count)};
}

pm_i128 pm_course_time(const pm_course *course, pm_course_place place) {
    return place.round * (pm_i128)course->cycle + course->markers[place.marker].tick;
}
