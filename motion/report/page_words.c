/* SPDX-License-Identifier: MIT
 *
 * The verdict of a page in words, and under what conditions it was found.
 */
#include "host/base/elementary.h"
#include "motion/report/page.h"

#include "motion/base/counts.h"
#include "motion/base/os.h"
#include "motion/model/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_path(FILE *file, const char *path) {
    fputs("<bdi>", file);
    page_write_text(file, path, strlen(path));
    fputs("</bdi>", file);
}

static void write_message(FILE *file, const page *p, const pm_error *remark) {
    char text[PM_ERROR_TEXT_SIZE];
    pm_error_text(remark, p->outcome->spelling, text, sizeof text);
    page_write_text(file, text, strlen(text));
}

static void write_clip_name(FILE *file, const page *p) {
    const pm_motion_name name = p->outcome->comparison->a->clip->name;
    if (name.size > 0)
        page_write_name(file, name, PAGE_NO_NUMBER);
    else
        fprintf(file, "clip %zu", p->clip);
}

/* Hidden where there is no script; then all clips are described. */
void page_write_clips(FILE *file, const page *p) {
    if (p->other_count == 0)
        return;
    fprintf(file, "<p id=\"clips\" hidden><label>Clip <select id=\"clip\">");
    for (size_t i = 0; i <= p->other_count; i++) {
        const page *of = i == 0 ? p : &p->others[i - 1];
        fprintf(file, "<option value=\"%zu\">", of->clip);
        write_clip_name(file, of);
        fputs("</option>", file);
    }
    fprintf(file,
            "</select></label> one of %zu <label id=\"limits\" hidden>Limit <input id=\"limit\" "
            "type=\"range\" min=\"0\" step=\"1\"> <output></output></label></p>\n",
            p->other_count + 1);
    if (p->left_out > 0)
        fprintf(
            file,
            "<p class=\"note\">The page leaves out %zu of the clips of the file: those that cannot "
            "be read, and what does not fit in it.</p>\n",
            p->left_out);
}

static void write_joint(FILE *file, const comparison *c, size_t pair) {
    fputs("<bdi>", file);
    page_write_name(file, subject_name(c->a, c->pairs->pairs[pair].a), c->pairs->pairs[pair].a);
    fputs("</bdi>", file);
}

static const char *base_of(const char *path) {
    const char *last = os_last_part(path);
    return *last != '\0' ? last : path;
}

/* Names without folders, unless they are what tells the files apart. */
void page_write_title(FILE *file, const page *p) {
    const char *a = p->outcome->a.path, *b = p->outcome->b.path;
    const bool alone = page_is_one(p);
    const bool whole = !alone && strcmp(base_of(a), base_of(b)) == 0;
    const char *const first = whole ? a : base_of(a), *const second = whole ? b : base_of(b);
    page_write_text(file, first, strlen(first));
    if (!alone) {
        fputs(" – ", file);
        page_write_text(file, second, strlen(second));
    }
}

/* ---- the verdict --------------------------------------------------------------------------- */

/* "25 degrees", in bold. */
static void write_value(FILE *file, const page *p, compare_measure measure, double value,
                        const char *unit) {
    fprintf(file, "<strong>%.4g %s</strong>", value, unit);
    if (measure == MEASURE_DISTANCE && !isnan(p->outcome->unit_mm))
        fprintf(file, " (%.4g mm)", value * p->outcome->unit_mm);
}

static void write_largest(FILE *file, const page *p, compare_measure measure, const char *what,
                          const char *unit) {
    const comparison *c = p->outcome->comparison;
    const extent *e = &c->clip.of[measure];
    const size_t joint = compare_worst(c, measure);
    char apart[OUTCOME_APART];
    if (e->count == 0)
        return;
    if (e->max == 0) {
        fprintf(file, "<p>Every %s is 0.</p>\n", what);
        return;
    }
    fprintf(file, "<p>The largest %s is ", what);
    write_value(file, p, measure, e->max, unit);
    fputs(", of ", file);
    write_joint(file, c, joint);
    fprintf(file,
            " at <a href=\"#t=%.9g,j=%zu\">%.4g s</a>; of all joints and times together, the root "
            "mean square (rms) is %.4g.</p>\n",
            e->time, joint, e->time, extent_rms(e));
    outcome_apart(c, measure, apart);
    if (apart[0] != '\0')
        fprintf(file,
                "<p class=\"apart\">Without the outliers, %s, the largest %s is %.4g %s.</p>\n",
                apart, what, c->scales[measure].end, unit);
    if (measure == MEASURE_ANGLE && outcome_keys_apart(c) > 0) {
        char keys[24];
        snprintf(keys, sizeof keys, "%zu", outcome_keys_apart(c));
        const pm_error remark = {.message = "The beginning is apart, as a T-pose is",
                                 .cure = "trim-start",
                                 .cure_value = keys,
                                 .hint = "leaves it out"};
        fputs("<p class=\"note\">", file);
        write_message(file, p, &remark);
        fputs(".</p>\n", file);
    }
}

static void write_hints(FILE *file, const page *p) {
    const scene_hints *hints = p->outcome->hints;
    for (size_t i = 0; i < hints->count; i++) {
        fputs("<p class=\"note hint\">", file);
        write_path(file, hints->of[i].file);
        fputs(": ", file);
        write_message(file, p, &hints->of[i].what);
        fputs(".</p>\n", file);
    }
}

static void write_sameness(FILE *file, const comparison *c) {
    const bool joints = c->pairs->only_count[0] + c->pairs->only_count[1] == 0;
    const bool rates = c->a->clip->rate.num == c->b->clip->rate.num &&
                       c->a->clip->rate.den == c->b->clip->rate.den;
    fprintf(file, "<p>%s joints (%zu, matched by %s). %s rates. %s durations",
            joints ? "The same" : "Not the same", c->pairs->count, joints_rule_name(c->pairs->rule),
            rates ? "Equal" : "Different", c->a->seconds == c->b->seconds ? "Equal" : "Different");
    if (c->a->seconds != c->b->seconds)
        fprintf(file, ": %.9g s and %.9g s; the shorter one is compared", c->a->seconds,
                c->b->seconds);
    fputs(".</p>\n", file);
}

static void write_tolerance(FILE *file, const outcome *o) {
    if (o->has_tolerance)
        fprintf(file, "<p>The tolerance of %.9g degrees and %.9g mm is <strong>%s</strong>.</p>\n",
                o->tolerance_degrees, o->tolerance_mm, outcome_exceeds(o) ? "exceeded" : "kept");
}

/* "3.417 seconds of motion of 26 joints: 83 keyframes at 24 Hz." */
static void write_summary(FILE *file, const page *p) {
    const subject *s = p->outcome->comparison->a;
    char rate[OUTCOME_RATE];
    outcome_rate(s->clip, rate);
    if (p->other_count > 0 || p->is_other) {
        fputs("<p class=\"which\">Clip <bdi>", file);
        write_clip_name(file, p);
        fputs("</bdi>:</p>\n", file);
    }
    fprintf(file,
            "<p><strong>%.4g seconds of motion of %zu joints: %zu keyframes%s%s.</strong></p>\n",
            s->seconds, s->joint_count, s->keys, s->clip->rate.den ? " at " : ", at uneven times",
            s->clip->rate.den ? rate : "");
}

/* Three digits, and not less than the number: what is within it is within these. */
static double round_up(double number) {
    if (!(number > 0) || !isfinite(number))
        return number;
    const double last = pm_power_of_ten(pm_decimal_exponent(number) - 2);
    return ceil(number / last * (1 - 1e-12)) * last;
}

/* What a reader wants to know first: how far B is from A. */
static void write_headline(FILE *file, const page *p) {
    const comparison *c = p->outcome->comparison;
    const extent *angle = &c->clip.of[MEASURE_ANGLE], *distance = &c->clip.of[MEASURE_DISTANCE];
    if (angle->count == 0)
        return;
    fprintf(file, "<p><strong>B is within %.3g degrees", round_up(angle->max));
    if (distance->count > 0)
        fprintf(file, " and %.3g mm", round_up(distance->max * p->outcome->unit_mm));
    fputs(" of A</strong>, in every joint and at every time that was compared.</p>\n", file);
}

void page_write_verdict(FILE *file, const page *p) {
    const comparison *c = p->outcome->comparison;
    if (page_is_one(p)) {
        write_summary(file, p);
    } else {
        write_headline(file, p);
        write_largest(file, p, MEASURE_ANGLE, "angle", "degrees");
        write_largest(file, p, MEASURE_DISTANCE, "distance", "units");
        write_tolerance(file, p->outcome);
        write_sameness(file, c);
    }
    write_hints(file, p);
    if (c->every > 1)
        fprintf(file,
                "<p class=\"note\">Taken at %" PRIu64 " of %" PRIu64 " key times, one of %" PRIu64
                ": the joints have many more poses there than the files have keys.</p>\n",
                c->time_count, c->key_times, c->every);
    if (p->frames->per_frame > 1)
        fprintf(file,
                "<p class=\"note\">The pictures show %zu of %" PRIu64 " times: of each %" PRIu64
                " the one with the largest angle. All numbers are of "
                "all times.</p>\n",
                p->frames->count, c->time_count, p->frames->per_frame);
}

/* ---- conditions ---------------------------------------------------------------------------- */

static void write_file(FILE *file, const page *p, const char *letter, const compared_file *f,
                       const subject *s) {
    char rate[OUTCOME_RATE];
    outcome_rate(s->clip, rate);
    fprintf(file, "<dt>%s</dt><dd>", letter);
    write_path(file, f->path);
    fprintf(file, ": %s, ", pm_motion_format_name(s->view.content.format));
    if (s->clip->name.size > 0) {
        fputs("clip <bdi>", file);
        page_write_name(file, s->clip->name, PAGE_NO_NUMBER);
        fputs("</bdi>, ", file);
    }
    fprintf(file, "%zu joints, %zu keys, %s, %.9g s", s->joint_count, s->keys, rate, s->seconds);
    if (s->cut > 0)
        fprintf(file, ", from %.9g s of the file on", s->cut);
    if (f->digest)
        fprintf(file, ", XXH3-128 <code>%s</code>", f->digest);
    fputs("</dd>\n", file);
    const pm_motion_content *content = &s->view.content;
    for (size_t i = 0; i < content->note_count; i++) {
        fputs("<dt>odd</dt><dd>", file);
        write_message(file, p, content->notes[i]);
        fputs("</dd>\n", file);
    }
}

static void write_only(FILE *file, const char *letter, const subject *s, const uint32_t *joints,
                       size_t count) {
    enum { SHOWN = 40 };
    if (count == 0)
        return;
    fprintf(file, "<dt>only in %s</dt><dd>", letter);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        fputs(i > 0 ? ", <bdi>" : "<bdi>", file);
        page_write_name(file, subject_name(s, joints[i]), joints[i]);
        fputs("</bdi>", file);
    }
    if (count > SHOWN)
        fprintf(file, " and %zu more", count - SHOWN);
    fputs("</dd>\n", file);
}

static void write_rest(FILE *file, const page *p) {
    static const char *const paths[PM_MOTION_PATH_COUNT] = {"rotations", "translations", "scales",
                                                            "weights", "scalars"};
    const pm_motion_content *content = &p->outcome->comparison->a->view.content;
    const clip_summary s = motion_summarise(content->clips);
    fprintf(file, "<dt>skeleton</dt><dd>%zu joints, %zu deep</dd>\n<dt>channels</dt><dd>",
            content->node_count, motion_depth(content));
    for (int path = 0, shown = 0; path < PM_MOTION_PATH_COUNT; path++)
        if (s.paths[path] > 0)
            fprintf(file, "%s%zu %s", shown++ > 0 ? ", " : "", s.paths[path], paths[path]);
    fprintf(file,
            "</dd>\n<dt>largest turns</dt><dd>%.4g degrees from the first key to the second, "
            "%.4g between later keys</dd>\n",
            s.first_step, s.other_step);
    for (size_t i = 0; i < content->carried_count; i++) {
        fputs("<dt>the file also has</dt><dd>", file);
        page_write_text(file, content->carried[i], strlen(content->carried[i]));
        fputs("</dd>\n", file);
    }
}

/* What interpolates, in words for who did not choose it. */
static void write_method(FILE *file, const char *method) {
    const bool authored = strcmp(method, "authored") == 0;
    const char *words = authored ? "each channel as its file says (authored)" : method;
    page_write_text(file, words, strlen(words));
}

void page_write_conditions(FILE *file, const page *p) {
    static const char own_curve[] = ", computed in double precision";
    const outcome *o = p->outcome;
    const comparison *c = o->comparison;
    write_file(file, p, page_is_one(p) ? "file" : "A", &o->a, c->a);
    if (page_is_one(p)) {
        write_rest(file, p);
    } else {
        write_file(file, p, "B", &o->b, c->b);
        write_only(file, "A", c->a, c->pairs->only[0], c->pairs->only_count[0]);
        write_only(file, "B", c->b, c->pairs->only[1], c->pairs->only_count[1]);
        fputs("<dt>A between its keys</dt><dd>", file);
        write_method(file, o->method);
        fputs(o->device ? ", computed in single precision on " : own_curve, file);
        page_write_text(file, o->device ? o->device : "", o->device ? strlen(o->device) : 0);
        fprintf(file, "</dd>\n<dt>B between its keys</dt><dd>");
        write_method(file, "authored");
        fprintf(file, "%s</dd>\n", own_curve);
    }
    char unit[32] = "not known";
    if (!isnan(o->unit_mm))
        snprintf(unit, sizeof unit, "%.9g mm", o->unit_mm);
    fprintf(file,
            "<dt>%s</dt><dd>%" PRIu64 " times in %.9g s, from %.9g s on</dd>\n"
            "<dt>up</dt><dd>%s</dd>\n"
            "<dt>1 unit of length</dt><dd>%s</dd>\n<dt>made by</dt><dd>posemill %s: <code>",
            page_is_one(p) ? "shown at" : "compared at", c->time_count, c->seconds, c->start,
            scene_up_name(c->a->up), unit, pm_version());
    page_write_text(file, p->command, strlen(p->command));
    fputs("</code></dd>\n", file);
}

/* ---- moments and slides -------------------------------------------------------------------- */

void page_write_moments(FILE *file, const page *p) {
    const comparison *c = p->outcome->comparison;
    for (size_t i = 0; i < c->moment_count; i++) {
        const moment *m = &c->moments[i];
        fprintf(file, "<li><a href=\"#t=%.9g,j=%zu\">%.4g s</a>: ", m->time, m->pair, m->time);
        write_joint(file, c, m->pair);
        fprintf(file, ", %.4g degrees%s</li>\n", m->degrees,
                m->degrees > c->scales[MEASURE_ANGLE].end ? ", beyond the colour scale" : "");
    }
    if (c->moment_count == 0)
        fputs("<li>none</li>\n", file);
}

static void write_slide(FILE *file, const page *p, size_t pair) {
    const comparison *c = p->outcome->comparison;
    const slide *s = &c->joints[pair].slide;
    fputs("<li>", file);
    write_joint(file, c, pair);
    fprintf(file,
            " stands in A from %.4g s to %.4g s and moves %.4g units (%.4g mm) in B, at "
            "<a href=\"#t=%.9g,j=%zu\">%.4g s</a></li>\n",
            s->begin, s->end, s->max, s->max * p->outcome->unit_mm, s->time, pair, s->time);
}

/* The worst few of those that move by a millimetre or more. */
void page_write_slides(FILE *file, const page *p) {
    enum { SHOWN = 8 };
    const comparison *c = p->outcome->comparison;
    double below = (double)INFINITY;
    size_t shown = 0;
    for (; shown < SHOWN; shown++) {
        size_t next = SIZE_MAX;
        for (size_t j = 0; j < c->pairs->count; j++) {
            const double max = c->joints[j].slide.max;
            if (max < below && max * p->outcome->unit_mm >= 1 &&
                (next == SIZE_MAX || max > c->joints[next].slide.max))
                next = j;
        }
        if (next == SIZE_MAX)
            break;
        below = c->joints[next].slide.max;
        write_slide(file, p, next);
    }
    if (shown == 0)
        fputs(!compare_has_places(c) ? "<li>not known without a skeleton</li>\n"
              : isnan(p->outcome->unit_mm)
                  ? "<li>not known without a unit of length</li>\n"
                  : "<li>No joint that stands in A moves by 1 mm in B.</li>\n",
              file);
}

/* ---- the table ----------------------------------------------------------------------------- */

static void write_row(FILE *file, const joint_statistics *joint) {
    for (int m = 0; m < MEASURE_COUNT; m++) {
        page_write_cell(file, joint->of[m].max);
        page_write_cell(file, extent_rms(&joint->of[m]));
        page_write_cell(file, joint->of[m].time);
    }
    fputs("</tr>\n", file);
}

void page_write_table(FILE *file, const page *p) {
    const comparison *c = p->outcome->comparison;
    fputs("<tbody>\n", file);
    for (size_t i = 0; i < c->pairs->count; i++) {
        const size_t pair = c->by_worst[i];
        fprintf(file, "<tr data-joint=\"%zu\"><th scope=\"row\">", pair);
        write_joint(file, c, pair);
        fputs("</th>", file);
        write_row(file, &c->joints[pair]);
    }
    fputs("</tbody>\n<tfoot><tr><th scope=\"row\">clip</th>", file);
    write_row(file, &c->clip);
    fputs("</tfoot>\n", file);
}
