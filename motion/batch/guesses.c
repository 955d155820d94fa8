/* SPDX-License-Identifier: MIT
 *
 * Files are few against the joints in them: those of one skeleton are found by sorting their hashes.
 */
#include "motion/batch/guesses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names in one sentence. */
enum { LISTED = 8 };

void guess_note(batch_guess *guess, const task_report *report, const char *name) {
    if (!strstr(report->converted, "(estimated)"))
        return;
    *guess = (batch_guess){name, strdup(report->converted), report->skeleton};
    guess->name = guess->converted ? name : NULL;
}

static int by_skeleton(const void *left, const void *right) {
    const batch_guess *a = *(const batch_guess *const *)left,
                      *b = *(const batch_guess *const *)right;
    if (a->skeleton != b->skeleton)
        return a->skeleton < b->skeleton ? -1 : 1;
    return (a > b) - (a < b);
}

static void tell_others(const batch_guess *const *same, size_t count, const motion_warnings *to) {
    char list[LISTED * (MOTION_PRINTABLE + 2)] = "";
    size_t others = 0;
    for (size_t i = 1; i < count; i++) {
        const size_t used = strlen(list);
        if (strcmp(same[i]->converted, same[0]->converted) != 0 && others++ < LISTED)
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                     MOTION_SHOWN(same[i]->name, strlen(same[i]->name)));
    }
    if (others > LISTED)
        motion_warn(to, "joints of %s: %zu files have other estimates, which records have: %s, ...",
                    MOTION_SHOWN(same[0]->name, strlen(same[0]->name)), others, list);
    else if (others > 0)
        motion_warn(to, "joints of %s: other estimates, which records have: %s",
                    MOTION_SHOWN(same[0]->name, strlen(same[0]->name)), list);
}

static void tell(const batch_guess *const *same, size_t count, const motion_warnings *to) {
    size_t equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += strcmp(same[i]->converted, same[0]->converted) == 0;
    motion_warn(to, "joints of %s: %s, in %zu file%s",
                MOTION_SHOWN(same[0]->name, strlen(same[0]->name)), same[0]->converted, equal,
                equal == 1 ? "" : "s");
    tell_others(same, count, to);
}

void guesses_tell(const batch_guess *guesses, size_t count, const motion_warnings *to) {
    FREED const batch_guess **sorted = calloc(count + 1, sizeof *sorted);
    size_t known = 0, next = 0;
    for (size_t i = 0; sorted && i < count; i++)
        if (guesses[i].name)
            sorted[known++] = &guesses[i];
    if (known > 0)
        qsort(sorted, known, sizeof *sorted, by_skeleton);
    for (size_t first = 0; first < known; first = next) {
        for (next = first; next < known && sorted[next]->skeleton == sorted[first]->skeleton;)
            next++;
        tell(sorted + first, next - first, to);
    }
}

void guesses_release(batch_guess *guesses, size_t count) {
    for (size_t i = 0; guesses && i < count; i++)
        free(guesses[i].converted);
    free(guesses);
}
