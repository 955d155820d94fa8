/* SPDX-License-Identifier: MIT
 *
 * The interpolations of glTF 2.0, appendix C, in double precision, written from its text: what
 * resampled channels and characters are compared with. Shares no code with the motion library.
 */
#ifndef POSEMILL_TESTS_MOTION_TRUTH_H
#define POSEMILL_TESTS_MOTION_TRUTH_H

#include <posemill/posemill_motion.h>

enum { TRUTH_NUMBERS = 16 };

/* A place between the keys of a timeline: u in [0, 1) of the segment after the key. */
typedef struct truth_place {
    size_t key;
    double u;
    double seconds; /* of the segment */
} truth_place;

double truth_number(const pm_array *array, size_t components, size_t key, size_t component);
double truth_time(const pm_timeline *timeline, size_t key);
truth_place truth_find(const pm_timeline *timeline, double time);

/* The value of a channel. Rotations are of unit length. */
void truth_at(const pm_motion_channel *channel, const pm_timeline *timeline, truth_place place,
              double value[TRUTH_NUMBERS]);

/* The angle between the rotations of two quaternions of any norm and sign. */
double truth_angle(const double a[4], const double b[4]);

#endif
