/* SPDX-License-Identifier: MIT
 *
 * A plain reading of BVH, independent of the library's: for files with one ROOT, names without blanks,
 * and no oddity.
 */
#ifndef POSEMILL_TESTS_MOTION_PLAIN_BVH_H
#define POSEMILL_TESTS_MOTION_PLAIN_BVH_H

#include <stdbool.h>
#include <stddef.h>

enum { PLAIN_JOINTS = 512, PLAIN_CHANNELS = 9 };

typedef struct plain_joint {
    const char *name;
    size_t name_size;
    int parent;
    double offset[3], tail[3];
    bool has_tail;
    size_t first, count;
    char channels[PLAIN_CHANNELS][2]; /* "Xr", "Yp" */
} plain_joint;

typedef struct plain_bvh {
    plain_joint joints[PLAIN_JOINTS];
    int count;
    size_t columns, frames;
    double *values; /* (frames, columns) */
} plain_bvh;

/* Reads a text that ends with a NUL, to which the names point. Free the values. */
void plain_read(char *text, plain_bvh *b);

/* q = q1 q2 q3, each about the axis of its channel. */
void plain_rotation(const plain_joint *joint, const double *row, double out[4]);

/* The offset with the numbers that the row has in place of it. Whether it has any. */
bool plain_position(const plain_joint *joint, const double *row, double out[3]);

#endif
