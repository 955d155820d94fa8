/* SPDX-License-Identifier: MIT
 *
 * Matching joints: by name, by order, or by a file with a pair of names in each line.
 */
#include "motion/compare/compare.h"

#include "motion/base/printable.h"
#include "motion/model/names.h"

#include <stdlib.h>
#include <string.h>

#define NONE PM_NO_INDEX32

typedef struct matching {
    const subject *a, *b;
    motion_names names_a, names_b;
    uint32_t *partner; /* of each joint of A; NONE */
    bool *used;        /* of each joint of B */
} matching;

static pm_motion_name name_at(const motion_names *names, size_t i) {
    return names->sorted[i].name;
}

static size_t count_unnamed(const motion_names *names) {
    size_t unnamed = 0;
    while (unnamed < names->count && name_at(names, unnamed).size == 0)
        unnamed++;
    return unnamed;
}

/* Joints without a name are matched in their order where both files have equally many. */
static size_t match_names(matching *m) {
    const bool unnamed = count_unnamed(&m->names_a) == count_unnamed(&m->names_b);
    size_t i = 0, j = 0, found = 0;
    while (i < m->a->joint_count && j < m->b->joint_count) {
        const pm_motion_name name = name_at(&m->names_a, i);
        const int order = motion_compare_names(name, name_at(&m->names_b, j));
        if (order == 0 && (unnamed || name.size > 0)) {
            m->partner[m->names_a.sorted[i].index] = m->names_b.sorted[j].index;
            m->used[m->names_b.sorted[j].index] = true;
            found += name.size > 0;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return found;
}

static void match_order(matching *m) {
    for (size_t j = 0; j < m->a->joint_count; j++) {
        m->partner[j] = (uint32_t)j;
        m->used[j] = true;
    }
}

static pm_status refuse_line(size_t line, const char *reason, pm_motion_name name,
                             pm_error *error) {
    char shown[4 * 80 + 1];
    printable_text(shown, sizeof shown, name.text, utf8_cut(name.text, name.size, 80));
    motion_report(error, PM_ERROR_FILE, "line %zu: %s%s%s%s", line, reason,
                  name.size > 0 ? ": '" : "", name.size > 0 ? shown : "", name.size > 0 ? "'" : "");
    motion_hint(error, "each line is a name of A, a tab, and a name of B");
    return PM_ERROR_FILE;
}

static pm_status match_line(matching *m, size_t line, const char *text, size_t size,
                            pm_error *error) {
    const pm_motion_name none = {"", 0};
    const char *tab = memchr(text, '\t', size);
    if (!tab)
        return refuse_line(line, "has no tab", none, error);
    const pm_motion_name first = {text, (size_t)(tab - text)};
    const pm_motion_name second = {tab + 1, size - first.size - 1};
    const uint32_t a = motion_names_find(&m->names_a, first.text, first.size);
    const uint32_t b = motion_names_find(&m->names_b, second.text, second.size);
    if (a == NONE || b == NONE)
        return refuse_line(line, a == NONE ? "A has no joint" : "B has no joint",
                           a == NONE ? first : second, error);
    if (m->partner[a] != NONE || m->used[b])
        return refuse_line(line, "has a joint that a line before has", m->used[b] ? second : first,
                           error);
    m->partner[a] = b;
    m->used[b] = true;
    return PM_OK;
}

static pm_status match_lines(matching *m, const char *data, size_t size, pm_error *error) {
    size_t line = 0, found = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(data + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - data) - at : size - at;
        const size_t text = length > 0 && data[at + length - 1] == '\r' ? length - 1 : length;
        line++;
        if (text > 0) {
            MOTION_TRY(match_line(m, line, data + at, text, error));
            found++;
        }
        at += length + 1;
    }
    return found > 0 ? PM_OK : motion_refuse(error, "has no pair of names");
}

static pm_status match_map(matching *m, const char *path, pm_error *error) {
    FREED char *data = NULL;
    size_t size = 0;
    char reason[INPUT_REASON_SIZE] = "";
    const pm_status status = input_read_beside(path, NULL, INPUT_BESIDE_MAX, &data, &size, reason)
                                 ? match_lines(m, data, size, error)
                                 : motion_refuse(error, "%s", reason);
    return motion_name_failure(status, path, error);
}

static pm_status match(matching *m, const char *map_path, joint_pairs *pairs, pm_error *error) {
    if (map_path) {
        pairs->rule = JOINTS_BY_MAP;
        return match_map(m, map_path, error);
    }
    pairs->rule = JOINTS_BY_NAME;
    if (match_names(m) > 0)
        return PM_OK;
    if (m->a->joint_count != m->b->joint_count) {
        motion_report(error, PM_ERROR_FILE,
                      "joints: the files have no name in common, and %zu and %zu joints",
                      m->a->joint_count, m->b->joint_count);
        motion_cure(error, "map", "FILE", "pairs them");
        return PM_ERROR_FILE;
    }
    pairs->rule = JOINTS_BY_ORDER;
    match_order(m);
    return PM_OK;
}

static void list_pairs(const matching *m, joint_pairs *pairs) {
    for (size_t j = 0; j < m->a->joint_count; j++)
        if (m->partner[j] != NONE)
            pairs->pairs[pairs->count++] = (joint_pair){(uint32_t)j, m->partner[j]};
        else
            pairs->only[0][pairs->only_count[0]++] = (uint32_t)j;
    for (size_t j = 0; j < m->b->joint_count; j++)
        if (!m->used[j])
            pairs->only[1][pairs->only_count[1]++] = (uint32_t)j;
}

pm_status joints_match(subject *a, subject *b, const char *map_path, joint_pairs *pairs,
                       pm_error *error) {
    subject_use_file_names(a, b);
    matching m = {.a = a,
                  .b = b,
                  .partner = malloc((a->joint_count + 1) * sizeof *m.partner),
                  .used = calloc(b->joint_count + 1, sizeof *m.used)};
    *pairs = (joint_pairs){.pairs = calloc(a->joint_count + 1, sizeof *pairs->pairs),
                           .only = {calloc(a->joint_count + 1, sizeof(uint32_t)),
                                    calloc(b->joint_count + 1, sizeof(uint32_t))}};
    pm_status status = PM_OK;
    const bool sorted_a = motion_names_make(&m.names_a, &a->view.content);
    const bool sorted_b = motion_names_make(&m.names_b, &b->view.content);
    if (!sorted_a || !sorted_b || !m.partner || !m.used || !pairs->pairs || !pairs->only[0] ||
        !pairs->only[1]) {
        status = motion_fail(error, PM_ERROR_MEMORY, "joints: memory is exhausted");
    } else {
        memset(m.partner, 0xFF, a->joint_count * sizeof *m.partner);
        status = match(&m, map_path, pairs, error);
        list_pairs(&m, pairs);
    }
    motion_names_release(&m.names_a);
    motion_names_release(&m.names_b);
    MOTION_FREE(m.partner, m.used);
    return status;
}

void joints_release(joint_pairs *pairs) {
    MOTION_FREE(pairs->pairs, pairs->only[0], pairs->only[1]);
}

const char *joints_rule_name(joints_rule rule) {
    static const char *const names[] = {"name", "order", "map"};
    return names[rule];
}
