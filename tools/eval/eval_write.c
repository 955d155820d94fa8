/* SPDX-License-Identifier: MIT
 *
 * Writes samples to .npy files in pieces, so that disk space and not memory limits the size of
 * the output. A piece is written while the next one is computed. All files appear together, after
 * everything was written.
 */
#include "eval.h"
#include "files/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size of the samples of a piece; two pieces are held. A piece has at least one sample of all
 * tracks. */
static const size_t piece_bytes = (size_t)64 << 20;

/* One piece is computed while the other is written. */
enum { PIECES = 2 };

/* An output file and the buffers of its samples. */
typedef struct sink {
    cli_output *output;
    float *samples[PIECES]; /* NULL: the output was not requested */
    size_t row_bytes;       /* size of one sample of all tracks */
} sink;

typedef struct writer {
    sink sinks[EVAL_OUTPUTS]; /* rotations, vectors, velocity, acceleration */
    size_t piece;             /* samples */
    unsigned turn;            /* index of the buffer that is being written */
    size_t count;             /* samples in that buffer */
    bool writing;             /* whether the thread is running */
    pthread_t thread;
    cli_exit code; /* result of the last write */
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
        for (size_t k = 0; k < PIECES && code == CLI_DONE; k++) {
            s->samples[k] = malloc(made->piece * s->row_bytes);
            if (s->samples[k] == NULL) {
                code = cli_fail(CLI_BAD_INPUT, options->keys, CLI_MEMORY_HINT,
                                "samples do not fit in this machine's memory");
            }
        }
        if (code == CLI_DONE) {
            code = open_sink(s, path_of(options, i), input, components[i]);
        }
    }
    return code;
}

static void writer_close(writer *made) {
    for (size_t i = 0; i < EVAL_OUTPUTS; i++) {
        cli_output_abandon(&made->sinks[i].output);
        for (size_t k = 0; k < PIECES; k++) {
            free(made->sinks[i].samples[k]);
        }
    }
}

static void *write_piece(void *context) {
    writer *made = context;
    for (size_t i = 0; i < EVAL_OUTPUTS && made->code == CLI_DONE; i++) {
        const sink *s = &made->sinks[i];
        if (s->output != NULL) {
            made->code =
                cli_output_write(s->output, s->samples[made->turn], made->count * s->row_bytes);
        }
    }
    return NULL;
}

/* Waits until the previous piece has been written. */
static cli_exit writer_wait(writer *made) {
    if (made->writing) {
        pthread_join(made->thread, NULL);
        made->writing = false;
    }
    return made->code;
}

/* Writes `count` samples of a buffer, on a thread if one can be created. */
static void writer_begin(writer *made, unsigned turn, size_t count) {
    made->turn = turn;
    made->count = count;
    made->writing = pthread_create(&made->thread, NULL, write_piece, made) == 0;
    if (!made->writing) {
        write_piece(made);
    }
}

static cli_exit compute_piece(const writer *made, const eval_options *options,
                              const eval_input *input, const pm_clip *clip, unsigned turn,
                              size_t first, size_t count) {
    pm_error error = {0};
    pm_sample_job job = {
        .sample_count = count,
        .rotations = made->sinks[0].samples[turn],
        .positions = made->sinks[1].samples[turn],
        .velocities = made->sinks[2].samples[turn],
        .accelerations = made->sinks[3].samples[turn],
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
    return CLI_DONE;
}

static cli_exit write_all(writer *made, const eval_options *options, const eval_input *input,
                          const pm_clip *clip) {
    progress bar;
    cli_exit code = CLI_DONE;
    unsigned turn = 0;
    progress_begin(&bar, "eval", input->sample_count);
    for (size_t first = 0; first < input->sample_count && code == CLI_DONE;) {
        size_t rest = input->sample_count - first;
        size_t count = rest < made->piece ? rest : made->piece;
        code = compute_piece(made, options, input, clip, turn, first, count);
        cli_exit written = writer_wait(made);
        code = written != CLI_DONE ? written : code;
        if (code == CLI_DONE) {
            writer_begin(made, turn, count);
        }
        turn = (turn + 1) % PIECES;
        first += count;
        progress_advance(&bar, count);
    }
    cli_exit written = writer_wait(made);
    progress_end(&bar);
    return code == CLI_DONE ? written : code;
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
