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
 * quaternion or of a body's rotation, and the first four of a local pose. */
static void compare(pm_crowd_output output, size_t records, const void *got, const void *wanted,
                    bench_result *result) {
    const bool halves = crowd_output_is_half(output);
    const size_t record_bytes = pm_crowd_record_bytes(output);
    const size_t numbers = record_bytes / (halves ? 2 : 4);
    const size_t signed_ones = output == PM_CROWD_DUAL || output == PM_CROWD_BODY_ROT ? numbers
                               : output == PM_CROWD_LOCAL                             ? 4
                                                                                      : 0;
    const size_t bytes = record_bytes / numbers;
    for (size_t j = 0; j < records; j++) {
        const char *a = (const char *)got + j * record_bytes;
        const char *b = (const char *)wanted + j * record_bytes;
        double error = fmin(difference(a, b, signed_ones, halves, 1.0),
                            difference(a, b, signed_ones, halves, -1.0));
        size_t rest = signed_ones * bytes;
        error = fmax(error, difference(a + rest, b + rest, numbers - signed_ones, halves, 1.0));
        result->max_error_rad = fmax(result->max_error_rad, error);
    }
    if (memcmp(got, wanted, records * record_bytes) != 0)
        result->bits = BITS_DIFFER;
}

/* Bytes of an instance's records. */
static size_t bytes_of(const crowd_setup *setup, const device_target *target) {
    return setup->records * pm_crowd_record_bytes(target->output);
}

/* The expected records of instance i; they start as poison. */
static cli_exit pose_again(const crowd_setup *setup, const device_target *target, size_t i,
                           void *records) {
    pm_error error = {0};
    if (!crowd_updated(setup, i)) {
        memset(records, 0xff, bytes_of(setup, target));
        return CLI_DONE;
    }
    const pm_crowd_job *job = &setup->job;
    pm_crowd_one one = {.instance = job->instances ? &job->instances[i] : NULL,
                        .output = target->output,
                        .subset = target->subset};
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

static cli_exit check_instance(const crowd_setup *setup, const device_target *target, size_t i,
                               check_read read, void *context, float *got, float *wanted,
                               bench_result *result) {
    const size_t bytes = bytes_of(setup, target);
    cli_exit code = read(context, target->offset + i * bytes, bytes, got);
    if (code == CLI_DONE)
        code = pose_again(setup, target, i, wanted);
    if (code != CLI_DONE)
        return code;
    if (crowd_updated(setup, i)) {
        compare(target->output, setup->records, got, wanted, result);
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
        for (size_t t = 0; t < setup->target_count && code == CLI_DONE; t++)
            code = check_instance(setup, &setup->targets[t], i, read, context, got, wanted, result);
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
    job.outputs = &(pm_crowd_target){.output = setup->targets[0].output, .memory = wanted};
    job.output_count = 1;
    if (pm_crowd_pose(setup->crowd, &job, &error) != PM_OK) {
        code = cli_fail_error("bench", &error);
    } else {
        result->max_error_rad = 0.0;
        result->bits = BITS_SAME;
        compare(setup->targets[0].output, setup->records, records, wanted, result);
    }
    free(wanted);
    return code;
}
