/* SPDX-License-Identifier: MIT
 *
 * Whole files in memory, recognised by their first bytes and within limits.
 */
#ifndef POSEMILL_MOTION_INPUT_H
#define POSEMILL_MOTION_INPUT_H

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

/* Maximum number of bytes; larger inputs are rejected. */
typedef struct input_bounds {
    size_t file;   /* regular files, whose size is known before reading */
    size_t stream; /* everything else: pipes, devices */
} input_bounds;

/* The memory of this machine for files, half of it for streams. */
input_bounds input_machine_bounds(void);

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

#endif
