/* SPDX-License-Identifier: MIT
 *
 * Plans samples: the only place that decides which kernels and cursors a request takes.
 */
#include "plan.h"

/* Maximum values per launch: kernels count values in 32 bits, and work sizes are rounded up. */
static const size_t max_values = (size_t)1 << 30;

/* MIN_RUN: samples per work-item of `walk`, below which it loads segments too often.
 * ITEMS_PER_UNIT: work-items per compute unit that a launch should have; runs are shortened to
 * reach it, from MAX_RUN on. */
enum { MIN_RUN = 16, MAX_RUN = 256, ITEMS_PER_UNIT = 16 };

/* Whether an output is computed by the kernel `walk`, whose work-items walk along segments: all tracks at common
 * times, and no derivative. */
static bool walks(const pm_sample_request *request, unsigned output) {
    return request->clip->common_timeline && !request->tracks && pm_outputs[output].order == 0;
}

/* For the kernels' 32-bit indices, for `bytes` bytes of rotations, and for launches that do not take
 * too long. */
static size_t piece_samples(const pm_sample_plan *plan, const pm_sample_request *request,
                            uint64_t bytes) {
    const unsigned moves = 1u << PM_OUT_VELOCITIES | 1u << PM_OUT_ACCELERATIONS;
    const size_t work = request->lowpass        ? request->lowpass->taps
                        : plan->outputs & moves ? PM_WORK_OF_MOTION
                                                : PM_WORK_OF_VALUE;
    const size_t limit = pm_plan_launch_limit(plan->device, work);
    const uint64_t by_bytes = bytes / (4 * sizeof(float));
    size_t values = by_bytes < max_values ? (size_t)by_bytes : max_values;
    values = values < limit ? values : limit;
    size_t samples = values / request->width;
    if (request->lowpass && samples > pm_lowpass_piece(request->lowpass))
        samples = pm_lowpass_piece(request->lowpass);
    if (samples > request->sample_count)
        samples = request->sample_count;
    return samples ? samples : 1;
}

pm_sample_plan pm_plan_samples(const pm_sample_request *request, uint64_t bytes,
                               const pm_plan_device *device) {
    const unsigned outputs = pm_sample_outputs(request);
    pm_sample_plan plan = {.device = device,
                           .outputs = outputs,
                           .locates = !request->lowpass && request->map.scale > 0};
    plan.piece_samples = piece_samples(&plan, request, bytes);
    return plan;
}

static pm_step step_of(const char *file, const char *curve, unsigned components,
                       pm_key_format format) {
    pm_step step = {
        .variant = {.file = file, .curve = curve, .components = components, .format = format}};
    step.parameters = pm_parameters_of(file, &step.parameter_count);
    return step;
}

/* The samples (run) per work-item that walks, and their number: neighbouring work-items have neighbouring tracks, so
 * that their stores are contiguous. */
static void divide_walk(pm_step *step, size_t tracks, const pm_plan_device *device) {
    pm_step_numbers *n = &step->numbers;
    step->items = tracks;
    const size_t items = (size_t)device->compute_units * ITEMS_PER_UNIT;
    size_t run = n->sample_count / ((items + step->items - 1) / step->items);
    run = run > MAX_RUN ? MAX_RUN : run;
    n->run = run < MIN_RUN ? MIN_RUN : (pm_u32)run;
    step->rows = (n->sample_count + n->run - 1) / n->run;
}

static pm_step walk_step(const pm_sample_plan *plan, const pm_sample_request *piece, unsigned o) {
    const pm_clip_data *clip = piece->clip;
    const pm_channel *channel = &clip->channels[pm_outputs[o].channel];
    pm_step step = step_of("walk", pm_curves[channel->impl.curve].name, pm_outputs[o].components,
                           channel->format);
    step.grouping = PM_GROUPS_OF_ROWS;
    step.numbers.plane_floats = channel->layout[0].plane;
    step.numbers.track_count = (pm_u32)clip->track_count;
    step.numbers.sample_count = (pm_u32)piece->sample_count;
    divide_walk(&step, clip->track_count, plan->device);
    return step;
}

static pm_step gather_step(const pm_sample_request *piece, unsigned o) {
    static const char *const files[] = {"gather", "velocity", "acceleration"};
    const pm_clip_data *clip = piece->clip;
    const pm_channel *channel = &clip->channels[pm_outputs[o].channel];
    const size_t values = piece->sample_count * piece->width;
    pm_step step = step_of(files[pm_outputs[o].order], pm_curves[channel->impl.curve].name,
                           pm_outputs[o].components, channel->format);
    step.items = values;
    step.numbers.constant_floats = (pm_u32)(4 * clip->padded_tracks);
    step.numbers.track_count = (pm_u32)clip->track_count;
    step.numbers.sample_count = (pm_u32)piece->sample_count;
    step.numbers.value_count = (pm_u32)values;
    step.numbers.pairs = piece->tracks != NULL;
    step.numbers.parent = piece->parent_frame;
    return step;
}

static pm_step lowpass_step(const pm_sample_request *piece, unsigned o) {
    const pm_clip_data *clip = piece->clip;
    pm_step step = step_of("lowpass", "slerp", pm_outputs[o].components, PM_KEYS_FLOAT32);
    step.items = piece->sample_count * clip->track_count;
    step.numbers.row_floats = clip->channels[pm_outputs[o].channel].layout[0].row;
    step.numbers.taps = piece->lowpass->taps;
    step.numbers.track_count = (pm_u32)clip->track_count;
    step.numbers.sample_count = (pm_u32)piece->sample_count;
    return step;
}

bool pm_plan_locate(const pm_sample_plan *plan, const pm_sample_request *piece, pm_step *step) {
    if (!plan->locates)
        return false;
    *step = step_of("locate", "slerp", 4, PM_KEYS_FLOAT32);
    step->items = piece->sample_count;
    step->numbers.sample_count = (pm_u32)piece->sample_count;
    step->numbers.map = piece->map;
    return true;
}

pm_step pm_plan_output(const pm_sample_plan *plan, const pm_sample_request *piece,
                       unsigned output) {
    return piece->lowpass         ? lowpass_step(piece, output)
           : walks(piece, output) ? walk_step(plan, piece, output)
                                  : gather_step(piece, output);
}

size_t pm_plan_sample_variants(const pm_sample_plan *plan, const pm_sample_request *request,
                               pm_variant variants[PM_SAMPLE_VARIANTS]) {
    pm_step step;
    size_t count = 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (plan->outputs >> o & 1)
            variants[count++] = pm_plan_output(plan, request, o).variant;
    if (pm_plan_locate(plan, request, &step))
        variants[count++] = step.variant;
    return count;
}
