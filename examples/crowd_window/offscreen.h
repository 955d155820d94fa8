/* SPDX-License-Identifier: MIT
 *
 * OpenGL without a display: a context of EGL, and a framebuffer whose pixels can be read.
 */
#ifndef EXAMPLES_CROWD_WINDOW_OFFSCREEN_H
#define EXAMPLES_CROWD_WINDOW_OFFSCREEN_H

#include <posemill/posemill.h>

typedef struct offscreen {
    void *display, *context; /* EGL's */
    unsigned framebuffers[2], renderbuffers[3];
    int width, height;
} offscreen;

/* Makes a context of OpenGL 4.3 core current, on Mesa's surfaceless platform or on the first device
 * of EGL. PM_ERROR_NO_DEVICE where there is none. */
pm_status offscreen_open(offscreen *o, pm_error *error);

/* Makes the framebuffer, with four samples per pixel, and binds it. Requires gl_check_context. */
pm_status offscreen_size(offscreen *o, int width, int height, pm_error *error);

/* Red, green and blue, a byte each, the lowest row first. The caller frees them; NULL: out of
 * memory. */
unsigned char *offscreen_pixels(offscreen *o);

void offscreen_close(offscreen *o);

#endif
