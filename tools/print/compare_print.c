/* SPDX-License-Identifier: MIT
 *
 * The result of a comparison as lines of text.
 */
#include "print.h"

#include "motion/base/printable.h"
#include "motion/model/meaning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_BYTES = 32, SHOWN_NAMES = 12, LIST_TEXT = 1024 };

static void print_file(FILE *file, const char *letter, const compared_file *f, const subject *s) {
    char rate[OUTCOME_RATE];
    outcome_rate(s->clip, rate);
    printable_line(file, "%s: %s: %zu joints, %zu keys, %s, %.9g s%s%.*s", letter, f->path,
                   s->joint_count, s->keys, rate, s->seconds,
                   s->clip->name.size > 0 ? ", clip " : "",
                   (int)utf8_cut(s->clip->name.text, s->clip->name.size, NAME_BYTES),
                   s->clip->name.size > 0 ? s->clip->name.text : "");
}

/* A number of up to 10 columns, or a dash. */
static void show(char text[16], double number) {
    snprintf(text, 16, isnan(number) ? "-" : number == 0 ? "0" : "%.4g", number);
}

static void show_name(char shown[4 * NAME_BYTES + 1], const subject *s, size_t joint) {
    const pm_motion_name name = subject_name(s, joint);
    if (name.size > 0)
        printable_text(shown, 4 * NAME_BYTES + 1, name.text,
                       utf8_cut(name.text, name.size, NAME_BYTES));
    else
        snprintf(shown, 4 * NAME_BYTES + 1, "joint %zu", joint);
}

static void print_line(FILE *file, const char *name, const joint_statistics *joint) {
    char shown[MEASURE_COUNT][3][16];
    for (int m = 0; m < MEASURE_COUNT; m++) {
        show(shown[m][0], joint->of[m].max);
        show(shown[m][1], extent_rms(&joint->of[m]));
        show(shown[m][2], joint->of[m].time);
    }
    printable_line(file, "%-24s %10s %10s %8s  %10s %10s %8s  %10s %10s %8s  %10s %10s %8s", name,
                   shown[0][0], shown[0][1], shown[0][2], shown[1][0], shown[1][1], shown[1][2],
                   shown[2][0], shown[2][1], shown[2][2], shown[3][0], shown[3][1], shown[3][2]);
}

static void print_joints(FILE *file, const comparison *c) {
    printable_line(file, "%-24s %10s %10s %8s  %10s %10s %8s  %10s %10s %8s  %10s %10s %8s",
                   "joint", "degrees", "rms", "at s", "distance", "rms", "at s", "degrees/s", "rms",
                   "at s", "deg/s^2", "rms", "at s");
    for (size_t i = 0; i < c->pairs->count; i++) {
        const size_t p = c->by_worst[i];
        char shown[4 * NAME_BYTES + 1];
        show_name(shown, c->a, c->pairs->pairs[p].a);
        print_line(file, shown, &c->joints[p]);
    }
    print_line(file, "clip", &c->clip);
}

static void print_only(FILE *file, const char *letter, const subject *s, const uint32_t *joints,
                       size_t count) {
    char list[LIST_TEXT] = "", shown[4 * NAME_BYTES + 1];
    for (size_t i = 0; i < count && i < SHOWN_NAMES; i++) {
        const size_t used = strlen(list);
        show_name(shown, s, joints[i]);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", shown);
    }
    if (count > SHOWN_NAMES)
        printable_line(file, "only in %s, not compared: %s and %zu more", letter, list,
                       count - SHOWN_NAMES);
    else if (count > 0)
        printable_line(file, "only in %s, not compared: %s", letter, list);
}

/* What lies far above all other values, before the table whose maxima it makes. */
static void print_apart(FILE *file, const comparison *c, compare_measure measure, const char *what,
                        const char *unit) {
    char apart[OUTCOME_APART], shown[4 * NAME_BYTES + 1];
    const size_t worst = compare_worst(c, measure);
    const scale *s = &c->scales[measure];
    outcome_apart(c, measure, apart);
    if (apart[0] == '\0')
        return;
    show_name(shown, c->a, c->pairs->pairs[worst].a);
    printable_line(
        file, "%s are at most %.4g %s, of %s at %.4g s; without the outliers, %s, at most %.4g %s",
        what, c->clip.of[measure].max, unit, shown, c->clip.of[measure].time, apart, s->end, unit);
    if (measure == MEASURE_ANGLE && outcome_keys_apart(c) > 0)
        printable_line(file,
                       "the beginning is apart, as a T-pose is: --trim-start %zu leaves it out",
                       outcome_keys_apart(c));
}

static void print_times(FILE *file, const comparison *c) {
    if (c->every > 1)
        printable_line(file,
                       "compared at %" PRIu64 " of %" PRIu64 " key times, one of %" PRIu64
                       ": the joints have many more poses there than the files have keys",
                       c->time_count, c->key_times, c->every);
}

static void print_at(FILE *file, const comparison *c) {
    if (c->unread)
        printable_line(file, "the mesh cannot be read: %s", c->unread);
    if (c->at == PM_MOTION_AT_MESH)
        printable_line(
            file, "distances are those of the mesh: of boxes around the vertices of each joint");
    else if (c->at > 0)
        printable_line(
            file, "distances are those of joints, and of points at %.6g along their axes", c->at);
}

static void print_verdict(FILE *file, const outcome *o) {
    if (o->has_tolerance)
        printable_line(file, "tolerance of %.9g degrees and %.9g mm: %s", o->tolerance_degrees,
                       o->tolerance_mm, outcome_exceeds(o) ? "exceeded" : "kept");
}

static void print_certified(FILE *file, const comparison *c, const certified_bound *bound,
                            const char *what, const char *unit) {
    char shown[4 * NAME_BYTES + 1];
    if (c->pairs->count == 0 || isnan(bound->most))
        return;
    show_name(shown, c->a, c->pairs->pairs[bound->pair].a);
    printable_line(file, "certified: no %s exceeds %.9g %s at any time: %s", what, bound->most,
                   unit, shown);
}

static void print_contacts(FILE *file, const comparison *c) {
    char shown[4 * NAME_BYTES + 1], slides[3][16];
    if (c->contacts.count == 0)
        return;
    printable_line(file,
                   "contacts: at most %g mm above the lowest joint, at most %g mm/s, of %" PRIu64
                   " frames; slides while A is in contact, in mm/s",
                   SLIDE_HEIGHT, SLIDE_SPEED, c->contacts.frames);
    printable_line(file, "%-24s %10s %10s %10s %10s %10s %10s", "foot", "frames A", "frames B",
                   "both", "slide A", "slide B", "caused");
    for (size_t i = 0; i < c->contacts.count; i++) {
        const contact *foot = &c->contacts.feet[i];
        const double a = contact_slide(foot, 0, c->a->unit_mm);
        const double b = contact_slide(foot, 1, c->a->unit_mm);
        show_name(shown, c->a, c->pairs->pairs[foot->pair].a);
        show(slides[0], a);
        show(slides[1], b);
        show(slides[2], b - a);
        printable_line(file, "%-24s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10s %10s %10s",
                       shown, foot->sides[0].frames, foot->sides[1].frames, foot->both, slides[0],
                       slides[1], slides[2]);
    }
}

static void print_trajectory(FILE *file, const outcome *o) {
    const pm_motion_trajectory_error *e = &o->trajectory;
    if (e->poses == 0)
        return;
    printable_line(file,
                   "ATE, rms of %zu poses of B: %.6g as they are, %.6g after a rigid motion, %.6g "
                   "after a similarity of scale %.9g",
                   e->poses, e->ate, e->ate_rigid, e->ate_similar, e->scale);
    if (e->poses > o->rpe_delta)
        printable_line(file,
                       "RPE, rms of %" PRIu64 " pairs %" PRIu64 " poses apart: %.6g, %.6g degrees",
                       e->poses - o->rpe_delta, o->rpe_delta, e->rpe, e->rpe_degrees);
}

void compare_print(FILE *file, const outcome *o) {
    const comparison *c = o->comparison;
    char from[48] = "", name[MOTION_UNIT_TEXT], unit[48] = "a unit that is not known";
    if (!isnan(o->unit_mm))
        snprintf(unit, sizeof unit, "units of %s", motion_unit_name(o->unit_mm, name));
    if (c->start > 0)
        snprintf(from, sizeof from, " from %.9g s", c->start);
    print_file(file, "A", &o->a, c->a);
    print_file(file, "B", &o->b, c->b);
    printable_line(file,
                   "%zu joints matched by %s, %" PRIu64 " times in %.9g s%s; A by %s on %s; "
                   "distances in %s",
                   c->pairs->count, joints_rule_name(c->pairs->rule), c->time_count, c->seconds,
                   from, o->method, o->device ? o->device : "the host in double", unit);
    if (c->a->seconds != c->b->seconds)
        printable_line(file, "durations differ: %.9g s and %.9g s; the shorter one is compared",
                       c->a->seconds, c->b->seconds);
    print_only(file, "A", c->a, c->pairs->only[0], c->pairs->only_count[0]);
    print_only(file, "B", c->b, c->pairs->only[1], c->pairs->only_count[1]);
    print_times(file, c);
    print_at(file, c);
    print_apart(file, c, MEASURE_ANGLE, "angles", "degrees");
    print_apart(file, c, MEASURE_DISTANCE, "distances", "units");
    print_joints(file, c);
    print_trajectory(file, o);
    print_certified(file, c, &o->certified.degrees, "angle", "degrees");
    print_certified(file, c, &o->certified.distance, "distance", "units");
    print_contacts(file, c);
    print_verdict(file, o);
}
