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

static int compare_names(const void *left, const void *right) {
    const bvh_joint *const *a = left, *const *b = right;
    size_t size_a = (*a)->name.size, size_b = (*b)->name.size;
    int order = memcmp((*a)->name.begin, (*b)->name.begin, size_a < size_b ? size_a : size_b);
    return order != 0 ? order : (size_a > size_b) - (size_a < size_b);
}

/* Joints are never looked up by name, so duplicate names cause only one warning. */
static bool warn_of_duplicates(bvh_scan *scan) {
    const bvh *model = scan->model;
    FREED const bvh_joint **sorted = calloc(model->joint_count, sizeof *sorted);
    size_t i, duplicates = 0, example = 0;
    char text[BVH_JOINT_TEXT];
    if (!sorted)
        return bvh_out_of_memory(scan);
    for (i = 0; i < model->joint_count; i++)
        sorted[i] = &model->joints[i];
    qsort(sorted, model->joint_count, sizeof *sorted, compare_names);
    for (i = 1; i < model->joint_count; i++) {
        if (compare_names(&sorted[i - 1], &sorted[i]) == 0) {
            example = (size_t)(sorted[i] - model->joints);
            duplicates++;
        }
    }
    if (duplicates != 0) {
        bvh_describe_joint(model, example, text);
        motion_warn(&scan->input->warnings,
                    "%zu joint%s a name used before, such as %s; joints are identified by "
                    "their order",
                    duplicates, duplicates == 1 ? " has" : "s have", text);
    }
    return true;
}

static bool scan_all(bvh_scan *scan) {
    scan->model->line_end = first_line_end(scan);
    if (!bvh_scan_hierarchy(scan) || !warn_of_duplicates(scan) || !bvh_scan_head(scan) ||
        !bvh_scan_rows(scan))
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
