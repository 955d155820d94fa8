/* SPDX-License-Identifier: MIT
 *
 * Agents that walk and run round a middle: position, activity and motion of each.
 */
#ifndef EXAMPLES_CROWD_AGENTS_H
#define EXAMPLES_CROWD_AGENTS_H

#include <posemill/posemill_crowd.h>
#include <stdbool.h>

enum agent_kind { AGENT_WALKS, AGENT_CHANGES, AGENT_RUNS, AGENT_WAVES, AGENT_BACKS, AGENT_KINDS };

typedef struct agent {
    double x, z;    /* position of the root */
    double heading; /* radians; the agent moves in the direction (sin, cos) of it */
    double cycles;  /* cycles of walk or run since the beginning */
    double speed;   /* speed factor; 1: as in the clips, below 0: walks backwards */
    bool runs;
    double changed; /* when it last began to walk or run, in seconds */
    double offset;  /* added to the distance from the middle in the choice between walk and run */
    enum agent_kind kind;
} agent;

/* What a frame computes, of all agents. */
typedef struct agent_frame {
    pm_crowd_instance *before, *after;
    pm_root_motion *motions;
    /* Of those who change their clip: the old and the new one, each a moment before and at the change; their numbers;
     * and the states of their transitions, pm_crowd_transition_bytes each. NULL: clips change at once */
    pm_crowd_instance *changes[4];
    uint32_t *changed;
    void *transitions;
} agent_frame;

/* Places `count` agents around the middle, from the seed only. */
void agents_place(agent *agents, size_t count);

/* The radius of the disc that contains them. */
double agents_radius(size_t count);

/* Chooses between walk and run, advances by `seconds`, and moves each agent by the root motion of
 * its instance. `after` receives the new instances. */
pm_status agents_move(const pm_crowd *crowd, agent *agents, size_t count, double now,
                      double seconds, agent_frame *frame, pm_error *error);

#endif
