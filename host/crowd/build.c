/* SPDX-License-Identifier: MIT
 *
 * Checks a crowd's clips, and builds them into the crowd's planes.
 */
#include "layout.h"

#include "base/base.h"

static pm_clip_kind kind_of(const pm_clip_desc *desc) {
    return (pm_clip_kind){.method = desc->method,
                          .vector_curve = pm_vector_impl(desc).curve,
                          .key_format = desc->key_format,
                          .has_positions = desc->positions.data,
                          .has_scales = desc->scales.data,
                          .root_positions = desc->root_positions,
                          .root_rotations = desc->root_rotations};
}

/* All clips of a crowd are evaluated by the same kernel. */
static pm_status check_kind(const pm_clip_desc *desc, const pm_clip_kind *kind, const char *of,
                            pm_error *error) {
    if (!desc->rotations.data)
        return pm_fail(error, PM_ERROR_ARGUMENT, "rotations.data is NULL");
    const pm_clip_kind own = kind_of(desc);
    const char *what = own.method != kind->method                   ? "method"
                       : own.vector_curve != kind->vector_curve     ? "vector_method"
                       : own.key_format != kind->key_format         ? "key_format"
                       : own.has_positions != kind->has_positions   ? "the presence of positions"
                       : own.root_positions != kind->root_positions ? "root_positions"
                       : own.root_rotations != kind->root_rotations ? "root_rotations"
                       : own.has_scales != kind->has_scales         ? "the presence of scales"
                                                                    : NULL;
    return what ? pm_fail(error, PM_ERROR_ARGUMENT, "the clip differs from %s in %s", of, what)
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

static pm_status check_clip(const pm_skeleton *skeleton, const pm_clip_desc *clip,
                            pm_error *error) {
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
    return pm_clip_check_joints(clip, skeleton->order[0], error);
}

/* ---- threads ------------------------------------------------------------------------------- */

/* State shared by the threads that check or build clips. */
typedef struct construction {
    const pm_host *host;
    const pm_crowd_edit *edit;
    const pm_skeleton *skeleton;
    const pm_clip_kind *kind;
    const char *of;           /* whose kind */
    pm_crowd_change *change;  /* of building */
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

static pm_status check_one(const construction *c, size_t i, pm_error *error) {
    const pm_clip_desc *clip = &c->edit->clips[i];
    const pm_status status = check_clip(c->skeleton, clip, error);
    return status == PM_OK ? check_kind(clip, c->kind, c->of, error) : status;
}

/* Clips after the first. */
static void check_items(void *context, pm_items *items) {
    construction *c = context;
    size_t i;
    while (pm_take_item(items, &i)) {
        pm_error error = {.status = PM_OK};
        const pm_status status = check_one(c, i + 1, &error);
        if (status != PM_OK)
            pm_first_failure_note(&c->failure, status, i + 1, &error);
    }
}

/* The first clip of a new crowd tells its kind. Starting a thread costs as much time as checking some small
 * clips. */
static pm_status check_clips(const pm_crowd_change *change, size_t threads, pm_error *error) {
    enum { CLIPS_A_THREAD = 32 };
    const pm_crowd_edit *edit = change->edit;
    construction c = {.host = &change->crowd->within,
                      .edit = edit,
                      .skeleton = change->crowd->skeleton,
                      .kind = &change->crowd->kind,
                      .of = change->before ? "those of the crowd" : "clips[0]"};
    if (edit->clip_count == 0)
        return PM_OK;
    pm_status status = check_clip(c.skeleton, &edit->clips[0], error);
    if (status == PM_OK && !change->before)
        change->crowd->kind = kind_of(&edit->clips[0]);
    if (status == PM_OK)
        status = check_kind(&edit->clips[0], c.kind, c.of, error);
    if (status != PM_OK)
        return pm_crowd_name_clip(0, status, error);
    const size_t useful = 1 + edit->clip_count / CLIPS_A_THREAD;
    return run_on_clips(&c, useful < threads ? useful : threads, edit->clip_count - 1, check_items,
                        error);
}

/* ---- building ------------------------------------------------------------------------------ */

static pm_status lay_out(const pm_crowd_change *change, size_t n, pm_clip_data **clip,
                         pm_error *error) {
    return pm_clip_data_lay_out(&change->crowd->within, &change->edit->clips[n],
                                change->crowd->skeleton->order, clip, error);
}

/* Clips are laid out here and once more where they are built, because the layouts of all together would
 * take as much memory as their keys. */
static pm_status measure(pm_crowd_change *change, pm_error *error) {
    for (size_t n = 0; n < change->edit->clip_count; n++) {
        pm_clip_data *clip = NULL;
        pm_status status = lay_out(change, n, &clip, error);
        if (status == PM_OK)
            status = pm_crowd_measure_clip(change, clip, n, error);
        pm_clip_data_free(&clip);
        if (status != PM_OK)
            return pm_crowd_name_clip(n, status, error);
    }
    return PM_OK;
}

static void build_items(void *context, pm_items *items) {
    construction *c = context;
    const pm_crowd_data *crowd = c->change->crowd;
    size_t n;
    while (pm_take_item(items, &n)) {
        pm_error error = {.status = PM_OK};
        pm_clip_data *clip = NULL;
        pm_status status = lay_out(c->change, n, &clip, &error);
        if (status == PM_OK) {
            clip->scalar_order = crowd->skeleton->scalar_order;
            pm_crowd_place_clip(crowd, clip, c->change->ids[n]);
            status = pm_clip_build_tracks(&c->edit->clips[n], c->threads, clip, &error);
        }
        if (status == PM_OK)
            pm_crowd_add_clip(c->change->crowd, clip, c->change->ids[n]);
        else
            pm_first_failure_note(&c->failure, status, n, &error);
        pm_clip_data_free(&clip);
    }
}

/* Threads that build clips beside each other. Starting one costs as much time as building some thousand
 * numbers. */
static size_t useful_threads(const pm_crowd_change *change, size_t threads) {
    const size_t numbers_a_thread = 16384;
    const size_t numbers =
        change->crowd->tables[PM_TABLE_KEYS].used - pm_used_before(change->before, PM_TABLE_KEYS);
    size_t useful = 1 + numbers / numbers_a_thread;
    useful = useful < change->edit->clip_count ? useful : change->edit->clip_count;
    return useful < threads ? useful : threads;
}

static pm_status build_clips(pm_crowd_change *change, size_t threads, pm_error *error) {
    if (change->edit->clip_count == 0)
        return PM_OK;
    const size_t beside = useful_threads(change, threads);
    construction c = {.host = change->crowd->host,
                      .edit = change->edit,
                      .change = change,
                      .threads = threads / beside};
    return run_on_clips(&c, beside, change->edit->clip_count, build_items, error);
}

pm_status pm_crowd_build_clips(pm_crowd_change *change, size_t threads, pm_error *error) {
    pm_status status = check_clips(change, threads, error);
    if (status == PM_OK)
        status = measure(change, error);
    if (status == PM_OK)
        status = pm_crowd_check_markers(change, error);
    if (status == PM_OK)
        status = pm_crowd_allocate(change, error);
    if (status == PM_OK)
        status = build_clips(change, threads, error);
    if (status == PM_OK)
        pm_crowd_finish(change->crowd);
    return status;
}
