/* SPDX-License-Identifier: MIT
 *
 * Several devices as one. Work is cut into pieces of one size. Each member has a thread, which
 * takes the next piece when the previous one is finished, so that faster members take more.
 */
#define _POSIX_C_SOURCE 200809L

#include "multi.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A job has this many pieces for each member: at its end the others wait for one piece at most. */
enum { PIECES_PER_MEMBER = 16 };

/* Values per piece. Computing the minimum takes several times as long as the overhead of a call.
 * More than the maximum would only let the others wait longer. */
enum { MIN_VALUES = 1 << 17, MAX_VALUES = 1 << 24 };

static void close_members(pm_device *device) {
    pm_multi_device *multi = pm_multi_device_of(device);
    for (size_t i = 0; i < device->member_count; i++)
        device->members[i]->backend->close(device->members[i]);
    pm_pool_close(device->pool);
    pm_release(device->members);
    pm_release(multi);
}

/* Appends a member's name. Truncates to `size`. */
static void add_name(char *names, size_t size, const char *name) {
    const size_t length = strlen(names);
    snprintf(names + length, size - length, "%s%s", length ? " + " : "", name);
}

/* Whether a member before this one has the same platform, or driver: the text at `offset` in its
 * info. */
static bool has_text(pm_device *const *members, size_t index, size_t offset) {
    for (size_t i = 0; i < index; i++)
        if (strcmp((const char *)&members[i]->info + offset,
                   (const char *)&members[index]->info + offset) == 0)
            return true;
    return false;
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
        add_name(info.name, sizeof info.name, member->name);
        if (!has_text(members, i, offsetof(pm_device_info, platform)))
            add_name(info.platform, sizeof info.platform, member->platform);
        if (!has_text(members, i, offsetof(pm_device_info, driver)))
            add_name(info.driver, sizeof info.driver, member->driver);
        info.memory_bytes += member->memory_bytes;
        info.compute_units += member->compute_units;
        if (member->max_allocation_bytes < info.max_allocation_bytes)
            info.max_allocation_bytes = member->max_allocation_bytes;
        info.claims = joint_claims(info.claims, member->claims);
    }
    return info;
}

static void release_clip(pm_device_clip *clip) {
    const size_t count = clip->device->member_count;
    for (size_t i = 0; clip->members && i < count; i++)
        if (clip->members[i])
            clip->members[i]->device->backend->release_clip(clip->members[i]);
    pm_release(clip->members);
    pm_release(clip);
}

static pm_status upload_clip(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                             pm_error *error) {
    pm_device_clip *made = pm_allocate_zeroed(&device->options.host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    pm_device_clip_begin(made, device, data);
    made->members =
        pm_allocate_zeroed(&device->options.host, device->member_count, sizeof(pm_device_clip *));
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

/* Work whose pieces the members take. */
typedef struct shared_work {
    pm_device *device;
    const pm_multi_work *work;
    size_t piece;         /* elements; the last piece may have fewer */
    pthread_mutex_t lock; /* guards the fields below */
    size_t begun;         /* members that have a thread */
    pm_status status;     /* of the first piece that failed */
    pm_error error;
} shared_work;

/* Work of less than two minima is one piece. */
static size_t piece_of(const pm_device *device, const pm_multi_work *work) {
    const size_t least = ((const pm_multi_device *)device)->min_values / work->width + 1;
    const size_t total = work->elements, most = MAX_VALUES / work->width + 1;
    size_t pieces = PIECES_PER_MEMBER * device->member_count;
    pieces = total / most > pieces ? total / most : pieces;
    pieces = total / least < pieces ? total / least : pieces;
    return pieces > 1 ? total / pieces + (total % pieces != 0) : total;
}

static size_t begin_member(shared_work *s) {
    pthread_mutex_lock(&s->lock);
    const size_t member = s->begun++;
    pthread_mutex_unlock(&s->lock);
    return member;
}

static bool has_failed(shared_work *s) {
    pthread_mutex_lock(&s->lock);
    const bool failed = s->status != PM_OK;
    pthread_mutex_unlock(&s->lock);
    return failed;
}

/* Keeps the first failure as that of the work, with the device's name in its message. */
static void note_failure(shared_work *s, size_t member, pm_status status, const pm_error *error) {
    pthread_mutex_lock(&s->lock);
    if (s->status == PM_OK) {
        s->status = status;
        s->error = *error;
        pm_prefix_failure(&s->error, "device %zu of %zu, %.60s: ", member + 1,
                          s->device->member_count, s->device->members[member]->info.name);
    }
    pthread_mutex_unlock(&s->lock);
}

static void compute_pieces(void *context, pm_items *items) {
    shared_work *s = context;
    const size_t member = begin_member(s);
    size_t index;
    while (!has_failed(s) && pm_take_item(items, &index)) {
        const pm_piece piece = pm_piece_at(s->work->elements, s->piece, index);
        pm_error error;
        pm_error_clear(&error);
        const pm_status status = s->work->compute(s->work->context, member, &piece, &error);
        if (status != PM_OK)
            note_failure(s, member, status, &error);
    }
}

/* The calling thread has the first member that begins; it has the only piece of small work. */
pm_status pm_multi_run(pm_device *device, const pm_multi_work *work, pm_error *error) {
    shared_work s = {.device = device, .work = work, .piece = piece_of(device, work)};
    pthread_mutex_init(&s.lock, NULL);
    const pm_status status =
        pm_run_pieces(work->host, device->member_count, pm_piece_count(work->elements, s.piece),
                      compute_pieces, &s, error);
    pthread_mutex_destroy(&s.lock);
    if (s.status == PM_OK)
        return status;
    if (error)
        *error = s.error;
    return s.status;
}

static const pm_backend backend = {.calls_drivers = true,
                                   .close = close_members,
                                   .upload_clip = upload_clip,
                                   .release_clip = release_clip};

pm_status pm_multi_device_open(pm_device *const *members, size_t count,
                               const pm_device_options *options, pm_device **device,
                               pm_error *error) {
    pm_multi_device *multi = pm_allocate_zeroed(&options->host, 1, sizeof *multi);
    pm_device **own = pm_allocate_zeroed(&options->host, count, sizeof(pm_device *));
    if (multi)
        pm_device_begin(&multi->device, &backend, options);
    if (!multi || !own || !multi->device.pool) {
        if (multi)
            pm_pool_close(multi->device.pool);
        pm_release(multi);
        pm_release(own);
        return pm_fail_memory(error);
    }
    memcpy(own, members, count * sizeof(pm_device *));
    multi->device.info = joint_info(members, count);
    multi->device.members = own;
    multi->device.member_count = count;
    multi->min_values = MIN_VALUES;
    *device = &multi->device;
    return PM_OK;
}
