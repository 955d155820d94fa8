/* SPDX-License-Identifier: MIT
 *
 * The track constants of sterp: the windows of swing and twist (docs/methods.md, "sterp").
 */
#include "windows.h"

#include <math.h>

#include "base/base.h"

/* The smallest float that is not less than a window's end. 2, which exceeds every u, where the
 * window ends with the segment. */
static float left_at(double end) {
    float nearest = (float)end;
    if (end >= 1)
        return 2;
    return (double)nearest < end ? nextafterf(nearest, 1) : nearest;
}

static void put_window(double begin, double end, float *to) {
    to[0] = pm_stored(begin);
    to[1] = pm_stored(begin - (double)to[0]);
    to[2] = pm_stored(1 / (end - begin));
    to[3] = left_at(end);
}

void pm_build_sterp_windows(const pm_clip_desc *desc, size_t track, float *constants,
                            size_t plane) {
    pm_windows w = {0, 1, 0, 1};
    if (desc->windows)
        w = desc->windows[desc->window_count > 1 ? track : 0];
    if (w.swing_begin == 0 && w.swing_end == 0 && w.twist_begin == 0 && w.twist_end == 0)
        w = (pm_windows){0, 1, 0, 1};
    put_window(w.swing_begin, w.swing_end, constants);
    put_window(w.twist_begin, w.twist_end, constants + plane);
}
