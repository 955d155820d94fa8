/* SPDX-License-Identifier: MIT
 *
 * What every skinned mesh needs, whether it was computed or read.
 */
#include "mesh.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void mesh_use_skeleton_order(mesh *m, const pm_skeleton *skeleton) {
    const uint32_t *slots = pm_skeleton_slots(skeleton);
    for (size_t v = 0; v < m->vertex_count; v++)
        for (int i = 0; i < 4; i++)
            m->vertices[v].joints[i] = (uint16_t)slots[m->vertices[v].joints[i]];
}

/* Adds a triangle's normal, whose length is twice its area, to its corners. */
static void add_normal(vertex *a, vertex *b, vertex *c) {
    float u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b->position[i] - a->position[i];
        v[i] = c->position[i] - a->position[i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const float n = u[j] * v[k] - u[k] * v[j];
        a->normal[i] += n;
        b->normal[i] += n;
        c->normal[i] += n;
    }
}

void mesh_compute_normals(mesh *m) {
    for (size_t v = 0; v < m->vertex_count; v++)
        memset(m->vertices[v].normal, 0, sizeof m->vertices[v].normal);
    for (size_t i = 0; i + 2 < m->index_count; i += 3)
        add_normal(&m->vertices[m->indices[i]], &m->vertices[m->indices[i + 1]],
                   &m->vertices[m->indices[i + 2]]);
    for (size_t v = 0; v < m->vertex_count; v++) {
        float *n = m->vertices[v].normal;
        const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int i = 0; i < 3; i++)
            n[i] = length > 0.0f ? n[i] / length : (float)(i == 1);
    }
}

void mesh_box(const mesh *m, const float *palette, double low[3], double high[3]) {
    for (int r = 0; r < 3; r++) {
        low[r] = HUGE_VAL;
        high[r] = -HUGE_VAL;
        for (size_t v = 0; v < m->vertex_count; v++) {
            const vertex *at = &m->vertices[v];
            double moved = 0;
            for (int i = 0; i < 4; i++) {
                const float *row = palette + 12 * (size_t)at->joints[i] + (ptrdiff_t)4 * r;
                moved += (double)at->weights[i] *
                         (double)(row[0] * at->position[0] + row[1] * at->position[1] +
                                  row[2] * at->position[2] + row[3]);
            }
            low[r] = fmin(low[r], moved);
            high[r] = fmax(high[r], moved);
        }
    }
}

void mesh_free(mesh *m) {
    free(m->vertices);
    free(m->indices);
    *m = (mesh){0};
}
