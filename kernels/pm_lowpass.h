/* SPDX-License-Identifier: MIT
 *
 * Low-pass of rotations and vectors at a time between two keys (docs/filter.md). With the slerp r of the
 * two keys and x_k = log(r^-1 q_k) of the keys around them, a rotation becomes r exp(sum w_k x_k), and so
 * once more from there. The host computes the weights w_k; their sum is 1. Keys are unrolled, and
 * logarithms follow them up to a full turn, so that a spin of more than half a turn within the weights
 * is no jump.
 */
#ifndef PM_LOWPASS_H
#define PM_LOWPASS_H

#include "pm_memory.h"
#include "pm_slerp.h"

/* A sample: the key before it, the fraction of the way to the next, and its row of weights. */
typedef struct pm_lowpass_place {
    pm_u32 key;
    float u;
    pm_u32 weights;
} pm_lowpass_place;

/* The keys and weights of some tracks at a sample. */
typedef struct pm_lowpass_window {
    pm_global const float *keys; /* the first of `taps`, of tracks side by side */
    pm_global const float *weights;
    pm_u32 row; /* floats from a key to the next */
    pm_u32 taps;
} pm_lowpass_window;

pm_fn pm_lowpass_window pm_lowpass_window_at(pm_global const float *keys,
                                             pm_global const float *weights, pm_lowpass_place place,
                                             pm_u32 row, pm_u32 taps, pm_u32 track) {
    pm_lowpass_window w;
    w.keys = keys + ((pm_u64)(place.key + 1 - taps / 2) * row + 4 * (pm_u64)track);
    w.weights = weights + (pm_u64)place.weights * taps;
    w.row = row;
    w.taps = taps;
    return w;
}

/* log(r^-1 q) of keys more than half a turn away: the rest of a full turn, the other way. Zero where the
 * rest is too small to have a direction. */
pm_fn pm_quat pm_lowpass_far_log(pm_quat r, pm_quat q) {
    pm_quat sum = pm_quat_sum(q, r);
    pm_quat v =
        pm_quat_scaled(pm_quat_product(pm_quat_conjugate(r), sum), pm_arc_gain(pm_quat_norm2(sum)));
    real angle2 = pm_fma(v.x, v.x, pm_fma(v.y, v.y, v.z * v.z));
    pm_mask is_turn = angle2 < PM_REAL(1e-10f);
    real angle = pm_exact_root(pm_select(is_turn, PM_REAL(1.0f), angle2));
    real rest = pm_fma(PM_REAL(3.14159274f), pm_exact_inverse(angle), PM_REAL(-1.0f));
    return pm_quat_scaled(v, pm_select(is_turn, PM_REAL(0.0f), rest));
}

/* x y z of log(r^-1 q), half the rotation vector. From q - r, so that small ones keep their digits. */
pm_fn pm_quat pm_lowpass_log(pm_quat r, pm_quat q) {
    pm_quat difference = pm_quat_difference(q, r);
    real chord2 = pm_quat_norm2(difference);
    pm_quat v =
        pm_quat_scaled(pm_quat_product(pm_quat_conjugate(r), difference), pm_arc_gain(chord2));
    pm_mask far = chord2 > PM_REAL(2.0f);
    if (pm_any(far))
        v = pm_quat_select(far, pm_lowpass_far_log(r, q), v);
    return v;
}

/* r exp(sum w_k log(r^-1 q_k)) */
pm_fn pm_quat pm_lowpass_step(const pm_lowpass_window *w, pm_quat r) {
    pm_quat sum = pm_quat_of(PM_REAL(0.0f), PM_REAL(0.0f), PM_REAL(0.0f), PM_REAL(0.0f));
    pm_global const float *from = w->keys;
    for (pm_u32 k = 0; k < w->taps; k++, from += w->row) {
        pm_quat x = pm_lowpass_log(r, pm_load_items(from));
        real weight = PM_REAL(w->weights[k]);
        sum.x = pm_fma(weight, x.x, sum.x);
        sum.y = pm_fma(weight, x.y, sum.y);
        sum.z = pm_fma(weight, x.z, sum.z);
    }
    pm_cos_sinc t = pm_cos_sinc_of(pm_fma(sum.x, sum.x, pm_fma(sum.y, sum.y, sum.z * sum.z)));
    pm_quat turn = pm_quat_of(sum.x * t.sinc, sum.y * t.sinc, sum.z * t.sinc, t.cosine);
    return pm_quat_renormalized(pm_quat_product(r, turn));
}

pm_fn pm_quat pm_lowpass_rotation(const pm_lowpass_window *w, float u) {
    pm_global const float *middle = w->keys + (pm_u64)(w->taps / 2 - 1) * w->row;
    pm_slerp_segment segment;
    segment.a = pm_load_items(middle);
    segment.b = pm_load_items(middle + w->row);
    segment.arc = pm_arc_between(segment.a, segment.b);
    real at = PM_REAL(u);
    pm_quat reference = pm_quat_renormalized(pm_slerp_at(&segment, &at));
    return pm_lowpass_step(w, pm_lowpass_step(w, reference));
}

/* x y z: the key before, and the weighted differences from it. */
pm_fn pm_quat pm_lowpass_vector(const pm_lowpass_window *w) {
    pm_quat base = pm_load_items(w->keys + (pm_u64)(w->taps / 2 - 1) * w->row);
    pm_quat sum = pm_quat_of(PM_REAL(0.0f), PM_REAL(0.0f), PM_REAL(0.0f), PM_REAL(0.0f));
    pm_global const float *from = w->keys;
    for (pm_u32 k = 0; k < w->taps; k++, from += w->row)
        sum = pm_quat_plus(sum, PM_REAL(w->weights[k]),
                           pm_quat_difference(pm_load_items(from), base));
    return pm_quat_sum(base, sum);
}

/* A value with so many components: a rotation has 4, a vector 3. */
pm_fn pm_quat pm_lowpass_value(const pm_lowpass_window *w, float u, int components) {
    return components == 4 ? pm_lowpass_rotation(w, u) : pm_lowpass_vector(w);
}

#endif
