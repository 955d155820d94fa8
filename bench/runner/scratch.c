/* SPDX-License-Identifier: MIT
 *
 * The temporary folder of a run.
 */
#define _POSIX_C_SOURCE 200809L

#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the pattern of a temporary folder for mkdtemp. False if the path is too long. */
static bool write_pattern(char pattern[SCRATCH_FOLDER]) {
    const char *base = getenv("TMPDIR");
    base = base && base[0] != '\0' ? base : "/tmp";
    int length = snprintf(pattern, SCRATCH_FOLDER, "%s/posemill-bench-XXXXXX", base);
    return length > 0 && length < SCRATCH_FOLDER;
}

cli_exit scratch_open(scratch *s) {
    if (s->folder)
        return CLI_DONE;
    if (!write_pattern(s->path))
        return cli_fail(CLI_CANNOT_WRITE, "bench", NULL, "the path in TMPDIR is too long");
    int failure = atomic_folder_create(s->path, &s->folder);
    return failure == 0 ? CLI_DONE
                        : cli_fail(CLI_CANNOT_WRITE, s->path, "set TMPDIR to another folder", "%s",
                                   strerror(failure));
}

cli_exit scratch_file(scratch *s, const char *name, char path[SCRATCH_PATH]) {
    int length = snprintf(path, SCRATCH_PATH, "%s/%s", s->path, name);
    if (s->count == SCRATCH_FILES_MAX || length < 0 || length >= SCRATCH_PATH)
        return cli_fail(CLI_CANNOT_WRITE, name, NULL, "too many temporary files");
    int failure = atomic_file_claim(path, &s->files[s->count]);
    if (failure != 0)
        return cli_fail(CLI_CANNOT_WRITE, path, NULL, "%s", strerror(failure));
    s->count++;
    return CLI_DONE;
}

void scratch_close(scratch *s) {
    while (s->count > 0)
        atomic_file_remove(&s->files[--s->count]);
    atomic_file_remove(&s->folder);
}
