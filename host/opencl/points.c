/* SPDX-License-Identifier: MIT
 *
 * Points on an OpenCL device: in host memory, a piece after another, and on callers' queues. What is in host memory is
 * copied without gaps; buffers are released as soon as their kernels are enqueued.
 */
#include "device.h"

#include <string.h>

/* Points whose fields are copied at a time: some hundred MB. */
enum { PIECE_POINTS = 1 << 22 };

/* The fields that kernels know, the tracks of each frame among them. */
static const unsigned fields[] = {PM_POINTS_STAMPS,     PM_POINTS_POINTS,     PM_POINTS_TRACKS,
                                  PM_POINTS_TRACKS + 1, PM_POINTS_TRACKS + 2, PM_POINTS_TRACKS + 3,
                                  PM_POINTS_MOVED,      PM_POINTS_VALID};
enum { FIELDS = sizeof fields / sizeof *fields };

/* The memory of a frame's keys. */
static const pm_memory of_keys[] = {
    PM_MEMORY_KEY_STAMPS, PM_MEMORY_POINT_TRACKS, PM_MEMORY_KEYS,   PM_MEMORY_CONSTANTS,
    PM_MEMORY_LAYOUT,     PM_MEMORY_POSITIONS,    PM_MEMORY_SCALES, PM_MEMORY_VECTOR_LAYOUT};
enum { OF_KEYS = sizeof of_keys / sizeof *of_keys };

/* Between two frames of a chain: x y z and whether it is valid, in double. */
enum { BETWEEN_BYTES = 4 * sizeof(double) };

typedef struct points_call {
    pm_opencl_device *cl;
    pm_points_request request; /* all of its fields are in buffers */
    cl_mem own[FIELDS];        /* those that were made for it */
    cl_mem keys[PM_MAX_FRAMES][OF_KEYS];
    cl_mem ends, between;
    pm_error *error;
} points_call;

static pm_status upload(points_call *c, const void *data, size_t bytes, cl_mem *to) {
    const pm_source from = {.data = data, .bytes = bytes};
    return data ? pm_cl_upload(c->cl, "trajectory", &from, to, c->error) : PM_OK;
}

static pm_source source_of(const pm_points_request *r, const pm_trajectory *t, pm_memory memory) {
    const pm_clip_data *clip = t->clip;
    if (memory == PM_MEMORY_KEY_STAMPS)
        return (pm_source){t->stamps, t->firsts[clip->timeline_count] * sizeof *t->stamps, 0};
    if (r->singles && memory == PM_MEMORY_KEYS)
        return (pm_source){r->arcs, r->arc_count * PM_POINT_ARC_FLOATS * sizeof *r->arcs, 0};
    if (t->arcs && memory == PM_MEMORY_KEYS)
        return (pm_source){t->arcs, pm_trajectory_arcs(t) / t->parts * sizeof *t->arcs, 0};
    if (t->arcs)
        return (pm_source){0};
    switch ((int)memory) {
    case PM_MEMORY_POSITIONS:
        return pm_clip_source(clip, PM_POSITIONS, PM_MEMORY_KEYS);
    case PM_MEMORY_SCALES:
        return pm_clip_source(clip, PM_SCALES, PM_MEMORY_KEYS);
    case PM_MEMORY_VECTOR_LAYOUT:
        return pm_clip_source(clip, PM_POSITIONS, PM_MEMORY_LAYOUT);
    default:
        return pm_clip_source(clip, PM_ROTATIONS, memory);
    }
}

static pm_status make_keys(points_call *c, const pm_points_request *r) {
    pm_status status = upload(c, r->ends, r->end_count * sizeof *r->ends, &c->ends);
    for (unsigned f = 0; status == PM_OK && f < r->job.frame_count; f++) {
        const pm_trajectory *t = r->job.frames[f].trajectory;
        pm_point_track *tracks = pm_points_make_tracks(r, f);
        status = tracks ? PM_OK : pm_fail_memory(c->error);
        for (size_t i = 0; status == PM_OK && i < OF_KEYS; i++) {
            const pm_source from =
                of_keys[i] == PM_MEMORY_POINT_TRACKS
                    ? (pm_source){tracks, t->clip->track_count * sizeof *tracks, 0}
                    : source_of(r, t, of_keys[i]);
            status = upload(c, from.data, from.bytes, &c->keys[f][i]);
        }
        pm_release(tracks);
    }
    return status;
}

/* Makes a buffer for a field in host memory, an input's with its records. */
static pm_status make_field(points_call *c, size_t i) {
    const unsigned field = fields[i];
    const pm_points_rows rows = pm_points_rows_of(&c->request, field);
    const size_t bytes = c->request.job.count * pm_points_bytes(&rows);
    const bool copies = field < PM_POINTS_MOVED && !pm_points_are_packed(&rows);
    unsigned char *packed = copies ? pm_allocate(c->request.host, bytes) : NULL;
    if (copies && !packed)
        return pm_fail_memory(c->error);
    if (copies)
        pm_points_copy(&rows, c->request.job.count, true, packed);
    const pm_status status = pm_cl_buffer(c->cl, CL_MEM_READ_WRITE,
                                          copies                    ? packed
                                          : field < PM_POINTS_MOVED ? rows.memory
                                                                    : NULL,
                                          bytes, &c->own[i], c->error);
    pm_release(packed);
    pm_points_place(&c->request, field, (pm_address){.handle = c->own[i]});
    return status;
}

/* And what is between frames. */
static pm_status make_fields(points_call *c) {
    const pm_points_request *r = &c->request;
    const size_t size = pm_plan_launch_points(r, &c->cl->plan);
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < FIELDS; i++)
        if (pm_points_rows_of(r, fields[i]).memory)
            status = make_field(c, i);
    if (status == PM_OK && r->job.frame_count > 1 && r->job.count)
        status = pm_cl_buffer(c->cl, CL_MEM_READ_WRITE, NULL,
                              BETWEEN_BYTES * (r->job.count < size ? r->job.count : size),
                              &c->between, c->error);
    return status;
}

static void release_fields(points_call *c) {
    for (size_t i = 0; i < FIELDS; i++) {
        pm_cl_release(c->own[i]);
        c->own[i] = NULL;
    }
    pm_cl_release(c->between);
    c->between = NULL;
}

static void release_keys(points_call *c) {
    for (size_t f = 0; f < PM_MAX_FRAMES; f++)
        for (size_t i = 0; i < OF_KEYS; i++)
            pm_cl_release(c->keys[f][i]);
    pm_cl_release(c->ends);
}

/* A launch of a piece, from and to what is between frames but for the first and the last. */
static pm_status launch_frame(points_call *c, const pm_points_request *piece, unsigned launch,
                              const pm_cl_wait *wait, cl_event *done) {
    const unsigned frame = pm_points_frame_at(piece, launch);
    const pm_address between = {.handle = c->between};
    cl_mem memories[PM_MEMORY_COUNT] = {[PM_MEMORY_POINT_ENDS] = c->ends};
    pm_points_request r = *piece;
    if (launch > 0) {
        pm_points_place(&r, PM_POINTS_POINTS, between);
        r.job.points = (pm_coordinates){.type = PM_COORDINATE_FLOAT64, .stride = BETWEEN_BYTES};
    }
    if (launch + 1 < r.job.frame_count) {
        pm_points_place(&r, PM_POINTS_MOVED, between);
        pm_points_place(&r, PM_POINTS_VALID, (pm_address){0});
        r.job.moved = (pm_coordinates_out){.type = PM_COORDINATE_FLOAT64, .stride = BETWEEN_BYTES};
    }
    for (size_t i = 0; i < OF_KEYS; i++)
        memories[of_keys[i]] = c->keys[frame][i];
    memories[PM_MEMORY_STAMPS] = r.handles[PM_POINTS_STAMPS].handle;
    memories[PM_MEMORY_MOVING_POINTS] = r.handles[PM_POINTS_POINTS].handle;
    memories[PM_MEMORY_TRACKS] = r.handles[PM_POINTS_TRACKS + frame].handle;
    memories[PM_MEMORY_RESULTS] = r.handles[PM_POINTS_MOVED].handle;
    memories[PM_MEMORY_RESULTS + 1] = r.handles[PM_POINTS_VALID].handle;
    pm_step step = pm_plan_points(&r, launch);
    return pm_cl_run_step(c->cl, &step, memories, wait, done, c->error);
}

/* Each launch waits for the one before it, so that *done stands for all. */
static pm_status launch(points_call *c, const pm_cl_wait *wait, cl_event *done) {
    const size_t count = c->request.job.count;
    const size_t size = pm_plan_launch_points(&c->request, &c->cl->plan);
    pm_status status = PM_OK;
    for (size_t i = 0; i < pm_piece_count(count, size); i++) {
        const pm_piece at = pm_piece_at(count, size, i);
        const pm_points_request part = pm_points_request_piece(&c->request, &at);
        for (unsigned n = 0; status == PM_OK && n < part.job.frame_count; n++) {
            const pm_cl_wait after = {wait->queue, done, 1};
            cl_event next = NULL;
            status = launch_frame(c, &part, n, *done ? &after : wait, &next);
            pm_cl_release_event(done);
            *done = next;
        }
    }
    return status;
}

/* ---- in host memory ---- */

/* Reads an output of a piece when its kernel is complete, and counts what is not valid. */
static pm_status read_field(points_call *c, const pm_points_request *piece, size_t i,
                            cl_event computed) {
    const unsigned field = fields[i];
    const pm_points_rows rows = pm_points_rows_of(piece, field);
    const pm_points_rows made = pm_points_rows_of(&c->request, field);
    const size_t count = piece->job.count, bytes = count * pm_points_bytes(&made);
    const bool in_place = rows.memory && pm_points_are_packed(&rows);
    unsigned char *to = in_place ? rows.memory : pm_allocate(piece->host, bytes);
    if (!to)
        return pm_fail_memory(c->error);
    const cl_int code =
        clEnqueueReadBuffer(c->cl->transfers, c->own[i], CL_TRUE, 0, bytes, to, 1, &computed, NULL);
    if (code == CL_SUCCESS && rows.memory && !in_place)
        pm_points_copy(&rows, count, false, to);
    size_t invalid = 0;
    for (size_t k = 0; code == CL_SUCCESS && field == PM_POINTS_VALID && k < count; k++)
        invalid += !to[k];
    if (piece->invalid)
        atomic_fetch_add(piece->invalid, invalid);
    if (!in_place)
        pm_release(to);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(c->error, code, "reading results");
}

static pm_status move_piece(points_call *c, const pm_points_request *piece) {
    const pm_cl_wait wait = {.queue = c->cl->compute};
    uint8_t counted = 0; /* its address asks for the field that is counted, and is not written */
    cl_event computed = NULL;
    c->request = *piece;
    if (!piece->job.valid && piece->invalid)
        pm_points_place(&c->request, PM_POINTS_VALID, pm_in_memory(&counted));
    pm_status status = make_fields(c);
    if (status == PM_OK)
        status = launch(c, &wait, &computed);
    if (status == PM_OK && clFlush(c->cl->compute) != CL_SUCCESS)
        status = pm_fail(c->error, PM_ERROR_DEVICE, "clFlush failed");
    for (size_t i = 0; status == PM_OK && i < FIELDS; i++)
        if (fields[i] >= PM_POINTS_MOVED && c->own[i])
            status = read_field(c, piece, i, computed);
    pm_cl_release_event(&computed);
    release_fields(c);
    return status;
}

pm_status pm_cl_move_points_in_host(pm_device *device, const pm_points_request *request,
                                    pm_error *error) {
    points_call c = {.cl = pm_opencl_of(device), .error = error};
    const size_t pieces = pm_piece_count(request->job.count, PIECE_POINTS);
    pm_status status = make_keys(&c, request);
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(request->job.count, PIECE_POINTS, i);
        const pm_points_request piece = pm_points_request_piece(request, &at);
        status = pm_check_piece(request->host, i, pieces, error);
        if (status == PM_OK)
            status = move_piece(&c, &piece);
    }
    release_keys(&c);
    return status == PM_OK ? pm_check_piece(request->host, pieces, pieces, error) : status;
}

/* ---- on callers' queues ---- */

pm_status pm_cl_enqueue_points(pm_device *device, const pm_points_request *request,
                               const pm_queue *queue, void **done, pm_error *error) {
    points_call c = {.cl = pm_opencl_of(device), .request = *request, .error = error};
    const pm_cl_wait wait = {queue->handle, queue->waits, queue->wait_count};
    cl_event event = NULL;
    pm_status status = make_keys(&c, request);
    if (status == PM_OK)
        status = make_fields(&c);
    if (status == PM_OK)
        status =
            request->job.count ? launch(&c, &wait, &event) : pm_cl_marker(&wait, &event, error);
    release_fields(&c);
    release_keys(&c);
    if (status == PM_OK && done) {
        *done = event;
        event = NULL;
    }
    pm_cl_release_event(&event);
    return status;
}
