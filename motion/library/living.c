/* SPDX-License-Identifier: MIT
 *
 * The motions of a library, which change while other threads sample: states and their changes. Clips of motions that
 * are added are in the crowd before a state shows them, and those of removed ones leave it once no call holds a
 * state with them. So a call that holds a state finds all of its clips in the crowd, whatever version that has.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/os.h"
#include "motion/library/library.h"

/* ---- parts and states ------------------------------------------------------------------- */

void library_close_part(library_part *part) {
    array_file_close(&part->file);
    free(part);
}

static void leave_part(library_part *part) {
    if (atomic_fetch_sub(&part->users, 1) == 1)
        library_close_part(part);
}

static void free_entry(library_entry *entry) {
    if (!entry)
        return;
    leave_part(entry->part);
    free(entry);
}

library_held library_hold(const pm_library *library) {
    for (;;) {
        library_state *state = atomic_load(&library->latest);
        atomic_size_t *calls = pm_holders_enter(&state->holders);
        if (atomic_load(&library->latest) == state)
            return (library_held){state, calls};
        pm_holders_leave(calls);
    }
}

double library_seconds(const pm_library_motion *m) {
    const double frames = (double)(m->frames - 1);
    return m->loop > 0 ? m->loop : frames * (double)m->rate.den / (double)m->rate.num;
}

/* ---- motions become clips --------------------------------------------------------------- */

/* A motion that a library is to have. */
typedef struct wanted {
    library_part *part;
    pm_library_motion motion;
} wanted;

static pm_status describe(const library_form *form, const wanted *w, motion_arena *arena,
                          pm_timeline *line, pm_scalars *angles, pm_clip_desc *clip,
                          pm_error *error) {
    const pm_library_content *c = form->content, *from = &w->part->content;
    const size_t first = (size_t)w->motion.first, frames = (size_t)w->motion.frames;
    const bool is_robot = c->hinge_count > 0;
    const void *rotations = NULL;
    const float *positions = NULL;
    MOTION_TRY(library_find_rotations(form, from, first, frames, arena, &rotations, error));
    MOTION_TRY(library_find_positions(form, from, first, frames, arena, &positions, error));
    *line = (pm_timeline){.key_count = frames, .rate = w->motion.rate};
    if (is_robot)
        *angles = (pm_scalars){.count = c->hinge_count,
                               .keys.data = from->angles + c->hinge_count * first};
    *clip = (pm_clip_desc){
        .track_count = c->joint_count,
        .timelines = line,
        .rotations = {.data = rotations, .type = form->coded ? PM_CODED : PM_FLOAT32},
        .positions.data = positions,
        .method = c->method,
        .key_format = c->key_format,
        .loop = w->motion.loop,
        .root_positions = form->position_count == 1,
        .root_rotations = from->root_rotations != NULL,
        .scalars = is_robot ? angles : NULL};
    return PM_OK;
}

/* Builds the crowd, or adds to it. `numbers` receives those of the clips. */
static pm_status add_clips(pm_library *library, const pm_clip_desc *clips, size_t count,
                           uint32_t *numbers, pm_error *error) {
    if (library->crowd)
        return pm_crowd_add_clips(library->crowd, clips, NULL, count, numbers, error);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)i;
    const pm_crowd_desc desc = {.skeleton = library->skeleton, .clips = clips, .clip_count = count};
    return pm_crowd_create(library->engine, &desc, &library->crowd, error);
}

static pm_status make_clips(pm_library *library, const wanted *all, size_t count, uint32_t *numbers,
                            pm_error *error) {
    const library_form form = library_form_of(&library->part->content);
    motion_arena arena = {0};
    pm_timeline *lines = motion_allocate(&arena, count, sizeof *lines);
    pm_scalars *angles = motion_allocate(&arena, count, sizeof *angles);
    pm_clip_desc *clips = motion_allocate(&arena, count, sizeof *clips);
    pm_status status = lines && angles && clips ? PM_OK : motion_refuse_memory(error);
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        status = describe(&form, &all[i], &arena, &lines[i], &angles[i], &clips[i], error);
        if (status != PM_OK)
            motion_name_failure(
                status, MOTION_SHOWN(all[i].motion.name.text, all[i].motion.name.size), error);
    }
    if (status == PM_OK)
        status = add_clips(library, clips, count, numbers, error);
    motion_arena_release(&arena);
    return status;
}

/* Where the first root is at the start and at the end of each motion. */
static pm_status find_ends(pm_library *library, library_entry **entries, size_t count,
                           pm_error *error) {
    FREED pm_crowd_instance *instances = calloc(2 * count + 1, sizeof *instances);
    FREED float *states = calloc(2 * count + 1, 7 * sizeof *states);
    pm_status status = instances && states ? PM_OK : motion_refuse_memory(error);
    float *turns = states ? states + 6 * count : NULL;
    for (size_t i = 0; i < 2 * count && status == PM_OK; i++)
        instances[i] = (pm_crowd_instance){.clip_a = entries[i / 2]->clip,
                                           .time_a = i % 2 ? entries[i / 2]->ticks : 0,
                                           .flags = PM_CROWD_CLAMP_A};
    const pm_crowd_target targets[] = {
        {.output = PM_CROWD_BODY_POS, .subset = LIBRARY_FIRST_ROOT, .memory = states},
        {.output = PM_CROWD_BODY_ROT, .subset = LIBRARY_FIRST_ROOT, .memory = turns}};
    const pm_crowd_job job = {
        .instances = instances, .instance_count = 2 * count, .outputs = targets, .output_count = 2};
    if (status == PM_OK)
        status = pm_crowd_pose(library->crowd, &job, error);
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        memcpy(entries[i]->places, states + 6 * i, sizeof entries[i]->places);
        memcpy(entries[i]->turns, turns + 8 * i, sizeof entries[i]->turns);
    }
    return status;
}

static pm_status fill_entries(pm_library *library, const wanted *all, size_t count,
                              const uint32_t *numbers, library_entry **entries, pm_error *error) {
    for (size_t i = 0; i < count; i++) {
        library_entry *e = entries[i] = calloc(1, sizeof *e);
        if (!e)
            return motion_refuse_memory(error);
        atomic_fetch_add(&all[i].part->users, 1);
        *e = (library_entry){.part = all[i].part, .motion = all[i].motion, .clip = numbers[i]};
        e->ticks = library->crowd ? pm_crowd_clip_ticks(library->crowd, numbers[i])
                                  : pm_crowd_ticks(library_seconds(&e->motion));
    }
    return library->crowd ? find_ends(library, entries, count, error) : PM_OK;
}

/* ---- removed clips ---------------------------------------------------------------------- */

/* Room for clips that may be stale, so that noting them cannot fail. */
static pm_status reserve_stale(pm_library *library, size_t count, pm_error *error) {
    const size_t room = library->stale_count + count;
    if (room <= library->stale_room)
        return PM_OK;
    uint32_t *grown = realloc(library->stale, room * sizeof *grown);
    if (!grown)
        return motion_refuse_memory(error);
    library->stale = grown;
    library->stale_room = room;
    return PM_OK;
}

static void remove_clips(pm_library *library, const uint32_t *numbers, size_t count) {
    if (!library->crowd)
        return;
    memcpy(library->stale + library->stale_count, numbers, count * sizeof *numbers);
    library->stale_count += count;
    if (library->stale_count > 0 &&
        pm_crowd_remove_clips(library->crowd, library->stale, library->stale_count, NULL) == PM_OK)
        library->stale_count = 0;
}

/* Entries with the clips of motions. On failure there are neither. */
static pm_status make_entries(pm_library *library, const wanted *all, size_t count,
                              library_entry **entries, pm_error *error) {
    FREED uint32_t *numbers = calloc(count + 1, sizeof *numbers);
    pm_status status = numbers ? reserve_stale(library, count, error) : motion_refuse_memory(error);
    bool has_clips = false;
    if (status == PM_OK && library->engine) {
        status = make_clips(library, all, count, numbers, error);
        has_clips = status == PM_OK;
    }
    if (status == PM_OK)
        status = fill_entries(library, all, count, numbers, entries, error);
    if (status != PM_OK) {
        for (size_t i = 0; i < count; i++)
            free_entry(entries[i]);
        memset(entries, 0, count * sizeof(library_entry *));
        if (has_clips)
            remove_clips(library, numbers, count);
    }
    return status;
}

/* ---- states ----------------------------------------------------------------------------- */

static pm_status resize(library_state *state, size_t count, pm_error *error) {
    library_entry **entries = realloc(state->entries, (count + 1) * sizeof *entries);
    if (entries)
        state->entries = entries;
    double *weights = realloc(state->weights, (count + 1) * sizeof *weights);
    if (weights)
        state->weights = weights;
    if (!entries || !weights)
        return motion_refuse_memory(error);
    state->count = count;
    return PM_OK;
}

/* The other state, which no call holds, as the latest one with room for `more` motions. */
static pm_status begin(pm_library *library, size_t more, library_state **next, pm_error *error) {
    const library_state *now = atomic_load(&library->latest);
    library_state *other = &library->states[now == library->states];
    if (more >= UINT32_MAX - now->count)
        return motion_fail(error, PM_ERROR_ARGUMENT, "motions: there are no more ids");
    MOTION_TRY(resize(other, now->count + more, error));
    memcpy(other->entries, now->entries, now->count * sizeof(library_entry *));
    memset(other->entries + now->count, 0, more * sizeof(library_entry *));
    memcpy(other->weights, now->weights, now->count * sizeof *now->weights);
    memset(other->weights + now->count, 0, more * sizeof *now->weights);
    *next = other;
    return PM_OK;
}

/* Makes a state the latest one, and waits until no call holds the one before. */
static void publish(pm_library *library, library_state *next) {
    library_state *before = atomic_load(&library->latest);
    atomic_store(&library->latest, next);
    for (unsigned tries = 0; pm_holders_any(&before->holders); tries++)
        os_sleep(tries < 4 ? 0 : 1);
}

/* ---- making a library ------------------------------------------------------------------- */

static pm_status start(library_part *part, pm_engine *engine, pm_library **library,
                       pm_error *error) {
    pm_library *made = calloc(1, sizeof *made);
    atomic_fetch_add(&part->users, 1);
    if (!made) {
        leave_part(part);
        return motion_refuse_memory(error);
    }
    made->part = part;
    made->engine = engine;
    pthread_mutex_init(&made->changing, NULL);
    atomic_init(&made->latest, &made->states[0]);
    *library = made;
    return engine ? library_make_skeleton(&part->content, &made->skeleton, error) : PM_OK;
}

/* The first motions of a library, whose ids ascend. */
static pm_status fill(pm_library *library, const wanted *all, size_t count, const uint32_t *ids,
                      pm_error *error) {
    library_state *state = &library->states[0];
    FREED library_entry **entries = calloc(count + 1, sizeof *entries);
    pm_status status =
        entries ? make_entries(library, all, count, entries, error) : motion_refuse_memory(error);
    const size_t last = ids ? ids[count - 1] : count - 1;
    if (status == PM_OK)
        status = resize(state, last + 1, error);
    if (status == PM_OK) {
        memset(state->entries, 0, state->count * sizeof *entries);
        memset(state->weights, 0, state->count * sizeof *state->weights);
    }
    for (size_t i = 0; entries && i < count; i++) {
        const size_t id = ids ? ids[i] : i;
        if (status != PM_OK) {
            free_entry(entries[i]);
            continue;
        }
        state->entries[id] = entries[i];
        state->weights[id] = all[i].motion.weight;
    }
    return status;
}

static pm_status make(library_part *part, pm_engine *engine, const wanted *all, size_t count,
                      const uint32_t *ids, pm_library **library, pm_error *error) {
    pm_library *made = NULL;
    pm_status status = start(part, engine, &made, error);
    if (status == PM_OK)
        status = fill(made, all, count, ids, error);
    if (status == PM_OK)
        *library = made;
    else
        pm_library_destroy(&made);
    return status;
}

static pm_status check_ids(const uint32_t *ids, size_t count, pm_error *error) {
    for (size_t i = 0; ids && i < count; i++)
        if (ids[i] == UINT32_MAX || (i > 0 && ids[i] <= ids[i - 1]))
            return motion_fail(error, PM_ERROR_ARGUMENT, "ids: do not ascend at %zu", i);
    return PM_OK;
}

pm_status library_make(library_part *part, pm_engine *engine, const uint32_t *ids,
                       pm_library **library, pm_error *error) {
    const pm_library_content *c = &part->content;
    FREED wanted *all = calloc(c->motion_count, sizeof *all);
    atomic_fetch_add(&part->users, 1);
    pm_status status = all ? check_ids(ids, c->motion_count, error) : motion_refuse_memory(error);
    for (size_t i = 0; all && i < c->motion_count; i++)
        all[i] = (wanted){part, c->motions[i]};
    if (status == PM_OK)
        status = make(part, engine, all, c->motion_count, ids, library, error);
    leave_part(part);
    return status;
}

void pm_library_destroy(pm_library **library) {
    pm_library *old = library ? *library : NULL;
    if (!old)
        return;
    pm_crowd_destroy(&old->crowd);
    pm_skeleton_destroy(&old->skeleton);
    const library_state *state = atomic_load(&old->latest);
    for (size_t i = 0; i < state->count; i++)
        free_entry(state->entries[i]);
    for (size_t i = 0; i < 2; i++)
        MOTION_FREE(old->states[i].entries, old->states[i].weights);
    leave_part(old->part);
    pthread_mutex_destroy(&old->changing);
    MOTION_FREE(old->stale, old);
    *library = NULL;
}

/* ---- changes ---------------------------------------------------------------------------- */

static pm_status refuse_id(const char *list, size_t index, uint32_t id, pm_error *error) {
    return motion_fail(error, PM_ERROR_ARGUMENT,
                       "%s[%zu] is %u: there is no such motion, or it is listed twice", list, index,
                       id);
}

/* The motions of a state that are listed, each once. */
static pm_status find_wanted(const library_state *state, const char *list, const uint32_t *ids,
                             size_t count, wanted *all, pm_error *error) {
    FREED bool *seen = calloc(state->count + 1, sizeof *seen);
    if (!seen)
        return motion_refuse_memory(error);
    pm_status status = PM_OK;
    for (size_t i = 0; i < count && status == PM_OK; i++) {
        const library_entry *entry = library_find(state, ids[i]);
        if (!entry || seen[ids[i]]) {
            status = refuse_id(list, i, ids[i], error);
        } else {
            seen[ids[i]] = true;
            all[i] = (wanted){entry->part, entry->motion};
            all[i].motion.weight = state->weights[ids[i]];
        }
    }
    return status;
}

pm_status pm_library_select(pm_engine *engine, const pm_library *library, const uint32_t *ids,
                            size_t count, pm_library **selected, pm_error *error) {
    const char *missing = !library        ? "library"
                          : !selected     ? "selected"
                          : !ids && count ? "ids"
                                          : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    if (count == 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "ids: expected at least one");
    FREED wanted *all = calloc(count, sizeof *all);
    if (!all)
        return motion_refuse_memory(error);
    const library_held held = library_hold(library);
    pm_status status = find_wanted(held.state, "ids", ids, count, all, error);
    if (status == PM_OK)
        status = make(library->part, engine, all, count, NULL, selected, error);
    library_let(&held);
    return status;
}

/* Refuses names that two motions would have. The state lacks the motions that are removed. */
static pm_status check_names(const library_state *state, const wanted *added, size_t count,
                             pm_error *error) {
    FREED motion_named *sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (motion_named){added[i].motion.name, (uint32_t)i};
    motion_sort_named(sorted, count);
    const pm_motion_name *twice = NULL;
    for (size_t i = 1; i < count && !twice; i++)
        if (motion_compare_names(sorted[i - 1].name, sorted[i].name) == 0)
            twice = &sorted[i].name;
    for (size_t i = 0; i < state->count && !twice; i++)
        if (state->entries[i] &&
            motion_find_named(sorted, count, state->entries[i]->motion.name) != PM_NO_INDEX32)
            twice = &state->entries[i]->motion.name;
    return twice ? motion_fail(error, PM_ERROR_ARGUMENT, "motions: '%s' is the name of two",
                               MOTION_SHOWN(twice->text, twice->size))
                 : PM_OK;
}

/* What a change takes out, until no call holds it. */
typedef struct change {
    wanted *added;
    library_entry **gone;
    uint32_t *clips; /* of those that are gone */
} change;

static pm_status take_out(library_state *next, const pm_library_edit *edit, change *c,
                          pm_error *error) {
    size_t left = edit->motion_count;
    for (size_t i = 0; i < edit->removed_count; i++) {
        const uint32_t id = edit->removed[i];
        if (id >= next->count || !next->entries[id])
            return refuse_id("removed", i, id, error);
        c->gone[i] = next->entries[id];
        c->clips[i] = c->gone[i]->clip;
        next->entries[id] = NULL;
        next->weights[id] = 0;
    }
    for (size_t i = 0; i < next->count; i++)
        left += next->entries[i] != NULL;
    return left ? PM_OK
                : motion_fail(error, PM_ERROR_ARGUMENT,
                              "removed: no motion would be left, expected at least 1");
}

static pm_status check_parts(const pm_library *library, const wanted *added, size_t count,
                             pm_error *error) {
    const library_form form = library_form_of(&library->part->content);
    const library_part *checked = NULL;
    for (size_t i = 0; i < count; i++) {
        if (added[i].part != checked)
            MOTION_TRY(library_check_joins(&form, &added[i].part->content, error));
        checked = added[i].part;
    }
    return PM_OK;
}

/* The library is locked. */
static pm_status make_change(pm_library *library, const pm_library_edit *edit, change *c,
                             uint32_t *ids, pm_error *error) {
    library_state *next = NULL;
    const size_t count = edit->motion_count;
    MOTION_TRY(begin(library, count, &next, error));
    MOTION_TRY(take_out(next, edit, c, error));
    MOTION_TRY(check_names(next, c->added, count, error));
    MOTION_TRY(check_parts(library, c->added, count, error));
    MOTION_TRY(reserve_stale(library, edit->removed_count + count, error));
    const size_t first = next->count - count;
    if (count > 0)
        MOTION_TRY(make_entries(library, c->added, count, next->entries + first, error));
    for (size_t i = 0; i < count; i++) {
        next->weights[first + i] = c->added[i].motion.weight;
        if (ids)
            ids[i] = (uint32_t)(first + i);
    }
    publish(library, next);
    for (size_t i = 0; i < edit->removed_count; i++)
        free_entry(c->gone[i]);
    remove_clips(library, c->clips, edit->removed_count);
    return PM_OK;
}

/* The motions that are added, whose parts are used from then on. The other library is not held any longer: two
 * libraries that take motions of each other would wait for one another. */
static pm_status take_motions(const pm_library_edit *edit, wanted *added, pm_error *error) {
    const library_held held = library_hold(edit->from);
    const pm_status status =
        find_wanted(held.state, "motions", edit->motions, edit->motion_count, added, error);
    for (size_t i = 0; i < edit->motion_count && status == PM_OK; i++)
        atomic_fetch_add(&added[i].part->users, 1);
    library_let(&held);
    return status;
}

static pm_status change_locked(pm_library *library, const pm_library_edit *edit, change *c,
                               uint32_t *ids, pm_error *error) {
    MOTION_TRY(edit->motion_count ? take_motions(edit, c->added, error) : PM_OK);
    pthread_mutex_lock(&library->changing);
    const pm_status status = make_change(library, edit, c, ids, error);
    pthread_mutex_unlock(&library->changing);
    for (size_t i = 0; i < edit->motion_count; i++)
        leave_part(c->added[i].part);
    return status;
}

static pm_status check_edit(const pm_library *library, const pm_library_edit *edit,
                            pm_error *error) {
    const char *missing = !library                                ? "library"
                          : !edit                                 ? "edit"
                          : edit->removed_count && !edit->removed ? "removed"
                          : edit->motion_count && !edit->from     ? "from"
                          : edit->motion_count && !edit->motions  ? "motions"
                                                                  : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    if (edit->from == library)
        return motion_fail(error, PM_ERROR_ARGUMENT, "from: is the library itself");
    return MOTION_CHECK_NEXT(pm_library_edit, edit, error);
}

pm_status pm_library_change(pm_library *library, const pm_library_edit *edit, uint32_t *ids,
                            pm_error *error) {
    MOTION_TRY(check_edit(library, edit, error));
    if (edit->removed_count + edit->motion_count == 0)
        return PM_OK;
    FREED wanted *added = calloc(edit->motion_count + 1, sizeof *added);
    FREED library_entry **gone = calloc(edit->removed_count + 1, sizeof *gone);
    FREED uint32_t *clips = calloc(edit->removed_count + 1, sizeof *clips);
    MOTION_TRY_MEMORY(added && gone && clips, error);
    change c = {.added = added, .gone = gone, .clips = clips};
    return change_locked(library, edit, &c, ids, error);
}

static pm_status set_weights(pm_library *library, const uint32_t *ids, const double *weights,
                             size_t count, pm_error *error) {
    library_state *next = NULL;
    MOTION_TRY(begin(library, 0, &next, error));
    for (size_t i = 0; i < count; i++) {
        if (!library_find(next, ids[i]))
            return refuse_id("ids", i, ids[i], error);
        if (!(weights[i] >= 0) || !isfinite(weights[i]))
            return motion_fail(error, PM_ERROR_ARGUMENT, "weights[%zu] is no number from 0 on", i);
        next->weights[ids[i]] = weights[i];
    }
    publish(library, next);
    return PM_OK;
}

pm_status pm_library_set_weights(pm_library *library, const uint32_t *ids, const double *weights,
                                 size_t count, pm_error *error) {
    const char *missing = !library            ? "library"
                          : !ids && count     ? "ids"
                          : !weights && count ? "weights"
                                              : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    pthread_mutex_lock(&library->changing);
    const pm_status status = set_weights(library, ids, weights, count, error);
    pthread_mutex_unlock(&library->changing);
    return status;
}

/* ---- what there is ---------------------------------------------------------------------- */

size_t pm_library_list(const pm_library *library, uint32_t *ids, size_t room) {
    size_t count = 0;
    if (!library)
        return 0;
    const library_held held = library_hold(library);
    for (size_t id = 0; id < held.state->count; id++)
        if (held.state->entries[id]) {
            if (count < room)
                ids[count] = (uint32_t)id;
            count++;
        }
    library_let(&held);
    return count;
}

bool pm_library_get_motion(const pm_library *library, uint32_t id, pm_library_motion_info *info) {
    if (!library || !info)
        return false;
    const library_held held = library_hold(library);
    const library_entry *entry = library_find(held.state, id);
    if (entry) {
        *info = (pm_library_motion_info){.motion = entry->motion,
                                         .clip = entry->clip,
                                         .seconds = (double)entry->ticks / PM_TICKS_PER_SECOND};
        info->motion.weight = held.state->weights[id];
    }
    library_let(&held);
    return entry != NULL;
}

typedef struct length {
    double seconds;
    uint32_t id;
} length;

/* The longest first. */
static int compare_lengths(const void *a, const void *b) {
    const length *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int compare_ids(const void *a, const void *b) {
    const length *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Deals the motions, and moves those of the process to the front. Returns how many it has. */
static size_t deal(length *all, size_t count, size_t rank, double *sums, size_t world) {
    size_t own = 0;
    qsort(all, count, sizeof *all, compare_lengths);
    for (size_t i = 0; i < count; i++) {
        size_t least = 0;
        for (size_t r = 1; r < world; r++)
            least = sums[r] < sums[least] ? r : least;
        sums[least] += all[i].seconds;
        if (least == rank)
            all[own++] = all[i];
    }
    return own;
}

static size_t list_lengths(const library_state *state, length *all) {
    size_t count = 0;
    for (size_t id = 0; id < state->count; id++)
        if (state->entries[id])
            all[count++] =
                (length){(double)state->entries[id]->ticks / PM_TICKS_PER_SECOND, (uint32_t)id};
    return count;
}

pm_status pm_library_shard(const pm_library *library, size_t rank, size_t world, uint32_t *ids,
                           size_t room, size_t *count, pm_error *error) {
    if (!library || !count || (room && !ids))
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !library ? "library"
                           : !count ? "count"
                                    : "ids");
    if (rank >= world || world > UINT32_MAX)
        return motion_fail(error, PM_ERROR_ARGUMENT, "rank is %zu, expected 0 to %zu below world",
                           rank, world);
    const library_held held = library_hold(library);
    FREED length *all = calloc(held.state->count + 1, sizeof *all);
    FREED double *sums = calloc(world, sizeof *sums);
    const bool has_memory = all && sums;
    const size_t motions = has_memory ? list_lengths(held.state, all) : 0;
    library_let(&held);
    if (has_memory) {
        *count = deal(all, motions, rank, sums, world);
        qsort(all, *count, sizeof *all, compare_ids);
        for (size_t i = 0; i < *count && i < room; i++)
            ids[i] = all[i].id;
    }
    return has_memory ? PM_OK : motion_refuse_memory(error);
}
