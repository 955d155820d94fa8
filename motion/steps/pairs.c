/* SPDX-License-Identifier: MIT
 *
 * Pairs of left and right by a file, or by the names of joints. Pairs hang on pairs.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/model/names.h"
#include "motion/model/sides.h"
#include "motion/steps/edit.h"

#define NONE PM_NO_INDEX32

/* ---- by a file ----------------------------------------------------------------------------- */

static pm_status refuse_line(size_t line, const char *why, pm_motion_name name, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    motion_report(error, PM_ERROR_FILE, "line %zu: %s '%s'", line, why,
                  motion_printable(shown, name.text, name.size));
    motion_hint(error, "each line has two names of joints, with a tab or a blank between them");
    return PM_ERROR_FILE;
}

static pm_motion_name trimmed(pm_motion_name text) {
    while (text.size > 0 && (unsigned char)text.text[text.size - 1] <= ' ')
        text.size--;
    while (text.size > 0 && (unsigned char)*text.text <= ' ') {
        text.text++;
        text.size--;
    }
    return text;
}

static pm_status pair_line(const motion_names *names, size_t line, pm_motion_name text,
                           uint32_t *partners, pm_error *error) {
    const char *gap = memchr(text.text, '\t', text.size);
    if (!gap)
        gap = memchr(text.text, ' ', text.size);
    if (!gap)
        return refuse_line(line, "has no second name:", text, error);
    const size_t size = (size_t)(gap - text.text);
    const pm_motion_name two[] = {trimmed((pm_motion_name){text.text, size}),
                                  trimmed((pm_motion_name){gap, text.size - size})};
    uint32_t nodes[2];
    for (size_t i = 0; i < 2; i++) {
        nodes[i] = motion_names_find(names, two[i].text, two[i].size);
        if (nodes[i] == NONE)
            return refuse_line(line, "no joint is named", two[i], error);
        if (partners[nodes[i]] != nodes[i])
            return refuse_line(line, "a line before has", two[i], error);
    }
    partners[nodes[0]] = nodes[1];
    partners[nodes[1]] = nodes[0];
    return PM_OK;
}

static pm_status pair_lines(const motion_names *names, const char *path, uint32_t *partners,
                            pm_error *error) {
    char *data = NULL, reason[INPUT_REASON_SIZE] = "";
    size_t size = 0, line = 0;
    if (!input_read_beside(path, NULL, INPUT_BESIDE_MAX, &data, &size, reason))
        return motion_fail_at(error, PM_ERROR_FILE, path, NULL, "%s", reason);
    pm_status status = PM_OK;
    for (size_t at = 0; status == PM_OK && at < size;) {
        const char *end = memchr(data + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - data) - at : size - at;
        const pm_motion_name text = trimmed((pm_motion_name){data + at, length});
        line++;
        if (text.size > 0)
            status = pair_line(names, line, text, partners, error);
        at += length + 1;
    }
    free(data);
    return motion_name_failure(status, path, error);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static pm_status check_parents(const pm_motion_content *content, const uint32_t *partners,
                               pm_error *error) {
    size_t pairs = 0;
    for (size_t n = 0; n < content->node_count; n++) {
        const pm_motion_node *a = &content->nodes[n], *b = &content->nodes[partners[n]];
        const int32_t expected = a->parent < 0 ? -1 : (int32_t)partners[a->parent];
        char first[MOTION_PRINTABLE], second[MOTION_PRINTABLE];
        pairs += partners[n] != n;
        if (partners[n] == n || b->parent == expected)
            continue;
        motion_report(error, PM_ERROR_FILE, "'%s' and '%s' hang on joints that are no pair",
                      motion_joint_name(first, a->name, (int64_t)n),
                      motion_joint_name(second, b->name, partners[n]));
        motion_cure(error, "pairs", "FILE", "names the pairs");
        return PM_ERROR_FILE;
    }
    if (pairs > 0)
        return PM_OK;
    motion_report(error, PM_ERROR_FILE, "no two joints are left and right by their names");
    motion_cure(error, "pairs", "FILE", "names the pairs");
    return PM_ERROR_FILE;
}

pm_status edit_find_pairs(const pm_motion_content *content, const char *path, uint32_t *partners,
                          bool *alone, pm_error *error) {
    SCOPED(motion_names_release) motion_names names = {.sorted = NULL};
    pm_status status = PM_OK;
    for (uint32_t n = 0; n < content->node_count; n++) {
        partners[n] = n;
        alone[n] = false;
    }
    if (path ? !motion_names_make(&names, content) : !sides_pair(content, partners, alone))
        status = motion_refuse_memory(error);
    else if (path)
        status = pair_lines(&names, path, partners, error);
    return status == PM_OK ? check_parents(content, partners, error) : status;
}
