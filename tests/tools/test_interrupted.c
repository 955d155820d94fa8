/* SPDX-License-Identifier: MIT
 *
 * Ends the command by signals at random system calls on the default device. Whichever driver has
 * installed handlers in the meantime, no temporary file remains, and files left by kill -9 are
 * removed by the next run. The calls are chosen within twice the number of a complete run. An input changes at such a call too.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/command.h"
#include "support/traced.h"

#include "oracle/random_tracks.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

enum { KEYS = 64, TRACKS = 16, FRAMES = 40, WRITING = 1 << 16, LARGE = 1 << 28 };

/* Jobs that take much longer than they are allowed to run. */
static char *const eval_job[] = {POSEMILL_COMMAND, "eval",     "--quiet", "--keys",     "keys.npy",
                                 "--key-rate",     "30",       "--rate",  "48000",      "--count",
                                 "900000000",      "--method", "squad",   "--velocity", "v.npy",
                                 "--out",          "out.npy",  NULL};
static char *const resample_job[] = {
    POSEMILL_COMMAND, "resample",     "--quiet",   "walk.bvh", "-o",    "out.bvh", "--rate",
    "90000000",       "--max-frames", "900000000", "--method", "squad", NULL};
/* A minimal job, to count the calls of the startup. */
static char *const short_job[] = {POSEMILL_COMMAND, "eval",  "--quiet", "--keys", "keys.npy",
                                  "--key-rate",     "30",    "--rate",  "30",     "--method",
                                  "squad",          "--out", "x.npy",   NULL};

static void write_keys(random_source *source) {
    static float keys[KEYS][TRACKS][4];
    const size_t shape[] = {KEYS, TRACKS, 4};
    for (size_t i = 0; i < KEYS; i++) {
        for (size_t t = 0; t < TRACKS; t++) {
            double half = random_unit(source) - 0.5;
            keys[i][t][t % 3] = (float)sin(half);
            keys[i][t][3] = (float)cos(half);
        }
    }
    command_put_array("keys.npy", PM_FLOAT32, 3, shape, keys);
}

static void write_motion(random_source *source) {
    FILE *file = fopen("walk.bvh", "wb");
    assert_non_null(file);
    fprintf(file,
            "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
            "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: %d\nFrame Time: 0.033333\n",
            FRAMES);
    for (int i = 0; i < FRAMES; i++)
        fprintf(file, "%.3f %.3f %.3f\n", 90 * random_unit(source), 90 * random_unit(source),
                90 * random_unit(source));
    assert_int_equal(fclose(file), 0);
}

static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

/* Returns the number of temporary files; *bytes is the size of the largest. */
static size_t pending_size(off_t *bytes) {
    size_t count = 0;
    struct stat status;
    DIR *entries = opendir(".");
    assert_non_null(entries);
    *bytes = 0;
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (strncmp(entry->d_name, ".posemill", 9) == 0) {
            count++;
            if (lstat(entry->d_name, &status) == 0 && status.st_size > *bytes)
                *bytes = status.st_size;
        }
    }
    closedir(entries);
    return count;
}

static size_t pending_files(void) {
    off_t bytes = 0;
    return pending_size(&bytes);
}

static bool has_made_all_calls(const traced *t, const void *calls) {
    off_t bytes = 0;
    pending_size(&bytes);
    return t->stops >= *(const size_t *)calls || bytes >= LARGE;
}

/* Every file is locked before samples are written. */
static bool is_writing(const traced *t, const void *count) {
    off_t bytes = 0;
    (void)t;
    return pending_size(&bytes) == *(const size_t *)count && bytes >= WRITING;
}

static void expect_short_job(void) {
    traced t = traced_begin(short_job);
    assert_int_equal(traced_finish(&t, 0), 0);
}

/* The stops at system calls of a complete run. */
static size_t calls_of_start(void) {
    const size_t all = SIZE_MAX;
    expect_short_job(); /* compiles the kernels once */
    traced t = traced_begin(short_job);
    assert_false(traced_run_until(&t, has_made_all_calls, &all));
    assert_int_equal(t.status, 0);
    return t.stops;
}

/* Runs a job until it has made so many calls, or its file is large. */
static traced run_part(char *const *job, size_t calls) {
    traced t = traced_begin(job);
    assert_true(traced_run_until(&t, has_made_all_calls, &calls));
    return t;
}

static size_t rounds(void) {
    return long_sweeps() ? 32 : 16;
}

/* Whether the process was ended by the signal, and not by itself. */
static bool ended_by(int status, int number) {
    return WIFSIGNALED(status) && WTERMSIG(status) == number;
}

/* Ends a job at a random call in each round. Returns how often it was writing at that time. */
static size_t interrupt(random_source *source, size_t count) {
    const size_t most = 2 * calls_of_start();
    size_t writing = 0;
    for (size_t i = 0; i < count; i++) {
        char *const *job = i % 2 == 0 ? eval_job : resample_job;
        int number = signals[i / 2 % 3];
        const size_t calls = random_size(source, 0, most);
        traced t = run_part(job, calls);
        writing += pending_files() != 0;
        int status = traced_finish(&t, number);
        if (!ended_by(status, number) || pending_files() != 0 || access("out.npy", F_OK) == 0 ||
            access("out.bvh", F_OK) == 0)
            fail_msg("round %zu: signal %d at call %zu of %s: status %x, %zu files left", i, number,
                     calls, job[1], (unsigned)status, pending_files());
    }
    print_message("%zu of %zu were writing\n", writing, count);
    return writing;
}

TEST(signals_at_any_moment_leave_no_file) {
    random_source source = random_start();
    write_keys(&source);
    write_motion(&source);
    assert_true(interrupt(&source, rounds()) > rounds() / 8);
}

/* Drivers install their own handlers while compiling. The first samples are computed while kernels
 * compile, with files open. */
TEST(signals_while_kernels_are_compiled_leave_no_file) {
    random_source source = random_start();
    write_keys(&source);
    write_motion(&source);
    setenv("POSEMILL_CACHE", "off", 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    interrupt(&source, rounds() / 16);
    unsetenv("POSEMILL_CACHE");
    unsetenv("POCL_KERNEL_CACHE");
}

TEST(files_left_by_a_kill_are_removed_by_the_next_run) {
    random_source source = random_start();
    write_keys(&source);
    write_motion(&source);
    const size_t most = 2 * calls_of_start();
    size_t left = 0;
    for (size_t i = 0; i < rounds() / 4; i++) {
        const size_t calls = random_size(&source, 0, most);
        traced t = run_part(i % 2 == 0 ? eval_job : resample_job, calls);
        assert_true(ended_by(traced_finish(&t, SIGKILL), SIGKILL));
        left += pending_files() != 0;
        expect_short_job();
        if (pending_files() != 0)
            fail_msg("round %zu: killed at call %zu, and still there", i, calls);
    }
    print_message("%zu of %zu left a file\n", left, rounds() / 4);
    assert_true(left > 0);
}

/* Files of running processes are kept. Links are not followed. Files that are not regular or have
 * other names are left alone. */
TEST(only_files_of_ended_processes_are_removed) {
    random_source source = random_start();
    write_keys(&source);
    const size_t samples_and_velocities = 2;
    traced alive = traced_begin(eval_job);
    assert_true(traced_run_until(&alive, is_writing, &samples_and_velocities));
    expect(0,
           "echo precious > precious; ln -s precious .posemill-1-1.part; "
           "mkdir .posemill-2-2.part; mkfifo .posemill-3-3.part; echo dead > .posemill-4-4.part; "
           "echo mine > .posemill-notes; mkdir other; echo dead > other/.posemill-5-5.part");
    expect(0, "$posemill eval --quiet --keys keys.npy --key-rate 30 --rate 30 --method squad "
              "--out x.npy");
    expect(0, "test -L .posemill-1-1.part && test -d .posemill-2-2.part && "
              "test -p .posemill-3-3.part && test ! -e .posemill-4-4.part && "
              "test -f .posemill-notes && grep -q precious precious && "
              "test -f other/.posemill-5-5.part");
    assert_int_equal(pending_files(), 2 + 4);
    assert_true(ended_by(traced_finish(&alive, SIGTERM), SIGTERM));
    assert_int_equal(pending_files(), 4);
}

/* Concurrent runs in one folder: none may remove the temporary file of another. */
TEST(concurrent_runs_keep_each_other_s_files) {
    random_source source = random_start();
    write_keys(&source);
    for (int i = 0; i < 10; i++) {
        expect(0, "for n in 1 2 3 4; do $posemill eval --quiet --reference --keys keys.npy "
                  "--key-rate 30 --rate 60 --method slerp --out o$n.npy & done; wait; "
                  "cmp o1.npy o2.npy && cmp o1.npy o3.npy && cmp o1.npy o4.npy && rm o?.npy");
        assert_string_equal(error_output, "");
        assert_int_equal(pending_files(), 0);
    }
}

TEST(ignored_signals_stay_ignored) {
    static char *const job[] = {"/bin/sh", "-c",
                                "trap '' HUP INT; exec $posemill eval --quiet --keys keys.npy "
                                "--key-rate 30 --rate 48000 --method squad --out out.npy",
                                NULL};
    random_source source = random_start();
    write_keys(&source);
    const size_t one = 1;
    traced t = traced_begin(job);
    assert_true(traced_run_until(&t, is_writing, &one));
    assert_int_equal(kill(t.pid, SIGHUP), 0);
    assert_int_equal(traced_finish(&t, SIGINT), 0);
    assert_int_equal(access("out.npy", F_OK), 0);
    assert_int_equal(pending_files(), 0);
}

static bool has_begun_to_read(const traced *t, const void *name) {
    char line[256];
    snprintf(line, sizeof line,
             "for f in /proc/%d/fd/*; do case $(readlink $f) in */%s) "
             "grep -q '^pos:.*[1-9]' /proc/%d/fdinfo/${f##*/} && exit 0;; esac; done; exit 1",
             (int)t->pid, (const char *)name, (int)t->pid);
    return system(line) == 0;
}

TEST(a_file_that_changes_while_it_is_read_is_refused) {
    static char *const job[] = {POSEMILL_COMMAND, "resample", "--quiet", "--device",
                                "none",           "walk.bvh", "-o",      "out.bvh",
                                "--rate",         "60",       NULL};
    random_source source = random_start();
    write_motion(&source);
    traced t = traced_begin(job);
    assert_true(traced_run_until(&t, has_begun_to_read, "walk.bvh"));
    write_motion(&source);
    assert_int_equal(WEXITSTATUS(traced_finish(&t, 0)), 4);
    expect(0, "grep -q 'changed while it was read' messages.txt && test ! -e out.bvh");
}

TEST_GROUP(command_enter_folder, command_leave_folder)
TEST_EACH(NULL, command_empty_folder)
