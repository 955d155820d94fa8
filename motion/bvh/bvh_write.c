/* SPDX-License-Identifier: MIT
 *
 * Writes a BVH: the hierarchy and the line ends of the source, a new head, and rows with either
 * the digits of the source or fixed-point numbers.
 */
#include "motion/bvh/bvh.h"

#include "motion/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITER_BYTES = 1 << 20 };

static pm_status flush(bvh_writer *writer, pm_error *error) {
    size_t used = writer->used;
    writer->used = 0;
    return used == 0 ? PM_OK : writer->sink->write(writer->sink->user, writer->buffer, used, error);
}

/* Reserves `size` bytes. A row larger than the buffer enlarges it. */
static pm_status reserve(bvh_writer *writer, size_t size, pm_error *error) {
    if (writer->capacity - writer->used >= size)
        return PM_OK;
    MOTION_TRY(flush(writer, error));
    if (writer->capacity < size) {
        char *grown = realloc(writer->buffer, size);
        MOTION_TRY_MEMORY(grown, error);
        writer->buffer = grown;
        writer->capacity = size;
    }
    return PM_OK;
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

pm_status bvh_writer_begin(bvh_writer *writer, const bvh *model, const motion_sink *sink,
                           uint64_t frame_count, pm_rational rate, unsigned decimals,
                           pm_error *error) {
    char line[128], time[RATE_TEXT];
    *writer = (bvh_writer){
        .model = model, .sink = sink, .decimals = decimals, .buffer = malloc(WRITER_BYTES)};
    MOTION_TRY_MEMORY(writer->buffer, error);
    writer->capacity = WRITER_BYTES;
    MOTION_TRY(reserve(writer, model->hierarchy_size + 3 * sizeof line, error));
    put(writer, model->hierarchy, model->hierarchy_size);
    put_line(writer, "MOTION");
    snprintf(line, sizeof line, "Frames: %llu", (unsigned long long)frame_count);
    put_line(writer, line);
    rate_write_frame_time(rate, time);
    snprintf(line, sizeof line, "Frame Time: %s", time);
    put_line(writer, line);
    return PM_OK;
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

pm_status bvh_writer_source_row(bvh_writer *writer, const bvh *from, size_t frame,
                                pm_error *error) {
    const bvh_row *row = &from->rows[frame];
    const char *at = row->text.begin, *end = at + row->text.size;
    if (row->held)
        return bvh_writer_row(writer, from->values + frame * from->channel_count, NULL, error);
    MOTION_TRY(reserve(writer, row->text.size + 4, error));
    char *out = writer->buffer + writer->used;
    while (at < end) {
        while ((unsigned char)*at <= ' ') /* stops: the last byte belongs to a number */
            at++;
        while (at < end && (unsigned char)*at > ' ') {
            *out++ = *at == ',' ? '.' : *at;
            at++;
        }
        *out++ = ' ';
    }
    end_row(writer, out);
    return PM_OK;
}

static char *copy_word(char *out, text_span word) {
    for (size_t i = 0; i < word.size; i++)
        *out++ = word.begin[i] == ',' ? '.' : word.begin[i];
    return out;
}

pm_status bvh_writer_row(bvh_writer *writer, const double *values, const text_span words[],
                         pm_error *error) {
    static const text_span none = {NULL, 0};
    const size_t count = writer->model->channel_count;
    /* Reserves memory per number: a row of the largest doubles would be far longer than any real
     * row. */
    for (size_t i = 0; i < count; i++) {
        const text_span word = words ? words[i] : none;
        MOTION_TRY(reserve(writer, (word.size > 0 ? word.size : TEXT_FIXED_SIZE) + 4, error));
        char *out = writer->buffer + writer->used;
        out = word.size > 0 ? copy_word(out, word)
                            : text_write_fixed(out, values[i], writer->decimals);
        *out++ = ' ';
        writer->bytes += (size_t)(out - writer->buffer) - writer->used;
        writer->used = (size_t)(out - writer->buffer);
    }
    writer->used--;
    writer->bytes--;
    put(writer, writer->model->line_end, strlen(writer->model->line_end));
    return PM_OK;
}

pm_status bvh_writer_end(bvh_writer *writer, pm_error *error) {
    return flush(writer, error);
}

void bvh_writer_release(bvh_writer *writer) {
    free(writer->buffer);
    writer->buffer = NULL;
    writer->used = writer->capacity = 0;
}
