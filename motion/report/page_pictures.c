/* SPDX-License-Identifier: MIT
 *
 * Pictures that need no script: the heat map of the worst joints, and both skeletons at the worst
 * moment from the front, as inline SVG.
 */
#include "motion/report/page.h"

#include <math.h>

enum {
    COLUMNS = 120,
    ROWS = 24,
    CELL = 8,
    ROW = 14,
    LABEL = 150,
    SHADES = 8,
    BEYOND,
    PICTURE = 320
};

/* ---- the heat map -------------------------------------------------------------------------- */

/* The largest angle of a joint among the frames of a column. */
static double cell_of(const page_frames *f, size_t joint, size_t column) {
    const size_t begin = column * f->count / COLUMNS;
    const size_t end = (column + 1) * f->count / COLUMNS;
    double largest = 0;
    for (size_t i = begin; i < (end > begin ? end : begin + 1) && i < f->count; i++)
        largest = fmax(largest, (double)f->values[MEASURE_ANGLE][i * f->joints + joint]);
    return largest;
}

/* What lies beyond the scale has a shade of its own. */
static int shade_of(double value, double end) {
    const double part = end > 0 ? value / end : 0; /* of float32 numbers */
    return part > 1 + 1e-6 ? BEYOND : (int)ceil(fmin(part, 1) * SHADES);
}

/* Neighbouring cells of one shade are one rectangle; shade 0 is the background. */
static void write_cells(FILE *file, const page *p, size_t joint, size_t row) {
    const double end = p->outcome->comparison->scales[MEASURE_ANGLE].end;
    size_t begin = 0;
    for (size_t column = 1; column <= COLUMNS; column++) {
        const int shade = shade_of(cell_of(p->frames, joint, begin), end);
        if (column < COLUMNS && shade_of(cell_of(p->frames, joint, column), end) == shade)
            continue;
        if (shade > 0)
            fprintf(file, "<rect class=\"s%d\" x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%d\"/>",
                    shade, LABEL + begin * CELL, row * ROW, (column - begin) * CELL, ROW - 1);
        begin = column;
    }
}

static void write_map(FILE *file, const page *p) {
    const comparison *c = p->outcome->comparison;
    const size_t rows = c->pairs->count < ROWS ? c->pairs->count : ROWS;
    const size_t height = rows * ROW;
    const scale *s = &c->scales[MEASURE_ANGLE];
    fprintf(file,
            "<figure><svg class=\"map\" viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"angle of "
            "the worst joints along the time\">",
            LABEL + COLUMNS * CELL, height + 20);
    fprintf(file, "<rect class=\"ground\" x=\"%d\" y=\"0\" width=\"%d\" height=\"%zu\"/>", LABEL,
            COLUMNS * CELL, height);
    for (size_t i = 0; i < rows; i++) {
        const size_t joint = c->by_worst[i];
        write_cells(file, p, joint, i);
        fprintf(file, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">", LABEL - 6, i * ROW + 10);
        page_write_name(file, subject_name(c->a, c->pairs->pairs[joint].a),
                        c->pairs->pairs[joint].a);
        fputs("</text>", file);
    }
    fprintf(file,
            "<text x=\"%d\" y=\"%zu\">%.4g s</text><text x=\"%d\" y=\"%zu\" "
            "text-anchor=\"end\">%.4g s</text></svg>",
            LABEL, height + 14, c->start, LABEL + COLUMNS * CELL, height + 14,
            c->start + c->seconds);
    fprintf(
        file,
        "<figcaption>Angle error of the %zu worst joints along the time: the palest shade is up "
        "to %.4g degrees, the darkest up to %.4g degrees",
        rows, s->end / SHADES, s->end);
    if (s->times > 0)
        fprintf(file, "; blue is beyond, up to %.4g degrees", c->clip.of[MEASURE_ANGLE].max);
    fputs(".</figcaption></figure>\n", file);
}

/* ---- skeletons ----------------------------------------------------------------------------- */

/* What a picture shows of the world. */
typedef struct window {
    double low[2], scale;
    size_t across, up;
} window;

static const float *place_of(const page_frames *f, size_t side, size_t frame, size_t joint) {
    return f->places[side] + 3 * (frame * f->joints + joint);
}

static window window_of(const page_frames *f, size_t frame) {
    window w = {.across = f->c->a->up == 1 ? 0 : 1, .up = (size_t)f->c->a->up};
    double high[2] = {-(double)INFINITY, -(double)INFINITY};
    w.low[0] = w.low[1] = (double)INFINITY;
    for (size_t i = 0; i < 2 * f->joints; i++) {
        const float *at = place_of(f, i % 2, frame, i / 2);
        for (size_t n = 0; n < 2; n++) {
            const double x = (double)at[n == 0 ? w.across : w.up];
            w.low[n] = fmin(w.low[n], x);
            high[n] = fmax(high[n], x);
        }
    }
    const double size = fmax(fmax(high[0] - w.low[0], high[1] - w.low[1]), 1e-9);
    w.scale = (PICTURE - 40) / size;
    w.low[0] -= (size - (high[0] - w.low[0])) / 2;
    return w;
}

static void write_bones(FILE *file, const page_frames *f, size_t side, size_t frame,
                        const window *w) {
    fprintf(file, "<path class=\"bones%c\" d=\"", side == 0 ? 'A' : 'B');
    for (size_t j = 0; j < f->joints; j++) {
        if (f->parents[j] >= 0) {
            const float *at = place_of(f, side, frame, j);
            const float *from = place_of(f, side, frame, (size_t)f->parents[j]);
            fprintf(file, "M%.1f %.1fL%.1f %.1f",
                    20 + ((double)from[w->across] - w->low[0]) * w->scale,
                    PICTURE - 20 - ((double)from[w->up] - w->low[1]) * w->scale,
                    20 + ((double)at[w->across] - w->low[0]) * w->scale,
                    PICTURE - 20 - ((double)at[w->up] - w->low[1]) * w->scale);
        }
    }
    fputs("\"/>", file);
}

static void write_skeletons(FILE *file, const page *p) {
    const page_frames *f = p->frames;
    const comparison *c = f->c;
    const bool one = page_is_one(p);
    const double time = c->moment_count > 0 ? c->moments[0].time : c->start;
    const size_t frame = page_frames_at(f, time);
    const window w = window_of(f, frame);
    fprintf(file,
            "<figure><svg class=\"pose\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the pose "
            "from the front\">",
            PICTURE, PICTURE);
    write_bones(file, f, 0, frame, &w);
    if (!one)
        write_bones(file, f, 1, frame, &w);
    fprintf(file, "</svg><figcaption>%s at %.4g s, from the front.</figcaption></figure>\n",
            one ? "The pose" : "A (thin) and B (wide, dashed)", f->times[frame]);
}

void page_write_pictures(FILE *file, const page *p) {
    if (!page_is_one(p))
        write_map(file, p);
    if (p->frames->places[0])
        write_skeletons(file, p);
}
