/* SPDX-License-Identifier: MIT
 *
 * An NPZ file as a document: the archive, its members with a row per frame, and those with the
 * rate. All other members are carried over as bytes.
 */
#ifndef POSEMILL_MOTION_NPZ_H
#define POSEMILL_MOTION_NPZ_H

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

/* The rate of the clip. 0/0: frames have times of their own. */
typedef struct npz_clip_rate {
    pm_rational rate;
    const npz_rate *source; /* NULL: it is not that of a member */
} npz_clip_rate;

typedef struct npz_document {
    zip_archive archive;
    char **owned; /* decompressed members; NULL where they are in place */
    npz_rows *rows;
    size_t row_count;
    size_t frames;
    npz_rate rates[NPZ_MAX_RATES];
    size_t rate_count;
    size_t node_member_count; /* of `plain`: members with the skeleton */
    bool has_times;           /* of `plain` without a rate */
    size_t times_member;
    bool headers_only;  /* large members are not extracted */
    uint64_t extracted; /* bytes */
    size_t unread;      /* members that were not extracted */
} npz_document;

/* ---- parts of reading and writing ------------------------------------------------------- */

/* Gives a member's array, with its header. The bytes remain valid as long as the document; they are NULL
 * for a large member of which only the header is wanted. */
pm_status npz_load(npz_document *document, size_t member, npy_header *header, zip_bytes *bytes,
                   pm_error *error);

/* Lists the members of both documents that are neither rows nor a rate and differ. */
void npz_list_differences(const pm_motion *a, const pm_motion *b, char *text, size_t size);

/* The same name without `.npy`, printable. */
const char *npz_shown(char shown[MOTION_PRINTABLE], const zip_member *member);

/* Refuses a member: "member 'poses' has ..." */
pm_status npz_refuse(pm_error *error, const zip_member *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Finds all members with a row per frame. */
pm_status npz_find_rows(npz_document *document, const motion_input *input, const npz_layout *layout,
                        motion_arena *arena, pm_error *error);

/* Refuses a member of no layout that is rotations. */
pm_status npz_check_unnamed(const npz_document *document, const npz_rows *rows, pm_error *error);

/* Finds out the order of quaternions, and changes the layout to its twin of the other order. */
pm_status npz_find_order(npz_document *document, const motion_input *input, double rate,
                         npz_layout *layout, pm_error *error);

/* Warns of velocities that are not the derivatives of what they belong to. */
pm_status npz_check_velocities(const npz_document *document, const motion_input *input, double rate,
                               pm_error *error);

/* Reads the rate members, and decides which rate the clip has. */
pm_status npz_find_rate(npz_document *document, const motion_input *input, const npz_layout *layout,
                        npz_clip_rate *rate, pm_error *error);

enum { NPZ_DECIMAL_TEXT = 64 };

/* Writes the number of a member with a rate, and returns whether the rate is another number. */
bool npz_describe_rate(const npz_rate *rate, char text[NPZ_DECIMAL_TEXT]);

/* The rate that a number stands for; `snap`: the simplest one. False: not a rate. */
bool npz_recognise_rate(double value, bool is_float, bool snap, pm_rational *rate);

/* Fills the motion's content: nodes, and one clip with a channel for each rotation, vector and group
 * of scalars. */
pm_status npz_make_content(npz_document *document, const motion_input *input,
                           const npz_layout *layout, npz_clip_rate rate, pm_motion *motion,
                           pm_error *error);

/* The format's `convert`. */
void npz_convert(const pm_motion *motion, const size_t channels[], size_t channel_count,
                 size_t first, size_t key_count, pm_number type, void *keys);

/* Gives the channels the joints that the options name. */
pm_status npz_add_joints(npz_document *document, const motion_input *input,
                         const npz_layout *layout, pm_motion *motion, pm_motion_channel *channels,
                         pm_error *error);

/* Makes the nodes of `plain` where the file has parents, and gives them their channels. */
pm_status npz_make_nodes(npz_document *document, pm_motion *motion, pm_motion_channel *channels,
                         pm_error *error);

/* Reads the names of bodies and joints that members have, for channels in memory of the motion. Names that
 * do not fit are noted in motion->odd_names. */
pm_status npz_read_subjects(npz_document *document, pm_motion *motion, pm_motion_channel *channels,
                            pm_error *error);

/* Whether an array has `count` texts. */
bool npz_has_texts(const npy_header *header, size_t count);

/* Text `index` of such an array, as UTF-8. *name has a NULL text when memory is exhausted. */
void npz_read_text(const npy_header *header, zip_bytes bytes, size_t index, motion_arena *arena,
                   pm_motion_name *name);

/* Sets whether the times are those of a member. */
pm_status npz_find_times(npz_document *document, const npz_layout *layout, pm_error *error);

/* Gives the times of the frames, which rise from 0 or more, in the arena. */
pm_status npz_read_times(npz_document *document, motion_arena *arena, const double **times,
                         pm_error *error);

/* Writes the member with the times of samples; with those that it has if the samples have no rate. */
pm_status npz_write_times(const npz_document *document, const motion_samples *samples,
                          zip_writer *zip, pm_error *error);

/* The bytes of a rate member with another rate, in malloc'ed memory. */
pm_status npz_make_rate(const zip_archive *archive, const npz_rate *source, pm_rational rate,
                        char **bytes, pm_error *error);

pm_status npz_write(const motion_writing *given, const motion_sink *sink, pm_error *error);

#endif
