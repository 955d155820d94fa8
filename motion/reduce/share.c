/* SPDX-License-Identifier: MIT
 *
 * Rounds of search and certificate.
 */
#include "host/base/elementary.h"
#include "motion/reduce/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/model/pose.h"

enum { ROUNDS_MAX = 80 };

/* Errors of a chain mostly do not add up: the first bounds are so much larger than if they did. */
static const double first_excess = 8;

/* In a round, a bound is multiplied by what is missing, within these. */
static const double least_cut = 0.6, most_cut = 0.92;

typedef struct sharing {
    const share_request *request;
    size_t nodes;
    certified (*a)[3], (*b)[3];  /* by node */
    size_t (*pairs)[2];          /* each node with itself */
    reduced_channel **rotations; /* by node; NULL: keeps its keys */
    double **cuts;               /* of each interval of them in this round */
    size_t exceeded;             /* places in this round */
    bool is_curved;              /* what has all keys has an error, too */
    motion_arena arena, scratch; /* scratch: of a round */
} sharing;

/* ---- the start ----------------------------------------------------------------------------- */

static pm_status gather(sharing *s, pm_error *error) {
    s->nodes = s->request->content->node_count;
    s->a = motion_allocate(&s->arena, s->nodes, sizeof *s->a);
    s->b = motion_allocate(&s->arena, s->nodes, sizeof *s->b);
    s->pairs = motion_allocate(&s->arena, s->nodes, sizeof *s->pairs);
    s->rotations = motion_allocate(&s->arena, s->nodes, sizeof *s->rotations);
    s->cuts = motion_allocate(&s->arena, s->nodes, sizeof *s->cuts);
    MOTION_TRY_MEMORY(s->a && s->b && s->pairs && s->rotations && s->cuts, error);
    for (size_t n = 0; n < s->nodes; n++)
        s->pairs[n][0] = s->pairs[n][1] = n;
    for (size_t c = 0; c < s->request->count; c++) {
        reduced_channel *channel = &s->request->channels[c];
        const pm_motion_channel *of = channel->source.channel;
        if (of->node < 0 || of->path > PM_MOTION_SCALE || s->a[of->node][of->path].channel)
            continue;
        if (of->interpolation == PM_MOTION_CUBICSPLINE && of->path != PM_MOTION_ROTATION)
            return motion_refuse(error,
                                 "clip %zu: channel %zu is a cubic spline of a %s; a distance "
                                 "requires linear ones",
                                 channel->clip, channel->index,
                                 of->path == PM_MOTION_SCALE ? "scale" : "translation");
        s->a[of->node][of->path] = channel->source;
        if (of->path == PM_MOTION_ROTATION && channel->is_reduced &&
            (channel->count > 2 || s->request->is_packed))
            s->rotations[of->node] = channel;
    }
    return PM_OK;
}

/* How far the farthest point is that hangs on each joint, in model space: with the offsets of the rest pose and
 * the largest scales, to which lengths below a joint grow. */
static void find_levers(const sharing *s, const uint32_t *order, const double *growth,
                        double *levers) {
    const pm_motion_node *nodes = s->request->content->nodes;
    for (size_t n = 0; n < s->nodes; n++)
        levers[n] = growth[n] * s->request->points[n].radius;
    for (size_t i = s->nodes; i-- > 0;) {
        const size_t n = order[i];
        const int32_t parent = nodes[n].parent;
        if (parent >= 0)
            levers[parent] =
                fmax(levers[parent], growth[parent] * vector_length(nodes[n].position) + levers[n]);
    }
}

/* The number of keys of a joint falls with the root of its bound: so their sum is the smallest for a
 * chain whose bounds fall with the lever to the power 2/3. */
static double share_of(double lever) {
    const double root = lever > 0 ? pm_inverse_cbrt(lever) : 1;
    return root * root;
}

/* What the shares of the longest chain come to. */
static double longest_chain(const sharing *s, const uint32_t *order, const double *levers,
                            double *sums) {
    double longest = 0;
    for (size_t i = 0; i < s->nodes; i++) {
        const size_t n = order[i];
        const int32_t parent = s->request->content->nodes[n].parent;
        const double own =
            s->rotations[n] && reduce_moves(s->rotations[n]) ? share_of(levers[n]) * levers[n] : 0;
        sums[n] = (parent >= 0 ? sums[parent] : 0) + own;
        longest = fmax(longest, sums[n]);
    }
    return longest;
}

static pm_status set_limits(sharing *s, pm_error *error) {
    uint32_t *order = motion_allocate(&s->arena, s->nodes, sizeof *order);
    double *levers = motion_allocate(&s->arena, s->nodes, sizeof *levers);
    double *sums = motion_allocate(&s->arena, s->nodes, sizeof *sums);
    const double *growth = reach_find_growth(s->request->content, s->request->clip, &s->arena);
    MOTION_TRY_MEMORY(order && levers && sums && growth && pose_order(s->request->content, order),
                      error);
    find_levers(s, order, growth, levers);
    const double longest = longest_chain(s, order, levers, sums);
    for (size_t n = 0; n < s->nodes; n++) {
        reduced_channel *channel = s->rotations[n];
        if (!channel)
            continue;
        const size_t keys = channel->source.timeline->key_count;
        const double share =
            longest > 0 ? share_of(levers[n]) * s->request->distance * first_excess / longest : 1;
        s->cuts[n] = motion_allocate(&s->arena, keys, sizeof *s->cuts[n]);
        MOTION_TRY_MEMORY(s->cuts[n], error);
        if (channel->limits)
            continue; /* goes on from there */
        channel->limits = malloc(keys * sizeof *channel->limits);
        MOTION_TRY_MEMORY(channel->limits, error);
        for (size_t k = 0; k < keys; k++)
            channel->limits[k] = fmin(share, 1);
    }
    return PM_OK;
}

/* ---- a round ------------------------------------------------------------------------------- */

/* The keys that a channel has now, as they are written. */
static pm_status make_result(sharing *s, reduced_channel *c, pm_error *error) {
    pm_motion_channel *channel = motion_allocate(&s->scratch, 1, sizeof *channel);
    pm_timeline *timeline = motion_allocate(&s->scratch, 1, sizeof *timeline);
    MOTION_TRY_MEMORY(channel && timeline, error);
    certified *result = &s->b[c->source.channel->node][c->source.channel->path];
    *timeline = reduce_make_timeline(c, &s->scratch);
    *result = (certified){channel, timeline, NULL, c->slack};
    MOTION_TRY_MEMORY(timeline->times && reduce_make_channel(c, &s->scratch, channel), error);
    return channel->path == PM_MOTION_ROTATION && c->count > 1 &&
                   method_curve_knows(s->request->curve)
               ? certified_make_curve(result, s->request->curve, error)
               : PM_OK;
}

static pm_status make_results(sharing *s, pm_error *error) {
    pm_status status = PM_OK;
    memcpy(s->b, s->a, s->nodes * sizeof *s->b);
    for (size_t c = 0; status == PM_OK && c < s->request->count; c++) {
        reduced_channel *channel = &s->request->channels[c];
        const pm_motion_channel *of = channel->source.channel;
        if (of->node < 0 || of->path > PM_MOTION_SCALE || !channel->is_reduced ||
            s->a[of->node][of->path].channel != of)
            continue;
        status = make_result(s, channel, error);
    }
    return status;
}

/* False: some value of a curve lacked memory. */
static bool free_results(sharing *s) {
    bool good = true;
    for (size_t n = 0; n < s->nodes; n++) {
        good = certified_free_curve(s->b[n][PM_MOTION_ROTATION].curve) && good;
        s->b[n][PM_MOTION_ROTATION].curve = NULL;
    }
    motion_arena_release(&s->scratch);
    return good;
}

/* The segment of the keys that remain in which a time lies: intervals of the source from..to - 1. */
static void segment_at(const reduced_channel *c, double time, size_t *from, size_t *to) {
    size_t low = 0, high = c->count - 1;
    *from = 0;
    *to = c->source.timeline->key_count;
    if (c->count < 2)
        return;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (evaluate_key_time(c->source.timeline, c->keys ? c->keys[middle] : middle) <= time)
            low = middle;
        else
            high = middle;
    }
    *from = c->keys ? c->keys[low] : low;
    *to = c->keys ? c->keys[high] : high;
}

/* All joints above a place get less there. Slerps of exact keys without one between them have no error. */
static void exceeds(void *user, size_t node, double time, double distance) {
    sharing *s = user;
    const double part = s->request->distance / distance;
    const double cut = fmin(fmax(part, least_cut), most_cut);
    s->exceeded++;
    for (int32_t n = (int32_t)node; n >= 0; n = s->request->content->nodes[n].parent) {
        const reduced_channel *c = s->rotations[n];
        size_t from = 0, to = 0;
        if (!c || !(c->keys || c->form.bits > 0))
            continue;
        segment_at(c, time, &from, &to);
        const bool has_error = c->cubics || s->is_curved || c->form.bits > 0 || to - from > 1;
        for (size_t k = from; k < to && has_error; k++)
            s->cuts[n][k] = fmin(s->cuts[n][k], cut);
    }
}

static void begin_round(sharing *s) {
    s->exceeded = 0;
    for (size_t n = 0; n < s->nodes; n++)
        for (size_t k = 0; s->rotations[n] && k < s->rotations[n]->source.timeline->key_count; k++)
            s->cuts[n][k] = 1;
}

/* Whether a bound became smaller. */
static bool cut_limits(sharing *s) {
    bool any = false;
    for (size_t n = 0; n < s->nodes; n++) {
        reduced_channel *c = s->rotations[n];
        for (size_t k = 0; c && k < c->source.timeline->key_count; k++)
            if (s->cuts[n][k] < 1) {
                c->limits[k] *= s->cuts[n][k];
                c->is_stale = any = true;
            }
    }
    return any;
}

/* Of the keys that all channels have now. */
static pm_status certify(sharing *s, space_result *result, pm_error *error) {
    const pm_motion_content *content = s->request->content;
    const space_request space = {.sides = {{content, s->a}, {content, s->b}},
                                 .pairs = s->pairs,
                                 .pair_count = s->nodes,
                                 .points = {s->request->points, s->request->points},
                                 .limit = s->request->distance,
                                 .exceeds = exceeds,
                                 .user = s};
    begin_round(s);
    pm_status status = make_results(s, error);
    if (status == PM_OK)
        status = space_certify(&space, result, error);
    if (!free_results(s) && status == PM_OK)
        status = motion_refuse_memory(error);
    return status;
}

static pm_status run_round(sharing *s, space_result *result, pm_error *error) {
    MOTION_TRY(s->request->find(s->request->user, error));
    return certify(s, result, error);
}

/* The distance that exceeds the limit: what was found, or where only the bound does, that. A bound is
 * rough once it is clear that the limit is exceeded. */
static double distance_over(const space_result *result, double limit) {
    return result->found > limit ? result->found : result->bound;
}

/* Refuses a curve that exceeds the distance with all keys: no round would find others. */
static pm_status check_curves(sharing *s, space_result *result, pm_error *error) {
    const pm_status status = certify(s, result, error);
    if (status != PM_OK || s->exceeded == 0)
        return status;
    motion_fail(
        error, PM_ERROR_ARGUMENT,
        "%s through all keys is up to %.3g from the source at %.9g s, more than the distance "
        "of %.3g",
        pm_method_get_info(s->request->curve)->name, distance_over(result, s->request->distance),
        result->time, s->request->distance);
    motion_hint(error, REDUCE_CURVE_HINT);
    return PM_ERROR_ARGUMENT;
}

pm_status share_distance(const share_request *request, space_result *result, pm_error *error) {
    sharing s = {.request = request, .is_curved = method_curve_knows(request->curve)};
    pm_status status = gather(&s, error);
    if (status == PM_OK)
        status = set_limits(&s, error);
    if (status == PM_OK && s.is_curved)
        status = check_curves(&s, result, error);
    bool is_held = false;
    for (int round = 0; status == PM_OK && !is_held && round < ROUNDS_MAX; round++) {
        status = run_round(&s, result, error);
        is_held = s.exceeded == 0;
        if (status == PM_OK && !is_held && !cut_limits(&s))
            break;
    }
    if (status == PM_OK && !is_held)
        status =
            motion_fail(error, PM_ERROR_ARGUMENT,
                        "the keys are up to %.3g from the source at %.9g s, more than "
                        "the distance of %.3g",
                        distance_over(result, request->distance), result->time, request->distance);
    motion_arena_release(&s.arena);
    return status;
}
