/* SPDX-License-Identifier: MIT
 *
 * The tables that grow with a crowd's clips. New clips are put behind the others, in memory that no earlier version
 * reads. Where a table has no room, its clips move to larger memory without the rows of those that were removed;
 * jobs that run with an earlier version keep the old memory.
 */
#include <string.h>

#include "base/base.h"
#include "kernels/pm_memory.h"
#include "layout.h"

/* Where the tables of a change go. */
typedef struct placement {
    pm_crowd_change *change;
    const pm_crowd_data *before; /* NULL: none */
    pm_crowd_data *crowd;
    bool moves[PM_TABLE_COUNT]; /* to new memory */
    size_t total[PM_TABLE_COUNT];
} placement;

static bool bytes_of(const pm_crowd_data *crowd, pm_table table, size_t rows, size_t *bytes) {
    static const size_t sizes[PM_TABLE_COUNT] = {[PM_TABLE_CONSTANTS] = sizeof(float),
                                                 [PM_TABLE_LAYOUT] = sizeof(pm_track_layout),
                                                 [PM_TABLE_TIMELINES] = sizeof(pm_crowd_timeline),
                                                 [PM_TABLE_RATES] = sizeof(pm_timeline_rate),
                                                 [PM_TABLE_TIMES] = sizeof(pm_key_time),
                                                 [PM_TABLE_MARKERS] = sizeof(pm_crowd_marker)};
    return table < PM_TABLE_CONSTANTS ? pm_key_bytes(crowd->channels[table].format, rows, bytes)
                                      : pm_multiply(rows, sizes[table], bytes);
}

size_t pm_table_bytes(const pm_crowd_data *crowd, pm_table table, size_t rows) {
    size_t bytes = 0;
    (void)bytes_of(crowd, table, rows, &bytes); /* the bytes of all rows were checked */
    return bytes;
}

void *pm_table_at(const pm_crowd_data *crowd, pm_table table, size_t row) {
    return (char *)pm_pool_memory(crowd->tables[table].memory->block) +
           pm_table_bytes(crowd, table, row);
}

static void let_go(pm_table_memory *memory) {
    if (!memory || atomic_fetch_sub(&memory->holders, 1) > 1)
        return;
    pm_pool_give(memory->block);
    pm_release(memory);
}

void pm_tables_free(pm_crowd_data *crowd) {
    for (unsigned t = 0; t < PM_TABLE_COUNT; t++)
        let_go(crowd->tables[t].memory);
}

/* ---- room ------------------------------------------------------------------------------------ */

/* Rows behind the last clip: a whole group of joints is loaded from any row, also where rows are shorter. */
static size_t padding_of(const pm_crowd_data *crowd, pm_table table) {
    return table <= PM_TABLE_CONSTANTS &&
                   (table == PM_TABLE_CONSTANTS || crowd->channels[table].present)
               ? 4 * PM_TRACK_GROUP
               : 0;
}

static bool is_of_timelines(pm_table table) {
    return table == PM_TABLE_TIMELINES || table == PM_TABLE_RATES;
}

/* The rows of the clips that are added, or of all. False when they do not fit size_t. */
static bool count_rows(const placement *p, pm_table table, bool added, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < p->crowd->clip_count; i++)
        if ((!added || pm_is_added(p->change, i)) &&
            __builtin_add_overflow(*count, p->crowd->rows[i].count[table], count))
            return false;
    return !__builtin_add_overflow(*count, padding_of(p->crowd, table), count);
}

/* Decides whether a table moves: it has no room, or takes far more than is left in it. */
static pm_status size_table(placement *p, pm_table table, pm_error *error) {
    enum { LITTLE = 4096 };
    const pm_table_memory *memory = p->before ? p->before->tables[table].memory : NULL;
    const size_t used = pm_used_before(p->before, table);
    size_t added = 0, all = 0, end = 0;
    bool fits = count_rows(p, table, true, &added) && count_rows(p, table, false, &all);
    if (is_of_timelines(table)) /* which clips share */
        added = p->change->timelines.count;
    if (p->change->edit->clip_count == 0)
        added = 0;
    fits = fits && !__builtin_add_overflow(used, added, &end);
    if (!fits)
        return pm_fail(error, PM_ERROR_SIZE, "the size of all clips does not fit size_t");
    if (is_of_timelines(table) && all > end)
        all = end;
    p->moves[table] = !memory || end > memory->room || memory->room / 4 > all + LITTLE;
    p->total[table] = p->moves[table] ? all : end;
    return PM_OK;
}

/* Rows refer to rows of other tables, and those of earlier versions stay as they are. */
static void move_together(placement *p) {
    bool any = false;
    for (unsigned t = 0; t < PM_TABLE_COUNT; t++)
        any = any || p->moves[t];
    const pm_table with_times[] = {PM_TABLE_TIMELINES, PM_TABLE_RATES};
    const bool timelines =
        p->moves[PM_TABLE_TIMES] || p->moves[PM_TABLE_TIMELINES] || p->moves[PM_TABLE_RATES];
    for (unsigned n = 0; timelines && n < 2; n++)
        p->moves[with_times[n]] = true;
    if (p->crowd->per_joint && any)
        p->moves[PM_TABLE_LAYOUT] = true;
}

/* Rows for clips that are added later: as many as a new crowd is to have room for, and half of all where clips move,
 * because they will move again. */
static bool add_spare(const placement *p, size_t *room) {
    const size_t step = (size_t)4 * PM_TRACK_GROUP; /* whole groups of 48-bit keys */
    const size_t clips = p->change->edit->clip_count, spare = p->change->edit->spare_clips;
    size_t more = *room / 2;
    if (!p->before && !spare)
        return true;
    if (!p->before && !pm_multiply(*room / clips + 1, spare, &more))
        return false;
    if (__builtin_add_overflow(*room, more, room) || __builtin_add_overflow(*room, 2 * step, room))
        return false;
    *room = *room / step * step;
    return true;
}

static pm_status new_memory(placement *p, pm_table table, pm_error *error) {
    size_t room = p->total[table] ? p->total[table] : 1, bytes; /* a device has no empty memory */
    const bool fits = add_spare(p, &room);
    if (!fits || !bytes_of(p->crowd, table, room, &bytes))
        return pm_fail(error, PM_ERROR_SIZE, "the size of all clips in bytes does not fit size_t");
    pm_table_memory *memory = pm_allocate(p->crowd->host, sizeof *memory);
    if (!memory)
        return pm_fail_memory(error);
    *memory = (pm_table_memory){.room = room, .block = pm_block_make(p->crowd->host, bytes)};
    atomic_init(&memory->holders, 1);
    p->crowd->tables[table].memory = memory;
    return memory->block ? PM_OK : pm_fail_memory(error);
}

static pm_status hold_table(placement *p, pm_table table, pm_error *error) {
    if (p->moves[table])
        return new_memory(p, table, error);
    p->crowd->tables[table].memory = p->before->tables[table].memory;
    atomic_fetch_add(&p->crowd->tables[table].memory->holders, 1);
    return PM_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void copy_rows(const placement *p, pm_table table, size_t to, const void *from,
                      size_t count) {
    if (count)
        memcpy(pm_table_at(p->crowd, table, to), from, pm_table_bytes(p->crowd, table, count));
}

/* Copies the key times of a clip that is added. */
static void put_times(const placement *p, size_t i, size_t to) {
    pm_new_timelines *all = &p->change->timelines;
    const pm_clip_row *row = &p->crowd->rows[i];
    const size_t from = row->begin[PM_TABLE_TIMES] - pm_used_before(p->before, PM_TABLE_TIMES);
    const size_t begin = pm_used_before(p->before, PM_TABLE_TIMELINES);
    if (row->count[PM_TABLE_TIMES] == 0)
        return;
    copy_rows(p, PM_TABLE_TIMES, to, all->times + from, row->count[PM_TABLE_TIMES]);
    for (size_t k = 0; k < row->count[PM_TABLE_TIMELINES]; k++)
        all->timelines[row->begin[PM_TABLE_TIMELINES] - begin + k].times +=
            (pm_u32)(to - row->begin[PM_TABLE_TIMES]);
}

/* Gives the clips their rows: those that are added behind the others, or all one after another. */
static void place(const placement *p, pm_table table) {
    const bool moves = p->moves[table];
    const size_t padding = pm_table_bytes(p->crowd, table, padding_of(p->crowd, table));
    size_t at = moves ? 0 : pm_used_before(p->before, table);
    for (size_t i = 0; i < p->crowd->clip_count; i++) {
        pm_clip_row *row = &p->crowd->rows[i];
        const bool added = pm_is_added(p->change, i);
        if (!p->crowd->clips[i].exists || !(added || moves))
            continue;
        if (added && table == PM_TABLE_TIMES)
            put_times(p, i, at);
        if (!added && table != PM_TABLE_LAYOUT)
            copy_rows(p, table, at, pm_table_at(p->before, table, row->begin[table]),
                      row->count[table]);
        row->begin[table] = at;
        at += row->count[table];
    }
    if (moves || p->change->edit->clip_count)
        memset(pm_table_at(p->crowd, table, at), 0, padding);
}

/* How far the rows of a clip moved in a table. */
static size_t moved_by(const placement *p, size_t i, pm_table table) {
    return p->crowd->rows[i].begin[table] - p->before->rows[i].begin[table];
}

static void put_markers(const placement *p) {
    const pm_crowd_edit *edit = p->change->edit;
    for (size_t n = 0; edit->markers && n < edit->clip_count; n++)
        copy_rows(p, PM_TABLE_MARKERS, p->crowd->rows[p->change->ids[n]].begin[PM_TABLE_MARKERS],
                  edit->markers[n].markers, edit->markers[n].count);
}

/* ---- timelines ------------------------------------------------------------------------------- */

static void copy_timelines(const placement *p, size_t from, size_t to, size_t count) {
    const pm_new_timelines *all = &p->change->timelines;
    const size_t begin = pm_used_before(p->before, PM_TABLE_TIMELINES);
    const bool is_new = from >= begin;
    if (count == 0)
        return;
    copy_rows(p, PM_TABLE_TIMELINES, to,
              is_new ? all->timelines + (from - begin) : p->before->timelines + from, count);
    copy_rows(p, PM_TABLE_RATES, to, is_new ? all->rates + (from - begin) : p->before->rates + from,
              count);
}

/* The timelines of a clip move to number `to`, and refer to its key times where those are now. */
static void move_timelines(const placement *p, size_t i, size_t to) {
    const pm_clip_row *row = &p->crowd->rows[i];
    pm_crowd_timeline *timelines = pm_table_at(p->crowd, PM_TABLE_TIMELINES, to);
    copy_timelines(p, row->begin[PM_TABLE_TIMELINES], to, row->count[PM_TABLE_TIMELINES]);
    if (pm_is_added(p->change, i) || row->count[PM_TABLE_TIMES] == 0)
        return;
    for (size_t k = 0; k < row->count[PM_TABLE_TIMELINES]; k++)
        timelines[k].times += (pm_u32)moved_by(p, i, PM_TABLE_TIMES);
}

/* After key times. Clips that share a timeline share it where it moves to. */
static pm_status place_timelines(placement *p, pm_error *error) {
    const size_t begin = pm_used_before(p->before, PM_TABLE_TIMELINES);
    const size_t count = begin + p->change->timelines.count;
    size_t at = 0;
    if (!p->moves[PM_TABLE_TIMELINES]) {
        copy_timelines(p, begin, begin, p->change->timelines.count);
        return PM_OK;
    }
    pm_u32 *to = pm_allocate(p->crowd->host, (count + 1) * sizeof *to);
    if (!to)
        return pm_fail_memory(error);
    memset(to, 0xff, (count + 1) * sizeof *to); /* none has moved yet */
    for (size_t i = 0; i < p->crowd->clip_count; i++) {
        size_t *own = &p->crowd->rows[i].begin[PM_TABLE_TIMELINES];
        if (!p->crowd->clips[i].exists)
            continue;
        if (to[*own] == UINT32_MAX) {
            move_timelines(p, i, at);
            to[*own] = (pm_u32)at;
            at += p->crowd->rows[i].count[PM_TABLE_TIMELINES];
        }
        *own = to[*own];
    }
    p->total[PM_TABLE_TIMELINES] = p->total[PM_TABLE_RATES] = at;
    pm_release(to);
    return PM_OK;
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* The place of a joint of a clip with a common timeline. */
static pm_track_layout common_layout(const pm_crowd_data *crowd, const pm_clip_layout *clip,
                                     unsigned c, size_t joint) {
    const bool is_alone = crowd->channels[c].of_root && joint > 0;
    const pm_track_layout at = {.first = clip->first[c] + 4 * joint,
                                .row = clip->row[c],
                                .plane = clip->plane[c],
                                .timeline = clip->timeline,
                                .rates = clip->constants / PM_SPACING_FLOATS,
                                .wrap = 1};
    return is_alone ? (pm_track_layout){.first = crowd->rows[clip - crowd->clips].begin[c],
                                        .timeline = at.timeline,
                                        .rates = at.rates,
                                        .wrap = 1}
                    : at;
}

/* The layout of a clip of the version before, whose rows in other tables may have moved. */
static void move_layout(const placement *p, size_t i) {
    const size_t n = p->crowd->skeleton->joint_count;
    const pm_clip_layout *clip = &p->crowd->clips[i];
    pm_track_layout *to = pm_table_at(p->crowd, PM_TABLE_LAYOUT, clip->layout);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        for (size_t j = 0; j < n; j++, to++) {
            if (!p->before->per_joint) {
                *to = common_layout(p->crowd, clip, c, j);
                continue;
            }
            *to = p->before->layout[p->before->clips[i].layout + c * n + j];
            to->first += moved_by(p, i, PM_TABLE_KEYS + c);
            to->timeline += (pm_u32)moved_by(p, i, PM_TABLE_TIMELINES);
            to->rates += (pm_u32)(moved_by(p, i, PM_TABLE_CONSTANTS) / PM_SPACING_FLOATS);
        }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Where kernels find a clip. */
static void set_clip(pm_crowd_data *crowd, size_t i) {
    const size_t *begin = crowd->rows[i].begin;
    pm_clip_layout *clip = &crowd->clips[i];
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        clip->first[c] =
            begin[PM_TABLE_KEYS + c] + pm_rows_before(&crowd->channels[c]) * clip->row[c];
    clip->timeline = (pm_u32)begin[PM_TABLE_TIMELINES];
    clip->constants = (pm_u32)begin[PM_TABLE_CONSTANTS];
    clip->layout = (pm_u32)begin[PM_TABLE_LAYOUT];
    clip->markers = (pm_u32)begin[PM_TABLE_MARKERS];
    clip->marker_count = (pm_u32)crowd->rows[i].count[PM_TABLE_MARKERS];
}

static void set_pointers(pm_crowd_data *crowd) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const pm_table table = PM_TABLE_KEYS + c;
        pm_channel *channel = &crowd->channels[c];
        if (!channel->present)
            continue;
        channel->keys = pm_table_at(crowd, table, 0);
        channel->key_numbers = crowd->tables[table].used;
        channel->key_bytes = pm_table_bytes(crowd, table, channel->key_numbers);
    }
    crowd->channels[PM_ROTATIONS].constants = pm_table_at(crowd, PM_TABLE_CONSTANTS, 0);
    crowd->channels[PM_ROTATIONS].constant_floats =
        crowd->tables[PM_TABLE_CONSTANTS].used - padding_of(crowd, PM_TABLE_CONSTANTS);
    crowd->layout = pm_table_at(crowd, PM_TABLE_LAYOUT, 0);
    crowd->timelines = pm_table_at(crowd, PM_TABLE_TIMELINES, 0);
    crowd->rates = pm_table_at(crowd, PM_TABLE_RATES, 0);
    crowd->times = pm_table_at(crowd, PM_TABLE_TIMES, 0);
    if (crowd->tables[PM_TABLE_MARKERS].used)
        crowd->markers = pm_table_at(crowd, PM_TABLE_MARKERS, 0);
}

static pm_status find_room(placement *p, pm_error *error) {
    const size_t joints = PM_CHANNEL_COUNT * p->crowd->skeleton->joint_count;
    pm_status status = PM_OK;
    for (size_t i = 0; i < p->crowd->clip_count; i++)
        p->crowd->rows[i].count[PM_TABLE_LAYOUT] =
            p->crowd->per_joint && p->crowd->clips[i].exists ? joints : 0;
    for (unsigned t = 0; status == PM_OK && t < PM_TABLE_COUNT; t++)
        status = size_table(p, t, error);
    if (status != PM_OK)
        return status;
    move_together(p);
    for (unsigned t = 0; status == PM_OK && t < PM_TABLE_COUNT; t++)
        status = hold_table(p, t, error);
    for (unsigned t = PM_TABLE_CONSTANTS; status == PM_OK && t <= PM_TABLE_MARKERS; t++)
        if (p->total[t] > UINT32_MAX) /* as kernels count them */
            status =
                pm_fail(error, PM_ERROR_SIZE, "the crowd's clips have too many keys or markers");
    return status;
}

pm_status pm_tables_place(pm_crowd_change *change, pm_error *error) {
    placement p = {.change = change, .before = change->before, .crowd = change->crowd};
    pm_status status = find_room(&p, error);
    for (unsigned t = 0; status == PM_OK && t < PM_TABLE_COUNT; t++)
        if (!is_of_timelines(t))
            place(&p, t);
    if (status == PM_OK)
        status = place_timelines(&p, error);
    if (status != PM_OK)
        return status;
    put_markers(&p);
    for (unsigned t = 0; t < PM_TABLE_COUNT; t++)
        p.crowd->tables[t].used = p.total[t];
    set_pointers(p.crowd);
    for (size_t i = 0; i < p.crowd->clip_count; i++) {
        if (!p.crowd->clips[i].exists)
            continue;
        set_clip(p.crowd, i);
        if (p.crowd->per_joint && p.moves[PM_TABLE_LAYOUT] && !pm_is_added(change, i))
            move_layout(&p, i);
    }
    return PM_OK;
}
