/* SPDX-License-Identifier: MIT
 *
 * The functions of posemill_cl.h that take keys in buffers.
 */
#include "engine.h"

#include <posemill/posemill_cl.h>

#include "opencl/opencl.h"

static pm_status begin(pm_engine *engine, const pm_clip_desc *desc, const pm_cl_keys *keys,
                       cl_uint wait_count, const cl_event *wait_list, const char *result,
                       pm_cl_given *given, pm_error *error) {
    const char *missing = !engine                    ? "engine"
                          : !desc                    ? "desc"
                          : !keys                    ? "keys"
                          : wait_count && !wait_list ? "wait_list"
                                                     : result;
    if (missing)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    return pm_cl_given_begin(engine->device->members[0], desc, keys, wait_count, wait_list, given,
                             error);
}

pm_status pm_cl_clip_create(pm_engine *engine, const pm_clip_desc *desc, const pm_cl_keys *keys,
                            cl_uint wait_count, const cl_event *wait_list, pm_clip **clip,
                            pm_error *error) {
    pm_cl_given given;
    pm_clip *made = NULL;
    pm_error_clear(error);
    pm_status status =
        begin(engine, desc, keys, wait_count, wait_list, clip ? NULL : "clip", &given, error);
    if (status == PM_OK && given.all_in_buffers)
        status = pm_clip_make(engine, &given.desc, keys, &made, error);
    if (status == PM_OK && !made) {
        status = pm_cl_given_map(&given, error);
        if (status == PM_OK)
            status = pm_clip_create(engine, &given.desc, &made, error);
        const pm_status unmapped = pm_cl_given_unmap(&given, status == PM_OK ? error : NULL);
        status = status == PM_OK ? unmapped : status;
    }
    if (status == PM_OK)
        *clip = made;
    else
        pm_clip_destroy(&made);
    return status;
}

pm_status pm_cl_filter_create(pm_engine *engine, const pm_clip_desc *desc, double cutoff,
                              const pm_cl_keys *keys, cl_uint wait_count, const cl_event *wait_list,
                              pm_filter **filter, pm_error *error) {
    pm_cl_given given;
    pm_filter *made = NULL;
    pm_error_clear(error);
    pm_status status =
        begin(engine, desc, keys, wait_count, wait_list, filter ? NULL : "filter", &given, error);
    if (status != PM_OK)
        return status;
    status = pm_cl_given_map(&given, error);
    if (status == PM_OK)
        status = pm_filter_create(engine, &given.desc, cutoff, &made, error);
    const pm_status unmapped = pm_cl_given_unmap(&given, status == PM_OK ? error : NULL);
    status = status == PM_OK ? unmapped : status;
    if (status == PM_OK)
        *filter = made;
    else
        pm_filter_destroy(&made);
    return status;
}
