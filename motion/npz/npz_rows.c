/* SPDX-License-Identifier: MIT
 *
 * Finds the members with a row per frame: those of the layout, whose shapes must fit their roles,
 * and all others that have as many rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"

enum {
    MAX_CHANNELS = 65536, /* of one member; far more than any skeleton has joints */
    MAX_FRAMES = (1 << 30) - 2
};

/* ---- messages --------------------------------------------------------------------------- */

static pm_status refuse_shape(const npz_document *document, const npz_rows *rows,
                              const char *expected, pm_error *error) {
    char shape[96];
    npy_shape_text(rows->header.rank, rows->header.shape, shape, sizeof shape);
    return npz_refuse(error, &document->archive.members[rows->member],
                      "has shape %s and type '%s'; expected %s", shape, rows->header.type,
                      expected);
}

/* ---- arrays ----------------------------------------------------------------------------- */

/* Reads the header from the first bytes. False with a reason, also for members that are damaged. */
static bool peek_header(const zip_member *member, npy_header *header, char *reason) {
    char first[1024];
    size_t size = zip_peek(member, first, sizeof first);
    if (npy_read_header(first, size, header, reason) || size < sizeof first)
        return reason[0] == '\0';
    char *more = malloc(NPY_MAX_SIZE); /* a long header */
    size = more ? zip_peek(member, more, NPY_MAX_SIZE) : 0;
    const bool good = npy_read_header(more, size, header, reason);
    free(more);
    return good;
}

static pm_status check_size(const zip_member *member, const npy_header *header, uint64_t size,
                            pm_error *error) {
    const size_t element = npy_element_size(header->type);
    const uint64_t rest = size - header->data_at;
    size_t count = 0;
    if (element == 0)
        return npz_refuse(error, member, "has type '%s'; expected plain numbers", header->type);
    if (size < header->data_at || !npy_count(header, &count) || count > SIZE_MAX / element ||
        count * element != rest)
        return npz_refuse(error, member, "has %llu bytes of data, which are not those of its shape",
                          (unsigned long long)rest);
    return PM_OK;
}

/* What a large member cannot be is seen before it is extracted. */
static pm_status check_large(const zip_member *member, npy_header *header, pm_error *error) {
    char reason[NPY_REASON_SIZE] = "";
    const pm_status status = zip_check(member, error);
    if (status != PM_OK)
        return status;
    return peek_header(member, header, reason)
               ? check_size(member, header, member->size, error)
               : npz_refuse(error, member, "cannot be used: %s", reason);
}

pm_status npz_load(npz_document *document, size_t member, npy_header *header, zip_bytes *bytes,
                   pm_error *error) {
    enum { LARGE = 1 << 20, MOST_READ = 16 << 20, MOST_IN_ALL = 64 << 20 };
    const zip_member *m = &document->archive.members[member];
    char reason[NPY_REASON_SIZE] = "";
    const bool is_there = document->owned[member] != NULL;
    pm_status status = PM_OK;
    *bytes = (zip_bytes){document->owned[member], (size_t)m->size};
    if (!is_there && m->size > LARGE)
        status = check_large(m, header, error);
    if (status == PM_OK && document->headers_only && !is_there && m->size > LARGE &&
        (m->size > MOST_READ || document->extracted + m->size > MOST_IN_ALL)) {
        document->unread++;
        return PM_OK;
    }
    if (status == PM_OK && !is_there) {
        status = zip_extract(m, bytes, &document->owned[member], error);
        document->extracted += m->size;
    }
    if (status != PM_OK)
        return status;
    if (!npy_read_header(bytes->data, bytes->size, header, reason))
        return npz_refuse(error, m, "cannot be used: %s", reason);
    return check_size(m, header, bytes->size, error);
}

/* Numbers of a row; the product of the axes but the first. */
static size_t width_of(const npy_header *header) {
    size_t width = 1;
    for (size_t i = 1; i < header->rank; i++)
        width *= header->shape[i];
    return width;
}

/* Loads a member, in C order. */
static pm_status load_rows(npz_document *document, size_t member, npz_rows *rows,
                           motion_arena *arena, pm_error *error) {
    zip_bytes bytes;
    rows->member = member;
    const pm_status status = npz_load(document, member, &rows->header, &bytes, error);
    if (status != PM_OK)
        return status;
    if (rows->header.rank == 0 || rows->header.shape[0] == 0)
        return refuse_shape(document, rows, "a row per frame", error);
    rows->element = npy_element_size(rows->header.type);
    rows->data = bytes.data ? bytes.data + rows->header.data_at : NULL;
    rows->width = bytes.size > rows->header.data_at ? width_of(&rows->header) : 0;
    if (!rows->data || !rows->header.fortran_order || rows->width < 2)
        return PM_OK;
    char *copy = motion_allocate(arena, rows->header.shape[0] * rows->width, rows->element);
    if (!copy)
        return motion_refuse_memory(error);
    npz_to_c_order(copy, rows->data, &rows->header, rows->element);
    rows->data = copy;
    return PM_OK;
}

/* ---- roles ------------------------------------------------------------------------------ */

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

static pm_status check_shape(const npz_document *document, npz_rows *rows, pm_error *error) {
    const npy_header *h = &rows->header;
    const char *expected;
    const size_t group = group_of(rows->role, &expected);
    const bool triples = rows->role == NPZ_AXIS_ANGLE || rows->role == NPZ_PART;
    const size_t last = h->shape[h->rank - 1];
    if (!npz_is_float(h->type) || rows->width == 0 || rows->width > UINT32_MAX ||
        (group > 1 && (h->rank < 2 || last % group != 0 || (!triples && last != group))))
        return refuse_shape(document, rows, expected, error);
    if (h->shape[0] != document->frames)
        return npz_refuse(error, &document->archive.members[rows->member],
                          "has %zu rows; expected %zu, the number of frames", h->shape[0],
                          document->frames);
    rows->channel_count = group > 1 ? rows->width / group : 1;
    if (rows->channel_count > MAX_CHANNELS)
        return npz_refuse(error, &document->archive.members[rows->member],
                          "has %zu channels; expected at most %d", rows->channel_count,
                          (int)MAX_CHANNELS);
    return PM_OK;
}

static pm_status fill_gaps(const npz_document *document, npz_rows *rows, motion_gaps *gaps,
                           motion_arena *arena, pm_error *error) {
    const size_t count = document->frames * rows->width;
    char *copy = motion_allocate(arena, count, rows->element), shown[MOTION_PRINTABLE];
    size_t found = 0;
    if (!copy)
        return motion_refuse_memory(error);
    memcpy(copy, rows->data, count * rows->element);
    const size_t at = motion_fill_gaps(copy, rows->element, document->frames, rows->width, &found);
    motion_add_gap(gaps, "member '%s', frame %zu, index %zu",
                   npz_shown(shown, &document->archive.members[rows->member]), at / rows->width,
                   at % rows->width);
    gaps->count += found - 1;
    rows->data = copy;
    return PM_OK;
}

/* The index of the first number that is not finite; the number of numbers if all are, or were not read. */
static size_t find_not_finite(const npz_document *document, const npz_rows *rows) {
    const size_t count = document->frames * rows->width;
    return rows->data ? npz_find_not_finite(rows->data, rows->element, count) : count;
}

static pm_status check_finite(const npz_document *document, npz_rows *rows, motion_gaps *gaps,
                              motion_arena *arena, pm_error *error) {
    const size_t at = find_not_finite(document, rows);
    if (at == document->frames * rows->width)
        return PM_OK;
    if (gaps && gaps->keeps_nan)
        return PM_OK;
    if (gaps)
        return fill_gaps(document, rows, gaps, arena, error);
    (void)npz_refuse(error, &document->archive.members[rows->member],
                     "is not finite at frame %zu, index %zu; expected finite numbers",
                     at / rows->width, at % rows->width);
    motion_cure_gaps(error);
    return PM_ERROR_FILE;
}

/* ---- members of the layout ---------------------------------------------------------------- */

static size_t find_rows(const npz_layout *layout, const char *name, const size_t *row_of_field) {
    for (size_t f = 0; f < layout->count && name; f++)
        if (strcmp(layout->fields[f].member, name) == 0)
            return row_of_field[f];
    return SIZE_MAX;
}

/* A velocity has the shape of what it is the derivative of; angular ones 3 numbers per joint. */
static pm_status check_velocity(const npz_document *document, const npz_rows *rows,
                                pm_error *error) {
    const npz_rows *of = &document->rows[rows->of];
    const bool angular = npz_is_rotation(of->role);
    const size_t width = angular ? 3 * of->channel_count : of->width;
    char shown[MOTION_PRINTABLE];
    if (rows->width == width)
        return PM_OK;
    return npz_refuse(error, &document->archive.members[rows->member],
                      "has %zu numbers in a row; expected %zu, the velocities of '%s'", rows->width,
                      width, npz_shown(shown, &document->archive.members[of->member]));
}

/* A part of a member that the file lacks is a member of its own. So is a velocity, a scalar then. */
static void resolve(const npz_layout *layout, const npz_field *field, const size_t *row_of_field,
                    npz_rows *rows) {
    rows->role = field->role;
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

static pm_status add_field(npz_document *document, const npz_layout *layout, size_t field,
                           size_t *row_of_field, motion_gaps *gaps, motion_arena *arena,
                           pm_error *error) {
    const npz_field *f = &layout->fields[field];
    npz_rows *rows = &document->rows[document->row_count];
    size_t member;
    if (f->role == NPZ_CONSTANT || f->role == NPZ_RATE)
        return PM_OK;
    pm_status status = npz_find(&document->archive, f->member, &member, error);
    if (status != PM_OK || member == SIZE_MAX)
        return status;
    resolve(layout, f, row_of_field, rows);
    status = load_rows(document, member, rows, arena, error);
    if (status != PM_OK)
        return status;
    if (document->frames == 0)
        document->frames = rows->header.shape[0];
    if (document->frames > MAX_FRAMES)
        return npz_refuse(error, &document->archive.members[member],
                          "has %zu rows; expected at most %d frames", document->frames,
                          (int)MAX_FRAMES);
    status = check_shape(document, rows, error);
    if (status == PM_OK)
        status = check_finite(document, rows, gaps, arena, error);
    if (status == PM_OK && rows->role == NPZ_VELOCITY)
        status = check_velocity(document, rows, error);
    row_of_field[field] = document->row_count++;
    return status;
}

/* ---- all other members --------------------------------------------------------------------- */

static bool is_known(const npz_document *document, const npz_layout *layout, size_t member) {
    const zip_bytes name = document->archive.members[member].name;
    for (size_t i = 0; i < document->rate_count; i++)
        if (document->rates[i].member == member)
            return true;
    if (document->has_times && document->times_member == member)
        return true;
    for (size_t f = 0; f < layout->count; f++)
        if (strlen(layout->fields[f].member) + 4 == name.size &&
            memcmp(layout->fields[f].member, name.data, name.size - 4) == 0)
            return true;
    return false;
}

/* Whether the member is an array with a row per frame, as far as its first bytes tell. */
static bool has_rows(const npz_document *document, const zip_member *member, npy_header *header) {
    char reason[NPY_REASON_SIZE] = "";
    const zip_bytes name = member->name;
    if (name.size < 4 || memcmp(name.data + name.size - 4, ".npy", 4) != 0)
        return false;
    return peek_header(member, header, reason) && header->rank > 0 &&
           header->shape[0] == document->frames;
}

static pm_status add_other(npz_document *document, const motion_input *input, size_t member,
                           motion_arena *arena, pm_error *error) {
    const zip_member *m = &document->archive.members[member];
    npz_rows *rows = &document->rows[document->row_count];
    char shown[MOTION_PRINTABLE];
    npy_header header;
    if (!has_rows(document, m, &header))
        return PM_OK;
    if (npy_element_size(header.type) == 0) {
        motion_warn(
            &input->warnings,
            "member '%s' has a row per frame of type '%s', which is not read; it is carried "
            "over as it is",
            npz_shown(shown, m), header.type);
        return PM_OK;
    }
    const pm_status status = load_rows(document, member, rows, arena, error);
    if (status != PM_OK)
        return status;
    rows->role = NPZ_NEAREST;
    document->row_count++;
    if (rows->header.type[1] != 'f' || rows->width == 0)
        return PM_OK;
    if (!npz_is_float(rows->header.type) || rows->width > UINT32_MAX ||
        find_not_finite(document, rows) != document->frames * rows->width) {
        motion_warn(&input->warnings,
                    "member '%s' of type '%s' is not interpolated, because its numbers are not "
                    "finite, or not float32 or float64: it takes the nearest earlier frame",
                    npz_shown(shown, m), rows->header.type);
        return PM_OK;
    }
    rows->role = NPZ_SCALAR;
    rows->channel_count = 1;
    return npz_check_unnamed(document, rows, error);
}

/* ---- parts --------------------------------------------------------------------------------- */

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
static pm_status check_parts(npz_document *document, const motion_input *input, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    for (size_t w = 0; w < document->row_count; w++) {
        size_t parts;
        if (document->rows[w].role != NPZ_AXIS_ANGLE || join_parts(document, w, &parts))
            continue;
        const zip_member *m = &document->archive.members[document->rows[w].member];
        if (input->options->strict)
            return npz_refuse(error, m, "is not its %zu parts side by side", parts);
        motion_warn(&input->warnings,
                    "member '%s' is not its %zu parts side by side; each is resampled by itself",
                    npz_shown(shown, m), parts);
        for (size_t i = 0; i < document->row_count; i++)
            if (document->rows[i].role == NPZ_PART && document->rows[i].of == w)
                document->rows[i].role = NPZ_AXIS_ANGLE;
    }
    return PM_OK;
}

pm_status npz_find_rows(npz_document *document, const motion_input *input, const npz_layout *layout,
                        motion_arena *arena, pm_error *error) {
    size_t *row_of_field = motion_allocate(arena, layout->count, sizeof *row_of_field);
    document->rows = motion_allocate(arena, document->archive.count, sizeof *document->rows);
    if (!row_of_field || !document->rows)
        return motion_refuse_memory(error);
    pm_status status = PM_OK;
    for (size_t f = 0; f < layout->count; f++)
        row_of_field[f] = SIZE_MAX;
    for (size_t f = 0; f < layout->count && status == PM_OK; f++)
        status = add_field(document, layout, f, row_of_field, input->gaps, arena, error);
    for (size_t i = 0; i < document->archive.count && status == PM_OK; i++)
        if (!is_known(document, layout, i))
            status = add_other(document, input, i, arena, error);
    return status == PM_OK ? check_parts(document, input, error) : status;
}
