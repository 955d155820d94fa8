/* SPDX-License-Identifier: MIT
 *
 * Tests of posemill bench: the list of cases; one run with very small sizes of each kind of case, whose
 * record is read; temporary folders; and rejected arguments. Performance is not tested.
 */
#define _DEFAULT_SOURCE /* usleep */

#include "cases/cases.h"
#include "cases/crowd_scenes.h"
#include "runner/runner.h"
#include "runner/scratch.h"
#include "support/check.h"
#include "support/command.h"
#include "support/test_folder.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the list of cases --------------------------------------------------------- */

static bench_case cases[BENCH_CASES_MAX];

/* Room for 85 instances of 64 joints and 48 bytes. */
static const bench_limits small = {.quick = false, .crowd_bytes = 16 * 16384};

static size_t list(const char *globs, bool opencl, bool quick) {
    bench_limits limits = small;
    limits.quick = quick;
    return bench_cases(globs, opencl, &limits, cases);
}

static bool has(size_t count, const char *name) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += strcmp(cases[i].name, name) == 0;
    assert_true(found <= 1); /* names are unique */
    return found == 1;
}

TEST(every_method_is_a_case_of_every_kind_of_job) {
    static const char *const groups[] = {"upsample-4", "upsample-2", "downsample-4",  "nonuniform",
                                         "loop",       "times",      "samples",       "clip",
                                         "oneshot-4",  "oneshot-2",  "oneshot-down-4"};
    const size_t count = list(NULL, false, true);
    for (size_t g = 0; g < COUNT_OF(groups); g++) {
        for (int m = 0; m < PM_METHOD_COUNT; m++) {
            const pm_method_info *info = pm_method_get_info((pm_method)m);
            char name[64];
            snprintf(name, sizeof name, "%s/%s", groups[g], info->name);
            assert_int_equal(has(count, name),
                             !(info->needs_uniform_keys && strcmp(groups[g], "nonuniform") == 0));
        }
    }
    for (size_t i = 0; i < count; i++)
        assert_true(has(count, cases[i].name));
}

TEST(some_cases_are_those_of_a_device) {
    static const char *const names[] = {"ceiling/stores",  "obvious/slerp", "end-to-end/squad",
                                        "cold/slerp",      "first/squad",   "warm/slerp",
                                        "crowds/reference"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(list(names[i], false, false), 0);
        assert_int_equal(list(names[i], true, false), 1);
    }
}

TEST(cases_are_picked_by_globs) {
    assert_int_equal(list("nothing/at-all", true, false), 0);
    assert_int_equal(list("no/*,upsample-4/sl*,upsample-2/squad", false, false), 2);
    assert_string_equal(cases[0].name, "upsample-4/slerp");
    assert_string_equal(cases[1].name, "upsample-2/squad");
    assert_true(has(list("*/squa[d]", false, false), "baseline/squad"));
    assert_false(has(list("*/squa[d]", false, false), "baseline/slerp"));
}

TEST(a_quick_run_has_variants_of_crowds_when_asked_for_and_never_many_clips) {
    assert_false(has(list(NULL, false, true), "crowds/alike"));
    assert_false(has(list(NULL, false, true), "layers/1"));
    assert_false(has(list(NULL, false, true), "crowd/chains"));
    assert_true(has(list("crowd/*", false, true), "crowd/chains"));
    assert_true(has(list(NULL, false, true), "crowd/palette"));
    assert_true(has(list(NULL, false, true), "baseline/crossfade"));
    assert_true(has(list("crowds/*", false, true), "crowds/alike"));
    assert_true(has(list(NULL, false, false), "crowds/alike"));
    bench_limits roomy = small;
    roomy.crowd_bytes = (size_t)16 * 524288;
    assert_true(has(bench_cases(NULL, false, &roomy, cases), "state/4096x24-100k"));
    roomy.quick = true;
    const size_t count = bench_cases("state/*", false, &roomy, cases);
    assert_true(has(count, "state/4096x24-1k-squad") && !has(count, "state/4096x24-100k"));
}

/* A crowd has the instances that fit, or as many as its name says. */
TEST(crowds_that_do_not_fit_are_no_cases) {
    const size_t count = list("crowds/*", false, false);
    assert_true(has(count, "crowds/1x300-8-clips") && !has(count, "crowds/500x64-8-clips"));
    for (size_t i = 0; i < crowd_scene_count; i++) {
        const crowd_scene *scene = &crowd_scenes[i];
        const size_t agents = crowd_scene_agents(scene, small.crowd_bytes);
        assert_true(scene->agents == 0 || agents == 0 || agents == scene->agents);
        if (strcmp(scene->name, "crowd/palette") == 0)
            assert_int_equal(agents, 85);
    }
}

/* ---- inverse kinematics and transitions ----------------------------------------- */

enum { MEMBERS = 24 };

typedef struct posed {
    float models[MEMBERS][CROWD_JOINTS][12];
} posed;

static crowd_setup scene_of(const char *name, pm_engine *engine) {
    crowd_setup setup = {0};
    for (size_t i = 0; i < crowd_scene_count; i++)
        if (strcmp(crowd_scenes[i].name, name) == 0)
            assert_int_equal(crowd_scene_make(&crowd_scenes[i], engine, MEMBERS, &setup), CLI_DONE);
    assert_non_null(setup.crowd);
    return setup;
}

static void pose_models(const crowd_setup *setup, pm_crowd_job job, posed *to) {
    pm_error error = {0};
    memset(to, 0xff, sizeof *to);
    job.outputs = &(pm_crowd_target){.output = PM_CROWD_MODEL, .memory = to};
    job.output_count = 1;
    if (pm_crowd_pose(setup->crowd, &job, &error) != PM_OK)
        fail_msg("%s", error.message);
}

static const float *model_of(const crowd_setup *setup, const posed *from, size_t i, size_t joint) {
    return from->models[i][pm_skeleton_slots(setup->skeleton)[joint]];
}

/* Bilinear; beyond the nodes the nearest one's. */
static float height_at(const crowd_setup *setup, float x, float z) {
    const pm_height_field *ground = &setup->job.ground;
    const float last = (float)(ground->columns - 1);
    const float u = fminf(fmaxf((x - ground->origin[0]) / ground->cell, 0.0f), last);
    const float v = fminf(fmaxf((z - ground->origin[1]) / ground->cell, 0.0f), last);
    const float c = fminf(floorf(u), last - 1.0f), r = fminf(floorf(v), last - 1.0f);
    const float *at = setup->job.heights + (size_t)r * ground->columns + (size_t)c;
    const float *next = at + ground->columns, p = u - c, q = v - r;
    return (1 - q) * ((1 - p) * at[0] + p * at[1]) + q * ((1 - p) * next[0] + p * next[1]);
}

/* Ends of limbs are at their goals, and one foot of each instance, whose rise moves the pelvis, is as high above
 * the ground as it is above a plane. */
TEST(goals_of_limbs_are_reached_and_feet_stand) {
    static const size_t ends[] = {15, 21, 27, 33};
    static const float flat[65 * 65];
    static posed shown, without;
    pm_engine *engine = NULL;
    pm_error error = {0};
    assert_int_equal(pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error), PM_OK);
    for (size_t stands = 0; stands < 2; stands++) {
        crowd_setup setup = scene_of(stands ? "crowd/ground" : "crowd/chains", engine);
        const size_t limbs = stands ? 2 : 4;
        pose_models(&setup, setup.job, &shown);
        for (size_t i = 0; i < MEMBERS; i++) {
            const pm_chain_goal *goals =
                (const pm_chain_goal *)setup.job.goals + (i + 1) * setup.job.chain_count - limbs;
            for (size_t k = 0; k < limbs; k++)
                for (size_t c = 0; c < 3; c++)
                    assert_true(fabsf(model_of(&setup, &shown, i, ends[4 - limbs + k])[4 * c + 3] -
                                      goals[k].position[c]) < 1e-5f);
        }
        pm_crowd_job plane = setup.job;
        if (stands) {
            assert_int_equal(plane.ground.rows * plane.ground.columns, COUNT_OF(flat));
            plane.heights = flat;
            pose_models(&setup, plane, &without);
        }
        for (size_t i = 0; stands && i < MEMBERS; i++) {
            const float *place = setup.job.placements[i].position;
            float nearest = INFINITY;
            for (size_t k = 0; k < 2; k++) {
                const float *on = model_of(&setup, &shown, i, ends[k]);
                const float *off = model_of(&setup, &without, i, ends[k]);
                const float height = height_at(&setup, place[0] + off[3], place[2] + off[11]);
                nearest = fminf(nearest, fabsf(on[7] - off[7] - height));
            }
            assert_true(nearest < 1e-5f);
        }
        crowd_setup_destroy(&setup);
    }
    pm_engine_destroy(&engine);
}

/* Half a second after its change every instance is between the clips, and a second after it in the new one. */
TEST(every_instance_is_in_transition) {
    static posed during, after, plain;
    pm_engine *engine = NULL;
    pm_error error = {0};
    assert_int_equal(pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error), PM_OK);
    crowd_setup setup = scene_of("crowd/transitions", engine);
    pm_crowd_job job = setup.job;
    pose_models(&setup, job, &during);
    job.transition_time = pm_crowd_ticks(1.0);
    pose_models(&setup, job, &after);
    job.transitions = NULL;
    pose_models(&setup, job, &plain);
    assert_memory_equal(&after, &plain, sizeof plain);
    for (size_t i = 0; i < MEMBERS; i++)
        assert_memory_not_equal(during.models[i], plain.models[i], sizeof plain.models[i]);
    crowd_setup_destroy(&setup);
    pm_engine_destroy(&engine);
}

/* ---- a run ---------------------------------------------------------------------- */

static char record[1 << 22]; /* record.json of the run */

static const char *bench(const char *arguments) {
    static char line[2048];
    const int used = snprintf(line, sizeof line, "$posemill bench %s", arguments);
    assert_true(used > 0 && (size_t)used < sizeof line);
    return line;
}

static void measure(const char *arguments) {
    size_t size = 0;
    expect(0, bench(arguments));
    SCOPED(free_at) char *text = test_folder_read("record.json", &size);
    assert_true(size < sizeof record);
    memcpy(record, text, size + 1);
    assert_int_equal(remove("record.json"), 0);
    assert_null(strstr(output, "WRONG"));
}

/* The text after `"member": ` of a case; fails if either is missing. */
static const char *member(const char *of, const char *name) {
    char pattern[160];
    snprintf(pattern, sizeof pattern, "{\n      \"name\": \"%s\"", of);
    const char *at = strstr(record, pattern);
    snprintf(pattern, sizeof pattern, "\"%s\": ", name);
    at = at ? strstr(at, pattern) : NULL;
    if (!at)
        fail_msg("no %s of %s in: %s", name, of, record);
    return at ? at + strlen(pattern) : "";
}

/* A member as a number; NAN for null. */
static double number(const char *of, const char *name) {
    const char *text = member(of, name);
    return strncmp(text, "null", 4) == 0 ? (double)NAN : strtod(text, NULL);
}

enum { CEILING = 1, BASELINE = 2, CHECKED = 4, BOUND = 8 };

typedef struct expected {
    const char *name;
    double samples, bytes; /* of a sample; 0: depends */
    int has;
} expected;

/* With --samples 4096. Of levels: all of the first 29 instances; of the next 28 those in group 2 of 16; of
 * the rest those in group 4. */
static const expected all[] = {
    {"ceiling/fill", 4096, 16, 0},
    {"ceiling/copy", 4096, 32, CEILING},
    {"ceiling/palette-fill", 85 * 64, 48, 0},
    {"baseline/squad", 4096, 16, CEILING | CHECKED | BOUND},
    {"baseline/palette", 85 * 64, 48, CEILING | CHECKED | BOUND},
    {"upsample-4/slerp", 4096, 16, CEILING | BASELINE | CHECKED | BOUND},
    {"downsample-4/spline", 256, 16, CEILING | CHECKED | BOUND},
    {"nonuniform/squad", 4096, 16, CEILING | BASELINE | CHECKED | BOUND},
    {"loop/circular", 4096, 16, CEILING | CHECKED | BOUND},
    {"samples/nlerp", 4096, 16, CEILING | BASELINE | CHECKED | BOUND},
    {"times-log48/slerp", 4096, 16, CEILING | BASELINE | CHECKED | BOUND},
    {"clip/slerp", 64 * 16, 16, 0},
    {"oneshot-2/hermite", 2048, 16, CEILING | CHECKED | BOUND},
    {"lowpass/taps-32", 2048, 16, CEILING | CHECKED | BOUND},
    {"lowpass/down-4", 256, 16, CEILING | CHECKED | BOUND},
    {"layout/offset-12", 4096, 16, CEILING | BASELINE | CHECKED | BOUND},
    {"layout/tracks-1", 4096, 16, CEILING | BASELINE | CHECKED | BOUND},
    {"crowd/palette", 85 * 64, 48, CEILING | BASELINE | CHECKED | BOUND},
    {"crowd/crossfade", 85 * 64, 48, CEILING | BASELINE | CHECKED | BOUND},
    {"crowd/chains", 85 * 64, 48, CEILING | CHECKED},
    {"crowd/ground", 85 * 64, 48, CEILING | CHECKED},
    {"crowd/transitions", 85 * 64, 48, CEILING | CHECKED},
    {"crowds/1x300-8-clips", 300, 48, CEILING | CHECKED | BOUND},
    {"crowds/half", 170 * 64, 24, CEILING | CHECKED | BOUND},
    {"crowds/dual", 128 * 64, 32, CEILING | CHECKED | BOUND},
    {"crowds/every-2nd-frame", (16 + 16 + 16) * 64, 48, CEILING | CHECKED | BOUND},
    {"crowds/levels", (29 + 16 + 16) * 64, 48, CEILING | CHECKED | BOUND},
    {"crowds/one-300-log48", 300, 48, CHECKED},
    {"layers/2", 85 * 64, 48, CEILING | CHECKED | BOUND},
    {"subset/hand", 5461, 48, CEILING | CHECKED | BOUND},
    {"list/half", 43 * 64, 48, CEILING | CHECKED | BOUND},
    {"poses/palette", 85 * 64, 48, CEILING | CHECKED | BOUND},
    {"simple/points", 4096, 12, CHECKED},
    {"points/sorted", 4096, 12, BASELINE | CHECKED},
    {"points/screw", 4096, 12, BASELINE | CHECKED},
    {"points/unsorted", 4096, 12, CHECKED},
    {"points/fresh-scan", 4096, 12, BASELINE | CHECKED},
};

/* The share of a ceiling of itself is 1, and so is the ratio of a baseline to itself. */
static void expect_case(const expected *one) {
    const char *of = one->name;
    const double samples = number(of, "samples"), median = number(of, "seconds_median");
    const double bytes = number(of, "bytes_per_sample"), error = number(of, "max_error_rad");
    if ((one->samples > 0 && samples != one->samples) || (one->bytes > 0 && bytes != one->bytes))
        fail_msg("%s has %g samples of %g bytes", of, samples, bytes);
    assert_true(number(of, "seconds_min") > 0.0 && number(of, "seconds_min") <= median);
    assert_true(median <= number(of, "seconds_p95"));
    assert_true(fabs(number(of, "samples_per_s") * median - samples) <= 1e-9 * samples);
    assert_int_equal(strncmp(member(of, "ceiling_seconds"), "null", 4) != 0,
                     (one->has & CEILING) != 0);
    assert_int_equal(strncmp(member(of, "baseline_seconds"), "null", 4) != 0,
                     (one->has & BASELINE) != 0);
    assert_int_equal(!isnan(error), (one->has & CHECKED) != 0);
    assert_int_equal(!isnan(number(of, "bound_share")), (one->has & BOUND) != 0);
    if (one->has & CHECKED)
        assert_true(error <= (strstr(of, "half") ? 0x1p-9 : 1e-5));
    if (one->has & BOUND) {
        assert_true(number(of, "bytes_read") > 0.0 && number(of, "operations") >= 0.0);
        assert_true(number(of, "bytes_written") == bytes * samples);
    }
}

/* 72 operations for each weight (test_work), twice: 32 weights a sample, and 90 with 0.45 of a quarter. */
static void expect_weights(void) {
    assert_true(number("lowpass/taps-32", "operations") == 2048.0 * 32 * 2 * 72);
    assert_true(number("lowpass/down-4", "operations") == 256.0 * 90 * 2 * 72);
}

/* The arithmetic ceiling is in operations, and has no ceiling itself. */
static void expect_arithmetic(void) {
    const char *of = "ceiling/arithmetic";
    assert_true(number(of, "operations") > 0.0);
    assert_true(number(of, "samples") == number(of, "operations"));
    assert_true(isnan(number(of, "ceiling_share")) && isnan(number(of, "bound_share")));
}

TEST(each_kind_of_case_is_measured_on_the_reference) {
    char arguments[2048] = "--device none --quick --samples 4096 --json record.json --case "
                           "ceiling/arithmetic";
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        strcat(arguments, ",");
        strcat(arguments, all[i].name);
    }
    measure(arguments);
    for (size_t i = 0; i < COUNT_OF(all); i++)
        expect_case(&all[i]);
    expect_weights();
    expect_arithmetic();
    assert_true(strtod(strstr(record, "\"fill_rates\": [") + 15, NULL) > 0.0);
}

/* 131072 samples have room for the states of 4096 bodies, which are results of the reference path. */
TEST(states_of_bodies_are_measured) {
    const expected states = {"state/4096x24-1k-squad", 4096 * 24, 52, CEILING | CHECKED | BOUND};
    measure(
        "--device none --quick --samples 131072 --json record.json --case state/4096x24-1k-squad");
    expect_case(&states);
    assert_true(number(states.name, "max_error_rad") == 0.0);
}

/* ---- temporary folders ---------------------------------------------------------- */

/* A process that opens the folder of a run, leaves a file in it, and is killed. The one that removes the folder outlives
 * it. */
TEST(a_killed_process_leaves_no_folder) {
    scratch folder = {.watcher = NULL};
    char path[SCRATCH_PATH];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const bool made = scratch_open(&folder) == CLI_DONE &&
                          scratch_path(&folder, "part", path) == CLI_DONE &&
                          scratch_empty(path) == CLI_DONE;
        if (!made || write(ends[1], folder.path, sizeof folder.path) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    const bool told = read(ends[0], folder.path, sizeof folder.path) == sizeof folder.path;
    const bool existed = told && access(folder.path, F_OK) == 0;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    assert_true(existed);
    while (access(folder.path, F_OK) == 0)
        usleep(1000);
}

/* ---- arguments ------------------------------------------------------------------ */

static void expect_refused(const char *arguments, const char *words) {
    expect_failure(2, bench(arguments), words);
    assert_string_equal(output, "");
}

TEST(what_cannot_be_measured_is_refused) {
    expect_refused("--device none --samples 2047", "from 2048 on");
    expect_refused("--device 0,1", "'0,1' names several devices");
    expect_refused("--device none --samples many", "--samples");
    expect_refused("--device none slerp", "unexpected argument");
    expect_refused("--device none --samples 18446744073709551616", "not a whole number");
    expect_refused("--device none --case obvious/slerp", "no case");
}

FIXTURE(enter_folder) {
    if (command_enter_folder(state) != 0)
        return 1;
    /* Memory that drivers hold at exit is not a leak of the command, and a report would add lines
     * to its messages. */
    return setenv("TMPDIR", command_folder, 1) != 0 ||
           setenv("LSAN_OPTIONS",
                  "print_suppressions=0:suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp",
                  1) != 0;
}

TEST_GROUP(enter_folder, command_leave_folder)
