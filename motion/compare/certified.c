/* SPDX-License-Identifier: MIT
 *
 * The rotations and the places of each pair of joints, over the whole of both clips.
 */
#include "motion/compare/outcome.h"
#include "motion/model/names.h"

#include <math.h>

#include "motion/reduce/reduction.h"

static const double degrees_per_radian = 57.29577951308232;

/* How far a bound of distances may be above what was found, of the sum of all offsets at rest. */
static const double resolution = 1e-6;

static pm_status check(const comparison *c, pm_error *error) {
    if (c->a->curve && c->a->method != PM_METHOD_SLERP && !method_curve_knows(c->a->method))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "a bound at all times is of the file's own curves, or of slerp, squad, "
                           "hermite or spline, not of %s",
                           pm_method_get_info(c->a->method)->name);
    if (c->start > 0 || c->a->cut > 0 || c->b->cut > 0)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "a bound at all times is of whole clips, without start and trim_start");
    if (fabs(c->a->begin - c->b->begin) > SUBJECT_SAME_TIME)
        return motion_refuse(error,
                             "the first keys are at %.9g and %.9g s; a bound at all times requires "
                             "clips that begin together",
                             c->a->begin, c->b->begin);
    return PM_OK;
}

/* What may be certified of a joint; a NULL channel: not animated. */
typedef certified joint_channels[SUBJECT_PATHS];

/* A cubic of rotations is compared with slerps and steps. */
static pm_status channels_of(const subject *s, bool may_be_cubic, joint_channels *to,
                             pm_error *error) {
    for (size_t i = 0; i < s->joint_count * SUBJECT_PATHS; i++) {
        const pm_motion_channel *channel = s->channels[i / SUBJECT_PATHS].of[i % SUBJECT_PATHS];
        const pm_motion_name name = subject_name(s, i / SUBJECT_PATHS);
        if (!channel)
            continue;
        const bool is_turn = i % SUBJECT_PATHS == PM_MOTION_ROTATION;
        if (channel->interpolation == PM_MOTION_CUBICSPLINE &&
            !(is_turn && (may_be_cubic || s->curve)))
            return motion_refuse(error,
                                 "joint '%s' has a cubic spline; a bound at all times is of slerp, "
                                 "lines and steps, and in the second file of cubic rotations",
                                 MOTION_SHOWN_JOINT(name, (int64_t)(i / SUBJECT_PATHS)));
        to[i / SUBJECT_PATHS][i % SUBJECT_PATHS] =
            (certified){channel, &s->clip->timelines[channel->timeline], NULL, 0, NULL};
    }
    return PM_OK;
}

/* The curves of a subject with a method, through the keys of its rotations. Free them also on failure. */
static pm_status make_curves(const subject *s, joint_channels *channels, motion_arena *arena,
                             pm_error *error) {
    for (size_t j = 0; s->curve && j < s->joint_count; j++) {
        certified *of = &channels[j][PM_MOTION_ROTATION];
        if (!of->channel || of->channel->always_linear ||
            of->channel->interpolation == PM_MOTION_STEP)
            continue;
        pm_motion_channel *values = motion_allocate(arena, 1, sizeof *values);
        MOTION_TRY_MEMORY(values, error);
        *values = *of->channel;
        values->interpolation = PM_MOTION_LINEAR;
        of->channel = values;
        if (of->timeline->key_count > 1)
            MOTION_TRY(certified_make_curve(of, s->method, error));
    }
    return PM_OK;
}

/* Values that lacked memory are none. */
static pm_status free_curves(const subject *s, joint_channels *channels, pm_status status,
                             pm_error *error) {
    bool good = true;
    for (size_t j = 0; channels && j < s->joint_count; j++)
        good = certified_free_curve(channels[j][PM_MOTION_ROTATION].curve) && good;
    return status == PM_OK && !good ? motion_refuse_memory(error) : status;
}

/* A joint that is not animated has its rest pose as a key. */
typedef struct held {
    pm_motion_channel channel;
    pm_timeline timeline;
    double time;
} held;

static certified rotation_of(const subject *s, joint_channels *channels, uint32_t joint,
                             held *rest) {
    if (channels[joint][PM_MOTION_ROTATION].channel)
        return channels[joint][PM_MOTION_ROTATION];
    rest->time = s->begin;
    rest->timeline = (pm_timeline){.key_count = 1, .times = &rest->time};
    rest->channel = (pm_motion_channel){
        .path = PM_MOTION_ROTATION,
        .components = 4,
        .keys = {.data = s->view.content.nodes[joint].rotation, .type = PM_FLOAT64}};
    return (certified){&rest->channel, &rest->timeline, NULL, 0, NULL};
}

static certified_bound certify_angles(const comparison *c, joint_channels *a, joint_channels *b) {
    certified_bound all = {0, 0};
    for (size_t p = 0; p < c->pairs->count; p++) {
        held rest[2];
        const certified of_a = rotation_of(c->a, a, c->pairs->pairs[p].a, &rest[0]);
        const certified of_b = rotation_of(c->b, b, c->pairs->pairs[p].b, &rest[1]);
        const double degrees = certify_rotation(of_a, of_b, 0).bound * degrees_per_radian;
        all.pair = degrees > all.most ? p : all.pair;
        all.most = fmax(all.most, degrees);
    }
    return all;
}

/* A length by which places are judged: of all offsets at rest, in model space. */
static double size_of(const subject *s, const double *growth) {
    double sum = 0;
    for (size_t n = 0; n < s->joint_count; n++) {
        const pm_motion_node *node = &s->view.content.nodes[n];
        sum += vector_length(node->position) * (node->parent >= 0 ? growth[node->parent] : 1);
    }
    return sum;
}

static pm_status certify_places(const comparison *c, joint_channels *a, joint_channels *b,
                                motion_arena *arena, certified_bound *all, pm_error *error) {
    const size_t count = c->pairs->count;
    const double *growth[] = {reach_find_growth(&c->a->view.content, c->a->clip, arena),
                              reach_find_growth(&c->b->view.content, c->b->clip, arena)};
    size_t(*pairs)[2] = motion_allocate(arena, count, sizeof *pairs);
    space_result found;
    MOTION_TRY_MEMORY(pairs && growth[0] && growth[1], error);
    const double size = fmax(size_of(c->a, growth[0]), size_of(c->b, growth[1]));
    for (size_t p = 0; p < count; p++) {
        pairs[p][0] = c->pairs->pairs[p].a;
        pairs[p][1] = c->pairs->pairs[p].b;
    }
    const space_request request = {
        .sides = {{&c->a->view.content, a}, {&c->b->view.content, b}},
        .pairs = pairs,
        .pair_count = count,
        .points = {c->points[0], c->points[1]},
        .resolution = size > 0 ? resolution * size : 1e-6,
    };
    MOTION_TRY(space_certify(&request, &found, error));
    *all = (certified_bound){found.bound, found.pair};
    return PM_OK;
}

pm_status compare_certify(const comparison *c, certified_bounds *bounds, pm_error *error) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    joint_channels *a = motion_allocate(&arena, c->a->joint_count, sizeof *a);
    joint_channels *b = motion_allocate(&arena, c->b->joint_count, sizeof *b);
    pm_status status = a && b ? check(c, error) : motion_refuse_memory(error);
    *bounds = (certified_bounds){{(double)NAN, 0}, {(double)NAN, 0}};
    if (status == PM_OK)
        status = channels_of(c->a, false, a, error);
    if (status == PM_OK)
        status = channels_of(c->b, true, b, error);
    if (status == PM_OK)
        status = make_curves(c->a, a, &arena, error);
    if (status == PM_OK)
        bounds->degrees = certify_angles(c, a, b);
    if (status == PM_OK && c->a->has_places && c->b->has_places)
        status = certify_places(c, a, b, &arena, &bounds->distance, error);
    status = free_curves(c->a, a, status, error);
    return status;
}
