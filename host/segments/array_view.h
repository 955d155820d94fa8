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

#endif
