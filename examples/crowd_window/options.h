/* SPDX-License-Identifier: MIT
 *
 * The arguments.
 */
#ifndef EXAMPLES_CROWD_WINDOW_OPTIONS_H
#define EXAMPLES_CROWD_WINDOW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "palettes.h"

typedef struct options {
    const char *file;   /* GLB; NULL: the figure of examples/crowd */
    const char *device; /* NULL: one that can share OpenGL's buffers, else the library's choice */
    size_t count;
    pm_method method;
    palette_way way;
    bool way_given; /* false: the best that the driver has */
    bool no_blends, levels, layers, swords, cull, slope;
    bool headless, help;
    const char *picture; /* of --headless; NULL: none */
    size_t frames;
    bool overlay;
    int width, height;
} options;

/* On an invalid argument prints a message and returns false. */
bool options_read(int argc, char **argv, options *o);

void options_print_help(void);

#endif
