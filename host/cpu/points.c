/* SPDX-License-Identifier: MIT
 *
 * Points that trajectories move: stamps and points of the caller's records are read, and results written, a block at
 * a time, by threads.
 */
#include "points.h"

#include <string.h>

#define PM_DECLARE_SET(name) extern const pm_points_functions pm_points_##name;
PM_INSTRUCTION_SETS(PM_DECLARE_SET)

#define PM_SET_ROW(name) &pm_points_##name,
static const pm_points_functions *const sets[] = {PM_INSTRUCTION_SETS(PM_SET_ROW)};

/* ---- records ------------------------------------------------------------------------------------------- */

static size_t size_of(pm_coordinate_type type) {
    return type == PM_COORDINATE_FLOAT64 ? sizeof(double) : sizeof(float);
}

/* Columns of records, with compile-time constants where compilers shall vectorise. */
#define LOAD_COLUMNS(to, type, stride, step, value)                                                \
    for (size_t i = 0; i < count; i++)                                                             \
        for (size_t c = 0; c < 3; c++) {                                                           \
            type number;                                                                           \
            memcpy(&number, at + (ptrdiff_t)i * (stride) + (ptrdiff_t)c * (step), sizeof number);  \
            (to)[c][i] = (value);                                                                  \
        }

#define STORE_COLUMNS(type, columns, stride, step)                                                 \
    for (size_t i = 0; i < count; i++)                                                             \
        for (size_t c = 0; c < (columns); c++) {                                                   \
            const type number = (type)from[c][i];                                                  \
            memcpy(at + (ptrdiff_t)i * (stride) + (ptrdiff_t)c * (step), &number, sizeof number);  \
        }

static ptrdiff_t step_of(ptrdiff_t step, pm_coordinate_type type) {
    return step ? step : (ptrdiff_t)size_of(type);
}

static ptrdiff_t stride_of(ptrdiff_t stride, pm_coordinate_type type, size_t components) {
    return stride ? stride : (ptrdiff_t)(components * size_of(type));
}

/* Singles, if the request has them, and else points in double. */
PM_CLONES static void load_points(const pm_points_request *r, size_t first, pm_points_block *b) {
    const pm_coordinates *from = &r->job.points;
    const ptrdiff_t step = step_of(from->step, from->type);
    const ptrdiff_t stride = stride_of(from->stride, from->type, 3);
    const unsigned char *at = (const unsigned char *)from->data + (ptrdiff_t)first * stride;
    const size_t count = r->singles && b->from != b->singles ? 0 : b->count;
    if (r->singles) {
        float(*const to)[3] = (float(*)[3])b->singles;
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < 3; c++)
                memcpy(&to[i][c], at + (ptrdiff_t)i * stride + (ptrdiff_t)c * step, sizeof(float));
    } else if (from->type == PM_COORDINATE_FLOAT32) {
        LOAD_COLUMNS(b->x, float, stride, step, (double)number)
    } else if (from->type == PM_COORDINATE_FLOAT64) {
        LOAD_COLUMNS(b->x, double, stride, step, number)
    } else {
        const double scale[] = {from->scale[0] != 0 ? from->scale[0] : 1,
                                from->scale[1] != 0 ? from->scale[1] : 1,
                                from->scale[2] != 0 ? from->scale[2] : 1};
        LOAD_COLUMNS(b->x, int32_t, stride, step, from->offset[c] + scale[c] * (double)number)
    }
}

PM_CLONES static void store(const pm_coordinates_out *to, size_t first, size_t count,
                            size_t components, pm_point_numbers *from) {
    const ptrdiff_t step = step_of(to->step, to->type);
    const ptrdiff_t stride = stride_of(to->stride, to->type, components);
    if (!to->data)
        return;
    unsigned char *at = (unsigned char *)to->data + (ptrdiff_t)first * stride;
    if (to->type == PM_COORDINATE_FLOAT64)
        STORE_COLUMNS(double, components, stride, step)
    else
        STORE_COLUMNS(float, components, stride, step)
}

static void store_singles(const pm_coordinates_out *to, size_t first, const pm_points_block *b) {
    const ptrdiff_t step = step_of(to->step, to->type);
    const ptrdiff_t stride = stride_of(to->stride, to->type, 3);
    const size_t count = b->to == b->singles ? b->count : 0;
    unsigned char *at = (unsigned char *)to->data + (ptrdiff_t)first * stride;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++)
            memcpy(at + (ptrdiff_t)i * stride + (ptrdiff_t)c * step, &b->singles[3 * i + c],
                   sizeof(float));
}

static pm_u32 load_track(const pm_track_field *from, size_t k) {
    const ptrdiff_t stride = from->stride ? from->stride : (ptrdiff_t)from->bytes;
    const unsigned char *at = (const unsigned char *)from->data + (ptrdiff_t)k * stride;
    uint16_t two;
    pm_u32 four;
    if (from->bytes == 1)
        return *at;
    if (from->bytes == 2) {
        memcpy(&two, at, sizeof two);
        return two;
    }
    memcpy(&four, at, sizeof four);
    return four;
}

/* ---- pieces --------------------------------------------------------------------------------------------- */

typedef struct moving {
    const pm_points_request *request;
    const pm_points_functions *functions;
    bool checks; /* points are located alone */
    pm_first_failure failure;
} moving;

/* Points per item. */
enum { ITEM_POINTS = 64 * PM_POINTS_BLOCK };

static pm_status refuse_stamp(const pm_trajectory *t, size_t track, int64_t stamp, size_t k,
                              pm_error *error) {
    int64_t first, last;
    if (stamp == PM_NO_STAMP)
        return pm_fail(error, PM_ERROR_TIME, "the stamp of point %zu is no time, or too large", k);
    pm_trajectory_span(t, track, &first, &last);
    const bool is_before = stamp < first;
    const uint64_t by =
        is_before ? (uint64_t)first - (uint64_t)stamp : (uint64_t)stamp - (uint64_t)last;
    return pm_fail(error, PM_ERROR_TIME,
                   "the stamp of point %zu, %lld ns, is %llu.%09llu s %s of the trajectory", k,
                   (long long)stamp, (unsigned long long)(by / 1000000000),
                   (unsigned long long)(by % 1000000000),
                   is_before ? "before the first key" : "behind the last key");
}

/* Singles whose segments have parts are in one part each. */
static void leave_segment(pm_points_block *b) {
    pm_stamp_places *at = &b->places[0];
    for (size_t i = 1; i < b->count; i++)
        at->segments[i] = at->segments[0];
    memset(at->states, PM_STAMP_INSIDE, b->count);
    at->in_one_segment = false;
}

/* Locates the points of a block in all frames. It becomes shorter where the first of them are in one segment. */
static pm_status locate(const moving *m, size_t first, size_t *hints, pm_points_block *b,
                        pm_error *error) {
    const pm_points_request *r = m->request;
    b->stamps = pm_stamps_in_place(&r->job.stamps, first);
    if (!b->stamps)
        pm_stamps_read(&r->job.stamps, first, b->count, b->own_stamps);
    b->stamps = b->stamps ? b->stamps : b->own_stamps;
    for (unsigned f = 0; f < r->job.frame_count; f++) {
        const pm_moving_frame *frame = &r->job.frames[f];
        const pm_trajectory *t = frame->trajectory;
        b->one_track[f] = !frame->tracks.data;
        b->tracks[f][0] = frame->track;
        for (size_t i = 0; i < b->count && frame->tracks.data; i++) {
            b->tracks[f][i] = load_track(&frame->tracks, first + i);
            if (b->tracks[f][i] < t->clip->track_count)
                continue;
            if (!r->on_queue)
                return pm_fail(error, PM_ERROR_ARGUMENT,
                               "the track of point %zu, %u, is not below %zu", first + i,
                               b->tracks[f][i], t->clip->track_count);
            b->tracks[f][i] = 0; /* its state follows */
        }
        pm_stamp_places *to = &b->places[f];
        m->functions->locate(r, f, &hints[f], b);
        for (size_t i = 0; i < b->count && r->on_queue && frame->tracks.data; i++)
            if (load_track(&frame->tracks, first + i) >= t->clip->track_count) {
                to->states[i] = PM_STAMP_NOT_VALID;
                to->all_inside = false;
            }
        for (size_t i = 0; i < b->count && !to->all_inside; i++)
            if (to->states[i] == PM_STAMP_REFUSED)
                return refuse_stamp(t, pm_track_of(b, f, i), b->stamps[i], first + i, error);
    }
    if (r->singles && b->places[0].in_one_segment && r->job.frames[0].trajectory->parts > 1)
        leave_segment(b);
    return PM_OK;
}

/* ---- singles -------------------------------------------------------------------------------------------- */

/* Whether records are floats without gaps. */
static bool is_packed(const void *data, pm_coordinate_type type, ptrdiff_t stride, ptrdiff_t step) {
    return (uintptr_t)data % _Alignof(float) == 0 &&
           step_of(step, type) == (ptrdiff_t)sizeof(float) &&
           stride_of(stride, type, 3) == 3 * (ptrdiff_t)sizeof(float);
}

/* Reads and writes where the records are, if they have no gaps. */
static void point_at_singles(const pm_points_request *r, size_t first, pm_points_block *b) {
    const pm_coordinates *from = &r->job.points;
    const pm_coordinates_out *to = &r->job.moved;
    const bool reads = r->singles && is_packed(from->data, from->type, from->stride, from->step);
    const bool writes =
        r->singles && to->data && is_packed(to->data, to->type, to->stride, to->step);
    b->from = reads ? (const float *)from->data + 3 * first : b->singles;
    b->to = writes ? (float *)to->data + 3 * first : b->singles;
}

/* Finds the arcs of points in any order, behind the first of one track, or of each, and u within their parts. Returns
 * whether some point is extrapolated. */
PM_CLONES static bool find_arcs(pm_points_block *b, size_t first, const size_t *firsts,
                                pm_u32 parts) {
    const pm_stamp_places *at = &b->places[0];
    int any_ahead = 0;
    for (size_t i = 0; i < b->count && firsts; i++)
        b->arcs_at[i] = firsts[b->tracks[0][i]];
    for (size_t i = 0; i < b->count && !firsts; i++)
        b->arcs_at[i] = first;
    for (size_t i = 0; i < b->count; i++)
        b->arcs_at[i] += at->segments[i] + (pm_u64)(at->u[i] >= 1);
    for (size_t i = 0; i < b->count; i++) /* at the next key that of no segment */
        b->u[i] = at->u[i] < 1 ? (float)at->u[i] : 0;
    for (size_t i = 0; i < b->count && parts > 1; i++)
        b->arcs_at[i] = b->arcs_at[i] * parts + pm_point_part(parts, &b->u[i]);
    for (size_t i = 0; i < b->count; i++)
        b->arcs_at[i] *= PM_POINT_ARC_FLOATS;
    for (size_t i = 0; i < b->count && !at->all_inside; i++)
        any_ahead |= at->states[i] == PM_STAMP_AHEAD;
    return any_ahead != 0;
}

/* Those that the points of a block need: of the request, or made into `own`. Points that are extrapolated are moved in
 * double. */
static void prepare_singles(const pm_points_request *r, pm_points_block *b,
                            float own[PM_POINTS_BLOCK][PM_POINT_ARC_FLOATS]) {
    const pm_stamp_places *at = &b->places[0];
    const pm_trajectory *t = r->job.frames[0].trajectory;
    const size_t *firsts = t->first_arcs;
    const size_t count = at->in_one_segment ? 1 : b->count;
    bool any_ahead = false;
    b->arcs = r->arcs ? r->arcs : own[0];
    if (at->in_one_segment)
        b->arcs_at[0] = PM_POINT_ARC_FLOATS * (firsts[b->tracks[0][0]] + at->segments[0]);
    else if (b->one_track[0])
        any_ahead = find_arcs(b, firsts[b->tracks[0][0]], NULL, t->parts);
    else
        any_ahead = find_arcs(b, 0, firsts, t->parts);
    b->in_double |= any_ahead;
    for (size_t i = 0; i < count && !r->arcs; i++) {
        pm_points_make_arc(r, b->arcs_at[i] / PM_POINT_ARC_FLOATS, pm_track_of(b, 0, i), own[i]);
        b->arcs_at[i] = PM_POINT_ARC_FLOATS * i;
    }
    for (size_t c = 0; c < 3 && b->in_double; c++)
        for (size_t i = 0; i < b->count; i++)
            b->x[c][i] = (double)b->from[3 * i + c];
    for (size_t i = b->count; i % PM_TRACK_GROUP; i++) { /* lanes behind the last point */
        b->arcs_at[i] = b->arcs_at[0];
        b->u[i] = 0;
    }
}

/* ---- results --------------------------------------------------------------------------------------------- */

/* Whether each point is valid; results of others become NaN. Returns the number of those. Singles are NaN where a point
 * is not finite. */
PM_CLONES static size_t find_valid(const pm_points_request *r, const pm_points_block *b,
                                   uint8_t *valid) {
    size_t invalid = 0;
    memset(valid, 1, b->count);
    for (size_t f = 0; f < r->job.frame_count; f++)
        for (size_t i = 0; i < b->count && !b->places[f].all_inside; i++)
            valid[i] &= b->places[f].states[i] != PM_STAMP_NOT_VALID;
    for (size_t i = 0; i < b->count && !r->singles && r->job.points.data; i++)
        valid[i] &= b->x[0][i] * 0 + b->x[1][i] * 0 + b->x[2][i] * 0 == 0;
    if (!r->singles || !b->places[0].all_inside)
        for (size_t i = 0; i < b->count; i++)
            invalid += !valid[i];
    return invalid;
}

static size_t note_odd(const pm_points_block *b, uint8_t *valid) {
    size_t invalid = 0;
    for (size_t i = 0; i < b->count; i++) {
        valid[i] = valid[i] && !isnan(b->to[3 * i]);
        invalid += !valid[i];
    }
    return invalid;
}

static void spoil(const uint8_t *valid, pm_points_block *b) {
    pm_point_numbers *const all[] = {b->x, b->q, b->p, b->v, b->w};
    static const size_t components[] = {3, 4, 3, 3, 3};
    for (size_t i = 0; i < b->count; i++)
        for (size_t n = 0; n < sizeof all / sizeof *all && !valid[i]; n++)
            for (size_t c = 0; c < components[n]; c++)
                all[n][c][i] = (double)NAN;
    for (size_t i = 0; i < b->count; i++)
        for (size_t c = 0; c < 3 && !valid[i]; c++)
            b->to[3 * i + c] = NAN;
}

/* Unit quaternions, and velocities in the axes that are asked for. */
PM_CLONES static void finish(const pm_points_request *r, pm_points_block *b) {
    const bool body = r->needs_rate && r->job.velocity_frame == PM_AXIS_BODY;
    for (size_t i = 0; i < b->count; i++) {
        const double x = b->q[0][i], y = b->q[1][i], z = b->q[2][i], w = b->q[3][i];
        const double scale = 1 / sqrt(x * x + y * y + z * z + w * w);
        b->q[0][i] = x * scale;
        b->q[1][i] = y * scale;
        b->q[2][i] = z * scale;
        b->q[3][i] = w * scale;
    }
    for (size_t i = 0; i < b->count && body; i++)
        for (size_t n = 0; n < 2; n++) {
            pm_point_numbers *of = n ? b->w : b->v;
            const double turn[] = {b->q[0][i], b->q[1][i], b->q[2][i], b->q[3][i]};
            double v[3] = {of[0][i], of[1][i], of[2][i]};
            pm_turn_back(turn, v);
            for (size_t c = 0; c < 3; c++)
                of[c][i] = v[c];
        }
}

static void write_results(const pm_points_request *r, size_t first, const uint8_t *valid,
                          pm_points_block *b) {
    const pm_points_job *job = &r->job;
    const ptrdiff_t stride = job->valid_stride ? job->valid_stride : 1;
    if (r->singles && job->moved.data)
        store_singles(&job->moved, first, b);
    else if (!r->singles)
        store(&job->moved, first, b->count, 3, b->x);
    store(&job->rotations, first, b->count, 4, b->q);
    store(&job->positions, first, b->count, 3, b->p);
    store(&job->velocities, first, b->count, 3, b->v);
    store(&job->angular_velocities, first, b->count, 3, b->w);
    if (job->valid && stride == 1)
        memcpy(job->valid + first, valid, b->count);
    for (size_t i = 0; job->valid && stride != 1 && i < b->count; i++)
        job->valid[(ptrdiff_t)(first + i) * stride] = valid[i];
}

static pm_status move_item(moving *m, const pm_piece *piece, pm_error *error) {
    const pm_points_request *r = m->request;
    size_t hints[PM_MAX_FRAMES] = {0}, invalid = 0;
    pm_points_block b;
    float own[PM_POINTS_BLOCK][PM_POINT_ARC_FLOATS];
    for (size_t k = 0; k < piece->count; k += b.count) {
        const size_t left = piece->count - k, first = piece->from + k;
        uint8_t valid[PM_POINTS_BLOCK];
        b.count = left < PM_POINTS_BLOCK ? left : PM_POINTS_BLOCK;
        const pm_status status = locate(m, first, hints, &b, error);
        if (status != PM_OK)
            return status;
        if (m->checks)
            continue;
        b.in_double = !r->singles || r->needs_pose;
        point_at_singles(r, first, &b);
        if (r->job.points.data)
            load_points(r, first, &b);
        if (r->singles)
            prepare_singles(r, &b, own);
        size_t bad = find_valid(r, &b, valid);
        m->functions->move(r, &b);
        if (r->singles && b.odd)
            bad = note_odd(&b, valid);
        if (r->needs_pose)
            finish(r, &b);
        if (bad)
            spoil(valid, &b);
        write_results(r, first, valid, &b);
        invalid += bad;
    }
    if (r->invalid)
        atomic_fetch_add(r->invalid, invalid);
    return PM_OK;
}

static void move_items(void *context, pm_items *items) {
    moving *m = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(m->request->job.count, ITEM_POINTS, item);
        pm_error error;
        pm_error_clear(&error);
        const pm_status status = move_item(m, &piece, &error);
        if (status != PM_OK)
            pm_first_failure_note(&m->failure, status, item, &error);
    }
}

static pm_status run(moving *m, pm_work work, pm_error *error) {
    const pm_points_request *r = m->request;
    pm_first_failure_begin(&m->failure);
    pm_status status = pm_run_pieces(r->host, r->threads, pm_piece_count(r->job.count, ITEM_POINTS),
                                     work, m, error);
    if (status == PM_OK && m->failure.status != PM_OK) {
        status = m->failure.status;
        if (error)
            *error = m->failure.error;
    }
    pm_first_failure_end(&m->failure);
    return status;
}

pm_status pm_cpu_move_points(size_t instruction_set, const pm_points_request *request,
                             pm_error *error) {
    moving m = {.request = request, .functions = sets[instruction_set]};
    return run(&m, move_items, error);
}

pm_status pm_cpu_check_points(const pm_points_request *request, pm_error *error) {
    moving m = {.request = request, .functions = sets[0], .checks = true};
    return run(&m, move_items, error);
}
