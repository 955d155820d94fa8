/* SPDX-License-Identifier: MIT
 *
 * Comparisons with plain C: the bits of matrices, and the vertices that the shader computed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "show.h"

/* On the device, or in plain C: there from the list and the local poses that kernels wrote. */
static pm_status pose_frame(show *s, bool on_reference, float *records, pm_error *error) {
    pm_crowd_job job = scene_job(&s->scene);
    pm_status status = PM_OK;
    if (stages_needed(&s->scene)) {
        if (!on_reference)
            return stages_pose(s->palettes.stages, &s->scene, records, error);
        status = stages_job(s->palettes.stages, &s->scene, &job, error);
    }
    job.on_reference = on_reference;
    return status == PM_OK ? scene_pose(&s->scene, job, records, error) : status;
}

/* Poses the present frame, with all levels in full. NULL: a failure. The caller frees it. */
static float *pose(show *s, bool on_reference, pm_error *error) {
    scene *shown = &s->scene;
    float *records = calloc(1, scene_palette_bytes(shown));
    const uint64_t frame = shown->frame;
    pm_status status = records ? PM_OK : fault_memory(error);
    for (uint32_t k = scene_slowest_level(shown); status == PM_OK && k > 0; k--) {
        shown->frame = frame + k - 1;
        status = pose_frame(s, on_reference, records, error);
    }
    shown->frame = frame;
    if (status == PM_OK)
        return records;
    free(records);
    return NULL;
}

/* The members whose records were written. NULL: all. After a frame on the device. */
static pm_status list_seen(show *s, const uint32_t **list, size_t *count, pm_error *error) {
    pm_crowd_job job = scene_job(&s->scene);
    const pm_status status =
        stages_needed(&s->scene) ? stages_job(s->palettes.stages, &s->scene, &job, error) : PM_OK;
    *list = job.indices;
    *count = job.indices ? job.index_count : job.instance_count;
    return status;
}

static uint64_t count_bits(uint32_t number) {
    uint64_t count = 0;
    for (; number; number &= number - 1)
        count++;
    return count;
}

static void compare_records(show *s, const float *device, const float *plain, size_t floats) {
    for (size_t i = 0; i < floats; i++) {
        uint32_t a, b;
        memcpy(&a, device + i, sizeof a);
        memcpy(&b, plain + i, sizeof b);
        s->bits_differ += a == b ? 0 : count_bits(a ^ b);
    }
    s->bits += 32 * (uint64_t)floats;
}

pm_status show_compare_bits(show *s, pm_error *error) {
    const size_t palette = 12 * s->scene.joints;
    const size_t hands = scene_hands_offset(&s->scene) / sizeof(float);
    const uint32_t *list = NULL;
    size_t count = 0;
    float *device = pose(s, false, error);
    float *plain = device ? pose(s, true, error) : NULL;
    const pm_status status = plain ? list_seen(s, &list, &count, error) : error->status;
    s->bits = s->bits_differ = 0;
    s->compared = count;
    for (size_t k = 0; status == PM_OK && k < count; k++) {
        const size_t i = list ? list[k] : k;
        compare_records(s, device + i * palette, plain + i * palette, palette);
        if (s->scene.swords)
            compare_records(s, device + hands + 12 * i, plain + hands + 12 * i, 12);
    }
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

static double worst_distance(const scene *s, const float *matrices, const float *positions,
                             const uint32_t *list, size_t count) {
    double worst = 0;
    for (size_t n = 0; n < count; n++) {
        const size_t i = list ? list[n] : n;
        const float *at = positions + 3 * i * s->mesh.vertex_count;
        for (size_t k = 0; k < s->mesh.vertex_count; k++, at += 3) {
            double expected[3], square = 0;
            skin(matrices + 12 * s->joints * i, &s->mesh.vertices[k], &s->places[i], expected);
            for (int r = 0; r < 3; r++)
                square += ((double)at[r] - expected[r]) * ((double)at[r] - expected[r]);
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
    const size_t vertices = s->scene.count * s->scene.mesh.vertex_count;
    float *positions = malloc(3 * vertices * sizeof *positions);
    float *matrices = NULL;
    const uint32_t *list = NULL;
    size_t count = 0;
    pm_status status = positions ? positions_now(s, positions, error) : fault_memory(error);
    if (status == PM_OK)
        status = (matrices = pose(s, true, error)) ? PM_OK : error->status;
    if (status == PM_OK)
        status = list_seen(s, &list, &count, error);
    if (status == PM_OK)
        *worst = worst_distance(&s->scene, matrices, positions, list, count);
    free(positions);
    free(matrices);
    return status;
}
