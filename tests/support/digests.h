/* SPDX-License-Identifier: MIT
 *
 * The bits of results as digests: every method, key format, output of samples and output of crowds.
 * vectors/digests.txt has those of every machine. Includes no test framework: a cross compiler has
 * none. A call of the library that fails ends the process with the library's message.
 */
#ifndef POSEMILL_TESTS_DIGESTS_H
#define POSEMILL_TESTS_DIGESTS_H

#include <stdio.h>

#include "digest_input.h"

typedef struct digest_line {
    char name[64];
    uint64_t digest;
} digest_line;

/* Starts as {0}; freed with digests_free. */
typedef struct digests {
    digest_line *lines;
    size_t count;
} digests;

void digests_free(digests *d);

/* Samples with float32 keys: each kind of timelines that the method supports. */
void digests_of_method(digests *d, pm_engine *engine, const digest_input *in, pm_method method);

/* The same with one kind of timelines, which is another one for the next method. */
void digests_of_method_once(digests *d, pm_engine *engine, const digest_input *in,
                            pm_method method);

/* Samples with keys of 48 bits; none for a method that has no such keys. */
void digests_of_key_formats(digests *d, pm_engine *engine, const digest_input *in,
                            pm_method method);

/* Samples through a low-pass. */
void digests_of_lowpass(digests *d, pm_engine *engine, const digest_input *in);

/* All outputs of crowds, and their root motion: each method, then each key format with slerp. */
void digests_of_crowds(digests *d, pm_engine *engine, const digest_input *in);

/* All of the above, of ordinary and of tiny numbers, in the order of the file. */
void digests_of_all(digests *d, pm_engine *engine);

/* The number of digests that differ from those in the file, or that the file lacks. Prints their
 * names to stderr. */
size_t digests_wrong(const digests *d, const char *path);

/* Prints the file. */
void digests_print(const digests *d, FILE *to);

#endif
