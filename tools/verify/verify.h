/* SPDX-License-Identifier: MIT
 *
 * The parts of posemill verify: a clip sampled on the device and on the reference, both
 * measured against the double-precision oracle, over the cases that a method has.
 */
#ifndef POSEMILL_TOOLS_VERIFY_H
#define POSEMILL_TOOLS_VERIFY_H

#include "commands/cli.h"

/* Errors of one path against the oracle. */
typedef struct verify_errors {
    double max;          /* radians, over all samples: over oracle_magnification and _condition */
    double raw_max;      /* radians as they are */
    double norm;         /* largest | |q| - 1 | */
    double squares;      /* sum over the random samples, for the rms; divided likewise */
    uint64_t not_finite; /* samples with a NaN or an infinity */
} verify_errors;

typedef struct verify_result {
    pm_method method;
    uint64_t samples;        /* all, each compared with the oracle */
    uint64_t random_samples; /* of random keys: those that the rms is taken over */
    uint64_t clips;          /* cases */
    uint64_t differing;      /* samples whose bits differ between the two paths */
    verify_errors device;
    verify_errors reference;
    char worst[96]; /* the case of the device's max */
} verify_result;

/* Rotation norm that every method keeps to. */
#define VERIFY_NORM_BOUND 4e-7

double verify_rms(const verify_result *result, const verify_errors *errors);

/* Whether errors and norms are within what the library documents. */
bool verify_passed(const verify_result *result);

/* One clip under test. */
typedef struct verify_case {
    const char *name;
    bool random; /* counts for the rms */
    pm_clip_desc desc;
} verify_case;

/* Samples a clip of the case by a job without outputs, on both paths, and adds what it finds
 * to the result. On failure prints and returns the code. */
cli_exit verify_case_run(pm_engine *engine, const verify_case *tested, const pm_sample_job *job,
                         verify_result *result);

/* All cases of one method: random and adversarial keys, each kind of job, each of the
 * method's options. About `samples` random samples. */
cli_exit verify_method(pm_engine *engine, pm_method method, uint64_t seed, size_t samples,
                       verify_result *result);

#endif
