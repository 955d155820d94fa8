/* SPDX-License-Identifier: MIT
 *
 * The progress bar and status notes: plain characters and a carriage return, no colour. Both use
 * the last line of the terminal, one at a time.
 */
#include "progress.h"

#include "commands/cli.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

atomic_bool cli_quiet = false, cli_verbose = false;

enum { BAR_WIDTH = 30, LINE_WIDTH = 79 /* a line that wraps cannot be cleared */ };
static const double delay_seconds = 0.5;

/* Notes can come from any thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int drawn_width; /* width of the text on the terminal; 0: none */

double progress_clock(void) {
    return os_seconds();
}

static bool is_enabled(void) {
    return !cli_quiet && os_terminal_columns() != 0;
}

/* Replaces the text on the terminal; "" clears it. */
static void draw_text(const char *text, int most) {
    pthread_mutex_lock(&lock);
    int width = (int)strlen(text);
    width = width < most ? width : most;
    if (width > 0 || drawn_width > 0) {
        fprintf(stderr, "\r%-*.*s%s", drawn_width, width, text, width > 0 ? "" : "\r");
        fflush(stderr);
    }
    drawn_width = width;
    pthread_mutex_unlock(&lock);
}

void progress_begin(progress *bar, const char *label, uint64_t total) {
    memset(bar, 0, sizeof *bar);
    bar->label = label;
    bar->total = total;
    bar->begun = progress_clock();
    bar->percent = -1;
    bar->enabled = total > 0 && is_enabled();
}

static void draw(const progress *bar) {
    char cells[BAR_WIDTH + 1], line[LINE_WIDTH + 1];
    int filled = bar->percent * BAR_WIDTH / 100;
    memset(cells, '.', BAR_WIDTH);
    memset(cells, '#', (size_t)filled);
    cells[BAR_WIDTH] = '\0';
    snprintf(line, sizeof line, "%s [%s] %3d %%", bar->label, cells, bar->percent);
    draw_text(line, LINE_WIDTH);
}

void progress_advance(progress *bar, uint64_t amount) {
    bar->done += amount < bar->total - bar->done ? amount : bar->total - bar->done;
    if (!bar->enabled || progress_clock() - bar->begun < delay_seconds)
        return;
    int percent = (int)(100.0 * ((double)bar->done / (double)bar->total));
    if (percent != bar->percent) {
        bar->percent = percent;
        draw(bar);
    }
}

void progress_end(progress *bar) {
    (void)bar;
    progress_clear();
}

void progress_note(const char *text) {
    char printable[LINE_WIDTH + 1];
    if (is_enabled()) {
        printable_text(printable, sizeof printable, text, strlen(text));
        draw_text(printable, LINE_WIDTH);
    }
}

int progress_columns(void) {
    const int columns = cli_quiet ? 0 : os_terminal_columns();
    return columns < 0 ? LINE_WIDTH + 1 : columns;
}

void progress_line(const char *text) {
    draw_text(text, (int)strlen(text));
}

void progress_clear(void) {
    draw_text("", 0);
}
