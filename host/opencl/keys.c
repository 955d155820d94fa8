/* SPDX-License-Identifier: MIT
 *
 * Keys and tangents of a clip's description in a caller's buffers: checks them, copies them for the kernels that
 * build clips, and maps them for the host.
 */
#include "device.h"

#include <string.h>

#define PM_ROW(name, components)                                                                   \
    { #name, offsetof(pm_clip_desc, name), offsetof(pm_cl_keys, name), components }
static const struct {
    const char *name;
    size_t array, input; /* places in the structs */
    unsigned components;
} rows[PM_CL_KEY_ARRAYS] = {PM_ROW(rotations, 4),    PM_ROW(positions, 3),
                            PM_ROW(scales, 3),       PM_ROW(user_tangents, 3),
                            PM_ROW(tangents_in, 4),  PM_ROW(tangents_out, 4),
                            PM_ROW(positions_in, 3), PM_ROW(positions_out, 3),
                            PM_ROW(scales_in, 3),    PM_ROW(scales_out, 3)};

static pm_array *array_at(pm_clip_desc *desc, unsigned i) {
    return (pm_array *)(void *)((char *)desc + rows[i].array);
}

static const pm_cl_input *input_at(const void *keys, unsigned i) {
    return (const pm_cl_input *)(const void *)((const char *)keys + rows[i].input);
}

/* Bytes of an array whose shape is checked, from its first key to its last. */
static size_t bytes_of(const pm_clip_desc *desc, const pm_array *array, unsigned components) {
    const bool coded = array == &desc->rotations && pm_is_coded(desc);
    const size_t key = components * pm_number_size(array->type);
    const size_t row =
        coded ? pm_keys_row_bytes(desc->key_format, desc->track_count) : desc->track_count * key;
    size_t keys = 0;
    if (pm_timeline_count(desc) == 1)
        return (desc->timelines[0].key_count - 1) * (array->stride ? array->stride : row) + row;
    for (size_t t = 0; t < desc->track_count; t++)
        keys += pm_timeline_of_track(desc, t)->key_count;
    return keys * key;
}

/* Lets arrays have data where there are inputs, which is memory, or a buffer in place of it. */
static pm_status take_inputs(pm_cl_given *given, pm_error *error) {
    for (unsigned i = 0; i < PM_CL_KEY_ARRAYS; i++) {
        const pm_cl_input *input = input_at(given->keys, i);
        pm_array *array = array_at(&given->desc, i);
        if (array->data)
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "%s: the description has data, expected NULL and them in keys.%s",
                           rows[i].name, rows[i].name);
        if (input->memory && input->buffer)
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s: both memory and a buffer are given",
                           rows[i].name);
        array->data = input->memory ? input->memory : input->buffer;
        given->all_in_buffers = given->all_in_buffers && !input->memory;
    }
    /* the host's check reads user tangents of clips without rotations, too */
    if (pm_takes_user_tangents(&given->desc) && !given->desc.rotations.data)
        given->all_in_buffers = false;
    return PM_OK;
}

static pm_status check_buffers(pm_cl_given *given, pm_error *error) {
    pm_status status = PM_OK;
    for (unsigned i = 0; status == PM_OK && i < PM_CL_KEY_ARRAYS; i++) {
        const pm_cl_input *input = input_at(given->keys, i);
        const pm_array *array = array_at(&given->desc, i);
        const pm_address at = {.handle = input->buffer, .offset = input->offset};
        if (input->buffer)
            status =
                pm_cl_check_address(given->device, rows[i].name, &at, pm_number_size(array->type),
                                    bytes_of(&given->desc, array, rows[i].components), error);
    }
    return status;
}

pm_status pm_cl_given_begin(pm_device *device, const pm_clip_desc *desc, const void *keys,
                            uint32_t wait_count, const void *wait_list, pm_cl_given *given,
                            pm_error *error) {
    *given = (pm_cl_given){.device = device, .keys = keys, .desc = *desc, .all_in_buffers = true};
    if (!device->backend->owns_queue)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the engine is the reference path");
    pm_status status = pm_device_check(device, error);
    if (status == PM_OK)
        status = PM_CHECK_NEXT(pm_cl_keys, (const pm_cl_keys *)keys, error);
    if (status == PM_OK)
        status = take_inputs(given, error);
    if (status == PM_OK)
        status = pm_clip_check_shape(&given->desc, error);
    if (status == PM_OK)
        status = check_buffers(given, error);
    if (status != PM_OK || wait_count == 0)
        return status;
    const cl_int code = clWaitForEvents(wait_count, wait_list);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clWaitForEvents");
}

pm_status pm_cl_given_map(pm_cl_given *given, pm_error *error) {
    const cl_command_queue queue = pm_opencl_of(given->device)->transfers;
    for (unsigned i = 0; i < PM_CL_KEY_ARRAYS; i++) {
        const pm_cl_input *input = input_at(given->keys, i);
        pm_array *array = array_at(&given->desc, i);
        if (!input->buffer)
            continue;
        cl_int code;
        given->mapped[i] = clEnqueueMapBuffer(
            queue, input->buffer, CL_TRUE, CL_MAP_READ, input->offset,
            bytes_of(&given->desc, array, rows[i].components), 0, NULL, NULL, &code);
        if (code != CL_SUCCESS)
            return pm_cl_fail(error, code, "clEnqueueMapBuffer");
        array->data = given->mapped[i];
    }
    return PM_OK;
}

pm_status pm_cl_given_unmap(pm_cl_given *given, pm_error *error) {
    const cl_command_queue queue = pm_opencl_of(given->device)->transfers;
    pm_status status = PM_OK;
    for (unsigned i = 0; i < PM_CL_KEY_ARRAYS; i++)
        if (given->mapped[i]) {
            const pm_status unmapped =
                pm_cl_unmap(queue, input_at(given->keys, i)->buffer, given->mapped[i],
                            status == PM_OK ? error : NULL);
            status = status == PM_OK ? unmapped : status;
        }
    return status;
}

pm_status pm_cl_copy_array(pm_opencl_device *cl, const pm_clip_desc *desc, const pm_cl_keys *keys,
                           const pm_array *array, cl_mem *copy, pm_error *error) {
    unsigned i = 0;
    while ((const char *)array != (const char *)desc + rows[i].array)
        i++;
    const pm_cl_input *input = input_at(keys, i);
    const size_t bytes = bytes_of(desc, array, rows[i].components);
    const pm_status status = pm_cl_buffer(cl, CL_MEM_READ_WRITE, NULL, bytes, copy, error);
    if (status != PM_OK)
        return status;
    const cl_int code = clEnqueueCopyBuffer(cl->compute, input->buffer, *copy, input->offset, 0,
                                            bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clEnqueueCopyBuffer");
}
