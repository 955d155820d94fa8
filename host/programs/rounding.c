/* SPDX-License-Identifier: MIT
 *
 * The build option for correctly rounded division and square root. Some drivers accept it, and have
 * an effect for it, without claiming it: Intel's for GPUs. A device that does not claim it is asked
 * with a small program. The answer is kept with the built programs, because the first build of a
 * process takes most of a second there.
 */
#define _POSIX_C_SOURCE 200809L

#include "state.h"

#include <stdio.h>
#include <stdlib.h>

/* The cache key of the answer: the name of the question, with a version. */
static const char key[] = "rounding 1";

static const char trial[] = "__kernel void trial(__global float *a) {\n"
                            "    a[0] = sqrt(a[1]) / a[2];\n"
                            "}\n";

static bool builds(pm_programs *p, const char *rounding) {
    const pm_program_driver *driver = p->desc.driver;
    char options[160], *log = NULL;
    void *program = NULL;
    snprintf(options, sizeof options, "%s%s", p->desc.options, rounding);
    driver->build(p->desc.device, trial, options, &program, &log, NULL);
    free(log);
    if (program)
        driver->release(program);
    return program != NULL;
}

/* An answer is kept where the option alone decides: a driver that builds nothing at the moment may
 * take the option later. */
static bool ask(pm_programs *p) {
    const uint8_t answer = builds(p, p->desc.rounding);
    if (answer || builds(p, ""))
        pm_cache_store(p, key, "", &answer, sizeof answer);
    return answer;
}

/* Sets an untried answer from the cache, if it is there. The caller holds the lock. */
static void load(pm_programs *p) {
    size_t size = 0;
    uint8_t *answer = p->rounding == PM_ROUNDING_UNTRIED ? pm_cache_load(p, key, "", &size) : NULL;
    if (answer && size == 1 && *answer <= 1)
        p->rounding = *answer ? PM_ROUNDING_TAKEN : PM_ROUNDING_REFUSED;
    free(answer);
}

/* The lock is busy while a trial is built. */
bool pm_knows_rounding_option(pm_programs *p) {
    if (p->desc.claims_rounding)
        return true;
    if (pthread_mutex_trylock(&p->rounding_lock) != 0)
        return false;
    load(p);
    const bool knows = p->rounding != PM_ROUNDING_UNTRIED;
    pthread_mutex_unlock(&p->rounding_lock);
    return knows;
}

bool pm_takes_rounding_option(pm_programs *p) {
    if (p->desc.claims_rounding)
        return true;
    pthread_mutex_lock(&p->rounding_lock);
    load(p);
    if (p->rounding == PM_ROUNDING_UNTRIED)
        p->rounding = ask(p) ? PM_ROUNDING_TAKEN : PM_ROUNDING_REFUSED;
    const bool takes = p->rounding == PM_ROUNDING_TAKEN;
    pthread_mutex_unlock(&p->rounding_lock);
    return takes;
}
