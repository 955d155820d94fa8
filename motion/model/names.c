/* SPDX-License-Identifier: MIT
 *
 * Sorts and finds names, whose bytes may be any.
 */
#include "motion/model/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int motion_compare_names(pm_motion_name a, pm_motion_name b) {
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common > 0 ? memcmp(a.text, b.text, common) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

typedef struct named {
    pm_motion_name name;
    uint32_t node;
} named;

static int compare_named(const void *x, const void *y) {
    const named *a = x, *b = y;
    const int order = motion_compare_names(a->name, b->name);
    return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

bool motion_names_make(motion_names *names, const pm_motion_content *content) {
    const size_t count = content->node_count;
    named *all = calloc(count + 1, sizeof *all);
    *names = (motion_names){content->nodes, calloc(count + 1, sizeof *names->sorted), count};
    const bool good = all && names->sorted;
    for (size_t n = 0; good && n < count; n++)
        all[n] = (named){content->nodes[n].name, (uint32_t)n};
    if (good)
        qsort(all, count, sizeof *all, compare_named);
    for (size_t n = 0; good && n < count; n++)
        names->sorted[n] = all[n].node;
    free(all);
    return good;
}

void motion_names_release(motion_names *names) {
    free(names->sorted);
    names->sorted = NULL;
}

uint32_t motion_names_find(const motion_names *names, const char *text, size_t size) {
    const pm_motion_name wanted = {text, size};
    size_t low = 0, high = names->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (motion_compare_names(names->nodes[names->sorted[middle]].name, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < names->count &&
                       motion_compare_names(names->nodes[names->sorted[low]].name, wanted) == 0;
    return found ? names->sorted[low] : PM_NO_INDEX32;
}

const char *motion_joint_name(char shown[MOTION_PRINTABLE], pm_motion_name name, int64_t number) {
    if (name.size == 0 && number >= 0)
        snprintf(shown, MOTION_PRINTABLE, "joint %lld", (long long)number);
    else
        motion_printable(shown, name.text, name.size);
    return shown;
}
