/* SPDX-License-Identifier: MIT
 *
 * A motion in memory, and what a format does: read a document into a motion, and write the document
 * again with other samples in place of its clips.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include <stdatomic.h>

#include "motion/base/arena.h"
#include "motion/base/fault.h"
#include "motion/base/format_list.h"
#include "motion/base/gaps.h"
#include "motion/files/input.h"
#include "motion/files/observer.h"
#include "motion/files/sink.h"
#include "motion/model/packed.h"

/* The bytes of a file. */
typedef struct motion_input {
    const char *data; /* not NUL-terminated */
    size_t size;
    const char *folder; /* of the files that it refers to; NULL: none may be read */
    /* Opens a file of any format, whose joints the input takes: formats do not know each other. */
    pm_status (*open)(const char *path, pm_motion **motion, pm_error *error);
    const pm_motion_read_options *options; /* never NULL */
    motion_warnings warnings;
    motion_gaps
        *gaps; /* counts values that are not finite, which are filled. NULL: they are refused */
} motion_input;

/* Where a sample lies among the keys of a clip with a rate. */
typedef struct motion_position {
    uint64_t key; /* the last key that is not after the sample. MOTION_NO_KEY: beyond the keys, or a
                     clip without a rate, or one with several timelines */
    bool exact;   /* the sample lies on the key, and the curve passes through it: the writer takes
                     the source's own values */
    bool changed; /* that key is not what the document has there: the writer takes the sample */
    bool is_partly;          /* with `changed`: numbers of some channels are, and others are not */
    const pm_motion *source; /* whose document has that key. NULL: motion_writing.document */
    uint64_t
        own; /* of samples of a curve: the key of the motion that the sample lies on and has the
                     values of, whosever it is in a file; MOTION_NO_KEY: none */
} motion_position;

#define MOTION_NO_KEY UINT64_MAX

/* The key whose values in the document are those of a sample, or MOTION_NO_KEY. */
static inline uint64_t motion_exact_key(motion_position position) {
    return position.exact && !position.changed ? position.key : MOTION_NO_KEY;
}

/* Samples of a clip's channels, which replace its keys. They are read in pieces, in order: all
 * channels at once or, by a format that `selects`, some channels after others; of each selection from
 * any sample on. */
typedef struct motion_samples {
    size_t clip;       /* of the motion */
    uint64_t count;    /* of samples, at least 1 */
    pm_rational rate;  /* sample k is at start + k / rate; with has_end the last one is at `end` */
    double start, end; /* seconds, as key times of the source */
    bool has_end;
    pm_rational begin; /* the exact time of the first sample in the result; 0/0: not known */
    bool is_moved;     /* times in the result are not those of the source, but begin at 0 */
    double (*time)(void *user, uint64_t sample); /* in the result. NULL: as of the source */
    const bool *resampled; /* for each channel: false keeps its keys as they are */
    bool keeps_equal;      /* between equal keys the curve is constant */
    /* The reads that follow are of `count` channels from `first` on; what was prepared for others is
     * released. NULL: there is nothing to prepare. */
    pm_status (*select)(void *user, size_t first, size_t count, pm_error *error);
    /* Computes `count` samples from `first`. channels[c] receives (count, components) values of
     * channel c; NULL: not wanted. Those that are not resampled are not written, and those at exact
     * positions need not be: the writer has the source's. */
    pm_status (*read)(void *user, uint64_t first, size_t count, double *const channels[],
                      motion_position positions[], pm_error *error);
    /* Computes the derivatives per second at the samples of the last `read`. velocities[c], where it
     * is not NULL, receives for a rotation (count, 3) numbers, its angular velocity in radians, in
     * the frame in which the rotation stands (that of the parent, or the world for no node); for any
     * other channel (count, components). At a key where the curve has a corner, the mean of both
     * sides. NULL: not supported. */
    pm_status (*read_velocities)(void *user, uint64_t first, size_t count,
                                 double *const velocities[], pm_error *error);
    /* Instead of it: makes the velocity of a channel of the one that the source has at the same key.
     * Without both, files with velocities are refused. */
    void (*move_velocity)(const void *user, size_t channel, double *velocity);
    void *user;
} motion_samples;

/* The time of a sample in the result. */
static inline double motion_sample_time(const motion_samples *s, uint64_t sample) {
    if (s->time)
        return s->time(s->user, sample);
    if (s->has_end && sample + 1 == s->count)
        return s->end;
    if (sample == 0)
        return s->start;
    return s->start + (double)sample * (double)s->rate.den / (double)s->rate.num;
}

/* The keys of a timeline that a channel keeps which is not resampled, and their times in the result:
 * where that is moved, the key that holds at the first sample, and those up to the last one. */
typedef struct motion_kept_keys {
    const pm_timeline *timeline;
    size_t first, count;
    double from, shift;
} motion_kept_keys;

motion_kept_keys motion_keep_keys(const motion_samples *samples, const pm_timeline *timeline);
double motion_kept_time(const motion_kept_keys *kept, size_t key);

/* What a format writes. */
typedef struct motion_writing {
    const pm_motion *motion; /* what the file is to say: nodes, skins and clips */
    /* A motion with a document of the format's kind: what did not change is copied from it. NULL: the file
     * is made anew */
    const pm_motion *document;
    /* With a document, in place of the keys of clips of `motion`, in the order of clips */
    const motion_samples *samples;
    size_t sample_count;
    pm_euler_order euler; /* of rotations in BVH */
    bool euler_given;     /* false: joints that had an order keep it */
    unsigned decimals;    /* of computed numbers in text */
    bool decimals_given;  /* false: numbers that did not change keep their text */
    size_t clip;          /* of formats that hold one */
    bool drops_rest;      /* glTF: channels that are equal to the rest pose are not written */
    double unit_mm;       /* millimetres per unit of what is written; 0: not known */
    pm_motion_up up;      /* likewise; PM_MOTION_UP_FOUND: not known */
    /* Receives what the format cannot hold, once for each kind of thing: "2 skins". */
    void (*left_out)(void *user, const char *what);
    void *user;
} motion_writing;

/* What scales a format can hold. */
typedef enum motion_scales {
    MOTION_SCALES_ANIMATED = 0, /* all */
    MOTION_SCALES_REST,         /* one for each node */
    MOTION_SCALES_NONE
} motion_scales;

typedef struct motion_format motion_format;

/* Rows of a clip that are rows of a file. */
typedef struct motion_run {
    uint64_t first, count,
        from; /* row first + k is row from + k of the source, for k below count */
    const pm_motion *source;
    size_t clip;              /* of the source */
    bool changed;             /* the numbers of these rows are others */
    const uint32_t *channels; /* of each channel, that of the source's clip which has its numbers;
                                  PM_NO_INDEX32: none has. NULL: the same */
} motion_run;

/* Where the rows of a clip are from. Rows are keys of the clip's longest timeline. */
typedef struct motion_origin {
    motion_run *runs; /* in the order of rows; those between them are of no file */
    size_t run_count, capacity;
    uint64_t row_count;
} motion_origin;

/* References are counted: a motion that is made of others retains them, and may point to what they have. */
struct pm_motion {
    atomic_size_t references; /* beside the first */
    const pm_motion **made_of;
    size_t made_of_count;
    pm_motion_content content;
    motion_arena arena; /* of everything that `content` points to, and others do not have */
    char *file;         /* the bytes of a file that was opened; NULL: the caller's */
    motion_notes notes; /* what is odd about the file */
    motion_notes carried;
    motion_gaps gaps;
    const motion_format *format; /* of a file that was read */
    void *document; /* the format's own: what is carried over unchanged. NULL: the motion is made */
    pm_rational stated_rate; /* what the file says itself, whatever the options; 0/0: nothing */
    const char
        *odd_names; /* why names of bodies or joints in the file cannot be used. NULL: they can */
    /* Some rotations have no keys: the format's `convert` makes them. The channels do not tell it from
     * headers_only, whose rotations may have none either */
    bool resample_only;
    /* Of a file without nodes, for each channel of its clip: whether a turn of the world turns it. NULL:
     * it does, or the file does not say. */
    const bool *turned;
    bool has_given_joints; /* its nodes are those of the options, which a motion does not keep */
    /* Its root turns about the rest place of a pelvis, to which its path is added, as SMPL's does */
    bool is_body_model;
    bool has_no_lengths; /* its nodes have names and parents alone */
    /* Of what lengths are in, where the file multiplies them: ASF's own `length`. 0: 1 */
    double unit_factor;
    bool rests_upright;        /* as a figure whose height tells the unit */
    double unit_candidates[2]; /* of a unit that is not known because both fit; else 0 */
    pm_motion_axis
        across;        /* from right to left, by convention of joints without lengths. 0: by rest */
    bool headers_only; /* some channels have no keys, and nothing makes them */
    /* Of a motion that is made: the one with a document whose joints it has, which are written as that
     * file has them. NULL: it has other joints */
    const pm_motion *form;
    bool is_scaled, is_turned; /* as a whole, since the file was read */
    double form_scale;         /* what the lengths of the form are multiplied by */
    const double *node_scales; /* and besides those in the own space of each node. NULL: by 1 */
    motion_origin *origins;    /* of each clip of a motion that is made */
    motion_packing packing;    /* how formats write it that can */
    bool must_be_smaller;      /* else its document is written as it was */
};

/* What a format does. motion/open has the table of them. */
struct motion_format {
    pm_motion_format id;
    const char *name;
    const char *title;      /* in messages about what it cannot hold. NULL: it is not made anew */
    const char *document;   /* the kind of documents; formats of one kind write each other's */
    bool keeps_more;        /* documents have more than motions: meshes, materials */
    bool is_arrays;         /* documents are rows of numbers beside members that are no motion */
    bool is_single;         /* numbers are written as float32 */
    const input_kind *kind; /* rejects other files while they are read. NULL: rejects none */
    /* Whether a file with these first bytes can be of the format. */
    bool (*recognise)(const char *bytes, size_t size);
    /* Fills motion->content and motion->document, which the caller releases on failure too. Data
     * that stay valid as long as the input may be pointed to. NULL: files are only written. */
    pm_status (*read)(const motion_input *input, pm_motion *motion, pm_error *error);
    /* Writes a file. Without a document only formats that have a title can. NULL: files are only read. */
    pm_status (*write)(const motion_writing *writing, const motion_sink *sink, pm_error *error);
    /* Whether all rows of a document may be written into that of `form`. NULL: the numbers alone may */
    bool (*shares_rows)(const pm_motion *form, const pm_motion *other);
    bool writes_keys;     /* with a document, the keys of `motion` need no rate */
    motion_scales scales; /* of files that are made anew */
    /* What all files have, and what is made anew meets; 0: none */
    double unit_mm;
    pm_motion_up up;
    bool states_meaning; /* files say which unit and axis they have, and without that mean others */
    bool is_text;        /* takes an order of angles and a number of decimals */
    bool selects;        /* `write` calls motion_samples.select before it reads */
    /* Gives keys of rotations, (key_count, channel_count, 4), as they are in memory otherwise. `type`
     * is that of the channels' keys, or double. NULL: no motion of the format is resample_only. */
    void (*convert)(const pm_motion *motion, const size_t channels[], size_t channel_count,
                    size_t first, size_t key_count, pm_number type, void *keys);
    /* Finds how far the meshes of a document reach from the nodes, whose rows are 0 before. PM_ERROR_FILE:
     * vertices cannot be read. NULL: documents have no meshes. */
    pm_status (*find_reach)(const pm_motion *motion, pm_motion_reach *nodes, pm_error *error);
    /* Whether a node of a document draws a mesh without a skin. NULL: documents have no meshes. */
    bool (*has_rigid_mesh)(const pm_motion *motion, size_t node);
    void (*release)(void *document); /* NULL: it is in the memory of the motion */
    /* Lists what is no motion and differs between two documents of the format: "betas, gender". NULL:
     * nothing does. */
    void (*list_differences)(const pm_motion *a, const pm_motion *b, char *text, size_t size);
};

/* Raised with every change of a byte that some writer, reader or sampler makes of the same input and
 * options within one version of the library: outputs that are older are made anew when a batch is
 * resumed. */
enum { MOTION_WRITER_VERSION = 3 };

/* Both containers of glTF, whose files hold several clips. */
static inline bool motion_is_gltf(pm_motion_format format) {
    return format == PM_MOTION_GLTF || format == PM_MOTION_GLB;
}

/* The largest number that a format can write. */
double motion_largest_of(const motion_format *format);

/* The first clip with channels; 0 if none has any. */
size_t motion_first_clip(const pm_motion_content *content);

/* Refuses a clip that has a fault, or no channels, by its name. */
pm_status motion_check_clip(const pm_motion_content *content, size_t clip, pm_error *error);

/* Refuses a motion of which some keys are not in memory. */
pm_status motion_check_keys(const pm_motion *motion, pm_error *error);

/* The motion with a document whose joints a motion has: its own, or its form; or NULL. */
const pm_motion *motion_form_of(const pm_motion *motion);

/* Whether a format can write the document of a motion again, with all that is carried over. */
bool motion_writes_document(const motion_format *writer, const pm_motion *motion);

/* Adds to what the file has besides, "3 meshes", unless count is 0. */
void motion_carry(pm_motion *motion, size_t count, const char *one, const char *many);

#define MOTION_DECLARE_FORMAT(id, row, ...) extern const motion_format motion_##row;
MOTION_FORMATS(MOTION_DECLARE_FORMAT)
#undef MOTION_DECLARE_FORMAT
