/* SPDX-License-Identifier: MIT
 *
 * Skinned meshes as the vertex shader reads them: of a file, or of tubes around bones in the rest pose.
 */
#ifndef EXAMPLES_CROWD_WINDOW_MESH_H
#define EXAMPLES_CROWD_WINDOW_MESH_H

#include <posemill/posemill_crowd.h>

typedef struct vertex {
    float position[3];
    float normal[3];
    float weights[4];   /* their sum is 1 */
    uint16_t joints[4]; /* in skeleton order */
    uint8_t colour[4];  /* red, green, blue; the last: how much of the instance's colour */
} vertex;

typedef struct mesh {
    vertex *vertices;
    size_t vertex_count;
    uint32_t *indices; /* three per triangle */
    size_t index_count;
} mesh;

/* The mesh of the figure of examples/crowd/body.h. `slots` are its joints in skeleton order, and `models` their
 * matrices at rest. */
void mesh_of_figure(mesh *m, const uint32_t *slots, const float (*models)[12]);

/* A bone from each joint to its parent, and one beyond each joint that is no parent. What is above the
 * hips, a joint of the description or PM_NO_INDEX32, is no part of the figure. */
void mesh_of_bones(mesh *m, const pm_skeleton_desc *s, const uint32_t *slots,
                   const float (*models)[12], uint32_t hips);

/* The meshes that a glTF file binds to its first skin, whose joints are at `slots`. Returns false where
 * they are not read, and prints why. */
bool mesh_of_file(mesh *m, const char *path, bool binary, const uint32_t *slots,
                  size_t joint_count);

/* Normals of triangles, larger ones with more weight. */
void mesh_compute_normals(mesh *m);

/* The box around the mesh that a palette moves. */
void mesh_box(const mesh *m, const float (*palette)[12], double low[3], double high[3]);

void mesh_free(mesh *m);

#endif
