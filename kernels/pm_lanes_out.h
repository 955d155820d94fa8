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

/* The output memory of the lanes. Lane i is written only where bit i of `active` is set. */
typedef struct pm_lanes_out {
    pm_global float *to[PM_LANES]; /* aligned to a cache line where `streams` */
    pm_u32 active;
    pm_u32 streams; /* not 0: store past the caches */
} pm_lanes_out;

#define PM_ALL_ACTIVE ((1u << PM_LANES) - 1u)

#ifdef PM_OPENCL
pm_fn void pm_store_vector(real words, pm_global float *to, pm_u32 streams) {
    if (streams)
        PM_STREAM(words, to);
    else
        PM_VSTORE(words, 0, to);
}
#endif

/* Stores the first `count` of four words. */
pm_fn void pm_store_words(const float *words, pm_global float *to, pm_u32 count) {
#ifdef PM_OPENCL
    if (count >= 4) {
        vstore4(vload4(0, words), 0, to);
        return;
    }
#endif
    for (pm_u32 w = 0; w < count && w < 4; w++)
        to[w] = words[w];
}

/* Four words of each lane: vector k has those of each lane 4 p + k. */
pm_fn pm_quat_block pm_block_of_words(const real *words) {
    return pm_block_of(pm_quat_of(words[0], words[1], words[2], words[3]));
}

#endif
