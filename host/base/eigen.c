/* SPDX-License-Identifier: MIT
 *
 * The eigenvector of the largest eigenvalue of a small symmetric matrix.
 */
#include "eigen.h"

#include <math.h>
#include <stdbool.h>

/* One Jacobi rotation: makes a[p][r] zero and applies the rotation to the eigenvectors. */
static void annihilate(double a[4][4], double vectors[4][4], int p, int r) {
    const double theta = (a[r][r] - a[p][p]) / (2.0 * a[p][r]);
    const double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
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
        if (!changed) {
            break;
        }
    }
    int best = 0;
    for (int n = 1; n < 4; n++) {
        best = a[n][n] > a[best][best] ? n : best;
    }
    for (int n = 0; n < 4; n++) {
        vector[n] = vectors[n][best];
    }
}
