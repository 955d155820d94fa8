/* SPDX-License-Identifier: MIT
 *
 * A part of a clip. Keys at a rate are chosen by exact numbers of frames; other timelines get keys at
 * both ends, which are values of the channels' own curves.
 */
#include <math.h>

#include "motion/model/evaluate.h"
#include "motion/steps/edit.h"
#include "motion/steps/steps.h"
#include "motion/time/rate.h"

enum { MOST_FRAMES = (1 << 30) - 2 };

typedef struct cutting {
    const pm_motion_clip *from;
    const pm_motion_edit_options *options;
    motion_arena *arena;
    double origin;     /* of the first key of the clip */
    int64_t low, high; /* frames, of a clip with a rate */
    double begin, end; /* times, of one without */
} cutting;

/* What a timeline keeps: keys from `first` on, and values at its ends where no key is there. */
typedef struct kept {
    size_t first, count;
    bool has_begin, has_end;
} kept;

/* ---- frames -------------------------------------------------------------------------------- */

/* The first frame that is not before a time, or with `down` the last one that is not after it. */
static int64_t frame_at(pm_rational seconds, pm_rational rate, bool down) {
    pm_rational product;
    if (!rate_multiply(seconds, rate, &product))
        return MOST_FRAMES;
    const int64_t whole = product.num / product.den;
    const int64_t frame = whole + (!down && whole * product.den != product.num);
    return frame < MOST_FRAMES ? frame : MOST_FRAMES;
}

static int64_t frame_of(const cutting *c, pm_rational at, bool down) {
    return frame_at(at, c->options->cut_frames ? (pm_rational){1, 1} : c->from->rate, down);
}

/* The frame of the first key of a timeline. */
static int64_t first_frame(const cutting *c, const pm_timeline *timeline) {
    const double seconds = evaluate_key_time(timeline, 0) - c->origin;
    return (int64_t)llround(fmin(seconds * rate_value(c->from->rate), MOST_FRAMES));
}

static kept keep_frames(const cutting *c, const pm_timeline *timeline) {
    const int64_t first = first_frame(c, timeline);
    const int64_t last = first + (int64_t)timeline->key_count - 1;
    if (timeline->key_count < 2 || last < c->low)
        return (kept){.first = timeline->key_count - 1, .count = 1};
    if (first > c->high)
        return (kept){.first = 0, .count = 1};
    const int64_t low = c->low > first ? c->low : first, high = c->high < last ? c->high : last;
    return (kept){.first = (size_t)(low - first), .count = (size_t)(high - low + 1)};
}

static bool cut_frames(const cutting *c, const pm_timeline *from, const kept *k, pm_timeline *to) {
    const int64_t first = first_frame(c, from) + (int64_t)k->first - c->low;
    const pm_rational rate = c->from->rate;
    *to = (pm_timeline){.key_count = k->count, .rate = rate};
    if (first <= 0)
        return true;
    double *times = motion_allocate(c->arena, k->count, sizeof *times);
    for (size_t i = 0; times && i < k->count; i++)
        times[i] = (double)(first + (int64_t)i) * (double)rate.den / (double)rate.num;
    *to = (pm_timeline){.key_count = k->count, .times = times};
    return times != NULL;
}

/* ---- times --------------------------------------------------------------------------------- */

static kept keep_times(const cutting *c, const pm_timeline *timeline) {
    const size_t count = timeline->key_count;
    size_t low = 0, high = count;
    while (low < count && evaluate_key_time(timeline, low) < c->begin)
        low++;
    while (high > low && evaluate_key_time(timeline, high - 1) > c->end)
        high--;
    kept k = {.first = low, .count = high - low};
    k.has_begin = low > 0 && (k.count == 0 || evaluate_key_time(timeline, low) > c->begin);
    k.has_end = high < count && c->end > c->begin &&
                (k.count == 0 || evaluate_key_time(timeline, high - 1) < c->end);
    if (k.count == 0 && !k.has_begin && !k.has_end)
        k = (kept){.first = low < count ? low : count - 1, .count = 1};
    if (count == 1)
        k = (kept){.first = 0, .count = 1};
    return k;
}

static bool cut_times(const cutting *c, const pm_timeline *from, const kept *k, pm_timeline *to) {
    const size_t count = k->count + k->has_begin + k->has_end;
    double *times = motion_allocate(c->arena, count, sizeof *times);
    *to = (pm_timeline){.key_count = count, .times = times};
    if (!times)
        return false;
    times[0] = 0;
    for (size_t i = 0; i < k->count; i++)
        times[k->has_begin + i] = fmax(0, evaluate_key_time(from, k->first + i) - c->begin);
    if (k->has_end)
        times[count - 1] = c->end - c->begin;
    return true;
}

/* ---- channels ------------------------------------------------------------------------------ */

static bool cut_array(const cutting *c, const pm_motion_channel *channel, const pm_array *from,
                      const kept *k, pm_array *to) {
    const size_t count = k->count + k->has_begin + k->has_end, width = channel->components;
    *to = evaluate_rows_from(from, channel->components, k->first);
    if (!from->data || (!k->has_begin && !k->has_end))
        return true;
    double *values = motion_allocate(c->arena, count, width * sizeof *values);
    *to = (pm_array){.data = values, .type = PM_FLOAT64};
    for (size_t i = 0; values && i < k->count; i++)
        for (uint32_t n = 0; n < width; n++)
            values[(k->has_begin + i) * width + n] =
                evaluate_number(from, channel->components, k->first + i, n);
    if (values && k->has_begin)
        evaluate_channel(channel, &c->from->timelines[channel->timeline], c->begin, values);
    if (values && k->has_end)
        evaluate_channel(channel, &c->from->timelines[channel->timeline], c->end,
                         values + (count - 1) * width);
    return values != NULL;
}

static pm_status cut_channel(const cutting *c, const pm_motion_channel *from, const kept *k,
                             pm_motion_channel *to, pm_error *error) {
    if (from->interpolation == PM_MOTION_CUBICSPLINE && (k->has_begin || k->has_end))
        return motion_refuse(error, "a cubic spline would be cut between its keys; resample first");
    const bool good = cut_array(c, from, &from->keys, k, &to->keys) &&
                      cut_array(c, from, &from->in, k, &to->in) &&
                      cut_array(c, from, &from->out, k, &to->out);
    return good ? PM_OK : motion_refuse_memory(error);
}

static pm_status cut_all(const cutting *c, pm_motion_clip *to, kept *all, pm_error *error) {
    const pm_motion_clip *from = c->from;
    pm_timeline *timelines = motion_allocate(c->arena, from->timeline_count, sizeof *timelines);
    pm_motion_channel *channels = motion_own_channels(c->arena, to);
    bool good = timelines && channels;
    for (size_t t = 0; good && t < from->timeline_count; t++) {
        const pm_timeline *own = &from->timelines[t];
        all[t] = from->rate.den ? keep_frames(c, own) : keep_times(c, own);
        good = from->rate.den ? cut_frames(c, own, &all[t], &timelines[t])
                              : cut_times(c, own, &all[t], &timelines[t]);
    }
    pm_status status = good ? PM_OK : motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < from->channel_count; i++)
        status = cut_channel(c, &from->channels[i], &all[from->channels[i].timeline], &channels[i],
                             error);
    to->timelines = timelines;
    to->first_time = from->rate.den ? (pm_rational){0, 1} : (pm_rational){0, 0};
    return status;
}

/* The rows of a clip whose channels share a timeline; of others rows are of no file. */
static bool add_rows(const pm_motion *from, pm_motion *made, size_t clip, const kept *k) {
    const motion_run own = {.count = 1};
    return from->content.clips[clip].timeline_count > 1 ||
           ((!k->has_begin || motion_add_rows(made, clip, &own)) &&
            motion_add_rows(
                made, clip,
                &(motion_run){.from = k->first, .count = k->count, .source = from, .clip = clip}) &&
            (!k->has_end || motion_add_rows(made, clip, &own)));
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Ends that are not given are those of the clip. */
static pm_status find_range(cutting *c, pm_error *error) {
    const pm_motion_edit_options *o = c->options;
    double last = -HUGE_VAL;
    c->origin = HUGE_VAL;
    for (size_t t = 0; t < c->from->timeline_count; t++) {
        const pm_timeline *own = &c->from->timelines[t];
        c->origin = fmin(c->origin, evaluate_key_time(own, 0));
        last = fmax(last, evaluate_key_time(own, own->key_count - 1));
    }
    const double duration = last - c->origin;
    if (c->from->rate.den != 0) {
        const int64_t frames = llround(fmin(duration * rate_value(c->from->rate), MOST_FRAMES));
        c->low = o->start_after_first_key.den ? frame_of(c, o->start_after_first_key, false) : 0;
        c->high = o->end_after_first_key.den ? frame_of(c, o->end_after_first_key, true) : frames;
        c->high = c->high < frames ? c->high : frames;
        return c->low <= c->high
                   ? PM_OK
                   : motion_refuse(error, "no frame is in the part that is cut; it has %lld",
                                   (long long)frames + 1);
    }
    if (o->cut_frames)
        return motion_refuse(error, "keys have times of their own; cut by seconds");
    c->begin =
        c->origin + (o->start_after_first_key.den ? rate_value(o->start_after_first_key) : 0);
    c->end = o->end_after_first_key.den ? fmin(last, c->origin + rate_value(o->end_after_first_key))
                                        : last;
    return c->begin <= c->end
               ? PM_OK
               : motion_refuse(error, "lasts %g s; the part that is cut begins later", duration);
}

pm_status edit_cut_clip(const pm_motion *from, const pm_motion_edit_options *options,
                        pm_motion *made, size_t clip, pm_error *error) {
    cutting c = {.from = &from->content.clips[clip], .options = options, .arena = &made->arena};
    pm_motion_clip *to = (pm_motion_clip *)(uintptr_t)&made->content.clips[clip];
    kept *all = motion_allocate(c.arena, c.from->timeline_count, sizeof *all);
    MOTION_TRY(all ? find_range(&c, error) : motion_refuse_memory(error));
    if (made->content.has_stamps) /* times begin at 0 again */
        made->content.epoch += (int64_t)rint(
            1e9 * (c.from->rate.den ? (double)c.low / rate_value(c.from->rate) : c.begin));
    MOTION_TRY(cut_all(&c, to, all, error));
    return add_rows(from, made, clip, all) ? PM_OK : motion_refuse_memory(error);
}

/* ---- the step ------------------------------------------------------------------------------- */

/* Also where nothing is cut: what is wrong with the other options is refused here. */
static bool is_asked(const pm_motion_batch_task *task) {
    return task->edit != NULL;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    const pm_motion_edit_options *o = task->edit;
    if (o && o->repeat < 2 && (o->blend > 0 || o->continue_root))
        return pm_motion_edit(w->motion, o, made, error);
    return pm_motion_edit(
        w->motion,
        o ? &(pm_motion_edit_options){.start_after_first_key = o->start_after_first_key,
                                      .end_after_first_key = o->end_after_first_key,
                                      .cut_frames = o->cut_frames}
          : NULL,
        made, error);
}

const task_step step_cut = {"cut", "edit", "cut", STEP_KEEPS_NODES, is_asked, make_step};
