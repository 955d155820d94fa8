/* SPDX-License-Identifier: MIT
 *
 * A caller with its own OpenCL objects and an engine on them, for tests of jobs on queues, and
 * helpers for queues, buffers and events.
 */
#ifndef POSEMILL_TESTS_CL_CALLER_H
#define POSEMILL_TESTS_CL_CALLER_H

#include <posemill/posemill_cl.h>

#include <stdbool.h>

enum { CALLER_OFFSET = 256, CALLER_TAIL = 64 }; /* bytes before and after the results */

typedef struct cl_caller {
    cl_context context;
    cl_device_id device;
    cl_command_queue in_order;
    cl_command_queue out_of_order; /* NULL where the device does not support it: the feature is
                                    * optional */
    pm_engine *engine;
} cl_caller;

/* Opened on the device of the other tests, in a context that the library did not create; false when
 * that fails. Must be closed after all objects made from it, and before engines_close. */
extern cl_caller caller;
bool caller_open(void);
void caller_close(void);

/* What these keep, and every queue, buffer and event below, is released after a CALLER_TEST or by
 * caller_release. */
cl_mem caller_keep_buffer(cl_mem buffer);
cl_event caller_keep_event(cl_event event);
int caller_release(void **unused);
#define CALLER_TEST(test) TEST_WITH(test, NULL, caller_release, NULL)

/* Another in-order queue. */
cl_command_queue caller_queue(void);

/* A buffer filled with a pattern, with space for `bytes` of results between CALLER_OFFSET and
 * CALLER_TAIL. */
cl_mem caller_buffer(size_t bytes);

/* The results in such a buffer after the event `after`, unless NULL, is complete. Fails when other
 * bytes changed. The caller frees the array. */
float *caller_read(cl_mem buffer, size_t bytes, cl_event after);

/* Fails unless they are these floats, in rows of `width`. */
void caller_expect(cl_mem buffer, const float *expected, size_t floats, size_t width,
                   cl_event after);

/* Calls pm_cl_sample with a wait list of `gate`, unless NULL; an error fails the test. */
cl_event caller_sample(const pm_clip *clip, const pm_sample_job *job, const pm_cl_outputs *outputs,
                       cl_command_queue queue, cl_event gate);

/* An event that commands can wait for, and the call that completes it. */
cl_event gate_make(void);
void gate_open(cl_event gate);

bool is_caller_on_oclgrind(void);

/* Submits waiting commands to the device, so that a missing wait would be visible. Skipped on
 * Oclgrind, whose clFlush waits for all commands and would never return behind a gate. */
void flush_waiting(cl_command_queue queue);

/* Skips the test on PoCL 3.1 and Intel's runtime. They terminate the process if commands wait for an
 * event that fails: PoCL when its own transfer of a buffer, for which the command also waits, ends at
 * that moment. rusticl runs these tests. */
void skip_if_failed_events_crash(void);

/* Fails the test if the event has failed. */
bool is_complete(cl_event event);

#endif
