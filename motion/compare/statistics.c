/* SPDX-License-Identifier: MIT
 *
 * Sums and maxima of differences.
 */
#include "motion/compare/compare.h"

#include <math.h>

void extent_begin(extent *e) {
    *e = (extent){.max = (double)NAN, .time = (double)NAN};
}

void extent_add(extent *e, double value, double time) {
    if (e->count == 0 || value > e->max) {
        e->max = value;
        e->time = time;
    }
    e->square_sum += value * value;
    e->count++;
}

double extent_rms(const extent *e) {
    return e->count > 0 ? sqrt(e->square_sum / (double)e->count) : (double)NAN;
}
