/* SPDX-License-Identifier: MIT
 *
 * The versions of a crowd: made, exchanged and released. Clips are added and removed while other threads pose.
 */
#include "engine.h"

static void clear_version(const pm_crowd *crowd, pm_crowd_version *version) {
    pm_device *device = crowd->engine->device;
    if (version->on_device && !pm_device_is_lost(device))
        device->backend->release_crowd(version->on_device);
    version->on_device = NULL;
    pm_crowd_data_free(&version->data);
}

/* Releases earlier versions that no call holds. Those that are held stay until the next change. */
static void clear_earlier(pm_crowd *crowd) {
    for (pm_crowd_version *version = crowd->versions; version; version = version->next)
        if (version->data && version != atomic_load(&crowd->latest) &&
            !pm_holders_any(&version->holders))
            clear_version(crowd, version);
}

/* A version that is free, or a new one. NULL: no memory. */
static pm_crowd_version *free_version(pm_crowd *crowd) {
    pm_crowd_version *version = crowd->versions;
    while (version && version->data)
        version = version->next;
    if (version)
        return version;
    version = pm_allocate_zeroed(&crowd->engine->host, 1, sizeof *version);
    if (!version)
        return NULL;
    version->next = crowd->versions;
    crowd->versions = version;
    return version;
}

pm_status pm_crowd_publish(pm_crowd *crowd, pm_crowd_data *data, pm_error *error) {
    pm_device *device = crowd->engine->device;
    pm_crowd_version *before = atomic_load(&crowd->latest);
    pm_crowd_version *version = free_version(crowd);
    pm_device_crowd *on_device = NULL;
    pm_status status = version ? PM_OK : pm_fail_memory(error);
    if (status == PM_OK)
        status = device->backend->upload_crowd(device, data, before ? before->on_device : NULL,
                                               &on_device, error);
    if (status != PM_OK) {
        pm_crowd_data_free(&data);
        return status;
    }
    version->data = data;
    version->on_device = on_device;
    atomic_store(&crowd->latest, version);
    clear_earlier(crowd);
    return PM_OK;
}

void pm_crowd_clear(pm_crowd *crowd) {
    while (crowd->versions) {
        pm_crowd_version *version = crowd->versions;
        crowd->versions = version->next;
        clear_version(crowd, version);
        pm_release(version);
    }
}

/* The crowd is locked. */
static pm_status change(pm_crowd *crowd, const pm_crowd_edit *edit, uint32_t *ids,
                        pm_error *error) {
    const pm_crowd_data *before = atomic_load(&crowd->latest)->data;
    pm_crowd_data *data = NULL;
    pm_status status = pm_device_check(crowd->engine->device, error);
    clear_earlier(crowd);
    if (status == PM_OK)
        status = pm_crowd_data_change(before, edit, crowd->engine->host_threads, &data, ids, error);
    return status == PM_OK ? pm_crowd_publish(crowd, data, error) : status;
}

static pm_status change_locked(pm_crowd *crowd, const pm_crowd_edit *edit, uint32_t *ids,
                               pm_error *error) {
    pthread_mutex_lock(&crowd->changing);
    const pm_status status = change(crowd, edit, ids, error);
    pthread_mutex_unlock(&crowd->changing);
    return status;
}

pm_status pm_crowd_add_clips(pm_crowd *crowd, const pm_clip_desc *clips,
                             const pm_crowd_markers *markers, size_t count, uint32_t *ids,
                             pm_error *error) {
    const pm_crowd_edit edit = {.clips = clips, .markers = markers, .clip_count = count};
    pm_error_clear(error);
    if (!crowd || (count && (!clips || !ids)))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd   ? "crowd"
                       : !clips ? "clips"
                                : "ids");
    return count ? change_locked(crowd, &edit, ids, error) : PM_OK;
}

pm_status pm_crowd_remove_clips(pm_crowd *crowd, const uint32_t *ids, size_t count,
                                pm_error *error) {
    const pm_crowd_edit edit = {.removed = ids, .removed_count = count};
    pm_error_clear(error);
    if (!crowd || (count && !ids))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "ids" : "crowd");
    return count ? change_locked(crowd, &edit, NULL, error) : PM_OK;
}
