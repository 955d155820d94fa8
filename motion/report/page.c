/* SPDX-License-Identifier: MIT
 *
 * Computes a page and writes it: the template page.html and its parts.
 */
#include "motion/report/page.h"

#include <stdlib.h>

#include "motion/base/c_locale.h"
#include "motion/compare/outcome.h"

/* Bytes of a joint in tables and numbers, and of all that does not depend on joints. */
enum { JOINT_TEXT = 2000, FIXED_TEXT = 400000 };

/* The bytes that the frames of a page may have, before they are text. */
static size_t page_room(const comparison *c) {
    const size_t keys = page_keys_text(c->a) + (c->a != c->b ? page_keys_text(c->b) : 0);
    return (PAGE_BYTES - FIXED_TEXT - c->pairs->count * JOINT_TEXT - keys) / 4 * 3;
}

static pm_status compute(comparison *c, page_frames *frames, uint64_t max_times, pm_error *error) {
    if (c->pairs->count > PAGE_MOST_JOINTS)
        return motion_refuse(error, "has %zu joints; a page holds %d", c->pairs->count,
                             (int)PAGE_MOST_JOINTS);
    const pm_status status = compare_prepare(c, max_times, error);
    if (status != PM_OK)
        return status;
    if (!page_frames_begin(frames, c, page_room(c)))
        return motion_fail(error, PM_ERROR_MEMORY, "memory is exhausted");
    const compare_observer observer = page_frames_observer(frames);
    return compare_run(c, &observer, error);
}

pm_status page_compute(comparison *c, page_frames *frames, uint64_t max_times, const char *path,
                       pm_error *error) {
    return motion_name_failure(compute(c, frames, max_times, error), path, error);
}

/* ---- parts --------------------------------------------------------------------------------- */

static bool write_style(FILE *file, const void *content) {
    (void)content;
    return page_write_file(file, "page_common.css") && page_write_file(file, "page.css");
}

static bool write_script(FILE *file, const void *content) {
    (void)content;
    static const char *const scripts[] = {"page_data.js", "page_map.js",    "page_scene.js",
                                          "page_time.js", "page_curves.js", "page_table.js",
                                          "page_start.js"};
    bool done = true;
    for (size_t i = 0; done && i < sizeof scripts / sizeof scripts[0]; i++)
        done = page_write_file(file, scripts[i]);
    return done;
}

static bool write_numbers(FILE *file, const void *content) {
    const page *p = content;
    size_t size = 0;
    char *text = outcome_json(p->outcome, &size);
    if (text)
        page_write_script_json(file, text, size);
    free(text);
    return text != NULL;
}

static bool write_data(FILE *file, const void *content) {
    const page *p = content;
    return page_write_data(file, p->frames);
}

static bool write_kind(FILE *file, const void *content) {
    const page *p = content;
    fprintf(file, "%s%s", page_is_one(p) ? "one" : "two", p->hides_poses ? " curves-only" : "");
    return true;
}

/* The joint that turns most, of one motion; of two the one that differs most. */
static size_t first_joint(const page *p) {
    const page_frames *f = p->frames;
    size_t best = p->outcome->comparison->by_worst[0];
    double most = 0;
    for (size_t i = 0; page_is_one(p) && i < f->count; i++)
        for (size_t j = 0; j < f->joints; j++) {
            const double angle = (double)f->values[PAGE_ANGLE_A][i * f->joints + j];
            if (angle > most) {
                most = angle;
                best = j;
            }
        }
    return best;
}

static bool write_joint(FILE *file, const void *content) {
    const page *p = content;
    fprintf(file, "%zu", p->joint ? *p->joint : first_joint(p));
    return true;
}

#define SECTION(name)                                                                              \
    static bool section_##name(FILE *file, const void *content) {                                  \
        page_write_##name(file, content);                                                          \
        return true;                                                                               \
    }
SECTION(title)
SECTION(verdict)
SECTION(conditions)
SECTION(moments)
SECTION(slides)
SECTION(table)
SECTION(pictures)

static const page_writer writers[] = {{"head", page_write_head},
                                      {"style", write_style},
                                      {"script", write_script},
                                      {"numbers", write_numbers},
                                      {"data", write_data},
                                      {"kind", write_kind},
                                      {"joint", write_joint},
                                      {"title", section_title},
                                      {"verdict", section_verdict},
                                      {"moments", section_moments},
                                      {"conditions", section_conditions},
                                      {"slides", section_slides},
                                      {"table", section_table},
                                      {"pictures", section_pictures}};

/* ---- the page ------------------------------------------------------------------------------ */

static bool write_all(FILE *file, const void *content) {
    return page_write_template(file, "page.html", writers, sizeof writers / sizeof writers[0],
                               content);
}

/* The page in memory, malloc'ed. NULL: memory is exhausted. */
static char *page_text(const page *p, size_t *size) {
    return compose_text(write_all, p, size);
}

pm_status page_write(const char *path, const page *p, pm_error *error) {
    return page_save(path, write_all, p, error);
}

/* ---- pages of motions that callers have -------------------------------------------------------- */

typedef struct page_call {
    const pm_motion_page_options *options;
    const char *path;
    pm_motion_comparison *made;
    page_frames frames;
} page_call;

/* The pair of the joint that is chosen at first. */
static pm_status find_joint(const page_call *call, size_t *pair, pm_error *error) {
    const joint_pairs *pairs = &call->made->pairs;
    for (*pair = 0; *pair < pairs->count; ++*pair)
        if (pairs->pairs[*pair].a == call->options->joint)
            return PM_OK;
    return motion_fail(error, PM_ERROR_ARGUMENT, "joint: %zu is none of %zu", call->options->joint,
                       pairs->count);
}

static pm_status give(const page_call *call, const page *p, pm_error *error) {
    const pm_motion_page_options *o = call->options;
    size_t size = 0;
    if (!o->write)
        return page_write(call->path, p, error);
    char *text = page_text(p, &size);
    if (!text)
        return motion_name_failure(motion_fail(error, PM_ERROR_MEMORY, "memory is exhausted"),
                                   p->outcome->a.path, error);
    o->write(o->write_user, text, size);
    free(text);
    return PM_OK;
}

static pm_status show(page_call *call, pm_error *error) {
    const pm_motion_page_options *o = call->options;
    size_t joint = 0;
    const pm_status status = o->has_joint ? find_joint(call, &joint, error) : PM_OK;
    if (status != PM_OK)
        return status;
    const page p = {.outcome = &call->made->outcome,
                    .frames = &call->frames,
                    .command = o->made_by ? o->made_by : "pm_motion_write_page",
                    .hides_poses = o->hides_poses,
                    .joint = o->has_joint ? &joint : NULL};
    return give(call, &p, error);
}

static pm_status run(page_call *call, const pm_motion *a, const pm_motion *b,
                     const pm_motion_compare_options *options, pm_error *error) {
    pm_status status = comparison_begin(a, b, options, &call->made, error);
    if (status == PM_OK)
        status = page_compute(&call->made->numbers, &call->frames, comparison_most_times(options),
                              call->made->outcome.a.path, error);
    if (status == PM_OK)
        status = comparison_end(call->made, error);
    return status == PM_OK ? show(call, error) : status;
}

pm_status pm_motion_write_page(const pm_motion *a, const pm_motion *b,
                               const pm_motion_compare_options *options,
                               const pm_motion_page_options *shown, const char *path,
                               pm_motion_comparison **made, pm_error *error) {
    static const pm_motion_page_options defaults;
    page_call call = {.options = shown ? shown : &defaults, .path = path};
    if (!a || (!path && !call.options->write))
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !a ? "a" : "path");
    pm_status status = MOTION_CHECK_RESERVED(pm_motion_page_options, call.options, error);
    if (status != PM_OK)
        return status;
    void *before = c_locale_begin();
    status = run(&call, a, b, options, error);
    page_frames_release(&call.frames);
    if (status != PM_OK || !made)
        pm_motion_comparison_destroy(&call.made);
    if (made)
        *made = call.made;
    c_locale_end(before);
    return status;
}
