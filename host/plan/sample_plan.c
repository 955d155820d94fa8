/* SPDX-License-Identifier: MIT
 *
 * Plans samples: the only place that decides which kernels, cursors and sorting a request takes.
 */
#include "plan.h"

/* Maximum values per launch: kernels count values in 32 bits, and work sizes are rounded up. */
static const size_t max_values = (size_t)1 << 30;

/* MIN_RUN: samples per work-item of `walk`, below which it loads segments too often.
 * ITEMS_PER_UNIT: work-items per compute unit that a launch should have; runs are shortened to
 * reach it. The device has the maximum run. */
enum { MIN_RUN = 16, ITEMS_PER_UNIT = 16 };

/* Walks compute whole vectors of tracks. Vectors are as wide as the device's if these have at most a
 * quarter more lanes than there are in narrow vectors, which counts lanes without a track. So a clip
 * fills more than half of a wide vector, and its padding is as wide. */
static uint32_t walk_lanes(const pm_clip_data *clip, const pm_plan_device *device) {
    const size_t tracks = clip->track_count;
    const uint32_t wide = device->lanes, narrow = device->narrow_lanes;
    const size_t in_wide = (tracks + wide - 1) / wide * wide;
    const size_t in_narrow = (tracks + narrow - 1) / narrow * narrow;
    return 4 * in_wide <= 5 * in_narrow ? wide : narrow;
}

bool pm_plan_has_common_times(const pm_sample_request *request, unsigned output) {
    return request->clip->common_timeline && !request->tracks && pm_outputs[output].order == 0;
}

/* Whether an output is computed by the kernel `walk`, whose work-items walk along segments. */
static bool walks(const pm_sample_request *request, unsigned output, const pm_plan_device *device) {
    return pm_plan_has_common_times(request, output) &&
           request->clip->track_count >= device->narrow_lanes;
}

/* Walks in lanes locate uniform samples themselves. */
static bool reads_cursors(const pm_sample_plan *plan, const pm_sample_request *request,
                          unsigned output) {
    return request->lowpass || !walks(request, output, plan->device) ||
           walk_lanes(request->clip, plan->device) == 1 || !plan->locates;
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
    if (plan->sorted && samples > PM_SORTED_PIECE)
        samples = PM_SORTED_PIECE;
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
                           .sorted = device->on_host ? request->sorted_outputs & outputs : 0,
                           .locates = !request->lowpass && request->map.scale > 0};
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (outputs >> o & 1 && !(plan.sorted >> o & 1) && reads_cursors(&plan, request, o))
            plan.reads_cursors = true;
    plan.piece_samples = piece_samples(&plan, request, bytes);
    return plan;
}

size_t pm_plan_pair_values(const pm_sample_plan *plan, const pm_sample_request *request) {
    size_t bytes = 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (plan->sorted >> o & 1) {
            const pm_pair_order order = pm_pair_order_of(request, o);
            const size_t own = pm_pair_room(&order, plan->piece_samples) *
                               pm_outputs[o].components * sizeof(float);
            bytes = own > bytes ? own : bytes;
        }
    return bytes;
}

static pm_step step_of(const char *file, const char *curve, unsigned components, uint32_t lanes,
                       pm_key_format format) {
    pm_step step = {.variant = {.file = file,
                                .curve = curve,
                                .components = components,
                                .lanes = lanes,
                                .format = format}};
    step.parameters = pm_parameters_of(file, lanes, &step.parameter_count);
    return step;
}

/* Whether results exceed the caches, which could not hold them until they are read. */
static pm_u32 streams_past_caches(size_t values, unsigned components) {
    return values * components * sizeof(float) >= PM_MIN_STREAM_BYTES;
}

/* The groups of tracks (span) and samples (run) per work-item that walks, and the number of each. */
static void divide_walk(pm_step *step, size_t groups, const pm_plan_device *device) {
    pm_step_numbers *n = &step->numbers;
    n->span = device->all_tracks ? (pm_u32)groups : 1;
    step->items = (groups + n->span - 1) / n->span;
    const size_t items = (size_t)device->compute_units * ITEMS_PER_UNIT;
    size_t run = n->sample_count / ((items + step->items - 1) / step->items);
    run = run > device->max_run ? device->max_run : run;
    n->run = run < MIN_RUN ? MIN_RUN : (pm_u32)run;
    step->rows = (n->sample_count + n->run - 1) / n->run;
}

static pm_step walk_step(const pm_sample_plan *plan, const pm_sample_request *piece, unsigned o) {
    const pm_clip_data *clip = piece->clip;
    const pm_channel *channel = &clip->channels[pm_outputs[o].channel];
    const uint32_t lanes = walk_lanes(clip, plan->device);
    pm_step step = step_of("walk", pm_curves[channel->impl.curve].name, pm_outputs[o].components,
                           lanes, channel->format);
    step.grouping = PM_GROUPS_OF_ROWS;
    step.numbers.plane_floats = channel->layout[0].plane;
    step.numbers.track_count = (pm_u32)clip->track_count;
    step.numbers.sample_count = (pm_u32)piece->sample_count;
    step.numbers.streams =
        streams_past_caches(piece->sample_count * clip->track_count, pm_outputs[o].components);
    step.numbers.map = piece->map;
    divide_walk(&step, (clip->track_count + lanes - 1) / lanes, plan->device);
    return step;
}

static pm_step gather_step(const pm_sample_plan *plan, const pm_sample_request *piece, unsigned o) {
    static const char *const files[] = {"gather", "velocity", "acceleration"};
    const pm_clip_data *clip = piece->clip;
    const pm_channel *channel = &clip->channels[pm_outputs[o].channel];
    const uint32_t lanes = plan->device->narrow_lanes;
    const size_t values = piece->sample_count * piece->width;
    pm_step step = step_of(files[pm_outputs[o].order], pm_curves[channel->impl.curve].name,
                           pm_outputs[o].components, lanes, channel->format);
    step.items = (values + lanes - 1) / lanes;
    step.numbers.constant_floats = (pm_u32)(4 * clip->padded_tracks);
    step.numbers.track_count = (pm_u32)clip->track_count;
    step.numbers.sample_count = (pm_u32)piece->sample_count;
    step.numbers.value_count = (pm_u32)values;
    step.numbers.pairs = piece->tracks != NULL;
    step.numbers.parent = piece->parent_frame;
    step.numbers.streams = streams_past_caches(values, pm_outputs[o].components);
    return step;
}

/* Computes sorted pairs into the memory for their values. */
static pm_step sorted_step(const pm_sample_plan *plan, const pm_sample_request *piece, unsigned o,
                           size_t group_count) {
    const size_t values = group_count * PM_PAIR_GROUP;
    const pm_track_layout *layout = piece->clip->channels[pm_outputs[o].channel].layout;
    pm_step step = gather_step(plan, piece, o);
    step.variant.file = "gather_sorted";
    step.parameters = pm_parameters_of("gather_sorted", step.variant.lanes, &step.parameter_count);
    step.items = values / step.variant.lanes;
    step.numbers.row_floats = layout->row; /* all tracks have the same */
    step.numbers.plane_floats = layout->plane;
    step.numbers.value_count = (pm_u32)values;
    step.numbers.streams = streams_past_caches(values, pm_outputs[o].components);
    return step;
}

static pm_step lowpass_step(const pm_sample_plan *plan, const pm_sample_request *piece,
                            unsigned o) {
    const pm_clip_data *clip = piece->clip;
    const uint32_t lanes = plan->device->narrow_lanes;
    pm_step step = step_of("lowpass", "slerp", pm_outputs[o].components, lanes, PM_KEYS_FLOAT32);
    step.items = piece->sample_count * ((clip->track_count + lanes - 1) / lanes);
    step.numbers.row_floats = clip->channels[pm_outputs[o].channel].layout[0].row;
    step.numbers.taps = piece->lowpass->taps;
    step.numbers.track_count = (pm_u32)clip->track_count;
    step.numbers.sample_count = (pm_u32)piece->sample_count;
    return step;
}

/* Puts the values of sorted pairs into the order of the job. */
static pm_step restore_step(const pm_sample_plan *plan, const pm_sample_request *piece,
                            unsigned o) {
    const pm_pair_order order = pm_pair_order_of(piece, o);
    const uint32_t lanes = plan->device->narrow_lanes;
    pm_step step = step_of("restore", "slerp", pm_outputs[o].components, lanes, PM_KEYS_FLOAT32);
    step.items = (piece->sample_count + lanes - 1) / lanes;
    step.numbers.value_count = (pm_u32)piece->sample_count;
    step.numbers.block_room = (pm_u32)order.block_room;
    step.numbers.streams = streams_past_caches(piece->sample_count, pm_outputs[o].components);
    return step;
}

bool pm_plan_locate(const pm_sample_plan *plan, const pm_sample_request *piece, pm_step *step) {
    if (!plan->reads_cursors || !plan->locates)
        return false;
    *step = step_of("locate", "slerp", 4, 1, PM_KEYS_FLOAT32);
    step->items = piece->sample_count;
    step->numbers.sample_count = (pm_u32)piece->sample_count;
    step->numbers.map = piece->map;
    return true;
}

size_t pm_plan_output(const pm_sample_plan *plan, const pm_sample_request *piece, unsigned output,
                      size_t group_count, pm_step steps[PM_OUTPUT_STEPS]) {
    if (piece->lowpass) {
        steps[0] = lowpass_step(plan, piece, output);
        return 1;
    }
    if (plan->sorted >> output & 1) {
        steps[0] = sorted_step(plan, piece, output, group_count);
        steps[1] = restore_step(plan, piece, output);
        return 2;
    }
    steps[0] = walks(piece, output, plan->device) ? walk_step(plan, piece, output)
                                                  : gather_step(plan, piece, output);
    return 1;
}

size_t pm_plan_sample_variants(const pm_sample_plan *plan, const pm_sample_request *request,
                               pm_variant variants[PM_SAMPLE_VARIANTS]) {
    pm_step steps[PM_OUTPUT_STEPS];
    size_t count = 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        if (!(plan->outputs >> o & 1))
            continue;
        const size_t own = pm_plan_output(plan, request, o, 0, steps);
        for (size_t i = 0; i < own; i++)
            variants[count++] = steps[i].variant;
    }
    if (pm_plan_locate(plan, request, &steps[0]))
        variants[count++] = steps[0].variant;
    return count;
}
