/* SPDX-License-Identifier: MIT
 *
 * Samples in, .npy out, a piece at a time: the size of the output is bounded by the
 * disk, not by memory. All files appear together, after everything was written.
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
    sink sinks[EVAL_OUTPUTS]; /* rotations, vectors, velocity, acceleration */
    size_t piece;             /* samples */
} writer;

static const size_t components[EVAL_OUTPUTS] = {4, 3, 3, 3};

static const char *path_of(const eval_options *options, size_t output) {
    const char *paths[EVAL_OUTPUTS] = {options->out, options->vectors_out, options->velocity,
                                       options->acceleration};
    return paths[output];
}

size_t eval_output_names(const eval_options *options, const char *names[EVAL_OUTPUTS]) {
    size_t count = 0;
    for (size_t i = 0; i < EVAL_OUTPUTS; i++) {
        if (path_of(options, i) != NULL) {
            names[count++] = path_of(options, i);
        }
    }
    return count;
}

static cli_exit open_sink(sink *target, const char *path, const eval_input *input, size_t width) {
    const size_t shape[] = {input->sample_count, input->track_count, width};
    char header[NPY_HEADER_MAX];
    cli_exit code = cli_output_open(path, &target->output);
    if (code != CLI_DONE) {
        return code;
    }
    size_t size = npy_write_header(PM_FLOAT32, 3, shape, header);
    return cli_output_write(target->output, header, size);
}

static cli_exit writer_open(writer *made, const eval_options *options, const eval_input *input) {
    size_t row_bytes = 0;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < EVAL_OUTPUTS; i++) {
        if (path_of(options, i) != NULL) {
            made->sinks[i].row_bytes = components[i] * sizeof(float) * input->track_count;
            row_bytes += made->sinks[i].row_bytes;
        }
    }
    made->piece = piece_bytes / row_bytes;
    made->piece = made->piece > 0 ? made->piece : 1;
    if (made->piece > input->sample_count) {
        made->piece = input->sample_count > 0 ? input->sample_count : 1;
    }
    for (size_t i = 0; i < EVAL_OUTPUTS && code == CLI_DONE; i++) {
        sink *s = &made->sinks[i];
        if (s->row_bytes == 0) {
            continue;
        }
        s->samples = malloc(made->piece * s->row_bytes);
        code = s->samples != NULL
                   ? open_sink(s, path_of(options, i), input, components[i])
                   : cli_fail(CLI_DEVICE_FAILED, options->out, NULL, "out of memory");
    }
    return code;
}

static void writer_close(writer *made) {
    for (size_t i = 0; i < EVAL_OUTPUTS; i++) {
        cli_output_abandon(&made->sinks[i].output);
        free(made->sinks[i].samples);
    }
}

static cli_exit write_piece(const writer *made, const eval_options *options,
                            const eval_input *input, const pm_clip *clip, size_t first,
                            size_t count) {
    pm_error error = {0};
    pm_sample_job job = {
        .sample_count = count,
        .rotations = made->sinks[0].samples,
        .positions = made->sinks[1].samples,
        .velocities = made->sinks[2].samples,
        .accelerations = made->sinks[3].samples,
        .velocity_frame = options->velocity_frame,
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
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < EVAL_OUTPUTS && code == CLI_DONE; i++) {
        const sink *s = &made->sinks[i];
        if (s->samples != NULL) {
            code = cli_output_write(s->output, s->samples, count * s->row_bytes);
        }
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
    for (size_t i = 0; i < EVAL_OUTPUTS && code == CLI_DONE; i++) {
        if (made.sinks[i].output != NULL) {
            code = cli_output_commit(&made.sinks[i].output);
        }
    }
    writer_close(&made);
    return code;
}
