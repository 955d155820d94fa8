/* SPDX-License-Identifier: MIT
 *
 * Files that say what of a character a crowd uses: masks, subsets, chains and radii by the names of joints. Every
 * refusal has the where, what is there, and what was expected. The schema is docs/schema/character.json.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/character/character_write.h"
#include "motion/character/parts.h"
#include "motion/files/input.h"
#include "motion/model/names.h"
#include "motion/options/nearest.h"
#include "motion/text/text.h"

enum { FILE_MAX = 1 << 20, MOST = 1024, PLACE = 96 };

static const double largest = 1e6, largest_turn = 3.1415927;

typedef struct reader {
    character *c;
    character_parts parts;
    motion_named *names; /* of joints: their nodes */
    float *masks, *radii;
    pm_subset *subsets;
    pm_chain *chains;
    uint32_t *flags;
    pm_error *error;
} reader;

/* Where a value is in the file. */
typedef struct place {
    char text[PLACE];
} place;

__attribute__((format(printf, 1, 2))) static place at(const char *format, ...) {
    place made;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(made.text, sizeof made.text, format, arguments);
    va_end(arguments);
    return made;
}

/* ---- refusals ------------------------------------------------------------------------------ */

static pm_status refuse(reader *r, const json_t *value, const char *where, const char *expected) {
    FREED char *text =
        value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    const char *found = text ? text : "missing";
    return motion_refuse(r->error, "%s is %s; expected %s", where,
                         MOTION_SHOWN(found, strlen(found)), expected);
}

static pm_status refuse_word(reader *r, const char *word, const nearest *meant, const char *where,
                             const char *expected) {
    char near[MOTION_PRINTABLE] = "";
    if (meant->word)
        motion_printable(near, meant->word, strlen(meant->word));
    return motion_refuse(r->error, "%s is '%s'; expected %s%s%s%s", where,
                         MOTION_SHOWN(word, strlen(word)), expected,
                         meant->word ? "; did you mean '" : "", near, meant->word ? "'?" : "");
}

/* Finds a word in a list that ends with NULL. */
static pm_status choose(reader *r, const json_t *value, const char *where, const char *const *words,
                        size_t *found) {
    const char *text = json_string_value(value);
    char expected[PLACE * 2] = "";
    size_t used = 0;
    nearest meant = {.text = text, .size = text ? strlen(text) : 0};
    for (*found = 0; words[*found]; ++*found) {
        if (text && strcmp(text, words[*found]) == 0)
            return PM_OK;
        if (text)
            nearest_try(&meant, words[*found]);
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                 used > 0 ? " or " : "", words[*found]);
    }
    return text ? refuse_word(r, text, &meant, where, expected) : refuse(r, value, where, expected);
}

/* An object with no other members than these. */
static pm_status check_members(reader *r, json_t *object, const char *where,
                               const char *const *known) {
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(object))
        return refuse(r, object, where, "an object");
    json_object_foreach(object, key, value) {
        nearest meant = {.text = key, .size = strlen(key)};
        char expected[PLACE * 2] = "";
        size_t i = 0, used = 0;
        while (known[i] && strcmp(known[i], key) != 0) {
            nearest_try(&meant, known[i]);
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                     used > 0 ? ", " : "", known[i++]);
        }
        if (!known[i])
            return motion_refuse(r->error, "%s has the unknown member '%s'; expected %s%s%s%s",
                                 where, MOTION_SHOWN(key, strlen(key)), expected,
                                 meant.word ? "; did you mean " : "", meant.word ? meant.word : "",
                                 meant.word ? "?" : "");
    }
    return PM_OK;
}

/* ---- values -------------------------------------------------------------------------------- */

/* A number within limits; of `above` it may not be the least. */
static pm_status take_number(reader *r, const json_t *value, const char *where, double least,
                             bool above, double most, float *number) {
    char expected[PLACE];
    const double found = json_number_value(value);
    if (json_is_number(value) && (above ? found > least : found >= least) && found <= most) {
        *number = (float)found;
        return PM_OK;
    }
    snprintf(expected, sizeof expected, "a number %s %g, and at most %g",
             above ? "above" : "of at least", least, most);
    return refuse(r, value, where, expected);
}

static pm_status take_numbers(reader *r, const json_t *list, const char *where, double least,
                              size_t count, float *numbers) {
    char expected[PLACE];
    snprintf(expected, sizeof expected, "a list of %zu numbers", count);
    if (json_array_size(list) != count)
        return refuse(r, list, where, expected);
    for (size_t i = 0; i < count; i++) {
        MOTION_TRY(take_number(r, json_array_get(list, i), at("%s[%zu]", where, i).text, least,
                               false, largest, &numbers[i]));
    }
    return PM_OK;
}

static pm_status check_list(reader *r, const json_t *list, const char *where, size_t least,
                            size_t most) {
    char expected[PLACE];
    if (json_is_array(list) && json_array_size(list) >= least && json_array_size(list) <= most)
        return PM_OK;
    snprintf(expected, sizeof expected, "a list of %zu to %zu", least, most);
    return refuse(r, list, where, expected);
}

/* The name of a mask, a subset or a chain, which no one before has. */
static pm_status take_name(reader *r, const json_t *value, const char *where, const char **names,
                           size_t before) {
    const char *text = json_string_value(value);
    if (!text || text[0] == '\0')
        return refuse(r, value, where, "a name");
    for (size_t i = 0; i < before; i++)
        if (strcmp(names[i], text) == 0)
            return refuse(r, value, where, "a name that none before has");
    names[before] = motion_copy_text(&r->c->arena, text, strlen(text));
    MOTION_TRY_MEMORY(names[before], r->error);
    return PM_OK;
}

/* ---- joints -------------------------------------------------------------------------------- */

static pm_motion_name name_of(const char *text) {
    return (pm_motion_name){text, strlen(text)};
}

/* How many joints have a name; *first is the place of the first. */
static size_t count_named(const reader *r, const char *text, size_t *first) {
    const pm_motion_name name = name_of(text);
    size_t end = *first = motion_find_place(r->names, r->c->joint_count, name);
    while (end < r->c->joint_count && motion_compare_names(r->names[end].name, name) == 0)
        end++;
    return end - *first;
}

static pm_status refuse_name(reader *r, const char *text, const char *where, bool is_part) {
    nearest meant = {.text = text, .size = strlen(text)};
    const char *word = NULL;
    for (size_t j = 0; j < r->c->joint_count; j++)
        nearest_try(&meant, r->names[j].name.text);
    for (size_t i = 0; is_part && (word = character_part_word(i)) != NULL; i++)
        nearest_try(&meant, word);
    return refuse_word(r, text, &meant, where,
                       is_part ? "a joint, or a part that names of joints tell" : "a joint");
}

/* A joint by its name, or by the number of its node. */
static pm_status take_joint(reader *r, const json_t *value, const char *where, uint32_t *joint) {
    const char *text = json_string_value(value);
    const json_int_t number = json_integer_value(value);
    size_t first = 0;
    if (json_is_integer(value)) {
        if (number < 0 || (uint64_t)number >= r->c->content->node_count ||
            r->c->joint_of[number] == UINT32_MAX)
            return refuse(r, value, where, "the number of a node that is a joint");
        *joint = r->c->joint_of[number];
        return PM_OK;
    }
    if (!text)
        return refuse(r, value, where, "the name of a joint, or the number of its node");
    const size_t count = count_named(r, text, &first);
    if (count > 1)
        return motion_refuse(r->error,
                             "%s is '%s', as nodes %u and %u are named; expected one of their "
                             "numbers",
                             where, MOTION_SHOWN(text, strlen(text)), r->names[first].index,
                             r->names[first + 1].index);
    if (count == 0)
        return refuse_name(r, text, where, false);
    *joint = r->c->joint_of[r->names[first].index];
    return PM_OK;
}

static pm_status take_part(reader *r, const json_t *value, const char *where) {
    const char *text = json_string_value(value);
    if (!text)
        return refuse(r, value, where, "a part, such as \"left arm\"");
    return character_mark_part(r->c, &r->parts, text, r->parts.marked)
               ? PM_OK
               : refuse_name(r, text, where, true);
}

/* A joint, or a part where no joint has its name. */
static pm_status take_either(reader *r, const json_t *value, const char *where) {
    const char *text = json_string_value(value);
    size_t first = 0;
    uint32_t joint = 0;
    const bool is_joint = !text || count_named(r, text, &first) > 0;
    const bool is_part = text && character_mark_part(r->c, &r->parts, text, r->parts.marked);
    if (is_joint && is_part)
        return refuse(r, value, where,
                      "{\"joint\": NAME} or {\"part\": NAME}, because a joint and a part have it");
    if (!is_joint)
        return is_part ? PM_OK : refuse_name(r, text, where, true);
    MOTION_TRY(take_joint(r, value, where, &joint));
    r->parts.marked[joint] = true;
    return PM_OK;
}

/* Marks the joints of an entry, and finds its weight, which only masks have. */
static pm_status take_entry(reader *r, json_t *entry, const char *where, bool has_weight,
                            float *weight) {
    static const char *const keys[] = {"joint", "part", "below", "weight", NULL};
    static const char *const plain[] = {"joint", "part", "below", NULL};
    json_t *of[4];
    uint32_t joint = 0;
    memset(r->parts.marked, 0, r->c->joint_count * sizeof *r->parts.marked);
    *weight = 1;
    if (!json_is_object(entry))
        return take_either(r, entry, where);
    MOTION_TRY(check_members(r, entry, where, has_weight ? keys : plain));
    for (size_t i = 0; i < 4; i++)
        of[i] = json_object_get(entry, keys[i]);
    if ((of[0] != NULL) + (of[1] != NULL) + (of[2] != NULL) != 1)
        return refuse(r, entry, where, "one of joint, part and below");
    const size_t which = of[0] ? 0 : of[1] ? 1 : 2;
    if (of[3])
        MOTION_TRY(take_number(r, of[3], at("%s.weight", where).text, 0, false, 1, weight));
    if (which == 1)
        return take_part(r, of[1], at("%s.%s", where, keys[which]).text);
    MOTION_TRY(take_joint(r, of[which], at("%s.%s", where, keys[which]).text, &joint));
    if (which == 2)
        character_mark_below(r->c, &r->parts, r->c->nodes[joint], r->parts.marked);
    r->parts.marked[joint] = true;
    return PM_OK;
}

/* ---- masks, subsets and radii -------------------------------------------------------------- */

static pm_status add_mask(reader *r, json_t *object, const char *where, size_t index) {
    static const char *const keys[] = {"name", "joints", NULL};
    const json_t *list = json_object_get(object, "joints");
    float *mask = r->masks + index * r->c->joint_count, weight = 1;
    MOTION_TRY(check_members(r, object, where, keys));
    MOTION_TRY(check_list(r, list, at("%s.joints", where).text, 1, UINT16_MAX));
    for (size_t i = 0; i < json_array_size(list); i++) {
        MOTION_TRY(take_entry(r, json_array_get(list, i), at("%s.joints[%zu]", where, i).text, true,
                              &weight));
        for (size_t j = 0; j < r->c->joint_count; j++)
            mask[j] = r->parts.marked[j] ? weight : mask[j];
    }
    return PM_OK;
}

static pm_status add_subset(reader *r, json_t *object, const char *where, size_t index) {
    static const char *const keys[] = {"name", "joints", NULL};
    const json_t *list = json_object_get(object, "joints");
    const size_t joints = r->c->joint_count;
    uint32_t *numbers = motion_allocate(&r->c->arena, joints, sizeof *numbers);
    bool *taken = motion_allocate(&r->c->arena, joints, sizeof *taken);
    size_t count = 0;
    float weight = 1;
    MOTION_TRY_MEMORY(numbers && taken, r->error);
    MOTION_TRY(check_members(r, object, where, keys));
    MOTION_TRY(check_list(r, list, at("%s.joints", where).text, 1, UINT16_MAX));
    for (size_t i = 0; i < json_array_size(list); i++) {
        MOTION_TRY(take_entry(r, json_array_get(list, i), at("%s.joints[%zu]", where, i).text,
                              false, &weight));
        for (uint32_t j = 0; j < joints; j++) {
            if (r->parts.marked[j] && taken[j])
                return refuse(r, json_array_get(list, i), at("%s.joints[%zu]", where, i).text,
                              "joints that none before has");
            if (r->parts.marked[j])
                numbers[count++] = j;
            taken[j] |= r->parts.marked[j];
        }
    }
    r->subsets[index] = (pm_subset){.joints = numbers, .joint_count = count};
    return PM_OK;
}

static pm_status add_radius(reader *r, json_t *object, const char *where, size_t index) {
    static const char *const keys[] = {"joint", "radius", NULL};
    uint32_t joint = 0;
    (void)index;
    MOTION_TRY(check_members(r, object, where, keys));
    MOTION_TRY(take_joint(r, json_object_get(object, "joint"), at("%s.joint", where).text, &joint));
    if (r->parts.marked[joint])
        return refuse(r, json_object_get(object, "joint"), at("%s.joint", where).text,
                      "a joint that none before is");
    r->parts.marked[joint] = true;
    return take_number(r, json_object_get(object, "radius"), at("%s.radius", where).text, 0, false,
                       largest, &r->radii[joint]);
}

/* ---- chains -------------------------------------------------------------------------------- */

static const char *const poles[] = {"point", "direction", NULL};

static pm_status take_chain_joints(reader *r, const json_t *list, const char *where,
                                   pm_chain *chain) {
    static const size_t least[] = {3, 1, 1}, most[] = {3, 8, 1};
    MOTION_TRY(check_list(r, list, where, least[chain->kind], most[chain->kind]));
    chain->joint_count = json_array_size(list);
    uint32_t *joints = motion_allocate(&r->c->arena, chain->joint_count, sizeof *joints);
    MOTION_TRY_MEMORY(joints, r->error);
    chain->joints = joints;
    for (size_t i = 0; i < chain->joint_count; i++) {
        MOTION_TRY(
            take_joint(r, json_array_get(list, i), at("%s[%zu]", where, i).text, &joints[i]));
        int32_t n = r->c->content->nodes[r->c->nodes[joints[i]]].parent;
        while (i > 0 && n >= 0 && n != (int32_t)r->c->nodes[joints[i - 1]])
            n = r->c->content->nodes[n].parent;
        if (i > 0 && n < 0)
            return refuse(r, json_array_get(list, i), at("%s[%zu]", where, i).text,
                          "a joint below the one before it");
    }
    return PM_OK;
}

static pm_status take_shares(reader *r, const json_t *list, const char *where, pm_chain *chain) {
    float *shares = motion_allocate(&r->c->arena, chain->joint_count, sizeof *shares);
    MOTION_TRY_MEMORY(shares, r->error);
    chain->shares = shares;
    MOTION_TRY(take_numbers(r, list, where, 0, chain->joint_count, shares));
    return shares[chain->joint_count - 1] > 0 ? PM_OK
                                              : refuse(r, list, where, "a last one above 0");
}

static pm_status take_axis(reader *r, json_t *object, const char *where, const char *key,
                           float axis[3]) {
    const json_t *list = json_object_get(object, key);
    MOTION_TRY(take_numbers(r, list, at("%s.%s", where, key).text, -largest, 3, axis));
    return fabsf(axis[0]) + fabsf(axis[1]) + fabsf(axis[2]) > 1e-6f
               ? PM_OK
               : refuse(r, list, at("%s.%s", where, key).text, "a direction");
}

static pm_status take_chain_numbers(reader *r, json_t *object, const char *where, pm_chain *chain) {
    const json_t *shares = json_object_get(object, "shares");
    const json_t *limit = json_object_get(object, "limit");
    const bool is_aim = chain->kind == PM_CHAIN_AIM;
    if (is_aim || json_object_get(object, "axis"))
        MOTION_TRY(take_axis(r, object, where, "axis", chain->axis));
    if (is_aim)
        MOTION_TRY(take_axis(r, object, where, "forward", chain->forward));
    if (shares)
        MOTION_TRY(take_shares(r, shares, at("%s.shares", where).text, chain));
    return limit ? take_number(r, limit, at("%s.limit", where).text, 0, true,
                               is_aim ? largest_turn : 0.999999, &chain->limit)
                 : PM_OK;
}

static pm_status add_chain(reader *r, json_t *object, const char *where, size_t index) {
    static const char *const keys[][9] = {
        {"name", "kind", "joints", "axis", "limit", "pole", NULL},
        {"name", "kind", "joints", "axis", "forward", "shares", "limit", "pole", NULL},
        {"name", "kind", "joints", NULL}};
    const json_t *pole = json_object_get(object, "pole");
    pm_chain *chain = &r->chains[index];
    size_t which = 0;
    MOTION_TRY(choose(r, json_object_get(object, "kind"), at("%s.kind", where).text,
                      character_kind_names, &which));
    MOTION_TRY(check_members(r, object, where, keys[which]));
    chain->kind = (pm_chain_kind)which;
    which = 0;
    if (pole)
        MOTION_TRY(choose(r, pole, at("%s.pole", where).text, poles, &which));
    r->flags[index] = which == 1 ? PM_CHAIN_POLE_DIRECTION : 0;
    MOTION_TRY(take_chain_joints(r, json_object_get(object, "joints"), at("%s.joints", where).text,
                                 chain));
    return take_chain_numbers(r, object, where, chain);
}

/* ---- the whole ----------------------------------------------------------------------------- */

typedef pm_status entry_taker(reader *r, json_t *object, const char *where, size_t index);

/* The objects of a member of the file. `names` NULL: they have none. */
static pm_status take_objects(reader *r, json_t *root, const char *key, entry_taker *take,
                              const char **names) {
    const json_t *list = json_object_get(root, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *object = json_array_get(list, i);
        const place here = at("%s[%zu]", key, i);
        if (!json_is_object(object))
            return refuse(r, object, here.text, "an object");
        if (names)
            MOTION_TRY(take_name(r, json_object_get(object, "name"), at("%s.name", here.text).text,
                                 names, i));
        MOTION_TRY(take(r, object, here.text, i));
    }
    return PM_OK;
}

/* Checks a list of the file, and gives room for names. */
static pm_status begin_list(reader *r, json_t *root, const char *key, size_t most, size_t *count,
                            const char ***names) {
    const json_t *list = json_object_get(root, key);
    if (list)
        MOTION_TRY(check_list(r, list, key, 0, most));
    *count = json_array_size(list);
    *names = motion_allocate(&r->c->arena, *count, sizeof **names);
    MOTION_TRY_MEMORY(*names, r->error);
    return PM_OK;
}

static pm_status take_file(reader *r, json_t *root) {
    static const char *const keys[] = {"masks", "subsets", "chains", "radii", NULL};
    pm_skeleton_desc *desc = &r->c->made.skeleton;
    motion_arena *arena = &r->c->arena;
    const size_t joints = r->c->joint_count;
    const char **masks, **subsets, **chains, **radii;
    size_t radius_count = 0;
    MOTION_TRY(check_members(r, root, "the file", keys));
    MOTION_TRY(begin_list(r, root, "masks", MOST, &desc->mask_count, &masks));
    MOTION_TRY(begin_list(r, root, "subsets", MOST, &desc->subset_count, &subsets));
    MOTION_TRY(begin_list(r, root, "chains", MOST, &desc->chain_count, &chains));
    MOTION_TRY(begin_list(r, root, "radii", joints, &radius_count, &radii));
    r->masks = motion_allocate(arena, desc->mask_count * joints, sizeof *r->masks);
    r->subsets = motion_allocate(arena, desc->subset_count, sizeof *r->subsets);
    r->chains = motion_allocate(arena, desc->chain_count, sizeof *r->chains);
    r->flags = motion_allocate(arena, desc->chain_count, sizeof *r->flags);
    r->radii = motion_allocate(arena, joints, sizeof *r->radii);
    MOTION_TRY_MEMORY(r->masks && r->subsets && r->chains && r->flags && r->radii, r->error);
    if (desc->radii)
        memcpy(r->radii, desc->radii, joints * sizeof *r->radii);
    MOTION_TRY(take_objects(r, root, "masks", add_mask, masks));
    MOTION_TRY(take_objects(r, root, "subsets", add_subset, subsets));
    MOTION_TRY(take_objects(r, root, "chains", add_chain, chains));
    memset(r->parts.marked, 0, joints * sizeof *r->parts.marked);
    MOTION_TRY(take_objects(r, root, "radii", add_radius, NULL));
    desc->masks = desc->mask_count > 0 ? r->masks : NULL;
    desc->subsets = desc->subset_count > 0 ? r->subsets : NULL;
    desc->chains = desc->chain_count > 0 ? r->chains : NULL;
    desc->radii = desc->radii || radius_count > 0 ? r->radii : NULL;
    r->c->made.mask_names = masks;
    r->c->made.subset_names = subsets;
    r->c->made.chain_names = chains;
    r->c->made.chain_flags = r->flags;
    return PM_OK;
}

static pm_status begin(reader *r) {
    r->names = character_sort_names(r->c->content, r->c->nodes, r->c->joint_count, &r->c->arena);
    MOTION_TRY_MEMORY(r->names, r->error);
    return character_find_parts(r->c, &r->parts, r->error);
}

pm_status character_take_text(character *c, const char *text, size_t size, pm_error *error) {
    reader r = {.c = c, .error = error};
    char problem[MOTION_PRINTABLE];
    json_error_t found;
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    if (text_json_is_deep(text, size))
        return motion_refuse(error, "values are nested too deep");
    json_auto_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &found);
    if (!root && json_error_code(&found) == json_error_out_of_memory)
        return motion_refuse_memory(error);
    if (!root)
        return motion_refuse(error, "line %d: %s", found.line,
                             motion_printable(problem, found.text, strlen(found.text)));
    MOTION_TRY(begin(&r));
    MOTION_TRY(take_file(&r, root));
    const pm_status status = pm_skeleton_create(&c->made.skeleton, &skeleton, error);
    if (error && status == PM_ERROR_ARGUMENT)
        error->status = PM_ERROR_FILE;
    return status == PM_ERROR_ARGUMENT ? PM_ERROR_FILE : status;
}

pm_status character_take_file(character *c, const char *path, pm_error *error) {
    char reason[INPUT_REASON_SIZE] = "";
    FREED char *text = NULL;
    size_t size = 0;
    if (!input_read_beside(path, NULL, FILE_MAX, &text, &size, reason))
        return motion_fail_at(error, errno == ENOMEM ? PM_ERROR_MEMORY : PM_ERROR_FILE, path, NULL,
                              "%s", reason);
    return motion_name_failure(character_take_text(c, text, size, error), path, error);
}
