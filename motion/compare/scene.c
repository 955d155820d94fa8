/* SPDX-License-Identifier: MIT
 *
 * Options about the part, the axis that points up and the unit, and the hints where they were guessed.
 */
#include "motion/compare/outcome.h"

#include "motion/model/evaluate.h"
#include "motion/model/figure.h"
#include "motion/model/meaning.h"
#include "motion/model/names.h"
#include "motion/time/rate.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The heights of bodies, in millimetres, from a toddler to a giant. */
#define LEAST_MM 750.0
#define MOST_MM 2600.0

const char *scene_up_name(int up) {
    return up == 2 ? "z" : "y";
}

/* ---- hints --------------------------------------------------------------------------------- */

/* A cure of a hint: an option with its value, and what it does. */
typedef struct hint_cure {
    const char *option, *value, *does;
} hint_cure;

/* A hint that is there already, of a file that is compared with itself, is not repeated. */
__attribute__((format(printf, 4, 5))) static void
add_hint(scene_hints *hints, const char *file, hint_cure cure, const char *format, ...) {
    scene_hint *hint = &hints->of[hints->count];
    char message[sizeof hint->what.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(hint->value, sizeof hint->value, "%s", cure.value);
    motion_describe(
        &hint->what,
        (motion_about){.cure = cure.option, .cure_value = hint->value, .hint = cure.does}, "%s",
        message);
    pm_error_text(&hint->what, hints->spelling, hint->text, sizeof hint->text);
    for (size_t i = 0; i < hints->count; i++)
        if (strcmp(hints->of[i].file, file) == 0 && strcmp(hints->of[i].text, hint->text) == 0)
            return;
    hint->file = file;
    hints->count++;
}

/* ---- up and units -------------------------------------------------------------------------- */

/* A subject, its file, and its figure. */
typedef struct seen {
    subject *s;
    const char *name;
    motion_figure figure;
} seen;

/* What the figure says beside a file that states its axis, or about a guess. */
static void hint_up(const seen *w, scene_hints *hints) {
    const motion_figure *f = &w->figure;
    const pm_motion_source from = w->s->view.content.up_from;
    const int up = w->s->up, other = up == 1 ? 2 : 1;
    const bool is_guess = from == PM_MOTION_ESTIMATED && up == PM_MOTION_UP_Z && !hints->is_note;
    const char *cure = hints->is_note ? "of compare and view says otherwise" : "says otherwise";
    if (up == 0) {
        if (!hints->is_note)
            add_hint(hints, w->name, (hint_cure){"up", "z", "says which: y or z"},
                     "it is not known which axis points up, and y is taken");
    } else if (f->is_posed && f->up != PM_MOTION_UP_FOUND && (int)f->up != up)
        add_hint(
            hints, w->name, (hint_cure){"up", scene_up_name(other), cure},
            "%s is up, as the format states, and the figure stands along %s, where it measures "
            "%.4g units, and %.4g along %s",
            scene_up_name(up), scene_up_name(other), f->extent[other], f->extent[up],
            scene_up_name(up));
    else if (f->is_doubtful)
        add_hint(hints, w->name,
                 (hint_cure){"up", scene_up_name(other),
                             hints->is_note ? "of compare and view, if it should stand"
                                            : "if it should stand"},
                 "%s is taken as up, and the figure lies along %s", scene_up_name(up),
                 scene_up_name(other));
    else if (is_guess && f->is_posed)
        add_hint(hints, w->name, (hint_cure){"up", scene_up_name(other), cure},
                 "%s is taken as up, a guess: the figure stands along %s, where it measures "
                 "%.4g units, and %.4g along %s",
                 scene_up_name(up), scene_up_name(up), f->extent[up], f->extent[other],
                 scene_up_name(other));
}

#define UNITS "makes it 1.7 m; 1000 is for metres, 10 for centimetres, 25.4 for inches"

static void hint_unit(const seen *w, scene_hints *hints) {
    const double height = w->figure.height * w->s->unit_mm;
    char unit[32], reason[MOTION_REASON_TEXT];
    if (w->s->unit_mm == 0 && !hints->is_note)
        add_hint(hints, w->name, (hint_cure){"unit", "cm", "says it, or another unit"},
                 "the unit of length is not known: %s; feet that slide are not looked for",
                 motion_unit_reason(w->s->motion, reason));
    if (!w->figure.is_posed || !(height > 0) || (height >= LEAST_MM && height <= MOST_MM) ||
        w->s->view.content.unit_from == PM_MOTION_ESTIMATED)
        return;
    snprintf(unit, sizeof unit, "%.3g", 1700 / w->figure.height);
    add_hint(hints, w->name,
             (hint_cure){"unit", unit, hints->is_note ? "of compare and view " UNITS : UNITS},
             "a unit of length is taken as %.9g mm: the figure of %.4g units is %.4g mm tall, "
             "not the height of a body",
             w->s->unit_mm, w->figure.height, height);
}

/* The usual factor between two units that is nearest to a ratio above 1; 0: none is near. */
static double usual_factor(double ratio) {
    static const double factors[] = {2.54, 10, 25.4, 39.37, 100, 254, 1000};
    double found = 0;
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        if (fabs(log(ratio / factors[i])) < log(1.25) &&
            (found == 0 || fabs(log(ratio / factors[i])) < fabs(log(ratio / found))))
            found = factors[i];
    return found;
}

static void hint_ratio(const seen w[2], scene_hints *hints) {
    const bool larger = w[0].figure.height > w[1].figure.height;
    const double ratio = w[larger ? 0 : 1].figure.height / w[larger ? 1 : 0].figure.height;
    const double factor = usual_factor(ratio);
    if (!(ratio >= 2) || isinf(ratio))
        return;
    char to_a[32];
    snprintf(to_a, sizeof to_a, "%.3g",
             larger ? (factor > 0 ? factor : ratio) : 1 / (factor > 0 ? factor : ratio));
    add_hint(hints, w[1].name,
             (hint_cure){"scale", to_a, "brings B to the unit of A when it is converted"},
             "the figure of A is %.4g units tall and that of B %.4g: a factor of %.3g%s; distances "
             "are compared as the files have them",
             w[0].figure.height, w[1].figure.height, ratio,
             factor > 0 ? ", as between units of length" : "");
}

static pm_status look(const pm_motion_compare_options *o, seen *w, scene_hints *hints,
                      pm_error *error) {
    const pm_motion_content *content = &w->s->view.content;
    const bool is_stated =
        o->up != 0 || content->up_from == PM_MOTION_STATED || content->up_from == PM_MOTION_GIVEN;
    w->s->up = o->up != 0 ? (int)o->up : w->s->up;
    w->s->unit_mm = o->unit_mm > 0 ? o->unit_mm : w->s->unit_mm;
    if (!w->s->has_places)
        return PM_OK;
    const pm_status status = motion_measure_figure(
        content, w->s->clip, is_stated ? (pm_motion_up)w->s->up : 0, &w->figure, error);
    if (status != PM_OK)
        return motion_name_failure(status, w->name, error);
    if (o->up == 0 && content->up_from != PM_MOTION_GIVEN)
        hint_up(w, hints);
    if (o->unit_mm <= 0 && content->unit_from != PM_MOTION_GIVEN)
        hint_unit(w, hints);
    return PM_OK;
}

/* What is not made equal, and what figures say beside units. */
static void hint_difference(seen w[2], scene_hints *hints) {
    if (!w[0].figure.is_posed || !w[1].figure.is_posed)
        return;
    if (w[0].s->up != w[1].s->up && w[0].s->up != 0 && w[1].s->up != 0)
        add_hint(hints, w[1].name,
                 (hint_cure){"to-up", scene_up_name(w[0].s->up), "turns B when it is converted"},
                 "%s points up in A, and %s in B: distances have no meaning",
                 scene_up_name(w[0].s->up), scene_up_name(w[1].s->up));
    hint_ratio(w, hints);
}

static pm_status look_at_both(const pm_motion_compare_options *o, seen w[2], scene_hints *hints,
                              pm_error *error) {
    const bool are_two = w[0].s != w[1].s;
    char text[MOTION_ADJUSTMENT_TEXT] = "";
    pm_status status = look(o, &w[0], hints, error);
    if (status == PM_OK && are_two)
        status = look(o, &w[1], hints, error);
    const double unit = w[1].s->unit_mm;
    if (status == PM_OK && are_two)
        status = motion_name_failure(subject_meet(w[1].s, w[0].s, text, error), w[1].name, error);
    if (status == PM_OK && are_two) {
        w[1].figure.height *= unit > 0 && w[1].s->unit_mm != unit ? unit / w[1].s->unit_mm : 1;
        hint_difference(w, hints);
    }
    if (text[0])
        add_hint(hints, w[1].name, (hint_cure){NULL, "", NULL}, "is compared as A has it: %s",
                 text);
    for (int i = 0; i < 2; i++)
        w[i].s->up = w[i].s->up != 0 ? w[i].s->up : PM_MOTION_UP_Y;
    return status;
}

void scene_add_hint(scene_hints *hints, const char *file, const char *text) {
    add_hint(hints, file, (hint_cure){NULL, "", NULL}, "%s", text);
}

/* ---- the part ------------------------------------------------------------------------------ */

/* The time of a key of the timeline that has most. */
static double time_of_key(const subject *s, size_t key) {
    for (size_t t = 0; t < s->clip->timeline_count; t++)
        if (s->clip->timelines[t].key_count == s->keys)
            return evaluate_key_time(&s->clip->timelines[t], key) - s->begin;
    return 0;
}

/* Refuses an option of the part, for a file. */
__attribute__((format(printf, 4, 5))) static pm_status
refuse_part(const char *file, const char *option, pm_error *error, const char *format, ...) {
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    motion_fail_option(error, PM_ERROR_FILE, option, "%s", message);
    return motion_name_failure(PM_ERROR_FILE, file, error);
}

/* Beginning and end in seconds after the first key. */
static pm_status find_part(const pm_motion_compare_options *o, comparison *c, const char *name_a,
                           const char *name_b, pm_error *error) {
    const bool a_is_shorter = c->a->seconds <= c->b->seconds;
    const double end = a_is_shorter ? c->a->seconds : c->b->seconds;
    const char *shorter = a_is_shorter ? name_a : name_b;
    times_request *t = &c->times;
    t->from = o->start_after_first_key.den != 0 ? rate_value(o->start_after_first_key) : 0;
    t->to = o->end_after_first_key.den != 0 ? fmax(rate_value(o->end_after_first_key), DBL_MIN)
                                            : 0; /* 0 is the end */
    if (o->trim_start > 0) {
        if (o->trim_start >= c->a->keys)
            return refuse_part(name_a, "trim-start", error, "%zu removes all %zu keys",
                               o->trim_start, c->a->keys);
        t->from = fmax(t->from, time_of_key(c->a, o->trim_start));
    }
    if (t->from > end + SUBJECT_SAME_TIME)
        return refuse_part(shorter, o->trim_start > 0 ? "trim-start" : "start", error,
                           "%s after the last key, at %.9g s", o->trim_start > 0 ? "ends" : "is",
                           end);
    if (t->to > end + SUBJECT_SAME_TIME)
        return refuse_part(shorter, "end", error, "is after the last key, at %.9g s", end);
    if (o->end_after_first_key.den != 0 && t->to < t->from)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "end",
                                  "is before the beginning, at %.9g s", t->from);
    return PM_OK;
}

pm_status scene_apply(const pm_motion_compare_options *options, comparison *c, const char *name_a,
                      const char *name_b, scene_hints *hints, pm_error *error) {
    seen w[2] = {{.s = c->a, .name = name_a}, {.s = c->b, .name = name_b}};
    MOTION_TRY(find_part(options, c, name_a, name_b, error));
    return look_at_both(options, w, hints, error);
}

/* Crowds take root motion from the highest node. */
static void note_root(pm_motion *motion) {
    const pm_motion_node *nodes = motion->content.nodes;
    char moving[MOTION_PRINTABLE], still[MOTION_PRINTABLE];
    const uint32_t node = motion->content.mover;
    if (node == PM_NO_INDEX32 || nodes[node].parent < 0)
        return;
    uint32_t root = node;
    while (nodes[root].parent >= 0)
        root = (uint32_t)nodes[root].parent;
    motion_note_about(
        &motion->notes, (motion_about){.cure = "extract-root", .hint = "of convert moves the root"},
        "'%s' moves away, and '%s', the root above it, does not: a crowd has no root motion",
        motion_joint_name(moving, nodes[node].name, node),
        motion_joint_name(still, nodes[root].name, root));
}

pm_status scene_note(pm_motion *motion, const char *name, pm_error *error) {
    static const pm_motion_compare_options none;
    pm_motion_content *content = &motion->content;
    scene_hints hints = {.is_note = true};
    pm_status status = PM_OK;
    subject s;
    if (content->node_count == 0 || content->clip_count == 0)
        return PM_OK;
    if (subject_make(&s, motion, 0, NULL) == PM_OK) /* else the notes say what is odd */
        status = look(&none, &(seen){.s = &s, .name = name}, &hints, error);
    subject_release(&s);
    if (status == PM_OK)
        note_root(motion);
    for (size_t i = 0; i < hints.count; i++)
        motion_keep_note(&motion->notes, &hints.of[i].what);
    content->notes = motion->notes.all;
    content->note_count = motion->notes.count;
    return status;
}
