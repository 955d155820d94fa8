/* SPDX-License-Identifier: MIT
 *
 * The places of uniform samples of uniform keys, one a work-item.
 */
#include "pm_place.h"

pm_kernel void place(pm_global pm_place *places, pm_cadence cadence, pm_u64 first,
                     pm_u32 sample_count) {
    pm_u32 k = pm_global_id(0);
    if (k < sample_count)
        places[k] = pm_place_uniform(cadence, first + k);
}
