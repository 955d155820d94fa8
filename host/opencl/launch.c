/* SPDX-License-Identifier: MIT
 *
 * Launching kernels: selecting the kernel for a piece, its arguments and its work size.
 */
#include "device.h"

/* Maximum values per launch: kernels count values in 32 bits, and work sizes are rounded up. */
static const size_t max_values = (size_t)1 << 30;

/* MIN_RUN: samples per work-item of `walk`, below which it loads segments too often.
 * ITEMS_PER_UNIT: work-items per compute unit that a launch should have; runs are shortened to
 * reach it. The launch configuration has the maximum run. */
enum { MIN_RUN = 16, ITEMS_PER_UNIT = 16 };

size_t pm_cl_launch_limit(const pm_opencl_device *cl, size_t work) {
    const size_t limit = cl->launch_work / work;
    return limit ? limit : 1;
}

size_t pm_cl_piece_samples(const pm_opencl_device *cl, const pm_sample_request *request,
                           uint64_t bytes, bool moves) {
    const size_t limit = pm_cl_launch_limit(cl, moves ? PM_WORK_OF_MOTION : PM_WORK_OF_VALUE);
    size_t values = bytes / (4 * sizeof(float)) < max_values ? (size_t)(bytes / (4 * sizeof(float)))
                                                             : max_values;
    values = values < limit ? values : limit;
    size_t samples = values / request->width;
    return samples ? samples : 1;
}

/* ---- selecting programs ---- */

static const pm_variant locate_variant = {
    .file = "locate", .curve = "slerp", .components = 4, .lanes = 1, .format = PM_KEYS_FLOAT32};

/* Walks compute whole vectors of tracks, which are as wide as the configuration says unless over a
 * fifth more lanes would be empty than in narrow ones. So a clip fills more than half of a wide vector,
 * and its padding is as wide. */
static uint32_t walk_lanes(const pm_opencl_clip *clip) {
    pm_opencl_device *cl = pm_opencl_of(clip->clip.device);
    const size_t tracks = clip->clip.data->track_count;
    const uint32_t wide = pm_cl_lanes(cl), narrow = pm_cl_narrow_lanes(cl);
    const size_t in_wide = (tracks + wide - 1) / wide * wide;
    const size_t in_narrow = (tracks + narrow - 1) / narrow * narrow;
    return 4 * in_wide <= 5 * in_narrow ? wide : narrow;
}

/* Whether an output is computed by the kernel `walk`, whose work-items walk along segments. */
static bool walks(const pm_opencl_clip *clip, const pm_output *output, bool pairs) {
    const pm_clip_data *data = clip->clip.data;
    return data->common_timeline && !pairs && output->order == 0 &&
           data->track_count >= pm_cl_narrow_lanes(pm_opencl_of(clip->clip.device));
}

bool pm_cl_takes_cursors(const pm_opencl_clip *clip, const pm_sample_request *request, unsigned o) {
    pm_uniform_map map;
    return walk_lanes(clip) == 1 || !walks(clip, &pm_outputs[o], request->tracks != NULL) ||
           !pm_sample_uniform_map(request, &map);
}

/* `restore`, for values of `components` floats. */
static pm_variant restore_variant(pm_opencl_device *cl, unsigned components) {
    return (pm_variant){.file = "restore",
                        .curve = "slerp",
                        .components = components,
                        .lanes = pm_cl_narrow_lanes(cl),
                        .format = PM_KEYS_FLOAT32};
}

static pm_variant variant_of(const pm_opencl_clip *clip, const pm_output *output, bool walk) {
    const pm_channel *channel = &clip->clip.data->channels[output->channel];
    static const char *const files[] = {"gather", "velocity", "acceleration"};
    return (pm_variant){.file = walk ? "walk" : files[output->order],
                        .curve = pm_curves[channel->impl.curve].name,
                        .components = output->components,
                        .lanes = walk ? walk_lanes(clip)
                                      : pm_cl_narrow_lanes(pm_opencl_of(clip->clip.device)),
                        .format = channel->format};
}

size_t pm_cl_request_variants(const pm_opencl_clip *clip, const pm_sample_request *request,
                              pm_variant variants[PM_CL_REQUEST_VARIANTS]) {
    const bool pairs = request->tracks != NULL;
    pm_opencl_device *cl = pm_opencl_of(clip->clip.device);
    const unsigned sorted = pm_cl_sorts(cl) ? request->sorted_outputs : 0;
    pm_uniform_map map;
    bool takes_cursors = false;
    size_t count = 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        if (!request->outputs[o])
            continue;
        takes_cursors = takes_cursors || pm_cl_takes_cursors(clip, request, o);
        pm_variant *variant = &variants[count++];
        *variant = variant_of(clip, &pm_outputs[o], walks(clip, &pm_outputs[o], pairs));
        if (sorted >> o & 1) {
            variant->file = "gather_sorted";
            variants[count++] = restore_variant(cl, pm_outputs[o].components);
        }
    }
    if (takes_cursors && pm_sample_uniform_map(request, &map))
        variants[count++] = locate_variant;
    return count;
}

/* ---- launching ---- */

typedef struct argument {
    size_t size;
    const void *value;
} argument;

#define PM_ARGUMENT(value)                                                                         \
    { sizeof(value), &(value) }

/* A launch of one kernel. `rows` is 0 for work of one dimension. */
typedef struct kernel_launch {
    const pm_variant *variant;
    const argument *arguments;
    size_t argument_count;
    size_t items, rows; /* work-items of each dimension */
} kernel_launch;

static pm_status make_kernel(pm_opencl_device *cl, const kernel_launch *k, pm_made_kernel *made,
                             pm_error *error) {
    cl_int code = CL_SUCCESS;
    pm_status status = pm_cl_kernel(cl, k->variant, made, error);
    if (status != PM_OK)
        return status;
    for (cl_uint i = 0; code == CL_SUCCESS && i < k->argument_count; i++)
        code = clSetKernelArg(made->kernel, i, k->arguments[i].size, k->arguments[i].value);
    if (code == CL_SUCCESS)
        return PM_OK;
    clReleaseKernel(made->kernel);
    return pm_cl_fail(error, code, "clSetKernelArg");
}

/* Groups of work with rows are no larger than its items; other work has many items. */
static size_t group_of(const kernel_launch *k, size_t max_group) {
    if (k->rows == 0)
        return max_group;
    return k->items > 1 ? pm_cl_group_size(k->items, max_group) : 1;
}

static pm_status launch_kernel(pm_opencl_device *cl, const kernel_launch *k, const pm_cl_wait *wait,
                               cl_event *done, pm_error *error) {
    pm_made_kernel made;
    pm_status status = make_kernel(cl, k, &made, error);
    if (status != PM_OK)
        return status;
    const size_t group = group_of(k, made.max_group);
    const size_t groups[2] = {group, 1};
    const size_t size[2] = {(k->items + group - 1) / group * group, k->rows};
    cl_int code =
        clEnqueueNDRangeKernel(wait->queue, made.kernel, k->rows ? 2 : 1, NULL, size, groups,
                               wait->count, wait->count ? wait->events : NULL, done);
    clReleaseKernel(made.kernel);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clEnqueueNDRangeKernel");
}

pm_status pm_cl_marker(const pm_cl_wait *wait, cl_event *done, pm_error *error) {
    cl_int code = clEnqueueMarkerWithWaitList(wait->queue, wait->count,
                                              wait->count ? wait->events : NULL, done);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
}

/* Whether a launch's results exceed a core's caches. */
static cl_uint streams_past_caches(const pm_launch *l, size_t values) {
    return values * l->output->components * sizeof(float) >= PM_MIN_STREAM_BYTES;
}

/* The groups of tracks (span) and samples (run) per work-item, and the number of each. */
typedef struct walk_size {
    cl_uint span, run;
    size_t spans, runs;
} walk_size;

static walk_size walk_size_of(pm_opencl_device *cl, size_t groups, size_t samples) {
    const pm_launch_config *config = &cl->config;
    walk_size s = {.span = config->all_tracks ? (cl_uint)groups : 1};
    s.spans = (groups + s.span - 1) / s.span;
    size_t items = (size_t)cl->device.info.compute_units * ITEMS_PER_UNIT;
    size_t run = samples / ((items + s.spans - 1) / s.spans);
    run = run > config->max_run ? config->max_run : run;
    s.run = run < MIN_RUN ? MIN_RUN : (cl_uint)run;
    s.runs = (samples + s.run - 1) / s.run;
    return s;
}

static pm_status launch_walk(const pm_launch *l, const pm_cl_wait *wait, cl_event *done,
                             pm_error *error) {
    const pm_opencl_clip *clip = l->clip;
    const pm_clip_data *data = clip->clip.data;
    pm_opencl_device *cl = pm_opencl_of(clip->clip.device);
    const pm_channel *channel = &data->channels[l->output->channel];
    pm_variant variant = variant_of(clip, l->output, true);
    cl_uint lanes = variant.lanes;
    size_t groups = (data->track_count + lanes - 1) / lanes;
    cl_uint plane = channel->layout[0].plane;
    cl_uint tracks = (cl_uint)data->track_count;
    cl_uint samples = (cl_uint)l->sample_count;
    walk_size config = walk_size_of(cl, groups, l->sample_count);
    cl_uint streams = streams_past_caches(l, l->sample_count * data->track_count);
    cl_ulong offset = l->values_offset;
    const argument arguments[] = {PM_ARGUMENT(clip->channels[l->output->channel].keys),
                                  PM_ARGUMENT(clip->channels[l->output->channel].constants),
                                  PM_ARGUMENT(clip->wraps),
                                  PM_ARGUMENT(l->cursors),
                                  PM_ARGUMENT(l->values),
                                  PM_ARGUMENT(offset),
                                  PM_ARGUMENT(plane),
                                  PM_ARGUMENT(tracks),
                                  PM_ARGUMENT(samples),
                                  PM_ARGUMENT(config.span),
                                  PM_ARGUMENT(config.run),
                                  PM_ARGUMENT(streams),
                                  PM_ARGUMENT(l->map)}; /* with lanes */
    const size_t count = sizeof arguments / sizeof *arguments - (lanes == 1 ? 1 : 0);
    const kernel_launch k = {&variant, arguments, count, config.spans, config.runs};
    return launch_kernel(cl, &k, wait, done, error);
}

static pm_status launch_gather(const pm_launch *l, const pm_cl_wait *wait, cl_event *done,
                               pm_error *error) {
    const pm_opencl_clip *clip = l->clip;
    const pm_clip_data *data = clip->clip.data;
    pm_opencl_device *cl = pm_opencl_of(clip->clip.device);
    pm_variant variant = variant_of(clip, l->output, false);
    cl_uint lanes = variant.lanes;
    cl_uint constants = (cl_uint)(4 * data->padded_tracks);
    cl_uint tracks = (cl_uint)data->track_count;
    cl_uint samples = (cl_uint)l->sample_count;
    size_t value_count = l->sample_count * (l->pairs ? 1 : data->track_count);
    cl_uint values = (cl_uint)value_count;
    cl_uint pairs = l->pairs;
    cl_uint parent = l->parent;
    cl_uint streams = streams_past_caches(l, value_count);
    cl_ulong offset = l->values_offset;
    const argument arguments[] = {PM_ARGUMENT(clip->channels[l->output->channel].keys),
                                  PM_ARGUMENT(clip->channels[l->output->channel].constants),
                                  PM_ARGUMENT(clip->channels[l->output->channel].layout),
                                  PM_ARGUMENT(l->cursors),
                                  {sizeof(cl_mem), l->pairs ? &l->tracks : &l->cursors},
                                  PM_ARGUMENT(l->values),
                                  PM_ARGUMENT(offset),
                                  PM_ARGUMENT(constants),
                                  PM_ARGUMENT(tracks),
                                  PM_ARGUMENT(samples),
                                  PM_ARGUMENT(values),
                                  PM_ARGUMENT(pairs),
                                  PM_ARGUMENT(clip->rates),
                                  PM_ARGUMENT(parent),
                                  PM_ARGUMENT(streams)};
    const kernel_launch k = {&variant, arguments, sizeof arguments / sizeof *arguments,
                             (value_count + lanes - 1) / lanes, 0};
    return launch_kernel(cl, &k, wait, done, error);
}

/* Computes sorted pairs into the memory for their values. */
static pm_status launch_gather_sorted(const pm_launch *l, const pm_cl_wait *wait, cl_event *done,
                                      pm_error *error) {
    const pm_opencl_clip *clip = l->clip;
    const pm_clip_data *data = clip->clip.data;
    pm_opencl_device *cl = pm_opencl_of(clip->clip.device);
    const pm_track_layout *layout = data->channels[l->output->channel].layout;
    const pm_cl_pairs *sorted = l->sorted;
    pm_variant variant = variant_of(clip, l->output, false);
    variant.file = "gather_sorted";
    cl_uint row = layout->row, plane = layout->plane; /* all tracks have the same */
    cl_uint constants = (cl_uint)(4 * data->padded_tracks);
    size_t value_count = sorted->group_count * PM_PAIR_GROUP;
    cl_uint values = (cl_uint)value_count;
    cl_uint streams = streams_past_caches(l, value_count);
    const argument arguments[] = {
        PM_ARGUMENT(clip->channels[l->output->channel].keys),
        PM_ARGUMENT(clip->channels[l->output->channel].constants),
        PM_ARGUMENT(sorted->pairs),
        {sizeof(cl_mem), sorted->tracks ? &sorted->tracks : &sorted->places},
        PM_ARGUMENT(sorted->groups),
        PM_ARGUMENT(l->sorted_values),
        PM_ARGUMENT(row),
        PM_ARGUMENT(plane),
        PM_ARGUMENT(constants),
        PM_ARGUMENT(values),
        PM_ARGUMENT(streams)};
    const kernel_launch k = {&variant, arguments, sizeof arguments / sizeof *arguments,
                             value_count / variant.lanes, 0};
    return launch_kernel(cl, &k, wait, done, error);
}

/* Puts the values of sorted pairs into the order of the job. */
static pm_status launch_restore(const pm_launch *l, const pm_cl_wait *wait, cl_event *done,
                                pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(l->clip->clip.device);
    const pm_variant variant = restore_variant(cl, l->output->components);
    cl_uint values = (cl_uint)l->sample_count;
    cl_uint streams = streams_past_caches(l, l->sample_count);
    cl_ulong offset = l->values_offset;
    cl_uint block_room = (cl_uint)l->sorted->block_room;
    const argument arguments[] = {PM_ARGUMENT(l->sorted_values), PM_ARGUMENT(l->sorted->places),
                                  PM_ARGUMENT(l->values),        PM_ARGUMENT(offset),
                                  PM_ARGUMENT(values),           PM_ARGUMENT(block_room),
                                  PM_ARGUMENT(streams)};
    const kernel_launch k = {&variant, arguments, sizeof arguments / sizeof *arguments,
                             (l->sample_count + variant.lanes - 1) / variant.lanes, 0};
    return launch_kernel(cl, &k, wait, done, error);
}

static pm_status launch_sorted(const pm_launch *l, const pm_cl_wait *wait, cl_event *done,
                               pm_error *error) {
    cl_event gathered;
    pm_status status = launch_gather_sorted(l, wait, &gathered, error);
    if (status != PM_OK)
        return status;
    const pm_cl_wait after = {wait->queue, &gathered, 1};
    status = launch_restore(l, &after, done, error);
    clReleaseEvent(gathered);
    return status;
}

pm_status pm_cl_launch(const pm_launch *launch, const pm_cl_wait *wait, cl_event *done,
                       pm_error *error) {
    if (launch->sorted)
        return launch_sorted(launch, wait, done, error);
    return walks(launch->clip, launch->output, launch->pairs)
               ? launch_walk(launch, wait, done, error)
               : launch_gather(launch, wait, done, error);
}

pm_status pm_cl_launch_locate(pm_opencl_device *cl, const pm_uniform_map *map, size_t count,
                              cl_mem cursors, cl_command_queue queue, cl_event *done,
                              pm_error *error) {
    const pm_cl_wait wait = {.queue = queue};
    cl_uint samples = (cl_uint)count;
    const argument arguments[] = {PM_ARGUMENT(cursors), PM_ARGUMENT(*map), PM_ARGUMENT(samples)};
    const kernel_launch k = {&locate_variant, arguments, sizeof arguments / sizeof *arguments,
                             count, 0};
    return launch_kernel(cl, &k, &wait, done, error);
}
