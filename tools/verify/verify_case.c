/* SPDX-License-Identifier: MIT
 *
 * Runs one job of one clip on two paths, compares their bits, and measures each path against
 * double precision.
 */
#include "verify.h"

#include "oracle/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The output of one path. */
typedef struct path_output {
    float *rotations;
    float *positions; /* NULL if the clip has none */
} path_output;

static size_t row_count(const verify_case *tested, const pm_sample_job *job) {
    return job->tracks ? job->sample_count : job->sample_count * tested->desc.track_count;
}

/* Fills the output with NaN, so that a sample that was not written is detected. */
static bool output_allocate(path_output *output, size_t rows, bool positions) {
    output->rotations = malloc(rows * 4 * sizeof(float));
    output->positions = positions ? malloc(rows * 3 * sizeof(float)) : NULL;
    if (!output->rotations || (positions && !output->positions))
        return false;
    memset(output->rotations, 0xff, rows * 4 * sizeof(float));
    if (positions)
        memset(output->positions, 0xff, rows * 3 * sizeof(float));
    return true;
}

static void output_free(path_output *output) {
    free(output->rotations);
    free(output->positions);
}

static pm_status sample_path(const pm_clip *clip, const pm_sample_job *job, bool on_reference,
                             const path_output *output, pm_error *error) {
    pm_sample_job full = *job;
    full.rotations = output->rotations;
    full.positions = output->positions;
    full.on_reference = on_reference;
    return pm_sample(clip, &full, error);
}

/* ---- comparing ----------------------------------------------------------------- */

static bool same_bits(const path_output *a, const path_output *b, size_t row) {
    return memcmp(a->rotations + 4 * row, b->rotations + 4 * row, 4 * sizeof(float)) == 0 &&
           (a->positions == NULL ||
            memcmp(a->positions + 3 * row, b->positions + 3 * row, 3 * sizeof(float)) == 0);
}

static bool all_finite(const float *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

/* Adds one sample. True if its error is the largest so far. */
static bool add_sample(verify_errors *errors, const path_output *output, size_t row, quat exact,
                       double magnification, bool random) {
    const float *got = output->rotations + 4 * row;
    if (!all_finite(got, 4) || (output->positions && !all_finite(output->positions + 3 * row, 3))) {
        errors->not_finite++;
        return false;
    }
    const quat rotation = {(double)got[0], (double)got[1], (double)got[2], (double)got[3]};
    double norm = quat_norm(rotation);
    double raw = oracle_error(quat_scale(rotation, 1.0 / norm), exact);
    double error = raw / magnification;
    errors->raw_max = fmax(errors->raw_max, raw);
    errors->norm = fmax(errors->norm, fabs(norm - 1.0));
    if (random)
        errors->squares += error * error;
    if (!(error > errors->max))
        return false;
    errors->max = error;
    return true;
}

static void compare(const verify_case *tested, const pm_sample_job *job, const path_output *device,
                    const path_output *reference, verify_result *result) {
    oracle *exact = oracle_create(&tested->desc);
    size_t tracks = job->tracks ? 1 : tested->desc.track_count;
    for (size_t k = 0; k < job->sample_count; k++) {
        for (size_t t = 0; t < tracks; t++) {
            size_t row = k * tracks + t;
            size_t track = job->tracks ? job->tracks[k] : t;
            oracle_cursor location = oracle_at_sample(exact, track, job, k);
            quat wanted = oracle_rotation(exact, track, location);
            double times = oracle_magnification(exact, track, location) *
                           oracle_condition(exact, track, location);
            /* max measures the rotation only; the norm error is measured separately. */
            wanted = quat_normalise(wanted);
            if (add_sample(&result->device, device, row, wanted, times, tested->random)) {
                memset(result->worst, 0, sizeof result->worst);
                strncpy(result->worst, tested->name, sizeof result->worst - 1);
            }
            (void)add_sample(&result->reference, reference, row, wanted, times, tested->random);
            result->differing += !same_bits(device, reference, row);
        }
    }
    oracle_destroy(exact);
    size_t rows = row_count(tested, job);
    result->samples += rows;
    result->random_samples += tested->random ? rows : 0;
}

cli_exit verify_case_run(pm_engine *engine, const verify_case *tested, const pm_sample_job *job,
                         verify_result *result) {
    pm_clip *clip = NULL;
    path_output device = {NULL, NULL};
    path_output reference = {NULL, NULL};
    pm_error error = {0};
    cli_exit code = CLI_DONE;
    size_t rows = row_count(tested, job);
    bool positions = tested->desc.positions.data != NULL;
    if (!output_allocate(&device, rows, positions) ||
        !output_allocate(&reference, rows, positions)) {
        code = cli_fail(CLI_DEVICE_FAILED, "verify", NULL, "out of memory");
        goto cleanup;
    }
    if (pm_clip_create(engine, &tested->desc, &clip, &error) != PM_OK ||
        sample_path(clip, job, false, &device, &error) != PM_OK ||
        sample_path(clip, job, true, &reference, &error) != PM_OK) {
        code = cli_fail_error(tested->name, &error);
        /* No user input is involved, so the error is attributed to the device. */
        code = code == CLI_NO_DEVICE ? code : CLI_DEVICE_FAILED;
        goto cleanup;
    }
    compare(tested, job, &device, &reference, result);
    result->clips++;
cleanup:
    pm_clip_destroy(&clip);
    output_free(&device);
    output_free(&reference);
    return code;
}
