/* SPDX-License-Identifier: MIT
 *
 * What the window and --headless have in common: a scene, how it is posed and drawn, and figures
 * about both. All functions need the OpenGL context to be current.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SHOW_H
#define EXAMPLES_CROWD_WINDOW_SHOW_H

#include "drawing.h"
#include "options.h"
#include "overlay.h"

typedef struct show {
    pm_engine *engine;
    sharing *sharing; /* NULL: not available */
    model model;
    scene scene;
    palettes palettes;
    drawing drawing;
    overlay overlay;
    camera camera;
    pm_device_info device;
    bool on_reference;          /* plain C poses, and each frame is compared with the device */
    double pose_milliseconds;   /* of the last frame, with the copy of PALETTES_COPIED */
    uint64_t bits, bits_differ; /* of all records of the last comparison; bits 0: none */
    size_t compared;            /* the members whose records they are: those in view */
    const char *hint;           /* why the last change had no effect; NULL: it had */
} show;

pm_status show_open(show *s, const options *o, pm_error *error);
void show_close(show *s);

/* Advances by `seconds`, poses and draws into the framebuffer that is bound. */
pm_status show_frame(show *s, double seconds, int width, int height, pm_error *error);

/* Changes that take effect in the next frame. What the drivers cannot do leaves a hint. */
pm_status show_set_count(show *s, size_t count, pm_error *error);
pm_status show_set_way(show *s, palette_way way, pm_error *error);
pm_status show_set_reference(show *s, bool on_reference, pm_error *error);
/* 0: the blend space, 1: breathing, 2: waving; on or off. */
void show_switch_layer(show *s, int which);
/* On or off. */
enum { SHOW_SWORDS, SHOW_CULLING, SHOW_SLOPE, SHOW_PARTS };
void show_switch_part(show *s, int which);

/* Lines for the overlay. */
void show_describe(const show *s, double frames_per_second, char *text, size_t size);

/* Poses the present frame on the device and in plain C, and counts the bits that differ. */
pm_status show_compare_bits(show *s, pm_error *error);

/* The largest distance, in metres, of a vertex from where plain C puts it: palettes of the reference
 * path, skinned in double precision. */
pm_status show_compare_vertices(show *s, double *worst, pm_error *error);

/* A monotonic clock. */
double show_seconds(void);

#endif
