/* SPDX-License-Identifier: MIT
 *
 * Points on an OpenCL device: in host memory, a piece after another, and on callers' queues. What is in host memory is
 * copied without gaps; buffers are released as soon as their kernels are enqueued.
 */
#include "device.h"

#include <string.h>

/* Points whose fields are copied at a time: some hundred MB. */
enum { PIECE_POINTS = 1 << 22 };

/* The fields that the kernel knows. */
static const struct {
    pm_points_field field;
    pm_memory memory;
} fields[] = {{PM_POINTS_STAMPS, PM_MEMORY_STAMPS},
              {PM_POINTS_POINTS, PM_MEMORY_MOVING_POINTS},
              {PM_POINTS_TRACKS, PM_MEMORY_TRACKS},
              {PM_POINTS_MOVED, PM_MEMORY_RESULTS},
              {PM_POINTS_VALID, (pm_memory)(PM_MEMORY_RESULTS + 1)}};
enum { FIELDS = sizeof fields / sizeof *fields };

typedef struct points_call {
    pm_opencl_device *cl;
    pm_points_request request;        /* all of its fields are in buffers */
    cl_mem own[FIELDS];               /* those that were made for it */
    cl_mem memories[PM_MEMORY_COUNT]; /* those of keys are its own */
    pm_error *error;
} points_call;

static const pm_memory of_keys[] = {PM_MEMORY_KEYS, PM_MEMORY_KEY_STAMPS, PM_MEMORY_POINT_TRACKS};

static pm_status make_keys(points_call *c, const pm_points_request *r) {
    const pm_trajectory *t = r->job.frames[0].trajectory;
    pm_point_track *tracks = pm_points_make_tracks(r);
    const pm_source from[] = {
        {r->arcs, r->arc_count * PM_POINT_ARC_FLOATS * sizeof *r->arcs, 0},
        {t->stamps, t->firsts[t->clip->timeline_count] * sizeof *t->stamps, 0},
        {tracks, t->clip->track_count * sizeof *tracks, 0}};
    pm_status status = tracks ? PM_OK : pm_fail_memory(c->error);
    for (size_t i = 0; status == PM_OK && i < sizeof from / sizeof *from; i++)
        status = pm_cl_upload(c->cl, "trajectory", &from[i], &c->memories[of_keys[i]], c->error);
    pm_release(tracks);
    return status;
}

/* Makes a buffer for a field in host memory, an input's with its records. */
static pm_status make_field(points_call *c, size_t i) {
    const unsigned field = fields[i].field;
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

static pm_status make_fields(points_call *c) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < FIELDS; i++) {
        if (pm_points_rows_of(&c->request, fields[i].field).memory)
            status = make_field(c, i);
        c->memories[fields[i].memory] = c->request.handles[fields[i].field].handle;
    }
    return status;
}

static void release_fields(points_call *c) {
    for (size_t i = 0; i < FIELDS; i++) {
        pm_cl_release(c->own[i]);
        c->own[i] = NULL;
    }
}

static void release_keys(const points_call *c) {
    for (size_t i = 0; i < sizeof of_keys / sizeof *of_keys; i++)
        pm_cl_release(c->memories[of_keys[i]]);
}

/* Each launch waits for the one before it, so that *done stands for all. */
static pm_status launch(points_call *c, const pm_cl_wait *wait, cl_event *done) {
    const size_t count = c->request.job.count, size = pm_plan_launch_points(&c->cl->plan);
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < pm_piece_count(count, size); i++) {
        const pm_piece at = pm_piece_at(count, size, i);
        const pm_points_request part = pm_points_request_piece(&c->request, &at);
        const pm_cl_wait after = {wait->queue, done, 1};
        cl_event next = NULL;
        pm_step step = pm_plan_points(&part);
        status = pm_cl_run_step(c->cl, &step, c->memories, i ? &after : wait, &next, c->error);
        pm_cl_release_event(done);
        *done = next;
    }
    return status;
}

/* ---- in host memory ---- */

/* Reads an output of a piece when its kernel is complete, and counts what is not valid. */
static pm_status read_field(points_call *c, const pm_points_request *piece, size_t i,
                            cl_event computed) {
    const unsigned field = fields[i].field;
    const pm_points_rows rows = pm_points_rows_of(piece, field);
    const size_t count = piece->job.count, bytes = count * (field == PM_POINTS_MOVED ? 12 : 1);
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
        if (fields[i].field >= PM_POINTS_MOVED && c->own[i])
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
