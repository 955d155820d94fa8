/* SPDX-License-Identifier: MIT
 *
 * Instances spread evenly over the crowd, from its first to its last, each posed again by
 * pm_crowd_pose_one.
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
    if (exponent == 31) {
        return (double)NAN;
    }
    return bits >> 15 ? -size : size;
}

/* The largest difference of `count` numbers; with `sign` -1, to those of the other sign. */
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

/* Records of the joints of one instance. Rotations are of either sign: all of a dual quaternion,
 * and the first four numbers of a local pose. */
static void compare(const crowd_made *made, const void *got, const void *wanted,
                    bench_result *result) {
    const bool halves = crowd_output_is_half(made->output);
    const size_t numbers = made->record_bytes / (halves ? 2 : 4);
    const size_t signed_ones = made->output == PM_CROWD_DUAL    ? numbers
                               : made->output == PM_CROWD_LOCAL ? 4
                                                                : 0;
    const size_t bytes = made->record_bytes / numbers;
    for (size_t j = 0; j < made->joints; j++) {
        const char *a = (const char *)got + j * made->record_bytes;
        const char *b = (const char *)wanted + j * made->record_bytes;
        double error = fmin(difference(a, b, signed_ones, halves, 1.0),
                            difference(a, b, signed_ones, halves, -1.0));
        size_t rest = signed_ones * bytes;
        error = fmax(error, difference(a + rest, b + rest, numbers - signed_ones, halves, 1.0));
        result->max_error_rad = fmax(result->max_error_rad, error);
    }
    if (memcmp(got, wanted, made->joints * made->record_bytes) != 0) {
        result->bits = BITS_DIFFER;
    }
}

/* What instance i must have become, from poison. */
static cli_exit pose_again(const crowd_made *made, size_t i, void *records) {
    pm_error error = {0};
    if (!crowd_updated(made, i)) {
        memset(records, 0xff, made->joints * made->record_bytes);
        return CLI_DONE;
    }
    return pm_crowd_pose_one(made->crowd, &made->instances[i], made->output, records, &error) ==
                   PM_OK
               ? CLI_DONE
               : cli_fail_error("bench", &error);
}

static cli_exit check_instance(const crowd_made *made, size_t i, check_read read, void *context,
                               float *got, float *wanted, bench_result *result) {
    const size_t bytes = made->joints * made->record_bytes;
    cli_exit code = read(context, i * bytes, bytes, got);
    if (code == CLI_DONE) {
        code = pose_again(made, i, wanted);
    }
    if (code != CLI_DONE) {
        return code;
    }
    if (crowd_updated(made, i)) {
        compare(made, got, wanted, result);
    } else if (memcmp(got, wanted, bytes) != 0) {
        result->max_error_rad = (double)INFINITY;
        result->bits = BITS_DIFFER;
    }
    return CLI_DONE;
}

static cli_exit out_of_memory(void) {
    return cli_fail(CLI_DEVICE_FAILED, "bench", "ask for less with --samples", "out of memory");
}

cli_exit crowd_check(const crowd_made *made, check_read read, void *context, bench_result *result) {
    const size_t bytes = made->joints * made->record_bytes;
    const size_t count = made->agents < INSTANCES ? made->agents : INSTANCES;
    float *got = malloc(bytes);
    float *wanted = malloc(bytes);
    cli_exit code = got != NULL && wanted != NULL ? CLI_DONE : out_of_memory();
    result->max_error_rad = 0.0;
    result->bits = BITS_SAME;
    for (size_t k = 0; k < count && code == CLI_DONE; k++) {
        size_t i = count > 1 ? (made->agents - 1) * k / (count - 1) : 0;
        code = check_instance(made, i, read, context, got, wanted, result);
    }
    free(got);
    free(wanted);
    return code;
}

cli_exit crowd_check_one(const crowd_made *made, const float *records, bench_result *result) {
    pm_crowd_job job = {.instances = made->instances, .instance_count = 1, .on_reference = true};
    pm_error error = {0};
    float *wanted = malloc(made->joints * made->record_bytes);
    if (wanted == NULL) {
        return out_of_memory();
    }
    cli_exit code = CLI_DONE;
    job.outputs[made->output].memory = wanted;
    if (pm_crowd_pose(made->crowd, &job, &error) != PM_OK) {
        code = cli_fail_error("bench", &error);
    } else {
        result->max_error_rad = 0.0;
        result->bits = BITS_SAME;
        compare(made, records, wanted, result);
    }
    free(wanted);
    return code;
}
