/* SPDX-License-Identifier: MIT
 *
 * The engine, and the storage buffer that the vertex shader reads its palettes from. Where an OpenCL
 * driver shares buffers with the OpenGL context that is current, the device that draws writes into
 * the buffer. Otherwise the engine writes into host memory, which is copied.
 */
#ifndef EXAMPLES_CROWD_WINDOW_PALETTES_H
#define EXAMPLES_CROWD_WINDOW_PALETTES_H

#include "scene.h"
#include "sharing.h"

typedef struct palettes {
    pm_engine *engine;
    sharing *sharing; /* NULL: copied */
    unsigned buffer;  /* OpenGL's */
    void *host;       /* of what is copied */
    size_t bytes;
} palettes;

/* A device that is asked for by name has a context of its own, whose buffers OpenGL cannot share. */
void palettes_open(palettes *p, const char *device);
void palettes_close(palettes *p);

/* The size of OpenGL's largest storage buffer. */
size_t palettes_most_bytes(void);

/* Poses the scene into the buffer, which grows to its size. OpenGL may then read it. */
void palettes_pose(palettes *p, const scene *s);

/* Compares the buffer with poses in plain C: the bits that differ, and the largest error of where a
 * matrix puts a point of the figure, as a part of its height. All members must be at level 0. */
typedef struct palettes_difference {
    uint64_t bits, differ;
    double largest;
} palettes_difference;
palettes_difference palettes_compare(const palettes *p, const scene *s);

#endif
