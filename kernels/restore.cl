/* SPDX-License-Identifier: MIT
 *
 * Copies the values of sorted pairs into the order of the job. Blocks of pairs have `block_room`
 * values each in `sorted`, where places[f] is the place of value f in its block.
 */
#include "pm_memory.h"
#include "pm_segment.h"

#ifndef PM_COMPONENTS
#define PM_COMPONENTS 4
#endif

/* How many values ahead are prefetched: neighbours come from as many places as there are buckets,
 * which hardware prefetchers do not follow. */
#define PM_AHEAD 64

pm_kernel void restore(pm_global const float *restrict sorted,
                       pm_global const pm_u16 *restrict places, pm_global float *restrict values,
                       pm_u64 values_offset, pm_u32 value_count, pm_u32 block_room,
                       pm_u32 streams) {
    pm_u32 first = pm_global_id(0) * PM_LANES;
    if (first >= value_count)
        return;
    pm_u32 count = value_count - first < PM_LANES ? value_count - first : PM_LANES;
    pm_u32 in_block = first % PM_PAIR_BLOCK;
    pm_global const float *block =
        sorted + PM_COMPONENTS * (pm_u64)(first / PM_PAIR_BLOCK) * block_room;
    pm_global float *to = values + values_offset + (pm_u64)first * PM_COMPONENTS;
    if (value_count - first > PM_AHEAD + PM_LANES && in_block + PM_AHEAD < PM_PAIR_BLOCK)
        for (pm_u32 i = 0; i < PM_LANES; i++)
            pm_prefetch(block + PM_COMPONENTS * (pm_u32)places[first + PM_AHEAD + i],
                        PM_CACHE_LINE);
#if PM_COMPONENTS == 4
    pm_global const float *from[PM_LANES];
    for (pm_u32 i = 0; i < PM_LANES; i++)
        from[i] = block + 4 * (pm_u32)places[PM_ITEM_OF(i) < count ? first + PM_ITEM_OF(i) : first];
    pm_store_items(to, pm_gather_quats(from), value_count - first, streams);
#else
    (void)streams;
    for (pm_u32 i = 0; i < count; i++)
        for (pm_u32 c = 0; c < PM_COMPONENTS; c++)
            to[PM_COMPONENTS * i + c] = block[PM_COMPONENTS * (pm_u32)places[first + i] + c];
#endif
}
