/* SPDX-License-Identifier: MIT
 *
 * Where the kernel `points` finds points in records, and keys of their tracks.
 */
#ifndef PM_POINT_FIELDS_H
#define PM_POINT_FIELDS_H

#include "pm_lang.h"

/* A field of records, in bytes. */
typedef struct pm_point_field {
    pm_s64 offset, stride, step; /* of the first record; to the next record; from x to y */
    pm_u32 bytes;                /* of a number; 0: there is no such field */
    pm_u32 aligned;              /* 1: all words are at multiples of 4 */
} pm_point_field;

/* What numbers of stamps are. */
#define PM_POINT_SIGNED 0
#define PM_POINT_UNSIGNED 1
#define PM_POINT_SECONDS 2

typedef struct pm_point_fields {
    pm_point_field stamps, points, tracks, moved, valid;
    pm_s64 base;       /* ns */
    pm_u64 max_gap;    /* ns: longer segments are invalid */
    pm_u32 kind, unit; /* of stamps: PM_POINT_SIGNED and so on; ns of 1 */
    pm_u32 track, track_count;
    pm_u32 clamps; /* 1: stamps outside get the first or the last pose, and are else invalid */
    pm_u32 screw;
    pm_u32 parts; /* pm_point_arcs of each key, a power of 2 */
} pm_point_fields;

/* The keys of a track: of its stamps, and of its arcs. */
typedef struct pm_point_track {
    pm_u64 first_stamp, first_arc;
    pm_u32 key_count, unused;
} pm_point_track;

#endif
