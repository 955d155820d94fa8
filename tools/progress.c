/* SPDX-License-Identifier: MIT
 *
 * The progress bar: plain characters and a carriage return, no colour.
 */
#define _POSIX_C_SOURCE 200809L

#include "progress.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };
static const double patience_seconds = 0.5;

double progress_clock(void) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(progress *bar, const char *label, uint64_t total) {
    memset(bar, 0, sizeof *bar);
    bar->label = label;
    bar->total = total;
    bar->begun = progress_clock();
    bar->percent = -1;
    bar->possible = !cli_quiet && total > 0 && isatty(STDERR_FILENO) == 1;
}

static void draw(const progress *bar) {
    char cells[BAR_WIDTH + 1];
    int filled = bar->percent * BAR_WIDTH / 100;
    memset(cells, '.', BAR_WIDTH);
    memset(cells, '#', (size_t)filled);
    cells[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3d %%", bar->label, cells, bar->percent);
    fflush(stderr);
}

void progress_advance(progress *bar, uint64_t amount) {
    bar->done += amount < bar->total - bar->done ? amount : bar->total - bar->done;
    if (!bar->possible || progress_clock() - bar->begun < patience_seconds) {
        return;
    }
    int percent = (int)(100.0 * ((double)bar->done / (double)bar->total));
    if (percent != bar->percent) {
        bar->percent = percent;
        bar->shown = true;
        draw(bar);
    }
}

void progress_end(progress *bar) {
    if (bar->shown) {
        fprintf(stderr, "\r%*s\r", (int)strlen(bar->label) + BAR_WIDTH + 9, "");
        fflush(stderr);
        bar->shown = false;
    }
}
