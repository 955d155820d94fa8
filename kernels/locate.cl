/* SPDX-License-Identifier: MIT
 *
 * The cursors (segment and u) of uniform samples of uniform keys, one per work-item.
 */
#include "pm_cursor.h"

pm_kernel void locate(pm_global pm_cursor *restrict cursors, pm_uniform_map map,
                      pm_u32 sample_count) {
    pm_u32 k = pm_global_id(0);
    if (k < sample_count)
        cursors[k] = pm_locate_uniform(map, k);
}
