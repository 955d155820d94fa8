/* SPDX-License-Identifier: MIT
 *
 * The poses of a subject: each channel by its own interpolation in double, or by a method of the
 * engine; and the places of the joints along the hierarchy, in double.
 */
#include "motion/compare/subject.h"

#include "motion/model/evaluate.h"
#include "motion/resample/tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- by a method --------------------------------------------------------------------------- */

/* The twist axes that `resample` uses: of the bones. malloc'ed; NULL: memory is exhausted. */
static double *bone_axes(const subject *s) {
    FREED pm_motion_channel *channels = calloc(s->joint_count, sizeof *channels);
    FREED track_number *numbers = calloc(s->joint_count, sizeof *numbers);
    const pm_motion_clip clip = {.channels = channels, .channel_count = s->joint_count};
    const track_group group = {.track_count = s->joint_count, .numbers = numbers};
    double *axes = NULL;
    for (size_t j = 0; channels && numbers && j < s->joint_count; j++) {
        channels[j].node = s->has_places ? (int32_t)j : -1;
        numbers[j].channel = j;
    }
    if (channels && numbers)
        axes = tracks_bone_axes(&group, &clip, &s->view.content);
    return axes;
}

/* False: memory is exhausted. */
static bool keep_turns(const subject *s, motion_arena *arena, pm_motion_clip *clip) {
    pm_motion_channel *kept = motion_allocate(arena, clip->channel_count, sizeof *kept);
    size_t count = 0;
    for (size_t j = 0; kept && j < s->joint_count; j++)
        if (s->channels[j].of[PM_MOTION_ROTATION])
            kept[count++] = *s->channels[j].of[PM_MOTION_ROTATION];
    clip->channels = kept;
    clip->channel_count = count;
    return kept != NULL;
}

pm_status subject_use_method(subject *s, pm_engine *engine, pm_method method, bool turns_alone,
                             pm_error *error) {
    const pm_motion_character_options options = {.method = method, .all_positions = true};
    const pm_motion_character *character = NULL;
    pm_motion_clip clip = *s->clip;
    pm_motion view = s->view;
    double *axes = NULL;
    view.content.clips = &clip;
    s->method = method;
    s->turns_alone = turns_alone;
    if (turns_alone && !keep_turns(s, &s->arena, &clip))
        return motion_refuse_memory(error);
    pm_status status = pm_motion_character_create(&view, &options, &character, error);
    if (status != PM_OK)
        return status;
    pm_clip_desc desc = character->clips[0];
    if (pm_method_get_info(method)->takes_axes) {
        axes = bone_axes(s);
        desc.axes = (pm_array){.data = axes, .type = PM_FLOAT64};
        desc.axis_count = s->joint_count;
        status = axes ? PM_OK : motion_refuse_memory(error);
    }
    if (status == PM_OK)
        status = pm_clip_create(engine, &desc, &s->curve, error);
    free(axes);
    pm_motion_character_destroy(&character);
    return status;
}

/* The time of a key of any timeline that is as good as the same; else the time itself. */
static double nearest_key(const subject *s, double time) {
    for (size_t t = 0; t < s->clip->timeline_count; t++) {
        const pm_timeline *timeline = &s->clip->timelines[t];
        const double key =
            evaluate_key_time(timeline, evaluate_key_before(timeline, time + SUBJECT_SAME_TIME));
        if (fabs(key - time) < SUBJECT_SAME_TIME)
            return key;
    }
    return time;
}

/* Memory for a block of times; blocks have the size of the first one, or less. */
static bool make_room(subject *s, size_t count) {
    if (s->room >= count)
        return true;
    for (size_t p = 0; p < SUBJECT_PATHS; p++)
        s->sampled[p] =
            motion_allocate(&s->arena, count, s->joint_count * pose_components[p] * sizeof(float));
    s->at = motion_allocate(&s->arena, count, sizeof *s->at);
    s->room = count;
    return s->sampled[0] != NULL && s->sampled[1] != NULL && s->sampled[2] != NULL && s->at != NULL;
}

static pm_status sample(subject *s, const double *times, size_t count, pm_error *error) {
    pm_clip_info info;
    MOTION_TRY_MEMORY(make_room(s, count), error);
    pm_clip_get_info(s->curve, &info);
    for (size_t i = 0; i < count; i++)
        s->at[i] = nearest_key(s, s->begin + times[i]);
    const pm_sample_job job = {.sample_count = count,
                               .times = s->at,
                               .rotations = s->sampled[0],
                               .positions = info.has_positions ? s->sampled[1] : NULL,
                               .scales = info.has_scales ? s->sampled[2] : NULL};
    return pm_sample(s->curve, &job, error);
}

/* ---- by the channels ----------------------------------------------------------------------- */

static double *value_of(subject_pose *pose, size_t path) {
    return path == PM_MOTION_ROTATION   ? pose->rotation
           : path == PM_MOTION_POSITION ? pose->position
                                        : pose->scale;
}

/* The first key at or after `key` that is later than a time, less what is the same. */
static size_t key_near(const pm_timeline *timeline, size_t key, double time) {
    while (key + 1 < timeline->key_count &&
           evaluate_key_time(timeline, key) <= time - SUBJECT_SAME_TIME)
        key++;
    return key;
}

static void evaluate_block(const subject *s, size_t joint, size_t path, const double *times,
                           size_t count, subject_pose *poses) {
    const pm_motion_channel *channel = s->channels[joint].of[path];
    const pm_timeline *timeline = &s->clip->timelines[channel->timeline];
    size_t key = evaluate_key_before(timeline, s->begin + times[0] - SUBJECT_SAME_TIME);
    for (size_t i = 0; i < count; i++) {
        double time = s->begin + times[i];
        key = key_near(timeline, key, time);
        const double near = evaluate_key_time(timeline, key);
        time = fabs(near - time) < SUBJECT_SAME_TIME ? near : time;
        evaluate_channel(channel, timeline, time,
                         value_of(&poses[i * s->joint_count + joint], path));
    }
}

static void copy_sampled(const subject *s, size_t joint, size_t path, size_t count,
                         subject_pose *poses) {
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * s->joint_count + joint;
        double *value = value_of(&poses[at], path);
        for (size_t n = 0; n < pose_components[path]; n++)
            value[n] = (double)s->sampled[path][at * pose_components[path] + n];
    }
}

/* Channels with steps keep their keys, whatever the method, and those that are always linear their lines. */
static bool follows_method(const subject *s, const pm_motion_channel *channel) {
    return s->curve && channel->interpolation != PM_MOTION_STEP && !channel->always_linear &&
           (channel->path == PM_MOTION_ROTATION || !s->turns_alone);
}

static void evaluate_path(const subject *s, size_t joint, size_t path, const double *times,
                          size_t count, subject_pose *poses) {
    const pm_motion_channel *channel = s->channels[joint].of[path];
    if (!channel) {
        for (size_t i = 0; i < count; i++)
            memcpy(value_of(&poses[i * s->joint_count + joint], path),
                   evaluate_rest_value(&s->view.content.nodes[joint], (pm_motion_path)path),
                   pose_components[path] * sizeof(double));
    } else if (follows_method(s, channel)) {
        copy_sampled(s, joint, path, count, poses);
    } else {
        evaluate_block(s, joint, path, times, count, poses);
    }
}

/* ---- places -------------------------------------------------------------------------------- */

placed subject_placed(const subject_pose *pose) {
    placed joint;
    memcpy(joint.origin, pose->place, sizeof joint.origin);
    memcpy(joint.axes, pose->axes, sizeof joint.axes);
    return joint;
}

static void place_joints(const subject *s, subject_pose *poses) {
    for (size_t i = 0; i < s->joint_count; i++) {
        subject_pose *pose = &poses[s->order[i]];
        const int32_t parent = s->view.content.nodes[s->order[i]].parent;
        placed above, joint;
        if (parent >= 0)
            above = subject_placed(&poses[parent]);
        pose_place(pose->rotation, pose->position, pose->scale, parent >= 0 ? &above : NULL,
                   &joint);
        memcpy(pose->place, joint.origin, sizeof pose->place);
        memcpy(pose->axes, joint.axes, sizeof pose->axes);
    }
}

pm_status subject_evaluate(subject *s, const double *times, size_t count, subject_pose *poses,
                           pm_error *error) {
    MOTION_TRY(s->curve ? sample(s, times, count, error) : PM_OK);
    for (size_t j = 0; j < s->joint_count; j++) {
        for (size_t path = 0; path < SUBJECT_PATHS; path++)
            evaluate_path(s, j, path, times, count, poses);
        for (size_t i = 0; i < count; i++)
            evaluate_normalise(poses[i * s->joint_count + j].rotation);
    }
    for (size_t i = 0; i < count && s->has_places; i++)
        place_joints(s, poses + i * s->joint_count);
    return PM_OK;
}
