/* SPDX-License-Identifier: MIT
 *
 * Writes a page: the template page.html, in which {{name}} stands for a part.
 */
#define _POSIX_C_SOURCE 200809L

#include "page.h"

#include "files/output_names.h"
#include "page_data.h"
#include "page_parts.h"
#include "page_sections.h"
#include "page_text.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a joint in tables and numbers, and of all that does not depend on joints. */
enum { JOINT_TEXT = 2000, FIXED_TEXT = 400000 };

size_t page_room(size_t joints) {
    return (PAGE_BYTES - FIXED_TEXT - joints * JOINT_TEXT) / 4 * 3;
}

cli_exit page_compute(comparison *c, page_frames *frames, uint64_t max_times, const char *path) {
    pm_error error = {.status = PM_OK};
    if (c->pairs->count > PAGE_MOST_JOINTS) {
        return cli_fail(CLI_BAD_INPUT, path, "use --json", "has %zu joints; a page holds %d",
                        c->pairs->count, (int)PAGE_MOST_JOINTS);
    }
    pm_status status = compare_prepare(c, max_times, &error);
    if (status == PM_OK && !page_frames_begin(frames, c, page_room(c->pairs->count))) {
        return cli_fail(CLI_BAD_INPUT, path, CLI_MEMORY_HINT, "memory is exhausted");
    }
    const compare_observer observer = page_frames_observer(frames);
    if (status == PM_OK) {
        status = compare_run(c, &observer, &error);
    }
    return status == PM_OK ? CLI_DONE : cli_fail_error(path, &error);
}

cli_exit page_check_name(const char *path, char **inputs, size_t count) {
    const named_file *output = NULL, *other = NULL;
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

static const struct page_part *find_part(const char *name) {
    for (size_t i = 0; i < page_part_count; i++) {
        if (strcmp(page_parts[i].name, name) == 0) {
            return &page_parts[i];
        }
    }
    abort(); /* the build has left a file out */
}

/* ---- parts --------------------------------------------------------------------------------- */

static bool write_style(FILE *file, const page *p) {
    (void)p;
    const struct page_part *part = find_part("page.css");
    fwrite(part->text, 1, part->size, file);
    return true;
}

static bool write_script(FILE *file, const page *p) {
    (void)p;
    static const char *const scripts[] = {"page_data.js", "page_map.js",    "page_scene.js",
                                          "page_time.js", "page_curves.js", "page_start.js"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        const struct page_part *part = find_part(scripts[i]);
        fwrite(part->text, 1, part->size, file);
    }
    return true;
}

/* What --json prints. */
static bool write_numbers(FILE *file, const page *p) {
    char *text = NULL;
    size_t size = 0;
    FILE *json = open_memstream(&text, &size);
    if (json == NULL) {
        return false;
    }
    outcome_print_json(json, p->outcome);
    const bool done = fclose(json) == 0;
    if (done) {
        page_write_script_json(file, text, size);
    }
    free(text);
    return done;
}

static bool write_data(FILE *file, const page *p) {
    return page_write_data(file, p->frames);
}

static bool write_kind(FILE *file, const page *p) {
    fprintf(file, "%s%s", page_is_one(p) ? "one" : "two", p->hides_poses ? " curves-only" : "");
    return true;
}

static bool write_joint(FILE *file, const page *p) {
    fprintf(file, "%zu", p->joint != NULL ? *p->joint : p->outcome->comparison->by_worst[0]);
    return true;
}

#define SECTION(name)                                                                              \
    static bool section_##name(FILE *file, const page *p) {                                        \
        page_write_##name(file, p);                                                                \
        return true;                                                                               \
    }
SECTION(title)
SECTION(verdict)
SECTION(conditions)
SECTION(moments)
SECTION(slides)
SECTION(table)
SECTION(pictures)

typedef struct part_writer {
    const char *name;
    bool (*write)(FILE *file, const page *p); /* false: memory is exhausted */
} part_writer;

static const part_writer writers[] = {
    {"style", write_style},        {"script", write_script},
    {"numbers", write_numbers},    {"data", write_data},
    {"kind", write_kind},          {"joint", write_joint},
    {"title", section_title},      {"verdict", section_verdict},
    {"moments", section_moments},  {"conditions", section_conditions},
    {"slides", section_slides},    {"table", section_table},
    {"pictures", section_pictures}};

/* ---- the template -------------------------------------------------------------------------- */

static bool write_part(FILE *file, const page *p, const char *name, size_t size) {
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        if (strlen(writers[i].name) == size && memcmp(writers[i].name, name, size) == 0) {
            return writers[i].write(file, p);
        }
    }
    abort(); /* the template names a part that there is not */
}

static bool write_all(FILE *file, const page *p) {
    const char *at = (const char *)find_part("page.html")->text;
    for (const char *mark = strstr(at, "{{"); mark != NULL; mark = strstr(at, "{{")) {
        const char *end = strstr(mark, "}}");
        fwrite(at, 1, (size_t)(mark - at), file);
        if (!write_part(file, p, mark + 2, (size_t)(end - mark - 2))) {
            return false;
        }
        at = end + 2;
    }
    fputs(at, file);
    return true;
}

char *page_text(const page *p, size_t *size) {
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    bool done = file != NULL && write_all(file, p);
    done = file != NULL && fclose(file) == 0 && done;
    if (!done) {
        free(text);
        text = NULL;
    }
    return text;
}

cli_exit page_write(const char *path, const page *p) {
    size_t size = 0;
    cli_output *output = NULL;
    char *text = page_text(p, &size);
    cli_exit code = text != NULL
                        ? cli_output_open(path, &output)
                        : cli_fail(CLI_BAD_INPUT, path, CLI_MEMORY_HINT, "memory is exhausted");
    if (code == CLI_DONE) {
        code = cli_output_write(output, text, size);
    }
    if (code == CLI_DONE) {
        code = cli_output_commit(&output);
    }
    cli_output_abandon(&output);
    free(text);
    return code;
}
