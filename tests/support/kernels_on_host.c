/* SPDX-License-Identifier: MIT
 *
 * Calls the kernels on the host with the arguments and work sizes that the device would get.
 */
#include "kernels_on_host.h"
#include "base/counts.h"
#include "kernels_on_host_variant.h"
#include "scoped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OFFSET = 3, /* floats before the values that no kernel may write */
    POISON = 0xA5,
    IDLE = 3 /* work-items past the end, as from a rounded work size */
};

#define DECLARE(name) extern const kernel_variant gather_##name;
#define DECLARE_MOTION(name) extern const kernel_variant velocity_##name, acceleration_##name;
PM_CURVES(DECLARE)
PM_ROTATION_CURVES(DECLARE_MOTION)

#define ROW(name) [PM_CURVE_##name] = &gather_##name,
#define VELOCITY_ROW(name) [PM_CURVE_##name] = &velocity_##name,
#define ACCELERATION_ROW(name) [PM_CURVE_##name] = &acceleration_##name,
/* By the order of the derivative */
static const kernel_variant *const variants[3][PM_CURVE_COUNT] = {
    {PM_CURVES(ROW)}, {PM_ROTATION_CURVES(VELOCITY_ROW)}, {PM_ROTATION_CURVES(ACCELERATION_ROW)}};

extern const kernel_variant gather_slerp_log48, gather_slerp_smallest48;
static const kernel_variant *const coded[PM_KEYS_COUNT] = {
    [PM_KEYS_LOG48] = &gather_slerp_log48, [PM_KEYS_SMALLEST48] = &gather_slerp_smallest48};

/* For keys of 48 bits there is only the kernel of slerp's values. */
static const kernel_variant *variant_for(const pm_channel *channel, unsigned order) {
    if (channel->format == PM_KEYS_FLOAT32)
        return variants[order][channel->impl.curve];
    if (channel->impl.curve != PM_CURVE_slerp || order > 0) {
        fprintf(stderr, "kernels on the host: no such variant\n");
        abort();
    }
    return coded[channel->format];
}

static void *exactly(size_t count, size_t size) {
    void *memory = malloc(count * size);
    if (!memory && count > 0) {
        fprintf(stderr, "kernels on the host: out of memory\n");
        abort();
    }
    return memory;
}

/* For an empty array memory without a byte, so that a kernel that reads it is detected. */
static void *copy_of(const void *data, size_t count, size_t size) {
    void *memory = exactly(count, size);
    return count > 0 ? memcpy(memory, data, count * size) : memory;
}

static void locate(const pm_uniform_map *map, uint32_t sample_count, pm_cursor *cursors) {
    gather_slerp.locate(cursors, *map, sample_count, sample_count + IDLE);
}

static pm_cursor *cursors_of(const pm_sample_request *request) {
    pm_cursor *cursors = exactly(request->cursor_rows * request->sample_count, sizeof *cursors);
    if (request->map.scale)
        locate(&request->map, (uint32_t)request->sample_count, cursors);
    else
        pm_sample_cursors(request, cursors);
    return cursors;
}

/* Values filled with a pattern after OFFSET floats, which must stay unchanged. */
static float *make_values(size_t count) {
    float *values = exactly(OFFSET + count, sizeof *values);
    memset(values, POISON, (OFFSET + count) * sizeof *values);
    return values;
}

static void take_values(float *values, size_t count, float *to) {
    unsigned char untouched[OFFSET * sizeof *values];
    memset(untouched, POISON, sizeof untouched);
    if (memcmp(values, untouched, sizeof untouched) != 0) {
        fprintf(stderr, "kernels on the host: a kernel wrote before its values\n");
        abort();
    }
    memcpy(to, values + OFFSET, count * sizeof *values);
    free(values);
}

static uint32_t share(size_t count, uint32_t each) {
    return (uint32_t)((count + each - 1) / each);
}

static void sample_output(const host_launch *launch, const pm_sample_request *request,
                          const pm_cursor *cursors, const pm_output *output, float *to) {
    const pm_clip_data *clip = request->clip;
    const pm_channel *channel = &clip->channels[output->channel];
    const kernel_variant *variant = variant_for(channel, output->order);
    SCOPED(free_at) float *rates = copy_of(clip->rates, clip->rate_count, sizeof *rates);
    size_t count = request->sample_count * request->width;
    SCOPED(free_at)
    uint32_t *tracks = copy_of(request->tracks, request->tracks ? count : 0, sizeof *tracks);
    SCOPED(free_at) void *keys = copy_of(channel->keys, channel->key_bytes, 1);
    SCOPED(free_at)
    float *constants = copy_of(channel->constants, channel->constant_floats, sizeof *constants);
    SCOPED(free_at) float *wraps = copy_of(clip->wraps, clip->padded_tracks, sizeof *wraps);
    SCOPED(free_at)
    pm_track_layout *layout = copy_of(channel->layout, clip->track_count, sizeof *layout);
    kernel_arguments arguments = {.keys = keys,
                                  .constants = constants,
                                  .wraps = wraps,
                                  .layout = layout,
                                  .cursors = cursors,
                                  .tracks = tracks,
                                  .values = make_values(count * output->components),
                                  .values_offset = OFFSET,
                                  .plane_floats = channel->layout[0].plane,
                                  .constant_floats = (uint32_t)(4 * clip->padded_tracks),
                                  .track_count = (uint32_t)clip->track_count,
                                  .sample_count = (uint32_t)request->sample_count,
                                  .value_count = (uint32_t)count,
                                  .run = launch->run,
                                  .pairs = request->tracks != NULL,
                                  .rates = rates,
                                  .parent = request->parent_frame};
    if (launch->kernel == KERNEL_WALK && output->order == 0)
        variant->walk(&arguments, (pm_u32)clip->track_count + IDLE,
                      share(request->sample_count, launch->run) + IDLE);
    else
        variant->gather(&arguments, (pm_u32)count + IDLE);
    take_values(arguments.values, count * output->components, to);
}

void kernels_on_host_sample(const host_launch *launch, const pm_sample_request *request) {
    SCOPED(free_at) pm_cursor *cursors = cursors_of(request);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (request->outputs[o])
            sample_output(launch, request, cursors, &pm_outputs[o], request->outputs[o]);
}
