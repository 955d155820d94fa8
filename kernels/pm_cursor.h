/* SPDX-License-Identifier: MIT
 *
 * Cursors of uniform samples of uniform keys, exact in 64-bit integers (spec: methods,
 * section 2): sample k lies at key position (k step + start)/scale.
 */
#ifndef PM_CURSOR_H
#define PM_CURSOR_H

#include "pm_segment.h"

/* scale < 2^32 and (k step + start) < 2^63 for every k that is sampled. */
typedef struct pm_uniform_map {
    pm_u64 step;
    pm_u64 start;
    pm_u64 scale;
    pm_u32 segment_count;
    pm_u32 loop; /* 1: segments repeat; 0: positions past the last key stay at it */
} pm_uniform_map;

pm_fn pm_cursor pm_locate_uniform(pm_uniform_map map, pm_u64 k) {
    pm_cursor cursor;
    pm_u64 position = k * map.step + map.start;
    pm_u64 segment = position / map.scale;
    pm_u64 rest = position - segment * map.scale;
    pm_u64 lap = segment / map.segment_count;
    pm_u64 fraction = (rest << 32) / map.scale;
    cursor.u = pm_cursor_fraction((pm_u32)fraction, fraction * map.scale != rest << 32);
    if (map.loop) {
        cursor.segment = (pm_u32)(segment - lap * map.segment_count);
        cursor.segment |= lap & 1 ? PM_CURSOR_ODD_LAP : 0;
    } else if (lap > 0) {
        cursor.segment = map.segment_count - 1;
        cursor.segment |= segment > map.segment_count || rest > 0 ? PM_CURSOR_AT_REST : 0;
        cursor.u = 1.0f;
    } else {
        cursor.segment = (pm_u32)segment;
    }
    return cursor;
}

#endif
