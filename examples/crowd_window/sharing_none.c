/* SPDX-License-Identifier: MIT
 *
 * Without OpenCL nothing can be shared: sharing_open returns NULL, and there is no object that the
 * other functions could be called with.
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

pm_status sharing_pose(sharing *s, pm_crowd *crowd, const pm_crowd_job *job, int which,
                       pm_error *error) {
    (void)s;
    (void)crowd;
    (void)job;
    (void)which;
    return fault(error, PM_ERROR_NO_PLATFORM, "%s", reason);
}
