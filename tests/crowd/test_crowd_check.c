/* SPDX-License-Identifier: MIT
 *
 * Every invalid description of a crowd or a job is refused with a message that names the cause. A
 * refusal leaves the caller's handle unchanged and the crowd usable.
 */
#include "base/counts.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 3, KEYS = 4, CLIPS = 3 };

/* A valid crowd; each test makes one part of it invalid. */
static struct {
    double rotations[KEYS][JOINTS][4];
    float positions[KEYS][JOINTS][3];
    float scales[KEYS][JOINTS][3];
    pm_timeline timelines[CLIPS];
    double times[KEYS];
    pm_clip_desc clips[CLIPS];
    pm_skeleton *skeleton;
    pm_crowd_desc desc;
} c;

/* Bytes of an instance's records. */
static size_t width_of(pm_crowd_output output) {
    return (output == PM_CROWD_BOUNDS ? 1 : JOINTS) * pm_crowd_record_bytes(output);
}

static const int32_t parents[JOINTS] = {-1, 0, 1};

static pm_skeleton *make_skeleton(const pm_skeleton_desc *desc) {
    pm_skeleton *skeleton = NULL;
    expect_success(pm_skeleton_create(desc, &skeleton, new_error()));
    return skeleton;
}

FIXTURE(make_valid) {
    memset(&c, 0, sizeof c);
    for (size_t key = 0; key < KEYS; key++)
        for (size_t joint = 0; joint < JOINTS; joint++) {
            c.rotations[key][joint][3] = 1;
            c.scales[key][joint][0] = c.scales[key][joint][1] = c.scales[key][joint][2] = 1;
        }
    for (size_t n = 0; n < CLIPS; n++) {
        c.timelines[n] = (pm_timeline){.key_count = KEYS - n, .rate = {30, 1}};
        c.clips[n] = (pm_clip_desc){.track_count = JOINTS,
                                    .timelines = &c.timelines[n],
                                    .rotations = {.data = c.rotations, .type = PM_FLOAT64},
                                    .positions = {.data = c.positions, .type = PM_FLOAT32},
                                    .scales = {.data = c.scales, .type = PM_FLOAT32}};
    }
    c.skeleton = make_skeleton(&(pm_skeleton_desc){.joint_count = JOINTS, .parents = parents});
    c.desc = (pm_crowd_desc){.skeleton = c.skeleton, .clips = c.clips, .clip_count = CLIPS};
    return 0;
}

FIXTURE(free_valid) {
    pm_skeleton_destroy(&c.skeleton);
    return 0;
}

static void check_accepted(void **state, const char *file, int line) {
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = NULL;
    check_ok(pm_crowd_create(engine_for(state), &c.desc, &crowd, new_error()), last_error(), file,
             line);
}

/* `clip` is the clip that the message must name, or NULL. */
static void check_refused(void **state, pm_status expected, const char *words, const char *clip,
                          const char *file, int line) {
    pm_crowd *const untouched = (pm_crowd *)(void *)&c;
    pm_crowd *crowd = untouched;
    const pm_status status = pm_crowd_create(engine_for(state), &c.desc, &crowd, new_error());
    check_refusal(status, last_error(), expected, words, file, line);
    if (clip)
        check_refusal(status, last_error(), expected, clip, file, line);
    assert_ptr_equal(crowd, untouched);
    assert_int_equal(pm_crowd_create(engine_for(state), &c.desc, &crowd, NULL), expected);
}

#define expect_accepted() check_accepted(state, __FILE__, __LINE__)
#define expect_refused(words)                                                                      \
    check_refused(state, PM_ERROR_ARGUMENT, (words), NULL, __FILE__, __LINE__)
#define expect_clip_refused(status, words, clip)                                                   \
    check_refused(state, (status), (words), (clip), __FILE__, __LINE__)

/* ---- crowds ------------------------------------------------------------------------------- */

#define CHECK(test) TEST_ON_BOTH_WITH(test, make_valid, free_valid)

CHECK(no_clips_are_refused) {
    c.desc.clip_count = 0;
    expect_refused("number of clips");
}

CHECK(a_track_count_other_than_the_joint_count_is_refused) {
    c.clips[1].track_count = JOINTS - 1;
    expect_clip_refused(PM_ERROR_ARGUMENT, "number of tracks", "clips[1]");
    c.clips[1].track_count = JOINTS;
    c.clips[0].track_count = JOINTS - 1;
    expect_clip_refused(PM_ERROR_ARGUMENT, "number of tracks", "clips[0]");
}

/* Threads check clips: of several that are invalid, the first is reported. */
CHECK(the_first_of_several_invalid_clips_is_reported) {
    enum { MANY = 500 };
    static pm_clip_desc many[MANY];
    for (size_t n = 0; n < MANY; n++)
        many[n] = c.clips[n % CLIPS];
    c.desc.clips = many;
    c.desc.clip_count = MANY;
    expect_accepted();
    many[499].track_count = many[250].track_count = JOINTS - 1;
    expect_clip_refused(PM_ERROR_ARGUMENT, "number of tracks", "clips[250]");
    many[61].method = PM_METHOD_NLERP;
    expect_clip_refused(PM_ERROR_ARGUMENT, "method", "clips[61]");
    many[0].rotations.data = NULL;
    expect_clip_refused(PM_ERROR_ARGUMENT, "rotations", "clips[0]");
}

CHECK(what_is_invalid_in_a_clip_alone_is_reported_with_its_number) {
    pm_crowd *crowd = NULL;
    c.timelines[2].rate = (pm_rational){-1, 1};
    expect_clip_refused(PM_ERROR_TIME, "rate", "clips[2]");
    c.timelines[2].rate = (pm_rational){30, 1};
    c.rotations[3][1][2] = (double)NAN; /* the last key of the first clip; the other clips have
                                         * fewer keys */
    expect_clip_refused(PM_ERROR_KEY, "rotation", "clips[0]");
    assert_int_equal(pm_crowd_create(engine_for(state), &c.desc, &crowd, new_error()),
                     PM_ERROR_KEY);
    expect_error_at(last_error(), 1, 3);
}

CHECK(clips_of_different_methods_and_key_formats_are_refused) {
    c.clips[1].vector_method = PM_VECTOR_LINEAR; /* the default of slerp */
    expect_accepted();
    c.clips[1].vector_method = PM_VECTOR_CATMULL_ROM;
    expect_clip_refused(PM_ERROR_ARGUMENT, "vector_method", "clips[1]");
    c.clips[1] = c.clips[0];
    c.clips[1].key_format = PM_KEYS_LOG48;
    expect_clip_refused(PM_ERROR_ARGUMENT, "key_format", "clips[1]");
    c.clips[1] = c.clips[0];
    c.clips[2].method = PM_METHOD_NLERP;
    expect_clip_refused(PM_ERROR_ARGUMENT, "method", "clips[2]");
}

CHECK(positions_in_only_some_clips_are_refused) {
    c.clips[2].positions.data = NULL;
    expect_clip_refused(PM_ERROR_ARGUMENT, "positions", "clips[2]");
    c.clips[0].positions.data = NULL;
    expect_clip_refused(PM_ERROR_ARGUMENT, "positions", "clips[1]");
    c.clips[1].positions.data = NULL;
    expect_accepted();
}

CHECK(positions_of_the_root_alone_in_only_some_clips_are_refused) {
    c.clips[1].root_positions = true;
    expect_clip_refused(PM_ERROR_ARGUMENT, "root_positions", "clips[1]");
    c.clips[0].root_positions = c.clips[2].root_positions = true;
    expect_accepted();
    for (size_t n = 0; n < CLIPS; n++) /* without positions there is nothing to leave out */
        c.clips[n].positions.data = NULL;
    expect_accepted();
}

/* Of those of the root alone, one number after another is refused, and one behind them is not read. */
CHECK(positions_of_the_root_alone_are_checked) {
    float places[KEYS + 1][3] = {{0}};
    for (size_t n = 0; n < CLIPS; n++) {
        c.clips[n].root_positions = true;
        c.clips[n].positions = (pm_array){.data = places, .type = PM_FLOAT32};
    }
    places[KEYS][0] = NAN;
    expect_accepted();
    places[KEYS - 1][2] = NAN;
    expect_clip_refused(PM_ERROR_KEY, "positions", "clips[0]");
    for (size_t n = 0; n < CLIPS; n++)
        c.clips[n].positions.stride = 2;
    expect_clip_refused(PM_ERROR_ARGUMENT, "stride", "clips[0]");
}

CHECK(positions_of_the_root_alone_are_refused_without_a_crowd) {
    c.clips[0].root_positions = true;
    expect_error(pm_clip_check(&c.clips[0], new_error()), PM_ERROR_ARGUMENT, "root_positions");
    pm_clip *clip = NULL;
    expect_error(pm_clip_create(engine_for(state), &c.clips[0], &clip, new_error()),
                 PM_ERROR_ARGUMENT, "root_positions");
    assert_null(clip);
}

CHECK(scales_in_only_some_clips_are_refused) {
    c.clips[1].scales.data = NULL;
    expect_clip_refused(PM_ERROR_ARGUMENT, "scales", "clips[1]");
}

CHECK(a_clip_without_rotations_is_refused) {
    for (size_t n = 0; n < CLIPS; n++)
        c.clips[n].rotations.data = NULL;
    expect_clip_refused(PM_ERROR_ARGUMENT, "rotations", "clips[0]");
}

CHECK(a_clip_that_lasts_too_long_is_refused) {
    for (size_t key = 0; key < KEYS; key++)
        c.times[key] = 0x1p30 / 3 * (double)key;
    c.times[3] = 0x1p30;
    c.timelines[0] = (pm_timeline){.key_count = KEYS, .times = c.times};
    expect_accepted();
    c.times[3] = 0x1p30 * 1.001;
    expect_clip_refused(PM_ERROR_TIME, "long", "clips[0]");
    c.timelines[0] = (pm_timeline){.key_count = KEYS, .rate = {1, 1 << 29}};
    expect_clip_refused(PM_ERROR_TIME, "long", "clips[0]");
    c.timelines[0] = (pm_timeline){.key_count = KEYS, .rate = {30, 1}};
    c.clips[1].loop = 0x1p30;
    expect_accepted();
    c.clips[1].loop = 0x1p30 * 1.001;
    expect_clip_refused(PM_ERROR_TIME, "long", "clips[1]");
}

/* ---- valid crowds ----------------------------------------------------------------------------- */

static pm_crowd *made(void **state) {
    pm_crowd *crowd = NULL;
    expect_success(pm_crowd_create(engine_for(state), &c.desc, &crowd, new_error()));
    return crowd;
}

CHECK(the_info_of_a_crowd_is_that_of_its_description) {
    pm_crowd_info info;
    pm_crowd *crowd = made(state);
    pm_crowd_get_info(crowd, &info);
    assert_int_equal(info.joint_count, JOINTS);
    assert_int_equal(info.clip_count, CLIPS);
    assert_true(info.has_positions && info.has_scales);
    assert_true(info.device_bytes > (KEYS + KEYS - 1 + KEYS - 2) * JOINTS * 40);
    pm_crowd_destroy(&crowd);
    for (size_t n = 0; n < CLIPS; n++)
        c.clips[n].scales.data = NULL;
    crowd = made(state);
    pm_crowd_get_info(crowd, &info);
    assert_true(info.has_positions && !info.has_scales);
    pm_crowd_destroy(&crowd);
    assert_null(crowd);
}

static size_t up_to(size_t n, size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/* A timeline has at least two keys in memory, and one more where a loop leads back from the last. */
static size_t stored_keys(const pm_timeline *timeline, const pm_clip_desc *clip) {
    const double span =
        (double)(timeline->key_count - 1) * (double)timeline->rate.den / (double)timeline->rate.num;
    const bool leads_back = clip->loop > 0 && clip->loop > 1.0001 * span;
    const size_t keys = timeline->key_count + leads_back;
    return keys > 2 ? keys : 2;
}

/* Keys of a clip: those of all joints, or of each joint's own timeline; `more` of each joint. */
static size_t keys_of(const scene *s, const pm_clip_desc *clip, size_t more) {
    size_t keys = 0;
    if (clip->timeline_count <= 1)
        return s->joints * (stored_keys(clip->timelines, clip) + more);
    for (size_t j = 0; j < s->joints; j++)
        keys += stored_keys(&clip->timelines[clip->timeline_of[j]], clip) + more;
    return keys;
}

static size_t segments_of(const pm_clip_desc *clip) {
    size_t segments = 0;
    for (size_t i = 0; i < clip->timeline_count || i == 0; i++)
        segments += stored_keys(&clip->timelines[i], clip) - 1;
    return segments;
}

/* Of joint 0, the root. */
static size_t root_keys_of(const pm_clip_desc *clip) {
    return stored_keys(&clip->timelines[clip->timeline_of[0]], clip);
}

/* The formula of docs/crowds.md, with the bytes of a key in it. */
static size_t documented_bytes(const scene *s) {
    static const size_t of_vectors[PM_VECTOR_COUNT] = {
        [PM_VECTOR_STEP] = 16,         [PM_VECTOR_LINEAR] = 16,       [PM_VECTOR_CATMULL_ROM] = 48,
        [PM_VECTOR_PARABOLAS_C2] = 48, [PM_VECTOR_PARABOLAS_C3] = 48, [PM_VECTOR_SPLINE] = 48,
        [PM_VECTOR_CUBICSPLINE] = 48,  [PM_VECTOR_BSPLINE] = 80};
    const pm_clip_desc *first = &s->clips[0];
    size_t bytes = 176 * s->joints;
    bytes += first->key_format == PM_KEYS_FLOAT32 ? 256
             : first->key_format == PM_KEYS_LOG48 ? 98
                                                  : 96;
    bytes += first->positions.data ? 256 : 0;
    bytes += first->scales.data ? 256 : 0;
    for (size_t i = 0; i < s->clip_count; i++) {
        const pm_clip_desc *clip = &s->clips[i];
        const pm_method_info *method = pm_method_get_info(clip->method);
        const bool coded = clip->key_format != PM_KEYS_FLOAT32;
        const bool is_cubic = clip->method == PM_METHOD_CUBIC;
        const size_t keys = keys_of(s, clip, is_cubic ? 2 : 0);
        const size_t bytes_of_key = of_vectors[method->vector_method];
        const size_t vectors = up_to(keys_of(s, clip, 0) * bytes_of_key, 64);
        const size_t of_root = up_to(root_keys_of(clip) * bytes_of_key, 64);
        if (!coded)
            bytes += up_to(keys * 4 * method->floats_per_segment, 64);
        else
            bytes += up_to(keys, 16) * (clip->key_format == PM_KEYS_LOG48 ? 98 : 96) / 16;
        bytes += !clip->positions.data ? 0 : clip->root_positions ? of_root : vectors;
        bytes += clip->scales.data ? vectors : 0;
        bytes += clip->method == PM_METHOD_STERP ? 32 * s->joints : 0;
        bytes += is_cubic ? 8 * segments_of(clip) : 0;
    }
    return bytes;
}

TEST_ON_REFERENCE(the_memory_of_clips_is_that_of_the_guide) {
    for (size_t n = 0; n < variant_count() + 2; n++) {
        SCOPED(scene_free) scene s;
        pm_crowd_info info;
        scene_options options = {
            .salt = 0xA70 + n, .joints = 1 + 13 * (n % 5), .without_positions = n % 3 == 0};
        options.scales = n % 4 == 0;
        options.root_positions = n % 3 == 1;
        const bool uniform =
            n >= variant_count() || pm_method_get_info(variant_at(n)->method)->needs_uniform_keys;
        if (n % 5 == 2 && !uniform)
            options.times = SCENE_PER_JOINT_UNEVEN;
        options.looped = n % 7 < 3 && options.times == SCENE_UNIFORM;
        if (n < variant_count())
            options.curve = variant_at(n);
        else
            options.key_format = n % 2 ? PM_KEYS_LOG48 : PM_KEYS_SMALLEST48;
        scene_make(engine_for(state), &options, &s);
        pm_crowd_get_info(s.crowd, &info);
        assert_int_equal(info.device_bytes, documented_bytes(&s));
    }
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static const pm_crowd_instance two[2];

static void check_job(pm_crowd *crowd, const pm_crowd_job *job, pm_status expected,
                      const char *words, const char *file, int line) {
    check_refusal(pm_crowd_pose(crowd, job, new_error()), last_error(), expected, words, file,
                  line);
    assert_int_equal(pm_crowd_pose(crowd, job, NULL), expected);
}

#define expect_job_refused(job, words)                                                             \
    check_job(crowd, (job), PM_ERROR_ARGUMENT, (words), __FILE__, __LINE__)

CHECK(jobs_without_outputs_are_refused) {
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = made(state);
    pm_crowd_job job = {.instances = two, .instance_count = 2, .output_count = 1};
    job.outputs = &(pm_crowd_target){.output = PM_CROWD_PALETTE, .memory = NULL};
    expect_job_refused(&job, "memory");
    job.outputs = NULL;
    expect_job_refused(&job, "outputs");
}

/* A target of a job that is otherwise valid. */
static void check_target(pm_crowd *crowd, const pm_crowd_target *target, bool by_host,
                         const char *words, const char *file, int line) {
    pm_crowd_job job = CROWD_JOB(two, 2, .output = target->output);
    job.outputs = target;
    job.on_reference = by_host;
    check_job(crowd, &job, PM_ERROR_ARGUMENT, words, file, line);
}

#define expect_target_refused(where, step, before, words)                                          \
    check_target(crowd,                                                                            \
                 &(pm_crowd_target){                                                               \
                     .output = output, .memory = (where), .stride = (step), .previous = (before)}, \
                 by_host, (words), __FILE__, __LINE__)

CHECK(strides_shorter_than_an_instance_are_refused) {
    float out[2 * JOINTS * 12];
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = made(state);
    for (pm_crowd_output output = 0; output < PM_CROWD_POSE_COUNT; output++) {
        for (unsigned by_host = 0; by_host < 2; by_host++) {
            expect_target_refused(out, width_of(output) - 4, NULL, "stride");
            expect_target_refused(out, 1, NULL, "stride");
        }
    }
}

/* Space for a stride that is too long, and for addresses that are a few bytes off. */
enum { ROOM = 2 * JOINTS * 48 + 64 };

/* Records consist of floats: memory, strides and copies are multiples of 4 bytes. */
CHECK(memory_that_is_not_aligned_to_floats_is_refused) {
    static float out[ROOM / sizeof(float)], before[ROOM / sizeof(float)];
    random_source source = random_salted(0xC81);
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = made(state);
    for (size_t round = 0; round < 40; round++) {
        const bool by_host = round % 2;
        const pm_crowd_output output = random_bits(&source) % PM_CROWD_POSE_COUNT;
        const size_t off = 1 + random_bits(&source) % 3 + 4 * (random_bits(&source) % 5);
        expect_target_refused((char *)out + off, 0, NULL, "memory");
        expect_target_refused(out, width_of(output) + off, NULL, "stride");
        expect_target_refused(out, 0, (char *)before + off, "previous");
    }
}

CHECK(memory_that_is_also_previous_is_refused) {
    static float out[ROOM / sizeof(float)];
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = made(state);
    for (pm_crowd_output output = 0; output < PM_CROWD_POSE_COUNT; output++)
        for (unsigned by_host = 0; by_host < 2; by_host++)
            expect_target_refused(out, 0, out, "previous");
}

CHECK(records_larger_than_the_address_space_are_refused) {
    float out[JOINTS * 12];
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = made(state);
    const pm_crowd_job jobs[] = {
        CROWD_JOB(two, SIZE_MAX / 64, .output = PM_CROWD_PALETTE, .memory = out),
        CROWD_JOB(two, 3, .output = PM_CROWD_PALETTE, .memory = out, .stride = SIZE_MAX / 2 + 1)};
    for (size_t n = 0; n < COUNT_OF(jobs); n++)
        check_job(crowd, &jobs[n], PM_ERROR_SIZE, "PM_CROWD_PALETTE|bytes", __FILE__, __LINE__);
}

/* ---- dual quaternions ----------------------------------------------------------------------- */

/* Makes the crowd with a skeleton whose last joint has this inverse bind matrix. */
static pm_crowd *made_with_bind(void **state, const float bind[12], const float scale[3]) {
    float binds[JOINTS][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                               {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    float scales[JOINTS][3] = {{1, 1, 1}, {1, 1, 1}};
    memcpy(binds[JOINTS - 1], bind, sizeof binds[0]);
    memcpy(scales[JOINTS - 1], scale, sizeof scales[0]);
    pm_skeleton_destroy(&c.skeleton);
    c.skeleton =
        make_skeleton(&(pm_skeleton_desc){.joint_count = JOINTS,
                                          .parents = parents,
                                          .scales = {.data = scales, .type = PM_FLOAT32},
                                          .inverse_binds = {.data = binds, .type = PM_FLOAT32}});
    c.desc.skeleton = c.skeleton;
    return made(state);
}

static void check_dual(void **state, bool rigid, const float scale[3], const float bind[12],
                       const char *file, int line) {
    float out[2 * JOINTS * 12];
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = made_with_bind(state, bind, scale);
    pm_crowd_job job = CROWD_JOB(two, 2, .output = PM_CROWD_PALETTE, .memory = out);
    check_ok(pm_crowd_pose(crowd, &job, new_error()), last_error(), file, line);
    job.outputs = &(pm_crowd_target){.output = PM_CROWD_DUAL, .memory = out};
    if (rigid) {
        check_ok(pm_crowd_pose(crowd, &job, new_error()), last_error(), file, line);
        check_ok(pm_crowd_pose_one(crowd, &(pm_crowd_one){.instance = two, .output = PM_CROWD_DUAL},
                                   out, new_error()),
                 last_error(), file, line);
    } else {
        check_job(crowd, &job, PM_ERROR_ARGUMENT, "rigid", file, line);
        check_refusal(pm_crowd_pose_one(crowd,
                                        &(pm_crowd_one){.instance = two, .output = PM_CROWD_DUAL},
                                        out, new_error()),
                      last_error(), PM_ERROR_ARGUMENT, "rigid", file, line);
        assert_int_equal(last_error()->joint, JOINTS - 1);
    }
}

#define expect_scaled_dual(rigid, x, y, z, ...)                                                    \
    check_dual(state, (rigid), (const float[3]){(x), (y), (z)}, (const float[12])__VA_ARGS__,      \
               __FILE__, __LINE__)
#define expect_dual(rigid, ...) expect_scaled_dual(rigid, 1, 1, 1, __VA_ARGS__)

CHECK(dual_quaternions_require_rigid_inverse_binds) {
    expect_dual(true, {0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, -1e5f});
    expect_dual(true, {1.0004f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    expect_dual(false, {1.002f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    expect_dual(false, {1, 0.003f, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}); /* a shear */
    expect_dual(false, {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});     /* a mirror */
    expect_dual(false, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

/* A palette whose scale in the rest pose is not 1 is no rigid motion. */
CHECK(dual_quaternions_require_inverse_binds_that_undo_the_scales_of_the_rest_pose) {
    expect_scaled_dual(true, 0.01f, 0.01f, 0.01f, {100, 0, 0, 7, 0, 100, 0, 0, 0, 0, 100, 0});
    expect_scaled_dual(false, 0.01f, 0.01f, 0.01f, {1, 0, 0, 7, 0, 1, 0, 0, 0, 0, 1, 0});
    expect_scaled_dual(false, 1, 2, 1, {1, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 1, 0});
    expect_scaled_dual(false, 1, -1, 1, {1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0});
}

/* ---- after a refusal ---------------------------------------------------------------------------- */

CHECK(a_crowd_poses_after_a_refused_job) {
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = made(state);
    SCOPED(guarded_free_at) float *out = guarded_floats(2 * JOINTS * 12);
    const pm_crowd_job bad =
        CROWD_JOB(two, 2, .output = PM_CROWD_PALETTE, .memory = out, .stride = 1);
    const pm_crowd_job good = CROWD_JOB(two, 2, .output = PM_CROWD_PALETTE, .memory = out);
    expect_job_refused(&bad, "stride");
    for (size_t i = 0; i < 2 * JOINTS * 12; i++)
        assert_true(is_poison(out[i]));
    expect_success(pm_crowd_pose(crowd, &good, new_error()));
    for (size_t i = 0; i < 2 * JOINTS * 12; i++)
        assert_false(is_poison(out[i]));
    expect_guards(out, 2 * JOINTS * 12);
}

TEST_GROUP(NULL, engines_close)
