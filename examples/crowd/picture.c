/* SPDX-License-Identifier: MIT
 *
 * Drawing: joints are transformed into the world and projected by a camera, figures are sorted
 * from far to near, and each is written as a few paths of relative integers, so that ten thousand
 * figures stay small.
 */
#include "picture.h"

#include "body.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1600, MARGIN = 40, UNITS = 10 }; /* coordinates are in tenths of a unit */
enum { HEAD = BODY_JOINTS, POINTS };            /* the joints and the centre of the head */

static const double head_radius = 0.115, limb_width = 0.085;

typedef struct point {
    double x, y;
} point;

/* A projected agent. */
typedef struct figure {
    point body[POINTS];
    point shadow[POINTS];
    double depth;
    double scale; /* units per metre at its distance */
    enum agent_kind kind;
    bool left_is_near;
} figure;

/* The camera: above and behind, looking down at the middle. */
typedef struct camera {
    double height, back;          /* position of the eye */
    double down[2];               /* cosine and sine of the downward angle */
    double zoom, left, top, tall; /* from view space to units */
} camera;

/* Lines through joints: arm to arm and leg to leg, each in two halves that meet in the trunk. */
static const int arms[2][4] = {
    {BODY_LEFT_COLLAR, BODY_LEFT_ARM, BODY_LEFT_FOREARM, BODY_LEFT_HAND},
    {BODY_RIGHT_COLLAR, BODY_RIGHT_ARM, BODY_RIGHT_FOREARM, BODY_RIGHT_HAND}};
static const int legs[2][4] = {
    {BODY_LEFT_THIGH, BODY_LEFT_SHIN, BODY_LEFT_FOOT, BODY_LEFT_TOE},
    {BODY_RIGHT_THIGH, BODY_RIGHT_SHIN, BODY_RIGHT_FOOT, BODY_RIGHT_TOE}};
static const int trunk[4] = {BODY_LEFT_ARM, BODY_RIGHT_ARM, BODY_RIGHT_THIGH, BODY_LEFT_THIGH};

/* ---- seeing ------------------------------------------------------------------------ */

static point seen(const camera *c, const double at[3], double *depth) {
    double up = at[1] - c->height, along = c->back - at[2];
    *depth = along * c->down[0] - up * c->down[1];
    point p = {at[0] / *depth, -(up * c->down[0] + along * c->down[1]) / *depth};
    p.x = (p.x - c->left) * c->zoom;
    p.y = (p.y - c->top) * c->zoom;
    return p;
}

/* Fits a disc of the radius into the width of the picture, and the tallest figure into the
 * height. */
static camera camera_for(double radius) {
    const double angle = 0.46;
    camera c = {.height = 2 + 1.05 * radius, .back = 3 + 2.1 * radius, .zoom = 1};
    c.down[0] = cos(angle);
    c.down[1] = sin(angle);
    double left = 0, top = 1e9, bottom = -1e9;
    for (int i = 0; i < 360; i++) {
        double turn = i * 3.14159265358979323846 / 180, depth;
        double at[3] = {(radius + 0.8) * cos(turn), 0, (radius + 0.8) * sin(turn)};
        point p = seen(&c, at, &depth);
        left = fmin(left, p.x);
        bottom = fmax(bottom, p.y);
        at[1] = 2;
        top = fmin(top, seen(&c, at, &depth).y);
    }
    c.zoom = UNITS * (WIDTH - 2 * MARGIN) / (-2 * left);
    c.left = left - UNITS * MARGIN / c.zoom;
    c.top = top - UNITS * MARGIN / c.zoom;
    c.tall = (bottom - top) * c.zoom + 2 * UNITS * MARGIN;
    return c;
}

/* Projects a point onto the ground, away from a low sun. */
static point shadow_of(const camera *c, const double at[3]) {
    double depth;
    const double flat[3] = {at[0] + 0.75 * at[1], 0, at[2] - 0.32 * at[1]};
    return seen(c, flat, &depth);
}

/* Transforms a point from model space to the world. */
static void stand(const agent *a, const double in[3], double out[3]) {
    double s = sin(a->heading), c = cos(a->heading);
    out[0] = a->x + c * in[0] + s * in[2];
    out[1] = in[1];
    out[2] = a->z + c * in[2] - s * in[0];
}

static figure figure_of(const camera *c, const agent *a, const float *models,
                        const uint32_t *slots) {
    figure f = {.kind = a->kind};
    double depths[POINTS], at[3];
    for (int i = 0; i < POINTS; i++) {
        const float *m = models + 12 * slots[i < HEAD ? i : BODY_HEAD];
        double up = i < HEAD ? 0 : 0.9 * head_radius; /* relative to the joint of the head */
        const double joint[3] = {(double)m[3] + up * (double)m[1], (double)m[7] + up * (double)m[5],
                                 (double)m[11] + up * (double)m[9]};
        stand(a, joint, at);
        f.body[i] = seen(c, at, &depths[i]);
        f.shadow[i] = shadow_of(c, at);
    }
    f.depth = depths[BODY_ROOT];
    f.scale = c->zoom / f.depth;
    f.left_is_near = depths[BODY_LEFT_ARM] < depths[BODY_RIGHT_ARM];
    return f;
}

static int farther(const void *a, const void *b) {
    double x = ((const figure *)a)->depth, y = ((const figure *)b)->depth;
    return (x < y) - (x > y);
}

/* ---- writing ------------------------------------------------------------------------ */

/* Writes a line through points. No blank is written before a minus. */
static void write_line(FILE *file, const point *points, const int *joints, int count) {
    long x = lround(points[joints[0]].x), y = lround(points[joints[0]].y);
    fprintf(file, "M%ld %ldl", x, y);
    for (int i = 1; i < count; i++) {
        long to_x = lround(points[joints[i]].x), to_y = lround(points[joints[i]].y);
        long by_x = to_x - x, by_y = to_y - y;
        fprintf(file, "%s%ld%s%ld", i > 1 && by_x >= 0 ? " " : "", by_x, by_y >= 0 ? " " : "",
                by_y);
        x = to_x;
        y = to_y;
    }
}

static void write_limbs(FILE *file, const point *points, int side) {
    write_line(file, points, legs[side], 4);
    write_line(file, points, arms[side], 4);
}

static void write_trunk(FILE *file, const point *points, double width, double height) {
    write_line(file, points, trunk, 4);
    long rx = lround(width), ry = lround(height);
    fprintf(file, "zM%ld %lda%ld %ld 0 1 0 %ld 0a%ld %ld 0 1 0 %ld 0", lround(points[HEAD].x) - rx,
            lround(points[HEAD].y), rx, ry, 2 * rx, rx, ry, -2 * rx);
}

/* A run of figures whose lines have the same width, to a sixteenth. */
static size_t run_of(const figure *figures, size_t begin, size_t count) {
    size_t end = begin;
    while (end < count && figures[end].scale <= figures[begin].scale * 17 / 16)
        end++;
    return end;
}

/* Writes the shadows of a run as two paths, so that overlapping shadows are not darker. */
static void write_shadows(FILE *file, const figure *figures, size_t count) {
    for (size_t i = 0, end; i < count; i = end) {
        end = run_of(figures, i, count);
        double scale = figures[i].scale, width = limb_width * scale;
        fprintf(file, "<path stroke-width=\"%.0f\" d=\"", width);
        for (size_t k = i; k < end; k++) {
            write_limbs(file, figures[k].shadow, 0);
            write_limbs(file, figures[k].shadow, 1);
        }
        fprintf(file, "\"/>\n<path class=\"f\" stroke-width=\"%.0f\" d=\"", width);
        for (size_t k = i; k < end; k++)
            write_trunk(file, figures[k].shadow, head_radius * scale, 0.6 * head_radius * scale);
        fprintf(file, "\"/>\n");
    }
}

/* Draws the far limbs, then the trunk, then the near limbs, each lighter than the one before. */
static void write_figure(FILE *file, const figure *f) {
    static const char *const letters = "wcruv";
    const char kind = letters[f->kind];
    fprintf(file, "<path class=\"%c1\" d=\"", kind);
    write_limbs(file, f->body, f->left_is_near ? 1 : 0);
    fprintf(file, "\"/><path class=\"%c2\" d=\"", kind);
    write_trunk(file, f->body, head_radius * f->scale, head_radius * f->scale);
    fprintf(file, "\"/><path class=\"%c3\" d=\"", kind);
    write_limbs(file, f->body, f->left_is_near ? 0 : 1);
    fprintf(file, "\"/>\n");
}

static void write_figures(FILE *file, const figure *figures, size_t count) {
    for (size_t i = 0, end; i < count; i = end) {
        end = run_of(figures, i, count);
        fprintf(file, "<g stroke-width=\"%.0f\">\n", limb_width * figures[i].scale);
        for (size_t k = i; k < end; k++)
            write_figure(file, &figures[k]);
        fprintf(file, "</g>\n");
    }
}

/* Classes: the activity of an agent, and the distance of the part of the body. */
static void write_head(FILE *file, const camera *c, size_t count) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\">\n"
            "<title>A crowd of %zu</title>\n"
            "<style>path{fill:none;stroke-linecap:round;stroke-linejoin:round}"
            ".w1{stroke:#164263}.w2{stroke:#215a85;fill:#215a85}.w3{stroke:#2f76a9}"
            ".c1{stroke:#4d2a60}.c2{stroke:#6b3d84;fill:#6b3d84}.c3{stroke:#8b58a6}"
            ".r1{stroke:#84192d}.r2{stroke:#b32a44;fill:#b32a44}.r3{stroke:#d4495f}"
            ".u1{stroke:#a96410}.u2{stroke:#d98b1f;fill:#d98b1f}.u3{stroke:#f0a83c}"
            ".v1{stroke:#0e5a47}.v2{stroke:#187a62;fill:#187a62}.v3{stroke:#2a9d80}"
            ".s{stroke:#dcd5c8}.f{fill:#dcd5c8}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#f6f2ea\"/>\n",
            UNITS * WIDTH, c->tall, count);
}

bool picture_write(FILE *file, const agent *agents, size_t count, const float *models,
                   const uint32_t *slots) {
    figure *figures = malloc(count * sizeof *figures);
    if (!figures)
        return false;
    camera c = camera_for(agents_radius(count));
    for (size_t i = 0; i < count; i++)
        figures[i] = figure_of(&c, &agents[i], models + 12 * BODY_JOINTS * i, slots);
    qsort(figures, count, sizeof *figures, farther);
    write_head(file, &c, count);
    fprintf(file, "<g class=\"s\">\n");
    write_shadows(file, figures, count);
    fprintf(file, "</g>\n");
    write_figures(file, figures, count);
    fprintf(file, "</svg>\n");
    free(figures);
    return !ferror(file);
}
