/* SPDX-License-Identifier: MIT
 *
 * CSV files of robots: a row per frame with the root's position, its rotation, and the positions of the
 * joints; and trajectories, whose rows have stamps: TUM, EuRoC, KITTI. A layout says which columns are
 * which.
 */
#pragma once

#include "motion/model/model.h"
#include "motion/text/scan.h"

typedef enum csv_form {
    CSV_NUMBERS = 0, /* of no known meaning, or the joints */
    CSV_INDEX,       /* the number of the row, counted anew in the output */
    CSV_TIME,        /* interpolated linearly, whatever the method */
    CSV_STAMP,       /* when the row is, to the ns: the rows are a trajectory */
    CSV_MATRIX,      /* 3 x 4, row by row; while a file is read */
    CSV_POSITION,
    CSV_XYZW,
    CSV_WXYZ,
    CSV_EULER
} csv_form;

/* Neighbouring columns. */
typedef struct csv_group {
    csv_form form;
    size_t column, count;
    pm_euler_order order; /* of Euler angles */
    bool fixed;           /* the columns are in the other order than the angles */
    double unit;          /* of Euler angles, in radians */
    int power;            /* of stamps, whose unit is 10^-power s: 0, 3, 6 or 9 */
    size_t channel;       /* none for CSV_INDEX */
    double *quaternions;  /* x y z w of rotations, a row every `stride` numbers */
    size_t stride;
} csv_group;

enum { CSV_MAX_GROUPS = 64, CSV_MAX_COLUMNS = 65536, CSV_LAYOUT_TEXT = 128 };

typedef struct csv_layout {
    char name[CSV_LAYOUT_TEXT];
    csv_group groups[CSV_MAX_GROUPS];
    size_t count;
    size_t columns;    /* that the groups name; those that follow are numbers */
    int rate;          /* frames per second, where nothing else says it */
    double full_turn;  /* of the joints: 360 where the layout has degrees */
    double unit_mm;    /* of lengths; z is up in all */
    bool is_given;     /* by the options: what it says is not doubted */
    const char *times; /* the file of times of matrices, which is given. NULL: the usual one */
} csv_layout;

/* Separators, line ends and rows of the source, which the output repeats. */
typedef struct csv_document {
    const char *usual; /* the layout of the format; NULL: that of the header */
    csv_layout layout;
    text_span head;      /* everything before the first row */
    text_span header;    /* the last line of it that is not blank */
    text_span *rows;     /* without their line ends */
    text_span *between;  /* of the first row: before column i, and after the last one */
    text_span line_end;  /* behind the first row */
    bool ends_with_line; /* whether the last row has a line end too */
    size_t row_count, column_count;
    double *numbers;      /* (row_count, column_count), as in the file, but for matrices */
    int64_t *stamps;      /* ns. NULL: rows are at a rate */
    bool is_text_of_rows; /* of stamps: rows of the file have the columns of the layout */
    text_span whole;
    pm_motion_name
        *joints; /* of the columns behind those of the layout. NULL: the header has none */
} csv_document;

/* How fields are separated: ',' ';' or ' ' for blanks and tabs. */
char csv_separator_of(text_span line);

/* Takes the next field of a line, without blanks around it. False at the end of the line. */
bool csv_next_field(text_span *rest, char separator, text_span *field);

/* The line of the file that a row stands in, from 1. */
size_t csv_line_of(const csv_document *document, size_t row);

/* Finds the rows and their numbers. */
pm_status csv_read_rows(csv_document *document, const motion_input *input, motion_arena *arena,
                        pm_error *error);

/* Fills gaps (NULL: there are none) where they are to be filled. Refuses those in numbers and times of rows. */
pm_status csv_fill_gaps(csv_document *document, const motion_gaps *gaps, pm_error *error);

/* The layout of the options, of the file's format or of the header; else that of most robots. */
pm_status csv_choose_layout(csv_document *document, const motion_input *input, pm_error *error);

/* Takes the names of joints from a header that has one for each column. A header that names others is
 * noted in motion->odd_names. */
pm_status csv_name_joints(csv_document *document, pm_motion *motion, pm_error *error);

/* The longest fraction of the numbers in a column, in digits. */
unsigned csv_count_decimals(const csv_document *document, size_t column);

/* The rate of the rows: that of the options, of a column of times, or with a warning that of the layout.
 * *stated, which is 0/0 before, is the one that the times have. */
void csv_find_rate(const csv_document *document, const motion_input *input, pm_rational *rate,
                   pm_rational *stated);

/* Makes the quaternions of all rotations. Refuses columns that are none, unless the layout is given. */
pm_status csv_convert_rotations(csv_document *document, const motion_input *input,
                                motion_arena *arena, pm_error *error);

bool csv_is_rotation(const csv_group *group);

/* ---- trajectories -------------------------------------------------------- */

/* Replaces the matrices of KITTI by positions and quaternions. */
pm_status csv_convert_matrices(csv_document *document, pm_error *error);

/* Reads the stamps of the rows, or those of the file beside matrices. Rows that repeat the one before are
 * left out. Refuses stamps that do not rise, with their line. */
pm_status csv_read_stamps(csv_document *document, const motion_input *input, motion_arena *arena,
                          pm_error *error);

/* Whether the numbers are those of matrices that KITTI has: rotations and positions. */
bool csv_has_matrices(const csv_document *document);

/* The channel of a group. */
pm_motion_channel csv_make_channel(const csv_document *document, const csv_group *group);

/* One node with the channels of the rows, at the times of the stamps. */
pm_status csv_make_trajectory(csv_document *document, pm_motion *motion, pm_error *error);

/* Reads a document, for writers also of a template. */
pm_status csv_read_document(csv_document *document, const motion_input *input, motion_arena *arena,
                            pm_error *error);

/* Text on its way to a sink, in a buffer of CSV_BUFFER bytes. */
enum { CSV_BUFFER = 1 << 16 };
typedef struct csv_output {
    const csv_document *document; /* whose line ends rows have */
    const motion_sink *sink;
    char *buffer;
    size_t used;
    pm_error *error;
} csv_output;

char *csv_put(char *at, text_span text);
pm_status csv_send(csv_output *output, text_span text);
pm_status csv_send_line_end(csv_output *output, bool is_last); /* behind a row of the result */
pm_status csv_flush(csv_output *output);

/* Writes a trajectory with the columns of its document. Without one, with those of TUM or of EuRoC. */
pm_status csv_write_trajectory(const motion_writing *given, const motion_sink *sink, bool is_tum,
                               pm_error *error);

/* The columns of a rotation, of which `to` has those of the row before: the sign, or the turns, go on. */
void csv_put_quaternion(const csv_group *group, const double q[4], double *to);
void csv_put_angles(const csv_group *group, const double q[4], double *to);

/* The format is that of the document, or of what is made anew. */
pm_status csv_write(const motion_writing *given, const motion_sink *sink, pm_error *error);
pm_status csv_write_tum(const motion_writing *given, const motion_sink *sink, pm_error *error);
