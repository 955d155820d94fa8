/* SPDX-License-Identifier: MIT
 *
 * The launches that build a clip on a device.
 */
#include "clip_plan.h"

#include <string.h>

/* Of a description for kernels, whose work-items are numbered in 32 bits; and bytes of memory that rates are found
 * in, which any device can allocate. */
enum { MOST_TRACKS = 1 << 24, MOST_ITEMS = 1 << 30, SOLVER_BYTES = 1 << 27 };

/* ---- what is sent ---- */

const pm_array *pm_build_array_of(const pm_clip_desc *desc, unsigned channel, unsigned array) {
    const pm_method_impl impl = pm_channel_impl(desc, channel);
    if (array == PM_ARRAY_KEYS || impl.both_tangents)
        return pm_channel_array(desc, channel, array);
    return array == PM_ARRAY_IN && impl.user_tangents && pm_takes_user_tangents(desc)
               ? &desc->user_tangents
               : NULL;
}

static unsigned components_of(const pm_clip_desc *desc, unsigned channel, const pm_array *array) {
    return array == &desc->user_tangents ? 3 : pm_channel_components(channel);
}

/* Numbers from a key to the next. */
static size_t stride_of(const pm_clip_desc *desc, unsigned components, const pm_array *array) {
    if (array->stride)
        return array->stride / pm_number_size(array->type);
    return pm_timeline_count(desc) > 1 ? components : components * pm_array_tracks(desc, array);
}

static bool is_dense(const pm_clip_desc *desc, unsigned components, const pm_array *array) {
    const size_t size = pm_number_size(array->type);
    return array->stride % size == 0 &&
           array->stride <= 2 * size * components * pm_array_tracks(desc, array);
}

static bool builds_channel(const pm_clip_desc *desc, unsigned channel) {
    const pm_builder builder = pm_channel_impl(desc, channel).segments;
    bool builds = channel != PM_ROTATIONS || !pm_is_coded(desc);
    for (unsigned a = 0; builds && a < PM_ARRAY_COUNT; a++) {
        const pm_array *array = pm_build_array_of(desc, channel, a);
        builds = !array || is_dense(desc, components_of(desc, channel, array), array);
    }
    if (builder == PM_BUILD_sterp)
        builds = builds && desc->axes.stride % pm_number_size(desc->axes.type) == 0;
    return builds;
}

bool pm_plan_builds(const pm_clip_desc *desc) {
    bool builds = desc->track_count <= MOST_TRACKS;
    for (unsigned c = 0; builds && c < PM_CHANNEL_COUNT; c++)
        builds = !pm_channel_array(desc, c, PM_ARRAY_KEYS)->data || builds_channel(desc, c);
    return builds;
}

/* Keys of the tracks before a track, where tracks have timelines of their own. */
static size_t rows_before(const pm_clip_desc *desc, size_t track) {
    size_t rows = 0;
    for (size_t t = 0; t < track; t++)
        rows += pm_timeline_of_track(desc, t)->key_count;
    return rows;
}

pm_source pm_build_source(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned channel,
                          unsigned a) {
    const pm_array *array = pm_build_array_of(desc, channel, a);
    if (!array || !array->data)
        return (pm_source){0};
    const unsigned n = components_of(desc, channel, array);
    const size_t last = clip->track_count - 1;
    const size_t keys = pm_clip_timeline_of(clip, last)->key_count;
    const size_t numbers = clip->common_timeline ? (keys - 1) * stride_of(desc, n, array) +
                                                       n * pm_array_tracks(desc, array)
                                                 : (rows_before(desc, last) + keys) * n;
    return (pm_source){.data = array->data, .bytes = numbers * pm_number_size(array->type)};
}

uint64_t pm_build_bytes(const pm_clip_desc *desc, const pm_clip_data *clip) {
    uint64_t bytes = (clip->rate_count + clip->timeline_count) * sizeof(double);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        for (unsigned a = 0; clip->channels[c].present && a < PM_ARRAY_COUNT; a++)
            bytes += pm_build_source(desc, clip, c, a).bytes;
    return bytes;
}

/* ---- tables ---- */

static void fill_times(pm_build_plan *plan) {
    const pm_clip_data *clip = plan->clip;
    double *to = plan->times;
    for (size_t i = 0; i < clip->timeline_count; i++) {
        const size_t count = clip->timelines[i].segment_count + 1;
        memcpy(to, clip->timelines[i].times, count * sizeof *to);
        to += count;
    }
}

static void fill_track(const pm_build_plan *plan, size_t t, size_t row, size_t given,
                       pm_build_track *to) {
    const pm_clip_data *clip = plan->clip;
    const pm_clip_timeline *timeline = pm_clip_timeline_of(clip, t);
    const pm_track_layout *layout = &clip->channels[plan->channel].layout[t];
    *to = (pm_build_track){.item = clip->common_timeline ? t : row,
                           .planes = layout->first,
                           .times = timeline->rates + clip->timeline_of[t],
                           .row = layout->row,
                           .plane = layout->plane,
                           .key_count = (pm_u32)timeline->key_count,
                           .segment_count = (pm_u32)timeline->segment_count,
                           .loop = timeline->loop};
    to->closes = given > timeline->key_count;
}

static pm_status make_tables(const pm_clip_desc *desc, pm_build_plan *plan, pm_error *error) {
    const pm_clip_data *clip = plan->clip;
    const bool builds = clip->channels[plan->channel].impl.segments != PM_BUILD_nothing;
    size_t row = 0;
    plan->time_count = clip->rate_count + clip->timeline_count;
    plan->tracks = pm_allocate_zeroed(clip->host, clip->track_count, sizeof *plan->tracks);
    plan->times = pm_allocate_zeroed(clip->host, plan->time_count, sizeof *plan->times);
    if (!plan->tracks || !plan->times)
        return pm_fail_memory(error);
    fill_times(plan);
    for (size_t t = 0; t < clip->track_count; t++) {
        const pm_clip_timeline *timeline = pm_clip_timeline_of(clip, t);
        const size_t chunks = (timeline->key_count + PM_SIGN_CHUNK - 1) / PM_SIGN_CHUNK;
        const size_t given = pm_timeline_of_track(desc, t)->key_count;
        fill_track(plan, t, row, given, &plan->tracks[t]);
        row += given;
        plan->chunks = chunks > plan->chunks ? chunks : plan->chunks;
        if (builds && timeline->segment_count > plan->segments)
            plan->segments = timeline->segment_count;
        if (timeline->key_count > plan->keys)
            plan->keys = timeline->key_count;
    }
    plan->rows = row;
    return PM_OK;
}

/* Memory for rates, one of each key, and for finding them. */
static void plan_rates(pm_build_plan *plan) {
    const pm_clip_data *clip = plan->clip;
    const pm_builder builder = clip->channels[plan->channel].impl.segments;
    if (builder == PM_BUILD_spline) {
        plan->solved_keys = plan->keys < PM_LEAST_RANGED ? plan->keys : PM_LEAST_RANGED;
        plan->ranges = pm_ranges_of((pm_u32)plan->keys);
        plan->job.solver_bytes = plan->solved_keys * PM_SPLINE_KEY_BYTES;
    } else if (builder == PM_BUILD_vector_spline) {
        plan->solved_keys = plan->keys;
        plan->ranges = 1;
        plan->job.solver_bytes = plan->keys * PM_VECTOR_SPLINE_KEY_BYTES;
    }
    if (plan->ranges > 0)
        plan->job.in = (pm_build_array){3 * (clip->common_timeline ? clip->track_count : 1), true};
}

static pm_build_array array_for(const pm_clip_desc *desc, unsigned channel, unsigned a) {
    const pm_array *array = pm_build_array_of(desc, channel, a);
    if (!array)
        return (pm_build_array){0};
    return (pm_build_array){stride_of(desc, components_of(desc, channel, array), array),
                            array->type == PM_FLOAT64};
}

static pm_build_array axes_for(const pm_clip_desc *desc) {
    const size_t stride =
        desc->axes.stride ? desc->axes.stride / pm_number_size(desc->axes.type) : 3;
    return (pm_build_array){desc->axis_count > 1 ? stride : 0, desc->axes.type == PM_FLOAT64};
}

pm_status pm_build_plan_make(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned c,
                             pm_build_plan *plan, pm_error *error) {
    const pm_channel *channel = &clip->channels[c];
    *plan = (pm_build_plan){.clip = clip, .channel = c};
    plan->job = (pm_build_job){.rules = pm_build_rules_of(desc),
                               .keys = array_for(desc, c, PM_ARRAY_KEYS),
                               .in = array_for(desc, c, PM_ARRAY_IN),
                               .out = array_for(desc, c, PM_ARRAY_OUT),
                               .axes = axes_for(desc),
                               .track_count = (pm_u32)clip->track_count,
                               .unrolls = c == PM_ROTATIONS && !channel->impl.keeps_keys,
                               .keeps_length = channel->impl.keeps_keys,
                               .four_keys = pm_curves[channel->impl.curve].four_keys};
    const pm_status status = make_tables(desc, plan, error);
    plan_rates(plan);
    return status;
}

void pm_build_plan_check(const pm_clip_desc *desc, pm_build_plan *plan) {
    const pm_array *in = pm_build_array_of(desc, plan->channel, PM_ARRAY_IN);
    plan->job.checks = !in                          ? PM_CHECKS_KEYS
                       : in == &desc->user_tangents ? PM_CHECKS_USER
                                                    : PM_CHECKS_IN_OUT;
}

void pm_build_plan_free(pm_build_plan *plan) {
    pm_release(plan->tracks);
    pm_release(plan->times);
}

/* ---- launches ---- */

/* The kernels in their order; a work-item for each track and row. */
enum {
    BUILD_CHECK,
    BUILD_STEPS,
    BUILD_SIGNS,
    BUILD_KEYS,
    BUILD_ENDS,
    BUILD_RATES,
    BUILD_SEGMENTS,
    KERNELS
};
static const char *const files[KERNELS] = {"build_check",   "build_steps", "build_signs",
                                           "build_keys",    "build_ends",  "build_rates",
                                           "build_segments"};

/* PM_METHOD of build_segments. */
static const char *const builder_names[] = {[PM_BUILD_nothing] = "squad",
#define PM_BUILDER_NAME(name) [PM_BUILD_##name] = #name,
                                            PM_BUILDERS(PM_BUILDER_NAME)
#undef PM_BUILDER_NAME
};

/* 0: the channel does not need the kernel. */
static size_t rows_of(const pm_build_plan *plan, unsigned k) {
    const bool unrolls = plan->job.unrolls;
    const size_t rows[KERNELS] = {[BUILD_CHECK] = plan->job.checks ? plan->chunks : 0,
                                  [BUILD_STEPS] = unrolls ? plan->chunks : 0,
                                  [BUILD_SIGNS] = unrolls ? 1 : 0,
                                  [BUILD_KEYS] = plan->chunks,
                                  [BUILD_ENDS] = 1,
                                  [BUILD_RATES] = plan->ranges,
                                  [BUILD_SEGMENTS] = plan->segments};
    return rows[k];
}

static size_t items_of(const pm_build_plan *plan, unsigned k) {
    return rows_of(plan, k) * plan->job.track_count;
}

/* The most work-items of a launch, from the work of one in rotations. */
static size_t limit_of(const pm_build_plan *plan, const pm_plan_device *device, unsigned k) {
    const size_t work[KERNELS] = {
        [BUILD_CHECK] = PM_SIGN_CHUNK,       [BUILD_STEPS] = PM_SIGN_CHUNK,
        [BUILD_SIGNS] = PM_SIGN_CHUNK,       [BUILD_KEYS] = PM_SIGN_CHUNK,
        [BUILD_ENDS] = PM_WORK_OF_VALUE,     [BUILD_RATES] = plan->solved_keys * PM_WORK_OF_MOTION,
        [BUILD_SEGMENTS] = PM_WORK_OF_MOTION};
    size_t limit = pm_plan_launch_limit(device, work[k]);
    if (k == BUILD_RATES && limit > SOLVER_BYTES / plan->job.solver_bytes)
        limit = SOLVER_BYTES / plan->job.solver_bytes;
    limit = limit < MOST_ITEMS ? limit : MOST_ITEMS;
    return limit ? limit : 1;
}

size_t pm_build_memory(const pm_build_plan *plan, const pm_plan_device *device, pm_memory memory) {
    if (memory == PM_MEMORY_SIGNS)
        return plan->job.unrolls ? plan->chunks * plan->job.track_count : 1;
    if (plan->ranges == 0)
        return 0;
    if (memory == PM_MEMORY_TANGENTS_IN)
        return plan->rows * 3 * sizeof(double);
    const size_t items = items_of(plan, BUILD_RATES), most = limit_of(plan, device, BUILD_RATES);
    return (items < most ? items : most) * plan->job.solver_bytes;
}

bool pm_plan_build_step(const pm_build_plan *plan, const pm_plan_device *device,
                        pm_build_position *at, pm_step *step) {
    while (at->kernel < KERNELS && at->first >= items_of(plan, at->kernel))
        *at = (pm_build_position){.kernel = at->kernel + 1};
    if (at->kernel == KERNELS)
        return false;
    const pm_channel *channel = &plan->clip->channels[plan->channel];
    const size_t most = limit_of(plan, device, at->kernel), tracks = plan->job.track_count;
    const size_t left = items_of(plan, at->kernel) - at->first;
    const pm_builder builder =
        at->kernel == BUILD_SEGMENTS ? channel->impl.segments : PM_BUILD_nothing;
    *step = (pm_step){.variant = {.file = files[at->kernel],
                                  .curve = builder_names[builder],
                                  .components = channel->components,
                                  .format = channel->format},
                      .items = left < most ? left : most};
    step->parameters = pm_parameters_of(step->variant.file, &step->parameter_count);
    step->numbers.build = plan->job;
    step->numbers.build.first = (pm_u32)(at->first / tracks);
    step->numbers.build.skipped = (pm_u32)(at->first % tracks);
    step->numbers.build.count = (pm_u32)step->items;
    at->first += step->items;
    return true;
}
