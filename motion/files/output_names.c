/* SPDX-License-Identifier: MIT
 *
 * Rules for the names of outputs.
 */
#include "motion/files/output_names.h"

#include "motion/base/os.h"

#include <stdlib.h>
#include <string.h>

const char *extension_of(const char *path) {
    const char *dot = strrchr(os_last_part(path), '.');
    return dot ? dot + 1 : "";
}

typedef struct located_file {
    file_location location;
    const named_file *file;
} located_file;

/* Sorts the outputs of a location before its inputs. */
static int compare_locations(const void *left, const void *right) {
    const located_file *a = left, *b = right;
    int order = location_compare(&a->location, &b->location);
    return order != 0 ? order : (int)b->file->use - (int)a->file->use;
}

static bool is_clash(const located_file *a, const located_file *b) {
    return location_compare(&a->location, &b->location) == 0 && a->file->use == LOCATION_OUTPUT &&
           (b->file->use == LOCATION_OUTPUT || b->location.info.kind == OS_REGULAR);
}

/* Names that do not fit in memory are not checked; the next allocation reports the shortage. */
bool names_clash(const named_file *names, size_t count, const named_file **first,
                 const named_file **second) {
    located_file *all = calloc(count, sizeof *all);
    size_t found = 0;
    bool clash = false;
    for (; all && found < count; found++) {
        all[found].file = &names[found];
        if (!location_find(names[found].name, names[found].use, &all[found].location))
            break;
    }
    if (found > 1)
        qsort(all, found, sizeof *all, compare_locations);
    for (size_t i = 1; i < found && !clash; i++) {
        clash = is_clash(&all[i - 1], &all[i]);
        *first = all[i - 1].file;
        *second = all[i].file;
    }
    for (size_t i = 0; i < found; i++)
        location_release(&all[i].location);
    free(all);
    return clash;
}
