/* SPDX-License-Identifier: MIT
 *
 * Writes an archive of motion files: archive_generator SHAPE FOLDER FILES [SEED]. The shapes are in
 * bench/cases/file_archive.h.
 */
#include "cases/file_archive.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const archive_shape *shape = argc > 3 ? archive_shape_find(argv[1]) : NULL;
    if (!shape) {
        fprintf(stderr, "usage: archive_generator bvh|amass|names|mixed|tiny|large FOLDER FILES "
                        "[SEED]\n");
        return 2;
    }
    const uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 0) : 1;
    return (int)archive_write(shape, argv[2], (size_t)strtoull(argv[3], NULL, 10), seed, NULL);
}
