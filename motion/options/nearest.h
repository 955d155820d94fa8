/* SPDX-License-Identifier: MIT
 *
 * The word that was meant by one that is not known: "did you mean rate?".
 */
#pragma once

#include <stddef.h>

/* Looks for the known word that is nearest to `text`. Zero-initialise, but for `text` and `size`. */
typedef struct nearest {
    const char *text;
    size_t size;
    const char *word; /* the nearest so far; NULL: none is near */
    size_t distance;
} nearest;

void nearest_try(nearest *search, const char *word);
