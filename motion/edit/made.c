/* SPDX-License-Identifier: MIT
 *
 * Motions that are made of others: how they begin and end.
 */
#include "motion/edit/edit.h"

#include <math.h>
#include <string.h>

#include "motion/model/copy.h"

bool edit_is_near(const double *a, const double *b, size_t count, double tolerance) {
    double size = 0, apart = 0;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        apart = fmax(apart, fabs(a[i] - b[i]));
    }
    return apart <= tolerance * size;
}

pm_motion *edit_begin(const pm_motion *from, size_t clip_count, pm_motion_clip **clips) {
    pm_motion *to = motion_copy_nodes(&from->content);
    *clips = to ? motion_allocate(&to->arena, clip_count, sizeof **clips) : NULL;
    if (!*clips || !motion_copy_layout(to, from, false)) {
        pm_motion_destroy(&to);
        return NULL;
    }
    to->content.layout =
        motion_copy_text(&to->arena, from->content.layout, strlen(from->content.layout));
    to->content.clips = *clips;
    to->content.clip_count = clip_count;
    to->content.file_bytes = from->content.file_bytes;
    to->is_edited = true;
    if (!to->content.layout)
        pm_motion_destroy(&to);
    return to;
}

pm_status edit_finish(pm_motion *made, pm_status status, pm_motion **result) {
    if (status == PM_OK)
        *result = made;
    else
        pm_motion_destroy(&made);
    return status;
}

void edit_drop_layout(pm_motion *made) {
    made->layout = NULL;
    made->layout_format = NULL;
}
