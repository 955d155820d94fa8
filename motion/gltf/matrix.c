/* SPDX-License-Identifier: MIT
 *
 * Decomposes a matrix into translation, rotation and scale.
 */
#include "host/base/elementary.h"
#include "motion/gltf/document.h"

#include <math.h>
#include <stddef.h>

#include "motion/model/similarity.h"

#define SKEW 1e-3

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double *a) {
    return pm_same_hypot(pm_same_hypot(a[0], a[1]), a[2]);
}

static void divide(double *a, double by) {
    for (size_t i = 0; i < 3; i++)
        a[i] /= by;
}

/* Turns the columns into a right-handed frame, by Gram and Schmidt. False if they are no basis. */
static bool make_frame(double columns[3][3]) {
    for (size_t i = 0; i < 2; i++) {
        if (i == 1) {
            const double along = dot(columns[0], columns[1]);
            for (size_t k = 0; k < 3; k++)
                columns[1][k] -= along * columns[0][k];
        }
        const double size = length(columns[i]);
        if (!(size > 1e-12))
            return false;
        divide(columns[i], size);
    }
    vector_cross(columns[0], columns[1], columns[2]);
    return true;
}

/* The quaternion of a right-handed frame, from its largest component (Shepperd 1978). */
static void frame_to_quaternion(double c[3][3], double q[4]) {
    const double trace = c[0][0] + c[1][1] + c[2][2];
    size_t i = 3;
    for (size_t k = 0; k < 3; k++)
        if (c[k][k] > (i == 3 ? trace : c[i][i]))
            i = k;
    if (i == 3) {
        q[3] = 0.5 * sqrt(1.0 + trace);
        for (size_t k = 0; k < 3; k++)
            q[k] = (c[(k + 1) % 3][(k + 2) % 3] - c[(k + 2) % 3][(k + 1) % 3]) / (4.0 * q[3]);
        return;
    }
    const size_t j = (i + 1) % 3, k = (i + 2) % 3;
    q[i] = 0.5 * sqrt(1.0 + c[i][i] - c[j][j] - c[k][k]);
    q[j] = (c[i][j] + c[j][i]) / (4.0 * q[i]);
    q[k] = (c[i][k] + c[k][i]) / (4.0 * q[i]);
    q[3] = (c[j][k] - c[k][j]) / (4.0 * q[i]);
}

bool matrix_decompose(const double m[16], double translation[3], double rotation[4],
                      double scale[3]) {
    double columns[3][3], third[3];
    bool is_exact = true;
    for (size_t i = 0; i < 3; i++) {
        translation[i] = m[12 + i];
        for (size_t k = 0; k < 3; k++)
            columns[i][k] = m[4 * i + k];
        scale[i] = length(columns[i]);
        is_exact = is_exact && scale[i] > 0.0;
        if (scale[i] > 0.0)
            divide(columns[i], scale[i]);
    }
    is_exact = is_exact && fabs(dot(columns[0], columns[1])) <= SKEW &&
               fabs(dot(columns[1], columns[2])) <= SKEW &&
               fabs(dot(columns[2], columns[0])) <= SKEW;
    vector_cross(columns[0], columns[1], third);
    if (dot(third, columns[2]) < 0.0) {
        scale[0] = -scale[0];
        divide(columns[0], -1.0);
    }
    if (make_frame(columns))
        frame_to_quaternion(columns, rotation);
    return is_exact;
}
