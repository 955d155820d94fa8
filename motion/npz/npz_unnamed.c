/* SPDX-License-Identifier: MIT
 *
 * Members that no layout names, and that are rotations by their name or by their numbers: interpolated
 * number by number they would be wrong by up to half a turn.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"

enum { NAME = 128 };

/* Words that name rotations, and numbers that a row of them is a multiple of. */
static const struct {
    const char *word;
    size_t sizes[2];
} words[] = {{"quat", {4, 4}},      {"euler", {1, 1}},      {"rot", {3, 4}},
             {"orient", {3, 4}},    {"pose", {3, 7}},       {"axis_angle", {3, 3}},
             {"axisangle", {3, 3}}, {"angle_axis", {3, 3}}, {"rpy", {3, 3}}};

/* Words that make something else of it. */
static const char *const harmless[] = {"vel",   "speed",  "acc",   "mask",   "count",   "num_",
                                       "valid", "confid", "_conf", "score",  "weight",  "error",
                                       "loss",  "index",  "_idx",  "label",  "contact", "torque",
                                       "force", "rotor",  "proto", "protei", NULL};

static bool is_named_rotation(const char *name, size_t width) {
    for (size_t i = 0; harmless[i]; i++)
        if (strstr(name, harmless[i]))
            return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i].word) &&
            (width % words[i].sizes[0] == 0 || width % words[i].sizes[1] == 0))
            return true;
    return false;
}

/* The name in small letters, without folders and `.npy`. */
static void name_of(const zip_member *member, char out[NAME]) {
    const char *at = member->name.data;
    size_t size = member->name.size - 4, used = 0;
    for (size_t i = 0; i < size && used + 1 < NAME; i++)
        out[used++] = (char)tolower((unsigned char)at[i]);
    out[used] = '\0';
}

/* Numbers of one rotation: `rows` vectors of length 1 at right angles to each other. */
typedef struct rotation_shape {
    const char *what;
    size_t rows, columns;
    size_t stride, step; /* from a row to the next, and from a column to the next */
    size_t size;
} rotation_shape;

/* *plain: all numbers are 0 or 1, as in marks of contacts. */
static bool are_unit(const double *numbers, const rotation_shape *shape, bool *plain) {
    for (size_t a = 0; a < shape->rows; a++)
        for (size_t b = a; b < shape->rows; b++) {
            double dot = 0;
            for (size_t i = 0; i < shape->columns; i++) {
                const double value = numbers[a * shape->stride + i * shape->step];
                dot += value * numbers[b * shape->stride + i * shape->step];
                *plain = *plain && (fabs(value) < 1e-6 || fabs(fabs(value) - 1) < 1e-6);
            }
            if (!(fabs(dot - (a == b)) <= 2e-3))
                return false;
        }
    return true;
}

static bool are_all(const rotation_shape *shape, const npz_rows *rows, size_t count) {
    bool plain = true;
    for (size_t i = 0; i < count; i++) {
        double n[16];
        npz_load_numbers(n, rows->data + i * shape->size * rows->element, rows->element,
                         shape->size);
        if (!are_unit(n, shape, &plain))
            return false;
    }
    return !plain;
}

/* Matrices (..., 3, 3), (..., 3, 4), (..., 4, 4) and (..., 9 k), quaternions (..., 4 k), and two rows or
 * columns of matrices (..., 6 k): what the numbers are. */
static const char *look_at(size_t frames, const npz_rows *rows) {
    const size_t rank = rows->header.rank, last = rows->header.shape[rank - 1];
    const size_t before = rank > 2 ? rows->header.shape[rank - 2] : 0;
    const bool matrix = (last == 3 || last == 4) && (before == 3 || before == 4) && last >= before;
    const rotation_shape shapes[] = {{"rotation matrices", 3, 3, last, 1, before * last},
                                     {"unit quaternions", 1, 4, 4, 1, 4},
                                     {"rotation matrices", 3, 3, 3, 1, 9},
                                     {"two rows of rotation matrices", 2, 3, 3, 1, 6},
                                     {"two columns of rotation matrices", 2, 3, 1, 2, 6}};
    if (!rows->data || rank < 2)
        return NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const size_t size = shapes[i].size;
        if ((i == 0 ? matrix : last % size == 0) && rows->width % size == 0 &&
            are_all(&shapes[i], rows, frames * rows->width / size))
            return shapes[i].what;
    }
    return NULL;
}

pm_status npz_check_unnamed(const npz_reading *r, const npz_rows *rows) {
    const zip_member *member = &r->members[rows->member];
    char name[NAME];
    name_of(member, name);
    const char *what = is_named_rotation(name, rows->width) ? "the name of rotations"
                                                            : look_at(r->document->frames, rows);
    if (!what)
        return PM_OK;
    (void)npz_refuse(r->error, member,
                     "has %s, and no layout names it; expected one that says how it is read", what);
    motion_cure(r->error, "layout", "FILE.json",
                "says how: {\"extends\": \"amass\", \"rotations\": [{\"member\": "
                "\"NAME\", \"as\": \"quaternion-xyzw\"}]}, or its name under \"scalars\"");
    return PM_ERROR_FILE;
}
