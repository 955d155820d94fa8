/* SPDX-License-Identifier: MIT
 *
 * The builder: a thread of a device that builds requested programs one after another. It runs until
 * the device is closed. Jobs do not wait for it; they query the state of their requests. Closing
 * the device waits until all requested programs are built, so that the program cache has them next
 * time.
 */
#define _POSIX_C_SOURCE 200809L

#include "device.h"

#include <stdlib.h>

/* ---- requests; callers hold the lock ---- */

static pm_program_request *find(pm_opencl_device *cl, const pm_variant *variant) {
    pm_program_request *r = cl->requests;
    while (r && !pm_same_variant(&r->variant, variant))
        r = r->next;
    return r;
}

static pm_program_request *find_open(pm_opencl_device *cl) {
    pm_program_request *r = cl->requests;
    while (r && r->state != PM_PROGRAM_OPEN)
        r = r->next;
    return r;
}

/* Appends, so that programs are built in the order of their requests. */
static void append(pm_opencl_device *cl, pm_program_request *request) {
    pm_program_request **at = &cl->requests;
    while (*at)
        at = &(*at)->next;
    *at = request;
}

static void remove_request(pm_opencl_device *cl, pm_program_request *request) {
    pm_program_request **at = &cl->requests;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    free(request);
}

/* ---- the thread ---- */

/* Builds the program of an open request. The lock is released meanwhile: open requests are neither
 * moved nor removed. */
static void build_request(pm_opencl_device *cl, pm_program_request *request) {
    const pm_variant variant = request->variant;
    cl_program program;
    pm_error error;
    pthread_mutex_unlock(&cl->lock);
    pm_error_clear(&error);
    pm_status status = pm_cl_program(cl, &variant, &program, &error);
    pthread_mutex_lock(&cl->lock);
    request->error = error;
    request->state = status == PM_OK ? PM_PROGRAM_BUILT : PM_PROGRAM_FAILED;
}

static void *run_builder(void *argument) {
    pm_opencl_device *cl = argument;
    pthread_mutex_lock(&cl->lock);
    for (;;) {
        pm_program_request *request = find_open(cl);
        if (request)
            build_request(cl, request);
        else if (cl->closing)
            break;
        else
            pthread_cond_wait(&cl->requested, &cl->lock);
    }
    pthread_mutex_unlock(&cl->lock);
    return NULL;
}

/* Queues a request and starts the builder if necessary. If the thread cannot be started, the
 * request is dropped, and the job that needs the program builds it. */
static void submit(pm_opencl_device *cl, pm_program_request *request) {
    pthread_mutex_lock(&cl->lock);
    if (!cl->has_builder)
        cl->has_builder = pthread_create(&cl->builder, NULL, run_builder, cl) == 0;
    if (cl->has_builder && !find(cl, &request->variant)) {
        append(cl, request);
        request = NULL;
        pthread_cond_signal(&cl->requested);
    }
    pthread_mutex_unlock(&cl->lock);
    free(request);
}

/* ---- functions for jobs ---- */

/* Loads a program from the disk cache, unless its options are found by a trial build first: that is
 * left to the builder, which loads the program afterwards. */
static pm_status request_one(pm_opencl_device *cl, const pm_variant *variant, pm_error *error) {
    bool known = false, ready = false;
    pm_status status = PM_OK;
    pthread_mutex_lock(&cl->lock);
    known = find(cl, variant) != NULL;
    pthread_mutex_unlock(&cl->lock);
    if (!known && pm_cl_knows_rounding_option(cl))
        status = pm_cl_program_load(cl, variant, &ready, error);
    if (status != PM_OK || known || ready)
        return status;
    pm_program_request *request = calloc(1, sizeof *request);
    if (!request)
        return pm_fail_memory(error);
    request->variant = *variant;
    submit(cl, request);
    return PM_OK;
}

pm_status pm_cl_request(pm_opencl_device *cl, const pm_variant *variants, size_t count,
                        pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = request_one(cl, &variants[i], error);
    return status;
}

pm_readiness pm_cl_requested(pm_opencl_device *cl, const pm_variant *variants, size_t count,
                             pm_error *error) {
    static const pm_readiness of_state[] = {[PM_PROGRAM_OPEN] = PM_READY_LATER,
                                            [PM_PROGRAM_BUILT] = PM_READY_UNCHECKED,
                                            [PM_PROGRAM_FAILED] = PM_READY_NEVER};
    pm_readiness worst = PM_READY;
    pthread_mutex_lock(&cl->lock);
    for (size_t i = 0; worst != PM_READY_NEVER && i < count; i++) {
        pm_program_request *request = find(cl, &variants[i]);
        pm_readiness state = request ? of_state[request->state] : PM_READY;
        worst = state > worst ? state : worst;
        if (state == PM_READY_NEVER) {
            if (error)
                *error = request->error;
            remove_request(cl, request);
        }
    }
    pthread_mutex_unlock(&cl->lock);
    return worst;
}

void pm_cl_request_checked(pm_opencl_device *cl, const pm_variant *variants, size_t count) {
    pthread_mutex_lock(&cl->lock);
    for (size_t i = 0; i < count; i++) {
        pm_program_request *request = find(cl, &variants[i]);
        if (request && request->state == PM_PROGRAM_BUILT)
            remove_request(cl, request);
    }
    pthread_mutex_unlock(&cl->lock);
}

void pm_cl_builder_close(pm_opencl_device *cl) {
    pthread_mutex_lock(&cl->lock);
    cl->closing = true;
    pthread_cond_signal(&cl->requested);
    pthread_mutex_unlock(&cl->lock);
    if (cl->has_builder)
        pthread_join(cl->builder, NULL);
    while (cl->requests)
        remove_request(cl, cl->requests);
}
