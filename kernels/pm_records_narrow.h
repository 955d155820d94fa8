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
    return words + out->ahead + n % (PM_BUFFER_WORDS / size) * size;
}

/* Stores the words of the active lanes from `first` to `end`. Word 0 is `skip` words into the buffer. */
pm_rare_fn void pm_send_some(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 first,
                             pm_u32 end) {
    pm_u32 skip = out->ahead - out->past;
    for (pm_u32 i = 0; i < PM_LANES; i++) {
        const float *lane = (const float *)(words + i % 4) + i / 4 * 4;
        for (pm_u32 w = first; w < end && (out->active >> i & 1); w += 4 - (w + skip) % 4) {
            pm_u32 k = (w + skip) % 4, count = end - w < 4 - k ? end - w : 4 - k;
            pm_store_words(lane + (w + skip - k) * PM_LANES + k, out->to[i] + at + w, count);
        }
    }
}

/* Of two blocks of a lane, the four words that begin `skip` behind the first one's. */
#define PM_BEHIND(j, skip) ((j) + (skip) + ((j) % 4 + (skip)) / 4 * (PM_LANES - 4))
#define PM_BEHIND_1(j) PM_BEHIND(j, 1)
#define PM_BEHIND_2(j) PM_BEHIND(j, 2)
#define PM_BEHIND_3(j) PM_BEHIND(j, 3)

/* Four words of each lane 4 p + k, that begin `skip` words into a block; `block` is vector k of it. */
pm_fn real pm_words_behind(const real *block, int skip) {
    switch (skip) {
    case 1:
        return PM_SHUFFLE(block[0], block[4], PM_BEHIND_1);
    case 2:
        return PM_SHUFFLE(block[0], block[4], PM_BEHIND_2);
    case 3:
        return PM_SHUFFLE(block[0], block[4], PM_BEHIND_3);
    default:
        return block[0];
    }
}

/* Stores a line of each lane 4 p + k. */
pm_fn void pm_send_line(const pm_lanes_out *out, pm_u32 at, const real *words, int k, int skip,
                        pm_u32 streams) {
    real a = pm_words_behind(words + k, skip), b = pm_words_behind(words + k + 4, skip);
    real c = pm_words_behind(words + k + 8, skip), d = pm_words_behind(words + k + 12, skip);
    pm_global float *to = out->to[k] + at;
#if PM_LANES == 8
    pm_store_vector(PM_SHUFFLE(a, b, PM_LOWER), to, streams);
    pm_store_vector(PM_SHUFFLE(c, d, PM_LOWER), to + 8, streams);
    to = out->to[4 + k] + at;
    pm_store_vector(PM_SHUFFLE(a, b, PM_UPPER), to, streams);
    pm_store_vector(PM_SHUFFLE(c, d, PM_UPPER), to + 8, streams);
#else
    pm_store_vector(a, to, streams);
    pm_store_vector(b, to + 4, streams);
    pm_store_vector(c, to + 8, streams);
    pm_store_vector(d, to + 12, streams);
#endif
}

/* Stores the full buffer of all lanes. */
pm_fn void pm_send_all(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 streams) {
    PM_UNROLL
    for (int k = 0; k < 4; k++) {
        PM_UNROLL
        for (pm_u32 w = 0; w < PM_BUFFER_WORDS; w += PM_LINE_WORDS)
            pm_send_line(out, at + w, words + w, k, 0, streams);
    }
}

/* The same from `first` on, where word 0 is `skip` words into the buffer. Not unrolled: LLVM would join the
 * last stores of all these loops, and what it joins goes through the caches. */
pm_fn void pm_send_behind(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 first,
                          int skip) {
    PM_NO_UNROLL
    for (pm_u32 w = first; w < PM_BUFFER_WORDS; w += PM_LINE_WORDS) {
        PM_UNROLL
        for (int k = 0; k < 4; k++)
            pm_send_line(out, at + w, words + w, k, skip, 1);
    }
}

/* Stores the full buffer of lanes that begin within a line, and keeps what is beyond it. */
pm_rare_fn void pm_send_within(const pm_lanes_out *out, pm_u32 at, real *words) {
    pm_u32 first = at == 0 ? PM_LINE_WORDS : 0;
    if (first > 0)
        pm_send_some(out, 0, words, out->past, first);
    switch (out->ahead - out->past) {
    case 1:
        pm_send_behind(out, at, words, first, 1);
        break;
    case 2:
        pm_send_behind(out, at, words, first, 2);
        break;
    case 3:
        pm_send_behind(out, at, words, first, 3);
        break;
    default:
        pm_send_behind(out, at, words, first, 0);
    }
    for (real *end = words + out->ahead; words < end; words += 4) {
        PM_UNROLL
        for (int k = 0; k < 4; k++)
            words[k] = words[PM_BUFFER_WORDS + k];
    }
}

/* Stores the words up to `end`, which may be behind the full buffer. */
pm_fn void pm_send_words(const pm_lanes_out *out, pm_u32 at, real *words, pm_u32 end) {
    pm_u32 first = at == 0 ? out->past : 0;
    if (end >= PM_BUFFER_WORDS && out->active == PM_ALL_ACTIVE) {
        if (out->past > 0)
            pm_send_within(out, at, words);
        else if (out->streams)
            pm_send_all(out, at, words, 1);
        else
            pm_send_all(out, at, words, 0);
        first = PM_BUFFER_WORDS;
    }
    if (first < end)
        pm_send_some(out, at, words, first, end);
}

/* Called after record n. Stores the buffer if it is full or the record is the last one. */
pm_fn void pm_send_records(const pm_lanes_out *out, real *words, pm_u32 n, pm_u32 size,
                           pm_u32 last) {
    pm_u32 per_buffer = PM_BUFFER_WORDS / size, in_buffer = n % per_buffer * size;
    pm_u32 first = out->ahead + in_buffer, end = first + size;
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
    if (in_buffer + size == PM_BUFFER_WORDS || last)
        pm_send_words(out, n / per_buffer * PM_BUFFER_WORDS, words,
                      last ? out->past + in_buffer + size : PM_BUFFER_WORDS);
}

#endif
