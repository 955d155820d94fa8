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

/* Few clips take more rounds than PROBED: then it is asked whether all keys hold. */
enum { ROUNDS_MAX = 80, PROBED = 4 };

/* Poses of a joint, together, in the certificates of joints that are given a bit less. */
static const double poses_coarsened = 0x1p25;

/* Errors of a chain mostly do not add up: the first bounds are so much larger than if they did. What they leave is used
 * in the end where keys are dropped one by one, and smaller ones take fewer rounds. */
static const double first_excess = 8, local_excess = 4;

/* In a round, a bound is multiplied by what is missing, within these. */
static const double least_cut = 0.6, most_cut = 0.92;

typedef struct key_list {
    size_t *keys, count;
    cubic_key *cubics; /* NULL: it has none */
} key_list;

typedef struct sharing {
    const share_request *request;
    size_t nodes;
    certified (*a)[3], (*b)[3];  /* by node */
    size_t (*pairs)[2];          /* each node with itself */
    reduced_channel **rotations; /* by node; NULL: keeps its keys */
    reduced_channel **positions; /* likewise */
    double *(*cuts)[2]; /* of each segment of the keys that remain, of both, in this round */
    size_t exceeded;    /* places in this round */
    bool is_curved;     /* what has all keys has an error, too */
    bool is_local;      /* a key changes its own segments alone */
    bool is_brief;      /* rounds end where the distance is exceeded */
    double (*spans)[2]; /* times that changed in this round, malloc'ed */
    size_t span_count, span_room;
    key_list *before_slack;      /* the keys that remained, by channel. NULL: it is not used yet */
    key_list *put;               /* those that are put back, malloc'ed */
    additive_space additive;     /* of an additive clip */
    motion_arena arena, scratch; /* scratch: of a round */
} sharing;

/* ---- the start ----------------------------------------------------------------------------- */

static pm_status gather(sharing *s, pm_error *error) {
    s->nodes = s->request->content->node_count;
    s->a = motion_allocate(&s->arena, s->nodes, sizeof *s->a);
    s->b = motion_allocate(&s->arena, s->nodes, sizeof *s->b);
    s->pairs = motion_allocate(&s->arena, s->nodes, sizeof *s->pairs);
    s->rotations = motion_allocate(&s->arena, s->nodes, sizeof *s->rotations);
    s->positions = motion_allocate(&s->arena, s->nodes, sizeof *s->positions);
    s->cuts = motion_allocate(&s->arena, s->nodes, sizeof *s->cuts);
    MOTION_TRY_MEMORY(s->a && s->b && s->pairs && s->rotations && s->positions && s->cuts, error);
    for (size_t n = 0; n < s->nodes; n++)
        s->pairs[n][0] = s->pairs[n][1] = n;
    for (size_t c = 0; c < s->request->count; c++) {
        reduced_channel *channel = &s->request->channels[c];
        const pm_motion_channel *of = channel->source.channel;
        if (of->node < 0 || of->path > PM_MOTION_SCALE || s->a[of->node][of->path].channel)
            continue;
        s->a[of->node][of->path] = channel->source;
        if (of->path == PM_MOTION_ROTATION && channel->is_reduced &&
            (channel->count > 2 || s->request->is_packed))
            s->rotations[of->node] = channel;
        if (of->path == PM_MOTION_POSITION && channel->is_reduced)
            s->positions[of->node] = channel;
    }
    for (size_t n = 0; n < s->nodes; n++)
        for (int part = 0; part < 2; part++) {
            const reduced_channel *c = part ? s->positions[n] : s->rotations[n];
            const size_t keys = c ? c->source.timeline->key_count : 0;
            s->cuts[n][part] = c ? motion_allocate(&s->arena, keys, sizeof(double)) : NULL;
            MOTION_TRY_MEMORY(!c || s->cuts[n][part], error);
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
    const double excess =
        s->is_local && s->request->curve == PM_METHOD_SLERP ? local_excess : first_excess;
    for (size_t n = 0; n < s->nodes; n++) {
        reduced_channel *channel = s->rotations[n];
        if (!channel)
            continue;
        const size_t keys = channel->source.timeline->key_count;
        const double share =
            longest > 0 ? share_of(levers[n]) * s->request->distance * excess / longest : 1;
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
    *result = (certified){channel, timeline, NULL, c->slack, NULL};
    MOTION_TRY_MEMORY(timeline->times && reduce_make_channel(c, &s->scratch, channel), error);
    return c->count > 1 && reduce_has_curve(c, s->request->curve)
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

/* The source's key at which a segment of the keys that remain begins; with one key, it has all intervals. */
static size_t key_at(const reduced_channel *c, size_t at) {
    return c->count < 2 ? at * c->source.timeline->key_count : c->keys ? c->keys[at] : at;
}

static size_t segment_count(const reduced_channel *c) {
    return c->count < 2 ? 1 : c->count - 1;
}

/* The segment in which a time lies. */
static size_t segment_at(const reduced_channel *c, double time) {
    size_t low = 0, high = segment_count(c);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (evaluate_key_time(c->source.timeline, key_at(c, middle)) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* All joints above a place get less there. Slerps of exact keys without one between them have no error. */
static void exceeds(void *user, size_t node, double time, double distance) {
    sharing *s = user;
    const double part = s->request->distance / distance;
    const double cut = fmin(fmax(part, least_cut), most_cut);
    s->exceeded++;
    for (int32_t n = (int32_t)node; n >= 0; n = s->request->content->nodes[n].parent) {
        const reduced_channel *c = s->positions[n];
        if (c && c->keys)
            s->cuts[n][1][segment_at(c, time)] = cut;
        c = s->rotations[n];
        if (!c || !(c->keys || c->form.bits > 0))
            continue;
        const size_t at = segment_at(c, time);
        const bool has_error =
            c->cubics || s->is_curved || c->form.bits > 0 || key_at(c, at + 1) - key_at(c, at) > 1;
        if (has_error && cut < s->cuts[n][0][at])
            s->cuts[n][0][at] = cut;
    }
}

static void begin_round(sharing *s) {
    s->exceeded = 0;
    for (size_t n = 0; n < s->nodes; n++)
        for (int part = 0; part < 2; part++) {
            const reduced_channel *c = part ? s->positions[n] : s->rotations[n];
            for (size_t k = 0; c && k < c->source.timeline->key_count; k++)
                s->cuts[n][part][k] = 1;
        }
}

/* Whether a bound became smaller. */
static bool cut_limits(sharing *s) {
    bool any = false;
    for (size_t n = 0; n < s->nodes; n++) {
        reduced_channel *c = s->rotations[n];
        for (size_t at = 0; c && at < segment_count(c); at++) {
            const double cut = s->cuts[n][0][at];
            for (size_t k = key_at(c, at); cut < 1 && k < key_at(c, at + 1); k++)
                c->limits[k] *= cut;
            c->is_stale = c->is_stale || cut < 1;
            any = any || cut < 1;
        }
    }
    return any;
}

/* ---- what changed -------------------------------------------------------------------------- */

static pm_status add_span(sharing *s, double begin, double end, pm_error *error) {
    void *spans = motion_with_room(s->spans, s->span_count, &s->span_room, sizeof *s->spans);
    MOTION_TRY_MEMORY(spans, error);
    s->spans = spans;
    s->spans[s->span_count][0] = begin;
    s->spans[s->span_count++][1] = end;
    return PM_OK;
}

/* Where bounds became smaller, whether or not keys change there. */
static pm_status add_cuts(sharing *s, size_t node, pm_error *error) {
    const reduced_channel *c = s->rotations[node];
    for (size_t at = 0; at + 1 < c->count; at++)
        if (s->cuts[node][0][at] < 1)
            MOTION_TRY(add_span(s, evaluate_key_time(c->source.timeline, c->keys[at]),
                                evaluate_key_time(c->source.timeline, c->keys[at + 1]), error));
    return PM_OK;
}

/* Whether the segment that begins at a key of both lists is one. */
static bool is_same_segment(const key_list *a, size_t i, const key_list *b, size_t j) {
    if (a->keys[i + 1] != b->keys[j + 1] || !a->cubics != !b->cubics)
        return false;
    return !a->cubics ||
           (memcmp(a->cubics[i].out, b->cubics[j].out, sizeof a->cubics->out) == 0 &&
            memcmp(a->cubics[i + 1].in, b->cubics[j + 1].in, sizeof a->cubics->in) == 0);
}

/* Between keys that two lists have in common, as they have the first and the last one. */
static pm_status add_changes(sharing *s, const pm_timeline *timeline, const key_list *a,
                             const key_list *b, pm_error *error) {
    if ((a->count < 2) != (b->count < 2))
        return add_span(s, written_time(timeline, 0),
                        written_time(timeline, timeline->key_count - 1), error);
    for (size_t i = 0, j = 0; i + 1 < a->count && j + 1 < b->count;) {
        const size_t from = a->keys[i];
        const bool is_same = is_same_segment(a, i++, b, j++);
        while (a->keys[i] != b->keys[j])
            *(a->keys[i] < b->keys[j] ? &i : &j) += 1;
        if (!is_same)
            MOTION_TRY(add_span(s, written_time(timeline, from), written_time(timeline, a->keys[i]),
                                error));
    }
    return PM_OK;
}

static key_list keys_of(const reduced_channel *c) {
    return (key_list){c->keys, c->count, c->cubics};
}

static int compare_spans(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void unite_spans(sharing *s) {
    size_t made = 0;
    if (s->span_count == 0)
        return;
    qsort(s->spans, s->span_count, sizeof *s->spans, compare_spans);
    for (size_t i = 1; i < s->span_count; i++)
        if (s->spans[i][0] <= s->spans[made][1])
            s->spans[made][1] = fmax(s->spans[made][1], s->spans[i][1]);
        else
            memcpy(s->spans[++made], s->spans[i], sizeof *s->spans);
    s->span_count = made + 1;
}

static bool copy_keys(const reduced_channel *c, motion_arena *arena, key_list *to) {
    to->count = c->count;
    to->keys = motion_allocate(arena, c->count, sizeof *to->keys);
    to->cubics = c->cubics ? motion_allocate(arena, c->count, sizeof *to->cubics) : NULL;
    if (to->keys)
        memcpy(to->keys, c->keys, c->count * sizeof *c->keys);
    if (to->cubics)
        memcpy(to->cubics, c->cubics, c->count * sizeof *c->cubics);
    return to->keys && !to->cubics == !c->cubics;
}

/* Searches the keys of what is stale. */
static pm_status find(sharing *s, pm_error *error) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    key_list *before = motion_allocate(&arena, s->nodes, sizeof *before);
    MOTION_TRY_MEMORY(before, error);
    s->span_count = 0;
    for (size_t n = 0; s->is_local && n < s->nodes; n++) {
        const reduced_channel *c = s->rotations[n];
        if (!c || !c->is_stale || !c->keys)
            continue;
        MOTION_TRY_MEMORY(copy_keys(c, &arena, &before[n]), error);
        MOTION_TRY(add_cuts(s, n, error));
    }
    MOTION_TRY(s->request->find(s->request->user, error));
    for (size_t n = 0; s->is_local && n < s->nodes; n++)
        if (before[n].keys) {
            const key_list now = keys_of(s->rotations[n]);
            MOTION_TRY(add_changes(s, s->rotations[n]->source.timeline, &before[n], &now, error));
        }
    unite_spans(s);
    return PM_OK;
}

static space_request space_of(sharing *s, bool is_whole) {
    const pm_motion_content *content = s->request->content;
    const additive_space *additive = s->request->is_additive ? &s->additive : NULL;
    space_request request = {.sides = {{content, s->a}, {content, s->b}},
                             .pairs = s->pairs,
                             .pair_count = s->nodes,
                             .points = {s->request->points, s->request->points},
                             .spans = is_whole ? NULL : (const double(*)[2])s->spans,
                             .span_count = s->span_count,
                             .limit = s->request->distance,
                             .is_brief = s->is_brief,
                             .cancel = s->request->limits->cancel,
                             .exceeds = exceeds,
                             .user = s};
    for (int i = 0; additive && i < 2; i++)
        request.sides[i] = (space_side){&additive->content, additive->sides[i]};
    if (additive)
        request.pairs = additive->pairs;
    return request;
}

/* Of the keys that all channels have now: at all times, or at those that changed. */
static pm_status certify(sharing *s, bool is_whole, space_result *result, pm_error *error) {
    const space_request space = space_of(s, is_whole);
    begin_round(s);
    for (size_t n = 0; n < s->nodes; n++)
        s->a[n][PM_MOTION_ROTATION].known = s->rotations[n] ? s->rotations[n]->turns : NULL;
    pm_status status = make_results(s, error);
    if (s->request->is_additive) {
        additive_pose(&s->additive, 0, s->a);
        additive_pose(&s->additive, 1, s->b);
    }
    if (status == PM_OK)
        status = space_certify(&space, result, error);
    if (!free_results(s) && status == PM_OK)
        status = motion_refuse_memory(error);
    return status;
}

/* The distance that exceeds the limit: what was found, or where only the bound does, that. A bound is
 * rough once it is clear that the limit is exceeded. */
static double distance_over(const space_result *result, double limit) {
    return result->found > limit ? result->found : result->bound;
}

/* Refuses a curve that exceeds the distance with all keys: no round would find others. */
static pm_status check_curves(sharing *s, space_result *result, pm_error *error) {
    const pm_status status = certify(s, true, result, error);
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

/* The certificate of all keys: what exceeds the distance even so, by the rounding of float32, is refused, and not after
 * all rounds. */
static pm_status probe(sharing *s, space_result *result, pm_error *error) {
    reduced_channel *kept = motion_allocate(&s->arena, s->nodes, sizeof *kept);
    MOTION_TRY_MEMORY(kept, error);
    for (size_t n = 0; n < s->nodes; n++) {
        reduced_channel *c = s->rotations[n];
        if (!c)
            continue;
        kept[n] = *c;
        c->keys = NULL;
        c->cubics = NULL;
        c->count = c->source.timeline->key_count;
    }
    const pm_status status = certify(s, true, result, error);
    for (size_t n = 0; n < s->nodes; n++)
        if (s->rotations[n])
            *s->rotations[n] = kept[n];
    return status;
}

/* ---- slack --------------------------------------------------------------------------------- */

/* The parts of the time that search and rounds take. */
static const double search_part = 0.3, rounds_part = 0.5;

static void tell_slack(void *user, double part) {
    const sharing *s = user;
    s->request->tell(s->request->user, rounds_part + (1 - rounds_part) * part);
}

static pm_status use_slack(sharing *s, pm_error *error) {
    const slack_request request = {.content = s->request->content,
                                   .source = s->a,
                                   .result = s->b,
                                   .channels = s->request->channels,
                                   .count = s->request->count,
                                   .points = s->request->points,
                                   .distance = s->request->distance,
                                   .limits = s->request->limits,
                                   .tell = tell_slack,
                                   .user = s};
    s->before_slack = motion_allocate(&s->arena, s->request->count, sizeof *s->before_slack);
    MOTION_TRY_MEMORY(s->before_slack, error);
    for (size_t i = 0; i < s->request->count; i++) {
        const reduced_channel *c = &s->request->channels[i];
        if (c->keys && c->is_reduced)
            MOTION_TRY_MEMORY(copy_keys(c, &s->arena, &s->before_slack[i]), error);
    }
    pm_status status = make_results(s, error);
    if (status == PM_OK)
        status = slack_use(&request, error);
    return free_results(s) || status != PM_OK ? status : motion_refuse_memory(error);
}

/* Channels with the same keys are cut where one of them is. NULL: none is a rotation or a position. */
static double *unite_cuts(const sharing *s, const reduced_channel *c) {
    const int32_t node = c->source.channel->node;
    double *cuts = node >= 0 && s->rotations[node] == c   ? s->cuts[node][0]
                   : node >= 0 && s->positions[node] == c ? s->cuts[node][1]
                                                          : NULL;
    for (size_t n = 0; c->group > 0 && n < s->nodes; n++) {
        const reduced_channel *of = s->rotations[n];
        if (!of || !reduce_has_keys_of(of, c))
            continue;
        cuts = cuts ? cuts : s->cuts[n][0];
        for (size_t at = 0; at < segment_count(c); at++)
            cuts[at] = fmin(cuts[at], s->cuts[n][0][at]);
    }
    return cuts;
}

/* Puts keys back in segments that are to be cut, or in all. */
static pm_status put_back(sharing *s, size_t index, bool is_all, pm_error *error) {
    reduced_channel *c = &s->request->channels[index];
    const key_list *of = &s->before_slack[index];
    const double *cuts = unite_cuts(s, c);
    size_t *keys = malloc((of->count + 1) * sizeof *keys), count = 0, at = 0;
    MOTION_TRY_MEMORY(keys, error);
    for (size_t i = 0; i < of->count; i++) {
        const size_t key = of->keys[i];
        at += at + 2 < c->count && key >= c->keys[at + 1];
        if (is_all || key == c->keys[at] || key == c->keys[at + 1] || (cuts && cuts[at] < 1))
            keys[count++] = key;
    }
    const key_list before = keys_of(c);
    s->put[index] = (key_list){.keys = keys, .count = count};
    return add_changes(s, c->source.timeline, &before, &s->put[index], error);
}

/* Where the distance is exceeded or, if no key was dropped there, everywhere; no spans: no key was dropped at all. */
static pm_status put_all_back(sharing *s, pm_error *error) {
    pm_status status = PM_OK;
    s->span_count = 0;
    s->put = motion_allocate(&s->arena, s->request->count, sizeof *s->put);
    MOTION_TRY_MEMORY(s->put, error);
    for (int is_all = 0; status == PM_OK && is_all < 2 && s->span_count == 0; is_all++)
        for (size_t i = 0; status == PM_OK && i < s->request->count; i++) {
            free(s->put[i].keys);
            s->put[i].keys = NULL;
            if (s->before_slack[i].keys)
                status = put_back(s, i, is_all, error);
        }
    for (size_t i = 0; i < s->request->count; i++) {
        reduced_channel *c = &s->request->channels[i];
        if (!s->put[i].keys)
            continue;
        free(c->keys);
        c->keys = s->put[i].keys;
        c->count = s->put[i].count;
    }
    unite_spans(s);
    return status;
}

/* Drops keys while the distance holds at keys, and puts them back where it does not between them. */
static pm_status thin(sharing *s, space_result *result, pm_error *error) {
    bool is_whole = true;
    if (!s->before_slack)
        MOTION_TRY(use_slack(s, error));
    for (;;) {
        MOTION_TRY(certify(s, is_whole, result, error));
        if (s->exceeded == 0 && is_whole)
            return PM_OK;
        is_whole = s->exceeded == 0;
        if (is_whole)
            continue;
        MOTION_TRY(put_all_back(s, error));
        if (s->span_count == 0)
            return PM_OK;
    }
}

/* ---- bits ---------------------------------------------------------------------------------- */

/* Whether a rotation keeps the bound of angles. */
static pm_status check_angle(sharing *s, reduced_channel *c, bool *holds, pm_error *error) {
    const double pi = 3.14159265358979324, limit = s->request->limits->angle;
    const int32_t node = c->source.channel->node;
    *holds = true;
    if (limit >= pi)
        return PM_OK;
    const pm_status status = make_result(s, c, error);
    if (status == PM_OK)
        *holds = certify_rotation(s->a[node][PM_MOTION_ROTATION], s->b[node][PM_MOTION_ROTATION],
                                  limit - c->slack)
                     .bound <= limit - c->slack;
    return free_results(s) || status != PM_OK ? status : motion_refuse_memory(error);
}

/* Gives a joint a bit less where the bounds hold even so. */
static pm_status coarsen(sharing *s, reduced_channel *c, bool *is_coarser, pm_error *error) {
    const unsigned bits = c->form.bits;
    space_result result;
    MOTION_TRY_MEMORY(reduce_set_bits(c, bits - 1), error);
    MOTION_TRY(check_angle(s, c, is_coarser, error));
    if (*is_coarser) {
        MOTION_TRY(certify(s, true, &result, error));
        *is_coarser = s->exceeded == 0;
    }
    MOTION_TRY_MEMORY(*is_coarser || reduce_set_bits(c, bits), error);
    return PM_OK;
}

/* Forms were chosen by bounds that hold even if all errors of a chain add up. */
static pm_status coarsen_all(sharing *s, space_result *result, pm_error *error) {
    size_t keys = 1;
    for (size_t n = 0; n < s->nodes; n++)
        if (s->rotations[n] && s->rotations[n]->source.timeline->key_count > keys)
            keys = s->rotations[n]->source.timeline->key_count;
    double left = poses_coarsened / ((double)keys * (double)s->nodes);
    s->is_brief = true;
    for (bool any = true; any;) {
        any = false;
        for (size_t n = s->nodes; n-- > 0;) {
            reduced_channel *c = s->rotations[n];
            bool is_coarser = false;
            if (!c || c->form.bits <= PACKED_LEAST || left-- < 1 ||
                reduce_is_cancelled(s->request->limits->cancel))
                continue;
            MOTION_TRY(coarsen(s, c, &is_coarser, error));
            any = any || is_coarser;
        }
    }
    s->is_brief = false;
    return certify(s, true, result, error);
}

/* ---- all ----------------------------------------------------------------------------------- */

pm_status share_distance(const share_request *request, space_result *result, pm_error *error) {
    sharing s = {.request = request,
                 .is_curved = method_curve_knows(request->curve),
                 .is_local = !method_curve_knows(request->curve) && !request->is_packed &&
                             !request->is_common && !request->is_additive};
    pm_status status = gather(&s, error);
    if (status == PM_OK && request->is_additive)
        status = additive_expand(request->content, request->base, &s.arena, &s.additive, error);
    if (status == PM_OK)
        status = set_limits(&s, error);
    if (status == PM_OK && s.is_curved)
        status = check_curves(&s, result, error);
    const bool thins =
        request->curve == PM_METHOD_SLERP && request->is_last && !request->is_additive;
    bool is_held = false, is_whole = true;
    size_t first_exceeded = 1;
    for (int round = 0; status == PM_OK && !is_held && round < ROUNDS_MAX; round++) {
        if (round == PROBED && !s.is_curved && !request->is_packed) {
            status = probe(&s, result, error);
            if (status != PM_OK || s.exceeded > 0)
                break;
        }
        status = find(&s, error);
        if (status == PM_OK)
            status = certify(&s, is_whole, result, error);
        first_exceeded = round == 0 ? s.exceeded + 1 : first_exceeded;
        request->tell(request->user,
                      rounds_part - (rounds_part - search_part) *
                                        fmin((double)s.exceeded / (double)first_exceeded, 1));
        if (status == PM_OK && s.exceeded == 0 && thins)
            status = thin(&s, result, error);
        else if (status == PM_OK && s.exceeded == 0 && !is_whole)
            status = certify(&s, true, result, error);
        is_held = s.exceeded == 0;
        if (status == PM_OK && !is_held && !cut_limits(&s))
            break;
        is_whole = !s.is_local;
    }
    if (status == PM_OK && is_held && request->is_packed && request->is_last)
        status = coarsen_all(&s, result, error);
    if (status == PM_OK && !is_held)
        status =
            motion_fail(error, PM_ERROR_ARGUMENT,
                        "the keys are up to %.3g from the source at %.9g s, more than "
                        "the distance of %.3g",
                        distance_over(result, request->distance), result->time, request->distance);
    free(s.spans);
    motion_arena_release(&s.arena);
    return status;
}
