/* SPDX-License-Identifier: MIT
 *
 * Frame rates as exact fractions: from the truncated decimals of motion files and from --rate,
 * and their text in messages.
 */
#ifndef POSEMILL_MOTION_RATE_H
#define POSEMILL_MOTION_RATE_H

#include <posemill/posemill.h>

/* How the text of a frame time was converted to a rate. */
typedef enum rate_snap {
    RATE_LITERAL, /* the reciprocal of the number as written */
    RATE_INTEGER, /* the text stands for an integer number of frames per second */
    RATE_NTSC     /* the text stands for N*1000/1001 */
} rate_snap;

/* The rate of a frame time in seconds. The text is treated as an interval of half a unit in its
 * last place, but at least the rounding of a double. With snap, the result is the simplest rate in
 * the interval: an integer, else N*1000/1001, else the literal. Among several integers the order
 * is: the literal if it is an integer, a common rate, the nearest one. A comma is accepted as a
 * decimal point. False if the text is not a number above zero, or outside 1e-9 .. 1e9 seconds. */
bool rate_from_frame_time(const char *text, size_t size, bool snap, pm_rational *rate,
                          rate_snap *how);

/* A number above 0: `60`, `29.97` or `30000/1001`, with at most 18 digits, in lowest terms. */
bool rate_parse(const char *text, pm_rational *value);

/* A --rate argument: a rate as accepted by rate_parse, or relative to the source: a multiple
 * such as x2 and x1.5, or a fraction such as /4. False if it is neither, or does not fit in a
 * pm_rational. */
bool rate_parse_target(const char *text, pm_rational source, pm_rational *rate);

/* A time in seconds, 0 or more, as a decimal or a fraction. */
bool rate_parse_seconds(const char *text, pm_rational *seconds);

/* a * b and a / b in lowest terms. False if a part does not fit. */
bool rate_multiply(pm_rational a, pm_rational b, pm_rational *product);
bool rate_divide(pm_rational a, pm_rational b, pm_rational *quotient);

double rate_value(pm_rational rate);

enum { RATE_TEXT = 64 };

/* The frame time of a rate with 9 significant digits, or with 17 if 9 digits would be read back as
 * another rate. NUL-terminated. */
void rate_write_frame_time(pm_rational rate, char text[RATE_TEXT]);

/* Writes "120 Hz" or "29.97 Hz (30000/1001)". */
void rate_describe(pm_rational rate, char text[RATE_TEXT]);

#endif
