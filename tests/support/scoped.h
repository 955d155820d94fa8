/* SPDX-License-Identifier: MIT
 *
 * Variables that own something. A test that fails leaves its scopes without releasing anything.
 */
#ifndef POSEMILL_TESTS_SCOPED_H
#define POSEMILL_TESTS_SCOPED_H

#include <stdlib.h>
#include <string.h>

/* Releases what a variable holds where its scope ends, the last variable first:
 *
 *     SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
 *     SCOPED(free_at) float *values = test_array(count, sizeof *values);
 */
#define SCOPED(release) __attribute__((unused, cleanup(release)))

static inline void free_at(void *variable) {
    void *memory;
    memcpy(&memory, variable, sizeof memory);
    free(memory);
}

#endif
