/* SPDX-License-Identifier: MIT
 *
 * Trajectories, built as clips on the host, and jobs for points that they move.
 */
#include "engine.h"

#include <string.h>

#include "cpu/cpu.h"

/* ---- trajectories ------------------------------------------------------------------------------------ */

static const char *const refused_fields =
    "a trajectory has no timelines, loop, scales, scalars and roots of its own";

/* Whether poses are those of arcs. */
static bool has_arcs(const pm_clip_desc *m) {
    return m->method == PM_METHOD_SLERP && m->key_format == PM_KEYS_FLOAT32 &&
           m->rotations.type != PM_CODED &&
           (m->vector_method == PM_VECTOR_AUTO || m->vector_method == PM_VECTOR_LINEAR);
}

static pm_status check_desc(const pm_trajectory_desc *desc, pm_error *error) {
    const pm_clip_desc *m = &desc->motion;
    const size_t timelines = pm_timeline_count(m);
    if (m->timelines || m->loop != 0 || m->scales.data || m->scales_in.data || m->scales_out.data ||
        m->scalars || m->root_positions || m->root_rotations)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s", refused_fields);
    if (!m->rotations.data && !m->positions.data)
        return pm_fail(error, PM_ERROR_ARGUMENT, "neither rotations nor positions are given");
    if (m->positions.data && m->positions.type != PM_FLOAT32 && m->positions.type != PM_FLOAT64)
        return pm_fail(error, PM_ERROR_ARGUMENT, "positions.type is neither float32 nor float64");
    if (timelines > 1 ? desc->key_count != 0 || !desc->key_counts : desc->key_counts != NULL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s",
                       timelines > 1 ? "key_counts are those of several timelines"
                                     : "key_count is that of one timeline, not key_counts");
    if (desc->screw && !(has_arcs(m) && m->rotations.data && m->positions.data))
        return pm_fail(
            error, PM_ERROR_ARGUMENT,
            "screw takes rotations and positions of float32 keys, method slerp and linear positions");
    return pm_stamps_check(&desc->stamps, false, "stamps", error);
}

/* The description that a clip is built from, and what it owns. */
typedef struct source {
    pm_clip_desc desc;
    pm_timeline *timelines;
    double *times;
    float *near, *rest, *zeros; /* positions, the rest of them, and its tangents */
} source;

static void source_free(source *s) {
    void *const all[] = {s->timelines, s->times, s->near, s->rest, s->zeros};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pm_release(all[i]);
}

static size_t keys_of(const pm_trajectory_desc *desc, size_t timeline) {
    return desc->key_counts ? desc->key_counts[timeline] : desc->key_count;
}

/* Stamps of all timelines, and how many keys are before each. */
static pm_status read_stamps(const pm_trajectory_desc *desc, pm_trajectory *t, pm_error *error) {
    const size_t count = pm_timeline_count(&desc->motion);
    size_t total = 0;
    t->firsts = pm_allocate_zeroed(t->host, count + 1, sizeof *t->firsts);
    if (!t->firsts)
        return pm_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        const size_t keys = keys_of(desc, i);
        if (keys == 0 || keys >= PM_CURSOR_SEGMENT || __builtin_add_overflow(total, keys, &total))
            return pm_fail(error, keys ? PM_ERROR_SIZE : PM_ERROR_ARGUMENT,
                           "timeline %zu: the number of keys is %zu", i, keys);
        t->firsts[i + 1] = total;
    }
    t->stamps = pm_allocate_zeroed(t->host, total, sizeof *t->stamps);
    if (!t->stamps)
        return pm_fail_memory(error);
    pm_stamps_read(&desc->stamps, 0, total, t->stamps);
    for (size_t i = 0; i < count; i++)
        for (size_t k = t->firsts[i]; k < t->firsts[i + 1]; k++) {
            const int64_t *at = &t->stamps[k];
            if (*at == PM_NO_STAMP)
                return pm_fail_at(error, PM_ERROR_TIME, PM_NO_INDEX, k - t->firsts[i],
                                  "a key's stamp is no time, or too large");
            if (k > t->firsts[i] && at[0] == at[-1])
                return pm_fail_at(error, PM_ERROR_TIME, PM_NO_INDEX, k - t->firsts[i],
                                  "a key repeats the stamp before it, %lld ns", (long long)at[-1]);
            if (k > t->firsts[i] && at[0] < at[-1])
                return pm_fail_at(error, PM_ERROR_TIME, PM_NO_INDEX, k - t->firsts[i],
                                  "a key's stamp jumps back from %lld ns to %lld ns",
                                  (long long)at[-1], (long long)at[0]);
        }
    return PM_OK;
}

/* ns from key to key where all are equal, and seconds of them are exact; 0: they are not. */
static uint64_t step_of(const int64_t *stamps, size_t count) {
    const uint64_t step = count > 1 ? (uint64_t)stamps[1] - (uint64_t)stamps[0] : 0;
    for (size_t k = 1; k + 1 < count; k++)
        if ((uint64_t)stamps[k + 1] - (uint64_t)stamps[k] != step)
            return 0;
    return step <= INT64_MAX ? step : 0;
}

/* Seconds since the first key of each timeline: for segments' data alone. */
static pm_status make_timelines(const pm_trajectory *t, source *s, pm_error *error) {
    const size_t count = pm_timeline_count(&s->desc);
    s->timelines = pm_allocate_zeroed(t->host, count, sizeof *s->timelines);
    s->times = pm_allocate_zeroed(t->host, t->firsts[count], sizeof *s->times);
    if (!s->timelines || !s->times)
        return pm_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        const size_t first = t->firsts[i], keys = t->firsts[i + 1] - first;
        const uint64_t step = step_of(t->stamps + first, keys);
        s->timelines[i] = (pm_timeline){.key_count = keys};
        if (step)
            s->timelines[i].rate = (pm_rational){1000000000, (int64_t)step};
        else
            s->timelines[i].times = s->times + first;
        for (size_t k = first; k < first + keys; k++)
            s->times[k] = (double)((uint64_t)t->stamps[k] - (uint64_t)t->stamps[first]) * 1e-9;
    }
    s->desc.timelines = s->timelines;
    return PM_OK;
}

/* Rows and numbers in a row of positions. */
static bool shape_of(const pm_trajectory *t, const pm_clip_desc *desc, size_t *rows, size_t *row) {
    *row = 3;
    *rows = 0;
    if (pm_timeline_count(desc) == 1) {
        *rows = t->firsts[1];
        return pm_multiply(3, desc->track_count, row);
    }
    for (size_t i = 0; i < desc->track_count; i++) {
        const uint32_t of = desc->timeline_of ? desc->timeline_of[i] : 0;
        if (of >= pm_timeline_count(desc))
            return false;
        *rows += t->firsts[of + 1] - t->firsts[of];
    }
    return true;
}

/* Positions in double: float32 relative to the first of them, and what is left, which are scales of the clip. */
static pm_status split_positions(pm_trajectory *t, source *s, pm_error *error) {
    const pm_array own = s->desc.positions;
    size_t rows, row, numbers;
    if (!own.data || own.type != PM_FLOAT64)
        return PM_OK;
    if (!shape_of(t, &s->desc, &rows, &row) || !pm_multiply(rows, row, &numbers))
        return pm_fail(error, PM_ERROR_SIZE,
                       "there are too many tracks, or timeline_of is too large");
    s->near = pm_allocate_zeroed(t->host, numbers, sizeof *s->near);
    s->rest = pm_allocate_zeroed(t->host, numbers, sizeof *s->rest);
    s->zeros = pm_allocate_zeroed(t->host, numbers, sizeof *s->zeros);
    if (!s->near || !s->rest || !s->zeros)
        return pm_fail_memory(error);
    const pm_array_view view = {own.data, own.type, own.stride ? own.stride : row * sizeof(double)};
    bool any = false;
    for (size_t c = 0; c < 3; c++)
        t->origin[c] = pm_number_at(&view, 0, c);
    for (size_t n = 0; n < numbers; n++) {
        const double number = pm_number_at(&view, n / row, n % row) - t->origin[n % 3];
        s->near[n] = (float)number;
        s->rest[n] = (float)(number - (double)s->near[n]);
        any |= s->rest[n] != 0;
    }
    s->desc.positions = (pm_array){.data = s->near};
    if (!any)
        return PM_OK;
    s->desc.scales = (pm_array){.data = s->rest};
    if (s->desc.positions_in.data)
        s->desc.scales_in = s->desc.scales_out = (pm_array){.data = s->zeros};
    return PM_OK;
}

/* The keys of a track that follow those of the tracks before. Returns the largest angle2. */
static double make_track_arcs(const pm_clip_desc *desc, pm_trajectory *t, size_t track,
                              size_t before) {
    const size_t *keys = &t->firsts[t->clip->timeline_of[track]];
    pm_array_view turns = {0}, places = {0};
    pm_rigid_arc *arcs = t->arcs + before;
    if (desc->rotations.data)
        turns = pm_track_view(desc, &desc->rotations, 4, track, before);
    if (desc->positions.data)
        places = pm_track_view(desc, &desc->positions, 3, track, before);
    for (size_t k = 0; k < keys[1] - keys[0]; k++) {
        for (size_t c = 0; c < 4; c++)
            arcs[k].q[c] = turns.data ? pm_number_at(&turns, k, c) : c == 3;
        for (size_t c = 0; c < 3 && places.data; c++)
            arcs[k].t[c] = pm_number_at(&places, k, c);
    }
    t->first_arcs[track] = before;
    return pm_rigid_arcs_connect(arcs, keys[1] - keys[0], t->stamps + keys[0], t->screw);
}

static pm_status make_arcs(const pm_clip_desc *desc, pm_trajectory *t, pm_error *error) {
    size_t total = 0;
    for (size_t i = 0; i < t->clip->track_count; i++)
        if (__builtin_add_overflow(total, pm_trajectory_keys(t, i), &total))
            return pm_fail_memory(error);
    t->arcs = pm_allocate_zeroed(t->host, total, sizeof *t->arcs);
    t->first_arcs = pm_allocate_zeroed(t->host, t->clip->track_count, sizeof *t->first_arcs);
    if (!t->arcs || !t->first_arcs)
        return pm_fail_memory(error);
    double largest = 0;
    size_t before = 0;
    for (size_t i = 0; i < t->clip->track_count; i++) {
        largest = fmax(largest, make_track_arcs(desc, t, i, before));
        before += pm_trajectory_keys(t, i);
    }
    for (t->parts = 1; largest > PM_LITTLE_TURN2 * t->parts * t->parts;)
        t->parts *= 2; /* 8 at most: angle2 is up to pi^2 */
    return PM_OK;
}

static pm_status build(const pm_trajectory_desc *desc, pm_trajectory *t, pm_error *error) {
    source s = {.desc = desc->motion};
    const pm_clip_limits limits = {.host = t->host, .threads = t->threads};
    pm_status status = read_stamps(desc, t, error);
    if (status == PM_OK)
        status = make_timelines(t, &s, error);
    if (status == PM_OK) /* before positions are read */
        status = pm_clip_check(&s.desc, error);
    if (status == PM_OK && !has_arcs(&s.desc))
        status = split_positions(t, &s, error);
    if (status == PM_OK)
        status = pm_clip_data_build(&s.desc, &limits, &t->clip, error);
    if (status == PM_OK && has_arcs(&s.desc))
        status = make_arcs(&s.desc, t, error);
    source_free(&s);
    return status;
}

pm_status pm_trajectory_create(pm_engine *engine, const pm_trajectory_desc *desc,
                               pm_trajectory **trajectory, pm_error *error) {
    pm_error_clear(error);
    if (!engine || !desc || !trajectory)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !engine ? "engine"
                       : desc  ? "trajectory"
                               : "desc");
    pm_status status = PM_CHECK_NEXT(pm_trajectory_desc, desc, error);
    if (status == PM_OK)
        status = check_desc(desc, error);
    if (status != PM_OK)
        return status;
    pm_trajectory *made = pm_allocate_zeroed(&engine->host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->host = &engine->host;
    made->engine = engine;
    made->threads = engine->host_threads;
    made->screw = desc->screw;
    atomic_init(&made->holders, 1);
    status = build(desc, made, error);
    if (status == PM_OK)
        *trajectory = made;
    else
        pm_trajectory_destroy(&made);
    return status;
}

void pm_trajectory_hold(const pm_trajectory *trajectory) {
    pm_trajectory *t = (pm_trajectory *)(uintptr_t)trajectory;
    atomic_fetch_add(&t->holders, 1);
}

void pm_trajectory_let(const pm_trajectory *trajectory) {
    pm_trajectory *t = (pm_trajectory *)(uintptr_t)trajectory;
    if (!t || atomic_fetch_sub(&t->holders, 1) > 1)
        return;
    pm_clip_data_free(&t->clip);
    pm_release(t->stamps);
    pm_release(t->firsts);
    pm_release(t->arcs);
    pm_release(t->first_arcs);
    pm_release(t);
}

void pm_trajectory_destroy(pm_trajectory **handle) {
    if (!handle)
        return;
    pm_trajectory_let(*handle);
    *handle = NULL;
}

/* ---- jobs ---------------------------------------------------------------------------------------------- */

static pm_status check_outputs(const pm_points_request *r, pm_error *error) {
    const pm_points_job *job = &r->job;
    bool any = job->invalid_count != NULL, rates = false;
    for (unsigned f = PM_POINTS_MOVED; f < PM_POINTS_FIELDS; f++) {
        const pm_points_rows rows = pm_points_rows_of(r, f);
        any |= rows.bytes > 0;
        rates |= rows.bytes && (f == PM_POINTS_VELOCITIES || f == PM_POINTS_ANGULAR_VELOCITIES);
        if (rows.bytes && f != PM_POINTS_VALID && rows.type != PM_COORDINATE_FLOAT32 &&
            rows.type != PM_COORDINATE_FLOAT64)
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s.type is neither float32 nor float64",
                           rows.name);
    }
    if (!any)
        return pm_fail(error, PM_ERROR_ARGUMENT, "no output is asked for");
    if (pm_points_rows_of(r, PM_POINTS_MOVED).bytes &&
        !pm_points_rows_of(r, PM_POINTS_POINTS).bytes)
        return pm_fail(error, PM_ERROR_ARGUMENT, "moved is asked for, but points are not given");
    if (job->inverse && rates)
        return pm_fail(error, PM_ERROR_ARGUMENT, "velocities are not those of an inverse");
    if ((unsigned)job->velocity_frame > PM_AXIS_PARENT)
        return pm_fail(error, PM_ERROR_ARGUMENT, "velocity_frame is no pm_axis_frame");
    return PM_OK;
}

static pm_status check_frames(const pm_points_request *r, pm_error *error) {
    const pm_points_job *job = &r->job;
    if (job->frame_count == 0 || job->frame_count > PM_MAX_FRAMES)
        return pm_fail(error, PM_ERROR_ARGUMENT, "frame_count is %zu, not 1 to %d",
                       job->frame_count, PM_MAX_FRAMES);
    for (size_t f = 0; f < job->frame_count; f++) {
        const pm_moving_frame *frame = &job->frames[f];
        const uint32_t bytes = frame->tracks.bytes;
        const bool given = frame->tracks.data || r->handles[PM_POINTS_TRACKS + f].handle;
        if (!frame->trajectory)
            return pm_fail(error, PM_ERROR_ARGUMENT, "frames[%zu].trajectory is NULL", f);
        if (given && bytes != 1 && bytes != 2 && bytes != 4)
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "frames[%zu].tracks.bytes is %u, not 1, 2 or 4", f, bytes);
        if (given && job->to_reference && job->frame_count > 1)
            return pm_fail(
                error, PM_ERROR_ARGUMENT,
                "frames with fields of tracks have a reference where there is one frame");
        if (!given && frame->track >= frame->trajectory->clip->track_count)
            return pm_fail(error, PM_ERROR_ARGUMENT, "frames[%zu].track is %u, not below %zu", f,
                           frame->track, frame->trajectory->clip->track_count);
    }
    return PM_OK;
}

static pm_status check_job(const pm_points_request *r, pm_error *error) {
    const pm_points_job *job = &r->job;
    pm_status status = PM_CHECK_NEXT(pm_points_job, job, error);
    if (status == PM_OK)
        status = pm_stamps_check(&job->stamps, r->handles[PM_POINTS_STAMPS].handle != NULL,
                                 "stamps", error);
    if (status == PM_OK)
        status = check_frames(r, error);
    if (status == PM_OK && (unsigned)job->points.type > PM_COORDINATE_INT32)
        return pm_fail(error, PM_ERROR_ARGUMENT, "points.type is no pm_coordinate_type");
    if (status == PM_OK)
        status = check_outputs(r, error);
    if (status != PM_OK)
        return status;
    if ((unsigned)job->outside > PM_OUTSIDE_INVALID)
        return pm_fail(error, PM_ERROR_ARGUMENT, "outside is no pm_outside");
    if (job->max_gap < 0 ||
        (job->outside == PM_OUTSIDE_EXTRAPOLATE) != (job->max_extrapolation > 0))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       job->max_gap < 0 ? "max_gap is below 0"
                                        : "max_extrapolation is above 0 for extrapolation, else 0");
    for (size_t c = 0; c < 3; c++)
        if (!isfinite(job->origin[c]))
            return pm_fail(error, PM_ERROR_ARGUMENT, "origin is not finite");
    return PM_OK;
}

/* A pose of the caller's with a unit quaternion. */
static pm_status read_rigid(const pm_fixed_pose *from, const char *name, pm_dpose *to,
                            bool *is_identity, pm_error *error) {
    const double *q = from->rotation, *p = from->position;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const bool none = q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s.position is not finite", name);
    if (!none && !(fabs(norm - 1) <= 1e-3))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s.rotation has a norm of %.9g, not 1", name,
                       norm);
    memcpy(to->position, p, sizeof to->position);
    norm = none ? 1 : norm;
    for (size_t c = 0; c < 4; c++)
        to->rotation[c] = none && c == 3 ? 1 : q[c] / norm;
    *is_identity = q[0] == 0 && q[1] == 0 && q[2] == 0 && p[0] == 0 && p[1] == 0 && p[2] == 0;
    return PM_OK;
}

/* The pose of the frames at the reference. */
static pm_status find_reference(const pm_points_request *of, pm_u32 track, pm_dpose *pose,
                                pm_error *error) {
    static const pm_points_end nothing = {.pose.rotation = {0, 0, 0, 1}};
    atomic_size_t invalid = 0;
    pm_points_job job = {.count = 1,
                         .stamps = {.data = &of->job.reference},
                         .frame_count = of->job.frame_count,
                         .outside = of->job.outside,
                         .rotations = {.data = pose->rotation, .type = PM_COORDINATE_FLOAT64},
                         .positions = {.data = pose->position, .type = PM_COORDINATE_FLOAT64}};
    memcpy(job.frames, of->job.frames, sizeof job.frames);
    if (of->by_track)
        job.frames[0] = (pm_moving_frame){.trajectory = job.frames[0].trajectory,
                                          .track = track,
                                          .inverse = job.frames[0].inverse};
    const pm_host host = pm_host_within(of->host);
    const pm_points_request request = {.host = &host,
                                       .job = job,
                                       .rules = of->rules,
                                       .before_is_identity = true,
                                       .end_is_identity = true,
                                       .ends = &nothing,
                                       .needs_pose = true,
                                       .invalid = &invalid,
                                       .threads = 1};
    const pm_status status = pm_cpu_move_points(0, &request, error);
    if (status != PM_OK)
        pm_prefix_failure(error, "reference: ");
    else if (invalid)
        return pm_fail(error, PM_ERROR_TIME,
                       "reference: the trajectory has no valid pose at %lld ns",
                       (long long)of->job.reference);
    return status;
}

/* `after` of the inverse of a reference, whose position is the shift. */
static pm_points_end end_of(const pm_dpose *after, const pm_dpose *reference) {
    const double *a = after->rotation, *q = reference->rotation;
    pm_points_end end = {.pose = *after};
    const double product[] = {-a[3] * q[0] + a[0] * q[3] - a[1] * q[2] + a[2] * q[1],
                              -a[3] * q[1] + a[1] * q[3] - a[2] * q[0] + a[0] * q[2],
                              -a[3] * q[2] + a[2] * q[3] - a[0] * q[1] + a[1] * q[0],
                              a[3] * q[3] + a[0] * q[0] + a[1] * q[1] + a[2] * q[2]};
    memcpy(end.pose.rotation, product, sizeof product);
    memcpy(end.shift, reference->position, sizeof end.shift);
    return end;
}

static pm_status find_ends(const pm_points_request *r, const pm_dpose *after, size_t count,
                           pm_points_end *ends, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        pm_dpose reference = {.rotation = {0, 0, 0, 1}};
        memcpy(reference.position, r->job.origin, sizeof reference.position);
        if (r->job.to_reference)
            status = find_reference(r, (pm_u32)i, &reference, error);
        ends[i] = end_of(after, &reference);
    }
    return status;
}

/* Whether kernels compute a request, on all devices that plain C does not compute for. */
static bool is_for_kernels(const pm_device *device, const pm_points_request *r) {
    bool any = false;
    for (size_t m = 0; m < device->member_count; m++) {
        const pm_plan_device *plan = device->members[m]->plan;
        const bool is_own = plan && !plan->plain_c;
        if (is_own && !pm_points_have_kernel(r, plan))
            return false;
        any |= is_own;
    }
    return any;
}

/* What is computed once for all points. Where the keys are more than the points, plain C makes what it needs. */
static pm_status prepare(pm_points_request *r, pm_points_made *made, pm_error *error) {
    const pm_points_job *job = &r->job;
    pm_dpose after;
    pm_status status =
        read_rigid(&job->before, "before", &r->before, &r->before_is_identity, error);
    if (status == PM_OK)
        status = read_rigid(&job->after, "after", &after, &r->end_is_identity, error);
    if (status != PM_OK)
        return status;
    r->end_is_identity &= !job->to_reference;
    r->end_count = r->by_track ? job->frames[0].trajectory->clip->track_count : 1;
    made->ends = pm_allocate_zeroed(r->host, r->end_count, sizeof *made->ends);
    if (!made->ends)
        return pm_fail_memory(error);
    r->ends = made->ends;
    status = find_ends(r, &after, r->end_count, made->ends, error);
    const size_t keys = r->singles ? pm_trajectory_arcs(job->frames[0].trajectory) : 0;
    if (status != PM_OK || keys == 0 ||
        (keys > job->count && !is_for_kernels(job->frames[0].trajectory->engine->device, r)))
        return status;
    r->arc_count = keys;
    status = pm_points_make_arcs(r, &made->arcs, error);
    r->arcs = made->arcs;
    return status;
}

void pm_points_made_free(pm_points_made *made) {
    pm_release(made->ends);
    pm_release(made->arcs);
}

pm_status pm_points_request_of(const pm_points_job *job, const pm_address *handles,
                               pm_points_request *request, pm_points_made *made, pm_error *error) {
    *made = (pm_points_made){.ends = NULL};
    *request = (pm_points_request){.job = *job,
                                   .rules = {job->outside, (uint64_t)job->max_extrapolation,
                                             job->max_gap ? (uint64_t)job->max_gap : UINT64_MAX},
                                   .on_queue = handles != NULL};
    if (handles)
        memcpy(request->handles, handles, sizeof request->handles);
    const pm_status status = check_job(request, error);
    if (status != PM_OK)
        return status;
    const pm_trajectory *outer = job->frames[0].trajectory;
    request->host = outer->host;
    request->threads = job->host_threads ? job->host_threads : outer->threads;
    pm_points_resolve(request);
    return prepare(request, made, error);
}

/* Stamps and tracks that are refused are found before kernels run, which report nothing. */
static pm_status compute(const pm_points_request *r, pm_error *error) {
    pm_engine *engine = r->job.frames[0].trajectory->engine;
    const pm_job job = pm_job_of_points(engine->device, r);
    const bool by_kernels = is_for_kernels(engine->device, r);
    bool has_tracks = false;
    pm_status status = PM_OK;
    for (size_t f = 0; f < r->job.frame_count; f++)
        has_tracks |= r->job.frames[f].tracks.data != NULL;
    if (by_kernels && (r->job.outside == PM_OUTSIDE_REFUSE || has_tracks))
        status = pm_cpu_check_points(r, error);
    return status == PM_OK ? pm_job_compute(&job, !by_kernels, engine->builds_in_background, error)
                           : status;
}

pm_status pm_move_points(const pm_points_job *job, pm_error *error) {
    pm_points_request request;
    pm_points_made made;
    atomic_size_t invalid = 0;
    pm_error_clear(error);
    if (!job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "job is NULL");
    if (job->count == 0 && job->invalid_count)
        *job->invalid_count = 0;
    if (job->count == 0)
        return PM_OK;
    pm_status status = pm_points_request_of(job, NULL, &request, &made, error);
    request.invalid = &invalid;
    if (status == PM_OK)
        status = compute(&request, error);
    if (status == PM_OK && job->invalid_count)
        *job->invalid_count = atomic_load(&invalid);
    pm_points_made_free(&made);
    return status;
}
