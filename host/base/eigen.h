/* SPDX-License-Identifier: MIT
 *
 * The eigenvector of the largest eigenvalue of a small symmetric matrix.
 */
#ifndef PM_HOST_EIGEN_H
#define PM_HOST_EIGEN_H

/* Computes the unit eigenvector of the largest eigenvalue of a symmetric matrix with entries of
 * order 1. Overwrites the matrix. */
void pm_largest_eigenvector(double a[4][4], double vector[4]);

#endif
