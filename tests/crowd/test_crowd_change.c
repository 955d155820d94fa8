/* SPDX-License-Identifier: MIT
 *
 * Crowds whose clips are added and removed: the bits of all outputs are those of crowds that were made at once,
 * numbers of clips stay, what is refused changes nothing, and jobs of other threads see the clips that are there.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "engine/engine.h"

enum { COUNT = 24 };

/* Clips of every kind of timeline, key format and curve that tables differ for. */
static const scene_options kinds[] = {
    {.salt = 0xE10, .clips = 4},
    {.salt = 0xE11, .clips = 4, .times = SCENE_LISTED, .looped = true, .scales = true},
    {.salt = 0xE12, .clips = 4, .times = SCENE_PER_JOINT_UNEVEN},
    {.salt = 0xE13, .clips = 4, .key_format = PM_KEYS_LOG48, .root_positions = true},
    {.salt = 0xE14,
     .clips = 4,
     .times = SCENE_STAGGERED,
     .looped = true,
     .without_positions = true}};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* Clips at a time, and their numbers, which are used again late. */
enum { MOST_CLIPS = 4 * SCENE_CLIPS_MAX, MOST_IDS = MOST_CLIPS + PM_CROWD_REUSE_AFTER };

/* A crowd whose clips are those of a scene: clip `of[id]` of the scene has the number `id`. */
typedef struct changing {
    const scene *s;
    pm_crowd *crowd;
    size_t of[MOST_IDS];
    bool exists[MOST_IDS];
    size_t removal[MOST_IDS], removals; /* since which a number is of no clip; 0: it never was */
} changing;

static pm_crowd *crowd_of(pm_engine *engine, const scene *s, size_t clips) {
    const pm_crowd_desc desc = {.skeleton = s->skeleton, .clips = s->clips, .clip_count = clips};
    pm_crowd *crowd = NULL;
    expect_success(pm_crowd_create(engine, &desc, &crowd, new_error()));
    return crowd;
}

static uint32_t add(pm_crowd *crowd, const scene *s, size_t clip) {
    uint32_t id = UINT32_MAX;
    expect_success(pm_crowd_add_clips(crowd, &s->clips[clip], NULL, 1, &id, new_error()));
    return id;
}

static size_t bytes_of(const scene *s, pm_crowd_output output, size_t count) {
    return count * pm_crowd_record_bytes(output) * (output == PM_CROWD_BOUNDS ? 1 : s->joints);
}

static bool is_body(pm_crowd_output output) {
    return output >= PM_CROWD_BODY_POS;
}

/* Records of all instances; those of bodies are without clip B. */
static unsigned char *posed(const scene *s, pm_crowd *crowd, pm_crowd_output output,
                            const pm_crowd_instance *instances, size_t count) {
    pm_crowd_instance alone[COUNT];
    const size_t bytes = bytes_of(s, output, count);
    unsigned char *records = test_array(bytes, 1);
    memcpy(alone, instances, count * sizeof *alone);
    for (size_t i = 0; i < count; i++) {
        alone[i].level = 0;
        alone[i].weight = is_body(output) ? 0 : alone[i].weight;
    }
    pm_crowd_job job = CROWD_JOB(alone, count, .output = output, .memory = records);
    memset(records, 0x5A, bytes);
    expect_success(pm_crowd_pose(crowd, &job, new_error()));
    return records;
}

static void expect_same_poses(const scene *s, pm_crowd *crowd, const pm_crowd_instance *instances,
                              pm_crowd *other, const pm_crowd_instance *as, size_t outputs) {
    for (pm_crowd_output o = 0; o < outputs; o++) {
        if (pm_crowd_check_view(s->skeleton, (pm_view){o, 0}, NULL) != PM_OK)
            continue;
        SCOPED(free_at) unsigned char *a = posed(s, crowd, o, instances, COUNT);
        SCOPED(free_at) unsigned char *b = posed(s, other, o, as, COUNT);
        if (memcmp(a, b, bytes_of(s, o, COUNT)) != 0)
            fail_msg("output %d differs", (int)o);
    }
}

/* ---- the same bits --------------------------------------------------------------------------- */

static void expect_grown(void **state, const scene_options *options, size_t outputs) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT];
    scene_make(engine_for(state), options, &s);
    scene_instances(&s, options->salt, COUNT, instances);
    SCOPED(pm_crowd_destroy) pm_crowd *grown = crowd_of(engine_for(state), &s, 1);
    for (size_t n = 1; n < s.clip_count; n++)
        assert_int_equal(add(grown, &s, n), n);
    for (size_t n = 0; n < s.clip_count; n++)
        assert_int_equal(pm_crowd_clip_ticks(grown, n), pm_crowd_clip_ticks(s.crowd, n));
    expect_same_poses(&s, grown, instances, s.crowd, instances, outputs);
}

TEST_ON_BOTH(a_crowd_of_clips_that_were_added_has_the_bits_of_one_that_was_made_at_once) {
    for (size_t k = 0; k < KIND_COUNT; k++)
        expect_grown(state, &kinds[k],
                     is_for_device(state) && (k > 0 || small_sizes()) ? PM_CROWD_PALETTE + 1
                                                                      : PM_CROWD_OUTPUT_COUNT);
}

/* Clips of several timelines come to a crowd that has none. */
TEST_ON_BOTH(a_clip_with_timelines_per_joint_can_be_added_to_any_crowd) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT];
    scene_make(engine_for(state), &kinds[2], &s);
    s.clips[0].timeline_count = 1; /* of the first joint's keys, or as many as others have */
    s.clips[0].timelines = &s.uniform[0];
    s.clips[0].timeline_of = NULL;
    s.uniform[0] = (pm_timeline){.key_count = 2, .rate = {1, 1}};
    pm_crowd_destroy(&s.crowd);
    SCOPED(pm_crowd_destroy) pm_crowd *whole = crowd_of(engine_for(state), &s, s.clip_count);
    SCOPED(pm_crowd_destroy) pm_crowd *grown = crowd_of(engine_for(state), &s, 1);
    scene_instances(&s, 0xE20, COUNT, instances);
    for (size_t n = 1; n < s.clip_count; n++)
        assert_int_equal(add(grown, &s, n), n);
    expect_same_poses(&s, grown, instances, whole, instances, PM_CROWD_PALETTE + 1);
}

/* ---- any order of changes -------------------------------------------------------------------- */

static size_t clips_of(const changing *c) {
    size_t count = 0;
    for (size_t id = 0; id < MOST_IDS; id++)
        count += c->exists[id];
    return count;
}

/* The number that the next clip gets. */
static size_t next_id(const changing *c) {
    size_t id = 0;
    while (c->exists[id] ||
           (c->removal[id] > 0 && c->removals - c->removal[id] < PM_CROWD_REUSE_AFTER))
        id++;
    return id;
}

static uint32_t existing(random_source *source, const changing *c) {
    uint32_t id = (uint32_t)(random_bits(source) % MOST_IDS);
    while (!c->exists[id])
        id = (id + 1) % MOST_IDS;
    return id;
}

/* Most numbers are of clips. */
static uint32_t any_id(random_source *source, const changing *c) {
    return random_bits(source) % 4 ? existing(source, c)
                                   : (uint32_t)(random_bits(source) % MOST_IDS);
}

static void change_at_random(random_source *source, changing *c) {
    const size_t count = clips_of(c);
    if (count > 1 && (count == MOST_CLIPS || random_bits(source) % 2 == 0)) {
        const uint32_t gone = existing(source, c);
        expect_success(pm_crowd_remove_clips(c->crowd, &gone, 1, new_error()));
        c->exists[gone] = false;
        c->removal[gone] = ++c->removals;
        return;
    }
    const size_t clip = random_bits(source) % c->s->clip_count, expected = next_id(c);
    const uint32_t id = add(c->crowd, c->s, clip);
    assert_int_equal(id, expected);
    c->of[id] = clip;
    c->exists[id] = true;
}

/* Some instances of clips that are there, and the same ones of the scene's crowd. */
static void draw(random_source *source, const changing *c, pm_crowd_instance *here,
                 pm_crowd_instance *there) {
    for (size_t i = 0; i < COUNT; i++) {
        here[i] = there[i] = scene_instance(source, c->s);
        here[i].clip_a = any_id(source, c);
        here[i].clip_b = any_id(source, c);
        there[i].clip_a = c->exists[here[i].clip_a] ? (uint32_t)c->of[here[i].clip_a] : UINT32_MAX;
        there[i].clip_b = c->exists[here[i].clip_b] ? (uint32_t)c->of[here[i].clip_b] : UINT32_MAX;
    }
}

static void expect_any_order(void **state, const scene_options *options) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance here[COUNT], there[COUNT];
    random_source source = random_salted(options->salt + 0x100);
    scene_make(engine_for(state), options, &s);
    changing c = {.s = &s, .exists = {true}};
    c.crowd = crowd_of(engine_for(state), &s, 1);
    /* so that all joints that any clip moves count as moved, as in the scene's crowd */
    for (size_t n = 1; n < s.clip_count; n++) {
        c.of[n] = n;
        c.exists[n] = true;
        add(c.crowd, &s, n);
    }
    for (size_t round = 0; round < (small_sizes() ? 5 : 80); round++) {
        change_at_random(&source, &c);
        draw(&source, &c, here, there);
        expect_same_poses(&s, c.crowd, here, s.crowd, there, PM_CROWD_PALETTE + 1);
    }
    pm_crowd_destroy(&c.crowd);
}

TEST_ON_BOTH(clips_show_the_same_poses_whatever_was_added_and_removed_around_them) {
    for (size_t k = 0; k < KIND_COUNT; k++)
        expect_any_order(state, &kinds[k]);
}

/* The memory of clips is counted with what is not used any more. */
TEST_ON_REFERENCE(memory_does_not_grow_over_many_changes) {
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xE40);
    const size_t rounds = small_sizes() ? 500 : 10000;
    uint64_t most[2] = {0, 0};
    scene_make(engine_for(state), &kinds[2], &s);
    changing c = {.s = &s, .exists = {true}};
    c.crowd = crowd_of(engine_for(state), &s, 1);
    for (size_t n = 0; n < rounds; n++) {
        pm_crowd_info info;
        change_at_random(&source, &c);
        pm_crowd_get_info(c.crowd, &info);
        uint64_t *half = &most[n >= rounds / 2];
        *half = info.device_bytes > *half ? info.device_bytes : *half;
    }
    pm_crowd_destroy(&c.crowd);
    assert_true(most[1] <= most[0] + most[0] / 4);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void expect_named(const pm_crowd *crowd, pm_crowd_instance instance, const char *why) {
    const pm_crowd_instance two[] = {{.clip_a = 0}, instance};
    expect_error(pm_crowd_check_instances(crowd, two, 2, new_error()), PM_ERROR_ARGUMENT, why);
    assert_int_equal(last_error()->instance, 1);
}

TEST_ON_BOTH(an_instance_of_a_removed_clip_is_corrected_and_named) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance removed[COUNT], missing[COUNT];
    const uint32_t gone[] = {1};
    scene_make(engine_for(state), &kinds[1], &s);
    scene_instances(&s, 0xE50, COUNT, removed);
    memcpy(missing, removed, sizeof missing);
    for (size_t i = 0; i < COUNT; i++) {
        missing[i].clip_a = missing[i].clip_a == 1 ? 77 : missing[i].clip_a;
        missing[i].clip_b = missing[i].clip_b == 1 ? 77 : missing[i].clip_b;
    }
    SCOPED(pm_crowd_destroy) pm_crowd *whole = crowd_of(engine_for(state), &s, s.clip_count);
    expect_success(pm_crowd_remove_clips(s.crowd, gone, 1, new_error()));
    expect_same_poses(&s, s.crowd, removed, whole, missing, PM_CROWD_PALETTE + 1);
    expect_named(s.crowd, (pm_crowd_instance){.clip_a = 1}, "clip_a was removed");
    expect_named(s.crowd, (pm_crowd_instance){.clip_b = 1, .weight = 1}, "clip_b was removed");
    const pm_crowd_layer layer = {.clip = 1, .weight = 1};
    expect_error(pm_crowd_check_layers(s.crowd, &layer, 1, new_error()), PM_ERROR_ARGUMENT,
                 "clip was removed");
    int64_t synced;
    expect_error(pm_crowd_synced_time(s.crowd, 0, 0, 1, &synced, new_error()), PM_ERROR_ARGUMENT,
                 "clips[1] was removed");
    assert_int_equal(pm_crowd_clip_ticks(s.crowd, 1), 0);
}

/* Kernels read clip 0 for lanes without a clip. */
TEST_ON_BOTH(the_first_clip_can_be_removed) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance here[COUNT], there[COUNT];
    const uint32_t gone[] = {0, 2, 3};
    scene_make(engine_for(state), &kinds[2], &s);
    scene_instances(&s, 0xE60, COUNT, here);
    SCOPED(pm_crowd_destroy) pm_crowd *whole = crowd_of(engine_for(state), &s, s.clip_count);
    expect_success(pm_crowd_remove_clips(s.crowd, gone, 3, new_error()));
    for (size_t i = 0; i < COUNT; i++) {
        there[i] = here[i];
        there[i].clip_a = here[i].clip_a == 1 ? 1 : 99;
        there[i].clip_b = here[i].clip_b == 1 ? 1 : 99;
    }
    expect_same_poses(&s, s.crowd, here, whole, there, PM_CROWD_PALETTE + 1);
    assert_int_equal(add(s.crowd, &s, 2), s.clip_count);
    assert_int_equal(add(s.crowd, &s, 3), s.clip_count + 1);
}

/* An instance that still shows a removed clip is named, and is not shown another one, until many others were removed. */
/* The rows of a removed clip are those of the first that is left: here one whose joints have timelines, the first of
 * them with far more keys than the others, and in the middle of them at time 0. */
TEST_ON_BOTH(instances_of_no_clip_read_no_keys_beyond_those_of_their_joints) {
    enum { JOINTS = 32, MANY = 60000, FEW = 2, KEYS = MANY + (JOINTS - 1) * FEW };
    SCOPED(free_at) int32_t *parents = test_array(JOINTS, sizeof *parents);
    SCOPED(free_at) double *times = test_array(MANY, sizeof *times);
    SCOPED(free_at) float *keys = test_array(KEYS, 4 * sizeof *keys);
    const double few[FEW] = {0, 1};
    uint32_t timeline_of[JOINTS];
    for (size_t j = 0; j < JOINTS; j++) {
        parents[j] = (int32_t)j - 1;
        timeline_of[j] = j > 0;
    }
    for (size_t k = 0; k < MANY; k++)
        times[k] = 1 + 1e-4 * (double)k;
    for (size_t k = 0; k < KEYS; k++)
        memcpy(keys + 4 * k, (const float[4]){0.6f, 0, 0, 0.8f}, 4 * sizeof *keys);
    const pm_timeline timelines[] = {{.key_count = MANY, .times = times},
                                     {.key_count = FEW, .times = few}};
    const pm_clip_desc own = {.track_count = JOINTS,
                              .timelines = timelines,
                              .timeline_count = 2,
                              .timeline_of = timeline_of,
                              .rotations = {.data = keys},
                              .loop = 10};
    const pm_clip_desc common = {
        .track_count = JOINTS, .timelines = &timelines[1], .rotations = {.data = keys}};
    const pm_clip_desc clips[] = {common, own, common};
    pm_skeleton *skeleton = NULL;
    pm_crowd *crowd = NULL;
    expect_success(pm_skeleton_create(
        &(pm_skeleton_desc){.joint_count = JOINTS, .parents = parents}, &skeleton, new_error()));
    expect_success(pm_crowd_create(
        engine_for(state), &(pm_crowd_desc){.skeleton = skeleton, .clips = clips, .clip_count = 3},
        &crowd, new_error()));
    expect_success(pm_crowd_remove_clips(crowd, &(uint32_t){0}, 1, new_error()));
    static float records[COUNT][JOINTS][12];
    for (uint32_t clip = 1; clip < 3; clip++) {
        pm_crowd_instance instances[COUNT] = {{0}};
        for (size_t i = 0; i < COUNT; i++)
            instances[i].clip_a = i % 2 ? clip : 0;
        pm_crowd_job job = CROWD_JOB(instances, COUNT, .output = PM_CROWD_LOCAL, .memory = records);
        memset(records, 0x5A, sizeof records);
        expect_success(pm_crowd_pose(crowd, &job, new_error()));
        for (size_t i = 0; i < COUNT; i++)
            for (size_t j = 0; j < JOINTS; j++) {
                assert_true(fabsf(records[i][j][0] - (i % 2 ? 0.6f : 0)) < 1e-6f);
                assert_true(fabsf(records[i][j][3] - (i % 2 ? 0.8f : 1)) < 1e-6f);
            }
    }
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
}

TEST_ON_REFERENCE(the_number_of_a_removed_clip_is_used_again_late) {
    SCOPED(scene_free) scene s;
    const uint32_t gone[] = {1};
    scene_make(engine_for(state), &kinds[0], &s);
    expect_success(pm_crowd_remove_clips(s.crowd, gone, 1, new_error()));
    for (uint32_t n = 0; n < PM_CROWD_REUSE_AFTER; n++) {
        const uint32_t id = add(s.crowd, &s, 2);
        assert_int_equal(id, s.clip_count + n);
        expect_named(s.crowd, (pm_crowd_instance){.clip_a = 1}, "clip_a was removed");
        expect_success(pm_crowd_remove_clips(s.crowd, &id, 1, new_error()));
    }
    assert_int_equal(add(s.crowd, &s, 3), 1);
    assert_int_equal(pm_crowd_clip_ticks(s.crowd, 1), pm_crowd_clip_ticks(s.crowd, 3));
    assert_int_equal(add(s.crowd, &s, 3), s.clip_count + PM_CROWD_REUSE_AFTER);
}

/* ---- refusals -------------------------------------------------------------------------------- */

TEST_ON_BOTH(what_is_refused_changes_nothing) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT];
    pm_crowd_info info;
    uint32_t ids[4] = {0, 1, 2, 3};
    scene_make(engine_for(state), &kinds[0], &s);
    scene_instances(&s, 0xE70, COUNT, instances);
    SCOPED(pm_crowd_destroy) pm_crowd *whole = crowd_of(engine_for(state), &s, s.clip_count);
    expect_error(pm_crowd_remove_clips(s.crowd, ids, 4, new_error()), PM_ERROR_ARGUMENT,
                 "no clip would be left");
    expect_error(pm_crowd_remove_clips(s.crowd, (uint32_t[]){2, 9}, 2, new_error()),
                 PM_ERROR_ARGUMENT, "ids[1] is 9");
    expect_error(pm_crowd_remove_clips(s.crowd, (uint32_t[]){2, 2}, 2, new_error()),
                 PM_ERROR_ARGUMENT, "ids[1] is 2");
    pm_clip_desc clips[2] = {s.clips[0], s.clips[1]};
    clips[1].method = PM_METHOD_NLERP;
    expect_error(pm_crowd_add_clips(s.crowd, clips, NULL, 2, ids, new_error()), PM_ERROR_ARGUMENT,
                 "clips[1]: the clip differs from those of the crowd in method");
    clips[1] = s.clips[1];
    clips[1].positions.data = NULL;
    expect_error(pm_crowd_add_clips(s.crowd, clips, NULL, 2, ids, new_error()), PM_ERROR_ARGUMENT,
                 "in the presence of positions");
    clips[1] = s.clips[1];
    const pm_crowd_marker late = {.tick = INT64_MAX};
    const pm_crowd_markers markers[2] = {{.count = 0}, {&late, 1, NULL}};
    expect_error(pm_crowd_add_clips(s.crowd, clips, markers, 2, ids, new_error()), PM_ERROR_TIME,
                 "clips[1]: markers[0]");
    pm_crowd_get_info(s.crowd, &info);
    assert_int_equal(info.clip_count, s.clip_count);
    expect_same_poses(&s, s.crowd, instances, whole, instances, PM_CROWD_PALETTE + 1);
}

TEST_ON_REFERENCE(clips_are_added_with_their_markers) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance before[COUNT], after[COUNT];
    pm_crowd_event events[2][512];
    size_t counts[2] = {0, 0};
    uint32_t ids[2];
    const pm_crowd_marker of[4][2] = {{{.tick = 0, .id = 1}, {.tick = 5, .id = 70000}},
                                      {{.tick = 1, .id = 2}, {.tick = 1, .id = 3}},
                                      {{.tick = 7, .id = 4}},
                                      {{.tick = 0, .id = 5}}};
    const pm_crowd_markers markers[4] = {
        {of[0], 2, NULL}, {of[1], 2, NULL}, {of[2], 1, NULL}, {of[3], 1, NULL}};
    scene_make(engine_for(state), &kinds[1], &s);
    scene_instances(&s, 0xE80, COUNT, before);
    memcpy(after, before, sizeof after);
    for (size_t i = 0; i < COUNT; i++) {
        const int64_t step = pm_crowd_clip_ticks(s.crowd, before[i].clip_a) * 2 + 3;
        after[i].time_a = before[i].time_a + step;
        after[i].time_b = before[i].time_b + step;
    }
    pm_crowd *crowds[2] = {NULL, NULL};
    for (size_t n = 0; n < 2; n++) {
        const pm_crowd_desc desc = {
            .skeleton = s.skeleton, .clips = s.clips, .clip_count = n ? 2 : 4, .markers = markers};
        expect_success(pm_crowd_create(engine_for(state), &desc, &crowds[n], new_error()));
    }
    /* a hole between the markers, and memory that moves */
    expect_success(pm_crowd_add_clips(crowds[1], s.clips + 3, markers + 3, 1, ids, new_error()));
    expect_success(pm_crowd_remove_clips(crowds[1], ids, 1, new_error()));
    expect_success(pm_crowd_add_clips(crowds[1], s.clips + 2, markers + 2, 2, ids, new_error()));
    assert_true(ids[0] == 3 && ids[1] == 4);
    for (size_t n = 0; n < 2; n++) {
        expect_success(pm_crowd_events(crowds[n], before, after, COUNT, events[n], 512, &counts[n],
                                       new_error()));
        for (size_t i = 0; i < COUNT; i++) { /* the numbers of the second crowd */
            after[i].clip_a += after[i].clip_a >= 2;
            after[i].clip_b += after[i].clip_b >= 2;
        }
    }
    for (size_t i = 0; i < counts[1]; i++)
        events[1][i].clip -= events[1][i].clip > 2;
    assert_true(counts[0] > 0 && counts[0] <= 512);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(events[0], events[1], counts[0] * sizeof **events);
    pm_crowd_destroy(&crowds[0]);
    pm_crowd_destroy(&crowds[1]);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 8, POSED = 5 };

/* A thread that poses clips that stay and clips of its own, which it adds and removes. */
typedef struct worker {
    const scene *s;
    pm_crowd *crowd;
    uint64_t salt;
    size_t rounds, failed, differing;
    unsigned char *
        expected[2]; /* of the clips that stay; of its own clip, which is clip `own` of the scene */
    pm_crowd_instance instances[2][POSED];
    size_t own, bytes;
} worker;

static void pose_in_thread(worker *w, const pm_crowd_instance *instances, unsigned which,
                           unsigned char *records) {
    pm_crowd_job job = CROWD_JOB(instances, POSED, .output = PM_CROWD_PALETTE, .memory = records);
    memset(records, 0xFF, w->bytes);
    w->failed += pm_crowd_pose(w->crowd, &job, NULL) != PM_OK;
    w->differing += memcmp(records, w->expected[which], w->bytes) != 0;
    for (size_t i = 0; i < POSED; i++) {
        const pm_crowd_one one = {.instance = &instances[i], .output = PM_CROWD_PALETTE};
        unsigned char *record = records + i * w->bytes / POSED;
        memset(record, 0xFF, w->bytes / POSED);
        w->failed += pm_crowd_pose_one(w->crowd, &one, record, NULL) != PM_OK;
    }
    w->differing += memcmp(records, w->expected[which], w->bytes) != 0;
}

/* cmocka's assertions belong to the main thread, so a worker only counts. */
static void *change_and_pose(void *argument) {
    worker *w = argument;
    unsigned char *records = malloc(w->bytes);
    for (size_t round = 0; records && round < w->rounds; round++) {
        uint32_t id = 0;
        pose_in_thread(w, w->instances[0], 0, records);
        if (pm_crowd_add_clips(w->crowd, &w->s->clips[w->own], NULL, 1, &id, NULL) != PM_OK) {
            w->failed++;
            continue;
        }
        pm_crowd_instance own[POSED];
        memcpy(own, w->instances[1], sizeof own);
        for (size_t i = 0; i < POSED; i++)
            own[i].clip_a = id;
        pose_in_thread(w, own, 1, records);
        w->failed += pm_crowd_remove_clips(w->crowd, &id, 1, NULL) != PM_OK;
    }
    w->failed += !records;
    free(records);
    return NULL;
}

static void begin_worker(worker *w, const scene *s, size_t n) {
    random_source source = random_salted(0xE90 + n);
    *w = (worker){
        .s = s, .crowd = s->crowd, .own = n % s->clip_count, .rounds = small_sizes() ? 2 : 40};
    w->bytes = bytes_of(s, PM_CROWD_PALETTE, POSED);
    for (unsigned k = 0; k < 2; k++) {
        for (size_t i = 0; i < POSED; i++) {
            w->instances[k][i] = scene_instance(&source, s);
            w->instances[k][i].level = 0;
            if (k == 1) {
                w->instances[k][i].clip_a = (uint32_t)w->own;
                w->instances[k][i].weight = 0;
            }
        }
        w->expected[k] = posed(s, s->crowd, PM_CROWD_PALETTE, w->instances[k], POSED);
    }
}

static void expect_threads(void **state, const scene_options *options) {
    SCOPED(scene_free) scene s;
    worker workers[THREADS];
    pthread_t threads[THREADS];
    scene_make(engine_for(state), options, &s);
    for (size_t n = 0; n < THREADS; n++)
        begin_worker(&workers[n], &s, n);
    for (size_t n = 0; n < THREADS; n++)
        assert_int_equal(pthread_create(&threads[n], NULL, change_and_pose, &workers[n]), 0);
    for (size_t n = 0; n < THREADS; n++)
        assert_int_equal(pthread_join(threads[n], NULL), 0);
    for (size_t n = 0; n < THREADS; n++) {
        assert_int_equal(workers[n].failed, 0);
        assert_int_equal(workers[n].differing, 0);
        free(workers[n].expected[0]);
        free(workers[n].expected[1]);
    }
}

TEST_ON_BOTH(threads_pose_while_others_add_and_remove_clips) {
    if (is_on_oclgrind(state))
        skip();
    expect_threads(state, &kinds[0]);
    expect_threads(state, &kinds[2]);
}

TEST_GROUP_OF_CROWDS(NULL, engines_close)
