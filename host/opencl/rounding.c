/* SPDX-License-Identifier: MIT
 *
 * The build option for correctly rounded division and square root. Some drivers accept it, and have
 * an effect for it, without claiming it: Intel's for GPUs. A device that does not claim it is asked
 * with a small program. The answer is kept with the built programs, because the first build of a
 * process takes most of a second there.
 */
#define _POSIX_C_SOURCE 200809L

#include "device.h"

/* The cache key of the answer: the name of the question, with a version. */
static const char key[] = "rounding 1";

static const char trial[] = "__kernel void trial(__global float *a) {\n"
                            "    a[0] = sqrt(a[1]) / a[2];\n"
                            "}\n";

static bool builds(pm_opencl_device *cl, const char *options) {
    cl_int code;
    const char *source = trial;
    cl_program program = clCreateProgramWithSource(cl->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS)
        return false;
    code = clBuildProgram(program, 1, &cl->id, options, NULL, NULL);
    clReleaseProgram(program);
    return code == CL_SUCCESS;
}

/* An answer is kept where the option alone decides: a driver that builds nothing at the moment may
 * take the option later. */
static bool ask(pm_opencl_device *cl) {
    const uint8_t answer = builds(cl, "-cl-std=CL1.2 " PM_CL_ROUNDING_OPTION);
    if (answer || builds(cl, "-cl-std=CL1.2"))
        pm_cl_cache_store_bytes(cl, key, &answer, sizeof answer);
    return answer;
}

/* Sets an untried answer from the cache, if it is there. The caller holds the lock. */
static void load(pm_opencl_device *cl) {
    uint8_t answer = 0;
    if (cl->rounding == PM_ROUNDING_UNTRIED &&
        pm_cl_cache_load_bytes(cl, key, &answer, sizeof answer) && answer <= 1)
        cl->rounding = answer ? PM_ROUNDING_TAKEN : PM_ROUNDING_REFUSED;
}

/* The lock is busy while a trial is built. */
bool pm_cl_knows_rounding_option(pm_opencl_device *cl) {
    if (cl->claims_rounding)
        return true;
    if (pthread_mutex_trylock(&cl->rounding_lock) != 0)
        return false;
    load(cl);
    const bool knows = cl->rounding != PM_ROUNDING_UNTRIED;
    pthread_mutex_unlock(&cl->rounding_lock);
    return knows;
}

bool pm_cl_takes_rounding_option(pm_opencl_device *cl) {
    if (cl->claims_rounding)
        return true;
    pthread_mutex_lock(&cl->rounding_lock);
    load(cl);
    if (cl->rounding == PM_ROUNDING_UNTRIED)
        cl->rounding = ask(cl) ? PM_ROUNDING_TAKEN : PM_ROUNDING_REFUSED;
    const bool takes = cl->rounding == PM_ROUNDING_TAKEN;
    pthread_mutex_unlock(&cl->rounding_lock);
    return takes;
}
