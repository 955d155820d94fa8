/* SPDX-License-Identifier: MIT
 *
 * Jobs of crowds. Outputs: several at once, records with a stride, copies of the records of the
 * frame before, and instances that are not updated in a frame, whose records stay unchanged.
 * Instances: fields out of range are posed by the header's rules, and pm_crowd_check_instances
 * reports them.
 */
#include "base/counts.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 53, EVERY = 3 };

static void pose(const scene *s, const pm_crowd_job *job) {
    expect_success(pm_crowd_pose(s->crowd, job, new_error()));
}

TEST(records_have_the_bytes_of_the_header) {
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_PALETTE), 48);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_PALETTE_HALF), 24);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_DUAL), 32);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_MODEL), 48);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_LOCAL), 48);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_OUTPUT_COUNT), 0);
    assert_int_equal(pm_crowd_record_bytes((pm_crowd_output)-1), 0);
    assert_int_equal(sizeof(pm_crowd_instance), 32);
}

TEST_ON_BOTH(a_job_without_instances_writes_nothing) {
    SCOPED(scene_free) scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xA01}, &s);
    SCOPED(guarded_free_at) float *memory = guarded_floats(12);
    pm_crowd_job job = CROWD_JOB(NULL, 0, .output = PM_CROWD_PALETTE, .memory = memory);
    pose(&s, &job);
    pose(&s, &(pm_crowd_job){0});
    pose(&s, &(pm_crowd_job){.on_reference = true});
    for (size_t i = 0; i < 12; i++)
        assert_true(is_poison(memory[i]));
}

TEST_ON_BOTH(several_outputs_in_one_job_equal_each_output_alone) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT];
    float *together[PM_CROWD_POSE_COUNT];
    scene_make(engine_for(state), &(scene_options){.salt = 0xA03, .scales = true}, &s);
    scene_instances(&s, 0xA03, COUNT, instances);
    for (unsigned wanted = 1; wanted < 1u << PM_CROWD_POSE_COUNT; wanted += 6) {
        pm_crowd_target targets[PM_CROWD_POSE_COUNT];
        pm_crowd_job job = {.instances = instances, .instance_count = COUNT, .outputs = targets};
        for (pm_crowd_output output = 0; output < PM_CROWD_POSE_COUNT; output++) {
            together[output] = guarded_floats(scene_floats(&s, output, COUNT));
            if (wanted >> output & 1)
                targets[job.output_count++] =
                    (pm_crowd_target){.output = output, .memory = together[output]};
        }
        pose(&s, &job);
        for (pm_crowd_output output = 0; output < PM_CROWD_POSE_COUNT; output++) {
            const size_t floats = scene_floats(&s, output, COUNT);
            SCOPED(guarded_free_at)
            float *alone = scene_pose(&s, output, instances, COUNT, false);
            if (wanted >> output & 1)
                expect_same_bits(together[output], alone, floats, floats / COUNT);
            else
                for (size_t i = 0; i < floats; i++)
                    assert_true(is_poison(together[output][i]));
            guarded_free(together[output]);
        }
        if (small_sizes())
            break;
    }
}

/* Rows of `stride` floats: their records equal those of contiguous rows, and the floats between
 * them are unchanged. */
static void expect_rows(const scene *s, pm_crowd_output output, const float *rows, size_t stride,
                        const float *tight) {
    const size_t width = scene_floats(s, output, 1);
    for (size_t i = 0; i < COUNT; i++) {
        expect_same_bits(rows + i * stride, tight + i * width, width, width);
        for (size_t k = width; k < stride && i + 1 < COUNT; k++)
            if (!is_poison(rows[i * stride + k]))
                fail_msg("float %zu after the records of instance %zu was written", k - width, i);
    }
}

TEST_ON_BOTH(records_may_have_a_stride_and_nothing_between_them_is_written) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT];
    scene_make(engine_for(state), &(scene_options){.salt = 0xA04, .joints = 7}, &s);
    scene_instances(&s, 0xA04, COUNT, instances);
    for (pm_crowd_output output = 0; output < PM_CROWD_POSE_COUNT; output++) {
        static const size_t gaps[] = {0, 1, 4, 31};
        const size_t width = scene_floats(&s, output, 1);
        SCOPED(guarded_free_at) float *tight = scene_pose(&s, output, instances, COUNT, false);
        for (size_t g = 0; g < 4; g++) {
            const size_t stride = width + gaps[g], floats = (COUNT - 1) * stride + width;
            SCOPED(guarded_free_at) float *rows = guarded_floats(floats);
            pm_crowd_job job = CROWD_JOB(instances, COUNT, .output = output, .memory = rows,
                                         .stride = stride * sizeof(float));
            pose(&s, &job);
            expect_rows(&s, output, rows, stride, tight);
        }
    }
}

/* ---- previous records ------------------------------------------------------------------------- */

static void expect_previous(const scene *s, pm_crowd_output output, size_t gap) {
    pm_crowd_instance first[COUNT], second[COUNT];
    scene_instances(s, 0xA05, COUNT, first);
    scene_instances(s, 0xA06, COUNT, second);
    const size_t width = scene_floats(s, output, 1), stride = width + gap;
    const size_t floats = (COUNT - 1) * stride + width;
    SCOPED(guarded_free_at)
    float *rows = guarded_floats(floats), *previous = guarded_floats(floats);
    SCOPED(guarded_free_at) float *one = scene_pose(s, output, first, COUNT, false);
    SCOPED(guarded_free_at) float *two = scene_pose(s, output, second, COUNT, false);
    pm_crowd_job job =
        CROWD_JOB(first, COUNT, .output = output, .memory = rows, .stride = stride * sizeof(float));
    pose(s, &job);
    job = (pm_crowd_job)CROWD_JOB(second, COUNT, .output = output, .memory = rows,
                                  .stride = stride * sizeof(float), .previous = previous);
    pose(s, &job);
    for (size_t i = 0; i < COUNT; i++) {
        expect_same_bits(previous + i * stride, one + i * width, width, width);
        expect_same_bits(rows + i * stride, two + i * width, width, width);
    }
}

TEST_ON_BOTH(the_content_of_the_memory_is_copied_first) {
    SCOPED(scene_free) scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xA05}, &s);
    for (pm_crowd_output output = 0; output < PM_CROWD_POSE_COUNT; output++) {
        expect_previous(&s, output, 0);
        expect_previous(&s, output, 5);
    }
}

/* ---- update intervals -------------------------------------------------------------------------- */

/* Level 0 is updated each frame, level 1 every third, level 2 every fifth. */
static void make_intervals(pm_engine *engine, scene *s) {
    scene_make(engine, &(scene_options){.salt = 0xA07, .joints = 6}, s);
    scene_undo(s);
    s->levels[1].update_every = EVERY;
    s->levels[2].update_every = 5;
    scene_finish(engine, s);
}

static bool is_updated(const pm_crowd_instance *instance, size_t i, uint64_t frame) {
    static const uint64_t every[] = {1, EVERY, 5};
    return (frame + i / 16) % every[instance->level] == 0;
}

/* All instances posed one by one, which ignores update intervals. */
static float *all_posed(const scene *s, const pm_crowd_instance *instances,
                        pm_crowd_output output) {
    const size_t width = scene_floats(s, output, 1);
    float *records = guarded_floats(COUNT * width);
    for (size_t i = 0; i < COUNT; i++)
        expect_success(pm_crowd_pose_one(
            s->crowd, &(pm_crowd_one){.instance = &instances[i], .output = output},
            records + i * width, new_error()));
    return records;
}

static void expect_frame(const scene *s, const pm_crowd_instance *instances, uint64_t frame,
                         pm_crowd_output output, bool reference) {
    const size_t width = scene_floats(s, output, 1), floats = COUNT * width;
    SCOPED(guarded_free_at) float *all = all_posed(s, instances, output);
    SCOPED(guarded_free_at) float *kept = guarded_floats(floats), *before = guarded_floats(floats);
    pm_crowd_job job =
        CROWD_JOB(instances, COUNT, .output = output, .memory = kept, .previous = before);
    job.frame = frame;
    job.on_reference = reference;
    for (size_t i = 0; i < floats; i++)
        kept[i] = (float)i;
    pose(s, &job);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = i * width; k < (i + 1) * width; k++) {
            const float wanted = is_updated(&instances[i], i, frame) ? all[k] : (float)k;
            if (memcmp(&kept[k], &wanted, sizeof wanted) != 0)
                fail_msg("frame %u, instance %zu of level %u is %s", (unsigned)frame, i,
                         instances[i].level,
                         is_updated(&instances[i], i, frame) ? "not posed" : "not kept");
            assert_true(before[k] == (float)k);
        }
}

/* In the last frames all instances have one level: whole groups are not updated. */
TEST_ON_BOTH(instances_that_are_not_updated_keep_the_content_of_the_outputs) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT];
    make_intervals(engine_for(state), &s);
    scene_instances(&s, 0xA07, COUNT, instances);
    for (uint64_t frame = 0; frame < (small_sizes() ? 3 : 16); frame++)
        expect_frame(&s, instances, frame, frame % PM_CROWD_POSE_COUNT, false);
    expect_frame(&s, instances, UINT64_MAX - 2, PM_CROWD_PALETTE, false);
    expect_frame(&s, instances, 4, PM_CROWD_PALETTE, true);
    for (size_t i = 0; i < COUNT; i++)
        instances[i].level = 1;
    for (uint64_t frame = 0; frame < EVERY + 1; frame++)
        expect_frame(&s, instances, frame, PM_CROWD_PALETTE, false);
}

TEST_ON_BOTH(levels_out_of_range_have_the_update_interval_of_the_last_level) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT], beyond[COUNT];
    make_intervals(engine_for(state), &s);
    scene_instances(&s, 0xA09, COUNT, instances);
    for (size_t i = 0; i < COUNT; i++) {
        instances[i].level = 2;
        beyond[i] = instances[i];
        beyond[i].level = (uint8_t)(3 + i * 4);
    }
    const size_t floats = scene_floats(&s, PM_CROWD_PALETTE, COUNT);
    SCOPED(guarded_free_at) float *a = guarded_floats(floats), *b = guarded_floats(floats);
    for (uint64_t frame = 0; frame < 5; frame++) {
        pm_crowd_job job = CROWD_JOB(instances, COUNT, .output = PM_CROWD_PALETTE, .memory = a);
        pm_crowd_job other = CROWD_JOB(beyond, COUNT, .output = PM_CROWD_PALETTE, .memory = b);
        job.frame = other.frame = frame;
        pose(&s, &job);
        pose(&s, &other);
        expect_same_bits(a, b, floats, 12);
    }
    for (size_t i = 0; i < floats; i++)
        assert_false(is_poison(a[i]));
}

/* ---- fields out of range ---- */

enum { MAX = 150, GROUP = 15 };

/* To [0, period), in integers wide enough for any time. */
static int64_t wrapped(int64_t time, int64_t period) {
    const int64_t rest = time % period;
    return rest < 0 ? rest + period : rest;
}

static int64_t clamped(int64_t time, int64_t period) {
    return time < 0 ? 0 : time < period ? time : period;
}

/* The same instance with all fields in range. */
static pm_crowd_instance corrected(const scene *s, pm_crowd_instance n) {
    const bool clamps_a = n.flags & PM_CROWD_CLAMP_A, clamps_b = n.flags & PM_CROWD_CLAMP_B;
    const int64_t a = pm_crowd_clip_ticks(s->crowd, n.clip_a);
    const int64_t b = pm_crowd_clip_ticks(s->crowd, n.clip_b);
    n.weight = isnan(n.weight) || n.weight < 0 ? 0 : n.weight > 1 ? 1 : n.weight;
    if (n.clip_b >= s->clip_count) {
        n.weight = 0;
        n.clip_b = 0;
    } else
        n.time_b = clamps_b ? clamped(n.time_b, b) : wrapped(n.time_b, b);
    if (n.clip_a < s->clip_count)
        n.time_a = clamps_a ? clamped(n.time_a, a) : wrapped(n.time_a, a);
    n.mask = n.mask > SCENE_MASKS ? 0 : n.mask;
    n.level = n.level >= SCENE_LEVELS ? SCENE_LEVELS - 1 : n.level;
    n.flags &= 15;
    return n;
}

static void expect_corrected(void **state, const scene_options *options) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance given[MAX], in_range[MAX];
    random_source source = random_salted(options->salt);
    scene_make(engine_for(state), options, &s);
    const size_t count = small_sizes() ? GROUP : MAX;
    for (size_t i = 0; i < count; i++) {
        given[i] = scene_bad_instance(&source, &s);
        in_range[i] = corrected(&s, given[i]);
    }
    const size_t floats = scene_floats(&s, PM_CROWD_PALETTE, count);
    SCOPED(guarded_free_at) float *a = scene_pose(&s, PM_CROWD_PALETTE, given, count, false);
    SCOPED(guarded_free_at) float *b = scene_pose(&s, PM_CROWD_PALETTE, in_range, count, false);
    expect_same_bits(a, b, floats, s.joints * 12);
    scene_expect(&s, PM_CROWD_PALETTE, a, given, count, "any 32 bytes");
}

TEST_ON_BOTH(instances_of_any_bytes_are_posed_by_the_rules) {
    expect_corrected(state, &(scene_options){.salt = 0xE01, .scales = true, .rest_scales = true});
    expect_corrected(state, &(scene_options){.salt = 0xE02, .times = SCENE_LISTED, .looped = true});
    expect_corrected(
        state, &(scene_options){.salt = 0xE03, .times = SCENE_PER_JOINT_UNEVEN, .looped = true});
}

/* All bits are random: the matrices must be finite nevertheless. */
TEST_ON_BOTH(random_bytes_give_finite_matrices) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    random_source source = random_salted(0xE04);
    scene_make(engine_for(state), &(scene_options){.salt = 0xE04, .scales = true}, &s);
    for (size_t i = 0; i < MAX; i++)
        for (size_t word = 0; word < sizeof instances[i] / 8; word++) {
            const uint64_t bits = random_bits(&source);
            memcpy((char *)&instances[i] + 8 * word, &bits, 8);
        }
    const size_t floats = scene_floats(&s, PM_CROWD_PALETTE, MAX);
    SCOPED(guarded_free_at)
    float *records = scene_pose(&s, PM_CROWD_PALETTE, instances, MAX, false);
    for (size_t i = 0; i < floats; i++)
        assert_true(isfinite(records[i]));
}

/* ---- checks ------------------------------------------------------------------------------- */

static void expect_fault(const scene *s, pm_crowd_instance invalid, const char *words) {
    pm_crowd_instance instances[4] = {{0}};
    instances[2] = instances[3] = invalid;
    expect_error(pm_crowd_check_instances(s->crowd, instances, 4, new_error()), PM_ERROR_ARGUMENT,
                 words);
    expect_instance(last_error(), 2);
    assert_int_equal(pm_crowd_check_instances(s->crowd, instances, 4, NULL), PM_ERROR_ARGUMENT);
    expect_success(pm_crowd_check_instances(s->crowd, instances, 2, new_error()));
}

TEST_ON_BOTH(the_check_reports_the_first_instance_that_is_out_of_range) {
    SCOPED(scene_free) scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xE05}, &s);
    expect_fault(&s, (pm_crowd_instance){.clip_a = 3}, "clip_a");
    expect_fault(&s, (pm_crowd_instance){.clip_b = 3, .weight = 0.5f}, "clip_b");
    static const float weights[] = {-0.001f, 1.001f, NAN, INFINITY};
    for (size_t n = 0; n < COUNT_OF(weights); n++)
        expect_fault(&s, (pm_crowd_instance){.weight = weights[n]}, "weight");
    expect_fault(&s, (pm_crowd_instance){.mask = SCENE_MASKS + 1}, "mask");
    expect_fault(&s, (pm_crowd_instance){.level = SCENE_LEVELS}, "level");
    expect_fault(&s, (pm_crowd_instance){.flags = 16}, "flags");
    expect_fault(&s, (pm_crowd_instance){.flags = 128}, "flags");
}

TEST_ON_BOTH(the_check_accepts_every_value_in_range_at_any_time) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    scene_make(engine_for(state), &(scene_options){.salt = 0xE06}, &s);
    scene_instances(&s, 0xE06, MAX, instances);
    instances[0].time_a = INT64_MIN;
    instances[1].time_b = INT64_MAX;
    expect_success(pm_crowd_check_instances(s.crowd, instances, MAX, new_error()));
    expect_success(pm_crowd_check_instances(s.crowd, instances, 0, new_error()));
}

TEST_GROUP_OF_CROWDS(NULL, engines_close)
