/* SPDX-License-Identifier: MIT
 *
 * Builds the file of a library from motion files. They are read twice: the first time tells how many
 * frames each clip has, and with that the place of its rows; the second time writes the rows there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/library/library.h"
#include "motion/model/free_names.h"
#include "motion/model/meaning.h"

/* A file with what the first reading tells. */
typedef struct part {
    const char *path;
    motion_arena arena;
    pm_library_motion *motions; /* whose names are those of clips */
    size_t count, first;        /* `first` among all motions */
    bool moves_others;
} part;

typedef struct builder {
    const pm_library_build_options *options;
    part *parts;
    size_t part_count;
    pm_library_content content;
    motion_arena arena;
    library_arrays arrays;
    array_writer *writer;
    uint64_t done_before;    /* items of the first reading */
    pm_motion_content first; /* unit and axis of the first file */
} builder;

/* Lengths and axes of all files are those of the first. Two estimates may differ by chance. */
static pm_status check_meaning(const pm_motion_content *first, const pm_motion_content *c,
                               pm_error *error) {
    char own[MOTION_UNIT_TEXT], other[MOTION_UNIT_TEXT];
    const bool guesses_unit =
        first->unit_from == PM_MOTION_ESTIMATED && c->unit_from == PM_MOTION_ESTIMATED;
    const bool guesses_up =
        first->up_from == PM_MOTION_ESTIMATED && c->up_from == PM_MOTION_ESTIMATED;
    if (!guesses_unit && c->unit_mm > 0 && first->unit_mm > 0 && c->unit_mm != first->unit_mm)
        return motion_refuse(error, "has %s, and the first file has %s; convert it first",
                             motion_unit_name(c->unit_mm, own),
                             motion_unit_name(first->unit_mm, other));
    if (!guesses_up && c->up != PM_MOTION_UP_FOUND && first->up != PM_MOTION_UP_FOUND &&
        c->up != first->up)
        return motion_refuse(error, "has %s up, and the first file has %s; convert it first",
                             motion_up_name(c->up), motion_up_name(first->up));
    return PM_OK;
}

static pm_status note_clips(builder *b, part *p, const library_source *source, pm_error *error) {
    if (p == b->parts)
        b->first = *source->content;
    MOTION_TRY(check_meaning(&b->first, source->content, error));
    p->count = source->content->clip_count;
    p->motions = motion_allocate(&p->arena, p->count, sizeof *p->motions);
    if (!p->motions)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < p->count; i++) {
        const pm_motion_name name = source->content->clips[i].name;
        pm_library_motion *m = &p->motions[i];
        m->weight = 1;
        m->name = (pm_motion_name){motion_copy_text(&p->arena, name.text, name.size), name.size};
        if (!m->name.text)
            return motion_refuse_memory(error);
        MOTION_TRY(library_describe_clip(source, i, m, error));
        if (source->character)
            p->moves_others |= library_moves_others(source, &b->content, i);
    }
    return PM_OK;
}

/* Does something with an open file; failures have its name. */
static pm_status with_source(builder *b, size_t index,
                             pm_status (*act)(builder *, part *, const library_source *,
                                              pm_error *),
                             pm_error *error) {
    part *p = &b->parts[index];
    library_source source = {0};
    char shown[384];
    C_LOCALE_HERE;
    pm_status status = library_open_source(p->path, b->options, &source, error);
    const bool is_named = status != PM_OK && !source.is_open; /* by pm_motion_open */
    if (status == PM_OK && b->content.joint_count == 0)
        status = library_take_skeleton(&source, &b->arena, &b->content, error);
    if (status == PM_OK)
        status = library_match_joints(&source, &b->content, error);
    if (status == PM_OK)
        status = act(b, p, &source, error);
    library_close_source(&source);
    printable_text(shown, sizeof shown, p->path, strlen(p->path));
    return is_named ? status : motion_name_failure(status, shown, error);
}

static pm_status examine(void *user, size_t index, pm_error *error) {
    return with_source(user, index + 1, note_clips, error);
}

static void report_progress(void *user, uint64_t done, uint64_t total) {
    const builder *b = user;
    (void)total;
    b->options->progress(b->options->progress_user, b->done_before + done, 2 * b->part_count);
}

/* The first file has the joints with which the others are compared. */
static pm_status examine_all(builder *b, pm_error *error) {
    const array_work work = {examine, b->options->progress ? report_progress : NULL, b, b};
    b->done_before = 1;
    MOTION_TRY(with_source(b, 0, note_clips, error));
    return array_run(b->options->threads, b->part_count - 1, &work, error);
}

/* The name of the file, with that of the clip or its number where there are several. */
static bool make_name(builder *b, const part *p, size_t clip, pm_motion_name *name) {
    const char *stem = os_last_part(p->path);
    const char *dot = strrchr(stem, '.');
    const size_t size =
        dot && strspn(stem, ".") < (size_t)(dot - stem) ? (size_t)(dot - stem) : strlen(stem);
    const pm_motion_name own = p->motions[clip].name;
    char *text = motion_allocate(&b->arena, size + own.size + 24, 1);
    if (!text)
        return false;
    memcpy(text, stem, size);
    *name = (pm_motion_name){text, size};
    if (p->count > 1 && own.size > 0) {
        text[size] = '/';
        memcpy(text + size + 1, own.text, own.size);
        name->size += 1 + own.size;
    } else if (p->count > 1) {
        name->size += (size_t)snprintf(text + size, 24, "/%zu", clip);
    }
    return true;
}

static pm_status list_motions(builder *b, pm_error *error) {
    pm_library_content *c = &b->content;
    SCOPED(free_names_close) free_names names;
    for (size_t i = 0; i < b->part_count; i++) {
        b->parts[i].first = c->motion_count;
        c->motion_count += b->parts[i].count;
    }
    pm_library_motion *motions = motion_allocate(&b->arena, c->motion_count, sizeof *motions);
    bool good = free_names_open(&names, c->motion_count, &b->arena) && motions;
    c->motions = motions;
    c->position_count = 1;
    for (size_t i = 0; i < b->part_count && good; i++) {
        const part *p = &b->parts[i];
        c->position_count = p->moves_others ? c->joint_count : c->position_count;
        for (size_t k = 0; k < p->count && good; k++) {
            pm_library_motion *m = &motions[p->first + k];
            *m = p->motions[k];
            m->first = c->row_count;
            c->row_count += m->frames;
            good = make_name(b, p, k, &m->name) && free_names_take(&names, 0, m->name, &m->name);
        }
    }
    return good ? PM_OK : motion_refuse_memory(error);
}

/* Writes rows of a motion to one of the arrays with a row per frame. */
static pm_status put_rows(const builder *b, size_t array, size_t motion, const void *rows,
                          pm_error *error) {
    const pm_library_motion *m = &b->content.motions[motion];
    const size_t row = b->arrays.list[array].bytes / (size_t)b->content.row_count;
    return array_writer_put(b->writer, array, motion, (size_t)m->first * row, rows,
                            (size_t)m->frames * row, error);
}

static pm_status put_coded(const builder *b, size_t motion, const float *rows, pm_error *error) {
    const pm_library_content *c = &b->content;
    const size_t frames = (size_t)c->motions[motion].frames;
    FREED void *codes = malloc(frames * pm_keys_row_bytes(c->key_format, c->joint_count));
    if (!codes)
        return motion_refuse_memory(error);
    MOTION_TRY(library_encode(c, rows, 0, frames, codes, error));
    return put_rows(b, b->arrays.rotations, motion, codes, error);
}

static pm_status write_robot(const builder *b, const library_source *source, size_t clip,
                             size_t motion, float *rows, pm_error *error) {
    static const pm_motion_path paths[] = {PM_MOTION_ROTATION, PM_MOTION_POSITION,
                                           PM_MOTION_SCALAR};
    const size_t arrays[] = {b->arrays.rotations, b->arrays.positions, b->arrays.angles};
    for (size_t i = 0; i < 3; i++) {
        library_fill_robot(source, clip, paths[i], rows);
        MOTION_TRY(put_rows(b, arrays[i], motion, rows, error));
    }
    return PM_OK;
}

static pm_status write_clip(const builder *b, const library_source *source, size_t clip,
                            size_t motion, float *rows, pm_error *error) {
    if (!source->character)
        return write_robot(b, source, clip, motion, rows, error);
    library_fill_rotations(source, clip, rows);
    MOTION_TRY(b->options->coded_keys ? put_coded(b, motion, rows, error)
                                      : put_rows(b, b->arrays.rotations, motion, rows, error));
    library_fill_positions(source, &b->content, clip, rows);
    return put_rows(b, b->arrays.positions, motion, rows, error);
}

static pm_status write_clips(builder *b, part *p, const library_source *source, pm_error *error) {
    const bool same = p->count == source->content->clip_count;
    pm_status status = PM_OK;
    for (size_t i = 0; i < p->count && status == PM_OK; i++) {
        const pm_library_motion *m = &b->content.motions[p->first + i];
        pm_library_motion now = {0};
        if (!same || library_describe_clip(source, i, &now, NULL) != PM_OK ||
            now.frames != m->frames)
            return motion_refuse(error, "has changed while it was read");
        /* each joint has more numbers than a hinge */
        float *rows = calloc((size_t)m->frames, 4 * sizeof *rows * b->content.joint_count);
        status = rows ? write_clip(b, source, i, p->first + i, rows, error)
                      : motion_refuse_memory(error);
        free(rows);
    }
    return status;
}

static pm_status write_part(void *user, size_t index, pm_error *error) {
    return with_source(user, index, write_clips, error);
}

static pm_status write_all(builder *b, const char *output, pm_error *error) {
    const array_work work = {write_part, b->options->progress ? report_progress : NULL, b, b};
    const size_t threads = b->options->threads;
    const pm_library_write_options writing = {.coded_keys = b->options->coded_keys};
    b->done_before = b->part_count;
    MOTION_TRY(library_list(&b->content, &writing, b->content.motion_count, &b->arrays, error));
    MOTION_TRY(array_writer_begin(output, b->arrays.list, b->arrays.count, &b->writer, error));
    MOTION_TRY(array_writer_put_all(b->writer, threads, error));
    MOTION_TRY(array_run(threads, b->part_count, &work, error));
    return array_writer_end(b->writer, error);
}

/* Files have no rotations of balls. */
static pm_status refuse_balls(const pm_library_content *robot, pm_error *error) {
    const size_t ball = library_ball(robot);
    if (ball == robot->coordinate_count)
        return PM_OK;
    const pm_motion_name name = robot->coordinate_names[ball];
    return motion_fail(error, PM_ERROR_ARGUMENT,
                       "robot: '%s' is a ball, whose rotations files do not have",
                       MOTION_SHOWN(name.text, name.size));
}

pm_status library_check_robot(const pm_library_content *robot, pm_error *error) {
    if (robot->joint_count == 0 || robot->hinge_count == 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "robot: has no hinges");
    MOTION_TRY(MOTION_CHECK_NEXT(pm_library_content, robot, error));
    MOTION_TRY(library_check_given(robot, error));
    MOTION_TRY(library_check_skeleton(robot, error));
    return refuse_balls(robot, error);
}

static pm_status take_robot(builder *b, pm_error *error) {
    const pm_library_content *robot = b->options->robot;
    if (!robot)
        return PM_OK;
    MOTION_TRY(library_check_robot(robot, error));
    b->content = (pm_library_content){.joint_count = robot->joint_count,
                                      .joint_names = robot->joint_names,
                                      .parents = robot->parents,
                                      .rotations = robot->rotations,
                                      .positions = robot->positions,
                                      .points = robot->points,
                                      .axes = robot->axes,
                                      .references = robot->references,
                                      .hinges = robot->hinges,
                                      .hinge_names = robot->hinge_names,
                                      .hinge_count = robot->hinge_count,
                                      .bodies = robot->bodies,
                                      .body_count = robot->body_count,
                                      .dofs = robot->dofs,
                                      .dof_count = robot->dof_count,
                                      .coordinates = robot->coordinates,
                                      .coordinate_names = robot->coordinate_names,
                                      .coordinate_count = robot->coordinate_count};
    return PM_OK;
}

static pm_status build(builder *b, const char *output, pm_error *error) {
    MOTION_TRY(examine_all(b, error));
    MOTION_TRY(list_motions(b, error));
    MOTION_TRY(library_check(&b->content, error));
    return write_all(b, output, error);
}

static pm_status check_options(const pm_library_build_options *options, pm_error *error) {
    if (!(options->scale >= 0) || !isfinite(options->scale))
        return motion_fail(error, PM_ERROR_ARGUMENT, "scale is not a number above 0");
    if (options->quarter_turns < -1 || options->quarter_turns > 1)
        return motion_fail(error, PM_ERROR_ARGUMENT, "quarter_turns is %d; expected -1, 0 or 1",
                           options->quarter_turns);
    const bool changes =
        (options->scale != 0 && options->scale != 1) || options->quarter_turns != 0;
    if ((options->rate.num != 0 || options->rate.den != 0) &&
        (options->rate.num <= 0 || options->rate.den <= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "rate is not above 0");
    if (options->robot && changes)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "scale, quarter_turns: a robot has its own unit and axes");
    if (options->robot && options->coded_keys)
        return motion_fail(error, PM_ERROR_ARGUMENT, "coded_keys: the skeleton has hinges");
    if (!pm_method_get_info(options->method) || !library_key_word(options->key_format))
        return motion_fail(error, PM_ERROR_ARGUMENT, "method or key_format does not exist");
    if (options->coded_keys && !pm_keys_row_bytes(options->key_format, 1))
        return motion_fail(error, PM_ERROR_ARGUMENT, "coded_keys: key_format has no 48 bits");
    return MOTION_CHECK_NEXT(pm_library_build_options, options, error);
}

pm_status pm_library_build(const char *const *paths, size_t path_count,
                           const pm_library_build_options *options, const char *output,
                           pm_error *error) {
    static const pm_library_build_options defaults;
    builder b = {.options = options ? options : &defaults, .part_count = path_count};
    if (!output || !paths || path_count == 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s",
                           !output ? "output is NULL" : "paths: expected at least one");
    MOTION_TRY(motion_check_texts("paths", paths, path_count, error));
    MOTION_TRY(check_options(b.options, error));
    MOTION_TRY(take_robot(&b, error));
    b.content.method = b.options->method;
    b.content.key_format = b.options->key_format;
    b.parts = calloc(path_count, sizeof *b.parts);
    if (!b.parts)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < path_count; i++)
        b.parts[i].path = paths[i];
    const pm_status status = build(&b, output, error);
    array_writer_abandon(&b.writer);
    for (size_t i = 0; i < path_count; i++)
        motion_arena_release(&b.parts[i].arena);
    motion_arena_release(&b.arrays.arena);
    motion_arena_release(&b.arena);
    free(b.parts);
    return status;
}
