/* SPDX-License-Identifier: MIT
 *
 * Compares blocks of samples, spread evenly from the first sample of a job to the last, and instances,
 * spread evenly over the crowd.
 */
#include "check.h"

#include "baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A block of a grid contains all phases of upsampling by 4. */
enum { BLOCKS = 64, GRID_BLOCK = 4, PAIR_BLOCK = 256, BLOCK_ROWS = 256, INSTANCES = 64 };
_Static_assert(GRID_BLOCK *SCENE_TRACKS <= BLOCK_ROWS && PAIR_BLOCK <= BLOCK_ROWS,
               "a block is larger than its buffer");

static cli_exit read_output(check_output output, size_t offset, size_t bytes, void *to) {
    if (!output.host)
        return output.device->verbs->read(output.device, offset, bytes, to);
    memcpy(to, (const char *)output.host + offset, bytes);
    return CLI_DONE;
}

/* ---- samples ------------------------------------------------------------------- */

static void compare_samples(const float *got, const float *wanted, size_t rows,
                            bench_result *result) {
    for (size_t i = 0; i < rows; i++) {
        const double error =
            oracle_error(baseline_quat(got + 4 * i), baseline_quat(wanted + 4 * i));
        result->max_error_rad =
            fmax(result->max_error_rad, isfinite(error) ? error : (double)INFINITY);
    }
    if (memcmp(got, wanted, rows * 4 * sizeof(float)) != 0)
        result->bits = BITS_DIFFER;
}

static cli_exit reference_block(const pm_clip *clip, const pm_filter *filter,
                                const pm_sample_job *job, size_t from, size_t count, float *to) {
    pm_sample_job block = *job;
    pm_error error = {0};
    block.sample_count = count;
    block.first += job->times == NULL ? from : 0;
    block.times = job->times ? job->times + from : NULL;
    block.tracks = job->tracks ? job->tracks + from : NULL;
    block.rotations = to;
    block.on_reference = true;
    const pm_status status =
        filter ? pm_filter_sample(filter, &block, &error) : pm_sample(clip, &block, &error);
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

cli_exit check_samples(const pm_clip *clip, const pm_filter *filter, const pm_sample_job *job,
                       check_output output, bench_result *result) {
    float got[BLOCK_ROWS * 4];
    float wanted[BLOCK_ROWS * 4];
    const size_t most = job->tracks ? PAIR_BLOCK : GRID_BLOCK;
    const size_t block = job->sample_count < most ? job->sample_count : most;
    const size_t room = job->sample_count - block, width = result->samples / job->sample_count;
    const size_t rows = block * width, row_bytes = 4 * sizeof(float);
    cli_exit code = CLI_DONE;
    result->max_error_rad = 0.0;
    result->bits = BITS_SAME;
    for (size_t i = 0; i < BLOCKS && code == CLI_DONE; i++) {
        const size_t from = room / (BLOCKS - 1) * i + room % (BLOCKS - 1) * i / (BLOCKS - 1);
        code = read_output(output, from * width * row_bytes, rows * row_bytes, got);
        if (code == CLI_DONE)
            code = reference_block(clip, filter, job, from, block, wanted);
        if (code == CLI_DONE)
            compare_samples(got, wanted, rows, result);
    }
    return code;
}

/* ---- crowds -------------------------------------------------------------------- */

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
static void compare_records(pm_crowd_output output, size_t records, const void *got,
                            const void *wanted, bench_result *result) {
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

/* The expected records of instance i; they start as poison. */
static cli_exit pose_again(const crowd_setup *setup, const device_target *target, size_t i,
                           bool one, size_t bytes, void *records) {
    const pm_crowd_job *job = &setup->job;
    pm_error error = {0};
    pm_status status = PM_OK;
    pm_crowd_one alone = {.instance = job->instances ? &job->instances[i] : NULL,
                          .output = target->output,
                          .subset = target->subset};
    memset(records, 0xff, bytes);
    if (job->layers) {
        alone.layers = job->layers + job->ranges[i].first;
        alone.layer_count = job->ranges[i].count;
    }
    if (job->chains) {
        alone.chains = job->chains;
        alone.chain_count = job->chain_count;
        alone.goals = (const void *)((const char *)job->goals + i * job->goal_stride);
        alone.ground = job->ground;
        alone.heights = job->heights;
        alone.placement = job->placements ? &job->placements[i] : NULL;
    }
    if (job->transitions) {
        alone.transition = (const char *)job->transitions + i * job->transition_stride;
        alone.transition_time = job->transition_time;
    }
    if (job->poses)
        alone.pose = setup->poses + i * setup->joints * 12;
    if (one) {
        pm_crowd_target into = {.output = target->output, .memory = records};
        const pm_crowd_job all = {.instances = setup->instances,
                                  .instance_count = 1,
                                  .outputs = &into,
                                  .output_count = 1,
                                  .on_reference = true};
        status = pm_crowd_pose(setup->crowd, &all, &error);
    } else if (crowd_updated(setup, i)) {
        status = pm_crowd_pose_one(setup->crowd, &alone, records, &error);
    }
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

static cli_exit check_instance(const crowd_setup *setup, const device_target *target, size_t i,
                               bool one, check_output output, void *memory, bench_result *result) {
    const size_t bytes = setup->records * pm_crowd_record_bytes(target->output);
    char *got = memory, *wanted = got + bytes;
    cli_exit code = read_output(output, target->offset + i * bytes, bytes, got);
    if (code == CLI_DONE)
        code = pose_again(setup, target, i, one, bytes, wanted);
    if (code == CLI_DONE && crowd_updated(setup, i)) {
        compare_records(target->output, setup->records, got, wanted, result);
    } else if (code == CLI_DONE && memcmp(got, wanted, bytes) != 0) {
        result->max_error_rad = (double)INFINITY;
        result->bits = BITS_DIFFER;
    }
    return code;
}

cli_exit check_crowd(const crowd_setup *setup, bool one, check_output output,
                     bench_result *result) {
    const size_t count = setup->agents < INSTANCES ? setup->agents : INSTANCES;
    void *memory = malloc(2 * setup->records * setup->record_bytes);
    cli_exit code = memory ? CLI_DONE : bench_out_of_memory();
    result->max_error_rad = 0.0;
    result->bits = BITS_SAME;
    for (size_t k = 0; k < count && code == CLI_DONE; k++) {
        const size_t i = count > 1 ? (setup->agents - 1) * k / (count - 1) : 0;
        for (size_t t = 0; t < setup->target_count && code == CLI_DONE; t++)
            code = check_instance(setup, &setup->targets[t], i, one, output, memory, result);
    }
    free(memory);
    return code;
}
