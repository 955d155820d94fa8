/* SPDX-License-Identifier: MIT
 *
 * The parts of posemill verify: a clip is sampled on the device and on the reference path, and
 * both are measured against the double-precision oracle, over all cases of a method.
 */
#pragma once

#include "commands/cli.h"

/* Errors of one path against the oracle. */
typedef struct verify_errors {
    double
        max; /* radians, over all samples, divided by oracle_magnification and oracle_condition */
    double raw_max;      /* radians, not divided */
    double norm;         /* largest | |q| - 1 | */
    double squares;      /* sum over the random samples for the rms, divided like max */
    uint64_t not_finite; /* samples with a NaN or an infinity */
} verify_errors;

typedef struct verify_result {
    pm_method method;
    uint64_t samples;        /* all samples; each is compared with the oracle */
    uint64_t random_samples; /* samples of random keys, for the rms */
    uint64_t clips;          /* cases */
    uint64_t differing;      /* samples whose bits differ between the two paths */
    verify_errors device;
    verify_errors reference;
    char worst[96]; /* the case with the max of the device */
} verify_result;

/* Bound of the norm error of every method. */
#define VERIFY_NORM_BOUND 4e-7

double verify_rms(const verify_result *result, const verify_errors *errors);

/* Whether errors and norms are within the documented bounds. */
bool verify_passed(const verify_result *result);

/* Runs all cases of one method: random and adversarial keys, each kind of job, each option of the
 * method. About `samples` random samples. */
cli_exit verify_method(pm_engine *engine, pm_method method, uint64_t seed, size_t samples,
                       verify_result *result);
