/* SPDX-License-Identifier: MIT
 *
 * A tube is a row of rings, ellipses each bound to one joint or to two. A ring between two bones has
 * a share of each, so that knees and elbows bend smoothly.
 */
#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/body.h"

enum { SIDES = 8, RINGS_MAX = 15, BONE_RINGS = 3 };

typedef struct ring {
    uint32_t joint, other; /* in skeleton order; `other` is the second joint of the ring */
    double share;          /* weight of `other` */
    double centre[3];
    double across[2][3]; /* half axes: the tube goes along the second times the first */
    uint8_t colour[4];
} ring;

/* ---- triangles ------------------------------------------------------------------------------ */

static void add_triangle(mesh *m, size_t a, size_t b, size_t c) {
    const size_t corners[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        m->indices[m->index_count++] = (uint32_t)corners[i];
}

/* A point of the ring; at `size` 0 its centre. */
static void add_vertex(mesh *m, const ring *r, double angle, double size) {
    vertex *v = &m->vertices[m->vertex_count++];
    *v = (vertex){.joints = {(uint16_t)r->joint, (uint16_t)r->other},
                  .weights = {(float)(1 - r->share), (float)r->share}};
    for (int i = 0; i < 3; i++)
        v->position[i] = (float)(r->centre[i] + size * (sin(angle) * r->across[0][i] +
                                                        cos(angle) * r->across[1][i]));
    memcpy(v->colour, r->colour, sizeof v->colour);
}

/* Makes room for tubes with so many rings in all. */
static void reserve(mesh *m, size_t tubes, size_t rings) {
    *m = (mesh){.vertices = zeros(rings * SIDES + 2 * tubes, sizeof *m->vertices),
                .indices = zeros(rings * SIDES * 6, sizeof *m->indices)};
}

/* Two triangles for each side between rings, and one for each side of an end. */
static void add_tube(mesh *m, const ring *rings, size_t count) {
    const double step = 2 * 3.14159265358979323846 / SIDES;
    const size_t first = m->vertex_count, last = first + (count - 1) * SIDES, low = last + SIDES;
    for (size_t k = 0; k < count; k++)
        for (int side = 0; side < SIDES; side++)
            add_vertex(m, &rings[k], step * side, 1);
    add_vertex(m, &rings[0], 0, 0);
    add_vertex(m, &rings[count - 1], 0, 0);
    for (size_t side = 0; side < SIDES; side++) {
        const size_t next = (side + 1) % SIDES;
        for (size_t at = first; at < last; at += SIDES) {
            add_triangle(m, at + side, at + next, at + SIDES + next);
            add_triangle(m, at + side, at + SIDES + next, at + SIDES + side);
        }
        add_triangle(m, low, first + next, first + side);
        add_triangle(m, low + 1, last + side, last + next);
    }
}

/* A triangle's normal, whose length is twice its area, is added to its corners. The shader normalises. */
void mesh_compute_normals(mesh *m) {
    for (size_t v = 0; v < m->vertex_count; v++)
        memset(m->vertices[v].normal, 0, sizeof m->vertices[v].normal);
    for (const uint32_t *t = m->indices; t < m->indices + m->index_count; t += 3) {
        vertex *corners[3] = {&m->vertices[t[0]], &m->vertices[t[1]], &m->vertices[t[2]]};
        const float *a = corners[0]->position, *b = corners[1]->position, *c = corners[2]->position;
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const float n = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
            for (int corner = 0; corner < 3; corner++)
                corners[corner]->normal[i] += n;
        }
    }
}

void mesh_box(const mesh *m, const float (*palette)[12], double low[3], double high[3]) {
    for (int i = 0; i < 3; i++) {
        low[i] = HUGE_VAL;
        high[i] = -HUGE_VAL;
        for (const vertex *v = m->vertices; v < m->vertices + m->vertex_count; v++) {
            double at = 0;
            for (int k = 0; k < 4; k++) {
                const float *row = palette[v->joints[k]] + (ptrdiff_t)4 * i, *p = v->position;
                at += (double)(v->weights[k] *
                               (row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3]));
            }
            low[i] = fmin(low[i], at);
            high[i] = fmax(high[i], at);
        }
    }
}

void mesh_free(mesh *m) {
    free(m->vertices);
    free(m->indices);
    *m = (mesh){0};
}

/* ---- the figure ----------------------------------------------------------------------------- */

typedef enum cloth { SKIN, SHIRT, TROUSERS, SHOES, HAIR, CLOTHS } cloth;

static const uint8_t colours[CLOTHS][4] = {
    {226, 178, 148, 0}, {255, 255, 255, 255}, {62, 68, 86, 40}, {46, 40, 38, 0}, {70, 48, 36, 0}};

/* A ring around joints of enum body_joint, in metres. */
typedef struct slice {
    uint32_t joint, other;
    double share, centre[3]; /* from the origin of `joint` */
    double wide, deep;       /* half the axes: along x, and along z or, in a foot, y */
    cloth cloth;
} slice;

/* From the lowest slice to the highest; those of the left side serve for the right one too. */
static const slice slices[] = {
    /* trunk and head */
    {BODY_HIPS, BODY_HIPS, 0, {0, -0.10, 0}, 0.100, 0.080, TROUSERS},
    {BODY_HIPS, BODY_HIPS, 0, {0, -0.04, 0}, 0.165, 0.110, TROUSERS},
    {BODY_HIPS, BODY_SPINE, 0.1, {0, 0.05, 0}, 0.160, 0.105, TROUSERS},
    {BODY_HIPS, BODY_SPINE, 0.5, {0, 0.10, 0}, 0.145, 0.098, SHIRT},
    {BODY_SPINE, BODY_CHEST, 0.1, {0, 0.06, 0}, 0.142, 0.098, SHIRT},
    {BODY_SPINE, BODY_CHEST, 0.6, {0, 0.16, 0}, 0.160, 0.108, SHIRT},
    {BODY_CHEST, BODY_CHEST, 0, {0, 0.10, 0}, 0.182, 0.112, SHIRT},
    {BODY_CHEST, BODY_CHEST, 0, {0, 0.17, 0}, 0.165, 0.096, SHIRT},
    {BODY_CHEST, BODY_NECK, 0.3, {0, 0.21, 0}, 0.085, 0.072, SHIRT},
    {BODY_NECK, BODY_CHEST, 0.3, {0, 0.015, 0}, 0.052, 0.056, SKIN},
    {BODY_NECK, BODY_HEAD, 0.5, {0, 0.07, 0.005}, 0.050, 0.056, SKIN},
    {BODY_HEAD, BODY_HEAD, 0, {0, 0.02, 0.012}, 0.066, 0.080, SKIN},
    {BODY_HEAD, BODY_HEAD, 0, {0, 0.09, 0.012}, 0.078, 0.096, SKIN},
    {BODY_HEAD, BODY_HEAD, 0, {0, 0.15, 0.005}, 0.076, 0.094, HAIR},
    {BODY_HEAD, BODY_HEAD, 0, {0, 0.205, 0.0}, 0.040, 0.052, HAIR},
    /* foot, from heel to toe */
    {BODY_LEFT_FOOT, BODY_LEFT_FOOT, 0, {0, -0.045, -0.065}, 0.022, 0.018, SHOES},
    {BODY_LEFT_FOOT, BODY_LEFT_FOOT, 0, {0, -0.030, -0.045}, 0.038, 0.038, SHOES},
    {BODY_LEFT_FOOT, BODY_LEFT_FOOT, 0, {0, -0.028, 0.04}, 0.042, 0.042, SHOES},
    {BODY_LEFT_FOOT, BODY_LEFT_TOE, 0.4, {0, -0.042, 0.13}, 0.048, 0.028, SHOES},
    {BODY_LEFT_TOE, BODY_LEFT_TOE, 0, {0, 0.004, 0.04}, 0.044, 0.022, SHOES},
    {BODY_LEFT_TOE, BODY_LEFT_TOE, 0, {0, 0.0, 0.08}, 0.020, 0.012, SHOES},
    /* leg */
    {BODY_LEFT_FOOT, BODY_LEFT_FOOT, 0, {0, -0.02, 0}, 0.040, 0.048, SHOES},
    {BODY_LEFT_SHIN, BODY_LEFT_FOOT, 0.4, {0, -0.37, 0}, 0.040, 0.046, TROUSERS},
    {BODY_LEFT_SHIN, BODY_LEFT_SHIN, 0, {0, -0.24, -0.01}, 0.052, 0.058, TROUSERS},
    {BODY_LEFT_SHIN, BODY_LEFT_SHIN, 0, {0, -0.13, -0.015}, 0.058, 0.064, TROUSERS},
    {BODY_LEFT_SHIN, BODY_LEFT_THIGH, 0.3, {0, -0.04, 0}, 0.054, 0.060, TROUSERS},
    {BODY_LEFT_THIGH, BODY_LEFT_SHIN, 0.5, {0, -0.42, 0}, 0.056, 0.064, TROUSERS},
    {BODY_LEFT_THIGH, BODY_LEFT_SHIN, 0.2, {0, -0.37, 0}, 0.060, 0.066, TROUSERS},
    {BODY_LEFT_THIGH, BODY_LEFT_THIGH, 0, {0, -0.22, 0}, 0.074, 0.082, TROUSERS},
    {BODY_LEFT_THIGH, BODY_HIPS, 0.2, {0, -0.08, 0}, 0.086, 0.096, TROUSERS},
    {BODY_LEFT_THIGH, BODY_HIPS, 0.6, {-0.01, 0.02, 0}, 0.078, 0.090, TROUSERS},
    /* arm */
    {BODY_LEFT_HAND, BODY_LEFT_HAND, 0, {0, -0.165, 0.01}, 0.012, 0.024, SKIN},
    {BODY_LEFT_HAND, BODY_LEFT_HAND, 0, {0, -0.10, 0.01}, 0.022, 0.044, SKIN},
    {BODY_LEFT_HAND, BODY_LEFT_FOREARM, 0.2, {0, -0.03, 0}, 0.024, 0.034, SKIN},
    {BODY_LEFT_FOREARM, BODY_LEFT_HAND, 0.3, {0, -0.225, 0}, 0.027, 0.030, SKIN},
    {BODY_LEFT_FOREARM, BODY_LEFT_FOREARM, 0, {0, -0.10, 0}, 0.038, 0.040, SKIN},
    {BODY_LEFT_FOREARM, BODY_LEFT_ARM, 0.25, {0, -0.04, 0}, 0.040, 0.042, SKIN},
    {BODY_LEFT_ARM, BODY_LEFT_FOREARM, 0.4, {0, -0.255, 0}, 0.042, 0.044, SHIRT},
    {BODY_LEFT_ARM, BODY_LEFT_ARM, 0, {0, -0.13, 0}, 0.052, 0.054, SHIRT},
    {BODY_LEFT_ARM, BODY_LEFT_COLLAR, 0.3, {-0.005, -0.02, 0}, 0.062, 0.064, SHIRT},
    {BODY_LEFT_COLLAR, BODY_LEFT_ARM, 0.4, {0.12, 0.035, 0}, 0.045, 0.050, SHIRT},
};

static const struct tube {
    size_t first, count;
    bool lies, is_paired; /* along z instead of y; on both sides */
} tubes[] = {
    {0, 15, false, false}, {15, 6, true, true}, {21, 10, false, true}, {31, 10, false, true}};

/* The joint of the other side of the body: limbs have the same number of joints, the left one's first. */
static uint32_t mirrored(uint32_t joint) {
    return joint < BODY_LEFT_COLLAR ? joint : joint + BODY_RIGHT_COLLAR - BODY_LEFT_COLLAR;
}

static ring ring_of(const uint32_t *slots, const float (*models)[12], const slice *s, bool lies,
                    bool mirror) {
    const uint32_t joint = slots[mirror ? mirrored(s->joint) : s->joint];
    const float *model = models[joint];
    ring made = {.joint = joint,
                 .other = slots[mirror ? mirrored(s->other) : s->other],
                 .share = s->share,
                 .across = {{s->wide, 0, 0}, {0, lies ? -s->deep : 0, lies ? 0 : s->deep}}};
    for (int i = 0; i < 3; i++)
        made.centre[i] = (double)model[4 * i + 3] + (mirror && i == 0 ? -1 : 1) * s->centre[i];
    memcpy(made.colour, colours[s->cloth], sizeof made.colour);
    return made;
}

void mesh_of_figure(mesh *m, const uint32_t *slots, const float (*models)[12]) {
    reserve(m, 7, sizeof slices / sizeof slices[0] * 2);
    for (size_t t = 0; t < sizeof tubes / sizeof tubes[0]; t++)
        for (int side = 0; side < (tubes[t].is_paired ? 2 : 1); side++) {
            ring rings[RINGS_MAX];
            for (size_t k = 0; k < tubes[t].count; k++)
                rings[k] =
                    ring_of(slots, models, &slices[tubes[t].first + k], tubes[t].lies, side == 1);
            add_tube(m, rings, tubes[t].count);
        }
    mesh_compute_normals(m);
}

/* ---- bones ---------------------------------------------------------------------------------- */

static void cross(const double a[3], const double b[3], double scale, double product[3]) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        product[i] = scale * (a[j] * b[k] - a[k] * b[j]);
    }
}

/* Thick near the joint that moves it. */
static void add_bone(mesh *m, uint32_t joint, const double from[3], const double along[3]) {
    static const double at[BONE_RINGS] = {0, 0.2, 1}, wide[BONE_RINGS] = {0.056, 0.14, 0.042};
    const double length = hypot(hypot(along[0], along[1]), along[2]);
    const int least = fabs(along[0]) < 0.6 * length ? 0 : 1; /* an axis that is not parallel */
    const double axis[3] = {least == 0, least == 1, 0};
    double across[2][3];
    ring rings[BONE_RINGS];
    if (!(length > 0))
        return;
    cross(along, axis, length / sqrt(length * length - along[least] * along[least]), across[0]);
    cross(across[0], along, 1 / length, across[1]);
    for (int k = 0; k < BONE_RINGS; k++) {
        rings[k] = (ring){.joint = joint, .other = joint, .colour = {225, 222, 214, 150}};
        for (int i = 0; i < 3; i++) {
            rings[k].centre[i] = from[i] + at[k] * along[i];
            rings[k].across[0][i] = wide[k] * across[0][i];
            rings[k].across[1][i] = wide[k] * across[1][i];
        }
    }
    add_tube(m, rings, BONE_RINGS);
}

void mesh_of_bones(mesh *m, const pm_skeleton_desc *s, const uint32_t *slots,
                   const float (*models)[12], uint32_t hips) {
    enum { IS_PARENT = 1, HAS_NO_BONE = 2 };
    uint8_t *flags = zeros(s->joint_count, sizeof *flags);
    for (size_t j = 0; j < s->joint_count; j++)
        if (s->parents[j] == PM_NO_PARENT)
            flags[j] |= HAS_NO_BONE;
        else
            flags[s->parents[j]] |= IS_PARENT;
    for (uint32_t j = hips; j < s->joint_count; j = (uint32_t)s->parents[j])
        flags[j] |= HAS_NO_BONE;
    reserve(m, 2 * s->joint_count, 2 * BONE_RINGS * s->joint_count);
    for (size_t j = 0; j < s->joint_count; j++) {
        double from[3], to[3], along[3], beyond[3];
        if (flags[j] & HAS_NO_BONE)
            continue;
        const uint32_t slot = slots[j], parent = slots[s->parents[j]];
        for (int i = 0; i < 3; i++) {
            from[i] = (double)models[parent][4 * i + 3];
            to[i] = (double)models[slot][4 * i + 3];
            along[i] = to[i] - from[i];
            beyond[i] = 0.7 * along[i];
        }
        add_bone(m, parent, from, along);
        if (!(flags[j] & IS_PARENT))
            add_bone(m, slot, to, beyond);
    }
    free(flags);
    mesh_compute_normals(m);
}
