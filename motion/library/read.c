/* SPDX-License-Identifier: MIT
 *
 * Finds the content of a library in the arrays of its file. Numbers stay in the mapped file; names,
 * motions and angles in steps are converted.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/library/library.h"

#define LARGEST_STEP 1e33 /* so that angles fit float32; keys have magnitudes up to 1e37 */
#define EXTRAS "extras/"

/* What is read, and the first failure, after which nothing is read any more. */
typedef struct reader {
    library_part *part;
    const array_file *from;
    pm_status status;
    pm_error *error;
} reader;

static bool is_good(const reader *r) {
    return r->status == PM_OK;
}

static const file_array *find(reader *r, const char *name, const char *type, size_t rank,
                              const size_t *shape) {
    const file_array *found = NULL;
    if (is_good(r))
        r->status = array_file_want(r->from, name, type, rank, shape, &found, r->error);
    return is_good(r) ? found : NULL;
}

/* The numbers of an array (rows, width) or (rows); NULL after a failure. */
static const void *numbers(reader *r, const char *name, const char *type, size_t rows,
                           size_t width) {
    const file_array *found = find(r, name, type, width ? 2 : 1, (const size_t[]){rows, width});
    return found ? found->data : NULL;
}

static void *allocate(reader *r, size_t count, size_t size) {
    void *memory = is_good(r) ? motion_allocate(&r->part->file.arena, count, size) : NULL;
    if (is_good(r) && !memory)
        r->status = motion_refuse_memory(r->error);
    return memory;
}

/* A struct of `size` for each text of an array; it begins with the text, and the rest is 0. */
static void *texts(reader *r, const char *name, size_t size, size_t *count) {
    static const size_t any[] = {ARRAY_ANY};
    char bytes_name[64], ends_name[64];
    snprintf(bytes_name, sizeof bytes_name, "%s_bytes", name);
    snprintf(ends_name, sizeof ends_name, "%s_ends", name);
    const file_array *bytes = find(r, bytes_name, "|u1", 1, any);
    const file_array *ends = find(r, ends_name, "<u8", 1, any);
    *count = ends ? ends->header.shape[0] : 0;
    char *structs = allocate(r, *count, size);
    char *out = allocate(r, (bytes ? bytes->bytes : 0) + *count, 1);
    uint64_t begin = 0;
    for (size_t i = 0; is_good(r) && i < *count; i++) {
        const uint64_t end = ((const uint64_t *)ends->data)[i];
        if (end < begin || end > bytes->bytes)
            break;
        const pm_motion_name text = {out, (size_t)(end - begin)};
        memcpy(structs + i * size, &text, sizeof text);
        memcpy(out, (const char *)bytes->data + begin, text.size);
        out += text.size + 1;
        begin = end;
    }
    if (is_good(r) && *count > 0 &&
        (begin != bytes->bytes || begin != ((const uint64_t *)ends->data)[*count - 1]))
        r->status =
            motion_refuse(r->error, "%s: does not ascend to the end of %s", ends_name, bytes_name);
    return is_good(r) ? structs : NULL;
}

static bool find_method(const char *word, pm_method *method) {
    for (size_t m = 0; word && m < pm_method_count(); m++)
        if (strcmp(pm_method_get_info((pm_method)m)->name, word) == 0) {
            *method = (pm_method)m;
            return true;
        }
    return false;
}

static bool find_key_format(const char *word, pm_key_format *format) {
    for (int k = 0; word && library_key_word((pm_key_format)k); k++)
        if (strcmp(library_key_word((pm_key_format)k), word) == 0) {
            *format = (pm_key_format)k;
            return true;
        }
    return false;
}

static pm_status refuse_version(const json_t *version, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    FREED char *text = json_dumps(version, JSON_ENCODE_ANY);
    motion_printable(shown, text ? text : "none", text ? strlen(text) : 4);
    return motion_refuse(error, "has version %s, expected %d", shown, LIBRARY_VERSION);
}

static pm_status read_about(json_t *about, pm_library_content *c, pm_error *error) {
    const char *format = json_string_value(json_object_get(about, "format"));
    const json_t *version = json_object_get(about, "version");
    if (!format || strcmp(format, LIBRARY_FORMAT) != 0)
        return motion_refuse(error, "is no motion library");
    if (!json_is_integer(version) || json_integer_value(version) != LIBRARY_VERSION)
        return refuse_version(version, error);
    if (!find_method(json_string_value(json_object_get(about, "method")), &c->method) ||
        !find_key_format(json_string_value(json_object_get(about, "keys")), &c->key_format))
        return motion_refuse(error, "format: expected the names of a method and of a key format");
    return PM_OK;
}

static void read_format(reader *r) {
    static const size_t any[] = {ARRAY_ANY};
    const file_array *text = find(r, "format", "|u1", 1, any);
    json_t *about = text ? json_loadb(text->data, text->bytes, 0, NULL) : NULL;
    if (text && !about)
        r->status = motion_refuse(r->error, "format: is damaged: it is no JSON");
    if (about)
        r->status = read_about(about, &r->part->content, r->error);
    json_decref(about);
}

static const uint32_t *indices(reader *r, const char *name, size_t *count) {
    static const size_t any[] = {ARRAY_ANY};
    const file_array *found = find(r, name, "<u4", 1, any);
    *count = found ? found->header.shape[0] : 0;
    return found ? found->data : NULL;
}

static void read_skeleton(reader *r) {
    pm_library_content *c = &r->part->content;
    size_t names = 0;
    c->joint_names = texts(r, "skeleton/name", sizeof *c->joint_names, &c->joint_count);
    const size_t joints = c->joint_count;
    c->parents = numbers(r, "skeleton/parents", "<i4", joints, 0);
    c->rotations = numbers(r, "skeleton/rotations", "<f8", joints, 4);
    c->positions = numbers(r, "skeleton/positions", "<f8", joints, 3);
    if (array_file_find(r->from, "skeleton/points"))
        c->points = numbers(r, "skeleton/points", "<f4", joints, 3);
    if (array_file_find(r->from, "skeleton/axes")) {
        c->axes = numbers(r, "skeleton/axes", "<f8", joints, 3);
        c->references = numbers(r, "skeleton/references", "<f8", joints, 0);
        c->hinges = indices(r, "skeleton/hinges", &c->hinge_count);
        c->hinge_names = texts(r, "skeleton/hinge_name", sizeof *c->hinge_names, &names);
        if (is_good(r) && names != c->hinge_count)
            r->status =
                motion_refuse(r->error, "skeleton/hinges: are not the joints that have an axis");
    }
    if (array_file_find(r->from, "skeleton/coordinates")) {
        c->coordinates = indices(r, "skeleton/coordinates", &c->coordinate_count);
        c->coordinate_names =
            texts(r, "skeleton/coordinate_name", sizeof *c->coordinate_names, &names);
        if (is_good(r) && names != c->coordinate_count)
            r->status = motion_refuse(r->error, "skeleton/coordinates: each has a name");
    }
    c->bodies = indices(r, "skeleton/bodies", &c->body_count);
    c->dofs = indices(r, "skeleton/dofs", &c->dof_count);
}

static void read_motions(reader *r) {
    pm_library_content *c = &r->part->content;
    pm_library_motion *motions = texts(r, "motions/name", sizeof *motions, &c->motion_count);
    const size_t count = c->motion_count;
    const uint64_t *first = numbers(r, "motions/first", "<u8", count, 0);
    const uint64_t *frames = numbers(r, "motions/frames", "<u8", count, 0);
    const int64_t *num = numbers(r, "motions/rate_num", "<i8", count, 0);
    const int64_t *den = numbers(r, "motions/rate_den", "<i8", count, 0);
    const double *weight = numbers(r, "motions/weight", "<f8", count, 0);
    const double *loop = numbers(r, "motions/loop", "<f8", count, 0);
    for (size_t i = 0; is_good(r) && i < count; i++) {
        motions[i].first = first[i];
        motions[i].frames = frames[i];
        motions[i].rate = (pm_rational){num[i], den[i]};
        motions[i].weight = weight[i];
        motions[i].loop = loop[i];
    }
    c->motions = motions;
}

/* The root's, or those of all joints. */
static void read_positions(reader *r) {
    pm_library_content *c = &r->part->content;
    size_t count = 0;
    const uint32_t *joints = indices(r, "pos_joints", &count);
    bool good = is_good(r) && (count == c->joint_count || count == 1);
    for (size_t j = 0; good && j < count && count == c->joint_count && count > 1; j++)
        good = joints[j] == j;
    if (is_good(r) && (!good || (count == 1 && joints[0] != library_root(c))))
        r->status =
            motion_refuse(r->error, "pos_joints: expected the first root, or all joints in order");
    const size_t shape[] = {(size_t)c->row_count, count, 3};
    const file_array *found = find(r, "pos", "<f4", 3, shape);
    c->key_positions = found ? found->data : NULL;
    c->position_count = count;
}

/* Angles in steps become float32. */
static void read_angles(reader *r) {
    pm_library_content *c = &r->part->content;
    const size_t rows = (size_t)c->row_count, hinges = c->hinge_count;
    if (!array_file_find(r->from, "dof_scale")) {
        c->angles = numbers(r, "dof", "<f4", rows, hinges);
        return;
    }
    const int16_t *codes = numbers(r, "dof", "<i2", rows, hinges);
    const double *steps = numbers(r, "dof_scale", "<f8", hinges, 0);
    float *angles = allocate(r, rows, hinges * sizeof *angles);
    for (size_t h = 0; is_good(r) && h < hinges; h++)
        if (!(steps[h] > 0 && steps[h] < LARGEST_STEP))
            r->status =
                motion_refuse(r->error, "dof_scale: expected numbers above 0 and below 1e+33");
    for (size_t i = 0; is_good(r) && i < rows * hinges; i++)
        angles[i] = (float)(codes[i] * steps[i % hinges]);
    c->angles = angles;
}

/* Of all joints, as numbers or as codes of the key format. */
static const file_array *read_rotations(reader *r) {
    pm_library_content *c = &r->part->content;
    const size_t words = pm_keys_row_bytes(c->key_format, c->joint_count) / sizeof(int16_t);
    const size_t of_all[] = {ARRAY_ANY, c->joint_count, 4}, of_codes[] = {ARRAY_ANY, words};
    const file_array *given = array_file_find(r->from, "rot");
    if (words > 0 && given && strcmp(given->header.type, "<i2") == 0) {
        given = find(r, "rot", "<i2", 2, of_codes);
        c->key_codes = given ? given->data : NULL;
        return given;
    }
    given = find(r, "rot", "<f4", 3, of_all);
    c->key_rotations = given ? given->data : NULL;
    return given;
}

static void read_rows(reader *r) {
    pm_library_content *c = &r->part->content;
    const bool is_robot = c->hinge_count > 0;
    const bool has_balls = is_good(r) && library_ball(c) < c->coordinate_count;
    const size_t of_root[] = {ARRAY_ANY, 4};
    const file_array *turns =
        is_robot && !has_balls ? find(r, "root_rot", "<f4", 2, of_root) : read_rotations(r);
    c->row_count = turns ? turns->header.shape[0] : 0;
    if (!turns)
        return;
    if (is_robot && !has_balls)
        c->root_rotations = turns->data;
    if (!is_robot) {
        read_positions(r);
        return;
    }
    c->key_positions = numbers(r, "root_pos", "<f4", (size_t)c->row_count, 3);
    c->position_count = 1;
    read_angles(r);
}

static void read_extras(reader *r) {
    pm_library_content *c = &r->part->content;
    const size_t prefix = strlen(EXTRAS);
    pm_library_extra *extras = allocate(r, r->from->count, sizeof *extras);
    for (size_t i = 0; is_good(r) && i < r->from->count; i++) {
        const file_array *a = &r->from->arrays[i];
        if (a->name.size < prefix || memcmp(a->name.text, EXTRAS, prefix) != 0)
            continue;
        pm_library_extra *e = &extras[c->extra_count++];
        *e = (pm_library_extra){.name = {a->name.text + prefix, a->name.size - prefix},
                                .rank = a->header.rank,
                                .data = a->data};
        snprintf(e->type, sizeof e->type, "%.7s", a->header.type);
        memcpy(e->shape, a->header.shape, sizeof e->shape);
    }
    c->extras = extras;
}

pm_status library_read(library_part *part, pm_error *error) {
    reader r = {.part = part, .from = &part->file, .status = PM_OK, .error = error};
    read_format(&r);
    read_skeleton(&r);
    if (is_good(&r) && part->content.joint_count == 0)
        return motion_refuse(error, "skeleton: has no joints");
    read_motions(&r);
    read_rows(&r);
    read_extras(&r);
    return is_good(&r) ? library_check(&part->content, error) : r.status;
}
