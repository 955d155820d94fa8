/* SPDX-License-Identifier: MIT
 *
 * What the host tells the kernels that build clips: the options of a description, and where the numbers of
 * its tracks are.
 */
#ifndef PM_BUILD_DATA_H
#define PM_BUILD_DATA_H

#include "pm_lang.h"

/* Segments of a window. Kernels have one. */
#ifndef PM_WINDOW
#ifdef PM_OPENCL
#define PM_WINDOW 1
#else
#define PM_WINDOW 64
#endif
#endif

/* Keys whose rates are found together, and those on either side of them that are
 * read for it. Tracks of more than PM_LEAST_RANGED keys are ranged. */
#define PM_RANGE 256
#define PM_HALO 32
#define PM_LEAST_RANGED (PM_RANGE + 2 * PM_HALO)

pm_fn pm_u32 pm_ranges_of(pm_u32 key_count) {
    return key_count <= PM_LEAST_RANGED ? 1 : (key_count + PM_RANGE - 1) / PM_RANGE;
}

/* What a device keeps of a key to find its rate. */
#define PM_SPLINE_KEY_BYTES 320
#define PM_VECTOR_SPLINE_KEY_BYTES 16

/* Rules for tangents and for ends, as the descriptions of clips number them. */
#define PM_RULE_BESSEL 0
#define PM_RULE_MEAN 1
#define PM_RULE_HOLD 2
#define PM_RULE_TCB 3
#define PM_RULE_USER 4
#define PM_RULE_ENDS_NATURAL 1
#define PM_RULE_ENDS_PARABOLA 2
#define PM_RULE_ENDS_ZERO 3

/* A description's options. */
typedef struct pm_build_rules {
    double tension, continuity, bias;
    pm_u32 tangents, ends;
    pm_u32 unlimited;   /* 1: squad has no limiter */
    pm_u32 parent_axes; /* 1: the axes of sterp are in the parent's frame */
} pm_build_rules;

/* A track, as its keys are given and as its planes are stored. */
typedef struct pm_build_track {
    pm_u64 item;       /* the place of its first key in arrays, in rows of one track */
    pm_u64 planes;     /* floats before its row 0 */
    pm_u64 times;      /* numbers before its times */
    pm_u32 row, plane; /* floats. row 0: it has no keys */
    pm_u32 key_count, segment_count; /* without a loop's closing key */
    pm_u32 loop;
    pm_u32 closes; /* 1: a closing key was given */
} pm_build_track;

/* An array of a description. */
typedef struct pm_build_array {
    pm_u64 stride;  /* numbers from a key to the next */
    pm_u64 doubles; /* 1: they are double, else float */
} pm_build_array;

/* Keys whose signs a work-item finds. */
#define PM_SIGN_CHUNK 64

/* What keys and tangents may be. Norms of rotations; of cubicspline, whose keys keep their lengths, squares stay far from
 * the ends of float, and what pm_cubicspline_at takes for zero is below the rounding of any key. Vectors: a cubic that
 * overshoots stays in the range of float. User tangents, in rad/s: their squares times segment lengths stay in the
 * range of double. Tangents in and out, per second: squares stay in the range of float, for any segment length. */
#define PM_NORM_TOLERANCE 1e-3
#define PM_LEAST_NORM 1e-6
#define PM_LARGEST_NORM 1e6
#define PM_LARGEST_VECTOR 1e37
#define PM_LARGEST_USER_TANGENT 1e70
#define PM_LARGEST_TANGENT 1e15

/* Numbers that build_check reads; 0: it is not launched. */
#define PM_CHECKS_KEYS 1u
#define PM_CHECKS_USER 2u   /* and user tangents, which are `in` */
#define PM_CHECKS_IN_OUT 3u /* and tangents into and out of keys */

/* A launch. Work-item i is item `skipped` + i of the chunks, ranges or segments from `first` on, each of which
 * has an item for each track. */
typedef struct pm_build_job {
    pm_build_rules rules;
    pm_build_array keys, in, out, axes; /* in: user tangents and rates too */
    pm_u64 solver_bytes;                /* memory of a work-item that finds rates */
    pm_u32 track_count, first, skipped;
    pm_u32 count;        /* items of the launch */
    pm_u32 unrolls;      /* 1: the signs of keys are chosen */
    pm_u32 keeps_length; /* 1: keys are not normalised */
    pm_u32 checks;       /* PM_CHECKS_KEYS and so on */
    pm_u32 four_keys;    /* 1: the planes have a row before the first, and one more at the end */
} pm_build_job;

#endif
