/* SPDX-License-Identifier: MIT
 *
 * What the files of resamplers share.
 */
#ifndef PM_HOST_RESAMPLER_H
#define PM_HOST_RESAMPLER_H

#include "cpu/cpu.h"
#include "engine.h"

struct pm_resampler {
    pm_clip_desc
        desc; /* checked; its arrays are borrowed. Of pushed keys: the options of the first push */
    pm_clip_data *layout; /* without keys; NULL: none has been pushed */
    pm_cpu_streams streams;
    pm_clip_data *clip;            /* NULL: no job has required it */
    struct pm_pushed_keys *pushed; /* NULL: the description has all keys */
};

/* Accepts NULL. */
void pm_pushed_keys_free(struct pm_pushed_keys *pushed);

#endif
