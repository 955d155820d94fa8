/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd into host memory, in pieces as large as the device allows. Two pieces are in flight, so that one
 * is posed while the host prepares the next one and takes the one before. Buffers of outputs use the caller's
 * memory itself, so that memory that a job does not write keeps its contents.
 */
#include "device.h"

enum { SLOT_COUNT = 2 };

/* A piece in flight: what it writes, until that is in the caller's memory. */
typedef struct slot {
    size_t target_count;
    cl_mem buffers[PM_CROWD_MAX_TARGETS];
    void *mapped[PM_CROWD_MAX_TARGETS];
    cl_event reads[PM_CROWD_MAX_TARGETS]; /* mapping a target; NULL: none */
} slot;

typedef struct transfer {
    pm_device_crowd *crowd;
    pm_opencl_device *cl;
    pm_pose_request request;
    cl_mem shared[PM_POSE_INPUTS]; /* what all pieces read; NULL: they read host memory */
    cl_mem plants;                 /* the caller's states of planted feet, which all pieces write */
    uint32_t *indices;             /* room for a piece's part of a list */
    slot slots[SLOT_COUNT];
    pm_error *error;
} transfer;

/* Records per piece with at most `bytes` bytes of the instances or the target with the largest stride. A multiple
 * of PM_INSTANCE_GROUP, so that no piece is smaller than the kernels' vectors. */
static size_t piece_records(const transfer *t, uint64_t bytes) {
    const pm_pose_request *r = &t->request;
    uint64_t largest = pm_is_given(&r->poses) ? r->pose_stride : sizeof(pm_crowd_instance);
    if (r->chains.count && pm_pose_local_bytes(r) > largest)
        largest = pm_pose_local_bytes(r);
    if (r->goal_stride > largest)
        largest = r->goal_stride;
    if (pm_is_given(&r->transitions) && r->transition_stride > largest)
        largest = r->transition_stride;
    for (size_t i = 0; i < r->target_count; i++)
        if (r->targets[i].stride > largest)
            largest = r->targets[i].stride;
    const size_t records = (size_t)(bytes / largest) / PM_INSTANCE_GROUP * PM_INSTANCE_GROUP;
    return records ? records : PM_INSTANCE_GROUP;
}

/* Inputs of which pieces have no rows of their own: layers, and with packed records those of all instances.
 * Poses are read as they are, unless kernels require another stride. */
static pm_status share_inputs(transfer *t) {
    pm_pose_request *r = &t->request;
    pm_status status = PM_OK;
    for (pm_memory m = PM_MEMORY_INSTANCES; status == PM_OK && m <= PM_MEMORY_SPEEDS; m++) {
        pm_address *input = pm_pose_input(r, m);
        cl_mem *shared = &t->shared[m - PM_MEMORY_INSTANCES];
        const pm_pose_rows rows = pm_pose_rows_of(r, m);
        if (m == PM_MEMORY_LIST || pm_pose_is_divided(&rows, m, r->packed) || !input->memory ||
            rows.count == 0 || (rows.stride != rows.bytes && rows.stride % rows.alignment != 0))
            continue;
        status = pm_cl_buffer(t->cl, CL_MEM_READ_ONLY, input->memory,
                              (rows.count - 1) * rows.stride + rows.bytes, shared, t->error);
        if (status == PM_OK)
            *input = (pm_address){.handle = *shared};
    }
    return status;
}

/* States of planted feet are changed where they are. */
static pm_status use_plants(transfer *t) {
    pm_address *plants = &t->request.plants;
    const pm_pose_rows rows = pm_pose_rows_of(&t->request, PM_MEMORY_PLANTS);
    if (!plants->memory)
        return PM_OK;
    const pm_status status =
        pm_cl_buffer(t->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, plants->memory,
                     (rows.count - 1) * rows.stride + rows.bytes, &t->plants, t->error);
    *plants = (pm_address){.handle = t->plants};
    return status;
}

/* Blocks until they are in the caller's memory. */
static pm_status take_plants(transfer *t) {
    const pm_pose_rows rows = pm_pose_rows_of(&t->request, PM_MEMORY_PLANTS);
    cl_int code;
    void *mapped =
        clEnqueueMapBuffer(t->cl->transfers, t->plants, CL_TRUE, CL_MAP_READ, 0,
                           (rows.count - 1) * rows.stride + rows.bytes, 0, NULL, NULL, &code);
    return code == CL_SUCCESS ? pm_cl_unmap(t->cl->transfers, t->plants, mapped, t->error)
                              : pm_cl_fail(t->error, code, "reading states of planted feet");
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Waits until the slot's last piece is in the caller's memory. */
static pm_status wait_for(transfer *t, slot *s) {
    pm_status worst = PM_OK;
    for (size_t i = 0; i < s->target_count; i++) {
        cl_mem buffer = s->buffers[i];
        pm_status status = PM_OK;
        if (s->reads[i]) {
            const cl_int code = clWaitForEvents(1, &s->reads[i]);
            status = code == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, code, "reading records");
            pm_cl_release_event(&s->reads[i]);
        }
        worst = worst == PM_OK ? status : worst;
        if (s->mapped[i]) {
            status = pm_cl_unmap(t->cl->transfers, buffer, s->mapped[i], t->error);
            worst = worst == PM_OK ? status : worst;
        }
        s->mapped[i] = NULL;
        pm_cl_release(buffer);
    }
    s->target_count = 0;
    return worst;
}

/* Makes buffers of the memory of a piece's targets, which it then writes. */
static pm_status use_memory(transfer *t, slot *s, pm_pose_request *piece) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < piece->target_count; i++) {
        pm_pose_target *target = &piece->targets[i];
        cl_mem *buffer = &s->buffers[s->target_count++];
        status = pm_cl_buffer(t->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, target->to.memory,
                              pm_pose_target_bytes(piece, target), buffer, t->error);
        target->to = (pm_address){.handle = *buffer};
        target->previous = (pm_address){0};
    }
    return status;
}

/* Enqueues mapping the targets: when s->reads[i] is complete, the records are in the caller's memory. */
static pm_status map_targets(transfer *t, slot *s, const pm_pose_request *piece, cl_event posed) {
    cl_int code = clFlush(t->cl->compute);
    for (size_t i = 0; code == CL_SUCCESS && i < s->target_count; i++)
        s->mapped[i] = clEnqueueMapBuffer(t->cl->transfers, s->buffers[i], CL_FALSE, CL_MAP_READ, 0,
                                          pm_pose_target_bytes(piece, &piece->targets[i]), 1,
                                          &posed, &s->reads[i], &code);
    if (code == CL_SUCCESS)
        code = clFlush(t->cl->transfers);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, code, "reading records");
}

static pm_status put_piece(transfer *t, slot *s, pm_pose_request *piece) {
    const pm_queue queue = {.handle = t->cl->compute};
    void *posed = NULL;
    pm_status status = wait_for(t, s);
    if (status == PM_OK)
        status = use_memory(t, s, piece);
    if (status == PM_OK)
        status = pm_cl_enqueue_poses(t->crowd, piece, &queue, &posed, t->error);
    cl_event done = posed;
    if (status == PM_OK)
        status = map_targets(t, s, piece, done);
    pm_cl_release_event(&done);
    return status;
}

static pm_status put_pieces(transfer *t, size_t size) {
    const size_t records = pm_pose_records(&t->request), pieces = pm_piece_count(records, size);
    pm_status status = pieces > 1 ? share_inputs(t) : PM_OK;
    size_t used = 0;
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(records, size, i);
        pm_pose_request piece = pm_pose_request_piece(&t->request, &at, t->indices);
        status =
            pm_check_piece(t->request.host, i > SLOT_COUNT ? i - SLOT_COUNT : 0, pieces, t->error);
        if (status == PM_OK && pm_pose_entries(&piece) > 0)
            status = put_piece(t, &t->slots[used++ % SLOT_COUNT], &piece);
    }
    return status;
}

/* Afterwards no command uses the caller's memory. After a failure that means both queues, with what other jobs
 * have put there. The failure of a piece counts, and not what follows from it. */
static pm_status run_pieces(transfer *t, size_t size) {
    const pm_status put = put_pieces(t, size);
    const pm_error kept = t->error && put != PM_OK ? *t->error : (pm_error){0};
    pm_status status = put;
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        const pm_status waited = wait_for(t, &t->slots[i]);
        status = status == PM_OK ? waited : status;
    }
    if (status != PM_OK && clFinish(t->cl->compute) == CL_SUCCESS)
        clFinish(t->cl->transfers);
    if (t->error && put != PM_OK)
        *t->error = kept;
    return status;
}

static pm_status pose_in_pieces(transfer *t) {
    const uint64_t most = t->cl->device.info.max_allocation_bytes;
    const uint64_t bytes = t->cl->piece_bytes / SLOT_COUNT;
    size_t size = piece_records(t, bytes < most ? bytes : most);
    size = size < pm_pose_records(&t->request) ? size : pm_pose_records(&t->request);
    for (;;) {
        const pm_status status = run_pieces(t, size);
        const size_t pieces = pm_piece_count(pm_pose_records(&t->request), size);
        if (status == PM_OK)
            return pm_check_piece(t->request.host, pieces, pieces, t->error);
        /* as for samples: the device may have less memory than it reports */
        if (status != PM_ERROR_DEVICE_MEMORY || size <= PM_INSTANCE_GROUP)
            return status;
        pm_error_clear(t->error);
        size = (size / 2 + PM_INSTANCE_GROUP - 1) / PM_INSTANCE_GROUP * PM_INSTANCE_GROUP;
        pm_log(t->cl->device.options.logger, PM_LOG_WARNING,
               "out of device memory: retrying with pieces of %zu instances", size);
    }
}

pm_status pm_cl_crowd_pose_to_host(pm_device_crowd *crowd, const pm_pose_request *request,
                                   pm_error *error) {
    transfer t = {
        .crowd = crowd, .cl = pm_opencl_of(crowd->device), .request = *request, .error = error};
    t.indices = pm_allocate(request->host, request->index_count * sizeof *t.indices);
    if (!t.indices)
        return pm_fail_memory(error);
    pm_pose_keep_previous(request, &(pm_piece){0, pm_pose_records(request)});
    pm_status status = use_plants(&t);
    if (status == PM_OK)
        status = pose_in_pieces(&t);
    if (status == PM_OK && t.plants)
        status = take_plants(&t);
    pm_cl_release(t.plants);
    for (size_t i = 0; i < PM_POSE_INPUTS; i++)
        pm_cl_release(t.shared[i]);
    pm_release(t.indices);
    return status;
}
