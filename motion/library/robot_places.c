/* SPDX-License-Identifier: MIT
 *
 * Forward kinematics of a robot at a few frames, in double, for comparing with the places in its file.
 */
#include "motion/library/robot_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/library/library.h"
#include "motion/model/evaluate.h"

enum { FRAMES = 5 };
static const double most = 0.01; /* metres */

/* The joint at a frame, relative to its parent; the root, to the world. */
static similarity local_of(const pm_library_content *robot, const double *angles,
                           const double *root, size_t joint) {
    similarity s = {.s = 1};
    memcpy(s.p, robot->positions + 3 * joint, sizeof s.p);
    memcpy(s.q, robot->rotations + 4 * joint, sizeof s.q);
    if (joint == library_root(robot)) {
        memcpy(s.p, root, sizeof s.p);
        memcpy(s.q, root + 3, sizeof s.q);
    }
    for (size_t h = 0; h < robot->hinge_count; h++) {
        const double *axis = robot->axes + 3 * joint;
        double q[4], turn[4];
        if (robot->hinges[h] != joint)
            continue;
        const double half = (angles[h] - robot->references[joint]) / 2;
        const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        for (size_t i = 0; i < 3; i++)
            turn[i] = sin(half) * axis[i] / length;
        turn[3] = cos(half);
        memcpy(q, s.q, sizeof q);
        quat_multiply(q, turn, s.q);
    }
    return s;
}

/* The world of each joint; parents may come after their children. */
static void pose(const pm_library_content *robot, const double *angles, const double *root,
                 similarity *world, bool *done) {
    memset(done, 0, robot->joint_count * sizeof *done);
    for (size_t left = robot->joint_count; left > 0;) {
        const size_t before = left;
        for (size_t j = 0; j < robot->joint_count; j++) {
            const int32_t parent = robot->parents[j];
            if (done[j] || (parent >= 0 && !done[parent]))
                continue;
            const similarity local = local_of(robot, angles, root, j);
            world[j] = parent < 0 ? local : similarity_product(&world[parent], &local);
            done[j] = true;
            left--;
        }
        if (left == before) /* a circle, which a library refuses elsewhere */
            return;
    }
}

static double distance_of(const pm_motion_channel *body, size_t frame, const similarity *world) {
    double square = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const double step = evaluate_number(&body->keys, 3, frame, i) - world->p[i];
        square += step * step;
    }
    return sqrt(square);
}

static pm_status check_frame(const pm_library_content *robot, size_t frame,
                             const pm_motion_channel *const *bodies, const uint32_t *places,
                             const similarity *world, pm_error *error) {
    for (size_t j = 0; j < robot->joint_count; j++) {
        char shown[MOTION_PRINTABLE];
        const double distance =
            places[j] == PM_NO_INDEX32 ? 0 : distance_of(bodies[places[j]], frame, &world[j]);
        if (distance <= most)
            continue;
        (void)motion_refuse(
            error,
            "body '%s' is %.3g m from where the angles of the joints place it, at frame "
            "%zu; expected at most 0.01",
            motion_printable(shown, robot->joint_names[j].text, robot->joint_names[j].size),
            distance, frame);
        motion_hint(error,
                    "the model is another one, or joints or bodies without names are in another "
                    "order than those of the model");
        return PM_ERROR_FILE;
    }
    return PM_OK;
}

static bool have_places(const pm_library_content *robot, const uint32_t *places) {
    for (size_t j = 0; j < robot->joint_count; j++)
        if (places[j] != PM_NO_INDEX32)
            return true;
    return false;
}

static pm_status check_frames(const pm_library_content *robot, const pm_motion_clip *clip,
                              const pm_motion_channel *const *bodies, const uint32_t *places,
                              similarity *world, bool *done, pm_error *error) {
    const size_t frames = clip->timelines[0].key_count, hinges = robot->hinge_count;
    const double *positions = clip->channels[0].keys.data, *rotations = clip->channels[1].keys.data,
                 *angles = clip->channels[2].keys.data;
    pm_status status = PM_OK;
    for (size_t i = 0; i < FRAMES && status == PM_OK; i++) {
        const size_t frame = i * (frames - 1) / (FRAMES - 1);
        double root[7];
        memcpy(root, positions + 3 * frame, 3 * sizeof *root);
        memcpy(root + 3, rotations + 4 * frame, 4 * sizeof *root);
        evaluate_normalise(root + 3);
        pose(robot, angles + hinges * frame, root, world, done);
        status = check_frame(robot, frame, bodies, places, world, error);
    }
    return status;
}

pm_status robot_check_places(const pm_library_content *robot, const pm_motion_clip *clip,
                             const pm_motion_channel *const *bodies, size_t count,
                             const uint32_t *places, pm_error *error) {
    const bool named = have_places(robot, places);
    uint32_t *own = malloc((robot->joint_count + 1) * sizeof *own);
    similarity *world = calloc(robot->joint_count + 1, sizeof *world);
    bool *done = calloc(robot->joint_count + 1, sizeof *done);
    pm_status status = own && world && done ? PM_OK : motion_refuse_memory(error);
    for (size_t j = 0; status == PM_OK && j < robot->joint_count; j++)
        own[j] = named ? places[j] : PM_NO_INDEX32;
    for (size_t b = 0; status == PM_OK && !named && count == robot->body_count && b < count; b++)
        own[robot->bodies[b]] = (uint32_t)b;
    if (status == PM_OK && count > 1 && have_places(robot, own))
        status = check_frames(robot, clip, bodies, own, world, done, error);
    free(own);
    free(world);
    free(done);
    return status;
}
