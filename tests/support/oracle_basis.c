/* SPDX-License-Identifier: MIT
 *
 * The oracle's curves from basis polynomials: the cumulative uniform cubic B-spline of
 * rotations, and glTF's cubic of components.
 */
#include "oracle_private.h"

void bspline_weights(double u, double weights[4]) {
    const double v = 1.0 - u;
    weights[0] = v * v * v / 6.0;
    weights[1] = (4.0 + u * u * (3.0 * u - 6.0)) / 6.0;
    weights[2] = (4.0 + v * v * (3.0 * v - 6.0)) / 6.0;
    weights[3] = u * u * u / 6.0;
}

/* Beyond the ends of an open track its end key repeats. */
static quat bspline_key(const oracle_track *t, ptrdiff_t i) {
    const ptrdiff_t last = (ptrdiff_t)t->key_count - 1;
    return track_key(t, t->period > 0.0 ? i : i < 0 ? 0 : i > last ? last : i);
}

quat bspline_at(const oracle_track *t, ptrdiff_t i, double u) {
    double weights[4];
    bspline_weights(u, weights);
    quat r = bspline_key(t, i - 1);
    for (ptrdiff_t k = 0; k < 3; k++) {
        double rest = 0.0; /* of this key and all that follow */
        for (ptrdiff_t j = k + 1; j < 4; j++) {
            rest += weights[j];
        }
        const quat turn =
            quat_multiply(quat_conjugate(bspline_key(t, i - 1 + k)), bspline_key(t, i + k));
        r = quat_multiply(r, quat_power(turn, rest));
    }
    return r;
}

quat cubicspline_inside(const oracle_track *t, ptrdiff_t i, double u) {
    const size_t next = ((size_t)i + 1) % t->key_count;
    const double h = track_step(t, i), u2 = u * u, u3 = u2 * u;
    quat sum = quat_scale(track_key(t, i), 2.0 * u3 - 3.0 * u2 + 1.0);
    sum = quat_add(sum, quat_scale(t->out[i], h * (u3 - 2.0 * u2 + u)));
    sum = quat_add(sum, quat_scale(track_key(t, i + 1), -2.0 * u3 + 3.0 * u2));
    return quat_add(sum, quat_scale(t->in[next], h * (u3 - u2)));
}
