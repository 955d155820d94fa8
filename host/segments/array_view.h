/* SPDX-License-Identifier: MIT
 *
 * Reading the arrays of a description: the numbers of one track, a row a key.
 */
#ifndef PM_HOST_ARRAY_VIEW_H
#define PM_HOST_ARRAY_VIEW_H

#include <string.h>

#include <posemill/posemill.h>

/* Rows of a pm_array that belong to one track. data NULL: not given. */
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

/* The arrays of a description. */
enum { PM_ROTATIONS, PM_POSITIONS, PM_SCALES, PM_CHANNEL_COUNT };

const pm_array *pm_channel_array(const pm_clip_desc *desc, unsigned channel);

/* The tangents beside it, for cubicspline. */
const pm_array *pm_channel_tangents_in(const pm_clip_desc *desc, unsigned channel);
const pm_array *pm_channel_tangents_out(const pm_clip_desc *desc, unsigned channel);

unsigned pm_channel_components(unsigned channel);

/* Of desc->timeline_count, with 0 resolved. */
size_t pm_timeline_count(const pm_clip_desc *desc);

/* The rows of one track in an array that is laid out as the keys are; first_row is the number of
 * keys of all tracks before it. */
pm_array_view pm_track_view(const pm_clip_desc *desc, const pm_array *array, unsigned components,
                            size_t track, size_t first_row);

#endif
