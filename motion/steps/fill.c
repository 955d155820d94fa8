/* SPDX-License-Identifier: MIT
 *
 * Fills gaps, and what lies between a jump and the way back. A rotation crosses a gap on the curve of `hermite`: q0 exp(r/2), with a cubic r of
 * rotation vectors that has the angular velocities of the segments before and behind the gap.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/base/c_locale.h"
#include "motion/model/evaluate.h"
#include "motion/model/jumps.h"
#include "motion/model/names.h"
#include "motion/model/similarity.h"
#include "motion/steps/edit.h"
#include "motion/steps/steps.h"

typedef enum key_state { KEY_GOOD = 0, KEY_NAN, KEY_FROZEN, KEY_OFF } key_state;

typedef struct filling {
    const pm_motion_content *content;
    const pm_motion_fill_options *options;
    pm_motion_clip *clip;  /* of the result */
    unsigned char *states; /* of the keys of a channel */
    uint32_t *moving; /* of each key of `counted`: how many rotations differ from the key before */
    size_t counted;   /* a timeline; SIZE_MAX: none yet */
    bool *changed;    /* for each row of the clip */
    jump_list jumps;
    pm_motion_fill_report report;
} filling;

/* ---- what is a gap ------------------------------------------------------------------------- */

static const pm_timeline *timeline_of(const filling *f, const pm_motion_channel *channel) {
    return &f->clip->timelines[channel->timeline];
}

static bool is_equal(const pm_motion_channel *channel, size_t a, size_t b) {
    const double *keys = motion_own_values(&channel->keys);
    const uint32_t width = channel->components;
    for (uint32_t i = 0; i < width; i++)
        if (!(keys[a * width + i] == keys[b * width + i]))
            return false;
    return true;
}

static void find_nan(const filling *f, const pm_motion_channel *channel, size_t count) {
    const double *keys = motion_own_values(&channel->keys);
    for (size_t k = 0; k < count; k++) {
        f->states[k] = KEY_GOOD;
        for (uint32_t i = 0; i < channel->components; i++)
            if (!isfinite(keys[k * channel->components + i]))
                f->states[k] = KEY_NAN;
    }
}

/* How many rotations of a timeline move at each key, before any of them is filled. */
static void count_moving(filling *f, uint32_t timeline) {
    const size_t count = f->clip->timelines[timeline].key_count;
    if (f->counted == timeline)
        return;
    f->counted = timeline;
    memset(f->moving, 0, count * sizeof *f->moving);
    for (size_t c = 0; c < f->clip->channel_count; c++) {
        const pm_motion_channel *channel = &f->clip->channels[c];
        for (size_t k = 1;
             k < count && channel->path == PM_MOTION_ROTATION && channel->timeline == timeline; k++)
            f->moving[k] += !is_equal(channel, k - 1, k);
    }
}

/* Marks keys that repeat the one before, in runs that are too long. At the end of a clip there is
 * nothing to come back to. */
static void find_frozen(const filling *f, const pm_motion_channel *channel, size_t count) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        bool rest_moves = true;
        for (end = begin + 1; end < count && is_equal(channel, begin, end); end++)
            rest_moves = rest_moves && f->moving[end] > 0;
        if (rest_moves && end - begin > f->options->frozen && begin > 0 && end < count)
            memset(f->states + begin + 1, KEY_FROZEN, end - begin - 1);
    }
}

/* ---- curves -------------------------------------------------------------------------------- */

/* The rotation vector from a to b, the shorter way. */
static void find_turn(const double a[4], const double b[4], double turn[3]) {
    double back[4] = {-a[0], -a[1], -a[2], a[3]}, step[4];
    quat_multiply(back, b, step);
    const double sine = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    const double angle = 2 * pm_same_atan2(sine, fabs(step[3]));
    const double scale = (step[3] < 0 ? -1 : 1) * (sine > 1e-12 ? angle / sine : 2);
    for (int i = 0; i < 3; i++)
        turn[i] = scale * step[i];
}

static void apply_turn(const double a[4], const double turn[3], double out[4]) {
    const double angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    const double scale = angle > 1e-12 ? pm_same_sin(angle / 2) / angle : 0.5;
    double step[4] = {scale * turn[0], scale * turn[1], scale * turn[2], pm_same_cos(angle / 2)};
    quat_multiply(a, step, out);
    evaluate_normalise(out);
}

/* The rate of the rotation vector `turn` at which the body has an angular velocity: the inverse of the
 * right Jacobian. */
static void find_rate(const double turn[3], const double velocity[3], double rate[3]) {
    const double square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
    const double angle = sqrt(square);
    const double factor =
        angle < 1e-3 ? 1.0 / 12
                     : 1 / square - (1 + pm_same_cos(angle)) / (2 * angle * pm_same_sin(angle));
    double once[3], twice[3];
    vector_cross(turn, velocity, once);
    vector_cross(turn, once, twice);
    for (int i = 0; i < 3; i++)
        rate[i] = velocity[i] + once[i] / 2 + factor * twice[i];
}

static double cubic(double u, double from, double to, double leaving, double arriving) {
    const double v = 1 - u;
    return v * v * (1 + 2 * u) * from + u * u * (3 - 2 * u) * to +
           u * v * (v * leaving - u * arriving);
}

/* A gap between the good keys `from` and `to`. */
typedef struct gap {
    const pm_motion_channel *channel;
    const pm_timeline *timeline;
    size_t from, to;
    bool has_before, has_behind; /* the keys beside them are good */
} gap;

static double *key_of(const gap *g, size_t key) {
    return motion_own_values(&g->channel->keys) + key * g->channel->components;
}

static double seconds_between(const gap *g, size_t a, size_t b) {
    return evaluate_key_time(g->timeline, b) - evaluate_key_time(g->timeline, a);
}

static void fill_rotations(const gap *g) {
    const double *a = key_of(g, g->from), *b = key_of(g, g->to);
    const double length = seconds_between(g, g->from, g->to);
    double turn[3], leaving[3], arriving[3];
    find_turn(a, b, turn);
    memcpy(leaving, turn, sizeof turn);
    memcpy(arriving, turn, sizeof turn);
    if (g->has_before) {
        find_turn(key_of(g, g->from - 1), a, leaving);
        for (int i = 0; i < 3; i++)
            leaving[i] *= length / seconds_between(g, g->from - 1, g->from);
    }
    if (g->has_behind) {
        double velocity[3];
        find_turn(b, key_of(g, g->to + 1), velocity);
        for (int i = 0; i < 3; i++)
            velocity[i] *= length / seconds_between(g, g->to, g->to + 1);
        find_rate(turn, velocity, arriving);
    }
    for (size_t k = g->from + 1; k < g->to; k++) {
        const double u = seconds_between(g, g->from, k) / length;
        double at[3];
        for (int i = 0; i < 3; i++)
            at[i] = cubic(u, 0, turn[i], leaving[i], arriving[i]);
        apply_turn(a, at, key_of(g, k));
    }
}

static void fill_numbers(const gap *g) {
    const double *a = key_of(g, g->from), *b = key_of(g, g->to);
    const double length = seconds_between(g, g->from, g->to);
    for (uint32_t i = 0; i < g->channel->components; i++) {
        double leaving = b[i] - a[i], arriving = leaving;
        if (g->has_before)
            leaving = (a[i] - key_of(g, g->from - 1)[i]) * length /
                      seconds_between(g, g->from - 1, g->from);
        if (g->has_behind)
            arriving =
                (key_of(g, g->to + 1)[i] - b[i]) * length / seconds_between(g, g->to, g->to + 1);
        for (size_t k = g->from + 1; k < g->to; k++)
            key_of(g, k)[i] =
                cubic(seconds_between(g, g->from, k) / length, a[i], b[i], leaving, arriving);
    }
}

static void hold_key(const gap *g, size_t from, size_t begin, size_t end) {
    for (size_t k = begin; k < end; k++)
        memcpy(key_of(g, k), key_of(g, from), g->channel->components * sizeof(double));
}

/* ---- channels ------------------------------------------------------------------------------ */

static const char *name_of(const filling *f, const pm_motion_channel *channel,
                           char shown[MOTION_PRINTABLE]) {
    const pm_motion_name name =
        channel->node >= 0 ? f->content->nodes[channel->node].name : channel->name;
    return motion_joint_name(shown, name, channel->node);
}

static pm_status refuse_gap(const filling *f, const gap *g, size_t first, double seconds,
                            double longest, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    motion_report(error, PM_ERROR_FILE,
                  "'%s' has a gap of %.6g s at %.6g s; the longest that is filled has %.6g s",
                  name_of(f, g->channel, shown), seconds, evaluate_key_time(g->timeline, first),
                  longest);
    motion_cure(error, "fill-max", NULL, "fills longer ones; or cut the file");
    return PM_ERROR_FILE;
}

static void count_gap(filling *f, size_t begin, size_t end, double seconds) {
    const bool is_frozen = f->states[begin] == KEY_FROZEN;
    if (f->states[begin] != KEY_OFF) { /* those are in the list of jumps */
        *(is_frozen ? &f->report.frozen_gaps : &f->report.nan_gaps) += 1;
        *(is_frozen ? &f->report.frozen_keys : &f->report.nan_keys) += end - begin;
    }
    f->report.longest = fmax(f->report.longest, seconds);
}

/* Whether two neighbouring good keys have the velocity beside a gap. Not where they are a jump of their own:
 * then their step is about as large as that into the gap, from `good` to `off`. */
static bool has_velocity(const filling *f, const gap *g, size_t a, size_t b, size_t good,
                         size_t off) {
    return f->states[a] == KEY_GOOD && f->states[b] == KEY_GOOD &&
           (f->states[off] != KEY_OFF ||
            jumps_size(g->channel, a, b) <= jumps_size(g->channel, good, off) / 3);
}

/* The keys from `begin` to `end`, without it, are a gap. */
static pm_status fill_gap(filling *f, gap *g, size_t begin, size_t end, pm_error *error) {
    const size_t count = g->timeline->key_count;
    const double longest = f->options->longest > 0 ? f->options->longest : MOTION_LONGEST_GAP;
    const bool at_begin = begin == 0, at_end = end == count;
    const double seconds = seconds_between(g, begin - !at_begin, end - at_end);
    if (seconds > longest * (1 + 1e-9))
        return refuse_gap(f, g, begin, seconds, longest, error);
    count_gap(f, begin, end, seconds);
    g->from = at_begin ? end : begin - 1;
    g->to = at_end ? begin - 1 : end;
    g->has_before =
        !at_begin && g->from > 0 && has_velocity(f, g, g->from - 1, g->from, g->from, begin);
    g->has_behind =
        !at_end && g->to + 1 < count && has_velocity(f, g, g->to, g->to + 1, g->to, end - 1);
    if (at_begin || at_end || g->channel->interpolation == PM_MOTION_STEP)
        hold_key(g, g->from, begin, end);
    else if (g->channel->path == PM_MOTION_ROTATION)
        fill_rotations(g);
    else
        fill_numbers(g);
    return PM_OK;
}

/* The rows that a channel of the clip has filled. */
static void mark_rows(const filling *f, size_t count) {
    for (size_t k = 0; k < count; k++)
        f->changed[k] = f->changed[k] || f->states[k] != KEY_GOOD;
}

/* Fills the gaps that `states` has. */
static pm_status fill_gaps(filling *f, const pm_motion_channel *channel, pm_error *error) {
    gap g = {.channel = channel, .timeline = timeline_of(f, channel)};
    const size_t count = g.timeline->key_count;
    char shown[MOTION_PRINTABLE];
    pm_status status = PM_OK;
    for (size_t begin = 0, end; status == PM_OK && begin < count; begin = end) {
        for (end = begin; end < count && f->states[end] != KEY_GOOD; end++)
            ;
        if (end > begin && begin == 0 && end == count)
            return motion_refuse(error, "'%s' has no key that is finite",
                                 name_of(f, channel, shown));
        if (end > begin && channel->interpolation == PM_MOTION_CUBICSPLINE)
            return motion_refuse(error, "'%s' has a gap in a cubic spline",
                                 name_of(f, channel, shown));
        if (end > begin)
            status = fill_gap(f, &g, begin, end, error);
        end += end == begin;
    }
    mark_rows(f, count);
    return status;
}

/* Makes a gap of the keys between a jump and the way back. */
static pm_status repair_jumps(filling *f, size_t clip, size_t channel, pm_error *error) {
    const pm_motion_channel *of = &f->clip->channels[channel];
    const size_t before = f->jumps.count;
    MOTION_TRY_MEMORY(jumps_of_channel(&f->jumps, f->clip, clip, channel, f->options), error);
    memset(f->states, KEY_GOOD, timeline_of(f, of)->key_count);
    for (size_t i = before; i < f->jumps.count; i++) /* none has keys that does not come back */
        memset(f->states + f->jumps.of[i].key, KEY_OFF, f->jumps.of[i].key_count);
    return fill_gaps(f, of, error);
}

static pm_status fill_channel(filling *f, size_t clip, size_t channel, pm_error *error) {
    const pm_motion_channel *of = &f->clip->channels[channel];
    const size_t count = timeline_of(f, of)->key_count;
    find_nan(f, of, count);
    if (f->options->frozen > 0 && of->path == PM_MOTION_ROTATION) {
        count_moving(f, of->timeline);
        find_frozen(f, of, count);
    }
    MOTION_TRY(fill_gaps(f, of, error));
    return f->options->jumps ? repair_jumps(f, clip, channel, error) : PM_OK;
}

/* Rows that are filled are changed, one run after another. */
static bool add_rows(const filling *f, const pm_motion *from, pm_motion *to, size_t clip) {
    const uint64_t rows = motion_count_rows(f->clip);
    bool good = true;
    for (uint64_t begin = 0, end; good && begin < rows; begin = end) {
        for (end = begin + 1; end < rows && f->changed[end] == f->changed[begin]; end++)
            ;
        good = motion_add_rows(to, clip,
                               &(motion_run){.from = begin,
                                             .count = end - begin,
                                             .source = from,
                                             .clip = clip,
                                             .changed = f->changed[begin]});
    }
    return good;
}

static pm_status fill_clip(filling *f, const pm_motion *from, pm_motion *to, size_t clip,
                           pm_error *error) {
    const size_t rows = (size_t)motion_count_rows(f->clip);
    pm_motion_channel *channels = motion_own_channels(&to->arena, f->clip);
    f->counted = SIZE_MAX;
    f->states = malloc(rows + 1);
    f->changed = calloc(rows + 1, sizeof *f->changed);
    f->moving = calloc(rows + 1, sizeof *f->moving);
    bool good = channels && f->states && f->changed && f->moving;
    for (size_t c = 0; good && c < f->clip->channel_count; c++)
        good = motion_own_keys(&to->arena, &channels[c], timeline_of(f, &channels[c]));
    pm_status status = good ? PM_OK : motion_refuse_memory(error);
    for (size_t c = 0; status == PM_OK && c < f->clip->channel_count; c++)
        status = fill_channel(f, clip, c, error);
    if (status == PM_OK && !add_rows(f, from, to, clip))
        status = motion_refuse_memory(error);
    MOTION_FREE(f->states, f->changed, f->moving);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* The list as memory of the motion. */
static bool keep_jumps(filling *f, pm_motion *to) {
    pm_motion_jump *kept = motion_allocate(&to->arena, f->jumps.count, sizeof *kept);
    if (kept && f->jumps.count > 0)
        memcpy(kept, f->jumps.of, f->jumps.count * sizeof *kept);
    f->report.jumps = kept;
    f->report.jump_count = kept ? f->jumps.count : 0;
    return kept != NULL;
}

static pm_status fill(const pm_motion *motion, const pm_motion_fill_options *o, pm_motion **filled,
                      pm_motion_fill_report *report, pm_error *error) {
    pm_motion_clip *clips = NULL;
    if (!(o->longest >= 0 && isfinite(o->longest)))
        return motion_fail(error, PM_ERROR_ARGUMENT, "longest is %g, expected seconds from 0 on",
                           o->longest);
    if (!(o->jump_degrees >= 0 && o->jump_degrees <= 180))
        return motion_fail(error, PM_ERROR_ARGUMENT, "jump_degrees is %g, expected 0 to 180",
                           o->jump_degrees);
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_fill_options, o, error));
    MOTION_TRY(motion_check_keys(motion, error));
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(motion, &clips);
    MOTION_TRY_MEMORY(to, error);
    pm_status status = PM_OK;
    filling f = {.content = &to->content, .options = o};
    for (size_t i = 0; status == PM_OK && i < motion->content.clip_count; i++) {
        f.clip = &clips[i];
        status = fill_clip(&f, motion, to, i, error);
    }
    if (status == PM_OK && !keep_jumps(&f, to))
        status = motion_refuse_memory(error);
    free(f.jumps.of);
    if (report)
        *report = f.report;
    return status == PM_OK ? made_end(&to, filled, error) : status;
}

pm_status pm_motion_fill(const pm_motion *motion, const pm_motion_fill_options *options,
                         pm_motion **filled, pm_motion_fill_report *report, pm_error *error) {
    static const pm_motion_fill_options defaults;
    MOTION_REQUIRE(error, motion, filled);
    C_LOCALE_HERE;
    return fill(motion, options ? options : &defaults, filled, report, error);
}

/* ---- the step ------------------------------------------------------------------------------- */

void task_describe_gaps(const pm_motion_fill_report *r, bool frozen, char *text, size_t size) {
    char of_frozen[64] = "", longest[40] = "";
    if (frozen)
        snprintf(of_frozen, sizeof of_frozen, ", %zu gap%s of %zu frozen keys", r->frozen_gaps,
                 r->frozen_gaps == 1 ? "" : "s", r->frozen_keys);
    if (r->longest > 0)
        snprintf(longest, sizeof longest, ", at most %.6g s", r->longest);
    snprintf(text, size, "filled: %zu gap%s of %zu keys that were not finite%s%s", r->nan_gaps,
             r->nan_gaps == 1 ? "" : "s", r->nan_keys, of_frozen, longest);
}

/* All that are found are kept for JSON and records; of many, the first are said here. */
static pm_status report_jumps(task_work *w, const pm_motion_content *content,
                              const pm_motion_fill_options *o, const pm_motion_fill_report *r,
                              pm_error *error) {
    enum { SAID = 8 };
    static const char *const words[2] = {"repaired", "stay as they are"};
    task_report *report = w->report;
    const size_t before = report->jump_count;
    char text[TASK_EDITED / 2];
    MOTION_TRY_MEMORY(
        jumps_show(&report->jumps, &report->jump_count, content, r->jumps, r->jump_count), error);
    jumps_describe(report->jumps + before, r->jump_count, SAID, words, text, sizeof text);
    task_say(w, "; jumps above %g degrees: %s",
             o->jump_degrees > 0 ? o->jump_degrees : MOTION_JUMP_DEGREES, text[0] ? text : "none");
    for (size_t i = 0; i < r->jump_count; i++)
        if (r->jumps[i].kind == PM_MOTION_JUMP_START) {
            task_say(w, "; key 0 is apart, as a T-pose is, and stays");
            break;
        }
    return PM_OK;
}

static bool is_asked(const pm_motion_batch_task *task) {
    return task->fill != NULL;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    static const pm_motion_fill_options defaults;
    const pm_motion_fill_options *o = task->fill ? task->fill : &defaults;
    pm_motion_fill_report filled;
    MOTION_TRY(pm_motion_fill(w->motion, o, made, &filled, error));
    char gaps[256];
    task_describe_gaps(&filled, o->frozen > 0, gaps, sizeof gaps);
    task_say(w, "%s%s", w->report->edited[0] != '\0' ? "; " : "", gaps);
    w->report->filled = filled;
    w->report->filled.jumps = NULL;
    return o->jumps ? report_jumps(w, &(*made)->content, o, &filled, error) : PM_OK;
}

const task_step step_fill = {
    "fill", "resample", "fill fill-max", STEP_KEEPS_NODES | STEP_KEEPS_TIMES, is_asked, make_step};
