/* SPDX-License-Identifier: MIT
 *
 * Nearest by edit distance: letters that are added, left out, replaced, or swapped with the next one.
 */
#include "motion/options/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 48, SHORTEST_PREFIX = 3 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t rows[3][LONGEST + 1];
    size_t *above2 = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_size; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            const size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], above2[j - 2] + 1);
        }
        size_t *free_row = above2;
        above2 = above;
        above = row;
        row = free_row;
    }
    return above[b_size];
}

/* A word that was not written to its end, or was written on. */
static bool is_prefix(const char *a, size_t a_size, const char *b, size_t b_size) {
    const size_t dashes = strspn(b, "-"), size = least(a_size, b_size);
    return size >= dashes + SHORTEST_PREFIX && memcmp(a, b, size) == 0;
}

void nearest_try(nearest *search, const char *word) {
    const size_t size = strlen(word), dashes = strspn(word, "-");
    if (size > LONGEST || search->size > LONGEST || search->size <= dashes)
        return;
    const size_t most = 1 + (least(size, search->size) - dashes) / 4;
    size_t distance = edit_distance(search->text, search->size, word, size);
    if (distance > most && is_prefix(search->text, search->size, word, size))
        distance = 2; /* behind words that differ by a letter */
    else if (distance > most || distance >= size - dashes)
        return;
    if (!search->word || distance < search->distance) {
        search->word = word;
        search->distance = distance;
    }
}
