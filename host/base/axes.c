/* SPDX-License-Identifier: MIT
 *
 * Twist axes for sterp: from a skeleton, or from the points of a mesh (docs/methods.md, "sterp").
 */
#include <math.h>

#include <posemill/posemill.h>

#include "eigen.h"
#include "elementary.h"

static bool normalise(double v[3]) {
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0) || !isfinite(largest))
        return false;
    double norm2 = 0;
    for (int i = 0; i < 3; i++) {
        v[i] /= largest;
        norm2 += v[i] * v[i];
    }
    for (int i = 0; i < 3; i++)
        v[i] /= sqrt(norm2);
    return true;
}

static void copy(const double from[3], double to[3]) {
    for (int i = 0; i < 3; i++)
        to[i] = from[i];
}

static bool is_set(const double axis[3]) {
    return axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
}

static bool parents_come_first(const int32_t *parents, size_t joint_count) {
    for (size_t k = 0; k < joint_count; k++)
        if (parents[k] < -1 || (parents[k] >= 0 && (size_t)parents[k] >= k))
            return false;
    return true;
}

bool pm_bone_axes(const int32_t *parents, const double *offsets, size_t joint_count, double *axes) {
    if (joint_count == 0)
        return true;
    if (!parents || !offsets || !axes || !parents_come_first(parents, joint_count))
        return false;
    for (size_t k = 0; k < 3 * joint_count; k++)
        axes[k] = 0;
    for (size_t k = 0; k < joint_count; k++) {
        double direction[3];
        copy(offsets + 3 * k, direction);
        if (parents[k] >= 0 && !is_set(axes + 3 * (size_t)parents[k]) && normalise(direction))
            copy(direction, axes + 3 * (size_t)parents[k]);
    }
    for (size_t k = 0; k < joint_count; k++) {
        const double up[3] = {0, 1, 0};
        if (!is_set(axes + 3 * k))
            copy(parents[k] >= 0 ? axes + 3 * (size_t)parents[k] : up, axes + 3 * k);
    }
    return true;
}

static bool mean_of(const double *points, size_t count, double mean[3], double *size) {
    *size = 0;
    for (size_t k = 0; k < 3 * count; k++) {
        if (!isfinite(points[k]))
            return false;
        *size = fmax(*size, fabs(points[k]));
    }
    for (size_t k = 0; *size > 0 && k < 3 * count; k++)
        mean[k % 3] += points[k] / *size / (double)count;
    return count > 0 && *size > 0;
}

bool pm_principal_axis(const double *points, size_t count, double axis[3]) {
    double mean[3] = {0}, covariance[4][4] = {{0}}, vector[4], size, trace = 0;
    if (!points || !axis || !mean_of(points, count, mean, &size))
        return false;
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                covariance[i][j] += (points[3 * k + (size_t)i] / size - mean[i]) *
                                    (points[3 * k + (size_t)j] / size - mean[j]);
    for (int i = 0; i < 3; i++)
        trace += covariance[i][i];
    if (!(trace > 0))
        return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            covariance[i][j] /= trace;
    pm_largest_eigenvector(covariance, vector);
    if (!normalise(vector))
        return false;
    copy(vector, axis);
    return true;
}

/* One Jacobi rotation: makes a[p][r] zero and applies the rotation to the eigenvectors. */
static void annihilate(double a[4][4], double vectors[4][4], int p, int r) {
    const double theta = (a[r][r] - a[p][p]) / (2.0 * a[p][r]);
    const double t = copysign(1.0, theta) / (fabs(theta) + pm_same_hypot(theta, 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int n = 0; n < 4; n++) {
        const double ap = a[n][p], ar = a[n][r];
        a[n][p] = c * ap - s * ar;
        a[n][r] = s * ap + c * ar;
    }
    for (int n = 0; n < 4; n++) {
        const double ap = a[p][n], ar = a[r][n];
        a[p][n] = c * ap - s * ar;
        a[r][n] = s * ap + c * ar;
        const double vp = vectors[n][p], vr = vectors[n][r];
        vectors[n][p] = c * vp - s * vr;
        vectors[n][r] = s * vp + c * vr;
    }
    a[p][r] = a[r][p] = 0.0; /* otherwise its rounding error would prevent termination */
}

/* Cyclic Jacobi method. Unlike root finding, it requires no gap between eigenvalues and loses no
 * digits. Six sweeps are enough in practice; the bound of 20 guarantees termination. */
void pm_largest_eigenvector(double a[4][4], double vector[4]) {
    double vectors[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < 20; sweep++) {
        bool changed = false;
        for (int p = 0; p < 3; p++) {
            for (int r = p + 1; r < 4; r++) {
                /* Entries are of order 1: a smaller one cannot change a vector by an ulp. */
                if (fabs(a[p][r]) > 1e-18) {
                    annihilate(a, vectors, p, r);
                    changed = true;
                }
            }
        }
        if (!changed)
            break;
    }
    int best = 0;
    for (int n = 1; n < 4; n++)
        best = a[n][n] > a[best][best] ? n : best;
    for (int n = 0; n < 4; n++)
        vector[n] = vectors[n][best];
}
