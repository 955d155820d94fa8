/* SPDX-License-Identifier: MIT
 *
 * The curves that kernels evaluate, the number of planes that each stores, and their builders.
 */
#ifndef PM_HOST_CURVES_H
#define PM_HOST_CURVES_H

#include "kernels/pm_methods.h"

/* Named as in the kernels' headers. */
typedef enum pm_curve_id {
#define PM_CURVE_ID(name) PM_CURVE_##name,
    PM_CURVES(PM_CURVE_ID)
#undef PM_CURVE_ID
        PM_CURVE_COUNT
} pm_curve_id;

typedef struct pm_curve {
    const char *name;      /* PM_METHOD of the kernels, without its prefix pm_ */
    unsigned coefficients; /* planes per segment, without the key */
    unsigned constants;    /* planes per track */
} pm_curve;

extern const pm_curve pm_curves[PM_CURVE_COUNT];

/* Planes per row: the key and the coefficients of the segment that begins with it. */
static inline unsigned pm_curve_planes(pm_curve_id curve) {
    return 1 + pm_curves[curve].coefficients;
}

/* The segment builders, named after the segments that they build. */
#define PM_BUILDERS(X)                                                                             \
    X(sterp)                                                                                       \
    X(squad)                                                                                       \
    X(circular)                                                                                    \
    X(phased)                                                                                      \
    X(hermite)                                                                                     \
    X(spline)                                                                                      \
    X(bspline)                                                                                     \
    X(cubicspline)                                                                                 \
    X(ncubic)                                                                                      \
    X(vector_cubic)                                                                                \
    X(vector_parabolas)                                                                            \
    X(vector_spline)                                                                               \
    X(vector_bspline)

typedef enum pm_builder {
    PM_BUILD_nothing, /* the curve has no segment coefficients */
#define PM_BUILDER_ID(name) PM_BUILD_##name,
    PM_BUILDERS(PM_BUILDER_ID)
#undef PM_BUILDER_ID
} pm_builder;

#endif
