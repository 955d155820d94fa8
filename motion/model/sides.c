/* SPDX-License-Identifier: MIT
 *
 * The table of names of left and right, and pairs of nodes by it. A word with borders is a side for
 * certain. Letters that could be one by chance, as in lfemur, are one only where a node has the other name.
 */
#include "motion/model/sides.h"

#include <stdlib.h>
#include <string.h>

#include "motion/model/names.h"

#define NONE PM_NO_INDEX32

/* ---- the table ----------------------------------------------------------------------------- */

typedef enum side_form {
    FORM_WORD,  /* with borders, also of LeftArm and leftArm, for certain; elsewhere possible */
    FORM_TOKEN, /* between separators alone, for certain */
    FORM_SHORT, /* the same, but possible */
    FORM_LETTER, /* a token, or the first letter in lThigh, for certain; possible in LHip, lfemur, HandL */
    FORM_SIGN /* anywhere, for certain */
} side_form;

/* In small letters; names may have others. */
static const struct {
    const char *words[2];
    side_form form;
} rules[] = {
    {{"left", "right"}, FORM_WORD},
    {{"lft", "rgt"}, FORM_WORD},
    {{"l", "r"}, FORM_LETTER},
    {{"fl", "fr"}, FORM_TOKEN}, /* quadrupeds: front, rear, hind; and the side first */
    {{"rl", "rr"}, FORM_TOKEN},
    {{"hl", "hr"}, FORM_TOKEN},
    {{"lf", "rf"}, FORM_TOKEN},
    {{"lh", "rh"}, FORM_TOKEN},
    {{"ml", "mr"}, FORM_SHORT}, /* middle and back, of six legs */
    {{"bl", "br"}, FORM_SHORT},
    {{"lm", "rm"}, FORM_SHORT},
    {{"lb", "rb"}, FORM_SHORT},
    {{"lf", "rt"}, FORM_SHORT},
    {{"lt", "rt"}, FORM_SHORT},
    {{"\xe5\xb7\xa6", "\xe5\x8f\xb3"}, FORM_SIGN}, /* Chinese and Japanese */
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct {
    const char *word;
    sides_role role;
    bool at_end; /* of names, numbers aside: Head and not HeadTop_End */
} roles[] = {{"head", SIDES_HEAD, true},
             {"\xe9\xa0\xad", SIDES_HEAD, true},
             {"foot", SIDES_FOOT, false},
             {"toe", SIDES_FOOT, false},
             {"ankle", SIDES_FOOT, false},
             {"\xe8\xb6\xb3\xe9\xa6\x96", SIDES_FOOT, false},
             {"\xe3\x81\xa4\xe3\x81\xbe\xe5\x85\x88", SIDES_FOOT, false},
             {"hand", SIDES_HAND, false},
             {"wrist", SIDES_HAND, false},
             {"\xe6\x89\x8b\xe9\xa6\x96", SIDES_HAND, false}};

/* ---- letters ------------------------------------------------------------------------------- */

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_letter(char c) {
    return is_upper(c) || is_lower(c);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Bytes of UTF-8 are parts of words. */
static bool is_separator(char c) {
    return (unsigned char)c < 0x80 && !is_letter(c) && !is_digit(c);
}

static char lower(char c) {
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* A character of a name; a blank before it and behind it. */
static char char_at(pm_motion_name name, size_t at) {
    return at < name.size ? name.text[at] : ' ';
}

static bool has_word_at(pm_motion_name name, size_t at, const char *word) {
    size_t i = 0;
    while (word[i] && at + i < name.size && lower(name.text[at + i]) == word[i])
        i++;
    return !word[i];
}

/* ---- proof --------------------------------------------------------------------------------- */

typedef enum side_proof { PROOF_NONE, PROOF_POSSIBLE, PROOF_CERTAIN } side_proof;

static side_proof prove_word(pm_motion_name name, size_t at, size_t end) {
    const char first = name.text[at], before = char_at(name, at - 1), after = char_at(name, end);
    const bool capitals = is_upper(first) && is_upper(name.text[at + 1]);
    const bool begins = !is_letter(before) || (is_upper(first) && is_lower(before));
    const bool ends = capitals ? !is_letter(after) : !is_lower(after);
    return begins && ends ? PROOF_CERTAIN : PROOF_POSSIBLE;
}

/* Small letters from a place on. */
static size_t count_lower(pm_motion_name name, size_t at) {
    size_t count = 0;
    while (is_lower(char_at(name, at + count)))
        count++;
    return count;
}

/* LHip, lfemur and Larm, but not Leg and lip; HandL, Finger0L1; leg_l1. */
static bool may_be_letter(pm_motion_name name, size_t at) {
    enum { LEAST = 3 };
    const char c = name.text[at], before = char_at(name, at - 1), after = char_at(name, at + 1);
    const bool ends = !is_letter(after);
    if (is_separator(before))
        return is_upper(after) || is_digit(after) || count_lower(name, at + 1) >= LEAST;
    return ends && (is_digit(before) || (is_upper(c) && !is_upper(before)));
}

static side_proof prove_letter(pm_motion_name name, size_t at) {
    const char before = char_at(name, at - 1), after = char_at(name, at + 1);
    if (is_separator(before) &&
        (is_separator(after) || (is_lower(name.text[at]) && is_upper(after))))
        return PROOF_CERTAIN;
    return may_be_letter(name, at) ? PROOF_POSSIBLE : PROOF_NONE;
}

static side_proof prove(size_t rule, pm_motion_name name, size_t at, size_t size) {
    const side_form form = rules[rule].form;
    if (form == FORM_SIGN)
        return PROOF_CERTAIN;
    if (form == FORM_WORD)
        return prove_word(name, at, at + size);
    if (form == FORM_LETTER)
        return prove_letter(name, at);
    if (!is_separator(char_at(name, at - 1)) || is_letter(char_at(name, at + size)))
        return PROOF_NONE;
    return form == FORM_TOKEN ? PROOF_CERTAIN : PROOF_POSSIBLE;
}

/* ---- names of the other side --------------------------------------------------------------- */

/* A word of a rule in a name. */
typedef struct side {
    size_t rule, word, at;
} side;

static size_t size_of(side s) {
    return strlen(rules[s.rule].words[s.word]);
}

/* Finds the next word with a proof, from *s on; then, `s->word` is to be increased. */
static bool find_side(pm_motion_name name, side_proof proof, side *s) {
    for (; s->at < name.size; s->at++, s->rule = 0)
        for (; s->rule < RULES; s->rule++, s->word = 0)
            for (; s->word < 2; s->word++)
                if (has_word_at(name, s->at, rules[s->rule].words[s->word]) &&
                    prove(s->rule, name, s->at, size_of(*s)) == proof)
                    return true;
    return false;
}

/* Writes the other word with the capitals of the first. Returns its size. */
static size_t write_other(pm_motion_name name, side s, char *out) {
    const char *other = rules[s.rule].words[1 - s.word];
    const bool capital = is_upper(name.text[s.at]);
    const bool capitals = capital && size_of(s) > 1 && is_upper(name.text[s.at + 1]);
    size_t i = 0;
    for (; other[i]; i++)
        out[i] = is_lower(other[i]) && (i == 0 ? capital : capitals) ? (char)(other[i] - 'a' + 'A')
                                                                     : other[i];
    return i;
}

/* Writes a name of the other side, with one word replaced; or with all that are certain. `out` has room for
 * two bytes for each. */
static pm_motion_name replace_one(pm_motion_name name, side s, char *out) {
    memcpy(out, name.text, s.at);
    const size_t put = s.at + write_other(name, s, out + s.at), behind = s.at + size_of(s);
    memcpy(out + put, name.text + behind, name.size - behind);
    return (pm_motion_name){out, put + name.size - behind};
}

static pm_motion_name replace_all(pm_motion_name name, char *out) {
    size_t put = 0, from = 0;
    for (side s = {0, 0, 0}; find_side(name, PROOF_CERTAIN, &s); s = (side){0, 0, from}) {
        memcpy(out + put, name.text + from, s.at - from);
        put += s.at - from;
        put += write_other(name, s, out + put);
        from = s.at + size_of(s);
    }
    memcpy(out + put, name.text + from, name.size - from);
    return (pm_motion_name){out, put + name.size - from};
}

static bool is_sided(pm_motion_name name) {
    side s = {0, 0, 0};
    return find_side(name, PROOF_CERTAIN, &s);
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* Longer names are no names of joints. */
enum { NAME_MAX_SIZE = 4096 };

/* Nodes that have no partner yet, by their names, or by those without the numbers that exports add. */
typedef struct pairing {
    uint32_t *partners;
    motion_named *sorted;
    size_t count, first; /* of those with the name of the entry at hand */
    char room[2 * NAME_MAX_SIZE];
} pairing;

/* Without .001 or _015 behind it. */
static pm_motion_name without_number(pm_motion_name name) {
    size_t size = name.size;
    while (size > 0 && is_digit(name.text[size - 1]))
        size--;
    if (size < 2 || size == name.size || !strchr("_.", name.text[size - 1]))
        return name;
    return (pm_motion_name){name.text, size - 1};
}

static bool is_free(const pairing *p, size_t entry) {
    return p->partners[p->sorted[entry].index] == p->sorted[entry].index;
}

/* Of entries with equal names, the n-th is paired with the n-th of the other name. */
static bool pair_with(pairing *p, size_t entry, pm_motion_name other) {
    const size_t place = motion_find_place(p->sorted, p->count, other) + entry - p->first;
    if (place >= p->count || place == entry || !is_free(p, place) ||
        motion_compare_names(p->sorted[place].name, other) != 0)
        return false;
    p->partners[p->sorted[entry].index] = p->sorted[place].index;
    p->partners[p->sorted[place].index] = p->sorted[entry].index;
    return true;
}

static void pair_entry(pairing *p, size_t entry, side_proof proof) {
    enum { MOST_WORDS = 8 };
    const pm_motion_name name = p->sorted[entry].name;
    if (entry == 0 || motion_compare_names(p->sorted[p->first].name, name) != 0)
        p->first = entry;
    if (!is_free(p, entry) || (proof == PROOF_POSSIBLE && is_sided(name)))
        return;
    side s = {0, 0, 0};
    for (size_t tried = 0; tried < MOST_WORDS && find_side(name, proof, &s); tried++, s.word++)
        if (pair_with(p, entry, replace_one(name, s, p->room)))
            return;
    if (proof == PROOF_CERTAIN)
        (void)pair_with(p, entry, replace_all(name, p->room));
}

static void pair_names(pairing *p, const pm_motion_content *content, bool exactly) {
    p->count = 0;
    for (uint32_t n = 0; n < content->node_count; n++) {
        const pm_motion_name name = content->nodes[n].name;
        if (p->partners[n] == n && name.size <= NAME_MAX_SIZE)
            p->sorted[p->count++] = (motion_named){exactly ? name : without_number(name), n};
    }
    motion_sort_named(p->sorted, p->count);
    for (int proof = PROOF_CERTAIN; proof >= PROOF_POSSIBLE; proof--)
        for (size_t i = 0; i < p->count; i++)
            pair_entry(p, i, (side_proof)proof);
}

bool sides_pair(const pm_motion_content *content, uint32_t *partners, bool *alone) {
    FREED pairing *p = malloc(sizeof *p);
    FREED motion_named *sorted = calloc(content->node_count + 1, sizeof *sorted);
    const bool good = p && sorted;
    for (uint32_t n = 0; n < content->node_count; n++)
        partners[n] = n;
    if (good) {
        p->partners = partners;
        p->sorted = sorted;
        pair_names(p, content, true);
        pair_names(p, content, false);
    }
    for (uint32_t n = 0; good && n < content->node_count; n++)
        alone[n] = partners[n] == n && content->nodes[n].name.size <= NAME_MAX_SIZE &&
                   is_sided(content->nodes[n].name);
    return good;
}

/* Where they differ first, the words of one rule do. */
bool sides_is_left(pm_motion_name name, pm_motion_name partner) {
    size_t at = 0;
    while (at < name.size && lower(name.text[at]) == lower(char_at(partner, at)))
        at++;
    for (size_t rule = 0; rule < RULES; rule++) {
        const char *left = rules[rule].words[0], *right = rules[rule].words[1];
        while (*left == *right)
            left++, right++;
        if (lower(char_at(name, at)) == *left && lower(char_at(partner, at)) == *right)
            return true;
    }
    return false;
}

/* ---- roles --------------------------------------------------------------------------------- */

static bool has_role_word(pm_motion_name name, const char *word, bool at_end) {
    const size_t size = strlen(word);
    size_t at = at_end && name.size >= size ? name.size - size : 0;
    for (; at + size <= name.size; at++)
        if (has_word_at(name, at, word))
            return true;
    return false;
}

bool sides_has_role(pm_motion_name name, sides_role role) {
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (roles[i].role == role &&
            has_role_word(without_number(name), roles[i].word, roles[i].at_end))
            return true;
    return false;
}
