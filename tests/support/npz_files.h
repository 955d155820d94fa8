/* SPDX-License-Identifier: MIT
 *
 * NPZ files for tests, written and read here byte by byte, without the code under test; and samples
 * of a motion computed in double precision.
 */
#ifndef POSEMILL_TESTS_NPZ_FILES_H
#define POSEMILL_TESTS_NPZ_FILES_H

#include "motion/model/model.h"
#include "support/file_bytes.h"

/* What a test can falsify; zero: as it should be. */
typedef struct zip_lies {
    uint64_t size, packed_size; /* instead of the true ones */
    bool zip64;                 /* in the directory too */
    uint16_t flags, method;     /* added; instead of the true one if not 0 */
    uint32_t local;             /* offset instead of the true one if not 0 */
    bool bad_crc;
} zip_lies;

typedef struct zip_builder {
    file_bytes file, directory;
    size_t count;
} zip_builder;

void zip_add(zip_builder *zip, const char *name, bool deflated, const void *data, size_t size,
             const zip_lies *lies);

/* A .npy array of a type, such as "<f8", or "F<f8" in Fortran order; or with a header of the test's, which
 * is the dictionary. */
void zip_add_array(zip_builder *zip, const char *name, bool deflated, const char *type,
                   const char *shape, const void *data, size_t size);
void zip_add_headed(zip_builder *zip, const char *name, bool deflated, const char *header,
                    const void *data, size_t size);

/* Appends the directory; zip->file is then the archive. */
void zip_finish(zip_builder *zip, uint64_t count, bool zip64);

void zip_free(zip_builder *zip);

/* The place of a member's entry in the central directory, its compressed bytes, and its bytes in
 * malloc'ed memory. NULL: there is none. */
typedef struct zip_found {
    const char *packed;
    size_t packed_size, size;
    unsigned method;
    uint32_t crc;
    char *data;
} zip_found;
bool zip_lookup(const char *archive, size_t archive_size, const char *name, zip_found *found);

/* A little-endian number of some bytes. */
uint64_t number_at(const char *at, unsigned width);

/* Slerp and lerp of a uniform clip from its first key at a rate, as many samples as fit. */
typedef struct test_samples {
    const pm_motion_clip *clip;
    motion_samples samples;
    uint64_t num, den; /* sample k is at source frame k * num / den */
} test_samples;

void test_samples_make(test_samples *samples, const pm_motion *motion, pm_rational rate);

/* Component `i` of key `k` of a channel. */
double test_key(const pm_motion_channel *channel, size_t k, size_t i);

#endif
