/* SPDX-License-Identifier: MIT
 *
 * Instances of a crowd on their way from host memory to the device: copied into memory of the
 * library's own, which commands read when they come to it, so that the caller's is free at once,
 * whatever becomes of the job.
 */
#ifndef PM_HOST_CL_COPIES_H
#define PM_HOST_CL_COPIES_H

#include "device.h"

/* What is written to a copy's buffer and what reads it: a write, and a kernel an output. */
enum { PM_COPY_USERS = PM_CROWD_OUTPUT_COUNT + 1 };

typedef struct pm_instance_copy {
    struct pm_instance_copy *next;
    pm_crowd_instance *memory;
    cl_mem buffer;
    size_t room; /* instances, of both */
    cl_event users[PM_COPY_USERS];
    unsigned user_count;
} pm_instance_copy;

/* A copy of the instances, in memory whose users are over, or new. It may be taken again as long as
 * it is given no users. Callers lock. */
pm_status pm_copies_take(pm_instance_copy **copies, pm_opencl_device *cl,
                         const pm_crowd_instance *instances, size_t count, pm_instance_copy **taken,
                         pm_error *error);

/* Keeps a copy from others until a command is over, whose event it retains. */
void pm_copy_add_user(pm_instance_copy *copy, cl_event user);

/* Of no users: their commands read memory that is freed. */
void pm_copies_free(pm_instance_copy **copies);

#endif
