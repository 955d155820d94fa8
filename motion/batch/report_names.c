/* SPDX-License-Identifier: MIT
 *
 * Page names without anything that a shell, a browser or another system takes for more than a letter.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/report_names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/files/output_names.h"

static const char pages_folder[] = "pages";

char *report_path(const char *folder, const char *name) {
    const size_t length = strlen(folder);
    const bool has_slash = length > 0 && folder[length - 1] == '/';
    return compose_format("%s%s%s", folder, has_slash ? "" : "/", name);
}

/* ---- pages --------------------------------------------------------------------------------- */

enum { NAME_ROOM = 100 }; /* bytes of a name; the end says more than the folders before it */

static void make_safe(char safe[NAME_ROOM + 1], const char *text) {
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t size = strlen(text);
    const char *from = size > NAME_ROOM ? text + size - NAME_ROOM : text;
    for (; *from != '\0'; from++)
        *safe++ = strchr(known, *from) ? *from : '_';
    *safe = '\0';
}

char *report_page_name(size_t number, const char *name, const char *clip) {
    char safe[NAME_ROOM + 1], safe_clip[NAME_ROOM + 1];
    make_safe(safe, name);
    make_safe(safe_clip, clip ? clip : "");
    return compose_format("%s/%04zu-%s%s%s.html", pages_folder, number, safe, clip ? "-" : "",
                          safe_clip);
}

/* ---- clashes ------------------------------------------------------------------------------- */

/* Where the files of a report will be. */
typedef struct report_places {
    file_location index, numbers, pages;
} report_places;

static bool is_below(const file_location *folder, const file_location *file) {
    const size_t size = folder->path ? strlen(folder->path) : 0;
    return size > 0 && file->path != NULL && strncmp(file->path, folder->path, size) == 0 &&
           file->path[size] == '/' && strcmp(extension_of(file->path), "html") == 0;
}

static pm_status refuse_memory(pm_error *error) {
    return motion_fail(error, PM_ERROR_OUTPUT, "out of memory for the file names");
}

static pm_status check_file(const report_places *places, const char *path, location_use use,
                            pm_error *error) {
    file_location at;
    if (!path || strcmp(path, "-") == 0)
        return PM_OK;
    if (!location_find(path, use, &at))
        return refuse_memory(error);
    const bool clashes = location_compare(&at, &places->index) == 0 ||
                         location_compare(&at, &places->numbers) == 0 ||
                         is_below(&places->pages, &at);
    location_release(&at);
    if (!clashes)
        return PM_OK;
    motion_fail_at(error, PM_ERROR_OUTPUT, path, NULL, "would be overwritten by the report");
    motion_cure(error, "report", NULL, "chooses another folder");
    return PM_ERROR_OUTPUT;
}

static pm_status check_files(const report_places *places, const batch_items *items,
                             const batch_plan *plan, const char *const *others, size_t other_count,
                             pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < items->count; i++) {
        const batch_item *item = &items->items[i];
        status = check_file(places, !item->archive ? item->path : NULL, LOCATION_INPUT, error);
        if (status == PM_OK)
            status = check_file(places, plan->outs[i], LOCATION_OUTPUT, error);
    }
    for (size_t i = 0; status == PM_OK && i < items->archive_count; i++)
        status = check_file(places, items->archives[i], LOCATION_INPUT, error);
    for (size_t i = 0; status == PM_OK && i < other_count; i++)
        status = check_file(places, others[i], LOCATION_OUTPUT, error);
    return status;
}

static bool locate(const char *folder, const char *name, file_location *found) {
    char *path = report_path(folder, name);
    const bool done = path != NULL && location_find(path, LOCATION_OUTPUT, found);
    free(path);
    return done;
}

pm_status report_check_folder(const char *folder, const batch_items *items, const batch_plan *plan,
                              const char *const *others, size_t other_count, pm_error *error) {
    report_places places = {.index = {.path = NULL}};
    struct stat found;
    if (stat(folder, &found) == 0 && !S_ISDIR(found.st_mode))
        return motion_fail_at(error, PM_ERROR_OUTPUT, folder, NULL, "is a file; expected a folder");
    const bool located = locate(folder, "index.html", &places.index) &&
                         locate(folder, "index.json", &places.numbers) &&
                         locate(folder, pages_folder, &places.pages);
    const pm_status status = located ? check_files(&places, items, plan, others, other_count, error)
                                     : refuse_memory(error);
    location_release(&places.index);
    location_release(&places.numbers);
    location_release(&places.pages);
    return status;
}
