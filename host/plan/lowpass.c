/* SPDX-License-Identifier: MIT
 *
 * Weights of low-passes. PERIODS and BETA are the narrowest kernel found whose ripple and stop band stay
 * within 0.1 % for cut-offs up to half the keys' rate at any u: at most 0.08 % at 0.8 and 1.2 of the
 * cut-off (tests/engine/test_lowpass_weights.c).
 */
#include "lowpass.h"

#include <math.h>
#include <string.h>

/* Periods of the cut-off on each side of a sample, and the parameter of the window. */
#define PERIODS 5.0
#define BETA 6.3

enum { MAX_WEIGHTS = 1 << 22 };

pm_u32 pm_lowpass_taps(double cutoff) {
    const double half = ceil(PERIODS / cutoff);
    return 2 * half <= PM_LOWPASS_MAX_TAPS ? 2 * (pm_u32)half : 0;
}

size_t pm_lowpass_piece(const pm_lowpass *lowpass) {
    return MAX_WEIGHTS / lowpass->taps;
}

/* The Bessel function I0(2 sqrt(quarter)): terms of its series until they are below a rounding error. */
static double bessel(double quarter) {
    double sum = 1, term = 1;
    for (double k = 1; term > 1e-17 * sum; k++) {
        term *= quarter / (k * k);
        sum += term;
    }
    return sum;
}

/* sin(pi x)/(pi x): the series of the sine between two zeros, with pi^2 = 9.87. */
static double sinc(double x) {
    const double pi = 3.14159265358979323846;
    const double turns = floor(x + 0.5), rest = pi * (x - turns), square = rest * rest;
    double sum = 1, term = 1;
    if (x == 0)
        return 1;
    for (double k = 2; fabs(term) > 1e-17; k += 2) {
        term *= -square / (k * (k + 1));
        sum += term;
    }
    const bool odd = turns - 2 * floor(0.5 * turns) != 0;
    return (odd ? -rest : rest) * sum / (pi * x);
}

/* The window at a distance from the sample, in parts of its half width. */
static double window(double part) {
    return fabs(part) < 1 ? bessel(0.25 * BETA * BETA * (1 - part * part)) : 0;
}

typedef struct moments {
    double sum, first; /* of the weights: their sum, and with the distances */
    double window_first,
        window_second; /* of the window with the distances, and with their squares */
} moments;

static double distance_of(pm_u32 tap, pm_u32 taps, double u) {
    return (double)tap + 1 - 0.5 * (double)taps - u;
}

/* A little of the window, times the distance, takes away the first moment. */
void pm_lowpass_weights(double cutoff, pm_u32 taps, double u, float *weights) {
    const double width = PERIODS / cutoff;
    moments m = {0, 0, 0, 0};
    for (pm_u32 k = 0; k < taps; k++) {
        const double at = distance_of(k, taps, u), part = window(at / width);
        const double weight = part * sinc(2 * cutoff * at);
        m.sum += weight;
        m.first += weight * at;
        m.window_first += part * at;
        m.window_second += part * at * at;
    }
    const double slope = m.first / m.window_second;
    const double scale = 1 / (m.sum - slope * m.window_first);
    for (pm_u32 k = 0; k < taps; k++) {
        const double at = distance_of(k, taps, u), part = window(at / width);
        weights[k] = pm_stored((part * sinc(2 * cutoff * at) - slope * part * at) * scale);
    }
}

/* ---- tables -------------------------------------------------------------------------------- */

/* The rows by the bits of u, in a table with open addressing. */
typedef struct row_index {
    pm_u32 *slots; /* row + 1; 0: free */
    size_t mask;
    float *u; /* of each row */
} row_index;

static pm_u32 bits_of(float u) {
    pm_u32 bits;
    memcpy(&bits, &u, sizeof bits);
    return bits;
}

/* The row of a u, which is added where there is none. */
static pm_u32 row_of(row_index *index, float u, size_t *rows) {
    size_t slot = (bits_of(u) * (uint64_t)0x9e3779b97f4a7c15) >> 32 & index->mask;
    while (index->slots[slot] && bits_of(index->u[index->slots[slot] - 1]) != bits_of(u))
        slot = (slot + 1) & index->mask;
    if (!index->slots[slot]) {
        index->u[(*rows)++] = u;
        index->slots[slot] = (pm_u32)*rows;
    }
    return index->slots[slot] - 1;
}

static pm_status index_rows(const pm_sample_request *piece, const pm_cursor *cursors,
                            pm_lowpass_table *table, pm_error *error) {
    const pm_lowpass *lowpass = piece->lowpass;
    const size_t count = piece->sample_count;
    row_index index = {.mask = 1};
    while (index.mask < 2 * count)
        index.mask = 2 * index.mask + 1;
    index.slots = pm_allocate_zeroed(piece->host, index.mask + 1, sizeof *index.slots);
    index.u = pm_allocate(piece->host, count * sizeof *index.u);
    const bool good = index.slots && index.u;
    for (size_t k = 0; good && k < count; k++)
        table->places[k] = (pm_lowpass_place){
            .key = (pm_u32)(lowpass->first + (cursors[k].segment & PM_CURSOR_SEGMENT)),
            .u = cursors[k].u,
            .weights = row_of(&index, cursors[k].u, &table->rows)};
    table->weights =
        good ? pm_allocate(piece->host, table->rows * lowpass->taps * sizeof *table->weights)
             : NULL;
    for (size_t i = 0; table->weights && i < table->rows; i++)
        pm_lowpass_weights(lowpass->cutoff, lowpass->taps, (double)index.u[i],
                           table->weights + i * lowpass->taps);
    pm_release(index.slots);
    pm_release(index.u);
    return table->weights ? PM_OK : pm_fail_memory(error);
}

pm_status pm_lowpass_tabulate(const pm_sample_request *piece, pm_lowpass_table *table,
                              pm_error *error) {
    const size_t count = piece->sample_count;
    pm_sample_request on_source = *piece;
    pm_cursor *cursors = pm_allocate(piece->host, count * sizeof *cursors);
    *table = (pm_lowpass_table){.places = pm_allocate(piece->host, count * sizeof *table->places)};
    on_source.clip = piece->lowpass->source;
    pm_status status = PM_OK;
    if (cursors && table->places) {
        pm_sample_cursors(&on_source, cursors);
        status = index_rows(piece, cursors, table, error);
    } else {
        status = pm_fail_memory(error);
    }
    pm_release(cursors);
    return status;
}

void pm_lowpass_table_release(pm_lowpass_table *table) {
    pm_release(table->places);
    pm_release(table->weights);
    *table = (pm_lowpass_table){.places = NULL};
}
