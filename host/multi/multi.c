/* SPDX-License-Identifier: MIT
 *
 * Several devices as one. A request is cut into pieces. Each member has a thread, which takes the
 * next piece when the previous one is finished. scheduler.c determines the size of a piece.
 */
#define _POSIX_C_SOURCE 200809L

#include "multi_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler.h"

/* Minimum values per piece: computing them takes several times as long as the overhead of a
 * call. */
enum { MIN_VALUES = 1 << 17 };

/* ---- devices ---- */

static void close_members(pm_device *device) {
    pm_multi_device *multi = pm_multi_device_of(device);
    for (size_t i = 0; i < device->member_count; i++)
        device->members[i]->backend->close(device->members[i]);
    pthread_mutex_destroy(&multi->lock);
    free(multi->throughputs);
    free(device->members);
    free(multi);
}

/* Appends a member's name unless it is there already. Truncates to `size`. */
static void add_name(char *names, size_t size, const char *name) {
    size_t length = strlen(names);
    if (!strstr(names, name))
        snprintf(names + length, size - length, "%s%s", length ? " + " : "", name);
}

static pm_device_claims joint_claims(pm_device_claims a, pm_device_claims b) {
    const bool equal = a.work_group_multiple == b.work_group_multiple;
    return (pm_device_claims){.fma = a.fma && b.fma,
                              .denormals = a.denormals && b.denormals,
                              .round_to_nearest = a.round_to_nearest && b.round_to_nearest,
                              .correctly_rounded_divide_sqrt = a.correctly_rounded_divide_sqrt &&
                                                               b.correctly_rounded_divide_sqrt,
                              .work_group_multiple = equal ? a.work_group_multiple : 0};
}

static pm_device_info joint_info(pm_device *const *members, size_t count) {
    pm_device_info info = members[0]->info;
    for (size_t i = 1; i < count; i++) {
        const pm_device_info *member = &members[i]->info;
        size_t length = strlen(info.name);
        snprintf(info.name + length, sizeof info.name - length, " + %s", member->name);
        add_name(info.platform, sizeof info.platform, member->platform);
        add_name(info.driver, sizeof info.driver, member->driver);
        info.memory_bytes += member->memory_bytes;
        info.compute_units += member->compute_units;
        if (member->max_allocation_bytes < info.max_allocation_bytes)
            info.max_allocation_bytes = member->max_allocation_bytes;
        info.claims = joint_claims(info.claims, member->claims);
    }
    return info;
}

static pm_status refuse_to_tune(pm_device *device, pm_launch_measurement *measurements,
                                size_t capacity, size_t *count, size_t *best, pm_error *error) {
    (void)measurements;
    (void)capacity;
    (void)count;
    (void)best;
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "the engine has %zu devices, expected 1: tune each on its own engine",
                   device->member_count);
}

/* ---- clips ---- */

static void release_clip(pm_device_clip *clip) {
    const size_t count = clip->device->member_count;
    for (size_t i = 0; clip->members && i < count; i++)
        if (clip->members[i])
            clip->members[i]->device->backend->release_clip(clip->members[i]);
    free(clip->members);
    free(clip);
}

static pm_status upload_clip(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                             pm_error *error) {
    pm_device_clip *made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    pm_device_clip_begin(made, device, data);
    made->members = calloc(device->member_count, sizeof(pm_device_clip *));
    pm_status status = made->members ? PM_OK : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < device->member_count; i++) {
        pm_device *member = device->members[i];
        status = member->backend->upload_clip(member, data, &made->members[i], error);
    }
    if (status == PM_OK)
        *clip = made;
    else
        release_clip(made);
    return status;
}

/* ---- programs ---- */

static pm_status prepare(const pm_device_clip *clip, const pm_sample_request *request,
                         pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < clip->device->member_count; i++) {
        const pm_device_clip *member = clip->members[i];
        if (member->device->backend->prepare)
            status = member->device->backend->prepare(member, request, error);
    }
    return status;
}

static pm_readiness readiness(const pm_device_clip *clip, const pm_sample_request *request,
                              pm_error *error) {
    pm_readiness worst = PM_READY;
    for (size_t i = 0; worst != PM_READY_NEVER && i < clip->device->member_count; i++) {
        const pm_device_clip *member = clip->members[i];
        if (!member->device->backend->readiness)
            continue;
        const pm_readiness one = member->device->backend->readiness(member, request, error);
        worst = one > worst ? one : worst;
    }
    return worst;
}

static void mark_checked(const pm_device_clip *clip, const pm_sample_request *request) {
    for (size_t i = 0; i < clip->device->member_count; i++)
        if (clip->members[i]->device->backend->mark_checked)
            clip->members[i]->device->backend->mark_checked(clip->members[i], request);
}

/* ---- requests ---- */

/* A request whose pieces the members take. */
typedef struct shared_request {
    const pm_device_clip *clip;
    const pm_sample_request *request;
    size_t min;           /* minimum samples per piece */
    pthread_mutex_t lock; /* guards the fields below */
    size_t next;          /* the first sample that no member has taken */
    pm_throughput *throughputs;
    pm_status status; /* of the first piece that failed */
    pm_error error;
} shared_request;

static size_t member_count(const shared_request *s) {
    return s->clip->device->member_count;
}

/* Takes the next piece for a member; false when the member takes no more. */
static bool take_piece(shared_request *s, size_t member, pm_piece *piece) {
    pthread_mutex_lock(&s->lock);
    pm_throughput *throughput = &s->throughputs[member];
    piece->from = s->next;
    piece->count = 0;
    if (!throughput->retired && s->status == PM_OK)
        piece->count = pm_next_piece(s->throughputs, member_count(s), member,
                                     s->request->sample_count - s->next, s->min);
    s->next += piece->count;
    throughput->retired = piece->count == 0;
    pthread_mutex_unlock(&s->lock);
    return piece->count > 0;
}

/* Keeps the first failure as the request's, with the device's name in its message. */
static void note_failure(shared_request *s, size_t member, pm_status status,
                         const pm_error *error) {
    pthread_mutex_lock(&s->lock);
    if (s->status == PM_OK) {
        s->status = status;
        s->error = *error;
        snprintf(s->error.message, sizeof s->error.message, "device %zu of %zu, %.60s: %.160s",
                 member + 1, member_count(s), s->clip->members[member]->device->info.name,
                 error->message);
    }
    pthread_mutex_unlock(&s->lock);
}

static void note_time(shared_request *s, size_t member, const pm_piece *piece, double seconds) {
    pthread_mutex_lock(&s->lock);
    s->throughputs[member].values += (double)piece->count * (double)s->request->width;
    s->throughputs[member].seconds += seconds;
    pthread_mutex_unlock(&s->lock);
}

static size_t program_count(const pm_device *device) {
    return device->backend->program_count ? device->backend->program_count(device) : 0;
}

/* A piece during which a program was built does not count towards the throughput. */
static pm_status sample_piece(shared_request *s, size_t member, const pm_piece *piece,
                              pm_error *error) {
    const pm_device_clip *clip = s->clip->members[member];
    const pm_sample_request part = pm_sample_request_piece(s->request, piece);
    const size_t programs = program_count(clip->device);
    const double begun = pm_seconds_now();
    const pm_status status = clip->device->backend->sample(clip, &part, error);
    const double seconds = pm_seconds_now() - begun;
    if (status == PM_OK && program_count(clip->device) == programs)
        note_time(s, member, piece, seconds);
    return status;
}

static void run_member(shared_request *s, size_t member) {
    pm_piece piece;
    while (take_piece(s, member, &piece)) {
        pm_error error;
        pm_error_clear(&error);
        pm_status status = sample_piece(s, member, &piece, &error);
        if (status != PM_OK)
            note_failure(s, member, status, &error);
    }
}

static void run_members(void *context, pm_items *items) {
    size_t member;
    while (pm_take_item(items, &member))
        run_member(context, member);
}

static void load_throughputs(shared_request *s) {
    pm_multi_device *multi = pm_multi_device_of(s->clip->device);
    pthread_mutex_lock(&multi->lock);
    for (size_t i = 0; i < member_count(s); i++)
        s->throughputs[i].before = multi->throughputs[i];
    pthread_mutex_unlock(&multi->lock);
}

static void store_throughputs(const shared_request *s) {
    pm_multi_device *multi = pm_multi_device_of(s->clip->device);
    pthread_mutex_lock(&multi->lock);
    for (size_t i = 0; i < member_count(s); i++)
        multi->throughputs[i] = pm_learned_throughput(s->throughputs, member_count(s), i);
    pthread_mutex_unlock(&multi->lock);
}

/* The number of threads for a request. A request of less than two pieces goes to one member, on the
 * calling thread. */
static size_t useful_threads(shared_request *s) {
    if (s->request->sample_count / 2 >= s->min)
        return member_count(s);
    size_t fastest = pm_fastest_member(s->throughputs, member_count(s));
    for (size_t i = 0; i < member_count(s); i++)
        s->throughputs[i].retired = i != fastest;
    return 1;
}

/* Each member uses the request's host_threads: an equal part of the engine's, unless the job sets
 * a number. */
static pm_status sample(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error) {
    const size_t count = clip->device->member_count;
    shared_request s = {.clip = clip, .request = request};
    s.min = pm_multi_device_of(clip->device)->min_values / request->width + 1;
    s.throughputs = calloc(count, sizeof *s.throughputs);
    if (!s.throughputs)
        return pm_fail_memory(error);
    pthread_mutex_init(&s.lock, NULL);
    load_throughputs(&s);
    pm_run_parallel(useful_threads(&s), count, run_members, &s);
    store_throughputs(&s);
    pthread_mutex_destroy(&s.lock);
    free(s.throughputs);
    if (s.status != PM_OK && error)
        *error = s.error;
    return s.status;
}

static const pm_backend backend = {.close = close_members,
                                   .tune = refuse_to_tune,
                                   .upload_clip = upload_clip,
                                   .release_clip = release_clip,
                                   .sample = sample,
                                   .prepare = prepare,
                                   .readiness = readiness,
                                   .mark_checked = mark_checked};

pm_status pm_multi_device_open(pm_device *const *members, size_t count,
                               const pm_device_options *options, pm_device **device,
                               pm_error *error) {
    pm_multi_device *multi = calloc(1, sizeof *multi);
    double *throughputs = calloc(count, sizeof *throughputs);
    pm_device **own = calloc(count, sizeof(pm_device *));
    if (!multi || !throughputs || !own) {
        free(multi);
        free(throughputs);
        free(own);
        return pm_fail_memory(error);
    }
    pm_device_begin(&multi->device, &backend, options);
    memcpy(own, members, count * sizeof(pm_device *));
    multi->device.info = joint_info(members, count);
    multi->device.members = own;
    multi->device.member_count = count;
    pthread_mutex_init(&multi->lock, NULL);
    multi->min_values = MIN_VALUES;
    multi->throughputs = throughputs;
    *device = &multi->device;
    return PM_OK;
}
