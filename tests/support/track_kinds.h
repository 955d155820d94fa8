/* SPDX-License-Identifier: MIT
 *
 * Random tracks by the kind of their key times and rotations, for tests of continuity and
 * derivatives. This file evaluates no curves.
 */
#ifndef POSEMILL_TESTS_TRACK_KINDS_H
#define POSEMILL_TESTS_TRACK_KINDS_H

#include "oracle/random_tracks.h"

#define TRACK_KIND_KEYS 9

/* The n-th track of a kind; successive ones differ. */
typedef void make_track(random_source *source, size_t n, test_track *t);

void track_kind_uniform(random_source *source, size_t n, test_track *t);
void track_kind_uneven(random_source *source, size_t n, test_track *t);

/* Rotations of up to 90 degrees, at times with ratios of up to 4: squad's inner points stay within
 * 90 degrees of their keys, even without its limiter. */
void track_kind_gentle(random_source *source, size_t n, test_track *t);

void track_kind_extreme(random_source *source, size_t n, test_track *t); /* time ratios 1:1000 */

/* Two equal keys, three equal keys, and equal neighbours of another key. */
void track_kind_holds(random_source *source, size_t n, test_track *t);

/* Reversals: keys that return nearly to the key before the previous one, and keys that go back and
 * forth on one axis. */
void track_kind_cusps(random_source *source, size_t n, test_track *t);

/* With wraps of +1 and -1 in alternation. */
void track_kind_loops(random_source *source, size_t n, test_track *t);

/* All kinds by name. */
typedef struct track_kind {
    const char *name;
    make_track *make;
} track_kind;

size_t track_kind_count(void);
const track_kind *track_kind_at(size_t index);

#endif
