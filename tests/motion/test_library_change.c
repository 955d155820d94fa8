/* SPDX-License-Identifier: MIT
 *
 * Tests of motion libraries that change: calls on other threads show the motions before a change or those after it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/engines.h"
#include "support/library_content.h"
#include "support/motion.h"
#include "support/test_folder.h"

TEST_GROUP(test_folder_enter, test_folder_leave)

enum { THREADS = 4, MOST_IDS = 400 };

/* States of the bodies of one motion, and its extras. */
typedef struct shown {
    float positions[3 * BODIES], rotations[4 * BODIES];
    float phases[2];
    uint8_t contact;
} shown;

/* All ids are asked for in one call. */
static pm_status look(const pm_library *library, const uint32_t *ids, size_t count, shown *found,
                      pm_error *error) {
    static const double time = 0.1;
    float *positions = calloc(count, sizeof found->positions);
    float *rotations = calloc(count, sizeof found->rotations);
    float *phases = calloc(count, sizeof found->phases);
    uint8_t *contacts = calloc(count, 1);
    double *times = calloc(count, sizeof *times);
    const bool has_memory = positions && rotations && phases && contacts && times;
    for (size_t i = 0; has_memory && i < count; i++)
        times[i] = time;
    const pm_crowd_target outputs[] = {
        {.output = PM_CROWD_BODY_POS, .subset = PM_LIBRARY_BODIES, .memory = positions},
        {.output = PM_CROWD_BODY_ROT, .subset = PM_LIBRARY_BODIES, .memory = rotations}};
    const pm_library_extra_target extras[] = {{0, contacts}, {1, phases}};
    const pm_library_job job = {.motions = ids,
                                .count = count,
                                .times = times,
                                .outputs = outputs,
                                .output_count = 2,
                                .extras = extras,
                                .extra_count = 2};
    const pm_status status = has_memory ? pm_library_sample(library, &job, error) : PM_ERROR_MEMORY;
    memset(found, 0, count * sizeof *found);
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        memcpy(found[i].positions, positions + 3 * BODIES * i, sizeof found[i].positions);
        memcpy(found[i].rotations, rotations + 4 * BODIES * i, sizeof found[i].rotations);
        memcpy(found[i].phases, phases + 2 * i, sizeof found[i].phases);
        found[i].contact = contacts[i];
    }
    free(times);
    free(contacts);
    free(phases);
    free(rotations);
    free(positions);
    return status;
}

/* Two files with motions of the same names. */
typedef struct scene {
    pm_library *of[2];
    shown motions[2][MOTIONS], none;
    pm_library *library;
} scene;

static void make_scene(pm_engine *engine, scene *s) {
    static const uint32_t all[] = {0, 1, 2, 3};
    memset(s, 0, sizeof *s);
    for (size_t k = 0; k < 2; k++) {
        library_made m, first;
        shown found[MOTIONS + 1];
        library_content_make(&m, ROOT_ALONE, 100 + k);
        library_content_make(&first, ROOT_ALONE, 100);
        memcpy(m.rotations, first.rotations, sizeof m.rotations); /* the same rest pose */
        memcpy(m.positions, first.positions, sizeof m.positions);
        for (size_t i = 0; i < MOTIONS; i++)
            m.motions[i].weight = 1;
        s->of[k] = library_content_open(engine, &m.content, NULL);
        expect_success(look(s->of[k], all, MOTIONS + 1, found, new_error()));
        memcpy(s->motions[k], found, sizeof s->motions[k]);
        s->none = found[MOTIONS];
    }
    expect_success(pm_library_select(engine, s->of[0], all, MOTIONS, &s->library, new_error()));
}

static void free_scene(scene *s) {
    pm_library_destroy(&s->library);
    pm_library_destroy(&s->of[0]);
    pm_library_destroy(&s->of[1]);
}

/* Change n replaces motion n % MOTIONS by that of the other file: its id is MOTIONS + n. */
static const shown *expected(const scene *s, size_t id) {
    const size_t times = id / MOTIONS;
    return &s->motions[times % 2][id % MOTIONS];
}

static pm_status replace(const scene *s, size_t n, uint32_t *id, pm_error *error) {
    const uint32_t gone = (uint32_t)n, which = (uint32_t)(n % MOTIONS);
    const pm_library_edit edit = {.removed = &gone,
                                  .removed_count = 1,
                                  .from = s->of[(n + MOTIONS) / MOTIONS % 2],
                                  .motions = &which,
                                  .motion_count = 1};
    return pm_library_change(s->library, &edit, id, error);
}

static bool same(const shown *a, const shown *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

typedef struct looker {
    const scene *scene;
    atomic_bool *stop;
    size_t looks, failures;
} looker;

/* In each call there are as many motions as ever, one after another, each with its own states. */
static void *look_on(void *user) {
    looker *l = user;
    const scene *s = l->scene;
    uint32_t ids[MOST_IDS];
    shown *found = calloc(MOST_IDS, sizeof *found);
    for (size_t i = 0; i < MOST_IDS; i++)
        ids[i] = (uint32_t)i;
    while (found && !(atomic_load(l->stop) && l->looks > 0)) {
        size_t there = 0, first = 0;
        if (look(s->library, ids, MOST_IDS, found, NULL) != PM_OK) {
            l->failures++;
            break;
        }
        while (first < MOST_IDS && same(&found[first], &s->none))
            first++;
        for (size_t i = first; i < MOST_IDS && same(&found[i], expected(s, i)); i++)
            there++;
        bool good = there == MOTIONS;
        for (size_t i = first + there; i < MOST_IDS; i++)
            good = good && same(&found[i], &s->none);
        l->failures += !good;
        l->looks++;
    }
    l->failures += !found;
    free(found);
    return NULL;
}

TEST_ON_BOTH(threads_sample_while_motions_are_replaced) {
    pm_engine *engine = engine_for(state);
    if (is_on_oclgrind(state))
        skip();
    const size_t changes = small_sizes() ? 20 : MOST_IDS - 2 * MOTIONS;
    scene s;
    atomic_bool stop = false;
    pthread_t threads[THREADS];
    looker lookers[THREADS];
    make_scene(engine, &s);
    for (size_t n = 0; n < THREADS; n++) {
        lookers[n] = (looker){.scene = &s, .stop = &stop};
        assert_int_equal(pthread_create(&threads[n], NULL, look_on, &lookers[n]), 0);
    }
    size_t good = 0;
    for (size_t n = 0; n < changes; n++) {
        uint32_t id = 0;
        good += replace(&s, n, &id, new_error()) == PM_OK && id == MOTIONS + n;
    }
    atomic_store(&stop, true);
    for (size_t n = 0; n < THREADS; n++)
        assert_int_equal(pthread_join(threads[n], NULL), 0);
    assert_int_equal(good, changes);
    for (size_t n = 0; n < THREADS; n++) {
        assert_int_equal(lookers[n].failures, 0);
        assert_true(lookers[n].looks > 0);
    }
    free_scene(&s);
}

/* Numbers of clips are used again, ids are not. */
TEST(ids_stay) {
    enum { CHANGES = 2 * PM_CROWD_REUSE_AFTER };
    scene s;
    uint32_t id = 0, ids[8];
    pm_library_motion_info info;
    make_scene(engine_of_kind(ON_REFERENCE), &s);
    for (size_t n = 0; n < CHANGES; n++)
        expect_success(replace(&s, n, &id, new_error()));
    assert_int_equal(pm_library_list(s.library, ids, 8), MOTIONS);
    for (size_t i = 0; i < MOTIONS; i++) {
        shown found;
        assert_int_equal(ids[i], CHANGES + i);
        assert_true(pm_library_get_motion(s.library, ids[i], &info));
        assert_in_range(info.clip, 0, MOTIONS + PM_CROWD_REUSE_AFTER);
        expect_success(look(s.library, &ids[i], 1, &found, new_error()));
        assert_true(same(&found, expected(&s, ids[i])));
    }
    assert_false(pm_library_get_motion(s.library, CHANGES - 1, &info));
    assert_false(pm_library_get_motion(s.library, CHANGES + MOTIONS, &info));
    const uint32_t gone[] = {CHANGES, 29};
    const pm_library_edit edit = {.removed = gone, .removed_count = 2};
    expect_error(pm_library_change(s.library, &edit, NULL, new_error()), PM_ERROR_ARGUMENT,
                 "removed[1] is 29: there is no such motion");
    assert_true(pm_library_get_motion(s.library, CHANGES, &info));
    free_scene(&s);
}

/* Replaces one motion of a library by the same motion of another one, again and again. */
typedef struct taker {
    pm_library *library;
    const pm_library *from;
    uint32_t motion;
    size_t changes, good;
} taker;

static void *take_on(void *user) {
    taker *t = user;
    uint32_t last = t->motion;
    for (size_t n = 0; n < t->changes; n++) {
        const pm_library_edit edit = {.removed = &last,
                                      .removed_count = 1,
                                      .from = t->from,
                                      .motions = &t->motion,
                                      .motion_count = 1};
        t->good += pm_library_change(t->library, &edit, &last, NULL) == PM_OK;
    }
    return NULL;
}

/* Neither waits for the other. */
TEST(two_libraries_take_motions_of_each_other) {
    static const uint32_t all[] = {0, 1, 2, 3};
    scene s;
    pthread_t other;
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    SCOPED(pm_library_destroy) pm_library *second = NULL;
    make_scene(engine, &s);
    expect_success(pm_library_select(engine, s.of[1], all, MOTIONS, &second, new_error()));
    taker a = {s.library, second, 0, small_sizes() ? 20 : 500, 0};
    taker b = {second, s.library, 1, a.changes, 0};
    assert_int_equal(pthread_create(&other, NULL, take_on, &b), 0);
    take_on(&a);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(a.good, a.changes);
    assert_int_equal(b.good, b.changes);
    free_scene(&s);
}

/* A library without an engine changes, too. */
TEST(files_are_appended_to) {
    static const uint32_t one[] = {1};
    scene s;
    library_made m;
    make_scene(engine_of_kind(ON_REFERENCE), &s);
    library_content_make(&m, ROOT_ALONE, 100);
    m.motions[1].name = (pm_motion_name){"other", 5};
    m.content.key_format = PM_KEYS_LOG48;
    expect_success(pm_library_write(&m.content, NULL, "more.npz", new_error()));
    SCOPED(pm_library_destroy) pm_library *more = NULL;
    SCOPED(pm_library_destroy) pm_library *part = NULL;
    SCOPED(pm_library_destroy) pm_library *both = NULL;
    SCOPED(pm_library_destroy) pm_library *before = NULL;
    expect_success(pm_library_open(NULL, "more.npz", NULL, &more, new_error()));
    expect_success(pm_library_save(s.library, NULL, "grows.npz", new_error()));
    expect_success(pm_library_open(NULL, "grows.npz", NULL, &before, new_error()));
    expect_error(pm_library_append("grows.npz", more, new_error()), PM_ERROR_ARGUMENT,
                 "is the name of two");
    expect_success(pm_library_select(NULL, more, one, 1, &part, new_error()));
    expect_success(pm_library_append("grows.npz", part, new_error()));
    expect_success(pm_library_open(NULL, "grows.npz", NULL, &both, new_error()));
    const pm_library_content *c = pm_library_get_content(both);
    assert_int_equal(c->motion_count, MOTIONS + 1);
    assert_int_equal(c->row_count, ROWS + m.motions[1].frames);
    assert_memory_equal(c->key_rotations + 4 * JOINTS * ROWS,
                        m.turns + 4 * JOINTS * m.motions[1].first,
                        4 * JOINTS * (size_t)m.motions[1].frames * sizeof(float));
    const pm_library_content *old =
        pm_library_get_content(before); /* of the file that was replaced */
    assert_int_equal(old->row_count, ROWS);
    assert_memory_equal(old->key_rotations, c->key_rotations, 4 * JOINTS * ROWS * sizeof(float));
    free_scene(&s);
}
