/* SPDX-License-Identifier: MIT
 *
 * Engines of devices that are open.
 */
#include "multi.h"

#include <stdlib.h>

pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error) {
    const uint32_t lanes = desc->lanes;
    if (lanes && lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "lanes", "is %u, expected 0, 1, 4, 8 or 16",
                             lanes);
    if ((unsigned)desc->clip_building > PM_CLIPS_BY_DEVICE)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "clip-building", "is not a known value");
    return PM_CHECK_NEXT(pm_engine_desc, desc, error);
}

pm_device_options pm_engine_options(const pm_engine_desc *desc) {
    return (pm_device_options){.logger = {desc->log, desc->log_user},
                               .host_threads =
                                   desc->host_threads ? desc->host_threads : pm_processors()};
}

pm_status pm_engine_of_devices(const pm_engine_desc *desc, pm_device **devices, size_t count,
                               pm_engine **engine, pm_error *error) {
    const pm_device_options options = pm_engine_options(desc);
    pm_engine *made = calloc(1, sizeof *made);
    pm_device *device = devices[0];
    pm_status status = made ? PM_OK : pm_fail_memory(error);
    if (status == PM_OK && count > 1)
        status = pm_multi_device_open(devices, count, &options, &device, error);
    if (status == PM_OK) {
        *made = (pm_engine){.device = device,
                            .logger = options.logger,
                            .host_threads = options.host_threads,
                            .builds_in_background = desc->build_in_background,
                            .clip_building = desc->clip_building};
        *engine = made;
        pm_threads_keep();
    } else {
        free(made);
    }
    for (size_t i = 0; status != PM_OK && i < count; i++)
        devices[i]->backend->close(devices[i]);
    free(devices);
    return status;
}
