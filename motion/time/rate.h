/* SPDX-License-Identifier: MIT
 *
 * Frame rates as exact fractions: from the truncated decimals of motion files and from --rate,
 * and their text in messages.
 */
#pragma once

#include <posemill/posemill.h>

/* How the text of a frame time was converted to a rate. */
typedef enum rate_snap {
    RATE_LITERAL, /* the reciprocal of the number as written */
    RATE_INTEGER, /* the text stands for an integer number of frames per second */
    RATE_NTSC,    /* the text stands for N*1000/1001, or for N*999/1000 with a common N */
    RATE_SIMPLE   /* the text stands for a fraction that is too simple to be in it by chance */
} rate_snap;

/* The rate of a frame time in seconds. The text is treated as an interval of half a unit in its
 * last place, but at least the rounding of a double. With snap, the result is the simplest rate in
 * the interval: an integer, else N*1000/1001, else 23.976, 29.97 and the like, else a simple
 * fraction, else the literal. Among several integers the order is: the literal if it is an integer, a
 * common rate, the nearest one. A comma is accepted as a decimal point. False if the text is not a
 * number above zero, or outside 1e-9 .. 1e9 seconds. */
bool rate_from_frame_time(const char *text, size_t size, bool snap, pm_rational *rate,
                          rate_snap *how);

/* Of two numbers from 0 on. */
int64_t rate_common_divisor(int64_t a, int64_t b);

/* A number above 0: `60`, `29.97` or `30000/1001`, with at most 18 digits, in lowest terms. */
bool rate_parse(const char *text, pm_rational *value);

/* A --rate argument: a rate as accepted by rate_parse, or relative to the source: a multiple
 * such as x2 and x1.5, or a fraction such as /4. False if it is neither, or does not fit in a
 * pm_rational. */
bool rate_parse_target(const char *text, pm_rational source, pm_rational *rate);

/* A time in seconds, 0 or more, as a decimal or a fraction. */
bool rate_parse_seconds(const char *text, pm_rational *seconds);

/* The fraction with the smallest denominator in [low, high], for low <= high; 0 where low is not above it.
 * False if it does not fit, or if one of both is not finite. */
bool rate_simplest(double low, double high, pm_rational *simplest);

/* The same, if it is too simple to be in the interval by chance. False: *simple is as it was. */
bool rate_find_simple(double low, double high, pm_rational *simple);

/* a * b and a / b in lowest terms, for a and b of 0 or more. False if a part does not fit. */
bool rate_multiply(pm_rational a, pm_rational b, pm_rational *product);
bool rate_divide(pm_rational a, pm_rational b, pm_rational *quotient);

/* a + b in lowest terms, for a and b of 0 or more. False if a part does not fit. */
bool rate_add(pm_rational a, pm_rational b, pm_rational *sum);

double rate_value(pm_rational rate);

enum { RATE_TEXT = 64 };

/* The frame time of a rate with at least 9 significant digits, and with as many as are read back as
 * the same rate; with 17 if 18 are not enough. NUL-terminated. */
void rate_write_frame_time(pm_rational rate, char text[RATE_TEXT]);

/* Writes "120 Hz" or "29.97 Hz (30000/1001)". */
void rate_describe(pm_rational rate, char text[RATE_TEXT]);
