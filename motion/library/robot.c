/* SPDX-License-Identifier: MIT
 *
 * The motion of a robot in a file of robots: which channels are the root and the joints, by names where file
 * and robot have them. Wrapped angles of joints without limits are undone before anything interpolates them.
 */

#include "motion/library/library.h"
#include "motion/model/angles.h"
#include "motion/model/evaluate.h"
#include "motion/model/made.h"

size_t robot_list_bodies(const pm_motion_clip *clip, pm_motion_path path,
                         const pm_motion_channel **bodies, pm_motion_name *names) {
    size_t count = 0;
    bool named = false;
    for (size_t i = 0; i < clip->channel_count; i++)
        named = named || (clip->channels[i].path == path && clip->channels[i].subjects);
    for (size_t i = 0; i < clip->channel_count; i++) {
        const pm_motion_channel *channel = &clip->channels[i];
        if (channel->node != PM_MOTION_NO_NODE || channel->path != path ||
            (named && !channel->subjects))
            continue;
        bodies[count] = channel;
        names[count++] = named ? *channel->subjects : (pm_motion_name){"", 0};
    }
    return count;
}

pm_status robot_find_root(robot_match *m, pm_motion_path path, const pm_motion_channel **bodies,
                          pm_motion_name *names, uint32_t *places, const pm_motion_channel **root,
                          pm_error *error) {
    const size_t count = robot_list_bodies(m->from, path, bodies, names),
                 at = library_root(m->robot);
    const robot_names own = {m->robot->joint_names, m->robot->joint_count}, file = {names, count};
    *root = count > 0 ? bodies[0] : NULL;
    if (!robot_has_names(file) || !robot_has_names(own))
        return PM_OK;
    motion_notes *notes = path == PM_MOTION_ROTATION ? m->notes : NULL; /* once for both paths */
    MOTION_TRY(robot_match_names("body", file, own, false, places, notes, error));
    if (places[at] == PM_NO_INDEX32)
        return motion_refuse(error, "has no body '%s', which is the root of the robot",
                             MOTION_SHOWN(own.names[at].text, own.names[at].size));
    *root = bodies[places[at]];
    return PM_OK;
}

/* Marked by the reader, or the first numbers that are no times. */
static const pm_motion_channel *find_angles(const pm_motion_clip *clip) {
    const pm_motion_channel *first = NULL;
    for (size_t i = 0; i < clip->channel_count; i++) {
        const pm_motion_channel *channel = &clip->channels[i];
        if (channel->node != PM_MOTION_NO_NODE || channel->path != PM_MOTION_SCALAR)
            continue;
        if (channel->full_turn > 0)
            return channel;
        first = first || channel->always_linear ? first : channel;
    }
    return first;
}

static pm_status check_widths(robot_match *m, pm_error *error) {
    static const char *const names[] = {"the root's position", "the root's rotation",
                                        "joint angles"};
    const size_t widths[] = {3, 4, m->robot->hinge_count};
    const pm_timeline *first = NULL;
    char shown[MOTION_PRINTABLE];
    motion_printable(shown, m->from->name.text, m->from->name.size);
    for (size_t i = 0; i < ROBOT_CHANNELS; i++) {
        const size_t found = m->channels[i] ? m->channels[i]->components : 0;
        if (found != widths[i])
            return motion_refuse(error, "has %zu numbers of %s in a row; the robot has %zu", found,
                                 names[i], widths[i]);
        const pm_timeline *own = &m->from->timelines[m->channels[i]->timeline];
        if (first && own != first)
            return motion_refuse(
                error, "'%s' has numbers at several times; expected one row for each frame", shown);
        first = own;
    }
    m->frames = first->key_count;
    return PM_OK;
}

static pm_status match_joints(robot_match *m, pm_error *error) {
    const pm_motion_channel *angles = m->channels[ROBOT_ANGLES];
    const robot_names hinges = {m->robot->hinge_names, m->robot->hinge_count};
    const robot_names columns = {angles ? angles->subjects : NULL, angles ? angles->components : 0};
    m->order = motion_allocate(m->arena, hinges.count, sizeof *m->order);
    if (!m->order)
        return motion_refuse_memory(error);
    return robot_match_names("joint", columns, hinges, true, m->order, m->notes, error);
}

pm_status robot_match_clip(robot_match *m, const pm_motion_channel **bodies, pm_motion_name *names,
                           uint32_t *places, pm_error *error) {
    const size_t joints = m->robot->joint_count;
    m->channels[ROBOT_ANGLES] = find_angles(m->from);
    pm_status status = match_joints(m, error);
    if (status == PM_OK)
        status = robot_find_root(m, PM_MOTION_ROTATION, bodies, names, places,
                                 &m->channels[ROBOT_ROTATION], error);
    for (size_t i = 0; i < joints; i++)
        places[i] = PM_NO_INDEX32;
    if (status == PM_OK)
        status = robot_find_root(m, PM_MOTION_POSITION, bodies, names, places,
                                 &m->channels[ROBOT_POSITION], error);
    return status == PM_OK ? check_widths(m, error) : status;
}

static void take_numbers(const robot_match *m, size_t channel, const uint32_t *order,
                         double *keys) {
    const pm_motion_channel *from = m->channels[channel];
    for (size_t k = 0; k < m->frames; k++)
        for (uint32_t i = 0; i < from->components; i++)
            *keys++ = evaluate_number(&from->keys, from->components, k, order ? order[i] : i);
}

/* Joints without limits go on where the file begins a turn anew; others only cause a warning. */
static void unwrap(const robot_match *m, double *keys) {
    const size_t hinges = m->robot->hinge_count;
    pm_motion_channel own = *m->channels[ROBOT_ANGLES];
    own.keys = (pm_array){.data = keys, .type = PM_FLOAT64};
    for (size_t i = 0; i < hinges; i++) {
        const bool goes_on = m->robot->continuous && m->robot->continuous[i];
        const angle_jumps found = !(own.full_turn > 0) ? (angle_jumps){.count = 0}
                                  : goes_on
                                      ? angles_unwrap(keys + i, m->frames, hinges, own.full_turn)
                                      : angles_find_jumps(&own, m->frames, (uint32_t)i);
        const pm_motion_name name = m->robot->hinge_names[i];
        if (found.count == 0)
            continue;
        motion_note(
            m->notes,
            goes_on ? "joint '%s': its angle was wrapped %zu time%s, the first at frame %zu, and "
                      "goes on here"
                    : "joint '%s': its angle steps by more than half a turn %zu time%s, the first "
                      "to frame %zu",
            MOTION_SHOWN(name.text, name.size), found.count, found.count == 1 ? "" : "s",
            found.key);
    }
}

static pm_status make_clip(const robot_match *m, pm_motion_clip *to, pm_error *error) {
    const size_t widths[] = {3, 4, m->robot->hinge_count};
    static const pm_motion_path paths[] = {PM_MOTION_POSITION, PM_MOTION_ROTATION,
                                           PM_MOTION_SCALAR};
    pm_motion_channel *channels = motion_allocate(m->arena, ROBOT_CHANNELS, sizeof *channels);
    to->timelines = &m->from->timelines[m->channels[ROBOT_ANGLES]->timeline];
    to->timeline_count = 1;
    to->channels = channels;
    to->channel_count = ROBOT_CHANNELS;
    if (!channels)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < ROBOT_CHANNELS; i++) {
        double *keys = motion_allocate(m->arena, m->frames, widths[i] * sizeof *keys);
        if (!keys)
            return motion_refuse_memory(error);
        take_numbers(m, i, i == ROBOT_ANGLES ? m->order : NULL, keys);
        channels[i] = (pm_motion_channel){.node = PM_MOTION_NO_NODE,
                                          .path = paths[i],
                                          .components = (uint32_t)widths[i],
                                          .keys = {.data = keys, .type = PM_FLOAT64},
                                          .name = {"", 0},
                                          .full_turn = m->channels[i]->full_turn};
        if (i == ROBOT_ANGLES)
            unwrap(m, keys);
    }
    return PM_OK;
}

/* What a file's number is in metres or radians, as far as it says so: 1 for others. */
static double factor_of(const pm_motion_content *from, const pm_motion_channel *channel) {
    if (channel->path == PM_MOTION_POSITION)
        return from->unit_mm > 0 ? from->unit_mm / 1000 : 1;
    return channel->path == PM_MOTION_SCALAR && channel->full_turn > 0
               ? RADIANS_A_TURN / channel->full_turn
               : 1;
}

/* A clip of a file with lengths in metres and angles in radians, as robots have them. */
static pm_status in_units_of_robots(const pm_motion_content *content, const pm_motion_clip *from,
                                    motion_arena *arena, pm_motion_clip *to, pm_error *error) {
    pm_motion_channel *channels = motion_allocate(arena, from->channel_count, sizeof *channels);
    MOTION_TRY_MEMORY(channels, error);
    *to = *from;
    to->channels = memcpy(channels, from->channels, from->channel_count * sizeof *channels);
    for (size_t i = 0; i < from->channel_count; i++) {
        pm_motion_channel *c = &channels[i];
        const double factor = factor_of(content, c);
        const size_t keys = from->timelines[c->timeline].key_count;
        if (factor == 1)
            continue;
        double *values = motion_allocate(arena, keys, c->components * sizeof *values);
        MOTION_TRY_MEMORY(values, error);
        for (size_t k = 0; k < keys; k++)
            for (uint32_t j = 0; j < c->components; j++)
                values[k * c->components + j] =
                    factor * evaluate_number(&c->keys, c->components, k, j);
        c->keys = (pm_array){.data = values, .type = PM_FLOAT64};
        c->full_turn = c->path == PM_MOTION_SCALAR ? RADIANS_A_TURN : 0;
    }
    return PM_OK;
}

static pm_status add_clip(const pm_library_content *robot, const pm_motion_content *content,
                          const pm_motion_clip *of_file, pm_motion *to, pm_motion_clip *clip,
                          pm_error *error) {
    const size_t count = of_file->channel_count;
    pm_motion_clip own, *from = &own;
    MOTION_TRY(in_units_of_robots(content, of_file, &to->arena, &own, error));
    robot_match m = {.robot = robot, .from = from, .notes = &to->notes, .arena = &to->arena};
    const pm_motion_channel **bodies = motion_allocate(&to->arena, count, sizeof *bodies);
    pm_motion_name *names = motion_allocate(&to->arena, count, sizeof *names);
    uint32_t *places = motion_allocate(&to->arena, robot->joint_count, sizeof *places);
    if (!bodies || !names || !places)
        return motion_refuse_memory(error);
    MOTION_TRY(robot_match_clip(&m, bodies, names, places, error));
    MOTION_TRY(make_clip(&m, clip, error));
    return robot_check_places(robot, clip, bodies,
                              robot_list_bodies(from, PM_MOTION_POSITION, bodies, names), places,
                              error);
}

static pm_status match_robot(const pm_motion *motion, const pm_library_content *robot,
                             pm_motion *to, pm_motion_clip *clips, pm_error *error) {
    const pm_motion_content *from = &motion->content;
    pm_status status = motion->odd_names ? motion_refuse(error, "%s", motion->odd_names) : PM_OK;
    for (size_t i = 0; i < from->clip_count && status == PM_OK; i++)
        status = add_clip(robot, from, &from->clips[i], to, &clips[i], error);
    if (status == PM_OK && to->notes.lost)
        status = motion_refuse_memory(error);
    to->form = NULL;
    to->content.layout = "";
    to->content.unit_mm = from->unit_mm > 0 ? 1000 : 0;
    to->content.node_count = 0;
    to->content.notes = to->notes.all;
    to->content.note_count = to->notes.count;
    return status;
}

pm_status pm_library_match_robot(const pm_motion *motion, const pm_library_content *robot,
                                 pm_motion **matched, pm_error *error) {
    if (!motion || !robot || !matched)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !motion  ? "motion"
                           : !robot ? "robot"
                                    : "matched");
    MOTION_TRY(library_check_robot(robot, error));
    MOTION_TRY(motion_check_keys(motion, error));
    pm_motion_clip *clips = NULL;
    SCOPED(pm_motion_destroy) pm_motion *made = made_begin(motion, &clips);
    MOTION_TRY_MEMORY(made, error);
    made->notes.arena = &made->arena;
    MOTION_TRY(match_robot(motion, robot, made, clips, error));
    return made_end(&made, matched, error);
}
