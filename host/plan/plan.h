/* SPDX-License-Identifier: MIT
 *
 * The door of this room: requests, and what is launched for them. A request is a checked job with
 * everything resolved. A plan is its list of steps, without a call of any API.
 */
#ifndef PM_HOST_PLAN_H
#define PM_HOST_PLAN_H

#include "clip_plan.h"
#include "lowpass.h"
#include "points_request.h"
#include "pose_request.h"
#include "sample_request.h"
#include "step.h"

typedef struct pm_sample_plan {
    const pm_plan_device *device; /* borrowed */
    unsigned outputs;             /* bit o: output o is computed */
    bool locates;                 /* a device can compute the cursors; else the host does */
    size_t piece_samples;         /* at most, at least 1 */
} pm_sample_plan;

/* The plan for the outputs of a request, in pieces with at most `bytes` bytes of rotations. */
pm_sample_plan pm_plan_samples(const pm_sample_request *request, uint64_t bytes,
                               const pm_plan_device *device);

/* The step that computes the cursors of a piece. False: the plan has none. */
bool pm_plan_locate(const pm_sample_plan *plan, const pm_sample_request *piece, pm_step *step);

/* The step that computes an output of a piece. */
pm_step pm_plan_output(const pm_sample_plan *plan, const pm_sample_request *piece, unsigned output);

enum { PM_SAMPLE_VARIANTS = PM_OUTPUT_COUNT + 1 };

/* Lists the programs of a plan; returns their number. */
size_t pm_plan_sample_variants(const pm_sample_plan *plan, const pm_sample_request *request,
                               pm_variant variants[PM_SAMPLE_VARIANTS]);

/* The program of a target. */
pm_variant pm_plan_pose_variant(const pm_pose_request *request, size_t target);

/* The programs of a request. Returns their number. */
enum { PM_POSE_VARIANTS = PM_CROWD_MAX_TARGETS + 4 };
size_t pm_plan_pose_variants(const pm_pose_request *request, pm_variant variants[PM_POSE_VARIANTS]);

/* PM_ERROR_DEVICE where the device has too little shared memory for any group. `stages` are those of each
 * set. */
pm_status pm_plan_check_poses(const pm_pose_request *request, const pm_stages *stages,
                              const pm_plan_device *device, pm_error *error);

/* Entries per launch. A multiple of PM_INSTANCE_GROUP, so that no launch but the last is smaller
 * than the kernels' vectors, and instances take their turns as in one launch. */
size_t pm_plan_launch_instances(const pm_pose_request *request, const pm_plan_device *device);

/* The step that writes the records of a target for a piece of the entries, and of states of bodies those that
 * are computed together with it. */
pm_step pm_plan_poses(const pm_pose_request *request, size_t target, const pm_piece *piece,
                      const pm_stages *stages);

/* The step by which a chain of a request, the one at place `chain`, changes the local poses of a piece of the entries,
 * which are in PM_MEMORY_RESULTS. */
pm_step pm_plan_reach(const pm_pose_request *request, size_t chain, pm_address local,
                      const pm_piece *piece);

/* The step of a capture. */
pm_step pm_plan_capture(const pm_pose_request *request, const pm_piece *piece);

#endif
