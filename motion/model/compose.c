/* SPDX-License-Identifier: MIT
 *
 * The frames of a clip, and reports of what a format cannot hold.
 */
#include "motion/model/compose.h"

#include <math.h>
#include <stdio.h>

#include "motion/model/evaluate.h"
#include "motion/model/names.h"
#include "motion/model/rest_pose.h"
#include "motion/time/key_rate.h"
#include "motion/time/rate.h"

void motion_leave_out(const motion_writing *options, size_t count, const char *one,
                      const char *many) {
    char text[96];
    if (count == 0 || !options->left_out)
        return;
    (void)snprintf(text, sizeof text, "%zu %s", count, count == 1 ? one : many);
    options->left_out(options->user, text);
}

pm_status motion_leave_out_skins(const motion_writing *options, pm_error *error) {
    size_t count = 0;
    MOTION_TRY_MEMORY(rest_pose_count_skins(&options->motion->content, &count), error);
    motion_leave_out(options, count, "skin", "skins");
    return PM_OK;
}

pm_status motion_check_nodes(const pm_motion_content *content, const char *what, pm_error *error) {
    if (content->node_count > 0)
        return PM_OK;
    motion_report(error, PM_ERROR_FILE, "has no nodes; %s requires a skeleton", what);
    if (content->format == PM_MOTION_NPZ)
        motion_cure_joints(error);
    return PM_ERROR_FILE;
}

bool motion_is_pose_channel(const pm_motion_channel *channel) {
    return channel->node >= 0 && channel->path <= PM_MOTION_POSITION;
}

/* ---- numbers ------------------------------------------------------------------------------- */

static pm_status refuse_number(const pm_motion_content *content, int32_t node, pm_motion_name name,
                               const char *when, double value, pm_error *error) {
    char shown[MOTION_PRINTABLE], what[32] = "";
    if (node >= 0)
        (void)snprintf(what, sizeof what, "joint %d ", (int)node);
    const pm_motion_name of = node >= 0 ? content->nodes[node].name : name;
    return motion_refuse(error, "%s'%s' becomes %g %s, which the format cannot hold", what,
                         motion_joint_name(shown, of, node), value, when);
}

static pm_status check_channel(const pm_motion_content *content, const pm_motion_channel *channel,
                               const pm_timeline *timeline, double largest, pm_error *error) {
    const pm_array *const arrays[] = {&channel->keys, &channel->in, &channel->out};
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; arrays[a]->data && k < timeline->key_count; k++)
            for (uint32_t i = 0; i < channel->components; i++) {
                const double value = evaluate_number(arrays[a], channel->components, k, i);
                char when[48];
                if (fabs(value) <= largest)
                    continue;
                (void)snprintf(when, sizeof when, "at %.6g s", evaluate_key_time(timeline, k));
                return refuse_number(content, channel->node, channel->name, when, value, error);
            }
    return PM_OK;
}

static pm_status check_node(const pm_motion_content *content, size_t index, double largest,
                            pm_error *error) {
    const pm_motion_node *node = &content->nodes[index];
    const double *const vectors[] = {node->position, node->scale, node->tail};
    for (size_t v = 0; v < 3; v++)
        for (size_t i = 0; i < 3; i++)
            if (!(fabs(vectors[v][i]) <= largest) && (v < 2 || node->has_tail))
                return refuse_number(content, (int32_t)index, node->name, "in its rest pose",
                                     vectors[v][i], error);
    return PM_OK;
}

pm_status motion_check_numbers(const pm_motion_content *content, double largest, pm_error *error) {
    for (size_t n = 0; n < content->node_count; n++)
        MOTION_TRY(check_node(content, n, largest, error));
    for (size_t i = 0; i < content->clip_count; i++) {
        const pm_motion_clip *clip = &content->clips[i];
        for (size_t c = 0; c < clip->channel_count; c++)
            MOTION_TRY(check_channel(content, &clip->channels[c],
                                     &clip->timelines[clip->channels[c].timeline], largest, error));
    }
    return PM_OK;
}

/* ---- frames -------------------------------------------------------------------------------- */

static const pm_timeline *timeline_of(const pm_motion_clip *clip, size_t channel) {
    return &clip->timelines[clip->channels[channel].timeline];
}

/* The longest timeline of pose channels; NULL: there is none. */
static const pm_timeline *longest_timeline(const pm_motion_clip *clip, bool of_steps) {
    const pm_timeline *longest = NULL;
    for (size_t i = 0; i < clip->channel_count; i++) {
        const pm_timeline *own = timeline_of(clip, i);
        const bool is_step = clip->channels[i].interpolation == PM_MOTION_STEP;
        if (motion_is_pose_channel(&clip->channels[i]) && is_step == of_steps &&
            (!longest || own->key_count > longest->key_count))
            longest = own;
    }
    return longest;
}

/* Steps are the frames only where nothing else moves. */
static const pm_timeline *find_timeline(const pm_motion_clip *clip) {
    const pm_timeline *moving = longest_timeline(clip, false);
    const pm_timeline *steps = longest_timeline(clip, true);
    return !moving || (steps && moving->key_count < 2) ? steps : moving;
}

static bool is_same_time(double a, double b) {
    return fabs(a - b) <= key_time_loss(fmax(fabs(a), fabs(b)));
}

/* Whether the keys of a timeline are the frames. */
static bool has_frames(const pm_motion_clip *clip, const pm_timeline *timeline,
                       const motion_frames *frames) {
    pm_rational quotient;
    if (timeline->key_count != frames->count)
        return false;
    if (clip->rate.den != 0)
        return is_same_time(evaluate_key_time(timeline, 0), evaluate_key_time(frames->timeline, 0));
    return !timeline->times && rate_divide(timeline->rate, frames->rate, &quotient) &&
           quotient.num == quotient.den;
}

/* Steps have times of their own in a clip whose other keys are uniform. */
static bool is_uniform(const pm_motion_clip *clip, const motion_frames *frames) {
    const pm_timeline *timeline = frames->timeline;
    const bool of_steps = timeline != longest_timeline(clip, false);
    return frames->rate.den != 0 && (!of_steps || !timeline->times ||
                                     key_rate_fits(timeline->times, frames->count, frames->rate));
}

/* Whether all keys but the last are uniform, as with END_INCLUDE. */
static bool has_extra_end(const pm_timeline *timeline) {
    return timeline->times && key_rate(timeline->times, timeline->key_count).den == 0 &&
           key_rate(timeline->times, timeline->key_count - 1).den != 0;
}

static bool is_constant(const pm_motion_clip *clip, const pm_motion_channel *channel) {
    return !motion_is_pose_channel(channel) || clip->timelines[channel->timeline].key_count < 2 ||
           channel->interpolation == PM_MOTION_STEP;
}

/* Whether all channels have the keys of a timeline, at any times. */
static bool has_common_times(const pm_motion_clip *clip, const pm_timeline *timeline) {
    for (size_t i = 0; i < clip->channel_count; i++) {
        const pm_timeline *own = timeline_of(clip, i);
        if (is_constant(clip, &clip->channels[i]) || own == timeline)
            continue;
        if (own->key_count != timeline->key_count)
            return false;
        for (size_t k = 0; k < own->key_count; k++)
            if (evaluate_key_time(own, k) != evaluate_key_time(timeline, k))
                return false;
    }
    return true;
}

pm_status motion_find_frames(const pm_motion_clip *clip, const char *format, bool has_times,
                             motion_frames *frames, pm_error *error) {
    *frames = (motion_frames){.timeline = find_timeline(clip), .rate = clip->rate};
    if (!frames->timeline)
        return PM_OK;
    frames->count = frames->timeline->key_count;
    if (frames->rate.den == 0 && !frames->timeline->times)
        frames->rate = frames->timeline->rate;
    bool fits = is_uniform(clip, frames);
    for (size_t i = 0; i < clip->channel_count && fits; i++)
        if (!is_constant(clip, &clip->channels[i]))
            fits = has_frames(clip, timeline_of(clip, i), frames);
    if (fits)
        return PM_OK;
    frames->rate = (pm_rational){0, 0};
    if (has_times && has_common_times(clip, frames->timeline))
        return PM_OK;
    motion_report(error, PM_ERROR_FILE, "key times are not uniform; %s requires a rate%s", format,
                  has_times ? ", or the same times for all joints" : "");
    if (has_extra_end(frames->timeline))
        motion_cure(error, "end-rule", "fit", "leaves out the last key, which is between frames");
    else
        motion_cure(error, "rate", NULL, "gives one");
    return PM_ERROR_FILE;
}

size_t motion_frame_key(const motion_frames *frames, const pm_motion_clip *clip,
                        const pm_motion_channel *channel, size_t frame) {
    const pm_timeline *own = &clip->timelines[channel->timeline];
    if (own->key_count < 2)
        return 0;
    if (channel->interpolation != PM_MOTION_STEP || own == frames->timeline)
        return frame < own->key_count ? frame : 0;
    const double time = evaluate_key_time(frames->timeline, frame);
    return evaluate_key_before(own, time + key_time_loss(time));
}
