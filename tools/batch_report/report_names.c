/* SPDX-License-Identifier: MIT
 *
 * Page names without anything that a shell, a browser or another system takes for more than a letter.
 */
#define _POSIX_C_SOURCE 200809L

#include "report_names.h"

#include "files/output_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char pages_folder[] = "pages";

char *report_path(const char *folder, const char *name) {
    const size_t length = strlen(folder), size = length + strlen(name) + 2;
    const bool has_slash = length > 0 && folder[length - 1] == '/';
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s%s%s", folder, has_slash ? "" : "/", name);
    }
    return path;
}

/* ---- pages --------------------------------------------------------------------------------- */

enum { NAME_ROOM = 100 }; /* bytes of a name; the end says more than the folders before it */

static void make_safe(char safe[NAME_ROOM + 1], const char *text) {
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t size = strlen(text);
    const char *from = size > NAME_ROOM ? text + size - NAME_ROOM : text;
    for (; *from != '\0'; from++) {
        *safe++ = strchr(known, *from) != NULL ? *from : '_';
    }
    *safe = '\0';
}

char *report_page_name(size_t number, const char *name, const char *clip) {
    char safe[NAME_ROOM + 1], safe_clip[NAME_ROOM + 1], text[2 * NAME_ROOM + 64];
    make_safe(safe, name);
    make_safe(safe_clip, clip != NULL ? clip : "");
    snprintf(text, sizeof text, "%s/%04zu-%s%s%s.html", pages_folder, number, safe,
             clip != NULL ? "-" : "", safe_clip);
    return strdup(text);
}

/* ---- clashes ------------------------------------------------------------------------------- */

/* Where the files of a report will be. */
typedef struct report_places {
    file_location index, numbers, pages;
} report_places;

static bool is_below(const file_location *folder, const file_location *file) {
    const size_t size = folder->path != NULL ? strlen(folder->path) : 0;
    return size > 0 && file->path != NULL && strncmp(file->path, folder->path, size) == 0 &&
           file->path[size] == '/' && strcmp(extension_of(file->path), "html") == 0;
}

static cli_exit check_file(const report_places *places, const char *path, location_use use) {
    file_location at;
    if (path == NULL || strcmp(path, "-") == 0) {
        return CLI_DONE;
    }
    if (!location_find(path, use, &at)) {
        return cli_fail(CLI_CANNOT_WRITE, "--report", NULL, "out of memory for the file names");
    }
    const bool clashes = location_compare(&at, &places->index) == 0 ||
                         location_compare(&at, &places->numbers) == 0 ||
                         is_below(&places->pages, &at);
    location_release(&at);
    return clashes ? cli_fail(CLI_CANNOT_WRITE, path, "choose another folder with --report",
                              "would be overwritten by the report")
                   : CLI_DONE;
}

static cli_exit check_files(const report_places *places, const batch_items *items,
                            const batch_plan *plan, const char *const *others, size_t other_count) {
    cli_exit code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < items->count; i++) {
        const batch_item *item = &items->items[i];
        code = check_file(places, item->archive == NULL ? item->path : NULL, LOCATION_INPUT);
        if (code == CLI_DONE) {
            code = check_file(places, plan->outs[i], LOCATION_OUTPUT);
        }
    }
    for (size_t i = 0; code == CLI_DONE && i < items->archive_count; i++) {
        code = check_file(places, items->archives[i], LOCATION_INPUT);
    }
    for (size_t i = 0; code == CLI_DONE && i < other_count; i++) {
        code = check_file(places, others[i], LOCATION_OUTPUT);
    }
    return code;
}

static bool locate(const char *folder, const char *name, file_location *found) {
    char *path = report_path(folder, name);
    const bool done = path != NULL && location_find(path, LOCATION_OUTPUT, found);
    free(path);
    return done;
}

cli_exit report_check_folder(const char *folder, const batch_items *items, const batch_plan *plan,
                             const char *const *others, size_t other_count) {
    report_places places = {.index = {.path = NULL}};
    struct stat status;
    if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) {
        return cli_fail(CLI_CANNOT_WRITE, folder, NULL, "is a file; expected a folder");
    }
    const bool located = locate(folder, "index.html", &places.index) &&
                         locate(folder, "index.json", &places.numbers) &&
                         locate(folder, pages_folder, &places.pages);
    const cli_exit code =
        located ? check_files(&places, items, plan, others, other_count)
                : cli_fail(CLI_CANNOT_WRITE, "--report", NULL, "out of memory for the file names");
    location_release(&places.index);
    location_release(&places.numbers);
    location_release(&places.pages);
    return code;
}
