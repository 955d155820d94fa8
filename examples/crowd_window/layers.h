/* SPDX-License-Identifier: MIT
 *
 * Layers over the figures of examples/crowd: a blend space of walk, run and strafe, breathing that
 * is added, and arms that rise as a wave runs round the crowd.
 */
#ifndef EXAMPLES_CROWD_WINDOW_LAYERS_H
#define EXAMPLES_CROWD_WINDOW_LAYERS_H

#include "crowd/agents.h"

/* Moves, breath and wave are switches; all off: no layers. */
typedef struct layers {
    bool moves, breath, wave;
    pm_crowd_layer *all; /* (members, per_member) */
    pm_crowd_range *ranges;
    size_t members, per_member;
} layers;

/* Room for the layers of so many members. */
pm_status layers_open(layers *l, size_t members, pm_error *error);
/* The switches remain. */
void layers_close(layers *l);

/* Sets how much of its strafe each agent has in the blend space, before they move. */
void layers_steer(const layers *l, agent *agents, double time);

/* Writes the layers of agents that have moved. */
pm_status layers_write(layers *l, const pm_crowd *crowd, const agent *agents, double time,
                       pm_error *error);

/* What a job takes: nothing if all switches are off. */
void layers_give(const layers *l, pm_crowd_job *job);

#endif
