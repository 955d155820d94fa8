/* SPDX-License-Identifier: MIT
 *
 * Opens libraries, and builds the crowd of their motions.
 */
#include "motion/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/printable.h"

static pm_array doubles(const double *numbers) {
    return (pm_array){.data = numbers, .type = PM_FLOAT64};
}

/* NULL where that of some body is not known, so that its velocity is refused. */
static const float *points_of(const pm_library_content *c) {
    for (size_t i = 0; c->points && i < 3 * c->joint_count; i++)
        if (isnan(c->points[i]))
            return NULL;
    return c->points;
}

static pm_status make_skeleton(pm_library *library, pm_error *error) {
    const pm_library_content *c = &library->content;
    pm_hinge *hinges = calloc(c->hinge_count + 1, sizeof *hinges);
    uint32_t *dofs = calloc(c->dof_count + 1, sizeof *dofs);
    pm_status status = PM_OK;
    for (size_t h = 0; hinges && h < c->hinge_count; h++) {
        const size_t j = c->hinges[h];
        hinges[h] = (pm_hinge){.joint = c->hinges[h], .reference = (float)c->references[j]};
        for (size_t i = 0; i < 3; i++)
            hinges[h].axis[i] = (float)c->axes[3 * j + i];
    }
    for (size_t i = 0; dofs && i < c->dof_count; i++)
        dofs[i] = c->hinges[c->dofs[i]];
    const uint32_t root = library_root_is_free(c) ? (uint32_t)library_root(c) : c->bodies[0];
    const pm_subset subsets[] = {{.joints = c->bodies, .joint_count = c->body_count},
                                 {.joints = &root, .joint_count = 1},
                                 {.joints = dofs, .joint_count = c->dof_count}};
    const pm_skeleton_desc desc = {.joint_count = c->joint_count,
                                   .parents = c->parents,
                                   .rotations = doubles(c->rotations),
                                   .positions = doubles(c->positions),
                                   .subsets = subsets,
                                   .subset_count = c->dof_count ? 3 : 2,
                                   .points = {.data = points_of(c), .type = PM_FLOAT32},
                                   .hinges = c->hinge_count ? hinges : NULL,
                                   .hinge_count = c->hinge_count};
    status = hinges && dofs ? pm_skeleton_create(&desc, &library->skeleton, error)
                            : motion_refuse_memory(error);
    free(hinges);
    free(dofs);
    return status;
}

/* From a row on: the codes, or numbers; of a robot those of its root. */
static pm_array rotations_of(const pm_library_content *c, size_t row) {
    const size_t coded = pm_keys_row_bytes(c->key_format, c->joint_count);
    if (c->root_rotations)
        return (pm_array){c->root_rotations + 4 * row, PM_FLOAT32, 0};
    return c->key_codes ? (pm_array){(const char *)c->key_codes + coded * row, PM_CODED, 0}
                        : (pm_array){c->key_rotations + 4 * c->joint_count * row, PM_FLOAT32, 0};
}

static void describe(const pm_library_content *c, size_t motion, pm_timeline *line,
                     pm_scalars *angles, pm_clip_desc *clip) {
    const pm_library_motion *m = &c->motions[motion];
    const bool is_robot = c->hinge_count > 0;
    const size_t first = (size_t)m->first, places = c->position_count;
    *line = (pm_timeline){.key_count = (size_t)m->frames, .rate = m->rate};
    *clip = (pm_clip_desc){.track_count = c->joint_count,
                           .timelines = line,
                           .rotations = rotations_of(c, first),
                           .positions.data = c->key_positions + 3 * places * first,
                           .method = c->method,
                           .key_format = c->key_format,
                           .loop = m->loop,
                           .root_positions = places == 1,
                           .root_rotations = c->root_rotations != NULL,
                           .scalars = is_robot ? angles : NULL};
    if (is_robot)
        *angles =
            (pm_scalars){.count = c->hinge_count, .keys.data = c->angles + c->hinge_count * first};
}

static pm_status make_clips(pm_library *library, pm_engine *engine, pm_error *error) {
    const pm_library_content *c = &library->content;
    pm_timeline *lines = calloc(c->motion_count, sizeof *lines);
    pm_scalars *angles = calloc(c->motion_count, sizeof *angles);
    pm_clip_desc *clips = calloc(c->motion_count, sizeof *clips);
    pm_status status = lines && angles && clips ? PM_OK : motion_refuse_memory(error);
    for (size_t i = 0; i < c->motion_count && status == PM_OK; i++)
        describe(c, i, &lines[i], &angles[i], &clips[i]);
    const pm_crowd_desc desc = {
        .skeleton = library->skeleton, .clips = clips, .clip_count = c->motion_count};
    if (status == PM_OK)
        status = pm_crowd_create(engine, &desc, &library->crowd, error);
    free(clips);
    free(angles);
    free(lines);
    return status;
}

/* Builds the skeleton and the crowd. */
pm_status library_make_crowd(pm_library *library, pm_engine *engine, pm_error *error) {
    const pm_status status = make_skeleton(library, error);
    return status == PM_OK ? make_clips(library, engine, error) : status;
}

static pm_status copy_indices(pm_library *library, const uint32_t *from, size_t count,
                              const uint32_t **to, size_t *to_count, pm_error *error) {
    uint32_t *copy = motion_allocate(&library->file.arena, count, sizeof *copy);
    if (!copy)
        return motion_refuse_memory(error);
    memcpy(copy, from, count * sizeof *copy);
    *to = copy;
    *to_count = count;
    return PM_OK;
}

/* Codes of another format than the library is to have become numbers. */
static pm_status decode(pm_library *library, pm_key_format format, pm_error *error) {
    pm_library_content *c = &library->content;
    const size_t rows = (size_t)c->row_count, joints = c->joint_count;
    float *numbers = motion_allocate(&library->file.arena, rows, 4 * joints * sizeof *numbers);
    if (!numbers)
        return motion_refuse_memory(error);
    const pm_status status = pm_keys_decode(format, c->key_codes, rows, joints, numbers, error);
    c->key_rotations = numbers;
    c->key_codes = NULL;
    return status;
}

static pm_status override(pm_library *library, const pm_library_open_options *options,
                          pm_error *error) {
    pm_library_content *c = &library->content;
    if (options->method)
        c->method = *options->method;
    const pm_key_format given = c->key_format;
    if (options->key_format)
        c->key_format = *options->key_format;
    if (c->key_codes && c->key_format != given)
        MOTION_TRY(decode(library, given, error));
    if (options->bodies)
        MOTION_TRY(copy_indices(library, options->bodies, options->body_count, &c->bodies,
                                &c->body_count, error));
    if (options->dofs)
        MOTION_TRY(copy_indices(library, options->dofs, options->dof_count, &c->dofs, &c->dof_count,
                                error));
    return library_check(c, error);
}

static pm_status open_library(pm_library *library, pm_engine *engine, const char *path,
                              const pm_library_open_options *options, pm_error *error) {
    MOTION_TRY(array_file_open(path, options->threads, &library->file, error));
    MOTION_TRY(library_read(library, error));
    if (options->method || options->key_format || options->bodies || options->dofs)
        MOTION_TRY(override(library, options, error));
    return engine ? library_make_crowd(library, engine, error) : PM_OK;
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
    pm_library *made = calloc(1, sizeof *made);
    if (!made)
        return motion_refuse_memory(error);
    status = open_library(made, engine, path, options, error);
    if (status != PM_OK) {
        printable_text(shown, sizeof shown, path, strlen(path));
        motion_name_failure(status, shown, error);
        pm_library_destroy(&made);
    } else {
        *library = made;
    }
    return status;
}

void pm_library_destroy(pm_library **library) {
    if (!library || !*library)
        return;
    pm_crowd_destroy(&(*library)->crowd);
    pm_skeleton_destroy(&(*library)->skeleton);
    array_file_close(&(*library)->file);
    free(*library);
    *library = NULL;
}

const pm_library_content *pm_library_get_content(const pm_library *library) {
    return library ? &library->content : NULL;
}

pm_crowd *pm_library_get_crowd(const pm_library *library) {
    return library ? library->crowd : NULL;
}
