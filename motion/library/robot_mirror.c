/* SPDX-License-Identifier: MIT
 *
 * Left for right of a motion of a robot. A turn by an angle about axis a is, in the mirror, one by the same
 * angle about -M a, where M mirrors vectors: the angle keeps its sign where the partner's axis is that one,
 * and changes it where the axis is M a.
 */
#include <string.h>

#include "host/base/elementary.h"
#include "motion/base/c_locale.h"
#include "motion/library/library.h"
#include "motion/model/evaluate.h"
#include "motion/model/names.h"
#include "motion/model/pose.h"
#include "motion/model/sides.h"
#include "motion/steps/edit.h"

#define NONE PM_NO_INDEX32

/* The sine of the largest angle between an axis and the image of its partner's: models from CAD have digits
 * that differ. */
static const double most = 0.02;

typedef struct mirroring {
    const pm_library_content *robot;
    pm_motion_content joints; /* of the robot, as nodes */
    pm_motion_node *nodes;
    edit_mirror_plan plan;
    uint32_t *hinge_of; /* of each joint; NONE: it has none */
    double *signs;      /* of each hinge */
    bool *is_moved;     /* joints of the root's tree */
    bool *is_body;
    pm_motion_name *bodies; /* of each joint, the name of its body */
    motion_notes *notes;
    motion_arena *arena;
} mirroring;

/* Joints by the names of their bodies or, where they turn, of their hinges. */
static void name_joints(mirroring *m, bool by_hinges) {
    const pm_library_content *robot = m->robot;
    for (size_t j = 0; j < robot->joint_count; j++) {
        const uint32_t hinge = m->hinge_of[j];
        const bool named = by_hinges && hinge != NONE && robot->hinge_names[hinge].size > 0;
        m->nodes[j].name = !m->is_moved[j] ? (pm_motion_name){"", 0}
                           : named         ? robot->hinge_names[hinge]
                                           : m->bodies[j];
    }
}

/* The joint above in the same body; NONE: there is none. */
static uint32_t above_in_body(const mirroring *m, size_t joint) {
    const int32_t parent = m->robot->parents[joint];
    return parent < 0 || m->is_body[parent] ? NONE : (uint32_t)parent;
}

static void name_bodies(mirroring *m) {
    const pm_library_content *robot = m->robot;
    for (size_t j = 0; j < robot->joint_count; j++)
        m->bodies[j] = robot->joint_names[j];
    for (size_t b = 0; b < robot->body_count; b++)
        m->is_body[robot->bodies[b]] = true;
    for (size_t b = 0; b < robot->body_count; b++)
        for (uint32_t j = robot->bodies[b]; (j = above_in_body(m, j)) != NONE;)
            m->bodies[j] = robot->joint_names[robot->bodies[b]];
}

/* Leaves each node with the name that has a partner: of its hinge, of its body, or of another joint of that.
 * Nodes with equal names are paired in their order. */
static void settle_names(mirroring *m, const uint32_t *by_bodies, const uint32_t *by_hinges) {
    for (size_t j = 0; j < m->robot->joint_count; j++)
        if (by_hinges[j] == j && by_bodies[j] != j)
            m->nodes[j].name = m->bodies[j];
    for (size_t b = 0; b < m->robot->body_count; b++) {
        uint32_t known = NONE;
        for (uint32_t j = m->robot->bodies[b]; j != NONE; j = above_in_body(m, j))
            known = by_hinges[j] != j || by_bodies[j] != j ? j : known;
        for (uint32_t j = m->robot->bodies[b]; j != NONE && known != NONE; j = above_in_body(m, j))
            if (by_hinges[j] == j && by_bodies[j] == j)
                m->nodes[j].name = m->nodes[known].name;
    }
}

static pm_status refuse_names(const mirroring *m, size_t joint, const uint32_t *by_bodies,
                              const uint32_t *by_hinges, pm_error *error) {
    const uint32_t other = by_hinges[joint];
    char hinge[MOTION_PRINTABLE], second[MOTION_PRINTABLE], body[MOTION_PRINTABLE],
        third[MOTION_PRINTABLE];
    motion_report(
        error, PM_ERROR_FILE,
        "joints '%s' and '%s' are left and right by their names, bodies '%s' and '%s' too",
        motion_joint_name(hinge, m->nodes[joint].name, (int64_t)joint),
        motion_joint_name(second, m->nodes[other].name, other),
        motion_joint_name(body, m->bodies[joint], (int64_t)joint),
        motion_joint_name(third, m->bodies[by_bodies[joint]], by_bodies[joint]));
    motion_cure(error, "pairs", "FILE", "names the pairs");
    return PM_ERROR_FILE;
}

/* *by_hinges are the partners in the end. */
static pm_status choose_names(mirroring *m, uint32_t *by_bodies, uint32_t *by_hinges, bool *alone,
                              pm_error *error) {
    name_joints(m, false);
    bool good = sides_pair(&m->joints, by_bodies, alone);
    name_joints(m, true);
    good = good && sides_pair(&m->joints, by_hinges, alone);
    if (!good)
        return motion_refuse_memory(error);
    for (size_t j = 0; j < m->robot->joint_count; j++)
        if (m->hinge_of[j] != NONE && by_hinges[j] != j && by_bodies[j] != j &&
            by_hinges[j] != by_bodies[j])
            return refuse_names(m, j, by_bodies, by_hinges, error);
    settle_names(m, by_bodies, by_hinges);
    return sides_pair(&m->joints, by_hinges, alone) ? PM_OK : motion_refuse_memory(error);
}

static bool allocate(mirroring *m) {
    const size_t count = m->robot->joint_count;
    m->nodes = motion_allocate(m->arena, count, sizeof *m->nodes);
    m->hinge_of = motion_allocate(m->arena, count, sizeof *m->hinge_of);
    m->is_moved = motion_allocate(m->arena, count, sizeof *m->is_moved);
    m->is_body = motion_allocate(m->arena, count, sizeof *m->is_body);
    m->bodies = motion_allocate(m->arena, count, sizeof *m->bodies);
    m->signs = motion_allocate(m->arena, m->robot->hinge_count, sizeof *m->signs);
    return m->nodes && m->hinge_of && m->is_moved && m->is_body && m->bodies && m->signs;
}

static pm_status make_joints(mirroring *m, pm_error *error) {
    const pm_library_content *robot = m->robot;
    const size_t count = robot->joint_count, root = library_root(robot);
    uint32_t *order = motion_allocate(m->arena, count, sizeof *order);
    if (!order || !allocate(m))
        return motion_refuse_memory(error);
    for (size_t j = 0; j < count; j++) {
        m->nodes[j] = (pm_motion_node){.parent = robot->parents[j], .scale = {1, 1, 1}};
        memcpy(m->nodes[j].rotation, robot->rotations + 4 * j, sizeof m->nodes[j].rotation);
        memcpy(m->nodes[j].position, robot->positions + 3 * j, sizeof m->nodes[j].position);
        m->hinge_of[j] = NONE;
    }
    m->joints = (pm_motion_content){.nodes = m->nodes, .node_count = count};
    if (!pose_order(&m->joints, order))
        return motion_refuse(error, "robot: following parents does not end at a root");
    for (size_t i = 0; i < count; i++)
        m->is_moved[order[i]] = order[i] == root || (robot->parents[order[i]] >= 0 &&
                                                     m->is_moved[robot->parents[order[i]]]);
    for (size_t h = 0; h < robot->hinge_count; h++)
        m->hinge_of[robot->hinges[h]] = (uint32_t)h;
    name_bodies(m);
    return PM_OK;
}

/* The root's rest rotation counts where the plane between both sides lies across an axis of the world then;
 * otherwise across one of the root's own. */
static pm_status turn_root(mirroring *m, const uint32_t *partners, pm_motion_axis given,
                           pm_error *error) {
    sides_rest rest;
    similarity *world = motion_allocate(m->arena, m->robot->joint_count, sizeof *world);
    if (!world || !sides_find_world(&m->joints, world) ||
        !sides_check_rest(&m->joints, world, partners, NULL, &rest))
        return motion_refuse_memory(error);
    if (given ? rest.images[(int)given >> 1] == 0 : rest.best < 0)
        memcpy(m->nodes[library_root(m->robot)].rotation, (const double[]){0, 0, 0, 1},
               4 * sizeof(double));
    return PM_OK;
}

/* In the rest pose. */
static void axis_of(const mirroring *m, size_t joint, double axis[3]) {
    quat_rotate(m->plan.world[joint].q, m->robot->axes + 3 * joint, axis);
    const double length = vector_length(axis);
    for (int i = 0; i < 3; i++)
        axis[i] /= length;
}

static pm_status refuse_axes(const mirroring *m, size_t joint, const double a[3], const double b[3],
                             pm_error *error) {
    const uint32_t other = m->plan.partners[joint];
    char first[MOTION_PRINTABLE], second[MOTION_PRINTABLE];
    motion_joint_name(first, m->nodes[joint].name, (int64_t)joint);
    if (other == joint)
        return motion_refuse(
            error,
            "'%s' has no partner and turns at rest about (%.3g, %.3g, %.3g), which "
            "is no mirror image of itself across %c",
            first, a[0], a[1], a[2], "xyz"[m->plan.normal]);
    return motion_refuse(error,
                         "'%s' and '%s' turn at rest about (%.3g, %.3g, %.3g) and (%.3g, %.3g, "
                         "%.3g), which are no mirror images across %c",
                         first, motion_joint_name(second, m->nodes[other].name, other), a[0], a[1],
                         a[2], b[0], b[1], b[2], "xyz"[m->plan.normal]);
}

/* The sign of the angle that a joint takes from its partner. */
static pm_status find_sign(mirroring *m, size_t joint, pm_error *error) {
    const uint32_t other = m->plan.partners[joint];
    char first[MOTION_PRINTABLE], second[MOTION_PRINTABLE];
    double a[3], b[3], across[3];
    if (m->hinge_of[other] == NONE)
        return motion_refuse(error, "'%s' turns, and its partner '%s' does not",
                             motion_joint_name(first, m->nodes[joint].name, (int64_t)joint),
                             motion_joint_name(second, m->nodes[other].name, other));
    axis_of(m, joint, a);
    axis_of(m, other, b);
    double image[3] = {-b[0], -b[1], -b[2]};
    image[m->plan.normal] = b[m->plan.normal];
    vector_cross(a, image, across);
    if (!(vector_length(across) <= most))
        return refuse_axes(m, joint, a, b, error);
    const double cosine = a[0] * image[0] + a[1] * image[1] + a[2] * image[2];
    m->signs[m->hinge_of[joint]] = cosine < 0 ? -1 : 1;
    return PM_OK;
}

static pm_status plan_robot(mirroring *m, const pm_motion_mirror_options *o,
                            pm_motion_mirror_report *report, pm_error *error) {
    const size_t count = m->robot->joint_count;
    uint32_t *by_bodies = motion_allocate(m->arena, count, sizeof *by_bodies);
    uint32_t *by_hinges = motion_allocate(m->arena, count, sizeof *by_hinges);
    bool *alone = motion_allocate(m->arena, count, sizeof *alone);
    if (!by_bodies || !by_hinges || !alone)
        return motion_refuse_memory(error);
    MOTION_TRY(make_joints(m, error));
    MOTION_TRY(choose_names(m, by_bodies, by_hinges, alone, error));
    MOTION_TRY(turn_root(m, by_hinges, o->normal, error));
    MOTION_TRY(edit_plan_mirror(&m->plan, &m->joints, 0, o, m->notes, report, error));
    for (size_t j = 0; j < count; j++)
        if (m->hinge_of[j] != NONE && m->is_moved[j])
            MOTION_TRY(find_sign(m, j, error));
    return PM_OK;
}

/* Angles of the rest pose have opposite numbers, or equal ones, of most robots: then only signs change. */
static void mirror_angles(const mirroring *m, const robot_match *match,
                          const pm_motion_channel *to) {
    const pm_library_content *robot = m->robot;
    const uint32_t width = to->components;
    const double unit = to->full_turn > 0 ? to->full_turn / (2 * pm_same_acos(-1.0)) : 1;
    double *rows = motion_own_values(&to->keys);
    for (size_t h = 0; h < robot->hinge_count; h++) {
        const uint32_t joint = robot->hinges[h], other = m->plan.partners[joint];
        if (!m->is_moved[joint])
            continue;
        const double sign = m->signs[h];
        const double shift = unit * (robot->references[joint] - sign * robot->references[other]);
        const uint32_t from = match->order[m->hinge_of[other]];
        for (size_t k = 0; k < match->frames; k++) {
            const double angle =
                sign * evaluate_number(&match->channels[ROBOT_ANGLES]->keys, width, k, from);
            rows[k * width + match->order[h]] = shift != 0 ? angle + shift : angle;
        }
    }
}

static void mirror_body(const mirroring *m, uint32_t joint, const pm_motion_channel *to,
                        size_t frames) {
    double *rows = motion_own_values(&to->keys), turn[4];
    edit_find_turn(&m->plan, m->plan.partners[joint], joint, turn);
    for (size_t k = 0; k < frames; k++) {
        if (to->path == PM_MOTION_POSITION) {
            rows[3 * k + (size_t)m->plan.normal] *= -1;
            continue;
        }
        edit_mirror_rotation(&m->plan, rows + 4 * k);
        edit_turn_right(rows + 4 * k, turn);
    }
}

/* The bodies of a path that the file has, each with its joint, and each joint with its body. */
typedef struct robot_bodies {
    const pm_motion_channel **of; /* channels */
    uint32_t *joints, *places;
    size_t count;
} robot_bodies;

/* Without names they are the root, or all in the order of the robot. */
static pm_status find_bodies(mirroring *m, robot_match *match, pm_motion_path path, robot_bodies *b,
                             pm_error *error) {
    const pm_library_content *robot = m->robot;
    const size_t channels = match->from->channel_count;
    const pm_motion_channel *root = NULL;
    b->of = motion_allocate(m->arena, channels, sizeof(pm_motion_channel *));
    b->joints = motion_allocate(m->arena, channels, sizeof *b->joints);
    b->places = motion_allocate(m->arena, robot->joint_count, sizeof *b->places);
    pm_motion_name *names = motion_allocate(m->arena, channels, sizeof *names);
    if (!b->of || !b->joints || !b->places || !names)
        return motion_refuse_memory(error);
    for (size_t j = 0; j < robot->joint_count; j++)
        b->places[j] = NONE;
    MOTION_TRY(robot_find_root(match, path, b->of, names, b->places, &root, error));
    b->count = robot_list_bodies(match->from, path, b->of, names);
    bool named = false;
    for (size_t j = 0; j < robot->joint_count; j++)
        named = named || b->places[j] != NONE;
    if (!named && b->count > 1 && b->count != robot->body_count)
        return motion_refuse(error, "has %zu bodies without names; the robot has %zu", b->count,
                             robot->body_count);
    for (size_t i = 0; !named && i < b->count; i++)
        b->places[b->count > 1 ? robot->bodies[i] : library_root(robot)] = (uint32_t)i;
    for (uint32_t j = 0; j < robot->joint_count; j++)
        if (b->places[j] != NONE)
            b->joints[b->places[j]] = j;
    return PM_OK;
}

static pm_status mirror_bodies(mirroring *m, robot_match *match, pm_motion_path path,
                               pm_motion_channel *channels, bool *is_mirrored, pm_error *error) {
    robot_bodies b;
    char first[MOTION_PRINTABLE], second[MOTION_PRINTABLE];
    pm_status status = find_bodies(m, match, path, &b, error);
    for (size_t i = 0; status == PM_OK && i < b.count; i++) {
        const size_t at = (size_t)(b.of[i] - match->from->channels);
        const uint32_t joint = b.joints[i], other = m->plan.partners[joint];
        is_mirrored[at] = true;
        if (!m->is_moved[joint])
            continue;
        if (b.places[other] == NONE)
            return motion_refuse(error, "has body '%s', and lacks '%s', which is its partner",
                                 motion_joint_name(first, m->robot->joint_names[joint], joint),
                                 motion_joint_name(second, m->robot->joint_names[other], other));
        channels[at].keys = b.of[b.places[other]]->keys;
        if (!motion_own_keys(m->arena, &channels[at],
                             &match->from->timelines[channels[at].timeline]))
            return motion_refuse_memory(error);
        mirror_body(m, joint, &channels[at], match->frames);
    }
    return status;
}

static void note_others(const mirroring *m, const pm_motion_clip *clip, const bool *is_mirrored) {
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_name name = clip->channels[c].name;
        char shown[MOTION_PRINTABLE];
        if (!is_mirrored[c] && !clip->channels[c].always_linear)
            motion_note(m->notes, "'%s' stays as it is",
                        motion_printable(shown, name.text, name.size));
    }
}

static pm_status mirror_clip(mirroring *m, const pm_motion_clip *from, pm_motion_clip *to,
                             pm_error *error) {
    const size_t count = from->channel_count, joints = m->robot->joint_count;
    robot_match match = {.robot = m->robot, .from = from, .notes = m->notes, .arena = m->arena};
    const pm_motion_channel **bodies =
        motion_allocate(m->arena, count, sizeof(pm_motion_channel *));
    pm_motion_name *names = motion_allocate(m->arena, count, sizeof *names);
    uint32_t *places = motion_allocate(m->arena, joints, sizeof *places);
    bool *is_mirrored = motion_allocate(m->arena, count, sizeof *is_mirrored);
    pm_motion_channel *channels = motion_own_channels(m->arena, to);
    if (!bodies || !names || !places || !is_mirrored || !channels)
        return motion_refuse_memory(error);
    MOTION_TRY(robot_match_clip(&match, bodies, names, places, error));
    match.notes = NULL;
    static const pm_motion_path paths[] = {PM_MOTION_POSITION, PM_MOTION_ROTATION};
    for (size_t i = 0; i < 2; i++)
        MOTION_TRY(mirror_bodies(m, &match, paths[i], channels, is_mirrored, error));
    const size_t at = (size_t)(match.channels[ROBOT_ANGLES] - from->channels);
    is_mirrored[at] = true;
    if (!motion_own_keys(m->arena, &channels[at], &from->timelines[channels[at].timeline]))
        return motion_refuse_memory(error);
    mirror_angles(m, &match, &channels[at]);
    note_others(m, from, is_mirrored);
    return PM_OK;
}

/* Names, places and rates of the file are checked where the robot is matched. */
static pm_status check(const pm_motion *motion, const pm_library_content *robot, pm_error *error) {
    SCOPED(pm_motion_destroy) pm_motion *matched = NULL;
    return pm_library_match_robot(motion, robot, &matched, error);
}

static pm_status mirror(const pm_motion *motion, const pm_library_content *robot,
                        const pm_motion_mirror_options *o, pm_motion **mirrored,
                        pm_motion_mirror_report *report, pm_error *error) {
    pm_motion_mirror_report own;
    pm_motion_clip *clips = NULL;
    MOTION_TRY(edit_check_mirror(o, error));
    MOTION_TRY(check(motion, robot, error));
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(motion, &clips);
    MOTION_TRY_MEMORY(to, error);
    to->notes.arena = &to->arena;
    mirroring m = {.robot = robot, .notes = &to->notes, .arena = &to->arena};
    MOTION_TRY(plan_robot(&m, o, report ? report : &own, error));
    for (size_t i = 0; i < motion->content.clip_count; i++) {
        MOTION_TRY(mirror_clip(&m, &motion->content.clips[i], &clips[i], error));
        MOTION_TRY_MEMORY(motion_keep_rows(to, i, motion, true), error);
    }
    to->content.notes = to->notes.all;
    to->content.note_count = to->notes.count;
    MOTION_TRY_MEMORY(!to->notes.lost, error);
    return made_end(&to, mirrored, error);
}

pm_status pm_library_mirror_robot(const pm_motion *motion, const pm_library_content *robot,
                                  const pm_motion_mirror_options *options, pm_motion **mirrored,
                                  pm_motion_mirror_report *report, pm_error *error) {
    static const pm_motion_mirror_options defaults;
    if (!motion || !robot || !mirrored)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !motion  ? "motion"
                           : !robot ? "robot"
                                    : "mirrored");
    void *before = c_locale_begin();
    const pm_status status =
        mirror(motion, robot, options ? options : &defaults, mirrored, report, error);
    c_locale_end(before);
    return status;
}
