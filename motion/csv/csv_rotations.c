/* SPDX-License-Identifier: MIT
 *
 * Rotations of CSV files as quaternions, and the search for columns that are none.
 */
#include <math.h>

#include "motion/csv/csv.h"
#include "motion/model/similarity.h"

bool csv_is_rotation(const csv_group *group) {
    return group->form >= CSV_XYZW;
}

/* What rows say about the columns of a quaternion. */
typedef struct evidence {
    size_t odd, far; /* rows that are not unit within 1e-3, and within a tenth */
    size_t first_far;
    bool next_is_unit; /* the four columns one to the right are unit in all rows */
    bool steps;        /* the first column rises by equal steps, as times and indices do */
} evidence;

static bool rises_evenly(const csv_document *d) {
    const size_t width = d->column_count;
    if (d->row_count < 3)
        return false;
    const double first = d->numbers[0], last = d->numbers[(d->row_count - 1) * width];
    const double step = (last - first) / (double)(d->row_count - 1);
    bool even = step > 0;
    for (size_t r = 1; r < d->row_count && even; r++)
        even = fabs(d->numbers[r * width] - d->numbers[(r - 1) * width] - step) <= 0.25 * step;
    return even;
}

static evidence examine(const csv_document *d, size_t column) {
    evidence e = {.steps = rises_evenly(d), .next_is_unit = column + 5 <= d->column_count};
    for (size_t r = 0; r < d->row_count; r++) {
        const double *q = d->numbers + r * d->column_count + column;
        const double length = quat_length(q);
        e.odd += !quat_is_unit(q);
        if (length > 0 && (length < 0.9 || length > 1.1) && e.far++ == 0)
            e.first_far = r;
        e.next_is_unit = e.next_is_unit && quat_is_unit(q + 1);
    }
    return e;
}

static pm_status refuse_columns(const csv_document *d, const csv_group *g, const evidence *e,
                                pm_error *error) {
    const double *q = d->numbers + e->first_far * d->column_count + g->column;
    const bool shifted = e->steps || e->next_is_unit;
    motion_report(error, PM_ERROR_FILE,
                  "line %zu, columns %zu to %zu are no quaternion: its length is %.4g; %s",
                  csv_line_of(d, e->first_far), g->column + 1, g->column + 4, quat_length(q),
                  shifted ? "the first column looks like a time or an index"
                          : "expected unit quaternions");
    if (shifted)
        motion_cure(error, "layout", "time,position,quaternion-xyzw",
                    "says what the columns are; index may be in place of time");
    else
        motion_cure(error, "layout", "position,euler-xyz",
                    "says what the columns are: degrees, or euler-xyz-radians; robot takes them as "
                    "quaternions");
    return PM_ERROR_FILE;
}

/* A few odd rows are faults of the recording; most of them are other columns. */
static pm_status check_columns(const csv_document *d, const csv_group *g, pm_error *error) {
    const evidence e = examine(d, g->column);
    const bool shifted = e.odd > d->row_count / 2 && (e.steps || e.next_is_unit);
    return e.far > d->row_count / 2 || shifted ? refuse_columns(d, g, &e, error) : PM_OK;
}

static pm_status convert_row(const csv_document *d, const csv_group *g, size_t row, double q[4],
                             size_t *odd, pm_error *error) {
    const double *from = d->numbers + row * d->column_count + g->column;
    if (g->form == CSV_EULER) {
        double angles[3];
        for (size_t i = 0; i < 3; i++)
            angles[i] = g->unit * from[g->fixed ? 2 - i : i];
        return pm_quat_from_euler(g->order, angles, q)
                   ? PM_OK
                   : motion_refuse(error, "line %zu has no Euler angles", csv_line_of(d, row));
    }
    for (size_t i = 0; i < 4; i++)
        q[i] = from[g->form == CSV_WXYZ ? (i + 1) % 4 : i];
    if (quat_largest(q) == 0.0)
        return motion_refuse(error, "line %zu has a quaternion of length 0; expected a unit one",
                             csv_line_of(d, row));
    if (quat_is_unit(q))
        return PM_OK;
    quat_normalise(q);
    ++*odd;
    return PM_OK;
}

/* Those that are x y z w already stay where they are. */
static pm_status place_quaternions(const csv_document *d, csv_group *g, motion_arena *arena,
                                   pm_error *error) {
    const bool in_place = g->form == CSV_XYZW;
    g->stride = in_place ? d->column_count : 4;
    g->quaternions = in_place ? d->numbers + g->column
                              : motion_allocate(arena, d->row_count, 4 * sizeof *g->quaternions);
    return g->quaternions ? PM_OK : motion_refuse_memory(error);
}

pm_status csv_convert_rotations(csv_document *d, const motion_input *input, motion_arena *arena,
                                pm_error *error) {
    size_t odd = 0;
    for (size_t i = 0; i < d->layout.count; i++) {
        csv_group *g = &d->layout.groups[i];
        if (!csv_is_rotation(g))
            continue;
        if (g->form != CSV_EULER && !d->layout.is_given)
            MOTION_TRY(check_columns(d, g, error));
        MOTION_TRY(place_quaternions(d, g, arena, error));
        for (size_t r = 0; r < d->row_count; r++)
            MOTION_TRY(convert_row(d, g, r, g->quaternions + r * g->stride, &odd, error));
    }
    if (odd > 0)
        motion_warn(&input->warnings,
                    "%zu quaternions are not unit within 1e-3; they are normalised", odd);
    return PM_OK;
}
