/* SPDX-License-Identifier: MIT
 *
 * The low-pass of a request: its kernel, a sinc in a Kaiser window, as rows of weights. Every path
 * reads the same rows. They are computed in double by additions, products, quotients and roots alone, so
 * that they have the same bits everywhere.
 */
#ifndef PM_HOST_LOWPASS_H
#define PM_HOST_LOWPASS_H

#include "kernels/pm_lowpass.h"
#include "sample_request.h"

/* A low-pass over a clip whose keys go on at both ends. */
typedef struct pm_lowpass {
    double cutoff; /* cycles per key, above 0 and at most 1/2 */
    pm_u32 taps;   /* even */
    size_t first;  /* the number of key 0 in the clip, at least taps/2 */
    const pm_clip_data
        *source; /* the keys' timeline without what goes on; it has no keys. Borrowed */
} pm_lowpass;

/* Weights per sample, at most: a cut-off of 1/819 of the keys' rate. */
enum { PM_LOWPASS_MAX_TAPS = 8192 };

/* Weights per sample for a cut-off in cycles per key; 0: more than PM_LOWPASS_MAX_TAPS. */
pm_u32 pm_lowpass_taps(double cutoff);

/* The weights of the keys around a sample at the fraction u of its segment: those of the keys from
 * 1 - taps/2 to taps/2 keys behind the one before the sample. Their sum is 1, and that of their
 * products with the distances from the sample 0, before both are rounded. */
void pm_lowpass_weights(double cutoff, pm_u32 taps, double u, float *weights);

/* The places of the samples of a piece, and the weights that they refer to. */
typedef struct pm_lowpass_table {
    pm_lowpass_place *places; /* (sample_count) */
    float *weights;           /* (rows, taps), a row for each different u */
    size_t rows;
} pm_lowpass_table;

/* The most samples of a piece: so many weights stay in bounds if no two samples share a row. */
size_t pm_lowpass_piece(const pm_lowpass *lowpass);

/* Computes the table of a piece on the calling thread. Release it also on failure. */
pm_status pm_lowpass_tabulate(const pm_sample_request *piece, pm_lowpass_table *table,
                              pm_error *error);
void pm_lowpass_table_release(pm_lowpass_table *table);

#endif
