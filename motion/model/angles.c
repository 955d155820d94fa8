/* SPDX-License-Identifier: MIT
 *
 * Wrapped angles: finding and undoing them.
 */
#include "motion/model/angles.h"

#include <math.h>

#include "motion/model/evaluate.h"

/* Rounding of float32 in the file must not make a step of half a turn one above it. */
static bool is_jump(double step, double full_turn) {
    return fabs(step) > full_turn * (0.5 + 1e-6);
}

static void add_jump(angle_jumps *found, size_t key, uint32_t component) {
    if (found->count++ == 0 || key < found->key) {
        found->key = key;
        found->component = component;
    }
}

angle_jumps angles_find_jumps(const pm_motion_channel *channel, size_t keys, uint32_t component) {
    angle_jumps found = {.count = 0};
    const bool all = component == UINT32_MAX;
    if (!(channel->full_turn > 0) || !channel->keys.data)
        return found;
    for (uint32_t i = all ? 0 : component; i < (all ? channel->components : component + 1); i++)
        for (size_t k = 1; k < keys; k++) {
            const double step = evaluate_number(&channel->keys, channel->components, k, i) -
                                evaluate_number(&channel->keys, channel->components, k - 1, i);
            if (is_jump(step, channel->full_turn))
                add_jump(&found, k, i);
        }
    return found;
}

angle_jumps angles_unwrap(double *angles, size_t keys, size_t stride, double full_turn) {
    angle_jumps found = {.count = 0};
    double before = keys > 0 ? angles[0] : 0, turns = 0;
    for (size_t k = 1; k < keys; k++) {
        double *angle = &angles[k * stride];
        const double step = *angle - before;
        before = *angle;
        if (is_jump(step, full_turn)) {
            turns -= round(step / full_turn);
            add_jump(&found, k, 0);
        }
        *angle += turns * full_turn;
    }
    return found;
}

void angles_warn(const motion_warnings *warnings, const pm_motion_content *content) {
    for (size_t i = 0; i < content->clip_count; i++)
        for (size_t c = 0; c < content->clips[i].channel_count; c++) {
            const pm_motion_channel *channel = &content->clips[i].channels[c];
            const size_t keys = content->clips[i].timelines[channel->timeline].key_count;
            const angle_jumps found = angles_find_jumps(channel, keys, UINT32_MAX);
            char shown[MOTION_PRINTABLE] = "";
            if (found.count == 0)
                continue;
            if (channel->subjects) {
                const pm_motion_name name = channel->subjects[found.component];
                motion_printable(shown, name.text, name.size);
            }
            motion_warn(
                warnings,
                "%zu step%s of joint angles %s above half a turn, the first to frame %zu of joint "
                "%u%s%s%s: wrapped angles are interpolated the long way round",
                found.count, found.count == 1 ? "" : "s", found.count == 1 ? "is" : "are",
                found.key, found.component, shown[0] ? ", '" : "", shown, shown[0] ? "'" : "");
        }
}
