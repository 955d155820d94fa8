/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the curves that kernels evaluate, and building the stored keys and segment
 * coefficients of a block of tracks from a description's arrays. Independent of methods, of a
 * clip's layout, and of threads.
 */
#ifndef PM_HOST_SEGMENTS_H
#define PM_HOST_SEGMENTS_H

#include <stdbool.h>

#include <posemill/posemill.h>

#include "array_view.h"
#include "kernels/pm_build_data.h"
#include "kernels/pm_methods.h"
#include "key_format.h"

/* Named as in the kernels' headers. */
typedef enum pm_curve_id {
#define PM_CURVE_ID(name) PM_CURVE_##name,
    PM_CURVES(PM_CURVE_ID)
#undef PM_CURVE_ID
        PM_CURVE_COUNT
} pm_curve_id;

typedef struct pm_curve {
    const char *name;      /* PM_METHOD of the kernels, without its prefix pm_ */
    unsigned coefficients; /* planes per segment, without the key */
    unsigned constants;    /* planes per track */
    bool four_keys;        /* reads the keys beside a segment, and its spacing: pm_key_before */
    bool passes;           /* at u 0 and 1 the value is the key's: see pm_at_ends */
} pm_curve;

extern const pm_curve pm_curves[PM_CURVE_COUNT];

/* Planes per row: the key and the coefficients of the segment that begins with it. */
static inline unsigned pm_curve_planes(pm_curve_id curve) {
    return 1 + pm_curves[curve].coefficients;
}

/* The segment builders, named after the segments that they build: of near keys alone, and of rates that
 * are found from all keys. */
#define PM_LOCAL_BUILDERS(X)                                                                       \
    X(sterp)                                                                                       \
    X(squad)                                                                                       \
    X(circular)                                                                                    \
    X(phased)                                                                                      \
    X(hermite)                                                                                     \
    X(bspline)                                                                                     \
    X(cubicspline)                                                                                 \
    X(ncubic)                                                                                      \
    X(vector_cubic)                                                                                \
    X(vector_parabolas)                                                                            \
    X(vector_bspline)
#define PM_BUILDERS(X)                                                                             \
    PM_LOCAL_BUILDERS(X)                                                                           \
    X(spline)                                                                                      \
    X(vector_spline)

typedef enum pm_builder {
    PM_BUILD_nothing, /* the curve has no segment coefficients */
#define PM_BUILDER_ID(name) PM_BUILD_##name,
    PM_BUILDERS(PM_BUILDER_ID)
#undef PM_BUILDER_ID
} pm_builder;

/* The options of a description that segments depend on. */
pm_build_rules pm_build_rules_of(const pm_clip_desc *desc);

/* Writes a track's constants: constant k is the 4 floats at constants[plane * k]. Thread-safe. */
typedef void (*pm_constants_builder)(const pm_clip_desc *desc, size_t track, float *constants,
                                     size_t plane);

/* The pm_constants_builder of sterp. */
void pm_build_sterp_windows(const pm_clip_desc *desc, size_t track, float *constants, size_t plane);

/* One channel of neighbouring tracks of one timeline: the input, the builder, and the output. All
 * pointers are borrowed. Several threads may build blocks of one channel at once, if the blocks
 * share no track and no group of 48-bit keys. */
typedef struct pm_block {
    const pm_host *host;      /* for memory */
    const pm_clip_desc *desc; /* checked; for the options of curves */
    unsigned channel;         /* PM_ROTATIONS and so on, or PM_SCALARS, whose tracks are numbers */
    size_t place, count;      /* among the planes; at most PM_BLOCK_TRACKS */
    const uint32_t *order;    /* the track at each place; NULL: its number is the place */
    size_t first_row;         /* number of keys of all tracks before the one at `place` */

    pm_builder builder;
    bool keeps_keys; /* keys are neither unrolled nor normalised */
    bool
        four_keys; /* as of pm_curve: the planes have a row before the first, and one more at the end */

    size_t key_count; /* without a loop's closing key */
    size_t segment_count;
    bool loop;
    bool single;         /* one key */
    const double *times; /* (segment_count + 1): segment borders in seconds */

    pm_key_format format;
    void *keys;        /* 48-bit keys of all tracks of the channel; written */
    float *planes;     /* float32 planes of the track at `place`; written. NULL: 48-bit keys */
    size_t row, plane; /* floats, as in pm_track_layout */
    pm_track_layout *layout; /* of all tracks; `wrap` is written. NULL: of streams and scalars */
    size_t room;             /* tracks that fit the planes from `place` on, padding included */
    bool is_last;            /* of the clip: the padding behind it is zeroed */
} pm_block;

/* The track at a place among the planes; see pm_block. */
static inline size_t pm_track_at(const uint32_t *order, size_t place) {
    return order ? order[place] : place;
}

/* Tracks per block, whose segments are written together. That uses the memory bandwidth better than
 * writing all segments of one track, or of one vector of tracks, before the next. */
enum { PM_BLOCK_TRACKS = 64 };

typedef struct pm_block_result {
    pm_status status; /* PM_OK, PM_ERROR_MEMORY, or PM_ERROR_KEY where a curve does not exist */
    size_t failed;    /* for PM_ERROR_KEY: the first such track */
    bool needs_all;   /* of a stream: some track's rates require all of its keys */
    size_t row;       /* of a stream: that of the first segment of its window */
} pm_block_result;

/* The functions that are compiled once for each instruction set. The result of a track does not
 * depend on the tracks in the other lanes. Thread-safe. */
typedef struct pm_segment_functions {
    size_t lanes; /* tracks that are built at once */
    pm_block_result (*build)(const pm_block *block);
    /* A block of float32 keys, at least two, that is built a window at a time, in `stream_bytes` of
     * memory aligned to 64 bytes. stream_rows: the rows that its planes must have; 0 where it requires all
     * keys at once. begin_stream: writes the sign of each track's laps. The stream refers to the block's
     * arrays. build_window: stores `count` segments from `first` on, at most PM_WINDOW, and the key after
     * the last one; coefficients only if asked for. Failures add up. end_stream frees what it allocated. */
    size_t stream_bytes;
    size_t (*stream_rows)(const pm_block *block);
    void (*begin_stream)(const pm_block *block, void *stream, float *wraps);
    pm_block_result (*build_window)(void *stream, size_t first, size_t count, bool with_segments);
    void (*end_stream)(void *stream);
    /* Writes the keys of `rows` rows of `tracks` unit quaternions as coded rows of a 48-bit format. */
    void (*encode)(pm_key_format format, const float *from, size_t rows, size_t tracks, void *to);
    /* Checks of contiguous numbers. are_rotations: whether `count` quaternions are finite with
     * norms within 1e-3 of 1; true is certain, false may be wrong near the bound. are_within:
     * whether the absolute value of each of `count` numbers is at most max, and none is NaN. */
    bool (*are_rotations)(const void *data, pm_number type, size_t count);
    bool (*are_within)(const void *data, pm_number type, size_t count, double max);
} pm_segment_functions;

/* The functions of an instruction set, in the order of PM_INSTRUCTION_SETS. */
const pm_segment_functions *pm_segment_functions_at(size_t instruction_set);

/* The functions of the narrowest supported instruction set whose lanes hold `tracks` tracks, or of
 * the widest one: unused lanes would cost time. */
const pm_segment_functions *pm_segment_functions_for(size_t tracks);

#endif
