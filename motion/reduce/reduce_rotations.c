/* SPDX-License-Identifier: MIT
 *
 * Reduces arrays of rotations: each track is a channel of its own.
 */
#include <math.h>
#include <stdlib.h>

#include "motion/base/fault.h"
#include "motion/base/parallel.h"
#include "motion/model/evaluate.h"
#include "motion/reduce/channel.h"

static const double radians_per_degree = 0.017453292519943295, length_tolerance = 1e-3;

typedef struct reducing {
    reduced_channel *tracks;
    pm_motion_channel *channels;
    reduce_limits limits;
    bool *kept;
    size_t count;
    bool *lacks_memory; /* by track */
} reducing;

static pm_status check_times(const pm_timeline *timeline, pm_error *error) {
    for (size_t k = 0; k < timeline->key_count; k++) {
        const double time = evaluate_key_time(timeline, k);
        const double written = (double)(float)time;
        if (!isfinite(written))
            return motion_fail(error, PM_ERROR_TIME, "times[%zu] is %g, expected a finite number",
                               k, time);
        if (k > 0 && !(written > (double)(float)evaluate_key_time(timeline, k - 1)))
            return motion_fail(error, PM_ERROR_TIME,
                               "times[%zu] is %.9g, which does not rise in float32", k, time);
    }
    return PM_OK;
}

static pm_status check_keys(const pm_motion_channel *channel, size_t keys, size_t track,
                            pm_error *error) {
    for (size_t k = 0; k < keys; k++) {
        double length2 = 0;
        for (uint32_t i = 0; i < 4; i++) {
            const double number = evaluate_number(&channel->keys, 4, k, i);
            length2 += number * number;
        }
        if (!(fabs(sqrt(length2) - 1) <= length_tolerance))
            return motion_fail(error, PM_ERROR_KEY,
                               "key %zu of track %zu has length %g, expected 1", k, track,
                               sqrt(length2));
    }
    return PM_OK;
}

static pm_status check(const pm_timeline *timeline, const pm_array *keys, size_t tracks,
                       double degrees, pm_method curve, const bool *kept, pm_error *error) {
    if (!timeline || !keys || !keys->data || !kept)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !timeline ? "timeline"
                           : !kept   ? "kept"
                                     : "keys");
    if (timeline->key_count == 0 || tracks == 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is 0",
                           tracks == 0 ? "tracks" : "key_count");
    if (!timeline->times && !(timeline->rate.num > 0 && timeline->rate.den > 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "times is NULL, and rate is not above 0");
    if (!(degrees > 0 && degrees <= 180))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "degrees is %g, expected a number above 0, up to 180", degrees);
    const pm_method_info *info = pm_method_get_info(curve);
    if (!info || (curve != PM_METHOD_SLERP && !method_curve_knows(curve)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "curve is %s, expected slerp, squad, hermite or spline",
                           info ? info->name : "no pm_method");
    return check_times(timeline, error);
}

static void set_track(reducing *r, const pm_timeline *timeline, const pm_array *keys,
                      size_t index) {
    const size_t size = keys->type == PM_FLOAT32 ? sizeof(float) : sizeof(double);
    const size_t stride = keys->stride ? keys->stride : r->count * 4 * size;
    r->channels[index] =
        (pm_motion_channel){.node = -1,
                            .path = PM_MOTION_ROTATION,
                            .components = 4,
                            .keys = {.data = (const char *)keys->data + index * 4 * size,
                                     .type = keys->type,
                                     .stride = stride},
                            .name = {"", 0}};
    r->tracks[index] = (reduced_channel){.source = {&r->channels[index], timeline, NULL, 0, NULL},
                                         .index = index,
                                         .is_reduced = true,
                                         .is_stale = true,
                                         .count = timeline->key_count};
}

/* The keys of a track, and their bound. */
static void reduce_track(void *user, size_t index) {
    reducing *r = user;
    reduced_channel *c = &r->tracks[index];
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    pm_motion_channel channel;
    pm_timeline timeline;
    reduce_find_keys(c, &r->limits);
    r->lacks_memory[index] = c->end != PATH_FOUND;
    if (c->end == PATH_FOUND) {
        timeline = reduce_make_timeline(c, &arena);
        r->lacks_memory[index] = !timeline.times || !reduce_make_channel(c, &arena, &channel);
    }
    if (!r->lacks_memory[index]) {
        c->result = (certified){&channel, &timeline, NULL, 0, NULL};
        reduce_certify(c, &r->limits);
        r->lacks_memory[index] = c->end != PATH_FOUND;
        for (size_t k = 0; k < c->source.timeline->key_count; k++)
            r->kept[k * r->count + index] = !c->keys;
        for (size_t k = 0; c->keys && k < c->count; k++)
            r->kept[c->keys[k] * r->count + index] = true;
    }
    reduce_begin(c);
}

static pm_status collect(const reducing *r, double *bounds, pm_error *error) {
    for (size_t t = 0; t < r->count; t++) {
        const double bound = r->tracks[t].error.bound;
        if (r->lacks_memory[t])
            return motion_refuse_memory(error);
        if (bound > r->limits.angle) {
            motion_fail(error, PM_ERROR_ARGUMENT,
                        "%s through the keys of track %zu in float32 is %.3g degrees from the "
                        "source at %.9g s, more than the bound of %.3g",
                        pm_method_get_info(r->limits.curve)->name, t, bound / radians_per_degree,
                        r->tracks[t].error.time, r->limits.angle / radians_per_degree);
            if (method_curve_knows(r->limits.curve))
                motion_hint(error, REDUCE_CURVE_HINT);
            return PM_ERROR_ARGUMENT;
        }
        if (bounds)
            bounds[t] = bound / radians_per_degree;
    }
    return PM_OK;
}

pm_status pm_motion_reduce_rotations(const pm_timeline *timeline, const pm_array *keys,
                                     size_t tracks, double degrees, pm_method curve,
                                     uint32_t threads, bool *kept, double *bounds,
                                     pm_error *error) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    MOTION_TRY(check(timeline, keys, tracks, degrees, curve, kept, error));
    reducing r = {
        .tracks = motion_allocate(&arena, tracks, sizeof *r.tracks),
        .channels = motion_allocate(&arena, tracks, sizeof *r.channels),
        .limits = {.angle = degrees * radians_per_degree, .curve = curve, .has_curve = true},
        .kept = kept,
        .count = tracks,
        .lacks_memory = motion_allocate(&arena, tracks, sizeof *r.lacks_memory)};
    const motion_work work = {reduce_track, NULL, &r};
    MOTION_TRY_MEMORY(r.tracks && r.channels && r.lacks_memory, error);
    for (size_t t = 0; t < tracks; t++) {
        set_track(&r, timeline, keys, t);
        MOTION_TRY(check_keys(&r.channels[t], timeline->key_count, t, error));
    }
    motion_run_parallel(threads, tracks, &work);
    return collect(&r, bounds, error);
}
