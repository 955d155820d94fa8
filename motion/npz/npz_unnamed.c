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
#include "motion/npz/npz_rotations.h"

/* ---- names -------------------------------------------------------------------------------- */

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

/* ---- numbers ------------------------------------------------------------------------------ */

/* Whether each of `rows` neighbours of `columns` numbers has length 1, and is at right angles to the
 * others. *plain: all numbers are 0 or 1, as in marks of contacts. */
static bool are_unit(const double *numbers, size_t rows, size_t columns, size_t stride,
                     bool *plain) {
    for (size_t a = 0; a < rows; a++)
        for (size_t b = a; b < rows; b++) {
            double dot = 0;
            for (size_t i = 0; i < columns; i++) {
                const double value = numbers[a * stride + i];
                dot += value * numbers[b * stride + i];
                *plain = *plain && (fabs(value) < 1e-6 || fabs(fabs(value) - 1) < 1e-6);
            }
            if (!(fabs(dot - (a == b)) <= 2e-3))
                return false;
        }
    return true;
}

/* Quaternions, (..., 4), or matrices, (..., 3, 3), (..., 3, 4), (..., 4, 4): what the numbers are. */
static const char *look_at(const npz_document *document, const npz_rows *rows) {
    const size_t rank = rows->header.rank, last = rows->header.shape[rank - 1];
    const size_t before = rank > 2 ? rows->header.shape[rank - 2] : 0;
    const bool matrix = (last == 3 || last == 4) && (before == 3 || before == 4) && last >= before;
    const size_t size = matrix ? before * last : 4;
    bool plain = true, quaternions = last == 4 && rank > 1, matrices = matrix;
    if (!rows->data || rows->width % size != 0)
        return NULL;
    for (size_t i = 0; (quaternions || matrices) && i < document->frames * rows->width / size;
         i++) {
        double n[16];
        npz_load_numbers(n, rows->data + i * size * rows->element, rows->element, size);
        for (size_t k = 0; quaternions && k < size; k += 4)
            quaternions = are_unit(n + k, 1, 4, 4, &plain);
        matrices = matrices && are_unit(n, 3, 3, last, &plain);
    }
    return plain ? NULL : quaternions ? "unit quaternions" : matrices ? "rotation matrices" : NULL;
}

/* ---- refusing ----------------------------------------------------------------------------- */

pm_status npz_check_unnamed(const npz_document *document, const npz_rows *rows, pm_error *error) {
    const zip_member *member = &document->archive.members[rows->member];
    char name[NAME];
    name_of(member, name);
    const char *what = is_named_rotation(name, rows->width) ? "the name of rotations" : NULL;
    what = what ? what : look_at(document, rows);
    if (!what)
        return PM_OK;
    (void)npz_refuse(error, member,
                     "has %s, and no layout names it; expected one that says how it is read", what);
    if (error)
        error->hint =
            "write --layout FILE.json: {\"extends\": \"amass\", \"rotations\": [{\"member\": "
            "\"NAME\", \"as\": \"quaternion-xyzw\"}]}, or its name under \"scalars\"";
    return PM_ERROR_FILE;
}
