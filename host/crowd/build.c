/* SPDX-License-Identifier: MIT
 *
 * Checks a crowd's clips, and builds them into the crowd's planes.
 */
#include "layout.h"

#include "base/base.h"

/* All clips of a crowd are evaluated by the same kernel. */
static pm_status check_alike(const pm_crowd_desc *desc, size_t i, pm_error *error) {
    const pm_clip_desc *a = &desc->clips[0], *b = &desc->clips[i];
    const char *what = NULL;
    if (!b->rotations.data)
        return pm_fail(error, PM_ERROR_ARGUMENT, "rotations.data is NULL");
    if (a->method != b->method)
        what = "method";
    else if (pm_vector_impl(a).curve != pm_vector_impl(b).curve)
        what = "vector_method";
    else if (a->key_format != b->key_format)
        what = "key_format";
    else if (!a->positions.data != !b->positions.data)
        what = "the presence of positions";
    else if (a->root_positions != b->root_positions)
        what = "root_positions";
    else if (a->root_rotations != b->root_rotations)
        what = "root_rotations";
    else if (!a->scales.data != !b->scales.data)
        what = "the presence of scales";
    return what ? pm_fail(error, PM_ERROR_ARGUMENT, "the clip differs from clips[0] in %s", what)
                : PM_OK;
}

static pm_status check_scalars(const pm_clip_desc *clip, const pm_skeleton *skeleton,
                               pm_error *error) {
    const size_t count = pm_scalar_count(clip);
    if (count != skeleton->hinge_count || !clip->scalars != !count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "scalars: expected those of %zu hinges, found %zu",
                       skeleton->hinge_count, count);
    if (count == 0)
        return PM_OK;
    const char *missing = !clip->scalars->keys.data                        ? "keys"
                          : !clip->root_positions || !clip->positions.data ? "root_positions"
                          : pm_timeline_count(clip) > 1                    ? "one timeline"
                                                                           : NULL;
    if (missing)
        return pm_fail(error, PM_ERROR_ARGUMENT, "scalars: require %s", missing);
    return PM_CHECK_NEXT(pm_scalars, clip->scalars, error);
}

static pm_status check_clip(const pm_crowd_desc *desc, size_t i, pm_error *error) {
    const pm_skeleton *skeleton = desc->skeleton;
    const pm_clip_desc *clip = &desc->clips[i];
    const pm_status scalars = check_scalars(clip, skeleton, error);
    if (scalars != PM_OK)
        return scalars;
    if (clip->root_rotations &&
        (!skeleton->hinges || clip->rotations.type == PM_CODED || pm_takes_user_tangents(clip)))
        return pm_fail(error, PM_ERROR_ARGUMENT, "root_rotations: %s",
                       skeleton->hinges ? "codes and the tangents are those of all joints"
                                        : "the skeleton has no hinges");
    if (clip->track_count != skeleton->joint_count)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the number of tracks is %zu, expected the %zu joints of the skeleton",
                       clip->track_count, skeleton->joint_count);
    const pm_status status = pm_clip_check_joints(clip, skeleton->order[0], error);
    return status == PM_OK ? check_alike(desc, i, error) : status;
}

static pm_status check_counts(const pm_crowd_desc *desc, pm_error *error) {
    if (!desc->skeleton || !desc->clips)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       desc->skeleton ? "clips" : "skeleton");
    if (desc->clip_count == 0 || desc->clip_count >= UINT32_MAX)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the number of clips is %zu, expected 1 to %u",
                       desc->clip_count, UINT32_MAX - 1);
    return PM_CHECK_NEXT(pm_crowd_desc, desc, error);
}

/* ---- threads ------------------------------------------------------------------------------- */

/* State shared by the threads that check or build clips. */
typedef struct construction {
    const pm_host *host;
    const pm_crowd_desc *desc;
    pm_crowd_data *crowd;
    size_t threads;           /* for each clip */
    pm_first_failure failure; /* of a clip */
} construction;

static pm_status run_on_clips(construction *c, size_t threads, size_t clips, pm_work work,
                              pm_error *error) {
    pm_first_failure_begin(&c->failure);
    const pm_status status = pm_run_pieces(c->host, threads, clips, work, c, error);
    pm_first_failure_end(&c->failure);
    if (c->failure.status == PM_OK)
        return status;
    if (error)
        *error = c->failure.error;
    return pm_crowd_name_clip(c->failure.item, c->failure.status, error);
}

/* Clips after the first, with which they are compared. */
static void check_items(void *context, pm_items *items) {
    construction *c = context;
    size_t i;
    while (pm_take_item(items, &i)) {
        pm_error error = {.status = PM_OK};
        const pm_status status = check_clip(c->desc, i + 1, &error);
        if (status != PM_OK)
            pm_first_failure_note(&c->failure, status, i + 1, &error);
    }
}

/* Starting a thread costs as much time as checking some small clips. */
static pm_status check(const pm_host *host, const pm_crowd_desc *desc, size_t threads,
                       pm_error *error) {
    enum { CLIPS_A_THREAD = 32 };
    const pm_host within = pm_host_within(host);
    construction c = {.host = &within, .desc = desc};
    pm_status status = check_counts(desc, error);
    if (status != PM_OK)
        return status;
    status = check_clip(desc, 0, error);
    if (status != PM_OK)
        return pm_crowd_name_clip(0, status, error);
    const size_t useful = 1 + desc->clip_count / CLIPS_A_THREAD;
    return run_on_clips(&c, useful < threads ? useful : threads, desc->clip_count - 1, check_items,
                        error);
}

/* ---- building ------------------------------------------------------------------------------ */

static pm_status lay_out(const pm_crowd_desc *desc, const pm_crowd_data *crowd, size_t i,
                         pm_clip_data **clip, pm_error *error) {
    return pm_clip_data_lay_out(&crowd->within, &desc->clips[i], crowd->skeleton->order, clip,
                                error);
}

/* Clips are laid out here and once more where they are built, because the layouts of all together would
 * take as much memory as their keys. */
static pm_status measure(const pm_crowd_desc *desc, pm_crowd_data *crowd, pm_error *error) {
    crowd->clips = pm_allocate_zeroed(crowd->host, crowd->clip_count, sizeof *crowd->clips);
    crowd->clip_ticks =
        pm_allocate_zeroed(crowd->host, crowd->clip_count, sizeof *crowd->clip_ticks);
    if (!crowd->clips || !crowd->clip_ticks)
        return pm_fail_memory(error);
    for (size_t i = 0; i < crowd->clip_count; i++) {
        pm_clip_data *clip = NULL;
        pm_status status = lay_out(desc, crowd, i, &clip, error);
        if (status == PM_OK)
            status = pm_crowd_measure_clip(crowd, clip, i, error);
        pm_clip_data_free(&clip);
        if (status != PM_OK)
            return pm_crowd_name_clip(i, status, error);
    }
    return PM_OK;
}

static void build_items(void *context, pm_items *items) {
    construction *c = context;
    size_t i;
    while (pm_take_item(items, &i)) {
        pm_error error = {.status = PM_OK};
        pm_clip_data *clip = NULL;
        pm_status status = lay_out(c->desc, c->crowd, i, &clip, &error);
        if (status == PM_OK) {
            clip->scalar_order = c->crowd->skeleton->scalar_order;
            pm_crowd_place_clip(c->crowd, clip, i);
            status = pm_clip_build_tracks(&c->desc->clips[i], c->threads, clip, &error);
        }
        if (status == PM_OK)
            pm_crowd_add_clip(c->crowd, clip, i);
        else
            pm_first_failure_note(&c->failure, status, i, &error);
        pm_clip_data_free(&clip);
    }
}

/* Threads that build clips beside each other. Starting one costs as much time as building some thousand
 * numbers. */
static size_t useful_threads(const pm_crowd_data *crowd, size_t threads) {
    const size_t numbers_a_thread = 16384;
    size_t useful = 1 + crowd->channels[PM_ROTATIONS].key_numbers / numbers_a_thread;
    useful = useful < crowd->clip_count ? useful : crowd->clip_count;
    return useful < threads ? useful : threads;
}

static pm_status build_clips(const pm_crowd_desc *desc, size_t threads, pm_crowd_data *crowd,
                             pm_error *error) {
    const size_t beside = useful_threads(crowd, threads);
    construction c = {
        .host = crowd->host, .desc = desc, .crowd = crowd, .threads = threads / beside};
    return run_on_clips(&c, beside, crowd->clip_count, build_items, error);
}

static pm_status build(const pm_crowd_desc *desc, size_t threads, pm_crowd_data *crowd,
                       pm_error *error) {
    pm_status status = measure(desc, crowd, error);
    if (status == PM_OK)
        status = pm_crowd_add_markers(desc, crowd, error);
    if (status == PM_OK)
        status = pm_crowd_allocate(crowd, error);
    if (status == PM_OK)
        status = build_clips(desc, threads, crowd, error);
    if (status == PM_OK)
        pm_crowd_finish(crowd);
    return status;
}

pm_status pm_crowd_data_build(const pm_host *host, const pm_crowd_desc *desc, size_t threads,
                              pm_crowd_data **crowd, pm_error *error) {
    pm_status status = check(host, desc, threads, error);
    if (status != PM_OK)
        return status;
    pm_crowd_data *made = pm_allocate_zeroed(host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->host = host;
    made->within = pm_host_within(host);
    made->skeleton = desc->skeleton;
    made->clip_count = desc->clip_count;
    made->instruction_set = pm_instruction_set_widest();
    made->padded_joints =
        (desc->skeleton->joint_count + PM_TRACK_GROUP - 1) / PM_TRACK_GROUP * PM_TRACK_GROUP;
    status = build(desc, threads, made, error);
    if (status == PM_OK)
        *crowd = made;
    else
        pm_crowd_data_free(&made);
    return status;
}

void pm_crowd_data_free(pm_crowd_data **handle) {
    pm_crowd_data *crowd = *handle;
    if (!crowd)
        return;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        pm_pool_give(crowd->channels[c].memory);
        pm_release(crowd->channels[c].constants);
    }
    for (size_t i = 0; crowd->sets && i < crowd->skeleton->set_count; i++) {
        if (i > 0)
            pm_release(crowd->sets[i].joints);
        pm_release(crowd->sets[i].moved);
    }
    pm_release(crowd->sets);
    pm_release(crowd->layout);
    pm_release(crowd->joints);
    pm_release(crowd->rest);
    pm_release(crowd->binds);
    pm_release(crowd->clips);
    pm_release(crowd->timelines);
    pm_release(crowd->rates);
    pm_release(crowd->times);
    pm_release(crowd->clip_ticks);
    pm_release(crowd->markers);
    pm_release(crowd->first_marker);
    pm_release(crowd);
    *handle = NULL;
}

pm_crowd_size pm_crowd_size_of(const pm_crowd_data *crowd, size_t set, uint64_t frame, size_t first,
                               size_t count) {
    pm_crowd_size size = {.frame = frame,
                          .first = first,
                          .instances = (pm_u32)count,
                          .entries = (pm_u32)count,
                          .posed = (pm_u32)crowd->skeleton->sets[set].count,
                          .joints = (pm_u32)crowd->skeleton->joint_count,
                          .clips = (pm_u32)crowd->clip_count,
                          .levels = (pm_u32)crowd->skeleton->level_count,
                          .masks = (pm_u32)crowd->skeleton->mask_count,
                          .per_joint = crowd->per_joint};
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        size.channels |= (pm_u32)crowd->channels[c].present << c;
    for (pm_u32 l = 0; l < size.levels; l++)
        size.levelled |=
            crowd->skeleton->levels[l].update_every > 1 || !crowd->skeleton->levels[l].whole;
    return size;
}
