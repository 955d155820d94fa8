/* SPDX-License-Identifier: MIT
 *
 * Functions for laying out a crowd's clips, shared by the files of this room.
 */
#ifndef PM_HOST_LAYOUT_H
#define PM_HOST_LAYOUT_H

#include "crowd.h"

/* Timelines of clips that are added. They are numbered on from those of the version before, and so are their key
 * times, until all tables have their places. */
enum { PM_ALIKE = 1024 };
typedef struct pm_new_timelines {
    const pm_host *host;
    const pm_crowd_data *before; /* NULL: none */
    pm_crowd_timeline *timelines;
    pm_timeline_rate *rates;
    pm_key_time *times;
    size_t count, room, rate_room, time_count, time_room;
    /* one more than the number of the last timeline of n segments, at n % PM_ALIKE; 0: none */
    pm_u32 alike[PM_ALIKE];
} pm_new_timelines;

/* A version of a crowd in the making. */
typedef struct pm_crowd_change {
    const pm_crowd_data *before; /* NULL: a new crowd */
    const pm_crowd_edit *edit;
    uint32_t *ids; /* (edit->clip_count): the numbers of the clips that are added, ascending */
    pm_crowd_data *crowd;
    pm_new_timelines timelines;
} pm_crowd_change;

/* The rows of a table that earlier versions may read. */
static inline size_t pm_used_before(const pm_crowd_data *before, pm_table table) {
    return before ? before->tables[table].used : 0;
}

/* Whether clip `i` is one of those that are added: its keys are not built yet. */
static inline bool pm_is_added(const pm_crowd_change *change, size_t i) {
    return change->crowd->clips[i].exists &&
           !(change->before && pm_crowd_has_clip(change->before, i));
}

/* Prefixes the error's message with "clips[N]: ". Returns `status`. */
pm_status pm_crowd_name_clip(size_t clip, pm_status status, pm_error *error);

/* Checks the clips that are added, and builds them into the tables. */
pm_status pm_crowd_build_clips(pm_crowd_change *change, size_t threads, pm_error *error);

/* Finds the rows that clip `n` of those that are added takes of each table, behind those before it. The clip is
 * laid out for the crowd. */
pm_status pm_crowd_measure_clip(pm_crowd_change *change, const pm_clip_data *clip, size_t n,
                                pm_error *error);

/* Allocates everything else, once all clips are measured, and moves clips of the version before to new memory
 * where a table has no room. */
pm_status pm_crowd_allocate(pm_crowd_change *change, pm_error *error);

/* Has clip `i` built into the crowd's planes. */
void pm_crowd_place_clip(const pm_crowd_data *crowd, pm_clip_data *clip, size_t i);

/* Adds what follows from the keys of clip `i`, once they are built. Several threads may add clips. */
void pm_crowd_add_clip(pm_crowd_data *crowd, const pm_clip_data *clip, size_t i);

/* Fills the joints' tables, once all clips are added. */
void pm_crowd_finish(pm_crowd_data *crowd);

/* Checks the markers of all clips that are added, once their durations are known, and counts them. The message
 * of a refusal names the clip. */
pm_status pm_crowd_check_markers(pm_crowd_change *change, pm_error *error);

/* ---- tables -------------------------------------------------------------------------------- */

/* The keys of a clip begin at a multiple of so many numbers: a cache line, or a group of 48-bit keys. */
size_t pm_crowd_alignment(const pm_channel *channel);

/* Gives each clip its part of each table: behind those of the version before, or in new memory. Copies what is
 * there already. */
pm_status pm_tables_place(pm_crowd_change *change, pm_error *error);

/* The address of a clip's part of a table. */
void *pm_table_at(const pm_crowd_data *crowd, pm_table table, size_t row);

void pm_tables_free(pm_crowd_data *crowd);

/* ---- timelines ---------------------------------------------------------------------------- */

/* Begins with those of the version before, which clips may share. */
void pm_new_timelines_begin(const pm_host *host, pm_new_timelines *timelines,
                            const pm_crowd_data *before);
void pm_new_timelines_free(pm_new_timelines *timelines);

/* Appends all timelines of a clip, including those that no joint uses, and listed key times, one more than there
 * are segments. A single uniform one may be shared. PM_ERROR_TIME when a timeline is too long. */
pm_status pm_crowd_add_timelines(pm_new_timelines *timelines, const pm_clip_data *clip,
                                 pm_clip_row *row, pm_error *error);

#endif
