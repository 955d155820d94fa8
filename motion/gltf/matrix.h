/* SPDX-License-Identifier: MIT
 *
 * Column-major matrices of glTF.
 */
#pragma once

#include <stdbool.h>

/* Translation, rotation (x y z w) and scale of a matrix. A mirror becomes a negative scale along x.
 * False if the columns are not at right angles, to 1e-3, or one is 0: then the result is near. */
bool matrix_decompose(const double m[16], double translation[3], double rotation[4],
                      double scale[3]);
