/* SPDX-License-Identifier: MIT
 *
 * Programs from PTX files, and running them on arguments. A program is named by its kernel and its
 * curve, "walk/squad", and its file is FOLDER/walk/squad.ptx.
 */
#ifndef POSEMILL_TESTS_CUDA_PROGRAMS_H
#define POSEMILL_TESTS_CUDA_PROGRAMS_H

#include "driver.h"

enum { MAX_PARAMETERS = 32 };

/* One program, and what was found of its results. */
typedef struct cuda_program {
    char name[64], kernel[64]; /* the latter from the PTX */
    void *module, *function;   /* NULL: it could not be loaded */
    int registers, local_bytes;
    size_t parameter_sizes[MAX_PARAMETERS]; /* of the kernel's parameters, from the PTX */
    size_t parameter_count;
    size_t compared, differing; /* numbers */
    struct cuda_program *next;
} cuda_program;

typedef struct cuda_programs {
    cuda_driver *driver;
    const char *folder;
    cuda_program *first, *last; /* in order of their first use */
    bool stopped;               /* a launch failed: the driver refuses everything that follows */
} cuda_programs;

/* The program of this name, loaded on first use. A program that cannot be loaded has no function,
 * and the reason was printed. NULL: out of memory. */
cuda_program *cuda_program_of(cuda_programs *programs, const char *name);
void cuda_programs_free(cuda_programs *programs);

/* An argument of a kernel: a number, a buffer that is uploaded before the launch, or memory that the
 * items of a group share. */
typedef struct cuda_argument {
    const char *name;
    const void *value; /* the bytes of a number; NULL: memory */
    size_t size;       /* of the number */
    const void *data;  /* of the buffer; NULL: an absent one, address 0 */
    size_t bytes;
    void *results; /* where the buffer's content goes after the launch; NULL: nowhere */
    size_t shared; /* bytes of a group; 0: a buffer */
} cuda_argument;

#define CUDA_NUMBER(number)                                                                        \
    { .name = #number, .value = &(number), .size = sizeof(number) }
#define CUDA_BUFFER(what, from, length)                                                            \
    { .name = what, .data = (from), .bytes = (length) }
/* `memory` is uploaded too, so that what the kernel does not write is known. */
#define CUDA_RESULTS(what, memory, length)                                                         \
    { .name = what, .data = (memory), .bytes = (length), .results = (memory) }
/* The kernel's parameter is an offset in the shared memory of the launch. */
#define CUDA_SHARED(what, length)                                                                  \
    { .name = what, .shared = (length) }

/* Uploads the arguments, runs the kernel on grid_x x grid_y groups of group x 1 items, and fetches
 * the results. Prints the reason for a failure. */
bool cuda_run(cuda_programs *programs, const cuda_program *program, const cuda_argument *arguments,
              size_t count, unsigned grid_x, unsigned grid_y, unsigned group);

#endif
