/* SPDX-License-Identifier: MIT
 *
 * Jobs into host memory whose programs are not built yet: the reference path computes them while
 * the driver compiles. A job is computed as a whole by one of both, so that no result mixes bits, and
 * instances that are not updated keep what is in memory.
 * The first results of new programs are compared with those of the reference path, in memory of its
 * own. The self-check compares with material of its own instead, and all programs.
 */
#include "engine.h"

/* Of a comparison: some milliseconds of work at most. */
enum { COMPARED_VALUES = 1 << 14 };

/* More values take the reference path longer than a driver needs to compile: some tenths of a second
 * on two cores. */
enum { MOST_VALUES = 1 << 26 };

/* The programs of a job on a member of its device, which has none where plain C computes its jobs. */
typedef struct program_list {
    pm_programs *programs;
    size_t count; /* 0 without programs */
    pm_variant variants[PM_JOB_PROGRAMS];
} program_list;

static program_list programs_of(const pm_job *job, size_t member) {
    const pm_device *device = job->device->members[member];
    program_list list = {.programs = device->programs};
    if (list.programs && !pm_is_for_host(device))
        list.count = job->kind->programs(job, device->plan, list.variants);
    return list;
}

pm_readiness pm_job_readiness(const pm_job *job, pm_error *error) {
    pm_readiness worst = PM_READY;
    for (size_t i = 0; worst != PM_READY_NEVER && i < job->device->member_count; i++) {
        const program_list list = programs_of(job, i);
        const pm_readiness one =
            list.count ? pm_programs_readiness(list.programs, list.variants, list.count, error)
                       : PM_READY;
        worst = one > worst ? one : worst;
    }
    return worst;
}

/* Whether a comparison has found a difference on any member of the device. */
static bool device_differs(const pm_device *device) {
    bool differs = false;
    for (size_t i = 0; i < device->member_count; i++)
        differs = differs || atomic_load(&device->members[i]->differs) != 0;
    return differs;
}

static void note_difference(pm_device *device) {
    if (atomic_exchange(&device->differs, 1) == 0)
        pm_log(device->options.logger, PM_LOG_WARNING,
               "%s: results differ in bits from those that the reference path computed while "
               "programs were built; later jobs wait for their programs",
               device->info.name);
}

/* A difference is logged once for each device. */
static pm_status compare_part(const pm_job *part, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < part->device->member_count; i++) {
        bool same = true;
        if (!pm_is_for_host(part->device->members[i]))
            status = pm_job_compare(part, i, false, &same, error);
        if (!same)
            note_difference(part->device->members[i]);
    }
    return status;
}

/* Compares the first results of a job, and marks its programs as checked. Jobs that compute nothing leave
 * their programs unchecked. */
static pm_status compare(const pm_job *job, pm_error *error) {
    const size_t count = job->kind->elements(job), from = job->kind->first(job);
    const size_t most = COMPARED_VALUES / job->kind->width(job) + 1;
    const pm_piece piece = {from, count - from < most ? count - from : most};
    pm_job part = *job;
    if (piece.count == 0)
        return PM_OK;
    pm_status status = job->kind->cut(&part, &piece, error);
    if (status == PM_OK)
        status = compare_part(&part, error);
    pm_release(part.list);
    for (size_t i = 0; status == PM_OK && i < job->device->member_count; i++) {
        const program_list list = programs_of(job, i);
        if (list.count)
            pm_programs_checked(list.programs, list.variants, list.count);
    }
    return status;
}

static pm_status fail_with(const pm_error *failure, pm_error *error) {
    if (error)
        *error = *failure;
    return failure->status;
}

/* The reference path has one thread less than the host may use, because the compiler needs one. Otherwise the
 * device computes the job, which waits for programs. Results of programs that were finished since the
 * last job are compared first. A failed build is the failure of the first job that finds it. */
pm_status pm_job_in_background(const pm_job *job, pm_error *error) {
    pm_status status = PM_OK;
    pm_error failure;
    pm_error_clear(&failure);
    const pm_readiness programs =
        device_differs(job->device) ? PM_READY : pm_job_readiness(job, &failure);
    if (programs == PM_READY_LATER &&
        job->kind->elements(job) <= MOST_VALUES / job->kind->width(job))
        return job->kind->in_plain_c(job, job->host_threads > 1 ? job->host_threads - 1 : 1, error);
    if (programs == PM_READY_NEVER)
        return fail_with(&failure, error);
    if (programs == PM_READY_UNCHECKED)
        status = compare(job, error);
    return status == PM_OK ? pm_job_on_device(job, error) : status;
}
