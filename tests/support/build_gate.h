/* SPDX-License-Identifier: MIT
 *
 * A log function that delays the builds of an engine, and counts them.
 */
#ifndef POSEMILL_TESTS_BUILD_GATE_H
#define POSEMILL_TESTS_BUILD_GATE_H

#include <posemill/posemill.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct build_gate {
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t changed;
    bool closed; /* announced builds wait */
    size_t building, built, warnings;
    char warning[512];
} build_gate;

build_gate build_gate_make(bool closed);

/* The log function of an engine, with a gate as its log_user. */
void build_gate_pass(void *gate, pm_log_level level, const char *message);

void build_gate_open(build_gate *gate);

/* The current count, while the engine exists. */
size_t build_gate_count(build_gate *gate, const size_t *count);

/* The programs that rotations at a rate require: `walk`, and with one lane `locate`. */
size_t uniform_programs(const pm_engine *engine);

/* Waits until a count has this value. */
void build_gate_wait(build_gate *gate, const size_t *count, size_t value);

#endif
