/* SPDX-License-Identifier: MIT
 *
 * CSV files of robots: a row per frame with the root's position x y z, its quaternion x y z w, and
 * the positions of the joints. The file does not say its rate.
 */
#ifndef POSEMILL_MOTION_CSV_H
#define POSEMILL_MOTION_CSV_H

#include "motion/model/model.h"

enum {
    CSV_ROOT_COLUMNS = 7, /* position and quaternion */
    CSV_ROTATION = 3      /* the first column of the quaternion */
};

typedef struct csv_span {
    const char *text;
    size_t size;
} csv_span;

/* Separators, line ends and rows of the source, which the output repeats. */
typedef struct csv_document {
    csv_span head;       /* everything before the first row */
    csv_span *rows;      /* without their line ends */
    csv_span *between;   /* of the first row: before column i, and after the last one */
    csv_span line_end;   /* behind the first row */
    bool ends_with_line; /* whether the last row has a line end too */
    size_t row_count, column_count;
    const double *numbers; /* (row_count, column_count), with unit quaternions */
} csv_document;

/* ---- parts of reading and writing ------------------------------------------------- */

/* How fields are separated: ',' ';' or ' ' for blanks and tabs. */
char csv_separator_of(csv_span line);

/* Takes the next field of a line, without blanks around it. False at the end of the line. */
bool csv_next_field(csv_span *rest, char separator, csv_span *field);

/* Takes the next line, and what ends it. False at the end of the text. */
bool csv_next_line(csv_span *rest, csv_span *line, csv_span *end);

bool csv_is_blank(csv_span line);

/* Whether the field is a number as a whole. */
bool csv_read_number(csv_span field, double *value);

pm_status csv_read_rows(csv_document *document, const motion_input *input, motion_arena *arena,
                        pm_error *error);

pm_status csv_write(const pm_motion *motion, const motion_samples *samples, size_t count,
                    const motion_write_options *options, const motion_sink *sink, pm_error *error);

#endif
