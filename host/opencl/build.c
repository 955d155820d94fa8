/* SPDX-License-Identifier: MIT
 *
 * Builds clips on the device: sends keys, launches the kernels of a plan, and reads the sign of each track's
 * laps and whether all curves are built.
 */
#include "device.h"

#include <stdlib.h>

/* A channel that is being built. */
typedef struct building {
    pm_opencl_device *cl;
    const pm_cl_keys *keys; /* NULL: in host memory, and checked */
    pm_build_plan plan;
    cl_mem memories[PM_MEMORY_COUNT]; /* owned but for keys and wraps */
    pm_error *error;
} building;

static const pm_memory owned[] = {
    PM_MEMORY_GIVEN_KEYS,   PM_MEMORY_TANGENTS_IN, PM_MEMORY_TANGENTS_OUT,
    PM_MEMORY_AXES,         PM_MEMORY_BORDERS,     PM_MEMORY_SIGNS,
    PM_MEMORY_BUILD_TRACKS, PM_MEMORY_SOLVER,      PM_MEMORY_FAILURE};

static pm_status make(building *b, pm_memory memory, cl_mem_flags flags, const void *data,
                      size_t bytes) {
    return data || flags == CL_MEM_READ_WRITE
               ? pm_cl_buffer(b->cl, flags, data, bytes, &b->memories[memory], b->error)
               : PM_OK;
}

static pm_status make_arrays(building *b, const pm_clip_desc *desc) {
    static const pm_memory of[] = {PM_MEMORY_GIVEN_KEYS, PM_MEMORY_TANGENTS_IN,
                                   PM_MEMORY_TANGENTS_OUT};
    pm_status status = PM_OK;
    for (unsigned a = 0; status == PM_OK && a < PM_ARRAY_COUNT; a++) {
        const pm_source from = pm_build_source(desc, b->plan.clip, b->plan.channel, a);
        status = b->keys && from.data
                     ? pm_cl_copy_array(b->cl, desc, b->keys,
                                        pm_build_array_of(desc, b->plan.channel, a),
                                        &b->memories[of[a]], b->error)
                     : make(b, of[a], CL_MEM_READ_ONLY, from.data, from.bytes);
    }
    if (status != PM_OK || b->plan.clip->channels[b->plan.channel].impl.segments != PM_BUILD_sterp)
        return status;
    const size_t rows = desc->axis_count > 1 ? desc->axis_count : 1;
    const size_t numbers = (rows - 1) * (size_t)b->plan.job.axes.stride + 3;
    return make(b, PM_MEMORY_AXES, CL_MEM_READ_ONLY, desc->axes.data,
                numbers * pm_number_size(desc->axes.type));
}

/* Memory that only kernels use. */
static pm_status make_own(building *b) {
    static const pm_memory of[] = {PM_MEMORY_SIGNS, PM_MEMORY_TANGENTS_IN, PM_MEMORY_SOLVER};
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < sizeof of / sizeof *of; i++) {
        const size_t bytes = pm_build_memory(&b->plan, &b->cl->plan, of[i]);
        if (bytes > 0)
            status = make(b, of[i], CL_MEM_READ_WRITE, NULL, bytes);
    }
    return status;
}

static pm_status make_memories(building *b, const pm_clip_desc *desc) {
    static const cl_uint none = 0;
    const pm_build_plan *plan = &b->plan;
    pm_status status = make_arrays(b, desc);
    if (status == PM_OK)
        status = make(b, PM_MEMORY_BUILD_TRACKS, CL_MEM_READ_ONLY, plan->tracks,
                      plan->clip->track_count * sizeof *plan->tracks);
    if (status == PM_OK)
        status = make(b, PM_MEMORY_BORDERS, CL_MEM_READ_ONLY, plan->times,
                      plan->time_count * sizeof *plan->times);
    if (status == PM_OK)
        status = make_own(b);
    return status == PM_OK ? make(b, PM_MEMORY_FAILURE, CL_MEM_READ_WRITE, &none, sizeof none)
                           : status;
}

/* Rows of open tracks that are read without a meaning, places without a track, and signs of 48-bit keys, which
 * are stored in whole words, are 0. */
static pm_status make_planes(building *b, cl_mem *keys) {
    const size_t size = b->plan.clip->channels[b->plan.channel].key_bytes, word = sizeof(cl_uint);
    const size_t bytes = (size + word - 1) / word * word;
    const cl_float zero = 0;
    pm_status status = pm_cl_buffer(b->cl, CL_MEM_READ_WRITE, NULL, bytes, keys, b->error);
    if (status != PM_OK)
        return status;
    b->memories[PM_MEMORY_KEYS] = *keys;
    const cl_int code =
        clEnqueueFillBuffer(b->cl->compute, *keys, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(b->error, code, "clEnqueueFillBuffer");
}

static pm_status launch(building *b) {
    const pm_cl_wait wait = {.queue = b->cl->compute};
    pm_build_position at = {0};
    pm_step step;
    pm_status status = PM_OK;
    while (status == PM_OK && pm_plan_build_step(&b->plan, &b->cl->plan, &at, &step))
        status = pm_cl_run_step(b->cl, &step, b->memories, &wait, NULL, b->error);
    return status;
}

static pm_status read_memory(building *b, cl_mem memory, size_t bytes, void *to) {
    const cl_int code =
        clEnqueueReadBuffer(b->cl->compute, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(b->error, code, "clEnqueueReadBuffer");
}

/* Waits until the channel is built, and asks whether it is. */
static pm_status finish(building *b, pm_clip_data *data, bool *is_built) {
    cl_uint failed = 0;
    pm_status status = read_memory(b, b->memories[PM_MEMORY_FAILURE], sizeof failed, &failed);
    if (status == PM_OK && b->plan.channel == PM_ROTATIONS)
        status = read_memory(b, b->memories[PM_MEMORY_WRAPS],
                             data->track_count * sizeof *data->wraps, data->wraps);
    for (size_t t = 0; status == PM_OK && b->plan.channel == PM_ROTATIONS && t < data->track_count;
         t++)
        data->channels[PM_ROTATIONS].layout[t].wrap = data->wraps[t];
    *is_built = status == PM_OK && !failed;
    return status;
}

static pm_status build_channel(pm_opencl_clip *clip, const pm_clip_desc *desc,
                               const pm_cl_keys *keys, pm_clip_data *data, unsigned c,
                               bool *is_built, pm_error *error) {
    building b = {.cl = pm_opencl_of(clip->clip.device), .keys = keys, .error = error};
    b.memories[PM_MEMORY_WRAPS] = clip->wraps;
    pm_status status = pm_build_plan_make(desc, data, c, &b.plan, error);
    if (keys)
        pm_build_plan_check(desc, &b.plan);
    if (status == PM_OK)
        status = make_planes(&b, &clip->channels[c][0]);
    if (status == PM_OK)
        status = make_memories(&b, desc);
    if (status == PM_OK)
        status = launch(&b);
    if (status == PM_OK)
        status = finish(&b, data, is_built);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        pm_cl_release(b.memories[owned[i]]);
    pm_build_plan_free(&b.plan);
    return status;
}

pm_status pm_cl_clip_build_planes(pm_opencl_clip *clip, const pm_clip_desc *desc,
                                  const pm_cl_keys *keys, pm_clip_data *data, bool *is_built,
                                  pm_error *error) {
    *is_built = true;
    pm_status status = pm_cl_buffer(pm_opencl_of(clip->clip.device), CL_MEM_READ_WRITE, data->wraps,
                                    data->padded_tracks * sizeof *data->wraps, &clip->wraps, error);
    for (unsigned c = 0; status == PM_OK && *is_built && c < PM_CHANNEL_COUNT; c++)
        if (data->channels[c].present)
            status = build_channel(clip, desc, keys, data, c, is_built, error);
    return status;
}

pm_status pm_cl_clip_read(const pm_device_clip *device_clip, unsigned channel, void *keys,
                          pm_error *error) {
    const pm_opencl_clip *clip = pm_opencl_clip_of(device_clip);
    building b = {.cl = pm_opencl_of(device_clip->device), .error = error};
    return read_memory(&b, clip->channels[channel][0],
                       device_clip->data->channels[channel].key_bytes, keys);
}
