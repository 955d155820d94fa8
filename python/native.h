/* SPDX-License-Identifier: MIT
 *
 * What the Python package calls besides the public headers: the end of batches, the command, and arrays.
 * Functions are thread-safe.
 */
#ifndef POSEMILL_PYTHON_NATIVE_H
#define POSEMILL_PYTHON_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <posemill/posemill.h>
#include <posemill/posemill_library.h>
#include <posemill/posemill_motion.h>

/* Writes a file, which appears when it is complete. */
pm_status native_save(const char *path, const char *text, size_t size, pm_error *error);

/* A motion, and the steps that it goes through. */
typedef struct native_chain {
    const pm_motion *motion;
    const char *name; /* of the motion, in messages */
    const pm_motion_step *steps;
    size_t step_count;
    pm_engine *engine;          /* of resampling. NULL: for each either of these: */
    pm_engine *plain;           /* plain C */
    pm_engine *(*open)(void);   /* the device, where it repays its opening */
    pm_motion_log_function log; /* receives what is unusual */
    void *log_user;
    const uint32_t *cancel; /* ends a step that reduces once it is not 0. NULL: never */
} native_chain;

/* The result in memory; of a last step that reduces also its numbers, else NULL. */
pm_status native_make(const native_chain *chain, pm_motion **made, pm_motion_reduction **reduction,
                      pm_error *error);

/* The result in a file, with the bytes that `posemill run` writes. */
pm_status native_write(const native_chain *chain, const pm_motion_batch_task *writing,
                       const char *path, bool makes_folders, pm_error *error);

/* Lets native_stop end a run with these options, and small files reuse the memory of those before. */
void native_let_stop(pm_motion_batch_options *options);

/* Ends the runs that have begun when their files in work are finished. */
void native_stop(void);

/* The command `posemill`, with its signal handlers, for a process that ends with it. Returns its exit
 * code. */
int posemill_main(int argc, char **argv);

/* Whether the process was forked after the library had called a driver of OpenCL. */
bool native_devices_are_lost(void);

/* Notes that someone else in this process calls drivers of OpenCL. */
void native_note_drivers(void);

/* Seconds in any order, and the limits that they must keep. */
typedef struct native_times {
    const double *seconds;
    size_t count; /* at least 1 */
    double first, last;
} native_times;

/* Rotations of all tracks of a clip, sampled in plain C by up to one thread per processor, and normalised
 * in double: (count, track_count, 4). *outside is the index of the first time that is not a number from
 * `first` to `last`; the rotations are undefined then. `count`: there is none. */
pm_status native_rotations(const pm_clip *clip, const native_times *times, size_t track_count,
                           double *rotations, size_t *outside, pm_error *error);

/* Rotation vectors of frames, and rows of the result between them. */
typedef struct native_rotvecs {
    const void *source;          /* (frame_count, columns, 3) */
    size_t source_size;          /* bytes of a number: 4, float32; 8, float64 */
    size_t frame_count, columns; /* at least 1 */
    const int64_t *frames;       /* of each row: the frame at or before it, ascending */
    const float *fractions;      /* of each row: from 0 to 1, of the way to the next frame */
    size_t rows;                 /* at least 1 */
    bool keeps_frames;           /* rows of fraction 0 are copies of their frames */
    const float *samples;        /* (rows, columns, 4), not read in copies. NULL: of `method` */
    int method;                  /* one that native_samples_rotvecs accepts; not used in copies */
    void *vectors;               /* the result, (rows, columns, 3) */
    size_t result_size;          /* as source_size */
} native_rotvecs;

/* Whether native_resample_rotvecs computes samples of this pm_method. */
bool native_samples_rotvecs(int method);

/* Computes rows by up to one thread per processor, each on the branch nearest to its frame. The result is
 * undefined where *is_finite is false: a number of the source is not finite. The status is PM_OK or
 * PM_ERROR_MEMORY. */
pm_status native_resample_rotvecs(const native_rotvecs *r, bool *is_finite);

/* Conversions of whole arrays, by up to one thread per processor. Arrays are tightly packed; rows
 * are (x, y, z, w), vectors and angles of 3 numbers, and row-major matrices of 9. */

/* pm_crowd_ticks of each. */
void array_ticks(const double *seconds, int64_t *ticks, size_t count);

/* Seconds and weights of motions; those that do not exist have 0. */
void array_motions(const pm_library *library, const uint32_t *ids, double *seconds, double *weights,
                   size_t count);

/* pm_crowd_synced_time of each, on the calling thread, up to the first failure. */
pm_status array_synced_times(const pm_crowd *crowd, size_t clip, size_t other, const int64_t *times,
                             int64_t *synced, size_t count, pm_error *error);

/* Copies float32 quaternions and normalises them in double. A zero quaternion stays zero. */
void array_normalized(const float *from, double *to, size_t count);

/* Rotation vectors, of any finite length. */
void array_from_rotvec(const double *vectors, double *quaternions, size_t count);

/* The inverse. Each vector is at most half a turn long. */
void array_to_rotvec(const double *quaternions, double *vectors, size_t count);

/* Angles in radians, in the order of the name of the Euler order. */
void array_from_euler(int order, const double *angles, double *quaternions, size_t count);

/* The middle angle is within [-pi/2, pi/2], of orders whose first axis is the last within [0, pi];
 * the others are within [-pi, pi]. At gimbal lock the first angle is 0. */
void array_to_euler(int order, const double *quaternions, double *angles, size_t count);

void array_to_matrix(const double *quaternions, double *matrices, size_t count);

/* Returns the index of the first matrix that is no rotation; `count` if all are. */
size_t array_from_matrix(const double *matrices, double *quaternions, size_t count);

#endif
