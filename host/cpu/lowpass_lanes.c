/* SPDX-License-Identifier: MIT
 *
 * The kernel's low-pass as C, in lanes of neighbouring tracks. Compiled once for each instruction set.
 */
#if defined(__AVX512F__)
#define PM_LANES 16
#elif defined(__AVX__)
#define PM_LANES 8
#endif

#include "lowpass_lanes.h"

extern const pm_lowpass_function PM_SET_NAME(pm_lowpass_run);

/* Inlined for each number of components. */
static inline void run(const pm_lowpass_view *v, const pm_sample_request *piece, size_t sample,
                       int components) {
    const size_t tracks = v->track_count;
    for (pm_u32 t = 0; t < tracks; t += PM_LANES) {
        const pm_lowpass_place place = v->table->places[sample];
        const pm_lowpass_window w = pm_lowpass_window_at(v->keys, v->table->weights, place, v->row,
                                                         piece->lowpass->taps, t);
        float *to = v->to + (sample * tracks + t) * (size_t)components;
        const pm_quat value = pm_lowpass_value(&w, place.u, components);
        if (components == 4)
            pm_store_items(to, value, (pm_u32)tracks - t, 0);
        else
            pm_store_vector_items(to, value, (pm_u32)tracks - t, 0);
    }
}

PM_FLAT static void run_piece(const pm_lowpass_view *v, const pm_sample_request *piece) {
    for (size_t k = 0; k < piece->sample_count; k++)
        if (v->components == 4)
            run(v, piece, k, 4);
        else
            run(v, piece, k, 3);
}

const pm_lowpass_function PM_SET_NAME(pm_lowpass_run) = run_piece;
