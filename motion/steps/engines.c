/* SPDX-License-Identifier: MIT
 *
 * Makes the engines of files whose device is not named, each when the first file needs it.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/steps/engines.h"

#include <inttypes.h>

#include "motion/base/fault.h"
#include "motion/resample/device.h"

void task_engines_begin(task_engines *e, pm_engine *given, const pm_engine_desc *automatic) {
    *e = (task_engines){.given = given, .automatic = automatic};
    pthread_mutex_init(&e->lock, NULL);
}

void task_engines_end(task_engines *e) {
    pm_engine_destroy(&e->plain);
    pm_engine_destroy(&e->device);
    pthread_mutex_destroy(&e->lock);
}

static pm_status make(task_engines *e, bool in_c, pm_engine **made, pm_error *error) {
    pm_engine_desc desc = *e->automatic;
    if (!in_c && e->open) {
        *made = e->open();
        return *made ? PM_OK : motion_fail(error, PM_ERROR_DEVICE, "device: none could be opened");
    }
    desc.device = in_c ? "none" : "auto";
    pthread_mutex_lock(&e->lock);
    pm_engine **kept = in_c ? &e->plain : &e->device;
    const pm_status status = *kept ? PM_OK : pm_engine_create(&desc, kept, error);
    *made = *kept;
    pthread_mutex_unlock(&e->lock);
    return status == PM_OK ? PM_OK : motion_name_failure(status, "device", error);
}

/* "walk.bvh: in plain C: no device is opened for 65000 numbers" */
static void tell(const char *path, resample_device choice, uint64_t numbers,
                 const pm_device_info *device, pm_motion_log_function log, void *user) {
    pm_error remark;
    if (choice == RESAMPLE_ON_DEVICE)
        motion_describe(&remark, (motion_about){.hint = NULL}, "on %.150s", device->name);
    else
        motion_describe(&remark, (motion_about){.hint = NULL}, "in plain C: %s %" PRIu64 " numbers",
                        choice == RESAMPLE_IN_C ? "no device is opened for" : "there is no GPU for",
                        numbers);
    motion_tell(&(motion_warnings){.log = log, .user = user, .name = path}, PM_LOG_INFO, &remark);
}

pm_status task_engines_choose(task_engines *e, const pm_motion *motion,
                              const pm_motion_resample_options *options, const char *path,
                              pm_motion_log_function log, void *log_user, pm_engine **engine,
                              pm_error *error) {
    pm_device_info device;
    uint64_t numbers;
    *engine = e->given;
    if (e->given || !e->automatic)
        return PM_OK;
    const resample_device choice = resample_choose_device(motion, options, &numbers);
    const pm_status status = make(e, choice != RESAMPLE_ON_DEVICE, engine, error);
    if (status != PM_OK || !log)
        return status;
    pm_engine_get_info(*engine, &device);
    if (choice == RESAMPLE_ON_DEVICE && device.type == PM_DEVICE_REFERENCE)
        motion_warn_at(log, log_user, "device",
                       "no OpenCL device found; using the CPU reference path");
    tell(path, choice, numbers, &device, log, log_user);
    return PM_OK;
}
