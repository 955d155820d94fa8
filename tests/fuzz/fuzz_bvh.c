/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of BVH: any bytes are rejected, or read as a model that is consistent. Such a model is written,
 * some rows from their text and some from their numbers, and read again as the same skeleton with the
 * same numbers.
 */
#include "fuzz.h"
#include "motion/bvh/bvh.h"
#include "support/file_bytes.h"

#include <math.h>
#include <stdlib.h>

enum { DECIMALS = 6 };

static void check(const bvh *model) {
    const size_t count = model->frame_count * model->channel_count;
    for (size_t i = 0; i < count; i++)
        require(isfinite(model->values[i]));
    for (size_t i = 0; i < model->channel_count; i++)
        require(model->channels[i].joint < model->joint_count);
    require(count > 0 && model->rate.num > 0 && model->rate.den > 0);
}

static bool is_source_row(const bvh *model, size_t frame, unsigned choice) {
    return !model->rows[frame].held && (frame + choice) % 2 == 0;
}

static file_bytes written(const bvh *model, unsigned choice) {
    file_bytes out = {0};
    const motion_sink sink = bytes_sink(&out);
    bvh_writer writer;
    require(bvh_writer_begin(&writer, model, &sink, model->frame_count, model->rate, DECIMALS,
                             NULL) == PM_OK);
    for (size_t f = 0; f < model->frame_count; f++) {
        const double *row = model->values + f * model->channel_count;
        require((is_source_row(model, f, choice)
                     ? bvh_writer_source_row(&writer, model, f, NULL)
                     : bvh_writer_row(&writer, row, NULL, NULL)) == PM_OK);
    }
    require(bvh_writer_end(&writer, NULL) == PM_OK);
    bvh_writer_release(&writer);
    return out;
}

static void compare(const bvh *a, const bvh *b, unsigned choice) {
    require(a->joint_count == b->joint_count && a->site_count == b->site_count);
    require(a->channel_count == b->channel_count && a->frame_count == b->frame_count);
    require(b->frames_stated == b->frame_count);
    for (size_t j = 0; j < a->joint_count; j++) {
        require(a->joints[j].parent == b->joints[j].parent);
        require(a->joints[j].channel_count == b->joints[j].channel_count);
        require(a->joints[j].name.size == b->joints[j].name.size);
    }
    for (size_t c = 0; c < a->channel_count; c++) {
        require(a->channels[c].kind == b->channels[c].kind);
        require(a->channels[c].joint == b->channels[c].joint);
    }
    for (size_t i = 0; i < a->frame_count * a->channel_count; i++) {
        const double was = a->values[i], is = b->values[i];
        const bool kept = is_source_row(a, i / a->channel_count, choice);
        require(kept ? was == is : fabs(was - is) <= 0.51e-6 + fabs(was) * 1e-15);
    }
}

static pm_status parse(const char *data, size_t size, unsigned choice, bvh **model) {
    const pm_motion_read_options options = {.hold_nan = choice & 1, .literal_rate = choice & 2};
    const motion_input input = {.data = data, .size = size, .options = &options};
    return bvh_parse(&input, model, NULL);
}

/* The last byte selects the options. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const unsigned choice = size > 0 ? data[size - 1] : 0, rows = choice >> 2 & 1;
    bvh *model = NULL, *again = NULL;
    if (parse((const char *)data, size, choice, &model) == PM_OK) {
        check(model);
        SCOPED(bytes_free) file_bytes out = written(model, rows);
        require(parse(out.data, out.size, 0, &again) == PM_OK);
        compare(model, again, rows);
        bvh_free(&again);
    }
    bvh_free(&model);
    return 0;
}
