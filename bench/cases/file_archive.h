/* SPDX-License-Identifier: MIT
 *
 * Archives of motion files in the shape of public sets, for batches: the same on every machine.
 */
#ifndef POSEMILL_BENCH_FILE_ARCHIVE_H
#define POSEMILL_BENCH_FILE_ARCHIVE_H

#include "commands/cli.h"

#include <stdint.h>

typedef struct archive_shape archive_shape;

/* "bvh": subjects with takes of 180 kB, as CMU has them. "amass": sets, subjects, takes of 1 to 4 s as
 * stored and deflated NPZ. "names": blanks, UTF-8, deep folders, and most of the files in one folder.
 * "mixed": all of these, short. "tiny": BVH of 9 frames. "large": BVH of 10 MB. NULL: none of them. */
const archive_shape *archive_shape_find(const char *name);

typedef struct archive_size {
    uint64_t bytes, rotations;
} archive_size;

/* Writes `count` files below a folder, which is created. What they hold is counted in *size, which may
 * be NULL. On failure prints and returns the code. */
cli_exit archive_write(const archive_shape *shape, const char *folder, size_t count, uint64_t seed,
                       archive_size *size);

#endif
