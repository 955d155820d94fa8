/* SPDX-License-Identifier: MIT
 *
 * A body of tubes. A tube is a row of rings, ellipses around a bone in the rest pose, each bound to
 * one joint or to two. A ring between two bones has half of each, so that knees and elbows bend
 * smoothly.
 */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/body.h"

enum { SIDES = 8, RINGS_MAX = 16 };

typedef enum cloth { SKIN, SHIRT, TROUSERS, SHOES, HAIR, CLOTHS } cloth;

static const uint8_t colours[CLOTHS][4] = {
    {226, 178, 148, 0}, {255, 255, 255, 255}, {62, 68, 86, 40}, {46, 40, 38, 0}, {70, 48, 36, 0}};

typedef struct ring {
    int joint, other;  /* `other` is the second joint of the ring */
    double share;      /* weight of `other` */
    double centre[3];  /* from the origin of `joint` */
    double wide, deep; /* half the axes: along x, and along z or, for a tube along z, y */
    cloth cloth;
} ring;

typedef struct tube {
    size_t count;
    bool lies; /* along z instead of y */
    ring rings[RINGS_MAX];
} tube;

/* Metres. From the lowest ring to the highest. */
static const tube trunk = {15,
                           false,
                           {{BODY_HIPS, BODY_HIPS, 0, {0, -0.10, 0}, 0.100, 0.080, TROUSERS},
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
                            {BODY_HEAD, BODY_HEAD, 0, {0, 0.205, 0.0}, 0.040, 0.052, HAIR}}};

static const tube arm = {
    10,
    false,
    {{BODY_LEFT_HAND, BODY_LEFT_HAND, 0, {0, -0.165, 0.01}, 0.012, 0.024, SKIN},
     {BODY_LEFT_HAND, BODY_LEFT_HAND, 0, {0, -0.10, 0.01}, 0.022, 0.044, SKIN},
     {BODY_LEFT_HAND, BODY_LEFT_FOREARM, 0.2, {0, -0.03, 0}, 0.024, 0.034, SKIN},
     {BODY_LEFT_FOREARM, BODY_LEFT_HAND, 0.3, {0, -0.225, 0}, 0.027, 0.030, SKIN},
     {BODY_LEFT_FOREARM, BODY_LEFT_FOREARM, 0, {0, -0.10, 0}, 0.038, 0.040, SKIN},
     {BODY_LEFT_FOREARM, BODY_LEFT_ARM, 0.25, {0, -0.04, 0}, 0.040, 0.042, SKIN},
     {BODY_LEFT_ARM, BODY_LEFT_FOREARM, 0.4, {0, -0.255, 0}, 0.042, 0.044, SHIRT},
     {BODY_LEFT_ARM, BODY_LEFT_ARM, 0, {0, -0.13, 0}, 0.052, 0.054, SHIRT},
     {BODY_LEFT_ARM, BODY_LEFT_COLLAR, 0.3, {-0.005, -0.02, 0}, 0.062, 0.064, SHIRT},
     {BODY_LEFT_COLLAR, BODY_LEFT_ARM, 0.4, {0.12, 0.035, 0}, 0.045, 0.050, SHIRT}}};

static const tube leg = {
    10,
    false,
    {{BODY_LEFT_FOOT, BODY_LEFT_FOOT, 0, {0, -0.02, 0}, 0.040, 0.048, SHOES},
     {BODY_LEFT_SHIN, BODY_LEFT_FOOT, 0.4, {0, -0.37, 0}, 0.040, 0.046, TROUSERS},
     {BODY_LEFT_SHIN, BODY_LEFT_SHIN, 0, {0, -0.24, -0.01}, 0.052, 0.058, TROUSERS},
     {BODY_LEFT_SHIN, BODY_LEFT_SHIN, 0, {0, -0.13, -0.015}, 0.058, 0.064, TROUSERS},
     {BODY_LEFT_SHIN, BODY_LEFT_THIGH, 0.3, {0, -0.04, 0}, 0.054, 0.060, TROUSERS},
     {BODY_LEFT_THIGH, BODY_LEFT_SHIN, 0.5, {0, -0.42, 0}, 0.056, 0.064, TROUSERS},
     {BODY_LEFT_THIGH, BODY_LEFT_SHIN, 0.2, {0, -0.37, 0}, 0.060, 0.066, TROUSERS},
     {BODY_LEFT_THIGH, BODY_LEFT_THIGH, 0, {0, -0.22, 0}, 0.074, 0.082, TROUSERS},
     {BODY_LEFT_THIGH, BODY_HIPS, 0.2, {0, -0.08, 0}, 0.086, 0.096, TROUSERS},
     {BODY_LEFT_THIGH, BODY_HIPS, 0.6, {-0.01, 0.02, 0}, 0.078, 0.090, TROUSERS}}};

/* From heel to toe. */
static const tube foot = {
    6,
    true,
    {{BODY_LEFT_FOOT, BODY_LEFT_FOOT, 0, {0, -0.045, -0.065}, 0.022, 0.018, SHOES},
     {BODY_LEFT_FOOT, BODY_LEFT_FOOT, 0, {0, -0.030, -0.045}, 0.038, 0.038, SHOES},
     {BODY_LEFT_FOOT, BODY_LEFT_FOOT, 0, {0, -0.028, 0.04}, 0.042, 0.042, SHOES},
     {BODY_LEFT_FOOT, BODY_LEFT_TOE, 0.4, {0, -0.042, 0.13}, 0.048, 0.028, SHOES},
     {BODY_LEFT_TOE, BODY_LEFT_TOE, 0, {0, 0.004, 0.04}, 0.044, 0.022, SHOES},
     {BODY_LEFT_TOE, BODY_LEFT_TOE, 0, {0, 0.0, 0.08}, 0.020, 0.012, SHOES}}};

/* The joint of the other side of the body. */
static int mirrored_joint(int joint) {
    if (joint >= BODY_LEFT_COLLAR && joint <= BODY_LEFT_HAND)
        return joint + (BODY_RIGHT_COLLAR - BODY_LEFT_COLLAR);
    if (joint >= BODY_LEFT_THIGH && joint <= BODY_LEFT_TOE)
        return joint + (BODY_RIGHT_THIGH - BODY_LEFT_THIGH);
    return joint;
}

static tube mirrored(const tube *t) {
    tube other = *t;
    for (size_t k = 0; k < other.count; k++) {
        other.rings[k].joint = mirrored_joint(other.rings[k].joint);
        other.rings[k].other = mirrored_joint(other.rings[k].other);
        other.rings[k].centre[0] = -other.rings[k].centre[0];
    }
    return other;
}

/* ---- triangles -------------------------------------------------------------------------- */

static size_t tube_vertices(const tube *t) {
    return t->count * SIDES + 2; /* and the middles of both ends */
}

static size_t tube_indices(const tube *t) {
    return t->count * 6 * SIDES; /* two triangles per side between rings, one per side of an end */
}

/* A point of the ring; at `size` 0 its centre. */
static vertex ring_vertex(const tube *t, const ring *r, double angle, double size) {
    double origin[3];
    body_rest_position(r->joint, origin);
    const double x = size * r->wide * sin(angle), other = size * r->deep * cos(angle);
    vertex v = {.joints = {(uint16_t)r->joint, (uint16_t)r->other},
                .weights = {(float)(1 - r->share), (float)r->share}};
    v.position[0] = (float)(origin[0] + r->centre[0] + x);
    v.position[1] = (float)(origin[1] + r->centre[1] + (t->lies ? -other : 0));
    v.position[2] = (float)(origin[2] + r->centre[2] + (t->lies ? 0 : other));
    memcpy(v.colour, colours[r->cloth], sizeof v.colour);
    return v;
}

static void add_triangle(mesh *m, size_t a, size_t b, size_t c) {
    const size_t corners[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        m->indices[m->index_count++] = (uint32_t)corners[i];
}

static void add_triangles(mesh *m, const tube *t, size_t first) {
    const size_t low = first + t->count * SIDES, high = low + 1,
                 last = first + (t->count - 1) * SIDES;
    for (size_t side = 0; side < SIDES; side++) {
        const size_t next = (side + 1) % SIDES;
        for (size_t at = first; at < last; at += SIDES) {
            add_triangle(m, at + side, at + next, at + SIDES + next);
            add_triangle(m, at + side, at + SIDES + next, at + SIDES + side);
        }
        add_triangle(m, low, first + next, first + side);
        add_triangle(m, high, last + side, last + next);
    }
}

static void add_tube(mesh *m, const tube *t) {
    const double step = 2 * 3.14159265358979323846 / SIDES;
    const size_t first = m->vertex_count;
    for (size_t k = 0; k < t->count; k++)
        for (int side = 0; side < SIDES; side++)
            m->vertices[m->vertex_count++] = ring_vertex(t, &t->rings[k], step * side, 1);
    m->vertices[m->vertex_count++] = ring_vertex(t, &t->rings[0], 0, 0);
    m->vertices[m->vertex_count++] = ring_vertex(t, &t->rings[t->count - 1], 0, 0);
    add_triangles(m, t, first);
}

bool figure_mesh(mesh *m) {
    const tube tubes[] = {trunk, arm, leg, foot, mirrored(&arm), mirrored(&leg), mirrored(&foot)};
    const size_t count = sizeof tubes / sizeof tubes[0];
    size_t vertices = 0, indices = 0;
    for (size_t k = 0; k < count; k++) {
        vertices += tube_vertices(&tubes[k]);
        indices += tube_indices(&tubes[k]);
    }
    *m = (mesh){.vertices = calloc(vertices, sizeof *m->vertices),
                .indices = calloc(indices, sizeof *m->indices)};
    if (!m->vertices || !m->indices) {
        mesh_free(m);
        return false;
    }
    for (size_t k = 0; k < count; k++)
        add_tube(m, &tubes[k]);
    mesh_compute_normals(m);
    return true;
}
