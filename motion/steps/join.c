/* SPDX-License-Identifier: MIT
 *
 * Clips one after another, frame by frame. A crossfade is an overlap of frames, weighted by a
 * smoothstep. To continue the root, each clip is turned and shifted as a whole: in the world, by a
 * rotation about the axis that points up and a shift along the ground.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/base/c_locale.h"
#include "motion/model/evaluate.h"
#include "motion/model/meaning.h"
#include "motion/model/names.h"
#include "motion/steps/join.h"
#include "motion/time/rate.h"

/* Of rest poses, relative to the largest number of the node. */
static const double tolerance = 1e-4;

enum { MOST_FRAMES = (1 << 30) - 2 };

/* ---- the skeletons ------------------------------------------------------------------------- */

/* Of a root the rest position says nothing where a clip moves it. */
static const char *difference(const pm_motion_node *a, const pm_motion_node *b) {
    double turned[4];
    memcpy(turned, b->rotation, sizeof turned);
    for (int i = 0; i < 4; i++)
        turned[i] = -turned[i];
    return motion_compare_names(a->name, b->name) != 0 ? "has another name"
           : a->parent != b->parent                    ? "has another parent"
           : a->parent >= 0 && !edit_is_near(a->position, b->position, 3, tolerance)
               ? "has another rest position"
           : !edit_is_near(a->rotation, b->rotation, 4, tolerance) &&
                   !edit_is_near(a->rotation, turned, 4, tolerance)
               ? "has another rest rotation"
           : !edit_is_near(a->scale, b->scale, 3, tolerance) ? "has another rest scale"
                                                             : NULL;
}

static pm_status check_skeleton(const edit_part *first, const edit_part *part, pm_error *error) {
    const pm_motion_content *a = &first->motion->content, *b = &part->motion->content;
    char shown[MOTION_PRINTABLE];
    if (a->node_count != b->node_count)
        return motion_fail_at(error, PM_ERROR_FILE, part->name, NULL,
                              "has %zu joints, and %s has %zu: not the same skeleton",
                              b->node_count, first->name, a->node_count);
    for (size_t n = 0; n < a->node_count; n++) {
        const char *what = difference(&a->nodes[n], &b->nodes[n]);
        const pm_motion_name name = b->nodes[n].name;
        if (what)
            return motion_fail_at(error, PM_ERROR_FILE, part->name, NULL,
                                  "joint %zu ('%s') %s than in %s: not the same skeleton", n,
                                  motion_joint_name(shown, name, (int64_t)n), what, first->name);
    }
    return PM_OK;
}

/* Units follow from the rest poses, except those of a single joint. */
static pm_status check_meaning(const edit_part *first, const edit_part *part, pm_error *error) {
    const pm_motion_content *a = &first->motion->content, *b = &part->motion->content;
    char of_a[MOTION_MEANING_TEXT], of_b[MOTION_MEANING_TEXT];
    if (a->unit_from == PM_MOTION_STATED && b->unit_from == PM_MOTION_STATED &&
        a->unit_mm != b->unit_mm) {
        motion_describe_unit(first->motion, of_a);
        motion_describe_unit(part->motion, of_b);
        return motion_fail_at(error, PM_ERROR_FILE, part->name,
                              "convert one of them to the unit of the other",
                              "lengths are in %s, and in %s in %s", of_b, first->name, of_a);
    }
    if (a->up_from == PM_MOTION_UNKNOWN || b->up_from == PM_MOTION_UNKNOWN || a->up == b->up)
        return PM_OK;
    motion_describe_up(a, of_a);
    motion_describe_up(b, of_b);
    return motion_fail_at(error, PM_ERROR_FILE, part->name,
                          "convert one of them to the axis of the other, or say what both have",
                          "up is %s, and %s in %s", of_b, of_a, first->name);
}

/* ---- the frames ---------------------------------------------------------------------------- */

static pm_status find_frames(joined_part *part, pm_error *error) {
    pm_status status = motion_check_keys(part->from->motion, error);
    if (status == PM_OK)
        status = motion_check_clip(&part->from->motion->content, part->from->clip, error);
    if (status == PM_OK)
        status =
            motion_find_frames(part->clip, "a clip that is joined", false, &part->frames, error);
    if (status == PM_OK && part->frames.count == 0 && part->clip->timeline_count == 1)
        part->frames = (motion_frames){.rate = part->clip->rate, /* of arrays without joints */
                                       .count = part->clip->timelines->key_count,
                                       .timeline = part->clip->timelines};
    if (status == PM_OK && (part->frames.count == 0 || part->frames.rate.den == 0))
        status = motion_refuse(error, "has no rate; resample it first");
    for (size_t c = 0; status == PM_OK && c < part->clip->channel_count; c++)
        if (part->clip->channels[c].interpolation == PM_MOTION_CUBICSPLINE)
            status = motion_refuse(error, "has cubic splines; resample it first");
    return motion_name_failure(status, part->from->name, error);
}

static pm_status check_rate(const joined_part *first, const joined_part *part, pm_error *error) {
    pm_rational quotient;
    char a[RATE_TEXT], b[RATE_TEXT];
    if (rate_divide(first->frames.rate, part->frames.rate, &quotient) &&
        quotient.num == quotient.den)
        return PM_OK;
    rate_describe(first->frames.rate, a);
    rate_describe(part->frames.rate, b);
    return motion_fail_at(error, PM_ERROR_FILE, part->from->name,
                          "resample one of them to the rate of the other", "has %s, and %s has %s",
                          b, first->from->name, a);
}

static pm_status find_blend(joining *j, pm_error *error) {
    const double blend = j->options->blend * rate_value(j->parts[0].frames.rate);
    j->blend = blend < MOST_FRAMES ? (size_t)llround(blend) : MOST_FRAMES;
    for (size_t i = 0; i < j->count && j->blend > 0; i++) {
        const size_t count = j->parts[i].frames.count;
        if (j->blend > count / 2)
            return motion_fail_at(error, PM_ERROR_FILE, j->parts[i].from->name, NULL,
                                  "has %zu frames; a crossfade of %zu is longer than half of them",
                                  count, j->blend);
    }
    return PM_OK;
}

/* In time, and with a root that is continued in the world. */
static pm_status place_parts(joining *j, pm_error *error) {
    for (size_t i = 0; i < j->count; i++) {
        joined_part *part = &j->parts[i];
        const bool continues = i > 0 && j->mover != UINT32_MAX;
        part->placed = similarity_identity;
        part->shared = i == 0                                 ? 0
                       : j->blend > 0                         ? j->blend
                       : continues && join_repeats_pose(j, i) ? 1
                                                              : 0;
        part->begin = j->frames - part->shared;
        j->frames = part->begin + part->frames.count;
        if (j->frames > MOST_FRAMES)
            return motion_refuse(error, "the result would have more than 2^30 frames");
        if (continues)
            join_continue_part(j, i);
    }
    return PM_OK;
}

/* ---- the channels -------------------------------------------------------------------------- */

/* Nodes have a channel of each path; numbers without a node are known by their names. */
static bool is_same_channel(const pm_motion_channel *a, const pm_motion_channel *b) {
    return a->node == b->node && a->path == b->path && a->components == b->components &&
           (a->node >= 0 || motion_compare_names(a->name, b->name) == 0);
}

/* A channel of a clip; the place where it was found last is tried first. */
static const pm_motion_channel *find_channel(const pm_motion_clip *clip, size_t at,
                                             const pm_motion_channel *wanted) {
    if (at < clip->channel_count && is_same_channel(&clip->channels[at], wanted))
        return &clip->channels[at];
    for (size_t c = 0; c < clip->channel_count; c++)
        if (is_same_channel(&clip->channels[c], wanted))
            return &clip->channels[c];
    return NULL;
}

static bool is_listed(const joining *j, size_t at, const pm_motion_channel *channel) {
    if (at < j->channel_count && is_same_channel(&j->channels[at], channel))
        return true;
    for (size_t c = 0; c < j->channel_count; c++)
        if (is_same_channel(&j->channels[c], channel))
            return true;
    return false;
}

static void add_channel(joining *j, size_t at, const pm_motion_channel *channel) {
    if (!is_listed(j, at, channel))
        j->channels[j->channel_count++] = *channel;
}

/* Those of the first clip, then those that only others have. */
static pm_status list_channels(joining *j, pm_error *error) {
    size_t most = 2;
    for (size_t i = 0; i < j->count; i++)
        most += j->parts[i].from->motion == j->parts[0].from->motion && i > 0 &&
                        j->parts[i].clip == j->parts[0].clip
                    ? 0
                    : j->parts[i].clip->channel_count;
    j->channels = motion_allocate(j->arena, most, sizeof *j->channels);
    MOTION_TRY_MEMORY(j->channels, error);
    for (size_t i = 0; i < j->count; i++)
        for (size_t c = 0; c < j->parts[i].clip->channel_count; c++)
            add_channel(j, c, &j->parts[i].clip->channels[c]);
    for (uint32_t p = 0; p < 2 && j->mover != UINT32_MAX; p++)
        add_channel(j, SIZE_MAX,
                    &(pm_motion_channel){.node = (int32_t)j->mover,
                                         .path = p ? PM_MOTION_POSITION : PM_MOTION_ROTATION,
                                         .components = p ? 3 : 4,
                                         .name = {"", 0}});
    for (size_t i = 0; i < j->count; i++) {
        j->parts[i].channels = motion_allocate(j->arena, j->channel_count, sizeof(void *));
        MOTION_TRY_MEMORY(j->parts[i].channels, error);
        for (size_t c = 0; c < j->channel_count; c++) {
            const pm_motion_channel *found = find_channel(j->parts[i].clip, c, &j->channels[c]);
            if (!found && (j->channels[c].node < 0 || j->channels[c].path > PM_MOTION_SCALE))
                return motion_fail_at(error, PM_ERROR_FILE, j->parts[i].from->name, NULL,
                                      "has no numbers '%.80s', which others have",
                                      j->channels[c].name.text);
            j->parts[i].channels[c] = found;
        }
    }
    return PM_OK;
}

void join_own_value(const joining *j, const joined_part *part, size_t c, size_t frame,
                    double *value) {
    const pm_motion_channel *of = &j->channels[c], *channel = part->channels[c];
    if (channel) {
        const size_t key = motion_frame_key(&part->frames, part->clip, channel, frame);
        for (uint32_t i = 0; i < of->components; i++)
            value[i] = evaluate_number(&channel->keys, of->components, key, i);
        return;
    }
    const pm_motion_node *node = &j->parts[0].from->motion->content.nodes[of->node];
    memcpy(value, evaluate_rest_value(node, of->path), of->components * sizeof *value);
}

/* ---- values -------------------------------------------------------------------------------- */

/* The value as the clip is placed. */
static void placed_value(const joining *j, const joined_part *part, size_t c, size_t frame,
                         double *value) {
    const pm_motion_channel *of = &j->channels[c];
    join_own_value(j, part, c, frame, value);
    if (memcmp(&part->placed, &similarity_identity, sizeof part->placed) == 0 ||
        of->node != (int32_t)j->mover || of->path > PM_MOTION_POSITION)
        return;
    const similarity inverse = similarity_inverse(&j->above);
    similarity world = join_mover_at(j, part, frame);
    world = similarity_product(&part->placed, &world);
    world = similarity_product(&inverse, &world);
    memcpy(value, of->path == PM_MOTION_ROTATION ? world.q : world.p,
           of->components * sizeof *value);
}

static void slerp(const double a[4], const double b[4], double w, double out[4]) {
    double dot = 0, length = 0;
    for (int i = 0; i < 4; i++)
        dot += a[i] * b[i];
    const double sign = dot < 0 ? -1 : 1, angle = pm_same_acos(fmin(1, fabs(dot)));
    const double from = angle < 1e-6 ? 1 - w : pm_same_sin((1 - w) * angle) / pm_same_sin(angle);
    const double to = angle < 1e-6 ? w : pm_same_sin(w * angle) / pm_same_sin(angle);
    for (int i = 0; i < 4; i++) {
        out[i] = from * a[i] + sign * to * b[i];
        length += out[i] * out[i];
    }
    for (int i = 0; i < 4; i++)
        out[i] /= sqrt(length);
}

static void blend_values(const pm_motion_channel *of, double w, const double *a, double *b) {
    if (of->path == PM_MOTION_ROTATION) {
        slerp(a, b, w, b);
        return;
    }
    for (uint32_t i = 0; i < of->components; i++)
        b[i] = of->interpolation != PM_MOTION_STEP ? (1 - w) * a[i] + w * b[i]
               : w < 0.5                           ? a[i]
                                                   : b[i];
}

static void fill_channel(const joining *j, size_t c, double *keys, double *scratch) {
    const pm_motion_channel *of = &j->channels[c];
    for (size_t i = 0; i < j->count; i++) {
        const joined_part *part = &j->parts[i];
        for (size_t f = j->blend > 0 ? 0 : part->shared; f < part->frames.count; f++) {
            double *to = keys + (part->begin + f) * of->components;
            const double u = ((double)f + 1) / ((double)part->shared + 1);
            if (f < part->shared)
                memcpy(scratch, to, of->components * sizeof *to);
            placed_value(j, part, c, f, to);
            if (f < part->shared)
                blend_values(of, u * u * (3 - 2 * u), scratch, to);
        }
    }
}

/* Which channels of the part those of the result are; *map remains NULL where they are the same. */
static bool map_channels(const joining *j, const joined_part *part, const uint32_t **map) {
    bool same = true;
    uint32_t *of = motion_allocate(j->arena, j->channel_count, sizeof *of);
    for (size_t c = 0; of && c < j->channel_count; c++) {
        const pm_motion_channel *own = part->channels[c];
        of[c] = own ? (uint32_t)(own - part->clip->channels) : PM_NO_INDEX32;
        same = same && of[c] == c;
    }
    *map = same ? NULL : of;
    return of != NULL;
}

/* Rows of the part as they are, but for those that fade into it or are placed elsewhere. */
static bool add_rows(const joining *j, const joined_part *part, pm_motion *made, size_t clip) {
    const bool is_moved = memcmp(&part->placed, &similarity_identity, sizeof part->placed) != 0;
    const uint64_t faded = j->blend > 0 ? part->shared : 0;
    motion_run run = {.source = part->from->motion,
                      .clip = part->from->clip,
                      .from = part->shared - faded,
                      .count = faded,
                      .changed = true};
    if (part->clip->timeline_count > 1)
        run.source = NULL;
    if (!map_channels(j, part, &run.channels) || !motion_add_rows(made, clip, &run))
        return false;
    run.from += faded;
    run.count = part->frames.count - part->shared;
    run.changed = is_moved;
    return motion_add_rows(made, clip, &run);
}

/* A part ends where the next one fades into it. */
static void drop_rows(pm_motion *made, size_t clip, uint64_t count) {
    motion_origin *origin = &made->origins[clip];
    origin->row_count -= count;
    while (origin->run_count > 0) {
        motion_run *last = &origin->runs[origin->run_count - 1];
        if (last->first < origin->row_count) {
            if (last->count > origin->row_count - last->first)
                last->count = origin->row_count - last->first;
            return;
        }
        origin->run_count--;
    }
}

static bool make_clip(joining *j, pm_motion *made, size_t clip) {
    pm_motion_clip *to = (pm_motion_clip *)(uintptr_t)&made->content.clips[clip];
    pm_timeline *timeline = motion_allocate(j->arena, 1, sizeof *timeline);
    bool good = timeline != NULL;
    for (size_t c = 0; good && c < j->channel_count; c++) {
        pm_motion_channel *channel = &j->channels[c];
        double *keys = motion_allocate(j->arena, j->frames, channel->components * sizeof *keys);
        double *scratch = calloc(channel->components + 1, sizeof *scratch);
        good = keys && scratch;
        if (good)
            fill_channel(j, c, keys, scratch);
        free(scratch);
        /* Only now: the parts read the channels that these replace. */
        channel->timeline = 0;
        channel->keys = (pm_array){.data = keys, .type = PM_FLOAT64};
        channel->in = channel->out = (pm_array){.data = NULL};
    }
    if (!good)
        return false;
    *timeline = (pm_timeline){.key_count = j->frames, .rate = j->parts[0].frames.rate};
    *to = (pm_motion_clip){.name = j->parts[0].clip->name,
                           .timelines = timeline,
                           .timeline_count = 1,
                           .channels = j->channels,
                           .channel_count = j->channel_count,
                           .rate = timeline->rate,
                           .first_time = {0, 1},
                           .rate_text = {"", 0}};
    for (size_t i = 0; good && i < j->count; i++) {
        if (i > 0 && j->blend > 0)
            drop_rows(made, clip, j->parts[i].shared);
        good = add_rows(j, &j->parts[i], made, clip);
    }
    return good;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static pm_status join(joining *j, pm_motion *made, size_t clip, pm_error *error) {
    for (size_t i = 0; i < j->count; i++) {
        if (i > 0) {
            MOTION_TRY(check_skeleton(j->parts[0].from, j->parts[i].from, error));
            if (j->options->up == PM_MOTION_UP_FOUND)
                MOTION_TRY(check_meaning(j->parts[0].from, j->parts[i].from, error));
        }
        MOTION_TRY(find_frames(&j->parts[i], error));
        if (i > 0)
            MOTION_TRY(check_rate(&j->parts[0], &j->parts[i], error));
    }
    MOTION_TRY(find_blend(j, error));
    MOTION_TRY(join_find_mover(j, error));
    MOTION_TRY(list_channels(j, error));
    MOTION_TRY(place_parts(j, error));
    return make_clip(j, made, clip) ? PM_OK : motion_refuse_memory(error);
}

pm_status edit_join_clips(const edit_part *parts, size_t count,
                          const pm_motion_join_options *options, pm_motion *made, size_t clip,
                          pm_error *error) {
    joining j = {.count = count, .options = options, .arena = &made->arena};
    j.parts = calloc(count + 1, sizeof *j.parts);
    MOTION_TRY_MEMORY(j.parts, error);
    for (size_t i = 0; i < count; i++)
        j.parts[i] = (joined_part){.from = &parts[i],
                                   .clip = &parts[i].motion->content.clips[parts[i].clip]};
    const pm_status status = join(&j, made, clip, error);
    if (j.channel_count != j.parts[0].clip->channel_count)
        made->form = NULL;
    free(j.parts);
    return status;
}

static pm_status check_options(const pm_motion_join_options *o, pm_error *error) {
    if (!(o->blend >= 0 && o->blend <= 1e9))
        return motion_fail(error, PM_ERROR_ARGUMENT, "blend is %g, expected seconds from 0 on",
                           o->blend);
    if ((unsigned)o->up > PM_MOTION_UP_Z)
        return motion_fail(error, PM_ERROR_ARGUMENT, "up is %d, which is no pm_motion_up",
                           (int)o->up);
    return MOTION_CHECK_NEXT(pm_motion_join_options, o, error);
}

static pm_status list_parts(const pm_motion *const *motions, size_t count, const char *const *names,
                            const pm_motion_join_options *o, edit_part *parts, char (*numbers)[32],
                            pm_error *error) {
    for (size_t i = 0; i < count; i++) {
        snprintf(numbers[i], sizeof numbers[i], "motion %zu", i);
        if (!motions[i])
            return motion_fail(error, PM_ERROR_ARGUMENT, "motions[%zu] is NULL", i);
        const pm_motion_content *content = &motions[i]->content;
        const size_t clip = o->clips ? o->clips[i] : motion_first_clip(content);
        parts[i] = (edit_part){motions[i], clip, names && names[i] ? names[i] : numbers[i]};
        if (content->clip_count == 0)
            return motion_fail_at(error, PM_ERROR_FILE, parts[i].name, NULL, "has no clips");
        if (clip >= content->clip_count)
            return motion_fail(error, PM_ERROR_ARGUMENT, "clips[%zu] is %zu; the motion has %zu", i,
                               clip, content->clip_count);
        if (content->node_count == 0) {
            motion_fail_at(error, PM_ERROR_FILE, parts[i].name, NULL,
                           "has no joints; motions are joined by theirs");
            motion_cure_joints(error);
            return PM_ERROR_FILE;
        }
    }
    return PM_OK;
}

static pm_status join_motions(const pm_motion *const *motions, size_t count,
                              const char *const *names, const pm_motion_join_options *o,
                              pm_motion **joined, pm_error *error) {
    pm_motion_clip *clips = NULL;
    FREED edit_part *parts = calloc(count + 1, sizeof *parts);
    FREED char(*numbers)[32] = calloc(count + 1, sizeof *numbers);
    MOTION_TRY_MEMORY(parts && numbers, error);
    MOTION_TRY(list_parts(motions, count, names, o, parts, numbers, error));
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin_joined(motions, count, 1, &clips);
    MOTION_TRY_MEMORY(to, error);
    MOTION_TRY(edit_join_clips(parts, count, o, to, 0, error));
    return made_end(&to, joined, error);
}

pm_status pm_motion_join(const pm_motion *const *motions, size_t count, const char *const *names,
                         const pm_motion_join_options *options, pm_motion **joined,
                         pm_error *error) {
    static const pm_motion_join_options defaults;
    if (!motions || !joined || count == 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s",
                           !motions  ? "motions is NULL"
                           : !joined ? "joined is NULL"
                                     : "count is 0");
    C_LOCALE_HERE;
    options = options ? options : &defaults;
    MOTION_TRY(check_options(options, error));
    return join_motions(motions, count, names, options, joined, error);
}
