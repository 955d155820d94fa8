/* SPDX-License-Identifier: MIT
 *
 * Makes the Nth OpenCL call or the Nth allocation fail, and counts the live objects and blocks.
 * Works only in an executable linked with --wrap for malloc, calloc, aligned_alloc, realloc,
 * strdup, free and every name of host/opencl/cl_calls.h.
 */
#ifndef POSEMILL_TESTS_FAULTS_H
#define POSEMILL_TESTS_FAULTS_H

#include <posemill/posemill.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fault_kind { FAULT_CL, FAULT_BUFFER, FAULT_ALLOCATION } fault_kind;

/* The Nth call of the kind from now on fails, counted from 1: any OpenCL call, a call that makes a
 * buffer, or an allocation. OpenCL calls return `code`. With `sticky`, all later calls fail too. */
void faults_arm(fault_kind kind, size_t nth, int code, bool sticky);

/* No call fails; the place of each call of the kind is noted until faults_disarm. */
void faults_note_places(fault_kind kind);

/* The noted places in the order of the calls; valid until the next faults_note_places. Calls by the
 * same chain of callers, up to that of faults_note_places, have the same place. More than the table
 * holds fail the test. */
size_t faults_places(const uint64_t **places);

/* Disarms. Returns the name of the call that failed since faults_arm, or NULL. */
const char *faults_disarm(void);

/* The memory of engines and skeletons whose allocations fail (FAULT_ALLOCATION); fails the test where a block is
 * released with another size or alignment. What has none fails in malloc and its like. */
extern const pm_host faults_host;

/* Whether the executable is linked with the wrappers: if not, no fault can occur. */
bool faults_are_linked(void);

/* Records the name of each wrapped call, except free, between `true` and `false`. */
void faults_record(bool on);

/* The recorded names in order; valid until the next call. */
size_t faults_recorded(const char *const **names);

/* Objects created, retained or returned as events and not released; blocks not freed. */
long faults_live_objects(void);
long faults_live_blocks(void);

/* The names in the table, each followed by a blank. */
extern const char faults_known_calls[];

/* Fails the test where a source file calls an OpenCL function that is not in the table. Returns the
 * number of calls found. */
size_t faults_check_source(const char *path);

#endif
