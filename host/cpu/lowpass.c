/* SPDX-License-Identifier: MIT
 *
 * Low-passes on the CPU: pieces of the samples, on threads.
 */
#include <stdatomic.h>

#include "lowpass_lanes.h"

#define PM_DECLARE_SET(name) extern const pm_lowpass_function pm_lowpass_run_##name;
PM_INSTRUCTION_SETS(PM_DECLARE_SET)

#define PM_SET_ROW(name) &pm_lowpass_run_##name,
static const pm_lowpass_function *const sets[] = {PM_INSTRUCTION_SETS(PM_SET_ROW)};

typedef struct filtering {
    const pm_sample_request *request;
    pm_lowpass_function run;
    size_t piece_samples;
    atomic_size_t done; /* number of finished pieces */
} filtering;

static pm_status filter_piece(const filtering *f, const pm_sample_request *piece) {
    pm_lowpass_table table;
    const pm_status status = pm_lowpass_tabulate(piece, &table, NULL);
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++) {
        const pm_channel *channel = &piece->clip->channels[pm_outputs[o].channel];
        const pm_lowpass_view view = {.keys = channel->keys,
                                      .row = piece->outputs[o] ? channel->layout[0].row : 0,
                                      .components = pm_outputs[o].components,
                                      .track_count = piece->clip->track_count,
                                      .table = &table,
                                      .to = piece->outputs[o]};
        if (piece->outputs[o])
            f->run(&view, piece);
    }
    pm_lowpass_table_release(&table);
    return status;
}

/* A thread that gets no memory leaves its piece undone. */
static void filter_pieces(void *context, pm_items *items) {
    filtering *f = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece at = pm_piece_at(f->request->sample_count, f->piece_samples, item);
        pm_sample_request piece = pm_sample_request_piece(f->request, &at);
        piece.host_threads = 1; /* the calling thread */
        if (filter_piece(f, &piece) == PM_OK)
            atomic_fetch_add(&f->done, 1);
    }
}

/* There are PIECES_A_THREAD pieces per thread, of MIN_VALUES values or more: fewer do not repay weights of
 * their own. */
enum { MIN_VALUES = 1 << 13, PIECES_A_THREAD = 4 };

static size_t piece_samples(const pm_sample_request *r) {
    const size_t min = MIN_VALUES / r->width + 1, max = pm_lowpass_piece(r->lowpass);
    size_t samples = r->sample_count / (PIECES_A_THREAD * r->host_threads) + 1;
    samples = samples > min ? samples : min;
    return samples < max ? samples : max;
}

pm_status pm_cpu_lowpass(size_t instruction_set, const pm_sample_request *request,
                         pm_error *error) {
    filtering f = {
        .request = request, .run = *sets[instruction_set], .piece_samples = piece_samples(request)};
    const size_t pieces = pm_piece_count(request->sample_count, f.piece_samples);
    const pm_status status =
        pm_run_pieces(request->host, request->host_threads, pieces, filter_pieces, &f, error);
    return status == PM_OK && f.done < pieces ? pm_fail_memory(error) : status;
}
