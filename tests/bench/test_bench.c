/* SPDX-License-Identifier: MIT
 *
 * Tests of posemill bench with very small sizes: the list of cases, the content of the record,
 * and rejected arguments. Performance is not tested.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill.h>

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/counts.h"
#include "support/check.h"
#include "support/command.h"
#include "support/test_folder.h"
#include "support/traced.h"

/* ---- running ------------------------------------------------------------------- */

static char record[1 << 24]; /* record.json of the last run */

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
}

static void expect_refused(const char *arguments, const char *words) {
    expect_failure(2, bench(arguments), words);
    assert_string_equal(output, "");
}

static size_t occurrences(const char *text, const char *word) {
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

/* ---- the record ---------------------------------------------------------------- */

/* The text after `"member": ` in the record, searched from `from`; fails if it is missing. */
static const char *member(const char *from, const char *name) {
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\": ", name);
    const char *at = strstr(from, pattern);
    if (!at) {
        fail_msg("no %s in: %s", name, from);
        return "";
    }
    return at + strlen(pattern);
}

static const char *find_case(const char *name) {
    char pattern[160];
    snprintf(pattern, sizeof pattern, "{\n      \"name\": \"%s\"", name);
    const char *at = strstr(record, pattern);
    if (!at)
        fail_msg("no case %s in: %s", name, record);
    return at;
}

/* A member of a case as a number; NAN for null. */
static double number(const char *of, const char *name) {
    const char *text = member(of, name);
    const char *end = strchr(of, '}');
    assert_true(end != NULL && text < end);
    return strncmp(text, "null", 4) == 0 ? (double)NAN : strtod(text, NULL);
}

/* The case of this name, whose times must be sound. */
__attribute__((format(printf, 1, 2))) static const char *sound_case(const char *format, ...) {
    char name[96];
    va_list words;
    va_start(words, format);
    vsnprintf(name, sizeof name, format, words);
    va_end(words);
    const char *of = find_case(name);
    const double samples = number(of, "samples"), median = number(of, "seconds_median");
    const double rate = number(of, "samples_per_s"), share = number(of, "ceiling_share");
    const double ratio = number(of, "baseline_ratio");
    assert_true(samples >= 1.0);
    assert_true(number(of, "seconds_min") > 0.0);
    assert_true(number(of, "seconds_min") <= median);
    assert_true(median <= number(of, "seconds_p95"));
    assert_true(fabs(rate * median - samples) <= 1e-9 * samples);
    assert_true(number(of, "bytes_per_sample") >= 16.0);
    assert_true(isnan(share) || share > 0.0);
    assert_true(isnan(ratio) || ratio > 0.0);
    (void)number(of, "max_error_rad");
    return of;
}

/* A case with a bound states what it moves and computes. */
static void expect_bound(const char *of) {
    const char *bound = member(of, "bound");
    assert_true(strncmp(bound, "\"fill\"", 6) == 0 || strncmp(bound, "\"copy\"", 6) == 0 ||
                strncmp(bound, "\"arithmetic\"", 12) == 0);
    assert_true(number(of, "bound_share") > 0.0);
    assert_true(number(of, "bytes_read") > 0.0);
    assert_true(number(of, "bytes_written") == 16.0 * number(of, "samples"));
    assert_true(number(of, "operations") >= 0.0);
}

/* The arithmetic ceiling is in operations, and has no ceiling itself. */
static void expect_arithmetic(void) {
    const char *of = find_case("ceiling/arithmetic");
    assert_true(number(of, "operations") > 0.0);
    assert_true(number(of, "samples") == number(of, "operations"));
    assert_true(number(of, "samples_per_s") > 0.0);
    assert_true(isnan(number(of, "ceiling_share")) && isnan(number(of, "bound_share")));
}

/* One rate of fills, or two in ascending order. */
static void expect_fill_rates(void) {
    char *end;
    const char *rates = member(record, "fill_rates");
    assert_int_equal(*rates, '[');
    const double first = strtod(rates + 1, &end);
    assert_true(first > 0.0);
    assert_true(*end == ']' || (*end == ',' && strtod(end + 1, NULL) > 1.3 * first));
}

static const char *const coded_groups[] = {"upsample-2-log48", "downsample-4-log48", "times-log48",
                                           "times-smallest48"};
enum { CODED_GROUPS = COUNT_OF(coded_groups) };

/* Checks every method of a group; results must be within twice the documented bound. */
static void expect_group(const char *group) {
    for (int m = 0; m < PM_METHOD_COUNT; m++) {
        const pm_method_info *info = pm_method_get_info((pm_method)m);
        if (info->needs_uniform_keys && strcmp(group, "nonuniform") == 0)
            continue;
        const char *of = sound_case("%s/%s", group, info->name);
        assert_true(number(of, "max_error_rad") <= 2.0 * info->max_error);
        assert_true(number(of, "ceiling_share") > 0.0);
        expect_bound(of);
    }
}

/* Sizes for --samples 4096: from one pose, in steps of eight, up to four times as many samples. */
static const int sizes[] = {64, 512, 4096, 16384};
enum { SIZES = COUNT_OF(sizes) };

/* Checks that both methods have every size, each with its own ceiling, and no other size. */
static void expect_sizes(void) {
    static const pm_method methods[] = {PM_METHOD_SLERP, PM_METHOD_SQUAD};
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        const pm_method_info *info = pm_method_get_info(methods[m]);
        for (size_t i = 0; i < SIZES; i++) {
            const char *of = sound_case("sizes/%s-%d", info->name, sizes[i]);
            assert_true(number(of, "samples") == (double)sizes[i]);
            assert_true(number(of, "ceiling_share") > 0.0);
            assert_true(number(of, "max_error_rad") <= 2.0 * info->max_error);
            expect_bound(of);
        }
    }
    assert_int_equal(occurrences(record, "\"sizes/"), 2 * SIZES);
}

/* Slerp with keys of 48 bits, which the reference path decodes too. */
static void expect_coded_groups(void) {
    for (size_t g = 0; g < CODED_GROUPS; g++) {
        const char *of = sound_case("%s/slerp", coded_groups[g]);
        assert_true(number(of, "max_error_rad") <= 1e-6);
    }
}

/* The instances of a crowd of 64 joints and 48 bytes: as many as fit in the size of 16384 samples
 * of 16 bytes. */
static void expect_crowd(void) {
    static const char *const names[] = {"crowd/model", "crowd/palette", "crowd/crossfade",
                                        "ceiling/palette-fill"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *of = sound_case("%s", names[i]);
        assert_true(number(of, "samples") == 85 * 64.0);
        assert_true(number(of, "bytes_per_sample") == 48.0);
        assert_true(number(of, "ceiling_share") > 0.0);
        assert_true(isnan(number(of, "baseline_ratio")) == (i == 3));
        assert_true(i == 3 || number(of, "max_error_rad") <= 1e-5);
        assert_true(i == 3 || number(of, "bound_share") > 0.0);
    }
    assert_int_equal(occurrences(record, "\"crowd/"), 3);
}

/* For --samples 4096: the scenes that fit, and the number of joints updated per frame. */
static const struct {
    const char *name;
    double samples, bytes;
} crowds[] = {
    {"1x64-8-clips", 64, 48},
    {"1x300-8-clips", 300, 48},
    {"alike", 85 * 64, 48},
    {"sorted", 85 * 64, 48},
    {"crossfade-sorted", 85 * 64, 48},
    {"additive", 85 * 64, 48},
    {"half", 170 * 64, 24},
    {"dual", 128 * 64, 32},
    {"local", 85 * 64, 48},
    {"half-crossfade", 170 * 64, 24},
    {"dual-crossfade", 128 * 64, 32},
    {"every-2nd-frame", (16 + 16 + 16) * 64, 48},
    /* all of the first 29; of the next 28 those in group 2 of 16; of the rest those in group 4 */
    {"levels", (29 + 16 + 16) * 64, 48},
    {"log48", 85 * 64, 48},
    {"smallest48", 85 * 64, 48},
    {"crossfade-log48", 85 * 64, 48},
    {"one-64", 64, 48},
    {"one-64-played", 64, 48},
    {"one-300", 300, 48},
    {"one-300-log48", 300, 48},
};
enum { CROWDS = COUNT_OF(crowds) };

static void expect_crowds(void) {
    for (size_t i = 0; i < CROWDS; i++) {
        const char *of = sound_case("crowds/%s", crowds[i].name);
        assert_true(number(of, "samples") == crowds[i].samples);
        assert_true(number(of, "bytes_per_sample") == crowds[i].bytes);
        assert_true(number(of, "max_error_rad") <= (crowds[i].bytes < 32.0 ? 0x1p-9 : 1e-5));
    }
}

#if POSEMILL_BATCH
/* A quick run has 24 files. */
static const struct {
    const char *name;
    bool has_ceiling, has_baseline, is_checked;
} batches[] = {
    {"cp", false, false, false},       {"storage", true, false, false},
    {"bvh-jobs-1", true, false, true}, {"bvh-jobs-2", true, true, true},
#if POSEMILL_NPZ
    {"npz-jobs-1", true, false, true}, {"npz-jobs-2", true, true, true},
#endif
};
enum { BATCHES = COUNT_OF(batches) };

static void expect_batches(void) {
    for (size_t i = 0; i < BATCHES; i++) {
        char rate[32];
        const char *of = sound_case("batch/%s", batches[i].name);
        const double read = number(of, "bytes_read"), written = number(of, "bytes_written");
        const double error = number(of, "max_error_rad");
        assert_true(number(of, "files") == 24.0);
        assert_true(read > 24 * 1e5);
        assert_true(batches[i].is_checked ? written != read && written > 24 * 2e4
                                          : written == read);
        assert_true(isnan(number(of, "ceiling_share")) != batches[i].has_ceiling);
        assert_true(isnan(number(of, "baseline_ratio")) != batches[i].has_baseline);
        assert_true(batches[i].is_checked ? error <= 2e-6 : isnan(error));
        snprintf(rate, sizeof rate, "  %.0f files/s\n", 24.0 / number(of, "seconds_median"));
        assert_non_null(strstr(output, rate));
    }
    assert_int_equal(occurrences(record, "\"files\": "), BATCHES);
}
#else
enum { BATCHES = 0 };

static void expect_batches(void) {
    assert_null(strstr(record, "\"batch/"));
}
#endif

/* For --samples 4096: files have the least number of frames, 9, and GLB always has 10000 channels. */
static const struct {
    const char *name;
    double samples;
    bool has_ceiling, has_baseline, is_checked;
} files[] = {
    {"cat", 9 * 60, true, false, false},
    {"storage", 9 * 60, true, false, false},
    {"bvh-x1", 9 * 60, true, false, true},
    {"bvh-x4", 33 * 60, true, false, true},
#if POSEMILL_NPZ
    {"npz-stored-x1", 9 * 52, true, false, true},
    {"npz-stored-120-to-30", 3 * 52, true, false, true},
    {"zlib", 9 * 52, false, true, false},
    {"npz-deflated-x1", 9 * 52, true, true, true},
    {"npz-deflated-120-to-30", 3 * 52, true, true, true},
#endif
#if POSEMILL_GLTF
    {"glb-open", 10000, true, false, true},
    {"glb-open-own-times", 10000, true, false, true},
#endif
};
enum { FILES = COUNT_OF(files) };

static void expect_files(void) {
    for (size_t i = 0; i < FILES; i++) {
        const char *of = sound_case("files/%s", files[i].name);
        const double read = number(of, "bytes_read"), written = number(of, "bytes_written");
        const double error = number(of, "max_error_rad");
        assert_true(number(of, "samples") == files[i].samples);
        assert_true(read > 0.0);
        assert_true((written > 0.0) == (strncmp(files[i].name, "glb-open", 8) != 0));
        assert_true(number(of, "bytes_per_sample") == floor((read + written) / files[i].samples));
        assert_true(isnan(number(of, "ceiling_share")) != files[i].has_ceiling);
        assert_true(isnan(number(of, "baseline_ratio")) != files[i].has_baseline);
        assert_true(files[i].is_checked ? error <= 2e-6 : isnan(error));
        assert_memory_equal(member(of, "bound"), "null", 4);
        assert_true(isnan(number(of, "operations")) && isnan(number(of, "bound_share")));
    }
    assert_int_equal(occurrences(record, "\"files/"), FILES);
}

/* 72 operations for each weight (test_work), twice: 32 weights a sample, and 90 with 0.45 of a quarter. */
static void expect_lowpass(void) {
    static const struct {
        const char *name;
        double weights;
    } cases[] = {{"taps-32", 32}, {"down-4", 90}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *of = sound_case("lowpass/%s", cases[i].name);
        assert_true(number(of, "max_error_rad") <= 1e-6);
        assert_true(number(of, "operations") == number(of, "samples") * cases[i].weights * 2 * 72);
        assert_true(number(of, "bound_share") > 0.0);
    }
}

enum { LAYOUTS = 12 };

static void expect_layouts(void) {
    static const char *const what[LAYOUTS] = {"offset-0",           "offset-4",       "offset-8",
                                              "offset-12",          "offset-16",      "offset-20",
                                              "squad-offset-0",     "squad-offset-4", "tracks-16",
                                              "tracks-16-offset-4", "tracks-4",       "tracks-1"};
    for (size_t i = 0; i < LAYOUTS; i++) {
        const char *of = sound_case("layout/%s", what[i]);
        assert_true(number(of, "samples") == 4096 && number(of, "bytes_written") == 4096 * 16);
    }
}

/* ---- tests --------------------------------------------------------------------- */

static const char *const job_groups[] = {
    "upsample-4", "upsample-2", "downsample-4", "nonuniform", "loop",
    "times",      "samples",    "oneshot-4",    "oneshot-2",  "oneshot-down-4"};
enum { JOB_GROUPS = COUNT_OF(job_groups) };

/* Methods that have a simple loop, where the compiler has vectors of acosf and sinf. */
static size_t simple_cases(void) {
    return BENCH_VECTOR_MATH ? 2 : 0;
}

static void expect_cases(const char *pattern, void (*expect_them)(void)) {
    char arguments[128];
    snprintf(arguments, sizeof arguments,
             "--device none --quick --samples 4096 --case '%s' --json record.json", pattern);
    measure(arguments);
    expect_them();
}

/* With small sizes each kind of case; other tests measure one method of each kind of job. A record
 * repeats the pattern, which must not count as a case. */
TEST(every_method_is_a_case_of_every_kind_of_job_on_the_reference) {
    if (small_sizes()) {
        expect_cases("ceiling/arithmetic", expect_arithmetic);
        expect_cases("size?/*", expect_sizes);
        expect_cases("file?/*", expect_files);
#if POSEMILL_BATCH
        expect_cases("batch/*", expect_batches);
#endif
        return;
    }
    measure("--device none --quick --samples 4096 --json record.json");
    for (size_t g = 0; g < JOB_GROUPS; g++)
        expect_group(job_groups[g]);
    expect_coded_groups();
    sound_case("ceiling/fill");
    sound_case("ceiling/copy");
    expect_arithmetic();
    for (int m = 0; m < PM_METHOD_COUNT; m++)
        sound_case("clip/%s", pm_method_get_info((pm_method)m)->name);
    expect_sizes();
    expect_layouts();
    expect_lowpass();
    expect_crowd();
    expect_files();
    expect_batches();
    expect_fill_rates();
    /* bspline has no nonuniform keys; a quick run excludes crowds */
    assert_int_equal(occurrences(record, "\"name\": "),
                     3 + 2 + 4 + 6 + LAYOUTS + CODED_GROUPS + (JOB_GROUPS + 1) * PM_METHOD_COUNT -
                         1 + 2 * SIZES + FILES + BATCHES + simple_cases());
    assert_null(strstr(output, "WRONG"));
}

TEST(the_baseline_computes_the_same_curves) {
    static const char *const names[] = {"baseline/nlerp", "baseline/slerp",   "baseline/squad",
                                        "baseline/model", "baseline/palette", "baseline/crossfade"};
    measure("--device none --quick --samples 4096 --case 'baseline/*' --json record.json");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *of = sound_case("%s", names[i]);
        assert_true(number(of, "max_error_rad") < 1e-5);
        assert_true(fabs(number(of, "baseline_ratio") - 1.0) < 1e-12);
        assert_true(number(of, "ceiling_share") > 0.0);
        assert_true(number(of, "bound_share") > 0.0);
    }
    assert_int_equal(occurrences(record, "\"name\": \"baseline/"), COUNT_OF(names));
}

TEST(the_simple_loops_compute_the_same_curves_where_they_are_vectors) {
    const char *arguments = "--device none --quick --samples 4096 --case 's?mple/*' "
                            "--json record.json";
    if (simple_cases() == 0) {
        expect_refused(arguments, "no case");
        return;
    }
    measure(arguments);
    assert_true(number(sound_case("simple/slerp"), "max_error_rad") < 1e-5);
    assert_true(number(sound_case("simple/squad"), "max_error_rad") < 1e-5);
    assert_true(number(find_case("simple/squad"), "baseline_ratio") > 0.0);
    assert_int_equal(occurrences(record, "\"simple/"), simple_cases());
}

TEST(case_picks_by_glob_and_refuses_what_matches_nothing) {
    measure("--device none --quick --samples 2048 --case '*/squa[d]' --json record.json");
    /* includes baseline and clip, and perhaps simple */
    const size_t matching = 2 + JOB_GROUPS + simple_cases() / 2;
    assert_int_equal(occurrences(record, "\"name\": "), matching);
    assert_int_equal(occurrences(record, "/squad\""), matching);
    assert_int_equal(occurrences(output, "/squad "), matching);
    measure(
        "--device none --quick --samples 2048 --case 'no/*,upsample-4/sl*,upsample-2/squad' --json "
        "record.json");
    assert_int_equal(occurrences(record, "\"name\": "), 2);
    expect_refused("--device none --case nothing/at-all", "no case");
    expect_refused("--device none --case obvious/slerp", "no case");
}

TEST(crowds_are_posed_in_a_quick_run_when_asked_for) {
    measure("--device none --quick --samples 4096 --case 'crowds/*' --json record.json");
    expect_crowds();
    assert_int_equal(occurrences(record, "\"name\": "), CROWDS);
    for (size_t i = 0; i < CROWDS; i++) {
        const char *of = sound_case("crowds/%s", crowds[i].name);
        bool one = strncmp(crowds[i].name, "one-", 4) == 0;
        assert_true(isnan(number(of, "ceiling_share")) == one);
        /* all of these are results of the reference path */
        assert_true(number(of, "max_error_rad") == 0.0);
    }
    assert_null(strstr(output, "differ"));
}

static void expect_states(const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *of = sound_case("state/%s", names[i]);
        assert_true(number(of, "samples") == 4096 * 24.0);
        assert_true(number(of, "bytes_per_sample") == 52.0);
        assert_true(number(of, "bytes_written") == 4096 * 24 * 52.0);
        assert_true(number(of, "ceiling_share") > 0.0);
        assert_true(number(of, "bound_share") > 0.0);
        /* all of these are results of the reference path */
        assert_true(number(of, "max_error_rad") == 0.0);
    }
    assert_int_equal(occurrences(record, "\"name\": "), count);
    assert_null(strstr(output, "differ"));
}

/* 131072 samples have room for the states of 4096 bodies, and not of 8192. */
TEST(states_are_posed_with_few_clips_in_a_quick_run_and_with_many_in_others) {
    static const char *const few[] = {"4096x24-1k", "4096x24-1k-log48", "4096x24-1k-squad"};
    static const char *const many[] = {"4096x24-100k-log48"};
    measure("--device none --quick --samples 131072 --case 'state/*' --json record.json");
    expect_states(few, COUNT_OF(few));
    if (small_sizes())
        return;
    measure("--device none --samples 131072 --case 'state/*100k-*' --json record.json");
    expect_states(many, COUNT_OF(many));
}

static bool exists(const traced *t, const void *pattern) {
    (void)t;
    SCOPED(globfree) glob_t found;
    const bool any = glob(pattern, 0, NULL, &found) == 0;
    return any;
}

/* Sends a signal when a file that matches the pattern exists. A process that removes the folder may
 * outlive the command. */
static void expect_no_folder_after(char *const *words, const char *pattern, int number) {
    traced t = traced_begin(words);
    if (!traced_run_until(&t, exists, pattern))
        fail_msg("%s never existed", pattern);
    const int status = traced_finish(&t, number);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != number || exists(&t, "posemill-bench-*"))
        fail_msg("%s: signal %d, status %x", pattern, number, (unsigned)status);
    assert_int_equal(remove("messages.txt"), 0);
}

/* While the input or the output is written, and, with one that no process can handle too, while files
 * are stored and resampled in a batch. */
TEST(a_signal_leaves_no_folder) {
    static const struct {
        char *cases, *file;
        int number;
    } moments[] = {
        {"files/bvh*", "posemill-bench-*/input0.bvh", SIGTERM},
        {"files/bvh*", "posemill-bench-*/.posemill-*.part", SIGTERM},
#if POSEMILL_BATCH
        {"batch/storage", "posemill-bench-*/out/0", SIGTERM},
        {"batch/bvh-jobs-2", "posemill-bench-*/alone.bvh", SIGKILL},
        {"batch/bvh-jobs-2", "posemill-bench-*/out/.posemill", SIGKILL}
#endif
    };
    for (size_t i = 0; i < COUNT_OF(moments); i++) {
        char *const words[] = {POSEMILL_COMMAND, "bench",  "--device",       "none", "--quick",
                               "--quiet",        "--case", moments[i].cases, NULL};
        expect_no_folder_after(words, moments[i].file, moments[i].number);
    }
}

TEST(what_cannot_be_measured_is_refused) {
    expect_refused("--device none --samples 2047", "at least 2048");
    expect_refused("--device all", "'all' names several devices");
    expect_refused("--device 0,1", "'0,1' names several devices");
    expect_refused("--device none --samples many", "--samples");
    expect_refused("--device none --fast", "unknown option");
    expect_refused("--device none slerp", "unexpected argument");
    expect_refused("--device none --samples 18446744073709551615000", "--samples");
    expect_refused("--device none --samples 18446744073709551616", "too large");
    expect_refused("--device none --samples 0", "at least 2048");
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
