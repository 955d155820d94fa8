/* SPDX-License-Identifier: MIT
 *
 * A crowd on a caller's engine, shared by the tests of crowds on queues.
 */
#ifndef POSEMILL_TESTS_CROWD_QUEUE_H
#define POSEMILL_TESTS_CROWD_QUEUE_H

#include "base/counts.h"
#include "cl_caller.h"
#include "crowd_scene.h"
#include "engines.h"

enum { QUEUE_COUNT = 37, QUEUE_JOINTS = 6 };
typedef struct posed_crowd {
    scene scene;
    pm_crowd_instance instances[QUEUE_COUNT];
    float *expected[PM_CROWD_POSE_COUNT]; /* of these instances, by pm_crowd_pose_one */
} posed_crowd;

/* Made by queue_open, the setup of a test group, which opens the caller too. */
extern posed_crowd posed;
int queue_open(void **state);
int queue_close(void **state);

/* By pm_crowd_pose_one; freed with guarded_free. */
float *queue_expectation(const scene *s, const pm_crowd_instance *instances,
                         pm_crowd_output output);

/* The size of all records of the crowd in bytes. */
size_t queue_bytes(pm_crowd_output output);

/* Offsets and strides must be multiples of this: four numbers. */
size_t queue_alignment(pm_crowd_output output);

/* A caller_buffer with space for all records. */
cl_mem queue_output_buffer(pm_crowd_output output);

/* Fails unless the buffer contains these records. */
void queue_expect(cl_mem buffer, pm_crowd_output output, const float *expected, cl_event after);

/* A job of the caller's instances with one output, after CALLER_OFFSET: *target, which is filled. */
pm_cl_crowd_job queue_job(pm_cl_crowd_target *target, pm_crowd_output output, cl_mem buffer);

/* Likewise with a new buffer, which is target->buffer. */
pm_cl_crowd_job queue_new_job(pm_cl_crowd_target *target, pm_crowd_output output);

/* Calls pm_cl_crowd_pose for the caller's crowd with a wait list of `gate`, unless NULL; an error
 * fails the test. */
cl_event queue_pose(const pm_cl_crowd_job *job, cl_command_queue queue, cl_event gate);

#endif
