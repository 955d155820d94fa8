/* SPDX-License-Identifier: MIT
 *
 * Where outputs go: several at once, rows apart, copies of what was there before, and instances
 * whose turn it is not, which keep what is there.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 53, EVERY = 3 };

static void make_instances(const scene *s, uint64_t salt, pm_crowd_instance *instances,
                           size_t count) {
    random_source source = random_salted(salt);
    for (size_t i = 0; i < count; i++)
        instances[i] = scene_instance(&source, s);
}

static void pose(const scene *s, const pm_crowd_job *job) {
    pm_error error = poisoned_error();
    expect_ok(pm_crowd_pose(s->crowd, job, &error), &error);
}

static void records_have_the_bytes_of_the_header(void **state) {
    (void)state;
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_PALETTE), 48);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_PALETTE_HALF), 24);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_DUAL), 32);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_MODEL), 48);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_LOCAL), 48);
    assert_int_equal(pm_crowd_record_bytes(PM_CROWD_OUTPUT_COUNT), 0);
    assert_int_equal(pm_crowd_record_bytes((pm_crowd_output)-1), 0);
    assert_int_equal(sizeof(pm_crowd_instance), 32);
}

static void no_instances_are_nothing_to_do(void **state) {
    scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xA01}, &s);
    float *memory = guarded_floats(12);
    pm_crowd_job job = {0};
    job.outputs[PM_CROWD_PALETTE].memory = memory;
    pose(&s, &job);
    pose(&s, &(pm_crowd_job){0});
    pose(&s, &(pm_crowd_job){.on_reference = true});
    for (size_t i = 0; i < 12; i++)
        assert_true(is_poison(memory[i]));
    expect_guards(memory, 12);
    guarded_free(memory);
    scene_free(&s);
}

static void outputs_may_be_asked_for_together(void **state) {
    scene s;
    pm_crowd_instance instances[COUNT];
    float *together[PM_CROWD_OUTPUT_COUNT];
    scene_make(engine_for(state), &(scene_options){.salt = 0xA03, .scales = true}, &s);
    make_instances(&s, 0xA03, instances, COUNT);
    for (unsigned wanted = 1; wanted < 1u << PM_CROWD_OUTPUT_COUNT; wanted += 6) {
        pm_crowd_job job = {.instances = instances, .instance_count = COUNT};
        for (pm_crowd_output output = 0; output < PM_CROWD_OUTPUT_COUNT; output++) {
            together[output] = guarded_floats(scene_floats(&s, output, COUNT));
            job.outputs[output].memory = wanted >> output & 1 ? together[output] : NULL;
        }
        pose(&s, &job);
        for (pm_crowd_output output = 0; output < PM_CROWD_OUTPUT_COUNT; output++) {
            const size_t floats = scene_floats(&s, output, COUNT);
            float *alone = scene_pose(&s, output, instances, COUNT, false);
            if (wanted >> output & 1)
                expect_same_bits(together[output], alone, floats, floats / COUNT);
            else
                for (size_t i = 0; i < floats; i++)
                    assert_true(is_poison(together[output][i]));
            expect_guards(together[output], floats);
            guarded_free(alone);
            guarded_free(together[output]);
        }
        if (small_sizes())
            break;
    }
    scene_free(&s);
}

/* Rows of `stride` floats: the records are those of tight rows, and what lies between them is
 * as it was. */
static void expect_rows(const scene *s, pm_crowd_output output, const float *rows, size_t stride,
                        const float *tight) {
    const size_t width = scene_floats(s, output, 1);
    for (size_t i = 0; i < COUNT; i++) {
        expect_same_bits(rows + i * stride, tight + i * width, width, width);
        for (size_t k = width; k < stride && i + 1 < COUNT; k++)
            if (!is_poison(rows[i * stride + k]))
                fail_msg("float %zu behind the records of instance %zu was written", k - width, i);
    }
}

static void rows_may_lie_apart_and_nothing_between_them_is_written(void **state) {
    scene s;
    pm_crowd_instance instances[COUNT];
    scene_make(engine_for(state), &(scene_options){.salt = 0xA04, .joints = 7}, &s);
    make_instances(&s, 0xA04, instances, COUNT);
    for (pm_crowd_output output = 0; output < PM_CROWD_OUTPUT_COUNT; output++) {
        static const size_t gaps[] = {0, 1, 4, 31};
        const size_t width = scene_floats(&s, output, 1);
        float *tight = scene_pose(&s, output, instances, COUNT, false);
        for (size_t g = 0; g < 4; g++) {
            const size_t stride = width + gaps[g], floats = (COUNT - 1) * stride + width;
            float *rows = guarded_floats(floats);
            pm_crowd_job job = {.instances = instances, .instance_count = COUNT};
            job.outputs[output].memory = rows;
            job.outputs[output].stride = stride * sizeof(float);
            pose(&s, &job);
            expect_rows(&s, output, rows, stride, tight);
            expect_guards(rows, floats);
            guarded_free(rows);
        }
        guarded_free(tight);
    }
    scene_free(&s);
}

/* ---- poses before these ----------------------------------------------------------------------- */

static void expect_previous(const scene *s, pm_crowd_output output, size_t gap) {
    pm_crowd_instance first[COUNT], second[COUNT];
    make_instances(s, 0xA05, first, COUNT);
    make_instances(s, 0xA06, second, COUNT);
    const size_t width = scene_floats(s, output, 1), stride = width + gap;
    const size_t floats = (COUNT - 1) * stride + width;
    float *rows = guarded_floats(floats), *previous = guarded_floats(floats);
    float *one = scene_pose(s, output, first, COUNT, false);
    float *two = scene_pose(s, output, second, COUNT, false);
    pm_crowd_job job = {.instances = first, .instance_count = COUNT};
    job.outputs[output] = (pm_crowd_target){rows, stride * sizeof(float), NULL};
    pose(s, &job);
    job.instances = second;
    job.outputs[output].previous = previous;
    pose(s, &job);
    for (size_t i = 0; i < COUNT; i++) {
        expect_same_bits(previous + i * stride, one + i * width, width, width);
        expect_same_bits(rows + i * stride, two + i * width, width, width);
    }
    expect_guards(rows, floats);
    expect_guards(previous, floats);
    guarded_free(rows);
    guarded_free(previous);
    guarded_free(one);
    guarded_free(two);
}

static void what_the_memory_held_is_copied_first(void **state) {
    scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xA05}, &s);
    for (pm_crowd_output output = 0; output < PM_CROWD_OUTPUT_COUNT; output++) {
        expect_previous(&s, output, 0);
        expect_previous(&s, output, 5);
    }
    scene_free(&s);
}

/* ---- turns ------------------------------------------------------------------------------------- */

/* Level 0 each frame, 1 every third, 2 every fifth. */
static void make_turns(pm_engine *engine, scene *s) {
    scene_make(engine, &(scene_options){.salt = 0xA07, .joints = 6}, s);
    scene_undo(s);
    s->levels[1].update_every = EVERY;
    s->levels[2].update_every = 5;
    scene_finish(engine, s);
}

static bool has_turn(const pm_crowd_instance *instance, size_t i, uint64_t frame) {
    static const uint64_t every[] = {1, EVERY, 5};
    return (frame + i / 16) % every[instance->level] == 0;
}

/* As they all are when posed one by one, which asks for no turn. */
static float *all_posed(const scene *s, const pm_crowd_instance *instances,
                        pm_crowd_output output) {
    const size_t width = scene_floats(s, output, 1);
    float *records = guarded_floats(COUNT * width);
    pm_error error = poisoned_error();
    for (size_t i = 0; i < COUNT; i++)
        expect_ok(pm_crowd_pose_one(s->crowd, &instances[i], output, records + i * width, &error),
                  &error);
    return records;
}

static void expect_frame(const scene *s, const pm_crowd_instance *instances, uint64_t frame,
                         pm_crowd_output output, bool reference) {
    const size_t width = scene_floats(s, output, 1), floats = COUNT * width;
    float *all = all_posed(s, instances, output);
    float *kept = guarded_floats(floats), *before = guarded_floats(floats);
    pm_crowd_job job = {
        .instances = instances, .instance_count = COUNT, .frame = frame, .on_reference = reference};
    job.outputs[output].memory = kept;
    job.outputs[output].previous = before;
    for (size_t i = 0; i < floats; i++)
        kept[i] = (float)i;
    pose(s, &job);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = i * width; k < (i + 1) * width; k++) {
            const float wanted = has_turn(&instances[i], i, frame) ? all[k] : (float)k;
            if (memcmp(&kept[k], &wanted, sizeof wanted) != 0)
                fail_msg("frame %u, instance %zu of level %u is %s", (unsigned)frame, i,
                         instances[i].level,
                         has_turn(&instances[i], i, frame) ? "not posed" : "not kept");
            assert_true(before[k] == (float)k);
        }
    guarded_free(all);
    guarded_free(kept);
    guarded_free(before);
}

static void instances_without_a_turn_keep_what_the_outputs_hold(void **state) {
    scene s;
    pm_crowd_instance instances[COUNT];
    make_turns(engine_for(state), &s);
    make_instances(&s, 0xA07, instances, COUNT);
    for (uint64_t frame = 0; frame < (small_sizes() ? 3 : 16); frame++)
        expect_frame(&s, instances, frame, frame % PM_CROWD_OUTPUT_COUNT, false);
    expect_frame(&s, instances, UINT64_MAX - 2, PM_CROWD_PALETTE, false);
    expect_frame(&s, instances, 4, PM_CROWD_PALETTE, true);
    scene_free(&s);
}

/* Groups of one level: whole groups have no turn. */
static void neighbours_take_turns_together(void **state) {
    scene s;
    pm_crowd_instance instances[COUNT];
    make_turns(engine_for(state), &s);
    make_instances(&s, 0xA08, instances, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        instances[i].level = 1;
    for (uint64_t frame = 0; frame < EVERY + 1; frame++) {
        expect_frame(&s, instances, frame, PM_CROWD_PALETTE, false);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(has_turn(&instances[i], i, frame) ==
                        has_turn(&instances[i - i % 16], i - i % 16, frame));
    }
    scene_free(&s);
}

static void the_last_level_has_its_turn_for_levels_beyond(void **state) {
    scene s;
    pm_crowd_instance instances[COUNT], beyond[COUNT];
    make_turns(engine_for(state), &s);
    make_instances(&s, 0xA09, instances, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        instances[i].level = 2;
        beyond[i] = instances[i];
        beyond[i].level = (uint8_t)(3 + i * 4);
    }
    const size_t floats = scene_floats(&s, PM_CROWD_PALETTE, COUNT);
    float *a = guarded_floats(floats), *b = guarded_floats(floats);
    for (uint64_t frame = 0; frame < 5; frame++) {
        pm_crowd_job job = {.instances = instances, .instance_count = COUNT, .frame = frame};
        job.outputs[PM_CROWD_PALETTE].memory = a;
        pose(&s, &job);
        job.instances = beyond;
        job.outputs[PM_CROWD_PALETTE].memory = b;
        pose(&s, &job);
        expect_same_bits(a, b, floats, 12);
    }
    for (size_t i = 0; i < floats; i++)
        assert_false(is_poison(a[i]));
    guarded_free(a);
    guarded_free(b);
    scene_free(&s);
}

static void one_instance_is_always_posed(void **state) {
    scene s;
    pm_error error = poisoned_error();
    make_turns(engine_for(state), &s);
    const pm_crowd_instance n = {.level = 2};
    const size_t floats = scene_floats(&s, PM_CROWD_PALETTE, 1);
    float *one = guarded_floats(floats);
    expect_ok(pm_crowd_pose_one(s.crowd, &n, PM_CROWD_PALETTE, one, &error), &error);
    float *all = scene_pose(&s, PM_CROWD_PALETTE, &n, 1, false);
    expect_same_bits(one, all, floats, 12);
    guarded_free(one);
    guarded_free(all);
    scene_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_have_the_bytes_of_the_header),
        ON_BOTH(no_instances_are_nothing_to_do),
        ON_BOTH(outputs_may_be_asked_for_together),
        ON_BOTH(rows_may_lie_apart_and_nothing_between_them_is_written),
        ON_BOTH(what_the_memory_held_is_copied_first),
        ON_BOTH(instances_without_a_turn_keep_what_the_outputs_hold),
        ON_BOTH(neighbours_take_turns_together),
        ON_BOTH(the_last_level_has_its_turn_for_levels_beyond),
        ON_BOTH(one_instance_is_always_posed),
    };
    leave_out_crowds_on_rusticl();
    return cmocka_run_group_tests_name("crowd_targets", tests, NULL, engines_close);
}
