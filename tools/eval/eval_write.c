/* SPDX-License-Identifier: MIT
 *
 * Writes samples to .npy files in pieces, so that disk space and not memory limits the size of
 * the output. A piece is written while the next one is computed. All files appear together, after
 * everything was written.
 */
#include "eval.h"
#include "files/progress.h"

#include <pthread.h>
#include <stdlib.h>

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
    unsigned buffer;          /* index of the buffer that is being written */
    size_t count;             /* samples in that buffer */
    bool writing;             /* whether the thread is running */
    pthread_t thread;
    cli_exit code; /* result of the last write */
} writer;

static const size_t components[EVAL_OUTPUTS] = {4, 3, 3, 3};

static const char *output_path(const command_options *options, size_t output) {
    const char *paths[EVAL_OUTPUTS] = {options->out, options->vectors_out, options->velocity,
                                       options->acceleration};
    return paths[output];
}

size_t eval_output_names(const command_options *options, const char *names[EVAL_OUTPUTS]) {
    size_t count = 0;
    for (size_t i = 0; i < EVAL_OUTPUTS; i++)
        if (output_path(options, i))
            names[count++] = output_path(options, i);
    return count;
}

static cli_exit open_sink(sink *target, const char *path, const eval_input *input, size_t width) {
    const size_t shape[] = {input->sample_count, input->track_count, width};
    char header[NPY_HEADER_MAX];
    CLI_TRY(cli_output_open(path, &target->output));
    size_t size = npy_write_header(PM_FLOAT32, 3, shape, header);
    return cli_output_write(target->output, header, size);
}

static cli_exit writer_open(writer *w, const command_options *options, const eval_input *input) {
    size_t row_bytes = 0;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < EVAL_OUTPUTS; i++) {
        if (output_path(options, i)) {
            w->sinks[i].row_bytes = components[i] * sizeof(float) * input->track_count;
            row_bytes += w->sinks[i].row_bytes;
        }
    }
    w->piece = piece_bytes / row_bytes;
    w->piece = w->piece > 0 ? w->piece : 1;
    if (w->piece > input->sample_count)
        w->piece = input->sample_count > 0 ? input->sample_count : 1;
    for (size_t i = 0; i < EVAL_OUTPUTS && code == CLI_DONE; i++) {
        sink *s = &w->sinks[i];
        if (s->row_bytes == 0)
            continue;
        for (size_t k = 0; k < PIECES && code == CLI_DONE; k++) {
            s->samples[k] = malloc(w->piece * s->row_bytes);
            if (!s->samples[k])
                code = cli_fail(CLI_BAD_INPUT, options->keys, CLI_MEMORY_HINT,
                                "samples do not fit in this machine's memory");
        }
        if (code == CLI_DONE)
            code = open_sink(s, output_path(options, i), input, components[i]);
    }
    return code;
}

static void writer_close(writer *w) {
    for (size_t i = 0; i < EVAL_OUTPUTS; i++) {
        cli_output_abandon(&w->sinks[i].output);
        for (size_t k = 0; k < PIECES; k++)
            free(w->sinks[i].samples[k]);
    }
}

static void *write_piece(void *context) {
    writer *w = context;
    for (size_t i = 0; i < EVAL_OUTPUTS && w->code == CLI_DONE; i++) {
        const sink *s = &w->sinks[i];
        if (s->output)
            w->code = cli_output_write(s->output, s->samples[w->buffer], w->count * s->row_bytes);
    }
    return NULL;
}

/* Waits until the previous piece has been written. */
static cli_exit writer_wait(writer *w) {
    if (w->writing) {
        pthread_join(w->thread, NULL);
        w->writing = false;
    }
    return w->code;
}

/* Writes `count` samples of a buffer, on a thread if one can be created. */
static void writer_begin(writer *w, unsigned buffer, size_t count) {
    w->buffer = buffer;
    w->count = count;
    w->writing = pthread_create(&w->thread, NULL, write_piece, w) == 0;
    if (!w->writing)
        write_piece(w);
}

static cli_exit compute_piece(const writer *w, const command_options *options,
                              const eval_input *input, const pm_clip *clip, unsigned buffer,
                              size_t first, size_t count) {
    pm_error error = {0};
    pm_sample_job job = {
        .sample_count = count,
        .rotations = w->sinks[0].samples[buffer],
        .positions = w->sinks[1].samples[buffer],
        .velocities = w->sinks[2].samples[buffer],
        .accelerations = w->sinks[3].samples[buffer],
        .velocity_frame = options->velocity_frame,
    };
    if (options->times) {
        job.times = (const double *)input->times.data + first;
    } else {
        job.rate = options->rate;
        job.first = first;
    }
    if (pm_sample(clip, &job, &error) != PM_OK)
        return cli_fail_error(options->keys, &error);
    return CLI_DONE;
}

static cli_exit write_all(writer *w, const command_options *options, const eval_input *input,
                          const pm_clip *clip) {
    SCOPED(progress_end) progress bar;
    cli_exit code = CLI_DONE;
    unsigned buffer = 0;
    progress_begin(&bar, "eval", input->sample_count);
    for (size_t first = 0; first < input->sample_count && code == CLI_DONE;) {
        size_t rest = input->sample_count - first;
        size_t count = rest < w->piece ? rest : w->piece;
        code = compute_piece(w, options, input, clip, buffer, first, count);
        cli_exit written = writer_wait(w);
        code = written != CLI_DONE ? written : code;
        if (code == CLI_DONE)
            writer_begin(w, buffer, count);
        buffer = (buffer + 1) % PIECES;
        first += count;
        progress_advance(&bar, count);
    }
    cli_exit written = writer_wait(w);
    return code == CLI_DONE ? written : code;
}

cli_exit eval_write(const command_options *options, const eval_input *input, const pm_clip *clip) {
    SCOPED(writer_close) writer w = {0};
    CLI_TRY(writer_open(&w, options, input));
    CLI_TRY(write_all(&w, options, input, clip));
    for (size_t i = 0; i < EVAL_OUTPUTS; i++)
        if (w.sinks[i].output)
            CLI_TRY(cli_output_commit(&w.sinks[i].output));
    return CLI_DONE;
}
