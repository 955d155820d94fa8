/* SPDX-License-Identifier: MIT
 *
 * One channel: its keys are searched, made and certified independently of all others.
 */
#include "motion/reduce/channel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/model/evaluate.h"

static const double degrees = 57.29577951308232; /* of a radian */

/* Whether the numbers of a channel differ by a part of themselves: scales and weights. */
static bool reduce_is_ratio(const pm_motion_channel *channel) {
    return channel->path == PM_MOTION_SCALE || channel->path == PM_MOTION_WEIGHTS;
}

double reduce_limit(const reduce_limits *limits, const reduced_channel *c) {
    const pm_motion_channel *channel = c->source.channel;
    return channel->path == PM_MOTION_ROTATION   ? limits->angle
           : channel->path == PM_MOTION_POSITION ? limits->position / c->growth
           : reduce_is_ratio(channel)            ? limits->scale
                                                 : 0;
}

double reduce_error_over(const reduced_channel *c, double limit) {
    return c->error.found > limit ? c->error.found : c->error.bound;
}

static bool is_rotation(const reduced_channel *c) {
    return c->source.channel->path == PM_MOTION_ROTATION;
}

void reduce_note(reduced_channel *c, const char *format, ...) {
    const size_t used = strlen(c->note);
    char text[REDUCE_NOTE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)snprintf(c->note + used, sizeof c->note - used, "%s%s", used > 0 ? "; " : "", text);
}

bool reduce_has_curve(const reduced_channel *c, pm_method curve) {
    return is_rotation(c) && method_curve_knows(curve) && !c->keeps_slerp;
}

bool reduce_moves(const reduced_channel *c) {
    for (size_t k = 0; k + 1 < c->source.timeline->key_count; k++)
        if (!lines_equal(c->source.channel, k))
            return true;
    return false;
}

bool reduce_is_held(const reduced_channel *c, const reduce_limits *limits) {
    const line_keys numbers = {.channel = c->source.channel,
                               .timeline = c->source.timeline,
                               .limit = reduce_limit(limits, c),
                               .is_ratio = reduce_is_ratio(c->source.channel),
                               .form = c->form};
    return !reduce_moves(c) || (!is_rotation(c) && numbers.limit > 0 && lines_held(&numbers));
}

void reduce_hold(reduced_channel *c) {
    free(c->keys);
    free(c->cubics);
    c->keys = NULL; /* the first ones */
    c->cubics = NULL;
    c->corners = 0;
    c->count = 1;
}

/* ---- tests --------------------------------------------------------------------------------- */

/* Numbers take this part of their bound by being rounded, at most: a vector of three halves of a step. */
static const double packed_part = 0.25;

/* Of rotations, so that keys are few; and of forms so fine that hardly a key is dropped. */
static const double rotation_part = 0.5, finest_part = 1;

/* The bound of the rounding decides how many bits a number has. */
static void choose_number_form(reduced_channel *c, const reduce_limits *limits) {
    const pm_motion_channel *channel = c->source.channel;
    const double unit = channel->path == PM_MOTION_POSITION ? limits->unit : 1;
    const size_t numbers = c->source.timeline->key_count * channel->components;
    double most = 0, least = (double)INFINITY;
    for (size_t i = 0; i < numbers; i++) {
        const double size = unit * fabs(evaluate_number(&channel->keys, channel->components,
                                                        i / channel->components,
                                                        (uint32_t)(i % channel->components)));
        most = fmax(most, size);
        least = fmin(least, size);
    }
    double step = reduce_limit(limits, c) * packed_part;
    step = reduce_is_ratio(channel) ? 2 * step * least : step * unit * 2 / sqrt(3);
    int exponent = 0;
    (void)frexp(step, &exponent); /* step < 2^exponent */
    exponent--;
    if (step > 0 && isfinite(step) && exponent > PACKED_LEAST_EXPONENT &&
        exponent < PACKED_MOST_EXPONENT && most < ldexp(1, 22 + exponent))
        c->form = (key_form){.is_packed = true, .exponent = exponent, .unit = unit};
}

/* The values that a form has, unless they are there. False: memory is exhausted. */
static bool fill_form(reduced_channel *c, key_form *form) {
    const size_t count = c->source.timeline->key_count;
    const bool is_there = c->packed && c->form.bits == form->bits;
    if (!c->packed)
        c->packed = malloc(count * sizeof *c->packed);
    for (size_t k = 0; c->packed && !is_there && k < count; k++)
        written_rotation(c->source.channel, k, *form, c->packed[k]);
    form->values = (const double(*)[4])c->packed;
    return c->packed != NULL;
}

/* The fewest bits that take a small part of the bound. Bounds only become smaller. False: memory is exhausted. */
static bool choose_rotation_form(reduced_channel *c, const reduce_limits *limits) {
    static const unsigned filtered[] =
        {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, PACKED_FINEST, 0},
                          plain[] = {PACKED_INT16, 0};
    const unsigned *bits = limits->packing.compresses ? filtered : plain;
    while (*bits > 0 && *bits < c->form.bits)
        bits++;
    for (bool is_good = reduce_is_cancelled(limits->cancel); !is_good; bits++) {
        SCOPED(motion_arena_release) motion_arena arena = {NULL};
        key_form form = {.bits = *bits};
        turns t;
        if (*bits == 0) {
            c->form = form;
            c->slack = 0;
            c->packs_not = true;
            return true;
        }
        if (!fill_form(c, &form) || !turns_read(&t, c->source.channel, c->source.timeline,
                                                reduce_limit(limits, c), c->limits, form, &arena))
            return false;
        const bool is_fine = bits[1] == 0 || *bits > PACKED_MOST;
        is_good = turns_pack_well(&t, is_fine ? finest_part : rotation_part) ||
                  reduce_is_cancelled(limits->cancel);
        c->form = form;
        c->slack = t.slack;
    }
    return true;
}

bool reduce_set_bits(reduced_channel *c, unsigned bits) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    key_form form = {.bits = bits};
    turns t;
    if (!fill_form(c, &form) ||
        !turns_read(&t, c->source.channel, c->source.timeline, 1, NULL, form, &arena))
        return false;
    c->form = form;
    c->slack = t.slack;
    return true;
}

/* What stays at the rest pose is written as that is, so that it can be left out. */
static bool is_at_rest(const reduced_channel *c) {
    const pm_motion_channel *channel = c->source.channel;
    bool same = c->rest && c->source.timeline->key_count > 0;
    for (uint32_t i = 0; same && i < channel->components; i++)
        same =
            (float)evaluate_number(&channel->keys, channel->components, 0, i) == (float)c->rest[i];
    return same && !reduce_moves(c);
}

static bool choose_form(reduced_channel *c, const reduce_limits *limits) {
    c->packs_not = c->packs_not || is_at_rest(c);
    if (!c->is_reduced || c->packs_not ||
        !(limits->packing.quantizes || limits->packing.compresses))
        return true;
    if (is_rotation(c))
        return limits->curve == PM_METHOD_CUBICSPLINE || choose_rotation_form(c, limits);
    if (limits->packing.compresses)
        choose_number_form(c, limits);
    return true;
}

bool tested_read(tested *t, const reduced_channel *c, const reduce_limits *limits,
                 motion_arena *arena) {
    const pm_motion_channel *channel = c->source.channel;
    const double limit = reduce_limit(limits, c);
    *t = (tested){.turns = is_rotation(c)};
    if (t->turns) {
        const bool good =
            turns_read(&t->rotation, channel, c->source.timeline, limit, c->limits, c->form, arena);
        t->rotation.cancel = limits->cancel;
        return good;
    }
    t->numbers = (line_keys){.channel = channel,
                             .timeline = c->source.timeline,
                             .limit = limit,
                             .is_ratio = reduce_is_ratio(channel),
                             .form = c->form};
    return true;
}

bool tested_holds(void *user, size_t from, size_t to) {
    tested *t = user;
    return t->turns ? turns_hold(&t->rotation, from, to) : lines_hold(&t->numbers, from, to);
}

static bool tested_is_over(void *user, size_t from) {
    const tested *t = user;
    return t->turns && turns_are_over(&t->rotation, from);
}

/* ---- keys ---------------------------------------------------------------------------------- */

/* Drops keys between equal ones: nothing changes, whatever the times of all others are. */
static void drop_equal(reduced_channel *c) {
    const size_t last = c->source.timeline->key_count - 1;
    bool was_equal = false;
    c->count = 0;
    c->keys = malloc((last + 1) * sizeof *c->keys);
    c->end = c->keys ? PATH_FOUND : PATH_NO_MEMORY;
    for (size_t k = 0; c->keys && k <= last; k++) {
        const bool is_equal = k < last && lines_equal(c->source.channel, k);
        if (k == 0 || !was_equal || !is_equal)
            c->keys[c->count++] = k;
        was_equal = is_equal;
    }
}

/* False: memory is exhausted. */
static bool read_again(tested *t, reduced_channel *c, const reduce_limits *limits) {
    if (!c->turns) {
        if (!tested_read(t, c, limits, &c->memory))
            return false;
        c->turns = t->turns && c->limits ? motion_allocate(&c->memory, 1, sizeof *c->turns) : NULL;
        if (c->turns)
            *c->turns = t->rotation;
        return c->turns || !t->turns || !c->limits;
    }
    turns_limit(c->turns, reduce_limit(limits, c), c->limits);
    *t = (tested){.turns = true, .rotation = *c->turns};
    return true;
}

static void forget(reduced_channel *c) {
    motion_arena_release(&c->memory);
    c->turns = NULL;
}

static void find_path(reduced_channel *c, const reduce_limits *limits) {
    tested t;
    const path_problem problem = {c->source.timeline->key_count, tested_holds, &t, tested_is_over};
    c->end = !read_again(&t, c, limits) ? PATH_NO_MEMORY
             : c->keys                  ? path_mend(&problem, &c->keys, &c->count)
                                        : path_find(&problem, &c->keys, &c->count);
    if (!c->turns)
        forget(c);
}

/* Cubics; lines where a step of the source is one that no cubic follows closely enough. */
static void find_cubics(reduced_channel *c, const reduce_limits *limits) {
    motion_arena arena = {NULL};
    turns t;
    const cubic_fit before = {
        .keys = c->keys, .written = c->cubics, .count = c->count, .searches = c->searches};
    c->searches++;
    cubic_fit found = {.keys = NULL};
    c->end = PATH_NO_MEMORY;
    if (turns_read(&t, c->source.channel, c->source.timeline, limits->angle, c->limits, c->form,
                   &arena)) {
        t.cancel = limits->cancel;
        c->end =
            cubics_find(&t, c->source.channel, limits->is_smooth, limits->is_smooth && c->is_looped,
                        before.written ? &before : NULL, &found);
    }
    motion_arena_release(&arena);
    reduce_begin(c);
    c->keys = found.keys;
    c->cubics = found.written;
    c->count = found.count;
    c->corners = found.corners;
    if (c->end != PATH_NONE)
        return;
    c->keeps_slerp = true;
    reduce_note(c, "keeps slerp: it has a step that no cubic follows within the bound");
    find_path(c, limits);
}

/* Whether the curve through the keys that were found leaves the bound: then all keys do not help. */
static bool leaves_bound(reduced_channel *c, const reduce_limits *limits) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    pm_motion_channel channel;
    const pm_timeline timeline = reduce_make_timeline(c, &arena);
    c->result = (certified){&channel, &timeline, NULL, 0, NULL};
    if (!timeline.times || !reduce_make_channel(c, &arena, &channel))
        c->end = PATH_NO_MEMORY;
    else
        reduce_certify(c, limits);
    c->result = (certified){NULL, NULL, NULL, 0, NULL};
    return c->end == PATH_FOUND && c->error.bound > limits->angle;
}

static void keep_slerp(reduced_channel *c, const reduce_limits *limits) {
    const char *const curve = pm_method_get_info(limits->curve)->name;
    c->keeps_slerp = true;
    if (isinf(c->error.bound))
        reduce_note(c, "keeps slerp: there is no %s through its keys", curve);
    else
        reduce_note(c, "keeps slerp: %s through its keys is %.3g degrees from the source at %.9g s",
                    curve, reduce_error_over(c, limits->angle) * degrees, c->error.time);
}

static void find_removed(reduced_channel *c, const reduce_limits *limits) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    turns t, *const all[] = {&t};
    const removal_problem problem = {
        .method = limits->curve, .rotations = all, .rotation_count = 1};
    c->end = PATH_NO_MEMORY;
    if (turns_read(&t, c->source.channel, c->source.timeline, limits->angle, c->limits, c->form,
                   &arena)) {
        t.cancel = limits->cancel;
        c->end = removal_find(&problem, &c->keys, &c->count);
    }
    if (c->end != PATH_FOUND || limits->has_curve || !leaves_bound(c, limits))
        return;
    keep_slerp(c, limits);
    reduce_begin(c);
    find_path(c, limits);
}

static void keep_all(reduced_channel *c) {
    c->count = c->source.timeline->key_count;
    c->end = PATH_FOUND;
}

void reduce_begin(reduced_channel *c) {
    forget(c);
    free(c->keys);
    free(c->cubics);
    c->keys = NULL;
    c->cubics = NULL;
}

void reduce_find_keys(reduced_channel *c, const reduce_limits *limits) {
    const unsigned bits = c->form.bits;
    c->is_stale = false;
    const bool is_formed = choose_form(c, limits);
    if (!(limits->curve == PM_METHOD_SLERP ? c->turns != NULL : c->cubics != NULL) ||
        c->form.bits != bits)
        reduce_begin(c);
    if (!is_formed)
        c->end = PATH_NO_MEMORY;
    else if (!c->is_reduced || c->source.timeline->key_count < 3)
        keep_all(c);
    else if (reduce_limit(limits, c) == 0)
        drop_equal(c);
    else if (is_rotation(c) && limits->curve == PM_METHOD_CUBICSPLINE && !c->keeps_slerp)
        find_cubics(c, limits);
    else if (reduce_has_curve(c, limits->curve))
        find_removed(c, limits);
    else
        find_path(c, limits);
}

/* ---- several channels ---------------------------------------------------------------------- */

typedef struct tested_set {
    tested *all;
    size_t count;
    size_t failed; /* the channel that failed last mostly fails next */
} tested_set;

static bool set_holds(void *user, size_t from, size_t to) {
    tested_set *set = user;
    for (size_t i = 0; i < set->count; i++) {
        const size_t index = (set->failed + i) % set->count;
        if (!set->all[index].is_removed && !tested_holds(&set->all[index], from, to)) {
            set->failed = index;
            return false;
        }
    }
    return true;
}

bool reduce_give_keys(reduced_channel *const *channels, size_t count, const size_t *keys,
                      size_t key_count) {
    for (size_t i = 0; i < count; i++) {
        free(channels[i]->keys);
        channels[i]->is_stale = false;
        channels[i]->keys = malloc(key_count * sizeof *keys);
        if (!channels[i]->keys)
            return false;
        memcpy(channels[i]->keys, keys, key_count * sizeof *keys);
        channels[i]->count = key_count;
        channels[i]->end = PATH_FOUND;
    }
    return true;
}

path_end reduce_search_common(reduced_channel *const *channels, size_t count,
                              const reduce_limits *limits, size_t **keys, size_t *key_count) {
    SCOPED(motion_arena_release) motion_arena found = {NULL};
    motion_arena *const arena = &found;
    tested_set set = {.all = motion_allocate(arena, count, sizeof *set.all), .count = count};
    const path_problem problem = {channels[0]->source.timeline->key_count, set_holds, &set, NULL};
    turns **rotations = motion_allocate(arena, count, sizeof(turns *));
    removal_problem removal = {
        .method = limits->curve, .rotations = rotations, .holds = set_holds, .user = &set};
    *keys = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!set.all || !rotations || !tested_read(&set.all[i], channels[i], limits, arena))
            return PATH_NO_MEMORY;
        set.all[i].is_removed = reduce_has_curve(channels[i], limits->curve);
        if (set.all[i].is_removed)
            rotations[removal.rotation_count++] = &set.all[i].rotation;
    }
    return removal.rotation_count > 0 ? removal_find(&removal, keys, key_count)
                                      : path_find(&problem, keys, key_count);
}

/* Whether some rotation, which leaves its bound, is to be slerp. */
static bool keep_slerps(reduced_channel *const *channels, size_t count,
                        const reduce_limits *limits) {
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if (reduce_has_curve(channels[i], limits->curve) && leaves_bound(channels[i], limits)) {
            keep_slerp(channels[i], limits);
            any = true;
        }
    return any;
}

static path_end find_common(reduced_channel *const *channels, size_t count,
                            const reduce_limits *limits, size_t *key_count) {
    size_t *keys = NULL;
    path_end end = reduce_search_common(channels, count, limits, &keys, key_count);
    if (end == PATH_FOUND && !reduce_give_keys(channels, count, keys, *key_count))
        end = PATH_NO_MEMORY;
    free(keys);
    return end;
}

void reduce_find_common_keys(reduced_channel *const *channels, size_t count,
                             const reduce_limits *limits) {
    size_t key_count = 0;
    bool is_good = true;
    if (count == 0)
        return;
    if (channels[0]->source.timeline->key_count < 3) {
        for (size_t i = 0; i < count; i++)
            reduce_find_keys(channels[i], limits);
        return;
    }
    for (size_t i = 0; i < count; i++)
        is_good = choose_form(channels[i], limits) && is_good;
    path_end end = is_good ? find_common(channels, count, limits, &key_count) : PATH_NO_MEMORY;
    while (end == PATH_FOUND && keep_slerps(channels, count, limits))
        end = find_common(channels, count, limits, &key_count);
    if (end == PATH_NONE)
        channels[0]->count = key_count;
    if (end != PATH_FOUND)
        channels[0]->end = end;
}

bool reduce_has_keys_of(const reduced_channel *a, const reduced_channel *b) {
    return a->group > 0 && a->group == b->group && a->count == b->count;
}

bool reduce_has_same_times(const pm_timeline *a, const pm_timeline *b) {
    bool same = a->key_count == b->key_count;
    for (size_t k = 0; a != b && same && k < a->key_count; k++)
        same = evaluate_key_time(a, k) == evaluate_key_time(b, k);
    return same;
}

/* ---- the result ---------------------------------------------------------------------------- */

static size_t key_at(const reduced_channel *c, size_t index) {
    return c->keys ? c->keys[index] : index;
}

pm_timeline reduce_make_timeline(const reduced_channel *c, motion_arena *arena) {
    double *times = motion_allocate(arena, c->count, sizeof *times);
    for (size_t k = 0; times && k < c->count; k++)
        times[k] = written_time(c->source.timeline, key_at(c, k));
    return (pm_timeline){.key_count = c->count, .times = times};
}

/* The tangents and values of cubics; each is an array of its own. */
static bool make_cubics(const reduced_channel *c, motion_arena *arena, pm_motion_channel *to) {
    pm_array *const arrays[] = {&to->in, &to->keys, &to->out};
    double *parts[3];
    for (int p = 0; p < 3; p++) {
        parts[p] = motion_allocate(arena, c->count, 4 * sizeof *parts[p]);
        *arrays[p] = (pm_array){.data = parts[p], .type = PM_FLOAT64};
        if (!parts[p])
            return false;
    }
    to->interpolation = PM_MOTION_CUBICSPLINE;
    for (size_t k = 0; k < c->count; k++) {
        memcpy(parts[0] + 4 * k, c->cubics[k].in, sizeof c->cubics[k].in);
        memcpy(parts[1] + 4 * k, c->cubics[k].value, sizeof c->cubics[k].value);
        memcpy(parts[2] + 4 * k, c->cubics[k].out, sizeof c->cubics[k].out);
    }
    return true;
}

bool reduce_make_channel(const reduced_channel *c, motion_arena *arena, pm_motion_channel *to) {
    const pm_motion_channel *from = c->source.channel;
    *to = *from;
    if (c->cubics)
        return make_cubics(c, arena, to);
    double *keys = motion_allocate(arena, c->count, from->components * sizeof *keys);
    to->keys = (pm_array){.data = keys, .type = PM_FLOAT64};
    for (size_t k = 0; keys && k < c->count; k++) {
        double *key = keys + k * from->components;
        if (is_rotation(c))
            written_rotation(from, key_at(c, k), c->form, key);
        for (uint32_t i = 0; !is_rotation(c) && i < from->components; i++)
            key[i] = written_number(from, key_at(c, k), i, c->form);
    }
    return keys != NULL;
}

void reduce_certify(reduced_channel *c, const reduce_limits *limits) {
    const bool is_authored = c->authored.channel && !c->is_looped;
    certified source = is_authored ? c->authored : c->source, result = c->result;
    if (!c->is_reduced || reduce_is_cancelled(limits->cancel))
        return;
    source.known = is_authored ? NULL : c->turns; /* which are read at the keys of `source` */
    if (!is_rotation(c)) {
        c->error = certify_numbers(source, result, reduce_is_ratio(c->source.channel));
        return;
    }
    const pm_status status = reduce_has_curve(c, limits->curve) && c->count > 1
                                 ? certified_make_curve(&result, limits->curve, NULL)
                                 : PM_OK;
    c->error = status == PM_OK ? certify_rotation(source, result, limits->angle - c->slack)
                               : (arc_extent){.bound = (double)INFINITY,
                                              .time = evaluate_key_time(result.timeline, 0)};
    c->error.bound += c->slack;
    if (!certified_free_curve(result.curve) || status == PM_ERROR_MEMORY)
        c->end = PATH_NO_MEMORY;
}
