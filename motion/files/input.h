/* SPDX-License-Identifier: MIT
 *
 * Whole files in memory, recognised by their first bytes and within limits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { INPUT_REASON_SIZE = 256 };

typedef enum input_kind_found {
    INPUT_KIND_UNKNOWN, /* more bytes are needed to tell */
    INPUT_KIND_YES,     /* possible; the parser decides */
    INPUT_KIND_NO       /* impossible, whatever bytes follow */
} input_kind_found;

/* A kind of file, recognised by its first bytes. */
typedef struct input_kind {
    input_kind_found (*find)(const char *bytes, size_t size);
    const char *refusal; /* message for a file of another kind */
} input_kind;

/* What bytes at the beginning of a file with a magic word are. */
input_kind_found input_find_magic(const char *bytes, size_t size, const char *magic);

/* Whether a file with these first bytes may be read on: all of it, where `is_whole`. False with a
 * message in `reason`. `kind` NULL accepts any. */
bool input_check_kind(const input_kind *kind, const char *bytes, size_t size, bool is_whole,
                      char reason[INPUT_REASON_SIZE]);

/* A file is recognised within this many bytes, or rejected. */
enum { INPUT_FIRST_BYTES = 65536 };

/* Maximum number of bytes; larger inputs are rejected. */
typedef struct input_bounds {
    size_t file;   /* regular files, whose size is known before reading */
    size_t stream; /* everything else: pipes, devices */
} input_bounds;

/* The memory of this machine for files, half of it for streams. */
input_bounds input_machine_bounds(void);

/* Which files may be opened. */
typedef enum input_rule {
    INPUT_ANY, /* what a user names as the input: also a pipe, which is waited for, or a device */
    INPUT_REGULAR /* regular files alone: what is beside an input, and what others have listed */
} input_rule;

/* The one function that opens files to read. It never waits for anything but a pipe of INPUT_ANY, and
 * what is no regular file is not opened at all by INPUT_REGULAR. Returns a descriptor, which may be
 * non-blocking, or -1 with errno and a message in `reason`. */
int input_open(const char *path, input_rule rule, char reason[INPUT_REASON_SIZE]);

/* Reads a descriptor to its end, within bounds. A regular file whose size or time changes meanwhile
 * is refused. False with a message in `reason`; errno is ENOMEM where memory is exhausted. */
bool input_read(int file, const input_kind *kind, const input_bounds *bounds, char **data,
                size_t *size, char reason[INPUT_REASON_SIZE]);

/* Reads a whole file, or stdin for "-", into malloc'ed memory, followed by one NUL byte that *size
 * does not count. A file whose first 64 KiB do not match the kind is rejected without reading
 * further; kind NULL accepts any file. A regular file larger than the memory of the machine is
 * rejected before it is read, and any other input after half of that. False with a message in
 * `reason`; errno is ENOMEM where memory is exhausted. */
bool input_read_file(const char *path, const input_kind *kind, char **data, size_t *size,
                     char reason[INPUT_REASON_SIZE]);

/* More than a layout, a table of rates or a map of joints has. */
#define INPUT_BESIDE_MAX ((size_t)64 << 20)

/* The same for a file that another one or an option names: it is regular and has at most `max` bytes,
 * or fits into memory, and "-" is a name like any other. */
bool input_read_beside(const char *path, const input_kind *kind, size_t max, char **data,
                       size_t *size, char reason[INPUT_REASON_SIZE]);
