/* SPDX-License-Identifier: MIT
 *
 * The layout of an archive: by its members, by name, or from JSON. The header describes the form;
 * whatever is not of the form is refused by its place.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "motion/files/input.h"
#include "motion/npz/npz_layout.h"
#include "motion/text/text.h"

enum { MAX_FIELDS = 1024 };

/* A layout in the making. */
typedef struct builder {
    const char *path;
    motion_arena *arena;
    npz_field *fields;
    size_t count;
    const npz_layout *base; /* that is extended. NULL: none */
    pm_error *error;
} builder;

static pm_status refuse(const builder *b, const char *place, size_t index, const char *expected) {
    return motion_refuse(b->error, "layout '%s': /%s/%zu: expected %s",
                         MOTION_SHOWN(b->path, strlen(b->path)), place, index, expected);
}

static bool is_named(const builder *b, const char *member) {
    for (size_t i = 0; i < b->count; i++)
        if (strcmp(b->fields[i].member, member) == 0)
            return true;
    return false;
}

/* Adds the member that a JSON string names. */
static pm_status add(builder *b, const json_t *name, npz_role role, const char *of,
                     const char *place, size_t index) {
    const char *text = json_string_value(name);
    if (!text || json_string_length(name) == 0 || strlen(text) != json_string_length(name))
        return refuse(b, place, index, "the name of a member");
    if (b->count == MAX_FIELDS)
        return refuse(b, place, index, "at most 1024 members");
    if (is_named(b, text))
        return refuse(b, place, index, "a member that was not named before");
    char *copy = motion_copy_text(b->arena, text, strlen(text));
    MOTION_TRY_MEMORY(copy, b->error);
    b->fields[b->count++] = (npz_field){copy, role, of, NULL};
    return PM_OK;
}

static pm_status add_list(builder *b, const json_t *list, const char *place, npz_role role,
                          const char *of) {
    if (list && !json_is_array(list))
        return refuse(b, place, 0, "a list");
    for (size_t i = 0; i < json_array_size(list); i++)
        MOTION_TRY(add(b, json_array_get(list, i), role, of, place, i));
    return PM_OK;
}

static pm_status add_rotation(builder *b, json_t *entry, size_t index) {
    static const char *const forms[] = {"axis-angle", "quaternion-xyzw", "quaternion-wxyz"};
    static const npz_role roles[] = {NPZ_AXIS_ANGLE, NPZ_XYZW, NPZ_WXYZ};
    const char *form = json_string_value(json_object_get(entry, "as"));
    const json_t *parts = json_object_get(entry, "parts");
    size_t i = 0;
    while (i < 3 && !(form && strcmp(form, forms[i]) == 0))
        i++;
    if (i == 3)
        return refuse(b, "rotations", index,
                      "\"as\": \"axis-angle\", \"quaternion-xyzw\" or \"quaternion-wxyz\"");
    if (parts && roles[i] != NPZ_AXIS_ANGLE)
        return refuse(b, "rotations", index, "\"parts\" only with \"axis-angle\"");
    if (json_object_size(entry) != (parts ? 3 : 2))
        return refuse(b, "rotations", index, "only \"member\", \"as\" and \"parts\"");
    pm_status status = add(b, json_object_get(entry, "member"), roles[i], NULL, "rotations", index);
    const char *whole = status == PM_OK ? b->fields[b->count - 1].member : NULL;
    return status == PM_OK ? add_list(b, parts, "rotations", NPZ_PART, whole) : status;
}

/* The name of the field that a velocity is `of`. */
static const char *find_source(const builder *b, const char *name) {
    for (size_t i = 0; name && i < b->count; i++) {
        const npz_role role = b->fields[i].role;
        if (strcmp(b->fields[i].member, name) == 0 &&
            (npz_is_rotation(role) || role == NPZ_VECTOR || role == NPZ_SCALAR))
            return b->fields[i].member;
    }
    return NULL;
}

static pm_status add_velocity(builder *b, json_t *entry, size_t index) {
    const char *of = find_source(b, json_string_value(json_object_get(entry, "of")));
    if (!of || json_object_size(entry) != 2)
        return refuse(b, "velocities", index,
                      "\"member\" and \"of\", a member of rotations, vectors or scalars");
    return add(b, json_object_get(entry, "member"), NPZ_VELOCITY, of, "velocities", index);
}

static pm_status add_objects(builder *b, const json_t *list, const char *place,
                             pm_status (*add_one)(builder *, json_t *, size_t)) {
    if (list && !json_is_array(list))
        return refuse(b, place, 0, "a list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *entry = json_array_get(list, i);
        MOTION_TRY(json_is_object(entry) ? add_one(b, entry, i)
                                         : refuse(b, place, i, "an object with \"member\""));
    }
    return PM_OK;
}

static pm_status check_keys(const builder *b, json_t *root) {
    static const char *const keys[] = {"name",       "rotations", "vectors",   "scalars",
                                       "velocities", "rates",     "constants", "extends"};
    size_t known = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        known += json_object_get(root, keys[i]) != NULL;
    if (!json_is_object(root) || known != json_object_size(root))
        return refuse(b, "", 0,
                      "an object with only name, rotations, vectors, scalars, velocities, rates, "
                      "constants and extends");
    char names[NPZ_LAYOUT_LIST], expected[NPZ_LAYOUT_LIST + 8];
    snprintf(expected, sizeof expected, "one of %s", npz_layout_names(names));
    if (json_object_get(root, "extends") && !b->base)
        return refuse(b, "extends", 0, expected);
    return b->base || json_array_size(json_object_get(root, "rotations")) > 0
               ? PM_OK
               : refuse(b, "rotations", 0, "at least one member");
}

/* Vectors and scalars stand before the velocities that refer to them. */
static pm_status build(builder *b, json_t *root) {
    static const struct {
        const char *key;
        npz_role role;
        pm_status (*add_one)(builder *, json_t *, size_t); /* NULL: names alone */
    } lists[] = {{"rotations", NPZ_QUATERNION, add_rotation},
                 {"vectors", NPZ_VECTOR, NULL},
                 {"scalars", NPZ_SCALAR, NULL},
                 {"velocities", NPZ_VELOCITY, add_velocity},
                 {"rates", NPZ_RATE, NULL},
                 {"constants", NPZ_CONSTANT, NULL}};
    MOTION_TRY(check_keys(b, root));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const json_t *list = json_object_get(root, lists[i].key);
        MOTION_TRY(lists[i].add_one ? add_objects(b, list, lists[i].key, lists[i].add_one)
                                    : add_list(b, list, lists[i].key, lists[i].role, NULL));
    }
    return PM_OK;
}

/* Adds the members of the layout that is extended, but for those that were named. */
static pm_status add_base(builder *b) {
    for (size_t i = 0; b->base && i < b->base->count; i++) {
        if (is_named(b, b->base->fields[i].member))
            continue;
        if (b->count == MAX_FIELDS)
            return refuse(b, "extends", 0, "at most 1024 members");
        b->fields[b->count++] = b->base->fields[i];
    }
    return PM_OK;
}

static pm_status build_layout(builder *b, json_t *root, npz_layout *layout) {
    const json_t *given = json_object_get(root, "name");
    const char *name = json_is_string(given) ? json_string_value(given) : b->path;
    const char *extends = json_string_value(json_object_get(root, "extends"));
    char *copy = motion_copy_text(b->arena, name, strlen(name));
    b->fields = motion_allocate(b->arena, MAX_FIELDS, sizeof *b->fields);
    MOTION_TRY_MEMORY(copy && b->fields, b->error);
    b->base = extends ? npz_layout_named(extends) : NULL;
    pm_status status = build(b, root);
    if (status == PM_OK)
        status = add_base(b);
    *layout = (npz_layout){.name = copy, .fields = b->fields, .count = b->count};
    if (b->base) {
        layout->rate = b->base->rate;
        layout->frame = b->base->frame;
        layout->order = b->base->order;
        layout->unit_mm = b->base->unit_mm;
        layout->up = b->base->up;
    }
    return status;
}

pm_status npz_parse_layout(const char *text, size_t size, const char *path, motion_arena *arena,
                           npz_layout *layout, pm_error *error) {
    builder b = {.path = path, .arena = arena, .error = error};
    char shown[MOTION_PRINTABLE], problem[MOTION_PRINTABLE];
    json_error_t found;
    motion_printable(shown, path, strlen(path));
    if (text_json_is_deep(text, size))
        return motion_refuse(error, "layout '%s': values are nested too deep", shown);
    json_auto_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &found);
    if (!root)
        return motion_refuse(error, "layout '%s': line %d: %s", shown, found.line,
                             motion_printable(problem, found.text, strlen(found.text)));
    return build_layout(&b, root, layout);
}

static pm_status read_layout(const char *path, motion_arena *arena, npz_layout *layout,
                             pm_error *error) {
    char reason[INPUT_REASON_SIZE] = "", shown[MOTION_PRINTABLE], names[NPZ_LAYOUT_LIST];
    FREED char *text = NULL;
    size_t size = 0;
    if (!input_read_beside(path, NULL, INPUT_BESIDE_MAX, &text, &size, reason))
        return motion_refuse(error, "layout '%s' %s; expected %s or a JSON file",
                             motion_printable(shown, path, strlen(path)), reason,
                             npz_layout_names(names));
    return npz_parse_layout(text, size, path, arena, layout, error);
}

pm_status npz_choose_layout(const motion_input *input, const zip_archive *archive,
                            motion_arena *arena, npz_layout *layout, pm_error *error) {
    const char *name = input->options->layout;
    pm_status status = PM_OK;
    if (!name)
        return npz_find_layout(archive, layout, error);
    const npz_layout *row = npz_layout_named(name);
    if (row)
        *layout = *row;
    else
        status = read_layout(name, arena, layout, error);
    layout->is_given = true;
    if (status == PM_OK && npz_layout_score(layout, archive) == 0)
        return motion_refuse(error, "no member holds rotations of layout '%s'",
                             MOTION_SHOWN(name, strlen(name)));
    return status;
}
