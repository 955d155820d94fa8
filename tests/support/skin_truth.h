/* SPDX-License-Identifier: MIT
 *
 * The vertices of the meshes of a glTF file, and where linear blend skinning draws them, in double precision and
 * from the text of glTF 2.0. Reads documents with jansson; shares no code with the motion library. Neither sparse
 * accessors nor compressed views are read.
 */
#ifndef POSEMILL_TESTS_SKIN_TRUTH_H
#define POSEMILL_TESTS_SKIN_TRUTH_H

#include <posemill/posemill_motion.h>

#include "motion_kinematics.h"

enum { SKIN_INFLUENCES = 8 };

/* A vertex, in the spaces of the nodes that move it; their weights add up to 1. */
typedef struct skin_vertex {
    size_t count;
    int32_t node[SKIN_INFLUENCES];
    double weight[SKIN_INFLUENCES], at[SKIN_INFLUENCES][3];
} skin_vertex;

typedef struct skin_mesh {
    skin_vertex *vertices; /* malloc'ed, for the caller to free */
    size_t count;
} skin_mesh;

/* Of all meshes that nodes draw: of a file in memory, in either container. */
skin_mesh skin_read(const void *data, size_t size);
skin_mesh skin_read_file(const char *path);

/* The matrices of all nodes at a time; malloc'ed, for the caller to free. */
kinematics_matrix *skin_pose(const pm_motion_content *content, const pm_motion_clip *clip,
                             double time);

/* Where a vertex is drawn. */
void skin_place(const skin_vertex *vertex, const kinematics_matrix *pose, double out[3]);

#endif
