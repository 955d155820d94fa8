/* SPDX-License-Identifier: MIT
 *
 * The kernels' arguments and work sizes on a CUDA device: the only file of cuda_check that knows the
 * order of a kernel's parameters. They are those of host/opencl for one lane.
 */
#ifndef POSEMILL_TESTS_CUDA_LAUNCHES_H
#define POSEMILL_TESTS_CUDA_LAUNCHES_H

#include "backend/backend.h"
#include "programs.h"

/* The kernel that evaluates a request: walk for values on common timelines, gather for any, and one
 * for each derivative. */
typedef enum cuda_kernel { CUDA_WALK, CUDA_GATHER, CUDA_VELOCITY, CUDA_ACCELERATION } cuda_kernel;

/* "walk/squad" or "gather/slerp/log48": the program for a channel. */
void cuda_sampler_name(cuda_kernel kernel, const pm_channel *channel, char *name, size_t size);

/* "crowd/palette/slerp/log48" or "crowd/dual/slerp/per-joint". */
void cuda_crowd_name(const pm_crowd_data *crowd, pm_crowd_output output, char *name, size_t size);

/* Computes one output of a request into `values`. Prints the reason for a failure, also where the
 * kernel wrote before its values. */
bool cuda_sample(cuda_programs *programs, const cuda_program *program, cuda_kernel kernel,
                 const pm_sample_request *request, const pm_cursor *cursors,
                 const pm_output *output, float *values);

typedef struct cuda_pose_job {
    const pm_crowd_data *crowd;
    const pm_crowd_instance *instances;
    size_t instance_count;
    pm_crowd_output output;
    size_t offset; /* bytes before the records on the device: a multiple of 4 */
} cuda_pose_job;

/* Computes an output of a crowd's instances into contiguous records. */
bool cuda_pose(cuda_programs *programs, const cuda_program *program, const cuda_pose_job *job,
               void *records);

#endif
