/* SPDX-License-Identifier: MIT
 *
 * The door of this room: requests, and what is launched for them. A request is a checked job with
 * everything resolved. A plan is its list of steps, without a call of any API.
 */
#ifndef PM_HOST_PLAN_H
#define PM_HOST_PLAN_H

#include "clip_plan.h"
#include "lowpass.h"
#include "pose_request.h"
#include "sample_request.h"
#include "step.h"

typedef struct pm_sample_plan {
    const pm_plan_device *device; /* borrowed */
    unsigned outputs;             /* bit o: output o is computed */
    unsigned sorted;              /* bit o: from sorted pairs */
    bool reads_cursors;           /* some output is computed from cursors, and of pairs, tracks */
    bool locates;                 /* a device can compute the cursors; else the host does */
    size_t piece_samples;         /* at most, at least 1 */
} pm_sample_plan;

/* Whether plain C computes a request into host memory clearly faster on the processors of a device, with the same
 * bits, by the rates of sides.c. Small requests for poses too, because drivers take longer to begin and to end them;
 * small requests for samples stay on the device, whose results they are compared with. */
bool pm_plan_samples_on_host(const pm_sample_request *request, const pm_plan_device *device);
bool pm_plan_poses_on_host(const pm_pose_request *request, const pm_plan_device *device);

/* What a request for poses takes one thread of plain C, about. */
double pm_plan_poses_nanoseconds(const pm_pose_request *request);

/* Whether an output has all tracks at common times, and is no derivative. */
bool pm_plan_has_common_times(const pm_sample_request *request, unsigned output);

/* The plan for the outputs of a request, in pieces with at most `bytes` bytes of rotations. */
pm_sample_plan pm_plan_samples(const pm_sample_request *request, uint64_t bytes,
                               const pm_plan_device *device);

/* The step that computes the cursors of a piece. False: the plan has none. */
bool pm_plan_locate(const pm_sample_plan *plan, const pm_sample_request *piece, pm_step *step);

enum { PM_OUTPUT_STEPS = 2 };

/* The steps that compute an output of a piece, each after the one before. `group_count` is that of
 * the sorted pairs; 0 where only the programs matter. Returns their number. */
size_t pm_plan_output(const pm_sample_plan *plan, const pm_sample_request *piece, unsigned output,
                      size_t group_count, pm_step steps[PM_OUTPUT_STEPS]);

/* Bytes for the values of sorted pairs of any piece and output. */
size_t pm_plan_pair_values(const pm_sample_plan *plan, const pm_sample_request *request);

enum { PM_SAMPLE_VARIANTS = PM_OUTPUT_STEPS * PM_OUTPUT_COUNT + 1 };

/* Lists the programs of a plan; returns their number. */
size_t pm_plan_sample_variants(const pm_sample_plan *plan, const pm_sample_request *request,
                               pm_variant variants[PM_SAMPLE_VARIANTS]);

/* The program of a target. */
pm_variant pm_plan_pose_variant(const pm_pose_request *request, size_t target,
                                const pm_plan_device *device);

/* PM_ERROR_DEVICE where the device has too little shared memory for any group. `stages` are those of each
 * set. */
pm_status pm_plan_check_poses(const pm_pose_request *request, const pm_stages *stages,
                              const pm_plan_device *device, pm_error *error);

/* Entries per launch. A multiple of PM_INSTANCE_GROUP, so that no launch but the last is smaller
 * than the kernels' vectors, and instances take their turns as in one launch. */
size_t pm_plan_launch_instances(const pm_pose_request *request, const pm_plan_device *device);

/* The step that writes the records of a target for a piece of the entries, and of states of bodies those that
 * are computed together with it. The stages are read for devices of one lane. */
pm_step pm_plan_poses(const pm_pose_request *request, size_t target, const pm_piece *piece,
                      const pm_stages *stages, const pm_plan_device *device);

#endif
