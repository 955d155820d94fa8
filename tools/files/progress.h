/* SPDX-License-Identifier: MIT
 *
 * A progress bar on stderr, drawn only on a terminal, without --quiet, and for work that takes
 * longer than half a second; status notes; and lines of a batch.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *label;
    uint64_t total, done;
    double begun; /* seconds of progress_clock */
    bool enabled;
    int percent; /* last value drawn */
} progress;

void progress_begin(progress *bar, const char *label, uint64_t total);
void progress_advance(progress *bar, uint64_t amount);
/* Clears the bar from the terminal. Call it before printing other messages. */
void progress_end(progress *bar);

/* Shows a note in place of the bar, until the next note, bar or progress_clear. A note longer than
 * a line is cut. Thread-safe. */
void progress_note(const char *text);

/* The width of the terminal that progress is drawn on; 0: none is. */
int progress_columns(void);

/* Shows a line of at most progress_columns() - 1 printable characters in place of the bar. Thread-safe. */
void progress_line(const char *text);

/* Clears the bar and the note. The messages of cli.h call it themselves; other output that may go
 * to the same terminal requires a call before it. Thread-safe. */
void progress_clear(void);

/* Seconds of a monotonic clock. */
double progress_clock(void);
