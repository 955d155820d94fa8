/* SPDX-License-Identifier: MIT
 *
 * Captures states of transitions, an instance in each lane. Compiled once for each instruction set.
 */
#include "float_lanes.h"

#include "lane_batch.h"

static size_t index_of(const pm_capture *c, size_t i) {
    return c->index ? c->index[i] : c->first + i;
}

static void put_row(const pm_capture *c, size_t first, pm_u64 at, pm_quat row) {
    const pm_quat_block m = pm_block_of(row);
    const real rows[4] = {m.r0, m.r1, m.r2, m.r3};
    float words[4 * PM_LANES];
    memcpy(words, rows, sizeof words);
    for (size_t i = 0; i < PM_LANES && first + i < c->count; i++)
        if (index_of(c, first + i) < c->instance_count)
            memcpy(c->states + index_of(c, first + i) * c->stride + at * sizeof *words,
                   words + i % 4 * PM_LANES + i / 4 * 4, PM_TRANSITION_BYTES);
}

static pm_quat local_at(const pm_capture *c, const float *poses, size_t first, size_t number) {
    pm_u64 at[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++) /* lanes without an instance repeat the first */
        at[i] = (first + i < c->count ? first + i : first) * c->pose + number;
    return pm_gather_quats_at(poses, at);
}

PM_FLAT static void capture_lanes(const pm_capture *c, size_t first) {
    const pm_u32 joints = (pm_u32)c->crowd->skeleton->joint_count;
    const pm_u32 channels = (pm_u32)c->crowd->channels[PM_SCALES].present << PM_SCALES;
    const real rate = PM_REAL(c->rate);
    for (pm_u32 n = 0; n < PM_CHANNEL_COUNT; n++) {
        const pm_u32 rows = n == PM_POSITIONS && c->crowd->kind.root_positions ? 1 : joints;
        for (pm_u32 j = 0; c->crowd->channels[n].present && j < rows; j++) {
            const size_t number = 12 * (size_t)j + 4 * (size_t)n;
            const pm_quat before[2] = {local_at(c, c->before[0], first, number),
                                       local_at(c, c->before[1], first, number)};
            const pm_quat after[2] = {local_at(c, c->after[0], first, number),
                                      local_at(c, c->after[1], first, number)};
            put_row(c, first, pm_transition_row(channels, joints, n, j),
                    pm_offset_row(n, pm_offset_between(n, before, after, rate)));
        }
    }
}

void PM_SET_NAME(pm_lane_capture)(const pm_capture *c) {
    for (size_t first = 0; first < c->count; first += PM_LANES)
        capture_lanes(c, first);
    for (size_t i = 0; i < c->count; i++)
        if (index_of(c, i) < c->instance_count) {
            unsigned char *state = c->states + index_of(c, i) * c->stride;
            memcpy(state, &c->head, sizeof c->head);
            memset(state + PM_TRANSITION_ROOT, 0, sizeof(pm_transition_root));
        }
}
