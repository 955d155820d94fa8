/* SPDX-License-Identifier: MIT
 *
 * The layers of each member and frame: the blend space replaces the pose, breathing is added to it,
 * and the arm is over both.
 */
#include "layers.h"

#include <math.h>
#include <stdlib.h>

#include "crowd/body.h"
#include "fault.h"

enum { MOVES = 3, LAYERS_MAX = MOVES + 2 };

pm_status layers_open(layers *l, size_t members, pm_error *error) {
    layers_close(l);
    l->all = calloc(members * LAYERS_MAX, sizeof *l->all);
    l->ranges = calloc(members, sizeof *l->ranges);
    l->members = members;
    return l->all && l->ranges ? PM_OK : fault_memory(error);
}

void layers_close(layers *l) {
    free(l->all);
    free(l->ranges);
    *l = (layers){.moves = l->moves, .breath = l->breath, .wave = l->wave};
}

void layers_steer(const layers *l, agent *agents, double time) {
    for (size_t i = 0; i < l->members; i++)
        agents[i].strafe = l->moves ? 0.4 - 0.4 * cos(0.5 * time + 4 * (double)i) : 0;
}

/* The weights are the agent's place between the clips. The feet of all clips land together. */
static pm_status write_moves(const pm_crowd *crowd, const agent *a, pm_crowd_layer to[MOVES],
                             pm_error *error) {
    static const uint32_t clips[MOVES] = {BODY_WALK, BODY_RUN, BODY_STRAFE};
    const double weights[MOVES] = {(1 - a->strafe) * (1 - a->run), (1 - a->strafe) * a->run,
                                   a->strafe};
    const int64_t walk = pm_crowd_ticks(a->cycles * body_seconds[BODY_WALK]);
    pm_status status = PM_OK;
    for (size_t k = 0; status == PM_OK && k < MOVES; k++) {
        to[k] =
            (pm_crowd_layer){.clip = clips[k], .weight = (float)weights[k], .op = PM_LAYER_MEAN};
        status = pm_crowd_synced_time(crowd, BODY_WALK, walk, clips[k], &to[k].time, error);
    }
    return status;
}

static pm_crowd_layer breath_of(size_t i, double time) {
    return (pm_crowd_layer){.clip = BODY_BREATHE,
                            .time = pm_crowd_ticks(time + 0.7 * (double)i),
                            .weight = 1,
                            .op = PM_LAYER_ADD};
}

/* The wave runs round the middle. */
static pm_crowd_layer wave_of(const agent *a, double time) {
    const double height = sin(atan2(a->z, a->x) - 1.5 * time);
    return (pm_crowd_layer){.clip = BODY_WAVE,
                            .time = pm_crowd_ticks(time),
                            .weight = (float)fmax(0, height),
                            .mask = BODY_RIGHT_ARM_ONLY,
                            .op = PM_LAYER_OVER};
}

pm_status layers_write(layers *l, const pm_crowd *crowd, const agent *agents, double time,
                       pm_error *error) {
    pm_status status = PM_OK;
    l->per_member = (l->moves ? MOVES : 0) + (size_t)l->breath + (size_t)l->wave;
    for (size_t i = 0; status == PM_OK && i < l->members; i++) {
        pm_crowd_layer *to = l->all + i * l->per_member;
        l->ranges[i] = (pm_crowd_range){.first = (uint32_t)(i * l->per_member),
                                        .count = (uint32_t)l->per_member};
        if (l->moves)
            status = write_moves(crowd, &agents[i], to, error);
        to += l->moves ? MOVES : 0;
        if (l->breath)
            *to++ = breath_of(i, time);
        if (l->wave)
            *to = wave_of(&agents[i], time);
    }
    return status;
}

void layers_give(const layers *l, pm_crowd_job *job) {
    if (l->per_member == 0)
        return;
    job->layers = l->all;
    job->layer_count = l->members * l->per_member;
    job->ranges = l->ranges;
}
