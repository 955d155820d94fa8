/* SPDX-License-Identifier: MIT
 *
 * Opens libraries, and describes their joints.
 */
#include "motion/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/os.h"
#include "motion/base/printable.h"

static pm_array doubles(const double *numbers) {
    return (pm_array){.data = numbers, .type = PM_FLOAT64};
}

/* Those that are not known are 0; their velocities are refused (sample.c). */
static float *copy_points(const pm_library_content *c) {
    float *points = calloc(3 * c->joint_count, sizeof *points);
    for (size_t i = 0; points && c->points && i < 3 * c->joint_count; i++)
        points[i] = isnan(c->points[i]) ? 0 : c->points[i];
    return points;
}

/* Balls are those of the coordinates that have no axis, without the root. */
static size_t list_balls(const pm_library_content *c, uint32_t *balls) {
    const size_t root = library_root(c);
    size_t count = 0;
    for (size_t i = 0; i < c->coordinate_count; i++) {
        const uint32_t joint = c->coordinates[i];
        const double *axis = c->axes ? c->axes + 3 * (size_t)joint : NULL;
        if (joint != root && !(axis && (axis[0] != 0 || axis[1] != 0 || axis[2] != 0)))
            balls[count++] = joint;
    }
    return count;
}

pm_status library_make_skeleton(const pm_library_content *c, pm_skeleton **skeleton,
                                pm_error *error) {
    FREED pm_hinge *hinges = calloc(c->hinge_count + 1, sizeof *hinges);
    FREED uint32_t *dofs = calloc(c->dof_count + 1, sizeof *dofs);
    FREED uint32_t *balls = calloc(c->coordinate_count + 1, sizeof *balls);
    FREED float *points = copy_points(c);
    pm_status status = hinges && dofs && balls && points ? PM_OK : motion_refuse_memory(error);
    for (size_t h = 0; status == PM_OK && h < c->hinge_count; h++) {
        const size_t j = c->hinges[h];
        hinges[h] = (pm_hinge){.joint = c->hinges[h], .reference = (float)c->references[j]};
        for (size_t i = 0; i < 3; i++)
            hinges[h].axis[i] = (float)c->axes[3 * j + i];
    }
    for (size_t i = 0; status == PM_OK && i < c->dof_count; i++)
        dofs[i] = c->hinges[c->dofs[i]];
    const size_t ball_count = status == PM_OK ? list_balls(c, balls) : 0;
    const uint32_t first_root = (uint32_t)library_root(c);
    const uint32_t root = library_root_is_free(c) ? first_root : c->bodies[0];
    /* Those without joints cannot be asked for (sample.c), and are those of the root. */
    const pm_subset subsets[LIBRARY_FIRST_ROOT] = {
        {.joints = c->bodies, .joint_count = c->body_count},
        {.joints = &root, .joint_count = 1},
        {.joints = c->dof_count ? dofs : &root, .joint_count = c->dof_count ? c->dof_count : 1},
        {.joints = ball_count ? balls : &root, .joint_count = ball_count ? ball_count : 1},
        {.joints = &first_root, .joint_count = 1}};
    const pm_skeleton_desc desc = {
        .joint_count = c->joint_count,
        .parents = c->parents,
        .rotations = doubles(c->rotations),
        .positions = doubles(c->positions),
        .subsets = subsets,
        .subset_count = LIBRARY_FIRST_ROOT,
        .points = {.data = c->points ? points : NULL, .type = PM_FLOAT32},
        .hinges = c->hinge_count ? hinges : NULL,
        .hinge_count = c->hinge_count};
    if (status == PM_OK)
        status = pm_skeleton_create(&desc, skeleton, error);
    return status;
}

static pm_status copy_indices(library_part *part, const uint32_t *from, size_t count,
                              const uint32_t **to, size_t *to_count, pm_error *error) {
    uint32_t *copy = motion_allocate(&part->file.arena, count, sizeof *copy);
    if (!copy)
        return motion_refuse_memory(error);
    memcpy(copy, from, count * sizeof *copy);
    *to = copy;
    *to_count = count;
    return PM_OK;
}

/* Codes of another format than the library is to have become numbers. */
static pm_status decode(library_part *part, pm_key_format format, pm_error *error) {
    pm_library_content *c = &part->content;
    const size_t rows = (size_t)c->row_count, joints = c->joint_count;
    float *numbers = motion_allocate(&part->file.arena, rows, 4 * joints * sizeof *numbers);
    if (!numbers)
        return motion_refuse_memory(error);
    const pm_status status = pm_keys_decode(format, c->key_codes, rows, joints, numbers, error);
    c->key_rotations = numbers;
    c->key_codes = NULL;
    return status;
}

static pm_status override(library_part *part, const pm_library_open_options *options,
                          pm_error *error) {
    pm_library_content *c = &part->content;
    if (options->method)
        c->method = *options->method;
    const pm_key_format given = c->key_format;
    if (options->key_format)
        c->key_format = *options->key_format;
    if (c->key_codes && c->key_format != given)
        MOTION_TRY(decode(part, given, error));
    if (options->bodies)
        MOTION_TRY(copy_indices(part, options->bodies, options->body_count, &c->bodies,
                                &c->body_count, error));
    if (options->dofs)
        MOTION_TRY(
            copy_indices(part, options->dofs, options->dof_count, &c->dofs, &c->dof_count, error));
    return library_check(c, error);
}

static pm_status open_part(library_part *part, const char *path,
                           const pm_library_open_options *options, pm_error *error) {
    MOTION_TRY(array_file_open(path, options->threads, &part->file, error));
    MOTION_TRY(library_read(part, error));
    const bool changes = options->method || options->key_format || options->bodies || options->dofs;
    return changes ? override(part, options, error) : PM_OK;
}

static pm_status open_library(pm_engine *engine, const char *path,
                              const pm_library_open_options *options, pm_library **library,
                              pm_error *error) {
    library_part *part = calloc(1, sizeof *part);
    if (!part)
        return motion_refuse_memory(error);
    pm_status status = open_part(part, path, options, error);
    if (status != PM_OK) {
        library_close_part(part);
        return status;
    }
    status = library_make(part, engine, options->ids, library, error);
    /* Its keys have a form of their own. Rows are read again where they are saved. */
    if (status == PM_OK)
        os_drop_pages(part->file.mapped, part->file.size);
    return status;
}

pm_status pm_library_open(pm_engine *engine, const char *path,
                          const pm_library_open_options *options, pm_library **library,
                          pm_error *error) {
    static const pm_library_open_options defaults;
    char shown[384];
    if (!path || !library)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", path ? "library" : "path");
    options = options ? options : &defaults;
    pm_status status = MOTION_CHECK_NEXT(pm_library_open_options, options, error);
    if (status != PM_OK)
        return status;
    status = open_library(engine, path, options, library, error);
    if (status != PM_OK) {
        printable_text(shown, sizeof shown, path, strlen(path));
        motion_name_failure(status, shown, error);
    }
    return status;
}

const pm_library_content *pm_library_get_content(const pm_library *library) {
    return library ? &library->part->content : NULL;
}

pm_crowd *pm_library_get_crowd(const pm_library *library) {
    return library ? library->crowd : NULL;
}
