/* SPDX-License-Identifier: MIT
 *
 * Whole-file input. The first bytes of a file are checked before more of it is read, and the size
 * is limited, so that neither an endless device nor a huge sparse file exhausts memory.
 */
#include "motion/files/input.h"

#include "motion/base/os.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct byte_buffer {
    char *data;
    size_t size;
    size_t capacity;
} byte_buffer;

input_bounds input_machine_bounds(void) {
    const uint64_t memory = os_memory();
    const size_t all = memory > 0 && memory < SIZE_MAX ? (size_t)memory : SIZE_MAX / 2;
    return (input_bounds){.file = all, .stream = all / 2};
}

static bool refuse(char reason[INPUT_REASON_SIZE], const char *problem, const char *detail) {
    snprintf(reason, INPUT_REASON_SIZE, "%s%s", problem, detail);
    return false;
}

input_kind_found input_find_magic(const char *bytes, size_t size, const char *magic) {
    const size_t wanted = strlen(magic);
    if (memcmp(bytes, magic, size < wanted ? size : wanted) != 0)
        return INPUT_KIND_NO;
    return size < wanted ? INPUT_KIND_UNKNOWN : INPUT_KIND_YES;
}

bool input_check_kind(const input_kind *kind, const char *bytes, size_t size, bool is_whole,
                      char reason[INPUT_REASON_SIZE]) {
    const input_kind_found found = kind ? kind->find(bytes, size) : INPUT_KIND_YES;
    if (found == INPUT_KIND_NO ||
        (found == INPUT_KIND_UNKNOWN && !is_whole && size >= INPUT_FIRST_BYTES))
        return refuse(reason, kind->refusal, "");
    return true;
}

/* Reserves space for at least one byte and the final NUL, but for at most `max` bytes and one more,
 * which shows that the input is longer. */
static bool buffer_grow(byte_buffer *buffer, size_t wanted, size_t max) {
    if (buffer->capacity - buffer->size > 1)
        return true;
    size_t doubled = buffer->capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * buffer->capacity;
    size_t capacity = doubled > wanted ? doubled : wanted;
    capacity = capacity < max + 2 ? capacity : max + 2;
    char *data = realloc(buffer->data, capacity);
    if (!data)
        return false;
    os_ask_for_huge_pages(data + buffer->size, capacity - buffer->size);
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

/* Reads the next bytes into the buffer; sets *end at the end. Returns 0 or an errno: a regular file
 * that makes its reader wait, as some of /proc do, is refused. */
static int read_more(int file, bool is_stream, byte_buffer *buffer, bool *end) {
    int64_t got;
    while ((got = os_read(file, buffer->data + buffer->size, buffer->capacity - buffer->size - 1)) <
           0) {
        if (!is_stream || (errno != EAGAIN && errno != EWOULDBLOCK))
            return errno;
        os_wait_for_bytes(file);
    }
    buffer->size += (size_t)got;
    *end = got == 0;
    return 0;
}

/* Sizes of a regular file. Everything else, and a file of size 0 as in /proc, is a
 * stream. */
static bool find_size(int file, const input_bounds *bounds, os_info *info, size_t *wanted,
                      size_t *max, char *reason) {
    *wanted = INPUT_FIRST_BYTES;
    *max = bounds->stream;
    if (!os_look_at_open(file, info) || info->kind != OS_REGULAR || info->size == 0)
        return true;
    *max = bounds->file;
    if (info->size > bounds->file) {
        snprintf(reason, INPUT_REASON_SIZE,
                 "size is %llu bytes; expected at most %zu, the memory of this machine",
                 (unsigned long long)info->size, bounds->file);
        return false;
    }
    *wanted = (size_t)info->size + 2;
    return true;
}

/* A regular file as it was before it was read. */
typedef struct file_state {
    os_info info;
    uint64_t begin; /* where it was read from */
} file_state;

static bool is_regular(const file_state *before) {
    return before->info.kind == OS_REGULAR && before->info.size > 0;
}

/* Whether a change that is as old may leave the file's time as it was: file systems count time in
 * steps of up to 2 s. */
static bool is_recent(const os_info *info) {
    const double age = 1e-9 * ((double)os_time_of_day() - (double)info->time);
    return age > -3.0 && age < 3.0;
}

/* Reads the file again. */
static bool has_other_bytes(int file, uint64_t begin, const byte_buffer *buffer) {
    enum { PIECE = 1 << 16 };
    char *piece = malloc(PIECE);
    bool other = false;
    for (size_t at = 0; piece && at < buffer->size && !other;) {
        const size_t left = buffer->size - at;
        const int64_t got = os_read_at(file, piece, left < PIECE ? left : PIECE, begin + at);
        other = got <= 0 || memcmp(piece, buffer->data + at, (size_t)got) != 0;
        at += got > 0 ? (size_t)got : 0;
    }
    free(piece);
    return other;
}

/* Whether a regular file has changed since then: it would be read half old and half new. */
static bool has_changed(int file, const file_state *before, const byte_buffer *buffer) {
    os_info after;
    if (!is_regular(before) || !os_look_at_open(file, &after))
        return false;
    return after.size != before->info.size || after.time != before->info.time ||
           (is_recent(&after) && has_other_bytes(file, before->begin, buffer));
}

static bool read_all(int file, const input_kind *kind, const input_bounds *bounds,
                     byte_buffer *buffer, char *reason) {
    bool known = false, end = false;
    size_t wanted, max;
    file_state before = {.begin = 0};
    if (!find_size(file, bounds, &before.info, &wanted, &max, reason))
        return false;
    before.begin = is_regular(&before) ? os_place(file) : 0;
    while (!end) {
        size_t room = known || !kind || wanted < INPUT_FIRST_BYTES ? wanted : INPUT_FIRST_BYTES;
        if (!buffer_grow(buffer, room, max)) {
            errno = ENOMEM;
            return refuse(reason, "cannot be read: ", strerror(ENOMEM));
        }
        int failure = read_more(file, before.info.kind != OS_REGULAR, buffer, &end);
        if (failure != 0)
            return refuse(reason, "cannot be read: ", strerror(failure));
        if (buffer->size > max) {
            snprintf(reason, INPUT_REASON_SIZE,
                     "size is beyond %zu bytes, the limit for inputs of unknown size", max);
            return false;
        }
        if (!end && !known) {
            if (!input_check_kind(kind, buffer->data, buffer->size, false, reason))
                return false;
            known = kind == NULL || kind->find(buffer->data, buffer->size) == INPUT_KIND_YES;
        }
    }
    buffer->data[buffer->size] = '\0';
    return !has_changed(file, &before, buffer) || refuse(reason, "changed while it was read", "");
}

bool input_read(int file, const input_kind *kind, const input_bounds *bounds, char **data,
                size_t *size, char reason[INPUT_REASON_SIZE]) {
    byte_buffer buffer = {NULL, 0, 0};
    errno = 0;
    if (!read_all(file, kind, bounds, &buffer, reason)) {
        const int failure = errno;
        free(buffer.data);
        errno = failure;
        return false;
    }
    *data = buffer.data;
    *size = buffer.size;
    return true;
}

static int refuse_open(char reason[INPUT_REASON_SIZE], int failure, const char *text) {
    refuse(reason, text ? text : "cannot be opened: ", text ? "" : strerror(failure));
    errno = failure;
    return -1;
}

/* Looks before it opens, because opening a device may have effects, and again after. */
int input_open(const char *path, input_rule rule, char reason[INPUT_REASON_SIZE]) {
    static const char odd[] = "is no regular file";
    os_info info;
    if (!os_look(path, &info))
        return refuse_open(reason, errno, NULL);
    if (rule == INPUT_REGULAR && info.kind != OS_REGULAR)
        return refuse_open(reason, info.kind == OS_FOLDER ? EISDIR : EINVAL, odd);
    int file = os_open_to_read(path);
    if (file < 0 || !os_look_at_open(file, &info)) {
        const int failure = errno;
        if (file >= 0)
            close(file);
        return refuse_open(reason, failure, NULL);
    }
    if (rule == INPUT_REGULAR && info.kind != OS_REGULAR) {
        close(file);
        return refuse_open(reason, EINVAL, odd);
    }
    if (info.kind == OS_PIPE)
        os_wait_for_bytes(file); /* before a writer has come, a pipe looks like one at its end */
    return file;
}

bool input_read_file(const char *path, const input_kind *kind, char **data, size_t *size,
                     char reason[INPUT_REASON_SIZE]) {
    bool is_stdin = strcmp(path, "-") == 0;
    const input_bounds bounds = input_machine_bounds();
    int file = is_stdin ? STDIN_FILENO : input_open(path, INPUT_ANY, reason);
    if (file < 0)
        return false;
    bool good = input_read(file, kind, &bounds, data, size, reason);
    if (!is_stdin) {
        const int failure = errno;
        close(file);
        errno = failure;
    }
    return good;
}

bool input_read_beside(const char *path, const input_kind *kind, size_t max, char **data,
                       size_t *size, char reason[INPUT_REASON_SIZE]) {
    input_bounds bounds = input_machine_bounds();
    os_info info;
    const int file = input_open(path, INPUT_REGULAR, reason);
    if (file < 0)
        return false;
    bounds.stream = max < bounds.stream ? max : bounds.stream; /* files of /proc have no size */
    const bool is_large = os_look_at_open(file, &info) && info.size > max;
    if (is_large)
        snprintf(reason, INPUT_REASON_SIZE, "has %llu bytes; expected at most %zu",
                 (unsigned long long)info.size, max);
    const bool good = !is_large && input_read(file, kind, &bounds, data, size, reason);
    close(file);
    return good;
}
