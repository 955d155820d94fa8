/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the BVH reader: any bytes are read or rejected, and a model that was read is
 * consistent.
 */
#include "fuzz.h"
#include "motion/bvh/bvh.h"

#include <math.h>
#include <stdlib.h>

static void check(const bvh *model) {
    size_t i, count = model->frame_count * model->channel_count;

    for (i = 0; i < count; i++)
        if (!isfinite(model->values[i]))
            abort();
    for (i = 0; i < model->channel_count; i++)
        if (model->channels[i].joint >= model->joint_count)
            abort();
    if (count == 0 || model->rate.num <= 0 || model->rate.den <= 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pm_motion_read_options options = {.hold_nan = false};
    bvh *model = NULL;

    if (size > 0) { /* the last byte selects the options */
        options.hold_nan = data[size - 1] & 1;
        options.no_snap = data[size - 1] & 2;
    }
    const motion_input input = {.data = (const char *)data, .size = size, .options = &options};
    if (bvh_parse(&input, &model, NULL) == PM_OK)
        check(model);
    bvh_free(&model);
    return 0;
}
