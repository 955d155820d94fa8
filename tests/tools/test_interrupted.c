/* SPDX-License-Identifier: MIT
 *
 * Ends the command by signals at random times on the default device. Whichever driver has
 * installed handlers in the meantime, no temporary file remains, and files left by kill -9 are
 * removed by the next run. The times are chosen within twice the duration of a complete run.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/command.h"

#include "formats/npy.h"
#include "oracle/random_tracks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

/* ---- jobs ---------------------------------------------------------------------- */

enum { KEYS = 64, TRACKS = 16, FRAMES = 40, FILE_LIMIT = 1 << 30 };

/* Jobs that take much longer than they are allowed to run. */
static char *const eval_job[] = {POSEMILL_COMMAND, "eval",     "--quiet", "--keys",     "keys.npy",
                                 "--key-rate",     "30",       "--rate",  "48000",      "--count",
                                 "900000000",      "--method", "squad",   "--velocity", "v.npy",
                                 "--out",          "out.npy",  NULL};
static char *const resample_job[] = {
    POSEMILL_COMMAND, "resample",     "--quiet",   "walk.bvh", "-o",    "out.bvh", "--rate",
    "90000000",       "--max-frames", "900000000", "--method", "squad", NULL};
/* Minimal jobs, to measure the startup time. */
static char *const short_job[] = {POSEMILL_COMMAND, "eval",  "--quiet", "--keys", "keys.npy",
                                  "--key-rate",     "30",    "--rate",  "30",     "--method",
                                  "squad",          "--out", "x.npy",   NULL};

static void write_keys(random_source *source) {
    static float keys[KEYS][TRACKS][4];
    const size_t shape[] = {KEYS, TRACKS, 4};
    char header[NPY_HEADER_MAX];
    for (size_t i = 0; i < KEYS; i++) {
        for (size_t t = 0; t < TRACKS; t++) {
            double half = random_unit(source) - 0.5;
            keys[i][t][t % 3] = (float)sin(half);
            keys[i][t][3] = (float)cos(half);
        }
    }
    FILE *file = fopen("keys.npy", "wb");
    assert_non_null(file);
    fwrite(header, 1, npy_write_header(PM_FLOAT32, 3, shape, header), file);
    fwrite(keys, 1, sizeof keys, file);
    assert_int_equal(fclose(file), 0);
}

static void write_motion(random_source *source) {
    FILE *file = fopen("walk.bvh", "wb");
    assert_non_null(file);
    fprintf(file,
            "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
            "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: %d\nFrame Time: 0.033333\n",
            FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        fprintf(file, "%.3f %.3f %.3f\n", 90 * random_unit(source), 90 * random_unit(source),
                90 * random_unit(source));
    }
    assert_int_equal(fclose(file), 0);
}

/* ---- processes ----------------------------------------------------------------- */

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pause_for(double seconds) {
    struct timespec rest = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

/* Limits the file size in case a signal has no effect. Signals are reset to their default, because
 * tests started in the background may have some of them ignored. */
static pid_t begin(char *const *job) {
    const struct rlimit limit = {FILE_LIMIT, FILE_LIMIT};
    const struct rlimit no_core = {0, 0};
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_FSIZE, &limit);
        setrlimit(RLIMIT_CORE, &no_core);
        for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
            signal(signals[i], SIG_DFL);
        }
        int messages = open("messages.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(messages, STDOUT_FILENO);
        dup2(messages, STDERR_FILENO);
        execv(job[0], job);
        _exit(127);
    }
    return child;
}

static int end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        assert_int_equal(errno, EINTR);
    }
    return status;
}

static double seconds_of_start(void) {
    double longest = 0.0;
    assert_int_equal(end_of(begin(short_job)), 0); /* compiles the kernels once */
    for (int i = 0; i < 2; i++) {
        double begun = seconds_now();
        assert_int_equal(end_of(begin(short_job)), 0);
        longest = fmax(longest, seconds_now() - begun);
    }
    return longest;
}

/* Returns the number of temporary files; *bytes is the size of the largest. */
static size_t pending_size(off_t *bytes) {
    size_t count = 0;
    struct stat status;
    DIR *entries = opendir(".");
    assert_non_null(entries);
    *bytes = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strncmp(entry->d_name, ".posemill", 9) == 0) {
            count++;
            if (lstat(entry->d_name, &status) == 0 && status.st_size > *bytes) {
                *bytes = status.st_size;
            }
        }
    }
    closedir(entries);
    return count;
}

static size_t pending_files(void) {
    off_t bytes = 0;
    return pending_size(&bytes);
}

/* Waits for this time, or until a file reaches a quarter of its limit, for machines with slow
 * driver startup and fast writing. */
static void leave_alone(double seconds) {
    const double until = seconds_now() + seconds;
    off_t bytes = 0;
    for (double left = seconds; left > 0.0 && bytes < FILE_LIMIT / 4;
         left = until - seconds_now()) {
        pause_for(fmin(left, 0.02));
        pending_size(&bytes);
    }
}

/* ---- tests --------------------------------------------------------------------- */

static size_t rounds(void) {
    return small_sizes() ? 16 : 100;
}

/* Whether the process was ended by the signal, and not by itself. */
static bool ended_by(int status, int number) {
    return WIFSIGNALED(status) && WTERMSIG(status) == number;
}

/* Ends a job at a random time in each round. Returns how often it was writing at that time. */
static size_t interrupt(random_source *source, size_t count) {
    const double span = 2.0 * seconds_of_start();
    size_t writing = 0;
    for (size_t i = 0; i < count; i++) {
        char *const *job = i % 2 == 0 ? eval_job : resample_job;
        int number = signals[i / 2 % 3];
        double moment = span * random_unit(source);
        pid_t child = begin(job);
        leave_alone(moment);
        writing += pending_files() != 0;
        kill(child, number);
        int status = end_of(child);
        if (!ended_by(status, number) || pending_files() != 0 || access("out.npy", F_OK) == 0 ||
            access("out.bvh", F_OK) == 0) {
            fail_msg("round %zu: signal %d after %.4f s of %s: status %x, %zu files left", i,
                     number, moment, job[1], (unsigned)status, pending_files());
        }
    }
    print_message("%zu of %zu were writing\n", writing, count);
    return writing;
}

static void signals_at_any_moment_leave_no_file(void **state) {
    (void)state;
    random_source source = random_start();
    write_keys(&source);
    write_motion(&source);
    assert_true(interrupt(&source, rounds()) > rounds() / 8);
}

/* Drivers install their own handlers while compiling. The first samples are computed while kernels
 * compile, with files open. */
static void signals_while_kernels_are_compiled_leave_no_file(void **state) {
    (void)state;
    random_source source = random_start();
    write_keys(&source);
    write_motion(&source);
    setenv("POSEMILL_CACHE", "off", 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    interrupt(&source, rounds() / 16);
    unsetenv("POSEMILL_CACHE");
    unsetenv("POCL_KERNEL_CACHE");
}

static void files_left_by_a_kill_are_removed_by_the_next_run(void **state) {
    (void)state;
    random_source source = random_start();
    write_keys(&source);
    write_motion(&source);
    const double span = 2.0 * seconds_of_start();
    size_t left = 0;
    for (size_t i = 0; i < rounds() / 4; i++) {
        double moment = span * random_unit(&source);
        pid_t child = begin(i % 2 == 0 ? eval_job : resample_job);
        leave_alone(moment);
        kill(child, SIGKILL);
        assert_true(ended_by(end_of(child), SIGKILL));
        left += pending_files() != 0;
        assert_int_equal(end_of(begin(short_job)), 0);
        if (pending_files() != 0) {
            fail_msg("round %zu: killed after %.4f s, and still there", i, moment);
        }
    }
    print_message("%zu of %zu left a file\n", left, rounds() / 4);
    assert_true(left > 0);
}

/* Files of running processes are kept. Links are not followed. Files that are not regular or have
 * other names are left alone. */
static void only_files_of_ended_processes_are_removed(void **state) {
    (void)state;
    random_source source = random_start();
    write_keys(&source);
    pid_t alive = begin(eval_job);
    for (int i = 0; i < 6000 && pending_files() < 2; i++) {
        pause_for(0.01);
    }
    assert_int_equal(pending_files(), 2); /* samples and velocities */
    expect(0,
           "echo precious > precious; ln -s precious .posemill-1-1.part; "
           "mkdir .posemill-2-2.part; mkfifo .posemill-3-3.part; echo dead > .posemill-4-4.part; "
           "echo mine > .posemill-notes; mkdir other; echo dead > other/.posemill-5-5.part");
    assert_int_equal(end_of(begin(short_job)), 0);
    expect(0, "test -L .posemill-1-1.part && test -d .posemill-2-2.part && "
              "test -p .posemill-3-3.part && test ! -e .posemill-4-4.part && "
              "test -f .posemill-notes && grep -q precious precious && "
              "test -f other/.posemill-5-5.part");
    assert_int_equal(pending_files(), 2 + 4);
    kill(alive, SIGTERM);
    assert_true(ended_by(end_of(alive), SIGTERM));
    assert_int_equal(pending_files(), 4);
}

/* Concurrent runs in one folder: none may remove the temporary file of another. */
static void concurrent_runs_keep_each_other_s_files(void **state) {
    (void)state;
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

static void ignored_signals_stay_ignored(void **state) {
    (void)state;
    random_source source = random_start();
    write_keys(&source);
    expect(0, "trap '' HUP INT; $posemill eval --quiet --keys keys.npy --key-rate 30 "
              "--rate 48000 --count 1000000 --method squad --out out.npy & child=$!; n=0; "
              "while [ $n -lt 500 ] && ! ls .posemill-*.part >ls.txt 2>&1; do sleep 0.01; "
              "n=$((n+1)); done; kill -HUP $child; kill -INT $child; wait $child && "
              "test -f out.npy");
    assert_int_equal(pending_files(), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_teardown(test, command_empty_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(signals_at_any_moment_leave_no_file),
        IN_FOLDER(signals_while_kernels_are_compiled_leave_no_file),
        IN_FOLDER(files_left_by_a_kill_are_removed_by_the_next_run),
        IN_FOLDER(only_files_of_ended_processes_are_removed),
        IN_FOLDER(concurrent_runs_keep_each_other_s_files),
        IN_FOLDER(ignored_signals_stay_ignored),
    };
    return cmocka_run_group_tests(tests, command_enter_folder, command_leave_folder);
}
