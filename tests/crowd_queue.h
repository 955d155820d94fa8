/* SPDX-License-Identifier: MIT
 *
 * A caller with OpenCL objects of its own, and a crowd on an engine made of them: what the tests
 * of crowds on queues share.
 */
#ifndef POSEMILL_TESTS_CROWD_QUEUE_H
#define POSEMILL_TESTS_CROWD_QUEUE_H

#include <posemill/posemill_cl.h>

#include "support/crowd_scene.h"
#include "support/engines.h"

enum { QUEUE_COUNT = 37, QUEUE_JOINTS = 6 };
enum { QUEUE_OFFSET = 256, QUEUE_TAIL = 64 }; /* bytes in front of and behind an output */

typedef struct queue_caller {
    cl_context context;
    cl_device_id device;
    cl_command_queue in_order;
    cl_command_queue out_of_order; /* NULL where the device has none: it is optional */
    pm_engine *engine;
    scene scene;
    pm_crowd_instance instances[QUEUE_COUNT];
    float *expected[PM_CROWD_OUTPUT_COUNT]; /* of these instances, by pm_crowd_pose_one */
} queue_caller;

/* Opened by queue_open, a group's setup, on the device of the other tests, in a context that the
 * library did not make. */
extern queue_caller caller;
int queue_open(void **state);
int queue_close(void **state);

void queue_instances(const scene *s, uint64_t salt, pm_crowd_instance *instances);

/* By pm_crowd_pose_one; free with guarded_free. */
float *queue_expectation(const scene *s, const pm_crowd_instance *instances,
                         pm_crowd_output output);

/* Bytes of all records of the crowd. */
size_t queue_bytes(pm_crowd_output output);

/* A poisoned buffer with room for `bytes` of results behind QUEUE_OFFSET, and a tail. */
cl_mem queue_buffer(size_t bytes);
cl_mem queue_output_buffer(pm_crowd_output output);

/* What lies in the buffer once `after`, unless NULL, is complete; sees that nothing beside the
 * results changed. */
float *queue_read(cl_mem buffer, size_t bytes, cl_event after);

/* The buffer has these records. */
void queue_expect(cl_mem buffer, pm_crowd_output output, const float *expected, cl_event after);

/* A job of the caller's instances that has one output, behind QUEUE_OFFSET. */
pm_cl_crowd_job queue_job(pm_crowd_output output, cl_mem buffer);

/* pm_cl_crowd_pose of the caller's crowd after `gate`, unless NULL, that fails the test; the
 * event is the test's to release. */
cl_event queue_pose(const pm_cl_crowd_job *job, cl_command_queue queue, cl_event gate);

#endif
