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

size_t edit_count_rows(const pm_motion *motion) {
    const pm_motion_content *content = &motion->content;
    return content->clip_count == 1 && content->clips[0].timeline_count == 1
               ? content->clips[0].timelines[0].key_count
               : 0;
}

bool *edit_changed_rows(pm_motion *made, size_t rows) {
    if (!made->changed)
        made->changed = motion_allocate(&made->arena, rows, sizeof *made->changed);
    return (bool *)(uintptr_t)made->changed;
}

/* Rows that were repeated before are known only as a whole. */
bool edit_keep_rows(pm_motion *made, const pm_motion *from, uint64_t first, uint64_t count,
                    size_t times) {
    const uint64_t rows = edit_count_rows(from), total = count * times;
    const bool is_whole = first == 0 && count == rows;
    if (rows == 0 || count == 0 || (from->row_count == 0 && !from->document) ||
        (from->row_count > 0 && from->row_count != rows && !is_whole))
        return true;
    made->row_first = from->row_first + first;
    made->row_count = from->row_count > 0 && is_whole ? from->row_count : count;
    if (!from->changed)
        return true;
    bool *changed = edit_changed_rows(made, (size_t)total);
    for (uint64_t k = 0; changed && k < total; k++)
        changed[k] = from->changed[first + k % count];
    return changed != NULL;
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
