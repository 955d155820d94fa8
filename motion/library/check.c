/* SPDX-License-Identifier: MIT
 *
 * What the content of a library must be, whether it comes from a file or from a caller. Keys, the
 * hierarchy and the rest pose are checked where a crowd is made of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/printable.h"
#include "motion/library/library.h"
#include "motion/model/names.h"

enum { LONGEST_NAME = 200 };

static pm_status refuse_name(const char *what, pm_motion_name name, const char *problem,
                             pm_error *error) {
    return motion_refuse(error, "%s: '%s' %s", what, MOTION_SHOWN(name.text, name.size), problem);
}

size_t library_root(const pm_library_content *c) {
    size_t root = 0;
    while (root < c->joint_count && c->parents[root] >= 0)
        root++;
    return root;
}

static bool are_below(const uint32_t *numbers, size_t count, size_t limit) {
    for (size_t i = 0; i < count; i++)
        if (numbers[i] >= limit)
            return false;
    return true;
}

static bool has_axis(const pm_library_content *c, size_t joint) {
    const double *axis = c->axes + 3 * joint;
    return axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
}

bool library_root_is_free(const pm_library_content *c) {
    const size_t root = library_root(c);
    if (c->coordinate_count == 0)
        return c->hinge_count > 0 && !has_axis(c, root);
    for (size_t i = 0; i < c->coordinate_count; i++)
        if (c->coordinates[i] == root)
            return true;
    return false;
}

size_t library_ball(const pm_library_content *c) {
    const size_t root = library_root(c);
    size_t i = 0;
    while (i < c->coordinate_count &&
           (c->coordinates[i] == root || c->coordinates[i] >= c->joint_count ||
            (c->axes && has_axis(c, c->coordinates[i]))))
        i++;
    return i;
}

/* They have all hinges in their order, and no joint twice. */
static pm_status check_coordinates(const pm_library_content *c, pm_error *error) {
    size_t hinges = 0;
    FREED bool *seen = calloc(c->joint_count, sizeof *seen);
    bool good = are_below(c->coordinates, c->coordinate_count, c->joint_count);
    if (!seen)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < c->coordinate_count && good; i++) {
        const uint32_t joint = c->coordinates[i];
        good = !seen[joint];
        seen[joint] = true;
        if (good && c->axes && has_axis(c, joint))
            good = hinges < c->hinge_count && c->hinges[hinges++] == joint;
    }
    return good && (c->coordinate_count == 0 || hinges == c->hinge_count)
               ? PM_OK
               : motion_refuse(error, "skeleton/coordinates: expected all hinges in their order, "
                                      "and no joint twice");
}

/* They are the joints that have an axis, each once. */
static pm_status check_hinges(const pm_library_content *c, pm_error *error) {
    size_t axes = 0;
    FREED bool *seen = calloc(c->joint_count, sizeof *seen);
    bool good = are_below(c->hinges, c->hinge_count, c->joint_count);
    if (!seen)
        return motion_refuse_memory(error);
    for (size_t j = 0; j < c->joint_count && c->axes; j++)
        axes += has_axis(c, j);
    for (size_t i = 0; i < c->hinge_count && good; i++) {
        good = !seen[c->hinges[i]] && has_axis(c, c->hinges[i]);
        seen[c->hinges[i]] = true;
    }
    return good && axes == c->hinge_count
               ? PM_OK
               : motion_refuse(error, "skeleton/hinges: are not the joints that have an axis");
}

pm_status library_check_skeleton(const pm_library_content *c, pm_error *error) {
    if (c->joint_count == 0 || c->joint_count > PM_SKELETON_MAX_JOINTS)
        return motion_refuse(error, "skeleton: has %zu joints, expected 1 to %d", c->joint_count,
                             PM_SKELETON_MAX_JOINTS);
    for (size_t j = 0; j < c->joint_count; j++)
        if (c->parents[j] < -1 || c->parents[j] >= (int64_t)c->joint_count)
            return motion_refuse(error, "skeleton/parents: expected -1 to %zu", c->joint_count - 1);
    if (library_root(c) == c->joint_count)
        return motion_refuse(error, "skeleton/parents: no joint is a root");
    if (c->hinge_count > 0 && (!c->axes || !c->references))
        return motion_refuse(error, "skeleton/axes: is missing");
    if (c->body_count == 0 || !are_below(c->bodies, c->body_count, c->joint_count))
        return motion_refuse(error, "skeleton/bodies: expected at least one, all of them joints");
    if (!are_below(c->dofs, c->dof_count, c->hinge_count))
        return motion_refuse(error, "skeleton/dofs: has a hinge that does not exist");
    MOTION_TRY(check_hinges(c, error));
    return check_coordinates(c, error);
}

static pm_status check_names(const pm_library_content *c, pm_error *error) {
    FREED motion_named *order = malloc(c->motion_count * sizeof *order);
    if (!order)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < c->motion_count; i++)
        order[i] = (motion_named){c->motions[i].name, (uint32_t)i};
    motion_sort_named(order, c->motion_count);
    for (size_t i = 1; i < c->motion_count; i++)
        if (motion_compare_names(order[i - 1].name, order[i].name) == 0)
            return refuse_name("motions", order[i].name, "is the name of two", error);
    return PM_OK;
}

/* Motions may share rows, and each has memory of its own in the crowd: more than that for a file is
 * refused, but for a little that any file may have. */
enum { MOST_SHARED = 4, LEAST_LIMIT = 1 << 20 /* frames times joints */ };

static pm_status check_frames(const pm_library_content *c, pm_error *error) {
    const uint64_t joints = c->joint_count > 0 ? c->joint_count : 1;
    uint64_t frames = 0;
    for (size_t i = 0; i < c->motion_count; i++) {
        frames += c->motions[i].frames;
        if (frames / MOST_SHARED > c->row_count && frames > LEAST_LIMIT / joints)
            return motion_refuse(error,
                                 "motions: have %llu frames and more of %llu rows; expected at "
                                 "most %d times as many",
                                 (unsigned long long)frames, (unsigned long long)c->row_count,
                                 (int)MOST_SHARED);
    }
    return PM_OK;
}

static pm_status check_motions(const pm_library_content *c, pm_error *error) {
    double sum = 0;
    if (c->motion_count == 0 || c->motion_count >= UINT32_MAX)
        return motion_refuse(error, "motions: expected at least one, and fewer than 2^32");
    for (size_t i = 0; i < c->motion_count; i++) {
        const pm_library_motion *m = &c->motions[i];
        MOTION_TRY(MOTION_CHECK_NEXT(pm_library_motion, m, error));
        if (m->frames == 0 || m->frames > c->row_count || m->first > c->row_count - m->frames ||
            m->rate.num <= 0 || m->rate.den <= 0)
            return refuse_name("motions", m->name, "has frames or a rate that do not exist", error);
        if (!(m->weight >= 0) || !isfinite(m->weight))
            return refuse_name("motions", m->name, "has a weight that is no number from 0 on",
                               error);
        sum += m->weight;
    }
    if (!(sum > 0))
        return motion_refuse(error, "motions/weight: expected numbers that are not all 0");
    MOTION_TRY(check_frames(c, error));
    return check_names(c, error);
}

size_t library_extra_size(const char *type) {
    static const char *const types[] = {"<f4", "|b1", "|i1", "|u1", "<i2",
                                        "<u2", "<i4", "<u4", "<i8", "<u8"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return (size_t)(type[2] - '0');
    return 0;
}

static bool is_printable(pm_motion_name name) {
    size_t characters = 0;
    for (size_t at = 0; at < name.size; characters++) {
        const size_t length = utf8_length(name.text + at, name.size - at);
        if (length == 0 || utf8_is_control(name.text + at, length) || name.text[at] == '/' ||
            name.text[at] == '\\')
            return false;
        at += length;
    }
    return characters > 0 && characters <= LONGEST_NAME;
}

/* Whether it begins as the fields of states do. */
static bool is_reserved(pm_motion_name name) {
    static const char *const reserved[] = {"body_", "dof_", "local_", "root_"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (name.size >= strlen(reserved[i]) &&
            memcmp(name.text, reserved[i], strlen(reserved[i])) == 0)
            return true;
    return false;
}

static bool is_finite(const pm_library_extra *e, size_t numbers) {
    const float *values = e->data;
    for (size_t i = 0; i < numbers && strcmp(e->type, "<f4") == 0; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static pm_status check_extra(const pm_library_content *c, const pm_library_extra *e,
                             pm_error *error) {
    npy_header header = {.rank = e->rank};
    size_t numbers = 0;
    MOTION_TRY(MOTION_CHECK_NEXT(pm_library_extra, e, error));
    if (!is_printable(e->name))
        return refuse_name("extras", e->name,
                           "is no name of printable characters without slashes, up to 200", error);
    if (is_reserved(e->name))
        return refuse_name("extras", e->name,
                           "names that begin with body_, dof_, local_, root_ are those of states",
                           error);
    if (e->rank == 0 || e->rank > PM_LIBRARY_MAX_RANK || e->shape[0] != c->row_count) {
        char frames[64];
        snprintf(frames, sizeof frames, "expected %llu frames", (unsigned long long)c->row_count);
        return refuse_name("extras", e->name, frames, error);
    }
    memcpy(header.shape, e->shape, sizeof header.shape);
    if (library_extra_size(e->type) == 0 || !npy_count(&header, &numbers) ||
        numbers > SIZE_MAX / library_extra_size(e->type))
        return refuse_name("extras", e->name, "expected real numbers or booleans", error);
    if (!e->data)
        return refuse_name("extras", e->name, "has no data", error);
    return is_finite(e, numbers)
               ? PM_OK
               : refuse_name("extras", e->name, "has a number that is not finite", error);
}

const char *library_key_word(pm_key_format format) {
    static const char *const words[] = {"float32", "log48", "smallest48"};
    return (size_t)format < sizeof words / sizeof *words ? words[format] : NULL;
}

pm_status library_check(const pm_library_content *c, pm_error *error) {
    const pm_method_info *method = pm_method_get_info(c->method);
    if (!method || !library_key_word(c->key_format))
        return motion_refuse(error, "format: has a method or a key format that does not exist");
    if (c->key_codes && (c->hinge_count > 0 || !pm_keys_row_bytes(c->key_format, 1)))
        return motion_refuse(error, "rot: has codes, but no key format of 48 bits, or hinges");
    if (c->row_count > SIZE_MAX / (16 * (uint64_t)PM_SKELETON_MAX_JOINTS))
        return motion_refuse(error, "motions: has too many frames");
    MOTION_TRY(library_check_skeleton(c, error));
    MOTION_TRY(check_motions(c, error));
    for (size_t i = 0; i < c->extra_count; i++)
        MOTION_TRY(check_extra(c, &c->extras[i], error));
    return PM_OK;
}
