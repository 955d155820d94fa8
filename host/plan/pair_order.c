/* SPDX-License-Identifier: MIT
 *
 * Sorts (track, time) pairs by the place of their keys: a counting sort of each block of pairs, in a
 * core's cache, and a list of the groups of all blocks, bucket after bucket.
 */
#include "sample_request.h"

#include <string.h>

/* BUCKET_BYTES: keys of a bucket; they fit a core's cache. With MAX_BUCKETS padding takes a ninth of
 * a block. */
enum { BUCKET_BYTES = 1 << 19, MAX_BUCKETS = 512 };
_Static_assert(PM_PAIR_BLOCK + PM_PAIR_GROUP * MAX_BUCKETS <= 1 << 16, "a place has 16 bits");

pm_pair_order pm_pair_order_of(const pm_sample_request *request, unsigned output) {
    const pm_channel *channel = &request->clip->channels[pm_outputs[output].channel];
    pm_pair_order order = {.channel = channel, .needs_tracks = channel->constant_floats > 0};
    const uint64_t end = pm_keys_end(request->clip, channel);
    size_t most = channel->key_bytes / BUCKET_BYTES + 1;
    most = most < MAX_BUCKETS ? most : MAX_BUCKETS;
    while (end >> order.shift >= most)
        order.shift++;
    order.bucket_count = (size_t)(end >> order.shift) + 1;
    order.block_room = PM_PAIR_BLOCK + (PM_PAIR_GROUP - 1) * order.bucket_count;
    order.block_room += -order.block_room % PM_PAIR_GROUP;
    return order;
}

size_t pm_pair_room(const pm_pair_order *order, size_t count) {
    return pm_piece_count(count, PM_PAIR_BLOCK) * order->block_room;
}

typedef struct sorting {
    const pm_pair_order *order;
    const pm_sample_request *piece;
    pm_sorted_pairs *sorted;
    uint32_t *begins; /* (blocks, bucket_count + 1): where buckets begin in their block */
} sorting;

/* The memory of a thread. */
typedef struct scratch {
    pm_cursor cursors[PM_PAIR_BLOCK]; /* then the pairs that they become */
    /* Sorted here and then copied, because single stores to memory that no cache holds are slow. */
    pm_sorted_pair sorted[PM_PAIR_BLOCK + PM_PAIR_GROUP * MAX_BUCKETS];
    uint16_t buckets[PM_PAIR_BLOCK];
    uint32_t next[MAX_BUCKETS];
} scratch;

static pm_sorted_pair pair_of(const pm_track_layout *track, pm_cursor cursor) {
    const uint64_t segment = cursor.segment & PM_CURSOR_SEGMENT;
    const bool flips = cursor.segment & PM_CURSOR_ODD_LAP && track->wrap < 0;
    return (pm_sorted_pair){(uint32_t)((track->first + segment * track->row) / 4),
                            flips ? -cursor.u : cursor.u};
}

/* The bucket of each pair, and the number of pairs in each bucket. */
static void find_buckets(const sorting *s, const pm_sample_request *block, scratch *at) {
    const pm_track_layout *layout = s->order->channel->layout;
    const unsigned shift = s->order->shift;
    memset(at->next, 0, sizeof at->next);
    for (size_t k = 0; k < block->sample_count; k++) {
        const pm_sorted_pair pair = pair_of(&layout[block->tracks[k]], at->cursors[k]);
        const uint32_t bucket = pair.key >> shift;
        at->cursors[k] = (pm_cursor){pair.key, pair.u};
        at->buckets[k] = (uint16_t)bucket;
        at->next[bucket]++;
    }
}

/* Where the buckets begin, from the numbers of pairs in `next`, which then has the same. */
static void divide(const sorting *s, uint32_t *begins, uint32_t *next) {
    uint32_t begin = 0;
    for (size_t b = 0; b < s->order->bucket_count; b++) {
        const uint32_t count = next[b];
        next[b] = begins[b] = begin;
        begin += count + -count % PM_PAIR_GROUP;
    }
    begins[s->order->bucket_count] = begin;
}

/* Padding repeats a bucket's last pair. */
static void pad(const uint32_t *begins, size_t buckets, scratch *at, uint32_t *tracks) {
    for (size_t b = 0; b < buckets; b++)
        for (uint32_t k = at->next[b]; k < begins[b + 1]; k++) {
            at->sorted[k] = at->sorted[k - 1];
            if (tracks)
                tracks[k] = tracks[k - 1];
        }
}

/* What a kernel reads for a pair among the constants: those of its track, or the spacing of its segment
 * for curves with four keys. `key` is that of the sorted pair. */
static uint32_t constant_of(const pm_channel *channel, uint32_t track, uint32_t key) {
    const pm_track_layout *at = &channel->layout[track];
    if (!pm_rows_before(channel))
        return track;
    return at->rates + (uint32_t)((4 * (uint64_t)key - at->first) / at->row);
}

static void sort_block(const sorting *s, size_t index, scratch *at) {
    const pm_piece piece = pm_piece_at(s->piece->sample_count, PM_PAIR_BLOCK, index);
    pm_sample_request block = pm_sample_request_piece(s->piece, &piece);
    const size_t base = index * s->order->block_room, buckets = s->order->bucket_count;
    uint32_t *begins = s->begins + index * (buckets + 1);
    uint16_t *places = s->sorted->places + piece.from;
    uint32_t *tracks = s->order->needs_tracks ? s->sorted->tracks + base : NULL;
    block.host_threads = 1; /* the calling thread */
    pm_sample_cursors(&block, at->cursors);
    find_buckets(s, &block, at);
    divide(s, begins, at->next);
    for (size_t k = 0; k < block.sample_count; k++) {
        const uint32_t place = at->next[at->buckets[k]]++;
        at->sorted[place] = (pm_sorted_pair){at->cursors[k].segment, at->cursors[k].u};
        places[k] = (uint16_t)place;
        if (tracks)
            tracks[place] = constant_of(s->order->channel, block.tracks[k], at->cursors[k].segment);
    }
    pad(begins, buckets, at, tracks);
    memcpy(s->sorted->pairs + base, at->sorted, begins[buckets] * sizeof *at->sorted);
}

/* A thread that gets no memory takes no blocks. */
static void sort_blocks(void *context, pm_items *items) {
    sorting *s = context;
    size_t item;
    scratch *at = pm_allocate(s->piece->host, sizeof *at);
    while (at && pm_take_item(items, &item))
        sort_block(s, item, at);
    pm_release(at);
}

/* Lists the groups, bucket after bucket. */
static void list_groups(const sorting *s, size_t blocks) {
    const size_t buckets = s->order->bucket_count;
    size_t count = 0;
    for (size_t b = 0; b < buckets; b++)
        for (size_t i = 0; i < blocks; i++) {
            const uint32_t *begins = s->begins + i * (buckets + 1);
            const uint32_t base = (uint32_t)(i * s->order->block_room);
            for (uint32_t k = begins[b]; k < begins[b + 1]; k += PM_PAIR_GROUP)
                s->sorted->groups[count++] = base + k;
        }
    s->sorted->group_count = count;
}

pm_status pm_sort_pairs(const pm_pair_order *order, const pm_sample_request *piece,
                        pm_sorted_pairs *sorted, pm_error *error) {
    const size_t blocks = pm_piece_count(piece->sample_count, PM_PAIR_BLOCK);
    sorting s = {.order = order, .piece = piece, .sorted = sorted};
    s.begins = pm_allocate(piece->host, blocks * (order->bucket_count + 1) * sizeof *s.begins);
    if (!s.begins)
        return pm_fail_memory(error);
    const bool complete =
        pm_run_parallel(piece->host, piece->host_threads, blocks, sort_blocks, &s);
    if (complete)
        list_groups(&s, blocks);
    pm_release(s.begins);
    return complete ? PM_OK : pm_fail_memory(error);
}
