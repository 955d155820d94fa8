/* SPDX-License-Identifier: MIT
 *
 * Rows of other files with the members of a document, which are written into it as they are.
 */
#pragma once

#include "motion/npz/npz.h"

typedef struct npz_source {
    const npz_document *of;
    const char **
        rows; /* of each of the document's rows, those of the file, in C order. NULL: it has others */
    char **extracted; /* memory of some of them */
} npz_source;

/* Zero-initialise. */
typedef struct npz_sources {
    npz_source **all;
    size_t count;
} npz_sources;

/* Whether a file has the members of another that have rows. */
bool npz_shares_rows(const pm_motion *a, const pm_motion *b);

/* The rows of a file. NULL: it has other members than the document. */
pm_status npz_find_source(npz_sources *sources, const npz_document *document,
                          const pm_motion *motion, const npz_source **found, pm_error *error);

void npz_release_sources(npz_sources *sources, const npz_document *document);
