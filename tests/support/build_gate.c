/* SPDX-License-Identifier: MIT
 *
 * Builds that wait for a test.
 */
#define _POSIX_C_SOURCE 200809L

#include "build_gate.h"

#include <stdio.h>

build_gate build_gate_make(bool closed) {
    return (build_gate){
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .closed = closed};
}

void build_gate_pass(void *gate, pm_log_level level, const char *message) {
    build_gate *g = gate;
    pthread_mutex_lock(&g->lock);
    g->building += level == PM_LOG_BUILDING;
    g->built += level == PM_LOG_BUILT;
    if (level == PM_LOG_WARNING) {
        g->warnings++;
        snprintf(g->warning, sizeof g->warning, "%.500s", message);
    }
    pthread_cond_broadcast(&g->changed);
    while (level == PM_LOG_BUILDING && g->closed)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

void build_gate_open(build_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    gate->closed = false;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

size_t build_gate_count(build_gate *gate, const size_t *count) {
    pthread_mutex_lock(&gate->lock);
    const size_t now = *count;
    pthread_mutex_unlock(&gate->lock);
    return now;
}

size_t uniform_programs(const pm_engine *engine) {
    (void)engine;
    return 2;
}

void build_gate_wait(build_gate *gate, const size_t *count, size_t value) {
    pthread_mutex_lock(&gate->lock);
    while (*count < value)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}
