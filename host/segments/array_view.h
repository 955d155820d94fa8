/* SPDX-License-Identifier: MIT
 *
 * Reads the arrays of a description: the numbers of one track, a row per key.
 */
#ifndef PM_HOST_ARRAY_VIEW_H
#define PM_HOST_ARRAY_VIEW_H

#include <string.h>

#include <posemill/posemill.h>

/* The rows of a pm_array that belong to one track. Borrowed. data NULL: the array is not given, or has
 * codes. */
typedef struct pm_array_view {
    const unsigned char *data;
    pm_number type;
    size_t stride; /* bytes from key to key */
} pm_array_view;

static inline size_t pm_number_size(pm_number type) {
    return type == PM_FLOAT64 ? sizeof(double) : sizeof(float);
}

static inline double pm_number_at(const pm_array_view *rows, size_t row, size_t component) {
    const unsigned char *at = rows->data + row * rows->stride;
    if (rows->type == PM_FLOAT64) {
        double value;
        memcpy(&value, at + component * sizeof value, sizeof value);
        return value;
    }
    float value;
    memcpy(&value, at + component * sizeof value, sizeof value);
    return (double)value;
}

/* Whether rotations are coded rows, which pm_coded_get reads. */
static inline bool pm_is_coded(const pm_clip_desc *desc) {
    return desc->rotations.data && desc->rotations.type == PM_CODED;
}

/* The channels, and the scalars: the key arrays of a description. Scalars are stored behind the root's
 * position, in the rows of positions. */
enum {
    PM_ROTATIONS,
    PM_POSITIONS,
    PM_SCALES,
    PM_CHANNEL_COUNT,
    PM_SCALARS = PM_CHANNEL_COUNT,
    PM_KEYED_COUNT
};

/* The arrays of each: its keys, and for cubicspline the tangents in and out. */
enum { PM_ARRAY_KEYS, PM_ARRAY_IN, PM_ARRAY_OUT, PM_ARRAY_COUNT };

/* An array that is not given has no data. */
const pm_array *pm_channel_array(const pm_clip_desc *desc, unsigned channel, unsigned array);

/* Numbers per value of a channel: 4 or 3; 1 of scalars. */
unsigned pm_channel_components(unsigned channel);

/* Whether a channel has one track alone, that of a root. */
static inline bool pm_is_of_root(const pm_clip_desc *desc, unsigned channel) {
    return (channel == PM_POSITIONS && desc->root_positions) ||
           (channel == PM_ROTATIONS && desc->root_rotations);
}

static inline size_t pm_scalar_count(const pm_clip_desc *desc) {
    return desc->scalars ? desc->scalars->count : 0;
}

/* desc->timeline_count, where 0 means 1. */
size_t pm_timeline_count(const pm_clip_desc *desc);

/* The tracks of an array with the layout of the keys: one where positions are those of a root; of scalars
 * their number. */
size_t pm_array_tracks(const pm_clip_desc *desc, const pm_array *array);

/* The rows of one track in an array with the layout of the keys. first_row is the number of keys of
 * all tracks before it. Where the array has one track alone, it is that one. */
pm_array_view pm_track_view(const pm_clip_desc *desc, const pm_array *array, unsigned components,
                            size_t track, size_t first_row);

#endif
