/* SPDX-License-Identifier: MIT
 *
 * An in-order OpenCL queue on the device of an engine, with one kernel and the buffers of a program.
 * After a failure, calls do nothing: `status` has the first.
 */
#ifndef EXAMPLES_CROWD_QUEUE_H
#define EXAMPLES_CROWD_QUEUE_H

#include <posemill/posemill_cl.h>

enum { QUEUE_MOST_BUFFERS = 8 };

typedef struct queue {
    cl_context context;
    cl_command_queue commands;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffers[QUEUE_MOST_BUFFERS];
    unsigned buffer_count;
    cl_int status;
} queue;

/* Also builds the kernel `name` of a program. CL_DEVICE_NOT_FOUND where the engine is the reference
 * path. */
cl_int queue_open(queue *q, const pm_engine *engine, const char *source, const char *name);
/* Whether all went well; otherwise prints why not. */
bool queue_report(const queue *q, const char *program, pm_status status, const pm_error *error);
/* Waits for all commands. */
void queue_close(queue *q);

/* A buffer with a copy of `bytes` of `from`; NULL: with zeros. It belongs to the queue. */
cl_mem queue_buffer(queue *q, size_t bytes, const void *from);
/* Sets an argument of the kernel. */
void queue_argument(queue *q, cl_uint index, size_t bytes, const void *value);
/* Enqueues the kernel. */
void queue_run(queue *q, size_t count);
/* Waits for the commands before. */
void queue_read(queue *q, cl_mem buffer, size_t bytes, void *to);

#endif
