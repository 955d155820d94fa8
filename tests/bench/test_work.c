/* SPDX-License-Identifier: MIT
 *
 * Tests of what the bench says that a case moves and computes: its tables against the operations of the
 * kernels' formulas, counted, and jobs against rules written for each.
 */
#include "base/counts.h"
#include "bench/count_operations.h"
#include "cases/work.h"
#include "clip/clip.h"
#include "support/test.h"

#include <string.h>

/* The count of the curve that a method uses. */
static const operation_count *count_of(pm_method method) {
    const pm_clip_desc desc = {.method = method};
    return &count_curves()[pm_rotation_impl(&desc).curve];
}

TEST(the_table_of_curves_has_the_operations_of_the_kernels) {
    for (int m = 0; m < PM_METHOD_COUNT; m++) {
        const pm_method_info *info = pm_method_get_info((pm_method)m);
        const operation_count *count = count_of((pm_method)m);
        const curve_work work = work_of_curve((pm_method)m);
        if (work.segment != count->segment || work.basis != count->basis ||
            work.sample != count->sample)
            fail_msg(
                "%s takes %u operations a segment, %u a basis and %u a sample, not %u, %u and %u",
                info->name, count->segment, count->basis, count->sample, work.segment, work.basis,
                work.sample);
        assert_int_equal(work.constants, count->constants);
        assert_int_equal(info->interpolating, count->passes > 0);
        assert_int_equal(count->is_uncommon, 0);
    }
}

TEST(the_table_of_joints_has_the_operations_of_the_kernels) {
    const joint_count count = count_joint();
    const joint_work work = work_of_joint();
    assert_int_equal(work.mixed, count.mixed);
    assert_int_equal(work.added, count.added);
    assert_int_equal(work.matrix, count.matrix);
    assert_int_equal(work.product, count.product);
    assert_int_equal(work.rigid_product, count.rigid_product);
    assert_int_equal(work.dual, count.dual);
    assert_int_equal(work.halves, count.halves);
    assert_int_equal(work.spin, count.spin);
    assert_int_equal(work.slerp_spin, count.slerp_spin);
    assert_int_equal(work.body, count.body);
}

TEST(a_low_pass_has_the_operations_of_the_kernel) {
    assert_int_equal(work_of_weight(), count_weight());
}

/* ---- jobs ---------------------------------------------------------------------- */

enum { SAMPLES = 16384, TRACKS = SCENE_TRACKS, SEGMENTS = SAMPLES / 4 / TRACKS };

static case_work work_of(const scenes *s, bench_scene scene, pm_method method) {
    size_t values;
    return work_of_job(s, scene, method, scenes_job(s, scene, &values).sample_count);
}

static void expect(case_work work, uint64_t read, uint64_t written, uint64_t operations) {
    assert_int_equal(work.bytes_read, read);
    assert_int_equal(work.bytes_written, written);
    assert_int_equal(work.operations, operations);
}

static int open_scenes(void **state) {
    static scenes s;
    *state = &s;
    return scenes_create(&s, NULL, SAMPLES, TRACKS, true) == CLI_DONE ? 0 : 1;
}

static int close_scenes(void **state) {
    scenes_destroy(*state);
    return 0;
}

TEST(a_grid_reads_each_key_and_segment_once) {
    const scenes *s = *state;
    assert_int_equal(s->segments, SEGMENTS);
    const uint64_t keys = TRACKS * (SEGMENTS + 1) * 16, segments = (uint64_t)TRACKS * SEGMENTS;
    expect(work_of(s, SCENE_UPSAMPLE_4, PM_METHOD_SLERP), keys, 16 * SAMPLES,
           segments * (39 + 3 * 39));
    expect(work_of(s, SCENE_UPSAMPLE_2, PM_METHOD_SQUAD), keys + segments * 32, 8 * SAMPLES,
           segments * (46 + 131) + (uint64_t)SEGMENTS * 97);
    expect(work_of(s, SCENE_UPSAMPLE_4, PM_METHOD_STERP), keys + segments * 48 + TRACKS * 32,
           16 * SAMPLES, segments * (14 + 3 * 107));
    expect(work_of(s, SCENE_UPSAMPLE_4, PM_METHOD_BSPLINE), keys + segments * 64, 16 * SAMPLES,
           segments * 4 * 227);
    expect(work_of(s, SCENE_LOOP, PM_METHOD_NLERP), segments * 16, 16 * SAMPLES, segments * 3 * 48);
    expect(work_of(s, SCENE_UPSAMPLE_2_LOG48, PM_METHOD_SLERP), TRACKS * (SEGMENTS + 1) * 6,
           8 * SAMPLES, segments * (39 + 39));
}

TEST(samples_on_keys_take_the_key_alone) {
    const uint64_t values = SAMPLES / 16;
    expect(work_of(*state, SCENE_DOWNSAMPLE_4, PM_METHOD_SQUAD), values * 16, values * 16, 0);
    expect(work_of(*state, SCENE_DOWNSAMPLE_4_LOG48, PM_METHOD_SLERP), values * 6, values * 16, 0);
    expect(work_of(*state, SCENE_DOWNSAMPLE_4, PM_METHOD_BSPLINE), values * 96, values * 16,
           values * 227);
}

TEST(random_samples_read_their_own_segments) {
    const uint64_t values = SAMPLES, rows = values / TRACKS;
    expect(work_of(*state, SCENE_TIMES, PM_METHOD_SLERP), values * 32 + rows * 8, values * 16,
           values * 78);
    expect(work_of(*state, SCENE_TIMES_SMALLEST48, PM_METHOD_SLERP), values * 12 + rows * 8,
           values * 16, values * 78);
    expect(work_of(*state, SCENE_SAMPLES, PM_METHOD_STERP), values * (32 + 48 + 32 + 12),
           values * 16, values * 121);
}

/* Segments of random length: only those that a sample lies in count. */
TEST(listed_keys_count_where_samples_lie) {
    const scenes *s = *state;
    const uint64_t rows = 4 * SEGMENTS;
    uint64_t hit = 0;
    for (size_t i = 0; i < s->segments; i++) {
        bool has = false;
        for (uint64_t row = 0; row < rows; row++) {
            const double time = (double)row / (4 * SCENE_KEY_RATE);
            has = has || (time >= s->key_times[i] && time < s->key_times[i + 1]);
        }
        hit += has;
    }
    assert_in_range(hit, SEGMENTS / 2, SEGMENTS);
    expect(work_of(s, SCENE_NONUNIFORM, PM_METHOD_SQUAD),
           TRACKS * ((hit + 1) * 16 + hit * 32) + rows * 8, 16 * SAMPLES,
           TRACKS * (hit * 46 + rows * 131) + rows * 97);
}

TEST(the_baseline_reads_keys_and_inner_points) {
    const scenes *s = *state;
    const uint64_t keys = TRACKS * (SEGMENTS + 1) * 16;
    const uint64_t segments = SEGMENTS;
    const uint64_t operations = TRACKS * segments * (46 + 3 * 131) + 3 * segments * 97;
    expect(work_of_baseline(s, PM_METHOD_SQUAD), 2 * keys, 16 * SAMPLES, operations);
    assert_int_equal(work_of_baseline(s, PM_METHOD_NLERP).bytes_read, keys);
}

/* ---- crowds -------------------------------------------------------------------- */

/* 32 instances of ten joints: all in level 0, or the second 16 in level 2 and not in this frame. */
static crowd_setup setup_of(pm_crowd_instance instances[32], size_t record_bytes, uint8_t level,
                            size_t key_count) {
    memset(instances, 0, 32 * sizeof *instances);
    for (size_t i = 0; i < 32; i++)
        instances[i].level = level;
    return (crowd_setup){.instances = instances,
                         .records = 10,
                         .posed = 10,
                         .agents = 32,
                         .joints = 10,
                         .record_bytes = record_bytes,
                         .key_count = key_count,
                         .moving = {10, 10, 4}};
}

TEST(joints_count_by_what_they_show) {
    pm_crowd_instance instances[32];
    const uint64_t all = 32 * sizeof *instances, read = all + 320 * 32;
    const struct {
        crowd_scene scene;
        uint64_t read, operations;
    } cases[] = {
        {{.output = PM_CROWD_LOCAL}, read, 10 * 78},
        {{.output = PM_CROWD_MODEL}, read, 10 * (78 + 39) + 9 * 72},
        {{.output = PM_CROWD_PALETTE}, read, 10 * (78 + 39) + 19 * 72},
        {{.output = PM_CROWD_PALETTE_HALF}, read, 10 * (78 + 39 + 12) + 19 * 72},
        {{.output = PM_CROWD_DUAL}, read, 10 * (78 + 31) + 19 * 75},
        {{.output = PM_CROWD_LOCAL, .blend = BLEND_CROSSFADE}, all + 320 * 64, 10 * (156 + 55)},
        {{.output = PM_CROWD_LOCAL, .blend = BLEND_ADDITIVE}, all + 320 * 64, 10 * (156 + 111)},
        {{.output = PM_CROWD_LOCAL, .phases = PHASES_ALIKE}, all + 10 * 32, 10 * 78},
        {{.output = PM_CROWD_LOCAL, .layers = 2}, all + 32 * (8 + 48) + 320 * 96, 10 * (234 + 110)},
        {{.output = PM_CROWD_MODEL, .given = true}, 320 * 48, 10 * 39 + 9 * 72},
        {{.states = true}, read, 10 * (78 + 38) + 9 * 122},
        {{.states = true, .method = PM_METHOD_SQUAD},
         read + 320 * 32,
         97 + 10 * (177 + 41) + 9 * 122},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const size_t bytes =
            cases[i].scene.states ? 52 : pm_crowd_record_bytes(cases[i].scene.output);
        const crowd_setup setup = setup_of(instances, bytes, 0, 1000);
        expect(work_of_crowd(&cases[i].scene, &setup), cases[i].read, 320 * setup.record_bytes,
               32 * cases[i].operations);
    }
}

TEST_GROUP(open_scenes, close_scenes)
