/* SPDX-License-Identifier: MIT
 *
 * Tests of the command as a process in a temporary folder: exit codes, messages and output files.
 * Tests that need no device use the reference path, so that they pass without OpenCL.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/counts.h"
#include "motion/npz/npy_file.h"
#include "options/help.h"
#include "support/command.h"
#include "support/test.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- inputs -------------------------------------------------------------------- */

enum { KEYS = 4, TRACKS = 3 };
static const char *const inputs[] = {"keys.npy", "times.npy", "vectors.npy",
                                     "bad.npy",  "user.npy",  "axes.npy"};
enum { INPUTS = COUNT_OF(inputs) };

static float keys[KEYS][TRACKS][4];

static void write_keys(const char *name) {
    const size_t shape[] = {KEYS, TRACKS, 4};
    command_put_array(name, PM_FLOAT32, 3, shape, keys);
}

/* Rotations about x, y or z in steps of at least 0.4 rad. */
static void make_keys(void) {
    memset(keys, 0, sizeof keys);
    for (size_t i = 0; i < KEYS; i++) {
        for (size_t t = 0; t < TRACKS; t++) {
            double half = 0.2 * (double)(i + 1) * (double)(t + 1);
            keys[i][t][t] = (float)sin(half);
            keys[i][t][3] = (float)cos(half);
        }
    }
}

static void write_times(const char *name, size_t count, const double *times) {
    command_put_array(name, PM_FLOAT64, 1, &count, times);
}

FIXTURE(make_inputs) {
    const double times[KEYS] = {0.0, 0.1, 0.2, 0.3};
    const size_t vector_shape[] = {KEYS, TRACKS, 3};
    const size_t axis_shape[] = {TRACKS, 3};
    double vectors[KEYS][TRACKS][3];
    for (size_t i = 0; i < KEYS * TRACKS * 3; i++)
        (&vectors[0][0][0])[i] = (double)i;
    const double axes[TRACKS][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    make_keys();
    write_keys("keys.npy");
    write_times("times.npy", KEYS, times);
    command_put_array("vectors.npy", PM_FLOAT64, 3, vector_shape, vectors);
    command_put_array("user.npy", PM_FLOAT64, 3, vector_shape, vectors);
    command_put_array("axes.npy", PM_FLOAT64, 2, axis_shape, axes);
    command_put_array("bad.npy", PM_FLOAT32, 2, axis_shape, axes);
    return 0;
}

#define EVAL "$posemill eval --reference --keys keys.npy "
#define PLAIN "--key-rate 10 --rate 20 --method slerp "

/* ---- help and usage ------------------------------------------------------------ */

TEST(every_command_has_help_with_an_example) {
    static const char *const names[] = {"devices", "eval", "resample", "methods", "verify"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char line[64];
        snprintf(line, sizeof line, "$posemill %s --help", names[i]);
        expect(0, line);
        expect_word(output, "Usage: posemill");
        expect_word(output, "Example:");
        expect_word(output, names[i]);
        assert_string_equal(error_output, "");
        snprintf(line, sizeof line, "$posemill help %s", names[i]);
        expect(0, line);
        expect_word(output, "Example:");
    }
    expect(0, "$posemill --help");
    expect_word(output, "Example:");
}

TEST(topics_have_a_help) {
    for (const help_term *topic = help_topics; topic->name; topic++) {
        char line[64];
        snprintf(line, sizeof line, "$posemill help %s", topic->name);
        expect(0, line);
        expect_word(output, "Options:\n  -");
    }
    expect_failure(2, "$posemill help readnig", "did you mean reading?");
}

TEST(version_is_that_of_the_library) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "posemill %s\n", pm_version());
    expect(0, "$posemill --version");
    assert_string_equal(output, wanted);
}

TEST(usage_errors_end_with_2_and_name_the_problem) {
    static const char *const cases[][2] = {
        {"$posemill frobnicate", "frobnicate: unknown command"},
        {"$posemill --frobnicate", "--frobnicate: unknown option"},
        {"$posemill help frobnicate", "frobnicate: unknown command"},
        {"$posemill methods --frobnicate", "--frobnicate: unknown option"},
        {"$posemill methods extra", "extra: unexpected argument"},
        {"$posemill methods --json=3", "takes no value"},
        {"$posemill eval " PLAIN "--out o.npy", "--keys"},
        {EVAL PLAIN, "--out"},
        {EVAL "--key-rate 10 --rate 20 --out o.npy", "--method"},
        {EVAL "--rate 20 --method slerp --out o.npy", "--key-rate"},
        {EVAL "--key-rate 10 --method slerp --out o.npy", "--rate"},
        {EVAL PLAIN "--key-times times.npy --out o.npy", "cannot be combined with --key-rate"},
        {EVAL PLAIN "--times times.npy --out o.npy", "cannot be combined with --rate"},
        {EVAL "--key-rate 10 --times times.npy --count 3 --method slerp --out o.npy", "--count"},
        {EVAL PLAIN "--vectors vectors.npy --out o.npy", "--vectors-out"},
        {EVAL PLAIN "--vectors-out w.npy --out o.npy", "--vectors"},
        {EVAL PLAIN "--vectors vectors.npy --vectors-out o.npy --out o.npy",
         "same file as the output"},
        {EVAL PLAIN "--json --out -", "--json"},
        {EVAL PLAIN "--device cpu --out o.npy", "cannot be combined with --device"},
        {EVAL PLAIN "--device 0,1 --out o.npy", "cannot be combined with --device"},
        {"$posemill devices --device all", "'all' names several devices"},
        {"$posemill devices --device 0,1", "'0,1' names several devices"},
        {EVAL PLAIN "--out", "value is missing"},
        {EVAL PLAIN "--out ''", "--out"},
        {EVAL "--key-rate 0 --rate 20 --method slerp --out o.npy", "not a rate"},
        {EVAL "--key-rate 1/0 --rate 20 --method slerp --out o.npy", "not a rate"},
        {EVAL "--key-rate 10 --rate -5 --method slerp --out o.npy", "not a rate"},
        {EVAL "--key-rate 10 --rate 2e3 --method slerp --out o.npy", "not a rate"},
        {EVAL "--key-rate 10 --rate 99999999999999999999 --method slerp --out o.npy", "not a rate"},
        {EVAL PLAIN "--tangents tcb:0,0 --out o.npy", "tcb:T,C,B"},
        {EVAL PLAIN "--tangents tcb:0,0,2 --out o.npy", "-1 to 1"},
        {EVAL PLAIN "--axis 1,2 --out o.npy", "--axis"},
        {EVAL PLAIN "--axis 0,0,0 --out o.npy", "zero length"},
        {EVAL PLAIN "--swing .5,.5 --out o.npy", "--swing"},
        {EVAL PLAIN "--twist 0,2 --out o.npy", "--twist"},
        {EVAL "--key-rate 10 --rate 20 --method squad --key-format log48 --out o.npy",
         "stores only keys"},
        {EVAL "--key-rate 10 --rate 20 --method sterp --out o.npy", "requires --axis"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        expect_failure(2, cases[i][0], cases[i][1]);
        assert_string_equal(output, "");
    }
    expect_nothing_but(inputs, INPUTS);
}

TEST(the_command_alone_lists_its_verbs) {
    static const char *const names[] = {"devices", "eval", "resample", "convert", "reduce",
                                        "compare", "view", "info",     "methods", "verify"};
    expect(2, "$posemill");
    expect_word(error_output, "posemill: command: missing");
    expect_word(error_output, "Usage:");
    assert_string_equal(output, "");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char line[32];
        snprintf(line, sizeof line, "\n  %-10s", names[i]);
        expect_word(error_output, line);
    }
}

TEST(words_that_are_not_known_name_the_nearest) {
    static const char *const cases[][2] = {
        {"$posemill resampel", "did you mean resample?"},
        {"$posemill Convert", "did you mean convert?"},
        {"$posemill conv", "did you mean convert?"},
        {"$posemill hlep", "did you mean help?"},
        {"$posemill --versoin", "did you mean --version?"},
        {"$posemill help metods", "did you mean methods?"},
        {"$posemill methods --jsno", "did you mean --json?"},
        {"$posemill resample --outdir x", "did you mean --out-dir?"},
        {"$posemill resample --method slrep", "did you mean slerp?"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_failure(2, cases[i][0], cases[i][1]);
    static const char *const far[] = {"$posemill frobnicate", "$posemill x", "$posemill methods -x",
                                      "$posemill methods --frobnicate",
                                      "$posemill resample --method waltz"};
    for (size_t i = 0; i < COUNT_OF(far); i++) {
        expect(2, far[i]);
        assert_null(strstr(error_output, "did you mean"));
    }
}

/* ---- info ---------------------------------------------------------------------- */

#define ONE_JOINT                                                                                  \
    "HIERARCHY\\nROOT Hips\\n{\\nOFFSET 0 0 0\\nCHANNELS 3 Zrotation Xrotation Yrotation\\n}\\n"   \
    "MOTION\\nFrames: 3\\nFrame Time: 0.1\\n"

TEST(info_counts_values_that_are_not_finite) {
    expect(0, "printf '" ONE_JOINT "nan 0 0\\n1 -inf 0\\n2 0 -1.#IND\\n' >a.bvh");
    expect(0, "printf '0,0,1,0,0,0,1,5\\n0,nan,1,0,0,0,inf,5\\n0,,1,0,0,0,1,5\\n' >a.csv");
    expect(0, "$posemill info a.bvh a.csv");
    expect_word(output, "gaps: 3 values are not finite, the first at line 10: joint 0 (Hips), "
                        "Zrotation");
    expect_word(output, "gaps: 3 values are not finite, the first at line 2, column 2");
    expect(0, "$posemill info --json a.bvh");
    expect_word(output, "\"gaps\": 3");
    expect_word(output, "\"first_gap\": \"line 10: joint 0 (Hips), Zrotation\"");
    expect_failure(4, "$posemill convert a.bvh b.glb", "line 10");
    expect(0, "rm a.bvh a.csv");
}

TEST(every_method_of_the_library_is_listed) {
    expect(0, "$posemill methods");
    for (int i = 0; i < PM_METHOD_COUNT; i++)
        expect_word(output, pm_method_get_info((pm_method)i)->name);
    expect(0, "$posemill methods --json");
    expect_word(output, "\"methods\": [");
    expect_word(output, "\"name\": \"squad\"");
}

/* ---- eval ---------------------------------------------------------------------- */

static npy_array read_samples(const char *name, size_t samples, size_t components) {
    const size_t shape[] = {samples, TRACKS, components};
    npy_array array = {0};
    assert_int_equal(npy_read(name, &array, NULL), PM_OK);
    assert_int_equal(array.type, PM_FLOAT32);
    assert_int_equal(npy_expect(&array, name, "the requested shape", 3, shape, NULL), PM_OK);
    return array;
}

TEST(rates_and_counts_give_the_expected_samples) {
    static const struct {
        const char *options;
        size_t samples;
    } cases[] = {
        {"--key-rate 10 --rate 10", 4},
        {"--key-rate 10 --rate 29.97", 9},
        {"--key-rate 10 --rate 60", 19},
        {"--key-rate 30000/1001 --rate 60000/1001", 7},
        {"--key-times times.npy --rate 10", 4},
        {"--key-times times.npy --times times.npy", 4},
        {"--key-rate 10 --rate 10 --count 100", 100},
        {"--key-rate 10 --rate 10 --count 0", 0},
        {"--key-rate 10 --rate 10 --loop 0.4", 4},
        {"--key-rate=10 --rate=10", 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char line[512];
        snprintf(line, sizeof line, EVAL "%s --method squad --out o.npy", cases[i].options);
        expect(0, line);
        SCOPED(npy_release) npy_array array = read_samples("o.npy", cases[i].samples, 4);
    }
}

TEST(curve_options_change_the_curve) {
    static const struct {
        const char *method, *options;
    } cases[] = {{"squad", "--tangents user.npy"}, {"squad", "--tangents tcb:.5,.5,.5"},
                 {"squad", "--ends zero"},         {"squad", "--loop 0.35"},
                 {"slerp", "--key-format log48"},  {"slerp", "--key-format smallest48"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char line[512];
        for (int other = 0; other < 2; other++) {
            snprintf(line, sizeof line, EVAL "--key-rate 10 --rate 40 --method %s %s --out %s",
                     cases[i].method, other ? cases[i].options : "", other ? "p.npy" : "o.npy");
            expect(0, line);
        }
        SCOPED(npy_release)
        npy_array plain = read_samples("o.npy", 13, 4), other = read_samples("p.npy", 13, 4);
        assert_memory_not_equal(other.data, plain.data, plain.bytes);
    }
}

TEST(options_without_effect_are_warned_of) {
    expect(0, EVAL PLAIN "--tangents mean --out o.npy");
    expect_word(error_output, "posemill: warning: --tangents");
    expect(0, EVAL PLAIN "--axis 0,0,1 --out o.npy");
    expect_word(error_output, "posemill: warning: --axis");
    expect(0, EVAL PLAIN "--tangents mean --quiet --out o.npy");
    assert_string_equal(error_output, "");
    assert_string_equal(output, "");
}

TEST(the_report_can_be_json) {
    expect(0, EVAL PLAIN "--json --out o.npy");
    assert_int_equal(output[0], '{');
    expect_word(output, "\"samples\": 7");
    expect_word(output, "\"method\": \"slerp\"");
    assert_string_equal(error_output, "");
}

TEST(streams_take_the_place_of_files) {
    expect(0, EVAL PLAIN "--quiet --out o.npy");
    expect(0, "$posemill eval --reference --keys - " PLAIN "--out - < keys.npy > p.npy");
    expect_word(error_output, "7 samples");
    expect(0, "cmp o.npy p.npy");
}

/* ---- broken inputs ------------------------------------------------------------- */

TEST(unusable_files_end_with_4_and_are_named) {
    static const char *const cases[][2] = {
        {"$posemill eval --reference --keys none.npy " PLAIN "--out o.npy", "none.npy"},
        {"$posemill eval --reference --keys /dev/null " PLAIN "--out o.npy", "/dev/null"},
        {"$posemill eval --reference --keys . " PLAIN "--out o.npy", "Is a directory"},
        {"$posemill eval --reference --keys bad.npy " PLAIN "--out o.npy", "shape is (3, 3)"},
        {"head -c 100 keys.npy > cut.npy; $posemill eval --reference --keys cut.npy " PLAIN
         "--out o.npy",
         "header is truncated"},
        {"head -c 150 keys.npy > cut.npy; $posemill eval --reference --keys cut.npy " PLAIN
         "--out o.npy",
         "requires 192"},
        {EVAL "--key-times bad.npy --rate 20 --method slerp --out o.npy", "bad.npy"},
        {EVAL "--key-rate 20 --times bad.npy --method slerp --out o.npy", "bad.npy"},
        {EVAL PLAIN "--vectors bad.npy --vectors-out w.npy --out o.npy", "(4, 3, 3)"},
        {EVAL "--key-rate 10 --rate 20 --method squad --tangents bad.npy --out o.npy", "(4, 3, 3)"},
        {EVAL "--key-rate 10 --rate 20 --method sterp --axis vectors.npy --out o.npy", "(3, 3)"},
        {EVAL PLAIN "--loop 0.1 --out o.npy", "--loop"},
        {EVAL PLAIN "--loop 0.3 --out o.npy", "track 0"},
        {EVAL "--key-rate 1 --rate 999999999999999999 --method slerp --out o.npy", "samples"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        expect_failure(4, cases[i][0], cases[i][1]);
        remove("cut.npy");
    }
    expect_nothing_but(inputs, INPUTS);
}

TEST(a_broken_key_is_named_by_track_and_key) {
    static const float broken[] = {0.0f, 2.0f, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        make_keys();
        memset(keys[2][1], 0, sizeof keys[2][1]);
        keys[2][1][3] = broken[i];
        write_keys("keys.npy");
        expect_failure(4, EVAL PLAIN "--out o.npy", "posemill: keys.npy: ");
        expect_word(error_output, "track 1");
        expect_word(error_output, "key 2");
    }
    expect_nothing_but(inputs, INPUTS);
}

TEST(an_invalid_vector_is_attributed_to_its_file) {
    const size_t shape[] = {KEYS, TRACKS, 3};
    double vectors[KEYS][TRACKS][3] = {{{0}}};
    vectors[3][2][1] = (double)NAN;
    command_put_array("vectors.npy", PM_FLOAT64, 3, shape, vectors);
    expect_failure(4, EVAL PLAIN "--vectors vectors.npy --vectors-out w.npy --out o.npy",
                   "posemill: vectors.npy: ");
    expect_word(error_output, "track 2");
    expect_word(error_output, "key 3");
    expect_failure(4,
                   EVAL "--key-rate 10 --rate 20 --method squad --tangents vectors.npy --out o.npy",
                   "posemill: vectors.npy: ");
    expect_nothing_but(inputs, INPUTS);
}

TEST(times_that_do_not_increase_are_attributed_to_their_file) {
    static const double cases[][KEYS] = {{0.0, 0.1, 0.1, 0.3},
                                         {0.0, 0.2, 0.1, 0.3},
                                         {0.0, 0.1, (double)NAN, 0.3},
                                         {0.0, 0.1, 0.2, (double)INFINITY}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        write_times("times.npy", KEYS, cases[i]);
        expect_failure(4, EVAL "--key-times times.npy --rate 20 --method slerp --out o.npy",
                       "posemill: times.npy: ");
    }
    expect_nothing_but(inputs, INPUTS);
}

/* ---- outputs ------------------------------------------------------------------- */

TEST(an_output_that_cannot_be_written_ends_with_6) {
    static const char *const cases[][2] = {
        {EVAL PLAIN "--out none/o.npy", "none/o.npy"},
        {EVAL PLAIN "--out keys.npy/o.npy", "keys.npy/o.npy"},
        {EVAL PLAIN "--out .", "Is a directory"},
        {EVAL PLAIN "--out /dev/full", "No space left"},
        {EVAL PLAIN "--out - > /dev/full", "No space left"},
        {EVAL PLAIN "--vectors vectors.npy --vectors-out /dev/full --out o.npy", "/dev/full"},
        {EVAL PLAIN "--vectors vectors.npy --vectors-out w.npy --out /dev/full", "/dev/full"},
        {"$posemill methods > /dev/full", "standard output"},
        {"$posemill methods --json > /dev/full", "standard output"},
        {"(ulimit -f 1; " EVAL PLAIN "--count 100000 --out o.npy)", "o.npy"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_failure(6, cases[i][0], cases[i][1]);
    expect_nothing_but(inputs, INPUTS);
}

/* ---- devices ------------------------------------------------------------------- */

TEST(a_device_that_is_not_there_ends_with_3) {
    static const char *const names[] = {"99", "99:0", "'no such device'", "0,", "99,98"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char line[256];
        snprintf(line, sizeof line,
                 "$posemill eval --keys keys.npy " PLAIN "--out o.npy --device %s", names[i]);
        expect_failure(3, line, "posemill: device: ");
        snprintf(line, sizeof line,
                 "POSEMILL_DEVICE=%s $posemill eval --keys keys.npy " PLAIN "--out o.npy",
                 names[i]);
        expect_failure(3, line, "posemill: device: ");
        snprintf(line, sizeof line, "$posemill verify --json --device %s", names[i]);
        expect_failure(3, line, "posemill: device: ");
        assert_string_equal(output, "");
        if (!strchr(names[i], ',')) {
            snprintf(line, sizeof line, "$posemill devices --device %s", names[i]);
            expect_failure(3, line, "posemill: device: ");
        }
    }
    expect_nothing_but(inputs, INPUTS);
}

#if POSEMILL_OPENCL
static const char no_driver[] = "no OpenCL driver is installed", remedy[] = "pocl-opencl-icd";
#else
static const char no_driver[] = "built without OpenCL", remedy[] = "-DPOSEMILL_OPENCL=ON";
#endif

/* An empty folder replaces the list of drivers. */
TEST(without_a_driver_a_hint_is_printed_and_the_reference_path_is_used) {
    setenv("OCL_ICD_VENDORS", command_folder, 1);
    setenv("OPENCL_VENDOR_PATH", command_folder, 1);
    expect(0, "$posemill devices");
    expect_word(output, "reference");
    expect_word(error_output, no_driver);
    expect_word(error_output, remedy);
    expect(0, "$posemill devices --json");
    expect_word(output, "\"devices\": []");
    expect_failure(3, "$posemill devices --device gpu", remedy);
    expect_failure(3, "$posemill eval --keys keys.npy " PLAIN "--device cpu --out o.npy", remedy);
    expect_failure(3, "$posemill eval --keys keys.npy " PLAIN "--device all --out o.npy", remedy);
    expect(0, "$posemill eval --keys keys.npy " PLAIN "--out o.npy");
    expect_word(error_output, "reference path");
    expect(0, EVAL PLAIN "--out p.npy");
    assert_string_equal(error_output, "");
    expect(0, "cmp o.npy p.npy");
    unsetenv("OCL_ICD_VENDORS");
    unsetenv("OPENCL_VENDOR_PATH");
}

/* A device that is named is used, or missed. An empty folder replaces the list of drivers, some of which
 * cannot be loaded beside a sanitizer. */
TEST(one_file_is_resampled_in_plain_c_unless_a_device_is_named) {
    static const char in_c[] = ": in plain C: no device is opened for ";
    char line[512];
    setenv("OCL_ICD_VENDORS", command_folder, 1);
    setenv("OPENCL_VENDOR_PATH", command_folder, 1);
    snprintf(line, sizeof line, "cp '%s/examples/walk.bvh' walk.bvh", POSEMILL_SOURCE_DIR);
    expect(0, line);
    expect(0, "$posemill resample walk.bvh --rate 60 -o none.bvh --device none --verbose");
    assert_string_equal(error_output, "");
    expect(0, "$posemill resample walk.bvh --rate 60 -o auto.bvh --device auto --verbose");
    expect_word(output, "on reference");
    expect_word(error_output, "walk.bvh");
    expect_word(error_output, in_c);
    expect(0, "$posemill resample walk.bvh --rate 60 -o quiet.bvh --device auto");
    assert_string_equal(error_output, "");
    expect(0, "cmp none.bvh auto.bvh && cmp none.bvh quiet.bvh");
    expect(0, "$posemill resample walk.bvh --rate 60 -o checked.bvh --device none --check");
    expect_word(error_output, "plain C is compared with itself");
    expect(0, "$posemill resample walk.bvh --rate 60 --out-dir out --device auto --verbose");
    expect_word(error_output, in_c);
    expect(0, "cmp none.bvh out/walk.bvh");
    expect_failure(3, "$posemill resample walk.bvh --rate 60 -o o.bvh --device gpu", no_driver);
    expect_failure(3, "POSEMILL_DEVICE=gpu $posemill resample walk.bvh -r 60 -o o.bvh", no_driver);
    unsetenv("OCL_ICD_VENDORS");
    unsetenv("OPENCL_VENDOR_PATH");
}

TEST(verify_passes_on_the_reference) {
    expect(0, "$posemill verify --device none --samples 500 --seed 7");
    expect_word(output, "seed 7");
    expect_word(output, "raw max");
    for (int i = 0; i < PM_METHOD_COUNT; i++)
        expect_word(output, pm_method_get_info((pm_method)i)->name);
    assert_null(strstr(output, "FAIL"));
    expect(0, "$posemill verify --device none --samples 50 --json");
    expect_word(output, "\"passed\": true");
    expect_word(output, "\"raw_max_error_rad\": ");
}

TEST_GROUP(command_enter_folder, command_leave_folder)
TEST_EACH(make_inputs, command_empty_folder)
