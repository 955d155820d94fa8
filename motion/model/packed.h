/* SPDX-License-Identifier: MIT
 *
 * Values of keys that take few bytes: rotations as normalised int16, directly or by the QUATERNION filter of
 * EXT_meshopt_compression, and numbers by its EXPONENTIAL filter. What makes them and what writes them share
 * this: a writer packs only what it gets back bit for bit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a motion is to be written as, where its values allow it. */
typedef struct motion_packing {
    bool quantizes;  /* rotations as int16 */
    bool compresses; /* by EXT_meshopt_compression; implies it */
} motion_packing;

/* Bits of a rotation: 1 for int16 without the filter; those of a component in the filter QUATERNION; or more, of
 * float32 numbers that are multiples of 2^(1 - bits), for EXPONENTIAL. */
enum { PACKED_INT16 = 1, PACKED_LEAST = 12, PACKED_MOST = 16, PACKED_FINEST = 24 };

/* Replaces a unit quaternion by one near it whose numbers are c / 32767, or such multiples. Of all in the cells around
 * it the one is taken that is nearest, counting how far its length is from 1 as well, for readers that do not
 * normalise; and of the filter's, one that all decoders round alike. */
void packed_rotation(unsigned bits, double q[4]);

/* The integers c of such numbers. False: some number is not one of them. */
bool packed_integers(const double q[4], int16_t c[4]);

/* The words that the filter decodes to these integers. False: there are none with as many bits. */
bool packed_words(unsigned bits, const int16_t c[4], int16_t words[4]);

/* A number that is a mantissa of 24 bits times 2^exponent: the nearest one; and the word of it. */
enum { PACKED_LEAST_EXPONENT = -100, PACKED_MOST_EXPONENT = 100 };
double packed_number(double value, int exponent);
bool packed_mantissa(double value, int exponent, uint32_t *word);

/* The largest exponent of which a float is a multiple; PACKED_MOST_EXPONENT of 0. */
int packed_exponent_of(float value);
