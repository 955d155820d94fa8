/* SPDX-License-Identifier: MIT
 *
 * The behaviour of the agents: a rule for the activity of each, and positions computed from the
 * root motion of the clips.
 */
#include "agents.h"

#include "body.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double spacing = 0.95;    /* metres: the area per agent is about pi times the square */
static const double empty_middle = 12; /* the number of agents that would fit there */

/* xorshift64*: a random number in [0, 1). */
static double chance(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

static double smooth_step(double from, double to, double x) {
    double t = fmin(fmax((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

double agents_radius(size_t count) {
    return spacing * sqrt((double)count + empty_middle);
}

/* Agents are placed from the middle outwards, each a golden angle after the one before. They stay
 * roughly sorted by distance, so those who walk, change and run are also neighbours in memory:
 * instances are posed in groups of sixteen, and a blend has a cost only for groups that contain
 * one. */
void agents_place(agent *agents, size_t count) {
    uint64_t state = 0x9E3779B97F4A7C15u;
    const double golden = pi * (3 - sqrt(5.0));
    for (size_t i = 0; i < count; i++) {
        agent *a = &agents[i];
        double radius = spacing * sqrt((double)i + empty_middle) + 0.25 * chance(&state);
        double angle = golden * (double)i;
        double kind_draw = chance(&state);
        *a = (agent){.x = radius * cos(angle), .z = radius * sin(angle), .heading = -angle};
        a->cycles = chance(&state);
        a->speed = 0.85 + 0.3 * chance(&state);
        a->offset = chance(&state) + chance(&state) - 1;
        if (kind_draw < 0.05)
            a->kind = AGENT_BACKS;
        else if (kind_draw < 0.14)
            a->kind = AGENT_WAVES;
        if (a->kind == AGENT_BACKS)
            a->speed = -0.7 * a->speed;
    }
}

/* Agents that wave or go backwards keep walking. The others run if they are far from the middle. */
static void choose(agent *a, double radius) {
    double far = hypot(a->x, a->z) / radius + 0.09 * a->offset;
    if (a->kind == AGENT_WAVES || a->kind == AGENT_BACKS)
        return;
    a->run = smooth_step(0.6, 0.76, far);
    a->kind = a->run <= 0.0 ? AGENT_WALKS : a->run >= 1.0 ? AGENT_RUNS : AGENT_CHANGES;
}

/* Walk and run have the same phase of their cycles, so that the feet touch the ground together. */
static pm_crowd_instance instance_of(const agent *a, double cycles, double now) {
    pm_crowd_instance in = {.clip_a = BODY_WALK, .flags = PM_CROWD_IN_PLACE};
    if (a->kind == AGENT_RUNS)
        in.clip_a = BODY_RUN;
    in.time_a = pm_crowd_ticks(cycles * body_seconds[in.clip_a]);
    if (a->kind == AGENT_CHANGES) {
        in.clip_b = BODY_RUN;
        in.time_b = pm_crowd_ticks(cycles * body_seconds[BODY_RUN]);
        in.weight = (float)a->run;
    }
    if (a->kind == AGENT_WAVES) {
        in.clip_b = BODY_WAVE;
        in.time_b = pm_crowd_ticks(now * a->speed);
        in.weight = 1.0f;
        in.mask = BODY_RIGHT_ARM_ONLY;
    }
    return in;
}

/* Moves along the root motion, then turns round the middle by the distance covered. */
static void move_agent(agent *a, const pm_root_motion *motion) {
    const double ahead = (double)motion->position[2], aside = (double)motion->position[0];
    const double radius = hypot(a->x, a->z);
    a->heading += 2 * atan2((double)motion->rotation[1], (double)motion->rotation[3]);
    a->heading -= ahead / radius / 2;
    a->x += aside * cos(a->heading) + ahead * sin(a->heading);
    a->z += ahead * cos(a->heading) - aside * sin(a->heading);
    a->heading -= ahead / radius / 2;
}

pm_status agents_move(const pm_crowd *crowd, agent *agents, size_t count, double now,
                      double seconds, pm_crowd_instance *before, pm_crowd_instance *after,
                      pm_root_motion *motions, pm_error *error) {
    for (size_t i = 0; i < count; i++) {
        agent *a = &agents[i];
        choose(a, agents_radius(count));
        before[i] = instance_of(a, a->cycles, now);
        a->cycles += a->speed * seconds /
                     ((1 - a->run) * body_seconds[BODY_WALK] + a->run * body_seconds[BODY_RUN]);
        after[i] = instance_of(a, a->cycles, now + seconds);
    }
    pm_status status = pm_crowd_root_motion(crowd, before, after, count, motions, error);
    for (size_t i = 0; status == PM_OK && i < count; i++)
        move_agent(&agents[i], &motions[i]);
    return status;
}
