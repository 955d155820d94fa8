/* SPDX-License-Identifier: MIT
 *
 * The memory that lanes write records to, and what both ways of writing them share.
 */
#ifndef PM_LANES_OUT_H
#define PM_LANES_OUT_H

#ifndef PM_LANES
#define PM_LANES 4
#endif

#include "pm_memory.h"

#if PM_LANES == 1
#error "PM_LANES is 1: pm_lanes_out.h stores vectors of instances"
#endif

/* Words per buffer: whole records of 6, 8 and 12 words, and whole cache lines. */
#define PM_BUFFER_WORDS 48

/* Words per cache line. */
#define PM_LINE_WORDS (PM_CACHE_LINE / 4)

/* The output memory of the lanes. Lane i is written only where bit i of `active` is set. */
typedef struct pm_lanes_out {
    pm_global float *to[PM_LANES]; /* aligned to a cache line where `streams` */
    pm_u32 active;
    pm_u32 streams; /* not 0: store past the caches */
    pm_u32 past;    /* words from `to` to the first record, which others store */
    pm_u32 ahead; /* words in the buffer to the first record, where four are transposed at a time */
} pm_lanes_out;

#define PM_ALL_ACTIVE ((1u << PM_LANES) - 1u)

/* From one instance of a work-item to the next, so that the records of all begin at the same place of
 * cache lines. */
pm_fn pm_u32 pm_lanes_step(pm_u32 streams, pm_u64 stride) {
    pm_u32 bytes = (pm_u32)stride | PM_CACHE_LINE;
    return streams ? PM_CACHE_LINE / (bytes & (0 - bytes)) : 1;
}

/* Where the records of all lanes, of `count` words, begin at the same place of cache lines, they are
 * shifted by it, and whole lines are streamed. The lines at their ends are shared with other records and
 * stored in the caches. */
pm_fn void pm_lanes_begin(pm_lanes_out *out, pm_u32 count, pm_u32 streams) {
    size_t place = (size_t)out->to[0] % PM_CACHE_LINE, others = 0; /* bytes */
    for (int i = 1; i < PM_LANES; i++)
        others |= (size_t)out->to[i] % PM_CACHE_LINE ^ place;
    out->streams = streams && others == 0 && out->active == PM_ALL_ACTIVE;
    out->past = out->streams ? (pm_u32)(place / sizeof(float)) : 0;
    out->ahead = (out->past + 3) / 4 * 4;
    for (int i = 0; i < PM_LANES && out->past > 0; i++) {
        pm_prefetch(out->to[i], PM_CACHE_LINE);
        pm_prefetch(out->to[i] + count, PM_CACHE_LINE);
        out->to[i] -= out->past;
    }
}

pm_fn void pm_store_vector(real words, pm_global float *to, pm_u32 streams) {
    if (streams)
        PM_STREAM(words, to);
    else
        pm_store_reals(to, words);
}

/* Stores the first `count` of four words. */
pm_fn void pm_store_words(const float *words, pm_global float *to, pm_u32 count) {
#ifdef PM_OPENCL
    if (count >= 4) {
        vstore4(vload4(0, words), 0, to);
        return;
    }
    if (count >= 2) {
        vstore2(vload2(0, words), 0, to);
        words += 2, to += 2, count -= 2;
    }
#endif
    for (pm_u32 w = 0; w < count && w < 4; w++)
        to[w] = words[w];
}

/* Four words of each lane: vector k has those of each lane 4 p + k. */
pm_fn pm_quat_block pm_block_of_words(const real *words) {
    return pm_block_of(pm_quat_of(words[0], words[1], words[2], words[3]));
}

pm_fn void pm_transpose_words(real *words) {
    pm_quat_block m = pm_block_of_words(words);
    words[0] = m.r0;
    words[1] = m.r1;
    words[2] = m.r2;
    words[3] = m.r3;
}

/* Part p of a vector, the words of a lane. */
#ifdef PM_OPENCL
#if PM_LANES == 16
#define PM_PART_OF(v, p)                                                                           \
    ((p) == 0 ? (v).s0123 : (p) == 1 ? (v).s4567 : (p) == 2 ? (v).s89ab : (v).scdef)
#elif PM_LANES == 8
#define PM_PART_OF(v, p) ((p) == 0 ? (v).s0123 : (v).s4567)
#else
#define PM_PART_OF(v, p) (v)
#endif
#endif

/* Stores the first `count` of four words of lane 4 p + k, which are in vector k. */
pm_fn void pm_store_lane(real v, pm_u32 p, pm_global float *to, pm_u32 count) {
#ifdef PM_OPENCL
    if (count >= 4) {
        vstore4(PM_PART_OF(v, p), 0, to);
        return;
    }
#endif
    pm_store_words((const float *)&v + 4 * p, to, count);
}

/* Stores record n, of `size` words, at once: where records are not written one after another. Words go from
 * registers to memory, not through the stack, from which parts are read as slowly as they are stored. */
pm_fn void pm_send_record(const pm_lanes_out *out, real *words, pm_u32 n, pm_u32 size) {
    for (pm_u32 w = size; w % 4 != 0; w++)
        words[w] = PM_REAL(0.0f); /* the rest of the last block */
    PM_UNROLL
    for (pm_u32 w = 0; w < size; w += 4)
        pm_transpose_words(words + w);
    PM_UNROLL
    for (pm_u32 i = 0; i < PM_LANES; i++) {
        pm_global float *to = out->to[i] + n * size;
        PM_UNROLL
        for (pm_u32 w = 0; w < size && (out->active >> i & 1); w += 4)
            pm_store_lane(words[w + i % 4], i / 4, to + w, size - w);
    }
}

#endif
