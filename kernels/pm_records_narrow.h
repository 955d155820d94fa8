/* SPDX-License-Identifier: MIT
 *
 * Records where a cache line takes several vectors. Words are transposed in the buffer, as soon as
 * there are four. When the buffer is full, each instance's lines are stored one after another:
 * between the stores of one line no other line is written.
 */
#ifndef PM_RECORDS_NARROW_H
#define PM_RECORDS_NARROW_H

#ifndef PM_LANES
#define PM_LANES 4
#endif

#include "pm_lanes_out.h"

#if PM_LANES == 16
#error "PM_LANES is 16: a cache line is one vector"
#endif

#define PM_RECORD_WORDS_TOTAL (PM_BUFFER_WORDS + PM_LINE_WORDS)

/* The memory for record n, of `size` words. */
pm_fn real *pm_record(const pm_lanes_out *out, real *words, pm_u32 n, pm_u32 size) {
    return words + n % (PM_BUFFER_WORDS / size) * size + out->past;
}

/* Stores the words of the active lanes from `first`, a multiple of 4, to `end`. */
pm_rare_fn void pm_send_some(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 first,
                             pm_u32 end) {
    const float *blocks = (const float *)words;
    for (pm_u32 i = 0; i < PM_LANES; i++)
        for (pm_u32 w = first; w < end && (out->active >> i & 1); w += 4)
            pm_store_words(blocks + (w + i % 4) * PM_LANES + i / 4 * 4, out->to[i] + at + w,
                           end - w);
}

#ifdef PM_OPENCL

/* Vector v of the words of lane 4 p + k; `words` is that of lane k. */
pm_fn real pm_lane_words(const real *words, int p, int v) {
#if PM_LANES == 8
    real a = words[8 * v], b = words[8 * v + 4];
    return p ? PM_SHUFFLE(a, b, PM_UPPER) : PM_SHUFFLE(a, b, PM_LOWER);
#else
    (void)p;
    return words[4 * v];
#endif
}

/* Stores the full buffer of all lanes from word `first` on. */
pm_fn void pm_send_all(const pm_lanes_out *out, pm_u32 at, const real *words, int first,
                       pm_u32 streams) {
    PM_UNROLL
    for (int k = 0; k < 4; k++) {
        PM_UNROLL
        for (int p = 0; p < PM_LANES / 4; p++) {
            pm_global float *to = out->to[4 * p + k] + at;
            PM_UNROLL
            for (int v = first / PM_LANES; v < PM_BUFFER_WORDS / PM_LANES; v++)
                pm_store_vector(pm_lane_words(words + k, p, v), to + v * PM_LANES, streams);
        }
    }
}

/* The first full buffer of lanes that begin within a cache line. */
pm_rare_fn void pm_send_first(const pm_lanes_out *out, const real *words) {
    pm_send_some(out, 0, words, out->past, PM_LINE_WORDS);
    pm_send_all(out, 0, words, PM_LINE_WORDS, 1);
}

#endif

/* Stores the words up to `end`, which may be behind the full buffer. */
pm_fn void pm_send_words(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 end) {
    pm_u32 first = at == 0 ? out->past : 0;
#ifdef PM_OPENCL
    if (end >= PM_BUFFER_WORDS && out->active == PM_ALL_ACTIVE) {
        if (first > 0)
            pm_send_first(out, words);
        else if (out->streams)
            pm_send_all(out, at, words, 0, 1);
        else
            pm_send_all(out, at, words, 0, 0);
        first = PM_BUFFER_WORDS;
    }
#endif
    if (first < end)
        pm_send_some(out, at, words, first, end);
}

/* Called after record n. Stores the buffer if it is full or the record is the last one. */
pm_fn void pm_send_records(const pm_lanes_out *out, real *words, pm_u32 n, pm_u32 size,
                           pm_u32 last) {
    pm_u32 per_buffer = PM_BUFFER_WORDS / size, first = n % per_buffer * size + out->past;
    pm_u32 end = first + size, is_full = n % per_buffer == per_buffer - 1;
    if (size % 4 == 0) { /* without a test per block, so that words are transposed in registers */
        real *record = pm_record(out, words, n, size);
        PM_UNROLL
        for (pm_u32 w = 0; w < size; w += 4)
            pm_transpose_words(record + w);
    } else {
        for (pm_u32 w = end; last && w % 4 != 0; w++)
            words[w] = PM_REAL(0.0f); /* the rest of the last block */
        PM_UNROLL
        for (pm_u32 b = 0; b < (size + 3) / 4; b++) {
            pm_u32 w = (first / 4 + b) * 4;
            if (w + 4 <= end || last)
                pm_transpose_words(words + w);
        }
    }
    if (is_full || last)
        pm_send_words(out, n / per_buffer * PM_BUFFER_WORDS, words, last ? end : PM_BUFFER_WORDS);
    if (is_full && out->past > 0) /* what does not fit the buffer */
        for (pm_u32 w = 0; w < out->past; w++)
            words[w] = words[PM_BUFFER_WORDS + w];
}

#endif
