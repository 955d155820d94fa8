/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the BVH writer: any motion that can be read is written, some rows from their text and
 * some from their numbers, and read again as the same skeleton with the same numbers.
 */
#include "fuzz.h"
#include "motion/bvh/bvh.h"
#include "motion/files/output.h"
#include "scratch.h"

#include <math.h>
#include <stdlib.h>

enum { DECIMALS = 6 };

static bool is_source_row(const bvh *model, size_t frame, unsigned choice) {
    return !model->rows[frame].held && (frame + choice) % 2 == 0;
}

static void write_model(const bvh *model, const char *path, unsigned choice) {
    motion_output *output = NULL;
    bvh_writer writer;
    require(motion_output_open(path, &output, NULL) == PM_OK);
    const motion_sink sink = motion_output_sink(output);
    require(bvh_writer_begin(&writer, model, &sink, model->frame_count, model->rate, DECIMALS,
                             NULL) == PM_OK);
    for (size_t f = 0; f < model->frame_count; f++) {
        const double *row = model->values + f * model->channel_count;
        require((is_source_row(model, f, choice) ? bvh_writer_source_row(&writer, f, NULL)
                                                 : bvh_writer_row(&writer, row, NULL)) == PM_OK);
    }
    require(bvh_writer_end(&writer, NULL) == PM_OK);
    bvh_writer_release(&writer);
    require(motion_output_commit(&output, NULL) == PM_OK);
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

static pm_status parse(const char *data, size_t size, bool hold_nan, bvh **model) {
    const pm_motion_read_options options = {.hold_nan = hold_nan};
    const motion_input input = {.data = data, .size = size, .options = &options};
    return bvh_parse(&input, model, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bvh *model = NULL, *again = NULL;
    char path[SCRATCH_PATH], reason[INPUT_REASON_SIZE], *text = NULL;
    size_t length = 0;
    const unsigned choice = size > 0 ? data[size - 1] : 0;

    if (parse((const char *)data, size, choice & 2, &model) == PM_OK) {
        scratch_path("written.bvh", path);
        write_model(model, path, choice & 1);
        require(scratch_count() == 1);
        require(input_read_file(path, &bvh_kind, &text, &length, reason));
        require(parse(text, length, false, &again) == PM_OK);
        compare(model, again, choice & 1);
    }
    bvh_free(&again);
    bvh_free(&model);
    free(text);
    return 0;
}
