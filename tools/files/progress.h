/* SPDX-License-Identifier: MIT
 *
 * A progress bar on stderr, shown only on a terminal, only without --quiet, and only
 * for work that takes long enough to wonder about; and notes of what is being waited for.
 */
#ifndef POSEMILL_TOOLS_PROGRESS_H
#define POSEMILL_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *label;
    uint64_t total, done;
    double begun; /* seconds, as of progress_clock */
    bool enabled;
    int percent; /* as last drawn */
} progress;

void progress_begin(progress *bar, const char *label, uint64_t total);
void progress_advance(progress *bar, uint64_t amount);
/* Clears the bar from the terminal. Before any other message, too. */
void progress_end(progress *bar);

/* A note in place of the bar, until the next note, bar or progress_clear. Cut where it is longer
 * than a line. Thread-safe. */
void progress_note(const char *text);

/* Clears bar and note. Messages of cli.h do it themselves; before output to a terminal that may be
 * the same, others do. Thread-safe. */
void progress_clear(void);

/* Seconds of a clock that never jumps. */
double progress_clock(void);

#endif
