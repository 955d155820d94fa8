/* SPDX-License-Identifier: MIT
 *
 * Copies of a crowd's instances for transfer from host memory to the device. Commands read the
 * copy, so that the caller may reuse its memory as soon as the call returns, whether it succeeds or
 * not.
 */
#ifndef PM_HOST_CL_COPIES_H
#define PM_HOST_CL_COPIES_H

#include "device.h"
#include "base/counts.h"

/* Maximum number of commands that use a copy: one write, and one kernel per output. */
enum { PM_COPY_USERS = PM_CROWD_OUTPUT_COUNT + 1 };

/* An element of a crowd's list of copies. Owns its memory, buffer and events. */
typedef struct pm_instance_copy {
    struct pm_instance_copy *next;
    pm_crowd_instance *memory;
    cl_mem buffer;
    size_t room;                   /* instances that fit memory and buffer */
    cl_event users[PM_COPY_USERS]; /* commands that may be in flight */
    unsigned user_count;
} pm_instance_copy;

/* Copies the instances into an unused element of the list, or into a new one. The element counts as
 * unused until pm_copy_add_user is called. The functions of this file are not thread-safe; the
 * caller holds the crowd's lock. */
pm_status pm_copies_take(pm_instance_copy **copies, pm_opencl_device *cl,
                         const pm_crowd_instance *instances, size_t count, pm_instance_copy **taken,
                         pm_error *error);

/* Reserves a copy until a command is complete. Retains the command's event. */
void pm_copy_add_user(pm_instance_copy *copy, cl_event user);

/* Frees all copies. No command that uses them may be in flight. */
void pm_copies_free(pm_instance_copy **copies);

#endif
