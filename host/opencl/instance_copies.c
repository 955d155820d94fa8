/* SPDX-License-Identifier: MIT
 *
 * Finds, creates and frees copies of instances.
 */
#include "instance_copies.h"

#include <stdlib.h>
#include <string.h>

/* Copies that the first frame creates: as many as there are often frames in flight. */
enum { COPIES_AT_FIRST = 2 };

/* Whether a command is complete or failed. A command whose event cannot be queried counts as in
 * flight, which costs one more copy. */
static bool is_over(cl_event event) {
    cl_int state = CL_QUEUED;
    cl_int code =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return code == CL_SUCCESS && state <= CL_COMPLETE;
}

static bool is_free(pm_instance_copy *copy) {
    while (copy->user_count && is_over(copy->users[copy->user_count - 1]))
        clReleaseEvent(copy->users[--copy->user_count]);
    return copy->user_count == 0;
}

static pm_status make_room(pm_instance_copy *copy, pm_opencl_device *cl, size_t count,
                           pm_error *error) {
    cl_mem buffer;
    const size_t size = count * sizeof *copy->memory;
    pm_crowd_instance *memory = malloc(size);
    if (!memory)
        return pm_fail_memory(error);
    pm_status status = pm_cl_buffer(cl, CL_MEM_READ_ONLY, NULL, size, &buffer, error);
    if (status != PM_OK) {
        free(memory);
        return status;
    }
    free(copy->memory);
    pm_cl_release(copy->buffer);
    copy->memory = memory;
    copy->buffer = buffer;
    copy->room = count;
    return PM_OK;
}

static pm_status add(pm_instance_copy **copies, pm_opencl_device *cl, size_t count,
                     pm_error *error) {
    pm_instance_copy *copy = calloc(1, sizeof *copy);
    if (!copy)
        return pm_fail_memory(error);
    pm_status status = make_room(copy, cl, count, error);
    if (status != PM_OK) {
        free(copy);
        return status;
    }
    copy->next = *copies;
    *copies = copy;
    return PM_OK;
}

static pm_status find_or_make(pm_instance_copy **copies, pm_opencl_device *cl, size_t count,
                              pm_instance_copy **found, pm_error *error) {
    pm_instance_copy *copy = *copies;
    while (copy && !is_free(copy))
        copy = copy->next;
    *found = copy;
    if (copy)
        return copy->room < count ? make_room(copy, cl, count, error) : PM_OK;
    pm_status status = PM_OK;
    for (unsigned i = *copies ? 1 : COPIES_AT_FIRST; status == PM_OK && i > 0; i--)
        status = add(copies, cl, count, error);
    *found = *copies;
    return status;
}

pm_status pm_copies_take(pm_instance_copy **copies, pm_opencl_device *cl,
                         const pm_crowd_instance *instances, size_t count, pm_instance_copy **taken,
                         pm_error *error) {
    pm_status status = find_or_make(copies, cl, count, taken, error);
    if (status == PM_OK)
        memcpy((*taken)->memory, instances, count * sizeof *instances);
    return status;
}

void pm_copy_add_user(pm_instance_copy *copy, cl_event user) {
    clRetainEvent(user);
    copy->users[copy->user_count++] = user;
}

void pm_copies_free(pm_instance_copy **copies) {
    while (*copies) {
        pm_instance_copy *copy = *copies;
        *copies = copy->next;
        if (copy->user_count) /* the first user reads the copy's host memory */
            clWaitForEvents(1, copy->users);
        while (copy->user_count)
            clReleaseEvent(copy->users[--copy->user_count]);
        pm_cl_release(copy->buffer);
        free(copy->memory);
        free(copy);
    }
}
