/* SPDX-License-Identifier: MIT
 *
 * Makes comparisons of what callers give, and tells them what was found.
 */
#include "motion/compare/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/counts.h"

static const pm_motion_compare_options defaults;

uint64_t comparison_most_times(const pm_motion_compare_options *o) {
    static const uint64_t most = 100000000; /* more are rather a wrong rate than intended */
    return o && o->max_times > 0 ? o->max_times : most;
}

static bool is_time(pm_rational time) {
    return (time.num == 0 && time.den == 0) || (time.num >= 0 && time.den > 0);
}

static pm_status check_clip(const pm_motion *motion, size_t clip, const char *field,
                            pm_error *error) {
    if (clip < motion->content.clip_count)
        return PM_OK;
    return motion_fail(error, PM_ERROR_ARGUMENT, "%s is %zu; the motion has %zu clips", field, clip,
                       motion->content.clip_count);
}

static pm_status check_method(const pm_motion_compare_options *o, pm_error *error) {
    if (o->engine && !pm_method_get_info(o->method))
        return motion_fail(error, PM_ERROR_ARGUMENT, "method is %d, which is no method",
                           (int)o->method);
    if (o->engine && o->method == PM_METHOD_CUBICSPLINE)
        return motion_fail(error, PM_ERROR_ARGUMENT, "method: cubicspline requires tangents");
    return PM_OK;
}

static pm_status check(const pm_motion *a, const pm_motion *b, const pm_motion_compare_options *o,
                       pm_error *error) {
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_compare_options, o, error));
    MOTION_TRY(check_clip(a, o->clip_a, "clip_a", error));
    if (b)
        MOTION_TRY(check_clip(b, o->clip_b, "clip_b", error));
    MOTION_TRY(check_method(o, error));
    if ((o->rate.num != 0 || o->rate.den != 0) && (o->rate.num <= 0 || o->rate.den <= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "rate is not above 0");
    if (!is_time(o->start_after_first_key) || !is_time(o->end_after_first_key))
        return motion_fail(error, PM_ERROR_ARGUMENT, "start and end must be 0 or more");
    if (reach_check_at(o->at, error) != PM_OK)
        return PM_ERROR_ARGUMENT;
    if (!isfinite(o->unit_mm) || o->unit_mm < 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "unit_mm is %g, expected a number above 0",
                           o->unit_mm);
    if ((unsigned)o->up >= PM_MOTION_UP_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "up is %d, which is no pm_motion_up",
                           (int)o->up);
    if (o->has_tolerance && !(o->tolerance_degrees >= 0 && o->tolerance_mm >= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "tolerances must be 0 or more");
    return PM_OK;
}

/* NULL: memory is exhausted. */
static const char *keep_text(pm_motion_comparison *m, const char *text) {
    return motion_copy_text(&m->numbers.arena, text, strlen(text));
}

/* Everything that is said of one comparison; texts are copied. False: memory is exhausted. */
static bool describe(pm_motion_comparison *m, const pm_motion *b,
                     const pm_motion_compare_options *o) {
    pm_device_info device = {.name = ""};
    const compared_file files[2] = {{o->name_a ? o->name_a : "A", o->digest_a},
                                    {o->name_b ? o->name_b : "B", o->digest_b}};
    compared_file kept[2];
    if (o->engine && b)
        pm_engine_get_info(o->engine, &device);
    for (size_t i = 0; i < 2; i++) {
        kept[i] = (compared_file){keep_text(m, files[i].path),
                                  files[i].digest ? keep_text(m, files[i].digest) : NULL};
        if (!kept[i].path || (files[i].digest && !kept[i].digest))
            return false;
    }
    m->outcome = (outcome){.comparison = &m->numbers,
                           .a = kept[0],
                           .b = b ? kept[1] : kept[0],
                           .method = "authored",
                           .hints = &m->hints,
                           .spelling = o->spelling,
                           .has_tolerance = b && o->has_tolerance,
                           .tolerance_degrees = o->tolerance_degrees,
                           .tolerance_mm = o->tolerance_mm,
                           .rpe_delta = o->rpe_delta > 0 ? o->rpe_delta : 1,
                           .certify = b && o->certify,
                           .certified = {{(double)NAN, 0}, {(double)NAN, 0}}};
    if (!o->engine || !b)
        return true;
    m->outcome.method = pm_method_get_info(o->method)->name;
    m->outcome.device = keep_text(m, device.name);
    return m->outcome.device != NULL;
}

/* The hints are told, also those that were found before a failure. */
static pm_status look(pm_motion_comparison *m, const pm_motion_compare_options *o,
                      pm_error *error) {
    const char *const a = m->outcome.a.path, *const b = m->outcome.b.path;
    char aligned[96];
    m->hints.spelling = o->spelling;
    MOTION_TRY(motion_name_failure(trajectories_align(&m->numbers, aligned, sizeof aligned, error),
                                   a, error));
    if (aligned[0])
        scene_add_hint(&m->hints, b, aligned);
    const pm_status status = scene_apply(o, &m->numbers, a, b, &m->hints, error);
    for (size_t i = 0; i < m->hints.count; i++)
        motion_tell(
            &(motion_warnings){.log = o->log, .user = o->log_user, .name = m->hints.of[i].file},
            PM_LOG_WARNING, &m->hints.of[i].what);
    m->outcome.unit_mm = m->numbers.a->unit_mm > 0 ? m->numbers.a->unit_mm : (double)NAN;
    if (status == PM_OK && m->outcome.has_tolerance && m->numbers.a->unit_mm == 0 &&
        compare_has_places(&m->numbers)) {
        motion_fail_option(error, PM_ERROR_ARGUMENT, "tolerance",
                           "is in millimetres, and the unit of length of '%s' is not known",
                           m->outcome.a.path);
        motion_cure(error, "unit", "cm", "says it, or another unit");
        return PM_ERROR_ARGUMENT;
    }
    return status;
}

static pm_status make(pm_motion_comparison *m, const pm_motion *a, const pm_motion *b,
                      const pm_motion_compare_options *o, pm_error *error) {
    subject *const first = &m->subjects[0], *const second = &m->subjects[b ? 1 : 0];
    if (!describe(m, b, o))
        return motion_name_failure(motion_refuse_memory(error), "A", error);
    const char *const name_a = m->outcome.a.path, *const name_b = m->outcome.b.path;
    MOTION_TRY(motion_name_failure(subject_make(first, a, o->clip_a, error), name_a, error));
    if (b)
        MOTION_TRY(motion_name_failure(subject_make(second, b, o->clip_b, error), name_b, error));
    m->numbers.a = first;
    m->numbers.b = second;
    m->numbers.pairs = &m->pairs;
    m->numbers.at = o->at;
    m->numbers.times.rate = o->rate;
    m->numbers.progress = o->progress;
    m->numbers.progress_user = o->progress_user;
    MOTION_TRY(look(m, o, error));
    MOTION_TRY(joints_match(first, second, b ? o->map : NULL, &m->pairs, error));
    if (b && o->contacts)
        MOTION_TRY(
            motion_name_failure(contacts_choose(&m->numbers.contacts, first, second, &m->pairs,
                                                o->contacts, &m->numbers.arena, error),
                                name_a, error));
    if (m->outcome.device)
        MOTION_TRY(motion_name_failure(
            subject_use_method(first, o->engine, o->method, o->certify, error), name_a, error));
    return PM_OK;
}

pm_status comparison_begin(const pm_motion *a, const pm_motion *b,
                           const pm_motion_compare_options *options, pm_motion_comparison **made,
                           pm_error *error) {
    options = options ? options : &defaults;
    *made = NULL;
    MOTION_TRY(check(a, b, options, error));
    pm_motion_comparison *m = calloc(1, sizeof *m);
    MOTION_TRY_MEMORY(m, error);
    pm_status status = make(m, a, b, options, error);
    if (status != PM_OK)
        pm_motion_comparison_destroy(&m);
    *made = m;
    return status;
}

static pm_motion_extent extent_of(const extent *e) {
    return (pm_motion_extent){e->max, extent_rms(e), e->time};
}

static pm_motion_difference difference_of(const comparison *c, const joint_statistics *joint) {
    const bool slides = compare_has_places(c);
    return (pm_motion_difference){.angle = extent_of(&joint->of[MEASURE_ANGLE]),
                                  .distance = extent_of(&joint->of[MEASURE_DISTANCE]),
                                  .velocity = extent_of(&joint->of[MEASURE_VELOCITY]),
                                  .acceleration = extent_of(&joint->of[MEASURE_ACCELERATION]),
                                  .slide = slides ? joint->slide.max : (double)NAN,
                                  .slide_time = slides && joint->slide.max > 0 ? joint->slide.time
                                                                               : (double)NAN};
}

/* The joints, the worst first; `places` receives where each pair is among them. */
static void list_joints(const comparison *c, pm_motion_joint_difference *rows, size_t *places) {
    for (size_t i = 0; i < c->pairs->count; i++) {
        const size_t p = c->by_worst[i];
        const joint_pair pair = c->pairs->pairs[p];
        places[p] = i;
        rows[i] = (pm_motion_joint_difference){
            .name_a = subject_name(c->a, pair.a),
            .name_b = subject_name(c->b, pair.b),
            .joint_a = pair.a,
            .joint_b = pair.b,
            .difference = difference_of(c, &c->joints[p]),
            .planted_seconds =
                compare_has_places(c) ? c->joints[p].slide.planted_seconds : (double)NAN};
    }
}

static pm_motion_contact contact_of(const contact *foot, size_t joint, double unit_mm) {
    return (pm_motion_contact){.joint = joint,
                               .frames_a = foot->sides[0].frames,
                               .frames_b = foot->sides[1].frames,
                               .frames_both = foot->both,
                               .seconds = foot->seconds,
                               .slide_a = contact_slide(foot, 0, unit_mm),
                               .slide_b = contact_slide(foot, 1, unit_mm),
                               .spans_a = (const double *)foot->sides[0].spans,
                               .spans_b = (const double *)foot->sides[1].spans,
                               .span_count_a = foot->sides[0].span_count,
                               .span_count_b = foot->sides[1].span_count};
}

static bool list(pm_motion_comparison *m) {
    comparison *c = &m->numbers;
    const size_t pairs = c->pairs->count;
    pm_motion_joint_difference *rows = motion_allocate(&c->arena, pairs, sizeof *rows);
    size_t *places = motion_allocate(&c->arena, pairs, sizeof *places);
    pm_motion_moment *moments = motion_allocate(&c->arena, c->moment_count, sizeof *moments);
    pm_motion_hint *hints = motion_allocate(&c->arena, m->hints.count, sizeof *hints);
    pm_motion_contact *contacts = motion_allocate(&c->arena, c->contacts.count, sizeof *contacts);
    if (!rows || !places || !moments || !hints || !contacts)
        return false;
    list_joints(c, rows, places);
    for (size_t i = 0; i < c->moment_count; i++)
        moments[i] = (pm_motion_moment){.time = c->moments[i].time,
                                        .degrees = c->moments[i].degrees,
                                        .joint = places[c->moments[i].pair]};
    for (size_t i = 0; i < m->hints.count; i++)
        hints[i] = (pm_motion_hint){.name = m->hints.of[i].file, .text = m->hints.of[i].text};
    for (size_t i = 0; i < c->contacts.count; i++)
        contacts[i] =
            contact_of(&c->contacts.feet[i], places[c->contacts.feet[i].pair], m->outcome.unit_mm);
    m->found.contacts = contacts;
    m->found.contact_count = c->contacts.count;
    m->found.contact_frames = c->contacts.frames;
    m->found.joints = rows;
    m->found.moments = moments;
    m->found.hints = hints;
    return true;
}

static pm_status certify(pm_motion_comparison *m, pm_error *error) {
    outcome *o = &m->outcome;
    return o->certify ? motion_name_failure(compare_certify(&m->numbers, &o->certified, error),
                                            o->a.path, error)
                      : PM_OK;
}

/* Where a pair is among the joints of the result. */
static size_t place_of(const comparison *c, size_t pair) {
    size_t place = 0;
    while (place + 1 < c->pairs->count && c->by_worst[place] != pair)
        place++;
    return place;
}

pm_status comparison_end(pm_motion_comparison *m, pm_error *error) {
    const comparison *c = &m->numbers;
    const certified_bounds *bounds = &m->outcome.certified;
    size_t size = 0;
    MOTION_TRY(certify(m, error));
    MOTION_TRY(motion_name_failure(
        trajectories_compare(&m->numbers, m->outcome.rpe_delta, &m->outcome.trajectory, error),
        m->outcome.a.path, error));
    m->found =
        (pm_motion_differences){.joint_count = c->pairs->count,
                                .clip = difference_of(c, &c->clip),
                                .moment_count = c->moment_count,
                                .only_in_a = c->pairs->only[0],
                                .only_in_b = c->pairs->only[1],
                                .only_in_a_count = c->pairs->only_count[0],
                                .only_in_b_count = c->pairs->only_count[1],
                                .times = c->time_count,
                                .key_times = c->key_times,
                                .start = c->start,
                                .seconds = c->seconds,
                                .unit_mm = c->a->unit_mm,
                                .at = c->at,
                                .up = (pm_motion_up)c->a->up,
                                .hint_count = m->hints.count,
                                .is_exceeded = outcome_exceeds(&m->outcome),
                                .certified_degrees = bounds->degrees.most,
                                .certified_joint = place_of(c, bounds->degrees.pair),
                                .certified_distance = bounds->distance.most,
                                .certified_distance_joint = place_of(c, bounds->distance.pair),
                                .trajectory = m->outcome.trajectory};
    if (list(m))
        m->json = outcome_json(&m->outcome, &size);
    if (m->json)
        return PM_OK;
    motion_report(error, PM_ERROR_MEMORY, "memory is exhausted");
    return motion_name_failure(PM_ERROR_MEMORY, m->outcome.a.path, error);
}

static pm_status compute(pm_motion_comparison *m, const pm_motion_compare_options *options,
                         pm_error *error) {
    pm_status status = compare_prepare(&m->numbers, comparison_most_times(options), error);
    if (status == PM_OK)
        status = compare_run(&m->numbers, NULL, error);
    return motion_name_failure(status, m->outcome.a.path, error);
}

pm_status pm_motion_compare(const pm_motion *a, const pm_motion *b,
                            const pm_motion_compare_options *options, pm_motion_comparison **made,
                            pm_error *error) {
    if (!a || !b || !made)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !a   ? "a"
                           : !b ? "b"
                                : "comparison");
    C_LOCALE_HERE;
    pm_status status = comparison_begin(a, b, options, made, error);
    if (status == PM_OK)
        status = compute(*made, options, error);
    if (status == PM_OK)
        status = comparison_end(*made, error);
    if (status != PM_OK)
        pm_motion_comparison_destroy(made);
    return status;
}

void pm_motion_comparison_destroy(pm_motion_comparison **made) {
    if (!made || !*made)
        return;
    pm_motion_comparison *m = *made;
    compare_release(&m->numbers);
    joints_release(&m->pairs);
    subject_release(&m->subjects[0]);
    subject_release(&m->subjects[1]);
    MOTION_FREE(m->json, m);
    *made = NULL;
}

const pm_motion_differences *
pm_motion_comparison_get_differences(const pm_motion_comparison *made) {
    return made ? &made->found : NULL;
}

const char *pm_motion_comparison_json(const pm_motion_comparison *made) {
    return made ? made->json : NULL;
}
