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
static const double change_seconds = 0.4;    /* of a transition */
static const double step_seconds = 1.0 / 64; /* before it, in which velocities are measured */

/* xorshift64*: a random number in [0, 1). */
static double chance(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

double agents_radius(size_t count) {
    return spacing * sqrt((double)count + empty_middle);
}

/* Agents are placed from the middle outwards, each a golden angle after the one before. They stay
 * roughly sorted by distance, so those who walk, change and run are also neighbours in memory:
 * instances are posed in groups of sixteen, and a blend or a transition has a cost only for groups
 * that contain one. */
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
        a->changed = -change_seconds;
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

/* Agents that wave or go backwards keep walking. The others run if they are far from the middle; how far that is comes
 * and goes. */
static void choose(agent *a, double radius, double now) {
    const double far = hypot(a->x, a->z) / radius + 0.09 * a->offset;
    const bool ran = a->runs;
    if (a->kind == AGENT_WAVES || a->kind == AGENT_BACKS)
        return;
    a->runs = far + 0.12 * sin(0.8 * now + 5 * a->offset) > 0.55;
    if (ran != a->runs)
        a->changed = now > 0 ? now : -change_seconds;
    a->kind = now - a->changed < change_seconds ? AGENT_CHANGES
              : a->runs                         ? AGENT_RUNS
                                                : AGENT_WALKS;
}

/* Cycles per second. */
static double pace(const agent *a) {
    return a->speed / body_seconds[a->runs ? BODY_RUN : BODY_WALK];
}

/* Walk and run have the same phase of their cycles, so that the feet touch the ground together. */
static pm_crowd_instance instance_of(const agent *a, double cycles, double now) {
    pm_crowd_instance in = {.clip_a = a->runs ? BODY_RUN : BODY_WALK, .flags = PM_CROWD_IN_PLACE};
    in.time_a = pm_crowd_ticks(cycles * body_seconds[in.clip_a]);
    if (a->kind == AGENT_WAVES) {
        in.clip_b = BODY_WAVE;
        in.time_b = pm_crowd_ticks(now * a->speed);
        in.weight = 1.0f;
        in.mask = BODY_RIGHT_ARM_ONLY;
    }
    return in;
}

/* An agent that shows another clip from now on. */
static void note_change(const agent *a, size_t i, double now, agent_frame *f) {
    agent old = *a;
    old.runs = !a->runs;
    for (int moment = 0; moment < 2; moment++) {
        const double earlier = moment == 0 ? step_seconds : 0;
        f->changes[moment][i] = instance_of(&old, a->cycles - earlier * pace(&old), now - earlier);
        f->changes[2 + moment][i] = instance_of(a, a->cycles - earlier * pace(a), now - earlier);
    }
}

/* Begins the transitions of those who change: pose and velocity go on as they were. */
static pm_status begin_transitions(const pm_crowd *crowd, agent_frame *f, size_t count,
                                   size_t changed, double now, pm_error *error) {
    pm_crowd_job jobs[4];
    for (int i = 0; i < 4; i++)
        jobs[i] =
            (pm_crowd_job){.instances = f->changes[i],
                           .instance_count = count,
                           .transitions = i < 2 ? f->transitions : NULL,
                           .transition_time = pm_crowd_ticks(now - (i == 0 ? step_seconds : 0))};
    const pm_crowd_transition change = {.before = {&jobs[0], &jobs[1]},
                                        .after = {&jobs[2], &jobs[3]},
                                        .step = pm_crowd_ticks(step_seconds),
                                        .time = pm_crowd_ticks(now),
                                        .duration = (float)change_seconds,
                                        .indices = f->changed,
                                        .index_count = changed,
                                        .states = f->transitions};
    return changed ? pm_crowd_begin_transitions(crowd, &change, error) : PM_OK;
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
                      double seconds, agent_frame *f, pm_error *error) {
    const int64_t times[2] = {pm_crowd_ticks(now), pm_crowd_ticks(now + seconds)};
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        agent *a = &agents[i];
        const bool ran = a->runs;
        choose(a, agents_radius(count), now);
        if (ran != a->runs && f->transitions && now > 0) {
            note_change(a, i, now, f);
            f->changed[changed++] = (uint32_t)i;
        }
        f->before[i] = instance_of(a, a->cycles, now);
        a->cycles += pace(a) * seconds;
        f->after[i] = instance_of(a, a->cycles, now + seconds);
    }
    pm_status status = begin_transitions(crowd, f, count, changed, now, error);
    if (status == PM_OK)
        status =
            f->transitions
                ? pm_crowd_root_motion_in_transition(crowd, f->before, f->after, count,
                                                     f->transitions, 0, times, f->motions, error)
                : pm_crowd_root_motion(crowd, f->before, f->after, count, f->motions, error);
    for (size_t i = 0; status == PM_OK && i < count; i++)
        move_agent(&agents[i], &f->motions[i]);
    return status;
}
