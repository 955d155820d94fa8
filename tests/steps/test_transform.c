/* SPDX-License-Identifier: MIT
 *
 * The step that scales and turns: what it makes against kinematics in double, and the files that are written of it
 * against those that are scaled and turned as they are written.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/task/task.h"
#include "support/check.h"
#include "support/motion.h"
#include "support/motion_kinematics.h"
#include "support/motion_truth.h"
#include "support/test_folder.h"

enum { FRAMES = 9, STEPS_MAX = 3 };

static const char hierarchy[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 1 90 -2\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\nJOINT Spine\n{\nOFFSET 3 20 1\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT Hand\n{\nOFFSET 30 10 4\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 8 "
    "0 0\n}\n}\n}\n}\nMOTION\n";

static void write_sources(random_source *random) {
    FILE *file = fopen("in.bvh", "w");
    assert_non_null(file);
    fprintf(file, "%sFrames: %d\nFrame Time: 0.0333333\n", hierarchy, FRAMES);
    for (int k = 0; k < FRAMES; k++)
        for (int c = 0; c < 12; c++)
            fprintf(file, "%.6f%c", random_between(random, -100, 100), c < 11 ? ' ' : '\n');
    assert_int_equal(fclose(file), 0);
    file = fopen("in.csv", "w");
    assert_non_null(file);
    for (int k = 0; k < FRAMES; k++)
        fprintf(file, "%.6f,0.1,0.8,0,0,%.9f,%.9f,%.6f\n", 0.05 * k, sin(0.1 * k), cos(0.1 * k),
                random_between(random, -1, 1));
    assert_int_equal(fclose(file), 0);
    SCOPED(pm_motion_destroy) pm_motion *walk = NULL;
    expect_success(pm_motion_open("in.bvh", NULL, &walk, new_error()));
    expect_success(pm_motion_convert(walk, NULL, "in.glb", new_error()));
}

/* ---- what is run ---------------------------------------------------------------------------- */

typedef struct running {
    pm_motion_step steps[STEPS_MAX];
    pm_motion_batch_task task;
    task_curve curve;
    task_how how;
    task_input in;
    task_output out;
    task_report report;
    task_work work;
} running;

/* `all` are of reading and writing, each of `steps` of a transform. */
static void begin_run(running *r, const char *in, const char *out, pm_motion_batch_task all,
                      const pm_motion_batch_task *steps, size_t count) {
    *r = (running){.task = all, .in.path = in, .out.path = out};
    for (size_t i = 0; i < count; i++)
        r->steps[i] = (pm_motion_step){.name = "transform", .options = &steps[i]};
    r->task.steps = r->steps;
    r->task.step_count = count;
    r->how = (task_how){.task = &r->task, .curve = &r->curve};
    expect_success(task_open(&r->work, &r->how, &r->in, &r->out, &r->report, new_error()));
}

static pm_status write_run(const char *in, const char *out, pm_motion_batch_task all,
                           const pm_motion_batch_task *steps, size_t count, pm_error *error) {
    running r;
    begin_run(&r, in, out, all, steps, count);
    const pm_status status = task_write(&r.work, error);
    task_close(&r.work);
    return status;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Of y up, z up: the point (x, y, z) becomes (x, -z, y). */
static void expect_moved(const pm_motion_content *a, const pm_motion_content *b, double scale,
                         bool is_turned) {
    static const int from[] = {0, 2, 1};
    static const double signs[] = {1, -1, 1};
    assert_int_equal(a->node_count, b->node_count);
    for (int32_t n = 0; (size_t)n < a->node_count; n++)
        for (size_t k = 0; k <= FRAMES; k++) {
            const pm_motion_clip *x = k < FRAMES ? a->clips : NULL, *y = x ? b->clips : NULL;
            const double time = x ? truth_time(x->timelines, k) : 0;
            const kinematics_matrix p = kinematics_model(a, x, n, time);
            const kinematics_matrix q = kinematics_model(b, y, n, time);
            for (int i = 0; i < 3; i++) {
                const int of = is_turned ? from[i] : i;
                const double sign = is_turned ? signs[i] : 1;
                assert_true(fabs(q.m[i][3] - scale * sign * p.m[of][3]) < 1e-9);
                for (int j = 0; j < 3; j++)
                    assert_true(fabs(q.m[i][j] - sign * p.m[of][j]) < 1e-9);
            }
        }
}

TEST_WITH(scales_and_turns_are_those_of_kinematics, test_folder_enter, test_folder_leave, NULL) {
    random_source random = random_salted(71);
    write_sources(&random);
    const double factor = random_between(&random, 0.1, 5);
    const pm_motion_batch_task scale = {.scale = factor},
                               turn = {.up = PM_MOTION_UP_Y, .to_up = PM_MOTION_UP_Z},
                               unit = {.unit_mm = 10, .to_unit_mm = 1000};
    const pm_motion_batch_task steps[][STEPS_MAX] = {
        {scale, turn, unit}, {turn, unit, scale}, {scale, unit, {.scale = 2}}};
    const double factors[] = {0.01 * factor, 0.01 * factor, 0.02 * factor};
    SCOPED(pm_motion_destroy) pm_motion *walk = NULL;
    expect_success(pm_motion_open("in.bvh", NULL, &walk, new_error()));
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        running r;
        begin_run(&r, "in.bvh", NULL, (pm_motion_batch_task){0}, steps[i], STEPS_MAX);
        expect_success(task_make(&r.work, new_error()));
        const pm_motion_content *made = &r.work.motion->content;
        expect_moved(&walk->content, made, factors[i], i < 2);
        assert_true(made->unit_mm == 1000 && made->unit_from == PM_MOTION_GIVEN);
        assert_true(i == 2 || (made->up == PM_MOTION_UP_Z && made->up_from == PM_MOTION_GIVEN));
        assert_string_equal(r.report.converted, i == 0   ? "up y to z, unit cm to m"
                                                : i == 1 ? "up y to z, unit cm to m"
                                                         : "unit cm to m");
        task_close(&r.work);
    }
}

/* ---- files ---------------------------------------------------------------------------------- */

TEST_WITH(files_are_those_that_are_scaled_and_turned_as_they_are_written, test_folder_enter,
          test_folder_leave, NULL) {
    static const char *const names[][3] = {{"in.bvh", "a.npz", "b.npz"},
                                           {"in.bvh", "a.bvh", "b.bvh"},
                                           {"in.bvh", "a.glb", "b.glb"},
                                           {"in.bvh", "a.usda", "b.usda"},
                                           {"in.csv", "a.csv", "b.csv"}};
    random_source random = random_salted(72);
    write_sources(&random);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const bool is_glb = i == 2;
        const pm_motion_batch_task step = {.scale = 1.5,
                                           .unit_mm = 10,
                                           .to_unit_mm = is_glb ? 1000 : 25.4,
                                           .up = PM_MOTION_UP_Z,
                                           .to_up = PM_MOTION_UP_Y};
        const pm_motion_batch_task all = {.read.source_rate = {i == 4 ? 30 : 0, i == 4}};
        SCOPED(pm_motion_destroy) pm_motion *walk = NULL;
        expect_success(pm_motion_open(names[i][0], &all.read, &walk, new_error()));
        expect_success(pm_motion_convert(walk,
                                         &(pm_motion_convert_options){.scale = step.scale,
                                                                      .unit_mm = step.unit_mm,
                                                                      .to_unit_mm = step.to_unit_mm,
                                                                      .up = step.up,
                                                                      .to_up = step.to_up},
                                         names[i][1], new_error()));
        expect_success(write_run(names[i][0], names[i][2], all, &step, 1, new_error()));
        test_folder_expect_same(names[i][1], names[i][2]);
    }
}

static double height_of(const char *path) {
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
    expect_success(pm_motion_open(path, NULL, &opened, new_error()));
    return opened->content.nodes[0].position[1];
}

/* The convention of glTF is met once: the unit that was read is not that of the result of the step. */
TEST_WITH(a_format_converts_the_unit_that_a_step_has_made, test_folder_enter, test_folder_leave,
          NULL) {
    random_source random = random_salted(73);
    write_sources(&random);
    const pm_motion_batch_task inch = {.to_unit_mm = 25.4}, twice = {.scale = 2};
    const pm_motion_batch_task all = {.unit_mm = 10, .up = PM_MOTION_UP_Y};
    expect_success(write_run("in.bvh", "a.glb", all, &inch, 1, new_error()));
    assert_true(fabs(height_of("a.glb") - 0.9) < 1e-6);
    expect_success(write_run("in.bvh", "b.glb", all, &twice, 1, new_error()));
    assert_true(fabs(height_of("b.glb") - 1.8) < 1e-6);
    pm_motion_batch_task keep = all;
    keep.to_unit_mm = PM_MOTION_UNIT_KEEP;
    expect_success(write_run("in.bvh", "c.glb", keep, &inch, 1, new_error()));
    assert_true(fabs(height_of("c.glb") - 90 / 2.54) < 1e-5);
}

/* ---- refusals ------------------------------------------------------------------------------- */

TEST_WITH(meshes_are_not_left_out_silently, test_folder_enter, test_folder_leave, NULL) {
    random_source random = random_salted(74);
    write_sources(&random);
    const pm_motion_batch_task steps[] = {{.scale = 2}, {.scale = 0.5}};
    for (size_t count = 1; count <= 2; count++)
        expect_error(
            write_run("in.glb", "out.glb", (pm_motion_batch_task){0}, steps, count, new_error()),
            PM_ERROR_FILE, "in.glb: glb cannot be scaled or turned: its meshes");
    running r;
    begin_run(&r, "in.glb", NULL, (pm_motion_batch_task){0}, steps, 1);
    expect_success(task_make(&r.work, new_error()));
    expect_error(pm_motion_convert(r.work.motion, NULL, "out.glb", new_error()), PM_ERROR_FILE,
                 "glb cannot be scaled or turned: its meshes");
    expect_success(pm_motion_convert(r.work.motion, NULL, "out.bvh", new_error()));
    task_close(&r.work);
}

TEST_WITH(options_without_effect_are_refused, test_folder_enter, test_folder_leave, NULL) {
    random_source random = random_salted(75);
    write_sources(&random);
    const struct {
        pm_motion_batch_task step;
        const char *message;
    } cases[] = {{{.scale = 0}, ".scale: is missing"},
                 {{.unit_mm = 10}, ".scale: is missing"},
                 {{.to_unit_mm = PM_MOTION_UNIT_KEEP}, ".to_unit: keep has no effect"},
                 {{.scale = 2, .to_up = PM_MOTION_UP_KEEP}, ".to_up: keep has no effect"},
                 {{.scale = -1}, "scale is -1"},
                 {{.to_unit_mm = 10}, "BVH does not say its unit"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        expect_error(write_run("in.bvh", "out.bvh", (pm_motion_batch_task){0}, &cases[i].step, 1,
                               new_error()),
                     PM_ERROR_ARGUMENT, cases[i].message);
    }
}
