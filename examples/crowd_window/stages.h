/* SPDX-License-Identifier: MIT
 *
 * Kernels of this program before and between the engine's jobs: culling, which writes the list of
 * the members in view, and inverse kinematics, which stands feet on the slope.
 */
#ifndef EXAMPLES_CROWD_WINDOW_STAGES_H
#define EXAMPLES_CROWD_WINDOW_STAGES_H

#include "scene.h"

/* The kernels and their buffers, for a scene's number of members. */
typedef struct stages stages;

/* Whether the engine has an OpenCL device. */
bool stages_can(const pm_engine *engine);

/* Whether the scene is posed with kernels between the jobs. */
bool stages_needed(const scene *s);

pm_status stages_open(stages **st, const scene *s, pm_error *error);
void stages_close(stages **st);

/* Enqueues a frame. `commands` is a cl_command_queue in order, and `records` a cl_mem with room for
 * scene_palette_bytes: this header is read without OpenCL too. */
pm_status stages_enqueue(stages *st, const scene *s, void *commands, void *records,
                         pm_error *error);

/* The same into memory. Records of members out of view are those of a frame before. */
pm_status stages_pose(stages *st, const scene *s, void *records, pm_error *error);

/* The last frame's job with what the kernels wrote: the list, and local poses. They remain valid
 * until the next call. */
pm_status stages_job(stages *st, const scene *s, pm_crowd_job *job, pm_error *error);

#endif
