/* SPDX-License-Identifier: MIT
 *
 * Makes motions of others.
 */
#include "motion/model/made.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/evaluate.h"
#include "motion/model/mover.h"

/* ---- motions ------------------------------------------------------------------------------- */

void motion_retain(const pm_motion *motion) {
    atomic_fetch_add(&((pm_motion *)(uintptr_t)motion)->references, 1);
}

static void take_content(pm_motion *to, const pm_motion *from) {
    const pm_motion_content *c = &from->content;
    to->content = (pm_motion_content){.format = c->format,
                                      .layout = c->layout,
                                      .nodes = c->nodes,
                                      .node_count = c->node_count,
                                      .skins = c->skins,
                                      .skin_count = c->skin_count,
                                      .carried = c->carried,
                                      .carried_count = c->carried_count,
                                      .file_bytes = c->file_bytes,
                                      .unit_mm = c->unit_mm,
                                      .up = c->up,
                                      .unit_from = c->unit_from,
                                      .up_from = c->up_from,
                                      .mover = c->mover,
                                      .has_stamps = c->has_stamps,
                                      .epoch = c->epoch};
    to->turned = from->turned;
    memcpy(to->unit_candidates, from->unit_candidates, sizeof to->unit_candidates);
    to->across = from->across;
    to->form = motion_form_of(from);
    to->form_scale = from->document ? 1 : from->form_scale;
    to->node_scales = from->node_scales;
    to->is_scaled = from->is_scaled;
    to->is_turned = from->is_turned;
}

pm_motion *made_begin_joined(const pm_motion *const *from, size_t count, size_t clip_count,
                             pm_motion_clip **clips) {
    pm_motion *to = calloc(1, sizeof *to);
    if (!to)
        return NULL;
    to->made_of = motion_allocate(&to->arena, count, sizeof(pm_motion *));
    to->origins = motion_allocate(&to->arena, clip_count, sizeof *to->origins);
    *clips = motion_allocate(&to->arena, clip_count, sizeof **clips);
    if (!to->made_of || !to->origins || !*clips) {
        pm_motion_destroy(&to);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        motion_retain(from[i]);
        to->made_of[to->made_of_count++] = from[i];
    }
    take_content(to, from[0]);
    to->packing = from[0]->packing;
    for (size_t i = 0; i < clip_count && i < from[0]->content.clip_count; i++)
        (*clips)[i] = from[0]->content.clips[i];
    to->content.clips = *clips;
    to->content.clip_count = clip_count;
    return to;
}

pm_motion *made_begin(const pm_motion *from, pm_motion_clip **clips) {
    return made_begin_joined(&from, 1, from->content.clip_count, clips);
}

pm_status made_end(pm_motion **made, pm_motion **result, pm_error *error) {
    MOTION_TRY(motion_find_mover(&(*made)->content, error));
    if (!(*made)->form) /* they are of its nodes, which others have no more */
        (*made)->node_scales = NULL;
    *result = *made;
    *made = NULL;
    return PM_OK;
}

/* ---- what they own ------------------------------------------------------------------------- */

pm_motion_node *motion_own_nodes(pm_motion *made) {
    const size_t count = made->content.node_count;
    pm_motion_node *nodes = motion_allocate(&made->arena, count, sizeof *nodes);
    if (nodes && count > 0)
        memcpy(nodes, made->content.nodes, count * sizeof *nodes);
    made->content.nodes = nodes ? nodes : made->content.nodes;
    return nodes;
}

pm_motion_channel *motion_own_channels(motion_arena *arena, pm_motion_clip *clip) {
    pm_motion_channel *channels = motion_allocate(arena, clip->channel_count, sizeof *channels);
    if (channels && clip->channel_count > 0)
        memcpy(channels, clip->channels, clip->channel_count * sizeof *channels);
    clip->channels = channels ? channels : clip->channels;
    return channels;
}

static bool own_array(motion_arena *arena, uint32_t components, size_t keys, pm_array *array) {
    if (!array->data)
        return true;
    double *copy = motion_allocate(arena, keys, components * sizeof *copy);
    for (size_t k = 0; copy && k < keys; k++)
        for (uint32_t i = 0; i < components; i++)
            copy[k * components + i] = evaluate_number(array, components, k, i);
    *array = (pm_array){.data = copy, .type = PM_FLOAT64};
    return copy != NULL;
}

bool motion_own_keys(motion_arena *arena, pm_motion_channel *channel, const pm_timeline *timeline) {
    const size_t keys = timeline->key_count;
    return own_array(arena, channel->components, keys, &channel->keys) &&
           own_array(arena, channel->components, keys, &channel->in) &&
           own_array(arena, channel->components, keys, &channel->out);
}

pm_motion_name motion_copy_name(motion_arena *arena, pm_motion_name from) {
    return (pm_motion_name){motion_copy_text(arena, from.text, from.size), from.size};
}

/* ---- rows ---------------------------------------------------------------------------------- */

uint64_t motion_count_rows(const pm_motion_clip *clip) {
    uint64_t rows = 0;
    for (size_t t = 0; t < clip->timeline_count; t++)
        if (clip->timelines[t].key_count > rows)
            rows = clip->timelines[t].key_count;
    return rows;
}

static bool grow(motion_arena *arena, motion_origin *origin) {
    if (origin->run_count < origin->capacity)
        return true;
    const size_t capacity = 2 * origin->capacity + 1;
    motion_run *runs = motion_allocate(arena, capacity, sizeof *runs);
    if (runs && origin->run_count > 0)
        memcpy(runs, origin->runs, origin->run_count * sizeof *runs);
    origin->runs = runs ? runs : origin->runs;
    origin->capacity = runs ? capacity : origin->capacity;
    return runs != NULL;
}

static bool follows(const motion_run *last, const motion_run *run) {
    return last->source == run->source && last->clip == run->clip &&
           last->changed == run->changed && last->channels == run->channels &&
           last->first + last->count == run->first && last->from + last->count == run->from;
}

static bool append(motion_arena *arena, motion_origin *origin, const motion_run *run) {
    motion_run *last = origin->run_count > 0 ? &origin->runs[origin->run_count - 1] : NULL;
    if (last && follows(last, run)) {
        last->count += run->count;
        return true;
    }
    if (!grow(arena, origin))
        return false;
    origin->runs[origin->run_count++] = *run;
    return true;
}

/* The channels of a file that two maps, one after the other, lead to. NULL: memory is exhausted. */
static const uint32_t *lead(motion_arena *arena, size_t count, const uint32_t *map,
                            const uint32_t *then) {
    uint32_t *all = motion_allocate(arena, count, sizeof *all);
    for (size_t c = 0; all && c < count; c++)
        all[c] = map[c] == PM_NO_INDEX32 ? PM_NO_INDEX32 : then[map[c]];
    return all;
}

/* The part of a run of the source that has rows of `run`. */
static bool append_part(pm_motion *made, size_t clip, const motion_run *run, uint64_t at,
                        const motion_run *inner) {
    const uint64_t begin = run->from > inner->first ? run->from : inner->first;
    const uint64_t end = run->from + run->count < inner->first + inner->count
                             ? run->from + run->count
                             : inner->first + inner->count;
    motion_run part = *inner;
    if (begin >= end)
        return true;
    part.first = at + (begin - run->from);
    part.from = inner->from + (begin - inner->first);
    part.count = end - begin;
    part.changed = run->changed || inner->changed;
    if (run->channels && inner->channels)
        part.channels = lead(&made->arena, made->content.clips[clip].channel_count, run->channels,
                             inner->channels);
    else if (run->channels)
        part.channels = run->channels;
    return (part.channels || !run->channels) && append(&made->arena, &made->origins[clip], &part);
}

bool motion_add_rows(pm_motion *made, size_t clip, const motion_run *run) {
    motion_origin *origin = &made->origins[clip];
    const uint64_t at = origin->row_count;
    bool good = true;
    origin->row_count += run->count;
    if (!run->source || run->count == 0)
        return true;
    if (run->source->document) {
        motion_run part = *run;
        part.first = at;
        return append(&made->arena, origin, &part);
    }
    const motion_origin *from = run->source->origins ? &run->source->origins[run->clip] : NULL;
    for (size_t i = 0; good && from && i < from->run_count; i++)
        good = append_part(made, clip, run, at, &from->runs[i]);
    return good;
}

bool motion_keep_rows(pm_motion *made, size_t clip, const pm_motion *from, bool changed) {
    return motion_add_rows(made, clip,
                           &(motion_run){.count = motion_count_rows(&from->content.clips[clip]),
                                         .source = from,
                                         .clip = clip,
                                         .changed = changed});
}

const motion_run *motion_find_run(const pm_motion *motion, size_t clip, uint64_t row) {
    const motion_origin *origin = motion->origins ? &motion->origins[clip] : NULL;
    size_t low = 0, high = origin ? origin->run_count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const motion_run *run = &origin->runs[middle];
        if (row < run->first)
            high = middle;
        else if (row - run->first < run->count)
            return run;
        else
            low = middle + 1;
    }
    return NULL;
}

motion_position motion_find_row(const pm_motion *motion, size_t clip, uint64_t row) {
    if (motion->document)
        return (motion_position){.key = row, .exact = true, .source = motion};
    const motion_run *run = motion_find_run(motion, clip, row);
    if (!run)
        return (motion_position){.key = MOTION_NO_KEY};
    return (motion_position){.key = run->from + (row - run->first),
                             .exact = true,
                             .changed = run->changed || run->channels,
                             .is_partly = !run->changed,
                             .source = run->source};
}

static double begin_of(const pm_motion_clip *clip) {
    double begin = HUGE_VAL;
    for (size_t t = 0; t < clip->timeline_count; t++)
        begin = fmin(begin, evaluate_key_time(&clip->timelines[t], 0));
    return begin;
}

bool motion_is_untouched(const pm_motion *motion, size_t clip) {
    if (motion->document)
        return true;
    const motion_origin *origin = motion->origins ? &motion->origins[clip] : NULL;
    if (!motion->form || !origin || clip >= motion->form->content.clip_count)
        return false;
    const uint64_t rows = motion_count_rows(&motion->form->content.clips[clip]);
    if (rows == 0 || origin->run_count != 1)
        return rows == 0 && origin->row_count == 0;
    const motion_run *run = &origin->runs[0];
    return run->source == motion->form && run->clip == clip && !run->changed && !run->channels &&
           run->first == 0 && run->from == 0 && run->count == rows && origin->row_count == rows &&
           begin_of(&motion->content.clips[clip]) == begin_of(&motion->form->content.clips[clip]);
}
