/* SPDX-License-Identifier: MIT
 *
 * Opens a motion file for a comparison or a page: its digest, its clip. Names of pages.
 */
#pragma once

#include "options/motion_options.h"

typedef struct open_clip {
    const char *path;
    pm_motion *motion;
    bool shares_motion; /* it is that of another clip */
    size_t clip;
    size_t is_first_of; /* clips among which nothing chose it; 0: it was chosen */
    char digest[40];    /* XXH3-128 of what was read; "": this build has none */
} open_clip;

/* Opens `opened->path`. With `data`, these are its bytes, as of task_read, and must outlive it. `clip`: a name or
 * a number; NULL: the first one. A file whose one clip has no name needs none. Close it also on failure. */
pm_status open_clip_read(const pm_motion_read_options *options, const char *data, size_t size,
                         const char *clip, open_clip *opened, pm_error *error);

/* The same of a file. On failure prints and returns the code. */
cli_exit open_clip_of(const pm_motion_read_options *options, const char *path, const char *clip,
                      open_clip *opened);

/* open_clip_of; where `path` is that of another clip, its motion is shared, because two would take twice
 * the memory. Close it before `of`. */
cli_exit open_clip_beside(const pm_motion_read_options *options, const char *path, const char *clip,
                          const open_clip *of, open_clip *opened);

/* Warns where the first of several clips was taken unasked. */
void open_clip_warn(const open_clip *opened);

void close_clip(open_clip *opened);

/* NULL: this build has none. */
static inline const char *open_clip_digest(const open_clip *opened) {
    return opened->digest[0] != '\0' ? opened->digest : NULL;
}

/* Prints and returns the code if a page cannot have this name: that of an input, or of another kind of
 * file. */
cli_exit page_check_name(const command_options *options, const char *path, char **inputs,
                         size_t count);

/* The first of both alone. */
cli_exit page_check_inputs(const char *path, char **inputs, size_t count);
