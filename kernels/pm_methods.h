/* SPDX-License-Identifier: MIT
 *
 * All curves that have kernels: the list from which the reference path and the host's table
 * are generated, and, in a kernel, the curve that PM_METHOD names.
 */
#ifndef PM_METHODS_H
#define PM_METHODS_H

#include "pm_bspline.h"
#include "pm_circular.h"
#include "pm_cubic.h"
#include "pm_hermite.h"
#include "pm_slerp.h"
#include "pm_squad.h"
#include "pm_sterp.h"
#include "pm_vector.h"

#define PM_ROTATION_CURVES(X)                                                                      \
    X(slerp)                                                                                       \
    PM_OTHER_ROTATION_CURVES(X)

#define PM_OTHER_ROTATION_CURVES(X)                                                                \
    X(step)                                                                                        \
    X(nlerp)                                                                                       \
    X(sterp)                                                                                       \
    X(squad)                                                                                       \
    X(circular)                                                                                    \
    X(circular_c1)                                                                                 \
    X(circular_c2)                                                                                 \
    X(circular_c3)                                                                                 \
    X(hermite)                                                                                     \
    X(bspline)                                                                                     \
    X(cubicspline)                                                                                 \
    X(cubic)

#define PM_VECTOR_CURVES(X)                                                                        \
    X(vector_step)                                                                                 \
    X(vector_linear)                                                                               \
    X(vector_cubic)                                                                                \
    X(vector_parabolas_c2)                                                                         \
    X(vector_parabolas_c3)                                                                         \
    X(vector_bspline)

#define PM_CURVES(X)                                                                               \
    PM_ROTATION_CURVES(X)                                                                          \
    PM_VECTOR_CURVES(X)

/* The value includes the prefix, because drivers define macros with names like step. */
#ifndef PM_METHOD
#define PM_METHOD pm_slerp
#endif

/* PM_OF(begin) is pm_slerp_begin when PM_METHOD is pm_slerp. */
#define PM_OF_(method, what) method##_##what
#define PM_OF__(method, what) PM_OF_(method, what)
#define PM_OF(what) PM_OF__(PM_METHOD, what)
#define PM_COEFFICIENTS PM_OF(coefficients)
#define PM_CONSTANTS PM_OF(constants)
#define PM_FOUR_KEYS PM_OF(four_keys)
#define PM_BASIS_SIZE PM_OF(basis_size)
#ifndef PM_PASSES /* defined as 0 outside to count the cost of a sample that is not on a key */
#define PM_PASSES PM_OF(passes)
#endif
#define PM_HAS_FAST_PATH PM_OF(has_fast_path)

#if defined(PM_KEYS) && PM_KEYS != 0 && PM_COEFFICIENTS > 0
#error "PM_KEYS is not 0 (float32), but the curve stores more than keys"
#endif

/* Numbers per sample: 4 for rotations, 3 for positions and scales. */
#ifndef PM_COMPONENTS
#define PM_COMPONENTS 4
#endif

#if PM_COMPONENTS == 4
#define pm_store_values pm_store_items
#elif PM_COMPONENTS == 3
#define pm_store_values pm_store_vector_items
#else
#error "PM_COMPONENTS is 4 or 3"
#endif

#endif
