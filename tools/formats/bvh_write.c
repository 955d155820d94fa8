/* SPDX-License-Identifier: MIT
 *
 * Writes a BVH: the hierarchy and the line ends of the source, a new head, and rows with either
 * the digits of the source or fixed-point numbers.
 */
#include "bvh.h"

#include "motion/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITER_BYTES = 1 << 20 };

static cli_exit flush(bvh_writer *writer) {
    size_t used = writer->used;

    writer->used = 0;
    return used == 0 ? CLI_DONE : cli_output_write(writer->output, writer->buffer, used);
}

/* Reserves `size` bytes. A row larger than the buffer enlarges it. */
static cli_exit reserve(bvh_writer *writer, size_t size) {
    cli_exit code = CLI_DONE;

    if (writer->capacity - writer->used >= size) {
        return CLI_DONE;
    }
    code = flush(writer);
    if (code == CLI_DONE && writer->capacity < size) {
        char *grown = realloc(writer->buffer, size);
        if (grown == NULL) {
            return cli_fail(CLI_CANNOT_WRITE, "output", NULL, "out of memory for a row");
        }
        writer->buffer = grown;
        writer->capacity = size;
    }
    return code;
}

static void put(bvh_writer *writer, const char *text, size_t size) {
    memcpy(writer->buffer + writer->used, text, size);
    writer->used += size;
    writer->bytes += size;
}

static void put_line(bvh_writer *writer, const char *text) {
    put(writer, text, strlen(text));
    put(writer, writer->model->line_end, strlen(writer->model->line_end));
}

cli_exit bvh_writer_begin(bvh_writer *writer, const bvh *model, cli_output *output,
                          uint64_t frame_count, pm_rational rate, unsigned decimals) {
    char line[128], time[RATE_TEXT];
    cli_exit code;

    memset(writer, 0, sizeof *writer);
    writer->model = model;
    writer->output = output;
    writer->decimals = decimals;
    writer->buffer = malloc(WRITER_BYTES);
    if (writer->buffer == NULL) {
        return cli_fail(CLI_CANNOT_WRITE, "output", NULL, "out of memory for a buffer");
    }
    writer->capacity = WRITER_BYTES;
    code = reserve(writer, model->hierarchy_size + 3 * sizeof line);
    if (code == CLI_DONE) {
        put(writer, model->hierarchy, model->hierarchy_size);
        put_line(writer, "MOTION");
        snprintf(line, sizeof line, "Frames: %llu", (unsigned long long)frame_count);
        put_line(writer, line);
        rate_write_frame_time(rate, time);
        snprintf(line, sizeof line, "Frame Time: %s", time);
        put_line(writer, line);
    }
    return code;
}

/* Ends a row; its last byte is a blank, which the line end replaces. */
static void end_row(bvh_writer *writer, char *end) {
    const char *line_end = writer->model->line_end;
    size_t size = strlen(line_end);

    memcpy(end - 1, line_end, size);
    end += size - 1;
    writer->bytes += (size_t)(end - writer->buffer) - writer->used;
    writer->used = (size_t)(end - writer->buffer);
}

cli_exit bvh_writer_source_row(bvh_writer *writer, size_t frame) {
    const bvh *model = writer->model;
    const bvh_row *row = &model->rows[frame];
    const char *at = row->text.begin, *end = at + row->text.size;
    cli_exit code;
    char *out;

    if (row->held) {
        return bvh_writer_row(writer, model->values + frame * model->channel_count);
    }
    code = reserve(writer, row->text.size + 4);
    if (code != CLI_DONE) {
        return code;
    }
    out = writer->buffer + writer->used;
    while (at < end) {
        while ((unsigned char)*at <= ' ') { /* stops: the last byte belongs to a number */
            at++;
        }
        while (at < end && (unsigned char)*at > ' ') {
            *out++ = *at == ',' ? '.' : *at;
            at++;
        }
        *out++ = ' ';
    }
    end_row(writer, out);
    return CLI_DONE;
}

cli_exit bvh_writer_row(bvh_writer *writer, const double *values) {
    size_t count = writer->model->channel_count, i;
    /* Reserves memory per number: a row of the largest doubles would be far longer than any real
     * row. */
    cli_exit code = CLI_DONE;
    char *out;

    for (i = 0; i < count && code == CLI_DONE; i++) {
        code = reserve(writer, TEXT_FIXED_SIZE + 4);
        out = writer->buffer + writer->used;
        if (code == CLI_DONE) {
            out = text_write_fixed(out, values[i], writer->decimals);
            *out++ = ' ';
            writer->bytes += (size_t)(out - writer->buffer) - writer->used;
            writer->used = (size_t)(out - writer->buffer);
        }
    }
    if (code == CLI_DONE) {
        writer->used--;
        writer->bytes--;
        put(writer, writer->model->line_end, strlen(writer->model->line_end));
    }
    return code;
}

cli_exit bvh_writer_end(bvh_writer *writer) {
    return flush(writer);
}

void bvh_writer_release(bvh_writer *writer) {
    free(writer->buffer);
    writer->buffer = NULL;
    writer->used = writer->capacity = 0;
}
