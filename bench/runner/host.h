/* SPDX-License-Identifier: MIT
 *
 * The machine and the system that a record was measured on. Reads what Linux offers; a value that is
 * not there stays unknown.
 */
#ifndef POSEMILL_BENCH_HOST_H
#define POSEMILL_BENCH_HOST_H

#include <stddef.h>
#include <stdint.h>

enum { HOST_TEXT = 160 };

/* Texts are empty and numbers 0 where they are unknown. */
typedef struct bench_host {
    char processor[HOST_TEXT]; /* model name */
    size_t cores;              /* logical processors that the process may run on */
    char governor[HOST_TEXT];  /* of the frequency of processor 0 */
    uint64_t memory_bytes;
    char os[HOST_TEXT]; /* distribution; kernel */
} bench_host;

bench_host host_of_system(void);

/* The value of a line "key = value" or "key : value" of a file, without quotation marks around it.
 * Empty if the file has no such line. */
void host_read_value(const char *path, const char *key, char value[HOST_TEXT]);

#endif
