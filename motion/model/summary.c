/* SPDX-License-Identifier: MIT
 *
 * Counts over a clip, and the depth of its hierarchy.
 */
#include "motion/model/summary.h"

#include <math.h>
#include <stdlib.h>

#include "host/base/elementary.h"
#include "motion/model/angles.h"
#include "motion/model/pose.h"

#define DEGREES 57.295779513082320877

/* The angle between two keys of a rotation. */
static double turn_between(const pm_motion_channel *channel, size_t a, size_t b) {
    double dot = 0;
    for (uint32_t i = 0; i < 4; i++)
        dot += evaluate_number(&channel->keys, 4, a, i) * evaluate_number(&channel->keys, 4, b, i);
    return 2 * pm_same_acos(fmin(fabs(dot), 1)) * DEGREES;
}

static void measure_steps(const pm_motion_channel *channel, size_t keys, clip_summary *s) {
    for (size_t k = 1; k < keys; k++) {
        const double turn = turn_between(channel, k - 1, k);
        double *step = k == 1 ? &s->first_step : &s->other_step;
        *step = fmax(*step, turn);
    }
}

clip_summary motion_summarise(const pm_motion_clip *clip) {
    clip_summary s = {.begin = (double)INFINITY, .end = -(double)INFINITY};
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        const pm_timeline *timeline = &clip->timelines[channel->timeline];
        s.begin = fmin(s.begin, evaluate_key_time(timeline, 0));
        s.end = fmax(s.end, evaluate_key_time(timeline, timeline->key_count - 1));
        s.keys = timeline->key_count > s.keys ? timeline->key_count : s.keys;
        s.interpolations[channel->interpolation]++;
        s.paths[channel->path]++;
        s.angle_jumps += angles_find_jumps(channel, timeline->key_count, UINT32_MAX).count;
        if (channel->path == PM_MOTION_ROTATION && channel->keys.data)
            measure_steps(channel, timeline->key_count, &s);
    }
    if (clip->channel_count == 0)
        s.begin = s.end = 0;
    return s;
}

/* 0 where memory is exhausted. */
size_t motion_depth(const pm_motion_content *content) {
    FREED uint32_t *order = malloc((content->node_count + 1) * sizeof *order);
    size_t deepest = 0;
    FREED size_t *depths = calloc(content->node_count + 1, sizeof *depths);
    const bool good = order && depths && pose_order(content, order);
    for (size_t i = 0; good && i < content->node_count; i++) {
        const int32_t parent = content->nodes[order[i]].parent;
        depths[order[i]] = 1 + (parent >= 0 ? depths[parent] : 0);
        deepest = depths[order[i]] > deepest ? depths[order[i]] : deepest;
    }
    return deepest;
}
