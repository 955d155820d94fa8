/* SPDX-License-Identifier: MIT
 *
 * Without OpenCL nothing can be shared, and there are no kernels: there is no object that most of
 * these functions could be called with.
 */
#include "sharing.h"

#include "fault.h"

static const char reason[] = "built without OpenCL";

sharing *sharing_open(const char **why) {
    *why = reason;
    return NULL;
}

void sharing_close(sharing **s) {
    *s = NULL;
}

pm_status sharing_engine(sharing *s, pm_engine **engine, pm_error *error) {
    (void)s;
    (void)engine;
    return fault(error, PM_ERROR_NO_PLATFORM, "%s", reason);
}

pm_status sharing_take(sharing *s, const unsigned names[SHARING_BUFFERS], pm_error *error) {
    (void)s;
    (void)names;
    return fault(error, PM_ERROR_NO_PLATFORM, "%s", reason);
}

void sharing_drop(sharing *s) {
    (void)s;
}

pm_status sharing_pose(sharing *s, stages *st, const scene *shown, int which, pm_error *error) {
    (void)s;
    (void)st;
    (void)shown;
    (void)which;
    return fault(error, PM_ERROR_NO_PLATFORM, "%s", reason);
}

bool stages_can(const pm_engine *engine) {
    (void)engine;
    return false;
}

bool stages_needed(const scene *s) {
    (void)s;
    return false;
}

pm_status stages_open(stages **st, const scene *s, pm_error *error) {
    (void)st;
    (void)s;
    return fault(error, PM_ERROR_NO_PLATFORM, "%s", reason);
}

void stages_close(stages **st) {
    *st = NULL;
}

pm_status stages_pose(stages *st, const scene *s, void *records, pm_error *error) {
    (void)st;
    (void)s;
    (void)records;
    return fault(error, PM_ERROR_NO_PLATFORM, "%s", reason);
}

pm_status stages_job(stages *st, const scene *s, pm_crowd_job *job, pm_error *error) {
    (void)st;
    (void)s;
    (void)job;
    return fault(error, PM_ERROR_NO_PLATFORM, "%s", reason);
}
