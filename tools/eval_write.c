/* SPDX-License-Identifier: MIT
 *
 * Samples in, .npy out, a piece at a time: the size of the output is bounded by the
 * disk, not by memory. Both files appear together, after everything was written.
 */
#include "eval.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the samples held at once. At least one row, however many tracks. */
static const size_t piece_bytes = (size_t)64 << 20;

/* One output file and the samples about to go there. */
typedef struct sink {
    cli_output *output;
    float *samples;   /* NULL: this output was not asked for */
    size_t row_bytes; /* of one sample of all tracks */
} sink;

typedef struct writer {
    sink rotations;
    sink vectors;
    size_t piece; /* samples */
} writer;

static cli_exit open_sink(sink *target, const char *path, const eval_input *input,
                          size_t components) {
    const size_t shape[] = {input->sample_count, input->track_count, components};
    char header[NPY_HEADER_MAX];
    cli_exit code = cli_output_open(path, &target->output);
    if (code != CLI_DONE) {
        return code;
    }
    size_t size = npy_write_header(PM_FLOAT32, 3, shape, header);
    return cli_output_write(target->output, header, size);
}

static cli_exit writer_open(writer *made, const eval_options *options, const eval_input *input) {
    size_t vector_row = options->vectors != NULL ? 3 * sizeof(float) * input->track_count : 0;
    made->rotations.row_bytes = 4 * sizeof(float) * input->track_count;
    made->vectors.row_bytes = vector_row;
    made->piece = piece_bytes / (made->rotations.row_bytes + vector_row);
    made->piece = made->piece > 0 ? made->piece : 1;
    if (made->piece > input->sample_count) {
        made->piece = input->sample_count > 0 ? input->sample_count : 1;
    }
    made->rotations.samples = malloc(made->piece * made->rotations.row_bytes);
    made->vectors.samples = vector_row > 0 ? malloc(made->piece * vector_row) : NULL;
    if (made->rotations.samples == NULL || (vector_row > 0 && made->vectors.samples == NULL)) {
        return cli_fail(CLI_DEVICE_FAILED, options->out, NULL, "out of memory");
    }
    cli_exit code = open_sink(&made->rotations, options->out, input, 4);
    if (code == CLI_DONE && vector_row > 0) {
        code = open_sink(&made->vectors, options->vectors_out, input, 3);
    }
    return code;
}

static void writer_close(writer *made) {
    cli_output_abandon(&made->rotations.output);
    cli_output_abandon(&made->vectors.output);
    free(made->rotations.samples);
    free(made->vectors.samples);
}

static cli_exit write_piece(const writer *made, const eval_options *options,
                            const eval_input *input, const pm_clip *clip, size_t first,
                            size_t count) {
    pm_error error = {0};
    pm_sample_job job = {
        .sample_count = count,
        .rotations = made->rotations.samples,
        .positions = made->vectors.samples,
    };
    if (options->times != NULL) {
        job.times = (const double *)input->times.data + first;
    } else {
        job.rate = options->rate;
        job.first = first;
    }
    if (pm_sample(clip, &job, &error) != PM_OK) {
        return cli_fail_error(options->keys, &error);
    }
    cli_exit code = cli_output_write(made->rotations.output, made->rotations.samples,
                                     count * made->rotations.row_bytes);
    if (code == CLI_DONE && made->vectors.output != NULL) {
        code = cli_output_write(made->vectors.output, made->vectors.samples,
                                count * made->vectors.row_bytes);
    }
    return code;
}

static cli_exit write_all(const writer *made, const eval_options *options, const eval_input *input,
                          const pm_clip *clip) {
    progress bar;
    cli_exit code = CLI_DONE;
    progress_begin(&bar, "eval", input->sample_count);
    for (size_t first = 0; first < input->sample_count && code == CLI_DONE;) {
        size_t rest = input->sample_count - first;
        size_t count = rest < made->piece ? rest : made->piece;
        code = write_piece(made, options, input, clip, first, count);
        first += count;
        progress_advance(&bar, count);
    }
    progress_end(&bar);
    return code;
}

cli_exit eval_write(const eval_options *options, const eval_input *input, const pm_clip *clip) {
    writer made = {0};
    cli_exit code = writer_open(&made, options, input);
    if (code == CLI_DONE) {
        code = write_all(&made, options, input, clip);
    }
    if (code == CLI_DONE) {
        code = cli_output_commit(&made.rotations.output);
    }
    if (code == CLI_DONE && made.vectors.output != NULL) {
        code = cli_output_commit(&made.vectors.output);
    }
    writer_close(&made);
    return code;
}
