/* SPDX-License-Identifier: MIT
 *
 * Reads a BVH file from end to end. The hierarchy is read in bvh_hierarchy.c, the motion in
 * bvh_rows.c.
 */
#include "motion/bvh/bvh.h"

#include "motion/bvh/bvh_scan.h"

#include <stdlib.h>
#include <string.h>

static const char *first_line_end(const bvh_scan *scan) {
    text_span rest = {scan->begin, (size_t)(scan->end - scan->begin)}, line, end = {NULL, 0};
    return !text_next_line(&rest, &line, &end) || end.size == 0 || *end.begin == '\n' ? "\n"
           : end.size == 2                                                            ? "\r\n"
                                                                                      : "\r";
}

static bool scan_all(bvh_scan *scan) {
    scan->model->line_end = first_line_end(scan);
    if (!bvh_scan_hierarchy(scan) || !bvh_scan_head(scan) || !bvh_scan_rows(scan))
        return false;
    scan->model->comma = scan->commas != 0;
    if (scan->model->comma)
        motion_warn(&scan->input->warnings,
                    "numbers have decimal commas; they are written with decimal points");
    return true;
}

static pm_status parse(const motion_input *input, bool (*scan_part)(bvh_scan *), bvh **model,
                       pm_error *error) {
    const text_span text = text_skip_mark((text_span){input->data, input->size});
    pm_error own = {.status = PM_ERROR_FILE}; /* its status is the result */
    bvh_scan scan = {.input = input,
                     .error = error ? error : &own,
                     .begin = text.begin,
                     .at = text.begin,
                     .end = text.begin + text.size,
                     .options = input->options,
                     .model = calloc(1, sizeof(bvh))};
    MOTION_TRY_MEMORY(scan.model, error);
    if (!scan_part(&scan)) {
        bvh_free(&scan.model);
        return scan.error->status;
    }
    *model = scan.model;
    return PM_OK;
}

pm_status bvh_parse(const motion_input *input, bvh **model, pm_error *error) {
    return parse(input, scan_all, model, error);
}

static bool scan_hierarchy(bvh_scan *scan) {
    scan->model->line_end = first_line_end(scan);
    return bvh_scan_hierarchy(scan);
}

pm_status bvh_parse_hierarchy(const char *text, size_t size, bvh **model, pm_error *error) {
    const motion_input input = {.data = text, .size = size};
    return parse(&input, scan_hierarchy, model, error);
}

void bvh_free(bvh **model) {
    bvh *m = *model;
    if (!m)
        return;
    MOTION_FREE(m->joints, m->sites, m->channels, m->values, m->rows, m->hierarchy, m);
    *model = NULL;
}
