/* SPDX-License-Identifier: MIT
 *
 * A crowd, how it is posed and drawn, and how fast: what the window and --headless have in common. All
 * functions need the OpenGL context to be current.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SHOW_H
#define EXAMPLES_CROWD_WINDOW_SHOW_H

#include "drawing.h"

typedef struct options {
    const char *file; /* a motion; NULL: the figure of examples/crowd */
    const char
        *device; /* NULL: the one that draws, where it shares buffers, else the library's choice */
    size_t count;
    pm_method method;
    bool levels, headless;
    const char *picture; /* of --headless; NULL: none */
    size_t frames;
    int width, height;
} options;

typedef struct show {
    palettes palettes;
    scene scene;
    drawing drawing;
    camera camera;
    double pose_seconds, draw_seconds; /* of the last frame; posing with the copy */
    bool compares;                     /* each frame, in which there are no levels, with plain C */
    palettes_difference difference;    /* of the last comparison */
} show;

void show_open(show *s, const options *o);
void show_close(show *s);

/* Advances by `seconds`, poses and draws into the framebuffer that is bound. */
void show_frame(show *s, double seconds, int width, int height);

void show_set_count(show *s, size_t count);

/* Whether a method requires keys only, as figures have them. */
bool show_has_method(pm_method method);

/* Starts again with the options' method. */
void show_set_method(show *s, const options *o);

/* One line on the crowd, its device and its speed. */
void show_describe(const show *s, double frames_per_second, char *text, size_t size);

/* A monotonic clock. */
double show_seconds(void);

/* Shows the crowd in a window until it is closed. */
void window_run(const options *o);

#endif
