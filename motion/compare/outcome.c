/* SPDX-License-Identifier: MIT
 *
 * What is said about a comparison in words, wherever it is shown, and as JSON, which the page has too.
 */
#include "motion/compare/outcome.h"

#include <inttypes.h>
#include <math.h>

#include "motion/base/composed.h"
#include "motion/base/json.h"
#include "motion/time/rate.h"

bool outcome_exceeds(const outcome *o) {
    const extent *of = o->comparison->clip.of;
    return o->has_tolerance && (of[MEASURE_ANGLE].max > o->tolerance_degrees ||
                                of[MEASURE_DISTANCE].max * o->unit_mm > o->tolerance_mm);
}

void outcome_rate(const pm_motion_clip *clip, char text[OUTCOME_RATE]) {
    if (clip->rate.den == 0)
        snprintf(text, OUTCOME_RATE, "keys that are not uniform");
    else
        rate_describe(clip->rate, text);
}

void outcome_apart(const comparison *c, compare_measure measure, char text[OUTCOME_APART]) {
    const scale *s = &c->scales[measure];
    char range[64];
    text[0] = '\0';
    if (s->times == 0)
        return;
    if (s->first < s->last)
        snprintf(range, sizeof range, "from %.4g s to %.4g s", s->first, s->last);
    else
        snprintf(range, sizeof range, "%.4g s", s->first);
    snprintf(text, OUTCOME_APART, "at %" PRIu64 " of %" PRIu64 " times, %s", s->times,
             c->time_count, range);
}

size_t outcome_keys_apart(const comparison *c) {
    enum { MOST_KEYS = 3 };
    const scale *s = &c->scales[MEASURE_ANGLE];
    const double step = subject_step(c->a);
    const double keys = s->times > 0 && step > 0 ? floor(s->last / step + 1e-6) + 1 : 0;
    return c->start == 0 && keys <= MOST_KEYS ? (size_t)keys : 0;
}

static void write_file(json_writer *json, const char *key, const compared_file *file,
                       const subject *s) {
    json_begin_object(json, key);
    json_write_string(json, "file", file->path);
    json_write_string(json, "format", pm_motion_format_name(s->view.content.format));
    json_write_string(json, "clip", s->clip->name.text);
    json_write_integer(json, "joints", s->joint_count);
    json_write_integer(json, "keys", s->keys);
    json_write_rate(json, "rate", s->clip->rate);
    json_write_number(json, "seconds", s->seconds);
    json_write_string(json, "digest", file->digest);
    json_end_object(json);
}

static void write_statistics(json_writer *json, const joint_statistics *joint) {
    static const char *const names[MEASURE_COUNT][3] = {
        {"max_degrees", "rms_degrees", "time_of_max"},
        {"max_distance", "rms_distance", "time_of_max_distance"},
        {"max_degrees_per_s", "rms_degrees_per_s", "time_of_max_degrees_per_s"},
        {"max_degrees_per_s2", "rms_degrees_per_s2", "time_of_max_degrees_per_s2"}};
    for (int m = 0; m < MEASURE_COUNT; m++) {
        json_write_number(json, names[m][0], joint->of[m].max);
        json_write_number(json, names[m][1], extent_rms(&joint->of[m]));
        json_write_number(json, names[m][2], joint->of[m].time);
    }
}

static void write_slide(json_writer *json, const comparison *c, const slide *s) {
    const bool known = compare_has_places(c);
    json_write_number(json, "max_slide", known ? s->max : (double)NAN);
    json_write_number(json, "time_of_slide", known && s->max > 0 ? s->time : (double)NAN);
}

static void write_joint(json_writer *json, const comparison *c, size_t p) {
    json_begin_object(json, NULL);
    json_write_string(json, "name", subject_name(c->a, c->pairs->pairs[p].a).text);
    json_write_string(json, "name_b", subject_name(c->b, c->pairs->pairs[p].b).text);
    write_statistics(json, &c->joints[p]);
    json_write_number(json, "planted_seconds",
                      compare_has_places(c) ? c->joints[p].slide.planted_seconds : (double)NAN);
    write_slide(json, c, &c->joints[p].slide);
    json_end_object(json);
}

static void write_only(json_writer *json, const char *key, const subject *s, const uint32_t *joints,
                       size_t count) {
    json_begin_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_write_string(json, NULL, subject_name(s, joints[i]).text);
    json_end_array(json);
}

static void write_moments(json_writer *json, const comparison *c) {
    json_begin_array(json, "moments");
    for (size_t i = 0; i < c->moment_count; i++) {
        const moment *m = &c->moments[i];
        json_begin_object(json, NULL);
        json_write_number(json, "time", m->time);
        json_write_string(json, "name", subject_name(c->a, c->pairs->pairs[m->pair].a).text);
        json_write_number(json, "degrees", m->degrees);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_tolerance(json_writer *json, const outcome *o) {
    if (!o->has_tolerance) {
        json_write_null(json, "tolerance");
        return;
    }
    json_begin_object(json, "tolerance");
    json_write_number(json, "degrees", o->tolerance_degrees);
    json_write_number(json, "mm", o->tolerance_mm);
    json_write_bool(json, "exceeded", outcome_exceeds(o));
    json_end_object(json);
}

static void write_hints(json_writer *json, const scene_hints *hints) {
    json_begin_array(json, "hints");
    for (size_t i = 0; i < hints->count; i++) {
        json_begin_object(json, NULL);
        json_write_string(json, "file", hints->of[i].file);
        json_write_string(json, "hint", hints->of[i].text);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Where the colour scale of each measure ends, and what lies beyond. */
static void write_scales(json_writer *json, const comparison *c) {
    static const char *const names[MEASURE_COUNT] = {"degrees", "distance", "degrees_per_s",
                                                     "degrees_per_s2"};
    json_begin_object(json, "scales");
    for (int m = 0; m < MEASURE_COUNT; m++) {
        const scale *s = &c->scales[m];
        json_begin_object(json, names[m]);
        json_write_number(json, "end", s->end);
        json_write_integer(json, "times_beyond", s->times);
        json_write_number(json, "first_beyond", s->times > 0 ? s->first : (double)NAN);
        json_write_number(json, "last_beyond", s->times > 0 ? s->last : (double)NAN);
        json_end_object(json);
    }
    json_end_object(json);
}

static void write_certified_name(json_writer *json, const char *key, const comparison *c,
                                 const certified_bound *bound) {
    const bool is_known = c->pairs->count > 0 && !isnan(bound->most);
    json_write_string(json, key,
                      is_known ? subject_name(c->a, c->pairs->pairs[bound->pair].a).text : NULL);
}

static void write_certified(json_writer *json, const outcome *o) {
    const comparison *c = o->comparison;
    if (!o->certify) {
        json_write_null(json, "certified");
        return;
    }
    json_begin_object(json, "certified");
    json_write_number(json, "degrees", o->certified.degrees.most);
    write_certified_name(json, "name", c, &o->certified.degrees);
    json_write_number(json, "distance", o->certified.distance.most);
    write_certified_name(json, "distance_name", c, &o->certified.distance);
    json_end_object(json);
}

static void write_conditions(json_writer *json, const outcome *o) {
    const comparison *c = o->comparison;
    json_write_string(json, "version", pm_version());
    json_write_string(json, "method", o->method);
    json_write_string(json, "device", o->device);
    json_write_string(json, "precision", o->device ? "float32" : "double");
    json_write_string(json, "matched_by", joints_rule_name(c->pairs->rule));
    json_write_integer(json, "times", c->time_count);
    json_write_integer(json, "key_times", c->key_times);
    json_write_rate(json, "rate", c->times.rate);
    json_write_number(json, "start", c->start);
    json_write_number(json, "seconds", c->seconds);
    json_write_number(json, "step_of_speeds", c->step);
    json_write_number(json, "unit_mm", o->unit_mm);
    reach_write_at(json, c->at);
    json_write_string(json, "unread_mesh", c->unread);
    json_write_string(json, "up", scene_up_name(c->a->up));
    write_hints(json, o->hints);
    write_only(json, "only_in_a", c->a, c->pairs->only[0], c->pairs->only_count[0]);
    write_only(json, "only_in_b", c->b, c->pairs->only[1], c->pairs->only_count[1]);
    write_tolerance(json, o);
    write_certified(json, o);
}

static void write_side(json_writer *json, const contact_side *side, const char *frames,
                       const char *spans) {
    json_write_integer(json, frames, side->frames);
    json_begin_array(json, spans);
    for (size_t i = 0; i < side->span_count; i++) {
        json_begin_array(json, NULL);
        json_write_number(json, NULL, side->spans[i][0]);
        json_write_number(json, NULL, side->spans[i][1]);
        json_end_array(json);
    }
    json_end_array(json);
}

static void write_foot(json_writer *json, const comparison *c, const contact *foot) {
    const joint_pair pair = c->pairs->pairs[foot->pair];
    const double a = contact_slide(foot, 0, c->a->unit_mm),
                 b = contact_slide(foot, 1, c->a->unit_mm);
    json_begin_object(json, NULL);
    json_write_string(json, "name", subject_name(c->a, pair.a).text);
    json_write_string(json, "name_b", subject_name(c->b, pair.b).text);
    write_side(json, &foot->sides[0], "frames_a", "spans_a");
    write_side(json, &foot->sides[1], "frames_b", "spans_b");
    json_write_integer(json, "frames_both", foot->both);
    json_write_number(json, "seconds", foot->seconds);
    json_write_number(json, "slide_a", a);
    json_write_number(json, "slide_b", b);
    json_write_number(json, "slide_caused", b - a);
    json_end_object(json);
}

/* Only where they are asked for. */
static void write_contacts(json_writer *json, const comparison *c) {
    if (c->contacts.count == 0)
        return;
    json_begin_object(json, "contacts");
    json_write_number(json, "height_mm", SLIDE_HEIGHT);
    json_write_number(json, "mm_per_s", SLIDE_SPEED);
    json_write_integer(json, "frames", c->contacts.frames);
    json_begin_array(json, "feet");
    for (size_t i = 0; i < c->contacts.count; i++)
        write_foot(json, c, &c->contacts.feet[i]);
    json_end_array(json);
    json_end_object(json);
}

/* Only of trajectories. */
static void write_trajectory(json_writer *json, const outcome *o) {
    const pm_motion_trajectory_error *e = &o->trajectory;
    if (e->poses == 0)
        return;
    json_begin_object(json, "trajectory");
    json_write_integer(json, "poses", e->poses);
    json_write_number(json, "ate", e->ate);
    json_write_number(json, "ate_rigid", e->ate_rigid);
    json_write_number(json, "ate_similar", e->ate_similar);
    json_write_number(json, "scale", e->scale);
    json_write_integer(json, "rpe_delta", o->rpe_delta);
    json_write_number(json, "rpe", e->rpe);
    json_write_number(json, "rpe_degrees", e->rpe_degrees);
    json_end_object(json);
}

static bool print_all(FILE *file, const void *content) {
    const outcome *o = content;
    const comparison *c = o->comparison;
    json_writer json = {file, 0, false};
    json_begin_object(&json, NULL);
    write_file(&json, "a", &o->a, c->a);
    write_file(&json, "b", &o->b, c->b);
    write_conditions(&json, o);
    json_begin_array(&json, "joints");
    for (size_t i = 0; i < c->pairs->count; i++)
        write_joint(&json, c, c->by_worst[i]);
    json_end_array(&json);
    json_begin_object(&json, "clip");
    write_statistics(&json, &c->clip);
    write_slide(&json, c, &c->clip.slide);
    json_end_object(&json);
    write_scales(&json, c);
    write_moments(&json, c);
    write_contacts(&json, c);
    write_trajectory(&json, o);
    json_end_object(&json);
    return true;
}

char *outcome_json(const outcome *o, size_t *size) {
    return compose_text(print_all, o, size);
}
