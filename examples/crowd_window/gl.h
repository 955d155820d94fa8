/* SPDX-License-Identifier: MIT
 *
 * OpenGL 4.3, whose functions libepoxy finds: programs of shaders, and pictures without a display.
 */
#ifndef EXAMPLES_CROWD_WINDOW_GL_H
#define EXAMPLES_CROWD_WINDOW_GL_H

#include <epoxy/gl.h>
#include <stdbool.h>

/* NULL, or what the current context lacks: version 4.3, or two storage buffers in vertex shaders. */
const char *gl_lacks(void);

/* Compiles and links. `captured` is the name of the output that transform feedback writes, or NULL. */
GLuint gl_program(const char *vertex, const char *fragment, const char *captured);

/* Ends the program where OpenGL recorded an error; `what` names the step. */
void gl_check(const char *what);

/* A context of EGL, and a framebuffer whose pixels can be read. */
typedef struct offscreen {
    void *display, *context; /* EGL's */
    unsigned framebuffers[2], renderbuffers[3];
    int width, height;
} offscreen;

/* Makes a context of OpenGL 4.3 core current, on the first device of EGL or Mesa's surfaceless platform.
 * Returns NULL, or why there is none. */
const char *offscreen_open(offscreen *o);

/* Makes the framebuffer, with four samples per pixel, and binds it. */
void offscreen_size(offscreen *o, int width, int height);

/* Red, green and blue, a byte each, the lowest row first. The caller frees them. */
unsigned char *offscreen_pixels(offscreen *o);

/* The pixels as PNG. A file at `path` is replaced when the new one is complete. */
void offscreen_write(offscreen *o, const char *path);

void offscreen_close(offscreen *o);

#endif
