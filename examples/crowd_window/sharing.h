/* SPDX-License-Identifier: MIT
 *
 * OpenGL's buffer in OpenCL, by cl_khr_gl_sharing: docs/sharing-buffers.md explains each call.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SHARING_H
#define EXAMPLES_CROWD_WINDOW_SHARING_H

#include "scene.h"

/* An OpenCL context that shares the objects of the OpenGL context that is current. */
typedef struct sharing sharing;

/* NULL where no driver can share its buffers. */
sharing *sharing_open(void);
void sharing_close(sharing **s);

/* An engine on the context; destroyed before it. */
pm_engine *sharing_engine(sharing *s);

/* Creates the OpenCL buffer of OpenGL's, whose store exists, and releases the one before. */
void sharing_take(sharing *s, unsigned name);
void sharing_drop(sharing *s);

/* Poses the scene into the buffer. Returns when OpenGL may use it. */
void sharing_pose(sharing *s, const scene *shown);

#endif
