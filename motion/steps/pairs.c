/* SPDX-License-Identifier: MIT
 *
 * Pairs of left and right by the names of joints. A side is a word, Left in LeftArm or hand_left, a
 * letter between separators, as in L_Hip and hip.L, or a letter before a name, as in lThigh. Where
 * letters could be a side by chance, as in lfemur, only a joint with the other name proves it.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "motion/base/printable.h"
#include "motion/model/names.h"
#include "motion/steps/edit.h"

#define NONE PM_NO_INDEX32

/* ---- sides --------------------------------------------------------------------------------- */

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_letter(char c) {
    return is_upper(c) || is_lower(c);
}

/* Bytes of UTF-8 are parts of words. */
static bool is_separator(char c) {
    return (unsigned char)c < 0x80 && !is_letter(c) && !(c >= '0' && c <= '9');
}

typedef enum side_proof { SIDE_NONE, SIDE_POSSIBLE, SIDE_CERTAIN } side_proof;

typedef struct side {
    side_proof proof;
    size_t size;         /* of the word */
    const char *replace; /* by this one */
} side;

static side find_word(pm_motion_name name, size_t at) {
    static const struct {
        const char *word, *styles[3];
    } words[] = {{"left", {"right", "Right", "RIGHT"}}, {"right", {"left", "Left", "LEFT"}}};
    const char *text = name.text + at;
    for (size_t i = 0; i < 2; i++) {
        const size_t size = strlen(words[i].word);
        if (name.size - at < size || strncasecmp(text, words[i].word, size) != 0)
            continue;
        const bool capital = is_upper(text[0]), capitals = capital && is_upper(text[1]);
        const char before = at > 0 ? text[-1] : ' ',
                   after = name.size - at > size ? text[size] : ' ';
        const bool begins = !is_letter(before) || (capital && is_lower(before));
        const bool ends = capitals ? !is_letter(after) : !is_lower(after);
        return (side){begins && ends ? SIDE_CERTAIN : SIDE_POSSIBLE, size,
                      words[i].styles[capital + capitals]};
    }
    return (side){.proof = SIDE_NONE};
}

/* The whole of a word, or the first letter of one, or a capital after the last. */
static side find_letter(pm_motion_name name, size_t at) {
    static const char letters[] = "lrLR";
    static const char *const others[] = {"r", "l", "R", "L"};
    const char c = name.text[at];
    const char *letter = c ? strchr(letters, c) : NULL;
    if (!letter)
        return (side){.proof = SIDE_NONE};
    const char before = at > 0 ? name.text[at - 1] : ' ';
    const char after = at + 1 < name.size ? name.text[at + 1] : ' ';
    const bool begins = is_separator(before), ends = is_separator(after);
    side_proof proof = SIDE_NONE;
    if (begins && (ends || (is_lower(c) && is_upper(after))))
        proof = SIDE_CERTAIN;
    else if ((begins && is_letter(after)) || (ends && is_upper(c) && !is_upper(before)))
        proof = SIDE_POSSIBLE;
    return (side){proof, 1, others[letter - letters]};
}

static side find_side(pm_motion_name name, size_t at) {
    const side word = find_word(name, at);
    return word.proof != SIDE_NONE ? word : find_letter(name, at);
}

/* Replaces the side at one place or, with `at` of SIZE_MAX, all that are certain. Returns the size;
 * `out` has room for two bytes for each. */
static size_t replace_side(pm_motion_name name, size_t at, char *out) {
    size_t size = 0;
    for (size_t i = 0; i < name.size;) {
        const side s = find_side(name, i);
        if (i == at || (at == SIZE_MAX && s.proof == SIDE_CERTAIN)) {
            memcpy(out + size, s.replace, strlen(s.replace));
            size += strlen(s.replace);
            i += s.size;
        } else {
            out[size++] = name.text[i++];
        }
    }
    return size;
}

/* ---- by names ------------------------------------------------------------------------------ */

/* A name of the other side that a node has. Sets *is_sided if the name surely has a side. */
static uint32_t find_partner(const motion_names *names, pm_motion_name name, char *room,
                             bool *is_sided) {
    *is_sided = false;
    for (int proof = SIDE_CERTAIN; proof >= SIDE_POSSIBLE; proof--) {
        for (size_t i = 0; i < name.size; i++) {
            if ((int)find_side(name, i).proof != proof)
                continue;
            *is_sided = *is_sided || proof == SIDE_CERTAIN;
            const uint32_t found = motion_names_find(names, room, replace_side(name, i, room));
            if (found != NONE)
                return found;
        }
        if (proof == SIDE_CERTAIN && *is_sided) {
            const uint32_t found =
                motion_names_find(names, room, replace_side(name, SIZE_MAX, room));
            if (found != NONE)
                return found;
        }
    }
    return NONE;
}

/* Longer names are no names of joints. */
enum { NAME_MAX_SIZE = 4096 };

static void pair_names(const pm_motion_content *content, const motion_names *names,
                       uint32_t *partners, bool *alone) {
    char room[2 * NAME_MAX_SIZE];
    for (uint32_t n = 0; n < content->node_count; n++) {
        const pm_motion_name name = content->nodes[n].name;
        bool sided = false;
        if (name.size > NAME_MAX_SIZE || partners[n] != n)
            continue;
        const uint32_t found = find_partner(names, name, room, &sided);
        const bool free = found != NONE && found != n && partners[found] == found;
        alone[n] = sided && !free;
        if (free) {
            partners[n] = found;
            partners[found] = n;
            alone[found] = false;
        }
    }
}

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
    motion_names names;
    pm_status status = PM_OK;
    for (uint32_t n = 0; n < content->node_count; n++) {
        partners[n] = n;
        alone[n] = false;
    }
    if (!motion_names_make(&names, content))
        status = motion_refuse_memory(error);
    else if (path)
        status = pair_lines(&names, path, partners, error);
    else
        pair_names(content, &names, partners, alone);
    motion_names_release(&names);
    return status == PM_OK ? check_parents(content, partners, error) : status;
}
