/* SPDX-License-Identifier: MIT
 *
 * Frames at a fixed step, so that the same options give the same poses. Each frame is finished
 * before the next one begins: drawing then takes no processor from posing.
 */
#include "headless.h"

#include <stdio.h>
#include <stdlib.h>

#include "fault.h"
#include "offscreen.h"
#include "picture_png.h"
#include "show.h"

static const double step = 1.0 / 30;

typedef struct totals {
    double seconds, posing;
} totals;

/* The first frame, in which drivers compile kernels and shaders, is not measured. */
static pm_status run_frames(show *s, const options *o, totals *t, pm_error *error) {
    pm_status status = show_frame(s, 0, o->width, o->height, error);
    glFinish();
    const double begin = show_seconds();
    for (size_t frame = 0; status == PM_OK && frame < o->frames; frame++) {
        status = show_frame(s, step, o->width, o->height, error);
        t->posing += 1e-3 * s->pose_milliseconds;
        glFinish();
    }
    t->seconds = show_seconds() - begin;
    return status;
}

static void print_totals(const show *s, const options *o, const totals *t) {
    const double frames = (double)o->frames;
    const double joints = (double)s->scene.count * (double)s->scene.joints * frames;
    printf("%zu figures of %zu joints and %zu vertices, %zu frames of %dx%d\n", s->scene.count,
           s->scene.joints, s->scene.mesh.vertex_count, o->frames, o->width, o->height);
    printf("drawn by %s\nposed by %s, palettes %s\n", (const char *)glGetString(GL_RENDERER),
           s->device.name, palette_way_names[s->palettes.way]);
    printf(
        "%.2f frames/s; posing takes %.1f %% of the time: %.2f ms a frame, %.1f million joints/s\n",
        frames / t->seconds, 100 * t->posing / t->seconds, 1e3 * t->posing / frames,
        1e-6 * joints / t->posing);
}

static pm_status compare(show *s, pm_error *error) {
    double worst = 0;
    pm_status status = show_compare_vertices(s, &worst, error);
    if (status == PM_OK)
        status = show_compare_bits(s, error);
    if (status != PM_OK)
        return status;
    const double height = s->scene.height * s->scene.scale;
    printf(
        "vertices are within %.1e of a figure's height of plain C; %llu of %llu bits of palettes "
        "differ\n",
        worst / height, (unsigned long long)s->bits_differ, (unsigned long long)s->bits);
    if (s->scene.culls)
        printf("%zu of %zu figures are in view\n", s->compared, s->scene.count);
    if (worst < 1e-4 * height)
        return PM_OK;
    return fault(error, PM_ERROR_DEVICE,
                 "the vertices differ by more than 1e-4 of a figure's height");
}

static pm_status write_picture(show *s, offscreen *off, const options *o, const totals *t,
                               pm_error *error) {
    char text[1024];
    if (!o->picture)
        return PM_OK;
    if (o->overlay) {
        show_describe(s, (double)o->frames / t->seconds, text, sizeof text);
        overlay_draw(&s->overlay, text, o->width, o->height);
    }
    unsigned char *pixels = offscreen_pixels(off);
    if (!pixels)
        return fault_memory(error);
    const pm_status status = picture_write(o->picture, pixels, o->width, o->height, error);
    free(pixels);
    return status;
}

static pm_status run_on(offscreen *off, const options *o, pm_error *error) {
    show s;
    totals t = {0};
    pm_status status = show_open(&s, o, error);
    if (status != PM_OK)
        return status;
    status = offscreen_size(off, o->width, o->height, error);
    if (status == PM_OK)
        status = run_frames(&s, o, &t, error);
    if (status == PM_OK)
        print_totals(&s, o, &t);
    if (status == PM_OK)
        status = write_picture(&s, off, o, &t, error);
    if (status == PM_OK)
        status = compare(&s, error);
    show_close(&s);
    return status;
}

pm_status headless_run(const options *o, pm_error *error) {
    offscreen off;
    pm_status status = offscreen_open(&off, error);
    if (status != PM_OK)
        return status;
    status = run_on(&off, o, error);
    offscreen_close(&off);
    return status;
}
