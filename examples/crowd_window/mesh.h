/* SPDX-License-Identifier: MIT
 *
 * A skinned mesh as the vertex shader reads it.
 */
#ifndef EXAMPLES_CROWD_WINDOW_MESH_H
#define EXAMPLES_CROWD_WINDOW_MESH_H

#include <posemill/posemill_crowd.h>

typedef struct vertex {
    float position[3];
    float normal[3];
    float weights[4]; /* their sum is 1 */
    uint16_t joints[4];
    uint8_t colour[4]; /* red, green, blue; the last: how much of the instance's colour */
} vertex;

typedef struct mesh {
    vertex *vertices;
    size_t vertex_count;
    uint32_t *indices; /* three per triangle */
    size_t index_count;
} mesh;

/* Replaces joints of the skeleton's description by their positions in skeleton order. */
void mesh_use_skeleton_order(mesh *m, const pm_skeleton *skeleton);

/* Computes normals from the triangles, larger ones with more weight. */
void mesh_compute_normals(mesh *m);

/* The box around the mesh that a palette moves; joints are in skeleton order. */
void mesh_box(const mesh *m, const float *palette, double low[3], double high[3]);

void mesh_free(mesh *m);

#endif
