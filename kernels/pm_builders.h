/* SPDX-License-Identifier: MIT
 *
 * The segment builders, each under the name of the segments that it builds. A builder NAME has
 *   pm_NAME_planes   the coefficients of a segment
 *   pm_NAME_needs    what it reads beside keys and lengths: PM_NEEDS_*
 *   pm_NAME_knot     what two segments share at their common key, with pm_NAME_knot_at
 *   pm_NAME_build    the coefficients of a segment from the knots of both of its keys
 */
#ifndef PM_BUILDERS_H
#define PM_BUILDERS_H

#include "pm_bspline_segment.h"
#include "pm_circular_segment.h"
#include "pm_component_segment.h"
#include "pm_hermite_segment.h"
#include "pm_squad_segment.h"
#include "pm_sterp_segment.h"

#endif
