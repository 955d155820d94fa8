/* SPDX-License-Identifier: MIT
 *
 * OpenGL's buffers in OpenCL, by cl_khr_gl_sharing: docs/sharing-buffers.md explains each call.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SHARING_H
#define EXAMPLES_CROWD_WINDOW_SHARING_H

#include <stdbool.h>
#include <stddef.h>

#include "stages.h"

enum { SHARING_BUFFERS = 2 };

/* An OpenCL context that shares the objects of an OpenGL context. */
typedef struct sharing sharing;

/* NULL where no driver can share the buffers of the OpenGL context that is current, or memory is
 * exhausted. `why` receives the reason, in static storage. */
sharing *sharing_open(const char **why);
void sharing_close(sharing **s);

/* An engine on the context; destroyed before it. */
pm_status sharing_engine(sharing *s, pm_engine **engine, pm_error *error);

/* Creates the OpenCL buffers of OpenGL's, whose stores exist, and releases those created before. */
pm_status sharing_take(sharing *s, const unsigned names[SHARING_BUFFERS], pm_error *error);
void sharing_drop(sharing *s);

/* Poses the scene into buffer `which`. Returns when OpenGL may use it. */
pm_status sharing_pose(sharing *s, stages *st, const scene *shown, int which, pm_error *error);

#endif
