/* SPDX-License-Identifier: MIT
 *
 * Points that trajectories move on devices, in host memory and in buffers on callers' queues: records of random layouts
 * have, to the last byte, what plain C leaves in them.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "support/cl_caller.h"
#include "support/engines.h"
#include "support/motion.h"

enum { KEYS = 30, TRACKS = 3, MOST_POINTS = 700, TAIL = 40 };

static const int64_t epoch = 1700000000123456789;

FIXTURE(open_all) {
    return caller_open() ? 0 : 1;
}

static int close_all(void **state) {
    caller_close();
    return engines_close(state);
}

/* ---- trajectories ---- */

/* The same for each engine. Keys turn by up to 3 radians, of curves that may not exist then by up to 1. */
static pm_trajectory *make_trajectory(pm_engine *engine, pm_method method, bool screw,
                                      uint64_t salt) {
    random_source r = random_salted(salt);
    const bool uniform = pm_method_get_info(method)->needs_uniform_keys;
    const double most = method == PM_METHOD_SLERP ? 3 : 1;
    motion m = motion_make(KEYS, TRACKS, most * random_unit(&r), salt);
    double positions[KEYS * TRACKS * 3];
    int64_t stamps[KEYS];
    for (size_t k = 0; k < KEYS; k++)
        stamps[k] =
            k ? stamps[k - 1] + 1 + (int64_t)(1e8 * (uniform ? 0.6 : random_unit(&r))) : epoch;
    for (size_t i = 0; i < (size_t)KEYS * TRACKS * 3; i++)
        positions[i] = 6.4e6 + (double)m.positions[i];
    pm_trajectory_desc desc = {.motion = motion_desc(&m, NULL, method),
                               .key_count = KEYS,
                               .stamps.data = stamps,
                               .screw = screw};
    desc.motion.scales = desc.motion.scales_in = desc.motion.scales_out = (pm_array){.data = NULL};
    desc.motion.positions = (pm_array){.data = positions, .type = PM_FLOAT64};
    if (!screw && random_unit(&r) < 0.1)
        desc.motion.positions = desc.motion.positions_in = desc.motion.positions_out =
            (pm_array){.data = NULL};
    if (!screw && desc.motion.positions.data && method == PM_METHOD_SLERP && random_unit(&r) < 0.2)
        desc.motion.vector_method = PM_VECTOR_CATMULL_ROM;
    pm_trajectory *t = NULL;
    expect_success(pm_trajectory_create(engine, &desc, &t, new_error()));
    motion_free(&m);
    return t;
}

/* ---- records ---- */

/* Bytes before the first record's numbers, in memory of `size` bytes. */
typedef struct layout {
    size_t place[PM_POINTS_FIELDS]; /* 0: there is no such field */
    size_t size;
    ptrdiff_t stride;
} layout;

/* What computes a job: kernels in float32 and in double, and else plain C. */
typedef enum records_kind { SINGLES, DOUBLES, ANY, KINDS } records_kind;

/* A job whose fields are in records, and the records. */
typedef struct records {
    pm_points_job job; /* without data */
    layout at;
    unsigned char *memory;
    records_kind kind;
} records;

static size_t bytes_of(const records *s, unsigned field) {
    static const size_t of_stamps[] = {8, 8, 4, 8, 4};
    const pm_coordinates_out *out[] = {&s->job.moved, &s->job.rotations, &s->job.positions,
                                       &s->job.velocities, &s->job.angular_velocities};
    if (field == PM_POINTS_STAMPS)
        return of_stamps[s->job.stamps.type];
    if (field == PM_POINTS_POINTS)
        return s->job.points.type == PM_COORDINATE_FLOAT64 ? 24 : 12;
    if (field < PM_POINTS_MOVED)
        return s->job.frames[field - PM_POINTS_TRACKS].tracks.bytes;
    if (field == PM_POINTS_VALID)
        return 1;
    const size_t number = out[field - PM_POINTS_MOVED]->type == PM_COORDINATE_FLOAT64 ? 8 : 4;
    return number * (field == PM_POINTS_ROTATIONS ? 4 : 3);
}

/* Fields one after another in records, with gaps, or all at multiples of 8; the last record may be the first. */
static void lay_out(records *s, unsigned wanted, bool in_place, random_source *r) {
    const bool aligned = random_unit(r) < 0.5, backwards = random_unit(r) < 0.3;
    size_t end = aligned ? 0 : random_size(r, 0, 3);
    const size_t lead = aligned ? 8 * random_size(r, 1, 3) : random_size(r, 1, 17);
    for (unsigned f = 0; f < PM_POINTS_FIELDS; f++)
        if (wanted >> f & 1 && !(in_place && f == PM_POINTS_MOVED)) {
            s->at.place[f] = lead + end;
            end += bytes_of(s, f) + random_size(r, 0, 3);
            end = aligned ? (end + 7) / 8 * 8 : end;
        }
    if (in_place)
        s->at.place[PM_POINTS_MOVED] = s->at.place[PM_POINTS_POINTS];
    s->at.stride = (ptrdiff_t)end;
    s->at.size = lead + s->job.count * end + TAIL;
    for (unsigned f = 0; backwards && f < PM_POINTS_FIELDS; f++)
        s->at.place[f] += s->at.place[f] ? (s->job.count - 1) * end : 0;
    s->at.stride = backwards ? -s->at.stride : s->at.stride;
    pm_coordinates_out *const out[] = {&s->job.moved, &s->job.rotations, &s->job.positions,
                                       &s->job.velocities, &s->job.angular_velocities};
    s->job.stamps.stride = s->job.points.stride = s->job.valid_stride = s->at.stride;
    for (size_t i = 0; i < COUNT_OF(out); i++)
        out[i]->stride = s->at.stride;
    for (size_t f = 0; f < PM_MAX_FRAMES; f++)
        s->job.frames[f].tracks.stride = s->at.stride;
}

static unsigned char *record_at(const records *s, unsigned field, size_t i) {
    return s->memory + (ptrdiff_t)s->at.place[field] + (ptrdiff_t)i * s->at.stride;
}

/* A time from a second before the first key on. */
static void put_stamp(const records *s, size_t i, random_source *r) {
    const double seconds = 4 * random_unit(r);
    const uint64_t units = (uint64_t)(seconds * 1e9 / 3);
    const uint32_t few_units = (uint32_t)units;
    const float few = (float)seconds;
    const void *const of[] = {&units, &units, &few_units, &seconds, &few};
    memcpy(record_at(s, PM_POINTS_STAMPS, i), of[s->job.stamps.type], bytes_of(s, 0));
}

static void put_point(const records *s, size_t i, random_source *r) {
    double x[3];
    float few[3];
    int32_t whole[3];
    for (size_t c = 0; c < 3; c++)
        whole[c] = (int32_t)(random_unit(r) * 4e9 - 2e9);
    for (size_t c = 0; c < 3; c++)
        x[c] = random_unit(r) < 0.01 ? (double)INFINITY : 200 * random_unit(r) - 100;
    for (size_t c = 0; c < 3; c++)
        few[c] = random_unit(r) < 0.01 ? NAN : (float)x[c];
    if (s->job.points.type == PM_COORDINATE_FLOAT64)
        memcpy(record_at(s, PM_POINTS_POINTS, i), x, sizeof x);
    else if (s->job.points.type == PM_COORDINATE_INT32)
        memcpy(record_at(s, PM_POINTS_POINTS, i), whole, sizeof whole);
    else
        memcpy(record_at(s, PM_POINTS_POINTS, i), few, sizeof few);
}

static void put_track(const records *s, unsigned frame, size_t i, uint32_t track) {
    unsigned char *to = record_at(s, PM_POINTS_TRACKS + frame, i);
    const uint16_t half = (uint16_t)track;
    const uint8_t byte = (uint8_t)track;
    const size_t bytes = s->job.frames[frame].tracks.bytes;
    if (bytes)
        memcpy(to,
               bytes == 4   ? (const void *)&track
               : bytes == 2 ? (const void *)&half
                            : &byte,
               bytes);
}

static void fill(records *s, random_source *r) {
    s->memory = test_array(s->at.size, 1);
    memset(s->memory, 0xff, s->at.size);
    for (size_t i = 0; i < s->job.count; i++) {
        put_stamp(s, i, r);
        put_point(s, i, r);
        for (unsigned f = 0; f < PM_MAX_FRAMES; f++)
            if (s->at.place[PM_POINTS_TRACKS + f])
                put_track(s, f, i, (uint32_t)random_size(r, 0, TRACKS - 1));
    }
}

/* ---- jobs ---- */

static pm_fixed_pose random_fixed(random_source *r) {
    pm_fixed_pose p;
    random_quaternion(r, p.rotation);
    for (size_t c = 0; c < 3; c++)
        p.position[c] = 10 * random_unit(r) - 5;
    return p;
}

static bool maybe(random_source *r) {
    return random_unit(r) < 0.5;
}

static pm_coordinate_type any_type(random_source *r) {
    return maybe(r) ? PM_COORDINATE_FLOAT32 : PM_COORDINATE_FLOAT64;
}

static records random_records(records_kind kind, random_source *r) {
    const bool any = kind == ANY;
    records s = {.kind = kind};
    pm_points_job *j = &s.job;
    j->count = random_size(r, 1, MOST_POINTS);
    j->stamps.type = (pm_stamp_type)random_size(r, 0, PM_STAMP_FLOAT32);
    j->stamps.unit = j->stamps.type >= PM_STAMP_FLOAT64 ? 0 : 3;
    j->stamps.base = epoch - 1000000000;
    j->frame_count = kind == SINGLES ? 1 : random_size(r, 1, PM_MAX_FRAMES);
    for (size_t f = 0; f < j->frame_count; f++) {
        j->frames[f].track = (uint32_t)random_size(r, 0, TRACKS - 1);
        j->frames[f].inverse = kind != SINGLES && maybe(r);
    }
    j->outside = maybe(r) ? PM_OUTSIDE_CLAMP : PM_OUTSIDE_INVALID;
    j->max_gap = maybe(r) ? 90000000 : 0;
    j->directions = random_unit(r) < 0.2;
    if (maybe(r))
        j->before = random_fixed(r);
    if (maybe(r))
        j->after = random_fixed(r);
    for (size_t c = 0; c < 3; c++)
        j->origin[c] = 6.4e6;
    unsigned wanted = 1u << PM_POINTS_STAMPS | 1u << PM_POINTS_POINTS;
    bool tracks = false;
    for (unsigned f = 0; f < j->frame_count; f++)
        if (maybe(r)) {
            j->frames[f].tracks.bytes = 1u << random_size(r, 0, 2);
            wanted |= 1u << (PM_POINTS_TRACKS + f);
            tracks = true;
        }
    j->to_reference = maybe(r) && (j->frame_count == 1 || !tracks);
    j->reference = epoch + 700000000;
    j->max_gap = j->to_reference ? 0 : j->max_gap; /* which is in no gap then */
    if (kind != SINGLES) {
        j->points.type = (pm_coordinate_type)random_size(r, 0, PM_COORDINATE_INT32);
        j->points.scale[0] = j->points.scale[2] = 1e-3;
        j->points.offset[1] = 6.4e6;
        j->inverse = maybe(r);
        j->moved.type = any_type(r);
    }
    if (any) {
        j->rotations.type = j->positions.type = any_type(r);
        wanted |= 1u << PM_POINTS_ROTATIONS | 1u << PM_POINTS_POSITIONS;
        if (!j->inverse)
            wanted |= 1u << PM_POINTS_VELOCITIES | 1u << PM_POINTS_ANGULAR_VELOCITIES;
        if (maybe(r)) {
            j->outside = PM_OUTSIDE_EXTRAPOLATE;
            j->max_extrapolation = 400000000;
        }
    }
    if (random_unit(r) < 0.9)
        wanted |= 1u << PM_POINTS_MOVED;
    if (maybe(r) || !(wanted >> PM_POINTS_MOVED & 1))
        wanted |= 1u << PM_POINTS_VALID;
    const bool in_place =
        wanted >> PM_POINTS_MOVED & 1 && j->moved.type == j->points.type && maybe(r);
    lay_out(&s, wanted, in_place, r);
    fill(&s, r);
    return s;
}

/* Each has a program, which takes a second to compile. Others read the same as one of the four: coefficients, four
 * keys, constants, or none of these. */
static pm_method draw_method(random_source *r) {
    static const pm_method few[] = {PM_METHOD_SLERP, PM_METHOD_SQUAD, PM_METHOD_CUBIC,
                                    PM_METHOD_STERP};
    return long_sweeps() ? (pm_method)random_size(r, 0, PM_METHOD_COUNT - 1)
                         : few[random_size(r, 0, COUNT_OF(few) - 1)];
}

static void give_trajectories(pm_engine *engine, records *s, uint64_t salt) {
    for (size_t f = 0; f < s->job.frame_count; f++) {
        random_source r = random_salted(10 * salt + f);
        const bool arcs = s->kind == SINGLES || random_unit(&r) < 0.3;
        const pm_method method = arcs ? PM_METHOD_SLERP : draw_method(&r);
        s->job.frames[f].trajectory =
            make_trajectory(engine, method, arcs && maybe(&r), 10 * salt + f);
    }
}

static void take_trajectories(records *s) {
    for (size_t f = 0; f < s->job.frame_count; f++)
        pm_trajectory_destroy((pm_trajectory **)(uintptr_t)&s->job.frames[f].trajectory);
}

/* The job with some fields of records in host memory. */
static pm_points_job job_in(const records *s, unsigned char *memory, unsigned fields) {
    pm_points_request request = {.job = s->job};
    for (unsigned f = 0; f < PM_POINTS_FIELDS; f++)
        if (s->at.place[f] && fields >> f & 1)
            request.handles[f] = pm_in_memory(memory + s->at.place[f]);
    pm_points_use_memory(&request);
    return request.job;
}

static unsigned char *copy_of(const records *s) {
    return memcpy(test_array(s->at.size, 1), s->memory, s->at.size);
}

enum { ALL = (1 << PM_POINTS_FIELDS) - 1 };

static unsigned char *in_host_memory(pm_engine *engine, records *s, uint64_t salt,
                                     size_t *invalid) {
    unsigned char *memory = copy_of(s);
    give_trajectories(engine, s, salt);
    pm_points_job job = job_in(s, memory, ALL);
    job.invalid_count = invalid;
    expect_success(pm_move_points(&job, new_error()));
    take_trajectories(s);
    return memory;
}

/* Some inputs are in host memory, which is the caller's again when the call returns, as are the trajectories. */
static unsigned char *on_queue(cl_command_queue queue, records *s, uint64_t salt, bool *runs) {
    const unsigned inputs = (1u << PM_POINTS_MOVED) - 1;
    const unsigned in_memory = salt % 4 ? 0 : (unsigned)(salt * 2654435761u >> 7) & inputs;
    unsigned char *memory = copy_of(s);
    cl_int code;
    cl_mem buffer = caller_keep_buffer(
        clCreateBuffer(caller.context, CL_MEM_COPY_HOST_PTR, s->at.size, memory, &code));
    cl_event gate = gate_make(), done = NULL;
    pm_cl_field all[PM_POINTS_FIELDS] = {{NULL, 0}};
    pm_cl_points fields = {.next = NULL};
    for (unsigned f = 0; f < PM_POINTS_FIELDS; f++)
        if (s->at.place[f] && !(in_memory >> f & 1))
            all[f] = (pm_cl_field){buffer, s->at.place[f]};
    memcpy(&fields, all, sizeof all);
    give_trajectories(caller.engine, s, salt);
    const pm_points_job job = job_in(s, memory, in_memory);
    const bool plain = pm_queue_is_for_host(caller.engine->device);
    *runs = plain || s->kind == SINGLES ||
            (s->kind == DOUBLES && caller.engine->device->plan->has_double);
    const pm_status status = pm_cl_move_points(&job, &fields, queue, 1, &gate, &done, new_error());
    if (!*runs)
        expect_error(status, PM_ERROR_ARGUMENT, "no kernel");
    else
        expect_success(status);
    take_trajectories(s);
    memset(memory, 0xee, s->at.size);
    gate_open(gate);
    if (*runs)
        caller_keep_event(done);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, s->at.size, memory,
                                         *runs ? 1 : 0, *runs ? &done : NULL, NULL),
                     CL_SUCCESS);
    return memory;
}

static void expect_same(const records *s, const unsigned char *got, const unsigned char *want,
                        uint64_t salt, const char *where) {
    for (size_t i = 0; i < s->at.size; i++)
        if (got[i] != want[i])
            fail_msg("round %d, %s: byte %zu of records of %d is %02x, expected %02x", (int)salt,
                     where, i, (int)s->at.stride, got[i], want[i]);
}

static void check_round(uint64_t salt) {
    random_source r = random_salted(salt);
    records s = random_records((records_kind)(salt % KINDS), &r);
    size_t counts[2] = {77, 77};
    bool runs = false;
    cl_command_queue queue =
        caller.out_of_order && salt % 2 ? caller.out_of_order : caller.in_order;
    SCOPED(free_at)
    unsigned char *want = in_host_memory(engine_of_kind(ON_REFERENCE), &s, salt, &counts[0]);
    SCOPED(free_at) unsigned char *got = in_host_memory(caller.engine, &s, salt, &counts[1]);
    assert_int_equal(counts[0], counts[1]);
    expect_same(&s, got, want, salt, "in host memory");
    SCOPED(free_at) unsigned char *queued = on_queue(queue, &s, salt, &runs);
    if (runs)
        expect_same(&s, queued, want, salt, "on a queue");
    free(s.memory);
    caller_release(NULL);
}

CALLER_TEST(records_on_devices_and_queues_have_the_bits_of_plain_c) {
    for (uint64_t salt = 0; salt < (is_caller_on_oclgrind() ? 12 : 120); salt++)
        check_round(salt);
}

CALLER_TEST(a_point_of_a_track_that_there_is_none_of_is_invalid_on_a_queue) {
    random_source r = random_salted(0x0D);
    uint8_t tracks[] = {0, TRACKS, 2, 255}, valid[] = {9, 9, 9, 9};
    float points[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, moved[4][3];
    const int64_t stamps[4] = {epoch, epoch, epoch, epoch};
    cl_int code;
    pm_trajectory *t = make_trajectory(caller.engine, PM_METHOD_SLERP, maybe(&r), 1);
    const cl_mem to = caller_keep_buffer(
        clCreateBuffer(caller.context, CL_MEM_READ_WRITE, sizeof moved + 4, NULL, &code));
    pm_points_job job = {.count = 4,
                         .stamps.data = stamps,
                         .points.data = points,
                         .frames = {{.trajectory = t, .tracks = {tracks, 1, 0}}},
                         .frame_count = 1,
                         .outside = PM_OUTSIDE_CLAMP};
    const pm_cl_points fields = {.moved = {to, 0}, .valid = {to, sizeof moved}};
    expect_success(pm_cl_move_points(&job, &fields, caller.in_order, 0, NULL, NULL, new_error()));
    assert_int_equal(
        clEnqueueReadBuffer(caller.in_order, to, CL_TRUE, 0, sizeof moved, moved, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(
        clEnqueueReadBuffer(caller.in_order, to, CL_TRUE, sizeof moved, 4, valid, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(valid[i], i % 2 == 0);
        for (size_t c = 0; c < 3; c++)
            assert_int_equal(isnan(moved[i][c]), i % 2 != 0);
    }
    job.moved.data = moved; /* in host memory it is refused */
    expect_error(pm_move_points(&job, new_error()), PM_ERROR_ARGUMENT, "the track of point 1, 3");
    job.frames[0].tracks.data = NULL;
    job.outside = PM_OUTSIDE_REFUSE;
    int64_t late[4] = {epoch, epoch, INT64_MAX / 2, epoch - 1};
    job.stamps.data = late;
    expect_error(pm_move_points(&job, new_error()), PM_ERROR_TIME, "point 2,");
    pm_trajectory_destroy(&t);
}

/* ---- what is refused ---- */

typedef struct refusable {
    pm_points_job job;
    pm_cl_points fields;
} refusable;

typedef struct refusal {
    void (*change)(refusable *q);
    const char *words;
} refusal;

#define CHANGE(name, ...)                                                                          \
    static void name(refusable *q) {                                                               \
        __VA_ARGS__;                                                                               \
    }
static size_t number_of_invalid;
CHANGE(refuse, q->job.outside = PM_OUTSIDE_REFUSE)
CHANGE(count, q->job.invalid_count = &number_of_invalid)
CHANGE(no_stamps, q->fields.stamps.buffer = NULL)
CHANGE(both, q->job.stamps.data = q)
CHANGE(output_in_memory, q->job.valid = (uint8_t *)q)
CHANGE(no_output, q->fields.moved.buffer = NULL)
CHANGE(too_far, q->fields.moved.offset += 1)
CHANGE(far, q->fields.points.offset = SIZE_MAX)
CHANGE(before, q->job.points.stride = -12)
CHANGE(wide, q->job.moved.stride = PTRDIFF_MAX)
CHANGE(wide_step, q->job.points.step = PTRDIFF_MIN)
CHANGE(many, q->job.count = SIZE_MAX)

CALLER_TEST(jobs_that_queues_cannot_have_are_refused) {
    static const refusal all[] = {{refuse, "PM_OUTSIDE_REFUSE"},
                                  {count, "invalid_count"},
                                  {no_stamps, "stamps.data is NULL"},
                                  {both, "stamps: the job has data in host memory, and a buffer"},
                                  {output_in_memory, "valid: the job has data in host memory"},
                                  {no_output, "no output"},
                                  {too_far, "moved: the buffer has 80 bytes"},
                                  {far, "points: records begin before the buffer, or too far"},
                                  {before, "points: records begin before the buffer"},
                                  {wide, "moved: records begin before the buffer, or too far"},
                                  {wide_step, "points: records begin before"},
                                  {many, "stamps: records begin before the buffer, or too far"}};
    cl_int code;
    pm_trajectory *t = make_trajectory(caller.engine, PM_METHOD_SLERP, false, 2);
    const cl_mem buffer =
        caller_keep_buffer(clCreateBuffer(caller.context, CL_MEM_READ_WRITE, 80, NULL, &code));
    const refusable good = {
        .job = {.count = 4,
                .frames = {{.trajectory = t}},
                .frame_count = 1,
                .outside = PM_OUTSIDE_CLAMP},
        .fields = {.stamps = {buffer, 0}, .points = {buffer, 32}, .moved = {buffer, 32}}};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        refusable q = good;
        all[i].change(&q);
        expect_error(
            pm_cl_move_points(&q.job, &q.fields, caller.in_order, 0, NULL, NULL, new_error()),
            PM_ERROR_ARGUMENT, all[i].words);
    }
    refusable q = good;
    expect_next_refused(
        pm_cl_points, q.fields, last_error(),
        pm_cl_move_points(&q.job, &q.fields, caller.in_order, 0, NULL, NULL, new_error()));
    cl_event done = NULL;
    q.job.count = 0;
    expect_success(
        pm_cl_move_points(&q.job, &q.fields, caller.in_order, 0, NULL, &done, new_error()));
    caller_keep_event(done);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    pm_trajectory_destroy(&t);
    t = make_trajectory(engine_of_kind(ON_REFERENCE), PM_METHOD_SLERP, false, 2);
    q = good;
    q.job.frames[0].trajectory = t;
    expect_error(pm_cl_move_points(&q.job, &q.fields, caller.in_order, 0, NULL, NULL, new_error()),
                 PM_ERROR_ARGUMENT, "reference path");
    pm_trajectory_destroy(&t);
}

TEST_GROUP_ON_DEVICE(open_all, close_all)
