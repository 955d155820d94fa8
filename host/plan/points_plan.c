/* SPDX-License-Identifier: MIT
 *
 * Fields of requests for points, what is made of their keys once for a job, and the launch that moves them.
 */
#include <string.h>

#include "plan.h"
#include "points_request.h"

/* ---- fields --------------------------------------------------------------------------------------------- */

/* Where the jobs have the data of fields. */
#define OF(member) offsetof(pm_points_job, member)
static const size_t data_of[PM_POINTS_FIELDS] = {[PM_POINTS_STAMPS] = OF(stamps.data),
                                                 [PM_POINTS_POINTS] = OF(points.data),
                                                 [PM_POINTS_TRACKS] = OF(frames[0].tracks.data),
                                                 [PM_POINTS_TRACKS + 1] = OF(frames[1].tracks.data),
                                                 [PM_POINTS_TRACKS + 2] = OF(frames[2].tracks.data),
                                                 [PM_POINTS_TRACKS + 3] = OF(frames[3].tracks.data),
                                                 [PM_POINTS_MOVED] = OF(moved.data),
                                                 [PM_POINTS_ROTATIONS] = OF(rotations.data),
                                                 [PM_POINTS_POSITIONS] = OF(positions.data),
                                                 [PM_POINTS_VELOCITIES] = OF(velocities.data),
                                                 [PM_POINTS_ANGULAR_VELOCITIES] =
                                                     OF(angular_velocities.data),
                                                 [PM_POINTS_VALID] = OF(valid)};

static void *get_data(const pm_points_job *job, unsigned field) {
    void *data;
    memcpy(&data, (const char *)job + data_of[field], sizeof data);
    return data;
}

static void set_data(pm_points_job *job, unsigned field, const void *data) {
    memcpy((char *)job + data_of[field], &data, sizeof data);
}

static const char *const names[PM_POINTS_FIELDS] = {
    "stamps", "points",    "tracks[0]", "tracks[1]",  "tracks[2]",          "tracks[3]",
    "moved",  "rotations", "positions", "velocities", "angular_velocities", "valid"};

/* The outputs that are coordinates. */
static pm_coordinates_out *output_of(pm_points_job *job, unsigned field) {
    pm_coordinates_out *const all[] = {&job->moved, &job->rotations, &job->positions,
                                       &job->velocities, &job->angular_velocities};
    return all[field - PM_POINTS_MOVED];
}

static pm_points_rows coordinates(pm_coordinate_type type, ptrdiff_t stride, ptrdiff_t step,
                                  size_t numbers) {
    const size_t bytes = type == PM_COORDINATE_FLOAT64 ? sizeof(double) : sizeof(float);
    return (pm_points_rows){.stride = stride ? stride : (ptrdiff_t)(numbers * bytes),
                            .step = step ? step : (ptrdiff_t)bytes,
                            .bytes = bytes,
                            .numbers = numbers,
                            .type = type};
}

static pm_points_rows numbers(size_t bytes, ptrdiff_t stride) {
    return (pm_points_rows){
        .stride = stride ? stride : (ptrdiff_t)bytes, .bytes = bytes, .numbers = 1};
}

pm_points_rows pm_points_rows_of(const pm_points_request *request, unsigned field) {
    const pm_points_job *job = &request->job;
    unsigned char *memory = get_data(job, field);
    pm_points_rows rows = {.bytes = 0};
    if (!memory && !request->handles[field].handle)
        return rows;
    if (field == PM_POINTS_STAMPS)
        rows = numbers(pm_stamp_bytes(job->stamps.type), job->stamps.stride);
    else if (field == PM_POINTS_POINTS)
        rows = coordinates(job->points.type, job->points.stride, job->points.step, 3);
    else if (field < PM_POINTS_MOVED)
        rows = numbers(job->frames[field - PM_POINTS_TRACKS].tracks.bytes,
                       job->frames[field - PM_POINTS_TRACKS].tracks.stride);
    else if (field == PM_POINTS_VALID)
        rows = numbers(1, job->valid_stride);
    else {
        const pm_coordinates_out *out = output_of((pm_points_job *)(uintptr_t)job, field);
        rows = coordinates(out->type, out->stride, out->step, field == PM_POINTS_ROTATIONS ? 4 : 3);
    }
    rows.name = names[field];
    rows.memory = memory;
    return rows;
}

/* Every call copies numbers of one size, which compilers know then. */
static inline __attribute__((always_inline)) void copy_numbers(const pm_points_rows *rows,
                                                               size_t count, size_t bytes,
                                                               bool pack, unsigned char *packed) {
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < rows->numbers; c++, packed += bytes) {
            unsigned char *at =
                rows->memory + (ptrdiff_t)i * rows->stride + (ptrdiff_t)c * rows->step;
            memcpy(pack ? packed : at, pack ? at : packed, bytes);
        }
}

void pm_points_copy(const pm_points_rows *rows, size_t count, bool pack, unsigned char *packed) {
    if (rows->bytes == 8)
        copy_numbers(rows, count, 8, pack, packed);
    else if (rows->bytes == 4)
        copy_numbers(rows, count, 4, pack, packed);
    else
        copy_numbers(rows, count, rows->bytes, pack, packed);
}

void pm_points_place(pm_points_request *request, unsigned field, pm_address at) {
    pm_points_job *job = &request->job;
    if (field == PM_POINTS_STAMPS)
        job->stamps.stride = 0;
    else if (field == PM_POINTS_POINTS)
        job->points.stride = job->points.step = 0;
    else if (field < PM_POINTS_MOVED)
        job->frames[field - PM_POINTS_TRACKS].tracks.stride = 0;
    else if (field == PM_POINTS_VALID)
        job->valid_stride = 0;
    else
        output_of(job, field)->stride = output_of(job, field)->step = 0;
    set_data(job, field, at.memory);
    request->handles[field] = at.handle ? at : (pm_address){0};
}

void pm_points_use_memory(pm_points_request *request) {
    for (unsigned f = 0; f < PM_POINTS_FIELDS; f++)
        if (request->handles[f].memory) {
            set_data(&request->job, f, request->handles[f].memory);
            request->handles[f] = (pm_address){0};
        }
}

static bool gives(const pm_points_request *r, unsigned field) {
    return get_data(&r->job, field) || r->handles[field].handle;
}

void pm_points_resolve(pm_points_request *r) {
    const pm_points_job *job = &r->job;
    const pm_trajectory *outer = job->frames[0].trajectory;
    r->by_track = job->to_reference && gives(r, PM_POINTS_TRACKS);
    r->needs_rate = gives(r, PM_POINTS_VELOCITIES) || gives(r, PM_POINTS_ANGULAR_VELOCITIES);
    r->needs_pose = r->needs_rate || gives(r, PM_POINTS_ROTATIONS) || gives(r, PM_POINTS_POSITIONS);
    r->singles = outer->arcs && job->frame_count == 1 && !job->frames[0].inverse && !job->inverse &&
                 gives(r, PM_POINTS_POINTS) && job->points.type == PM_COORDINATE_FLOAT32 &&
                 (!gives(r, PM_POINTS_MOVED) || job->moved.type == PM_COORDINATE_FLOAT32);
}

pm_points_request pm_points_request_piece(const pm_points_request *request, const pm_piece *piece) {
    pm_points_request part = *request;
    part.job.count = piece->count;
    for (unsigned f = 0; f < PM_POINTS_FIELDS; f++) {
        const pm_points_rows rows = pm_points_rows_of(request, f);
        const ptrdiff_t by = rows.bytes ? (ptrdiff_t)piece->from * rows.stride : 0;
        if (rows.memory)
            set_data(&part.job, f, rows.memory + by);
        part.handles[f].offset += (size_t)by;
    }
    return part;
}

/* ---- keys ----------------------------------------------------------------------------------------------- */

static void multiply(double a[3][3], double b[3][3], double to[3][3]) {
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            to[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
}

static void matrix_of(const double q[4], double to[3][3]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double s = 2 / (x * x + y * y + z * z + w * w);
    const double all[3][3] = {{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                              {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                              {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
    memcpy(to, all, sizeof all);
}

static double row_times(const double row[3], const double v[3]) {
    return row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
}

/* What is left of an arc behind u, and lasts as long as a part. */
static pm_rigid_arc part_of(const pm_rigid_arc *arc, bool screw, pm_u32 parts, double u) {
    const pm_dquat q = pm_arc_rotation(arc, u);
    const pm_dvector t = pm_arc_moved(arc, screw, PM_ALL_TERMS, u, pm_dvector_of(0, 0, 0));
    pm_rigid_arc part = {.q = {q.x, q.y, q.z, q.w}, .t = {t.x, t.y, t.z}};
    const double size = 1.0 / parts, arm[] = {t.x - arc->t[0], t.y - arc->t[1], t.z - arc->t[2]};
    for (size_t c = 0; c < 3; c++) {
        const size_t d = (c + 1) % 3, e = (c + 2) % 3;
        const double carried = screw ? arc->v[d] * arm[e] - arc->v[e] * arm[d] : 0;
        part.v[c] = size * arc->v[c];
        part.way[c] = size * (arc->way[c] + carried);
    }
    part.along = size * size * arc->along;
    part.angle2 = size * size * arc->angle2;
    return part;
}

void pm_points_make_arc(const pm_points_request *r, size_t number, size_t track,
                        float to[PM_POINT_ARC_FLOATS]) {
    const pm_trajectory *t = r->job.frames[0].trajectory;
    const pm_rigid_arc part = t->parts == 1
                                  ? t->arcs[number]
                                  : part_of(&t->arcs[number / t->parts], t->screw, t->parts,
                                            (double)(number % t->parts) / t->parts);
    const pm_rigid_arc *arc = &part;
    const pm_points_end *end = &r->ends[r->by_track ? track : 0];
    const double moves = r->job.directions ? 0 : 1;
    double after[3][3], at_key[3][3], before[3][3], turn[3][3], all[3][3];
    matrix_of(end->pose.rotation, after);
    matrix_of(arc->q, at_key);
    matrix_of(r->before.rotation, before);
    multiply(after, at_key, turn);
    multiply(turn, before, all);
    for (size_t c = 0; c < 3; c++) {
        const double at[3] = {arc->t[0] - end->shift[0], arc->t[1] - end->shift[1],
                              arc->t[2] - end->shift[2]};
        for (size_t k = 0; k < 3; k++)
            to[4 * c + k] = (float)all[c][k];
        to[4 * c + 3] = (float)(moves * row_times(turn[c], r->before.position));
        to[12 + c] = (float)row_times(after[c], arc->v);
        to[16 + c] = (float)(moves * row_times(after[c], arc->way));
        to[20 + c] = (float)(moves * (row_times(after[c], at) + end->pose.position[c])) +
                     0.0f; /* never -0: then the sum of a finite point is no -0, either */
    }
    to[15] = (float)arc->angle2;
    to[19] = (float)(moves * arc->along);
    to[23] = 0;
}

size_t pm_trajectory_arcs(const pm_trajectory *t) {
    size_t total = 0;
    for (size_t track = 0; track < t->clip->track_count; track++)
        total += t->parts * pm_trajectory_keys(t, track);
    return total;
}

pm_status pm_points_make_arcs(const pm_points_request *r, float **arcs, pm_error *error) {
    const pm_trajectory *t = r->job.frames[0].trajectory;
    /* cannot overflow: pm_rigid_arcs with a sixth of the bytes are in memory */
    *arcs = pm_allocate_lines(r->host, pm_trajectory_arcs(t) * PM_POINT_ARC_FLOATS * sizeof **arcs);
    if (!*arcs)
        return pm_fail_memory(error);
    for (size_t track = 0, k = 0; track < t->clip->track_count; track++)
        for (const size_t end = k + t->parts * pm_trajectory_keys(t, track); k < end; k++)
            pm_points_make_arc(r, k, track, *arcs + PM_POINT_ARC_FLOATS * k);
    return PM_OK;
}

/* ---- on devices ------------------------------------------------------------------------------------------- */

bool pm_points_have_kernel(const pm_points_request *r, const pm_plan_device *device) {
    return gives(r, PM_POINTS_POINTS) && !r->needs_pose &&
           r->job.outside != PM_OUTSIDE_EXTRAPOLATE && (r->singles || device->has_double);
}

pm_point_track *pm_points_make_tracks(const pm_points_request *r, unsigned frame) {
    const pm_trajectory *t = r->job.frames[frame].trajectory;
    pm_point_track *tracks = pm_allocate_zeroed(r->host, t->clip->track_count, sizeof *tracks);
    for (size_t i = 0; tracks && i < t->clip->track_count; i++)
        tracks[i] = (pm_point_track){.first_stamp = t->firsts[t->clip->timeline_of[i]],
                                     .first_arc = t->first_arcs ? t->first_arcs[i] : 0,
                                     .key_count = (pm_u32)pm_trajectory_keys(t, i)};
    return tracks;
}

static pm_point_field field_of(const pm_points_request *r, unsigned field) {
    const pm_points_rows rows = pm_points_rows_of(r, field);
    const size_t all = r->handles[field].offset | (size_t)rows.stride | (size_t)rows.step;
    return (pm_point_field){.offset = (pm_s64)r->handles[field].offset,
                            .stride = rows.stride,
                            .step = rows.step,
                            .bytes = (pm_u32)rows.bytes,
                            .aligned = all % sizeof(pm_u32) == 0};
}

static pm_point_fields fields_of(const pm_points_request *r, unsigned frame) {
    const pm_stamps *stamps = &r->job.stamps;
    const pm_moving_frame *by = &r->job.frames[frame];
    return (pm_point_fields){.stamps = field_of(r, PM_POINTS_STAMPS),
                             .points = field_of(r, PM_POINTS_POINTS),
                             .tracks = field_of(r, PM_POINTS_TRACKS + frame),
                             .moved = field_of(r, PM_POINTS_MOVED),
                             .valid = field_of(r, PM_POINTS_VALID),
                             .base = stamps->base,
                             .max_gap = r->rules.max_gap,
                             .kind = stamps->type >= PM_STAMP_FLOAT64 ? PM_POINT_SECONDS
                                     : stamps->type == PM_STAMP_INT64 ? PM_POINT_SIGNED
                                                                      : PM_POINT_UNSIGNED,
                             .unit = stamps->unit ? stamps->unit : 1,
                             .track = by->track,
                             .track_count = (pm_u32)by->trajectory->clip->track_count,
                             .clamps = r->rules.outside == PM_OUTSIDE_CLAMP,
                             .screw = by->trajectory->screw,
                             .parts = by->trajectory->parts};
}

/* The names have static storage. */
static pm_variant variant_of(const pm_points_request *r, unsigned frame) {
    const pm_trajectory *t = r->job.frames[frame].trajectory;
    const pm_channel *turns = &t->clip->channels[PM_ROTATIONS];
    const pm_channel *places = &t->clip->channels[PM_POSITIONS];
    pm_variant variant = {
        .file = r->singles ? "points" : "points_arcs", .curve = "slerp", .components = 4};
    if (t->arcs)
        return variant;
    variant.file = "points_curves";
    variant.vector_curve = "vector_linear";
    if (turns->present) {
        variant.curve = pm_curves[turns->impl.curve].name;
        variant.format = turns->format;
    }
    if (places->present)
        variant.vector_curve = pm_curves[places->impl.curve].name;
    return variant;
}

/* Whether poses of frame 0 less the shift of an end are made from poses in W. */
static bool shifts_apart(const pm_points_request *r, unsigned frame) {
    return frame == 0 && (r->by_track || r->job.frames[0].inverse);
}

static pm_point_frame frame_of(const pm_points_request *r, unsigned launch, unsigned frame) {
    const pm_points_job *job = &r->job;
    const pm_trajectory *t = job->frames[frame].trajectory;
    const bool is_first = launch == 0, is_last = launch + 1 == job->frame_count;
    const pm_u32 before = r->before_is_identity ? PM_FIXED_NONE : PM_FIXED_BEFORE;
    const pm_u32 end = r->end_is_identity ? PM_FIXED_NONE : PM_FIXED_END;
    const bool shifts = shifts_apart(r, frame);
    pm_point_frame f = {.before = r->before,
                        .constant_floats = 4 * t->clip->padded_tracks,
                        .first = !is_first      ? PM_FIXED_NONE
                                 : job->inverse ? end
                                                : before,
                        .last = !is_last       ? PM_FIXED_NONE
                                : job->inverse ? before
                                               : end,
                        .inverts = job->inverse,
                        .directions = job->directions,
                        .by_track = r->by_track,
                        .is_inverse = job->frames[frame].inverse,
                        .shifts = shifts,
                        .moves_along =
                            t->arcs && !job->frames[frame].inverse && !job->inverse && !r->by_track,
                        .screw = t->screw,
                        .terms = t->parts == 1 ? PM_FEW_TERMS : PM_ALL_TERMS,
                        .has_rotations = t->clip->channels[PM_ROTATIONS].present,
                        .has_positions = t->clip->channels[PM_POSITIONS].present,
                        .has_rests = t->clip->channels[PM_SCALES].present,
                        .integers = is_first && job->points.type == PM_COORDINATE_INT32,
                        .goes_on = !is_first,
                        .is_before = !is_last};
    for (size_t c = 0; c < 3; c++) {
        const double shift = frame > 0 || shifts ? 0 : r->ends->shift[c];
        f.origin[c] = t->arcs ? shift : t->origin[c] - shift;
        f.scale[c] = job->points.scale[c] != 0 ? job->points.scale[c] : 1;
        f.offset[c] = job->points.offset[c];
    }
    return f;
}

unsigned pm_points_frame_at(const pm_points_request *r, unsigned launch) {
    return r->job.inverse ? launch : (unsigned)r->job.frame_count - 1 - launch;
}

pm_step pm_plan_points(const pm_points_request *r, unsigned launch) {
    const unsigned frame = pm_points_frame_at(r, launch);
    pm_step step = {.variant = variant_of(r, frame), .items = r->job.count};
    step.parameters = pm_parameters_of(step.variant.file, &step.parameter_count);
    step.numbers.sample_count = (pm_u32)r->job.count;
    step.numbers.fields = fields_of(r, frame);
    step.numbers.frame = frame_of(r, launch, frame);
    return step;
}

/* Kernels count points in 32 bits, and work sizes are rounded up. */
size_t pm_plan_launch_points(const pm_points_request *r, const pm_plan_device *device) {
    const size_t limit =
        pm_plan_launch_limit(device, r->singles ? PM_WORK_OF_VALUE : PM_WORK_OF_MOTION);
    const size_t most = (size_t)1 << (r->job.frame_count > 1 ? 22 : 30);
    return limit < most ? limit : most;
}
