/* SPDX-License-Identifier: MIT
 *
 * What the host tells the kernels that build clips: the options of a description.
 */
#ifndef PM_BUILD_DATA_H
#define PM_BUILD_DATA_H

#include "pm_lang.h"

/* Segments of a window. */
#ifdef PM_OPENCL
#define PM_WINDOW 1
#else
#define PM_WINDOW 64
#endif

/* Rules for tangents and for ends, as the descriptions of clips number them. */
#define PM_RULE_BESSEL 0
#define PM_RULE_MEAN 1
#define PM_RULE_HOLD 2
#define PM_RULE_TCB 3
#define PM_RULE_USER 4
#define PM_RULE_ENDS_NATURAL 1
#define PM_RULE_ENDS_PARABOLA 2
#define PM_RULE_ENDS_ZERO 3

/* A description's options. */
typedef struct pm_build_rules {
    double tension, continuity, bias;
    pm_u32 tangents, ends;
    pm_u32 unlimited;   /* 1: squad has no limiter */
    pm_u32 parent_axes; /* 1: the axes of sterp are in the parent's frame */
} pm_build_rules;

#endif
