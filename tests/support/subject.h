/* SPDX-License-Identifier: MIT
 *
 * What a test body runs on: the oracle, the reference path, the kernels compiled into the
 * host, and every OpenCL device in the lanes that engines choose there (that other widths
 * give the same bits is shown elsewhere). A body takes a subject and neither knows nor cares
 * which it is; results come as double, exactly as they were.
 */
#ifndef POSEMILL_TESTS_SUBJECT_H
#define POSEMILL_TESTS_SUBJECT_H

#include "oracle/oracle_quat.h"
#include "oracle/random_tracks.h"

typedef struct subject subject;

struct subject {
    char name[160];
    bool exact; /* the oracle in double: the curve itself, without rounding */
    bool device;
    pm_engine *engine;     /* NULL for the oracle */
    uint32_t kernel_lanes; /* of the kernels on the host; 0 for others */
    /* Outputs are laid out as pm_sample_job's and may be NULL. False, with the reason
     * printed, when the subject failed. */
    bool (*sample)(const subject *s, const pm_clip_desc *desc, const pm_sample_job *job,
                   double *rotations, double *positions, double *scales);
};

/* The unrounded oracle. */
subject subject_oracle(void);

/* The reference, the kernels on the host, and the devices: of these POSEMILL_TEST_DEVICE alone
 * if that is set (its value is a pm_engine_desc.device). Engines are made once and kept. False when a device is
 * required (POSEMILL_REQUIRE_DEVICE=1) and there is none, or one cannot be opened. */
bool subject_list(const subject **subjects, size_t *count);
void subject_release(void);

/* The samples of each track of a set: `per_track` times of each, times[track][k], give
 * out[track][k]. A shared set is sampled whole at the times of track 0. */
bool subject_sample_set(const subject *s, const pm_clip_desc *desc, const track_set *set,
                        size_t per_track, const double *times, quat *out);

#endif
