/* SPDX-License-Identifier: MIT
 *
 * Compares blocks of samples, spread evenly from the first sample of a job to the last, with the
 * reference path.
 */
#include "check.h"

#include <math.h>
#include <string.h>

/* A block of a grid contains all phases of upsampling by 4. */
enum { BLOCKS = 64, GRID_BLOCK = 4, PAIR_BLOCK = 256, BLOCK_ROWS = 256 };
_Static_assert(GRID_BLOCK *SCENE_TRACKS <= BLOCK_ROWS && PAIR_BLOCK <= BLOCK_ROWS,
               "a block is larger than its buffer");

cli_exit check_read_device(void *device, size_t offset, size_t bytes, float *to) {
    return device_read(device, offset, bytes, to);
}

cli_exit check_read_host(void *floats, size_t offset, size_t bytes, float *to) {
    memcpy(to, (const char *)floats + offset, bytes);
    return CLI_DONE;
}

/* Angle between two rotations, independent of the signs. Accurate for small angles, unlike acos. */
static double angle_between(const float *a, const float *b) {
    double same = 0.0;
    double opposite = 0.0;
    for (int c = 0; c < 4; c++) {
        double difference = (double)a[c] - (double)b[c];
        double sum = (double)a[c] + (double)b[c];
        same += difference * difference;
        opposite += sum * sum;
    }
    if (!isfinite(same) || !isfinite(opposite))
        return (double)INFINITY;
    return 4.0 * atan2(sqrt(fmin(same, opposite)), sqrt(fmax(same, opposite)));
}

static void compare(const float *got, const float *wanted, size_t rows, bench_result *result) {
    for (size_t i = 0; i < rows; i++) {
        double error = angle_between(got + 4 * i, wanted + 4 * i);
        result->max_error_rad = fmax(result->max_error_rad, error);
    }
    if (memcmp(got, wanted, rows * 4 * sizeof(float)) != 0)
        result->bits = BITS_DIFFER;
}

pm_status check_sample_clip(const void *clip, const pm_sample_job *job, pm_error *error) {
    return pm_sample(clip, job, error);
}

pm_status check_sample_filter(const void *filter, const pm_sample_job *job, pm_error *error) {
    return pm_filter_sample(filter, job, error);
}

static cli_exit reference_block(check_sample sample, const void *of, const pm_sample_job *job,
                                size_t from, size_t count, float *to) {
    pm_sample_job block = *job;
    pm_error error = {0};
    block.sample_count = count;
    block.first += job->times == NULL ? from : 0;
    block.times = job->times ? job->times + from : NULL;
    block.tracks = job->tracks ? job->tracks + from : NULL;
    block.rotations = to;
    block.on_reference = true;
    return sample(of, &block, &error) == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

cli_exit check_results(check_sample sample, const void *of, const pm_sample_job *job,
                       check_read read, void *context, bench_result *result) {
    float got[BLOCK_ROWS * 4];
    float wanted[BLOCK_ROWS * 4];
    size_t block = job->tracks ? PAIR_BLOCK : GRID_BLOCK;
    size_t width = result->samples / job->sample_count;
    cli_exit code = CLI_DONE;
    block = job->sample_count < block ? job->sample_count : block;
    size_t room = job->sample_count - block;
    result->max_error_rad = 0.0;
    result->bits = BITS_SAME;
    for (size_t i = 0; i < BLOCKS && code == CLI_DONE; i++) {
        size_t from = room / (BLOCKS - 1) * i + room % (BLOCKS - 1) * i / (BLOCKS - 1);
        size_t rows = block * width;
        const size_t row_bytes = 4 * sizeof(float);
        code = read(context, from * width * row_bytes, rows * row_bytes, got);
        if (code == CLI_DONE)
            code = reference_block(sample, of, job, from, block, wanted);
        if (code == CLI_DONE)
            compare(got, wanted, rows, result);
    }
    return code;
}
