/* SPDX-License-Identifier: MIT
 *
 * Writes content as the arrays of a file, in the order in which they have always been written: the
 * same content gives the same bytes. Rows that are not in one piece are those of spans.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/library/library.h"

enum { MOST_STEPS = 32767, BLOCK_ROWS = 1 << 14, MOST_ARRAYS = 40 };

static void add(library_arrays *a, const char *name, const char *type, size_t rank,
                const size_t *shape, const void *data) {
    file_array *to = &a->list[a->count++];
    *to = (file_array){.name = {name, strlen(name)}, .header = {.rank = rank}, .data = data};
    memcpy(to->header.shape, shape, rank * sizeof *shape);
    snprintf(to->header.type, sizeof to->header.type, "%s", type);
    (void)npy_bytes(&to->header, &to->bytes);
}

/* (rows, width), or (rows) with the width 0. */
static void add_rows(library_arrays *a, const char *name, const char *type, size_t rows,
                     size_t width, const void *data) {
    static const char none;
    add(a, name, type, width ? 2 : 1, (const size_t[]){rows, width}, data ? data : &none);
}

static bool add_texts(library_arrays *a, const char *bytes_name, const char *ends_name,
                      const pm_motion_name *names, size_t stride, size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += ((const pm_motion_name *)((const char *)names + i * stride))->size;
    char *bytes = motion_allocate(&a->arena, size, 1), *at = bytes;
    uint64_t *ends = motion_allocate(&a->arena, count, sizeof *ends);
    if (!bytes || !ends)
        return false;
    for (size_t i = 0; i < count; i++) {
        const pm_motion_name *name = (const pm_motion_name *)((const char *)names + i * stride);
        if (name->size)
            memcpy(at, name->text, name->size);
        at += name->size;
        ends[i] = (uint64_t)(at - bytes);
    }
    add_rows(a, bytes_name, "|u1", size, 0, bytes);
    add_rows(a, ends_name, "<u8", count, 0, ends);
    return true;
}

static bool add_format(library_arrays *a, const pm_library_content *c) {
    char *text = motion_allocate(&a->arena, 256, 1);
    if (!text)
        return false;
    const int size = snprintf(
        text, 256,
        "{\"format\": \"" LIBRARY_FORMAT "\", \"version\": %d, \"method\": \"%s\", "
        "\"keys\": \"%s\"}",
        LIBRARY_VERSION, pm_method_get_info(c->method)->name, library_key_word(c->key_format));
    add_rows(a, "format", "|u1", (size_t)size, 0, text);
    return true;
}

static bool add_motions(library_arrays *a, const pm_library_content *c) {
    static const char *const names[] = {"motions/first",    "motions/frames", "motions/rate_num",
                                        "motions/rate_den", "motions/weight", "motions/loop"};
    static const char *const types[] = {"<u8", "<u8", "<i8", "<i8", "<f8", "<f8"};
    const size_t offsets[] = {
        offsetof(pm_library_motion, first),    offsetof(pm_library_motion, frames),
        offsetof(pm_library_motion, rate.num), offsetof(pm_library_motion, rate.den),
        offsetof(pm_library_motion, weight),   offsetof(pm_library_motion, loop)};
    if (!add_texts(a, "motions/name_bytes", "motions/name_ends", &c->motions[0].name,
                   sizeof *c->motions, c->motion_count))
        return false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char *column = motion_allocate(&a->arena, c->motion_count, 8);
        if (!column)
            return false;
        for (size_t i = 0; i < c->motion_count; i++)
            memcpy(column + 8 * i, (const char *)&c->motions[i] + offsets[k], 8);
        add_rows(a, names[k], types[k], c->motion_count, 0, column);
    }
    return true;
}

/* Steps of each hinge: its largest angle / 32767. */
static void find_steps(const library_span *spans, size_t span_count, size_t hinges, double *steps) {
    for (size_t s = 0; s < span_count; s++) {
        const float *angles = spans[s].from->angles + hinges * spans[s].first;
        for (size_t i = 0; i < spans[s].count * hinges; i++)
            steps[i % hinges] = fmax(steps[i % hinges], fabs((double)angles[i]));
    }
    for (size_t h = 0; h < hinges; h++)
        steps[h] = steps[h] > 0 ? steps[h] / MOST_STEPS : 1;
}

/* They are found when the angles are known. */
static bool add_steps(library_arrays *a, const pm_library_content *c) {
    double *steps = motion_allocate(&a->arena, c->hinge_count, sizeof *steps);
    a->steps = steps;
    if (steps)
        add_rows(a, "dof_scale", "<f8", c->hinge_count, 0, steps);
    return steps != NULL;
}

/* Of all joints, as numbers or as codes. */
static void add_rotations(library_arrays *a, const pm_library_content *c, bool coded) {
    const size_t rows = (size_t)c->row_count;
    if (coded || c->key_codes)
        add(a, "rot", "<i2", 2,
            (const size_t[]){rows, pm_keys_row_bytes(c->key_format, c->joint_count) / 2},
            c->key_codes);
    else
        add(a, "rot", "<f4", 3, (const size_t[]){rows, c->joint_count, 4}, c->key_rotations);
}

static bool add_keys(library_arrays *a, const pm_library_content *c,
                     const pm_library_write_options *options) {
    const bool short_angles = options->short_angles;
    const size_t rows = (size_t)c->row_count;
    const size_t places = c->position_count ? c->position_count : 1;
    a->rotations = a->count;
    a->positions = a->count + 1;
    a->angles = SIZE_MAX;
    if (c->hinge_count > 0) {
        if (library_ball(c) < c->coordinate_count)
            add_rotations(a, c, false);
        else
            add(a, "root_rot", "<f4", 2, (const size_t[]){rows, 4}, c->root_rotations);
        add(a, "root_pos", "<f4", 2, (const size_t[]){rows, 3}, c->key_positions);
        a->angles = a->count;
        add(a, "dof", short_angles ? "<i2" : "<f4", 2, (const size_t[]){rows, c->hinge_count},
            short_angles ? NULL : c->angles);
        return !short_angles || add_steps(a, c);
    }
    uint32_t *chosen = motion_allocate(&a->arena, places, sizeof *chosen);
    if (!chosen)
        return false;
    for (size_t j = 0; j < places; j++)
        chosen[j] = (uint32_t)(places == 1 ? library_root(c) : j);
    add_rotations(a, c, options->coded_keys);
    add(a, "pos", "<f4", 3, (const size_t[]){rows, places, 3}, c->key_positions);
    add_rows(a, "pos_joints", "<u4", places, 0, chosen);
    return true;
}

static bool add_extras(library_arrays *a, const pm_library_content *c) {
    a->extras = a->count;
    for (size_t i = 0; i < c->extra_count; i++) {
        const pm_library_extra *e = &c->extras[i];
        const size_t room = e->name.size + sizeof "extras/";
        char *name = motion_allocate(&a->arena, room, 1);
        if (!name)
            return false;
        memcpy(name, "extras/", 7);
        memcpy(name + 7, e->name.text, e->name.size);
        add(a, name, e->type, e->rank, e->shape, e->data);
    }
    return true;
}

static bool add_coordinates(library_arrays *a, const pm_library_content *c) {
    if (c->coordinate_count == 0)
        return true;
    add_rows(a, "skeleton/coordinates", "<u4", c->coordinate_count, 0, c->coordinates);
    return add_texts(a, "skeleton/coordinate_name_bytes", "skeleton/coordinate_name_ends",
                     c->coordinate_names, sizeof *c->coordinate_names, c->coordinate_count);
}

static bool add_hinges(library_arrays *a, const pm_library_content *c) {
    const size_t joints = c->joint_count;
    if (c->points)
        add_rows(a, "skeleton/points", "<f4", joints, 3, c->points);
    if (!c->axes)
        return true;
    add_rows(a, "skeleton/axes", "<f8", joints, 3, c->axes);
    add_rows(a, "skeleton/references", "<f8", joints, 0, c->references);
    add_rows(a, "skeleton/hinges", "<u4", c->hinge_count, 0, c->hinges);
    return add_texts(a, "skeleton/hinge_name_bytes", "skeleton/hinge_name_ends", c->hinge_names,
                     sizeof *c->hinge_names, c->hinge_count);
}

pm_status library_list(const pm_library_content *c, const pm_library_write_options *options,
                       size_t pieces, library_arrays *a, pm_error *error) {
    const size_t joints = c->joint_count;
    a->list = motion_allocate(&a->arena, MOST_ARRAYS + c->extra_count, sizeof *a->list);
    bool good = a->list && add_format(a, c) &&
                add_texts(a, "skeleton/name_bytes", "skeleton/name_ends", c->joint_names,
                          sizeof *c->joint_names, joints);
    if (good) {
        add_rows(a, "skeleton/parents", "<i4", joints, 0, c->parents);
        add_rows(a, "skeleton/rotations", "<f8", joints, 4, c->rotations);
        add_rows(a, "skeleton/positions", "<f8", joints, 3, c->positions);
        add_rows(a, "skeleton/bodies", "<u4", c->body_count, 0, c->bodies);
        add_rows(a, "skeleton/dofs", "<u4", c->dof_count, 0, c->dofs);
    }
    good = good && add_motions(a, c) && add_keys(a, c, options) && add_extras(a, c) &&
           add_hinges(a, c) && add_coordinates(a, c);
    for (size_t i = 0; good && i < a->count; i++)
        if (!a->list[i].data)
            a->list[i].pieces = pieces;
    return good ? PM_OK : motion_refuse_memory(error);
}

typedef struct maker {
    const library_form *form;
    const library_arrays *arrays;
    array_writer *writer;
    const library_span *spans;
    size_t span_count;
} maker;

static void make_angles(const float *from, const double *steps, size_t count, size_t hinges,
                        void *out) {
    int16_t *to = out;
    for (size_t i = 0; i < count * hinges; i++)
        to[i] = (int16_t)rint((double)from[i] / steps[i % hinges]);
}

pm_status library_encode(const pm_library_content *c, const float *rotations, size_t first,
                         size_t rows, void *codes, pm_error *error) {
    pm_error failed;
    const pm_status status =
        pm_keys_encode(c->key_format, rotations, rows, c->joint_count, codes, &failed);
    if (status == PM_ERROR_KEY)
        return motion_refuse(error, "rot: the rotation of joint %zu in row %zu has no length 1",
                             failed.track, first + failed.key);
    if (status != PM_OK && error)
        *error = failed;
    return status;
}

/* The array without data that is made as number n. */
static size_t find_made(const library_arrays *a, size_t n) {
    size_t array = 0;
    while (a->list[array].data || n-- > 0)
        array++;
    return array;
}

/* Rows of a span in an array of the file, which has `row` bytes a row. */
static pm_status make_part(const maker *m, size_t array, const pm_library_content *from,
                           size_t first, size_t count, size_t row, void *out, pm_error *error) {
    const library_arrays *a = m->arrays;
    const size_t hinges = from->hinge_count;
    motion_arena arena = {0};
    const void *rows = NULL;
    const float *positions = NULL;
    pm_status status = PM_OK;
    if (array >= a->extras && array < a->extras + from->extra_count) {
        memcpy(out, (const char *)from->extras[array - a->extras].data + row * first, row * count);
        return PM_OK;
    }
    if (array == a->angles && a->steps) {
        make_angles(from->angles + hinges * first, a->steps, count, hinges, out);
        return PM_OK;
    }
    if (array == a->rotations) {
        status = library_find_rotations(m->form, from, first, count, &arena, &rows, error);
    } else if (array == a->positions) {
        status = library_find_positions(m->form, from, first, count, &arena, &positions, error);
        rows = positions;
    } else {
        rows = from->angles + hinges * first;
    }
    if (status == PM_OK)
        memcpy(out, rows, row * count);
    motion_arena_release(&arena);
    return status;
}

static pm_status make_rows(const maker *m, size_t array, size_t first, size_t count, size_t row,
                           char *out, pm_error *error) {
    for (size_t i = 0; i < m->span_count; i++) {
        const library_span *span = &m->spans[i];
        const size_t begin = span->at > first ? span->at : first;
        const size_t last = span->at + span->count,
                     end = last < first + count ? last : first + count;
        if (begin < end)
            MOTION_TRY(make_part(m, array, span->from, span->first + (begin - span->at),
                                 end - begin, row, out + row * (begin - first), error));
    }
    return PM_OK;
}

static pm_status make_block(void *user, size_t index, pm_error *error) {
    const maker *m = user;
    const size_t total = (size_t)m->form->content->row_count;
    const size_t pieces = (total + BLOCK_ROWS - 1) / BLOCK_ROWS, piece = index % pieces;
    const size_t array = find_made(m->arrays, index / pieces), first = piece * BLOCK_ROWS;
    const size_t count = total - first < BLOCK_ROWS ? total - first : BLOCK_ROWS;
    const size_t row = m->arrays->list[array].bytes / total;
    FREED void *rows = malloc(count * row + 1);
    if (!rows)
        return motion_refuse_memory(error);
    MOTION_TRY(make_rows(m, array, first, count, row, rows, error));
    return array_writer_put(m->writer, array, piece, first * row, rows, count * row, error);
}

static pm_status write_arrays(const library_arrays *a, maker *m, size_t pieces, size_t threads,
                              const char *path, pm_error *error) {
    size_t made = 0;
    for (size_t i = 0; i < a->count; i++)
        made += a->list[i].data ? 0 : pieces;
    pm_status status = array_writer_begin(path, a->list, a->count, &m->writer, error);
    if (status == PM_OK)
        status = array_writer_put_all(m->writer, threads, error);
    if (status == PM_OK)
        status = array_run(threads, made, &(array_work){.item = make_block, .user = m}, error);
    if (status == PM_OK)
        status = array_writer_end(m->writer, error);
    array_writer_abandon(&m->writer);
    return status;
}

pm_status library_write(const pm_library_content *c, const library_span *spans, size_t span_count,
                        const pm_library_write_options *options, const char *path,
                        pm_error *error) {
    library_form form = library_form_of(c);
    form.coded = form.coded || options->coded_keys;
    const size_t pieces = ((size_t)c->row_count + BLOCK_ROWS - 1) / BLOCK_ROWS;
    library_arrays arrays = {0};
    pm_status status = library_list(c, options, pieces, &arrays, error);
    if (status == PM_OK && arrays.steps)
        find_steps(spans, span_count, c->hinge_count, arrays.steps);
    maker m = {.form = &form, .arrays = &arrays, .spans = spans, .span_count = span_count};
    if (status == PM_OK)
        status = write_arrays(&arrays, &m, pieces, options->threads, path, error);
    motion_arena_release(&arrays.arena);
    return status;
}

/* The pointers of a skeleton. */
pm_status library_check_given(const pm_library_content *c, pm_error *error) {
    const bool is_robot = c->hinge_count > 0;
    const char *missing =
        !c->joint_names || !c->parents || !c->rotations || !c->positions   ? "the skeleton"
        : !c->bodies                                                       ? "bodies"
        : c->dof_count && !c->dofs                                         ? "dofs"
        : is_robot && !c->hinges                                           ? "hinges"
        : is_robot && !c->hinge_names                                      ? "hinge_names"
        : c->coordinate_count && (!c->coordinates || !c->coordinate_names) ? "coordinates"
                                                                           : NULL;
    return missing ? motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing) : PM_OK;
}

pm_status library_check_writing(const pm_library_content *c,
                                const pm_library_write_options *options, pm_error *error) {
    const bool is_robot = c->hinge_count > 0;
    if (options->coded_keys && is_robot)
        return motion_fail(error, PM_ERROR_ARGUMENT, "coded_keys: the skeleton has hinges");
    if (options->coded_keys && !pm_keys_row_bytes(c->key_format, 1))
        return motion_fail(error, PM_ERROR_ARGUMENT, "coded_keys: key_format has no 48 bits");
    if (options->short_angles && !is_robot)
        return motion_fail(error, PM_ERROR_ARGUMENT, "angles: the skeleton has no hinges");
    return MOTION_CHECK_NEXT(pm_library_write_options, options, error);
}

static pm_status check_pointers(const pm_library_content *c,
                                const pm_library_write_options *options, pm_error *error) {
    const bool is_robot = c->hinge_count > 0;
    MOTION_TRY(library_check_given(c, error));
    const bool has_balls = library_ball(c) < c->coordinate_count;
    const char *missing = !c->motions                                       ? "motions"
                          : is_robot && !has_balls && !c->root_rotations    ? "root_rotations"
                          : is_robot && !c->angles                          ? "angles"
                          : is_robot && has_balls && !c->key_rotations      ? "key_rotations"
                          : !is_robot && !c->key_rotations && !c->key_codes ? "key_rotations"
                          : c->extra_count && !c->extras                    ? "extras"
                                                                            : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    MOTION_TRY(library_check_writing(c, options, error));
    if (c->key_positions && c->position_count != 1 &&
        (is_robot || c->position_count != c->joint_count))
        return motion_fail(error, PM_ERROR_ARGUMENT, "position_count is %zu; expected 1%s",
                           c->position_count, is_robot ? "" : " or that of joints");
    if (!c->key_positions && c->position_count > 1)
        return motion_fail(error, PM_ERROR_ARGUMENT, "key_positions is NULL");
    return PM_OK;
}

pm_status pm_library_write(const pm_library_content *content,
                           const pm_library_write_options *options, const char *path,
                           pm_error *error) {
    static const pm_library_write_options defaults;
    if (!content || !path)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", content ? "path" : "content");
    options = options ? options : &defaults;
    MOTION_TRY(MOTION_CHECK_NEXT(pm_library_content, content, error));
    MOTION_TRY(check_pointers(content, options, error));
    MOTION_TRY(library_check(content, error));
    const library_span all = {.from = content, .count = (size_t)content->row_count};
    return library_write(content, &all, 1, options, path, error);
}
