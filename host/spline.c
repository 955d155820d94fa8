/* SPDX-License-Identifier: MIT
 *
 * The C2 spline (spec: methods, section 7): velocities at the keys such that angular
 * acceleration is continuous. A row a key, block tridiagonal, cyclic in a loop:
 *   (2/h0) J W0 + 4 (1/h0 + 1/h1) W1 + (2/h1) A W2 = 6 P0/h0^2 + 6 P1/h1^2 - N
 * with the steps P, J the right Jacobian of P0, A the inverse one of P1, and N what the
 * arriving segment's own turning adds. N is quadratic in W1: Newton's rounds put its slope
 * on the diagonal. For vectors J and A are 1 and N is 0, and one round is enough.
 */
#include <stdlib.h>

#include "hermite.h"
#include "rotation_vector.h"
#include "tangents.h"

enum { MOST_ROUNDS = 60 };

/* Of a residual in radians, or relative to the values: rows times their lengths squared. */
static const double tolerance = 1e-9;

typedef struct matrix {
    double at[3][3];
} matrix;

/* A row; its right side has a column for the constants and, in a loop, three for the
 * unknowns of the last key, which the elimination carries along. */
typedef struct row {
    matrix lower, diagonal, upper;
    double right[3][4];
} row;

typedef struct equations {
    const pm_track *track;
    bool rotations;
    size_t count; /* keys */
    row *rows;
    dvec3 *rates; /* W, or velocities */
} equations;

static dvec3 step_at(const equations *s, ptrdiff_t i) {
    if (s->rotations)
        return dvec3_scaled(pm_track_log(s->track, i), 2);
    return dvec3_scaled(pm_vector_slope(s->track, i), pm_track_length(s->track, i));
}

static dvec3 unit(int axis) {
    return dvec3_of(axis == 0, axis == 1, axis == 2);
}

/* f applied to a step, as a matrix, times a number */
static matrix scaled_matrix(const equations *s, dvec3 (*f)(dvec3, dvec3), dvec3 step,
                            double scale) {
    matrix m;
    for (int c = 0; c < 3; c++) {
        dvec3 column = s->rotations ? f(step, unit(c)) : unit(c);
        m.at[0][c] = scale * column.x;
        m.at[1][c] = scale * column.y;
        m.at[2][c] = scale * column.z;
    }
    return m;
}

static matrix diagonal(double value) {
    return (matrix){{{value, 0, 0}, {0, value, 0}, {0, 0, value}}};
}

static void set_right(row *r, dvec3 v) {
    for (int i = 0; i < 3; i++)
        for (int c = 1; c < 4; c++)
            r->right[i][c] = 0;
    r->right[0][0] = v.x;
    r->right[1][0] = v.y;
    r->right[2][0] = v.z;
}

/* What the turning of segment i adds to acceleration where it arrives, at this rate. */
static dvec3 turning(const equations *s, ptrdiff_t i, dvec3 rate) {
    if (!s->rotations)
        return dvec3_of(0, 0, 0);
    dvec3 step = step_at(s, i);
    return pm_jr_rate(step, pm_jr_inverse(step, rate));
}

/* Puts N of segment i, times `scale`, into a row: about the rates W so far,
 * N(W') = N'(W) W' - N(W), because N is a quadratic form. Of such a form central
 * differences are the slope itself. */
static void add_turning(equations *s, size_t k, ptrdiff_t i, double scale) {
    dvec3 rate = s->rates[k];
    double size = 1 + sqrt(dvec3_dot(rate, rate));
    row *r = &s->rows[k];
    if (!s->rotations)
        return;
    for (int c = 0; c < 3; c++) {
        dvec3 up = turning(s, i, dvec3_blend(1, rate, size, unit(c)));
        dvec3 down = turning(s, i, dvec3_blend(1, rate, -size, unit(c)));
        dvec3 column = dvec3_blend(scale / (2 * size), up, -scale / (2 * size), down);
        r->diagonal.at[0][c] += column.x;
        r->diagonal.at[1][c] += column.y;
        r->diagonal.at[2][c] += column.z;
    }
    dvec3 constant = dvec3_scaled(turning(s, i, rate), scale);
    r->right[0][0] += constant.x;
    r->right[1][0] += constant.y;
    r->right[2][0] += constant.z;
}

/* A key between two segments, its row times h0 h1. */
static void inner_row(equations *s, size_t k) {
    ptrdiff_t i = (ptrdiff_t)k;
    double h0 = pm_track_length(s->track, i - 1);
    double h1 = pm_track_length(s->track, i);
    dvec3 before = step_at(s, i - 1);
    dvec3 after = step_at(s, i);
    row *r = &s->rows[k];
    r->lower = scaled_matrix(s, pm_jr, before, 2 * h1);
    r->diagonal = diagonal(4 * (h0 + h1));
    r->upper = scaled_matrix(s, pm_jr_inverse, after, 2 * h0);
    dvec3 right = dvec3_blend(6 * h1 / h0, before, 6 * h0 / h1, after);
    set_right(r, right);
    add_turning(s, k, i - 1, h0 * h1);
}

static void end_row(equations *s, size_t k) {
    ptrdiff_t first = k == 0 ? 0 : (ptrdiff_t)k - 1; /* the end segment */
    double h = pm_track_length(s->track, first);
    dvec3 step = step_at(s, first);
    row *r = &s->rows[k];
    r->lower = r->upper = diagonal(0);
    if (s->track->desc->ends != PM_ENDS_NATURAL) {
        pm_slope slope = s->rotations ? pm_rotation_slope : pm_vector_slope;
        dvec3 rate = pm_end_rate(s->track, (ptrdiff_t)k, k == 0 ? 1 : -1, slope);
        r->diagonal = diagonal(1);
        set_right(r, dvec3_scaled(rate, s->rotations ? 2 : 1));
        return;
    }
    r->diagonal = diagonal(4 * h);
    if (k == 0) {
        r->upper = scaled_matrix(s, pm_jr_inverse, step, 2 * h);
        set_right(r, dvec3_scaled(step, 6));
    } else {
        r->lower = scaled_matrix(s, pm_jr, step, 2 * h);
        set_right(r, dvec3_scaled(step, 6));
        add_turning(s, k, first, h * h);
    }
}

static void fill_rows(equations *s) {
    for (size_t k = 0; k < s->count; k++)
        if (s->track->loop || (k > 0 && k + 1 < s->count))
            inner_row(s, k);
        else
            end_row(s, k);
}

/* m = m - a b, of b's first `columns` columns */
static void subtract_product(const matrix *a, const double *b, int stride, double *m, int columns) {
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < columns; c++)
            for (int k = 0; k < 3; k++)
                m[i * stride + c] -= a->at[i][k] * b[k * stride + c];
}

static void swap_rows(double *m, int stride, int columns, int i, int j) {
    for (int c = 0; c < columns; c++) {
        double t = m[i * stride + c];
        m[i * stride + c] = m[j * stride + c];
        m[j * stride + c] = t;
    }
}

/* Solves the diagonal block for what stands right of it. */
static void solve_block(row *r) {
    double *d = &r->diagonal.at[0][0], *u = &r->upper.at[0][0], *b = &r->right[0][0];
    for (int i = 0; i < 3; i++) {
        int pivot = i;
        for (int j = i + 1; j < 3; j++)
            if (fabs(d[3 * j + i]) > fabs(d[3 * pivot + i]))
                pivot = j;
        swap_rows(d, 3, 3, i, pivot);
        swap_rows(u, 3, 3, i, pivot);
        swap_rows(b, 4, 4, i, pivot);
        double inverse = 1 / d[3 * i + i];
        for (int c = 0; c < 3; c++) {
            d[3 * i + c] *= inverse;
            u[3 * i + c] *= inverse;
        }
        for (int c = 0; c < 4; c++)
            b[4 * i + c] *= inverse;
        for (int j = 0; j < 3; j++) {
            double f = d[3 * j + i];
            for (int c = 0; j != i && c < 3; c++) {
                d[3 * j + c] -= f * d[3 * i + c];
                u[3 * j + c] -= f * u[3 * i + c];
            }
            for (int c = 0; j != i && c < 4; c++)
                b[4 * j + c] -= f * b[4 * i + c];
        }
    }
}

/* Block elimination of rows [0, n), and back; the solution stands in the right sides. */
static void eliminate(row *rows, size_t n) {
    for (size_t k = 0; k < n; k++) {
        if (k > 0) {
            const row *before = &rows[k - 1];
            subtract_product(&rows[k].lower, &before->upper.at[0][0], 3, &rows[k].diagonal.at[0][0],
                             3);
            subtract_product(&rows[k].lower, &before->right[0][0], 4, &rows[k].right[0][0], 4);
        }
        solve_block(&rows[k]);
    }
    for (size_t k = n - 1; k-- > 0;)
        subtract_product(&rows[k].upper, &rows[k + 1].right[0][0], 4, &rows[k].right[0][0], 4);
}

static void move_column(double (*right)[4], const matrix *m) {
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            right[i][1 + c] -= m->at[i][c];
}

/* A loop: the last key's unknowns w go to the right of the others, x = y + Z w; its own row
 * then holds w alone. */
static void solve_loop(equations *s) {
    size_t last = s->count - 1;
    row *rows = s->rows;
    row *own = &rows[last];
    move_column(rows[0].right, &rows[0].lower);
    move_column(rows[last - 1].right, &rows[last - 1].upper);
    eliminate(rows, last);
    const matrix *both[] = {&own->lower, &own->upper};
    const row *beside[] = {&rows[last - 1], &rows[0]};
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                own->right[i][0] -= both[n]->at[i][k] * beside[n]->right[k][0];
                for (int c = 0; c < 3; c++)
                    own->diagonal.at[i][c] += both[n]->at[i][k] * beside[n]->right[k][1 + c];
            }
    own->upper = diagonal(0);
    solve_block(own);
    for (size_t k = 0; k < last; k++)
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++)
                rows[k].right[i][0] += rows[k].right[i][1 + c] * own->right[c][0];
}

/* What Newton's step left over: N of the change in rates, in a row's own scale. */
static double take_rates(equations *s) {
    double worst = 0;
    for (size_t k = 0; k < s->count; k++) {
        const row *r = &s->rows[k];
        dvec3 rate = {r->right[0][0], r->right[1][0], r->right[2][0]};
        if (s->rotations && pm_track_has(s->track, (ptrdiff_t)k - 1)) {
            double h = pm_track_length(s->track, (ptrdiff_t)k - 1);
            dvec3 change = dvec3_blend(1, rate, -1, s->rates[k]);
            dvec3 left = dvec3_scaled(turning(s, (ptrdiff_t)k - 1, change), h * h);
            double size = sqrt(dvec3_dot(left, left));
            worst = size <= worst ? worst : size; /* NaN stays */
        }
        s->rates[k] = rate;
    }
    return worst;
}

static bool solve(equations *s) {
    for (int rounds = 0; rounds < MOST_ROUNDS; rounds++) {
        fill_rows(s);
        if (s->track->loop)
            solve_loop(s);
        else
            eliminate(s->rows, s->count);
        if (take_rates(s) <= tolerance)
            return true;
    }
    return false;
}

/* Rates at all keys; rates[] is the caller's to free. */
static pm_status find_rates(const pm_track *track, bool rotations, dvec3 **rates) {
    equations s = {.track = track, .rotations = rotations, .count = track->key_count};
    pm_slope slope = rotations ? pm_rotation_slope : pm_vector_slope;
    s.rows = calloc(s.count, sizeof *s.rows);
    s.rates = calloc(s.count, sizeof *s.rates);
    pm_status status = s.rows && s.rates ? PM_OK : PM_ERROR_MEMORY;
    if (status == PM_OK && s.count == 2 && !track->loop)
        s.rates[0] = s.rates[1] = dvec3_scaled(slope(track, 0), rotations ? 2 : 1);
    else if (status == PM_OK && !solve(&s))
        status = PM_ERROR_KEY;
    free(s.rows);
    if (status == PM_OK)
        *rates = s.rates;
    else
        free(s.rates);
    return status;
}

pm_built_segments pm_build_spline(const pm_track *track, const pm_extras_out *out) {
    pm_built_segments built = {PM_OK, false};
    dvec3 *rates = NULL;
    pm_track_find_logs(track);
    built.status = find_rates(track, true, &rates);
    for (size_t k = 0; built.status == PM_OK && k < track->segment_count; k++)
        pm_put_hermite(track, out, (ptrdiff_t)k, rates[k], rates[(k + 1) % track->key_count],
                       &built);
    free(rates);
    return built;
}

pm_built_segments pm_build_vector_spline(const pm_track *track, const pm_extras_out *out) {
    pm_built_segments built = {PM_OK, false};
    dvec3 *rates = NULL;
    built.status = find_rates(track, false, &rates);
    for (size_t k = 0; built.status == PM_OK && k < track->segment_count; k++) {
        double h = pm_track_length(track, (ptrdiff_t)k);
        dvec3 leaving = dvec3_scaled(rates[k], h);
        dvec3 arriving = dvec3_scaled(rates[(k + 1) % track->key_count], h);
        pm_put(out, k, 0, (dquat){leaving.x, leaving.y, leaving.z, 0});
        pm_put(out, k, 1, (dquat){arriving.x, arriving.y, arriving.z, 0});
    }
    free(rates);
    return built;
}
