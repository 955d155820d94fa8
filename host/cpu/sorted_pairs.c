/* SPDX-License-Identifier: MIT
 *
 * Values of (track, time) pairs in the order of their keys on the CPU: a piece is sorted,
 * computed group by group, and put into the order of the request.
 */
#include <string.h>

#include "sample_lanes.h"

/* A piece of a request. */
typedef struct sorted_piece {
    pm_sample_lanes_function function;
    const pm_sample_request *piece;
    unsigned output;
    pm_pair_order order;
    pm_sorted_pairs sorted;
    float *values; /* of the sorted pairs */
} sorted_piece;

/* Groups of a work item. */
enum { ITEM_GROUPS = 1 << 10 };

static void compute_groups(void *context, pm_items *items) {
    const sorted_piece *p = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_lane_job job = {.request = p->piece,
                                 .output = p->output,
                                 .to = p->values,
                                 .sorted = &p->sorted,
                                 .groups = pm_piece_at(p->sorted.group_count, ITEM_GROUPS, item)};
        p->function(&job);
    }
}

/* Neighbours come from as many places as there are buckets. */
static inline void restore(const float *values, const uint16_t *places, size_t count,
                           size_t components, float *to) {
    enum { AHEAD = 64 };
    for (size_t k = 0; k < count; k++) {
        __builtin_prefetch(values + components * places[k + AHEAD < count ? k + AHEAD : k]);
        memcpy(to + components * k, values + components * places[k], components * sizeof *to);
    }
}

static void restore_blocks(void *context, pm_items *items) {
    const sorted_piece *p = context;
    const size_t components = pm_outputs[p->output].components;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece at = pm_piece_at(p->piece->sample_count, PM_PAIR_BLOCK, item);
        const float *values = p->values + components * item * p->order.block_room;
        const uint16_t *places = p->sorted.places + at.from;
        float *to = p->piece->outputs[p->output] + components * at.from;
        if (components == 4)
            restore(values, places, at.count, 4, to);
        else
            restore(values, places, at.count, 3, to);
    }
}

static pm_status compute(sorted_piece *p, pm_error *error) {
    const size_t threads = p->piece->host_threads;
    const pm_status status = pm_sort_pairs(&p->order, p->piece, &p->sorted, error);
    if (status != PM_OK)
        return status;
    pm_run_parallel(p->piece->host, threads, pm_piece_count(p->sorted.group_count, ITEM_GROUPS),
                    compute_groups, p);
    pm_run_parallel(p->piece->host, threads, pm_piece_count(p->piece->sample_count, PM_PAIR_BLOCK),
                    restore_blocks, p);
    return PM_OK;
}

/* Pairs that use each line of the keys several times; more would only take more memory. */
static size_t pairs_of_piece(const pm_sample_request *request, const pm_channel *channel) {
    const size_t several = channel->key_bytes / 32 + 1;
    const size_t most = several < PM_SORTED_PIECE ? several : PM_SORTED_PIECE;
    return most < request->sample_count ? most : request->sample_count;
}

pm_status pm_cpu_sample_sorted(pm_sample_lanes_function function, const pm_sample_request *request,
                               unsigned output, pm_error *error) {
    sorted_piece p = {
        .function = function, .output = output, .order = pm_pair_order_of(request, output)};
    const size_t size = pairs_of_piece(request, p.order.channel);
    const size_t room = pm_pair_room(&p.order, size);
    const size_t each = pm_outputs[output].components * sizeof(float) + sizeof(pm_sorted_pair) +
                        2 * sizeof(uint32_t);
    pm_pool_block *block =
        pm_pool_take_beside(p.order.channel->memory, room * each + size * sizeof(uint16_t));
    if (!block)
        return pm_fail_memory(error);
    p.values = pm_pool_memory(block);
    p.sorted.pairs = (pm_sorted_pair *)(void *)(p.values + room * pm_outputs[output].components);
    p.sorted.groups = (uint32_t *)(void *)(p.sorted.pairs + room);
    p.sorted.tracks = p.order.needs_tracks ? p.sorted.groups + room : NULL;
    p.sorted.places = (uint16_t *)(void *)(p.sorted.groups + 2 * room);
    const pm_host within = pm_host_within(request->host);
    pm_status status = PM_OK;
    const size_t pieces = pm_piece_count(request->sample_count, size);
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(request->sample_count, size, i);
        const pm_sample_request piece = pm_sample_request_piece(request, &at);
        p.piece = &piece;
        status = pm_check_piece(&within, i, pieces, error);
        if (status == PM_OK)
            status = compute(&p, error);
    }
    pm_pool_give(block);
    return status;
}
