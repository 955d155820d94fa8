/* SPDX-License-Identifier: MIT
 *
 * Changes of angular velocity along the frames of one motion.
 */
#include "motion/compare/compare.h"

#include <string.h>

bool jumps_begin(jump_state *s, motion_arena *arena, const subject *of) {
    const size_t joints = of->joint_count;
    *s = (jump_state){.joints = joints,
                      .step = subject_step(of) / 2,
                      .rotations = motion_allocate(arena, joints, 4 * sizeof *s->rotations),
                      .velocities = motion_allocate(arena, joints, 3 * sizeof *s->velocities),
                      .largest = motion_allocate(arena, joints, sizeof *s->largest)};
    for (size_t j = 0; s->largest && j < joints; j++)
        extent_begin(&s->largest[j]);
    return s->rotations != NULL && s->velocities != NULL && s->largest != NULL;
}

void jumps_add(jump_state *s, double time, const subject_pose *poses) {
    const double seconds = time - s->time;
    if (s->count > 0 && seconds < s->step - SUBJECT_SAME_TIME)
        return;
    for (size_t j = 0; j < s->joints; j++) {
        double *before = s->rotations + 4 * j, *velocity = s->velocities + 3 * j, step[3];
        if (s->count > 0) {
            measure_turn(before, poses[j].rotation, step);
            for (size_t i = 0; i < 3; i++)
                step[i] /= seconds;
            if (s->count > 1)
                extent_add(&s->largest[j], measure_distance(velocity, step), s->time);
            memcpy(velocity, step, sizeof step);
        }
        memcpy(before, poses[j].rotation, 4 * sizeof *before);
    }
    s->time = time;
    s->count += s->count < 2;
}

static pm_status walk(jump_state *s, subject *of, compare_times *times, double *block, size_t room,
                      subject_pose *poses, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t count = times_next(times, block, room); count > 0 && status == PM_OK;
         count = times_next(times, block, room)) {
        status = subject_evaluate(of, block, count, poses, error);
        for (size_t i = 0; i < count && status == PM_OK; i++)
            jumps_add(s, block[i], poses + i * of->joint_count);
    }
    return status;
}

pm_status jumps_walk(jump_state *s, motion_arena *arena, subject *of, pm_error *error) {
    const size_t room = times_room(of->joint_count);
    double *block = motion_allocate(arena, room, sizeof *block);
    subject_pose *poses = motion_allocate(arena, room, of->joint_count * sizeof *poses);
    compare_times times = {.done = 0};
    const times_request keys = {.rule = TIMES_OF_A};
    const bool has_memory = block != NULL && poses != NULL && times_begin(&times, of, of, &keys);
    const pm_status status =
        has_memory ? walk(s, of, &times, block, room, poses, error) : motion_refuse_memory(error);
    times_release(&times);
    return status;
}
