/* SPDX-License-Identifier: MIT
 *
 * The device, the reference path and pm_crowd_pose_one give the same bits, for every output, any
 * instances and any number of them. Half floats are the rounded floats. Nothing else in a job or an
 * engine affects the bits. test_crowd_pose checks that the values are right for every method.
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

enum { MAX = 100 };

/* Small enough for an interpreter of kernels. */
static size_t max(void) {
    return small_sizes() ? 17 : MAX;
}

static const size_t counts[] = {1, 15, 16, 17, MAX};

static void expect_one(const scene *s, pm_crowd_output output, const pm_crowd_instance *instance,
                       const float *records) {
    const size_t floats = scene_floats(s, output, 1);
    SCOPED(guarded_free_at) float *one = guarded_floats(floats);
    expect_success(pm_crowd_pose_one(
        s->crowd, &(pm_crowd_one){.instance = instance, .output = output}, one, new_error()));
    expect_same_bits(one, records, floats, pm_crowd_record_bytes(output) / sizeof *one);
}

/* Plain C with every instruction set that this machine supports: all instances together, and one by one. */
static void expect_sets(const scene *s, pm_crowd_output output, const pm_crowd_instance *instances,
                        size_t count, const float *records) {
    const size_t floats = scene_floats(s, output, count);
    const size_t widest = s->crowd->latest->data->instruction_set;
    for (size_t k = 0; k <= widest; k++) {
        s->crowd->latest->data->instruction_set = k;
        SCOPED(guarded_free_at) float *reference = scene_pose(s, output, instances, count, true);
        expect_same_bits(reference, records, floats, pm_crowd_record_bytes(output) / sizeof(float));
        for (size_t i = 0; i < count; i++)
            expect_one(s, output, &instances[i], records + i * (floats / count));
    }
    assert_int_equal(s->crowd->latest->data->instruction_set, widest);
}

/* Only the first `outputs` outputs: each is another program for a device's compiler. Dual quaternions only where
 * the skeleton's rest pose has them. */
static void expect_paths_agree(const scene *s, pm_crowd_output outputs,
                               const pm_crowd_instance *instances, size_t count) {
    for (pm_crowd_output output = 0; output < outputs; output++) {
        if (pm_crowd_check_view(s->skeleton, (pm_view){output, 0}, NULL) != PM_OK)
            continue;
        SCOPED(guarded_free_at) float *device = scene_pose(s, output, instances, count, false);
        expect_sets(s, output, instances, count, device);
    }
}

static void expect_outputs(void **state, pm_crowd_output outputs, const scene_options *options) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    random_source source = random_salted(options->salt + 0x100);
    scene_make(engine_for(state), options, &s);
    print_message("# scene %#llx\n", (unsigned long long)options->salt);
    for (size_t n = small_sizes() ? 3 : 0; n < COUNT_OF(counts) && counts[n] <= max(); n++) {
        for (size_t i = 0; i < counts[n]; i++)
            instances[i] = i % 3 ? scene_instance(&source, &s) : scene_bad_instance(&source, &s);
        expect_paths_agree(&s, outputs, instances, counts[n]);
    }
    for (size_t i = 0; i < max(); i++)
        instances[i] = scene_alike_instance(&source, &s, i);
    expect_paths_agree(&s, outputs, instances, max());
}

static void expect_scene(void **state, const scene_options *options) {
    expect_outputs(state, PM_CROWD_POSE_COUNT, options);
}

static void expect_palettes(void **state, const scene_options *options) {
    expect_outputs(state, PM_CROWD_PALETTE + 1, options);
}

TEST_ON_BOTH(scenes_of_every_kind_have_the_bits_of_the_reference) {
    static const scene_options every_output[] = {
        {.salt = 0xD01, .binds = SCENE_BIND_RIGID},
        {.salt = 0xD02, .binds = SCENE_BIND_RIGID, .scales = true},
        {.salt = 0xD03, .without_positions = true},
        {.salt = 0xD04, .times = SCENE_LISTED, .looped = true},
        {.salt = 0xD05, .times = SCENE_PER_JOINT_UNEVEN},
        {.salt = 0xD06, .times = SCENE_PER_JOINT_UNEVEN, .looped = true, .clips = 4},
        {.salt = 0xD09, .binds = SCENE_BIND_RIGID, .root_positions = true},
    };
    for (size_t n = 0; n < COUNT_OF(every_output); n++)
        expect_scene(state, &every_output[n]);
    expect_palettes(state, &(scene_options){.salt = 0xD07, .key_format = PM_KEYS_LOG48});
    expect_palettes(state, &(scene_options){.salt = 0xD08, .key_format = PM_KEYS_SMALLEST48});
    /* rows that end within groups of 16 keys, at every multiple of 4 */
    expect_palettes(state,
                    &(scene_options){.salt = 0xD0A, .joints = 70, .key_format = PM_KEYS_LOG48});
    expect_palettes(
        state, &(scene_options){.salt = 0xD0B, .joints = 21, .key_format = PM_KEYS_SMALLEST48});
}

/* Segments that read the keys beside them. */
TEST_ON_BOTH(scenes_of_cubic_have_the_bits_of_the_reference) {
    const variant *cubic = variant_named("cubic");
    const scene_options scenes[] = {
        {.salt = 0xD09, .curve = cubic, .times = SCENE_LISTED, .clips = 3},
        {.salt = 0xD0A, .curve = cubic, .key_format = PM_KEYS_LOG48, .looped = true},
        {.salt = 0xD0B, .curve = cubic, .key_format = PM_KEYS_SMALLEST48},
        {.salt = 0xD0C, .curve = cubic, .times = SCENE_PER_JOINT_UNEVEN, .clips = 3},
        {.salt = 0xD0D,
         .curve = cubic,
         .times = SCENE_PER_JOINT_UNEVEN,
         .key_format = PM_KEYS_LOG48,
         .looped = true}};
    for (size_t n = 0; n < (small_sizes() ? 1 : COUNT_OF(scenes)); n++)
        expect_palettes(state, &scenes[n]);
}

TEST_ON_BOTH(deep_and_wide_skeletons_have_the_bits_of_the_reference) {
    expect_scene(state, &(scene_options){.salt = 0xD40, .joints = 70, .shape = SCENE_CHAIN});
    expect_scene(state, &(scene_options){.salt = 0xD41, .joints = small_sizes() ? 20 : 150});
    expect_scene(state, &(scene_options){.salt = 0xD42, .joints = 1});
    /* pm_crowd_pose_one writes the records of up to 64 joints in another order */
    expect_palettes(state, &(scene_options){.salt = 0xD4F, .joints = 64, .shape = SCENE_CHAIN});
    expect_palettes(state, &(scene_options){.salt = 0xD50, .joints = small_sizes() ? 33 : 65});
    for (size_t joints = 1; joints <= 9; joints += small_sizes() ? 4 : 1)
        expect_palettes(state, &(scene_options){.salt = 0xD45 + joints, .joints = joints});
    if (!small_sizes())
        expect_palettes(state, &(scene_options){.salt = 0xD43, .joints = 530}); /* too many for the
                                                                                 * stack */
    expect_palettes(state, &(scene_options){.salt = 0xD44,
                                            .joints = small_sizes() ? 40 : 150,
                                            .without_positions = true});
}

/* Joints that no clip moves have the keys of the rest pose. Of sixteen neighbours, none, every
 * other one or all are such joints, channel by channel. */
static void hold_still(const scene *s, size_t joint, unsigned channel, const float *rest,
                       size_t components, double *keys, size_t key_count) {
    const size_t kind = (joint / 16 + channel) % 3;
    if (kind == 0 || (kind == 1 && joint % 2))
        for (size_t key = 0; key < key_count; key++)
            for (size_t k = 0; k < components; k++)
                keys[(key * s->joints + joint) * components + k] =
                    (double)rest[components * joint + k];
}

TEST_ON_BOTH(groups_that_no_clip_moves_have_the_bits_of_the_reference) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    random_source source = random_salted(0xD45);
    const scene_options options = {.salt = 0xD45,
                                   .joints = small_sizes() ? 50 : 150,
                                   .shape = SCENE_CHAIN, /* which keeps the order of its joints */
                                   .binds = SCENE_BIND_RIGID,
                                   .scales = true,
                                   .rest_scales = true};
    scene_make(engine_for(state), &options, &s);
    scene_undo(&s);
    for (size_t n = 0; n < s.clip_count; n++)
        for (size_t joint = 0; joint < s.joints; joint++) {
            const size_t count = s.clips[n].timelines[0].key_count;
            hold_still(&s, joint, 0, s.rotations, 4, s.sets[n].rotations, count);
            hold_still(&s, joint, 1, s.positions, 3, s.sets[n].positions, count);
            hold_still(&s, joint, 2, s.scales, 3, s.sets[n].scales, count);
        }
    scene_finish(engine_for(state), &s);
    for (int kind = PM_MOVED_NOT; kind <= PM_MOVED_WHOLE; kind++)
        assert_non_null(memchr(s.crowd->latest->data->sets[0].moved, kind,
                               s.crowd->latest->data->padded_joints / PM_TRACK_GROUP));
    for (size_t i = 0; i < max(); i++)
        instances[i] = i % 3 ? scene_instance(&source, &s) : scene_bad_instance(&source, &s);
    expect_paths_agree(&s, PM_CROWD_POSE_COUNT, instances, max());
}

/* Of local poses, the positions of all joints but the root are those of the rest pose. */
static void expect_at_rest(const scene *s, const float *records, size_t count) {
    for (size_t i = 0; i < count * s->joints; i++) {
        const size_t slot = i % s->joints;
        if (slot > 0)
            assert_memory_equal(records + 12 * i + 4, s->positions + (size_t)3 * s->order[slot],
                                3 * sizeof(float));
    }
}

/* Curves that give equal keys back, to the bit. A B-spline's mean of them may be rounded. */
static bool keeps_equal_keys(const scene *s) {
    return pm_method_get_info(s->options.curve->method)->vector_method != PM_VECTOR_BSPLINE;
}

/* Clips with the positions of the root alone, against clips in which the other joints have the rest
 * pose in every key. */
static void expect_root_alone(void **state, const scene_options *options,
                              const pm_crowd_output *outputs, size_t output_count) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    scene_make(engine_for(state), options, &s);
    print_message("# %s, scene %#llx\n", s.options.curve->name, (unsigned long long)options->salt);
    scene all = s;
    all.skeleton = NULL;
    all.crowd =
        crowd_make(engine_for(state), &s.skeleton_desc, s.stored, s.clip_count, &all.skeleton);
    for (size_t n = 0; n < output_count; n++) {
        const bool of_bodies = outputs[n] >= PM_CROWD_BODY_POS;
        scene_instances(&s, options->salt + 0x100 + n, max(), instances);
        for (size_t i = 0; of_bodies && i < max(); i++)
            instances[i].weight = 0; /* they show clip A alone */
        SCOPED(guarded_free_at)
        float *one = scene_pose(&s, outputs[n], instances, max(), !is_for_device(state));
        SCOPED(guarded_free_at)
        float *other = scene_pose(&all, outputs[n], instances, max(), !is_for_device(state));
        if (keeps_equal_keys(&s))
            expect_same_bits(one, other, scene_floats(&s, outputs[n], max()),
                             pm_crowd_record_bytes(outputs[n]) / sizeof(float));
        if (outputs[n] == PM_CROWD_LOCAL)
            expect_at_rest(&s, one, max());
        if (!of_bodies)
            expect_sets(&s, outputs[n], instances, max(), one);
    }
    pm_root_motion from_one[MAX], from_all[MAX];
    const pm_crowd_instance begin[MAX] = {0};
    memset(from_one, 0xFF, sizeof from_one);
    expect_success(pm_crowd_root_motion(s.crowd, begin, instances, max(), from_one, new_error()));
    expect_success(pm_crowd_root_motion(all.crowd, begin, instances, max(), from_all, new_error()));
    assert_memory_equal(from_one, from_all, max() * sizeof *from_one);
    pm_crowd_destroy(&all.crowd);
    pm_skeleton_destroy(&all.skeleton);
}

TEST_ON_REFERENCE(positions_of_the_root_alone_leave_the_others_at_rest_by_every_method) {
    static const pm_crowd_output outputs[] = {PM_CROWD_LOCAL, PM_CROWD_PALETTE, PM_CROWD_DUAL,
                                              PM_CROWD_BODY_POS, PM_CROWD_BODY_VEL};
    for (size_t n = 0; n < 2 * variant_count(); n++) {
        const scene_options options = {.salt = 0xDA0 + n,
                                       .joints = 1 + n * 7 % 40,
                                       .binds = SCENE_BIND_RIGID,
                                       .curve = variant_at(n / 2),
                                       .root_positions = true,
                                       .scales = n % 3 == 0,
                                       .looped = n % 2};
        expect_root_alone(state, &options, outputs, COUNT_OF(outputs));
    }
}

TEST_ON_BOTH(positions_of_the_root_alone_leave_the_others_at_rest) {
    static const pm_crowd_output outputs[] = {PM_CROWD_PALETTE, PM_CROWD_BODY_VEL};
    static const scene_options scenes[] = {
        {.salt = 0xD90, .root_positions = true},
        {.salt = 0xD91, .root_positions = true, .times = SCENE_LISTED, .looped = true},
        {.salt = 0xD92, .root_positions = true, .times = SCENE_PER_JOINT_UNEVEN, .joints = 17},
        {.salt = 0xD93, .root_positions = true, .shape = SCENE_FOREST, .joints = 37},
        {.salt = 0xD94, .root_positions = true, .vector_method = PM_VECTOR_CATMULL_ROM},
    };
    for (size_t n = 0; n < COUNT_OF(scenes); n++)
        expect_root_alone(state, &scenes[n], outputs, COUNT_OF(outputs));
    if (!small_sizes())
        expect_root_alone(state,
                          &(scene_options){.salt = 0xD95,
                                           .curve = variant_named("spline"),
                                           .root_positions = true,
                                           .looped = true},
                          outputs, COUNT_OF(outputs));
}

/* ---- halves ------------------------------------------------------------------------------ */

/* Rounds to nearest even on the grid of half floats of this magnitude. */
static double half_of(double value) {
    int exponent = 0;
    (void)frexp(value, &exponent);
    const int bits = exponent < -13 ? -24 : exponent - 11;
    const double rounded = ldexp(rint(ldexp(value, -bits)), bits);
    return fabs(rounded) > 65504 ? copysign(HUGE_VAL, value) : rounded;
}

/* The float32 output that is an output of float16 otherwise; PM_CROWD_POSE_COUNT: none. */
static pm_crowd_output in_floats(pm_crowd_output halves) {
    const pm_crowd_output_row *row = &pm_crowd_outputs[halves];
    pm_crowd_output o = 0;
    for (; o < PM_CROWD_POSE_COUNT; o++) {
        const pm_crowd_output_row *other = &pm_crowd_outputs[o];
        if (other->bits == 32 && other->form == row->form && other->bound == row->bound &&
            other->numbers == row->numbers)
            break;
    }
    return o;
}

static void expect_rounded(const scene *s, pm_crowd_output output,
                           const pm_crowd_instance *instances) {
    const pm_crowd_output other = in_floats(output);
    assert_true(other < PM_CROWD_POSE_COUNT);
    SCOPED(guarded_free_at) float *floats = scene_pose(s, other, instances, max(), false);
    SCOPED(guarded_free_at) float *halves = scene_pose(s, output, instances, max(), false);
    for (size_t i = 0; i < scene_floats(s, other, max()); i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)halves + 2 * i, sizeof bits);
        if (half_value(bits) != half_of((double)floats[i]))
            fail_msg("%s: %.9g became %.9g", pm_crowd_outputs[output].name, (double)floats[i],
                     half_value(bits));
    }
}

TEST_ON_BOTH(halves_are_the_floats_rounded_to_nearest_even) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    scene_make(engine_for(state), &(scene_options){.salt = 0xD50}, &s);
    scene_instances(&s, 0xD50, max(), instances);
    for (pm_crowd_output o = 0; o < PM_CROWD_POSE_COUNT; o++)
        if (pm_crowd_outputs[o].bits == 16)
            expect_rounded(&s, o, instances);
}

/* The palette equals the inverse bind matrix where the pose is the identity. */
TEST_ON_BOTH(halves_at_the_limits_of_rounding_are_known) {
    static const struct {
        float value;
        uint16_t bits;
    } known[24] = {{65504, 0x7bff},
                   {65519.996f, 0x7bff},
                   {65520, 0x7c00},
                   {-65520, 0xfc00},
                   {1e6f, 0x7c00},
                   {-1e6f, 0xfc00},
                   {0x1p-24f, 0x0001},
                   {0x1p-25f, 0x0000},
                   {0x1.000002p-25f, 0x0001},
                   {0x1.8p-24f, 0x0002},
                   {0x1.7ffffep-24f, 0x0001},
                   {0x1p-14f, 0x0400},
                   {0x1.ff8p-15f, 0x03ff},
                   {0x1.ffcp-15f, 0x0400},
                   {0x1.ffbffep-15f, 0x03ff},
                   {1, 0x3c00},
                   {0x1.002p0f, 0x3c00},
                   {0x1.002002p0f, 0x3c01},
                   {0x1.006p0f, 0x3c02},
                   {0x1.ffep0f, 0x4000},
                   {-0x1.002002p0f, 0xbc01},
                   {-0x1.8p-24f, 0x8002},
                   {2049, 0x6800},
                   {2051, 0x6802}};
    const int32_t parents[] = {-1, -1};
    const float rotations[] = {0, 0, 0, 1, 0, 0, 0, 1};
    const pm_timeline timeline = {.key_count = 1, .rate = {1, 1}};
    const pm_clip_desc clip = {.track_count = 2,
                               .timelines = &timeline,
                               .rotations = {.data = rotations, .type = PM_FLOAT32}};
    float binds[24];
    uint16_t halves[24];
    for (size_t i = 0; i < 24; i++)
        binds[i] = known[i].value;
    const pm_skeleton_desc desc = {
        .joint_count = 2, .parents = parents, .inverse_binds = {.data = binds, .type = PM_FLOAT32}};
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    SCOPED(pm_crowd_destroy)
    pm_crowd *crowd = crowd_make(engine_for(state), &desc, &clip, 1, &skeleton);
    const pm_crowd_instance still = {.clip_a = 0};
    memset(halves, 0xFF, sizeof halves);
    pm_crowd_job job = CROWD_JOB(&still, 1, .output = PM_CROWD_PALETTE_HALF, .memory = halves);
    expect_success(pm_crowd_pose(crowd, &job, new_error()));
    for (size_t i = 0; i < 24; i++)
        if (halves[i] != known[i].bits)
            fail_msg("%.9g became %04x, not %04x", (double)known[i].value, halves[i],
                     known[i].bits);
}

/* ---- parameters that must not affect the bits ---------------------------------------------- */

static void expect_engine_of(void **state, size_t joints, pm_crowd_output outputs,
                             const pm_engine_desc *options) {
    SCOPED(pm_engine_destroy) pm_engine *engine = engine_with(state, options);
    SCOPED(scene_free) scene s, t;
    pm_crowd_instance instances[MAX];
    const scene_options what = {
        .salt = 0xD60, .joints = joints, .binds = SCENE_BIND_RIGID, .scales = true};
    scene_make(engine_for(state), &what, &s);
    scene_make(engine, &what, &t);
    scene_instances(&s, 0xD60, max(), instances);
    for (pm_crowd_output output = 0; output < outputs; output++) {
        SCOPED(guarded_free_at) float *a = scene_pose(&s, output, instances, max(), false);
        SCOPED(guarded_free_at) float *b = scene_pose(&t, output, instances, max(), false);
        expect_same_bits(a, b, scene_floats(&s, output, max()), scene_floats(&s, output, 1));
    }
}

/* Records of an even number of joints are aligned as those of an odd number are not. */
static void expect_engine(void **state, pm_crowd_output outputs, const pm_engine_desc *options) {
    expect_engine_of(state, 11, outputs, options);
    expect_engine_of(state, 12, outputs, options);
}

TEST_ON_DEVICE(pieces_of_any_size_have_the_same_bits) {
    expect_engine(state, PM_CROWD_POSE_COUNT, &(pm_engine_desc){.piece_bytes = 1});
    expect_engine(state, PM_CROWD_POSE_COUNT, &(pm_engine_desc){.piece_bytes = 20000});
}

/* So many joints that plain C starts the threads. */
TEST_ON_BOTH(host_threads_do_not_affect_the_bits) {
    const size_t joints = small_sizes() ? 11 : 250;
    expect_engine_of(state, joints, PM_CROWD_POSE_COUNT, &(pm_engine_desc){.host_threads = 1});
    expect_engine_of(state, joints, PM_CROWD_POSE_COUNT, &(pm_engine_desc){.host_threads = 3});
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 2 };

typedef struct worker {
    pm_crowd *crowd;
    const pm_crowd_instance *instances;
    const float *expected;
    float *records;
    size_t bytes, rounds, failed, differing;
} worker;

/* cmocka's assertions belong to the main thread, so a worker only counts. */
static void *pose_often(void *argument) {
    worker *w = argument;
    for (size_t round = 0; round < w->rounds; round++) {
        pm_crowd_job job =
            CROWD_JOB(w->instances, MAX, .output = PM_CROWD_PALETTE, .memory = w->records);
        memset(w->records, 0xFF, w->bytes);
        w->failed += pm_crowd_pose(w->crowd, &job, NULL) != PM_OK;
        w->differing += memcmp(w->records, w->expected, w->bytes) != 0;
    }
    return NULL;
}

TEST_ON_BOTH(threads_may_share_a_crowd) {
    if (is_on_oclgrind(state))
        skip();
    SCOPED(scene_free) scene s;
    worker workers[THREADS];
    pthread_t threads[THREADS];
    pm_crowd_instance instances[THREADS][MAX];
    float *expected[THREADS];
    random_source source = random_salted(0xD80);
    scene_make(engine_for(state), &(scene_options){.salt = 0xD80}, &s);
    const size_t bytes = scene_floats(&s, PM_CROWD_PALETTE, MAX) * sizeof(float);
    for (size_t n = 0; n < THREADS; n++) {
        for (size_t i = 0; i < MAX; i++)
            instances[n][i] = scene_instance(&source, &s);
        expected[n] = scene_pose(&s, PM_CROWD_PALETTE, instances[n], MAX, true);
        workers[n] = (worker){.crowd = s.crowd,
                              .instances = instances[n],
                              .expected = expected[n],
                              .records = test_array(bytes, 1),
                              .bytes = bytes,
                              .rounds = small_sizes() ? 3 : 60};
    }
    for (size_t n = 0; n < THREADS; n++)
        assert_int_equal(pthread_create(&threads[n], NULL, pose_often, &workers[n]), 0);
    for (size_t n = 0; n < THREADS; n++)
        assert_int_equal(pthread_join(threads[n], NULL), 0);
    for (size_t n = 0; n < THREADS; n++) {
        assert_int_equal(workers[n].failed, 0);
        assert_int_equal(workers[n].differing, 0);
        free(workers[n].records);
        guarded_free(expected[n]);
    }
}

TEST_GROUP_OF_CROWDS(NULL, engines_close)
