/* SPDX-License-Identifier: MIT
 *
 * Tests of file input with every size and kind of file: the content is read unchanged, files of
 * another kind are rejected after their first bytes, and memory stays within the limit.
 */
#define _XOPEN_SOURCE 700

#include "commands/cli.h"
#include "motion/bvh/bvh.h"
#include "motion/files/input.h"
#include "motion/npz/npy_file.h"
#include "oracle/random_tracks.h"
#include "support/check.h"
#include "support/test_folder.h"

#include <fcntl.h>
#include <posemill/posemill_motion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- sources ------------------------------------------------------------------- */

enum { FIRST_BYTES = 65536 }; /* see cli.h */

/* Content of a pipe: bytes of a text, then zeros, until the reader closes it. */
typedef struct feed {
    int to;
    const char *text;
    size_t text_size, size;
    size_t given;
} feed;

static void *write_feed(void *context) {
    static const char zeros[4096];
    feed *f = context;
    while (f->given < f->size) {
        const char *from = f->given < f->text_size ? f->text + f->given : zeros;
        size_t left = f->given < f->text_size ? f->text_size - f->given : f->size - f->given;
        ssize_t written = write(f->to, from, left < sizeof zeros ? left : sizeof zeros);
        if (written <= 0)
            break;
        f->given += (size_t)written;
    }
    close(f->to);
    return NULL;
}

static char *data;
static size_t size;
static char reason[INPUT_REASON_SIZE];

/* Begins to write to a pipe. Returns the end to read from. */
static int begin_feed(feed *f, pthread_t *thread) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    f->to = ends[1];
    assert_int_equal(pthread_create(thread, NULL, write_feed, f), 0);
    return ends[0];
}

/* Closes the pipe. f->given is then how many bytes were taken from it. */
static void end_feed(int from, pthread_t thread) {
    close(from);
    pthread_join(thread, NULL);
}

static bool read_pipe(feed *f, const input_kind *kind, size_t max) {
    const input_bounds bounds = {.file = max, .stream = max};
    pthread_t thread;
    const int from = begin_feed(f, &thread);
    data = NULL;
    size = 0xa5a5;
    memset(reason, 0x5a, sizeof reason);
    bool good = input_read(from, kind, &bounds, &data, &size, reason);
    end_feed(from, thread);
    return good;
}

static FILE *file_of(const char *bytes, size_t count) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
    return file;
}

static bool read_regular(FILE *file, const input_kind *kind, size_t max) {
    const input_bounds bounds = {.file = max, .stream = max};
    memset(reason, 0x5a, sizeof reason);
    return input_read(fileno(file), kind, &bounds, &data, &size, reason);
}

/* ---- tests --------------------------------------------------------------------- */

TEST(every_size_is_read_to_the_last_byte) {
    static const size_t borders[] = {0, 1, 2, 65533, 65534, 65535, 65536, 65537, 131071, 131072};
    random_source source = random_start();
    for (size_t i = 0; i < 60; i++) {
        size_t count = i < 10 ? borders[i] : (size_t)(random_bits(&source) % 400000);
        SCOPED(free_at) char *bytes = malloc(count + 1);
        assert_non_null(bytes);
        for (size_t k = 0; k < count; k++)
            bytes[k] = (char)random_bits(&source);
        FILE *file = file_of(bytes, count);
        assert_true(read_regular(file, NULL, count));
        assert_int_equal(size, count);
        assert_memory_equal(data, bytes, count);
        assert_int_equal(data[count], '\0');
        free(data);
        fclose(file);
        feed f = {.text = bytes, .text_size = count, .size = count};
        assert_true(read_pipe(&f, NULL, count));
        assert_int_equal(size, count);
        assert_memory_equal(data, bytes, count);
        assert_int_equal(data[count], '\0');
        free(data);
    }
}

TEST(one_byte_more_than_the_bound_is_refused) {
    random_source source = random_start();
    for (int i = 0; i < 40; i++) {
        size_t max = 1 + (size_t)(random_bits(&source) % 300000);
        feed f = {.text = "", .size = max + 1};
        assert_false(read_pipe(&f, NULL, max));
        assert_non_null(strstr(reason, "beyond"));
        SCOPED(free_at) char *bytes = calloc(max + 1, 1);
        assert_non_null(bytes);
        FILE *file = file_of(bytes, max + 1);
        assert_false(read_regular(file, NULL, max));
        assert_non_null(strstr(reason, "memory"));
        assert_int_equal(lseek(fileno(file), 0, SEEK_CUR), 0); /* no byte was read */
        fclose(file);
    }
}

TEST(other_kinds_are_rejected_after_their_first_bytes) {
    static const struct {
        const input_kind *kind;
        const char *begin;
        bool read;
    } cases[] = {
        {&bvh_kind, "HIERARCHY\nROOT a\n", true},
        {&bvh_kind, "\xef\xbb\xbf \r\n\thierarchy\n", true},
        {&bvh_kind, "HIERARCH", true}, /* truncated: the parser rejects it */
        {&bvh_kind, "\xef\xbb", true},
        {&bvh_kind, "", true},
        {&bvh_kind, "  \n", true},
        {&bvh_kind, "HIERARCHX", false},
        {&bvh_kind, "\xef\xbbHIERARCHY", false},
        {&bvh_kind, "# HIERARCHY", false},
        {&npy_kind, "\x93NUMPY\x01", true},
        {&npy_kind, "\x93NUM", true},
        {&npy_kind, "", true},
        {&npy_kind, "\x93NUMPX", false},
        {&npy_kind, "PK\x03\x04", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        feed f = {.text = cases[i].begin, .text_size = strlen(cases[i].begin)};
        f.size = f.text_size;
        bool good = read_pipe(&f, cases[i].kind, 1 << 20);
        if (good != cases[i].read)
            fail_msg("case %zu was %s", i, good ? "read" : "refused");
        if (good) {
            assert_int_equal(size, f.text_size);
            free(data);
        } else {
            assert_string_equal(reason, cases[i].kind->refusal);
        }
    }
}

/* Zeros, and blanks that are not followed by a word. */
TEST(streams_of_blanks_are_rejected_early) {
    static char blanks[2 * FIRST_BYTES];
    memset(blanks, '\n', sizeof blanks);
    const input_kind *const kinds[] = {&bvh_kind, &npy_kind};
    for (size_t i = 0; i < 2; i++) {
        feed zeros = {.text = "", .size = (size_t)1 << 40};
        assert_false(read_pipe(&zeros, kinds[i], (size_t)1 << 30));
        assert_string_equal(reason, kinds[i]->refusal);
        assert_true(zeros.given <= 300000);
    }
    feed lines = {.text = blanks, .text_size = sizeof blanks, .size = sizeof blanks};
    assert_false(read_pipe(&lines, &bvh_kind, (size_t)1 << 30));
}

/* A name without an extension, and no option: the first bytes decide. */
TEST(streams_of_no_format_are_rejected_early) {
    static const pm_motion_read_options plain;
    feed zeros = {.text = "", .size = (size_t)64 << 20};
    char path[32];
    pthread_t thread;
    pm_motion *motion = NULL;
    pm_error error;
    const int from = begin_feed(&zeros, &thread);
    snprintf(path, sizeof path, "/dev/fd/%d", from);
    assert_int_equal(pm_motion_open(path, &plain, &motion, &error), PM_ERROR_FILE);
    end_feed(from, thread);
    assert_null(motion);
    assert_non_null(strstr(error.message, "is not of a known motion format"));
    assert_true(zeros.given <= 300000);
}

/* ---- files that change --------------------------------------------------------------- */

static int writer;
static size_t change_at;
static bool keeps_time;

/* Changes the file once its first bytes are read. */
static input_kind_found change_file(const char *bytes, size_t count) {
    (void)bytes, (void)count;
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    struct stat before;
    assert_int_equal(fstat(writer, &before), 0);
    if (change_at == SIZE_MAX)
        assert_int_equal(futimens(writer, times), 0);
    else
        assert_int_equal(pwrite(writer, "new", 3, (off_t)change_at), 3);
    if (keeps_time) /* as within a step of the file system's clock */
        assert_int_equal(futimens(writer, (struct timespec[2]){before.st_atim, before.st_mtim}), 0);
    return INPUT_KIND_YES;
}

static bool read_changing(input_kind_found (*find)(const char *, size_t)) {
    const input_kind kind = {find, "is no test file"};
    const input_bounds bounds = input_machine_bounds();
    const int file = open("changing", O_RDONLY);
    assert_true(file >= 0);
    const bool read = input_read(file, &kind, &bounds, &data, &size, reason);
    close(file);
    return read;
}

static input_kind_found accept_all(const char *bytes, size_t count) {
    (void)bytes, (void)count;
    return INPUT_KIND_YES;
}

TEST(files_that_change_while_they_are_read_are_refused) {
    writer = open("changing", O_RDWR | O_CREAT, 0600);
    assert_true(writer >= 0);
    const struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct timespec now[2];
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now[0]), 0);
    now[1] = now[0];
    /* Overwritten in place, grown, only its time, and overwritten within a step of time. */
    const size_t places[] = {10, 1000, SIZE_MAX, 10};
    for (size_t i = 0; i < 4; i++) {
        keeps_time = i == 3;
        char text[1000];
        memset(text, 'x', sizeof text);
        assert_int_equal(pwrite(writer, text, sizeof text, 0), sizeof text);
        assert_int_equal(ftruncate(writer, sizeof text), 0);
        assert_int_equal(futimens(writer, keeps_time ? now : past), 0);
        change_at = places[i];
        assert_true(read_changing(accept_all));
        assert_int_equal(size, sizeof text);
        free(data);
        assert_false(read_changing(change_file));
        assert_string_equal(reason, "changed while it was read");
    }
    close(writer);
}

TEST_GROUP(test_folder_enter, test_folder_leave)

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* the feeding thread gets an error from write */
    return test_main(argc, argv);
}
