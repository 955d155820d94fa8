/* SPDX-License-Identifier: MIT
 *
 * The storage buffers that the vertex shader reads palettes from, and the ways in which the engine's
 * results get there.
 */
#ifndef EXAMPLES_CROWD_WINDOW_PALETTES_H
#define EXAMPLES_CROWD_WINDOW_PALETTES_H

#include "gl.h"
#include "scene.h"
#include "sharing.h"
#include "stages.h"

typedef enum palette_way {
    PALETTES_MAPPED = 0, /* the engine writes into a buffer that stays mapped; OpenGL 4.4 */
    PALETTES_COPIED,     /* the engine writes into host memory, and glBufferSubData copies it */
    PALETTES_SHARED,     /* the engine's device writes into the buffer; cl_khr_gl_sharing */
    PALETTES_WAYS
} palette_way;

extern const char *const palette_way_names[PALETTES_WAYS];

/* Two buffers that are used alternately, so that one is posed while the other is drawn. */
typedef struct palettes {
    palette_way way;
    sharing *sharing; /* NULL: PALETTES_SHARED is not available. Borrowed */
    GLuint buffers[SHARING_BUFFERS];
    void *mapped[SHARING_BUFFERS];
    GLsync drawn[SHARING_BUFFERS]; /* commands that read the buffer */
    bool filled[SHARING_BUFFERS];  /* has records of all instances */
    void *host;                    /* of PALETTES_COPIED */
    stages *stages;                /* NULL: not needed yet */
    int now;                       /* the buffer that was posed last */
    size_t bytes;
} palettes;

/* Whether the way works with this driver; else `why` says what is missing. */
bool palettes_can(palette_way way, const sharing *shared, const char **why);

/* The size of OpenGL's largest storage buffer. */
size_t palettes_most_bytes(void);

pm_status palettes_open(palettes *p, palette_way way, sharing *shared, const scene *s,
                        pm_error *error);
void palettes_close(palettes *p);

/* Poses the scene into a buffer that OpenGL does not read, and makes it the present one. With
 * `on_reference` PALETTES_SHARED is refused. */
pm_status palettes_pose(palettes *p, scene *s, bool on_reference, pm_error *error);

/* To be called after the last command that reads the present buffer. */
void palettes_drawn(palettes *p);

#endif
