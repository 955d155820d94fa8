/* SPDX-License-Identifier: MIT
 *
 * Sorts and finds names, whose bytes may be any.
 */
#include "motion/model/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const motion_path_names[] = {"rotation", "translation", "scale", "weights", "scalar"};

const char *const motion_interpolation_names[] = {[PM_MOTION_LINEAR] = "linear",
                                                  [PM_MOTION_STEP] = "step",
                                                  [PM_MOTION_CUBICSPLINE] = "cubicspline"};

int motion_compare_names(pm_motion_name a, pm_motion_name b) {
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common > 0 ? memcmp(a.text, b.text, common) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_named(const void *x, const void *y) {
    const motion_named *a = x, *b = y;
    const int order = motion_compare_names(a->name, b->name);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

void motion_sort_named(motion_named *all, size_t count) {
    if (count > 1)
        qsort(all, count, sizeof *all, compare_named);
}

size_t motion_find_place(const motion_named *sorted, size_t count, pm_motion_name name) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (motion_compare_names(sorted[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t motion_find_named(const motion_named *sorted, size_t count, pm_motion_name name) {
    const size_t place = motion_find_place(sorted, count, name);
    const bool found = place < count && motion_compare_names(sorted[place].name, name) == 0;
    return found ? sorted[place].index : PM_NO_INDEX32;
}

bool motion_names_make(motion_names *names, const pm_motion_content *content) {
    const size_t count = content->node_count;
    *names = (motion_names){calloc(count + 1, sizeof *names->sorted), count};
    for (size_t n = 0; names->sorted && n < count; n++)
        names->sorted[n] = (motion_named){content->nodes[n].name, (uint32_t)n};
    if (names->sorted)
        motion_sort_named(names->sorted, count);
    return names->sorted != NULL;
}

void motion_names_release(motion_names *names) {
    free(names->sorted);
    names->sorted = NULL;
}

uint32_t motion_names_find(const motion_names *names, const char *text, size_t size) {
    return motion_find_named(names->sorted, names->count, (pm_motion_name){text, size});
}

pm_status motion_names_require(const motion_names *names, const char *text, uint32_t *node,
                               pm_error *error) {
    const pm_motion_name name = {text, strlen(text)};
    const size_t first = motion_find_place(names->sorted, names->count, name);
    size_t end = first;
    while (end < names->count && motion_compare_names(names->sorted[end].name, name) == 0)
        end++;
    if (end == first)
        return motion_refuse(error, "no joint is named '%s'", MOTION_SHOWN(text, name.size));
    if (end > first + 1)
        return motion_refuse(error, "%zu joints are named '%s'", end - first,
                             MOTION_SHOWN(text, name.size));
    *node = names->sorted[first].index;
    return PM_OK;
}

const char *motion_joint_name(char shown[MOTION_PRINTABLE], pm_motion_name name, int64_t number) {
    if (name.size == 0 && number >= 0)
        snprintf(shown, MOTION_PRINTABLE, "joint %lld", (long long)number);
    else
        motion_printable(shown, name.text, name.size);
    return shown;
}
