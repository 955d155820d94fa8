/* SPDX-License-Identifier: MIT
 *
 * The keys of a rotation channel with linear interpolation, and whether some may be dropped. The
 * source's curve is in double; keys that remain are written in float32, times too, and it is the
 * written ones whose curve keeps the bound.
 */
#ifndef POSEMILL_MOTION_REDUCE_TURNS_H
#define POSEMILL_MOTION_REDUCE_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#include "motion/base/arena.h"
#include "motion/reduce/arc.h"

#include <posemill/posemill_motion.h>

/* Of the keys of an arc. A longer one may be taken the other way by another evaluator: keys remain that make
 * arcs shorter. */
#define TURNS_LEAST_DOT 1e-5

/* Quaternions as four rows of numbers, so that neighbours are tested together. */
typedef struct turn_rows {
    double *of[4];
} turn_rows;

typedef struct turns {
    size_t count;
    double *times, *written_times;
    /* Unit quaternions: the source's, and those that are written. A key has the sign of the shorter way
     * from the one before. If nothing is rounded, both are one. */
    turn_rows source, written;
    double *
        rounded; /* how far a written key is from the source at its time; NULL if nothing is rounded */
    bool is_exact;
    double *limits;  /* that the curves may be apart in each interval */
    double *parts;   /* the limit at each key, inverted */
    double *angles;  /* radians of the quaternion in each interval */
    double *fastest; /* the largest of them in each block of keys */
    double longest;  /* seconds of an interval */
    size_t worst; /* the key at which the last test failed, which mostly fails the next one too */
} turns;

/* Reads a channel; `radians` is the bound, and `each`, unless it is NULL, that of each interval, of which the
 * smaller one holds. False: memory is exhausted. */
bool turns_read(turns *t, const pm_motion_channel *channel, const pm_timeline *timeline,
                double radians, const double *each, motion_arena *arena);

/* False: memory is exhausted. */
bool turn_rows_make(turn_rows *rows, size_t count, motion_arena *arena);

/* The quaternion of a key, and the source's arc from a key to the next one. */
void turn_rows_get(const turn_rows *rows, size_t key, double q[4]);
arc turns_arc(const turns *t, size_t key);

/* Whether the keys between two may be dropped. Neighbours always pass if their times rise as they are
 * written: whether what is rounded keeps the bound is seen in the end. */
bool turns_hold(turns *t, size_t from, size_t to);

#endif
