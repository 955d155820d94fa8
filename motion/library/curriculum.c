/* SPDX-License-Identifier: MIT
 *
 * Draws of (motion, time) pairs: bins of equal time, a rule that gives each a chance, and a table of their sums, in
 * which a guide tells where to begin. A draw takes as long with a million bins as with a few, but for caches.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "motion/library/library.h"

__extension__ typedef unsigned __int128 wide;

#define MOST_BINS ((uint64_t)1 << 31)

/* ---- random numbers --------------------------------------------------------------------- */

/* PCG64: O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random number
 * generation, 2014; a congruential generator of 128 bits, of which XSL-RR makes 64. */
typedef struct pcg64 {
    wide state, increment;
} pcg64;

static wide join(uint64_t upper, uint64_t lower) {
    return (wide)upper << 64 | lower;
}

static uint64_t next_number(pcg64 *g) {
    g->state = g->state * join(0x2360ED051FC65DA4, 0x4385DF649FCCF645) + g->increment;
    const uint64_t mixed = (uint64_t)(g->state >> 64) ^ (uint64_t)g->state;
    const unsigned turn = (unsigned)(g->state >> 122);
    return mixed >> turn | mixed << (-turn & 63);
}

/* From 0 on, below 1. */
static double next_uniform(pcg64 *g) {
    return (double)(next_number(g) >> 11) * 0x1p-53;
}

/* SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014. */
static uint64_t split(uint64_t *seed) {
    uint64_t z = *seed += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static pcg64 seeded(uint64_t seed) {
    const uint64_t a = split(&seed), b = split(&seed), c = split(&seed), d = split(&seed);
    pcg64 g = {.increment = join(c, d) << 1 | 1};
    next_number(&g);
    g.state += join(a, b);
    next_number(&g);
    return g;
}

/* ---- bins ------------------------------------------------------------------------------- */

typedef struct drawn {
    uint32_t id;
    uint32_t first, bins; /* at least one */
    bool excluded;
    double weight;
    double seconds, step; /* in which times are drawn, and those of a bin */
} drawn;

/* Where a draw ends: beside each other, because it reads both. */
typedef struct bin {
    double sum; /* of the chances up to this one, included */
    uint32_t motion;
} bin;

typedef struct table {
    drawn *motions; /* by their ids */
    size_t motion_count, bin_count;
    double *failures; /* stored / scale is what they are */
    bin *bins;
    uint32_t *guide; /* cell i: the first bin whose sum exceeds i / bin_count of all */
} table;

struct pm_curriculum {
    pm_curriculum_desc desc;
    pthread_mutex_t lock;
    pcg64 generator;
    table table;
    double scale; /* of failures: averages decay all at once */
    bool is_made; /* whether sums and guide are those of the failures */
};

static void free_table(table *t) {
    MOTION_FREE(t->motions, t->failures, t->bins, t->guide);
    *t = (table){0};
}

static int compare_ids(const void *a, const void *b) {
    const drawn *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static drawn *find(const table *t, uint32_t id) {
    const drawn key = {.id = id};
    return bsearch(&key, t->motions, t->motion_count, sizeof key, compare_ids);
}

static pm_status list_motions(const pm_curriculum_desc *desc, const library_state *state, table *t,
                              pm_error *error) {
    uint64_t bins = 0;
    t->motions = calloc(state->count + 1, sizeof *t->motions);
    if (!t->motions)
        return motion_refuse_memory(error);
    for (size_t id = 0; id < state->count; id++) {
        const library_entry *e = state->entries[id];
        if (!e)
            continue;
        const double all = (double)e->ticks / PM_TICKS_PER_SECOND;
        const double seconds = fmax(all - desc->window, 0);
        const double own = fmax(ceil(seconds / desc->bin_seconds), 1);
        if (own > (double)(MOST_BINS - bins))
            return motion_fail(error, PM_ERROR_SIZE,
                               "bin_seconds: there would be more than 2^31 bins");
        t->motions[t->motion_count++] = (drawn){.id = (uint32_t)id,
                                                .first = (uint32_t)bins,
                                                .bins = (uint32_t)own,
                                                .weight = state->weights[id],
                                                .seconds = seconds,
                                                .step = seconds / own};
        bins += (uint64_t)own;
    }
    t->bin_count = (size_t)bins;
    return PM_OK;
}

static pm_status make_table(const pm_curriculum_desc *desc, const library_state *state, table *t,
                            pm_error *error) {
    MOTION_TRY(list_motions(desc, state, t, error));
    t->failures = calloc(t->bin_count, sizeof *t->failures);
    t->bins = calloc(t->bin_count, sizeof *t->bins);
    t->guide = calloc(t->bin_count, sizeof *t->guide);
    if (!t->failures || !t->bins || !t->guide)
        return motion_refuse_memory(error);
    for (size_t m = 0; m < t->motion_count; m++)
        for (uint32_t i = 0; i < t->motions[m].bins; i++)
            t->bins[t->motions[m].first + i].motion = (uint32_t)m;
    return PM_OK;
}

/* ---- rules ------------------------------------------------------------------------------ */

static double weight_of(const drawn *m) {
    return m->excluded ? 0 : m->weight;
}

/* Chances of bins go to their sums. */
static void share_motions(table *t, const double *shares) {
    for (size_t m = 0; m < t->motion_count; m++) {
        const drawn *of = &t->motions[m];
        const double one = weight_of(of) * (shares ? shares[m] : 1) / of->bins;
        for (uint32_t i = 0; i < of->bins; i++)
            t->bins[of->first + i].sum = one;
    }
}

static void smooth(pm_curriculum *c) {
    const pm_curriculum_desc *d = &c->desc;
    table *t = &c->table;
    const double uniform = d->ratio / (double)t->bin_count;
    for (size_t m = 0; m < t->motion_count; m++) {
        const drawn *of = &t->motions[m];
        const double *failures = t->failures + of->first;
        for (uint32_t b = 0; b < of->bins; b++) {
            double sum = 0, all = 0, factor = 1;
            for (size_t i = 0; i < d->kernel_size; i++, factor *= d->lambda) {
                const size_t at = i < of->bins - b ? b + i : of->bins - 1;
                sum += factor * (failures[at] * c->scale + uniform);
                all += factor;
            }
            t->bins[of->first + b].sum = weight_of(of) * sum / all;
        }
    }
}

static pm_status share_failures(pm_curriculum *c, pm_error *error) {
    table *t = &c->table;
    double all = 0;
    FREED double *shares = calloc(t->motion_count + 1, sizeof *shares);
    if (!shares)
        return motion_refuse_memory(error);
    for (size_t b = 0; b < t->bin_count; b++) {
        shares[t->bins[b].motion] += t->failures[b];
        all += t->failures[b];
    }
    for (size_t m = 0; m < t->motion_count; m++)
        shares[m] = all > 0 ? fmax(shares[m] / all, c->desc.floor / (double)t->motion_count) : 1;
    share_motions(t, shares);
    return PM_OK;
}

static void make_guide(table *t) {
    const size_t count = t->bin_count;
    double sum = 0;
    for (size_t b = 0; b < count; b++)
        t->bins[b].sum = sum += t->bins[b].sum;
    uint32_t at = 0;
    const double step = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double from = step * (double)i;
        while (at + 1 < count && t->bins[at].sum <= from)
            at++;
        t->guide[i] = at;
    }
}

static pm_status make_chances(pm_curriculum *c, pm_error *error) {
    if (c->is_made)
        return PM_OK;
    if (c->desc.rule == PM_CURRICULUM_MJLAB)
        smooth(c);
    else if (c->desc.rule == PM_CURRICULUM_WEIGHTS)
        share_motions(&c->table, NULL);
    else
        MOTION_TRY(share_failures(c, error));
    make_guide(&c->table);
    c->is_made = true;
    return PM_OK;
}

static double sum_before(const table *t, size_t b) {
    return b > 0 ? t->bins[b - 1].sum : 0;
}

static double sum_of_all(const table *t) {
    return sum_before(t, t->bin_count);
}

/* ---- draws ------------------------------------------------------------------------------ */

/* A sum may be rounded to that of all: then the last bin with a chance. */
static size_t step_back(const table *t, size_t b, size_t first) {
    while (b > first && !(t->bins[b].sum > sum_before(t, b)))
        b--;
    return b;
}

static const uint32_t *guide_of(const table *t, double u) {
    const size_t count = t->bin_count, cell = (size_t)(u * (double)count);
    return &t->guide[cell < count ? cell : count - 1];
}

/* From where the guide tells. */
static size_t draw_bin(const table *t, size_t b, double u) {
    const double sought = u * sum_of_all(t);
    const size_t count = t->bin_count;
    while (b > 0 && t->bins[b - 1].sum > sought) /* where the cell was rounded upwards */
        b--;
    while (b + 1 < count && t->bins[b].sum <= sought)
        b++;
    return b + 1 < count ? b : step_back(t, b, 0);
}

/* Of a motion, by halves. */
static size_t draw_bin_of(const table *t, const drawn *m, double u) {
    const double before = sum_before(t, m->first);
    size_t low = m->first, high = m->first + m->bins - 1;
    const double own = t->bins[high].sum - before, sought = before + u * own;
    if (!(own > 0))
        return m->first + (size_t)(u * m->bins);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->bins[middle].sum > sought)
            high = middle;
        else
            low = middle + 1;
    }
    return step_back(t, low, m->first);
}

static double draw_time(const table *t, size_t b, double u) {
    const drawn *m = &t->motions[t->bins[b].motion];
    const double time = ((double)(b - m->first) + u) * m->step;
    return time < m->seconds ? time : m->seconds;
}

/* Draws that are found together wait for memory together. */
enum { BLOCK = 32 };

static void draw_block(pm_curriculum *c, const uint32_t *of, size_t count, uint32_t *motions,
                       double *times) {
    const table *t = &c->table;
    double u[BLOCK], v[BLOCK];
    size_t bins[BLOCK];
    pcg64 g = c->generator;
    for (size_t i = 0; i < count; i++) {
        u[i] = next_uniform(&g);
        v[i] = next_uniform(&g);
        if (!of)
            __builtin_prefetch(guide_of(t, u[i]));
    }
    c->generator = g;
    for (size_t i = 0; !of && i < count; i++) {
        bins[i] = *guide_of(t, u[i]);
        __builtin_prefetch(&t->bins[bins[i]]);
    }
    for (size_t i = 0; i < count; i++)
        bins[i] = of ? draw_bin_of(t, find(t, of[i]), u[i]) : draw_bin(t, bins[i], u[i]);
    for (size_t i = 0; i < count; i++) {
        if (motions)
            motions[i] = t->motions[t->bins[bins[i]].motion].id;
        times[i] = draw_time(t, bins[i], v[i]);
    }
}

static pm_status refuse_motion(const char *list, size_t index, uint32_t id, pm_error *error) {
    return motion_fail(error, PM_ERROR_ARGUMENT, "%s[%zu] is %u: there is no such motion", list,
                       index, id);
}

static pm_status draw(pm_curriculum *c, const uint32_t *of, size_t count, uint32_t *motions,
                      double *times, pm_error *error) {
    const table *t = &c->table;
    MOTION_TRY(make_chances(c, error));
    for (size_t i = 0; of && i < count; i++)
        if (!find(t, of[i]))
            return refuse_motion("of", i, of[i], error);
    if (!of && !(sum_of_all(t) > 0))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "weights: those of all motions that can be drawn are 0");
    for (size_t i = 0; i < count; i += BLOCK)
        draw_block(c, of ? of + i : NULL, count - i < BLOCK ? count - i : BLOCK,
                   motions ? motions + i : NULL, times + i);
    return PM_OK;
}

pm_status pm_curriculum_draw(pm_curriculum *curriculum, const uint32_t *of, size_t count,
                             uint32_t *motions, double *times, pm_error *error) {
    const char *missing = !curriculum                ? "curriculum"
                          : count && !of && !motions ? "motions"
                          : count && !times          ? "times"
                                                     : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    pthread_mutex_lock(&curriculum->lock);
    const pm_status status = draw(curriculum, of, count, motions, times, error);
    pthread_mutex_unlock(&curriculum->lock);
    return status;
}

/* ---- reports ---------------------------------------------------------------------------- */

static size_t bin_of(const drawn *m, double time) {
    const double place = m->seconds > 0 ? time / m->seconds * m->bins : 0;
    return m->first + (place > 0 ? (size_t)fmin(place, m->bins - 1.0) : 0);
}

/* What failures of earlier reports count from now on. */
static void age(pm_curriculum *c) {
    table *t = &c->table;
    const double least = 0x1p-500;
    if (c->desc.rule == PM_CURRICULUM_MJLAB)
        c->scale *= 1 - c->desc.average;
    else
        c->scale = 0;
    if (c->scale >= least)
        return;
    for (size_t b = 0; b < t->bin_count; b++)
        t->failures[b] *= c->scale;
    c->scale = 1;
}

pm_status pm_curriculum_report(pm_curriculum *c, const uint32_t *motions, const double *times,
                               const bool *failed, size_t count, pm_error *error) {
    const char *missing = !c         ? "curriculum"
                          : !count   ? NULL
                          : !motions ? "motions"
                          : !times   ? "times"
                          : !failed  ? "failed"
                                     : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    pthread_mutex_lock(&c->lock);
    age(c);
    const double one = c->desc.rule == PM_CURRICULUM_MJLAB ? c->desc.average / c->scale : 1;
    for (size_t i = 0; i < count; i++) {
        const drawn *m = failed[i] ? find(&c->table, motions[i]) : NULL;
        if (m)
            c->table.failures[bin_of(m, times[i])] += one;
    }
    c->is_made = c->is_made && c->desc.rule == PM_CURRICULUM_WEIGHTS;
    pthread_mutex_unlock(&c->lock);
    return PM_OK;
}

pm_status pm_curriculum_exclude(pm_curriculum *c, const uint32_t *motions, size_t count,
                                pm_error *error) {
    pm_status status = PM_OK;
    if (!c || (count && !motions))
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", c ? "motions" : "curriculum");
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < count && status == PM_OK; i++)
        if (!find(&c->table, motions[i]))
            status = refuse_motion("motions", i, motions[i], error);
    for (size_t m = 0; m < c->table.motion_count && status == PM_OK; m++)
        c->table.motions[m].excluded = false;
    for (size_t i = 0; i < count && status == PM_OK; i++)
        find(&c->table, motions[i])->excluded = true;
    c->is_made = c->is_made && status != PM_OK;
    pthread_mutex_unlock(&c->lock);
    return status;
}

/* ---- making one ------------------------------------------------------------------------- */

static bool fits(double value, double least, double most) {
    return value >= least && value <= most;
}

static pm_status check_desc(const pm_curriculum_desc *d, pm_error *error) {
    const char *wrong = (unsigned)d->rule > PM_CURRICULUM_PHC ? "rule"
                        : !(d->bin_seconds > 0)               ? "bin_seconds"
                        : !fits(d->window, 0, HUGE_VAL)       ? "window"
                        : !fits(d->average, 0, 1)             ? "average"
                        : !fits(d->ratio, 0, 1e9)             ? "ratio"
                        : !fits(d->lambda, 0, 1)              ? "lambda"
                        : !fits(d->floor, 0, 1)               ? "floor"
                        : d->kernel_size > 1000               ? "kernel_size"
                                                              : NULL;
    if (wrong)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is out of range", wrong);
    return MOTION_CHECK_NEXT(pm_curriculum_desc, d, error);
}

static double or_else(double given, double usual) {
    return given > 0 ? given : usual;
}

pm_status pm_curriculum_create(const pm_library *library, const pm_curriculum_desc *desc,
                               pm_curriculum **curriculum, pm_error *error) {
    const char *missing = !library ? "library" : !desc ? "desc" : !curriculum ? "curriculum" : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    MOTION_TRY(check_desc(desc, error));
    pm_curriculum *made = calloc(1, sizeof *made);
    if (!made)
        return motion_refuse_memory(error);
    made->desc = *desc;
    made->desc.average = or_else(desc->average, 0.001);
    made->desc.ratio = or_else(desc->ratio, 0.1);
    made->desc.lambda = or_else(desc->lambda, 0.8);
    made->desc.floor = or_else(desc->floor, 0.1);
    made->desc.kernel_size = desc->kernel_size ? desc->kernel_size : 1;
    made->generator = seeded(desc->seed);
    made->scale = 1;
    pthread_mutex_init(&made->lock, NULL);
    const library_held held = library_hold(library);
    const pm_status status = make_table(&made->desc, held.state, &made->table, error);
    library_let(&held);
    if (status == PM_OK)
        *curriculum = made;
    else
        pm_curriculum_destroy(&made);
    return status;
}

void pm_curriculum_destroy(pm_curriculum **curriculum) {
    if (!curriculum || !*curriculum)
        return;
    free_table(&(*curriculum)->table);
    pthread_mutex_destroy(&(*curriculum)->lock);
    free(*curriculum);
    *curriculum = NULL;
}

pm_status pm_curriculum_follow(pm_curriculum *c, const pm_library *library, pm_error *error) {
    table next = {0};
    if (!c || !library)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", c ? "library" : "curriculum");
    const library_held held = library_hold(library);
    const pm_status status = make_table(&c->desc, held.state, &next, error);
    library_let(&held);
    if (status != PM_OK) {
        free_table(&next);
        return status;
    }
    pthread_mutex_lock(&c->lock);
    for (size_t m = 0; m < next.motion_count; m++) {
        const drawn *before = find(&c->table, next.motions[m].id);
        if (!before)
            continue;
        next.motions[m].excluded = before->excluded;
        memcpy(next.failures + next.motions[m].first, c->table.failures + before->first,
               before->bins * sizeof *next.failures);
    }
    free_table(&c->table);
    c->table = next;
    c->is_made = false;
    pthread_mutex_unlock(&c->lock);
    return PM_OK;
}

/* ---- states ----------------------------------------------------------------------------- */

static void list_state(const pm_curriculum *c, pm_curriculum_state *s) {
    const table *t = &c->table;
    const double all = sum_of_all(t);
    for (size_t m = 0; m < t->motion_count; m++) {
        if (s->motions)
            s->motions[m] = t->motions[m].id;
        if (s->bins)
            s->bins[m] = t->motions[m].bins;
        if (s->excluded)
            s->excluded[m] = t->motions[m].excluded;
    }
    for (size_t b = 0; b < t->bin_count; b++) {
        if (s->failures)
            s->failures[b] = t->failures[b] * c->scale;
        if (s->chances)
            s->chances[b] = all > 0 ? (t->bins[b].sum - sum_before(t, b)) / all : 0;
    }
}

pm_status pm_curriculum_get_state(pm_curriculum *c, pm_curriculum_state *state, pm_error *error) {
    if (!c || !state)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", c ? "state" : "curriculum");
    MOTION_TRY(MOTION_CHECK_NEXT(pm_curriculum_state, state, error));
    pthread_mutex_lock(&c->lock);
    const bool of_motions = state->motions || state->bins || state->excluded;
    const bool of_bins = state->failures || state->chances;
    const bool has_room = (!of_motions || state->motion_count >= c->table.motion_count) &&
                          (!of_bins || state->bin_count >= c->table.bin_count);
    pm_status status = has_room ? PM_OK
                                : motion_fail(error, PM_ERROR_SIZE,
                                              "state: has no room for %zu motions and %zu bins",
                                              c->table.motion_count, c->table.bin_count);
    if (state->chances && has_room)
        status = make_chances(c, error);
    const pcg64 *g = &c->generator;
    state->generator[0] = (uint64_t)(g->state >> 64);
    state->generator[1] = (uint64_t)g->state;
    state->generator[2] = (uint64_t)(g->increment >> 64);
    state->generator[3] = (uint64_t)g->increment;
    state->motion_count = c->table.motion_count;
    state->bin_count = c->table.bin_count;
    if (status == PM_OK)
        list_state(c, state);
    pthread_mutex_unlock(&c->lock);
    return status;
}

static pm_status check_state(const table *t, const pm_curriculum_state *s, pm_error *error) {
    if (!(s->generator[3] & 1))
        return motion_fail(error, PM_ERROR_ARGUMENT, "generator: the increment is even");
    if (s->motion_count != t->motion_count || s->bin_count != t->bin_count)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "state: has %zu motions and %zu bins, and the curriculum %zu and %zu",
                           s->motion_count, s->bin_count, t->motion_count, t->bin_count);
    for (size_t m = 0; m < t->motion_count; m++)
        if (s->motions[m] != t->motions[m].id || s->bins[m] != t->motions[m].bins)
            return motion_fail(error, PM_ERROR_ARGUMENT,
                               "state: has motion %u with %u bins, and the curriculum %u with %u",
                               s->motions[m], s->bins[m], t->motions[m].id, t->motions[m].bins);
    for (size_t b = 0; b < t->bin_count; b++)
        if (!fits(s->failures[b], 0, 1e300))
            return motion_fail(error, PM_ERROR_ARGUMENT, "failures[%zu] is no number from 0 on", b);
    return PM_OK;
}

pm_status pm_curriculum_set_state(pm_curriculum *c, const pm_curriculum_state *s, pm_error *error) {
    const char *missing = !c                                        ? "curriculum"
                          : !s                                      ? "state"
                          : !s->motions || !s->bins || !s->excluded ? "state.motions"
                          : !s->failures                            ? "state.failures"
                                                                    : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    MOTION_TRY(MOTION_CHECK_NEXT(pm_curriculum_state, s, error));
    pthread_mutex_lock(&c->lock);
    const pm_status status = check_state(&c->table, s, error);
    for (size_t m = 0; status == PM_OK && m < s->motion_count; m++)
        c->table.motions[m].excluded = s->excluded[m];
    if (status == PM_OK) {
        memcpy(c->table.failures, s->failures, s->bin_count * sizeof *s->failures);
        c->generator =
            (pcg64){join(s->generator[0], s->generator[1]), join(s->generator[2], s->generator[3])};
        c->scale = 1;
        c->is_made = false;
    }
    pthread_mutex_unlock(&c->lock);
    return status;
}
