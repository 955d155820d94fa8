/* SPDX-License-Identifier: MIT
 *
 * Finds the members with a row per frame: those of the layout, whose shapes must fit their roles,
 * and all others that have as many rows.
 */
#include <string.h>

#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"

enum {
    MAX_CHANNELS = 65536, /* of one member; far more than any skeleton has joints */
    MAX_FRAMES = (1 << 30) - 2
};

static pm_status refuse_shape(const npz_reading *r, const npz_rows *rows, const char *expected) {
    char shape[96];
    npy_shape_text(rows->header.rank, rows->header.shape, shape, sizeof shape);
    return npz_refuse(r->error, &r->members[rows->member],
                      "has shape %s and type '%s'; expected %s", shape, rows->header.type,
                      expected);
}

/* Numbers of a row; the product of the axes but the first. */
static size_t width_of(const npy_header *header) {
    size_t width = 1;
    for (size_t i = 1; i < header->rank; i++)
        width *= header->shape[i];
    return width;
}

/* Loads a member, in C order. */
static pm_status load_rows(npz_reading *r, size_t member, npz_rows *rows) {
    zip_bytes bytes;
    rows->member = member;
    r->document->uses[member] = (npz_use){NPZ_ROWS, r->document->row_count};
    MOTION_TRY(npz_load(r, member, &rows->header, &bytes));
    if (rows->header.rank == 0 || rows->header.shape[0] == 0)
        return refuse_shape(r, rows, "a row per frame");
    rows->element = npy_element_size(rows->header.type);
    rows->data = bytes.data ? bytes.data + rows->header.data_at : NULL;
    rows->width = bytes.size > rows->header.data_at ? width_of(&rows->header) : 0;
    if (!rows->data || !rows->header.fortran_order || rows->width < 2)
        return PM_OK;
    char *copy = motion_allocate(r->arena, rows->header.shape[0] * rows->width, rows->element);
    MOTION_TRY_MEMORY(copy, r->error);
    npz_reorder(copy, rows->data, &rows->header, rows->element, false);
    rows->data = copy;
    return PM_OK;
}

/* Numbers that belong to one channel, and the shape for the message. */
static size_t group_of(npz_role role, const char **expected) {
    switch (role) {
    case NPZ_AXIS_ANGLE:
    case NPZ_PART:
        *expected = "(frames, 3 * joints) of float32 or float64";
        return 3;
    case NPZ_XYZW:
    case NPZ_WXYZ:
        *expected = "(frames, joints, 4) of float32 or float64";
        return 4;
    case NPZ_VECTOR:
        *expected = "(frames, 3) or (frames, points, 3) of float32 or float64";
        return 3;
    default:
        *expected = "a row of float32 or float64 per frame";
        return 1;
    }
}

static pm_status check_shape(const npz_reading *r, npz_rows *rows) {
    const npy_header *h = &rows->header;
    const zip_member *member = &r->members[rows->member];
    const char *expected;
    const size_t group = group_of(rows->role, &expected), last = h->shape[h->rank - 1];
    const bool triples = rows->role == NPZ_AXIS_ANGLE || rows->role == NPZ_PART;
    if (!npz_is_float(h->type) || rows->width == 0 || rows->width > UINT32_MAX ||
        (group > 1 && (h->rank < 2 || last % group != 0 || (!triples && last != group))))
        return refuse_shape(r, rows, expected);
    if (h->shape[0] != r->document->frames)
        return npz_refuse(r->error, member, "has %zu rows; expected %zu, the number of frames",
                          h->shape[0], r->document->frames);
    rows->channel_count = group > 1 ? rows->width / group : 1;
    if (rows->channel_count > MAX_CHANNELS)
        return npz_refuse(r->error, member, "has %zu channels; expected at most %d",
                          rows->channel_count, (int)MAX_CHANNELS);
    return PM_OK;
}

static pm_status fill_gaps(const npz_reading *r, npz_rows *rows) {
    const size_t frames = r->document->frames, count = frames * rows->width;
    motion_gaps *gaps = r->input->gaps;
    char *copy = motion_allocate(r->arena, count, rows->element), shown[MOTION_PRINTABLE];
    size_t found = 0;
    MOTION_TRY_MEMORY(copy, r->error);
    memcpy(copy, rows->data, count * rows->element);
    const size_t at = motion_fill_gaps(copy, rows->element, frames, rows->width, &found);
    motion_add_gap(gaps, "member '%s', frame %zu, index %zu",
                   npz_shown(shown, &r->members[rows->member]), at / rows->width, at % rows->width);
    gaps->count += found - 1;
    rows->data = copy;
    return PM_OK;
}

/* The index of the first number that is not finite; the number of numbers if all are, or were not read. */
static size_t find_not_finite(const npz_reading *r, const npz_rows *rows) {
    const size_t count = r->document->frames * rows->width;
    return rows->data ? npz_find_not_finite(rows->data, rows->element, count) : count;
}

static pm_status check_finite(const npz_reading *r, npz_rows *rows) {
    const size_t at = find_not_finite(r, rows);
    if (at == r->document->frames * rows->width || (r->input->gaps && r->input->gaps->keeps_nan))
        return PM_OK;
    if (r->input->gaps)
        return fill_gaps(r, rows);
    (void)npz_refuse(r->error, &r->members[rows->member],
                     "is not finite at frame %zu, index %zu; expected finite numbers",
                     at / rows->width, at % rows->width);
    motion_cure_gaps(r->error);
    return PM_ERROR_FILE;
}

static size_t find_rows(const npz_layout *layout, const char *name, const size_t *row_of_field) {
    for (size_t f = 0; f < layout->count && name; f++)
        if (strcmp(layout->fields[f].member, name) == 0)
            return row_of_field[f];
    return SIZE_MAX;
}

/* A velocity has the shape of what it is the derivative of; angular ones 3 numbers per joint. */
static pm_status check_velocity(const npz_reading *r, const npz_rows *rows) {
    const npz_rows *of = &r->document->rows[rows->of];
    const size_t width = npz_is_rotation(of->role) ? 3 * of->channel_count : of->width;
    if (rows->width == width)
        return PM_OK;
    return npz_refuse(r->error, &r->members[rows->member],
                      "has %zu numbers in a row; expected %zu, the velocities of '%s'", rows->width,
                      width, NPZ_SHOWN(&r->members[of->member]));
}

/* A part of a member that the file lacks is a member of its own. So is a velocity, a scalar then. */
static void resolve(const npz_layout *layout, const npz_field *field, const size_t *row_of_field,
                    npz_rows *rows) {
    rows->role = field->role == NPZ_QUATERNION ? layout->order : field->role;
    rows->named = true;
    rows->names = field->names;
    rows->of = find_rows(layout, field->of, row_of_field);
    if (field->role == NPZ_PART && rows->of == SIZE_MAX)
        rows->role = NPZ_AXIS_ANGLE;
    if (field->role == NPZ_VELOCITY && rows->of == SIZE_MAX) {
        rows->role = NPZ_SCALAR;
        rows->named = false;
    }
}

static pm_status add_field(npz_reading *r, size_t field, size_t *row_of_field) {
    const npz_field *f = &r->layout.fields[field];
    npz_document *d = r->document;
    npz_rows *rows = &d->rows[d->row_count];
    size_t member;
    if (f->role == NPZ_CONSTANT || f->role == NPZ_RATE)
        return PM_OK;
    pm_status status = npz_find(&d->archive, f->member, &member, r->error);
    if (status != PM_OK || member == SIZE_MAX)
        return status;
    resolve(&r->layout, f, row_of_field, rows);
    MOTION_TRY(load_rows(r, member, rows));
    if (d->frames == 0)
        d->frames = rows->header.shape[0];
    if (d->frames > MAX_FRAMES)
        return npz_refuse(r->error, &r->members[member], "has %zu rows; expected at most %d frames",
                          d->frames, (int)MAX_FRAMES);
    MOTION_TRY(check_shape(r, rows));
    MOTION_TRY(check_finite(r, rows));
    if (rows->role == NPZ_VELOCITY)
        MOTION_TRY(check_velocity(r, rows));
    row_of_field[field] = d->row_count++;
    return PM_OK;
}

static bool is_known(const npz_reading *r, size_t member) {
    bool known = r->document->uses[member].as != NPZ_CARRIED;
    for (size_t f = 0; f < r->layout.count && !known; f++)
        known = npz_is_named(&r->members[member], r->layout.fields[f].member);
    return known;
}

/* Whether the member is an array with a row per frame, as far as its first bytes tell. */
static bool has_rows(const npz_document *document, const zip_member *member, npy_header *header) {
    char reason[NPY_REASON_SIZE] = "";
    const zip_bytes name = member->name;
    if (name.size < 4 || memcmp(name.data + name.size - 4, ".npy", 4) != 0)
        return false;
    return npz_peek_header(member, header, reason) && header->rank > 0 &&
           header->shape[0] == document->frames;
}

static pm_status add_other(npz_reading *r, size_t member) {
    npz_document *d = r->document;
    npz_rows *rows = &d->rows[d->row_count];
    npy_header header;
    if (!has_rows(d, &r->members[member], &header))
        return PM_OK;
    if (npy_element_size(header.type) == 0) {
        npz_warn(r, member,
                 "has a row per frame of type '%s', which is not read; it is carried over as it is",
                 header.type);
        return PM_OK;
    }
    MOTION_TRY(load_rows(r, member, rows));
    rows->role = NPZ_NEAREST;
    d->row_count++;
    if (rows->header.type[1] != 'f' || rows->width == 0)
        return PM_OK;
    if (!npz_is_float(rows->header.type) || rows->width > UINT32_MAX ||
        find_not_finite(r, rows) != d->frames * rows->width) {
        npz_warn(r, member,
                 "of type '%s' is not interpolated, because its numbers are not finite, or not "
                 "float32 or float64: it takes the nearest earlier frame",
                 rows->header.type);
        return PM_OK;
    }
    rows->role = NPZ_SCALAR;
    rows->channel_count = 1;
    return npz_check_unnamed(r, rows);
}

static bool equal_columns(const npz_document *document, const npz_rows *whole,
                          const npz_rows *part) {
    const bool is_float = whole->element == sizeof(float) || part->element == sizeof(float);
    for (size_t f = 0; f < document->frames && whole->data && part->data; f++) {
        const char *a = whole->data + (f * whole->width + part->column) * whole->element;
        const char *b = part->data + f * part->width * part->element;
        if (whole->element == part->element) {
            if (memcmp(a, b, part->width * part->element) != 0)
                return false;
            continue;
        }
        for (size_t i = 0; i < part->width; i++) {
            double x, y;
            npz_load_numbers(&x, a + i * whole->element, whole->element, 1);
            npz_load_numbers(&y, b + i * part->element, part->element, 1);
            if (is_float ? (float)x != (float)y : x != y)
                return false;
        }
    }
    return true;
}

/* Places the parts of a whole side by side. False if they are not its columns. */
static bool join_parts(npz_document *document, size_t whole, size_t *parts) {
    const npz_rows *w = &document->rows[whole];
    size_t column = 0;
    bool good = true;
    *parts = 0;
    for (size_t i = 0; i < document->row_count; i++) {
        npz_rows *part = &document->rows[i];
        if (part->role != NPZ_PART || part->of != whole)
            continue;
        part->column = column;
        good = good && part->width <= w->width - column && equal_columns(document, w, part);
        column += good ? part->width : 0;
        ++*parts;
    }
    return good && (*parts == 0 || column == w->width);
}

/* Parts that are not the columns of their whole are rotations of their own. */
static pm_status check_parts(const npz_reading *r) {
    npz_document *d = r->document;
    for (size_t w = 0; w < d->row_count; w++) {
        size_t parts;
        if (d->rows[w].role != NPZ_AXIS_ANGLE || join_parts(d, w, &parts))
            continue;
        MOTION_TRY(npz_doubt(r, d->rows[w].member, "; each is resampled by itself",
                             "is not its %zu parts side by side", parts));
        for (size_t i = 0; i < d->row_count; i++)
            if (d->rows[i].role == NPZ_PART && d->rows[i].of == w)
                d->rows[i].role = NPZ_AXIS_ANGLE;
    }
    return PM_OK;
}

pm_status npz_find_rows(npz_reading *r) {
    const size_t fields = r->layout.count, members = r->document->archive.count;
    size_t *row_of_field = motion_allocate(r->arena, fields, sizeof *row_of_field);
    r->document->rows = motion_allocate(r->arena, members, sizeof *r->document->rows);
    MOTION_TRY_MEMORY(row_of_field && r->document->rows, r->error);
    for (size_t f = 0; f < fields; f++)
        row_of_field[f] = SIZE_MAX;
    for (size_t f = 0; f < fields; f++)
        MOTION_TRY(add_field(r, f, row_of_field));
    for (size_t i = 0; i < members; i++)
        if (!is_known(r, i))
            MOTION_TRY(add_other(r, i));
    return check_parts(r);
}
