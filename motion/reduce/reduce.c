/* SPDX-License-Identifier: MIT
 *
 * Reduces a motion: a copy whose channels have fewer keys. Channels are searched on threads, then made
 * one after another, then certified on threads.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/parallel.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/figure.h"
#include "motion/model/made.h"
#include "motion/model/names.h"
#include "motion/model/summary.h"
#include "motion/reduce/channel.h"
#include "motion/reduce/reduction.h"
#include "motion/reduce/stamped.h"

static const double radians_per_degree = 0.017453292519943295;

typedef struct reducing {
    const pm_motion *motion;
    const pm_motion_content *source;
    pm_motion_reduce_options options; /* with its defaults */
    reduce_limits limits;
    bool is_usual_position, is_usual_scale; /* these limits are defaults, which refuse nothing */
    reduced_channel *channels;              /* of all clips */
    size_t count;
    size_t *first; /* of each clip, among them */
    motion_arena scratch;
    pm_motion *to;
    reach_set reach;                /* with a distance */
    pm_motion_error_bound distance; /* `channel` is a node here */
    size_t distance_clip;
    size_t told;     /* channels that are done, of which progress was told */
    size_t loops[3]; /* clips, by loop_kind */
    size_t base;     /* the clip to which others are added; SIZE_MAX: none */
} reducing;

/* ---- checks -------------------------------------------------------------------------------- */

static pm_status check_numbers(const pm_motion_reduce_options *o, pm_error *error) {
    if (o->has_angle && !(o->angle > 0 && o->angle <= 180))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "angle is %g degrees, expected a number above 0, up to 180", o->angle);
    if (!(isfinite(o->position) && o->position >= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "position is %g, expected a length from 0 on",
                           o->position);
    if (!(isfinite(o->scale_error) && o->scale_error >= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "scale_error is %g, expected a ratio from 0 on", o->scale_error);
    if (!(isfinite(o->distance) && o->distance >= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "distance is %g, expected a length from 0 on",
                           o->distance);
    return reach_check_at(o->at, error);
}

pm_status reduction_check_options(const pm_motion_reduce_options *o, pm_error *error) {
    if ((unsigned)o->preset > PM_MOTION_REDUCE_FILM)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "preset is %d, which is no pm_motion_reduce_preset", (int)o->preset);
    const pm_method_info *curve = pm_method_get_info(o->curve);
    if (!curve)
        return motion_fail(error, PM_ERROR_ARGUMENT, "curve is %d, which is no pm_method",
                           (int)o->curve);
    if (o->curve != PM_METHOD_SLERP && o->curve != PM_METHOD_CUBICSPLINE &&
        !method_curve_knows(o->curve))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "curve is %s, expected slerp, cubicspline, squad, hermite or spline",
                           curve->name);
    if (o->additive && o->distance == 0)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "additive", "requires a distance");
    if (o->smooth && o->curve != PM_METHOD_CUBICSPLINE)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "smooth",
                                  "requires the curve cubicspline");
    if (o->loop && method_curve_knows(o->curve))
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "loop",
                                  "cannot be combined with the curve %s", curve->name);
    if (o->curve == PM_METHOD_CUBICSPLINE && o->common)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "curve",
                                  "cubicspline cannot be combined with common");
    MOTION_TRY(check_numbers(o, error));
    if (o->curve == PM_METHOD_CUBICSPLINE && o->quantize && !o->compress)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "curve",
                                  "tangents of cubicspline do not fit in what quantize writes");
    return MOTION_CHECK_NEXT(pm_motion_reduce_options, o, error);
}

static pm_status check_options(const pm_motion_content *source, const pm_motion_reduce_options *o,
                               pm_error *error) {
    if (o->distance > 0 && source->node_count == 0)
        return motion_fail(error, PM_ERROR_FILE, "has no nodes; a distance requires a skeleton");
    if (o->clip_count > 0 && !o->clips)
        return motion_fail(error, PM_ERROR_ARGUMENT, "clips is NULL");
    for (size_t i = 0; i < o->clip_count; i++)
        if (o->clips[i] >= source->clip_count)
            return motion_fail(error, PM_ERROR_ARGUMENT, "clips[%zu] is %zu of %zu clips", i,
                               o->clips[i], source->clip_count);
    return reduction_check_options(o, error);
}

/* "rest", or the name of a clip. */
static pm_status find_base(const pm_motion_content *source, const char *name, size_t *base,
                           pm_error *error) {
    *base = SIZE_MAX;
    for (size_t i = 0; name && *base == SIZE_MAX && i < source->clip_count; i++)
        if (source->clips[i].name.size == strlen(name) &&
            memcmp(source->clips[i].name.text, name, strlen(name)) == 0)
            *base = i;
    if (!name || (*base != SIZE_MAX) != (strcmp(name, "rest") == 0))
        return PM_OK;
    return *base == SIZE_MAX
               ? motion_fail_option(error, PM_ERROR_ARGUMENT, "additive", "no clip has the name %s",
                                    MOTION_SHOWN(name, strlen(name)))
               : motion_fail_option(error, PM_ERROR_ARGUMENT, "additive",
                                    "rest is the rest pose, and clip %zu has this name", *base);
}

static bool is_chosen(const pm_motion_reduce_options *o, size_t clip) {
    bool is_listed = !o->clips;
    for (size_t i = 0; o->clips && i < o->clip_count; i++)
        is_listed = is_listed || o->clips[i] == clip;
    return is_listed;
}

/* ---- the search ---------------------------------------------------------------------------- */

/* What a length of a channel is in model space, at most. What scales of 0 hide may be anywhere. */
static double growth_of(const reducing *r, const pm_motion_channel *channel, const double *growth) {
    const int32_t parent = channel->node >= 0 ? r->source->nodes[channel->node].parent : -1;
    return channel->path == PM_MOTION_POSITION && parent >= 0 && growth[parent] > 0 ? growth[parent]
                                                                                    : 1;
}

static pm_status list_channels(reducing *r, pm_error *error) {
    r->first = motion_allocate(&r->scratch, r->source->clip_count + 1, sizeof *r->first);
    for (size_t i = 0; r->first && i < r->source->clip_count; i++)
        r->first[i + 1] = r->first[i] + r->source->clips[i].channel_count;
    r->count = r->first ? r->first[r->source->clip_count] : 0;
    r->channels = motion_allocate(&r->scratch, r->count, sizeof *r->channels);
    MOTION_TRY_MEMORY(r->first && r->channels, error);
    for (size_t i = 0; i < r->source->clip_count; i++) {
        const pm_motion_clip *clip = &r->source->clips[i];
        const double *growth = reach_find_growth(r->source, clip, &r->scratch);
        MOTION_TRY_MEMORY(growth, error);
        for (size_t c = 0; c < clip->channel_count; c++) {
            const pm_motion_channel *channel = &clip->channels[c];
            r->channels[r->first[i] + c] = (reduced_channel){
                .source = {channel, &clip->timelines[channel->timeline], NULL, 0, NULL},
                .clip = i,
                .index = c,
                .growth = growth_of(r, channel, growth),
                .rest = channel->node >= 0 && channel->path <= PM_MOTION_SCALE
                            ? evaluate_rest_value(&r->source->nodes[channel->node], channel->path)
                            : NULL,
                .is_stale = true,
                .is_reduced =
                    is_chosen(&r->options, i) && channel->interpolation == PM_MOTION_LINEAR,
                .count = clip->timelines[channel->timeline].key_count};
        }
    }
    return PM_OK;
}

/* ---- defaults ------------------------------------------------------------------------------ */

/* A part of the figure's size that nobody sees: what exporters add by converting numbers is less. */
static const double unseen = 1e-5;

/* What two roundings to float32 may change of a number. */
static const double noise = 0x1p-22;

/* The largest coordinate of the positions that are reduced, in model space. */
static double largest_place(const reducing *r) {
    double largest = 0;
    for (size_t i = 0; i < r->count; i++) {
        const reduced_channel *c = &r->channels[i];
        const pm_motion_channel *channel = c->source.channel;
        for (size_t k = 0; channel->path == PM_MOTION_POSITION && is_chosen(&r->options, c->clip) &&
                           k < c->source.timeline->key_count;
             k++)
            for (uint32_t n = 0; n < channel->components; n++)
                largest = fmax(
                    largest,
                    c->growth * fabs(evaluate_number(&channel->keys, channel->components, k, n)));
    }
    return largest;
}

/* glTF has metres. */
static reduce_limits limits_of(const pm_motion_reduce_options *o, const pm_motion_content *source) {
    return (reduce_limits){.angle = o->angle * radians_per_degree,
                           .position = o->position,
                           .scale = o->scale_error,
                           .curve = o->curve,
                           .is_smooth = o->smooth,
                           .packing = {o->quantize, o->compress},
                           .cancel = o->cancel,
                           .unit = source->unit_mm > 0 ? source->unit_mm / 1000 : 1};
}

/* Channels of positions and scales that move, of the chain that has most of them: their errors add up.
 * SIZE_MAX: memory is exhausted. */
static size_t most_in_chain(reducing *r) {
    size_t most = 0;
    size_t *moving = motion_allocate(&r->scratch, r->source->node_count, sizeof *moving);
    if (!moving)
        return SIZE_MAX;
    for (size_t i = 0; i < r->source->clip_count; i++) {
        memset(moving, 0, r->source->node_count * sizeof *moving);
        for (size_t c = r->first[i]; c < r->first[i + 1]; c++) {
            const pm_motion_channel *channel = r->channels[c].source.channel;
            if (channel->node >= 0 && r->channels[c].is_reduced &&
                (channel->path == PM_MOTION_POSITION || channel->path == PM_MOTION_SCALE))
                moving[channel->node] += reduce_moves(&r->channels[c]);
        }
        for (size_t n = 0; n < r->source->node_count; n++) {
            size_t sum = 0;
            for (int32_t at = (int32_t)n; at >= 0; at = r->source->nodes[at].parent)
                sum += moving[at];
            most = sum > most ? sum : most;
        }
    }
    return most;
}

/* With a distance, what the errors of a chain add up to leaves most of it to the rotations. */
static pm_status add_usual_limits(reducing *r, pm_error *error) {
    pm_motion_reduce_options *o = &r->options;
    r->is_usual_position = !o->has_position && o->position == 0;
    r->is_usual_scale = !o->has_scale_error && o->scale_error == 0;
    const bool is_shared = r->is_usual_scale && o->distance > 0;
    const double size = r->is_usual_position || is_shared ? motion_figure_size(r->source) : 0;
    const size_t most = o->distance > 0 ? most_in_chain(r) : 0;
    const double share = o->distance / 8 / fmax((double)most, 1);
    if (r->is_usual_position)
        o->position = o->distance > 0 ? share : fmax(unseen * size, noise * largest_place(r));
    if (r->is_usual_scale)
        o->scale_error = o->distance > 0 ? share / fmax(size + fmax(o->at, 0), DBL_MIN) : unseen;
    r->limits = limits_of(o, r->source);
    r->limits.shares_position = r->is_usual_position && o->distance > 0;
    r->to->packing = r->limits.packing;
    r->to->must_be_smaller = !o->loop;
    return most < SIZE_MAX ? PM_OK : motion_refuse_memory(error);
}

static void find_keys(void *user, size_t index) {
    reducing *r = user;
    if (r->channels[index].is_stale)
        reduce_find_keys(&r->channels[index], &r->limits);
}

/* Of a clip that is searched more than once, progress does not begin again. */
static void tell_progress(void *user, size_t done) {
    reducing *r = user;
    if (r->options.progress && done > r->told)
        r->options.progress(r->options.progress_user, done, r->count);
    r->told = done > r->told ? done : r->told;
}

/* Adds the keys that a loop and common times take. */
static pm_status add_keys(reducing *r, pm_error *error) {
    const double size = r->options.loop ? motion_figure_size(r->source) : 0;
    for (size_t i = 0; i < r->source->clip_count; i++) {
        const loop_request request = {.content = r->source,
                                      .rate = r->source->clips[i].rate,
                                      .size = size,
                                      .channels = r->channels + r->first[i],
                                      .count = r->source->clips[i].channel_count,
                                      .arena = &r->scratch};
        loop_kind kind;
        if (!is_chosen(&r->options, i))
            continue;
        if (r->options.loop) {
            MOTION_TRY(reduce_close_loop(&request, &kind, error));
            r->loops[kind]++;
        }
        if (r->options.common)
            MOTION_TRY(reduce_unite_times(request.channels, request.count, request.arena, error));
    }
    return PM_OK;
}

/* The channels of a clip that have more than one key. */
static pm_status find_common(reducing *r, size_t clip, pm_error *error) {
    const size_t all = r->source->clips[clip].channel_count;
    reduced_channel **set = motion_allocate(&r->scratch, all, sizeof(reduced_channel *));
    size_t count = 0;
    MOTION_TRY_MEMORY(set, error);
    for (size_t c = 0; c < all; c++) {
        reduced_channel *channel = &r->channels[r->first[clip] + c];
        if (!channel->is_reduced || channel->source.timeline->key_count < 2)
            continue;
        channel->group = 1;
        set[count++] = channel;
    }
    reduce_find_common_keys(set, count, &r->limits);
    return PM_OK;
}

static pm_status check_found(const reducing *r, pm_error *error) {
    for (size_t i = 0; i < r->count; i++) {
        const reduced_channel *c = &r->channels[i];
        if (c->end == PATH_NO_MEMORY)
            return motion_refuse_memory(error);
        if (c->end == PATH_NONE)
            return motion_refuse(error,
                                 "clip %zu: keys %zu and %zu of channel %zu are both at %.9g s in "
                                 "float32",
                                 c->clip, c->count - 1, c->count, c->index,
                                 evaluate_key_time(c->source.timeline, c->count));
    }
    return PM_OK;
}

/* The channels of a clip that are stale, or all of them where their keys are common. */
typedef struct clip_search {
    reducing *r;
    size_t clip;
} clip_search;

static void find_in_clip(void *user, size_t index) {
    const clip_search *s = user;
    find_keys(s->r, s->r->first[s->clip] + index);
}

/* Channels that share times, of those groups in which one is stale. */
static void find_groups(reducing *r, size_t clip) {
    for (size_t c = r->first[clip]; c < r->first[clip + 1]; c++) {
        SCOPED(motion_arena_release) motion_arena arena = {NULL};
        const size_t group = r->channels[c].group;
        size_t count = 0;
        if (group == 0 || !r->channels[c].is_stale)
            continue;
        reduced_channel **set =
            motion_allocate(&arena, r->first[clip + 1] - r->first[clip], sizeof(reduced_channel *));
        for (size_t i = r->first[clip]; set && i < r->first[clip + 1]; i++)
            if (r->channels[i].group == group)
                set[count++] = &r->channels[i];
        r->channels[c].end = PATH_NO_MEMORY;
        reduce_find_common_keys(set, count, &r->limits);
    }
}

static pm_status find_clip(void *user, pm_error *error) {
    const clip_search *s = user;
    const motion_work work = {find_in_clip, NULL, user};
    reducing *r = s->r;
    if (r->options.common) {
        const pm_status status = find_common(r, s->clip, error);
        return status == PM_OK ? check_found(r, error) : status;
    }
    find_groups(r, s->clip);
    motion_run_parallel(r->options.threads, r->source->clips[s->clip].channel_count, &work);
    return check_found(r, error);
}

static void tell_part(void *user, double part) {
    const clip_search *s = user;
    const size_t count = s->r->source->clips[s->clip].channel_count;
    tell_progress(s->r, s->r->first[s->clip] + (size_t)(part * (double)count));
}

static void begin_again(reducing *r, size_t clip) {
    for (size_t c = r->first[clip]; c < r->first[clip + 1]; c++) {
        free(r->channels[c].limits);
        r->channels[c].limits = NULL;
        reduce_begin(&r->channels[c]);
        r->channels[c].group = 0;
        r->channels[c].is_stale = true;
    }
}

/* False: no limit is a default. */
static bool drop_usual_limits(reducing *r, size_t clip) {
    if (!r->is_usual_position && !r->is_usual_scale)
        return false;
    if (r->is_usual_position)
        r->limits.position = r->options.position = 0;
    r->limits.shares_position = false;
    if (r->is_usual_scale)
        r->limits.scale = r->options.scale_error = 0;
    r->is_usual_position = r->is_usual_scale = false;
    begin_again(r, clip);
    return true;
}

/* Whether some rotations of a clip were packed, which is given up: where the distance is as small as what they are
 * rounded by. */
static bool drop_packing(reducing *r, size_t clip) {
    bool any = false;
    for (size_t c = r->first[clip]; c < r->first[clip + 1]; c++) {
        any = any || r->channels[c].form.bits > 0;
        r->channels[c].packs_not = true;
        r->channels[c].form = (key_form){0};
        r->channels[c].slack = 0;
    }
    if (any)
        begin_again(r, clip);
    return any;
}

/* Gives up a method whose curves leave the distance even through all keys: the rotations of a clip keep slerp. */
static bool drop_curve(reducing *r, size_t clip, const pm_error *error) {
    bool any = false;
    for (size_t c = r->first[clip]; c < r->first[clip + 1]; c++) {
        reduced_channel *channel = &r->channels[c];
        if (!channel->is_reduced || !reduce_has_curve(channel, r->limits.curve))
            continue;
        channel->keeps_slerp = any = true;
        reduce_note(channel, "keeps slerp: %s", error ? error->message : "its curve is too far");
    }
    if (any)
        begin_again(r, clip);
    return any;
}

/* A distance is of linear positions and scales: what has others keeps its keys. */
static bool keep_cubics(reducing *r, size_t clip) {
    bool any = false;
    for (size_t c = r->first[clip]; c < r->first[clip + 1]; c++) {
        const pm_motion_channel *channel = r->channels[c].source.channel;
        if (channel->interpolation != PM_MOTION_CUBICSPLINE || channel->node < 0 ||
            (channel->path != PM_MOTION_POSITION && channel->path != PM_MOTION_SCALE))
            continue;
        any = true;
        reduce_note(&r->channels[c],
                    "is a cubic spline, of which no distance is bounded: the clip keeps its keys");
    }
    for (size_t c = r->first[clip]; any && c < r->first[clip + 1]; c++)
        r->channels[c].is_reduced = false;
    return any;
}

/* Whether times are shared where that is smaller. */
static bool has_groups(const reducing *r) {
    return (r->limits.packing.quantizes || r->limits.packing.compresses) && !r->options.common;
}

static pm_status merge_clip(reducing *r, size_t clip, pm_error *error) {
    const path_end end =
        merge_times(r->channels + r->first[clip], r->source->clips[clip].channel_count, &r->limits);
    return end == PATH_NO_MEMORY ? motion_refuse_memory(error) : PM_OK;
}

static pm_status share_clip(reducing *r, size_t clip, pm_error *error) {
    clip_search search = {r, clip};
    space_result result;
    share_request request = {
        .content = r->source,
        .clip = &r->source->clips[clip],
        .channels = r->channels + r->first[clip],
        .count = r->source->clips[clip].channel_count,
        .distance = r->options.distance,
        .points = reach_of_clip(&r->reach, r->source, &r->source->clips[clip], &r->scratch),
        .curve = r->options.curve,
        .limits = &r->limits,
        .is_common = r->options.common,
        .is_packed = r->limits.packing.quantizes,
        .is_last = !has_groups(r),
        .is_additive = r->options.additive && clip != r->base,
        .base = r->base < SIZE_MAX ? &r->source->clips[r->base] : NULL,
        .find = find_clip,
        .tell = tell_part,
        .user = &search};
    MOTION_TRY_MEMORY(request.points, error);
    pm_status status = share_distance(&request, &result, error);
    if (status == PM_OK && has_groups(r)) {
        status = merge_clip(r, clip, error);
        request.is_last = true;
        if (status == PM_OK)
            status = share_distance(&request, &result, error);
    }
    if (status == PM_ERROR_ARGUMENT && drop_curve(r, clip, error)) {
        request.curve = PM_METHOD_SLERP;
        status = share_distance(&request, &result, error);
    }
    if (status == PM_ERROR_ARGUMENT && drop_packing(r, clip))
        status = share_distance(&request, &result, error);
    if (status == PM_ERROR_ARGUMENT && drop_usual_limits(r, clip))
        status = share_distance(&request, &result, error);
    if (status == PM_ERROR_ARGUMENT && error && !error->hint &&
        (r->limits.position > 0 || r->limits.scale > 0))
        motion_hint(error, "errors of positions and scales add up down the chain, and count as "
                           "distances: give smaller ones, or none");
    if (status == PM_OK && (isnan(r->distance.key_time) || result.found > r->distance.found)) {
        const double bound = fmax(r->distance.bound, result.bound);
        r->distance = (pm_motion_error_bound){result.found, bound, result.time, result.pair};
        r->distance_clip = clip;
    }
    r->distance.bound = fmax(r->distance.bound, result.bound);
    return status;
}

static pm_status search_clip(reducing *r, size_t clip, pm_error *error) {
    return r->options.distance == 0 || !is_chosen(&r->options, clip) ||
                   r->source->clips[clip].channel_count == 0 || keep_cubics(r, clip)
               ? find_clip(&(clip_search){r, clip}, error)
               : share_clip(r, clip, error);
}

/* 10 cm or, of an unknown unit, as much of a figure of 1.7 m. */
static pm_status find_default_at(const pm_motion_content *content, double *at, pm_error *error) {
    *at = 0;
    if (content->unit_mm == 0)
        MOTION_TRY(motion_find_size(content, at, error));
    *at = content->unit_mm > 0 ? 100 / content->unit_mm : *at / 17;
    return PM_OK;
}

static pm_status find_all(reducing *r, pm_error *error) {
    const motion_work work = {find_keys, tell_progress, r};
    if (r->options.distance == 0 && !r->options.common) {
        motion_run_parallel(r->options.threads, r->count, &work);
        MOTION_TRY(check_found(r, error));
        for (size_t i = 0; i < r->source->clip_count && has_groups(r); i++)
            MOTION_TRY(merge_clip(r, i, error));
        return PM_OK;
    }
    double at = 0;
    if (r->options.distance > 0) {
        MOTION_TRY(find_default_at(r->source, &at, error));
        MOTION_TRY(reach_find(r->motion, r->options.at, at, &r->scratch, &r->reach, error));
    }
    r->options.at = r->reach.at;
    for (size_t i = 0; i < r->source->clip_count; i++) {
        MOTION_TRY(search_clip(r, i, error));
        tell_progress(r, r->first[i + 1]);
    }
    return PM_OK;
}

/* ---- the result ---------------------------------------------------------------------------- */

static bool has_same_keys(const reduced_channel *a, const reduced_channel *b) {
    if (a->count != b->count || !(a->source.timeline == b->source.timeline ||
                                  reduce_has_same_times(a->source.timeline, b->source.timeline)))
        return false;
    return (!a->keys && !b->keys) ||
           (a->keys && b->keys && memcmp(a->keys, b->keys, a->count * sizeof *a->keys) == 0);
}

/* Times must rise in float32, whose steps grow with the time. */
static pm_status check_times(const reduced_channel *c, const pm_timeline *timeline,
                             pm_error *error) {
    for (size_t k = 1; k < timeline->key_count; k++)
        if (!(timeline->times[k] > timeline->times[k - 1]))
            return motion_refuse(error,
                                 "clip %zu: two keys of channel %zu are both at %.9g s in float32",
                                 c->clip, c->index, timeline->times[k]);
    return PM_OK;
}

/* Channels with the same keys have one timeline. Only the last ones are compared. */
static pm_status make_channels(reducing *r, size_t clip, pm_timeline *timelines,
                               pm_motion_channel *channels, size_t *made, pm_error *error) {
    enum { COMPARED = 8, PACKED = 256 };
    const size_t compared = has_groups(r) ? PACKED : COMPARED;
    const reduced_channel *owners[PACKED] = {NULL};
    uint32_t numbers[PACKED] = {0};
    for (size_t c = 0; c < r->source->clips[clip].channel_count; c++) {
        reduced_channel *channel = &r->channels[r->first[clip] + c];
        size_t slot = 0;
        if (!channel->is_reduced)
            continue;
        while (slot < compared && !(owners[slot] && has_same_keys(owners[slot], channel)))
            slot++;
        if (slot == compared) {
            slot = *made % compared;
            owners[slot] = channel;
            numbers[slot] = (uint32_t)*made;
            timelines[*made] = reduce_make_timeline(channel, &r->to->arena);
            const pm_timeline *added = &timelines[(*made)++];
            MOTION_TRY_MEMORY(added->times, error);
            MOTION_TRY(check_times(channel, added, error));
        }
        MOTION_TRY_MEMORY(reduce_make_channel(channel, &r->to->arena, &channels[c]), error);
        channels[c].timeline = numbers[slot];
        /* Their bounds are those of lines, also where a method plays the motion. */
        channels[c].always_linear |=
            method_curve_knows(r->limits.curve) && !reduce_has_curve(channel, r->limits.curve);
    }
    return PM_OK;
}

/* Channels that keep their keys keep their times. */
static void keep_channels(reducing *r, size_t clip, pm_timeline *timelines,
                          pm_motion_channel *channels, size_t *made) {
    const pm_motion_clip *from = &r->source->clips[clip];
    for (size_t t = 0; t < from->timeline_count; t++) {
        bool is_used = false;
        for (size_t c = 0; c < from->channel_count; c++) {
            if (r->channels[r->first[clip] + c].is_reduced || from->channels[c].timeline != t)
                continue;
            is_used = true;
            channels[c].timeline = (uint32_t)*made;
        }
        if (is_used)
            timelines[(*made)++] = from->timelines[t];
    }
}

static double last_time(const reduced_channel *c) {
    return written_time(c->source.timeline, c->source.timeline->key_count - 1);
}

/* Channels that hold have one key, but for one of them where no other channel has the last time of the
 * clip. A distance was certified with the keys that were found: there only equal ones are dropped. */
static void hold_channels(reducing *r, size_t clip) {
    reduced_channel *const channels = r->channels + r->first[clip], *kept = NULL;
    const size_t count = r->source->clips[clip].channel_count;
    double moving = -(double)INFINITY, last = moving;
    for (size_t c = 0; c < count; c++) {
        reduced_channel *channel = &channels[c];
        channel->is_held =
            channel->is_reduced && (r->options.distance > 0 ? !reduce_moves(channel)
                                                            : reduce_is_held(channel, &r->limits));
        if (!channel->is_held)
            moving = fmax(moving, last_time(channel));
        else if (!kept || last_time(channel) > last_time(kept))
            kept = channel;
        last = fmax(last, last_time(channel));
    }
    for (size_t c = 0; c < count; c++)
        if (channels[c].is_held && (&channels[c] != kept || moving == last))
            reduce_hold(&channels[c]);
}

static pm_status make_clip(reducing *r, size_t clip, pm_motion_clip *to, pm_error *error) {
    const pm_motion_clip *from = &r->source->clips[clip];
    motion_arena *arena = &r->to->arena;
    pm_timeline *timelines =
        motion_allocate(arena, from->channel_count + from->timeline_count, sizeof *timelines);
    pm_motion_channel *channels = motion_own_channels(arena, to);
    size_t made = 0;
    *to = (pm_motion_clip){.name = from->name,
                           .timelines = timelines,
                           .channels = channels,
                           .channel_count = from->channel_count,
                           .rate_text = {"", 0}};
    MOTION_TRY_MEMORY(timelines && channels, error);
    hold_channels(r, clip);
    const pm_status status = make_channels(r, clip, timelines, channels, &made, error);
    if (status == PM_OK)
        keep_channels(r, clip, timelines, channels, &made);
    to->timeline_count = made;
    return status;
}

/* If no key is dropped, a clip is what it was. */
static bool is_kept(const reduced_channel *channels, const pm_motion_clip *from,
                    const pm_motion_clip *to) {
    bool same = true;
    for (size_t c = 0; same && c < to->channel_count; c++) {
        const pm_motion_channel *a = &from->channels[c], *b = &to->channels[c];
        same = a->interpolation == b->interpolation && !channels[c].authored.channel &&
               from->timelines[a->timeline].key_count == to->timelines[b->timeline].key_count;
    }
    return same;
}

static pm_status make_clips(reducing *r, pm_motion_clip *clips, pm_error *error) {
    for (size_t i = 0; i < r->source->clip_count; i++) {
        const pm_motion_clip *from = &r->source->clips[i];
        if (is_chosen(&r->options, i) && from->channel_count > 0)
            MOTION_TRY(make_clip(r, i, &clips[i], error));
        for (size_t c = 0; c < from->channel_count; c++)
            r->channels[r->first[i] + c].result =
                (certified){&clips[i].channels[c],
                            &clips[i].timelines[clips[i].channels[c].timeline], NULL, 0, NULL};
        if (is_kept(r->channels + r->first[i], from, &clips[i]) &&
            !motion_keep_rows(r->to, i, r->motion, false))
            return motion_refuse_memory(error);
    }
    return PM_OK;
}

/* ---- the bounds ---------------------------------------------------------------------------- */

static void certify(void *user, size_t index) {
    reducing *r = user;
    reduce_certify(&r->channels[index], &r->limits);
}

/* Only rounding to float32 can break a bound: of neighbours, which are not tested before. */
static pm_status check_bounds(const reducing *r, pm_error *error) {
    for (size_t i = 0; i < r->count; i++) {
        const reduced_channel *c = &r->channels[i];
        const bool is_rotation = c->source.channel->path == PM_MOTION_ROTATION;
        const double limit = reduce_limit(&r->limits, c);
        const bool is_usual = c->source.channel->path == PM_MOTION_POSITION ? r->is_usual_position
                              : !is_rotation                                ? r->is_usual_scale
                                                                            : false;
        if (limit == 0 || is_usual || !(c->error.bound > limit))
            continue;
        const double unit = is_rotation ? 1 / radians_per_degree : c->growth;
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "clip %zu: keys of channel %zu in float32 are %.3g%s from the source at "
                           "%.9g s, more than the bound of %.3g",
                           c->clip, c->index, reduce_error_over(c, limit) * unit,
                           is_rotation ? " degrees" : "", c->error.time, limit * unit);
    }
    return PM_OK;
}

static pm_status reduce_all(reducing *r, pm_error *error) {
    const motion_work work = {certify, NULL, r};
    pm_motion_clip *clips = NULL;
    r->to = made_begin(r->motion, &clips);
    MOTION_TRY_MEMORY(r->to, error);
    MOTION_TRY(list_channels(r, error));
    MOTION_TRY(add_usual_limits(r, error));
    MOTION_TRY(add_keys(r, error));
    MOTION_TRY(find_all(r, error));
    if (!reduce_is_cancelled(r->options.cancel)) {
        MOTION_TRY(make_clips(r, clips, error));
        motion_run_parallel(r->options.threads, r->count, &work);
        MOTION_TRY(check_found(r, error));
    }
    if (reduce_is_cancelled(r->options.cancel))
        return motion_fail(error, PM_ERROR_CANCELLED, "cancelled");
    return check_bounds(r, error);
}

/* ---- public -------------------------------------------------------------------------------- */

static pm_status reduce(const pm_motion *motion, const pm_motion_reduce_options *options,
                        pm_motion **reduced, pm_motion_reduction **reduction, pm_error *error) {
    reducing r = {.motion = motion, .source = &motion->content};
    if (options)
        r.options = reduction_options(options);
    MOTION_TRY(check_options(r.source, &r.options, error));
    r.options.angle = r.options.has_angle ? r.options.angle : r.options.distance > 0 ? 180 : 0.5;
    r.distance.key_time = (double)NAN;
    MOTION_TRY(motion_check_keys(motion, error));
    MOTION_TRY(motion_check_numbers(r.source, (double)FLT_MAX, error));
    MOTION_TRY(find_base(r.source, r.options.additive, &r.base, error));
    pm_status status = reduce_all(&r, error);
    if (status == PM_OK && reduction) {
        *reduction = reduction_make(r.source, &r.to->content, &r.options, r.channels, r.count,
                                    &r.distance, r.distance_clip, r.loops, r.reach.unread);
        status = *reduction ? PM_OK : motion_refuse_memory(error);
    }
    for (size_t i = 0; r.channels && i < r.count; i++) {
        reduce_begin(&r.channels[i]);
        free(r.channels[i].limits);
        free(r.channels[i].packed);
    }
    motion_arena_release(&r.scratch);
    const bool is_reported = status == PM_OK && reduction;
    if (status == PM_OK)
        status = made_end(&r.to, reduced, error);
    pm_motion_destroy(&r.to);
    if (status != PM_OK && is_reported)
        pm_motion_reduction_destroy(reduction);
    return status;
}

pm_status pm_motion_reduce(const pm_motion *motion, const pm_motion_reduce_options *options,
                           pm_motion **reduced, pm_motion_reduction **reduction, pm_error *error) {
    MOTION_REQUIRE(error, motion, reduced);
    C_LOCALE_HERE;
    if (!motion->content.has_stamps || motion->headers_only)
        return reduce(motion, options, reduced, reduction, error);
    if (options && options->loop)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "loop", "a trajectory does not loop");
    SCOPED(pm_motion_destroy) pm_motion *near = NULL, *made = NULL;
    MOTION_TRY(stamped_begin(motion, &near, error));
    MOTION_TRY(reduce(near, options, &made, reduction, error));
    return stamped_end(motion, made, reduced, error);
}
