/* SPDX-License-Identifier: MIT
 *
 * People who walk and run round a middle: where each is, what it does, and how that goes on.
 */
#ifndef EXAMPLES_CROWD_AGENTS_H
#define EXAMPLES_CROWD_AGENTS_H

#include <posemill/posemill_crowd.h>

enum agent_kind { AGENT_WALKS, AGENT_CHANGES, AGENT_RUNS, AGENT_WAVES, AGENT_BACKS, AGENT_KINDS };

typedef struct agent {
    double x, z;    /* where the root stands */
    double heading; /* radians: looks along (sin, cos) of it */
    double cycles;  /* of walk or run since the beginning */
    double pace;    /* 1: as the clips are; of those who walk backwards below 0 */
    double run;     /* 0: walks, 1: runs, between them both */
    double border;  /* added to its distance from the middle before it makes up its mind */
    enum agent_kind kind;
} agent;

/* Puts them around the middle, `count` in number, from the seed alone. */
void agents_place(agent *agents, size_t count);

/* The radius that holds them. */
double agents_radius(size_t count);

/* What each does now. */
void agents_instances(const agent *agents, size_t count, double now, pm_crowd_instance *instances);

/* Chooses between walk and run, goes on for `seconds`, and moves each by its root's travel.
 * before, after and travels are room for `count`; `after` is what each does then. */
pm_status agents_move(const pm_crowd *crowd, agent *agents, size_t count, double now,
                      double seconds, pm_crowd_instance *before, pm_crowd_instance *after,
                      pm_root_motion *travels, pm_error *error);

#endif
