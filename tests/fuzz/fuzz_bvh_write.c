/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the BVH writer: any motion that can be read is written, some rows from their text and
 * some from their numbers, and read again as the same skeleton with the same numbers.
 */
#include "formats/bvh.h"
#include "scratch.h"

#include <math.h>
#include <stdlib.h>

enum { DECIMALS = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

static bool is_source_row(const bvh *model, size_t frame, unsigned choice) {
    return !model->rows[frame].held && (frame + choice) % 2 == 0;
}

static void write_model(const bvh *model, const char *path, unsigned choice) {
    cli_output *output = NULL;
    bvh_writer writer;
    require(cli_output_open(path, &output) == CLI_DONE);
    require(bvh_writer_begin(&writer, model, output, model->frame_count, model->rate, DECIMALS) ==
            CLI_DONE);
    for (size_t f = 0; f < model->frame_count; f++) {
        require((is_source_row(model, f, choice)
                     ? bvh_writer_source_row(&writer, f)
                     : bvh_writer_row(&writer, model->values + f * model->channel_count)) ==
                CLI_DONE);
    }
    require(bvh_writer_end(&writer) == CLI_DONE);
    bvh_writer_release(&writer);
    require(cli_output_commit(&output) == CLI_DONE);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bvh_options options = {false, false, false, {0, 0}};
    bvh *model = NULL, *again = NULL;
    char path[SCRATCH_PATH], *text = NULL;
    size_t length = 0;
    const unsigned choice = size > 0 ? data[size - 1] : 0;

    cli_quiet = true;
    options.hold_nan = choice & 2;
    if (bvh_parse("fuzz", (const char *)data, size, &options, &model) == CLI_DONE) {
        scratch_path("written.bvh", path);
        write_model(model, path, choice & 1);
        require(scratch_count() == 1);
        require(cli_read_file(path, &bvh_kind, &text, &length) == CLI_DONE);
        options.hold_nan = false;
        require(bvh_parse(path, text, length, &options, &again) == CLI_DONE);
        compare(model, again, choice & 1);
    }
    bvh_free(&again);
    bvh_free(&model);
    free(text);
    return 0;
}
