/* SPDX-License-Identifier: MIT
 *
 * Compares instances, spread evenly over the crowd, with pm_crowd_pose_one.
 */
#include "crowd_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 64 };

static double of_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double fraction = (double)(bits & 1023) / 1024.0;
    double size = exponent > 0 ? ldexp(1.0 + fraction, exponent - 15) : ldexp(fraction, -14);
    if (exponent == 31)
        return (double)NAN;
    return bits >> 15 ? -size : size;
}

/* The largest difference of `count` numbers; with `sign` -1, to the negated numbers. */
static double difference(const void *got, const void *wanted, size_t count, bool halves,
                         double sign) {
    const uint16_t *short_got = got, *short_wanted = wanted;
    const float *long_got = got, *long_wanted = wanted;
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        double a = halves ? of_half(short_got[i]) : (double)long_got[i];
        double b = halves ? of_half(short_wanted[i]) : (double)long_wanted[i];
        double size = fabs(a - sign * b);
        largest = fmax(largest, isfinite(size) ? size : (double)INFINITY);
    }
    return largest;
}

/* Compares the records of one instance. Rotations may have either sign: all numbers of a dual
 * quaternion, and the first four of a local pose. */
static void compare(const crowd_setup *setup, const void *got, const void *wanted,
                    bench_result *result) {
    const bool halves = crowd_output_is_half(setup->output);
    const size_t numbers = setup->record_bytes / (halves ? 2 : 4);
    const size_t signed_ones = setup->output == PM_CROWD_DUAL    ? numbers
                               : setup->output == PM_CROWD_LOCAL ? 4
                                                                 : 0;
    const size_t bytes = setup->record_bytes / numbers;
    for (size_t j = 0; j < setup->records; j++) {
        const char *a = (const char *)got + j * setup->record_bytes;
        const char *b = (const char *)wanted + j * setup->record_bytes;
        double error = fmin(difference(a, b, signed_ones, halves, 1.0),
                            difference(a, b, signed_ones, halves, -1.0));
        size_t rest = signed_ones * bytes;
        error = fmax(error, difference(a + rest, b + rest, numbers - signed_ones, halves, 1.0));
        result->max_error_rad = fmax(result->max_error_rad, error);
    }
    if (memcmp(got, wanted, setup->records * setup->record_bytes) != 0)
        result->bits = BITS_DIFFER;
}

/* The expected record of instance i; it starts as poison. */
static cli_exit pose_again(const crowd_setup *setup, size_t i, void *records) {
    pm_error error = {0};
    if (!crowd_updated(setup, i)) {
        memset(records, 0xff, setup->records * setup->record_bytes);
        return CLI_DONE;
    }
    const pm_crowd_job *job = &setup->job;
    pm_crowd_one one = {.instance = job->instances ? &job->instances[i] : NULL,
                        .output = setup->output,
                        .subset = setup->subset};
    if (job->layers) {
        one.layers = job->layers + job->ranges[i].first;
        one.layer_count = job->ranges[i].count;
    }
    if (job->poses)
        one.pose = setup->poses + i * setup->joints * 12;
    return pm_crowd_pose_character(setup->crowd, &one, records, &error) == PM_OK
               ? CLI_DONE
               : cli_fail_error("bench", &error);
}

static cli_exit check_instance(const crowd_setup *setup, size_t i, check_read read, void *context,
                               float *got, float *wanted, bench_result *result) {
    const size_t bytes = setup->records * setup->record_bytes;
    cli_exit code = read(context, i * bytes, bytes, got);
    if (code == CLI_DONE)
        code = pose_again(setup, i, wanted);
    if (code != CLI_DONE)
        return code;
    if (crowd_updated(setup, i)) {
        compare(setup, got, wanted, result);
    } else if (memcmp(got, wanted, bytes) != 0) {
        result->max_error_rad = (double)INFINITY;
        result->bits = BITS_DIFFER;
    }
    return CLI_DONE;
}

static cli_exit out_of_memory(void) {
    return cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
}

cli_exit crowd_check(const crowd_setup *setup, check_read read, void *context,
                     bench_result *result) {
    const size_t bytes = setup->records * setup->record_bytes;
    const size_t count = setup->agents < INSTANCES ? setup->agents : INSTANCES;
    float *got = malloc(bytes);
    float *wanted = malloc(bytes);
    cli_exit code = got && wanted ? CLI_DONE : out_of_memory();
    result->max_error_rad = 0.0;
    result->bits = BITS_SAME;
    for (size_t k = 0; k < count && code == CLI_DONE; k++) {
        size_t i = count > 1 ? (setup->agents - 1) * k / (count - 1) : 0;
        code = check_instance(setup, i, read, context, got, wanted, result);
    }
    free(got);
    free(wanted);
    return code;
}

cli_exit crowd_check_one(const crowd_setup *setup, const float *records, bench_result *result) {
    pm_crowd_job job = {.instances = setup->instances, .instance_count = 1, .on_reference = true};
    pm_error error = {0};
    float *wanted = malloc(setup->records * setup->record_bytes);
    if (!wanted)
        return out_of_memory();
    cli_exit code = CLI_DONE;
    job.outputs = &(pm_crowd_target){.output = setup->output, .memory = wanted};
    job.output_count = 1;
    if (pm_crowd_pose(setup->crowd, &job, &error) != PM_OK) {
        code = cli_fail_error("bench", &error);
    } else {
        result->max_error_rad = 0.0;
        result->bits = BITS_SAME;
        compare(setup, records, wanted, result);
    }
    free(wanted);
    return code;
}
