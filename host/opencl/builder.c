/* SPDX-License-Identifier: MIT
 *
 * The builder: a thread of an engine's own that builds requested programs one after another, and
 * lives until the engine is closed. Jobs do not wait for it: they look what became of their
 * requests. What was requested is built to the end, so that the folder of programs has it next time.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>

#include "base/status.h"
#include "opencl.h"

/* ---- requests, under the lock ---- */

static pm_request *find(const pm_cl_engine *cl, const pm_variant *variant) {
    pm_request *r = cl->requests;
    while (r && !pm_cl_same_variant(&r->variant, variant))
        r = r->next;
    return r;
}

static pm_request *find_open(const pm_cl_engine *cl) {
    pm_request *r = cl->requests;
    while (r && r->state != PM_REQUEST_OPEN)
        r = r->next;
    return r;
}

/* At the end: the first that is asked for is built first. */
static void append(pm_cl_engine *cl, pm_request *request) {
    pm_request **at = &cl->requests;
    while (*at)
        at = &(*at)->next;
    *at = request;
}

static void drop(pm_cl_engine *cl, pm_request *request) {
    pm_request **at = &cl->requests;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    free(request);
}

/* ---- the thread ---- */

/* A request that is open stays where it is, so that it may be used with the lock released. */
static void serve(const pm_engine *engine, pm_request *request) {
    pm_cl_engine *cl = engine->cl;
    const pm_variant variant = request->variant;
    cl_program program;
    pm_error error;
    pthread_mutex_unlock(&cl->lock);
    pm_error_clear(&error);
    pm_status status = pm_cl_program(engine, &variant, &program, &error);
    pthread_mutex_lock(&cl->lock);
    request->error = error;
    request->state = status == PM_OK ? PM_REQUEST_BUILT : PM_REQUEST_FAILED;
}

static void *run_builder(void *argument) {
    const pm_engine *engine = argument;
    pm_cl_engine *cl = engine->cl;
    pthread_mutex_lock(&cl->lock);
    for (;;) {
        pm_request *request = find_open(cl);
        if (request)
            serve(engine, request);
        else if (cl->closing)
            break;
        else
            pthread_cond_wait(&cl->requested, &cl->lock);
    }
    pthread_mutex_unlock(&cl->lock);
    return NULL;
}

/* Without a thread there is no request either: whoever needs the program builds it. */
static void hand_over(const pm_engine *engine, pm_request *request) {
    pm_cl_engine *cl = engine->cl;
    pthread_mutex_lock(&cl->lock);
    if (!cl->has_builder)
        cl->has_builder = pthread_create(&cl->builder, NULL, run_builder, (void *)engine) == 0;
    if (cl->has_builder && !find(cl, &request->variant)) {
        append(cl, request);
        request = NULL;
        pthread_cond_signal(&cl->requested);
    }
    pthread_mutex_unlock(&cl->lock);
    free(request);
}

/* ---- for jobs ---- */

static pm_status request_one(const pm_engine *engine, const pm_variant *variant, pm_error *error) {
    bool known = false, ready = false;
    pthread_mutex_lock(&engine->cl->lock);
    known = find(engine->cl, variant) != NULL;
    pthread_mutex_unlock(&engine->cl->lock);
    if (known)
        return PM_OK;
    pm_status status = pm_cl_program_load(engine, variant, &ready, error);
    if (status != PM_OK || ready)
        return status;
    pm_request *request = calloc(1, sizeof *request);
    if (!request)
        return pm_fail_memory(error);
    request->variant = *variant;
    hand_over(engine, request);
    return PM_OK;
}

pm_status pm_cl_request(const pm_engine *engine, const pm_variant *variants, size_t count,
                        pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = request_one(engine, &variants[i], error);
    return status;
}

pm_programs pm_cl_requested(const pm_engine *engine, const pm_variant *variants, size_t count,
                            pm_error *error) {
    static const pm_programs of_state[] = {[PM_REQUEST_OPEN] = PM_PROGRAMS_BUILDING,
                                           [PM_REQUEST_BUILT] = PM_PROGRAMS_UNCHECKED,
                                           [PM_REQUEST_FAILED] = PM_PROGRAMS_FAILED};
    pm_cl_engine *cl = engine->cl;
    pm_programs worst = PM_PROGRAMS_READY;
    pthread_mutex_lock(&cl->lock);
    for (size_t i = 0; worst != PM_PROGRAMS_FAILED && i < count; i++) {
        pm_request *request = find(cl, &variants[i]);
        pm_programs state = request ? of_state[request->state] : PM_PROGRAMS_READY;
        worst = state > worst ? state : worst;
        if (state == PM_PROGRAMS_FAILED) {
            if (error)
                *error = request->error;
            drop(cl, request);
        }
    }
    pthread_mutex_unlock(&cl->lock);
    return worst;
}

void pm_cl_request_checked(const pm_engine *engine, const pm_variant *variants, size_t count) {
    pm_cl_engine *cl = engine->cl;
    pthread_mutex_lock(&cl->lock);
    for (size_t i = 0; i < count; i++) {
        pm_request *request = find(cl, &variants[i]);
        if (request && request->state == PM_REQUEST_BUILT)
            drop(cl, request);
    }
    pthread_mutex_unlock(&cl->lock);
}

void pm_cl_builder_close(const pm_engine *engine) {
    pm_cl_engine *cl = engine->cl;
    pthread_mutex_lock(&cl->lock);
    cl->closing = true;
    pthread_cond_signal(&cl->requested);
    pthread_mutex_unlock(&cl->lock);
    if (cl->has_builder)
        pthread_join(cl->builder, NULL);
    while (cl->requests)
        drop(cl, cl->requests);
}
