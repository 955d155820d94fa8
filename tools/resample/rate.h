/* SPDX-License-Identifier: MIT
 *
 * Frame rates as exact fractions: what the cut-short decimals of motion files mean,
 * what a --rate argument asks for, and how both are told to people. Options that are
 * plain rates are read by option_rational of options.h.
 */
#ifndef POSEMILL_TOOLS_RATE_H
#define POSEMILL_TOOLS_RATE_H

#include <posemill/posemill.h>

/* How a frame time's text became a rate. */
typedef enum rate_snap {
    RATE_LITERAL, /* one over the number, exactly as written */
    RATE_INTEGER, /* the text stands for a whole number of frames per second */
    RATE_NTSC     /* for N*1000/1001 */
} rate_snap;

/* The rate of a frame time in seconds. The text is an interval of half a unit in its last
 * place, but no narrower than a double's rounding. With snap, the simplest rate in it: an
 * integer, else N*1000/1001, else the literal; of several integers the one the literal is,
 * else a customary one, else the nearest. A comma counts as a point. False when the text
 * is not a number above zero, or beyond 1e-9 .. 1e9 seconds. */
bool rate_from_frame_time(const char *text, size_t size, bool snap, pm_rational *rate,
                          rate_snap *how);

/* A --rate argument: a rate as option_rational takes it, or times x2, x1.5, or a part /4
 * of the source's. False when it is neither, or too fine to be held. */
bool rate_parse_target(const char *text, pm_rational source, pm_rational *rate);

/* A time in seconds, 0 or more, as decimals or as a fraction. */
bool rate_parse_seconds(const char *text, pm_rational *seconds);

/* a * b and a / b in lowest terms. False when a part does not fit. */
bool rate_multiply(pm_rational a, pm_rational b, pm_rational *product);
bool rate_divide(pm_rational a, pm_rational b, pm_rational *quotient);

double rate_value(pm_rational rate);

enum { RATE_TEXT = 64 };

/* The frame time of a rate, with 9 significant digits, or with 17 when 9 would be read
 * back as another rate. NUL-terminated. */
void rate_write_frame_time(pm_rational rate, char text[RATE_TEXT]);

/* "120 Hz", "29.97 Hz (30000/1001)". */
void rate_describe(pm_rational rate, char text[RATE_TEXT]);

#endif
