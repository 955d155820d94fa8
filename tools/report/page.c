/* SPDX-License-Identifier: MIT
 *
 * Computes a page and writes it: the template page.html and its parts.
 */
#define _POSIX_C_SOURCE 200809L

#include "page.h"

#include "files/output_names.h"
#include "page_data.h"
#include "page_sections.h"
#include "page_template.h"
#include "page_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Bytes of a joint in tables and numbers, and of all that does not depend on joints. */
enum { JOINT_TEXT = 2000, FIXED_TEXT = 400000 };

size_t page_room(const comparison *c) {
    const size_t keys = page_keys_text(c->a) + (c->a != c->b ? page_keys_text(c->b) : 0);
    return (PAGE_BYTES - FIXED_TEXT - c->pairs->count * JOINT_TEXT - keys) / 4 * 3;
}

cli_exit page_compute(comparison *c, page_frames *frames, uint64_t max_times, const char *path) {
    pm_error error = {.status = PM_OK};
    if (c->pairs->count > PAGE_MOST_JOINTS) {
        return cli_fail(CLI_BAD_INPUT, path, NULL, "has %zu joints; a page holds %d",
                        c->pairs->count, (int)PAGE_MOST_JOINTS);
    }
    pm_status status = compare_prepare(c, max_times, &error);
    if (status == PM_OK && !page_frames_begin(frames, c, page_room(c))) {
        return cli_fail(CLI_BAD_INPUT, path, CLI_MEMORY_HINT, "memory is exhausted");
    }
    const compare_observer observer = page_frames_observer(frames);
    if (status == PM_OK) {
        status = compare_run(c, &observer, &error);
    }
    return status == PM_OK ? CLI_DONE : cli_fail_error(path, &error);
}

/* A name without an extension may be anything's, such as /dev/stdout. */
static bool is_page_name(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot == NULL || dot == name || strcasecmp(dot, ".html") == 0 ||
           strcasecmp(dot, ".htm") == 0;
}

cli_exit page_check_name(const command_help *help, const char *path, char **inputs, size_t count) {
    const named_file *output = NULL, *other = NULL;
    if (!is_page_name(path)) {
        return options_usage(help, path,
                             "a page is a file of HTML; expected a name that ends in "
                             ".html, or - for standard output");
    }
    for (size_t i = 0; i < count; i++) {
        const named_file names[] = {{path, LOCATION_OUTPUT}, {inputs[i], LOCATION_INPUT}};
        if (names_clash(names, 2, &output, &other)) {
            return cli_fail(CLI_CANNOT_WRITE, inputs[i], "choose another name for the page",
                            "would be overwritten by the page");
        }
    }
    return CLI_DONE;
}

char *page_command_line(int argc, char **argv) {
    size_t size = sizeof "posemill";
    for (int i = 0; i < argc; i++) {
        size += strlen(argv[i]) + 1;
    }
    char *line = malloc(size), *at = line;
    if (line != NULL) {
        at = stpcpy(at, "posemill");
        for (int i = 0; i < argc; i++) {
            at = stpcpy(stpcpy(at, " "), argv[i]);
        }
    }
    return line;
}

/* ---- parts --------------------------------------------------------------------------------- */

static bool write_style(FILE *file, const void *content) {
    (void)content;
    page_write_file(file, "page_common.css");
    page_write_file(file, "page.css");
    return true;
}

static bool write_script(FILE *file, const void *content) {
    (void)content;
    static const char *const scripts[] = {"page_data.js", "page_map.js",    "page_scene.js",
                                          "page_time.js", "page_curves.js", "page_table.js",
                                          "page_start.js"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        page_write_file(file, scripts[i]);
    }
    return true;
}

static bool print_json(FILE *file, const void *content) {
    outcome_print_json(file, content);
    return true;
}

char *page_numbers(const outcome *o, size_t *size) {
    return page_compose(print_json, o, size);
}

static bool write_numbers(FILE *file, const void *content) {
    const page *p = content;
    size_t size = 0;
    char *text = page_numbers(p->outcome, &size);
    if (text != NULL) {
        page_write_script_json(file, text, size);
    }
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
    fprintf(file, "%zu", p->joint != NULL ? *p->joint : p->outcome->comparison->by_worst[0]);
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
    return page_compose(write_all, p, size);
}

cli_exit page_write(const char *path, const page *p) {
    return page_save(path, write_all, p);
}
