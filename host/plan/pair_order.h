/* SPDX-License-Identifier: MIT
 *
 * The order in which a CPU device computes many (track, time) pairs: by the place of their keys in
 * memory, so that keys stay in a core's cache while they are used. Only pairs in random order over
 * keys that exceed the cache gain from it.
 */
#ifndef PM_HOST_PAIR_ORDER_H
#define PM_HOST_PAIR_ORDER_H

#include "sample_request.h"

/* Keys are divided into buckets of equal size. Pairs are divided into blocks, and the pairs of a
 * block are sorted by bucket; each bucket of a block is padded to whole groups. */
typedef struct pm_pair_order {
    const pm_channel *channel;
    bool needs_tracks; /* the curve has constants */
    unsigned shift;    /* from the place of a key to its bucket */
    size_t bucket_count;
    size_t block_room; /* sorted pairs of a block, with the padding */
} pm_pair_order;

/* The sorted pairs of a piece. The arrays are the caller's. */
typedef struct pm_sorted_pairs {
    pm_sorted_pair *pairs; /* (pm_pair_room): undefined after the groups of a block */
    uint32_t *tracks;      /* (pm_pair_room) likewise; NULL unless the order needs them */
    uint16_t *places;      /* (sample_count): where each pair is among those of its block */
    /* (pm_pair_room / PM_PAIR_GROUP): where each group begins, bucket after bucket */
    uint32_t *groups;
    size_t group_count;
} pm_sorted_pairs;

/* Whether sorting a job's pairs repays for an output on a CPU device: the output is no derivative,
 * its keys exceed the caches, and there are so many pairs that several use a cache line. */
bool pm_pairs_repay_sorting(const pm_sample_request *request, unsigned output);

/* The order for such a request and output. It holds for all pieces of the request. */
pm_pair_order pm_pair_order_of(const pm_sample_request *request, unsigned output);

/* The maximum number of pairs in a piece that is sorted: more would not find more keys in a cache,
 * and take more memory. */
enum { PM_SORTED_PIECE = 1 << 22 };

/* Sorted pairs of a piece of `count` pairs, with the padding; below 2^32. */
size_t pm_pair_room(const pm_pair_order *order, size_t count);

/* Locates the pairs of a piece and sorts them. Uses up to host_threads threads. */
pm_status pm_sort_pairs(const pm_pair_order *order, const pm_sample_request *piece,
                        pm_sorted_pairs *sorted, pm_error *error);

#endif
