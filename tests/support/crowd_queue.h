/* SPDX-License-Identifier: MIT
 *
 * A crowd on the engine of a caller: what the tests of crowds on queues share.
 */
#ifndef POSEMILL_TESTS_CROWD_QUEUE_H
#define POSEMILL_TESTS_CROWD_QUEUE_H

#include "cl_caller.h"
#include "crowd_scene.h"
#include "engines.h"

enum { QUEUE_COUNT = 37, QUEUE_JOINTS = 6 };
typedef struct posed_crowd {
    scene scene;
    pm_crowd_instance instances[QUEUE_COUNT];
    float *expected[PM_CROWD_OUTPUT_COUNT]; /* of these instances, by pm_crowd_pose_one */
} posed_crowd;

/* Made by queue_open, a group's setup, which opens the caller too. */
extern posed_crowd posed;
int queue_open(void **state);
int queue_close(void **state);

void queue_instances(const scene *s, uint64_t salt, pm_crowd_instance *instances);

/* By pm_crowd_pose_one; free with guarded_free. */
float *queue_expectation(const scene *s, const pm_crowd_instance *instances,
                         pm_crowd_output output);

/* Bytes of all records of the crowd. */
size_t queue_bytes(pm_crowd_output output);

/* What offsets and strides are multiples of: four numbers. */
size_t queue_alignment(pm_crowd_output output);

/* A caller_buffer for all records. */
cl_mem queue_output_buffer(pm_crowd_output output);

/* The buffer has these records. */
void queue_expect(cl_mem buffer, pm_crowd_output output, const float *expected, cl_event after);

/* A job of the caller's instances that has one output, behind CALLER_OFFSET. */
pm_cl_crowd_job queue_job(pm_crowd_output output, cl_mem buffer);

/* pm_cl_crowd_pose of the caller's crowd after `gate`, unless NULL, that fails the test; the
 * event is the test's to release. */
cl_event queue_pose(const pm_cl_crowd_job *job, cl_command_queue queue, cl_event gate);

#endif
