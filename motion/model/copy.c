/* SPDX-License-Identifier: MIT
 *
 * Copies the content of motions into an arena.
 */
#include "motion/model/copy.h"

#include <stdlib.h>
#include <string.h>

#include "motion/model/evaluate.h"

pm_motion_name motion_copy_name(motion_arena *arena, pm_motion_name from) {
    return (pm_motion_name){motion_copy_text(arena, from.text, from.size), from.size};
}

static bool copy_nodes(pm_motion *to, const pm_motion_content *from) {
    pm_motion_node *nodes = motion_allocate(&to->arena, from->node_count, sizeof *nodes);
    for (size_t n = 0; nodes && n < from->node_count; n++) {
        nodes[n] = from->nodes[n];
        nodes[n].name = motion_copy_name(&to->arena, from->nodes[n].name);
        if (!nodes[n].name.text)
            return false;
    }
    to->content.nodes = nodes;
    to->content.node_count = from->node_count;
    return nodes != NULL;
}

static bool copy_skin(motion_arena *arena, const pm_motion_skin *from, pm_motion_skin *to) {
    uint32_t *joints = motion_allocate(arena, from->joint_count, sizeof *joints);
    float *binds =
        from->inverse_binds ? motion_allocate(arena, from->joint_count, 12 * sizeof *binds) : NULL;
    *to = (pm_motion_skin){.name = motion_copy_name(arena, from->name),
                           .joints = joints,
                           .joint_count = from->joint_count,
                           .inverse_binds = binds};
    if (!joints || !to->name.text || (from->inverse_binds && !binds))
        return false;
    memcpy(joints, from->joints, from->joint_count * sizeof *joints);
    if (binds)
        memcpy(binds, from->inverse_binds, from->joint_count * 12 * sizeof *binds);
    return true;
}

static bool copy_skins(pm_motion *to, const pm_motion_content *from) {
    pm_motion_skin *skins = motion_allocate(&to->arena, from->skin_count, sizeof *skins);
    bool good = skins != NULL;
    for (size_t i = 0; good && i < from->skin_count; i++)
        good = copy_skin(&to->arena, &from->skins[i], &skins[i]);
    to->content.skins = skins;
    to->content.skin_count = from->skin_count;
    return good;
}

static bool copy_carried(pm_motion *to, const pm_motion_content *from) {
    to->carried.arena = &to->arena;
    for (size_t i = 0; i < from->carried_count; i++)
        motion_note(&to->carried, "%s", from->carried[i]);
    to->content.carried = to->carried.texts;
    to->content.carried_count = to->carried.count;
    return !to->carried.lost;
}

pm_motion *motion_copy_nodes(const pm_motion_content *from) {
    pm_motion *to = calloc(1, sizeof *to);
    if (!to)
        return NULL;
    to->content.format = from->format;
    to->content.layout = "";
    if (!copy_nodes(to, from) || !copy_skins(to, from) || !copy_carried(to, from))
        pm_motion_destroy(&to);
    return to;
}

/* Of a file without nodes: a copy with the same channels is turned as the file is. */
static bool copy_turned(pm_motion *to, const pm_motion *from) {
    const size_t count = from->content.clip_count > 0 ? from->content.clips[0].channel_count : 0;
    bool *turned = from->turned ? motion_allocate(&to->arena, count, sizeof *turned) : NULL;
    if (turned)
        memcpy(turned, from->turned, count * sizeof *turned);
    to->turned = turned;
    return turned || !from->turned;
}

bool motion_copy_layout(pm_motion *to, const pm_motion *from, bool lends_rows) {
    const motion_format *format = from->document ? from->format : from->layout_format;
    to->keeps_times = from->keeps_times;
    to->is_edited = from->is_edited;
    if (!copy_turned(to, from))
        return false;
    if (!format || !format->copy_layout)
        return true;
    to->layout = format->copy_layout(from, lends_rows, &to->arena);
    to->layout_format = format;
    to->layout_scale = from->document ? 1 : from->layout_scale;
    return to->layout != NULL;
}

/* ---- clips --------------------------------------------------------------------------------- */

bool motion_copy_timeline(motion_arena *arena, const pm_timeline *from, pm_timeline *to) {
    *to = *from;
    if (!from->times)
        return true;
    double *times = motion_allocate(arena, from->key_count, sizeof *times);
    if (times)
        memcpy(times, from->times, from->key_count * sizeof *times);
    to->times = times;
    return times != NULL;
}

static bool copy_array(motion_arena *arena, const pm_array *from, uint32_t components, size_t keys,
                       pm_array *to) {
    if (!from->data) {
        *to = (pm_array){.data = NULL};
        return true;
    }
    double *copy = motion_allocate(arena, keys, components * sizeof *copy);
    for (size_t k = 0; copy && k < keys; k++)
        for (uint32_t i = 0; i < components; i++)
            copy[k * components + i] = evaluate_number(from, components, k, i);
    *to = (pm_array){.data = copy, .type = PM_FLOAT64};
    return copy != NULL;
}

bool motion_copy_words(motion_arena *arena, const pm_motion_channel *from, pm_motion_channel *to) {
    const size_t count = from->path == PM_MOTION_SCALAR ? from->components : 1;
    to->name = motion_copy_name(arena, from->name);
    if (!from->subjects)
        return to->name.text != NULL;
    pm_motion_name *subjects = motion_allocate(arena, count, sizeof *subjects);
    bool good = subjects && to->name.text;
    for (size_t i = 0; good && i < count; i++) {
        subjects[i] = motion_copy_name(arena, from->subjects[i]);
        good = subjects[i].text != NULL;
    }
    to->subjects = subjects;
    return good;
}

bool motion_copy_channel(motion_arena *arena, const pm_motion_channel *from,
                         const pm_timeline *timeline, pm_motion_channel *to) {
    *to = *from;
    return motion_copy_words(arena, from, to) &&
           copy_array(arena, &from->keys, from->components, timeline->key_count, &to->keys) &&
           copy_array(arena, &from->in, from->components, timeline->key_count, &to->in) &&
           copy_array(arena, &from->out, from->components, timeline->key_count, &to->out);
}

bool motion_copy_clip(motion_arena *arena, const pm_motion_clip *from, pm_motion_clip *to) {
    pm_timeline *timelines = motion_allocate(arena, from->timeline_count, sizeof *timelines);
    pm_motion_channel *channels = motion_allocate(arena, from->channel_count, sizeof *channels);
    bool good = timelines && channels;
    for (size_t t = 0; good && t < from->timeline_count; t++)
        good = motion_copy_timeline(arena, &from->timelines[t], &timelines[t]);
    for (size_t c = 0; good && c < from->channel_count; c++)
        good = motion_copy_channel(arena, &from->channels[c],
                                   &from->timelines[from->channels[c].timeline], &channels[c]);
    *to = *from;
    to->name = motion_copy_name(arena, from->name);
    to->rate_text = motion_copy_name(arena, from->rate_text);
    to->timelines = timelines;
    to->channels = channels;
    if (from->fault)
        to->fault = motion_copy_text(arena, from->fault, strlen(from->fault));
    return good && to->name.text && to->rate_text.text && (!from->fault || to->fault);
}
