/* SPDX-License-Identifier: MIT
 *
 * Makes the Nth OpenCL call or the Nth allocation fail, and counts what is alive of
 * both. Works only in an executable linked with --wrap for malloc, calloc, aligned_alloc,
 * realloc, strdup, free and every name of faults_cl_calls.h.
 */
#ifndef POSEMILL_TESTS_FAULTS_H
#define POSEMILL_TESTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum fault_kind { FAULT_CL, FAULT_BUFFER, FAULT_ALLOCATION } fault_kind;

/* From now on the Nth call of the kind fails, from 1 on: any OpenCL call, one that makes a
 * buffer, an allocation. OpenCL calls return `code`. With `sticky`, the later ones too. */
void faults_arm(fault_kind kind, size_t nth, int code, bool sticky);

/* The name of the call that failed since faults_arm, or NULL. Nothing fails any more. */
const char *faults_disarm(void);

/* Whether the linker was told to wrap: false means that no fault can ever fire. */
bool faults_are_linked(void);

/* Between `true` and `false` writes down the name of each call that is wrapped, but for free. */
void faults_record(bool on);

/* What was written down, in order; valid until the next call. */
size_t faults_recorded(const char *const **names);

/* Objects created, retained or given as events and not released; blocks not freed. */
long faults_live_objects(void);
long faults_live_blocks(void);

/* The names in the table, each followed by a blank. */
extern const char faults_known_calls[];

/* Fails the test where a source file calls an OpenCL function that is not among them;
 * returns how many calls it found. */
size_t faults_check_source(const char *path);

#endif
