/* SPDX-License-Identifier: MIT
 *
 * The builder: a thread of a device that builds requested programs one after another. It runs until
 * the device is closed. Jobs do not wait for it; they query the state of their requests. Closing
 * the device waits until all requested programs are built, so that the program cache has them next
 * time.
 */
#define _POSIX_C_SOURCE 200809L

#include "state.h"

/* The caller holds the lock, here and in the next three functions. */
static pm_program_request *find(pm_programs *p, const pm_variant *variant) {
    pm_program_request *r = p->requests;
    while (r && !pm_same_variant(&r->variant, variant))
        r = r->next;
    return r;
}

static pm_program_request *find_open(pm_programs *p) {
    pm_program_request *r = p->requests;
    while (r && r->state != PM_PROGRAM_OPEN)
        r = r->next;
    return r;
}

/* Appends, so that programs are built in the order of their requests. */
static void append(pm_programs *p, pm_program_request *request) {
    pm_program_request **at = &p->requests;
    while (*at)
        at = &(*at)->next;
    *at = request;
}

static void remove_request(pm_programs *p, pm_program_request *request) {
    pm_program_request **at = &p->requests;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    pm_release(request);
}

/* Builds the program of an open request. The lock is released meanwhile: open requests are neither
 * moved nor removed. */
static void build_request(pm_programs *p, pm_program_request *request) {
    const pm_variant variant = request->variant;
    pm_error error;
    pthread_mutex_unlock(&p->lock);
    pm_error_clear(&error);
    pm_status status = pm_programs_build(p, &variant, &error);
    pthread_mutex_lock(&p->lock);
    request->error = error;
    request->state = status == PM_OK ? PM_PROGRAM_BUILT : PM_PROGRAM_FAILED;
}

static void *run_builder(void *argument) {
    pm_programs *p = argument;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        pm_program_request *request = find_open(p);
        if (request)
            build_request(p, request);
        else if (p->closing)
            break;
        else
            pthread_cond_wait(&p->requested, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Queues a request and starts the builder if necessary. If the thread cannot be started, the
 * request is dropped, and the job that needs the program builds it. */
static void submit(pm_programs *p, pm_program_request *request) {
    pthread_mutex_lock(&p->lock);
    if (!p->has_builder)
        p->has_builder = pthread_create(&p->builder, NULL, run_builder, p) == 0;
    if (p->has_builder && !find(p, &request->variant)) {
        append(p, request);
        request = NULL;
        pthread_cond_signal(&p->requested);
    }
    pthread_mutex_unlock(&p->lock);
    pm_release(request);
}

/* Loads a program from the disk cache, or requests it. */
static pm_status request_one(pm_programs *p, const pm_variant *variant, pm_error *error) {
    bool known = false, ready = false;
    pm_status status = PM_OK;
    pthread_mutex_lock(&p->lock);
    known = find(p, variant) != NULL;
    pthread_mutex_unlock(&p->lock);
    if (!known)
        status = pm_programs_load(p, variant, &ready, error);
    if (status != PM_OK || known || ready)
        return status;
    pm_program_request *request = pm_allocate_zeroed(p->desc.host, 1, sizeof *request);
    if (!request)
        return pm_fail_memory(error);
    request->variant = *variant;
    submit(p, request);
    return PM_OK;
}

static pm_readiness state_of(pm_programs *p, const pm_variant *variant, pm_error *error) {
    static const pm_readiness of_state[] = {[PM_PROGRAM_OPEN] = PM_READY_LATER,
                                            [PM_PROGRAM_BUILT] = PM_READY_UNCHECKED,
                                            [PM_PROGRAM_FAILED] = PM_READY_NEVER};
    pthread_mutex_lock(&p->lock);
    pm_program_request *request = find(p, variant);
    const pm_readiness state = request ? of_state[request->state] : PM_READY;
    if (state == PM_READY_NEVER) {
        if (error)
            *error = request->error;
        remove_request(p, request);
    }
    pthread_mutex_unlock(&p->lock);
    return state;
}

pm_readiness pm_programs_readiness(pm_programs *p, const pm_variant *variants, size_t count,
                                   pm_error *error) {
    pm_readiness worst = PM_READY;
    for (size_t i = 0; i < count; i++)
        if (request_one(p, &variants[i], error) != PM_OK)
            return PM_READY_NEVER;
    for (size_t i = 0; worst != PM_READY_NEVER && i < count; i++) {
        const pm_readiness state = state_of(p, &variants[i], error);
        worst = state > worst ? state : worst;
    }
    return worst;
}

void pm_programs_checked(pm_programs *p, const pm_variant *variants, size_t count) {
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < count; i++) {
        pm_program_request *request = find(p, &variants[i]);
        if (request && request->state == PM_PROGRAM_BUILT)
            remove_request(p, request);
    }
    pthread_mutex_unlock(&p->lock);
}

void pm_builder_close(pm_programs *p) {
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_signal(&p->requested);
    pthread_mutex_unlock(&p->lock);
    if (p->has_builder)
        pthread_join(p->builder, NULL);
    while (p->requests)
        remove_request(p, p->requests);
}
