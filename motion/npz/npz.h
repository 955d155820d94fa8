/* SPDX-License-Identifier: MIT
 *
 * An NPZ file as a document: the archive, its members with a row per frame, and those with the
 * rate. All other members are carried over as bytes. Files of this folder use those above them only:
 *
 *   npy_header, zip_fields, zip_read, zip_inflate, zip_write   arrays and archives
 *   npy_file, npz_numbers                                      numbers of arrays
 *   npz_layout, npz_layout_json                                which member is what
 *   npz_member                                                 members of an archive, and messages
 *   npz_rotations                                              numbers of members
 *   npz_rate, npz_unnamed, npz_rows, npz_evidence              what a file has
 *   npz_skeleton, npz_joints, npz_content                      the motion that is made of it
 *   npz_write_rows, npz_write, npz_new                         writing
 *   npz                                                        the row in the table of formats
 */
#pragma once

#include "motion/npz/npy_header.h"
#include "motion/npz/npz_layout.h"

/* A member with a row per frame. */
typedef struct npz_rows {
    size_t member;
    npz_role role;
    bool named;        /* by the layout */
    npy_header header; /* of the source */
    size_t element;    /* bytes of an element */
    size_t width;      /* elements of a row */
    const char *data;  /* the source's rows in C order, at any alignment. NULL: not read */
    char *converted;   /* quaternions in what was the member's memory, without `data`. NULL: none */
    size_t channel;    /* the first of channel_count channels of the clip */
    size_t channel_count;
    const char *names; /* the member with names of bodies or joints, as of npz_field */
    size_t of;         /* parts and velocities: index among the rows */
    size_t column;     /* parts: the first column in the whole */
} npz_rows;

enum { NPZ_MAX_RATES = 16 };

typedef struct npz_rate {
    size_t member;
    char type[32];
    zip_bytes bytes; /* of the member */
    size_t data_at;
    double value;
    pm_rational rate; /* 0/0: not a rate, but another one was given */
} npz_rate;

/* What a member is; all others are carried over. */
typedef struct npz_use {
    enum { NPZ_CARRIED = 0, NPZ_ROWS, NPZ_THE_RATE, NPZ_TIMES } as;
    size_t index; /* among the rows, or the rates */
} npz_use;

typedef struct npz_document {
    zip_archive archive;
    char **owned;  /* decompressed members; NULL where they are in place */
    npz_use *uses; /* of each member */
    npz_rows *rows;
    size_t row_count;
    size_t frames;
    npz_rate rates[NPZ_MAX_RATES];
    size_t rate_count;
    size_t node_member_count; /* of `plain`: members with the skeleton */
    bool has_times;           /* of `plain` without a rate */
    size_t times_member;
    npy_header times_header;
    bool headers_only;  /* large members are not extracted */
    uint64_t extracted; /* bytes */
    size_t unread;      /* members that were not extracted */
} npz_document;

/* A file that is being read. */
typedef struct npz_reading {
    npz_document *document;
    zip_member *members; /* of its archive */
    const motion_input *input;
    npz_layout layout;
    pm_rational rate;            /* of the clip. 0/0: frames have times of their own */
    const npz_rate *rate_source; /* NULL: it is not that of a member */
    pm_motion *motion;           /* that is made */
    motion_arena *arena;         /* its own */
    pm_motion_channel *channels; /* of its clip */
    size_t channel_count;
    pm_error *error;
} npz_reading;

/* The same name without `.npy`, printable. */
const char *npz_shown(char shown[MOTION_PRINTABLE], const zip_member *member);
#define NPZ_SHOWN(member) npz_shown((char[MOTION_PRINTABLE]){""}, (member))

/* Refuses a member: "member 'poses' has ..." */
pm_status npz_refuse(pm_error *error, const zip_member *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Warns of a member in the same way. */
void npz_warn(const npz_reading *r, size_t member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses a member if the options are strict; otherwise warns of it, with what is done. */
pm_status npz_doubt(const npz_reading *r, size_t member, const char *done, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads the header from a member's first bytes. False with a reason, also for members that are damaged. */
bool npz_peek_header(const zip_member *member, npy_header *header, char *reason);

/* Gives a member's array, with its header. The bytes remain valid as long as the document; they are NULL
 * for a large member of which only the header is wanted. */
pm_status npz_load(npz_reading *r, size_t member, npy_header *header, zip_bytes *bytes);

/* Finds a member and loads it. *bytes.data is NULL if there is none. */
pm_status npz_load_named(npz_reading *r, const char *name, size_t *member, npy_header *header,
                         zip_bytes *bytes);

/* Lists the members of both documents that are neither rows nor a rate and differ. */
void npz_list_differences(const pm_motion *a, const pm_motion *b, char *text, size_t size);

/* Finds all members with a row per frame. */
pm_status npz_find_rows(npz_reading *r);

/* Refuses a member of no layout that is rotations. */
pm_status npz_check_unnamed(const npz_reading *r, const npz_rows *rows);

/* Finds out the order of quaternions, and changes the layout to its twin of the other order. */
pm_status npz_find_order(npz_reading *r);

/* Warns of velocities that are not the derivatives of what they belong to. */
pm_status npz_check_velocities(const npz_reading *r);

/* Reads the rate members, and decides which rate the clip has. */
pm_status npz_find_rate(npz_reading *r);

enum { NPZ_DECIMAL_TEXT = 64 };

/* Writes the number of a member with a rate, and returns whether the rate is another number. */
bool npz_describe_rate(const npz_rate *rate, char text[NPZ_DECIMAL_TEXT]);

/* The rate that a number stands for; `snap`: the simplest one. False: not a rate. */
bool npz_recognise_rate(double value, bool is_float, bool snap, pm_rational *rate);

/* Fills the motion's content: nodes, and one clip with a channel for each rotation, vector and group
 * of scalars. */
pm_status npz_make_content(npz_reading *r);

/* Gives the channels the joints that the options name. */
pm_status npz_add_joints(npz_reading *r);

/* Makes the nodes of `plain` where the file has parents, and gives them their channels. */
pm_status npz_make_nodes(npz_reading *r);

/* Reads the names of bodies and joints that members have. Names that do not fit are noted in
 * motion->odd_names. */
pm_status npz_read_subjects(npz_reading *r);

/* Doubts times beside a rate, as files of `plain` may have both. */
pm_status npz_compare_times(npz_reading *r);

/* Gives the times of the frames, which rise from 0 or more, in the arena. */
pm_status npz_read_times(npz_reading *r, const double **times);

void npz_convert(const pm_motion *motion, const size_t channels[], size_t channel_count,
                 size_t first, size_t key_count, pm_number type, void *keys);

/* Writes the document again with other frames. */
pm_status npz_write(const motion_writing *given, const motion_sink *sink, pm_error *error);

/* Writes a new file of layout `plain`. */
pm_status npz_write_new(const motion_writing *writing, const motion_sink *sink, pm_error *error);

/* What a list of quaternions has. */
typedef struct npz_lengths {
    size_t odd;       /* that are not unit within 1e-3 */
    size_t far;       /* nor within a tenth */
    size_t first_far; /* its index */
    double length;    /* of that one */
} npz_lengths;

/* The index of the first quaternion of length 0; `count` if there is none. */
size_t npz_check_quaternions(const char *data, size_t element, size_t count, npz_lengths *found);

/* Where keys are written: as float32 for element 4, float64 for element 8, `stride` bytes from
 * key to key. */
typedef struct npz_keys {
    char *data;
    size_t element, stride;
} npz_keys;

/* Converts `joints` rotations from `joint` on of `frames` rows from `frame` on. The numbers are those
 * of the rows' own type. Quaternions that are not unit are normalised; none may have length 0. */
void npz_convert_rows(const npz_rows *rows, size_t joint, size_t joints, size_t frame,
                      size_t frames, npz_keys keys);

/* Converts `count` rotations to the rows' own type where they are: `keys`, which is not before the rows'
 * data, is in the same memory. The data are lost. */
void npz_convert_in_place(const npz_rows *rows, size_t count, char *keys);
