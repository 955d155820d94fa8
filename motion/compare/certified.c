/* SPDX-License-Identifier: MIT
 *
 * The rotations of each pair of joints, over the whole of both clips.
 */
#include "motion/compare/certified.h"

#include <math.h>

#include "motion/reduce/certify.h"

static const double degrees_per_radian = 57.29577951308232;

static pm_status check(const comparison *c, pm_error *error) {
    if (c->a->curve)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "a bound at all times requires the file's own curves, without a method");
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

/* A joint that is not animated has its rest pose as a key. */
typedef struct held {
    pm_motion_channel channel;
    pm_timeline timeline;
    double time;
} held;

static pm_status rotation_of(const subject *s, uint32_t joint, held *rest, certified *found,
                             pm_error *error) {
    const pm_motion_channel *channel = s->channels[(size_t)joint * SUBJECT_PATHS];
    const pm_motion_node *node = &s->view.content.nodes[joint];
    char shown[MOTION_PRINTABLE];
    if (channel && channel->interpolation == PM_MOTION_CUBICSPLINE)
        return motion_refuse(error,
                             "joint '%s' has a cubic spline; a bound at all times is of slerp and "
                             "steps",
                             motion_printable(shown, node->name.text, node->name.size));
    if (channel) {
        *found = (certified){channel, &s->clip->timelines[channel->timeline]};
        return PM_OK;
    }
    rest->time = s->begin;
    rest->timeline = (pm_timeline){.key_count = 1, .times = &rest->time};
    rest->channel = (pm_motion_channel){.path = PM_MOTION_ROTATION,
                                        .components = 4,
                                        .keys = {.data = node->rotation, .type = PM_FLOAT64}};
    *found = (certified){&rest->channel, &rest->timeline};
    return PM_OK;
}

pm_status compare_certify(const comparison *c, double *degrees, size_t *pair, pm_error *error) {
    pm_status status = check(c, error);
    *degrees = 0;
    *pair = 0;
    for (size_t p = 0; status == PM_OK && p < c->pairs->count; p++) {
        held rest[2];
        certified a, b;
        status = rotation_of(c->a, c->pairs->pairs[p].a, &rest[0], &a, error);
        if (status == PM_OK)
            status = rotation_of(c->b, c->pairs->pairs[p].b, &rest[1], &b, error);
        if (status != PM_OK)
            return status;
        const double bound = certify_rotation(a, b, 0).bound * degrees_per_radian;
        *pair = bound > *degrees ? p : *pair;
        *degrees = fmax(*degrees, bound);
    }
    return status;
}
