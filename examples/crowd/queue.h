/* SPDX-License-Identifier: MIT
 *
 * An in-order OpenCL queue on the device of an engine, with kernels and buffers of the program's
 * own. After a failure, calls do nothing: `status` has the first.
 */
#ifndef EXAMPLES_CROWD_QUEUE_H
#define EXAMPLES_CROWD_QUEUE_H

#include <posemill/posemill_cl.h>

enum { QUEUE_MOST_KERNELS = 2, QUEUE_MOST_BUFFERS = 12 };

typedef struct queue {
    cl_context context;
    cl_command_queue commands;
    cl_program programs[QUEUE_MOST_KERNELS];
    cl_kernel kernels[QUEUE_MOST_KERNELS];
    unsigned kernel_count;
    cl_mem buffers[QUEUE_MOST_BUFFERS];
    unsigned buffer_count;
    cl_int status;
} queue;

/* CL_DEVICE_NOT_FOUND where the engine is the reference path. */
cl_int queue_open(queue *q, const pm_engine *engine);
/* Whether all went well; otherwise prints why not. */
bool queue_report(const queue *q, const char *program, pm_status status, const pm_error *error);
/* Waits for all commands. */
void queue_close(queue *q);

/* The kernel `name` of a program. It belongs to the queue. */
cl_kernel queue_kernel(queue *q, const char *source, const char *name);
void queue_argument(queue *q, cl_kernel kernel, cl_uint index, size_t bytes, const void *value);
/* Enqueues the kernel. */
void queue_run(queue *q, cl_kernel kernel, size_t count);

/* A buffer with a copy of `bytes` of `from`; NULL: with zeros. It belongs to the queue. */
cl_mem queue_buffer(queue *q, size_t bytes, const void *from);
void queue_set_zero(queue *q, cl_mem buffer, size_t bytes);
void queue_copy(queue *q, cl_mem from, cl_mem to, size_t bytes);
/* Both wait for the commands before. */
void queue_write(queue *q, cl_mem buffer, size_t bytes, const void *from);
void queue_read(queue *q, cl_mem buffer, size_t bytes, void *to);

#endif
