/* SPDX-License-Identifier: MIT
 *
 * A caller with OpenCL objects of its own and an engine made of them, as tests of jobs on queues
 * need one, and what such tests do with queues, buffers and events.
 */
#ifndef POSEMILL_TESTS_CL_CALLER_H
#define POSEMILL_TESTS_CL_CALLER_H

#include <posemill/posemill_cl.h>

#include <stdbool.h>

enum { CALLER_OFFSET = 256, CALLER_TAIL = 64 }; /* bytes in front of and behind results */

typedef struct cl_caller {
    cl_context context;
    cl_device_id device;
    cl_command_queue in_order;
    cl_command_queue out_of_order; /* NULL where the device has none: it is optional */
    pm_engine *engine;
} cl_caller;

/* Opened on the device of the other tests, in a context that the library did not make; false when
 * that fails. Closed after what was made of it, and before engines_close. */
extern cl_caller caller;
bool caller_open(void);
void caller_close(void);

/* A poisoned buffer with room for `bytes` of results between CALLER_OFFSET and CALLER_TAIL. */
cl_mem caller_buffer(size_t bytes);

/* The results in such a buffer once `after`, unless NULL, is complete; sees that nothing beside
 * them changed. To be freed. */
float *caller_read(cl_mem buffer, size_t bytes, cl_event after);

/* An event that commands can be made to wait for, and their start. */
cl_event gate_make(void);
void gate_open(cl_event gate);

bool is_caller_on_oclgrind(void);

/* Hands waiting commands to the device, so that they could start too early. Not on Oclgrind, whose
 * clFlush waits for all of them: behind a gate, for ever. */
void flush_waiting(cl_command_queue queue);

/* Fails the test where the event has failed. */
bool is_complete(cl_event event);
void release_event(cl_event event);

#endif
