/* SPDX-License-Identifier: MIT
 *
 * Cyclic block-tridiagonal systems of the oracle's splines: Gaussian elimination with pivoting on a
 * band matrix. The order 0, n-1, 1, n-2, ... keeps neighbours at most two positions apart, so
 * closing the ring adds no corner blocks.
 */
#include "oracle_private.h"

#include <math.h>
#include <stdlib.h>

typedef struct band {
    size_t size, reach; /* number of rows, and the bandwidth below the diagonal */
    size_t width;       /* of a row: pivoting doubles the bandwidth above the diagonal */
    double *rows;
} band;

static double *entry(const band *b, size_t row, size_t column) {
    return b->rows + row * b->width + (column + b->reach - row);
}

static size_t cursor(size_t count, size_t i) {
    return i < (count + 1) / 2 ? 2 * i : 2 * (count - 1 - i) + 1;
}

static void add_block(band *b, size_t width, size_t row, size_t column, const double *block) {
    for (size_t r = 0; r < width; r++)
        for (size_t c = 0; c < width; c++)
            *entry(b, row * width + r, column * width + c) += block[r * width + c];
}

static size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool eliminate(band *b, double *right) {
    for (size_t k = 0; k < b->size; k++) {
        const size_t last_row = min(b->size - 1, k + b->reach);
        const size_t last_column = min(b->size - 1, k + 2 * b->reach);
        size_t best = k;
        for (size_t r = k + 1; r <= last_row; r++)
            best = fabs(*entry(b, r, k)) > fabs(*entry(b, best, k)) ? r : best;
        if (!(fabs(*entry(b, best, k)) > 0.0))
            return false;
        for (size_t c = k; c <= last_column && best != k; c++) {
            const double kept = *entry(b, k, c);
            *entry(b, k, c) = *entry(b, best, c);
            *entry(b, best, c) = kept;
        }
        const double kept = right[k];
        right[k] = right[best];
        right[best] = kept;
        for (size_t r = k + 1; r <= last_row; r++) {
            const double factor = *entry(b, r, k) / *entry(b, k, k);
            for (size_t c = k; c <= last_column; c++)
                *entry(b, r, c) -= factor * *entry(b, k, c);
            right[r] -= factor * right[k];
        }
    }
    return true;
}

static void substitute(const band *b, double *right) {
    for (size_t k = b->size; k-- > 0;) {
        for (size_t c = k + 1; c <= min(b->size - 1, k + 2 * b->reach); c++)
            right[k] -= *entry(b, k, c) * right[c];
        right[k] /= *entry(b, k, k);
    }
}

bool solve_ring(size_t count, size_t width, const double *below, const double *at,
                const double *above, double *right) {
    const size_t reach = 3 * width - 1, square = width * width;
    band b = {count * width, reach, 3 * reach + 1, NULL};
    b.rows = oracle_allocate(b.size * b.width, sizeof *b.rows);
    double *folded = oracle_allocate(b.size, sizeof *folded);
    for (size_t i = 0; i < count; i++) {
        const size_t row = cursor(count, i);
        add_block(&b, width, row, cursor(count, (i + count - 1) % count), below + i * square);
        add_block(&b, width, row, row, at + i * square);
        add_block(&b, width, row, cursor(count, (i + 1) % count), above + i * square);
        for (size_t c = 0; c < width; c++)
            folded[row * width + c] = right[i * width + c];
    }
    const bool solved = eliminate(&b, folded);
    if (solved)
        substitute(&b, folded);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < width; c++)
            right[i * width + c] = folded[cursor(count, i) * width + c];
    free(b.rows);
    free(folded);
    return solved;
}
