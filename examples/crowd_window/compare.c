/* SPDX-License-Identifier: MIT
 *
 * Comparisons with plain C: the bits of matrices, and the vertices that the shader computed.
 */
#include <math.h>
#include <stdlib.h>

#include "fault.h"
#include "show.h"

/* Poses the present frame, with all levels in full. NULL: a failure. The caller frees it. */
static float *pose(show *s, bool on_reference, pm_error *error) {
    scene *shown = &s->scene;
    float *matrices = calloc(1, scene_palette_bytes(shown));
    const uint64_t frame = shown->frame;
    pm_status status = matrices ? PM_OK : fault_memory(error);
    for (uint32_t k = scene_slowest_level(shown); status == PM_OK && k > 0; k--) {
        shown->frame = frame + k - 1;
        status = scene_pose(shown, matrices, on_reference, error);
    }
    shown->frame = frame;
    if (status == PM_OK)
        return matrices;
    free(matrices);
    return NULL;
}

static uint64_t count_bits(uint32_t number) {
    uint64_t count = 0;
    for (; number; number &= number - 1)
        count++;
    return count;
}

pm_status show_compare_bits(show *s, pm_error *error) {
    const size_t words = scene_palette_bytes(&s->scene) / sizeof(uint32_t);
    float *device = pose(s, false, error);
    float *plain = device ? pose(s, true, error) : NULL;
    if (plain) {
        const uint32_t *a = (const uint32_t *)(const void *)device;
        const uint32_t *b = (const uint32_t *)(const void *)plain;
        s->bits = 32 * (uint64_t)words;
        s->bits_differ = 0;
        for (size_t i = 0; i < words; i++)
            s->bits_differ += a[i] == b[i] ? 0 : count_bits(a[i] ^ b[i]);
    }
    const pm_status status = plain ? PM_OK : error->status;
    free(device);
    free(plain);
    return status;
}

/* ---- vertices ----------------------------------------------------------------------------- */

/* Where a vertex of an instance is in the world. */
static void skin(const float *palette, const vertex *v, const place *p, double out[3]) {
    double moved[3] = {0};
    for (int i = 0; i < 4; i++) {
        const float *row = palette + 12 * (size_t)v->joints[i];
        for (int r = 0; r < 3; r++, row += 4)
            moved[r] +=
                (double)v->weights[i] *
                ((double)row[0] * (double)v->position[0] + (double)row[1] * (double)v->position[1] +
                 (double)row[2] * (double)v->position[2] + (double)row[3]);
    }
    const double sine = (double)p->sine, cosine = (double)p->cosine, scale = (double)p->scale;
    out[0] = (double)p->position[0] + scale * (cosine * moved[0] + sine * moved[2]);
    out[1] = (double)p->position[1] + scale * moved[1];
    out[2] = (double)p->position[2] + scale * (cosine * moved[2] - sine * moved[0]);
}

static double worst_distance(const scene *s, const float *matrices, const float *positions) {
    double worst = 0;
    for (size_t i = 0; i < s->count; i++) {
        for (size_t k = 0; k < s->mesh.vertex_count; k++, positions += 3) {
            double expected[3], square = 0;
            skin(matrices + 12 * s->joints * i, &s->mesh.vertices[k], &s->places[i], expected);
            for (int r = 0; r < 3; r++)
                square +=
                    ((double)positions[r] - expected[r]) * ((double)positions[r] - expected[r]);
            if (isnan(square))
                return square;
            worst = fmax(worst, square);
        }
    }
    return sqrt(worst);
}

/* Poses the buffer anew, so that members whose level skips this frame are at its time too. */
static pm_status positions_now(show *s, float *positions, pm_error *error) {
    s->palettes.filled[0] = s->palettes.filled[1] = false;
    const pm_status status = palettes_pose(&s->palettes, &s->scene, s->on_reference, error);
    if (status != PM_OK)
        return status;
    return drawing_positions(&s->drawing, &s->scene, &s->palettes, positions, error);
}

pm_status show_compare_vertices(show *s, double *worst, pm_error *error) {
    const size_t count = s->scene.count * s->scene.mesh.vertex_count;
    float *positions = malloc(3 * count * sizeof *positions);
    float *matrices = positions ? pose(s, true, error) : NULL;
    pm_status status = PM_OK;
    if (!positions)
        status = fault_memory(error);
    else if (!matrices)
        status = error->status;
    else
        status = positions_now(s, positions, error);
    if (status == PM_OK && matrices)
        *worst = worst_distance(&s->scene, matrices, positions);
    free(positions);
    free(matrices);
    return status;
}
