/* SPDX-License-Identifier: MIT
 *
 * Computes a page and writes it: the template page.html and its parts.
 */
#include "motion/report/page.h"

#include <stdlib.h>

/* Bytes of a joint in tables and numbers, and of all that does not depend on joints. */
enum { JOINT_TEXT = 2000, FIXED_TEXT = 400000 };

size_t page_room(const comparison *c) {
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

static bool write_joint(FILE *file, const void *content) {
    const page *p = content;
    fprintf(file, "%zu", p->joint ? *p->joint : p->outcome->comparison->by_worst[0]);
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

char *page_text(const page *p, size_t *size) {
    return compose_text(write_all, p, size);
}

pm_status page_write(const char *path, const page *p, pm_error *error) {
    return page_save(path, write_all, p, error);
}
