/* SPDX-License-Identifier: MIT
 *
 * Matching joints: by name, by order, or by a file with a pair of names in each line.
 */
#include "joints.h"

#include "motion/base/printable.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* ---- names in order ------------------------------------------------------------------------ */

typedef struct named_joint {
    pm_motion_name name;
    uint32_t joint;
} named_joint;

static int compare_names(pm_motion_name x, pm_motion_name y) {
    const size_t common = x.size < y.size ? x.size : y.size;
    const int order = common > 0 ? memcmp(x.text, y.text, common) : 0;
    return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

static int compare_joints(const void *x, const void *y) {
    const named_joint *a = x, *b = y;
    const int order = compare_names(a->name, b->name);
    return order != 0 ? order : (a->joint > b->joint) - (a->joint < b->joint);
}

static named_joint *sort_names(const subject *s) {
    named_joint *names = calloc(s->joint_count + 1, sizeof *names);
    for (size_t j = 0; names != NULL && j < s->joint_count; j++) {
        names[j] = (named_joint){subject_name(s, j), (uint32_t)j};
    }
    if (names != NULL) {
        qsort(names, s->joint_count, sizeof *names, compare_joints);
    }
    return names;
}

/* The first joint with a name; NONE: no joint has it. */
static uint32_t find_name(const named_joint *names, size_t count, pm_motion_name name) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_names(names[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && compare_names(names[low].name, name) == 0 ? names[low].joint : NONE;
}

/* ---- the rules ----------------------------------------------------------------------------- */

typedef struct matching {
    const subject *a, *b;
    named_joint *names_a, *names_b;
    uint32_t *partner; /* of each joint of A; NONE */
    bool *used;        /* of each joint of B */
} matching;

static size_t count_unnamed(const named_joint *names, size_t count) {
    size_t unnamed = 0;
    while (unnamed < count && names[unnamed].name.size == 0) {
        unnamed++;
    }
    return unnamed;
}

/* Joints without a name are matched in their order where both files have equally many. */
static size_t match_names(matching *m) {
    const bool unnamed = count_unnamed(m->names_a, m->a->joint_count) ==
                         count_unnamed(m->names_b, m->b->joint_count);
    size_t i = 0, j = 0, found = 0;
    while (i < m->a->joint_count && j < m->b->joint_count) {
        const int order = compare_names(m->names_a[i].name, m->names_b[j].name);
        if (order == 0 && (unnamed || m->names_a[i].name.size > 0)) {
            m->partner[m->names_a[i].joint] = m->names_b[j].joint;
            m->used[m->names_b[j].joint] = true;
            found += m->names_a[i].name.size > 0;
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

static cli_exit refuse_line(const char *path, size_t line, const char *reason,
                            pm_motion_name name) {
    char shown[4 * 80 + 1];
    printable_text(shown, sizeof shown, name.text, utf8_cut(name.text, name.size, 80));
    return cli_fail(CLI_BAD_INPUT, path, "each line is a name of A, a tab, and a name of B",
                    "line %zu: %s%s%s%s", line, reason, name.size > 0 ? ": '" : "",
                    name.size > 0 ? shown : "", name.size > 0 ? "'" : "");
}

static cli_exit match_line(matching *m, const char *path, size_t line, const char *text,
                           size_t size) {
    const pm_motion_name none = {"", 0};
    const char *tab = memchr(text, '\t', size);
    if (tab == NULL) {
        return refuse_line(path, line, "has no tab", none);
    }
    const pm_motion_name first = {text, (size_t)(tab - text)};
    const pm_motion_name second = {tab + 1, size - first.size - 1};
    const uint32_t a = find_name(m->names_a, m->a->joint_count, first);
    const uint32_t b = find_name(m->names_b, m->b->joint_count, second);
    if (a == NONE || b == NONE) {
        return refuse_line(path, line, a == NONE ? "A has no joint" : "B has no joint",
                           a == NONE ? first : second);
    }
    if (m->partner[a] != NONE || m->used[b]) {
        return refuse_line(path, line, "has a joint that a line before has",
                           m->used[b] ? second : first);
    }
    m->partner[a] = b;
    m->used[b] = true;
    return CLI_DONE;
}

static cli_exit match_map(matching *m, const char *path, size_t *found) {
    char *data = NULL;
    size_t size = 0, line = 0;
    char reason[INPUT_REASON_SIZE] = "";
    cli_exit code = input_read_beside(path, NULL, INPUT_BESIDE_MAX, &data, &size, reason)
                        ? CLI_DONE
                        : cli_fail(CLI_BAD_INPUT, path, NULL, "%s", reason);
    for (size_t at = 0; code == CLI_DONE && at < size;) {
        const char *end = memchr(data + at, '\n', size - at);
        const size_t length = end != NULL ? (size_t)(end - data) - at : size - at;
        const size_t text = length > 0 && data[at + length - 1] == '\r' ? length - 1 : length;
        line++;
        if (text > 0) {
            code = match_line(m, path, line, data + at, text);
            ++*found;
        }
        at += length + 1;
    }
    free(data);
    return code;
}

static cli_exit match(matching *m, const char *map_path, joint_pairs *pairs) {
    size_t found = 0;
    if (map_path != NULL) {
        pairs->rule = JOINTS_BY_MAP;
        const cli_exit code = match_map(m, map_path, &found);
        return code == CLI_DONE && found == 0
                   ? cli_fail(CLI_BAD_INPUT, map_path, NULL, "has no pair of names")
                   : code;
    }
    pairs->rule = JOINTS_BY_NAME;
    if (match_names(m) > 0) {
        return CLI_DONE;
    }
    if (m->a->joint_count != m->b->joint_count) {
        return cli_fail(CLI_BAD_INPUT, "joints", "pair them with: --map FILE",
                        "the files have no name in common, and %zu and %zu joints",
                        m->a->joint_count, m->b->joint_count);
    }
    pairs->rule = JOINTS_BY_ORDER;
    match_order(m);
    return CLI_DONE;
}

/* ---- the result ---------------------------------------------------------------------------- */

static void list_pairs(const matching *m, joint_pairs *pairs) {
    for (size_t j = 0; j < m->a->joint_count; j++) {
        if (m->partner[j] != NONE) {
            pairs->pairs[pairs->count++] = (joint_pair){(uint32_t)j, m->partner[j]};
        } else {
            pairs->only[0][pairs->only_count[0]++] = (uint32_t)j;
        }
    }
    for (size_t j = 0; j < m->b->joint_count; j++) {
        if (!m->used[j]) {
            pairs->only[1][pairs->only_count[1]++] = (uint32_t)j;
        }
    }
}

cli_exit joints_match(const subject *a, const subject *b, const char *map_path,
                      joint_pairs *pairs) {
    matching m = {.a = a,
                  .b = b,
                  .names_a = sort_names(a),
                  .names_b = sort_names(b),
                  .partner = malloc((a->joint_count + 1) * sizeof *m.partner),
                  .used = calloc(b->joint_count + 1, sizeof *m.used)};
    *pairs = (joint_pairs){.pairs = calloc(a->joint_count + 1, sizeof *pairs->pairs),
                           .only = {calloc(a->joint_count + 1, sizeof(uint32_t)),
                                    calloc(b->joint_count + 1, sizeof(uint32_t))}};
    cli_exit code = CLI_BAD_INPUT;
    if (m.names_a == NULL || m.names_b == NULL || m.partner == NULL || m.used == NULL ||
        pairs->pairs == NULL || pairs->only[0] == NULL || pairs->only[1] == NULL) {
        code = cli_fail(CLI_BAD_INPUT, "joints", CLI_MEMORY_HINT, "memory is exhausted");
    } else {
        memset(m.partner, 0xFF, a->joint_count * sizeof *m.partner);
        code = match(&m, map_path, pairs);
        list_pairs(&m, pairs);
    }
    free(m.names_a);
    free(m.names_b);
    free(m.partner);
    free(m.used);
    return code;
}

void joints_release(joint_pairs *pairs) {
    free(pairs->pairs);
    free(pairs->only[0]);
    free(pairs->only[1]);
}

const char *joints_rule_name(joints_rule rule) {
    static const char *const names[] = {"name", "order", "map"};
    return names[rule];
}
