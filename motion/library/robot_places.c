/* SPDX-License-Identifier: MIT
 *
 * Forward kinematics of a robot at a few frames, in double, for comparing with the places in its file.
 */
#include "host/base/elementary.h"
#include "motion/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/model/evaluate.h"

enum { FRAMES = 5 };
static const double most = 0.01; /* metres */

/* What is needed of the robot for one frame after another. */
typedef struct placing {
    const pm_library_content *robot;
    size_t root;
    uint32_t *hinge_of; /* of each joint; PM_NO_INDEX32: it has none */
    uint32_t *places;   /* of each joint among the bodies; PM_NO_INDEX32: the file lacks it */
    similarity *world;
    bool *done;
} placing;

/* The joint at a frame, relative to its parent; the root, to the world. */
static similarity local_of(const placing *p, const double *angles, const double *root,
                           size_t joint) {
    const pm_library_content *robot = p->robot;
    similarity s = {.s = 1};
    memcpy(s.p, joint == p->root ? root : robot->positions + 3 * joint, sizeof s.p);
    memcpy(s.q, joint == p->root ? root + 3 : robot->rotations + 4 * joint, sizeof s.q);
    if (p->hinge_of[joint] == PM_NO_INDEX32)
        return s;
    const double *axis = robot->axes + 3 * joint;
    const double half = (angles[p->hinge_of[joint]] - robot->references[joint]) / 2;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double q[4], turn[4] = {0, 0, 0, pm_same_cos(half)};
    for (size_t i = 0; i < 3; i++)
        turn[i] = pm_same_sin(half) * axis[i] / length;
    memcpy(q, s.q, sizeof q);
    quat_multiply(q, turn, s.q);
    return s;
}

/* The world of each joint; parents may come after their children. */
static void pose(placing *p, const double *angles, const double *root) {
    const pm_library_content *robot = p->robot;
    memset(p->done, 0, robot->joint_count * sizeof *p->done);
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < robot->joint_count; j++) {
            const int32_t parent = robot->parents[j];
            if (p->done[j] || (parent >= 0 && !p->done[parent]))
                continue;
            const similarity local = local_of(p, angles, root, j);
            p->world[j] = parent < 0 ? local : similarity_product(&p->world[parent], &local);
            p->done[j] = moved = true;
        }
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

static pm_status check_frame(const placing *p, size_t frame, const pm_motion_channel *const *bodies,
                             pm_error *error) {
    for (size_t j = 0; j < p->robot->joint_count; j++) {
        const pm_motion_name name = p->robot->joint_names[j];
        if (p->places[j] == PM_NO_INDEX32)
            continue;
        const double distance = distance_of(bodies[p->places[j]], frame, &p->world[j]);
        if (distance <= most)
            continue;
        (void)motion_refuse(
            error,
            "body '%s' is %.3g m from where the angles of the joints place it, at frame "
            "%zu; expected at most 0.01",
            MOTION_SHOWN(name.text, name.size), distance, frame);
        motion_hint(error,
                    "the model is another one, or joints or bodies are in another order than its "
                    "own, which joint_names and body_names in the file would say");
        return PM_ERROR_FILE;
    }
    return PM_OK;
}

static pm_status check_frames(placing *p, const pm_motion_clip *clip,
                              const pm_motion_channel *const *bodies, pm_error *error) {
    const size_t frames = clip->timelines[0].key_count, hinges = p->robot->hinge_count;
    const double *positions = clip->channels[0].keys.data, *rotations = clip->channels[1].keys.data,
                 *angles = clip->channels[2].keys.data;
    for (size_t i = 0; i < FRAMES; i++) {
        const size_t frame = i * (frames - 1) / (FRAMES - 1);
        double root[7];
        memcpy(root, positions + 3 * frame, 3 * sizeof *root);
        memcpy(root + 3, rotations + 4 * frame, 4 * sizeof *root);
        evaluate_normalise(root + 3);
        pose(p, angles + hinges * frame, root);
        MOTION_TRY(check_frame(p, frame, bodies, error));
    }
    return PM_OK;
}

/* The places that are given; without any, those of as many bodies as the robot has. False: there are none. */
static bool find_places(placing *p, const uint32_t *given, size_t count) {
    const pm_library_content *robot = p->robot;
    bool found = false;
    for (size_t j = 0; j < robot->joint_count; j++) {
        p->places[j] = given[j];
        found = found || given[j] != PM_NO_INDEX32;
    }
    for (size_t b = 0; !found && count == robot->body_count && b < count; b++)
        p->places[robot->bodies[b]] = (uint32_t)b;
    return found || count == robot->body_count;
}

pm_status robot_check_places(const pm_library_content *robot, const pm_motion_clip *clip,
                             const pm_motion_channel *const *bodies, size_t count,
                             const uint32_t *places, pm_error *error) {
    const size_t joints = robot->joint_count;
    placing p = {.robot = robot,
                 .root = library_root(robot),
                 .hinge_of = malloc(joints * sizeof *p.hinge_of),
                 .places = malloc(joints * sizeof *p.places),
                 .world = calloc(joints, sizeof *p.world),
                 .done = calloc(joints, sizeof *p.done)};
    pm_status status =
        p.hinge_of && p.places && p.world && p.done ? PM_OK : motion_refuse_memory(error);
    for (size_t j = 0; status == PM_OK && j < joints; j++)
        p.hinge_of[j] = PM_NO_INDEX32;
    for (size_t h = 0; status == PM_OK && h < robot->hinge_count; h++)
        p.hinge_of[robot->hinges[h]] = (uint32_t)h;
    if (status == PM_OK && count > 1 && find_places(&p, places, count))
        status = check_frames(&p, clip, bodies, error);
    MOTION_FREE(p.hinge_of, p.places, p.world, p.done);
    return status;
}
