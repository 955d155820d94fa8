/* SPDX-License-Identifier: MIT
 *
 * OpenGL 4.3, whose functions libepoxy finds, and helpers for programs of shaders.
 */
#ifndef EXAMPLES_CROWD_WINDOW_GL_H
#define EXAMPLES_CROWD_WINDOW_GL_H

#include <epoxy/gl.h>
#include <stdbool.h>

#include <posemill/posemill.h>

/* Refuses a context below version 4.3, and drivers without two storage buffers in vertex shaders. */
pm_status gl_check_context(pm_error *error);

/* Whether buffers can stay mapped: OpenGL 4.4 or ARB_buffer_storage. */
bool gl_has_storage(void);

/* Compiles and links. `captured` is the name of the output that transform feedback writes, or NULL.
 * On failure 0, with the driver's message. */
GLuint gl_program(const char *vertex, const char *fragment, const char *captured, pm_error *error);

/* A failure for each error that OpenGL recorded; `what` names the step. */
pm_status gl_check(const char *what, pm_error *error);

#endif
