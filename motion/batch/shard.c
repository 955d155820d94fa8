/* SPDX-License-Identifier: MIT
 *
 * Division by the longest-processing-time rule, with a heap of shares.
 */
#include "motion/batch/plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct share {
    uint64_t load, index;
} share;

static int by_size(const void *left, const void *right) {
    const batch_item *a = *(const batch_item *const *)left, *b = *(const batch_item *const *)right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool is_before(const share *a, const share *b) {
    return a->load != b->load ? a->load < b->load : a->index < b->index;
}

/* Restores the order of a heap whose first share has become larger. */
static void sift_down(share *heap, size_t count) {
    const share moved = heap[0];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_before(&heap[child + 1], &heap[child]);
        if (is_before(&moved, &heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* A file without bytes counts too, so that such files are spread. */
static uint64_t add_load(uint64_t load, uint64_t bytes) {
    return bytes >= UINT64_MAX - load ? UINT64_MAX : load + bytes + 1;
}

bool shard_divide(const batch_items *items, batch_shard shard, bool *mine) {
    /* A share is empty as long as there are no more files than shares before it. */
    const size_t count = items->count < shard.count ? items->count : (size_t)shard.count;
    FREED const batch_item **order = calloc(items->count + 1, sizeof *order);
    FREED share *heap = calloc(count + 1, sizeof *heap);
    const bool good = order != NULL && heap != NULL;
    for (size_t i = 0; good && i < items->count; i++)
        order[i] = &items->items[i];
    for (size_t i = 0; good && i < count; i++)
        heap[i].index = i;
    if (good && items->count > 1)
        qsort(order, items->count, sizeof *order, by_size);
    for (size_t i = 0; good && i < items->count; i++) {
        mine[order[i] - items->items] = heap[0].index == shard.index;
        heap[0].load = add_load(heap[0].load, order[i]->bytes);
        sift_down(heap, count);
    }
    return good;
}
