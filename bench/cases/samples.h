/* SPDX-License-Identifier: MIT
 *
 * Cases that sample the tracks of a scene: by jobs on a device or on the host, by clips that are built for
 * one job, through a low-pass, and by the baseline. And cases that build clips.
 */
#ifndef POSEMILL_BENCH_SAMPLES_H
#define POSEMILL_BENCH_SAMPLES_H

#include "runner/runner.h"

/* A job whose results stay in device memory. */
bench_runner samples_run;
/* Likewise, into host memory that begins as that of a large malloc does. */
bench_runner samples_run_to_host;
/* Keys in host memory to samples: in host memory by pm_resample, or in device memory by a clip. */
bench_runner samples_run_oneshot, samples_run_oneshot_device;
/* Keys in host memory to a clip that is ready to be sampled; built by the device, or the case fails. */
bench_runner samples_run_clip, samples_run_clip_device;
/* Upsampling by 4 in C on all cores, in loops that are left to the compiler, and by the obvious kernel. */
bench_runner samples_run_baseline, samples_run_simple, samples_run_obvious;

/* Ceilings, low-passes and other layouts. */
case_table samples_table(void);

/* The largest size of a run whose upsampling by 4 gives `samples`: four times as many, or the power
 * of two that the device allows in one buffer and in a quarter of its memory. */
size_t samples_largest(size_t samples, const pm_device_info *info);

#endif
