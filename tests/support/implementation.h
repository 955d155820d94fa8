/* SPDX-License-Identifier: MIT
 *
 * The implementations that a test body runs on: the oracle, the reference path, and every OpenCL
 * device with the lanes that engines choose there (other tests show that other widths give the
 * same bits). A body does not depend on the kind of implementation. Results are converted to double
 * without rounding.
 */
#ifndef POSEMILL_TESTS_IMPLEMENTATION_H
#define POSEMILL_TESTS_IMPLEMENTATION_H

#include "oracle/oracle_quat.h"
#include "oracle/random_tracks.h"

typedef struct implementation implementation;

struct implementation {
    char name[160];
    bool exact; /* the oracle in double: the curve itself, without rounding */
    bool device;
    pm_engine *engine; /* NULL for the oracle */
    /* The layout of outputs is that of pm_sample_job; outputs may be NULL. Returns false, after
     * printing the reason, when the implementation failed. */
    bool (*sample)(const implementation *s, const pm_clip_desc *desc, const pm_sample_job *job,
                   double *rotations, double *positions, double *scales);
};

/* The unrounded oracle. */
implementation implementation_oracle(void);

/* The reference and the devices: only POSEMILL_TEST_DEVICE if it is set (its value is a
 * pm_engine_desc.device). Engines are made once and kept. Returns false when a
 * device is required (POSEMILL_REQUIRE_DEVICE=1) and there is none, or when a device cannot be
 * opened. */
bool implementation_list(const implementation **implementations, size_t *count);
/* Group teardown: destroys them. */
int implementation_release(void **unused);

/* Samples each track of a set: `per_track` times of each, times[track][k], give out[track][k]. A
 * set with a common timeline is sampled as a whole at the times of track 0. */
bool implementation_sample_set(const implementation *s, const pm_clip_desc *desc,
                               const track_set *set, size_t per_track, const double *times,
                               quat *out);

#endif
