/* SPDX-License-Identifier: MIT
 *
 * What became of the keys, as numbers and as JSON.
 */
#include "motion/reduce/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/composed.h"
#include "motion/base/json.h"
#include "motion/model/names.h"

static const double degrees = 57.29577951308232;

pm_motion_reduce_options reduction_options(const pm_motion_reduce_options *options) {
    static const double angles[] = {
        [PM_MOTION_REDUCE_GAME] = 0.5, [PM_MOTION_REDUCE_WEB] = 1, [PM_MOTION_REDUCE_FILM] = 0.05};
    pm_motion_reduce_options o = *options;
    const bool is_known = (unsigned)o.preset < sizeof angles / sizeof *angles;
    if (is_known && angles[o.preset] > 0 && !o.has_angle && o.distance == 0) {
        o.has_angle = true;
        o.angle = angles[o.preset];
    }
    o.compress = o.compress || o.preset == PM_MOTION_REDUCE_WEB;
    o.quantize = o.quantize || o.compress || o.preset == PM_MOTION_REDUCE_GAME;
    return o;
}

/* ---- numbers ------------------------------------------------------------------------------- */

static size_t keys_of(const certified *c) {
    return c->timeline->key_count;
}

static pm_motion_reduced_channel row_of(const reduced_channel *c, size_t row, const char *note) {
    const double unit = c->source.channel->path == PM_MOTION_ROTATION ? degrees : c->growth;
    return (pm_motion_reduced_channel){
        .clip = c->clip,
        .channel = c->index,
        .is_reduced = c->is_reduced,
        .moves = reduce_moves(c),
        .interpolation = c->result.channel->interpolation,
        .keys_before = keys_of(c->authored.channel ? &c->authored : &c->source),
        .keys_after = keys_of(&c->result),
        .corners = c->corners,
        .error = {c->error.found * unit, c->error.bound * unit, c->error.time, row},
        .note = note};
}

static void take_largest(pm_motion_error_bound *all, const pm_motion_error_bound *one) {
    const double bound = fmax(all->bound, one->bound);
    if (isnan(all->key_time) || one->found > all->found)
        *all = *one;
    all->bound = bound;
}

static pm_motion_error_bound *bound_of(pm_motion_reduction_numbers *n, pm_motion_path path) {
    return path == PM_MOTION_ROTATION   ? &n->angle
           : path == PM_MOTION_POSITION ? &n->position
           : path == PM_MOTION_SCALE    ? &n->scale
                                        : NULL;
}

static void add_row(pm_motion_reduction_numbers *n, const reduced_channel *c,
                    const pm_motion_reduced_channel *row) {
    const pm_motion_path path = c->source.channel->path;
    /* Weights have the bound of scales, if there is one. */
    pm_motion_error_bound *bound =
        path == PM_MOTION_WEIGHTS && row->error.bound > 0 ? &n->scale : bound_of(n, path);
    n->keys_before += row->keys_before;
    n->keys_after += row->keys_after;
    if (path == PM_MOTION_ROTATION && row->moves) {
        n->moving_before += row->keys_before;
        n->moving_after += row->keys_after;
    }
    if (bound && row->is_reduced)
        take_largest(bound, &row->error);
}

/* Keys with tangents, and each timeline once. */
static uint64_t count_bytes(const pm_motion_content *content) {
    uint64_t numbers = 0;
    for (size_t i = 0; i < content->clip_count; i++) {
        const pm_motion_clip *clip = &content->clips[i];
        for (size_t t = 0; t < clip->timeline_count; t++) {
            bool is_used = false;
            for (size_t c = 0; c < clip->channel_count; c++)
                is_used = is_used || clip->channels[c].timeline == t;
            numbers += is_used ? clip->timelines[t].key_count : 0;
        }
        for (size_t c = 0; c < clip->channel_count; c++) {
            const pm_motion_channel *channel = &clip->channels[c];
            numbers += (uint64_t)clip->timelines[channel->timeline].key_count *
                       channel->components * (channel->in.data ? 3 : 1);
        }
    }
    return numbers * sizeof(float);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static const char *name_of(const pm_motion_reduction *r, const pm_motion_channel *channel) {
    return channel->node >= 0 ? r->source->nodes[channel->node].name.text : channel->name.text;
}

static const pm_motion_channel *channel_of(const pm_motion_reduction *r,
                                           const pm_motion_reduced_channel *row) {
    return &r->source->clips[row->clip].channels[row->channel];
}

static void write_bound(json_writer *json, const char *key, const pm_motion_error_bound *error,
                        const char *name, size_t clip) {
    json_begin_object(json, key);
    json_write_number(json, "found", error->found);
    json_write_number(json, "bound", error->bound);
    json_write_number(json, "time", error->key_time);
    json_write_string(json, "name", name);
    json_write_integer(json, "clip", clip);
    json_end_object(json);
}

static void write_error(json_writer *json, const pm_motion_reduction *r, const char *key,
                        const pm_motion_error_bound *error) {
    if (isnan(error->key_time)) {
        json_write_null(json, key);
        return;
    }
    const pm_motion_reduced_channel *row = &r->numbers.channels[error->channel];
    write_bound(json, key, error, name_of(r, channel_of(r, row)), row->clip);
}

static void write_distance(json_writer *json, const pm_motion_reduction *r) {
    const pm_motion_reduction_numbers *n = &r->numbers;
    if (isnan(n->distance.key_time))
        json_write_null(json, "distance");
    else
        write_bound(json, "distance", &n->distance, r->source->nodes[n->distance_node].name.text,
                    n->distance_clip);
}

static void write_row(json_writer *json, const pm_motion_reduction *r,
                      const pm_motion_reduced_channel *row) {
    const pm_motion_channel *channel = channel_of(r, row);
    json_begin_object(json, NULL);
    json_write_integer(json, "clip", row->clip);
    json_write_string(json, "name", name_of(r, channel));
    json_write_string(json, "path", motion_path_names[channel->path]);
    json_write_bool(json, "reduced", row->is_reduced);
    json_write_bool(json, "moves", row->moves);
    json_write_string(json, "interpolation", motion_interpolation_names[row->interpolation]);
    json_write_integer(json, "keys_before", row->keys_before);
    json_write_integer(json, "keys_after", row->keys_after);
    json_write_integer(json, "corners", row->corners);
    json_write_number(json, "found", row->is_reduced ? row->error.found : (double)NAN);
    json_write_number(json, "bound", row->is_reduced ? row->error.bound : (double)NAN);
    json_write_number(json, "time", row->is_reduced ? row->error.key_time : (double)NAN);
    json_write_string(json, "note", row->note);
    json_end_object(json);
}

static bool print_all(FILE *file, const void *content) {
    const pm_motion_reduction *r = content;
    const pm_motion_reduction_numbers *n = &r->numbers;
    json_writer json = {file, 0, false};
    json_begin_object(&json, NULL);
    json_write_string(&json, "curve", pm_method_get_info(r->options.curve)->name);
    json_write_bool(&json, "smooth", r->options.smooth);
    json_write_bool(&json, "common", r->options.common);
    if (r->options.loop) {
        json_begin_object(&json, "loops");
        json_write_integer(&json, "closed", n->loops_closed);
        json_write_integer(&json, "extended", n->loops_extended);
        json_write_integer(&json, "not", n->loops_not);
        json_end_object(&json);
    } else {
        json_write_null(&json, "loops");
    }
    json_write_bool(&json, "quantized", r->options.quantize || r->options.compress);
    json_write_bool(&json, "compressed", r->options.compress);
    json_begin_object(&json, "limits");
    json_write_number(&json, "angle_degrees", r->options.angle);
    json_write_number(&json, "position", r->options.position);
    json_write_number(&json, "scale", r->options.scale_error);
    json_write_number(&json, "distance", r->options.distance);
    reach_write_at(&json, r->options.at);
    json_write_string(&json, "additive", r->options.additive);
    json_write_string(&json, "unread_mesh", n->unread_mesh);
    json_end_object(&json);
    json_write_integer(&json, "keys_before", n->keys_before);
    json_write_integer(&json, "keys_after", n->keys_after);
    json_write_integer(&json, "moving_rotation_keys_before", n->moving_before);
    json_write_integer(&json, "moving_rotation_keys_after", n->moving_after);
    json_write_integer(&json, "key_bytes_before", n->bytes_before);
    json_write_integer(&json, "key_bytes_after", n->bytes_after);
    write_error(&json, r, "angle_degrees", &n->angle);
    write_distance(&json, r);
    write_error(&json, r, "position", &n->position);
    write_error(&json, r, "scale", &n->scale);
    json_begin_array(&json, "channels");
    for (size_t i = 0; i < n->channel_count; i++)
        write_row(&json, r, &n->channels[i]);
    json_end_array(&json);
    json_end_object(&json);
    return true;
}

/* ---- all ----------------------------------------------------------------------------------- */

pm_motion_reduction *reduction_make(const pm_motion_content *source,
                                    const pm_motion_content *result,
                                    const pm_motion_reduce_options *options,
                                    const reduced_channel *channels, size_t count,
                                    const pm_motion_error_bound *distance, size_t distance_clip,
                                    const size_t loops[3], const char *unread) {
    pm_motion_reduction *r = calloc(1, sizeof *r);
    pm_motion_reduced_channel *rows = r ? motion_allocate(&r->arena, count, sizeof *rows) : NULL;
    size_t size = 0;
    if (!rows) {
        pm_motion_reduction_destroy(&r);
        return NULL;
    }
    const char *kept = unread ? motion_copy_text(&r->arena, unread, strlen(unread)) : NULL;
    if (unread && !kept) {
        pm_motion_reduction_destroy(&r);
        return NULL;
    }
    const pm_motion_error_bound none = {.key_time = (double)NAN};
    r->source = source;
    r->options = *options;
    r->numbers = (pm_motion_reduction_numbers){.channels = rows,
                                               .channel_count = count,
                                               .bytes_before = count_bytes(source),
                                               .bytes_after = count_bytes(result),
                                               .angle = none,
                                               .position = none,
                                               .scale = none,
                                               .distance = *distance,
                                               .distance_node = distance->channel,
                                               .distance_clip = distance_clip,
                                               .at = options->at,
                                               .loops_closed = loops[LOOP_CLOSED],
                                               .loops_extended = loops[LOOP_OPEN],
                                               .loops_not = loops[LOOP_NONE],
                                               .unread_mesh = kept};
    r->numbers.distance.channel = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const char *const said = channels[i].note;
        const char *const note = said[0] ? motion_copy_text(&r->arena, said, strlen(said)) : NULL;
        if (said[0] && !note) {
            pm_motion_reduction_destroy(&r);
            return NULL;
        }
        rows[i] = row_of(&channels[i], i, note);
        add_row(&r->numbers, &channels[i], &rows[i]);
    }
    r->json = compose_text(print_all, r, &size);
    r->source = NULL;
    if (!r->json)
        pm_motion_reduction_destroy(&r);
    return r;
}

void pm_motion_reduction_destroy(pm_motion_reduction **reduction) {
    if (!reduction || !*reduction)
        return;
    motion_arena_release(&(*reduction)->arena);
    free((*reduction)->json);
    free(*reduction);
    *reduction = NULL;
}

const pm_motion_reduction_numbers *
pm_motion_reduction_get_numbers(const pm_motion_reduction *reduction) {
    return reduction ? &reduction->numbers : NULL;
}

const char *pm_motion_reduction_json(const pm_motion_reduction *reduction) {
    return reduction ? reduction->json : NULL;
}
