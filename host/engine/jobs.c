/* SPDX-License-Identifier: MIT
 *
 * The table of kinds of job.
 */
#include "check_material.h"

#include <string.h>

#include "cpu/cpu.h"

_Static_assert((int)PM_SAMPLE_VARIANTS <= (int)PM_JOB_PROGRAMS, "the programs of samples");

/* ---- samples, pairs, low-passes ---------------------------------------------------------------- */

static size_t samples_of(const pm_job *job) {
    return job->request.samples.sample_count;
}

static size_t width_of_samples(const pm_job *job) {
    return job->request.samples.width;
}

static pm_status cut_samples(pm_job *job, const pm_piece *piece, pm_error *error) {
    (void)error;
    job->request.samples = pm_sample_request_piece(&job->request.samples, piece);
    return PM_OK;
}

static size_t first_sample(const pm_job *job) {
    (void)job;
    return 0;
}

static size_t bytes_of_samples(const pm_job *job, size_t output) {
    const pm_sample_request *r = &job->request.samples;
    return r->outputs[output] ? pm_sample_output_bytes(r, (unsigned)output) : 0;
}

static void aim_samples(pm_job *job, size_t output, pm_address to) {
    pm_sample_request *r = &job->request.samples;
    memset(r->outputs, 0, sizeof r->outputs);
    r->outputs[output] = to.memory;
    if (to.handle)
        r->handles[output] = to;
    r->strides[output] = 0;
}

static size_t programs_of_samples(const pm_job *job, const pm_plan_device *device,
                                  pm_variant *programs) {
    const pm_sample_request *r = &job->request.samples;
    const pm_sample_plan plan = pm_plan_samples(r, UINT64_MAX, device);
    return pm_plan_sample_variants(&plan, r, programs);
}

static pm_status samples_in_plain_c(const pm_job *job, size_t threads, pm_error *error) {
    const pm_status fetched = job->source ? pm_clip_fetch(job->source, error) : PM_OK;
    pm_sample_request request = job->request.samples;
    request.host_threads = threads;
    pm_clip_subset_fetch(request.clip);
    return fetched == PM_OK ? pm_cpu_sample(&request, error) : fetched;
}

static pm_status samples_by_reference(const pm_job *job, pm_error *error) {
    pm_sample_request request = job->request.samples;
    request.host_threads = 1;
    return pm_cpu_sample_by_track(&request, error);
}

static pm_status samples_on_device(const pm_job *job, size_t member, pm_error *error) {
    const pm_device_clip *clip = job->on.clip->members[member];
    return clip->device->backend->sample(clip, &job->request.samples, error);
}

static pm_status enqueue_samples(const pm_job *job, size_t member, const pm_queue *queue,
                                 void **done, pm_error *error) {
    const pm_device_clip *clip = job->on.clip->members[member];
    if (pm_queue_is_for_host(clip->device) && samples_of(job) > 0)
        return pm_enqueue_samples_call(job, clip->device, queue, done, error);
    return clip->device->backend->enqueue_samples(clip, &job->request.samples, queue, done, error);
}

pm_job pm_job_of_samples(const pm_device_clip *clip, const pm_sample_request *request,
                         size_t threads) {
    const pm_job_row row = request->lowpass  ? PM_JOB_LOWPASS
                           : request->tracks ? PM_JOB_PAIRS
                                             : PM_JOB_SAMPLES;
    return (pm_job){.kind = pm_job_kinds[row],
                    .device = clip->device,
                    .host_threads = threads,
                    .on.clip = clip,
                    .request.samples = *request};
}

/* ---- poses, states of bodies ------------------------------------------------------------------- */

static size_t records_of(const pm_job *job) {
    return pm_pose_records(&job->request.poses);
}

static size_t width_of_poses(const pm_job *job) {
    return job->request.poses.crowd->skeleton->joint_count;
}

static pm_status cut_poses(pm_job *job, const pm_piece *piece, pm_error *error) {
    const pm_pose_request *r = &job->request.poses;
    const bool listed = pm_is_given(&r->indices);
    job->list = listed ? pm_allocate(r->host, r->index_count * sizeof *job->list) : NULL;
    if (listed && !job->list)
        return pm_fail_memory(error);
    job->request.poses = pm_pose_request_piece(r, piece, job->list);
    return PM_OK;
}

static size_t first_pose(const pm_job *job) {
    const pm_pose_request *r = &job->request.poses;
    const uint32_t *indices = r->indices.memory;
    const size_t entries = pm_pose_entries(r);
    for (size_t e = 0; e < entries; e++) {
        const size_t index = indices ? indices[e] : e;
        if (pm_pose_computes(r, index))
            return r->packed ? e : index;
    }
    return pm_pose_records(r);
}

static size_t bytes_of_poses(const pm_job *job, size_t output) {
    const pm_pose_request *r = &job->request.poses;
    return output < r->target_count ? pm_pose_records(r) * r->targets[output].bytes : 0;
}

static void aim_poses(pm_job *job, size_t output, pm_address to) {
    pm_pose_request *r = &job->request.poses;
    const pm_pose_target *t = &r->targets[output];
    r->targets[0] = (pm_pose_target){
        .view = t->view, .flags = t->flags, .to = to, .stride = t->bytes, .bytes = t->bytes};
    r->target_count = 1;
}

static size_t programs_of_poses(const pm_job *job, const pm_plan_device *device,
                                pm_variant *programs) {
    (void)device;
    return pm_plan_pose_variants(&job->request.poses, programs);
}

static pm_status poses_in_plain_c(const pm_job *job, size_t threads, pm_error *error) {
    pm_pose_request request = job->request.poses;
    request.host_threads = threads;
    return pm_cpu_pose(&request, error);
}

static pm_status poses_by_reference(const pm_job *job, pm_error *error) {
    return poses_in_plain_c(job, 1, error);
}

/* A crowd is on one device. */
static pm_status poses_on_device(const pm_job *job, size_t member, pm_error *error) {
    (void)member;
    return job->device->backend->pose(job->on.crowd, &job->request.poses, error);
}

static pm_status enqueue_poses(const pm_job *job, size_t member, const pm_queue *queue, void **done,
                               pm_error *error) {
    (void)member;
    if (pm_queue_is_for_host(job->device) && !pm_pose_is_empty(&job->request.poses))
        return pm_enqueue_poses_call(job, job->device, queue, done, error);
    return job->device->backend->enqueue_poses(job->on.crowd, &job->request.poses, queue, done,
                                               error);
}

pm_job pm_job_of_poses(pm_device_crowd *crowd, const pm_pose_request *request) {
    pm_job_row row = PM_JOB_POSES;
    for (size_t i = 0; i < request->target_count; i++)
        if (pm_is_body_output(request->targets[i].view.output))
            row = PM_JOB_STATES;
    return (pm_job){.kind = pm_job_kinds[row],
                    .device = crowd->device,
                    .host_threads = request->host_threads,
                    .on.crowd = crowd,
                    .request.poses = *request};
}

/* ---- points -------------------------------------------------------------------------------------- */

static size_t points_of(const pm_job *job) {
    return job->request.points.job.count;
}

static size_t one(const pm_job *job) {
    (void)job;
    return 1;
}

static pm_status cut_points(pm_job *job, const pm_piece *piece, pm_error *error) {
    (void)error;
    job->request.points = pm_points_request_piece(&job->request.points, piece);
    return PM_OK;
}

static size_t bytes_of_points(const pm_job *job, size_t output) {
    const pm_points_request *r = &job->request.points;
    const pm_points_rows rows = pm_points_rows_of(r, PM_POINTS_MOVED + (unsigned)output);
    return r->job.count * pm_points_bytes(&rows);
}

static void aim_points(pm_job *job, size_t output, pm_address to) {
    pm_points_request *r = &job->request.points;
    for (unsigned f = PM_POINTS_MOVED; f < PM_POINTS_FIELDS; f++)
        pm_points_place(r, f, f == PM_POINTS_MOVED + output ? to : (pm_address){0});
    r->invalid = NULL;
    const bool singles = r->singles; /* their arcs are made */
    pm_points_resolve(r);
    r->singles = singles;
}

static size_t programs_of_points(const pm_job *job, const pm_plan_device *device,
                                 pm_variant *programs) {
    const pm_points_request *r = &job->request.points;
    if (!pm_points_have_kernel(r, device))
        return 0;
    for (unsigned i = 0; i < r->job.frame_count; i++)
        programs[i] = pm_plan_points(r, i).variant;
    return r->job.frame_count;
}

static pm_status points_in_plain_c(const pm_job *job, size_t threads, pm_error *error) {
    pm_points_request request = job->request.points;
    request.threads = threads;
    return pm_cpu_move_points(pm_instruction_set_widest(), &request, error);
}

static pm_status points_by_reference(const pm_job *job, pm_error *error) {
    pm_points_request request = job->request.points;
    request.threads = 1;
    return pm_cpu_move_points(0, &request, error);
}

static pm_status points_on_device(const pm_job *job, size_t member, pm_error *error) {
    pm_device *device = job->device->members[member];
    return device->backend->move_points(device, &job->request.points, error);
}

static pm_status enqueue_points(const pm_job *job, size_t member, const pm_queue *queue,
                                void **done, pm_error *error) {
    pm_device *device = job->device->members[member];
    const pm_points_request *r = &job->request.points;
    if (pm_queue_is_for_host(device))
        return pm_enqueue_points_call(job, device, queue, done, error);
    if (!pm_points_have_kernel(r, device->plan))
        return pm_fail(
            error, PM_ERROR_ARGUMENT,
            "this queue's device has no plain C, and no kernel for such a job: %s",
            device->plan->has_double
                ? "kernels move points, without poses, velocities and extrapolation"
                : "without double, kernels move points in float32 by one trajectory of slerps or "
                  "screws, without poses, extrapolation and inverses");
    return device->backend->enqueue_points(device, r, queue, done, error);
}

pm_job pm_job_of_points(pm_device *device, const pm_points_request *request) {
    return (pm_job){.kind = pm_job_kinds[PM_JOB_POINTS],
                    .device = device,
                    .host_threads = request->threads,
                    .request.points = *request};
}

/* ---- the table --------------------------------------------------------------------------------- */

#define OF_SAMPLES                                                                                 \
    .outputs = PM_OUTPUT_COUNT, .elements = samples_of, .width = width_of_samples,                 \
    .cut = cut_samples, .first = first_sample, .bytes = bytes_of_samples, .aim = aim_samples,      \
    .programs = programs_of_samples, .in_plain_c = samples_in_plain_c,                             \
    .by_reference = samples_by_reference, .on_device = samples_on_device,                          \
    .enqueue = enqueue_samples
#define OF_POSES                                                                                   \
    .outputs = PM_CROWD_MAX_TARGETS, .elements = records_of, .width = width_of_poses,              \
    .cut = cut_poses, .first = first_pose, .bytes = bytes_of_poses, .aim = aim_poses,              \
    .programs = programs_of_poses, .in_plain_c = poses_in_plain_c,                                 \
    .by_reference = poses_by_reference, .on_device = poses_on_device, .enqueue = enqueue_poses

static const pm_job_kind samples = {.name = "samples",
                                    OF_SAMPLES,
                                    .checked_paths = PM_CHECK_CROWDS - 1,
                                    .self_check = pm_samples_self_check};
static const pm_job_kind pairs = {.name = "pairs", OF_SAMPLES};
static const pm_job_kind low_pass = {.name = "low-pass", OF_SAMPLES};
static const pm_job_kind poses = {
    .name = "poses", OF_POSES, .checked_paths = PM_CHECK_CROWDS, .self_check = pm_crowd_self_check};
static const pm_job_kind states = {.name = "states of bodies", OF_POSES};
static const pm_job_kind points = {.name = "points",
                                   .outputs = PM_POINTS_OUTPUTS,
                                   .elements = points_of,
                                   .width = one,
                                   .cut = cut_points,
                                   .first = first_sample,
                                   .bytes = bytes_of_points,
                                   .aim = aim_points,
                                   .programs = programs_of_points,
                                   .in_plain_c = points_in_plain_c,
                                   .by_reference = points_by_reference,
                                   .on_device = points_on_device,
                                   .enqueue = enqueue_points,
                                   .checked_paths = PM_CHECK_POINTS,
                                   .self_check = pm_points_self_check};

const pm_job_kind *const pm_job_kinds[PM_JOB_KIND_COUNT] = {
    [PM_JOB_SAMPLES] = &samples, [PM_JOB_PAIRS] = &pairs,   [PM_JOB_LOWPASS] = &low_pass,
    [PM_JOB_POSES] = &poses,     [PM_JOB_STATES] = &states, [PM_JOB_POINTS] = &points};
