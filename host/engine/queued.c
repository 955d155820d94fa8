/* SPDX-License-Identifier: MIT
 *
 * Jobs that a queue of a CPU device computes in plain C: copies of what they borrow, which stay until they have run. Such
 * a job cannot report a failure. Where memory lacks, it is computed again in what was reserved for it.
 */
#include "engine.h"

#include <string.h>

#include "cpu/cpu.h"

typedef struct queued_job {
    pm_call call;
    pm_pool_block *block; /* this struct, the copies behind it, and the reserve: owned */
    pm_host host, of_reserve;
    union {
        pm_sample_request samples;
        pm_pose_request poses;
        pm_points_request points;
    } request;
    /* Held; NULL: none */
    const pm_clip_data *clip, *filtered;
    const pm_crowd_data *crowd;
    const pm_trajectory *trajectories[PM_MAX_FRAMES];
    pm_lowpass lowpass;
    size_t handle_count;
    void *handles[PM_CALL_HANDLES];
    pm_address *addresses[PM_CALL_HANDLES]; /* in the request, of the handles */
    /* Memory for one thread, as a stack. */
    unsigned char *reserve;
    size_t reserved, used, blocks;
} queued_job;

/* ---- the reserve ---- */

static void *take_reserve(void *user, size_t size, size_t alignment) {
    queued_job *q = user;
    const size_t from = (q->used + alignment - 1) / alignment * alignment;
    if (from > q->reserved || size > q->reserved - from)
        return NULL;
    q->used = from + size;
    q->blocks++;
    return q->reserve + from;
}

static void give_reserve(void *user, void *memory, size_t size, size_t alignment) {
    queued_job *q = user;
    const size_t from = (size_t)((unsigned char *)memory - q->reserve);
    (void)alignment;
    q->used = from + size == q->used ? from : q->used;
    q->used = --q->blocks == 0 ? 0 : q->used;
}

/* What a block takes beside its size. */
enum { BESIDE_BLOCK = 128 };

/* ---- making ---- */

static void end_job(pm_call *call) {
    queued_job *q = (queued_job *)call;
    pm_clip_data_let(q->clip);
    pm_clip_data_let(q->filtered);
    pm_crowd_data_let(q->crowd);
    for (size_t f = 0; f < PM_MAX_FRAMES; f++)
        pm_trajectory_let(q->trajectories[f]);
    pm_pool_give(q->block);
}

/* Parts of the block begin at multiples of a cache line. False: the size does not fit size_t. */
static bool add_part(size_t *size, size_t count, size_t each) {
    size_t bytes;
    return pm_multiply(count, each, &bytes) && !__builtin_add_overflow(bytes, 63, &bytes) &&
           !__builtin_add_overflow(bytes / 64 * 64, *size, size);
}

/* `copies` and `reserved` are bytes. */
static pm_status make_job(const pm_device *device, size_t copies, size_t reserved,
                          void (*run)(pm_call *, void *const *), queued_job **made,
                          pm_error *error) {
    size_t size = 0;
    if (!add_part(&size, 1, sizeof **made) || !add_part(&size, 1, copies) ||
        !add_part(&size, 1, reserved))
        return pm_fail(error, PM_ERROR_SIZE, "the data of the job does not fit size_t");
    pm_pool_block *block = pm_pool_take(device->pool, size);
    queued_job *q = pm_pool_memory(block);
    if (!q)
        return pm_fail_memory(error);
    *q = (queued_job){.call = {run, end_job},
                      .block = block,
                      .host = device->options.host,
                      .of_reserve = {q, take_reserve, give_reserve, NULL, NULL, NULL},
                      .reserved = reserved};
    q->host.cancel = NULL;
    q->reserve = (unsigned char *)q + size - (reserved + 63) / 64 * 64;
    *made = q;
    return PM_OK;
}

static unsigned char *copies_of(queued_job *q) {
    return (unsigned char *)q + (sizeof *q + 63) / 64 * 64;
}

static void add_handle(queued_job *q, pm_address *address) {
    if (!address->handle)
        return;
    q->handles[q->handle_count] = address->handle;
    q->addresses[q->handle_count++] = address;
}

static void find_memory(queued_job *q, void *const *memory) {
    for (size_t i = 0; i < q->handle_count; i++)
        *q->addresses[i] = pm_in_memory((char *)memory[i] + q->addresses[i]->offset);
}

static pm_status enqueue(queued_job *q, const pm_device *device, const pm_queue *queue, void **done,
                         pm_error *error) {
    return device->backend->enqueue_call(device, q->handles, q->handle_count, &q->call, queue, done,
                                         error);
}

/* ---- samples, pairs, low-passes ---- */

/* Samples that are computed together in the reserve. */
enum { RESERVED_SAMPLES = 16 };

static pm_status compute_samples(void *context, const pm_sample_request *request, pm_error *error) {
    (void)context;
    return pm_cpu_sample(request, error);
}

static void sample_in_reserve(queued_job *q) {
    const size_t total = q->request.samples.sample_count;
    pm_sample_request all = q->request.samples;
    all.host = &q->of_reserve;
    all.host_threads = 1;
    for (size_t i = 0; i < pm_piece_count(total, RESERVED_SAMPLES); i++) {
        const pm_piece at = pm_piece_at(total, RESERVED_SAMPLES, i);
        const pm_sample_request piece = pm_sample_request_piece(&all, &at);
        (void)pm_sample_with_strides(&piece, 1, compute_samples, NULL, NULL);
    }
}

static void run_samples(pm_call *call, void *const *memory) {
    queued_job *q = (queued_job *)call;
    pm_sample_request *r = &q->request.samples;
    find_memory(q, memory);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        r->outputs[o] = r->handles[o].memory;
        r->handles[o] = (pm_address){0};
    }
    if (pm_sample_with_strides(r, PM_STRIDED_VALUES, compute_samples, NULL, NULL) != PM_OK)
        sample_in_reserve(q);
}

/* Cursors, weights with what finds them, and rows without strides: two where a sample has one value. */
static size_t reserve_of_samples(const pm_sample_request *r) {
    enum { EACH = sizeof(pm_cursor) + sizeof(pm_lowpass_place) + 8 * sizeof(pm_u32) };
    size_t bytes =
        (size_t)8 * BESIDE_BLOCK + RESERVED_SAMPLES * (r->cursor_rows * sizeof(pm_cursor) + EACH);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        bytes += r->handles[o].handle && r->strides[o] ? 2 * pm_sample_row_bytes(r, o) : 0;
    return bytes + (r->lowpass ? RESERVED_SAMPLES * (size_t)r->lowpass->taps * sizeof(float) : 0);
}

pm_status pm_enqueue_samples_call(const pm_job *job, const pm_device *device, const pm_queue *queue,
                                  void **done, pm_error *error) {
    const pm_sample_request *from = &job->request.samples;
    const size_t times = from->times ? from->sample_count * sizeof *from->times : 0;
    const size_t tracks = from->tracks ? from->sample_count * sizeof *from->tracks : 0;
    queued_job *q = NULL;
    pm_status status = job->source ? pm_clip_fetch(job->source, error) : PM_OK;
    pm_clip_subset_fetch(from->clip);
    if (status == PM_OK)
        status = make_job(device, times + tracks, reserve_of_samples(from), run_samples, &q, error);
    if (status != PM_OK)
        return status;
    unsigned char *copies = copies_of(q);
    pm_sample_request *r = &q->request.samples;
    *r = *from;
    r->host = &q->host;
    r->host_threads = device->options.host_threads;
    if (times)
        r->times = memcpy(copies, from->times, times);
    if (tracks)
        r->tracks = memcpy(copies + times, from->tracks, tracks);
    pm_clip_data_hold(q->clip = from->clip);
    if (from->lowpass) {
        q->lowpass = *from->lowpass;
        r->lowpass = &q->lowpass;
        pm_clip_data_hold(q->filtered = q->lowpass.source);
    }
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        add_handle(q, &r->handles[o]);
    return enqueue(q, device, queue, done, error);
}

/* ---- poses, states of bodies ---- */

/* Once: a second attempt would copy what the first has written. */
static void keep_previous(pm_pose_request *r) {
    pm_pose_keep_previous(r, &(pm_piece){0, pm_pose_records(r)});
    for (size_t i = 0; i < r->target_count; i++)
        r->targets[i].previous = (pm_address){0};
}

static void run_poses(pm_call *call, void *const *memory) {
    queued_job *q = (queued_job *)call;
    pm_pose_request *r = &q->request.poses;
    const bool captures = r->capture.duration > 0;
    uint32_t count;
    find_memory(q, memory);
    keep_previous(r);
    if (r->counted.memory) {
        memcpy(&count, r->counted.memory, sizeof count);
        r->index_count = count < r->index_count ? count : r->index_count;
    }
    if ((captures ? pm_cpu_capture_states : pm_cpu_pose)(r, NULL) == PM_OK)
        return;
    r->host = &q->of_reserve;
    r->host_threads = 1;
    (void)(captures ? pm_cpu_capture_states : pm_cpu_pose)(r, NULL);
}

/* Rows of states of bodies, and the joints' matrices of an instance. */
static bool reserve_of_poses(const pm_pose_request *r, size_t *bytes) {
    bool fits = true;
    *bytes = (size_t)4 * BESIDE_BLOCK + pm_cpu_pose_bytes(r->crowd) + pm_cpu_local_bytes(r);
    for (size_t i = 0; fits && i < r->target_count; i++)
        if (pm_is_body_output(r->targets[i].view.output))
            fits = add_part(bytes, r->targets[i].bytes / sizeof(float), PM_CACHE_LINE);
    return fits;
}

/* Copies the rows of an input without gaps, behind those before. */
static void copy_input(pm_pose_request *r, pm_memory input, unsigned char **to) {
    pm_address *at = pm_pose_input(r, input);
    const pm_pose_rows rows = pm_pose_rows_of(r, input);
    size_t bytes = 0;
    if (!at->memory)
        return;
    pm_pose_copy_rows(&rows, at->memory, *to);
    *at = pm_in_memory(*to);
    (void)add_part(&bytes, rows.count, rows.bytes);
    *to += bytes;
    if (pm_pose_stride(r, input))
        *pm_pose_stride(r, input) = rows.bytes;
}

pm_status pm_enqueue_poses_call(const pm_job *job, const pm_device *device, const pm_queue *queue,
                                void **done, pm_error *error) {
    const pm_pose_request *from = &job->request.poses;
    size_t copies = 0, reserved;
    queued_job *q;
    bool fits = reserve_of_poses(from, &reserved);
    for (pm_memory m = PM_MEMORY_INSTANCES; fits && m <= PM_MEMORY_SPEEDS; m++) {
        const pm_pose_rows rows = pm_pose_rows_of(from, m);
        fits = !from->inputs[m - PM_MEMORY_INSTANCES].memory ||
               add_part(&copies, rows.count, rows.bytes);
    }
    if (!fits)
        return pm_fail(error, PM_ERROR_SIZE, "the data of the job does not fit size_t");
    const pm_status status = make_job(device, copies, reserved, run_poses, &q, error);
    if (status != PM_OK)
        return status;
    pm_pose_request *r = &q->request.poses;
    unsigned char *to = copies_of(q);
    *r = *from;
    r->host = &q->host;
    r->host_threads = device->options.host_threads;
    pm_crowd_data_hold(q->crowd = from->crowd);
    for (pm_memory m = PM_MEMORY_INSTANCES; m <= PM_MEMORY_SPEEDS; m++) {
        copy_input(r, m, &to);
        add_handle(q, pm_pose_input(r, m));
    }
    for (size_t i = 0; i < r->target_count; i++) {
        add_handle(q, &r->targets[i].to);
        add_handle(q, &r->targets[i].previous);
    }
    return enqueue(q, device, queue, done, error);
}

/* ---- points ---- */

/* Allocates nothing, so that nothing can lack. */
static void run_points(pm_call *call, void *const *memory) {
    queued_job *q = (queued_job *)call;
    find_memory(q, memory);
    pm_points_use_memory(&q->request.points);
    (void)pm_cpu_move_points(pm_instruction_set_widest(), &q->request.points, NULL);
}

/* Adds the sizes of the copies of what a request has in host memory. */
static bool add_copies(const pm_points_request *r, size_t *size) {
    bool fits = add_part(size, r->end_count, sizeof *r->ends) &&
                add_part(size, r->arc_count, PM_POINT_ARC_FLOATS * sizeof *r->arcs);
    for (unsigned f = 0; fits && f < PM_POINTS_MOVED; f++) {
        const pm_points_rows rows = pm_points_rows_of(r, f);
        fits = !rows.memory || add_part(size, r->job.count, pm_points_bytes(&rows));
    }
    return fits;
}

/* Copies parts of a block one after another, as add_copies counts them. */
static void *copy_part(unsigned char **to, const void *from, size_t count, size_t each) {
    size_t bytes = 0;
    void *copy = *to;
    (void)add_part(&bytes, count, each);
    if (from)
        memcpy(copy, from, count * each);
    *to += bytes;
    return copy;
}

pm_status pm_enqueue_points_call(const pm_job *job, const pm_device *device, const pm_queue *queue,
                                 void **done, pm_error *error) {
    const pm_points_request *from = &job->request.points;
    size_t copies = 0;
    queued_job *q;
    if (!add_copies(from, &copies))
        return pm_fail(error, PM_ERROR_SIZE, "the data of the job does not fit size_t");
    const pm_status status = make_job(device, copies, 0, run_points, &q, error);
    if (status != PM_OK)
        return status;
    pm_points_request *r = &q->request.points;
    unsigned char *to = copies_of(q);
    *r = *from;
    r->host = &q->host;
    r->threads = device->options.host_threads;
    r->on_queue = true;
    r->invalid = NULL;
    r->ends = copy_part(&to, from->ends, from->end_count, sizeof *from->ends);
    if (from->arcs)
        r->arcs =
            copy_part(&to, from->arcs, from->arc_count, PM_POINT_ARC_FLOATS * sizeof *r->arcs);
    for (size_t f = 0; f < from->job.frame_count; f++)
        pm_trajectory_hold(q->trajectories[f] = from->job.frames[f].trajectory);
    for (unsigned f = 0; f < PM_POINTS_FIELDS; f++) {
        const pm_points_rows rows = pm_points_rows_of(from, f);
        if (rows.memory) {
            pm_points_copy(&rows, from->job.count, true, to);
            pm_points_place(r, f, pm_in_memory(to));
            (void)copy_part(&to, NULL, from->job.count, pm_points_bytes(&rows));
        }
        add_handle(q, &r->handles[f]);
    }
    return enqueue(q, device, queue, done, error);
}
