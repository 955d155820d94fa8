/* SPDX-License-Identifier: MIT
 *
 * The exact rate and beginning of key times that are stored as float32.
 */
#pragma once

#include <posemill/posemill.h>

/* The rate of rising times of 0 or more: an integer, else N*1000/1001, else the fraction with the
 * smallest denominator. Times have a rate if they are a start and multiples of the frame time, rounded
 * to float32, also with what exporters lose that compute k * frame time in float32 or add up frame
 * times. 0/0: there is none. */
pm_rational key_rate(const double *times, size_t count);

/* Whether times have this rate, too. */
bool key_rate_fits(const double *times, size_t count, pm_rational rate);

/* What the time of a key may have lost. */
double key_time_loss(double time);

/* Key k lies at start + k / rate. */
typedef struct key_grid {
    pm_rational rate, start;
} key_grid;

/* A time as the simplest fraction that is rounded to it: a multiple of 1 / rate, if there is one. 0/0:
 * there is no such fraction. */
pm_rational key_grid_start(double first, pm_rational rate);

/* The frame of a grid on which a time lies, or -1. */
int64_t key_grid_frame(const key_grid *grid, double time);
