/* SPDX-License-Identifier: MIT
 *
 * Rows of one library as those of another: which can be, and how they are converted.
 */
#include <math.h>
#include <string.h>

#include "motion/library/library.h"

/* Of rest poses, absolute for rotations, and relative to the largest position */
static const double same = 1e-6;

library_form library_form_of(const pm_library_content *c) {
    return (library_form){.content = c,
                          .coded = c->key_codes != NULL,
                          .position_count = c->position_count > 1 ? c->position_count : 1};
}

/* ---- whether motions can join ----------------------------------------------------------- */

static pm_status refuse_names(const char *what, size_t index, pm_motion_name theirs,
                              pm_motion_name ours, pm_error *error) {
    return motion_refuse(error, "%s: number %zu is '%s', and in the library '%s'", what, index,
                         MOTION_SHOWN(theirs.text, theirs.size),
                         MOTION_SHOWN(ours.text, ours.size));
}

static pm_status refuse_count(const char *what, size_t theirs, size_t ours, pm_error *error) {
    return motion_refuse(error, "%s: there are %zu, and in the library %zu", what, theirs, ours);
}

static pm_status check_names(const char *what, const pm_motion_name *theirs, size_t their_count,
                             const pm_motion_name *ours, size_t count, pm_error *error) {
    if (their_count != count)
        return refuse_count(what, their_count, count, error);
    for (size_t i = 0; i < count; i++)
        if (motion_compare_names(theirs[i], ours[i]) != 0)
            return refuse_names(what, i, theirs[i], ours[i], error);
    return PM_OK;
}

static pm_status check_numbers(const char *what, const pm_library_content *c, const double *theirs,
                               const double *ours, size_t width, pm_error *error) {
    double largest = 1;
    for (size_t i = 0; i < width * c->joint_count; i++)
        largest = fmax(largest, fabs(ours[i]));
    for (size_t i = 0; i < width * c->joint_count; i++)
        if (!(fabs(theirs[i] - ours[i]) <= same * largest)) {
            const pm_motion_name name = c->joint_names[i / width];
            return motion_refuse(error, "%s: '%s' has %.9g, and in the library %.9g", what,
                                 MOTION_SHOWN(name.text, name.size), theirs[i], ours[i]);
        }
    return PM_OK;
}

static pm_status check_hinges(const pm_library_content *c, const pm_library_content *from,
                              pm_error *error) {
    MOTION_TRY(check_names("skeleton/hinge_name", from->hinge_names, from->hinge_count,
                           c->hinge_names, c->hinge_count, error));
    if (c->hinge_count > 0) {
        MOTION_TRY(check_numbers("skeleton/axes", c, from->axes, c->axes, 3, error));
        MOTION_TRY(
            check_numbers("skeleton/references", c, from->references, c->references, 1, error));
    }
    return check_names("skeleton/coordinate_name", from->coordinate_names, from->coordinate_count,
                       c->coordinate_names, c->coordinate_count, error);
}

static pm_status check_extras(const pm_library_content *c, const pm_library_content *from,
                              pm_error *error) {
    if (from->extra_count != c->extra_count)
        return refuse_count("extras", from->extra_count, c->extra_count, error);
    for (size_t i = 0; i < c->extra_count; i++) {
        const pm_library_extra *theirs = &from->extras[i], *ours = &c->extras[i];
        if (motion_compare_names(theirs->name, ours->name) != 0)
            return refuse_names("extras", i, theirs->name, ours->name, error);
        if (strcmp(theirs->type, ours->type) != 0 || theirs->rank != ours->rank ||
            memcmp(theirs->shape + 1, ours->shape + 1, (ours->rank - 1) * sizeof *ours->shape) != 0)
            return motion_refuse(error,
                                 "extras: '%s' has another type or shape than in the library",
                                 MOTION_SHOWN(ours->name.text, ours->name.size));
    }
    return PM_OK;
}

pm_status library_check_joins(const library_form *form, const pm_library_content *from,
                              pm_error *error) {
    const pm_library_content *c = form->content;
    if (c == from)
        return PM_OK;
    MOTION_TRY(check_names("skeleton/name", from->joint_names, from->joint_count, c->joint_names,
                           c->joint_count, error));
    for (size_t j = 0; j < c->joint_count; j++)
        if (from->parents[j] != c->parents[j])
            return motion_refuse(error,
                                 "skeleton/parents: '%s' has the parent %d, and in the library %d",
                                 MOTION_SHOWN(c->joint_names[j].text, c->joint_names[j].size),
                                 from->parents[j], c->parents[j]);
    MOTION_TRY(check_numbers("skeleton/rotations", c, from->rotations, c->rotations, 4, error));
    /* Where positions of all joints are stored, those of the rest pose have no effect. */
    if (form->position_count == 1 || from->position_count <= 1)
        MOTION_TRY(check_numbers("skeleton/positions", c, from->positions, c->positions, 3, error));
    MOTION_TRY(check_hinges(c, from, error));
    return check_extras(c, from, error);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Rotations of all joints as float32. */
static pm_status find_numbers(const pm_library_content *from, size_t first, size_t count,
                              motion_arena *arena, const float **found, pm_error *error) {
    const size_t joints = from->joint_count;
    if (!from->key_codes) {
        *found = from->key_rotations + 4 * joints * first;
        return PM_OK;
    }
    const char *codes = from->key_codes;
    float *numbers = motion_allocate(arena, count, 4 * joints * sizeof *numbers);
    *found = numbers;
    return numbers ? pm_keys_decode(from->key_format,
                                    codes + pm_keys_row_bytes(from->key_format, joints) * first,
                                    count, joints, numbers, error)
                   : motion_refuse_memory(error);
}

pm_status library_find_rotations(const library_form *form, const pm_library_content *from,
                                 size_t first, size_t count, motion_arena *arena,
                                 const void **found, pm_error *error) {
    const pm_key_format format = form->content->key_format;
    const size_t coded = pm_keys_row_bytes(format, from->joint_count);
    const float *numbers = NULL;
    if (from->root_rotations) {
        *found = from->root_rotations + 4 * first;
        return PM_OK;
    }
    if (form->coded && from->key_codes && from->key_format == format) {
        *found = (const char *)from->key_codes + coded * first;
        return PM_OK;
    }
    MOTION_TRY(find_numbers(from, first, count, arena, &numbers, error));
    *found = numbers;
    if (!form->coded)
        return PM_OK;
    void *codes = motion_allocate(arena, count, coded);
    *found = codes;
    return codes ? library_encode(form->content, numbers, first, count, codes, error)
                 : motion_refuse_memory(error);
}

/* Positions of all joints: those of the first root, and of the others in the rest pose. */
static void widen(const pm_library_content *from, const float *roots, size_t count, float *out) {
    const size_t root = library_root(from);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3 * from->joint_count; k++)
            *out++ = k / 3 == root && roots ? roots[3 * i + k % 3] : (float)from->positions[k];
}

/* Positions of the first root. False: another joint leaves its place in the rest pose. */
static bool narrow(const pm_library_content *from, const float *all, size_t count, float *out) {
    const size_t root = library_root(from), joints = from->joint_count;
    for (size_t i = 0; i < count; i++, all += 3 * joints, out += 3) {
        for (size_t k = 0; k < 3 * joints; k++)
            if (k / 3 != root && all[k] != (float)from->positions[k])
                return false;
        memcpy(out, all + 3 * root, 3 * sizeof *out);
    }
    return true;
}

pm_status library_find_positions(const library_form *form, const pm_library_content *from,
                                 size_t first, size_t count, motion_arena *arena,
                                 const float **found, pm_error *error) {
    const size_t places = form->position_count, have = from->position_count;
    const float *given = from->key_positions ? from->key_positions + 3 * have * first : NULL;
    *found = given;
    if (given && have == places)
        return PM_OK;
    float *made = motion_allocate(arena, count, 3 * places * sizeof *made);
    *found = made;
    if (!made)
        return motion_refuse_memory(error);
    if (places > 1)
        widen(from, given, count, made);
    else if (given && !narrow(from, given, count, made))
        return motion_refuse(
            error, "moves joints beside the root, whose positions alone the library stores");
    for (size_t i = 0; !given && places == 1 && i < 3 * count; i++)
        made[i] = (float)from->positions[3 * library_root(from) + i % 3];
    return PM_OK;
}
